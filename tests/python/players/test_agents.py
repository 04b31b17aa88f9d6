"""Agents, Python objects as players, tournaments and records."""

import json
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support.record import RECORD

import schafkopf
from schafkopf import _core, display, report
from schafkopf.tournaments import ProgressLine, named_agents


def some_views(num_envs=64, steps=20):
    env = schafkopf.VectorEnv(num_envs, seed=1, view_lines=True)
    env.step_random(steps)
    views = env.views()
    return views[env.current_player >= 0]


@pytest.mark.parametrize("name", ["random", "rules"])
def test_agents_give_legal_distributions(name):
    agent = schafkopf.make_agent(name)
    views = some_views()
    legal = schafkopf.legal_mask(views)
    probabilities, values = agent.policy(views)
    assert probabilities.shape == (len(views), 128) and probabilities.dtype == np.float32
    assert values.shape == (len(views),) and values.dtype == np.float32
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    assert not probabilities[legal == 0].any()
    actions = agent.act(views, seed=3)
    assert legal[np.arange(len(views)), actions].all()
    assert (actions == agent.act(views, seed=3)).all()


def test_the_rule_agent_explains_every_decision():
    views = some_views()
    chosen = schafkopf.make_agent("rules").act(views)
    for view, action in zip(views, chosen, strict=True):
        reason = schafkopf.agents.explain(view)
        assert reason["action"] == action
        assert reason["maxim"] and reason["source"] and reason["sentence"].endswith(".")


# W 12.14: the card was compared with trumps, which never stood for choice
def test_the_lowest_of_equal_cards_had_an_equal_one_beside_it():
    pictures = {f"{suit}{rank}" for suit in "EGHS" for rank in "OU"}
    agent, seen = schafkopf.make_agent("rules"), 0
    for seed in range(400):
        game = schafkopf.Game("research", seed=seed)
        while not game.is_terminal:
            view = game.view(game.current_player)
            action = int(agent.act(view)[0])
            if game.phase == "PLAY" and game.contract.name == "RUF":
                reason = schafkopf.agents.explain(view)
                if reason["maxim"] == "lowest_of_equals":
                    seen += 1
                    held = {name.removeprefix("CARD ") for name in game.legal_names()}
                    plain = {card for card in held if card[0] in "EGS" and card not in pictures}
                    card = _core.card_name(action)
                    points = _core.card_points
                    equal = {c for c in plain if points([c]) == points([card])}
                    assert len(equal) > 1, (seed, sorted(held), card)
            game.apply(action)
    assert seen > 5


def test_each_version_of_the_rule_agent_explains_itself():
    views = some_views()
    for version in (1, 2, 3):
        chosen = schafkopf.make_agent(f"rules:version={version}").act(views)
        names = {row["maxim"] for row in schafkopf.agents.maxims(version)}
        for view, action in zip(views, chosen, strict=True):
            reason = schafkopf.agents.explain(view, version=version)
            assert reason["action"] == action and reason["maxim"] in names
    newest = {row["maxim"] for row in schafkopf.agents.maxims()}
    assert newest - names == set() and "ruff_with_a_small_trump" in newest
    for ask in (
        schafkopf.agents.maxims,
        lambda version: schafkopf.agents.explain(views[0], version=version),
    ):
        with pytest.raises(ValueError, match=r"version = 4, allowed: integer 1\.\.3"):
            ask(4)


def test_a_search_is_explained_by_its_maxim():
    hands = ["E10 E8 GU HK S10 G9 G8 H8", "EO HO EU HA H9 E9 S9 S8"]
    hands += ["EA GA G10 GK GO HU H7 S7", "SO SU H10 EK E7 SA SK G7"]
    contract = {"class": "RUF", "called": "EA", "declarer": 1}
    game = schafkopf.Game.with_contract(contract, deal=hands, dealer=3)
    reason = schafkopf.agents.explain(game.view(0))
    assert (reason["action"], reason["maxim"]) == (
        schafkopf.cards.parse_card("E8"),
        "search_called_card",
    )
    assert "I-13" in reason["source"]
    assert reason["maxim"] in {row["maxim"] for row in schafkopf.agents.maxims()}
    with pytest.raises(ValueError, match="not to act"):
        schafkopf.agents.explain(game.view(1))
    with pytest.raises(ValueError, match="2 views"):
        schafkopf.agents.explain(some_views()[:2])


