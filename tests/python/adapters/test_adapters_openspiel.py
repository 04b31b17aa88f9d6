"""The games of OpenSpiel under OpenSpiel's own tests and algorithms."""

import ast
import pickle
import sys

import numpy as np
import pytest

import schafkopf
from schafkopf.extras import load_extra

pytest.importorskip("pyspiel")

import pyspiel
from open_spiel.python import policy as policies
from open_spiel.python.algorithms import (
    exploitability,
    external_sampling_mccfr,
    generate_playthrough,
    get_all_states,
    ismcts,
    mcts,
)
from open_spiel.python.observation import make_observation

from schafkopf.adapters import openspiel as adapter
from schafkopf.adapters import openspiel_states

DEAL = "schafkopf(rng_seed=5)"
EXPLICIT = "schafkopf(chance=explicit)"
ENDGAME = "schafkopf_endgame(kind=RUF_ACE_HELD)"
KONTRA = "schafkopf(rules=official_1989_full,rng_seed=1)"
GAMES = [DEAL, EXPLICIT, KONTRA, ENDGAME, "schafkopf_endgame(kind=RAMSCH,number=1)"]


def drawn(state, rng):
    if not state.is_chance_node():
        return int(rng.choice(state.legal_actions()))
    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
    return int(rng.choice(outcomes, p=chances))


def states_of(game, deals, seed=1):
    """Give the states of random play after the deal, the last ones included."""
    rng = np.random.default_rng(seed)
    for _ in range(deals):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(drawn(state, rng))
            if not state.is_chance_node():
                yield state


def after_the_deal(game):
    return next(states_of(game, 1))


@pytest.mark.parametrize("name", GAMES)
def test_random_sim_test(name):
    game = pyspiel.load_game(name)
    explicit = game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert explicit == (name not in (DEAL, KONTRA))
    pyspiel.random_sim_test(game, num_sims=5, serialize=explicit, verbose=False)


@pytest.mark.parametrize("name", GAMES)
def test_a_deal_has_as_many_chance_nodes_as_its_game_says(name):
    game = pyspiel.load_game(name)
    drawn_before = len(after_the_deal(game).history())
    assert game.max_chance_nodes_in_history() == drawn_before
    assert game.max_history_length() == game.max_game_length() + drawn_before


@pytest.mark.parametrize(
    ("name", "chance"),
    [(DEAL, ["deal"]), (EXPLICIT, ["dealer 0", "E7", "E8"]), (ENDGAME, ["deal 0"])],
)
def test_actions_have_the_names_of_the_cards_and_of_what_is_said(name, chance):
    state = pyspiel.load_game(name).new_initial_state()
    for text in chance:
        action = min(state.legal_actions())
        assert state.action_to_string(state.current_player(), action) == text
        state.apply_action(action)
    state = after_the_deal(state.get_game())
    for action in state.legal_actions():
        shown = state.action_to_string(state.current_player(), action)
        assert shown == schafkopf.actions.action_name(action)


@pytest.mark.parametrize("rules", schafkopf.preset_names())
def test_returns_are_payoffs_within_the_bounds(rules):
    game = pyspiel.load_game("schafkopf", {"rules": rules, "rng_seed": 2})
    for state in states_of(game, 20):
        if not state.is_terminal():
            assert state.returns() == [0.0] * 4
            continue
        assert state.returns() == state.table.payoffs()
        assert abs(sum(state.returns())) < 1e-9
        assert max(map(abs, state.returns())) <= game.max_utility() == -game.min_utility()


def test_three_players_are_three(tmp_path):
    file = tmp_path / "three.toml"
    file.write_text('preset = "research"\nplayers = 3\ndeck = "short24"\n')
    for chance in ("sampled", "explicit"):
        game = pyspiel.load_game("schafkopf", {"rules": str(file), "chance": chance})
        assert game.num_players() == 3
        for state in states_of(game, 2):
            if not state.is_terminal():
                state.resample_from_infostate(0, np.random.default_rng(1).random)
        assert len(state.returns()) == 3


