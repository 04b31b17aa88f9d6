"""Duplicate tournaments, and the command `schafkopf tournament`."""

from __future__ import annotations

import importlib.util
import io
import json
import math
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from schafkopf import _core, figure, files
from schafkopf._core import contract_keys
from schafkopf.extras import load_extra
from schafkopf.house_rules import value_text
from schafkopf.keywords import (
    agent_at,
    check_called,
    check_progress,
    check_ray,
    flag,
    names_keywords,
    player_name,
    refuse_class,
)
from schafkopf.lazy_pictures import picture
from schafkopf.programs import starts_program
from schafkopf.say import say_over
from schafkopf.spellings import as_begun

__all__ = [
    "ProgressLine",
    "TournamentResult",
    "contract_keys",
    "read_games",
    "run_tournament",
    "tournament",
    "write_json",
    "write_outputs",
    "write_parquet",
]


def short_name(spec: str) -> str:
    """Return a registry string, that of a network with its file as "net:FOLDER/NAME"."""
    kind, _, rest = spec.partition(":")
    named = re.match(r'"(?:[^"]|"")*"|[^,]*', rest)
    path = named[0] if named else ""
    if not kind.startswith("net") or "/" not in path or "=" in path.partition("/")[0]:
        return spec
    file = Path(path.strip('"'))
    short = "/".join((*file.parent.parts[-1:], file.stem))
    return f"{kind}:{short}{rest[len(path) :]}"


def short_names(players: Iterable[Any]) -> dict[str, str]:
    """Return the display names of those players that are registry strings: short where that is
    unique among them, else the whole string."""
    strings = [player for player in players if isinstance(player, str)]
    short = [short_name(player) for player in strings]
    return {
        player: name if short.count(name) == 1 else player
        for player, name in zip(strings, short, strict=True)
    }


def named_agents(agents: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Return agents by display name: for a registry string its short form, where that is unique.

    Raises:
        ValueError: less than two agents, two of the same name or meaning, or a text instead of a
            list.
    """
    if isinstance(agents, str):
        raise ValueError(f'agents: the text "{agents}" came, allowed: a list or a dict of players')
    if isinstance(agents, Mapping):
        named = dict(agents)
    elif not isinstance(agents, Iterable):
        raise ValueError(f"agents = {agents!r}, allowed: a list or a dict of players")
    else:
        named = {}
        agents = list(agents)  # it may be an iterator
        names = short_names(agents)
        _refuse_other_spellings(agents)
        for at, agent in enumerate(agents):
            name = names[agent] if isinstance(agent, str) else player_name(f"agents[{at}]", agent)
            if name in named:
                raise ValueError(
                    f'agents: "{name}" comes twice; equal players need names of their own: a dict '
                    "of names to players in Python, { name, spec } in a tournament file"
                )
            named[name] = agent
    for name, agent in named.items():
        refuse_class("agents", agent)
        if agent is None:
            agent_at(f'agents["{name}"]', agent)
    if len(named) < 2:
        raise ValueError(f"agents: {len(named)} came, allowed: at least two")
    return named


def _refuse_other_spellings(agents: Iterable[Any]) -> None:
    """Refuse registry strings that mean one player in two spellings, such as "rules" and
    "rules:version=3": it would stand in the ratings twice. Raises ValueError."""
    known: dict[str, str] = {}
    strings = [agent for agent in agents if isinstance(agent, str)]
    kinds = [spec.partition(":")[0] for spec in strings]
    for spec, kind in zip(strings, kinds, strict=True):
        if kinds.count(kind) == 1 or starts_program(spec):
            continue
        with suppress(ValueError, RuntimeError, OSError):  # which the tournament says
            meant = _core.make_agent(spec).name
            other = known.setdefault(meant, spec)
            if other != spec:
                break
    else:
        return
    raise ValueError(
        f'agents: "{other}" and "{spec}" are the same player, "{meant}"; equal players need names '
        "of their own: a dict of names to players in Python, { name, spec } in a tournament file"
    )


def _is_locked(journal: Path) -> bool:
    with suppress(OSError, RuntimeError), open(journal, "rb") as file:
        return not files.lock_now(file.fileno(), journal)
    return False


class TournamentResult(dict[str, Any]):
    """What a tournament found: the JSON of its result as a dict, and its games.

    Attributes:
        games: structured array, one row per game: block, pairing (index into self["pairings"];
            their number = a random table), seats (bit per seat of the first agent), dealer,
            contract (index into contract_keys(), -1 = thrown in), declarer (seat, -1 = none),
            party (bit per seat of the declarer's), won (by it), payoffs [4] (in 1/tariff_scale of a
            tariff unit), decisions, points (of the declarer party), failures (decisions drawn
            because a program failed), expected (payoff in tariff units that the declarer expected,
            NaN if unknown), errors [4] (255 = not counted).
    """

    games: Any = None

    def _repr_html_(self) -> str:
        return picture(self).html


def toml_value(value: Any) -> str:
    """Return a Python value as TOML: texts, numbers, bools, lists and dicts of them."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml_value(v)}" for key, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)  # TOML has words for them, which are those of Python
    return value_text(value)


