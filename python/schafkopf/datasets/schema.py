"""Columns of a dataset, and game records as rows of them; SCHEMA.md describes both.

Whatever a column cannot hold stands in the column `more`, so a record comes back as it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from schafkopf import _core, files
from schafkopf.extras import load_extra

Record = dict[str, Any]
FORMAT = "schafkopf-dataset-1"
GAMES, DECISIONS = "games", "decisions"
SEATS = 4
STORED = ("views", "masks", "probabilities", "solver")

_CARDS = {_core.card_name(card): card for card in range(32)}
_CARD_NAMES = {card: name for name, card in _CARDS.items()}
_ACTIONS = {_core.action_name(action): action for action in range(_core.NUM_ACTIONS)}
_ACTION_NAMES = {action: name for name, action in _ACTIONS.items()}
_ENTERED = ("contract", "declarer", "partner")


def games_schema() -> Any:
    """Return the pyarrow schema of a file of games."""
    pa = load_extra("pyarrow", "parquet")
    word = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [
            ("game", pa.int64()),
            ("seed", pa.uint64()),
            *((f"player_{seat}", word) for seat in range(SEATS)),
            ("rules", word),
            ("seats", pa.int8()),
            ("dealer", pa.int8()),
            ("hands", pa.binary()),
            ("legen", pa.binary()),
            ("auction", pa.binary()),
            ("entered", word),
            ("doublings", pa.binary()),
            ("plays", pa.binary()),
            ("more", pa.string()),
            ("finished", pa.bool_()),
            ("contract", word),
            ("declarer", pa.int8()),
            ("declarer_party", pa.uint8()),
            ("declarer_points", pa.int16()),
            ("won", pa.bool_()),
            ("payoffs", pa.list_(pa.float32(), SEATS)),
        ]
    )


def decisions_schema(store: Sequence[str]) -> Any:
    """Return the pyarrow schema of a file of decisions with what is stored."""
    pa = load_extra("pyarrow", "parquet")
    columns = [
        ("game", pa.int64()),
        ("decision", pa.int16()),
        ("seat", pa.int8()),
        ("action", pa.uint8()),
        ("payoff", pa.float32()),
    ]
    if "views" in store:
        columns.append(("view", pa.binary(_core.VIEW_DTYPE.itemsize)))
    if {"masks", "probabilities", "solver"} & set(store):
        columns.append(("legal", pa.binary(16)))
    if "probabilities" in store:
        columns += [("probabilities", pa.list_(pa.float32())), ("value", pa.float32())]
    if "solver" in store:
        columns.append(("solver", pa.list_(pa.uint8())))
    return pa.schema(columns)


# ---- records as rows ----------------------------------------------------------------------------


def _pairs(entries: Any, second: Callable[[Any], int]) -> bytes:
    """Bytes of [seat, something] pairs. Raises where an entry is none."""
    cells = bytearray()
    for seat, value in entries:
        cells += bytes((seat, second(value)))
    return bytes(cells)


def _split(cells: bytes, second: Callable[[int], Any]) -> list[list[Any]]:
    return [[cells[i], second(cells[i + 1])] for i in range(0, len(cells), 2)]


def _hands(hands: list[list[str]]) -> bytes:
    if len({len(hand) for hand in hands}) != 1:
        raise ValueError("hands of several sizes")
    return bytes(_CARDS[card] for hand in hands for card in hand)


def _hand_lists(cells: bytes, seats: int) -> list[list[str]]:
    size = len(cells) // seats
    cards = [_CARD_NAMES[card] for card in cells]
    return [cards[i : i + size] for i in range(0, len(cards), size)]


# key of a record -> (as bytes, back again)
_PACKED: dict[str, tuple[Callable[[Any], bytes], Callable[[bytes], Any]]] = {
    "legen": (bytes, list),
    "auction": (
        lambda entries: _pairs(entries, _ACTIONS.__getitem__),
        lambda cells: _split(cells, _ACTION_NAMES.__getitem__),
    ),
    "doublings": (lambda entries: _pairs(entries, int), lambda cells: _split(cells, int)),
    "plays": (
        lambda cards: bytes(map(_CARDS.__getitem__, cards)),
        lambda cells: [_CARD_NAMES[card] for card in cells],
    ),
}


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pack_record(record: Record) -> Record:
    """Return the columns of a record; unpack_record gives an equal one back."""
    left = dict(record)
    row: Record = dict.fromkeys((*_PACKED, "dealer", "seed", "hands", "entered", "more"))
    row["rules"] = _compact(left.pop("rules", "research"))
    for key, least, most in (("dealer", 0, 3), ("seed", 0, 2**64 - 1)):
        value = left.get(key)
        if type(value) is int and least <= value <= most:
            row[key] = left.pop(key)
    seats = row["seats"] = len(left["hands"])
    forms = _PACKED | {"hands": (_hands, lambda cells: _hand_lists(cells, seats))}
    for key, (packed, unpacked) in forms.items():
        if key not in left:
            continue
        try:
            cells = packed(left[key])
        except (KeyError, TypeError, ValueError):
            continue
        if unpacked(cells) == left[key]:
            row[key] = cells
            del left[key]
    if "contract" in left:
        row["entered"] = _compact({key: left.pop(key) for key in _ENTERED if key in left})
    if left:
        row["more"] = _compact(left)
    return row


def unpack_record(row: Record) -> Record:
    """Return the record of a row of the games."""
    if not isinstance(row["rules"], str):
        raise ValueError(f"rules: {row['rules']!r}, allowed: a rule set as JSON")
    record: Record = {"rules": files.parse_json(row["rules"], "rules")}
    for key in ("seed", "dealer"):
        if row[key] is not None:
            record[key] = row[key]
    if row["hands"] is not None:
        record["hands"] = _hand_lists(row["hands"], row["seats"])
    for key in ("legen", "auction"):
        if row[key] is not None:
            record[key] = _PACKED[key][1](row[key])
    if row["entered"] is not None:
        record |= _object(row["entered"], "entered")
    for key in ("doublings", "plays"):
        if row[key] is not None:
            record[key] = _PACKED[key][1](row[key])
    if row["more"] is not None:
        record |= _object(row["more"], "more")
    return record


def _object(text: str, column: str) -> Record:
    found = files.parse_json(text, column)
    if not isinstance(found, dict):
        raise ValueError(f"{column}: {text:.60}, allowed: a JSON object")
    return found


def results_of(game: _core.Game) -> Record:
    """Return the columns that say how a game ended; null where it has not."""
    contract = game.contract
    row: Record = {
        "finished": game.is_terminal,
        "contract": "" if contract is None else contract.name + "_TOUT" * contract.tout,
        "declarer": -1 if contract is None else contract.declarer,
        "declarer_party": None,
        "declarer_points": None,
        "won": None,
        "payoffs": None,
    }
    if not game.is_terminal:
        return row
    payoffs = game.payoffs()
    row["payoffs"] = payoffs + [0.0] * (SEATS - len(payoffs))
    row["declarer_party"] = sum(1 << seat for seat in game.declarer_party)
    if contract is not None and game.declarer_party:
        settled = _core.game_settlement(game)
        row["declarer_points"] = settled["declarer_points"]
        row["won"] = settled["won"]
    return row


# ---- files --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Where a file belongs.

    Attributes:
        manifest: SHA-256 of the manifest of its dataset.
        shard: its number.
        first, games: number of its first game, and how many there are.
    """

    manifest: str
    shard: int
    first: int
    games: int

    def marks(self) -> dict[str, str]:
        """Return what a file says of it in its metadata."""
        return {"schafkopf": FORMAT, "manifest": self.manifest, "shard": str(self.shard)}


