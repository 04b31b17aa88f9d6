"""What faults are put into: each works for a second, writes files, and goes on where it was."""

from __future__ import annotations

import fnmatch
import importlib.util
import json
import os
import struct
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from faults.table_player import play_table
from schafkopf.tournaments import read_games

ROOT = Path(__file__).resolve().parents[2]
BUILT = Path(os.environ.get("SCHAFKOPF_BUILD_DIR", ROOT / "build" / "release"))

Content = dict[str, bytes]
TIMES = ("seconds", "per_second", "_share", "minutes")  # of what a key of the metrics may measure


@dataclass(frozen=True)
class Subject:
    """Something that works for a while, in the folder `work` of an otherwise empty folder.

    Attributes:
        what: in a few words.
        begin: its command; {work} stands for the folder, {place} for the one around it.
        go_on: the command that continues.
        begun: pattern of the files below {place} of which one must be there for go_on; without
            one, nothing was begun.
        over: pattern of the files below {place} of which one shows, without one of begun, that it
            was finished: then there is nothing to go on with.
        files: what is written beforehand, by name in {place}.
        left_out: patterns of files that hold times, or that only a disturbed run has.
        kept: patterns of files with a copy, or that can be made again: after damage of one of
            them it must go on. What is asked for only once, such as a configuration, may be
            refused by name.
        sealed: patterns of files with a checksum that are not read when it goes on: damaged, they
            may stay so, for whoever reads them is told.
        said: patterns of files whose damage is said when it goes on, with what is left of them.
        missed: patterns of those among them without which it comes to another end.
        ends_with: exit code of the undisturbed run.
        drive: plays with the process until it ends, where it does not work by itself.
        apart: words of a second process, so that nothing but the files can be in its way.
        packages: that must be there.
    """

    name: str
    what: str
    begin: tuple[str, ...]
    go_on: tuple[str, ...]
    begun: str
    over: str = ""
    files: Mapping[str, str] | None = None
    left_out: tuple[str, ...] = ()
    kept: tuple[str, ...] = ("*",)
    sealed: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    ends_with: int = 0
    drive: Callable[..., None] | None = None
    apart: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()

    def missing(self) -> str:
        """Return what it lacks here, "" if it can be started."""
        lacks = [name for name in self.packages if importlib.util.find_spec(name) is None]
        if self.begin[0] == PROGRAM and not Path(PROGRAM).is_file():
            lacks.append(Path(PROGRAM).name)
        return f"{', '.join(lacks)} not there" if lacks else ""

    def content(self, work: Path) -> Content:
        """Return what must not differ from the undisturbed run, by name."""
        return {
            name: comparable(path)
            for path in sorted(work.rglob("*"))
            if path.is_file()
            for name in [str(path.relative_to(work))]
            if not any(fnmatch.fnmatch(name, pattern) for pattern in self.left_out)
        }

    def has(self, kind: str, name: str) -> bool:
        """Return whether a file is one of those that are "kept", "sealed", "said" ..."""
        return any(fnmatch.fnmatch(name, pattern) for pattern in getattr(self, kind))


def comparable(path: Path) -> bytes:
    """Return what a file has in common with that of every other run: metrics without times, the
    games of a journal in an order of their own."""
    try:
        if path.suffix == ".journal":
            return games_of(path)
        if path.name == "metrics.jsonl":
            return numbers_of(path)
    except (ValueError, AttributeError, struct.error):  # damaged
        pass
    return path.read_bytes()


