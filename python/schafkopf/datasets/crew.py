"""Work shared among processes of this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any


def over_processes(
    work: Callable[[int], Any], numbers: Iterable[int], processes: int
) -> Iterator[tuple[int, Any]]:
    """Yield (number, work(number)) as the processes finish; they end with the generator.

    A process whose parent was killed ends by itself. Ctrl-C in the terminal is the parent's.

    Raises:
        ValueError: `work` cannot be sent to a process.
        RuntimeError: a process was killed. What `work` raises is raised here.
    """
    try:
        pickle.dumps(work)
    except Exception as error:  # of the player's own making: any
        raise ValueError(
            f"a player cannot be sent to another process ({error}), allowed: workers = 1"
        ) from error
    left = iter(numbers)
    crew: dict[Connection[Any, Any], Any] = {}
    try:
        for number in left:
            end, process = _hired(work)
            crew[end] = process
            end.send(number)
            if len(crew) == processes:
                break
        while crew:
            ready = wait(list(crew))
            for end in [end for end in crew if end in ready]:
                number, result = _answer(end, crew[end])
                following = next(left, None)
                if following is None:
                    _dismiss(end, crew.pop(end))
                else:
                    end.send(following)
                yield number, result
    finally:
        for end, process in crew.items():
            process.terminate()
            _dismiss(end, process)


def _hired(work: Callable[[int], Any]) -> tuple[Connection[Any, Any], Any]:
    context = multiprocessing.get_context("spawn")
    end, other = context.Pipe()
    process = context.Process(target=_work, args=(other, work), daemon=True)
    # The process has SIGINT blocked from its first moment: it is the parent who ends the work.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    other.close()
    return end, process


def _answer(end: Connection[Any, Any], process: Any) -> tuple[int, Any]:
    try:
        number, result, error = end.recv()
    except (EOFError, OSError):
        process.join()
        raise RuntimeError(
            f"a worker process was killed (exit code {process.exitcode}), perhaps for want of "
            "memory: resume with fewer workers"
        ) from None
    if error is not None:
        raise error
    return number, result


def _dismiss(end: Connection[Any, Any], process: Any) -> None:
    end.close()
    process.join()


def _work(end: Connection[Any, Any], work: Callable[[int], Any]) -> None:
    """Body of a process: answers numbers until the parent hangs up."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            number = end.recv()
            answer: tuple[int, Any, Exception | None]
            try:
                answer = (number, work(number), None)
            except Exception as error:
                answer = (number, None, _sendable(error))
            end.send(answer)


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # an error with a constructor of its own
        kinds = (ValueError, OSError, ImportError)
        kind = next((kind for kind in kinds if isinstance(error, kind)), RuntimeError)
        return kind(str(error))
    return error
