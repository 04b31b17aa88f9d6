"""The C++ libraries as another project takes them: installed, found by find_package, used."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import schafkopf

ROOT = Path(__file__).resolve().parents[3]
TREE = ROOT / "build/release"
CONSUMER = ROOT / "tests/install"


def ran(*command: object, fails: bool = False) -> str:
    """Run a command and return what it says."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert (done.returncode != 0) is fails, said
    return said


def configured(project: Path, build: Path, prefix: Path, *, fails: bool = False) -> str:
    return ran("cmake", "-G", "Ninja", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
               "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror", fails=fails)  # fmt: skip


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the libraries of the release build are installed."""
    folder = tmp_path_factory.mktemp("installed")
    ran("cmake", "--install", TREE, "--prefix", folder)
    return folder


def headers(prefix: Path) -> list[str]:
    folder = prefix / "include/schafkopf"
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.h"))


def test_nothing_is_installed_but_libraries_their_headers_and_licences(prefix: Path) -> None:
    files = {path.relative_to(prefix).as_posix() for path in prefix.rglob("*") if path.is_file()}
    rest = {name for name in files if not name.startswith("include/schafkopf/")}
    assert {Path(name).suffix for name in rest} == {".a", ".cmake", ".txt", ""}
    assert {Path(name).name for name in rest if name.endswith(".a")} == {
        "libschafkopf_agents.a",
        "libschafkopf_env.a",
    }
    assert {"env/vector/vector_env.h", "agents/registry.h"} <= set(headers(prefix))
    for file in prefix.rglob("*.cmake"):
        assert str(ROOT) not in file.read_text(encoding="utf-8"), f"{file.name} names this tree"


def test_a_program_keeps_its_own_copies_of_the_libraries_that_these_are_made_with(
    prefix: Path,
) -> None:
    """Of another version, or for another processor: the linker takes one of two equal names."""
    for library in prefix.rglob("*.a"):
        symbols = ran("nm", "-C", library)
        found = re.findall(r" [BDRTVWu] (?:.* )?((?:Eigen|toml)::.*)", symbols)
        assert not found, (library.name, found[:3])


def test_a_project_finds_the_libraries_and_plays_what_python_plays(
    prefix: Path, tmp_path: Path
) -> None:
    project, build = tmp_path / "project", tmp_path / "build"
    project.mkdir()
    for name in ("CMakeLists.txt", "games.cpp"):
        (project / name).write_bytes((CONSUMER / name).read_bytes())
    lines = [f'#include "{name}"' for name in headers(prefix)]
    (project / "headers.cpp").write_text("\n".join([*lines, "int main() {}\n"]), encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```cpp\n(.*?)```", readme, re.DOTALL)
    (project / "readme.cpp").write_text(program, encoding="utf-8")
    configured(project, build, prefix)
    ran("cmake", "--build", build)
    assert "points per game" in ran(build / "readme")
    told, actions = (line.split() for line in ran(build / "games").splitlines())

    env = schafkopf.VectorEnv(
        64, rules="research", seed=7, learner_seat="rotate",
        opponents=["rules", "net:baseline", "rules"],
    )  # fmt: skip
    sums = np.zeros(4)
    while env.num_deals < 1000:
        env.step_random()
        sums += np.sum(env.rewards, axis=0, dtype=np.float64)
    assert told == [str(env.num_deals), str(env.num_decisions), *(f"{one:.0f}" for one in sums)]
    assert np.any(sums != 0)

    game, agent = schafkopf.Game("research", seed=3, dealer=2), schafkopf.make_agent("random")
    for action in actions:
        assert [int(action)] == agent.act(game.view(game.current_player), 9).tolist()
        game.apply(int(action))
    assert game.is_terminal


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("0.2", 'compatible with requested version "0.2"'),
        ("0.1 COMPONENTS trainers", "no component trainers, allowed: env, agents"),
    ],
)
def test_what_is_not_there_is_told(wanted: str, message: str, prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES CXX)\n"
        f"find_package(schafkopf {wanted} REQUIRED)\n",
        encoding="utf-8",
    )
    said = configured(tmp_path, tmp_path / "build", prefix, fails=True)
    assert message in " ".join(said.split()), said


def test_the_tree_within_a_project_that_takes_warnings_for_errors_keeps_its_compiler_quiet(
    tmp_path: Path,
) -> None:
    """Of warnings that GCC 12 gives of its own headers, some without being asked for any."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES CXX)\n"
        "set(CMAKE_EXPORT_COMPILE_COMMANDS ON)\nadd_compile_options(-Wall -Wextra -Werror)\n"
        f'add_subdirectory("{ROOT.as_posix()}" schafkopf)\n'
        'file(WRITE ${CMAKE_BINARY_DIR}/main.cpp "int main() {}")\n'
        "add_executable(main ${CMAKE_BINARY_DIR}/main.cpp)\n"
        "target_link_libraries(main PRIVATE schafkopf::agents)\n"
        'message(STATUS "compiler ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")\n',
        encoding="utf-8",
    )
    build = tmp_path / "build"
    said = ran("cmake", "-G", "Ninja", "-S", tmp_path, "-B", build, "-DCMAKE_BUILD_TYPE=Release")
    (version,) = re.findall(r"compiler GNU (\d+)", said) or ["13"]
    if int(version) >= 13:
        pytest.skip("these warnings are those of GCC 12")
    for one in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        ours = not one["file"].endswith("main.cpp")
        assert ("-Wno-stringop-overflow" in one["command"]) is ours, one["file"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("SCHAFKOPF_SANITIZE=adress", "SCHAFKOPF_SANITIZE = adress, allowed: thread, address,"),
        ("SCHAFKOPF_FUZZ=ON", "SCHAFKOPF_FUZZ = ON with GNU, allowed: with clang"),
    ],
)
def test_a_value_of_an_option_that_nothing_builds_is_refused(
    option: str, message: str, tmp_path: Path
) -> None:
    said = ran("cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path, "-DCMAKE_CXX_COMPILER=g++",
               f"-D{option}", fails=True)  # fmt: skip
    assert message in " ".join(said.split())
