"""A release and its original that are both with Spark: counts of values and of classes, which many metrics look at.

Of both tables the different values of each column come here with how many rows have them; published values are read by
the same rules as those of a file. Classes are counted by Spark: how many there are of each size comes here.

Count queries are asked where the rows are: each partition answers for its own, and answers add up. Counts of the
original are integers and add up exactly. Estimates are floats: summed partition by partition they differ from those in
memory by rounding, in the last few digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from operator import and_
from typing import Any

import numpy as np
import polars as pl

from pellucid.audit.deciding_groups import counted_groups, whole_groups
from pellucid.audit.partition import NOTHING
from pellucid.audit.source import SPLIT, WHOLE, OpenedRelease
from pellucid.core.schema import Role, Schema
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import MeasureError
from pellucid.io.columns import choose
from pellucid.metrics.answering import estimated_answers, true_answers
from pellucid.metrics.boxes import ColumnBoxes, Shown
from pellucid.metrics.margins import Counted, Margin, added_up
from pellucid.metrics.pre_rounding import before_rounding, left_out
from pellucid.metrics.reading import group_number
from pellucid.metrics.recipe_facts import RecipeFacts, check_covered
from pellucid.metrics.workload import Workload
from pellucid.published.choices import Floats, Integers, values_as_they_are
from pellucid.published.ends import published_as
from pellucid.published.grammar import STAR
from pellucid.published.reader import AsItIs, as_published, choices_of, single_codes, values_of
from pellucid.spark.audit import Book, counted_column, looked_through, require_joined
from pellucid.spark.frames import Columns, along_groups, along_rows

AT_ONCE = 2**18  # rows or entries that are looked at together


@dataclass(frozen=True, eq=False)
class Asker:
    """Answers workloads from an original and a release that are both with Spark, in codes.

    ``original`` has the columns of ``books``, quasi-identifiers first; ``release`` the choice that each row is
    published with in each quasi-identifier, and the codes of the sensitive columns.
    """

    original: Columns
    books: tuple[Attribute, ...]
    release: Columns
    margins: tuple[Margin, ...]

    def __call__(self, workload: Workload) -> tuple[Integers, Floats]:
        """What the original answers, and what is estimated from the release."""
        quasi = [margin.attribute.name for margin in self.margins]
        secret = (
            next((one for one in self.books if one.name == workload.names[-1]), None) if workload.sensitive else None
        )
        true = along_rows(self.original, Counter(workload, self.books))
        inside = secret.name if secret is not None else None
        shown = along_groups(self.release, quasi, inside, Estimator(workload, self.margins, secret))
        return np.sum(true, axis=0), np.sum(shown, axis=0)


@dataclass(frozen=True, eq=False)
class Counter:
    """Counts the rows of a partition of the original that satisfy each query."""

    workload: Workload
    books: tuple[Attribute, ...]

    def __call__(self, frames: Iterable[pl.DataFrame]) -> Integers | None:
        """One count for each query; None when there are no rows."""
        total: Integers | None = None
        waiting: list[pl.DataFrame] = []
        for frame in frames:
            waiting.append(frame)
            if sum(part.height for part in waiting) >= AT_ONCE:
                total, waiting = self._with(total, waiting), []
        return self._with(total, waiting) if waiting else total

    def _with(self, total: Integers | None, frames: Sequence[pl.DataFrame]) -> Integers:
        rows = pl.concat(frames)
        codes = tuple(rows[book.name].to_numpy().astype(np.int32) for book in self.books)
        answers = true_answers(self.workload, Table(self.books, codes, None))
        return answers if total is None else total + answers


@dataclass(frozen=True, eq=False)
class Estimator:
    """Estimates the answers of each query from a partition of the release's classes."""

    workload: Workload
    margins: tuple[Margin, ...]
    secret: Attribute | None

    def __call__(self, frames: Iterable[pl.DataFrame]) -> Floats | None:
        """One estimate for each query; None when there are no rows."""
        total: Floats | None = None
        for entries in whole_groups(frames, AT_ONCE):
            estimates = estimated_answers(self.workload, self._shown(entries))
            total = estimates if total is None else total + estimates
        return total

    def _shown(self, entries: pl.DataFrame) -> Shown:
        attribute = NOTHING if self.secret is None else self.secret
        groups, forming = counted_groups(entries, attribute, np.zeros(len(attribute), np.int64))
        cells = tuple(
            ColumnBoxes(margin.attribute, margin.choices, of.to_numpy().astype(np.int32))
            for margin, of in zip(self.margins, forming.get_columns(), strict=True)
        )
        classes = np.arange(len(groups), dtype=np.int32)
        nobody = Table(tuple(cell.attribute for cell in cells), tuple(np.zeros(0, np.int32) for _ in cells), None)
        return Shown(nobody, cells, groups.sizes, classes, (groups,), suppressed=0, added=0, anatomy=False)


