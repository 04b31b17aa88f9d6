"""What is said at the table of a person, and when: the play, prices, ends of sessions."""

import json
import random
import re

import pytest
from support.prices import prices, tariff_fields

import schafkopf
from schafkopf import _core, pictures
from schafkopf.serve import state
from schafkopf.terminal import guide, price_lines, story, table, words
from schafkopf.terminal.scene import public_scene, scene_of_view
from schafkopf.terminal.special_rounds import round_text

ON_DEMAND = {"preset": "official_1989", "laufende_by_claim": True, "schwarz_by_claim": True}


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def played(rules, seed, bid=True):
    game = schafkopf.Game(rules, seed=seed)
    agent = schafkopf.make_agent("rules")
    while not game.is_terminal:
        action = int(agent.act(game.view(game.current_player), rules=rules)[0])
        game.apply("PASS" if not bid and "PASS" in game.legal_names() else action)
    return game


# G.5: an event has five bits for the cards before it, and after the last card there were 32.
def test_claims_on_demand_come_after_the_last_card():
    rules, claims = schafkopf.RuleSet(**ON_DEMAND), 0
    for seed in range(8):
        game = played(rules, seed)
        late = [event for event in game.events if event["action"].startswith("CLAIM")]
        claims += len(late)
        for event in late:
            assert event["cards_before"] == len(game.plays)
        for scene in (public_scene(game), scene_of_view(game.view(0))):
            said = [one for one in scene.said if one.action.startswith("CLAIM")]
            assert [one.cards_before for one in said] == [len(game.plays)] * len(late)
        shown = data_of(pictures.replay_html(game))
        names = [shown["actions"][step & 255] for step in shown["games"][0]["a"]]
        assert names[len(names) - len(late) :] == [event["action"] for event in late]
    assert claims > 8


def test_the_end_of_a_session_says_what_it_adds_to_the_last_deal():
    rules = schafkopf.RuleSet(preset="course_002", session_rounds=1)
    session = schafkopf.games.Session(rules, seed=11)
    while not session.is_over:
        stock, game = session.stock, session.next_game()
        while not game.is_terminal:
            game.apply("PASS")
        before = session.totals
        session.finish(game)
        told = table.ending_text(session, stock, game)
        assert bool(told) == session.is_over
    change = [new - old for old, new in zip(before, session.totals, strict=True)]
    assert change == [30, 30, 30, 30]  # 40 of the rest, less the 10 that all put in
    assert told == [
        [
            "Ende der Sitzung: der Stock von 160 wird an alle verteilt",
            "end of the session: the Stock of 160 is shared out among all",
        ]
    ]


def passed_to_the_end(rules):
    """Return a session in which nobody plays, the Stock before its last deal, and this deal."""
    session = schafkopf.games.Session(rules, seed=11)
    while not session.is_over:
        stock, game = session.stock, session.next_game()
        while not game.is_terminal:
            game.apply("PASS")
        session.finish(game)
    return session, stock, game


def test_the_rest_of_a_stock_has_a_decimal_comma_in_german():
    tariff = {"base": "5/20", "stock_unit": 2.5}
    rules = schafkopf.RuleSet(
        preset="course_002", players=3, deck="short24", session_rounds=1, tariff=tariff
    )
    session, stock, game = passed_to_the_end(rules)
    (told,) = table.ending_text(session, stock, game)
    assert "Stock von 22,5 wird" in told[0] and "Stock of 22.5 is" in told[1]


def test_large_amounts_are_told_to_the_last_unit():
    tariff = {"base": "5/20", "stock_unit": 234567.5}
    rules = schafkopf.RuleSet(preset="course_002", session_rounds=2, tariff=tariff)
    session, stock, game = passed_to_the_end(rules)
    assert "{2} -234567.5" in price_lines.price_patterns(game)[-1]
    assert "the Stock of 7506160 is" in table.ending_text(session, stock, game)[0][1]
    assert table.amount(1234567.5) == "+1234567.5" and table.amount(0) == "0"


def test_the_end_of_a_session_tells_its_bonus():
    rules = schafkopf.RuleSet(
        preset="tournament_2024", session_rounds=1, session_tables=1, participation_min_games=1
    )
    session = schafkopf.games.Session(rules, seed=2)
    agent = schafkopf.make_agent("rules")
    while not session.is_over:
        stock, game = session.stock, session.next_game()
        while not game.is_terminal:
            game.apply(int(agent.act(game.view(game.current_player), rules=rules)[0]))
        session.finish(game)
    told = table.ending_text(session, stock, game)
    assert told[-1][1] == "end of the session: bonus for enough games, +400 in all"


