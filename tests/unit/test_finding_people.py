"""Linkage and homogeneity on tables small enough to count by hand, and the form in which attacks report.

Predicate singling out: how likely a description fits exactly one row.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest

from pellucid.anonymize.methods import Grouping
from pellucid.core.schema import Column, Schema
from pellucid.errors import AttackError
from pellucid.io import read
from pellucid.risk import classic_attacks, homogeneity, journalist, marketer, prosecutor, uniqueness
from pellucid.risk.attacks.finding import About
from pellucid.risk.attacks.singling_out import singling_out
from pellucid.risk.views import Evidence
from pellucid.risk.views.known_groups import evidence_of_groups


def evidence_of(ages: list[int], diseases: list[str | None], labels: list[int]) -> Evidence:
    table = read(pl.DataFrame({"age": ages, "disease": diseases}), quasi="age", sensitive="disease")
    return evidence_of_groups(table, labels)


SIX = evidence_of([20, 21, 30, 31, 31, 60], ["flu", "flu", "flu", "gout", "gout", "cold"], [0, 0, 1, 1, 1, 2])


def covering(evidence: Evidence, people: list[int], absent: int = 0) -> Evidence:
    counted = np.array(people, np.int64)
    return replace(evidence, published=replace(evidence.published, population=counted, absent=absent))


def test_somebody_alone_in_a_group_is_found_for_certain() -> None:
    found = prosecutor(SIX)
    assert (found.figure, found.baseline) == (1.0, 1 / 6)
    assert found.exposed.tolist() == [5]


def test_links_are_right_once_per_group_on_average() -> None:
    assert marketer(SIX).figure == pytest.approx(3 / 6)


def test_uniqueness_is_compared_with_the_exact_quasi_identifiers() -> None:
    found = uniqueness(SIX)
    assert (found.figure, found.baseline) == (1 / 6, 4 / 6)  # 20, 21, 30 and 60 occur once, 31 twice


def test_a_population_hides_whom_the_table_does_not() -> None:
    found = journalist(covering(SIX, [4, 3, 5], absent=8))
    assert (found.figure, found.baseline, found.exposed.tolist()) == (1 / 3, 1 / 20, [])
    assert marketer(covering(SIX, [4, 3, 5])).figure == pytest.approx((2 / 4 + 3 / 3 + 1 / 5) / 6)


def test_a_journalist_without_a_population_raises() -> None:
    with pytest.raises(AttackError, match="population"):
        journalist(SIX)


def test_a_population_smaller_than_a_group_is_refused() -> None:
    with pytest.raises(AttackError, match="group 1 has 3 rows and covers 2 people"):
        journalist(covering(SIX, [4, 2, 5]))


def test_people_in_groups_with_one_value_are_known() -> None:
    found = homogeneity(SIX)
    assert found.figure == pytest.approx(3 / 6)
    assert found.exposed.tolist() == [0, 1, 5]
    assert found.baseline == 0


def test_null_is_a_value_like_any_other() -> None:
    assert homogeneity(evidence_of([1, 2, 3], [None, "flu", None], [0, 0, 1])).exposed.tolist() == [2]


def test_suppressed_people_are_neither_exposed_nor_counted() -> None:
    some = evidence_of([1, 2, 3], ["flu", "flu", "gout"], [0, 0, -1])
    assert homogeneity(some).figure == 1.0
    assert prosecutor(some).baseline == 1 / 2


def test_the_truth_scores_a_masked_release_and_decides_nothing() -> None:
    truth = np.array([1, 0, 1, 2, 2, 0], np.int32)  # codes: cold, flu, gout
    scored, blind = homogeneity(SIX, truth=truth), homogeneity(SIX)
    assert scored.details["right"] == pytest.approx(2 / 3)
    assert (scored.figure, scored.exposed.tolist()) == (blind.figure, blind.exposed.tolist())


def test_what_cannot_run_is_listed_with_the_reason_and_no_figure() -> None:
    found = {one.attack: one for one in classic_attacks(SIX)}
    missed = found["journalist linkage"]
    assert not missed.ran
    assert missed.figure is None
    assert "population" in missed.reason
    assert missed.record()["ran"] is False
    assert "figure" not in missed.record()


def test_every_finding_tells_its_story_source_and_baseline() -> None:
    for one in classic_attacks(SIX):
        assert all([one.name, one.story, one.reference, one.measure, one.against]), one.attack
        assert one.ran == bool(one.sentence), one.attack
        assert not one.exposed.flags.writeable


def test_a_finding_without_a_figure_needs_a_reason() -> None:
    about = About("x", "x", "x", "x", "x")
    with pytest.raises(ValueError, match="either a figure or a reason"):
        about.missed("")
    with pytest.raises(ValueError, match="no figure"):
        about.finding(float("nan"), 0.0, [], "x")


def test_an_attack_on_nobody_does_not_look_like_safety() -> None:
    nobody = replace(SIX, grouping=Grouping(np.zeros(0, np.int32), np.zeros(4, np.int64), 6))
    assert not any(one.ran for one in classic_attacks(nobody))


def evidence_of_ages(ages: list[int], labels: list[int]) -> Evidence:
    frame = pl.DataFrame({"age": ages, "s": ["x"] * len(ages)})
    return evidence_of_groups(read(frame, quasi="age", sensitive="s"), labels)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_success_is_the_share_of_hashes_that_fit_one_row(n: int) -> None:
    hashes = list(product(range(n), repeat=n))
    once = sum(one.count(0) == 1 for one in hashes)
    ages = list(range(n)) + list(range(1000, 1000 + 50))
    found = singling_out(evidence_of_ages(ages, [0] * n + [1] * 50))
    assert found.details["rows"] == n
    assert found.figure == pytest.approx(once / len(hashes))


def test_luck_with_the_same_weight_is_the_baseline() -> None:
    # ages 0 to 9; the box 0-1 has 2 of 10 positions and 2 rows, so its predicate weighs 1/10, of 4 rows
    found = singling_out(evidence_of_ages([0, 1, 2, 9], [0, 0, 1, 1]))
    assert found.details["weight"] == pytest.approx(0.1)
    assert found.baseline == pytest.approx(4 * 0.1 * 0.9**3)
    assert found.exposed.tolist() == [0, 1]


def test_boxes_that_overlap_hold_an_unknown_number_of_rows() -> None:
    with pytest.raises(AttackError, match="overlaps"):
        singling_out(evidence_of_ages([0, 5, 3, 9], [0, 0, 1, 1]))


def test_a_node_of_a_taxonomy_reaches_beyond_the_values_of_a_group() -> None:
    tree = {"*": {"north": ["n1", "n2", "n3"], "south": ["s1", "s2"]}}
    schema = Schema(columns={"r": Column(role="quasi", taxonomy={"tree": tree}), "s": Column(role="sensitive")})
    # n1 and n3 are published as north, which n2 is in as well; only the southern box is closed
    frame = pl.DataFrame({"r": ["n1", "n3", "n2", "n2", "s1", "s2"], "s": ["x"] * 6})
    found = singling_out(evidence_of_groups(read(frame, schema=schema), [0, 0, 1, 1, 2, 2]))
    assert found.exposed.tolist() == [4, 5]
    assert found.details["weight"] == pytest.approx(2 / 5 / 2)


def test_a_whole_table_in_one_box_of_one_row_is_no_division_by_zero() -> None:
    found = singling_out(evidence_of_ages([7], [0]))
    assert (found.figure, found.baseline) == (1.0, 1.0)
