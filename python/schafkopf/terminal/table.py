"""Who sits at the table, and one deal as it is seen from there."""

from __future__ import annotations

import contextlib
import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from schafkopf import _core, records
from schafkopf.terminal.price_lines import price_patterns
from schafkopf.terminal.scene import Announced, Scene, public_scene, scene_of_view
from schafkopf.terminal.story import inside, verb

NAME_LENGTH = 20
# Printable by Unicode's word, and nothing is seen: fillers of Hangul, an empty Braille; a joiner,
# vowels that are not written, choices of a form.
_UNSEEN = re.compile(
    "[\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


def amount(value: float) -> str:
    """ "+20", "-2.5", "0"."""
    return f"{value:+.15g}" if value else "0"


def is_name(text: str) -> bool:
    """Return whether somebody at a table may be called so."""
    if len(text) > NAME_LENGTH or not text.isprintable() or text != " ".join(text.split()):
        return False
    seen = _UNSEEN.sub("", text)
    return any(
        letter != " " and not unicodedata.category(letter).startswith("M") for letter in seen
    )


def as_compared(name: str) -> str:
    """Return a name as it is compared with others: those that look alike are the same."""
    seen = _UNSEEN.sub("", unicodedata.normalize("NFKC", name)).casefold()
    return unicodedata.normalize("NFKC", seen)


def _german(number: str) -> str:
    """ "22.5" -> "22,5"."""
    return number.replace(".", ",")


class AgentFailed(RuntimeError):
    """A player at the table did not answer.

    The text is for everybody who sits there. What the player or its program said is the cause: that
    may name its cards, in a deal that goes on.
    """


@contextlib.contextmanager
def told_without_cards(who: str, what: str) -> Iterator[None]:
    """Raise AgentFailed, "who (RuntimeError) what", where a player fails; no memory stays that."""
    try:
        yield
    except (ArithmeticError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
        raise AgentFailed(f"{who} {what} ({type(error).__name__})") from error


def agents_of(specs: Sequence[str | None]) -> dict[str, _core.Agent]:
    """Return the agents of a table by their registry strings. Raises ValueError."""
    return {spec: _core.make_agent(spec) for spec in specs if spec is not None}


def nothing_follows(number: int) -> ValueError:
    """What is wrong with a kept table that goes on where it cannot."""
    return ValueError(f"deal {number}: no deal follows the one before")


def agents_by_place(given: Sequence[str], people: Sequence[int], players: int) -> list[str | None]:
    """Registry strings by place; None is a person.

    Args:
        given: clockwise from the left of the first of the people, or one for all.

    Raises:
        ValueError: more or fewer agents than places that are free.
    """
    free = [(people[0] + step) % players for step in range(1, players)]
    free = [place for place in free if place not in people]
    if len(given) == 1:
        given = list(given) * len(free)
    if len(given) != len(free):
        raise ValueError(
            f"--agents: {len(given)} came; these rules have {players} players, so one for all or "
            f"{len(free)}, clockwise from your left"
        )
    places: list[str | None] = [None] * players
    for place, agent in zip(free, given, strict=True):
        places[place] = agent
    return places


def played_title(game: _core.Game) -> tuple[str, int | None]:
    """(name, declarer) of the game of a deal that is over; the name of one thrown in is empty."""
    announced = public_scene(game).game
    return ("", None) if announced is None else (announced.title, announced.declarer)


def ending_text(session: _core.Session, stock: float, game: _core.Game) -> list[list[str]]:
    """What the end of a session adds to the accounts of its last deal, in German and English.

    Args:
        session: after the deal.  stock: before it.
    """
    if not session.is_over:
        return []
    told = []
    paid = (part["amounts"] for part in _core.settlement_parts(game) if part["kind"] == "stock")
    if rest := stock - sum(map(sum, paid)):
        told.append(
            [
                "Ende der Sitzung: der Stock von "
                + _german(f"{rest:.15g}")
                + " wird an alle verteilt",
                f"end of the session: the Stock of {rest:.15g} is shared out among all",
            ]
        )
    if bonus := sum(session.totals) + session.stock + session.kitty:
        told.append(
            [
                "Ende der Sitzung: Bonus für genug Spiele, zusammen " + _german(f"{bonus:+.15g}"),
                f"end of the session: bonus for enough games, {bonus:+.15g} in all",
            ]
        )
    return told


@dataclass(frozen=True)
class Table:
    """Who plays what.

    Args:
        seed: of the session's deals and of the agents' draws.
        me: place of the person.
        specs: registry strings by place, None for the person;  names: by place.
        agents: by registry string.
    """

    rules: _core.RuleSet
    rules_name: str
    seed: int
    me: int
    specs: Sequence[str | None]
    names: Sequence[str]
    agents: Mapping[str, _core.Agent]

    def sorted_hand(
        self, cards: Sequence[str], game: Announced | None = None
    ) -> list[tuple[str, list[str]]]:
        """A hand as a player sorts it: ("trump", cards), then each plain suit, strongest first.

        Args:
            game: the game that is played; before it is known trumps are those of a Rufspiel.
        """
        if game is None:
            return _core.sorted_hand(cards, rules=self.rules)
        suit = game.suit if game.row["trump_suit"] == "announced" else None
        return _core.sorted_hand(cards, game.name, suit, self.rules)

    def honest_agents(self) -> dict[str, _core.Agent]:
        """Agents that may be asked for a hint: those that see hidden hands would tell of them."""
        return {s: agent for s, agent in self.agents.items() if not agent.sees_hidden_hands}


@dataclass
class Deal:
    """One deal, seen from the table.

    Args:
        places: place of each seat.
        actions: so far, in order, as numbers.
    """

    table: Table
    game: _core.Game
    number: int
    places: list[int]
    actions: list[int] = field(default_factory=list)

    def apply(self, action: int) -> None:
        """Do a legal action of the seat to act."""
        self.game.apply(action)
        self.actions.append(action)

    def check_again(self, action: int) -> None:
        """Check what a kept table says was done next. Raises ValueError."""
        if self.game.is_terminal or self.game.refusal(action) is not None:
            name = _core.action_name(action)
            raise ValueError(f"deal {self.number}: {name} is not possible in these deals")

    @property
    def me(self) -> int | None:
        """Seat of the person; None when he sits out."""
        return self.places.index(self.table.me) if self.table.me in self.places else None

    @property
    def names(self) -> list[str]:
        return [self.table.names[place] for place in self.places]

    @property
    def seed(self) -> int:
        """Of the agents' draws in this deal."""
        whole = f"{self.table.seed} {self.number}".encode()  # no bit of it is without effect
        return int.from_bytes(hashlib.sha256(whole).digest()[:8], "big")

    def action_of_agent(self) -> int:
        """What the agent of the seat to act does. Raises AgentFailed."""
        game, seat = self.game, self.game.current_player
        spec = str(self.table.specs[self.places[seat]])
        agent = self.table.agents[spec]
        full = game.full_view(seat) if agent.sees_hidden_hands else None
        rules = self.table.rules
        with told_without_cards(f"{self.names[seat]}, {spec},", "failed; --resume asks again"):
            return int(agent.act(game.view(seat), seed=self.seed, rules=rules, full_views=full)[0])

    def scene(self) -> Scene:
        return (
            public_scene(self.game) if self.me is None else scene_of_view(self.game.view(self.me))
        )

    def title(self) -> str:
        """The game for the list of deals."""
        title, declarer = played_title(self.game)
        if not title:
            return "thrown in"
        return title if declarer is None else f"{title} {self.names[declarer]}"

    def settlement(self) -> list[str]:
        """The price step by step, with names instead of seats; payoffs are shown elsewhere."""
        steps = []
        for pattern in price_patterns(self.game):
            loser = re.fullmatch(r"(.*: )\{(\d)\} loses", pattern)
            if loser:
                step = loser[1] + verb(self.names[int(loser[2])], "lose")
            else:
                step = re.sub(r"\{(\d)\}", lambda seat: inside(self.names[int(seat[1])]), pattern)
            steps.append(step[0].upper() + step[1:])
        return steps

    def record(self) -> records.Record:
        """The record of the deal so far; the result is its `expect` once the deal is over.

        It does not have the seed, which tells all hands of the deals to come.
        """
        record = records.record_of(self.game)
        name = hashlib.sha256(f"schafkopf table {self.table.seed}".encode()).hexdigest()[:12]
        record["id"] = f"table-{name}-{self.number}"
        players = [self.table.specs[place] or "person" for place in self.places]
        record["meta"] = {"players": players, "deal": self.number}
        if len(self.table.names) != len(self.places):
            record["places"] = list(self.places)
        if self.game.is_terminal:
            record["expect"] = {"payoffs": self.game.payoffs()}
        else:
            record["meta"]["unfinished"] = True
        return record
