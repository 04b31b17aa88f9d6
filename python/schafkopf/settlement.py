"""Prices: what a deal comes to under given rules, and who pays it (RULES G)."""

from schafkopf._core import Outcome, game_settlement, settle, settlement_steps

__all__ = ["Outcome", "game_settlement", "settle", "settlement_steps"]
