"""Objects pickle, copy and compare by value; what a pickle holds is checked when it is read."""

import array
import copy
import copyreg
import multiprocessing
import os
import pickle
from unittest import mock

import numpy as np
import pytest

import schafkopf
from schafkopf import _core


def played(seed, rules="research", moves=10):
    """Return a game after some random moves."""
    rng = np.random.default_rng(seed)
    game = schafkopf.Game(rules, seed=seed)
    for _ in range(moves):
        if not game.is_terminal:
            game.apply(int(rng.choice(game.legal_actions())))
    return game


def session_after(deals):
    session = schafkopf.Session("tournament_2024", seed=5)
    for number in range(deals):
        session.finish(finished(session.next_game(), number))
    return session


def finished(game, seed):
    rng = np.random.default_rng(seed)
    while not game.is_terminal:
        game.apply(int(rng.choice(game.legal_actions())))
    return game


class FirstLegal:
    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)


def league_after(deals):
    league = schafkopf.games.League(8, seed=3)
    for number in range(deals):
        table = number % league.num_tables
        game = finished(league.next_game(0, table), number)
        league.finish(0, table, game)
    return league


def late_view():
    """Return what a seat knows when few cards are left."""
    game = schafkopf.Game.with_contract(schafkopf.Contract("SOLO", declarer=0, suit="H"), seed=0)
    for _ in range(22):
        game.apply(game.legal_actions()[0])
    return game.view(game.current_player)


def refused(action):
    """Return why an action is illegal."""
    game = schafkopf.Game.with_contract(schafkopf.Contract("WENZ", declarer=1), seed=2)
    game.apply(game.legal_actions()[0])
    return game.refusal(action)


def contract_objects():
    return [
        schafkopf.Contract("RUF", 2, called="EA"),
        schafkopf.Contract("SOLO_TOUT", declarer=0, suit="H"),
        schafkopf.Contract("WENZ"),
        schafkopf.Contract("RAMSCH"),
    ]


def thrown_in():
    """Return the outcome of a deal in which all passed."""
    games = (schafkopf.Game("research", seed=seed) for seed in range(10))
    for game in games:
        while not game.is_terminal and "PASS" in game.legal_names():
            game.apply("PASS")
        if game.is_terminal:
            return game.outcome()
    raise AssertionError("nobody may pass")


def objects():
    return [
        thrown_in(),
        schafkopf.RuleSet(),
        schafkopf.RuleSet("tournament_2024", laufende_min_wenz=3),
        schafkopf.RuleSet(""),
        *contract_objects(),
        schafkopf.games.DealContext(stock=20, bock=1),
        schafkopf.games.DealContext.first("wikipedia_extended"),
        schafkopf.Deal.random(3),
        schafkopf.Deal.random(4, "official_1989"),
        played(1),
        played(2, moves=60),
        played(3, schafkopf.RuleSet("research", all_pass="ramsch")),
        schafkopf.Session("research", seed=2**64 - 1),
        session_after(9),
        played(2, moves=60).outcome(),
        schafkopf.settlement.Outcome(
            "WENZ", points=[61, 30, 20, 9], tricks=[5, 1, 1, 1], laufende=2
        ),
        schafkopf.make_agent("rules"),
        schafkopf.make_agent("random", num_threads=2),
        schafkopf.records.record_of(played(2)),
        schafkopf.games.League(8, "tournament_2024", seed=2**64 - 1),
        league_after(5),
        schafkopf.Solver(),
        schafkopf.Solver(1 << 16),
        schafkopf.WorldSampler(late_view()),
        schafkopf.WorldSampler(played(1, moves=0).view(2)),
        schafkopf.search.ExactPosterior(late_view(), "random"),
        schafkopf.search.ExactPosterior(late_view(), "random", alpha=0.5),
        schafkopf.search.ExactPosterior(late_view(), "rules", floor=0.1),
        schafkopf.search.ExactPosterior(late_view(), "rules", floor=0.1, silence=False),
        *schafkopf.exploitation.endgame_list("tournament_2024", endgames=1),
        schafkopf.exploitation.endgame_list("research", tricks=3, endgames=1)[1],
        refused("PASS"),
        refused(next(card for card in range(32) if refused(card) is not None)),
    ]


@pytest.mark.parametrize("thing", objects(), ids=lambda thing: type(thing).__name__)
@pytest.mark.parametrize(
    "again",
    [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy],
    ids=["pickle", "copy", "deepcopy"],
)
def test_a_copy_equals_what_it_was_made_of(thing, again):
    other = again(thing)
    assert other == thing
    assert (other != thing) is False
    assert " object at " not in repr(thing)
    assert repr(other) == repr(thing)
    if type(thing).__hash__ is not None:
        assert hash(other) == hash(thing)


