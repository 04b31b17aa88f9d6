"""A table on the disk: what is needed to sit down at it again after its program was stopped.

The file has the secrets of links and the seed of the deals, so that only its owner may read it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schafkopf import _core, files, programs
from schafkopf.terminal.table import NAME_LENGTH, Table, agents_of, as_compared, is_name

FORMAT = "schafkopf-table 1"
_FORMAT = re.compile("schafkopf-table [0-9]{1,9}")  # of any version
SUFFIX = ".table"
MAX_TABLE_BYTES = 2**24  # the longest session there is, 20,480 deals, takes three million
_TOKEN = re.compile("[A-Za-z0-9_-]{16,100}")
_HOST = re.compile("[A-Za-z0-9_.:%-]{0,255}")
_NEEDED = "the .table file of a table that was played at"


@dataclass
class KeptTable:
    """A table as it stands in its file.

    Attributes:
        rules: all switches by name;  rules_name: by which they came.
        specs: registry strings by place, None for a person;  names: by place.
        deals: at most so many, None = the whole session.
        tokens: of the links of the people, in the order of their places.
        out: file of the records, beside the table; in the file only its name counts.
        actions: of each deal, in order, as numbers; the last deal may be running.
        heard: answers after the last of them to questions that are put for the look of it alone.
    """

    rules: dict[str, Any]
    rules_name: str
    specs: list[str | None]
    names: list[str]
    seed: int
    deals: int | None
    tokens: list[str]
    host: str
    port: int
    out: str
    actions: list[list[int]]
    heard: int = 0


# Field -> what its value is, tested and in words.
_KINDS: dict[str, tuple[Callable[[Any], object], str]] = {
    "rules": (lambda value: isinstance(value, dict), "an object of switches"),
    "rules_name": (lambda value: isinstance(value, str), "a text"),
    "specs": (
        lambda value: _is_list(value, str | None) and None in value,
        "a list of players, null for a person, one of them at least",
    ),
    "names": (
        lambda value: _is_list(value, str) and _are_names(value),
        f"a list of different names of 1 to {NAME_LENGTH} printable characters",
    ),
    "seed": (
        lambda value: _is_number(value) and 0 <= value < 2**64,
        "an integer, 0..18446744073709551615",
    ),
    "deals": (
        lambda value: value is None or (_is_number(value) and value > 0),
        "an integer from 1 on, or null",
    ),
    "tokens": (
        lambda value: _is_list(value, str) and _are_tokens(value),
        "a list of different ones of 16 to 100 letters, digits, - and _",
    ),
    "host": (
        lambda value: isinstance(value, str) and _HOST.fullmatch(value),
        "an address of letters, digits, and . : % - _",
    ),
    "port": (lambda value: _is_number(value) and 0 <= value < 2**16, "an integer, 0..65535"),
    "out": (lambda value: isinstance(value, str), "a text"),
    "actions": (
        lambda value: isinstance(value, list) and all(map(_are_actions, value)),
        "a list for each deal of actions, 0..127",
    ),
    "heard": (lambda value: _is_number(value) and 0 <= value < 8, "an integer, 0..7"),
}


def kept_beside(records: Path) -> Path:
    """Return the file of the table whose records are in a file: its name with ".table".

    Raises:
        ValueError: there is such a file already, or its name would be too long.
        OSError: the folder cannot be written to.
    """
    path = records.with_name(records.name + SUFFIX)
    if os.path.lexists(path):
        raise _there_already(path)
    files.check_folder(path)
    return path


def records_beside(path: Path) -> Path:
    """Return the file of the records of a kept table; the reverse of kept_beside.

    Whatever a table says: a file that came from elsewhere must not say which file is written.

    Raises:
        ValueError: no name of a kept table.
    """
    if path.suffix != SUFFIX:
        raise ValueError(f"{path}: allowed: a name that ends in {SUFFIX}")
    return path.with_suffix("")


def read_table(path: Path) -> KeptTable:
    """Return the table of a file; its records are those beside it.

    Raises:
        ValueError: names the file and what is wrong in it.
        OSError: it cannot be read.
    """
    files.check_input(path, _NEEDED)
    given = files.parse_json(files.read_config(path, MAX_TABLE_BYTES), path)
    form = given.get("format") if isinstance(given, dict) else None
    if isinstance(form, str) and form != FORMAT and _FORMAT.fullmatch(form):
        raise ValueError(f'{path}: "{form}", a table of another version, allowed: "{FORMAT}"')
    if form != FORMAT:
        raise ValueError(
            f"{path}: no table, allowed: the .table file that schafkopf serve or play writes"
        )
    # older ones have none
    if (sum_there := given.pop("checksum", None)) is not None and sum_there != _checksum(given):
        raise ValueError(f"{path}: damaged, its checksum is another one: restore it from a copy")
    del given["format"]
    given.setdefault("heard", 0)  # older ones have none
    if given.keys() != _KINDS.keys():
        wrong = sorted(map(ascii, given.keys() ^ _KINDS.keys()))
        raise ValueError(f"{path}: {', '.join(wrong)}: allowed: {', '.join(_KINDS)}")
    for key, (is_right, allowed) in _KINDS.items():
        if not is_right(given[key]):
            raise ValueError(f"{path}: {key} is wrong, allowed: {allowed}")
    kept = KeptTable(**given)
    if len(kept.names) != len(kept.specs) or len(kept.tokens) != kept.specs.count(None):
        raise ValueError(f"{path}: {len(kept.names)} names, {len(kept.tokens)} links for "
                         f"{len(kept.specs)} places")  # fmt: skip
    kept.out = str(_records_of(path, Path(kept.out).name))
    kept.rules_name = _printable(kept.rules_name)  # an earlier version kept it as it came
    return kept


def _records_of(path: Path, name: str) -> Path:
    """Return the file beside a table that has its records: a number follows where the first name
    was taken."""
    first = records_beside(path)
    numbered = re.escape(first.stem) + r"-[1-9][0-9]{0,5}" + re.escape(first.suffix)
    return path.with_name(name) if re.fullmatch(numbered, name) else first


def refuse_programs(kept: KeptTable, path: Path) -> None:
    """Refuse a table whose players are other programs. Raises ValueError, which names the place."""
    for place, spec in enumerate(kept.specs):
        allowed = "with --programs, where the file is your own"
        programs.refuse_program(spec or "", f"{path}: place {place}", allowed)


def table_again(kept: KeptTable, path: Path) -> Table:
    """Return who sits at a kept table. Raises ValueError: its rules or players do not fit."""
    try:
        if "preset" in kept.rules:
            raise ValueError('unknown key "preset" in rules, allowed: the switches of a rule set')
        rules, title = _core.RuleSet("", **kept.rules), kept.rules_name
        if kept.rules_name in _core.preset_names():
            preset = _core.RuleSet(kept.rules_name)
            rules, title = (preset, title) if preset == rules else (rules, f"{title}, changed")
        if len(kept.specs) != rules.players:
            raise ValueError(f"{len(kept.specs)} places, allowed: {rules.players} under its rules")
        agents = agents_of(kept.specs)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None
    me = kept.specs.index(None)
    return Table(rules, title, kept.seed, me, kept.specs, kept.names, agents)


def kept_of(
    table: Table,
    actions: list[list[int]],
    deals: int | None,
    out: Path | None,
    tokens: list[str],
    host: str,
    port: int,
    heard: int = 0,
) -> KeptTable:
    """Return a table as it stands now; the arguments are as in KeptTable."""
    return KeptTable(
        rules=table.rules.to_dict(),
        rules_name=_printable(table.rules_name),
        specs=list(table.specs),
        names=list(table.names),
        seed=table.seed,
        deals=deals,
        tokens=tokens,
        host=host,
        port=port,
        out=out.name if out else "",
        actions=actions,
        heard=heard,
    )


class TableFile:
    """The file of a table, for a with statement: once read or written it is held against other
    servers. The lock is on the file itself, under whatever name, and ends with the process.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: int | None = None

    def __enter__(self) -> TableFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._hold(None)

    def read(self) -> KeptTable:
        """Hold the file that is there, and return its table.

        Raises:
            ValueError: another process holds it; or as read_table.
            OSError: it cannot be read;  RuntimeError: nor locked.
        """
        while self._held is None:  # whoever held it before may have replaced it meanwhile
            files.check_input(self.path, _NEEDED)
            if not self.path.is_file():  # a pipe would be waited for
                raise ValueError(f"{self.path}: no regular file, allowed: {_NEEDED}")
            handle = files.opened_to_lock(self.path)
            try:
                if not files.lock_now(handle, self.path):
                    raise ValueError(f"{self.path}: another process is at this table: end it first")
            except (RuntimeError, ValueError):
                os.close(handle)
                raise
            if _stands_at(handle, self.path):
                self._hold(handle)
            else:
                os.close(handle)
        return read_table(self.path)

    def write(self, kept: KeptTable) -> None:
        """Write a table in one step; a file that is not held must be a new one.

        Raises:
            TableThere: there is one already;  OSError: it cannot be written.
        """
        told = {"format": FORMAT, **dataclasses.asdict(kept)}
        told["checksum"] = _checksum(told)
        content = (json.dumps(told) + "\n").encode("ascii")
        place = os.path.realpath(self.path)  # a link stays one
        put = files.put_new if self._held is None else os.replace
        try:
            with files.locked_beside(place, content, files.OWNER_ONLY) as (name, handle):
                held = os.dup(handle)
                try:
                    put(name, place)
                except OSError:
                    os.close(held)
                    raise
                self._hold(held)
        except FileExistsError:
            raise _there_already(self.path) from None
        except OSError as error:
            raise files.named(error, self.path) from error

    @property
    def is_held(self) -> bool:
        """Whether the file that stands there is that of this process."""
        return self._held is not None and _stands_at(self._held, self.path)

    def _hold(self, handle: int | None) -> None:
        before, self._held = self._held, handle
        if before is not None:
            os.close(before)


def _stands_at(handle: int, path: Path) -> bool:
    """Whether an open file is the one that stands there now."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), os.stat(path))
    return False


class TableThere(OSError, ValueError):
    """Another table has the name of a new one."""


def _there_already(path: Path) -> TableThere:
    return TableThere(f"{path}: there is a table already: --resume it, or choose another --out")


def _printable(name: str) -> str:
    """Return a name as it can be shown; that of a file may have other signs in it."""
    return "".join(sign if sign.isprintable() else "?" for sign in name)


def _checksum(told: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_list(value: object, kind: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, kind) for one in value)


def _are_names(names: list[str]) -> bool:
    return all(map(is_name, names)) and len(set(map(as_compared, names))) == len(names)


def _are_tokens(tokens: list[str]) -> bool:
    """Whether these can be links: of two equal ones the second seat could never be opened."""
    return all(map(_TOKEN.fullmatch, tokens)) and len(set(tokens)) == len(tokens)


def _are_actions(value: object) -> bool:
    return isinstance(value, list) and all(
        _is_number(action) and 0 <= action < _core.NUM_ACTIONS for action in value
    )