_NAMING = ("against", "pairings")  # keys that name agents


def tournament(
    agents: Sequence[Any] | Mapping[str, Any],
    *,
    progress: Callable[[int, int], object] | None = None,
    journal: str | Path | None = None,
    resume: bool = False,
    ray: str | bool = False,
    note: Callable[[str], object] | None = None,
    **settings: Any,
) -> TournamentResult:
    """Play every pair of agents in both directions on the same deals.

    Args:
        agents: registry strings, Agents or objects with act(views); or a dict name -> agent. One
            thread at a time asks an object; with more than one, in an order that changes.
        progress: called with (blocks done, blocks); what it raises ends the tournament.
        journal: file that gets every finished block; resume: go on with that file, which is begun
            where there is none. A registry string is known by what it means, in any spelling, files
            that it names by their bytes, an object only by its class: give a player that has
            learned more another name.
        ray: play on the machines of a Ray cluster, its address or True for that of this machine
            (crew.over_ray); the result is the same. Not with precision, resume or a league day.
        note: called with a sentence about games of the journal that are damaged and are played
            again; None: it is a RuntimeWarning.
        settings: the keys of configs/tournament/default.toml, which has their meaning and
            defaults, such as blocks=1000 (deals), track="card_play" ("full": the agents bid too),
            seed=1, threads=0 (one per core), formats=["1v3", "2v2", "declarer"], against="rules",
            precision=0.5 (a pairing ends at that half width, but not before 50 of its blocks gave
            other than 0), double_dummy=True, pairings=[{"one": "a", "others": "b"}]. rules: preset
            name, path, dict (without "preset" the defaults of the switches) or RuleSet.

    Returns:
        what was played (rules, rules_hash, tariff_unit, tariff_scale, seats, track, generator,
        seed, greedy, precision; format, version, action_version and view_version of the file) and
        how much of it: blocks, games, table_games (at random tables), decisions, stopped (before
        all blocks). text is the table for a terminal.

        Points are tariff units per game, an interval is {mean, low, high, half_width, sd_block,
        blocks}: 95 % over blocks, sd_block the standard deviation of a block's mean (low, high and
        half_width None for one block, or where all blocks were alike; of players that mostly do the
        same too narrow below 500 blocks, METHODS section 7). Each is one of 95 % by itself: of
        many, one in twenty leaves the truth out; largest_cycle alone counts how many there are. Of
        k agents [k][k] of them, None where two did not meet:

        one_against_three: a seat of agent i against j in all other seats.
        difference: half of that of i against j less that of j against i, paired by block.
        two_against_two: a seat of i with two of each at the table.
        as_declarer: i, which declares, against j in all other seats.

        agents: name, spec, rating (least squares on all payoffs, sum 0), at_tables (points at
        random tables, where there were some), seat_deals (deals times seats of it), thrown_in (of
        these), declared (games that it declared), contracts (by name: games, won, win_rate, and the
        share of the declared ones), shares (points by role, by contract and role, by position from
        forehand = 0 on: games, win_rate, mean, half_width and, if counted, errors a game, of the
        seats that measure it: the one of 1v3, all of 2v2 and of random tables; of few games, as
        declarers of rare contracts have them, the intervals are too narrow: 85 to 89 of 100 held
        the truth with 50 blocks) and calibration (by
        growing expectation of declarers: games, expected_win_rate, win_rate, half_width of it,
        expected_payoff, payoff).
        pairings: one, others, format, points of a seat of one, wanted_half_width (precision),
        games, sd_game and gain_over_independent_games (so many times as many games would say the
        same without duplicate deals; 0 = not known).
        largest_cycle: of three agents, by index, sum of their differences around, and out of how
        many threes it is the largest.

    Raises:
        ValueError: an unknown agent or key (names the known ones) or a value out of range.
    """
    check_progress(progress)
    check_called("note", note, "a text")
    check_ray(ray)
    journal, resume = files.engine_path(journal, "journal"), flag("resume", resume)
    how: dict[str, Any] = {"agents": named_agents(agents), "keywords": settings}
    if resume:
        named = isinstance(agents, Mapping) or not settings.keys().isdisjoint(_NAMING)
        how["agents"] = as_begun(how["agents"], Path(journal), by_place=not named)
        _tell_of_damage(Path(journal), note)
    if not ray:
        how |= {"journal": journal, "resume": resume, "progress": progress}
        return _result(*_core.tournament_json("", **how))
    if resume:
        raise ValueError("ray: a tournament that was begun goes on on this machine: no resume")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(journal) if journal else Path(folder) / GAMES
        return _spread("", how, place, ray, progress)


