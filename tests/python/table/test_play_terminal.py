"""`schafkopf play` in windows of every width, keys typed ahead, beginnings of commands."""

import contextlib
import dataclasses
import io
import os
import re
import signal
import struct
import time

import pytest
from support.terminal import ENVIRONMENT, Person, PseudoTerminal, replayed, table_of

import schafkopf
from schafkopf import _core
from schafkopf.terminal import guide
from schafkopf.terminal.console import Leave
from schafkopf.terminal.deal_play import DealPlay
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.screen import NARROWEST, WIDTH, Screen, visible_width
from schafkopf.terminal.sitting import Sitting
from schafkopf.terminal.table import Deal

termios = pytest.importorskip("termios")
fcntl = pytest.importorskip("fcntl")

# ---- widths --------------------------------------------------------------------------------------


class Talker(Person):
    """Asks for everything before it answers."""

    def __init__(self, seed, out):
        super().__init__(seed, out)
        self.commands = []

    def choose(self, possible):
        if not self.commands:
            self.commands = [word for word in guide.COMMANDS if word != "quit"] + ["foo", ""]
            return super().choose(possible)
        return self.commands.pop()


def sit(path, rules, columns, seed):
    out = io.StringIO()
    table = table_of(rules, seed, me=seed % int(rules.players), agent="rules")
    screen = Screen(out, colours=seed % 2 == 0, columns=lambda: columns)
    with contextlib.suppress(Leave):
        Sitting(table, screen, Talker(seed, out), ReplayFile(path), 1).play()
    return out.getvalue()


TABLES = (
    {"preset": "official_1989_full"},
    {"preset": "wikipedia_extended"},
    {"preset": "official_1989", "players": 3, "deck": "short24"},
    {"preset": "official_1989_full", "players": 5},
)


def test_a_special_round_is_said_in_words(tmp_path):
    rules = _core.RuleSet("course_002", special_round="schieber")
    text = sit(tmp_path / "a.jsonl", rules, 120, seed=1)
    assert "Schieberrunde, 4 games left: whoever takes the packet" in re.sub(r"\s+", " ", text)


def words_of(text):
    return set(re.findall(r"\w+", re.sub(r"\033\[\d*m", "", text)))


