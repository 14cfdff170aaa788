"""Estimates of population uniqueness: figures that others published, populations that are known, and definitions."""

from __future__ import annotations

import os
from fractions import Fraction
from math import comb, fsum, log
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import pellucid as pc
from pellucid.errors import InputError
from pellucid.models.population_uniqueness import (
    Histogram,
    _pitman_likelihood,
    all_classes,
    individual_risk,
    pitman,
    population_uniqueness,
    snb,
    zayatz,
)

DATA = Path(os.environ.get("PELLUCID_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
ADULT = DATA / "adult" / "adult.csv"
QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
QUASI.append("salary-class")
Longs = NDArray[np.int64]


def sampled(classes: Longs, rows: int, seed: int) -> Longs:
    """The sizes in a sample without replacement of classes of so many people."""
    drawn = np.random.default_rng(seed).multivariate_hypergeometric(classes, rows, method="marginals")
    return drawn[drawn > 0]


def restaurant(theta: float, alpha: float, people: int, seed: int) -> Longs:
    """Class sizes of a population by the law that Pitman's estimate assumes: people join classes one by one."""
    random = np.random.default_rng(seed)
    sizes: list[int] = [1]
    of = np.zeros(people, np.int64)
    for person in range(1, people):
        if random.random() < (theta + alpha * len(sizes)) / (theta + person):
            of[person] = len(sizes)
            sizes.append(1)
            continue
        while True:  # in proportion to size - alpha: somebody at random, refused where only a share of them counts
            chosen = int(of[random.integers(person)])
            if random.random() < 1 - alpha / sizes[chosen]:
                break
        sizes[chosen] += 1
        of[person] = chosen
    return np.array(sizes)


@pytest.mark.skipif(not ADULT.is_file(), reason="the Adult table is not there (PELLUCID_DATA)")
def test_estimates_on_adult_are_those_that_arx_publishes() -> None:
    """The figures of ARX's own tests (TestRiskMetrics.java) on the 30,162 complete rows of Adult's first part."""
    people = pl.read_csv(ADULT).head(32_561).with_columns(pl.col(QUASI).cast(pl.String).str.strip_chars())
    people = people.filter(pl.all_horizontal(pl.col(QUASI) != "?"))
    sizes = people.group_by(QUASI).len()["len"].to_numpy().astype(np.int64)
    assert sizes.sum() == 30_162
    assert len(sizes) / 30_162 == 0.6465751607983555  # its average re-identification risk
    found = {part: population_uniqueness(sizes, round(30_162 / part)) for part in (1, 0.2, 0.1, 0.01)}
    assert found[1].believed == 0.5142895033485844
    assert found[0.2].zayatz == pytest.approx(0.3577099234829125, abs=1e-8)
    assert found[0.1].zayatz == pytest.approx(0.3207402393466189, abs=1e-8)
    assert found[0.1].pitman == pytest.approx(0.27684993883653597, abs=1e-6)
    assert found[0.01].pitman == pytest.approx(0.1446083531167384, abs=1e-6)
    assert found[0.1].model == found[0.01].model == "pitman"


@pytest.mark.parametrize("rows", [2, 3, 5, 7, 29, 400, 30_000])
@pytest.mark.parametrize("times", [1.01, 2, 5, 10, 1000])
def test_a_sample_in_which_everybody_is_unique_comes_from_a_population_that_is(rows: int, times: float) -> None:
    """The riskiest case has an answer. ARX's own test expects 1 for 7 rows of 35 people."""
    found = population_uniqueness(np.ones(rows, np.int64), int(rows * times) + 1)
    assert found.believed == pytest.approx(1.0, abs=1e-6)
    assert found.believed is not None
    assert found.believed <= 1
    assert "are estimated to be the only ones" in found.meaning


@pytest.mark.parametrize("number", range(40))
def test_estimates_stay_within_the_population_and_do_not_jump_at_its_edge(number: int) -> None:
    """One row more that is unique, of many: what is believed grows, and is never lost."""
    draw = np.random.default_rng(number)
    rows, people = int(draw.integers(20, 200)), int(draw.integers(300, 5000))
    for alike in range(6, -1, -1):
        sizes = np.array([1] * (rows - 2 * alike) + [2] * alike)
        found = population_uniqueness(sizes, people)
        assert found.believed is not None, (rows, people, alike)
        assert 0 <= found.believed <= 1
        assert found.pitman is not None
        assert found.zayatz is not None
    assert found.believed == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(("theta", "alpha"), [(40.0, 0.6), (300.0, 0.3)])
def test_pitman_finds_the_uniques_of_a_population_of_its_law(theta: float, alpha: float) -> None:
    populations = [restaurant(theta, alpha, 15_000, seed) for seed in range(5)]
    true = [int((classes == 1).sum()) for classes in populations]
    found = [pitman(_histogram(sampled(classes, 1_500, 1), 15_000)) for classes in populations]
    assert np.mean(found) == pytest.approx(np.mean(true), rel=0.1)  # type: ignore[arg-type]


def plain_likelihood(sizes: Longs, theta: float, alpha: float) -> float:
    """Pitman's formula term by term: people join one after the other, and each either begins a class or joins one."""
    begun = fsum(log(theta + alpha * i) for i in range(1, len(sizes)))
    joined = fsum(log(m - alpha) for size in sizes.tolist() for m in range(1, size))
    return begun + joined - fsum(log(theta + i) for i in range(1, int(sizes.sum())))


def ewens_theta(sizes: Longs) -> float:
    """The theta of largest likelihood where alpha is 0: as many classes are expected as there are."""
    low, high = 1e-6, 1e12
    for _ in range(200):
        theta = (low * high) ** 0.5
        low, high = (
            (theta, high) if fsum(theta / (theta + i) for i in range(int(sizes.sum()))) < len(sizes) else (low, theta)
        )
    return theta


@pytest.mark.parametrize("alpha", [1e-9, 1e-7, 1e-4, 0.01, 0.3, 0.9, 1 - 1e-9])
@pytest.mark.parametrize("theta", [1e-6, 0.1, 7.0, 19.5, 400.0, 3e5, 1e9, 1e13])
def test_the_likelihood_of_pitmans_formula_is_that_of_its_terms(theta: float, alpha: float) -> None:
    sizes = np.repeat([1, 2, 3, 9, 120], [300, 80, 30, 5, 2])
    found = _pitman_likelihood(_histogram(sizes, 10**6), theta, alpha)
    assert found == pytest.approx(plain_likelihood(sizes, theta, alpha), rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(("kinds", "rows"), [(1_000, 3_000), (5_000, 6_000), (30_000, 20_000)])
def test_where_people_are_spread_evenly_pitman_is_ewens_theta(kinds: int, rows: int) -> None:
    """Alpha is 0 there: the estimate is theta, whatever the population."""
    sizes = np.bincount(np.random.default_rng(7).integers(0, kinds, rows))
    sizes = sizes[sizes > 0]
    assert pitman(_histogram(sizes, 10**6)) == pytest.approx(ewens_theta(sizes), rel=1e-6)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.2), (1.5, 0.3)])
