"""Work shared among processes of this machine, or by Ray among machines."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Generator, Iterable
from multiprocessing.connection import Connection, wait
from typing import Any

from schafkopf import signals
from schafkopf.extras import load_extra


def usable_processors() -> int:
    """Return how many processors this process may use; all of the machine where nothing says so."""
    with contextlib.suppress(AttributeError, OSError):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def over_processes(
    work: Callable[[int], Any], numbers: Iterable[int], processes: int
) -> Generator[tuple[int, Any], None, None]:
    """Yield (number, work(number)) as the processes finish; they end with the generator.

    A process whose parent was killed ends by itself. Ctrl-C in the terminal is the parent's.

    Raises:
        ValueError: `work` cannot be sent to a process, or this process may start none.
        RuntimeError: a process was killed, or ended. What `work` raises is raised here.
    """
    if multiprocessing.current_process().daemon:
        raise ValueError(
            "a daemonic process, as those of multiprocessing.Pool, may start no others, allowed: "
            "workers = 1"
        )
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
            with (
                signals.held_back()
            ):  # else a process finds the end of what it is told to begin with
                end, process = _hired(work)
                crew[end] = process
            _ask(end, crew[end], number)
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
                    _ask(end, crew[end], following)
                yield number, result
    finally:
        for end, process in crew.items():
            process.terminate()
            _dismiss(end, process)


def refuse_second_run() -> None:
    """Raise RuntimeError in a worker process that has come here by running the program again.

    multiprocessing does so with what stands outside of functions, for classes that are there.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise RuntimeError(
            "every worker process runs this program again, up to here: put what starts them under "
            '`if __name__ == "__main__":`, or take workers = 1'
        )


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


def _ask(end: Connection[Any, Any], process: Any, number: int) -> None:
    try:
        end.send(number)
    except OSError:
        raise _gone(process) from None


def _gone(process: Any) -> RuntimeError:
    process.join()
    code = process.exitcode
    if code is not None and code >= 0:
        return RuntimeError(
            f"a worker process ended (exit code {code}) before it answered: what it said stands "
            "above"
        )
    return RuntimeError(
        f"a worker process was killed (exit code {code}), perhaps for want of memory: resume with "
        "fewer workers"
    )


def _answer(end: Connection[Any, Any], process: Any) -> tuple[int, Any]:
    try:
        number, result, error = end.recv()
    except (EOFError, OSError):
        raise _gone(process) from None
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


def over_ray(
    work: Callable[[int], Any], numbers: Iterable[int], address: str | bool
) -> Generator[tuple[int, Any], None, None]:
    """Yield (number, work(number)) as the machines of a Ray cluster finish, one task per CPU.

    The machines need this version of schafkopf and the files that `work` reads, at the same
    places. A cluster that this process is connected to already is used and stays connected.

    Args:
        address: of the cluster, as ray.init takes it; True: the cluster of this machine, a new one
            if there is none.

    Raises:
        ModuleNotFoundError: ray is not installed. ConnectionError: there is no such cluster. What
            `work` raises is raised here.
    """
    ray = load_extra("ray", "ray")
    own = not ray.is_initialized()
    if own:
        place = None if isinstance(address, bool) else address
        ray.init(address=place, log_to_driver=False, logging_level="error")
    pending: dict[Any, int] = {}
    try:
        remote, shared = ray.remote(num_cpus=1)(_answered), ray.put(work)
        most = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
        left = iter(numbers)
        while True:
            while len(pending) < most and (number := next(left, None)) is not None:
                pending[remote.remote(shared, number)] = number
            if not pending:
                return
            # Now and then back to Python, for Ctrl-C.
            for task in ray.wait(list(pending), timeout=0.5)[0]:
                number = pending.pop(task)
                result, error = ray.get(task)
                if error is not None:
                    raise error
                yield number, result
    finally:
        # Not by force: Ray 2.60 ends this whole process where a task that it kills has just
        # finished ("Tried to complete task that was not pending").
        for task in pending:
            ray.cancel(task)
        if own:
            ray.shutdown()


def _answered(work: Callable[[int], Any], number: int) -> tuple[Any, Exception | None]:
    """Body of a task: what came of a number, or what went wrong."""
    try:
        return work(number), None
    except Exception as error:
        return None, _sendable(error)
