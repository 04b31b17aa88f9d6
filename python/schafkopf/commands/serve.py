"""`schafkopf serve`: the table in the browser, for one person or more against any agents."""

from __future__ import annotations

import argparse
import contextlib
import html
import shlex
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from schafkopf import files, house_rules
from schafkopf.commands.options import Commands, whole_number
from schafkopf.commands.table_options import (
    FIRST,
    NAMES,
    add_table_options,
    at_a_new_table,
    chosen_rules,
    kept_again,
    place_of,
    table_of,
)
from schafkopf.say import harmless
from schafkopf.terminal.kept import (
    KeptTable,
    TableFile,
    records_beside,
    table_again,
)
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.table import Table

if TYPE_CHECKING:
    from schafkopf.serve.app import TableApp
    from schafkopf.serve.live import LiveTable

PAUSE_S = 0.7
HOST, PORT = "127.0.0.1", 8732
_KEPT_OPTIONS = ("rules", "agents", "seats", "seed", "deals", "out")  # a table that is opened again


def _new_table(options: argparse.Namespace) -> tuple[Table, list[str]]:
    """The table of the options and the names at it, which people may change."""
    rules = house_rules.rule_set(chosen_rules(options))
    players = int(rules.players)
    seats = [FIRST] if options.seats is None else options.seats
    people = [place_of("--seats", seat, players) for seat in seats]
    if len(set(people)) < len(people):
        raise ValueError(f"--seats {' '.join(seats)}: a seat stands there twice")
    names = list(NAMES[:players])
    return table_of(options, rules, people, names), names


def _live_again(again: KeptTable, path: Path) -> LiveTable:
    """A table with what was played at it."""
    from schafkopf.serve.live import LiveTable

    table, records = table_again(again, path), ReplayFile(again.out, records_beside(path))
    try:
        return LiveTable(table, again.names, records, again.deals, again.actions, again.heard)
    except ValueError as error:
        raise ValueError(f"{path}: {error}; it may be of another version") from None


def run(options: argparse.Namespace) -> int:
    """Serve until a signal comes; the records are written in any case."""
    from schafkopf.serve.live import LiveTable

    if options.resume is not None:
        with TableFile(Path(options.resume)) as file:
            again = kept_again(options, file, _KEPT_OPTIONS)
            return _serve(options, _live_again(again, file.path), file, again)
    table, names = _new_table(options)

    def sit(records: ReplayFile, file: TableFile) -> int:
        return _serve(options, LiveTable(table, names, records, options.deals), file, None)

    return at_a_new_table(options.out, sit)


def _serve(
    options: argparse.Namespace, live: LiveTable, file: TableFile, again: KeptTable | None
) -> int:
    from schafkopf.serve import server
    from schafkopf.serve.app import TableApp

    host = options.host or _host_again(again, server.is_local)
    port = options.port if options.port is not None else again.port if again else PORT
    listener = server.listening(host, port)
    with contextlib.closing(listener):
        pause_s = 0.0 if options.fast else PAUSE_S
        tokens = again.tokens if again else []
        rules_name = Path(live.table.rules_name).stem  # where a file lies is no guest's business
        app = TableApp(live, rules_name, options.language, pause_s, server.is_local(host), tokens)
        app.hosts = server.names_of(host)
        port = listener.getsockname()[1]
        live.keep = lambda: file.write(live.kept(app.tokens, host, port))
        live.keep()
        address = server.address_of(host, listener)
        _announce(app, address)
        link = address + app.path_of(app.seats[0])
        with _opened(link, file.path.parent) if options.open else contextlib.nullcontext():
            try:
                server.serve(app, listener)
            finally:
                _leave(live, file)
    return 0


def _host_again(again: KeptTable | None, is_local: Callable[[str], bool]) -> str:
    """The address of a table that is opened again: a file may come from elsewhere, and whether
    others reach this machine is not for it to say."""
    if again is None or is_local(again.host):
        return again.host if again else HOST
    print(
        f"The table listened at {again.host}; now only this machine reaches it, at {HOST}. "
        f"For the others: --host {shlex.quote(again.host)}"
    )
    return HOST


@contextlib.contextmanager
def _opened(link: str, folder: Path) -> Iterator[None]:
    """Open a link in the browser by a file that leads to it, which goes afterwards.

    Everybody on the machine sees the command line of a browser, and who has the link plays. The
    file stands beside the table, where a browser in a sandbox may read. Whether the browser
    ends at once is its own business: one for the terminal stays.
    """
    handle, name = tempfile.mkstemp(".html", "open-", folder)  # for its owner alone
    try:
        leads = f'<!doctype html><meta http-equiv="refresh" content="0; url={html.escape(link)}">'
        with open(handle, "w", encoding="utf-8") as page:
            page.write(leads + "\n")
        address = Path(name).resolve().as_uri()
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        yield
    finally:
        Path(name).unlink(missing_ok=True)


def _announce(app: TableApp, address: str) -> None:
    table = app.table
    seed = f", seed {table.table.seed}" if len(app.seats) == 1 else ""  # it tells every hand
    print(harmless(house_rules.title(table.table.rules_name) + seed))
    for seat in app.seats:
        print(f"{table.names[seat.place]} (seat {seat.place}): {address}{app.path_of(seat)}")
    print("Whoever has a link plays at its seat. Ctrl-C ends the table.", flush=True)


def _leave(live: LiveTable, file: TableFile) -> None:
    """Write the records; the file of a table whose session is over goes."""
    if (records := live.save()) is not None:
        again = f"schafkopf replay --text {shlex.quote(files.as_argument(records))}"
        print(harmless(f"The deals are in {records}: {again}"))
    if live.is_over and file.is_held:
        file.path.unlink(missing_ok=True)
    elif file.is_held:
        with contextlib.suppress(OSError):
            live.keep()  # the records may have another name now
        again = f"schafkopf serve --resume {shlex.quote(files.as_argument(file.path))}"
        print(harmless(f"The same table again, with its links: {again}"))


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "serve",
        help="sit at the table yourself, in the browser",
        description="Serve a table to the browser: each person gets a link, agents take the other "
        "seats. Legal cards are marked, a click on another one says why it is not allowed; hints, "
        "the last trick, the score and replays are a button away. A page that is reloaded loses "
        "nothing, whoever opens the link of a seat plays there, and --resume opens the table of a "
        "server that was stopped or killed. The table listens on this machine alone, unless --host "
        "names another address of it; there is no encryption.",
        epilog="Example: schafkopf serve --rules official_1989_full --agents rules net:baseline "
        "--seats 0 2 --deals 8 --open. `schafkopf rules list` names the rules; agents are named as "
        "in tournaments. Needs the extra serve.",
    )
    add = parser.add_argument
    links = ", with the same links and port; --host is said again"
    add_table_options(parser, "the left of the first person", "printed", "before", links)
    add(
        "--seats",
        nargs="+",
        metavar="SEAT",
        help=f"places of people, from 0 (default: {FIRST})",
    )
    add("--host", help=f"address to listen at (default: {HOST})")
    add(
        "--port",
        type=whole_number(0, 65535),
        help=f"port to listen at, 0 = a free one (default: {PORT})",
    )
    add(
        "--language",
        choices=("de", "en"),
        default="de",
        help="in which the page begins (default: %(default)s)",
    )
    add("--open", action="store_true", help="open the page in the browser")
    parser.set_defaults(run=run)
    parser.set_defaults(takes_empty=("resume",))  # which kept_again refuses
