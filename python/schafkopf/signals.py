"""Signals that end a command: the first one in order, the second at once."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType

from schafkopf.say import harmless

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
SIGNALS = tuple(getattr(signal, name) for name in NAMES if hasattr(signal, name))
SAME_MOMENT = 0.3  # seconds: a signal that comes again within them is no second one


def end_while_loading() -> None:
    """Let Ctrl-C end a command at once until `loaded` is called: nothing is open yet. An exception
    would be a traceback, as nobody is there to catch it, and a compiled module or NumPy that meets
    it on the way in says something else. A program of somebody else that imports the package keeps
    its own."""
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    in_main = threading.current_thread() is threading.main_thread()
    if is_default and in_main and _is_command(sys.argv, sys.orig_argv):
        signal.signal(signal.SIGINT, _leave)


class InSubinterpreter(ImportError):
    """The package cannot be imported there."""


def refuse_subinterpreter() -> None:
    """Raise InSubinterpreter in one, as those of mod_wsgi: there the compiled module waits for the
    GIL that its own thread has."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # of Python 3.13, of those before
        try:
            interpreters = importlib.import_module(name)
        except ImportError:
            continue
        if interpreters.get_current() != interpreters.get_main():
            raise InSubinterpreter(
                "schafkopf was imported in a subinterpreter, allowed: the main interpreter of a "
                "process; workers in processes of their own can import it"
            )
        return


def loaded() -> None:
    """Let Ctrl-C be a KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_command(arguments: list[str], original: list[str]) -> bool:
    """Return whether the interpreter was started as `python -m schafkopf` or by the script
    `schafkopf`. A process of multiprocessing has the arguments of its parent, not the original
    ones."""
    program = arguments[0] if arguments else ""
    if program == "-m":  # as long as the module is looked for
        module = original[original.index("-m") + 1] if "-m" in original[:-1] else ""
        return module.partition(".")[0] == "schafkopf"
    return os.path.basename(program) == "schafkopf" and program in original


def _leave(*_: object) -> None:
    with contextlib.suppress(OSError):  # it may be closed
        os.write(2, b"schafkopf: interrupted\n")
    os._exit(128 + signal.SIGINT)


class Ended(KeyboardInterrupt):
    """A signal asks the command to end; every place that honours Ctrl-C honours it.

    Attributes:
        number: of the signal.
        exit_code: that a shell gives to a command which the signal ended.
    """

    def __init__(self, number: int) -> None:
        name = signal.Signals(number).name
        super().__init__("interrupted" if name == "SIGINT" else f"ended by {name}")
        self.number = number
        self.exit_code = 128 + number


class Ending:
    """Whether a signal has come.

    Attributes:
        ended: the first one, also if the work swallowed the exception.
        last_words: said if a second signal ends the process at once; how to go on.
        is_over: the work is done; what comes now is only kept.
        late: the first signal that came then.
    """

    def __init__(self) -> None:
        self.ended: Ended | None = None
        self.last_words = ""
        self.is_over = False
        self.late: int | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.is_over:
            self.late = self.late or number
            return
        if self.ended is not None:
            return
        self.ended = Ended(number)
        importing = _importing(frame)
        if importing is None:
            raise self.ended
        _raise_in(importing, self.ended)


def _importing(frame: FrameType | None) -> FrameType | None:
    """Return the frame that waits for the outermost running import; None where nothing is imported.

    A compiled module that is interrupted on its way in says "initialization failed", which tells
    nobody of a signal, and stays half made until the interpreter ends.
    """
    found = None
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            found = frame.f_back
        frame = frame.f_back
    return found


def _raise_in(frame: FrameType, error: BaseException) -> None:
    """Raise an error in a frame as soon as it goes on."""

    def trace(*_: object) -> None:
        sys.settrace(before)
        raise error

    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    frame.f_trace = trace


@contextlib.contextmanager
def ending_in_order(of_program: bool = False) -> Iterator[Ending]:
    """Raise Ended at the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once.

    The second is seen while C++ works, too. A closed terminal sends SIGHUP twice, so SIGHUP never
    counts as the second; `timeout` sends its signal to the command and to the group of it, so the
    same one within SAME_MOMENT does not either. What the caller ignores (nohup) stays ignored, and
    outside the main thread signals are somebody else's business.

    of_program: what follows is the end of the program. All is done or given up by then, and a
        signal that comes while the interpreter takes itself down changes nothing of it.
    """
    ending = Ending()
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    taken = [number for number in SIGNALS if before[number] not in (signal.SIG_IGN, None)]
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    old_writer = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    watcher = threading.Thread(
        target=_end_at_the_second, args=(reader, set(taken), ending), daemon=True
    )
    watcher.start()
    try:
        for number in taken:
            signal.signal(number, ending)
        yield ending
    finally:
        ending.is_over = True  # nothing of what follows is left out
        for number in taken:
            signal.signal(number, signal.SIG_IGN if of_program else before[number])
        signal.set_wakeup_fd(old_writer)
        os.close(writer)
        watcher.join()
        os.close(reader)
    if ending.late and not of_program:
        signal.raise_signal(ending.late)


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Let what must not be torn apart come to its end: handlers of signals are called behind it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {}
    for number in SIGNALS:
        if callable(handler := signal.getsignal(number)):
            before[number] = handler
            signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in came:
        before[number](number, None)


def _end_at_the_second(reader: int, numbers: set[int], ending: Ending) -> None:
    """Read the bytes that Python's own handler writes the moment a signal comes."""
    first, came = 0, 0.0
    while byte := os.read(reader, 1):
        if byte[0] not in numbers:
            continue
        is_again = byte[0] == first and time.monotonic() - came < SAME_MOMENT
        if not first:
            first, came = byte[0], time.monotonic()
        elif byte[0] != getattr(signal, "SIGHUP", None) and not is_again:
            if ending.last_words:
                with contextlib.suppress(OSError):
                    os.write(2, f"\nschafkopf: {harmless(ending.last_words)}\n".encode())
            os._exit(128 + byte[0])
