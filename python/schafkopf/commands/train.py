"""`schafkopf train`: a run of the trainer, then what a person wants to see of it."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from schafkopf import figure, files, plots, report, run_page, signals, training_run
from schafkopf.commands.options import Commands, add_field, add_folders, add_settings
from schafkopf.say import say, say_aside
from schafkopf.tournaments import write_json
from schafkopf.training import EventStream, tensorboard_writer


def _check(options: argparse.Namespace) -> None:
    """Refuse wrong files and folders before torch is loaded."""
    if options.resume and (options.config or options.out):
        raise ValueError("--resume goes on with a run in its own folder: no CONFIG, no --out")
    if options.no_tournament and options.blocks is not None:
        raise ValueError("--blocks are those of the tournament, allowed: without --no-tournament")
    if options.config:
        key, assigned, _ = options.config.partition("=")
        aside = f" (keys: --set {key}=VALUE)" if assigned else ""
        files.check_input(options.config, f"a training configuration{aside}")
    leads = os.environ.get("RANK", "0") in ("", "0")  # the others need no folder
    if options.resume and leads and not _resumable(Path(options.resume)):
        what = (
            f"no {training_run.CHECKPOINT} in it"
            if Path(options.resume).is_dir()
            else "there is none"
        )
        raise ValueError(f"--resume {options.resume}: no folder of a training run ({what})")
    if leads:
        figure.check_backend()
    if options.resume and leads:
        files.refuse_link(Path(options.resume) / training_run.METRICS)
        asked = {setting.partition("=")[0].strip() for setting in options.settings}
        training_run.check_one_run(Path(options.resume), say_aside, asked)


def _resumable(folder: Path) -> bool:
    there = [folder / name for name in (training_run.CHECKPOINT, training_run.BEFORE)]
    return any(files.is_there(path) and path.is_file() for path in there)


def _arguments(options: argparse.Namespace, peers: Any) -> dict[str, Any]:
    settings = list(options.settings)
    if options.seed is not None:
        settings.append(f"seed={options.seed}")
    return {
        "config": "" if options.resume else (options.config or training_run.first_config()),
        "settings": settings,
        "resume_dir": options.resume or "",
        "peers": peers,
    }


def _train(
    options: argparse.Namespace, training: ModuleType, folder: Path, peers: Any
) -> dict[str, Any]:
    stream = EventStream(None, tensorboard_writer() if options.tensorboard else None)
    with training_run.folder_lock(training, folder) as lock:
        line, write_events = training_run.TrainingLine(str(folder)), stream.of(folder)

        def progress(state: dict[str, Any]) -> None:
            line(state)
            if write_events:
                write_events(state)

        try:
            result: dict[str, Any] = training.train(
                **_arguments(options, peers),
                out_dir="" if options.resume else str(folder),
                progress=progress,
                lock=lock,
                note=say_aside,
            )
        finally:
            line.end()
            stream.close()
        _finish(options, result, folder)
    return result


def _finish(options: argparse.Namespace, result: dict[str, Any], folder: Path) -> None:
    """Make what is missing of what a person looks at; the folder is held."""
    made = _Outputs(folder)
    trained = not result["was_finished"]
    if trained:
        made.written.append(Path(result["model_path"]))
        say(training_run.summary_text(result), lines=True)
    if trained or made.lacks(training_run.CURVE, training_run.METRICS):
        title = f"{folder.name}, rules {result['rules']}"
        made.curve(title)
    whole = not (result["interrupted"] or _ended(options))
    results: list[dict[str, Any]] = []
    if whole and not options.no_tournament:
        results = _tournaments(options, result, made)
        training_run.remove_journals(folder)
    if trained or made.lacks(training_run.INDEX, training_run.METRICS, training_run.RESULT):
        results = results or training_run.played_tournaments(folder, result)
        made.make(training_run.INDEX, lambda _: run_page.write(folder, result, results))
    if whole and not trained:
        say(training_run.finished_text(result), lines=True)
    if made.written:
        for path in made.written:
            say(f"wrote {path}")
        page = folder / training_run.INDEX
        say(f"open {page}: curve, tournament, replays, how to play against it")


class _Outputs:
    """Files of a run's folder that are made, and which they were."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written: list[Path] = []

    def make(self, name: str, write: Callable[[Path], object]) -> None:
        files.make_room(self.folder / name)
        write(self.folder / name)
        self.written.append(self.folder / name)

    def lacks(self, name: str, *sources: str) -> bool:
        """Return whether a file is missing or older than its sources: its run was killed."""
        path = self.folder / name
        if not path.is_file():
            return True
        there = [self.folder / source for source in sources]
        newest = max((one.stat().st_mtime_ns for one in there if one.is_file()), default=0)
        return path.stat().st_mtime_ns < newest

    def curve(self, title: str) -> None:
        """Draw the learning curve; without matplotlib the run goes on and says so."""
        metrics = self.folder / training_run.METRICS
        try:
            self.make(
                training_run.CURVE, lambda path: plots.save_learning_curve(metrics, path, title)
            )
        except ModuleNotFoundError as error:
            say_aside(f"no learning curve: {error}")


