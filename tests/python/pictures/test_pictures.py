"""Pictures: cards, what notebooks show, and the page of a replay as text."""

import json
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from support.colours import contrast, schemes
from support.deals import doubled

import schafkopf
from schafkopf import _core, cli, display, pictures, records
from schafkopf.games import play_deals
from schafkopf.pictures import cards, drawings, replay_data, style, timeline
from schafkopf.pictures.replay import script_json
from schafkopf.pictures.replay_words import WORDS

ROOT = Path(__file__).resolve().parents[3]
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)> \u2028 '\"&amp;"
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def played(seed=3, rules="research", agent="rules"):
    game, deal = display.play_out([agent] * 4, seed, rules)
    return records.record_of(game, deal)


def data_of(page):
    return json.loads(DATA.search(page)[1])


# ---- cards -------------------------------------------------------------------------------------


def test_every_card_is_an_image_that_needs_nothing_else():
    for card in (*cards.CARDS, cards.BACK):
        tree = ElementTree.fromstring(cards.card_svg(card))
        names = {element.get("id") for element in tree.iter()}
        links = [element.get("href") for element in tree.iter() if element.get("href")]
        assert f"#sk-{card}" in links
        assert all(link.removeprefix("#") in names for link in links), card
        assert len(cards.card_svg(card)) < 6000


def test_number_cards_have_as_many_pips_as_their_name_says():
    for rank in ("7", "8", "9", "10"):
        used = re.findall(r'<use href="#sk-E"', cards.symbols(frozenset([f"E{rank}"])))
        assert len(used) == int(rank) + 1, rank  # one more beside the letter


def test_a_sprite_has_what_is_asked_for_and_all_cards_fit_in_32_kb():
    assert len(cards.sprite()) < 32_000
    few = cards.sprite(["EO", "back"])
    assert 'id="sk-EO"' in few and 'id="sk-back"' in few and 'id="sk-GO"' not in few


def test_a_card_that_is_none_is_named():
    with pytest.raises(ValueError, match=r"card = 'E1', allowed: names as EO, H10, S7, and back"):
        cards.card_svg("E1")


def test_letters_of_cards_stand_out_from_the_paper():
    dark_paper = re.search(r"--sk-paper: ([^;]+);", style.DARK)[1]
    for suit, ink in drawings.INKS.items():
        for paper in ("#fffdf6", dark_paper):
            assert contrast(ink, paper) >= 4.5, suit


@pytest.mark.parametrize(
    ("scheme", "own"), list(zip(schemes(), (style.LIGHT, style.DARK), strict=True))
)
def test_text_of_the_table_and_its_buttons_stands_out(scheme, own):
    colours = dict(re.findall(r"--([\w-]+): ([^;]+);", own))
    assert contrast(colours["chalk"], colours["felt"]) >= 4.5
    assert contrast(colours["wins"], colours["felt"]) >= 3
    assert contrast(scheme["page"], scheme["s0"]) >= 4.5  # the main button
    assert contrast(scheme["axis"], scheme["card"]) >= 3  # borders of buttons


# ---- what notebooks show -----------------------------------------------------------------------


