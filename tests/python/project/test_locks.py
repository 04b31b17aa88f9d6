"""The locks of what `./run` installs agree with the requirements and name a hash of each."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))
import locks  # noqa: E402


def test_locks_and_requirements_agree():
    assert not locks.complaints()


def copied(folder):
    for path in (ROOT / "python").glob("requirements*"):
        shutil.copy(path, folder)
    return folder


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("requirements.txt", "ninja==1.13.0", "ninja==1.12.0",
         "ninja==1.12.0 has 1.13.0 in the lock"),
        ("requirements.txt", "torch==2.13.0", "torch==2.12.0",
         "torch==2.12.0 has 2.13.0 in the lock"),
        ("requirements-docs.txt", "furo==", "unheard-of==1.0\nfuro==",
         "unheard-of==1.0 has nothing in the lock"),
        ("requirements-tidy.lock", "--hash=sha256:", "--hash=md5:", "clang-tidy has no hash"),
        ("requirements-docs.lock", "furo==2025.12.19",
         "numpy==1.0 \\\n    --hash=sha256:" + 64 * "0" + "\nfuro==2025.12.19",
         "numpy is locked as 1.0 and 2.2.6"),
    ],
)  # fmt: skip
def test_a_lock_that_differs_is_named(tmp_path, file, old, new, said):
    path = copied(tmp_path) / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert any(said in line for line in locks.complaints(tmp_path))


def test_requirements_without_a_lock_are_named(tmp_path):
    (copied(tmp_path) / "requirements-new.txt").write_text("ninja==1.13.0\n")
    assert locks.complaints(tmp_path) == ["requirements-new.txt is not in tests/locks.py"]


# They were compared with nothing.
def test_requirements_that_are_gone_are_named(tmp_path):
    assert len(locks.complaints(tmp_path)) == len(locks.BESIDE)
    (copied(tmp_path) / "requirements-device.txt").unlink()
    assert locks.complaints(tmp_path) == ["requirements-device.txt is not there"]
    shutil.copy(ROOT / "python" / "requirements-device.txt", tmp_path)
    (tmp_path / "requirements-device.lock").unlink()
    assert locks.complaints(tmp_path) == ["requirements-device.lock is not there"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--write", "requirements-typo.txt"],
            "requirements-typo.txt, allowed: requirements.txt, ",
        ),
        (["--write", "--uv", "/nowhere/uv"], "--uv /nowhere/uv: no such program"),
        (["requirements.txt"], "requirements.txt without --write, which resolves them"),
    ],
)
def test_wrong_options_are_named(options, said):
    program = [sys.executable, ROOT / "tests" / "locks.py"]
    done = subprocess.run([*program, *options], capture_output=True, text=True)
    assert done.returncode == 2 and said in done.stderr