def numbers_of(path: Path) -> bytes:
    """Return the lines of metrics without what was measured by the clock."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    kept = [{k: v for k, v in row.items() if not any(t in k for t in TIMES)} for row in rows]
    return json.dumps(kept).encode()


PIECE = struct.Struct("<IIQ")  # magic, rows, checksum: agents/work/journal.cpp


def games_of(path: Path) -> bytes:
    """Return the games of a journal: how many are written at a time depends on the speed."""
    head, _, body = path.read_bytes().partition(b"\n")
    if b"league" not in head:
        games = read_games(path)
        return bytes(
            games[np.lexsort((games["seats"], games["block"], games["pairing"]))].tobytes()
        )
    pieces, place = [], 0
    while place < len(body):
        _, size, _ = PIECE.unpack_from(body, place)
        pieces.append(body[place : place + PIECE.size + size])
        place += PIECE.size + size
    return b"".join(sorted(pieces))


def python(*words: str) -> tuple[str, ...]:
    """Return the command line of `schafkopf`."""
    return (sys.executable, "-m", "schafkopf", *words)


PROGRAM = str(BUILT / "schafkopf_train")
TRAINING = {
    "games_per_update": 16, "minibatch": 256, "width": 32, "workers": 1, "eval_minutes": 0,
    "time_limit_minutes": 0, "decisions_limit": 9000, "checkpoint_minutes": 0,
    "pool": '"rules;snapshots"', "pool_share": 0.3,
}  # fmt: skip
SETTINGS = tuple(word for key, value in TRAINING.items() for word in ("--set", f"{key}={value}"))
STAGE = "".join(f"{key} = {value}\n" for key, value in TRAINING.items())

DUELS = """agents = ["rules", "random"]
formats = ["1v3", "2v2"]
blocks = 400
threads = 1
"""
LADDER = ("--set", 'agents=["random", "rules:version=1", "pimc:1"]', "--set", "precision=0",
          "--set", "blocks=20", "--set", "pairings=[]", "--set", "first_check=100",
          "--set", "threads=1")  # fmt: skip
LEAGUE = str(ROOT / "configs" / "tournament" / "league_2024.toml")
SPOILED = ("*.damaged-*",)  # what was set aside
SAID = ("*metrics.jsonl", "*snapshot_*.safetensors")
MISSED = ("*snapshot_*.safetensors",)
WEIGHTS = ("*weights_*.safetensors", "*checkpoint_10pct.safetensors", "*player.safetensors")

SUBJECTS = (
    Subject(
        "training",
        "the trainer, without Python (schafkopf_train)",
        (PROGRAM, *SETTINGS, "--out", "{work}"),
        (PROGRAM, "--resume", "{work}"),
        "work/checkpoint*.safetensors",
        sealed=WEIGHTS,
        said=SAID,
        missed=MISSED,
        left_out=("checkpoint.safetensors", "checkpoint_before.safetensors", *SPOILED),
    ),
    Subject(
        "curriculum",
        "two stages of training, one after the other",
        python("curriculum", "{place}/1_one.toml", "{place}/2_two.toml", "--out", "{work}"),
        python("curriculum", "{place}/1_one.toml", "{place}/2_two.toml", "--out", "{work}"),
        "work",
        files={"1_one.toml": STAGE, "2_two.toml": STAGE + "seed = 2\n"},
        sealed=WEIGHTS,
        said=SAID,
        missed=MISSED,
        left_out=("*checkpoint.safetensors", "*checkpoint_before.safetensors", *SPOILED),
        packages=("torch", "schafkopf._training"),
    ),
    Subject(
        "tournament",
        "400 duplicate deals of two agents",
        python("tournament", "{place}/duels.toml", "--out", "{work}"),
        python("tournament", "--resume", "{work}"),
        "work/config.toml",
        files={"duels.toml": DUELS},
        kept=("games.parquet", "result.json", "report.html"),
        left_out=SPOILED,
    ),
    Subject(
        "league",
        "a league day of 16 players",
        python("tournament", LEAGUE, "--set", "players=16", "--set", "threads=1",
               "--out", "{work}"),
        python("tournament", "--resume", "{work}"),
        "work/config.toml",
        kept=("games.parquet", "result.json", "report.html"),
        left_out=SPOILED,
    ),
    Subject(
        "ladder",
        "three rungs of the ladder",
        python("ladder", *LADDER, "--out", "{work}"),
        python("ladder", "--resume", "{work}"),
        "work/config.toml",
        kept=("games.parquet", "result.json", "report.html", "ladder.md", "times.json"),
        left_out=("ladder.md", "times.json", *SPOILED),
    ),
    Subject(
        "dataset",
        "640 games in eight Parquet files",
        python("dataset", "write", "--players", "rules", "random", "--games", "640",
               "--shard-games", "80", "--out", "{work}"),
        python("dataset", "write", "--resume", "{work}"),
        "work/dataset.json",
        kept=("games-*", "checksums.sha256"),
        left_out=SPOILED,
        packages=("pyarrow",),
    ),
    Subject(
        "workers",
        "the same by two processes",
        python("dataset", "write", "--players", "rules", "random", "--games", "640",
               "--shard-games", "80", "--workers", "2", "--out", "{work}"),
        python("dataset", "write", "--workers", "2", "--resume", "{work}"),
        "work/dataset.json",
        kept=("games-*", "checksums.sha256"),
        left_out=SPOILED,
        packages=("pyarrow",),
    ),
    Subject(
        "table",
        "a table served to a browser, one person and two deals",
        python("serve", "--fast", "--port", "0", "--seed", "5", "--deals", "2", "--rules",
               "course_002", "--out", "{work}/deals.jsonl"),
        python("serve", "--fast", "--resume", "{work}/deals.jsonl.table"),
        "work/deals.jsonl.table",
        "work/deals.jsonl",
        files={"work/": ""},
        kept=(),
        left_out=SPOILED,
        ends_with=143,
        drive=play_table,
        apart=("--port", "0"),
        packages=("uvicorn", "starlette"),
    ),
    Subject(
        "export",
        "a tournament without a folder, whose result and page are written at its end",
        python("tournament", "--agents", "rules", "random", "--blocks", "60", "--threads", "1",
               "--json", "{work}/result.json", "--html", "{work}/page.html"),
        python("tournament", "--agents", "rules", "random", "--blocks", "60", "--threads", "1",
               "--json", "{work}/result.json", "--html", "{work}/page.html"),
        "work",
        files={"work/": ""},
        left_out=SPOILED,
    ),
)  # fmt: skip
