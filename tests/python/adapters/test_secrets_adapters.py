"""What an adapter shows a seat depends on what the seat may know: two deals that differ in hidden
cards, with the same actions, look the same through every adapter.

SCHAFKOPF_TEST_SCALE=long compares 2,000 pairs through each; ./run secrets --adapters compares any
number, in parts, and ./run secrets is the form for views, encoders and players. RLlib has an
environment of its own (test_adapters_rllib.py): there this file runs through that adapter too.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.secret_pairs import ADAPTERS, Adapter, check, random_pairs

import schafkopf

ROOT = Path(__file__).resolve().parents[3]
PAIRS = 2000 if os.environ.get("SCHAFKOPF_TEST_SCALE") == "long" else 25


@pytest.fixture(scope="module")
def pairs():
    return list(random_pairs(PAIRS, 11))


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_shows_no_secret(pairs, name):
    for package in ADAPTERS[name].packages:
        pytest.importorskip(package, exc_type=ImportError)
    assert sum(check(ADAPTERS[name], pair) for pair in pairs) >= PAIRS // 4


def whole_game(pair, deal):
    """What no seat may see."""
    return [schafkopf.Game(pair.rules, deal, dealer=0).full_view(pair.seat).tobytes()]


def test_a_leak_is_found(pairs):
    with pytest.raises(AssertionError):
        for pair in pairs:
            check(Adapter(whole_game), pair)


def long_form(folder, *options):
    command = [sys.executable, ROOT / "tests" / "long" / "adapter_secrets.py", "--folder", folder]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    return subprocess.run([*command, "--adapter", "batch", *options], env=environment, text=True,
                          capture_output=True, timeout=300, check=False)  # fmt: skip


def test_the_long_form_goes_on_where_it_was(tmp_path):
    done = long_form(tmp_path, "--pairs", "20", "--part", "10")
    assert done.returncode == 0, done.stderr
    journal = tmp_path / "seed-0.jsonl"
    parts = [json.loads(line) for line in journal.read_text().splitlines()]
    assert [(one["part"], one["asked"]) for one in parts] == [(i, {"batch": 10}) for i in range(2)]
    text = journal.read_text()
    journal.write_text(text + '{"part": 2, "as')  # of a killed run
    done = long_form(tmp_path, "--pairs", "30", "--part", "10")
    assert done.returncode == 0 and "30 pairs" in done.stdout, done.stdout + done.stderr
    assert journal.read_text().startswith(text)
    added = [json.loads(line)["part"] for line in journal.read_text()[len(text) :].splitlines()]
    assert added == [2]
    assert long_form(tmp_path, "--pairs", "30", "--part", "5").returncode == 2


def test_the_long_form_ends_where_the_time_is_over(tmp_path):
    done = long_form(tmp_path, "--pairs", "1000000", "--part", "10", "--seconds", "1")
    assert done.returncode == 0 and "of 1,000,000 pairs" in done.stdout, done.stderr


def test_the_long_form_names_what_it_finds(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "long"))
    import adapter_secrets

    monkeypatch.setitem(ADAPTERS, "leak", Adapter(whole_game))
    assert adapter_secrets.compared((0, 0, 2, ["batch", "leak"]))["found"].startswith("leak: ")
    assert adapter_secrets.compared((0, 0, 2, ["batch"]))["found"] == ""


# It compared nothing and found no secret.
def test_an_adapter_that_is_named_and_not_there_is_an_error(monkeypatch, tmp_path, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "long"))
    import adapter_secrets

    monkeypatch.setitem(ADAPTERS, "absent", Adapter(whole_game, ("unheard_of",)))
    options = ["--pairs", "2", "--folder", str(tmp_path / "of journals"), "--adapter", "absent"]
    monkeypatch.setattr(sys, "argv", ["adapter_secrets.py", *options])
    with pytest.raises(SystemExit) as ended:
        adapter_secrets.main()
    assert ended.value.code == 2 and not (tmp_path / "of journals").exists()
    assert "--adapter absent: unheard_of cannot be imported here" in capsys.readouterr().err


@pytest.mark.skipif(not importlib.util.find_spec("pettingzoo"), reason="needs an adapter")
def test_the_long_form_asks_every_adapter_that_is_there(tmp_path):
    done = long_form(tmp_path, "--adapter", "pettingzoo", "--pairs", "4", "--part", "2")
    assert done.returncode == 0, done.stderr
    first = json.loads((tmp_path / "seed-0.jsonl").read_text().splitlines()[0])
    assert first["asked"] == {"batch": 2, "pettingzoo": 2}