def test_threads_share_a_batch_without_changing_the_answers():
    views = some_views()
    alone = schafkopf.make_agent("pimc:2")
    shared = schafkopf.make_agent("pimc:2", num_threads=3)
    assert shared.name == alone.name
    for one, other in zip(alone.policy(views), shared.policy(views), strict=True):
        assert np.array_equal(one, other, equal_nan=True)
    assert (alone.act(views) == shared.act(views)).all()

    class First:
        def act(self, views):
            return schafkopf.legal_mask(views).argmax(axis=1)

    several = schafkopf.make_agent(First(), num_threads=0)
    assert (several.act(views) == First().act(views)).all()
    with pytest.raises(ValueError, match=r"num_threads = -1, allowed: integer 0\.\.1024"):
        schafkopf.make_agent("rules", num_threads=-1)


@pytest.mark.parametrize("name", ["random", "rules"])
def test_policies_do_not_depend_on_the_batch(name):
    agent, views = schafkopf.make_agent(name), some_views()
    whole, _ = agent.policy(views)
    parts = np.concatenate([agent.policy(views[i : i + 7])[0] for i in range(0, len(views), 7)])
    assert (whole == parts).all()


def test_unknown_agents_name_the_known_ones():
    with pytest.raises(ValueError) as caught:
        schafkopf.make_agent("rulez")
    for word in ("rulez", "random", "rules", "net"):
        assert word in str(caught.value)
    assert {"random", "rules", "net"} <= {row["name"] for row in schafkopf.agent_names()}
    assert schafkopf.agents.generator_names()
    with pytest.raises((ValueError, RuntimeError, OSError), match=r"no_such\.safetensors"):
        schafkopf.make_agent("net:no_such.safetensors")


def test_agents_play_a_batch():
    env = schafkopf.VectorEnv(32, seed=1, view_lines=True, auto_reset="same_step")
    agent = schafkopf.make_agent("rules")
    for _ in range(60):
        env.step(env.agent_actions(agent))
    assert env.num_deals > 0


class Uniform:
    """Uniform over the legal actions, with probabilities."""

    name = "uniform"

    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)

    def policy(self, views):
        mask = schafkopf.legal_mask(views).astype(np.float32)
        return mask / mask.sum(axis=1, keepdims=True), np.zeros(len(views), np.float32)


def test_a_python_object_becomes_an_agent():
    agent = schafkopf.make_agent(Uniform())
    assert agent.name == "python:uniform"
    views = some_views()
    probabilities, values = agent.policy(views)
    assert np.allclose(probabilities, schafkopf.make_agent("random").policy(views)[0])
    assert not values.any()


def test_nobody_promises_for_an_object_that_it_answers_alike():
    assert _core.EngineSession(Uniform()).answer("hello 1") == "hello 1 name python:uniform"


def test_an_object_with_only_act_counts_as_deterministic():
    class First:
        def act(self, views):
            return schafkopf.legal_mask(views).argmax(axis=1)

    views = some_views()
    probabilities, values = schafkopf.make_agent(First()).policy(views)
    assert (probabilities.max(axis=1) == 1).all() and np.isnan(values).all()


class Network:
    """Something callable that is no method."""

    def __call__(self, rows):
        raise AssertionError("a network was asked with views")


class KeepsNetwork:
    def __init__(self):
        self.policy = Network()

    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)


class NothingInItsPlace(KeepsNetwork):
    policy = None

    def __init__(self):
        pass


@pytest.mark.parametrize("player", [KeepsNetwork, NothingInItsPlace])
def test_an_attribute_policy_that_is_no_method_is_not_asked(player):
    probabilities, values = schafkopf.make_agent(player()).policy(some_views())
    assert (probabilities.max(axis=1) == 1).all() and np.isnan(values).all()


