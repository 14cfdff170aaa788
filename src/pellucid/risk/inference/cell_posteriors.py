"""From what people weigh beforehand to what is believed of them, group by group: a ratio of permanents.

Groups of up to ``LARGEST`` people are counted exactly. Larger ones are counted by kinds of people within a budget of
states where it must be exact; who learns scales them, until people sum to one and values to their rows.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import AttackError, ModelError
from pellucid.kernels import cells as kernel
from pellucid.kernels import permanents
from pellucid.messages import Count
from pellucid.posterior.exclusion import BUDGET
from pellucid.posterior.permanents import LARGEST, SETTLED, marginals
from pellucid.posterior.qi_distribution import qi_distribution
from pellucid.risk.inference.cells import Cells, Floats
from pellucid.risk.views import Evidence

LEAST = 1e-200  # the sum over arrangements that floats hold well
ROUNDS = 200  # of scaling, at most


def to_posteriors(
    cells: Cells,
    weights: Floats,
    *,
    exactly: bool = False,
    budget: int = BUDGET,
    kinds: NDArray[np.int32] | None = None,
) -> bool:
    """Replace the weights of all cells by posteriors; whether those of all groups are exact.

    ``kinds[person]``, where they are known: people of one kind weigh the same.
    """
    sums = np.zeros(len(cells))
    small = cells.sizes <= LARGEST
    simple = small & (cells.sizes == cells.distinct)
    for size in np.unique(cells.sizes[simple]).tolist():
        alike = np.flatnonzero(simple & (cells.sizes == size))
        kernel.simply(alike, size, cells.cell_starts, LEAST, weights, sums)
    done = (sums >= LEAST).astype(np.int8)
    layout = (cells.starts, cells.counts, cells.value_starts, cells.cell_starts)
    kernel.by_values(np.flatnonzero(small & (done == 0)), *layout, LEAST, weights, done)
    for group in np.flatnonzero(small & (done == 0)).tolist():
        own = cells.of_group(weights, group)
        own[:] = slot_by_slot(own, _counts(cells, group), int(cells.members[cells.starts[group]]))
    large = np.flatnonzero(~small)
    if exactly:
        _count_large(cells, weights, large.tolist(), budget, kinds)
    elif len(large):
        room = np.zeros(int(cells.distinct[large].max()))
        kernel.balance(large, *layout, ROUNDS, SETTLED, room, weights)
    return exactly or not len(large)


def counts_all(cells: Cells) -> bool:
    """Whether the posteriors of all groups are exact where those of large ones are not asked to be."""
    return bool((cells.sizes <= LARGEST).all())


def _counts(cells: Cells, group: int) -> NDArray[np.int32]:
    return cells.counts[cells.value_starts[group] : cells.value_starts[group + 1]]


class Contradiction(AttackError):
    """By the weights, the people of a group cannot have its values; ``person`` is one of them."""

    def __init__(self, person: int) -> None:
        super().__init__("the prior contradicts the release")
        self.person = person


def slot_by_slot(weights: Floats, counts: NDArray[np.int32], person: int) -> Floats:
    """One small group's posteriors by person and value, counted as if equal values were different ones.

    It takes more steps than counting values together and no sum of it is scaled twice, so it can say that no
    arrangement has any weight.
    """
    slots = np.repeat(np.arange(len(counts)), counts)
    shares = marginals(weights[:, slots][None])[0]
    if np.isnan(shares).any():
        raise Contradiction(person)
    posterior = np.zeros_like(weights)
    for slot, value in enumerate(slots.tolist()):
        posterior[:, value] += shares[:, slot]
    return posterior


def _count_large(
    cells: Cells, weights: Floats, groups: Iterable[int], budget: int, kinds: NDArray[np.int32] | None
) -> None:
    for group in groups:
        own, counts = cells.of_group(weights, group), _counts(cells, group)
        people = cells.members[cells.starts[group] : cells.starts[group + 1]]
        by_kind = None if kinds is None else by_kinds(own, counts, kinds[people], budget)
        own[:] = large_group(own, counts, budget) if by_kind is None else by_kind


def by_kinds(weights: Floats, counts: NDArray[np.int32], kinds: NDArray[np.int32], budget: int) -> Floats | None:
    """The posteriors of one group whose people are of few kinds; None where floats or the budget do not allow it.

    >>> weights, kinds = np.array([[0.5, 0.5], [0.5, 0.5], [0.2, 0.8], [0.2, 0.8]]), np.array([0, 0, 1, 1], np.int32)
    >>> found = by_kinds(weights, np.array([2, 2], np.int32), kinds, 1_000)
    >>> round(float(found[0, 0]), 6) == round(8 / 11, 6)
    True
    """
    _, first, kind = np.unique(kinds, return_index=True, return_inverse=True)
    rows = np.bincount(kind).astype(np.int32)
    states = min(np.prod(rows + 1.0), np.prod(counts + 1.0))
    if states > budget:
        return None
    expected = np.zeros((len(rows), len(counts)))
    total = permanents.expected(np.ascontiguousarray(weights[first]), rows, np.ascontiguousarray(counts), expected)
    return (expected / rows[:, None])[kind] if LEAST < total < 1 / LEAST else None


def large_group(weights: Floats, counts: NDArray[np.int32], budget: int = BUDGET) -> Floats:
    """The posteriors of one group's people, by the engine that counts people of one kind together."""
    values = range(len(counts))
    chances = [dict(enumerate(row)) for row in weights.tolist()]
    slots = np.repeat(np.arange(len(counts)), counts).tolist()
    try:
        posteriors = qi_distribution(chances, slots, budget=budget)
    except ModelError as wrong:
        raise AttackError(
            "a group of {people} under this prior: {wrong}",
            people=Count(len(slots), "people", "people"),
            wrong=wrong.message,
        ) from None
    return np.array([[posterior.get(value, 0.0) for value in values] for posterior in posteriors])


def one_group(weights: Floats, counts: NDArray[np.int32], budget: int = BUDGET) -> Floats:
    """The posteriors [member, value] of one group's people; an error when no arrangement has any weight."""
    if len(weights) > LARGEST:
        return large_group(weights, counts, budget)
    try:
        return slot_by_slot(weights, counts, 0)
    except Contradiction:
        raise AttackError("no world is left in which they have the values of their group") from None


def contradicted(evidence: Evidence, person: int) -> AttackError:
    """What to say of a prior by which a group cannot have its values."""
    group = int(evidence.grouping.labels[person])
    return AttackError(f"the prior contradicts the release: by it, the people of group {group} cannot have its values")
