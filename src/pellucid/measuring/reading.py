"""What a release on disk shows, whoever made it: published texts become choices of the original's columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.audit.covering import INTERVAL, OR_NULL, Covering
from pellucid.audit.number_line import number_of
from pellucid.audit.source import SPLIT, Source
from pellucid.audit.two_tables import joined_groups
from pellucid.errors import MeasureError
from pellucid.group.entries import sort_rows
from pellucid.io.codes import coded
from pellucid.measuring.cells import (
    Choices,
    Integers,
    Ticks,
    anything,
    intervals,
    is_line,
    names,
    sets,
    values_as_they_are,
)
from pellucid.measuring.shown import Cells, Shown
from pellucid.model import Groups
from pellucid.schema import Role
from pellucid.table import Attribute, Codes, Table
from pellucid.taxonomy.wording import label_of

STAR = "*"
REPLACED, ADDED = "replaced", "added"


def shown_in(source: Source, table: Table) -> Shown:
    """What the tables of a release show of the original."""
    told = _Told.of(source.recipe)
    if source.in_two:
        return _two_tables(source, table, told)
    quasi = [table.attributes[i] for i in table.having(Role.QUASI)]
    columns = [_as_published(source.columns(), attribute.name, source.name) for attribute in quasi]
    secret = [table.attributes[i] for i in table.having(Role.SENSITIVE)]
    frame = source.read(list(dict.fromkeys([*(name for names_ in columns for name in names_), *_names(secret)])))
    if frame.height == 0:
        raise MeasureError(f"{source.name} has no rows; there is nothing to measure")
    told.check_rows(len(table), frame.height, frame.height)
    found = [_column(a, frame, of, spans=told.spans) for a, of in zip(quasi, columns, strict=True)]
    sizes = [len(choices) for _, choices in found]
    rows, starts = sort_rows([codes for codes, _ in found], sizes, 1)
    first = rows[starts[:-1]]
    labels = np.empty(frame.height, np.int32)
    labels[rows] = np.repeat(np.arange(len(first), dtype=np.int32), np.diff(starts))
    cells = tuple(
        Cells(attribute, choices, codes[first]) for attribute, (codes, choices) in zip(quasi, found, strict=True)
    )
    hidden = np.zeros(len(first), np.bool_)
    if source.recipe is None:  # what others leave out they show with nothing but stars
        hidden[:] = True
        for names_ in columns:
            stars = (frame[names_[0]].cast(pl.String) == STAR).fill_null(False).to_numpy()
            hidden &= stars[first]
    return _counted(table, told, cells, labels, hidden, [_coded(frame[a.name], a) for a in secret], frame.height)


def _check_covered(table: Table, cells: Sequence[Cells], suppressed: int) -> None:
    """Raise when more rows of the original than are suppressed have a value that nothing published covers."""
    for column, of in zip(table.having(Role.QUASI), cells, strict=True):
        counts = np.bincount(table.codes[column], minlength=len(of.attribute))
        left_out = np.flatnonzero(~of.choices.covers(of.ticks))
        if int(counts[left_out].sum()) > suppressed:
            value = of.attribute.values[int(left_out[0])]
            raise MeasureError(
                f"{int(counts[left_out].sum()):,} rows of the original have a {of.attribute.name!r}, such as "
                f"{'null' if value is None else label_of(value)}, that no published value covers; "
                "give the table that the release was made of"
            )


def _counted(
    table: Table,
    told: _Told,
    cells: tuple[Cells, ...],
    labels: Codes,
    hidden: NDArray[np.bool_],
    secrets: Sequence[Codes],
    rows: int,
) -> Shown:
    """Leave the hidden boxes out, count the classes, and see that the rows add up."""
    n = len(table)
    kept = int((~hidden[labels]).sum())
    suppressed, added = told.check_rows(n, rows, kept)
    _check_covered(table, cells, suppressed)
    if kept == 0:
        raise MeasureError("the release has nothing but suppressed rows; there is nothing to measure")
    place = (np.cumsum(~hidden) - 1).astype(np.int32)
    labels = np.where(hidden[labels], np.int32(-1), place[labels])
    cells = tuple(Cells(of.attribute, of.choices, of.of_box[~hidden]) for of in cells)
    attributes = [table.attributes[i] for i in table.having(Role.SENSITIVE)]
    groups = tuple(Groups.of(labels, codes, of) for codes, of in zip(secrets, attributes, strict=True))
    for codes, column in zip(secrets, table.having(Role.SENSITIVE), strict=True):
        told.check_values(table.attributes[column], codes, table.codes[column])
    sizes = np.bincount(labels[labels >= 0]).astype(np.int64)
    classes = np.arange(len(sizes), dtype=np.int32)
    return Shown(table, cells, sizes, classes, groups, suppressed, added, anatomy=False, replaces=told.replaces)


def _two_tables(source: Source, table: Table, told: _Told) -> Shown:
    """Anatomy: quasi-identifiers as they are, joined to the sensitive values by a group number."""
    left, right = (source.columns(name) for name in SPLIT)
    mine = {attribute.name for attribute in table.attributes}
    shared = [name for name in left if name in right and name not in mine]
    if len(shared) != 1:
        raise MeasureError("the tables quasi_identifiers and sensitive must share one column, the group number")
    numbers = joined_groups(source, shared[0])
    quasi = [table.attributes[i] for i in table.having(Role.QUASI)]
    secret = [table.attributes[i] for i in table.having(Role.SENSITIVE)]
    for attribute, there in [*((a, left) for a in quasi), *((a, right) for a in secret)]:
        _as_published(there, attribute.name, source.name)
    people = source.read([shared[0], *_names(quasi)], SPLIT[0])
    suppressed, added = told.check_rows(len(table), people.height, people.height)
    values = source.read(_names(secret), SPLIT[1])
    both = pl.concat([people[shared[0]].cast(pl.String), numbers.cast(pl.String)])
    _, codes, _ = coded(both)
    of_person, of_value = codes[: people.height], codes[people.height :]
    order = np.argsort(of_person, kind="stable")
    cells = []
    for attribute in quasi:
        of_row, choices = _column(attribute, people, [attribute.name])
        if not choices.single.all():
            raise MeasureError(
                f"{attribute.name!r} of the table quasi_identifiers is generalised; a release in two tables has values"
            )
        exact = _codes_of(attribute, choices)[of_row]
        cells.append(
            Cells(attribute, values_as_they_are(attribute, np.arange(len(attribute))), exact[order].astype(np.int32))
        )
    whole = [Cells(of.attribute, of.choices.take(np.unique(of.of_box)), of.of_box) for of in cells]
    _check_covered(table, whole, suppressed)
    secrets = [_coded(values[attribute.name], attribute) for attribute in secret]
    groups = tuple(Groups.of(of_value, of, attribute) for of, attribute in zip(secrets, secret, strict=True))
    for of, column in zip(secrets, table.having(Role.SENSITIVE), strict=True):
        told.check_values(table.attributes[column], of, table.codes[column])
    ones = np.ones(people.height, np.int64)
    classes = of_person[order].astype(np.int32)
    return Shown(table, tuple(cells), ones, classes, groups, suppressed, added, anatomy=True, replaces=told.replaces)


def _codes_of(attribute: Attribute, choices: Choices) -> Integers:
    """The code of each choice that is one value."""
    places = Ticks.of(attribute).of_code
    null = int(attribute.has_null)
    found = np.zeros(len(choices), np.int64)
    single = ~choices.nulls
    found[single] = np.searchsorted(places[null:], choices.low[choices.starts[:-1][single]]) + null
    return found


@dataclass(frozen=True, slots=True)
class _Told:
    """What a recipe says about rows; nothing when there is none."""

    suppressed: int | None
    replaces: bool
    adds: bool
    spans: bool = False

    @classmethod
    def of(cls, recipe: Mapping[str, Any] | None) -> _Told:
        if recipe is None:
            return cls(None, replaces=False, adds=False)
        changes = " ".join(recipe.get("changes", ()))
        return cls(
            int(recipe.get("suppressed", 0)), REPLACED in changes, ADDED in changes, recipe.get("recode") == "intervals"
        )

    def check_rows(self, original: int, published: int, kept: int) -> tuple[int, int]:
        """How many rows are suppressed and how many added; raise when the numbers do not add up."""
        suppressed = self.suppressed if self.suppressed is not None else max(original - kept, 0)
        added = kept - (original - suppressed)
        if added != 0 and not (self.adds and added > 0):
            left_out = f" and leaves {suppressed:,} out" if suppressed else ""
            raise MeasureError(
                f"the release has {published:,} rows{left_out}, and the original has {original:,}; "
                "give the table that the release was made of"
            )
        return suppressed, added

    def check_values(self, attribute: Attribute, published: Codes, original: Codes) -> None:
        """Raise when a sensitive value is published more often than it occurs, though nothing was changed."""
        if self.replaces or self.adds:
            return
        more = np.bincount(published, minlength=len(attribute)) - np.bincount(original, minlength=len(attribute))
        if more.max() > 0:
            code = int(more.argmax())
            shown = "null" if attribute.values[code] is None else repr(attribute.values[code])
            raise MeasureError(
                f"{shown} is the {attribute.name!r} of {int(more[code]):,} more rows in the release than in the "
                "original; give the table that the release was made of"
            )


def _names(attributes: Sequence[Attribute]) -> list[str]:
    return [attribute.name for attribute in attributes]


def _as_published(available: Sequence[str], name: str, source: str) -> list[str]:
    """A column under its own name, or as the ends of its intervals."""
    if name in available:
        return [name]
    ends = [f"{name}_{end}" for end in ("low", "high", "nulls")]
    if ends[0] in available and ends[1] in available:
        return [end for end in ends if end in available]
    raise MeasureError(
        f"{source} has no column {name!r}, which the original has; its columns: {', '.join(map(repr, available))}"
    )


def _coded(series: pl.Series, attribute: Attribute) -> Codes:
    """Published sensitive values as codes of the original's column."""
    values, codes, has_null = coded(series)
    covering = Covering(attribute.values)
    place = np.zeros(len(values) + int(has_null), np.int32)
    spelled: list[Any] = ([None] if has_null else []) + values.to_list()
    for i, value in enumerate(spelled):
        found = np.flatnonzero(covering.of(value))
        if len(found) != 1:
            what = "null" if value is None else repr(label_of(value))
            raise MeasureError(
                f"{what} is a published {attribute.name!r} and no value of the original's; "
                "give the table that the release was made of"
            )
        place[i] = found[0]
    return place[codes]