def test_the_library_loads_pictures_when_they_are_asked_for():
    code = (
        "import schafkopf, sys\n"
        "late = [name for name in sys.modules if name in ('jinja2', 'schafkopf.pictures')]\n"
        "assert not late, late\n"
        "assert 'sk-EO' in schafkopf.picture(['EO'])._repr_html_()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_game_shows_all_hands_and_its_price():
    game = schafkopf.Game(seed=1)
    html = game._repr_html_()
    assert len(set(re.findall(r'<use href="#sk-([EGHS](?:10|[789UOKA]))"/></svg>', html))) == 32
    over = records.replayed_game(played())
    assert "price 30 Cent per player" in over._repr_html_()
    for value in (over.contract, over.outcome(), _core.Deal.random(1)):
        assert value._repr_html_().startswith('<div class="sk-shown">')


def hands_of(html):
    """Return {title: cards} of the lines of a picture, and {title: note} where there is one."""
    lines = re.findall(
        r"<p><strong>(.*?)</strong>(?: <span>(.*?)</span>)?</p><div>(.*?)</div>", html
    )
    shown = {title: re.findall(r'<use href="#sk-(\w+)"', cards) for title, _, cards in lines}
    return shown, {title: note for title, note, _ in lines if note}


def test_the_picture_of_a_game_says_who_is_to_act_and_what_lies_on_the_table():
    rules = {"players": 3, "deck": "short24"}
    contract = schafkopf.Contract("SOLO", declarer=0, suit="H")
    game = schafkopf.Game.with_contract(contract, rules, seed=3)
    while len(game.plays) < 5:
        game.apply(game.legal_actions()[-1])
    shown, notes = hands_of(game._repr_html_())
    seat = game.current_player
    assert seat != game.dealer and notes == {f"Seat {seat}": "to act"}
    assert shown.pop("Trick") == [card for _, card in game.plays[3:]]
    assert {title: set(hand) for title, hand in shown.items()} == {
        f"Seat {seat}": set(game.hand(seat)) for seat in range(3)
    }
    while not game.is_terminal:
        game.apply(game.legal_actions()[0])
    shown, notes = hands_of(game._repr_html_())
    assert notes == {} and {title: set(hand) for title, hand in shown.items()} == {
        f"Seat {seat}": set(game.dealt(seat)) for seat in range(3)
    }


def test_a_set_of_cards_is_drawn_in_the_order_of_the_cards():
    names = ["S7", "EO", "H10", "GU", "E7", "SA", "HK", "G9"]
    for kind in (set, frozenset):
        shown, _ = hands_of(schafkopf.picture(kind(names)).html)
        assert shown[""] == sorted(names, key=_core.parse_card)
    assert hands_of(schafkopf.picture(names).html)[0][""] == names


def test_a_view_shows_nothing_that_its_seat_does_not_see():
    game = schafkopf.Game.with_contract(schafkopf.Contract("SOLO", declarer=0, suit="H"), seed=3)
    hands = [game.dealt(seat) for seat in range(4)]
    other = schafkopf.Game.with_contract(
        game.contract, deal=[hands[0], hands[2], hands[3], hands[1]]
    )
    for one in (game, other):
        one.apply(f"CARD {hands[0][0]}")
    html = schafkopf.picture(game.view(0)).html
    assert html == schafkopf.picture(other.view(0)).html
    shown = set(re.findall(r'<use href="#sk-([EGHS](?:10|[789UOKA]))"/></svg>', html))
    assert shown == set(hands[0])


def test_a_view_that_numpy_joined_shows_what_the_view_does():
    """It has 191 bytes: NumPy leaves out what no field is."""
    context = schafkopf.games.DealContext(stock=255)
    game = schafkopf.Game("official_1989_full", seed=1, context=context)
    views = [game.view(seat) for seat in range(4)]
    joined = np.array(views)
    assert joined.dtype != schafkopf.views.VIEW_DTYPE
    for view, one in zip(views, joined, strict=True):
        assert display.describe_view(one) == display.describe_view(view)
        assert schafkopf.picture(one).html == schafkopf.picture(view).html


def test_the_result_of_a_tournament_shows_its_ratings():
    result = schafkopf.tournament(["rules", "random"], blocks=2)
    assert result._repr_html_() == schafkopf.picture(result).html
    assert "rules" in result._repr_html_() and "sk-shown" in result._repr_html_()
    read = json.loads(json.dumps(result))  # as from a file
    assert schafkopf.picture(read).html == result._repr_html_()


@pytest.mark.parametrize("blocks", [1, 20])  # one block has no interval
def test_the_best_player_comes_first_with_its_interval(blocks):
    result = schafkopf.tournament(["random", "rules"], blocks=blocks, formats=["1v3"])
    rows = re.findall(r"<tr><td>(\w+)</td><td>(.*?)</td><td>(.*?)</td>", result._repr_html_())
    best, other = (result["agents"][number]["rating"] for number in (1, 0))
    assert best["mean"] > other["mean"] and (best["half_width"] is None) == (blocks == 1)
    assert rows == [
        (name, f"{of['mean']:+.2f}", f"± {of['half_width']:.2f}" if blocks > 1 else "")
        for name, of in (("rules", best), ("random", other))
    ]


def test_a_picture_is_its_html_and_says_little_of_it_elsewhere():
    picture = schafkopf.picture("GO")
    assert str(picture) == picture.html == picture._repr_html_()
    assert repr(picture) == f"<Picture, {len(picture.html)} characters>"


def test_the_result_of_a_league_day_shows_its_ranking_list():
    settings = {"schedule": "league", "track": "full", "rules": "tournament_2024", "players": 8}
    result = schafkopf.tournament(["rules", "random"], **settings)
    html = result._repr_html_()
    assert html == schafkopf.picture(json.loads(json.dumps(result))).html
    assert "League day" in html and "tournament_2024" in html
    rows = re.findall(r"<tr><td>(\d+)</td><td>player (\d+)" + "</td><td>([^<]*)" * 3, html)
    ranked = [
        (
            str(row["rank"]),
            str(row["player"]),
            row["agent"],
            f"{row['total']:+g}",
            f"{row['bonus']:g}",
        )
        for row in result["ranking"]
    ]
    assert rows == ranked and len(rows) == 8


def test_names_of_players_are_text():
    result = schafkopf.tournament({HOSTILE: "rules", "b": "random"}, blocks=2)
    html = schafkopf.picture(result).html
    assert "<img" not in html and "<script" not in html and "&lt;img" in html


def test_a_hand_in_one_text_is_drawn_as_its_list():
    for hand in ("EO GU H10", " EO  GU\tH10\n"):
        assert schafkopf.picture(hand).html == schafkopf.picture(["EO", "GU", "H10"]).html
    assert schafkopf.picture("EO").html == schafkopf.picture(["EO"]).html
    with pytest.raises(ValueError, match=r'^"E1" is no card'):
        schafkopf.picture("EO E1")


def test_what_has_no_picture_is_named():
    with pytest.raises(TypeError, match="value is int, allowed: Game, Deal"):
        schafkopf.picture(7)
    with pytest.raises(TypeError, match="value is a dict, allowed: the result of a tournament"):
        schafkopf.picture({})


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (lambda view: np.arange(3), r"^value is an array of int64, allowed: Game, Deal"),
        (lambda view: np.array(3), r"^value is an array of int64, allowed: Game, Deal"),
        (lambda view: view["cards"], r"^value is a record of other fields, allowed: Game, Deal"),
        (lambda view: np.array([view, view]), r"^value is an array of views, allowed: one of them"),
    ],
)
def test_arrays_and_records_that_are_no_views_are_named_as_what_they_are(of, words):
    with pytest.raises(TypeError, match=words):
        schafkopf.picture(of(schafkopf.Game(seed=1).view(0)))


