"""The word that a mistyped one most likely meant, for error messages."""

from __future__ import annotations

from collections.abc import Iterable

from schafkopf import _core

ALIKE = 0.6  # share of the letters of both words that stand in both, in the same order


def nearest_hint(word: str, words: Iterable[str]) -> str:
    """Return "; the nearest one is ...", "" where no word is near.

    The engine lets two letters be wrong, which are all of a short word: it found "de" near "fr".
    More than half must be right, too. The dashes before an option are none of its letters.
    """
    import difflib  # needed where something is wrong alone

    known = list(words)
    bare = [one.lstrip("-") for one in known]
    alike = set(difflib.get_close_matches(word.lstrip("-"), bare, len(bare) or 1, ALIKE))
    return _core.nearest_hint(
        word, [one for one, name in zip(known, bare, strict=True) if name in alike]
    )
