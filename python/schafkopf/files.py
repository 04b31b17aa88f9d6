"""Files that a command reads, and those that it writes: checked before the work, then written whole
or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import re
import stat
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

MAX_CONFIG_BYTES = 2**20  # as the engine allows


def parse_json(text: str, place: str | Path) -> Any:
    """Return the value of a JSON text that came from outside.

    Raises:
        ValueError: names `place` and what is wrong: no JSON, nested too deeply, a number too long
            or no number, a key that comes twice.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_twins,
            parse_constant=_no_number,
            parse_float=_finite,
        )
    except RecursionError:  # hundreds of levels; the cause would fill pages
        raise ValueError(f"{place}: no JSON: nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{place}: no JSON: {error}") from error


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twin = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f'key "{twin}" comes twice')
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def path_text(path: object, name: str) -> str:
    """Return a path as a text, "" for None and "".

    Raises:
        ValueError: names the argument, what came and what is allowed.
    """
    if path is None:
        return ""
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise ValueError(f"{name} = {path!r:.60}, allowed: the path of a file")
    return os.fspath(path)


_NOTHING = "there is no such file"


def missing(path: str | Path) -> str:
    """Return what is wrong with a path that should be a file to read, "" if it can be one.

    Pipes and devices can be read as well.
    """
    if not os.fspath(path):
        return '"" names no file'
    if Path(path).is_dir():
        return "it is a folder"
    return "" if Path(path).exists() else _NOTHING


def check_input(path: str | Path, needed: str) -> None:
    """Refuse a path that leads to nothing that could be read.

    Raises:
        FileNotFoundError, ValueError: nothing is there, or no file; names the path, what is wrong
            and what is `needed`.
    """
    if what := missing(path):
        kind = FileNotFoundError if what == _NOTHING else ValueError
        raise kind(f"{path}: {what}, allowed: {needed}")


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
    """
    if not os.path.exists(path):
        raise ValueError(otherwise)
    if not os.path.isfile(path):
        raise ValueError(f"{path}: no regular file, allowed: {needed}")


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


def _decoded(data: bytes, path: str | Path) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: no UTF-8 text, byte {error.start + 1} is none") from error


def read_all(file: BinaryIO, path: str | Path, most: int) -> bytes:
    """Return what an open file has.

    Raises:
        OSError: it cannot be read;  ValueError: it is longer than `most` bytes; name the path.
    """
    try:
        data = file.read(most + 1)
    except OSError as error:  # of reading it names no file
        raise named(error, path) from error
    if len(data) > most:
        raise ValueError(f"{path}: longer than a file may be, allowed: {most} bytes")
    return data


def read_config(path: str | Path) -> str:
    """Return the text of a configuration file.

    Raises:
        OSError: it cannot be read;  ValueError: it is no UTF-8 text, or longer than any
            configuration.
    """
    with open(path, "rb") as file:
        data = read_all(file, path, MAX_CONFIG_BYTES)
    return _decoded(data, path).replace("\r\n", "\n")


SEAL = "# checksum of the lines above (CRC-32): "


def sealed(text: str) -> str:
    """Return a configuration with a last line by which damage to it is seen."""
    return f"{text}{SEAL}{zlib.crc32(text.encode()):08x}\n"


def check_seal(path: str | Path, text: str) -> None:
    """Refuse a configuration that is not as sealed() made it: cut off, or with another value.

    Raises:
        ValueError: names the file and what is wrong.
    """
    above, mark, _ = text.rpartition(SEAL)
    if text == sealed(above):
        return
    wrong = "its checksum is another one" if mark else "its last line, the checksum, is missing"
    raise ValueError(
        f"{path}: {wrong}, allowed: the file that was written; --set key=value changes a setting"
    )


def check_outputs(outputs: Mapping[str, str | Path | None], read: str | Path | None = None) -> None:
    """Refuse now what could not be written after the work.

    Args:
        outputs: option, such as "--json", -> its file; None or "" = not asked for.
        read: a file that the command reads, which none of them may be.

    Raises:
        ValueError: a folder instead of a file, a name that is too long, the same file for two
            options, or the file that is read.
        OSError: the folder of a file does not exist or cannot be written to.
    """
    taken: dict[str, str] = {}
    if read and Path(read).is_file():
        taken[os.path.realpath(read)] = "the file that is read"
    for option, path in outputs.items():
        if not path:
            continue
        if os.path.isdir(path):  # Path.is_dir raises for a long name
            raise ValueError(f"{option} {path}: it is a folder, allowed: a file")
        refuse_name_of_folder(path, f"{option} {path}")
        check_folder(path, f"{option} {path}")
        place = os.path.realpath(path)
        if _is_regular(place) and place in taken:
            raise ValueError(f"{taken[place]} and {option} name the same file, {path}")
        taken[place] = option


def make_folder(path: str | Path) -> None:
    """Make a folder and those above it, where there is none.

    Raises:
        ValueError: there is a file;  OSError: it cannot be made.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise ValueError(f"{path}: it is a file, allowed: a folder") from None


def refuse_name_of_folder(path: str | Path, name: str = "") -> None:
    """Refuse a name with a slash at its end, without which it would name a file.

    Args:
        name: of the file in messages; the path, if it is empty.

    Raises:
        ValueError: names the file.
    """
    if os.fspath(path).endswith(os.sep):
        raise ValueError(f"{name or path}: it names a folder, allowed: a file")


