"""The table in the browser without one: what it tells, what it refuses, how it listens."""

import asyncio
import errno
import hashlib
import json
import math
import random
import re
import threading
import time

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("starlette")

from support.served_table import (
    ASSETS,
    DECK,
    NAMES,
    ROOT,
    Broken,
    Page,
    ground,
    live_table,
    play_on,
    served,
    until_it_waits,
    until_trouble,
)

from schafkopf import _core, records
from schafkopf.pictures.replay_words import WORDS as CARD_WORDS
from schafkopf.serve import maxims, page, state, words
from schafkopf.serve.app import MOST_BYTES, MOST_POLLS, TableApp
from schafkopf.serve.refused import Refused
from schafkopf.terminal import questions, special_rounds
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.scene import scene_of_view
from schafkopf.terminal.table import Deal

# ---- what a page is told -------------------------------------------------------------------------


def test_whose_answer_is_missing_is_shown_where_everybody_sees_it():
    live = live_table(people=(0, 1, 2, 3), seed=5)
    assert live.deal.game.phase == "AUCTION_ROUND"
    speaks = live.deal.game.current_player
    assert {live.state(place)["turn"] for place in range(4)} == {speaks}


def test_the_next_deal_waits_for_everybody_present():
    live = live_table(people=(0, 1, 2), deals=4)
    rng = random.Random(1)

    def finish():
        while not live.deal.game.is_terminal:
            if live.moves_itself:
                live.apply(live.decision()())
            else:
                shown = live.state(live.asked_place)
                numbers = shown["deal"], shown["question_number"]
                action = rng.choice(shown["choices"])["action"]
                live.act(live.asked_place, *numbers, action)

    finish()
    live.wish_next(0, 1, {0, 1})  # the third link was never opened
    assert live.deal.number == 1 and live.state(1)["ready"] == [0]
    assert live.state(0)["waits_for"] == [1]
    live.wish_next(1, 1, {0, 1})
    assert live.deal.number == 2 and live.state(0)["ready"] == []
    with pytest.raises(Refused, match="moved on"):
        live.wish_next(0, 1, {0, 1})
    finish()
    with pytest.raises(Refused, match="moved on"):  # nor is it ready for this one
        live.wish_next(0, 1, {0, 1})
    live.wish_next(1, 2, {0, 1})
    live.wish_next(1, 2, {0, 1})  # the other one does not come back
    assert live.deal.number == 3
    finish()
    live.wish_next(1, 3, {1})  # or has gone before
    assert live.deal.number == 4


def test_with_five_the_dealer_is_the_one_who_sits_out():
    live = live_table(_core.RuleSet("official_1989_full", players=5), people=(0, 1, 2, 3, 4))
    (outside,) = set(range(5)) - set(live.deal.places)
    for place in range(5):
        told = live.state(place)
        assert (told["outside"], told["dealer"]) == (NAMES[outside], None)
        assert live.deal.places[told["forehand"]] == (outside + 1) % 5
    assert live.deal.record()["places"] == list(live.deal.places)


def test_with_five_the_result_has_the_change_of_those_who_played():
    live = live_table(_core.RuleSet("official_1989_full", players=5), people=(0, 1, 2, 3, 4))
    while not live.deal.game.is_terminal or not any(live.results[-1]["change"]):
        if live.deal.game.is_terminal:
            live.next_deal(live.deal.number)
        live.apply(_core.parse_action(live.deal.game.legal_names()[-1]))
    change = live.results[-1]["change"]
    assert len(change) == 5 and len(set(live.deal.places)) == 4
    assert live.state(0)["result"]["change"] == [change[place] for place in live.deal.places]


# C.20.11: a card is exchanged with somebody whose name stays as he wrote it
def test_a_name_among_the_answers_is_as_its_person_wrote_it():
    rules = _core.RuleSet("course_002", special_round="zupf_solo", contracts=["SOLO", "WENZ"])
    told = []

    def look(live):
        place = live.asked_place
        shown = None if place is None else live.state(place)
        if shown and shown["phase"] == "ZUPF_TARGET":
            for choice in shown["choices"]:
                away = int(_core.action_name(choice["action"]).removeprefix("TARGET_"))
                told.append(choice["text"] == [f"von {(place + away) % 4}"] * 2)

    for seed in range(10):
        live = live_table(rules, people=(0, 1, 2, 3), deals=4, seed=seed)
        for place in range(4):
            live.rename(place, f"von {place}")
        play_on(live, random.Random(1), lambda live=live: look(live))
    assert told and all(told)


