"""The two sides of a column in words: whose values are marked, and the condition that all others meet."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.schema.condition import RESERVED
from pellucid.core.schema.roles import Kind
from pellucid.text.values import label_of

Marks = NDArray[np.bool_]

MOST_VALUES = 6  # that a condition lists
NUMBER = re.compile(r"-?\d+(\.\d+)?")  # as a condition has it, without quotation marks


def in_words(name: str, kind: Kind, values: pl.Series, outside: Marks) -> tuple[str, str] | None:
    """Whose values of a column are marked, and the condition that the others meet; None where that cannot be written.

    Null comes first among the values. A comparison with it is false.

    >>> in_words("wait.time", Kind.NUMBER, pl.Series([None, 5, 9]), np.array([True, False, False]))
    ('wait.time null', '`wait.time` is not null')
    """
    spelled, first = as_written(name), values.null_count()
    null = bool(first and outside[0])
    inside = np.flatnonzero(~outside)[first - null :]
    if "`" in name or not len(inside):
        return None
    if null and outside.sum() == 1:
        return f"{name} null", f"{spelled} is not null"
    if kind in (Kind.NUMBER, Kind.DATE):
        return _beyond_in_words(name, kind, values, outside, inside)
    return _listed_in_words(name, kind, values, np.flatnonzero(outside)[int(null) :], null=null)


def _listed_in_words(
    name: str, kind: Kind, values: pl.Series, outside: NDArray[np.intp], *, null: bool
) -> tuple[str, str] | None:
    """The same of values without an order, each by itself."""
    labels = [label_of(values[int(code)]) for code in outside]
    plain = kind is Kind.CATEGORY and values.dtype.is_numeric()
    if len(labels) > MOST_VALUES or not all(map(NUMBER.fullmatch if plain else _quotable, labels)):
        return None
    others = f"{as_written(name)} not in [{', '.join(labels if plain else map(_quoted, labels))}]"
    some = f"{others} and {as_written(name)} is not null"
    return f"{name} = {' or '.join(labels)}{' or null' * null}", some if null else others


def _quotable(label: str) -> bool:
    return '"' not in label


def _quoted(label: str) -> str:
    return f'"{label}"'


def as_written(name: str) -> str:
    """A column's name as a condition has it."""
    plain = re.fullmatch(r"[^\W\d]\w*", name) and name.lower() not in RESERVED
    return name if plain else f"`{name}`"


def _beyond_in_words(
    name: str, kind: Kind, values: pl.Series, outside: Marks, inside: NDArray[np.intp]
) -> tuple[str, str] | None:
    """The same of the ends of a column of numbers or dates."""
    if outside[inside[0] : inside[-1]].any():
        return None
    spelled, first = as_written(name), values.null_count()
    ends = [("below", ">=", inside[0])] if outside[first] else []
    ends += [("above", "<=", inside[-1])] if outside[-1] else []
    labels = [label_of(values[int(code)]) for _, _, code in ends]
    quoted = [f'"{label}"' if kind is Kind.DATE else label for label in labels]
    null = bool(first and outside[0])
    whom = " or ".join([f"{end} {label}" for (end, _, _), label in zip(ends, labels, strict=True)] + ["null"] * null)
    others = " and ".join(f"{spelled} {sign} {value}" for (_, sign, _), value in zip(ends, quoted, strict=True))
    return f"{name} {whom}", others + f" or {spelled} is null" * (first - null)
