"""The short form of `./run soak`: it finds a leak, and takes none for one where nothing leaks."""

import mmap
import random
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from soak import __main__ as command
from soak import report, verdict, work

import schafkopf


def rows(part=1, minutes=120, rss=0.0, handles=0.0, speed=0.0, warm_up=0.0, seed=1):
    """Return samples of a part that changes by so much in an hour."""
    rng = random.Random(seed)
    return [
        {
            "part": part,
            "seconds": 60.0 * i,
            "rss_mb": 500 + rss * i / 60 + warm_up * min(i, 20) / 20 + rng.gauss(0, 1),
            "handles": float(12 + int(handles * i / 60)),
            "threads": 4.0,
            "x_per_cpu_s": 1000 * (1 + speed * i / 60) * rng.gauss(1, 0.02),
        }
        for i in range(1, minutes + 1)
    ]


def kinds(samples):
    return {one.name: one.kind for one in verdict.slopes(samples)}


FLAT = {"rss_mb": "flat", "handles": "flat", "threads": "flat", "x_per_cpu_s": "flat"}


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, {}),
        ({"warm_up": 300}, {}),
        ({"rss": 10}, {"rss_mb": "grows"}),
        ({"handles": 3}, {"handles": "grows"}),
        ({"speed": -0.15}, {"x_per_cpu_s": "falls"}),
        ({"rss": -50, "speed": 0.1}, {}),
        ({"minutes": 6}, {"rss_mb": "open", "x_per_cpu_s": "open"}),
    ],
)
def test_the_verdict_finds_what_grows_or_slows_down(changes, found):
    assert kinds(rows(**changes)) == FLAT | found


@pytest.mark.parametrize(("speed", "kind"), [(0.0, "flat"), (-0.15, "falls")])
def test_a_busier_machine_is_not_taken_for_work_that_slows_down(speed, kind):
    samples, used = rows(speed=speed), 0.0
    for i, row in enumerate(samples):  # from a core of its own to a third of one
        share = 1 - 0.67 * i / len(samples) + 0.1 * (i % 7) / 7
        used += 60 * share
        row |= {"cpu_s": used, "x_per_cpu_s": row["x_per_cpu_s"] * (0.5 + 0.5 * share)}
    assert kinds(samples)["x_per_cpu_s"] == kind


@pytest.mark.parametrize(("speed", "kind"), [(0.0, "flat"), (-0.15, "falls")])
def test_caches_that_others_take_are_not_taken_for_work_that_slows_down(speed, kind):
    samples, rng = rows(speed=speed), random.Random(2)
    for i, row in enumerate(samples):  # the same share of a core throughout, which is worth less
        worth = 1 - 0.3 * i / len(samples) + 0.1 * (i % 7) / 7
        row |= {"cpu_s": 55.0 * (i + 1), "x_per_cpu_s": row["x_per_cpu_s"] * worth}
        row[verdict.REFERENCE] = 40 * worth * rng.gauss(1, 0.01)
    assert kinds(samples) == FLAT | {"x_per_cpu_s": kind}
    without = [{key: row[key] for key in row if key != verdict.REFERENCE} for row in samples]
    assert kinds(without)["x_per_cpu_s"] == "falls"


def test_parts_are_judged_together_and_each_begins_anew():
    jump = [{**row, "rss_mb": row["rss_mb"] + 200} for row in rows(part=2, seed=2)]
    assert kinds(rows() + jump) == FLAT
    both = rows(rss=6, minutes=30) + rows(rss=6, minutes=30, part=2, seed=2)
    assert kinds(both)["rss_mb"] != "flat"


@pytest.mark.parametrize("count", [2, 3, 12, 60])
def test_an_interval_of_equal_weights_is_that_of_the_mean(count):
    rng = random.Random(count)
    values = [rng.gauss(3, 2) for _ in range(count)]
    plain = schafkopf._core.mean_interval(values)
    assert verdict._interval(values, [5.0] * count) == pytest.approx(plain)


def test_a_part_that_worked_too_little_to_say_so_is_judged():
    assert kinds([{**row, "cpu_s": 0.0} for row in rows(handles=9)]) == {**FLAT, "handles": "grows"}


def test_a_part_that_hardly_worked_hardly_counts():
    worked = [{**row, "cpu_s": row["seconds"]} for row in rows()]
    idle = rows(part=2, speed=-0.15, seed=2)
    idle = [{**row, "cpu_s": row["seconds"] / 30} for row in idle]  # four minutes in two hours
    assert kinds(idle)["x_per_cpu_s"] == "falls"
    assert kinds(worked + idle) == FLAT
    both = [{**row, "cpu_s": row["seconds"]} for row in idle]
    assert kinds(worked + both)["x_per_cpu_s"] != "flat"


