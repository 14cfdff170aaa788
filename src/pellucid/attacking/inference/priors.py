"""Priors by which people differ: a known distribution, or one that is learned from the release itself.

The learned one is the deFinetti attack (Kifer 2009): if people who smoke are often in groups with cancer, a smoker in
a group with cancer is believed to be the one who has it. Expectation and maximisation of a naive Bayes classifier: what
everybody has is believed softly, the classifier is fitted to these beliefs, and the beliefs follow from the classifier
and the counts of each group (a ratio of permanents), again and again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.advice import TRUTH
from pellucid.attacking.adversary import Distribution, Learned
from pellucid.attacking.evidence import Evidence
from pellucid.errors import AttackError, ModelError
from pellucid.posterior.exclusion import BUDGET
from pellucid.posterior.permanents import LARGEST, balanced, by_value, marginals
from pellucid.posterior.qi_distribution import qi_distribution
from pellucid.progress import SILENT, Progress
from pellucid.schema import Role

Floats = NDArray[np.float64]
BY_VALUE = 8  # people of a group from which rows of one value are counted together
BATCH = 1 << 20  # numbers that are worked on together


@dataclass(frozen=True, eq=False)
class Batch:
    """Groups of the same size: their people and, in the same order, the codes of their values, one row per group."""

    people: NDArray[np.int64]
    slots: NDArray[np.int64]


def batches(evidence: Evidence) -> Iterator[Batch]:
    """The groups by size, some at a time."""
    grouping, published = evidence.grouping, evidence.published
    if (grouping.sizes != published.sizes).any():
        raise AttackError("groups of people and groups of values have different sizes", "records were added or dropped")
    sizes = grouping.sizes
    slots = np.repeat(published.codes, published.counts).astype(np.int64)
    value_starts = np.append(0, np.cumsum(sizes))
    for size in np.unique(sizes).tolist():
        groups = np.flatnonzero(sizes == size)
        at_once = max(1, BATCH // (size * size * (1 << min(size, LARGEST))) if size <= LARGEST else 1)
        for first in range(0, len(groups), max(at_once, 64) if size <= LARGEST else 1):
            chosen = groups[first : first + (max(at_once, 64) if size <= LARGEST else 1)]
            places = np.arange(size)
            yield Batch(
                grouping.members[grouping.starts[chosen][:, None] + places].astype(np.int64),
                slots[value_starts[chosen][:, None] + places],
            )


def beliefs_by_weights(
    evidence: Evidence, weights: Floats, *, exactly: bool = False, budget: int = BUDGET
) -> tuple[Floats, bool]:
    """Each person's posterior of each value from prior weights [person, value]; whether all groups were exact.

    Large groups are counted by kinds of people when it must be ``exactly``, within the ``budget`` of states, else
    approximated.
    """
    posterior = np.zeros_like(weights)
    exact = True
    for batch in batches(evidence):
        size = batch.people.shape[1]
        if size > LARGEST:
            people, slots = batch.people[0], batch.slots[0]
            if exactly:
                posterior[people] = large_group(weights[people], slots, budget)
                continue
            codes, counts = np.unique(slots, return_counts=True)
            posterior[np.ix_(people, codes)] = balanced(weights[np.ix_(people, codes)], counts.astype(np.int32))
            exact = False
            continue
        if size >= BY_VALUE and _few_by_value(batch, weights, posterior):
            continue
        shares = marginals(weights[batch.people[:, :, None], batch.slots[:, None, :]])
        if np.isnan(shares).any():
            group = int(evidence.grouping.labels[batch.people[np.isnan(shares).any(axis=(1, 2))][0, 0]])
            raise AttackError(
                f"the prior contradicts the release: by it, the people of group {group} cannot have its values"
            )
        for slot in range(size):
            np.add.at(posterior, (batch.people, batch.slots[:, slot][:, None]), shares[:, :, slot])
    return posterior, exact


def _few_by_value(batch: Batch, weights: Floats, posterior: Floats) -> bool:
    """Count a batch by values; False where that fails for some group, which then is looked at person by person."""
    for people, slots in zip(batch.people, batch.slots, strict=True):
        codes, counts = np.unique(slots, return_counts=True)
        found = by_value(weights[np.ix_(people, codes)], counts.astype(np.int32))
        if found is None:
            posterior[batch.people] = 0.0
            return False
        posterior[np.ix_(people, codes)] = found
    return True


def large_group(weights: Floats, slots: NDArray[np.int64], budget: int = BUDGET) -> Floats:
    """The posteriors of one group's people, by the engine that counts people of one kind together."""
    values = sorted(set(slots.tolist()))
    kinds, kind_of = np.unique(weights[:, values], axis=0, return_inverse=True)
    by_kind = [dict(zip(values, row, strict=True)) for row in kinds.tolist()]
    chances = [by_kind[kind] for kind in kind_of.ravel().tolist()]
    try:
        found = qi_distribution(chances, slots.tolist(), budget=budget)
    except ModelError as wrong:
        raise AttackError(f"a group of {len(slots)} people under this prior: {wrong.advice.marked}") from None
    posterior = np.zeros_like(weights)
    for person, one in enumerate(found):
        for value, chance in one.items():
            posterior[person, value] = chance
    return posterior


