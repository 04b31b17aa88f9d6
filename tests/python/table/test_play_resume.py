"""`schafkopf play --resume`: an evening that was left, or killed, goes on where it was."""

import contextlib
import dataclasses
import io
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from support.rights import closed
from support.terminal import DECK, ENVIRONMENT, Person, command, play, rules_of, sleeps, table_of

import schafkopf
from schafkopf import _core, cli
from schafkopf.commands import table_options
from schafkopf.serve.live import LiveTable
from schafkopf.terminal import kept
from schafkopf.terminal.console import Leave
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.screen import Screen
from schafkopf.terminal.sitting import Sitting


class First(Person):
    """Gives the first answer that is possible; leaves after so many of them."""

    def __init__(self, answers=None):
        super().__init__(0, io.StringIO(), answers)

    def choose(self, possible):
        return possible[0]


def sit(path, rules, person, played=(), seed=5, deals=3):
    out = io.StringIO()
    file = ReplayFile(path, path if played else None)
    sitting = Sitting(table_of(rules, seed, 1, "rules"), Screen(out), person, file, deals, played)
    with contextlib.suppress(Leave):
        sitting.play()
    sitting.save()
    return sitting, out.getvalue()


@pytest.mark.parametrize("name", ["course_002", "five", "steigern", "round-kreuzrunde", "claims"])
def test_left_at_any_answer_the_rest_is_that_of_one_sitting(name, tmp_path):
    rules = rules_of(name)
    _, whole = sit(tmp_path / "whole.jsonl", rules, First())
    expected = (tmp_path / "whole.jsonl").read_text()
    for answers in range(0, 60, 2):
        path = tmp_path / f"{answers}.jsonl"
        left, _ = sit(path, rules, First(answers))
        if left.is_over:
            break
        again, told = sit(path, rules, First(), left.actions)
        assert again.is_over and path.read_text() == expected
        number = len(left.actions)
        deal = whole.split(f"-- Deal {number} of 3 ")[1].split("-- Deal ")[0].splitlines()
        # the deal is told from its beginning, with what the others did
        for line in (line for line in deal if line.startswith("  Left")):
            assert line in told
    assert 10 <= answers < 58 and number == 3  # left in every deal, and not left in the end


def test_what_is_told_again_is_told_without_pauses(tmp_path, monkeypatch):
    rules = rules_of("course_002")
    left, _ = sit(tmp_path / "a.jsonl", rules, First(12))
    waited = []
    monkeypatch.setattr("schafkopf.terminal.screen.time.sleep", waited.append)
    screen = Screen(io.StringIO(), pause_s=0.5)
    file = ReplayFile(tmp_path / "a.jsonl", tmp_path / "a.jsonl")
    again = Sitting(table_of(rules, 5, 1, "rules"), screen, First(0), file, 3, left.actions)
    with pytest.raises(Leave):
        again.play()
    assert again.actions == left.actions and not waited
    screen.pause()
    assert waited == [0.5]


@pytest.mark.parametrize(
    ("played", "said"),
    [
        ([[32, 32, 32], [32]], "deal 2: no deal follows the one before"),
        ([[0]], "deal 1: CARD E7 is not possible in these deals"),
    ],
)
def test_what_cannot_have_been_played_is_refused(tmp_path, played, said):
    with pytest.raises(ValueError, match=said):
        sit(tmp_path / "a.jsonl", rules_of("course_002"), First(), played)


def test_a_table_that_cannot_be_kept_is_told_once_and_the_game_goes_on(tmp_path):
    def full():
        raise OSError(28, "No space left on device")

    out = io.StringIO()
    table = table_of(rules_of("course_002"), 5, 1, "rules")
    sitting = Sitting(table, Screen(out), First(), ReplayFile(tmp_path / "a.jsonl"), 1)
    sitting.keep = full
    sitting.play()
    assert sitting.is_over and out.getvalue().count("could not be kept now") == 1


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: ['{"id": "precious"}'],
        lambda lines: [*lines, '{"id": "precious"}'],
        lambda lines: [lines[0].replace('"meta": {', '"comment": "mine", "meta": {'), *lines[1:]],
        lambda lines: [lines[0].replace(": ", ":"), *lines[1:]],
        lambda lines: [lines[0], lines[1].replace('"unfinished": true', '"unfinished": false')],
        lambda lines: [lines[0], lines[1].replace('"auction": [', '"auction": [[0, "PASS"], ')],
        lambda lines: [lines[1]],
        lambda lines: [lines[0], lines[1].replace('"meta": {', '"comment": null, "meta": {')],
        lambda lines: [lines[0], lines[1].replace('"deal": 2', '"deal": 2.0')],
        lambda lines: [lines[0], '{"meta": {"unfinished": true}, "id": []}'],
        lambda lines: ["[" * 100_000],
    ],
)
def test_records_of_anything_else_stay(tmp_path, change):
    path, rules = tmp_path / "evening.jsonl", rules_of("course_002")
    left, _ = sit(path, rules, First(5))
    assert len(left.actions) == len(lines_of(path)) == 2
    other = "\n".join(change(lines_of(path))) + "\n"
    path.write_text(other)
    again, _ = sit(path, rules, First(), left.actions)
    assert path.read_text() == other and again.is_over
    assert len(lines_of(tmp_path / "evening-2.jsonl")) == 3


