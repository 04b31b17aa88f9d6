"""Write the picture of the table that the introduction shows: python/docs/pictures/table.png.

A table is served, cards are played in Debian's chromium until there is something to see, and the
page is stored. Usage: python python/docs/table_picture.py; needs what the browser tests need.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "python" / "docs" / "pictures" / "table.png"
SIZE = (900, 800)
TABLE = {"rules": "course_002", "people": (0,), "seed": 5, "deals": 8}
CARDS_LEFT = 6
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "python")]

import page_checks  # noqa: E402
import test_serve_browser as table_tests  # noqa: E402


def main() -> int:
    with (
        contextlib.contextmanager(page_checks.chromium)() as browser,
        table_tests.served(table_tests.live_table(**TABLE), language="en") as (app, port),
    ):
        address = f"http://127.0.0.1:{port}{app.path_of(app.seats[0])}"
        page_checks.open_page(browser, address, SIZE[0], height=SIZE[1])
        found = table_tests.asked(browser)
        while len(found["hand"]) > CARDS_LEFT or not found["barred"]:
            table_tests.choose(browser, found)
            found = table_tests.asked(browser)
        browser.save_screenshot(str(PICTURE))
    return 0


if __name__ == "__main__":
    sys.exit(main())