def test_snb_finds_the_uniques_of_a_population_of_its_law(a: float, b: float) -> None:
    classes = 1 + np.random.default_rng(1).negative_binomial(a, b, 20_000)
    true, people = int((classes == 1).sum()), int(classes.sum())
    samples = [_histogram(sampled(classes, people // 2, seed), people) for seed in range(3)]
    assert np.mean([all_classes(sample) for sample in samples]) == pytest.approx(20_000, rel=0.1)
    assert np.mean([snb(sample) for sample in samples]) == pytest.approx(true, rel=0.2)  # type: ignore[arg-type]


def test_zayatz_is_near_where_the_sample_is_most_of_the_population_and_never_sees_more_than_there_are() -> None:
    classes = restaurant(40.0, 0.5, 20_000, 3)
    true = int((classes == 1).sum())
    found = [zayatz(_histogram(sampled(classes, 18_000, seed), 20_000)) for seed in range(3)]
    assert np.mean(found) == pytest.approx(true, rel=0.1)


def _histogram(sizes: Longs, people: int) -> Histogram:
    size, count = np.unique(sizes, return_counts=True)
    return Histogram(size, count, people)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 30])
@pytest.mark.parametrize("people", [1, 1.2, 2, 3, 20])
def test_individual_risk_is_the_expectation_of_one_over_the_people(size: int, people: float) -> None:
    """By its definition, summed in fractions."""
    p = Fraction(1) / Fraction(people).limit_denominator(10)
    expected = sum(float(Fraction(comb(h - 1, size - 1), h) * p**size * (1 - p) ** (h - size)) for h in _range(size, p))
    assert individual_risk(np.array([size]), np.array([size * people]))[0] == pytest.approx(expected, rel=1e-9)


def _range(size: int, p: Fraction) -> range:
    return range(size, size + (1 if p == 1 else int(40 * size / float(p)) + 200))


def test_what_is_said_of_a_table() -> None:
    audit = pc.examine(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease")
    found = audit.population_uniqueness(100)
    assert found.sample_uniques == 3
    assert "of 100 people are estimated to be the only ones" in found.meaning
    with pytest.raises(InputError, match="a sample is not larger than its population"):
        audit.population_uniqueness(7)
