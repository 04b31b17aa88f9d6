"""A run of the trainer: its progress and end in words, its tournament and its games."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import shlex
import socket
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from schafkopf import _core, display, files, metrics_sums, records
from schafkopf.intervals import interval_text
from schafkopf.say import say, say_aside, say_over
from schafkopf.tournaments import ProgressLine, tournament

INTERRUPTED = 130
REPLAYED_GAMES = 5
BLOCKS = 16000  # deal blocks of each pairing and track of the tournament
TRACKS = ("card_play", "full")
SEARCHING, SEARCHED = "pimc:10,version=1", "search"  # a player that searches, and its tournament
SEARCH_SHARE = 80  # it plays so much fewer deals
MODEL = "model.safetensors"
CHECKPOINT, BEFORE = "checkpoint.safetensors", "checkpoint_before.safetensors"
TEN_PERCENT, EARLY = "checkpoint_10pct.safetensors", "at 10 %"  # file, and player of tournaments
CURVE, METRICS, CONFIG = "learning_curve.png", "metrics.jsonl", "config.toml"
RESULT, PAGE, GAMES = "tournament.json", "tournament.html", "games.txt"
MAX_RESULT_BYTES = 2**24
REPLAYS, INDEX = "games.html", "index.html"
# settings that are the same as long as a run goes on (check_resume in training/run/checkpoint.cpp)
_FIXED = ("rules", "seed", "init", "algorithm", "learn", "architecture", "width", "layers",
          "observation", "input_sections", "critic", "critic_width", "reward_scale")  # fmt: skip
MAX_HEAD_BYTES = 2**24  # of a checkpoint, as the engine allows
LINE_SECONDS = 15.0  # between progress lines where standard error is no terminal


def load_training() -> ModuleType:
    """Import the trainers, torch first.

    Raises:
        RuntimeError: torch or the module _training is missing or broken, and how to get it.
        FileNotFoundError: the working folder is gone; torch's MKL would end the process.
    """
    files.check_working_folder()
    try:
        importlib.import_module("torch")
        return importlib.import_module("schafkopf._training")
    except ImportError as error:
        raise RuntimeError(
            f"the trainers are not available ({error}); ./run build makes them, ./run train builds "
            "and trains, pip installs them as python/docs/packages.md says"
        ) from error


def quiet_meeting() -> None:
    """Let torch not log each try of processes to meet, with its stack: what comes of it is said in
    an error. To be called before torch is loaded; TORCH_CPP_LOG_LEVEL that is set stays."""
    if os.environ.get("WORLD_SIZE", "1") != "1":
        os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "FATAL")


def meet(training: ModuleType) -> Any:
    """Return the processes that train together, as torchrun started them.

    Raises:
        ValueError: what the environment says of them is wrong.  RuntimeError: they do not meet.
    """
    try:
        return training.Peers()
    except RuntimeError as error:
        place = os.environ.get("MASTER_ADDR", "")
        try:
            socket.getaddrinfo(place, None)
        except (OSError, UnicodeError) as why:
            reason = getattr(why, "strerror", None) or why
            raise RuntimeError(f"{error}; the name {place} leads nowhere: {reason}") from error
        raise


def default_config() -> str:
    """Return the path of configs/train/default.toml in the source tree, or "" elsewhere."""
    path = Path(__file__).resolve().parents[2] / "configs" / "train" / "default.toml"
    return str(path) if path.is_file() else ""


def first_config() -> str:
    """Return what is trained where no file is named: configs/train/eight_minutes.toml in the source
    tree, or "", the defaults, elsewhere."""
    path = Path(__file__).resolve().parents[2] / "configs" / "train" / "eight_minutes.toml"
    return str(path) if path.is_file() else ""


@contextlib.contextmanager
def run_folder(named: str | Path | None, base: str | Path = "runs") -> Iterator[Path]:
    """Give the folder of a run: the named one, or a new one below `base`, named after the time. A
    new one is made here, so that two runs never share it, and taken away if it stays empty.

    Raises:
        OSError: it cannot be made.
    """
    if named is not None:
        yield Path(named)
        return
    name = time.strftime("%Y-%m-%d_%H-%M-%S")
    path, number, made_base = Path(base) / name, 1, not Path(base).exists()
    files.check_makeable(path)
    while True:
        try:
            path.mkdir(parents=True)
            break
        except FileExistsError:
            number += 1
            path = Path(base) / f"{name}_{number}"
    try:
        yield path
    finally:
        for place in (path, Path(base))[: 1 + made_base]:
            with contextlib.suppress(OSError):  # something stands in it
                place.rmdir()


def refuse_pages(folder: Path) -> None:
    """Raise ValueError if a folder without a run has a file that the end of a new one would
    replace: of a site, say."""
    if any((folder / name).exists() for name in (CHECKPOINT, BEFORE)):
        return  # the trainer says that it holds a run
    for name in (CURVE, RESULT, PAGE, GAMES, REPLAYS, INDEX):
        if (folder / name).exists():
            raise ValueError(
                f"{folder / name}: it is there already, and no run beside it; the end of this one "
                "would replace it; allowed: another folder"
            )


def folder_lock(training: ModuleType, folder: Path) -> Any:
    """Return a lock of a folder, which is made where there is none: one run works in it.

    Raises:
        ValueError: another run is at work there.  OSError: it cannot be made or takes no files.
    """
    files.check_makeable(folder)
    return training.FolderLock(str(folder))


def train_or_resume(
    folder: Path,
    config: str,
    settings: Sequence[str],
    progress: Callable[[dict[str, Any]], object] | None = None,
    same: Sequence[str] = (),
) -> dict[str, Any]:
    """Train the run of this folder to its end, or go on with it as it was begun.

    Args:
        same: keys of which a run that was begun must have the values that are asked for now: with
            others it would answer another question.

    Returns:
        What the trainer returns (training.train in C++).

    Raises:
        ValueError: one of these has another value there, and which; the metrics are a link.
        KeyboardInterrupt: interrupted, with a checkpoint, be it in the last update.
        RuntimeError: no torch.
    """
    begun = check_same(folder, config, settings, same)
    files.refuse_link(folder / METRICS)
    check_one_run(folder, say_aside)
    done: dict[str, Any] = load_training().train(
        config="" if begun else config,
        settings=[] if begun else list(settings),
        out_dir="" if begun else str(folder),
        resume_dir=str(folder) if begun else "",
        progress=progress,
        note=say_aside,
    )
    if done["stopped"]:  # in the last update too: who calls has more to do
        raise KeyboardInterrupt
    return done


def check_same(folder: Path, config: str, settings: Sequence[str], same: Sequence[str]) -> bool:
    """Return whether the run of a folder was begun. Raises ValueError: with another value of one of
    these keys."""
    if not any((folder / name).is_file() for name in (CHECKPOINT, BEFORE)):
        return False
    other = other_settings(folder, config, settings)
    for key in same:
        if key in other:
            there, asked = other[key]
            raise ValueError(
                f"{folder}: was begun with {key} = {there}, not {asked}; allowed: another folder, "
                "or what it was begun with"
            )
    return True


def check_one_run(
    folder: Path, note: Callable[[str], object] | None = None, asked: Collection[str] = ()
) -> None:
    """Compare the checkpoint of a run with its config.toml, which the trainer writes and never
    reads, and with its metrics.

    Args:
        note: told where settings differ in what a run may change; None: a RuntimeWarning.
        asked: keys of which the run gets new values now; no note tells of them.

    Raises:
        ValueError: one of them is of another run: settings differ that no run changes, or its
            lines of metrics.
    """
    _check_settings(folder, note, asked)
    _check_metrics(folder)


def _check_settings(
    folder: Path, note: Callable[[str], object] | None, asked: Collection[str]
) -> None:
    try:
        there = values_of(files.own_text(folder / CONFIG))
        kept = values_of(str(_checkpoint_head(folder)["config"]))
    except (OSError, ValueError, KeyError):
        return  # damaged or gone: said, or made again, where it is read
    other = {key: (kept[key], there[key]) for key in kept if there.get(key, kept[key]) != kept[key]}
    if other and not _is_whole(folder / CHECKPOINT):
        return
    for key in filter(other.__contains__, _FIXED):
        raise ValueError(
            f"{folder / CHECKPOINT}: of another run than {CONFIG} beside it, or that was changed "
            f"by hand: {key} = {other[key][0]}, in {CONFIG} {other[key][1]}; allowed: the two "
            f"files of one run, or no {CONFIG}, which is then written from the checkpoint"
        )
    told = {key: values for key, values in other.items() if key not in asked}
    if told:
        changed = ", ".join(f"{key} = {one}, not {two}" for key, (one, two) in told.items())
        files.tell(f"{folder / CONFIG}: the run goes on by its checkpoint: {changed}", note)


def _check_metrics(folder: Path) -> None:
    """Two runs of the same settings differ in the times of their metrics, of which the checkpoint
    has sums. Lines that are damaged or lost are not meant here: the trainer goes on without them.
    Raises ValueError."""
    counters = checkpoint_counters(folder)
    written = metrics_sums.written(counters)
    if written is None or not (folder / METRICS).is_file():
        return
    with files.opened_regular(folder / METRICS) as file, files.naming(folder / METRICS):
        lines = [line for line in file.read().split(b"\n") if line]
    damage = metrics_sums.damage(lines, written)
    if damage is None or damage.line:
        return
    try:
        updates = [json.loads(line)["update"] for line in lines]
        known = [line for line, at in zip(lines, updates, strict=True) if at <= counters["updates"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return  # damaged
    if len(known) != written.lines or not metrics_sums.damage(known, written):
        return
    if _is_whole(folder / CHECKPOINT):
        raise ValueError(
            f"{folder / CHECKPOINT}: of another run than {METRICS} beside it, or that was changed "
            f"by hand: its {written.lines} lines are whole, and other ones than those of the "
            f"checkpoint; allowed: the two files of one run, or no {METRICS}: the run then goes on "
            "without those lines"
        )


def _is_whole(weights: Path) -> bool:
    try:
        _core.read_network(str(weights))
    except (ValueError, RuntimeError):
        return False
    return True


def checkpoint_counters(folder: Path) -> dict[str, Any]:
    """Return the counters in the checkpoint of a run (training/run/checkpoint.h), none where there
    are none to read: an older one, or a damaged one, which is said where it is read as a whole."""
    try:
        head = _checkpoint_head(folder)
        counters = files.parse_json(head["counters"], folder / CHECKPOINT)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}
    return counters if isinstance(counters, dict) else {}


def _checkpoint_head(folder: Path) -> dict[str, Any]:
    """Return the metadata of a checkpoint. Raises OSError, ValueError: it cannot be read."""
    with files.opened_regular(folder / CHECKPOINT) as file:
        size = int.from_bytes(file.read(8), "little")
        head = files.parse_json(file.read(min(size, MAX_HEAD_BYTES)).decode(), folder / CHECKPOINT)
    found = head.get("__metadata__") if isinstance(head, dict) else None
    return found if isinstance(found, dict) else {}


def learned_keys() -> list[str]:
    """Return the keys that decide what a run learns, not those of who works and what is kept."""
    kept = ("workers", "device", "checkpoint_minutes", "keep_last")
    return [row["key"] for row in load_training().config_fields() if row["key"] not in kept]


def setting(key: str, config: str, settings: Sequence[str]) -> str:
    """Return the value of a key as the trainer writes it, text in quotes.

    Raises:
        ValueError: a key that there is not, or a value that is not allowed.
        RuntimeError: no torch.
    """
    return values_of(load_training().config_toml(config, list(settings)))[key]


def other_settings(run: Path, config: str, settings: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the keys of which other values are asked than a run was begun with: both values, as
    the trainer writes them. `init` counts by the bytes of the file, by its name where one is gone;
    workers that are left open may be any number."""
    begun = _begun_with(run)
    asked = values_of(load_training().config_toml(config, list(settings)))
    if asked.get("workers") == "0":
        del asked["workers"]
    other = {
        key: (begun[key], value)
        for key, value in asked.items()
        if key in begun and begun[key] != value
    }
    if "init" in other:
        there, wanted = (Path(text.strip('"')) for text in other["init"])
        both = there.is_file() and wanted.is_file()
        if there.read_bytes() == wanted.read_bytes() if both else there.name == wanted.name:
            del other["init"]
    return other


