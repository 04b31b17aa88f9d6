"""Recorded games as a dataset."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from schafkopf import _core, files
from schafkopf.datasets.read import Dataset
from schafkopf.datasets.schema import (
    GAMES,
    games_schema,
    pack_record,
    parquet_bytes,
    results_of,
)
from schafkopf.datasets.settings import (
    MAX_MANIFEST_BYTES,
    Settings,
    check_same,
    read_manifest,
    sha256,
    shard_size,
)
from schafkopf.datasets.write import Progress, write_shards
from schafkopf.extras import load_extra
from schafkopf.keywords import check_called, check_progress, flag, names_keywords
from schafkopf.records import read_entries

_MOST_NAMED = MAX_MANIFEST_BYTES - 2**16  # the rest of a manifest takes less


@names_keywords
def import_games(
    sources: Sequence[str | Path] | str | Path,
    out: str | Path,
    *,
    shard_games: int | None = None,
    damaged: Callable[[str], object] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    note: Callable[[str], object] | None = None,
) -> Dataset:
    """Write recorded games to a dataset; every game is replayed before anything is written.

    Args:
        sources: files of JSON lines or readable text (env/RECORD.md); [] with resume = those of
            the folder, where they were.
        out: new folder; with resume that of an import that was stopped or killed.
        shard_games: games of a file (8192), a multiple of 8.
        damaged: called with what is wrong with a game, which is then left out; None: it is an
            error, and nothing is written.
        progress: called with (games written, games).
        note: as in write_dataset.

    Raises:
        ValueError: a damaged game (names file and line), no game at all, more files than a
            manifest has room for (many thousands), a folder that is not empty, or with resume one
            of other files or settings; nothing is changed then.
        OSError: a file cannot be read. ModuleNotFoundError: pyarrow is not installed.
    """
    load_extra("pyarrow.parquet", "parquet")
    check_progress(progress)
    check_called("damaged", damaged, "a text")
    check_called("note", note, "a text")
    folder, resume = files.given_path(out, "out"), flag("resume", resume)
    there = read_manifest(folder) if resume else None
    one = isinstance(sources, (str, bytes, os.PathLike)) or not isinstance(sources, Iterable)
    given: list[Any] = [sources] if one else list(sources)  # type: ignore[arg-type]
    if there:
        if not there.source:
            raise ValueError(f"{folder} holds games that were played: resume writing it")
        given = given or [one["name"] for one in there.source]
    paths = [files.given_path(path, f"sources[{at}]") for at, path in enumerate(given)]
    for path in paths:
        files.check_twice_readable(path, "a file of game records")
    if shard_games is None:
        shard_games = there.shard_games if there else 8192
    size = shard_size(shard_games)
    source = tuple({"name": str(path), "sha256": sha256(path)} for path in paths)
    if (named := len(json.dumps(source, indent=2))) > _MOST_NAMED:
        raise ValueError(
            f"sources: {len(source)} files, whose names and hashes take {named} bytes, allowed: "
            f"{_MOST_NAMED}; one file may have any number of games"
        )
    settings = Settings(
        games=_counted(paths, damaged),
        shard_games=size,
        seed=0,
        rules={},
        start="deal",
        generator="",
        players=(),
        store=(),
        source=source,
    )
    if there:
        check_same(there, settings, folder)

    def results(left: list[int]) -> Iterator[tuple[int, dict[str, bytes]]]:
        return _shards(paths, settings, set(left))

    write_shards(folder, settings, results, resume=resume, progress=progress, note=note)
    return Dataset(folder)


def _games(
    paths: Sequence[Path], damaged: Callable[[str], object]
) -> Iterator[tuple[str, _core.Game]]:
    """Yield (JSON of the record, game at its end) of every game that can be replayed."""
    for path in paths:
        with path.open("rb") as lines, files.naming(path):
            try:
                for entry in read_entries(lines):
                    try:
                        if entry.mistake:
                            raise ValueError(entry.mistake)
                        game = _core.replay_game(entry.json, entry.line)
                    except ValueError as error:
                        damaged(f"{path}: {error}")
                        continue
                    yield entry.json, game
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from error


def _counted(paths: Sequence[Path], damaged: Callable[[str], object] | None) -> int:
    wrong: list[str] = []
    count = sum(1 for _ in _games(paths, damaged or wrong.append))
    if wrong:
        others = f" (and {len(wrong) - 1} more damaged games)" if len(wrong) > 1 else ""
        raise ValueError(f"{wrong[0]}{others}; nothing was written")
    if not count:
        named = ", ".join(map(str, paths)) or "sources"
        raise ValueError(f"{named}: no game that can be replayed, allowed: at least one")
    return count


def _shards(
    paths: Sequence[Path], settings: Settings, left: set[int]
) -> Iterator[tuple[int, dict[str, bytes]]]:
    pa = load_extra("pyarrow", "parquet")
    rows: list[dict[str, Any]] = []
    for number, (line, game) in enumerate(_games(paths, lambda _: None)):
        shard, last = number // settings.shard_games, number + 1 == settings.games
        if shard not in left:
            continue
        rows.append({"game": number, **pack_record(files.parse_json(line, "")), **results_of(game)})
        if len(rows) == settings.shard_games or last:
            table = pa.Table.from_pylist(rows, schema=games_schema())
            yield shard, {GAMES: parquet_bytes(table, settings.place(shard))}
            rows = []
