"""The level of r-robustness, where beliefs are a whole share but for rounding: in fractions, by all worlds."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import prod
from random import Random
from typing import Any

import polars as pl
import pytest

import pellucid as pc

pytestmark = [
    pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning"),
    pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning"),
]


def robustness(release: Any, table: pl.DataFrame, r: int, quasi: str) -> Any:
    (verdict,) = pc.verify(release, [pc.RRobustness(r=r)], truth=table, quasi=quasi, sensitive="value")
    return verdict


def believed(table: pl.DataFrame, labels: list[int]) -> Fraction:
    """The most that somebody believes who knows how often each sex has each value: every world of every group."""
    sexes, values = table["sex"].to_list(), table["value"].to_list()
    both, alone = Counter(zip(sexes, values, strict=True)), Counter(sexes)
    most = Fraction(0)
    for label in {one for one in labels if one >= 0}:
        rows = [row for row, one in enumerate(labels) if one == label]
        held: Counter[tuple[int, str]] = Counter()
        total = Fraction(0)
        for world in set(permutations([values[row] for row in rows])):
            chances = [
                Fraction(both[sexes[row], value], alone[sexes[row]]) for row, value in zip(rows, world, strict=True)
            ]
            total += (weight := prod(chances))
            for row, value in zip(rows, world, strict=True):
                held[row, value] += weight  # type: ignore[assignment]
        most = max([most, *(share / total for share in held.values())])
    return most


def test_the_level_is_that_of_the_fraction(some: Any) -> None:
    seen: Counter[bool] = Counter()
    for seed in range(some(800)):
        random = Random(f"robust {seed}")
        rows, r = random.randint(6, 12), random.choice([2, 3])
        sexes, values = random.choices("fm", k=rows), random.choices("wxyz", k=rows)
        table = pl.DataFrame({"sex": sexes, "value": values})
        method = random.choice([pc.ART(r=r, support=1), pc.Anatomy(l=r)])
        try:
            release = pc.publish(table, method, quasi="sex", sensitive="value", seed=seed)
        except pc.PellucidError:
            continue
        most = believed(table, release.private.labels.tolist())
        if not most or not (release.private.labels >= 0).all():
            continue
        verdict = robustness(release, table, r, "sex")
        assert (verdict.exact or 1 / most) == 1 / most, (seed, method)
        assert verdict.level == int(1 / most), (seed, method, most)
        assert verdict.holds == (most * r <= 1), (seed, method, most)
        seen[1 / most == int(1 / most)] += 1
    assert min(seen.values()) > 2, seen


def test_shares_that_floats_round_are_compared_as_fractions() -> None:
    """By hand: of two rows either way round is as likely, as 1/7 * 3/11 is 3/7 * 1/11, so each is believed with 1/2."""
    pairs = ["fx my", "fy mx", "fz my", "fy fz", "fy fz", "my mw", "mz mw", "mz mw", "mz mw"]
    people = [(*person, number) for number, pair in enumerate(pairs) for person in pair.split()]
    table = pl.DataFrame(people, ["sex", "value", "pair"], orient="row")
    sexes = pl.col("sex").unique().sort().str.join("|").over("pair").replace("f|m", "{f, m}")
    given = {"truth": table.drop("pair"), "groups": table["pair"].to_list(), "made_by": pc.Mdav(k=2)}
    release = table.with_columns(sexes).drop("pair")
    (verdict,) = pc.verify(release, [pc.RRobustness(r=2)], quasi="sex", sensitive="value", **given)
    assert believed(table, given["groups"]) == Fraction(1, 2)
    assert (verdict.holds, verdict.level, verdict.exact) == (True, 2, 2)


def test_what_failed_by_rounding() -> None:
    table = pl.DataFrame({"sex": list("fmfmfmffffmm"), "value": list("yxxxyywwyzwx")})
    release = pc.publish(table, pc.ART(r=3, support=1), quasi="sex", sensitive="value", seed=1)
    verdict = robustness(release, table, 3, "sex")
    assert (verdict.holds, verdict.level, verdict.exact) == (True, 3, 3)
    census = pc.datasets.census(2000, seed=3)
    for method, reached in ((pc.ART(r=3, support=100), 3), (pc.Anatomy(l=4), 1)):
        release = pc.publish(census, method, quasi="gender", sensitive="occupation", seed=5)
        given = {"truth": census, "quasi": "gender", "sensitive": "occupation"}
        (verdict,) = pc.verify(release, [pc.RRobustness(r=3)], **given)
        assert (verdict.holds, verdict.level) == (reached == 3, reached)
