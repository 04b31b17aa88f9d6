"""Files that a command reads, and those that it writes: checked before the work, then written whole
or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MAX_CONFIG_BYTES = 2**20  # as the engine allows


def parse_json(text: str, place: str | Path) -> Any:
    """Return the value of a JSON text that came from outside.

    Raises:
        ValueError: names `place` and what is wrong: no JSON, nested too deeply, a number too long.
    """
    try:
        return json.loads(text)
    except RecursionError:  # hundreds of levels; the cause would fill pages
        raise ValueError(f"{place}: no JSON: nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{place}: no JSON: {error}") from error


def read_config(path: str | Path) -> str:
    """Return the text of a configuration file.

    Raises:
        OSError: it cannot be read;  ValueError: it is no UTF-8 text, or longer than any
            configuration.
    """
    with open(path, "rb") as file:
        data = file.read(MAX_CONFIG_BYTES + 1)
    if len(data) > MAX_CONFIG_BYTES:
        raise ValueError(f"{path}: longer than the {MAX_CONFIG_BYTES} bytes allowed")
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: no UTF-8 text, byte {error.start + 1} is none") from error


def check_outputs(outputs: Mapping[str, str | Path | None]) -> None:
    """Refuse now what could not be written after the work.

    Args:
        outputs: option, such as "--json", -> its file; None or "" = not asked for.

    Raises:
        ValueError: a folder instead of a file, or the same file for two options.
        OSError: the folder of a file does not exist or cannot be written to.
    """
    taken: dict[str, str] = {}
    for option, path in outputs.items():
        if not path:
            continue
        if Path(path).is_dir():
            raise ValueError(f"{option} {path}: it is a folder, needed: a file")
        check_folder(path, f"{option} {path}")
        place = os.path.realpath(path)
        if _is_regular(place) and place in taken:
            raise ValueError(f"{taken[place]} and {option} name the same file, {path}")
        taken[place] = option


def check_folder(path: str | Path, name: str = "") -> None:
    """Refuse a file whose folder is missing or cannot be written to.

    Args:
        name: of the file in messages; the path, if it is empty.

    Raises:
        OSError: names the file and what is wrong.
    """
    if not _is_regular(os.path.realpath(path)):
        return
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{name or path}: the folder {Path(path).parent} does not exist")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{name or path}: no permission to write to its folder")


def write_text(path: str | Path, text: str) -> None:
    """Write a file in one step: it is there as a whole, or as it was before.

    What is no regular file, such as /dev/stdout, is written to directly.

    Raises:
        OSError: the disk is full, no permission ...; names the file.
    """
    place = os.path.realpath(path)  # a link stays one
    try:
        if not _is_regular(place):
            with open(place, "w", encoding="utf-8") as file:
                file.write(text)
            return
        temporary = write_beside(place, text)
        try:
            os.replace(temporary, place)
        except OSError:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise named(error, path) from error


def write_beside(path: str | Path, text: str) -> str:
    """Write a temporary file in the folder of `path`, to be renamed; returns its name."""
    folder, name = os.path.split(path)
    handle, temporary = tempfile.mkstemp(dir=folder or ".", prefix=f".{name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _rights(path))
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def named(error: OSError, path: str | Path) -> OSError:
    """The same error about the file that a person knows, not a temporary one."""
    return OSError(error.errno, error.strerror or str(error), str(path))


def _is_regular(path: str) -> bool:
    return not os.path.exists(path) or os.path.isfile(path)


def _rights(path: str | Path) -> int:
    if os.path.exists(path):
        return os.stat(path).st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
