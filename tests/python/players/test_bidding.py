"""What an agent expects of its bids against what it gets."""

import json

import numpy as np
import pytest

import schafkopf
from schafkopf import _core, bidding, cli, gates

RULES = "rules:version=2"


class Passer:
    """Passes where it can and plays its lowest card."""

    def act(self, views):
        mask = schafkopf.legal_mask(views)
        silent = schafkopf.actions.parse_action("PASS")
        return np.where(mask[:, silent] != 0, silent, mask.argmax(axis=1))


def rows_of(**columns):
    """Rows of deals in which seat 0 declares RUF in any words, with some columns of their own."""
    empty = _core.calibration_rows("rules", "rules", rules="research", keywords={"blocks": 1})
    size = len(next(iter(columns.values())))
    rows = np.zeros(size, dtype=empty.dtype)
    rows["block"] = np.arange(size)
    for key in ("expected_won", "expected_payoff", "value"):
        rows[key] = np.nan
    for key, values in columns.items():
        rows[key] = values
    return rows


def test_the_interval_is_over_deals_not_over_games():
    apart = bidding.estimate(np.array([1.0, 0.0] * 50), np.arange(100))
    doubled = bidding.estimate(np.array([1.0, 0.0] * 50).repeat(4), np.arange(100).repeat(4))
    assert apart["mean"] == doubled["mean"] == 0.5
    assert doubled["half_width"] == pytest.approx(apart["half_width"])
    assert apart["half_width"] == pytest.approx(1.9842 * 0.5 / 99**0.5, rel=1e-4)  # t of 99
    assert bidding.estimate(np.array([1.0]), np.array([3]))["half_width"] is None
    few = bidding.estimate(np.array([1.0, 2.0, 4.0]), np.arange(3))
    assert few["half_width"] == pytest.approx(4.3027 * (7 / 9) ** 0.5, rel=1e-4)  # t of 2
    assert bidding.estimate(np.array([]), np.array([])) is None


