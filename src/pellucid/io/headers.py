"""Whether the first line of a text file names the columns, or is a row of the table already.

A file without a header would lose its first row, and its columns would have that row's values as names. What tells a
row: a cell of the first line that is a number or a date above a column of numbers or dates, or one that the column
below has again. Numbers in equal steps (years, 0, 1, 2) are names of columns that count something.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from pellucid.io.inference import DATE, REAL

NUMBER_OR_DATE = re.compile(f"{REAL}|{DATE}".replace("(?i:", "(?:"), re.IGNORECASE)
MOST = 0.9  # of the values below that are like the cell above

DATA_AS_HEADER = (
    "{where}, line 1 has {datum!r} where a column's name should be, so that it looks like a row; say {NO_HEADER} to "
    "call the columns column_1, column_2, ..., or {HEADER} if these are names"
)


def data_in_header(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str | None:
    """A cell of the first line that looks like data; None where it may well be a header.

    >>> data_in_header(["39", "Private"], [["50", "Self-emp"], ["38", "Private"]])
    '39'
    >>> data_in_header(["town", "2010", "2015"], [["Rome", "7", "8"], ["Oslo", "9", "9"]]) is None
    True
    """
    columns = _columns_below(header, rows)
    if columns is None:
        return None
    datum = _datum_above_data([(cell, below) for cell, below in columns if _is_datum(cell)])
    if datum is not None:
        return datum
    return next((cell for cell, below in columns if _is_text_again(cell, below)), None)


def _datum_above_data(data: Sequence[tuple[str, list[str]]]) -> str | None:
    """The first datum that stands above data; None where there is none, or where they are numbered in equal steps."""
    likely = [cell for cell, below in data if _are_data(below)]
    return likely[0] if likely and not _equal_steps([cell for cell, _ in data]) else None


def _is_text_again(cell: str, below: Sequence[str]) -> bool:
    """Whether a cell is a text, and stands below itself at least twice."""
    return cell != "" and not _is_datum(cell) and Counter(below)[cell] >= 2


def _columns_below(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[tuple[str, list[str]]] | None:
    """Each cell of the first line with those below it that are not empty; None where there are too few rows."""
    rows = [row for row in rows if len(row) == len(header) and list(row) != list(header)]
    if len(rows) < 2:
        return None
    return [(cell.strip(), [row[at].strip() for row in rows if row[at].strip()]) for at, cell in enumerate(header)]


def _is_datum(cell: str) -> bool:
    return NUMBER_OR_DATE.match(cell.strip()) is not None


def _are_data(cells: Sequence[str]) -> bool:
    """Whether nearly all cells of a column are numbers or dates."""
    return bool(cells) and sum(map(_is_datum, cells)) >= MOST * len(cells)


def _equal_steps(cells: Sequence[str]) -> bool:
    """Whether these are at least two whole numbers that go up in equal steps: names, such as years."""
    if len(cells) < 2 or not all(re.fullmatch(r"[0-9]+", cell) for cell in cells):
        return False
    numbers = [int(cell) for cell in cells]
    return numbers[1] > numbers[0] and len({b - a for a, b in pairwise(numbers)}) == 1
