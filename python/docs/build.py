"""`./run docs`: build the site, warnings are errors, and check every link of it.

The pages of the repository stay where they are. They are put at the same places of a folder that
Sphinx reads, those of python/docs/ at its top, with what pages.py and api_pages.py write; so links
between them work in the repository and in the site.

Usage: python python/docs/build.py [FOLDER]  (default: build/docs; the site is FOLDER/html)
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ROOMS = ("env", "agents", "bindings", "training", "configs", "tests", "python")
sys.path[:0] = [str(HERE), str(ROOT / "python")]

import api_pages  # noqa: E402
import site_links  # noqa: E402


def sources() -> list[Path]:
    """Return the Markdown pages of the repository, without those of python/docs."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    for room in ROOMS:
        pages += sorted((ROOT / room).rglob("*.md"))
    return [page for page in pages if HERE not in page.parents]


def place(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


HEADING = re.compile(r'^(#+ )((?:<a id="[^"]+"></a>)+)(.*)$', re.MULTILINE)


def with_plain_headings(text: str) -> str:
    """Return a page with the anchors of its headings before them: a table of contents would repeat
    them, inside of its links. One that the heading has by its words is left out."""

    def plain(heading: re.Match[str]) -> str:
        by_words = re.sub(r"[^\w -]", "", heading[3].lower()).replace(" ", "-")
        anchors = heading[2].replace(f'<a id="{by_words}"></a>', "")
        return f"{anchors}\n\n{heading[1]}{heading[3]}".lstrip("\n")

    return HEADING.sub(plain, text)


def gather(folder: Path) -> None:
    """Write all pages of the site into a folder."""
    import pages

    for path in sources():
        text = re.sub(r"(\]\([./]*)python/docs/", r"\1", path.read_text(encoding="utf-8"))
        place(folder, path.relative_to(ROOT).as_posix(), with_plain_headings(text))
    for path in sorted(HERE.glob("*.md")):  # which stand at the top of the site
        text = re.sub(r"\]\(\.\./\.\./", "](", path.read_text(encoding="utf-8"))
        place(folder, path.name, with_plain_headings(text))
    shutil.copytree(HERE / "pictures", folder / "pictures", dirs_exist_ok=True)
    for name, written in pages.PAGES.items():
        place(folder, name, written())
    package = api_pages.Package(ROOT / "python" / "schafkopf")
    for module in package.public_modules():
        place(folder, f"api/{module}.rst", package.page(module))
    list_other_pages(folder)


def list_other_pages(folder: Path) -> None:
    """Add the pages that the index does not name to its last table, so that none is unreachable."""
    index = (folder / "index.md").read_text(encoding="utf-8")
    pages = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.md"))]
    names = {line.removesuffix(".md") for line in index.splitlines()} | {"index"}
    others = [page for page in pages if page.removesuffix(".md") not in names]
    end = index.rstrip().removesuffix("```")
    place(folder, "index.md", "\n".join([end.rstrip(), *others, "```", ""]))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "folder", nargs="?", type=Path, default=ROOT / "build" / "docs", metavar="FOLDER",
        help="the site is FOLDER/html (default: build/docs)",
    )  # fmt: skip
    folder = parser.parse_args(arguments).folder.resolve()
    shutil.rmtree(folder / "source", ignore_errors=True)
    shutil.rmtree(folder / "html", ignore_errors=True)
    gather(folder / "source")
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-n", "-q", "-E"]
    command += ["-c", str(HERE), "-d", str(folder / "doctrees")]
    command += [str(folder / "source"), str(folder / "html")]
    done = subprocess.run(command, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}).returncode
    if done:
        return done
    found = site_links.main([str(folder / "html")])
    if not found:
        print(f"the site: {folder / 'html' / 'index.html'}")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
