"""Tells what happened at the table: the difference of two scenes in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from schafkopf import _core
from schafkopf.terminal import words
from schafkopf.terminal.scene import Announced, Played, Said, Scene
from schafkopf.terminal.screen import Screen

# What a player says or does, as others hear it. Actions with a number or a name: see _phrase.
_PHRASES = {
    "PASS": "Weiter",
    "PLAY": "Ich spiele",
    "YIELD": "Gut (gives way)",
    "HOLD": "Habe ich selber (keeps the game)",
    "LAY": "lays: everything counts twice",
    "HZ_OFFER_1": "offers a Hochzeit: one trump for one card",
    "HZ_OFFER_2": "offers a Bauernhochzeit: two trumps for two cards",
    "HZ_ACCEPT": "accepts the Hochzeit",
    "SAY_RAMSCH": "Ramsch",
    "SAY_STOCK": "Stock",
    "JUNGFRAU": "Jungfrau: announces no trick",
    "TAKE_UP": "takes up the packet of the highest Ober",
    "PUSH_ON": "pushes the packet on",
    "CLAIM_REST": "lays the cards down: all tricks from here on",
    "CONCEDE_REST": "gives up the rest",
    "CLAIM_SCHWARZ": "claims Schwarz",
    "CLAIM_NO_SCHWARZ": "does not claim Schwarz",
}


def verb(name: str, stem: str) -> str:
    """ "You take", "Left takes"."""
    return f"{name} {stem if name == 'You' else stem + 's'}"


# What others do and you do: "lays" -> "lay".
_OF_YOU = re.compile(
    r"\b(lay|offer|accept|announce|take|push|give|keep|claim|run|call|show|name|exchange)(?:e?s)\b"
)


def of_you(phrase: str) -> str:
    """ "offers a Hochzeit" -> "offer a Hochzeit", for "You"."""
    return _OF_YOU.sub(r"\1", phrase.replace("does not", "do not"))


def inside(name: str) -> str:
    """A name within a sentence: "you"."""
    return "you" if name == "You" else name


def doubling_name(names: Sequence[str], level: int) -> str:
    """Name of a doubling by its number from 1; those without one have the official names that are
    left (F.3), for nobody says "Kontra 3"."""
    free = [name for name in _further_names()[len(names) :] if name not in names]
    further = [*names, *free]
    return further[level - 1] if level <= len(further) else f"Kontra {level}"


@cache
def _further_names() -> tuple[str, ...]:
    return tuple(_core.RuleSet("official_1989").doubling_names)


class Narrator:
    """Tells one deal to one person.

    Args:
        names: of the players by seat; the person is "You".
        doubling_names: of the rules, "Kontra", "Re" ...
    """

    def __init__(self, screen: Screen, names: Sequence[str], doubling_names: Sequence[str]) -> None:
        self._screen = screen
        self._names = names
        self._doubling_names = doubling_names
        self._trick = -1  # whose title was shown last

    def tell(self, old: Scene, new: Scene) -> None:
        """What happened between two scenes of the same deal."""
        events = _new_events(old.said, new.said)
        for play in new.plays:
            if play.number < old.num_plays:
                continue
            early = [said for said in events if said.cards_before <= play.number]
            for said in early:
                self._tell_event(said, new)
            events = events[len(early) :]
            self._tell_card(play, new)
        for said in events:
            self._tell_event(said, new)
        self._tell_facts(old, new)

    def begin_trick(self, trick: int) -> None:
        """The title of a trick, numbered from 0; once."""
        if trick > self._trick:
            self._trick = trick
            self._screen.line()
            self._screen.line(self._screen.strong(f"Trick {trick + 1}"))

    def game_line(self, scene: Scene) -> str:
        """The game in one line: "Rufspiel on the Gras-Sau by Left, Kontra x2"."""
        if scene.game is None:
            named = [said for said in scene.said if said.action.startswith("C_")]
            if not named:
                return "no game is named yet"
            title = words.game_title(named[-1].action[2:])
            return f"{title} is said by {self._name(named[-1].seat)}, nothing is settled yet"
        text = self.game_name(scene.game)
        if scene.game.row["parties"] == "hochzeit" and scene.partner is not None:
            text += f" and {self._name(scene.partner)}"
        notes = []
        if scene.doublings:
            notes.append(
                f"{self.doubling_name(scene.doublings)} x{_core.price_factor(scene.doublings)}"
            )
        if scene.laid:
            notes.append(f"laid x{_core.price_factor(scene.laid)}")
        if scene.bock:
            notes.append(f"Bock x{_core.price_factor(scene.bock)}")
        return ", ".join([text, *notes])

    def game_name(self, game: Announced) -> str:
        """The game and who plays it."""
        row = game.row
        text = game.title
        if game.called is not None:
            text += f" on the {words.card_title(game.called)}"
        if game.renonce:
            text += " (Renonce)"
        if game.declarer is not None:
            text += f" by {self._name(game.declarer)}"
        elif row["parties"] == "opposite_seats":
            text += ", opposite players together"
        else:
            text += ", everybody alone"
        if game.bid:
            text += f" for {game.bid} points"
        return text

    def doubling_name(self, level: int) -> str:
        """Name of a doubling by its number from 1."""
        return doubling_name(self._doubling_names, level)

    def trick_result(self, scene: Scene, trick: Sequence[Played]) -> str:
        """ "Left takes 18 points"; empty while nobody has the trick."""
        winner = scene.winner(list(trick))
        if winner is None:
            return ""
        points = _core.card_points([play.card for play in trick])
        return f"{verb(self._names[winner], 'take')} {points} point{'' if points == 1 else 's'}"

    # ---- parts -----------------------------------------------------------------------------------

    def _name(self, seat: int) -> str:
        return inside(self._names[seat])

    def _tell_event(self, said: Said, scene: Scene) -> None:
        name, phrase = self._names[said.seat], self._phrase(said, scene)
        self._screen.done_by(name, of_you(phrase) if name == "You" else phrase)
        if said.seat != scene.me:
            self._screen.pause()

    def _phrase(self, said: Said, scene: Scene) -> str:
        action = said.action
        before = [other for other in scene.said[: scene.said.index(said)]]
        if action == "PLAY" and any(other.action == "PLAY" for other in before):
            return "Ich spiele auch"
        if action.startswith("CARD "):
            card = words.card_title(action[5:])
            if said.marked:
                return f"runs away under the {card}"
            called = scene.game is not None and scene.game.called == action[5:]
            return f"calls the {card}" if called else f"shows the {card}"
        if action == "DOUBLE":
            factor = _core.price_factor(scene.doublings)
            return f"{self.doubling_name(scene.doublings)}! The game counts x{factor}"
        if action.startswith("RAISE_"):
            return f"{action.removeprefix('RAISE_')} points"
        if action.startswith("SUIT_"):
            return f"names {words.SUITS[action[-1]]}"
        if action.startswith("CLAIM_LAUFENDE_"):
            return f"claims {action.removeprefix('CLAIM_LAUFENDE_')} Laufende"
        if action.startswith("TARGET_"):
            target = (said.seat + int(action[-1])) % scene.seats
            return f"exchanges a card with {self._name(target)}"
        if action.startswith("C_"):
            return words.game_title(action[2:])
        return _PHRASES.get(action, action)

    def _tell_card(self, play: Played, scene: Scene) -> None:
        self.begin_trick(play.number // scene.seats)
        self._screen.done_by(self._names[play.seat], self._screen.card(play.card))
        if play.seat != scene.me:
            self._screen.pause()
        if play.number % scene.seats == scene.seats - 1:
            first = play.number - scene.seats + 1
            trick = [card for card in scene.plays if first <= card.number <= play.number]
            result = self.trick_result(scene, trick)
            if result:
                self._screen.line(f"  -> {result}.")
                self._screen.pause(2)

    def _tell_facts(self, old: Scene, new: Scene) -> None:
        line = self._screen.line
        if new.game is not None and new.game.is_complete and old.game != new.game:
            self._screen.line()
            title = f"{self.game_line(new)}."
            self._screen.wrapped("", [self._screen.strong(word) for word in title.split(" ")])
            if new.owns_called and new.me not in (None, new.game.declarer):
                line("You hold the called card: you are the partner. The others do not know yet.")
            elif new.me is not None and new.game.row["parties"] == "opposite_seats":
                pair = _core.declarer_party(_core.Contract(new.game.name, new.me))
                line(f"You play with {self._names[next(s for s in pair if s != new.me)]}.")
        if new.partner_known and not old.partner_known and new.game is not None:
            self._tell_partner(new)
        if new.open_cards and not old.open_cards and new.game is not None:
            line(f"The hand of {self._name(new.game.declarer or 0)} lies open:")
            line(f"  {self._screen.cards(new.open_cards, short=True)}")
        for cards, before, text in (
            (new.given, old.given, "You pass on"),
            (new.received, old.received, "You get"),
        ):
            fresh = [card for card in cards if card not in before]
            if fresh:
                line(f"{text}: {self._screen.cards(fresh)}")

    def _tell_partner(self, scene: Scene) -> None:
        game = scene.game
        if game is None or game.declarer is None or scene.partner is None:
            return
        if game.row["parties"] != "called_card":
            return
        pair = sorted((game.declarer, scene.partner), key=lambda seat: seat != scene.me)
        names = [self._names[pair[0]], self._name(pair[1])]
        self._screen.line(f"  Everybody knows now: {names[0]} and {names[1]} play together.")


def _new_events(old: Sequence[Said], new: Sequence[Said]) -> list[Said]:
    """Events that came after the old ones; a view shows the last 32, so the list may have moved."""
    for moved in range(len(old) + 1):
        kept = len(old) - moved
        if tuple(new[:kept]) == tuple(old[moved:]):
            return list(new[kept:])
    return list(new)
