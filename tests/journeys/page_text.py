"""What a person reads on a page: its text, a line per paragraph, item or row of a table; pictures by name."""

from __future__ import annotations

import re
from html.parser import HTMLParser

LINES = {"p", "h1", "h2", "h3", "h4", "tr", "li", "div", "section", "table", "dt", "dd", "pre", "figcaption", "header"}
CELLS = {"td", "th"}
UNSEEN = {"style", "script", "head", "svg"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.unseen = 0
        self.as_is = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unseen += tag in UNSEEN
        self.as_is += tag == "pre"
        if tag in LINES or tag == "br":
            self.parts.append("\n")
        if tag in ("svg", "img") and self.unseen <= 1:
            known = dict(attrs)
            self.parts.append(f"\n[picture: {known.get('aria-label') or known.get('alt') or ''}]\n")

    def handle_endtag(self, tag: str) -> None:
        self.unseen -= tag in UNSEEN
        self.as_is -= tag == "pre"
        self.parts.append("\n" if tag in LINES else " | " if tag in CELLS else "")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.parts.append(data if self.as_is else re.sub(r"\s+", " ", data))


def page_text(page: str) -> str:
    """The text of a page.

    >>> page_text("<h1>A <b>title</b></h1><table><tr><td>1</td><td>2</td></tr></table><style>p {}</style>")
    'A title\\n1 | 2'
    """
    reader = _Reader()
    reader.feed(page)
    lines = (line.rstrip().removesuffix(" |").rstrip() for line in "".join(reader.parts).split("\n"))
    return "\n".join(line for line in lines if line.strip(" |"))
