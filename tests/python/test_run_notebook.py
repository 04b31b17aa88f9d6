"""The gate for notebooks fails where a cell does not show what it promises."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
ROOT = Path(__file__).resolve().parents[2]
GATE = ROOT / "tests" / "run_notebook.py"

# A figure without pyplot, as plots.py once returned it; imported by a cell of its own.
PLAIN_FIGURE = "from matplotlib.figure import Figure\nFigure(figsize=(3, 2)).subplots().figure"
EMPTY_FIGURE = "from schafkopf.figure import inline_figure\ninline_figure(figsize=(3, 2))"
DRAWN_FIGURE = """from schafkopf.figure import inline_figure
figure = inline_figure(figsize=(3, 2))
axes = figure.subplots()
axes.plot([1, 2])
figure"""


def notebook(path, *cells):
    """Write a notebook of (code, what it promises); None: nothing is said."""
    made = nbformat.v4.new_notebook()
    for number, (code, shows) in enumerate(cells):
        metadata = {} if shows is None else {"shows": shows}
        made.cells.append(
            nbformat.v4.new_code_cell(code, metadata=metadata, id=f"cell-{number:02}")
        )
    nbformat.write(made, path)
    return path


def test_broken_promises_fail_the_gate(tmp_path):
    broken = notebook(
        tmp_path / "broken.ipynb",
        (PLAIN_FIGURE, ["image/png"]),
        (EMPTY_FIGURE, ["image/png"]),
        ("print('one')", ["one", "two"]),
        ("1", None),
        ("2", []),
        (DRAWN_FIGURE, ["image/png"]),
        ("print('three')\n'four'", ["three", "four"]),
        ("x = 3", []),
        ("1 / 0", []),
        ("5", []),
    )
    done = subprocess.run(
        [sys.executable, GATE, broken],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
    )
    assert done.returncode == 1
    said = [line for line in done.stderr.splitlines() if "broken.ipynb: cell" in line]
    assert [line.split("broken.ipynb: ")[1].split(":")[0] for line in said] == [
        "cell-00", "cell-01", "cell-02", "cell-03", "cell-04",
    ]  # fmt: skip
    for line, words in zip(
        said, ("image/png", "one colour", '"two"', "shows", "nothing"), strict=True
    ):
        assert words in line
    assert "ZeroDivisionError" in done.stderr
