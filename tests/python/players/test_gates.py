"""`schafkopf gates`: the lines of the shipped player, judged, played in parts."""

import json
import subprocess
from dataclasses import replace

import pytest
from support.training import trainers

from schafkopf import best_response, cli, gates, gates_page, trained_gates, training_run

MISSING = "no such key"


def row(mean, low, milliseconds=0.01):
    half_width = mean - low
    return {"mean": mean, "low": low, "half_width": half_width, "milliseconds": milliseconds}


def test_a_line_asks_for_the_mean_the_lower_end_and_the_time():
    gate = replace(gates.GATES[0], mean=0.5, low=0.0, goal_mean=1.0, goal_low=0.0, milliseconds=1.0)
    assert gates.judged(gate, row(0.6, 0.1)) == {"passed": True, "goal": False}
    assert gates.judged(gate, row(1.2, 0.1)) == {"passed": True, "goal": True}
    assert gates.judged(gate, row(0.6, -0.1)) == {"passed": False, "goal": False}
    assert gates.judged(gate, row(0.4, 0.1)) == {"passed": False, "goal": False}
    assert gates.judged(gate, row(0.6, 0.1, 1.5))["passed"] is False
    assert gates.judged(gate, None) == {"passed": None, "goal": None}
    asked_nothing = replace(gate, mean=gates.NOTHING, low=gates.NOTHING)
    assert gates.judged(asked_nothing, row(-9.0, -9.0))["passed"] is None


def test_a_best_response_asks_for_the_upper_end():
    gate = replace(gates.GATES[0], low=gates.NOTHING, high=1.0, milliseconds=0.0)
    found = {"mean": 0.4, "low": 0.0, "half_width": 0.4, "milliseconds": None}
    assert gates.judged(gate, found)["passed"] is True
    assert gates.judged(gate, {**found, "half_width": 0.6})["passed"] is False


def test_what_can_be_gained_is_what_the_best_run_gains(tmp_path, monkeypatch):
    runs = [{"mean": mean, "half_width": 0.3, "decisions": 5e7, "seconds": 9.0} for mean in (2, 0)]
    gain = {"mean": 1.0, "half_width": 12.7, "runs": runs}
    gain["largest"] = best_response.largest_of(runs)
    monkeypatch.setattr(best_response, "best_response", lambda *_, **__: {"agent": dict(gain)})
    monkeypatch.setattr(gates, "BASELINE", tmp_path)
    monkeypatch.setattr(gates.training_run, "TrainingLine", lambda _: None)
    own, control = (
        next(gate for gate in gates.GATES if gate.name == name)
        for name in ("best response from zero", "control of the best response")
    )
    found = gates._respond(own, tmp_path, 10, short=False)
    assert (found["mean"], found["half_width"], found["low"]) == (2, 0.3, 1.7)
    assert found["over_seeds"] == {"mean": 1.0, "half_width": 12.7}
    assert gates._respond(control, tmp_path, 10, short=False)["mean"] == 1.0
    monkeypatch.setattr(gates, "_row", lambda *_, **__: {"name": own.name})
    row = gates._train(own, tmp_path, 10)
    page = "\n".join(gates_page._trained(row))
    assert "| all | | | +1.00 ± 12.70 over seeds and deals |" in page
    assert "earlier version" not in page


def test_a_row_of_an_earlier_version_has_its_interval_over_seeds_alone():
    runs = [{"mean": mean, "half_width": 0.3, "decisions": 5e7, "seconds": 9.0} for mean in (2, 0)]
    over_seeds = {"mean": 1.0, "half_width": 12.7}
    found = {"runs": runs, "over_seeds": over_seeds}
    page = "\n".join(gates_page._trained({"name": "a", "trained": found}))
    assert "| all | | | +1.00 ± 12.70 over seeds alone |" in page
    assert "Found by an earlier version" in page
    figures = {track: {**over_seeds, "over_recipe": over_seeds} for track in training_run.TRACKS}
    arms = [{"arm": "the recipe", "settings": [], "seconds": 9.0, **figures}]
    page = "\n".join(gates_page._trained({"name": "a", "trained": {"runs": runs, "arms": arms}}))
    assert "95 % over seeds alone." in page and "Found by an earlier version" in page
    one = {"name": "a", "trained": {"runs": runs[:1]}}  # over deals, as ever
    assert "earlier version" not in "\n".join(gates_page._trained(one))


def test_yardsticks_are_versions_that_never_change():
    for gate in gates.GATES:
        if gate.track == gates.RESPONSE:  # a network that learns against the player
            assert gate.player in ("net:baseline", "rules:version=1"), gate
        elif gate.track == gates.REGRESSED:  # which learns from the shipped weights
            assert (gate.player, gate.opponent) == ("net:baseline", gates.BIDDER), gate
        elif gate.track == gates.WORDS:  # what the player itself would make of its bids
            assert gate.opponent.startswith("net+search:baseline,bids=playout"), gate
        else:
            assert "version=" in gate.opponent, gate


