"""A table that is kept and opened again after its server was stopped or killed."""

import dataclasses
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("starlette")

from support.served_table import ROOT, Page, command, live_table, play_on

from schafkopf import cli, records
from schafkopf.commands import serve
from schafkopf.serve import server
from schafkopf.terminal import kept
from schafkopf.terminal.replay_file import ReplayFile


def links_of(process, people):
    lines = [process.stdout.readline() for _ in range(people + 2)]
    links = re.findall(r"http://127.0.0.1:(\d+)/t/([\w-]{20,})", "".join(lines))
    assert len(links) == people, lines
    return int(links[0][0]), [token for _, token in links]


def test_a_killed_table_is_opened_again_and_goes_on(tmp_path):
    begin = ("--rules", "course_002", "--seed", "5", "--out", "deals.jsonl")
    with command(tmp_path, *begin) as process:
        try:
            port, tokens = links_of(process, 1)
            rights = (tmp_path / "deals.jsonl.table").stat().st_mode & 0o777
            assert rights == 0o600  # it has the links and the seed
            seat = Page(None, port, token=tokens[0])
            seat.state(take=True)
            assert seat.post("name", name="Zenzi")[0] == 200
            assert seat.post("next", deal=seat.play()["deal"]) == (200, {})
            before = seat.asked()
        finally:
            process.kill()
    assert process.returncode == -signal.SIGKILL
    with command(tmp_path, "--resume", "deals.jsonl.table", port=None) as process:
        try:
            assert links_of(process, 1) == (port, tokens)
            assert seat.state(after=-1)[0] == 200  # the page has not taken the seat anew
            after = seat.asked()
            assert after == before and after["names"][0] == "Zenzi"
            asked = {"deal": after["deal"], "question": after["question_number"]}
            assert seat.post("act", **asked, action=after["choices"][0]["action"]) == (200, {})
            process.send_signal(signal.SIGTERM)
            out = process.communicate(timeout=60)[0]
        finally:
            process.kill()
    assert "schafkopf serve --resume deals.jsonl.table" in out and "Traceback" not in out
    first, second = records.read_records(tmp_path / "deals.jsonl")
    assert records.replay(first)["payoffs"] == first["expect"]["payoffs"]
    assert second["meta"]["unfinished"] and len(list(tmp_path.iterdir())) == 2


def test_a_new_name_and_a_new_deal_are_kept_at_once():
    live, kept_names = live_table(deals=2), []
    live.keep = lambda: kept_names.append(live.names[0])
    live.rename(0, "Zenzi")
    live.rename(0, "Zenzi")  # the own name is nobody else's
    assert kept_names == ["Zenzi", "Zenzi"]
    while not live.deal.game.is_terminal:
        if live.moves_itself:
            live.apply(live.decision()())
        else:
            shown = live.state(0)
            live.act(0, 1, shown["question_number"], shown["choices"][0]["action"])
    kept_names.clear()
    live.next_deal(1)
    assert len(kept_names) == 1


def test_the_name_with_a_number_of_the_records_is_kept_with_them(tmp_path):
    live, outs = live_table(deals=1, file=ReplayFile(tmp_path / "n.jsonl")), []
    (tmp_path / "n.jsonl").write_text("of somebody else\n")
    live.keep = lambda: outs.append(live.kept([], "", 0).out)
    play_on(live, random.Random(1))
    assert outs[0] == "n.jsonl" and outs[-1] == "n-2.jsonl"


def test_the_records_of_a_table_have_each_deal_once(tmp_path):
    live = live_table(deals=2, file=ReplayFile(tmp_path / "deals.jsonl"))
    play_on(live, random.Random(1))
    live.save()
    assert len(list(records.read_records(tmp_path / "deals.jsonl"))) == 2