def _spread(
    toml: str,
    how: dict[str, Any],
    journal: Path,
    ray: str | bool,
    progress: Callable[[int, int], object] | None,
) -> TournamentResult:
    """Play a tournament in parts on a Ray cluster, with a new journal, and take its result."""
    from schafkopf.tournament_parts import Parts, play_parts

    checked = _core.tournament_toml(toml, **how)
    found = dict(re.findall(r"^(blocks|tables) = (\d+)", checked, re.MULTILINE))
    blocks, tables = (int(found.get(key, 0)) for key in ("blocks", "tables"))
    play_parts(Parts(toml, how, blocks, tables), journal, ray, progress)
    return _result(*_core.tournament_json(toml, **how, journal=str(journal), resume=True))


def _tell_of_damage(journal: Path, note: Callable[[str], object] | None) -> None:
    if journal.is_file() and (damage := _core.journal_damage(str(journal))):
        files.tell(damage, note)


def _result(text: str, table: str, games: Any) -> TournamentResult:
    result = TournamentResult(json.loads(text))
    result["text"] = table
    result.games = games
    return result


CONFIG, GAMES, RESULT, REPORT, PARQUET = (
    "config.toml",
    "games.journal",
    "result.json",
    "report.html",
    "games.parquet",
)


def _check_call(config: str, out: str, resume: str, ray: str | bool) -> None:
    if resume and (config or out):
        raise ValueError("resume goes on with a tournament in its own folder: no config, no out")
    if not resume and not config:
        raise ValueError(
            "config: the file of a tournament is missing, as configs/tournament has it"
        )
    if ray and (resume or not out):
        raise ValueError(
            "ray: it plays into a new folder; a tournament that was begun goes on here"
        )


def _check_begun(config: Path) -> None:
    """Check the files of a tournament that goes on, before they are read."""
    folder = config.parent
    files.check_own(
        config,
        "the file that a tournament wrote",
        f"{folder} is no folder of a tournament: there is no {CONFIG} in it",
    )
    files.refuse_link(folder / GAMES)
    files.check_rights(folder / GAMES)
    files.refuse_folders(folder, (RESULT, REPORT, PARQUET))


def _check_games(config: Path, text: str, given: Mapping[str, Any]) -> None:
    """Check that the games beside a configuration, which by itself is in order, are its own."""
    games = config.with_name(GAMES)
    try:
        _core.tournament_toml(text, **given, journal=str(games))
    except ValueError as error:
        if _is_locked(games):  # somebody plays it
            raise
        raise ValueError(f"{config}: it does not fit its games: {error}") from None


