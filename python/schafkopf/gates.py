"""The lines that the shipped player has to pass, on deals that nothing else uses."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schafkopf import _core, bidding, defence, files, ladder
from schafkopf.tournaments import tournament
from schafkopf.training_run import say_aside

SEED = 0x6A7E5  # of the final deals: for no training and no choice between players
RESULT, PAGE = "gates.json", "gates.md"
SHORT_BLOCKS = 4
NOTHING = float("-inf")


@dataclass(frozen=True)
class Gate:
    """One line: a player, whom it meets, and what its figure must be.

    The figure is the mean of both directions, one against three and three against one, in tariff
    units per game; its interval of 95 % is over deals. The track bidding asks instead that games
    are won as often as expected of this table, contract by contract, and that none that pays is
    extinct; the track defence how much less a declarer gets a game from three of the player than
    from three of the opponent; the track words lets both announce and CARD_PLAYER play all cards.
    """

    name: str
    player: str
    opponent: str
    track: str
    blocks: int
    mean: float = NOTHING  # the figure must be at least this
    low: float = NOTHING  # the lower end of its interval must be above this
    goal_mean: float = NOTHING
    goal_low: float = NOTHING
    milliseconds: float = 0.0  # most a decision may take on one core, 0 = not asked
    within: float = 0.0  # of bidding: how far the share of games won may lie from what is expected
    goal_within: float = 0.0
    declarer: str = ""  # of defence: who plays
    contract: str = ""  # and what


CARDS, FULL, BIDDING, DEFENCE, WORDS = "card_play", "full", "bidding", "defence", "words"
CARD_PLAYER = "net:baseline"
GATES = (
    Gate(
        "network alone", "net:baseline", "pimc:10,version=1", CARDS, 3000,
        low=-0.25, goal_mean=0.5, goal_low=0.0, milliseconds=0.05,
    ),
    Gate(
        "network, search at the end", "net+endgame:baseline", "pimc:30,version=1", CARDS, 600,
        mean=0.5, low=0.0, goal_mean=1.0, goal_low=0.0, milliseconds=1.0,
    ),
    Gate(
        "network, search throughout", "net+search:baseline", "pimc:30,version=1",
        CARDS, 600, mean=1.0, low=0.0, milliseconds=50.0,
    ),
    Gate(
        "the same against a hundred worlds", "net+search:baseline",
        "pimc:100,version=1", CARDS, 600, goal_mean=0.5, goal_low=0.0,
    ),
    Gate(
        "full game", "net+endgame:baseline", "pimc:30,bidding=worlds,version=1", FULL, 1500,
        mean=2.0, low=0.0,
    ),
    Gate(
        "bids against bids that are played out", "net:baseline",
        "net+search:baseline,bids=playout", WORDS, 10000, low=-0.25, goal_low=0.0,
    ),
    Gate(
        "bidding calibration", "net:baseline", "rules:version=1", BIDDING, 20000,
        within=0.04, goal_within=0.02,
    ),
    *(
        Gate(
            f"defence against {declarer}", "net+endgame:baseline", "pimc:30,version=1", DEFENCE,
            10000, low=0.0, goal_mean=10.0, goal_low=0.0, declarer=declarer, contract="SOLO",
        )
        for declarer in ("rules:version=1", "pimc:30,version=1", "net+endgame:baseline")
    ),
    Gate("for comparison", "net:baseline", "rules:version=1", CARDS, 16000),
    Gate("for comparison", "net:baseline", "rules:version=1", FULL, 16000),
    Gate("for comparison", "net+endgame:baseline", "rules:version=2", CARDS, 8000),
)  # fmt: skip


def folder_of(gate: Gate) -> str:
    """Return the name of the gate's journal: the games of one question are never mixed."""
    text = f"{gate.player}-{gate.opponent}-{gate.track}-{gate.blocks}"
    if gate.declarer:
        text += f"-{gate.contract}-{gate.declarer}"
    return "".join(letter if letter.isalnum() else "_" for letter in text) + ".journal"


