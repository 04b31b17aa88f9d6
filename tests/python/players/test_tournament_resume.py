"""Folders and journals of tournaments: kills, damage, and going on to the same result."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from support.tournaments import written

import schafkopf
from schafkopf import _core, cli
from schafkopf.tournaments import read_games, run_tournament


def test_a_file_is_played_into_a_folder(tmp_path):
    result = run_tournament(written(tmp_path), settings=["seed=3"], out=tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"config.toml", "games.journal", "result.json", "report.html"} <= names
    assert json.loads((tmp_path / "out" / "result.json").read_text()) == result
    assert "seed = 3" in (tmp_path / "out" / "config.toml").read_text()
    assert len(result.games) == result["games"] == 40 * (2 * 4 + 6)
    assert result["two_against_two"][0][1]["mean"] > 0
    with pytest.raises(ValueError, match="not empty"):
        run_tournament(written(tmp_path), out=tmp_path / "out")


def test_resuming_a_finished_tournament_changes_nothing(tmp_path):
    first = run_tournament(written(tmp_path), out=tmp_path / "out")
    again = run_tournament(resume=tmp_path / "out", settings=["threads=1"])
    assert first == again
    assert (first.games["payoffs"] == again.games["payoffs"]).all()
    with pytest.raises(ValueError, match=r"seed: there 1, now 2"):
        run_tournament(resume=tmp_path / "out", settings=["seed=2"])
    with pytest.raises(ValueError, match="no config"):
        run_tournament(written(tmp_path), resume=tmp_path / "out")


def test_a_damaged_journal_costs_its_own_games_and_says_so(tmp_path):
    out, notes = tmp_path / "out", []
    expected = run_tournament(written(tmp_path), settings=["blocks_at_once=4"], out=out)
    journal = out / "games.journal"
    damaged = bytearray(journal.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    journal.write_bytes(damaged)
    with pytest.warns(RuntimeWarning, match=r": damaged at byte \d+: \d+ bytes are left out$"):
        kept = len(read_games(journal))
    assert 0.5 * expected["games"] < kept < expected["games"]
    assert run_tournament(resume=out, note=notes.append) == expected
    with pytest.warns(RuntimeWarning, match="damaged at byte"):  # those bytes stay there
        assert len(read_games(journal)) == expected["games"]
    assert len(notes) == 1 and f"{journal}: damaged at byte " in notes[0]
    with pytest.warns(RuntimeWarning, match="damaged at byte"):
        run_tournament(resume=out)


def test_two_runs_of_one_folder_at_a_time_are_refused(tmp_path):
    out = tmp_path / "out"
    first = run_tournament(written(tmp_path), out=out)
    refused = []

    def second(done, all_blocks):
        if not refused:
            with pytest.raises(ValueError, match="another run is playing this tournament") as error:
                run_tournament(resume=out, settings=["blocks=50"])
            assert "config.toml" not in str(error.value)  # which is in order
            refused.append(done)

    longer = run_tournament(resume=out, settings=["blocks=1000"], progress=second)
    assert refused and longer["blocks"] == 1000
    assert "blocks = 1000" in (out / "config.toml").read_text()
    assert run_tournament(resume=out) == longer != first


def test_changed_settings_stay_with_the_folder(tmp_path):
    out = tmp_path / "out"
    run_tournament(written(tmp_path), out=out)
    longer = run_tournament(resume=out, settings=["blocks=44"])
    assert run_tournament(resume=out) == longer
    before = (out / "config.toml").read_text()
    with pytest.raises(ValueError, match="seed: there 1, now 9"):
        run_tournament(resume=out, settings=["seed=9"])
    assert (out / "config.toml").read_text() == before


@pytest.mark.parametrize("value", ["no", 1, None])
def test_the_flag_of_going_on_is_true_or_false(tmp_path, value):
    journal = tmp_path / "games.jsonl"
    said = re.escape(f"resume = {value!r}, allowed: true, false")
    with pytest.raises(ValueError, match=said):
        schafkopf.tournament(["random", "rules"], blocks=1, journal=journal, resume=value)
    assert not journal.exists()


def test_what_a_kill_left_when_the_folder_had_begun_goes_with_resume(tmp_path):
    first = run_tournament(written(tmp_path), out=tmp_path / "out")
    left = tmp_path / "out" / ".config.toml.tmp-abcd_123"
    os.link(tmp_path / "out" / "config.toml", left)  # the file has its name, this one is there yet
    assert run_tournament(resume=tmp_path / "out") == first
    assert not left.exists()


def test_a_folder_can_be_resumed_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.toml").write_text('preset = "official_1989"\n')
    settings = ["rules=own.toml", "blocks=4"]
    first = run_tournament(written(tmp_path), settings=settings, out=tmp_path / "out")
    monkeypatch.chdir("/")
    assert run_tournament(resume=tmp_path / "out") == first


# What is left of a file that was cut at the end of a line is a configuration too, with the default
# of what is missing; a bit may be one of a number.
def test_a_damaged_configuration_of_a_folder_is_refused_and_nothing_played(tmp_path, capsys):
    (tmp_path / "a.toml").write_text('agents = ["rules", "random"]\nblocks = 2\nseed = 7\n')
    out = tmp_path / "out"
    assert cli.main(["tournament", str(tmp_path / "a.toml"), "--out", str(out)]) == 0
    config = out / "config.toml"
    whole = config.read_text()
    before = {path: path.read_bytes() for path in out.iterdir() if path != config}
    ends = [place for place, letter in enumerate(whole) if letter == "\n"]
    damaged = [whole[:place] for place in [0, *ends[3::9], len(whole) - 1]]
    for text in [*damaged, whole.replace("blocks = 2", "blocks = 3")]:
        config.write_text(text)
        capsys.readouterr()
        assert cli.main(["tournament", "--resume", str(out)]) == 2
        assert f"schafkopf: {config}: its " in capsys.readouterr().err
    assert before == {path: path.read_bytes() for path in out.iterdir() if path != config}
    config.write_text(whole)
    assert cli.main(["tournament", "--resume", str(out)]) == 0
    assert config.read_text() == whole


_SOMETIMES = """
import sys
print("hello 1 name Test" if sys.stdin.readline() else "", flush=True)
for line in sys.stdin:
    if line.startswith("go"):
        print("bestaction EO", flush=True)
