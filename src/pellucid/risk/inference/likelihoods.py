"""How likely each group is as far as an adversary knows: the method's own law, minimality, or nothing but counts."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.disclosure.likelihoods import order_of
from pellucid.anonymize.layout.entries import sort_rows
from pellucid.anonymize.methods import Grouping
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.errors import AttackError
from pellucid.messages import Message
from pellucid.models import PrivacyModel
from pellucid.posterior.column import KeptRows, TableCounts
from pellucid.posterior.generalized import Generalized
from pellucid.posterior.shape import Likelihood, Merged, Plain, Shape
from pellucid.risk.adversary import Adversary
from pellucid.risk.inference.by_membership_chance import (
    NoLaw,
    made_without_values,
    require_nothing_given_away,
    told_by_sizes,
)
from pellucid.risk.views import Evidence
from pellucid.risk.views.regrouping import grouping_of

Longs = NDArray[np.int64]
NOBODY = KeptRows()


def known_likelihood(evidence: Evidence, adversary: Adversary) -> Likelihood:
    """How likely each group is, as far as this adversary knows.

    Groups that no sensitive value decided were merged for quasi-identifiers alone: minimality tells nothing of values.
    """
    if adversary.knows == "nothing" or (adversary.knows == "minimality" and made_without_values(evidence.method)):
        return Likelihood.transparent(evidence.published.sizes, len(evidence.people))
    if evidence.anonymous:
        require_nothing_given_away(evidence, adversary, "nobody's own quasi-identifiers are known")
        likelihood = told_by_sizes(evidence)
        assert likelihood is not None  # or it gives something away
        return replace(likelihood, part=np.zeros(len(evidence.people), np.int32))
    if adversary.knows == "minimality":
        return minimality(evidence)
    if evidence.method is None:
        raise AttackError(
            "an adversary who knows the algorithm needs to know which it is",
            "say how the release was made with {MADE_BY}",
        )
    likelihood = told_by_method(evidence)
    if likelihood is None:
        raise NoLaw(
            "{method} has no law by group that an exact engine could use",
            "attack it as a black box with {BLACK_BOX}",
            method=evidence.method.name,
        )
    return likelihood


def told_by_method(evidence: Evidence) -> Likelihood | None:
    """How the method made the groups of the people whom it saw: outsiders have no part in extents and orders."""
    assert evidence.method is not None
    likelihood = evidence.method.likelihood(*seen(evidence), evidence.published)
    if likelihood is None or evidence.in_table is None:
        return likelihood
    part = np.zeros(len(evidence.people), np.int32)
    part[evidence.in_table] = likelihood.part
    return replace(likelihood, part=part)


def seen(evidence: Evidence) -> tuple[Table, Grouping]:
    """The people whom the method saw, and their groups."""
    if evidence.in_table is None or evidence.table is None:
        return evidence.people, evidence.grouping
    return evidence.table, grouping_of(evidence.grouping.labels[evidence.in_table], len(evidence.grouping))


def order_matters(evidence: Evidence, likelihood: Likelihood) -> bool:
    """Whether, of rows in an order that nobody knows, the other way round would have told something else.

    A cut that runs through rows of equal values takes the first of them, and the last of them in the other direction.
    """
    if evidence.people.order is not None or not likelihood.assumes_order:
        return False
    return tells_by_order(evidence)


def tells_by_order(evidence: Evidence) -> bool:
    """The same where nothing is said about orders: whether these groups, made in two orders, tell the same."""
    people, grouping = seen(evidence)
    method = evidence.method
    if method is None or evidence.membership is not None or evidence.lookalikes is not None:
        return True
    ranks = np.argsort(np.argsort(order_of(people, grouping), kind="stable"), kind="stable").astype(np.int64)
    one, other = (
        method.likelihood(replace(people, order=order), grouping, evidence.published)
        for order in (ranks, len(ranks) - 1 - ranks)
    )
    if one is None or other is None:
        return True
    same = list(one.shapes) == list(other.shapes) and np.array_equal(one.of_group, other.of_group)
    return not (same and np.array_equal(one.part, other.part))


def merges_several(evidence: Evidence) -> bool:
    """Whether some group has people of more than two looks, so that more than one way to divide it was not taken."""
    kept, quasi = evidence.grouping.members, evidence.people.having(Role.QUASI)
    columns = [evidence.grouping.labels[kept], *(evidence.people.codes[i][kept] for i in quasi)]
    sizes = [len(evidence.grouping), *(len(evidence.people.attributes[i]) for i in quasi)]
    order, starts = sort_rows([np.ascontiguousarray(c) for c in columns], sizes, 1)
    looks = np.bincount(columns[0][order[starts[:-1]]], minlength=1)
    return bool(looks.max(initial=0) > 2)


def minimality(evidence: Evidence) -> Likelihood:
    """Groups that merge classes of people who look alike would be apart if every class satisfied the model."""
    if evidence.model is None:
        means = "knowing minimality means knowing that nothing was made coarser than some model of groups asks for"
        raise AttackError(means, Message("say which model with {MODEL}"))
    people = evidence.people
    quasi = people.having(Role.QUASI)
    grouping = evidence.grouping
    kept = grouping.members
    columns = [grouping.labels[kept], *(people.codes[i][kept] for i in quasi)]
    sizes = [len(grouping), *(len(people.attributes[i]) for i in quasi)]
    order, starts = sort_rows([np.ascontiguousarray(c) for c in columns], sizes, 1)
    group_of_class = columns[0][order[starts[:-1]]]
    first_class = np.searchsorted(group_of_class, np.arange(len(grouping)))
    part = np.zeros(len(people), np.int32)
    numbers = np.arange(len(starts) - 1) - first_class[group_of_class]
    part[kept[order]] = np.repeat(numbers, np.diff(starts)).astype(np.int32)
    whole = TableCounts.of(evidence.attribute, evidence.published.table_counts.tolist())
    shapes: dict[Shape, int] = {}
    of_group = np.empty(len(grouping), np.int32)
    class_sizes = np.diff(starts)
    ends = np.append(first_class[1:], len(class_sizes))
    vectors = [np.ascontiguousarray(codes[order[starts[:-1]]]) for codes in columns[1:]]
    kind_of, counts_of = _kept_apart(evidence, vectors, group_of_class, ends - first_class)
    sizes_of, kinds_of = class_sizes.tolist(), kind_of.tolist()
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}  # many groups have the same classes
    for group, (a, b) in enumerate(zip(first_class.tolist(), ends.tolist(), strict=True)):
        key = (tuple(sizes_of[a:b]), tuple(kinds_of[a:b]))
        if key not in known:
            apart = tuple(counts_of[kind] if kind >= 0 else NOBODY for kind in key[1]) if counts_of else ()
            known[key] = shapes.setdefault(_shape_of(key[0], apart, evidence.model, whole), len(shapes))
        of_group[group] = known[key]
    return Likelihood(list(shapes), of_group, part)


def _shape_of(parts: tuple[int, ...], apart: tuple[KeptRows, ...], model: PrivacyModel, whole: TableCounts) -> Shape:
    """What classes tell that were merged into one group; ``apart`` has what each of them could have stayed apart by."""
    if len(parts) == 1:
        return Plain(parts)
    if any(apart):
        return Generalized(parts, apart, model, whole)
    return Merged(parts, model, whole)


def _kept_apart(
    evidence: Evidence, vectors: list[NDArray[np.int32]], group_of_class: NDArray[np.int32], classes: Longs
) -> tuple[Longs, list[KeptRows]]:
    """For each class in a group with others: the counts of people like it who are published as they are, by number.

    The number is -1 where there are none. That is local recoding: a group of one class is published as it is, with the
    sensitive counts of its people.
    """
    alone = classes[group_of_class] == 1
    number_of = np.full(len(group_of_class), -1, np.int64)
    if alone.all() or not alone.any():
        return number_of, []
    order, starts = sort_rows(vectors, [int(codes.max()) + 1 for codes in vectors], 1)
    kind = np.empty(len(order), np.int64)  # of people: those who look alike are of one
    kind[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    wanted = np.flatnonzero(np.isin(kind, kind[~alone]) & alone)
    published, values, groups = evidence.published, evidence.values, group_of_class[wanted]
    distinct = published.distinct[groups]
    before = np.append(0, np.cumsum(distinct))
    entries = np.repeat(published.starts[groups] - before[:-1], distinct) + np.arange(before[-1])
    pairs = np.repeat(kind[wanted], distinct) * len(values) + published.codes[entries]
    pairs, place = np.unique(pairs, return_inverse=True)
    rows = np.bincount(place, published.counts[entries], len(pairs)).astype(np.int64).tolist()
    kinds, begins = np.unique(pairs // len(values), return_index=True)
    named = [values[code] for code in (pairs % len(values)).tolist()]
    ends = np.append(begins, len(pairs)).tolist()
    counts_of = [KeptRows(sorted(zip(named[a:b], rows[a:b], strict=True), key=str)) for a, b in pairwise(ends)]
    there = np.flatnonzero(~alone & np.isin(kind, kinds))
    number_of[there] = np.searchsorted(kinds, kind[there])
    return number_of, counts_of
