"""OpenSpiel: two games for pyspiel.load_game; importing this module registers them.

    schafkopf          a deal with auction. chance="sampled": one chance node, the deal is drawn;
                       "explicit": dealer and cards one by one, as OpenSpiel's own card games do
    schafkopf_endgame  one of the endgames that `schafkopf.exploit` measures: a chance node over all
                       its deals, then the choices; forced cards are played without asking

Players are seats, actions those of the engine (0..127), returns payoffs in tariff units: always
zero-sum, what goes into a Stock left out. Claims of the rest are not offered.

The information-state string of a player is its view in hex; `view_from_string` gives the view back,
so that a player of this package can be asked about it. OpenSpiel's own bots in C++ do not see
`resample_from_infostate` of games in Python: use open_spiel.python.algorithms.ismcts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from schafkopf import _core
from schafkopf.display import card_names, describe_view
from schafkopf.extras import load_extra
from schafkopf.house_rules import rule_set

load_extra("pyspiel", "openspiel", "open_spiel")

import pyspiel  # noqa: E402

_PLAYERS = 4
# Chance nodes aside: 32 cards, and auctions of any rules leave this many actions far behind.
_MOST_ACTIONS = 256
_MOST_TRIES = 1000
_SILENT = ("NO_DOUBLE", "NO_LAY", "HZ_NO_OFFER", "HZ_REFUSE", "NO_JUNGFRAU")
_SILENT_ACTIONS = frozenset(_core.parse_action(name) for name in _SILENT)
_FIELDS = {"plays": (32, 8), "events": (32, 16)}  # of a view, as bits


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


def string_from_view(view: Any) -> str:
    """Return the information-state string of a view (a record of VIEW_DTYPE)."""
    return str(view.tobytes().hex())


def view_from_string(text: str) -> Any:
    """Return the view of an information-state string. Raises ValueError for other strings."""
    size = _core.VIEW_DTYPE.itemsize
    try:
        return np.frombuffer(bytes.fromhex(text), _core.VIEW_DTYPE, count=1)[0]
    except ValueError as error:
        raise ValueError(
            f'information state "{text[:20]}" of {len(text)} characters, allowed: {2 * size} '
            "hexadecimal digits, as information_state_string gives them"
        ) from error


def _contracts() -> Iterable[dict[str, Any]]:
    """Give one contract of each class."""
    for row in _core.contract_table():
        contract: dict[str, Any] = {"class": row["name"]}
        if row["parties"] != "everyone":
            contract["declarer"] = 0
        if row["trump_suit"] == "announced":
            contract["suit"] = "H"
        if row["parties"] == "called_card":
            contract["called"] = "EA"
        yield contract


def _most_paid(rules: _core.RuleSet) -> float:
    """Return a bound of what a seat can win or lose: three prices with everything that raises them.

    It counts what no deal has at once (such as all Laufende and Schneider in a Ramsch), so it is
    not tight.
    """
    tariff = next(row for row in _core.tariff_table() if row["name"] == rules.tariff)
    amounts = dict(tariff["amounts"])
    for part in ("G", "stock_unit"):
        amounts.pop(part)
    ends = amounts.pop("schneider") + amounts.pop("schwarz")
    # an over-claim is paid back double
    run = amounts.pop("laufende") * (64 if rules.laufende_by_claim else 14)
    virgins = 8 * max(amounts["ramsch"], amounts["march"])
    factors = (tariff["tout_factor"], tariff["sie_factor"], tariff["hochzeit_factor"], 1)
    price = max(virgins, (max(amounts.values()) + ends + run) * max(factors))
    times = 0
    for contract in _contracts():
        limits = _core.result_limits(contract, rules)
        times = max(times, limits["doublings"][0] + limits["legen"][0])
    times += _core.DealContext.first(rules).bock
    return float(3 * price * _core.price_factor(times))


class _Observer:
    """What a seat may know as tensor and text; see open_spiel.python.observation."""

    def __init__(self, game: _Game, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"make_observer: unknown parameters {sorted(params)}, allowed: none")
        if kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not kind.public_info:
            raise ValueError(
                "make_observer: observations are views of one seat, allowed: "
                "private_info=SINGLE_PLAYER, public_info=True"
            )
        self._rules, self._version = game.rules, game.version
        self._recalls = kind.perfect_recall
        size = _core.observation_size(game.version)
        pieces = {"observation": (size,), **(_FIELDS if kind.perfect_recall else {})}
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in pieces.values()), np.float32)
        self.dict: dict[str, Any] = {}
        start = 0
        for name, shape in pieces.items():
            length = int(np.prod(shape))
            self.dict[name] = self.tensor[start : start + length].reshape(shape)
            start += length

    def set_from(self, state: _State, player: int) -> None:
        """Fill tensor and dict with what a player knows; zeros before the deal."""
        self.tensor.fill(0)
        if state.table is None:
            return
        view = state.table.view(player)
        self.dict["observation"][:] = _core.encode(view, self._rules, version=self._version)[0]
        if not self._recalls:
            return
        for name, line in (("plays", view["order"]["plays"]), ("events", view["events"]["events"])):
            bits = np.unpackbits(np.ascontiguousarray(line).view(np.uint8), bitorder="little")
            self.dict[name][:] = bits.reshape(_FIELDS[name])

    def string_from(self, state: _State, player: int) -> str:
        """Return what a player knows: with perfect recall the view in hex, else in words."""
        if state.table is None:
            return f"player {player}, before the deal"
        view = state.table.view(player)
        if self._recalls:
            return string_from_view(view)
        shown = describe_view(view)
        plays = shown.pop("plays")
        shown["table"] = plays[len(plays) - int(_core.unpack_cards(view["cards"])["cards_on_table"]) :]
        shown["played"] = [card_names(cards) for cards in view["cards"]["played"]]
        return ", ".join(f"{key} {value}" for key, value in shown.items())


class _State(pyspiel.State):  # type: ignore[misc]
    """A game of the engine after a chance node.

    OpenSpiel clones and writes all attributes of a state: there is the game, and little else.
    """

    def __init__(self, game: _Game) -> None:
        super().__init__(game)
        self.table: _core.Game | None = None  # None: before the deal

    def current_player(self) -> int:
        """Return the seat to act, or PlayerId.CHANCE, PlayerId.TERMINAL."""
        if self.table is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.table.is_terminal else self.table.current_player

    def is_terminal(self) -> bool:
        """Return whether the deal is over."""
        return self.table is not None and self.table.is_terminal

    def _legal_actions(self, player: int) -> list[int]:
        assert self.table is not None
        return self.table.legal_actions()

    def _deal(self, outcome: int) -> None:
        raise NotImplementedError

    def _apply_action(self, action: int) -> None:
        if self.table is None:
            self._deal(action)
        elif self.table.is_terminal:
            raise ValueError("the deal is over: new_initial_state() of the game starts another")
        else:
            self.table.apply(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"chance {action}" if player < 0 else _core.action_name(action)

    def returns(self) -> list[float]:
        """Return the payoffs in tariff units, zeros before the end."""
        if self.table is None or not self.table.is_terminal:
            return [0.0] * self.num_players()
        return self.table.payoffs()

    def __str__(self) -> str:
        if self.table is None:
            return "before the deal " + " ".join(map(str, self.history()))
        return _core.display(self.table)

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_state, (self.get_game(), self.serialize())

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> _State:
        """Return a state with other hidden cards that a player cannot tell from this one.

        Worlds are drawn uniformly from those that explain the player's view.

        Args:
            player: seat.
            sampler: gives random numbers in [0, 1), such as pyspiel.UniformProbabilitySampler.

        Raises:
            RuntimeError: none was found. That happens where others passed cards on in secret (a
                Hochzeit): such worlds cannot be dealt again.
        """
        if not 0 <= player < self.num_players():
            raise ValueError(f"player = {player}, allowed: integer 0..{self.num_players() - 1}")
        if self.table is None:
            return self.clone()  # type: ignore[no-any-return]
        for _ in range(_MOST_TRIES):
            state = self._with_other_cards(self.table, player, int(sampler() * 2**53))
            if state is not None:
                return state
        raise RuntimeError(
            f"resample_from_infostate: no deal explains what player {player} sees in {_MOST_TRIES} "
            "draws; where cards were passed on in secret (hochzeit) there is none"
        )

    def _with_other_cards(self, table: _core.Game, player: int, seed: int) -> _State | None:
        raise NotImplementedError


def _read_state(game: _Game, text: str) -> Any:
    return game.deserialize_state(text)


class _Game(pyspiel.Game):  # type: ignore[misc]
    """What the games share: rules and observers."""

    def __init__(self, game_type: Any, params: dict[str, Any], outcomes: int, dealing: int) -> None:
        limit = _most_paid(self.rules)
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
                f"rules {self.rules.name}: history_view = \"{self.rules.history_view}\", allowed: "
                'full; what a player forgets makes no information state'
            )
        self.version = int(params["observation_version"])
        _core.observation_size(self.version)  # names the versions there are
        # the same rules without claims, so that neither masks nor views offer them
        self.played = self.rules.replace(claims_enabled=False)

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of chance nodes of a deal."""
        return self._chance_nodes

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """Return an observer; its kind is the observation, or the information state."""
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return _Observer(self, kind, params)


