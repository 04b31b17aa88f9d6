"""The strength ladder: which agent must stand below which, and the results page."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from schafkopf import _core, files
from schafkopf.intervals import interval_text
from schafkopf.tournaments import CONFIG, toml_value
from schafkopf.vector_env import VectorEnv

LADDER = Path(__file__).resolve().parents[2] / "configs" / "tournament" / "ladder.toml"
PAGE, TIMES = "ladder.md", "times.json"
# The figures of every ladder are differences from this player, so it never changes.
REFERENCE = "rules:version=1"

# Which agent must stand below which (METHODS section 6); "<=": not shown to stand above.
ORDER = (
    ("random", "<", REFERENCE),
    (REFERENCE, "<", "rules:version=2"),
    ("rules:version=2", "<", "pimc:10,version=1"),
    ("pimc:10,version=1", "<=", "pimc:30,version=1"),
    ("pimc:30,version=1", "<", "oracle:version=1"),
    ("pimc:30,version=1", "<", "net+endgame:baseline"),
    ("net:baseline", "<", "net+endgame:baseline"),
    ("net+endgame:baseline", "<=", "net+search:baseline"),
)

# A first look: nobody meets but the reference, and a player gets deals by what its cards cost.
# (wanted half width of the 95 % interval, points per game)
_SHORT_WIDTHS = {
    "random": 2.0,
    "rules:version=2": 1.0,
    "pimc:1,version=1": 3.0,
    "pimc:10,version=1": 4.0,
    "pimc:30,version=1": 8.0,
    "ismcts": 6.0,
    "oracle:version=1": 2.0,
    "net:baseline": 1.0,
    "net+endgame:baseline": 2.0,
    "net+search:baseline": 6.0,
}
SHORT = (
    'against=""',
    "first_check=16",
    "pairings="
    + toml_value(
        [
            {"one": name, "others": REFERENCE, "both_directions": False, "precision": width}
            for name, width in _SHORT_WIDTHS.items()
        ]
    ),
)


def evidence(result: dict[str, Any], low: str, high: str) -> tuple[float, float, str]:
    """Return by how much `high` stands above `low`: mean, half width and where they come from.

    The paired difference of both directions where the two have met; else the difference of their
    games against the reference, with half widths added in squares.

    Raises:
        ValueError: one of the two, or the reference, took no part.
    """
    names = [agent["name"] for agent in result["agents"]]
    a, b = names.index(low), names.index(high)
    met = result["difference"][b][a]
    if met is not None and REFERENCE not in (low, high):
        return met["mean"], _width(met), "both directions, paired by deal"
    nothing = {"mean": 0.0, "half_width": 0.0}
    alone = result["one_against_three"]
    reference = names.index(REFERENCE)
    first, second = (nothing if i == reference else alone[i][reference] for i in (a, b))
    width = math.hypot(_width(first), _width(second))
    return second["mean"] - first["mean"], width, f"alone against three {REFERENCE}"


def check_reference(config: Path, settings: Sequence[str]) -> None:
    """Refuse a ladder in which nobody can be measured. Raises ValueError as a tournament does."""
    if not config.is_file():
        return  # which the tournament says
    text = _core.tournament_toml(
        files.read_config(config), file=str(config), settings=list(settings), agents={}
    )
    agents = re.search(r"^agents = (.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    named = re.sub(r'(name = "[^"]+"), spec = "[^"]*"', r"\1", agents[1] if agents else "")
    if f'"{REFERENCE}"' not in named:
        raise ValueError(f'agents = {named}, allowed: with "{REFERENCE}", the ladder\'s measure')


def steps(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each step of ORDER between players that took part with what was found: "holds",
    "open" or "fails"."""
    names = [agent["name"] for agent in result["agents"]]
    rows = []
    for low, sign, high in ORDER:
        if low not in names or high not in names:
            continue
        mean, width, source = evidence(result, low, high)
        if mean + width < 0:
            found = "fails"
        else:
            found = "holds" if mean - width > 0 or sign == "<=" else "open"
        row = {"step": f"{low} {sign} {high}", "mean": mean, "half_width": width}
        rows.append({**row, "source": source, "found": found})
    return rows


def decision_times(agents: Mapping[str, str], games: int = 8) -> dict[str, float]:
    """Return milliseconds of CPU that a card costs each agent (name: registry string), one thread.

    The mean over the same decisions for all agents, asked in one batch: every card with a choice in
    some games that the reference plays under research rules.

    Raises:
        ValueError: an unknown agent, or no game.
    """
    views, full = _decisions(games)
    times = {}
    for name, spec in agents.items():
        agent = _core.make_agent(spec)
        started = time.process_time()
        agent.policy(views, full_views=full if agent.sees_hidden_hands else None)
        times[name] = 1000 * (time.process_time() - started) / len(views)
    return times


def slow_decision(spec: str, games: int = 8) -> float:
    """Return milliseconds of CPU within which 95 % of the decisions of `decision_times` are made,
    each asked alone.

    Raises:
        ValueError: an unknown agent, or no game.
    """
    views, full = _decisions(games)
    agent = _core.make_agent(spec)
    times = []
    for row in range(len(views)):
        hidden = full[row : row + 1] if agent.sees_hidden_hands else None
        started = time.process_time()
        agent.policy(views[row : row + 1], full_views=hidden)
        times.append(1000 * (time.process_time() - started))
    return float(np.quantile(times, 0.95))