def test_a_function_policy_of_an_object_is_asked():
    player = KeepsNetwork()
    player.policy = Uniform().policy
    probabilities, _ = schafkopf.make_agent(player).policy(some_views())
    assert (probabilities.max(axis=1) < 1).any()


def test_wrong_probabilities_of_a_python_player_are_named():
    class Wrong(Uniform):
        def policy(self, views):
            return np.full((len(views), 128), 1 / 128), np.zeros(len(views))

    with pytest.raises(ValueError, match=r"python:uniform.*row 0"):
        schafkopf.make_agent(Wrong()).policy(some_views())


def test_tournament_is_the_same_for_any_number_of_threads():
    results = [
        schafkopf.tournament(["rules", "random"], blocks=24, seed=4, threads=threads)
        for threads in (1, 2, 5)
    ]
    assert results[0] == results[1] == results[2]
    cell = results[0]["one_against_three"][0][1]
    assert cell["low"] < cell["mean"] < cell["high"]
    assert results[0]["one_against_three"][0][0] is None
    assert results[0]["games"] == 24 * 8
    assert "rules" in results[0]["text"]


def test_tournament_takes_python_players_and_both_tracks():
    seen = []
    result = schafkopf.tournament(
        {"mine": Uniform(), "rules": "rules"},
        blocks=8,
        track="full",
        progress=lambda done, total: seen.append((done, total)),
    )
    assert [agent["name"] for agent in result["agents"]] == ["mine", "rules"]
    assert result["track"] == "full"
    assert all(total == 8 for _, total in seen)


class OneAtATime:
    """A player that keeps what it reads in itself, as policies of other libraries do."""

    def __init__(self):
        self.views = None
        self.itself = None

    def act(self, views):
        self.views = views
        time.sleep(0.001)  # lets go of the GIL, as torch does
        assert self.views is views, "another thread came in"
        if self.itself is not None and len(views) > 1:
            self.itself.act(views[:1])
            self.views = views
        return schafkopf.legal_mask(self.views).argmax(axis=1)


def test_threads_take_turns_in_a_python_player():
    player = OneAtATime()
    player.itself = schafkopf.make_agent(player)  # one that asks itself does not wait for itself
    field = {"it": player, "again": player, "random": "random"}
    assert schafkopf.tournament(field, blocks=3, threads=3)["blocks"] == 3


class AsksItself:
    """A player that asks an Agent of itself once, in the way that it was told."""

    def __init__(self, how):
        self.how, self.inside = how, False

    def act(self, views):
        if not self.inside:
            self.inside = True
            try:
                self.how(self, views)
            finally:
                self.inside = False
        return schafkopf.legal_mask(views).argmax(axis=1)


def in_a_thread(player, views):
    with ThreadPoolExecutor(1) as threads:
        threads.submit(player.agent.act, views).result()


def test_a_player_may_ask_the_agent_that_asks_it():
    game = schafkopf.Game(seed=1)
    view = game.view(game.current_player)
    player = AsksItself(lambda player, views: player.agent.act(views))
    player.agent = schafkopf.make_agent(player)
    assert player.agent.act(view) == schafkopf.make_agent(AsksItself(lambda *_: None)).act(view)
    player.agent = schafkopf.make_agent(player, num_threads=2)
    with pytest.raises(RuntimeError, match="asked while it is being asked, by the same thread"):
        player.agent.act(view)


def test_a_player_that_waits_for_a_thread_that_waits_for_it_is_told_so():
    game = schafkopf.Game(seed=1)
    player = AsksItself(in_a_thread)
    player.agent = schafkopf.make_agent(player)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # else it would be a warning, and the wait would go on
        with pytest.raises(RuntimeWarning, match="waits for its turn with a player"):
            player.agent.act(game.view(game.current_player))
    player.how = AsksItself.act  # what a thread that gave up leaves behind is a player that plays
    player.inside = True
    assert player.agent.act(game.view(game.current_player)).shape == (1,)


