"""What the metadata of the package tell an index and an installer, beside what the pages tell."""

import re
import sys
from pathlib import Path

import pytest

tomllib = pytest.importorskip("tomllib")  # of Python 3.11

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))

import wheels  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LANGUAGE = "Programming Language :: Python :: "


def test_classifiers_name_the_versions_of_python_that_wheels_were_tried_with():
    versions = [
        one.removeprefix(LANGUAGE) for one in PROJECT["classifiers"] if one.startswith(LANGUAGE)
    ]
    numbered = [one for one in versions if re.fullmatch(r"3\.\d+", one)]
    page = (ROOT / "python" / "docs" / "packages.md").read_text(encoding="utf-8")
    untried = re.findall(r"^Python (3\.\d+) was not tried", page, re.MULTILINE)
    assert numbered == [one for one in wheels.VERSIONS if one not in untried]
    assert PROJECT["requires-python"] == f">={numbered[0]}"


def test_classifiers_say_where_it_runs_and_that_it_has_types():
    assert {"Operating System :: POSIX :: Linux", "Typing :: Typed"} <= set(PROJECT["classifiers"])
    assert not [one for one in PROJECT["classifiers"] if one.startswith("License ::")]  # PEP 639
    assert (ROOT / "python" / "schafkopf" / "py.typed").exists()


def test_authors_and_keywords_are_those_of_the_citation():
    citation = (ROOT / "python" / "CITATION.cff").read_text(encoding="utf-8")
    authors = re.findall(r"^  - name: (.*)$", citation, re.MULTILINE)
    keywords = citation[citation.index("keywords:") :].split("\n  - ")[1:]
    assert PROJECT["authors"] == [{"name": name} for name in authors]
    assert PROJECT["keywords"] == [word.strip() for word in keywords]
