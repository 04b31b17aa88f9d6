"""Objects whose constructor has not run are refused, whatever is asked of them."""

from __future__ import annotations

import inspect
import pickle

import pytest
from support.refusals import refused
from support.training import trainers

import schafkopf
from schafkopf import _core

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
    training = trainers()
    for name in ("rank", "size"):
        with pytest.raises(TypeError, match="not made yet"):
            getattr(training.Peers.__new__(training.Peers), name)


@pytest.mark.parametrize(
    "use",
    [
        lambda rules: schafkopf.VectorEnv(2, rules=rules),
        lambda rules: schafkopf.Game(rules, seed=1),
        lambda rules: schafkopf.Session(rules),
        lambda rules: schafkopf.encode(schafkopf.Game(seed=1).view(0), rules=rules),
    ],
)
def test_rules_whose_constructor_has_not_run_are_refused(use):
    rules = schafkopf.RuleSet.__new__(schafkopf.RuleSet)
    refused("this object is not made yet", lambda: use(rules), TypeError)


@pytest.mark.parametrize(
    "ask",
    [
        repr,
        pickle.dumps,
        lambda env: env.reset(),
        lambda env: env.step([0]),
        lambda env: env.close(),
    ],
)
def test_a_batch_that_is_not_made_yet_is_refused(ask):
    class Early(schafkopf.VectorEnv):
        def __init__(self):
            refused("this object is not made yet", lambda: ask(self), TypeError)
            super().__init__(1, seed=3)

    assert Early().num_envs == 1


def test_a_batch_that_is_made_is_not_made_again():
    env = schafkopf.VectorEnv(2, seed=1)
    env.step_random(3)
    before = pickle.loads(pickle.dumps(env))
    for again in ({"rules": "tournament_2024"}, {"seed": 5}, {}):
        refused(
            "this VectorEnv is made already, allowed: a new one, or reset(seed=...) of this one",
            lambda again=again: env.__init__(3, **again),
            TypeError,
        )
    assert env == before == pickle.loads(pickle.dumps(env))
    env.close()
    refused("this VectorEnv is made already", lambda: env.__init__(2), TypeError)