# ---- step by step ------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", _core.preset_names())
def test_steps_lead_to_the_state_at_the_end(rules):
    for seed in range(12):
        record = played(seed, rules, ("rules", "random")[seed % 2])
        steps, end = timeline.steps_of(record)
        assert end == records.replayed_game(record)
        assert [s.action[5:] for s in steps if s.played] == record["plays"]


def test_records_of_the_page_about_records_can_be_stepped():
    text = (ROOT / "env/RECORD.md").read_text(encoding="utf-8")
    lines = re.findall(r"```json\n(\{.*?)\n```", text, re.DOTALL)
    assert len(lines) >= 2
    for line in lines:
        timeline.steps_of(json.loads(line))
    page = schafkopf.replay_html([json.loads(line) for line in lines])
    thrown_in, unfinished = data_of(page)["games"]
    assert thrown_in["e"]["payoffs"] == [0, 0, 0, 0] and "e" not in unfinished
    assert unfinished["c"]["t"] == "Rufspiel"


def test_a_step_of_the_page_is_the_action_of_the_record():
    record = played()
    (game,) = data_of(schafkopf.replay_html(record))["games"]
    cells = [(cell & 255, cell >> 8 & 3, cell >> 10) for cell in game["a"]]
    said = [[s, _core.action_name(a)] for a, s, kind in cells if kind == replay_data.SAID]
    assert said == record["auction"]
    plays = [_core.card_name(a) for a, _, kind in cells if kind == replay_data.PLAYED]
    assert plays == record["plays"]
    assert game["w"] == records.replay(record)["trick_winners"]
    assert game["e"]["payoffs"] == records.replay(record)["payoffs"]


