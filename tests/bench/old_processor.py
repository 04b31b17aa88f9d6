"""A processor without AVX: it gets the scalar kernel, and plays the same games bit for bit.

Builds env/ as wheels do, runs random play on this processor and, by qemu's emulation of a Nehalem
(2008: no AVX, no BMI2), on an old one, and compares a hash of all buffers. An instruction that it
lacks ends the emulated program. Exits with 1 where something differs.

usage: python tests/bench/old_processor.py
"""

from __future__ import annotations

import argparse
import shutil
import sys

from instructions import ROOT, build, run

OLD = ["qemu-x86_64", "-cpu", "Nehalem"]
STEPS = "250"  # some ten deals of each of the rows


def main() -> int:
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    if shutil.which(OLD[0]) is None:
        sys.exit(
            "old_processor.py: qemu is not installed; Debian, Ubuntu: apt-get install qemu-user"
        )
    driver = build(ROOT, ROOT / "build/instructions")
    here = run([str(driver), "trace", STEPS]).split()
    old = run([*OLD, str(driver), "trace", STEPS]).split()
    print(f"this processor: kernel {here[0]}, {here[1]}; without AVX: kernel {old[0]}, {old[1]}")
    if old[0] != "scalar":
        print("a processor without AVX must get the scalar kernel")
    return 0 if old[0] == "scalar" and old[1] == here[1] else 1


if __name__ == "__main__":
    sys.exit(main())
