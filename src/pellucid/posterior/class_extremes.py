"""The most even and the most uneven values that a class can have: what they show of every arrangement.

A model that asks for diversity without naming values is satisfied the more easily the more evenly a class mixes its
values: moving a row from a more frequent value to a less frequent one (a transfer that makes counts more even) never
lowers the number of different values, nor the entropy, and never raises the largest count, nor what the most frequent
l - 1 values have together. Of all ways to fill a class from given counts, the one below fills all values evenly, and
every other one is reached from it by transfers that make it less even (it is majorised by all of them). So a class that
fails with these counts fails whatever its values are, and that it failed tells nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from pellucid.models import PrivacyModel
from pellucid.models.distinct_l_diversity import DistinctLDiversity
from pellucid.models.entropy_l_diversity import EntropyLDiversity
from pellucid.models.l_diversity import LDiversity
from pellucid.models.recursive_diversity import RecursiveDiversity
from pellucid.posterior.column import SensitiveColumn

EVENNESS = (LDiversity, DistinctLDiversity, EntropyLDiversity, RecursiveDiversity)  # of which the above was shown


def asks_for_evenness(model: PrivacyModel) -> bool:
    """Whether a model is one of those that a more even class satisfies whenever a less even one does."""
    return all(isinstance(part, EVENNESS) and part.sensitive is None for part in model.parts)


def most_even(counts: Sequence[int], size: int) -> list[int]:
    """The most even way to take so many rows of these counts; the order of values is kept.

    >>> most_even([9, 1, 4], 8)
    [4, 1, 3]
    """
    taken, left = [0] * len(counts), size
    for done, place in enumerate(sorted(range(len(counts)), key=lambda place: counts[place])):
        taken[place] = min(counts[place], left // (len(counts) - done))  # what is left over goes to larger counts
        left -= taken[place]
    return taken


def cannot_satisfy(model: PrivacyModel, sizes: Sequence[int], column: SensitiveColumn) -> bool:
    """Whether some class fails the model whatever values of the group it has.

    >>> cannot_satisfy(DistinctLDiversity(l=2), [1, 5], SensitiveColumn(["a", "b"], [3, 3]))
    True
    """
    if not asks_for_evenness(model):
        return False
    occurring = [count for count in column.counts if count]
    smallest_first = sorted(set(sizes) - {0})  # which fail most easily
    return any(not _satisfied(model, tuple(sorted(most_even(occurring, size)))) for size in smallest_first)


def most_uneven(counts: Sequence[int], size: int) -> list[int]:
    """The least even way to take so many rows of these counts, the most frequent values first; order is kept.

    >>> most_uneven([9, 1, 4], 11)
    [9, 0, 2]
    """
    taken, left = [0] * len(counts), size
    for place in sorted(range(len(counts)), key=lambda place: -counts[place]):
        taken[place] = min(counts[place], left)
        left -= taken[place]
    return taken


def cannot_violate(model: PrivacyModel, sizes: Sequence[int], column: SensitiveColumn) -> bool:
    """Whether every class satisfies the model whatever values of the group it has; never said of other models.

    >>> cannot_violate(DistinctLDiversity(l=2), [4, 4], SensitiveColumn(["a", "b", "c"], [3, 3, 2]))
    True
    """
    if not asks_for_evenness(model):
        return False
    occurring = [count for count in column.counts if count]
    return all(_satisfied(model, tuple(sorted(most_uneven(occurring, size)))) for size in set(sizes) - {0})


@lru_cache(maxsize=4096)
def _satisfied(model: PrivacyModel, counts: tuple[int, ...]) -> bool:
    """Whether a class with these counts satisfies a model that does not ask which value is which."""
    class_ = SensitiveColumn(list(range(len(counts))), list(counts))
    given = np.array([counts], dtype=np.int64)
    return bool(class_.satisfied(model, given, given[0])[0])