def test_an_empty_file_is_filled(tmp_path):
    path, rules = tmp_path / "evening.jsonl", rules_of("course_002")
    left, _ = sit(path, rules, First(5))
    path.write_text("")
    sit(path, rules, First(), left.actions)
    assert len(lines_of(path)) == 3


def test_the_name_with_a_number_is_kept_at_once_and_counted_on(tmp_path):
    path, rules = tmp_path / "n.jsonl", rules_of("course_002")
    left, _ = sit(path, rules, First(5))
    for name in ("n.jsonl", "n-2.jsonl"):
        (tmp_path / name).write_text("mine\n")
    file = ReplayFile(tmp_path / "n-2.jsonl", path)
    out = Screen(io.StringIO())
    again = Sitting(table_of(rules, 5, 1, "rules"), out, First(), file, 3, left.actions)
    names = []
    again.keep = lambda: names.append((len(again.actions), again.kept([], [], "", 0).out))
    again.play()
    assert names[0] == (2, "n-2.jsonl") and names[-1] == (3, "n-3.jsonl")
    assert (2, "n-3.jsonl") in names  # before the next cards are dealt
    assert len(lines_of(tmp_path / "n-3.jsonl")) == 3


def test_records_of_the_same_seed_under_other_rules_stay(tmp_path):
    path = tmp_path / "evening.jsonl"
    left, _ = sit(path, rules_of("course_002"), First(3))
    path.unlink()
    sit(path, rules_of("claims"), First())
    other = path.read_text()
    sit(path, rules_of("course_002"), First(), left.actions)
    assert path.read_text() == other and len(lines_of(tmp_path / "evening-2.jsonl")) == 3


def test_an_older_copy_of_a_table_does_not_undo_what_was_played_since(tmp_path):
    path, rules = tmp_path / "evening.jsonl", rules_of("course_002")
    left, _ = sit(path, rules, First(3))
    sit(path, rules, First(), left.actions)
    whole = path.read_text()
    sit(path, rules, First(1), left.actions)
    assert path.read_text() == whole and (tmp_path / "evening-2.jsonl").is_file()


def test_records_behind_a_link_are_written_there(tmp_path):
    path, real, rules = tmp_path / "a.jsonl", tmp_path / "real.jsonl", rules_of("course_002")
    left, _ = sit(path, rules, First(3))
    path.rename(real)
    path.symlink_to(real.name)
    sit(path, rules, First(), left.actions)
    assert path.is_symlink() and len(lines_of(real)) == 3


def test_a_pipe_in_the_place_of_the_records_is_not_waited_for(tmp_path):
    path, rules = tmp_path / "a.jsonl", rules_of("course_002")
    left, _ = sit(path, rules, First(3))
    path.unlink()
    os.mkfifo(path)
    sit(path, rules, First(), left.actions)
    assert len(lines_of(tmp_path / "a-2.jsonl")) == 3


def test_texts_of_a_file_do_nothing_to_the_terminal(tmp_path):
    names = ("\x1b[2J\x1b]0;x\x07evil\nline", "\u202eRe")
    out = io.StringIO()
    Screen(out, colours=True).line(f"Do you say {names[0]}, {names[1]}?")
    assert out.getvalue() == "Do you say ?[2J?]0;x?evil?line, ?Re?\n"
    screen = Screen(out := io.StringIO(), colours=True)
    screen.line(screen.strong("Your cards"))
    assert out.getvalue() == "\x1b[1mYour cards\x1b[0m\n"
    screen = Screen(out := io.StringIO())
    screen.line("\x1b[8mhidden \x1b[1mbold")
    assert out.getvalue() == "?[8mhidden ?bold\n"


