"""The committed table of rule rows is the one that the names of the tests give."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_table_of_rule_rows_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "tests/rule_rows.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
