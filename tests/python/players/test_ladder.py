"""`schafkopf ladder`: the order of the agents, its results page, resuming."""

import json

import numpy as np
import pytest

from schafkopf import cli, ladder
from schafkopf.commands import ladder as ladder_command

# The whole way in a few seconds: few deals, and nobody who thinks long.
NAMES = ["random", "rules:version=1", "pimc:10,version=1", "pimc:30,version=1", "oracle:version=1"]
QUICK = ["--set", f"agents={json.dumps([*NAMES, 'pimc:1', 'rules:version=2'])}"]
QUICK += ["--set", "precision=0", "--set", "blocks=3", "--set", "pairings=[]"]
QUICK += ["--set", "first_check=100"]


def estimate(mean, half_width):
    return {"mean": mean, "half_width": half_width}


def result_of(alone, met=()):
    """Return a tournament result: games against three rule agents, and who met both ways."""
    single = [[None] * 5 for _ in NAMES]
    difference = [[None] * 5 for _ in NAMES]
    for name, value in alone.items():
        single[NAMES.index(name)][1] = estimate(*value)
    for low, high, value in met:
        difference[NAMES.index(high)][NAMES.index(low)] = estimate(*value)
    agents = [{"name": name} for name in NAMES]
    return {"agents": agents, "one_against_three": single, "difference": difference}


RANDOM, _, PIMC_10, PIMC_30, ORACLE = NAMES
ALONE = {RANDOM: (-15, 0.5), PIMC_10: (4, 0.5), PIMC_30: (4.2, 0.5), ORACLE: (8, 0.5)}


def test_steps_hold_are_open_or_fail():
    found = {row["step"]: row for row in ladder.steps(result_of(ALONE))}
    # rules:version=2 did not take part, so neither did its two steps
    assert [row["found"] for row in found.values()] == ["holds"] * 3
    assert found["random < rules:version=1"]["mean"] == 15
    last = found["pimc:30,version=1 < oracle:version=1"]
    assert last["half_width"] == pytest.approx(0.5 * 2**0.5)
    close = result_of(ALONE | {ORACLE: (4.5, 0.5)})
    assert ladder.steps(close)[2]["found"] == "open"
    below = result_of(ALONE | {PIMC_30: (1, 0.5)})
    assert ladder.steps(below)[1]["found"] == "fails"


def test_a_difference_whose_interval_holds_0_fails_no_step():
    around = ladder.steps(result_of(ALONE | {PIMC_30: (3.8, 0.5), ORACLE: (3.5, 0.5)}))
    assert all(row["mean"] < 0 < row["mean"] + row["half_width"] for row in around[1:])
    assert [row["found"] for row in around] == ["holds", "holds", "open"]  # "<=" holds


def test_a_step_of_one_block_is_open():
    alone = ALONE | {ORACLE: (8, None)}
    assert ladder.steps(result_of(alone))[2]["found"] == "open"
    below = result_of(ALONE, [(PIMC_30, ORACLE, (-5, None))])
    assert ladder.steps(below)[2]["found"] == "open"


class Clock:
    """CPU time that each reading finds so many seconds later."""

    def __init__(self, steps):
        self.now, self.steps = 0.0, iter(steps)

    def __call__(self):
        self.now += next(self.steps)
        return self.now


def test_times_of_decisions_are_milliseconds_of_one(monkeypatch):
    views, _ = ladder._decisions(1)
    monkeypatch.setattr(ladder.time, "process_time", Clock([9.0, 0.5, 9.0, 0.25]))
    times = ladder.decision_times({"a": "random", "b": "rules"}, games=1)
    assert times == pytest.approx({"a": 500 / len(views), "b": 250 / len(views)})


def test_a_slow_decision_is_slower_than_95_of_100(monkeypatch):
    views, _ = ladder._decisions(1)
    seconds = np.arange(len(views)) / 1000
    steps = [step for spent in seconds for step in (1.0, spent)]
    monkeypatch.setattr(ladder.time, "process_time", Clock(steps))
    assert ladder.slow_decision("random", games=1) == pytest.approx(0.95 * (len(views) - 1))


def test_times_of_a_ladder_add_up_over_its_runs_and_stand_in_minutes(tmp_path, monkeypatch):
    (tmp_path / "config.toml").touch()
    monkeypatch.setattr(ladder.time, "process_time", Clock([5.0, 60.0, 5.0, 30.0]))
    for _ in range(2):
        with ladder.counted(tmp_path / "times.json") as spent:
            pass
    assert spent["cpu"] == json.loads((tmp_path / "times.json").read_text())["cpu"] == 90.0
    about = {"pairings": [], "generator": "heuristic", "rules": "research", "rules_hash": "0"}
    about |= {"seed": 1, "games": 0, "tariff_unit": "Cent", "stopped": False}
    played = result_of(ALONE) | about
    played["agents"] = [{"name": name, "spec": name} for name in NAMES]
    text = ladder.page(played, dict.fromkeys(NAMES, 0.5), spent, "schafkopf ladder")
    assert "0 games, 1.5 CPU minutes" in text


