"""Files that a command is to read: refused before the work."""

from __future__ import annotations

import codecs
import errno
import os
import sys
from pathlib import Path

_FOLDERS = ("folder", "out", "resume")  # names of arguments


def _needed(name: str) -> str:
    return f"the path of a {'folder' if name in _FOLDERS else 'file'}"


def path_text(path: object, name: str) -> str:
    """Return a path as a text, "" for None and "".

    Raises:
        ValueError: names the argument, what came and what is allowed.
    """
    if path is None:
        return ""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise ValueError(f"{name} = {path!r:.60}, allowed: {_needed(name)}")
    return os.fspath(path)


def engine_path(path: object, name: str) -> str:
    """As path_text, for the engine, which opens the file of the name that UTF-8 writes. Raises
    ValueError also where that is not the file which Python opens."""
    text = path_text(path, name)
    if wrong := engine_refuses(text):
        raise ValueError(f"{name} = {text!a}: {wrong}")
    return text


def engine_refuses(text: str) -> str:
    """Return why the engine would not open the file that Python opens, "" if it does."""
    encoding = codecs.lookup(sys.getfilesystemencoding()).name
    if encoding != "utf-8" and not text.isascii():
        return f"names of files are {encoding} here, allowed: ASCII, or a locale of UTF-8"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # of bytes that are none
        return "no UTF-8 text"
    return ""


def given_path(path: object, name: str) -> Path:
    """Return a path that may not be left out. Raises ValueError as path_text; None and "", which
    would be the folder one is in, are refused."""
    if text := path_text(path, name):
        return Path(text)
    came = "None" if path is None else '""'
    raise ValueError(f"{name} = {came}, allowed: {_needed(name)}")


def as_argument(path: str | Path) -> str:
    """Return a path as an argument of a command: of one that begins with "-" an option is made."""
    text = os.fspath(path)
    return f"./{text}" if text.startswith("-") else text


_NOTHING = "there is no such file"


def is_there(path: str | Path) -> bool:
    """Return whether a path leads to something.

    Raises:
        OSError: nobody can say, as where nobody may look; os.path.exists says no there.
    """
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a zero byte
        return False
    except OSError as error:
        if error.errno != errno.ELOOP:  # a link to itself leads to nothing
            raise
        return False
    return True


def missing(path: str | Path) -> str:
    """Return what is wrong with a path that should be a file to read, "" if it can be one.

    Pipes and devices can be read as well. Raises OSError as is_there.
    """
    if not os.fspath(path):
        return '"" names no file'
    if os.path.isdir(path):
        return "it is a folder"
    return "" if is_there(path) else _NOTHING


def check_input(path: str | Path, needed: str) -> None:
    """Refuse a path that leads to nothing that could be read.

    Raises:
        FileNotFoundError, ValueError: nothing is there, or no file; names the path, what is wrong
            and what is `needed`.
    """
    if what := missing(path):
        kind = FileNotFoundError if what == _NOTHING else ValueError
        raise kind(f"{path}: {what}, allowed: {needed}")


def check_working_folder() -> None:
    """Refuse to work in a folder that somebody removed.

    Raises:
        FileNotFoundError: says so; that of the system names nothing.
    """
    try:
        os.getcwd()
    except FileNotFoundError:
        raise FileNotFoundError(
            "the folder one is in was removed, allowed: one that is there (cd)"
        ) from None


def check_twice_readable(path: str | Path, needed: str) -> None:
    """As check_input, for what is read more than once: a pipe is refused too."""
    check_input(path, needed)
    if not Path(path).is_file():
        raise ValueError(f"{path}: no regular file, allowed: {needed}")


def check_own(path: str | Path, needed: str, otherwise: str) -> None:
    """Refuse to read what is no regular file in a folder that a command made.

    Args:
        needed: what should stand there.
        otherwise: what is said where nothing does.

    Raises:
        ValueError: names the path and what is `needed`, or says `otherwise`.
        OSError: as is_there.
    """
    if not is_there(path):
        raise ValueError(otherwise)
    if not os.path.isfile(path):
        raise ValueError(f"{path}: no regular file, allowed: {needed}")


def check_rights(path: str | Path) -> None:
    """Refuse a regular file that may not be read and written; one that is missing will be made.

    Raises:
        OSError: names the path.
    """
    if is_there(path) and os.path.isfile(path):
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