def test_who_sits_out_sees_whose_turn_it_is_as_the_others_do():
    agent, seen = _core.make_agent("rules"), set()
    for rules in ("official_1989_full", "wikipedia_extended"):
        rules = _core.RuleSet(rules, players=5)
        live = live_table(rules, people=(0, 1, 2, 3, 4), seed=2, deals=15)
        while not live.is_over:
            game = live.deal.game
            (outside,) = set(range(5)) - set(live.deal.places)
            told = {place: live.state(place) for place in range(5) if place != live.asked_place}
            turns = [told[place]["turn"] for place in live.deal.places if place in told]
            seat = game.current_player
            if game.phase != "HZ_OFFER":  # D.1: where forehand is told less
                assert {*turns} == {told[outside]["turn"]}, (game.phase, turns)
            seen.add((game.phase, told[outside]["turn"] == seat))
            if game.is_terminal:
                live.next_deal(live.deal.number)
            elif (place := live.asked_place) is None:
                live.apply(live.decision()())
            else:
                shown = live.state(place)
                action = shown["choices"][0]["action"]
                if len(shown["choices"]) > 1:
                    action = int(agent.act(game.view(seat), rules=rules)[0])
                live.act(place, shown["deal"], shown["question_number"], action)
    assert {("AUCTION_ROUND", True), ("CALL_CARD", True), ("PLAY", True)} <= seen, seen


# E.2: the called card tells everybody at the table who plays together, and Renonce is said aloud
def test_who_sits_out_sees_the_game_as_the_others_do():
    rules = _core.RuleSet("course_002", players=5)
    live, partners = live_table(rules, people=(0, 1, 2, 3, 4), seed=2, deals=60), 0

    def look():
        nonlocal partners
        (outside,) = set(range(5)) - set(live.deal.places)
        told = live.state(outside)["game"]
        assert all(live.state(place)["game"] == told for place in live.deal.places)
        partners += told is not None and told["partner"] is not None

    play_on(live, random.Random(1), look)
    assert partners > 20
    free = ["EO", "GO", "HO", "SO", "HA", "H10", "HK", "H9"]
    others = [card for card in DECK if card not in free]
    renonce = _core.RuleSet("official_1989", renonce="announced")
    game = _core.Game.with_contract(
        _core.Contract("RUF", 0, called="EA", renonce=True),
        renonce,
        [free, *(others[seat::3] for seat in range(3))],
    )
    deal = Deal(live.table, game, 1, [1, 2, 3, 4])
    assert [state.state_of(deal, place, False)["game"]["title"] for place in range(5)] == [
        "Rufspiel (Renonce)"
    ] * 5


# C.20.9, R-081: what is owed is public, and every bid depends on it
def test_an_allgaeuer_round_says_who_owes_what():
    live = live_table(_core.RuleSet("official_1989", special_round="allgaeuer"), people=(0,))
    whole = "Rufspiel, Wenz, Solo"
    assert live.state(0)["circumstances"]["owed"] == [
        f"{begin}: {{0}} {whole}; {{1}} {whole}; {{2}} {whole}; {{3}} {whole}"
        for begin in ("es schulden noch", "still owed")
    ]
    context = _core.DealContext(special_round="allgaeuer", games_left=3, owed=[0, 4, 3, 7])
    assert special_rounds.owed_text(context, NAMES)[1] == (
        "still owed: Anna nothing more; Bene Solo; Caro Rufspiel, Wenz; Dora Rufspiel, Wenz, Solo"
    )
    assert live_table().state(0)["circumstances"]["owed"] == []


# G.7, G.9: what the list of the deal says is what the account gets
def test_the_change_of_each_player_has_stock_and_reuegeld_in_it_and_the_kitty_is_shown():
    rules = _core.RuleSet("course_002", reuegeld=5)
    live = live_table(rules, people=(0,), seed=2, deals=12)
    seen = set()

    def look():
        if not live.deal.game.is_terminal:
            return
        told = live.state(0)
        result, totals = told["result"], told["totals"]
        assert result["change"] == told["results"][-1]["change"]
        seen.add(("stock", result["change"] != result["payoffs"]))
        seen.add(("kitty", told["kitty"] > 0))
        assert sum(totals) + told["stock"] + told["kitty"] == pytest.approx(0)

    play_on(live, random.Random(3), look)
    assert seen >= {("stock", True), ("kitty", True)}