def test_direct_games_count_more_than_those_against_the_reference():
    met = [(PIMC_10, PIMC_30, (-2, 0.7))]
    step = ladder.steps(result_of(ALONE, met))[1]
    assert (step["mean"], step["found"]) == (-2, "fails")
    assert step["source"] == "both directions, paired by deal"


def test_the_short_form_lets_every_agent_meet_the_reference_once():
    tomllib = pytest.importorskip("tomllib")
    agents = tomllib.loads(ladder.LADDER.read_text(encoding="utf-8"))["agents"]
    settings = tomllib.loads("\n".join(ladder.SHORT))
    assert settings["against"] == ""
    assert [pairing["one"] for pairing in settings["pairings"]] == [
        agent for agent in agents if agent != ladder.REFERENCE
    ]
    for pairing in settings["pairings"]:
        assert pairing["others"] == ladder.REFERENCE and not pairing["both_directions"]
        assert pairing["precision"] > 0  # ends by itself, long before the blocks of the file


def test_the_command_writes_its_page_and_goes_on_where_it_stopped(tmp_path, capsys, monkeypatch):
    measured = ladder.decision_times
    monkeypatch.setattr(ladder, "decision_times", lambda agents, games: measured(agents, games=1))
    folder, copy = tmp_path / "run", tmp_path / "page.md"
    code = cli.main(["ladder", *QUICK, "--out", str(folder), "--page", str(copy)])
    text = (folder / "ladder.md").read_text()
    assert copy.read_text() == text and text in capsys.readouterr().out
    result = json.loads((folder / "result.json").read_text())
    assert code == (1 if any(row["found"] == "fails" for row in ladder.steps(result)) else 0)
    steps = [f"| {PIMC_30} < {ORACLE} |", "| rules:version=2 < pimc:10,version=1 |"]
    for word in ("| random |", f"| {ORACLE} |", *steps, "ms per card", "(Cent)"):
        assert word in text
    assert "| pimc:1 (pimc:1,version=3) |" in text  # a name without its version
    assert (folder / "report.html").exists()
    before = (folder / "result.json").read_bytes()
    assert cli.main(["ladder", "--resume", str(folder)]) == code
    assert (folder / "result.json").read_bytes() == before


@pytest.mark.parametrize(
    ("alone", "code", "told"),
    [
        (ALONE, 0, ""),
        (ALONE | {ORACLE: (4.5, 0.5)}, 0, ""),  # open: neither holds nor fails
        (
            ALONE | {PIMC_30: (1, 0.5)},
            1,
            f"schafkopf: the order does not hold: {PIMC_10} <= {PIMC_30}\n",
        ),
    ],
)
def test_an_order_that_does_not_hold_is_exit_code_1(
    alone, code, told, tmp_path, capsys, monkeypatch
):
    played = result_of(alone)
    for agent in played["agents"]:
        agent["spec"] = agent["name"]
    monkeypatch.setattr(ladder_command, "run_tournament", lambda *_, **__: played)
    monkeypatch.setattr(ladder, "decision_times", lambda *_, **__: {})
    monkeypatch.setattr(ladder, "page", lambda *_: "the page")
    assert cli.main(["ladder", "--out", str(tmp_path)]) == code
    assert capsys.readouterr().err == told


@pytest.mark.parametrize("damaged", [b"", b'{"seconds": 3.5, "cp', b"\xff{}", b"[]", b'{"cpu": 1}'])
def test_times_that_are_damaged_are_told_and_counted_from_now_on(tmp_path, damaged):
    (tmp_path / "config.toml").touch()
    times, told = tmp_path / "times.json", []
    times.write_bytes(damaged)
    with ladder.counted(times, told.append):
        pass
    (text,) = told
    assert text.startswith(f"{times}: ") and "counted from now on" in text
    with ladder.counted(times, told.append) as spent:
        assert spent["cpu"] >= 0
    assert len(told) == 1 and json.loads(times.read_text())["seconds"] < 60


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--resume", "x", "--short"], "no --set, --out, --short"),
        (["--page", "no_such_folder/x.md"], "no_such_folder"),
        (["--page", "."], "it is a folder"),
        (["--resume", "no_such_folder"], "no_such_folder"),
        (["--set", "blocks=0"], "blocks"),
        (
            ["--set", 'agents=["random","rules"]', "--set", "pairings=[]", "--set", 'against=""'],
            "the ladder's measure",
        ),
    ],
)
def test_wrong_input_is_one_line(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["ladder", *arguments]) == cli.WRONG_INPUT
    error = capsys.readouterr().err.splitlines()
    assert error[-1].startswith("schafkopf: ") and words in error[-1]
    assert list(tmp_path.iterdir()) == []
