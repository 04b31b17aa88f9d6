"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from schafkopf.files.messages import named
from schafkopf.files.outputs import is_regular, stream_of
from schafkopf.files.temporary import beside


def write_text(
    path: str | Path, text: str, rights: int | None = None, *, owned: bool = False
) -> None:
    """Write a file in one step, as UTF-8; see write_bytes."""
    write_bytes(path, text.encode("utf-8"), rights, owned=owned)


def write_bytes(
    path: str | Path, content: bytes, rights: int | None = None, *, owned: bool = False
) -> None:
    """Write a file in one step: it is there as a whole, or as it was before.

    Temporary files of this name that killed processes left are removed. Where a person named the
    file, a link stays one, and a pipe or device is written to directly, as are /dev/stdout and
    /dev/fd, also where they lead to a file: what that has stays.

    Args:
        rights: of a new file; None: those of any other.
        owned: it stands in a folder of ours: a link, pipe or device there is replaced, so that
            nothing is written elsewhere.

    Raises:
        OSError: the disk is full, no permission ...; names the file.
    """
    place = os.fspath(path) if owned else os.path.realpath(path)
    try:
        if not owned and (stream := stream_of(path)) is not None:
            with os.fdopen(os.dup(stream), "wb") as file:
                file.write(content)
            return
        if not (owned or is_regular(os.fspath(path))):
            with open(path, "wb") as file:
                file.write(content)
            return
        with beside(place, content, rights) as temporary:
            os.replace(temporary, place)
    except OSError as error:
        raise named(error, path) from error


def make_room(path: str | Path) -> None:
    """Take away a link, pipe or device in a folder of ours where a file is made anew.

    As write_bytes does with `owned`, for what writes to a path by itself.
    """
    if os.path.islink(path) or not (is_regular(os.fspath(path)) or os.path.isdir(path)):
        os.unlink(path)


def put_new(name: str | Path, path: str | Path) -> None:
    """Give a finished file its name. Raises FileExistsError where there is one: a plain rename
    would replace it."""
    try:
        os.link(name, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: take the name first
        with open(path, "x", encoding="utf-8"):
            pass
        try:
            os.replace(name, path)
        except OSError:
            os.unlink(path)
            raise
