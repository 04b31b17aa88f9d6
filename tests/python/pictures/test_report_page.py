"""The web pages of results: readable in light and dark, and on a telephone."""

import os
import re
import subprocess
import sys
import warnings
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest
from support.colours import contrast, schemes

import schafkopf
from schafkopf import figure, plots, report, report_charts, run_page
from schafkopf.report_style import SERIES, STYLE

ROOT = Path(__file__).resolve().parents[3]
TEXT, MARK = 4.5, 3.0  # contrasts that WCAG asks for: text, and marks of a chart
VOID = {"meta", "line", "path", "use"}


@pytest.fixture(scope="module")
def pages():
    """A page with every part of a tournament, and one of a league day."""
    players = {"rules": "rules", "random": "random"}
    players |= {f"drunk {share}": f"rules:random={share}" for share in (0.2, 0.4)}
    result = schafkopf.tournament(players, blocks=2, track="full", formats=["1v3", "2v2"], tables=5)
    result["agents"][0]["calibration"] = [
        {"games": 9, "expected_win_rate": rate, "win_rate": rate, "half_width": 0.1}
        | {"expected_payoff": 10.0, "payoff": 10.0}
        for rate in (0.4, 0.8)
    ]
    points = {"mean": 1.0, "half_width": 2.0}
    day = {"agents": [{"name": "rules", "points": points}], "players": 4, "seed": 1}
    row = {"rank": 1, "player": 2, "agent": "rules", "total": 30, "bonus": 0, "games": 8}
    day |= {"rules": "tournament_2024", "tariff_unit": "<Cent>", "ranking": [row]}
    return [report.to_html([result]), report.league_html(day)]


def test_contrast_is_that_of_the_standard():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "255 255 255") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", schemes(), ids=["light", "dark"])
def test_text_and_marks_stand_out_from_what_is_behind_them(scheme):
    for text, behind in [*product(("ink", "soft"), ("page", "card", "head")),
                         ("ink", "win"), ("ink", "lose")]:  # fmt: skip
        assert contrast(scheme[text], scheme[behind]) >= TEXT, (text, behind)
    assert contrast(scheme["s0"], scheme["page"]) >= TEXT  # links
    for mark in ["axis", *(f"s{i}" for i in range(SERIES))]:
        assert contrast(scheme[mark], scheme["page"]) >= MARK, mark


def test_every_colour_is_a_variable_of_both_schemes(pages):
    light, dark = schemes()
    assert light.keys() == dark.keys()
    assert "color-scheme: light dark" in STYLE
    rules = STYLE.split("}", 3)[3]  # after the two lists of variables
    bodies = [page.split("</style>")[1] for page in pages]
    for text in [rules, *bodies]:
        assert set(re.findall(r"var\(--(\w+)", text)) <= light.keys()
        assert not re.search(r"#[0-9a-fA-F]{3,8}\b", text)
        assert set(re.findall(r"rgba?\([^v]|hsla?\(", text)) == set()
    properties = r"(?<![\w-])(color|fill|stroke|background)(?:=\"|: *)([^;\"}]+)"
    for text in [rules, *bodies]:
        for name, value in re.findall(properties, text):
            assert re.fullmatch(
                r"var\(--\w+\)|currentColor|none|rgb\(var\(--(win|lose)\) / [\d.]+\)", value.strip()
            ), (name, value)


def test_text_takes_its_colour_from_the_two_that_are_checked():
    rules = STYLE.split("}", 3)[3]
    text = set(re.findall(r"[{;] *(?:color|fill): var\(--(\w+)\)", rules))
    assert text - {f"s{i}" for i in range(SERIES)} == {"ink", "soft"}
    assert re.search(r"[\n}] *a \{ color: var\(--s0\); \}", rules)  # no text else
    assert set(re.findall(r"background: var\(--(\w+)\)", rules)) == {"page", "card", "head"}
    assert "td.heat, td.heat small { color: var(--ink); }" in rules


class Boxes(HTMLParser):
    """Notes what stands in which element."""

    def __init__(self):
        super().__init__()
        self.open, self.found, self.viewports = [], [], []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "meta" and given.get("name") == "viewport":
            self.viewports.append(given["content"])
        inside = [classes for _, classes in self.open]
        self.found.append((tag, given, inside))
        if tag not in VOID | {"html"}:
            self.open.append((tag, given.get("class", "")))

    def handle_endtag(self, tag):
        while self.open and tag in [name for name, _ in self.open]:
            if self.open.pop()[0] == tag:
                return


