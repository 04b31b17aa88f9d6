"""Metrics of a training as they are read and drawn: the learning curve."""

import json
import os

import pytest

from schafkopf import _core, metrics_sums, plots


def rows_of(count, evaluated):
    return [
        {
            "decisions": 1_000_000 * (i + 1),
            "entropy": 1.0 / (i + 1),
            "kl": 0.01,
            "explained_variance": 0.1 * i,
            "decisions_per_second": 100_000.0 + i,
            "grad_norm": 0.2,
            "declared": {"RUF": 0.7, "SOLO": 0.1 * i},
        }
        | (
            {
                "eval_opponent": "rules",
                "eval_unit": "Pfennig",
                "eval_mean": -16.0 + i,
                "eval_half_width": 0.8,
            }
            if i in evaluated
            else {}
        )
        for i in range(count)
    ]


# Deals that are all alike have no interval: a band that shrinks to their mean says that it is
# certain.
def test_the_band_of_strength_has_a_gap_where_there_is_no_interval():
    pytest.importorskip("matplotlib")
    rows = rows_of(5, evaluated=range(5))
    rows[2]["eval_half_width"] = None
    (band,) = plots.learning_curve(rows).axes[0].collections
    drawn = {float(x) for path in band.get_paths() for x, _ in path.vertices}
    assert drawn == {1.0, 2.0, 4.0, 5.0}
    for row in rows:
        row["eval_half_width"] = None
    plots.learning_curve(rows).draw_without_rendering()


def test_the_learning_curve_shows_strength_on_top_with_its_interval():
    pytest.importorskip("matplotlib")
    figure = plots.learning_curve(rows_of(6, evaluated=(0, 3, 5)), "a run")
    top = figure.axes[0]
    assert top.get_ylabel() == "points per game (Pfennig)"
    series = next(line for line in top.get_lines() if len(line.get_xdata()) == 3)
    assert list(series.get_xdata()) == [1.0, 4.0, 6.0]
    assert list(series.get_ydata()) == [-16.0, -13.0, -11.0]
    assert "one against three" in series.get_label() and "rules" in top.get_title()
    (band,) = top.collections
    edges = band.get_paths()[0].vertices[:, 1]
    assert edges.min() == pytest.approx(-16.8) and edges.max() == pytest.approx(-10.2)
    figure.draw_without_rendering()
    boxes = [panel.get_position() for panel in figure.axes]
    assert all(boxes[0].y0 >= box.y1 for box in boxes[1:])  # above all others, over the width
    assert boxes[0].width > 1.5 * boxes[1].width