# F.3; C.20.8: in a Hadsch the first level stands already
@pytest.mark.parametrize(
    ("rules", "names"),
    [
        ({}, ["Kontra", "Re", "Bock", "Hirsch", "Kontra 5"]),
        ({"special_round": "hadsch"}, ["Re", "Bock", "Hirsch", "Kontra 5"]),
        ({"doubling_names": ["Spritze"]}, ["Spritze", "Re", "Supra", "Resupra"]),
    ],
)
@pytest.mark.parametrize("players", [[], ["rules"]])
def test_doublings_have_the_names_of_the_rules_in_the_order_of_their_levels(rules, names, players):
    game = doubled(rules)
    (shown,) = data_of(schafkopf.replay_html(game, players=players))["games"]
    said = [event["action"] for event in game.events].count("DOUBLE")
    assert shown["v"][: len(names)] == names[: said + 1] and len(shown["v"]) == said + 1


def test_players_of_a_mapping_have_its_names_on_the_page():
    record = played()
    (one,) = data_of(schafkopf.replay_html(record, players=["rules"]))["games"]
    data = data_of(schafkopf.replay_html(record, players={"Zenzi": "rules"}))
    assert data["players"] == ["Zenzi"] and data["games"] == [one]
    with pytest.raises(ValueError, match=r'^players\["Zenzi"\]: int came'):
        schafkopf.replay_html(record, players={"Zenzi": 7})


def test_opinions_are_those_of_the_player_and_of_the_solver():
    record = played()
    page = schafkopf.replay_html(record, players=["rules"], solver=True)
    data = data_of(page)
    (game,) = data["games"]
    assert data["players"] == ["rules:version=3"]
    for cells in game["q"][0].values():
        assert sum(cells[2::2]) == pytest.approx(1000, abs=5)
    steps = [step for step in timeline.steps_of(record)[0]]
    index, cells = next((int(i), cells) for i, cells in game["z"].items())
    points = _core.Solver().card_points(steps[index].game)
    told = dict(zip(cells[::2], cells[1::2], strict=True))
    assert told == {replay_data.code(card): value for card, value in points.items()}


def test_a_page_begins_with_the_cards_of_its_seat():
    for seat, shown in ((None, -1), (0, 0), (3, 3)):
        assert data_of(schafkopf.replay_html(played(), seat=seat))["seat"] == shown


def test_opinions_begin_with_the_likeliest_action():
    record = played()
    (game,) = data_of(schafkopf.replay_html(record, players=["random", "rules"]))["games"]
    steps = timeline.steps_of(record)[0]
    agent = schafkopf.make_agent("rules")
    for number, cells in game["q"][1].items():
        step = steps[int(number)]
        likeliest = int(agent.act(step.game.view(step.seat))[0])
        assert cells[1:3] == [likeliest, 1000]  # it draws nothing
        assert sorted(cells[1::2]) == sorted(step.game.legal_actions())


