"""The command `schafkopf train`: a run of the trainer, then what a person wants to see of it."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from schafkopf import _core, display, files, plots, report
from schafkopf.tournaments import ProgressLine, tournament, write_json

INTERRUPTED = 130
REPLAYED_GAMES = 5
CHECKPOINT = "checkpoint.safetensors"
LINE_SECONDS = 15.0  # between progress lines where standard error is no terminal


def load_training() -> ModuleType:
    """Import the trainers, torch first.

    Raises:
        RuntimeError: torch or the module _training is missing or broken, and how to get it.
    """
    try:
        importlib.import_module("torch")
        return importlib.import_module("schafkopf._training")
    except ImportError as error:
        raise RuntimeError(
            f"the trainers are not available ({error}); ./run build makes them, and "
            "./run train builds and trains"
        ) from error


def default_config() -> str:
    """Return the path of configs/train/default.toml in the source tree, or "" elsewhere."""
    path = Path(__file__).resolve().parents[2] / "configs" / "train" / "default.toml"
    return str(path) if path.is_file() else ""


def new_run_folder(base: str | Path = "runs") -> Path:
    """Return the path of a new folder below `base`, named after the time; never an old one."""
    name = time.strftime("%Y-%m-%d_%H-%M-%S")
    path, number = Path(base) / name, 1
    while path.exists():
        number += 1
        path = Path(base) / f"{name}_{number}"
    return path


class TrainingLine:
    """Live progress: where the run is, then a line, in a terminal always the same one."""

    def __init__(self, folder: str) -> None:
        self.folder: str | None = folder  # None = said
        self.live = sys.stderr.isatty()
        self.last = -LINE_SECONDS

    def __call__(self, state: dict[str, Any]) -> None:
        if self.folder is not None:  # not earlier: a run that cannot begin has no folder
            text = f"training in {self.folder}; Ctrl-C ends it with a checkpoint"
            print(text, file=sys.stderr)
            self.folder = None
        now = time.monotonic()
        finished = state["share_done"] >= 1.0
        if not self.live and now - self.last < LINE_SECONDS and not finished:
            return
        self.last = now
        start, end = ("\r", "\033[K") if self.live else ("", "\n")
        print(start + progress_text(state), end=end, file=sys.stderr, flush=True)
        if self.live and finished:
            print(file=sys.stderr)


def progress_text(state: dict[str, Any]) -> str:
    """Return the state of a run after an update as one line."""
    text = (
        f"update {state['updates']}: {state['decisions'] / 1e6:.2f} M decisions, "
        f"{state['games'] / 1e3:.0f} k games, {state['decisions_per_second'] / 1e3:.0f} k "
        f"decisions/s, {state['games_per_second']:.0f} games/s, entropy {state['entropy']:.3f}, "
        f"KL {state['kl']:.4f}"
    )
    if state["eval_mean"] is not None:
        text += f", {state['eval_mean']:+.2f} +- {state['eval_half_width']:.2f} points/game"
    if state["seconds_left"] >= 0:
        minutes, seconds = divmod(round(state["seconds_left"]), 60)
        text += f", {100 * state['share_done']:.0f} %, {minutes}:{seconds:02d} left"
    return text


def summary_text(result: dict[str, Any]) -> str:
    """Return what a training did as two lines; one, if the run was finished before."""
    if result["decisions_per_second_per_core"] == 0:
        return (
            f"nothing to do: {result['run_dir']} was finished after {result['updates']} updates; "
            "--set with a higher time_limit_minutes or decisions_limit goes on"
        )
    return (
        f"trained {result['updates']} updates, {result['decisions'] / 1e6:.1f} M decisions, "
        f"{result['games'] / 1e3:.0f} k games in {result['seconds'] / 60:.1f} min on "
        f"{result['workers']} workers\n"
        f"{result['decisions_per_second_per_core'] / 1e3:.0f} k decisions/s per core; time: "
        f"environment {100 * result['env_share']:.1f} %, acting {100 * result['act_share']:.1f} %, "
        f"update {100 * result['update_share']:.1f} %"
    )


def rules_of_run(run_dir: str | Path) -> str:
    """Return the rule set named in the configuration that the trainer wrote into its folder.

    Raises:
        OSError: it cannot be read;  ValueError: it is no UTF-8 text, or `rules` is no text.
    """
    # not by tomllib, whose time is the square of the length of a key
    path = Path(run_dir) / "config.toml"
    for number, line in enumerate(files.read_config(path).splitlines(), 1):
        key, _, value = line.partition("=")
        if key.strip() == "rules":
            rules = files.parse_json(value.strip(), f"{path}:{number}")
            if not isinstance(rules, str):
                raise ValueError(f"{path}:{number}: rules is no text")
            return rules
    return "research"


def play_tournaments(
    result: dict[str, Any], rules: str, blocks: int, seed: int = 1
) -> list[dict[str, Any]]:
    """Play {trained, checkpoint at 10 %, rules, random} on both tracks; print the tables."""
    agents = {"trained": f"net:{result['model_path']}"}
    if result["ten_percent_path"]:
        agents["at 10 %"] = f"net:{result['ten_percent_path']}"
    yardstick = "rules:version=1"  # whose figures compare from run to run
    agents |= {yardstick: yardstick, "random": "random"}
    results: list[dict[str, Any]] = []
    for track in ("card_play", "full"):
        played = tournament(
            agents, blocks=blocks, track=track, rules=rules, seed=seed, progress=ProgressLine(track)
        )
        print(played["text"])
        results.append(played)
    return results


def write_games(path: Path, model_path: str, rules: str, count: int = REPLAYED_GAMES) -> None:
    """Write games of trained agents and rule agents, seat by seat in turn, as readable text; deals
    that all passed are left out."""
    pair = {"trained": f"net:{model_path}", "rules": "rules"}
    agents = [_core.make_agent(spec) for spec in pair.values()]
    rule_set = _core.RuleSet(rules)
    seats = range(rule_set.seats)
    sitting = ", ".join(f"seat {seat} {list(pair)[seat % 2]}" for seat in seats)
    texts: list[str] = []
    for seed in range(1, 200):
        players = [agents[seat % 2] for seat in seats]
        game, deal = display.play_out(players, seed, rule_set, dealer=seed % len(seats))
        if game.contract is None:
            continue
        title = f"# Game {len(texts) + 1}, deal {seed}: {sitting}"
        texts.append(f"{title}\n{display.game_text(game, deal)}")
        if len(texts) == count:
            break
    files.write_text(path, "\n".join(texts))


def _check(options: argparse.Namespace) -> None:
    """Refuse wrong files and folders before torch is loaded."""
    if options.resume and (options.config or options.out):
        raise ValueError("--resume goes on with a run in its own folder: no CONFIG, no --out")
    if options.config and not Path(options.config).is_file():
        what = "it is a folder" if Path(options.config).is_dir() else "there is no such file"
        raise ValueError(f"{options.config}: {what}, needed: a training configuration")
    if options.resume and not (Path(options.resume) / CHECKPOINT).is_file():
        what = f"no {CHECKPOINT} in it" if Path(options.resume).is_dir() else "there is none"
        raise ValueError(f"--resume {options.resume}: no folder of a training run ({what})")


def _train(options: argparse.Namespace) -> dict[str, Any]:
    _check(options)
    training = load_training()
    settings = list(options.settings)
    if options.seed is not None:
        settings.append(f"seed={options.seed}")
    out = "" if options.resume else str(options.out or new_run_folder())
    result: dict[str, Any] = training.train(
        config="" if options.resume else (options.config or default_config()),
        settings=settings,
        out_dir=out,
        resume_dir=options.resume or "",
        progress=TrainingLine(options.resume or out),
    )
    return result


def run(options: argparse.Namespace) -> int:
    """Run `schafkopf train`."""
    result = _train(options)
    folder = Path(result["run_dir"])
    print(summary_text(result))
    written = [folder / "model.safetensors", folder / "learning_curve.png"]
    rules = rules_of_run(folder)
    plots.save_learning_curve(folder / "metrics.jsonl", written[1], f"{folder.name}, rules {rules}")
    if result["interrupted"]:
        print(f"interrupted; schafkopf train --resume {folder} goes on", file=sys.stderr)
        return INTERRUPTED
    if not options.no_tournament:
        results = play_tournaments(result, rules, options.blocks)
        written += [folder / name for name in ("tournament.json", "tournament.html", "games.txt")]
        write_json(results, written[2])
        report.write_html(results, written[3], f"Tournament of {folder.name}")
        write_games(written[4], result["model_path"], rules)
    print("\n".join(f"wrote {path}" for path in written))
    return 0
