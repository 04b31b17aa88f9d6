"""Extras of the package: each is declared, described, and tried by tests/wheel_extras.py."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from schafkopf.extras import load_extra

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))

import wheel_extras  # noqa: E402


def named_by_errors():
    """Return the extras that load_extra() tells people to install."""
    found = set()
    for path in (ROOT / "python" / "schafkopf").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and len(node.args) > 1:
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name == "load_extra" and isinstance(node.args[1], ast.Constant):
                    found.add(node.args[1].value)
    return found


def test_errors_name_extras_that_there_are():
    named = named_by_errors()
    assert len(named) > 8
    assert named <= set(wheel_extras.extras())


# With starlette alone a second call named uvicorn.
@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_the_table_in_the_browser_names_both_packages_at_once(missing):
    calls = [
        node
        for path in (ROOT / "python" / "schafkopf" / "serve").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "extras.load_extra"
    ]
    arguments = {tuple(ast.literal_eval(one) for one in node.args) for node in calls}
    ((module, *rest),) = [words for words in arguments if words[0] == missing]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, module, None)
        with pytest.raises(ModuleNotFoundError, match=r"pip install starlette uvicorn, or "):
            load_extra(module, *rest)


# As ray without the packages of its extra rllib: "No module named 'tree'" said nothing of ray.
def test_a_package_without_those_of_its_own_extra_says_how_to_install_them(tmp_path, monkeypatch):
    (tmp_path / "half_there.py").write_text("import not_there_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    said = r"not_there_at_all is not installed: pip install 'half_there\[all\]', or .*\[rllib\]"
    with pytest.raises(ModuleNotFoundError, match=said):
        load_extra("half_there", "rllib", "'half_there[all]'")
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'not_there_at_all'"):
        load_extra("half_there", "rllib")


def test_every_extra_has_a_trial_and_a_line_of_the_page():
    page = (ROOT / "python" / "docs" / "packages.md").read_text(encoding="utf-8")
    lines = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert set(wheel_extras.extras()) == set(wheel_extras.PARTS) == lines


def test_trials_are_python():
    for part in wheel_extras.PARTS.values():
        ast.parse(part)


WITHOUT_NUMPY = """
import subprocess
import sys
sys.modules["numpy"] = None
try:
    import schafkopf
except ModuleNotFoundError as error:
    print(error.name, error, sep=": ")
"""


def test_the_package_without_numpy_says_what_is_missing():
    command = [sys.executable, "-c", WITHOUT_NUMPY]
    env = {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.stdout == "numpy: numpy is not installed: pip install numpy\n", done.stderr


HIDDEN_NUMPY = """
import subprocess
import sys
import pathlib
folder = pathlib.Path(sys.argv[1])
(folder / "numpy.py").write_text("raise ImportError('planted: of another Python')")
sys.path.insert(0, str(folder))
try:
    import schafkopf
except ImportError as error:
    print(error)
"""


def test_a_numpy_that_cannot_be_loaded_is_named(tmp_path):
    command = [sys.executable, "-c", HIDDEN_NUMPY, str(tmp_path)]
    env = {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    said = "schafkopf needs numpy, which cannot be imported: planted: of another Python\n"
    assert done.stdout == said, done.stderr
