"""Solver, sampled and inferred worlds, search: as a notebook uses them."""

import base64
import re

import numpy as np
import pytest

import schafkopf
from schafkopf import _core


def game_in_play(cards, rules="research"):
    """A deal that somebody plays, after so many cards of the rule agent."""
    agent = schafkopf.make_agent("rules")
    for seed in range(100):
        game = schafkopf.Game(rules, seed=seed)
        while not game.is_terminal and len(game.plays) < cards:
            game.apply(int(agent.act(game.view(game.current_player), rules=rules)[0]))
        if not game.is_terminal and game.contract is not None:
            return game
    raise AssertionError("nobody plays")


def masks_of(game, viewer):
    """Hands as masks, from the viewer on."""
    seats = [(viewer + r) % 4 for r in range(4)]
    return [sum(1 << schafkopf.cards.parse_card(c) for c in game.hand(seat)) for seat in seats]


def test_solver_answers_agree_with_each_other():
    solver, game = schafkopf.Solver(), game_in_play(16)
    points = solver.points(game)
    assert solver.reaches(game, points) and not solver.reaches(game, points + 1)
    by_card = solver.card_points(game)
    assert set(by_card) == {schafkopf.cards.card_name(a) for a in game.legal_actions() if a < 32}
    party = game.declarer_party
    best = max if game.current_player in party else min
    assert best(by_card.values()) == points
    others = [seat for seat in range(4) if seat not in party]
    assert solver.points(game, side=others) == 120 - points


@pytest.mark.parametrize(("cards", "answer"), [(16, "lost"), (20, "won")])
def test_solver_tells_who_wins_a_position(cards, answer):
    solver, game = schafkopf.Solver(), game_in_play(cards)
    assert (solver.points(game) >= 61) == (answer == "won")
    assert solver.payoff_class(game) == answer


def test_solver_refuses_what_is_not_card_play():
    with pytest.raises(ValueError, match="AUCTION_ROUND without a contract"):
        schafkopf.Solver().points(schafkopf.Game(seed=1))
    with pytest.raises(ValueError, match="table_bytes = 10, allowed"):
        schafkopf.Solver(table_bytes=10)
    with pytest.raises(ValueError, match="side"):
        schafkopf.Solver().points(game_in_play(4), side=[7])
    for side, said in (
        ([], r"side = \[\], allowed: one seat or more"),
        ([0, 0], r"side\[1\]: seat 0 comes twice, allowed: once"),
    ):
        with pytest.raises(ValueError, match=said):
            schafkopf.Solver().points(game_in_play(4), side=side)


def test_solver_names_the_seats_that_a_game_of_three_has():
    game = schafkopf.Game.with_contract(
        schafkopf.Contract("SOLO", 0, suit="E"), {"deck": "short24", "players": 3}, seed=3
    )
    solver = schafkopf.Solver()
    for side, at in (([3], 0), ([0, 3], 1)):
        with pytest.raises(ValueError, match=rf"side\[{at}\]: seat = 3, allowed: integer 0\.\.2"):
            solver.takes_none(game, side=side)
    with pytest.raises(ValueError, match=r"^seat = 3, allowed: integer 0\.\.2"):
        solver.fewest_points(game, 3)


def test_sampled_worlds_fit_the_view():
    game = game_in_play(12)
    viewer = game.current_player
    sampler = schafkopf.WorldSampler(game.view(viewer))
    hands = sampler.sample(500, seed=3)
    assert hands.shape == (500, 4) and hands.dtype == np.uint32
    own, *_ = masks_of(game, viewer)
    assert (hands[:, 0] == own).all()
    assert (
        np.bitwise_or.reduce(hands, axis=1) == np.bitwise_or.reduce(masks_of(game, viewer))
    ).all()
    assert (hands == sampler.sample(500, seed=3)).all()
    assert (hands != sampler.sample(500, seed=4)).any()
    with pytest.raises(ValueError, match="n = 0"):
        sampler.sample(0)


def test_enumeration_holds_the_truth_once():
    game = game_in_play(22)
    viewer = game.current_player
    sampler = schafkopf.WorldSampler(game.view(viewer))
    worlds = sampler.enumerate()
    assert len(worlds) == sampler.count == len(np.unique(worlds, axis=0))
    assert (worlds == masks_of(game, viewer)).all(axis=1).sum() == 1
    with pytest.raises(ValueError, match="most = 0"):
        sampler.enumerate(most=0)


