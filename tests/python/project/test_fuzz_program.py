"""tests/fuzz/run.py: its tables have every target, and one that tries nothing is no success."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def fuzz(monkeypatch, tmp_path):
    """Return the program, over a corpus of one file and a build folder of its own."""
    spec = importlib.util.spec_from_file_location("fuzz_run", ROOT / "tests" / "fuzz" / "run.py")
    fuzz = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "fuzz_run", fuzz)
    spec.loader.exec_module(fuzz)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "one.toml").write_text("preset = 1\n")
    monkeypatch.setattr(fuzz, "ROOT", tmp_path)
    monkeypatch.setattr(fuzz, "BUILD", tmp_path / "build")
    monkeypatch.setattr(fuzz, "CORPUS", tmp_path / "corpus")
    monkeypatch.setattr(fuzz, "PROGRAM", tmp_path / "program")
    return fuzz


def called(fuzz, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["run.py", *arguments])
    return fuzz.main()


def test_every_target_has_a_row_in_both_tables(fuzz):
    row = re.compile(r'^\s+(?:return )?\{+"(\w+)", fuzz_', re.MULTILINE)
    files = [ROOT / "tests" / "fuzz" / f"{name}.cpp" for name in ("targets", "training_targets")]
    named = {name for file in files for name in row.findall(file.read_text(encoding="utf-8"))}
    assert len(named) > 10
    assert set(fuzz.ENDINGS) == set(fuzz.FIXED) == named


@pytest.mark.parametrize(
    ("said", "code", "failed"),
    [
        ("stat::number_of_executed_units: 7", 0, 0),
        ("stat::number_of_executed_units: 7", 77, 1),
        ("", 0, 1),  # it counted as a target without a finding
    ],
)
def test_a_target_that_tried_no_input_has_failed(fuzz, monkeypatch, capsys, said, code, failed):
    case = f'case "$*" in *write-seeds*) exit 0 ;; esac\necho "{said}"\nexit {code}\n'
    fuzz.PROGRAM.write_text(f"#!/bin/sh\n{case}")
    fuzz.PROGRAM.chmod(0o755)
    assert called(fuzz, monkeypatch, "rules", "--fixed") == failed
    assert ("no input was tried" in capsys.readouterr().out) == (not said)


def test_a_program_that_is_not_built_is_named(fuzz, monkeypatch):
    with pytest.raises(SystemExit, match="program is not built: "):
        called(fuzz, monkeypatch, "rules")
