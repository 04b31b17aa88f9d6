"""Execute notebooks from top to bottom in a fresh kernel, as Jupyter does, and compare what every
code cell shows with what it promises.

Usage: python tests/run_notebook.py NOTEBOOK... The files are not changed.

The metadata of a code cell hold its promise, "shows": a list of words that its text must contain,
and "image/png" for a picture; an empty list for a cell that shows nothing. Exit code 1 and the
cells on standard error where a cell raises, promises nothing or breaks its promise.
"""

import base64
import io
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

CELL_TIMEOUT_S = 300
PICTURE = "image/png"


def text_of(cell: Any) -> str:
    """Return all that a cell printed and its text results."""
    parts = []
    for output in cell.outputs:
        parts.append(output.get("text", ""))
        parts.append(output.get("data", {}).get("text/plain", ""))
    return "\n".join(parts)


def is_empty(picture: str) -> bool:
    """Whether a PNG (base64) has the same colour everywhere."""
    from matplotlib.image import imread

    pixels = imread(io.BytesIO(base64.b64decode(picture)))
    return bool((pixels == pixels[0, 0]).all())


def broken_promises(cell: Any) -> list[str]:
    """Return what is wrong with the outputs of an executed code cell."""
    promised = cell.metadata.get("shows")
    if promised is None:
        return ['its metadata do not say what it shows: "shows": [words or "image/png"], or []']
    if not promised:
        return ["it promises to show nothing and does"] if cell.outputs else []
    wrong = []
    pictures = [
        output.data[PICTURE] for output in cell.outputs if PICTURE in output.get("data", {})
    ]
    if PICTURE in promised and not pictures:
        wrong.append(f"no {PICTURE}; its text: {text_of(cell)[:200]!r}")
    if any(map(is_empty, pictures)):
        wrong.append(f"a {PICTURE} of one colour")
    text = text_of(cell)
    words = [word for word in promised if word != PICTURE]
    wrong += [f'no "{word}" in its text' for word in words if word not in text]
    return wrong


def execute(path: Path) -> list[str]:
    """Execute a notebook and return what is wrong with it, a line for each."""
    notebook = nbformat.read(path, as_version=4)
    started = time.monotonic()
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    )
    raised = []
    try:
        client.execute()
    except CellExecutionError as error:
        raised.append(f"{path}: {error}")
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    print(f"{path}: {len(cells)} code cells in {time.monotonic() - started:.0f} s")
    done = [cell for cell in cells if cell.execution_count is not None]
    sound = done[:-1] if raised else done
    wrong = [f"{path}: {cell.id}: {what}" for cell in sound for what in broken_promises(cell)]
    return wrong + raised


def main() -> int:
    os.environ.pop("MPLBACKEND", None)  # the kernel chooses, as in Jupyter
    warnings.simplefilter("ignore")
    wrong = [line for name in sys.argv[1:] for line in execute(Path(name).resolve())]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