def test_names_in_records_are_data_and_no_markup():
    record = {**played(), "id": HOSTILE, "meta": {"players": [HOSTILE, "b", "c", "d"]}}
    page = schafkopf.replay_html(record)
    assert page.count("</script") == 2 and page.count("<script") == 2 and "<img" not in page
    game = data_of(page)["games"][0]
    assert game["i"] == HOSTILE and game["n"][0] == HOSTILE
    page.encode("utf-8")
    assert json.loads(script_json({"a": HOSTILE})) == {"a": HOSTILE}


def test_a_page_asks_for_nothing_outside_of_it():
    page = schafkopf.replay_html(played())
    assert "default-src 'none'" in page
    assert not re.search(r"""(?:src|href)=["'](?!#)""", page)
    assert "innerHTML" not in page and "http:" not in page.replace("http://www.w3.org/2000/svg", "")


def test_251_games_stay_small():
    games = play_deals("rules", 251)
    plain = len(schafkopf.replay_html(games).encode())
    assert plain < 3_000_000
    few = games[:5]
    more = schafkopf.replay_html(few, players=["rules", "net:baseline"], solver=True)
    gain = len(more.encode()) - len(schafkopf.replay_html(few).encode())
    assert gain / len(few) < 20_000


def test_wrong_arguments_of_a_page_are_named():
    with pytest.raises(ValueError, match="games: there is none"):
        schafkopf.replay_html([])
    with pytest.raises(ValueError, match="language = 'fr', allowed: de, en"):
        schafkopf.replay_html(played(), language="fr")
    with pytest.raises(ValueError, match="seat = 4, allowed"):
        schafkopf.replay_html(played(), seat=4)
    for games in (None, "evening.jsonl", 3):
        with pytest.raises(ValueError, match=r"games = .*read_records reads those of a file"):
            schafkopf.replay_html(games)
    for names in (["Anna"], "Anna", 4):
        with pytest.raises(ValueError, match=r"names = .*, allowed: a list of 4"):
            schafkopf.replay_html(played(), names=names)
    broken = {**played(), "plays": ["EO", "EO"]}
    with pytest.raises(ValueError, match="game 2: "):
        schafkopf.replay_html([played(), broken])
    with pytest.raises(TypeError, match="player"):
        schafkopf.replay_html(played(), player="rules")
    with pytest.raises(ValueError, match="players = 5, allowed: a player, a list or dict of them"):
        schafkopf.replay_html(played(), players=5)
    for flag in ("no", 1, None):
        with pytest.raises(ValueError, match=re.escape(f"solver = {flag!r}, allowed: true, false")):
            schafkopf.replay_html(played(), solver=flag)


# ---- words and the command ---------------------------------------------------------------------


def test_both_languages_say_everything():
    german, english = WORDS["de"], WORDS["en"]
    assert german.keys() == english.keys()
    for key in german:
        assert set(re.findall(r"\{\d\}", german[key])) == set(re.findall(r"\{\d\}", english[key]))
    script = (Path(pictures.__file__).parent / "assets/replay.js").read_text(encoding="utf-8")
    for key in re.findall(r'\bsay\("(\w+)"', script):
        assert key in german, key
    for action in range(_core.NUM_ACTIONS):
        name = _core.action_name(action)
        if not name.startswith(("CARD ", "C_", "RESERVED_")):
            known = name in german or any(name.startswith(k) for k in german if k[-1:] == "_")
            assert known, name


def test_with_five_no_seat_of_a_replay_is_the_dealer():
    rules = _core.RuleSet("official_1989_full", players=5)
    encoder = replay_data.Encoder()
    five = encoder.game(records.record_of(_core.Game(rules=rules, seed=1)))
    assert five["u"] == 1 and "u" not in encoder.game(played())


def test_prices_are_told_in_german_too():
    lines = replay_data.price_lines(records.replayed_game(played()))
    assert lines[0] == ["Rufspiel gewonnen mit 104 Augen", "Rufspiel won with 104 points"]
    assert ["Preis 30 Cent je Spieler", "price 30 Cent per player"] in lines


