"""How many people are unique in a population of which a table is a sample, estimated from the sizes of its groups.

A row that is alone in its group is *sample unique*; it names somebody for certain only if nobody else in the population
looks the same. How many such people there are (*population uniques*) is estimated by three models of the population:

* **Pitman**: class sizes follow the Pitman-Ewens sampling formula, whose two parameters are those of largest
  likelihood; good where the sample is a small part (a tenth or less). Hoshino, Applying Pitman's sampling formula to
  microdata disclosure risk assessment, Journal of Official Statistics 17(4), 2001.
* **Zayatz**: classes of the population have the sizes of those of the sample, in the same shares; how many uniques of
  the sample are then unique in the population follows by Bayes. Zayatz, Estimation of the number of unique population
  elements using a sample, US Bureau of the Census, 1991.
* **SNB**: class sizes follow a shifted negative binomial law whose parameters give the expected numbers of classes with
  one and with two rows that the sample has. Chen, Keller-McNulty, Estimation of identification disclosure risk in
  microdata, Journal of Official Statistics 14(1), 1998; the number of classes by Haas and Stokes' form of Shlosser's
  estimator.

Which of them to believe is Dankar's rule: Pitman where the sample is at most a tenth; else the smaller of Zayatz and
SNB. Dankar, El Emam, Neisa, Roffey, Estimating the re-identification risk of clinical data sets, BMC Medical
Informatics and Decision Making 12:66, 2012. All of them are estimates: they say what is likely, and promise nothing.

**Individual risk** (Benedetti and Franconi): somebody in a group of f rows that stand for F people (the sum of their
weights, or all alike where there are none) is found with the expectation of 1/F given f, where F is negative binomial
with mean f / p, p = f / F.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, fsum, lgamma, log, log1p

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import InputError
from pellucid.messages import Message

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
SMALL_SAMPLE = 0.1  # up to this share of the population, Pitman's estimate is the one to believe
GOLDEN = (5**0.5 - 1) / 2
STEPS = 90  # of a search: each makes the interval a third shorter
FAR = 20.0  # from here on Stirling's series has all digits
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
SERIES = 200  # terms of a sum whose terms are halved each time, or fall faster


@dataclass(frozen=True, slots=True)
class PopulationUniqueness:
    """Shares of the population that are unique in it, by each model; None where a model has no answer.

    ``highest_risk`` and ``mean_risk`` are those of the rows, by Benedetti and Franconi, where every row of the table
    stands for equally many people, or, ``weighted``, for as many as its weight says. What the weights add up to is
    ``people_by_weight``: where that is not the population, each row stands for its part of the population.

    >>> found = population_uniqueness(np.repeat([1, 2, 3], [60, 15, 4]), 1000)
    >>> round(found.zayatz, 3), found.sample_uniques, found.believed == found.snb
    (0.365, 60, True)
    """

    sample: int
    population: int
    sample_uniques: int
    pitman: float | None
    zayatz: float | None
    snb: float | None
    highest_risk: float
    mean_risk: float
    weighted: bool = False
    people_by_weight: float | None = None

    @property
    def model(self) -> str:
        """Which estimate Dankar's rule believes: pitman, zayatz or snb."""
        if self.sample <= SMALL_SAMPLE * self.population and self.pitman is not None:
            return "pitman"
        if self.snb is not None and self.zayatz is not None and self.snb < self.zayatz:
            return "snb"
        return "zayatz"

    @property
    def believed(self) -> float | None:
        """The estimate that the rule believes."""
        return {"pitman": self.pitman, "zayatz": self.zayatz, "snb": self.snb}[self.model]

    @property
    def meaning(self) -> Message:
        """What that says, in one sentence."""
        if self.believed is None:
            return Message("how many people are unique in the population is not known: no model has an answer")
        people = round(self.believed * self.population)
        return Message(
            "about {people:,} of {population:,} people are estimated to be the only ones with their values (by "
            "{model}); in the table {unique:,} of {sample:,} rows are",
            people=people,
            population=self.population,
            model=self.model,
            unique=self.sample_uniques,
            sample=self.sample,
        )


def population_uniqueness(sizes: Longs, population: int | None, weights: Floats | None = None) -> PopulationUniqueness:
    """What the sizes of a table's groups say about a population of so many people, of which the table is a sample.

    ``weights`` has the sum of the weights of each group's rows: the people are theirs in this proportion. Without a
    number of people they are the weights themselves.
    """
    sample = int(sizes.sum())
    alike = people_alike(sizes, population, weights)
    population = round(fsum(alike.tolist())) if population is None else population
    if population < sample:
        raise InputError(
            f"the population is said to have {population:,} people, and the table has {sample:,} rows",
            "a sample is not larger than its population: correct the number",
        )
    size, classes = np.unique(sizes, return_counts=True)
    whole = None if weights is None else fsum(weights.tolist())
    risks = (*_risks(sizes, alike, weighted=weights is not None), weights is not None, whole)
    histogram = Histogram(size.astype(np.int64), classes.astype(np.int64), population)
    uniques = histogram.having(1)
    if population == sample or uniques == 0:
        known = uniques / population
        return PopulationUniqueness(sample, population, uniques, known, known, known, *risks)
    first, second, third = (_share(model(histogram), population) for model in (pitman, zayatz, snb))
    return PopulationUniqueness(sample, population, uniques, first, second, third, *risks)


