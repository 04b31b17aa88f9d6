"""`schafkopf ladder`: plays the strength ladder and writes its results page."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from schafkopf import files, ladder
from schafkopf.commands.options import Commands, add_folders, add_settings
from schafkopf.say import harmless, harmless_lines, say_aside
from schafkopf.tournaments import CONFIG, ProgressLine, new_folder, run_tournament


def run(options: argparse.Namespace) -> int:
    """Run `schafkopf ladder`."""
    if options.resume and (options.settings or options.out or options.short):
        raise ValueError("--resume goes on with a ladder as it is: no --set, --out, --short")
    if not options.resume and not ladder.LADDER.exists():
        raise FileNotFoundError(f"{ladder.LADDER}: the ladder is played in a source tree")
    files.check_outputs({"--page": options.page}, read=[ladder.LADDER])
    settings = [*(ladder.SHORT if options.short else ()), *options.settings]
    folder = Path(options.resume or options.out or new_folder(ladder.LADDER))

    def announce(place: Path) -> None:
        again = shlex.join(["schafkopf", "ladder", "--resume", files.as_argument(place)])
        say_aside(f"ladder in {place}; after Ctrl-C: {again}")

    ladder.check_reference(folder / CONFIG if options.resume else ladder.LADDER, settings)
    files.refuse_folders(folder, (ladder.PAGE, ladder.TIMES))
    with ladder.counted(folder / ladder.TIMES, say_aside) as spent:
        result = run_tournament(
            "" if options.resume else ladder.LADDER,
            settings=settings,
            out=None if options.resume else folder,
            resume=options.resume,
            progress=ProgressLine("ladder"),
            started=announce,
            note=say_aside,
        )
    arguments = ["--short"] * options.short
    for setting in options.settings:
        arguments += ["--set", setting]
    if options.resume:
        arguments = ["--resume", files.as_argument(options.resume)]
    text = ladder.page(
        result,
        ladder.decision_times(
            {agent["name"]: agent["spec"] for agent in result["agents"]},
            games=2 if options.short else 8,
        ),
        spent,
        shlex.join(["schafkopf", "ladder", *arguments]),
    )
    files.write_text(folder / ladder.PAGE, text, owned=True)
    if options.page:
        files.write_text(options.page, text)
    print(harmless_lines(text))
    written = f"wrote {folder / ladder.PAGE} and {folder / CONFIG}"
    print(harmless(f"{written}, games, result and report beside it"))
    failed = [row["step"] for row in ladder.steps(result) if row["found"] == "fails"]
    if failed:
        say_aside(f"schafkopf: the order does not hold: {', '.join(failed)}")
    return 1 if failed else 0


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "ladder",
        help="the strength ladder: every agent against the rule agent, and the order they stand in",
        description="Play configs/tournament/ladder.toml and write its results page, ladder.md, "
        "beside games, result and report. Exit code 1 if the order of the agents does not hold.",
        epilog="Example: schafkopf ladder --short.",
    )
    parser.add_argument(
        "--short",
        action="store_true",
        help="a first look in a minute of CPU, with wide intervals",
    )
    add_settings(parser, "file")
    add_folders(parser, "ladder", "ladder_TIME")
    parser.add_argument("--page", metavar="FILE", help="write the results page there too")
    parser.set_defaults(run=run)