def _begun_with(run: Path) -> dict[str, str]:
    """Return the settings of a run: those of its checkpoint, by which the trainer goes, of
    config.toml where that cannot be read, and none where neither can."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        return values_of(str(_checkpoint_head(run)["config"]))
    with contextlib.suppress(OSError, ValueError):
        return values_of(files.own_text(run / CONFIG))
    return {}


def values_of(config: str) -> dict[str, str]:
    """Return the values of a configuration as the trainer writes it: a line for each key."""
    return dict(re.findall(r"^(\w+) = (.*)$", config, flags=re.MULTILINE))


class TrainingLine:
    """Live progress: where the run is, then a line, in a terminal always the same one."""

    def __init__(self, folder: str) -> None:
        self.folder: str | None = folder  # None = said
        self.live = sys.stderr is not None and sys.stderr.isatty()
        self.last = -LINE_SECONDS
        self.open = False  # the cursor stands behind a line

    def __call__(self, state: dict[str, Any]) -> None:
        if self.folder is not None:  # not earlier: a run that cannot begin has no folder
            text = f"training in {self.folder}; Ctrl-C ends it with a checkpoint"
            say_aside(text)
            self.folder = None
        now = time.monotonic()
        finished = state["share_done"] >= 1.0
        if not self.live and now - self.last < LINE_SECONDS and not finished:
            return
        self.last = now
        text = progress_text(state)
        if not self.live:
            say_aside(text)
            return
        self.open = True
        say_over(cut(text))
        if finished:
            self.end()

    def end(self) -> None:
        """Begin a new line after the live one."""
        if self.open:
            self.open = False
            say_aside("")


def cut(text: str) -> str:
    """Return what of a line a terminal shows without a line break: a longer one cannot be
    overwritten."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError, AttributeError):  # no real terminal
        return text
    return text[: columns - 1] if columns > 1 else text


