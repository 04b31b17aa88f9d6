"""Work of a thread that nobody waits for when the table ends."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Return what a function gives, called in a thread of its own.

    An engine may think for a minute. The threads of asyncio and anyio are waited for when the
    interpreter ends, and by then it hears no signal; a daemon is left alone.

    Raises:
        MemoryError: there is no room for a thread; or whatever the function raises.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    given: list[T] = []
    raised: list[BaseException] = []

    def settle() -> None:
        if not done.done():  # given up meanwhile
            done.set_result(None)

    def run() -> None:
        try:
            given.append(work())
        except BaseException as error:  # whoever waits for the result gets it
            raised.append(error)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle)

    try:
        threading.Thread(target=run, name="thinking", daemon=True).start()
    except RuntimeError as error:
        raise MemoryError("no room for a thread") from error
    await done
    if raised:
        raise raised.pop()
    return given.pop()
