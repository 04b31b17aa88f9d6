"""What the agents at the table would do in the person's place, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from schafkopf import _core
from schafkopf.terminal.questions import Choice, Question
from schafkopf.terminal.screen import Screen, visible_width
from schafkopf.tournaments import short_name

_COLUMN, _TITLE = 15, 24


def hint(
    screen: Screen,
    question: Question,
    view: Any,
    agents: Mapping[str, _core.Agent],
    rules: _core.RuleSet,
) -> None:
    """Show the probabilities of every agent for every choice, best first.

    Args:
        view: of the person, all that the agents are told.
        agents: by the name under which they sit; nobody who sees hidden hands.
    """
    if not agents:
        screen.line("Who plays here sees hidden cards; a hint would give them away.")
    names = list(agents)
    answers = [agents[name].policy(view, rules=rules) for name in names]
    columns = [probabilities[0] for probabilities, _ in answers]
    values = [float(value[0]) for _, value in answers]
    fitting = max((screen.width - _TITLE - 2) // _COLUMN, 1)
    for first in range(0, len(names), fitting):
        part = slice(first, first + fitting)
        _table(screen, question, names[part], columns[part], values[part])
    _reason(screen, question, view, rules)


def _reason(screen: Screen, question: Question, view: Any, rules: _core.RuleSet) -> None:
    """What the rule agent would do and the maxim behind it, also where it does not sit here."""
    reason = _core.explain(view, rules=rules)
    chosen = next(choice for choice in question.choices if choice.action == reason["action"])
    maxim = f"[{reason['maxim']}: {reason['source']}]"
    text = f"Rule agent: {chosen.title}. {reason['sentence']} {maxim}"
    screen.wrapped("", text.split(" "))


def _table(
    screen: Screen,
    question: Question,
    names: list[str],
    columns: list[Any],
    values: list[float],
) -> None:
    column = min(_COLUMN, screen.width - _TITLE - 2)
    head = "  would do".ljust(_TITLE + 2)
    screen.line(head + "".join(_short(short_name(name), column).rjust(column) for name in names))

    def weight(choice: Choice) -> float:
        return -float(sum(column[choice.action] for column in columns))

    for choice in sorted(question.choices, key=weight):
        if question.is_about_cards and choice.card is None and weight(choice) == 0:
            continue  # nobody would claim or concede
        title = screen.card(choice.card) if choice.card else choice.title
        cells = [f"{100 * float(column[choice.action]):.0f} %" for column in columns]
        if visible_width(title) >= _TITLE:  # a line of its own
            screen.line("  " + title)
            title = ""
        space = " " * (_TITLE - visible_width(title))
        screen.line("  " + title + space + "".join(cell.rjust(column) for cell in cells))
    if any(np.isfinite(values)):
        cells = [f"{value:+.1f}" if np.isfinite(value) else "" for value in values]
        label = "expects for you (units)".ljust(_TITLE)
        screen.line("  " + label + "".join(cell.rjust(column) for cell in cells))


def _short(name: str, column: int) -> str:
    """A name that fits the column: the end of a long path says more than its beginning."""
    return name if len(name) < column else "..." + name[4 - column :]
