"""Every system of the rules through the same doors: games, batches, sessions."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from support.refusals import refused

import schafkopf
from schafkopf import house_rules

MODES = [
    "none",
    "bock",
    "ramsch",
    "kreuzbock",
    "kreuzrunde",
    "solo_wenz_ramsch",
    "soli_only",
    "schieber",
    "teufel",
    "hadsch",
    "allgaeuer",
    "strixner",
    "zupf_solo",
]
HOUSE_RULES = [
    {"preset": "official_1989_full"},
    {"preset": "wikipedia_extended"},
    {"preset": "course_002", "bock_triggers": ["SOLO_LOST", "ALL_PASS"], "reuegeld": 10},
    {"preset": "official_1989", "deck": "short24"},
    {"preset": "official_1989", "deck": "short24", "players": 3},
    {"preset": "official_1989", "players": 5, "all_pass": "kreuzbock"},
    {"preset": "official_1989", "solo_contest": "steigern", "all_pass": "muss_spiel"},
]
HANDS = [
    "SO HA H10 HK H9 EK GK S10",
    "GU HU H7 EA E10 G9 G7 SA",
    "EO GO HO SU H8 E9 E7 G10",
    "EU E8 GA G8 SK S9 S8 S7",
]
ONE_TRUMP = [
    "HA EA E10 EK E9 GA G10 SA",  # seat 0 holds one trump
    "EO GO HO SO EU GU HU SU",
    "H10 HK H9 H8 H7 E8 E7 GK",
    "G9 G8 G7 S10 SK S9 S8 S7",
]


def play_randomly(game, seed):
    rng = np.random.default_rng(seed)
    while not game.is_terminal:
        game.apply(int(rng.choice(game.legal_actions())))
    return game


@pytest.mark.parametrize("mode", MODES)
def test_every_special_round_is_played_to_the_end(mode):
    rules = schafkopf.RuleSet("official_1989", special_round=mode, claims_enabled=False)
    assert schafkopf.games.DealContext.first(rules).special_round == mode
    for seed in range(8):
        game = play_randomly(schafkopf.Game(rules, seed=seed, dealer=seed % 4), seed)
        assert game.context.special_round == mode
        assert sum(game.payoffs()) == 0


def test_a_context_takes_every_value_up_to_its_limits():
    most = {"stock": 1_000_000_000, "bock": 16, "games_left": 255, "owed": [7, 0, 7, 7]}
    context = schafkopf.games.DealContext(**most)
    assert {name: getattr(context, name) for name in most} == most
    for name, more in {"stock": 1_000_000_001, "bock": 17, "games_left": 256, "owed": [8]}.items():
        with pytest.raises(ValueError, match=name):
            schafkopf.games.DealContext(**{name: more})


def test_a_teufelsrunde_gives_forehand_its_cards_and_a_solo_of_its_suit():
    context = schafkopf.games.DealContext(special_round="teufel")
    game = schafkopf.Game("official_1989", seed=5, dealer=3, context=context)
    assert game.phase == "PREDEAL" and game.current_player == 0
    game.apply("SUIT_G")
    assert {"EO", "GO", "SO", "EU"} <= set(game.hand(0))
    assert game.contract.name == "SOLO" and game.contract.suit == "G"


@pytest.mark.parametrize("switches", HOUSE_RULES)
def test_a_session_keeps_its_accounts(switches):
    session = schafkopf.Session(switches, seed=2)
    deals = 0
    while not session.is_over:
        game = play_randomly(session.next_game(), deals)
        assert game.context == session.context
        session.finish(game)
        deals += 1
    assert deals == session.num_deals > 0
    assert session.stock == 0, "the rest of the Stock is split at the end"
    assert sum(session.totals) + session.kitty == pytest.approx(0)


def test_a_session_counts_in_units_where_the_tariff_has_halves():
    session = schafkopf.Session({"preset": "research", "tariff": "5/20 half Laufende"}, seed=2)
    totals = [0.0] * 4
    halves = False
    for deal in range(16):
        places = session.places
        game = play_randomly(session.next_game(), deal)
        session.finish(game)
        payoffs = game.payoffs()
        for seat, payoff in enumerate(payoffs):
            totals[places[seat]] += payoff
        halves |= any(payoff % 1 for payoff in payoffs)
        assert session.totals == totals
    assert halves


def test_different_house_rules_share_a_batch():
    env = schafkopf.VectorEnv(
        14, rules=HOUSE_RULES, rule_index=[i % 7 for i in range(14)], seed=1, session=True
    )
    env.reset()
    for _ in range(600):
        _, rewards, terminated, truncated, _ = env.step(env.random_actions())
        assert not truncated.any()
        assert np.abs(rewards[terminated == 0]).sum() == 0
    assert env.num_deals > 100


def test_a_hochzeit_is_played_and_entered_with_the_same_hands():
    rules = schafkopf.RuleSet("official_1989", hochzeit="before_auction", claims_enabled=False)
    game = schafkopf.Game(rules, deal=ONE_TRUMP, dealer=3)
    assert game.phase == "HZ_OFFER" and game.current_player == 0
    for action in ("HZ_OFFER_1", "HZ_ACCEPT", "CARD EO"):
        game.apply(action)
    assert game.contract.name == "HOCHZEIT" and game.declarer_party == [0, 1]
    assert game.given(0) == ["HA"] and game.received(0) == ["EO"]
    assert "EO" in game.hand(0) and "HA" in game.dealt(0)
    entered = schafkopf.Game.with_contract(
        {"class": "HOCHZEIT", "declarer": 0},
        rules=rules,
        deal=ONE_TRUMP,
        dealer=3,
        partner=1,
        exchange=[(0, 1, "HA"), (1, 0, "EO")],
    )
    assert [entered.hand(seat) for seat in range(4)] == [game.hand(seat) for seat in range(4)]


def test_r_125_the_rest_is_conceded_and_r_128_a_revoke_is_punished():
    rules = schafkopf.RuleSet("official_1989", kontra_window="off")
    contract = {"class": "SOLO", "suit": "H", "declarer": 2}
    game = schafkopf.Game.with_contract(contract, rules=rules, deal=HANDS, dealer=3)
    assert {"CLAIM_REST", "CONCEDE_REST"} <= set(game.legal_names())
    revoked = game.copy()
    game.apply("CONCEDE_REST")  # a defender: the soloist wins all tricks, with three Laufende
    assert game.is_terminal and game.payoffs() == [-100, -100, 300, -100]
    revoked.infract(2, "INF_REVOKE_LATE")  # lost Schwarz
    assert revoked.is_terminal and revoked.payoffs() == [100, 100, -300, 100]
    with pytest.raises(ValueError, match="during card play"):
        revoked.infract(2, "INF_REVOKE")
    with pytest.raises(ValueError, match="INF_TALK"):
        revoked.infract(2, "INF_SMILE")


def test_r_179_r_183_a_league_day_is_two_sittings_of_sixteen_games_and_ranks_its_players():
    league = schafkopf.games.League(8, seed=4)
    assert (league.num_sittings, league.num_tables, league.games_per_sitting) == (2, 2, 16)
    for sitting in range(2):
        seats = [league.players_at(sitting, table) for table in range(2)]
        assert sorted(seats[0] + seats[1]) == list(range(8))
        for table in range(2):
            while not league.is_over(sitting, table):
                league.finish(sitting, table, play_randomly(league.next_game(sitting, table), 1))
    ranking = league.ranking()
    assert [row["rank"] for row in ranking] == list(range(1, 9))
    assert all(row["bonus"] == 100 and row["games"] == 32 for row in ranking)
    assert sum(row["total"] for row in ranking) == 800
    assert [row["total"] for row in ranking] == sorted((r["total"] for r in ranking), reverse=True)
    with pytest.raises(ValueError, match="6 players, allowed: multiples of 4"):
        schafkopf.games.League(6)


# B.3.6: dealt again, and after the second in a row the dealer pays each of the three others
def test_r_021_r_184_a_misdeal_of_a_league_is_in_the_list_of_its_table_once_it_is_paid():
    with pytest.raises(ValueError, match="cannot be changed in it, allowed: another rule set"):
        schafkopf.RuleSet().replace(preset="official_1989")
    rules = schafkopf.RuleSet("tournament_2024").replace(misdeal_policy="redeal_then_penalty")
    penalty = rules.to_dict()["misdeal_penalty_per_player"]
    league = schafkopf.games.League(8, rules, seed=4)
    first = league.next_game(0, 1)
    assert league.misdeal(0, 1) == [0, 0, 0, 0] and league.deals(0, 1) == []
    again = league.next_game(0, 1)
    assert again.dealer == first.dealer and again.dealt(0) != first.dealt(0)
    paid = league.misdeal(0, 1)
    assert sorted(paid) == [-3 * penalty, penalty, penalty, penalty]
    assert league.deals(0, 1) == [paid] and league.deals(0, 0) == []
    league.finish(0, 1, play_randomly(league.next_game(0, 1), 1))
    assert len(league.deals(0, 1)) == 2 and sum(league.deals(0, 1)[1]) == 0
    known = pickle.loads(pickle.dumps(league))
    assert known == league and known.deals(0, 1) == league.deals(0, 1)
    assert known.next_game(0, 1).dealt(0) == league.next_game(0, 1).dealt(0)
    while not league.is_over(0, 1):
        league.finish(0, 1, play_randomly(league.next_game(0, 1), 1))
    with pytest.raises(ValueError, match="sitting 0 is over at table 1"):
        league.misdeal(0, 1)


@pytest.mark.parametrize(
    "name", ["next_game", "players_at", "is_over", "finish", "misdeal", "deals"]
)
def test_a_sitting_or_table_that_there_is_not_is_named_with_its_range(name):
    league = schafkopf.games.League(8, seed=4)
    game = [league.next_game(0, 0)] if name == "finish" else []
    for place, words in (
        ((99, 0), "sitting = 99, allowed: integer 0..1"),
        ((-1, 9), "sitting = -1, allowed: integer 0..1"),
        ((0, 2), "table = 2, allowed: integer 0..1"),
        ((1, -1), "table = -1, allowed: integer 0..1"),
    ):
        with pytest.raises(ValueError) as caught:
            getattr(league, name)(*place, *game)
        assert str(caught.value) == words


@pytest.mark.parametrize(
    ("switches", "words"),
    [
        ({"players": 3}, ["players", "short24"]),
        ({"contracts": []}, ["contracts"]),
        ({"players": 2, "two_player_extension": True}, ["players", "R-008"]),
        ({"auction_style": "direct", "solo_contest": "steigern"}, ["solo_contest"]),
        ({"all_pass": "last_chooses", "last_chooses_options": []}, ["last_chooses_options"]),
        (
            {
                "deck": "short24",
                "players": 3,
                "three_player_contracts": "solo_wenz",
                "contracts": ["GEIER"],
            },
            ["contracts", "R-006"],
        ),
    ],
)
def test_contradictory_switches_are_named(switches, words):
    with pytest.raises(ValueError) as caught:
        schafkopf.RuleSet("official_1989", **switches)
    for word in words:
        assert word in str(caught.value)


def test_a_switch_is_changed_in_a_copy():
    class Table(schafkopf.RuleSet):
        place = "nowhere"

    rules = Table()
    refused(
        "RuleSet: all_pass cannot be changed, allowed: rules.replace(all_pass=...), a copy",
        lambda: setattr(rules, "all_pass", "stock"),
        AttributeError,
    )
    assert rules.all_pass == "throw_in"
    rules.place = "Bad Aibling"  # of the class, not a switch
    assert rules.place == "Bad Aibling"


@pytest.mark.parametrize("unit", ["\n\x1b[2J", "\u202epfennig", "x" * 41])
def test_texts_of_rules_are_one_line_that_can_be_shown(unit, tmp_path):
    file = tmp_path / "rules.toml"
    spelled = "".join(f"\\u{ord(c):04x}" for c in unit)
    file.write_text(f'preset = "research"\n[tariff]\nunit = "{spelled}"\n')
    refused("allowed: one line of at most 40 bytes that can be shown",
            lambda: schafkopf.RuleSet(str(file)))  # fmt: skip
    refused('doubling_names = "', lambda: schafkopf.RuleSet(doubling_names=["Kontra", unit]))


def test_rules_are_taken_from_a_path_object(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('preset = "official_1989"\nall_pass = "ramsch"\n')
    rules = schafkopf.RuleSet(path)
    assert rules == schafkopf.RuleSet(str(path))
    assert schafkopf.Game(rules=path, seed=1) == schafkopf.Game(rules=rules, seed=1)
    assert schafkopf.VectorEnv(2, rules=path, seed=1) == schafkopf.VectorEnv(2, rules=rules, seed=1)
    changed = schafkopf.Game(rules={"preset": path, "players": 5}, seed=1)
    assert changed == schafkopf.Game(rules={"preset": str(path), "players": 5}, seed=1)
    for wrong in (tmp_path / "none.toml", {"preset": tmp_path / "none.toml"}, Path("research")):
        with pytest.raises(FileNotFoundError, match=r"none|[.]/research"):  # a path is no preset
            schafkopf.Game(rules=wrong)
    with pytest.raises(ValueError, match=r"^preset = 3, allowed: text, a path$"):
        schafkopf.RuleSet(3)


def test_a_network_that_never_draws_excludes_what_it_would_not_do():
    """The drawing one of the same file does not."""
    game, drawing = schafkopf.Game(seed=3), schafkopf.make_agent("net:baseline,greedy=false")
    for turn in range(34):
        view = game.view(game.current_player)
        game.apply(int(drawing.act(view, seed=300 + turn)[0]))
    view = game.view(game.current_player)
    search = schafkopf.search
    greedy = search.ExactPosterior(view, "net:baseline", silence=False).probabilities
    drawn = search.ExactPosterior(view, "net:baseline,greedy=false", silence=False).probabilities
    assert set(greedy) == {0.0, 1.0} and np.count_nonzero(drawn) > 1


class PathOfItsOwn:
    """What os.fspath reads, and no pathlib.Path."""

    def __init__(self, path):
        self.path = str(path)

    def __fspath__(self):
        return self.path


@pytest.mark.parametrize("kind", [Path, PathOfItsOwn])
def test_rules_are_a_path_of_any_kind_wherever_a_path_is_taken(kind, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('preset = "research"\nlaufende_min_wenz = 3\n')
    path, rules = kind(file), schafkopf.RuleSet(str(file))
    assert schafkopf.VectorEnv(2, rules=path) == schafkopf.VectorEnv(2, rules=rules)
    both = {"rule_index": [0, 1], "rules": ["research", path]}
    assert schafkopf.VectorEnv(2, **both) == schafkopf.VectorEnv(
        2, rule_index=[0, 1], rules=["research", rules]
    )
    result = schafkopf.tournament(["rules", "random"], blocks=1, rules=path)
    assert int(result["rules_hash"], 16) == rules.hash
    assert schafkopf.games.play_deals("random", 1, rules=path)[0].is_terminal
    assert schafkopf.display.play_out(["random"] * 4, 1, rules=path)[0].is_terminal
    assert house_rules.as_rule_set(path) == rules
    endgames = {"endgames": 1, "updates": 1}
    exploit = schafkopf.exploitation.exploit
    told = [exploit("random", rules=one, **endgames)["list_hash"] for one in (path, rules)]
    assert told[0] == told[1]
    pytest.importorskip("pyarrow")
    out = tmp_path / "deals"
    data = schafkopf.datasets.write_dataset(out, players="random", games=8, rules=path)
    assert data.settings.rule_set() == rules


@pytest.mark.parametrize("wrong", [None, 3, ["research"], b"research"])
def test_what_no_rules_are_is_named_as_the_engine_names_it(wrong):
    with pytest.raises(ValueError, match="came, allowed: ") as of_engine:
        schafkopf.Game(wrong, seed=1)
    with pytest.raises(ValueError) as caught:
        house_rules.as_rule_set(wrong)
    assert str(caught.value) == str(of_engine.value)


def test_a_path_is_that_of_a_file_and_never_the_name_of_a_preset(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = Path("research")
    file.write_text("laufende_min_wenz = 4\n")
    assert house_rules.as_rule_set(file).laufende_min_wenz == 4
    assert house_rules.as_rule_set("research") == schafkopf.RuleSet("research")
    with pytest.raises(OSError, match=r"\./course_002"):
        schafkopf.VectorEnv(2, rules=Path("course_002"))
