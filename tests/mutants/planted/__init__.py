"""The planted faults of run.py: a module for each chapter of RULES, then one for each way in which
the engine plays or shows many games at once."""

from __future__ import annotations

from planted import (
    auction,
    contracts,
    deals,
    device,
    doublings,
    lanes,
    play,
    prices,
    rounds,
    rows,
    secrets,
)
from planted.fault import Fault

CHAPTERS = (
    deals,
    contracts,
    rounds,
    auction,
    play,
    doublings,
    prices,
    secrets,
    lanes,
    rows,
    device,
)
FAULTS = [fault for chapter in CHAPTERS for fault in chapter.FAULTS]

__all__ = ["FAULTS", "Fault"]
