"""What the tests of `schafkopf play` share: a table, who answers at it, and a terminal."""

import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from schafkopf import _core
from schafkopf.commands import play as play_command
from schafkopf.terminal import guide, words
from schafkopf.terminal.console import Leave
from schafkopf.terminal.table import Table, agents_by_place

ROOT = Path(__file__).resolve().parents[3]
DECK = [suit + rank for suit in words.SUITS for rank in words.RANKS]
NAMES = ["You", "Left", "Across", "Right"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "python"), "PYTHONIOENCODING": "utf-8"}


class Person:
    """Answers at random among what may be answered; leaves after so many answers."""

    is_terminal = False

    def __init__(self, seed, out, answers=None):
        self.rng = random.Random(seed)
        self.out = out
        self.left = answers

    def ask(self, completions=()):
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Leave("quit")
        answer = self.choose([word for word in completions if word not in guide.COMMANDS])
        self.out.write(f"> {answer}\n")
        return answer

    def choose(self, possible):
        chance = self.rng.random()
        if chance < 0.1:
            return self.rng.choice([word for word in guide.COMMANDS if word != "quit"])
        if chance < 0.2:
            return self.rng.choice(["sau", "EO", "h", "1", "", "gras", "?", "yes", "no", "x", "7"])
        return self.rng.choice([word for word in possible if word not in ("claim", "concede")])


def table_of(rules, seed=1, me=0, agent="random"):
    players = int(rules.players)
    specs = agents_by_place([agent], [me], players)
    neighbours = play_command._NEIGHBOURS[players]
    names = [neighbours[(place - me) % players] for place in range(players)]
    return Table(rules, "research", seed, me, specs, names, {agent: _core.make_agent(agent)})


RULES = {
    **{name: {"preset": name} for name in _core.preset_names()},
    **{
        f"round-{mode}": {"preset": "wikipedia_extended", "special_round": mode}
        for mode in _core.SPECIAL_ROUNDS[1:]
    },
    "three": {"preset": "official_1989", "players": 3, "deck": "short24"},
    "five": {"preset": "official_1989_full", "players": 5},
    "steigern": {"preset": "official_1989", "solo_contest": "steigern"},
    "claims": {"preset": "official_1989", "laufende_by_claim": True, "schwarz_by_claim": True},
    "last-trick-only": {"preset": "official_1989", "history_view": "last_trick"},
    "schellen-trump": {"preset": "official_1989", "partner_trump_suit": "S"},
    "hochzeit-late": {"preset": "official_1989", "hochzeit": "after_all_pass"},
}


def rules_of(name):
    switches = dict(RULES[name])
    return _core.RuleSet(switches.pop("preset"), **switches)


class Script:
    is_terminal = False

    def __init__(self, answers):
        self.answers = list(answers)

    def ask(self, completions=()):
        if not self.answers:
            raise Leave("end of input")
        return self.answers.pop(0)


def command(*arguments):
    return [sys.executable, "-W", "error", "-m", "schafkopf.cli", "play", *map(str, arguments)]


def play(answers, *arguments, cwd=ROOT):
    return subprocess.run(
        command(*arguments),
        input=answers,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=ENVIRONMENT,
        encoding="utf-8",
        timeout=120,
    )


def wait_for(stream, text):
    assert any(text in line for line in stream)


def replayed(path):
    """Results as `schafkopf replay` prints them."""
    result = subprocess.run(
        [sys.executable, "-m", "schafkopf.cli", "replay", str(path)],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
    )
    return [json.loads(line) for line in result.stdout.splitlines()]


def sleeps(process):
    """Whether a process waits for something other than its turn on a processor."""
    stat = Path(f"/proc/{process.pid}/stat").read_text()
    return stat.rpartition(")")[2].split()[0] == "S"


class PseudoTerminal:
    """The command in a terminal of 80 columns; reads until a prompt."""

    def __init__(self, *arguments, **environment):
        pty = pytest.importorskip("pty")
        self.leader, follower = pty.openpty()
        self.process = subprocess.Popen(
            command(*arguments),
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env={**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "80", **environment},
            start_new_session=True,
        )
        os.close(follower)
        self.text = ""

    def read(self, until, seconds=60):
        """Text up to the first match of `until` after what was read before."""
        start, end = len(self.text), time.monotonic() + seconds
        while not re.search(until, self.text[start:]):
            assert time.monotonic() < end, self.text[start:]
            if select.select([self.leader], [], [], 0.2)[0]:
                try:
                    data = os.read(self.leader, 65536)
                except OSError:  # the other side is closed
                    data = b""
                if not data:
                    break
                self.text += data.decode("utf-8", "replace")
        return self.text[start:]

    def question(self):
        """Text up to the prompt: what is typed before it may get lost when the mode changes."""
        return self.read(r"\n(\x1b\[\?2004h)?> $|deals? in")

    def send(self, text):
        os.write(self.leader, text.encode())

    def interrupt(self):
        """Ctrl-C once the command sleeps: readline forgets a signal between prompt and waiting."""
        asleep, end = 0, time.monotonic() + 60
        while asleep < 5:
            assert time.monotonic() < end
            time.sleep(0.05)
            asleep = asleep + 1 if sleeps(self.process) else 0
        self.process.send_signal(signal.SIGINT)

    def finish(self):
        self.read("no such text")
        code = self.process.wait(timeout=60)
        os.close(self.leader)
        return code