def progress_text(state: dict[str, Any]) -> str:
    """Return the state of a run after an update as one line."""
    text = (
        f"update {state['updates']}: {state['decisions'] / 1e6:.2f} M decisions, "
        f"{state['games'] / 1e3:.0f} k games, {state['decisions_per_second'] / 1e3:.0f} k "
        f"decisions/s, {state['games_per_second']:.0f} games/s, entropy {state['entropy']:.3f}, "
        f"KL {state['kl']:.4f}"
    )
    if state["eval_mean"] is not None:
        strength = {"mean": state["eval_mean"], "half_width": state["eval_half_width"]}
        text += f", {interval_text(strength, mark='+-')} tariff units per game"
    if state["seconds_left"] >= 0:
        minutes, seconds = divmod(round(state["seconds_left"]), 60)
        text += f", {100 * state['share_done']:.0f} %, {minutes}:{seconds:02d} left"
    return text


def summary_text(result: dict[str, Any]) -> str:
    """Return what a training did as two lines; what there is, if it was finished before."""
    if result["was_finished"]:
        return finished_text(result)
    rest = 1.0 - sum(result[key] for key in ("env_share", "act_share", "update_share"))
    return (
        f"trained {result['updates']} updates, {result['decisions'] / 1e6:.1f} M decisions, "
        f"{result['games'] / 1e3:.0f} k games in {result['seconds'] / 60:.1f} min on "
        f"{result['workers']} workers\n"
        f"{result['decisions_per_second_per_core'] / 1e3:.0f} k decisions/s per core; time: "
        f"environment {100 * result['env_share']:.1f} %, acting {100 * result['act_share']:.1f} %, "
        f"update {100 * result['update_share']:.1f} %, the rest (playouts, solver, teachers, "
        f"waiting) {100 * max(rest, 0.0):.1f} %"
    )


