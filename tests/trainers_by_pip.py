"""Install the package with the trainers by pip, as python/docs/packages.md says, and train with it.

Usage: python tests/trainers_by_pip.py [FOLDER]. It compiles for some minutes, so no test calls it.
The environment is a fresh one in a temporary folder that sees the packages of this interpreter
(torch and the tools that build) and none of the source tree; the build goes to FOLDER, else to
build/wheel/training. Prints one JSON line of what was seen.
"""

from __future__ import annotations

import argparse
import json
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from wheels import ALONE, FOLDER, ROOT, call, clean_environment

TRAINED = """
import json, sys
import schafkopf
from pathlib import Path
assert Path(schafkopf.__file__).is_relative_to(sys.prefix), schafkopf.__file__
few = {"width": 64, "decisions_limit": 20_000, "time_limit_minutes": 0, "eval_minutes": 0}
result = schafkopf.train(few, out="run", workers=1)
table = schafkopf.tournament([f"net:{result['model_path']}", "random"], blocks=2)
import torch
print(json.dumps({"torch": torch.__version__, "updates": result["updates"],
                  "decisions": result["decisions"], "games": table["games"]}))
"""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "folder", nargs="?", type=Path, default=FOLDER / "training", metavar="FOLDER"
    )
    build = parser.parse_args(arguments).folder
    with tempfile.TemporaryDirectory() as name:
        python = clean_environment(Path(name) / "fresh", sys.executable)
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        site = Path(call(python, "-c", code, env=ALONE).strip())
        (site / "packages-of-this-interpreter.pth").write_text(sysconfig.get_path("purelib") + "\n")
        call(python, "-m", "pip", "install", "--disable-pip-version-check", "--no-build-isolation",
             "--no-deps", "-C", "cmake.define.SCHAFKOPF_TRAINING=ON", "-C", f"build-dir={build}",
             ROOT, env=ALONE)  # fmt: skip
        said = call(python, "-I", "-c", TRAINED, cwd=Path(name), env=ALONE)
        seen = json.loads(said.splitlines()[-1])
        assert seen["updates"] > 0 and seen["games"] > 0, seen
    print(json.dumps(seen))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