def _column(
    attribute: Attribute, frame: pl.DataFrame, columns: Sequence[str], *, spans: bool = False
) -> tuple[Codes, Choices]:
    """The choice of each row, and the choices, each once."""
    reader = _Reader(attribute, spans=spans)
    if len(columns) == 1:
        values, codes, has_null = coded(frame[columns[0]])
        made = [reader.choice(value) for value in ([None] if has_null else []) + values.to_list()]
    else:
        distinct = frame.select(columns).unique(maintain_order=True).with_row_index("@")
        codes = (
            frame.select(columns)
            .join(distinct, on=columns, how="left", nulls_equal=True, maintain_order="left")["@"]
            .to_numpy()
            .astype(np.int32)
        )
        places = [next((i for i, name in enumerate(columns) if name.endswith(end)), None) for end in _ENDS]
        made = [
            reader.between(*(None if at is None else row[at] for at in places))
            for row in distinct.drop("@").iter_rows()
        ]
    return _each_once(codes.astype(np.int32), Choices.joined(made))


_ENDS = ("_low", "_high", "_nulls")


def _each_once(codes: Codes, choices: Choices) -> tuple[Codes, Choices]:
    """Different texts may say the same: they are one choice."""
    keys: dict[tuple[bytes, bytes, bool, float], int] = {}
    place = np.empty(len(choices), np.int32)
    first = []
    for i in range(len(choices)):
        part = slice(int(choices.starts[i]), int(choices.starts[i + 1]))
        key = (
            choices.low[part].tobytes(),
            choices.high[part].tobytes(),
            bool(choices.nulls[i]),
            float(choices.height[i]),
        )
        if key not in keys:
            keys[key] = len(keys)
            first.append(i)
        place[i] = keys[key]
    return place[codes], choices.take(first)