class NamedGame(schafkopf.Game):
    table = None


class NamedSession(schafkopf.Session):
    table = None


class OwnWay(schafkopf.Session):
    def __getstate__(self):
        return super().__getstate__()


class OwnReduce(schafkopf.Session):
    def __reduce__(self):
        return copyreg.__newobj__, (OwnReduce,), self.__getstate__()


@pytest.mark.parametrize(
    "again",
    [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy],
    ids=["pickle", "copy", "deepcopy"],
)
def test_classes_made_of_these_keep_their_attributes(again):
    things = [NamedGame("research", seed=3), NamedSession("tournament_2024", seed=5)]
    for thing in things:
        assert type(again(thing)) is type(thing) and again(thing) == thing
        thing.table = ["Anna", "Ben"]
        other = again(thing)
        assert type(other) is type(thing) and other == thing
        assert other.table == ["Anna", "Ben"]
        other.place = 3  # a dict of its own
        assert not hasattr(thing, "place")
        assert (other.table is thing.table) == (again is copy.copy)
    things[0].itself = things[0]
    other = again(things[0])
    assert other.itself is (things[0] if again is copy.copy else other)
    for kind in (OwnWay, OwnReduce):
        plain = kind("tournament_2024", seed=5)
        plain.table = 1
        assert again(plain) == plain and not hasattr(again(plain), "table")  # as its class says


def test_different_values_differ():
    things = [*objects(), "text", None]
    for i, one in enumerate(things):
        for other in things[i + 1 :]:
            assert one != other


def test_mutable_objects_have_no_hash():
    for thing in (
        played(1),
        schafkopf.Session(),
        schafkopf.VectorEnv(1),
        schafkopf.games.League(4),
        schafkopf.Solver(),
    ):
        with pytest.raises(TypeError, match="unhashable"):
            hash(thing)


@pytest.mark.parametrize("rules", schafkopf.preset_names())
def test_games_and_contracts_of_every_preset_pickle_at_any_moment(rules):
    for seed in range(12):
        game = played(seed, rules, moves=seed * 4)
        again = pickle.loads(pickle.dumps(game))
        assert again == game and again.rules_name == game.rules_name
        assert again.contract == game.contract
        assert pickle.loads(pickle.dumps(game.contract)) == game.contract
        assert pickle.loads(pickle.dumps(game.context)) == game.context
        done = finished(game.copy(), 1)
        assert pickle.loads(pickle.dumps(done.outcome())) == done.outcome()
        assert schafkopf.settle(pickle.loads(pickle.dumps(done.outcome())), rules) == (
            schafkopf.settle(done.outcome(), rules)
        )
        assert finished(again, 1).payoffs() == finished(game.copy(), 1).payoffs()


def test_a_replayed_record_equals_a_game_in_which_several_doubled():
    deal = schafkopf.Deal.random(1)
    contract = schafkopf.Contract("KREUZ", declarer=0)
    game = schafkopf.Game.with_contract(contract, "official_1989", deal=deal)
    answers = ["NO_DOUBLE", "DOUBLE", "NO_DOUBLE", "NO_DOUBLE", "DOUBLE", "NO_DOUBLE"]
    for action in ["E8", *answers, "EK"]:
        game.apply(action)
    record = schafkopf.records.record_of(game, deal)
    assert schafkopf.records.replayed_game(record) == game


def test_a_changed_copy_leaves_the_first_one():
    game = played(1)
    other = copy.copy(game)
    other.apply(other.legal_actions()[0])
    assert other != game and played(1) == game


def test_a_rule_set_keeps_its_name_and_what_was_asked_for():
    rules = schafkopf.RuleSet("research", all_pass="ramsch")
    again = pickle.loads(pickle.dumps(rules))
    assert (again.name, again.hash, again.to_toml()) == (rules.name, rules.hash, rules.to_toml())
    assert again.replace(all_pass="throw_in") == rules.replace(all_pass="throw_in")


def test_a_session_goes_on_alike_after_a_misdeal_and_a_special_round():
    session = session_after(3)
    session.misdeal()
    for again in (pickle.loads(pickle.dumps(session)), copy.copy(session)):
        assert again == session
        assert again.next_game() == session.next_game()
    other = copy.copy(session)
    other.finish(finished(other.next_game(), 1))
    assert other != session
    fined = schafkopf.Session(
        schafkopf.RuleSet("research", misdeal_policy="redeal_then_penalty"), seed=1
    )
    for _ in range(5):
        fined.misdeal()
        assert pickle.loads(pickle.dumps(fined)) == fined
    assert fined.num_deals > 0
    special = schafkopf.Session(schafkopf.RuleSet("wikipedia_extended"), seed=1)
    special.start_special_round("bock")
    assert pickle.loads(pickle.dumps(special)) == special


