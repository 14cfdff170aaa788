"""A walk through the program, step by step, and what a steward reads on the way, kept as golden text.

``pytest tests/journeys --rewrite-golden`` writes the texts again; whoever does that reads the difference (``git diff
tests/journeys/golden``) as a steward who has to sign the release would. Nothing is left out of them but what differs
from day to day and from machine to machine: dates, versions and checksums.

What a person reads on a page: its text, a line per paragraph, item or row of a table; pictures by name.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pellucid.cli.program import main

GOLDEN = Path(__file__).parent / "golden"
CHANGING = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "<checksum>"),
    (re.compile(r"Made on \d{4}-\d\d-\d\d with .*"), "Made on <day> with <versions>"),
    (re.compile(r"· \d{4}-\d\d-\d\d ·"), "· <day> ·"),
    (re.compile(r'"pellucid": "[^"]*"'), '"pellucid": "<version>"'),
)
LINES = {"p", "h1", "h2", "h3", "h4", "tr", "li", "div", "section", "table", "dt", "dd", "pre", "figcaption", "header"}
CELLS = {"td", "th"}
UNSEEN = {"style", "script", "head", "svg"}


@dataclass
class Journey:
    """One folder, one golden text per step."""

    name: str
    capture: pytest.CaptureFixture[str]
    rewrite: bool
    steps: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def types(self, line: str, *, ends: int = 0) -> str:
        """Run the program as if somebody typed the line; what it says, which it must end with the given code."""
        self.capture.readouterr()
        code = main(shlex.split(line))
        said = self.capture.readouterr()
        self.told += [f"$ pellucid {line}", said.out.rstrip("\n"), *said.err.splitlines(), f"[ends with {code}]", ""]
        assert code == ends, f"{line}\n{said.out}\n{said.err}"
        return f"{said.out}\n{said.err}"

    def edits(self, file: str, column: str, before: str, *after: str) -> None:
        """Change one line of a column in a schema, as in an editor."""
        text = Path(file).read_text()
        head, section, rest = text.partition(f"[columns.{column}]\n")
        lines, blank, others = rest.partition("\n\n")
        assert section, f"{file} has no column {column}"
        assert before in lines.splitlines(), f"{column} has no line {before}:\n{lines}"
        new = "\n".join("\n".join(after) if line == before else line for line in lines.splitlines())
        Path(file).write_text(head + section + new + blank + others)
        self.told += [f"~ {file}, [columns.{column}]", f"  - {before}", *(f"  + {line}" for line in after), ""]

    def reads(self, file: str, lines: int | None = None) -> str:
        """Look into a file: a page as text, of a long file the first lines."""
        text = Path(file).read_text()
        shown = page_text(text) if file.endswith(".html") else "\n".join(text.splitlines()[:lines])
        self.told += [f"> {file}", shown.rstrip("\n"), ""]
        return shown

    def arrives(self, step: str) -> str:
        """The step is done: what was read in it is as somebody once read it and found it right."""
        self.steps.append(step)
        text = "\n".join(self.told).rstrip("\n") + "\n"
        self.told.clear()
        for changing, instead in CHANGING:
            text = changing.sub(instead, text)
        text = "\n".join(line.rstrip() for line in text.split("\n"))
        path = GOLDEN / self.name / f"{len(self.steps)}-{step}.txt"
        if self.rewrite:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"{path} is not there: pytest --rewrite-golden writes it, and somebody reads it"
        golden = path.read_text()
        assert text == golden, "\n" + "\n".join(unified_diff(golden.split("\n"), text.split("\n"), str(path), "now"))
        return text

    def measures_and_reports(self, original: str) -> None:
        """How a release is finished: what it is still good for, the page for the file and the one for everybody."""
        self.types(f"measure release {original}")
        self.arrives("measure")
        self.types(f"report release {original} --groups groups.csv --out for-the-file.html")
        self.reads("for-the-file.html")
        self.arrives("report")
        self.types("report release --audience public --out release/report.html")
        self.reads("release/report.html")
        self.arrives("public-report")


def edited_lines(before: str, after: str) -> Sequence[str]:
    """The lines of a schema that were changed, without those that were added below them."""
    return [line for line in unified_diff(before.split("\n"), after.split("\n"), n=0) if re.match(r"-[^-]", line)]


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
