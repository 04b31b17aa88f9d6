"""Minari: what the seats of a dataset saw and did, as episodes for offline learning.

An episode is one seat of one game: that seat's decisions are its steps, as in
schafkopf.adapters.gymnasium, whose spaces they have. What the others did in between is in the
next observation, and nowhere else.
"""

from __future__ import annotations

import copy
import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np

from schafkopf import _core, files
from schafkopf.adapters import common
from schafkopf.datasets import Dataset
from schafkopf.datasets.settings import Settings
from schafkopf.datasets.write import Progress
from schafkopf.extras import load_extra
from schafkopf.keywords import check_progress, names_keywords, whole_or_none
from schafkopf.programs import starts_program
from schafkopf.records import replayed_game

load_extra("minari", "minari", "'minari[hdf5]' pillow")
load_extra("h5py", "minari", "'minari[hdf5]' pillow")
load_extra("gymnasium", "minari")

import gymnasium  # noqa: E402
import minari  # noqa: E402
from minari.data_collector.episode_buffer import EpisodeBuffer  # noqa: E402
from minari.dataset.minari_dataset import parse_dataset_id  # noqa: E402
from minari.dataset.minari_storage import MinariStorage  # noqa: E402
from minari.namespace import create_namespace, list_local_namespaces  # noqa: E402
from minari.storage.datasets_root_dir import get_dataset_path  # noqa: E402

from schafkopf.adapters import gymnasium as single  # noqa: E402

Array = np.ndarray[Any, Any]
_COLUMNS = ("game", "decision", "seat", "action", "payoff", "view")


@names_keywords
def export_minari(
    dataset: Dataset | str | Path,
    dataset_id: str,
    *,
    seat: int | None = None,
    observation: Literal["uint8", "float32"] = "float32",
    observation_version: int = 1,
    author: str | Collection[str] = (),
    author_email: str | Collection[str] = (),
    code_permalink: str = "",
    licence: str = "",
    progress: Progress | None = None,
) -> Any:
    """Export the games of a dataset with views to Minari's local storage (MINARI_DATASETS_PATH).

    Steps are the decisions of a seat; rewards are 0 and, with the last one, the payoff in tariff
    units; the last observation is what the seat sees when the game has ended. infos["decision"]
    [T + 1] are the numbers of the decisions among those of all seats, then how many there were;
    the metadata of an episode name game, seat, deal_seed, player and contract.

    Args:
        dataset: a Dataset or its folder, written with store=["views"].
        dataset_id: "name-v0" or "namespace/name-v0".
        seat: whose decisions, 0..3; None: every seat that decided, an episode each.
        observation, observation_version: of the rows, as in VectorEnv.
        author, author_email: one or several. code_permalink: where the code of players stands.
        licence: of the data; a key "license" of the metadata.
        progress: called with (games done, games).

    Returns:
        minari.MinariDataset, as minari.load_dataset(dataset_id) gives it.

    Raises:
        ValueError: no views are stored, games are missing, Minari has the id already or does not
            allow it, a wrong seat or observation; nothing is written then.
        OSError: nothing can be written to Minari's folder; names MINARI_DATASETS_PATH.
    """
    check_progress(progress)
    games = dataset if isinstance(dataset, Dataset) else Dataset(dataset)
    _check(games, seat)
    options = {"observation": observation, "observation_version": observation_version}
    spec = _env_spec(games.settings, options | {"learner_seat": "rotate" if seat is None else seat})
    with _new_folder(dataset_id) as folder, single.SchafkopfEnv(**spec.kwargs) as env:
        place = get_dataset_path(dataset_id)
        with files.naming(place):
            _check_room(folder.parent)
            storage = MinariStorage.new(folder, env.observation_space, env.action_space, spec)
            storage.update_metadata(
                {
                    "dataset_id": dataset_id,
                    "minari_version": minari.__version__,
                    "algorithm_name": ", ".join(one["name"] for one in games.settings.players),
                    "author": _several(author),
                    "author_email": _several(author_email),
                    "code_permalink": code_permalink,
                    "license": licence,
                    "description": _description(games.settings, spec),
                    "requirements": [f"schafkopf[gymnasium]=={_core.__version__}"],
                }
            )
            storage.update_episodes(())  # makes the file
        told: list[dict[str, Any]] = []  # of every episode
        rows = _Rows(games.settings.rule_set(), observation, observation_version)
        episodes = _episodes(games, seat, rows, told, progress)
        while some := list(islice(episodes, _AT_ONCE)):
            with files.naming(place):
                _take_room(folder, sum(map(_size, some)))
                storage.update_episodes(some)
        with files.naming(place):
            _take_room(folder, _TOLD * (len(told) + 1))
            storage.update_episode_metadata(told)
    return minari.load_dataset(dataset_id)