def test_special_rounds_are_said_in_words():
    assert set(special_rounds._ROUNDS) == set(_core.SPECIAL_ROUNDS) - {"none"}
    live = live_table(_core.RuleSet("course_002", special_round="schieber"))
    told = live.state(0)["circumstances"]["special_round"]
    assert told[0].startswith("Schieberrunde, noch 4 Spiele: wer das Paket")
    assert told[1].startswith("Schieberrunde, 4 games left: whoever takes the packet")
    bock = live_table(_core.RuleSet("course_002", special_round="bock")).state(0)["circumstances"]
    assert bock["is_plain_bock"] and bock["bock_factor"] == 2
    assert live_table().state(0)["circumstances"]["special_round"] == []
    context = _core.DealContext(bock=2, special_round="bock", games_left=4)
    told = state.typeset(special_rounds.round_text(context))
    assert told[0].endswith("alles zählt mal 4") and told[1].endswith("everything counts ×4")


def test_hands_after_the_end_are_sorted_as_the_game_was_played_and_the_packet_is_shown():
    for seed in range(40):
        live = live_table(_core.RuleSet("course_002", special_round="schieber"), deals=1, seed=seed)
        play_on(live, random.Random(seed))
        result = live.state(0)["result"]
        cards = [card for hand in [*result["hands"], result["packet"]] for card in hand]
        assert sorted(cards) == sorted(DECK) and {"EO", "GO"} <= set(result["packet"])
        suit = live.deal.game.contract.suit if live.deal.game.contract else None
        if suit not in (None, "H"):
            break
    trumps = [[card[1] in "OU" or card[0] == suit for card in hand] for hand in result["hands"]]
    assert all(flags == sorted(flags, reverse=True) for flags in trumps)


def asked_to_play(live):
    while live.moves_itself or live.state(0)["phase"] != "PLAY" or not live.state(0)["refusals"]:
        if live.deal.game.is_terminal:
            live.next_deal(live.deal.number)
        elif live.moves_itself:
            live.apply(live.decision()())
        else:
            shown = live.state(live.asked_place)
            numbers = shown["deal"], shown["question_number"]
            live.act(live.asked_place, *numbers, shown["choices"][0]["action"])
    return live.state(0)


def test_a_card_that_is_not_allowed_says_why_in_both_languages():
    live = live_table()
    shown = asked_to_play(live)
    card, why = next(iter(shown["refusals"].items()))
    assert re.search(r"\(R-\d+\)$", why[0]) and why[0] != why[1]
    before = live.deal.game.copy()
    with pytest.raises(Refused, match="That is not allowed now") as refused:
        live.act(0, shown["deal"], shown["question_number"], _core.parse_card(card))
    assert refused.value.ground == "illegal" and why[0] in refused.value.text[0]
    assert live.deal.game == before


def test_an_answer_to_another_question_is_refused():
    live = live_table(people=(0, 1))
    shown = asked_to_play(live)
    action = shown["choices"][0]["action"]
    wishes = [
        (0, shown["deal"], shown["question_number"] - 1, "stale"),
        (0, shown["deal"] + 1, shown["question_number"], "stale"),
        (1, shown["deal"], shown["question_number"], "not_asked"),
    ]
    for place, deal, number, why in wishes:
        with pytest.raises(Refused) as refused:
            live.act(place, deal, number, action)
        assert refused.value.ground == why
    with pytest.raises(Refused, match="moved on"):
        live.next_deal(live.deal.number)
    live.act(0, shown["deal"], shown["question_number"], action)
    with pytest.raises(Refused):  # a second click
        live.act(0, shown["deal"], shown["question_number"], action)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "  ",
        "x" * 21,
        "a\nb\x00",
        "\u3164 \u2800",
        "\u034f",
        "\u0301",
        "Bene",
        "beNE",
        "Be\u034fne",
        "Bene\ufe0f",
        "\uff22ene",
        None,
        7,
        ["x"],
    ],
)
def test_a_name_that_is_none_is_refused(name):
    live = live_table()
    with pytest.raises(Refused, match="1 to 20 characters"):
        live.rename(0, name)
    assert live.names == NAMES[:4]


def test_hints_are_those_of_the_players_at_the_table():
    live = live_table(agents=("rules", "random", "oracle"))
    shown = asked_to_play(live)
    told = live.hint(0)()
    assert told.names == ["rules", "random"]  # the oracle sees hidden hands
    cards = {choice["card"] for choice in shown["choices"]}
    assert {choice.card for choice in told.choices} | {None} == cards | {None}
    assert [pytest.approx(1) for _ in told.names] == [
        float(column.sum()) for column in told.columns
    ]
    live.act(0, shown["deal"], shown["question_number"], told.reason["action"])


