"""`./run wheel`: build the sdist, and from it a wheel for each interpreter; repair and try them.

The sdist is unpacked and the wheels are built from it, so that what it lacks is noticed. auditwheel
copies shared libraries that a system may lack into the wheel and names the oldest manylinux
standard that it reaches. Each wheel, and with the first interpreter the sdist, is installed in a
fresh environment outside the source tree, where tests/wheel_smoke.py plays with it. Results:
build/wheel/dist, with tested.json.

Usage: python tests/wheels.py [PYTHON...]  (default: every python3.10 to python3.14 that starts)
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "wheel"
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
ALONE = {"PYTHONPATH": ""}  # what is tried is not the source tree
BUILD_TOOLS = ("scikit-build-core", "pybind11", "cmake", "ninja", "build")


def call(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """Run a command and return what it printed; a failure shows the end of that."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=os.environ | (env or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        print(done.stdout[-6000:], file=sys.stderr)
        sys.exit(f"wheels: failed: {' '.join(str(word) for word in command)}")
    return done.stdout


def version_of(interpreter: str) -> str | None:
    """Return "3.12" where the interpreter starts and can make environments, None otherwise."""
    code = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([interpreter, "-c", code], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def interpreters(named: Sequence[str]) -> dict[str, str]:
    """Return version -> interpreter, of those named or of those on the path."""
    found: dict[str, str] = {}
    for name in named or (sys.executable, *(f"python{version}" for version in VERSIONS)):
        version = version_of(name)
        if version in VERSIONS:
            found.setdefault(version, name)
        elif named:
            sys.exit(f"wheels: {name} = {version or 'does not start'}, allowed: {VERSIONS}")
    return found


def clean_environment(folder: Path, interpreter: str) -> Path:
    """Make a virtual environment and return its interpreter."""
    call(interpreter, "-m", "venv", "--clear", folder, env=ALONE)
    return folder / "bin" / "python"


def pip_install(python: Path, *packages: str | Path, env: dict[str, str] | None = None) -> None:
    call(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages,
         env=ALONE | (env or {}))  # fmt: skip


def compiler_jobs() -> dict[str, str]:
    return {"CMAKE_BUILD_PARALLEL_LEVEL": os.environ["JOBS"]} if "JOBS" in os.environ else {}


def build_sdist(dist: Path) -> Path:
    """Build the sdist, unpack it, and return the folder of its sources."""
    call(sys.executable, "-m", "build", "--sdist", "--no-isolation", "-o", dist, ROOT)
    archive = next(dist.glob("*.tar.gz"))
    shutil.rmtree(FOLDER / "source", ignore_errors=True)
    shutil.unpack_archive(archive, FOLDER / "source")  # no filter: Debian's Python 3.11 has none
    return next((FOLDER / "source").iterdir())


def build_wheel(source: Path, version: str, interpreter: str, dist: Path) -> Path:
    """Build the wheel of one interpreter, repair it, and return its file."""
    raw = FOLDER / "raw" / version
    shutil.rmtree(raw, ignore_errors=True)
    python = FOLDER / f"tools-{version}" / "bin" / "python"
    if version_of(str(python)) != version:
        pip_install(clean_environment(python.parents[1], interpreter), *BUILD_TOOLS,
                    "-c", ROOT / "python" / "requirements.txt")  # fmt: skip
    path = f"{python.parent}:{os.environ['PATH']}"
    build = ("-m", "build", "--wheel", "--no-isolation", "-o", raw, source)
    call(python, *build, env={"PATH": path, **compiler_jobs(), **ALONE})
    before = set(dist.glob("*.whl"))
    call(sys.executable, "-m", "auditwheel", "repair", "-w", dist, next(raw.glob("*.whl")))
    return next(iter(set(dist.glob("*.whl")) - before))


def try_archive(archive: Path, interpreter: str) -> dict[str, object]:
    """Install a wheel or an sdist where nothing else is; return what tests/wheel_smoke.py saw."""
    with tempfile.TemporaryDirectory() as name:
        python = clean_environment(Path(name) / "clean", interpreter)
        pip_install(python, archive, env=compiler_jobs())
        smoke = shutil.copy(ROOT / "tests" / "wheel_smoke.py", name)
        version = archive.name.removesuffix(".tar.gz").split("-")[1]
        said = call(python, "-I", smoke, version, cwd=Path(name), env=ALONE)
    return dict(json.loads(said.splitlines()[-1]))


def megabytes(file: Path) -> float:
    return round(file.stat().st_size / 1e6, 1)


def tried(name: str, archive: Path, interpreter: str, seconds: float) -> dict[str, object]:
    """Try an archive that was built in `seconds`, say so and return what stands in tested.json."""
    start = time.monotonic()
    seen = {"file": archive.name, "megabytes": megabytes(archive), "build_s": round(seconds)}
    seen |= try_archive(archive, interpreter)
    seen["try_s"] = round(time.monotonic() - start)
    print(f"{name}: {json.dumps(seen)}", flush=True)
    return seen


def main(arguments: Sequence[str]) -> int:
    found = interpreters(arguments)
    dist = FOLDER / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    start = time.monotonic()
    source = build_sdist(dist)
    sdist_seconds = time.monotonic() - start
    wheels: dict[str, object] = {}
    for version, interpreter in found.items():
        start = time.monotonic()
        wheel = build_wheel(source, version, interpreter, dist)
        seconds = time.monotonic() - start
        wheels[version] = tried(f"Python {version}", wheel, interpreter, seconds)
    first, archive = next(iter(found.values())), next(dist.glob("*.tar.gz"))
    sdist = tried("sdist, compiled by pip", archive, first, sdist_seconds)
    untested = [version for version in VERSIONS if version not in wheels]
    results = {"wheels": wheels, "sdist": sdist, "untested": untested}
    (dist / "tested.json").write_text(json.dumps(results, indent=1) + "\n")
    print(f"untested, no interpreter here: {', '.join(untested) or 'none'}")
    print(f"results: {dist.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="./run wheel", description=(__doc__ or "").split("\n\n")[0].split(": ", 1)[1]
    )
    parser.add_argument(
        "interpreters", nargs="*", metavar="PYTHON",
        help="default: every python3.10 to python3.14 that starts",
    )  # fmt: skip
    sys.exit(main(parser.parse_args().interpreters))