@pytest.mark.parametrize("columns", [40, 45, 52, 60, 67, 74, 80, 120])
def test_no_line_is_wider_than_the_window_and_no_word_is_torn(columns, tmp_path):
    switches = dict(TABLES[columns // 7 % len(TABLES)])
    rules = _core.RuleSet(switches.pop("preset"), **switches)
    text = sit(tmp_path / "a.jsonl", rules, columns, seed=columns)
    lines = [line for line in text.splitlines() if not line.startswith(">")]
    assert max(map(visible_width, lines)) <= min(columns - 1, WIDTH)
    assert all(line == line.rstrip() for line in lines)
    wide = sit(tmp_path / "b.jsonl", rules, 200, seed=columns)
    assert "The end" in text and "The end" in wide
    assert words_of(text) - words_of(wide) <= {"Dealt"}, "the title of the cards below the table"


@pytest.mark.parametrize("columns", [45, 52, 80, 120])
def test_amounts_of_any_tariff_stand_apart(columns, tmp_path):
    tariff = {"base": "10/20", "name": "large", "ruf": 999999.5, "laufende": 999999.5}
    rules = _core.RuleSet("research", tariff=tariff, laufende_min_ober=1, legen="free")
    text = "".join(
        sit(tmp_path / f"{seed}.jsonl", rules, columns, seed) for seed in range(1, 12, 2)
    )
    assert re.search(r"[+-]\d{7,}(\.5)?\b", text)
    assert not re.search(r"[^\s(]([+-]\d{7,})", text)


def shown(columns, write):
    out = io.StringIO()
    write(Screen(out, columns=lambda: columns))
    return out.getvalue().splitlines()


def test_long_lines_go_on_below_between_words():
    text = "  You hold the called card: you are the partner. The others do not know yet."
    for columns in range(40, 79):
        lines = shown(columns, lambda screen: screen.line(text))
        assert " ".join(line.strip() for line in lines) == text.strip()
        assert all(line.startswith("  ") and len(line) < columns for line in lines)
    assert shown(90, lambda screen: screen.line(text)) == [text]


def test_parts_are_torn_only_where_they_are_longer_than_a_line():
    parts = ["Habe ich selber (keep the game at this price)", "Weiter (pass)"]
    assert shown(60, lambda screen: screen.wrapped("", parts, ", ")) == [f"{parts[0]},", parts[1]]
    lines = shown(40, lambda screen: screen.wrapped("  ", parts, ", "))
    assert lines == ["  Habe ich selber (keep the game at", "  this price), Weiter (pass)"]


def test_a_command_that_is_too_long_for_the_line_stays_in_one_piece():
    command = "schafkopf play --resume 'a folder/of mine/table-1a2b3c4d.jsonl.table'"
    for columns in range(40, 120):
        lines = shown(columns, lambda screen: screen.command("The same table again:", command))
        assert lines == ["The same table again:", command], columns
    assert shown(60, lambda screen: screen.command("Again:", "play")) == ["Again: play"]


def test_the_command_that_shows_every_switch_can_be_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "house rules.toml").write_text('preset = "research"\n')
    table = table_of(_core.RuleSet("research"))

    def last(name):
        named = dataclasses.replace(table, rules_name=name)
        return shown(60, lambda screen: guide.rules_page(screen, named))[-1]

    assert last("research") == "Every switch: schafkopf rules show research"
    assert last("house rules.toml") == "Every switch: schafkopf rules show 'house rules.toml'"
    for name in ("research, changed", "gone.toml"):  # there are no such rules
        assert "rules show" not in last(name)


def test_the_width_follows_the_window():
    columns = [100]
    screen = Screen(io.StringIO(), columns=lambda: columns[0])
    assert screen.width == WIDTH
    for columns[0], width in ((60, 59), (40, 39), (10, NARROWEST)):
        assert screen.width == width
    assert Screen(io.StringIO()).width == WIDTH


def test_a_window_that_is_resized_in_the_middle_of_a_deal(tmp_path):
    arguments = ("--seed", 1, "--fast", "--out", tmp_path / "a.jsonl")
    terminal = PseudoTerminal(*arguments, NO_COLOR="1", COLUMNS="")
    terminal.question()
    terminal.send("pass\n")
    terminal.question()
    found = {}
    for columns in (60, 100, 48):
        size = struct.pack("HHHH", 30, columns, 0, 0)
        fcntl.ioctl(terminal.leader, termios.TIOCSWINSZ, size)
        terminal.send("rules\n")
        lines = terminal.question().replace("\x1b[?2004h", "").replace("\x1b[?2004l", "")
        found[columns] = max(map(len, lines.splitlines()))
    assert found[48] <= 47 and 48 < found[60] <= 59 < found[100] <= WIDTH, found
    terminal.send("quit\n")
    assert terminal.finish() == 0
    assert len(replayed(tmp_path / "a.jsonl")) == 1


# ---- beginnings ----------------------------------------------------------------------------------

HANDS = (
    "HA H10 EA E10 EK GA S9 S8",
    "EO GO HO SO EU GU HU SU",
    "HK H9 H8 H7 E9 E8 E7 GK",
    "G10 G9 G8 G7 SA S10 SK S7",
)


class Said:
    """Answers that were prepared, then none."""

    is_terminal = False

    def __init__(self, *answers):
        self.answers = list(answers)

    def ask(self, completions=()):
        if not self.answers:
            raise Leave("no answer left")
        return self.answers.pop(0)


def answered(game, *answers, me=0):
    """(actions that were taken, text) after answers in a game."""
    out, said = io.StringIO(), Said(*answers)
    rules = _core.RuleSet("research")
    deal = Deal(table_of(rules, me=me), game, 1, [0, 1, 2, 3])
    general = []
    play = DealPlay(deal, Screen(out), said, lambda word: general.append(word) or word == "help")
    before = len(game.events), len(game.plays)
    with contextlib.suppress(Leave):
        play.play()
    changed = (len(game.events), len(game.plays)) != before
    return changed, general, out.getvalue()


def auction():
    return _core.Game("research", deal=HANDS, dealer=3)


def test_an_ambiguous_beginning_names_what_it_could_be():
    changed, general, text = answered(auction(), "h")
    assert not changed and general == []
    assert "More than one fits: help, hand, hint" in text
    assert "More than one fits: Ich spiele (play), score" in answered(auction(), "s")[2]


@pytest.mark.parametrize(
    ("answer", "shows"), [("he", ["help"]), ("hel", ["help"]), ("?", ["help"])]
)
def test_a_clear_beginning_is_a_command(answer, shows):
    changed, general, _ = answered(auction(), answer)
    assert not changed and general == shows


def test_hand_and_hint_have_clear_beginnings():
    assert answered(auction(), "ha")[2].count("Your cards") == 2
    assert "Rule agent: " in answered(auction(), "hi")[2]


def test_where_cards_are_asked_a_beginning_may_mean_both():
    game = schafkopf.Game.with_contract({"class": "WENZ", "declarer": 1}, "research", HANDS, 3)
    changed, _, text = answered(game.copy(), "h")
    assert not changed
    assert "More than one fits: Herz-Zehn, Herz-Sau, help, hand, hint" in text.replace("\n", " ")
    changed, general, text = answered(game.copy(), "he")
    assert not changed and "help" in text and general == []
    assert answered(game.copy(), "ha")[0], "HA is a card in the hand"
    other = schafkopf.Game.with_contract(
        {"class": "WENZ", "declarer": 1}, "research", (*HANDS[1:], HANDS[0]), 3
    )
    changed, _, text = answered(other, "ha")
    assert not changed and text.count("Your cards") == 2


def test_a_held_card_that_may_not_be_played_is_explained():
    game = schafkopf.Game.with_contract(
        {"class": "WENZ", "declarer": 1}, "research", (*HANDS[3:], *HANDS[:3]), 3
    )
    game.apply("SA")
    changed, _, text = answered(game, "ha", me=1)
    assert not changed and "Herz-Sau: the led suit must be followed" in text


# E.5: what ends a deal is asked about twice, as on the page.
@pytest.mark.parametrize(("word", "ends"), [("concede", "CONCEDE_REST"), ("claim", "CLAIM_REST")])
def test_what_ends_a_deal_is_asked_about_twice(word, ends):
    game = schafkopf.Game.with_contract({"class": "WENZ", "declarer": 0}, "research", HANDS, 3)
    assert ends in game.legal_names()

    def said(*answers):
        one = game.copy()
        _, general, text = answered(one, *answers)
        return ends in [event["action"] for event in one.events], general, text

    assert not said(word)[0]
    for no in ("no", "", "1", "n", "xyz", "nein"):
        ended, _, text = said(word, no)
        assert not ended and f"Really {word}?" in text
    for yes in ("yes", "2", word, "ja"):
        assert said(word, yes)[0]
    assert said(word, "help")[1] == ["help"]


@pytest.mark.parametrize("word", ["concede", "claim"])
def test_a_hint_before_the_second_answer_is_about_the_cards(word):
    game = schafkopf.Game.with_contract({"class": "WENZ", "declarer": 0}, "research", HANDS, 3)
    _, _, plain = answered(game.copy(), "hint")
    ended, _, text = answered(game, word, "hint", "no")
    assert not ended and "Rule agent: " in text and f"Really {word}?" in text
    told = text.partition("would do")[2].partition("Really")[0]
    assert told.strip() and told in plain


def test_the_help_says_that_a_letter_may_play_a_card():
    out = io.StringIO()
    guide.help_page(Screen(out))
    text = out.getvalue()
    assert "Even one letter plays a card" in text
    assert " ".join(text.split()).count("asked twice") == 2


# ---- keys typed ahead ----------------------------------------------------------------------------


def echoes(terminal):
    return bool(termios.tcgetattr(terminal.leader)[3] & termios.ECHO)


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


# Pauses last until the keys are typed, however long the test stands still before.
HELD_PAUSES = """
import os, time
sleep = time.sleep
def held(seconds):
    while not os.path.exists(os.environ["TYPED"]): sleep(0.01)
    sleep(seconds)
time.sleep = held
"""


def test_keys_typed_ahead_show_at_the_next_question_and_answer_it(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(HELD_PAUSES)
    path, typed = tmp_path / "a.jsonl", tmp_path / "typed"
    held = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ENVIRONMENT['PYTHONPATH']}", "TYPED": str(typed)}
    terminal = PseudoTerminal(
        "--seed", 1, "--seat", 1, "--out", path, NO_COLOR="1", TERM="dumb", **held
    )
    early = terminal.read(r"speaks first")  # the three others speak, with pauses
    wait_until(lambda: not echoes(terminal))
    terminal.send("score\nsco")
    typed.touch()
    text = terminal.read(r"total(.|\n)*> sco$")
    assert not re.search(r"^> ", early, re.MULTILINE), "the person is asked last"
    spoken, _, answer = text.partition("\r\n> score\r\n")
    assert "What do you say?" in spoken and "Weiter" in spoken and "sco" not in early + spoken
    assert answer.count("sco") == 1, "what was begun is gone on with"
    terminal.send("\x15quit\n")  # Ctrl-U clears the line
    assert terminal.finish() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_terminal_is_as_before_after_a_signal(number, tmp_path):
    path = tmp_path / "a.jsonl"
    terminal = PseudoTerminal("--seed", 1, "--seat", 1, "--out", path, NO_COLOR="1")
    modes = termios.tcgetattr(terminal.leader)
    terminal.read(r"speaks first")
    wait_until(lambda: not echoes(terminal))
    terminal.process.send_signal(number)
    terminal.read("no such text")
    assert terminal.process.wait(timeout=60) == (130 if number == signal.SIGINT else 128 + number)
    assert termios.tcgetattr(terminal.leader)[:4] == modes[:4]
    assert len(replayed(path)) == 1
    terminal.finish()


def test_the_terminal_is_as_before_after_quit(tmp_path):
    terminal = PseudoTerminal("--seed", 1, "--fast", "--out", tmp_path / "a.jsonl", NO_COLOR="1")
    modes = termios.tcgetattr(terminal.leader)
    terminal.question()
    terminal.send("quit\n")
    terminal.read("no such text")
    assert terminal.process.wait(timeout=60) == 0
    assert termios.tcgetattr(terminal.leader)[:4] == modes[:4]
    terminal.finish()