def test_a_seed_gives_its_deals_again_and_another_one_each_time():
    one, two = (pyspiel.load_game(DEAL) for _ in range(2))
    first, again = ([str(after_the_deal(game)) for _ in range(3)] for game in (one, two))
    assert first == again and len(set(first)) == 3
    copied = pickle.loads(pickle.dumps(one))
    assert str(after_the_deal(copied)) == str(after_the_deal(one)) != first[0]
    dealers = {after_the_deal(one).table.dealer for _ in range(40)}
    assert dealers == {0, 1, 2, 3}
    unseeded = {str(after_the_deal(pyspiel.load_game("schafkopf"))) for _ in range(2)}
    assert len(unseeded) == 2


def test_an_endgame_is_the_one_of_its_kind_number_and_seed():
    for number, seed in [(0, 1), (1, 1), (0, 2)]:
        given = {"kind": "SOLO", "number": number, "seed": seed}
        game = pyspiel.load_game("schafkopf_endgame", given)
        endgames = schafkopf.exploitation.endgame_list("research", 2, number + 1, seed)
        of_kind = [one for one in endgames if one.kind == "SOLO"]
        assert (game.deals == of_kind[number].deals()).all()


@pytest.mark.parametrize("name", GAMES)
def test_states_are_written_and_read(name):
    game = pyspiel.load_game(name)
    rng = np.random.default_rng(7)
    state = game.new_initial_state()
    for _ in range(12):
        if state.is_terminal():
            break
        state.apply_action(drawn(state, rng))
    for other in (
        game.deserialize_state(state.serialize()),
        pickle.loads(pickle.dumps(state)),
        state.clone(),
    ):
        assert type(other) is type(state)
        assert other.table == state.table and other.history() == state.history()
        if not other.is_terminal():
            before = str(state)
            other.apply_action(drawn(other, rng))
            assert str(state) == before  # nothing is shared


def test_explicit_deals_are_those_of_their_history():
    game = pyspiel.load_game(EXPLICIT)
    state = after_the_deal(game)
    dealer, *cards = state.history()
    assert state.table.dealer == dealer and len(set(cards)) == 32
    for seat in range(4):
        hand = {schafkopf.cards.card_name(card) for card in cards[8 * seat : 8 * seat + 8]}
        assert set(state.table.dealt(seat)) == hand
    again = game.new_initial_state()
    for action in state.history():
        again.apply_action(action)
    assert again.table == state.table


@pytest.mark.parametrize("name", GAMES)
def test_a_player_cannot_tell_a_resampled_state_from_the_real_one(name):
    game = pyspiel.load_game(name)
    rng = np.random.default_rng(4)
    others = 0
    for state in states_of(game, 3):
        for player in range(4):
            other = state.resample_from_infostate(player, rng.random)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.information_state_tensor(player) == state.information_state_tensor(player)
            assert other.observation_string(player) == state.observation_string(player)
            assert other.current_player() == state.current_player()
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()
            others += other.table != state.table
    assert others > 0


# every kind of Hochzeit: its trumps shown and one of them, or two, twice, hidden and overridden
HOCHZEITEN = {
    "open": "",
    "hidden": "hochzeit_card_open = false\nhochzeit_return_nontrump = true\n",
    "two trumps, two pairs": "bauernhochzeit = true\ndoppelte_hochzeit = true\n",
    "overridden": "hochzeit_solo_override = true\nhochzeit_card_open = false\n",
    "after all passed": 'hochzeit = "after_all_pass"\n',
}


def hochzeiten(file, switches, deals):
    """Give states of random play in which a Hochzeit is offered and taken where it can be."""
    file.write_text(f'preset = "official_1989_full"\n{switches}')
    game = pyspiel.load_game("schafkopf", {"rules": str(file), "rng_seed": 3})
    names = ("HZ_OFFER_2", "HZ_OFFER_1", "HZ_ACCEPT")
    passes = ("PASS",) if "after_all_pass" in switches else ()
    wanted = [schafkopf.actions.parse_action(name) for name in (*names, *passes)]
    rng = np.random.default_rng(1)
    for _ in range(deals):
        state = game.new_initial_state()
        while not state.is_terminal():
            offers = [action for action in wanted if action in state.legal_actions()]
            state.apply_action(offers[0] if offers else drawn(state, rng))
            if state.is_terminal():
                break
            if not {said for _, said in state.table.public_actions()}.isdisjoint(names):
                yield state