"""


def test_failures_of_an_engine_are_still_told_after_a_resume_and_its_program_is_known(tmp_path):
    program, journal = tmp_path / "engine.py", tmp_path / "games.journal"
    program.write_text(_SOMETIMES)
    agents = [f"engine:failures=1000000,command={sys.executable} {program}", "random"]
    how = {"blocks": 2, "threads": 1, "journal": journal, "track": "card_play"}
    first = schafkopf.tournament(agents, **how)
    failures = sum(first["agents"][0]["engine"]["failures"].values())
    assert failures > 0 and "kept_failures" not in first
    again = schafkopf.tournament(agents, resume=True, **how)
    assert again["kept_failures"] == failures
    assert f"{failures} decisions drawn because a program failed" in again["text"]
    program.write_text(_SOMETIMES + "# another\n")
    with pytest.raises(ValueError, match="agent 1: there"):
        schafkopf.tournament(agents, resume=True, **how)


def test_a_journal_knows_the_bytes_of_its_contract_list(tmp_path):
    lists = tmp_path / "deals,1.jsonl"
    settings = {"agents": ["rules", "random"], "blocks": 1, "contract_list": str(lists)}
    settings |= {"track": "card_play", "journal": str(tmp_path / "games.journal")}

    def write(seed):
        solo = {"class": "SOLO", "suit": "E", "declarer": 0}
        lists.write_text(_core.record_json(schafkopf.Game.with_contract(solo, seed=seed)) + "\n")

    write(1)
    first = schafkopf.tournament(**settings)
    assert schafkopf.tournament(**settings, resume=True) == first
    write(2)
    with pytest.raises(ValueError, match="contract_list: there"):
        schafkopf.tournament(**settings, resume=True)


def test_a_folder_of_its_own_is_no_other_with_resume(tmp_path, capsys):
    out = ["--resume", str(tmp_path / "a"), "--out", str(tmp_path / "b")]
    assert cli.main(["tournament", *out]) == cli.WRONG_INPUT
    assert "no --out" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_a_journal_is_a_path_or_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    schafkopf.tournament(["rules", "random"], blocks=1, journal=None)
    for wrong in (5, b"journal", True):
        with pytest.raises(ValueError, match=r"journal = .*, allowed: the path of a file"):
            schafkopf.tournament(["rules", "random"], blocks=1, journal=wrong)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("begun", "asked"),
    [
        ("rules", "rules:random=0"),
        ("rules", "rules:version=3"),
        ("pimc:1", "pimc:version=3,worlds=1"),
        ("net:FILE", "net:path=./FILE,greedy=true"),
        ("net:FILE", "net:FOLDER/FILE"),
        ("net:baseline", 'net:"baseline"'),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_a_tournament_goes_on_with_a_player_in_another_spelling(
    tmp_path, monkeypatch, begun, asked, named
):
    monkeypatch.chdir(tmp_path)
    schafkopf.save_player(schafkopf.new_torch("mlp:8x1"), "a.safetensors")
    places = {"FOLDER": str(tmp_path), "FILE": "a.safetensors"}
    for word, place in places.items():
        begun, asked = begun.replace(word, place), asked.replace(word, place)
    how = {"track": "card_play", "formats": ["1v3"], "blocks": 1, "journal": "games"}
    first, again = (
        {"a": player, "b": "random"} if named else [player, "random"] for player in (begun, asked)
    )
    played = schafkopf.tournament(first, **how)
    games = Path("games").read_bytes()
    resumed = schafkopf.tournament(again, **how, resume=True)
    assert Path("games").read_bytes() == games
    assert [agent["name"] for agent in resumed["agents"]] == [
        agent["name"] for agent in played["agents"]
    ]
    assert resumed["one_against_three"] == played["one_against_three"]


@pytest.mark.parametrize(
    ("begun", "asked"),
    [
        ("rules", "rules:version=2"),
        ("pimc:1", "pimc:worlds=2"),
        ("pimc:1", "pimc:1,seed=4"),
        ("net:a.safetensors", "net:a.safetensors,greedy=false"),
        ("net:a.safetensors", "net:./b.safetensors"),
        ("random", "engine:command=sh -c 'read line; echo hello 1 name Idle; read line'"),
    ],
)
def test_a_tournament_does_not_go_on_with_another_player(tmp_path, monkeypatch, begun, asked):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):  # other weights, drawn
        schafkopf.save_player(schafkopf.new_torch("mlp:8x1"), f"{name}.safetensors")
    how = {"track": "card_play", "formats": ["1v3"], "blocks": 1, "journal": "games"}
    schafkopf.tournament({"a": begun, "b": "random"}, **how)
    with pytest.raises(ValueError, match="its games belong to another tournament"):
        schafkopf.tournament({"a": asked, "b": "random"}, **how, resume=True)


@pytest.mark.parametrize("line", ["", "{", "[1]", '{"options": {"agent 1": 1}}', "\xff"])
def test_a_journal_without_a_first_line_is_told_by_its_reader(tmp_path, line):
    (tmp_path / "games").write_text(line + "\n", encoding="latin-1")
    agents = {"a": "rules", "b": "random"}
    with pytest.raises(ValueError, match="games: no file of tournament games in the form"):
        schafkopf.tournament(agents, blocks=1, journal=tmp_path / "games", resume=True)


# The table of a tournament of hours was lost with the folder.
@pytest.mark.parametrize("form", ["new", "resumed"])
def test_a_tournament_whose_folder_is_removed_meanwhile_tells_what_was_played(
    tmp_path, monkeypatch, capsys, form
):
    config, folder = tmp_path / "small.toml", tmp_path / "out"
    config.write_text('agents = ["rules", "random"]\nblocks = 2\nthreads = 1\n')
    words = [str(config), "--out", str(folder)]
    if form == "resumed":
        assert cli.main(["tournament", *words]) == 0
        words = ["--resume", str(folder)]
    capsys.readouterr()
    played = _core.tournament_json

    def removing(*args, **keywords):
        result = played(*args, **keywords)
        shutil.rmtree(folder)
        return result

    monkeypatch.setattr(_core, "tournament_json", removing)
    assert cli.main(["tournament", *words]) != 0
    told = capsys.readouterr()
    assert "points per game of one (row)" in told.out and "wrote" not in told.out
    assert told.err.splitlines()[-1].startswith(f"schafkopf: {folder / 'result.json'}: No such")
