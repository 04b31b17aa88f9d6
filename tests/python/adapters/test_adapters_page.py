"""The page of the adapters is of the releases that are pinned, and its generator works."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "bench"))

import adapter_speed  # noqa: E402
import adapters  # noqa: E402

PAGE = adapters.PAGE.read_text(encoding="utf-8")


def rows_of(page):
    """Return project -> rows (releases, check, result) of the table of suites."""
    table = page.split("## Suites")[1].split("## Speeds")[0]
    found = {}
    for line in re.findall(r"^\| (.*) \|$", table, re.MULTILINE)[1:]:
        project, *row = line.split(" | ")
        found.setdefault(project, []).append(tuple(row))
    return found


def stale(page):
    """Return what a page says otherwise than the requirement files and the table of suites."""
    rows, wrong = rows_of(page), []
    for suite in adapters.SUITES:
        pinned = adapters.pins(suite.requirements)
        releases = ", ".join(f"{package} {pinned[package]}" for package in suite.packages)
        wanted = {(releases, check) for check in suite.checks}
        seen = {row[:2] for row in rows.get(suite.project, [])}
        if seen != wanted:
            wrong.append(suite.project)
    return wrong


def test_the_page_is_of_the_pinned_releases_and_checks():
    assert not stale(PAGE), "./run adapters writes tests/bench/ADAPTERS.md anew"
    peers = PAGE.split("## Speeds")[1].split("\n\n")[1]
    pinned = adapters.pins(adapters.ADAPTERS) | adapters.pins(adapter_speed.BENCH)
    for peer in ("pettingzoo", "open_spiel", "rlcard", "chess"):
        assert f"{peer} {pinned[peer]}" in peers, "./run adapters writes ADAPTERS.md anew"


def test_another_release_is_noticed():
    release = adapters.pins(adapters.ADAPTERS)["torchrl"]
    assert stale(PAGE.replace(f"torchrl {release}", "torchrl 0.0.1")) == ["TorchRL"]
    assert stale(PAGE.replace("`seed_test`", "`sead_test`")) == ["PettingZoo"]


def test_every_check_on_the_page_passed_and_every_row_was_run():
    results = [row[-1] for rows in rows_of(PAGE).values() for row in rows]
    assert results and all(re.fullmatch(r"\d+ passed", result) for result in results)
    assert "not run" not in PAGE and "not installed" not in PAGE


def test_every_adapter_of_a_pinned_project_has_a_suite():
    suites = {package for suite in adapters.SUITES for package in suite.packages}
    # Curves, clusters, files of episodes, a browser, a server: these check no environments.
    others = {"tensorboard", "ray", "minari", "h5py", "selenium", "selenium_axe_python"}
    others |= {"starlette", "uvicorn", "anyio", "click", "h11"}
    assert suites - {"ray"} == adapters.pins(adapters.ADAPTERS).keys() - others
    for suite in adapters.SUITES:
        text = (ROOT / "tests" / "python" / f"{suite.file}.py").read_text(encoding="utf-8")
        for name in (name for names in suite.checks.values() for name in names):
            assert f"def {name}(" in text


def test_a_page_is_written_of_what_was_run(tmp_path, monkeypatch):
    pytest.importorskip("stable_baselines3")
    pytest.importorskip("torchrl")
    small = {"one_table": "VectorEnv", "many_tables": "sample", "learner_tables": "adapter"}
    for name, part in small.items():  # of each table the first row and some others
        makers = getattr(adapter_speed, name)()
        kept = {
            row: make for row, make in makers.items() if part in row or row == next(iter(makers))
        }
        kept["missing"] = lacking
        monkeypatch.setattr(adapter_speed, name, lambda kept=kept: kept)
    out = tmp_path / "page.md"
    options = ["--only", "Stable-Baselines3", "--rounds", "1", "--seconds", "0.001"]
    assert adapters.main(["--out", str(out), *options]) == 0
    page = out.read_text(encoding="utf-8")
    suite = next(suite for suite in adapters.SUITES if suite.project == "Stable-Baselines3")
    assert [row[1:] for row in rows_of(page)[suite.project]] == [
        (check, "1 passed") for check in suite.checks
    ]
    assert page.count("| missing | not run: no unheard_of, pip install -r ") == 3
    rates = re.findall(r"\| ([\d.]+) [kM] \| [\d.]+ \|", page)
    assert len(rates) == 8 and all(float(rate) > 0 for rate in rates)


def lacking():
    raise ModuleNotFoundError("No module named 'unheard_of'", name="unheard_of.part")


def test_a_release_that_is_not_pinned_is_refused(monkeypatch):
    suite = adapters.SUITES[0]
    monkeypatch.setattr(adapters, "installed", lambda suite: {"gymnasium": "0.1"})
    with pytest.raises(SystemExit, match=r"gymnasium 0\.1 is installed, allowed: 1\.4"):
        adapters.suite_rows(suite)


def test_failed_skipped_and_lost_tests_are_told():
    assert adapters.result(["passed", "passed"]) == "2 passed"
    assert adapters.result(["passed", "failed", "skipped"]) == "1 passed, 1 failed, 1 skipped"
    assert adapters.result([]).startswith("failed")


def test_a_page_of_some_suites_does_not_replace_the_page(capsys):
    with pytest.raises(SystemExit):
        adapters.main(["--only", "PettingZoo"])
    assert "--only gives no whole page" in capsys.readouterr().err


def rates():
    """Return row -> (decisions a second, ratio to the first row of its table) as on the page."""
    found = re.findall(r"^\| (.*?) \| ([\d.]+) ([kM]) \| ([\d.]+) \|", PAGE, re.MULTILINE)
    return {row: (float(n) * {"k": 1e3, "M": 1e6}[unit], float(r)) for row, n, unit, r in found}


def test_the_introduction_has_the_speeds_of_the_page():
    found, readme = rates(), (ROOT / "README.md").read_text(encoding="utf-8")
    for begins, row in (
        ("the engine's random policy", "uniform drawn by the engine (`step_random`)"),
        ("logits, `schafkopf.sample` and step", "softmax drawn by `schafkopf.sample`"),
    ):
        speed, ratio = found[row]
        assert f"| {begins} | {speed / 1e6:.2f} M | {ratio:.2f}x |" in readme
    skat = found["OpenSpiel skat"]
    bridge, easy, hard = (
        1 / found[row][1]
        for row in (
            "RLCard bridge",
            "PettingZoo classic `tictactoe_v3` (AEC)",
            "PettingZoo classic `texas_holdem_v4` (AEC)",
        )
    )
    assert (
        f"makes {bridge:.1f} times the decisions of RLCard's bridge, {easy:.1f} (tic-tac-toe) to "
        f"{hard:.1f} times (Texas hold'em) those of PettingZoo's classic games, more than of its "
        f"chess. OpenSpiel's skat, which is C++, makes {skat[1]:.1f} times those of it, and "
        f"{skat[0] / found['Schafkopf, adapter to OpenSpiel'][0]:.1f} times those of our adapter"
    ) in " ".join(readme.split())
