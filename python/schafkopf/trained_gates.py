"""Lines of `schafkopf gates` that train: what `./run train` reaches, and what each part of its
recipe brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from schafkopf import _core, best_response, files, training_run
from schafkopf.say import say_aside
from schafkopf.tournaments import tournament

YARDSTICK = "rules:version=1"
SEEDS = (11, 12, 13)
SCREEN_DECISIONS = 10_000_000
SCREEN_BLOCKS = 4000
ONE_UPDATE = ("time_limit_minutes=0", "decisions_limit=1", "games_per_update=64", "eval_minutes=0")
RECIPE = "the recipe"
# Each part of configs/train/eight_minutes.toml, and what was tried beside it, as one change.
ARMS: dict[str, tuple[str, ...]] = {
    RECIPE: (),
    "no exact values of cards": ("solver_weight=0",),
    "no announcements played out": ("announcement_playout_share=0",),
    "no opponents from a pool": ("pool_share=0",),
    "no card play first": ("card_play_first=0",),
    "no averaged weights": ("average_decay=0",),
    "observation 3": ("observation=3",),
    "observation 1": ("observation=1",),
    "a critic on the policy's trunk": ("critic=shared",),
    "a critic that sees no hidden cards": ("critic=separate",),
    "advantages scaled by contract": ("normalise_by=contract",),
    "a learning rate that stays": ("final_learning_rate_share=1",),
    "an entropy that stays": ("final_entropy_share=1",),
    "squared value errors": ("value_huber=0",),
    "residual blocks": ("architecture=residual",),
    "a magnet": ("magnet_kl=0.05",),
    "playouts of 2 %": ("playout_share=0.02",),
}


def minutes(
    folder: Path, track: str, *, blocks: int, seed: int, seeds: Sequence[int] = SEEDS, short: bool
) -> dict[str, Any]:
    """Train what `./run train` trains, once for each seed, and play it against the yardstick.

    Args:
        folder: has a folder of each run, which goes on where it was left, and the games.
        track, blocks, seed: of the tournaments; both directions.
        short: one small update instead of eight minutes.

    Returns:
        mean, half_width, low (95 % over seeds and deals), blocks, runs: seed, mean, half_width
        (over deals), decisions and seconds of training of each.

    Raises:
        RuntimeError: no torch.  ValueError: outside the source tree, which has the recipe.
    """
    runs, deals = [], []
    for number in seeds:
        name = f"train_{number}"
        settings = [f"seed={number}", *(ONE_UPDATE if short else ())]
        done = _train(folder / name, recipe(), settings)
        journal = folder / f"{name}_{track}_{blocks}.journal"
        found, by_deal = _play(done, journal, track, blocks, seed)
        runs.append({"seed": number, **found, **_cost(done)})
        deals.append(by_deal)
    return over_seeds(runs, deals) | {"blocks": blocks, "runs": runs}


def regressed(
    folder: Path, player: str, card_player: str, *, init: Path, blocks: int, seed: int, short: bool
) -> dict[str, Any]:
    """Train a bidder by regression on played-out values, from weights whose cards it keeps, and
    compare a player's words with its, one player playing all cards.

    Args:
        folder: has the folder of the run, which goes on where it was left, and the games.
        player, card_player: registry strings.
        init: weights that the bidder starts from; on observation 4.
        blocks, seed: of the tournament; both directions.
        short: one small update.

    Returns:
        mean, half_width, low (95 % over deals), blocks, runs: of the one run as `minutes` says.

    Raises:
        RuntimeError: no torch.  ValueError: outside the source tree, which has the stage.
    """
    config = str(Path(recipe()).with_name("bidding_values.toml"))
    settings = [f"init={init}", "observation=4", "eval_minutes=0", *(ONE_UPDATE if short else ())]
    done = _train(folder / "regressed_bidder", config, settings)
    figures, _ = _difference(
        folder / f"regressed_bidder_{blocks}.journal",
        {"player": player, "regressed": _core.net_player(done["model_path"])},
        blocks,
        seed,
        track="bidding",
        card_player=card_player,
    )
    return {**figures, "blocks": blocks, "runs": [{"seed": 1, **figures, **_cost(done)}]}


def screens(
    folder: Path,
    *,
    blocks: int = SCREEN_BLOCKS,
    seed: int,
    seeds: Sequence[int] = SEEDS,
    arms: Mapping[str, Sequence[str]] = ARMS,
    short: bool,
) -> dict[str, Any]:
    """Train the recipe of `./run train` and each arm, for the same number of decisions.

    Returns:
        figures of the recipe in card play as `minutes` returns them, and arms: of each its
        settings, seconds of training (mean), and for both tracks mean and half_width (95 % over
        seeds and deals) and the same of what it has over the recipe with the same seeds.
    """
    limits = ["time_limit_minutes=0", f"decisions_limit={SCREEN_DECISIONS}", "eval_minutes=0"]
    rows: list[dict[str, Any]] = []
    of_recipe: dict[str, list[Any]] = {}  # by track: points by deal of each of its runs
    for name, changes in arms.items():
        played: dict[str, list[tuple[dict[str, Any], Any]]]
        played = {track: [] for track in training_run.TRACKS}
        seconds = []
        for number in seeds:
            run = f"screen_{_file_name(name)}_{number}"
            settings = [f"seed={number}", *(ONE_UPDATE if short else limits), *changes]
            done = _train(folder / run, recipe(), settings)
            seconds.append(done["seconds"])
            for track, found in played.items():
                journal = folder / f"{run}_{track}_{blocks}.journal"
                found.append(_play(done, journal, track, blocks, seed))
        row: dict[str, Any] = {"arm": name, "settings": list(changes)}
        row["seconds"] = sum(seconds) / len(seconds)
        for track, found in played.items():
            runs, deals = [run for run, _ in found], [by_deal for _, by_deal in found]
            row[track] = over_seeds(runs, deals) | {"runs": runs}
            more = np.subtract(deals, of_recipe.setdefault(track, deals))
            row[track]["over_recipe"] = over_seeds(
                [{"mean": float(one.mean()), "half_width": None} for one in more], list(more)
            )
        rows.append(row)
    return {**rows[0][training_run.TRACKS[0]], "blocks": blocks, "arms": rows}


def over_seeds(runs: Sequence[Mapping[str, Any]], deals: Sequence[Any]) -> dict[str, float | None]:
    """Return mean, half_width and low of runs, each with mean and half_width: 95 % over seeds and
    deals, None where there is no interval.

    Args:
        deals: of each run its points by deal.
    """
    mean, half_width = best_response.interval(
        [run["mean"] for run in runs], [run["half_width"] for run in runs], deals
    )
    low = None if half_width is None else mean - half_width
    return {"mean": mean, "half_width": half_width, "low": low}


def recipe() -> str:
    """Return the file of the recipe. Raises ValueError: this is no source tree."""
    if not (config := training_run.first_config()):
        raise ValueError("the recipe of ./run train stands in the source tree: use a clone of it")
    return config


def _train(folder: Path, config: str, settings: Sequence[str]) -> dict[str, Any]:
    line = training_run.TrainingLine(str(folder))
    try:
        # of another recipe it would be another figure
        same = training_run.learned_keys()
        return training_run.train_or_resume(folder, config, settings, line, same)
    finally:
        line.end()


def _play(
    done: Mapping[str, Any], journal: Path, track: str, blocks: int, seed: int
) -> tuple[dict[str, Any], Any]:
    cards = track == training_run.TRACKS[0]
    settings: dict[str, Any] = {"generator": "heuristic:noise=0"} if cards else {}
    players = {"trained": _core.net_player(done["model_path"]), YARDSTICK: YARDSTICK}
    return _difference(journal, players, blocks, seed, track=track, **settings)


def _difference(
    journal: Path, players: Mapping[str, Any], blocks: int, seed: int, **settings: Any
) -> tuple[dict[str, Any], Any]:
    """Return mean, half_width and low of the first player over the second, each against three of
    the other, and the same by deal; a journal that is there goes on."""
    first, second = players
    files.refuse_link(journal)
    result = tournament(
        players,
        pairings=[{"one": first, "others": second}],
        blocks=blocks,
        **settings,
        seed=seed,
        journal=journal,
        resume=journal.is_file(),
        note=say_aside,
    )
    found = result["difference"][0][1]
    ahead, behind = (best_response.points_by_deal(result, pairing) for pairing in (0, 1))
    return {key: found[key] for key in ("mean", "half_width", "low")}, (ahead - behind) / 2


def _cost(done: Mapping[str, Any]) -> dict[str, Any]:
    return {name: done[name] for name in ("decisions", "seconds")}


def _file_name(text: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in text)
