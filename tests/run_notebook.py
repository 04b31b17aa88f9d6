"""Execute notebooks from top to bottom in a fresh kernel; fail with the cell and its error.

Usage: python tests/run_notebook.py NOTEBOOK... The files are not changed.
"""

import os
import sys
import time
import warnings
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

CELL_TIMEOUT_S = 300


def execute(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    started = time.monotonic()
    NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    cells = sum(cell.cell_type == "code" for cell in notebook.cells)
    print(f"{path}: {cells} code cells in {time.monotonic() - started:.0f} s")


def main() -> int:
    os.environ.setdefault("MPLBACKEND", "Agg")
    warnings.simplefilter("ignore")
    for name in sys.argv[1:]:
        try:
            execute(Path(name).resolve())
        except CellExecutionError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
