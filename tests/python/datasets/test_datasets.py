"""Datasets: the same bytes for any number of workers, kills and Ctrl-C, ways back, bad input."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.programs import signalled

import schafkopf
from schafkopf import _core, cli, crew
from schafkopf.datasets import Dataset, import_games, write_dataset
from schafkopf.datasets.schema import pack_record, results_of, unpack_record

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
ROOT = Path(__file__).resolve().parents[3]
EVERYTHING = ("views", "masks", "probabilities", "solver")


class Lowest:
    """Plays the lowest legal action; can be sent to other processes."""

    name = "lowest"

    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)


def content(folder):
    """Return name -> bytes of every file of a folder."""
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@pytest.mark.parametrize("name", ["~", "~root", "file:games", "s3:games"])
def test_a_folder_is_where_its_name_says_and_no_home_or_address(name, games, tmp_path, monkeypatch):
    shutil.copytree(games.folder, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    there = Dataset(Path(name))
    there.check()
    assert there.table("games", 0).equals(games.table("games", 0))


def test_bytes_are_those_of_the_settings_whatever_memory_held_before(tmp_path):
    code = (
        "import sys; from schafkopf.datasets import write_dataset\n"
        "write_dataset(sys.argv[1], players='rules', games=16, store=['views', 'masks'])\n"
    )
    for fill in ("85", "170"):  # of what malloc gives (glibc)
        environ = os.environ | {"MALLOC_PERTURB_": fill, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", code, str(tmp_path / fill)]
        subprocess.run(command, check=True, env=environ)
    assert content(tmp_path / "85") == content(tmp_path / "170")


def test_workers_0_are_the_processors_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5}, raising=False)
    assert crew.usable_processors() == 2
    monkeypatch.delattr(os, "sched_getaffinity")  # a system that does not say
    assert crew.usable_processors() == (os.cpu_count() or 1)


def test_a_dataset_with_workers_0_is_written_by_one_for_each_processor(tmp_path, monkeypatch):
    asked = []

    def over_processes(player, left, workers):
        asked.append(workers)
        return ((shard, player(shard)) for shard in left)

    monkeypatch.setattr("schafkopf.datasets.write.over_processes", over_processes)
    monkeypatch.setattr("schafkopf.datasets.write.usable_processors", lambda: 3)
    write_dataset(tmp_path, players="random", games=32, shard_games=8, workers=0)
    assert asked == [3]


def test_any_number_of_workers_writes_the_same_bytes(games, tmp_path):
    again = write_dataset(
        tmp_path / "two", players=["rules", "random"], games=300, shard_games=128, seed=3, workers=2
    )
    assert content(again.folder) == content(games.folder)
    assert set(content(games.folder)) == {
        "dataset.json",
        "checksums.sha256",
        "games-00000.parquet",
        "games-00001.parquet",
        "games-00002.parquet",
    }


def test_games_do_not_depend_on_the_size_of_shards_nor_on_what_is_stored(games, tmp_path):
    small = write_dataset(
        tmp_path / "small",
        players=["rules", "random"],
        games=24,
        shard_games=8,
        seed=3,
        store=EVERYTHING[:3],
    )
    first = [record for record, _ in zip(games.records(), range(24), strict=False)]
    assert list(small.records()) == first


def test_records_replay_to_the_results_that_stand_beside_them(games):
    rows = games.arrays()
    records = list(games.records())
    assert len(records) == len(games) == 300 and games.missing == 0
    for number, record in enumerate(records):
        result = schafkopf.replay(record)
        assert result["payoffs"] == rows["payoffs"][number].tolist()
        if result.get("won") is not None:
            assert result["won"] == rows["won"][number]
            assert result["declarer_points"] == rows["declarer_points"][number]
        dealt = schafkopf.Deal.random(record["seed"], "research", record["dealer"])
        assert dealt.hands == record["hands"]
    assert len({str(record["hands"]) for record in records}) == 300


def test_what_is_stored_may_be_named_by_an_iterator(tmp_path):
    dataset = write_dataset(tmp_path, players="random", games=8, store=iter(["views", "masks"]))
    assert dataset.settings.store == ("views", "masks")


def test_what_is_stored_does_not_depend_on_the_order_in_which_it_is_named(tmp_path):
    made = write_dataset(tmp_path / "made", players="random", games=8, store=["masks", "views"])
    assert made.settings.store == ("views", "masks")
    more = write_dataset(tmp_path / "made", store=["views", "masks", "views"], resume=True)
    assert more.settings == made.settings


def test_players_change_their_seats_and_deal_alike(games):
    rows = games.arrays(columns=["game", "player_0", "player_1", "dealer", "finished"])
    assert rows["finished"].all()
    assert (rows["game"] == np.arange(300)).all()
    first, second = (rows[f"player_{seat}"] for seat in (0, 1))
    assert (first != second).all()
    assert set(first[:32]) == {"rules"} and set(first[32:64]) == {"random"}
    for name in ("rules", "random"):
        dealers = rows["dealer"][:256][first[:256] == name]
        assert np.bincount(dealers, minlength=4).tolist() == [32, 32, 32, 32]


def test_players_change_their_seats_after_a_round_of_dealers_at_tables_of_three_too(tmp_path):
    rules = {"players": 3, "deck": "short24"}
    made = write_dataset(tmp_path, players={"a": "random", "b": "random"}, games=56, rules=rules)
    first, other = (made.arrays(columns=[name])[name].tolist() for name in ("player_0", "player_1"))
    assert first == ["a"] * 24 + ["b"] * 24 + ["a"] * 8
    assert other == ["b"] * 24 + ["a"] * 24 + ["b"] * 8


def test_players_play_as_they_do_alone(tmp_path):
    alone = write_dataset(tmp_path / "a", players=["rules"], games=8, seed=5)
    env = schafkopf.VectorEnv(1, seed=5, view_lines=True)
    env.reset()
    rules, played = schafkopf.make_agent("rules"), []
    while len(played) < 8:
        env.step(env.agent_actions(rules))
        if env.terminated[0]:
            played.append(json.loads(_core.record_json(env.get_game(0))))
    records = [dict(record) for record in alone.records()]
    for record in records:
        del record["seed"]
    assert records == played


def test_decisions_are_those_of_the_games(decisions):
    table = decisions.arrays("decisions")
    rows = decisions.arrays("games", ["game", "payoffs"])
    mask = np.unpackbits(table["legal"].view(np.uint8), axis=1, bitorder="little")
    assert (mask == schafkopf.legal_mask(table["view"])).all()
    chosen = np.arange(len(mask)), table["action"]
    assert mask[chosen].all()
    assert (table["seat"] == schafkopf.views.unpack_cards(table["view"]["cards"])["seat"]).all()
    assert (table["payoff"] == rows["payoffs"][table["game"], table["seat"]]).all()
    np.testing.assert_allclose(table["probabilities"].sum(axis=1), 1, rtol=1e-6)
    assert (table["probabilities"][chosen] == 1).all()  # the rule agent draws nothing
    for number, record in enumerate(decisions.records()):
        own = table["game"] == number
        assert (table["decision"][own] == np.arange(own.sum())).all()
        cards = table["action"][own][own.sum() - len(record["plays"]) :]
        assert list(map(_core.card_name, cards)) == record["plays"]


def test_values_are_those_of_the_player_at_each_decision(tmp_path):
    pytest.importorskip("torch", exc_type=ImportError)
    file = tmp_path / "player.safetensors"
    schafkopf.save_player(schafkopf.new_torch("mlp:16x1"), file)
    store, player = ("views", "probabilities"), f"net:{file}"
    how = {"games": 10, "start": "card_play", "store": store}  # of two tables, in turn
    made = write_dataset(tmp_path / "made", players=player, **how)
    table = made.arrays("decisions", ["view", "value", "probabilities"])
    probabilities, values = schafkopf.make_agent(player).policy(table["view"])
    assert len(set(values.tolist())) > 16
    np.testing.assert_allclose(table["value"], values, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(table["probabilities"], probabilities, rtol=1e-4, atol=1e-5)


def test_probabilities_of_a_player_that_sees_hidden_hands_are_those_of_the_same_game(tmp_path):
    how = {"games": 10, "start": "card_play", "store": "probabilities"}
    made = write_dataset(tmp_path, players=["random", "oracle"], **how)  # in turn at two tables
    table = made.arrays("decisions", ["action", "probabilities"])
    assert (table["probabilities"][np.arange(len(table["action"])), table["action"]] > 0).all()


def test_the_value_of_a_player_without_values_is_null_in_the_file(decisions):
    column = decisions.table("decisions", 0, ["value"]).column("value")
    assert column.null_count == len(column) > 0
    assert np.isnan(decisions.arrays("decisions", ["value"])["value"]).all()


def test_any_reader_of_parquet_knows_the_encodings_and_views_are_packed_tightly(decisions):
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    usual = {"PLAIN", "RLE", "PLAIN_DICTIONARY", "RLE_DICTIONARY"}  # as polars 2.1 and DuckDB 2.0
    packed = {}
    for path in decisions.folder.glob("*-00000.parquet"):
        group = parquet.read_metadata(path).row_group(0)
        for cells in map(group.column, range(group.num_columns)):
            assert set(cells.encodings) <= usual, (path.name, cells.path_in_schema)
            packed[cells.path_in_schema] = cells.total_compressed_size
    with arrow.BufferOutputStream() as sink:
        views = decisions.table("decisions", 0).select(["view"])
        parquet.write_table(views, sink, compression="zstd", use_dictionary=False)
        assert packed["view"] < 0.9 * sink.getvalue().size


def test_solver_values_are_those_of_the_solver(decisions):
    table = decisions.arrays("decisions")
    seen, solver = 0, schafkopf.Solver()
    for number, record in enumerate(decisions.records()):
        own = np.flatnonzero(table["game"] == number)
        if not record["plays"]:
            assert (table["solver"][own] == -1).all()
            continue
        cards = len(record["plays"])
        short = record | {"plays": record["plays"][: cards - 4]}
        game = schafkopf.records.replayed_game(short)
        points = solver.card_points(game)
        row = table["solver"][own[-4]]
        assert {_core.card_name(a): row[a] for a in np.flatnonzero(row >= 0)} == points
        seen += 1
    assert seen > 3


def test_games_that_start_at_card_play_come_back_with_their_contract(tmp_path):
    dataset = write_dataset(tmp_path / "out", players="random", games=16, start="card_play")
    for record in dataset.records():
        assert "contract" in record and "auction" not in record
        assert schafkopf.replay(record)["payoffs"]
    assert dataset.settings.generator == "heuristic"


@pytest.mark.parametrize("generator", ["mixed:single=0.8", "heuristic:noise=1"])
def test_games_that_start_at_card_play_are_those_of_the_generator(tmp_path, generator):
    how = {"start": "card_play", "generator": generator}
    made = write_dataset(tmp_path, players="random", games=8, seed=5, **how)
    env = schafkopf.VectorEnv(1, seed=5, **how)
    env.reset()
    wanted = []
    while len(wanted) < 8:
        env.step(env.random_actions())
        if env.terminated[0]:
            record = json.loads(_core.record_json(env.get_game(0)))
            wanted.append((record["hands"], record["contract"], record["declarer"]))
    found = [(one["hands"], one["contract"], one["declarer"]) for one in made.records()]
    assert found == wanted


def test_house_rules_and_tables_of_three_come_back(tmp_path):
    tables = [
        {"preset": "tournament_2024"},
        {"preset": "research", "laufende_min_wenz": 3},
        {"preset": "research", "players": 3, "deck": "short24"},
    ]
    for number, (rules, seats) in enumerate(zip(tables, (4, 4, 3), strict=True)):
        known = schafkopf.RuleSet(**rules)
        dataset = write_dataset(tmp_path / str(number), players="random", games=8, rules=known)
        assert Dataset(dataset.folder).settings.rule_set() == known
        records = list(dataset.records())
        assert len(records) == 8
        for record in records:
            assert len(record["hands"]) == seats
            assert len(schafkopf.replay(record)["payoffs"]) == seats


def test_results_of_a_game_stand_by_absolute_seat_at_tables_of_three_too():
    rules = {"players": 3, "deck": "short24"}
    contract = schafkopf.Contract("SOLO", declarer=1, suit="H", tout=True)
    game = schafkopf.Game.with_contract(contract, rules, seed=3)
    while not game.is_terminal:
        game.apply(game.legal_actions()[0])
    row = results_of(game)
    assert row["payoffs"] == [*game.payoffs(), 0.0] and row["payoffs"][1] != row["payoffs"][0]
    assert (row["contract"], row["declarer"], row["declarer_party"]) == ("SOLO_TOUT", 1, 0b010)
    thrown = schafkopf.Game(seed=1)
    while not thrown.is_terminal:
        thrown.apply("PASS")
    row = results_of(thrown)
    assert (row["contract"], row["declarer"], row["declarer_party"]) == ("", -1, 0)
    assert row["won"] is None and row["payoffs"] == [0.0] * 4


def test_a_record_comes_back_as_it_was():
    hands = [["EO", "HO"], ["GU", "H9"], ["SO"], []]
    odd = {
        "rules": {"preset": "research", "tariff": "10/20/50"},
        "hands": hands,
        "dealer": 9,
        "plays": ["EO", "h9"],
        "auction": [[0, "PASS"], [1, "CARD", "EA"]],
        "doublings": [[2, 1]],
        "legen": [1, 2],
        "claims": [[2, "CLAIM_REST", None, 12]],
        "meta": {"ä": [1]},
        "seed": -1,
    }
    assert unpack_record(pack_record(odd)) == odd
    for rules in (None, 3, "x", "[" * 100_000):
        with pytest.raises(ValueError, match="rules: "):
            unpack_record({**pack_record(odd), "rules": rules})


def test_a_game_entered_at_card_play_stands_in_the_column_for_it_with_its_partner():
    entered = {"contract": {"class": "RUF", "called": "EA"}, "declarer": 0, "partner": 2}
    row = pack_record({"hands": [["EO"], ["HO"], ["EA"], ["SO"]], "dealer": 3, **entered})
    assert json.loads(row["entered"]) == entered and row["more"] is None


# ---- going on -----------------------------------------------------------------------------------

COMMAND = ["--players", "rules", "random", "--games", "24000", "--shard-games", "400"]


def test_ctrl_c_ends_with_a_line_and_goes_on(tmp_path):
    out = tmp_path / "out"
    first = out / "games-00000.parquet"
    done = signalled(signal.SIGINT, first, 0, "dataset", "write", *COMMAND, "--out", out)
    errors = done.stderr
    assert done.returncode == 130, errors
    assert errors.splitlines()[-1] == "schafkopf: interrupted"
    assert f"--resume {out}" in errors and "Traceback" not in errors
    missing = Dataset(out).missing
    assert 0 < missing < 24000
    kept = {name: data for name, data in content(out).items() if name.endswith(".parquet")}

    def stop(done, all_games):
        if done > all_games - missing:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_dataset(out, resume=True, progress=stop)
    assert Dataset(out).missing == missing - 400
    Dataset(out).check()
    assert kept.items() <= content(out).items()


@pytest.mark.parametrize("column", ["entered", "more"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 5000, id="deep"),
        *("[]", "1", '[["rules", 1]]', '{"id": NaN}', '{"id": 1, "id": 2}', "x"),
    ],
)
def test_a_row_whose_json_is_no_object_is_refused_by_file_and_game(games, tmp_path, column, text):
    for name in ("dataset.json", "games-00000.parquet"):
        (tmp_path / name).write_bytes((games.folder / name).read_bytes())
    path = tmp_path / "games-00000.parquet"
    table = parquet.read_table(path)
    number = table.schema.get_field_index(column)
    values = pyarrow.array([text] * len(table)).cast(table.schema.field(column).type)
    parquet.write_table(table.set_column(number, table.schema.field(number), values), path)
    with pytest.raises(ValueError, match=re.escape(f"{path}: game 0: ValueError ({column}: ")):
        next(Dataset(tmp_path).records())


def damage(path, place):
    damaged = bytearray(path.read_bytes())
    damaged[place] ^= 16
    path.write_bytes(damaged)


def test_a_damaged_file_is_named_and_written_again(tmp_path):
    out, notes = tmp_path / "out", []
    write_dataset(out, players="random", games=24, shard_games=8)
    whole = content(out)
    sums = [line.split("  ") for line in whole["checksums.sha256"].decode().splitlines()]
    files = {name: data for name, data in whole.items() if name != "checksums.sha256"}
    assert {name: hashlib.sha256(data).hexdigest() for name, data in files.items()} == {
        name: digest for digest, name in sums
    }
    path = out / "games-00001.parquet"
    for place in (0, 400, len(path.read_bytes()) - 200):
        damage(path, place)
        with pytest.raises((OSError, ValueError), match=re.escape(f"{path}: ")):
            Dataset(out).check()
        write_dataset(out, resume=True, note=notes.append)
        assert content(out) == whole
    assert notes == [f"{path}: damaged, it is written again"] * 3
    damage(path, 500)
    with pytest.raises((OSError, ValueError), match=re.escape(str(path))):
        Dataset(out).table("games", 1)
    with pytest.warns(RuntimeWarning, match="damaged, it is written again"):
        write_dataset(out, resume=True)
    manifest = out / "dataset.json"
    manifest.write_text(manifest.read_text().replace('"seed": 1', '"seed": 3'))
    for read in (lambda: write_dataset(out, resume=True), Dataset(out).check):
        with pytest.raises(ValueError, match=re.escape(f"{manifest}: damaged, or changed by hand")):
            read()


@pytest.mark.parametrize(
    ("there", "instead"),
    [("runaway_min", "runaway_mi~"), ("throw_in", "thro_in"), ('"long32"', '"lonG32"')],
)
def test_rules_of_a_manifest_that_are_damaged_name_it(tmp_path, there, instead):
    out = tmp_path / "out"
    write_dataset(out, players="random", games=16, shard_games=8)
    manifest = out / "dataset.json"
    text = manifest.read_text()
    assert there in text
    manifest.write_text(text.replace(there, instead, 1))
    for read in (lambda: write_dataset(out, resume=True), lambda: Dataset(out)):
        with pytest.raises(ValueError, match=re.escape(f"{manifest}: rules: ")):
            read()


def test_a_line_of_a_checksum_with_another_name_is_put_right(tmp_path):
    out, notes = tmp_path / "out", []
    write_dataset(out, players="random", games=16, shard_games=8)
    whole = content(out)
    text = whole["checksums.sha256"].decode()
    for name, other in (("dataset.json", "eataset.json"), ("games-00001", "games-0000\xe9")):
        damaged = text.replace(name, other).encode("latin-1")  # which may be no text
        (out / "checksums.sha256").write_bytes(damaged)
        write_dataset(out, resume=True, note=notes.append)
        assert content(out) == whole and not notes


def test_a_file_that_was_killed_before_its_checksum_is_written_again_without_a_word(tmp_path):
    out, notes = tmp_path / "out", []
    write_dataset(out, players="random", games=16, shard_games=8)
    whole = content(out)
    sums = out / "checksums.sha256"
    sums.write_text("".join(sums.read_text().splitlines(keepends=True)[:2]))
    write_dataset(out, resume=True, note=notes.append)
    assert content(out) == whole and not notes
    sums.unlink()  # as a folder of an older version
    (out / "games-00001.parquet").unlink()
    write_dataset(out, resume=True, note=notes.append)
    assert content(out) == whole and not notes


def test_what_a_kill_left_when_the_folder_had_begun_goes_with_resume(tmp_path):
    out = write_dataset(tmp_path / "out", players="rules", games=8).folder
    left = out / ".dataset.json.tmp-abcd_123"
    os.link(out / "dataset.json", left)  # the file has its name, and the temporary one is there yet
    write_dataset(out, resume=True)
    assert not left.exists()


def test_resuming_with_other_settings_names_them(games):
    before = content(games.folder)
    with pytest.raises(ValueError, match="seed: there 3, now 4"):
        write_dataset(games.folder, seed=4, resume=True)
    with pytest.raises(ValueError, match="players: there"):
        write_dataset(games.folder, players="rules", resume=True)
    with pytest.raises(ValueError, match="not empty: resume it"):
        write_dataset(games.folder, players="rules", games=8)
    write_dataset(games.folder, seed=3, resume=True)
    assert content(games.folder) == before


def test_a_manifest_has_the_hash_of_the_network_that_played(tmp_path):
    network = shutil.copy(ROOT / "agents/network/shipped/baseline.safetensors", tmp_path)
    made = write_dataset(tmp_path / "out", players=f"net:{network}", games=8)
    (player,) = made.settings.players
    assert player["files"] == {str(network): hashlib.sha256(Path(network).read_bytes()).hexdigest()}


def test_the_start_of_a_folder_may_be_given_without_its_generator(tmp_path):
    how = {"start": "card_play", "generator": "heuristic:noise=0"}
    there = write_dataset(tmp_path, players="random", games=8, **how)
    before = content(tmp_path)
    assert write_dataset(tmp_path, start="card_play", resume=True).settings == there.settings
    assert content(tmp_path) == before
    with pytest.raises(ValueError, match='start: there "card_play", now "deal"'):
        write_dataset(tmp_path, start="deal", resume=True)


def test_two_runs_of_one_folder_at_a_time_are_refused(tmp_path):
    refused = []

    def second(done, all_games):
        with pytest.raises(ValueError, match="another run is writing this dataset"):
            write_dataset(tmp_path / "out", resume=True)
        refused.append(done)

    write_dataset(tmp_path / "out", players="random", games=16, shard_games=8, progress=second)
    assert refused == [0, 8, 16]


def test_what_a_killed_first_write_left_is_no_obstacle(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / ".dataset.json.tmp-abcd1234").write_text("{")
    write_dataset(out, players="random", games=8)
    names = {"dataset.json", "games-00000.parquet", "checksums.sha256"}
    assert set(content(out)) == names


def test_nothing_stays_of_a_dataset_that_fails_before_its_first_game(tmp_path):
    class Broken:
        def act(self, views):
            raise RuntimeError("no idea")

    with pytest.raises(RuntimeError, match="no idea"):
        write_dataset(tmp_path / "a" / "b", players=Broken(), games=8)
    assert not list(tmp_path.iterdir())


def test_objects_play_here_and_in_processes(tmp_path):
    here = write_dataset(tmp_path / "a", players=[Lowest()], games=16, shard_games=8)
    there = write_dataset(tmp_path / "b", players=Lowest(), games=16, shard_games=8, workers=2)
    assert content(here.folder) == content(there.folder)
    with pytest.raises(ValueError, match="workers = 1"):
        local = type("Local", (Lowest,), {})()
        write_dataset(tmp_path / "c", players=local, games=16, shard_games=8, workers=2)
    (tmp_path / "b" / "games-00001.parquet").unlink()
    with pytest.raises(ValueError, match="object of Python"):
        write_dataset(tmp_path / "b", resume=True)
    write_dataset(tmp_path / "b", players=Lowest(), resume=True)
    assert content(here.folder) == content(there.folder)


def written_by_two(folder):
    """In a process of a pool."""
    try:
        return len(write_dataset(folder, players="rules", games=16, shard_games=8, workers=2))
    except ValueError as error:
        return str(error)


def test_a_process_of_a_pool_is_told_that_it_starts_no_workers(tmp_path):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        said = pool.apply(written_by_two, (str(tmp_path / "games"),))
    assert said.startswith("a daemonic process") and said.endswith(", allowed: workers = 1")
    assert not (tmp_path / "games").exists()


ENDS = """
class Ends:
    def act(self, views):
        raise SystemExit(3)
