"""Reading datasets back: records, arrays, tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from schafkopf import _core, files
from schafkopf.datasets.checksums import (
    CHECKSUMS,
    check_checksum,
    check_manifest,
    read_checksums,
)
from schafkopf.datasets.replays import check_games
from schafkopf.datasets.schema import (
    DECISIONS,
    GAMES,
    Record,
    check_file,
    check_place,
    decisions_schema,
    games_schema,
    unpack_record,
)
from schafkopf.datasets.settings import read_manifest, shard_file, shards_in
from schafkopf.extras import load_extra
from schafkopf.keywords import check_progress, flag, whole
from schafkopf.nearest import nearest_hint

Array = np.ndarray[Any, Any]
NO_CARD = 255
_MOST_TOLD = 10  # files that were imported, by name
_RECORD = (
    "rules",
    "seats",
    "seed",
    "dealer",
    "hands",
    "legen",
    "auction",
    "entered",
    "doublings",
    "plays",
    "more",
)
# columns that a dataset has where `store` of write_dataset names what is on the right
_STORED_BY = {
    "view": "views",
    "legal": "masks",
    "probabilities": "probabilities",
    "value": "probabilities",
    "solver": "solver",
}


def allowed_columns(wrong: str, known: Sequence[str]) -> str:
    """Return "allowed: ..." for the name of a column that is none of the known ones, with how a
    dataset has it or the nearest name."""
    if wrong in _STORED_BY:
        hint = f'; a dataset that was written with store = ["{_STORED_BY[wrong]}"] has it'
    else:
        hint = nearest_hint(wrong, known)
    return f"allowed: {', '.join(known)}{hint}"


def column_names(columns: Sequence[str]) -> list[str]:
    """Return names of columns as a list. Raises ValueError: it is no list."""
    if isinstance(columns, str):
        raise ValueError(f'columns: the text "{columns}" came, allowed: a list of names, None')
    if not np.iterable(columns):
        raise ValueError(
            f"columns: {type(columns).__name__} came, allowed: a list of names, None for all"
        )
    return list(columns)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


class Dataset:
    """A folder that write_dataset or import_games made.

    A dataset that is not finished can be read as far as it goes; `missing` says what is left.

    Attributes:
        folder: its path.
        settings: what it consists of, as the manifest says.

    Raises:
        FileNotFoundError: there is no such folder;  ValueError: it is none of a dataset;
            ModuleNotFoundError: pyarrow is not installed.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = files.given_path(folder, "folder")
        self.settings = read_manifest(self.folder)
        self._sums: dict[str, str] = {}
        self._seen: dict[str, tuple[int, int, int]] = {}  # files as they were when they were whole
        load_extra("pyarrow.parquet", "parquet")

    def __repr__(self) -> str:
        return f"Dataset({str(self.folder)!r}, games={self.settings.games})"

    def __len__(self) -> int:
        """Number of games in the files that are there."""
        return sum(map(self.settings.games_in, self.shards()))

    def shards(self) -> list[int]:
        """Return the numbers of the shards that are finished."""
        there = shards_in(self.folder, GAMES)  # not the numbers of the manifest, which may be many
        return [
            shard
            for shard in there
            if shard < self.settings.shards
            and all(
                shard_file(self.folder, kind, shard).is_file() for kind in self.settings.kinds()
            )
        ]

    @property
    def missing(self) -> int:
        """Number of games that are still to be written."""
        return self.settings.games - len(self)

    def table(self, kind: str, shard: int, columns: Sequence[str] | None = None) -> Any:
        """Return a file of a shard as pyarrow.Table; kind: "games" or "decisions".

        Raises:
            ValueError: the file has another schema, other games than its place, or no such
                columns, or a shard that the dataset does not have; OSError: it is not there or
                cannot be read.
        """
        schema = self._schema(kind)
        names = None if columns is None else column_names(columns)
        if wrong := sorted({str(name) for name in names or ()} - set(schema.names)):
            allowed = allowed_columns(wrong[0], schema.names)
            raise ValueError(f'columns: "{wrong[0]}" is not in {kind}, {allowed}')
        shard = whole("shard", shard, 0, self.settings.shards - 1)
        with self._opened(kind, shard) as file:
            return file.read(columns=names)

    def columns(self, kind: str = GAMES) -> list[str]:
        """Return the names of the columns of a kind of file. Raises ValueError: no such kind."""
        return list(self._schema(kind).names)

    def check(
        self, *, replay: bool = False, progress: Callable[[int, int], object] | None = None
    ) -> None:
        """Look at the schema, place and checksum of every file.

        Args:
            replay: replay every game, too, and compare what follows from it: results, and seats,
                actions, payoffs, views and legal actions of the decisions.
            progress: called with (games replayed, games).

        Raises:
            ValueError, OSError: as table;  ValueError: names file and game where something differs.
        """
        replay = flag("replay", replay)
        check_progress(progress)
        check_manifest(self.folder, read_checksums(self.folder))
        self._seen.clear()  # looks at every file again
        for shard in self.shards():
            for kind in self.settings.kinds():
                with self._opened(kind, shard):
                    pass
        done = 0
        for shard in self.shards() if replay else ():
            check_games(self, shard)
            done += self.settings.games_in(shard)
            if progress:
                progress(done, len(self))

    @contextmanager
    def _opened(self, kind: str, shard: int) -> Iterator[Any]:
        """Give a file of a shard that has the schema and the games of its place."""
        pa = load_extra("pyarrow", "parquet")
        parquet = load_extra("pyarrow.parquet", "parquet")
        path = shard_file(self.folder, kind, shard)
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise ValueError(f"{path}: no regular file; resume the dataset, which writes it again")
        try:
            with (
                pa.OSFile(os.fspath(path)) as there,  # by a name ParquetFile reads "~" and "s3:"
                parquet.ParquetFile(there, page_checksum_verification=True) as file,
            ):
                check_file(file, path, self._schema(kind))
                check_place(file, path, kind, self.settings.place(shard))
                self._check_bytes(path)  # of another file it is said before which one it is
                yield file
        except (pa.ArrowException, LookupError, UnicodeDecodeError) as error:
            raise ValueError(
                f"{path}: no Parquet file ({error}), allowed: what `schafkopf dataset` wrote; move "
                "the file away and resume the dataset"
            ) from error
        except FileNotFoundError:
            raise
        except OSError as error:  # what Arrow says of damaged bytes, without the file
            raise OSError(f"{path}: {error}; resume the dataset, which writes it again") from error

    def _check_bytes(self, path: Path) -> None:
        """Refuse a file that has changed since it was written; looks once at one that stays."""
        sums, now = self.folder / CHECKSUMS, _stamp(path)
        if not sums.exists() or self._seen.get(path.name) == now:  # none in those of older versions
            return
        if self._seen.get(CHECKSUMS) != (of_sums := _stamp(sums)):
            self._sums = read_checksums(self.folder)
            self._seen[CHECKSUMS] = of_sums
        check_checksum(path, self._sums)
        self._seen[path.name] = now

    def lines(self) -> list[str]:
        """Return what the folder holds, for people."""
        settings, there = self.settings, self.shards()
        if settings.source:
            first = [one["name"] for one in settings.source[:_MOST_TOLD]]
            more = len(settings.source) - len(first)
            who = "imported: " + ", ".join(first) + (f" and {more} more" if more else "")
        else:
            who = "players: " + ", ".join(player["name"] for player in settings.players)
        size = sum(path.stat().st_size for path in self.folder.glob("*.parquet"))
        lines = [
            f"{_count(settings.games, 'game')} in {_count(settings.shards, 'shard')} of "
            f"{settings.shard_games}",
            who,
            f"rules: {settings.rule_set().name}, seed {settings.seed}, start: {settings.start}",
            f"of each decision: {', '.join(settings.store) or 'nothing'}",
            f"written by schafkopf {settings.schafkopf}: {_count(len(self), 'game')}, {size} bytes",
        ]
        if settings.source:
            del lines[2]
        if self.missing:
            shards = _count(settings.shards - len(there), "shard")
            lines.append(f"missing: {shards}, {_count(self.missing, 'game')}")
        return lines

    def _schema(self, kind: str) -> Any:
        if kind == GAMES:
            return games_schema()
        if kind == DECISIONS and self.settings.store:
            return decisions_schema(self.settings.store)
        stored = f"{GAMES}, {DECISIONS}" if self.settings.store else f"{GAMES} (no more is stored)"
        raise ValueError(f'kind = "{kind}", allowed: {stored}')

    def records(self) -> Iterator[Record]:
        """Yield the records of all games, in order; see env/RECORD.md. Raises as table."""
        for shard in self.shards():
            path, first = shard_file(self.folder, GAMES, shard), self.settings.place(shard).first
            for number, row in enumerate(self.table(GAMES, shard, _RECORD).to_pylist(), first):
                try:
                    yield unpack_record(row)
                except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                    raise ValueError(
                        f"{path}: game {number}: {type(error).__name__} ({error}), allowed: what "
                        "`schafkopf dataset` wrote"
                    ) from error

    def arrays(
        self,
        kind: str = GAMES,
        columns: Sequence[str] | None = None,
        shards: Sequence[int] | None = None,
    ) -> dict[str, Array]:
        """Return columns as arrays, one row per game or decision.

        Numbers and bools are arrays [N], of the same dtype in every dataset; names are texts [N] as
        wide as the longest. hands and plays
        are uint8 [N, most], filled up with 255; the other bytes of records are objects. payoffs:
        float32 [N, 4]. view: [N] of VIEW_DTYPE; legal: uint64 [N, 2]; probabilities: float32
        [N, 128]; solver: int16 [N, 128], -1 where there is no value. won is int8, 1 or 0. What is
        missing is NaN in payoffs and value, -1 in won, declarer_points and dealer, and 0 in
        declarer_party. seed is uint64, objects with None where a game has none: no number is free.

        Args:
            columns: None = all; shards: None = all that are there.

        Raises:
            ValueError: unknown columns; as table.
        """
        if isinstance(shards, str) or (shards is not None and not np.iterable(shards)):
            raise ValueError(
                f"shards: {type(shards).__name__} came, allowed: a list of numbers of "
                "Dataset.shards(), None for all"
            )
        chosen = self.shards() if shards is None else list(shards)
        if shards is not None and not chosen:
            raise ValueError("shards: none, allowed: numbers of Dataset.shards(), None for all")
        names = list(self._schema(kind).names) if columns is None else column_names(columns)
        read = list(names)
        masked = {"probabilities", "solver"} & set(names)
        if masked <= set(self._schema(kind).names) and masked and "legal" not in names:
            read.append("legal")
        parts = [self.table(kind, shard, read) for shard in chosen]
        if not parts:
            raise ValueError(f"{self.folder}: no shard is finished, allowed: resume it first")
        table = load_extra("pyarrow", "parquet").concat_tables(parts, promote_options="permissive")
        return {name: _array(table, name) for name in names}


