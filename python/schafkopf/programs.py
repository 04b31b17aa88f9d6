"""Players that are other programs: a file that a command wrote starts none of them unasked.

Such a file may come from elsewhere, and nobody reads it before it is used. A configuration that a
person names (a tournament or training file, the command line, an argument) starts what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from schafkopf.files.messages import tell

if TYPE_CHECKING:
    from schafkopf import _core

_ENGINE = "engine"  # of the registry: the player whose parameter is a command


def starts_program(spec: str) -> bool:
    """Return whether a registry string names a player that is another program."""
    return spec.partition(":")[0] == _ENGINE


def refuse_program(spec: str, place: str, allowed: str) -> None:
    """Refuse a player of a file that would start a program.

    Args:
        place: file and key;  allowed: how a person says that it may.

    Raises:
        ValueError: names the place and the player.
    """
    if starts_program(spec):
        raise ValueError(f'{place} is "{spec}", which starts a program; allowed: {allowed}')


def failure_words(counts: Mapping[str, int]) -> str:
    """Return failures of a program by kind as "3 crash, 1 timeout"; empty where there are none."""
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)


class FailureWatch:
    """Says of players that are programs how many of their decisions were drawn since it last did.

    Args:
        agents: by the place that is named, such as players["mine"].
        note: told what it says; None: a RuntimeWarning.
    """

    def __init__(
        self, agents: dict[str, _core.Agent], note: Callable[[str], object] | None = None
    ) -> None:
        self._agents, self._note = agents, note
        self._said = {place: _counts(agent) for place, agent in agents.items()}

    def say(self) -> None:
        """Say it, where there were any."""
        for place, agent in self._agents.items():
            counts = _counts(agent)
            new = {kind: count - self._said[place][kind] for kind, count in counts.items()}
            self._said[place] = counts
            if words := failure_words(new):
                tell(
                    f"{place}: decisions drawn because its program failed: {words}; the first: "
                    f"{agent.first_failure}",
                    self._note,
                )


def _counts(agent: _core.Agent) -> dict[str, int]:
    return agent.failures or {}
