"""tests/summary.py: what `./run test` counts."""

import subprocess
import sys
from pathlib import Path

SUMMARY = Path(__file__).resolve().parents[2] / "summary.py"
PASSED, FAILED, SKIPPED = "", "<failure/>", "<skipped/>"


def report(path, **tests):
    cases = "".join(
        f'<testcase name="{name}">{inside}</testcase>' for name, inside in tests.items()
    )
    path.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    return path


def counted(*files):
    command = [sys.executable, SUMMARY, "1", "0", *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.stdout.strip(), done.returncode


def test_the_tests_of_a_part_are_counted_and_not_the_part(tmp_path):
    ctest = report(tmp_path / "ctest.xml", part_0=PASSED, part_1=FAILED, alone=PASSED)
    parts = [
        report(tmp_path / "part_0.xml", a=PASSED, b=SKIPPED),
        report(tmp_path / "part_1.xml", c=PASSED, d=FAILED),
    ]
    assert counted(ctest, *parts) == ("4 passed, 1 failed, 1 skipped", 1)


def test_a_part_that_broke_off_or_leaked_is_a_failure(tmp_path):
    ctest = report(tmp_path / "ctest.xml", broke_off=FAILED, leaked=FAILED)
    leaked = report(tmp_path / "leaked.xml", a=PASSED)
    assert counted(ctest, leaked, tmp_path / "broke_off.xml") == ("2 passed, 2 failed", 1)


def test_parts_of_the_same_name_belong_to_the_build_whose_folder_they_lie_in(tmp_path):
    files = []
    for build, part in (("asan", FAILED), ("tsan", PASSED)):
        (tmp_path / build / "gtest").mkdir(parents=True)
        files.append(report(tmp_path / build / "ctest.xml", part_0=part))
        files.append(report(tmp_path / build / "gtest" / "part_0.xml", a=part))
    assert counted(*files) == ("2 passed, 1 failed", 1)
    report(tmp_path / "asan" / "gtest" / "part_0.xml", a=PASSED)  # leaking, and
    report(tmp_path / "tsan" / "ctest.xml", part_0=FAILED)  # another one with a failed test
    report(tmp_path / "tsan" / "gtest" / "part_0.xml", a=FAILED)
    assert counted(*files) == ("2 passed, 2 failed", 1)
