"""A known prior by which people differ: P(value | what somebody looks like), given or measured on the true table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.core.table import Codes
from pellucid.errors import AttackError
from pellucid.risk.adversary import Distribution
from pellucid.risk.inference.cells import Cells, Looks
from pellucid.risk.views import Evidence
from pellucid.risk.views.strata_again import cut_again

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class KnownPrior:
    """How likely each value is for people who look alike: by pair of looks and value.

    ``before`` is the largest of everybody's own chances, of the values that count.
    """

    look: Looks
    table: Floats
    before: Floats

    def weigh(self, cells: Cells, at: slice) -> Floats:
        """What each cell weighs."""
        weights = cells.zeros()
        self.look.at(at).add(cells, self.table, weights)
        return weights

    def weights_of(self, layout: Cells, group: int) -> Floats:
        """The same for one group, by person and value."""
        weights = self.weigh(layout.part(group, group + 1), layout.block(group))
        return weights.reshape(int(layout.sizes[group]), int(layout.distinct[group]))


def known_prior(evidence: Evidence, prior: Distribution, truth: NDArray[np.int32] | None, layout: Cells) -> KnownPrior:
    """The weights of a distribution, given or measured on the true sensitive codes."""
    keys, kinds = looks_by(evidence, prior)
    if prior.support > 1 and truth is not None:
        keys, kinds = _supported(keys, kinds, truth, prior.support), kinds + 1
    look = Looks.of(keys, kinds, len(evidence.values), layout)
    if prior.probabilities is not None:
        table, before = _given(evidence, prior.probabilities, _columns(evidence, prior), look)
    elif truth is None:
        raise AttackError("the distribution is not given", "give its probabilities, or the true table as {TRUTH}")
    else:
        table, before = _measured(evidence, truth, look, whole=kinds - 1 if prior.support > 1 else None)
    return KnownPrior(look, table, before[keys])


def _columns(evidence: Evidence, prior: Distribution) -> list[int]:
    """The columns that a distribution depends on."""
    people = evidence.people
    named = {people.attributes[i].name: i for i in people.having(Role.QUASI)}
    for name in prior.attributes:
        if name not in named:
            raise AttackError(f"no quasi-identifier is called {name!r}", f"there are: {', '.join(named)}")
    return [named[name] for name in prior.attributes]


def looks_by(evidence: Evidence, prior: Distribution) -> tuple[Codes, int]:
    """Everybody's look in the columns of a distribution, or stratum, as a number; and how many numbers there are."""
    people, columns = evidence.people, _columns(evidence, prior)
    if not columns:
        strata = cut_again(evidence)
        if strata is None:
            raise AttackError(
                "the strata of this release cannot be cut again", "name columns, as in Distribution('age')"
            )
        return strata, int(strata.max(initial=-1)) + 1
    keys: Codes = people.codes[columns[0]]
    kinds = len(people.attributes[columns[0]])
    for i in columns[1:]:
        both = keys.astype(np.int64) * len(people.attributes[i]) + people.codes[i]
        distinct, place = np.unique(both, return_inverse=True)
        keys, kinds = place.astype(np.int32).ravel(), len(distinct)
    return keys, kinds


def _counting(evidence: Evidence, codes: Longs) -> NDArray[np.bool_]:
    """Which of these codes count as risk: a likely value that does not is no finding."""
    return np.ones(len(codes), np.bool_) if evidence.protected is None else np.isin(codes, evidence.protected)


def _supported(keys: Codes, kinds: int, truth: NDArray[np.int32], support: int) -> Codes:
    """Everybody's look, and one more for all whose look fewer people of the table have: the whole table's."""
    alike = np.bincount(keys[truth >= 0], minlength=kinds)
    return np.where(alike[keys] < support, kinds, keys).astype(np.int32)


