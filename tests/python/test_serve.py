"""The table in the browser without one: what it tells, what it refuses, how it listens."""

import contextlib
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

schafkopf = pytest.importorskip("schafkopf", exc_type=ImportError)
pytest.importorskip("uvicorn")
pytest.importorskip("starlette")

from schafkopf import _core, records  # noqa: E402
from schafkopf.pictures.replay_words import WORDS as CARD_WORDS  # noqa: E402
from schafkopf.serve import app as app_module  # noqa: E402
from schafkopf.serve import maxims, page, server, thinking, words  # noqa: E402
from schafkopf.serve.app import MOST_BYTES, TableApp  # noqa: E402
from schafkopf.serve.live import LiveTable  # noqa: E402
from schafkopf.serve.refused import SENTENCES, Refused  # noqa: E402
from schafkopf.terminal import questions, special_rounds  # noqa: E402
from schafkopf.terminal.replay_file import ReplayFile  # noqa: E402
from schafkopf.terminal.table import Table, agents_by_place  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "python" / "schafkopf" / "serve" / "assets"
NAMES = ["Anna", "Bene", "Caro", "Dora", "Emil"]
DECK = [_core.card_name(card) for card in range(32)]


def live_table(
    rules="research", people=(0,), seed=3, deals=50, agents=("rules",), file=None, played=()
):
    name = rules if isinstance(rules, str) else "house rules"
    rules = _core.RuleSet(rules) if isinstance(rules, str) else rules
    specs = agents_by_place(list(agents), list(people), rules.players)
    names = NAMES[: rules.players]
    made = {spec: _core.make_agent(spec) for spec in specs if spec}
    table = Table(rules, name, seed, people[0], specs, names, made)
    return LiveTable(table, names, file, deals, played)


def play_on(live, rng, each=lambda: None):
    """Play to the end; people choose at random."""
    while not live.is_over:
        each()
        if live.deal.game.is_terminal:
            live.next_deal(live.deal.number)
        elif live.moves_itself:
            live.apply(live.decision()())
        else:
            shown = live.state(live.asked_place)
            choice = rng.choice(shown["choices"])
            live.act(live.asked_place, shown["deal"], shown["question_number"], choice["action"])


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
    assert told[1].startswith("Schieberrunde, 4 games left: who takes the packet")
    bock = live_table(_core.RuleSet("course_002", special_round="bock")).state(0)["circumstances"]
    assert bock["is_plain_bock"] and bock["bock_factor"] == 2
    assert live_table().state(0)["circumstances"]["special_round"] == []


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
    for place, deal, number, ground in wishes:
        with pytest.raises(Refused) as refused:
            live.act(place, deal, number, action)
        assert refused.value.ground == ground
    with pytest.raises(Refused, match="moved on"):
        live.next_deal(live.deal.number)
    live.act(0, shown["deal"], shown["question_number"], action)
    with pytest.raises(Refused):  # a second click
        live.act(0, shown["deal"], shown["question_number"], action)


@pytest.mark.parametrize("name", ["", "  ", "x" * 21, "a\nb\x00", "Bene", "beNE", None, 7, ["x"]])
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


@contextlib.contextmanager
def served(live, port=0, **options):
    """The application and its port, as long as it is served."""
    app = TableApp(live, live.table.rules_name, **options)
    with server.serving(app, port) as address:
        yield app, int(address.rpartition(":")[2])