def outcome_of(cls, state):
    """Return a new object with the state of a pickle."""
    thing = cls.__new__(cls)
    thing.__setstate__(state)
    return thing


@pytest.mark.parametrize(
    ("cls", "state", "text"),
    [
        (schafkopf.Game, (b"short", "research"), "no serialized game"),
        (schafkopf.Game, (b"x" * 528, "research"), "no serialized game"),
        (schafkopf.Game, ("text", "research"), "bytes"),
        (schafkopf.Game, (1, 2, 3), "2 entries"),
        (schafkopf.RuleSet, ("research", "", {"deck": "mini"}, []), "deck"),
        (schafkopf.RuleSet, ("research", "", {"dekc": "short24"}, []), 'nearest one is "deck"'),
        (schafkopf.RuleSet, ("research",), "4 entries"),
        (schafkopf.Contract, {"class": "SOLO"}, "suit"),
        (schafkopf.Contract, 7, "dict"),
        (schafkopf.Deal, (0,) * 9, "no card"),
        (schafkopf.Deal, (1, 1, 0, 0, 0, 0, 0, 0, 0), "comes twice"),
        (schafkopf.Deal, (1, 2), "9 entries"),
        (schafkopf.games.DealContext, (-1, 0, "none", 0, []), "stock"),
        (schafkopf.Session, ("research", 0, (1, 2)), "entries"),
        (schafkopf.Session, ("research", -1, ()), "seed"),
        (
            schafkopf.settlement.Outcome,
            (schafkopf.Contract("WENZ"), {"tricks": [9]}, False),
            "tricks",
        ),
        (schafkopf.settlement.Outcome, (schafkopf.Contract("WENZ"), [], False), "dict"),
        (schafkopf.games.League, ("tournament_2024", 7, 1, ()), "7"),
        (schafkopf.games.League, ("tournament_2024", 8, 1, []), "tuple of games"),
        (
            schafkopf.games.League,
            ("tournament_2024", 8, 1, ((0, 0, b"short"),)),
            "no serialized game",
        ),
        (schafkopf.Solver, (1,), "table_bytes = 1, allowed"),
        (schafkopf.Solver, (), "1 entries"),
        (schafkopf.WorldSampler, (np.zeros(3), "research"), "view"),
        (schafkopf.search.ExactPosterior, (1, 2), "7 entries"),
        (schafkopf.exploitation.Endgame, (1, 2), "8 entries"),
        (schafkopf.games.Refusal, (9, "PLAY", 0, "follow", "", "", [], []), "seat = 9"),
        (schafkopf.games.Refusal, (0, "PLAYS", 0, "follow", "", "", [], []), "phase = PLAYS"),
        (schafkopf.games.Refusal, (0, "PLAY", 0, "fallow", "", "", [], []), "ground = fallow"),
        (schafkopf.games.Refusal, (0, "PLAY", 0, "follow", 7, "", [], []), "reason"),
        (schafkopf.games.Refusal, (0, "PLAY", 0, "follow", "", "x" * 99, [], []), "rule = "),
        (schafkopf.games.Refusal, (0, "PLAY", 0, "follow", "", "", ["XX"], []), "XX"),
        (schafkopf.games.Refusal, (0, "PLAY", 0, "follow", "", "", [], [128]), "legal = 128"),
    ],
)
def test_a_damaged_pickle_is_a_value_error(cls, state, text):
    with pytest.raises(ValueError, match=text):
        outcome_of(cls, state)


def test_no_changed_byte_of_a_game_is_believed():
    game = played(4, moves=25)
    (data, rules) = game.__getstate__()
    for at in range(0, len(data), 5):
        with pytest.raises(ValueError):
            outcome_of(schafkopf.Game, (data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], rules))


def test_endgames_of_equal_rules_are_equal_and_have_one_hash_whatever_the_rules_are_called():
    renamed = schafkopf.RuleSet("research", laufende_min_wenz=3).replace(laufende_min_wenz=2)
    assert renamed == schafkopf.RuleSet("research")
    one, other = (
        schafkopf.exploitation.endgame_list(rules, endgames=1)[0] for rules in ("research", renamed)
    )
    assert one == other and hash(one) == hash(other)
    third = schafkopf.exploitation.endgame_list("research", endgames=1, seed=2)[0]
    assert one != third and hash(one) != hash(third)


def test_the_deals_of_an_endgame_go_with_it_into_another_process():
    for endgame in schafkopf.exploitation.endgame_list(endgames=1, seed=4):
        twin = pickle.loads(pickle.dumps(endgame))
        assert (twin.kind, str(twin)) == (endgame.kind, str(endgame))
        assert (twin.deals() == endgame.deals()).all()
        for hands in endgame.deals()[::600]:
            assert twin.game(hands) == endgame.game(hands)