@pytest.mark.parametrize("kind", HOCHZEITEN)
def test_the_seat_to_act_has_worlds_at_every_moment_of_a_hochzeit(kind, tmp_path):
    rng = np.random.default_rng(2)
    phases, others = set(), 0
    for state in hochzeiten(tmp_path / "rules.toml", HOCHZEITEN[kind], 60):
        player = state.current_player()
        other = state.resample_from_infostate(player, rng.random)
        assert other.information_state_string(player) == state.information_state_string(player)
        assert other.current_player() == player
        assert other.legal_actions() == state.legal_actions()
        phases.add(state.table.phase)
        others += other.table != state.table
    wanted = {"HZ_OVERRIDE"} if kind == "overridden" else {"HZ_RETURN"}
    assert wanted | {"HZ_ACCEPT", "PLAY"} <= phases and others > 50


def test_who_looks_on_while_one_trump_is_answered_has_worlds_and_with_two_is_told_so(tmp_path):
    rng, seen = np.random.default_rng(2), set()
    for state in hochzeiten(tmp_path / "rules.toml", "bauernhochzeit = true\n", 80):
        if state.table.phase != "HZ_RETURN":
            continue
        said = dict(reversed(pair) for pair in state.table.public_actions())
        onlookers = {0, 1, 2, 3} - {said["HZ_ACCEPT"]}
        if "HZ_OFFER_2" in said:
            onlookers.remove(said["HZ_OFFER_2"])
            seen.add(2)
            for player in onlookers:
                with pytest.raises(RuntimeError, match="cards are on their way between"):
                    state.resample_from_infostate(player, rng.random)
        else:
            seen.add(1)
            for player in onlookers:
                state.resample_from_infostate(player, rng.random)
    assert seen == {1, 2}


def test_exchanges_are_drawn_and_not_those_of_the_game(tmp_path):
    """Nobody else learns from resampled states which card came back."""
    for state in hochzeiten(tmp_path / "rules.toml", "", 40):
        said = dict(reversed(pair) for pair in state.table.public_actions())
        if state.table.phase == "PLAY" and "HZ_ACCEPT" in said and not state.table.plays:
            break
    pair = {said["HZ_OFFER_1"], said["HZ_ACCEPT"]}
    player = min({0, 1, 2, 3} - pair)
    rng = np.random.default_rng(3)
    returned = set()
    for _ in range(60):
        other = state.resample_from_infostate(player, rng.random)
        returned.add(int(other.table.view(said["HZ_ACCEPT"])["order"]["given"]))
    assert len(returned) > 10


def test_special_rounds_with_a_packet_say_that_they_cannot_be_dealt_again(tmp_path):
    file = tmp_path / "schieber.toml"
    file.write_text('preset = "research"\nspecial_round = "schieber"\nspecial_round_games = 4\n')
    state = after_the_deal(pyspiel.load_game("schafkopf", {"rules": str(file), "rng_seed": 1}))
    with pytest.raises(RuntimeError, match=r"cannot be dealt again \(special_round = schieber\)"):
        state.resample_from_infostate(state.current_player(), lambda: 0.5)


def test_ismcts_plays_deals_with_a_hochzeit(tmp_path):
    bot, asked = None, 0
    for state in hochzeiten(tmp_path / "rules.toml", "", 60):
        bot = bot or ismcts.ISMCTSBot(
            state.get_game(),
            mcts.RandomRolloutEvaluator(1, np.random.RandomState(0)),
            uct_c=100,
            max_simulations=4,
            random_state=np.random.RandomState(0),
        )
        assert bot.step(state) in state.legal_actions()
        asked += 1
        if asked == 60:
            break
    assert asked == 60


def test_information_states_are_views():
    for state in states_of(pyspiel.load_game(DEAL), 1):
        for player in range(4):
            view = adapter.view_from_string(state.information_state_string(player))
            assert view == state.table.view(player)
            encoded = schafkopf.encode(view)[0].tolist()
            assert state.observation_tensor(player) == encoded
            tensor = state.information_state_tensor(player)
            assert tensor[: len(encoded)] == encoded
            bits = np.array(tensor[len(encoded) :], np.uint8)
            assert np.packbits(bits, bitorder="little").tobytes() == view.tobytes()
    with pytest.raises(ValueError, match="allowed: 384 hexadecimal digits"):
        adapter.view_from_string("00ff")


