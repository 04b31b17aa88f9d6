"""VectorEnv: spaces, close, render, and keywords that a type checker knows."""

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import schafkopf
from schafkopf import extras, observations

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("observation", ["float32", "uint8"])
@pytest.mark.parametrize("version", range(1, 5))
def test_the_spaces_hold_what_is_shown(observation, version):
    gymnasium = pytest.importorskip("gymnasium")
    env = schafkopf.VectorEnv(8, observation=observation, observation_version=version, seed=1)
    size = schafkopf.observations.observation_size(version)
    assert env.single_observation_space.shape == (size,)
    assert env.observation_space.shape == (8, size)
    assert env.observation_space.dtype == env.observation.dtype
    assert env.single_action_space == gymnasium.spaces.Discrete(128)
    assert env.action_space == gymnasium.spaces.MultiDiscrete([128] * 8)
    assert env.action_space is env.action_space, "a seed of a space is kept"
    for _ in range(60):
        assert env.observation in env.observation_space
        actions = env.random_actions().astype(env.action_space.dtype)
        assert actions in env.action_space and actions.dtype == np.int64
        env.step(actions)
    high = env.single_observation_space.high
    if observation == "float32":
        wide = schafkopf.VectorEnv(8, observation="uint8", observation_version=version, seed=1)
        assert wide.single_observation_space.high.max() == 255
        assert (env.single_observation_space.low == 0).all() and high.max() == 255 / 8
        rules = schafkopf.observation_sections(version)["rules"]
        assert high[rules] == pytest.approx(1.0)


def test_no_observation_has_no_space():
    pytest.importorskip("gymnasium")
    with pytest.raises(ValueError, match='observation="none" has no observation space'):
        _ = schafkopf.VectorEnv(1, observation="none").observation_space


