"""`schafkopf play`: cards and answers in every spelling, what a screen shows of them."""

import io
import re

import pytest
from support.terminal import DECK, NAMES, Script, table_of

from schafkopf import _core
from schafkopf.terminal import guide, words
from schafkopf.terminal.console import MAX_LINE, TOO_LONG, Console, Leave
from schafkopf.terminal.deal_play import DealPlay
from schafkopf.terminal.questions import answers_meant, is_exact, question_of
from schafkopf.terminal.scene import scene_of_view
from schafkopf.terminal.screen import WIDTH, Screen, visible_width, wants_colours
from schafkopf.terminal.story import Narrator
from schafkopf.terminal.table import Deal

# ---- cards and answers ---------------------------------------------------------------------------


@pytest.mark.parametrize("card", DECK)
def test_every_card_is_understood_in_every_spelling(card):
    title = words.card_title(card)
    for text in (card, card.lower(), title, title.upper(), title.replace("-", " "), title.lower()):
        assert words.cards_meant(text, DECK) == [card]
        assert words.exact_card(text) == card
    assert words.cards_meant(title[:-1], DECK) == [card]


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("gras sau", "GA"),
        ("Grün-As", "GA"),
        ("gruen ass", "GA"),
        ("laub daus", "GA"),
        ("schelln koenig", "SK"),
        ("Schell-König", "SK"),
        ("ei o", "EO"),
        ("eio", "EO"),
        ("hz", "H10"),
        ("HX", "H10"),
        ("h t", "H10"),
        ("herz zehner", "H10"),
        ("Herz 10er", "H10"),
        ("Schellen 7er", "S7"),
        ("schell8er", "S8"),
        ("g 9er", "G9"),
        ("Karo Sau", "SA"),
        ("der Alte", "EO"),
        ("die Grüne", "GA"),
        ("die Runde", "SA"),
        ("die Kugel", "SA"),
        ("die Geldsau", "SA"),
        ("hearts ace", "HA"),
        ("sch u", "SU"),
    ],
)
def test_spellings(text, card):
    assert words.cards_meant(text, DECK) == [card]


def test_a_beginning_means_every_card_that_begins_so():
    assert words.cards_meant("es", DECK) == ["EA", "E7"]
    assert words.cards_meant("herz", ["HA", "H7", "EO"]) == ["HA", "H7"]
    assert words.cards_meant("sau", ["HA", "EA", "EO"]) == ["HA", "EA"]
    assert words.cards_meant("7er", ["H7", "EA", "E7"]) == ["H7", "E7"]
    assert words.cards_meant("", DECK) == words.cards_meant("foo", DECK) == []


# Questions are answered by numbers: a "1" at the cards is no Zehn that falls for good.
@pytest.mark.parametrize("text", ["1", "e1", "10", "7", "g 1"])
def test_a_number_alone_is_no_card_and_no_beginning_of_one(text):
    assert words.cards_meant(text, DECK) == []
    assert words.cards_meant("e10", DECK) == ["E10"] and words.cards_meant("e7", DECK) == ["E7"]


def test_names_of_games():
    assert words.game_title("SOLO", suit="E") == "Eichel-Solo"
    assert words.game_title("FARBWENZ", tout=True, suit="G") == "Gras-Wenz-Tout"
    assert words.game_title("RUF") == "Rufspiel"


def asked(game, seat):
    return question_of(scene_of_view(game.view(seat)), NAMES, "Kontra")


def test_answers_by_number_word_and_beginning():
    question = asked(_core.Game("research", seed=1), 0)
    for text in ("2", "play", "ich spiele", "Ich spiele (play)", "yes", "pl", "ja"):
        (choice,) = answers_meant(text, question)
        assert _core.action_name(choice.action) == "PLAY"
    for text in ("1", "pass", "weiter", "wei", "no", "n"):
        (choice,) = answers_meant(text, question)
        assert _core.action_name(choice.action) == "PASS"
    assert answers_meant("", question) == [] == answers_meant("3", question)


BAUERNHOCHZEIT = ["H7 H8 E8 E9 G7 G8 S7 S8", "EO GO EU HA H10 E7 G9 SA",
                  "SU E10 EK EA G10 GK S9 SK", "HO SO GU HU HK H9 GA S10"]  # fmt: skip


def test_a_bauernhochzeit_counts_down_the_cards_that_are_given_back():
    rules = {"preset": "research", "bauernhochzeit": True, "hochzeit": "before_auction"}
    game, told = _core.Game(rules, deal=BAUERNHOCHZEIT), []
    for action in ("HZ_OFFER_2", "HZ_ACCEPT", "CARD G9", "CARD E7"):
        game.apply(action)
        told.append(asked(game, game.current_player).text)
    assert [text[-8:] for text in told[1:3]] == ["2 to go.", "1 to go."]