@pytest.mark.parametrize(
    ("at", "value", "text"),
    [
        (0, "resarch", "resarch"),
        (1, 7, "kind and contract"),
        (2, {"type": "SOLO"}, "kind and contract"),
        (2, schafkopf.Contract("RUF", 2, called="HA"), "partner = -1 in RUF"),
        (3, (0, 0, 0), "captured: a pickle of 4 entries"),
        (3, (0, 0, 0, 2**32), "captured = 4294967296"),
        (3, (0, 0, 0, 0), "do not make the whole deck"),
        (3, (1, 1, 0, 0), "no whole number of tricks"),
        (4, 0, "allowed: 1..3 whole tricks"),
        (4, 2**32 - 1, "32 cards"),
        (4, 0xFF, "both holds and has captured E8"),
        (4, "EA", 'cards = "EA"'),
        (5, 4, "leader = 4, allowed: integer 0..3"),
        (6, -1, "dealer = -1, allowed: integer 0..3"),
        (7, -2, "partner = -2, allowed: integer -1..3"),
        (7, 2, "partner = 2 in RUF"),
    ],
)
def test_no_impossible_part_of_an_endgame_is_believed(at, value, text):
    endgame = schafkopf.exploitation.endgame_list(endgames=1)[0]
    state = endgame.__getstate__()
    assert outcome_of(schafkopf.exploitation.Endgame, state) == endgame
    with pytest.raises(ValueError, match=text):
        outcome_of(schafkopf.exploitation.Endgame, (*state[:at], value, *state[at + 1 :]))


def test_no_impossible_number_of_a_session_is_believed():
    rules, seed, numbers = session_after(5).__getstate__()
    believed = []
    for at in range(len(numbers)):
        changed = (*numbers[:at], numbers[at] + 1, *numbers[at + 1 :])
        try:
            outcome_of(schafkopf.Session, (rules, seed, changed))
        except ValueError as error:
            assert str(error).startswith("Session: no session can stand here: ")
            continue
        believed.append(at)
    last = ["deals", "thrown_in", "counted", "redeals", "dealer", "old_one", "misdeals"]
    last += [f"played_{place}" for place in range(5)]
    # the cards may have been dealt once more, and the Alte been held by another place
    assert believed == [len(numbers) - len(last) + last.index(k) for k in ("redeals", "old_one")]


def test_a_league_goes_on_alike_whatever_table_came_first():
    league = league_after(5)
    again = pickle.loads(pickle.dumps(league))
    assert again.ranking() == league.ranking()
    assert again.next_game(0, 0) == league.next_game(0, 0)
    other = schafkopf.games.League(8, seed=3)
    for number in (1, 3, 0, 2, 4):  # the tables in another order
        other.finish(0, number % 2, finished(other.next_game(0, number % 2), number))
    assert other == league
    other.finish(0, 1, finished(other.next_game(0, 1), 7))
    assert other != league


def test_a_game_that_is_not_of_the_league_is_not_believed():
    rules, players, seed, games = league_after(3).__getstate__()
    for changed in (games[::-1], ((0, 1, games[0][2]), *games[1:]), games[1:]):
        with pytest.raises(ValueError, match=r"not the finished deal|is over"):
            outcome_of(schafkopf.games.League, (rules, players, seed, changed))


def test_worlds_and_their_probabilities_are_those_of_the_copy():
    view = late_view()
    sampler = schafkopf.WorldSampler(view)
    again = pickle.loads(pickle.dumps(sampler))
    assert again.count == sampler.count
    assert (again.sample(20, seed=3) == sampler.sample(20, seed=3)).all()
    posterior = schafkopf.search.ExactPosterior(view, "rules", floor=0.1)
    again = pickle.loads(pickle.dumps(posterior))
    assert (again.worlds == posterior.worlds).all()
    assert (again.probabilities == posterior.probabilities).all()
    damaged = view.copy()
    damaged["cards"]["hand"] = 2**32 - 1
    with pytest.raises(ValueError, match="view: its cards do not add up to the deck"):
        outcome_of(schafkopf.WorldSampler, (damaged, "research"))


def words_of(refusal):
    """In the other process: what came, and what it says there."""
    return refusal, str(refusal), refusal.legal


def test_a_refusal_says_the_same_in_another_process():
    refusal = refused("PASS")
    assert pickle.loads(pickle.dumps(refusal)).legal == refusal.legal
    assert str(copy.deepcopy(refusal)) == str(refusal)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        came = pool.apply(words_of, (refusal,))
    assert came == words_of(refusal) == (refusal, str(refusal), refusal.legal)