def _measured(
    evidence: Evidence, truth: NDArray[np.int32], look: Looks, *, whole: int | None = None
) -> tuple[Floats, Floats]:
    """By pair the share of the people who look so that have the value; and the largest share by look.

    Of the look that is the ``whole`` table's, everybody counts.
    """
    inside = truth >= 0  # whoever is not in the table has no value in it
    keys, held = look.keys[inside].astype(np.int64), truth[inside]
    if whole is not None:
        own = keys != whole
        keys = np.append(keys[own], np.full(len(held), whole, np.int64))
        held = np.append(held[own], held)
    pairs, rows = np.unique(keys * look.values + held, return_counts=True)
    people = np.bincount(keys, minlength=look.kinds)
    shares = rows / people[pairs // look.values]
    before = np.zeros(look.kinds)
    counts = _counting(evidence, pairs % look.values)
    if not evidence.as_one:
        np.maximum.at(before, (pairs // look.values)[counts], shares[counts])
    for some in evidence.events if evidence.as_one else evidence.sets or ():
        here, of_set = np.isin(pairs % look.values, some), np.zeros(look.kinds)
        np.add.at(of_set, (pairs // look.values)[here], shares[here])
        before = np.maximum(before, of_set)
    table = np.zeros(look.count)
    if look.of_pair is None:
        table[pairs] = shares
        return table, before
    place = np.minimum(np.searchsorted(look.of_pair, pairs), max(0, len(look.of_pair) - 1))
    known = look.of_pair[place] == pairs if len(look.of_pair) else np.zeros(len(pairs), np.bool_)
    table[place[known]] = shares[known]
    return table, before


def _given(
    evidence: Evidence, probabilities: Mapping[Any, Any], columns: list[int], look: Looks
) -> tuple[Floats, Floats]:
    """The same as somebody gives it, for every look that somebody has."""
    people = evidence.people
    table, before = np.zeros(look.count), np.zeros(look.kinds)
    present, examples = np.unique(look.keys, return_index=True)
    for kind, person in zip(present.tolist(), examples.tolist(), strict=True):
        key = tuple(people.attributes[i].values[int(people.codes[i][person])] for i in columns)
        chances = _chances_given(evidence, probabilities, key)
        before[kind] = evidence.most_of(dict(enumerate(chances.tolist())))
        first, end = kind * look.values, (kind + 1) * look.values
        if look.of_pair is None:
            table[first:end] = chances
        else:
            a, b = np.searchsorted(look.of_pair, [first, end]).tolist()
            table[a:b] = chances[look.of_pair[a:b] - first]
    return table, before


def _chances_given(evidence: Evidence, probabilities: Mapping[Any, Any], key: tuple[Any, ...]) -> Floats:
    """The chance of each code that is given for people who look like this; together they must not exceed 1."""
    given = probabilities.get(key, probabilities.get(key[0]) if len(key) == 1 else None)
    looks: Any = key[0] if len(key) == 1 else key
    if given is None:
        raise AttackError(f"the distribution says nothing about {looks!r}", "give a probability for every value")
    if not isinstance(given, Mapping):
        raise AttackError("{given!r}: a distribution maps values to probabilities, such as {{'flu': 0.3}}", given=given)
    chances = np.zeros(len(evidence.values))
    for value, probability in given.items():
        if not isinstance(probability, int | float | Fraction) or not 0 <= probability <= 1:
            raise AttackError(f"the probability of {value!r} is {probability!r}", "it must be from 0 to 1")
        chances[evidence.code(value)] = float(probability)
    if sum(given.values()) > 1 + 1e-9:
        raise AttackError(
            f"the probabilities of {looks!r} sum to {float(sum(given.values())):.4g}",
            "they must not exceed 1 together",
        )
    return _with_the_rest(chances, 1 - float(sum(given.values())), {evidence.code(value) for value in given}, evidence)


def _with_the_rest(chances: Floats, rest: float, named: set[int], evidence: Evidence) -> Floats:
    """The chances with what they leave shared by the values that are not named, as often as these are published."""
    others = np.where(np.isin(np.arange(len(chances)), [*named]), 0, evidence.published.shown_counts)
    if rest <= 1e-12 or not others.any():
        return chances
    return np.asarray(chances + rest * others / others.sum(), np.float64)