def refusal(folder, path):
    """What a second server says that is to open the same table at another port."""
    command = [sys.executable, "-m", "schafkopf", "serve", "--resume", path, "--port", "0"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=120, check=False)  # fmt: skip
    assert done.returncode == cli.WRONG_INPUT and done.stdout == "", done
    return done.stderr


def test_a_table_is_served_by_one_process_at_a_time(tmp_path):
    name = "deals.jsonl.table"
    said = f"schafkopf: {name}: another process is at this table: end it first\n"
    with command(tmp_path, "--rules", "course_002", "--out", "deals.jsonl") as first:
        try:
            port, tokens = links_of(first, 1)
            assert refusal(tmp_path, name) == said
            seat = Page(None, port, token=tokens[0])
            seat.state(take=True)
            assert seat.post("name", name="Zenzi")[0] == 200  # which writes the file anew
            assert refusal(tmp_path, name) == said
        finally:
            first.kill()
    with (
        socket.create_server(("127.0.0.1", port)),  # somebody else has the port of before
        command(tmp_path, "--resume", name) as second,  # with --port 0
    ):
        try:
            assert links_of(second, 1)[1] == tokens
            assert refusal(tmp_path, name) == said
            second.send_signal(signal.SIGTERM)
            assert second.wait(timeout=60) == 128 + signal.SIGTERM
        finally:
            second.kill()
    with kept.TableFile(tmp_path / name) as third:
        assert third.read().names[0] == "Zenzi"
    assert {file.name for file in tmp_path.iterdir()} == {"deals.jsonl", name}


def test_two_new_tables_do_not_write_to_one_file(tmp_path):
    path, table = kept_table(tmp_path)
    path.unlink()
    with kept.TableFile(path) as first, kept.TableFile(path) as second:
        first.write(table)
        with pytest.raises(ValueError, match=re.escape(f"{path}: there is a table already")):
            second.write(table)
        first.write(dataclasses.replace(table, seed=6))
    assert kept.read_table(path).seed == 6


def test_a_deal_that_is_not_over_is_written_for_its_owner_alone(tmp_path):
    """The records of a table have all hands; who can read the file could look into the deal that
    goes on after --resume."""
    path = tmp_path / "deals.jsonl"
    file = ReplayFile(path)
    live = live_table(people=(0, 2), deals=2, file=file)
    live.save()
    assert json.loads(path.read_text().splitlines()[-1])["meta"]["unfinished"]
    assert path.stat().st_mode & 0o777 == 0o600
    mask = os.umask(0)
    os.umask(mask)
    play_on(live, random.Random(1))
    live.save()
    assert "unfinished" not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask  # finished deals are anybody's
    path.chmod(0o640)
    live.save()
    assert path.stat().st_mode & 0o777 == 0o640
    records = [json.loads(line) for line in path.read_text().splitlines()]
    running = {**records[0], "meta": {**records[0]["meta"], "unfinished": True}}
    file.write([*records, running])
    assert path.stat().st_mode & 0o777 == 0o600
    file.write([*records, records[0]])
    assert path.stat().st_mode & 0o777 == 0o640  # as its owner wanted it before


def kept_table(tmp_path, **changed):
    live = live_table(people=(0,), deals=2)
    play_on(live, random.Random(1))
    live.file = ReplayFile(tmp_path / "deals.jsonl")
    path = tmp_path / "deals.jsonl.table"
    table = live.kept(["x" * 22], "127.0.0.1", 0)
    with kept.TableFile(path) as file:
        file.write(dataclasses.replace(table, **changed))
    return path, table


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"actions": [[32, 32, 32], [32]]}, "deal 2: no deal follows"),
        ({"actions": [[0]]}, "deal 1: CARD E7 is not possible in these deals"),
        (
            {"actions": [[128]]},
            "actions is wrong, allowed: a list for each deal of actions, 0..127",
        ),
        ({"rules": {"deck": "long33"}}, "long33"),
        ({"names": ["Anna"]}, "1 names, 1 links for 4 places"),
        *(
            (
                {"names": ["Anna", "Bene", "Caro", name]},
                "names is wrong, allowed: a list of different names",
            )
            for name in ("", "x" * 21, "a\x1b[2J", " Dora", "anna")
        ),
        ({"specs": [None, "rules", "rules", "rulez"]}, "rulez"),
        ({"tokens": ["short"]}, "tokens is wrong, allowed: a list of different ones of 16 to 100"),
        (
            {"specs": [None, None, "rules", "rules"], "tokens": ["x" * 22] * 2},
            "tokens is wrong, allowed: a list of different ones of 16 to 100",
        ),
    ],
)
def test_a_kept_table_that_is_none_is_refused(tmp_path, capsys, changed, said):
    path, _ = kept_table(tmp_path, **changed)
    assert cli.main(["serve", "--resume", str(path)]) == cli.WRONG_INPUT
    assert said in capsys.readouterr().err


