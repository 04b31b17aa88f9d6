"""The page on speed: its arithmetic, its tables, the processes that it asks. Nothing is timed."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "bench"))

import instructions  # noqa: E402
import page  # noqa: E402
import page_engine  # noqa: E402
import page_peers  # noqa: E402
import served_peers  # noqa: E402
import solver_compare  # noqa: E402
import turns  # noqa: E402
from served import NoAnswer, Server  # noqa: E402

SERVED = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests" / "bench")!r})
import served

def lacking():
    raise ModuleNotFoundError("No module named 'unheard_of'")

def ending():
    raise SystemExit(3)

def loop():
    return sum(1 for _ in range(5000))

served.serve({{"a b": lambda: loop, "lacking": lacking, "ending": ending}})
"""


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


# ---- rates in turn


def test_works_are_measured_in_turn_in_every_round():
    seen = []

    def measure(name, rate):
        return lambda seconds: seen.append((name, seconds)) or rate

    rounds = turns.in_turn({"a": measure("a", 2.0), "b": measure("b", 6.0)}, 3, 0.5)
    assert seen == [("a", 0.5), ("b", 0.5)] * 3
    assert rounds == [{"a": 2.0, "b": 6.0}] * 3


def test_a_ratio_is_the_median_of_those_of_the_rounds():
    rounds = [{"a": 1.0, "b": 4.0}, {"a": 10.0, "b": 20.0}, {"a": 1.0, "b": 3.0}]
    assert turns.ratio(rounds, "b", "a") == turns.Ratio(3.0, 2.0, 4.0)
    assert turns.median(rounds, "b") == 4.0  # and 4 / 1 is not their ratio
    assert str(turns.Ratio(3.0, 2.0, 412.3)) == "3.00 (2.00 to 412)"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1234.5, "1,234"), (99.94, "99.9"), (9.994, "9.99"), (0.104, "0.10"), (0.0314, "0.031")],
)
def test_figures_have_three_digits(value, text):
    assert turns.number(value) == text
    assert turns.number(-value) == f"-{text}"


def test_rates_are_in_thousands_or_millions():
    assert turns.amount(12_345) == "12.3 k"
    assert turns.amount(12_345_678) == "12.35 M"


# ---- processes that answer


def test_a_server_answers_rates_and_says_what_it_lacks():
    core = max(page.os.sched_getaffinity(0))
    with Server([sys.executable, "-c", SERVED], core) as server:
        done, cpu, wall = map(float, server.ask("a b 0.01"))
        assert done > 0 and done % 5000 == 0 and 0.01 <= cpu <= wall * 1.1
        assert server.rate("a b", 0.001) > 0 and server.wall_rate("a b", 0.001) > 0
        with pytest.raises(NoAnswer, match="ModuleNotFoundError: No module named 'unheard_of'"):
            server.rate("lacking", 0.001)
        with pytest.raises(NoAnswer, match="KeyError"):
            server.rate("another", 0.001)
        with pytest.raises(NoAnswer, match="ended with 3"):
            server.rate("ending", 0.001)


def test_work_stays_on_the_core_and_comes_back():
    before = page.os.sched_getaffinity(0)
    with turns.on_core(min(before)):
        assert page.os.sched_getaffinity(0) == {min(before)}
    assert page.os.sched_getaffinity(0) == before


# ---- phases


def steps(costs, rounds=5, number=240):
    """Rounds of steps of rows whose number in each phase differs, with the time that they cost."""
    rng = np.random.default_rng(1)
    rows = rng.multinomial(1024, [0.3, 0.05, 0.6, 0.05], number)
    rows[: page_engine.WARM_UP] = rng.multinomial(1024, [0.7, 0.1, 0.2, 0.0], page_engine.WARM_UP)
    times = rows @ np.array(costs, float)
    table = np.column_stack([times, rows])
    return np.array([table] * rounds)


def test_the_cost_of_every_phase_is_found_from_mixed_steps():
    costs = (30, 150, 20, 400)
    measured = steps(costs)
    measured[2, :, 0] *= 7  # other work disturbed one round
    found = page_engine.phases(measured)
    assert found.ns == pytest.approx(costs, rel=1e-6)
    late = measured[0, page_engine.WARM_UP :, 1:].sum(axis=0)
    assert found.mean == pytest.approx(late @ costs / late.sum())
    assert found.shares == pytest.approx(late * costs / (late @ costs))
    assert sum(found.shares) == pytest.approx(1)


