"""Write the picture of the table that the introduction shows: python/docs/pictures/table.png.

Cards of a deal are played by the rule agent until there is something to see; then the page of the
first seat is opened in Debian's chromium. Usage: python python/docs/table_picture.py
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "python" / "docs" / "pictures" / "table.png"
SIZE = (900, 800)
RULES, SEED, DEALS = "course_002", 5, 8
CARDS_LEFT = 6
WAIT_MS = 3000  # for the page to draw the table
sys.path.insert(0, str(ROOT / "python"))

from schafkopf import _core  # noqa: E402
from schafkopf.commands.serve import NAMES  # noqa: E402
from schafkopf.serve import server  # noqa: E402
from schafkopf.serve.app import TableApp  # noqa: E402
from schafkopf.serve.live import LiveTable  # noqa: E402
from schafkopf.terminal.table import Table  # noqa: E402


def table_to_see() -> LiveTable:
    """A table at which a person is asked for a card, where some may not be played."""
    rules, agent = _core.RuleSet(RULES), _core.make_agent("rules")
    names, specs = list(NAMES[: rules.players]), [None, "rules", "rules", "rules"]
    table = Table(rules, RULES, SEED, 0, specs, names, {"rules": agent})
    live = LiveTable(table, names, deals=DEALS)
    while True:
        told, game = live.state(0), live.deal.game
        if told["refusals"] and len(game.hand(0)) <= CARDS_LEFT and game.phase == "PLAY":
            return live
        if game.is_terminal:
            live.next_deal(live.deal.number)
        else:
            live.apply(int(agent.act(game.view(game.current_player), seed=SEED, rules=rules)[0]))


def main() -> int:
    app = TableApp(table_to_see(), RULES, language="en")
    with server.serving(app) as address:
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu"]
        command += ["--hide-scrollbars", f"--window-size={SIZE[0]},{SIZE[1]}"]
        command += [f"--timeout={WAIT_MS}", f"--screenshot={PICTURE}"]
        command += [f"{address}{app.path_of(app.seats[0])}"]
        return subprocess.run(command, stderr=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
