"""Write the picture of a learning curve that the introduction shows: pictures/learning_curve.png.

The run is the first stage of the shipped network (agents/BASELINE.md); pictures/first_stage.jsonl
has every twentieth line of its metrics.jsonl and those with a measured strength, without the keys
that are not drawn. Usage: python python/docs/curve_picture.py
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "python" / "docs" / "pictures"
METRICS, PICTURE = PICTURES / "first_stage.jsonl", PICTURES / "learning_curve.png"
TITLE = "first stage of the shipped network: card play, 300 M decisions, 84 minutes of one core"
COLOURS = 64  # in the picture: a quarter of the bytes, and nothing lost
sys.path.insert(0, str(ROOT / "python"))

from schafkopf import plots  # noqa: E402


def main() -> int:
    from PIL import Image  # of matplotlib

    image = io.BytesIO()
    plots.learning_curve(plots.read_metrics(METRICS), TITLE).savefig(image, format="png", dpi=96)
    Image.open(image).convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