class Page:
    """What a page of a seat says to the server."""

    def __init__(self, app, port, seat=0, client="a" * 24, token=""):
        token = token or app.seats[seat].token
        self.port, self.path, self.client = port, f"/t/{token}", client
        self.version = -1

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        given = {"Host": f"127.0.0.1:{self.port}", **{k: v for k, v in headers.items() if v}}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in given.items():
            connection.putheader(name.replace("_", "-"), value)
        body = b"" if body is None else body
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8")
        connection.close()
        kind = answer.headers.get("content-type", "")
        return answer.status, json.loads(text) if "json" in kind else text, answer.headers

    def state(self, after=None, take=False, version=page.VERSION, client=None):
        query = f"client={client or self.client}&page={version}"
        query += f"&after={self.version if after is None else after}" + ("&take=1" if take else "")
        status, answer, _ = self.ask("GET", f"{self.path}/state?{query}")
        if status == 200:
            self.version = answer["version"]
        return status, answer

    def post(self, what, origin="own", **message):
        body = json.dumps({"client": self.client, "page": page.VERSION, **message}).encode()
        own = f"http://127.0.0.1:{self.port}" if origin == "own" else origin
        return self.ask("POST", f"{self.path}/{what}", body, Origin=own)[:2]

    def asked(self):
        """The state in which this page is asked, or the deal is over."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            shown = self.state(after=-1)[1]["state"]
            if shown["question"] or shown["result"]:
                return shown
        raise AssertionError("nobody asks")

    def play(self):
        """Play a deal to its end."""
        rng = random.Random(4)
        while not (shown := self.asked())["result"]:
            action = rng.choice(shown["choices"])["action"]
            numbers = {"deal": shown["deal"], "question": shown["question_number"]}
            assert self.post("act", **numbers, action=action) == (200, {})
        return shown


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


def ground(answer):
    status, message = answer[:2]
    assert status == SENTENCES[message["ground"]][0] and all(message["text"])
    return message["ground"]


def test_a_deal_is_played_over_http_and_kept(tmp_path):
    file = ReplayFile(tmp_path / "deals.jsonl")
    with served(live_table("official_1989", deals=2, file=file)) as (app, port):
        seat = Page(app, port)
        assert ground(seat.ask("GET", f"{seat.path}/records")) == "no_deal"
        seat.state(take=True)
        assert seat.post("name", name="<b>Zenzi</b>")[0] == 200
        shown = seat.play()
        assert sum(shown["result"]["payoffs"]) == pytest.approx(0)
        text = seat.ask("GET", f"{seat.path}/records")[1]
        record = json.loads(text)
        assert records.replay(record)["payoffs"] == shown["result"]["payoffs"]
        assert record["meta"]["players"] == ["<b>Zenzi</b>", "Bene", "Caro", "Dora"]
        replay = seat.ask("GET", f"{seat.path}/replay?language=en")[1]
        assert "<b>Zenzi" not in replay and "Zenzi" in replay and 'lang="en"' in replay
        assert seat.post("next", deal=shown["deal"]) == (200, {})
        assert ground(seat.post("next", deal=shown["deal"])) == "stale"
        assert seat.asked()["deal"] == 2
    assert len(list(records.read_records(tmp_path / "deals.jsonl"))) == 1


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example",
                                  "[::1", "192.0.2.7"])  # fmt: skip
def test_a_foreign_host_is_refused(seat, host):
    for path in (seat.path, "/", f"{seat.path}/state?client={seat.client}&page=1"):
        assert ground(seat.ask("GET", path, Host=host or " ")) == "host"


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1:1", "http://[",
                                    "file://", "http://127.0.0.1"])  # fmt: skip
def test_a_message_of_a_foreign_page_is_refused(seat, origin):
    assert ground(seat.post("name", origin=origin, name="Eve")) == "origin"
    assert "Eve" not in seat.asked()["place_names"]


def test_a_foreign_page_cannot_read_but_a_link_may_be_followed(seat):
    path = f"{seat.path}/state?client={seat.client}&page=1&after=-1"
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


def test_the_link_of_one_seat_shows_that_of_the_others_to_the_first_only(table):
    first, second = (Page(*table, seat=number) for number in (0, 1))
    token = second.path.removeprefix("/t/")
    assert token in first.ask("GET", first.path)[1]
    assert first.path.removeprefix("/t/") not in second.ask("GET", second.path)[1]
    assert len(token) >= 20 and token != first.path.removeprefix("/t/")


MESSAGES = [
    (b"", "message"), (b"{", "message"), (b"[]", "message"), (b"[" * 4000, "message"),
    (b'"x"', "message"), (b"\xff\xfe", "message"), (b"{}", "message"),
    (b'{"client": 7, "page": "1"}', "message"), (b" " * (MOST_BYTES + 1), "size"),
    (b'{"client": "CLIENT", "page": "0"}', "version"), (b'{"client": "CLIENT"}', "version"),
    (b'{"client": "CLIENT", "page": "1"}', "message"),
    (b'{"client": "CLIENT", "page": "1", "deal": true, "question": 1, "action": 1}', "message"),
    (b'{"client": "CLIENT", "page": "1", "deal": 1, "question": 1.0, "action": 1}', "message"),
    (b'{"client": "CLIENT", "page": "1", "deal": 1, "question": 1, "action": "EO"}', "message"),
    (b'{"client": "other", "page": "1", "deal": 1, "question": 1, "action": 1}', "taken"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "why"), MESSAGES)
def test_a_message_that_is_none_is_refused_and_ends_nothing(seat, body, why):
    shown = seat.asked()
    body = body.replace(b"CLIENT", seat.client.encode())
    origin = f"http://127.0.0.1:{seat.port}"
    assert ground(seat.ask("POST", f"{seat.path}/act", body, Origin=origin)) == why
    assert seat.asked() == shown


@pytest.mark.parametrize("action", [-1, 128, 2**40, -(2**70), 2**70])
def test_an_action_that_is_none_is_refused(seat, action):
    shown = seat.asked()
    if shown["result"]:
        pytest.skip("the deal is over")
    numbers = {"deal": shown["deal"], "question": shown["question_number"]}
    assert ground(seat.post("act", **numbers, action=action)) == "illegal"
    assert seat.asked() == shown


def test_two_pages_of_one_seat_the_later_one_plays(table):
    former, later = Page(*table), Page(*table, client="b" * 24)
    former.state(take=True)
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(former.state()))
    waiting.start()
    time.sleep(0.1)
    later.state(take=True)
    waiting.join(5)
    assert ground(answers[0]) == "taken"  # told at once
    assert ground(former.post("name", name="Former")) == "taken"
    assert later.post("name", name="Later")[0] == 200
    former.state(take=True)  # "play here"
    assert former.post("name", name="Anna")[0] == 200
    assert ground(later.post("hint")) == "taken"


def test_a_page_of_another_version_is_told_to_reload(seat):
    assert ground(seat.state(version="0")) == "version"
    for query in ("", "client=short&page=1", f"client={seat.client}&page=1&after=x"):
        assert ground(seat.ask("GET", f"{seat.path}/state?{query}")) in ("message", "version")


def test_a_page_waits_for_news_and_gets_them(table):
    first, second = Page(*table), Page(*table, seat=1, client="c" * 24)
    first.state(take=True)
    second.state(take=True)
    second.state(after=-1)
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(second.state()))
    waiting.start()
    time.sleep(0.2)
    assert not answers
    first.post("name", name="Resi")
    waiting.join(5)
    assert answers[0][1]["state"]["place_names"][0] == "Resi"
    first.post("name", name="Anna")


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


class Broken:
    """A player whose program ends, with last words."""

    sees_hidden_hands = False

    def __init__(self, words):
        self.words = words

    def act(self, *_, **__):
        raise RuntimeError(self.words)

    policy = act


def until_trouble(*pages):
    """What pages are told of a player that fails; people answer what comes first."""
    end = time.monotonic() + 10
    while True:
        told = [page.state(after=-1)[1]["state"] for page in pages]
        if all(shown["trouble"] for shown in told):
            return told
        assert time.monotonic() < end
        for seat, shown in zip(pages, told, strict=True):
            if shown["question"]:
                numbers = {"deal": shown["deal"], "question": shown["question_number"]}
                seat.post("act", **numbers, action=shown["choices"][0]["action"])


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


def test_a_hint_to_a_question_that_was_answered_meanwhile_is_stale():
    live = live_table()
    asked_to_play(live)
    begun, may_end = threading.Event(), threading.Event()

    class Slow:
        sees_hidden_hands = False

        def policy(self, *given, **options):
            begun.set()
            assert may_end.wait(10)
            return agent.policy(*given, **options)

        def act(self, *given, **options):
            return agent.act(*given, **options)

    agent, live.table.agents["rules"] = live.table.agents["rules"], Slow()
    with served(live) as (app, port):
        seat = Page(app, port)
        shown = seat.state(take=True)[1]["state"]
        answers = []
        asking = threading.Thread(target=lambda: answers.append(seat.post("hint")))
        asking.start()
        assert begun.wait(10)
        numbers = {"deal": shown["deal"], "question": shown["question_number"]}
        assert seat.post("act", **numbers, action=shown["choices"][0]["action"]) == (200, {})
        may_end.set()
        asking.join(10)
        assert ground(answers[0]) == "stale"


def test_a_full_disk_is_told_until_it_is_written_again(tmp_path, monkeypatch):
    live = live_table(deals=2, file=ReplayFile(tmp_path / "deals.jsonl"))

    def full(*_):
        raise OSError("no space left")

    def act():
        if live.moves_itself:
            live.apply(live.decision()())
            return
        shown = live.state(live.asked_place)
        numbers = shown["deal"], shown["question_number"]
        live.act(live.asked_place, *numbers, shown["choices"][0]["action"])

    live.keep = full
    act()
    assert live.state(0)["trouble"] == ["no space left"] * 2
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


# ---- the socket and the command ------------------------------------------------------------------


def test_connections_that_ask_nothing_shut_nobody_out(monkeypatch):
    monkeypatch.setattr(server, "PATIENCE_S", 0.5)
    with served(live_table()) as (app, port), contextlib.ExitStack() as opened:
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(101)]
        for one in silent:
            opened.enter_context(one)
        silent[0].sendall(b"GET / HTTP/1.1\r\nHost: 127")  # a beginning is no request
        seat = Page(app, port)
        deadline = time.monotonic() + 20
        while seat.ask("GET", f"{seat.path}/records")[0] == 503:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert ground(seat.ask("GET", f"{seat.path}/records")) == "no_deal"
        silent[0].settimeout(5)
        assert silent[0].recv(100) == b""


def closes(opened, seconds=5):
    """Whether the server closes a connection in that time; returns what came before, else None."""
    opened.settimeout(0.1)
    end, came = time.monotonic() + seconds, b""
    while time.monotonic() < end:
        try:
            part = opened.recv(1 << 16)
        except TimeoutError:
            continue
        except ConnectionError:
            return came
        if not part:
            return came
        came += part
    return None


@pytest.mark.parametrize("sent", ["the beginning of a next one", "no body", "bytes now and then"])
def test_a_connection_keeps_its_place_with_a_request_that_comes_whole_and_no_other(
    monkeypatch, sent
):
    monkeypatch.setattr(server, "PATIENCE_S", 0.5)
    with served(live_table()) as (_, port), socket.create_connection(("127.0.0.1", port)) as one:
        head = f"/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n".encode()
        if sent == "no body":
            one.sendall(b"POST " + head + b"Content-Length: 4000\r\n\r\n")
        else:
            one.sendall(b"GET " + head + b"\r\n")
        assert one.recv(1 << 16).startswith(b"HTTP/1.1 4")
        one.sendall(b"G")
        ended = False
        for _ in range(20 if sent == "bytes now and then" else 0):
            time.sleep(0.1)
            try:
                one.sendall(b"E")
            except ConnectionError:
                ended = True
                break
        assert ended or closes(one, 3) is not None


def pipelined(app, port, requests):
    """A connection that asks for the page so many times at once, with little room for answers."""
    opened = socket.socket()
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
    opened.connect(("127.0.0.1", port))
    path = app.path_of(app.seats[0])
    opened.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode() * requests)
    return opened


def test_a_connection_that_takes_no_answers_is_closed_and_one_that_takes_them_slowly_is_not(
    monkeypatch,
):
    monkeypatch.setattr(server, "PATIENCE_S", 0.5)
    requests = 12  # some megabytes, more than the system keeps for a reader
    with served(live_table()) as (app, port), pipelined(app, port, requests) as one:
        time.sleep(2)
        came = closes(one)
        assert came is not None and came.count(b"HTTP/1.1 200 OK") < requests
        with pipelined(app, port, requests) as slow:
            answers, left = 0, b""
            slow.settimeout(5)
            while answers < requests and (part := slow.recv(1 << 17)):
                *whole, left = (left + part).split(b"HTTP/1.1 200 OK")
                answers += len(whole)
                time.sleep(0.02)
                left = left[-14:] if not whole else left
            assert answers == requests


def test_a_message_whose_text_does_not_come_is_refused(monkeypatch):
    monkeypatch.setattr(app_module, "MESSAGE_S", 0.3)
    with served(live_table()) as (app, port), socket.create_connection(("127.0.0.1", port)) as one:
        own = f"127.0.0.1:{port}"
        head = f"POST {app.path_of(app.seats[0])}/act HTTP/1.1\r\nHost: {own}\r\n"
        head += f"Origin: http://{own}\r\nContent-Length: 9\r\n\r\n"
        one.sendall(head.encode() + b"{")
        one.settimeout(5)
        assert one.recv(1 << 16).startswith(b"HTTP/1.1 408")


def test_a_page_that_waits_for_news_may_wait_longer_than_a_silent_one(monkeypatch):
    monkeypatch.setattr(server, "PATIENCE_S", 0.2)
    live = next(one for seed in range(9) if not (one := live_table(seed=seed)).moves_itself)
    with served(live) as (app, port):
        seat, other = Page(app, port), Page(app, port)
        seat.state(take=True)
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(seat.state()))
        waiting.start()
        time.sleep(1)
        assert not answers and other.post("name", name="Resi")[0] == 200
        waiting.join(5)
        assert answers[0][1]["state"]["place_names"][0] == "Resi"


def test_a_port_in_use_and_an_address_of_others_are_refused():
    with contextlib.closing(server.listening("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"--port {port}: is in use: choose another one"):
            server.listening("127.0.0.1", port)
    for host in ("192.0.2.1", "no.such.host.invalid", "\udc80"):
        with pytest.raises(ValueError, match=r"--host .*allowed"):
            server.listening(host, 0)


def test_it_listens_where_it_was_told_and_nowhere_else():
    with contextlib.closing(server.listening("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with contextlib.closing(socket.socket()) as other, pytest.raises(OSError):
            other.settimeout(2)
            other.connect(("127.0.0.2", port))
    assert (
        server.is_local("127.0.0.1") and server.is_local("::1") and not server.is_local("10.0.0.1")
    )
    assert "" not in server.names_of("localhost") and "" in server.names_of("0.0.0.0")


def command(folder, *arguments, port="0"):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    where = ["--port", port] if port else []
    return subprocess.Popen(
        [sys.executable, "-m", "schafkopf", "serve", "--fast", *where, *arguments],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_a_link_for_each_person_and_keeps_the_deals(tmp_path, number):
    process = command(tmp_path, "--seats", "0", "2", "--seed", "1", "--out", "deals.jsonl")
    lines = [process.stdout.readline() for _ in range(4)]
    links = re.findall(r"^\w+ \(seat (\d)\): http://127.0.0.1:(\d+)(/t/[\w-]{20,})$",
                       "".join(lines), re.MULTILINE)  # fmt: skip
    assert [seat for seat, _, _ in links] == ["0", "2"], lines
    connection = http.client.HTTPConnection("127.0.0.1", int(links[0][1]), timeout=20)
    connection.request("GET", links[0][2])  # it stays open
    assert connection.getresponse().status == 200
    process.send_signal(number)
    out = process.communicate(timeout=20)[0]
    connection.close()
    assert process.returncode == 128 + number and "Traceback" not in out
    assert "The deals are in deals.jsonl" in out
    record = next(records.read_records(tmp_path / "deals.jsonl"))
    assert record["meta"]["unfinished"]


def test_a_player_that_thinks_for_long_keeps_nobody_from_ending_the_table(tmp_path):
    engine = tmp_path / "thinks.sh"
    engine.write_text(
        "#!/bin/sh\nwhile read -r word rest; do case $word in\n"
        "hello) echo hello 1 name slow;;\n"
        f"go) touch {tmp_path}/thinks; read -r rest; exit;;\n"
        "esac; done\n"
    )
    player = f"engine:time=60,sh {engine}"
    process = command(tmp_path, "--seed", "2", "--agents", player, "--out", "deals.jsonl")
    try:
        end = time.monotonic() + 30
        while not (tmp_path / "thinks").exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out = process.communicate(timeout=20)[0]
    finally:
        process.kill()
    assert process.returncode == 130 and "The deals are in deals.jsonl" in out
    assert next(records.read_records(tmp_path / "deals.jsonl"))["meta"]["unfinished"]


def test_a_page_that_waits_is_told_that_the_table_is_closed(capfd):
    with served(live_table()) as (app, port):
        seat = Page(app, port)
        assert seat.state(take=True)[0] == 200
        told = []
        waits = threading.Thread(target=lambda: told.append(seat.state(after=app.seats[0].version)))
        seat.asked()
        waits.start()
        while not app.seats[0].polls:
            time.sleep(0.01)
    waits.join(10)
    assert [ground(answer) for answer in told] == ["closed"]
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seats", "0", "2", "0"], "--seats 0 2 0: a seat stands there twice"),
        (["--seats", "4"], "--seats = 4, allowed: 0..3 under these rules"),
        (["--agents", "rules", "rules"], "--agents: 2 came"),
        (["--host", "no.such.host.invalid"], "no such address"),
        (["--rules", "reserch"], "research"),
        (["--out", "there/deals.jsonl"], "the folder there does not exist"),
    ],
)
def test_wrong_options_are_refused_with_a_sentence(tmp_path, monkeypatch, capsys, arguments, said):
    from schafkopf import cli

    monkeypatch.chdir(tmp_path)
    assert cli.main(["serve", "--port", "0", *arguments]) == cli.WRONG_INPUT
    assert said in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.jsonl"))


def test_without_its_packages_the_command_says_what_to_install():
    code = (
        "import sys; sys.modules['starlette'] = None\n"
        "from schafkopf import cli; sys.exit(cli.main(['serve', '--port', '0']))"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True,
                          text=True, timeout=60)  # fmt: skip
    assert done.returncode == 1 and "pip install 'schafkopf[serve]'" in done.stderr


@pytest.mark.parametrize("room_for_a_thread", [False, True])
def test_a_table_without_memory_ends_and_says_so(monkeypatch, room_for_a_thread):
    live = next(one for seed in range(9) if (one := live_table(seed=seed)).moves_itself)

    def fail(*_):
        raise MemoryError if room_for_a_thread else RuntimeError("can't start new thread")

    if room_for_a_thread:
        live.decision = lambda: fail
    else:
        no_room = SimpleNamespace(Thread=lambda **_: SimpleNamespace(start=fail))
        monkeypatch.setattr(thinking, "threading", no_room)
    app = TableApp(live, "research")
    with (
        contextlib.closing(server.listening("127.0.0.1", 0)) as listener,
        pytest.raises(MemoryError),
    ):
        server.serve(app, listener)


def test_a_fault_in_what_is_shown_ends_the_table_instead_of_stopping_it(monkeypatch):
    live = next(one for seed in range(9) if (one := live_table(seed=seed)).moves_itself)
    app = TableApp(live, "research")

    def fail():
        raise ZeroDivisionError("shown")

    monkeypatch.setattr(app, "_show", fail)
    with (
        contextlib.closing(server.listening("127.0.0.1", 0)) as listener,
        pytest.raises(ZeroDivisionError),
    ):
        server.serve(app, listener)
