"""What commands say while they work, without signs that do something to a terminal."""

from __future__ import annotations

import errno
import re
import sys

from schafkopf import files

OUTPUT = "standard output"  # as errors name it
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_refused: list[OSError] = []
# Our own colours, or a sign that moves the cursor, sets the title of a window, turns lines round.
_SIGNS = re.compile(
    "(\033\\[(?:[012]|3[123])m)|[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def harmless(text: str, colours: bool = False) -> str:
    """A line without signs that do something to a terminal: texts may come from files.

    Args:
        colours: leave those of the table in the terminal.
    """
    return _SIGNS.sub(lambda sign: (colours and sign[1]) or "?", text)


def harmless_lines(text: str) -> str:
    """As harmless, of a text whose ends of lines are its own."""
    return "\n".join(map(harmless, text.split("\n")))


def spelled_out(text: str) -> str:
    """Text whose strings are JSON with such signs as \\u009b: read again they are the same."""
    return "\n".join(
        _SIGNS.sub(lambda sign: f"\\u{ord(sign[0][0]):04x}{sign[0][1:]}", line)
        for line in text.split("\n")
    )


def say(text: str, stream: str = "stdout", end: str = "\n", lines: bool = False) -> None:
    """Print, made harmless; a terminal or reader that is gone costs the text, not the work.

    So does a full disk, but output_refused tells of it.

    Args:
        lines: the ends of lines in the text are its own; else it is one line.
    """
    _print(harmless_lines(text) if lines else harmless(text), stream, end)


def _print(text: str, stream: str, end: str) -> None:
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


def say_aside(text: str, lines: bool = False) -> None:
    """Print to standard error, as say."""
    say(text, "stderr", lines=lines)


def say_over(text: str, end: str = "") -> None:
    """Print over the line of a terminal where the cursor stands, to standard error, as say."""
    _print(f"\r{harmless(text)}\033[K", "stderr", end)
