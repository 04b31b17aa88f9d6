"""What a dataset consists of, and the manifest that fixes it."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from schafkopf import _core, files
from schafkopf.datasets.schema import DECISIONS, FORMAT, GAMES, STORED, Place
from schafkopf.house_rules import rule_set, with_path_as_text
from schafkopf.keywords import agent_at, is_whole, player_name, refuse_class, whole
from schafkopf.nearest import nearest_hint
from schafkopf.tournaments import short_names

MANIFEST = "dataset.json"
MAX_MANIFEST_BYTES = 2**24  # one that was imported names its files, some hundred bytes each
# Games that one table of a shard plays one after the other: game g is episode g % ROUND of the
# environment g // ROUND, whatever the size of a shard.
ROUND = 8
STARTS = ("deal", "card_play")
MOST_GAMES, MOST_IN_A_SHARD = 10**12, 2**20


@dataclass(frozen=True)
class Settings:
    """All that decides the bytes of a dataset; what a shard holds is a function of it.

    Attributes:
        games, shard_games: in all and in each file but the last.
        seed, rules, start, generator: of the deals; rules: every switch.
        players: {name, spec, files: {path: sha256}}; empty for imported games.
        store: what is kept of each decision, of STORED.
        source: recorded games that were imported, {name, sha256}; empty for games that are played.
        schafkopf: version that writes it.
    """

    games: int
    shard_games: int
    seed: int
    rules: dict[str, Any]
    start: str
    generator: str
    players: tuple[dict[str, Any], ...]
    store: tuple[str, ...]
    source: tuple[dict[str, str], ...] = ()
    schafkopf: str = _core.__version__

    @property
    def shards(self) -> int:
        """Number of shards."""
        return -(-self.games // self.shard_games)

    def first_game(self, shard: int) -> int:
        """Return the number of the first game of a shard."""
        return shard * self.shard_games

    def games_in(self, shard: int) -> int:
        """Return how many games a shard holds."""
        return min(self.shard_games, self.games - self.first_game(shard))

    @cached_property
    def identity(self) -> str:
        """SHA-256 of the manifest."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def place(self, shard: int) -> Place:
        """Return where the files of a shard belong."""
        return Place(self.identity, shard, self.first_game(shard), self.games_in(shard))

    def kinds(self) -> tuple[str, ...]:
        """Return the files of a shard; the last one to be written is GAMES."""
        return (DECISIONS, GAMES) if self.store else (GAMES,)

    def rule_set(self) -> _core.RuleSet:
        """Return the rules of the games that are played."""
        named = _core.RuleSet(**{"preset": "", **self.rules})
        for name in _core.preset_names():  # records call them by that
            if _core.RuleSet(name).hash == named.hash:
                return _core.RuleSet(name)
        return named

    def text(self) -> str:
        """Return the manifest."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1) + "\n"


def shard_file(folder: Path, kind: str, shard: int) -> Path:
    """Return the path of a file of a shard."""
    return folder / f"{kind}-{shard:05}.parquet"


def shards_in(folder: Path, kind: str) -> list[int]:
    """Return the numbers of the shards of which a folder has this file, in order."""
    found = (re.fullmatch(kind + r"-(\d{5,12})[.]parquet", path.name) for path in folder.iterdir())
    shards = sorted({int(match[1]) for match in found if match})
    return [shard for shard in shards if shard_file(folder, kind, shard).is_file()]


def settings_of(
    *,
    players: Any,
    games: int,
    seed: int = 1,
    rules: Any = "research",
    start: str = "deal",
    generator: str = "",
    store: Sequence[str] = (),
    shard_games: int = 8192,
) -> Settings:
    """Return checked settings; the arguments are those of write_dataset.

    Raises:
        ValueError: names the setting, what came and what is allowed.
    """
    _one_of("start", start, STARTS)
    if not isinstance(generator, str):
        raise ValueError(
            f'generator: {type(generator).__name__} came, allowed: a text, such as "heuristic"'
        )
    if start == "card_play":
        generator = generator or "heuristic"
        known = [row["name"] for row in _core.generator_names()]
        _one_of("generator", generator.partition(":")[0], known)
    elif generator:
        raise ValueError('generator: it belongs to start = "card_play"')
    if isinstance(store, str):
        store = [store]
    elif not isinstance(store, Iterable):
        raise ValueError(
            f"store: {type(store).__name__} came, allowed: a list of {', '.join(STORED)}"
        )
    store = list(store)  # it may be an iterator
    for what in store:
        _one_of("store", what, STORED)
    return Settings(
        games=whole("games", games, 1, MOST_GAMES),
        shard_games=shard_size(shard_games),
        seed=whole("seed", seed, 0, 2**64 - 1),
        rules=_switches(rules),
        start=start,
        generator=generator,
        players=tuple(_described(name, player) for name, player in named(players).items()),
        store=tuple(what for what in STORED if what in store),
    )


def shard_size(games: Any) -> int:
    """Return the games of a shard. Raises ValueError: too few, too many, or no multiple."""
    if not is_whole(games, ROUND, MOST_IN_A_SHARD) or games % ROUND:
        raise ValueError(
            f"shard_games = {games!r}, allowed: integer {ROUND}..{MOST_IN_A_SHARD}, a multiple of "
            f"{ROUND}"
        )
    return int(games)


def _one_of(name: str, value: Any, known: Sequence[str]) -> None:
    if value not in known:
        hint = nearest_hint(str(value), known)
        raise ValueError(f'{name} = "{value}", allowed: {", ".join(known)}{hint}')


def _switches(rules: Any) -> dict[str, Any]:
    rules = with_path_as_text(rules)
    if isinstance(rules, str):
        rules = rule_set(rules)
    elif isinstance(rules, Mapping):
        rules = _core.RuleSet(**{"preset": "", **rules})
    elif not isinstance(rules, _core.RuleSet):
        raise ValueError(
            f"rules = {rules!r:.60}, allowed: a preset name, a path, a dict or a RuleSet"
        )
    switches: dict[str, Any] = rules.to_dict()
    return switches


def named(players: Any) -> dict[str, Any]:
    """Return players by the name that the columns have.

    Raises:
        ValueError: there is none, two have the same name, or one has a name that UTF-8 cannot
            write.
    """
    if isinstance(players, Mapping):
        known = _by_name(players)
    else:
        known = {}
        refuse_class("players", players)
        single = isinstance(players, str) or hasattr(players, "act")
        if not single and not isinstance(players, Iterable):
            raise ValueError(f"players = {players!r}, allowed: a player, a list or dict of them")
        listed = [players] if single else list(players)
        names = short_names(listed)
        for at, player in enumerate(listed):
            if isinstance(player, str):
                name = names[player]
            else:
                name = player_name(f"players[{at}]", player)
            if name in known:
                raise ValueError(
                    f'players: "{name}" comes twice, allowed: different ones; a dict of names to '
                    "players gives equal ones names of their own"
                )
            known[name] = player
    for player in known.values():
        refuse_class("players", player)
    if not known:
        raise ValueError("players: none came, allowed: at least one")
    return known


def _by_name(players: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a dict of players with their names as texts. Raises ValueError: see named."""
    known: dict[str, Any] = {}
    for key, player in players.items():
        name = str(key)
        if name in known:
            raise ValueError(f'players: "{name}" comes twice, allowed: different ones')
        try:
            name.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"players: {name!a:.60}: a text that UTF-8 cannot write, allowed: another name"
            ) from None
        known[name] = player
    return known