class _Reader:
    """Reads the published texts of one column.

    ``spans`` says that numbers, dates and ordered values are published as intervals, also where an interval reads like
    a name in the taxonomy.
    """

    def __init__(self, attribute: Attribute, *, spans: bool) -> None:
        self.attribute = attribute
        self.named = attribute.taxonomy is not None and not (spans and is_line(attribute))
        self.ticks = Ticks.of(attribute)
        taxonomy = attribute.taxonomy
        order = [label_of(value) for value in attribute.values.drop_nulls().to_list()] if is_line(attribute) else []
        self.covering = Covering(attribute.values, taxonomy=taxonomy, order=order)
        self.labels = [None if value is None else label_of(value) for value in attribute.values.to_list()]
        self.null = np.flatnonzero(attribute.values.is_null().to_numpy())

    def choice(self, published: object) -> Choices:
        """What a published value leaves open."""
        attribute = self.attribute
        if published is None:
            return self._values(self.null, published)
        text = label_of(published)
        exact = np.flatnonzero(self.covering.of(published)) if text != STAR else self.null[:0]
        if len(exact) == 1 and self.labels[int(exact[0])] == text:
            return values_as_they_are(attribute, exact)
        if text == STAR:
            return anything(attribute)
        if self.named and attribute.taxonomy is not None and attribute.taxonomy.knows(text):
            return names(attribute, [text])
        bare = text.removesuffix(OR_NULL) if text.endswith(OR_NULL) else text
        nulls = bare != text
        span = INTERVAL.match(bare)
        if span and is_line(attribute):
            ends = self._ends(bare, without=(span[1] != "[", span[4] != "]"), low=span[2], high=span[3])
            if ends is not None:
                return intervals(attribute, *ends, np.array([nulls]))
        if nulls and is_line(attribute) and not bare.startswith("{"):
            alone = np.flatnonzero(self.covering.of(bare))
            if len(alone):
                at = self.ticks.of_code[alone]
                return intervals(attribute, at[:1], at[-1:], np.array([True]))
        return self._values(exact, published)

    def between(self, low: object, high: object, nulls: object) -> Choices:
        """The same for an interval whose ends are columns of their own."""
        if low is None:
            return self._values(self.null, None)
        text = f"[{label_of(low)}, {label_of(high)}]"
        if nulls in ("some", "all"):
            text += OR_NULL
        return self.choice(text)

    def _values(self, codes: Integers, published: object) -> Choices:
        """A set of values that occur in the original."""
        if len(codes) == 0:
            what = "null" if published is None else repr(label_of(published))
            raise MeasureError(
                f"{what} is a published {self.attribute.name!r} that covers no value of the original; "
                "give the table that the release was made of, and the schema with its taxonomies"
            )
        if len(codes) == 1:
            return values_as_they_are(self.attribute, codes)
        return sets(self.attribute, np.zeros(len(codes), np.int64), codes, 1)

    def _ends(self, text: str, *, without: tuple[bool, bool], low: str, high: str) -> tuple[Integers, Integers] | None:
        """The first and the last tick inside an interval: where its ends lie, not only the values in it."""
        inside = np.flatnonzero(self.covering.of(text))
        if len(inside) == 0:
            return None
        first, last = int(self.ticks.of_code[inside[0]]), int(self.ticks.of_code[inside[-1]])
        start, end = self._tick(low), self._tick(high)
        if start is not None:
            ceiling = -(-start.numerator // start.denominator)
            first = min(first, ceiling + int(without[0] and ceiling == start))
        if end is not None:
            floor = end.numerator // end.denominator
            last = max(last, floor - int(without[1] and floor == end))
        return np.array([max(first, 0)]), np.array([min(last, self.ticks.count - 1)])

    def _tick(self, text: str) -> Fraction | None:
        """Where a number lies on the line, exactly; None where there are no two values to tell the scale from."""
        number = number_of(text.strip('"'))
        values, null = self.attribute.values, int(self.attribute.has_null)
        if number is None or not values.dtype.is_numeric() or len(values) - null < 2:
            return None
        a, b = (Fraction(str(values[i])) for i in (null, len(values) - 1))
        p, q = int(self.ticks.of_code[null]), int(self.ticks.of_code[-1])
        return p + (Fraction(number) - a) * (q - p) / (b - a)
