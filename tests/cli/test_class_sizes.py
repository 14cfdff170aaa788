"""What a reader can tell apart is counted the same in a release that was written and in one that was looked at."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.app.summary import class_sizes, figures_of
from pellucid.recode.boxed_rows import MadeWhenAsked

METHODS: list[Any] = [
    pc.SoftCut(l=2),
    pc.Mondrian(k=3),
    pc.Incognito(k=4, max_suppressed=0.2),
    pc.SpuriousRecords(k=4, l=2),
    pc.AlphaK(alpha=0.6, k=3),
]


def people(rng: np.random.Generator) -> pl.DataFrame:
    """Few people with few values, so that many groups read alike; some values read like a group."""
    return pl.DataFrame(
        {
            "age": rng.integers(20, 26, 60),
            "town": rng.choice(["Rome", "Oslo", "*", "{Rome, Oslo}"], 60),
            "weight": rng.choice([1.0, 2.5], 60),
            "ill": rng.choice(["a", "b", "c", "d"], 60),
        }
    )


@pytest.mark.parametrize("recode", ["intervals", "taxonomy", "suppression", "anatomy"])
def test_classes_are_counted_from_boxes_as_from_groups(recode: Any) -> None:
    counted = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        for method in METHODS:
            weight = "weight" if method.name != "spurious-records" and rng.random() < 0.5 else None
            table = pc.read(people(rng), quasi=["age", "town"], sensitive="ill", weight=weight)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    release = pc.publish(table, method, recode=recode, seed=seed)
            except pc.PellucidError:  # not with this recoder, or not with these people
                continue
            first, figures = np.sort(class_sizes(table, release)), figures_of(table, release)
            assert isinstance(release.public.frames, MadeWhenAsked) == (recode != "anatomy")
            _ = release.frames
            assert np.array_equal(first, np.sort(class_sizes(table, release)))
            assert figures == figures_of(table, release)
            assert figures["class_sizes"]["median"] == np.median(first)
            counted += 1
    assert counted >= 20
