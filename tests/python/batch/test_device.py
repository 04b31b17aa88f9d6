"""Card play compiled for a GPU: by NVRTC, which needs none, and what the compiler made of it.

NVRTC is in .venv where PyTorch is the build of PyPI; `./run test --full` installs it into
build/device and runs this file there. The kernel as C++ is tested in
tests/cpp/env/card_traces_test.cpp.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))
from device import __main__ as command  # noqa: E402
from device.driver import LIBRARY, Driver, DriverError  # noqa: E402
from device.interpreter import StandIn, compiled  # noqa: E402
from device.nvrtc import ENTRY, CompileError, Nvrtc, find, kernel_ptx  # noqa: E402

BUILT = Path(os.environ.get("SCHAFKOPF_BUILD_DIR", ROOT / "build" / "release"))
PROGRAM = BUILT / "tests" / "schafkopf_card_traces"
GAMES = 1_000


@pytest.fixture(scope="module")
def compiler() -> Nvrtc:
    library = find()
    if library is None:
        pytest.skip("NVRTC is not installed (python/requirements-device.txt; ./run device has it)")
    return Nvrtc(library)


@pytest.fixture(scope="module")
def ptx(compiler: Nvrtc) -> str:
    return kernel_ptx(compiler)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> command.np.ndarray:
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM.name} is not built")
    path = tmp_path_factory.mktemp("device") / "rows"
    command.play_here(PROGRAM, GAMES, 7, path)
    return command.np.fromfile(path, command.ROW)


def test_the_kernel_is_in_the_ptx_and_keeps_the_state_in_registers(ptx: str) -> None:
    assert f".visible .entry {ENTRY}(" in ptx
    assert ".local" not in ptx, "the state of a game lies in memory"
    assert "call" not in ptx and ".f32" not in ptx and ".f64" not in ptx


@pytest.mark.parametrize("architecture", ["compute_75", "compute_90", "compute_120"])
def test_it_compiles_for_old_and_new_devices(compiler: Nvrtc, architecture: str) -> None:
    ptx = kernel_ptx(compiler, architecture)
    assert re.search(rf"\.target {architecture.replace('compute', 'sm')}\b", ptx)


def test_what_the_compiler_made_plays_as_game_does(ptx: str, rows: command.np.ndarray) -> None:
    stand_in = StandIn()
    command.play_there(ptx, rows, stand_in)
    assert not stand_in.memory, "memory of the device was not given back"


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        (r"(setp\.eq\.s32 \t%p\d+, %r\d+), 3;", r"\1, 2;"),  # a seat
        ("1431655765", "1431655764"),  # counting cards
        (r"(bfi\.b64 .*), 32, 32;", r"\1, 31, 32;"),  # which draw
    ],
)
def test_a_fault_in_what_was_compiled_is_found(
    ptx: str, rows: command.np.ndarray, rule: str, wrong: str
) -> None:
    broken = re.sub(rule, wrong, ptx)
    assert broken != ptx
    with pytest.raises(command.Failed, match="the first games that differ: "):
        command.play_there(broken, rows[:200], StandIn())


def test_a_mistake_in_the_source_is_shown_with_its_place(compiler: Nvrtc) -> None:
    with pytest.raises(CompileError, match=r'planted\.cu\(2\): error: identifier "nothing"'):
        compiler.compile_ptx("\n__global__ void f(int* x) { *x = nothing; }", "planted.cu")


def test_a_kernel_that_is_not_there_is_named_by_the_driver() -> None:
    with pytest.raises(DriverError, match="cuModuleGetFunction: error 500, not found"):
        Driver(StandIn()).load(".version 9.0", ENTRY)


def test_the_interpreter_names_an_instruction_that_it_does_not_know() -> None:
    text = f".visible .entry {ENTRY}(\n)\n{{\n\tsin.approx.f32 \t%f1, %f2;\n\tret;\n}}\n"
    with pytest.raises(ValueError, match=r"knows no sin\.approx\.f32"):
        compiled(text, ENTRY)


def test_a_driver_without_a_device_is_no_device() -> None:
    with pytest.raises(command.Failed, match="nothing was compared on a device"):
        command.play_there("", [], StandIn(devices=0))


def test_without_a_driver_the_command_says_what_was_done_and_what_not(compiler: Nvrtc) -> None:
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM.name} is not built")
    try:
        command.Driver().close()
    except command.NoDevice as error:
        if LIBRARY not in str(error):
            pytest.skip(str(error))
    else:
        pytest.skip("there is a device: ./run device asks it")
    done = subprocess.run(
        [sys.executable, "-m", "device", "--traces", "2000", "--program", PROGRAM],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), *sys.path])},
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert "by the kernel on this processor, 0 games differ" in done.stdout
    assert LIBRARY in done.stderr and "nothing was compared on a device" in done.stderr
