"""`schafkopf rules`: presets, switches, differences, checks and settlements in words."""

import os
import re
from pathlib import Path

import pytest

import schafkopf
from schafkopf import cli

OFFICIAL = "official_1989"
SWITCHES = len(schafkopf.rules.rule_fields())


class Command:
    """Runs `schafkopf rules ...` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: object, code: int = 0) -> str:
        assert cli.main(["rules", *map(str, arguments)]) == code
        self.output = self.capsys.readouterr()
        return self.output.out if code == 0 else self.output.err

    def settle(self, line: str, code: int = 0) -> str:
        return self("settle", *line.split(), code=code)

    def payoffs(self, line: str) -> list[float]:
        last = self.settle(line).splitlines()[-1]
        return [float(word) for word in re.findall(r"-?\d+(?:\.\d+)?", last)]


@pytest.fixture
def rules(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


def file_with(folder: Path, text: str, name: str = "table.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


# ---- list, show, diff, check --------------------------------------------------------------------


def test_list_has_one_line_per_preset(rules: Command) -> None:
    lines = rules("list").splitlines()
    assert [line.split()[0] for line in lines] == schafkopf.preset_names()
    assert all(len(line.split()) > 3 for line in lines)


@pytest.mark.parametrize("name", schafkopf.preset_names())
def test_r_186_every_agreement_is_a_switch_with_meaning_values_and_source(
    rules: Command, name: str
) -> None:
    text = rules("show", name)
    values = schafkopf.RuleSet(name).to_dict()
    for field in schafkopf.rules.rule_fields():
        assert re.search(rf"^[ *] {field['key']} = ", text, re.MULTILINE)
        assert f"{field['meaning']}\n      allowed: {field['allowed']}; " in text
        assert f"source: {field['source']}\n" in text
    starred = re.findall(r"^\* (\w+) = ", text, re.MULTILINE)
    assert starred == [
        f["key"] for f in schafkopf.rules.rule_fields() if values[f["key"]] != f["default"]
    ]


def test_show_changed_has_only_what_differs_from_the_defaults(rules: Command) -> None:
    text = rules("show", "tournament_2024", "--changed")
    assert '* all_pass = "ramsch"  (default "throw_in")\n' in text
    assert "* called_discard_window = 2  (default 1)\n" in text
    assert "  (default)\n" not in text
    assert "Auction (* = not the default)" in text
    assert "deck" not in text


# A refused switch says that `schafkopf rules show` lists all.
def test_show_without_a_name_is_of_research(rules: Command) -> None:
    assert rules("show") == rules("show", "research")
    assert rules("show", "--changed") == rules("show", "research", "--changed")


def test_show_as_toml_is_a_file_of_the_same_rules(rules: Command, tmp_path: Path) -> None:
    file = file_with(tmp_path, rules("show", "research", "--toml"))
    assert schafkopf.RuleSet(str(file)) == schafkopf.RuleSet("research")


def test_file_is_shown_by_its_path(
    rules: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_with(tmp_path, f'preset = "{OFFICIAL}"\nlaufende_min_wenz = 3\n', "table")
    monkeypatch.chdir(tmp_path)
    assert "* laufende_min_wenz = 3  (default 2)" in rules("show", "table", "--changed")


def test_diff_names_both_values(rules: Command) -> None:
    text = rules("diff", OFFICIAL, "research")
    assert re.search(r'^kontra_window: .*\n  official_1989  "before_second_card"\n', text, re.M)
    assert re.search(r'\n  research       "off"\n', text)
    assert text.endswith(f"2 of {SWITCHES} switches differ\n")
    assert rules("diff", OFFICIAL, OFFICIAL) == f"0 of {SWITCHES} switches differ\n"


def test_unknown_rule_set_names_the_presets(rules: Command) -> None:
    message = rules("show", "offical", code=2)
    assert '"offical"' in message and OFFICIAL in message
    assert "cannot read" in rules("show", "no/such.toml", code=2)


@pytest.mark.parametrize(
    "command",
    [
        ["tournament", "--agents", "rules", "random", "--rules"],
        ["exploit", "rules", "--rules"],
        ["play", "--rules"],
        ["rules", "show"],
    ],
)
def test_a_missing_rule_file_is_wrong_input_of_every_command(
    capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    assert cli.main([*command, "no/such.toml"]) == 2
    assert "cannot read the rule file no/such.toml: No such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f'preset = "{OFFICIAL}"\nlaufende_min_wenz = 9\n',
            ":2: laufende_min_wenz = 9, allowed: integer 1..4",
        ),
        ("laufende_min_wens = 2\n", ':1: unknown switch "laufende_min_wens"; the nearest one is'),
        ("\n\nall_pass = 3\n", ":3: all_pass = 3, allowed: throw_in, bock_game"),
        ("preset = 5\n", ":1: preset = 5, allowed: official_1989, "),
        ("preset = [1, { a = 2 }]\n", ":1: preset = [1, { a = 2 }], allowed: official_1989, "),
        ("contracts = []\n", ":1: contracts = [], allowed: at least one contract"),
        ('deck = "short24"\nspecial_round = "teufel"\n', ':2: special_round = "teufel" with deck'),
        ("players = \n", ":1: "),
    ],
)
def test_check_names_file_line_key_and_what_is_allowed(
    rules: Command, tmp_path: Path, text: str, message: str
) -> None:
    file = file_with(tmp_path, text)
    assert f"{file}{message}" in rules("check", file, code=1)


def test_check_goes_on_after_a_mistake(rules: Command, tmp_path: Path) -> None:
    wrong = file_with(tmp_path, "laufende_min_wenz = 9\n", "wrong.toml")
    right = file_with(tmp_path, "laufende_min_wenz = 3\n", "right.toml")
    rules("check", wrong, right, code=1)
    assert f"{right}: in order, 1 of {SWITCHES} switches differ" in rules.output.out
    rules("check", right)
    assert "there is no such file" in rules("check", tmp_path / "none.toml", code=2)
    assert "it is a folder" in rules("check", tmp_path, code=2)
    assert "none.toml: there is no" in rules("check", tmp_path / "none.toml", right, code=2)
    assert f"{right}: in order" in rules.output.out


def test_a_file_with_the_name_of_a_preset_is_the_one_that_is_checked(
    rules: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "research: there is no such file" in rules("check", "research", code=2)
    file_with(tmp_path, "laufende_min_wenz = 9\n", "research")
    assert "research:1: laufende_min_wenz = 9" in rules("check", "research", code=1)


@pytest.mark.parametrize("text", ["", 'preset = "research"\n'])
def test_a_rule_file_may_be_a_pipe_or_a_device(rules: Command, text: str) -> None:
    assert "/dev/null: in order, 0 of" in rules("check", "/dev/null")
    reader, writer = os.pipe()
    os.write(writer, text.encode())
    os.close(writer)
    assert f"/dev/fd/{reader}: in order" in rules("check", f"/dev/fd/{reader}")
    os.close(reader)


# ---- settle -------------------------------------------------------------------------------------


def test_steps_of_a_solo_tout(rules: Command) -> None:
    text = rules.settle("--contract SOLO_TOUT --declarer 0 --tricks 8 --laufende 4")
    assert "base 50\n" in text
    assert "4 Laufende +40\n" in text
    assert "factor x2\n" in text
    assert text.endswith("price 180 Pfennig per player\npayoffs 540 -180 -180 -180\n")


# 000 A2 1.1-1.3: from 31 points free, from 61 won, from 91 Schneider.
@pytest.mark.parametrize(
    ("points", "price"), [(30, -20), (31, -10), (60, -10), (61, 10), (90, 10), (91, 20)]
)
def test_rufspiel_changes_its_price_at_the_thresholds(
    rules: Command, points: int, price: int
) -> None:
    line = f"--contract RUF --declarer 1 --partner 2 --points {points}"
    assert rules.payoffs(line) == [-price, price, price, -price]


def test_schwarz_needs_all_tricks(rules: Command) -> None:
    line = "--contract RUF --declarer 0 --partner 1 --points 120"
    assert rules.payoffs(f"{line} --tricks 7")[0] == 20
    assert rules.payoffs(f"{line} --tricks 8")[0] == 30
    assert "--tricks" in rules.settle(line, code=2)


def test_numbers_that_do_not_matter_may_be_missing(rules: Command) -> None:
    assert rules.payoffs("--contract SIE --declarer 2") == [-520, -520, 1560, -520]
    bettel = "--rules official_1989_full --contract BETTEL --declarer 2"
    assert rules.payoffs(f"{bettel} --tricks 0") == [-30, -30, 90, -30]
    assert "--tricks is missing: the price depends on it" in rules.settle(bettel, code=2)


def test_laufende_below_the_minimum_and_above_the_cap_do_not_count(rules: Command) -> None:
    line = "--contract SOLO --declarer 0 --points 70"
    assert rules.payoffs(f"{line} --laufende 2") == rules.payoffs(line)
    assert rules.payoffs(f"{line} --laufende 3")[1] == -80
    assert "a run of 2: 0 Laufende count" in rules.settle(f"{line} --laufende 2")
    assert "8 Laufende +80" in rules.settle(f"{line} --laufende 11 --rules course_002")


def test_doublings_legen_and_bock_multiply(rules: Command) -> None:
    line = "--rules official_1989_full --contract WENZ --declarer 3 --points 61"
    assert rules.payoffs(f"{line} --level 1")[0] == -100
    assert rules.payoffs(f"{line} --level 2 --legen 1 --bock 1")[0] == -800
    text = rules.settle(f"{line} --level 2 --legen 1")
    assert "Stoß, Re x4\nlaid by 1 player x2\n" in text


def test_bid_raises_the_threshold(rules: Command, tmp_path: Path) -> None:
    file = file_with(tmp_path, f'preset = "{OFFICIAL}"\nsolo_contest = "steigern"\n')
    line = f"--rules {file} --contract SOLO --declarer 0 --bid 80"
    assert rules.payoffs(f"{line} --points 80")[0] == -150
    assert rules.payoffs(f"{line} --points 81")[0] == 150
    assert "won with 81 points (bid 80)" in rules.settle(f"{line} --points 81")


def test_three_players_pay_twice(rules: Command, tmp_path: Path) -> None:
    file = file_with(tmp_path, f'preset = "{OFFICIAL}"\nplayers = 3\ndeck = "short24"\n')
    line = f"--rules {file} --points 61"
    assert rules.payoffs(f"{line} --contract SOLO --declarer 0") == [100, -50, -50]
    assert "R-006" in rules.settle(f"{line} --contract RUF --declarer 0 --partner 1", code=2)
    assert "seat 0..2" in rules.settle(f"{line} --contract SOLO --declarer 3", code=2)


def test_claims_pay_back_double(rules: Command, tmp_path: Path) -> None:
    text = f'preset = "{OFFICIAL}"\nlaufende_by_claim = true\nschwarz_by_claim = true\n'
    line = f"--rules {file_with(tmp_path, text)} --contract RUF --declarer 0 --partner 1"
    three = f"{line} --points 70 --laufende 3"
    assert rules.payoffs(three)[0] == 40
    assert rules.payoffs(f"{three} --claimed-laufende 0")[0] == 10
    assert rules.payoffs(f"{three} --claimed-laufende 4")[0] == 30
    schwarz = f"{line} --points 120 --tricks 8"
    assert rules.payoffs(f"{schwarz} --claimed-schwarz yes")[0] == 30
    assert rules.payoffs(f"{schwarz} --claimed-schwarz no")[0] == 20


def test_stock_is_won_doubled_and_filled(rules: Command) -> None:
    line = "--rules course_002 --contract RUF --declarer 0 --partner 2 --stock 40"
    assert "Stock of 40 won: 20 0 20 0" in rules.settle(f"{line} --points 61")
    assert "Stock of 40 doubled: -20 0 -20 0" in rules.settle(f"{line} --points 60")
    assert rules.payoffs("--deposit --rules course_002") == [-10, -10, -10, -10]
    assert "nobody pays" in rules.settle("--thrown-in")


def test_infractions_are_settled_by_the_policy(rules: Command) -> None:
    late = "--rules tournament_2024 --infraction INF_REVOKE_LATE --offender 2"
    assert rules.payoffs(f"{late} --contract RUF --declarer 0 --partner 1") == [10, 10, -30, 10]
    assert rules.payoffs(f"{late} --contract RAMSCH") == [10, 10, -30, 10]
    lead = "--infraction INF_WRONG_LEAD --offender 0 --contract RUF --declarer 0 --partner 1"
    assert rules.payoffs(f"{lead} --points 61")[0] == 10
    assert "missing" in rules.settle(lead, code=2)


def test_announced_jungfrau_doubles(rules: Command, tmp_path: Path) -> None:
    file = file_with(tmp_path, f'preset = "{OFFICIAL}"\nramsch_virgin_announced = true\n')
    line = f"--rules {file} --contract RAMSCH --points 60 40 20 0 --tricks 3 3 2 0"
    assert rules.payoffs(f"{line} --announced 3") == [-160, 40, 40, 80]
    assert rules.payoffs(f"{line} --announced 2")[2] < 0


def test_ramsch_with_a_tie_asks_for_what_decides_it(rules: Command) -> None:
    line = "--contract RAMSCH --points 40 40 40 0 --tricks 3 3 1 1"
    assert "--trumps" in rules.settle(line, code=2)
    assert "--highest-trump" in rules.settle(f"{line} --trumps 4 4 4 2", code=2)
    assert rules.payoffs(f"{line} --trumps 4 5 4 1") == [20, -60, 20, 20]
    line += " --trumps 4 4 4 2 --highest-trump GU HU"
    plain = rules.settle(f"{line} EO S9", code=2)
    allowed = "EU EO GU GO H7 H8 H9 HU HO HK H10 HA SU SO"
    assert f"--highest-trump[3] = S9, allowed: a trump: {allowed}\n" in plain
    assert "--highest-trump[3] = HU comes twice" in rules.settle(f"{line} EO HU", code=2)
    assert '--highest-trump: "X1" is no card' in rules.settle(f"{line} EO X1", code=2)
    assert rules.payoffs(f"{line} EO H9") == rules.payoffs(f"{line} EO -") == [-60, 20, 20, 20]


def test_errors_name_the_option_that_was_given(rules: Command) -> None:
    deposit = rules.settle("--deposit --rules official_1989", code=2)
    assert "--deposit: these rules have no Stock" in deposit and "stock_deposit" not in deposit
    wrong = rules.settle("--deposit --rules course_002 --points 61", code=2)
    assert "--points does not belong to a deal that was thrown in" in wrong
    nearest = rules.settle("--contract SOLOO --declarer 0 --points 61", code=2)
    assert nearest.rstrip().endswith('; the nearest one is "SOLO"')
    assert "--declarer = 4, allowed: a seat 0..3" in rules.settle(
        "--contract SOLO --declarer 4", code=2
    )


def test_ramsch_jungfrau_and_durchmarsch(rules: Command) -> None:
    virgin = "--contract RAMSCH --points 60 40 20 0 --tricks 3 3 2 0"
    assert rules.payoffs(virgin) == [-80, 20, 20, 40]
    march = "--contract RAMSCH --points 0 120 0 0 --tricks 0 8 0 0"
    assert rules.payoffs(march) == [-70, 210, -70, -70]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--contract SOLOO --declarer 0 --points 61", "SOLOO, allowed: RUF"),
        ("--contract SOLOO --declarer 0 --points 61", "_TOUT behind its name"),
        ("--contract BETTEL_TOUT --declarer 0", "BETTEL"),
        ("--contract SOLO --points 61", "--declarer is missing"),
        ("--contract SOLO --declarer 4 --points 61", "declarer = 4"),
        ("--contract SOLO --declarer 0 --partner 1 --points 61", "--partner does not belong here"),
        ("--contract RUF --declarer 0 --points 61", "--partner is missing"),
        ("--contract RUF --declarer 0 --partner 0 --points 61", "the declarer's own seat"),
        ("--contract KREUZ --declarer 0 --partner 1 --points 61", "sits opposite, seat 2"),
        ("--contract RAMSCH --declarer 0", "has no declarer"),
        ("--contract SOLO --declarer 0 --points 121", "--points = 121, allowed: 0..120"),
        ("--contract SOLO --declarer 0 --points 61 --tricks 9", "--tricks = 9, allowed: 0..8"),
        ("--contract SOLO --declarer 0 --points 61 --tricks 0", "61 points in 0 of 8 tricks"),
        ("--contract SOLO --declarer 0 --points 61 --tricks 8", "61 points in 8 of 8 tricks"),
        ("--contract SOLO --declarer 0 --points 1 2", "allowed: one, of the declarer party"),
        ("--contract SOLO --declarer 0 --points 61 --trumps 1 1 1 1", "R-045"),
        ("--contract SOLO --declarer 0 --points 61 --bid 75", "bid = 75"),
        ("--contract SOLO --declarer 0 --points 61 --level 5", "max_doublings_solo = 4"),
        ("--contract SOLO --declarer 0 --points 61 --level 1 --rules research", "kontra_window"),
        ("--contract SOLO --declarer 0 --points 61 --legen 1", "--legen = 1, allowed: 0..0"),
        ("--contract SOLO --declarer 0 --points 61 --bid 80", "solo_contest"),
        ("--contract RUF --declarer 0 --partner 1 --points 61 --bid 80", "R-098"),
        ("--contract GEIER --declarer 0 --points 61", "GEIER is not played"),
        ("--contract SIE --declarer 0 --level 1", "cannot be doubled"),
        ("--contract RAMSCH --points 0 --tricks 0 --level 1", "ramsch_kontra = false"),
        ("--contract SOLO --declarer 0 --points 61 --bock 17", "--bock = 17, allowed: 0..16"),
        ("--contract SOLO --declarer 0 --points 61 --stock -1", "--stock = -1"),
        ("--contract SOLO --declarer 0 --points 61 --announced 1", "R-051"),
        ("--contract SOLO --declarer 0 --points 61 --claimed-laufende 1", "R-165"),
        ("--contract SOLO --declarer 0 --points 61 --claimed-schwarz yes", "R-167"),
        ("--contract SOLO --declarer 0 --points 61 --offender 1", "belong together"),
        (
            "--contract SOLO --declarer 0 --points 61 --offender 1 --infraction INF_NONE",
            "INF_REVOKE_LATE",
        ),
        ("--contract SOLO --declarer 0 --points 61 --infraction INF_REVOKE", "belong together"),
        ("--contract SOLO --declarer 0 --points 99999999999", "--points = 99999999999, allowed"),
        ("--contract SOLO --declarer 0 --points 61 --forehand 4", "--forehand = 4"),
        ("--contract RAMSCH --points 61 --tricks 8", "allowed: one per seat (4)"),
        ("--contract RAMSCH --points 60 30 30 1 --tricks 2 2 2 2", "add up to 121, allowed: 120"),
        ("--contract RAMSCH --points 60 30 30 0 --tricks 2 2 2 1", "add up to 7, allowed: 8"),
        ("--contract RAMSCH --points 60 30 20 10 --tricks 3 3 2 0", "seat 3: 10 points in 0"),
    ],
)
def test_wrong_results_are_refused_by_name(rules: Command, line: str, message: str) -> None:
    assert message in rules.settle(line, code=2)


def test_wrong_arguments_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["rules"], ["rules", "nothing"], ["rules", "settle"]):
        with pytest.raises(SystemExit) as leave:
            cli.main(arguments)
        assert leave.value.code == 2
    assert "--contract" in capsys.readouterr().err
