"""The lines that the shipped player has to pass, on deals that nothing else uses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schafkopf import best_response, bidding, defence, files, ladder, trained_gates, training_run
from schafkopf.gates_page import SEEDS, commit, machine
from schafkopf.say import say_aside
from schafkopf.tournaments import tournament

SEED = 0x6A7E5  # of the final deals: for no training and no choice between players
# of gates that were played before with another player or budget of work: deals of their own
SECOND_SEED = 0x6A7E6
SHORT_BLOCKS = 4
NOTHING, ANYTHING = float("-inf"), float("inf")


@dataclass(frozen=True)
class Gate:
    """One line: a player, whom it meets, and what its figure must be.

    The figure is the mean of both directions, one against three and three against one, in tariff
    units per game; its interval of 95 % is over deals. The track bidding asks instead that games
    are won as often as expected of this table, contract by contract, and that none that pays is
    extinct; the track defence how much less a declarer gets a game from three of the player than
    from three of the opponent; the track words lets both announce and CARD_PLAYER play all cards.
    The tracks of trained_gates and of best_response train first, with several seeds: their
    intervals are over seeds and deals. A best response has the one direction that it learned, one
    against three; where it asks how little can be gained, the figure is that of the run that gains
    most, with its interval over deals.
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
    high: float = ANYTHING  # the upper end must be below this
    milliseconds: float = 0.0  # most a decision may take on one core, 0 = not asked
    within: float = 0.0  # of bidding: how far the share of games won may lie from what is expected
    goal_within: float = 0.0
    declarer: str = ""  # of defence: who plays
    contract: str = ""  # and what
    seed: int = SEED


CARDS, FULL, BIDDING, DEFENCE, WORDS = "card_play", "full", "bidding", "defence", "words"
MINUTES, SCREENS, RESPONSE = "eight minutes", "screens", "best response"
REGRESSED = "words, regressed"
TRAINED = (MINUTES, SCREENS, RESPONSE, REGRESSED)  # tracks that train something begin so
CARD_PLAYER = "net:baseline"
SEARCHER = "net+search:baseline,worlds=160,endgame_worlds=300"  # its budget of work
NETWORK = "a network trained against it"  # how the opponent of a best response is called
BIDDER = "bids regressed on played-out values"
ENDGAMES = "net+endgame:baseline"  # plays all cards of both
OWN = "its own weights, trained against it"
BASELINE = Path(__file__).resolve().parents[2] / "agents/network/shipped/baseline.safetensors"
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
        "network, search throughout", SEARCHER, "pimc:30,version=1",
        CARDS, 600, mean=1.0, low=0.0, milliseconds=50.0, seed=SECOND_SEED,
    ),
    Gate(
        "the same against a hundred worlds", SEARCHER,
        "pimc:100,version=1", CARDS, 600, goal_mean=0.5, goal_low=0.0, seed=SECOND_SEED,
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
        "regression of bids", "net:baseline", BIDDER, REGRESSED, 20000,
        low=-0.25, goal_low=0.0, seed=SECOND_SEED,
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
    Gate(
        "eight minutes from zero, card play", "./run train", "rules:version=1", MINUTES, 16000,
        mean=0.5, low=0.0, goal_mean=1.0, goal_low=0.0,
    ),
    Gate(
        "eight minutes from zero, full game", "./run train", "rules:version=1",
        f"{MINUTES}, {FULL}", 16000, low=-0.5, goal_low=0.0,
    ),
    Gate("best response from zero", "net:baseline", NETWORK, RESPONSE, 4000, high=1.0),
    Gate("best response from its own weights", "net:baseline", OWN, RESPONSE, 4000, high=1.0),
    Gate("control of the best response", "rules:version=1", NETWORK, RESPONSE, 4000, low=0.5),
    Gate(
        "each part of the recipe", "./run train", "rules:version=1", SCREENS,
        trained_gates.SCREEN_BLOCKS,
    ),
    Gate("for comparison", "net:baseline", "rules:version=1", CARDS, 16000),
    Gate("for comparison", "net:baseline", "rules:version=1", FULL, 16000),
    Gate("for comparison", "net+endgame:baseline", "rules:version=2", CARDS, 8000),
    # beside the yardsticks, which stand still: the newest of each
    Gate("the newest", "net:baseline", "rules:version=3", CARDS, 8000),
    Gate("the newest", "net:baseline", "rules:version=3", FULL, 8000),
    Gate("the newest", "net+endgame:baseline", "pimc:30,version=3", CARDS, 600),
)  # fmt: skip


def folder_of(gate: Gate) -> str:
    """Return the name of the gate's journal: the games of one question are never mixed."""
    text = f"{gate.player}-{gate.opponent}-{gate.track}-{gate.blocks}"
    if gate.declarer:
        text += f"-{gate.contract}-{gate.declarer}-distinct deals"
    return "".join(letter if letter.isalnum() else "_" for letter in text) + ".journal"


