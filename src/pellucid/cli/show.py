"""Plain text for an 80-column terminal: tables, also side by side, bars, sentences. It needs no colour."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping, Sequence

import polars as pl

from pellucid.messages.speaker import told

WIDTH = 80
LONG_LABEL = 24


def heading(text: str) -> str:
    """A line that stands out without colour.

    >>> print(heading("Before"))
    Before
    ------
    """
    return f"{text}\n{'-' * len(text)}"


def sentence(text: str, first: str = "") -> str:
    """Prose broken at the width of the terminal; ``first`` begins it and indents the other lines.

    >>> print(sentence("word " * 20, first="- "))
    - word word word word word word word word word word word word word word word
      word word word word word
    """
    kept = told(text).replace(" %", "\N{NO-BREAK SPACE}%")
    lines = textwrap.fill(kept, WIDTH, initial_indent=first, subsequent_indent=" " * len(first), break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}%", " %")


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of at most that width; neither a word nor a number and its percent sign is torn apart."""
    kept = told(text).replace(" %", "\N{NO-BREAK SPACE}%")
    lines = textwrap.wrap(kept, width, break_long_words=False, break_on_hyphens=False) or [""]
    return [line.replace("\N{NO-BREAK SPACE}%", " %") for line in lines]


def labelled(rows: Mapping[str, str]) -> str:
    """Lines of a label and a text, the texts aligned and wrapped below each other; a long label has its own line.

    >>> print(labelled({"rows": "8", "files": "out/", "a label that is longer than most": "x"}))
    rows   8
    files  out/
    a label that is longer than most
           x
    """
    wide = max([len(label) for label in rows if len(label) <= LONG_LABEL], default=4) + 2
    lines = []
    for label, text in rows.items():
        wrapped = _wrapped(text, WIDTH - wide)
        if len(label) <= LONG_LABEL:
            lines.append(f"{label:<{wide}}{wrapped.pop(0)}")
        else:
            lines.append(label)
        lines += [" " * wide + line for line in wrapped]
    return "\n".join(line.rstrip() for line in lines)


def table_lines(frame: pl.DataFrame) -> list[str]:
    """A small frame as aligned text, numbers to the right.

    >>> table_lines(pl.DataFrame({"name": ["Ann", "Bob"], "age": [21, 7]}))
    ['name  age', 'Ann    21', 'Bob     7']
    """
    columns = []
    for name in frame.columns:
        cells = [name, *("" if value is None else str(value) for value in frame[name])]
        wide = max(map(len, cells))
        right = frame[name].dtype.is_numeric()
        columns.append([cell.rjust(wide) if right else cell.ljust(wide) for cell in cells])
    return ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]


def side_by_side(left: Sequence[str], right: Sequence[str], gap: str = "   |   ") -> str:
    """Two blocks of lines beside each other.

    >>> print(side_by_side(["one", "two"], ["1", "2"], gap=" | "))
    one | 1
    two | 2
    """
    wide = max(map(len, left))
    height = max(len(left), len(right))
    padded_left = [*left, *[""] * (height - len(left))]
    padded_right = [*right, *[""] * (height - len(right))]
    return "\n".join(f"{a:<{wide}}{gap}{b}".rstrip() for a, b in zip(padded_left, padded_right, strict=True))


def bars(amounts: Mapping[str, float], texts: Mapping[str, str], *, full: float, width: int = 40) -> str:
    """One horizontal bar per label, as long as ``width`` for the amount ``full``, and a text behind each.

    >>> print(bars({"8": 4, "9": 2, "10": 0.1}, {"8": "40", "9": "20", "10": "1"}, full=4, width=4).replace("█", "#"))
     8  ####  40
     9  ##    20
    10  ▏     1
    """
    mark, trace = ("█", "▏") if (sys.stdout.encoding or "utf-8").lower().startswith("utf") else ("#", "|")
    wide = max(map(len, amounts))
    lines = []
    for label, amount in amounts.items():
        bar = mark * round(width * amount / full) or (trace if amount else "")
        lines.append(f"{label:>{wide}}  {bar:<{width}}  {texts[label]}")
    return "\n".join(lines)
