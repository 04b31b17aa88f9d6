"""Peers from pip beside rows of ours, for the page on speed: who is measured, and the table."""

from __future__ import annotations

import importlib.metadata
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import adapter_speed
import served_peers
import turns
from served import NoAnswer, Server

from schafkopf.commands.bench import Work, colver_belote, python_batch, rollouts

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "build" / "peers" / "bin" / "python"
INSTALLED = ("numpy", "open_spiel", "colver", "rlcard", "pettingzoo")
HERE = "adapter to PettingZoo, one table"
TABLES = "`VectorEnv`, 1,024 tables, mask"
PLAIN = f"{TABLES}, actions by the engine"
BYTES = f"{TABLES} and uint8 rows, actions by the engine"
FLOATS = f"{TABLES} and float32 rows, actions by the engine"
NUMPY = f"{TABLES} and uint8 rows, actions by NumPy"
OPEN_SPIEL = "adapter to OpenSpiel, one table"
ROLLOUTS = "`Game.rollout`, a Solo from its first card, one game at a time"

# Row of a peer -> the rows of ours that do the same kind of work.
BESIDE = {
    "OpenSpiel skat, mask and observation as lists": (OPEN_SPIEL, BYTES),
    "colver, rollouts of Belote's card play": (ROLLOUTS,),
    "RLCard bridge": (HERE,),
    "PettingZoo classic `texas_holdem_v4` (AEC)": (HERE,),
    "PettingZoo classic `chess_v6` (AEC)": (HERE,),
    "pgx leduc_holdem": (PLAIN, FLOATS),
    "pgx kuhn_poker": (PLAIN, FLOATS),
    "envpool LeducHoldem-v1": (NUMPY,),
    "envpool CartPole-v1": (NUMPY,),
}


def colver() -> Work:
    work = colver_belote()
    if work is None:
        raise ModuleNotFoundError(name="colver")
    return work


def own() -> adapter_speed.Makers:
    return {
        HERE: adapter_speed.own_aec,
        OPEN_SPIEL: adapter_speed.open_spiel("schafkopf(rng_seed=1)"),
        ROLLOUTS: lambda: rollouts("SOLO"),
        PLAIN: lambda: python_batch(1024, "engine", observation="none"),
        BYTES: lambda: python_batch(1024, "engine"),
        FLOATS: lambda: python_batch(1024, "engine", observation="float32"),
        NUMPY: lambda: python_batch(1024, "numpy"),
    }


def others() -> adapter_speed.Makers:
    """Return the peers that are installed beside the engine."""
    classics = ("texas_holdem_v4", "chess_v6")
    return {
        "OpenSpiel skat, mask and observation as lists": adapter_speed.open_spiel("skat"),
        "colver, rollouts of Belote's card play": colver,
        "RLCard bridge": adapter_speed.rlcard_bridge,
        **{f"PettingZoo classic `{name}` (AEC)": adapter_speed.classic(name) for name in classics},
    }


def collect(
    stack: ExitStack, core: int, with_served: bool
) -> tuple[dict[str, turns.Measure], dict[str, str]]:
    """Return what can be measured, and of the rest why not."""
    found: dict[str, turns.Measure] = {}
    missing: dict[str, str] = {}
    for name, make in {**own(), **others()}.items():
        try:
            work = make()
            work()
            found[name] = partial(turns.cpu_rate, work)
        except ImportError as error:
            missing[name] = f"not installed: {(error.name or str(error)).split('.')[0]}"
    served_rows = list(served_peers.makers())
    if not with_served or not PYTHON.exists():
        why = "not run: --short" if not with_served else "not installed: ./run makes build/peers"
        return found, missing | dict.fromkeys(served_rows, why)
    server = stack.enter_context(Server([str(PYTHON), "-W", "ignore", served_peers.__file__], core))
    for name in served_rows:
        try:
            server.rate(name, 0.0)
            found[name] = partial(server.rate, name)
        except NoAnswer as error:
            missing[name] = f"not run: {error}"
    return found, missing


def releases() -> str:
    """Return what is installed of the peers, NumPy included."""
    found = []
    for package in INSTALLED:
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{package} not installed")
    try:
        said = subprocess.check_output(
            [str(PYTHON), served_peers.__file__, "releases"], text=True, stderr=subprocess.DEVNULL
        )
        found += [one.replace("==", " ") for one in said.split()]
    except (OSError, subprocess.CalledProcessError):
        found.append("build/peers (jax, pgx, envpool) not installed")
    return ", ".join(found)


def table(rounds: turns.Rounds, missing: Mapping[str, str]) -> str:
    """Return a Markdown table of every peer and what is beside it."""
    lines = [
        "| peer | decisions/s | Schafkopf, beside it | decisions/s | ratio (lowest to highest) |",
        "|---|---|---|---|---|",
    ]
    for peer, those in BESIDE.items():
        for ours in those:
            if why := missing.get(peer, missing.get(ours)):
                lines.append(f"| {peer} | {why} | {ours} | | |")
                continue
            rates = [turns.amount(turns.median(rounds, name)) for name in (peer, ours)]
            said = turns.ratio(rounds, ours, peer)
            lines.append(f"| {peer} | {rates[0]} | {ours} | {rates[1]} | {said} |")
    return "\n".join(lines)


def measure(core: int, rounds: int, seconds: float, with_served: bool) -> str:
    with ExitStack() as stack, turns.on_core(core):
        found, missing = collect(stack, core, with_served)
        return table(turns.in_turn(found, rounds, seconds), missing)
