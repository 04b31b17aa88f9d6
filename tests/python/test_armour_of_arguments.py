"""What came from outside trials of hostile arguments: each ended the program, or never ended."""

from __future__ import annotations

import base64
import copy
import inspect
import os
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest

import schafkopf
from schafkopf import _core


def holds_itself():
    value = []
    value.append(value)
    return value


def holds_itself_by_key():
    value = {}
    value["a"] = value
    return value


def deep():
    value = 0
    for _ in range(50_000):
        value = [value]
    return value


def many_times_the_same():
    value = [0]
    for _ in range(60):
        value = [value] * 10
    return value


@pytest.mark.parametrize("make", [holds_itself, holds_itself_by_key, deep, many_times_the_same])
@pytest.mark.parametrize(
    "take",
    [
        lambda value: schafkopf.Game(seed=value),
        lambda value: schafkopf.VectorEnv(2, rule_index=value),
        lambda value: schafkopf.RuleSet("research", all_pass=value),
        lambda value: schafkopf.Contract("SOLO", declarer=value),
        lambda value: _core.card_name(value),
    ],
    ids=["seed", "rule_index", "rule", "seat", "card"],
)
def test_a_value_without_an_end_is_refused(take, make):
    with pytest.raises((ValueError, TypeError)):
        take(make())


def test_a_list_without_an_end_is_refused_in_a_moment():
    hostile = (many_times_the_same(), [0] * 20_000_000)
    started = time.process_time()
    for take in (
        lambda value: schafkopf.Game(seed=value),
        lambda value: schafkopf.RuleSet("research", all_pass=value),
    ):
        for value in hostile:
            with pytest.raises((ValueError, TypeError)):
                take(value)
    assert time.process_time() - started < 1


def test_logits_that_numpy_will_not_make_float32_raise_what_numpy_raises():
    env = schafkopf.VectorEnv(1, seed=1)
    env.reset()
    logits = np.where(env.action_mask == 1, 0.0, -1e300)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        schafkopf.sample(logits, env.legal, 1)
    with np.errstate(over="ignore"):
        (action,) = schafkopf.sample(logits, env.legal, 1)
    assert env.action_mask[0, action] == 1


class Answers:
    """Gives what it is told to give."""

    def __init__(self, probabilities=None, values=None):
        self.probabilities, self.values = probabilities, values

    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)

    def policy(self, views):
        mask = schafkopf.legal_mask(views).astype(float)
        rows = mask / mask.sum(1, keepdims=True)
        given = rows if self.probabilities is None else self.probabilities(rows)
        return given, np.zeros(len(views)) if self.values is None else self.values(views)


@pytest.mark.parametrize(
    "player",
    [
        Answers(values=lambda views: [{}] * len(views)),
        Answers(values=lambda views: ["x"] * len(views)),
        Answers(values=lambda views: np.zeros(len(views), "datetime64[D]")),
        Answers(probabilities=lambda rows: rows.astype("U8")),
        Answers(probabilities=lambda rows: rows.astype(object)),
        Answers(probabilities=lambda rows: rows.astype(complex)),
    ],
    ids=["dicts", "texts", "dates", "text_rows", "object_rows", "complex_rows"],
)
def test_a_policy_that_gives_no_numbers_is_refused_by_name(player):
    game = schafkopf.Game(seed=1)
    with pytest.raises(ValueError, match=r"policy\(\) gave (values|probabilities) .*: numbers"):
        schafkopf.make_agent(player).policy(game.view(game.current_player))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_pickles(protocol):
    rules = schafkopf.RuleSet("research")
    game = schafkopf.Game(seed=3)
    for value in (rules, game, schafkopf.Contract("WENZ", declarer=1)):
        assert pickle.loads(pickle.dumps(value, protocol)) == value


def test_what_is_between_the_fields_of_the_truth_is_nothing():
    kept = [np.full(64, 0x4E, np.uint8) for _ in range(2000)]
    game = schafkopf.Game(seed=5)
    del kept
    rows = {game.full_view(0).tobytes() for _ in range(200)}
    assert len(rows) == 1
    used = np.zeros(64, bool)
    dtype = schafkopf.views.FULL_VIEW_DTYPE
    for name in dtype.names:
        field, offset = dtype.fields[name][:2]
        used[offset : offset + field.itemsize] = True
    (row,) = rows
    assert not np.frombuffer(row, np.uint8)[~used].any()


