"""The worked examples of the paper that defines Tailor, Ace and Hybrid, answered exactly."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid
from plain import laws, transparent
from plain.transparent import Inputs, Line

EXAMPLES: dict[str, Any] = json.loads((Path(__file__).parent / "transparent_anonymization.json").read_text())
METHODS = {"tailor": pellucid.Tailor, "ace": pellucid.Ace, "hybrid": pellucid.Hybrid}
RUNS = 64  # two outcomes of probability 1/2: all runs fall on the same one with probability 2**-63


def rows_of(example: dict[str, Any]) -> list[dict[str, Any]]:
    return EXAMPLES["tables"][example["table"]]


def plainly(example: dict[str, Any]) -> Inputs:
    rows = rows_of(example)
    codebooks = {name: sorted({row[name] for row in rows}) for name in ("name", "age", "zipcode", "disease")}

    def code(row: dict[str, Any], name: str) -> int:
        return codebooks[name].index(row[name])

    quasi = [codebooks[name] for name in ("age", "zipcode")]
    return Inputs(
        codes=[(code(row, "age"), code(row, "zipcode")) for row in rows],
        order=[code(row, "name") for row in rows],
        sensitive=[(code(row, "disease"),) for row in rows],
        geometry=[Line(tuple(v - values[0] for v in values), values[-1] - values[0]) for values in quasi],
    )


def arguments(example: dict[str, Any]) -> tuple[Any, ...]:
    t = plainly(example)
    return t.codes, t.order, t.sensitive, example["l"], t.geometry


def named(groups: Any, example: dict[str, Any]) -> list[set[str]]:
    rows = rows_of(example)
    return [{rows[row]["name"] for row in group} for group in groups]


def published(method: str, example: dict[str, Any]) -> pellucid.Release:
    frame = pl.DataFrame(rows_of(example))
    chosen = METHODS[method](l=example["l"])
    return pellucid.publish(frame, chosen, quasi=["age", "zipcode"], sensitive="disease", identifier="name")


def groups_of(release: pellucid.Release) -> list[list[int]]:
    """Rows by label; no row is suppressed in these examples."""
    labels = release.private.labels.tolist()
    assert min(labels) == 0
    return [[row for row, label in enumerate(labels) if label == g] for g in range(max(labels) + 1)]


def each(section: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("example", EXAMPLES[section], ids=lambda example: example["source"])


@each("tailor")
def test_tailor_by_definition_gives_the_groups_of_the_paper(example: dict[str, Any]) -> None:
    assert named(transparent.tailor(*arguments(example)), example) == [set(group) for group in example["groups"]]


@each("tailor")
def test_published_tailor_gives_the_groups_of_the_paper(example: dict[str, Any]) -> None:
    assert named(groups_of(published("tailor", example)), example) == [set(group) for group in example["groups"]]


@each("tailor")
@pytest.mark.parametrize("model", ["l-diversity={l}", "(alpha,k)-anonymity=1/{l},1"])
def test_tailor_by_model_gives_the_groups_of_the_paper(example: dict[str, Any], model: str) -> None:
    """Simple l-diversity, and the same asked as a share of at most 1/l."""
    chosen = pellucid.Tailor(model=model.format(l=example["l"]))
    frame = pl.DataFrame(rows_of(example))
    release = pellucid.publish(frame, chosen, quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    assert named(groups_of(release), example) == [set(group) for group in example["groups"]]


def test_isomorphic_tables_are_published_as_the_text_of_the_paper() -> None:
    expected = sorted(EXAMPLES["tailor"][0]["published"])
    for example in EXAMPLES["tailor"]:
        frame = published("tailor", example).frame
        assert frame.columns == ["age", "zipcode", "disease"]
        assert sorted([list(row) for row in frame.rows()]) == expected


@each("assign")
def test_assign_by_definition_makes_the_buckets_of_the_paper(example: dict[str, Any]) -> None:
    rows = rows_of(example)
    diseases = sorted({row["disease"] for row in rows})
    counts = Counter(diseases.index(row["disease"]) for row in rows)
    found = [(a, b, {diseases[v] for v in s}) for a, b, s in transparent.assign_steps(counts, example["l"])]
    assert found == [(a, b, set(s)) for a, b, s in example["steps_alpha_beta_signature"]]


@each("assign")
def test_published_ace_follows_the_buckets_of_the_paper(example: dict[str, Any]) -> None:
    """Slice turns a bucket with alpha rows per value into alpha groups with its signature."""
    rows = rows_of(example)
    expected = [set(s) for alpha, _, s in example["steps_alpha_beta_signature"] for _ in range(alpha)]
    groups = groups_of(published("ace", example))
    assert [{rows[row]["disease"] for row in group} for group in groups] == expected


@pytest.mark.parametrize("method", ["ace", "hybrid"])
def test_the_law_by_definition_is_that_of_the_paper(method: str) -> None:
    for example in EXAMPLES[method]:
        law = {"ace": laws.ace_law, "hybrid": laws.hybrid_law}[method](*arguments(example))
        found = [(p, named(grouping, example)) for grouping, p in law.items()]
        expected = [
            (Fraction(outcome["probability"]), [set(group) for group in outcome["groups"]])
            for outcome in example["possible_groupings"]
        ]
        assert len(found) == len(expected)
        assert all(outcome in found for outcome in expected)


@pytest.mark.parametrize("method", ["ace", "hybrid"])
def test_published_groups_are_the_possible_ones_and_each_of_them_occurs(method: str) -> None:
    for example in EXAMPLES[method]:
        possible = [[set(group) for group in outcome["groups"]] for outcome in example["possible_groupings"]]
        found = [named(groups_of(published(method, example)), example) for _ in range(RUNS)]
        assert all(grouping in possible for grouping in found)
        assert all(grouping in found for grouping in possible)


def test_both_random_outcomes_of_ace_publish_the_same_table() -> None:
    (example,) = EXAMPLES["ace"]
    texts = {published("ace", example).frame.write_csv() for _ in range(RUNS)}
    assert len(texts) == 1