# ---- the command ---------------------------------------------------------------------------------


def names_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_quit_and_resume_at_the_command_line(tmp_path):
    begin = ("--rules", "course_002", "--seed", 3, "--deals", 2, "--fast", "--out", "a.jsonl")
    done = play("quit\n", *begin, cwd=tmp_path)
    assert "The same table again: schafkopf play --resume a.jsonl.table" in done.stdout
    assert names_in(tmp_path) == ["a.jsonl", "a.jsonl.table"]
    assert (tmp_path / "a.jsonl.table").stat().st_mode & 0o777 == 0o600
    more = play("\n" * 60 + "quit\n", "--resume", "a.jsonl.table", "--fast", cwd=tmp_path)
    assert "Deal 1 of 2" in more.stdout and "seed 3" in more.stdout, more
    assert more.returncode == 0 and not more.stderr
    kept_again = play(
        "\n".join(["pass", *DECK * 9] * 3), "--resume", "a.jsonl.table", "--fast", cwd=tmp_path
    )
    assert "The end" in kept_again.stdout and names_in(tmp_path) == ["a.jsonl"]
    assert len(list(schafkopf.read_records(tmp_path / "a.jsonl"))) == 2


def test_a_killed_evening_loses_nothing(tmp_path):
    arguments = command("--rules", "course_002", "--seed", 7, "--fast", "--out", "a.jsonl")
    file = tmp_path / "a.jsonl.table"
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path,
        env=ENVIRONMENT, encoding="utf-8",
    ) as process:  # fmt: skip
        try:
            process.stdin.write("\n".join([*["1"] * 4, *DECK[:8]]) + "\n")
            process.stdin.flush()
            before, same, end = None, 0, time.monotonic() + 60
            while same < 20:  # until it waits for the next answer
                assert process.poll() is None and time.monotonic() < end
                time.sleep(0.05)
                now = file.read_text() if file.is_file() else None
                waits = now is not None and now == before and sleeps(process)  # not for its turn
                before, same = now, same + 1 if waits else 0
        finally:
            process.kill()
        told = process.stdout.read()
    assert process.returncode == -signal.SIGKILL
    actions = kept.read_table(file).actions
    done = play("quit\n", "--resume", "a.jsonl.table", "--fast", cwd=tmp_path)
    assert done.returncode == 0 and kept.read_table(file).actions == actions and actions[-1]
    deal = f"-- Deal {len(actions)} "
    others = [
        line for line in told.split(deal)[1].splitlines()
        if line.startswith(("  Left ", "  Across ", "  Right "))
    ]  # fmt: skip
    assert others and not set(others) - set(done.stdout.split(deal)[1].splitlines())


def test_an_evening_in_a_folder_that_is_no_text(tmp_path):
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)
    done = play("quit\n", "--rules", "course_002", "--fast", "--out", "a.jsonl", cwd=folder)
    assert done.returncode == 0 and "--resume a.jsonl.table" in done.stdout, done
    done = play("quit\n", "--resume", "a.jsonl.table", "--fast", cwd=folder)
    assert done.returncode == 0 and sorted(os.listdir(folder)) == [b"a.jsonl", b"a.jsonl.table"]


@pytest.mark.parametrize("name", ["no-break\u00a0space", "joined \u200d emoji", "two\nlines"])
def test_an_evening_whose_rules_file_has_an_odd_name_goes_on(name, tmp_path):
    (tmp_path / f"{name}.toml").write_text('preset = "course_002"\n')
    begin = ("--rules", f"{name}.toml", "--fast", "--out", "a.jsonl")
    assert play("quit\n", *begin, cwd=tmp_path).returncode == 0
    done = play("quit\n", "--resume", "a.jsonl.table", "--fast", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "") and "The unfinished deal" in done.stdout


def test_two_evenings_that_begin_in_one_second_have_names_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    monkeypatch.setattr(table_options.time, "strftime", lambda form: "runs/play-now")
    first = table_options.default_file()
    taken = table_file(tmp_path / "runs/play-now.jsonl.table").read_bytes()
    names, other = iter([first]), table_options.default_file
    monkeypatch.setattr(table_options, "default_file", lambda: next(names, None) or other())
    beside = table_options.kept_beside  # as if the other one came between the look and the write
    monkeypatch.setattr(
        table_options,
        "kept_beside",
        lambda path: Path(f"{path}.table") if path == first else beside(path),
    )
    assert cli.main(["play", "--rules", "course_002", "--fast"]) == 0
    assert (tmp_path / "runs/play-now.jsonl.table").read_bytes() == taken
    assert names_in(tmp_path / "runs") == [
        "play-now-2.jsonl", "play-now-2.jsonl.table", "play-now.jsonl.table",
    ]  # fmt: skip