def test_posterior_is_a_distribution_over_the_worlds():
    game = game_in_play(20)
    viewer = game.current_player
    view = game.view(viewer)
    posterior = schafkopf.search.ExactPosterior(view, "rules:random=0.2")
    assert len(posterior) == schafkopf.WorldSampler(view).count == len(posterior.worlds)
    assert posterior.probabilities.sum() == pytest.approx(1)
    held = [card for card in range(32) if posterior.worlds[0, 1] >> card & 1]
    share = posterior.probabilities[(posterior.worlds[:, 1] >> held[0] & 1) == 1].sum()
    assert posterior.holds(1, held[0]) == pytest.approx(share)
    uniform = schafkopf.search.ExactPosterior(view, "random", alpha=0.0)
    assert np.allclose(uniform.probabilities, 1 / len(uniform))
    with pytest.raises(ValueError, match=r"view: \d+ worlds, allowed: 1: the exact posterior is"):
        schafkopf.search.ExactPosterior(view, "rules", most_worlds=1)


DOUBLE, NO_DOUBLE = (schafkopf.actions.parse_action(name) for name in ("DOUBLE", "NO_DOUBLE"))


class DoublesWithTheOld:
    """Plays anything, and doubles with the Eichel-Ober and never without it."""

    name = "doubles-with-the-old"

    def act(self, views):
        return self.policy(views)[0].argmax(axis=1)

    def policy(self, views):
        legal = schafkopf.legal_mask(views).astype(np.float32)
        old = views["cards"]["hand"] >> schafkopf.cards.parse_card("EO") & 1
        asked = legal[:, DOUBLE] > 0
        legal[asked & (old == 1), NO_DOUBLE] = 0
        legal[asked & (old == 0), DOUBLE] = 0
        return legal / legal.sum(axis=1, keepdims=True), np.zeros(len(views), np.float32)


def undoubled_wenz():
    """Return what seat 1 knows of a Wenz where each other seat may have the Eichel-Ober."""
    old = schafkopf.cards.parse_card("EO")
    for seed in range(1000):
        contract = schafkopf.Contract("WENZ", declarer=0)
        game = schafkopf.Game.with_contract(contract, "tournament_2024", seed=seed)
        if "EO" not in game.hand(0):
            continue
        while len(game.plays) < 17 or game.current_player != 1:
            others = [card for card in game.legal_actions() if card != old]
            game.apply(NO_DOUBLE if game.phase == "DOUBLE" else (others or game.legal_actions())[0])
        worlds = schafkopf.WorldSampler(game.view(1), "tournament_2024").enumerate()
        if (worlds[:, 1:] >> old & 1).any(axis=0).all():
            return game.view(1)
    raise AssertionError("everybody knows")


def test_who_would_have_doubled_with_a_card_and_was_silent_does_not_hold_it():
    view, old = undoubled_wenz(), schafkopf.cards.parse_card("EO")

    def holders(**options):
        posterior = schafkopf.search.ExactPosterior(
            view, DoublesWithTheOld(), "tournament_2024", **options
        )
        return [posterior.holds(seat, old) for seat in range(4)]

    assert all(probability > 0 for probability in holders(silence=False)[1:])
    # of the others the declarer alone, the third after seat 1, was not asked
    assert holders() == pytest.approx([0, 0, 0, 1])
    worlds = schafkopf.search.inferred_worlds(
        view, DoublesWithTheOld(), "tournament_2024", drawn=50, floor=0, silence=True
    )
    assert (worlds[:, 3] >> old & 1).all()
    with pytest.raises(ValueError, match='silence = "loud", allowed: true, false'):
        holders(silence="loud")


def test_more_worlds_than_there_is_memory_for_are_not_begun():
    game = game_in_play(8)
    with pytest.raises(MemoryError, match=r"drawn = 2147483647, .* about .* TB of memory, .* are"):
        schafkopf.search.inferred_worlds(game.view(game.current_player), "rules", drawn=2**31 - 1)


def test_inferred_worlds_are_drawn_from_the_view():
    game = game_in_play(8)
    view = game.view(game.current_player)
    worlds = schafkopf.search.inferred_worlds(view, "rules", drawn=50, kept=20, seed=1)
    assert worlds.shape == (20, 4)
    assert (worlds[:, 0] == masks_of(game, game.current_player)[0]).all()


def test_adjacent_seeds_infer_worlds_of_their_own():
    game = game_in_play(8)
    view = game.view(game.current_player)
    drawn = [
        {tuple(world) for world in schafkopf.search.inferred_worlds(
            view, "rules", drawn=40, kept=40, seed=seed, alpha=0
        ).tolist()}
        for seed in (0, 1)
    ]  # fmt: skip
    assert len(drawn[0]) > 30 and len(drawn[0] & drawn[1]) < 5