def test_the_game_of_a_kreuzrunde_is_no_kreuzbock():
    assert words.game_title("KREUZ") == "Kreuzbock"
    assert words.title_of(_core.Contract("KREUZ", declarer=2)) == "Kreuzspiel"


@pytest.mark.parametrize(
    ("phrase", "of_you"),
    [
        ("lays: everything counts twice", "lay: everything counts twice"),
        ("offers a Hochzeit: one trump for one card", "offer a Hochzeit: one trump for one card"),
        ("does not claim Schwarz", "do not claim Schwarz"),
        ("pushes the packet on", "push the packet on"),
        ("names Herz", "name Herz"),
        ("runs away under the Eichel-Sau", "run away under the Eichel-Sau"),
        ("Gut (gives way)", "Gut (give way)"),
        ("Kontra! The game counts x2", "Kontra! The game counts x2"),
    ],
)
def test_what_you_do_is_told_to_you(phrase, of_you):
    assert story.of_you(phrase) == of_you


# F.3: wikipedia_extended has two names and four doublings
def test_doublings_without_a_name_have_the_official_ones():
    names = _core.RuleSet("wikipedia_extended").doubling_names
    told = [story.doubling_name(names, level) for level in range(1, 7)]
    assert told == ["Kontra", "Re", "Supra", "Resupra", "Hirsch", "Bock"]
    assert story.doubling_name(["Kontra", "Resupra", "Supra"], 4) == "Hirsch"
    assert story.doubling_name(["Kontra", "Re", "Bock", "Hirsch"], 9) == "Kontra 9"


def test_several_bocks_are_told_with_their_factor():
    context = _core.DealContext(bock=2, special_round="bock", games_left=4)
    german, english = round_text(context)
    assert german.endswith("alles zählt mal 4") and english.endswith("everything counts x4")


@pytest.mark.parametrize(
    ("english", "german"),
    [
        (
            "7 Laufende claimed, 0 payable: -7 paid, -70",
            "7 Laufende gefordert, 0 wären zu zahlen, -7 gezahlt: -70",
        ),
        ("price 20 points per player", "Preis 20 Punkte je Spieler"),
        ("Kontra x2, not the Laufende", "Kontra x2, nicht die Laufenden"),
        ("7 doublings x128, of the base alone", "7-mal verdoppelt: x128, nur auf den Grundpreis"),
        ("3 Laufende +7.5", "3 Laufende +7,5"),
        ("Stock of 22.5 won: {0} +11.5, {1} +11", "Stock von 22,5 gewonnen: {0} +11,5, {1} +11"),
    ],
)
def test_lines_of_a_price_are_german_on_a_german_page(english, german):
    assert pictures.replay_data.price_in_german(english) == german


# E.6: it said "no effect on the price, or the rest goes to the opponents" of every such deal
@pytest.mark.parametrize(("offence", "policy"), [
    ("INF_WRONG_LEAD", "official"), ("INF_REVOKE", "official"), ("INF_WRONG_LEAD", "tournament"),
])  # fmt: skip
def test_an_offence_that_gives_the_rest_away_says_so(offence, policy):
    rules = _core.RuleSet("official_1989", infraction_policy=policy)
    hands = ["EO E9 E7 G9 G7 H8 S9 S8", "EU E8 HA EK SO SK G8 G10",
             "GO HO GU E10 EA GK SA S7", "HU SU H10 HK H9 H7 GA S10"]  # fmt: skip
    game = _core.Game.with_contract({"class": "WENZ", "declarer": 1}, rules, deal=hands)
    for harmless in ("INF_TALK", *(["INF_REVOKE"] if policy == "tournament" else [])):
        game.infract(0, harmless)
        assert not game.is_terminal
    game.infract(0, offence)
    german, english = pictures.replay_data.price_lines(game)[0]
    assert english.startswith(f"{offence} of {{0}}: the rest goes to the opponents (")
    assert "von {0}: der Rest geht an die Gegner (" in german


# C.6: else the points on the table and the loser contradict each other.
def test_a_schieberramsch_says_whose_tricks_count():
    rules = schafkopf.RuleSet(preset="official_1989", all_pass="ramsch", ramsch_shift=True)
    game = played(rules, 1, bid=False)
    line = "tricks are handed to the left: those of the right neighbour count"
    assert line in game.settlement_steps()
    assert [
        "die Stiche gehen nach links: es zählen die des rechten Nachbarn",
        line,
    ] in pictures.replay_data.price_lines(game)
    rules = schafkopf.RuleSet(preset="official_1989", all_pass="ramsch")
    assert line not in played(rules, 1, bid=False).settlement_steps()


