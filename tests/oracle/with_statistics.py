"""An attacker with statistics beside a release of strata, as plainly as possible: worlds weigh what their people weigh.

A distribution by columns gives everybody's values weights. Where these are the same of everybody in a stratum, the
promise covers the attacker, and no verdict on it may be wrong, whatever else the attacker is told.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import pellucid as pc
from oracle.attacker import World
from oracle.configurations import WHO, quasi_of
from oracle.differing import (
    ALONE,
    NEAR,
    Entry,
    Posteriors,
    Said,
    Target,
    counting,
    given_to,
    of_own_bounds,
    promised_of_each,
    refusal,
)
from pellucid.errors import PellucidError
from pellucid.risk.exactness import Exactness
from pellucid.risk.report.guarantee_coverage import coverage
from pellucid.risk.views.strata_again import fixed_by_strata

Weights = list[dict[Any, Fraction]]  # of each row of the table, by value


def draw_entry(random: Random) -> Entry:
    """What such an attacker is given: the true table, on which distributions are measured."""
    source, people = random.choice(["memory", "folder", "folder", "file"]), random.choice(["truth", "truth", "groups"])
    return Entry(source, "truth" if source == "memory" else people, random.random() < 0.5, (), random.randrange(1000))


def draw_prior(random: Random, target: Target) -> tuple[pc.Distribution, Weights]:
    """A distribution by some columns or by stratum, measured on the table or told, and what everybody weighs."""
    frame, values = target.frame, sorted(set(target.world.values), key=str)
    names = quasi_of(target.publishing.schema)
    by = random.choice([(), *((name,) for name in names), tuple(names)])
    looks = list(frame.select(by).rows()) if by else [(stratum,) for stratum in strata_of(target)]
    if by and random.random() < ALONE * 3:
        told = {}
        for look in set(looks):
            shares = [random.randint(1, 5) for _ in values]
            told[look] = {v: Fraction(share, sum(shares)) for v, share in zip(values, shares, strict=True)}
        return pc.Distribution(by, told), [told[look] for look in looks]
    measured = {
        look: Counter(v for v, one in zip(target.world.values, looks, strict=True) if one == look) for look in looks
    }
    return pc.Distribution(by), [
        {v: Fraction(measured[look][v], measured[look].total()) for v in values} for look in looks
    ]


def strata_of(target: Target) -> list[int]:
    """The stratum of each row, as the release was made."""
    grouping = target.release.private.grouping
    assert grouping.strata is not None
    return [int(grouping.strata[label]) for label in grouping.labels]


def alike_in_strata(target: Target, weights: Weights) -> bool:
    """Whether everybody of a stratum weighs the same."""
    strata = strata_of(target)
    return all(weights[strata.index(stratum)] == weights[row] for row, stratum in enumerate(strata))


def believed(target: Target, weights: Weights, *, told: bool) -> Posteriors:
    """What somebody believes who knows the method, and to whom worlds weigh so."""
    attacker = target.publishing.table_known
    names = attacker.setting.population[WHO].to_list()
    row_of = {name: row for row, name in enumerate(target.frame[WHO].to_list())}

    def weigh(world: World) -> Fraction:
        people = zip(world.members, world.values, strict=True)
        return Fraction(prod(weights[row_of[names[person]]].get(value, Fraction(0)) for person, value in people))

    return dict(zip(names, attacker.given(weigh, told=told)[target.key(attacker, told=told)], strict=True))


def compare(target: Target, random: Random, folder: Path) -> Said:
    """What is said of such an attacker, and whether it is so."""
    entry, (prior, weights) = draw_entry(random), draw_prior(random, target)
    adversary = pc.Adversary(knows=random.choice(["nothing", "algorithm"]), prior=prior)
    source, given = given_to(target, entry, folder)
    try:
        beliefs = pc.attack(source, adversary, exact=True, **given)
    except PellucidError as refused:
        return refusal(str(refused), target, entry)
    evidence = beliefs.evidence
    if coverage("algorithm", adversary, fixed_by_strata(evidence)) != "covered":
        return Said("not covered")
    if not alike_in_strata(target, weights):
        return Said("covered", f"{adversary}: covered, and people of a stratum weigh otherwise")
    views = [believed(target, weights, told=told) for told in (True, False)]
    said = f"{beliefs.exactness.value}{', told' if entry.people == 'groups' or entry.source == 'memory' else ''}"
    wrong = [] if beliefs.exactness is Exactness.UNKNOWN else of_own_bounds(beliefs, views, target)
    allowed = promised_of_each(target)
    for row, name in enumerate(evidence.names or target.frame[WHO].to_list()):
        told, alone = (float(counting(view[name], target)) for view in views)
        if told > float(allowed[name]) + NEAR:
            wrong.append(f"{name}: told {told:.4f}, and {allowed[name]} is promised")
        if beliefs.otherwise is not None and alone > max(told, float(beliefs.otherwise[row])) + NEAR:
            wrong.append(f"{name}: {alone:.4f} in the other view, and {beliefs.otherwise[row]:.4f} is said")
        if beliefs.exactness is Exactness.EXACT and "told" in said and abs(told - beliefs.risk[row]) > NEAR:
            wrong.append(f"{name}: {told:.4f}, and {beliefs.risk[row]:.4f} is said")
        if beliefs.exactness is Exactness.BOUND and beliefs.upper is not None and told > beliefs.upper[row] + NEAR:
            wrong.append(f"{name}: {told:.4f}, and at most {beliefs.upper[row]:.4f} is said")
    return Said(said, f"{entry}, {adversary}: {'; '.join(wrong[:3])}" if wrong else "")
