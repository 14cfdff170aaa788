"""E1 for local recoding: some rows of each class were generalised, the others are published as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import ModelError
from pellucid.model import PrivacyModel
from pellucid.posterior.column import Posterior, SensitiveColumn, restricted
from pellucid.posterior.exclusion import BUDGET, check_sizes, posterior_of_classes


def local_classes(  # noqa: PLR0913  (a public verb)
    class_sizes: Sequence[int],
    kept: Sequence[Mapping[Any, int]],
    generalized_from: Sequence[int],
    counts: Mapping[Any, int],
    model: PrivacyModel,
    sensitive: Iterable[Any] | None = None,
    *,
    together: bool = False,
    table_counts: Mapping[Any, int] | None = None,
    exact: bool = False,
    budget: int = BUDGET,
) -> list[Posterior]:
    """What somebody believes of a person of each class who knows that some class as a whole violated the model.

    Class i has ``class_sizes[i]`` rows. ``kept[i]`` counts those that were published with the class's own
    quasi-identifiers; ``generalized_from[i]`` rows were generalised, and the generalised group has these ``counts``.
    Which of a class's rows were generalised is not known. ``table_counts`` is the whole table's distribution for models
    that compare with it; that of these classes unless given.

    >>> from pellucid.model.l_diversity import LDiversity
    >>> local_classes([5, 8], [{"HIV": 2, "other": 2}, {"HIV": 1, "other": 6}], [1, 1], {"HIV": 1, "other": 1},
    ...               LDiversity(l=2), ["HIV"])
    [{'HIV': 0.6, 'other': 0.4}, {'HIV': 0.125, 'other': 0.875}]

    Reference: Wong, Fu, Wang, Pei: Minimality attack in privacy preserving data publishing. VLDB 2007, section 4.
    """
    model = restricted(model, sensitive, together=together)
    _check_kept(kept)
    column = SensitiveColumn.of(counts, *kept, table_counts or {})
    own = np.array([column.vector(of_class) for of_class in kept], dtype=np.int64)
    moved = [int(n) for n in generalized_from]
    _check_classes(class_sizes, own, moved)
    check_sizes(moved, column.counts)
    whole = np.array(column.counts, dtype=np.int64) + own.sum(axis=0)
    table = whole if table_counts is None else np.array(column.vector(table_counts), dtype=np.int64)

    def violates(i: int, vectors: NDArray[np.int64]) -> NDArray[np.bool_]:
        return ~column.satisfied(model, vectors + own[i], table)

    limits = [column.limits(model, n, own[i].tolist()) for i, n in enumerate(class_sizes)]
    shares = posterior_of_classes(moved, column.counts, limits, violates, budget=budget)
    return [
        column.named(_of_whole_class(size, moved[i], own[i].tolist(), shares[i]), exact=exact)
        for i, size in enumerate(class_sizes)
    ]


def _check_kept(kept: Sequence[object]) -> None:
    for i, of_class in enumerate(kept):
        if not isinstance(of_class, Mapping):
            raise ModelError(f"kept[{i}] is {of_class!r}: give the counts of class {i} by value, such as {{'flu': 2}}")


def _check_classes(sizes: Sequence[int], own: NDArray[np.int64], moved: Sequence[int]) -> None:
    """Raise unless the kept and the generalised rows of each class add up to it."""
    if not len(sizes) == len(own) == len(moved):
        raise ModelError(
            f"{len(sizes)} class sizes, {len(own)} kept counts and {len(moved)} numbers of generalised rows",
            "give one of each per class",
        )
    for i, (size, rest, away) in enumerate(zip(sizes, own.sum(axis=1).tolist(), moved, strict=True)):
        if size != rest + away:
            raise ModelError(
                f"class {i} has {size} rows, but {rest} kept and {away} generalised", "the two add up to it"
            )


def _of_whole_class(size: int, moved: int, own: Sequence[int], shares: Sequence[Fraction]) -> list[Fraction]:
    """The share of each value in a class, from that among its generalised rows and the counts of the others."""
    if not size:
        return [Fraction(0)] * len(shares)
    return [(moved * share + count) / Fraction(size) for share, count in zip(shares, own, strict=True)]