ENGLISH = re.compile(
    r"\b(of|by|paid|without|tricks?|claimed|into|kitty|loses|lost|won|with|points|payer|per|price"
    r"|base|factor|doubled|doublings|payable|not|wrongly)\b"
)


PRICE_LINES = [
    "Farbwenz lost with 63 points (bid 80)", "Bettel won with 0 tricks", "Solo-Tout lost",
    "Ramsch: {2} loses", "Ramsch: Durchmarsch of {1}",
    "the second, {1}, pays too (ramsch_payers = 2)", "Jungfrau announced by 1 player: x2",
    "Jungfrau: 1 without a trick: x2", "Jungfrau: 2 without a trick, paid twice the price",
    "Schwarz claimed wrongly -10", "Schwarz not claimed: not paid",
    "3 Laufende claimed, 4 payable: 3 paid, +30", "laid by 2 players x4", "7 doublings x128",
    "Kreuzbock won by {0} and {2} with 76 points", "Solo-Tout lost by {1} with 1 trick",
    "Jungfrau announced by {1} and {2}: x2", "Jungfrau: {0} and {3} without a trick: x4",
    "Jungfrau: {0}, {1} and {3} without a trick, paid twice the price",
    "with 1 Laufende +10", "without 4 Laufende +40", "laid by {0} and {1} x4",
    "factor x2", "Stock of 40 won: {0} +40", "Stock of 40 doubled: {0} -40",
    "Stock of 40 filled up: {0} -4",
    "Reuegeld 20 from {0} into the kitty", "base 20", "price 30 Cent per player",
    "all passed: thrown in, nobody pays",
    *(f"REVOKE of {{3}}: {meaning} (infraction_policy = official)" for meaning in (
        "no effect on the price, or the rest goes to the opponents",
        "the rest goes to the opponents",
        "the offender's party loses the simple game",
        "the offender's party loses with Schwarz", "fixed penalty to all other players")),
    "Schneider +10", "Schwarz +10", "Bock x2", "Kontra x2, not the Laufende",
    "Kontra, Re x4, of the base alone",
    "all passed: thrown in, everybody pays into the Stock",
    "tricks are handed to the left: those of the right neighbour count",
    "all passed: thrown in, the Stock is full: nobody pays",
    "at most 300000000: no price is higher",
]  # fmt: skip


@pytest.mark.parametrize("line", PRICE_LINES)
def test_every_step_of_a_price_is_told_in_german(line):
    german = replay_data.price_in_german(line)
    assert not ENGLISH.findall(german), german
    numbers = r"\{\d\}|[+-]?\d+"
    assert sorted(re.findall(numbers, german)) == sorted(re.findall(numbers, line))
    steps = (ROOT / "env/price/settle_text.cpp").read_text(encoding="utf-8")
    words = [word for word in ENGLISH.findall(line.split("(")[0]) if len(word) > 3]
    assert all(re.search(rf"\b{word.removesuffix('s')}", steps) for word in words)


@pytest.mark.parametrize(
    ("line", "german"),
    [
        ("1 Laufende claimed, 3 payable: 1 paid, +10",
         "1 Laufender gefordert, 3 wären zu zahlen, 1 gezahlt: +10"),
        ("3 Laufende claimed, 1 payable: -2 paid, -20",
         "3 Laufende gefordert, 1 wäre zu zahlen, -2 gezahlt: -20"),
        ("11 Laufende claimed, 11 payable: 11 paid, +110",
         "11 Laufende gefordert, 11 wären zu zahlen, 11 gezahlt: +110"),
    ],
)  # fmt: skip
def test_one_laufender_is_claimed_in_the_singular(line, german):
    assert replay_data.price_in_german(line) == german


