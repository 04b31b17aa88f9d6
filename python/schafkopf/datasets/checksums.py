"""Checksums of the files of a dataset, in a file that `sha256sum -c` reads too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from schafkopf import files
from schafkopf.datasets.settings import MANIFEST, Settings, sha256

CHECKSUMS = "checksums.sha256"
MAX_CHECKSUM_BYTES = 2**24
MOST_FILES = MAX_CHECKSUM_BYTES // 100  # a line has up to 98 bytes
_LINE = re.compile(r"([0-9a-f]{64})  ([\w.-]+)")


def read_checksums(folder: Path) -> dict[str, str]:
    """Return the checksums of a dataset by name of the file.

    A line that is none is left out, and so are its files: they are taken for unfinished. In a
    folder of an older version, which has no such file, the files that are there are taken as whole.

    Raises:
        ValueError: no regular file, or longer than any;  OSError: it cannot be read.
    """
    path = folder / CHECKSUMS
    if not path.exists():
        return {file.name: sha256(file) for file in folder.glob("*.parquet") if file.is_file()}
    with files.opened_regular(path) as file:
        data = files.read_all(file, path, MAX_CHECKSUM_BYTES)
    lines = data.decode("utf-8", errors="replace").splitlines()
    found = [match for line in lines if (match := _LINE.fullmatch(line))]
    return {match[2]: match[1] for match in found}


def write_checksums(folder: Path, sums: Mapping[str, str]) -> None:
    """Write the checksums of a dataset in one step. Raises OSError."""
    lines = [f"{sums[name]}  {name}\n" for name in sorted(sums)]
    files.write_text(folder / CHECKSUMS, "".join(lines), owned=True)


def check_number(settings: Settings) -> None:
    """Refuse a dataset of more files than the file of their checksums has room for.

    Raises:
        ValueError: says how many, and what helps.
    """
    if (number := settings.shards * len(settings.kinds())) > MOST_FILES:
        raise ValueError(
            f"{number} files, allowed: {MOST_FILES}; a larger shard_games makes fewer of them"
        )


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
