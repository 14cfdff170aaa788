"""What somebody who knows Mask believes: every way in which the values of small groups may have been replaced.

The groups are those of a method that looks at no sensitive value. A group is published as it was, unless more than one
row in l had a value of the set. So the truth of a group is what is published, with some other values turned back into
values of the set. Every truth of all groups together is tried, by its counts, and weighed by how often it can be had by
people and how likely Mask makes the published counts of it. Everybody of a group has the same chances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, islice, product
from math import comb, prod
from typing import Any

import numpy as np

from pellucid.attacking.adversary import Adversary
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.evidence.membership_advice import way_out_of
from pellucid.attacking.exactness import Exactness
from pellucid.attacking.inference.beliefs import Beliefs
from pellucid.attacking.inference.by_membership_chance import NoLaw
from pellucid.errors import AttackError
from pellucid.group.mask import Mask
from pellucid.model.sensitive import code_of, each_named
from pellucid.posterior.exclusion import multinomial

MOST_TRUTHS = 100_000  # of all groups together
Counts = tuple[int, ...]
Truth = tuple[Counts, Counts, Fraction]  # what a group had, what was put there instead, and how often so


def by_disguise(evidence: Evidence, adversary: Adversary, *, exact: bool) -> Beliefs:
    """Beliefs about everybody, of whoever is told who is in which group; raise where they cannot be counted.

    Nothing here asks for the true table: of two tables that are published alike the figures are the same.
    """
    method = evidence.method
    if not isinstance(method, Mask) or method.each or method.sensitive is None:
        raise NoLaw(
            "{method} may publish what is not true, and what was true is counted only for mask with one set of values",
            "ask for the attacker who assumes minimality",
            method="" if method is None else method.name,
        )
    if adversary.facts or evidence.membership is not None or evidence.lookalikes is not None or evidence.several:
        raise NoLaw(
            "what {method} replaced is counted for whoever is told the groups and nothing else",
            "{way_out}, without facts",
            method=method.name,
            way_out=way_out_of(evidence),
        )
    shown = [_vector(evidence, group) for group in range(len(evidence.published))]
    seen = {code for counts in shown for code, count in enumerate(counts) if count}
    named = [code_of(value, evidence.attribute) for value in each_named(method.sensitive, evidence.attribute)]
    ours = frozenset(code for code in named if code in seen and code is not None)
    truths, number = [], 1
    for counts in shown:
        fewest = prod(count + 1 for code, count in enumerate(counts) if code not in ours)
        truths.append(list(islice(_truths(counts, ours, method.l), MOST_TRUTHS + 1)) if fewest <= MOST_TRUTHS else [])
        number *= len(truths[-1])
        if len(ours) < len(named) or fewest > MOST_TRUTHS or number > MOST_TRUTHS:
            raise NoLaw(
                "what {method} published may be made of too many tables: up to {most:,} are tried",
                "attack a smaller table, in which each value of the set is published",
                method=method.name,
                most=MOST_TRUTHS,
            )
    total, having = Fraction(0), [[Fraction(0)] * len(evidence.values) for _ in shown]
    for world in product(*truths):
        weight = prod((one[2] for one in world), start=_chance(world, shown, ours, method))
        total += weight
        for sums, (counts, _, _) in zip(having, world, strict=True) if weight else ():
            for code, count in enumerate(counts):
                sums[code] += weight * count
    if not total:
        raise AttackError("mask publishes this of no table: it was made by another method or with other parameters")
    shares = [[held / (total * sum(counts)) for held in sums] for sums, counts in zip(having, shown, strict=True)]
    labels = evidence.grouping.labels

    def posterior_of(row: int) -> dict[Any, Any]:
        of_group = shares[labels[row]] if labels[row] >= 0 else []
        return {value: p if exact else float(p) for value, p in zip(evidence.values, of_group, strict=False)}

    return Beliefs(
        adversary,
        evidence,
        risk=np.array([float(max(shares[label], default=0)) if label >= 0 else 0.0 for label in labels.tolist()]),
        engine=f"exact (all {number:,} ways to replace)",
        posterior_of=posterior_of,
        reason_of=lambda _: f"that is of {number:,} ways in which values of all groups may have been replaced",
        notes=evidence.notes,
        exactness=Exactness.EXACT,
    )


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
    if not changed:
        return Fraction(1)
    share = [Fraction(sum(counts[code] for code in ours), sum(counts)) for counts in shown]
    donors = sorted((share[group] for group in range(len(world)) if group not in changed), reverse=True)
    if method.donors == "highest":
        donors = donors[: (method.l - 1) * len(changed)]
    pool = [0 if code in ours else sum(one[0][code] for one in world) for code in range(len(shown[0]))]
    chance = Fraction(1)
    for group in changed:
        left = share[group] * sum(shown[group])
        chance *= Fraction(sum(sum(shown[group]) * one // 1 == left for one in donors), max(1, len(donors)))
        for code, times in enumerate(world[group][1]):
            chance *= Fraction(pool[code], max(1, sum(pool))) ** times
    return chance