class SchafkopfGame(_Game):
    """A deal from the shuffle to the payoffs.

    Parameters:
        rules: preset name or path of a TOML file with history_view = "full".
        chance: "sampled": one chance node whose outcome the game draws. OpenSpiel cannot write the
            random numbers of a game in Python: state.serialize(), game.deserialize_state and
            pickles work, pyspiel.serialize_game_and_state does not. "explicit": the dealer, then
            the cards seat by seat; all of OpenSpiel's functions work.
        rng_seed: of the deals where they are sampled, 0 or more; -1: another one every time.
        observation_version: layout of the observation tensor, 1..3 (schafkopf.observation_table).
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


class SchafkopfState(_State):
    """State of SchafkopfGame."""

    def __init__(self, game: SchafkopfGame) -> None:
        super().__init__(game)
        self._next: tuple[_core.Deal, int] | None = None  # instead of a drawn one

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the dealer's seats or the cards that are left; one outcome where it is drawn."""
        game = self.get_game()
        if not game.explicit:
            return [(0, 1.0)]
        dealt = self.history()
        left = set(game.deck) - set(dealt[1:]) if dealt else range(self.num_players())
        return [(outcome, 1 / len(left)) for outcome in sorted(left)]

    def _deal(self, outcome: int) -> None:
        game = self.get_game()
        allowed = [outcome for outcome, _ in self.chance_outcomes()]
        if outcome not in allowed:
            raise ValueError(f"chance outcome {outcome}, allowed: {allowed}")
        if not game.explicit:
            deal, dealer = self._next or game.draw()
            self._next = None
        else:
            dealer, *cards = [*self.history(), outcome]
            if len(cards) < len(game.deck):
                return
            each = len(cards) // self.num_players()
            hands = [cards[first : first + each] for first in range(0, len(cards), each)]
            deal = _core.Deal(hands, game.played)
        self.table = _core.Game(game.played, deal, dealer, context=game.context)

    def _action_to_string(self, player: int, action: int) -> str:
        if player >= 0:
            return _core.action_name(action)
        if not self.get_game().explicit:
            return "deal"
        return _core.card_name(action) if self.history() else f"dealer {action}"

    def _with_other_cards(self, table: _core.Game, player: int, seed: int) -> _State | None:
        game, seats = self.get_game(), self.num_players()
        view = table.view(player)
        world = _core.WorldSampler(view, game.played).sample(1, seed)[0]
        played = view["cards"]["played"]
        hands: list[list[int]] = [[]] * seats
        for place in range(seats):
            hands[(player + place) % seats] = _cards_of(int(world[place]) | int(played[place]))
        # while laying a seat sees one half of its cards; later nothing tells the halves apart
        seen = _cards_of(int(view["cards"]["hand"]))
        unseen = [card for card in hands[player] if card not in seen]
        sees_last = player == table.dealer and game.rules.legen_dealer_cards == "last"
        hands[player] = unseen + seen if sees_last else seen + unseen
        state = game.new_initial_state()
        if game.explicit:
            for outcome in (table.dealer, *(card for hand in hands for card in hand)):
                state.apply_action(outcome)
        else:
            deal = _core.Deal(hands, game.played, table.dealer, game.context)
            state._next = deal, table.dealer
            state.apply_action(0)
        return state if _follow(state, table, player) else None


