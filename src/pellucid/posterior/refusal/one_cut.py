"""What a refused cut tells: a group was not cut in two because one of the sides would have violated the model.

The group's sensitive values are published, and which rows would have gone to which side is known from the quasi-
identifiers. Every way to hand out the values is equally likely before the refusal; those in which both sides satisfy
the model are ruled out by it. So the posterior needs the counts of the values and the sizes of the sides, no rows.

For models that limit the share of each protected value, the arrangements with j rows of every value on the first side
are counted by a product of polynomials, one per value that could make a side fail. Floats carry the arrangements with
and without a violation side by side, so that nothing is subtracted; they are binomial probabilities at the first side's
share of the rows, so that none is too large. Their relative error is below 1e-9. Other models are asked about every
split of the counts, as long as there are not too many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, lgamma, log, log1p, prod
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.table import Attribute
from pellucid.errors import ModelError
from pellucid.models import PrivacyModel
from pellucid.models.groups import numbered
from pellucid.posterior.column import known_model
from pellucid.posterior.exclusion import OverBudget
from pellucid.posterior.merged_classes import merged_classes
from pellucid.posterior.refusal.side_limits import SideLimits
from pellucid.runtime.arguments import brief, mapping, several, whole_number, yes_or_no

Probability = Fraction | float
MOST_SPLITS = 200_000  # of the counts over two sides that are tried one by one
SMALLEST = 1e-280  # a refusal that is less likely than this is computed exactly


def refused_cut(
    sides: Sequence[int],
    counts: Mapping[Any, int],
    model: PrivacyModel,
    exact: bool = False,
    *,
    table_counts: Mapping[Any, int] | None = None,
    attribute: Attribute | None = None,
) -> list[dict[Any, Any]]:
    """For each side and value the posterior that a person on this side has the value, given that the cut was refused.

    ``sides`` has the number of rows of the two sides, ``counts`` how often each value occurs in both together. Models
    that look at the whole table take its ``table_counts`` (the group's own when not given), and those that look at
    numbers or taxonomies the sensitive ``attribute``.

    There may be more than two sides, as in an even split of several parts: that one of them violates the model is what
    is known of classes that were merged (:func:`merged_classes`).

    Two rows to the left, four to the right, and two of the six are positive. At l = 2 the right side always passes, so
    both on the left must be positive:

    >>> from pellucid.models.l_diversity import LDiversity
    >>> refused_cut((2, 4), {"positive": 2, "negative": 4}, LDiversity(l=2, sensitive=("positive",)), exact=True)
    [{'positive': Fraction(1, 1), 'negative': Fraction(0, 1)}, {'positive': Fraction(0, 1), 'negative': Fraction(1, 1)}]

    Reference: G. Cormode, D. Srivastava, N. Li, T. Li. Minimizing minimality and maximizing utility. VLDB 2010.
    """
    known_model(model)
    exact = yes_or_no(exact, "exact", ModelError)
    counts = mapping(counts, "counts", "the number of rows of each value, such as {'flu': 2}", ModelError)
    parts = _checked_sides(sides, counts)
    if len(parts) > 2:
        return merged_classes(parts, counts, model, table_counts=table_counts, exact=exact)
    two = a, b = parts[0], parts[1]
    limits = SideLimits.of(model)
    if limits is None:
        expected = by_splits(two, counts, model, table_counts or counts, attribute)
    elif min(two) < limits.least:
        expected = {value: Fraction(a * count, a + b) for value, count in counts.items()}  # it was no surprise
    else:
        expected = by_shares(two, counts, limits, exact)
    return [
        {value: shown(expected[value] / a, exact) for value in counts},
        {value: shown((counts[value] - expected[value]) / b, exact) for value in counts},
    ]


def _checked_sides(sides: object, counts: Mapping[Any, int]) -> tuple[int, ...]:
    """The number of rows of sides that make up a group with these counts; raise for others."""
    rule = "a list of numbers; a cut has two sides or more: give the number of rows of each, such as (2, 4)"
    given = several(sides, "sides", rule, ModelError)
    if len(given) < 2:
        raise ModelError("sides = {brief}: must be {rule}", brief=brief(sides), rule=rule)
    sizes = tuple(whole_number(size, "sides", ModelError) for size in given)
    for value, count in counts.items():
        whole_number(count, f"the count of {brief(value)}", ModelError)
    told = " and ".join(map(str, sizes))
    if not min(sizes) >= 1 or min(counts.values(), default=0) < 0:
        raise ModelError("sides of {told} rows: each needs at least one row, and counts are not negative", told=told)
    if sum(sizes) != sum(counts.values()):
        raise ModelError(f"sides of {told} rows do not make up a group of {sum(counts.values())}")
    return sizes


def shown(probability: Probability, exact: bool) -> Probability:
    """The probability as it was asked for; a float never leaves 0..1 by its error."""
    return probability if exact else min(1.0, max(0.0, float(probability)))


def by_shares(
    sides: tuple[int, int], counts: Mapping[Any, int], limits: SideLimits, exact: bool
) -> dict[Any, Probability]:
    """How many rows of each value are on the first side, on average over all arrangements that are refused."""
    a, b = sides
    most = (
        limits.share.numerator * a // limits.share.denominator,
        limits.share.numerator * b // limits.share.denominator,
    )
    critical = _critical(limits.rows_of_sets(counts), sides, most)
    if a == b and critical:  # exchanging equal halves keeps a refusal, so everybody is on either side as often
        return {value: Fraction(count, 2) for value, count in counts.items()}
    sizes = [n for _, n in critical]
    means = _means(a, b, sizes, most, exact)
    expected = _in_proportion(critical, means, counts)
    rest = a + b - sum(sizes)
    on_the_left = a - sum(means[n] for n in sizes)  # the others share what is left in proportion
    others = {value: count for value, count in counts.items() if value not in expected}
    return expected | {value: on_the_left * n / rest if rest else Fraction(0) for value, n in others.items()}


def _means(a: int, b: int, sizes: Sequence[int], most: tuple[int, int], exact: bool) -> Mapping[int, Probability]:
    """By floats where these are asked for and hold what they must, else exactly."""
    means = None if exact else mean_floats(a, b, sizes, most)
    return mean_integers(a, b, sizes, most) if means is None else means


def _critical(
    sets: Sequence[tuple[list[Any], int]], sides: tuple[int, int], most: tuple[int, int]
) -> list[tuple[list[Any], int]]:
    """The sets of values, with their rows, that can exceed the limit of a side."""
    a, b = sides
    return [(values, n) for values, n in sets if min(n, a) > most[0] or min(n, b) > most[1]]


def _in_proportion(
    critical: Sequence[tuple[Sequence[Any], int]], means: Mapping[int, Probability], counts: Mapping[Any, int]
) -> dict[Any, Probability]:
    """The rows on the first side of each value that counts together with others, by its share of their rows."""
    return {value: means[n] * counts[value] / n for values, n in critical for value in values}


def mean_integers(a: int, b: int, sizes: Sequence[int], most: tuple[int, int]) -> dict[int, Fraction]:
    """For each size of a critical value its mean number of rows on the first side when the cut is refused, exactly."""
    free = [comb(a + b - sum(sizes), j) for j in range(a + b - sum(sizes) + 1)]
    allowed = [[comb(c, j) if passes(c, j, most) else 0 for j in range(c + 1)] for c in sizes]
    refused = comb(a + b, a) - coefficient([*allowed, free], a)
    if not refused:
        raise impossible(a, b)
    means = {}
    for i, c in enumerate(sizes):
        if c not in means:
            weighted = [j * ways for j, ways in enumerate(allowed[i])]
            allowed_rows = coefficient([*allowed[:i], *allowed[i + 1 :], free, weighted], a)
            means[c] = Fraction(c * comb(a + b - 1, a - 1) - allowed_rows, refused)
    return means


def passes(count: int, left: int, most: tuple[int, int]) -> bool:
    """Whether a value with so many rows, so many of them on the first side, violates neither side's limit."""
    return left <= most[0] and count - left <= most[1]


def impossible(a: int, b: int) -> ModelError:
    """What is said when nothing explains the refusal."""
    return ModelError(
        f"a cut into {a} and {b} rows of these values satisfies the model however they lie, so it cannot have been "
        "refused",
        "check the sizes, the counts and the model",
    )


def coefficient(polynomials: Sequence[Sequence[int]], power: int) -> int:
    """The coefficient of x to this power in a product of polynomials with integer coefficients."""
    product = [1]
    for factor in polynomials:
        longer = [0] * min(len(product) + len(factor) - 1, power + 1)
        for i, x in enumerate(product):
            if x:
                for j, y in enumerate(factor[: power + 1 - i]):
                    longer[i + j] += x * y
        product = longer
    return product[power] if power < len(product) else 0


@dataclass(frozen=True, eq=False)
class Weights:
    """The weight of having s rows of some values on the first side, by s: without a violation, and with one."""

    good: NDArray[np.float64]
    bad: NDArray[np.float64]

    def __mul__(self, other: Weights) -> Weights:
        """Both sets of values together."""
        return Weights(
            np.convolve(self.good, other.good),
            np.convolve(self.bad, other.good + other.bad) + np.convolve(self.good, other.bad),
        )


def mean_floats(a: int, b: int, sizes: Sequence[int], most: tuple[int, int]) -> dict[int, Probability] | None:
    """The same in floats; None when a refusal is so unlikely that they might vanish."""
    share = a / (a + b)
    rest = binomial(a + b - sum(sizes), share)
    of_side = []
    for c in sizes:
        chances = binomial(c, share)
        fine = np.array([passes(c, j, most) for j in range(c + 1)])
        of_side.append(Weights(np.where(fine, chances, 0), np.where(fine, 0, chances)))
    before = [Weights(rest, np.zeros_like(rest))]
    for factor in of_side[:-1]:
        before.append(before[-1] * factor)
    after = [Weights(np.ones(1), np.zeros(1))]
    for factor in reversed(of_side[1:]):
        after.append(after[-1] * factor)
    means: dict[int, Probability] = {}
    for i, c in enumerate(sizes):
        if c in means:
            continue
        others = before[i] * after[len(sizes) - 1 - i]
        left = np.arange(c + 1)
        reach = (a - left >= 0) & (a - left < len(others.good))
        place = np.where(reach, a - left, 0)
        refused = of_side[i].bad * (others.good + others.bad)[place] + of_side[i].good * others.bad[place]
        refused = np.where(reach, refused, 0)
        if refused.sum() < SMALLEST:
            return None
        means[c] = float((left * refused).sum() / refused.sum())
    return means or None


def binomial(n: int, share: float) -> NDArray[np.float64]:
    """The probabilities of j successes among n."""
    logs = [lgamma(n + 1) - lgamma(j + 1) - lgamma(n - j + 1) for j in range(n + 1)]
    j = np.arange(n + 1)
    chances: NDArray[np.float64] = np.exp(np.array(logs) + j * log(share) + (n - j) * log1p(-share))
    return chances


def by_splits(
    sides: tuple[int, int],
    counts: Mapping[Any, int],
    model: PrivacyModel,
    table_counts: Mapping[Any, int],
    attribute: Attribute | None,
) -> dict[Any, Probability]:
    """Ask the model about every split of the counts over the two sides."""
    a, b = sides
    number = splits(list(counts.values()), a)
    if number > MOST_SPLITS:
        raise OverBudget(
            f"{model.label}: the values can be split over the two sides in {number:,} ways, and at most "
            f"{MOST_SPLITS:,} are tried",
            "use l-diversity or (alpha,k)-anonymity, which are counted without trying",
        )
    if attribute is None:
        values, names = list(counts), pl.Series(list(counts), strict=False)
        attribute = replace(numbered(len(values)), values=names)
    else:
        values = attribute.values.to_list()
    of_group = np.array([counts.get(value, 0) for value in values], dtype=np.int64)
    whole = np.array([table_counts.get(value, 0) for value in values], dtype=np.int64)
    left = np.array(list(every_split(of_group.tolist(), a)), dtype=np.int64)
    satisfied = [model.check_counts(side, whole, attribute=attribute) for side in (left, of_group - left)]
    refused, rows = _arrangements(of_group.tolist(), left[~(satisfied[0] & satisfied[1])].tolist())
    if not refused:
        raise impossible(a, b)
    return {value: rows[code] / refused for code, value in enumerate(values) if value in counts}


def splits(counts: Sequence[int], size: int) -> int:
    """In how many ways so many rows can be chosen, rows of equal value being alike."""
    return coefficient([[1] * (count + 1) for count in counts], size)


def every_split(counts: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """How many rows of each value are among those chosen."""
    if not counts:
        yield ()
        return
    following = sum(counts[1:])
    for taken in range(max(0, size - following), min(counts[0], size) + 1):
        for rest in every_split(counts[1:], size - taken):
            yield (taken, *rest)


def _arrangements(of_group: Sequence[int], splits: Iterable[Sequence[int]]) -> tuple[Fraction, Counter[int]]:
    """In how many arrangements the rows are split so, and how many rows of each value are on the left, over all."""
    number = Fraction(0)
    rows: Counter[int] = Counter()
    for split in splits:
        ways = prod(comb(count, on_the_left) for count, on_the_left in zip(of_group, split, strict=True))
        number += ways
        for code, on_the_left in enumerate(split):
            rows[code] += ways * on_the_left
    return number, rows
