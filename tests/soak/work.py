"""The work of the soak: each piece takes a moment, leaves nothing behind, counts what it did."""

from __future__ import annotations

import importlib.util
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np

import schafkopf
from schafkopf import _core, datasets
from schafkopf.serve.live import LiveTable
from schafkopf.terminal import kept
from schafkopf.terminal.replay_file import ReplayFile
from schafkopf.terminal.table import Table, agents_of

ENVS = 512
Work = Callable[[Path], float]  # in a folder of its own; returns how much it did

TRAINING = {
    "games_per_update": 64, "minibatch": 256, "width": 32, "workers": 1, "eval_minutes": 0,
    "time_limit_minutes": 0, "decisions_limit": 4000, "checkpoint_minutes": 0,
}  # fmt: skip


def stepping(_folder: Path) -> float:
    """Batches that are made, stepped, reset, kept and restored; returns decisions."""
    env = schafkopf.VectorEnv(ENVS, seed=1, num_threads=2, view_lines=True)
    saved = env.snapshot()
    for _ in range(4):
        env.step_random(200)
        env.restore(saved)
        env.reset(seed=2)
    env.step(env.random_actions())
    players = schafkopf.VectorEnv(64, seed=1, learner_seat=0, opponent="rules", num_threads=2)
    players.step_random(20)
    return float(env.num_decisions + players.num_decisions)


def solving(_: Path) -> float:
    """Positions of card play that are solved; returns positions."""
    solver = schafkopf.Solver()
    env = schafkopf.VectorEnv(64, seed=3, start="card_play", generator="heuristic")
    env.step_random(6)
    games = [env.get_game(row) for row in range(env.num_envs)]
    games = [game for game in games if game.contract is not None and not game.is_terminal]
    for game in games:
        solver.points(game)
    return float(len(games))


def searching(_: Path) -> float:
    """Cards that are searched for; returns decisions."""
    env = schafkopf.VectorEnv(16, seed=4, start="card_play", generator="heuristic", view_lines=True)
    for agent in ("pimc:3", "ismcts:iterations=20", "net:baseline"):
        env.step(env.agent_actions(schafkopf.make_agent(agent, num_threads=2)))
    return float(env.num_decisions)


def tournaments(folder: Path) -> float:
    """A tournament with a journal; returns games."""
    result = schafkopf.tournament(
        ["rules", "random"], blocks=100, threads=2, journal=folder / "games.journal"
    )
    return float(result["games"])


def writing(folder: Path) -> float:
    """A dataset that is written and read; returns games."""
    made = datasets.write_dataset(folder / "data", players="rules", games=40, shard_games=16)
    return float(sum(made.table("games", shard).num_rows for shard in made.shards()))


def playing(folder: Path) -> float:
    """A table as it is served, which is kept after each deal; returns deals."""
    rules, specs = _core.RuleSet("research"), [None, "rules", "rules", "random"]
    names = ["Anna", "Bene", "Caro", "Dora"]
    table = Table(rules, "research", 5, 0, specs, names, agents_of(specs))
    live = LiveTable(table, names, ReplayFile(folder / "deals.jsonl"), 3)
    rng = random.Random(1)
    with kept.TableFile(folder / "table") as file:
        while not live.is_over:
            if live.deal.game.is_terminal:
                live.next_deal(live.deal.number)
            elif live.moves_itself:
                live.apply(live.decision()())
            else:
                place = live.asked_place
                assert place is not None
                choices = live.state(place)["choices"]
                live.apply(int(rng.choice(choices)["action"]))
            live.save()
            file.write(live.kept(["x" * 22], "127.0.0.1", 0))
    return float(len(live.results))


def training(folder: Path) -> float:
    """A run of a few updates, and one that goes on with it; returns decisions."""
    schafkopf.train(TRAINING, out=folder / "run")
    return float(schafkopf.train(resume=folder / "run", decisions_limit=6000)["decisions"])


_PLACES = np.random.default_rng(1).permutation(500_000)  # four megabytes


def reference(_folder: Path) -> float:
    """Walks through memory and sorts that need nothing of the project: their speed tells what a
    second of the processor was worth meanwhile; returns rounds."""
    places = _PLACES
    for _ in range(10):
        places = _PLACES[places]
        np.sort(places)
    return 10.0


EVERYTHING: dict[str, Work] = {
    "stepping": stepping,
    "solving": solving,
    "searching": searching,
    "tournaments": tournaments,
    "writing": writing,
    "playing": playing,
    "training": training,
    "reference": reference,
}


def available() -> dict[str, Work]:
    """Return the work that can be done with the packages that are here."""
    lacks = {
        "writing": importlib.util.find_spec("pyarrow") is None,
        "training": importlib.util.find_spec("torch") is None
        or importlib.util.find_spec("schafkopf._training") is None,
    }
    return {name: work for name, work in EVERYTHING.items() if not lacks.get(name)}


def done(work: Work, folder: Path) -> float:
    """Do a piece of work in an empty folder, which goes afterwards; return how much it was."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        return work(folder)
    finally:
        shutil.rmtree(folder)