def one_group(evidence: Evidence, weights: Floats, group: int, budget: int = BUDGET) -> Floats:
    """The posteriors [member, code] of one group's people; an error when no arrangement has any weight."""
    members = evidence.members(group)
    codes, counts = evidence.counts(group)
    slots = np.repeat(codes, counts).astype(np.int64)
    if len(members) > LARGEST:
        return large_group(weights[members], slots, budget)
    shares = marginals(weights[np.ix_(members, slots)][None])[0]
    if np.isnan(shares).any():
        raise AttackError("no world is left in which they have the values of their group")
    posterior = np.zeros((len(members), weights.shape[1]))
    for slot, code in enumerate(slots.tolist()):
        posterior[:, code] += shares[:, slot]
    return posterior


def frequencies(evidence: Evidence) -> Floats:
    """Each person's posterior by the counts of the group alone."""
    posterior = np.zeros((len(evidence.people), len(evidence.values)))
    published = evidence.published
    for batch in batches(evidence):
        size = batch.people.shape[1]
        for slot in range(size):
            np.add.at(posterior, (batch.people, batch.slots[:, slot][:, None]), 1 / size)
    assert len(published) == len(evidence.grouping)
    return posterior


def learn(evidence: Evidence, prior: Learned, progress: Progress = SILENT) -> tuple[Floats, Floats, bool]:
    """Everybody's posterior after the iterations, the classifier's weights, and whether every group's was exact."""
    people = evidence.people
    quasi = [people.codes[i] for i in people.having(Role.QUASI)]
    sizes = [len(people.attributes[i]) for i in people.having(Role.QUASI)]
    kept = evidence.grouping.labels >= 0
    posterior, weights, exact = frequencies(evidence), np.ones((len(people), len(evidence.values))), True
    progress.stage("learning from the release", prior.iterations * len(people))
    for turn in range(prior.iterations):
        logs = np.zeros((len(people), len(evidence.values)))
        totals = posterior[kept].sum(axis=0)
        for codes, size in zip(quasi, sizes, strict=True):
            counts = np.zeros((size, len(evidence.values)))
            np.add.at(counts, codes[kept], posterior[kept])
            shares = (counts + prior.smoothing) / (totals + prior.smoothing * size)
            logs += np.log(shares)[codes]
        logs -= logs.max(axis=1, keepdims=True)
        weights = np.exp(logs)
        posterior, exact = beliefs_by_weights(evidence, weights)
        progress.advance((turn + 1) * len(people))
    return posterior, weights, exact


def weights_of(evidence: Evidence, prior: Distribution, truth: NDArray[np.int32] | None) -> Floats:
    """The prior weights [person, value] of a distribution, given or measured on the true sensitive codes."""
    people = evidence.people
    named = {people.attributes[i].name: i for i in people.having(Role.QUASI)}
    for name in prior.attributes:
        if name not in named:
            raise AttackError(f"no quasi-identifier is called {name!r}", f"there are: {', '.join(named)}")
    columns = [named[name] for name in prior.attributes]
    keys = np.zeros(len(people), np.int64)
    for i in columns:
        keys = keys * len(people.attributes[i]) + people.codes[i]
    distinct, place = np.unique(keys, return_inverse=True)
    table = np.zeros((len(distinct), len(evidence.values)))
    if prior.probabilities is None:
        if truth is None:
            raise AttackError("the distribution is not given", f"give its probabilities, or the true table as {TRUTH}")
        inside = truth >= 0  # whoever is not in the table has no value in it
        np.add.at(table, (place[inside], truth[inside]), 1.0)
        return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1.0))[place]
    for row in range(len(distinct)):
        person = int(np.flatnonzero(place == row)[0])
        key = tuple(people.attributes[i].values[int(people.codes[i][person])] for i in columns)
        told = prior.probabilities.get(key, prior.probabilities.get(key[0]) if len(key) == 1 else None)
        if told is not None and not isinstance(told, Mapping):
            raise AttackError(f"{told!r}: a distribution maps values to probabilities, such as {{'flu': 0.3}}")
        if told is None:
            shown: Any = key[0] if len(key) == 1 else key
            raise AttackError(f"the distribution says nothing about {shown!r}", "give a probability for every value")
        for value, probability in told.items():
            if not isinstance(probability, int | float | Fraction) or not 0 <= probability <= 1:
                raise AttackError(f"the probability of {value!r} is {probability!r}", "it must be from 0 to 1")
            table[row, evidence.code(value)] = float(probability)
        if sum(told.values()) > 1 + 1e-9:
            raise AttackError(
                f"the probabilities of {key[0] if len(key) == 1 else key!r} sum to {float(sum(told.values())):.4g}",
                "they must not exceed 1 together",
            )
    return table[place]
