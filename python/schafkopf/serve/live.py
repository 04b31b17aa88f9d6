"""A table where people and agents sit: it knows whose turn it is and nothing of the web."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from schafkopf import _core, records
from schafkopf.say import say_aside
from schafkopf.serve import state, words
from schafkopf.serve.refused import Refused
from schafkopf.serve.silence import SilentQuestions
from schafkopf.terminal.hints import Opinions, opinions
from schafkopf.terminal.kept import KeptTable, kept_of
from schafkopf.terminal.questions import forced_action
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.table import (
    Deal,
    Table,
    as_compared,
    ending_text,
    is_name,
    nothing_follows,
    played_title,
)


class LiveTable:
    """Deals of a session. People act by place, agents when `move` is called.

    Args:
        table: who sits where; `me` is not used.  names: of the places, which people may change.
        file: where records go after each deal, None = nowhere.
        deals: at most so many, None = the whole session.
        played: actions of each deal so far, of a table that is opened again.
        heard: silent answers after the last of them.

    Attributes:
        file, deals: as given.
        keep: called after each change of what is played or said; it may raise OSError.
        actions: of each deal, in order, as numbers.
        trouble: which agent failed, in German and English; empty = none.
        ready: places of the people who want the next deal.
    """

    def __init__(
        self,
        table: Table,
        names: list[str],
        file: ReplayFile | None = None,
        deals: int | None = None,
        played: Sequence[Sequence[int]] = (),
        heard: int = 0,
    ) -> None:
        self.table = table
        self.names = names
        self.people = [place for place, spec in enumerate(table.specs) if spec is None]
        self.session = _core.Session(table.rules, seed=table.seed)
        self.results: list[dict[str, Any]] = []
        self.trouble: list[str] = []
        self._table_trouble = self._records_trouble = ""
        self.keep: Callable[[], None] = lambda: None
        self.actions: list[list[int]] = []
        self.file: ReplayFile | None = None  # not before what was played is played again
        self.deals = deals
        self._records: list[records.Record] = []
        self._asked = [0] * len(names)
        self._ending: list[list[str]] = []  # of the session, with its last deal
        self.ready: set[int] = set()
        self._awaited: set[int] = set()
        self._silent = SilentQuestions(self.people)
        self._heard = 0  # silent answers after the last action
        self.deal = self._next_deal()
        self._count_question()
        self._play_again(played, heard)
        self.file = file

    # ---- what happens ----------------------------------------------------------------------------

    @property
    def moves_itself(self) -> bool:
        """Whether nobody has to be asked: an agent acts, or a person has nothing to choose."""
        if self.deal.game.is_terminal or self.trouble:
            return False
        return self.asked_place is None

    @property
    def asked_place(self) -> int | None:
        """Place of the person who has to choose something."""
        game = self.deal.game
        if game.is_terminal:
            return None
        silent = self._silent.asked(self.deal)
        if silent is not None:
            return silent if silent in self.people else None
        place = self.deal.places[game.current_player]
        return place if place in self.people and self._forced() is None else None

    @property
    def is_over(self) -> bool:
        """Whether no deal follows the one that is shown."""
        return self.deal.game.is_terminal and (
            self.session.is_over or len(self.results) == self.deals
        )

    @property
    def file_trouble(self) -> str:
        """Why the table or its records could not be written the last time."""
        return self._table_trouble or self._records_trouble

    @property
    def num_tricks(self) -> int:
        """Complete tricks of the deal."""
        return len(self.deal.game.plays) // self.deal.game.seats

    @property
    def is_between_tricks(self) -> bool:
        """Whether a trick has just been completed."""
        plays = len(self.deal.game.plays)
        return plays > 0 and plays % self.deal.game.seats == 0

    def decision(self) -> Callable[[], int]:
        """What decides where `moves_itself`, as the table stands now: of it a thread may think. An
        agent may take long, and nothing changes yet."""
        if self._silent.asked(self.deal) is not None:  # an agent, for the look of it
            return lambda: state.NO_DOUBLE
        forced = self._forced()
        return self.deal.action_of_agent if forced is None else lambda: forced

    def apply(self, action: int) -> None:
        """Do what was decided: a legal action of the seat to act, or a silent answer."""
        if (silent := self._silent.asked(self.deal)) is not None:
            self._hear_silent(silent)
            self._keep()
            return
        game = self.deal.game
        self._silent.heard(self.deal.places[game.current_player])
        self._heard = 0
        self.deal.apply(action)
        self._silent.follow(self.deal)
        if game.is_terminal:
            self._finish()
        else:
            self._count_question()
        self._keep()

    def act(self, place: int, deal: int, question: int, action: int) -> None:
        """Do what a person wants. Raises Refused.

        Args:
            deal, question: numbers of what the page showed.
            action: number of the action.
        """
        if deal != self.deal.number:
            raise Refused("stale")
        if self.asked_place != place:
            raise Refused("not_asked")
        if question != self._asked[place]:
            raise Refused("stale")
        if not 0 <= action < _core.NUM_ACTIONS:
            raise Refused("illegal", words.GROUNDS["no_action"], "there is no such action")
        if self._silent.asked(self.deal) == place:
            if action != state.NO_DOUBLE:
                raise Refused("illegal", *words.SILENT_REFUSAL)
            self.apply(action)
            return
        refusal = self.deal.game.refusal(action)
        if refusal is not None:
            raise Refused("illegal", *state.reason(refusal))
        self.apply(action)

    def next_deal(self, deal: int) -> None:
        """Deal anew after the deal of this number. Raises Refused."""
        if deal != self.deal.number or not self.deal.game.is_terminal or self.is_over:
            raise Refused("stale")
        self.ready.clear()
        self.deal = self._next_deal()
        self._count_question()
        self._keep()

    def wish_next(self, place: int, deal: int, present: set[int]) -> None:
        """Deal anew when everybody present wants it, or somebody for the second time.

        Raises Refused.
        """
        if place in self.ready or present <= self.ready | {place}:
            return self.next_deal(deal)
        if deal != self.deal.number or not self.deal.game.is_terminal or self.is_over:
            raise Refused("stale")
        self.ready.add(place)
        self._awaited = present - self.ready

    def rename(self, place: int, name: object) -> None:
        """Give a person another name. Raises Refused."""
        text = " ".join(name.split()) if isinstance(name, str) else ""
        others = {
            as_compared(self.names[other]) for other in range(len(self.names)) if other != place
        }
        if not is_name(text) or as_compared(text) in others:
            raise Refused("name")
        self.names[place] = text
        self._keep()

    def fail(self) -> None:
        """Tell the people that the agent to act has failed.

        What it said is not for them: it may name the cards of its hand, in a deal that goes on.
        """
        place = self.deal.places[self.deal.game.current_player]
        self.trouble = words.agent_failed(self.names[place], self.table.specs[place] or "")

    def hint(self, place: int) -> Callable[[], Opinions]:
        """What asks the agents what they would do in the place of the person who is asked, as the
        table stands now; it may move on while they answer.

        Raises Refused.
        """
        if self.asked_place != place or self._silent.asked(self.deal) == place:
            raise Refused("no_hint")
        view = self.deal.game.view(self.deal.game.current_player)
        question = state.question_at(self.deal, state.scene_at(self.deal, place))
        agents, rules = self.table.honest_agents(), self.table.rules
        return lambda: opinions(question, view, agents, rules)

    def question_number(self, place: int) -> int | None:
        """Number of the question that a place is asked now."""
        return self._asked[place] if self.asked_place == place else None

    # ---- what is seen ----------------------------------------------------------------------------

    def state(self, place: int) -> dict[str, Any]:
        """What the page of a place shows; see `state.state_of`."""
        silent = self._silent.asked(self.deal) == place
        asked = self.asked_place == place and not silent
        told = state.state_of(self.deal, place, asked)
        if silent:
            told |= state.silent_question(self.deal)
        if told["result"]:
            told["result"]["price"] += self._ending
            change = self.results[-1]["change"]  # with Stock, Reuegeld and what the end brings
            told["result"]["change"] = [change[at] for at in self.deal.places]
        told |= {
            "question_number": self._asked[place],
            "place": place,
            "ready": sorted(self.ready),
            "waits_for": sorted(self._awaited) if self.ready else [],
            "place_names": self.names,
            "players": [spec or "" for spec in self.table.specs],
            "deals": self.deals,
            "results": self.results,
            "totals": self.session.totals,
            "stock": self.session.stock,
            "kitty": self.session.kitty,
            "is_over": self.is_over,
            "is_session_over": self.session.is_over,
            "trouble": self.trouble or (words.not_kept() if self.file_trouble else ""),
        }
        return told

    def named_records(self) -> list[records.Record]:
        """Records of the finished deals, with the names of those who sit at the table."""
        named = []
        for record in self._records:
            places = record.get("places", range(len(self.names)))
            players = [self.names[place] for place in places]
            named.append({**record, "meta": {**record["meta"], "players": players}})
        return named

    def save(self) -> Path | None:
        """Write all records, that of the running deal too; returns where."""
        if self.file is None:
            return None
        running = [] if self.deal.game.is_terminal else [self.deal.record()]
        return self.file.write([*self._records, *running])

    def kept(self, tokens: list[str], host: str, port: int) -> KeptTable:
        """The table as it is kept on the disk; the arguments are as in KeptTable."""
        out = self.file.path if self.file else None
        return kept_of(self.table, self.actions, self.deals, out, tokens, host, port, self._heard)

    # ---- parts -----------------------------------------------------------------------------------

    def _keep(self) -> None:
        """Keep the table; where that fails the game goes on, and the people are told.

        The records of a deal follow it: those of a killed table are never ahead of it.
        """
        before = self.file_trouble
        self._table_trouble = _trouble_of(self.keep)
        if self.deal.game.is_terminal:
            self._records_trouble = _trouble_of(self._save_and_keep)
        if self.file_trouble and self.file_trouble != before:
            say_aside(
                f"schafkopf: {self.file_trouble}; the game goes on, the next answer tries again"
            )

    def _save_and_keep(self) -> None:
        before = self.file.path if self.file else None
        if self.save() != before:
            self.keep()  # the records have another name

    def _hear_silent(self, place: int) -> None:
        self._silent.heard(place)
        self._heard += 1
        self._count_question()

    def _play_again(self, played: Sequence[Sequence[int]], heard: int) -> None:
        for number, actions in enumerate(played, 1):
            if number > 1:
                if not self.deal.game.is_terminal or self.is_over:
                    raise nothing_follows(number)
                self.next_deal(self.deal.number)
            for action in actions:
                while (place := self._silent.asked(self.deal)) is not None:
                    self._hear_silent(place)
                self.deal.check_again(action)
                self.apply(action)
        for _ in range(heard):
            if (place := self._silent.asked(self.deal)) is None:
                raise ValueError(f"heard = {heard}: nobody is asked so often")
            self._hear_silent(place)

    def _next_deal(self) -> Deal:
        places = [int(place) for place in self.session.places]
        deal = Deal(self.table, self.session.next_game(), len(self.results) + 1, places)
        self.actions.append(deal.actions)
        return deal

    def _forced(self) -> int | None:
        """The action of a person who has nothing to choose."""
        place = self.deal.places[self.deal.game.current_player]
        if place not in self.people:
            return None
        scene = state.scene_at(self.deal, place)
        if len(self.people) > 1 and self._may_hide_a_hand(scene.phase):
            return None
        return forced_action(scene, state.question_at(self.deal, scene))

    def _may_hide_a_hand(self, phase: str) -> bool:
        """Whether somebody who passes at once, as the one thing to say, tells others of his cards
        (D.1): before anybody holds the game, it is the cards that leave nothing else."""
        if phase == "AUCTION_DIRECT":
            return all(event["action"] != "PLAY" for event in self.deal.game.events)
        return phase == "AUCTION_ROUND"

    def _count_question(self) -> None:
        place = self.asked_place
        if place is not None:
            self._asked[place] += 1

    def _finish(self) -> None:
        before, stock = self.session.totals, self.session.stock
        self.session.finish(self.deal.game)
        change = [new - old for old, new in zip(before, self.session.totals, strict=True)]
        title, declarer = played_title(self.deal.game)
        by = None if declarer is None else self.deal.places[declarer]
        self.results.append({"title": title, "by": by, "change": change})
        self._ending = ending_text(self.session, stock, self.deal.game)
        self._records.append(self.deal.record())


def _trouble_of(write: Callable[[], None]) -> str:
    """Why something cannot be written: with a full disk the game goes on, the end tries again."""
    try:
        write()
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror}" if error.strerror else str(error)
    return ""
