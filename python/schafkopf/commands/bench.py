"""`schafkopf bench`: the environment driven from Python, beside peers measured in the same run.

A decision is one action of one player; drawing a random legal action and dealing are inside. Rates
are per CPU second of this thread. A peer that is not installed prints "not run".
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from schafkopf import _core
from schafkopf.actions import sample
from schafkopf.commands.options import Commands, as_given, as_number
from schafkopf.gates_page import processor
from schafkopf.say import say_aside
from schafkopf.vector_env import VectorEnv

REPEATS = 5  # the median counts
Work = Callable[[], int]  # does some work and returns its number of decisions
Observation = Literal["none", "uint8", "float32", "packed"]


def rate(work: Work, seconds: float, repeats: int = REPEATS) -> float:
    """Return the median number of decisions per CPU second over several measurements."""
    work()
    rates = []
    for _ in range(repeats):
        decisions = 0
        start = time.thread_time()
        while time.thread_time() - start < seconds / repeats:
            decisions += work()
        rates.append(decisions / (time.thread_time() - start))
    return statistics.median(rates)


def python_batch(
    num_envs: int, sampler: str, observation: Observation = "uint8", **options: Any
) -> Work:
    """Return the work of stepping a batch from Python.

    Args:
        sampler: "engine" (one step_random for each step) or "numpy" (masked draw in NumPy).
    """
    env = VectorEnv(num_envs, seed=1, auto_reset="same_step", observation=observation, **options)
    env.reset()
    steps = max(1, 20_000 // num_envs)
    rng = np.random.default_rng(1)
    mask = env.action_mask
    assert mask is not None

    def by_engine() -> int:
        for _ in range(steps):
            env.step_random()
        return steps * num_envs

    def by_numpy() -> int:
        for _ in range(steps):
            draws = rng.random(mask.shape, dtype=np.float32) * mask
            env.step(draws.argmax(axis=1).astype(np.int32))
        return steps * num_envs

    return by_engine if sampler == "engine" else by_numpy


def given_logits(sampler: str, observation: Observation, num_envs: int = 4096) -> Work:
    """Return the work of stepping a batch by actions that are chosen from logits.

    The logits are two arrays in turn, made before: as fresh for each step as those that a network
    has just written, without the time of a network.

    Args:
        sampler: "sample" (schafkopf.sample, which needs no byte masks) or "argmax" (the largest
            logit of a legal action, in NumPy).
    """
    drawn = sampler == "sample"
    env = VectorEnv(
        num_envs, seed=1, auto_reset="same_step", observation=observation, action_mask=not drawn
    )
    env.reset()
    rng = np.random.default_rng(1)
    logits = rng.standard_normal((2, num_envs, _core.NUM_ACTIONS), dtype=np.float32)
    steps = max(2, 80_000 // num_envs)

    def by_sample() -> int:
        for step in range(steps):
            env.step(sample(logits[step % 2], env.legal, rng))
        return steps * num_envs

    def by_argmax() -> int:
        assert env.action_mask is not None
        for step in range(steps):
            env.step(np.where(env.action_mask, logits[step % 2], -np.inf).argmax(axis=1))
        return steps * num_envs

    env.step_random(60)  # rows in all phases
    return by_sample if drawn else by_argmax


def rates_in_turn(works: Sequence[Work], seconds: float) -> tuple[list[float], list[float]]:
    """Return median rates of works that are measured in turn, so that they share what else runs.

    Returns:
        decisions per CPU second of each work, and the medians of their ratios to the first.
    """
    rounds = []
    for _ in range(3 * REPEATS):
        rounds.append([rate(work, seconds / (3 * REPEATS), 1) for work in works])
    table = np.array(rounds)
    ratios = table / table[:, :1]
    return np.median(table, axis=0).tolist(), np.median(ratios, axis=0).tolist()


def rollouts(contract: str, games: int = 2000) -> Work:
    """Return the work of random card play of one deal from its first card to the end."""
    declarer = -1 if contract == "RAMSCH" else 0
    suit = "H" if contract == "SOLO" else None
    game = _core.Game.with_contract(_core.Contract(contract, declarer, suit), seed=1)

    def work() -> int:
        _, decisions = game.rollout(games, seed=random.getrandbits(32))
        return decisions

    return work


def open_spiel_game(name: str) -> Work | None:
    """Return a game of OpenSpiel from Python, mask and observation as lists; None if not installed.

    Args:
        name: "skat", or "schafkopf" and its parameters for the adapter.
    """
    try:
        import pyspiel

        from schafkopf.adapters import openspiel  # noqa: F401
    except ImportError:
        return None
    game = pyspiel.load_game(name)
    rng = random.Random(1)

    def work() -> int:
        decisions = 0
        for _ in range(10):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(rng.choice(state.legal_actions()))
                    continue
                state.legal_actions_mask()
                state.observation_tensor()
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
        return decisions

    return work


def colver_belote() -> Work | None:
    """Return colver's batch rollouts of a Belote play phase; None if it is not installed."""
    try:
        import colver
    except ImportError:
        return None
    env = colver.Env.deal(0, 1)
    env.set_contract(0, 80, 0, 0)
    env.set_phase_playing()
    games = 2000

    def work() -> int:
        env.rollout(games)
        return 32 * games

    return work