def _cards_of(bits: int) -> list[int]:
    return [card for card in range(32) if bits >> card & 1]


def _sees_the_same(state: _State, table: _core.Game, player: int) -> bool:
    assert state.table is not None
    return (
        state.table.current_player == table.current_player
        and state.table.view(player).tobytes() == table.view(player).tobytes()
    )


def _follow(state: SchafkopfState, table: _core.Game, player: int) -> bool:
    """Repeat the public actions of a game; return whether the player then sees the same.

    Answers that nobody sees are given where this deal asks for them.
    """
    for seat, name in table.public_actions():
        action = _core.parse_action(name)
        while state.current_player() != seat or action not in state.legal_actions():
            if not _answer_silently(state):
                return False
        state.apply_action(action)
    while not _sees_the_same(state, table, player):
        if not _answer_silently(state):
            return False
    return True


def _answer_silently(state: SchafkopfState) -> bool:
    answers = _SILENT_ACTIONS.intersection(state.legal_actions())
    if answers:
        state.apply_action(min(answers))
    return bool(answers)


class EndgameGame(_Game):
    """An endgame of `schafkopf.endgame_list`, as `schafkopf.exploit` measures it.

    Contract, declarer, points so far, leader and the remaining cards are common knowledge.

    Parameters:
        rules: as SchafkopfGame; four players with 32 cards.
        kind: RUF_ACE_HELD, RUF_ACE_PLAYED, SOLO, WENZ or RAMSCH.
        number: which one of this kind, from 0.
        tricks, seed: of the list. Two tricks have at most 2,520 deals, three 369,600.
        observation_version: as SchafkopfGame.
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


class EndgameState(_State):
    """State of EndgameGame."""

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return all deals, each equally likely."""
        return self.get_game().outcomes  # type: ignore[no-any-return]

    def _deal(self, outcome: int) -> None:
        game = self.get_game()
        if not 0 <= outcome < len(game.deals):
            raise ValueError(f"deal {outcome}, allowed: integer 0..{len(game.deals) - 1}")
        self.table = game.endgame.game(game.deals[outcome])
        self._play_forced(self.table)

    def _apply_action(self, action: int) -> None:
        super()._apply_action(action)
        assert self.table is not None
        self._play_forced(self.table)

    @staticmethod
    def _play_forced(table: _core.Game) -> None:
        while len(legal := table.legal_actions()) == 1:
            table.apply(legal[0])

    def _action_to_string(self, player: int, action: int) -> str:
        return f"deal {action}" if player < 0 else _core.action_name(action)

    def _with_other_cards(self, table: _core.Game, player: int, seed: int) -> _State | None:
        """Deal again one of the deals in which everybody has what he played."""
        game, plays = self.get_game(), table.plays
        shown = np.zeros(self.num_players(), np.uint32)
        for seat, card in plays:
            shown[seat] |= 1 << _core.parse_card(card)
        fits = ((game.deals & shown) == shown).all(axis=1)
        hand = shown[player] | int(table.view(player)["cards"]["hand"])
        fits &= game.deals[:, player] == hand
        deals = np.flatnonzero(fits)
        state = game.new_initial_state()
        state.apply_action(int(deals[seed % len(deals)]))
        while len(state.table.plays) < len(plays):
            action = _core.parse_card(plays[len(state.table.plays)][1])
            if action not in state.legal_actions():
                return None
            state.apply_action(action)
        return state if _sees_the_same(state, table, player) else None


def register() -> None:
    """Register the games; once is enough, and importing this module does it."""
    known = pyspiel.registered_names()
    for game_type, maker in ((_TYPES["sampled"], SchafkopfGame), (_ENDGAME_TYPE, EndgameGame)):
        if game_type.short_name not in known:
            pyspiel.register_game(game_type, maker)


register()