def test_players_compare_by_what_they_were_made_of():
    assert schafkopf.make_agent("rules") == schafkopf.make_agent("rules", num_threads=2)
    assert schafkopf.make_agent("rules") != schafkopf.make_agent("random")
    player = FirstLegal()
    assert schafkopf.make_agent(player) == schafkopf.make_agent(player)
    assert schafkopf.make_agent(player) != schafkopf.make_agent(FirstLegal())
    again = pickle.loads(pickle.dumps(schafkopf.make_agent("rules", num_threads=2)))
    view = played(1, moves=0).view(0)
    assert (again.act(view) == schafkopf.make_agent("rules").act(view)).all()


OPTIONS = [
    {},
    {"rules": ["research", schafkopf.RuleSet("official_1989")], "rule_index": [0, 1] * 4},
    {"auto_reset": "same_step", "learner_seat": 2, "opponent": "rules", "observation": "uint8"},
    {"auto_reset": "disabled", "session": True, "rules": "tournament_2024"},
    {"start": "card_play", "generator": "heuristic", "cards": "canonical", "view_lines": True},
    {"deals": [schafkopf.Deal.random(1)], "contracts": ["WENZ"], "start": "card_play"},
    {"learner_seat": 0, "opponent": schafkopf.make_agent("random"), "full_view": True},
    {"learner_seat": "rotate", "opponents": ["rules", "random", schafkopf.make_agent("rules")]},
    {"learner_seat": "rotate", "opponent": "random", "auto_reset": "same_step", "session": True},
]


def buffers(env):
    return {name: value.copy() for name, value in env.buffers().items()}


def step(env):
    if env.terminated.any() and env._options.get("auto_reset") == "disabled":
        env.reset(options={"reset_mask": env.terminated.copy()})
    env.step(env.random_actions())


@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
@pytest.mark.parametrize("steps", [0, 1, 45])
def test_an_environment_goes_on_in_its_copies(options, steps):
    if "contracts" in options:
        options = options | {"contracts": [schafkopf.Contract("WENZ", 1)]}
    env = schafkopf.VectorEnv(8, seed=3, **options)
    for _ in range(steps):
        step(env)
    copies = [pickle.loads(pickle.dumps(env)), copy.copy(env), copy.deepcopy(env)]
    for other in copies:
        assert other == env
        for name, value in buffers(env).items():
            if name != "final_observation":  # of deals that ended, as the docstring says
                assert np.array_equal(value, getattr(other, name)), name
    for other in copies:
        for _ in range(40):
            step(other)
    assert copies[0] == copies[1] == copies[2]
    assert copies[0] != env
    for _ in range(40):
        step(env)
    assert copies[0] == env
    env.reset()
    assert copies[0] != env


def test_the_first_reset_of_a_copy_keeps_the_first_deal():
    env = schafkopf.VectorEnv(4, seed=9)
    other = pickle.loads(pickle.dumps(env))
    env.reset()
    other.reset()
    assert (env.running_seed == other.running_seed).all() and env == other


def test_a_batch_that_was_not_reset_yet_equals_none_that_was():
    env, other = (schafkopf.VectorEnv(4, seed=9) for _ in range(2))
    other.reset()  # keeps the first deal, and the next one does not
    assert env != other and other != env
    env.reset()
    assert env == other


def test_a_batch_that_is_closed_equals_itself_alone():
    env, other, closed = (schafkopf.VectorEnv(4, seed=9) for _ in range(3))
    other.close()
    closed.close()
    assert env != other and other != env and other != closed and other == other


def test_the_pickle_of_a_batch_whose_spaces_were_asked_for_needs_no_gymnasium():
    pytest.importorskip("gymnasium")
    env = schafkopf.VectorEnv(4, seed=9)
    before = pickle.dumps(env)
    assert env.observation_space.shape[0] == env.action_space.shape[0] == 4
    assert pickle.dumps(env) == before and b"gymnasium" not in before


def test_environments_compare_by_options_and_games():
    env = schafkopf.VectorEnv(4, seed=9)
    assert env == schafkopf.VectorEnv(4, rules="research", seed=9, num_threads=2)
    assert env == schafkopf.VectorEnv(4, rules=schafkopf.RuleSet(), seed=9)
    assert env != schafkopf.VectorEnv(4, seed=8)
    again = schafkopf.VectorEnv(4, seed=8)
    again.reset(seed=9)  # of a seed the games count
    assert env != again
    env.reset()
    assert env == again
    assert env != schafkopf.VectorEnv(5, seed=9)
    assert env != schafkopf.VectorEnv(4, seed=9, cards="canonical")
    assert env != "an environment"
    assert env == mock.ANY  # what knows how to compare itself is asked