# F.1, F.3, C.6: who laid, doubled or announced a Jungfrau is told as long as it counts.
@pytest.mark.parametrize(
    ("rules", "action", "key", "level"),
    [
        ({"preset": "wikipedia_extended"}, "LAY", "laid_by", "laid"),
        ({"preset": "official_1989_full"}, "DOUBLE", "doubled_by", "doublings"),
        ({"preset": "wikipedia_extended", "special_round": "ramsch",
          "ramsch_virgin_announced": True}, "JUNGFRAU", "virgins", None),
    ],
)  # fmt: skip
def test_who_doubled_or_laid_is_not_forgotten(rules, action, key, level):
    seen = 0
    for seed in range(20):
        live = live_table(_core.RuleSet(**rules), people=(0, 1, 2, 3), seed=seed, deals=1)
        rng, game = random.Random(seed), live.deal.game
        while not game.is_terminal:
            names = [name for name in game.legal_names() if not name.endswith("_REST")]
            live.apply(_core.parse_action(action if action in names else rng.choice(names)))
            scene = scene_of_view(game.view(2))
            said = [one.seat for one in scene.said if one.action == action]
            for place in (1, 2):
                told = live.state(place)["circumstances"]
                assert len(scene.said) == 32 or told[key] == said
                assert told["laid_factor"] == 2 ** told["laid"]
                assert level is None or len(told[key]) == (
                    told[level] if level == "laid" else len(told[level])
                )
        seen += bool(told[key]) and len(game.plays) > 4
    assert seen > 5


def test_a_trick_is_counted_from_its_first_card_and_over_with_its_last():
    live, seen = live_table(seed=2, deals=1), set()
    while not live.deal.game.is_terminal:
        shown, plays = live.state(0), len(live.deal.game.plays)
        assert (shown["trick"] or {}).get("number") == ((plays - 1) // 4 if plays else None)
        assert live.is_between_tricks == (plays in range(4, 32, 4))
        seen.add(plays)
        if live.moves_itself:
            live.apply(live.decision()())
        else:
            live.act(0, 1, shown["question_number"], shown["choices"][0]["action"])
    assert seen == set(range(32))


# Whoever holds the called card knows it, and all do when it is played
def test_who_is_the_partner_is_told_to_the_partner_as_long_as_nobody_else_knows():
    alone = {"contracts": ["RUF"], "sie_enabled": False, "tout_enabled": False}
    rules, seen = _core.RuleSet("course_002", **alone), set()
    for seed in range(6):
        live = live_table(rules, people=(0, 1, 2, 3), seed=seed, deals=1)
        game, rng = live.deal.game, random.Random(seed)
        while not game.is_terminal:
            names = [name for name in game.legal_names() if not name.endswith("_REST")]
            live.apply(_core.parse_action("PLAY" if "PLAY" in names else rng.choice(names)))
            for place in range(4):
                scene = scene_of_view(game.view(place))
                told = live.state(place)["is_partner"]
                assert not told or not scene.partner_known
                seen.add((told, scene.owns_called, scene.partner_known))
    assert {(True, True, False), (False, True, True)} <= seen


# C.20.6, D.2.4: one packet is passed on card by card, a Hochzeit is of one card or of two
@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ({"special_round": "schieber", "schieber_cards": 3},
         {f"Welche Karte schiebst du weiter? Noch {n}.": f"Which card do you push on? {n} to go."
          for n in (1, 2, 3)}),
        ({"bauernhochzeit": True, "hochzeit": "before_auction", "legen": "off"}, {
            "Nimmst du die Hochzeit an und gibst 1 Karte zurück?":
                "Do you accept the Hochzeit and give 1 card back?",
            "Nimmst du die Hochzeit an und gibst 2 Karten zurück?":
                "Do you accept the Hochzeit and give 2 cards back?",
            "Welche Karte gibst du zurück? Noch 2.": "Which card do you give back? 2 to go.",
            "Welche Karte gibst du zurück? Noch 1.": "Which card do you give back? 1 to go."}),
    ],
)  # fmt: skip
def test_a_question_says_how_many_cards_are_given(rules, told):
    rules, found, first = _core.RuleSet("wikipedia_extended", **rules), {}, ("PUSH_ON", "HZ_")
    for seed in range(300):
        game = _core.Session(rules, seed=seed).next_game()
        while not game.is_terminal and not game.plays:
            scene = scene_of_view(game.view(game.current_player))
            if scene.phase in ("SCHIEBER_PUSH", "HZ_ACCEPT", "HZ_RETURN"):
                question = questions.question_of(scene, NAMES, "Kontra")
                found.update([words.question(question, scene)])
            wanted = [name for name in game.legal_names() if name.startswith(first)]
            game.apply(wanted[0] if wanted else game.legal_names()[0])
        if found.keys() >= told.keys():
            break
    assert found == told


