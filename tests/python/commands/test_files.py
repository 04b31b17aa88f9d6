"""Files that commands write: whole or not at all, and checked before the work."""

import errno
import fcntl
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from schafkopf import cli, files, plots, records
from schafkopf.datasets import settings
from schafkopf.terminal.kept import TableFile


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


def test_a_file_of_another_user_in_a_sticky_folder_is_refused_before_the_work(
    tmp_path, monkeypatch
):
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)  # as /tmp: only the owner of a file may replace it
    (folder / "a.json").write_text("old")
    (folder / "link").symlink_to("a.json")
    (tmp_path / "link").symlink_to("shared/a.json")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    for path in (folder / "a.json", folder / "link", tmp_path / "link"):
        with pytest.raises(PermissionError, match=re.escape(f"--json {path}: another user's file")):
            files.check_outputs({"--json": path})
    files.check_outputs({"--json": folder / "new.json"})
    folder.chmod(0o777)
    files.check_outputs({"--json": folder / "a.json"})
    folder.chmod(0o1777)
    for user in (0, os.getuid()):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        files.check_outputs({"--json": folder / "a.json"})


def test_a_file_that_is_replaced_keeps_its_group(tmp_path):
    mine = os.getgid()
    given = [mine + 1] if os.geteuid() == 0 else os.getgroups()  # which one may give a file to
    others = [group for group in given if group != mine]
    if not others:
        pytest.skip("no second group")
    path = tmp_path / "a.json"
    path.write_text("one")
    os.chown(path, -1, others[0])
    path.chmod(0o660)
    files.write_text(path, "two")
    assert path.read_text() == "two" and path.stat().st_gid == others[0]
    assert stat.S_IMODE(path.stat().st_mode) == 0o660


def test_a_file_that_is_not_there_is_told_apart_from_one_that_is_none(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"a\.toml: there is no such file, allowed: a song"):
        files.check_input(tmp_path / "a.toml", "a song")
    for path, words in ((tmp_path, "it is a folder"), ("", '"" names no file')):
        with pytest.raises(ValueError, match=words):
            files.check_input(path, "a song")
    (tmp_path / "a.toml").touch()
    files.check_input(tmp_path / "a.toml", "a song")


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


def test_a_file_is_whole_on_the_disk_before_it_gets_its_name(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_size))
    with files.beside(tmp_path / "a.json", b"new") as name:
        assert synced == [3] and Path(name).read_bytes() == b"new"


