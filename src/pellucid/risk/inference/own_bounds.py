"""Where a promise bounds each person by themselves: how much may be believed of whom, and what the release shows of it.

Strata promises 1/l, or the share of the value in a person's stratum where that is larger (docs/strata.md). Strata
follow from quasi-identifiers, so everybody can cut them again. That serves two ends.

**Structure.** Each group lies in one stratum, or the release was not made so. What is allowed of a person is the share
in the stratum, by all its groups, and never the share in a group that claims to be one.

**What a reader is told.** The proof conditions on the values that each stratum has. Where every published row can
belong to one stratum only, the release shows these values. Who is not told who is in which group then believes an
average of what those believe who are. Where two strata read alike it does not, and the largest share can be exceeded:
of strata of 3 and 4 people with ``aab`` and ``aaab``, l = 2, somebody who sees 7 rows believes 4/5 of the second, and
3/4 is the largest share. Nothing is claimed of such people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.recode import Recoder, TwoTables
from pellucid.anonymize.recode.alike import as_read
from pellucid.anonymize.recode.intervals import Intervals
from pellucid.anonymize.recode.recoder import RowRecoder
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Codes, Table
from pellucid.messages import Count, Message
from pellucid.messages.terms import GIVE_TABLE_AND_GROUPS
from pellucid.risk.adversary import Adversary, Distribution
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.world_enumeration import Contradicted
from pellucid.risk.views import Evidence, Gathered
from pellucid.risk.views.membership import Membership
from pellucid.risk.views.membership_advice import way_out_of
from pellucid.risk.views.strata_again import cut_again, fixed_by_strata

ROUNDING = 1 + 1e-12
MOST_LOOKED_UP = 2_000_000_000  # people times classes, or pairs of strata, that are looked at

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rows = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class OwnBounds:
    """What the promise ``allows`` to believe of everybody; of whom the release leaves that ``open``, and why.

    Nothing is shown of these: they may be allowed less, or somebody who sees the release otherwise may believe more.
    """

    allows: Floats
    open: Flags
    why: Message


def own_bounds(evidence: Evidence) -> OwnBounds | None:
    """What is allowed of each person; None where it is the same of all.

    That is the share of the value in the person's stratum, where it is above 1/l. It takes the strata, cut again, and
    the values that each has. Where either is not known, a group in which a value is more frequent than 1/l may be a
    stratum or not.
    """
    if evidence.bounds_of_groups is None:
        return None
    if evidence not in _FOUND:
        _FOUND[evidence] = _bounds(evidence)
    return _FOUND[evidence]


_FOUND: WeakKeyDictionary[Evidence, OwnBounds] = WeakKeyDictionary()  # several attackers ask of the same evidence


def _bounds(evidence: Evidence) -> OwnBounds:
    assert evidence.method is not None
    strata, usual = cut_again(evidence), float(evidence.method.usual_bound(evidence.attribute.name) or 1)
    by_group = _by_group(evidence)
    open_ = by_group > usual * ROUNDING
    if strata is None:
        alike = _may_read_alike(evidence)
        return OwnBounds(by_group, open_ | alike, _why(evidence, open_ | alike, cut=False))
    recoder = None if evidence.origin is None else evidence.origin.recoder
    made = _made_of(evidence, strata) if _told(evidence) else None
    if _told(evidence) and made is None:
        everybody = np.ones(len(strata), np.bool_)
        return OwnBounds(by_group, everybody, _why(evidence, everybody))
    groups, unsettled = _settled(evidence, strata, recoder)
    made = groups if made is None else made
    shares_of = _shares(evidence, made, np.bincount(strata))
    of_strata = np.maximum(usual, shares_of.max(axis=1))
    if _breaks(evidence, made, shares_of, usual):
        everybody = np.ones(len(strata), np.bool_)
        return OwnBounds(of_strata[strata], everybody, BROKEN)
    shares = of_strata[strata]
    allows = shares if _told(evidence) else np.where(unsettled[strata], np.maximum(by_group, usual), shares)
    return OwnBounds(allows, unsettled[strata], _why(evidence, unsettled[strata]))


BROKEN = Message(
    "the recipe's method makes no such groups of these people, so the release was not made as its recipe says"
)


def _breaks(evidence: Evidence, made: Codes, shares: Floats, usual: float) -> bool:
    """Whether a group has a value more often than is allowed of it in its stratum, or no stratum is divided so."""
    method, sizes = evidence.method, evidence.published.sizes
    assert method is not None
    entries = np.flatnonzero(_counting(evidence, made))
    group = evidence.published.groups_of_entries[entries]
    column = np.zeros(len(entries), np.int64) if evidence.as_one else evidence.published.codes[entries]
    keys, places = np.unique(group.astype(np.int64) * len(evidence.attribute) + column, return_inverse=True)
    held = np.bincount(places, evidence.published.counts[entries])
    of, value = keys // len(evidence.attribute), keys % len(evidence.attribute)
    if (held / sizes[of] > np.maximum(usual, shares[made[of], value]) * ROUNDING).any():
        return True
    groups = np.bincount(made[made >= 0], minlength=len(shares))
    return not method.could_make(evidence.attribute.name, sizes, shares.max(axis=1), groups)


def _why(evidence: Evidence, open_: Flags, *, cut: bool = True) -> Message:
    """What is open about people's own bounds, and what to give; ``cut``: strata could be cut again."""
    people = Count(int(open_.sum()), "person", "people")
    if cut:
        told = "the strata of {people} may read like others, so that it is open which values they have: {way_out}"
        told_apart = "publish with columns that have a taxonomy in {SAME}, and without {LARGEST_SET}"
        return Message(told, people=people, way_out=Message(told_apart))
    told = "it is not known whether the groups of {people} are whole strata: {way_out}"
    way_out = GIVE_TABLE_AND_GROUPS if evidence.anonymous else way_out_of(evidence)
    return Message(told, people=people, way_out=way_out)


