"""`schafkopf play`: whole deals through pipes and a pseudo-terminal, answers, leaving, the file."""

import contextlib
import io
import json
import os
import random
import re
import signal
import subprocess
from pathlib import Path

import pytest
from support.terminal import (
    DECK,
    ENVIRONMENT,
    RULES,
    Person,
    PseudoTerminal,
    Script,
    command,
    play,
    replayed,
    rules_of,
    table_of,
    wait_for,
)

import schafkopf
from schafkopf import _core, cli
from schafkopf.terminal import words
from schafkopf.terminal.console import Leave
from schafkopf.terminal.deal_play import DealPlay
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.screen import WIDTH, Screen
from schafkopf.terminal.sitting import Sitting
from schafkopf.terminal.table import Deal, Table

ROOT = Path(__file__).resolve().parents[3]


# ---- a table in this process ---------------------------------------------------------------------


def sit(path, rules, *, seed=1, me=0, agent="random", deals=3, answers=None):
    """Play in this process; returns (screen text, records)."""
    out = io.StringIO()
    person = Person(seed, out, answers)
    table = table_of(rules, seed, me, agent)
    sitting = Sitting(table, Screen(out), person, ReplayFile(path), deals)
    with contextlib.suppress(Leave):
        sitting.play()
    sitting.save()
    return out.getvalue(), list(schafkopf.read_records(path))


@pytest.mark.parametrize("name", RULES)
def test_whole_deals_and_broken_ones_under_every_rule_set(name, tmp_path):
    rules = rules_of(name)
    players = int(rules.players)
    for seed in range(4):
        agent = ("random", "rules")[seed % 2]
        answers = None if seed < 2 else 6 * seed
        text, lines = sit(
            tmp_path / f"{seed}.jsonl",
            rules,
            seed=seed,
            me=seed % players,
            agent=agent,
            answers=answers,
        )
        for line in text.splitlines():
            assert line.startswith(">") or len(line) <= WIDTH, line
        assert lines
        for record in lines:
            if "expect" in record:
                assert not _core.check_json(json.dumps(record), 1)[1]
            else:
                schafkopf.replay(record)
        if answers is None:
            assert len(lines) == 3 and all("expect" in record for record in lines)


def test_leaving_at_any_answer_keeps_the_cards_played_so_far(tmp_path):
    rules = _core.RuleSet("official_1989_full")
    for answers in range(0, 25):
        text, lines = sit(
            tmp_path / f"{answers}.jsonl", rules, seed=5, me=2, agent="rules", answers=answers
        )
        last = lines[-1]
        assert last["meta"]["unfinished"] and "expect" not in last
        shown = text.rsplit("-- Deal", 1)[1].count("\n  ") and re.findall(
            r"^  (?:You|Left|Across|Right) +([A-Z][a-zö]+-[A-Z][a-zö]+)$",
            text.rsplit("-- Deal", 1)[1],
            re.MULTILINE,
        )
        played = [words.card_title(card) for card in last.get("plays", [])]
        if "last" not in text.rsplit("-- Deal", 1)[1]:
            assert list(shown or []) == played


def test_the_screen_shows_no_hidden_card_before_the_end(tmp_path):
    """Two deals that differ in the hidden cards alone look the same until one of them falls."""
    rules = _core.RuleSet("research")
    mine = ["EO", "GO", "EU", "HA", "H10", "E7", "G9", "S8"]
    rest = [card for card in DECK if card not in mine]
    screens = []
    for seed in (1, 2):
        random.Random(seed).shuffle(rest)
        hands = [mine, rest[:8], rest[8:16], rest[16:]]
        out = io.StringIO()
        table = table_of(rules)
        game = _core.Game(rules, deal=hands, dealer=3)
        deal = Deal(table, game, 1, [0, 1, 2, 3])
        play = DealPlay(
            deal, Screen(out), Script(["hint", "hand", "table", "last"]), lambda _: False
        )
        with pytest.raises(Leave):
            play.play()
        screens.append(out.getvalue())
    assert screens[0] == screens[1] and "Eichel-Ober" in screens[0]


