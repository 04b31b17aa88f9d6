"""Who may read and write a file."""

from __future__ import annotations

import os
from pathlib import Path

OWNER_ONLY = 0o600  # rights of a file


def rights_of(path: str | Path, of_a_new_one: int | None = None) -> int:
    """Return the rights of a file, or those that a new one gets (None: as any other), as one does
    that replaces a link or a pipe."""
    if os.path.isfile(path) and not os.path.islink(path):
        return os.stat(path).st_mode & 0o777
    if of_a_new_one is not None:
        return of_a_new_one
    return 0o666 & ~_umask()


def group_of(path: str | Path) -> int:
    """Return the group of a file, -1 where there is none or one that is replaced as rights_of."""
    return os.stat(path).st_gid if os.path.isfile(path) and not os.path.islink(path) else -1


def _umask() -> int:
    """Return the mask of rights. To ask the system for it is to change it for a moment, in which
    other threads make files; /proc tells it as well."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(status.split("\nUmask:", 1)[1].split()[0], 8)
    except (OSError, IndexError, ValueError):
        mask = os.umask(0)
        os.umask(mask)
        return mask
