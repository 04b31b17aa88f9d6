"""What the agents at the table would do in the person's place, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from schafkopf import _core
from schafkopf.terminal.questions import Choice, Question
from schafkopf.terminal.screen import Screen, visible_width
from schafkopf.terminal.table import told_without_cards
from schafkopf.tournaments import short_name

_COLUMN, _TITLE = 15, 24


@dataclass(frozen=True)
class Opinions:
    """What players would do: a column of probabilities [128] and a value for each of `names`.

    Attributes:
        choices: the likeliest first, without claims that nobody would make.
        values: what each expects for the person, in tariff units; NaN where it does not say.
        reason: what the rule agent would do and the maxim behind it (`_core.explain`).
    """

    names: list[str]
    columns: list[Any]
    values: list[float]
    choices: list[Choice]
    reason: dict[str, Any]


def opinions(
    question: Question, view: Any, agents: Mapping[str, _core.Agent], rules: _core.RuleSet
) -> Opinions:
    """Ask agents what they would do in a person's place.

    Args:
        view: of the person, all that the agents are told.
        agents: by the name under which they sit; nobody who sees hidden hands.

    Raises:
        AgentFailed: one of them did not answer.
    """
    answers = []
    for name, agent in agents.items():
        with told_without_cards(name, "gives no hint"):
            answers.append(agent.policy(view, rules=rules))
    columns = [probabilities[0] for probabilities, _ in answers]

    def weight(choice: Choice) -> float:
        return -float(sum(column[choice.action] for column in columns))

    def is_claim(choice: Choice) -> bool:
        return question.is_about_cards and choice.card is None

    return Opinions(
        names=list(agents),
        columns=columns,
        values=[float(value[0]) for _, value in answers],
        choices=[
            choice
            for choice in sorted(question.choices, key=weight)
            if weight(choice) or not is_claim(choice)
        ],
        reason=_core.explain(view, rules=rules),
    )


def hint(
    screen: Screen,
    question: Question,
    view: Any,
    agents: Mapping[str, _core.Agent],
    rules: _core.RuleSet,
) -> None:
    """Show the probabilities of every agent for every choice, best first; see `opinions`."""
    if not agents:
        screen.line("The players at this table see hidden cards; a hint would give them away.")
    told = opinions(question, view, agents, rules)
    fitting = max((screen.width - _TITLE - 2) // _COLUMN, 1)
    for first in range(0, len(told.names), fitting):
        _table(screen, told, slice(first, first + fitting))
    _reason(screen, question, told.reason)


def _reason(screen: Screen, question: Question, reason: Mapping[str, Any]) -> None:
    """What the rule agent would do and the maxim behind it, also where it does not sit here."""
    chosen = next(choice for choice in question.choices if choice.action == reason["action"])
    maxim = f"[{reason['maxim']}: {reason['source']}]"
    text = f"Rule agent: {chosen.title}. {reason['sentence']} {maxim}"
    screen.wrapped("", text.split(" "))


def _table(screen: Screen, told: Opinions, part: slice) -> None:
    names, columns, values = told.names[part], told.columns[part], told.values[part]
    column = min(_COLUMN, screen.width - _TITLE - 2)
    head = "  would do".ljust(_TITLE + 2)
    screen.line(head + "".join(_short(short_name(name), column).rjust(column) for name in names))
    for choice in told.choices:
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
