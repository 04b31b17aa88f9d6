"""The committed table of rule rows is the one that the names of the tests give."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))
import rule_rows  # noqa: E402

ROWS = ["R-001", "R-002", "R-003"]


def test_every_row_has_a_test_or_a_reason_and_the_table_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "tests/rule_rows.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_row_without_test_and_without_reason_is_a_fault() -> None:
    assert rule_rows.faults(ROWS, ["R-001"], ["R-002"], []) == [
        "R-003: no test is named after this row"
    ]


def test_waiting_rows_can_only_become_fewer() -> None:
    assert not rule_rows.faults(ROWS, ["R-001"], ["R-002"], ["R-003"])
    assert rule_rows.faults(ROWS, ["R-001", "R-003"], ["R-002"], ["R-003"]) == [
        "R-003: waits for a test, but has one"
    ]


def test_unknown_row_in_the_name_of_a_test_is_a_fault() -> None:
    assert rule_rows.faults(ROWS, [*ROWS, "R-191"], [], []) == ["R-191: there is no such row"]


def test_names_of_tests_give_their_rows() -> None:
    text = "TEST(Play, R_087_R_088_in_turn) {}\nTEST_P(Deals, MR_004_no_row) {}\n"
    assert rule_rows.tests_in(text, python=False) == [
        ("Play.R_087_R_088_in_turn", ["R-087", "R-088"]),
        ("Deals.MR_004_no_row", []),
    ]
    text = "def test_r_186_agreements():\n    assert 'def test_R_001_in_a_string()'\n"
    assert rule_rows.tests_in(text, python=True) == [("test_r_186_agreements", ["R-186"])]


def test_a_test_that_is_switched_off_proves_no_row() -> None:
    text = "TEST(Play, DISABLED_R_087_in_turn) {}\nTEST(DISABLED_Play, R_088_at_once) {}\n"
    assert [rows for _, rows in rule_rows.tests_in(text, python=False)] == [[], []]


def test_tests_of_python_are_found_in_the_folders_of_their_subjects() -> None:
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in (ROOT / "tests" / "python").rglob("test_*.py")
        if path != Path(__file__)
    }
    named = {
        title
        for text in texts.values()
        for title, rows in rule_rows.tests_in(text, python=True)
        if rows
    }
    found = {title for titles in rule_rows.tests_by_row().values() for title in titles}
    assert named and named <= found


def test_rows_are_read_from_the_page_of_the_rules() -> None:
    line = '| <a id="R-002"></a>R-002 | what holds | all |  | [A.3](#A.3) | 000 1.2.1; 003 |'
    assert rule_rows.rows_in(f"# Rows\n\n{line}\n") == [
        {
            "id": "R-002",
            "rule": "what holds",
            "contracts": "all",
            "switches": "",
            "chapter": "[A.3](#A.3)",
            "source": "000 1.2.1; 003",
        }
    ]
    for wrong in (line.replace(" | all", ""), line.replace("</a>R-002", "</a>R-003")):
        with pytest.raises(ValueError, match="R-002: a row has its number"):
            rule_rows.rows_in(wrong)