def test_tables_scroll_in_a_box_of_their_own_and_charts_shrink(pages):
    assert re.search(r"\.wide \{ overflow-x: auto; \}", STYLE)
    assert re.search(r"\.chart svg \{ width: 100%; height: auto;", STYLE)
    for page in pages:
        boxes = Boxes()
        boxes.feed(page)
        assert boxes.viewports == ["width=device-width, initial-scale=1"]
        for kind, box in (("table", "wide"), ("svg", "chart")):
            held = [inside for tag, _, inside in boxes.found if tag == kind]
            assert held and all(box in inside[-1].split() for inside in held)
        for tag, given, _ in boxes.found:
            if tag == "text":  # labels have the two colours of text
                assert re.search(r"fill: var\(--(ink|soft)\)", given["style"])


def test_points_name_their_unit(pages):
    tournament, league = pages
    assert tournament.count("Points per game (Cent)") >= 4
    assert tournament.count("points per game (Cent)") >= 4
    assert "oints per game " not in re.sub(r"oints per game \(Cent\)", "", tournament)
    assert "Points per game (&lt;Cent&gt;) of" in league and "Totals in &lt;Cent&gt;" in league


def test_a_cell_is_coloured_by_its_value():
    assert report_charts.heat_style(1) == "background:rgb(var(--win) / 1.00)"
    assert report_charts.heat_style(-2) == "background:rgb(var(--lose) / 1.00)"
    assert report_charts.heat_style(0) == "background:rgb(var(--lose) / 0.00)"


def test_without_matplotlib_a_report_has_the_numbers_and_says_what_to_install(monkeypatch):
    result = schafkopf.tournament(["rules", "random"], blocks=2, threads=1)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = report.to_html([result])
    assert "<svg" not in page
    assert "No chart: matplotlib is not installed: pip install matplotlib, or pip install" in page
    assert "&#39;schafkopf[plots]&#39;" in page
    assert "<details open>" in page
    rating = result["agents"][0]["rating"]
    assert f"<td>{rating['mean']:+.2f} ± {rating['half_width']:.2f}</td>" in page


@pytest.mark.parametrize(
    "error",
    [
        OSError("Matplotlib requires access to a writable cache directory"),
        RuntimeError("Could not determine home directory."),  # a user without entry and HOME
    ],
)
def test_where_matplotlib_cannot_be_loaded_a_report_has_the_numbers_and_says_why(
    monkeypatch, error
):
    def nowhere_to_write(*_):
        raise error

    result = schafkopf.tournament(["rules", "random"], blocks=2, threads=1)
    monkeypatch.setattr(figure, "load_extra", nowhere_to_write)
    page = report.to_html([result])
    assert "<svg" not in page and "<details open>" in page
    assert f"No chart: matplotlib cannot be loaded: {error}" in page
    assert "allowed: HOME, or MPLCONFIGDIR, that names a folder one may write to" in page