def test_everything_is_said_in_german_and_in_english():
    assert set(questions._TEXTS) == set(words._QUESTIONS)
    assert set(questions._ANSWERS) == set(words._ANSWERS)
    grounds = (ROOT / "env" / "game" / "refusal.h").read_text(encoding="utf-8")
    named = re.findall(r'"(\w+)"', grounds[grounds.index("names_of(Ground)") :].split("}")[0])
    assert set(named) == set(words.GROUNDS)
    assert {one["maxim"] for v in (1, 2, 3) for one in _core.maxims(v)} == set(maxims.GERMAN)
    german, english = words.WORDS["de"], words.WORDS["en"]
    assert german.keys() == english.keys()
    for key in words._PAGE["de"]:
        assert german[key].count("{") == english[key].count("{"), key
    used = set(re.findall(r'data-(?:text|label)="(\w+)"', (ASSETS / "table.html.j2").read_text()))
    for script in page.SCRIPTS:
        used |= set(re.findall(r'\bsay\("(\w+)"', (ASSETS / script).read_text()))
    assert used <= german.keys() and len(used) > 40
    assert words._PAGE["de"].keys() - used <= {"turn", "declarer", "partner", "given", "received"}
    assert CARD_WORDS["de"].keys() <= german.keys()


# ---- over HTTP -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table():
    tables = (live_table(people=(0, 2), seed=seed) for seed in range(50))
    with served(next(live for live in tables if live.asked_place == 0)) as (app, port):
        yield app, port


@pytest.fixture
def seat(table):
    made = Page(*table)
    made.state(take=True)
    return made


def test_a_deal_is_played_over_http_and_kept(tmp_path):
    file = ReplayFile(tmp_path / "deals.jsonl")
    with served(live_table("official_1989", deals=2, file=file)) as (app, port):
        seat = Page(app, port)
        assert ground(seat.ask("GET", f"{seat.path}/records")) == "no_deal"
        seat.state(take=True)
        assert seat.post("name", name="<b>Zenzi</b>")[0] == 200
        shown = seat.play()
        assert sum(shown["result"]["payoffs"]) == pytest.approx(0)
        _, text, headers = seat.ask("GET", f"{seat.path}/records")
        assert headers["Content-Disposition"] == 'attachment; filename="schafkopf.jsonl"'
        record = json.loads(text)
        assert records.replay(record)["payoffs"] == shown["result"]["payoffs"]
        assert record["meta"]["players"] == ["<b>Zenzi</b>", "Bene", "Caro", "Dora"]
        replay = seat.ask("GET", f"{seat.path}/replay?language=en")[1]
        other = seat.ask("GET", f"{seat.path}/replay?language=tlh")[1]
        assert '<html lang="de">' in other  # as the table's, where the page has no such language
        assert "<b>Zenzi" not in replay and "Zenzi" in replay and '<html lang="en">' in replay
        assert seat.post("next", deal=shown["deal"]) == (200, {})
        assert ground(seat.post("next", deal=shown["deal"])) == "stale"
        assert seat.asked()["deal"] == 2
    assert len(list(records.read_records(tmp_path / "deals.jsonl"))) == 1


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example",
                                  "[::1", "192.0.2.7"])  # fmt: skip
def test_a_foreign_host_is_refused(seat, host):
    for path in (seat.path, "/", f"{seat.path}/state?client={seat.client}&page={page.VERSION}"):
        assert ground(seat.ask("GET", path, Host=host or " ")) == "host"


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1:1", "http://[",
                                    "file://", "http://127.0.0.1"])  # fmt: skip
def test_a_message_of_a_foreign_page_is_refused(seat, origin):
    assert ground(seat.post("name", origin=origin, name="Eve")) == "origin"
    assert "Eve" not in seat.asked()["place_names"]


def test_a_foreign_page_cannot_read_but_a_link_may_be_followed(seat):
    path = f"{seat.path}/state?client={seat.client}&page={page.VERSION}&after=-1"
    foreign = {"Sec_Fetch_Site": "cross-site"}
    assert ground(seat.ask("GET", path, **foreign, Sec_Fetch_Mode="no-cors")) == "origin"
    assert seat.ask("GET", seat.path, **foreign, Sec_Fetch_Mode="navigate")[0] == 200


