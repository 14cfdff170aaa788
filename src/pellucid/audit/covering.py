"""Which values of a population a published value stands for.

A population table has people's own values; a release has intervals, sets, taxonomy nodes, masks. A published value
covers, among the values of the population's column,

===================== ==============================================================================================
``27``                the same value; numbers are compared as numbers
``[21, 27]``          everything from 21 to 27: numbers, dates, and ordered values in the order of the schema
``[20, 30)``          everything from 20 up to but not including 30
``{flu, cold}``       each member
``Europe``            everything below that node, when the schema has the column's taxonomy
``130**``             every text of that length with that beginning
``*``                 everything, null included
null                  null
``... or null``       null besides
===================== ==============================================================================================
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.taxonomy import Taxonomy
from pellucid.taxonomy.wording import label_of

Flags = NDArray[np.bool_]
INTERVAL = re.compile(r'^\[("(?:[^"]|"")*"|[^"]*?), ("(?:[^"]|"")*"|[^"]*?)([\])])$')
MASK = re.compile(r"^([^*]+)(\*+)$")
OR_NULL = " or null"


class Covering:
    """Asked with a published value, tells which of the population's values it covers.

    >>> ages = Covering(pl.Series([None, 21, 27, 30]))
    >>> [ages.of(text).tolist() for text in ("[21, 27]", "27", "30 or null")]
    [[False, True, True, False], [False, False, True, False], [True, False, False, True]]
    """

    def __init__(self, values: pl.Series, *, taxonomy: Taxonomy | None = None, order: Sequence[str] = ()) -> None:
        self._labels = ["" if value is None else label_of(value) for value in values.to_list()]
        self._null = values.is_null().to_numpy()
        numeric = values.dtype.is_numeric()
        self._numbers = values.cast(pl.Float64).fill_null(np.nan).to_numpy() if numeric else None
        self._dates = values.dtype.is_temporal()
        self._ranks = {label: rank for rank, label in enumerate(order)}
        self._place = {label: i for i, label in enumerate(self._labels) if not self._null[i]}
        self._below: dict[str, list[int]] = {}
        if taxonomy is not None:
            missing = set(taxonomy.missing(self._labels))
            for i, label in enumerate(self._labels):
                if label not in missing and not self._null[i]:
                    for node in taxonomy.path(label):
                        self._below.setdefault(node, []).append(i)

    def of(self, published: object) -> Flags:
        """A flag for each value of the population."""
        if published is None:
            return self._null.copy()
        text = label_of(published)
        if text == "*":
            return np.ones(len(self._labels), np.bool_)
        if text.endswith(OR_NULL):
            return self._null | self._spelled(text.removesuffix(OR_NULL))
        return self._spelled(text)

    def between(self, low: object, high: object, nulls: object) -> Flags:
        """The same for an interval whose ends are columns of their own."""
        inside = self._interval(label_of(low), label_of(high), True) if low is not None else self._nothing()
        return inside | (self._null if nulls in ("all", "some") else False)

    def _known(self, flags: Sequence[bool] | Flags) -> Flags:
        """These flags as far as there is a value."""
        found: Flags = np.asarray(flags, np.bool_) & ~self._null
        return found

    def _nothing(self) -> Flags:
        return np.zeros(len(self._labels), np.bool_)

    def _spelled(self, text: str) -> Flags:
        found = self._same(text)
        if found.any():
            return found
        if text in self._below:
            found[self._below[text]] = True
            return found
        if interval := INTERVAL.match(text):
            return self._interval(_unquoted(interval[1]), _unquoted(interval[2]), interval[3] == "]")
        if text.startswith("{") and text.endswith("}"):
            for member in next(csv.reader([text[1:-1]], skipinitialspace=True), []):
                found |= self._same(member)
            return found
        if mask := MASK.match(text):
            wanted = len(text)
            matches = [len(label) == wanted and label.startswith(mask[1]) for label in self._labels]
            return self._known(matches)
        return found

    def _same(self, text: str) -> Flags:
        number = _number(text) if self._numbers is not None else None
        if self._numbers is not None and number is not None:
            return np.asarray(self._numbers == number)
        found = self._nothing()
        if text in self._place:
            found[self._place[text]] = True
        return found

    def _interval(self, low: str, high: str, closed: bool) -> Flags:
        if self._numbers is not None:
            start, end = _number(low), _number(high)
            if start is None or end is None:
                return self._nothing()
            inside: Flags = (self._numbers >= start) & ((self._numbers <= end) if closed else (self._numbers < end))
            return inside
        if self._dates:  # ISO dates are in the order of their texts
            if closed:
                texts = [low <= label and (label <= high or label.startswith(high)) for label in self._labels]
            else:
                texts = [low <= label < high for label in self._labels]
            return self._known(texts)
        if low in self._ranks and high in self._ranks:
            ranks = np.array([self._ranks.get(label, -1) for label in self._labels])
            end_rank = self._ranks[high]
            return self._known((ranks >= self._ranks[low]) & ((ranks <= end_rank) if closed else (ranks < end_rank)))
        return self._nothing()


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"') if text.startswith('"') else text
