"""The rows of `schafkopf bench` that come from other projects."""

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