@pytest.mark.parametrize("path", ["/", "/t/", "/t/x", "/t/%C3%A4%00", "/t/x/state", "/../../etc",
                                  "/favicon.ico"])  # fmt: skip
def test_a_stranger_without_the_link_learns_nothing(seat, path):
    assert ground(seat.ask("GET", path)) == "token"
    status, text, _ = seat.ask("GET", path, Accept="text/html")
    assert status == 404 and "Open the link that the command printed" in text
    assert ground(seat.ask("POST", path, Origin=f"http://127.0.0.1:{seat.port}")) == "token"


def test_a_websocket_is_closed_at_the_door():
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(TableApp(live_table()).asgi({"type": "websocket"}, None, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]  # against the policy


def test_a_link_with_a_slash_at_its_end_is_the_same_link(seat):
    status, text, _ = seat.ask("GET", f"{seat.path}/")
    assert status == 200 and 'id="own"' in text
    assert ground(seat.ask("GET", f"{seat.path}x/")) == "token"


def test_the_link_of_one_seat_shows_that_of_the_others_to_the_first_only(table):
    first, second = (Page(*table, seat=number) for number in (0, 1))
    token = second.path.removeprefix("/t/")
    assert token in first.ask("GET", first.path)[1]
    assert first.path.removeprefix("/t/") not in second.ask("GET", second.path)[1]
    assert len(token) >= 20 and token != first.path.removeprefix("/t/")


MESSAGES = [
    (b"", "message"), (b"{", "message"), (b"[]", "message"), (b"[" * 4000, "message"),
    (b'"x"', "message"), (b"\xff\xfe", "message"), (b"{}", "message"),
    (b'{"client": 7, "page": "PAGE"}', "message"), (b" " * (MOST_BYTES + 1), "size"),
    (b'{"client": "CLIENT", "page": "0"}', "version"), (b'{"client": "CLIENT"}', "version"),
    (b'{"client": "CLIENT", "page": "PAGE"}', "message"),
    (b'{"client": "CLIENT", "page": "PAGE", "deal": true, "question": 1, "action": 1}', "message"),
    (b'{"client": "CLIENT", "page": "PAGE", "deal": 1, "question": 1.0, "action": 1}', "message"),
    (b'{"client": "CLIENT", "page": "PAGE", "deal": 1, "question": 1, "action": "EO"}', "message"),
    (b'{"client": "another one", "page": "PAGE", "deal": 1, "question": 1, "action": 1}', "taken"),
    (b'{"client": "", "page": "PAGE", "deal": 1, "question": 1, "action": 1}', "message"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "why"), MESSAGES)
def test_a_message_that_is_none_is_refused_and_ends_nothing(seat, body, why):
    shown = seat.asked()
    body = body.replace(b"CLIENT", seat.client.encode()).replace(b"PAGE", page.VERSION.encode())
    origin = f"http://127.0.0.1:{seat.port}"
    assert ground(seat.ask("POST", f"{seat.path}/act", body, Origin=origin)) == why
    assert seat.asked() == shown


@pytest.mark.parametrize("action", [-1, 128, 2**40, -(2**70), 2**70])
def test_an_action_that_is_none_is_refused(seat, action):
    shown = seat.asked()
    assert not shown["result"]
    numbers = {"deal": shown["deal"], "question": shown["question_number"]}
    assert ground(seat.post("act", **numbers, action=action)) == "illegal"
    assert seat.asked() == shown


def test_two_pages_of_one_seat_the_later_one_plays(table):
    former, later = Page(*table), Page(*table, client="b" * 24)
    former.state(take=True)
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(former.state()))
    waiting.start()
    until_it_waits(table[0].seats[0])
    later.state(take=True)
    waiting.join(60)
    assert ground(answers[0]) == "taken"  # told at once
    assert ground(former.post("name", name="Former")) == "taken"
    assert later.post("name", name="Later")[0] == 200
    former.state(take=True)  # "play here"
    assert former.post("name", name="Anna")[0] == 200
    assert ground(later.post("hint")) == "taken"


# A page outlives its server, and its person may act before it asks the next one for news
def test_a_seat_that_no_page_has_is_that_of_the_first_that_acts(table):
    first, second = Page(*table), Page(*table, client="b" * 24)
    for client in ("", "\udc80" * 24):
        nobody = Page(*table, client=client)
        assert ground(nobody.post("name", name="Nobody")) == "message"
    assert first.post("name", name="Zenzi") == (200, {})
    assert ground(second.post("name", name="Other")) == "taken"
    assert first.state()[1]["state"]["place_names"][0] == "Zenzi"