@names_keywords
def run_tournament(
    config: str | Path = "",
    *,
    settings: Sequence[str] = (),
    agents: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    ray: str | bool = False,
    progress: Callable[[int, int], object] | None = None,
    started: Callable[[Path], object] | None = None,
    finished: Callable[[TournamentResult], object] | None = None,
    note: Callable[[str], object] | None = None,
) -> TournamentResult:
    """Play the tournament of a TOML file (configs/tournament/).

    Args:
        config: the file; left out with `resume`.
        settings: "key=value", one changed key each; with `resume` the folder keeps them.
        agents: further agents by name, such as Python objects with act(views).
        out: new folder for config.toml, games.journal, result.json, report.html and, where pyarrow
            is installed and it is no league day, games.parquet; None: nothing is written. Nothing
            stays of a tournament that fails before its first game.
        resume: folder of a tournament or league day that was killed or stopped; goes on there.
        ray, progress, note: as in tournament().
        started: called with the folder when everything is checked and the games begin.
        finished: called with the result when all is played, before the files are written: where
            they cannot be, as the folder was removed, it is not lost.

    Raises:
        ValueError: a wrong file or setting (names file, line, key and what is allowed), or a
            folder whose games belong to another tournament (names what differs), cannot have been
            played (names the game) or are being played by another run, or whose config.toml is not
            what was written (`settings` changes it, an editor does not), or no regular file; one
            whose games.journal is a link, or with a folder where a file is written at the end.
        OSError: a file that cannot be read or written; names it.
    """
    check_progress(progress)
    check_called("started", started, "a path")
    check_called("finished", finished, "a result")
    check_called("note", note, "a text")
    check_ray(ray)
    if isinstance(settings, str):
        raise ValueError(f'settings: the text "{settings}" came, allowed: a list of "key=value"')
    if not isinstance(agents, Mapping | None):
        raise ValueError(
            f"agents: {type(agents).__name__} came, allowed: a dict of names to players, None"
        )
    config, out, resume = (
        files.engine_path(path, name)
        for path, name in ((config, "config"), (out, "out"), (resume, "resume"))
    )
    _check_call(config, out, resume, ray)
    path = Path(resume) / CONFIG if resume else Path(config)
    if resume:
        _check_begun(path)
    place = resume or out
    folder = Path(place) if place else None
    if folder:
        figure.check_backend()
    before = files.read_config(path)
    if resume:
        files.check_seal(path, before)
    players = dict(agents or {})
    given: dict[str, Any] = {"file": str(path), "settings": list(settings), "agents": players}
    text = _core.tournament_toml(before, **given, absolute=not resume)
    if resume:
        _check_games(path, before, given)
    how: dict[str, Any] = {
        "file": str(path),
        "agents": players,
        "journal": str(folder / GAMES) if folder else "",
        "resume": bool(folder),
        "progress": progress,
    }
    with _begun(folder, files.sealed(text), resume=before if resume else None):
        if folder and started:
            started(folder)
        if folder and resume:
            _tell_of_damage(folder / GAMES, note)
        if ray and folder:
            how = {"file": str(path), "agents": players, "settings": []}
            result = _spread(text, how, folder / GAMES, ray, progress)
        else:
            result = _result(*_core.tournament_json(text, **how))
    if finished:
        finished(result)
    if folder:
        write_outputs(result, folder)
    return result


@contextmanager
def _begun(folder: Path | None, config: str, resume: str | None) -> Iterator[None]:
    """Hold a folder with its configuration; a new one in which no game was played goes again.

    Args:
        resume: configuration that an old folder has; None for a new folder.
    """
    if folder is None:
        yield
        return
    if resume is not None:
        files.remove_leftovers(folder / CONFIG)  # of a run that was killed when it had begun
        if config != resume:
            files.write_text(folder / CONFIG, config, owned=True)
        yield
        return
    first, used = (CONFIG, config), lambda: _has_games(folder / GAMES)
    with files.begun_folder(folder, first, used, also=[GAMES]):
        yield