def test_search_gives_every_legal_card_a_value():
    game = game_in_play(12)
    view = game.view(game.current_player)
    values = schafkopf.search.search_cards(view, worlds=5, seed=2)
    assert set(values) == {schafkopf.cards.card_name(a) for a in game.legal_actions() if a < 32}
    assert values == schafkopf.search.search_cards(view, worlds=5, seed=2)
    with pytest.raises(ValueError, match="worlds = 0"):
        schafkopf.search.search_cards(view, worlds=0)
    with pytest.raises(ValueError, match="to play a card"):
        schafkopf.search.search_cards(schafkopf.Game(seed=1).view(0))


def test_a_time_limit_leaves_worlds_out_by_chance():
    game = game_in_play(16)
    view = game.view(game.current_player)
    assert schafkopf.WorldSampler(view).count < 100_000  # so that all would be searched
    answers = {
        tuple(schafkopf.search.search_cards(view, worlds=100_000, ms=1e-9, seed=seed).values())
        for seed in range(30)  # one world each
    }
    assert len(answers) > 1


def test_search_values_a_ramsch_by_minus_the_card_points_as_the_module_says():
    words = " ".join(schafkopf.search.__doc__.split())
    assert re.search(r"in a Ramsch, .*minus the card points", words)
    game = schafkopf.Game(schafkopf.RuleSet(special_round="ramsch"), seed=1)
    while len(game.plays) < 31:  # the last card of a deal
        game.apply(game.legal_actions()[0])
    seat = game.current_player
    had = _core.card_points(game.captured(seat))
    rules = schafkopf.RuleSet(special_round="ramsch")
    (value,) = schafkopf.search.search_cards(game.view(seat), rules=rules, worlds=1).values()
    game.apply(game.legal_actions()[0])
    points = game.outcome().points[seat]
    steps = [step for step in (11, 21, 31, 46, 61, 91) if step <= points]
    assert points > had and value == -max(had, *steps)
    assert value != game.payoffs()[seat]


# 192 bytes of a view that were changed until they told of announcements that cannot have come so.
NEVER_WAS = (
    "hAAIJYQAAAAUB/8ECQzIIAACAIABgCAAADAACAJAAEAA5QAAAQAAAAAgAAACAAAAAAAAAADSAAAAACDI"
    "AAAAAJ+12/7M7omvoM3hAAAAAAAAAAAAAAAAAAAAAAAAAAAAAwsGOQQAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAggCGBIIIgg12BLIYAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAA"
)


def test_a_past_that_never_was_is_refused_by_search():
    dtype = schafkopf.views.VIEW_DTYPE
    views = np.frombuffer(base64.b64decode(NEVER_WAS), dtype=dtype)
    with pytest.raises(ValueError, match="did not happen by these rules"):
        schafkopf.make_agent("net+search:baseline,worlds=2").act(views)


@pytest.mark.parametrize("value", [True, "1", None, 10**400, np.timedelta64(1, "s"), [1.0]])
def test_what_is_no_number_is_refused_by_name(value):
    game = schafkopf.Game.with_contract({"class": "SOLO", "suit": "E", "declarer": 1}, seed=3)
    view = game.view(game.current_player)
    with pytest.raises(ValueError, match=r"^ms = .*, allowed: number"):
        schafkopf.search.search_cards(view, ms=value)
    for name in ("alpha", "floor"):
        with pytest.raises(ValueError, match=rf"^{name} = .*, allowed: number"):
            schafkopf.search.ExactPosterior(view, "random", **{name: value})
    assert schafkopf.search.search_cards(
        view, worlds=2, ms=np.float32(0)
    ) == schafkopf.search.search_cards(view, worlds=2, ms=0)


def test_a_view_whose_seat_is_to_play_has_legal_cards():
    game = schafkopf.Game.with_contract({"class": "SOLO", "suit": "E", "declarer": 1}, seed=3)
    views = np.array([game.view(game.current_player)])
    views["cards"]["legal"] = 0
    with pytest.raises(ValueError, match=r"views\[0\]: legal = 0 stands in no view of a game"):
        schafkopf.make_agent("rules").act(views)


def test_a_view_has_no_stock_below_zero():
    views = np.array([schafkopf.Game(seed=1).view(0)])
    views["order"]["stock"] = -5
    with pytest.raises(ValueError, match=r"views\[0\]: stock = -5 stands in no view of a game"):
        schafkopf.encode(views)