def play(
    gate: Gate, folder: Path, blocks: int = 0, progress: Callable[[int, int], object] | None = None
) -> dict[str, Any]:
    """Play a gate, or go on with it where it was left, and judge it.

    Args:
        blocks: deals instead of the gate's own number; 0 = its own. A short game proves nothing and
            is not judged.

    Returns:
        name, player, opponent, track, mean, half_width, low, blocks, seconds (of this call),
        milliseconds of a decision of the player, passed and goal (None = not asked or not judged).
        Of bidding: calibration (bidding.calibration), and as the figure what the words of the
        player bring over the opponent's; it is soon played, and always from the beginning.
    """
    begin = time.monotonic()
    if gate.track == BIDDING:
        return _play_bidding(gate, blocks, progress)
    if gate.track == DEFENCE:
        return _play_defence(gate, folder, blocks, progress)
    settings = {
        CARDS: {"track": "card_play", "generator": "heuristic:noise=0"},
        FULL: {"track": "full"},
        WORDS: {"track": "bidding", "card_player": CARD_PLAYER},
    }[gate.track]
    result = tournament(
        {"player": gate.player, "opponent": gate.opponent},
        pairings=[{"one": "player", "others": "opponent"}],
        blocks=blocks or gate.blocks,
        **settings,
        seed=SEED,
        journal=folder / folder_of(gate),
        resume=(folder / folder_of(gate)).is_file(),
        progress=progress,
        note=say_aside,
    )
    found = result["difference"][0][1]
    row = _row(gate, found, result["blocks"], time.monotonic() - begin, short=bool(blocks))
    return {**row, **judged(gate, row if not blocks else None)}


def _row(
    gate: Gate, found: dict[str, Any], deals: int, seconds: float, short: bool
) -> dict[str, Any]:
    """Return what both kinds of gates tell; `found` has mean, half_width and low."""
    spent = ladder.decision_times({"player": gate.player}, games=2 if short else 8)["player"]
    return {
        "name": gate.name,
        "player": gate.player,
        "opponent": gate.opponent,
        "track": gate.track,
        "mean": found["mean"],
        "half_width": found["half_width"],
        "low": found["low"],
        "blocks": deals,
        "seconds": seconds,
        "milliseconds": spent,
    }


def _play_bidding(
    gate: Gate, blocks: int, progress: Callable[[int, int], object] | None
) -> dict[str, Any]:
    begin = time.monotonic()
    # Expected of those who sit there: among copies of itself the stronger player wins less often.
    found = bidding.calibration(
        gate.player,
        gate.opponent,
        blocks=blocks or gate.blocks,
        table="opponents",
        seed=SEED,
        progress=progress,
    )
    seconds = time.monotonic() - begin
    row = _row(gate, found["over_words"], found["deals"], seconds, short=bool(blocks))
    row["calibration"] = found
    return {**row, **judged_bidding(gate, found if not blocks else None)}


def _play_defence(
    gate: Gate, folder: Path, blocks: int, progress: Callable[[int, int], object] | None
) -> dict[str, Any]:
    begin = time.monotonic()
    deals = folder / f"deals_{gate.contract}_{gate.blocks}.jsonl"
    if not deals.is_file():
        defence.write_deals(deals, gate.contract, gate.blocks, seed=SEED)
    found = defence.defence(
        gate.player,
        gate.opponent,
        declarer=gate.declarer,
        deals=deals,
        blocks=blocks or gate.blocks,
        seed=SEED,
        journal=folder / folder_of(gate),
        progress=progress,
    )
    row = _row(gate, found, found["blocks"], time.monotonic() - begin, short=bool(blocks))
    row |= {"defence": found, "declarer": gate.declarer, "contract": gate.contract}
    return {**row, **judged(gate, row if not blocks else None)}


def judged_bidding(gate: Gate, found: dict[str, Any] | None) -> dict[str, bool | None]:
    """Return whether bids are calibrated as the gate and its goal ask and no contract is extinct.

    None: not judged, or too few games of a contract to say so.
    """

    def reached(within: float) -> bool | None:
        if found is None or not within:
            return None
        return False if found["extinct"] else bidding.calibrated(found, within)

    return {"passed": reached(gate.within), "goal": reached(gate.goal_within)}