def _has_games(journal: Path) -> bool:
    """Return whether there is more in a journal than its first line."""
    if not journal.is_file():
        return False
    with journal.open("rb") as file:
        file.readline()
        return bool(file.read(1))


def write_outputs(result: TournamentResult, folder: str | Path) -> list[Path]:
    """Write result.json, report.html and, where pyarrow is installed, games.parquet.

    Links in the folder are replaced, so that nothing is written elsewhere.

    Raises:
        ValueError: what is no TournamentResult, or no path.
        OSError: the folder is missing or cannot be written; names the file.
    """
    from schafkopf import report

    folder = files.given_path(folder, "folder")
    if not isinstance(result, TournamentResult):
        raise ValueError(
            f"result: {type(result).__name__} came, allowed: what tournament or run_tournament "
            "returned"
        )
    written = [folder / name for name in (RESULT, REPORT)]
    files.write_text(written[0], _json(result), owned=True)
    if result.games is None:
        files.write_text(written[1], report.league_html(result), owned=True)
        return written
    files.write_text(written[1], report.to_html([result]), owned=True)
    if importlib.util.find_spec("pyarrow"):
        written.append(folder / PARQUET)
        files.write_bytes(written[-1], _parquet(result), owned=True)
    return written


def read_games(journal: str | Path) -> Any:
    """Return the games of a journal as in TournamentResult.games, in the order they were finished.

    What is damaged is left out and told by a RuntimeWarning; what a kill cut off is not there.

    Raises:
        ValueError: no journal, or that of a league day; OSError: it cannot be read.
    """
    path = files.engine_path(files.given_path(journal, "journal"), "journal")
    try:
        games = _core.tournament_games(path)
    except ValueError as error:
        if not _is_parquet(path):
            raise
        raise ValueError(
            f"{path}: a Parquet file, allowed: a journal, as games.journal of the folder of a "
            "tournament; pandas, polars and pyarrow read this one"
        ) from error
    if damage := _core.journal_damage(path):  # "..., games that are missing are played again"
        files.tell(damage.rpartition(", ")[0], None)
    return games


def _is_parquet(path: str | Path) -> bool:
    with suppress(OSError), open(path, "rb") as file:
        return file.read(4) == b"PAR1"
    return False


@names_keywords
def write_parquet(result: TournamentResult, path: str | Path) -> None:
    """Write the games as Parquet, one row per game with names instead of numbers.

    Columns: block, one, others, format (names of a pairing; "" and "table" for a random table),
    seats_of_one (bit per seat), agent_0..3 (who sat there), dealer, contract ("" = thrown in),
    declarer (-1 = none), declarer_party (bit per seat), won, declarer_points, payoff_0..3 (tariff
    units), expected (payoff in tariff units), decisions, failures (of programs, see `engine:`),
    errors_0..3 if counted.

    Raises:
        ValueError: a result without games.  ModuleNotFoundError: pyarrow is not installed.
        OSError: it cannot be written, names the file, which is then as it was.
    """
    if getattr(result, "games", None) is None:
        raise ValueError(
            f"result: {type(result).__name__} without games came, allowed: what tournament or "
            "run_tournament returned, of no league day"
        )
    files.write_bytes(files.given_path(path, "path"), _parquet(result))


_NAME_BYTES = 2**24  # of a column in memory


