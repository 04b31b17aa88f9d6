"""What `./run sanitize` takes and leaves out (tests/sanitize/run.py)."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
spec = importlib.util.spec_from_file_location("sanitize", ROOT / "tests" / "sanitize" / "run.py")
sanitize = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sanitize)


def test_the_short_form_goes_through_every_file_of_the_bindings():
    files = {path.stem for path in (ROOT / "bindings").glob("*.cpp")}
    files = {name for name in files if not name.startswith("training")}
    assert files == {name for names in sanitize.SHORT.values() for name in names}


def test_what_is_named_is_there_and_left_out_for_a_reason():
    here = ROOT / "tests" / "python"
    for name in sanitize.SHORT:
        assert (here / name).is_file() and name not in sanitize.LEFT_OUT
    for name, reason in sanitize.LEFT_OUT.items():
        file, _, test = name.partition("::")
        begin = f"def {test.partition('[')[0]}(" if test else "def test_"
        assert begin in (here / file).read_text(encoding="utf-8"), name
        assert reason