def _row(name: str, value: float | None, reference: float | None = None, target: str = "") -> str:
    shown = "not run" if value is None else f"{value / 1e6:.3f}"
    ratio = f"{value / reference:.2f}x" if value and reference else ""
    return f"| {name} | {shown} | {ratio} | {target} |"


def logits_rows(seconds: float) -> list[str]:
    """Return the rows of schafkopf.sample beside a masked argmax in NumPy."""
    lines = []
    observations: tuple[Observation, ...] = ("none", "uint8", "float32")
    for observation in observations:
        works = [given_logits(sampler, observation) for sampler in ("argmax", "sample")]
        values, ratios = rates_in_turn(works, seconds)
        name = f"VectorEnv, batch 4096, observation {observation}, logits: masked argmax in NumPy"
        lines.append(_row(name, values[0]))
        target = ">= 2.5x argmax" if observation == "none" else ""
        lines.append(_row("the same by schafkopf.sample", values[1], values[1] / ratios[1], target))
    return lines


def engine_rows(seconds: float) -> list[str]:
    """Return the row of the engine's random policy from Python beside the same batch in C++."""
    env = VectorEnv(
        4096,
        seed=1,
        auto_reset="same_step",
        observation="none",
        action_mask=False,
        rules="research",
    )
    env.reset()
    env.step_random(60)

    def work() -> int:
        for _ in range(20):
            env.step_random()
        return 20 * env.num_envs

    found = [(rate(work, seconds / REPEATS), cpp_rate(seconds / REPEATS)) for _ in range(REPEATS)]
    here = statistics.median(python for python, _ in found)
    there = [cpp for _, cpp in found if cpp is not None]
    reference = statistics.median(there) if there else None
    name = "VectorEnv, batch 4096, engine's sampler, native mask"
    return [
        _row("the same batch in C++ (BM_EnvBatchNativeMask)", reference),
        _row(name, here, reference, ">= 0.9x C++"),
    ]


