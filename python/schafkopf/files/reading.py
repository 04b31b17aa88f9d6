"""Files that are read whole: regular, not too long, UTF-8."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from schafkopf.files.messages import naming

MAX_CONFIG_BYTES = 2**20  # as the engine allows


def opened_regular(path: str | Path) -> BinaryIO:
    """Return a file that is open for reading; a pipe is not waited for.

    Raises:
        OSError: it cannot be opened;  ValueError: no regular file, names the path.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise ValueError(f"{path}: no regular file")
    return os.fdopen(handle, "rb")


def own_text(path: str | Path, most: int = MAX_CONFIG_BYTES) -> str:
    """Return the text of a file in a folder that a command made; a pipe is not waited for.

    Raises:
        OSError: it cannot be opened;  ValueError: no regular file, longer than `most` bytes, or no
            UTF-8 text; names the path.
    """
    with opened_regular(path) as file:
        return _decoded(read_all(file, path, most), path)


def read_config(path: str | Path, most: int = MAX_CONFIG_BYTES) -> str:
    """Return the text of a configuration file.

    Raises:
        OSError: it cannot be read;  ValueError: it is no UTF-8 text, or longer than `most` bytes.
    """
    with open(path, "rb") as file:
        data = read_all(file, path, most)
    return _decoded(data, path).replace("\r\n", "\n")


def read_all(file: BinaryIO, path: str | Path, most: int) -> bytes:
    """Return what an open file has.

    Raises:
        OSError: it cannot be read;  ValueError: it is longer than `most` bytes; name the path.
    """
    with naming(path):
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{path}: longer than a file may be, allowed: {most} bytes")
    return data


def _decoded(data: bytes, path: str | Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: no UTF-8 text, byte {error.start + 1} is none") from error