def _tournaments(
    options: argparse.Namespace, result: dict[str, Any], made: _Outputs
) -> list[dict[str, Any]]:
    """Play the tournaments where they were not yet, and make what is shown of them."""
    folder = made.folder
    results = training_run.played_tournaments(folder, result)
    if results and options.blocks not in (None, results[0]["blocks"]):
        raise ValueError(
            f"--blocks {options.blocks}: {folder / training_run.RESULT} holds a tournament of "
            f"this model with {results[0]['blocks']} blocks; move it away, and the new one is "
            "played"
        )
    new = not results
    if new:
        results = training_run.play_tournaments(
            result, result["rules"], options.blocks or training_run.BLOCKS
        )
        made.make(training_run.RESULT, lambda path: write_json(results, path))
    model, rules = result["model_path"], result["rules"]
    title = f"Tournament of {folder.name}"
    outputs: dict[str, Callable[[Path], object]] = {
        training_run.PAGE: lambda path: _write_page(results, path, title),
        training_run.GAMES: lambda path: training_run.write_games(path, model, rules),
        training_run.REPLAYS: lambda path: training_run.write_replays(path, model, rules),
    }
    for name, write in outputs.items():
        if new or made.lacks(name, training_run.RESULT):
            made.make(name, write)
    return results


def _write_page(results: list[dict[str, Any]], path: Path, title: str) -> None:
    with training_run.showing(path.parent):
        page = report.to_html(results, title)
    files.write_text(path, page)


def _ended(options: argparse.Namespace) -> signals.Ended | None:
    """Return the signal that training took as its end, if there was one."""
    ending: signals.Ending | None = getattr(options, "ending", None)
    return ending.ended if ending else None


def run(options: argparse.Namespace) -> int:
    """Run `schafkopf train`."""
    _check(options)
    training_run.quiet_meeting()
    training = training_run.load_training()
    peers = training_run.meet(training)
    if peers.rank > 0:  # process 0 has the folder and speaks
        interrupted = training.train(**_arguments(options, peers))["interrupted"]
        asked = _ended(options)
        return asked.exit_code if asked else training_run.INTERRUPTED if interrupted else 0
    with training_run.run_folder(options.resume or options.out or None) as folder:
        return _lead(options, training, folder, peers)


def _lead(options: argparse.Namespace, training: ModuleType, folder: Path, peers: Any) -> int:
    """Train as the process that has the folder and speaks; return the exit code."""
    if not options.resume:
        training_run.refuse_pages(folder)
    again = shlex.join(["schafkopf", "train", "--resume", files.as_argument(folder)])
    if ending := getattr(options, "ending", None):
        ending.last_words = f"ended at once; {again} goes on from the last checkpoint"
    try:
        result = _train(options, training, folder, peers)
    except KeyboardInterrupt as error:
        if isinstance(error.__context__, RuntimeError):  # torchrun ends the others of a lost one
            say_aside(f"schafkopf: {error.__context__}")
        if (folder / training_run.CHECKPOINT).is_file():
            say_aside(f"interrupted; {again} goes on")
        raise
    ended = _ended(options)
    if not result["interrupted"] and not ended:
        return 0
    say_aside(f"{ended or 'interrupted'}; {again} goes on")
    return ended.exit_code if ended else training_run.INTERRUPTED


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "train",
        help="train an agent by self-play, then a duplicate tournament of the result",
        description="Train an agent by self-play from zero, then play a duplicate tournament of "
        "{trained, its checkpoint at 10 %, the shipped baseline, rules:version=1, random}, and of "
        "the trained one against pimc:10,version=1. The folder of the run gets index.html, the "
        "page to begin with (curve, tournament, replays, how to play against the result), and "
        "checkpoints, "
        "metrics.jsonl, learning_curve.png, tournament.html, tournament.json, games.html and "
        "games.txt. Several processes train together where torchrun starts them: torchrun "
        "--nproc-per-node=N -m schafkopf train ...",
        epilog="Example: schafkopf train configs/train/eight_minutes.toml --set width=128 "
        "--out runs/small.",
    )
    parser.add_argument(
        "config", nargs="?", help="TOML file (default: configs/train/eight_minutes.toml)"
    )
    add_settings(parser, "configuration")
    add_folders(parser, "run", "TIME")
    # the same range; the table of training itself comes with torch, which --help does not wait for
    add_field(parser, "tournament", "seed", note="default: the file's; as --set seed=N")
    parser.add_argument(
        "--no-tournament", action="store_true", help="stop after training and its learning curve"
    )
    parser.add_argument(
        "--tensorboard",
        action="store_true",
        help="write the numbers of metrics.jsonl for TensorBoard too (needs tensorboard)",
    )
    add_field(
        parser,
        "tournament",
        "blocks",
        note=f"default: {training_run.BLOCKS}, in each of the two tracks",
    )
    parser.set_defaults(run=run)
