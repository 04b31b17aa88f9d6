"""`schafkopf tournament`: which agent is stronger, by how much."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from schafkopf import figure, files
from schafkopf.commands.options import (
    AGENTS,
    Commands,
    add_field,
    add_folders,
    add_ray,
    add_settings,
    field,
    files_of,
)
from schafkopf.programs import failure_words
from schafkopf.say import say, say_aside
from schafkopf.tournaments import (
    ProgressLine,
    TournamentResult,
    new_folder,
    run_tournament,
    toml_value,
    tournament,
    write_json,
)

# options of both forms -> what the form without a file takes where they are left out
DEFAULTS: dict[str, Any] = {
    key: field("tournament", key)["default"] for key in ("track", "rules", "seed", "threads")
} | {"blocks": 500}


def _say_failures(result: Mapping[str, Any]) -> None:
    """Say on standard error whose programs failed."""
    for agent in result.get("agents", []):
        engine = agent.get("engine", {}) if isinstance(agent, dict) else {}
        if words := failure_words(engine.get("failures", {})):
            first = f"the first: {engine['first_failure']}"
            say_aside(f"schafkopf: {agent['name']}: {words}; {first}")


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """Return those of DEFAULTS that the command line names."""
    values = {key: getattr(options, key) for key in DEFAULTS}
    return {key: value for key, value in values.items() if value is not None}


def _run_file(options: argparse.Namespace) -> int:
    if options.agents or options.json or options.html:
        raise ValueError("--agents, --json and --html belong to the form without a file")
    if options.resume and options.out:
        raise ValueError("--resume goes on with a tournament in its own folder: no --out")
    if options.config:
        files.check_input(options.config, "a tournament file")
    folder = options.resume or options.out or new_folder(options.config)
    changed = [f"{key}={toml_value(value)}" for key, value in _given(options).items()]

    def announce(place: Path) -> None:
        again = f"--resume {shlex.quote(files.as_argument(place))}"
        say_aside(f"tournament in {place}; after Ctrl-C: {again}")
        if ending := getattr(options, "ending", None):
            ending.last_words = f"ended at once; schafkopf tournament {again} goes on"

    def tell(result: TournamentResult) -> None:
        say(result["text"], end="", lines=True)
        _say_failures(result)

    run_tournament(
        options.config or "",
        settings=[*options.settings, *changed],
        out=None if options.resume else folder,
        resume=options.resume,
        ray=options.ray,
        progress=ProgressLine("tournament"),
        started=announce,
        finished=tell,  # also where the files cannot be written: the folder may be gone
        note=say_aside,
    )
    for path in sorted(Path(folder).iterdir()):
        say(f"wrote {path}")
    return 0


def run(options: argparse.Namespace) -> int:
    """Run `schafkopf tournament`."""
    from schafkopf import report

    if options.config or options.resume:
        return _run_file(options)
    if not options.agents:
        raise ValueError("a tournament needs a file (configs/tournament/*.toml) or --agents")
    if options.out or options.settings:
        raise ValueError("--set and --out belong to the form with a file")
    how = DEFAULTS | _given(options)
    read = files_of(how["rules"], options.agents)
    files.check_outputs({"--json": options.json, "--html": options.html}, read=read)
    if options.html:
        figure.check_backend()
    progress = ProgressLine(str(how["track"]))
    result = tournament(options.agents, progress=progress, ray=options.ray, **how)
    try:  # before anything is said: the reader may be gone, or the disk of a log full
        if options.json:
            write_json(result, options.json)
        if options.html:
            report.write_html([result], options.html)
    finally:  # what was played is told, also where a file cannot be
        say(result["text"], end="", lines=True)
        _say_failures(result)
    for path in filter(None, (options.json, options.html)):
        say(f"wrote {path}")
    return 0


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "tournament",
        help="which agent is stronger, by how much",
        description="Duplicate tournament: every deal is played in every seating, intervals are "
        "over deals. Either of a TOML file (configs/tournament/default.toml lists every key), "
        "which writes games, result and report into a folder and can be resumed, or of --agents.",
        epilog="Example: schafkopf tournament --agents rules random --blocks 500. "
        f"Agents: {AGENTS}.",
    )
    parser.add_argument("config", nargs="?", metavar="FILE.toml", help="tournament file")
    add_settings(parser, "file")
    add_folders(parser, "tournament", "FILE_TIME")
    parser.add_argument("--agents", nargs="+", metavar="AGENT", help="without a file: who plays")
    for key, value in DEFAULTS.items():
        add_field(parser, "tournament", key, note=f"default: {value}, or the file's")
    parser.add_argument("--json", metavar="FILE", help="write the result as JSON")
    parser.add_argument("--html", metavar="FILE", help="write the result as a web page")
    add_ray(parser)
    parser.set_defaults(run=run)
