"""Execute notebooks and compare what every cell shows with what it promises, and showed before.

They run from top to bottom in a fresh kernel, as Jupyter does; before is when their outputs were
stored.

Usage: python tests/run_notebook.py [--short | --store | --check] NOTEBOOK_OR_FOLDER...

Without an option a notebook is executed as it stands and not changed. --short executes the short
form, which CI runs: the metadata of a code cell may name other values for what it assigns,
"short": {name: value}. --store writes the outputs into the notebook, which code they come from, and
the text of the short form (up to two minutes each): after every change of a code cell, of the
shipped network where they name it, and of figures that --short finds changed. --check executes
nothing: it says whether the stored outputs come from the stored code and from this network, keep
their promises, are small and name no place of the machine that made them.

A notebook without a change of its own goes stale with what it calls: rules, players, random
numbers. That is why --short compares texts with those that the short form had when the notebook was
stored: a change that shows in none of its few deals is not seen, pictures are not compared.

The metadata of a code cell hold its promise, "shows": a list of words that its text must contain,
and "image/png" for a picture; an empty list for a cell that shows nothing. "varies": true: its text
depends on the clock or on how a processor rounds in training, and is not compared. Exit code 1 and
the cells on standard error where a cell raises, promises nothing, breaks its promise or shows
something else.
"""

import argparse
import ast
import base64
import hashlib
import io
import os
import re
import sys
import tempfile
import time
import warnings
from itertools import zip_longest
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

CELL_TIMEOUT_S = 900
LARGEST = 300_000  # bytes of a stored notebook
PICTURE = "image/png"
STAMP = "outputs_of"  # key of a notebook's metadata: sources that its outputs come from
SHORT_FORM = "short_form"  # another one: cell -> text of the short form, where it is another one
SHIPPED = Path(__file__).resolve().parents[1] / "agents/network/shipped/baseline.safetensors"
MACHINE_PATH = re.compile(r"(?<![\w.:~/])/(?:home|root|tmp|usr|var|work|opt|mnt|srv|Users)/")


