"""Keywords that a function has in Python are those of the engine's table, documented from it."""

import importlib.util
import inspect
from pathlib import Path

import pytest

import schafkopf
from schafkopf import _core

ROOT = Path(__file__).resolve().parents[3]
SPEC = importlib.util.spec_from_file_location("keyword_docs", ROOT / "tests" / "keyword_docs.py")
keyword_docs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(keyword_docs)


def test_docstrings_are_up_to_date():
    assert keyword_docs.main(["--check"]) == 0, "python tests/keyword_docs.py writes them"


def test_a_changed_meaning_changes_the_docstring():
    text = 'def f():\n    """Do.\n\n    Args:\n        agent: who.\n        seed: old\n\n    """\n'
    row = {"key": "seed", "meaning": "new", "allowed": "integer 0..3", "default": 1}
    changed = keyword_docs.written(text, "def f(", [row])
    assert changed == text.replace("seed: old", "seed: new [integer 0..3] (default: 1)")


@pytest.mark.parametrize(
    "function",
    [
        schafkopf.exploit,
        schafkopf.exploitation.local_best_response,
        schafkopf.bidding.calibration,
    ],
)
def test_the_defaults_of_a_signature_are_those_of_the_table(function):
    parameters = inspect.signature(function).parameters
    table = {row["key"]: row["default"] for row in _core.fields(function.__name__)}
    given = {"agent", "opponent", "rules", "progress"}  # objects, besides the table
    assert {key: p.default for key, p in parameters.items() if key not in given} == table


def test_an_outcome_documents_every_keyword():
    for row in _core.outcome_fields():
        assert f"{row['meaning']} [{row['allowed']}]" in _core.Outcome.__doc__


def test_a_table_of_fields_is_named():
    with pytest.raises(ValueError, match="unknown table of fields"):
        _core.fields("tournaments")


@pytest.mark.parametrize("table", ["tournament", "exploit", "local_best_response", "calibration"])
@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_out_of_range_name_the_range(table, seed):
    with pytest.raises(ValueError, match=f"^seed = {seed}, allowed: integer 0..{2**64 - 1}$"):
        _core.read_field(table, "seed", str(seed))
    assert _core.read_field(table, "seed", str(2**64 - 1)) == 2**64 - 1