@pytest.mark.parametrize(
    ("me", "strong", "told"),
    [
        (1, True, "Ramsch: Durchmarsch of you"),
        (0, True, "Ramsch: Durchmarsch of Left"),
        (1, False, "Ramsch: You lose"),
        (0, False, "Ramsch: Left loses"),
    ],
)
def test_the_price_is_told_with_names(me, strong, told):
    """Seat 1 holds the highest trumps, and takes too many tricks or all of them."""
    rules = _core.RuleSet("tournament_2024")
    rest = ["EU", "GU", "H9", "H10"], ["G8", "G7", "S8", "S7"]
    mine, other = rest if strong else (rest[1], rest[0])
    hands = [
        ["EA", "E10", "EK", "E9", "E8", "E7", "HU", "SU"],
        ["EO", "GO", "HO", "SO", *mine],
        ["GA", "G10", "GK", "G9", "HK", "HA", *other[:2]],
        ["SA", "S10", "SK", "S9", "H8", "H7", *other[2:]],
    ]
    game = _core.Game.with_contract("RAMSCH", rules, deal=hands, dealer=0)
    while not game.is_terminal:
        game.apply(game.legal_actions()[-1])
    deal = Deal(table_of(rules, me=me), game, 1, [0, 1, 2, 3])
    steps = deal.settlement()
    assert steps[0] == told and all("seat" not in step for step in steps), steps
    assert steps[-1].startswith("Price") and steps[-1].endswith("points per player")


def test_agents_that_see_hidden_hands_play_but_give_no_hints(tmp_path):
    table = table_of(_core.RuleSet("research"), agent="oracle")
    assert table.agents["oracle"].sees_hidden_hands and not table.honest_agents()
    assert "would give them away" in hint_of(table)
    _, lines = sit(tmp_path / "a.jsonl", table.rules, agent="oracle", deals=2)
    assert len(lines) == 2


def hint_of(table):
    out = io.StringIO()
    deal = Deal(table, _core.Game(table.rules, seed=1), 1, [0, 1, 2, 3])
    with pytest.raises(Leave):
        DealPlay(deal, Screen(out), Script(["hint"]), lambda _: False).play()
    return out.getvalue()


# ---- the file ------------------------------------------------------------------------------------


class Broken:
    """A player whose program is told which cards it may play."""

    sees_hidden_hands = False

    def act(self, *_, **__):
        raise RuntimeError("answered PASS, which is not legal; legal: PLANTED-EK, G7")

    policy = act


@pytest.mark.parametrize("answers", [[], ["hint"]])
def test_a_player_that_fails_is_named_and_its_cards_are_not(answers, tmp_path):
    rules = _core.RuleSet("research")
    firsts = (_core.Session(rules, seed=seed).next_game().current_player for seed in range(20))
    out, table = io.StringIO(), table_of(rules, seed=list(firsts).index(0))  # the person begins
    table.agents["random"] = Broken()
    person = Person(1, out)
    person.choose = lambda possible: answers.pop() if answers else possible[0]
    sitting = Sitting(table, Screen(out), person, ReplayFile(tmp_path / "deals.jsonl"), 1)
    asks_for_hint = bool(answers)
    with pytest.raises(RuntimeError) as failed:
        sitting.play()
    told = f"{failed.value}\n{out.getvalue()}"
    assert re.match(r"(Left|Across|Right), random, failed; --resume asks again", told)
    assert "PLANTED" not in told and "legal:" not in told
    assert ("random gives no hint" in told) == asks_for_hint


def test_a_file_that_exists_is_never_overwritten(tmp_path):
    path = tmp_path / "games.jsonl"
    file = ReplayFile(path)
    path.write_text("precious")
    assert file.write([{"a": 1}]) == tmp_path / "games-2.jsonl"
    assert path.read_text() == "precious"
    assert file.write([{"a": 1}, {"b": 2}]).read_text() == '{"a": 1}\n{"b": 2}\n'
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["games-2.jsonl", "games.jsonl"]
    with pytest.raises(ValueError, match="never overwritten"):
        ReplayFile(path)


def test_a_failed_write_leaves_the_last_state(tmp_path, monkeypatch):
    file = ReplayFile(tmp_path / "games.jsonl")
    file.write([{"a": 1}])

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        file.write([{"a": 1}, {"b": 2}])
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ['{"a": 1}\n']