def check_folder(path: str | Path, name: str = "") -> None:
    """Refuse a file whose folder is missing or cannot be written to, or has no such long names.

    Args:
        name: of the file in messages; the path, if it is empty.

    Raises:
        OSError, ValueError: names the file and what is wrong.
    """
    if not _is_regular(os.path.realpath(path)):
        return
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{name or path}: the folder {Path(path).parent} does not exist")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"{name or path}: no permission to write to its folder")
    size, most = len(os.fsencode(os.path.basename(os.path.realpath(path)))), _longest_name(folder)
    if size > most:
        raise ValueError(f"{name or path}: a name of {size} bytes, allowed: {most}")


def _longest_name(folder: Path) -> int:
    """Return how many bytes a name in a folder may have."""
    with suppress(OSError, ValueError):  # a system that does not say
        if (most := os.pathconf(folder, "PC_NAME_MAX")) > 0:
            return most
    return 255


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
    file, a link stays one, and what is no regular file, such as /dev/stdout, is written to
    directly.

    Args:
        rights: of a new file; None: those of any other.
        owned: it stands in a folder of ours: a link, pipe or device there is replaced, so that
            nothing is written elsewhere.

    Raises:
        OSError: the disk is full, no permission ...; names the file.
    """
    place = os.fspath(path) if owned else os.path.realpath(path)
    try:
        if not (owned or _is_regular(place)):
            with open(place, "wb") as file:
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
    if os.path.islink(path) or not (_is_regular(os.fspath(path)) or os.path.isdir(path)):
        os.unlink(path)


def tell(text: str, note: Callable[[str], object] | None) -> None:
    """Say what was found damaged: to `note`, or, where nobody listens, as a RuntimeWarning."""
    if note is None:
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    else:
        note(text)


@contextmanager
def begun_folder(
    folder: Path, first: tuple[str, str], used: Callable[[], bool], also: Sequence[str] = ()
) -> Iterator[None]:
    """Hold a new folder with its first file; if the work fails before it is used, it goes again.

    Args:
        first: name and text of the file that makes it what it is.
        used: whether there is something in the folder that must stay.
        also: names of further files that go with an unused folder.

    Raises:
        ValueError: there is something in the folder already, or comes into it meanwhile; a text
            that is longer than read_config reads.
    """
    name, text = first
    if (size := len(text.encode())) > MAX_CONFIG_BYTES:
        raise ValueError(f"{folder / name}: {size} bytes, allowed: {MAX_CONFIG_BYTES}")
    if folder.is_file():
        raise ValueError(f"{folder}: it is a file, allowed: a new folder")
    if folder.exists() and any(not is_leftover(path, name) for path in folder.iterdir()):
        raise ValueError(f"{folder} is not empty: resume it, or choose another folder")
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    begun = False  # what another run has begun stays
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with beside(folder / name, text.encode()) as temporary:
            try:
                put_new(temporary, folder / name)
            except FileExistsError:
                raise ValueError(f"{folder}: another run has begun there, choose another") from None
        begun = True
        yield
    except Exception:
        if not used():
            for file in (*also, name) if begun else ():
                (folder / file).unlink(missing_ok=True)
            for place in made:
                with suppress(OSError):  # not there, or somebody uses it
                    place.rmdir()
        raise


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


OWNER_ONLY = 0o600  # rights of a file
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
    _remove_leftovers(path)
    handle, temporary = _locked_file(path)
    with os.fdopen(handle, "wb") as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(temporary, rights_of(path, rights) if exactly is None else exactly)
            yield temporary, handle
        finally:
            with suppress(FileNotFoundError):  # renamed
                os.unlink(temporary)


def _locked_file(path: str | Path) -> tuple[int, str]:
    folder, name = os.path.split(path)
    while True:
        handle, temporary = tempfile.mkstemp(dir=folder or ".", prefix=_beginning(name))
        with suppress(OSError):  # a file system without locks loses the protection only
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, temporary
        os.close(handle)  # taken for a leftover before it was locked


def _beginning(name: str) -> str:
    """Return what the temporary files of a file begin with; a hash stands for a long name, beside
    which a file system may have no room for more letters."""
    encoded = os.fsencode(name)
    return f".{name if len(encoded) <= LONG_NAME else hashlib.sha256(encoded).hexdigest()}{MARK}"


def is_leftover(path: Path, name: str) -> bool:
    """Return whether a path is what a killed writer of the file `name` left beside it."""
    return re.fullmatch(re.escape(_beginning(name)) + r"[a-z0-9_]{8}", path.name) is not None


def _remove_leftovers(path: str | Path) -> None:
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


def named(error: OSError, path: str | Path) -> OSError:
    """The same error about the file that a person knows, not a temporary one."""
    return OSError(error.errno, error.strerror or str(error), str(path))


def _is_regular(path: str) -> bool:
    return not os.path.exists(path) or os.path.isfile(path)


def rights_of(path: str | Path, of_a_new_one: int | None = None) -> int:
    """Return the rights of a file, or those that a new one gets (None: as any other), as one does
    that replaces a link or a pipe."""
    if os.path.isfile(path) and not os.path.islink(path):
        return os.stat(path).st_mode & 0o777
    if of_a_new_one is not None:
        return of_a_new_one
    return 0o666 & ~_umask()


def _umask() -> int:
    """Return the mask of rights. To ask the system for it is to change it for a moment, in which
    other threads make files; /proc tells it as well."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(status.split("\nUmask:", 1)[1].split()[0], 8)
    except (OSError, IndexError, ValueError):
        mask = os.umask(0)
        os.umask(mask)
        return mask