def _by_group(evidence: Evidence) -> Floats:
    """The most that is allowed in any group that somebody may be in, if the larger groups are strata; else 0."""
    of_group = evidence.bounds_of_groups
    assert of_group is not None
    bounds = np.zeros(len(evidence.people))
    if evidence.membership is not None:
        who = evidence.membership
        np.maximum.at(bounds, np.repeat(np.arange(len(bounds)), np.diff(who.starts)), of_group[who.groups])
    kept = evidence.grouping.labels >= 0
    bounds[kept] = np.maximum(bounds[kept], of_group[evidence.grouping.labels[kept]])
    return bounds


def _told(evidence: Evidence) -> bool:
    """Whether the groups are those that were made, and not what a reader takes for one group."""
    return evidence.membership is None and evidence.crowd is None and not evidence.anonymous


def _made_of(evidence: Evidence, strata: Codes) -> Codes | None:
    """The stratum of each group; None where some group has people of several."""
    of_group = strata[evidence.grouping.members[evidence.grouping.starts[:-1]]]
    return None if (of_group[evidence.grouping.labels] != strata).any() else of_group


def _shares(evidence: Evidence, made: Codes, sizes: NDArray[np.int64]) -> Floats:
    """The share of each value that counts in each stratum; ``made``: the stratum of each group, -1 for unknown.

    Where values count as one, the first has the share of all of them.
    """
    published, values = evidence.published, len(evidence.attribute)
    counting = _counting(evidence, made)
    codes = np.zeros_like(published.codes) if evidence.as_one else published.codes
    keys = made[published.groups_of_entries][counting].astype(np.int64) * values + codes[counting]
    counts = np.bincount(keys, published.counts[counting], len(sizes) * values)
    return np.asarray(counts.reshape(len(sizes), values) / sizes[:, None])


def _counting(evidence: Evidence, made: Codes) -> Flags:
    """Which entries are of protected values, in groups of which the stratum is known."""
    counting = made[evidence.published.groups_of_entries] >= 0
    if evidence.protected is not None:
        counting &= np.isin(evidence.published.codes, evidence.protected)
    return counting


def covered_by_strata(evidence: Evidence, adversary: Adversary) -> bool:
    """Whether an attacker knows a distribution that strata fix, and nothing else, of values that are protected."""
    prior = adversary.prior
    if not isinstance(prior, Distribution) or adversary.facts or own_bounds(evidence) is None:
        return False
    return fixed_by_strata(evidence).issuperset(prior.by)


def told_strata(evidence: Evidence) -> bool:
    """Whether groups are those that were made, each inside a stratum."""
    strata = cut_again(evidence) if _told(evidence) else None
    return strata is not None and _made_of(evidence, strata) is not None


def by_the_promise(beliefs: Beliefs, adversary: Adversary) -> Beliefs:
    """The same of an attacker with statistics that strata fix who is not told the groups: within what is promised."""
    bounds = own_bounds(beliefs.evidence)
    assert bounds is not None
    upper = np.maximum(np.where(bounds.open, 1.0, bounds.allows), beliefs.evidence.baseline)
    return replace(
        beliefs,
        adversary=adversary,
        risk=np.minimum(beliefs.risk, upper),
        lower=np.zeros(len(upper)),
        upper=upper,
        engine="at most what is promised, if the release was made as its recipe says",
        exactness=Exactness.BOUND,
    )


def require_strata(gathered: Gathered) -> None:
    """Raise where the groups that were made are known and are not those of strata."""
    evidence, strata = gathered.evidence, None
    if evidence.bounds_of_groups is not None and _told(evidence):
        strata = cut_again(evidence)
    if strata is not None and _made_of(evidence, strata) is None:
        assert evidence.method is not None
        told = "a group has people of several strata, and {method} makes no such group of these people"
        raise Contradicted(told, method=evidence.method.name)