def test_wrong_tournaments_are_named():
    with pytest.raises(ValueError, match="at least two"):
        schafkopf.tournament(["rules"])
    with pytest.raises(ValueError, match="twice"):
        named_agents(["rules", "rules"])
    with pytest.raises(ValueError, match="card_play"):
        schafkopf.tournament(["rules", "random"], track="half")
    with pytest.raises(ValueError, match="rulez"):
        schafkopf.tournament(["rulez", "random"], blocks=2)
    with pytest.raises(ValueError, match="blocks"):
        schafkopf.tournament(["rules", "random"], blocks=0)


def test_networks_are_named_by_folder_and_file():
    agents = named_agents(["net:runs/a/model.safetensors", "net:/x/b/model.safetensors", "rules"])
    assert list(agents) == ["net:a/model", "net:b/model", "rules"]
    same = ["net:/x/a/model.safetensors", "net:/y/a/model.safetensors"]
    assert list(named_agents(same)) == same


def test_an_exception_of_the_progress_callback_ends_the_tournament():
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        schafkopf.tournament(["rules", "random"], blocks=20_000, progress=stop)


class Thinks:
    """A player that takes its time with every decision, as an engine may, and counts them."""

    decisions = 0

    def act(self, views):
        self.decisions += len(views)
        time.sleep(0.4 * len(views))
        return schafkopf.legal_mask(views).argmax(axis=1)


def test_a_stop_does_not_wait_for_the_games_of_a_slow_player():
    def stop(done, blocks):
        raise KeyboardInterrupt

    slow = Thinks()
    with pytest.raises(KeyboardInterrupt):
        schafkopf.tournament({"slow": slow, "random": "random"}, progress=stop, threads=1)
    assert slow.decisions < 15  # a block of it has some ninety


def test_report_escapes_names_and_shows_intervals(tmp_path):
    result = schafkopf.tournament({"<b>": "rules", "random": "random"}, blocks=8)
    report.write_html([result], tmp_path / "t.html", "A & B")
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;" in page and "<b>" not in page and "A &amp; B" in page
    assert f"{result['one_against_three'][0][1]['mean']:+.2f}" in page


def test_progress_line_is_silent_without_a_terminal(capsys):
    ProgressLine("full")(1, 2)
    assert capsys.readouterr() == ("", "")


def test_progress_line_tells_a_terminal_what_is_done_and_the_time_that_is_left(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    line = ProgressLine("full")
    assert line.shown
    line(0, 8)  # nothing to count from
    line.started -= 60  # which 6 of 8 took
    line(6, 8)
    line(8, 8)
    said = capsys.readouterr().err
    assert said == (
        "\rfull: 0 of 8 blocks\033[K\rfull: 6 of 8 blocks, 20 s left\033[K"
        "\rfull: 8 of 8 blocks, 0 s left\033[K\n"
    )


def test_played_games_become_records_and_back():
    game, deal = display.play_out(["rules"] * 4, seed=1, dealer=2)
    record = schafkopf.records.record_of(game, deal)
    assert record["hands"] == deal.hands
    result = schafkopf.replay(record)
    assert result["payoffs"] == game.payoffs()
    assert schafkopf.records.replayed_game(record).plays == game.plays
    text = schafkopf.records.text_of(record)
    assert schafkopf.records.from_text(text) == record
    assert text.rstrip() in display.game_text(game, deal)
    assert json.loads(json.dumps(record)) == record


def test_a_deal_that_is_given_orders_the_hands_of_a_record():
    hands = schafkopf.Deal.random(3).hands
    game = schafkopf.Game(deal=hands)
    other = schafkopf.Deal([hand[4:] + hand[:4] for hand in hands])  # the second half first
    assert other.hands != schafkopf.records.record_of(game)["hands"]
    record = schafkopf.records.record_of(game, other)
    assert record["hands"] == other.hands
    assert display.game_text(game, other) == schafkopf.records.text_of(record)


@pytest.mark.parametrize(("seed", "dealer"), [(5, 0), (5, 2), (2**63, 1)])
def test_a_deal_that_is_played_out_is_that_of_its_seed_dealer_and_draws(seed, dealer):
    rules = {"preset": "research", "deck": "short24"}
    game, deal = display.play_out(["random"] * 4, seed, rules, dealer)
    assert deal == schafkopf.Deal.random(seed, rules, dealer)
    again = schafkopf.Game(rules, deal=deal, dealer=dealer)
    player = schafkopf.make_agent("random")
    while not again.is_terminal:
        view = again.view(again.current_player)
        again.apply(int(player.act(view, seed=seed, rules=rules)[0]))
    assert game == again and game.dealer == dealer


def test_replay_of_a_record_that_stops_early():
    result = schafkopf.replay(RECORD)
    assert result["trick_winners"] == [0]
    assert result["points"] == [9, 0, 0, 0]
    assert result["to_move"] == 0 and "HO" in result["legal"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"play": []}, ["play"]),
        ({"plays": ["EO", "E10"]}, ["E10", "H9"]),
        ({"hands": RECORD["hands"][:3]}, ["hands"]),
        ({"rules": "no_such_rules"}, ["no_such_rules"]),
    ],
)
def test_broken_records_are_named(changes, words):
    with pytest.raises(ValueError) as caught:
        schafkopf.replay(RECORD | changes)
    for word in words:
        assert word in str(caught.value)


