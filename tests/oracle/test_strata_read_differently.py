"""The usual recoding lets strata read differently, decided by the codebooks of quasi-identifiers alone."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.recode import recoder_for
from pellucid.anonymize.recode.alike import published_alike

ROLES: Any = {"quasi": ["sex", "town"], "sensitive": "ill"}


def towns(seed: int, number: int, rows: int = 400) -> pl.DataFrame:
    """A frequent value, and many towns of which some have most of the people."""
    coins = np.random.default_rng(seed)
    place = np.minimum(coins.exponential(number / 3, rows).astype(int), number - 1)
    return pl.DataFrame(
        {
            "sex": coins.choice(["f", "m"], rows),
            "town": [None if coins.random() < 0.05 else f"t{one:03}" for one in place.tolist()],
            "ill": coins.choice(list("abcde"), rows, p=[0.4, 0.2, 0.2, 0.1, 0.1]),
        }
    )


def published(frame: pl.DataFrame, method: pc.Strata, **more: Any) -> pc.Release:
    with pytest.warns(pc.SecretSeedWarning):
        return pc.publish(frame, method, **(ROLES | more), seed=1)


@pytest.mark.parametrize("inside", ["hybrid", "none"])
@pytest.mark.parametrize("number", [20, 60, 300])
@pytest.mark.parametrize("seed", range(6))
def test_no_two_strata_read_alike(seed: int, number: int, inside: str) -> None:
    frame = towns(seed, number)
    method = pc.Strata(l=3, size=[10, 20, 50][seed % 3], inside=inside)  # type: ignore[arg-type]
    release, table = published(frame, method), pc.read(frame, **ROLES)
    grouping, strata = release.private.grouping, method.strata(table)
    of_group = strata[grouping.members[grouping.starts[:-1]]]
    alike = published_alike(table, grouping, recoder_for(method, None, table.attributes), 1)
    assert len(set(zip(alike.tolist(), of_group.tolist(), strict=True))) == len(set(alike.tolist()))
    attacked = pc.attack_all(release, truth=frame, adversaries=["nothing", "algorithm"], classic=False)
    assert all(one.standing is not None and one.standing.holds for one in attacked.attempts)


def test_who_has_which_value_does_not_decide_it() -> None:
    """What would be recoded otherwise would tell: the setting of all arrangements of the values is the same."""
    frame = towns(3, 60)
    told = set()
    for seed in range(20):
        values = frame["ill"].sample(fraction=1, shuffle=True, seed=seed)
        told.add(repr(published(frame.with_columns(ill=values), pc.Strata(l=3, size=10)).recipe["recode_parameters"]))
    (only,) = told
    assert "19" in only  # two strata of ten people have at most so many towns each


def test_what_is_asked_for_is_done_and_other_methods_keep_theirs() -> None:
    frame = towns(3, 60)
    asked = published(frame, pc.Strata(l=3, size=10), recode=pc.Intervals(largest_set=12))
    other = published(frame, pc.SoftCut(l=2))
    assert [one.recipe["recode_parameters"]["largest_set"] for one in (asked, other)] == [12, 12]


def test_two_strata_that_read_alike_would_tell_more() -> None:
    """28 towns of one person, strata of 14: with ``*`` for both, who sees 28 rows believes more than the share."""
    ill = ["a"] * 8 + ["b"] * 6 + ["a"] * 10 + ["b"] * 4
    frame = pl.DataFrame({"sex": ["f"] * 28, "town": [f"t{i:02}" for i in range(28)], "ill": ill})
    method = pc.Strata(l=2, size=14)
    assert sorted(np.bincount(method.strata(pc.read(frame, **ROLES))).tolist()) == [14, 14]
    ways = {a: comb(14, a) * comb(14, 18 - a) for a in range(4, 15)}  # with so many of the 18 in the first stratum
    alike = sum(n * Fraction(a, 14) for a, n in ways.items()) / sum(ways.values())
    assert alike == Fraction(18, 28) > Fraction(8, 14)
    stars = published(frame, method, recode=pc.Intervals(largest_set=12))
    usual = published(frame, method)
    assert stars.frame["town"].to_list() == ["*"] * 28
    assert usual.frame.group_by("town").agg((pl.col("ill") == "a").sum())["ill"].sort().to_list() == [8, 10]
    for release, holds in ((stars, False), (usual, True)):
        (one,) = pc.attack_all(release, truth=frame, adversaries=["nothing"], classic=False, **ROLES).attempts
        assert one.standing is not None
        assert (one.standing.holds is True) is holds