def test_environments_compare_by_what_options_mean():
    def env(contract, **options):
        deals = [schafkopf.Deal.random(1)]
        return schafkopf.VectorEnv(
            4, start="card_play", deals=deals, contracts=[contract], **options
        )

    solo = schafkopf.Contract("SOLO", 0, "H", tout=True)
    written = {"class": "SOLO_TOUT", "declarer": 0, "suit": "H"}
    assert env(solo) == env(written) == env(written | {"class": "SOLO", "tout": True})
    assert env(solo) != env(written | {"suit": "E"})
    assert env(solo) == env(solo, rule_index=[0] * 4) == env(solo, rule_index=np.zeros(4, int))
    assert env(solo) == env(solo, opponents=None) == env(solo, opponents=())


def test_a_contract_that_is_changed_after_it_was_given_changes_no_copy():
    written = {"class": "SOLO", "suit": "H", "declarer": 0}
    deals = [schafkopf.Deal.random(1)]
    env = schafkopf.VectorEnv(2, start="card_play", deals=deals, contracts=[written])
    stepped = copy.copy(env)
    stepped.step(stepped.random_actions())
    written["suit"] = "E"
    again = pickle.loads(pickle.dumps(env))
    assert again == env and again.get_game(0).contract.suit == "H"
    assert copy.deepcopy(stepped) == stepped


def test_a_list_of_deals_that_is_changed_after_it_was_given_changes_no_copy():
    deals = [schafkopf.Deal.random(1)]
    env = schafkopf.VectorEnv(2, deals=deals)
    deals[0] = schafkopf.Deal.random(2)
    again = copy.copy(env)
    assert again == env == pickle.loads(pickle.dumps(env))
    assert set(again.get_game(0).hand(0)) == set(schafkopf.Deal.random(1).hands[0])


def test_numbers_that_are_changed_after_they_were_given_change_no_copy():
    numbers = array.array("H", [0, 1])
    rules = ["research", "official_1989"]
    env = schafkopf.VectorEnv(2, rules=rules, rule_index=numbers)
    assert repr(env) == "VectorEnv(2, rules=['research', 'official_1989'], rule_index=[0, 1])"
    env.step(env.random_actions())
    numbers[1] = 0
    assert copy.copy(env) == env == pickle.loads(pickle.dumps(env))


def test_tensors_as_options_are_kept_as_numbers():
    torch = pytest.importorskip("torch")
    seed, seat = torch.tensor(3), torch.tensor(1)
    env = schafkopf.VectorEnv(2, seed=seed, learner_seat=seat, opponent="random")
    same = schafkopf.VectorEnv(2, seed=3, learner_seat=1, opponent="random")
    assert repr(env) == repr(same)
    seed.fill_(4)
    seat.fill_(2)
    assert copy.copy(env) == env == same
    rules = ["research", "official_1989"]
    env = schafkopf.VectorEnv(2, rules=rules, rule_index=torch.tensor([0, 1]))
    assert copy.copy(env) == env == schafkopf.VectorEnv(2, rules=rules, rule_index=[0, 1])


def test_a_damaged_snapshot_in_a_pickle_is_a_value_error():
    env = schafkopf.VectorEnv(2)
    env.step(env.random_actions())
    make, arguments, (num_envs, options, games, added) = env.__reduce__()
    with pytest.raises(ValueError, match="checksum"):
        make(*arguments).__setstate__((num_envs, options, games[:-1] + b"?", added))
    twin = make(*arguments)
    twin.__setstate__((num_envs, options, games, added))
    assert twin == env


def moved_on(things):
    """In the other process: what came, stepped once."""
    game, env = things
    game.apply(game.legal_actions()[0])
    env.step(env.random_actions())
    return game, env


def test_objects_go_to_spawned_processes_and_back():
    game, env = played(6, moves=3), schafkopf.VectorEnv(3, seed=1)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        came = pool.apply(moved_on, ((game, env),))
    assert came == moved_on((copy.copy(game), copy.copy(env)))


def test_core_errors_pickle():
    with pytest.raises(schafkopf.IllegalAction) as caught:
        schafkopf.Game(seed=1).apply(0)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.legal == caught.value.legal
    assert _core.IllegalAction is type(again)


def test_nothing_was_played_in_a_deal_that_was_thrown_in():
    outcome = thrown_in()
    assert outcome.thrown_in and outcome.contract is None
    told = schafkopf.settlement.Outcome(None, thrown_in=True)
    assert schafkopf.settle(outcome) == schafkopf.settle(told)
    html = schafkopf.picture(outcome)._repr_html_()
    assert "thrown in" in html and "<td>thrown_in</td><td>True</td>" in html
    with pytest.raises(ValueError, match="contract = None, allowed: a Contract; None where thrown"):
        schafkopf.settlement.Outcome(None)


