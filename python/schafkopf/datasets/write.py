"""Writing datasets: a manifest first, then finished shards, in any order and by any process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any

from schafkopf import files, programs
from schafkopf.crew import over_processes, over_ray, refuse_second_run, usable_processors
from schafkopf.datasets.checksums import (
    check_manifest,
    check_number,
    read_checksums,
    write_checksums,
)
from schafkopf.datasets.play import ShardPlayer
from schafkopf.datasets.read import Dataset
from schafkopf.datasets.settings import (
    MANIFEST,
    MAX_MANIFEST_BYTES,
    Settings,
    check_same,
    named,
    read_manifest,
    settings_of,
    sha256,
    shard_file,
)
from schafkopf.extras import load_extra
from schafkopf.keywords import check_called, check_progress, check_ray, flag, names_keywords, whole

Progress = Callable[[int, int], object]
MOST_WORKERS = 1024


@names_keywords
def write_dataset(
    out: str | Path,
    *,
    players: Any = None,
    games: int | None = None,
    seed: int | None = None,
    rules: Any = None,
    start: str | None = None,
    generator: str | None = None,
    store: Sequence[str] | None = None,
    shard_games: int | None = None,
    resume: bool = False,
    workers: int = 1,
    ray: str | bool = False,
    progress: Progress | None = None,
    started: Callable[[Path], object] | None = None,
    note: Callable[[str], object] | None = None,
) -> Dataset:
    """Play games and write them to a folder of Parquet files.

    The bytes of the folder depend on the settings alone: not on the number of workers, on kills
    and on how often it was resumed. A shard that is finished is written again only where it no
    longer fits its checksum.

    Args:
        out: new folder; with resume that of a dataset that was stopped or killed.
        players: one or several: names, Agents, objects with act(views), or a dict of names to
            them. They rotate: seat s of game g is player (s + g // (8 * seats)) % players.
        games: how many; with `players` all that a new dataset needs.
        seed: of deals and players' draws (1): game g is the same in every dataset of the seed.
        rules: preset name, path of a .toml file, dict or RuleSet ("research").
        start: "deal", or "card_play" with contracts of `generator` ("heuristic").
        store: what is kept of each decision (nothing): "views", "masks", "probabilities" of the
            player and its value, "solver": points with open cards after each legal card.
        shard_games: games of a file (8192), a multiple of 8. All of them are in memory at once.
        resume: go on; settings that are given must be those of the folder. Objects that play are
            given again.
        workers: processes that play, 0 = one per processor that may be used.
        ray: play on the machines of a Ray cluster instead: its address, or True for that of this
            machine (crew.over_ray); this process writes what they send.
        progress: called with (games done, games); what it raises ends the work.
        started: called with the folder when everything is checked and the games begin.
        note: called with a sentence about each file that is damaged and is written again, and about
            decisions that were drawn because a program failed; None, or in other processes:
            it is a RuntimeWarning.

    Raises:
        ValueError: a wrong setting, a folder that is not empty, or with resume one of other
            settings (names them); nothing is changed then.
        ModuleNotFoundError: pyarrow, or ray where it is asked for, is not installed.
        RuntimeError: a worker was killed, or ended (a program that stands outside of functions
            runs again in every worker). What is finished stays; resume goes on.
    """
    load_extra("pyarrow.parquet", "parquet")
    refuse_second_run()
    check_progress(progress)
    check_called("started", started, "a path")
    check_called("note", note, "a text")
    check_ray(ray)
    if not files.path_text(out, "out"):
        came = "None" if out is None else '""'
        raise ValueError(f"out = {came}, allowed: a new folder")
    folder, resume = Path(out), flag("resume", resume)
    given = {
        "players": players,
        "games": games,
        "seed": seed,
        "rules": rules,
        "start": start,
        "generator": generator,
        "store": store,
        "shard_games": shard_games,
    }
    given = {name: value for name, value in given.items() if value is not None}
    settings, who = _resumed(folder, given) if resume else _new(given)
    workers = whole("workers", workers, 0, MOST_WORKERS) or usable_processors()

    def results(left: list[int]) -> Iterator[tuple[int, dict[str, bytes]]]:
        player = ShardPlayer(settings, who, note)
        if started:
            started(folder)
        if ray:
            yield from over_ray(player, left, ray)
        elif min(workers, len(left)) > 1:
            yield from over_processes(player, left, min(workers, len(left)))
        else:
            yield from ((shard, player(shard)) for shard in left)

    write_shards(folder, settings, results, resume=resume, progress=progress, note=note)
    return Dataset(folder)


def _new(given: dict[str, Any]) -> tuple[Settings, dict[str, Any]]:
    for name in ("players", "games"):
        if name not in given:
            raise ValueError(f"{name}: a new dataset needs them")
    given["players"] = named(given["players"])
    return settings_of(**given), given["players"]


def _resumed(folder: Path, given: dict[str, Any]) -> tuple[Settings, dict[str, Any]]:
    """Return the settings of a folder and its players, checked against those that are given."""
    there = read_manifest(folder)
    if there.source:
        raise ValueError(f"{folder} holds imported games: `schafkopf dataset import` goes on there")
    kept: dict[str, Any] = {
        name: getattr(there, name)
        for name in ("games", "seed", "rules", "start", "generator", "store", "shard_games")
    }
    kept["players"] = {player["name"]: player["spec"] for player in there.players}
    if given.get("start", there.start) != there.start and "generator" not in given:
        kept["generator"] = ""
    values = kept | given
    if "players" not in given:
        for name, spec in kept["players"].items():
            programs.refuse_program(
                spec, f'{folder}: player "{name}"', "it is given again with resume"
            )
    values["players"] = named(values["players"])
    for name, player in values["players"].items():
        if player == "":
            raise ValueError(
                f'players: "{name}" is an object of Python, allowed: it is given again with resume'
            )
    now = settings_of(**values)
    check_same(there, now, folder)
    return there, values["players"]


def write_shards(
    folder: Path,
    settings: Settings,
    results: Callable[[list[int]], Iterator[tuple[int, dict[str, bytes]]]],
    *,
    resume: bool,
    progress: Progress | None = None,
    note: Callable[[str], object] | None = None,
) -> None:
    """Write what is missing in the folder of a dataset.

    Args:
        results: gives (shard, kind -> bytes of a file) for the shards it is called with.
        note: as in write_dataset.

    Raises:
        ValueError: another run is writing this dataset, or it has too many files; what
            begun_folder and `results` raise.
    """
    check_number(settings)

    def used() -> bool:
        return any(folder.glob("*.parquet"))

    with ExitStack() as stack:
        if not resume:
            first = (MANIFEST, settings.text())
            stack.enter_context(files.begun_folder(folder, first, used, most=MAX_MANIFEST_BYTES))
        else:  # of a run that was killed when it had begun the folder: it is not written again
            files.remove_leftovers(folder / MANIFEST)
        stack.enter_context(files.held(folder / MANIFEST, "dataset"))
        shards = product(settings.kinds(), range(settings.shards))
        names = {shard_file(folder, kind, shard).name for kind, shard in shards}
        read = read_checksums(folder)
        sums = {name: read[name] for name in read if name in names or name == MANIFEST}
        check_manifest(folder, sums)
        left = missing_shards(folder, settings, sums)
        for path in _damaged_files(folder, settings, left, sums):
            files.tell(f"{path}: damaged, it is written again", note)
        done = settings.games - sum(map(settings.games_in, left))
        if progress:
            progress(done, settings.games)
        if not left:
            if sums != read:
                write_checksums(folder, sums)
            return
        made = results(left)
        stack.callback(getattr(made, "close", lambda: None))
        for shard, contents in made:
            for kind in settings.kinds():
                path = shard_file(folder, kind, shard)
                files.write_bytes(path, contents[kind], owned=True)
                sums[path.name] = sha256(path)
            write_checksums(folder, sums)
            done += settings.games_in(shard)
            if progress:
                progress(done, settings.games)


def missing_shards(folder: Path, settings: Settings, sums: Mapping[str, str]) -> list[int]:
    """Return the shards of a dataset that are not written as a whole, by its checksums."""

    def is_whole(path: Path) -> bool:
        return path.is_file() and sums.get(path.name) == sha256(path)

    return [
        shard
        for shard in range(settings.shards)
        if not all(is_whole(shard_file(folder, kind, shard)) for kind in settings.kinds())
    ]


def _damaged_files(
    folder: Path, settings: Settings, shards: list[int], sums: Mapping[str, str]
) -> list[Path]:
    """Return the files of these shards that are there and do not fit their checksum."""
    paths = [shard_file(folder, kind, shard) for shard in shards for kind in settings.kinds()]
    return [
        path
        for path in paths
        if path.is_file() and path.name in sums and sums[path.name] != sha256(path)
    ]
