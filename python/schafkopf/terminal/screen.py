"""Lines on the screen: as wide as it is, colours only where the terminal has them."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TextIO

from schafkopf.say import harmless
from schafkopf.terminal import words

WIDTH = 79  # of a line at most: wider ones read badly
NARROWEST = 39  # below it words are torn apart
INDENT = 2
NAME_WIDTH = 11  # of the column of player names
_COLOURS = {"E": "1", "G": "32", "H": "31", "S": "33"}  # bold, green, red, yellow
_DIM, _BOLD = "2", "1"
_RESET = "\033[0m"


class Screen:
    """Writes lines; raises BrokenPipeError when the reader is gone.

    Args:
        out: text stream.
        colours: suits in colours, titles in bold.
        pause_s: seconds after what another player does, 0 = none.
        columns: of the window, asked for every line, since a window changes; None = wide enough.
    """

    def __init__(
        self,
        out: TextIO,
        colours: bool = False,
        pause_s: float = 0.0,
        columns: Callable[[], int] | None = None,
    ) -> None:
        self._out = out
        self._colours = colours
        self._pause_s = pause_s
        self._columns = columns

    @property
    def width(self) -> int:
        """Columns of a line; the last one of the window stays free, where some terminals break."""
        if self._columns is None:
            return WIDTH
        return min(max(self._columns() - 1, NARROWEST), WIDTH)

    def line(self, text: str = "") -> None:
        """A line; one that is too long goes on below, as far indented as it begins."""
        text = text.rstrip()
        if visible_width(text) <= self.width:
            self._write(text)
            return
        words_of_text = text.lstrip(" ").split(" ")
        self.wrapped(" " * (len(text) - len(text.lstrip(" "))), words_of_text)

    def command(self, text: str, command: str) -> None:
        """A text and what may be typed; where both do not fit, the command is a line of its own and
        never broken here: a terminal that breaks it gives it back in one piece."""
        if visible_width(text) + 1 + visible_width(command) <= self.width:
            self._write(f"{text} {command}")
            return
        self.line(text)
        self._write(command)

    def title(self, text: str) -> None:
        self.line()
        self.line(self._style(f"-- {text} ".ljust(self.width, "-"), _BOLD))

    def done_by(self, name: str, text: str) -> None:
        """What a player did: name in a column of its own."""
        start = " " * INDENT + name.ljust(NAME_WIDTH)
        self.wrapped(start, text.split(" "))

    def wrapped(self, start: str, parts: Iterable[str], between: str = " ") -> None:
        """Parts that are not torn apart, in lines of the same indentation as `start`.

        A part that is longer than a line is torn apart between its words.
        """
        indent = visible_width(start)
        line, width, empty = start, indent, True
        for part, space in _pieces(parts, between, self.width - indent):
            needed = len(space) + visible_width(part) + len(between.rstrip())
            if not empty and width + needed > self.width:
                self._write(line + space.rstrip())
                line, width, empty = " " * indent, indent, True
            line += part if empty else space + part
            width += visible_width(part) + (0 if empty else len(space))
            empty = False
        self._write(line)

    def _write(self, text: str) -> None:
        self._out.write(harmless(text.rstrip(), self._colours) + "\n")
        self._out.flush()

    @contextlib.contextmanager
    def hurried(self) -> Iterator[None]:
        """No pauses within."""
        before, self._pause_s = self._pause_s, 0.0
        try:
            yield
        finally:
            self._pause_s = before

    def pause(self, factor: float = 1.0) -> None:
        if self._pause_s > 0:
            time.sleep(self._pause_s * factor)

    def card(self, card: str, allowed: bool = True, short: bool = False) -> str:
        """Name of a card in the colour of its suit; in brackets if it may not be played now."""
        text = card if short else words.card_title(card)
        if not allowed:
            return self._style(f"({text})", _DIM)
        return self._style(text, _COLOURS[card[0]])

    def cards(self, cards: Iterable[str], short: bool = False) -> str:
        return (" " if short else ", ").join(self.card(card, short=short) for card in cards)

    def strong(self, text: str) -> str:
        return self._style(text, _BOLD)

    def _style(self, text: str, code: str) -> str:
        return f"\033[{code}m{text}{_RESET}" if self._colours else text


def _pieces(parts: Iterable[str], between: str, width: int) -> Iterable[tuple[str, str]]:
    """(piece, what stands before it) of parts and of the words of parts that are too long."""
    for part in parts:
        if visible_width(part) <= width:
            yield part, between
            continue
        for number, word in enumerate(part.split(" ")):
            yield word, " " if number else between


def window_columns() -> int:
    """Columns of the terminal, by the variable COLUMNS where it is set."""
    return shutil.get_terminal_size((WIDTH + 1, 24)).columns


def visible_width(text: str) -> int:
    """Columns of a text, colour codes not counted."""
    width = inside = 0
    for letter in text:
        if letter == "\033":
            inside = 1
        elif inside:
            inside = letter != "m"
        else:
            width += 1
    return width


def wants_colours(out: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """A terminal, unless NO_COLOR is set to something or it calls itself dumb."""
    return out.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
