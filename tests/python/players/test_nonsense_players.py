"""Players that answer nonsense, and memory that is refused: one clear error, and it goes on."""

import subprocess
import sys

import numpy as np
import pytest
from support.programs import environment

import schafkopf


class Fool:
    """Plays the lowest legal action until it is told to answer something else."""

    name = "fool"

    def __init__(self, answer=None, now=lambda: True):
        self.answer, self.now = answer, now

    def act(self, views):
        right = schafkopf.legal_mask(views).argmax(axis=1)
        return self.answer(right) if self.answer and self.now() else right


NONSENSE = {
    "nothing": lambda right: None,
    "a text": lambda right: "EO",
    "an object": lambda right: object(),
    "too few": lambda right: right[:-1],
    "too many": lambda right: np.append(right, 0),
    "another shape": lambda right: right[:, None].repeat(2, axis=1),
    "no numbers": lambda right: np.full(len(right), np.nan),
    "below": lambda right: np.full(len(right), -1),
    "above": lambda right: np.full(len(right), 128),
    "far above": lambda right: np.full(len(right), 2**62),
    "illegal": lambda right: np.full(len(right), 127),
    "halves": lambda right: right + 0.5,
    "texts": lambda right: ["EO"] * len(right),
    "itself": lambda right: [NONSENSE] * len(right),
    "hidden": lambda right: np.ma.array(right, mask=True),
}


@pytest.mark.parametrize("kind", NONSENSE)
def test_nonsense_of_a_player_is_named_and_the_batch_goes_on(kind):
    fool = Fool()
    env = schafkopf.VectorEnv(16, seed=2, learner_seat=0, opponent=fool)
    env.step_random(20)
    expected = env.snapshot()
    fool.answer = NONSENSE[kind]
    with pytest.raises((ValueError, TypeError)) as caught:
        for _ in range(4):
            env.step_random(20)
    assert caught.match(r"python:fool: act\(\) gave") and len(str(caught.value)) < 500
    fool.answer = None
    env.reset(seed=2)
    env.restore(expected)
    env.step_random(20)
    twin = schafkopf.VectorEnv(16, seed=2, learner_seat=0, opponent=Fool())
    twin.step_random(40)
    assert env.snapshot() == twin.snapshot()
    with pytest.raises((ValueError, TypeError), match=r"act\(\) gave"):
        schafkopf.tournament({"fool": Fool(NONSENSE[kind]), "random": "random"}, blocks=2)


def test_a_session_with_a_player_that_answers_nonsense_now_and_then():
    rng = np.random.default_rng(1)
    kinds = list(NONSENSE.values())
    fool = Fool(lambda right: kinds[rng.integers(len(kinds))](right), lambda: rng.random() < 0.02)
    env = schafkopf.VectorEnv(8, seed=3, learner_seat=0, opponent=fool, session=True)
    refused, deals = 0, 0
    while deals < 400:
        before = env.snapshot()
        try:
            env.step_random(1)
            deals += int(np.sum(env.terminated))
        except (ValueError, TypeError) as error:
            assert "act() gave" in str(error)
            refused += 1
            env.reset(seed=3)
            env.restore(before)
    assert refused > 5
    payoffs = env.episode_return[env.terminated.astype(bool)]
    assert np.abs(payoffs.sum(axis=1)).max(initial=0) < 1e-3


MADE = {
    "VectorEnv": "schafkopf.VectorEnv(2_000_000)",
    "Solver": "schafkopf.Solver(table_bytes=2**31)",
    "snapshot": "batch.snapshot()",
    "threads of a batch": "schafkopf.VectorEnv(2000, num_threads=1000)",
    "threads of a player": "schafkopf.make_agent('random', num_threads=1000).act(batch.views())",
    "threads of a tournament": "schafkopf.tournament(['rules', 'random'], blocks=10**6, "
    "threads=1000)",
    "threads of a league day": "schafkopf.tournament(['rules', 'random'], schedule='league', "
    "players=6400, track='full', rules='tournament_2024', threads=1000)",
}


@pytest.mark.parametrize("what", MADE)
def test_memory_that_is_refused_is_one_clear_error(what):
    code = (
        "import resource, schafkopf\n"
        "batch = schafkopf.VectorEnv(60_000, view_lines=True)\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 50_000_000,) * 2)\n"
        f"try:\n    {MADE[what]}\n"
        "except (MemoryError, OSError) as error:\n    print('refused:', error)\n"
        "env = schafkopf.VectorEnv(8)\nenv.step_random(50)\nprint('goes on')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()
    assert first.startswith("refused: ") and len(first) > 20 and last == "goes on", done.stdout
    assert "bad_alloc" not in first
    assert ("cannot start thread" in first) == what.startswith("threads")


def test_a_name_that_utf8_cannot_write_is_written_with_escapes():
    fool = Fool(lambda right: right + 128)
    fool.name = "\udc80x"
    agent = schafkopf.make_agent(fool)
    assert agent.name == r"python:\udc80x"
    with pytest.raises(ValueError, match=r"^python:\\udc80x: act\(\) gave action"):
        agent.act(schafkopf.Game(seed=1).view(0))