def test_describe_view_names_things():
    game = schafkopf.records.replayed_game(RECORD)
    seen = display.describe_view(game.view(0))
    assert seen["contract"] == "RUF" and seen["called"] == "EA" and seen["phase"] == "PLAY"
    assert seen["declarer"] == "self" and seen["partner"] is None
    assert seen["plays"][0] == ("self", "EO")
    assert seen["legal"] == game.legal_names()


def test_describe_view_tells_what_a_deal_inherits_and_who_passed_on_what():
    rules = {"preset": "official_1989_full", "claims_enabled": False}
    context = schafkopf.games.DealContext(stock=30, bock=2)
    hands = [
        "HA EA E10 EK E9 GA G10 SA",  # one trump, for a Hochzeit
        "EO GO HO SO EU GU HU SU",
        "H10 HK H9 H8 H7 E8 E7 GK",
        "G9 G8 G7 S10 SK S9 S8 S7",
    ]
    game = schafkopf.Game.with_contract(
        {"class": "HOCHZEIT", "declarer": 0},
        rules,
        deal=hands,
        dealer=3,
        partner=1,
        laid=[2],
        exchange=[(0, 1, ["HA"]), (1, 0, ["EO"])],
        context=context,
    )
    seen = display.describe_view(game.view(0))
    told = {key: seen[key] for key in ("laid", "bock", "stock", "given", "received", "open")}
    expected = {"laid": 1, "bock": 2, "stock": 30, "given": ["HA"], "received": ["EO"], "open": []}
    assert told == expected and seen["bid"] == 0
    seen = display.describe_view(game.view(1))
    assert (seen["given"], seen["received"], seen["declarer"]) == (["EO"], ["HA"], "right")


def test_describe_view_at_a_table_of_three_has_nobody_opposite():
    rules = schafkopf.RuleSet("research", players=3, deck="short24")
    game = schafkopf.Game.with_contract(schafkopf.Contract("SOLO", 2, "E"), rules=rules, seed=1)
    said = [display.describe_view(game.view(seat))["declarer"] for seat in range(3)]
    assert said == ["right", "left", "self"]


@pytest.mark.parametrize(
    "view", [5, None, "view", {"cards": 1}, np.zeros(3), schafkopf.Game(seed=1)]
)
def test_what_is_no_view_is_not_described(view):
    with pytest.raises(ValueError, match=r"view: .* came, allowed: a record of VIEW_DTYPE"):
        display.describe_view(view)


def test_several_views_are_not_described_as_one():
    view = schafkopf.Game(seed=1).view(0)
    with pytest.raises(ValueError, match=r"view: .* came, allowed: a record of VIEW_DTYPE"):
        display.describe_view(np.array([view, view]))


@pytest.mark.parametrize("agents", [5, None, "rules"])
def test_players_of_a_deal_are_a_list(agents):
    with pytest.raises(ValueError, match=r"^agents.*, allowed: a list of players, one per seat$"):
        display.play_out(agents, seed=1)


