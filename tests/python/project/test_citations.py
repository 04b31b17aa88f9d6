"""Citations of the rules and of the other pages lead to a place in the repository."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))
import citations  # noqa: E402

RULES, METHODS = citations.PAGES["RULES"], citations.PAGES["METHODS"]
ANCHORS = {RULES: {"R-001", "R-002", "OPEN-01", "E", "E.3", "E.3.4"}, METHODS: {"section-2"}}


def cited(text: str) -> list[str]:
    return [citation.anchor for citation in citations.citations_in(text)]


def test_every_citation_in_the_repository_leads_somewhere() -> None:
    assert citations.faults() == []


def test_a_tree_without_git_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for name in ("env/a.h", "build/b.h", ".venv/c.py", "run"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("")
    assert sorted(citations._listed(tmp_path)) == ["env/a.h", "run"]
    assert set(citations._files()) <= set(citations._listed(ROOT))


# Sources that were unpacked in a folder that another repository ignores: git lists none of them.
def test_a_tree_that_another_repository_ignores_is_read(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".gitignore").write_text("unpacked/\n")
    file = tmp_path / "unpacked" / RULES
    file.parent.mkdir(parents=True)
    file.write_text("")
    assert citations._listed(tmp_path / "unpacked") == [RULES]


def test_files_whose_names_git_would_quote_are_read(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for name in (RULES, "Überblick.md", 'a "b".md'):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert set(citations._listed(tmp_path)) == {RULES, "Überblick.md", 'a "b".md'}


def test_an_option_is_refused() -> None:
    program = [sys.executable, ROOT / "tests" / "citations.py"]
    done = subprocess.run([*program, "--chek"], capture_output=True, text=True)
    assert done.returncode == 2 and "arguments: --chek" in done.stderr


def test_the_repository_is_read_at_all() -> None:
    names = citations._files()
    for name in (
        "env/cards/play.h",
        "agents/search/pimc.h",
        "configs/rules/README.md",
        "README.md",
        "run",
    ):
        assert name in names
    found = {
        citation.page
        for name in ("env/cards/play.h", "agents/worlds/worlds.h", "agents/exploit/endgames.h")
        for citation in citations.citations_in((ROOT / name).read_text(encoding="utf-8"))
    }
    assert found == set(citations.PAGES.values())


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("the ace is searched, R-115", ["R-115"]),
        ("(R-018..R-021)", ["R-018", "R-019", "R-020", "R-021"]),
        ("(RULES E.3; OPEN-53..56).", ["OPEN-53", "OPEN-54", "OPEN-55", "OPEN-56", "E.3"]),
        ("RULES I-01..I-03 and L-17", ["I-01", "I-02", "I-03", "L-17"]),
        ("(C.20.8; B.3.3) and G.7-G.9.", ["C.20.8", "B.3.3", "G.7", "G.9"]),
        ("// the rules (RULES\n// D.3, G), chapter M", ["D.3", "G", "M"]),
        ("RULES C-G as a whole", ["C", "G"]),
        ("METHODS sections 6 and 8", ["section-6", "section-8"]),
        ("(METHODS 6; PERFORMANCE rows 19 and 20)", ["section-6", "row-19", "row-20"]),
        ("(DESIGN\n/// section 3: endgames)", ["section-3"]),
        ("TEST(Session, K_258_R_011_the_dealer_moves)", ["K-258"]),
        ('source = "000 A1 3.2; 003 (1); 004 4"', []),
        ("R-1 is part of a text, x.A.1 a member, RULES = [1], J = 2", []),
    ],
)
def test_citation_forms(text: str, anchors: list[str]) -> None:
    assert cited(text) == anchors


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("R-003", "R-003: env/RULES.md has no such anchor"),
        ("R-001..R-003", "R-003: env/RULES.md has no such anchor"),
        ("OPEN-78", "OPEN-78: env/RULES.md has no such anchor"),
        ("(E.3.8)", "E.3.8: env/RULES.md has no such anchor"),
        ("(RULES F)", "F: env/RULES.md has no such anchor"),
        ("METHODS section 12", "section-12: agents/METHODS.md has no such anchor"),
        ("DESIGN section 3", "section-3 of env/DESIGN.md: there is no such page"),
        ("STYLE section 5", "section-5 of STYLE.md: there is no such page"),
    ],
)
def test_citation_that_leads_nowhere_is_a_fault(text: str, complaint: str) -> None:
    assert citations.dangling(f"first line\n// R-001, E.3\n// {text}\n", ANCHORS) == [
        (3, complaint)
    ]


def test_link_to_a_missing_anchor_is_a_fault() -> None:
    pages = {"env/RULES.md": ["R-001"], "README.md": []}
    text = "[a](env/RULES.md#R-001)\n[b](env/RULES.md#R-191) [c](#here) [d](https://x.org/y#z)\n"
    found = citations.dangling_links(text, "README.md", pages.get)
    assert found == [
        (2, "link to env/RULES.md#R-191: there is no such anchor"),
        (2, "link to #here: there is no such anchor"),
    ]
    outside = "[e](../elsewhere/x.md#y)"  # was a traceback
    assert citations.dangling_links(outside, "README.md", pages.get) == [
        (1, "link to ../elsewhere/x.md#y: there is no such anchor")
    ]


def rules_page(*anchors: str) -> str:
    lines = [f'<a id="{anchor}"></a>' for anchor in anchors]
    return "It is so (OPEN-01).\n" + "\n".join(lines)


def test_rows_and_open_points_stand_on_the_page_once() -> None:
    good = rules_page("L.2", "OPEN-01", "R-001", "R-002")
    assert citations.rule_page_faults(good, rows=2, points=1) == []
    for anchors, fault in (
        (("L.2", "OPEN-01", "R-001"), "R-002: stands there 0 times"),
        (("L.2", "OPEN-01", "R-001", "R-002", "R-002"), "R-002: stands there 2 times"),
        (("L.2", "R-001", "R-002"), "OPEN-01: stands there 0 times"),
        (
            ("L.2", "OPEN-01", "R-001", "R-002", "R-003"),
            "R-003: is not one of 2 rows or 1 points",
        ),
        (("L.2", "L.2", "OPEN-01", "R-001", "R-002"), "L.2: anchor stands there twice"),
    ):
        assert citations.rule_page_faults(rules_page(*anchors), rows=2, points=1) == [fault]


def test_open_point_that_no_chapter_names_is_a_fault() -> None:
    page = rules_page("L.2", "OPEN-01").removeprefix("It is so (OPEN-01).")
    assert citations.rule_page_faults(page, rows=0, points=1) == ["OPEN-01: no chapter names it"]
