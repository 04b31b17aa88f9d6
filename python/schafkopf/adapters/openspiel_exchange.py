"""What of a Hochzeit a deal must have so that its public course can be played again.

The cards of an exchange are secret: a world has the hands after it, a deal those before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from schafkopf import _core

_OFFERS = {"HZ_OFFER_1": 1, "HZ_OFFER_2": 2}


@dataclass
class Offer:
    """Trumps that a seat offered, and who took them."""

    seat: int
    trumps: int
    shown: list[int] = field(default_factory=list)
    acceptor: int = -1


def past_of(table: _core.Game, rules: _core.RuleSet) -> tuple[list[tuple[int, int]], list[Offer]]:
    """Return (seat, action) of the public actions, and the offers among them.

    Cards that are shown with an offer are events, but nobody plays them.
    """
    actions: list[tuple[int, int]] = []
    offers: list[Offer] = []
    open_cards = rules.hochzeit_card_open
    to_show = 0
    for seat, name in table.public_actions():
        action = _core.parse_action(name)
        if to_show > 0:
            to_show -= 1
            offers[-1].shown.append(action)
            continue
        if name in _OFFERS:
            offers.append(Offer(seat, _OFFERS[name]))
            to_show = _OFFERS[name] if open_cards else 0
        elif name == "HZ_ACCEPT":
            offers[-1].acceptor = seat
        actions.append((seat, action))
    return actions, offers


def exchanged(table: _core.Game, rules: _core.RuleSet, offer: Offer) -> bool:
    """Return whether the offered trumps lie with the acceptor, which everybody knows: an offer that
    a single game overrode, or may still override, is not carried out."""
    if offer.acceptor < 0:
        return False
    gave, got = (table.view(seat)["order"] for seat in (offer.seat, offer.acceptor))
    return bool(int(gave["given"]) & int(got["received"]) & _partner_trumps(rules))


class Exchanges:
    """The exchanges of a game as a player knows them: undone in a world, done in a replay."""

    def __init__(self, table: _core.Game, rules: _core.RuleSet, player: int) -> None:
        self.actions, offers = past_of(table, rules)
        self._offers = [offer for offer in offers if exchanged(table, rules, offer)]
        self._player = player
        order = table.view(player)["order"]
        self._given, self._received = int(order["given"]), int(order["received"])
        self._trumps = _partner_trumps(rules)

    def undo(
        self, hands: list[int], size: int, rng: np.random.Generator
    ) -> tuple[list[int], dict[int, list[int]]] | None:
        """Return hands as they can have been dealt, and the cards that each acceptor returns; None
        where the offerer holds a trump too many.

        What the player did not see of an exchange is drawn, all possible exchanges equally likely.

        Args:
            hands: bits of the cards of each seat, with those that it played.
            size: number of cards that each seat was dealt.
        """
        dealt, returns = list(hands), {}
        for offer in self._offers:
            giver, taker = offer.seat, offer.acceptor
            came_back = offer.trumps - (size - hands[giver].bit_count())
            if giver == self._player:
                taken, back = self._given, self._received
            elif taker == self._player:
                taken, back = self._received, self._given
            else:
                shown = sum(1 << card for card in offer.shown)
                taken = shown or _drawn(hands[taker] & self._trumps, offer.trumps, rng)
                # the offerer had no other trumps: those that he has now came back
                trumps = hands[giver] & self._trumps
                others = came_back - trumps.bit_count()
                if others < 0:
                    return None
                back = trumps | _drawn(hands[giver] & ~trumps, others, rng)
            dealt[giver] = dealt[giver] & ~back | taken
            dealt[taker] = dealt[taker] & ~taken | back
            returns[taker] = rng.permutation(cards_of(back)).tolist()
        return dealt, returns


def cards_of(bits: int) -> list[int]:
    """Return the numbers of the cards of a set."""
    return [card for card in range(32) if bits >> card & 1]


def _drawn(cards: int, number: int, rng: np.random.Generator) -> int:
    """Draw a number of cards, as far as there are so many."""
    among = cards_of(cards)
    kept = rng.choice(len(among), min(number, len(among)), replace=False)
    return sum(1 << among[at] for at in kept.tolist())


def _partner_trumps(rules: _core.RuleSet) -> int:
    names = [_core.card_name(card) for card in range(32)]
    suit = rules.partner_trump_suit
    return sum(1 << card for card, name in enumerate(names) if name[1] in "OU" or name[0] == suit)