def test_a_player_that_sees_hidden_hands_is_refused_at_its_seat():
    words = r"^agents\[2\]: oracle:version=3 sees hidden hands, allowed: players that see views"
    with pytest.raises(ValueError, match=words):
        display.play_out(["rules", "rules", "oracle", "rules"], seed=1)


def test_a_cheating_baseline_needs_the_full_views_of_a_batch():
    oracle = schafkopf.make_agent("oracle")
    blind = schafkopf.VectorEnv(4, seed=1, view_lines=True)
    with pytest.raises(ValueError, match="full_view=True"):
        blind.agent_actions(oracle)
    env = schafkopf.VectorEnv(4, seed=1, view_lines=True, full_view=True)
    while env.terminated.sum() == 0:
        env.step(env.agent_actions(oracle))


@pytest.mark.parametrize("wrong", ["few", "views", "nothing"])
def test_full_views_of_another_number_or_kind_are_refused(wrong):
    game = schafkopf.Game(seed=1)
    views = np.array([game.view(seat) for seat in range(4)])
    full = np.array([game.full_view(seat) for seat in range(4)])
    given = {"few": full[:3], "views": views, "nothing": np.zeros(4)}[wrong]
    oracle = schafkopf.make_agent("oracle")
    with pytest.raises(ValueError, match=r"full_views: .* came, allowed: an array \[4\] of FULL"):
        oracle.policy(views, full_views=given)
    with pytest.raises(ValueError, match="full_views: a masked array that hides entries came"):
        oracle.policy(views, full_views=np.ma.masked_all_like(full))


def test_an_agent_asked_in_some_rows_answers_there_as_in_all():
    env = schafkopf.VectorEnv(32, seed=5, view_lines=True)
    env.reset()
    agent = schafkopf.make_agent("random")
    rows = np.arange(32) % 3 == 0
    whole, some = env.agent_actions(agent), env.agent_actions(agent, rows=rows)
    assert (some[rows] == whole[rows]).all() and (some[~rows] == 0).all() and whole[~rows].any()
    with pytest.raises(ValueError, match="rows: "):
        env.agent_actions(agent, rows=rows[1:])


def test_answers_that_leave_no_event_do_not_decide_what_is_drawn_next():
    """F.1: who laid nothing announces by a draw of its own. Where nobody lays, nothing is seen of
    the question, and only the view tells it from the next one."""
    rules = schafkopf.RuleSet("official_1989_full", hochzeit="off")
    player = schafkopf.make_agent("random")
    announced = []
    for seed in range(400):
        game = schafkopf.Game(rules, seed=seed)
        forehand = game.forehand
        while game.phase == "LEGEN" or (
            game.phase == "AUCTION_ROUND" and game.current_player != forehand
        ):
            view = game.view(game.current_player)
            game.apply(int(player.act(view, seed=seed, rules=rules)[0]))
        if game.phase == "AUCTION_ROUND" and game.num_laid == 0:
            action = player.act(game.view(forehand), seed=seed, rules=rules)[0]
            announced.append(schafkopf.actions.action_name(int(action)) == "PLAY")
    assert len(announced) > 15
    assert 0.2 < np.mean(announced) < 0.8


@pytest.mark.parametrize("player", ["rules", "rules:random=0.5", "pimc:worlds=2", "random"])
@pytest.mark.parametrize("phase", range(30))
def test_views_made_by_hand_are_refused_or_answered_within_their_row(player, phase):
    game = schafkopf.Game(seed=1)
    view = game.view(game.current_player)
    wrong = view.copy()
    wrong["cards"]["phase"] = phase
    agent = schafkopf.make_agent(player)
    try:
        probabilities, _ = agent.policy(np.array([wrong, view]))
        action = agent.act(wrong)[0]
    except ValueError as error:
        assert "view" in str(error)
        return
    assert schafkopf.legal_mask(wrong)[0, action] or action == 32
    assert probabilities.sum(axis=1)[1] == pytest.approx(1)
    assert not probabilities[1][schafkopf.legal_mask(view)[0] == 0].any()