def finished_text(result: dict[str, Any]) -> str:
    """Return what a finished run has and how to train on."""
    folder = Path(result["run_dir"])
    lines = [
        f"nothing to train: {folder} is finished, {result['updates']} updates, "
        f"{result['decisions'] / 1e6:.1f} M decisions, {result['games'] / 1e3:.0f} k games in "
        f"{result['seconds'] / 60:.1f} min"
    ]
    for what, names in (
        ("page", [INDEX]),
        ("model", [Path(result["model_path"]).name]),
        ("learning curve", [CURVE]),
        ("tournament", [PAGE, RESULT]),
        ("games", [REPLAYS, GAMES]),
    ):
        there = [str(folder / name) for name in names if (folder / name).is_file()]
        if there:
            lines.append(f"  {what}: {', '.join(there)}")
    on = resume_command(folder, result["higher_limits"])
    lines.append(f"train on with a higher limit: {on}")
    return "\n".join(lines)


def resume_command(folder: Path, higher_limits: Sequence[str]) -> str:
    """Return the command that trains on, up to higher limits."""
    limits = [word for limit in higher_limits for word in ("--set", limit)]
    return shlex.join(["schafkopf", "train", "--resume", files.as_argument(folder), *limits])


def play_tournaments(
    result: dict[str, Any], rules: str, blocks: int, seed: int = 1
) -> list[dict[str, Any]]:
    """Play {trained, checkpoint at 10 %, shipped baseline, rules, random} on both tracks, then
    trained against a player that searches, cards alone and fewer deals; print the tables.

    The games are kept in the run's folder, so that a killed tournament goes on where it was.
    """
    folder = Path(result["run_dir"])
    trained = {"trained": _core.net_player(result["model_path"])}
    agents = trained | _early(folder, result["ten_percent_path"])
    yardstick = "rules:version=1"  # whose figures compare from run to run
    agents |= {"net:baseline": "net:baseline", yardstick: yardstick, "random": "random"}
    searching: dict[str, Any] = {
        "agents": trained | {SEARCHING: SEARCHING},
        "pairings": [{"one": "trained", "others": SEARCHING}],
        "blocks": max(2, blocks // SEARCH_SHARE),
    }
    both: list[tuple[str, dict[str, Any]]] = [
        (track, {"agents": agents, "blocks": blocks, "track": track}) for track in TRACKS
    ]
    results: list[dict[str, Any]] = []
    for name, settings in (*both, (SEARCHED, {**searching, "track": TRACKS[0]})):
        journal = folder / _journal_name(name, result["updates"], agents)
        files.refuse_link(journal)
        played = tournament(
            **settings,
            rules=rules,
            seed=seed,
            progress=ProgressLine(name),
            journal=journal,
            resume=True,
            note=say_aside,
        )
        say(played["text"], lines=True)
        played["updates"] = result["updates"]
        results.append(played)
    return results


def _early(folder: Path, path: str) -> dict[str, str]:
    """Return the checkpoint at 10 % as a player; nothing, and why, where there is none to read."""
    try:
        if not path:
            raise ValueError(f"{folder / TEN_PERCENT}: there is no such file")
        player = _core.net_player(path)
        _core.make_agent(player)
    except (ValueError, RuntimeError) as error:
        say_aside(f"{error}; the tournament is played without it", lines=True)
        return {}
    return {EARLY: player}


def _journal_name(tournament: str, updates: int, agents: Mapping[str, str]) -> str:
    """Return where the games are kept: without the early player they are those of another one."""
    return f"tournament_{tournament}-{updates}{'' if EARLY in agents else '-alone'}.journal"


def remove_journals(folder: Path) -> None:
    """Take away the games of a tournament whose result is written, and those of older models."""
    for name in (*TRACKS, SEARCHED):
        for path in folder.glob(f"tournament_{name}-*.journal"):
            if re.fullmatch(rf"tournament_{name}-\d+(-alone)?\.journal", path.name):
                path.unlink()


def played_tournaments(folder: Path, result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tournaments that the folder holds of this model, or nothing."""
    try:
        text = files.own_text(folder / RESULT, MAX_RESULT_BYTES)
        results = files.parse_json(text, folder / RESULT)
        if [played["track"] for played in results] != [*TRACKS, TRACKS[0]]:
            return []
        for played in results:
            if played.get("updates", result["updates"]) != result["updates"]:
                return []
            if not isinstance(played["blocks"], int):
                return []
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return []  # missing or damaged: played again
    return list(results)


@contextlib.contextmanager
def showing(folder: Path) -> Iterator[None]:
    """Show the tournaments of a folder. Raises ValueError: the file of their figures is damaged."""
    from jinja2 import UndefinedError

    wrong = (ArithmeticError, AttributeError, LookupError, TypeError, UndefinedError, ValueError)
    try:
        yield
    except wrong as error:
        raise ValueError(
            f"{folder / RESULT}: damaged; without it the tournament is played again"
        ) from error


def played_games(
    model_path: str, rules: str, count: int = REPLAYED_GAMES
) -> list[tuple[int, _core.Game, _core.Deal]]:
    """Return (seed, game, deal) of trained agents and rule agents, seat by seat in turn; deals that
    all passed are left out."""
    rule_set = _core.RuleSet(rules)
    agents = list(_replayed(model_path).values())
    players = [agents[seat % 2] for seat in range(rule_set.seats)]
    games: list[tuple[int, _core.Game, _core.Deal]] = []
    for seed in range(1, 200):
        game, deal = display.play_out(players, seed, rule_set, dealer=seed % rule_set.seats)
        if game.contract is not None:
            games.append((seed, game, deal))
        if len(games) == count:
            break
    return games


def _replayed(model_path: str) -> dict[str, _core.Agent]:
    """Return the players of the replayed games by name."""
    return {
        "trained": _core.make_agent(_core.net_player(model_path)),
        "rules": _core.make_agent("rules"),
    }


def _sitting(seats: int) -> list[str]:
    return [("trained", "rules")[seat % 2] for seat in range(seats)]


def write_games(path: Path, model_path: str, rules: str) -> None:
    """Write some games as readable text."""
    texts = []
    for number, (seed, game, deal) in enumerate(played_games(model_path, rules), 1):
        names = enumerate(_sitting(game.seats))
        title = (
            f"# Game {number}, deal {seed}: {', '.join(f'seat {s} {name}' for s, name in names)}"
        )
        texts.append(f"{title}\n{display.game_text(game, deal)}")
    files.write_text(path, "\n".join(texts))


def write_replays(path: Path, model_path: str, rules: str) -> None:
    """Write the same games as a page to step through, with what both players would do."""
    from schafkopf import pictures  # jinja2 and drawings, which nothing else here needs

    games = [records.record_of(game, deal) for _, game, deal in played_games(model_path, rules)]
    names = _sitting(_core.RuleSet(rules).seats)
    pictures.write_replay(path, games, players=_replayed(model_path), names=names, language="en")