def _risks(sizes: Longs, alike: Floats, *, weighted: bool) -> tuple[float, float]:
    """The highest and the mean risk of the rows of groups that stand for so many people each."""
    size, firsts, groups = np.unique(sizes, return_index=True, return_counts=True)
    if weighted:  # groups of one size differ
        size, firsts, groups = sizes, np.arange(len(sizes)), np.ones(len(sizes), np.int64)
    risk = individual_risk(size, alike[firsts])
    return float(risk.max()), float((risk * size * groups).sum() / sizes.sum())


def people_alike(sizes: Longs, population: int | None, weights: Floats | None = None) -> Floats:
    """For how many people of the population the rows of each group stand: by their weights, or all rows for as many.

    Without a number of people the weights are these people, and are not scaled.

    >>> people_alike(np.array([1, 3]), 100).tolist(), people_alike(np.array([1, 3]), 100, np.array([9.0, 1.0])).tolist()
    ([25.0, 75.0], [90.0, 10.0])
    >>> people_alike(np.array([1, 3]), None, np.array([9.2, 1.5])).tolist()
    [9.2, 1.5]
    """
    people = sizes.astype(np.float64) if weights is None else weights
    found: Floats = people if population is None else people * (population / fsum(people.tolist()))
    return found


def _share(uniques: float | None, population: int) -> float | None:
    """So many people as a share, at most all of them; None where a model gives what cannot be.

    The estimates are not bounded by the population. Where nearly everybody is unique they exceed it, and everybody is
    what they say.

    >>> _share(35.0000000000001, 35), _share(-1.0, 35)
    (1.0, None)
    """
    return None if uniques is None or not uniques >= 0 else min(1.0, uniques / population)


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """So many classes have each size, in a sample of a population of so many people."""

    size: Longs
    classes: Longs
    population: int

    @property
    def rows(self) -> int:
        """The rows of the sample."""
        return int((self.size * self.classes).sum())

    @property
    def share(self) -> float:
        """The part of the population that is in the sample."""
        return self.rows / self.population

    def having(self, size: int) -> int:
        """How many classes have this size."""
        return int(self.classes[self.size == size].sum())


def zayatz(sample: Histogram) -> float:
    """The uniques of the population: those of the sample times the chance that one of them is one, scaled up."""
    share = sample.classes / sample.classes.sum()
    chance = np.array([_one_of(int(size), sample.rows, sample.population) for size in sample.size])
    stays = share[sample.size == 1].sum() * sample.share / float((share * chance).sum())
    return float(sample.having(1) * stays / sample.share)


def _one_of(size: int, rows: int, population: int) -> float:
    """The chance that exactly one of a class of so many people is in the sample: hypergeometric."""
    if rows - 1 > population - size:
        return 0.0
    return size * exp(_log_choose(population - size, rows - 1) - _log_choose(population, rows))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def pitman(sample: Histogram) -> float | None:
    """The uniques of the population by the theta and alpha of largest likelihood; None where there is one class."""
    if int(sample.classes.sum()) < 2:
        return None

    def best_theta(alpha: float) -> float:
        return exp(_highest(lambda x: _pitman_likelihood(sample, exp(x), alpha), -20.0, log(1e4 * sample.population)))

    alpha = _highest(lambda a: _pitman_likelihood(sample, best_theta(a), a), 1e-9, 1 - 1e-9)
    theta = best_theta(alpha)
    return exp(_risen(theta + alpha, 1 - alpha) + alpha * log(sample.population))


def _pitman_likelihood(sample: Histogram, theta: float, alpha: float) -> float:
    """The logarithm of the likelihood of the classes' sizes, up to a constant."""
    classes, rows = int(sample.classes.sum()), sample.rows
    new = (classes - 1) * log(alpha) + _risen(theta / alpha + 1, classes - 1)
    drawn = _risen(theta + 1, rows - 1)
    inside = sum(c * (lgamma(j - alpha) - lgamma(1 - alpha)) for j, c in zip(*_lists(sample), strict=True))
    return new - drawn + inside


def _risen(begin: float, way: float) -> float:
    """The logarithm of gamma(begin + way) / gamma(begin), with all digits also where begin is huge.

    With alpha near 0 it is, and two logarithms of gammas then agree in every digit that a number has. So Stirling's
    series is taken, and what is large in it cancels before it is computed.

    >>> lgamma(1e12 + 1.5) - lgamma(1e12), round(_risen(1e12, 1.5), 9), round(1.5 * log(1e12), 9)
    (41.44921875, 41.446531674, 41.446531674)
    """
    if begin < FAR:
        return lgamma(begin + way) - lgamma(begin)
    far = log1p(way / begin)
    return way * (log(begin) + far - 1) + (begin - 0.5) * far + _stirling(begin + way, begin)


