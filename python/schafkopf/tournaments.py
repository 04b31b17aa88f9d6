"""Duplicate tournaments, and the command `schafkopf tournament`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from schafkopf import _core

TRACKS = ("card_play", "full")


def short_name(spec: str) -> str:
    """Return a registry string with the file of a network as "net:FOLDER/NAME"."""
    kind, separator, path = spec.partition(":")
    if not separator or "/" not in path:
        return spec
    file = Path(path)
    return f"{kind}:{file.parent.name}/{file.stem}"


def named_agents(agents: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Return agents by display name: for a registry string its short form, where that is unique.

    Raises:
        ValueError: less than two agents, or two of the same name.
    """
    if isinstance(agents, Mapping):
        named = dict(agents)
    else:
        named = {}
        strings = [short_name(agent) for agent in agents if isinstance(agent, str)]
        for agent in agents:
            if isinstance(agent, str):
                name = short_name(agent) if strings.count(short_name(agent)) == 1 else agent
            else:
                name = str(getattr(agent, "name", type(agent).__name__))
            if name in named:
                raise ValueError(f"agents: {name} comes twice; give a dict of names to agents")
            named[name] = agent
    if len(named) < 2:
        raise ValueError(f"agents: {len(named)} came, at least two are needed")
    return named


def tournament(
    agents: Sequence[Any] | Mapping[str, Any],
    *,
    blocks: int = 1000,
    track: str = "card_play",
    rules: Any = "research",
    seed: int = 1,
    threads: int = 0,
    generator: str = "heuristic",
    greedy: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, Any]:
    """Play every pair of agents in both directions on the same deals.

    Args:
        agents: registry strings, Agents or objects with act(views); or a dict name -> agent.
        blocks: deals; each is played with one agent in every seat against three of the other.
        track: "card_play" (contracts from `generator`) or "full" (the agents bid too).
        rules: preset name, path, dict or RuleSet.
        threads: 0 = one per core; the result does not depend on it.
        greedy: every agent plays its most probable action.
        progress: called with (blocks done, blocks); what it raises ends the tournament.

    Returns:
        agents with ratings and contracts, one_against_three and difference [k][k] as
        {mean, half_width, low, high} in points per game with 95 % intervals over blocks; `text` is
        the table for a terminal.

    Raises:
        ValueError: an unknown agent (names the known ones) or an option out of range.
    """
    if track not in TRACKS:
        raise ValueError(f'track = "{track}", allowed card_play, full')
    text, table = _core.tournament_json(
        named_agents(agents),
        blocks=blocks,
        track=track,
        rules=rules,
        seed=seed,
        threads=threads,
        generator=generator,
        greedy=greedy,
        progress=progress,
    )
    result: dict[str, Any] = json.loads(text)
    result["text"] = table
    return result


class ProgressLine:
    """A line on standard error that counts work; silent where that is no terminal."""

    def __init__(self, title: str, unit: str = "blocks") -> None:
        self.title = title
        self.unit = unit
        self.started = time.monotonic()
        self.shown = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        if not self.shown or not total:
            return
        seconds = time.monotonic() - self.started
        left = f", {seconds * (total - done) / done:.0f} s left" if done else ""
        print(
            f"\r{self.title}: {done} of {total} {self.unit}{left}\033[K",
            end="\n" if done >= total else "",
            file=sys.stderr,
            flush=True,
        )


def write_json(results: dict[str, Any] | list[dict[str, Any]], path: str | Path) -> None:
    """Write one result or a list of them."""
    Path(path).write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def _check_writable(*paths: str | None) -> None:
    """Refuse a file in a missing folder now, not after the games."""
    for path in paths:
        if path and not Path(path).resolve().parent.is_dir():
            raise FileNotFoundError(f"{path}: the folder {Path(path).parent} does not exist")


def run(options: argparse.Namespace) -> int:
    """Run `schafkopf tournament`."""
    from schafkopf import report

    _check_writable(options.json, options.html)
    result = tournament(
        options.agents,
        blocks=options.blocks,
        track=options.track,
        rules=options.rules,
        seed=options.seed,
        threads=options.threads,
        progress=ProgressLine(options.track),
    )
    print(result["text"], end="")
    if options.json:
        write_json(result, options.json)
        print(f"wrote {options.json}")
    if options.html:
        report.write_html([result], options.html)
        print(f"wrote {options.html}")
    return 0