def play(
    gate: Gate, folder: Path, blocks: int = 0, progress: Callable[[int, int], object] | None = None
) -> dict[str, Any]:
    """Play a gate, or go on with it where it was left, and judge it.

    Args:
        blocks: deals instead of the gate's own number; 0 = its own. A short game proves nothing and
            is not judged.

    Returns:
        name, player, opponent, track, mean, half_width, low, blocks, seed, seconds (of this call),
        milliseconds of a decision of the player (None where something is trained), milliseconds_95
        (in which 95 % of them are made, each asked alone), commit, machine, passed and goal (None =
        not asked or not judged).
        Of bidding: calibration (bidding.calibration), and as the figure what the words of the
        player bring over the opponent's; it is soon played, and always from the beginning.

    Raises:
        ValueError: an unknown player, or a journal that is a link or holds other games;
        OSError: the folder cannot be written;  RuntimeError: a gate that trains, without the
        trainers. What `progress` raises ends the games.
    """
    begin = time.monotonic()
    files.refuse_link(folder / folder_of(gate))
    if gate.track == BIDDING:
        return _play_bidding(gate, blocks, progress)
    if gate.track == DEFENCE:
        return _play_defence(gate, folder, blocks, progress)
    if gate.track.startswith(TRAINED):
        return _train(gate, folder, blocks)
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
        seed=gate.seed,
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
    trains = gate.track.startswith(TRAINED)
    games = 2 if short else 8
    times = {} if trains else ladder.decision_times({"": gate.player}, games=games)
    return {
        "gate": folder_of(gate),
        "commit": commit(),
        "machine": machine(),
        "name": gate.name,
        "player": gate.player,
        "opponent": gate.opponent,
        "track": gate.track,
        "mean": found["mean"],
        "half_width": found["half_width"],
        "low": found["low"],
        "blocks": deals,
        "seed": gate.seed,
        "seconds": seconds,
        "milliseconds": times.get(""),
        "milliseconds_95": None if trains else ladder.slow_decision(gate.player, games=games),
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
        seed=gate.seed,
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
    deals = folder / f"deals_{gate.contract}_{gate.blocks}_of_{gate.seed}.jsonl"
    if not deals.is_file():
        files.make_room(deals)
        defence.write_deals(deals, gate.contract, gate.blocks, seed=gate.seed)
    found = defence.defence(
        gate.player,
        gate.opponent,
        declarer=gate.declarer,
        deals=deals,
        blocks=blocks or gate.blocks,
        seed=gate.seed,
        journal=folder / folder_of(gate),
        progress=progress,
    )
    row = _row(gate, found, found["blocks"], time.monotonic() - begin, short=bool(blocks))
    row |= {"defence": found, "declarer": gate.declarer, "contract": gate.contract}
    return {**row, **judged(gate, row if not blocks else None)}


def check_can_train(chosen: Iterable[Gate]) -> None:
    """Refuse before hours of games what lines that train could not do behind them.

    Raises:
        ValueError: no source tree, which has the recipes and the weights as a file.
        RuntimeError: the trainers are not there.
    """
    if any(gate.track.startswith(TRAINED) for gate in chosen):
        _shipped_file()
        trained_gates.recipe()
        training_run.load_training()


def _train(gate: Gate, folder: Path, blocks: int) -> dict[str, Any]:
    begin = time.monotonic()
    short, deals = bool(blocks), blocks or gate.blocks
    if short:  # a network that has learned nothing must never pass for one that has
        folder = folder / "short"
    if gate.track == SCREENS:
        found = trained_gates.screens(folder, blocks=deals, seed=gate.seed, short=short)
    elif gate.track == RESPONSE:
        found = _respond(gate, folder, deals, short)
    elif gate.track == REGRESSED:
        found = trained_gates.regressed(
            folder, gate.player, ENDGAMES, init=_shipped_file(),
            blocks=deals, seed=gate.seed, short=short,
        )  # fmt: skip
    else:
        track = FULL if gate.track.endswith(FULL) else CARDS
        found = trained_gates.minutes(folder, track, blocks=deals, seed=gate.seed, short=short)
    row = _row(gate, found, deals, time.monotonic() - begin, short)
    row["trained"] = {**found, "over": SEEDS}
    return {**row, **judged(gate, row if not short else None)}


def _shipped_file() -> Path:
    if not BASELINE.is_file():
        raise ValueError("the shipped weights are no file of their own here: use the source tree")
    return BASELINE


def _respond(gate: Gate, folder: Path, deals: int, short: bool) -> dict[str, Any]:
    own = gate.opponent == OWN
    line = training_run.TrainingLine(str(folder))
    gained = best_response.best_response(
        gate.player,
        out=folder / folder_of(gate).removesuffix(".journal"),
        init=_shipped_file() if own else "",
        decisions=1 if short else best_response.DECISIONS,
        settings=trained_gates.ONE_UPDATE[2:] if short else (),
        blocks=deals,
        seed=gate.seed,
        control="",
        progress=lambda _, state: line(dict(state)),
    )["agent"]
    over_seeds = {key: gained[key] for key in ("mean", "half_width")}
    # What can be gained is what the best run gains; whether the budget is large enough to find
    # weaknesses at all is a question to all runs.
    figure = over_seeds if gate.high == ANYTHING else gained["largest"]
    gained |= {key: figure[key] for key in ("mean", "half_width")} | {"over_seeds": over_seeds}
    known = gained["half_width"] is not None
    return {**gained, "low": gained["mean"] - gained["half_width"] if known else None}


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

    def reached(mean: float, low: float, high: float, milliseconds: float) -> bool | None:
        if row is None or (mean == NOTHING and low == NOTHING and high == ANYTHING):
            return None
        if row["low"] is None or not low < row["low"]:
            return False
        fast = milliseconds == 0.0 or row["milliseconds"] <= milliseconds
        return bool(row["mean"] >= mean and row["mean"] + row["half_width"] < high and fast)

    return {
        "passed": reached(gate.mean, gate.low, gate.high, gate.milliseconds),
        "goal": reached(gate.goal_mean, gate.goal_low, ANYTHING, 0.0),
    }