def test_a_row_of_phases_has_nanoseconds_and_share():
    found = page_engine.Phases(50.0, (30.0, 150.0, 20.0, 400.0), (0.18, 0.15, 0.24, 0.43))
    assert cells(page_engine.phase_row("portable, avx2 | no rows", found)) == [
        "portable, avx2", "no rows", "50.0", "30.0 (18%)", "150 (15%)", "20.0 (24%)", "400 (43%)",
    ]  # fmt: skip


# ---- memory, an earlier commit, instructions


def test_a_share_of_bandwidth_is_bytes_times_rate_by_the_rate_of_stores():
    small, large, many = page_engine.SMALL, page_engine.LARGE, page_engine.MANY
    seen = [
        {
            f"fill {small}": 40e9,
            f"stream {small}": 9e9,
            f"fill {large}": 10e9,
            f"stream {large}": 20e9,
            **{
                f"expand {form} {size}": 16e9
                for form in ("uint8", "float32")
                for size in (small, large)
            },
            f"uint8 {page_engine.GAMES}": 10e6,
            f"uint8 {many}": 8e6,
        }
    ]
    text = page_engine.memory_rows(seen, {"uint8": 1000.0})
    assert "1 MB by memset 40.0 GB/s" in text and "128 MB by streaming stores 20.0 GB/s" in text
    assert "uint8 into 128 MB 16.0 GB/s, 0.80 (0.80 to 0.80) times streaming stores" in text
    assert cells(text.splitlines()[-1]) == [
        "uint8 rows", "1,000", "100", "10.0", "25%", "125", "8.00", "80%", "40%",
        "0.80 (0.80 to 0.80)",
    ]  # fmt: skip
    heads = [cells(line) for line in text.splitlines()[-3:]]
    assert len({len(head) for head in heads}) == 1


def test_an_earlier_commit_is_beside_this_tree():
    seen = [
        {"old mix none": 10e6, "new mix none": 20e6},
        {"old mix none": 10e6, "new mix none": 30e6},
        {"old mix none": 5e6, "new mix none": 5e6},
    ]
    (line,) = page_engine.against_rows("native", [("mix", "none")], seen)
    assert cells(line) == [
        "native", "seven presets, 19 classes", "no rows", "100", "50.0", "2.00 (1.00 to 3.00)",
    ]  # fmt: skip


def test_instructions_are_the_stored_ones_and_those_of_now():
    stored = {"commit": "abc", "compiler": "c++ 12", "short": {"batch avx2": 500.0, "deal": 200.0}}
    lines = page.instruction_rows(stored, {"batch avx2": 510.0}, "not counted: no valgrind")
    first, second = (cells(line) for line in lines.splitlines()[2:])
    assert first == ["batch avx2", "500", "510", "+2.0 %"]
    assert second == ["deal", "200", "not counted: no valgrind", ""]


def test_every_hot_path_has_a_stored_figure():
    stored = page.json.loads(instructions.BASELINE.read_text(encoding="utf-8"))
    pairs = instructions.pairs_of(list(instructions.LENGTHS))
    assert {f"{mode} {kernel}" for kernel, mode in pairs} == stored["short"].keys()


@pytest.mark.parametrize("part", [["--short"], ["--only", "game"]])
def test_a_part_of_the_figures_is_not_stored_for_all(part, capsys, monkeypatch):
    def build(*_):
        raise AssertionError("it begins to count")

    monkeypatch.setattr(instructions, "build", build)
    monkeypatch.setattr(instructions.shutil, "which", lambda name: name)
    monkeypatch.setattr(sys, "argv", ["instructions.py", "--write-baseline", *part])
    with pytest.raises(SystemExit, match="2"):
        instructions.main()
    assert "--write-baseline stores all figures of both lengths" in capsys.readouterr().err


# ---- two builds of the solver

SOLVER = """#!/bin/sh
echo "| deals | contract | question | n | mean ms | median ms | 95 % | max | positions | mean | |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
echo "| random | SOLO | points | 9 | 1.500 | 1.2500 | 2.00 | 3.00 | 100 | 61.000 | {hash} |"
"""


