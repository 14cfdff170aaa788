"""Columns of a text file by their distinct texts: each text has a number, and each row the number of its text.

What a column is, is decided by its distinct texts, with the rules and the reader that decide it for all rows
(:mod:`pellucid.io.delimited`); millions of rows are neither parsed nor compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.table import Codes
from pellucid.io.codes import Coded, coded
from pellucid.io.textbytes import Bytes
from pellucid.kernels.encode import look_up
from pellucid.kernels.fields import has_quotes, number_fields
from pellucid.runtime.parallel import results, run
from pellucid.runtime.records import record

MOST = 1 << 14  # texts of a column; one with more is read by polars
BITS = 15  # of a slot's number: half of the slots at least are empty
RETURN = 13
LARGE = 1 << 22  # bytes of which a second thread takes a half

Numbers = NDArray[np.uint16]


@record(eq=False)
class Stretch:
    """Some rows of a column: their numbers, and which of the column's texts each number stands for."""

    numbers: Numbers
    text_of: Codes


@record(eq=False)
class Numbered:
    """A column: its distinct texts, read as what they are, some perhaps as the same value, and its rows.

    >>> ages = Numbered(pl.Series("age", [30, None]), [Stretch(np.array([0, 0, 1], np.uint16), np.array([0, 1]))])
    >>> len(ages), ages.series().to_list()
    (3, [30, 30, None])
    """

    values: pl.Series
    stretches: Sequence[Stretch]
    threads: int = 1  # that look its rows up

    def __len__(self) -> int:
        """The number of rows."""
        return sum(len(stretch.numbers) for stretch in self.stretches)

    def series(self) -> pl.Series:
        """The column as polars would have read it."""
        return pl.concat([self.values.gather(stretch.text_of[stretch.numbers]) for stretch in self.stretches])

    def coded(self, values: pl.Series) -> Coded:
        """The codes of all rows, where these are the values of the texts."""
        book = coded(values)
        codes = np.empty(len(self), np.int32)
        ends = np.cumsum([len(stretch.numbers) for stretch in self.stretches])
        of_stretches = np.split(codes, ends[:-1])
        run(
            [
                partial(look_up, stretch.numbers, 0, book.codes[stretch.text_of], rows)
                for stretch, rows in zip(self.stretches, of_stretches, strict=True)
            ],
            self.threads,
        )
        return Coded(book.values, codes, book.has_null)


@record(eq=False)
class Columns:
    """The columns of a table: series, and those that are numbered."""

    series: Mapping[str, pl.Series]
    numbered: Mapping[str, Numbered]
    height: int

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [*self.series, *self.numbered]

    def __getitem__(self, name: str) -> pl.Series:
        return self.series[name] if name in self.series else self.numbered[name].series()


@record(eq=False)
class Texts:
    """The distinct texts of a column of a file, and the rows that have them."""

    texts: Sequence[bytes]
    stretches: Sequence[Stretch]

    def of_first(self, rows: int) -> list[bytes]:
        """The distinct texts that the first rows have."""
        there = np.zeros(len(self.texts), np.bool_)
        for stretch in self.stretches:
            there[stretch.text_of[stretch.numbers[:rows]]] = True
            rows = max(0, rows - len(stretch.numbers))
        return [self.texts[i] for i in np.flatnonzero(there).tolist()]


def numbered_texts(
    data: Bytes, parts: Sequence[tuple[int, int, int]], delimiter: str, columns: int, wanted: Sequence[int]
) -> dict[int, Texts]:
    """The texts of the wanted columns of a file, by their places; without those of which there are too many.

    ``parts`` are where some records begin and end, and how many they are; all are whole. None is numbered of a file
    that has quotation marks.
    """
    if not wanted or any(has_quotes(data, first, last) for first, last, _ in parts):
        return {}
    places = np.full(columns, -1, np.int32)
    places[list(wanted)] = np.arange(len(wanted), dtype=np.int32)

    def numbered(part: tuple[int, int, int]) -> list[tuple[list[bytes], Numbers] | None]:
        first, last, records = part
        keys, slots = np.zeros((len(wanted), 1 << BITS), np.uint64), np.empty((len(wanted), 1 << BITS), np.int32)
        begins, lengths = (np.empty((len(wanted), MOST), np.int64) for _ in range(2))
        counts, numbers = np.zeros(len(wanted), np.int32), np.zeros((len(wanted), records), np.uint16)
        seen = number_fields(
            data, first, last, ord(delimiter), places.copy(), BITS, keys, slots, begins, lengths, counts, numbers
        )
        if seen < records:  # all columns are given up, or somebody wrote to the file since its records were counted
            return [None] * len(wanted)
        found: list[tuple[list[bytes], Numbers] | None] = []
        for place, count in enumerate(counts.tolist()):
            spans = zip(begins[place, :count].tolist(), lengths[place, :count].tolist(), strict=True)
            texts = [data[begin : begin + length].tobytes() for begin, length in spans] if count >= 0 else []
            found.append((texts, numbers[place]) if count >= 0 else None)
        return found

    of_parts = list(results([partial(numbered, part) for part in parts], len(parts) if len(data) >= LARGE else 1))
    together = {at: _together([part[place] for part in of_parts]) for place, at in enumerate(wanted)}
    return {at: texts for at, texts in together.items() if texts is not None}


def _together(parts: Sequence[tuple[list[bytes], Numbers] | None]) -> Texts | None:
    """The parts of a column with one number for each text; None where they are too many, or odd."""
    place: dict[bytes, int] = {}
    stretches = []
    for part in parts:
        if part is None:
            return None
        texts, numbers = part
        text_of = [place.setdefault(text, len(place)) for text in texts]
        stretches.append(Stretch(numbers, np.array(text_of, np.int32)))
    if len(place) > MOST or any(RETURN in text for text in place):
        return None
    return Texts(list(place), stretches)
