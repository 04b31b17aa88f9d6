"""Every reader of the package and every command over every wrong input: a value, or a normal error
with a short message; never a crash, a traceback or seconds of work.

The files of tests/corpus are named by what is wrong in them; what is large is made here. The
readers of the engine run over the same files, and over flipped bits, in
tests/cpp/agents/hostile_inputs_test.cpp.
"""

import contextlib
import importlib
import json
import math
import re
import struct
import sys
import time
import unicodedata

import numpy as np
import pytest
from support.hostile import CORPUS, READERS, corpus, in_folder
from support.training import SMALL, needs_training, trainers

import schafkopf
from schafkopf import (
    cli,
    datasets,
    files,
    ladder,
    networks,
    plots,
    records,
    tournaments,
    training_run,
)

with contextlib.suppress(ImportError):  # to load it takes seconds, which are no work on an input
    importlib.import_module("matplotlib.figure")

LONGEST = 1500  # characters of a message: lists of what is allowed are ours
SECONDS = 5.0  # of work: a usual machine needs one at most


def lists(depth):
    return "[" * depth + "]" * depth


def with_length(header):
    return struct.pack("<Q", len(header)) + header.encode()


LARGE = {
    "deep_record": '{"dealer": ' + lists(60_000) + "}\n",
    "deep_objects": '{"meta": ' + '{"a":' * 60_000 + "1" + "}" * 60_000 + "}\n",
    "deep_text": "meta: " + lists(100_000) + "\n",
    "deep_header.safetensors": with_length('{"t":' + lists(200_000) + "}"),
    "deep_dtype.safetensors": with_length('{"t":{"dtype":' + lists(200_000) + "}}"),
    "deep_journal": '{"format":"schafkopf-tournament-games-1","row_bytes":40,"options":'
    + lists(200_000)
    + "}\n",
    "header_of_a_million_parts.toml": "[" + "a." * 999_999 + "a]\n",
    "header_of_200000_parts.toml": "[" + "a." * 199_999 + "a]\n",
    "deep_key.toml": "a." * 200_000 + "a = 1\n",
    "deep_list.toml": "seed = " + lists(200_000) + "\n",
    "long_line": "a" * 3_000_000,
    "long_key.jsonl": '{"' + "k" * 3_000_000 + '": 1}\n',
    "long_key.toml": "k" * 500_000 + " = 1\n",
    "long_number.jsonl": '{"dealer": ' + "9" * 1_000_000 + "}\n",
}


def inputs():
    yield from ((path.name, path.read_bytes()) for path in corpus())
    for name, content in LARGE.items():
        yield name, content if isinstance(content, bytes) else content.encode()


def check_message(text):
    assert len(text) <= LONGEST
    kinds = {unicodedata.category(character) for character in text if character != "\n"}
    assert kinds.isdisjoint({"Cc", "Cs", "Zl", "Zp"}), "control characters, ends of lines"


def check(read, name):
    """Call a reader: ValueError and OSError are what wrong files raise."""
    start = time.process_time()
    try:
        read()
    except (ValueError, OSError) as error:
        assert str(error), name
        check_message(str(error))
    except Exception as error:
        raise AssertionError(f"{name}: {type(error).__name__}: {str(error)[:300]}") from error
    assert time.process_time() - start < SECONDS, name


def saved(path):
    pytest.importorskip("torch", exc_type=ImportError)  # modules to save are of torch
    networks.save_player(networks.new_torch("mlp:8x1"), path)


@pytest.mark.parametrize(
    "act",
    [
        lambda path: schafkopf.make_agent(f"net:{path}"),
        saved,
        lambda path: schafkopf.tournament(["rules", "random"], blocks=1, journal=path),
        lambda path: networks.load_numpy(path),
    ],
)
def test_a_zero_byte_does_not_end_the_name_of_a_file(act, tmp_path):
    (tmp_path / "x").write_text("kept")
    with pytest.raises(ValueError, match=r"zero byte|null byte"):
        act(f"{tmp_path / 'x'}\0y")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert (tmp_path / "x").read_text() == "kept"


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_takes_or_refuses_every_input(reader, tmp_path):
    assert len(corpus()) >= 100
    for name, content in inputs():
        path = tmp_path / name
        path.write_bytes(content)
        if reader == "rules":
            path = path.rename(path.with_suffix(".toml"))
        check(lambda path=path: READERS[reader](path), f"{reader} reads {name}")


