"""`./run adapters`: the suites of other projects over our adapters, and speeds beside peers.

One run, and one page of it, tests/bench/ADAPTERS.md: which releases, which checks, what came out,
decisions per second. tests/python/adapters/test_adapters_page.py sees that the page is of the
releases that the requirement files pin.

usage: python tests/bench/adapters.py [--out FILE] [--only PROJECT ...] [--rounds N] [--seconds S]
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import adapter_speed
import turns

from schafkopf.commands.bench import machine

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "tests" / "bench" / "ADAPTERS.md"
RLLIB_PYTHON = ROOT / "build" / "rllib" / "bin" / "python"
ADAPTERS = "python/requirements-adapters.txt"
RLLIB = "python/requirements-rllib.txt"


@dataclass(frozen=True)
class Suite:
    """What a project has to check environments with, and our tests that call it.

    packages      with their releases on the page; the first one is the project
    requirements  file that pins them
    checks        what the project calls it -> tests, without parameters
    """

    project: str
    packages: tuple[str, ...]
    requirements: str
    file: str
    checks: dict[str, tuple[str, ...]]


SUITES = (
    Suite(
        "Gymnasium",
        ("gymnasium",),
        ADAPTERS,
        "adapters/test_adapters_gymnasium",
        {
            "`check_env`": (
                "test_the_registered_ids_pass_check_env",
                "test_check_env_passes_with_other_options",
            ),
            "vector environments against N single ones (`adapters.conformance`)": (
                "test_n_tables_play_as_n_single_environments",
                "test_conformance_holds_for_views_without_a_copy",
            ),
        },
    ),
    Suite(
        "PettingZoo",
        ("pettingzoo",),
        ADAPTERS,
        "adapters/test_adapters_pettingzoo",
        {
            "`api_test`": ("test_api",),
            "`seed_test`": ("test_seeds",),
            "`render_test`": ("test_render_modes",),
        },
    ),
    Suite(
        "OpenSpiel",
        ("open_spiel",),
        ADAPTERS,
        "adapters/test_adapters_openspiel",
        {"`random_sim_test`": ("test_random_sim_test",)},
    ),
    Suite(
        "TorchRL",
        ("torchrl", "tensordict"),
        ADAPTERS,
        "adapters/test_adapters_torchrl",
        {"`check_env_specs`": ("test_check_env_specs_passes",)},
    ),
    Suite(
        "Stable-Baselines3",
        ("stable_baselines3", "sb3_contrib"),
        ADAPTERS,
        "adapters/test_adapters_sb3",
        {
            "`check_env`": ("test_the_single_environment_passes_check_env_of_sb3",),
            "`is_masking_supported`, `get_action_masks`": (
                "test_maskable_algorithms_find_the_masks_also_under_wrappers",
            ),
        },
    ),
    Suite(
        "Pgx",
        ("pgx", "jax"),
        ADAPTERS,
        "adapters/test_adapters_pgx",
        {
            "`api_test`": ("test_the_environment_passes_api_test_of_pgx",),
            "`auto_reset` under `jit` and `scan`": ("test_deals_follow_each_other_under_scan",),
        },
    ),
    Suite(
        "RLlib",
        ("ray", "gymnasium"),
        RLLIB,
        "adapters/test_adapters_rllib",
        {
            "`check_multiagent_environments`": ("test_check_multiagent_environments_passes",),
            "deals of a `MultiAgentEnvRunner`": (
                "test_an_env_runner_plays_masked_deals_to_their_end",
            ),
            "updates of PPO (`python/examples/rllib_ppo.py`)": ("test_ppo_learns_in_self_play",),
        },
    ),
)


def pins(requirements: str) -> dict[str, str]:
    """Return package -> release of a requirement file; names in small letters with "_"."""
    text = (ROOT / requirements).read_text(encoding="utf-8")
    found = re.findall(r"^([\w.-]+)(?:\[\w+\])?==([\w.]+)", text, re.MULTILINE)
    return {name.lower().replace("-", "_"): release for name, release in found}


def interpreter_of(suite: Suite) -> str:
    return str(RLLIB_PYTHON) if suite.requirements == RLLIB else sys.executable


def installed(suite: Suite) -> dict[str, str] | None:
    """Return package -> release as installed; None where one is missing."""
    code = "import importlib.metadata as m, sys; print(*(m.version(p) for p in sys.argv[1:]))"
    try:
        said = subprocess.check_output(
            [interpreter_of(suite), "-c", code, *suite.packages],
            text=True,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return dict(zip(suite.packages, said.split(), strict=True))


def outcomes(suite: Suite) -> dict[str, list[str]]:
    """Run the tests of a suite and return test without parameters -> passed, failed, skipped."""
    names = [name for tests in suite.checks.values() for name in tests]
    nodes = [f"tests/python/{suite.file}.py::{name}" for name in names]
    found: dict[str, list[str]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        junit = Path(folder) / "results.xml"
        command = [interpreter_of(suite), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        environment = os.environ | {
            "PYTHONPATH": str(ROOT / "python"),
            "SCHAFKOPF_TESTS_WITH_JAX": "1",
        }
        done = subprocess.run(
            [*command, f"--junitxml={junit}", *nodes],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            print(done.stdout[-6000:], file=sys.stderr)
        for case in ElementTree.parse(junit).iter("testcase") if junit.exists() else ():
            tags = {child.tag for child in case}
            outcome = "failed" if tags & {"failure", "error"} else "passed"
            name = case.attrib["name"].split("[")[0]
            if name in found:  # else the file could not be read: none of its tests ran
                found[name].append("skipped" if "skipped" in tags else outcome)
    return found


def result(seen: Sequence[str]) -> str:
    """Return "3 passed", or what else there was."""
    if not seen:
        return "failed: its tests did not run"
    counts = {word: seen.count(word) for word in ("passed", "failed", "skipped")}
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def suite_rows(suite: Suite) -> list[tuple[str, ...]]:
    """Run a suite; return (project, releases, check, result) for each check.

    Raises:
        SystemExit: another release is installed than the one that is pinned.
    """
    releases = installed(suite)
    if releases is None:
        advice = f"pip install -r {suite.requirements}"
        if suite.requirements == RLLIB:
            advice = "./run adapters makes build/rllib"
        return [(suite.project, "", check, f"not run: {advice}") for check in suite.checks]
    pinned = pins(suite.requirements)
    for package, release in releases.items():
        if release != pinned[package]:
            sys.exit(
                f"adapters: {package} {release} is installed, allowed: {pinned[package]}, as "
                f"{suite.requirements} pins it"
            )
    named = ", ".join(f"{package} {release}" for package, release in releases.items())
    seen = outcomes(suite)
    return [
        (suite.project, named, check, result([one for name in tests for one in seen[name]]))
        for check, tests in suite.checks.items()
    ]


def suites_table(rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| project | releases | check | result |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def peers() -> str:
    """Return the releases of the peers and of NumPy, as installed."""
    found = []
    for package in ("numpy", "pettingzoo", "open_spiel", "rlcard", "chess"):
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{package} not installed (pip install -r {adapter_speed.BENCH})")
    return ", ".join(found)


def page(rows: Sequence[tuple[str, ...]], rounds: int, seconds: float) -> str:
    """Measure the speeds and return the page."""
    tables = [
        adapter_speed.speed_table(makers, rounds, seconds)
        for makers in (
            adapter_speed.one_table(),
            adapter_speed.many_tables(),
            adapter_speed.learner_tables(),
        )
    ]
    return f"""# Adapters: suites and speeds