def _decisions(games: int) -> tuple[Any, Any]:
    """Return views of every card with a choice in games of the reference, and what is hidden."""
    env = VectorEnv(
        games,
        seed=7,
        start="card_play",
        generator="heuristic",
        auto_reset="disabled",
        view_lines=True,
        full_view=True,
    )
    env.reset()
    assert env.action_mask is not None and env.full_view is not None  # asked for above
    player = _core.make_agent(REFERENCE)
    views, full = [], []
    while not env.terminated.all():
        acting = np.flatnonzero(env.current_player >= 0)
        choice = acting[env.action_mask[acting].sum(axis=1) > 1]
        views.append(env.views()[choice].copy())
        full.append(env.full_view[choice].view(_core.FULL_VIEW_DTYPE).reshape(-1).copy())
        actions = np.full(games, -1, np.int32)
        actions[acting] = player.act(env.views()[acting])
        env.step(actions)
    return np.concatenate(views), np.concatenate(full)


def page(
    result: dict[str, Any], times: dict[str, float], spent: dict[str, float], command: str
) -> str:
    """Return the results page as Markdown.

    Args:
        result: of the tournament of ladder.toml.
        times: of decision_times().
        spent: CPU seconds ("cpu") and "seconds" that the games took.
        command: that plays them again.
    """
    names = [agent["name"] for agent in result["agents"]]
    reference = names.index(REFERENCE)
    wanted = any(pairing["wanted_half_width"] > 0 for pairing in result["pairings"])
    ending = (
        "each pairing was played until its interval was as narrow as wanted"
        if wanted and not result["stopped"]
        else "the games were not played on until the intervals were as narrow as wanted"
    )
    lines = [
        "# Strength ladder",
        "",
        f"    {command}",
        "",
        f"Card play of `{result['generator']}` contracts, rules {result['rules']} "
        f"({result['rules_hash']}), seed {result['seed']}, {result['games']} games, "
        f"{spent['cpu'] / 60:.1f} CPU minutes. Points per game ({result['tariff_unit']}) with 95 % "
        f"intervals over deal blocks; {ending}. "
        "The CPU time of a card is that of one thread of this machine, decisions with one legal "
        "card left out.",
        "",
        "Players are named by their registry strings; a version is that of the rule agent that "
        "plays or whose card a searcher starts from.",
        "",
        f"One player against three {REFERENCE}, in every seat of every deal:",
        "",
        "| agent | points/game | deals | gain of blocks | ms per card |",
        "|---|---|---|---|---|",
    ]
    pairings = result["pairings"]
    for agent in result["agents"]:
        name = agent["name"]
        cells = ["0, by definition", "", ""]
        for pairing in pairings:
            if pairing["one"] == name and pairing["others"] == names[reference]:
                cells = [*_cells(pairing), f"{pairing['gain_over_independent_games']:.1f}x"]
        label = name if name == agent["spec"] else f"{name} ({agent['spec']})"
        lines.append(f"| {label} | {' | '.join(cells)} | {times[name]:.3g} |")
    rest = [pairing for pairing in pairings if REFERENCE not in (pairing["one"], pairing["others"])]
    if rest:
        lines += ["", "Neighbours, one against three:", ""]
        lines += ["| one | three | points/game | deals |", "|---|---|---|---|"]
        for pairing in rest:
            met = " | ".join([pairing["one"], pairing["others"], *_cells(pairing)])
            lines.append(f"| {met} |")
    lines += ["", 'The order that is to hold ("<=": not shown to stand above):', ""]
    lines += ["| step | difference | from | found |", "|---|---|---|---|"]
    for row in steps(result):
        difference = interval_text(row)
        lines.append(f"| {row['step']} | {difference} | {row['source']} | {row['found']} |")
    return "\n".join(lines) + "\n"


def _cells(pairing: dict[str, Any]) -> list[str]:
    points = pairing["points"]
    return [interval_text(points), str(points["blocks"])]


def _width(estimate: dict[str, Any]) -> float:
    """Return the half width of an interval, infinite where one block leaves it open."""
    width = estimate["half_width"]
    return math.inf if width is None else float(width)


def _read_times(file: Path) -> dict[str, float]:
    files.check_own(file, "the times that a ladder counts", f"{file}: there is no such file")
    spent = files.parse_json(files.read_config(file), file)
    keys = ("seconds", "cpu")
    if not isinstance(spent, dict) or not all(
        isinstance(spent.get(key), int | float) for key in keys
    ):
        raise ValueError(f"{file}: needed an object with the numbers {' and '.join(keys)}")
    return spent


@contextmanager
def counted(file: Path, note: Callable[[str], object] | None = None) -> Iterator[dict[str, float]]:
    """Add the time of the block to what the file counts, however the block ends.

    A file that is damaged counts from the beginning, and `note` is told.

    Raises:
        OSError: the file cannot be read or written.
    """
    spent = {"seconds": 0.0, "cpu": 0.0}
    if file.exists():
        try:
            spent = _read_times(file)
        except ValueError as error:  # the games are what counts
            files.tell(f"{error}: damaged, times are counted from now on", note)
    wall, cpu = time.monotonic(), time.process_time()
    try:
        yield spent
    finally:
        spent["seconds"] += time.monotonic() - wall
        spent["cpu"] += time.process_time() - cpu
        if (file.parent / CONFIG).exists():  # not where nothing began
            files.write_text(file, json.dumps(spent) + "\n", owned=True)
