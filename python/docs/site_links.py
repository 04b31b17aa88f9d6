"""Check a finished site: every link inside it leads to a page and an anchor that exist once, none
has another one inside, which would be all of it in a browser, nothing is fetched from elsewhere.

Usage: python site_links.py FOLDER. Prints a line per fault; exits with 1 if there is one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Tags that make a browser fetch something as soon as the page is shown.
FETCHES = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
NOT_FETCHED = {"canonical", "search", "index", "next", "prev", "author", "copyright", "license"}


class Page(HTMLParser):
    """What a page links to, fetches and can be linked at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[int, str]] = []
        self.fetched: list[tuple[int, str]] = []
        self.unresolved: list[int] = []
        self.anchors: set[str] = set()
        self.doubled: list[tuple[int, str]] = []
        self.nested: list[int] = []
        self.open_links = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        line = self.getpos()[0]
        if found.get("id") in self.anchors:
            self.doubled.append((line, found["id"]))
        self.anchors |= {found[key] for key in ("id", "name") if key in found}
        if tag == "a":
            if self.open_links:
                self.nested.append(line)
            self.open_links += 1
            if "href" in found:
                self.links.append((line, found["href"]))
        place = found.get(FETCHES.get(tag, ""), "")
        if place and not set(found.get("rel", "").split()) & NOT_FETCHED:
            self.fetched.append((line, place))
        # What Markdown writes as a link and Sphinx could not resolve is text without a link.
        classes = found.get("class", "").split()
        if tag == "span" and {"xref", "myst"} <= set(classes) and not self.open_links:
            self.unresolved.append(line)

    def handle_endtag(self, tag: str) -> None:
        self.open_links -= tag == "a"


def faults(folder: Path) -> Iterator[str]:
    """Yield "page:line: what is wrong" for each fault of a site."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    for path, page in sorted(pages.items()):
        name = path.relative_to(folder)
        yield from (f"{name}:{line}: a link leads nowhere" for line in page.unresolved)
        yield from (f"{name}:{line}: a link inside of a link" for line in page.nested)
        for line, anchor in page.doubled:
            yield f"{name}:{line}: {anchor}: an anchor that is there twice"
        for line, target in page.fetched + page.links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if (line, target) in page.fetched and parts.scheme != "data":
                    yield f"{name}:{line}: {target} is fetched from elsewhere"
                continue
            place = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not place.is_file():
                yield f"{name}:{line}: {target}: no such file"
                continue
            anchors = pages[place].anchors if place in pages else set()
            if parts.fragment and place in pages and unquote(parts.fragment) not in anchors:
                yield f"{name}:{line}: {target}: no such anchor"


def main(arguments: list[str]) -> int:
    found = list(faults(Path(arguments[0]).resolve()))
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