def _stirling(end: float, begin: float) -> float:
    """What Stirling's series says beyond its first terms, the difference of two places."""
    return fsum(c * (end ** -(2 * n - 1) - begin ** -(2 * n - 1)) for n, c in enumerate(STIRLING, start=1))


def _lists(sample: Histogram) -> tuple[list[int], list[int]]:
    return sample.size.tolist(), sample.classes.tolist()


def _highest(of: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that first goes up and then down is highest: golden section."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = of(left), of(right)
    for _ in range(STEPS):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = of(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = of(left)
        if high - low < 1e-11 * max(1.0, abs(low)):
            break
    return (low + high) / 2


def snb(sample: Histogram) -> float | None:
    """The uniques of the population; None where no parameters give the classes of one and two rows that there are."""
    ones, twos, f = sample.having(1), sample.having(2), sample.share
    if twos == 0:
        return None
    classes = all_classes(sample)

    def lacking(x: Floats) -> Floats:
        a, b = np.exp(x[0]), 1 / (1 + np.exp(-x[1]))
        d = (1 - b) * (1 - f)
        base = classes * f * (b / (1 - d)) ** a
        one = base * (1 + a * d / (1 - d))
        two = base * f / 2 * a * (1 - b) * (2 - (1 - a) * d) / (1 - d) ** 2
        return np.array([one / ones - 1, two / twos - 1])

    for start in ((0.0, 0.0), (-1.0, -2.0), (1.0, 1.0), (-3.0, -4.0), (-1.0, 1.0), (2.0, -1.0)):
        solution = _zero(lacking, np.array(start))
        if solution is not None:
            a, b = float(np.exp(solution[0])), float(1 / (1 + np.exp(-solution[1])))
            return float(classes * b**a)
    return None


def all_classes(sample: Histogram) -> float:
    """How many classes the population has, by Haas and Stokes' form of Shlosser's estimator."""
    i, c, f = sample.size.astype(float), sample.classes.astype(float), sample.share
    first = (i * f**2 * (1 - f**2) ** (i - 1) * c).sum() / ((1 - f) ** i * ((1 + f) ** i - 1) * c).sum()
    second = ((1 - f) ** i * c).sum() / (i * f * (1 - f) ** (i - 1) * c).sum()
    return float(c.sum() + sample.having(1) * first * second**2)


def _zero(of: Callable[[Floats], Floats], x: Floats) -> Floats | None:
    """Where two functions of two variables are zero: Newton's steps, halved while they lead away; None: not found."""
    with np.errstate(all="ignore"):
        value = of(x)
        for _ in range(100):
            if not np.isfinite(value).all():
                return None
            if np.abs(value).max() < 1e-9:
                return x
            columns = [(of(x + step) - value) / 1e-6 for step in 1e-6 * np.eye(2)]
            moved = _shorter(of, x, value, np.stack(columns, axis=1))
            if moved is None:
                return None
            x, value = moved
    return None


def _shorter(of: Callable[[Floats], Floats], x: Floats, value: Floats, slope: Floats) -> tuple[Floats, Floats] | None:
    """The longest of Newton's step, half of it, and so on, that leads nearer."""
    if not np.isfinite(slope).all() or abs(np.linalg.det(slope)) < 1e-14:
        return None
    step = np.linalg.solve(slope, -value)
    for _ in range(30):
        nearer = of(x + step)
        if np.isfinite(nearer).all() and np.abs(nearer).max() < np.abs(value).max():
            return x + step, nearer
        step = step / 2
    return None


def individual_risk(sizes: Longs, people: Floats) -> Floats:
    """For groups of so many rows that stand for so many people: how likely somebody of them is found.

    >>> individual_risk(np.array([1, 2, 5]), np.array([1.0, 20.0, 10.0])).round(4).tolist()
    [1.0, 0.0827, 0.1098]
    """
    f = np.asarray(sizes, np.float64)
    p = np.minimum(1.0, f / np.asarray(people, np.float64))
    return np.array([_found(int(size), share) for size, share in zip(f.tolist(), p.tolist(), strict=True)])


def _found(size: int, share: float) -> float:
    """The expectation of 1/F for F negative binomial: share / size * 2F1(1, 1; size + 1; 1 - share)."""
    if share >= 1:
        return 1 / size
    odds = share / (1 - share)
    if odds < 1:  # r(f) = odds / (f - 1) - odds * r(f - 1) then loses nothing
        risk = odds * log(1 / share)
        for f in range(2, size + 1):
            risk = odds / (f - 1) - odds * risk
        return risk
    term, total = 1.0, 1.0
    for n in range(1, SERIES):
        term *= n / (size + n) * (1 - share)
        total += term
    return share / size * total