# D.2.4: an offer of two trumps that was refused, or that made the first pair, was another one
@pytest.mark.parametrize("said", [
    ["HZ_OFFER_2", "HZ_REFUSE", "HZ_REFUSE", "HZ_REFUSE", "HZ_OFFER_1"],
    ["HZ_OFFER_2", "HZ_ACCEPT", "CARD G9", "CARD E7", "HZ_OFFER_1"],
])  # fmt: skip
def test_a_hochzeit_asks_for_as_many_cards_as_the_last_offer_had(said):
    rules = {"doppelte_hochzeit": True, "bauernhochzeit": True, "hochzeit": "before_auction"}
    game = _core.Game({"preset": "research", **rules}, deal=BAUERNHOCHZEIT)
    for action in said:
        game.apply(action)
    seat = game.current_player
    assert "give 1 card back" in asked(game, seat).text
    game.apply("HZ_ACCEPT")
    assert asked(game, seat).text == "Which card do you give back? 1 to go."


def test_an_empty_line_declines_a_doubling_and_plays_the_only_card():
    game = _core.Game("official_1989", seed=3)
    while game.phase != "DOUBLE":
        game.apply(int(_core.make_agent("rules").act(game.view(game.current_player))[0]))
    seat = game.current_player
    (choice,) = answers_meant("", asked(game, seat))
    assert _core.action_name(choice.action) == "NO_DOUBLE"
    (choice,) = answers_meant("kontra", asked(game, seat))
    assert _core.action_name(choice.action) == "DOUBLE"


@pytest.mark.parametrize("seed", range(1, 5))
def test_the_word_for_a_line_that_is_too_long_is_no_answer(seed):
    game = _core.Game("official_1989_full", seed=seed)
    player = _core.make_agent("rules")
    while not game.is_terminal:
        question = asked(game, game.current_player)
        assert answers_meant(TOO_LONG, question) == [] and not is_exact(TOO_LONG, question)
        game.apply(int(player.act(game.view(game.current_player))[0]))
    assert guide.commands_meant(TOO_LONG) == [] and words.exact_card(TOO_LONG) is None


class Endless(io.StringIO):
    """A line without an end; counts what was taken of it."""

    taken = 0

    def readline(self, size=-1):
        assert 0 < size <= 2 * MAX_LINE
        self.taken += size
        return "\0" * size


def test_a_line_that_is_too_long_is_a_wrong_answer_and_no_more_is_kept_of_it():
    out = io.StringIO()
    longest = "x" * MAX_LINE
    lines = [longest, longest + "y", "EO" + " " * 50_000, "EO"]
    console = Console(io.StringIO("\n".join(lines) + "\n" + "z" * 9_999), out)
    assert [console.ask() for _ in range(5)] == [longest, TOO_LONG, TOO_LONG, "EO", TOO_LONG]
    with pytest.raises(Leave):
        console.ask()
    assert len(out.getvalue()) < 5_000


def test_a_line_without_an_end_ends_the_program():
    source = Endless()
    with pytest.raises(ValueError, match="standard input: more than 1048576 characters without an"):
        Console(source, io.StringIO()).ask()
    assert source.taken < 2**20 + 3 * MAX_LINE


def test_a_sign_is_no_answer():
    question = asked(_core.Game("research", seed=1), 0)
    for text in ("-1", "+1", " - 2", "-"):
        assert answers_meant(text, question) == []


CALLER = ["EO", "HO", "HA", "H8", "EK", "E9", "GA", "G7"]


def test_calling_a_card_shows_the_hand_sorted_and_says_which_cards_may_be_called():
    rest = [card for card in DECK if card not in CALLER]
    rules = _core.RuleSet("research")
    game = _core.Game(rules, deal=[CALLER, rest[:8], rest[8:16], rest[16:]], dealer=3)
    out = io.StringIO()
    names = [_core.action_name(action) for action in range(128)]
    for said in ("PLAY", "PASS", "PASS", "PASS"):
        game.apply(names.index(said))
    answers = ["rufspiel", "GA", "SA", "HK", "E7", "EO", "xyz", "-1"]
    deal = Deal(table_of(rules), game, 1, [0, 1, 2, 3])
    with pytest.raises(Leave):
        DealPlay(deal, Screen(out), Script(answers), lambda _: False).play()
    shown = out.getvalue()
    assert game.phase == "CALL_CARD"
    hand = re.search(r"Trump +(.*)\n", shown.rsplit("Your cards", 1)[1])
    assert hand[1].split() == ["Eichel-Ober", "Herz-Ober", "Herz-Sau", "Herz-Acht"]
    text = " ".join(shown.split())
    assert "Which card do you call? Possible: 1 Eichel-Sau" in text
    assert "ei o or EO; Possible: 1 Eichel-Sau; ? = help" in text
    for reason in (
        "Gras-Sau cannot be called: you hold it yourself",
        "Schellen-Sau cannot be called: you hold no plain card of Schellen",
        "Herz-König cannot be called: it is a trump",
        "Eichel-Sieben cannot be called: only a Sau is called now",
        "Eichel-Ober cannot be called: you hold it yourself",
    ):
        assert f"{reason} (rule R-027). Possible: 1 Eichel-Sau" in text


