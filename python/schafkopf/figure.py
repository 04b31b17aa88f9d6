"""A matplotlib figure that a notebook shows."""

from __future__ import annotations

import io
from functools import cache
from typing import Any


@cache
def _inline_class() -> Any:
    from matplotlib.figure import Figure

    class InlineFigure(Figure):
        def _repr_png_(self) -> bytes:
            file = io.BytesIO()
            self.savefig(file, format="png", dpi=100)
            return file.getvalue()

    return InlineFigure


def inline_figure(**options: Any) -> Any:
    """Return a matplotlib Figure that Jupyter shows as the last line of a cell.

    It needs neither pyplot nor a backend: a plain Figure shows its text only, unless something else
    in the notebook has set up a backend.
    """
    return _inline_class()(**options)
