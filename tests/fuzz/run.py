"""Runs the fuzz targets: ./run fuzz (see CONTRIBUTING.md).

Every target begins with the committed inputs (tests/corpus), those that it makes itself and those
of earlier runs on this machine (build/fuzz/corpus). What it finds lies in build/fuzz/findings.
"""

import argparse
import base64
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "fuzz"
PROGRAM = BUILD / "tests" / "fuzz" / "schafkopf_fuzz"
CORPUS = ROOT / "tests" / "corpus"

# An input that takes more memory than this, in all or at once, is a finding: sizes are checked
# before memory is asked for.
LIMITS = ["-rss_limit_mb=1536", "-malloc_limit_mb=256"]
# As is one that takes longer, by the clock: a machine of CI may stand still for some seconds.
TIME_LIMIT = "-timeout=10"
FIXED_TIME_LIMIT = "-timeout=100"
LONGEST_INPUT = 1 << 16  # bytes
WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{1,40}")  # of a dictionary

MOST_COMMITTED = 100_000  # bytes of the inputs of a target that libFuzzer has named
MOST_PRINTED = 3000  # bytes of a finding that is printed: of a run of CI nothing else remains

# Files of tests/corpus itself that a target begins with: by the end of the name.
ENDINGS = {
    "record": (".jsonl",),
    "record_text": (".txt",),
    "rules": (".toml",),
    "tournament": (".toml",),
    "training": (".toml",),
    "weights": (".safetensors",),
    "checkpoint": (".safetensors",),
    "journal": (".journal",),
    "game": ("magic_of_a_game",),
    "snapshot": ("magic_of_a_snapshot", "snapshot_of_one_row_cut"),
    "engine_lines": (),
    "engine_session": (),
    "league": (),
    "actions": (),
    "spec": (),
}

# Inputs that take each target some seconds: what --fixed tries, nearly the same wherever it runs.
FIXED = {
    "record": 2500,
    "record_text": 1200,
    "rules": 2500,
    "tournament": 5000,
    "training": 6000,
    "weights": 19_000,
    "checkpoint": 18_000,
    "journal": 7500,
    "game": 60_000,
    "snapshot": 13_000,
    "engine_lines": 4500,
    "engine_session": 2500,
    "league": 800,
    "actions": 150,
    "spec": 15_000,
}


@dataclass
class Report:
    """What became of one target."""

    target: str
    executions: int = 0
    per_second: int = 0
    coverage: int = 0  # edges of the program
    inputs: int = 0
    findings: list[Path] = field(default_factory=list)
    failure: str = ""
    last_lines: list[str] = field(default_factory=list)  # of its log, where it failed


def command_of(target: str, *arguments: str | Path) -> list[str]:
    return [str(PROGRAM), f"--target={target}", *map(str, arguments)]


def committed(target: str) -> Path:
    """The folder of a target in the committed corpus."""
    return CORPUS / "fuzz" / target


def emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def prepare_seeds(target: str) -> Path:
    """Inputs to begin with: what the target makes, and what the corpus of all readers has."""
    folder = emptied(BUILD / "seeds" / target)
    subprocess.run(command_of(target, f"--write-seeds={folder}"), check=True)
    for file in sorted(CORPUS.iterdir()):
        if file.is_file() and file.name.endswith(ENDINGS[target] or ("\0",)):
            shutil.copy(file, folder)
    return folder


def words_of(files: Iterable[Path]) -> list[str]:
    """Names and numbers that stand in inputs: keys, enumerators, cards."""
    words: set[str] = set()
    for file in files:
        text = file.read_bytes().decode("ascii", "ignore")
        words.update(WORD.findall(text))
    return sorted(words)


def write_dictionary(target: str, seeds: Path) -> Path:
    """A dictionary of libFuzzer: what a random change would hardly ever spell."""
    path = BUILD / "dictionaries" / f"{target}.dict"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f'"{word}"\n' for word in words_of(seeds.iterdir())))
    return path


def folders_of(target: str, alone: bool = False) -> list[Path]:
    """Where inputs are read; new ones are written into the first.

    Args:
        alone: without those of earlier runs.
    """
    own = emptied(BUILD / "fixed" / target) if alone else BUILD / "corpus" / target
    own.mkdir(parents=True, exist_ok=True)
    held = [committed(target)] if committed(target).is_dir() else []
    return [own, prepare_seeds(target), *held]


def seeds_in_order(target: str, folders: list[Path]) -> list[str]:
    """Options that read inputs by name: folders are read in the order in which a disk has them."""
    files = sorted(
        (file for folder in folders for file in folder.iterdir()),
        key=lambda file: (file.parent != folders[0], file.name),
    )
    listed = BUILD / "fixed" / f"{target}.inputs"
    listed.write_text(",".join(str(file.relative_to(ROOT)) for file in files))
    return [f"-seed_inputs=@{listed.relative_to(ROOT)}"]


@cache
def same_addresses() -> list[str]:
    """Before a command: no address randomisation, where that is allowed. Nor does libFuzzer take
    numbers that are compared into its inputs (-use_cmp=0): addresses are among them."""
    command = ["setarch", os.uname().machine, "-R"]
    allowed = shutil.which("setarch") and not subprocess.run([*command, "true"]).returncode
    return command if allowed else []