# 192 bytes of a view that were changed until they told of announcements that cannot have come so.
NEVER_WAS = (
    "hAAIJYQAAAAUB/8ECQzIIAACAIABgCAAADAACAJAAEAA5QAAAQAAAAAgAAACAAAAAAAAAADSAAAAACDI"
    "AAAAAJ+12/7M7omvoM3hAAAAAAAAAAAAAAAAAAAAAAAAAAAAAwsGOQQAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAggCGBIIIgg12BLIYAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAA"
)


def test_a_past_that_never_was_is_refused_by_search():
    dtype = schafkopf.views.VIEW_DTYPE
    views = np.frombuffer(base64.b64decode(NEVER_WAS), dtype=dtype)
    with pytest.raises(ValueError, match="did not happen by these rules"):
        schafkopf.make_agent("net+search:baseline,worlds=2").act(views)


# ---- programs whose standard streams are closed, full or no text -------------------------------


def started(words, streams="", given=b""):
    command = f'exec "$0" -W error -m schafkopf.cli {words} {streams}'
    return subprocess.run(
        ["sh", "-c", command, sys.executable],
        input=given,
        capture_output=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "streams", "code"),
    [
        ("tournament --agents rules random --blocks 1 --threads 1", "2>&-", 0),
        ("tournament --agents rules random --blocks 1 --threads 1", ">&-", 0),
        ("engine rules", "<&-", 0),
        ("play --seed 1 --fast --out records.jsonl", "<&-", 0),
        ("play --seed 1 --fast --out records.jsonl", ">&- </dev/null", 0),
    ],
)
def test_a_closed_stream_is_an_empty_one(tmp_path, monkeypatch, words, streams, code):
    monkeypatch.chdir(tmp_path)
    done = started(words, streams)
    assert b"Traceback" not in done.stderr
    assert done.returncode == code, done.stderr


@pytest.mark.parametrize("words", ["--version", "--help", "train --help", "rules list --help"])
def test_a_full_disk_behind_the_version_or_help_is_one_message(words):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    done = started(words, ">/dev/full")
    assert done.returncode == 1
    (line, *_) = done.stderr.decode().splitlines()
    assert line.startswith("schafkopf: ") and "Traceback" not in done.stderr.decode()
    assert "No space left on device" in line


def test_help_that_nobody_reads_to_its_end_is_no_error():
    done = started("train --help", "| true")
    assert done.returncode == 0 and done.stderr == b""


def test_a_line_that_is_no_text_does_not_end_an_engine():
    done = started("engine rules", given=b"hello 1\n\xff\xfe\nhello 1\nquit\n")
    first, wrong, again, *_ = done.stdout.decode().splitlines()
    assert done.returncode == 0 and first == again and wrong.startswith("error ")


def test_a_line_without_an_end_takes_no_memory():
    done = started("engine rules", given=b"x" * 3_000_000)
    assert done.returncode == 2 and done.stdout == b""
    assert done.stderr.decode().splitlines() == [
        "schafkopf: a line of more than 1048576 characters"
    ]


# ---- objects whose constructor has not run -------------------------------------------------------

CLASSES = [
    value
    for value in vars(_core).values()
    if isinstance(value, type) and not issubclass(value, BaseException)
]


ASKS = {
    "__repr__": repr,
    "__hash__": hash,
    "__getstate__": pickle.dumps,
    "__eq__": lambda one: one == type(one).__new__(type(one)),
}


def said_to(call):
    """What calls with 0 to 7 arguments are refused with; one of them has as many as are needed."""
    said = []
    for count in range(8):
        with pytest.raises(TypeError) as caught:
            call(*[None] * count)
        said.append(str(caught.value))
    return said