def resumed(path, config, journal=None):
    """Return a folder of a tournament whose configuration has the checksum of what was written."""
    folder = in_folder(path, "config.toml", config)
    with contextlib.suppress(UnicodeDecodeError):  # what is no text has no checksum
        (folder / "config.toml").write_text(files.sealed(config.decode("utf-8")), encoding="utf-8")
    if journal is not None:
        (folder / "games.journal").write_bytes(journal)
    return folder


CONFIG = b"agents = ['random', 'rules']\nblocks = 1\nthreads = 1\n"
COMMANDS = {
    "replay": lambda path: ["replay", path],
    "replay --check": lambda path: ["replay", "--check", path],
    "replay --text": lambda path: ["replay", "--text", path],
    "rules check": lambda path: ["rules", "check", path],
    "rules show": lambda path: ["rules", "show", f"./{path.name}"],
    "tournament": lambda path: ["tournament", path, "--out", path.with_name(path.name + "_run")],
    "tournament --resume": lambda path: [
        "tournament",
        "--resume",
        resumed(path, path.read_bytes()),
    ],
    "tournament --resume, journal": lambda path: [
        "tournament",
        "--resume",
        resumed(path, CONFIG, path.read_bytes()),
    ],
}
# What a command says of a file that it has read, not only looked for.
READ = {
    "tournament --resume": r"_folder/config\.toml:\d+: ",
    "tournament --resume, journal": r"_folder/games\.journal: no file of tournament games",
}


