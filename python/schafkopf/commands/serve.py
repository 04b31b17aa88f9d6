"""`schafkopf serve`: the table in the browser, for one person or more against any agents."""

from __future__ import annotations

import argparse
import contextlib
import secrets
import webbrowser

from schafkopf import _core, house_rules
from schafkopf.commands.options import Commands, add_field, whole_number
from schafkopf.commands.play import default_file
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.table import Table, agents_by_place

PAUSE_S = 0.7
PORT = 8732
NAMES = ("Anna", "Bene", "Caro", "Dora", "Emil")


def _table(options: argparse.Namespace) -> tuple[Table, list[str]]:
    """The table and the names at it, which people may change."""
    rules = house_rules.rule_set(options.rules)
    players = int(rules.players)
    people = list(dict.fromkeys(options.seats))
    if max(people) >= players:
        raise ValueError(f"--seats = {max(people)}, allowed: 0..{players - 1} under these rules")
    specs = agents_by_place(options.agents, people, players)
    names = list(NAMES[:players])
    table = Table(
        rules=rules,
        rules_name=options.rules,
        seed=secrets.randbelow(1_000_000) if options.seed is None else options.seed,
        me=people[0],
        specs=specs,
        names=names,
        agents={spec: _core.make_agent(spec) for spec in specs if spec is not None},
    )
    return table, names


def run(options: argparse.Namespace) -> int:
    """Serve until a signal comes; the records are written in any case."""
    from schafkopf.serve import server
    from schafkopf.serve.app import TableApp
    from schafkopf.serve.live import LiveTable

    table, names = _table(options)
    listener = server.listening(options.host, options.port)
    with contextlib.closing(listener):
        file = ReplayFile(options.out or default_file())
        live = LiveTable(table, names, file, options.deals)
        pause_s = 0.0 if options.fast else PAUSE_S
        app = TableApp(
            live, options.rules, options.language, pause_s, server.is_local(options.host)
        )
        app.hosts = server.names_of(options.host)
        address = server.address_of(options.host, listener)
        print(f"{house_rules.title(options.rules)}, seed {table.seed}")
        for seat in app.seats:
            print(f"{names[seat.place]} (seat {seat.place}): {address}{app.path_of(seat)}")
        print("Who has a link plays at its seat. Ctrl-C ends the table.", flush=True)
        if options.open:
            webbrowser.open(address + app.path_of(app.seats[0]))
        try:
            server.serve(app, listener)
        finally:
            live.save()
            print(f"The deals are in {file.path}: schafkopf replay --text {file.path}")
    return 0


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "serve",
        help="sit at the table yourself, in the browser",
        description="Serve a table to the browser: each person gets a link, agents take the other "
        "seats. Legal cards are marked, a click on another one says why it is not allowed; hints, "
        "the last trick, the score and replays are a button away. A page that is reloaded loses "
        "nothing, and whoever opens the link of a seat plays there. The table listens on this "
        "machine alone, unless --host names another address of it; there is no encryption.",
        epilog="Example: schafkopf serve --rules official_1989_full --agents rules net:baseline "
        "--seats 0 2 --deals 8 --open. `schafkopf rules list` names the rules; agents are named as "
        "in tournaments. Needs the extra serve.",
    )
    add = parser.add_argument
    add("--rules", default="research", help="preset or TOML file (default: %(default)s)")
    add(
        "--agents",
        nargs="+",
        default=["rules"],
        metavar="AGENT",
        help="the other players clockwise from the left of the first person, or one for all of "
        "them (default: rules)",
    )
    add(
        "--seats",
        type=whole_number(0, 4),
        nargs="+",
        default=[0],
        metavar="SEAT",
        help="places of people, from 0 (default: 0)",
    )
    add_field(parser, "tournament", "seed", note="default: a random one, printed")
    add("--deals", type=whole_number(1), metavar="N", help="at most so many (default: the session)")
    add("--host", default="127.0.0.1", help="address to listen at (default: %(default)s)")
    add(
        "--port",
        type=whole_number(0, 65535),
        default=PORT,
        help="port to listen at, 0 = a free one (default: %(default)s)",
    )
    add(
        "--language",
        choices=("de", "en"),
        default="de",
        help="in which the page begins (default: %(default)s)",
    )
    add(
        "--out", metavar="FILE", help="new file of the game records (default: runs/play-TIME.jsonl)"
    )
    add("--fast", action="store_true", help="no pauses before what the others do")
    add("--open", action="store_true", help="open the page in the browser")
    parser.set_defaults(run=run)
