"""Rows by what agents/METHODS.md, section 2, says of them: a second encoder, in NumPy alone."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import schafkopf
from schafkopf import actions, rules
from schafkopf.cards import card_maps, parse_card
from schafkopf.observations import observation_sections, observation_table, rule_feature_sections

METHODS = (Path(__file__).parents[3] / "agents/METHODS.md").read_text(encoding="utf-8")


def words_behind(beginning: str) -> list[str]:
    """Return the comma-separated words of a sentence of METHODS, without its beginning."""
    sentence = re.search(re.escape(beginning) + r" ([^.]*)\.", METHODS)
    assert sentence, f"METHODS does not say: {beginning} ..."
    return re.findall(r"\w+", sentence[1])


def logarithm(amounts: Any) -> np.ndarray:
    """Return an amount as METHODS says of the Stock."""
    amounts = np.asarray(amounts, np.int64)
    whole = np.floor(np.log2(np.maximum(amounts, 1))).astype(np.int64)
    return np.where(amounts > 0, 8 * (whole + 1) + ((8 * amounts) >> whole) - 8, 0)


# The section `rules`


def random_rules(rng: random.Random) -> schafkopf.RuleSet:
    rule_set = schafkopf.RuleSet(rng.choice(schafkopf.preset_names()))
    fields = rules.rule_fields()
    for _ in range(60):
        field = rng.choice(fields)
        key, allowed = field["key"], field["allowed"]
        value: Any
        if allowed == "true, false":
            value = rng.random() < 0.5
        elif allowed.startswith("integer"):
            low, high = (int(end) for end in re.findall(r"\d+", allowed))
            value = rng.choice([low, high, rng.randint(low, high), min(high, low + 9)])
        elif key == "muss_card":
            value = rng.choice(["EO", "SA", "G9"])
        elif key == "tariff":
            amounts = words_behind("The tariff is")
            value = {"base": rng.choice(["5/20", "10/50 half Laufende"]), "name": "own"}
            value |= {name: rng.randint(1, 8) for name in amounts if rng.random() < 0.5}
        elif key == "doubling_names":
            value = ["Stoß"] * rng.randint(1, 4)
        elif key == "special_round_triggers":
            events = words_behind("The events are")
            modes = rules.SPECIAL_ROUNDS
            value = {name: rng.choice(modes) for name in events if rng.random() < 0.5}
        elif allowed.startswith("list of"):
            value = [name for name in words(allowed) if rng.random() < 0.5]
        else:
            value = rng.choice(words(allowed))
        try:
            rule_set = rule_set.replace(**{key: value})
        except ValueError:
            continue  # not with the other switches
    return rule_set


def words(allowed: str) -> list[str]:
    return allowed.removeprefix("list of ").split(", ")


def rule_numbers(rule_set: schafkopf.RuleSet, version: int) -> np.ndarray:
    sections = rule_feature_sections(version)
    numbers = np.zeros(sections["reserved"].stop, np.uint8)
    for field in rules.rule_fields():
        key, allowed = field["key"], field["allowed"]
        value, part = getattr(rule_set, key), numbers[sections[key]]
        if allowed == "true, false":
            part[0] = 255 * value
        elif allowed.startswith("integer"):
            low, high = (int(end) for end in re.findall(r"\d+", allowed))
            small = 255 * (value - low) // (high - low)
            part[0] = small if high <= 255 else logarithm(value)
        elif key == "muss_card":
            part[0] = 255 * parse_card(value) // 31
        elif key == "tariff":
            table = value
            if isinstance(value, str):
                table = rule_set.replace(tariff={"base": value, "name": "own"}).tariff
            for place, name in enumerate(words_behind("The tariff is")):
                twice = 1 if name.endswith("_factor") else 2
                part[place] = logarithm(int(twice * table[name]))
        elif key == "doubling_names":
            part[0] = len(value)
        elif key == "special_round_triggers":
            for event, mode in value.items():
                place = words_behind("The events are").index(event)
                part[place] = 255 * rules.SPECIAL_ROUNDS.index(mode) // 12
        elif key in ("contracts", "bock_triggers", "last_chooses_options"):
            orders = {
                "contracts": list(rules.CONTRACT_CLASSES),
                "bock_triggers": words_behind("The events are"),
            }
            for name in value:
                part[orders.get(key, words(allowed)).index(name)] = 255
        else:
            order = list("EGHS") if key == "partner_trump_suit" else words(allowed)
            if order.index(value) > 0:
                part[order.index(value) - 1] = 255
    return numbers


@pytest.mark.parametrize("version", [1, 3])
def test_the_rule_section_holds_the_numbers_that_the_methods_name(version: int) -> None:
    rng = random.Random(7)
    for number in range(40):
        rule_set = random_rules(rng)
        view = schafkopf.Game(rule_set, seed=number).view(0)
        row = schafkopf.encode(view, rules=rule_set, dtype="uint8", version=version)[0]
        got = row[observation_sections(version)["rules"]]
        expected = rule_numbers(rule_set, version)
        for key, part in rule_feature_sections(version).items():
            np.testing.assert_array_equal(got[part], expected[part], err_msg=key)


# Canonical cards and rows

POINTS = np.array([0, 0, 0, 2, 3, 4, 10, 11] * 4)
RANKS = "789UOKXA"
TRUMP_RANKS = {
    **{"WENZ": "U", "GEIER": "O", "HABICHT": "K", "EISENBAHNER": "X"},
    **{"BETTEL": "", "BETTEL_BRETT": "", "none": ""},
}
SINGLE_GAMES = rules.CONTRACT_CLASSES[rules.CONTRACT_CLASSES.index("SOLO") :]
HIDDEN = 4  # a seat, or a suit: none, or not known


def trump_ranks(contract: str) -> str:
    return TRUMP_RANKS.get(contract.removeprefix("FARB"), "OU")


def bits(mask: Any, length: int = 32) -> np.ndarray:
    return (int(mask) >> np.arange(length) & 1).astype(np.uint8)


def one_hot(place: int, length: int, first: int = 0) -> np.ndarray:
    return (np.arange(first, first + length) == place).astype(np.uint8)


class Described:
    """The sections of one view, by the words of METHODS and of schafkopf.views."""

    def __init__(self, view: Any, canonical: bool) -> None:
        cards, self.order = view["cards"], view["order"]
        self.cards = cards
        self.known = schafkopf.views.unpack_cards(cards)
        self.seats = int(self.order["seats"])
        self.in_play = actions.phase_name(cards["phase"]) == "PLAY"
        number = int(self.known["contract"])
        self.contract = "none" if number < 0 else rules.CONTRACT_CLASSES[number]
        self.trump_suit = int(cards["trump_suit"])
        self.hand, self.legal = bits(cards["hand"]), bits(cards["legal"])
        self.played = np.array([bits(mask) for mask in cards["played"]])
        self.captured = np.array([bits(mask) for mask in cards["captured"]])
        self.table = np.array([bits(mask * self.in_play) for mask in cards["table"]])
        pack = np.array([self.order["deck"] == 0 or card % 8 > 1 for card in range(32)])
        self.unseen = (pack & ~(self.played.any(0) | (self.hand == 1))).astype(np.uint8)
        trumps = trump_ranks(self.contract)
        self.is_trump = np.array(
            [
                self.contract != "none" and (RANKS[card % 8] in trumps or card // 8 == suit)
                for suit in [self.trump_suit]
                for card in range(32)
            ]
        )
        self.group = np.where(self.is_trump, 4, np.arange(32) // 8)
        plays = schafkopf.views.unpack_plays(self.order)
        self.plays = [
            (place, int(play["seat"]), int(play["card"]))
            for place, play in enumerate(plays)
            if play["known"]
        ]
        events = schafkopf.views.unpack_events(view["events"])
        self.events = [
            (actions.action_name(event["action"]), int(event["seat"]))
            for event in events
            if event["known"]
        ]
        counted = card_maps()[self.order["card_map"] if canonical else 0]
        self.card_at = np.argsort(counted)
        self.suit_at = np.argsort(counted[[0, 8, 16, 24]])  # a Seven is no trump rank

    def points_of(self, seats: np.ndarray) -> int:
        return int((self.captured[seats] @ POINTS).sum())

    def voids(self) -> np.ndarray:
        voids = np.zeros((4, 5), np.uint8)
        played = {place: card for place, _, card in self.plays}
        for place, seat, card in self.plays:
            led = played.get(place // self.seats * self.seats)
            if led is not None and self.group[card] != self.group[led]:
                voids[seat, self.group[led]] = 1
        return np.concatenate([voids[:, self.suit_at], voids[:, 4:]], axis=1)

    def parties(self) -> tuple[np.ndarray, np.ndarray]:
        """Return which seats are known to be of the own party, and which opponents."""
        declarer, partner = int(self.known["declarer"]), int(self.known["partner"])
        own, opponents = one_hot(0, 4), np.zeros(4, np.uint8)
        there = (np.arange(4) < self.seats).astype(np.uint8)
        if self.contract == "KREUZ":
            own = one_hot(0, 4) | one_hot(2, 4)
            opponents = 1 - own
        elif self.contract == "RAMSCH":
            opponents = there - own
        elif self.contract in SINGLE_GAMES or partner != HIDDEN:
            if declarer != HIDDEN:
                party = one_hot(declarer, 4) | one_hot(partner, 4)
                own = party if party[0] else there - party
                opponents = there - own
        elif declarer not in (0, HIDDEN):
            opponents = one_hot(declarer, 4)
        return own == 1, opponents == 1

    def tricks(self) -> dict[str, np.ndarray]:
        cards, leaders = np.zeros((8, 32), np.uint8), np.zeros((8, 4), np.uint8)
        winners = np.zeros((8, 4), np.uint8)
        for place, seat, card in self.plays:
            cards[place // self.seats, card] = 1
            leaders[place // self.seats] |= one_hot(seat, 4) * (place % self.seats == 0)
        for trick in range(8):
            if cards[trick].sum() == self.seats:
                winners[trick] = (self.captured * cards[trick]).any(1)
        return {
            "trick_cards": cards[:, self.card_at],
            "trick_leader": leaders,
            "trick_winner": winners,
        }

    def said(self) -> dict[str, np.ndarray]:
        def by_seat(*beginnings: str) -> list[bool]:
            return [any(a.startswith(beginnings) and s == q for a, s in self.events) for q in seats]

        seats = range(4)
        classes, touts = np.zeros(4, int), np.zeros(4, np.uint8)
        shown, offering = np.zeros(32, np.uint8), HIDDEN
        for action, seat in self.events:
            if action.startswith("C_"):
                name = action.removeprefix("C_").removesuffix("_TOUT")
                touts[seat] = action.endswith("_TOUT") and action != "C_RAMSCH_TOUT"
                name = "RAMSCH_TOUT" if action == "C_RAMSCH_TOUT" else name
                classes[seat] = rules.CONTRACT_CLASSES.index(name) + 1
            offering = seat if action.startswith("HZ_OFFER") else offering
            if action.startswith("CARD") and seat == offering:
                shown[parse_card(action.removeprefix("CARD "))] = 1
            elif not action.startswith("HZ_OFFER"):
                offering = HIDDEN
        words = ["PASS", "PLAY", "YIELD", "DOUBLE", "LAY", ("HOLD", "RAISE")]
        said = np.array([by_seat(*([w] if isinstance(w, str) else w)) for w in words]).T
        offers = ["HZ_OFFER_1", "HZ_OFFER_2", "HZ_ACCEPT", "TAKE_UP", "PUSH_ON", "JUNGFRAU"]
        number = np.array([bits(number, 5) for number in classes])
        return {
            "auction": np.concatenate([said, number, touts[:, None]], axis=1),
            "said": said,
            "named": np.array([one_hot(number, 32, 1) for number in classes]),
            "named_tout": touts,
            "announced": np.array([by_seat(action) for action in offers]).T,
            "shown": shown[self.card_at],
        }

    def legal_actions(self) -> np.ndarray:
        legal = np.concatenate([bits(mask) for mask in self.cards["table"]])
        if self.in_play:
            legal = np.concatenate([self.legal, np.zeros(96, np.uint8)])
            legal[57], legal[58] = self.known["may_claim"], self.known["may_concede"]
        return legal

    def sections(self, version: int) -> dict[str, np.ndarray]:
        cards, known, order = self.cards, self.known, self.order
        number, called = int(known["contract"]), int(cards["called_card"])
        places = {"contract": 19, "phase": 23} if version < 3 else {"contract": 32, "phase": 32}
        suit_at = np.arange(4) if version < 3 else self.suit_at
        own, opponents = self.parties()
        legal = self.legal_actions()
        unseen_suits = [int((self.unseen * (self.group == suit)).sum()) for suit in range(4)]
        flags = ("partner_known", "ran_away", "owns_called", "renonce", "to_act")
        inherited = ("bock", "special_round", "games_left", "legen")
        found = {
            "hand": self.hand[self.card_at],
            "legal_cards": self.legal[self.card_at],
            "unseen": self.unseen[self.card_at],
            "table": self.table[1:, self.card_at],
            "played": self.played[:, self.card_at],
            "contract": one_hot(number, places["contract"]),
            "tout": known["tout"],
            "trump_suit": one_hot(self.trump_suit, 4)[suit_at],
            "called_suit": one_hot(called // 8, 4)[suit_at],
            "called_rank": bits(called % 8 if called < 32 else 0, 3),
            "doubling_level": one_hot(known["doubling_level"], 8, 1),
            "declarer": one_hot(known["declarer"], 4),
            "leader": one_hot(known["leader"], 4),
            "partner": one_hot(known["partner"], 4),
            "flags": [known[name] for name in flags],
            "phase": one_hot(cards["phase"], places["phase"]),
            "legal_other": [*legal[32:36], *legal[83:107], *legal[57:59]],
            "legal_more": [*legal[36:57], *legal[59:83]],
            "legal_actions": legal[32:],
            "trick": one_hot(known["trick"], 8),
            "cards_on_table": one_hot(known["cards_on_table"], 3, 1),
            "voids": self.voids(),
            "dealer": one_hot(order["dealer"], 4),
            "points": self.captured @ POINTS,
            "party_points": [
                self.points_of(own),
                self.points_of(opponents),
                (self.table @ POINTS).sum(),
                self.unseen @ POINTS,
            ],
            "tricks": self.captured.sum(1) // self.seats,
            "counts": [
                self.hand.sum(),
                (self.hand * self.is_trump).sum(),
                (self.unseen * self.is_trump).sum(),
                self.hand @ POINTS // 4,
                order["num_plays"] // 4,
            ],
            "unseen_groups": np.array(unseen_suits)[self.suit_at],
            "context": [
                logarithm(order["stock"]),
                *[order[name] for name in inherited],
                order["bid"] // 10,
                self.seats,
            ],
            "owed": order["owed"],
            "open": bits(order["open"])[self.card_at],
            "given": bits(order["given"])[self.card_at],
            "received": bits(order["received"])[self.card_at],
            "forgotten": len(self.plays) < order["num_plays"],
        }
        return {**found, **self.tricks(), **self.said()}


ADDED_BY_4 = {
    *("best_seat", "best_card", "sides", "best_side", "takes", "sure", "above", "lacks", "only"),
    "reached",
}
HOUSE_RULES: dict[str, Any] = {
    "official_1989_full": "official_1989_full",
    "wikipedia_extended": "wikipedia_extended",
    "three players": {
        **{"preset": "research", "players": 3, "deck": "short24", "all_pass": "ramsch"},
        "contracts": ["SOLO", "WENZ", "FARBGEIER", "BETTEL_MIX"],
    },
    "last trick": {"preset": "official_1989_full", "history_view": "last_trick"},
    "packets": {"preset": "research", "special_round": "schieber", "legen": "free"},
    "owed games": {"preset": "research", "special_round": "allgaeuer"},
}


@pytest.mark.parametrize("cards", ["absolute", "canonical"])
@pytest.mark.parametrize("name", HOUSE_RULES)
def test_rows_hold_what_the_methods_and_the_lines_say(name: str, cards: str) -> None:
    options: dict[str, Any] = {"cards": cards, "rules": HOUSE_RULES[name], "session": True}
    if name == "official_1989_full":
        options |= {"generator": "heuristic", "generated_share": 0.7}
    env = schafkopf.VectorEnv(8, seed=5, observation="none", view_lines=True, **options)
    env.reset()
    for step in range(120):
        if step % 3 == 0:
            version = 1 + step // 3 % 4
            views = env.views()
            rows = schafkopf.encode(views, HOUSE_RULES[name], "uint8", version, cards)
            for view, row in zip(views, rows, strict=True):
                described = Described(view, cards == "canonical")
                expected = described.sections(version)
                for section in observation_table(version):
                    first, key = section["offset"], section["name"]
                    got = row[first : first + section["length"]]
                    if key in ADDED_BY_4:
                        assert not got.any() or (described.in_play and described.contract != "none")
                    elif key != "rules":
                        wanted = np.asarray(expected[key], np.uint8).ravel()
                        np.testing.assert_array_equal(got, wanted, err_msg=key)
        env.step(env.random_actions())


def test_a_card_map_sorts_suits_as_the_methods_say() -> None:
    rng = random.Random(3)
    several = set()
    for seed in range(60):
        game = schafkopf.Game("wikipedia_extended", seed=seed)
        while not game.is_terminal and game.phase not in ("DOUBLE", "PLAY"):
            assert all(game.view(seat)["order"]["card_map"] == 0 for seat in range(4))
            game.apply(rng.choice(game.legal_actions()))
        if game.is_terminal or game.contract is None or game.plays:
            continue
        several.add(game.contract.name)
        for seat in range(4):
            view = game.view(seat)
            hand = [parse_card(card) for card in game.hand(seat)]
            stay = trump_ranks(game.contract.name)
            slots = [int(view["cards"]["trump_suit"])] if view["cards"]["trump_suit"] < 4 else []
            if game.contract.called:
                slots.append(parse_card(game.contract.called) // 8)
            plain = {suit: [c % 8 for c in hand if c // 8 == suit] for suit in range(4)}
            plain = {
                suit: [r for r in held if RANKS[r] not in stay] for suit, held in plain.items()
            }
            left = [suit for suit in range(4) if suit not in slots]
            slots += sorted(left, key=lambda suit: sorted(plain[suit], reverse=True), reverse=True)
            expected = [
                card if RANKS[card % 8] in stay else 8 * slots.index(card // 8) + card % 8
                for card in range(32)
            ]
            assert card_maps()[view["order"]["card_map"]].tolist() == expected
    assert len(several) > 8
