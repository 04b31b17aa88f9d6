"""How the price of a deal came about: who and what, where the engine says how many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from schafkopf import _core, records
from schafkopf.house_rules import as_rule_set
from schafkopf.terminal import words
from schafkopf.terminal.scene import contract_row
from schafkopf.terminal.story import doubling_name


def tricks_of(game: _core.Game) -> list[int]:
    """Seats whose tricks count for each seat: its own, or in a Schieberramsch those of its right
    neighbour (C.6)."""
    seats, contract = range(game.seats), game.contract
    if contract is None or contract_row(contract.name)["parties"] != "everyone":
        return list(seats)
    shift = _rules_of(game).to_dict()["ramsch_shift"]
    return [(seat - shift) % game.seats for seat in seats]


def counted_points(game: _core.Game) -> list[int]:
    """Card points that count for each seat."""
    return [_core.card_points(game.captured(seat)) for seat in tricks_of(game)]


def price_patterns(game: _core.Game) -> list[str]:
    """The lines in English without the payoffs; "{0}" is the name of seat 0, and amounts are as the
    terminal writes them: "x2", "-10"."""
    lines = []
    contract = game.contract
    title = words.title_of(contract, _announced_suit(contract)) if contract else ""
    for part in _core.settlement_parts(game):
        if part["kind"] == "payoffs":
            continue
        line = part["pattern"].replace("{game}", title)
        if part["seat"] is not None:
            line = line.replace("{seat}", f"{{{part['seat']}}}")
        if part["kind"] == "stock":
            shares = ", ".join(f"{{{seat}}} {_amount(x)}" for seat, x in enumerate(part["amounts"]))
            line = f"{line.rstrip(':')}: {shares}"
        lines.append(_said_of(line, game))
    return lines


# ---- parts ---------------------------------------------------------------------------------------


def _amount(value: float) -> str:
    return f"{value:+.15g}" if value else "0"


def _rules_of(game: _core.Game) -> _core.RuleSet:
    return as_rule_set(records.record_of(game)["rules"])


def _announced_suit(contract: _core.Contract) -> str | None:
    named = contract_row(contract.name)["trump_suit"] == "announced"
    return contract.suit if named else None


def _listed(seats: Sequence[int]) -> str:
    """ "{0}, {1} and {3}"."""
    names = [f"{{{seat}}}" for seat in seats]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _said_of(line: str, game: _core.Game) -> str:
    """A line with names in the place of numbers and of words that leave open what they mean."""
    outcome = game.outcome()
    if (found := re.match(r"(.* (?:won|lost)) (with (\d+) (points|tricks?).*)", line)) is not None:
        alone = outcome.contract is not None and outcome.contract.declarer >= 0
        if found[4] != "points" or not alone:  # the tricks of whom; a Kreuzbock has no declarer
            return f"{found[1]} by {_listed(outcome.declarer_party)} {found[2]}"
    if re.match(r"\d+ Laufende \+", line):
        return f"{'with' if _has_highest_trump(game) else 'without'} {line}"
    # an offence without effect ends no deal, so that one that did gave the rest away (E.6)
    line = line.replace("no effect on the price, or the rest goes", "the rest goes")
    if line.startswith("factor x"):
        return line.replace("factor", _factor_name(outcome.contract))
    if found := re.match(r"(\d+) doublings( x.*)", line):
        names = _rules_of(game).doubling_names
        levels = range(1, int(found[1]) + 1)
        return ", ".join(doubling_name(names, level) for level in levels) + found[2]
    return _with_seats(line, game, outcome)


def _with_seats(line: str, game: _core.Game, outcome: _core.Outcome) -> str:
    captured = [game.captured(seat) for seat in tricks_of(game)]
    groups: tuple[tuple[str, list[int]], ...] = (
        (r"(Jungfrau: )(\d+)( without.*)", [s for s, won in enumerate(captured) if not won]),
        (r"(Jungfrau announced by )(\d+) players?(: .*)", outcome.announced),
        (r"(laid by )(\d+) players?( .*)", _seats_that_did("LAY", game)),
    )
    for pattern, seats in groups:
        found = re.match(pattern, line)
        if found is not None and int(found[2]) == len(seats):
            return found[1] + _listed(seats) + found[3]
    return line


def _seats_that_did(action: str, game: _core.Game) -> list[int]:
    return sorted({event["seat"] for event in game.events if event["action"] == action})


def _has_highest_trump(game: _core.Game) -> bool:
    """Whether the party of the declarer had the highest trump when play began (G.4)."""
    contract, seats = game.contract, range(game.seats)
    assert contract is not None
    held = {card: seat for seat in seats for card in game.dealt(seat)}
    held |= {card: seat for seat in seats for card in game.received(seat)}
    held |= {card: seat for seat, card in game.plays}
    suit = _announced_suit(contract)
    ordered = dict(_core.sorted_hand(list(held), contract.name, suit, _rules_of(game)))
    return held[ordered["trump"][0]] in game.declarer_party


def _factor_name(contract: Any) -> str:
    """What multiplies the price of a game by itself: "Hochzeit", "Sie", "Tout"."""
    row = contract_row(contract.name)
    names = [row["factor"].capitalize()] if row["factor"] != "one" else []
    return ", ".join([*names, *(["Tout"] if contract.tout else [])])
