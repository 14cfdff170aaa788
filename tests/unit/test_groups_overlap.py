"""Whether groups overlap is looked at where that is cheap, and said to be open where it is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.recode import cell_coverage
from pellucid.anonymize.recode.cell_coverage import needs_groups
from pellucid.cli.summary import audit_words, spread_of

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
    masks = cell_coverage.covered(table, grouping, pc.Intervals())
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


def by_definition(values: list[tuple[int, ...]], release: pc.Release) -> bool:
    """Whether somebody of another group lies in the box around a group: none of the code above has a part in it."""
    labels = release.private.labels.tolist()
    for group in set(labels):
        inside = [row for row, label in zip(values, labels, strict=True) if label == group]
        box = [(min(side), max(side)) for side in zip(*inside, strict=True)]
        covered = [all(low <= x <= high for x, (low, high) in zip(row, box, strict=True)) for row in values]
        if sum(covered) > len(inside):
            return True
    return False


@pytest.mark.parametrize("stretch", [1, 7, 1 << 16])
def test_several_columns_are_told_as_by_definition(stretch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_coverage, "STRETCH", stretch)
    told = set()
    for seed in range(40):
        draw = np.random.default_rng([seed, stretch])
        rows = int(draw.integers(4, 40))
        ages, other = (draw.integers(0, draw.integers(1, 60), rows).tolist() for _ in range(2))
        made = released(ages, other=other)
        assert looked_at(*made) is by_definition(list(zip(ages, other, strict=True)), made[1])
        told.add(looked_at(*made))
    assert told == {False, True}


def test_sizes_are_told_by_counting_and_by_sorting_alike() -> None:
    draw = np.random.default_rng(4)
    for _ in range(300):
        sizes = draw.integers(1, draw.integers(2, 30), draw.integers(1, 30))
        told = {"min": sizes.min(), "median": np.median(sizes), "max": sizes.max()}
        assert spread_of(sizes) == told


def test_a_large_table_of_different_ages_is_not_said_to_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_coverage, "MOST_LOOKED_AT", 10)
    made = released(list(range(200)))
    assert by_looking(*made[:2]) is looked_at(*made)


def test_what_is_too_much_to_look_at_is_said_to_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    made = released(list(range(60)), other=[i * 37 % 60 for i in range(60)])
    monkeypatch.setattr(cell_coverage, "MOST_LOOKED_AT", 1)
    monkeypatch.setattr(cell_coverage, "_stands_for_more", lambda *_: False)
    assert looked_at(*made) is None
    assert audit_words({"groups_overlap": None}).startswith("groups may overlap, so that perhaps nobody")
    assert audit_words({"groups_overlap": True}).startswith("groups overlap, so that nobody")
    assert audit_words({"groups_overlap": False}) == ""