def check_command(arguments, capsys, name):
    start = time.process_time()
    try:
        code = cli.main([str(argument) for argument in arguments])
    except Exception as error:
        raise AssertionError(f"{name}: {type(error).__name__}: {str(error)[:300]}") from error
    printed = capsys.readouterr()
    assert code in (0, 1, 2), name
    assert code == 0 or printed.err, name
    assert "Traceback" not in printed.err
    for line in printed.err.splitlines():
        check_message(line)
    assert time.process_time() - start < SECONDS, name
    return code, printed.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_or_refuses_every_input(command, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = ""
    for name, content in inputs():
        path = tmp_path / name
        path.write_bytes(content)
        said += check_command(COMMANDS[command](path), capsys, f"{command} reads {name}")[1]
    assert command not in READ or len(re.findall(READ[command], said)) > 20


@pytest.mark.parametrize(
    ("command", "name", "words"),
    [
        ("replay", "deep_record", "line 1: nested too deeply at character 75, allowed: 64 levels"),
        ("rules check", "header_of_200000_parts.toml", ":1: nested too deeply, allowed: 64 levels"),
        (
            "rules check",
            "header_of_a_million_parts.toml",
            ": longer than a file may be, allowed: 1048576 bytes",
        ),
        ("tournament", "header_of_200000_parts.toml", ":1: nested too deeply, allowed: 64 levels"),
        (
            "tournament",
            "header_of_a_million_parts.toml",
            "longer than a file may be, allowed: 1048576 bytes",
        ),
    ],
)
def test_nesting_is_refused_in_one_line(command, name, words, tmp_path, capsys):
    path = tmp_path / name
    path.write_text(LARGE[name])
    code = cli.main([str(argument) for argument in COMMANDS[command](path)])
    errors = capsys.readouterr().err
    assert code in (1, 2) and words in errors and len(errors.splitlines()) == 1


def test_a_deep_header_of_weights_is_refused_by_name(tmp_path):
    path = tmp_path / "w.safetensors"
    for name in ("deep_header.safetensors", "deep_dtype.safetensors"):
        path.write_bytes(LARGE[name])
        with pytest.raises(ValueError, match=r"w\.safetensors: .* nested too deeply .* 64 levels"):
            schafkopf.make_agent(f"net:{path}")


def test_json_has_no_more_levels_than_the_engine_allows():
    assert files.parse_json(lists(64), "a.json")
    assert files.parse_json(f'["{lists(65)}", "\\"{lists(65)}"]', "a.json")
    for text in (lists(65), "[" * 100_000, f'[{{"a": {lists(63)}}}]', f'["\\"", {lists(64)}]'):
        with pytest.raises(ValueError, match=r"^a\.json: nested too deeply, allowed: 64 levels$"):
            files.parse_json(text, "a.json")
    with pytest.raises(ValueError, match="no JSON"):
        files.parse_json('"' + '\\"' * 3_000_000, "a.json")


def test_a_line_that_is_longer_than_any_record_is_named_by_its_number(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\n\n" + b" " * (records.MAX_LINE_BYTES + 1))
    with pytest.raises(ValueError, match=r"games\.jsonl: line 3: longer than a line may be"):
        list(records.read_records(path))


def test_a_manifest_that_is_nested_is_refused(tmp_path):
    (tmp_path / "dataset.json").write_text('{"players": ' + lists(900) + "}")
    with pytest.raises(ValueError, match=r"dataset\.json: nested too deeply, allowed: 64 levels"):
        datasets.Dataset(tmp_path)


def test_a_key_that_comes_twice_is_found_among_many():
    keys = ",".join(f'"{number}":0' for number in [*range(100_000), 99_999])
    start = time.process_time()
    with pytest.raises(ValueError, match=r'a\.json: no JSON: key "99999" comes twice'):
        files.parse_json(f"{{{keys}}}", "a.json")
    assert time.process_time() - start < SECONDS


def test_json_has_no_whole_numbers_that_the_engine_has_not(tmp_path):
    text = f"[{-(2**63)}, {2**64 - 1}]"
    assert files.parse_json(text, "a.json") == json.loads(text)
    for number in (-(2**63) - 1, 2**64, 10**400):
        with pytest.raises(ValueError, match=f"{str(number)[:60]}, allowed: whole numbers of 64"):
            files.parse_json(f"[{number}]", "a.json")
    line = (CORPUS / "valid_metrics.jsonl").read_text().replace("1.2", "1" + "0" * 400)
    (tmp_path / "metrics.jsonl").write_text(line)
    with pytest.raises(ValueError, match=r"metrics\.jsonl:1: no JSON: 10*, allowed: whole numbers"):
        plots.read_metrics(tmp_path / "metrics.jsonl")
    told = []
    (tmp_path / "times.json").write_text('{"seconds": 1' + "0" * 400 + ', "cpu": 1}')
    with ladder.counted(tmp_path / "times.json", told.append) as spent:
        assert spent == {"seconds": 0.0, "cpu": 0.0}
    assert "damaged, times are counted from now on" in told[0]


def test_records_that_are_nested_in_python_are_refused():
    inner = []
    for _ in range(100_000):
        inner = [inner]
    for read in (records.replay, records.replayed_game, records.text_of):
        with pytest.raises(
            ValueError, match=r"^a record is nested too deeply, allowed: 64 levels$"
        ):
            read({"dealer": inner})


def test_what_json_cannot_hold_is_told_with_its_key():
    record = json.loads((CORPUS / "valid_record.jsonl").read_text().splitlines()[0])
    ring = {}
    ring["ring"] = [ring]
    for value, told in (
        ({"gain": math.nan}, "meta: holds a number that is not finite, allowed: finite numbers"),
        ([-math.inf], "meta: holds a number that is not finite, allowed: finite numbers"),
        (np.float32("nan"), "meta: holds a number that is not finite, allowed: finite numbers"),
        (ring, "meta: holds itself, allowed: lists and mappings of at most 64 levels"),
        ({"gain": 10**5000}, "meta: holds a number of too many digits, allowed: those of 64 bits"),
    ):
        for read in (records.replay, records.replayed_game, records.text_of):
            with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
                read({**record, "meta": value})
    with pytest.raises(ValueError, match=r"^nan: holds a number that is not finite, allowed: "):
        records.replay({**record, math.nan: 1})
    with pytest.raises(ValueError, match=r"^a key: holds a number of too many digits, allowed: "):
        records.replay({**record, 10**5000: 1})


def test_texts_that_utf8_cannot_write_are_refused(tmp_path, capsys):
    for call in (
        lambda: records.from_text("id: \ud800"),
        lambda: schafkopf.RuleSet("\ud800.toml"),
        lambda: schafkopf.make_agent("net:\ud800"),
        lambda: schafkopf.Game("\ud800"),
    ):
        with pytest.raises(ValueError, match="UTF-8"):
            call()
    assert cli.main(["rules", "check", "\udcff.toml"]) == 2
    assert capsys.readouterr().err == "schafkopf: '\\udcff.toml': no UTF-8 text\n"


def _engine_calls(folder):
    """Calls in which the engine opens the file of the first argument."""
    module = schafkopf.new_torch("mlp:8x1")
    return (
        lambda: schafkopf.train(SMALL | {"decisions_limit": 500}, out=folder),
        lambda: schafkopf.train(folder + ".toml", out="run"),
        lambda: schafkopf.save_player(module, folder),
        lambda: schafkopf.load_numpy(folder),
        lambda: schafkopf.tournament(["rules", "random"], blocks=1, journal=folder),
        lambda: tournaments.run_tournament("default.toml", out=folder),
        lambda: tournaments.read_games(folder),
    )


@needs_training
def test_files_of_the_engine_have_names_in_utf8(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call in _engine_calls("\udce4"):
        with pytest.raises(ValueError, match=r"^\w+ = '\\udce4(\.toml)?': no UTF-8 text$"):
            call()
    assert not list(tmp_path.iterdir())


@needs_training
def test_names_that_the_engine_would_write_in_another_way_are_refused(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    calls = _engine_calls("l\xe4ufe")
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "iso8859-1")
    words = "names of files are iso8859-1 here, allowed: ASCII, or a locale of UTF-8"
    for call in calls:
        with pytest.raises(ValueError, match=rf"^\w+ = 'l\\xe4ufe(\.toml)?': {words}$"):
            call()
    for given, name in (
        (["train", "--out", "l\xe4ufe"], "--out"),
        (["train", "--out=l\xe4ufe"], "--out"),
        (["rules", "check", "l\xe4ufe"], "argument"),
    ):
        assert cli.main(given) == 2
        assert capsys.readouterr().err == f"schafkopf: {name} 'l\\xe4ufe': {words}\n"
    assert not list(tmp_path.iterdir())
    named = ["dataset", "export", "games", "--minari", "a-v0", "--author", "J\xf6rg"]
    cli.main(named)
    assert "allowed: ASCII" not in capsys.readouterr().err


def test_switches_that_no_number_holds_are_refused():
    with pytest.raises(ValueError, match="laufende_min_wenz"):
        schafkopf.RuleSet(laufende_min_wenz=10**400)


def test_a_record_of_a_file_is_an_object(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("{}\n[1]\n")
    with pytest.raises(ValueError, match=r"a\.jsonl:2: a record is a JSON object"):
        list(records.read_records(path))


def test_metrics_say_which_line_is_wrong(tmp_path):
    path = tmp_path / "metrics.jsonl"
    good = (CORPUS / "valid_metrics.jsonl").read_bytes()
    path.write_bytes(good + good.replace(b"1.2", b"null"))
    assert [row["entropy"] for row in plots.read_metrics(path)] == [1.2, None]
    for line in (b"{}", b"[]", b"\xff", b"{", b'{"decisions": "x"}'):
        path.write_bytes(good + line + b"\n")
        with pytest.raises(ValueError, match=r"metrics\.jsonl:2: "):
            plots.read_metrics(path)


# ---- training ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def training():
    return trainers()


def test_training_takes_or_refuses_every_input(training, tmp_path):
    for name, content in inputs():
        path = tmp_path / name
        path.write_bytes(content)
        setting = content[:5000].decode("latin-1")
        check(lambda path=path: training.config_toml(str(path)), f"configuration {name}")
        check(lambda text=setting: training.config_toml("", [f"seed={text}"]), f"setting {name}")
        folder = in_folder(path, training_run.CHECKPOINT, content)
        check(lambda folder=folder: training.train(resume_dir=str(folder)), f"checkpoint {name}")
        assert [entry.name for entry in folder.iterdir()] == [training_run.CHECKPOINT]


def test_the_commands_of_training_refuse_what_is_nested(training, tmp_path, capsys):
    for name in ("header_of_200000_parts.toml", "header_of_a_million_parts.toml"):
        path = tmp_path / name
        path.write_text(LARGE[name])
        out = tmp_path / "out"
        assert check_command(["train", path, "--out", out], capsys, name)[0] == 2
        assert not out.exists()
    folder = in_folder(tmp_path / "run", training_run.CHECKPOINT, LARGE["deep_dtype.safetensors"])
    assert check_command(["train", "--resume", folder], capsys, "checkpoint")[0] == 2


def test_damaged_checkpoints_are_refused_by_name_and_nothing_is_touched(training, tmp_path, capsys):
    run = tmp_path / "run"
    small = ["workers=1", "games_per_update=8", "minibatch=64", "width=8", "layers=1"]
    small += ["decisions_limit=1", "time_limit_minutes=0"]
    training.train(settings=small, out_dir=str(run))
    checkpoint = run / training_run.CHECKPOINT
    for path in (checkpoint, run / training_run.BEFORE):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 4
        path.unlink()  # both may be links to one file
        path.write_bytes(content)
    before = {entry.name: entry.read_bytes() for entry in run.iterdir()}
    assert cli.main(["train", "--resume", str(run)]) == 2
    errors = capsys.readouterr().err
    assert f"{checkpoint}: damaged (checksum " in errors and "restore it from a copy" in errors
    assert "the checkpoint before it is damaged, too" in errors
    assert {entry.name: entry.read_bytes() for entry in run.iterdir()} == before


def test_the_corpus_is_small():
    assert sum(path.stat().st_size for path in corpus()) < 300_000
    fuzzed = [path for path in (CORPUS / "fuzz").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in fuzzed) < 2_000_000
    json.loads((CORPUS / "valid_record.jsonl").read_text())