def test_words_are_compared_with_one_player_of_all_cards(tmp_path, capsys):
    line = ["gates", "--only", "bids against", "--blocks", "2", "--out", str(tmp_path)]
    assert cli.main(line) == 0
    assert "| words | " in capsys.readouterr().out
    (found,) = json.loads((tmp_path / "gates.json").read_text())
    assert found["blocks"] == 2 and found["passed"] is None
    (journal,) = tmp_path.glob("*.journal")
    assert b"card_player" in journal.read_bytes()


def test_every_line_has_games_of_its_own():
    assert len({gates.folder_of(gate) for gate in gates.GATES}) == len(gates.GATES)


def test_an_installed_package_takes_no_commit_of_the_tree_around_it(tmp_path, monkeypatch):
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "somebody else's"]):
        who = ["-c", "user.name=Zenzi", "-c", "user.email=zenzi@example.org"]
        subprocess.run(["git", "-C", tmp_path, *who, *command], check=True)
    installed = tmp_path / "site-packages" / "schafkopf" / "gates.py"
    monkeypatch.setattr(gates_page, "__file__", str(installed))
    assert gates_page.commit() == ""


def test_a_short_form_plays_and_goes_on_without_judging(tmp_path, capsys):
    assert cli.main(["gates", "--short", "--only", "for comparison", "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "| for comparison | `net:baseline` | `rules:version=1` | full |" in text
    assert "nothing is judged" in text and "| 436197 |" in text
    rows = json.loads((tmp_path / "gates.json").read_text())
    assert [found["blocks"] for found in rows] == [4, 4, 4]
    assert all(found["passed"] is None and found["milliseconds"] > 0 for found in rows)
    assert all(found["milliseconds_95"] > 0 for found in rows)
    journals = {path: path.stat().st_size for path in tmp_path.glob("*.journal")}
    assert len(journals) == 3
    assert cli.main(["gates", "--short", "--only", "for comparison", "--out", str(tmp_path)]) == 0
    again = json.loads((tmp_path / "gates.json").read_text())
    assert [found["mean"] for found in again] == [found["mean"] for found in rows]
    assert {path: path.stat().st_size for path in tmp_path.glob("*.journal")} == journals


def test_a_defence_plays_the_same_deals_with_both_teams(tmp_path, capsys):
    line = ["gates", "--only", "defence against rules", "--blocks", "3", "--out", str(tmp_path)]
    assert cli.main(line) == 0
    page = capsys.readouterr().out
    assert "## SOLO of `rules:version=1`" in page and "points a game from three" in page
    (found,) = json.loads((tmp_path / "gates.json").read_text())
    conceded = found["defence"]["conceded"]
    assert found["mean"] == pytest.approx(conceded["opponent"]["mean"] - conceded["player"]["mean"])
    assert found["blocks"] == 3 and found["passed"] is None


def test_the_page_keeps_what_an_earlier_call_found(tmp_path, capsys):
    command = ["gates", "--blocks", "2", "--out", str(tmp_path), "--only"]
    assert cli.main([*command, "bids against"]) == 0
    assert cli.main([*command, "defence against rules"]) == 0
    page = capsys.readouterr().out
    assert page.rindex("| words |") < page.index("| defence |")  # of the second call: in order
    assert [found["track"] for found in gates_page.read(tmp_path)] == ["words", "defence"]
    assert "## Where" in page and "cores |" in page
    (tmp_path / "gates.json").write_text('[{"gate": 3')
    assert cli.main([*command, "bids against"]) == 2
    assert "gates.json: damaged" in capsys.readouterr().err


@pytest.mark.parametrize(
    "damage",
    [
        {"machine": MISSING},
        {"mean": "3"},
        {"mean": 10**400},
        {"passed": []},
        {"calibration": "none"},
        {"short": "no"},
    ],
)
def test_a_row_that_no_page_can_show_is_damaged_before_a_game_is_played(tmp_path, capsys, damage):
    found = {"gate": "a.journal", "name": "a", "player": "p", "opponent": "q", "track": "full"}
    found |= {"mean": 1.0, "half_width": 0.5, "blocks": 4, "passed": None, "goal": None}
    found |= {"commit": "", "machine": "a processor, 2 cores", "short": True}
    assert gates_page.read(tmp_path) == []
    (tmp_path / "gates.json").write_text(json.dumps([found]))
    assert gates_page.read(tmp_path) == [found]
    changed = {key: value for key, value in {**found, **damage}.items() if value != MISSING}
    (tmp_path / "gates.json").write_text(json.dumps([changed]))
    command = ["gates", "--short", "--only", "bids against", "--out", str(tmp_path)]
    assert cli.main(command) == 2
    assert "gates.json: damaged" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["gates.json"]


def test_a_short_form_keeps_what_was_judged_in_the_same_folder(tmp_path, capsys):
    command = ["gates", "--short", "--out", str(tmp_path), "--only"]
    assert cli.main([*command, "bids against"]) == 0
    rows = gates_page.read(tmp_path)
    judged = {**rows[0], "short": False, "passed": True}
    (tmp_path / "gates.json").write_text(json.dumps([judged]))
    capsys.readouterr()
    assert cli.main([*command, "bids against"]) == 0
    assert "nothing is judged" in (page := capsys.readouterr().out) and "| yes |" not in page
    found = gates_page.read(tmp_path)
    assert [row["short"] for row in found] == [True, False]
    assert found[1] == judged


# They were gone from the file too, and no command of this version could play them again.
def test_lines_of_another_version_are_kept(tmp_path, capsys):
    command = ["gates", "--blocks", "2", "--out", str(tmp_path), "--only", "bids against"]
    assert cli.main(command) == 0
    (row,) = gates_page.read(tmp_path)
    older = {**row, "gate": "older.journal", "name": "a line of old"}
    (tmp_path / "gates.json").write_text(json.dumps([older, row]))
    capsys.readouterr()
    assert cli.main(command) == 0
    page = capsys.readouterr().out
    assert [found["name"] for found in gates_page.read(tmp_path)] == [row["name"], "a line of old"]
    assert page.index(f"| {row['name']} |") < page.index("| a line of old |")
    assert older in gates_page.read(tmp_path)


def test_two_calls_on_one_folder_keep_what_the_other_found(tmp_path, monkeypatch, capsys):
    one, other = (["gates", "--blocks", "2", "--out", str(tmp_path), "--only", name]
                  for name in ("bids against", "defence against rules"))  # fmt: skip
    play = gates.play

    def slowly(*arguments):
        monkeypatch.setattr(gates, "play", play)
        assert cli.main(other) == 0  # a process of its own, while this one plays
        return play(*arguments)

    monkeypatch.setattr(gates, "play", slowly)
    assert cli.main(one) == 0
    assert [found["track"] for found in gates_page.read(tmp_path)] == ["words", "defence"]
    assert "defence" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("passed", "code", "told"), [(True, 0, ""), (None, 0, ""), (False, 1, "not passed: bids")]
)
def test_a_line_that_is_not_passed_is_exit_code_1(
    passed, code, told, tmp_path, capsys, monkeypatch
):
    play = gates.play
    monkeypatch.setattr(gates, "play", lambda *given: {**play(*given), "passed": passed})
    command = ["gates", "--only", "bids against", "--blocks", "2", "--out", str(tmp_path)]
    assert cli.main(command) == code
    said = capsys.readouterr().err
    assert told in said and ("not passed" in said) == (code == 1)


def checkpoints(folder):
    """When each checkpoint was written."""
    found = folder.glob("**/checkpoint.safetensors")
    return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in found}