@pytest.mark.parametrize("made", CLASSES, ids=[one.__name__ for one in CLASSES])
def test_an_object_that_is_not_made_yet_is_refused(made):
    unmade, asked = made.__new__(made), 0
    for name in dir(made):
        member = getattr(made, name)
        static = isinstance(inspect.getattr_static(made, name), staticmethod)
        if static or name.startswith(("__", "_pybind11")) or isinstance(member, (int, str, made)):
            continue
        asked += 1
        if isinstance(member, property):
            with pytest.raises(TypeError, match="not made yet"):
                getattr(unmade, name)
        else:
            said = said_to(getattr(unmade, name))
            assert any("not made yet" in words for words in said), (name, said)
    assert asked > 0
    for name, ask in ASKS.items():
        if vars(made).get(name) is not None:  # else it is what every object of Python has
            with pytest.raises(TypeError, match="not made yet"):
                ask(unmade)


def test_a_subclass_that_is_used_before_its_base_is_made_is_told_so():
    class Early(schafkopf.Game):
        def __init__(self):
            with pytest.raises(TypeError, match=r"super\(\).__init__\(\)"):
                self.legal_actions()
            super().__init__(seed=3)

    assert Early() == schafkopf.Game(seed=3)


def test_a_group_of_processes_that_is_not_made_yet_is_refused():
    training = pytest.importorskip("schafkopf._training", exc_type=ImportError)
    for name in ("rank", "size"):
        with pytest.raises(TypeError, match="not made yet"):
            getattr(training.Peers.__new__(training.Peers), name)


class Renamed:
    """A player whose name is a method, and one that changes."""

    def name(self):
        return "somebody"

    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)


def test_snapshots_and_pickles_do_not_depend_on_names_of_players():
    options = {"seed": 3, "learner_seat": 0}
    env = schafkopf.VectorEnv(2, opponent=Renamed(), **options)
    env.step_random(9)
    state = env.snapshot()
    for other in (
        pickle.loads(pickle.dumps(env)),
        copy.deepcopy(env),
        schafkopf.VectorEnv(2, opponent=Renamed(), **options),
        schafkopf.VectorEnv(2, opponent="rules", **options),
    ):
        other.restore(state)
        assert other.snapshot() == state


# ---- smaller ones --------------------------------------------------------------------------------


def test_a_generator_that_would_never_be_asked_is_refused():
    for options in ({}, {"start": "deal"}):
        with pytest.raises(ValueError, match="a generator needs start at card play"):
            schafkopf.VectorEnv(1, generator="heuristic", **options)
    schafkopf.VectorEnv(1, generator="heuristic", generated_share=0.5)


@pytest.mark.parametrize("env", [-1, 3, 2**31, 2**70])
def test_a_row_that_there_is_not_is_named_with_those_that_there_are(env):
    games = schafkopf.VectorEnv(3)
    for ask in (games.get_game, lambda row: games.set_game(row, schafkopf.Game(seed=1))):
        with pytest.raises(ValueError, match=rf"env = {env}, allowed: integer 0..2"):
            ask(env)


def test_names_that_utf8_cannot_write_are_named():
    lone = "\ud800"
    with pytest.raises(ValueError, match="agents: a name: a text that UTF-8 cannot write"):
        schafkopf.tournament({lone: "rules", "b": "random"}, blocks=1)
    with pytest.raises(ValueError, match="UTF-8"):
        schafkopf.RuleSet(preset="research", **{lone: 1})


def test_a_view_with_an_unknown_special_round_is_named():
    view = schafkopf.Game(seed=1).view(0).copy()
    view["order"]["special_round"] = 77
    for show in (schafkopf.display.describe_view, schafkopf.pictures.picture):
        with pytest.raises(ValueError, match="special_round = 77 stands in no view of a game"):
            show(view)


def test_a_batch_renders_what_it_allows():
    games = schafkopf.VectorEnv(1, seed=3), schafkopf.VectorEnv(1, seed=3, claim_actions=True)
    claims = 0
    for _ in range(200):
        plain, claiming = (env.render(0) for env in games)
        assert "CLAIM_REST" not in plain and "CONCEDE_REST" not in plain
        claims += "CLAIM_REST" in claiming
        action = games[0].random_actions()
        for env in games:
            env.step(action)
    assert claims > 0