def _stamp(path: Path) -> tuple[int, int, int]:
    now = path.stat()
    return now.st_ino, now.st_size, now.st_mtime_ns


# Columns that may be null: dtype, and what stands for null.
_MISSING = {
    "won": (np.int8, -1),
    "declarer_points": (np.int16, -1),
    "declarer_party": (np.uint8, 0),
    "dealer": (np.int8, -1),
}


def _array(table: Any, name: str) -> Array:
    pa = load_extra("pyarrow", "parquet")
    column = table.column(name)
    kind = column.type
    if name == "legal":
        return _cells(column, np.uint64).reshape(-1, 2)
    if name == "view":
        return _cells(column, _core.VIEW_DTYPE)
    if name in ("probabilities", "solver"):
        return _spread(column, _array(table, "legal"), name)
    if name == "payoffs":
        there = np.asarray(column.is_valid())
        rows = np.full((len(there), kind.list_size), np.nan, np.float32)
        rows[there] = column.combine_chunks().flatten().to_numpy().reshape(-1, kind.list_size)
        return rows
    if name in ("hands", "plays"):
        return _padded(column.to_pylist())
    if name in _MISSING:
        dtype, missing = _MISSING[name]
        return np.asarray(column.cast(pa.int64()).fill_null(missing).to_numpy(), dtype)
    if name == "seed" and column.null_count:
        return np.array(column.to_pylist(), object)
    if pa.types.is_dictionary(kind):
        words = column.cast(pa.string()).fill_null("")
        return np.asarray(words.to_pylist())
    return np.asarray(column.to_numpy())


