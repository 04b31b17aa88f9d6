"""VectorEnv under fire: other threads, forks, players that throw, cycles, wrong options."""

import gc
import os
import signal
import threading
import time
import weakref
from functools import partial

import numpy as np
import pytest

import schafkopf

READS = {
    "get_game": lambda env: env.get_game(0),
    "set_game": lambda env: env.set_game(0, schafkopf.Game(seed=1)),
    "views": lambda env: env.views(),
    "num_decisions": lambda env: env.num_decisions,
    "num_deals": lambda env: env.num_deals,
    "skipped_deals": lambda env: env.skipped_deals,
    "skipped_return": lambda env: env.skipped_return,
    "card_map_numbers": lambda env: env.card_map_numbers(),
    "random_actions": lambda env: env.random_actions(),
    "snapshot": lambda env: env.snapshot(),
    "restore": lambda env: env.restore(b""),
    "agent_actions": lambda env: env.agent_actions(schafkopf.make_agent("random")),
    "reset": lambda env: env.reset(),
    "step": lambda env: env.step(np.zeros(env.num_envs, np.int32)),
    "step_random": lambda env: env.step_random(),
}


class LowestLegal:
    """Plays the legal action with the lowest number; `before` is called first."""

    def __init__(self, before=None):
        self.before = before

    def act(self, views):
        if self.before is not None:
            self.before()
        return schafkopf.legal_mask(views).argmax(axis=1)


@pytest.mark.parametrize("name", READS)
def test_everything_that_a_step_changes_is_guarded_while_it_steps(name):
    errors = []

    def read():
        try:
            READS[name](env)
        except RuntimeError as error:
            errors.append(str(error))

    player = LowestLegal()
    env = schafkopf.VectorEnv(4, learner_seat=0, opponent=player, view_lines=True)
    assert env.num_envs == 4
    player.before = read
    env.step_random()
    player.before = None
    assert errors and all("in use" in text for text in errors)
    if name not in ("set_game", "restore", "step"):
        READS[name](env)  # free again afterwards


# Forks