def test_a_table_of_somebody_else_that_came_meanwhile_stays(tmp_path, capsys, monkeypatch):
    path = tmp_path / "z.jsonl.table"

    def full(self, told):
        if not path.exists():
            table_file(path)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept.TableFile, "write", full)
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(["pass", *DECK * 9] * 3)))
    out = str(tmp_path / "z.jsonl")
    options = ["--rules", "course_002", "--seed", "3", "--deals", "1", "--fast", "--out", out]
    assert cli.main(["play", *options]) == 0
    told = capsys.readouterr().out
    assert "The end" in told and "(No space left on device)" in told and path.is_file()
    assert "The same table again" not in told


def table_file(path, **changed):
    """A kept table that says whatever it likes, with its checksum."""
    table = table_of(rules_of("course_002"), 5, 0, "rules")
    made = kept.kept_of(table, [], 2, None, ["x" * 22], "", 0)
    told = {"format": kept.FORMAT, **dataclasses.asdict(made), **changed}
    path.write_text(json.dumps(told | {"checksum": kept._checksum(told)}))
    return path


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"specs": [None, None, "rules", "rules"], "tokens": ["x" * 22, "y" * 22]},
         "2 people sit there, allowed: one; schafkopf serve --resume opens it in the browser"),
        ({"actions": [[0]]}, "CARD E7 is not possible in these deals; it may be of another"),
        ({"specs": [None, "rules", "rules", "engine:true"]}, "--programs"),
        ({"specs": [None, "rules"], "names": ["You", "Left"]}, "2 places, allowed: 4"),
        ({"specs": [None, "rules", "rules", "rulez"]}, "rulez"),
        ({"rules": {"deck": "long33"}}, "long33"),
        ({"rules": {"preset": "research"}}, 'unknown key "preset" in rules, allowed: '),
        ({"rules_name": None}, "rules_name is wrong, allowed: a text"),
        ({"tokens": ["\ud800" * 20]}, "tokens is wrong, allowed: "),
        ({"host": "\x1b[31m"}, "host is wrong, allowed: "),
        ({"out": 3}, "out is wrong, allowed: "),
        ({"\x1b[31mfoo": 1}, "'\\x1b[31mfoo'"),
    ],
)  # fmt: skip
def test_a_kept_table_that_does_not_fit_is_refused(tmp_path, capsys, changed, said):
    path = table_file(tmp_path / "a.jsonl.table", **changed)
    assert cli.main(["play", "--resume", str(path)]) == cli.WRONG_INPUT
    error = capsys.readouterr().err
    assert said in error and str(path) in error and names_in(tmp_path) == [path.name]
    assert "\x1b" not in error and error.count("\n") == 1


# An earlier version kept it as it came, with a checksum, so that nobody could repair it.
@pytest.mark.parametrize("name", ["no-break\u00a0space.toml", "\x1b[2J", "a\nb", "\ud800"])
def test_a_table_that_was_kept_under_rules_of_an_odd_name_is_opened(
    tmp_path, capsys, monkeypatch, name
):
    path = table_file(tmp_path / "a.jsonl.table", rules_name=name)
    seen = "".join(sign if sign.isprintable() else "?" for sign in name)
    assert kept.read_table(path).rules_name == seen
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    assert cli.main(["play", "--resume", str(path), "--fast"]) == 0
    told = capsys.readouterr()
    assert "The same table again" in told.out and "\x1b" not in told.out and told.err == ""