@pytest.mark.parametrize("player", ["random", "pimc:worlds=2"])
def test_a_copy_of_a_view_is_answered_like_it(player):
    """NumPy copies fields, not the bytes between them."""
    agent = schafkopf.make_agent(player)
    for seed in range(40):
        game = schafkopf.Game(seed=seed)
        for _ in range(seed % 20):
            game.apply(game.legal_actions()[seed % len(game.legal_actions())])
            if game.is_terminal:
                break
        if game.is_terminal:
            continue
        view = game.view(game.current_player)
        other = np.frombuffer(bytearray(b"\xaa" * view.nbytes), view.dtype).copy()
        other[:] = view
        raw = bytearray(np.asarray(view).tobytes())
        raw[111] = 0xAA
        for copy in (view.copy(), other[0], np.frombuffer(raw, view.dtype)[0]):
            assert agent.act(copy, seed=seed) == agent.act(view, seed=seed)


def test_views_that_no_rules_show_are_refused():
    game = schafkopf.Game(seed=1)
    for field, value in (("special_round", 77), ("special_round", 13)):
        view = game.view(0).copy()
        view["order"][field] = value
        with pytest.raises(ValueError, match=f"{field} = {value} stands in no view of a game"):
            schafkopf.WorldSampler(view, "official_1989_full")
    solo = schafkopf.Game.with_contract(schafkopf.Contract("SOLO", declarer=1, suit="H"), seed=2)
    view = solo.view(0).copy()
    view["cards"]["declarer_leader"] = 4 | view["cards"]["declarer_leader"] & 0xF8
    with pytest.raises(ValueError, match=r"declarer_leader = .* stands in no view of a game"):
        schafkopf.make_agent("rules").act(view)


@pytest.mark.parametrize("name", ["pimc:2", "ismcts:iterations=10", "net+search:baseline"])
def test_a_trick_that_does_not_go_round_is_refused_by_who_plays_it_out(name):
    game = schafkopf.Game.with_contract(schafkopf.Contract("SOLO", declarer=0, suit="E"), seed=1)
    while len(game.plays) < 25 or game.phase != "PLAY":
        game.apply(game.legal_actions()[0])
    view = game.view(game.current_player).copy()
    other = view.copy()
    other["cards"]["declarer_leader"] ^= 8  # another seat has led
    agent = schafkopf.make_agent(name)
    agent.act(view)
    for ask in (agent.act, agent.policy):
        with pytest.raises(ValueError, match="its trick does not go round from its leader"):
            ask(other)
    other = view.copy()
    other["cards"]["legal"] |= ~view["cards"]["hand"]
    with pytest.raises(ValueError, match=r"legal = .* stands in no view of a game"):
        agent.act(other)


class Picky:
    """Refuses to be asked where it has no choice at all."""

    def act(self, views):
        mask = schafkopf.legal_mask(views)
        assert mask.any(axis=1).all()
        return mask.argmax(axis=1)


class PickyWithPolicy(Picky):
    def policy(self, views):
        mask = schafkopf.legal_mask(views).astype(np.float32)
        return mask / mask.sum(axis=1, keepdims=True), np.ones(len(views), np.float32)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("player", [Picky, PickyWithPolicy])
def test_an_object_is_not_asked_about_deals_that_are_over(player, threads):
    agent = schafkopf.make_agent(player(), num_threads=threads)
    game = schafkopf.Game(seed=1)
    before = game.view(game.current_player)
    while not game.is_terminal:
        game.apply(game.legal_actions()[0])
    views = np.array([game.view(0), before])
    passes = [schafkopf.actions.action_name(a) for a in range(128)].index("PASS")
    assert agent.act(views[:1]).tolist() == [passes]
    assert agent.act(views).tolist() == [passes, int(agent.act(before)[0])]
    probabilities, values = agent.policy(views)
    assert probabilities.sum(axis=1).tolist() == pytest.approx([0, 1])
    assert np.isnan(values).tolist() == [True, player is Picky]
    env = schafkopf.VectorEnv(8, seed=1, view_lines=True, auto_reset="disabled")
    env.reset()
    while not env.terminated.all():
        env.step(env.agent_actions(agent))


