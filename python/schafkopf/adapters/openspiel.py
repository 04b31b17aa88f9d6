"""OpenSpiel: two games for pyspiel.load_game; importing this module registers them.

    schafkopf          a deal with auction. chance="sampled": one chance node, the deal is drawn;
                       "explicit": dealer and cards one by one, as OpenSpiel's own card games do
    schafkopf_endgame  one of the endgames that `schafkopf.exploit` measures: a chance node over all
                       its deals, then the choices; forced cards are played without asking

Players are seats, actions those of the engine (0..127), returns payoffs in tariff units: always
zero-sum, what goes into a Stock left out. Claims of the rest are not offered.

The information-state string of a player is its view in hex; `view_from_string` gives the view back,
so that a player of this package can be asked about it. OpenSpiel's own bots in C++ do not see
`resample_from_infostate` of games in Python: use open_spiel.python.algorithms.ismcts. Its
pyspiel.MCTSBot ends the interpreter with games in Python, tic_tac_toe of OpenSpiel too: use
open_spiel.python.algorithms.mcts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from schafkopf import _core
from schafkopf.adapters.common import check_version, most_paid
from schafkopf.extras import load_extra
from schafkopf.house_rules import rule_set

load_extra("pyspiel", "openspiel", "open_spiel")

import pyspiel  # noqa: E402

from schafkopf.adapters.openspiel_states import (  # noqa: E402
    EndgameState,
    Observer,
    SchafkopfState,
    string_from_view,
    view_from_string,
)

__all__ = [
    "EndgameGame",
    "EndgameState",
    "SchafkopfGame",
    "SchafkopfState",
    "register",
    "string_from_view",
    "view_from_string",
]

_PLAYERS = 4
# Chance nodes aside: 32 cards, and auctions of any rules leave this many actions far behind.
_MOST_ACTIONS = 256


def _game_type(name: str, title: str, chance: Any, parameters: dict[str, Any]) -> Any:
    return pyspiel.GameType(
        short_name=name,
        long_name=title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=_PLAYERS,
        min_num_players=3,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )


_CHANCE = {
    "sampled": pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC,
    "explicit": pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
}
_DEFAULTS = {"rules": "research", "chance": "sampled", "rng_seed": -1, "observation_version": 1}
_ENDGAME_DEFAULTS = {
    "rules": "research",
    "kind": "SOLO",
    "number": 0,
    "tricks": 2,
    "seed": 1,
    "observation_version": 1,
}
_TYPES = {
    chance: _game_type("schafkopf", "Schafkopf", mode, _DEFAULTS)
    for chance, mode in _CHANCE.items()
}
_ENDGAME_TYPE = _game_type(
    "schafkopf_endgame", "Schafkopf, the last tricks", _CHANCE["explicit"], _ENDGAME_DEFAULTS
)


class _Game(pyspiel.Game):  # type: ignore[misc]
    """What the games share: rules and observers."""

    def __init__(self, game_type: Any, params: dict[str, Any], outcomes: int, dealing: int) -> None:
        limit = most_paid(self.rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=_core.NUM_ACTIONS,
            max_chance_outcomes=outcomes,
            num_players=self.rules.seats,
            min_utility=-limit,
            max_utility=limit,
            utility_sum=0.0,
            max_game_length=_MOST_ACTIONS,
        )
        self._chance_nodes = dealing
        super().__init__(game_type, info, params)

    def _read_common(self, params: dict[str, Any]) -> None:
        self.rules = rule_set(params["rules"])
        if self.rules.history_view != "full":
            raise ValueError(
                f'rules {self.rules.name}: history_view = "{self.rules.history_view}", allowed: '
                "full; what a player forgets makes no information state"
            )
        self.version = int(params["observation_version"])
        check_version(self.version)
        # the same rules without claims, so that neither masks nor views offer them
        self.played = self.rules.replace(claims_enabled=False)

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of chance nodes of a deal."""
        return self._chance_nodes

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer | None:
        """Return an observer; its kind is the observation, or the information state.

        None for kinds that are no view of one seat, as OpenSpiel's make_observation has it: there
        are only those with public_info=True and private_info=SINGLE_PLAYER.
        """
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not kind.public_info:
            return None
        return Observer(self, kind, params)


