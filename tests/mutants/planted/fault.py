"""What a planted fault is: one exact replacement in one file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One planted fault: `old` becomes `new` in `file`."""

    name: str
    file: str
    old: str
    new: str
