"""Packed bytes of view lines: the named fields say what the game says."""

import ast
import re

import numpy as np
import pytest

import schafkopf


def random_games(preset, number):
    """Games of random deals, each stopped at a random moment, with all seats' views."""
    draws = np.random.default_rng(7)
    for seed in range(number):
        game = schafkopf.Game(preset, deal=schafkopf.Deal.random(seed, preset, 0), dealer=0)
        for _ in range(int(draws.integers(60))):
            if game.is_terminal:
                break
            legal = [a for a in np.flatnonzero(game.legal_mask()) if a not in (57, 58)]
            game.apply(int(draws.choice(legal)))
        yield game, [game.view(seat) for seat in range(game.seats)]


def test_bytes_of_a_view_without_a_field_are_those_that_the_module_names():
    named = re.search(r"Byte (\d+) of the order line has no\s+name", schafkopf.views.__doc__)
    dtype = schafkopf.views.ORDER_DTYPE
    covered = set()
    for field, offset in dtype.fields.values():
        covered.update(range(offset, offset + field.itemsize))
    assert set(range(dtype.itemsize)) - covered == {int(named[1])}
    for _, views in random_games("tournament_2024", 20):
        assert not any(view.tobytes()[64 + int(named[1])] for view in views)


@pytest.mark.parametrize("preset", ["research", "official_1989", "wikipedia_extended"])
def test_unpacked_fields_are_those_of_the_game(preset):
    for game, views in random_games(preset, 40):
        for seat, view in enumerate(views):
            cards = schafkopf.views.unpack_cards(view["cards"])
            assert cards["seat"] == seat
            assert cards["to_act"] == (not game.is_terminal and game.current_player == seat)
            assert cards["done"] == game.is_terminal
            plays = schafkopf.views.unpack_plays(view["order"])
            shown = [
                (
                    (int(play["seat"]) + seat) % game.seats,
                    schafkopf.cards.card_name(int(play["card"])),
                )
                for play in plays
                if play["known"]
            ]
            assert shown == [tuple(play) for play in game.plays]
            assert not plays[len(shown) :].tobytes().strip(b"\0")
            events = schafkopf.views.unpack_events(view["events"])
            said = [
                (
                    (int(event["seat"]) + seat) % game.seats,
                    schafkopf.actions.action_name(int(event["action"])),
                    bool(event["flag"]),
                    int(event["cards_before"]),
                )
                for event in events
                if event["known"]
            ]
            assert said == [
                (event["seat"], event["action"], event["ran_away"], event["cards_before"])
                for event in game.events
                if not event["secret"]
            ]


def meaning(field):
    """What the docstring of the views says of a field, in one line."""
    entry = re.search(rf"^    {field}  +(\S.*(?:\n {{8,}}\S.*)*)", schafkopf.views.__doc__, re.M)
    return " ".join(entry[1].split())


# D.1: silence must not show what a seat holds or to whom it belongs
def test_who_is_not_asked_sees_the_phase_that_the_views_name():
    hidden = set()
    rules = {"preset": "official_1989_full", "legen": "off"}
    draws = np.random.default_rng(3)
    for seed in range(40):
        game = schafkopf.Game(rules, seed=seed)
        while not game.is_terminal:
            for seat in {*range(4)} - {game.current_player}:
                shown = schafkopf.actions.phase_name(int(game.view(seat)["cards"]["phase"]))
                if shown != game.phase:
                    hidden.add((game.phase, shown))
            game.apply(int(draws.choice(np.flatnonzero(game.legal_mask()))))
    assert hidden == {("HZ_OFFER", "AUCTION_ROUND"), ("DOUBLE", "PLAY")}
    told = meaning("phase")
    assert all(phase in told for pair in hidden for phase in pair), told


def test_half_hands_and_forgotten_tricks_are_shown_as_the_views_say():
    rules = {"preset": "official_1989_full", "history_view": "last_trick", "hochzeit": "off"}
    game = schafkopf.Game(rules, seed=4)
    player = schafkopf.make_agent("rules")
    assert game.phase == "LEGEN"
    seen = [int(game.view(seat)["cards"]["hand"]).bit_count() for seat in range(4)]
    assert seen == [4] * 4 and "LEGEN" in meaning("hand")
    while len(game.plays) < 14:
        game.apply(int(player.act(game.view(game.current_player))[0]))
    cards = game.view(1)["cards"]
    assert [int(mask).bit_count() for mask in cards["played"]].count(0) == 0
    assert sum(int(mask).bit_count() for mask in cards["played"]) == 4 + 2
    assert sum(int(mask).bit_count() for mask in cards["captured"]) == 4
    assert all("last_trick" in meaning(field) for field in ("played", "captured"))