def test_two_outcomes_that_differ_show_it():
    names = [name for name in dir(schafkopf.settlement.Outcome) if name[0] != "_"]
    outcome = played(2, moves=60).outcome()
    given = {name: getattr(outcome, name) for name in names}
    assert schafkopf.settlement.Outcome(**given) == outcome
    given = {"points": [61, 30, 20, 9], "tricks": [5, 1, 1, 1]}
    plain = schafkopf.settlement.Outcome("WENZ", **given)
    assert plain == schafkopf.settlement.Outcome("WENZ", **given)
    for name, value in {"forehand": 2, "claimed_laufende": 3, "claimed_schwarz": False}.items():
        other = schafkopf.settlement.Outcome("WENZ", **given, **{name: value})
        assert getattr(other, name) == value
        assert other != plain and plain != other
        assert [one for one in names if getattr(other, one) != getattr(plain, one)] == [name]


def test_a_repr_says_what_a_thing_is_of():
    outcome = schafkopf.settlement.Outcome("WENZ", points=[61, 30, 20, 9], tricks=[5, 1, 1, 1])
    for thing, said in (
        (outcome, "<Outcome Contract('WENZ'), points [61, 30, 20, 9], tricks [5, 1, 1, 1]>"),
        (thrown_in(), "<Outcome, thrown in>"),
        (session_after(2), "<Session tournament_2024, seed 5, 2 deals entered>"),
        (schafkopf.games.League(8, seed=5), "<League tournament_2024, 8 players, seed 5, 0 deals"),
        (schafkopf.Solver(1 << 16), "Solver(table_bytes=65536)"),
        (schafkopf.WorldSampler(late_view()), f"<WorldSampler, {late_worlds()} worlds>"),
        (
            schafkopf.search.ExactPosterior(late_view(), "random"),
            f"<ExactPosterior, {late_worlds()} worlds>",
        ),
        (refused("PASS"), f"<Refusal {refused('PASS')}>"),
    ):
        assert repr(thing).startswith(said), repr(thing)


def late_worlds():
    return schafkopf.WorldSampler(late_view()).count


def test_a_repr_makes_the_same_again():
    names = {"RuleSet": schafkopf.RuleSet, "DealContext": schafkopf.games.DealContext}
    names |= {"Deal": schafkopf.Deal, "Contract": schafkopf.Contract}
    for preset in ["", *schafkopf.rules.preset_names()]:
        rules = schafkopf.RuleSet(preset)
        again = eval(repr(rules), names)
        assert (again, again.name) == (rules, rules.name), preset
    assert repr(schafkopf.RuleSet()) == 'RuleSet("research")'
    changed = schafkopf.RuleSet("tournament_2024", first_dealer="seat0")
    assert repr(changed).startswith('RuleSet("", ') and eval(repr(changed), names) == changed
    deal = schafkopf.Deal.random(3)
    for thing in (
        *contract_objects(),
        schafkopf.games.DealContext(stock=5, owed=[1, 2, 3, 4]),
        schafkopf.Deal(deal.hands, zupf=3),
    ):
        assert eval(repr(thing), names) == thing


def test_a_player_out_of_a_file_is_what_the_file_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    schafkopf.save_player(schafkopf.new_torch("mlp:32x1"), "other.safetensors")
    schafkopf.save_player(schafkopf.new_torch("mlp:32x1"), "mine.safetensors")
    player = schafkopf.make_agent("net:mine.safetensors")
    env = schafkopf.VectorEnv(8, opponent="net:mine.safetensors", learner_seat=0, seed=1)
    players = ["random", "net:mine.safetensors", "random"]
    several = schafkopf.VectorEnv(2, opponents=players, learner_seat=0, seed=1)
    pickles = [pickle.dumps(player), pickle.dumps(env), pickle.dumps(several)]
    assert [pickle.loads(one) for one in pickles] == [player, env, several]
    views = np.array([late_view()])
    actions = player.act(views, seed=3)
    os.replace("other.safetensors", "mine.safetensors")
    for again in (copy.copy, copy.deepcopy):  # which read no file
        assert again(player) == player
        assert (again(player).act(views, seed=3) == actions).all()
        assert again(schafkopf.make_agent(player, num_threads=2)) == player
        assert again(env) == env
    for one in pickles:
        with pytest.raises(ValueError, match=r"<bytes \w+>, which is now net:mine.*<bytes \w+>"):
            pickle.loads(one)
    assert schafkopf.make_agent("net:mine.safetensors") != player


PROGRAM = """read line; echo hello 1 name Tiny
while read -r word rest; do case $word in go) legal=${rest##*legal }; echo "bestaction FIRST";; esac
done
"""


