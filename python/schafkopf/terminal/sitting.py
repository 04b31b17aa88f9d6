"""One sitting of a person with agents: deals one after the other, the account, the records."""

from __future__ import annotations

import copy
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from schafkopf import _core, files, records
from schafkopf.terminal import guide
from schafkopf.terminal.console import Console, Leave
from schafkopf.terminal.deal_play import DealPlay
from schafkopf.terminal.kept import KeptTable, kept_of
from schafkopf.terminal.price_lines import counted_points
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.screen import Screen
from schafkopf.terminal.special_rounds import is_plain_bock, owed_text, round_text
from schafkopf.terminal.story import verb
from schafkopf.terminal.table import Deal, Table, amount, ending_text, nothing_follows

_WITH_CARDS = 76  # columns of the table of results with the dealt cards
_WIDE_COLUMNS = 48
_SHORTEST_TITLE = 24  # of a game in the list of deals


@dataclass(frozen=True)
class Result:
    """A finished deal by place, amounts in tariff units."""

    game: str
    change: Sequence[float]


class Sitting:
    """Deals of a session, played to its end, to `deals` of them or until somebody leaves.

    Args:
        deals: at most so many, None = the whole session.
        played: actions of each deal so far, of a table at which somebody sits down again.

    Attributes:
        keep: called after each change of what is played; where it raises OSError the game goes on.
        actions: of each deal, in order, as numbers; the last one may be running.

    Raises:
        ValueError: `played` is not possible at this table.
    """

    def __init__(
        self,
        table: Table,
        screen: Screen,
        console: Console,
        file: ReplayFile,
        deals: int | None,
        played: Sequence[Sequence[int]] = (),
    ) -> None:
        self._table = table
        self._screen = screen
        self._console = console
        self._file = file
        self._session = _core.Session(table.rules, seed=table.seed)
        self._deals = deals
        self._results: list[Result] = []
        self._records: list[records.Record] = []
        self._running: Deal | None = None
        self.keep: Callable[[], None] = lambda: None
        self._is_kept = True
        self.actions: list[list[int]] = []
        self._again: Sequence[int] = ()  # what was done in the deal that was not finished
        self._play_again(played)

    @property
    def is_over(self) -> bool:
        """Whether no deal follows."""
        return self._session.is_over or len(self._results) == self._deals

    def play(self) -> None:
        """Play on. Raises Leave, KeyboardInterrupt or BrokenPipeError when the person is gone."""
        guide.welcome(self._screen, self._table)
        if self._results and not self.is_over:
            self._show_score()
        while not self.is_over:
            if self._results and self._console.is_terminal and self._running is None:
                self._between_deals()
            self._play_deal()
        self._screen.title("The end")
        if self._session.is_over:
            self._screen.line("The session of these rules is over.")
        self._show_score()

    def save(self) -> str:
        """Write all records, that of the deal in progress too; returns what to tell the person."""
        if self._running is not None:  # left while it was told again
            for action in self._again[len(self._running.actions) :]:
                self._running.apply(action)
        lines, what, see = list(self._records), [], "See it again"
        if lines:
            what.append(f"{len(lines)} deal{'' if len(lines) == 1 else 's'}")
        if self._running is not None and self._running.number > len(lines):
            lines.append(self._running.record())
            what.append("the unfinished one" if what else "the unfinished deal")
            see += ", all hands of the unfinished deal too"
        if not lines:
            return "No card was dealt, so no file was written."
        path = self._file.write(lines)
        what_is_there = " and ".join(what).capitalize()
        again = f"schafkopf replay --text {shlex.quote(files.as_argument(path))}"
        return f"{what_is_there} in {path}\n{see}: {again}"

    def kept(self, names: list[str], tokens: list[str], host: str, port: int) -> KeptTable:
        """The table as it is kept on the disk; the arguments are as in KeptTable."""
        table, out = replace(self._table, names=names), self._file.path
        return kept_of(table, self.actions, self._deals, out, tokens, host, port)

    # ---- parts -----------------------------------------------------------------------------------

    def _next_deal(self) -> Deal:
        seats = [int(place) for place in self._session.places]
        deal = Deal(self._table, self._session.next_game(), len(self._results) + 1, seats)
        self._running = deal
        self.actions.append(deal.actions)
        return deal

    def _play_again(self, played: Sequence[Sequence[int]]) -> None:
        """Do what was done before; what was done in a deal that is not over is told in `play`."""
        for number, actions in enumerate(played, 1):
            if self._running is not None or self.is_over:
                raise nothing_follows(number)
            deal = self._next_deal()
            beginning = copy.copy(deal.game)
            for action in actions:
                deal.check_again(action)
                deal.apply(action)
            if deal.game.is_terminal:
                self._finish(deal)
            else:
                self._again = list(deal.actions)
                deal.game = beginning
                deal.actions.clear()

    def _play_deal(self) -> None:
        deal = self._running or self._next_deal()
        of = f" of {self._deals}" if self._deals is not None else ""
        self._screen.title(f"Deal {deal.number}{of}")
        self._show_circumstances(deal)
        stock = self._session.stock
        play = DealPlay(deal, self._screen, self._console, self._general_command, self._keep)
        if not self._again:  # else it is kept, and nothing has changed
            self._keep()
        play.play(self._again)
        self._again = ()
        self._finish(deal)
        self._show_result(deal, self._results[-1].change)
        for line in ending_text(self._session, stock, deal.game):
            self._screen.line(f"  {line[1]}")
        self._write_so_far()

    def _finish(self, deal: Deal) -> None:
        before = self._session.totals
        self._session.finish(deal.game)
        change = [new - old for old, new in zip(before, self._session.totals, strict=True)]
        self._records.append(deal.record())
        self._running = None
        self._results.append(Result(deal.title(), change))

    def _keep(self) -> None:
        """Keep the table; where that fails the game goes on, and the person is told once."""
        try:
            self.keep()
        except OSError as error:
            if self._is_kept:
                why = error.strerror or error
                self._screen.line(
                    f"The table could not be kept now ({why}); --resume would go on with what was "
                    "kept before."
                )
            self._is_kept = False
        else:
            self._is_kept = True

    def _write_so_far(self) -> None:
        """Write after every deal, so that a power cut costs one deal only."""
        before = self._file.path
        try:
            if self._file.write(self._records) != before:
                self._keep()  # it has another name
        except OSError as error:  # a full disk: the game goes on, save() tries again
            self._screen.line(f"The records could not be written now: {error}")

    def _show_circumstances(self, deal: Deal) -> None:
        game = deal.game
        dealer, first = self._table.names[self._session.dealer], deal.names[game.forehand]
        speaks = "you speak" if first == "You" else f"{first} speaks"
        parts = [verb(dealer, "deal"), f"{speaks} first"]
        context = game.context
        parts += round_text(context)[1:]
        parts += owed_text(context, deal.names)[1:]
        if context.bock and not is_plain_bock(context):
            parts.append(f"Bock: everything counts x{_core.price_factor(context.bock)}")
        if self._session.stock:
            parts.append(f"{self._session.stock:.15g} in the Stock")
        if self._session.kitty:
            parts.append(f"{self._session.kitty:.15g} in the kitty")
        self._screen.wrapped("", parts, ", ")

    def _between_deals(self) -> None:
        self._screen.line()
        self._screen.line("Enter: next deal")
        while True:
            answer = self._console.ask(list(guide.COMMANDS)).strip()
            commands = guide.commands_meant(answer)
            if not answer or answer.casefold() in ("next", "n"):
                return
            if len(commands) > 1:
                self._screen.wrapped("More than one fits: ", commands, ", ")
            elif not commands or not self._general_command(commands[0]):
                self._screen.line("Enter deals the next cards; score, rules, quit")

    def _general_command(self, command: str) -> bool:
        """Do what needs no deal; False if the command is another one."""
        if command == "quit":
            raise Leave("quit")
        if command == "help":
            guide.help_page(self._screen)
        elif command == "score":
            self._show_score()
        elif command == "rules":
            guide.rules_page(self._screen, self._table)
        else:
            return False
        return True

    def _show_result(self, deal: Deal, change: Sequence[float]) -> None:
        screen, game = self._screen, deal.game
        points = counted_points(game)
        screen.line()
        for step in deal.settlement():
            screen.wrapped("  ", step.split(" "))
        totals = self._session.totals
        screen.line()
        usual = 11 if screen.width >= _WIDE_COLUMNS else 9
        column = _column(usual, [*change, *totals])
        # else the cards stand below the table
        wide = screen.width >= _WITH_CARDS + 2 * (column - usual)
        head = (
            " " * 11 + "this deal".rjust(column) + "total".rjust(column) + "points".rjust(usual - 2)
        )
        screen.line(head + ("   dealt cards" if wide else ""))
        below: list[tuple[str, str]] = []
        for place in sorted(range(len(totals)), key=lambda p: (p - self._table.me) % len(totals)):
            name = self._table.names[place]
            row = f"  {name:9}{amount(change[place]):>{column}}{amount(totals[place]):>{column}}"
            if place in deal.places:
                seat = deal.places.index(place)
                group = self._table.sorted_hand(game.dealt(seat))
                held = screen.cards([card for _, cards in group for card in cards], short=True)
                mark = "*" if seat in game.declarer_party and game.contract is not None else " "
                row += f"{points[seat]:>{usual - 2}}{mark}"
                row += f"  {held}" if wide else ""
                below.append((name, held))
            screen.line(row)
        if game.contract is not None and game.declarer_party:
            screen.line("  * = played the game")
        if not wide:
            screen.line("Dealt cards")
        for name, held in below if not wide else ():
            screen.done_by(name, held)

    def _show_score(self) -> None:
        screen, names = self._screen, self._table.names
        places = [(self._table.me + step) % len(names) for step in range(len(names))]
        totals = self._session.totals
        column = _column(9, [*totals, *(x for result in self._results for x in result.change)])
        game_width = screen.width - 8 - column * len(places)
        if game_width >= _SHORTEST_TITLE:
            start = 8 + min(game_width, 24)
            screen.line(
                "  deal  game".ljust(start) + "".join(names[p].rjust(column) for p in places)
            )
            for number, result in enumerate(self._results, 1):
                title = f"  {number:>4}  {result.game}".ljust(start)
                if len(title) > start:  # a line of its own
                    screen.line(title)
                    title = " " * start
                screen.line(title + "".join(amount(result.change[p]).rjust(column) for p in places))
            title = "        total".ljust(start)
            screen.line(title + "".join(amount(totals[p]).rjust(column) for p in places))
        else:  # no room for a table
            for number, result in enumerate(self._results, 1):
                changes = [f"{names[p]} {amount(result.change[p])}" for p in places]
                screen.wrapped(f"{number:>3}  ", [result.game, *changes], ", ")
            screen.wrapped(
                "     ", ["total", *(f"{names[p]} {amount(totals[p])}" for p in places)], ", "
            )
        if self._session.stock:
            screen.line(f"        {self._session.stock:.15g} in the Stock")
        if self._session.kitty:
            screen.line(f"        {self._session.kitty:.15g} in the kitty")


def _column(usual: int, amounts: Sequence[float]) -> int:
    """Columns of an amount: as usual, or enough for the longest and a blank before it."""
    return max(usual, *(len(amount(one)) + 1 for one in amounts))
