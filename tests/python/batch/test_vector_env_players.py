"""Who plays beside the learner: one player for each other seat, a learner that changes seats."""

import copy
import pickle
import weakref

import numpy as np
import pytest
from support.refusals import refused

import schafkopf

PLAYED = {"auto_reset": "same_step", "view_lines": True}


class Seats:
    """Plays the lowest legal action and keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def act(self, views):
        self.asked.append(views.copy())
        return schafkopf.legal_mask(views).argmax(axis=1)

    def seats(self):
        return {seat for views in self.asked for seat in seats_of(views)}


def seats_of(views):
    """Return the absolute seats of views."""
    return schafkopf.views.unpack_cards(views["cards"])["seat"].astype(int).tolist()


def trail(env, steps=60):
    """Step at random and return everything that was shown."""
    shown = []
    for _ in range(steps):
        env.step(env.random_actions())
        shown.append({name: value.copy() for name, value in env.buffers().items()})
    return shown


def same_trails(one, other):
    return all(
        np.array_equal(a[name], b[name])
        for a, b in zip(one, other, strict=True)
        for name in a
        if name != "final_observation"  # rows of deals that ended once
    )


@pytest.mark.parametrize("learner", [0, 1, 3])
def test_each_seat_has_the_opponent_that_its_place_names(learner):
    players = [Seats(), Seats(), Seats()]
    env = schafkopf.VectorEnv(16, learner_seat=learner, opponents=players, **PLAYED)
    trail(env)
    for place, player in enumerate(players, 1):
        assert player.seats() == {(learner + place) % 4}
    assert (env.learner_seat == learner).all()


def test_opponents_sit_after_the_learner_wherever_he_sits():
    learners = []

    class After(Seats):
        def __init__(self, place):
            super().__init__()
            self.place = place

        def act(self, views):
            learners.append({(seat - self.place) % 4 for seat in seats_of(views)})
            return super().act(views)

    players = [After(1), After(2), After(3)]
    env = schafkopf.VectorEnv(1, learner_seat="rotate", opponents=players, **PLAYED)
    for _ in range(200):
        learners.clear()
        before = int(env.learner_seat[0])
        env.step(env.random_actions())
        if not env.terminated[0]:
            assert all(seen == {before} for seen in learners)
    assert all(player.seats() == {0, 1, 2, 3} for player in players)


def test_one_player_three_times_is_the_same_as_one_for_all():
    options = {"seed": 5, "learner_seat": 2, **PLAYED}
    alone = trail(schafkopf.VectorEnv(40, opponent="random", **options))
    three = trail(schafkopf.VectorEnv(40, opponents=["random"] * 3, **options))
    mixed = trail(schafkopf.VectorEnv(40, opponents=["random", "rules", "random"], **options))
    assert same_trails(alone, three) and not same_trails(alone, mixed)


def test_threads_and_cuts_of_a_batch_change_nothing():
    options = {
        "seed": 2, "learner_seat": "rotate", "opponents": ["rules", "random", "pimc:1"], **PLAYED,
    }  # fmt: skip
    whole = trail(schafkopf.VectorEnv(130, **options), 12)
    assert same_trails(whole, trail(schafkopf.VectorEnv(130, num_threads=2, **options), 12))
    cut = trail(schafkopf.VectorEnv(30, first_env=100, **options), 12)
    for one, part in zip(whole, cut, strict=True):
        for name in ("observation", "learner_seat", "rewards", "current_player"):
            assert np.array_equal(one[name][100:], part[name]), name


def test_no_opponent_sees_more_because_another_one_cheats():
    seen = []

    class Watching(Seats):
        def act(self, views):
            seen.append(views.dtype)
            return super().act(views)

    env = schafkopf.VectorEnv(
        4, learner_seat=0, opponents=["oracle", Watching(), "random"], start="card_play",
        generator="heuristic",
    )  # fmt: skip
    env.step(env.random_actions())
    assert seen and all(dtype == schafkopf.views.VIEW_DTYPE for dtype in seen)


@pytest.mark.parametrize("auto_reset", ["next_step", "same_step", "disabled"])
def test_a_learner_that_rotates_plays_his_seat_and_gets_its_payoffs(auto_reset):
    env = schafkopf.VectorEnv(
        64, seed=1, learner_seat="rotate", opponent="random", auto_reset=auto_reset
    )
    pairs = set()
    ended = np.zeros(4, int)
    for _ in range(150):
        acting = env.current_player >= 0
        assert (env.current_player[acting] == env.learner_seat[acting]).all()
        before = env.learner_seat.copy()
        env.step(env.random_actions())
        over = env.terminated.copy()
        assert (env.episode_learner_seat[over] == before[over]).all()
        assert (env.episode_learner_seat[over] >= 0).all()
        for row in np.flatnonzero(over):
            ended[env.episode_learner_seat[row]] += 1
        if auto_reset == "disabled" and over.any():
            env.reset(options={"reset_mask": over})
        for row in range(0, 64, 9):
            pairs.add((int(env.learner_seat[row]), env.get_game(row).dealer))
    assert len(pairs) == 16  # every seat with every dealer
    assert ended.min() > 0.5 * ended.max() > 0


def test_every_seat_comes_as_often_in_the_deals_of_a_row():
    env = schafkopf.VectorEnv(
        1, learner_seat="rotate", opponent="random", start="card_play", generator="heuristic"
    )
    met = []
    for _ in range(32):
        env.reset()
        met.append((int(env.learner_seat[0]), env.get_game(0).dealer))
    assert all(met.count(pair) == 2 for pair in set(met)) and len(set(met)) == 16


def test_a_table_of_three_has_two_opponents():
    rules = schafkopf.RuleSet("official_1989", players=3, deck="short24")
    players = [Seats(), Seats()]
    env = schafkopf.VectorEnv(9, rules=rules, learner_seat="rotate", opponents=players, **PLAYED)
    trail(env)
    assert all(player.seats() == {0, 1, 2} for player in players)
    assert set(env.learner_seat.tolist()) == {0, 1, 2}
    with pytest.raises(ValueError, match="opponents has 3 players, allowed: 2"):
        schafkopf.VectorEnv(2, rules=rules, learner_seat=0, opponents=["random"] * 3)
    with pytest.raises(ValueError, match="tables of three and of four"):
        schafkopf.VectorEnv(2, rules=[rules, "research"], learner_seat=0, opponents=["random"] * 3)


def test_the_player_of_a_name_is_made_once(monkeypatch):
    made = []
    make = schafkopf.vector_env._core.make_agent

    def making(agent, *rest):
        made.append(agent)
        return make(agent, *rest)

    monkeypatch.setattr(schafkopf.vector_env._core, "make_agent", making)
    env = schafkopf.VectorEnv(2, **PLAYED)
    for name in ("rules", "random", "rules", "random"):
        env.step(env.agent_actions(name))
    assert made == ["rules", "random"]


def test_the_player_of_a_name_is_let_go_with_the_games(monkeypatch):
    make, made = schafkopf.vector_env._core.make_agent, []

    def making(agent):
        player = make(agent)
        made.append(weakref.ref(player))
        return player

    monkeypatch.setattr(schafkopf.vector_env._core, "make_agent", making)
    env = schafkopf.VectorEnv(2, **PLAYED)
    env.agent_actions("rules")
    assert made[0]() is not None
    env.close()
    assert made[0]() is None


@pytest.mark.parametrize("auto_reset", ["next_step", "same_step"])
def test_snapshots_and_pickles_go_on_with_the_same_learners(auto_reset):
    env = schafkopf.VectorEnv(
        32, seed=8, learner_seat="rotate", opponents=["random", "rules", "random"],
        auto_reset=auto_reset,
    )  # fmt: skip
    trail(env, 37)
    other = pickle.loads(pickle.dumps(env))
    fresh = schafkopf.VectorEnv(
        32, learner_seat="rotate", opponents=["random", "rules", "random"], auto_reset=auto_reset
    )
    fresh.restore(env.snapshot())
    for name in ("learner_seat", "episode_learner_seat"):
        for again in (other, fresh):
            assert np.array_equal(getattr(again, name), getattr(env, name)), name
    assert other == env
    goes_on = trail(env)
    assert same_trails(goes_on, trail(other)) and same_trails(goes_on, trail(fresh))


def test_a_snapshot_of_another_learner_is_refused():
    options = {"seed": 8, "opponent": "random", "auto_reset": "same_step"}
    env = schafkopf.VectorEnv(32, learner_seat="rotate", **options)
    trail(env, 20)
    fixed = schafkopf.VectorEnv(32, learner_seat=1, **options)
    before = fixed.snapshot()
    with pytest.raises(ValueError, match="taken with other options"):
        fixed.restore(env.snapshot())
    assert fixed.snapshot() == before


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"learner_seat": "rotates", "opponent": "random"}, ValueError, "integer -1..3, rotate"),
        ({"learner_seat": -2, "opponent": "random"}, ValueError, "integer -1..3, rotate"),
        ({"learner_seat": "rotate"}, ValueError, "need an opponent"),
        ({"opponents": ["random"] * 3}, ValueError, "opponents need learner_seat"),
        ({"learner_seat": 0, "opponents": ["random"] * 2}, ValueError, "2 players, allowed: 3"),
        (
            {"learner_seat": 0, "opponents": "rules"},
            ValueError,
            "opponents: str came, allowed: a list",
        ),
        ({"learner_seat": 0, "opponents": ["rules", None, "rules"]}, ValueError, "None came"),
        ({"learner_seat": 0, "opponents": ["rules", 7, "rules"]}, ValueError, "act"),
        ({"learner_seat": 0, "opponents": ["ruels"] * 3}, ValueError, 'nearest one is "rules"'),
        (
            {"learner_seat": 0, "opponents": ["random"] * 3, "opponent": "rules"},
            ValueError,
            "opponent and opponents, allowed: one of them",
        ),
        (
            {"learner_seat": 0, "opponents": ["random"] * 3, "bidding_only": True},
            ValueError,
            "no bidding_only",
        ),
        ({"learner_seat": 0, "oponents": ["random"] * 3}, TypeError, 'nearest one is "oppon'),
        ({"arays": "torch"}, TypeError, 'nearest one is "arrays"'),
        ({"arrays": "jax"}, ValueError, "arrays = 'jax', allowed: numpy, torch"),
    ],
)
def test_what_is_wrong_with_players_is_named(options, kind, text):
    with pytest.raises(kind) as caught:
        schafkopf.VectorEnv(2, **options)
    assert text in str(caught.value)


def test_an_illegal_answer_names_the_opponent_and_leaves_the_batch_to_be_reset():
    class Wrong(Seats):
        name, wrong = "wrong", False

        def act(self, views):
            right = super().act(views)
            return np.full(len(views), 127) if self.wrong else right

    player = Wrong()
    env = schafkopf.VectorEnv(8, seed=4, learner_seat=0, opponents=["random", player, "random"])
    before = trail(env, 5)[-1]
    player.wrong = True
    with pytest.raises(ValueError, match="python:wrong: act\\(\\) gave action 127"):
        trail(env)
    player.wrong = False
    with pytest.raises(RuntimeError, match=r"reset\(\)"):
        env.step_random()
    env.reset(seed=4)
    assert same_trails([before], trail(env, 5)[-1:])


class Renamed:
    """A player whose name is a method."""

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


def test_players_are_asked_where_there_are_view_lines():
    env = schafkopf.VectorEnv(4)
    refused("agent_actions: players read views: make the environment with view_lines=True",
            lambda: env.agent_actions("rules"))  # fmt: skip