def test_nothing_stays_of_a_temporary_file_that_cannot_be_looked_at(tmp_path, monkeypatch):
    def unreadable(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fstat", unreadable)
    with pytest.raises(OSError, match=r"a.json"):
        files.write_text(tmp_path / "a.json", "text")
    assert names(tmp_path) == []


def test_a_missing_folder_is_named_by_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no/a.json"):
        files.write_text(tmp_path / "no" / "a.json", "text")


def test_a_folder_is_made_once_and_no_file_is_taken_for_it(tmp_path):
    files.make_folder(tmp_path / "a" / "b")
    files.make_folder(tmp_path / "a" / "b")
    (tmp_path / "file").write_text("precious")
    with pytest.raises(ValueError, match="file: it is a file, allowed: a folder"):
        files.make_folder(tmp_path / "file")


def test_links_stay_and_devices_are_written_to(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "a.json")
    files.write_text(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "a.json").read_text() == "text"
    files.write_text("/dev/null", "text")
    assert not os.path.isfile("/dev/null")


def test_a_pipe_of_the_shell_is_written_to(tmp_path):
    reader, writer = os.pipe()
    path = f"/dev/fd/{writer}"
    files.check_outputs({"--json": path, "--html": path})
    files.write_text(path, "text")
    os.close(writer)
    with open(reader, encoding="utf-8") as read:
        assert read.read() == "text"
    with pytest.raises(OSError, match=path):
        files.write_text(path, "text")


def test_a_file_behind_standard_output_keeps_what_it_has(tmp_path):
    words = (tmp_path / "log").open("ab")
    words.write(b"before\n")
    words.flush()
    files.write_text(f"/proc/self/fd/{words.fileno()}", "text\n")
    words.write(b"after\n")
    words.close()
    assert (tmp_path / "log").read_text() == "before\ntext\nafter\n"


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/stderr"])
def test_the_streams_of_a_program_take_a_file(name, tmp_path):
    program = (
        f"from schafkopf import files; files.check_outputs({{'--json': '{name}'}}); "
        f"files.write_text('{name}', 'text')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "text")


def test_outputs_are_checked_before_the_work(tmp_path):
    files.check_outputs({"--json": tmp_path / "a", "--html": tmp_path / "b", "--page": None})
    files.check_outputs({"--json": "/dev/null", "--html": "/dev/null"})
    with pytest.raises(ValueError, match=r"--json .*folder"):
        files.check_outputs({"--json": tmp_path})
    with pytest.raises(FileNotFoundError, match=r"--html .*does not exist"):
        files.check_outputs({"--html": tmp_path / "no" / "b"})
    (tmp_path / "link").symlink_to("gone/b")
    with pytest.raises(FileNotFoundError, match=r"link: the folder .*/gone does not exist"):
        files.check_outputs({"--html": tmp_path / "link"})
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


def test_a_full_disk_makes_no_folder_and_the_error_names_its_first_file(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    first = ("a.json", "{}")
    with (
        pytest.raises(OSError, match=os.strerror(errno.ENOSPC)) as told,
        files.begun_folder(tmp_path / "a", first, used=lambda: False),
    ):
        pass
    assert told.value.filename == str(tmp_path / "a" / "a.json")
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("letter", ["x", "ä", "\udcff"], ids=ascii)
def test_every_name_that_the_file_system_allows_is_written(tmp_path, letter):
    most = os.pathconf(tmp_path, "PC_NAME_MAX")
    path = tmp_path / (letter * (most // len(os.fsencode(letter))))
    files.check_outputs({"--json": path})
    files.write_text(path, "one")
    files.write_text(path, "two")
    assert path.read_text() == "two" and names(tmp_path) == [path.name]


def test_a_longer_name_is_refused_before_the_work(tmp_path):
    most = os.pathconf(tmp_path, "PC_NAME_MAX")
    path = tmp_path / ("x" * (most + 1))
    words = f"a name of {most + 1} bytes, allowed: {most}"
    with pytest.raises(ValueError, match=f"^--json .*x: {words}$"):
        files.check_outputs({"--json": path})
    with pytest.raises(ValueError, match=words):
        files.check_folder(path)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "no" / "a")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        files.check_outputs({"--json": link})


def test_what_killed_writers_of_a_long_name_left_goes_too(tmp_path):
    path = tmp_path / ("x" * 200)
    with files.beside(path, b"torn") as temporary:
        left = Path(temporary)
        assert files.is_leftover(left, path.name) and not files.is_leftover(left, "x" * 199)
    left.write_text("torn")
    files.write_text(path.with_name("x" * 199), "another")
    assert left.exists()
    files.write_text(path, "new")
    assert not left.exists()


def test_in_a_folder_of_ours_a_link_or_a_pipe_is_replaced(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("precious")
    elsewhere.chmod(0o600)
    folder = tmp_path / "folder"
    folder.mkdir()
    files.write_text(folder / "usual", "text")
    (folder / "link").symlink_to(elsewhere)
    (folder / "dangling").symlink_to(tmp_path / "nothing")
    (folder / "device").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe")
    rights = (folder / "usual").stat().st_mode
    for name in ("link", "dangling", "device", "pipe", "usual"):
        files.write_text(folder / name, "new", owned=True)
        assert (folder / name).read_text() == "new" and not (folder / name).is_symlink()
        assert (folder / name).stat().st_mode == rights
    assert elsewhere.read_text() == "precious" and names(tmp_path) == ["elsewhere", "folder"]
    (folder / "kept").mkdir()
    with pytest.raises(OSError, match="kept"):
        files.write_text(folder / "kept", "new", owned=True)
    assert names(folder) == ["dangling", "device", "kept", "link", "pipe", "usual"]


def test_room_is_made_by_taking_away_what_is_no_regular_file(tmp_path):
    (tmp_path / "a").write_text("text")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("a", "link", "pipe", "folder", "nothing"):
        files.make_room(tmp_path / name)
    assert names(tmp_path) == ["a", "folder"] and (tmp_path / "a").read_text() == "text"


def test_what_is_read_whole_is_a_regular_file_and_nothing_is_waited_for(tmp_path):
    (tmp_path / "a").write_text("text")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for name in ("a", "link"):
        with files.opened_regular(tmp_path / name) as file:
            assert file.read() == b"text"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "zero", "folder"):
        with pytest.raises(ValueError, match=f"{name}: no regular file"):
            files.opened_regular(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        files.opened_regular(tmp_path / "nothing")


def test_a_text_that_is_none_names_its_file(tmp_path):
    (tmp_path / "a").write_bytes(b"text \xff")
    for read in (files.own_text, files.read_config):
        with pytest.raises(ValueError, match=r"a: no UTF-8 text, byte 6 is none"):
            read(tmp_path / "a")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file that cannot be read")
def test_a_file_that_opens_and_cannot_be_read_is_named(capsys):
    unreadable = "/proc/self/mem"  # a regular one, whose first byte is an error of reading
    readers = (
        settings.sha256,
        plots.read_metrics,
        files.read_config,
        lambda path: next(records.read_records(path)),
    )
    for read in readers:
        with pytest.raises(OSError, match=unreadable):
            read(unreadable)
    assert cli.main(["replay", unreadable]) == 1
    assert capsys.readouterr().err == f"schafkopf: {unreadable}: Input/output error\n"


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc that tells the mask")
def test_rights_are_looked_up_without_changing_them_for_others(tmp_path, monkeypatch):
    mask = os.umask(0o027)
    try:
        monkeypatch.setattr(
            os, "umask", lambda _: pytest.fail("other threads make files meanwhile")
        )
        assert files.rights_of(tmp_path / "new") == 0o640
    finally:
        monkeypatch.undo()
        os.umask(mask)


def test_a_name_that_cannot_be_filled_is_given_back(tmp_path, monkeypatch):
    """On a file system without links."""

    def broken(*_):
        raise OSError(5, "Input/output error")

    (tmp_path / "made").write_text("whole")
    monkeypatch.setattr(os, "link", broken)
    files.put_new(tmp_path / "made", tmp_path / "first")
    assert (tmp_path / "first").read_text() == "whole"
    (tmp_path / "made").write_text("whole")
    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="Input/output"):
        files.put_new(tmp_path / "made", tmp_path / "second")
    assert not (tmp_path / "second").exists()


def test_a_file_system_without_locks_is_named_where_two_must_not_write(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text("{}")

    def without(*_):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", without)
    said = re.escape(f"{path}: cannot lock: No locks available")
    with pytest.raises(RuntimeError, match=said), files.held(path, "dataset"):
        pass
    with pytest.raises(RuntimeError, match=said), TableFile(path) as table:
        table.read()


def test_what_is_held_is_open_for_writing_as_nfs_asks_and_may_be_read_only(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text("{}")
    ways = []

    def opened(path, flags):
        ways.append(flags & os.O_ACCMODE)
        if ways[-1] == os.O_RDWR and len(ways) > 1:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return really(path, flags)

    really = os.open
    monkeypatch.setattr(os, "open", opened)
    for expected in ([os.O_RDWR], [os.O_RDWR, os.O_RDWR, os.O_RDONLY]):
        with files.held(path, "dataset"), pytest.raises(ValueError, match="another run"):
            monkeypatch.undo()
            with files.held(path, "dataset"):
                pass
        monkeypatch.setattr(os, "open", opened)
        assert ways == expected