@pytest.mark.parametrize("command", ["play", "serve"])
def test_what_is_no_kept_table_is_refused_at_once(tmp_path, capsys, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    table_file(tmp_path / "a.jsonl.table")
    (tmp_path / "a.jsonl").write_text("{}\n{}\n")
    os.mkfifo("pipe.table")
    for path, said in {
        "": "--resume: no name came, allowed: a file that ends in .table",
        "a.jsonl": "a.jsonl: the table is the file beside it, a.jsonl.table",
        ".": ".: allowed: a name that ends in .table",
        "other": "other: allowed: a name that ends in .table",
        "pipe.table": "pipe.table: no regular file, allowed: the .table file of a table",
        "none.table": "none.table: there is no such file",
    }.items():
        assert cli.main([command, "--resume", path]) == cli.WRONG_INPUT
        assert said in capsys.readouterr().err, path


@pytest.mark.parametrize("command", ["play", "serve"])
def test_a_kept_table_where_nobody_may_look_is_named_as_it_came(tmp_path, capsys, command):
    folder = tmp_path / "closed"
    folder.mkdir()
    path = table_file(folder / "a.jsonl.table")
    with closed(folder):
        assert cli.main([command, "--resume", str(path)]) == cli.WRONG_INPUT
    assert capsys.readouterr().err == f"schafkopf: {path}: Permission denied\n"


@pytest.mark.parametrize("command", ["play", "serve"])
def test_programs_of_no_kept_table_are_refused(tmp_path, capsys, command):
    out = str(tmp_path / "a.jsonl")
    assert cli.main([command, "--programs", "--out", out]) == cli.WRONG_INPUT
    assert "--programs, allowed: with --resume; --agents" in capsys.readouterr().err
    assert names_in(tmp_path) == []


def test_rules_that_were_changed_are_not_called_by_the_name_of_a_preset(tmp_path):
    rules = _core.RuleSet("course_002", laufende_min_wenz=3)
    again = kept.read_table(table_file(tmp_path / "a.jsonl.table", rules=rules.to_dict()))
    again.rules_name = "course_002"
    assert kept.table_again(again, tmp_path).rules_name == "course_002, changed"


@pytest.mark.parametrize(
    "words",
    [
        "play --seed 3",
        "play --seat 1",
        "play --rules course_002",
        "play --agents rules",
        # what a new table has without them: another one was played on without a word
        "play --rules research",
        "play --seat 0",
        "serve --rules research",
        "serve --seats 0",
    ],
)
def test_what_the_table_keeps_is_not_given_anew(tmp_path, capsys, words):
    command, *option = words.split()
    assert cli.main([command, "--resume", str(tmp_path / "x.table"), *option]) == cli.WRONG_INPUT
    assert f"{option[0]}: not together with --resume" in capsys.readouterr().err


def test_one_evening_in_the_terminal_and_in_the_browser_has_one_file(tmp_path):
    path, rules = tmp_path / "a.jsonl", rules_of("course_002")
    left, _ = sit(path, rules, First(5))
    names = ["Anna", "Bene", "Fritz", "Dora"]
    for number, answers in enumerate((2, 3, 4)):
        told = left.kept(names, ["x" * 22], "", 0)
        assert told.names == names
        told.rules_name = "course_002"
        table = dataclasses.replace(kept.table_again(told, path), names=names)
        assert table.me == 1
        live = LiveTable(table, names, ReplayFile(path, path), 3, told.actions)
        assert live.actions == left.actions
        for _ in range(7):  # of the person among them
            if live.deal.game.is_terminal:
                live.next_deal(live.deal.number)
            elif live.moves_itself:
                live.apply(live.decision()())
            else:
                choices = live.state(live.asked_place)["choices"]
                live.apply(choices[0]["action"])
        live.save()
        left, _ = sit(path, rules, First(answers), live.actions)
        assert names_in(tmp_path) == ["a.jsonl"], number
    assert "seed" not in path.read_text()


def test_the_name_that_the_records_got_is_remembered(tmp_path):
    begin = ("--rules", "course_002", "--seed", 3, "--deals", 2, "--fast", "--out", "a b.jsonl")
    play("quit\n", *begin, cwd=tmp_path)
    (tmp_path / "a b.jsonl").write_text("mine\n")
    for _ in range(3):
        done = play("\nquit\n", "--resume", "a b.jsonl.table", "--fast", cwd=tmp_path)
        assert "'a b-2.jsonl'" in done.stdout and "--resume 'a b.jsonl.table'" in done.stdout
    assert names_in(tmp_path) == ["a b-2.jsonl", "a b.jsonl", "a b.jsonl.table"]
    assert (tmp_path / "a b.jsonl").read_text() == "mine\n"


@pytest.mark.parametrize("out", ["", "/etc/passwd", "../a-2.jsonl", "b-2.jsonl", "a-02.jsonl"])
def test_a_table_does_not_say_which_file_is_written(tmp_path, out):
    again = kept.read_table(table_file(tmp_path / "a.jsonl.table", out=out))
    allowed = {"../a-2.jsonl": "a-2.jsonl"}.get(out, "a.jsonl")
    assert again.out == str(tmp_path / allowed)
