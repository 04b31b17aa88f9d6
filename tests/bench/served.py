"""A process that works when it is asked and answers a line: peers in an environment of their own,
C++ drivers. It waits in between, so rounds of several of them stay in turn.

A question is a line. The answer to one that takes seconds is "DONE CPU_SECONDS WALL_SECONDS"; a
line that begins with "error" says why there is none. A Python program serves by `serve`.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence

Work = Callable[[], int]  # does some work and returns its number of decisions


class NoAnswer(Exception):
    """What was asked is not there; the text says why."""


class Server:
    """A process that answers, until `close`."""

    def __init__(self, command: Sequence[str], core: int | None, **variables: str) -> None:
        """Start it on one core, or where this process may run, with variables of environment."""

        def pin() -> None:
            if core is not None:
                os.sched_setaffinity(0, {core})

        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | variables,
            preexec_fn=pin,
        )

    def ask(self, question: str) -> list[str]:
        """Return the words of the answer. Raises NoAnswer."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it ended: there is no answer to read
            print(question, file=self._process.stdin, flush=True)
        words = self._process.stdout.readline().split()
        if not words:
            raise NoAnswer(f"ended with {self._process.wait()}")
        if words[0] == "error":
            raise NoAnswer(" ".join(words[1:]))
        return words

    def rate(self, question: str, seconds: float) -> float:
        """Return what is done per CPU second."""
        done, spent, _ = (float(word) for word in self.ask(f"{question} {seconds:g}"))
        return done / spent

    def wall_rate(self, question: str, seconds: float) -> float:
        """Return what is done per second of the clock, in `seconds` of CPU time."""
        done, _, spent = (float(word) for word in self.ask(f"{question} {seconds:g}"))
        return done / spent

    def close(self) -> None:
        self._process.communicate()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve(makers: Mapping[str, Callable[[], Work]]) -> None:
    """Answer questions "NAME SECONDS" from the standard input; works are made when first asked.

    CPU time is that of the whole process: libraries with threads of their own count all of them.
    """
    works: dict[str, Work] = {}
    for line in sys.stdin:
        name, _, seconds = line.strip().rpartition(" ")
        try:
            if name not in works:
                works[name] = makers[name]()
                works[name]()  # compiles what it compiles
            done, cpu, wall = 0, time.process_time(), time.perf_counter()
            while not done or time.process_time() - cpu < float(seconds):
                done += works[name]()
            print(done, time.process_time() - cpu, time.perf_counter() - wall, flush=True)
        except Exception as error:  # whatever a peer throws is told, and the other rows go on
            said = " ".join(str(error).split())
            print("error", type(error).__name__ + ":", said[:200], flush=True)