@pytest.mark.parametrize(
    "command",
    [
        ["tournament", "--agents", "rules", "random", "--html", "page.html"],
        ["tournament", str(ROOT / "configs" / "tournament" / "default.toml"), "--out", "made"],
        ["train", "--out", "made"],
    ],
    ids=["page", "folder", "training"],
)
def test_a_wrong_mplbackend_is_named_before_anything_is_played(tmp_path, command):
    pytest.importorskip("matplotlib", exc_type=ImportError)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "MPLBACKEND": "wrong"}
    done = subprocess.run(
        [sys.executable, "-m", "schafkopf", *command], env=environment, cwd=tmp_path,
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith('schafkopf: MPLBACKEND = "wrong", allowed: a backend of ')
    assert done.stdout == "" and list(tmp_path.iterdir()) == []


def test_names_that_are_markup_stay_text_in_every_drawing_and_page(tmp_path):
    estimate = {"mean": 1.0, "half_width": 0.5}
    chart = report_charts.interval_chart("x", [("<b>&", [(0, estimate)])], "points (<i>)")
    assert "<b>" not in chart.svg and "&lt;b&gt;&amp;" in chart.svg and "<i>" not in chart.svg
    folder = tmp_path / "<b>"
    folder.mkdir()
    result = {"model_path": "<b>/model", "rules": "<b>.toml", "interrupted": False, "workers": 1}
    result |= dict.fromkeys(("updates", "decisions", "games", "seconds"), 1)
    page = run_page.to_html(folder, result | {"higher_limits": ["time=<b>"]}, [])
    assert "<b>" not in page and page.count("&lt;b&gt;") >= 6
    assert "--agents &#39;net:&lt;b&gt;/model&#39; --rules" in page  # quoted for the shell


def test_letters_that_a_font_lacks_are_drawn_without_a_word(tmp_path):
    pytest.importorskip("matplotlib", exc_type=ImportError)
    estimate = {"mean": 1.0, "half_width": 0.5}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chart = report_charts.interval_chart("x", [("\u65e5\u672c", [(0, estimate)])], "points")
        assert "\u65e5\u672c" in chart.svg
        made = figure.inline_figure()
        made.suptitle("\u65e5\u672c")
        assert made._repr_png_()
        made.savefig(tmp_path / "x.png")


def test_other_warnings_of_a_drawing_are_told():
    pytest.importorskip("matplotlib", exc_type=ImportError)
    made = figure.inline_figure()
    draw = made.draw

    def drawn_with_words(renderer):
        warnings.warn("Glyph of nothing", UserWarning, stacklevel=1)
        warnings.warn("Glyph 7 is missing from font", FutureWarning, stacklevel=1)
        draw(renderer)

    made.draw = drawn_with_words
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert made._repr_png_()
    assert {one.category for one in told} == {UserWarning, FutureWarning}


def test_the_curve_of_the_introduction_is_that_of_the_shipped_network():
    pictures = ROOT / "python" / "docs" / "pictures"
    rows = plots.read_metrics(pictures / "first_stage.jsonl")
    text = (ROOT / "agents" / "BASELINE.md").read_text(encoding="utf-8")
    table = text.partition("The first stage, in the same way")[2]
    lines = re.findall(r"^\| ([\d.]+) \| \d+ \| ([-+.\d]+) ± ([\d.]+) ", table, re.MULTILINE)
    told = [tuple(map(float, line)) for line in lines]
    evaluated = [row for row in rows if "eval_mean" in row]
    assert len(told) == len(evaluated) > 5
    for row, (millions, mean, half) in zip(evaluated, told, strict=True):
        assert row["decisions"] / 1e6 == pytest.approx(millions, abs=0.06)
        assert row["eval_mean"] == pytest.approx(mean, abs=0.011)
        assert row["eval_half_width"] == pytest.approx(half, abs=0.011)
    assert (pictures / "learning_curve.png").stat().st_size < 100_000
    assert "(python/docs/pictures/learning_curve.png)" in (ROOT / "README.md").read_text()


def test_a_tournament_of_declarers_alone_has_their_table_and_no_ratings():
    result = schafkopf.tournament(["rules", "random"], blocks=4, formats=["declarer"])
    page = report.to_html([result])
    assert "Declarer against three" in page and "<h3>Ratings</h3>" not in page
    assert f"{result['as_declarer'][0][1]['mean']:+.2f}" in page


@pytest.fixture(scope="module")
def full():
    """A result of whole games; copied by who changes it."""
    players = ["rules", "random", "rules:random=0.4"]
    return schafkopf.tournament(players, blocks=8, track="full", formats=["1v3"], seed=2)


def test_cells_that_differ_from_0_are_bold_whoever_leads(full, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    cells = [cell for row in full["one_against_three"] for cell in row if cell]
    bold = [abs(cell["mean"]) > cell["half_width"] for cell in cells]
    signs = {cell["mean"] > 0 for cell, is_bold in zip(cells, bold, strict=True) if is_bold}
    assert signs == {True, False} and not all(bold)
    shown = re.findall(r'<td class="heat" style="[^"]*font-weight:(\d+)"', report.to_html(full))
    assert shown[: len(cells)] == ["600" if is_bold else "400" for is_bold in bold]


def test_ratings_have_the_best_player_above(full, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    means = {agent["name"]: agent["rating"]["mean"] for agent in full["agents"]}
    best_first = sorted(means, key=means.__getitem__, reverse=True)
    assert best_first != sorted(means, key=means.__getitem__) != list(means) != best_first
    assert [row[0] for row in report.ratings_chart(full).rows] == best_first


def test_a_bar_is_as_long_as_the_interval(monkeypatch):
    pytest.importorskip("matplotlib")
    drawn = []
    monkeypatch.setattr(figure, "svg_text", lambda made, *_: drawn.append(made) or "")
    rows = [("a", [(0, {"mean": 3.0, "half_width": 2.0})])]
    rows += [("b", [(0, {"mean": -1.0, "half_width": None})])]
    report_charts.interval_chart("x", rows, "Cent")
    bars = [
        [segment[:, 0].tolist() for part in bar.lines[2] for segment in part.get_segments()]
        for bar in drawn[0].axes[0].containers
    ]
    assert bars == [[[1.0, 5.0]], []]


def test_what_was_declared_is_a_share_of_the_deals_of_an_agents_seats(full, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    part = report.to_html(full).partition("<h3>What was declared</h3>")[2].partition("</table>")[0]
    shown = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td><td>(.*?)</td>', part)
    told = [
        (name, *(float(cell.split()[0].rstrip("%\xa0")) for cell in row)) for name, *row in shown
    ]
    assert len(told) == 3 and full["agents"][0]["declared"] > 0
    for agent, (name, declared, thrown_in) in zip(full["agents"], told, strict=True):
        assert name == agent["name"]
        assert declared == pytest.approx(100 * agent["declared"] / agent["seat_deals"], abs=0.06)
        assert thrown_in == pytest.approx(100 * agent["thrown_in"] / agent["seat_deals"], abs=0.06)


def test_games_of_a_contract_and_role_are_those_of_all_columns(full, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    part = report.to_html(full).partition("<h3>By contract and role</h3>")[2]
    rows = re.findall(
        r'<tr><th scope="row">(\w+ [\w ]+)</th><td>([\d,]+)</td>(.*?)</tr>',
        part.partition("</table>")[0],
        re.DOTALL,
    )
    several = 0
    for _, games, cells in rows:
        own = [int(count) for count in re.findall(r'title="(\d+) games"', cells)]
        assert int(games.replace(",", "")) == sum(own)
        several += len(own) > 1
    assert several > 1


@pytest.mark.parametrize(
    ("mean", "half", "said"),
    [
        (9.0, 4.0, "differs from 0"),
        (-9.0, 4.0, "differs from 0"),
        (3.0, 4.0, "is compatible with 0"),
        (3.0, None, "has no interval"),
    ],
)
def test_a_cycle_of_strength_says_of_how_many_it_is_the_largest(
    full, monkeypatch, mean, half, said
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    cycle = {"agents": [2, 0, 1], "sum": {"mean": mean, "half_width": half}, "of": 7}
    page = " ".join(report.to_html({**full, "largest_cycle": cycle}).split())
    text = page.partition("Cycle check: ")[2].partition("</p>")[0]
    a, b, c = (full["agents"][number]["name"] for number in (2, 0, 1))
    assert text.startswith(f"the leads of {a} over {b}, {b} over {c} and {c} over {a} add up to")
    assert "the most conspicuous of 7 such sums" in text and said in text


def test_blocks_of_pairings_that_ended_early_are_told_from_to(full, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "8 to 1,200 of each pairing" in report.to_html({**full, "blocks": 1200})
    assert "of each pairing" not in report.to_html(full)


def test_a_group_of_a_calibration_has_its_interval_in_percent(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    group = {"games": 1200, "expected_win_rate": 0.4, "win_rate": 0.5, "half_width": 0.125}
    group |= {"expected_payoff": -3.0, "payoff": 10.0}
    chart = report_charts.calibration_chart(
        "x", [("rules", [group, group | {"half_width": None}])], ""
    )
    row = ["rules", "1,200", "40.0 %", "50.0 % ± 12.5", "-3.0", "+10.0"]
    assert chart.rows == [row, [*row[:3], "50.0 %", *row[4:]]]


# Of five equal players nineteen pages of sixty had a bold difference.
def test_a_page_of_many_comparisons_says_that_each_interval_stands_for_itself():
    said = "each interval is one of 95&nbsp;% by itself: of equal players one cell in twenty is"
    three = report.to_html(schafkopf.tournament(["rules", "random", "pimc:1"], blocks=2))
    assert said in " ".join(three.split())
    two = report.to_html(schafkopf.tournament(["rules", "random"], blocks=2))
    assert said not in " ".join(two.split())


def test_one_result_is_a_page_as_a_list_of_it_is():
    result = schafkopf.tournament(["rules", "random"], blocks=1)
    assert report.to_html(result) == report.to_html([result])


def test_a_page_of_the_other_kind_is_named_with_the_one_that_there_is(tmp_path):
    settings = {"schedule": "league", "track": "full", "rules": "tournament_2024", "players": 8}
    players = ["rules", "random"]
    result, day = (
        schafkopf.tournament(players, blocks=1),
        schafkopf.tournament(players, **settings),
    )
    words = (
        r"results\[1\]: a league day came, allowed: results of tournaments; league_html shows it"
    )
    for call in (report.to_html, lambda results: report.write_html(results, tmp_path / "x.html")):
        with pytest.raises(ValueError, match=words):
            call([result, day])
        for wrong in (3, None, {}, [{}]):
            with pytest.raises(ValueError, match="allowed: results of tournaments"):
                call(wrong)
    for wrong in (result, {}, 3):
        with pytest.raises(
            ValueError, match=r"result: .* came, allowed: the result of a league day"
        ):
            report.league_html(wrong)
    outputs = schafkopf.tournaments.write_outputs
    with pytest.raises(ValueError, match="result: dict came, allowed: what tournament or"):
        outputs(dict(result), tmp_path)
    assert not list(tmp_path.iterdir())
