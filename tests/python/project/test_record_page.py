"""env/RECORD.md: its examples replay, and it names every key that reader and writer know."""

import json
import re
from pathlib import Path

import pytest

import schafkopf
from schafkopf import _core

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "env" / "RECORD.md").read_text(encoding="utf-8")


def blocks(language):
    found = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found


def source(name):
    return (ROOT / "env" / "record" / name).read_text(encoding="utf-8")


def listed(text, name):
    """The strings of a constant of a source file."""
    return re.findall(r'"(\w+)"', re.search(rf"{name}\[\] = {{(.*?)}};", text, re.DOTALL)[1])


@pytest.mark.parametrize("line", blocks("json"))
def test_the_json_lines_replay_as_they_expect(line):
    assert not _core.check_json(line.strip(), 1)[1]
    record = json.loads(line)
    read = schafkopf.records.record_of(schafkopf.records.replayed_game(record))
    assert read["hands"] and set(record) >= {"rules", "hands", "plays"}


@pytest.mark.parametrize("text", blocks("text"))
def test_the_text_is_what_is_written(text):
    assert schafkopf.records.text_of(schafkopf.records.from_text(text)) == text


def test_cards_of_a_half_come_back_by_number_as_the_page_says():
    assert re.search(r"inside a half their order is not kept.* by number", PAGE)
    record = json.loads(blocks("json")[0])
    halves = [sorted(hand[:4], key=schafkopf.cards.parse_card) for hand in record["hands"]]
    halves = [[*half, *hand[4:][::-1]] for half, hand in zip(halves, record["hands"], strict=True)]
    read = schafkopf.records.record_of(schafkopf.records.replayed_game(record | {"hands": halves}))
    for hand, given in zip(read["hands"], halves, strict=True):
        for half in (slice(4), slice(4, 8)):
            assert hand[half] == sorted(given[half], key=schafkopf.cards.parse_card)


def test_every_key_is_named():
    plain = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", plain))))
    written = source("record_write.cpp")
    keys = set(re.findall(r'(?:json|object)\["(\w+)"\]', written))
    keys |= set(re.findall(r'{"(\w+)", ', written))
    read = re.search(r"Key kKeys\[\] = {(.*?)\n};", source("record.cpp"), re.DOTALL)[1]
    keys |= set(re.findall(r'^    {"(\w+)",', read, re.MULTILINE))
    keys |= set(listed(source("record_result.cpp"), "kResultKeys"))
    keys |= set(listed(source("record_text.cpp"), "kTextKeys"))
    assert {"renonce", "owed_games", "version", "stock_payoffs", "next"} <= keys
    assert keys <= words, keys - words


def test_an_unfinished_game_has_no_parties():
    unfinished = [json.loads(line) for line in blocks("json")][1]
    assert set(schafkopf.replay(unfinished)) == {
        *("trick_winners", "points", "tricks"),
        *("legal", "to_move"),
    }
    assert "An unfinished game has no parties" in PAGE


def words():
    return " ".join(PAGE.split())


def hands_of_a_sure_solo():
    """Four hands: all pictures, and what is left by suit."""
    pictures = [suit + rank for rank in "OU" for suit in "EGHS"]
    plain = [[suit + rank for rank in ("A", "10", "K", "9", "8", "7")] for suit in "EGHS"]
    rest = [card for suit in plain for card in suit]
    return [pictures, rest[:8], rest[8:16], rest[16:]]


def test_the_rest_after_a_claim_or_an_offence_is_with_the_seat_that_the_page_names():
    assert "else with the first seat of the other party to the left" in words()
    ruf = json.loads(blocks("json")[1])  # seats 0 and 2 against 1 and 3; the first trick is 0's
    del ruf["expect"]

    def rest(claim, policy="official", record=ruf):
        rules = {**record["rules"], "infraction_policy": policy}
        result = schafkopf.replay({**record, "rules": rules, "claims": [claim]})
        assert sum(result["points"]) == (120 if sum(result["tricks"]) == 8 else 9)
        return result["tricks"]

    assert rest([0, "CONCEDE_REST", None, 4]) == rest([0, "CLAIM_REST", None, 4]) == [1, 7, 0, 0]
    assert rest([1, "INF_REVOKE", None, 4]) == [1, 0, 7, 0]
    assert rest([2, "INF_WRONG_LEAD", None, 4]) == [1, 0, 0, 7]
    for offence in ("INF_REVOKE_LATE", "INF_CARD_COUNT"):
        assert rest([1, offence, None, 4]) == [1, 0, 0, 0]
    assert rest([1, "INF_REVOKE", None, 4], "game_loss") == [1, 0, 0, 0]
    solo = {
        "rules": {"preset": "research"},
        "hands": hands_of_a_sure_solo(),
        "declarer": 0,
        "plays": [],
    }
    solo["contract"] = {"class": "SOLO", "suit": "E"}
    assert rest([0, "CLAIM_REST", None, 0], record=solo) == [8, 0, 0, 0]
    ramsch = {**ruf, "contract": {"class": "RAMSCH"}}
    del ramsch["declarer"], ramsch["doublings"]
    assert rest([3, "INF_REVOKE", None, 4], record=ramsch) == [8, 0, 0, 0]


