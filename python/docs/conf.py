"""Settings of the site; `./run docs` builds it (build.py makes the folder that Sphinx reads)."""

from __future__ import annotations

import builtins
import collections.abc
import re
import sys
import typing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))

from api_pages import Package  # noqa: E402

_VERSION = re.search(r"project\(schafkopf VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())

project = "Schafkopf"
author = "the authors of Schafkopf"
version = release = _VERSION[1] if _VERSION else ""
extensions = ["myst_parser"]
root_doc = "index"
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline", "colon_fence"]
# Anchors are plain HTML (<a id=...>), which MyST does not know; site_links.py checks every link and
# anchor of the finished pages instead, and fails on one that leads nowhere.
suppress_warnings = ["myst.xref_missing", "myst.header"]
default_role = "code"
highlight_language = "none"
add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88

nitpicky = True
# Names of Python, of other projects and of types that are only written for checkers have no page
# here; a name of schafkopf that leads nowhere is an error.
_FOREIGN = Package(ROOT / "python" / "schafkopf").foreign_names()
_PLAIN = {*dir(builtins), *typing.__all__, *collections.abc.__all__, *_FOREIGN}
nitpick_ignore_regex = [
    (
        r"py:.*",
        rf"(?!schafkopf\b)(\w+\.)*({'|'.join(map(re.escape, sorted(_PLAIN)))}|_\w+)(\.\w+)*",
    ),
]

html_theme = "furo"
html_title = f"Schafkopf {version}"
html_copy_source = False
html_show_sourcelink = False
