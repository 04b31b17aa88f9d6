"""Add up JUnit files of CTest, googletest and pytest: `N passed, N failed[, N skipped]`.

Usage: python tests/summary.py EXTRA_PASSED EXTRA_FAILED FILE... Missing files are ignored (their
step has failed and is counted as EXTRA_FAILED), one that cannot be read is a failure. CTest runs
pytest as one test, and so a part of googletest's under the sanitizers: where its own file is given,
NAME.xml for the test NAME, in the folder of CTest's file or below it, what that one says is
counted. A part that failed without a failed test (broken off, leaking) counts.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def results(path: Path) -> list[tuple[str, str]]:
    """Return the name of each test of a file and whether it "passed", "failed" or was "skipped"."""
    found = []
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except ElementTree.ParseError as error:
        print(f"{path} cannot be read: {error}", file=sys.stderr)
        return [(path.name, "failed")]
    for case in cases:
        result = "passed"
        if case.find("skipped") is not None:
            result = "skipped"
        elif case.find("failure") is not None or case.find("error") is not None:
            result = "failed"
        found.append((case.get("name", ""), result))
    return found


def main() -> int:
    if len(sys.argv) < 3 or not all(number.isdecimal() for number in sys.argv[1:3]):
        print(
            f"summary: {sys.argv[1:3]}, allowed: EXTRA_PASSED EXTRA_FAILED FILE...", file=sys.stderr
        )
        return 2
    count = {"passed": int(sys.argv[1]), "failed": int(sys.argv[2]), "skipped": 0}
    files = {Path(name): results(Path(name)) for name in sys.argv[3:] if Path(name).exists()}
    failing = {path: any(result == "failed" for _, result in files[path]) for path in files}
    for path, cases in files.items():
        # of its own build: those of asan and tsan have the same names
        with_failure = {part.stem: failing[part] for part in files if path.parent in part.parents}
        for name, result in cases:
            told_in_its_file = name in with_failure and (result != "failed" or with_failure[name])
            count[result] += not told_in_its_file
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    print(f"{count['passed']} passed, {count['failed']} failed{skipped}")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
