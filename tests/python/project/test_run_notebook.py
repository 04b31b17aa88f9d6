"""The gate for notebooks fails where a cell does not show what it promises."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
ROOT = Path(__file__).resolve().parents[3]
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


def gate(*arguments):
    """Run the gate; (exit code, standard error)."""
    done = subprocess.run(
        [sys.executable, GATE, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
    )
    return done.returncode, done.stderr


def test_the_stored_outputs_are_those_of_the_code():
    assert gate("--check", ROOT / "python" / "notebooks") == (0, "")


def test_a_stored_copy_goes_stale_with_its_code_and_the_short_form_writes_nothing(tmp_path):
    path = notebook(tmp_path / "sum.ipynb", ("N = 1000", []), ("print(f'{N} deals')", ["deals"]))
    made = nbformat.read(path, as_version=4)
    made.cells[0].metadata["short"] = {"N": 7}
    made.cells[1].metadata["shows"] = ["7 deals"]
    nbformat.write(made, path)
    assert "its outputs are not those of its code" in gate("--check", path)[1]
    before = path.read_bytes()
    assert gate("--short", path) == (0, "")
    assert path.read_bytes() == before
    code, said = gate("--store", path)
    assert code == 1 and 'no "7 deals"' in said  # the long form has 1000
    assert path.read_bytes() == before
    made.cells[1].metadata["shows"] = ["deals"]
    nbformat.write(made, path)
    assert gate("--store", path) == (0, "")
    assert gate("--check", path) == (0, "")
    stored = nbformat.read(path, as_version=4)
    stored.cells[0].source = "N = 2000"
    nbformat.write(stored, path)
    assert "its outputs are not those of its code" in gate("--check", path)[1]


def test_figures_that_are_no_longer_those_of_the_stored_run_are_noticed(tmp_path):
    """The code is the same: what it calls is another one."""
    (tmp_path / "engine.py").write_text("POINTS = 3\n")
    path = notebook(
        tmp_path / "engine.ipynb",
        ("import engine\nDEALS = 1000", []),
        ("print('a game')\nprint(engine.POINTS * DEALS, 'points')", ["points"]),
        ("DEALS * engine.POINTS", ["0"]),
    )
    made = nbformat.read(path, as_version=4)
    made.cells[0].metadata["short"] = {"DEALS": 10}
    made.cells[2].metadata["varies"] = True
    nbformat.write(made, path)
    assert gate("--store", path) == (0, "")
    assert nbformat.read(path, as_version=4).metadata["short_form"] == {
        "cell-01": "a game\n30 points\n"
    }
    before = path.read_bytes()
    assert gate("--short", path) == gate("--check", path) == (0, "")
    (tmp_path / "engine.py").write_text("POINTS = 40\n")
    for form, now, then in ((["--short"], 400, 30), ([], 40000, 3000)):
        code, said = gate(*form, path)
        assert code == 1 and said.count("cell-") == 1
        assert f'cell-01: it shows "{now} points" now, stored is "{then} points"' in said
    assert path.read_bytes() == before


def test_what_a_kernel_says_at_its_end_is_no_failure(tmp_path):
    ends = "import atexit, os; _ = atexit.register(os.write, 2, b'last words')"
    assert gate(notebook(tmp_path / "ends.ipynb", (ends, []))) == (0, "")


def test_outputs_with_the_shipped_network_go_stale_with_it(tmp_path, monkeypatch):
    gate_module = importlib.util.spec_from_file_location("run_notebook", GATE)
    run_notebook = importlib.util.module_from_spec(gate_module)
    gate_module.loader.exec_module(run_notebook)
    made = [notebook(tmp_path / name, (name, [])) for name in ("'net:baseline'", "'rules'")]
    made = [nbformat.read(path, as_version=4) for path in made]
    before = [run_notebook.stamp_of(one) for one in made]
    trained = tmp_path / "baseline.safetensors"
    trained.write_bytes(b"another one")
    monkeypatch.setattr(run_notebook, "SHIPPED", trained)
    after = [run_notebook.stamp_of(one) for one in made]
    assert after[0] != before[0] and after[1] == before[1]


def test_stored_copies_name_no_place_of_the_machine_and_stay_small(tmp_path):
    path = notebook(
        tmp_path / "places.ipynb",
        ("print('/home/somebody/runs')", ["runs"]),
        ("print('x' * 300_000)", ["x"]),
    )
    said = gate("--store", path)[1]
    assert "cell-00: it shows a place of the machine, /home/" in said
    assert "allowed: up to 300000" in said


def test_a_short_value_for_a_name_that_is_not_there_is_refused(tmp_path):
    path = notebook(tmp_path / "short.ipynb", ("DEALS = 3", []))
    made = nbformat.read(path, as_version=4)
    made.cells[0].metadata["short"] = {"DEAL": 1}
    nbformat.write(made, path)
    code, said = gate("--short", path)
    assert code == 1 and '"short" names DEAL, which it does not assign' in said


def test_a_folder_without_notebooks_and_a_place_that_is_not_there_are_refused(tmp_path):
    for place in (tmp_path, tmp_path / "gone.ipynb"):
        for how in ("--short", "--check"):
            done = subprocess.run(
                [sys.executable, GATE, how, place], capture_output=True, text=True, timeout=60
            )
            assert done.returncode == 2
            assert f"{place}: no notebook, allowed: " in done.stderr
