"""Runs Python's tests over the module _core under sanitizers: ./run sanitize (see CONTRIBUTING.md).

The module lies in the build folder. It is tried on a copy of the tree (build/asan/tree), where no
other module can be loaded in its place, and planted faults say first that the sanitizers see.
Reports go to files: what a test swallows, or a process that it started, is a finding all the same.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "asan"
TREE = BUILD / "tree"
FINDINGS = BUILD / "findings"
NOT_COPIED = shutil.ignore_patterns(
    "build", "runs", "results", ".git", ".venv", "*.so", "__pycache__", ".*_cache", ".hypothesis"
)

# Whole files and single tests that are not run, and why.
TRAINERS = "trains, and LibTorch's own build has no sanitizers"
BROWSER = "the browser does not start with a sanitizer in front of its libraries"
CLEAN = "starts Python without the sanitizer that the module needs in front"
SHIM = "puts a library of its own in front, where the sanitizer must be"
MEMORY = "takes memory away, of which the sanitizer needs terabytes of addresses"
LEFT_OUT = {
    "adapters/test_adapters_pgx.py": "XLA has threads and code of its own, without a sanitizer",
    "pictures/test_pages_browser.py": BROWSER,
    "pictures/test_replay_browser.py": BROWSER,
    "table/test_serve_browser.py": BROWSER,
    "training/test_curriculum.py": TRAINERS,
    "players/test_best_response.py::test_runs_go_on_and_give_the_same_result_again": TRAINERS,
    "players/test_best_response.py::test_wrong_input_is_refused_before_anything_is_trained": (
        TRAINERS
    ),
    "players/test_gates.py::test_lines_that_train_go_on_and_say_what_they_cost": TRAINERS,
    "players/test_gates.py::test_screens_compare_every_arm_with_the_recipe_seed_by_seed": TRAINERS,
    "training/test_train.py::test_a_checkpoint_starts_no_program_unasked": TRAINERS,
    "project/test_faults.py::test_nothing_is_lost": SHIM,
    "project/test_public_names.py::test_modules_come_when_they_are_named": CLEAN,
    "game/test_refused_in_python.py::test_every_door_names_the_extra_that_it_lacks": CLEAN,
    "players/test_nonsense_players.py::test_memory_that_is_refused_is_one_clear_error": MEMORY,
    "commands/test_security.py::test_no_size_that_a_file_names_takes_memory": MEMORY,
    "project/test_soak.py::test_a_real_leak_is_found_and_real_work_leaks_nothing": (
        "the sanitizer keeps what is freed for a while, which looks like a leak"
    ),
    "players/test_ray.py": "Ray's workers read freed memory when they name themselves, and end",
    "project/test_docs.py::test_package_imports_quickly_and_without_torch": (
        "a sanitizer makes the import slower than is allowed"
    ),
    "project/test_install.py": "installs the release build, which is not the copy's",
    "players/test_engine.py::test_ctrl_c_ends_the_engines": (
        "asks ps, which hangs behind a sanitizer"
    ),
    "project/test_citations.py::test_the_repository_is_read_at_all": "the copy is no repository",
}

# For CI, a minute: test files, and the files of bindings/ that each goes through. All of them are
# there (tests/python/project/test_sanitize.py).
SHORT = {
    "players/test_agents.py": ("agents", "python_player"),
    "players/test_bidding.py": ("calibration",),
    "game/test_card_index.py": ("card_maps", "deal"),
    "players/test_exploit.py": ("exploit",),
    "game/test_game.py": ("cards", "game", "game_state"),
    "game/test_house_rules.py": ("league", "rules", "session"),
    "players/test_engine_answers.py": ("rule_tables", "settlement"),
    "project/test_keyword_docs.py": ("field_tables",),
    "game/test_lifetimes.py": ("engine", "intervals", "networks", "records"),
    "game/test_pickles.py": (),
    "game/test_refusals.py": ("refusals",),
    "batch/test_replayed_games.py": ("replayed_games",),
    "players/test_search.py": ("search",),
    "batch/test_unaligned.py": ("action_arrays", "sampling"),
    "game/test_unpack.py": ("unpack",),
    "batch/test_vector_env_armour.py": ("vector_env", "views"),
    "game/test_wrong_input.py": ("keywords", "module"),
}

FAULTS = {
    "schafkopf_read_behind": "heap-buffer-overflow",
    "schafkopf_overflow": "signed integer overflow",
}
CALL_FAULT = """
import ctypes, sys, schafkopf
core = schafkopf._core.__file__
assert core.startswith(sys.argv[1]), core
ctypes.CDLL(core)[sys.argv[2]](4)
"""


def module() -> Path:
    found = list((BUILD / "package").glob("_core*.so"))
    if len(found) != 1:
        raise SystemExit(
            f"{BUILD / 'package'} holds {len(found)} modules _core: ./run sanitize builds it"
        )
    return found[0]


def runtimes(core: Path) -> list[str]:
    """The libraries that a sanitized module needs loaded before any other one."""
    lines = subprocess.check_output(["ldd", core], text=True).splitlines()
    words = [line.split() for line in lines]
    wanted = ("libasan.", "libubsan.", "libclang_rt.asan", "libstdc++.")  # of GCC, of clang
    return [word[2] for prefix in wanted for word in words if word[0].startswith(prefix)]


def environment(reports: Path | None) -> dict[str, str]:
    log = f":log_path={reports}" if reports else ""
    return os.environ | {
        "LD_PRELOAD": ":".join(runtimes(module())),
        # Python frees little at its end; a leak of ours shows in tests/soak.
        "ASAN_OPTIONS": f"detect_leaks=0{log}",
        "UBSAN_OPTIONS": f"print_stacktrace=1{log}",
        "PYTHONMALLOC": "malloc",  # so that what Python frees is poisoned too
        "PYTHONPATH": str(TREE / "python"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLBACKEND": "Agg",
    }


def copy_tree() -> None:
    shutil.rmtree(TREE, ignore_errors=True)
    shutil.copytree(ROOT, TREE, ignore=NOT_COPIED, symlinks=True)
    shutil.copy2(module(), TREE / "python" / "schafkopf")


def check_that_faults_are_seen() -> None:
    for fault, words in FAULTS.items():
        command = [sys.executable, "-c", CALL_FAULT, str(TREE), fault]
        done = subprocess.run(command, env=environment(None), capture_output=True, text=True)
        if done.returncode == 0 or words not in done.stderr:
            raise SystemExit(f"the planted fault {fault} gave no {words!r}:\n{done.stderr}")


def reports() -> list[Path]:
    return sorted(FINDINGS.glob("report.*"))


def left_out() -> list[str]:
    return [
        f"--{'deselect' if '::' in name else 'ignore'}=tests/python/{name}" for name in LEFT_OUT
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="./run sanitize", description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="the files that CI takes, a minute")
    options, chosen = parser.parse_known_args()
    copy_tree()
    check_that_faults_are_seen()
    shutil.rmtree(FINDINGS, ignore_errors=True)
    FINDINGS.mkdir()
    if options.short:
        chosen += [f"tests/python/{name}" for name in SHORT]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *left_out(), *chosen]
    failed = subprocess.run(command, cwd=TREE, env=environment(FINDINGS / "report")).returncode
    for report in reports():
        print(f"\n{report}:\n{report.read_text(errors='replace')[:4000]}")
    return 1 if failed or reports() else 0


if __name__ == "__main__":
    sys.exit(main())
