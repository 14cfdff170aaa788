"""Where a promise bounds each person by themselves: how much may be believed of whom, and what the release shows of it.

Strata promises 1/l, or the share of the value in a person's stratum where that is larger (docs/strata.md). Strata
follow from quasi-identifiers, so everybody can cut them again. That serves two ends.

**Structure.** Each group lies in one stratum, and one in which a value is more frequent than 1/l is a whole stratum.
Other groups are none of the method's, and their shares bound nothing.

**What a reader is told.** The proof conditions on the values that each stratum has. Where every published row can
belong to one stratum only, the release shows these values. Who is not told who is in which group then believes an
average of what those believe who are. Where two strata read alike it does not, and the largest share can be exceeded:
of strata of 3 and 4 people with ``aab`` and ``aaab``, l = 2, somebody who sees 7 rows believes 4/5 of the second, and
3/4 is the largest share. Nothing is claimed of such people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.evidence import Evidence, Gathered
from pellucid.attacking.evidence.membership import Membership
from pellucid.attacking.evidence.membership_advice import way_out_of
from pellucid.attacking.inference.beliefs import Beliefs
from pellucid.attacking.inference.by_worlds import Contradicted
from pellucid.messages import Count, Message
from pellucid.messages.terms import GIVE_TABLE_AND_GROUPS
from pellucid.recode import TwoTables
from pellucid.recode.alike import as_read
from pellucid.recode.intervals import Intervals
from pellucid.recode.recoder import RowRecoder
from pellucid.schema import Kind, Role
from pellucid.table import Codes, Table

MOST_LOOKED_UP = 2_000_000_000  # people times classes, or pairs of strata, that are looked at

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rows = NDArray[np.integer]


def own_bounds(evidence: Evidence) -> Floats | None:
    """For everybody the most that the promise allows to believe; None where it does not differ by person.

    Of somebody who may be in several groups it is the most of any of them, and 0 of whoever is in none.
    """
    of_group = evidence.bounds_of_groups
    if of_group is None:
        return None
    bounds = np.zeros(len(evidence.people))
    if evidence.membership is not None:
        who = evidence.membership
        np.maximum.at(bounds, np.repeat(np.arange(len(bounds)), np.diff(who.starts)), of_group[who.groups])
    kept = evidence.grouping.labels >= 0
    bounds[kept] = np.maximum(bounds[kept], of_group[evidence.grouping.labels[kept]])
    return bounds


def require_strata(gathered: Gathered) -> None:
    """Raise where the groups are known and are not those of strata; nothing is said where too little is known."""
    evidence = gathered.evidence
    strata, method = _strata(evidence), evidence.method
    if strata is None or method is None or evidence.membership is not None:
        return
    grouping, usual = evidence.grouping, method.usual_bound(evidence.attribute.name)
    of_group = strata[grouping.members[grouping.starts[:-1]]]
    if (of_group[grouping.labels] != strata).any():
        told = "a group has people of several strata, and {method} makes no such group of these people"
        raise Contradicted(told, method=method.name)
    if usual is None or not evidence.promise_covers:
        return
    often = evidence.largest * usual.denominator > grouping.sizes * usual.numerator
    if (often & (grouping.sizes < np.bincount(strata)[of_group])).any():
        told = "a value has more than {usual} of a group that is a part of a stratum, and {method} makes no such group"
        raise Contradicted(told, usual=usual, method=method.name)


def seen_otherwise(beliefs: Beliefs) -> Beliefs:
    """The same, and what bounds each person in the other views: what is promised of them where the release shows it.

    Unless facts or a prior are known besides, whoever is told who is in which group believes the share in the group.
    """
    evidence = beliefs.evidence
    bounds = own_bounds(evidence)
    if bounds is None or beliefs.adversary.facts:
        return beliefs
    open_ = _open(evidence)
    if not open_.any():
        return replace(beliefs, otherwise=bounds)
    way_out = GIVE_TABLE_AND_GROUPS if evidence.anonymous else way_out_of(evidence)
    about = {"people": Count(int(open_.sum()), "person", "people"), "way_out": way_out}
    view = Message(
        "the strata of {people} may read like others, and who cannot tell them apart may be surer than the share in a "
        "stratum: {way_out}, or recode so that strata read differently",
        **about,
    )
    return replace(beliefs, otherwise=np.where(open_, 1.0, bounds), other_view=view, notes=(*beliefs.notes, view))


def _strata(evidence: Evidence) -> Codes | None:
    """For everybody the stratum, cut again; None where it is not known who was in the table, or what steered the cuts.

    With some of a table's people, or in other ranges, cuts lie elsewhere.
    """
    if evidence.method is None or evidence.anonymous or evidence.lacking or evidence.in_table is not None:
        return None
    if len(evidence.people) != int(evidence.published.sizes.sum()) or not evidence.inside.all():
        return None
    return evidence.method.strata(evidence.people)


def _open(evidence: Evidence) -> Flags:
    """Of whom the release leaves open which values their stratum has; what cannot be ruled out counts as possible."""
    everybody, nobody = np.ones(len(evidence.people), np.bool_), np.zeros(len(evidence.people), np.bool_)
    recoder = None if evidence.origin is None else evidence.origin.recoder
    if isinstance(recoder, TwoTables):
        return nobody
    if not isinstance(recoder, RowRecoder):
        return everybody
    if evidence.anonymous:
        kinds = () if evidence.origin is None else evidence.origin.kinds
        ranged = bool(kinds) and all(kind in (Kind.NUMBER, Kind.DATE) for kind in kinds)
        return nobody if ranged and isinstance(recoder, Intervals) else everybody
    strata = _strata(evidence)
    if strata is None:
        return everybody
    if evidence.membership is not None:
        makers = _of_covered(evidence, evidence.membership, strata, recoder)
    else:
        partners = _never_told_apart(evidence.people, strata, recoder)
        if partners is None:
            return everybody
        makers = _of_groups(evidence, strata, recoder, partners)
    return np.asarray(_unsettled(list(makers), np.bincount(strata))[strata])


def _unsettled(makers: Sequence[tuple[int, list[int]]], sizes: NDArray[np.int64]) -> Flags:
    """Which strata may have made rows of others; ``makers``: how many rows read so, and the strata that can make them.

    Each row of a stratum is published. So where all that a stratum can have made has just as many rows as the stratum,
    it made all of that, and no other did.

    >>> _unsettled([(3, [0]), (4, [0, 1]), (5, [1])], np.array([7, 5])).tolist()  # the first needs all four
    [False, False]
    >>> _unsettled([(4, [0, 1]), (4, [0, 1])], np.array([4, 4])).tolist()
    [True, True]
    """
    left: list[set[int]] = [set() for _ in sizes]
    for number, (_, able) in enumerate(makers):
        for stratum in able:
            left[stratum].add(number)
    rows = [sum(makers[number][0] for number in some) for some in left]
    waiting = [stratum for stratum, total in enumerate(rows) if total == sizes[stratum]]
    while waiting:
        stratum = waiting.pop()
        for number in left[stratum]:
            for other in makers[number][1]:
                if other != stratum and number in left[other]:
                    left[other].discard(number)
                    rows[other] -= makers[number][0]
                    if rows[other] == sizes[other]:
                        waiting.append(other)
    return np.array([total != size for total, size in zip(rows, sizes.tolist(), strict=True)], np.bool_)


def _never_told_apart(people: Table, strata: Codes, recoder: RowRecoder) -> dict[int, Codes] | None:
    """For each stratum the others that no column tells apart from it for sure; None where there are too many.

    Strata are cut between codes. Where what is published of a column differs on both sides of any cut, strata on both
    sides of one never read alike.
    """
    count = int(strata.max()) + 1
    if count * count > MOST_LOOKED_UP:
        return None
    order = np.argsort(strata, kind="stable")
    starts = np.searchsorted(strata[order], np.arange(count))
    ends = []
    for i in people.having(Role.QUASI):
        if recoder.tells_apart(people.attributes[i]):
            codes = people.codes[i][order]
            ends.append((np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)))
    partners = {}
    for stratum in range(count):
        like = np.ones(count, np.bool_)
        for low, high in ends:
            like &= (low <= high[stratum]) & (high >= low[stratum])
        like[stratum] = False
        if like.any():
            partners[stratum] = np.flatnonzero(like).astype(np.int32)
    return partners


def _of_groups(
    evidence: Evidence, strata: Codes, recoder: RowRecoder, partners: dict[int, Codes]
) -> Iterator[tuple[int, list[int]]]:
    """Of all that reads as one group how many rows it has, and the strata that can make it; where groups are told."""
    people, columns = evidence.people, evidence.people.having(Role.QUASI)
    behind = [recoder.behind(people.attributes[i]) for i in columns]
    ranged = _ranged(people, recoder)
    read = as_read(evidence.grouping, evidence.alike)
    by_stratum = np.argsort(strata, kind="stable")
    begins = np.searchsorted(strata[by_stratum], np.arange(int(strata.max()) + 2))
    for group in range(len(read)):
        members = read.members[read.starts[group] : read.starts[group + 1]]
        stratum = int(strata[members[0]])
        others: list[int] = []
        if stratum in partners:
            rows = np.concatenate([by_stratum[begins[other] : begins[other + 1]] for other in partners[stratum]])
            for i, tell in zip(columns, behind, strict=True):
                rows = rows[tell(np.unique(people.codes[i][members]))[people.codes[i][rows]]]
            others = _making(people, ranged, strata, members, rows)
        yield len(members), [stratum, *others]


def _of_covered(
    evidence: Evidence, who: Membership, strata: Codes, recoder: RowRecoder
) -> Iterator[tuple[int, list[int]]]:
    """The same where groups are read off the release, and each covers people."""
    ranged = _ranged(evidence.people, recoder)
    person = np.repeat(np.arange(len(strata)), np.diff(who.starts))
    order = np.argsort(who.groups, kind="stable")
    classes, first = np.unique(who.groups[order], return_index=True)
    for group, rows in zip(classes.tolist(), np.split(person[order], first[1:]), strict=True):
        yield int(evidence.published.sizes[group]), _making(evidence.people, ranged, strata, rows, rows)


def _making(people: Table, ranged: Sequence[int], strata: Codes, held: Rows, rows: Rows) -> list[int]:
    """The strata of these rows that can make a group that reaches as far as what is held."""
    several = np.unique(strata[rows]).tolist()
    return [one for one in several if _reach_the_ends(people, ranged, held, rows[strata[rows] == one])]


def _reach_the_ends(people: Table, ranged: Sequence[int], members: Rows, others: Rows) -> bool:
    """Whether these people reach from the least to the largest value of a group in every column of ranges."""
    for i in ranged:
        held, own = people.codes[i][members], people.codes[i][others]
        if own.min() > held.min() or own.max() < held.max():
            return False
    return True


def _ranged(people: Table, recoder: RowRecoder) -> list[int]:
    """The columns that are published as ranges from the least to the largest value of a group, without nulls."""
    if not isinstance(recoder, Intervals):
        return []
    columns = [i for i in people.having(Role.QUASI) if people.attributes[i].kind is not Kind.CATEGORY]
    return [i for i in columns if not people.attributes[i].has_null and recoder.tells_apart(people.attributes[i])]