@pytest.mark.parametrize("name", ["schafkopf", "schafkopf_endgame"])
def test_tensors_are_of_the_layout_and_the_rules_of_the_game(name):
    rules = {"rules": "official_1989_full", "observation_version": 3}
    game = pyspiel.load_game(name, rules)
    state = after_the_deal(game)
    observer = game.make_py_observer()
    for player in range(4):
        encoded = schafkopf.encode(state.table.view(player), "official_1989_full", version=3)[0]
        assert state.observation_tensor(player) == encoded.tolist()
        observer.set_from(state, player)
        assert observer.tensor.tolist() == encoded.tolist()
        observer.set_from(game.new_initial_state(), player)
        assert not observer.tensor.any()


def test_an_observation_in_words_has_the_open_trick_and_what_each_seat_played():
    places, longest = ("self", "left", "opposite", "right"), 0
    for state in states_of(pyspiel.load_game(DEAL), 4):
        plays = [(places[seat], card) for seat, card in state.table.plays]
        played = [[card for place, card in plays if place == one] for one in places]
        table, cards = state.observation_string(0).split(", table ")[1].split(", played ")
        assert table == str(plays[len(plays) - len(plays) % 4 :])
        assert [sorted(one) for one in ast.literal_eval(cards)] == list(map(sorted, played))
        longest = max(longest, len(plays))
    assert longest == 32


def test_ismcts_plays_a_deal():
    game = pyspiel.load_game(DEAL)
    bot = ismcts.ISMCTSBot(
        game,
        mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=np.random.RandomState(1)),
        uct_c=100.0,
        max_simulations=12,
        random_state=np.random.RandomState(2),
    )
    state = after_the_deal(game)
    rng = np.random.default_rng(3)
    asked = 0
    while not state.is_terminal():
        if state.current_player() == 0:
            action = int(bot.step(state))
            assert action in state.legal_actions()
            asked += 1
        else:
            action = drawn(state, rng)
        state.apply_action(action)
    assert asked >= 8


class Lowest(policies.Policy):
    """The legal card with the smallest number."""

    def action_probabilities(self, state, player_id=None):
        actions = state.legal_actions()
        return {action: float(action == min(actions)) for action in actions}


class Asked:
    """A policy of OpenSpiel as a player of this package."""

    name = "asked"

    def __init__(self, states, policy):
        self.table = {
            state.information_state_string(): policy.action_probabilities(state) for state in states
        }

    def policy(self, views):
        rows = np.zeros((len(views), 128), np.float32)
        for row, view in zip(rows, views, strict=True):
            for action, probability in self.table[adapter.string_from_view(view)].items():
                row[action] = probability
        return rows, np.full(len(views), np.nan, np.float32)

    def act(self, views):
        return self.policy(views)[0].argmax(axis=1)


@pytest.fixture(scope="module")
def endgame():
    """The game and all its decisions."""
    game = pyspiel.load_game(ENDGAME)
    return game, list(
        get_all_states.get_all_states(
            game, depth_limit=-1, include_terminals=False, include_chance_states=False
        ).values()
    )


class OnlyThisEndgame(Asked):
    """Plays the other kinds of the list evenly."""

    def policy(self, views):
        known = np.array([adapter.string_from_view(view) in self.table for view in views])
        rows = schafkopf.legal_mask(views).astype(np.float32)
        rows /= rows.sum(axis=1, keepdims=True)
        if known.any():
            rows[known] = super().policy(views[known])[0]
        return rows, np.full(len(views), np.nan, np.float32)


def measured_by_us(states, policy):
    rows = schafkopf.exploit(OnlyThisEndgame(states, policy), endgames=1, updates=1)["endgames"]
    return next(row for row in rows if row["kind"] == "RUF_ACE_HELD")


def gains(row, who):
    return np.subtract(row[who]["best_responses"], row[who]["values"])


