"""What the engine answers where Python would repeat a rule: order and points of cards, limits of a
result, parties."""

import pickle

import pytest

import schafkopf
from schafkopf import _core


def test_a_hand_is_sorted_as_a_player_sorts_it():
    hand = "E7 EO GU HA H7 S10 SK G10 GA"
    assert _core.sorted_hand(hand) == [
        ("trump", ["EO", "GU", "HA", "H7"]),
        ("E", ["E7"]),
        ("G", ["GA", "G10"]),
        ("S", ["S10", "SK"]),
    ]
    for contract in ("WENZ", None):
        with pytest.raises(ValueError, match="allowed: none: this class names no suit"):
            _core.sorted_hand(hand, contract, "S")
    assert _core.sorted_hand(hand, "SOLO", "S")[0] == ("trump", ["EO", "GU", "S10", "SK"])
    assert _core.sorted_hand(hand, "SOLO")[0] == ("trump", ["EO", "GU"])  # not named yet
    assert _core.sorted_hand("E10 EO EU E9 EK EA", "BETTEL") == [
        ("E", ["EA", "EK", "EO", "EU", "E10", "E9"])
    ]
    rules = schafkopf.RuleSet("research", partner_trump_suit="S")
    assert _core.sorted_hand("S7 H7", rules=rules) == [("trump", ["S7"]), ("H", ["H7"])]


def test_R_052_herz_is_sorted_as_a_plain_suit_where_it_is_no_trump_of_the_ramsch():
    rules = schafkopf.RuleSet("", ramsch_trumps="no_herz", all_pass="ramsch")
    sorted_hand = [("trump", ["EO", "HU"]), ("H", ["HA", "H7"]), ("S", ["SA"])]
    assert _core.sorted_hand("HA EO H7 HU SA", "RAMSCH", rules=rules) == sorted_hand
    game = schafkopf.Game(rules, seed=1)
    while game.contract is None:
        game.apply("PASS")
    trumps, *plain = _core.sorted_hand(game.dealt(0), "RAMSCH", rules=rules)
    order = [card for _, cards in (trumps, *plain) for card in cards]
    for shown in (game, game.view(0)):
        html = schafkopf.picture(shown).html
        places = [html.index(f'use href="#sk-{card}"') for card in order]
        assert places == sorted(places)


def test_card_points_are_those_of_the_engine():
    assert _core.card_points([]) == 0
    assert _core.card_points("EA E10 EK EO EU E9") == 11 + 10 + 4 + 3 + 2
    assert _core.card_points(range(32)) == 120


def test_who_writes_a_player_counts_points_and_sorts_hands_by_public_names():
    game = schafkopf.Game(seed=1)
    points = [schafkopf.cards.card_points(game.dealt(seat)) for seat in range(4)]
    assert sum(points) == schafkopf.cards.card_points(range(32)) == 120
    assert schafkopf.cards.sorted_hand("S7 HU SA HO", "WENZ") == [
        ("trump", ["HU"]),
        ("H", ["HO"]),
        ("S", ["SA", "S7"]),
    ]


def test_limits_of_a_result_follow_the_rules():
    rules = {"preset": "official_1989_full", "legen": "forehand_only"}
    limits = _core.result_limits(schafkopf.Contract("SOLO", suit="E"), rules)
    assert (limits["points"], limits["tricks"], limits["bock"]) == (120, 8, 16)
    assert limits["doublings"] == (4, "max_doublings_solo = 4")
    assert limits["legen"] == (1, 'legen = "forehand_only"')
    assert limits["bid"] == (0, 'solo_contest = "rank"')
    assert limits["highest_trump"] == "EO"
    bettel = _core.result_limits("BETTEL", "official_1989_full")
    assert bettel["highest_trump"] is None
    short = {"preset": "research", "players": 3, "deck": "short24"}
    assert _core.result_limits("RAMSCH", short)["doublings"] == (0, "ramsch_kontra = false")
    assert _core.points_in_tricks(1, "research") == (0, 44)
    assert _core.points_in_tricks(8, short) == (120, 120)


