"""The command line and the trainer as programs of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TRAINER = Path(os.environ.get("SCHAFKOPF_BUILD_DIR", ROOT / "build" / "release"))
TRAINER /= "schafkopf_train"


def command(*arguments):
    return [sys.executable, "-W", "error", "-m", "schafkopf.cli", *map(str, arguments)]


def environment():
    return os.environ | {"PYTHONPATH": str(ROOT / "python"), "MPLBACKEND": "Agg"}


def run(*arguments, cwd=ROOT, **options):
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=environment(),
        timeout=240,
        **options,
    )


SIGNALLED = """
import os, sys, threading, time
from schafkopf import cli
number, file, size, *arguments = sys.argv[1:]
def watch():
    while not os.path.exists(file) or os.path.getsize(file) <= int(size): time.sleep(0.001)
    os.kill(os.getpid(), int(number))
threading.Thread(target=watch, daemon=True).start()
sys.exit(cli.main(arguments))
"""


def signalled(number, file, size, *arguments):
    """Run a command that sends itself a signal once a file has more bytes than that: another
    process may stand still until it is over."""
    words = [sys.executable, "-c", SIGNALLED, int(number), file, size, *arguments]
    return subprocess.run(
        list(map(str, words)),
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=240,
    )


needs_program = pytest.mark.skipif(not TRAINER.is_file(), reason="schafkopf_train is not built")


def in_shell(words, streams="", given=b""):
    command = f'exec "$0" -W error -m schafkopf.cli {words} {streams}'
    return subprocess.run(
        ["bash", "-c", command, sys.executable],
        input=given,
        capture_output=True,
        timeout=120,
        check=False,
    )