# Names are of women, too, and what somebody talks about is not a game of theirs.
def test_the_german_of_a_price_fits_every_name():
    second = replay_data.price_in_german("the second, {1}, pays too (ramsch_payers = 2)")
    assert second == "an zweiter Stelle zahlt auch {1} (ramsch_payers = 2)"
    talk = replay_data.price_in_german("INF_TALK of {1}: the offender's party loses with Schwarz")
    assert talk == "verbotenes Reden von {1}: die eigene Partei verliert schwarz"


# A sentence that is new in the engine has a line above, and so its German.
def test_no_sentence_of_a_price_is_without_german():
    source = (ROOT / "env/price/settle_text.cpp").read_text(encoding="utf-8")
    code = re.sub(r"//.*|#include.*", "", source)
    sentences = {text for text in re.findall(r'"(.*?)"', code) if re.search("[a-z]{3}", text)}
    sentences -= {"payoffs", "seat "}  # of the terminal alone
    patterns = {text: re.sub(r"(\\[{}])+\w*(\\[{}])+", ".*", re.escape(text)) for text in sentences}
    assert len(patterns) > 25
    untold = [
        text
        for text, pattern in patterns.items()
        if not any(re.search(pattern, line) for line in PRICE_LINES)
    ]
    assert untold == []


def test_the_command_writes_a_page_and_names_games_that_are_broken(tmp_path, capsys):
    file, page = tmp_path / "games.jsonl", tmp_path / "games.html"
    broken = {**played(), "plays": ["EO", "EO"]}
    file.write_text("\n".join(json.dumps(one) for one in (played(), broken, played(5))))
    assert cli.main(["replay", str(file), "--html", str(page), "--seat", "2"]) == 1
    told = capsys.readouterr()
    assert f"2 games in {page}" in told.out and "line 2" in told.err
    data = data_of(page.read_text(encoding="utf-8"))
    assert len(data["games"]) == 2 and data["seat"] == 2


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (
            ["--html", "x.html", "--check"],
            "--html, --check and --text are three forms, allowed: one of them",
        ),
        (["--solver"], "--player, --solver, --seat and --language need --html FILE"),
        (["--html", "x.html", "--player", "foo"], '--player: unknown agent "foo"'),
        (
            ["--html", "x.html", "--player", "rules", "--player", "rules"],
            '--player: "rules:version=3" stands twice, allowed: different names',
        ),
        (["--html", "missing/x.html"], "the folder missing does not exist"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, wrong, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("g.jsonl").write_text(json.dumps(played()))
    assert cli.main(["replay", "g.jsonl", *options]) == 2
    assert wrong in capsys.readouterr().err


def test_the_page_does_not_take_the_place_of_the_file_it_is_made_of(tmp_path, capsys):
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(played()) + "\n", encoding="utf-8")
    before = path.read_text()
    link = tmp_path / "link"
    link.symlink_to(path)
    for place in (path, link):
        assert cli.main(["replay", str(path), "--html", str(place)]) == 2
        assert "the file that is read and --html name the same file" in capsys.readouterr().err
    assert path.read_text() == before


# E.6: a German page said "Verstoß: REVOKE_LATE"
@pytest.mark.parametrize("infraction", replay_data.OTHER)
def test_infractions_have_words_and_no_names_of_the_engine(infraction):
    for language, words in WORDS.items():
        assert not re.search("INF_|[A-Z]_", words[infraction]), language
    line = f"{infraction} of {{2}}: the offender's party loses the simple game"
    told = replay_data.price_in_german(line)
    assert told.endswith(" von {2}: die eigene Partei verliert das einfache Spiel")
    assert "INF" not in told


# E.6
@pytest.mark.parametrize("infraction", ["INF_REVOKE", "INF_WRONG_LEAD"])
def test_infractions_are_steps(infraction):
    rng = random.Random(5)
    for seed in range(20):
        game = schafkopf.Game("research", seed=seed)
        told = False
        while not game.is_terminal:
            if not told and len(game.plays) > 9 and game.phase == "PLAY":
                told = True
                game.infract(rng.randrange(4), infraction)
            else:
                names = [name for name in game.legal_names() if not name.endswith("_REST")]
                game.apply(rng.choice(names))
        if not told:
            continue
        record = records.record_of(game)
        steps, end = timeline.steps_of(record)
        assert [step.action for step in steps].count(infraction) == 1
        assert end == records.replayed_game(record)
        shown = data_of(pictures.replay_html(record))
        names = [shown["actions"][step & 255] for step in shown["games"][0]["a"]]
        assert names.count(infraction) == 1
        return
    raise AssertionError("nobody plays")