def in_child(work, seconds=60):
    """Run `work` in a forked child; its exit status, None where it hangs."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if work() else 2
        finally:
            os._exit(status)
    return exit_status(child, seconds)


def exit_status(child, seconds=60):
    """What a child ends with; None where it hangs, and it is killed."""
    for _ in range(seconds * 100):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_threaded_batch_goes_on_in_a_forked_child():
    env = schafkopf.VectorEnv(256, seed=3, num_threads=3)
    env.step_random(20)
    saved = env.snapshot()
    env.step_random(30)
    later = env.snapshot()

    def work():
        env.restore(saved)
        env.step_random(30)
        return env.snapshot() == later

    assert in_child(work) == 0
    env.step_random()  # the parent has its threads still


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_threaded_batch_ends_in_a_forked_child():
    class Holder:
        env = None

    Holder.env = schafkopf.VectorEnv(256, num_threads=3)
    Holder.env.step_random()

    def work():
        Holder.env = None
        gc.collect()
        return True

    assert in_child(work) == 0


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_an_agent_with_threads_goes_on_in_a_forked_child():
    agent = schafkopf.make_agent("rules", num_threads=3)
    views = schafkopf.VectorEnv(64, view_lines=True).views()
    expected = agent.act(views)
    assert in_child(lambda: (agent.act(views) == expected).all()) == 0

    def grandchild():
        return in_child(lambda: (agent.act(views) == expected).all()) == 0

    assert in_child(grandchild) == 0


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_solver_at_work_in_another_thread_is_an_error_in_a_forked_child():
    solver = schafkopf.search.Solver(65536)
    rules = schafkopf.RuleSet("research", all_pass="ramsch")
    long = schafkopf.Game.with_contract("RAMSCH", rules, seed=5)
    solo = schafkopf.Game.with_contract({"class": "SOLO", "suit": "E", "declarer": 1}, seed=3)
    asking = threading.Thread(target=solver.fewest_points, args=(long, 0), daemon=True)
    asking.start()

    def work():
        with pytest.raises(RuntimeError, match="this Solver was at work in another thread"):
            solver.points(solo)
        return schafkopf.search.Solver(65536).points(solo) >= 0

    clock = time.pthread_getcpuclockid(asking.ident)
    while time.clock_gettime(clock) < 0.2:  # it is at work, not about to be
        time.sleep(0.01)
    assert in_child(work) == 0
    asking.join()


# Slow machines under a sanitizer take more for a turn than the 5 seconds after which that is said.
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:a thread waits for its turn:RuntimeWarning")
@pytest.mark.parametrize("name", ["agent", "Solver"])
def test_threads_of_a_forked_child_wait_for_each_other(name):
    game = schafkopf.Game.with_contract({"class": "SOLO", "suit": "E", "declarer": 1}, seed=5)
    view = game.view(game.current_player)
    agent, solver = schafkopf.make_agent("pimc:100"), schafkopf.search.Solver(65536)
    ask = {"agent": partial(agent.act, view), "Solver": partial(solver.card_points, game)}[name]

    def work():
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(ask())) for _ in range(3)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        return len(answers) == 3

    assert in_child(work) == 0


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_in_the_middle_of_a_step_of_one_thread_goes_on_in_the_child():
    children = []

    def fork():
        if not children:
            children.append(os.fork())

    player = LowestLegal()
    env = schafkopf.VectorEnv(256, learner_seat=0, opponent=player, num_threads=1)
    other = schafkopf.VectorEnv(256, num_threads=2)
    player.before = fork
    try:
        env.step_random()
        if children == [0]:
            env.step_random()
            other.step_random()
            os._exit(0)
    finally:
        if children == [0]:
            os._exit(1)
    assert exit_status(children[0]) == 0


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_in_the_middle_of_a_step_of_several_threads_is_an_error_in_the_child():
    children, threads = [], set()

    def fork():
        threads.add(threading.get_ident())
        if not children and threading.current_thread() is threading.main_thread():
            children.append(os.fork())

    player = LowestLegal()
    env = schafkopf.VectorEnv(256, learner_seat=0, opponent=player, num_threads=2)
    player.before = fork
    status = 2  # of a child that got no error
    try:
        env.step_random()
    except BaseException as error:
        if children != [0]:
            raise
        told = isinstance(error, RuntimeError) and "forked in the middle" in str(error)
        status = 0 if told else 1
    if children == [0]:
        os._exit(status)
    assert exit_status(children[0]) == 0
    assert len(threads) == 2  # each had its part of the batch
    env.step_random()  # the parent goes on


# Players that throw


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("error", [ValueError("bad day"), KeyboardInterrupt()])
def test_after_an_exception_of_a_player_the_batch_says_that_it_must_be_reset(num_threads, error):
    calls = []

    def fail():
        calls.append(0)
        if len(calls) == 4:
            raise error

    player = LowestLegal()
    env = schafkopf.VectorEnv(
        256, seed=5, learner_seat=0, opponent=player, num_threads=num_threads, view_lines=True
    )
    env.step_random(3)
    saved, games = env.snapshot(), [env.get_game(row).serialize() for row in range(256)]
    player.before = fail
    with pytest.raises(type(error)):
        env.step_random(50)
    player.before = None
    needs_games = ("get_game", "set_game", "views", "card_map_numbers", "random_actions")
    for name in (*needs_games, "snapshot", "agent_actions", "step", "step_random"):
        with pytest.raises(RuntimeError, match=rf"{type(error).__name__}.*reset\(\).*restore\(\)"):
            READS[name](env)
    with pytest.raises(RuntimeError, match="reset"):
        env.reset(options={"reset_mask": np.arange(256) < 3})
    assert env.num_decisions > 0
    env.reset(seed=5)
    env.step_random(3)
    assert [env.get_game(row).serialize() for row in range(256)] == games
    env.restore(saved)
    assert env.snapshot() == saved
    env.step_random(3)


# Cycles that only the collector of Python can free


class Player(LowestLegal):
    pass


def test_a_cycle_of_batch_and_opponent_is_collected():
    def make(wrap):
        player = Player()
        env = schafkopf.VectorEnv(8, learner_seat=0, opponent=wrap(player), num_threads=1)
        player.env = env
        env.step_random(3)
        return weakref.ref(player), weakref.ref(env)

    wraps = [
        lambda player: player,
        schafkopf.make_agent,
        lambda player: schafkopf.make_agent(player, num_threads=2),
        lambda player: schafkopf.make_agent(schafkopf.make_agent(player), num_threads=2),
    ]
    for wrap in wraps:
        refs = make(wrap)
        gc.collect()
        assert [ref() for ref in refs] == [None, None]


def test_an_agent_of_a_python_object_that_knows_it_is_collected():
    player = Player()
    player.agent = schafkopf.make_agent(schafkopf.make_agent(player), num_threads=2)
    gone = weakref.ref(player)
    del player
    gc.collect()
    assert gone() is None


def test_an_opponent_that_keeps_a_buffer_ends_with_its_batch():
    player = Player()
    env = schafkopf.VectorEnv(8, learner_seat=0, opponent=player)
    player.legal = env.legal
    gone, legal = weakref.ref(player), env.legal
    del player, env
    gc.collect()
    assert gone() is None
    assert legal.any()  # the array lives as long as somebody has it


def test_a_player_lives_as_long_as_its_batch_or_agent():
    env = schafkopf.VectorEnv(8, learner_seat=0, opponent=Player())
    agent = schafkopf.make_agent(Player(), num_threads=2)
    gc.collect()
    env.step_random(20)
    views = schafkopf.VectorEnv(8, view_lines=True).views()
    assert len(agent.act(views)) == 8
    other = schafkopf.VectorEnv(8, learner_seat=0, opponent=agent)
    del agent
    gc.collect()
    other.step_random(20)


# Options


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"rule": "research"}, TypeError, ['"rule"', 'nearest one is "rules"', "observation"]),
        ({"oponents": None}, TypeError, ['"oponents"', '"opponents"']),
        (
            {"xyz": None},
            TypeError,
            ['unknown keyword "xyz", allowed: num_envs, rules, rule_index, seed'],
        ),
        (
            {"auto_reset": True},
            ValueError,
            ["auto_reset = true, allowed: next_step, same_step, disabled"],
        ),
        ({"auto_reset": "next-step"}, ValueError, ["next-step", 'nearest one is "next_step"']),
        ({"auto_reset": "sometimes"}, ValueError, ['"sometimes", allowed: next_step, same_step']),
        ({"observation": 8}, ValueError, ["observation = 8, allowed: none, uint8, float32"]),
        ({"start": None}, ValueError, ["start = None, allowed: deal, card_play"]),
        ({"action_mask": "yes"}, ValueError, ['action_mask = "yes", allowed: true, false']),
        ({"session": 1}, ValueError, ["session = 1, allowed: true, false"]),
        (
            {"generated_share": "half"},
            ValueError,
            ['generated_share = "half", allowed: number 0..1'],
        ),
        (
            {"num_threads": 10**12},
            ValueError,
            ["num_threads = 1000000000000, allowed: integer 1..1024"],
        ),
        ({"num_threads": 0}, ValueError, ["num_threads = 0, allowed: integer 1..1024"]),
        (
            {"learner_seat": 2**40},
            ValueError,
            ["learner_seat = 1099511627776, allowed: integer -1..3"],
        ),
        (
            {"seed": 2**64},
            ValueError,
            [f"seed = {2**64}, allowed: integer 0..{2**64 - 1}"],
        ),
        ({"seed": 1.5}, ValueError, [f"seed = 1.5, allowed: integer 0..{2**64 - 1}"]),
        (
            {"rule_index": "01"},
            ValueError,
            ['rule_index = "01", allowed: list of integer 0..65535'],
        ),
        ({"deals": [1, 2]}, ValueError, ["deals[0]: deal = 1, allowed: a Deal"]),
        ({"contracts": 3}, ValueError, ["contracts = 3, allowed: list of contracts"]),
    ],
)
def test_a_wrong_option_says_what_came_and_what_is_allowed(options, error, words):
    with pytest.raises(error) as caught:
        schafkopf.VectorEnv(2, **options)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"observation": np.float32},
            "observation: the class float32 came, allowed: none, uint8, float32, packed; "
            'as a word "float32"',
        ),
        ({"auto_reset": str}, "the class str came, allowed: next_step, same_step, disabled"),
        ({"seed": int}, f"seed: the class int came, allowed: integer 0..{2**64 - 1}"),
        ({"rules": [schafkopf.RuleSet]}, "allowed: an object of it, RuleSet()"),
        ({"learner_seat": 0, "opponent": LowestLegal}, "allowed: an object of it, LowestLegal()"),
    ],
)
def test_a_class_as_an_option_says_what_is_allowed_there(options, text):
    with pytest.raises(ValueError) as caught:
        schafkopf.VectorEnv(2, **options)
    assert text in str(caught.value)


def test_numbers_of_environments_end_where_they_would_begin_anew():
    last = 2**64 - 4
    schafkopf.VectorEnv(4, seed=4, first_env=last).reset()
    for first in (last + 1, np.uint64(2**64 - 2), 2**64 - 1):
        words = rf"first_env = {int(first)}, allowed: integer 0\.\.{last} with 4 environments"
        with pytest.raises(ValueError, match=words):
            schafkopf.VectorEnv(4, seed=4, first_env=first)


def test_a_misspelt_number_of_envs_names_the_nearest_keyword():
    with pytest.raises(TypeError, match=r'unknown keyword "num_env".*nearest one is "num_envs"'):
        schafkopf.VectorEnv(num_env=4)


@pytest.mark.parametrize("num_envs", [10**12, 2**31, 0, -1, 4.0, "4", None, True])
def test_a_wrong_number_of_envs_names_the_range(num_envs):
    with pytest.raises(ValueError, match=r"num_envs.*1\.\.2147483647"):
        schafkopf.VectorEnv(num_envs)


def test_flags_and_numbers_of_numpy_are_taken():
    env = schafkopf.VectorEnv(
        np.int64(3), action_mask=np.bool_(False), seed=np.uint64(4), rule_index=np.zeros(3, int)
    )
    assert env.action_mask is None and env.num_envs == 3
    without_axes = {"seed": np.array(4), "action_mask": np.array(False), "num_threads": np.array(1)}
    env = schafkopf.VectorEnv(np.array(3), first_env=np.array(5), **without_axes)
    assert env == schafkopf.VectorEnv(3, seed=4, action_mask=False, first_env=5)
    with pytest.raises(ValueError, match=r"allowed: integer 0\..* with 3 environments"):
        schafkopf.VectorEnv(np.array(3), first_env=np.array(2**64 - 1, np.uint64))


@pytest.mark.parametrize("arrays", [np.zeros(2), np.zeros(0), ["numpy"], None, "numpy" * 15])
def test_arrays_are_of_a_library_that_there_is(arrays):
    with pytest.raises(ValueError, match=r"^arrays = .{1,60}, allowed: numpy, torch$"):
        schafkopf.VectorEnv(2, arrays=arrays)


def test_more_envs_than_fit_into_memory_are_refused_at_once():
    begin = time.monotonic()
    with pytest.raises(MemoryError, match=r"num_envs = 2000000000 needs .* TB .* available"):
        schafkopf.VectorEnv(2_000_000_000)
    assert time.monotonic() - begin < 5
