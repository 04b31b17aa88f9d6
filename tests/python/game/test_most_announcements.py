"""What is said in one deal has its place in the game, however much a rule set lets people say."""

import pytest

import schafkopf
from schafkopf import _core

# every single game, each with its suit when it is named, Hochzeit before the auction (D.4, C.3)
ENDLESS = {
    "contracts": [row["name"] for row in _core.contract_table() if row["nameable"]],
    "auction_style": "direct",
    "hochzeit": "before_auction",
    "bauernhochzeit": True,
    "hochzeit_card_open": True,
    "suit_public_when_named": True,
    "herz_solo_precedence": True,
    "legen": "free",
    "kontra_window": "full_hand",
    "kontra_ask_before_first": True,
    "laufende_by_claim": True,
    "schwarz_by_claim": True,
}
RANK = {
    f"C_{row['name']}{tout}": row[rank]
    for row in _core.contract_table()
    for tout, rank in (("", "rank"), ("_TOUT", "tout_rank"))
}


def as_much_as_possible(game):
    """Says whatever there is to say, and names no game that is dearer than it must be."""
    legal = game.legal_names()
    if game.phase == "AUCTION_DIRECT":
        named = [name for name in legal if name in RANK and name != "C_SIE"]
        if game.current_player not in (0, 1) or not (named or "PLAY" in legal):
            return "PASS"
        return "PLAY" if "PLAY" in legal else min(named, key=lambda name: (RANK[name], name))
    for word in ("LAY", "HZ_OFFER_2", "HZ_REFUSE", "SUIT_E", "DOUBLE"):
        if word in legal:
            return word
    return legal[0]


def test_rules_under_which_more_could_be_said_than_a_game_holds_are_refused():
    with pytest.raises(ValueError, match=r"max_doublings_solo = 8, allowed: 0\.\.4: by the other"):
        schafkopf.RuleSet("official_1989", max_doublings_solo=8, **ENDLESS)
    assert (
        schafkopf.RuleSet("official_1989", max_doublings_solo=4, **ENDLESS).max_doublings_solo == 4
    )
    two_stages = ENDLESS | {"auction_style": "two_stage"}
    schafkopf.RuleSet("official_1989", max_doublings_solo=8, **two_stages)


def test_the_longest_course_leaves_the_context_of_the_deal_as_it_was():
    rules = schafkopf.RuleSet("official_1989", max_doublings_solo=4, **ENDLESS)
    trumps = ["EO", "GO", "HO", "SO", "EU", "GU", "HU", "SU", "HA", "H10", "HK", "H9", "H8", "H7"]
    plain = [suit + rank for suit in "EGS" for rank in ("A", "10", "K", "9", "8", "7")]
    hands = [
        trumps[8 + 2 * seat : 10 + 2 * seat] + plain[6 * seat : 6 * seat + 6] for seat in (0, 1, 2)
    ]
    game = schafkopf.Game(rules, deal=[*hands, trumps[:8]], dealer=3)
    while not game.is_terminal:
        game.apply(as_much_as_possible(game))
    assert 90 <= len(game.events) <= 96
    assert game.context == schafkopf.games.DealContext()
    assert schafkopf.Game.deserialize(game.serialize(), rules) == game
    assert sum(game.payoffs()) == 0


@pytest.mark.parametrize(
    ("legen", "laid"),
    [
        ("off", [0]),
        ("free", [0, 0]),
        ("free", [1, 0]),
        ("sequential", [1]),
        ("forehand_only", [1]),
        ("free", [0] * 300),
    ],
)
def test_who_cannot_have_laid_before_a_contract_is_refused(legen, laid):
    solo = {"class": "SOLO", "suit": "E", "declarer": 0}
    rules = schafkopf.RuleSet("official_1989_full", legen=legen)
    with pytest.raises(ValueError, match="cannot lay there with legen = "):
        schafkopf.Game.with_contract(solo, rules=rules, seed=1, dealer=3, laid=laid)
