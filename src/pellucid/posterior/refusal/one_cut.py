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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, lgamma, log, log1p
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.arguments import brief, mapping, several, whole_number, yes_or_no
from pellucid.errors import ModelError
from pellucid.model import PrivacyModel
from pellucid.model.alpha_k_anonymity import AlphaKAnonymity
from pellucid.model.groups import numbered
from pellucid.model.k_anonymity import KAnonymity
from pellucid.model.l_diversity import LDiversity
from pellucid.posterior.column import known_model
from pellucid.posterior.exclusion import OverBudget
from pellucid.table import Attribute
from pellucid.text.values import label_of

Probability = Fraction | float
MOST_SPLITS = 200_000  # of the counts over two sides that are tried one by one
SMALLEST = 1e-280  # a refusal that is less likely than this is computed exactly


def refused_cut(
    sides: tuple[int, int],
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

    Two rows to the left, four to the right, and two of the six are positive. At l = 2 the right side always passes, so
    both on the left must be positive:

    >>> refused_cut((2, 4), {"positive": 2, "negative": 4}, LDiversity(l=2, sensitive=("positive",)), exact=True)
    [{'positive': Fraction(1, 1), 'negative': Fraction(0, 1)}, {'positive': Fraction(0, 1), 'negative': Fraction(1, 1)}]

    Reference: G. Cormode, D. Srivastava, N. Li, T. Li. Minimizing minimality and maximizing utility. VLDB 2010.
    """
    known_model(model)
    exact = yes_or_no(exact, "exact", ModelError)
    counts = mapping(counts, "counts", "the number of rows of each value, such as {'flu': 2}", ModelError)
    rule = "a list of two numbers; a cut has two sides: give the number of rows of each, such as (2, 4)"
    given = several(sides, "sides", rule, ModelError)
    if len(given) != 2:
        raise ModelError(f"sides = {brief(sides)}: must be {rule}")
    sides = a, b = whole_number(given[0], "sides", ModelError), whole_number(given[1], "sides", ModelError)
    for value, count in counts.items():
        whole_number(count, f"the count of {brief(value)}", ModelError)
    if not min(a, b) >= 1 or min(counts.values(), default=0) < 0:
        raise ModelError(f"sides of {a} and {b} rows: both need at least one row, and counts are not negative")
    if a + b != sum(counts.values()):
        raise ModelError(f"sides of {a} and {b} rows do not make up a group of {sum(counts.values())}")
    limits = SideLimits.of(model)
    if limits is None:
        expected = by_splits(sides, counts, model, table_counts or counts, attribute)
    elif min(sides) < limits.least:
        expected = {value: Fraction(a * count, a + b) for value, count in counts.items()}  # it was no surprise
    else:
        expected = by_shares(sides, counts, limits, exact)
    return [
        {value: shown(expected[value] / a, exact) for value in counts},
        {value: shown((counts[value] - expected[value]) / b, exact) for value in counts},
    ]


def shown(probability: Probability, exact: bool) -> Probability:
    """The probability as it was asked for; a float never leaves 0..1 by its error."""
    return probability if exact else min(1.0, max(0.0, float(probability)))


@dataclass(frozen=True)
class SideLimits:
    """A side passes when it has ``least`` rows and no protected value, or set of values, a larger ``share`` of them."""

    least: int
    share: Fraction
    protected: tuple[Any, ...] | None
    together: bool

    @classmethod
    def of(cls, model: PrivacyModel | None) -> SideLimits | None:
        """The limits that a model comes down to, or None when it asks for something else."""
        if isinstance(model, KAnonymity):
            return cls(model.k, Fraction(1), (), False)
        if isinstance(model, LDiversity):
            return cls(1, Fraction(1, model.l), model.sensitive, model.together)
        if isinstance(model, AlphaKAnonymity):
            return cls(model.k, model.alpha, model.sensitive, model.together)
        return None

    def sets(self, counts: Mapping[Any, int]) -> list[list[Any]]:
        """The values that are counted as one, and are protected."""
        texts = {label_of(value) for value in self.protected or () if value is not None}
        held = [
            value
            for value, count in counts.items()
            if count
            and (self.protected is None or (None in self.protected if value is None else label_of(value) in texts))
        ]
        return [held] if self.together and held else [[value] for value in held]

    def rows_of_sets(self, counts: Mapping[Any, int]) -> list[tuple[list[Any], int]]:
        """The same with the number of their rows."""
        return [(values, sum(counts[value] for value in values)) for values in self.sets(counts)]

    def cannot_pass(self, size: int, counts: Mapping[Any, int]) -> bool:
        """Whether no choice of so many rows from these counts passes, so that a failure of the side tells nothing.

        >>> SideLimits.of(LDiversity(l=4)).cannot_pass(3, {"a": 5, "b": 5, "c": 5})  # three rows, each a third of them
        True
        """
        most = self.share.numerator * size // self.share.denominator
        together = [n for _, n in self.rows_of_sets(counts)]
        others = sum(counts.values()) - sum(together)
        return 0 < size < self.least or others + sum(min(count, most) for count in together) < size


def by_shares(
    sides: tuple[int, int], counts: Mapping[Any, int], limits: SideLimits, exact: bool
) -> dict[Any, Probability]:
    """How many rows of each value are on the first side, on average over all arrangements that are refused."""
    a, b = sides
    most = (
        limits.share.numerator * a // limits.share.denominator,
        limits.share.numerator * b // limits.share.denominator,
    )
    critical = [(values, n) for values, n in limits.rows_of_sets(counts) if min(n, a) > most[0] or min(n, b) > most[1]]
    if a == b and critical:  # exchanging equal halves keeps a refusal, so everybody is on either side as often
        return {value: Fraction(count, 2) for value, count in counts.items()}
    sizes = [n for _, n in critical]
    means: dict[int, Probability] | None = None if exact else mean_floats(a, b, sizes, most)
    if means is None:
        means = dict(mean_integers(a, b, sizes, most))
    expected = _in_proportion(critical, means, counts)
    rest = a + b - sum(sizes)
    on_the_left = a - sum(means[n] for n in sizes)  # the others share what is left in proportion
    for value in counts:
        if value not in expected:
            expected[value] = on_the_left * counts[value] / rest if rest else Fraction(0)
    return expected


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
    each = []
    for c in sizes:
        chances = binomial(c, share)
        fine = np.array([passes(c, j, most) for j in range(c + 1)])
        each.append(Weights(np.where(fine, chances, 0), np.where(fine, 0, chances)))
    before = [Weights(rest, np.zeros_like(rest))]
    for one in each[:-1]:
        before.append(before[-1] * one)
    after = [Weights(np.ones(1), np.zeros(1))]
    for one in reversed(each[1:]):
        after.append(after[-1] * one)
    means: dict[int, Probability] = {}
    for i, c in enumerate(sizes):
        if c in means:
            continue
        others = before[i] * after[len(sizes) - 1 - i]
        left = np.arange(c + 1)
        reach = (a - left >= 0) & (a - left < len(others.good))
        place = np.where(reach, a - left, 0)
        refused = each[i].bad * (others.good + others.bad)[place] + each[i].good * others.bad[place]
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
    held = np.array([counts.get(value, 0) for value in values], dtype=np.int64)
    whole = np.array([table_counts.get(value, 0) for value in values], dtype=np.int64)
    left = np.array(list(every_split(held.tolist(), a)), dtype=np.int64)
    satisfied = [model.check_counts(side, whole, attribute=attribute) for side in (left, held - left)]
    refused = Fraction(0)
    rows: Counter[int] = Counter()
    for split in left[~(satisfied[0] & satisfied[1])].tolist():
        ways = 1
        for count, on_the_left in zip(held.tolist(), split, strict=True):
            ways *= comb(count, on_the_left)
        refused += ways
        for code, on_the_left in enumerate(split):
            rows[code] += ways * on_the_left
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
