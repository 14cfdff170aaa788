"""What a steward should know about a release besides its levels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import fsum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.audit.roles import ReleaseRoles
from pellucid.audit.source import OpenedRelease
from pellucid.core.recipe import Recipe
from pellucid.core.schema import Kind
from pellucid.core.table import Attribute, Table
from pellucid.text.figures import counted, figure
from pellucid.text.values import in_quotes

STANDINS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")  # what people write for null
SHOWN = 8
SCALED = 1.05  # weights below that on average were divided by their mean; calibrated ones are larger, if not each


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """``name`` for a program, ``sentence`` for a person, and how many rows it is about where it is about rows."""

    name: str
    sentence: str
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class NullCounts:
    """How many rows of a column are null, and how many are a text that people write for null, by text."""

    name: str
    nulls: int
    standins: Mapping[str, int]

    @classmethod
    def of(cls, attribute: Attribute, rows_with: Callable[[int], int]) -> NullCounts:
        """From how many rows have a code."""
        values = attribute.values
        standing_in = values.is_in(STANDINS).fill_null(False).arg_true().to_list() if values.dtype == pl.String else []
        nulls = rows_with(0) if attribute.has_null else 0
        return cls(attribute.name, nulls, {values[code]: rows_with(code) for code in standing_in})


def held_in(table: Table) -> Iterator[NullCounts]:
    """Column by column."""
    for attribute, codes in zip(table.attributes, table.codes, strict=True):
        yield NullCounts.of(attribute, lambda code, codes=codes: int(np.count_nonzero(codes == code)))  # type: ignore[misc]


def _orders_not_told(recipe: Recipe, roles: ReleaseRoles) -> Iterator[AuditFinding]:
    for column in recipe.columns:
        declared = roles.sensitive.get(column.name)
        if column.kind is Kind.ORDERED and declared is not None and declared.kind is Kind.CATEGORY:
            yield AuditFinding(
                "order",
                f"column {column.name!r} is ordered, but the recipe does not say how; give a schema with its "
                "order for the ordered distance",
            )


def findings(
    source: OpenedRelease,
    roles: ReleaseRoles,
    columns: Iterable[NullCounts],
    hidden: int,
    rows: int,
    *,
    exempt: bool,
    weights: NDArray[np.float64] | None = None,
) -> Iterator[AuditFinding]:
    """Everything worth saying, the gravest first; of so many rows, some are hidden."""
    for name in roles.identifying:
        yield AuditFinding("identifier", f"column {name!r} names people and is in the release; take it out")
    if hidden:
        yield _suppressed(hidden, rows, exempt=exempt)
    if roles.group is not None:
        yield AuditFinding(
            "two tables",
            "the quasi-identifiers are published as they are: k counts the rows that share a group number, so it "
            "bounds what is learnt about sensitive values, not whether a person is recognised",
        )
    for column in columns:
        yield from _standins(column)
    if source.recipe is not None:
        yield from _orders_not_told(source.recipe, roles)
    yield from _weights(roles, weights)
    if roles.unnamed:
        names = ", ".join(roles.unnamed[:SHOWN]) + (", ..." if len(roles.unnamed) > SHOWN else "")
        yield AuditFinding(
            "unnamed columns",
            f"no model looks at {names}; whoever knows a person's value there may find the row all the same",
        )


def _weights(roles: ReleaseRoles, weights: NDArray[np.float64] | None) -> Iterator[AuditFinding]:
    if roles.weight is not None and not roles.tells:
        yield AuditFinding(
            "weights",
            f"the weights ({roles.weight}) form no groups here, and do where a requirement is verified: whoever knows "
            "a person's may find the row; pellucid publishes them as the mean of each group",
        )
    if (why := no_numbers_of_people(weights)) is not None:
        yield AuditFinding(
            "weights",
            f"{why}, so they are no numbers of people: nothing is estimated by them unless the size of the population "
            "is given, of which each row is then its part",
        )


def no_numbers_of_people(weights: NDArray[np.float64] | None) -> str | None:
    """Why weights are not for how many people each row stands; None without weights, or where they are.

    >>> import numpy as np
    >>> no_numbers_of_people(np.array([0.2, 0.3])), no_numbers_of_people(np.array([0.5, 1.5]))
    ('the weights add up to 0.5, less than the 2 rows', 'the weights are about 1 on average, and as low as 0.5')
    """
    if weights is None or not len(weights):
        return None
    if round(whole := fsum(weights.tolist())) < len(weights):
        return f"the weights add up to {figure(whole)}, less than the {len(weights):,} rows"
    if (least := float(weights.min())) < 1 and whole < SCALED * len(weights):
        return f"the weights are about 1 on average, and as low as {figure(least)}"
    return None


def _suppressed(hidden: int, rows: int, *, exempt: bool) -> AuditFinding:
    what = f"{hidden:,} of {rows:,} rows are suppressed: every quasi-identifier is * or null"
    why = "they are exempt, as in ARX, though their sensitive values are public"
    if not exempt:
        why = "their sensitive values are public, so they count as a group"
    return AuditFinding("suppressed", f"{what}; {why}", hidden)


def _standins(column: NullCounts) -> Iterator[AuditFinding]:
    """Nulls, and texts that somebody may have meant as null: never merged, but said."""
    if column.nulls:
        words = f"column {column.name!r} is null in {counted(column.nulls, 'row')}; a null counts as a value of its own"
        yield AuditFinding("nulls", words, column.nulls)
    if not column.standins:
        return
    words = ", ".join(
        f"{'an empty text' if text == '' else in_quotes(text)} in {counted(rows, 'row')}"
        for text, rows in column.standins.items()
    )
    rule = (
        "it counts as a value like any other" if len(column.standins) == 1 else "these count as values like any others"
    )
    if column.nulls:
        rule += ", different from null"
    yield AuditFinding("stand-ins", f"column {column.name!r} is {words}; {rule}", sum(column.standins.values()))
