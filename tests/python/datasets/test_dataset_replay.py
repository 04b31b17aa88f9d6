"""Files of a dataset written anew together with their checksums: a replay of its games shows it."""

from __future__ import annotations

import hashlib
import json
import re
import shutil

import pytest

from schafkopf import cli
from schafkopf.datasets import Dataset, import_games, write_dataset

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
SETTINGS = {"players": ["rules", "random"], "games": 40, "shard_games": 16, "workers": 1}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A dataset of views and masks; read only."""
    folder = tmp_path_factory.mktemp("replay") / "a"
    return write_dataset(folder, store=["views", "masks"], **SETTINGS)


def rewritten(made, folder, kind, change):
    """Return a copy of which a file of shard 1 was changed, with its checksum."""
    shutil.copytree(made.folder, folder)
    file = folder / f"{kind}-00001.parquet"
    table = parquet.read_table(file)
    rows = table.to_pylist()
    rows = change(rows) or rows
    parquet.write_table(pyarrow.Table.from_pylist(rows, schema=table.schema), file)
    sums = folder / "checksums.sha256"
    line = f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}"
    sums.write_text(re.sub(rf"\w+  {file.name}", line, sums.read_text()))
    dataset = Dataset(folder)
    dataset.check()
    return dataset


def other_action(rows):
    rows[3]["action"] = next(
        action for action in range(32) if rows[3]["legal"][action // 8] >> action % 8 & 1 == 0
    )


def other_legal(rows):
    rows[-1]["legal"] = bytes(16)


def other_view(rows):
    rows[5]["view"] = rows[4]["view"]


def other_seat(rows):
    rows[7]["seat"] = (rows[7]["seat"] + 1) % 4


def other_payoff(rows):
    rows[9]["payoff"] += 10


def without_the_last(rows):
    return rows[:-1]


def with_one_more(rows):
    return [*rows, rows[-1] | {"decision": rows[-1]["decision"] + 1}]


DECISIONS = [
    (other_action, "decision 3: action does not follow, allowed: "),
    (other_legal, r"decision \d+: legal does not follow, allowed: "),
    (other_view, "decision 5: view does not follow, allowed: "),
    (other_seat, "decision 7: seat does not follow, allowed: "),
    (other_payoff, "payoff is not that of its record, allowed: "),
    (without_the_last, "decisions are missing, allowed: "),
    (with_one_more, "there are decisions after its end, allowed: "),
]


@pytest.mark.parametrize(
    ("change", "said"), DECISIONS, ids=lambda one: getattr(one, "__name__", "")
)
def test_decisions_that_do_not_follow_from_the_games_are_named(made, tmp_path, change, said):
    dataset = rewritten(made, tmp_path / "x", "decisions", change)
    with pytest.raises(ValueError, match=rf"decisions-00001\.parquet: game \d+: {said}"):
        dataset.check(replay=True)


def other_result(rows):
    rows[2]["payoffs"] = [0.0] * 4
    rows[2]["won"] = None


def other_seed(rows):
    rows[0]["seed"] += 1


def illegal_play(rows):
    played = next(row for row in rows if row["plays"])
    played["plays"] = played["plays"][::-1]


GAMES = [
    (other_result, "game 18: (won|payoffs) = .*, by its replay .*, allowed: "),
    (other_seed, r"game 16: hands: seed \d+ deals other cards, allowed: "),
    (illegal_play, r"game \d+: it cannot be replayed \(.*\), allowed: "),
]


@pytest.mark.parametrize(("change", "said"), GAMES, ids=lambda one: getattr(one, "__name__", ""))
def test_games_that_do_not_follow_from_their_moves_are_named(made, tmp_path, change, said):
    dataset = rewritten(made, tmp_path / "x", "games", change)
    with pytest.raises(ValueError, match=rf"games-00001\.parquet: {said}"):
        dataset.check(replay=True)


def test_games_under_other_rules_than_the_manifest_says_are_named(made, tmp_path):
    rules = {"preset": "research", "tariff": "10/50"}
    other = write_dataset(tmp_path / "b", store=["views", "masks"], rules=rules, **SETTINGS)

    def of(kind):
        return lambda _: parquet.read_table(other.folder / f"{kind}-00001.parquet").to_pylist()

    dataset = rewritten(made, tmp_path / "x", "games", of("games"))
    dataset = rewritten(dataset, tmp_path / "y", "decisions", of("decisions"))
    said = r"games-00001\.parquet: game 16: rules are not those of dataset\.json, allowed: "
    with pytest.raises(ValueError, match=said):
        dataset.check(replay=True)


def test_games_of_other_decisions_are_named(made, tmp_path):
    other = write_dataset(tmp_path / "b", store=["views", "masks"], seed=2, **SETTINGS)
    rows = parquet.read_table(other.folder / "decisions-00001.parquet").to_pylist()
    dataset = rewritten(made, tmp_path / "x", "decisions", lambda _: rows)
    with pytest.raises(ValueError, match=r"decisions-00001\.parquet: game 16: decision 0: "):
        dataset.check(replay=True)


@pytest.mark.parametrize(
    "settings",
    [
        {"rules": "official_1989_full"},
        {"rules": "official_1989_full", "start": "card_play"},
        {"rules": "wikipedia_extended", "start": "card_play", "generator": "heuristic"},
        {"rules": {"deck": "short24", "hochzeit": "before_auction"}},
        {"rules": {"deck": "short24", "claims_enabled": True}, "start": "card_play"},
        {"rules": {"special_round": "soli_only"}, "start": "card_play"},
        {"rules": {"special_round": "schieber"}, "start": "card_play"},
    ],
    ids=str,
)
def test_what_was_written_follows_from_its_games(tmp_path, settings):
    for players in ("random", "rules"):
        dataset = write_dataset(
            tmp_path / players,
            players=players,
            games=64,
            store=["views", "masks"],
            workers=1,
            **settings,
        )
        dataset.check(replay=True)


def test_prices_beyond_what_float32_counts_in_units_are_no_difference(tmp_path):
    tariff = {
        "base": "10/20",
        "name": "large",
        "solo": 999_999.5,
        "wenz": 777_777,
        "laufende": 333_333,
    }
    rules = {"preset": "research", "legen": "free", "tariff": tariff}
    dataset = write_dataset(
        tmp_path / "a", players="random", rules=rules, games=80, workers=1, store=["views"]
    )
    assert dataset.arrays(columns=["payoffs"])["payoffs"].max() > 2**24
    dataset.check(replay=True)


def test_imported_games_and_those_without_decisions_are_replayed(made, tmp_path, capsys):
    alone = write_dataset(tmp_path / "alone", **SETTINGS)
    source = tmp_path / "games.jsonl"
    source.write_text("".join(f"{json.dumps(record)}\n" for record in alone.records()))
    imported = import_games(source, tmp_path / "imported", shard_games=16)
    for dataset in (made, alone, imported):
        seen = []
        dataset.check(
            replay=True, progress=lambda done, games, seen=seen: seen.append((done, games))
        )
        assert seen == [(16, 40), (32, 40), (40, 40)]
        assert cli.main(["dataset", "info", str(dataset.folder), "--replay"]) == 0
    told = capsys.readouterr().out
    assert "40 games in 3 shards of 16" in told
    assert told.count("\nreplayed: 40 games, all as they are written\n") == 3
    wrong = rewritten(imported, tmp_path / "x", "games", other_result)
    assert cli.main(["dataset", "info", str(wrong.folder)]) == 0
    assert "replayed" not in capsys.readouterr().out
    assert cli.main(["dataset", "info", str(wrong.folder), "--replay"]) == 2
    assert "game 18: " in capsys.readouterr().err
