"""Lines that a person types, when they show on the screen, and the ways in which he can leave."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any, TextIO

try:
    import termios
except ImportError:  # a system without: keys show as its terminals do it
    termios = None  # type: ignore[assignment]

PROMPT = "> "
MAX_LINE = 4096  # characters of an answer
MAX_SKIPPED = 2**20  # characters of a line that is too long; what goes on then has no end
TOO_LONG = f"(a line of more than {MAX_LINE} characters)"  # stands for it, and is no answer
_LOCAL = 3  # place of the local modes in what termios tells


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

    Within `silent()` a terminal shows keys only while it asks: what is typed while the others play
    waits for the next question and appears there.

    Args:
        source: where the lines come from;  out: where the prompt goes.
    """

    def __init__(self, source: TextIO, out: TextIO) -> None:
        self._source = source
        self._out = out
        self.is_terminal = source.isatty() and out.isatty()
        self._completions: Sequence[str] = ()
        self._is_silent = False
        self._is_edited = self.is_terminal and source is sys.stdin
        if self._is_edited:
            self._set_up_editing()

    @contextlib.contextmanager
    def silent(self) -> Iterator[None]:
        """Keys do not show inside, but in ask(); afterwards the terminal is as it was before."""
        before = _modes(self._source) if self.is_terminal else None
        if before is None:
            yield
            return
        self._is_silent = True
        try:
            self._show_keys(False)
            yield
        finally:
            self._is_silent = False
            with undisturbed():
                _set_modes(self._source, before)

    def _show_keys(self, on: bool) -> None:
        modes = _modes(self._source) if self._is_silent else None
        if modes is not None:
            echo = termios.ECHO | termios.ECHONL
            modes[_LOCAL] = modes[_LOCAL] | termios.ECHO if on else modes[_LOCAL] & ~echo
            _set_modes(self._source, modes)

    def ask(self, completions: Sequence[str] = ()) -> str:
        """Return a line without its end, TOO_LONG for one of more than MAX_LINE characters.

        Raises:
            Leave: the end of the input;  ValueError: a line without an end.
        """
        self._completions = completions
        self._show_keys(True)
        try:
            return self._answer()
        finally:
            self._show_keys(False)

    def _answer(self) -> str:
        try:
            line = self._line()
        except (KeyboardInterrupt, Leave, ValueError):  # a signal while the person thinks
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
                line = input(PROMPT)
            except EOFError:
                return ""
            return (line if len(line) <= MAX_LINE else TOO_LONG) + "\n"
        self._out.write(PROMPT)
        self._out.flush()
        line = self._source.readline(MAX_LINE + 1)
        if len(line) <= MAX_LINE or line.endswith("\n"):
            return line
        self._skip_line()
        return TOO_LONG

    def _skip_line(self) -> None:
        """Read on to the end of a line and keep nothing. Raises ValueError: it has none."""
        for _ in range(MAX_SKIPPED // MAX_LINE):
            piece = self._source.readline(MAX_LINE)
            if not piece or piece.endswith("\n"):
                return
        raise ValueError(
            f"standard input: more than {MAX_SKIPPED} characters without an end of line, allowed: "
            f"{MAX_LINE} in a line"
        )

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


def _modes(source: TextIO) -> list[Any] | None:
    """Modes of a terminal; None where there are none."""
    if termios is None:
        return None
    try:
        return termios.tcgetattr(source.fileno())
    except (termios.error, OSError, ValueError):
        return None


def _set_modes(source: TextIO, modes: list[Any]) -> None:
    with contextlib.suppress(termios.error, OSError, ValueError):  # it may be gone
        termios.tcsetattr(source.fileno(), termios.TCSADRAIN, modes)


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
