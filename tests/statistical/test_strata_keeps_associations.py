"""What researchers compute survives Strata: a made-up health survey in which answers depend on sex, age and schooling.

Four yes/no columns are protected at once. An estimate from a release spreads each row evenly over what its group shows.
"""

from __future__ import annotations

from random import Random

import numpy as np
import polars as pl

import pellucid as pc
from pellucid.coins import Coins

PROTECTED = ["drugs", "depressed", "diabetes", "smokes"]


def survey(rows: int = 3_400, seed: int = 8) -> pl.DataFrame:
    random = Random(seed)
    people = []
    for _ in range(rows):
        man, age, schooling = random.random() < 0.5, random.randint(20, 79), random.randint(1, 5)
        chances = {
            "drugs": 0.10 + 0.10 * man + 0.06 * (age < 40),
            "depressed": 0.14 - 0.06 * man + 0.03 * (5 - schooling) / 2,
            "diabetes": 0.03 + 0.004 * max(0, age - 40),
            "smokes": 0.12 + 0.06 * man + 0.03 * (5 - schooling),
        }
        answers = {name: "yes" if random.random() < chance else "no" for name, chance in chances.items()}
        people.append(
            {"sex": "m" if man else "f", "age": age, "race": random.randint(1, 5), "schooling": schooling, **answers}
        )
    return pl.DataFrame(people)


def gap(frame: pl.DataFrame, labels: np.ndarray, answer: str, column: str, high: object, low: object) -> float:
    """The share of yes among those with one value less that among those with another, in percentage points."""
    yes = (frame[answer] == "yes").to_numpy().astype(float)
    rate = np.bincount(labels, yes) / np.bincount(labels)
    found = []
    for value in (high, low):
        groups = frame.with_columns(group=pl.Series(labels)).group_by("group").agg(pl.col(column).unique())
        weight = np.zeros(len(rate))
        for group, values in groups.iter_rows():
            weight[group] = (value in values) / len(values)
        rows = np.bincount(labels) * weight
        found.append(float((rows * rate).sum() / rows.sum()))
    return 100 * (found[0] - found[1])


def test_differences_between_people_survive() -> None:
    frame = survey()
    table = pc.read(frame, quasi=["sex", "age", "race", "schooling"], sensitive=PROTECTED)
    each = np.arange(len(frame))
    strata = pc.Strata(l=3, size=50, values=("yes",)).group(table, Coins.from_seed(1)).labels
    usual = pc.SoftCut(l=3, k=5, values=("yes",)).group(table, Coins.from_seed(1)).labels
    lost = []
    for answer in PROTECTED:
        truth, kept, old = (gap(frame, labels, answer, "sex", "m", "f") for labels in (each, strata, usual))
        if abs(truth) >= 2:
            assert kept * truth > 0, (answer, truth, kept)
            assert abs(kept) >= 0.8 * abs(truth), (answer, truth, kept)
            lost.append(1 - old / truth)
    assert len(lost) >= 3
    assert max(lost) > 0.5  # what SoftCut does to the same survey, so that the test can tell
