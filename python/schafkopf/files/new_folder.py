"""The folder of a work that begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from schafkopf.files.messages import named
from schafkopf.files.outputs import check_makeable
from schafkopf.files.reading import MAX_CONFIG_BYTES
from schafkopf.files.temporary import beside, is_leftover
from schafkopf.files.writing import put_new


@contextmanager
def begun_folder(
    folder: Path,
    first: tuple[str, str],
    used: Callable[[], bool],
    also: Sequence[str] = (),
    most: int = MAX_CONFIG_BYTES,
) -> Iterator[None]:
    """Hold a new folder with its first file; if the work fails before it is used, it goes again.

    Args:
        first: name and text of the file that makes it what it is.
        used: whether there is something in the folder that must stay.
        also: names of further files that go with an unused folder.
        most: bytes of the text, as it is read again.

    Raises:
        ValueError: there is something in the folder already, or comes into it meanwhile; a text
            that is longer.
        OSError: the folder cannot be made, or takes no files; the disk is full: names the file.
    """
    name, text = first
    if (size := len(text.encode())) > most:
        raise ValueError(f"{folder / name}: {size} bytes, allowed: {most}")
    if folder.is_file():
        raise ValueError(f"{folder}: it is a file, allowed: a new folder")
    if folder.exists() and any(not is_leftover(path, name) for path in folder.iterdir()):
        raise ValueError(f"{folder} is not empty: resume it, or choose another folder")
    check_makeable(folder)
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    begun = False  # what another run has begun stays
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write_first(folder / name, text)
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


def _write_first(path: Path, text: str) -> None:
    """Write the first file of a folder. Raises ValueError: there is one;  OSError: names it."""
    try:
        with beside(path, text.encode()) as temporary:
            put_new(temporary, path)
    except FileExistsError:
        raise ValueError(f"{path.parent}: another run has begun there, choose another") from None
    except OSError as error:
        raise named(error, path) from error