def test_a_full_disk_between_two_deals_does_not_end_the_game(tmp_path, monkeypatch):
    write, times = ReplayFile.write, []

    def full_at_first(self, records):
        times.append(len(records))
        if len(times) == 1:
            raise OSError(28, "No space left on device")
        return write(self, records)

    monkeypatch.setattr(ReplayFile, "write", full_at_first)
    text, lines = sit(tmp_path / "a.jsonl", _core.RuleSet("research"), deals=2)
    assert "could not be written now" in text and len(lines) == 2 and times == [1, 2, 2]


def test_without_links_the_name_is_taken_first(tmp_path, monkeypatch):
    def unsupported(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", unsupported)
    path = tmp_path / "games.jsonl"
    file = ReplayFile(path)
    path.write_text("precious")
    assert file.write([{}]) == tmp_path / "games-2.jsonl" and path.read_text() == "precious"


# ---- the command ---------------------------------------------------------------------------------


def test_help_explains_itself():
    text = play("", "--help").stdout
    for part in (
        "--rules",
        "--agents",
        "--seat",
        "--seed",
        "--deals",
        "--out",
        "Ctrl-D",
        "Example",
    ):
        assert part in text


def test_quit_in_mid_deal_and_replay(tmp_path):
    path = tmp_path / "evening.jsonl"
    answers = "?\nrules\nscore\nfoo\npass\n" + "Eichel\nGras\nHerz\nSchellen\nlast\n" * 3 + "quit\n"
    result = play(
        answers, "--seed", 1, "--seat", 2, "--out", path, "--agents", "rules", "random", "rules"
    )
    assert result.returncode == 0, result.stderr
    assert "Not understood" in result.stdout and str(path) in result.stdout
    assert "Left = rules, Across = random" in result.stdout and "\033" not in result.stdout
    last = list(schafkopf.read_records(path))[-1]
    assert last["meta"]["unfinished"] and last["meta"]["players"] == [
        "random",
        "rules",
        "person",
        "rules",
    ]
    assert "legal" in replayed(path)[-1] or not last.get("plays")


# Answers of somebody who tries everything: sooner or later one fits every question.
TRY_EVERYTHING = ["1", *DECK]
TABLES = {
    "research": 'preset = "research"',
    "legen-and-kontra": 'preset = "official_1989_full"',
    "hochzeit-and-direct-auction": 'preset = "wikipedia_extended"',
    "schieber": 'preset = "wikipedia_extended"\nspecial_round = "schieber"',
    "three-players": 'preset = "official_1989"\nplayers = 3\ndeck = "short24"',
    "tournament": 'preset = "tournament_2024"',
}


@pytest.mark.parametrize("table", TABLES)
def test_whole_deals_through_a_pipe(table, tmp_path):
    rules, path = tmp_path / "rules.toml", tmp_path / "a.jsonl"
    rules.write_text(TABLES[table] + "\n")
    answers = "\n".join(TRY_EVERYTHING * 40)
    result = play(answers, "--rules", rules, "--seed", 6, "--seat", 1, "--deals", 2, "--out", path)
    assert result.returncode == 0, result.stderr
    assert "The end" in result.stdout and f"2 deals in {path}" in result.stdout
    lines = list(schafkopf.read_records(path))
    for record, outcome in zip(lines, replayed(path), strict=True):
        assert record["expect"]["payoffs"] == outcome["payoffs"]


def test_why_a_card_is_not_allowed(tmp_path):
    """Seed 3, research: Gras is led, and a Gras must follow."""
    rules = _core.RuleSet("research")
    hands = ["EO GO EU HA H10 E7 G9 S8", "EA E10 EK E9 E8 HO SO GU", "GA G10 GK G8 G7 HU SU HK"]
    mine = "H9 H8 H7 SA S10 SK S9 S7"
    deal = Deal(
        table_of(rules, me=1),
        _core.Game.with_contract(
            {"class": "SOLO", "suit": "H", "declarer": 0},
            rules,
            deal=[hand.split() for hand in (hands[0], hands[1], hands[2], mine)],
            dealer=3,
        ),
        1,
        [0, 1, 2, 3],
    )
    deal.game.apply("E7")
    out = io.StringIO()
    script = Script(["HO", "GA", "herz", "e", "ea"])
    with pytest.raises(Leave):
        DealPlay(deal, Screen(out), script, lambda _: False).play()
    text = " ".join(out.getvalue().split())
    assert "Herz-Ober: the led suit must be followed (rule R-112)." in text
    assert "Gras-Sau is not in your hand." in text
    assert "More than one fits: Eichel-Acht, Eichel-Neun" in text
    assert "(Herz-Ober)" in text and "You Eichel-Sau" in text


def test_hints_show_the_agents_probabilities_and_the_rule_agents_reason(tmp_path):
    seats = ("rules", "random", "rules")
    result = play("hint\n", "--seed", 1, "--agents", *seats, "--out", tmp_path / "a")
    assert re.search(r"would do +rules +random\n(.*\n)?.*50 %", result.stdout)
    told = " ".join(result.stdout.split())
    reasons = [f"{m['sentence']} [{m['maxim']}: {m['source']}]" for m in _core.maxims()]
    assert any(reason in told for reason in reasons)


def test_end_of_input_at_once_writes_the_deal(tmp_path):
    path = tmp_path / "a.jsonl"
    result = play("", "--seed", 1, "--out", path)
    assert result.returncode == 0 and len(replayed(path)) == 1
    assert f"The unfinished deal in {path}" in result.stdout


def test_the_default_file_is_a_new_one_in_runs(tmp_path):
    for _ in range(2):
        assert play("", "--seed", 1, cwd=tmp_path).returncode == 0
    assert len(list((tmp_path / "runs").glob("play-*.jsonl"))) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agents", "nobody"], 'unknown agent "nobody"'),
        (["--agents", "rules", "rules"], "3, clockwise from your left"),
        (["--seat", "4"], "--seat = 4, allowed: integer 0..3 under these rules"),
        (["--seat", "9"], "--seat = 9, allowed: integer 0..3 under these rules"),
        (["--seat", "-1"], "--seat = -1, allowed: integer 0..3 under these rules"),
        (["--seat", "left"], '--seat = "left", allowed: integer 0..3 under these rules'),
        (["--rules", "no_such"], "no_such"),
        (["--seed", str(2**70)], f"{2**70}, allowed: integer 0..{2**64 - 1}"),
        (["--deals", "0"], "allowed: integer 1.."),
        (["--out", "nowhere/a.jsonl"], "nowhere/a.jsonl: the folder nowhere does not exist"),
    ],
)
def test_wrong_arguments(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)  # in this process, which has loaded everything
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    try:
        code = cli.main(["play", *arguments])
    except SystemExit as ended:  # of argparse
        code = ended.code
    errors = capsys.readouterr().err
    (line,) = [line for line in errors.splitlines() if line.startswith("schafkopf")]
    assert code == 2 and message in line and "Traceback" not in errors
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "schafkopf: runs: it is a file, allowed: a folder"),
        (["--out", "folder"], "schafkopf: folder: it is a folder, allowed: a new file"),
    ],
)
def test_what_stands_where_records_go_is_named(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").write_text("precious")
    (tmp_path / "folder").mkdir()
    assert cli.main(["play", *arguments]) == 2 and said in capsys.readouterr().err


def test_an_existing_file_is_refused_before_the_first_card(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("precious")
    result = play("", "--out", path)
    assert result.returncode == 2 and "never overwritten" in result.stderr
    assert path.read_text() == "precious"


def test_a_rule_file_is_a_table_too(tmp_path):
    rules = tmp_path / "three.toml"
    rules.write_text('preset = "official_1989"\nplayers = 3\ndeck = "short24"\n')
    path = tmp_path / "a.jsonl"
    result = play("", "--rules", rules, "--seat", 2, "--out", path)
    assert result.returncode == 0, result.stderr
    assert len(next(schafkopf.read_records(path))["hands"]) == 3


def test_bytes_that_are_no_text_are_not_understood(tmp_path):
    result = subprocess.run(
        command("--seed", 1, "--out", tmp_path / "a.jsonl"),
        input=b"\xff\xfe\x00\nquit\n",
        capture_output=True,
        check=False,
        env=ENVIRONMENT,
        timeout=60,
    )
    assert result.returncode == 0 and b"Not understood" in result.stdout


def test_a_line_without_an_end_is_one_message_and_the_deal_is_written(tmp_path):
    path = tmp_path / "a.jsonl"
    with Path("/dev/zero").open("rb") as zeros:
        result = subprocess.run(
            command("--seed", 1, "--out", path),
            stdin=zeros,
            capture_output=True,
            check=False,
            env=ENVIRONMENT,
            timeout=60,
        )
    (line,) = result.stderr.decode().splitlines()
    assert line.startswith("schafkopf: standard input: more than 1048576 characters")
    assert result.returncode == 2 and len(result.stdout) < 10_000
    assert len(replayed(path)) == 1


def test_a_long_line_is_not_understood_and_the_next_is(tmp_path):
    result = play("p" * 100_000 + "\nquit\n", "--seed", 1, "--out", tmp_path / "a.jsonl")
    assert result.returncode == 0 and not result.stderr
    assert result.stdout.count("Not understood") == 1 and len(result.stdout) < 10_000


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_signals_write_the_deal(number, code, tmp_path):
    path = tmp_path / "a.jsonl"
    process = subprocess.Popen(
        command("--seed", 1, "--out", path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    assert process.stdout is not None
    wait_for(process.stdout, "Ich spiele (play)")
    process.send_signal(number)
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == code and str(path) in rest
    assert len(replayed(path)) == 1


def test_a_closed_output_writes_the_deal(tmp_path):
    path = tmp_path / "a.jsonl"
    process = subprocess.Popen(
        command("--seed", 1, "--out", path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    assert process.stdout is not None and process.stdin is not None
    wait_for(process.stdout, "Ich spiele (play)")
    process.stdout.close()
    process.stdin.write("hand\nhand\n" * 20)
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr is not None and "Traceback" not in process.stderr.read()
    process.stderr.close()
    assert len(replayed(path)) == 1


# ---- a pseudo-terminal ---------------------------------------------------------------------------


def test_a_terminal_has_colours_and_completes_words(tmp_path):
    path = tmp_path / "a.jsonl"
    terminal = PseudoTerminal("--seed", 1, "--fast", "--out", path, NO_COLOR="")
    assert "\033[32mGras-Ober\033[0m" in terminal.question()
    terminal.send("sco\t\n")
    assert "total" in terminal.question()
    terminal.send("\x04")  # Ctrl-D
    assert terminal.finish() == 0
    assert len(replayed(path)) == 1


def test_a_whole_deal_in_a_terminal(tmp_path):
    path = tmp_path / "a.jsonl"
    terminal = PseudoTerminal(
        "--seed", 2, "--deals", 1, "--fast", "--rules", "tournament_2024", "--out", path
    )
    for answer in TRY_EVERYTHING * 10:
        if "deal in" in terminal.question():
            break
        terminal.send(answer + "\n")
    assert terminal.finish() == 0
    assert "The end" in terminal.text and "expect" in next(schafkopf.read_records(path))


def test_ctrl_c_in_a_terminal_writes_the_deal(tmp_path):
    path = tmp_path / "a.jsonl"
    terminal = PseudoTerminal("--seed", 1, "--out", path, NO_COLOR="1")
    assert "\033[32m" not in terminal.question()
    terminal.interrupt()
    assert terminal.finish() == 130
    assert "Traceback" not in terminal.text
    assert len(replayed(path)) == 1


# with several people a seed has 64 bits, and each of them counts
def test_players_draw_otherwise_where_any_bit_of_the_seed_is_another():
    rules = schafkopf.RuleSet("research")
    seeds = [0, *(1 << bit for bit in range(64))]
    deals = [
        Deal(Table(rules, "research", seed, 0, [], [], {}), None, number, [])
        for seed in seeds
        for number in (1, 2)
    ]
    drawn = {deal.seed for deal in deals}
    assert len(drawn) == len(deals) and all(0 <= seed < 1 << 64 for seed in drawn)