def test_uniform_play_and_information_sets_are_those_of_exploit(endgame):
    game, states = endgame
    theirs = exploitability.nash_conv(
        game, policies.UniformRandomPolicy(game), return_only_nash_conv=False
    )
    ours = measured_by_us(states, Lowest(game, list(range(4))))
    assert theirs.nash_conv == pytest.approx(ours["uniform"]["nash_conv"], abs=1e-9)
    np.testing.assert_allclose(theirs.player_improvements, gains(ours, "uniform"), atol=1e-9)
    keys = {(state.current_player(), state.information_state_string()) for state in states}
    assert len(keys) == ours["information_sets"]
    assert len(game.deals) == ours["deals"]


def test_nash_conv_of_a_fixed_policy_is_that_of_exploit(endgame):
    game, states = endgame
    policy = Lowest(game, list(range(4)))
    theirs = exploitability.nash_conv(game, policy, return_only_nash_conv=False)
    ours = measured_by_us(states, policy)
    assert theirs.nash_conv == pytest.approx(ours["agent"]["nash_conv"], abs=1e-9)
    np.testing.assert_allclose(theirs.player_improvements, gains(ours, "agent"), atol=1e-9)
    assert theirs.nash_conv > ours["cfr"]["nash_conv"] > 0


def test_external_sampling_learns_an_endgame(endgame):
    game, states = endgame
    np.random.seed(1)  # the solver draws from it
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(1500):
        solver.iteration()
    average = solver.average_policy()
    theirs = exploitability.nash_conv(game, average)
    ours = measured_by_us(states, average)
    assert theirs == pytest.approx(ours["agent"]["nash_conv"], abs=1e-5)  # float32
    assert theirs < 0.8 * ours["uniform"]["nash_conv"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("schafkopf(rulez=research)", "Available parameters are: chance, observation_version"),
        ("schafkopf(rules=3)", "Wrong type for parameter rules"),
        ("schafkopf(rules=reserch)", "reserch"),
        ("schafkopf(chance=all)", 'chance = "all", allowed: sampled, explicit'),
        ("schafkopf(rng_seed=-2)", "rng_seed = -2, allowed: integer from 0, or -1"),
        ("schafkopf(observation_version=9)", "observation_version = 9, allowed: integer 1..4"),
        ("schafkopf_endgame(kind=SOLOS)", 'kind = "SOLOS", allowed: RUF_ACE_HELD'),
        ("schafkopf_endgame(number=-1)", "number = -1, allowed: integer from 0"),
        ("schafkopf_endgame(tricks=4)", "tricks = 4, allowed: integer 2..3"),
        ("schafkopf_endgame(seed=-1)", "seed"),
    ],
)
def test_wrong_parameters_are_named(name, words):
    with pytest.raises((ValueError, pyspiel.SpielError)) as error:
        pyspiel.load_game(name)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("switches", "chance", "words"),
    [
        ('history_view = "last_trick"', "sampled", 'history_view = "last_trick", allowed: full'),
        (
            'special_round = "schieber"\nspecial_round_games = 1',
            "explicit",
            'allowed: chance = "sampled"',
        ),
    ],
)
def test_rules_that_cannot_be_played_are_named(switches, chance, words, tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text(f'preset = "research"\n{switches}\n')
    with pytest.raises(ValueError) as error:
        pyspiel.load_game("schafkopf", {"rules": str(file), "chance": chance})
    assert words in str(error.value)


@pytest.mark.parametrize("name", [DEAL, ENDGAME])
def test_wrong_steps_change_nothing(name):
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    with pytest.raises(ValueError, match="allowed"):
        state.apply_action(99_999)
    state.apply_action(0)
    history, before = state.history(), str(state)
    illegal = next(action for action in range(128) if action not in state.legal_actions())
    for action in (illegal, schafkopf.actions.parse_action("CLAIM_REST")):
        with pytest.raises(schafkopf.IllegalAction, match="legal"):
            state.apply_action(action)
    with pytest.raises(ValueError, match=r"player = 4, allowed: integer 0\.\.3"):
        state.resample_from_infostate(4, lambda: 0.5)
    assert state.history() == history and str(state) == before
    rng = np.random.default_rng(1)
    while not state.is_terminal():
        state.apply_action(drawn(state, rng))
    with pytest.raises(ValueError, match=r"new_initial_state\(\) of the game starts another"):
        state.apply_action(0)


def test_claims_are_not_offered():
    assert schafkopf.RuleSet("research").claims_enabled
    claims = {
        schafkopf.actions.parse_action("CLAIM_REST"),
        schafkopf.actions.parse_action("CONCEDE_REST"),
    }
    for state in states_of(pyspiel.load_game(DEAL), 3):
        assert not claims.intersection(state.legal_actions())
        if not state.is_terminal():
            seen = state.table.view(state.current_player())
            assert not schafkopf.views.unpack_cards(seen["cards"])["may_claim"]


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("private", ["NONE", "SINGLE_PLAYER", "ALL_PLAYERS"])
def test_observers_are_of_views_and_of_others_there_is_none(public, private):
    kind = pyspiel.IIGObservationType(
        public_info=public,
        perfect_recall=False,
        private_info=getattr(pyspiel.PrivateInfoType, private),
    )
    observer = make_observation(pyspiel.load_game(DEAL), kind)
    assert (observer is not None) == (public and private == "SINGLE_PLAYER")


def test_parameters_of_observers_are_refused():
    with pytest.raises(ValueError, match="unknown parameters"):
        pyspiel.load_game(DEAL).make_py_observer(params={"size": 3})


@pytest.mark.parametrize("name", [DEAL, EXPLICIT, ENDGAME])
def test_open_spiel_writes_a_playthrough(name):
    text = generate_playthrough.playthrough(name, None, seed=1)
    assert "InformationStateString(3)" in text and "Returns()" in text


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(
        ModuleNotFoundError, match=r"pip install open_spiel, or .*schafkopf\[openspiel\]"
    ):
        load_extra("pyspiel", "openspiel", "open_spiel")


def test_resampled_deals_are_uniform(endgame):
    """All deals that a view allows come equally often, and no others."""
    game, states = endgame
    state = game.new_initial_state().child(17)
    player = state.current_player()
    seen = state.information_state_string()
    worlds = {str(other) for other in states if other.information_state_string() == seen}
    rng = np.random.default_rng(5)
    draws = [str(state.resample_from_infostate(player, rng.random)) for _ in range(600)]
    found, counts = np.unique(draws, return_counts=True)
    assert set(found) == worlds and len(worlds) > 5
    expected = len(draws) / len(counts)
    assert ((counts - expected) ** 2 / expected).sum() < 3 * len(counts)


def test_copies_of_views_have_the_same_string():
    """NumPy leaves the bytes between fields as they were where it copies rows."""
    holes = openspiel_states._HOLES
    game = schafkopf.Game(seed=1)
    for seat in range(4):
        view = game.view(seat)
        data = bytearray(view.tobytes())
        assert holes and not any(data[hole] for hole in holes)
        for hole in holes:
            data[hole] = 77
        copied = np.frombuffer(bytes(data), schafkopf.views.VIEW_DTYPE)[0]
        assert adapter.string_from_view(copied) == view.tobytes().hex()


def test_views_that_numpy_joined_have_the_string_of_each():
    """They have 191 bytes: NumPy leaves out what no field is."""
    context = schafkopf.games.DealContext(stock=255)
    game = schafkopf.Game("official_1989_full", seed=1, context=context)
    views = [game.view(seat) for seat in range(4)]
    joined = np.array(views)
    assert joined.dtype.itemsize < schafkopf.views.VIEW_DTYPE.itemsize
    for view, one in zip(views, joined, strict=True):
        assert adapter.string_from_view(one) == adapter.string_from_view(view)
        assert adapter.view_from_string(adapter.string_from_view(one)) == view


def test_what_is_no_view_or_no_string_of_one_is_named():
    view = schafkopf.Game(seed=1).view(0)
    for wrong in (3, None, np.array([view, view]), view["cards"], np.zeros(3)):
        with pytest.raises(ValueError, match=r"view: .* came, allowed: a record of VIEW_DTYPE"):
            adapter.string_from_view(wrong)
    for wrong in (3, None, b"00"):
        with pytest.raises(ValueError, match=r"text = .*, allowed: 384 hexadecimal digits"):
            adapter.view_from_string(wrong)
