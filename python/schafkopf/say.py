"""What commands say while they work."""

from __future__ import annotations

import errno
import sys

from schafkopf import files

OUTPUT = "standard output"  # as errors name it
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_refused: list[OSError] = []


def say(text: str, stream: str = "stdout", end: str = "\n") -> None:
    """Print; a terminal or reader that is gone costs the text, not the work.

    So does a full disk, but output_refused tells of it.
    """
    out = getattr(sys, stream)
    if out is None:
        return
    try:
        print(text, end=end, file=out, flush=True)
    except OSError as error:
        setattr(sys, stream, None)
        if stream == "stdout" and error.errno in _FULL:
            _refused.append(files.named(error, OUTPUT))


def output_refused() -> OSError | None:
    """Return why standard output did not take a text, where its disk is full; once."""
    error = _refused[-1] if _refused else None
    _refused.clear()
    return error


def say_aside(text: str) -> None:
    """Print to standard error, as say."""
    say(text, "stderr")
