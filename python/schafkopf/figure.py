"""A matplotlib figure that a notebook shows; imported only where one is drawn."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class InlineFigure(Figure):
    """Figure that Jupyter shows as the last line of a cell.

    It needs neither pyplot nor a backend: a plain Figure shows its text only, unless something else
    in the notebook has set up a backend.
    """

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=100)
        return file.getvalue()
