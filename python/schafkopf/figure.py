"""Figures of matplotlib in the colours of the pages: in a notebook, as a file, within a page."""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from html import escape
from typing import Any

from schafkopf.extras import load_extra
from schafkopf.report_style import LIGHT_COLOURS, SERIES

# by variable
COLOURS: dict[str, str] = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", LIGHT_COLOURS))
PIXELS_PER_INCH = 72  # of the SVG files of matplotlib
_PROLOGUE = re.compile(r"^.*?(?=<svg)|<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)
_STYLE = re.compile(r'<defs>\s*<style type="text/css">.*?</style>\s*</defs>', re.DOTALL)
_UNUSED_ID = re.compile(r'<g id="[^"]*">')
_FONT = re.compile(r"font: (?:\w+ )?([\d.]+px) [^;\"]*")


@contextmanager
def _letters_may_be_missing() -> Iterator[None]:
    """Tell nobody that matplotlib's font lacks letters of a name; a page has fonts of its own."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from", UserWarning)
        yield


def _matplotlib() -> Any:
    """Import matplotlib. Raises as check_backend, and ModuleNotFoundError: it is missing, or
    cannot be loaded here."""
    try:
        return load_extra("matplotlib", "plots")
    except ValueError as error:  # it looks at MPLBACKEND when it is loaded
        raise ValueError(
            f'MPLBACKEND = "{os.environ.get("MPLBACKEND")}", allowed: a backend of matplotlib, '
            f"such as agg, or no MPLBACKEND at all; matplotlib says: {error}"
        ) from error
    except (OSError, RuntimeError) as error:  # nowhere may it write its cache; a user without home
        words = (
            f"matplotlib cannot be loaded: {error} (allowed: HOME, or MPLCONFIGDIR, that names a "
            "folder one may write to)"
        )
        raise ModuleNotFoundError(words, name="matplotlib") from error


def check_backend() -> None:
    """Refuse an MPLBACKEND that no figure can be drawn with, before the work that it shows is done.

    Raises:
        ValueError: names the variable and what is allowed.
    """
    if os.environ.get("MPLBACKEND"):
        with suppress(ImportError):  # pages say themselves what is missing
            _matplotlib()


@cache
def _inline_class() -> Any:
    _matplotlib()
    from matplotlib.figure import Figure

    class InlineFigure(Figure):
        def savefig(self, *arguments: Any, **options: Any) -> None:
            with _letters_may_be_missing():
                super().savefig(*arguments, **options)

        def _repr_png_(self) -> bytes:
            file = io.BytesIO()
            self.savefig(file, format="png", dpi=100)
            return file.getvalue()

    return InlineFigure


def inline_figure(**options: Any) -> Any:
    """Return a matplotlib Figure that Jupyter shows as the last line of a cell.

    It needs neither pyplot nor a backend: a plain Figure shows its text only, unless something else
    in the notebook has set up a backend.

    Raises:
        ModuleNotFoundError: matplotlib is missing; names how to install it.
    """
    return _inline_class()(**options)


def page_colours(**changed: Any) -> AbstractContextManager[Any]:
    """Return a context in which matplotlib draws in the light colours of the pages.

    Raises:
        ModuleNotFoundError: matplotlib is missing; names how to install it.
    """
    matplotlib = _matplotlib()
    ink, soft, axis, grid, card = (COLOURS[k] for k in ("ink", "soft", "axis", "grid", "card"))
    series = matplotlib.cycler(color=[COLOURS[f"s{i}"] for i in range(SERIES)])
    settings = {
        "figure.facecolor": card, "axes.facecolor": card, "axes.edgecolor": axis,
        "axes.labelcolor": soft, "axes.titlecolor": ink, "text.color": ink,
        "xtick.color": axis, "ytick.color": axis, "xtick.labelcolor": soft,
        "ytick.labelcolor": soft, "grid.color": grid, "axes.prop_cycle": series,
        "legend.facecolor": card, "legend.edgecolor": grid, "axes.axisbelow": True,
    }  # fmt: skip
    context: AbstractContextManager[Any] = matplotlib.rc_context(settings | changed)
    return context


def svg_text(figure: Any, name: str, label: str) -> str:
    """Return a figure drawn in page_colours() as an SVG element for a page.

    Its colours are the variables of the page, so it follows the scheme of the screen; its text
    stays text, in the font of the page.

    Args:
        name: of the figure, no other one in the page has it: the ids within come from it.
        label: what it shows, for those who do not see it.
    """
    matplotlib = _matplotlib()
    file = io.StringIO()
    fixed = {"svg.fonttype": "none", "svg.hashsalt": name}
    with matplotlib.rc_context(fixed):
        figure.savefig(file, format="svg", facecolor="none", metadata={"Date": None})
    text = _STYLE.sub("", _PROLOGUE.sub("", file.getvalue()))
    text = _FONT.sub(r"font-size: \1", _UNUSED_ID.sub("<g>", text))
    for variable, colour in COLOURS.items():
        text = text.replace(colour, f"var(--{variable})")
    width, height = (round(PIXELS_PER_INCH * inches, 1) for inches in figure.get_size_inches())
    head = f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(label)}">'
    return re.sub(r"\s*\n\s*", "\n", head + text.split(">", 1)[1]).strip()
