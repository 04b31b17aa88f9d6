"""The rows of `schafkopf bench`: other projects, loops that are measured in turn."""

import subprocess

import pytest

from schafkopf.commands import bench

COLUMNS = 11  # of the table that schafkopf_solver_bench prints


def test_a_peer_that_is_missing_says_not_run_in_its_row():
    row = bench.belote_row(None)
    assert "not run: colver is not installed" in row
    assert row.count("|") == COLUMNS + 1


def test_the_row_of_a_peer_has_mean_median_late_and_longest_time():
    row = bench.belote_row([4.0, 1.0, 2.0, 13.0, 5.0])
    assert row.count("|") == COLUMNS + 1
    assert "| 5 | 5.000 | 4.0000 | 13.00 | 13.00 |" in row


@pytest.mark.parametrize("sampler", ["sample", "argmax"])
def test_the_loops_with_logits_step_every_game_by_legal_actions(sampler):
    assert bench.given_logits(sampler, "none", num_envs=512)() == 80_000 // 512 * 512


def test_works_in_turn_are_compared_with_the_first():
    def counted(decisions):
        total = 0
        for number in range(2000):  # some CPU time
            total += number
        return decisions

    rates, ratios = bench.rates_in_turn([lambda: counted(10), lambda: counted(40)], 0.03)
    assert len(rates) == 2 and ratios[0] == 1
    assert ratios[1] == pytest.approx(4, rel=0.5)


def test_the_rate_of_the_cpp_benchmark_is_read_from_what_it_prints(monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "built_program", lambda name: None)
    assert bench.cpp_rate(0.1) is None
    monkeypatch.setattr(bench, "built_program", lambda name: tmp_path / name)

    def run(command, **options):
        assert command[0] == str(tmp_path / "schafkopf_bench")
        printed = '{"benchmarks": [{"decisions/s": 1.5e7}]}'
        return subprocess.CompletedProcess(command, 0, printed)

    monkeypatch.setattr(subprocess, "run", run)
    assert bench.cpp_rate(0.1) == 1.5e7


def test_a_cpp_benchmark_that_fails_is_told_and_has_no_rate(monkeypatch, tmp_path, capsys):
    program = tmp_path / "schafkopf_bench"
    program.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(bench, "built_program", lambda name: program)
    assert bench.cpp_rate(0.1) is None
    assert "schafkopf_bench: ended with 3: broken" in capsys.readouterr().err
