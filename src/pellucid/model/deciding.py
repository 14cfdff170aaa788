"""The few groups that answers rest on: what is left to know of a part of a table once its groups were looked at.

A level is that of the worst group, and which group is worst is decided by comparing two at a time. So each part of a
table, wherever it is, need only tell the worst of its own groups for every question that is asked (*accumulate*); those
of several parts side by side are looked at in the same way (*merge*); and the models answer from what is left as they
would from all groups (*finish*): the same level, the same evidence. What is not about one group is a sum: the
:class:`~pellucid.model.groups.GroupTally`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pellucid.model.groups import Groups
from pellucid.model.model import PrivacyModel


def deciding(groups: Groups, asked: Iterable[PrivacyModel]) -> NDArray[np.int64]:
    """The places of the groups that some answer to the models asked may rest on, ascending.

    These are, for each parameter of each model, the group whose best value is worst; the smallest group, which is the
    evidence of risks of the whole table; and the one with the fewest values, which says for which l recursive
    diversity is asked. Of equals it is the first. Models that say nothing about these groups are passed over.

    >>> from pellucid.model import parse
    >>> from pellucid.model.groups import numbered
    >>> groups = Groups.of_counts(np.array([[3, 3], [2, 1], [9, 1]]), np.array([14, 5]), numbered(2))
    >>> deciding(groups, [parse("k-anonymity=2"), parse("l-diversity=2")]).tolist()
    [0, 1, 2]
    """
    places = {int(groups.sizes.argmin()), int(groups.distinct.argmin())}
    for model in asked:
        if model.by_group and model.unfit(groups) is None:
            places |= set(model.worst_places(groups).values())
    return np.array(sorted(places), np.int64)


def kept(groups: Groups, places: NDArray[np.int64]) -> Groups:
    """These groups only, with their numbers among all and the tally of all.

    >>> from pellucid.model.groups import numbered
    >>> groups = Groups.of_counts(np.array([[3, 3], [2, 1], [9, 1]]), np.array([14, 5]), numbered(2))
    >>> few = kept(groups, np.array([2]))
    >>> few.sizes.tolist(), few.number(0), few.tally
    ([10], 2, GroupTally(groups=3, rows=19, alone=0))
    """
    lengths = groups.distinct[places]
    starts = np.append(0, np.cumsum(lengths)).astype(np.int64)
    entries = np.repeat(groups.starts[places] - starts[:-1], lengths) + np.arange(int(starts[-1]))
    numbers = places if groups.numbers is None else groups.numbers[places]
    return Groups(
        groups.sizes[places],
        starts,
        groups.codes[entries],
        groups.counts[entries],
        groups.table_counts,
        groups.attribute,
        numbers=numbers.astype(np.int64),
        counted=groups.tally,
    )


def side_by_side(parts: Sequence[Groups]) -> Groups:
    """The groups of consecutive parts of one table, numbered through: a part's numbers begin where the last one ended.

    All parts have the counts of the whole table and the same values.

    >>> from pellucid.model.groups import numbered
    >>> parts = [Groups.of_counts(np.array(counts), np.array([6, 4]), numbered(2)) for counts in ([[3, 3]], [[3, 1]])]
    >>> whole = side_by_side(parts)
    >>> whole.sizes.tolist(), [whole.number(group) for group in range(2)], whole.tally.groups
    ([6, 4], [0, 1], 2)
    """
    before = np.append(0, np.cumsum([part.tally.groups for part in parts]))
    numbers = [
        first + (np.arange(len(part)) if part.numbers is None else part.numbers)
        for first, part in zip(before.tolist(), parts, strict=False)
    ]
    tally = parts[0].tally
    for part in parts[1:]:
        tally += part.tally
    return Groups(
        np.concatenate([part.sizes for part in parts]),
        np.append(0, np.cumsum(np.concatenate([part.distinct for part in parts]))).astype(np.int64),
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.counts for part in parts]),
        parts[0].table_counts,
        parts[0].attribute,
        numbers=np.concatenate(numbers).astype(np.int64),
        counted=tally,
    )