def played_out(record):
    """The result of a record whose missing cards are the last legal ones."""
    game = schafkopf.records.replayed_game(record)
    while not game.is_terminal:
        game.apply([name for name in game.legal_names() if "REST" not in name][-1])
    return schafkopf.replay({**record, "plays": schafkopf.records.record_of(game)["plays"]})


def test_the_result_of_a_ramsch_is_as_the_page_says():
    for said in (
        "seat, null with a Durchmarsch; seats without a trick, none after an offence; seat of",
        "in a Ramsch what Jungfrauen and their announcement double, too",
        "1 where the deal is thrown in",
        "`schneider` and `schwarz` are false, `laufende` is 0 and `multiplier` 1",
    ):
        assert said in words(), said
    rules = {"preset": "tournament_2024", "legen": "free", "ramsch_march": "off"}
    ramsch = {"rules": rules, "hands": hands_of_a_sure_solo(), "plays": [], "legen": [0]}
    passed = [[seat, "PASS"] for seat in range(4)]
    announced = [[0, "NO_JUNGFRAU"], [1, "JUNGFRAU"], [2, "NO_JUNGFRAU"], [3, "NO_JUNGFRAU"]]
    revoke = [[1, "INF_REVOKE", None, 0]]

    def result(auction, claims=(), **switches):
        record = {**ramsch, "rules": {**rules, **switches}, "auction": auction}
        return played_out(record) if not claims else schafkopf.replay({**record, "claims": claims})

    march = result(passed, ramsch_march="all_tricks")
    assert (march["loser"], march["march"], march["virgins"]) == (None, 0, [1, 2, 3])
    passed_on = result(passed, ramsch_shift=True)
    assert (passed_on["virgins"], passed_on["tricks"]) == ([0, 2, 3], [8, 0, 0, 0])
    assert result(passed)["multiplier"] == 4
    assert result(passed, ramsch_virgin="receives_double")["multiplier"] == 2
    assert result(passed + announced, ramsch_virgin_announced=True)["multiplier"] == 8
    announced_and_broken = result(
        passed + announced, revoke, ramsch_virgin_announced=True, infraction_policy="official"
    )
    for broken in (announced_and_broken, result(passed, revoke, infraction_policy="game_loss")):
        assert (broken["loser"], broken["virgins"], broken["multiplier"]) == (1, [], 2)
    assert result(passed, [[1, "INF_REVOKE_LATE", None, 0]])["multiplier"] == 1
    assert result(passed, all_pass="throw_in")["multiplier"] == 1
    solo = {**ramsch, "contract": {"class": "SOLO", "suit": "E"}, "declarer": 0}
    fixed = schafkopf.replay({**solo, "claims": [[1, "INF_REVOKE_LATE", None, 0]]})
    assert (fixed["schneider"], fixed["schwarz"], fixed["laufende"]) == (False, False, 0)
    assert (fixed["won"], fixed["multiplier"], fixed["payoffs"]) == (True, 1, [20, -60, 20, 20])


def test_what_was_played_and_what_is_paid_stand_apart_as_the_page_says():
    for said in (
        "without the Stock and without Reuegeld (G.7), which no key has",
        "Schneider and Schwarz also where they are not paid",
        "after minimum and cap, whatever was asked for",
    ):
        assert said in words(), said
    rules = {"preset": "research", "reuegeld": 7, "solo_schneider_schwarz": False}
    rules |= {"laufende_by_claim": True}
    solo = {"rules": rules, "hands": hands_of_a_sure_solo(), "plays": [], "declarer": 1}
    solo["contract"] = {"class": "SOLO", "suit": "E"}

    def result(claim, asks):
        asked = [asks, "CLAIM_LAUFENDE_0", None, 0]
        return schafkopf.replay({**solo, "claims": [[0, claim, None, 0], asked]})

    won = result("CONCEDE_REST", asks=1)
    assert (won["schneider"], won["schwarz"], won["laufende"]) == (True, True, 8)
    assert won["payoffs"] == [-50, 150, -50, -50]
    lost = result("CLAIM_REST", asks=2)
    assert lost["payoffs"] == [50, -150, 50, 50]
    assert not any(lost["stock_payoffs"])


