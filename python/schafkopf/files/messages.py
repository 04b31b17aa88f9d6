"""What is said of files: errors that name them, and what was found damaged."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def tell(text: str, note: Callable[[str], object] | None) -> None:
    """Say what was found damaged: to `note`, or, where nobody listens, as a RuntimeWarning."""
    if note is None:
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    else:
        note(text)


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Name the file in errors of the system that name none, as those of reading an open one.

    Raises:
        OSError: names the path.
    """
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise named(error, path) from error
        raise


def named(error: OSError, path: str | Path) -> OSError:
    """The same error about the file that a person knows, not a temporary one."""
    return OSError(error.errno, error.strerror or str(error), str(path))
