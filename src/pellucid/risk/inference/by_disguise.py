"""What somebody who knows Mask believes: every way in which the values of small groups may have been replaced.

The groups are those of a method that looks at no sensitive value. A group is published as it was, unless more than one
row in l had a value of the set. So the truth of a group is what is published, with some other values turned back into
values of the set. Every truth of all groups together is tried, by its counts, and weighed by how often it can be had by
people and how likely Mask makes the published counts of it. Everybody of a group has the same chances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import Any

import numpy as np

from pellucid.anonymize.methods.mask import Mask
from pellucid.errors import AttackError
from pellucid.models.sensitive import code_of, each_named
from pellucid.posterior.exclusion import multinomial
from pellucid.risk.adversary import Adversary
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.by_membership_chance import NoLaw
from pellucid.risk.views import Evidence
from pellucid.risk.views.membership_advice import way_out_of

MOST_TRUTHS = 100_000  # of all groups together
Counts = tuple[int, ...]
Truth = tuple[Counts, Counts, Fraction]  # what a group had, what was put there instead, and how often so


def by_disguise(evidence: Evidence, adversary: Adversary, *, exact: bool) -> Beliefs:
    """Beliefs about everybody, of whoever is told who is in which group; raise where they cannot be counted.

    Nothing here asks for the true table: of two tables that are published alike the figures are the same.
    """
    number, shares = _shares(evidence, _counted_alone(evidence, adversary))
    labels = evidence.grouping.labels

    def posterior_of(row: int) -> dict[Any, Any]:
        of_group = shares[labels[row]] if labels[row] >= 0 else []
        return {value: p if exact else float(p) for value, p in zip(evidence.values, of_group, strict=False)}

    return Beliefs(
        adversary,
        evidence,
        risk=np.array([float(max(shares[label])) if label >= 0 else 0.0 for label in labels.tolist()]),
        engine=f"exact (all {number:,} ways to replace)",
        posterior_of=posterior_of,
        reason_of=lambda _: f"that is of {number:,} ways in which values of all groups may have been replaced",
        notes=evidence.notes,
        exactness=Exactness.EXACT,
    )


def _counted_alone(evidence: Evidence, adversary: Adversary) -> Mask:
    """The method, where it is Mask with one set, and the attacker is told the groups and no facts; raise elsewhere."""
    method = evidence.method
    if not isinstance(method, Mask) or method.each or method.sensitive is None:
        raise NoLaw(
            "{method} may publish what is not true, and what was true is counted only for mask with one set of values",
            "ask for the attacker who assumes minimality",
            method="" if method is None else method.name,
        )
    unclear = evidence.membership is not None or evidence.lookalikes is not None or evidence.several
    if adversary.facts or unclear or (evidence.grouping.labels < 0).any():
        raise NoLaw(
            "what {method} replaced is counted for whoever is told everybody's group and nothing else",
            "{way_out}, without facts",
            method=method.name,
            way_out=way_out_of(evidence),
        )
    return method


def _shares(evidence: Evidence, method: Mask) -> tuple[int, list[list[Fraction]]]:
    """How many truths there are, and the share of each value in each group over them."""
    ours, shown, number = _published_ones(evidence, method), list[Counts](), 1
    for group in range(len(evidence.published)):
        shown.append(_vector(evidence, group))
        number *= _how_many(shown[-1], ours, method.l)
        if not 0 < number <= MOST_TRUTHS:
            break  # before any is listed
    if not 0 < number <= MOST_TRUTHS:
        raise NoLaw(
            "what {method} published may be made of too many tables, or of none: up to {most:,} are tried",
            "attack a smaller table, in which each value of the set is published",
            method=method.name,
            most=MOST_TRUTHS,
        )
    truths = [list(_truths(counts, ours, method.l)) for counts in shown]
    total, having = Fraction(0), np.full((len(shown), len(evidence.values)), Fraction(0))
    for world in product(*truths):
        weight = prod((one[2] for one in world), start=_chance(world, shown, ours, method))
        total += weight
        having += np.array([counts for counts, _, _ in world], object) * weight
    if not total:
        raise AttackError("mask publishes this of no table: it was made by another method or with other parameters")
    return number, [list(sums / (total * sum(one))) for sums, one in zip(having, shown, strict=True)]


def _published_ones(evidence: Evidence, method: Mask) -> frozenset[int]:
    """The codes of the set, where each of its values is published somewhere; else none.

    Of a value that is not published nobody knows whether the table has it.
    """
    seen = set(np.flatnonzero(evidence.published.shown_counts).tolist())
    named = [code_of(value, evidence.attribute) for value in each_named(method.sensitive or (), evidence.attribute)]
    return frozenset(code for code in named if code is not None) if seen.issuperset(named) else frozenset()


def _how_many(shown: Counts, ours: frozenset[int], l: int) -> int:
    """How many truths a group has; none where the ways to choose new values are too many, or nothing is protected."""
    others = [count for code, count in enumerate(shown) if code not in ours]
    if not ours or prod(count + 1 for count in others) > MOST_TRUTHS:
        return 0
    ways, kept, size = [1], sum(shown) - sum(others), sum(shown)  # to choose as many new values, by their number
    for count in others:
        ways = [sum(ways[max(0, lost - count) : lost + 1]) for lost in range(len(ways) + count)]
    changed = (new * comb(lost + len(ours) - 1, lost) for lost, new in enumerate(ways) if (kept + lost) * l > size)
    return (kept * l <= size) + sum(changed)


def _vector(evidence: Evidence, group: int) -> Counts:
    counts = np.zeros(len(evidence.values), np.int64)
    codes, held = evidence.counts(group)
    counts[codes] = held
    return tuple(counts.tolist())


def _truths(shown: Counts, ours: frozenset[int], l: int) -> Iterator[Truth]:
    """What a group may have had, and how often: by people, and by the rows that are drawn to lose their value."""
    size, kept = sum(shown), sum(shown[code] for code in ours)
    nothing = (0,) * len(shown)
    if kept * l <= size:
        yield shown, nothing, Fraction(multinomial(shown))
    for new in product(*(range(1 if code in ours else count + 1) for code, count in enumerate(shown))):
        lost = sum(new)
        if (kept + lost) * l <= size:
            continue  # it would have been published as it was
        for old in combinations_with_replacement(sorted(ours), lost):
            before = tuple(count - new[code] + old.count(code) for code, count in enumerate(shown))
            drawn = prod(comb(before[code], old.count(code)) for code in ours)
            yield before, new, Fraction(multinomial(before) * drawn * multinomial(new), comb(kept + lost, lost))


def _chance(world: Sequence[Truth], shown: Sequence[Counts], ours: frozenset[int], method: Mask) -> Fraction:
    """How likely the donors leave as many values of the set as are seen, and these others are drawn."""
    changed = [group for group, (_, new, _) in enumerate(world) if any(new)]
    donors = sorted((_share(one, ours) for one, (_, new, _) in zip(shown, world, strict=True) if not any(new)))[::-1]
    donors = donors[: (method.l - 1) * len(changed)] if method.donors == "highest" else donors
    others = np.sum([counts for counts, _, _ in world], axis=0)
    others[list(ours)] = 0
    chance = Fraction(1)
    for group in changed:
        chance *= _looks_like(shown[group], donors, ours)
        drawn = zip(others.tolist(), world[group][1], strict=True)
        chance *= prod(Fraction(n, max(1, int(others.sum()))) ** times for n, times in drawn)
    return chance


def _share(counts: Counts, ours: frozenset[int]) -> Fraction:
    return Fraction(sum(counts[code] for code in ours), sum(counts))


def _looks_like(counts: Counts, donors: Sequence[Fraction], ours: frozenset[int]) -> Fraction:
    """How many of the donors leave a group as many values of the set as it shows."""
    size = sum(counts)
    return Fraction(sum(size * one // 1 == size * _share(counts, ours) for one in donors), max(1, len(donors)))
