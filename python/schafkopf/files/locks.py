"""Files that one process at a time holds."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(path: Path, work: str) -> Iterator[None]:
    """Hold a file against other runs of the same work; it is only read.

    Raises:
        ValueError: another run holds it;  RuntimeError: as lock_now.
    """
    handle = opened_to_lock(path)
    try:
        if not lock_now(handle, path):
            raise ValueError(f"{path.parent}: another run is writing this {work}")
        yield
    finally:
        os.close(handle)


def opened_to_lock(path: str | Path) -> int:
    """Return an open file that is only read, but can be written to if possible: NFS locks no
    other. Raises OSError."""
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:  # the rights, or a file system that is only read
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


def lock_now(handle: int, path: str | Path) -> bool:
    """Lock an open file for whoever opened it, until it is closed; return whether nobody else
    holds it. A kill leaves no lock.

    Raises:
        RuntimeError: it cannot be locked, as on a file system without locks; as of the engine.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise RuntimeError(f"{path}: cannot lock: {error.strerror}") from error
    return True