def test_a_page_of_another_version_is_told_to_reload(seat):
    assert ground(seat.state(version="0")) == "version"
    assert ground(seat.ask("GET", f"{seat.path}/state?client={seat.client}")) == "version"


def test_the_version_of_a_page_is_that_of_its_script(seat):
    text = seat.ask("GET", seat.path)[1]
    data, script = re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)
    wanted = hashlib.sha256(script.encode()).hexdigest()
    assert json.loads(data)["page"] == wanted[: len(page.VERSION)] and len(page.VERSION) > 8


@pytest.mark.parametrize("wrong", ["", "client=short", "client={}&after=x"])
def test_a_page_that_asks_for_no_news_is_refused(seat, wrong):
    query = f"page={page.VERSION}&{wrong.format(seat.client)}"
    assert ground(seat.ask("GET", f"{seat.path}/state?{query}")) == "message"


def test_a_request_that_is_refused_takes_no_seat(table):
    first, second = Page(*table), Page(*table, client="c" * 24)
    first.state(take=True)
    assert ground(second.state(after="x", take=True)) == "message"
    assert first.state(after=-1)[0] == 200


def test_a_page_waits_for_news_and_gets_them(table):
    first, second = Page(*table), Page(*table, seat=1, client="c" * 24)
    first.state(take=True)
    second.state(take=True)
    second.state(after=-1)
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(second.state()))
    waiting.start()
    until_it_waits(table[0].seats[1])
    time.sleep(0.2)
    assert not answers
    first.post("name", name="Resi")
    waiting.join(60)
    assert answers[0][1]["state"]["place_names"][0] == "Resi"
    first.post("name", name="Anna")


# Each of them holds one of the hundred connections that a table has
def test_so_many_windows_of_a_seat_may_wait_for_news_and_no_more():
    with served(live_table()) as (app, port):
        seat = Page(app, port)
        seat.state(take=True)
        seat.asked()
        after = app.seats[0].version
        waiting = [threading.Thread(target=seat.state, args=(after,)) for _ in range(MOST_POLLS)]
        for one in waiting:
            one.start()
        end = time.monotonic() + 60
        while app.seats[0].polls < MOST_POLLS:
            assert time.monotonic() < end
            time.sleep(0.01)
        assert ground(seat.state(after)) == "busy"
        assert seat.post("name", name="Resi") == (200, {})  # news: all of them have an answer
        for one in waiting:
            one.join(60)
        assert app.seats[0].polls == 0 and seat.state(after)[0] == 200


def test_who_has_the_page_open_is_waited_for_and_nobody_else():
    live, rng = live_table(people=(0, 1), deals=2), random.Random(1)
    while not live.deal.game.is_terminal:
        if live.moves_itself:
            live.apply(live.decision()())
        else:
            shown = live.state(live.asked_place)
            action = rng.choice(shown["choices"])["action"]
            live.act(live.asked_place, 1, shown["question_number"], action)
    with served(live) as (app, port):
        first, second = Page(app, port), Page(app, port, seat=1, client="c" * 24)
        first.state(after=-1, take=True)
        second.state(after=-1, take=True)
        assert first.post("next", deal=1) == (200, {})
        assert live.deal.number == 1  # the other one has just asked
        assert first.state(after=-1)[1]["state"]["waits_for"] == [1]
        waiting = threading.Thread(target=second.state)
        second.state(after=-1)
        waiting.start()
        until_it_waits(app.seats[1])
        assert app.seats[1].is_there(math.inf)  # however long it waits
        assert first.post("name", name="Resi") == (200, {})
        waiting.join(60)
        assert not app.seats[1].is_there(math.inf)


def test_the_page_lets_nothing_in_and_nothing_out(seat):
    _, text, headers = seat.ask("GET", seat.path)
    policy = headers["Content-Security-Policy"]
    nonce = re.search(r"script-src 'nonce-([\w-]+)'", policy)[1]
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"
    scripts = re.findall(r"<(?:script|style)[^>]*>", text)
    assert len(scripts) == 3 and all(f'nonce="{nonce}"' in one for one in scripts)
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", text)
    assert nonce not in seat.ask("GET", seat.path)[1]
    assert "server" not in {name.lower() for name in headers}