def test_a_claim_shows_all_cards_as_played_and_who_belongs_together():
    for seed in range(40):
        game = schafkopf.Game("official_1989_full", seed=seed)
        player = schafkopf.make_agent("rules")
        while not game.is_terminal and (not game.plays or game.phase == "DOUBLE"):
            game.apply(int(player.act(game.view(game.current_player))[0]))
        if game.contract is not None and game.contract.name == "RUF":
            break
    game.apply("CONCEDE_REST")
    view = game.view(2)
    cards = schafkopf.views.unpack_cards(view["cards"])
    assert cards["partner_known"] and cards["trick"] == 8
    assert sum(int(mask) for mask in view["cards"]["played"]) == 2**32 - 1
    assert int(view["order"]["num_plays"]) < 8
    assert "CONCEDE_REST" in meaning("played")


def test_planes_of_any_shape_are_unpacked_alike():
    env = schafkopf.VectorEnv(12, view_lines=True, seed=3)
    for _ in range(30):
        env.step(env.random_actions())
    lines = env.cards.view(schafkopf.views.CARDS_DTYPE)
    cards = schafkopf.views.unpack_cards(lines)
    assert lines.shape == cards.shape == (12, 1)
    plays = schafkopf.views.unpack_plays(env.order.view(schafkopf.views.ORDER_DTYPE)[:, 0])
    events = schafkopf.views.unpack_events(env.events.view(schafkopf.views.EVENTS_DTYPE)[::2, 0])
    assert plays.shape == (12, 32) and events.shape == (6, 32)
    numbers = env.order.view(schafkopf.views.ORDER_DTYPE)[:, 0]
    assert (plays["known"].sum(axis=1) == numbers["num_plays"]).all()
    assert (events["known"].sum(axis=1) == numbers["num_events"][::2]).all()
    for row in range(12):
        assert schafkopf.views.unpack_cards(lines[row, 0]) == cards[row, 0]
        assert (schafkopf.views.unpack_plays(numbers[row]) == plays[row]).all()
    one = schafkopf.views.unpack_cards(lines[0, 0])
    assert isinstance(one, np.void) and one["declarer"] in (*range(4), schafkopf.views.NO_SEAT)


@pytest.mark.parametrize(
    ("function", "dtype"),
    [("unpack_cards", "CARDS"), ("unpack_plays", "ORDER"), ("unpack_events", "EVENTS")],
)
def test_another_dtype_is_refused_by_name(function, dtype):
    for wrong in (
        np.zeros((3, 64), np.uint8),
        np.zeros(2),
        schafkopf.Game("research", seed=1).view(0),
    ):
        with pytest.raises(ValueError, match=f"allowed: lines of {dtype}_DTYPE"):
            getattr(schafkopf.views, function)(wrong)


def test_formats_of_lines_are_not_parsed_again(monkeypatch):
    _, (view, *_) = next(random_games("research", 1))
    schafkopf.views.unpack_events(view["events"])  # the format of what is unpacked is made once
    schafkopf.views.unpack_plays(view["order"])
    schafkopf.views.unpack_cards(view["cards"])

    def parse(*_, **__):
        pytest.fail("a format was parsed: two threads at a time cannot do that under Python 3.11")

    monkeypatch.setattr(ast, "parse", parse)
    assert schafkopf.views.unpack_cards(view["cards"]).shape == ()
    assert schafkopf.views.unpack_plays(view["order"]).shape == (32,)
    assert schafkopf.views.unpack_events(view["events"]).shape == (32,)


def test_help_says_what_every_field_of_a_view_holds():
    views = schafkopf.views
    lines = [views.CARDS_DTYPE, views.ORDER_DTYPE, views.EVENTS_DTYPE, views.FULL_VIEW_DTYPE]
    for dtype in lines:
        for name in dtype.names:
            assert re.search(rf"^    {name}  +\w", views.__doc__, re.MULTILINE), name
    view = schafkopf.Game(seed=1).view(0)
    assert view["cards"]["called_card"] == 255 and view["cards"]["trump_suit"] == 4
