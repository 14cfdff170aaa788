"""E1: what a merge tells. Classes that would have been published apart were merged, so one of them violated the model.

This is the minimality attack: a method that generalises no more than it must says by every generalisation that
something made it necessary. Where recoding is local (:func:`local_classes`), some rows of each class were generalised
and the others are published as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb, lgamma, log, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import ModelError
from pellucid.models import PrivacyModel
from pellucid.posterior.column import KeptRows, Posterior, SensitiveColumn, restricted
from pellucid.posterior.exclusion import (
    BUDGET,
    Impossible,
    check_sizes,
    given_sizes,
    posterior_of_classes,
)
from pellucid.runtime.arguments import yes_or_no


def merged_classes(
    class_sizes: Sequence[int],
    counts: Mapping[Any, int],
    model: PrivacyModel,
    sensitive: Iterable[Any] | None = None,
    *,
    together: bool = False,
    table_counts: Mapping[Any, int] | None = None,
    exact: bool = False,
    budget: int = BUDGET,
) -> list[Posterior]:
    """What somebody believes of a person of each class who knows that at least one class violated the model.

    ``class_sizes`` are the sizes of the classes that were published as one group with these ``counts``. ``sensitive``
    restricts the model to those values, ``together`` counts them as one. ``table_counts`` is the whole table's
    distribution for models that compare with it; the group's own unless given.

    Two people share a zip code and were merged with five others; two of the seven have HIV, and l = 2:

    >>> from pellucid.models.l_diversity import LDiversity
    >>> merged_classes([2, 5], {"HIV": 2, "other": 5}, LDiversity(l=2), sensitive=["HIV"])
    [{'HIV': 1.0, 'other': 0.0}, {'HIV': 0.0, 'other': 1.0}]

    Reference: Wong, Fu, Wang, Pei: Minimality attack in privacy preserving data publishing. VLDB 2007, section 4.
    """
    model = restricted(model, sensitive, together=yes_or_no(together, "together", ModelError))
    exact = yes_or_no(exact, "exact", ModelError)
    column = SensitiveColumn.of(counts, table_counts or {})
    table = column.whole_table(table_counts)
    sizes = given_sizes(class_sizes)
    check_sizes(sizes, column.counts)
    event = column.event(model)
    if event is not None:
        codes, l = event
        positives = sum(column.counts[code] for code in codes)
        shares = credibilities(sizes, positives, [n // l for n in sizes], exact=exact)
        return [_spread(column, codes, positives, share, exact=exact) for share in shares]
    limits = column.limits(model, sizes)

    def violates(_: int, vectors: NDArray[np.int64]) -> NDArray[np.bool_]:
        return ~column.satisfied(model, vectors, table)

    posteriors = posterior_of_classes(sizes, column.counts, limits, violates, budget=budget)
    return [column.named(posterior, exact=exact) for posterior in posteriors]


def _spread(column: SensitiveColumn, codes: list[int], positives: int, share: Any, *, exact: bool) -> Posterior:
    """The share of the event split among its values, and the rest among the others, each by its count."""
    others = column.total - positives
    return {
        value: _part(share, column.counts[code], positives, exact=exact)
        if code in codes
        else _part(1 - share, column.counts[code], others, exact=exact)
        for code, value in enumerate(column.values)
    }


def _part(share: Any, count: int, of: int, *, exact: bool) -> Any:
    if of == 0:
        return Fraction(0) if exact else 0.0
    return share * Fraction(count, of) if exact else float(share) * count / of


def credibilities(sizes: Sequence[int], positives: int, most: Sequence[int], *, exact: bool = False) -> list[Any]:
    """For each class the share of its rows that have the event, given that some class i has more than ``most[i]``.

    Classes of the same size are exchangeable, so each kind of class is counted once.

    >>> credibilities([2, 2, 10], 5, [1, 1, 5], exact=True)
    [Fraction(53, 86), Fraction(53, 86), Fraction(109, 430)]
    """
    kinds = sorted(set(zip(sizes, most, strict=True)))
    times = [sum(1 for kind_of_class in zip(sizes, most, strict=True) if kind_of_class == kind) for kind in kinds]
    shares = (_exact_shares if exact else _float_shares)(kinds, times, positives)
    by_kind = dict(zip(kinds, shares, strict=True))
    return [by_kind[kind] for kind in zip(sizes, most, strict=True)]


def _exact_shares(kinds: Sequence[tuple[int, int]], times: Sequence[int], s: int) -> list[Fraction]:
    """With integers: ``good`` is the polynomial whose x^j counts arrangements with j positives and no violation."""
    total = sum(n * t for (n, _), t in zip(kinds, times, strict=True))

    def times_power(poly: list[int], n: int, most: int, power: int) -> list[int]:
        factor = [comb(n, j) for j in range(min(most, n) + 1)]
        for _ in range(power):
            grown = [0] * min(len(poly) + len(factor) - 1, s + 1)
            for i, a in enumerate(poly):
                if a:
                    for j, b in enumerate(factor[: s + 1 - i]):
                        grown[i + j] += a * b
            poly = grown
        return poly

    def good_without(left_out: int | None) -> list[int]:
        poly = [1]
        for k, ((n, most), t) in enumerate(zip(kinds, times, strict=True)):
            poly = times_power(poly, n, most, t - (k == left_out))
        return poly + [0] * (s + 1 - len(poly))

    bad = comb(total, s) - good_without(None)[s]
    if bad == 0:
        raise Impossible("no arrangement of these values violates the model in any class", "nothing forced the merge")
    shares = []
    for k, (n, most) in enumerate(kinds):
        if n == 0:
            shares.append(Fraction(0))
            continue
        others = good_without(k)
        kept = sum(j * comb(n, j) * others[s - j] for j in range(min(most, n, s) + 1))
        every = n * comb(total - 1, s - 1) if s else 0
        shares.append(Fraction(every - kept, n * bad))
    return shares


Floats = NDArray[np.float64]


def _float_shares(kinds: Sequence[tuple[int, int]], times: Sequence[int], s: int) -> list[float]:
    """With floats: positives fall independently with probability s/total, which is then conditioned on.

    Products of (no violation, some violation) pairs of distributions: all terms are positive, nothing cancels.
    """
    total = sum(n * t for (n, _), t in zip(kinds, times, strict=True))
    if not 0 <= s <= total:
        raise ModelError("{s} of {total} rows have the value", "at most all of them can", s=s, total=total)
    theta = min(max(s / total, 1e-12), 1 - 1e-12) if total else 0.5
    pairs = []
    for n, most in kinds:
        mass = _binomial(n, theta)[: s + 1]
        fine = np.where(np.arange(len(mass)) <= most, mass, 0.0)
        pairs.append((fine, mass - fine))
    powers = [_power(pair, t, s) for pair, t in zip(pairs, times, strict=True)]
    before, after = _joined_one_by_one(powers, s), _joined_one_by_one(powers[::-1], s)[::-1]
    bad = _at(before[-1][1], s)
    if not bad > 0:
        raise Impossible("no arrangement of these values violates the model in any class", "nothing forced the merge")
    shares = []
    for k, (n, _) in enumerate(kinds):
        fine, breaks = pairs[k]
        others = _join(_join(before[k], after[k + 1], s), _power(pairs[k], times[k] - 1, s), s)
        j = np.arange(len(fine))
        every = _padded(others[0], s)[s - j] + _padded(others[1], s)[s - j]
        rows = float((j * (breaks * every + fine * _padded(others[1], s)[s - j])).sum())
        shares.append(rows / (n * bad) if n else 0.0)
    return shares


Pair = tuple[Floats, Floats]  # by the number of positives: no violation, some violation
_ONE: Pair = (np.ones(1), np.zeros(1))


def _binomial(n: int, theta: float) -> Floats:
    """The distribution of the number of positives among n rows."""
    j = np.arange(n + 1)
    logs = np.array([lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) for i in j])
    mass: Floats = np.exp(logs + j * log(theta) + (n - j) * log(1 - theta))
    return mass


def _join(a: Pair, b: Pair, s: int) -> Pair:
    """Both together: fine when both are, some violation when either has one."""
    fine = np.convolve(a[0], b[0])[: s + 1]
    breaks = _sum(np.convolve(a[1], _sum(b[0], b[1]))[: s + 1], np.convolve(a[0], b[1])[: s + 1])
    return fine, breaks


def _power(pair: Pair, times: int, s: int) -> Pair:
    """So many such classes, by repeated squaring."""
    result, square = _ONE, pair
    while times:
        if times & 1:
            result = _join(result, square, s)
        times >>= 1
        if times:
            square = _join(square, square, s)
    return result


def _sum(a: Floats, b: Floats) -> Floats:
    if len(a) < len(b):
        a, b = b, a
    total = a.copy()
    total[: len(b)] += b
    return total


def _at(values: Floats, place: int) -> float:
    return float(values[place]) if place < len(values) else 0.0


def _padded(values: Floats, s: int) -> Floats:
    return np.append(values, np.zeros(max(0, s + 1 - len(values))))


def _joined_one_by_one(powers: Sequence[Pair], s: int) -> list[Pair]:
    """The product of none of them, of the first, of the first two, and so on to all."""
    joined = [_ONE]
    for power in powers:
        joined.append(_join(joined[-1], power, s))
    return joined


def sensitive_tuples(
    class_sizes: Sequence[int], counts: Mapping[Any, int], model: PrivacyModel, sensitive: Iterable[Any] | None = None
) -> list[tuple[tuple[int, ...], int]]:
    """How many rows of each class may have the sensitive value, and in how many arrangements: only those that violate.

    >>> from pellucid.models.l_diversity import LDiversity
    >>> sensitive_tuples([2, 2, 10], {"HIV": 5, "other": 9}, LDiversity(l=2), ["HIV"])
    [((0, 2, 3), 120), ((1, 2, 2), 90), ((2, 0, 3), 120), ((2, 1, 2), 90), ((2, 2, 1), 10)]
    """
    column = SensitiveColumn.of(counts)
    check_sizes(class_sizes, column.counts)
    event = column.event(restricted(model, sensitive))
    if event is None:
        raise ModelError("the table of sensitive tuples is for simple l-diversity of one value or one set of values")
    codes, l = event
    positives = sum(column.counts[code] for code in codes)
    if prod(min(n, positives) + 1 for n in class_sizes) > BUDGET:
        raise ModelError(f"{len(class_sizes)} classes have too many tuples to list", "ask for merged_classes instead")
    return [
        (tuple_, prod(comb(n, j) for n, j in zip(class_sizes, tuple_, strict=True)))
        for tuple_ in product(*(range(min(n, positives) + 1) for n in class_sizes))
        if sum(tuple_) == positives and _some_class_violates(class_sizes, tuple_, l)
    ]


def _some_class_violates(class_sizes: Sequence[int], positives: Sequence[int], l: int) -> bool:
    return any(j * l > n for n, j in zip(class_sizes, positives, strict=True))


def local_classes(  # noqa: PLR0913  (a public verb)
    class_sizes: Sequence[int],
    kept: Sequence[Mapping[Any, int]],
    generalized_from: Sequence[int],
    counts: Mapping[Any, int],
    model: PrivacyModel,
    sensitive: Iterable[Any] | None = None,
    *,
    together: bool = False,
    table_counts: Mapping[Any, int] | None = None,
    exact: bool = False,
    budget: int = BUDGET,
) -> list[Posterior]:
    """What somebody believes of a person of each class who knows that some class as a whole violated the model.

    Class i has ``class_sizes[i]`` rows. ``kept[i]`` counts those that were published with the class's own
    quasi-identifiers; ``generalized_from[i]`` rows were generalised, and the generalised group has these ``counts``.
    Which of a class's rows were generalised is not known. ``table_counts`` is the whole table's distribution for models
    that compare with it; that of these classes unless given.

    >>> from pellucid.models.l_diversity import LDiversity
    >>> local_classes([5, 8], [{"HIV": 2, "other": 2}, {"HIV": 1, "other": 6}], [1, 1], {"HIV": 1, "other": 1},
    ...               LDiversity(l=2), ["HIV"])
    [{'HIV': 0.6, 'other': 0.4}, {'HIV': 0.125, 'other': 0.875}]

    Reference: Wong, Fu, Wang, Pei: Minimality attack in privacy preserving data publishing. VLDB 2007, section 4.
    """
    model = restricted(model, sensitive, together=together)
    _check_kept(kept)
    column = SensitiveColumn.of(counts, *kept, table_counts or {})
    own = np.array([column.vector(of_class) for of_class in kept], dtype=np.int64)
    moved = [int(n) for n in generalized_from]
    _check_classes(class_sizes, own, moved)
    check_sizes(moved, column.counts)
    whole = np.array(column.counts, dtype=np.int64) + own.sum(axis=0)
    table = whole if table_counts is None else np.array(column.vector(table_counts), dtype=np.int64)

    def violates(i: int, vectors: NDArray[np.int64]) -> NDArray[np.bool_]:
        return ~column.satisfied(model, vectors + own[i], table)

    limits = column.limits(model, moved, [KeptRows(of_class.items()) for of_class in kept])
    shares = posterior_of_classes(moved, column.counts, limits, violates, budget=budget)
    return [
        column.named(_of_whole_class(size, moved[i], own[i].tolist(), shares[i]), exact=exact)
        for i, size in enumerate(class_sizes)
    ]


def _check_kept(kept: Sequence[object]) -> None:
    for i, of_class in enumerate(kept):
        if not isinstance(of_class, Mapping):
            raise ModelError(f"kept[{i}] is {of_class!r}: give the counts of class {i} by value, such as {{'flu': 2}}")


def _check_classes(sizes: Sequence[int], own: NDArray[np.int64], moved: Sequence[int]) -> None:
    """Raise unless the kept and the generalised rows of each class add up to it."""
    if not len(sizes) == len(own) == len(moved):
        raise ModelError(
            f"{len(sizes)} class sizes, {len(own)} kept counts and {len(moved)} numbers of generalised rows",
            "give one of each per class",
        )
    for i, (size, rest, away) in enumerate(zip(sizes, own.sum(axis=1).tolist(), moved, strict=True)):
        if size != rest + away:
            raise ModelError(
                f"class {i} has {size} rows, but {rest} kept and {away} generalised", "the two add up to it"
            )


def _of_whole_class(size: int, moved: int, own: Sequence[int], shares: Sequence[Fraction]) -> list[Fraction]:
    """The share of each value in a class, from that among its generalised rows and the counts of the others."""
    if not size:
        return [Fraction(0)] * len(shares)
    return [(moved * share + count) / Fraction(size) for share, count in zip(shares, own, strict=True)]