def code_cells(notebook: Any) -> list[Any]:
    """Return the cells with code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def text_of(cell: Any) -> str:
    """Return all that a cell printed, in however many parts it came, and its text results."""
    text = ""
    for output in cell.outputs:
        text += output.get("text", "")
        results = [output.get("data", {}).get(kind) for kind in ("text/plain", "text/markdown")]
        text += "".join(f"{result}\n" for result in results if result)
    return text


def texts_of(notebook: Any) -> dict[str, str]:
    """Return the texts that must be the same in every execution, by cell."""
    texts = {cell.id: text_of(cell) for cell in code_cells(notebook) if not varies(cell)}
    return {name: text for name, text in texts.items() if text}


def varies(cell: Any) -> bool:
    """Whether the text of a cell depends on the clock or on the processor."""
    return bool(cell.metadata.get("varies", False))


def changes(stored: dict[str, str], found: dict[str, str]) -> list[str]:
    """Return where texts are not those that are stored, the first line of each."""
    wrong = []
    for name in sorted(set(stored) & set(found)):
        lines = zip_longest(*(texts[name].splitlines() for texts in (stored, found)), fillvalue="")
        for then, now in lines:
            if now != then:
                wrong.append(f'{name}: it shows "{now}" now, stored is "{then}"')
                break
    return wrong


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


def assigned(source: str) -> set[str]:
    """Return the names that a cell assigns at its outermost level."""
    return {
        target.id
        for statement in ast.parse(source).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def shorten(notebook: Any) -> list[str]:
    """Make the short form of a notebook, and return what is wrong with its short values."""
    wrong = []
    for cell in code_cells(notebook):
        values = cell.metadata.get("short", {})
        unknown = sorted(set(values) - (assigned(cell.source) if values else set()))
        wrong += [f'{cell.id}: "short" names {name}, which it does not assign' for name in unknown]
        cell.source += "".join(f"\n{name} = {value!r}" for name, value in values.items())
    return wrong


def stamp_of(notebook: Any) -> str:
    """Return what stands for the code of a notebook, and for the shipped network that it names."""
    code = "\0".join(cell.source for cell in code_cells(notebook)).encode()
    network = SHIPPED.read_bytes() if SHIPPED.stem.encode() in code else b""
    return hashlib.sha256(code + network).hexdigest()


def run(path: Path, short: bool) -> tuple[Any, list[str]]:
    """Execute a notebook; return it with its outputs, and what is wrong with it."""
    notebook = nbformat.read(path, as_version=4)
    wrong = shorten(notebook) if short else []
    for cell in code_cells(notebook):
        cell.update(outputs=[], execution_count=None)
    metadata = nbformat.from_dict(notebook.metadata)
    started = time.monotonic()
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    raised = []
    with tempfile.TemporaryFile() as said:  # by the kernel, which stumbles over itself at its end
        try:
            client.execute(stderr=said)
        except CellExecutionError as error:
            raised.append(f"{path}: {error}")
        except DeadKernelError:
            said.seek(0)
            print(said.read().decode(errors="replace"), file=sys.stderr)
            raise
    notebook.metadata = metadata  # without what the kernel says of itself
    cells = code_cells(notebook)
    print(f"{path}: {len(cells)} code cells in {time.monotonic() - started:.0f} s")
    done = [cell for cell in cells if cell.execution_count is not None]
    sound = done[:-1] if raised else done
    wrong += [f"{cell.id}: {what}" for cell in sound for what in broken_promises(cell)]
    return notebook, [f"{path}: {what}" for what in wrong] + raised


def execute(path: Path, short: bool = False, store: bool = False) -> list[str]:
    """Execute a notebook and return what is wrong with it, a line for each."""
    stored = nbformat.read(path, as_version=4)
    notebook, wrong = run(path, short)
    if store:
        return wrong or write(path, notebook)
    if STAMP in stored.metadata:
        texts = texts_of(stored) | (stored.metadata.get(SHORT_FORM, {}) if short else {})
        found = changes(texts, texts_of(notebook))
        wrong += [f"{path}: {what}; if it should: --store" for what in found]
    return wrong


def write(path: Path, notebook: Any) -> list[str]:
    """Store a notebook that was executed, and return what is wrong with it."""
    brief = notebook
    wrong: list[str] = []
    if any(cell.metadata.get("short") for cell in code_cells(notebook)):
        brief, wrong = run(path, short=True)
    if wrong:
        return wrong
    notebook.metadata[STAMP] = stamp_of(notebook)
    long_form = texts_of(notebook)
    notebook.metadata[SHORT_FORM] = {
        name: text for name, text in texts_of(brief).items() if text != long_form.get(name)
    }
    nbformat.write(notebook, path)
    return check(path)


def check(path: Path) -> list[str]:
    """Return what is wrong with the stored outputs of a notebook, a line for each."""
    notebook = nbformat.read(path, as_version=4)
    wrong = []
    if notebook.metadata.get(STAMP) != stamp_of(notebook):
        wrong.append(
            "its outputs are not those of its code, or of the network that is shipped now: python "
            "tests/run_notebook.py --store"
        )
    for cell in code_cells(notebook):
        wrong += [f"{cell.id}: {what}" for what in broken_promises(cell)]
        found = MACHINE_PATH.search(text_of(cell) + cell.source)
        wrong += [f"{cell.id}: it shows a place of the machine, {found[0]}"] if found else []
    size = path.stat().st_size
    if size > LARGEST:
        wrong.append(f"{size} bytes, allowed: up to {LARGEST}")
    wrong += shorten(notebook)
    return [f"{path}: {what}" for what in wrong]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--short", action="store_true", help="execute the short form")
    how.add_argument("--store", action="store_true", help="write the outputs into the notebooks")
    how.add_argument("--check", action="store_true", help="look at the stored outputs only")
    parser.add_argument("places", nargs="+", type=Path, metavar="NOTEBOOK_OR_FOLDER")
    given = parser.parse_args()
    os.environ.pop("MPLBACKEND", None)  # the kernel chooses, as in Jupyter
    warnings.simplefilter("ignore")
    paths = []
    for place in given.places:
        found = sorted(place.glob("*.ipynb")) if place.is_dir() else [place]
        if not found or not found[0].is_file():
            parser.error(f"{place}: no notebook, allowed: a notebook or a folder of notebooks")
        paths += [path.resolve() for path in found]
    wrong = []
    for path in paths:
        wrong += check(path) if given.check else execute(path, given.short, given.store)
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