def at_random(rules, seed, first=()):
    """A deal that is played at random; what is in `first` is done where it may be."""
    game = _core.Session(rules, seed=seed).next_game()
    rng = random.Random(seed)
    while not game.is_terminal:
        names = [name for name in game.legal_names() if not name.endswith("_REST")]
        wanted = [name for name in names if name in first]
        game.apply(wanted[0] if wanted else rng.choice(names))
    return game


def lines_of(rules, first=(), seeds=60):
    return [
        (game, line)
        for game in (at_random(rules, seed, first) for seed in range(seeds))
        for line in pictures.replay_data.price_lines(game)
    ]


# Whose tricks, who won, what is multiplied: a line of a price names it.
@pytest.mark.parametrize(
    ("rules", "first", "german", "english"),
    [
        ({"preset": "course_002", "special_round": "kreuzbock"}, (),
         r"Kreuzbock (gewonnen|verloren) von \{\d\} und \{\d\} mit \d+ Augen",
         r"Kreuzbock (won|lost) by \{\d\} and \{\d\} with \d+ points"),
        ({"preset": "wikipedia_extended"}, (),
         r"\w+-Solo-Tout verloren von \{\d\} mit \d Stich(en)?",
         r"\w+-Solo-Tout lost by \{\d\} with \d tricks?"),
        ({"preset": "wikipedia_extended"}, (), "Tout ×2", "Tout ×2"),
        ({"preset": "wikipedia_extended"}, (), "Hochzeit ×2", "Hochzeit ×2"),
        ({"preset": "wikipedia_extended"}, ("C_FARBWENZ",),
         r"(Schellen|Gras|Herz|Eichel)-Wenz verloren mit .*",
         r"(Schellen|Gras|Herz|Eichel)-Wenz lost with .*"),
        ({"preset": "course_002"}, (), r"mit \d Laufenden \+\d+", r"with \d Laufende \+\d+"),
        ({"preset": "course_002"}, (), r"ohne \d Laufende \+\d+", r"without \d Laufende \+\d+"),
        ({"preset": "wikipedia_extended"}, ("LAY",), r"gelegt von \{0\}, .* und \{\d\}: ×\d+",
         r"laid by \{0\}, .* and \{\d\} ×\d+"),
        ({"preset": "wikipedia_extended", "special_round": "ramsch"}, (),
         r"Jungfrau: \{\d\} ohne Stich.*", r"Jungfrau: \{\d\} without a trick.*"),
        ({"preset": "course_002"}, ("PASS",), r"Stock: \{0\} \N{MINUS SIGN}10, .*",
         r"Stock: \{0\} \N{MINUS SIGN}10, .*"),
    ],
)  # fmt: skip
def test_a_line_of_a_price_names_who_and_what(rules, first, german, english):
    found = [line for _, line in lines_of(_core.RuleSet(**rules), first)]
    assert any(re.fullmatch(german, one) and re.fullmatch(english, other) for one, other in found)
    for line in found:
        assert not re.search(r"\bx\d|-\d|[Ff]a[ck]tor|\+0|Farbwenz|Stiche: ", " ".join(line)), line


# G.4: counted from the top in the cards of one party
def test_laufende_are_with_the_party_that_has_the_highest_trump():
    seen = set()
    for game, (german, _) in lines_of(_core.RuleSet("course_002"), seeds=100):
        if " Laufende" in german:
            has = any("EO" in game.dealt(seat) for seat in game.declarer_party)
            if game.contract.name in ("RUF", "SOLO"):
                assert german.startswith("mit " if has else "ohne ")
                seen.add(has)
    assert seen == {True, False}


# C.6: the points of each are those that count, with who made them
def test_a_schieberramsch_shows_the_points_that_count():
    rules = _core.RuleSet(
        "wikipedia_extended", special_round="ramsch", ramsch_shift=True, ramsch_payers=2
    )
    virgins = 0
    for seed in range(40):
        game = at_random(rules, seed)
        if game.contract is None or game.contract.name != "RAMSCH":
            continue
        outcome, parts = game.outcome(), _core.settlement_parts(game)
        assert price_lines.tricks_of(game) == [3, 0, 1, 2]
        points = price_lines.counted_points(game)
        assert points == [outcome.points[seat - 1] for seat in range(4)]
        losers = [part["seat"] for part in parts if part["kind"] == "loser"]
        assert all(points[seat] == max(points) for seat in losers)
        told = " ".join(english for _, english in pictures.replay_data.price_lines(game))
        for named in re.findall(r"Jungfrau: (.*?) without", told):
            for seat in re.findall(r"\d", named):
                virgins += 1
                assert points[int(seat)] == 0 and outcome.tricks[int(seat) - 1] == 0
        ending = data_of(pictures.replay_html(game))["games"][0]["e"]
        assert ending["counts"] == [3, 0, 1, 2]
    assert virgins > 3


