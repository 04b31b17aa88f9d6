"""Runs of the trainer in a row, each from the best weights of the one before, in segments."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from numbers import Real
from pathlib import Path
from typing import Any

from schafkopf import _core, files, training_run
from schafkopf.keywords import agent_at, check_called, check_progress

BEST = "best.safetensors"
PLAYER = "player.safetensors"
NONE_YET = -1e300  # best_lower of a run before its first evaluation (training/run/checkpoint.h)
# players whose file or program may come with an earlier stage
_LATER = re.compile("net|engine|snapshots")
# of configs/train, the curriculum of the shipped player
STAGES = (
    "cards.toml",
    "joint.toml",
    "refine.toml",
    "refine_again.toml",
    "deduce.toml",
    "deduce_again.toml",
)


@dataclass(frozen=True)
class StageResult:
    """What a segment did."""

    finished: bool  # the last stage, too
    interrupted: bool  # by Ctrl-C, and not because the segment was over
    stage: Path  # folder of the run that was at work last
    model: str  # its weights
    player: Path | None  # the player that came out, when all is finished


def default_stages() -> list[Path]:
    """Return the stages of the shipped player.

    Raises:
        ValueError: outside the source tree, which has them.
    """
    default = training_run.default_config()
    if not default:
        raise ValueError("the stages stand in configs/train of the source tree: name STAGE.toml")
    return [Path(default).with_name(name) for name in STAGES]


def curriculum(
    stages: Sequence[str | Path],
    *,
    out: str | Path,
    minutes: float = 0.0,
    settings: Sequence[str] = (),
    progress: Callable[[str, Mapping[str, Any]], object] | None = None,
    note: Callable[[str], object] | None = None,
) -> StageResult:
    """Train the stages one after the other, or go on with them where they were left.

    A stage starts from the best weights of the one before (`init`), by its evaluations, or from its
    last ones where it has none. Where it is stopped changes nothing in what it learns, if its
    budget is one of decisions (`decisions_limit`).

    Args:
        stages: TOML files of training, the first one from zero unless it has an `init`.
        out: folder with one folder for each run, `1_NAME`, `2_NAME` ...; what stands there goes on
            with the settings that it was begun with, and `note` is told where others are asked.
        minutes: end after so much time, between two updates; 0 = go on to the end.
        settings: "key=value" on top of every stage that is new.
        progress: called with the name of the run and its state after each update.
        note: called with a sentence about what was found damaged or is not as asked; None: it is a
            RuntimeWarning.

    Returns:
        How far it came; when all is finished, with a weights file for `net:FILE` in `out`.

    Raises:
        FileNotFoundError: there is no such file of a stage.
        ValueError: no stages, a file that cannot be read or is wrong, minutes below 0, a folder
            with the runs of other stages, or another process at work in it; the best weights of
            a stage that is finished are damaged or gone, and are needed.
        OSError: `out` cannot be made, or takes no files.
        RuntimeError: no torch, or a disk that does not take the files.
    """
    check_progress(progress, "a name and a dict")
    check_called("note", note, "a text")
    if isinstance(stages, (str, Path)):
        raise ValueError(f'stages: the text "{stages}" came, allowed: a list of TOML files')
    if not stages:
        raise ValueError("stages: none, allowed: at least one TOML file of training")
    if not isinstance(minutes, Real) or not minutes >= 0.0:
        raise ValueError(f"minutes = {minutes!r}, allowed: number >= 0")
    for stage in stages:
        files.check_input(str(stage), "a training configuration")
    training = training_run.load_training()
    asked = [  # all of them, before the first is trained
        training_run.values_of(training.config_toml(str(stage), list(settings))) for stage in stages
    ]
    folder = Path(out)
    deadline = time.monotonic() + 60.0 * minutes if minutes else float("inf")
    with training_run.folder_lock(training, folder):  # not one after the other of two, either
        _refuse_others(folder, stages)
        runs = [folder / _run_name(number, stage) for number, stage in enumerate(stages, start=1)]
        num_begun = len(list(takewhile(_is_begun, runs)))
        before = str(stages[num_begun - 1]) if num_begun else ""
        new = [str(stage) for stage in stages[num_begun:]]
        training.check_stages(new, list(settings), before)
        for stage, values in zip(new, asked[num_begun:], strict=True):
            _check_players(stage, values)
        over = False
        run, before = folder, ""
        for stage, own_folder in zip(stages, runs, strict=True):
            run_before, run = run, own_folder

            def after_update(state: Mapping[str, Any], name: str = run.name) -> None:
                nonlocal over
                if progress:
                    progress(name, state)
                if time.monotonic() > deadline:
                    over = True
                    raise KeyboardInterrupt  # the trainer's way to stop with a checkpoint

            begun = _is_begun(run)
            files.refuse_link(run / training_run.METRICS)
            if begun:
                training_run.check_one_run(run, note)
                other = training_run.other_settings(run, str(stage), settings)
                if keys := ", ".join(key for key in other if key != "init"):
                    text = f"{run}: stays as it was begun; other values are asked of {keys}"
                    files.tell(text, note)
            start = [f"init={_weights(run_before, before)}"] if before and not begun else []
            done = training.train(
                config="" if begun else str(stage),
                settings=[] if begun else [*settings, *start],
                out_dir="" if begun else str(run),
                resume_dir=str(run) if begun else "",
                progress=after_update,
                note=lambda text: files.tell(text, note),
            )
            if done["interrupted"] or (done["stopped"] and run != runs[-1]):
                return StageResult(False, not over, run, done["model_path"], None)
            before = done["model_path"]
        weights = _weights(run, before)
        player = folder / PLAYER
        training.export_player(str(run), str(player))
        return StageResult(True, False, run, weights, player)


def _check_players(stage: str | Path, values: Mapping[str, str]) -> None:
    """Raise ValueError for players that there are not, but for those that may come with an earlier
    stage."""
    for key in ("pool", "eval_opponent", "teacher"):
        text = json.loads(values[key])
        for player in [text] if key == "teacher" and text else _core.players_in(text):
            if _LATER.search(player):
                continue
            try:
                agent_at(f'{key} = "{text}"', player)
            except (ValueError, RuntimeError) as error:
                raise ValueError(f"{stage}: {error}") from error


def _run_name(number: int, stage: str | Path) -> str:
    return f"{number}_{Path(stage).stem}"


def _weights(run: Path, last: str) -> str:
    """Return the weights that a finished run hands on: the best ones, or, where it has none, its
    last ones. Raises ValueError: its best ones are gone, or were damaged and are set aside."""
    best = run / BEST
    if best.is_file():
        return str(best)
    lower = training_run.checkpoint_counters(run).get("best_lower")
    if isinstance(lower, float) and lower > NONE_YET:
        raise ValueError(
            f"{best}: gone, or set aside as damaged, and the run is finished: no better evaluation "
            "comes after it; allowed: the file from a copy, or, for the last weights instead of "
            f"the best ones, a copy of {last} in its place"
        )
    return last


def _is_begun(run: Path) -> bool:
    return any((run / name).is_file() for name in (training_run.CHECKPOINT, training_run.BEFORE))


def _refuse_others(folder: Path, stages: Sequence[str | Path]) -> None:
    """Raise ValueError where a folder holds runs of other stages: its player would be lost."""
    names = {_run_name(number, stage) for number, stage in enumerate(stages, start=1)}
    others = [run.name for run in sorted(folder.glob("[0-9]*_*")) if _is_begun(run)]
    others = [name for name in others if name not in names]
    if others:
        raise ValueError(
            f"out = {folder}: it holds {', '.join(others)} of other stages; allowed: a new folder, "
            "or the stages that were begun in it"
        )
