"""A recorded game step by step: the state before every action, from the deal to the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from schafkopf import _core, records

# What a player did not say is in no record.
_SILENT = ("NO_DOUBLE", "NO_LAY")
_SILENT_ELSE = ("HZ_NO_OFFER", "HZ_REFUSE", "NO_JUNGFRAU", "PASS", "PUSH_ON")


@dataclass(frozen=True)
class Step:
    """One action and the state in which it was taken.

    Attributes:
        game: the state before it; seat: who acts; action: its name, "CARD EO".
        played: whether it is a card played to a trick; secret: known to its seat alone.
        shown: no action of its own: a card that an action shows, or the flag of the called card
            that runs away with the next card.
        silent: nothing was said ("NO_DOUBLE"): a decision, but nothing to be seen.
    """

    game: _core.Game
    seat: int
    action: str
    played: bool = False
    secret: bool = False
    shown: bool = False
    silent: bool = False


def steps_of(record: records.Record) -> tuple[list[Step], _core.Game]:
    """Return the steps of a record and the state after them.

    Raises:
        ValueError: as replay; or the record holds something that has no place in a sequence of
            actions.
    """
    final = records.replayed_game(record)
    mistake = ""
    for start in _starts(record, final):
        try:
            steps, end = _walk(start, final, _infractions(record))
        except (LookupError, ValueError) as error:
            mistake = mistake or str(error)
            continue
        if end == final:
            return steps, end
    raise ValueError(f"the game cannot be shown step by step: {mistake or 'it ends otherwise'}")


def _starts(record: records.Record, final: _core.Game) -> Iterator[_core.Game]:
    """The states that the game can have begun with."""
    rules, dealer, context = record["rules"], final.dealer, final.context
    for zupf in range(len(record["hands"][0])):  # the card that may be drawn in a Zupf-Solo
        deal = _core.Deal(record["hands"], rules, dealer, context, zupf)
        if "contract" not in record:
            yield _core.Game(rules, deal, dealer, context=context)
            continue
        named = dict(record["contract"])
        contract = _core.Contract(
            named.pop("class"), declarer=_seat(record.get("declarer")), **named
        )
        yield _core.Game.with_contract(
            contract,
            rules,
            deal,
            dealer,
            partner=_seat(record.get("partner")),
            laid=record.get("legen") or [],
            exchange=[tuple(one) for one in record.get("exchange") or []],
            context=context,
        )
        return


def _seat(seat: Any) -> int:
    return -1 if seat is None else int(seat)


def _infractions(record: records.Record) -> list[dict[str, Any]]:
    """The infractions of a record as events; those of a game have none (RULES E.6)."""
    return [
        {"seat": seat, "action": what, "cards_before": before, "ran_away": False}
        for seat, what, _, before in record.get("claims") or []
        if what.startswith("INF_")
    ]


def _walk(
    game: _core.Game, final: _core.Game, infractions: list[dict[str, Any]]
) -> tuple[list[Step], _core.Game]:
    events = final.events[len(game.events) :]
    for infraction in infractions:
        at = sum(event["cards_before"] <= infraction["cards_before"] for event in events)
        events.insert(at, infraction)
    plays = final.plays
    steps: list[Step] = []
    while True:
        ready = [event for event in events if event["cards_before"] <= len(game.plays)]
        if ready and ready[0]["ran_away"]:
            event = ready[0]
            steps.append(Step(game, event["seat"], event["action"], shown=True))
            events.remove(event)
            continue
        rest = plays[len(game.plays) :]
        if not events and not rest:
            return steps, _quiet(game, final, steps)
        step, used = _next(game, ready, rest)
        steps.append(step)
        known = len(game.events)
        game = _after(game, step)
        if used in infractions:
            events.remove(used)
        for event in game.events[known:]:
            if event in events:
                events.remove(event)
                if event != used:
                    steps.append(Step(game, event["seat"], event["action"], shown=True))


def _after(game: _core.Game, step: Step) -> _core.Game:
    game = game.copy()
    if step.action.startswith("INF_"):
        game.infract(step.seat, step.action)
    else:
        game.apply(step.action)
    return game


def _next(
    game: _core.Game, ready: list[dict[str, Any]], rest: list[tuple[int, str]]
) -> tuple[Step, dict[str, Any] | None]:
    """What happens next, and the event of the record that it is."""
    seat, legal = game.current_player, game.legal_names()
    if ready and ready[0]["action"].startswith("INF_"):
        return Step(game, ready[0]["seat"], ready[0]["action"]), ready[0]
    own = [event for event in ready if event["seat"] == seat][:1]
    in_turn = [event for event in ready[:1] if event in own]
    for event in in_turn:
        if event["action"] in legal:
            return Step(game, seat, event["action"], secret=event["secret"]), event
    for action in _SILENT:
        if action in legal:
            return Step(game, seat, action, silent=True), None
    for event in own:  # the record has another order where players decide one after the other
        if event["action"] in legal:
            return Step(game, seat, event["action"], secret=event["secret"]), event
    if not ready and rest and rest[0][0] == seat and f"CARD {rest[0][1]}" in legal:
        return Step(game, seat, f"CARD {rest[0][1]}", played=True), None
    for action in (*_SILENT_ELSE, *(legal if len(legal) == 1 else ())):
        if action in legal:
            return Step(game, seat, action, silent=True), None
    raise LookupError(f"nothing recorded for seat {seat} in {game.phase}")


def _quiet(game: _core.Game, final: _core.Game, steps: list[Step]) -> _core.Game:
    """Take what was not said at the end: the last player to be asked whether he doubles."""
    while game != final and not game.is_terminal:
        silent = next((name for name in _SILENT if name in game.legal_names()), None)
        if silent is None:
            break
        steps.append(Step(game, game.current_player, silent, silent=True))
        game = _after(game, steps[-1])
    return game
