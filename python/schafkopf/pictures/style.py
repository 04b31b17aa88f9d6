"""Style of the pictures: the colours of the reports, and those of cards and table."""

from __future__ import annotations

from functools import cache
from importlib import resources

from schafkopf.report_style import DARK_COLOURS, LIGHT_COLOURS, STYLE, scheme

# The cloth of the table, what is written on it, and the mark of the card that wins a trick.
LIGHT = "--felt: #1f5c46; --chalk: #f4f8f3; --wins: #ffd257;"
DARK = "--felt: #17392d; --chalk: #e6efe8; --wins: #e9b93a; --sk-paper: #f1ecdf;"


@cache
def asset(name: str) -> str:
    """Return the text of a file of this package."""
    return (resources.files("schafkopf.pictures") / "assets" / name).read_text(encoding="utf-8")


REPLAY_STYLE = STYLE + scheme(LIGHT, DARK) + asset("replay.css")

# In a notebook the theme of Jupyter or VS Code decides; elsewhere the setting of the system.
_IN = ".sk-shown"
SHOWN_STYLE = (
    f"{_IN} {{{LIGHT_COLOURS}}}\n"
    f"@media (prefers-color-scheme: dark) {{ {_IN} {{{DARK_COLOURS}{DARK}}} }}\n"
    f'[data-jp-theme-light="true"] {_IN}, .vscode-light {_IN} '
    f"{{{LIGHT_COLOURS}--sk-paper: #fffdf6;}}\n"
    f'[data-jp-theme-light="false"] {_IN}, .vscode-dark {_IN} {{{DARK_COLOURS}{DARK}}}\n'
    f"{asset('shown.css')}"
)
