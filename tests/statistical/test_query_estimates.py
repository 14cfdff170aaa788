"""Estimates of count queries: unbiased on a uniform table, biased where they should be, worse with larger l."""

from __future__ import annotations

import numpy as np
import polars as pl

import pellucid as pc
from pellucid.metrics.answering import estimated_answers, true_answers
from pellucid.metrics.boxes import shown_by


def uniform(seed: int, rows: int = 4000) -> pl.DataFrame:
    coins = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "a": coins.integers(0, 50, rows),
            "b": coins.integers(0, 30, rows),
            "s": coins.integers(0, 8, rows),
        }
    )


def biases(skewed: bool, tables: int = 24) -> np.ndarray:
    """The mean of estimate less truth over a workload that looks at the lower half of a, one figure for each table."""
    found = []
    for seed in range(tables):
        frame = uniform(seed)
        if skewed:  # few people in the lower half, whatever the release's intervals say
            frame = frame.with_columns(a=pl.when(pl.col("a") < 25).then(pl.col("a") // 5).otherwise(pl.col("a")))
        table = pc.read(frame, quasi=["a", "b"], sensitive="s")
        # groups that know nothing of a: each spans about all of it, so that the spread does the work
        release = pc.publish(table, pc.Mondrian(k=1500))
        workload = pc.Workload.of(table, dimensions=2, selectivity=0.3, queries=200, seed=seed)
        low = workload.low.reshape(-1, 3)
        first = workload.columns[:, 0] == 0
        asked = np.where(first, low[:, 0], low[:, 1]) <= 10
        off = estimated_answers(workload, shown_by(release, table)) - true_answers(workload, table)
        found.append(off[asked].mean())
    return np.array(found)


def z_of(sample: np.ndarray) -> float:
    """How many standard errors the mean is from 0."""
    return float(abs(sample.mean()) / (sample.std(ddof=1) / np.sqrt(len(sample))))


def test_estimates_are_unbiased_on_a_uniform_table_and_the_test_would_notice() -> None:
    assert z_of(biases(skewed=False)) < 4  # chance of a false alarm: below 1 in 1,000 with 24 tables
    assert z_of(biases(skewed=True)) > 8


def test_error_grows_with_l_on_average() -> None:
    errors = []
    for l in (2, 4, 6):
        mine = []
        for seed in range(6):
            table = pc.read(uniform(seed, 1500), quasi=["a", "b"], sensitive="s")
            release = pc.publish(table, pc.Hybrid(l=l))
            (score,) = pc.measure(release, table, [pc.QueryError(dimensions=2, queries=300, seed=seed)])
            assert score.value is not None
            mine.append(score.value)
        errors.append(np.mean(mine))
    assert errors[0] < errors[1] < errors[2]


def test_error_falls_with_selectivity_on_average() -> None:
    table = pc.read(uniform(1, 3000), quasi=["a", "b"], sensitive="s")
    release = pc.publish(table, pc.Tailor(l=4))
    shares = (0.02, 0.06, 0.2)
    found = pc.measure(release, table, [pc.QueryError(dimensions=2, selectivity=s, seed=1) for s in shares])
    values = [score.value for score in found if score.value is not None]
    assert values == sorted(values, reverse=True)
    assert len(values) == len(shares)