def copy_rows(seconds: float) -> list[str]:
    """Return the rows of copies in mid-game and of other hidden cards, all called from Python."""
    game = _core.Game.with_contract(_core.Contract("SOLO", 0, "H"), seed=1)
    for _ in range(12):
        game.apply(game.legal_actions()[0])
    worlds = _core.WorldSampler(game.view(game.current_player))

    def clones() -> int:
        for _ in range(1000):
            game.__copy__()
        return 1000

    def hidden() -> int:
        worlds.sample(1000, seed=1)
        return 1000

    peers: dict[str, Work] = {}
    if open_spiel_game("skat") is not None:
        import pyspiel

        rng = random.Random(1)

        def in_mid_game(name: str) -> Any:
            state = pyspiel.load_game(name).new_initial_state()
            made = 0
            while made < 12:
                made += not state.is_chance_node()
                state.apply_action(rng.choice(state.legal_actions()))
            return state

        skat, euchre = in_mid_game("skat"), in_mid_game("euchre")

        def skat_clones() -> int:
            for _ in range(1000):
                skat.clone()
            return 1000

        def euchre_hidden() -> int:
            for _ in range(100):
                euchre.resample_from_infostate(euchre.current_player(), rng.random)
            return 100

        peers = {"clones": skat_clones, "hidden": euchre_hidden}
    lines = []
    for name, work, peer, title in (
        ("clones", clones, "OpenSpiel skat, clone in mid-game", "Game, copy in mid-game"),
        ("hidden", hidden, "OpenSpiel euchre, other hidden cards",
         "WorldSampler, other hidden cards, 1,000 at once"),
    ):  # fmt: skip
        if name not in peers:
            lines += [_row(peer, None), _row(title, rate(work, seconds))]
            continue
        values, ratios = rates_in_turn([peers[name], work], seconds)
        target = ">= 8x" if name == "hidden" else ""  # a copy is mostly the call from Python
        lines += [_row(peer, values[0]), _row(title, values[1], values[1] / ratios[1], target)]
    return lines


def python_table(seconds: float) -> str:
    """Measure and return a Markdown table, million decisions per CPU second."""
    skat, belote = open_spiel_game("skat"), colver_belote()
    adapter = open_spiel_game("schafkopf(rng_seed=1)")
    skat_rate = rate(skat, seconds) if skat else None
    adapter_rate = rate(adapter, seconds) if adapter else None
    belote_rate = rate(belote, seconds) if belote else None
    lines = [
        "| from Python | M decisions/s | v. peer | target |",
        "|---|---|---|---|",
        _row("OpenSpiel skat, mask and observation as lists", skat_rate),
        _row("the same of the adapter's game `schafkopf`", adapter_rate, skat_rate),
    ]
    for size in (1, 64, 1024):
        value = rate(python_batch(size, "engine"), seconds)
        target = ">= 60x OpenSpiel" if size == 1024 else ""
        name = f"VectorEnv, batch {size}, engine's sampler, mask + uint8"
        lines.append(_row(name, value, skat_rate, target))
    value = rate(python_batch(1024, "engine", observation="packed"), seconds)
    name = "VectorEnv, batch 1024, engine's sampler, mask + packed"
    lines.append(_row(name, value, skat_rate, ">= 120x OpenSpiel"))
    value = rate(python_batch(1024, "engine", observation="none", view_lines=True), seconds)
    name = "VectorEnv, batch 1024, engine's sampler, mask + view lines"
    lines.append(_row(name, value, skat_rate, ">= 60x OpenSpiel"))
    value = rate(python_batch(1024, "engine", observation="none"), seconds)
    lines.append(_row("VectorEnv, batch 1024, engine's sampler, mask", value, skat_rate))
    value = rate(python_batch(1024, "numpy"), seconds)
    lines.append(_row("VectorEnv, batch 1024, masked NumPy sampler", value, skat_rate))
    lines += logits_rows(seconds)
    lines += engine_rows(seconds)
    lines += copy_rows(seconds)
    lines.append(_row("colver, batch rollouts of the Belote play phase", belote_rate))
    for contract in ("SOLO", "WENZ", "RAMSCH"):
        value = rate(rollouts(contract), seconds)
        name = f"Game.rollout, one game at a time, {contract}"
        lines.append(_row(name, value, belote_rate, ">= 1x colver"))
    return "\n".join(lines)


def machine() -> str:
    """Return processor, kernel and load, which a figure needs beside it."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"{processor()}, {os.cpu_count()} processors, kernel {VectorEnv(1).kernel}, load {load}, "
        f"schafkopf {_core.__version__}"
    )


def built_program(name: str) -> Path | None:
    """Return a program of the source tree's release build, if it is built."""
    path = Path(__file__).resolve().parents[3] / "build" / "release" / name
    return path if path.is_file() else None