"""


@pytest.mark.parametrize(
    "before, player, said",
    [
        ("", '"random"', '`if __name__ == "__main__":`, or take workers = 1'),
        ('if __name__ == "__main__":\n    ', "Ends()", "ended (exit code 3) before it answered"),
    ],
    ids=["run again", "ended"],
)
def test_workers_that_end_by_themselves_were_not_killed(before, player, said, tmp_path):
    program = tmp_path / "program.py"
    call = f"write_dataset('out', players={player}, games=16, shard_games=8, workers=2)"
    program.write_text(f"from schafkopf.datasets import write_dataset\n{ENDS}\n{before}{call}\n")
    done = subprocess.run(
        [sys.executable, program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1 and said in done.stderr and "killed" not in done.stderr
    assert "what it said stands above" in done.stderr.splitlines()[-1]
    assert [file.name for file in tmp_path.iterdir()] == ["program.py"]


# ---- bad input ----------------------------------------------------------------------------------

WRONG = [
    ({"players": []}, "players: none came"),
    ({"players": ["rulez"]}, "rulez"),
    ({"players": ["rules", "rules"]}, "comes twice"),
    ({"players": {"1": "rules", 1: "random"}}, '"1" comes twice'),
    ({"players": {"\ud800": "rules"}}, "a text that UTF-8 cannot write"),
    ({"games": 0}, r"games = 0, allowed: integer 1\.\."),
    ({"games": 2.0}, r"games = 2\.0"),
    ({"seed": -1}, "seed = -1"),
    ({"rules": "researhc"}, "researhc"),
    ({"start": "card-play"}, 'start = "card-play", allowed: deal, card_play'),
    ({"generator": "heuristic"}, "belongs to start"),
    ({"start": "card_play", "generator": "chaos"}, "chaos"),
    ({"store": ["view"]}, 'store = "view", allowed: views'),
    ({"store": 5}, "store: int came, allowed: a list of views, masks, probabilities, solver"),
    ({"start": "card_play", "generator": 5}, "generator: int came, allowed: a text"),
    ({"shard_games": 12}, r"shard_games = 12, allowed: integer 8\.\.1048576, a multiple of 8"),
    ({"shard_games": 0}, r"shard_games = 0, allowed: integer 8\.\.1048576, a multiple of 8"),
    ({"workers": -1}, "workers = -1"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG, ids=[text for _, text in WRONG])
def test_a_wrong_setting_is_named_and_nothing_is_written(tmp_path, wrong, message):
    settings = {"players": ["rules"], "games": 8} | wrong
    with pytest.raises(ValueError, match=message):
        write_dataset(tmp_path / "out", **settings)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", ["no", 1, None])
def test_the_flags_of_datasets_are_true_or_false(games, tmp_path, value):
    source = tmp_path / "games.jsonl"
    source.write_text("".join(json.dumps(record) + "\n" for record in games.records()))
    out, said = tmp_path / "out", re.escape(f"= {value!r:.60}, allowed: true, false")
    with pytest.raises(ValueError, match=f"resume {said}"):
        write_dataset(out, players="random", games=8, resume=value)
    with pytest.raises(ValueError, match=f"resume {said}"):
        import_games(source, out, resume=value)
    with pytest.raises(ValueError, match=f"replay {said}"):
        games.check(replay=value)
    assert not out.exists()
    games.check(replay=np.bool_(True))


def test_a_wrong_keyword_names_the_nearest():
    with pytest.raises(TypeError, match="players"):
        write_dataset("out", player="rules")


def test_a_file_of_another_schema_is_named(tmp_path, capsys):
    dataset = write_dataset(tmp_path / "out", players="random", games=16, shard_games=8)
    file = tmp_path / "out" / "games-00001.parquet"
    good = file.read_bytes()
    parquet.write_table(pyarrow.table({"game": [1]}), file)
    with pytest.raises(ValueError, match=r"games-00001\.parquet: it is no file of a dataset"):
        list(dataset.records())
    table = parquet.read_table(tmp_path / "out" / "games-00000.parquet")
    parquet.write_table(table.drop_columns("dealer"), file)
    with pytest.raises(ValueError, match="there is no column dealer"):
        dataset.arrays()
    file.write_bytes(good[:100])
    assert cli.main(["dataset", "info", str(tmp_path / "out")]) == 2
    assert "games-00001.parquet: no Parquet file" in capsys.readouterr().err
    file.unlink()
    assert cli.main(["dataset", "write", "--resume", str(tmp_path / "out")]) == 0
    assert file.read_bytes() == good


def test_paths_that_are_none_are_named(tmp_path):
    out = tmp_path / "games"
    for call, words in (
        (lambda: Dataset(None), "folder = None"),
        (lambda: Dataset(5), "folder = 5"),
        (lambda: import_games([], None), "out = None"),
        (lambda: import_games(None, out), r"sources\[0\] = None"),
        (lambda: import_games(["x", 5], out), r"sources\[1\] = 5"),
        (lambda: import_games(b"x", out), r"sources\[0\] = b'x'"),
    ):
        what = "file" if "sources" in words else "folder"
        with pytest.raises(ValueError, match=f"^{words}, allowed: the path of a {what}$"):
            call()
    for nothing, came in ((None, "None"), ("", '""')):
        with pytest.raises(ValueError, match=f"^out = {came}, allowed: a new folder$"):
            write_dataset(nothing, players="rules", games=8)
    assert not out.exists()


def test_folders_and_columns_that_are_none_are_named(games, tmp_path):
    with pytest.raises(ValueError, match=r"no folder of a dataset: there is no dataset\.json"):
        Dataset(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"nowhere is no folder of a dataset"):
        Dataset(tmp_path / "nowhere")
    with pytest.raises(ValueError, match=r'"delaer" is not in games.*dealer'):
        games.arrays(columns=["delaer"])
    with pytest.raises(ValueError, match="no more is stored"):
        games.arrays("decisions")
    (tmp_path / "dataset.json").write_text("[]")
    with pytest.raises(ValueError, match="no manifest of the form"):
        Dataset(tmp_path)


def test_info_tells_what_is_there_and_what_is_missing(games, tmp_path, capsys):
    assert cli.main(["dataset", "info", str(games.folder)]) == 0
    told = capsys.readouterr().out
    assert "300 games in 3 shards" in told and "players: rules, random" in told
    assert "missing" not in told
    dataset = write_dataset(tmp_path / "some", players="random", games=20, shard_games=8)
    for shard in (1, 2):
        (dataset.folder / f"games-0000{shard}.parquet").unlink()
    assert cli.main(["dataset", "info", str(dataset.folder)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].endswith("20 games in 3 shards of 8")
    assert told[-1].endswith("missing: 2 shards, 12 games")
    one = write_dataset(tmp_path / "one", players="random", games=1)
    (one.folder / "games-00000.parquet").unlink()
    assert cli.main(["dataset", "info", str(one.folder)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-1].endswith("missing: 1 shard, 1 game")


def test_info_tells_the_seed_of_what_was_played_and_the_size_of_its_games(tmp_path):
    made = write_dataset(tmp_path / "made", players="random", games=2, seed=7)
    told = made.lines()
    assert told[2] == "rules: research, seed 7, start: deal"
    size = (made.folder / "games-00000.parquet").stat().st_size
    assert told[4].endswith(f": 2 games, {size} bytes")
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(next(made.records())) + "\n")
    told = import_games(file, tmp_path / "imported").lines()
    assert told[1].startswith("imported: ") and told[2].startswith("of each decision: ")


@pytest.mark.parametrize(
    ("name", "shown"), [("a\x1b[2Jb\nc", "a?[2Jb?c"), ("\u202eevil", "?evil"), ("a\udcff", "a?")]
)
def test_info_shows_no_signs_of_a_manifest_that_do_something(small, name, shown, capsys):
    manifest = json.loads((small / "dataset.json").read_text())
    manifest["players"][0]["name"] = name
    (small / "dataset.json").write_text(json.dumps(manifest))
    for file in small.iterdir():
        if file.name != "dataset.json":
            file.unlink()
    assert cli.main(["dataset", "info", str(small)]) == 0
    assert capsys.readouterr().out.splitlines()[1] == f"players: {shown}"