def shares_of(mean, half_width, games=40):
    """Figures of one contract as an evaluation gives them."""
    figures = {"games_against": games, "won": games // 2, "alone": mean, "against": 0.0}
    return {"games": games, "mean": mean, "half_width": half_width, **figures}


def with_shares(rows, track):
    for i, row in enumerate(rows):
        if "eval_mean" in row:
            row |= {"eval_track": track, "eval_games": 400, "eval_thrown_in": 0.25}
            row["eval_by"] = {
                "RUF": {"declarer": shares_of(1.0 + i, 2.0), "defender": shares_of(-1.0, 1.0)},
                "WENZ": {"declarer": shares_of(30.0, 500.0), "partner": shares_of(None, None, 0)},
            }
    return rows


def test_the_learning_curve_shows_contracts_and_roles_that_say_something():
    pytest.importorskip("matplotlib")
    rows = with_shares(rows_of(6, evaluated=(0, 3, 5)), "full")
    rows[3] |= {"eval_games": 800, "eval_thrown_in": 0.5}  # a longer evaluation
    figure = plots.learning_curve(rows)
    of_this_kind = "points per game (Pfennig) of this kind"
    panel = next(p for p in figure.axes if p.get_ylabel() == of_this_kind)
    series = {line.get_label(): line for line in panel.get_lines()}
    assert list(series["RUF declarer"].get_ydata()) == [1.0, 4.0, 6.0]
    assert "RUF defender" in series
    assert not any("WENZ" in label for label in series)  # a wide interval, and no games
    auctions = next(p for p in figure.axes if "thrown in" in p.get_ylabel())
    shares = {line.get_label(): list(line.get_ydata()) for line in auctions.get_lines()}
    assert shares["thrown in"] == [25.0, 50.0, 25.0] and shares["RUF"] == [10.0, 5.0, 10.0]
    labels = [panel.get_ylabel() for panel in figure.axes]
    assert len(set(labels)) == len(labels)


def test_card_play_has_no_auctions_to_show():
    pytest.importorskip("matplotlib")
    figure = plots.learning_curve(with_shares(rows_of(3, evaluated=(0, 2)), "card_play"))
    labels = [panel.get_ylabel() for panel in figure.axes]
    assert "points per game (Pfennig) of this kind" in labels
    assert not any("thrown in" in label for label in labels)


@pytest.mark.parametrize("by", [[], {"RUF": []}, {"RUF": {"declarer": {"mean": "1"}}}])
def test_damaged_figures_by_contract_are_refused(tmp_path, by):
    file = tmp_path / "metrics.jsonl"
    (row,) = rows_of(1, evaluated=(0,))
    file.write_text(json.dumps(row | {"eval_by": by}) + "\n")
    with pytest.raises(ValueError, match=r"metrics\.jsonl:1: no update of a training"):
        plots.read_metrics(file)


@pytest.mark.parametrize("key", ["entropy", "decisions", "eval_mean"])
@pytest.mark.parametrize("value", ["1e308", "-1e31", "1" + 400 * "0"])
def test_numbers_that_no_axis_can_show_are_refused_by_their_line(tmp_path, key, value):
    file = tmp_path / "metrics.jsonl"
    good, bad = rows_of(2, evaluated=(0, 1))
    line = json.dumps(bad | {key: "here"}).replace('"here"', value)
    file.write_text(f"{json.dumps(good)}\n{line}\n")
    with pytest.raises(ValueError, match=r"metrics\.jsonl:2: "):
        plots.read_metrics(file)


@pytest.mark.parametrize("path", [None, 5, ""])
def test_metrics_that_no_path_names_are_refused_by_the_argument(path):
    with pytest.raises(ValueError, match=r"^path = .*, allowed: the path of a file$"):
        plots.read_metrics(path)


def test_the_one_line_that_was_changed_is_known_by_its_place_the_first_and_the_last_too():
    lines = [f'{{"decisions": {number}}}'.encode() for number in range(1, 4)]
    sums = [_core.checksum_of(line) for line in lines]
    by_place = sum(place * checksum for place, checksum in enumerate(sums, 1))
    written = metrics_sums.Sums(3, sum(sums) % 2**64, by_place % 2**64)
    assert metrics_sums.damage(lines, written) is None
    assert metrics_sums.damage([*lines, b"of after the checkpoint"], written) is None
    for place in (1, 2, 3):
        changed = [b"{}" if at == place else line for at, line in enumerate(lines, 1)]
        damage = metrics_sums.damage(changed, written)
        assert damage.line == place and damage.text.startswith(f":{place}: damaged")
    for several in ([b"{}", b"{}", lines[2]], [lines[1], lines[0], lines[2]]):
        assert metrics_sums.damage(several, written).line == 0
    assert metrics_sums.damage(lines[:2], written).text == ": damaged, 2 of 3 lines are there"


def test_a_pipe_in_place_of_metrics_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="pipe: no regular file"):
        plots.read_metrics(tmp_path / "pipe")


@pytest.mark.parametrize("row", [{"decisions": 1}, {}, 5, "updates", None])
def test_a_curve_of_what_is_no_update_is_refused_by_its_place(row):
    with pytest.raises(
        ValueError, match=r"^metrics\[1\]: no update of a training: needed decisions, entropy"
    ):
        plots.learning_curve([*rows_of(1, evaluated=()), row])


def test_every_quantity_has_an_axis_of_its_own_and_evaluations_may_be_missing():
    pytest.importorskip("matplotlib")
    figure = plots.learning_curve(rows_of(4, evaluated=()))
    labels = [panel.get_ylabel() for panel in figure.axes]
    assert len(set(labels)) == len(labels) and all(labels)
    assert not any("points per game" in label for label in labels)
    for word in ("entropy", "KL", "explained variance", "decisions per second", "% of auctions"):
        assert sum(word in label for label in labels) == 1, word
    for panel in figure.axes:
        assert panel.get_xlabel() == "decisions, millions"
        if "auctions" not in panel.get_ylabel():
            assert len(panel.get_lines()) == 1
    assert plots.learning_curve([]).axes  # a run stopped before its first update
