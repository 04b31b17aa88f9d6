"""tests/summary.py: what `./run test` counts."""

import subprocess
import sys
from pathlib import Path

import pytest

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


# A disk that is full leaves half a file: it was a traceback, and no figures at all.
def test_a_file_that_is_cut_is_a_failure_and_the_others_are_counted(tmp_path):
    whole = report(tmp_path / "whole.xml", a=PASSED, b=PASSED)
    cut = tmp_path / "cut.xml"
    cut.write_text(whole.read_text()[:-20])
    assert counted(whole, cut, tmp_path / "gone.xml") == ("3 passed, 1 failed", 1)
    (tmp_path / "empty.xml").touch()
    assert counted(whole, tmp_path / "empty.xml") == ("3 passed, 1 failed", 1)


@pytest.mark.parametrize("arguments", [[], ["1"], ["1", "many"], ["-1", "0"]])
def test_wrong_arguments_are_named(arguments):
    done = subprocess.run([sys.executable, SUMMARY, *arguments], capture_output=True, text=True)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "allowed: EXTRA_PASSED EXTRA_FAILED FILE..." in done.stderr
