"""Corruption: the attacker knows what some of the people have, and learns about the others.

**Claim.** Exactly how the risk of the others grows when m people are known: in the worst case, and on average when they
are known by chance.

**Story.** A nurse knows the diagnoses of three patients whom she treated. Their rows drop out of the group, and what is
left is shared by fewer. If the group had four rows, the fourth patient's value is known too.

**Definition.** A known person is a fact :class:`~pellucid.risk.facts.Has`, in a group of n rows with counts c(v).
Where some values alone are protected, v runs over these, and the other rows of a group may be drawn like any.
*Worst case*: the m known people are in one group and have other values than the most frequent one, so that its
posterior is c / (n - m), or 1 when m >= n - c and somebody is left; the figure is the largest over all groups with more
than m rows. *By chance*: m of all N people are drawn, each set equally likely. The others' risk, averaged over them, is
the sum over groups of E[max over v of what is left of v] / (N - m): what is left of value v in a group is c(v) minus
those drawn, and the sum over r people left of P(r left) times the share of choices of r rows with at most t of each
value, which is a coefficient of the product over v of sum C(c(v), j) x^j for j <= t. It is about somebody who does not
know how the groups were made.

**Example.** A group of four with four values, and three people known:

>>> import pellucid as pc
>>> from pellucid.risk.views.known_groups import evidence_of_groups
>>> import polars as pl
>>> table = pc.read(pl.DataFrame({"q": [1, 1, 1, 1], "s": list("abcd")}), quasi="q", sensitive="s")
>>> evidence = evidence_of_groups(table, [0, 0, 0, 0])
>>> [corruption(evidence, known=m).figure for m in range(4)]
[0.25, 0.3333333333333333, 0.5, 1.0]

**Citation.** Tao, Xiao, Li, Zhang: On anti-corruption privacy preserving publication, ICDE 2008.

**Baseline.** The same attacker who knows nobody: the largest frequency in a group.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from pellucid.errors import AttackError
from pellucid.messages import Message, Probability
from pellucid.risk.attacks.finding import About, ClassicAttack, Finding, number_of_people, people_in, some
from pellucid.risk.views import Evidence

BUDGET = 20_000_000  # multiplications for the average
CORRUPTION = About(
    "corruption",
    "A nurse knows what three of the patients have. Their rows drop out of the group, and what is left is shared by "
    "fewer people.",
    "Tao, Xiao, Li, Zhang: On anti-corruption privacy preserving publication. ICDE 2008.",
    "largest posterior of somebody else's value when so many people are known",
    "the same attacker who knows nobody",
)


def corruption(evidence: Evidence, *, known: int = 1, budget: int = BUDGET) -> Finding:
    """How much is learnt about others when ``known`` people are; exposed is who may become certain."""
    people = number_of_people(evidence)
    published = evidence.published
    if isinstance(known, bool) or not isinstance(known, int) or known < 0:
        raise AttackError("known = {known!r}: must be a whole number of people, at least 0", known=known)
    if (published.sizes != evidence.grouping.sizes).any():
        raise AttackError(
            "groups have more or fewer rows than people, so a known person's row does not simply drop out",
            "records were added, or who is in the table is not known",
        )
    sizes, largest = published.sizes, evidence.largest
    open_ = sizes > known  # somebody is left to learn about
    if not open_.any():
        raise AttackError(f"known = {known}: no group has more people than that", f"use {int(sizes.max()) - 1} or less")
    risk = np.zeros(len(sizes))
    risk[open_] = np.minimum(1.0, largest[open_] / (sizes[open_] - known))
    exposed = people_in(evidence, risk >= 1.0)
    worst, before = float(risk.max()), float((largest / sizes).max())
    average, reason = None, None
    try:
        average = average_risk(evidence, known, budget=budget)
    except AttackError as refused:
        reason = str(refused)
    group = int(risk.argmax())
    sentence = Message(
        "Who knows {known} of a group of {size} is right about another with probability {worst} in the worst case; "
        "knowing nobody, the most is {before}. {exposed} of {everybody} can become certain in this way.",
        known=some(known),
        size=f"{int(sizes[group]):,}",
        worst=Probability(worst),
        before=Probability(before),
        exposed=some(len(exposed)),
        everybody=f"{people:,}",
    )
    if evidence.counting:
        about = Message("Counted is somebody{counting}.", counting=evidence.counting)
        sentence = Message.joined([about, sentence], " ")
    if average is not None:
        chance = "When the known are there by chance, the others' average risk is {average}."
        sentence = Message.joined([sentence, Message(chance, average=Probability(average))], " ")
    missing = {"average_missing": reason} if reason else {}
    return CORRUPTION.finding(
        worst,
        before,
        exposed,
        sentence,
        known=known,
        group=group,
        average=average,
        average_before=float(largest.sum() / sizes.sum()),
        **missing,
    )


def average_risk(evidence: Evidence, known: int, *, budget: int = BUDGET) -> float:
    """The others' risk on average when so many people, drawn by chance, are known."""
    published = evidence.published
    people = int(published.sizes.sum())
    if known >= people:
        raise AttackError(f"known = {known:,} of {people:,} people: nobody is left to learn about")
    kinds = kinds_of_groups(evidence)
    if sum((sum(kind) + others) ** 2 * kind[-1] for kind, others in kinds if kind) > budget:
        raise AttackError(
            "{kinds:,} kinds of groups take more than {budget:,} steps to average over",
            "{MORE_BUDGET_OF_ATTACK}",
            kinds=len(kinds),
            budget=budget,
        )
    total = 0.0
    for (kind, others), groups in kinds.items():
        total += groups * expected_largest(kind, people, known, others)
    return total / (people - known)