def test_the_declarer_party_follows_the_contract():
    def party(name, declarer=0, partner=-1, rules="research"):
        called = "EA" if name == "RUF" else None
        suit = "E" if name == "SOLO" else None
        contract = schafkopf.Contract(name, declarer, suit=suit, called=called)
        return _core.declarer_party(contract, partner, rules)

    assert party("SOLO", 2) == [2]
    assert party("RUF", 3, 1) == [1, 3]
    assert party("KREUZ", 1) == party("KREUZ", 1, 3) == [1, 3]
    assert party("RAMSCH", -1) == []
    for arguments, words in (
        (("RUF", 0), "partner is missing"),
        (("RUF", 0, 0), "the declarer's own seat"),
        (("RUF", -1), "declarer is missing"),
        (("RUF", 0, 4), "partner = 4, allowed: integer -1..3"),
        (("KREUZ", 0, 1), "sits opposite, seat 2"),
        (("SOLO", 0, 1), "partner does not belong here"),
        (("RUF", 0, 1, {"preset": "research", "players": 3, "deck": "short24"}), "R-006"),
    ):
        with pytest.raises(ValueError, match=words):
            party(*arguments)


def test_a_result_that_a_person_enters_has_a_price_in_words():
    solo = {"contract": "SOLO", "declarer": 1, "points": [70], "laufende": 2}
    outcome, context, steps = _core.price_result("official_1989", **solo)
    assert outcome.contract.name == "SOLO" and outcome.points[1] == 70
    assert context.stock == 0
    assert steps[0] == "a run of 2: 0 Laufende count (minimum, cap; R-163, R-164)"
    assert steps[-1] == "payoffs -50 150 -50 -50"
    assert schafkopf.settle(outcome, "official_1989")["payoffs"] == [-50, 150, -50, -50]
    odd, even = (
        _core.price_result("official_1989", **solo, doublings=level)[0] for level in (1, 2)
    )
    assert odd.defenders_doubled_last and not even.defenders_doubled_last


@pytest.mark.parametrize(
    ("argument", "text", "changed"),
    [
        ("doublings", " = 5, allowed: 0..4 (max_doublings_solo = 4)", {"doublings": 5}),
        ("partner", " does not belong here: SOLO is played alone", {"partner": 2}),
        ("points", ": a value of type str came, allowed: a list", {"points": "61"}),
        ("trumps_taken", " decides ties of the Ramsch only (R-045)", {"trumps_taken": [1]}),
        ("points", " is missing: the price depends on it", {"points": None, "tricks": [4]}),
        ("stock", " = -1, allowed: 0..1000000000", {"stock": -1}),
        (
            "offender",
            ": the infraction and its offender belong together (R-127..R-131)",
            {"offender": 1},
        ),
        (
            "stock_deposit",
            " belongs to a deal that was thrown in, without a contract",
            {"stock_deposit": True},
        ),
    ],
)
def test_a_wrong_argument_is_a_value_with_its_name(argument, text, changed):
    solo = {"contract": "SOLO", "declarer": 1, "points": [70]}
    with pytest.raises(_core.WrongArgument) as wrong:
        _core.price_result("official_1989", **solo | changed)
    assert (wrong.value.argument, wrong.value.text) == (argument, text)
    assert str(wrong.value) == argument + text
    copy = pickle.loads(pickle.dumps(wrong.value))
    assert (copy.argument, copy.text) == (argument, text)


def test_an_offence_alone_prices_a_ramsch_of_three():
    three = {"preset": "tournament_2024", "players": 3, "deck": "short24"}
    late = {"contract": "RAMSCH", "infraction": "INF_REVOKE_LATE", "offender": 2}
    outcome, _, _ = _core.price_result(three, **late)
    assert outcome.offender == 2
    with pytest.raises(TypeError, match='price_result: unknown keyword "trick"'):
        _core.price_result(three, trick=[3])


def test_each_doubling_is_a_factor_of_two():
    assert [_core.price_factor(times) for times in (0, 1, 4)] == [1, 2, 16]
    with pytest.raises(_core.WrongArgument, match=r"doublings = -1, allowed: integer 0\.\.62"):
        _core.price_factor(-1)


def test_a_chance_that_no_float_holds_is_none_at_all(tmp_path):
    """Softmax in double gives such numbers."""
    program = tmp_path / "tiny.sh"
    program.write_text(
        "read line; echo hello 1 name Tiny\n"
        "while read -r word rest; do case $word in go) legal=${rest##*legal }; first=${legal%% *}\n"
        'chances="$first=1.0"; for other in $legal; do [ "$other" = "$first" ] || '
        'chances="$chances $other=1e-50"; done\n'
        'echo "bestaction $first probabilities $chances";; esac; done\n'
    )
    result = schafkopf.tournament([f"engine:sh {program}", "random"], blocks=1, threads=1)
    assert result.games["failures"].sum() == 0