def test_agents_of_many_objects_are_made_in_time_that_grows_with_their_number():
    def seconds(number):
        start = time.process_time()
        agents = [schafkopf.make_agent(Picky()) for _ in range(number)]
        took = time.process_time() - start
        del agents  # all were there until now
        return took

    few, many = seconds(2000), seconds(16000)
    assert many < 24 * max(few, 0.02)  # 8 times as many; their squares are 64 times as many


def test_a_view_that_is_asked_under_other_rules_is_answered_or_refused():
    """Trumps of other rules make cards legal that no world has."""
    other = schafkopf.RuleSet("research", partner_trump_suit="S")
    agent = schafkopf.make_agent("pimc:worlds=2,clear=0")
    ruf = schafkopf.Contract("RUF", declarer=0, called="EA")
    answered = 0
    for seed in range(200):
        try:
            game = schafkopf.Game.with_contract(ruf, "official_1989", seed=seed)
        except ValueError:
            continue
        while not game.is_terminal:
            if game.phase == "PLAY":
                view = game.view(game.current_player)
                try:
                    probabilities, _ = agent.policy(view, rules=other)
                    answered += 1
                    assert probabilities.sum() == pytest.approx(1)
                except ValueError as error:
                    assert "view" in str(error)
            game.apply(
                game.legal_actions()[-1] if "NO_DOUBLE" not in game.legal_names() else "NO_DOUBLE"
            )
    assert answered


class Answers:
    """Gives what it is told to give."""

    def __init__(self, probabilities=None, values=None):
        self.probabilities, self.values = probabilities, values

    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)

    def policy(self, views):
        mask = schafkopf.legal_mask(views).astype(float)
        rows = mask / mask.sum(1, keepdims=True)
        given = rows if self.probabilities is None else self.probabilities(rows)
        return given, np.zeros(len(views)) if self.values is None else self.values(views)


@pytest.mark.parametrize(
    "player",
    [
        Answers(values=lambda views: [{}] * len(views)),
        Answers(values=lambda views: ["x"] * len(views)),
        Answers(values=lambda views: np.zeros(len(views), "datetime64[D]")),
        Answers(probabilities=lambda rows: rows.astype("U8")),
        Answers(probabilities=lambda rows: rows.astype(object)),
        Answers(probabilities=lambda rows: rows.astype(complex)),
    ],
    ids=["dicts", "texts", "dates", "text_rows", "object_rows", "complex_rows"],
)
def test_a_policy_that_gives_no_numbers_is_refused_by_name(player):
    game = schafkopf.Game(seed=1)
    with pytest.raises(ValueError, match=r"policy\(\) gave (values|probabilities) .*: numbers"):
        schafkopf.make_agent(player).policy(game.view(game.current_player))


def test_rows_of_players_and_generators_are_what_their_module_says():
    for rows in (schafkopf.agents.agent_names(), schafkopf.agents.generator_names()):
        for row in rows:
            assert list(row) == ["name", "description", "parameters", "sees_hidden_hands"]
            assert all(isinstance(one, str) for one in row["parameters"])
            assert all(key in schafkopf.agents.__doc__ for key in row)


def test_an_unsigned_action_is_told_as_it_was_given():
    class Player:
        def act(self, views):
            return np.full(len(schafkopf.legal_mask(views)), 2**64 - 1, np.uint64)

    with pytest.raises(ValueError, match=f"action {2**64 - 1} for row 0, which is not legal"):
        schafkopf.tournament({"one": Player(), "two": "random"}, blocks=1)


# Each kept the one that it was made of, and to let go of all of them ended the process.
def test_agents_that_are_made_of_agents_stand_in_no_row():
    agent = schafkopf.make_agent("rules")
    for _ in range(40_000):
        agent = schafkopf.make_agent(agent)
    assert agent == schafkopf.make_agent("rules")
    del agent
    threaded = schafkopf.make_agent(schafkopf.make_agent("random", num_threads=3), num_threads=2)
    again = schafkopf.make_agent(threaded)
    assert again == threaded == schafkopf.make_agent("random") and repr(again) == repr(threaded)
