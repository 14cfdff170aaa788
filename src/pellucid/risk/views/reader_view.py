"""What a reader of a release can tell about who is in which group, who is not told.

A reader sees **classes**: rows whose published values are the same. A class may be several groups that are published
alike, and it covers people: those whom its values stand for. Whether that settles who is in which group must be so in
every world that publishes the same, and not only in the true one. What cannot be ruled out here counts as possible, so
*settled* is never said wrongly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.methods import Method
from pellucid.anonymize.recode import Recoder, TwoTables
from pellucid.anonymize.recode.alike import as_read
from pellucid.anonymize.recode.cell_coverage import Mask, covered
from pellucid.anonymize.recode.intervals import Intervals
from pellucid.anonymize.recode.recoder import RowRecoder, reads_like_a_group
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Codes, Table
from pellucid.models import Groups
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.l_diversity import LDiversity
from pellucid.risk.views import Evidence
from pellucid.risk.views.membership import Membership
from pellucid.risk.views.regrouping import grouping_of

MOST_COMPARED = 1_000_000_000  # people times classes whose covering is looked at
MOST_PEOPLE = 200  # who may be in whatever class covers them: of more, nobody tries all worlds


def told_who(evidence: Evidence) -> bool:
    """Whether who is in which group is told, and was not read off the release; and it is known how that reads."""
    read = evidence.anonymous or evidence.membership is not None or evidence.crowd is not None
    origin = evidence.origin  # one with a frame is of people who were read off a release, or given beside it
    return not read and origin is not None and origin.recoder is not None and origin.frame is None


def without_being_told(evidence: Evidence) -> Evidence:
    """The same release for somebody who is not told who is in which group: classes, and whom they cover.

    ``membership`` is None in it where all of them are settled, in every world that publishes the same.
    """
    alike = evidence.alike
    merged = as_read(evidence.grouping, alike)
    read = replace(
        evidence,
        grouping=merged,
        published=_merged(evidence.published, alike),
        crowd=len(evidence.people),
    )
    if settles(read):
        return read
    people, classes = len(evidence.people), len(read.grouping)
    if people > MOST_PEOPLE:  # nobody looks who is in which class: one person for each of them says that it is open
        open_ = _pairs(np.zeros(classes, np.int64), np.arange(classes, dtype=np.int64), people)
    else:
        open_ = _may_be_in([np.flatnonzero(mask) for mask in covering(read)], people)
    return replace(read, membership=open_, several=True)


def settles(evidence: Evidence) -> bool:
    """Whether the classes of a release tell who is in which group: each covers its own people alone, as one group."""
    if may_be_several(evidence) or len(evidence.people) * len(evidence.grouping) > MOST_COMPARED:
        return False
    sizes = evidence.grouping.sizes
    return all(int(mask.sum()) == int(sizes[number]) for number, mask in enumerate(covering(evidence)))


def may_be_several(evidence: Evidence) -> bool:
    """Whether a class that is read off a release may be several groups published alike, in any world.

    A class is one group for sure where it has fewer rows than two groups need. So it is where cuts lie between values
    and what is published of each attribute tells both sides apart, so that no two groups read the same; or where only
    one of its rows has the least or the largest value of an attribute, so that no two groups can both reach there.
    """
    method, origin = evidence.method, evidence.origin
    recoder = None if origin is None else origin.recoder
    if method is None or isinstance(recoder, TwoTables):  # these come with numbers of their own
        return False
    if evidence.anonymous:
        kinds = () if origin is None else origin.kinds
        return classes_may_be_several(method, recoder, kinds, int(evidence.published.sizes.max(initial=0)))
    ranges = isinstance(recoder, Intervals)
    if _no_two_groups_read_alike(evidence.people, method, recoder):
        return False
    large = np.flatnonzero(evidence.published.sizes >= 2 * least_rows(method)).tolist()
    if evidence.membership is not None:  # nobody knows who is in a class, so whether one row alone reaches its end
        return bool(large)
    return any(not (ranges and _reached_by_one(evidence.people, evidence.members(group))) for group in large)


def classes_may_be_several(method: Method, recoder: Recoder | None, kinds: Sequence[Kind], largest: int) -> bool:
    """The same where nobody's own values are known: by the kinds of the quasi-identifiers and the largest class.

    Ranges of numbers and of dates tell both sides of a cut apart, whatever the values are; of others nobody knows it.

    >>> import pellucid as pc
    >>> [classes_may_be_several(pc.Hybrid(l=3), pc.Intervals(), [], rows) for rows in (5, 6)]
    [False, True]
    >>> classes_may_be_several(pc.Mondrian(l=3, strict=True), pc.Intervals(), [Kind.NUMBER], 6)
    False
    """
    if isinstance(recoder, TwoTables):
        return False
    ranged = bool(kinds) and all(kind in (Kind.NUMBER, Kind.DATE) for kind in kinds)
    if method.cuts_between_values and isinstance(recoder, Intervals) and ranged:
        return False
    return largest >= 2 * least_rows(method)


def _no_two_groups_read_alike(people: Table, method: Method, recoder: Recoder | None) -> bool:
    """Whether cuts lie between values, and what is published of each attribute tells both sides apart."""
    attributes = [people.attributes[i] for i in people.having(Role.QUASI)]
    return method.cuts_between_values and isinstance(recoder, RowRecoder) and all(map(recoder.tells_apart, attributes))


def least_rows(method: Method) -> int:
    """How many rows a group of the method has at least.

    >>> import pellucid as pc
    >>> least_rows(pc.Hybrid(l=3)), least_rows(pc.Mondrian(k=4)), least_rows(pc.Mondrian(model="t-closeness=0.2"))
    (3, 4, 1)
    """
    model = method.satisfied()
    rows = [1]
    for part in () if model is None else model.parts:
        if isinstance(part, LDiversity) and method.protects is None:
            rows.append(part.l)
        elif isinstance(part, KAnonymity):
            rows.append(part.k)
    return max(rows)


def _reached_by_one(people: Table, members: Codes) -> bool:
    """Whether one row alone has the least or the largest value of some attribute on which these rows differ."""
    for column in people.having(Role.QUASI):
        attribute, codes = people.attributes[column], people.codes[column][members]
        if attribute.kind is Kind.CATEGORY or (attribute.has_null and (codes == 0).any()):
            continue
        if reads_like_a_group(attribute):
            continue
        low, high = codes.min(), codes.max()
        if low < high and min(int((codes == low).sum()), int((codes == high).sum())) == 1:
            return True
    return False


def covering(evidence: Evidence) -> Iterator[Mask]:
    """For each class whom its published values stand for; where that is not clear, more people rather than fewer."""
    origin = evidence.origin
    return covered(evidence.people, evidence.grouping, None if origin is None else origin.recoder)


def _merged(published: Groups, alike: NDArray[np.int64]) -> Groups:
    """The sensitive counts of classes: those of groups published alike together."""
    classes = int(alike.max(initial=-1)) + 1
    if classes == len(published):
        order = np.argsort(alike, kind="stable")
        if np.array_equal(order, np.arange(classes)):
            return published
    values = len(published.attribute)
    keys = alike[published.groups_of_entries] * values
    keys += published.codes
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.add.reduceat(published.counts[order], first) if len(first) else np.zeros(0, np.int64)
    keys = keys[first]
    del order, first
    classes_of = keys // values
    return replace(
        published,
        sizes=np.bincount(classes_of, counts, classes).astype(np.int64),
        starts=np.append(0, np.cumsum(np.bincount(classes_of, minlength=classes))).astype(np.int64),
        codes=(keys % values).astype(np.int32),
        counts=counts,
        population=None,
        presence=None,
    )


def _may_be_in(fitting: Sequence[NDArray[np.int64]], people: int) -> Membership:
    """Everybody with the classes that cover them; how likely each is, is not known yet."""
    groups = np.repeat(np.arange(len(fitting)), [len(who) for who in fitting])
    return _pairs(np.concatenate(fitting), groups, people)


def _pairs(persons: NDArray[np.int64], groups: NDArray[np.int64], people: int) -> Membership:
    """From pairs of a person and a class."""
    order = np.lexsort((groups, persons))
    starts = np.append(0, np.cumsum(np.bincount(persons, minlength=people))).astype(np.int64)
    nobody = np.zeros(people, np.bool_)
    return Membership(starts, groups[order].astype(np.int32), np.ones(len(order)), nobody)


def unsettled(evidence: Evidence) -> Evidence:
    """Evidence of classes that may be several groups: whoever looks like somebody of a class may be in it."""
    people, grouping = evidence.people, evidence.grouping
    columns = [i for i, attribute in enumerate(people.attributes) if attribute.role in (Role.QUASI, Role.CARRY)]
    _, kind = np.unique(np.stack([people.codes[i] for i in columns]), axis=1, return_inverse=True)
    kind = kind.ravel()
    by_kind = np.argsort(kind, kind="stable")
    first = np.searchsorted(kind[by_kind], np.arange(int(kind.max(initial=-1)) + 2))
    owner = np.repeat(np.arange(len(grouping)), grouping.sizes)
    pairs = np.unique(np.stack([owner, kind[grouping.members]]), axis=1)  # of a class and a kind of person in it
    many = np.diff(first)[pairs[1]]
    starts = np.repeat(first[pairs[1]] - np.append(0, np.cumsum(many))[:-1], many)
    persons = by_kind[starts + np.arange(int(many.sum()))]
    groups = np.repeat(pairs[0], many)
    nobody = grouping_of(np.full(len(people), -1, np.int32), len(grouping))
    return replace(evidence, membership=_pairs(persons, groups, len(people)), grouping=nobody, several=True)