def kinds_of_groups(evidence: Evidence) -> Counter[tuple[tuple[int, ...], int]]:
    """How many groups have which counts of protected values, and how many other rows."""
    published = evidence.published
    counting = np.ones(len(published.codes), bool)
    if evidence.protected is not None:
        counting = np.isin(published.codes, evidence.protected)
    group, counts = published.groups_of_entries[counting], published.counts[counting]
    if evidence.as_one or evidence.sets is not None:
        group = np.flatnonzero(evidence.largest)
        counts = evidence.largest[group]
    above = int(counts.max(initial=0)) + 1
    keys = group * above + counts  # sorted in place: an order of a million entries would take as much again
    keys.sort()
    group, counts = np.divmod(keys, above)
    del keys
    others = published.sizes - np.bincount(group, counts, len(published)).astype(np.int64)
    values = np.bincount(group, minlength=len(published))
    first = np.append(0, np.cumsum(values))
    kinds: Counter[tuple[tuple[int, ...], int]] = Counter()
    for many in np.unique(values).tolist():
        alike = np.flatnonzero(values == many)
        told = np.empty((len(alike), many + 1), np.int32)
        for value in range(many):
            told[:, value] = counts[first[alike] + value]
        told[:, many] = others[alike]
        found, groups = np.unique(told, axis=0, return_counts=True)
        for (*kind, rest), n in zip(found.tolist(), groups.tolist(), strict=True):
            kinds[tuple(kind), rest] = n
    return kinds


def expected_largest(counts: Sequence[int], people: int, known: int, others: int = 0) -> float:
    """How often the most frequent value left in a group occurs, on average over who is known.

    ``others`` are further rows of the group, whose values do not count.

    >>> expected_largest([1, 1], 2, 1)  # one of the two is known, and the other value is left
    1.0
    >>> expected_largest([1], 2, 1, others=1)  # or the one that counts is known, and nothing of it is left
    0.5
    """
    size = sum(counts) + others
    # how likely just these r rows of the group are left and the others known, times perm(people, size), in integers
    chance = [math.perm(known, size - r) * math.perm(people - known, r) for r in range(size + 1)]
    total = 0
    for t in range(max(counts, default=0)):  # E[X] = sum of P(X > t)
        within = [math.comb(others, j) for j in range(others + 1)]
        for count in counts:
            within = _product(within, [math.comb(count, j) for j in range(min(t, count) + 1)])
        total += sum(
            p * (math.comb(size, r) - (within[r] if r < len(within) else 0)) for r, p in enumerate(chance) if p
        )
    return total / math.perm(people, size)


def _product(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """The coefficients of the product of two polynomials."""
    product = [0] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            product[i + j] += a * b
    return product


ATTACKS = (ClassicAttack(90, CORRUPTION, lambda evidence, _: corruption(evidence)),)