class SchafkopfGame(_Game):
    """A deal from the shuffle to the payoffs.

    Parameters:
        rules: preset name or path of a TOML file with history_view = "full".
        chance: "sampled": one chance node whose outcome the game draws. OpenSpiel cannot write the
            random numbers of a game in Python: state.serialize(), game.deserialize_state and
            pickles work, pyspiel.serialize_game_and_state does not. "explicit": the dealer, then
            the cards seat by seat; all of OpenSpiel's functions work.
        rng_seed: of the deals where they are sampled, 0 or more; -1: another one every time.
        observation_version: layout of the observation tensor, 1..4
            (schafkopf.observations.observation_table).

    Raises:
        ValueError: unknown rules or such as hide what was played, a parameter out of range.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**_DEFAULTS, **(params or {})}
        self._read_common(given)
        self.chance = given["chance"]
        if self.chance not in _CHANCE:
            raise ValueError(f'chance = "{self.chance}", allowed: {", ".join(_CHANCE)}')
        seed = given["rng_seed"]
        if seed < -1:
            raise ValueError(f"rng_seed = {seed}, allowed: integer from 0, or -1")
        self.context = _core.DealContext.first(self.played)
        self.explicit = self.chance == "explicit"
        if self.explicit and self.context.special_round != "none":
            raise ValueError(
                f"rules {self.rules.name}: special_round = {self.context.special_round}, whose "
                'cards are not dealt one by one; allowed: chance = "sampled"'
            )
        self.rng = np.random.default_rng(None if seed == -1 else seed)
        table = _core.Game(self.played, seed=0)
        hands = [table.dealt(seat) for seat in range(table.seats)]
        self.deck = sorted(_core.parse_card(card) for hand in hands for card in hand)
        nodes = 1 + len(self.deck) if self.explicit else 1
        super().__init__(_TYPES[self.chance], given, 32 if self.explicit else 1, nodes)

    def new_initial_state(self) -> SchafkopfState:
        """Return a state before the deal."""
        return SchafkopfState(self)

    def draw(self) -> tuple[_core.Deal, int]:
        """Draw a deal and its dealer."""
        dealer = int(self.rng.integers(self.played.seats))
        seed = int(self.rng.integers(2**64, dtype=np.uint64))
        return _core.Deal.random(seed, self.played, dealer, self.context), dealer

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_game, (str(self), self.rng.bit_generator.state)


def _read_game(text: str, random: Any) -> Any:
    game = pyspiel.load_game(text)
    game.rng.bit_generator.state = random
    return game


class EndgameGame(_Game):
    """An endgame of `schafkopf.exploitation.endgame_list`, as `schafkopf.exploit` measures it.

    Contract, declarer, points so far, leader and the remaining cards are common knowledge.

    Parameters:
        rules: as SchafkopfGame; four players with 32 cards.
        kind: RUF_ACE_HELD, RUF_ACE_PLAYED, SOLO, WENZ or RAMSCH.
        number: which one of this kind, from 0.
        tricks, seed: of the list. Two tricks have at most 2,520 deals, three 369,600.
        observation_version: as SchafkopfGame.

    Raises:
        ValueError: unknown rules or such as hide what was played, no such kind, a parameter out of
            range.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**_ENDGAME_DEFAULTS, **(params or {})}
        self._read_common(given)
        kinds, number = _core.endgame_kinds(), given["number"]
        if given["kind"] not in kinds:
            raise ValueError(f'kind = "{given["kind"]}", allowed: {", ".join(kinds)}')
        if number < 0:
            raise ValueError(f"number = {number}, allowed: integer from 0")
        each = number + 1
        endgames = _core.endgame_list(self.played, given["tricks"], each, given["seed"])
        self.endgame = endgames[kinds.index(given["kind"]) * each + number]
        self.deals = self.endgame.deals()
        self.outcomes = [(deal, 1 / len(self.deals)) for deal in range(len(self.deals))]
        super().__init__(_ENDGAME_TYPE, given, len(self.deals), 1)

    def new_initial_state(self) -> EndgameState:
        """Return a state before the deal."""
        return EndgameState(self)


def register() -> None:
    """Register the games; once is enough, and importing this module does it."""
    known = pyspiel.registered_names()
    for game_type, maker in ((_TYPES["sampled"], SchafkopfGame), (_ENDGAME_TYPE, EndgameGame)):
        if game_type.short_name not in known:
            pyspiel.register_game(game_type, maker)


register()
