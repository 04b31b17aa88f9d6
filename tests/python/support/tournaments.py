"""Small tournaments, and who plays them."""

from pathlib import Path

import numpy as np

import schafkopf

CONFIGS = Path(__file__).resolve().parents[3] / "configs" / "tournament"
SMALL = """
agents = ["rules", "random"]
formats = ["1v3", "2v2"]
blocks = 40
"""


class Lowest:
    """Plays the lowest legal action and expects nothing."""

    name = "lowest"

    def act(self, views):
        return schafkopf.legal_mask(views).argmax(axis=1)

    def policy(self, views):
        mask = schafkopf.legal_mask(views)
        best = np.zeros(mask.shape, np.float32)
        best[np.arange(len(best)), mask.argmax(axis=1)] = 1.0
        return best, np.zeros(len(best), np.float32)


def written(tmp_path, text=SMALL):
    file = tmp_path / "small.toml"
    file.write_text(text)
    return file
