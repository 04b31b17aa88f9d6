"""What the tests of the table in the browser share: a table, its server, a page that asks it."""

import contextlib
import http.client
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("starlette")

from schafkopf import _core
from schafkopf.serve import page, server
from schafkopf.serve.app import TableApp
from schafkopf.serve.live import LiveTable
from schafkopf.serve.refused import SENTENCES
from schafkopf.terminal.table import Table, agents_by_place

ROOT = Path(__file__).resolve().parents[3]
ASSETS = ROOT / "python" / "schafkopf" / "serve" / "assets"
NAMES = ["Anna", "Bene", "Caro", "Dora", "Emil"]
DECK = [_core.card_name(card) for card in range(32)]


def live_table(
    rules="research",
    people=(0,),
    seed=3,
    deals=50,
    agents=("rules",),
    file=None,
    played=(),
    heard=0,
):
    name = rules if isinstance(rules, str) else "house rules"
    rules = _core.RuleSet(rules) if isinstance(rules, str) else rules
    specs = agents_by_place(list(agents), list(people), rules.players)
    names = NAMES[: rules.players]
    made = {spec: _core.make_agent(spec) for spec in specs if spec}
    table = Table(rules, name, seed, people[0], specs, names, made)
    return LiveTable(table, names, file, deals, played, heard)


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
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
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
        end = time.monotonic() + 60
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


def until_it_waits(seat):
    """Wait until the server holds a request for news of a seat."""
    end = time.monotonic() + 60
    while not seat.polls:
        assert time.monotonic() < end
        time.sleep(0.01)


def ground(answer):
    status, message = answer[:2]
    assert status == SENTENCES[message["ground"]][0] and all(message["text"])
    return message["ground"]


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
    end = time.monotonic() + 60
    while True:
        told = [page.state(after=-1)[1]["state"] for page in pages]
        if all(shown["trouble"] for shown in told):
            return told
        assert time.monotonic() < end
        for seat, shown in zip(pages, told, strict=True):
            if shown["question"]:
                numbers = {"deal": shown["deal"], "question": shown["question_number"]}
                seat.post("act", **numbers, action=shown["choices"][0]["action"])


def command(folder, *arguments, port="0"):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    where = ["--port", port] if port else []
    return subprocess.Popen(
        [sys.executable, "-m", "schafkopf", "serve", "--fast", *where, *arguments],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
