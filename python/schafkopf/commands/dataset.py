"""`schafkopf dataset`: millions of games as Parquet, and what stands in such a folder."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from schafkopf import datasets, files, tournaments
from schafkopf.commands.options import (
    AGENTS,
    Commands,
    add_field,
    add_folders,
    add_ray,
    field,
    whole_number,
)
from schafkopf.datasets.schema import STORED
from schafkopf.datasets.settings import MOST_GAMES, MOST_IN_A_SHARD, ROUND, STARTS
from schafkopf.datasets.write import MOST_WORKERS
from schafkopf.say import harmless, say_aside

SETTINGS = (
    "players",
    "games",
    "seed",
    "rules",
    "start",
    "generator",
    "store",
    "shard_games",
)


def _announce(options: argparse.Namespace, action: str) -> Any:
    def announce(place: Path) -> None:
        again = f"--resume {shlex.quote(files.as_argument(place))}"
        say_aside(f"dataset in {place}; after Ctrl-C: {again}")
        if ending := getattr(options, "ending", None):
            ending.last_words = f"ended at once; schafkopf dataset {action} {again} goes on"

    return announce


def _folder(options: argparse.Namespace) -> Path:
    """Return the folder of a run. Raises ValueError: two of them."""
    if options.out and options.resume:
        raise ValueError("--resume goes on with a dataset in its own folder: no --out")
    return Path(options.resume or options.out or tournaments.new_folder("dataset"))


def _write(options: argparse.Namespace) -> int:
    given = {name: getattr(options, name) for name in SETTINGS}
    if not options.resume:
        for name in ("players", "games"):
            if given[name] is None:
                raise ValueError(f"a new dataset needs --{name}; --resume goes on with an old one")
    dataset = datasets.write_dataset(
        _folder(options),
        resume=bool(options.resume),
        workers=options.workers,
        ray=options.ray,
        progress=tournaments.ProgressLine("dataset", "games"),
        started=_announce(options, "write"),
        note=say_aside,
        **given,
    )
    return _told(dataset)


def _told(dataset: datasets.Dataset) -> int:
    written = list(dataset.folder.glob("*.parquet"))
    size = sum(file.stat().st_size for file in written)
    games = len(dataset)
    print(
        f"{games} game{'' if games == 1 else 's'} in {len(written)} "
        f"file{'' if len(written) == 1 else 's'}, {size / games:.1f} bytes per game"
    )
    print(harmless(f"wrote {dataset.folder}"))
    return 0


_MOST_TOLD = 100  # damaged games that are named one by one


def _import(options: argparse.Namespace) -> int:
    if not options.files and not options.resume:
        raise ValueError("an import needs files of game records, or --resume with a folder")
    wrong: list[str] = []

    def damaged(text: str) -> None:
        wrong.append(text)
        if len(wrong) <= _MOST_TOLD:
            say_aside(f"schafkopf: left out: {text}")

    dataset = datasets.import_games(
        options.files,
        _folder(options),
        shard_games=options.shard_games,
        damaged=damaged if options.skip_damaged else None,
        resume=bool(options.resume),
        progress=tournaments.ProgressLine("import", "games"),
        note=say_aside,
    )
    if len(wrong) > _MOST_TOLD:
        say_aside(f"schafkopf: left out: {len(wrong) - _MOST_TOLD} more damaged games")
    return _told(dataset) or bool(wrong)


def _info(options: argparse.Namespace) -> int:
    dataset = datasets.Dataset(options.folder)
    progress = tournaments.ProgressLine("replay", "games") if options.replay else None
    dataset.check(replay=options.replay, progress=progress)
    for line in dataset.lines():
        print(harmless(line))
    if options.replay:
        games = "1 game" if len(dataset) == 1 else f"{len(dataset)} games"
        print(f"replayed: {games}, all as they are written")
    return 0


def _export(options: argparse.Namespace) -> int:
    from schafkopf.adapters import minari  # which needs packages that the others do not

    exported = minari.export_minari(
        options.folder,
        options.minari,
        seat=options.seat,
        observation=options.observation,
        observation_version=options.observation_version,
        author=options.author,
        author_email=options.author_email,
        code_permalink=options.code_permalink,
        licence=options.licence,
        progress=tournaments.ProgressLine("export", "games"),
    )
    print(f"{exported.total_episodes} episodes, {exported.total_steps} steps")
    place = exported.storage.data_path.parent
    print(harmless(f'wrote {place}: minari.load_dataset("{options.minari}")'))
    return 0


def run(options: argparse.Namespace) -> int:
    """Run one of the subcommands."""
    actions = {"write": _write, "import": _import, "info": _info, "export": _export}
    return actions[options.action](options)


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "dataset",
        help="games of any players as Parquet files",
        description="Datasets of games: records and, where they are asked for, views, legal "
        "actions, probabilities and solver values of each decision. Needs pyarrow. "
        "python/schafkopf/datasets/SCHEMA.md describes files and columns.",
        epilog="Example: schafkopf dataset write --players rules --games 1000 --store views "
        "--out runs/games.",
    )
    parser.set_defaults(run=run)
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    _add_write(actions)
    _add_import(actions)
    info = actions.add_parser(
        "info",
        help="what a folder holds, and what is missing in it",
        description="Print what a dataset holds and how much of it is not written yet. A file that "
        "does not fit its checksum is an error, exit code 2.",
    )
    info.add_argument("folder", metavar="DIR")
    info.add_argument(
        "--replay",
        action="store_true",
        help="replay every game, too, and compare results and decisions with it",
    )
    _add_export(actions)


def _add_write(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    write = actions.add_parser(
        "write",
        help="play games into a folder",
        description="Play games and write them. The same settings give the same bytes, for any "
        "number of workers and however often the work was stopped and resumed.",
        epilog=f"Agents: {AGENTS}.",
    )
    write.add_argument(
        "--players", nargs="+", metavar="AGENT", help="who plays; several change their seats"
    )
    write.add_argument(
        "--games", type=whole_number(1, MOST_GAMES), metavar="N", help="number of games"
    )
    add_folders(write, "dataset", "dataset_TIME")
    for key in ("seed", "rules"):
        default = field("tournament", key)["default"]
        add_field(write, "tournament", key, note=f"default: {default}, or the folder's")
    write.add_argument(
        "--start",
        choices=STARTS,
        metavar="|".join(STARTS),
        help="where a game starts: card_play takes contracts of --generator (default: deal)",
    )
    write.add_argument(
        "--generator",
        metavar="NAME",
        help="contracts of deals that start at card play (default: heuristic)",
    )
    write.add_argument(
        "--store",
        nargs="*",
        choices=STORED,
        metavar="WHAT",
        help=f"what is kept of each decision, of {', '.join(STORED)} (default: nothing)",
    )
    _add_shard_games(write)
    _add_workers(write)
    add_ray(write)


def _add_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers",
        type=whole_number(0, MOST_WORKERS),
        default=0,
        metavar="N",
        help="processes, 0 = one per processor that may be used (default: 0)",
    )


def _add_shard_games(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--shard-games",
        type=whole_number(ROUND, MOST_IN_A_SHARD, step=ROUND),
        metavar="N",
        help=f"games of a file, a multiple of {ROUND} (default: 8192, or the folder's)",
    )


def _add_import(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = actions.add_parser(
        "import",
        help="recorded games into a folder",
        description="Write recorded games, JSON lines or readable text as in env/RECORD.md. Every "
        "game is replayed first; a damaged one is an error, and nothing is written.",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="files of game records")
    add_folders(parser, "import", "dataset_TIME")
    _add_shard_games(parser)
    parser.add_argument(
        "--skip-damaged",
        action="store_true",
        help="name damaged games and leave them out; exit code 1 if there are any",
    )


def _add_export(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = actions.add_parser(
        "export",
        help="what the seats saw and did as a Minari dataset, for offline learning",
        description="Write a dataset with views to the local storage of Minari "
        "(MINARI_DATASETS_PATH): one seat of one game is an episode of Schafkopf-v0. Needs minari.",
    )
    parser.add_argument("folder", metavar="DIR", help="dataset written with --store views")
    parser.add_argument(
        "--minari", required=True, metavar="ID", help="name-v0 or namespace/name-v0, a new one"
    )
    parser.add_argument(
        "--seat", type=whole_number(0, 3), metavar="N", help="one seat only (default: every seat)"
    )
    parser.add_argument(
        "--observation",
        choices=("float32", "uint8"),
        default="float32",
        help="rows: scaled, or counts of a quarter of the size (default: float32)",
    )
    parser.add_argument(
        "--observation-version",
        type=whole_number(1, 4),
        default=1,
        metavar="N",
        help="layout of the rows (default: 1)",
    )
    for name, meaning in (
        ("--author", "who made the dataset; may be repeated"),
        ("--author-email", "how to reach them; may be repeated"),
    ):
        parser.add_argument(name, action="append", default=[], metavar="TEXT", help=meaning)
    for name, meaning in (
        ("--code-permalink", "address of the code of the players"),
        ("--licence", "licence of the data"),
    ):
        parser.add_argument(name, default="", metavar="TEXT", help=meaning)
    parser.set_defaults(takes_any=("author", "author-email", "code-permalink", "licence"))
