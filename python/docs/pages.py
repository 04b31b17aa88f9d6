"""Pages that are written when the site is built: layouts, players, command line, licences."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from schafkopf import _core, agents, observations, views
from schafkopf.cli import _parser

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import layering  # noqa: E402

# Library of tests/layering.py -> name in cmake/SchafkopfDependencies.cmake, licence, its text.
LICENCES = {
    "fmt": ("fmt", "MIT, with an exception for compiled code", "fmt.txt"),
    "toml++": ("tomlplusplus", "MIT", "tomlplusplus.txt"),
    "nlohmann_json": ("nlohmann_json", "MIT", "nlohmann_json.txt"),
    "Eigen": ("Eigen3", "MPL-2.0", "eigen.txt"),
    "pybind11": ("pybind11", "BSD-3-Clause", "pybind11.txt"),
}
OF_THE_WHEEL = ("env", "agents", "bindings")


def cell(text: object) -> str:
    return str(text).replace("|", r"\|").replace("\n", " ").replace("<", "&lt;")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *([cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def observation_versions() -> list[int]:
    """Return the versions of observations that the module knows."""
    known: list[int] = []
    with contextlib.suppress(ValueError):  # the first one that it does not know
        for version in itertools.count(1):
            observations.observation_size(version)
            known.append(version)
    return known


def observation_page() -> str:
    """Return the sections of every observation layout, as the encoders write them."""
    parts = [
        "# Observation layouts",
        "A row has named sections, in this order. `observation_sections(version)` of "
        "`schafkopf.observations` gives them as slices and `observation_table(version)` as this "
        "table. A row of uint8 holds counts; float32 is uint8 times the scale. Released layouts "
        "never change: a network of today reads them tomorrow. Cards stand in every card section "
        "at the same index, absolute or canonical as the option `cards` of `VectorEnv` says. "
        "How they were chosen is in section 2 of [the methods](agents/METHODS.md#section-2).",
    ]
    versions = observation_versions()
    parts.append(table(
        ("version", "features"), [(v, observations.observation_size(v)) for v in versions]
    ))  # fmt: skip
    for version in versions:
        rows = observations.observation_table(version)
        assert sum(row["length"] for row in rows) == observations.observation_size(version)
        parts.append(f"## Version {version}")
        parts.append(table(
            ("section", "from", "length", "scale", "meaning"),
            [(f"`{row['name']}`", row["offset"], row["length"], f"{row['scale']:.4g}",
              row["meaning"]) for row in rows],
        ))  # fmt: skip
    parts.append("## Packed rows")
    parts.append(
        '`VectorEnv(observation="packed")` shows 64 bytes: what version 1 shows, as bits and '
        "small numbers. `schafkopf.observations.expand_packed` makes rows of version 1 of them, "
        "without the section `rules`. A section is `numbers` of `bits` each from a bit on (bit i "
        "is bit i % 8 of byte i / 8), the lowest first; a number with `places` says which of them "
        f"is 1, 0 none. Not held: {observations.PACKED_LOSSES}."
    )
    parts.append(table(
        ("section", "from bit", "numbers", "bits", "places", "feature of version 1"),
        [(f"`{row['name']}`", row["offset"], row["count"], row["width"], row["places"] or "",
          row["first"]) for row in observations.packed_table()],
    ))  # fmt: skip
    parts.append("## View lines")
    parts.append(
        "What a seat may know, before it is encoded: `schafkopf.views.VIEW_DTYPE`, three cache "
        "lines of 64 bytes. `unpack_cards`, `unpack_plays` and `unpack_events` give fields that "
        "share bytes by name. Sets of cards are masks, bit c = card c. The full view is of "
        "`schafkopf.views.FULL_VIEW_DTYPE`, for critics and cheating baselines only."
    )
    lines = {name: field[0] for name, field in (views.VIEW_DTYPE.fields or {}).items()}
    for line, dtype in {**lines, "full view": views.FULL_VIEW_DTYPE}.items():
        fields = dtype.fields or {}
        rows = [(f"`{name}`", fields[name][1], fields[name][0].base, fields[name][0].shape or "",
                 field_meaning(name)) for name in dtype.names or ()]  # fmt: skip
        parts += [f"### {line}", table(("field", "byte", "dtype", "shape", "meaning"), rows)]
    return "\n\n".join(parts)


def field_meaning(name: str) -> str:
    """Return what the docstring of schafkopf.views says of a field."""
    entry = re.search(rf"^    {name}  +(\S.*(?:\n {{8,}}\S.*)*)", views.__doc__ or "", re.MULTILINE)
    if not entry:
        raise ValueError(f"the docstring of schafkopf.views does not say what {name} is")
    return " ".join(entry[1].split())


def players_page() -> str:
    """Return every registered player and contract generator with its parameters."""
    parts = [
        "# Players and their parameters",
        "A name with parameters behind a colon, as `pimc:30` or `pimc:worlds=30,clear=0`. What "
        "they do and what was measured is in [the methods](agents/METHODS.md#section-6) and "
        "[the ladder](tests/bench/LADDER.md); the network that comes with the library is "
        "described in [the baseline](agents/BASELINE.md). [Add one](agents/ADD_A_PLAYER.md).",
    ]
    for title, entries in (
        ("Players", agents.agent_names()),
        ("Contract generators", agents.generator_names()),
    ):
        parts.append(f"## {title}")
        for entry in entries:
            parts.append(f"### `{entry['name']}`")
            hidden = " It sees hidden hands." if entry.get("sees_hidden_hands") else ""
            parts.append(f"{entry['description'][:1].upper()}{entry['description'][1:]}.{hidden}")
            rows = [re.split(r"[:=]\s*", one, maxsplit=1) for one in entry["parameters"]]
            if rows:
                parts.append(table(("parameter", "default and meaning"),
                                   [(f"`{name}`", rest) for name, rest in rows]))  # fmt: skip
    return "\n\n".join(parts)


def usage(parser: argparse.ArgumentParser, depth: int) -> list[str]:
    """Return the help of a command and of those below it."""
    parser.formatter_class = _Wide
    parts = [f"{'#' * depth} `{parser.prog}`", f"```text\n{parser.format_help().strip()}\n```"]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                parts += usage(below, min(depth + 1, 4))
    return parts


class _Wide(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str, **more: Any) -> None:
        super().__init__(prog, width=100, max_help_position=32)


def command_page() -> str:
    """Return the help of all commands."""
    parts = ["# Command line", "What `schafkopf COMMAND --help` prints, command by command. Exit "
             "codes: 0 done, 1 failed or different from what was expected, 2 wrong arguments or "
             "files, 75 a part of the work is done and the same command goes on, 130, 143, 129 "
             "interrupted, terminated, hung up."]  # fmt: skip
    return "\n\n".join([*parts, *usage(_parser(), 2)])


def fields_page() -> str:
    """Return the keys of tournament files and the keywords that come from tables of fields."""
    parts = [
        "# Keys of tournament files",
        "`schafkopf tournament FILE`, `--set key=value`, and keywords of `schafkopf.tournament`; "
        "the files are in `configs/tournament/`.",
    ]
    rows = _core.tournament_fields()
    for group in dict.fromkeys(row["group"] for row in rows):
        parts.append(f"## {group[:1].upper()}{group[1:]}")
        parts.append(table(
            ("key", "meaning", "allowed", "default"),
            [(f"`{row['key']}`", row["meaning"], row["allowed"], f"`{row['default']!r}`")
             for row in rows if row["group"] == group],
        ))  # fmt: skip
    return "\n\n".join(parts)


def training_keys_page() -> str:
    """Return the keys of training files, from the commented defaults."""
    text = (ROOT / "configs" / "train" / "default.toml").read_text(encoding="utf-8")
    parts = ["# Keys of training files", "`schafkopf train FILE` and `--set key=value`. A file "
             "names only the keys that differ from `configs/train/default.toml`:"]  # fmt: skip
    rows: list[tuple[str, str, str]] = []
    comment: list[str] = []

    def end_group() -> None:
        if rows:
            parts.append(table(("key", "default", "meaning"), rows))
            rows.clear()

    for line in text.splitlines():
        group = re.fullmatch(r"# -+ (.*?) -+", line)
        key = re.match(r"(\w+) = (.*)", line)
        if group:
            end_group()
            parts.append(f"## {group[1][:1].upper()}{group[1][1:]}")
        elif line.startswith("# "):
            comment.append(line[2:])
        elif key:
            rows.append((f"`{key[1]}`", f"`{key[2]}`", " ".join(comment)))
        if not line.startswith("# "):
            comment.clear()
    end_group()
    return "\n\n".join(parts)


def libraries_of_the_wheel() -> list[str]:
    """Return the libraries whose headers the files of the wheel include."""
    found: set[str] = set()
    for room in OF_THE_WHEEL:
        for path in [*(ROOT / room).rglob("*.h"), *(ROOT / room).rglob("*.cpp")]:
            if room == "bindings" and path.name.startswith("training"):
                continue
            for line in path.read_text(encoding="utf-8").splitlines():
                match = layering.INCLUDE.match(line)
                if match and match[1] == "<":
                    found.add(layering.library_of(match[2]) or match[2])
    return sorted(found - {"std", "C++ ABI", "POSIX", "intrinsics"})


def licence_page() -> str:
    """Return the licences of what is compiled into the wheel, with their texts."""
    cmake = (ROOT / "cmake" / "SchafkopfDependencies.cmake").read_text(encoding="utf-8")
    rows, texts = [], []
    for library in libraries_of_the_wheel():
        if library not in LICENCES:
            raise ValueError(f"{library} is compiled into the wheel: add its licence to pages.py")
        name, licence, file = LICENCES[library]
        at = re.search(rf"FetchContent_Declare\({name} GIT_REPOSITORY (\S+) GIT_TAG (\S+)", cmake)
        text = (ROOT / "python" / "licences" / file).read_text(encoding="utf-8")
        where = at[1].removesuffix(".git") if at else text.split("\n")[0].split(", ")[1]
        rows.append((library, licence, where, at[2] if at else "as pyproject.toml requires"))
        texts.append(f"## {library}\n\n```text\n{text.strip()}\n```")
    head = [
        "# Licences",
        "Schafkopf is under Apache-2.0. Compiled into the wheel, with their texts in its "
        "`dist-info/licenses`:",
        table(("library", "licence", "source", "version where no package is installed"), rows),
        "NumPy and Jinja2 are required and installed by themselves. What adapters need is "
        "installed with their extras, PyTorch with the trainers; none of it is part of the wheel.",
    ]
    return "\n\n".join([*head, *texts])


PAGES = {
    "observations.md": observation_page,
    "player_parameters.md": players_page,
    "command_line.md": command_page,
    "tournament_keys.md": fields_page,
    "training_keys.md": training_keys_page,
    "licences.md": licence_page,
}