def _cells(column: Any, dtype: Any) -> Array:
    """Return fixed-size binaries as items of a dtype."""
    chunks = []
    for chunk in column.chunks:
        width = chunk.type.byte_width
        start = chunk.offset * width
        cells = np.frombuffer(chunk.buffers()[1], np.uint8)[start : start + len(chunk) * width]
        chunks.append(cells)
    # Bytes until they are together: NumPy takes unnamed bytes out of records that it joins.
    return np.concatenate(chunks).view(dtype) if chunks else np.empty(0, dtype)


def _padded(rows: list[bytes | None]) -> Array:
    most = max((len(row or b"") for row in rows), default=0)
    cells = b"".join((row or b"").ljust(most, b"\xff") for row in rows)
    return np.frombuffer(cells, np.uint8).reshape(len(rows), most)


def _spread(column: Any, legal: Array, name: str) -> Array:
    """Return lists over legal actions as rows over all actions."""
    bits = np.unpackbits(legal.view(np.uint8), axis=1, bitorder="little").astype(bool)
    combined = column.combine_chunks()
    there = np.asarray(combined.is_valid().to_numpy(zero_copy_only=False))
    if name == "solver":
        rows: Array = np.full(bits.shape, -1, np.int16)
    else:
        rows = np.zeros(bits.shape, np.float32)
    rows[bits & there[:, None]] = combined.flatten().to_numpy()
    return rows
