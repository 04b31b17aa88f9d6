"""Views and games as text for people."""

from __future__ import annotations

from typing import Any

import numpy as np

from schafkopf import _core, records
from schafkopf.keywords import agent_at, names_keywords

SUITS = "EGHS"
NO_SEAT = _core.NO_SEAT
NO_CARD = 255
# by the seats of a table, from the viewer on in the order of play
SEATS = {3: ("self", "left", "right"), 4: ("self", "left", "opposite", "right")}


def card_names(bits: int) -> list[str]:
    """Return the names of a card set (uint32 mask), in index order."""
    return [_core.card_name(card) for card in range(32) if int(bits) >> card & 1]


def special_round_name(order: Any) -> str:
    """Return the name of the special round of the line `order` of a view. Raises ValueError."""
    number, names = int(order["special_round"]), _core.SPECIAL_ROUNDS
    if number >= len(names):
        raise ValueError(f"view: special_round = {number}, allowed: 0..{len(names) - 1}")
    return names[number]


def one_view(view: Any) -> Any:
    """Return a view as a record of VIEW_DTYPE, also one out of an array that NumPy joined, which
    has a byte less. Raises ValueError: no view, or several of them."""
    dtype = getattr(view, "dtype", None)
    if dtype is None or dtype.names != _core.VIEW_DTYPE.names or view.ndim:
        shape = f" {list(view.shape)}" if isinstance(view, np.ndarray) else ""
        raise ValueError(
            f"view: {type(view).__name__}{shape} came, allowed: a record of VIEW_DTYPE, as "
            "Game.view gives it"
        )
    return view if dtype == _core.VIEW_DTYPE else view.astype(_core.VIEW_DTYPE)


def describe_view(view: Any) -> dict[str, Any]:
    """Return what a view says, with names; seats are relative to the viewer (0 = itself).

    Args:
        view: a record of VIEW_DTYPE, as Game.view gives it.

    Raises:
        ValueError: no view, several of them, or one that no game gives.
    """
    view = one_view(view)
    cards, order = view["cards"], view["order"]
    known = _core.unpack_cards(cards)
    contract, called = int(known["contract"]), int(cards["called_card"])
    declarer, partner = int(known["declarer"]), int(known["partner"])
    plays = _core.unpack_plays(order)[: int(order["num_plays"])].tolist()
    legal = _core.legal_mask(view)[0]
    seats = SEATS.get(int(order["seats"]), SEATS[4])
    return {
        "seat": int(known["seat"]),
        "phase": _core.phase_name(int(cards["phase"])),
        "hand": card_names(cards["hand"]),
        "legal": [_core.action_name(action) for action in range(128) if legal[action]],
        "contract": _core.CONTRACT_CLASSES[contract] if contract >= 0 else None,
        "tout": bool(known["tout"]),
        "trump_suit": SUITS[int(cards["trump_suit"])] if int(cards["trump_suit"]) < 4 else None,
        "called": None if called == NO_CARD else _core.card_name(called),
        "declarer": None if declarer == NO_SEAT else seats[declarer],
        "partner": None if partner == NO_SEAT else seats[partner],
        "doublings": int(known["doubling_level"]),
        "laid": int(order["legen"]),
        "bid": int(order["bid"]),
        "special_round": special_round_name(order),
        "stock": int(order["stock"]),
        "bock": int(order["bock"]),
        "open": card_names(order["open"]),
        "given": card_names(order["given"]),
        "received": card_names(order["received"]),
        "trick": int(known["trick"]),
        "plays": [(seats[seat], _core.card_name(card)) for card, seat, _ in plays],
    }


@names_keywords
def game_text(game: _core.Game, deal: _core.Deal | None = None) -> str:
    """Return a whole game as text: deal, auction, tricks, result, and how its price came about.

    Raises:
        ValueError: a game of Game.from_position, whose deal nobody knows;  TypeError: no Game.
    """
    text = records.text_of(records.record_of(game, deal))
    if not game.is_terminal:
        return text
    steps = "\n".join(f"#   {step}" for step in game.settlement_steps())
    return f"{text.rstrip()}\n# price\n{steps}\n"


@names_keywords
def play_out(
    agents: list[Any], seed: int, rules: Any = "research", dealer: int = -1
) -> tuple[_core.Game, _core.Deal]:
    """Play one random deal to its end.

    Args:
        agents: one player per seat: name, Agent or object with act(views); none that sees hidden
            hands.
        seed: number of the deal; also of the players' draws.
        rules: preset name, path, dict (without "preset" the defaults of the switches) or
            RuleSet.
        dealer: seat, -1 = the one before seat 0.

    Returns:
        (game, deal): the finished game and what was dealt.

    Raises:
        ValueError: an unknown agent or another number of them than the game has seats, unknown
            rules, a seed out of range, a dealer that is no seat.
    """
    if isinstance(agents, str) or not np.iterable(agents):
        raise ValueError(f"agents = {agents!r:.60}, allowed: a list of players, one per seat")
    players = [agent_at(f"agents[{at}]", agent) for at, agent in enumerate(agents)]
    for at, player in enumerate(players):
        if player.sees_hidden_hands:
            raise ValueError(
                f"agents[{at}]: {player.name} sees hidden hands, allowed: players that see views "
                "alone"
            )
    deal = _core.Deal.random(seed, rules, dealer)
    game = _core.Game(rules, deal=deal, dealer=dealer)
    if len(players) != game.seats:
        raise ValueError(f"agents: {len(players)} came, the game has {game.seats} seats")
    while not game.is_terminal:
        seat = game.current_player
        game.apply(int(players[seat].act(game.view(seat), seed=seed, rules=rules)[0]))
    return game, deal
