"""Rule sets, games, settlement and views through Python."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import schafkopf
from schafkopf import records

EXAMPLES = Path(__file__).resolve().parents[2] / "data" / "worked_examples.json"
HANDS = [
    "SO HA H10 HK H9 EK GK S10",
    "GU HU H7 EA E10 G9 G7 SA",
    "EO GO HO SU H8 E9 E7 G10",
    "EU E8 GA G8 SK S9 S8 S7",
]
RUF_GA = {"class": "RUF", "called": "GA", "declarer": 2}


CLAIMS = [
    schafkopf.actions.parse_action("CLAIM_REST"),
    schafkopf.actions.parse_action("CONCEDE_REST"),
]


def play_randomly(game, seed):
    rng = np.random.default_rng(seed)
    while not game.is_terminal:
        game.apply(int(rng.choice([a for a in game.legal_actions() if a not in CLAIMS])))
    return game


def test_rule_set_from_preset_and_switches():
    rules = schafkopf.RuleSet("research", laufende_min_wenz=3)
    assert rules.laufende_min_wenz == 3
    assert rules.name == "custom"
    assert rules != schafkopf.RuleSet("research")
    assert rules.replace(laufende_min_wenz=2) == schafkopf.RuleSet("research")
    assert len(rules.to_dict()) == len(schafkopf.rules.rule_fields()) >= 90
    assert "laufende_min_wenz = 3" in rules.to_toml()


def test_presets_are_played_as_written():
    names = schafkopf.preset_names()
    assert "research" in names and len(names) == 8
    for name in names:
        rules = schafkopf.RuleSet(name)
        assert rules.name == name
        assert schafkopf.RuleSet("", **rules.to_dict()) == rules


@pytest.mark.parametrize(
    ("switches", "words"),
    [
        ({"laufende_min_wenz": 9}, ["laufende_min_wenz", "9", "1..4"]),
        ({"laufende_min_wentz": 2}, ["laufende_min_wentz", "laufende_min_wenz"]),
        ({"deck": 3}, ["deck"]),
        ({"kontra_window": object()}, ["kontra_window", "object"]),
    ],
)
def test_a_wrong_switch_is_named(switches, words):
    with pytest.raises(ValueError) as caught:
        schafkopf.RuleSet("research", **switches)
    for word in words:
        assert word in str(caught.value)


def test_unknown_rules_name_the_known_ones():
    with pytest.raises(ValueError, match="official_1989"):
        schafkopf.Game("oficial", seed=1)
    with pytest.raises(AttributeError, match="no_such_switch"):
        _ = schafkopf.RuleSet("research").no_such_switch


def test_a_game_by_hand():
    game = schafkopf.Game.with_contract(RUF_GA, deal=HANDS, dealer=3)
    assert game.phase == "PLAY"
    assert game.contract == schafkopf.Contract("RUF", declarer=2, called="GA")
    assert game.declarer_party == [2, 3]
    game.apply("GK")
    game.apply("CARD G7")
    game.apply(schafkopf.actions.parse_action("G10"))
    assert game.legal_names() == ["CARD GA", "CONCEDE_REST"]  # searched, R-115
    with pytest.raises(ValueError) as caught:
        game.apply("G8")
    for word in ("seat 3", "G8", "legal: GA", "R-115"):
        assert word in str(caught.value)
    assert game.plays == [(0, "GK"), (1, "G7"), (2, "G10")]
    game.apply("GA")
    assert game.current_player == 3
    assert game.captured(3) == ["G7", "GK", "G10", "GA"]


def test_illegal_hands_and_arguments_are_named():
    with pytest.raises(ValueError, match="EO"):
        schafkopf.Deal(["EO " + HANDS[0][3:], *HANDS[1:]])
    with pytest.raises(ValueError, match="X1"):
        schafkopf.Deal(["X1 " + HANDS[0][3:], *HANDS[1:]])
    with pytest.raises(ValueError, match=r"deal=Deal|seed"):
        schafkopf.Game("research")
    with pytest.raises(ValueError, match="dealer = 4"):
        schafkopf.Game(seed=1, dealer=4)
    with pytest.raises(ValueError, match="0\\.\\.127"):
        schafkopf.Game(seed=1).apply(128)


def test_payoffs_settlement_and_steps_agree():
    game = play_randomly(schafkopf.Game.with_contract(RUF_GA, deal=HANDS, dealer=3), 3)
    assert sum(game.payoffs()) == 0
    assert schafkopf.settlement.game_settlement(game)["payoffs"] == game.payoffs()
    assert schafkopf.settle(game.outcome())["payoffs"] == game.payoffs()
    assert schafkopf.settlement.settlement_steps(game.outcome()) == game.settlement_steps()
    assert sum(game.outcome().points) == 120


def test_no_context_is_that_of_a_deal_without_a_session():
    plain = schafkopf.Game.with_contract(RUF_GA, deal=HANDS, dealer=3)
    assert schafkopf.Game.with_contract(RUF_GA, deal=HANDS, dealer=3, context=None) == plain
    assert plain.context == schafkopf.games.DealContext()
    outcome = play_randomly(plain, 3).outcome()
    for function in (schafkopf.settle, schafkopf.settlement.settlement_steps):
        assert function(outcome, context=None) == function(outcome)
        assert function(outcome, "research", schafkopf.games.DealContext()) == function(outcome)
        bock = schafkopf.games.DealContext(bock=1)
        assert function(outcome, "official_1989", bock) != function(outcome, "official_1989", None)
        with pytest.raises(TypeError, match="context: dict came, allowed: DealContext"):
            function(outcome, context={"bock": 1})


def test_settlement_of_the_first_worked_example():
    outcome = schafkopf.settlement.Outcome(
        {"class": "RUF", "called": "EA"},
        declarer_party=[0, 1],
        points=[40, 35, 25, 20],
        tricks=[3, 2, 2, 1],
    )
    assert schafkopf.settle(outcome, "official_1989")["payoffs"] == [10, 10, -10, -10]


def worked_examples(kind):
    examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))["examples"]
    return [example for example in examples if example["type"] == kind]


def test_rule_functions_of_the_worked_examples():
    assert schafkopf.cards.legal("SA S9 HA EO", "S7", "RUF", called="SA") == ["SA"]
    assert schafkopf.cards.trick_winner("E7 EA H7 E10", "RUF") == 2
    assert schafkopf.cards.laufende("EO GO HO H7", "SOLO", "H") == 3
    assert "SA" in schafkopf.cards.callable_cards("EO GO HO SU H8 E9 S7 G10")
    assert worked_examples("settlement")
    with pytest.raises(ValueError, match="RUFF"):
        schafkopf.cards.trick_winner("E7", "RUFF")
    with pytest.raises(ValueError, match="twice"):
        schafkopf.cards.legal("EO EO", "", "RUF")


def test_copies_are_independent_and_bytes_rebuild_the_game():
    game = schafkopf.Game.with_contract(RUF_GA, deal=HANDS, dealer=3)
    other, third = game.copy(), copy.deepcopy(game)
    other.apply("GK")
    assert game.plays == [] == third.plays
    again = schafkopf.Game.deserialize(other.serialize())
    assert again.plays == other.plays and again.legal_names() == other.legal_names()
    with pytest.raises(ValueError, match=r"no serialized game of .*\(527 bytes, need 528\)"):
        schafkopf.Game.deserialize(other.serialize()[:-1])
    with pytest.raises(ValueError, match=r"under rule set .*, these rules .*\(wikipedia_pure\)"):
        schafkopf.Game.deserialize(other.serialize(), rules="wikipedia_pure")


def test_view_is_structured_and_complete():
    game = schafkopf.Game.with_contract(RUF_GA, deal=HANDS, dealer=3)
    view = game.view(0)
    assert view.dtype == schafkopf.views.VIEW_DTYPE and view.dtype.itemsize == 192
    assert bin(int(view["cards"]["hand"])).count("1") == 8
    assert (schafkopf.legal_mask(view)[0] == game.legal_mask()).all()
    assert not schafkopf.legal_mask(game.view(1)).any()
    full = game.full_view(0)
    assert sum(bin(int(hand)).count("1") for hand in full["hands"]) == 32
    row = schafkopf.encode(view)
    assert row.shape == (1, schafkopf.observations.observation_size()) and row.dtype == np.float32
    assert schafkopf.encode(view, dtype="uint8").dtype == np.uint8


def test_view_at_with_the_own_hand_is_the_view_of_that_moment():
    game = play_randomly(schafkopf.Game(seed=11), 5)
    plies = len(game.public_actions())
    assert game.view_at(plies, 2, game.dealt(2)).tobytes() == game.view(2).tobytes()
    start = game.view_at(0, 2, game.dealt(2))
    assert bin(int(start["cards"]["hand"])).count("1") == 8 and start["order"]["num_plays"] == 0
    with pytest.raises(ValueError, match="ply"):
        game.view_at(plies + 1, 2, game.dealt(2))
    with pytest.raises(ValueError, match=r"hand of seat 2 .* needs 8 cards"):
        game.view_at(0, 2, game.dealt(2)[:7])


def test_observation_sections_cover_the_row():
    slices = schafkopf.observation_sections()
    covered = [index for part in slices.values() for index in range(part.start, part.stop)]
    assert covered == list(range(schafkopf.observations.observation_size()))
    assert all(row["meaning"] for row in schafkopf.observations.observation_table())


def test_broken_views_are_refused():
    view = np.array([schafkopf.Game(seed=1).view(0)])
    view["cards"]["phase"] = 200
    with pytest.raises(ValueError, match="phase = 200"):
        schafkopf.encode(view)
    with pytest.raises(ValueError, match=r"uint8 \[3, 192\].*VIEW_DTYPE"):
        schafkopf.encode(np.zeros((3, 192), np.uint8))


def test_views_joined_by_numpy_are_still_views():
    game = schafkopf.Game(seed=1)
    views = np.array([game.view(seat) for seat in range(4)])
    joined = np.concatenate([views[:1], views[1:]])
    assert joined.dtype != schafkopf.views.VIEW_DTYPE  # numpy packs the fields
    assert (schafkopf.encode(joined) == schafkopf.encode(views)).all()
    full = np.array([game.full_view(seat) for seat in range(4)])
    oracle = schafkopf.make_agent("oracle")
    twice = np.concatenate([full, full])
    acting = np.concatenate([views, views])
    once = oracle.policy(views, full_views=full)[0]
    assert (oracle.policy(acting, full_views=twice)[0][:4] == once).all()


def test_card_maps_are_permutations_and_invertible():
    maps = schafkopf.cards.card_maps()
    assert maps.dtype == np.uint8 and maps.shape[1] == 32
    assert (np.sort(maps, axis=1) == np.arange(32)).all()
    for action in (0, 17, 32, 90):
        assert schafkopf.cards.from_canonical(schafkopf.cards.to_canonical(action, 5), 5) == action
    with pytest.raises(ValueError, match="card map"):
        schafkopf.cards.to_canonical(0, len(maps))


def test_names_of_cards_and_actions_are_inverse():
    assert [
        schafkopf.cards.parse_card(schafkopf.cards.card_name(card)) for card in range(32)
    ] == list(range(32))
    for action in range(107):
        assert schafkopf.actions.parse_action(schafkopf.actions.action_name(action)) == action
    with pytest.raises(ValueError, match="128"):
        schafkopf.actions.action_name(128)
    with pytest.raises(ValueError, match="JUMP"):
        schafkopf.actions.parse_action("JUMP")


def test_session_adds_up():
    session = schafkopf.Session("research", seed=3)
    total = np.zeros(4)
    for number in range(6):
        game = play_randomly(session.next_game(), number)
        total += game.payoffs()
        session.finish(game)
    assert session.num_deals == 6
    assert session.totals == total.tolist()
    running = session.next_game()
    with pytest.raises(ValueError, match="deal 6 of the session is not over: seat"):
        session.finish(running)
    assert session.num_deals == 6 and session.totals == total.tolist()


def test_rollout_is_deterministic_and_zero_sum():
    game = schafkopf.Game.with_contract(RUF_GA, deal=HANDS, dealer=3)
    payoffs, decisions = game.rollout(50, seed=1)
    again, _ = game.rollout(50, seed=1)
    assert decisions == 50 * 32
    assert (payoffs == again).all() and abs(payoffs.sum()) < 1e-9
    assert game.plays == []


@pytest.mark.parametrize("unit", [10, 10.5])  # the engine counts in halves of the second
def test_rollout_of_the_last_trick_pays_what_is_sure(unit):
    rules = {"tariff": {"base": "tournament_2024", "name": "a", "ruf": unit}}
    game = schafkopf.Game.with_contract(RUF_GA, rules=rules, deal=HANDS, dealer=3)
    while len(game.plays) < 28:
        game.apply(game.legal_actions()[0])
    payoffs, decisions = game.rollout(3, seed=1)
    while not game.is_terminal:
        game.apply(game.legal_actions()[0])
    assert decisions == 3 * 4
    assert payoffs.tolist() == game.payoffs() and abs(payoffs[0]) >= unit


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**64 - 1), rules=st.sampled_from(schafkopf.preset_names()))
def test_random_games_keep_the_invariants(seed, rules):
    game = schafkopf.Game(rules, seed=seed, dealer=seed % 3)
    rng = np.random.default_rng(seed)
    while not game.is_terminal:
        actions = game.legal_actions()
        assert actions
        assert np.flatnonzero(game.legal_mask()).tolist() == actions
        view = game.view(game.current_player)
        assert np.flatnonzero(schafkopf.legal_mask(view)[0]).tolist() == actions
        game.apply(int(rng.choice(actions)))
    assert sum(game.payoffs()) == 0
    assert sorted(card for _, card in game.plays) == sorted(set(card for _, card in game.plays))


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


def test_seats_of_a_full_view_count_from_its_viewer():
    game = schafkopf.Game(seed=1)
    for seat in range(4):
        hands = game.full_view(seat)["hands"]
        for i in range(4):
            assert hands[i] == game.full_view((seat + i) % 4)["hands"][0]
        assert hands[0] == game.view(seat)["cards"]["hand"]


# D.1: what somebody is asked in silence is his own business
def test_a_question_about_a_hochzeit_shows_the_phase_of_the_auction():
    shown, asked = {"HZ_OFFER": set(), "AUCTION_DIRECT": set()}, 0
    for seed in range(150):
        game = schafkopf.Game("wikipedia_extended", seed=seed)
        while game.phase == "LEGEN":
            game.apply("NO_LAY")
        others = set(range(4)) - {game.current_player}
        asked += game.phase == "HZ_OFFER"
        shown[game.phase] |= {int(game.view(seat)["cards"]["phase"][()]) for seat in others}
    assert asked > 20 and shown["HZ_OFFER"] == shown["AUCTION_DIRECT"]
    assert len(shown["HZ_OFFER"]) == 1


# E.1: who got the rest is not who took the last trick
@pytest.mark.parametrize("ending", ["CLAIM_REST", "CONCEDE_REST", "INF_WRONG_LEAD"])
def test_the_last_trick_before_the_end_is_told_as_it_was_won(ending):
    hands = [
        ["EO", "E7", "G7", "S7", "E8", "E9", "G8", "S8"],
        ["GO", "EA", "G10", "SA", "H7", "H8", "H9", "HU"],
        ["HO", "SO", "EU", "GU", "SU", "HA", "H10", "HK"],
        ["E10", "EK", "GA", "GK", "G9", "S10", "SK", "S9"],
    ]
    rules = schafkopf.RuleSet("official_1989", kontra_window="off")
    solo = schafkopf.Contract("SOLO", 2, "H")
    game = schafkopf.Game.with_contract(solo, rules, hands, 3)
    for card in ("EO", "GO", "HO", "E10"):
        game.apply("CARD " + card)
    if ending.startswith("INF"):
        game.infract(0, ending)
    else:
        game.apply(ending)
    assert records.replay(records.record_of(game))["trick_winners"] == [0]