@pytest.mark.parametrize("name", ["observation_space", "single_action_space", "action_space"])
def test_without_gymnasium_a_space_names_the_extra(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    for module in list(sys.modules):
        if module.startswith("gymnasium."):
            monkeypatch.delitem(sys.modules, module)
    env = schafkopf.VectorEnv(1)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'schafkopf\[gymnasium\]'"):
        getattr(env, name)
    env.step(env.random_actions())


@pytest.mark.parametrize(
    ("adapter", "package"), [("gymnasium", "gymnasium"), ("pettingzoo", "pettingzoo")]
)
def test_without_its_package_an_adapter_names_the_extra(adapter, package):
    text = f"""
        import sys
        sys.modules["{package}"] = None
        import schafkopf
        try:
            import schafkopf.adapters.{adapter}
        except ModuleNotFoundError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, check=True
    )
    assert f"pip install 'schafkopf[{adapter}]'" in done.stdout


def test_an_error_inside_of_a_package_is_not_hidden(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("import another_that_is_missing\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'another_that_is_missing'"):
        extras.load_extra("broken_package", "x")
    with pytest.raises(ModuleNotFoundError, match="schafkopf\\[x\\]"):
        extras.load_extra("package_that_is_missing.part", "x")


def test_importing_the_library_loads_no_foreign_package():
    text = (
        "import sys, schafkopf; print(*(set(sys.modules) & {'gymnasium', 'pettingzoo', 'torch'}))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_render_shows_the_game_of_a_row():
    env = schafkopf.VectorEnv(3, seed=2)
    env.step(env.random_actions())
    for row in range(3):
        assert env.render(row) == schafkopf._core.display(env.get_game(row))
    assert env.render() == env.render(0) != env.render(1)
    with pytest.raises(ValueError, match=r"env = 3, allowed: integer 0\.\.2"):
        env.render(3)


def test_a_closed_environment_says_so_and_its_arrays_stay():
    env = schafkopf.VectorEnv(3, seed=2)
    mask, shown = env.action_mask, env.action_mask.copy()
    assert not env.closed
    env.close()
    env.close()
    assert env.closed and env.num_envs == 3 and env.observation is None
    assert repr(env) == "VectorEnv(3, seed=2, closed)"
    assert (mask == shown).all()
    for call in (
        lambda: env.step([0, 0, 0]),
        lambda: env.step("nonsense"),
        env.reset,
        lambda: env.reset(options={"reset_mask": [False] * 3}),
        env.random_actions,
        env.step_random,
        env.snapshot,
        env.render,
        lambda: env.get_game(0),
        lambda: env.num_decisions,
        env.buffers,
        env.views,
    ):
        with pytest.raises(RuntimeError, match="this VectorEnv is closed"):
            call()


def test_an_opponent_cannot_close_the_environment_that_asks_it():
    class Closer:
        env = None

        def act(self, views):
            if self.env is not None:
                self.env.close()
            return schafkopf.legal_mask(views).argmax(axis=1)

    opponent = Closer()
    env = schafkopf.VectorEnv(2, learner_seat=3, opponent=opponent)
    opponent.env = env
    with pytest.raises(RuntimeError, match="in use"):
        for _ in range(40):
            env.step(env.random_actions())
    opponent.env = None
    env.close()


RIGHT = """
import pathlib
import types
import numpy as np
import schafkopf

class LowestCard:
    def act(self, views: np.ndarray) -> np.ndarray:
        return schafkopf.legal_mask(views).argmax(axis=1)

env = schafkopf.VectorEnv(4, auto_reset="same_step", rules=["research", schafkopf.RuleSet()])
env = schafkopf.VectorEnv(4, opponent=LowestCard(), learner_seat=0, generated_share=0.5)
agent, deal = schafkopf.make_agent("rules"), schafkopf.Deal.random(1)
env = schafkopf.VectorEnv(4, opponent=agent, deals=[deal])
env.step(env.random_actions().astype(np.int64))
path, contract = pathlib.Path("rules.toml"), {"class": "WENZ", "declarer": 0}
game = schafkopf.Game.with_contract(contract, rules=path, seed=1)
session, league = schafkopf.Session(path), schafkopf.games.League(8, path)
"""
WRONG = {
    "schafkopf.VectorEnv(4, sead=1)": '"sead"',
    'schafkopf.VectorEnv(4, auto_reset="sometimes")': '"auto_reset"',
    "schafkopf.VectorEnv(4, opponent=7)": '"opponent"',
    'schafkopf.VectorEnv(4, seed="1")': '"seed"',
    "schafkopf.VectorEnv()": '"num_envs"',
    "schafkopf.Game(types.MappingProxyType({}), seed=1)": '"Game"',
    "schafkopf.Game.with_contract(types.MappingProxyType({}), seed=1)": '"with_contract"',
    "schafkopf.VectorEnv(4, contracts=[types.MappingProxyType({})])": "List item 0",
}


def test_a_wrong_keyword_is_an_error_of_the_type_checker():
    api = pytest.importorskip("mypy.api")
    text = RIGHT + "\n".join(WRONG)
    config, cache = ROOT / "pyproject.toml", ROOT / ".mypy_cache"
    out, err, _ = api.run(["-c", text, "--config-file", str(config), "--cache-dir", str(cache)])
    found = dict(line.split(": error: ") for line in out.splitlines() if ": error: " in line)
    first = RIGHT.count("\n") + 1
    assert set(found) == {f"<string>:{first + i}" for i in range(len(WRONG))}, out + err
    for i, part in enumerate(WRONG.values()):
        assert part in found[f"<string>:{first + i}"]


@pytest.mark.parametrize("version", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["uint8", "float32"])
def test_bounds_of_observations_are_those_of_their_columns(version, kind):
    pytest.importorskip("gymnasium")
    env = schafkopf.VectorEnv(256, seed=3, rules="wikipedia_extended", observation=kind,
                              observation_version=version)  # fmt: skip
    space = env.single_observation_space
    sections = observations.observation_sections(version)
    assert (space.high[sections["hand"]] == 1).all()
    assert (space.high[sections["points"]] > 1).all()
    most = np.zeros_like(space.high)
    for _ in range(120):
        env.step(env.random_actions())
        most = np.maximum(most, env.observation.max(axis=0))
    assert (most <= space.high).all()
    assert (most[sections["hand"]] == 1).all()


def test_rule_features_are_those_of_byte_rows():
    env = schafkopf.VectorEnv(4, seed=1, observation="uint8")
    section = observations.observation_sections(1)["rules"]
    assert (env.observation[:, section] == env.rule_features[env.rule_index]).all()
    scale = next(
        row["scale"] for row in observations.observation_table(1) if row["name"] == "rules"
    )
    floats = schafkopf.VectorEnv(4, seed=1)
    np.testing.assert_allclose(
        floats.observation[:, section], env.rule_features[env.rule_index] * scale, rtol=1e-6
    )
