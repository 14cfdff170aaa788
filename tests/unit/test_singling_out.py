"""Predicate singling out: how likely a description fits exactly one row."""

from __future__ import annotations

from itertools import product

import polars as pl
import pytest

from pellucid.attacking.classic.singling_out import singling_out
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.evidence.known_groups import evidence_of_groups
from pellucid.errors import AttackError
from pellucid.io import read
from pellucid.schema import Column, Schema


def evidence_of(ages: list[int], labels: list[int]) -> Evidence:
    frame = pl.DataFrame({"age": ages, "s": ["x"] * len(ages)})
    return evidence_of_groups(read(frame, quasi="age", sensitive="s"), labels)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_success_is_the_share_of_hashes_that_fit_one_row(n: int) -> None:
    hashes = list(product(range(n), repeat=n))
    once = sum(one.count(0) == 1 for one in hashes)
    ages = list(range(n)) + list(range(1000, 1000 + 50))
    found = singling_out(evidence_of(ages, [0] * n + [1] * 50))
    assert found.details["rows"] == n
    assert found.figure == pytest.approx(once / len(hashes))


def test_luck_with_the_same_weight_is_the_baseline() -> None:
    # ages 0 to 9; the box 0-1 has 2 of 10 positions and 2 rows, so its predicate weighs 1/10, of 4 rows
    found = singling_out(evidence_of([0, 1, 2, 9], [0, 0, 1, 1]))
    assert found.details["weight"] == pytest.approx(0.1)
    assert found.baseline == pytest.approx(4 * 0.1 * 0.9**3)
    assert found.exposed.tolist() == [0, 1]


def test_boxes_that_overlap_hold_an_unknown_number_of_rows() -> None:
    with pytest.raises(AttackError, match="overlaps"):
        singling_out(evidence_of([0, 5, 3, 9], [0, 0, 1, 1]))


def test_a_node_of_a_taxonomy_reaches_beyond_the_values_of_a_group() -> None:
    tree = {"*": {"north": ["n1", "n2", "n3"], "south": ["s1", "s2"]}}
    schema = Schema(columns={"r": Column(role="quasi", taxonomy={"tree": tree}), "s": Column(role="sensitive")})
    # n1 and n3 are published as north, which n2 is in as well; only the southern box is closed
    frame = pl.DataFrame({"r": ["n1", "n3", "n2", "n2", "s1", "s2"], "s": ["x"] * 6})
    found = singling_out(evidence_of_groups(read(frame, schema=schema), [0, 0, 1, 1, 2, 2]))
    assert found.exposed.tolist() == [4, 5]
    assert found.details["weight"] == pytest.approx(2 / 5 / 2)


def test_a_whole_table_in_one_box_of_one_row_is_no_division_by_zero() -> None:
    found = singling_out(evidence_of([7], [0]))
    assert (found.figure, found.baseline) == (1.0, 1.0)