# D.3: what is said in a direct auction is public before it is settled.
def test_a_game_that_is_said_is_told_before_it_is_complete():
    rules = schafkopf.RuleSet("wikipedia_extended")
    said = None
    for seed in range(200):
        game = schafkopf.Game(rules, seed=seed)
        while not game.is_terminal and game.contract is None and said is None:
            names = [name for name in game.legal_names() if name.startswith("C_")]
            other = "PLAY" if "PLAY" in game.legal_names() else game.legal_names()[0]
            game.apply(names[0] if names else other)
            scene = scene_of_view(game.view(0))
            if scene.game is None and any(one.action.startswith("C_") for one in scene.said):
                said = scene
        if said is not None:
            break
    narrator = story.Narrator(None, ["You", "Left", "Opposite", "Right"], rules.doubling_names)
    assert narrator.game_line(said).endswith("nothing is settled yet")
    fresh = scene_of_view(schafkopf.Game(rules, seed=1).view(0))
    assert narrator.game_line(fresh) == "no game is named yet"


@pytest.mark.parametrize(
    ("rules", "told", "untold"),
    [
        ({"preset": "research"}, ["Rufspiel", "Tout x2"], ["Ramsch", "Hochzeit", "Stock"]),
        ({"preset": "official_1989", "tariff": "official_pfennig half Laufende"},
         ["Rufspiel 10", "Laufende 5", "Sie 360", "in Pfennig"], ["Ramsch"]),
        ({"preset": "official_1989", "tariff": {"base": "10/20", "name": "ours", "solo": 30}},
         ["Solo 30", "Schneider 10", "in Cent"], []),
        ({"preset": "official_1989", "tariff": {"base": "5/20", "ruf": 1000000, "solo": 123456.5}},
         ["Rufspiel 1000000", "Solo 123456.5", "Sie 493986"], []),
        ({"preset": "official_1989", "tariff": "5/20", "hochzeit": "after_all_pass"},
         ["Hochzeit 10"], []),  # 5, twice
        ({"preset": "official_1989"}, ["Sie 520"], []),  # 000 A2 3.2: always
        ({"preset": "official_1989", "contracts": ["RUF"], "special_round": "teufel"},
         ["Solo 50"], ["Wenz"]),
        ({"preset": "official_1989", "contracts": ["RUF"], "special_round": "allgaeuer"},
         ["Solo 50", "Wenz 50"], []),
        ({"preset": "official_1989", "all_pass": "ramsch"},
         ["Ramsch 20", "Durchmarsch 70"], ["Stock"]),
        ({"preset": "official_1989", "all_pass": "ramsch", "ramsch_march": "off"},
         ["Ramsch 20"], ["Durchmarsch"]),
        ({"preset": "official_1989", "all_pass": "last_chooses", "last_chooses_options":
          ["stock", "throw_in"]}, ["Stock 10"], ["Ramsch"]),
        ({"preset": "official_1989", "tout_enabled": False, "sie_enabled": False},
         ["Wenz 50"], ["Tout", "Sie"]),
    ],
)  # fmt: skip
def test_the_rules_at_the_table_name_every_price(rules, told, untold):
    lines = guide.prices(_core.RuleSet(**rules))
    titles = {line.split(" ")[0] for line in lines}
    assert all(line in lines or line in titles for line in told), lines
    assert not titles & set(untold), lines


# Rules under which every price is paid in one of the results.
EVERY_GAME = {
    "preset": "official_1989",
    "contracts": [row["name"] for row in _core.contract_table() if row["nameable"]],
    "hochzeit": "after_all_pass",
    "all_pass": "last_chooses",
    "last_chooses_options": ["stock", "ramsch"],
    "ramsch_march": "all_tricks",
}

EVERY_RESULT = [
    {"contract": None, "stock_deposit": True},
    {"contract": "RUF", "declarer": 0, "partner": 1, "points": [0], "tricks": [0], "laufende": 3},
    {"contract": "HOCHZEIT", "declarer": 0, "partner": 1, "points": [61], "tricks": [4]},
    {"contract": "SIE", "declarer": 0},
    {"contract": "SOLO_TOUT", "declarer": 0, "tricks": [8]},
    {"contract": "RAMSCH", "points": [50, 40, 20, 10], "tricks": [3, 3, 1, 1]},
    {"contract": "RAMSCH", "points": [120, 0, 0, 0], "tricks": [8, 0, 0, 0]},
    *(
        {"contract": row["name"], "declarer": 0, "tricks": [4], "laufende": 0}
        | ({"points": [61]} if row["goal"] == "majority" else {})
        for row in _core.contract_table()
        if row["nameable"] and row["parties"] == "alone"
    ),
]


