"""Exact play with open cards, hidden hands that fit what a seat saw, and search over them."""

from schafkopf._core import ExactPosterior, Solver, WorldSampler, inferred_worlds, search_cards

__all__ = ["ExactPosterior", "Solver", "WorldSampler", "inferred_worlds", "search_cards"]
