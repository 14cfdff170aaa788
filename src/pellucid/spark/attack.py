"""What somebody believes who knows how a release with Spark was made, where that is a count in every group.

With a method that promises something against whoever knows the algorithm, and whose groups tell nothing but their
values (:mod:`pellucid.posterior.shape`: every arrangement inside a group is equally likely), the belief about somebody
is the share of a value in their group, for whoever knows the method as for whoever does not. So one walk over the
groups tells the largest belief, in whose group it is, and about how many people more than a bound is believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.layout.by_cuts import InParts, TriedInParts
from pellucid.anonymize.layout.by_draws import ByLot
from pellucid.anonymize.methods import Method
from pellucid.audit.deciding_groups import STRETCH, counted_groups, whole_groups
from pellucid.core.recipe import Recipe
from pellucid.core.table import Attribute
from pellucid.errors import AttackError
from pellucid.models.groups import Groups
from pellucid.spark.audit import SparkAudit
from pellucid.spark.frames import along_groups

CLOSE = 1e-9  # shares that are closer than this are compared exactly
WITHOUT_SPARK = "attack it without Spark"


@dataclass(frozen=True, slots=True, eq=False)
class CountedBeliefs:
    """The largest share of a value in a group, the first group that has it, and the rows of groups above a bound.

    ``values`` are the rows of each code in that group, ``published`` is what the release says of it; ``largest`` are
    the rows of the largest group.
    """

    rows: int
    groups: int
    most: Fraction
    above: int
    values: Mapping[int, int]
    published: Mapping[str, Any]
    largest: int

    def and_then(self, other: CountedBeliefs) -> CountedBeliefs:
        """The same of two parts of a release, the other one behind this one."""
        worse = other if other.most > self.most else self
        return CountedBeliefs(
            self.rows + other.rows,
            self.groups + other.groups,
            worse.most,
            self.above + other.above,
            worse.values,
            worse.published,
            max(self.largest, other.largest),
        )


@dataclass(frozen=True, eq=False)
class CountLook:
    """Looks at a part of a release, as :func:`pellucid.spark.frames.along_groups` hands it over."""

    attribute: Attribute
    table_counts: NDArray[np.int64]
    bound: Fraction | None

    def __call__(self, frames: Iterable[pl.DataFrame]) -> CountedBeliefs | None:
        """What is believed of somebody there; None when there is no group."""
        beliefs: CountedBeliefs | None = None
        for entries in whole_groups(frames, STRETCH):
            new = counted_beliefs(*counted_groups(entries, self.attribute, self.table_counts), self.bound)
            beliefs = new if beliefs is None else beliefs.and_then(new)
        return beliefs


def counted_beliefs(groups: Groups, shown: pl.DataFrame, bound: Fraction | None) -> CountedBeliefs:
    """What is believed of somebody in these groups.

    >>> from pellucid.models.groups import numbered
    >>> groups = Groups.of_counts(np.array([[2, 2], [1, 3], [6, 2]]), np.array([9, 7]), numbered(2))
    >>> told = counted_beliefs(groups, pl.DataFrame({"age": ["20", "30", "40"]}), Fraction(1, 2))
    >>> told.most, told.above, told.published, told.largest
    (Fraction(3, 4), 12, {'age': '30'}, 8)
    """
    largest = np.maximum.reduceat(groups.counts, groups.starts[:-1])
    shares = largest / groups.sizes
    near = np.flatnonzero(shares >= shares.max() - CLOSE)
    exact = [Fraction(int(largest[g]), int(groups.sizes[g])) for g in near.tolist()]
    most = max(exact)
    group = int(near[exact.index(most)])
    above = 0
    if bound is not None:
        over = largest * bound.denominator > groups.sizes * bound.numerator
        above = int(groups.sizes[over].sum())
    first, end = int(groups.starts[group]), int(groups.starts[group + 1])
    values = dict(zip(groups.codes[first:end].tolist(), groups.counts[first:end].tolist(), strict=True))
    published, sizes = shown.row(group, named=True), groups.sizes
    return CountedBeliefs(int(sizes.sum()), len(sizes), most, above, values, published, int(sizes.max()))


def believed(audit: SparkAudit, column: str, bound: Fraction | None) -> CountedBeliefs:
    """One walk over the groups of a release."""
    book = audit.books[column]
    look = CountLook(book.attribute, book.counts, bound)
    parts: list[CountedBeliefs] = along_groups(audit.table, audit.forming, column, look)
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.and_then(part)
    return replace(whole, published=dict(zip(audit.forming, whole.published.values(), strict=True)))


def require_counts_tell_all(recipe: Recipe | None) -> Method:
    """The method of a release whose groups tell nothing but their values; raises for any other.

    These are the methods that Spark publishes with, but soft-cut: where it was refused a cut, the group tells more.
    """
    if recipe is None or recipe.method is None:
        raise AttackError(
            "no recipe says how this release was made, and with Spark an attack is a count of values in groups, which "
            "is all that follows for some methods only: {WITHOUT_SPARK}, and say how it was made"
        )
    method = recipe.made_by
    if isinstance(method, TriedInParts):
        raise AttackError(
            "{method} tries cuts, and a group whose cut was refused tells more than its values, which is "
            "worked out from rows in memory: {WITHOUT_SPARK}",
            method=recipe.method,
        )
    if not isinstance(method, InParts | ByLot) or method.claim != "algorithm" or recipe.guarantee != "algorithm":
        raise AttackError(
            "{method} with its parameters promises nothing against whoever knows the algorithm (guarantee = "
            "{guarantee}), so that its groups may tell more than their values: {WITHOUT_SPARK}",
            method=recipe.method,
            guarantee=recipe.guarantee,
        )
    if method.whole_from is not None:
        raise AttackError(
            "{method} bounds each person by their own stratum, which an attack cuts again from the people of the table",
            "attack it without Spark, with the table",
            method=recipe.method,
        )
    required = method.satisfied("")
    if getattr(required, "sensitive", None) is not None or getattr(method, "cluster_rows", None) is not None:
        raise AttackError(
            "{method} promises something about some values or about units of several rows here, which is "
            "looked at in memory: {WITHOUT_SPARK}",
            method=recipe.method,
        )
    if recipe.changes or recipe.suppressed:
        raise AttackError("this release withholds or changes rows, which is looked at in memory: {WITHOUT_SPARK}")
    return method