`./run adapters` wrote this page in one run; what is written here by hand would be lost.
`./run test` runs the same checks, those of RLlib `./run test --full`, in an environment of its own.

## Suites of other projects

{suites_table(rows)}

## Speeds

{machine()}; Python {sys.version.split()[0]}, {peers()}.

One thread. Rates are per CPU second, medians of {rounds} rounds of {seconds:g} s. In a round each
row is measured in turn; a ratio is the median of those of the rounds, beside the lowest and the
highest: other work runs on this machine (its load is above), and that is what it leaves in them.
Drawing a random legal action, mask and observation, and dealing are inside.

### One table, its seats in turn

Ratios are to the adapter to PettingZoo. The games differ: a decision of Schafkopf has 736 features
and 128 actions, one of RLCard's bridge 573 and 91, one of OpenSpiel's skat 299 and 39.

{tables[0]}

### {adapter_speed.MANY:,} tables, stepped from Python

`VectorEnv` without observation: who draws the actions, and the step. `schafkopf.sample` reads the
bits of `legal` and needs no mask [N, 128]; all other rows have it. Ratios are to the masked argmax
in plain NumPy.

{tables[1]}

### {adapter_speed.TABLES} tables, one seat of each against random players

Decisions are those of that seat; between two of them the others play. Ratios are to `VectorEnv`
itself, with float32 rows; the adapters copy what they show, and give infos or tensordicts.

{tables[2]}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=PAGE, help="(default tests/bench/ADAPTERS.md)")
    parser.add_argument("--only", nargs="+", choices=[suite.project for suite in SUITES],
                        help="suites of these projects alone; needs --out")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=9, help="of the speeds (default 9)")
    parser.add_argument("--seconds", type=float, default=0.2, help="of a row (default 0.2)")
    options = parser.parse_args(arguments)
    turns.check_amounts(parser, options)
    if options.only and options.out == PAGE:
        parser.error("--only gives no whole page: name another file with --out")
    rows = []
    for suite in SUITES:
        if not options.only or suite.project in options.only:
            rows += suite_rows(suite)
            print(suites_table(rows[-len(suite.checks) :]).split("\n", 2)[2], flush=True)
    text = page(rows, options.rounds, options.seconds)
    options.out.write_text(text, encoding="utf-8")
    print(f"wrote {options.out}")
    return 1 if any(word in row[-1] for row in rows for word in ("failed", "skipped")) else 0


if __name__ == "__main__":
    sys.exit(main())
