"""`./run device`: the hash of every game on a CUDA device must be that of Game.

Compiles the kernel of env/device by NVRTC, plays the games on this processor (by Game, and by the
same kernel emulated), then one game per thread on the first device. Leaves with 1 where a hash
differs or there is no device to ask. Not yet run on a device (driver.py).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from device.driver import Driver, DriverError, NoDevice
from device.nvrtc import ARCHITECTURE, ENTRY, ROOT, CompileError, Nvrtc, find, kernel_ptx

PROGRAM = ROOT / "build/release/tests/schafkopf_card_traces"
# A row of the program: PlayState, key of the draws, hash by Game.
ROW = np.dtype([("start", "<u4", 32), ("key", "<u8"), ("hash", "<u8")])
PER_LAUNCH = 1 << 18


class Failed(Exception):
    """What ends the command with 1."""


def kernel(architecture: str) -> str:
    """Return the kernel as PTX, and print by whom."""
    library = find()
    if library is None:
        raise Failed("NVRTC is not installed: ./run device, or pip install nvidia-cuda-nvrtc")
    try:
        compiler = Nvrtc(library)
        ptx = kernel_ptx(compiler, architecture)
    except (CompileError, OSError) as error:
        raise Failed(f"the kernel does not compile: {error}") from None
    print(f"NVRTC {compiler.version()}: {len(ptx)} bytes of PTX for {architecture}", flush=True)
    return ptx


def play_here(program: Path, traces: int, seed: int, rows: Path) -> None:
    """Play the games on this processor, and write what a device needs of them."""
    if not program.exists():
        raise Failed(f"{program} is not built: ./run device builds it")
    words = ["--traces", str(traces), "--seed", str(seed), "--rows", str(rows)]
    if subprocess.run([program, *words], check=False).returncode != 0:
        raise Failed("Game and the kernel on this processor differ, or it could not be tried")


def differing(driver: Driver, ptx: str, rows: Any) -> list[int]:
    """Return the numbers of the games whose hash on the device is not that of Game."""
    function = driver.load(ptx, ENTRY)
    found: list[int] = []
    for first in range(0, len(rows), PER_LAUNCH):
        part = rows[first : first + PER_LAUNCH]
        hashes = driver.hashes(function, part["start"], part["key"])
        found += (first + np.flatnonzero(hashes != part["hash"])).tolist()
    return found


def play_there(ptx: str, rows: Any, library: Any = None) -> None:
    """Play the games on a device and compare. `library`: tests give a stand-in of the driver."""
    try:
        driver = Driver(library)
    except NoDevice as error:
        raise Failed(
            f"{error}.\nThe kernel was compiled, and emulated on this processor; nothing was "
            "compared on a device."
        ) from None
    try:
        found = differing(driver, ptx, rows)
        print(f"{len(rows)} games on {driver.name()}: {len(found)} hashes differ from Game")
    except DriverError as error:
        raise Failed(f"the device refuses the kernel: {error}") from None
    finally:
        driver.close()
    if found:
        raise Failed(f"the first games that differ: {', '.join(map(str, found[:10]))}")


def main() -> int:
    about = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="./run device", description=about)
    parser.add_argument("--traces", type=int, default=1_000_000, help="games, default: a million")
    parser.add_argument("--seed", type=int, default=0, help="of deals, rules and draws")
    parser.add_argument("--architecture", default=ARCHITECTURE, help=f"default: {ARCHITECTURE}")
    parser.add_argument("--program", default=PROGRAM, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    try:
        ptx = kernel(options.architecture)
        with tempfile.TemporaryDirectory() as folder:
            rows = Path(folder) / "rows"
            play_here(options.program, options.traces, options.seed, rows)
            play_there(ptx, np.memmap(rows, ROW, mode="r"))
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
