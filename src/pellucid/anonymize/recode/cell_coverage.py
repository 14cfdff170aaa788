"""Whom the published values of a group stand for, and whether that tells who is in which group.

What cannot be ruled out here counts as possible, so that it is never said wrongly that a release tells who is where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping, Method
from pellucid.anonymize.recode.anatomy import TwoTables
from pellucid.anonymize.recode.intervals import Intervals
from pellucid.anonymize.recode.recoder import Recoder, RowRecoder
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Codes, Table

MOST_LOOKED_AT = 50_000_000  # people times groups whose covering is looked at for a remark, which nobody waits for

STRETCH = 1 << 16  # rows that are looked at before it is asked whether that was enough

Mask = NDArray[np.bool_]
Told = tuple[Codes, Mask]  # the codes of a column's rows, and for which codes something stands


def covered(people: Table, grouping: Grouping, recoder: Recoder | None) -> Iterator[Mask]:
    """For each group whom its published values stand for; where that is not clear, more people rather than fewer."""
    columns = _shown_columns(people)
    told = _values_told(people, grouping, recoder)
    for group in range(len(grouping)):
        if isinstance(recoder, TwoTables):
            members = grouping.members[grouping.starts[group] : grouping.starts[group + 1]]
            yield _having_a_vector(people, columns, members)
            continue
        mask = np.zeros(len(people), np.bool_)
        mask[_among(people, told(group), 0, len(people))] = True
        yield mask


def _values_told(people: Table, grouping: Grouping, recoder: Recoder | None) -> Callable[[int], list[Told]]:
    """What tells, of a group, which codes of which columns its published values stand for.

    It is nothing where it is not known how groups read: then they stand for everybody.
    """
    known = isinstance(recoder, RowRecoder) and grouping.levels is None
    columns = _shown_columns(people) if known else []
    behind = [recoder.behind(people.attributes[i]) for i in columns] if isinstance(recoder, RowRecoder) else []

    def told(group: int) -> list[Told]:
        members = grouping.members[grouping.starts[group] : grouping.starts[group + 1]]
        held = [(people.codes[column], tell) for column, tell in zip(columns, behind, strict=True)]
        return [(codes, tell(_distinct(codes[members]))) for codes, tell in held]

    return told


def _among(people: Table, told: Sequence[Told], first: int, last: int) -> NDArray[np.int64]:
    """Of these rows, those for which all that is told stands."""
    rows: NDArray[np.int64] | None = None  # whom the columns so far stand for; None: everybody
    for codes, stands in told:
        rows = first + np.flatnonzero(stands[codes[first:last]]) if rows is None else rows[stands[codes[rows]]]
    return np.arange(first, min(last, len(people))) if rows is None else rows


def _stands_for_more(people: Table, told: Sequence[Told], than: int) -> bool:
    """Whether more people than so many are among those for whom it stands; looks no further when they are found."""
    found = 0
    for first in range(0, len(people), STRETCH):
        found += len(_among(people, told, first, first + STRETCH))
        if found > than:
            return True
    return False


def _distinct(codes: Codes) -> Codes:
    """The distinct codes, ascending; np.unique would import a part of numpy that nothing else needs."""
    ordered = np.sort(codes)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered


def needs_groups(table: Table, method: Method, grouping: Grouping, recoder: Recoder) -> bool | None:
    """Whether somebody who audits a release must be told who is in which group, because nothing else tells it.

    Groups in two tables have numbers, and a method that draws nothing can be run again. Otherwise the published boxes
    tell, unless one covers somebody of another group. None where there are too many boxes to look at.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> table = pc.read(pc.datasets.patients(), **roles)
    >>> release = pc.publish(table, pc.Tailor(l=2))
    >>> needs_groups(table, pc.Tailor(l=2), release.private.grouping, pc.Intervals())
    False
    """
    numbered = isinstance(recoder, TwoTables) or grouping.levels is not None
    if numbered or _can_be_run_again(method, table):
        return False
    columns = _shown_columns(table)
    if len(columns) == 1 and isinstance(recoder, Intervals) and table.attributes[columns[0]].kind is not Kind.CATEGORY:
        return bool((_in_reach(table.attributes[columns[0]], table.codes[columns[0]], grouping) > grouping.sizes).any())
    looks = max(1, MOST_LOOKED_AT // max(1, len(table)))
    told, sizes = _values_told(table, grouping, recoder), grouping.sizes[:looks].tolist()
    if any(_stands_for_more(table, told(group), size) for group, size in enumerate(sizes)):
        return True
    return None if len(grouping) > looks else False


def _can_be_run_again(method: Method, table: Table) -> bool:
    return not method.draws_coins and (table.order is not None or method.cuts_between_values)


def _shown_columns(people: Table) -> list[int]:
    return [i for i, attribute in enumerate(people.attributes) if attribute.role in (Role.QUASI, Role.CARRY)]


def _in_reach(attribute: Attribute, codes: Codes, grouping: Grouping) -> NDArray[np.int64]:
    """How many people the range of each group covers, in the one attribute that is published as ranges: a sum each."""
    counts = np.bincount(codes, minlength=len(attribute))
    up_to = np.append(0, np.cumsum(counts))
    of_members, starts = codes[grouping.members], grouping.starts[:-1]
    high = np.maximum.reduceat(of_members, starts)
    if not attribute.has_null:
        return np.asarray(up_to[high + 1] - up_to[np.minimum.reduceat(of_members, starts)])
    null = np.minimum.reduceat(of_members, starts) == 0
    low = np.minimum.reduceat(
        np.where(of_members == 0, len(attribute), of_members), starts
    )  # of those that are not null
    inside = np.where(high > 0, up_to[high + 1] - up_to[np.minimum(low, len(attribute))], 0)
    return np.asarray(inside + np.where(null, counts[0], 0))


def _having_a_vector(people: Table, columns: Sequence[int], members: Codes) -> Mask:
    """Who has exactly the values of one of these rows."""
    vectors = np.stack([people.codes[i] for i in columns], axis=1)
    return np.asarray((vectors[:, None, :] == vectors[members][None, :, :]).all(axis=2).any(axis=1))
