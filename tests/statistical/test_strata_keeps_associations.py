"""What researchers compute survives Strata: a made-up health survey in which answers depend on sex, age and schooling.

Four yes/no columns are protected at once. An estimate from a release spreads each row evenly over what its group shows.
"""

from __future__ import annotations

import numpy as np
import polars as pl

import pellucid as pc
from pellucid.core.coins import Coins
from pellucid.publishing import release_of
from plain.made_up import PROTECTED, census_excerpt, survey


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


def contrasts(frame: pl.DataFrame, method: pc.Method, sensitive: list[str]) -> pc.Score:
    known = [name for name in frame.columns if name not in (*PROTECTED, "remembering", "income")]
    table = pc.read(frame, quasi=known, sensitive=sensitive)
    (score,) = pc.measure(release_of(table, method, seed=1), table, [pc.Contrasts()])
    return score


def test_the_metric_tells_at_a_glance_which_release_keeps_differences() -> None:
    """Men less women, old less young: nearly gone with SoftCut, there with Strata, on a survey and a census excerpt."""
    census = {"remembering": ("difficult",), "income": ("high",)}
    for frame, values in ((survey(), dict.fromkeys(PROTECTED, ("yes",))), (census_excerpt(), census)):
        old = contrasts(frame, pc.SoftCut(l=3, k=5, values=values), list(values))
        new = contrasts(frame, pc.Strata(l=3, size=50, values=values), list(values))
        assert [one["true"] for one in old.details["contrasts"]] == [one["true"] for one in new.details["contrasts"]]
        assert old.value > 0.7 > 0.35 > new.value, (old.value, new.value)
        assert old.details["kept"] < 0.4 < 0.7 < new.details["kept"], (old.details["kept"], new.details["kept"])
