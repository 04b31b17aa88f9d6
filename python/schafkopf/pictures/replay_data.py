"""Recorded games in the short form that the page of a replay reads (assets/replay.js).

A game is an object of short keys. Cards are letters of CODES by their number; a step is one
integer, action | seat << 8 | kind << 10. Everything that follows from the steps (who holds what,
points, tricks) is worked out by the page; what follows from the rules (who wins a trick, what is
known of the parties) is stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from schafkopf import _core, display, records
from schafkopf.house_rules import as_rule_set
from schafkopf.pictures.timeline import Step, steps_of
from schafkopf.terminal import words
from schafkopf.terminal.price_lines import price_patterns, tricks_of
from schafkopf.terminal.scene import contract_row
from schafkopf.terminal.story import doubling_name

CODES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"
SAID, PLAYED, SECRET, SHOWN, SILENT = range(5)
INFRACTIONS = 128  # actions from here on are the names of OTHER
OTHER = ("INF_WRONG_LEAD", "INF_REVOKE", "INF_REVOKE_LATE", "INF_CARD_COUNT", "INF_TALK")
_PERMILLE = 1000

# Patterns of env/price/settle_text.cpp in German; what is not here stays as it is.
_PRICE_IN_GERMAN = (
    (r"^(.*) won with (\d+) points", r"\1 gewonnen mit \2 Augen"),
    (r"^(.*) lost with (\d+) points", r"\1 verloren mit \2 Augen"),
    (r"^(.*) won by (.*) with (\d+) (points|tricks?)", r"\1 gewonnen von \2 mit \3 \4"),
    (r"^(.*) lost by (.*) with (\d+) (points|tricks?)", r"\1 verloren von \2 mit \3 \4"),
    (r"^(.*) won with (\d+) (tricks?)", r"\1 gewonnen mit \2 \3"),
    (r"^(.*) lost with (\d+) (tricks?)", r"\1 verloren mit \2 \3"),
    (r"(mit \d+) points", r"\1 Augen"),
    (r"(mit \d+) tricks$", r"\1 Stichen"),
    (r"(mit \d+) trick$", r"\1 Stich"),
    (r"(\{\d\}) and (\{\d\})", r"\1 und \2"),
    (r"^(.*) won$", r"\1 gewonnen"),
    (r"^(.*) lost$", r"\1 verloren"),
    (r"^tricks are handed to the left: those of the right neighbour count$",
     "die Stiche gehen nach links: es zählen die des rechten Nachbarn"),
    (r"^(.*): (.*) loses$", r"\1: \2 verliert"),
    (r"^the second, (.*), pays too", r"an zweiter Stelle zahlt auch \1"),
    (r"^(.*): Durchmarsch of (.*)$", r"\1: Durchmarsch von \2"),
    (r"^Jungfrau announced by (\d+) players?:", r"Jungfrau \1-mal angesagt:"),
    (r"^Jungfrau announced by (.*):", r"Jungfrau angesagt von \1:"),
    (r"^Jungfrau: (?!1 |\{\d\} without)(.*) without a trick, paid twice the price$",
     r"Jungfrau: \1 ohne Stich, bekommen den Preis doppelt"),
    (r"^Jungfrau: (.*) without a trick", r"Jungfrau: \1 ohne Stich"),
    (r", paid twice the price$", ", bekommt den Preis doppelt"),
    (r"^Schwarz claimed wrongly ", "Schwarz zu Unrecht gefordert "),
    (r"^Schwarz not claimed: not paid$", "Schwarz nicht gefordert: nicht bezahlt"),
    (r"^(-?\d+) Laufende claimed, (-?\d+) payable: (-?\d+) paid,",
     r"\1 Laufende gefordert, \2 wären zu zahlen, \3 gezahlt:"),
    (r"^1 Laufende gefordert", "1 Laufender gefordert"),
    (r" 1 wären zu zahlen", " 1 wäre zu zahlen"),
    (r"^(\d+) doublings x", r"\1-mal verdoppelt: x"),
    (r", not the Laufende$", ", nicht die Laufenden"),
    (r", of the base alone$", ", nur auf den Grundpreis"),
    (r"^Stock of (.*) won:", r"Stock von \1 gewonnen:"),
    (r"^Stock of (.*) doubled:", r"Stock von \1 verdoppelt:"),
    (r"^Stock of (.*) filled up:", r"Stock von \1 aufgefüllt:"),
    (r"^Reuegeld (.*) from (.*) into the kitty$", r"\2 zahlt \1 Reuegeld in die Kasse"),
    (r"^(\w+) of (.*): no effect on the price, or the rest goes to the opponents",
     r"\1 von \2: ohne Folge für den Preis, oder der Rest geht an die Gegner"),
    (r"^(\w+) of (.*): the rest goes to the opponents",
     r"\1 von \2: der Rest geht an die Gegner"),
    (r"^(\w+) of (.*): the offender's party loses the simple game",
     r"\1 von \2: die eigene Partei verliert das einfache Spiel"),
    (r"^(\w+) of (.*): the offender's party loses with Schwarz",
     r"\1 von \2: die eigene Partei verliert schwarz"),
    (r"^(\w+) of (.*): fixed penalty to all other players",
     r"\1 von \2: feste Buße an alle anderen"),
    (r"^INF_WRONG_LEAD ", "unberechtigtes Ausspielen "),
    (r"^INF_REVOKE ", "falsches Bedienen "),
    (r"^INF_REVOKE_LATE ", "spät bemerktes falsches Bedienen "),
    (r"^INF_CARD_COUNT ", "falsche Kartenzahl "),
    (r"^INF_TALK ", "verbotenes Reden "),
    (r"^all passed: thrown in, nobody pays$", "alle passen: zusammengeworfen, niemand zahlt"),
    (r"^all passed: thrown in, everybody pays into the Stock$",
     "alle passen: zusammengeworfen, alle zahlen in den Stock"),
    (r"^all passed: thrown in, the Stock is full: nobody pays$",
     "alle passen: zusammengeworfen, der Stock ist voll: niemand zahlt"),
    (r"^at most (.*): no price is higher$", r"höchstens \1: kein Preis ist höher"),
    (r"^base ", "Grundpreis "),
    (r"^price (.*) points per player$", r"Preis \1 Punkte je Spieler"),
    (r"^price (.*) per player$", r"Preis \1 je Spieler"),
    (r"^factor x", "Faktor x"),
    (r"^laid by (\d+) players? ", r"\1 gelegt: "),
    (r"^laid by (.*) x", r"gelegt von \1: x"),
    (r"^with 1 Laufende ", "mit 1 Laufendem "),
    (r"^with (\d+) Laufende ", r"mit \1 Laufenden "),
    (r"^without 1 Laufende ", "ohne 1 Laufenden "),
    (r"^without ", "ohne "),
    (r"\(bid (\d+)\)", r"(angesagt \1)"),
)  # fmt: skip


def code(card: str) -> str:
    """Return the letter of a card."""
    return CODES[_core.parse_card(card)]


def codes(cards: Sequence[str]) -> str:
    """Return one letter for each card."""
    return "".join(code(card) for card in cards)


class Encoder:
    """Turns records into the objects of the page; orders of cards are kept once for all games.

    Args:
        players: name on the page -> player whose opinion each decision gets.
        solver: whether each card gets the points that open cards and best play make of it.
        names: of the seats, for all games; None = as a record tells them.
    """

    def __init__(
        self,
        players: Mapping[str, _core.Agent] | None = None,
        solver: bool = False,
        names: Sequence[str] | None = None,
    ) -> None:
        self._players = dict(players or {})
        self._solver = _core.Solver() if solver else None
        self._names = names
        self.orders: list[str] = []

    def game(self, record: records.Record) -> dict[str, Any]:
        """Return the object of a record. Raises ValueError as steps_of."""
        steps, end = steps_of(record)
        if not self._players:
            steps = [step for step in steps if not step.silent]
        states = [*(step.game for step in steps), end]
        result = records.replay(record)
        names = self._names_of(record, end.seats)
        encoded: dict[str, Any] = {
            "i": str(record.get("id", "")),
            "r": end.rules_name,
            "d": end.dealer,
            "u": "" if _players(record, end.seats) == end.seats else 1,  # the dealer sits out
            "n": names,
            "h": [codes(hand) for hand in record["hands"]],
            "a": [_step(step) for step in steps],
            "w": result["trick_winners"],
            "k": _first(states, lambda game: game.contract == end.contract),
            "x": _moved(steps, states),
            "f": _before_the_second_half(states),
        }
        rules = as_rule_set(record["rules"])
        encoded["o"] = [self._order(states, game, rules) for game in (None, end.contract)]
        encoded["v"] = _doublings(steps, rules)
        if end.contract is not None:
            encoded |= _contract(end, states)
        if end.is_terminal:
            encoded["e"] = _ending(end, result)
        self._add_opinions(encoded, record, steps)
        return {key: value for key, value in encoded.items() if value not in ("", [], {})}

    def _names_of(self, record: records.Record, seats: int) -> list[str]:
        told: Any = self._names
        if told is None:
            meta = record.get("meta")
            told = meta.get("players") if isinstance(meta, dict) else None
        elif not isinstance(told, list | tuple) or len(told) != seats:
            raise ValueError(f"names = {told!r:.60}, allowed: a list of {seats}, one for each seat")
        if isinstance(told, list | tuple) and len(told) == seats:
            return [str(name) for name in told]
        return []

    def _order(
        self, states: list[_core.Game], contract: _core.Contract | None, rules: _core.RuleSet
    ) -> int:
        """The number of the order in which a player of this game sorts all cards."""
        seats = range(states[0].seats)
        held = {card for seat in seats for card in states[0].dealt(seat)}
        held |= {card for game in states for seat in seats for card in game.hand(seat)}  # a packet
        deck = sorted(held, key=_core.parse_card)
        if contract is None:
            sorted_cards = _core.sorted_hand(deck, rules=rules)
        else:
            named = contract_row(contract.name)["trump_suit"] == "announced"
            suit = contract.suit if named else None
            sorted_cards = _core.sorted_hand(deck, contract.name, suit, rules)
        order = codes([card for _, cards in sorted_cards for card in cards])
        if order not in self.orders:
            self.orders.append(order)
        return self.orders.index(order)

    # ---- opinions --------------------------------------------------------------------------------

    def _add_opinions(
        self, encoded: dict[str, Any], record: records.Record, steps: list[Step]
    ) -> None:
        asked = [i for i, step in enumerate(steps) if _is_decision(step)]
        if self._players and asked:
            encoded["q"] = [
                self._policy(agent, record["rules"], steps, asked)
                for agent in self._players.values()
            ]
        if self._solver is not None:
            points = {i: _points(self._solver, steps[i]) for i in asked if steps[i].played}
            encoded["z"] = {i: cells for i, cells in points.items() if cells}

    def _policy(
        self, agent: _core.Agent, rules: Any, steps: list[Step], asked: list[int]
    ) -> dict[str, Any]:
        """{step: [value or None, action, share in permille, ...]}, likeliest first."""
        seats = [steps[i].seat for i in asked]
        games = [steps[i].game for i in asked]
        views = np.array([game.view(seat) for game, seat in zip(games, seats, strict=True)])
        full = None
        if agent.sees_hidden_hands:
            full = np.array([game.full_view(s) for game, s in zip(games, seats, strict=True)])
        shares, values = agent.policy(views, rules, full)
        found: dict[str, Any] = {}
        for i, row, value in zip(asked, shares, values, strict=True):
            legal = np.array(steps[i].game.legal_actions())
            cells: list[Any] = [None if np.isnan(value) else round(float(value), 1)]
            for action in legal[np.argsort(-row[legal], kind="stable")].tolist():
                cells += [action, round(float(row[action]) * _PERMILLE)]
            found[str(i)] = cells
        return found


def _players(record: records.Record, seats: int) -> int:
    """Players at the table; of five the dealer sits out (RULES B.2)."""
    rules = record["rules"]
    return int(rules.get("players", seats)) if isinstance(rules, dict) else seats


def _is_decision(step: Step) -> bool:
    if step.shown or step.action.startswith("INF_"):
        return False
    return len(step.game.legal_actions()) > 1


def _points(solver: _core.Solver, step: Step) -> list[Any]:
    """[letter, points of the declarer party, ...] of the legal cards; empty without a party."""
    if not step.game.declarer_party or step.game.phase != "PLAY":
        return []
    points = solver.card_points(step.game)
    return [cell for card, value in points.items() for cell in (code(card), value)]


def _step(step: Step) -> int:
    kind = SAID
    for kind_if, holds in (
        (PLAYED, step.played), (SECRET, step.secret), (SHOWN, step.shown), (SILENT, step.silent)
    ):  # fmt: skip
        if holds:
            kind = kind_if
    if step.action in OTHER:
        action = INFRACTIONS + OTHER.index(step.action)
    else:
        action = _core.parse_action(step.action)
    return action | step.seat << 8 | kind << 10


def _first(states: list[_core.Game], holds: Any) -> int:
    return next((i for i, game in enumerate(states) if holds(game)), len(states))


def _doublings(steps: list[Step], rules: _core.RuleSet) -> list[str]:
    """Names of the doublings that are said, and of the one that could follow, in their order.

    A Hadsch begins at the first level, which nobody says.
    """
    asked = [step for step in steps if step.action in ("DOUBLE", "NO_DOUBLE")]
    if not asked:
        return []
    first = asked[0].game.doubling_level + 1
    said = sum(step.action == "DOUBLE" for step in asked)
    return [doubling_name(rules.doubling_names, n) for n in range(first, first + said + 1)]


def _before_the_second_half(states: list[_core.Game]) -> dict[str, list[str]]:
    """{steps that are done: cards that each seat sees of its own}, as long as some see fewer than
    they will hold (RULES F.1)."""
    seen = {}
    for done, game in enumerate(states):
        if game.plays or game.is_terminal:
            break
        own = [display.card_names(game.view(seat)["cards"]["hand"]) for seat in range(game.seats)]
        if any(set(cards) != set(game.hand(seat)) for seat, cards in enumerate(own)):
            seen[str(done)] = [codes(cards) for cards in own]
    return seen


def _moved(steps: list[Step], states: list[_core.Game]) -> list[list[Any]]:
    """[step, seat, cards that left the hand, cards that came] apart from cards that are played."""
    moved = []
    before = [set(states[0].hand(seat)) for seat in range(states[0].seats)]
    dealt = [set(states[0].dealt(seat)) for seat in range(states[0].seats)]
    for seat, (had, has) in enumerate(zip(dealt, before, strict=True)):
        if had != has:  # exchanged before the first step, where a record begins with card play
            moved.append([-1, seat, codes(sorted(had - has)), codes(sorted(has - had))])
    for i, step in enumerate(steps):
        for seat in range(states[0].seats):
            now = set(states[i + 1].hand(seat))
            gone, come = before[seat] - now, now - before[seat]
            if step.played and seat == step.seat:
                gone -= {step.action.removeprefix("CARD ")}
            if gone or come:
                moved.append([i, seat, codes(sorted(gone)), codes(sorted(come))])
            before[seat] = now
    return moved


def _contract(end: _core.Game, states: list[_core.Game]) -> dict[str, Any]:
    contract = end.contract
    assert contract is not None
    row = contract_row(contract.name)
    suit = contract.suit if row["trump_suit"] == "announced" else None
    named: dict[str, Any] = {"t": words.title_of(contract, suit)}
    if contract.called:
        named["c"] = code(contract.called)
    if contract.declarer >= 0:
        named["s"] = contract.declarer
    if contract.bid:
        named["b"] = contract.bid
    known: dict[str, Any] = {"c": named, "p": end.declarer_party}
    known["pk"] = _first(states, _partner_is_known)
    if end.open_cards:
        known["op"] = _first(states, lambda game: bool(game.open_cards))
    return known


def _partner_is_known(game: _core.Game) -> bool:
    return bool(_core.unpack_cards(game.view(0)["cards"])["partner_known"])


def _ending(end: _core.Game, result: dict[str, Any]) -> dict[str, Any]:
    kept = {
        key: result[key]
        for key in ("payoffs", "points", "tricks", "declarer_points", "won", "ended")
        if result.get(key) is not None
    }
    counts = tricks_of(end)
    if counts != list(range(end.seats)):
        kept["counts"] = counts  # seats whose tricks count for each seat
    return kept | {"price": price_lines(end)}


def price_lines(game: _core.Game) -> list[list[str]]:
    """[[German, English], ...]: how the price came about; "{0}" is the name of seat 0."""
    return [typeset([price_in_german(line), line]) for line in price_patterns(game)]


def typeset(texts: Sequence[str]) -> list[str]:
    """Texts of the terminal with the signs of the pages: "\N{MULTIPLICATION SIGN}2" for "x2"."""
    timed = (re.sub(r"\bx(?=\d)", "\N{MULTIPLICATION SIGN}", text) for text in texts)
    return [re.sub(r"-(?=\d)", "\N{MINUS SIGN}", text) for text in timed]


def price_in_german(line: str) -> str:
    """Return a line of the price in German."""
    for pattern, german in _PRICE_IN_GERMAN:
        line = re.sub(pattern, german, line)
    return re.sub(r"(?<=\d)\.(?=\d)", ",", line)
