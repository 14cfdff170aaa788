"""Counts by value as the models see them: a codebook and an array."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute
from pellucid.errors import ModelError
from pellucid.models import PrivacyModel
from pellucid.models.l_diversity import LDiversity
from pellucid.models.sensitive import DiversityModel
from pellucid.runtime.arguments import brief, several
from pellucid.text.values import text_of

Posterior = dict[Any, Any]  # value -> float, or Fraction when exact


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """The values of a mapping in a fixed order (null first, numbers by value, the rest by text) with their counts."""

    values: list[Any]
    counts: list[int]
    real: Attribute | None = None  # the table's own codebook, where it is known: its order, kind and taxonomy

    @classmethod
    def of(cls, counts: Mapping[Any, int], *others: Mapping[Any, int]) -> SensitiveColumn:
        """The column of these counts; values that only ``others`` have get a count of 0.

        Counts of a whole table that bring its codebook along (:class:`TableCounts`) keep its order.
        """
        given = (counts, *others)
        _refuse_other_counts(given)
        known = {value for by_value in given for value in by_value}
        for by_value in given:
            if isinstance(by_value, CountsByValue) and known <= set(by_value):
                return cls(list(by_value), [int(counts.get(value, 0)) for value in by_value], by_value.attribute)
        ordered = sorted(known - {None}) if _are_numbers(known) else sorted(known - {None}, key=str)
        values = [None, *ordered] if None in known else ordered
        return cls(values, [int(counts.get(value, 0)) for value in values])

    @property
    def total(self) -> int:
        """The number of rows."""
        return sum(self.counts)

    def vector(self, counts: Mapping[Any, int]) -> list[int]:
        """Other counts of the same values, in the same order."""
        return [int(counts.get(value, 0)) for value in self.values]

    def whole_table(self, table_counts: Mapping[Any, int] | None) -> NDArray[np.int64]:
        """The counts of the whole table for models that compare with it: the column's own unless given."""
        return np.array(self.counts if table_counts is None else self.vector(table_counts), dtype=np.int64)

    @cached_property
    def attribute(self) -> Attribute:
        """The column for models that look at values: the table's own; else numbers are numbers, the rest categories."""
        if self.real is not None:
            return self.real
        numeric = _are_numbers(self.values)
        null = int(None in self.values)
        series = pl.Series("the sensitive column", self.values if numeric else [text_of(v) for v in self.values])
        line = np.arange(len(self.values), dtype=np.int64) - null
        return Attribute(
            name="the sensitive column",
            role=Role.SENSITIVE,
            kind=Kind.NUMBER if numeric else Kind.CATEGORY,
            values=series,
            has_null=bool(null),
            positions=line,
            width=max(0, len(self.values) - 1 - null),
        )

    def satisfied(
        self, model: PrivacyModel, groups: NDArray[np.int64], table_counts: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Which of these groups (one row of counts each) satisfy the model; a group without rows satisfies any."""
        met = np.ones(len(groups), dtype=bool)
        full = groups.sum(axis=1) > 0
        if full.any():
            met[full] = model.check_counts(groups[full], table_counts, attribute=self.attribute)
        return met

    def event(self, model: PrivacyModel) -> tuple[list[int], int] | None:
        """The codes of the one event that simple l-diversity bounds, and its l; None for every other requirement."""
        if not isinstance(model, LDiversity) or model.sensitive is None:
            return None
        codes = self.codes(model.sensitive)
        return (codes, model.l) if len(codes) == 1 or model.together else None

    def limits(
        self, model: PrivacyModel, sizes: Sequence[int], kept: Sequence[KeptRows] | None = None
    ) -> list[list[int]] | None:
        """By class and value how many of these rows of a class may have it; None unless the model is such a bound.

        ``kept[i]`` counts rows that class i has beside these. A class that has too many of a value by them alone may
        have nothing, which -1 says.

        >>> column = SensitiveColumn(["a", "b"], [1, 1])
        >>> column.limits(LDiversity(l=2, sensitive=("a",)), [3, 1])
        [[1, 3], [0, 1]]
        >>> column.limits(LDiversity(l=2), [1, 2], [KeptRows([("c", 2)]), KeptRows([("a", 1)])])
        [[-1, -1], [0, 1]]
        """
        if not isinstance(model, LDiversity) or (model.together and model.sensitive is not None):
            return None
        protected = None if model.sensitive is None else set(map(text_of, model.sensitive))
        marks = [protected is None or text_of(value) in protected for value in self.values]
        if kept is None:
            return [[n // model.l if mark else n for mark in marks] for n in sizes]
        return [
            self._left(n, own, (n + own.total) // model.l, marks, protected) for n, own in zip(sizes, kept, strict=True)
        ]

    def _left(
        self, size: int, kept: KeptRows, most: int, marks: Sequence[bool], protected: set[str | None] | None
    ) -> list[int]:
        """How many of so many rows may have each value, where a class may have ``most`` of those that are marked."""
        if kept.largest > most and kept.largest_of(protected) > most:
            return [-1] * len(marks)
        held = kept.by_value
        return [most - held.get(v, 0) if mark else size for v, mark in zip(self.values, marks, strict=True)]

    def codes(self, values: Iterable[Any]) -> list[int]:
        """The codes of some values; one that is not there never occurs and is left out."""
        place = {text_of(value): code for code, value in enumerate(self.values)}
        return sorted({place[text_of(value)] for value in values if text_of(value) in place})

    def named(self, posterior: Iterable[Fraction], *, exact: bool) -> Posterior:
        """A posterior by code as a mapping from value."""
        return {v: p if exact else float(p) for v, p in zip(self.values, posterior, strict=True)}


def _refuse_other_counts(given: Sequence[Any]) -> None:
    """Raise for what does not say how many rows each value has."""
    for by_value in given:
        if not isinstance(by_value, Mapping):
            raise ModelError(f"counts = {brief(by_value)}: give the number of rows of each value, such as {{'flu': 2}}")
    for value, count in [item for by_value in given for item in by_value.items()]:
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
            raise ModelError(f"the count of {value!r} is {count!r}", "counts are whole numbers of at least 0")


def _are_numbers(values: Iterable[Any]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values if value is not None)


class TableCounts(tuple[tuple[Any, int], ...]):
    """The sensitive counts of a whole table by value, in the order of its codebook, which comes along.

    It is equal to a plain tuple of the same pairs, so shapes that have it are values still.
    """

    attribute: Attribute | None = None

    @classmethod
    def of(cls, attribute: Attribute, counts: Iterable[int]) -> TableCounts:
        """The counts of a codebook."""
        made = cls(zip(attribute.values.to_list(), counts, strict=True))
        made.attribute = attribute
        return made


class CountsByValue(dict[Any, int]):
    """The same by value."""

    attribute: Attribute | None = None


class KeptRows(tuple[tuple[Any, int], ...]):
    """How many rows of a class are published as they are, by value. Many groups have rows of the same class.

    It is equal to a plain tuple of the same pairs.

    >>> kept = KeptRows([("flu", 2), ("cold", 1)])
    >>> kept.total, kept.largest, kept.by_value
    (3, 2, {'flu': 2, 'cold': 1})
    """

    @cached_property
    def by_value(self) -> dict[Any, int]:
        """The same as a mapping."""
        return dict(self)

    @cached_property
    def total(self) -> int:
        """All of them."""
        return sum(count for _, count in self)

    @cached_property
    def largest(self) -> int:
        """Those of the most frequent value."""
        return max((count for _, count in self), default=0)

    def largest_of(self, texts: set[str | None] | None) -> int:
        """Those of the most frequent value with one of these texts; None for any value."""
        return max((count for value, count in self if texts is None or text_of(value) in texts), default=0)


def by_value(counts: tuple[tuple[Any, int], ...]) -> dict[Any, int]:
    """Counts by value; those of a table bring its codebook along.

    >>> by_value((("a", 2),))
    {'a': 2}
    """
    attribute = getattr(counts, "attribute", None)
    if attribute is None:
        return dict(counts)
    by_value_of = CountsByValue(counts)
    by_value_of.attribute = attribute
    return by_value_of


def known_model(model: object) -> None:
    """Raise unless it is a privacy model."""
    if not isinstance(model, PrivacyModel):
        raise ModelError(f"model = {brief(model)}: give a privacy model, for example pellucid.LDiversity(l=2)")


def restricted(model: PrivacyModel, sensitive: Iterable[Any] | None, *, together: bool = False) -> PrivacyModel:
    """The model for some sensitive values only.

    >>> restricted(LDiversity(l=2), ["HIV"])
    LDiversity(sensitive=('HIV',), l=2)
    """
    known_model(model)
    if sensitive is None:
        return model
    if not isinstance(model, DiversityModel):
        raise ModelError(f"{model.label} is about all values", "leave sensitive out, or use a diversity model")
    chosen = tuple(several(sensitive, "sensitive", "a list of values, as in ['HIV']", ModelError))
    given = {name: getattr(model, name) for name in model.model_fields_set}
    return type(model)(**{**given, "sensitive": chosen, **({"together": True} if together else {})})
