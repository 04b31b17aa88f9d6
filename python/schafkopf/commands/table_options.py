"""What `schafkopf play` and `schafkopf serve` share: who sits at the table, and its options."""

from __future__ import annotations

import argparse
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from schafkopf import _core, files
from schafkopf.commands.options import add_field, as_given, whole_number
from schafkopf.terminal.kept import (
    SUFFIX,
    KeptTable,
    TableFile,
    TableThere,
    kept_beside,
    records_beside,
    refuse_programs,
)
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.table import Table, agents_by_place, agents_of

RULES = "research"  # of a new table, unless --rules says it
FIRST = "0"  # place of the person, unless --seat or --seats says it
AGENT = "rules"  # who sits at the other places, unless --agents says it
NAMES = ("Anna", "Bene", "Caro", "Dora", "Emil")  # in the browser, until people change them


def add_table_options(
    parser: argparse.ArgumentParser,
    neighbour: str,
    seed_note: str,
    pauses: str,
    resume_note: str = "",
) -> None:
    """Add --rules, --agents, --seed, --deals, --out, --fast, --resume and --programs.

    Args:
        neighbour: where the places of --agents begin;  seed_note: what comes of a missing --seed.
        pauses: which pauses --fast leaves out.  resume_note: what else goes on with --resume.
    """
    add = parser.add_argument
    add("--rules", help=f"preset or TOML file (default: {RULES})")
    add(
        "--agents",
        nargs="+",
        metavar="AGENT",
        help=f"the other players clockwise from {neighbour}, or one for all of them "
        f"(default: {AGENT})",
    )
    add_field(parser, "tournament", "seed", note=f"default: a random one, {seed_note}")
    add("--deals", type=whole_number(1), metavar="N", help="at most so many (default: the session)")
    add(
        "--out", metavar="FILE", help="new file of the game records (default: runs/play-TIME.jsonl)"
    )
    add("--fast", action="store_true", help=f"no pauses {pauses} what the others do")
    add(
        "--resume",
        metavar="FILE",
        help="the .table file beside the records: the same table goes on where it was"
        + resume_note,
    )
    add(
        "--programs",
        action="store_true",
        help="with --resume: start the programs (engine:COMMAND) that the file names; leave it out "
        "for a file that is not your own",
    )


def kept_again(
    options: argparse.Namespace, file: TableFile, not_together: Iterable[str]
) -> KeptTable:
    """Return the table that --resume names, read from its file.

    Args:
        not_together: options that a kept table answers itself, None where they are not given.

    Raises:
        ValueError: such an option is given; the file is no table, or names programs.
        OSError: it cannot be read.
    """
    if not options.resume:
        raise ValueError(f"--resume: no name came, allowed: a file that ends in {SUFFIX}")
    for name in not_together:
        if getattr(options, name) is not None:
            raise ValueError(f"--{name}: not together with --resume, the table keeps its own")
    if not file.path.name:
        raise ValueError(f"{file.path}: allowed: a name that ends in {SUFFIX}")
    beside = file.path.with_name(file.path.name + SUFFIX)
    if os.path.isfile(beside):  # Path.is_file raises where nobody may look, with this name
        raise ValueError(f"{file.path}: the table is the file beside it, {beside}")
    records_beside(file.path)
    kept = file.read()
    if not options.programs:
        refuse_programs(kept, file.path)
    return kept


def table_of(
    options: argparse.Namespace, rules: _core.RuleSet, people: Sequence[int], names: Sequence[str]
) -> Table:
    """Return the table of these options.

    Args:
        people: places of the people.  names: of all places.

    Raises:
        ValueError: unknown agents, another number of them than of free places, any where none is
            free, --programs.
    """
    if options.programs:
        raise ValueError("--programs, allowed: with --resume; --agents starts what it names")
    if options.agents and len(people) == int(rules.players):
        raise ValueError(
            f"--agents {' '.join(options.agents)}: people sit at all {len(people)} places, "
            "allowed: none, or fewer --seats"
        )
    specs = agents_by_place(options.agents or [AGENT], people, int(rules.players))
    return Table(
        rules=rules,
        rules_name=chosen_rules(options),
        seed=new_seed(len(people)) if options.seed is None else options.seed,
        me=people[0],
        specs=specs,
        names=names,
        agents=agents_of(specs),
    )


def chosen_rules(options: argparse.Namespace) -> str:
    """Return the rules that a new table has by its options."""
    return RULES if options.rules is None else str(options.rules)


def place_of(option: str, text: str, players: int) -> int:
    """Return the place that an option names. Raises ValueError: these rules have none of that."""
    place = int(text) if re.fullmatch("[0-9]{1,8}", text) else players
    if place >= players:
        raise ValueError(
            f"{option} = {as_given(text)}, allowed: integer 0..{players - 1} under these rules"
        )
    return place


def at_a_new_table(out: str | None, sit: Callable[[ReplayFile, TableFile], int]) -> int:
    """Return what `sit` does with files of a new table, of another name where somebody else began
    in this second. Raises TableThere: the name `out` has a table."""
    while True:
        records = ReplayFile(out or default_file())
        try:
            with TableFile(kept_beside(records.path)) as file:
                return sit(records, file)
        except TableThere:
            if out:
                raise


def new_seed(people: int) -> int:
    """A seed for so many people: one can be remembered, that of several cannot be searched for.

    Somebody who knows the own eight cards would find one of a million in seconds.
    """
    return secrets.randbelow(1_000_000) if people == 1 else secrets.randbits(64)


def default_file() -> Path:
    """runs/play-TIME.jsonl, with a number where this second has a file already; runs/ is made."""
    stem = time.strftime("runs/play-%Y%m%d-%H%M%S")
    path, number = Path(f"{stem}.jsonl"), 1
    files.make_folder(path.parent)
    while os.path.lexists(path) or os.path.lexists(f"{path}{SUFFIX}"):
        number += 1
        path = Path(f"{stem}-{number}.jsonl")
    return path