def test_a_page_of_three_players_has_no_fourth_seat():
    rules = schafkopf.RuleSet("research", players=3, deck="short24")
    three = records.record_of(display.play_out(["rules"] * 3, 3, rules)[0])
    with pytest.raises(ValueError, match=r"seat = 3, allowed: 0\.\.2 in game 2"):
        pictures.replay_html([played(), three], seat=3)
    assert pictures.replay_html([played(), three], seat=2)


def test_the_picture_of_a_view_names_the_game_as_that_of_the_game_does():
    context = schafkopf.games.DealContext(special_round="kreuzrunde", games_left=2)
    game = schafkopf.Game("research", seed=1, context=context)
    for action in ("PLAY", "PASS", "PASS", "PASS"):
        game.apply(action)
    game.apply("C_RUF")  # here with the player opposite
    assert game.contract.name == "KREUZ" and game.contract.declarer == 0
    assert "Kreuzspiel by self" in schafkopf.picture(game.view(0))._repr_html_()
    assert "Kreuzspiel" in schafkopf.picture(game)._repr_html_()


def test_json_with_twins_or_what_is_no_number_is_refused(tmp_path):
    line = json.dumps(played())
    path = tmp_path / "games.jsonl"
    for text, said in (
        (line.replace('{"', '{"dealer": 0, "', 1), 'key "dealer" comes twice'),
        (line.replace('{"', '{"id": NaN, "', 1), "NaN is no number"),
        (line.replace('{"', '{"id": 1e400, "', 1), "1e400 is no number"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=f"{re.escape(str(path))}:1: no JSON: {said}"):
            list(records.read_records(path))


# 001 1.4.2: trumps of partner games may be Schellen
def test_hands_are_sorted_by_the_trumps_of_the_rules():
    rules = schafkopf.RuleSet("research", partner_trump_suit="S")
    for seed in range(40):
        try:
            contract = schafkopf.Contract("RUF", declarer=0, called="EA")
            game = schafkopf.Game.with_contract(contract, rules, seed=seed)
        except ValueError:
            continue
        hand = game.dealt(0)
        expected = [c for _, part in _core.sorted_hand(hand, "RUF", None, rules) for c in part]
        other = [c for _, part in _core.sorted_hand(hand, "RUF") for c in part]
        if expected != other:
            break
    assert expected != other
    for value in (game, game.view(0)):
        html = schafkopf.picture(value)._repr_html_()
        shown = re.findall(r'href="#sk-(\w+)"', html)
        at = next(i for i in range(len(shown)) if sorted(shown[i : i + 8]) == sorted(hand))
        assert shown[at : at + 8] == expected
    while not game.is_terminal:
        game.apply(game.legal_actions()[0])
    page = schafkopf.replay_html(game)
    deck = [card for seat in range(4) for card in game.dealt(seat)]
    order = [c for _, part in _core.sorted_hand(deck, "RUF", None, rules) for c in part]
    wrong = [c for _, part in _core.sorted_hand(deck, "RUF") for c in part]
    codes = schafkopf.pictures.replay_data.codes
    assert codes(order) in page and codes(wrong) not in page


def test_a_view_with_an_unknown_special_round_is_named():
    view = schafkopf.Game(seed=1).view(0).copy()
    view["order"]["special_round"] = 77
    for show in (schafkopf.display.describe_view, schafkopf.pictures.picture):
        with pytest.raises(ValueError, match="special_round = 77 stands in no view of a game"):
            show(view)
