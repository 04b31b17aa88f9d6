"""Deals of which something special is asked."""

import random

from schafkopf import _core


def doubled(rules):
    """A deal in which everybody doubles who may."""
    rules = _core.RuleSet("course_002", **rules)
    for seed in range(40):
        game = _core.Session(rules, seed=seed).next_game()
        rng = random.Random(seed)
        while not game.is_terminal:
            names = [name for name in game.legal_names() if not name.endswith("_REST")]
            game.apply("DOUBLE" if "DOUBLE" in names else rng.choice(names))
        if [event["action"] for event in game.events].count("DOUBLE") >= 3:
            return game
    raise AssertionError("nobody doubles")
