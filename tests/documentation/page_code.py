"""The code of a page: what its fenced blocks say, and what they do when they are run from top to bottom.

A page is one walk in one folder. ``console`` blocks are commands (behind ``$``) with what they print, ``bash`` blocks
commands of which only the success is shown; ``pycon`` blocks are Python sessions, ``python`` blocks are run as they
stand, and a block below ``<!-- file: NAME -->`` is written to that file. ``...`` in an output stands for anything.
What cannot be run says so: ``<!-- not run: why -->``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(
    r"(?:^<!-- (?P<mark>file|not run): (?P<said>[^\n]*?) -->\n+)?"
    r"^(?P<fence>`{3,})(?P<language>[\w-]+)\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
RUN = {"bash", "console", "pycon", "python"}
SHOWN = {"text"}  # formulas and outputs: nothing that a reader would type


@dataclass(frozen=True)
class Block:
    """A fenced block, the line that it begins in, and the remark above it."""

    language: str
    text: str
    start: int
    line: int
    mark: str
    said: str


@dataclass(frozen=True)
class Command:
    """What is typed, what the page says that it prints, and where that stands in the block."""

    typed: str
    printed: str
    start: int


def blocks_of(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start("text"))
        yield Block(
            found["language"], found["text"], found.start("text"), line, found["mark"] or "", found["said"] or ""
        )


def commands_of(block: Block) -> Iterator[Command]:
    """The commands of a console block; a line that ends with a backslash goes on in the next."""
    prompts = re.compile(r"^\$ (?P<typed>.*(?:\\\n.*)*)\n(?P<printed>(?:(?!\$ ).*\n)*)", re.MULTILINE)
    for found in prompts.finditer(block.text):
        yield Command(found["typed"], found["printed"], block.start + found.start("printed"))
