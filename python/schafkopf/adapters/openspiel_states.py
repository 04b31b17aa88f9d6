"""The states and observers of the games in schafkopf.adapters.openspiel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from schafkopf import _core
from schafkopf.adapters.openspiel_exchange import Exchanges, cards_of
from schafkopf.display import card_names, describe_view, one_view
from schafkopf.extras import load_extra

load_extra("pyspiel", "openspiel", "open_spiel")

import pyspiel  # noqa: E402

if TYPE_CHECKING:
    from schafkopf.adapters.openspiel import EndgameGame, SchafkopfGame

_MOST_TRIES = 1000
_SILENT = ("NO_DOUBLE", "NO_LAY", "HZ_NO_OFFER", "HZ_REFUSE", "NO_JUNGFRAU")
_SILENT_ACTIONS = frozenset(_core.parse_action(name) for name in _SILENT)


def _bytes_of_fields(dtype: np.dtype[Any], start: int = 0) -> set[int]:
    """Return the bytes of a record that belong to a field."""
    if dtype.fields is None:
        return set(range(start, start + dtype.itemsize))
    parts = dtype.fields.values()
    return set().union(*(_bytes_of_fields(part[0], start + part[1]) for part in parts))


_HOLES = sorted(set(range(_core.VIEW_DTYPE.itemsize)) - _bytes_of_fields(_core.VIEW_DTYPE))


def string_from_view(view: Any) -> str:
    """Return the information-state string of a view (a record of VIEW_DTYPE). Raises ValueError: it
    is none, or several."""
    data = bytearray(one_view(view).tobytes())
    for place in _HOLES:  # NumPy leaves them undefined where it copies rows
        data[place] = 0
    return data.hex()


def view_from_string(text: str) -> Any:
    """Return the view of an information-state string. Raises ValueError for anything else."""
    size = _core.VIEW_DTYPE.itemsize
    if not isinstance(text, str):
        raise ValueError(
            f"text = {text!r:.60}, allowed: {2 * size} hexadecimal digits, as "
            "information_state_string gives them"
        )
    try:
        data = bytes.fromhex(text)
    except ValueError:
        data = b""
    if len(data) != size:
        raise ValueError(
            f'information state "{text[:20]}" of {len(text)} characters, allowed: {2 * size} '
            "hexadecimal digits, as information_state_string gives them"
        )
    return np.frombuffer(data, _core.VIEW_DTYPE)[0]


class Observer:
    """What a seat may know as tensor and text; see open_spiel.python.observation."""

    def __init__(self, game: SchafkopfGame | EndgameGame, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"make_observer: unknown parameters {sorted(params)}, allowed: none")
        self._rules, self._version = game.rules, game.version
        self._recalls = kind.perfect_recall
        size = _core.observation_size(game.version)
        pieces: dict[str, tuple[int, ...]] = {"observation": (size,)}
        if kind.perfect_recall:  # the bits of the view: what was said and played, in order
            pieces["view"] = (_core.VIEW_DTYPE.itemsize, 8)
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in pieces.values()), np.float32)
        self.dict: dict[str, Any] = {}
        start = 0
        for name, shape in pieces.items():
            length = int(np.prod(shape))
            self.dict[name] = self.tensor[start : start + length].reshape(shape)
            start += length

    def set_from(self, state: TableState, player: int) -> None:
        """Fill tensor and dict with what a player knows; zeros before the deal."""
        self.tensor.fill(0)
        if state.table is None:
            return
        view = state.table.view(player)
        self.dict["observation"][:] = _core.encode(view, self._rules, version=self._version)[0]
        if not self._recalls:
            return
        data = np.frombuffer(bytes.fromhex(string_from_view(view)), np.uint8)
        self.dict["view"][:] = np.unpackbits(data, bitorder="little").reshape(-1, 8)

    def string_from(self, state: TableState, player: int) -> str:
        """Return what a player knows: with perfect recall the view in hex, else in words."""
        if state.table is None:
            return f"player {player}, before the deal"
        view = state.table.view(player)
        if self._recalls:
            return string_from_view(view)
        shown = describe_view(view)
        plays = shown.pop("plays")
        shown["table"] = plays[
            len(plays) - int(_core.unpack_cards(view["cards"])["cards_on_table"]) :
        ]
        shown["played"] = [card_names(cards) for cards in view["cards"]["played"]]
        return ", ".join(f"{key} {value}" for key, value in shown.items())


class TableState(pyspiel.State):  # type: ignore[misc]
    """A game of the engine after a chance node.

    OpenSpiel clones and writes all attributes of a state: there is the game, and little else.
    """

    def __init__(self, game: SchafkopfGame | EndgameGame) -> None:
        super().__init__(game)
        self.table: _core.Game | None = None  # None: before the deal

    def current_player(self) -> int:
        """Return the seat to act, or PlayerId.CHANCE, PlayerId.TERMINAL."""
        if self.table is None:
            return int(pyspiel.PlayerId.CHANCE)
        return (
            int(pyspiel.PlayerId.TERMINAL) if self.table.is_terminal else self.table.current_player
        )

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

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> TableState:
        """Return a state with other hidden cards that a player cannot tell from this one.

        Hands are drawn uniformly from those that explain the player's view. Where cards of a
        Hochzeit were passed on, the exchange is drawn too, from those that lead to these hands.

        Args:
            player: seat.
            sampler: gives random numbers in [0, 1), such as pyspiel.UniformProbabilitySampler.

        Raises:
            ValueError: a player that there is not.
            RuntimeError: there is no such state that can be dealt again: in a Schieberrunde; in a
                Zupf-Solo whose card was drawn; and while two trumps of a Hochzeit are answered
                (bauernhochzeit, phase HZ_RETURN) for the two seats that look on. Or none was found
                in 1000 draws, which happens for seats that are not to act where few hands explain
                who is asked.
        """
        if not 0 <= player < self.num_players():
            raise ValueError(f"player = {player}, allowed: integer 0..{self.num_players() - 1}")
        if self.table is None:
            return self.clone()  # type: ignore[no-any-return]
        draw = self._drawing(self.table, player)
        for _ in range(_MOST_TRIES):
            state = draw(int(sampler() * 2**53))
            if state is not None:
                return state
        raise RuntimeError(
            f"resample_from_infostate: no deal explains what player {player} sees in {_MOST_TRIES} "
            "draws"
        )

    def _drawing(self, table: _core.Game, player: int) -> Callable[[int], TableState | None]:
        """Return what draws a state by a number; None: the player can tell it from this one."""
        raise NotImplementedError


def _read_state(game: SchafkopfGame | EndgameGame, text: str) -> Any:
    return game.deserialize_state(text)


class SchafkopfState(TableState):
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
            given: list[int] = [*self.history(), outcome]
            dealer, cards = given[0], given[1:]
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

    def _drawing(self, table: _core.Game, player: int) -> Callable[[int], TableState | None]:
        view, played = table.view(player), self.get_game().played
        try:
            sampler = _core.WorldSampler(view, played)
        except ValueError as error:  # cards on their way between two others
            raise RuntimeError(f"resample_from_infostate: {error}") from error
        exchanges = Exchanges(table, played, player)

        def draw(seed: int) -> TableState | None:
            world = sampler.sample(1, seed)[0]
            return self._replayed(table, player, exchanges, world, np.random.default_rng(seed))

        return draw

    def _replayed(
        self,
        table: _core.Game,
        player: int,
        exchanges: Exchanges,
        world: Any,
        rng: np.random.Generator,
    ) -> TableState | None:
        """Return the deal of a world after the public actions of a game."""
        game, seats = self.get_game(), self.num_players()
        view = table.view(player)
        hands = [0] * seats
        for place in range(seats):
            bits = int(world[place]) | int(view["cards"]["played"][place])
            hands[(player + place) % seats] = bits
        size = len(game.deck) // seats
        undone = exchanges.undo(hands, size, rng)
        if undone is None:
            return None
        dealt, returns = undone
        if any(hand.bit_count() != size for hand in dealt):
            raise RuntimeError(
                "resample_from_infostate: cards were passed on in a way that cannot be dealt again "
                f"(special_round = {game.context.special_round})"
            )
        ordered = [cards_of(hand) for hand in dealt]
        # while laying a seat sees one half of its cards; later nothing tells the halves apart
        held = int(view["cards"]["hand"])
        seen, unseen = cards_of(dealt[player] & held), cards_of(dealt[player] & ~held)
        sees_last = player == table.dealer and game.rules.legen_dealer_cards == "last"
        ordered[player] = unseen + seen if sees_last else seen + unseen
        state = game.new_initial_state()
        if game.explicit:
            for outcome in (table.dealer, *(card for hand in ordered for card in hand)):
                state.apply_action(outcome)
        else:
            deal = _core.Deal(ordered, game.played, table.dealer, game.context)
            state._next = deal, table.dealer
            state.apply_action(0)
        return state if _follow(state, table, player, exchanges.actions, returns) else None


def _sees_the_same(state: TableState, table: _core.Game, player: int) -> bool:
    assert state.table is not None
    return state.table.current_player == table.current_player and string_from_view(
        state.table.view(player)
    ) == string_from_view(table.view(player))


def _follow(
    state: SchafkopfState,
    table: _core.Game,
    player: int,
    actions: list[tuple[int, int]],
    returns: dict[int, list[int]],
) -> bool:
    """Repeat the public actions of a game; return whether the player then sees the same.

    What nobody sees is done where this deal asks for it: silent answers, and the cards that the
    acceptor of a Hochzeit returns.
    """
    for seat, action in actions:
        while not _may_follow(state, seat, action):
            if not _act_in_secret(state, returns):
                return False
        state.apply_action(action)
    while not _sees_the_same(state, table, player):
        if not _act_in_secret(state, returns):
            return False
    return True


def _may_follow(state: SchafkopfState, seat: int, action: int) -> bool:
    """Return whether a seat can do now what everybody saw it do; a returned card nobody saw."""
    assert state.table is not None
    asked = state.current_player() == seat and state.table.phase != "HZ_RETURN"
    return asked and action in state.legal_actions()


def _act_in_secret(state: SchafkopfState, returns: dict[int, list[int]]) -> bool:
    assert state.table is not None
    if state.table.phase == "HZ_RETURN":
        left = returns.get(state.current_player())
        if not left or left[0] not in state.legal_actions():
            return False
        state.apply_action(left.pop(0))
        return True
    answers = _SILENT_ACTIONS.intersection(state.legal_actions())
    if answers:
        state.apply_action(min(answers))
    return bool(answers)


class EndgameState(TableState):
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

    def _drawing(self, table: _core.Game, player: int) -> Callable[[int], TableState | None]:
        """Deal again one of the deals in which everybody has what he played."""
        game, plays = self.get_game(), table.plays
        shown = np.zeros(self.num_players(), np.uint32)
        for seat, card in plays:
            shown[seat] |= 1 << _core.parse_card(card)
        fits = ((game.deals & shown) == shown).all(axis=1)
        hand = shown[player] | int(table.view(player)["cards"]["hand"])
        fits &= game.deals[:, player] == hand
        deals = np.flatnonzero(fits)

        def draw(seed: int) -> TableState | None:
            state: EndgameState = game.new_initial_state()
            state.apply_action(int(deals[seed % len(deals)]))
            assert state.table is not None
            while len(state.table.plays) < len(plays):
                action = _core.parse_card(plays[len(state.table.plays)][1])
                if action not in state.legal_actions():
                    return None
                state.apply_action(action)
            return state if _sees_the_same(state, table, player) else None

        return draw