def test_misdeals_end_as_the_page_says():
    assert "`hands` are those that were dealt anew" in words()
    assert "`second misdeal (R-021)`" in words()
    assert "at a table of five he has no seat, and what he pays stands nowhere" in words()
    record = {
        **json.loads(blocks("json")[0]),
        "auction": [],
        "claims": [[3, "EV_MISDEAL", None, 0]],
    }
    assert schafkopf.replay(record)["to_move"] == 0
    record["claims"] *= 2
    assert schafkopf.replay(record)["to_move"] == 0
    record["rules"] = {"preset": "tournament_2024"}
    over = schafkopf.replay(record)
    assert (over["payoffs"], over["ended"]) == ([20, 20, 20, -60], "second misdeal (R-021)")
    record["rules"]["players"] = 5
    assert schafkopf.replay(record)["payoffs"] == [20, 20, 20, 20]


def test_the_session_carried_out_is_as_the_page_says():
    for said in (
        "Special rounds that one deal starts stand in line in the order of C.20",
        "`owed_games` is by the seats of the next deal, where each player sits one seat lower",
        "who sat out is taken to owe all three",
        "at a table of five, whose dealer sits out, the last seat, too",
    ):
        assert said in words(), said
    allgaeuer = {"special_round": "allgaeuer", "games_left": 7}
    solo = {"rules": {"preset": "official_1989", "kontra_window": "off"}, "plays": []}
    solo |= {"hands": hands_of_a_sure_solo(), "declarer": 0, "session": allgaeuer}
    solo |= {"contract": {"class": "SOLO", "suit": "E"}, "claims": [[0, "CONCEDE_REST", None, 0]]}
    allgaeuer["owed_games"] = {"0": ["SOLO"], "1": ["RUF"], "2": ["WENZ"]}
    assert schafkopf.replay(solo)["session"]["owed_games"] == {"1": ["RUF"], "2": ["WENZ"]}
    solo["rules"]["players"] = 5
    owed = schafkopf.replay(solo)["session"]["owed_games"]
    assert owed == {"0": ["RUF"], "1": ["WENZ"], "3": ["RUF", "WENZ", "SOLO"]}
    solo["session"] = {"queued": [["ramsch", 1]], "special_round": "hadsch", "games_left": 2}
    solo["rules"] = {"preset": "official_1989", "bock_triggers": ["SCHWARZ"]}
    triggers = {"SCHWARZ": "zupf_solo", "SOLO_LOST": "teufel", "POINTS_120": "kreuzbock"}
    solo["rules"]["special_round_triggers"] = triggers
    started = ["bock", "kreuzbock", "teufel", "zupf_solo"]
    queued = schafkopf.replay(solo)["session"]["queued"]
    assert queued == [["ramsch", 1], *[[mode, 4] for mode in started]]


def test_a_bock_doubles_by_its_number_alone_as_the_page_says():
    assert "number of factors 2, that of a doubled last round, too: it alone doubles" in words()
    solo = {"rules": "research", "hands": hands_of_a_sure_solo(), "declarer": 0, "plays": []}
    solo |= {"contract": {"class": "SOLO", "suit": "E"}, "claims": [[0, "CLAIM_REST", None, 0]]}
    bock = {"special_round": "bock", "games_left": 2}
    for session, factor in ((bock, 1), ({**bock, "bock": 1}, 2), ({"bock": 1}, 2)):
        assert schafkopf.replay({**solo, "session": session})["multiplier"] == factor


def test_what_json_may_hold_is_as_the_page_says():
    assert "at most 64 levels" in words()
    assert "finite numbers, whole ones of 64 bits" in words()
    assert f"lines of at most {schafkopf.records.MAX_LINE_BYTES // 2**20} MiB" in words()
    record = json.loads(blocks("json")[0])

    def deep(levels):
        lists = "[" * (levels - 2) + "]" * (levels - 2)
        return json.dumps({**record, "meta": {"k": 0}}).replace('"k": 0', f'"k": {lists}')

    for number in (2**64 - 1, -(2**63)):
        assert not _core.check_json(json.dumps({**record, "meta": {"k": number}}), 1)[1]
    assert not _core.check_json(deep(64), 1)[1]
    for wrong in (deep(65), json.dumps({**record, "meta": {"k": 2**64}})):
        with pytest.raises(ValueError, match=r"allowed: (64 levels|whole numbers of 64 bits)"):
            _core.check_json(wrong, 1)


def test_the_readme_links_the_page():
    assert "(env/RECORD.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
