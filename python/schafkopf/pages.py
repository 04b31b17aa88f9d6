"""Web pages from templates: one file each, no scripts, nothing that is loaded from elsewhere."""

from __future__ import annotations

from functools import cache
from typing import Any

from schafkopf.report_style import STYLE


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("schafkopf", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["percent"] = lambda share, digits=1: f"{100 * share:.{digits}f}\u00a0%"
    return made


def render(template: str, **values: Any) -> str:
    """Return the page of a template with the style of the reports; values are escaped, unless they
    are markupsafe.Markup."""
    from markupsafe import Markup

    return str(_environment().get_template(template).render(style=Markup(STYLE), **values))
