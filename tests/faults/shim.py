"""The library that lets the disk and the clock of one process fail (shim.c)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")


def built(folder: Path) -> Path | None:
    """Compile the shim into a folder and return it, None where there is no C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    library = folder / "shim.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return library


def environment(library: Path, folder: Path, kind: str = "", at: int = 0) -> dict[str, str]:
    """Return what a process needs to run under the shim.

    Args:
        folder: changes of files below it count: files made, written, flushed, renamed, linked.
        kind: what happens at change `at`: "kill" (in the middle of a write), "eio" (it fails),
            "full" (it and all that follow find no room); "short": every write is cut in half or
            interrupted; "clock": the time of day jumps `at` seconds ahead and back again and
            again; "": they are counted only, in the file that counted() reads.
    """
    return {
        "LD_PRELOAD": str(library),
        "FAULTS_FOLDER": str(folder),
        "FAULTS_KIND": kind,
        "FAULTS_AT": str(at),
        "FAULTS_COUNTER": str(_counter(folder)),
    }


def counted(folder: Path) -> int:
    """Return how many changes the last process under the shim has made."""
    counter = _counter(folder)
    return int(counter.read_text()) if counter.exists() else 0


def forget(folder: Path) -> None:
    """Begin to count anew."""
    _counter(folder).unlink(missing_ok=True)


def _counter(folder: Path) -> Path:
    return folder.with_name(f"changes-{folder.name}")