def seen_otherwise(beliefs: Beliefs) -> Beliefs:
    """The same, and what bounds each person in the other views: what is promised of them where the release shows it.

    Unless facts or a prior are known besides, whoever is told who is in which group believes the share in the group.
    """
    bounds = own_bounds(beliefs.evidence)
    if bounds is None or beliefs.adversary.facts:
        return beliefs
    otherwise = np.where(bounds.open, np.where(bounds.allows < 1, 1.0, np.inf), bounds.allows)  # above what is allowed
    if not bounds.open.any():
        return replace(beliefs, otherwise=otherwise)
    if beliefs.evidence.membership is not None:  # the figures are those of who cannot tell these strata apart
        upper = np.where(bounds.open, 1.0, beliefs.risk if beliefs.upper is None else beliefs.upper)
        beliefs = replace(beliefs, upper=upper, lower=np.zeros(len(upper)) if beliefs.lower is None else beliefs.lower)
    notes = tuple(dict.fromkeys((*beliefs.notes, bounds.why)))
    return replace(beliefs, otherwise=otherwise, other_view=bounds.why, notes=notes)


def _may_read_alike(evidence: Evidence) -> Flags:
    """Of whom it is open whether their stratum reads like others, where strata cannot be cut again."""
    everybody, nobody = np.ones(len(evidence.people), np.bool_), np.zeros(len(evidence.people), np.bool_)
    origin = evidence.origin
    if origin is not None and isinstance(origin.recoder, TwoTables):
        return nobody
    ranged = origin is not None and bool(origin.kinds)
    ranged = ranged and all(kind in (Kind.NUMBER, Kind.DATE) for kind in origin.kinds)  # type: ignore[union-attr]
    tight = evidence.anonymous and ranged and isinstance(origin.recoder, Intervals)  # type: ignore[union-attr]
    return nobody if tight else everybody


def _settled(evidence: Evidence, strata: Codes, recoder: Recoder | None) -> tuple[Codes, Flags]:
    """The stratum that made each group that is read, -1 where several may have; and which strata are open."""
    count = int(strata.max()) + 1
    unknown, none = np.full(len(evidence.published), -1, np.int32), np.zeros(count, np.bool_)  # of groups, and strata
    if isinstance(recoder, TwoTables):  # exact values, and groups with numbers of their own
        made = _made_of(evidence, strata) if evidence.membership is None else None
        return (unknown, ~none) if made is None else (made, none)
    if not isinstance(recoder, RowRecoder):
        return unknown, ~none
    if evidence.membership is not None:
        makers = list(_of_covered(evidence, evidence.membership, strata, recoder))
    else:
        partners = _never_told_apart(evidence.people, strata, recoder)
        if partners is None:
            return unknown, ~none
        makers = list(_of_groups(evidence, strata, recoder, partners))
    made_by, open_ = _unsettled(makers, np.bincount(strata))
    return (made_by if evidence.membership is not None else made_by[evidence.alike]), open_


def _unsettled(makers: Sequence[tuple[int, list[int]]], sizes: NDArray[np.int64]) -> tuple[Codes, Flags]:
    """The stratum that made what reads as one group, -1 where several may have; and which strata may have made others.

    ``makers``: how many rows read so, and the strata that can make them. Each row of a stratum is published. So where
    all that a stratum can have made has just as many rows as the stratum, it made all of that, and no other did.

    >>> made, open_ = _unsettled([(3, [0]), (4, [0, 1]), (5, [1])], np.array([7, 5]))  # the first needs all four
    >>> made.tolist(), open_.tolist()
    ([0, 0, 1], [False, False])
    >>> [one.tolist() for one in _unsettled([(4, [0, 1]), (4, [0, 1])], np.array([4, 4]))]
    [[-1, -1], [True, True]]
    """
    left: list[set[int]] = [set() for _ in sizes]
    for number, (_, able) in enumerate(makers):
        for stratum in able:
            left[stratum].add(number)
    rows = [sum(makers[number][0] for number in some) for some in left]
    waiting = [stratum for stratum, total in enumerate(rows) if total == sizes[stratum]]
    made = np.full(len(makers), -1, np.int32)
    while waiting:
        stratum = waiting.pop()
        for number in left[stratum]:
            made[number] = stratum
            for other in makers[number][1]:
                if other != stratum and number in left[other]:
                    left[other].discard(number)
                    rows[other] -= makers[number][0]
                    if rows[other] == sizes[other]:
                        waiting.append(other)
    return made, np.array([total != size for total, size in zip(rows, sizes.tolist(), strict=True)], np.bool_)


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
    begins = np.searchsorted(who.groups[order], np.arange(len(evidence.published) + 1))
    for group, size in enumerate(evidence.published.sizes.tolist()):
        rows = person[order[begins[group] : begins[group + 1]]]
        yield size, _making(evidence.people, ranged, strata, rows, rows)


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
