"""Lines that a person types, and the ways in which he can leave."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import TextIO

PROMPT = "> "


class Leave(Exception):
    """The person leaves: by command, end of input or a signal.

    Attributes:
        exit_code: of the command line.
    """

    def __init__(self, why: str, exit_code: int = 0) -> None:
        super().__init__(why)
        self.exit_code = exit_code


class Console:
    """Reads answers; with a terminal the line can be edited and Tab completes words.

    Args:
        source: where the lines come from;  out: where the prompt goes.
    """

    def __init__(self, source: TextIO, out: TextIO) -> None:
        self._source = source
        self._out = out
        self.is_terminal = source.isatty() and out.isatty()
        self._completions: Sequence[str] = ()
        self._is_edited = self.is_terminal and source is sys.stdin
        if self._is_edited:
            self._set_up_editing()

    def ask(self, completions: Sequence[str] = ()) -> str:
        """Return a line without its end. Raises Leave at the end of the input."""
        self._completions = completions
        try:
            line = self._line()
        except (KeyboardInterrupt, Leave):  # a signal while the person thinks
            with contextlib.suppress(OSError):
                self._out.write("\n")
            raise
        if not line:
            self._out.write("\n")
            raise Leave("end of input")
        if self._is_edited:
            return line.rstrip("\n")
        answer = line.rstrip("\r\n")
        self._out.write(answer + "\n")  # a transcript then reads as in a terminal
        return answer

    def _line(self) -> str:
        """A line with its end; empty at the end of the input."""
        if self._is_edited:
            try:
                return input(PROMPT) + "\n"
            except EOFError:
                return ""
        self._out.write(PROMPT)
        self._out.flush()
        return self._source.readline()

    def _set_up_editing(self) -> None:
        try:
            import readline
        except ImportError:  # a Python without it: plain lines
            return
        readline.set_completer_delims("")
        readline.set_completer(self._complete)
        readline.parse_and_bind("tab: complete")

    def _complete(self, text: str, state: int) -> str | None:
        start = text.casefold()
        fitting = [word for word in self._completions if word.casefold().startswith(start)]
        return fitting[state] if state < len(fitting) else None


_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextlib.contextmanager
def leaving_on_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP raise Leave inside; SIGINT is KeyboardInterrupt as always."""

    def leave(number: int, _: FrameType | None) -> None:
        raise Leave(signal.Signals(number).name, 128 + number)

    with _handlers(leave, _SIGNALS):
        yield


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Signals that end the program wait until the work inside is done."""
    caught: list[int] = []

    def remember(number: int, _: FrameType | None) -> None:
        caught.append(number)

    with _handlers(remember, (signal.SIGINT, *_SIGNALS)):
        yield


@contextlib.contextmanager
def _handlers(
    handler: Callable[[int, FrameType | None], None], signals: Sequence[signal.Signals]
) -> Iterator[None]:
    before = {}
    try:
        for number in signals:
            try:
                before[number] = signal.signal(number, handler)
            except ValueError:  # not the main thread: signals are somebody else's business
                break
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