def test_a_called_card_may_be_chosen_by_its_number():
    caller = ["EO", "HO", "HA", "H8", "EK", "E9", "G7", "S7"]  # any Sau but that of Herz
    rest = [card for card in DECK if card not in caller]
    game = _core.Game("research", deal=[caller, rest[:8], rest[8:16], rest[16:]], dealer=3)
    names = [_core.action_name(action) for action in range(128)]
    for said in ("PLAY", "PASS", "PASS", "PASS", "C_RUF"):
        game.apply(names.index(said))
    question = asked(game, 0)
    assert len(question.choices) == 3
    for number, choice in enumerate(question.choices, 1):
        assert f"{number} {choice.title}" in question.text
        assert answers_meant(str(number), question) == [choice]
        assert is_exact(str(number), question)
    assert answers_meant("4", question) == []


def test_hints_show_whole_titles():
    rules = _core.RuleSet("official_1989_full")
    table = table_of(rules, agent="rules")
    deal = Deal(table, _core.Game(rules, seed=1, dealer=3), 1, [0, 1, 2, 3])
    out = io.StringIO()
    with pytest.raises(Leave):
        DealPlay(deal, Screen(out), Script(["hint"]), lambda _: False).play()
    assert deal.game.phase == "LEGEN"
    assert re.search(r"^  Lay: every price counts twice$", out.getvalue(), re.MULTILINE)


def test_claimed_numbers_are_their_own_answers():
    names = [_core.action_name(action) for action in range(128)]
    legal = tuple(names.index(f"CLAIM_LAUFENDE_{number}") for number in (0, 3, 4))
    scene = scene_of_view(_core.Game("research", seed=1).view(0))
    scene = type(scene)(**{**scene.__dict__, "phase": "CLAIM_SETTLE", "legal": legal})
    question = question_of(scene, NAMES, "Kontra")
    assert question.keys() == ["0", "3", "4"]
    (choice,) = answers_meant("3", question)
    assert _core.action_name(choice.action) == "CLAIM_LAUFENDE_3"


# ---- screen --------------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colours_only_on_a_terminal_that_wants_them():
    assert wants_colours(Terminal(), {"TERM": "xterm"})
    assert not wants_colours(Terminal(), {"TERM": "xterm", "NO_COLOR": "1"})
    assert not wants_colours(Terminal(), {"TERM": "dumb"})
    assert not wants_colours(io.StringIO(), {})


def test_long_lines_are_broken_between_parts_with_colours_not_counted():
    out = io.StringIO()
    screen = Screen(out, colours=True)
    screen.wrapped("Your cards  ", [screen.card(card) for card in DECK], ", ")
    lines = out.getvalue().splitlines()
    assert len(lines) > 3 and all(visible_width(line) <= WIDTH for line in lines)
    assert "\033[31mHerz-Sau\033[0m" in out.getvalue()
    assert all(line.startswith(" " * 12) for line in lines[1:])


def test_a_long_auction_is_told_whole_although_a_view_shows_its_end():
    """A direct auction has up to 67 events, a view the last 32."""
    rules = _core.RuleSet("wikipedia_extended", legen="off", hochzeit="off")
    out = io.StringIO()
    game = _core.Game(rules, seed=4)
    teller = Narrator(Screen(out), NAMES, rules.doubling_names)
    scene, number = scene_of_view(game.view(0)), 0
    while game.phase == "AUCTION_DIRECT":
        legal = game.legal_actions()  # two seats name every game one after the other
        passes = game.current_player in (1, 2) or len(legal) == 1
        game.apply(legal[0 if passes else 1])
        number += 1
        old, scene = scene, scene_of_view(game.view(0))
        teller.tell(old, scene)
    said = [line for line in out.getvalue().splitlines() if line.startswith("  ")]
    assert number > 32 and len(said) == number
