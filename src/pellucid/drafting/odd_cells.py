"""Cells that keep a column of numbers from being one: a single ``3x`` makes texts of all ages, each in no order.

A file says of no column what it is, so that a text among numbers makes all of them texts. Whoever publishes them
should hear it, with the cell and its line: the cell may be a mistake, or stand for a missing value, or texts are meant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.hints import hint_of
from pellucid.core.schema import Role
from pellucid.core.taxonomy.toml_text import toml_value
from pellucid.io.inference import CODE, COMMA_NUMBER, REAL
from pellucid.io.text_form import said_form
from pellucid.messages import Message, Term
from pellucid.runtime.records import record

NEARLY_ALL = 0.95  # of the cells: with fewer numbers texts are meant
FEWEST = 4  # different numbers; fewer are names of answers
CODE_LENGTH = 5  # digits of numbers that are all of one length: years have fewer
POSTAL = ("zip", "post", "plz", "pin")  # numbers near each other are places near each other
TEXTS = "so that all of them are texts in no order"

Counts = NDArray[np.int64]
LineOf = Callable[[str, str], int | None]  # the first line of a file with a column's text


@record()
class OddCells:
    """So many ``cells`` of all that have something are no numbers, such as ``example``, of so many different ones."""

    cells: int
    of: int
    example: str
    different: int
    line: int | None = None

    def found_in(self, column: str, line_of: LineOf | None) -> OddCells:
        """The same with the line of the example, where somebody can tell it."""
        return self if line_of is None else replace(self, line=line_of(column, self.example))

    def problem(self, of: str = "") -> str:
        """What is wrong, in words; ``of`` names the column where that is not clear.

        >>> OddCells(1, 200, "3x", 1, line=32).problem(" of 'age'")
        "1 of 200 values of 'age' is no number ('3x' in line 32), so that all of them are texts in no order"
        >>> OddCells(7, 2000, "3x", 2).problem()
        "7 of 2,000 values are no numbers (such as '3x'), so that all of them are texts in no order"
        """
        where = "" if self.line is None else f" in line {self.line}"
        what = "is no number" if self.cells == 1 else "are no numbers"
        such = "such as " if self.different > 1 else ""
        return f"{self.cells:,} of {self.of:,} values{of} {what} ({such}{self.example!r}{where}), {TEXTS}"

    def correct(self, ways: str) -> Message:
        """What to do about them, in the words of a schema file; a page has fields."""
        return Message("{so}", so=Term("correct odd cells", ways, [self.them, self.example]))

    @property
    def them(self) -> str:
        """What they are called."""
        return "it" if self.cells == 1 else "them"

    @property
    def missing(self) -> str:
        """How a schema says that they stand for nothing."""
        return f"missing = {toml_value([self.example])[:-1]}{', ...]' if self.different > 1 else ']'}"


def odd_cells(texts: pl.Series, counts: Callable[[], Counts]) -> OddCells | None:
    """The cells that are no numbers where nearly all are; None of a column of texts, of codes, or of numbers alone.

    ``texts`` are the different ones, without null, and ``counts`` says how many cells have each.

    >>> ages = pl.Series("age", ["20", "30", "3x", "40", "50"])
    >>> odd_cells(ages, lambda: np.array([30, 30, 1, 30, 30])).cells
    1
    >>> odd_cells(ages, lambda: np.array([1, 1, 1, 1, 1])), odd_cells(ages.head(2), lambda: np.array([1, 1]))
    (None, None)
    """
    written = texts.str.strip_chars() != ""
    numbers = texts.str.contains(COMMA_NUMBER if said_form().decimal == "," else REAL)
    odd = written & ~numbers
    if int(numbers.sum()) < FEWEST or not odd.any() or texts.str.contains(CODE).any():
        return None
    if are_codes(texts.filter(numbers)):
        return None
    cells = counts()
    wrong, right = (int(cells[which.to_numpy()].sum()) for which in (odd, numbers))
    if right < NEARLY_ALL * (right + wrong):
        return None
    examples, frequent = texts.filter(odd), cells[odd.to_numpy()]
    return OddCells(wrong, wrong + right, str(examples[int(frequent.argmax())]), len(examples))


def are_codes(values: pl.Series) -> bool:
    """Whether numbers written as text are codes: a postcode, or anything of one length, is none to calculate with.

    >>> are_codes(pl.Series("plz", ["80331", "50667"])), are_codes(pl.Series("zip", ["2134", "10001"]))
    (True, True)
    >>> are_codes(pl.Series("income", ["90000", "12000"])), are_codes(pl.Series("x", ["90000", "12000"]))
    (False, True)
    """
    hint = hint_of(values.name)
    if hint is not None and hint.role is not Role.IDENTIFIER:  # the name says what they are
        return hint.word.startswith(POSTAL)
    digits = values.drop_nulls().str.len_chars().unique().to_list()
    return len(digits) == 1 and digits[0] >= CODE_LENGTH
