"""Exact play with open cards, hidden hands that fit what a seat saw, and search over them.

Values of search_cards are payoffs in tariff units but for one contract: in a Ramsch, where all play
against each other, they are minus the card points that the seat comes to, of which only 11, 21, 31,
46, 61 and 91 are asked beyond those it has; with ramsch_shift minus those of its right neighbour,
whose tricks it is handed.
"""

from schafkopf._core import ExactPosterior, Solver, WorldSampler, inferred_worlds, search_cards

__all__ = ["ExactPosterior", "Solver", "WorldSampler", "inferred_worlds", "search_cards"]