def judged(gate: Gate, row: dict[str, Any] | None) -> dict[str, bool | None]:
    """Return whether a gate's figures pass it and reach its goal."""

    def reached(mean: float, low: float, milliseconds: float = 0.0) -> bool | None:
        if row is None or (mean == NOTHING and low == NOTHING):
            return None
        fast = milliseconds == 0.0 or row["milliseconds"] <= milliseconds
        certain = row["low"] is not None and row["low"] > low
        return bool(row["mean"] >= mean and certain and fast)

    return {
        "passed": reached(gate.mean, gate.low, gate.milliseconds),
        "goal": reached(gate.goal_mean, gate.goal_low),
    }


def machine() -> str:
    """Return the processor and the number of cores."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    return f"{name}, {os.cpu_count()} cores"


def commit() -> str:
    """Return the commit of the source tree, with "+" if files differ from it; "" elsewhere."""
    root = Path(__file__).resolve().parents[2]
    if not (root / "env" / "RULES.md").is_file():  # an installed package, perhaps in another tree
        return ""
    try:
        where = ["git", "-C", str(root)]
        head = subprocess.run(
            [*where, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run(
            [*where, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head + ("+" if changed else "")


def page(rows: list[dict[str, Any]], short: bool) -> str:
    """Return the results as a page in Markdown."""
    words = {True: "yes", False: "no", None: "-"}
    lines = [
        "# Gates",
        "",
        f"schafkopf {_core.__version__}, commit {commit() or 'unknown'}; {machine()}; seed {SEED}; "
        "research rules, contracts of `heuristic:noise=0`.",
        "",
        "Points per game, mean of both directions, 95 % over deals; milliseconds of an unforced "
        "decision of the player alone on one core."
        + (" A short form: nothing is judged." if short else ""),
        "",
        "| | player | against | track | points | deals | ms | passed | goal |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row['name']} | `{row['player']}` | `{row['opponent']}` | {row['track']} | "
        f"{_figure(row)} | {row['blocks']} | "
        f"{row['milliseconds']:.3g} | {words[row['passed']]} | {words[row['goal']]} |"
        for row in rows
    ]
    for row in rows:
        if "calibration" in row:
            lines += _calibration(row)
        if "defence" in row:
            lines += _defence(row)
    return "\n".join(lines) + "\n"


def _calibration(row: dict[str, Any]) -> list[str]:
    found = row["calibration"]
    lines = [
        "",
        f"## {row['name'].capitalize()} of `{row['player']}` among `{row['opponent']}`",
        "",
        f"The points above are what its words bring over the opponent's. Expected by "
        f"{found['by']}; thrown in {100 * found['thrown_in']:.1f} %, with the opponent's words "
        f"{100 * found['thrown_in_with_opponents_words']:.1f} %; extinct: "
        f"{', '.join(found['extinct']) or 'none'}.",
    ]
    for title, table in (
        ("Declared by the player", bidding.own_rows(found)),
        (
            "Declared with the opponent's words and the player's cards",
            bidding.opponents_rows(found),
        ),
    ):
        head, *body = ([cell.replace("+-", "±") for cell in cells] for cells in table)
        lines += ["", f"{title}:", "", f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        lines += [f"| {' | '.join(cells)} |" for cells in body]
    return lines


def _defence(row: dict[str, Any]) -> list[str]:
    found = row["defence"]
    conceded = {name: _figure(found["conceded"][name]) for name in ("player", "opponent")}
    return [
        "",
        f"## {row['contract']} of `{row['declarer']}`",
        "",
        f"The declarer gets {conceded['player']} points a game from three `{row['player']}` (wins "
        f"{100 * found['won']['player']:.1f} %), {conceded['opponent']} from three "
        f"`{row['opponent']}` (wins {100 * found['won']['opponent']:.1f} %); the points above are "
        "the difference on the same deals.",
    ]


def _figure(row: dict[str, Any]) -> str:
    """Few deals that were all alike have no interval."""
    width = f" ± {row['half_width']:.2f}" if row["half_width"] is not None else ""
    return f"{row['mean']:+.2f}{width}"


def write(rows: list[dict[str, Any]], folder: Path, short: bool) -> None:
    """Write the figures and the page into the folder."""
    files.write_text(folder / RESULT, json.dumps(rows, indent=1) + "\n")
    files.write_text(folder / PAGE, page(rows, short))
