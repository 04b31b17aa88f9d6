"""Write the picture of a replay that the introduction shows: python/docs/pictures/replay.png.

A game of the rule agent is played, its page is opened at a step in Debian's chromium, and what is
seen there is stored. Usage: python python/docs/replay_picture.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "python" / "docs" / "pictures" / "replay.png"
SEED, STEP = 5, 20
SIZE = (960, 900)
NAMES = ["Anna", "Bene", "Caro", "Dora"]
sys.path.insert(0, str(ROOT / "python"))

from schafkopf import display, pictures, records  # noqa: E402


def main() -> int:
    game, deal = display.play_out(["rules"] * 4, SEED)
    record = records.record_of(game, deal)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "replay.html"
        players = {"rules": "rules", "baseline": "net:baseline"}
        pictures.write_replay(
            page, record, players=players, solver=True, names=NAMES, language="en"
        )
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu"]
        command += ["--hide-scrollbars", f"--window-size={SIZE[0]},{SIZE[1]}"]
        command += [f"--screenshot={PICTURE}", f"{page.as_uri()}#1.{STEP}"]
        return subprocess.run(command, stderr=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
