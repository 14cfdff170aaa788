"""Whether groups overlap is looked at where that is cheap, and said to be open where it is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.app.summary import audit_words
from pellucid.recode import covering
from pellucid.recode.covering import needs_groups

pytestmark = pytest.mark.filterwarnings("ignore:seed= fixes the coins")


def released(ages: list[Any], l: int = 2, **more: list[Any]) -> tuple[pc.Table, pc.Release, pc.Method]:
    values = [f"v{i % 7}" for i in range(len(ages))]
    table = pc.read(pl.DataFrame({"age": ages, **more, "ill": values}), quasi=["age", *more], sensitive="ill")
    method = pc.Hybrid(l=l)
    return table, pc.publish(table, method, seed=3), method


def looked_at(table: pc.Table, release: pc.Release, method: pc.Method) -> bool | None:
    return needs_groups(table, method, release.private.grouping, pc.Intervals())


def by_looking(table: pc.Table, release: pc.Release) -> bool:
    grouping = release.private.grouping
    masks = covering.covered(table, grouping, pc.Intervals())
    return any(int(mask.sum()) > size for size, mask in zip(grouping.sizes.tolist(), masks, strict=True))


@pytest.mark.parametrize("spread", [5, 20, 60, 10_000])
@pytest.mark.parametrize("nulls", [0, 1, 9])
def test_one_column_of_ranges_is_told_as_by_looking_at_every_range(spread: int, nulls: int) -> None:
    for seed in range(6):
        draw = np.random.default_rng([seed, spread, nulls])
        ages: list[Any] = draw.integers(0, spread, 70).tolist()
        ages[:nulls] = [None] * nulls
        made = released(ages)
        assert looked_at(*made) is by_looking(*made[:2])


def test_a_large_table_of_different_ages_is_not_said_to_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covering, "MOST_LOOKED_AT", 10)
    made = released(list(range(200)))
    assert by_looking(*made[:2]) is looked_at(*made)


def test_what_is_too_much_to_look_at_is_said_to_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    made = released(list(range(60)), other=[i * 37 % 60 for i in range(60)])
    monkeypatch.setattr(covering, "MOST_LOOKED_AT", 1)
    monkeypatch.setattr(covering, "covered", lambda *_: iter([]))
    assert looked_at(*made) is None
    assert audit_words({"groups_overlap": None}).startswith("groups may overlap, so that perhaps nobody")
    assert audit_words({"groups_overlap": True}).startswith("groups overlap, so that nobody")
    assert audit_words({"groups_overlap": False}) == ""