def last_number(pattern: str, text: str) -> int:
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def run_target(target: str, seconds: int | None) -> Report:
    """Fuzz for some seconds, or with the fixed inputs of CI."""
    folders = folders_of(target, alone=seconds is None)
    dictionary = write_dictionary(target, folders[1])
    length, before_it = [f"-max_total_time={seconds}", TIME_LIMIT], []
    if seconds is None:
        length = [f"-runs={FIXED[target]}", "-seed=1", "-use_cmp=0", FIXED_TIME_LIMIT]
        length += seeds_in_order(target, folders[1:])
        folders, before_it = folders[:1], same_addresses()
    findings = BUILD / "findings" / target
    findings.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    log = BUILD / "logs" / f"{target}.log"
    log.parent.mkdir(exist_ok=True)
    options = [
        *LIMITS,
        f"-max_len={LONGEST_INPUT}",
        *length,
        f"-dict={dictionary}",
        f"-artifact_prefix={findings}/",
        "-print_final_stats=1",
        "-reload=0",
    ]
    with log.open("w") as stream:
        code = subprocess.run(
            [*before_it, *command_of(target, *options, *folders)],
            cwd=ROOT,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env={**os.environ, "UBSAN_OPTIONS": "print_stacktrace=1"},
        ).returncode
    text = log.read_text(errors="replace")
    report = Report(
        target,
        executions=last_number(r"stat::number_of_executed_units: (\d+)", text),
        per_second=last_number(r"stat::average_exec_per_sec: +(\d+)", text),
        coverage=last_number(r"cov: (\d+)", text),
        inputs=last_number(r"corp: (\d+)", text),
        findings=sorted(set(findings.iterdir()) - before),
    )
    if code != 0:
        report.failure = f"exit {code}, log: {log.relative_to(ROOT)}"
        found = [line for line in text.splitlines() if line.startswith(("==", "SUMMARY", "ALARM"))]
        report.last_lines = found[:8] or text.splitlines()[-8:]
    elif not report.executions:
        report.failure = f"no input was tried, log: {log.relative_to(ROOT)}"
    return report


def merge(target: str) -> None:
    """Keep of all inputs the few that reach everything, in the committed corpus."""
    folder = committed(target)
    kept = [file for file in folder.iterdir() if not is_generated(file)] if folder.is_dir() else []
    fresh = emptied(BUILD / "merged" / target)
    folders = folders_of(target)
    subprocess.run(
        command_of(
            target,
            *LIMITS,
            TIME_LIMIT,
            f"-max_len={LONGEST_INPUT}",
            "-set_cover_merge=1",
            fresh,
            *folders,
        ),
        check=True,
        stderr=subprocess.DEVNULL,
    )
    folder.mkdir(parents=True, exist_ok=True)
    for file in set(folder.iterdir()) - set(kept):
        file.unlink()
    room = MOST_COMMITTED
    for file in sorted(fresh.iterdir(), key=lambda file: file.stat().st_size):
        room -= file.stat().st_size
        if room >= 0:  # the small ones: the target makes long inputs itself
            shutil.copy(file, folder)


def is_generated(file: Path) -> bool:
    """Whether libFuzzer named a file; findings have names that say what was wrong."""
    return re.fullmatch(r"[0-9a-f]{40}", file.name) is not None


def print_reports(reports: list[Report]) -> None:
    print(f"{'target':16}{'executions':>12}{'per second':>12}{'edges':>8}{'inputs':>8}  findings")
    for report in reports:
        print(
            f"{report.target:16}{report.executions:12,}{report.per_second:12,}{report.coverage:8,}"
            f"{report.inputs:8,}  {len(report.findings) or '-'}"
        )
    for report in reports:
        for finding in report.findings:
            print(f"\n{report.target}: {finding.relative_to(ROOT)}")
            command = [str(PROGRAM.relative_to(ROOT)), *command_of(report.target, finding)[1:]]
            print(f"  again:   {' '.join(command)}".replace(f"{ROOT}/", ""))
            print(f"  a test:  {committed(report.target).relative_to(ROOT)}/WHAT_IS_WRONG")
            if finding.stat().st_size <= MOST_PRINTED:
                print(f"  base64:  {base64.b64encode(finding.read_bytes()).decode()}")
        if report.failure:
            print(f"{report.target}: {report.failure}")
            print("".join(f"  | {line[:200]}\n" for line in report.last_lines), end="")


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(ENDINGS)}")
    parser.add_argument("--seconds", type=int, default=60, help="of each target (60)")
    parser.add_argument(
        "--fixed",
        action="store_true",
        help="instead: nearly the same inputs wherever it runs, some seconds of each target",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="targets at a time")
    parser.add_argument(
        "--merge", action="store_true", help="do not fuzz: make tests/corpus/fuzz small again"
    )
    arguments = parser.parse_args()
    for target in arguments.targets:
        if target not in ENDINGS:
            parser.error(f"no target {target!r}, allowed: {', '.join(ENDINGS)}")
    for name in ("seconds", "jobs"):  # 0 seconds would never end
        if getattr(arguments, name) < 1:
            parser.error(f"--{name} {getattr(arguments, name)}, allowed: integer from 1")
    if not PROGRAM.is_file():
        sys.exit(f"{PROGRAM} is not built: ./run fuzz builds it")
    targets = arguments.targets or list(ENDINGS)
    if arguments.merge:
        for target in targets:
            merge(target)
        return 0
    seconds = None if arguments.fixed else arguments.seconds
    with ThreadPoolExecutor(arguments.jobs) as pool:
        reports = list(pool.map(lambda target: run_target(target, seconds), targets))
    print_reports(reports)
    return int(any(report.failure for report in reports))


if __name__ == "__main__":
    sys.exit(main())
