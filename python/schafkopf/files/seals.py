"""A last line by which damage to a configuration is seen."""

from __future__ import annotations

import zlib
from pathlib import Path

SEAL = "# checksum of the lines above (CRC-32): "


def sealed(text: str) -> str:
    """Return a configuration with a last line by which damage to it is seen."""
    return f"{text}{SEAL}{zlib.crc32(text.encode()):08x}\n"


def check_seal(path: str | Path, text: str) -> None:
    """Refuse a configuration that is not as sealed() made it: cut off, or with another value.

    Raises:
        ValueError: names the file and what is wrong.
    """
    above, mark, _ = text.rpartition(SEAL)
    if text == sealed(above):
        return
    wrong = "its checksum is another one" if mark else "its last line, the checksum, is missing"
    raise ValueError(
        f"{path}: {wrong}, allowed: the file that was written; --set key=value changes a setting"
    )
