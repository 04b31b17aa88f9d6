"""The pages of the table: one that plays, and one that says why not."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from typing import Any

from schafkopf.pictures import cards
from schafkopf.pictures.replay import script_json, vocabulary
from schafkopf.pictures.style import REPLAY_STYLE
from schafkopf.pictures.style import asset as shared_asset
from schafkopf.serve.words import WORDS
from schafkopf.terminal.table import NAME_LENGTH

SCRIPTS = ("told.js", "panels.js", "table.js")  # in this order, after talk.js


def table_page(
    nonce: str, language: str, title: str, links: list[dict[str, Any]], is_local: bool
) -> str:
    """Return the page of a seat.

    Args:
        nonce: that its policy names; nothing else runs.
        links: to the other seats, where the page may show them.
        is_local: whether only this machine can open them.
    """
    from markupsafe import Markup

    data = {
        "page": VERSION,
        "language": language,
        "rules": title,
        "links": links,
        "is_local": is_local,
        "name_length": NAME_LENGTH,
        **vocabulary(WORDS),
    }
    return str(
        _template("table.html.j2").render(
            language=language,
            title=WORDS[language]["title"],
            nonce=nonce,
            style=Markup(REPLAY_STYLE + _asset("table.css")),
            symbols=Markup(cards.symbols(frozenset([*cards.CARDS, cards.BACK]))),
            data=Markup(script_json(data)),
            script=Markup(_script()),
        )
    )


def refusal_page(text: list[str]) -> str:
    """Return a page with a sentence in German and English."""
    return str(_template("refusal.html.j2").render(german=text[0], english=text[1]))


@cache
def _asset(name: str) -> str:
    return (resources.files("schafkopf.serve") / "assets" / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    return shared_asset("talk.js") + "".join(map(_asset, SCRIPTS))


@cache
def _template(name: str) -> Any:
    from jinja2 import Environment

    return Environment(autoescape=True).from_string(_asset(name))


# Of what page and server say to each other: an open page with the script of an earlier package, at
# a table that is opened again, must be loaded anew.
VERSION = hashlib.sha256(_script().encode()).hexdigest()[:16]