def counted_with_spark(release: OpenedRelease, original: Any, schema: Schema) -> Counted:
    """The margins of a release and of the original that it was made of, both Spark DataFrames."""
    quasi, secret = schema.names(Role.QUASI), schema.names(Role.SENSITIVE)
    if not quasi:
        raise MeasureError("the original has no quasi-identifier; name the columns that the release generalises")
    choose(original.columns, [*quasi, *secret], "the original")
    table = Columns.of(original, [*quasi, *secret])
    n = looked_through(table, schema)["rows"]
    books = {name: counted_column(table, name, schema) for name in table.names}
    facts = RecipeFacts.of(release.recipe)
    counted = _Original(table, n, [books[name] for name in quasi], [books[name] for name in secret])
    return _two_tables(release, counted, facts) if release.in_two else _one_table(release, counted, facts)


@dataclass(frozen=True, eq=False)
class _Original:
    """The original: its rows with Spark, how many there are, and what occurs in its columns."""

    table: Columns
    rows: int
    quasi: Sequence[Book]
    secret: Sequence[Book]

    @property
    def books(self) -> list[Book]:
        return [*self.quasi, *self.secret]

    def as_it_was(self) -> _Original:
        """Before quasi-identifiers were rounded and capped, which is what figures are about."""
        return replace(self, quasi=[book.as_it_was() for book in self.quasi])

    def in_codes(self) -> Columns:
        return self.table.coded({book.attribute.name: (book.values.to_frame(), book.codes) for book in self.books})


@dataclass(frozen=True, eq=False)
class _Margins:
    """What each quasi-identifier may be, and how many published rows say so."""

    columns: Sequence[Margin]
    weights: Sequence[Integers]

    def as_it_was(self, quasi: Sequence[Book]) -> _Margins:
        """The same of the columns before they were rounded and capped."""
        made = [
            Margin(book.before.attribute, before_rounding(margin.choices, margin.attribute, book.before))
            if book.before is not None
            else margin
            for margin, book in zip(self.columns, quasi, strict=True)
        ]
        return _Margins(made, self.weights)


def _published(release: OpenedRelease, books: Sequence[Book]) -> list[list[str]]:
    """The columns in which a release in one table has each of these."""
    return [as_published(release.columns(), book.attribute.name, release.name) for book in books]


def _codes_beside(
    table: Columns, secret: Sequence[Book], carried: Sequence[str], facts: RecipeFacts
) -> dict[str, tuple[pl.DataFrame, Codes]]:
    """The published values, and their codes, of the sensitive columns and of those that are carried as they are."""
    codes = {book.attribute.name: _checked_values(book, table, facts) for book in secret}
    for name in carried:
        values, _ = table.values(name)
        codes[name] = (values, np.arange(values.height, dtype=np.int32))
    return codes


def _one_table(release: OpenedRelease, original: _Original, facts: RecipeFacts) -> Counted:
    quasi, secret = original.quasi, original.secret
    ends = _published(release, quasi)
    _published(release, secret)  # raises where one is not there
    carried = [name for column in facts.carried for name in published_as(column, release.columns())]
    names = [*chain.from_iterable(ends), *(book.attribute.name for book in secret), *carried]
    table = Columns.of(release.tables[WHOLE], list(dict.fromkeys(names)))
    published = table.count()
    if published == 0:
        raise MeasureError("{release} has no rows; there is nothing to measure", release=release.name)
    facts.check_rows(original.rows, published, published)
    values = [table.values(*names) for names in ends]
    blank = [facts.suppressed_by_null(*of, book.attribute, book.counts) for book, of in zip(quasi, values, strict=True)]
    hidden, shown = _without_stars(table, ends, blank) if release.recipe is None else (0, table)
    margins, codes = _margins_of(values, shown if hidden else None, quasi, blank, facts)
    suppressed, added = facts.check_rows(original.rows, published, published - hidden)
    check_covered(margins.columns, [book.counts for book in quasi], suppressed)
    codes |= _codes_beside(table, secret, carried, facts)
    # different texts may say the same: classes are formed by what they say
    in_codes = shown.coded(codes)
    classes = in_codes.only([*(book.attribute.name for book in quasi), *carried])
    counted = _counted(original, margins, published - hidden, classes, (suppressed, added), facts)
    ask = Asker(original.as_it_was().in_codes(), counted.books, in_codes, counted.columns)
    return replace(counted, carried=facts.carried, ask=ask)


def _without_stars(table: Columns, ends: Sequence[Sequence[str]], blank: Sequence[bool]) -> tuple[int, Columns]:
    """How many rows have nothing but stars, and the others: so others than us show what they leave out.

    In columns that are ``blank`` null is one.
    Where all rows are so, they are a table that is generalised as far as it goes.
    """
    cells = [(table[names[0]].cast("string"), null) for names, null in zip(ends, blank, strict=True)]
    stars = reduce(
        and_, [cell.eqNullSafe(STAR) | cell.isNull() if null else cell.eqNullSafe(STAR) for cell, null in cells]
    )
    others = table.where(~stars)
    hidden = table.sums({"hidden": stars})["hidden"]
    return (0, table) if hidden in (0, table.count()) else (hidden, others)