def _parquet(result: TournamentResult) -> bytes:
    pyarrow = load_extra("pyarrow", "parquet")
    parquet = load_extra("pyarrow.parquet", "parquet")
    longest = max(len(agent["name"]) for agent in result["agents"])
    rows = max(1, _NAME_BYTES // max(16, longest))  # of a group: others' columns are no larger
    about = {
        "schafkopf": json.dumps({key: result[key] for key in ("rules", "rules_hash", "track")})
    }
    first = pyarrow.table(_game_columns(result, result.games[:rows]))
    content = io.BytesIO()
    with parquet.ParquetWriter(content, first.schema.with_metadata(about)) as writer:
        writer.write_table(first)
        for at in range(rows, len(result.games), rows):
            columns = _game_columns(result, result.games[at : at + rows])
            writer.write_table(pyarrow.table(columns, schema=first.schema))
    return content.getvalue()


def _game_columns(result: TournamentResult, games: Any) -> dict[str, Any]:
    pairings = result["pairings"]
    columns: dict[str, Any] = {"block": games["block"]}
    for key in ("one", "others", "format"):
        names = [pairing[key] for pairing in pairings] + ["table" if key == "format" else ""]
        columns[key] = _named(names, games["pairing"])
    columns["seats_of_one"] = games["seats"]
    names = [agent["name"] for agent in result["agents"]]
    players = _players(result, names, games)
    for seat in range(result["seats"]):
        columns[f"agent_{seat}"] = _named(names, players[:, seat])
    columns["dealer"] = games["dealer"]
    columns["contract"] = _named([*contract_keys(), ""], games["contract"])
    columns["declarer"] = games["declarer"]
    columns["declarer_party"] = games["party"]
    columns["won"] = games["won"].astype(bool)
    columns["declarer_points"] = games["points"]
    for seat in range(result["seats"]):
        columns[f"payoff_{seat}"] = games["payoffs"][:, seat] / result["tariff_scale"]
    columns["expected"] = games["expected"]
    columns["decisions"] = games["decisions"]
    columns["failures"] = games["failures"]
    if len(result.games) and result.games["errors"][0, 0] != 255:
        for seat in range(result["seats"]):
            columns[f"errors_{seat}"] = games["errors"][:, seat]
    return columns


def _named(names: Sequence[str], numbers: Any) -> Any:
    """Return the names of these numbers as a column; -1: the last."""
    pyarrow = load_extra("pyarrow", "parquet")
    places = np.arange(len(names), dtype=np.int32)[numbers]
    return pyarrow.DictionaryArray.from_arrays(places, list(names)).dictionary_decode()


def _players(result: TournamentResult, names: Sequence[str], games: Any) -> Any:
    """Return the number of the agent by game and seat [games, seats]."""
    seats = result["seats"]
    pairs = [(names.index(pair["one"]), names.index(pair["others"])) for pair in result["pairings"]]
    pairs.append((0, 0))
    one, others = (np.array([pair[i] for pair in pairs], np.uint8) for i in (0, 1))
    players = np.empty((len(games), seats), np.uint8)
    for seat in range(seats):
        held = (games["seats"] >> seat) & 1 == 1
        players[:, seat] = np.where(held, one[games["pairing"]], others[games["pairing"]])
    for row in np.flatnonzero(games["pairing"] == len(result["pairings"])):
        table = _core.table_agents(result["seed"], int(games["block"][row]), len(names), seats)
        first = int(games["seats"][row]).bit_length() - 1  # the seat of the table's first agent
        players[row] = [table[(seat - first) % seats] for seat in range(seats)]
    return players


class ProgressLine:
    """A line on standard error that counts work; silent where that is no terminal."""

    def __init__(self, title: str, unit: str = "blocks") -> None:
        self.title = title
        self.unit = unit
        self.started = time.monotonic()
        self.shown = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        if not self.shown or not total:
            return
        seconds = time.monotonic() - self.started
        left = f", {seconds * (total - done) / done:.0f} s left" if done else ""
        end = "\n" if done >= total else ""
        say_over(f"{self.title}: {done} of {total} {self.unit}{left}", end)


def write_json(results: dict[str, Any] | list[dict[str, Any]], path: str | Path) -> None:
    """Write one result or a list of them. Raises OSError, which names the file."""
    files.write_text(files.given_path(path, "path"), _json(results))


def _json(results: dict[str, Any] | list[dict[str, Any]]) -> str:
    return json.dumps(results, indent=2) + "\n"


def new_folder(config: str | Path, base: str | Path = "runs") -> Path:
    """Return a new folder below `base`, named after the file and the time; never an old one."""
    name = f"{Path(config).stem}_{time.strftime('%Y-%m-%d_%H-%M-%S')}"
    path, number = Path(base) / name, 1
    while path.exists():
        number += 1
        path = Path(base) / f"{name}_{number}"
    return path