# HDF5 cannot get over a write that fails: it takes the process with it when the file is closed. So
# the room for what it writes is taken before, where there being none is an error like any other.
_AT_ONCE = 64  # episodes
_BESIDE = 2**15  # bytes of an episode beside its arrays: groups, names and shapes take 20 KB
_TOLD = 2**12  # bytes of what is told of an episode: it takes 500


def _check_room(folder: Path) -> None:
    """Refuse a disk that has no room for the first, empty file. Raises OSError."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(_BESIDE))


def _take_room(folder: Path, size: int) -> None:
    """Make the file of the episodes longer; HDF5 gives back what is left. Raises OSError."""
    (path,) = folder.glob("*.hdf5")
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), end, size)
        else:
            file.write(bytes(size))


def _size(episode: EpisodeBuffer) -> int:
    """Return at most how many bytes an episode takes in the file."""
    arrays = [episode.actions, episode.rewards, episode.terminations, episode.truncations]
    arrays += [*episode.observations.values(), *episode.infos.values()]
    return _BESIDE + sum(int(array.nbytes) for array in arrays)


def _check(games: Dataset, seat: int | None) -> None:
    if "views" not in games.settings.store:
        raise ValueError(f'{games.folder}: no views are stored, allowed: store = ["views"]')
    if games.missing:
        raise ValueError(f"{games.folder}: {games.missing} games are missing; resume it first")
    seats = games.settings.rule_set().seats
    whole_or_none("seat", seat, 0, seats - 1)


def _several(names: str | Collection[str]) -> set[str]:
    return {names} if isinstance(names, str) else set(names)


@contextmanager
def _new_folder(dataset_id: str) -> Iterator[Path]:
    """Give an empty folder that becomes the dataset when all went well, and is gone otherwise."""
    try:
        namespace, *_ = parse_dataset_id(dataset_id)
    except (ValueError, TypeError):
        raise ValueError(
            f'dataset_id = "{dataset_id}", allowed: name-v0 or namespace/name-v0, a namespace of '
            "two letters or more"
        ) from None
    place, root = _place(dataset_id)
    if place.exists():
        raise ValueError(
            f'dataset_id = "{dataset_id}": Minari has it already, in {place}, allowed: another '
            "name or version, or minari.delete_dataset first"
        )
    # Beside the others, where a rename is one step; Minari lists no hidden folders.
    with tempfile.TemporaryDirectory(prefix=".export-", dir=root) as temporary:
        made = Path(temporary) / "dataset"
        made.mkdir()
        yield made / "data"
        if namespace and namespace not in list_local_namespaces():
            create_namespace(namespace)
        os.rename(made, place)


def _place(dataset_id: str) -> tuple[Path, Path]:
    """Return the folder of a dataset and the one of all, which is made where it is missing.

    Raises:
        OSError: it cannot be, or nothing can be written to it; names MINARI_DATASETS_PATH.
    """
    try:
        place, root = get_dataset_path(dataset_id), get_dataset_path()
        with tempfile.TemporaryDirectory(prefix=".export-", dir=root):
            pass
    except OSError as error:
        named = os.environ.get("MINARI_DATASETS_PATH")
        folder = os.path.join("~", ".minari", "datasets") if named is None else named
        raise type(error)(
            error.errno,
            f'MINARI_DATASETS_PATH = "{folder}", where Minari keeps its datasets: '
            f"{error.strerror or error}, allowed: a folder that can be written to",
        ) from error
    return place, root


# ---- environment --------------------------------------------------------------------------------


def _env_spec(settings: Settings, options: dict[str, Any]) -> Any:
    """Return what gymnasium.make takes for the environment of these games.

    Raises:
        ValueError: what the environment raises for a wrong option.
    """
    deals = settings.start == "deal"
    # A copy: the registry hands out the specification that it keeps.
    spec = copy.deepcopy(gymnasium.spec("Schafkopf-v0" if deals else "SchafkopfCardPlay-v0"))
    rules = settings.rule_set()
    named = rules.name in _core.preset_names()
    spec.kwargs |= {"rules": rules.name if named else {"preset": "", **settings.rules}}
    for key, value in {"mask_in_observation": True, **options}.items():  # Minari writes JSON
        spec.kwargs[key] = value.item() if isinstance(value, np.generic) else value
    if not deals:
        spec.kwargs["generator"] = settings.generator
    if (opponent := _opponent(settings)) is not None:
        spec.kwargs["opponent"] = opponent
    return spec


def _opponent(settings: Settings) -> str | None:
    """Return the one player of all games, if another machine knows it by its text too; none that
    is a program: what a file names starts nothing."""
    if len(settings.players) != 1:
        return None
    player = settings.players[0]
    spec = str(player["spec"])
    return None if not spec or player["files"] or starts_program(spec) else spec


def _description(settings: Settings, spec: Any) -> str:
    players = ", ".join(player["name"] for player in settings.players)
    text = (
        f"Schafkopf, {settings.games} games of {players}. An episode is one seat of one game, its "
        "steps are the decisions of that seat, rewards are payoffs in tariff units, with the last "
        "step. It is no Markov game of one player: between two steps the other seats decide, who "
        "are part of the environment; infos/decision counts the decisions of all. Episodes of one "
        "game share its deal. Only actions with action_mask 1 are allowed; the last mask, where "
        "the game has ended, holds PASS alone. "
    )
    if "opponent" not in spec.kwargs:
        text += (
            "The recovered environment has rule agents on the other seats, which these games may "
            "not have had. "
        )
    return f"{text}Deals are not those of the recovered environment's seeds."


# ---- episodes -----------------------------------------------------------------------------------


class _Rows:
    """Observations and masks of views, as the environment shows them."""

    def __init__(self, rules: _core.RuleSet, dtype: str, version: int) -> None:
        self.rules, self.dtype, self.version = rules, dtype, version

    def of(self, views: Array) -> dict[str, Array]:
        """Return observation [B, F] and action_mask [B, 128]; the game has ended in the last."""
        masks = common.masks_of(_core.legal_mask(views))
        masks[-1] = 0
        masks[-1, common.PASS] = 1
        rows = _core.encode(views, self.rules, self.dtype, self.version)
        return {"observation": rows, "action_mask": masks}


def _episodes(
    games: Dataset,
    seat: int | None,
    rows: _Rows,
    told: list[dict[str, Any]],
    progress: Progress | None,
) -> Iterator[EpisodeBuffer]:
    """Yield the episodes game by game, seat by seat; what is told of each goes to `told`."""
    records = games.records()
    for shard in games.shards():
        table = games.arrays("decisions", _COLUMNS, [shard])
        names = [f"player_{place}" for place in range(4)]
        about = games.arrays("games", ["game", "contract", *names], [shard])
        starts = np.searchsorted(table["game"], about["game"])
        ends = np.searchsorted(table["game"], about["game"], side="right")
        for number, (first, last) in enumerate(zip(starts, ends, strict=True)):
            record = next(records)
            own = {name: column[first:last] for name, column in table.items()}
            game = replayed_game(record)
            for who in np.unique(own["seat"]) if seat is None else (seat,):
                episode = _episode(own, int(who), game, rows)
                if episode is None:
                    continue
                told.append(
                    {
                        "game": int(about["game"][number]),
                        "seat": int(who),
                        "deal_seed": str(record["seed"]),
                        "player": str(about[f"player_{who}"][number]),
                        "contract": str(about["contract"][number]),
                    }
                )
                yield episode
            if progress:
                progress(int(about["game"][number]) + 1, len(games))


def _episode(
    table: dict[str, Array], seat: int, game: _core.Game, rows: _Rows
) -> EpisodeBuffer | None:
    """Return what a seat saw and did in a game; None: it was never asked."""
    own = table["seat"] == seat
    steps = int(own.sum())
    if not steps:
        return None
    end = np.array([game.view(seat)], _core.VIEW_DTYPE)
    paid = _core.game_settlement(game)
    declares = game.contract is not None and game.contract.declarer == seat
    stock = paid["stock_payoffs"][seat] - (paid["reuegeld"] if declares else 0.0)
    last = np.arange(steps) == steps - 1
    return EpisodeBuffer(
        observations=rows.of(np.concatenate([table["view"][own], end])),
        actions=table["action"][own].astype(np.int64),
        rewards=np.where(last, table["payoff"][own].astype(np.float64) + stock, 0.0),
        terminations=last,
        truncations=np.zeros(steps, np.bool_),
        infos={"decision": np.append(table["decision"][own], len(own)).astype(np.int16)},
    )