def parquet_bytes(table: Any, place: Place) -> bytes:
    """Return a table as a Parquet file; the same table and place give the same bytes."""
    pa = load_extra("pyarrow", "parquet")
    parquet = load_extra("pyarrow.parquet", "parquet")
    words = [field.name for field in table.schema if pa.types.is_dictionary(field.type)]
    # plain, as polars and DuckDB cannot read it split by bytes; at level 9 it is 2 % larger than so
    levels = {name: 9 for name in ("view",) if name in table.schema.names}
    sink = pa.BufferOutputStream()
    parquet.write_table(
        table.replace_schema_metadata(place.marks()),
        sink,
        compression="zstd",
        compression_level=levels or None,
        write_page_checksum=True,
        use_dictionary=words,
    )
    return bytes(sink.getvalue())


def check_file(file: Any, path: Any, wanted: Any) -> None:
    """Refuse a Parquet file that has another schema than its place in a dataset.

    Raises:
        ValueError: names the file, what is wrong and what to do.
    """
    there = file.schema_arrow
    mark = _mark(file, "schafkopf")
    advice = "allowed: what `schafkopf dataset` wrote; move the file away and resume the dataset"
    if mark != FORMAT:
        what = f"its form is {mark!r}" if mark else "it is no file of a dataset"
        raise ValueError(f"{path}: {what}, not {FORMAT!r}; {advice}")
    for field in wanted:
        if field.name not in there.names:
            raise ValueError(f"{path}: there is no column {field.name}; {advice}")
        if there.field(field.name).type != field.type:
            type_there = there.field(field.name).type
            raise ValueError(
                f"{path}: the column {field.name} is {type_there}, not {field.type}; {advice}"
            )


def check_place(file: Any, path: Any, kind: str, place: Place) -> None:
    """Refuse a Parquet file with other games than its place in a dataset has.

    Files of versions before have no marks of their place; their games are counted all the same.

    Raises:
        ValueError: names the file, what is wrong and what to do.
    """
    advice = "allowed: the file that was written there; move this one away and resume the dataset"
    last = place.first + place.games - 1
    if _mark(file, "manifest") not in ("", place.manifest):
        raise ValueError(
            f"{path}: it was written for another dataset.json than the one beside it (another "
            "seed, other rules or players ...), allowed: the files of one dataset; put the right "
            "one back, or move this one away and resume the dataset"
        )
    if (shard := _mark(file, "shard")) not in ("", str(place.shard)):
        raise ValueError(f"{path}: it is shard {shard} of the dataset, not {place.shard}; {advice}")
    rows = file.metadata.num_rows
    if kind == GAMES and rows != place.games:
        raise ValueError(f"{path}: it has {rows} games, not {place.games}; {advice}")
    if not rows:
        return
    low, high = _numbers_of_games(file)
    is_outside = low < place.first or last < high
    if is_outside or (kind == GAMES and (low, high) != (place.first, last)):
        raise ValueError(f"{path}: it has games {low}..{high}, not {place.first}..{last}; {advice}")


def _mark(file: Any, name: str) -> str:
    """Return an entry of the metadata of a file, "" where there is none."""
    marks = file.schema_arrow.metadata or {}
    return str(marks.get(name.encode(), b"").decode("utf-8", "replace"))


def _numbers_of_games(file: Any) -> tuple[int, int]:
    """Return the least and the greatest number of a game. Not from the statistics of the file: of
    damaged ones Arrow ends the process."""
    compute = load_extra("pyarrow.compute", "parquet")
    games = file.read(columns=["game"]).column("game").fill_null(-1)
    ends = compute.min_max(games).as_py()
    return ends["min"], ends["max"]
