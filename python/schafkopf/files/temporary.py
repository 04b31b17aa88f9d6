"""Temporary files beside those that are written, and what killed writers left of them."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from schafkopf.files.rights import group_of, rights_of

MARK = ".tmp-"  # between the name of a file and the letters that mkstemp draws
LONG_NAME = 100  # bytes


@contextmanager
def beside(
    path: str | Path, content: bytes, rights: int | None = None, exactly: int | None = None
) -> Iterator[str]:
    """Give the name of a temporary file in the folder of `path`, to be renamed inside.

    It is locked as long as it lives, so that nobody takes it for a leftover of a killed process.

    Args:
        rights: of a new file; one that is there keeps its own.
        exactly: rights whether there is a file or not.
    """
    with locked_beside(path, content, rights, exactly) as (temporary, _):
        yield temporary


@contextmanager
def locked_beside(
    path: str | Path, content: bytes, rights: int | None = None, exactly: int | None = None
) -> Iterator[tuple[str, int]]:
    """As beside, with the open file: a copy of it (os.dup) holds the lock on."""
    remove_leftovers(path)
    handle, temporary = _locked_file(path)
    with os.fdopen(handle, "wb") as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            with suppress(OSError):  # somebody else's group, which nobody can give
                os.chown(temporary, -1, group_of(path))
            os.chmod(temporary, rights_of(path, rights) if exactly is None else exactly)
            yield temporary, handle
        finally:
            with suppress(FileNotFoundError):  # renamed
                os.unlink(temporary)


def _locked_file(path: str | Path) -> tuple[int, str]:
    folder, name = os.path.split(path)
    while True:
        handle, temporary = tempfile.mkstemp(dir=folder or ".", prefix=_beginning(name))
        try:
            with suppress(OSError):  # a file system without locks loses the protection only
                fcntl.flock(handle, fcntl.LOCK_EX)
            if os.fstat(handle).st_nlink:
                return handle, temporary
        except BaseException:
            os.close(handle)
            os.unlink(temporary)
            raise
        os.close(handle)  # taken for a leftover before it was locked


def _beginning(name: str) -> str:
    """Return what the temporary files of a file begin with; a hash stands for a long name, beside
    which a file system may have no room for more letters."""
    encoded = os.fsencode(name)
    return f".{name if len(encoded) <= LONG_NAME else hashlib.sha256(encoded).hexdigest()}{MARK}"


def is_leftover(path: Path, name: str) -> bool:
    """Return whether a path is what a killed writer of the file `name` left beside it."""
    return re.fullmatch(re.escape(_beginning(name)) + r"[a-z0-9_]{8}", path.name) is not None


def remove_leftovers(path: str | Path) -> None:
    """Remove what killed writers of this file left: temporary files that nobody holds."""
    folder, name = os.path.split(path)
    with suppress(OSError), os.scandir(folder or ".") as entries:
        found = [entry.path for entry in entries if is_leftover(Path(entry.path), name)]
        for left in found:
            with suppress(OSError):
                _remove_if_left(left)


def _remove_if_left(path: str) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(handle), os.lstat(path)) and os.path.isfile(path):
            os.unlink(path)
    finally:
        os.close(handle)
