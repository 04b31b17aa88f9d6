"""The layering check finds a planted wrong line, with its file and number, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "tests" / "layering.py"


def run_layering(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(root)], capture_output=True, text=True, check=False
    )


def plant(root: Path, name: str, line: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    comment = "#" if path.suffix == ".py" else "//"
    path.write_text(f"{comment} first line\n\n{line}\n", encoding="utf-8")


def test_this_tree_keeps_the_layers():
    result = run_layering(ROOT)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("env/game/game.cpp", '#include "agents/random.h"', "env may not include agents"),
        ("agents/rules.cpp", '#include "training/ppo.h"', "agents may not include training"),
        ("training/ppo.cpp", '#include "bindings/core.h"', "training may not include bindings"),
        ("bindings/vector_env.cpp", '#include "training/ppo.h"', "_core must not see training"),
        ("env/game/game.cpp", '#include "card.h"', "repository root"),
        ("env/game/game.cpp", "#include <torch/torch.h>", "env may not include torch"),
        ("env/game/game.cpp", "#include <Eigen/Dense>", "env may not include Eigen"),
        ("env/game/game.cpp", "#include <toml++/toml.h>", "only in files of env named"),
        ("env/game/game.cpp", "#include <strange.h>", "belongs to no library"),
        ("env/game/game.h", "#include <iostream>", "may not include <iostream>"),
        ("env/rules/rule_set.h", "#include <toml++/toml.h>", ".cpp files of env only"),
        ("agents/net.h", "  # include <fmt/format.h>", ".cpp files of agents only"),
        ("agents/net.cpp", "#include <ATen/ATen.h>", "agents may not include torch"),
        ("agents/net.cpp", "#include <pybind11/numpy.h>", "agents may not include pybind11"),
        ("training/ppo.cpp", "#include <CLI/CLI.hpp>", "named main.cpp"),
        ("training/ppo.cpp", "#include <pybind11/numpy.h>", "training may not include pybind11"),
        (
            "tests/cpp/reference/reference_rules.h",
            '#include "env/cards/contract.h"',
            "may include only env/cards/card.h",
        ),
        ("python/schafkopf/display.py", "import torch", "import torch where it is used"),
        ("python/schafkopf/display.py", "from matplotlib import pyplot", "import matplotlib where"),
        (
            "python/schafkopf/training_run.py",
            "from schafkopf import _training",
            "import _training where",
        ),
        ("python/schafkopf/training_run.py", "from . import _training", "import _training where"),
        (
            "python/schafkopf/training_run.py",
            "try:\n    import torch\nexcept ImportError:\n    pass",
            "import torch",
        ),
        (
            "python/schafkopf/report.py",
            "from schafkopf.commands import rules",
            "imports no command",
        ),
        ("python/schafkopf/terminal/guide.py", "from schafkopf import commands", "no command"),
        ("python/schafkopf/report.py", "import schafkopf.commands.play", "imports no command"),
        (
            "python/schafkopf/networks.py",
            "from schafkopf.torch_network import TorchNetwork",
            "import torch_network where it is used",
        ),
        ("python/schafkopf/display.py", "from schafkopf.adapters import common", "no adapter"),
        ("python/schafkopf/adapters/gymnasium.py", "import pettingzoo", "at the top only NumPy"),
        # what runs beside the branch that never does
        ("python/schafkopf/display.py", "if not TYPE_CHECKING: import torch", "import torch where"),
        (
            "python/schafkopf/display.py",
            "if TYPE_CHECKING: pass\nelse: import torch",
            "where it is",
        ),
    ],
)
def test_a_planted_wrong_line_is_named(tmp_path, name, line, reason):
    plant(tmp_path, name, line)
    result = run_layering(tmp_path)
    assert result.returncode == 1
    number = 3 + ("\n" in line)
    assert f"{name}:{number}: " in result.stderr
    assert reason in result.stderr
    assert "1 wrong lines" in result.stdout


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("env/game/game.cpp", '#include "env/cards/card.h"'),
        ("env/rules/toml_reader.cpp", "#include <toml++/toml.h>"),
        ("env/game/game.cpp", "#include <fmt/format.h>"),
        ("env/record/record.cpp", "#include <nlohmann/json.hpp>"),
        ("agents/net.cpp", "#include <Eigen/Dense>"),
        ("training/ppo.cpp", "#include <torch/torch.h>"),
        ("training/main.cpp", "#include <CLI/CLI.hpp>"),
        ("bindings/training_module.cpp", '#include "training/ppo.h"'),
        ("tests/cpp/reference/reference_rules.h", '#include "env/cards/card.h"'),
        ("python/schafkopf/training_run.py", "def train():\n    from schafkopf import _training"),
        ("python/schafkopf/display.py", "if TYPE_CHECKING: import torch"),
        ("python/schafkopf/display.py", "if typing.TYPE_CHECKING: import torch"),
        ("python/schafkopf/display.py", "import json, numpy"),
        ("python/schafkopf/cli.py", "from schafkopf import commands"),
        ("python/schafkopf/torch_network.py", "import torch"),
        ("python/schafkopf/adapters/gymnasium.py", "import gymnasium"),
        ("python/schafkopf/adapters/pettingzoo.py", "from schafkopf.adapters import common"),
        ("python/schafkopf/commands/play.py", "from schafkopf.commands.options import number"),
    ],
)
def test_a_right_line_passes(tmp_path, name, line):
    plant(tmp_path, name, line)
    result = run_layering(tmp_path)
    assert result.returncode == 0, result.stderr


# What has another name is looked at by no row of the tables.
def test_what_the_tables_name_is_there(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tests"))
    import layering

    for room in layering.ROOMS:
        for part in layering.SUB_ROOMS.get(room, ("",)):
            files = [path for kind in layering.SOURCES for path in (ROOT / room / part).glob(kind)]
            assert files, f"{room}/{part}"
    package = ROOT / "python" / "schafkopf"
    for folder, imports in (
        ("", layering.LATE_IMPORTS),
        (layering.ADAPTERS, layering.ADAPTER_IMPORTS),
        (layering.SERVE, layering.SERVE_IMPORTS),
        ("", layering.CONSOLE),
    ):
        assert [name for name in imports if not (package / folder / name).is_file()] == []
    assert (ROOT / layering.REFERENCE_MAY_INCLUDE).is_file()
    assert list(ROOT.glob(layering.REFERENCE_FILES))
    patterns = [
        f"{room}/{pattern}"
        for room, law in layering.ROOMS.items()
        for some in law.sources.values()
        for pattern in some
    ]
    assert [one for one in patterns if not list(ROOT.glob(one))] == []


def test_a_test_of_python_stands_in_the_folder_of_its_subject(tmp_path):
    plant(tmp_path, "tests/python/game/test_hands.py", "import schafkopf")
    assert run_layering(tmp_path).returncode == 0
    plant(tmp_path, "tests/python/test_more_hands.py", "import schafkopf")
    result = run_layering(tmp_path)
    assert result.returncode == 1
    assert "tests/python/test_more_hands.py:1: a test stands in the folder" in result.stderr
    assert "allowed: game\n" in result.stderr


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("int cards_in(Row row) {", "std::vector<int> cards_in(const Row& row) {"),
        ("struct Seen {", "class Seen final : public Base {"),
        ("const char* const kDeal =", 'constexpr std::string_view kDeal = "EO";'),
        ("[[nodiscard]] bool is_won(int points) {", "inline bool is_won();"),
        ("using Row = std::vector<int>;", "using Row = std::vector<float>;"),
    ],
)
def test_a_name_that_two_files_of_a_room_of_tests_define_is_named(tmp_path, line, other):
    plant(tmp_path, "tests/cpp/env/a_test.cpp", line)
    plant(tmp_path, "tests/cpp/agents/b_test.cpp", other)
    assert run_layering(tmp_path).returncode == 0
    plant(tmp_path, "tests/cpp/env/b_test.cpp", other)
    result = run_layering(tmp_path)
    assert result.returncode == 1
    name = next(name for name in ("cards_in", "Seen", "kDeal", "is_won", "Row") if name in line)
    reason = f"tests/cpp/env/b_test.cpp:3: tests/cpp/env/a_test.cpp has the name {name} too"
    assert result.stderr.splitlines() == [reason]


@pytest.mark.parametrize(
    "line",
    [
        "TEST(Cards, R_023_there_are_no_sixes) {",
        "using Row = std::vector<int>;",
        "namespace fs = std::filesystem;",
        "void PrintTo(const Shown& shown, std::ostream* out) {",
        "  int inner = 0;",
    ],
)
def test_what_two_files_of_tests_may_both_say_passes(tmp_path, line):
    plant(tmp_path, "tests/cpp/env/a_test.cpp", line)
    plant(tmp_path, "tests/cpp/env/b_test.cpp", line)
    assert run_layering(tmp_path).returncode == 0
