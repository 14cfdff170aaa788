"""What is left of the groups of a part of a release once they were looked at: the few that answers rest on.

Parts are looked at wherever they are, the same way for one part as for a thousand; see ``model/deciding.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.errors import InputError
from pellucid.model import PrivacyModel
from pellucid.model.deciding import deciding, kept, side_by_side
from pellucid.model.groups import Groups
from pellucid.table import Attribute, Codes

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
    shown = pl.concat([part.shown for part in parts])
    return DecidingGroups(kept(groups, places), shown[places.tolist()])


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
        told: DecidingGroups | None = None
        for entries in whole_groups(frames, STRETCH):
            groups, shown = counted_groups(entries, self.attribute, self.table_counts)
            new = DecidingGroups(groups, shown)
            told = merged([new] if told is None else [told, new], self.asked)
        return told


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
