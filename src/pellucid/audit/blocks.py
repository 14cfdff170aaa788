"""Groups are looked at a block at a time, so that what the models compute on the way takes little memory.

A model about sensitive values holds when it holds in every group, so the worst group of a table is the worst among the
worst groups of its blocks: those few decide. Within a block all models share what the groups have cached.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pellucid.model import Groups, PrivacyModel
from pellucid.model.model import WorstGroup
from pellucid.parallel import run

ENTRIES = 1 << 15  # different values in different groups that a block has


def weakest(models: Sequence[PrivacyModel], groups: Groups, threads: int) -> list[tuple[Groups, NDArray[np.int64]]]:
    """For each model the few groups that decide about it, and their numbers in all groups, ascending."""
    blocks = list(_bounds(groups))
    found: list[list[set[int]]] = [[set() for _ in models] for _ in blocks]

    def look(block: int) -> None:
        first, last = blocks[block]
        part = _part(groups, np.arange(first, last))
        for model, numbers in zip(models, found[block], strict=True):
            figures = model.figures(part)
            numbers.update(first + figures[name].worst(way) for name, way in model.directions.items())

    run([partial(look, block) for block in range(len(blocks))], threads)
    chosen = [np.array(sorted(set().union(*numbers)), np.int64) for numbers in zip(*found, strict=True)]
    return [(_part(groups, numbers), numbers) for numbers in chosen]


def renumbered(worst: WorstGroup | None, numbers: NDArray[np.int64]) -> WorstGroup | None:
    """The group under its number in all groups."""
    if worst is None or worst.group < 0:
        return worst
    return replace(worst, group=int(numbers[worst.group]))


def _bounds(groups: Groups) -> Iterator[tuple[int, int]]:
    """Stretches of groups with about equally many entries."""
    entries = int(groups.starts[-1])
    cuts = np.searchsorted(groups.starts, np.arange(ENTRIES, entries, ENTRIES))
    ends = np.unique(np.append(cuts, len(groups)))
    starts = np.append(0, ends[:-1])
    return ((int(start), int(end)) for start, end in zip(starts, ends, strict=True) if start < end)


def _part(groups: Groups, numbers: NDArray[np.int64]) -> Groups:
    """Some of the groups, compared with the same whole table."""
    first, last = int(numbers[0]), int(numbers[-1]) + 1
    if last - first == len(numbers):  # a stretch needs no copy
        begin, end = int(groups.starts[first]), int(groups.starts[last])
        starts, codes, counts = (
            groups.starts[first : last + 1] - begin,
            groups.codes[begin:end],
            groups.counts[begin:end],
        )
        sizes = groups.sizes[first:last]
    else:
        pieces = [np.arange(groups.starts[g], groups.starts[g + 1]) for g in numbers.tolist()]
        entries = np.concatenate(pieces)
        starts = np.append(0, np.cumsum([len(piece) for piece in pieces])).astype(np.int64)
        sizes, codes, counts = groups.sizes[numbers], groups.codes[entries], groups.counts[entries]
    return Groups(sizes, starts, codes, counts, groups.table_counts, groups.attribute)