def paid_and_told(rules, entered):
    """What a result pays, and the steps of its price before the sum."""
    outcome, context, steps = _core.price_result(rules, **entered)
    found = _core.settle(outcome, rules, context)
    told = [step for step in steps if not step.startswith(("price ", "payoffs "))]
    return (found["payoffs"], found["stock_payoffs"]), told


# G only names the unit of a tariff (G.2).
@pytest.mark.parametrize("price", [price for price in prices() if price != "G"])
def test_every_price_is_told_before_the_game_and_where_it_is_paid(price):
    fields = tariff_fields()
    cheap = _core.RuleSet(**EVERY_GAME, tariff=fields)
    dear = _core.RuleSet(**EVERY_GAME, tariff=fields | {price: fields[price] + 1})
    assert guide.prices(cheap) != guide.prices(dear), f"guide.prices does not tell {price}"
    differ = False
    for entered in EVERY_RESULT:
        (paid, told), (more, said) = (paid_and_told(rules, entered) for rules in (cheap, dear))
        differ |= paid != more
        assert paid == more or told != said, f"{price} is paid and not told: {entered}, {told}"
    assert differ, f"{price} is paid in none of EVERY_RESULT: it needs one"


def test_the_lines_of_a_price_have_every_part_of_it():
    rules = _core.RuleSet("wikipedia_extended")
    for game in (at_random(rules, seed) for seed in range(20)):
        parts = [part for part in _core.settlement_parts(game) if part["kind"] != "payoffs"]
        lines = price_lines.price_patterns(game)
        assert len(lines) == len(parts)
        for part, line in zip(parts, lines, strict=True):
            amount = part["pattern"].split(" ")[-1]  # of most parts
            assert amount in line or not re.search(r"\d", amount), (part, line)


# R-053: only the loser was named, and two paid
def test_a_ramsch_of_two_payers_names_both():
    rules = _core.RuleSet("official_1989", all_pass="ramsch", ramsch_payers=2)
    seen = 0
    for seed in range(12):
        game = played(rules, seed, bid=False)
        parts = _core.settlement_parts(game)
        payers = {seat for seat, paid in enumerate(game.payoffs()) if paid < 0}
        named = {part["seat"] for part in parts if part["seat"] is not None}
        assert len(payers) == 3 or named == payers
        seen += len(payers) == 2
    assert seen > 6


# R-112, R-027: Eichel-Ober asks for trump, not for Eichel; Schellen-Ober is no card of Schellen
def test_a_refusal_on_a_german_page_knows_trumps_from_suits():
    hands = ["EO E9 E7 G9 G7 H8 S9 S8", "EU E8 HA EK SO GA G8 G10",
             "GO HO GU E10 EA GK SA S7", "HU SU H10 HK H9 H7 SK S10"]  # fmt: skip
    contract = {"class": "RUF", "called": "GA", "declarer": 0}
    game = schafkopf.Game.with_contract(contract, deal=hands)
    game.apply("EO")
    german, english = state.reason(game.refusal("EK"))
    assert "Trumpf" in german and english.startswith("trump was led")
    game = schafkopf.Game("research", deal=hands)
    for said in ("PASS", "PLAY", "PASS", "PASS", "C_RUF"):
        game.apply(said)
    refusal = game.refusal("SA")
    assert refusal.ground == "no_plain_card" and "SO" in game.hand(1)
    assert "kein Trumpf" in state.reason(refusal)[0]


# R-027: several cards of which one may be called
def test_cards_that_a_refusal_names_are_a_list_in_both_languages():
    hands = ["EO E9 E7 G9 G7 H8 S9 S8", "EU E8 HA EK SO GA G8 G10",
             "GO HO GU E10 EA GK SA S7", "HU SU H10 HK H9 H7 SK S10"]  # fmt: skip
    game = schafkopf.Game("research", deal=hands)
    for said in ("PLAY", "PASS", "PASS", "PASS", "C_RUF"):
        game.apply(said)
    german, english = state.reason(game.refusal("SK"))
    assert german == "gerufen werden kann jetzt nur Eichel-Sau, Gras-Sau oder Schellen-Sau (R-027)"
    assert english == "only Eichel-Sau, Gras-Sau or Schellen-Sau may be called now (R-027)"
