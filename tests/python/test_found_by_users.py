"""What people who tried the library ran into: each call once, with what it says now."""

import copy
import errno
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

schafkopf = pytest.importorskip("schafkopf", exc_type=ImportError)
from schafkopf import _core, cli, commands, observations, records  # noqa: E402


def refused(words, call, error=ValueError):
    with pytest.raises(error, match=re.escape(words)):
        call()


def test_the_conversation_of_an_engine_needs_a_player():
    refused("agent: None is no player", lambda: _core.EngineSession(None))


def test_a_context_of_another_type_is_named():
    for make in (schafkopf.Game, schafkopf.Deal.random):
        refused(
            "context: dict came, allowed: DealContext or None",
            lambda make=make: make(seed=1, context={"bock": 1}),
        )


@pytest.mark.parametrize(
    "use",
    [
        lambda rules: schafkopf.VectorEnv(2, rules=rules),
        lambda rules: schafkopf.Game(rules, seed=1),
        lambda rules: schafkopf.Session(rules),
        lambda rules: schafkopf.encode(schafkopf.Game(seed=1).view(0), rules=rules),
    ],
)
def test_rules_whose_constructor_has_not_run_are_refused(use):
    rules = schafkopf.RuleSet.__new__(schafkopf.RuleSet)
    refused("this object is not made yet", lambda: use(rules), TypeError)


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


def test_a_game_of_other_rules_is_named_with_its_row_and_theirs():
    env = schafkopf.VectorEnv(4, seed=1)
    other = schafkopf.Game("official_1989", seed=1)
    refused("set_game: env 2 plays rule set research", lambda: env.set_game(2, other))
    refused("the game official_1989", lambda: env.set_game(2, other))


def test_players_are_asked_where_there_are_view_lines():
    env = schafkopf.VectorEnv(4)
    refused("agent_actions: players read views: make the environment with view_lines=True",
            lambda: env.agent_actions("rules"))  # fmt: skip


@pytest.mark.parametrize("unit", ["\n\x1b[2J", "\u202epfennig", "x" * 41])
def test_texts_of_rules_are_one_line_that_can_be_shown(unit, tmp_path):
    file = tmp_path / "rules.toml"
    spelled = "".join(f"\\u{ord(c):04x}" for c in unit)
    file.write_text(f'preset = "research"\n[tariff]\nunit = "{spelled}"\n')
    refused("allowed: one line of at most 40 bytes that can be shown",
            lambda: schafkopf.RuleSet(str(file)))  # fmt: skip
    refused('doubling_names = "', lambda: schafkopf.RuleSet(doubling_names=["Kontra", unit]))


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 10**30])
def test_whole_numbers_of_a_record_are_kept_or_refused(number):
    record = records.record_of(schafkopf.Game(seed=1))
    record["meta"] = {"n": number}
    refused("allowed: whole numbers of 64 bits", lambda: records.text_of(record))
    for kept in (2**64 - 1, -(2**63), 1e30):
        record["meta"] = {"n": kept}
        assert records.from_text(records.text_of(record))["meta"] == {"n": kept}


@pytest.mark.parametrize("version", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["uint8", "float32"])
def test_bounds_of_observations_are_those_of_their_columns(version, kind):
    pytest.importorskip("gymnasium")
    env = schafkopf.VectorEnv(256, seed=3, rules="wikipedia_extended", observation=kind,
                              observation_version=version)  # fmt: skip
    space = env.single_observation_space
    sections = observations.observation_sections(version)
    assert (space.high[sections["hand"]] == 1).all()
    assert (space.high[sections["points"]] > 1).all()
    most = np.zeros_like(space.high)
    for _ in range(120):
        env.step(env.random_actions())
        most = np.maximum(most, env.observation.max(axis=0))
    assert (most <= space.high).all()
    assert (most[sections["hand"]] == 1).all()


def test_rule_features_are_those_of_byte_rows():
    env = schafkopf.VectorEnv(4, seed=1, observation="uint8")
    section = observations.observation_sections(1)["rules"]
    assert (env.observation[:, section] == env.rule_features[env.rule_index]).all()
    scale = next(
        row["scale"] for row in observations.observation_table(1) if row["name"] == "rules"
    )
    floats = schafkopf.VectorEnv(4, seed=1)
    np.testing.assert_allclose(
        floats.observation[:, section], env.rule_features[env.rule_index] * scale, rtol=1e-6
    )


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


def test_what_cannot_be_pickled_says_so_by_every_protocol():
    endgame = schafkopf.exploitation.endgame_list(endgames=1)[0]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(endgame, protocol)


def test_files_are_written_though_nobody_reads_what_is_printed(tmp_path):
    words = "tournament --agents rules random --blocks 2 --json {0}/a.json --html {0}/a.html"
    command = (
        f"{sys.executable} -m schafkopf {words.format(tmp_path)} | true; exit ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.json"]


def test_progress_needs_no_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    schafkopf.tournaments.ProgressLine("work")(1, 2)


def test_a_full_disk_is_a_failure_and_no_wrong_input(monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device", "result.json")

    monkeypatch.setattr(commands.tournament, "tournament", full)
    words = ["tournament", "--agents", "rules", "random"]
    assert cli.main(words) == cli.FAILED
    assert "result.json" in capsys.readouterr().err
