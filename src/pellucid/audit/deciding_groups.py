"""What is left of the groups of a part of a release once they were looked at: the few that answers rest on.

A level is that of the worst group, and which group is worst is decided by comparing two at a time. So each part of a
table, wherever it is, need only tell the worst of its own groups for every question that is asked (*accumulate*); those
of several parts side by side are looked at in the same way (*merge*); and the models answer from what is left as they
would from all groups (*finish*): the same level, the same evidence. What is not about one group is a sum: the
:class:`~pellucid.models.groups.GroupTally`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.table import Attribute, Codes
from pellucid.errors import InputError
from pellucid.models import PrivacyModel
from pellucid.models.groups import Groups


def deciding(groups: Groups, asked: Iterable[PrivacyModel]) -> NDArray[np.int64]:
    """The places of the groups that some answer to the models asked may rest on, ascending.

    These are, for each parameter of each model, the group whose best value is worst; the smallest group, which is the
    evidence of risks of the whole table; and the one with the fewest values, which says for which l recursive
    diversity is asked. Of equals it is the first. Models that say nothing about these groups are passed over.

    >>> from pellucid.models import parse
    >>> from pellucid.models.groups import numbered
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

    >>> from pellucid.models.groups import numbered
    >>> groups = Groups.of_counts(np.array([[3, 3], [2, 1], [9, 1]]), np.array([14, 5]), numbered(2))
    >>> few = kept(groups, np.array([2]))
    >>> few.sizes.tolist(), few.number(0), few.tally
    ([10], 2, GroupTally(groups=3, rows=19, small=(0, 0, 1, 0)))
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

    >>> from pellucid.models.groups import numbered
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


STRETCH = 2**16  # entries that are looked at together
CODE, ROWS = "code", "rows"


@dataclass(frozen=True, eq=False)
class DecidingGroups:
    """Some groups, in the order of all groups, and what is published of each: one row of ``shown``."""

    groups: Groups
    shown: pl.DataFrame

    def published(self, number: int) -> dict[str, Any]:
        """What the release says about the group of this number: the values that its rows share."""
        return self.shown.row(self._place(number), named=True)

    def rows_of(self, number: int) -> Codes:
        """None: the rows of a frame that is in many places have no numbers; what is published finds them."""
        self._place(number)
        return np.zeros(0, np.int32)

    def _place(self, number: int) -> int:
        assert self.groups.numbers is not None
        (place,) = np.flatnonzero(self.groups.numbers == number)
        return int(place)

    def renamed(self, names: Sequence[str]) -> DecidingGroups:
        """The same with other names of columns."""
        return DecidingGroups(self.groups, self.shown.rename(dict(zip(self.shown.columns, names, strict=True))))


def merged(parts: Sequence[DecidingGroups], asked: Sequence[PrivacyModel]) -> DecidingGroups:
    """Consecutive parts as one, with no more groups than the answers rest on."""
    groups = side_by_side([part.groups for part in parts])
    places = deciding(groups, asked)
    cells = pl.concat([part.shown for part in parts])
    return DecidingGroups(kept(groups, places), cells[places.tolist()])


@dataclass(frozen=True, eq=False)
class DecidingLook:
    """Looks at a part of a release: frames of forming columns, ``code`` and ``rows``, sorted, a group after the other.

    ``attribute`` is the sensitive column, ``table_counts`` how often each of its values occurs in the whole table.
    """

    attribute: Attribute
    table_counts: NDArray[np.int64]
    asked: tuple[PrivacyModel, ...]

    def __call__(self, frames: Iterable[pl.DataFrame]) -> DecidingGroups | None:
        """The groups that the answers rest on; None when there is no group."""
        so_far: DecidingGroups | None = None
        for entries in whole_groups(frames, STRETCH):
            groups, cells = counted_groups(entries, self.attribute, self.table_counts)
            new = DecidingGroups(groups, cells)
            so_far = merged([new] if so_far is None else [so_far, new], self.asked)
        return so_far


def whole_groups(frames: Iterable[pl.DataFrame], least: int) -> Iterator[pl.DataFrame]:
    """The same rows in frames of at least so many, the last one aside, none of which ends inside a group."""
    waiting: list[pl.DataFrame] = []
    for frame in frames:
        waiting.append(frame)
        if sum(part.height for part in waiting) >= least:
            together = pl.concat(waiting)
            last = int(np.flatnonzero(_begins(together))[-1])  # the last group may go on in the next frame
            waiting = [together.slice(last)]
            if last:
                yield together.head(last)
    if waiting:
        yield pl.concat(waiting)


def counted_groups(
    entries: pl.DataFrame, attribute: Attribute, table_counts: NDArray[np.int64]
) -> tuple[Groups, pl.DataFrame]:
    """The groups of such a frame, and the forming values of each."""
    if entries[CODE].null_count():
        raise InputError(
            "a value is there that was not when values were counted: the frame has other rows each time it is read; "
            "write it to a file first"
        )
    first = np.flatnonzero(_begins(entries))
    counts = entries[ROWS].to_numpy().astype(np.int64)
    groups = Groups(
        np.add.reduceat(counts, first),
        np.append(first, entries.height).astype(np.int64),
        np.ascontiguousarray(entries[CODE].to_numpy().astype(np.int32)),
        counts,
        table_counts,
        attribute,
    )
    return groups, entries.drop(CODE, ROWS)[first.tolist()]


def _begins(entries: pl.DataFrame) -> NDArray[np.bool_]:
    """Where a group begins: where a forming column differs from the row before; null does not differ from null."""
    begins = np.zeros(entries.height, np.bool_)
    begins[0] = True
    for column in entries.drop(CODE, ROWS).get_columns():
        begins[1:] |= column.slice(1).ne_missing(column.head(entries.height - 1)).to_numpy()
    return begins
