"""Training runs from Python: train() drives the C++ trainer and streams what it measures."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from schafkopf import _core, files
from schafkopf.extras import load_extra
from schafkopf.keywords import flag
from schafkopf.training_run import (
    METRICS,
    check_one_run,
    first_config,
    load_training,
    run_folder,
)

__all__ = ["train"]

Event = dict[str, Any]
OWN = ("config", "out", "resume", "callback", "tensorboard")
PLAYERS = ("pool", "eval_opponent")  # keys with ; between players, whose parameters have commas
# Names of keys in TensorBoard: those of an evaluation stand together, as the parts of a dict do.
EVALUATION = "eval_"
GROUP = "train/"


def train(
    config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    callback: Callable[[Event], Any] | None = None,
    tensorboard: bool = False,
    **settings: Any,
) -> dict[str, Any]:
    """Train a network by self-play, as `schafkopf train` does, but for page, curve and tournament.

    `schafkopf train --resume FOLDER` makes these of a finished run. Every process that calls it
    trains a run of its own, under torchrun too: one run of several processes is
    `torchrun --nproc-per-node=N -m schafkopf train ...`.

    Ctrl-C ends the run after the current update with a checkpoint; the result says so, and
    train(resume=FOLDER) goes on.

    Args:
        config: a TOML file, or a mapping of keys on top of the defaults
            (configs/train/default.toml); None: configs/train/eight_minutes.toml, outside the source
            tree the defaults.
        out: folder of the run, which must not hold one yet; None: a new one below runs/.
        resume: instead: folder of a run to go on with, in its configuration.
        callback: called with each event, a dict; a true answer ends the run as Ctrl-C does, an
            exception ends it at once. event["event"] says what it is:
            "update": after each update: its line of metrics.jsonl (update, decisions, games,
                entropy, kl, value_loss ..., eval_mean and eval_half_width where it was evaluated),
                run_dir, share_done, and seconds_left (-1: unknown);
            "note": something that was found damaged, in event["text"];
            "end": what train returns.
        tensorboard: write every number of the updates as events of TensorBoard beside
            metrics.jsonl too; needs the package tensorboard.
        **settings: keys of the configuration, on top of it: width=128, learning_rate=1e-3 ...

    Returns:
        A dict: run_dir, model_path (for "net:...", load_torch and load_numpy), best_path
        (weights of the best evaluation, "" = none), ten_percent_path, rules, updates, decisions,
        unforced_decisions, games, seconds, workers, interrupted (before its end), stopped (by
        Ctrl-C or the callback, be it in the last update), was_finished, higher_limits, notes,
        shares of time.

    Raises:
        TypeError: a keyword that is none.  ValueError: a value that is not allowed, a folder or
            checkpoint that does not fit, another run is at work in the folder.
        ModuleNotFoundError: tensorboard is not installed.
        RuntimeError, OSError: the trainers are not built, device or disk, no such file, training
            has diverged (the folder has the weights before).
    """
    if resume is not None and (config is not None or out is not None):
        raise ValueError("resume goes on with a run in its own folder: no config, no out")
    out, resume = (
        None if path is None else files.given_path(files.engine_path(path, name), name)
        for path, name in ((out, "out"), (resume, "resume"))
    )
    if resume is not None and not os.path.isdir(resume):
        raise FileNotFoundError(f"{os.fspath(resume)}: no folder of a training run (there is none)")
    if callback is not None and not callable(callback):
        raise ValueError(f"callback = {callback!r}, allowed: a function of an event, None")
    tensorboard = flag("tensorboard", tensorboard)
    stream = EventStream(callback, tensorboard_writer() if tensorboard else None)
    training = load_training()
    _check_keys(training, settings)
    if isinstance(config, Mapping):
        settings, config = {**config, **settings}, ""
    elif config is None:
        config = "" if resume is not None else first_config()
    elif not isinstance(config, (str, os.PathLike)) or not os.fspath(config):
        came = '""' if config == "" else repr(config)
        raise ValueError(f"config = {came}, allowed: path of a TOML file, mapping of keys, None")
    with run_folder(resume or out) as folder:
        files.check_makeable(folder)
        files.refuse_link(folder / METRICS)
        if resume is not None:
            check_one_run(folder, stream.note, settings)
        try:
            result: dict[str, Any] = training.train(
                config=files.engine_path(config, "config"),
                keywords={str(key): _plain(str(key), value) for key, value in settings.items()},
                out_dir="" if resume is not None else str(folder),
                resume_dir="" if resume is None else str(folder),
                progress=stream.of(folder),
                note=stream.note,
            )
        finally:
            stream.close()
    stream.send({"event": "end", **result})
    return result


class EventStream:
    """The updates of a run as events: those of its metrics file, with the state of the run."""

    def __init__(self, callback: Callable[[Event], Any] | None, make_writer: Any) -> None:
        self._callback = callback
        self._make_writer = make_writer  # None = no TensorBoard
        self._writer: Any = None
        self._read = 0  # bytes of the metrics file

    def of(self, folder: Path) -> Callable[[dict[str, Any]], None] | None:
        """Return what the trainer calls after each update, None if nobody listens."""
        if self._callback is None and self._make_writer is None:
            return None
        return lambda state: self._update(folder, state)

    def _update(self, folder: Path, state: dict[str, Any]) -> None:
        row = self._row(folder / METRICS, state["updates"])
        if self._make_writer is not None:
            if self._writer is None:  # of a run that goes on: what is played again is hidden
                self._writer = self._make_writer(log_dir=str(folder), purge_step=row["update"])
            write_numbers(self._writer, row)
        self.send(
            {
                "event": "update",
                "run_dir": str(folder),
                **row,
                **{key: state[key] for key in ("share_done", "seconds_left")},
            },
            may_end=True,
        )

    def _row(self, path: Path, update: int) -> dict[str, Any]:
        """Return the line of an update, the last one that was written."""
        with open(path, "rb") as file:
            file.seek(self._read)
            lines = file.read().splitlines(keepends=True)
        self._read += sum(map(len, lines))
        row: dict[str, Any] = json.loads(lines[-1]) if lines else {}
        if row.get("update") != update:
            raise RuntimeError(f"{path}: changed by somebody else while the run writes it")
        return row

    def note(self, text: str) -> None:
        """Pass a note on."""
        self.send({"event": "note", "text": text})

    def send(self, event: Event, may_end: bool = False) -> None:
        """Call the callback; KeyboardInterrupt if it wants the run to end."""
        if self._callback is not None and self._callback(event) and may_end:
            raise KeyboardInterrupt

    def close(self) -> None:
        """Write what TensorBoard has not yet."""
        if self._writer is not None:
            self._writer.close()


def write_numbers(writer: Any, row: Mapping[str, Any]) -> None:
    """Write the numbers of an update to TensorBoard, those of dicts and lists too."""
    for key, value in row.items():
        if key == "update":
            continue
        if isinstance(value, (Mapping, list)):
            tag = key
        elif key.startswith(EVALUATION):
            tag = f"eval/{key[len(EVALUATION) :]}"
        else:
            tag = f"{GROUP}{key}"
        for name, number in _numbers_in(tag, value):
            writer.add_scalar(name, number, row["update"])


def _numbers_in(tag: str, value: Any) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a value, those within it by tag, key or place in a list."""
    if isinstance(value, (int, float)):
        yield tag, value
    elif isinstance(value, (Mapping, list)):
        parts = value.items() if isinstance(value, Mapping) else enumerate(value)
        for name, part in parts:
            yield from _numbers_in(f"{tag}/{name}", part)


def tensorboard_writer() -> Any:
    """Return the class of TensorBoard's writers. Raises ModuleNotFoundError: not installed."""
    load_extra("tensorboard", "tensorboard")
    return load_extra("torch.utils.tensorboard", "torch").SummaryWriter


def _check_keys(training: Any, settings: Mapping[str, Any]) -> None:
    keys = [row["key"] for row in training.config_fields()]
    for key in settings:
        if key not in keys:
            _core.refuse_keyword("train", key, [*OWN, *keys])


def _plain(key: str, value: Any) -> Any:
    """Return a value as the configuration has it: paths and lists as text."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (list, tuple)):
        return (";" if key in PLAYERS else ",").join(map(str, value))
    return value
