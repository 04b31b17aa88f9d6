"""Files that commands write: whole or not at all, and checked before the work."""

import os
import stat
from pathlib import Path

import pytest

files = pytest.importorskip("schafkopf.files", exc_type=ImportError)


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_is_replaced_in_one_step_and_keeps_its_rights(tmp_path):
    path = tmp_path / "a.json"
    files.write_text(path, "one")
    assert path.read_text() == "one"
    path.chmod(0o640)
    files.write_text(path, "two")
    assert path.read_text() == "two" and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names(tmp_path) == ["a.json"]


def test_a_full_disk_leaves_the_old_file_and_the_error_names_it(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"a.json") as error:
        files.write_text(path, "new")
    assert error.value.errno == 28 and "/.a.json" not in str(error.value)
    assert path.read_text() == "old" and names(tmp_path) == ["a.json"]


def test_a_missing_folder_is_named_by_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no/a.json"):
        files.write_text(tmp_path / "no" / "a.json", "text")


def test_links_stay_and_devices_are_written_to(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "a.json")
    files.write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "a.json").read_text() == "text"
    files.write_text("/dev/null", "text")
    assert not os.path.isfile("/dev/null")


def test_outputs_are_checked_before_the_work(tmp_path):
    files.check_outputs({"--json": tmp_path / "a", "--html": tmp_path / "b", "--page": None})
    files.check_outputs({"--json": "/dev/null", "--html": "/dev/null"})
    with pytest.raises(ValueError, match=r"--json .*folder"):
        files.check_outputs({"--json": tmp_path})
    with pytest.raises(FileNotFoundError, match=r"--html .*does not exist"):
        files.check_outputs({"--html": tmp_path / "no" / "b"})
    with pytest.raises(ValueError, match="--json and --html name the same file"):
        files.check_outputs({"--json": tmp_path / "a", "--html": f"{tmp_path}/./a"})


def test_what_killed_writers_left_goes_and_nothing_else(tmp_path):
    path = tmp_path / "a.json"
    mine = [".a.json.tmp-short", ".a.json.tmp-UPPERCAS", ".a.json.original", ".b.json.tmp-abcdefgh"]
    for name in [*mine, ".a.json.tmp-abcd_123"]:
        (tmp_path / name).write_text("torn")
    (tmp_path / ".a.json.tmp-afolder1").mkdir()
    files.write_text(path, "new")
    assert names(tmp_path) == sorted([*mine, ".a.json.tmp-afolder1", "a.json"])


def test_a_temporary_file_in_use_is_no_leftover(tmp_path):
    path = tmp_path / "a.json"
    with files.beside(path, b"first") as temporary:
        files.write_text(path, "second")
        assert path.read_text() == "second"
        os.replace(temporary, path)
    assert path.read_text() == "first" and names(tmp_path) == ["a.json"]


def test_of_two_that_begin_a_folder_at_once_the_second_takes_nothing_away(tmp_path, monkeypatch):
    folder = tmp_path / "a" / "b"

    def begin(text):
        return files.begun_folder(folder, ("first.toml", text), used=lambda: False)

    with begin("seed = 1\n"):
        # the second has looked before the first wrote
        with monkeypatch.context() as before:
            before.setattr(Path, "iterdir", lambda folder: iter(()))
            with pytest.raises(ValueError, match="another run has begun"), begin("seed = 2\n"):
                pass
        assert names(folder) == ["first.toml"]
        assert (folder / "first.toml").read_text() == "seed = 1\n"


def test_a_first_file_that_could_not_be_read_again_is_refused_before_anything_is_made(tmp_path):
    with (
        pytest.raises(ValueError, match="allowed: 1048576"),
        files.begun_folder(tmp_path / "a", ("a.json", "x" * 2**20 + "x"), used=lambda: False),
    ):
        pass
    assert not (tmp_path / "a").exists()