def run_program(title: str, name: str, *arguments: str) -> int:
    """Run a built program, or say that it is not built; return its exit code."""
    program = built_program(name)
    if program is None:
        print(f"{title}: not run (./run bench builds it)", flush=True)
        return 0
    print(f"{title}:", flush=True)
    return subprocess.run([str(program), *arguments], check=False).returncode


def cpp_rate(seconds: float) -> float | None:
    """Return decisions per CPU second of the C++ benchmark of 4,096 games; None: not built."""
    program = built_program("schafkopf_bench")
    if program is None:
        return None
    wanted = "BM_EnvBatchNativeMask/envs:4096/threads:1/"
    options = [f"--benchmark_min_time={seconds:.3f}", "--benchmark_format=json"]
    command = [str(program), f"--benchmark_filter={wanted}", *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        say_aside(f"{program.name}: ended with {done.returncode}: {done.stderr[-300:].strip()}")
        return None
    value: float = json.loads(done.stdout)["benchmarks"][0]["decisions/s"]
    return value


def belote_values(deals: int) -> list[float] | None:
    """Return CPU ms per exact value of colver's solver of Belote; None if it is not installed.

    A deal is solved for each of its four trump suits in one call, from the first of its eight
    tricks; a figure is the mean of the four. Deals are random: seeds 0, 1, 2, ...
    """
    try:
        import colver
    except ImportError:
        return None
    make: Any = colver.Env.deal  # the package's stub does not know solve_all_suits
    times = []
    for seed in range(deals):
        env = make(seed % 4, seed)
        start = time.thread_time()
        env.solve_all_suits()
        times.append(1e3 * (time.thread_time() - start) / 4)
    return times


def belote_row(times: list[float] | None) -> str:
    """Return the row of colver's solver in the table of schafkopf_solver_bench."""
    name = "| random deals | Belote (colver) | points, mean of four trump suits |"
    if not times:
        return f"{name} not run: colver is not installed | | | | | | | |"
    times = sorted(times)
    mean, late = statistics.mean(times), times[round(0.95 * (len(times) - 1))]
    middle = times[round(0.5 * (len(times) - 1))]
    return f"{name} {len(times)} | {mean:.3f} | {middle:.4f} | {late:.2f} | {times[-1]:.2f} | | | |"


def run_solver(deals: int = 100, peer_deals: int = 30) -> int:
    """Run the exact solver's benchmark, colver's solver as its last row; return the exit code."""
    name = "schafkopf_solver_bench"
    code = run_program("exact solver, CPU ms per question", name, "--deals", str(deals))
    if built_program(name) is not None:
        print(belote_row(belote_values(peer_deals)), flush=True)
    return code


def run(options: argparse.Namespace) -> int:
    """Run `schafkopf bench`."""
    extra = [option for option in options.benchmark_options if option != "--"]
    if options.python_only and extra:
        raise ValueError(f"{extra[0]}: of the C++ benchmark, allowed: without --python-only")
    print(machine(), flush=True)
    failed = 0
    if not options.python_only:
        failed |= run_program("C++ benchmark", "schafkopf_bench", *extra)
        failed |= run_solver()
        failed |= run_program("training loop, default settings", "schafkopf_train", "--bench")
    print(python_table(options.seconds))
    return 1 if failed else 0


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        if 0.001 <= (seconds := as_number(text)) <= 3600:
            return seconds
    raise argparse.ArgumentTypeError(f"{as_given(text)}, allowed: 0.001..3600")


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "bench",
        help="measure speed, beside other projects where they are installed",
        description="Run the C++ benchmark, the exact solver and 20 seconds of training, then the "
        "environment driven from Python. Peers are measured in the same run where they are "
        "installed (python/requirements-bench.txt).",
        epilog="Example: schafkopf bench --python-only --seconds 5.",
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=1.0, help="per measurement (default: %(default)s)"
    )
    parser.add_argument("--python-only", action="store_true", help="skip the C++ programs")
    parser.add_argument(
        "benchmark_options", nargs=argparse.REMAINDER, help="after --: options of Google Benchmark"
    )
    parser.set_defaults(run=run)