def test_deals_that_are_all_alike_have_no_interval():
    nothing = {"half_width": None, "low": None, "high": None}
    assert bidding.estimate(np.array([2.0, 2.0]), np.arange(2)) == {"mean": 2.0, **nothing}
    assert bidding.estimate(np.zeros(8), np.arange(8) // 4) == {"mean": 0.0, **nothing}
    rows = rows_of(won=[1] * 3, expected_won=[1.0] * 3, payoff=[20] * 3)
    result = bidding.summary(rows, 1)
    assert result["contracts"]["RUF"]["won"] == {"mean": 1.0, **nothing}
    shown = dict(zip(*bidding.own_rows(result), strict=True))
    assert shown["won %"] == shown["expected won %"] == "100.0"
    assert shown["points"] == shown["over passing"] == "+20.0"
    assert bidding.calibrated(result, 0.04) is None


# A tenth is no binary number: its mean is off by a rounding, which looked like a spread.
@pytest.mark.parametrize("value", [0.1, 0.7, 1 / 3, 1e6 / 3])
@pytest.mark.parametrize("blocks", [[0, 0, 0, 1, 2, 2], [0, 1, 2, 3, 4, 5]])
def test_deals_that_are_alike_but_for_rounding_have_no_interval(value, blocks):
    found = bidding.estimate([value] * 6, blocks)
    assert found["mean"] == pytest.approx(value) and found["half_width"] is None
    assert bidding.estimate([value] * 5 + [value * (1 + 1e-6)], blocks)["half_width"] > 0


# The words of two players are mostly the same. Four deals of a hundred in which one got more do
# not show that its bids pay: of skewed differences intervals that took all deals to tell of the
# spread held the truth in 63 to 89 of 100 simulated cases. A tournament counts the deals that tell
# something.
def test_differences_that_are_mostly_nothing_have_the_interval_of_a_tournament():
    more = np.zeros(100)
    more[:4] = 20.0
    found = bidding.difference(more, np.arange(100))
    mean, half_width = _core.mean_interval(more.tolist())
    assert found["mean"] == pytest.approx(mean)
    assert found["half_width"] == pytest.approx(half_width)
    assert found["low"] < 0 < bidding.estimate(more, np.arange(100))["low"]

    rows = rows_of(payoff=20 + more.astype(int), other_payoff=[20] * 100, won=[1] * 100)
    rows["passed_payoff"] = 20
    result = bidding.summary(rows, 1)
    assert result["over_words"] == found
    assert result["contracts"]["RUF"]["over_words"] == found
    assert result["contracts"]["RUF"]["over_passing"] == found
    assert result["opponents_contracts"]["RUF"]["over_own"]["half_width"] == found["half_width"]


def test_one_deal_that_differs_does_not_make_a_contract_pay():
    rows = rows_of(payoff=[20] * 100, other_payoff=[20] * 100, passed_payoff=[20] * 99 + [0])
    row = bidding.summary(rows, 1)["opponents_contracts"]["RUF"]
    assert row["over_passing"]["low"] < 0 and row["pays"] is False


def test_differences_in_every_deal_have_the_interval_of_their_mean():
    values, blocks = [1.0, 2.0, 4.0, -3.0], [0, 0, 1, 2]
    assert bidding.difference(values, blocks) == bidding.estimate(values, blocks)
    assert bidding.difference([], []) is None
    assert bidding.difference([0.0, 0.0], [0, 1])["half_width"] is None


def test_worlds_give_the_share_that_was_expected():
    rows = rows_of(won=[1, 0] * 40, expected_won=[0.75] * 80, payoff=[20, -20] * 40)
    rows["expected_payoff"], rows["passed_payoff"] = 10.0, -10
    (found,) = bidding.summary(rows, 1)["contracts"].values()
    assert found["optimism_won"]["mean"] == pytest.approx(0.25)
    assert found["optimism_points"]["mean"] == pytest.approx(10.0)
    assert found["over_passing"]["mean"] == pytest.approx(10.0)
    assert found["games"] == 80 and found["won"]["mean"] == 0.5


def test_a_value_gives_the_share_on_the_line_between_lost_and_won_games():
    rows = rows_of(won=[1, 0] * 40, value=[10.0] * 80, payoff=[20, -20] * 40)
    rows["expected_won"] = 0.1  # a value is what the agent itself says
    result = bidding.summary(rows, 1)
    assert result["by"] == "value"
    assert result["contracts"]["RUF"]["expected_won"]["mean"] == pytest.approx(0.75)
    assert result["contracts"]["RUF"]["optimism_points"]["mean"] == pytest.approx(10.0)


# What a lost and a won game cost is the mean of a few games as well. Taken as known, intervals of
# 95 % held the share that a value expects in 46 to 88 of 100 runs of the shipped player's games.
@pytest.mark.parametrize(("sharpness", "games"), [(3, 200), (30, 200), (30, 1000)])
def test_the_interval_of_a_share_by_value_counts_what_the_prices_are_known_to(sharpness, games):
    random = np.random.default_rng(games + sharpness)
    mean, spread = {0: -28.9, 1: 29.9}, 16.0
    held = {"expected_won": 0, "optimism_won": 0}
    for _ in range(400):
        share = random.beta(0.6 * sharpness, 0.4 * sharpness, games)
        won = (random.random(games) < share).astype(int)
        paid = np.where(won, mean[1], mean[0]) + random.normal(0.0, spread, games)
        value = mean[0] + (mean[1] - mean[0]) * share
        found = bidding.summary(rows_of(won=won, value=value, payoff=paid * 100), 100)
        row = found["contracts"]["RUF"]
        for key, truth in (("expected_won", 0.6), ("optimism_won", 0.0)):
            held[key] += abs(row[key]["mean"] - truth) <= row[key]["half_width"]
    assert all(0.92 * 400 <= count <= 0.98 * 400 for count in held.values()), held


def found_with(**contracts):
    def figure(mean, half):
        return {"mean": mean, "half_width": half}

    return {
        "contracts": {
            name: {
                "games": games,
                "expected_won": figure(0.9, 0.0),
                "optimism_won": figure(mean, half),
            }
            for name, (games, mean, half) in contracts.items()
        }
    }


@pytest.mark.parametrize(
    ("contracts", "answer"),
    [
        ({"RUF": (90000, 0.03, 0.02), "SOLO": (10000, -0.03, 0.04)}, True),
        ({"RUF": (90000, 0.03, 0.02), "SOLO": (10000, -0.05, 0.04)}, False),
        ({"RUF": (90000, 0.03, 0.02), "SOLO": (10000, -0.03, 0.05)}, None),  # not certain enough
        ({"RUF": (90000, 0.03, 0.02), "SOLO": (10000, -0.2, 0.1)}, False),  # outside, certainly
        ({"RUF": (90000, 0.03, 0.02), "SOLO_TOUT": (5, 0.2, 0.3)}, True),  # too rare to wait for
        ({"RUF": (90000, 0.03, 0.02), "SOLO_TOUT": (5, 0.5, 0.3)}, False),
        ({"RUF": (90000, 0.03, None)}, None),
        ({}, None),
    ],
)
def test_every_contract_has_to_hold_what_it_promises(contracts, answer):
    assert bidding.calibrated(found_with(**contracts), 0.04) is answer


# 4 for 4 % called every player calibrated.
@pytest.mark.parametrize("limit", [4, -0.01, float("nan"), "0.04", None, True])
def test_a_limit_that_is_no_share_is_refused(limit):
    found = found_with(RUF=(90000, 0.5, 0.02))
    with pytest.raises(ValueError, match=r"^limit = .*, allowed: number 0\.\.1$"):
        bidding.calibrated(found, limit)
    assert bidding.calibrated(found, np.float32(0.04)) is False


def test_figures_may_come_as_lists():
    lists = bidding.estimate([1.0, 2.0, 4.0], [0, 0, 1])
    assert lists == bidding.estimate(np.array([1.0, 2.0, 4.0]), np.array([0, 0, 1]))
    with pytest.raises(ValueError, match=r"^blocks: 2 came, allowed: one for each of 3 values$"):
        bidding.estimate([1.0, 2.0, 4.0], [0, 1])


@pytest.mark.parametrize("share", [0.7, 0.9])
@pytest.mark.parametrize("games", [2, 3, 5, 10, 40])
def test_a_calibrated_player_is_seldom_called_anything_else_for_a_few_games(games, share):
    random = np.random.default_rng(games)
    refused = 0
    for _ in range(400):
        won = (random.random(games) < share).astype(int)
        rows = rows_of(won=won, expected_won=[share] * games, payoff=40 * won - 20)
        refused += bidding.calibrated(bidding.summary(rows, 1), 0.04) is False
    assert refused <= 0.06 * 400


def test_equal_bidders_gain_nothing_over_each_other():
    result = schafkopf.bidding.calibration(RULES, RULES, blocks=60, worlds=0)
    # all deals alike say nothing of the spread, as in tournaments
    assert result["over_words"] == {"mean": 0.0, "half_width": None, "low": None, "high": None}
    assert result["thrown_in"] == result["thrown_in_with_opponents_words"] > 0.1
    for name, row in result["opponents_contracts"].items():
        assert row["games"] == row["own"] == result["contracts"][name]["games"]
        assert row["over_own"]["mean"] == 0.0 and not row["extinct"]
        assert result["contracts"][name]["expected_won"] is None  # neither worlds nor a value
    assert result["opponents_contracts"]["RUF"]["pays"]
    assert result["games"] == 240 and result["by"] == "worlds"


# Others who have passed hold weak hands. A declarer that weighs hidden hands by what was said
# expects to win more often for it, by about 0.014, and what it expects is what comes; without
# beliefs it expects that much too little. The games are the same: only the drawn worlds differ.
def test_who_knows_that_the_others_passed_expects_to_win_more_often():
    known, blind = (
        _core.calibration_rows(
            RULES,
            RULES,
            rules="research",
            keywords={"blocks": 1600, "worlds": 16, "beliefs": beliefs, "seed": 1},
        )
        for beliefs in ("rules", "uniform")
    )
    declared = np.isfinite(known["expected_won"])
    assert declared.sum() > 1000
    assert (declared == np.isfinite(blind["expected_won"])).all()
    for name in set(known.dtype.names) - {"expected_won", "expected_payoff"}:
        np.testing.assert_array_equal(known[name], blind[name], name)
    known, blind = known[declared], blind[declared]
    more = bidding.estimate(known["expected_won"] - blind["expected_won"], known["block"])
    assert more["mean"] > 3 * more["half_width"] / 1.96
    optimism = bidding.estimate(known["expected_won"] - known["won"], known["block"])
    assert abs(optimism["mean"]) < 3 * optimism["half_width"] / 1.96 < 0.04


def test_beliefs_change_what_is_expected_and_not_what_comes():
    blind, known = (
        bidding.calibration(RULES, RULES, blocks=60, worlds=2, beliefs=beliefs)["contracts"]["RUF"]
        for beliefs in ("uniform", "rules")
    )
    assert known["won"] == blind["won"]
    assert known["expected_won"] != blind["expected_won"]


class Counting:
    """The rule agent; counts the cards that it is asked for."""

    def __init__(self):
        self.agent = schafkopf.make_agent(RULES)
        self.cards = 0

    def act(self, views):
        self.cards += int(schafkopf.legal_mask(views)[:, :32].any(axis=1).sum())
        return self.agent.act(views)


def test_an_agent_plays_the_cards_of_its_seat_and_those_of_its_worlds():
    asked = []
    for worlds in (0, 2):
        agent = Counting()
        schafkopf.bidding.calibration(
            agent, "rules:version=1", blocks=4, worlds=worlds, table="opponents", threads=1
        )
        asked.append(agent.cards)
    games = 4 * 4 * 3  # deals, seats, words
    assert games < asked[0] < asked[1]


def test_figures_do_not_depend_on_threads():
    keywords = {"blocks": 130, "worlds": 2, "seed": 7}
    one, two = (
        _core.calibration_rows(
            "net:baseline", "rules", rules="research", keywords=keywords | {"threads": threads}
        )
        for threads in (1, 2)
    )
    assert one.tobytes() == two.tobytes()
    declared = one["declarer"] == one["seat"]
    assert (np.isfinite(one["expected_won"]) == declared).all()
    assert set(one["expected_won"][declared]) <= {0.0, 0.5, 1.0}
    assert np.isnan(one["value"]).all()  # the shipped weights have no critic
    assert (one["block"] == np.arange(520) // 4).all() and (one["seat"] == np.arange(520) % 4).all()


def test_what_pays_and_is_never_declared_is_extinct():
    result = schafkopf.bidding.calibration(Passer(), RULES, blocks=60, worlds=1)
    assert result["contracts"] == {} and result["thrown_in"] > 0.2
    assert "RUF" in result["extinct"]
    (gate,) = [gate for gate in gates.GATES if gate.track == gates.BIDDING]
    assert gates.judged_bidding(gate, result) == {"passed": False, "goal": False}
    assert gates.judged_bidding(gate, None) == {"passed": None, "goal": None}


def test_a_few_games_do_not_say_that_a_contract_pays():
    def opponents_ruf(games):
        rows = rows_of(payoff=[0] * games, other_payoff=[500] * games, contract=-1, declarer=-1)
        return bidding.summary(rows, 1)["opponents_contracts"]["RUF"]

    few, many = opponents_ruf(29), opponents_ruf(30)
    assert few["pays"] is None and few["extinct"] is False and few["over_passing"]["mean"] == 500
    assert many["pays"] is True and many["extinct"] is True


def test_games_of_the_opponents_words_have_results_of_their_own():
    rows = rows_of(
        block=[0] * 4 + [1] * 4,
        seat=[0, 1, 2, 3] * 2,
        contract=[-1] * 3 + [0] * 5,
        declarer=[-1] * 3 + [3] + [0, 1, 2, 3],
        other_contract=[0] * 7 + [-1],
        other_declarer=[0, 1, 2, 3, 0, 1, 2, -1],
        won=[0] * 8,
        other_won=[1, 1, 1, 0, 1, 1, 1, 0],
        payoff=[0] * 3 + [-20] * 5,
        other_payoff=[30, 30, 30, -30, 30, 30, 30, 0],
    )
    found = bidding.summary(rows, 1)
    assert found["thrown_in"] == 3 / 8 and found["thrown_in_with_opponents_words"] == 1 / 8
    assert (found["deals"], found["games"]) == (2, 8)
    (own,), (theirs,) = found["contracts"].values(), found["opponents_contracts"].values()
    assert (own["games"], own["share"], theirs["games"], theirs["own"]) == (5, 5 / 8, 7, 5)
    assert own["won"]["mean"] == 0 and theirs["won"]["mean"] == pytest.approx(6 / 7)
    assert own["points"]["mean"] == -20 and theirs["points"]["mean"] == pytest.approx(150 / 7)
    assert theirs["over_own"]["mean"] == pytest.approx((90 - 10 + 3 * 50) / 7)


@pytest.mark.parametrize(("own", "extinct"), [(0, True), (9, True), (10, False)])
def test_a_contract_is_extinct_below_a_tenth_of_the_opponents_games(own, extinct):
    declares = [0] * own + [-1] * (100 - own)
    rows = rows_of(contract=declares, declarer=declares, payoff=[0] * 100, won=[1] * 100)
    rows["other_payoff"] = 500
    found = bidding.summary(rows, 1)
    assert found["opponents_contracts"]["RUF"]["extinct"] is extinct
    assert found["extinct"] == (["RUF"] if extinct else [])


def test_a_declared_game_of_which_nothing_is_expected_counts_with_those_that_are_judged():
    rows = rows_of(won=[1, 0] * 40, expected_won=[0.75] * 60 + [np.nan] * 20, payoff=[20, -20] * 40)
    rows["expected_payoff"] = [10.0] * 60 + [np.nan] * 20
    (found,) = bidding.summary(rows, 1)["contracts"].values()
    assert (found["games"], found["known"]) == (80, 60)
    assert found["expected_points"]["mean"] == 10.0 and found["expected_won"]["mean"] == 0.75
    assert found["optimism_points"]["mean"] == pytest.approx(10.0)


# Five games that are known of ninety say as little as five of five.
def test_the_spread_of_a_calibrated_player_is_that_of_the_games_that_are_known():
    found = found_with(RUF=(90, 0.19, 0.0))
    assert bidding.calibrated(found, 0.04) is False
    found["contracts"]["RUF"]["known"] = 5
    assert bidding.calibrated(found, 0.04) is None


@pytest.mark.parametrize(("games", "answer"), [(5, None), (20, True)])
def test_few_games_that_were_expected_to_be_won_for_certain_say_little_too(games, answer):
    found = found_with(RUF=(games, 0.0, 0.0))
    found["contracts"]["RUF"]["expected_won"]["mean"] = 1.0  # whose spread is 0, of one game too
    assert bidding.calibrated(found, 0.04) is answer


def test_the_gate_asks_for_calibration_and_for_every_contract():
    (gate,) = [gate for gate in gates.GATES if gate.track == gates.BIDDING]
    good = found_with(RUF=(90000, 0.03, 0.01)) | {"extinct": []}
    assert gates.judged_bidding(gate, good) == {"passed": True, "goal": False}
    assert gates.judged_bidding(gate, good | {"extinct": ["WENZ"]})["passed"] is False


def test_the_short_form_of_the_gate_shows_its_tables(tmp_path, capsys):
    assert cli.main(["gates", "--short", "--only", "bidding", "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "## Bidding calibration of `net:baseline` among `rules:version=1`" in text
    assert "| contract | games | % of games | expected won % |" in text
    (row,) = json.loads((tmp_path / "gates.json").read_text())
    assert row["calibration"]["deals"] == gates.SHORT_BLOCKS and row["passed"] is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: schafkopf.bidding.calibration("oracle", blocks=1), "oracle.*sees hidden hands"),
        (lambda: schafkopf.bidding.calibration("rules", "oracle", blocks=1), "sees hidden hands"),
        (
            lambda: schafkopf.bidding.calibration("rules", blocks=0),
            "blocks = 0, allowed: integer 1",
        ),
        (
            lambda: schafkopf.bidding.calibration("rules", worlds=-1),
            "worlds = -1, allowed: integer 0",
        ),
        (lambda: schafkopf.bidding.calibration("rules", table="x"), "own, opponents"),
    ],
)
def test_wrong_keywords_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_players_are_called_by_their_names():
    class Lowest:
        def act(self, views):
            return schafkopf.legal_mask(views).argmax(axis=1)

    class Named(Lowest):
        name = "Zenzi"

    for agent, opponent, names in (
        ("rules", schafkopf.make_agent("random"), ("rules", "random")),
        (schafkopf.make_agent("net:baseline"), Lowest(), ("net:baseline", "Lowest")),
        (Named(), "rules:version=1", ("Zenzi", "rules:version=1")),
    ):
        result = schafkopf.bidding.calibration(agent, opponent, blocks=1, worlds=0, threads=1)
        assert (result["agent"], result["opponent"]) == names
        assert result["text"].startswith(f"{names[0]} among {names[1]}, ")


def test_progress_counts_deals_and_can_end_the_games():
    seen = []
    schafkopf.bidding.calibration(
        RULES, blocks=70, worlds=0, progress=lambda *now: seen.append(now)
    )
    assert seen[-1] == (70, 70)

    def stop(done, all_of_them):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        schafkopf.bidding.calibration(RULES, blocks=5000, worlds=0, progress=stop)


class WenzOrOver:
    """Names a Wenz over somebody's game (D.4), or plays a game and goes over the Wenz with a Solo
    where it holds two Ober."""

    def __init__(self, over):
        self.over = over

    def act(self, views):
        names = ("PASS", "PLAY", "C_WENZ", "C_SOLO")
        silent, play, wenz, solo = (schafkopf.actions.parse_action(name) for name in names)
        actions = []
        for mask, view in zip(schafkopf.legal_mask(views), views, strict=True):
            action = int(mask.argmax())
            if _core.phase_name(int(view["cards"]["phase"])) == "AUCTION_DIRECT":
                two_ober = bin(int(view["cards"]["hand"]) & 0x10101010).count("1") >= 2
                wanted = (
                    (play if mask[play] else solo if two_ober else silent) if self.over else wenz
                )
                action = wanted if mask[wanted] else silent
            actions.append(action)
        return np.array(actions, np.int32)


def test_d_3_what_is_expected_of_a_game_is_of_worlds_in_which_nobody_goes_over():
    """The games that count are those that the seat declared; so are the worlds."""
    rules = {"preset": "research", "auction_style": "direct", "tout_enabled": False}
    found = bidding.calibration(
        WenzOrOver(False), WenzOrOver(True), rules=rules, blocks=64, worlds=16,
        table="opponents", threads=1, seed=7,
    )["contracts"]["WENZ"]  # fmt: skip
    assert found["games"] > 50
    assert found["expected_won"]["mean"] > 0
    assert abs(found["optimism_points"]["mean"]) < found["optimism_points"]["half_width"] < 30
