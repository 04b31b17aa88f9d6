"""Checksums of the files of a dataset, in a file that `sha256sum -c` reads too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from schafkopf import files
from schafkopf.datasets.settings import MANIFEST, sha256

CHECKSUMS = "checksums.sha256"
_LINE = re.compile(r"([0-9a-f]{64})  ([\w.-]+)")


def read_checksums(folder: Path) -> dict[str, str]:
    """Return the checksums of a dataset by name of the file.

    A line that is none is left out, and so are its files: they are taken for unfinished. In a
    folder of an older version, which has no such file, the files that are there are taken as whole.
    """
    path = folder / CHECKSUMS
    if not path.is_file():
        return {file.name: sha256(file) for file in folder.glob("*.parquet")}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    found = [match for line in lines if (match := _LINE.fullmatch(line))]
    return {match[2]: match[1] for match in found}


def write_checksums(folder: Path, sums: Mapping[str, str]) -> None:
    """Write the checksums of a dataset in one step. Raises OSError."""
    lines = [f"{sums[name]}  {name}\n" for name in sorted(sums)]
    files.write_text(folder / CHECKSUMS, "".join(lines))


def check_manifest(folder: Path, sums: dict[str, str]) -> None:
    """Refuse to go on by a manifest that has changed; one without a checksum gets it.

    Raises:
        ValueError: names the file.
    """
    now = sha256(folder / MANIFEST)
    if sums.setdefault(MANIFEST, now) != now:
        raise ValueError(
            f"{folder / MANIFEST}: damaged, or changed by hand: its bytes are not those of its "
            f"line in {CHECKSUMS}, or that line is damaged; restore the one or the other from a "
            "copy"
        )


def check_checksum(path: Path, sums: Mapping[str, str]) -> None:
    """Refuse a file that has changed since it was written.

    Raises:
        ValueError: names the file and what to do;  OSError: it cannot be read.
    """
    if path.name in sums and sha256(path) != sums[path.name]:
        raise ValueError(
            f"{path}: damaged: its bytes are not those of its line in {CHECKSUMS}; resume the "
            "dataset, which writes it again"
        )
