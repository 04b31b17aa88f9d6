"""Kernels that step blocks of games: chosen by name, equal in what they give, and each alone.

The C++ tests compare every buffer (tests/cpp/env/lane_kernels_test.cpp).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import schafkopf

ROOT = Path(__file__).resolve().parents[3]
KERNELS = ["scalar", "avx2", "avx512"]


def made_of(kernel: str, **options: object) -> schafkopf.VectorEnv:
    try:
        return schafkopf.VectorEnv(32, kernel=kernel, **options)  # type: ignore[arg-type]
    except ValueError as error:
        if "lacks its instructions" not in str(error):
            raise
        pytest.skip(f"{kernel}: {error}")


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_is_asked_for_by_name_and_gives_what_single_games_give(kernel: str) -> None:
    env, plain = made_of(kernel, view_lines=True), made_of("scalar", view_lines=True)
    assert env.kernel == kernel
    for _ in range(200):
        env.step_random()
        plain.step_random()
        for name in ("cards", "order", "events", "legal", "rewards"):
            np.testing.assert_array_equal(getattr(env, name), getattr(plain, name), name)
    assert env == plain, "the kernel is no part of what an environment is"


def test_an_unknown_kernel_is_refused_with_those_that_are_allowed() -> None:
    with pytest.raises(ValueError, match="auto, scalar, avx2, avx512"):
        schafkopf.VectorEnv(4, kernel="avx1024")


def name_of_default(value: str) -> subprocess.CompletedProcess[str]:
    code = "import schafkopf; print(schafkopf.VectorEnv(4).kernel)"
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"SCHAFKOPF_KERNEL": value},
        text=True,
        capture_output=True,
        check=False,
    )


def test_the_variable_forces_a_kernel_and_a_wrong_one_is_named() -> None:
    assert name_of_default("scalar").stdout.strip() == "scalar"
    wrong = name_of_default("sse9")
    assert wrong.returncode != 0
    assert "SCHAFKOPF_KERNEL" in wrong.stderr and "scalar" in wrong.stderr


def test_kernels_share_no_symbol_with_files_that_run_on_every_processor() -> None:
    objects = sorted((ROOT / "build" / "release").glob("CMakeFiles/**/*_avx*.o"))
    if not objects or shutil.which("nm") is None:
        pytest.skip("no object files of the kernels here")
    for path in objects:
        listing = subprocess.run(
            ["nm", "--defined-only", str(path)], text=True, capture_output=True, check=True
        ).stdout
        symbols = [line.split()[-2:] for line in listing.splitlines()]
        shared = [name for kind, name in symbols if kind in "VvWwu" or kind in "TDBRG"]
        own = path.name.split(".")[0].split("_")[-1].capitalize()  # Avx2
        assert all(own in name for name in shared), (path.name, shared)
        assert shared, f"{path.name} has not even its kernel"
    assert len(objects) == 4, "the steps and the rows, for two instruction sets each"
