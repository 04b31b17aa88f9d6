"""What commands say while they work."""

from __future__ import annotations

import sys


def say(text: str, stream: str = "stdout", end: str = "\n") -> None:
    """Print; a terminal or reader that is gone costs the text, not the work."""
    out = getattr(sys, stream)
    if out is None:
        return
    try:
        print(text, end=end, file=out, flush=True)
    except OSError:
        setattr(sys, stream, None)


def say_aside(text: str) -> None:
    """Print to standard error, as say."""
    say(text, "stderr")
