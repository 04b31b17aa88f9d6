"""Texts that name nothing, from Python: shown in part, with every byte, by the argument's name."""

import pytest
from support.refusals import refused

import schafkopf
from schafkopf import _core as core


@pytest.mark.parametrize(
    "call",
    [
        lambda text: schafkopf.Contract(text),
        lambda text: schafkopf.cards.legal([text], [], "RUF"),
        lambda text: schafkopf.cards.legal(["EO"], [], "SOLO", text),
        lambda text: schafkopf.cards.legal(["EO"], [], {"class": "RUF", text: 1}),
        lambda text: schafkopf.games.DealContext(special_round=text),
        lambda text: schafkopf.Game(seed=1).apply(text),
        lambda text: schafkopf.Game(seed=1).infract(0, text),
        lambda text: schafkopf.Session().start_special_round(text),
        lambda text: schafkopf.VectorEnv(2, **{text: 1}),
    ],
)
def test_a_text_that_names_nothing_is_shown_in_part_and_with_its_zero_bytes(call):
    for text, shown in (("a\0b", r"a\x00b"), ("x" * 5000, "xxx")):
        with pytest.raises((ValueError, TypeError)) as caught:
            call(text)
        assert shown in str(caught.value) and len(str(caught.value)) < 4000
        assert "allowed" in str(caught.value) or "is no card" in str(caught.value)


def test_texts_that_utf8_cannot_write_are_named_by_their_argument():
    view = schafkopf.Game(seed=1).view(0)
    for name in ("dtype", "cards"):
        refused(f"{name}: a text that UTF-8", lambda n=name: core.encode([view], **{n: "\udc80"}))
    refused("dtype = 8, allowed: float32, uint8, packed", lambda: core.encode([view], dtype=8))
    refused("mode: a text that", lambda: schafkopf.Session().start_special_round("\udc80"))