@pytest.mark.parametrize(
    ("hashes", "options", "said"),
    [
        (("ab", "ab"), [], ""),
        (("ab", "cd"), [], "solver_compare.py: SOLO points: 61.000 ab before, 61.000 cd after"),
        (("ab", "ab"), ["--rounds", "0"], "--rounds, --deals: allowed: at least 1"),
    ],
)
def test_builds_of_the_solver_are_compared_or_one_line_says_why_not(
    tmp_path, hashes, options, said
):
    programs = [tmp_path / name for name in ("before", "after")]
    for program, text in zip(programs, hashes, strict=True):
        program.write_text(SOLVER.format(hash=text))
        program.chmod(0o755)
    command = [sys.executable, solver_compare.__file__, *programs, *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "Traceback" not in done.stderr and said in done.stderr
    assert (done.returncode == 0) == (not said) == ("| SOLO | points |" in done.stdout)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("", "before: no such program, allowed: a schafkopf_solver_bench"),
        ("#!/bin/sh\nexit 3\n", "before --deals 300 ended with 3"),
        ("#!/bin/sh\necho | grep -c x\n", "before --deals 300 ended with 1"),
        ("#!/bin/sh\necho\necho\necho table\n", "before: not the table of schafkopf_solver_bench"),
    ],
)
def test_what_is_no_build_of_the_solver_is_named(tmp_path, program, said):
    programs = [tmp_path / name for name in ("before", "after")]
    for path in programs if program else []:
        path.write_text(program)
        path.chmod(0o755)
    command = [sys.executable, solver_compare.__file__, *programs]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0 and "Traceback" not in done.stderr and said in done.stderr


def test_a_row_that_one_build_of_the_solver_lacks_is_named():
    row = solver_compare.Row(1.0, 1.0, 1.0, "a")
    with pytest.raises(ValueError, match="SOLO points: not in both"):
        solver_compare.report({("SOLO", "points"): row}, {})


# ---- peers


def test_every_peer_has_a_row_of_ours_beside_it():
    peers = {*page_peers.others(), *served_peers.makers()}
    assert page_peers.BESIDE.keys() == peers
    assert {ours for those in page_peers.BESIDE.values() for ours in those} == {*page_peers.own()}


def test_a_table_of_peers_has_ratios_and_says_why_there_is_none():
    names = [*page_peers.BESIDE, *page_peers.own()]
    rounds = [{name: 3e6 if name in page_peers.own() else 1e6 for name in names}] * 2
    peer = "RLCard bridge"
    text = page_peers.table(rounds, {peer: "not installed: rlcard"})
    rows = {cells(line)[0]: cells(line) for line in text.splitlines()[2:]}
    assert rows.keys() == page_peers.BESIDE.keys()
    assert rows[peer][1] == "not installed: rlcard" and rows[peer][-1] == ""
    assert rows["pgx leduc_holdem"][-1] == "3.00 (3.00 to 3.00)"


def test_the_releases_of_the_environment_of_peers_are_pinned():
    pins = (ROOT / "python" / "requirements-peers.txt").read_text(encoding="utf-8")
    for package in served_peers.PACKAGES:
        assert re.search(rf"^{package}==", pins, re.MULTILINE)


# ---- the command


def test_the_page_needs_seven_rounds_and_a_short_one_another_file(capsys, tmp_path):
    for arguments, words in (
        (["--rounds", "6"], "--rounds = 6, allowed for the page: from 7"),
        (["--short"], "name a file with --out"),
        (["--seconds", "0", "--out", "x"], "above 0"),
    ):
        with pytest.raises(SystemExit):
            page.options_of(arguments)
        assert words in capsys.readouterr().err
    assert page.options_of([]).out == page.PAGE
    assert page.options_of(["--rounds", "1", "--out", "x"]).rounds == 1
    with pytest.raises(SystemExit, match="--core = 4096, allowed: "):
        page.main(["--core", "4096", "--out", str(tmp_path / "page.md")])


def test_a_short_page_is_written_of_what_is_there(tmp_path, monkeypatch):
    monkeypatch.setattr(page_engine, "drivers", lambda commit, short: {})
    few = (page_peers.ROLLOUTS, page_peers.BYTES, "colver, rollouts of Belote's card play")
    for group in (page_peers.own, page_peers.others):
        kept = {name: make for name, make in group().items() if name in few}
        monkeypatch.setattr(page_peers, group.__name__, lambda kept=kept: kept)
    monkeypatch.setattr(
        page_peers, "BESIDE", {few[2]: (page_peers.ROLLOUTS,), "pgx leduc_holdem": (few[1],)}
    )
    out = tmp_path / "page.md"
    assert page.main(["--short", "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert "{" not in text and "| pgx leduc_holdem | not run: --short |" in text
    assert text.count(page.NOT_BUILT) == 3 and text.count("not counted: --short") == 14
    headings = [
        "Peers",
        "Phases",
        "Memory",
        "Instructions per decision",
        "Before and now",
        "Threads",
    ]
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == headings