def _margins_of(
    published: Sequence[tuple[pl.DataFrame, Integers]],
    shown: Columns | None,
    quasi: Sequence[Book],
    blank: Sequence[bool],
    facts: RecipeFacts,
) -> tuple[_Margins, dict[str, tuple[pl.DataFrame, Codes]]]:
    """The margins by the rows that are ``shown``, all unless given, and codes of what each column publishes."""
    margins, weights, codes = [], [], {}
    for book, (values, rows), suppressed in zip(quasi, published, blank, strict=True):
        code, choices = choices_of(book.attribute, values, values.columns, facts.writer, suppressed=suppressed)
        margins.append(Margin(book.attribute, choices))
        weights.append(added_up(code, rows if shown is None else _kept(shown, values.columns, values), len(choices)))
        codes[book.attribute.name] = (values, code)
    return _Margins(margins, weights), codes


def _two_tables(release: OpenedRelease, original: _Original, facts: RecipeFacts) -> Counted:
    """Anatomy: quasi-identifiers as they are, and a class for each group number."""
    left, right = (release.columns(name) for name in SPLIT)
    number = group_number(left, right, {book.attribute.name for book in original.books})
    names, secrets = ([book.attribute.name for book in books] for books in (original.quasi, original.secret))
    for name, columns in [*((name, left) for name in names), *((name, right) for name in secrets)]:
        as_published(columns, name, release.name)
    people = Columns.of(release.tables[SPLIT[0]], [number, *names])
    values = Columns.of(release.tables[SPLIT[1]], [number, *secrets])
    require_joined(people, values, number)
    rows = people.count()
    suppressed, added = facts.check_rows(original.rows, rows, rows)
    margins = _exact_margins(people, original, suppressed)
    for book in original.secret:
        _checked_values(book, values, facts)
    return _counted(original, margins, rows, people.only([number]), (suppressed, added), facts)


def _exact_margins(people: Columns, original: _Original, suppressed: int) -> _Margins:
    """The margins of columns that are published as they are; raise where one is not, or has what nobody has."""
    margins, weights, occurring = [], [], []
    for book in original.quasi:
        attribute = book.attribute
        published, counts = people.values(attribute.name)
        of_value, choices = choices_of(attribute, published, [attribute.name], AsItIs())
        if not choices.single.all():
            raise MeasureError(
                f"{attribute.name!r} of the table quasi_identifiers is generalised; a release in two tables has values"
            )
        exact = single_codes(attribute, choices)[of_value].astype(np.int32)
        every = values_as_they_are(attribute, np.arange(len(attribute)))
        margins.append(Margin(attribute, every))
        occurring.append(Margin(attribute, every.take(np.unique(exact))))
        weights.append(added_up(exact, counts, len(attribute)))
    check_covered(occurring, [book.counts for book in original.quasi], suppressed)
    return _Margins(margins, weights)


def _counted(
    original: _Original,
    margins: _Margins,
    rows: int,
    classes: Columns,
    suppressed_and_added: tuple[int, int],
    facts: RecipeFacts,
) -> Counted:
    suppressed, added = suppressed_and_added
    margins = margins.as_it_was(original.quasi)
    rounded = [(book.attribute, book.before) for book in original.secret]
    original = original.as_it_was()
    return Counted(
        columns=tuple(margins.columns),
        secrets=tuple(book.attribute.name for book in original.secret),
        weights=tuple(margins.weights),
        original=tuple(book.counts for book in original.quasi),
        original_rows=original.rows,
        rows=rows,
        class_sizes=classes.class_sizes(),
        suppressed=suppressed,
        added=added,
        replaces=facts.replaces,
        books=tuple(book.attribute for book in original.books),
        notes=tuple(left_out(of, len(before.attribute)) for of, before in rounded if before is not None),
    )


def _checked_values(book: Book, table: Columns, facts: RecipeFacts) -> tuple[pl.DataFrame, Codes]:
    """The published sensitive values and their codes, after checking that the original has as many of each."""
    values, rows = table.values(book.attribute.name)
    codes = values_of(values[book.attribute.name], book.attribute)
    facts.check_values(book.attribute, added_up(codes, rows, len(book.attribute)), book.counts)
    return values, codes


def _kept(shown: Columns, names: Sequence[str], values: pl.DataFrame) -> Integers:
    """How many of the rows that are shown have each of these values."""
    published_values, rows = shown.values(*names)
    counted = published_values.with_columns(pl.Series("@rows", rows))
    kept = values.join(counted, on=list(names), how="left", nulls_equal=True, maintain_order="left")
    return kept["@rows"].fill_null(0).to_numpy().astype(np.int64)
