"""How much a column tells inside strata that mix it: odds ratios, measured on the true values, so never public.

The promise covers statistics by what strata fix. A statistic by another column sets people of a stratum apart, and the
odds ratio between the column and a protected value says by how much it multiplies odds (docs/strata.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.method import Method
from pellucid.anonymize.protecting import ProtectingMethod
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.messages import Count, Message, Value
from pellucid.runtime.records import record

ENOUGH = 5  # how far the count of a cell must be free to move from what is expected, in both directions
MOST_SIDES = 200  # of a category: its most frequent values
Floats = NDArray[np.float64]


@record(eq=False)
class Odds:
    """The largest odds ratio inside strata of a ``column``, infinite where one side never has the value.

    ``side`` is who has the value more often: people with this value of the column, or with others than it (``other``);
    of an ``ordered`` column the upper half of each stratum, or the lower. ``people`` in ``strata`` are those it rests
    on: both sides are there, and some have the value and some do not. All but the column is None where too few are.
    It is the largest ``of`` so many that rest on enough people.
    """

    column: str
    ordered: bool
    sensitive: str | None = None
    value: Any = None
    side: Any = None
    other: bool = False
    ratio: float = 1.0
    people: int = 0
    strata: int = 0
    of: int = 0


def told_inside(table: Table, method: Method | None) -> Message:
    """The same of a release of strata, in a sentence; empty of another, and where strata fix every column.

    Strata are those of this table, cut again: its rows may stand in another order than those that were grouped.
    """
    if not isinstance(method, ProtectingMethod) or method.promises_nothing:
        return Message("")
    strata = method.strata(table)
    if strata is None:
        return Message("")
    sensitive = [table.attributes[i] for i in table.having(Role.SENSITIVE)]
    return sentence(odds_inside(table, strata, {one.name: method.protecting(one.name).marks(one) for one in sensitive}))


def odds_inside(table: Table, strata: Codes, marks: Mapping[str, NDArray[np.bool_]]) -> list[Odds]:
    """Of each quasi-identifier that strata do not fix the largest odds ratio inside strata that rests on enough people.

    The sides of an ordered column are above the lower median of the stratum, and not; of a category each value, and all
    others. The ratio is that of Mantel and Haenszel over strata, of having a protected value (``marks``, by column).

    >>> import pellucid as pc
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [*range(20), *range(20)], "ill": list("aaaaaaabbbaaabbbbbbb") * 2})
    >>> table = pc.read(frame, quasi="age", sensitive="ill")
    >>> (found,) = odds_inside(table, np.repeat(np.arange(2, dtype=np.int32), 20), {"ill": np.array([True, False])})
    >>> round(found.ratio, 2), found.other, found.people, found.strata
    (5.44, True, 40, 2)
    """
    found = []
    for i in table.having(Role.QUASI):
        attribute, codes = table.attributes[i], table.codes[i]
        one = np.empty(int(strata.max(initial=-1)) + 1, np.int32)
        one[strata] = codes
        if not (one[strata] == codes).all():
            ordered = attribute.kind is not Kind.CATEGORY
            ratios = list(_ratios(table, strata, attribute, _sides(attribute, codes, strata), marks))
            largest = max(ratios, key=lambda odds: odds.ratio, default=Odds(attribute.name, ordered))
            found.append(replace(largest, of=len(ratios)))
    return found


def _sides(attribute: Attribute, codes: Codes, strata: Codes) -> Iterator[tuple[Any, Codes, NDArray[np.bool_]]]:
    """What one side is called, the rows that count, and which of them are on it."""
    if attribute.kind is Kind.CATEGORY:
        rows_of = np.bincount(codes, minlength=len(attribute))
        for code in np.sort(np.argsort(-rows_of, kind="stable")[: min(MOST_SIDES, int((rows_of > 0).sum()))]).tolist():
            here = np.zeros(int(strata.max()) + 1, np.bool_)
            here[strata[codes == code]] = True
            rows = np.flatnonzero(here[strata]).astype(np.int32)
            yield attribute.values[code], rows, codes[rows] == code
        return
    rows = np.flatnonzero(codes >= int(attribute.has_null)).astype(np.int32)
    order = rows[np.lexsort((codes[rows], strata[rows]))]
    first = np.flatnonzero(np.diff(strata[order], prepend=-1))
    sizes = np.diff(np.append(first, len(order)))
    middle = codes[order[first + (sizes - 1) // 2]]
    yield None, order, codes[order] > np.repeat(middle, sizes)


def _ratios(
    table: Table,
    strata: Codes,
    attribute: Attribute,
    sides: Iterator[tuple[Any, Codes, NDArray[np.bool_]]],
    marks: Mapping[str, NDArray[np.bool_]],
) -> Iterator[Odds]:
    """Every odds ratio of one column that rests on enough people, at least 1."""
    for name, rows, on_it in sides:
        _, places = np.unique(strata[rows], return_inverse=True)
        size = np.bincount(places).astype(np.float64)
        side = np.bincount(places[on_it], minlength=len(size)).astype(np.float64)
        for i in table.having(Role.SENSITIVE):
            sensitive, held = table.attributes[i], table.codes[i][rows]
            for code in np.flatnonzero(marks[sensitive.name]).tolist():
                has = held == code
                with_value = np.bincount(places[has], minlength=len(size)).astype(np.float64)
                both = np.bincount(places[has & on_it], minlength=len(size)).astype(np.float64)
                if not _supported(size, side, with_value):
                    continue
                more = float((both * (size - side - with_value + both) / size).sum())
                less = float(((side - both) * (with_value - both) / size).sum())
                telling = (side > 0) & (side < size) & (with_value > 0) & (with_value < size)
                yield Odds(
                    attribute.name,
                    attribute.kind is not Kind.CATEGORY,
                    sensitive.name,
                    sensitive.values[code],
                    name,
                    less > more,
                    max(more, less) / min(more, less) if min(more, less) > 0 else float("inf"),
                    int(size[telling].sum()),
                    int(telling.sum()),
                )


def _supported(size: Floats, side: Floats, with_value: Floats) -> bool:
    """Whether the people on the side with the value could be far fewer and far more than expected (Mantel, Fleiss)."""
    expected = float((side * with_value / size).sum())
    least = float(np.maximum(0, side + with_value - size).sum())
    most = float(np.minimum(side, with_value).sum())
    return expected - least >= ENOUGH and most - expected >= ENOUGH


def in_words(odds: Odds) -> Message:
    """One column, for people."""
    if odds.sensitive is None:
        few = "by {column}, not known: too few people of one stratum differ in it and in a protected value"
        return Message(few, column=odds.column)
    half = "for the lower half of a stratum" if odds.other else "for the upper half of a stratum"
    value = "where it is not {value}" if odds.other else "where it is {value}"
    return Message(
        "by {column}, the odds of {value} in {sensitive} are {many} times as large {side} ({people} in "
        "{strata}{largest})",
        column=odds.column,
        sensitive=odds.sensitive,
        value=Value(odds.value),
        many="infinitely many" if odds.ratio == float("inf") else f"{odds.ratio:.3g}",
        side=Message(half) if odds.ordered else Message(value, value=Value(odds.side)),
        people=Count(odds.people, "person", "people"),
        strata=Count(odds.strata, "stratum", "strata"),
        largest=Message(", the largest of {of} ratios", of=odds.of) if odds.of > 1 else "",
    )


def sentence(found: Sequence[Odds]) -> Message:
    """All columns that strata mix, and what that means; empty where they fix each."""
    if not found:
        return Message("")
    return Message(
        "Statistics inside strata, measured on the true table, are not covered by the promise: {of}. Odds of people on "
        "one side are so many times those of the other. Of many ratios the largest is above 1 by chance alone.",
        of=Message.joined([in_words(odds) for odds in found], "; "),
    )
