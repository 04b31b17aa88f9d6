"""Programs of tests/ that write what cannot be had again at once are stopped, and leave no half."""

import os
import shutil
import stat
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))
import locks  # noqa: E402
import rule_rows  # noqa: E402


@pytest.fixture
def stopped(monkeypatch):
    """Stop a program where it would give a finished file its name."""

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stop)


def texts(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_rule_rows_are_written_whole_or_not_at_all(tmp_path, monkeypatch, stopped):
    for name in ("PAGE", "WITHOUT_TEST"):
        place = tmp_path / getattr(rule_rows, name).name
        shutil.copy(getattr(rule_rows, name), place)
        monkeypatch.setattr(rule_rows, name, place)
    rule_rows.PAGE.write_text("an older page\n")
    monkeypatch.setattr(sys, "argv", ["rule_rows.py"])
    before = texts(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        rule_rows.main()
    assert texts(tmp_path) == before


def test_locks_are_written_whole_or_not_at_all(tmp_path, monkeypatch, stopped):
    for path in (ROOT / "python").glob("requirements*"):
        shutil.copy(path, tmp_path)
    monkeypatch.setattr(locks, "PYTHON", tmp_path)
    monkeypatch.setattr(locks, "resolve", lambda *_: "new==1.0 \\\n    --hash=sha256:0\n")
    before = texts(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        locks.write("uv", ["requirements-docs.txt"])
    assert texts(tmp_path) == before


def test_outcomes_of_written_faults_are_written_whole_or_not_at_all(tmp_path, monkeypatch, stopped):
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "mutants"))
    import run as written

    page = Path(shutil.copy(written.PAGE, tmp_path))
    monkeypatch.setattr(written, "PAGE", page)
    monkeypatch.setattr(written, "copy_tree", lambda *_: None)
    monkeypatch.setattr(written, "build", lambda *_: None)
    monkeypatch.setattr(written, "red_tests", lambda *_: [])
    monkeypatch.setattr(written, "finders", lambda *_: ["Rules.R_001"])
    monkeypatch.setattr(written, "call", lambda *_: type("Done", (), {"returncode": 0}))
    monkeypatch.setattr(sys, "argv", ["run.py", "--report", "--again"])
    before = texts(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        written.main()
    assert texts(tmp_path) == before


def test_what_is_written_again_keeps_its_rights(tmp_path):
    import whole_files

    (tmp_path / "page.md").write_text("old")
    (tmp_path / "page.md").chmod(0o640)
    whole_files.write_text(tmp_path / "page.md", "neu: ä\n")
    assert texts(tmp_path) == {"page.md": "neu: ä\n"}
    assert stat.S_IMODE((tmp_path / "page.md").stat().st_mode) == 0o640
