"""Reports and the page of a run in a real browser: on every screen, unhurt by names."""

import json

import pytest

import schafkopf

pytest.importorskip("matplotlib")
page_checks = pytest.importorskip("support.page_checks")

from schafkopf import report, run_page, training_run  # noqa: E402
from schafkopf.games import play_deals  # noqa: E402

browser = pytest.fixture(scope="module")(page_checks.chromium)
MARKUP = "<b onclick=alert(1)>bold</b>"
LONG = "net+search:baseline,worlds=64,top=3,clear=0 and more of it"


@pytest.fixture(scope="module")
def result():
    players = {MARKUP: "rules", LONG: "random", "$x^2$": "rules:random=0.2", "rules": "rules"}
    settings = {"blocks": 2, "track": "full", "formats": ["1v3", "2v2"], "tables": 4, "threads": 1}
    played = dict(schafkopf.tournament(players, **settings))
    played["agents"][0]["calibration"] = [
        {"games": 9, "expected_win_rate": rate, "win_rate": rate, "half_width": 0.1}
        | {"expected_payoff": 10.0, "payoff": 10.0}
        for rate in (0.4, 0.8)
    ]
    return played


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory, result):
    """A folder as a run leaves it, with a name that is markup; nothing is trained."""
    folder = tmp_path_factory.mktemp("runs") / "<i>first & last"
    folder.mkdir()
    rows = []
    for i in range(40):
        row = {"update": i + 1, "decisions": 250_000 * (i + 1), "entropy": 1.2 - 0.02 * i}
        row |= {"kl": 0.01, "explained_variance": 0.1, "decisions_per_second": 1e5 + i}
        row |= {"grad_norm": 0.2, "declared": {"RUF": 0.7, "SOLO": 0.01 * i}}
        if i % 13 == 0:
            row |= {"eval_mean": i - 16.0, "eval_half_width": 0.8, "eval_unit": "Cent"}
            share = {"games": 40, "mean": 1.0 + i, "half_width": 2.0}
            row |= {"eval_opponent": MARKUP, "eval_track": "full", "eval_games": 400}
            row |= {"eval_thrown_in": 0.25, "eval_by": {"RUF": {"declarer": share}}}
        rows.append(json.dumps(row))
    (folder / "metrics.jsonl").write_text("\n".join(rows) + "\n")
    names = ["model.safetensors", "tournament.html", "tournament.json", "games.html"]
    for name in names:
        (folder / name).write_text("")
    trained = {"model_path": str(folder / "model.safetensors"), "rules": "tournament_2024"}
    trained |= {"interrupted": False, "updates": 40, "decisions": 10_000_000, "games": 300_000}
    trained |= {"seconds": 480.0, "workers": 2, "higher_limits": ["decisions_limit=20000000"]}
    run_page.write(folder, trained, [result])
    return folder


def test_a_report_is_readable_everywhere_and_hurts_nobody(browser, result, tmp_path):
    path = tmp_path / "report.html"
    report.write_html([result], path, f"Tournament of {MARKUP}")
    page_checks.check_page(browser, path.as_uri())
    shown = browser.find_element("tag name", "body").text
    assert MARKUP in shown and not browser.find_elements("css selector", "main b")
    browser.execute_script(
        "for (const one of document.querySelectorAll('details')) one.open = true"
    )
    assert page_checks.faults_of_sight(browser) == []


def test_the_page_of_a_run_is_readable_everywhere_and_leads_on(browser, run_folder):
    page_checks.check_page(browser, (run_folder / training_run.INDEX).as_uri())
    main = browser.find_element("tag name", "main")
    assert run_folder.name in main.text and not main.find_elements("css selector", "i, b")
    words = main.find_element("css selector", "pre").text
    assert words.startswith("schafkopf play --agents 'net:") and "--rules tournament_2024" in words
    targets = [one.get_dom_attribute("href") for one in main.find_elements("tag name", "a")]
    assert {"tournament.html", "games.html"} <= set(targets)
    for target in targets:
        if target.startswith("#"):
            assert main.find_elements("css selector", target)
        else:
            assert (run_folder / target).is_file()
    assert len(main.find_elements("css selector", ".chart svg")) == 10
    assert "points per game (Cent)" in main.text


def test_a_replay_passes_for_everybody(browser, tmp_path):
    path = tmp_path / "replay.html"
    game = play_deals("rules", 1)[0]
    path.write_text(schafkopf.replay_html(game, players=["rules"], solver=True), encoding="utf-8")
    for scheme in page_checks.SCHEMES:
        page_checks.open_page(browser, path.as_uri(), page_checks.PHONE, scheme)
        browser.execute_script("document.getElementById('next_trick').click()")
        assert page_checks.faults_of_sight(browser) == [], scheme
    assert page_checks.access_faults(browser) == []


def test_the_checks_find_what_is_wrong(browser, tmp_path):
    path = tmp_path / "bad.html"
    path.write_text(
        """<!doctype html><html><title>x</title><body style="background:#fff">
        <p style="color:#999">pale</p><div style="width:60px;overflow:hidden;white-space:nowrap">
        much longer than its box</div><p style="position:absolute;top:200px">one</p>
        <p style="position:absolute;top:203px">another</p><p style="margin-left:380px">over the
        edge</p><p style="width:900px">wide</p><img src="http://127.0.0.1:9/x.png"><input>"""
    )
    page_checks.open_page(browser, path.as_uri(), page_checks.PHONE)
    faults = "\n".join(page_checks.faults_of_sight(browser))
    for words in (
        "contrast 2.8",
        "cut off: 'much",
        "'one' and 'another'",
        "beyond the edge",
        "wider",
    ):
        assert words in faults
    assert page_checks.requests_of(browser) == ["http://127.0.0.1:9/x.png"]
    access = "\n".join(page_checks.access_faults(browser))
    assert "label:" in access and "image-alt:" in access and "color-contrast:" in access