def test_an_agent_that_fails_is_named_with_what_helps_and_the_table_stays():
    live = live_table()
    live.table.agents["rules"] = Broken("the engine is gone")
    with served(live) as (app, port):
        seat = Page(app, port)
        seat.state(take=True)
        (shown,) = until_trouble(seat)
        assert len(shown["trouble"]) == 2
        for words_of_page in shown["trouble"]:
            assert re.match(r"(Bene|Caro|Dora) \(rules\)", words_of_page)
            assert "schafkopf serve --resume" in words_of_page
        assert seat.post("name", name="Still here")[0] == 200


class SlowHint:
    """A player whose hint takes as long as a test wants."""

    sees_hidden_hands = False

    def __init__(self, agent):
        self.agent = agent
        self.begun, self.may_end, self.asked = (threading.Event() for _ in range(3))

    def policy(self, *given, **options):
        self.begun.set()
        assert self.may_end.wait(60)
        return self.agent.policy(*given, **options)

    def act(self, *given, **options):
        self.asked.set()
        return self.agent.act(*given, **options)


# The program of an engine answers one question at a time
def test_players_are_not_asked_while_one_of_them_gives_a_hint():
    live = live_table()
    asked_to_play(live)
    slow = live.table.agents["rules"] = SlowHint(live.table.agents["rules"])
    with served(live) as (app, port):
        seat = Page(app, port)
        shown = seat.state(take=True)[1]["state"]
        asking = threading.Thread(target=seat.post, args=("hint",))
        asking.start()
        assert slow.begun.wait(60)
        numbers = {"deal": shown["deal"], "question": shown["question_number"]}
        assert seat.post("act", **numbers, action=shown["choices"][0]["action"]) == (200, {})
        assert not slow.asked.wait(0.5)
        slow.may_end.set()
        asking.join(60)
        assert slow.asked.wait(60)


def test_a_hint_comes_with_what_players_would_do_and_no_value_of_those_that_have_none():
    live = live_table()
    shown = asked_to_play(live)
    with served(live) as (app, port):
        seat = Page(app, port)
        seat.state(take=True)
        status, told = seat.post("hint")
    assert status == 200 and told["players"] == ["rules"] and told["values"] == [None]
    assert len(told["rows"]) == len({choice["card"] for choice in shown["choices"]} - {None})
    assert sum(row["shares"][0] for row in told["rows"]) == pytest.approx(1, abs=1e-3)
    assert told["chosen"] in [row["text"] for row in told["rows"]] and all(told["sentence"])


def test_a_hint_to_a_question_that_was_answered_meanwhile_is_stale():
    live = live_table()
    asked_to_play(live)
    slow = live.table.agents["rules"] = SlowHint(live.table.agents["rules"])
    with served(live) as (app, port):
        seat = Page(app, port)
        shown = seat.state(take=True)[1]["state"]
        answers = []
        asking = threading.Thread(target=lambda: answers.append(seat.post("hint")))
        asking.start()
        assert slow.begun.wait(60)
        numbers = {"deal": shown["deal"], "question": shown["question_number"]}
        assert seat.post("act", **numbers, action=shown["choices"][0]["action"]) == (200, {})
        slow.may_end.set()
        asking.join(60)
        assert ground(answers[0]) == "stale"


def test_a_full_disk_is_told_until_it_is_written_again(tmp_path, monkeypatch, capsys):
    live = live_table(deals=2, file=ReplayFile(tmp_path / "deals.jsonl"))

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", "deals.jsonl")

    def act():
        if live.moves_itself:
            live.apply(live.decision()())
            return
        shown = live.state(live.asked_place)
        numbers = shown["deal"], shown["question_number"]
        live.act(live.asked_place, *numbers, shown["choices"][0]["action"])

    live.keep = full
    act()
    act()
    german, english = live.state(0)["trouble"]
    assert "sichern" in german and "kept" in english
    assert "deals.jsonl" not in german + english  # which is a place of the machine
    assert capsys.readouterr().err == (
        "schafkopf: deals.jsonl: No space left on device; the game goes on, the next answer tries "
        "again\n"
    )
    live.keep = lambda: None
    act()
    assert not live.state(0)["trouble"] and not live.deal.game.is_terminal
    monkeypatch.setattr(live.file, "write", full)
    while not live.deal.game.is_terminal:
        act()
    live.next_deal(1)
    act()
    assert live.state(0)["trouble"]  # the table is kept, its records are not
    monkeypatch.undo()
    play_on(live, random.Random(1))
    assert not live.state(0)["trouble"]