def test_lines_that_train_go_on_and_say_what_they_cost(tmp_path, capsys):
    pytest.importorskip("torch")
    command = ["gates", "--short", "--out", str(tmp_path), "--only"]
    for only in (
        "eight minutes from zero, card",
        "control of the best",
        "from its own",
        "regression",
    ):
        assert cli.main([*command, only]) == 0, capsys.readouterr().err
    page = capsys.readouterr().out
    assert (
        "| seed | decisions | minutes |" in page
        and "| 11 |" in page
        and "| eight minutes |" in page
    )
    rows = gates_page.read(tmp_path)
    assert {found["name"]: len(found["trained"]["runs"]) for found in rows} == {
        "eight minutes from zero, card play": 3,
        "control of the best response": 3,
        "best response from its own weights": 3,
        "regression of bids": 1,
    }
    assert all(found["passed"] is None and found["milliseconds"] is None for found in rows)
    # what the full form would train lies elsewhere: these have learned nothing
    before = checkpoints(tmp_path)
    assert before and all("short" in path.parts for path in before)
    assert cli.main([*command, "control of the best"]) == 0  # trained already
    assert checkpoints(tmp_path) == before
    assert gates_page.read(tmp_path)[2]["mean"] == rows[2]["mean"]


def test_screens_compare_every_arm_with_the_recipe_seed_by_seed(tmp_path):
    pytest.importorskip("torch")
    arms = {"the recipe": (), "the same again": ("solver_trick=5",), "small": ("width=8",)}
    found = trained_gates.screens(tmp_path, blocks=2, seed=3, seeds=(1, 2), arms=arms, short=True)
    recipe, same, small = found["arms"]
    assert recipe["card_play"]["runs"] == same["card_play"]["runs"]  # nothing differs
    assert same["full"]["over_recipe"]["mean"] == 0.0
    assert small["card_play"]["over_recipe"]["mean"] == pytest.approx(
        small["card_play"]["mean"] - recipe["card_play"]["mean"]
    )
    assert all(arm["seconds"] > 0 for arm in found["arms"])


def test_every_arm_is_one_that_the_trainer_takes(tmp_path):
    training = trainers()
    recipe = training.config_toml(training_run.first_config(), [])
    texts = [
        training.config_toml(training_run.first_config(), list(changes))
        for changes in trained_gates.ARMS.values()
    ]
    assert texts[0] == recipe and len(set(texts)) == len(texts)  # each of them changes something


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        (["--only", "nothing like it"], "part of no gate, allowed: part of"),
        (["--short", "--blocks", "5"], "--short has its own number of deals"),
    ],
)
def test_wrong_options_are_refused(tmp_path, capsys, options, refused):
    assert cli.main(["gates", *options, "--out", str(tmp_path / "x")]) == 2
    assert refused in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
