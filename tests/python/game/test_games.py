"""Many deals by one player: the same cards for everybody, in the order of the deals."""

import numpy as np
import pytest

import schafkopf
from schafkopf.games import play_deals


def test_players_meet_the_same_deals_and_finish_them():
    games = play_deals("rules", 20, seed=3)
    assert all(game.is_terminal and sum(game.payoffs()) == 0 for game in games)
    other = play_deals(schafkopf.make_agent("random"), 20, seed=3)
    assert [game.dealt(0) for game in games] == [game.dealt(0) for game in other]
    assert [game.dealt(0) for game in games[:5]] == [
        game.dealt(0) for game in play_deals("rules", 5, seed=3)
    ]
    assert any(game.contract is None for game in games)  # thrown in
    row = schafkopf.VectorEnv(20, seed=3).get_game(7)
    assert games[7].dealt(0) == row.dealt(0)  # of a batch of that seed


def test_nobody_is_asked_about_a_game_that_is_over():
    class Rules:
        def __init__(self):
            self.agent, self.asked = schafkopf.make_agent("rules"), []

        def act(self, views):
            self.asked.append(len(views))
            return self.agent.act(views)

    player = Rules()
    assert play_deals(player, 40, seed=3) == play_deals("rules", 40, seed=3)
    assert player.asked == sorted(player.asked, reverse=True)
    assert player.asked[0] == 40 and player.asked[-1] < 40


def test_with_a_generator_only_the_cards_are_the_players():
    games, other = (
        play_deals(player, 10, seed=3, generator="heuristic:noise=0")
        for player in ("rules", "random")
    )
    contracts = [game.contract for game in games]
    assert None not in contracts
    assert contracts == [game.contract for game in other]
    assert [game.plays for game in games] != [game.plays for game in other]


def test_a_wrong_keyword_and_an_unknown_player_are_refused():
    with pytest.raises(TypeError, match="generator"):
        play_deals("rules", 2, genrator="heuristic")
    with pytest.raises(ValueError, match="rulez"):
        play_deals("rulez", 2)
    for threads in (-1, 1025, 1.5):
        with pytest.raises(ValueError, match=f"^threads = {threads}, allowed: integer 0..1024$"):
            play_deals("rules", 2, threads=threads)
    with pytest.raises(ValueError, match=r"^deals = .*, allowed: integer 1\.\."):
        play_deals("rules", np.timedelta64(2))
