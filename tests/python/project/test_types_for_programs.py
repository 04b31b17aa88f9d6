"""What a checker of types knows of the arrays and numbers that programs of users have."""

from pathlib import Path

import pytest

import schafkopf

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import numpy as np
from numpy.typing import NDArray
import schafkopf
from schafkopf import cards

view = schafkopf.Game(seed=1).view(0)
"""
ENCODED = """
scaled: NDArray[np.float32] = schafkopf.encode(view)
named: NDArray[np.float32] = schafkopf.encode(view, "research", "float32", 4, "canonical")
counts: NDArray[np.uint8] = schafkopf.encode(view, "research", "uint8")
packed: NDArray[np.uint8] = schafkopf.encode(view, dtype="packed", version=1)
kind = str("uint8")
either: NDArray[np.float32] | NDArray[np.uint8] = schafkopf.encode(view, dtype=kind)
"""
CANONICAL = """
number: int = cards.to_canonical("EA", 3)
wide: NDArray[np.int64] = cards.to_canonical(np.arange(32), 3)
narrow: NDArray[np.int32] = cards.from_canonical(np.arange(32, dtype=np.int32), [0] * 32)
listed: NDArray[np.int64] = cards.from_canonical([1, 2], [0, 0])
"""
NUMBERS = """
game = schafkopf.Game(seed=np.uint64(1), dealer=np.int8(2))
action = schafkopf.make_agent("rules").act(game.view(game.current_player), seed=np.int64(1))[0]
print(game.why_illegal(action), game.refusal(action), game.hand(np.int8(1)))
game.apply(action)
print(cards.card_name(np.uint8(3)), schafkopf.actions.action_name(action))
deal = schafkopf.Deal.random(np.random.default_rng(1).integers(2**62))
env = schafkopf.VectorEnv(np.int64(4), seed=np.uint64(1), learner_seat=np.int8(0), opponent="rules")
env.reset(seed=np.int64(3))
game = env.get_game(np.argmax(env.terminated))
"""
BATCH = """
env = schafkopf.VectorEnv(4, seed=1)
weights = np.zeros((736, 128), np.float32)
observation, info = env.reset()
print(observation @ weights)
observation, rewards, terminated, truncated, info = env.step(env.random_actions())
print(observation @ weights)
paid: NDArray[np.float32] = rewards
over: NDArray[np.bool_] = terminated
never: NDArray[np.bool_] = truncated
drawn: NDArray[np.int32] = env.random_actions()
bits: NDArray[np.uint64] = env.legal
seats: NDArray[np.int8] = env.current_player
mask: NDArray[np.uint8] = env.action_mask
"""
TENSORS = """
from schafkopf.vector_env import TensorEnv
tensors = TensorEnv(4, seed=1, arrays="torch", view_lines=True)
shown, told = tensors.reset()
shown, paid_out, is_over, is_cut, told = tensors.step(tensors.random_actions().cpu())
print(shown.clone(), paid_out.sum(dim=0), (is_over | is_cut).any().cpu(), told["legal"].cpu())
print(tensors.agent_actions("rules").long(), tensors.observation.cpu(), tensors.action_mask.bool())
print(tensors.legal.cpu(), tensors.current_player.cpu(), tensors.phase.cpu(), tensors.rewards.cpu())
print(tensors.terminated.cpu(), tensors.truncated.cpu(), tensors.episode_return.cpu())
print(tensors.episode_seed.cpu(), tensors.running_seed.cpu(), tensors.rule_index.cpu())
print(tensors.rule_features.cpu(), tensors.cards.cpu(), tensors.order.cpu(), tensors.events.cpu())
same: schafkopf.VectorEnv = tensors
"""
WRONG = {
    "first: NDArray[np.float32] = env.legal": "unsignedinteger",
    "second: NDArray[np.float32] = schafkopf.encode(view, dtype='uint8')": "unsignedinteger",
    "third: NDArray[np.float32] = cards.to_canonical(np.arange(2), 0)": "signedinteger",
    "game.apply(1.5)": '"float"',
    "schafkopf.VectorEnv(4, seed=1.5)": '"seed"',
    "TensorEnv(4, seed=1)": '"arrays"',
    "TensorEnv(4, arrays='numpy')": '"arrays"',
    "TensorEnv(4, arrays='torch', sead=1)": '"sead"',
}


PARTS = {
    "ENCODED": ENCODED,
    "CANONICAL": CANONICAL,
    "NUMBERS": NUMBERS,
    "BATCH": BATCH,
    "TENSORS": TENSORS,
}


@pytest.fixture(scope="module")
def found():
    api = pytest.importorskip("mypy.api")
    right = PROGRAM + "".join(PARTS.values())
    config, cache = ROOT / "pyproject.toml", ROOT / ".mypy_cache"
    options = ["--strict", "--config-file", str(config), "--cache-dir", str(cache)]
    out, _, _ = api.run(["-c", right + "\n".join(WRONG), *options])
    lines = [line.split(": error: ") for line in out.splitlines() if ": error: " in line]
    of_program = [(place, text) for place, text in lines if place.startswith("<string>:")]
    return {int(place.split(":")[1]): text for place, text in of_program}


@pytest.mark.parametrize("part", PARTS)
def test_a_right_program_is_one_for_a_checker_of_types(found, part):
    first = (PROGRAM + "".join(PARTS.values()).split(PARTS[part])[0]).count("\n") + 1
    lines = range(first, first + PARTS[part].count("\n"))
    assert {line: found[line] for line in lines if line in found} == {}


def test_a_wrong_one_is_none(found):
    first = (PROGRAM + "".join(PARTS.values())).count("\n") + 1
    for line, part in enumerate(WRONG.values(), first):
        assert part in found.get(line, ""), line


def test_an_environment_of_tensors_is_at_run_time_what_a_checker_takes_it_for():
    pytest.importorskip("torch", exc_type=ImportError)
    program: dict[str, object] = {}
    exec(PROGRAM + TENSORS, program)
    assert type(program["tensors"]) is schafkopf.VectorEnv
