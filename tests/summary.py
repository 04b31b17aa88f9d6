"""Add up JUnit files of CTest and pytest: `N passed, N failed[, N skipped]`.

Usage: python tests/summary.py EXTRA_PASSED EXTRA_FAILED FILE... Missing files are ignored (their
step has failed and is counted as EXTRA_FAILED). CTest runs pytest as one test, which is not counted
where pytest's own file is given.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def count(path: Path, without: set[str]) -> tuple[int, int, int]:
    """Return (passed, failed, skipped) of one file, leaving out the tests named in `without`."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).iter("testcase"):
        if case.get("name") in without:
            continue
        if case.find("skipped") is not None:
            skipped += 1
        elif case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        else:
            passed += 1
    return passed, failed, skipped


def main() -> int:
    passed, failed, skipped = int(sys.argv[1]), int(sys.argv[2]), 0
    files = [Path(name) for name in sys.argv[3:] if Path(name).exists()]
    without = {"pytest"} if any(path.name == "pytest.xml" for path in files) else set()
    for path in files:
        one = count(path, without)
        passed, failed, skipped = passed + one[0], failed + one[1], skipped + one[2]
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
