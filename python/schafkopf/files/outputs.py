"""Where a command is to write: refused before the work."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from schafkopf.files.inputs import is_there

_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}


def check_outputs(
    outputs: Mapping[str, str | Path | None], read: Iterable[str | Path | None] = ()
) -> None:
    """Refuse now what could not be written after the work.

    Args:
        outputs: option, such as "--json", -> its file; None or "" = not asked for.
        read: what the command reads, which none of them may be; what is no file is left out.

    Raises:
        ValueError: a folder instead of a file, a name that is too long, the same file for two
            options, or the file that is read.
        OSError: the folder of a file does not exist or cannot be written to, or the file may not be
            replaced there.
    """
    taken: dict[str, str] = {}
    for file in read:
        if file and os.path.isfile(file):
            taken[os.path.realpath(file)] = "the file that is read"
    for option, path in outputs.items():
        if not path:
            continue
        if os.path.isdir(path):  # Path.is_dir raises for a long name
            raise ValueError(f"{option} {path}: it is a folder, allowed: a file")
        refuse_name_of_folder(path, f"{option} {path}")
        check_folder(path, f"{option} {path}")
        if stream_of(path) is not None:
            continue
        place = os.path.realpath(path)
        if is_regular(place) and place in taken:
            raise ValueError(f"{taken[place]} and {option} name the same file, {path}")
        taken[place] = option


def check_folder(path: str | Path, name: str = "") -> None:
    """Refuse a file whose folder is missing or cannot be written to, or has no such long names.

    Args:
        name: of the file in messages; the path, if it is empty.

    Raises:
        OSError, ValueError: names the file and what is wrong.
    """
    if stream_of(path) is not None or not is_regular(os.fspath(path)):
        return
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        named = folder if os.path.islink(path) else Path(path).parent
        raise FileNotFoundError(f"{name or path}: the folder {named} does not exist")
    if not _may_write(folder):
        raise PermissionError(f"{name or path}: no permission to write to its folder")
    if not _may_replace(os.path.realpath(path), folder):
        raise PermissionError(
            f"{name or path}: another user's file, in a folder where everybody replaces only their "
            "own, allowed: another name"
        )
    size, most = len(os.fsencode(os.path.basename(os.path.realpath(path)))), _longest_name(folder)
    if size > most:
        raise ValueError(f"{name or path}: a name of {size} bytes, allowed: {most}")


def refuse_name_of_folder(path: str | Path, name: str = "") -> None:
    """Refuse a name with a slash at its end, without which it would name a file.

    Args:
        name: of the file in messages; the path, if it is empty.

    Raises:
        ValueError: names the file.
    """
    if os.fspath(path).endswith(os.sep):
        raise ValueError(f"{name or path}: it names a folder, allowed: a file")


def refuse_link(path: str | Path) -> None:
    """Refuse a link in a folder of ours where more is written behind what a file has: it would go
    elsewhere.

    Raises:
        ValueError: names the path.
    """
    if os.path.islink(path):
        raise ValueError(f"{path}: it is a link, allowed: a regular file")


def refuse_folders(folder: str | Path, names: Sequence[str]) -> None:
    """Refuse now what could not be written after the work: a folder in the place of a file of ours.

    Raises:
        ValueError: names the path.
    """
    for path in (os.path.join(folder, name) for name in names):
        if os.path.isdir(path) and not os.path.islink(path):
            raise ValueError(f"{path}: it is a folder, allowed: a regular file")


def make_folder(path: str | Path) -> None:
    """Make a folder and those above it, where there is none.

    Raises:
        ValueError: there is a file;  OSError: it cannot be made, or takes no files.
    """
    if not os.path.isfile(path):
        check_makeable(path)
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ValueError(f"{path}: it is a file, allowed: a folder") from None


def check_makeable(folder: str | Path) -> None:
    """Refuse a folder that cannot be made, or that is there and takes no files; makes nothing.

    Raises:
        OSError: names the folder and what is wrong.
    """
    there = Path(folder)
    while not is_there(there) and there != there.parent:
        there = there.parent
    if there.is_dir() and not _may_write(there):
        raise PermissionError(f"{folder}: no permission to write to the folder {there}")
    if there != Path(folder) and not there.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(folder))


def _may_write(folder: str | Path) -> bool:
    own = os.access in os.supports_effective_ids  # the rights that writing itself will have
    return os.access(folder, os.W_OK | os.X_OK, effective_ids=own)


def _may_replace(file: str, folder: Path) -> bool:
    """Return whether a file, if there is one, may be renamed over: in a folder such as /tmp only
    those who own the one or the other may."""
    with suppress(OSError):  # nothing there yet
        owner, of_folder = os.lstat(file).st_uid, os.stat(folder)
        is_sticky = bool(of_folder.st_mode & stat.S_ISVTX)
        return not is_sticky or os.geteuid() in (0, owner, of_folder.st_uid)
    return True


def _longest_name(folder: Path) -> int:
    """Return how many bytes a name in a folder may have."""
    with suppress(OSError, ValueError):  # a system that does not say
        if (most := os.pathconf(folder, "PC_NAME_MAX")) > 0:
            return most
    return 255


def is_regular(path: str) -> bool:
    """Return whether there is a regular file, or nothing yet.

    Of a path itself: os.path.realpath makes "pipe:[123]" of a pipe of /dev/fd, which is nowhere.
    """
    return not os.path.exists(path) or os.path.isfile(path)


def stream_of(path: str | Path) -> int | None:
    """Return the number of the open file that a path such as /dev/stdout or /dev/fd/63 stands for;
    None for any other path, and where it is not open."""
    text = os.fspath(path)
    if found := re.fullmatch("/(?:dev|proc/self)/fd/([0-9]{1,9})", text):
        number = int(found[1])
    elif text in _STREAMS:
        number = _STREAMS[text]
    else:
        return None
    try:
        os.fstat(number)
    except OSError:
        return None
    return number
