"""The page of a training run: its curve, its tournament, its games, and how to play against it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from schafkopf import _core, files, pages, plots, report, training_run

# what a run leaves behind -> what it is; the page names those that are there
_FILES = {
    training_run.CURVE: "the learning curve as a picture",
    training_run.METRICS: "a line of numbers per update",
    training_run.PAGE: "the report of the tournament",
    training_run.RESULT: "its figures",
    training_run.REPLAYS: "games, step by step",
    training_run.GAMES: "the same games as text",
    "config.toml": "the settings of the run",
    training_run.CHECKPOINT: "where training goes on",
}


def to_html(folder: Path, result: dict[str, Any], results: list[dict[str, Any]]) -> str:
    """Return the page of a run.

    Args:
        result: of the training;  results: of its tournaments, none where none was played.
    """
    model = Path(result["model_path"])
    named = {model.name: "the trained player"} | _FILES
    metrics = folder / training_run.METRICS
    with training_run.showing(folder):
        tournaments = [_tournament(played, number) for number, played in enumerate(results, 1)]
    replays, player = training_run.REPLAYS, _core.net_player(str(model))
    track = ["--track", "full"] if any(one["track"] == "full" for one in results) else []
    return pages.render(
        "run.html.j2",
        title=f"Training run {folder.name}",
        facts=_facts(result),
        notes=["interrupted, can be resumed"] if result["interrupted"] else [],
        activate="source .venv/bin/activate" if training_run.default_config() else "",
        play=_command(["play", "--agents", player], result["rules"]),
        measure=_command(["tournament", "--agents", player, "rules", *track], result["rules"]),
        resume=training_run.resume_command(folder, result["higher_limits"]),
        curve=plots.curve_charts(plots.read_metrics(metrics)) if metrics.is_file() else [],
        tournaments=tournaments,
        tournament_page=training_run.PAGE,
        replays=replays if (folder / replays).is_file() else "",
        files=[(name, meaning) for name, meaning in named.items() if (folder / name).is_file()],
    )


def write(folder: Path, result: dict[str, Any], results: list[dict[str, Any]]) -> None:
    """Write the page of a run into its folder."""
    files.write_text(folder / training_run.INDEX, to_html(folder, result, results), owned=True)


def _facts(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        ("rules", result["rules"]),
        ("updates", f"{result['updates']:,}"),
        ("decisions", f"{result['decisions'] / 1e6:.1f} M"),
        ("games", f"{result['games']:,}"),
        ("minutes", f"{result['seconds'] / 60:.1f}"),
        ("workers", str(result["workers"])),
    ]


def _command(words: list[str], rules: str) -> str:
    other = [] if rules == "research" else ["--rules", rules]
    return shlex.join(["schafkopf", *words, *other])


def _tournament(played: dict[str, Any], number: int) -> dict[str, Any]:
    title = f"{played['track'].replace('_', ' ').capitalize()}, {played['games']:,} games"
    return {"title": title, "ratings": report.ratings_chart(played, f"ratings-{number}")}