def test_parts_append_and_a_torn_line_is_left_out(tmp_path):
    counted = {"counting": lambda _: 1.0}
    assert {row["part"] for row in command.soak(tmp_path, 0.8, counted, every=0.1)} == {1}
    with (tmp_path / command.SAMPLES).open("a") as file:
        file.write("2,7")
    again = command.soak(tmp_path, 0.8, counted, every=0.1)
    assert {row["part"] for row in again} == {1, 2} and len(again) >= 4
    assert verdict.read_rows(tmp_path / command.SAMPLES) == again
    with pytest.raises(ValueError, match="of other work"):
        command.soak(tmp_path, 0.1, {"other": lambda _: 1.0}, every=0.1)


def test_a_line_that_is_torn_in_its_last_number_is_left_out(tmp_path):
    path, counted = tmp_path / command.SAMPLES, {"counting": lambda _: 1.0}
    whole = command.soak(tmp_path, 0.8, counted, every=0.1)
    path.write_bytes(path.read_bytes().rstrip()[:-2])
    assert verdict.read_rows(path) == whole[:-1]
    again = command.soak(tmp_path, 0.4, counted, every=0.1)
    assert again[: len(whole) - 1] == whole[:-1] and again[len(whole) - 1]["part"] == 2
    assert verdict.read_rows(path) == again


def test_a_part_that_was_ended_before_its_first_sample_leaves_no_second_head(tmp_path):
    def ended(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        command.soak(tmp_path, 1.0, {"counting": ended})
    rows = command.soak(tmp_path, 0.2, {"counting": lambda _: 1.0}, every=0.1)
    assert verdict.read_rows(tmp_path / command.SAMPLES) == rows != []


def test_parts_of_several_folders_are_judged_together_and_make_a_page(tmp_path, capsys):
    folders = [tmp_path / name for name in ("first", "second")]
    for i, folder in enumerate(folders):
        folder.mkdir()
        both = [
            row for part in range(1, 3 - i) for row in rows(part=part, minutes=60, seed=part + i)
        ]
        report.write_samples(folder / command.SAMPLES, [{"cpu_s": 1800.0, **row} for row in both])
    page = tmp_path / "page.md"
    words = ["--judge", *map(str, folders), "--report", str(page), "--note", "Side by side."]
    assert call(words) == 0
    text = page.read_text()
    assert "3 parts, 3.0 hours together" in text and "Side by side." in text
    assert "| 3 | 1.00 | 0.50 | 60 |" in text and "| x_per_cpu_s | flat |" in text
    samples = verdict.read_rows(tmp_path / command.SAMPLES)
    assert samples == report.of_folders(folders)
    for row in samples[-60:]:
        row[verdict.REFERENCE] = 1.0  # which earlier parts have not
    report.write_samples(page, samples)
    assert verdict.read_rows(page) == samples
    assert {row["part"] for row in samples} == {1, 2, 3}
    report.write_samples(folders[0] / command.SAMPLES, rows(rss=20))
    assert call(["--judge", str(folders[0])]) == 1
    assert "grows rss_mb" in capsys.readouterr().out


def call(words):
    before, sys.argv = sys.argv, ["soak", *words]
    try:
        return command.main()
    finally:
        sys.argv = before


def test_the_page_in_the_tree_is_of_the_samples_beside_it():
    page = Path(report.__file__).with_name("REPORT.md")
    if not page.exists():
        pytest.skip("no soak has been run to its end")
    text = page.read_text()
    lines = report.page(verdict.read_rows(page.with_name(command.SAMPLES))).splitlines()
    assert [line for line in lines if line not in text.splitlines()] == []


@pytest.mark.parametrize("leaks", [False, True])
def test_a_real_leak_is_found_and_real_work_leaks_nothing(tmp_path, leaks):
    kept = []

    def stepping(folder):
        time.sleep(0.01)
        if leaks:
            pages = mmap.mmap(-1, 300_000)  # new ones, whatever the process has to spare
            pages.write(b"x" * 300_000)
            kept.append((pages, (folder.parent / "open").open("w")))
        env = schafkopf.VectorEnv(16, seed=1)
        env.step_random(50)
        return env.num_decisions

    for _ in range(20):  # what a process makes once
        stepping(tmp_path)
    samples = command.soak(tmp_path, 3.0, {"stepping": stepping}, every=0.1)
    found = kinds(samples)
    for _, file in kept:
        file.close()
    if leaks:
        assert found["handles"] == found["rss_mb"] == "grows"
    else:  # to the verdict a single page within seconds is megabytes within an hour
        assert samples[-1]["rss_mb"] - samples[len(samples) // 4]["rss_mb"] < 5
        assert found["handles"] == "flat"


def test_every_work_does_something_and_leaves_nothing(tmp_path):
    for name, piece in work.available().items():
        if name != "training":  # seconds, and other tests train
            assert work.done(piece, tmp_path / "work") > 0, name
    assert not list(tmp_path.iterdir())