def _described(name: str, player: Any) -> dict[str, Any]:
    """What decides how a player plays. Raises what make_agent raises."""
    spec = player if isinstance(player, str) else ""
    agent_at(f'players["{name}"]', player)
    parts = [part for part in _core.spec_values(spec) if Path(part).is_file()]
    return {"name": name, "spec": spec, "files": {part: sha256(part) for part in parts}}


def sha256(path: str | Path) -> str:
    """Return the hash of the bytes of a file. Raises OSError, and ValueError: no regular file."""
    digest = hashlib.sha256()
    with files.opened_regular(path) as file, files.naming(path):
        while piece := file.read(2**20):
            digest.update(piece)
    return digest.hexdigest()


# ---- the manifest -------------------------------------------------------------------------------


def read_manifest(folder: str | Path) -> Settings:
    """Return the settings of a dataset.

    Raises:
        FileNotFoundError: there is no such folder.
        ValueError: the folder is none of a dataset, or its manifest is damaged; names the file.
    """
    if not os.fspath(folder):
        raise ValueError('folder = "", allowed: the folder of a dataset')
    path = Path(folder) / MANIFEST
    otherwise = (
        f"{folder} is no folder of a dataset: there is no {MANIFEST} in it, allowed: a folder that "
        "`schafkopf dataset write` or `import` made"
    )
    if not files.is_there(folder):
        raise FileNotFoundError(otherwise)
    files.check_own(path, "the manifest of a dataset", otherwise)
    values = files.parse_json(files.read_config(path, MAX_MANIFEST_BYTES), path)
    if not isinstance(values, dict) or values.pop("format", None) != FORMAT:
        raise ValueError(f'{path}: no manifest of the form "{FORMAT}"')
    known = {field.name for field in fields(Settings)}
    if wrong := sorted(known ^ values.keys()):
        raise ValueError(f"{path}: a manifest with other keys: {', '.join(wrong)}")
    for key, is_right in _KINDS.items():
        if not is_right(values[key]):
            raise ValueError(f"{path}: {key} is none of a dataset")
    for key in ("players", "store", "source"):
        values[key] = tuple(values[key])
    settings = Settings(**values)
    try:
        settings.rule_set()
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: rules: {error}") from None
    return settings


def _are_texts(value: Any, keys: Sequence[str]) -> bool:
    """Whether a value is a list of objects that have texts under these keys."""
    return isinstance(value, list) and all(
        isinstance(one, dict) and all(isinstance(one.get(key), str) for key in keys)
        for one in value
    )


# Key of a manifest -> whether its value can be one: it may come from elsewhere.
_KINDS: dict[str, Callable[[Any], bool]] = {
    "games": lambda value: is_whole(value, 1, MOST_GAMES),
    "shard_games": lambda value: is_whole(value, 1, MOST_IN_A_SHARD),
    "seed": lambda value: is_whole(value, 0, 2**64 - 1),
    "rules": lambda value: isinstance(value, dict),
    "start": lambda value: value in STARTS,
    "generator": lambda value: isinstance(value, str),
    "players": lambda value: (
        _are_texts(value, ("name", "spec"))
        and all(isinstance(one.get("files"), dict) for one in value)
    ),
    "store": lambda value: isinstance(value, list) and all(what in STORED for what in value),
    "source": lambda value: _are_texts(value, ("name", "sha256")),
    "schafkopf": lambda value: isinstance(value, str),
}


def check_same(there: Settings, now: Settings, folder: str | Path) -> None:
    """Refuse to go on with a dataset by other settings.

    Raises:
        ValueError: names every setting that differs, what is there and what came.
    """
    differing = [
        f"{field.name}: there {_shown(old)}, now {_shown(new)}"
        for field in fields(Settings)
        if (old := getattr(there, field.name)) != (new := getattr(now, field.name))
    ]
    if differing:
        raise ValueError(
            f"{folder} is a dataset of other settings: {'; '.join(differing)}; allowed: the "
            "settings that are there, or another folder"
        )


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else f"{text[:200]}..."