def test_a_program_that_plays_is_started_by_its_text(tmp_path):
    program = tmp_path / "player"
    program.write_text(PROGRAM.replace("FIRST", "${legal%% *}"))
    player = schafkopf.make_agent(f"engine:sh {program}")
    game = schafkopf.Game(seed=1)
    view, legal = game.view(game.current_player), game.legal_actions()
    kept = pickle.dumps(player)
    program.write_text(PROGRAM.replace("FIRST", "${legal##* }"))
    again = pickle.loads(kept)  # no bytes of a file are compared, as they are of a network
    assert again == player
    assert (player.act(view)[0], again.act(view)[0]) == (legal[0], legal[-1])


def test_files_of_a_player_are_those_of_its_weights():
    assert _core.player_files("engine:sh player") == ""
    assert _core.player_files("rules") == ""
    assert _core.player_files("net:baseline").startswith(" <bytes ")


def test_functions_of_the_compiled_module_pickle_by_their_name():
    functions = {
        name: value
        for name, value in vars(_core).items()
        if type(value).__name__ == "builtin_function_or_method"
    }
    assert len(functions) > 60
    assert {
        name for name, f in functions.items() if pickle.loads(pickle.dumps(f)) is not f
    } == set()


@pytest.mark.parametrize("threads", [-1, 0, 1, 2])
def test_a_pickle_of_an_agent_without_a_player_is_a_value_error(threads):
    with pytest.raises(ValueError, match=r"Agent: the pickle is of no player|num_threads = -1"):
        _core.Agent.__new__(_core.Agent).__setstate__((None, threads, "random"))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_pickles(protocol):
    rules = schafkopf.RuleSet("research")
    game = schafkopf.Game(seed=3)
    for value in (rules, game, schafkopf.Contract("WENZ", declarer=1)):
        assert pickle.loads(pickle.dumps(value, protocol)) == value


class Shaped(schafkopf.VectorEnv):
    """A batch with something of its own."""

    def __init__(self, scale=1.0):
        super().__init__(4, seed=2)
        self.scale = scale


def test_a_batch_of_the_callers_own_class_is_copied_with_what_it_has():
    env = Shaped(scale=0.02)
    env.reset()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(env, protocol))
        assert type(twin) is Shaped and twin.scale == 0.02 and twin == env
    for twin in (copy.copy(env), copy.deepcopy(env)):
        assert twin.scale == 0.02 and twin == env
        twin.step(twin.random_actions())
        assert twin != env
    with pytest.raises(AttributeError):
        twin.observation = None


class KnowsTheBatch(FirstLegal):
    """An opponent that keeps the batch in which it plays."""

    env = None


def test_a_batch_whose_opponent_knows_it_is_copied_with_it():
    player = KnowsTheBatch()
    env = player.env = schafkopf.VectorEnv(4, opponent=player, learner_seat=0, seed=1)
    env.step(env.random_actions())
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        for twin in (
            pickle.loads(pickle.dumps(env, protocol)),
            pickle.loads(pickle.dumps(player, protocol)).env,
        ):
            assert twin._options["opponent"].env is twin
            assert twin.snapshot() == env.snapshot()
    for twin in (copy.deepcopy(env), copy.deepcopy(player).env):
        assert twin is not env and twin._options["opponent"].env is twin
        assert twin.snapshot() == env.snapshot()


def test_what_cannot_be_pickled_says_so_by_every_protocol():
    connection = _core.EngineSession("rules")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(connection, protocol)


# copyreg makes an object of the class's base for these, which ended the process.
@pytest.mark.parametrize("value", [schafkopf.Game(seed=1), schafkopf.RuleSet()])
def test_the_base_of_all_classes_makes_no_object(value):
    with pytest.raises(TypeError, match="pickle those of a class by protocol 2 or later"):
        value.__reduce__()
    with pytest.raises(TypeError, match="has no objects of its own"):
        type(value).__base__()

    class Own(schafkopf.Game):
        def __reduce__(self):
            return super().__reduce__()

    with pytest.raises(TypeError, match="by protocol 2 or later"):
        pickle.dumps(Own(seed=1))


def test_what_is_compared_with_something_unknown_leaves_the_answer_to_that():
    for value in (
        schafkopf.Game(seed=1),
        schafkopf.Deal.random(1),
        schafkopf.Contract("WENZ", declarer=1),
        schafkopf.RuleSet(),
        schafkopf.Session(seed=1),
        schafkopf.games.League(8, seed=1),
        schafkopf.make_agent("random"),
        schafkopf.search.Solver(),
        _core.DealContext(),
        schafkopf.Game(seed=1).refusal("EA"),
        schafkopf.search.WorldSampler(schafkopf.Game(seed=1).view(0)),
        schafkopf.settlement.Outcome(None, thrown_in=True),
    ):
        assert value == mock.ANY
        assert value not in (1, "text", None)