def test_a_kept_table_writes_its_records_beside_itself_whatever_it_says(tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("mine")
    path, _ = kept_table(tmp_path, out=str(other))
    assert kept.read_table(path).out == str(tmp_path / "deals.jsonl")
    moved = path.rename(tmp_path / "moved.table")
    assert kept.read_table(moved).out == str(tmp_path / "moved")
    nameless = moved.rename(tmp_path / "moved.json")
    with pytest.raises(ValueError, match=r"moved\.json: allowed: a name that ends in \.table"):
        kept.read_table(nameless)


def test_a_kept_table_starts_no_program_unasked(tmp_path, capsys):
    started = tmp_path / "it-ran"
    engine = f"engine:touch {started}"
    path, _ = kept_table(tmp_path, specs=[None, engine, "rules", "rules"])
    assert cli.main(["serve", "--resume", str(path)]) == cli.WRONG_INPUT
    assert not started.exists()
    said = capsys.readouterr().err
    assert f'{path}: place 1 is "{engine}"' in said and "--programs" in said


def test_a_kept_table_is_read_as_it_was_written_and_keeps_its_own_options(tmp_path, capsys):
    path, table = kept_table(tmp_path)
    table.out = str(tmp_path / table.out)
    assert kept.read_table(path) == table and len(table.actions) == 2
    assert cli.main(["serve", "--resume", str(path), "--seed", "4"]) == cli.WRONG_INPUT
    assert "--seed: not together with --resume" in capsys.readouterr().err
    assert cli.main(["serve", "--out", str(tmp_path / "deals.jsonl")]) == cli.WRONG_INPUT
    assert "there is a table already: --resume it" in capsys.readouterr().err
    path.write_text("{}")
    assert cli.main(["serve", "--resume", str(path)]) == cli.WRONG_INPUT
    assert "no table, allowed: the .table file" in capsys.readouterr().err


def test_a_table_of_the_longest_session_is_read_again(tmp_path):
    path, table = kept_table(tmp_path)
    longest = dataclasses.replace(table, actions=[[100] * 30] * 64 * 64 * 5)
    with kept.TableFile(path) as file:
        file.read()
        file.write(longest)
    assert path.stat().st_size > 3_000_000
    assert kept.read_table(path).actions == longest.actions


def test_a_table_of_another_version_is_told_as_such(tmp_path, capsys):
    path, _ = kept_table(tmp_path)
    told = json.loads(path.read_text()) | {"format": "schafkopf-table 2", "new": 1}
    path.write_text(json.dumps(told))
    assert cli.main(["serve", "--resume", str(path)]) == cli.WRONG_INPUT
    assert (
        f'{path}: "schafkopf-table 2", a table of another version, allowed: "schafkopf-table 1"'
        in capsys.readouterr().err
    )


def test_a_table_that_was_changed_is_refused_and_one_without_a_checksum_is_an_older_one(tmp_path):
    path, table = kept_table(tmp_path)
    assert path.stat().st_mode & 0o777 == 0o600
    told = json.loads(path.read_text())
    path.write_text(json.dumps({**told, "seed": told["seed"] ^ 1}))
    with pytest.raises(ValueError, match=re.escape(f"{path}: damaged, its checksum")):
        kept.read_table(path)
    del told["checksum"]
    path.write_text(json.dumps(told))
    assert kept.read_table(path) == dataclasses.replace(table, out=str(tmp_path / table.out))


def test_the_file_of_a_table_goes_with_its_session(tmp_path, capsys):
    path, _ = kept_table(tmp_path)
    live = live_table(deals=2, file=ReplayFile(tmp_path / "again.jsonl"))
    with kept.TableFile(path) as file:
        file.read()
        serve._leave(live, file)
        assert f"schafkopf serve --resume {path}" in capsys.readouterr().out and path.exists()
        play_on(live, random.Random(1))
        serve._leave(live, file)
    assert "--resume" not in capsys.readouterr().out and not path.exists()


def test_a_file_that_is_not_that_of_the_table_stays(tmp_path, capsys):
    path, _ = kept_table(tmp_path)
    live = live_table(deals=2, file=ReplayFile(tmp_path / "again.jsonl"))
    play_on(live, random.Random(1))
    with kept.TableFile(path) as file:
        serve._leave(live, file)
    assert "--resume" not in capsys.readouterr().out and path.exists()


def served_once(monkeypatch, path, *options):
    """Where a table that is opened again listens, and what the browser is called with."""
    seen = {"opened": []}

    def look(app, listener):
        seen["listens"] = listener.getsockname()[0]
        seen["link"] = app.path_of(app.seats[0])
        end = time.monotonic() + 60
        while "--open" in options and not seen["opened"] and time.monotonic() < end:
            time.sleep(0.01)
        for address in seen["opened"]:
            file = Path(url2pathname(urlsplit(address).path))
            seen["file"], seen["rights"] = file, file.stat().st_mode & 0o777
            seen["text"] = file.read_text()

    monkeypatch.setattr(server, "serve", look)
    monkeypatch.setattr("webbrowser.open", lambda address: seen["opened"].append(address))
    assert cli.main(["serve", "--resume", str(path), "--port", "0", *options]) == 0
    return seen


# Who sends a file must not open the machine of its reader to a network
def test_whether_others_reach_the_machine_is_not_said_by_a_file(tmp_path, monkeypatch, capsys):
    path, _ = kept_table(tmp_path, host="0.0.0.0", actions=[[]])
    assert served_once(monkeypatch, path)["listens"] == "127.0.0.1"
    told = capsys.readouterr().out
    assert "The table listened at 0.0.0.0; now only this machine reaches it" in told
    assert "--host 0.0.0.0" in told
    assert served_once(monkeypatch, path, "--host", "0.0.0.0")["listens"] == "0.0.0.0"


# Everybody on a machine sees the command lines of all programs
def test_the_link_does_not_stand_on_the_command_line_of_the_browser(tmp_path, monkeypatch):
    path, _ = kept_table(tmp_path, actions=[[]])
    seen = served_once(monkeypatch, path, "--open")
    (address,) = seen["opened"]
    assert address.startswith("file://") and seen["link"].split("/")[-1] not in address
    assert seen["rights"] == 0o600 and seen["link"] in seen["text"]
    assert not seen["file"].exists()  # it goes with the table


def test_a_browser_that_stays_in_the_terminal_does_not_keep_the_table_from_being_served(
    tmp_path, monkeypatch
):
    path, _ = kept_table(tmp_path, actions=[[]])
    is_served = threading.Event()
    monkeypatch.setattr(server, "serve", lambda *_: is_served.set())
    monkeypatch.setattr("webbrowser.open", lambda _: is_served.wait(200))
    began = time.monotonic()
    assert cli.main(["serve", "--resume", str(path), "--port", "0", "--open"]) == 0
    assert time.monotonic() - began < 100
