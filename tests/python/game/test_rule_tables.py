"""Tables of the rules as Python asks for them: runs of Laufende that pay."""

from __future__ import annotations

import pytest

from schafkopf import Contract, _core


def test_g_4_no_laufende_are_a_run_of_none_and_more_than_all_cards_are_refused() -> None:
    solo = Contract("SOLO", 0, "H")
    assert _core.payable_run(solo, 0) == 0
    assert _core.payable_run(solo, 3) == 3
    for run in (-1, 33):
        with pytest.raises(ValueError, match=r"0\.\.32"):
            _core.payable_run(solo, run)
