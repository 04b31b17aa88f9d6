"""Means with their intervals as text: with an interval, without one, of nothing."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from schafkopf import bidding, training_run
from schafkopf.intervals import interval_text

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("estimate", "options", "text"),
    [
        ({"mean": 1.25, "half_width": 0.5}, {}, "+1.25 ± 0.50"),
        ({"mean": -1.25, "half_width": 0.0}, {"digits": 1}, "-1.2 ± 0.0"),
        ({"mean": 0.615, "half_width": 0.02}, {"digits": 1, "sign": "", "scale": 100.0},
         "61.5 ± 2.0"),
        ({"mean": 1.25, "half_width": 0.5}, {"mark": "+-"}, "+1.25 +- 0.50"),
        ({"mean": 1.25, "half_width": None}, {}, "+1.25"),
        ({"mean": 1.25, "half_width": math.inf}, {}, "+1.25"),
        ({"mean": 0.5, "half_width": None}, {"digits": 0, "sign": "", "scale": 100.0}, "50"),
        (None, {}, "-"),
    ],
)  # fmt: skip
def test_a_mean_has_its_interval_if_there_is_one(estimate, options, text):
    assert interval_text(estimate, **options) == text


def test_deals_that_are_all_alike_show_their_mean():
    alike = bidding.estimate(np.full(3, 2.0), np.arange(3))
    assert interval_text(alike) == "+2.00"
    assert interval_text(bidding.estimate(np.array([]), np.array([]))) == "-"


def test_the_progress_of_a_training_without_an_interval_shows_the_mean():
    state = dict.fromkeys(
        ("updates", "decisions", "games", "decisions_per_second", "games_per_second"), 1
    )
    state |= {"entropy": 1.0, "kl": 0.0, "seconds_left": -1, "eval_mean": 2.0}
    for half, text in ((0.25, "+2.00 +- 0.25"), (math.inf, "+2.00"), (None, "+2.00")):
        line = training_run.progress_text(state | {"eval_half_width": half})
        assert line.endswith(f", {text} tariff units per game")


def test_nobody_writes_an_interval_that_may_be_missing():
    """interval_text does: half_width of an estimate goes into no text as it is."""
    written = re.compile(r"half_width\W{0,3}:[.{]")
    for text in ('{row["half_width"]:.2f}', "{row.half_width:.2f}", "{half_width:.{digits}f}"):
        assert written.search(text), text
    sources = [*ROOT.glob("python/schafkopf/**/*.py"), *ROOT.glob("python/notebooks/*.ipynb")]
    assert len(sources) > 100
    found = [path.name for path in sources if written.search(path.read_text(encoding="utf-8"))]
    assert found == []
