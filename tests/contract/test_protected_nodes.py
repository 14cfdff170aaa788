"""A node of a taxonomy is a set of values that count as one, whoever names it, and whatever the rows have."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import pellucid as pc

CHEST = {"tree": {"*": {"chest": ["flu", "tb", "asthma"], "other": ["gout", "none"]}}}
PEOPLE = pl.DataFrame({"id": range(8), "a": range(8), "s": ["flu", "tb", "gout", "none"] * 2})
KNOWN: dict[str, Any] = {"seed": 1, "accept_known": ["a"]}


def schema_of(tree: dict[str, Any], *protect: str, **more: Any) -> pc.Schema:
    return pc.Schema(
        columns={
            "id": pc.Column(role="identifier"),
            "a": pc.Column(role="quasi"),
            "s": pc.Column(role="sensitive", taxonomy=tree, protect=list(protect) or None, **more),
        }
    )


ONE_BY_ONE = [pc.Tailor(l=2), pc.Mondrian(l=2), pc.Audited(l=2), pc.SymmetricGrouping(l=2), pc.GreedyGrouping(l=2)]
AS_ONE = [
    pc.SoftCut(l=2),
    pc.Strata(l=2, size=4),
    pc.Hybrid(l=2),
    pc.Tailor(model=pc.LDiversity(l=2, sensitive=("chest",))),
    pc.Tailor(model=[pc.LDiversity(l=2, sensitive=("chest",)), pc.KAnonymity(k=2)]),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ONE_BY_ONE, ids=lambda method: method.name)
def test_who_protects_values_one_by_one_publishes_no_schema_that_protects_a_node(method: pc.Method) -> None:
    with pytest.raises(pc.errors.MethodError, match="protects each value by itself, and a node of a taxonomy is named"):
        pc.publish(PEOPLE, method, schema=schema_of(CHEST, "chest"), **KNOWN)
    assert pc.publish(PEOPLE, method, schema=schema_of(CHEST), **KNOWN)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", AS_ONE, ids=lambda method: f"{method.name}")
def test_no_group_has_the_node_more_often_than_promised(method: pc.Method) -> None:
    release = pc.publish(PEOPLE, method, schema=schema_of(CHEST, "chest"), **KNOWN)
    labels = release.private.labels.tolist()
    for group in set(labels):
        held = [value in ("flu", "tb") for value, label in zip(PEOPLE["s"], labels, strict=True) if label == group]
        assert 2 * sum(held) <= len(held)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("top", ["C50", "cancer"])
@pytest.mark.parametrize("there", [False, True])
def test_a_node_that_is_also_a_value_is_the_node(top: str, there: bool) -> None:
    """Whether some row has the name itself changes nothing about the values below it."""
    tree = {"tree": {"*": {top: [top, "one", "two"], "J": ["J1", "J2", "J3"]}}}
    held = [top if there else "one", "one", "two", "J1", "J2", "J3"] * 2
    people = pl.DataFrame({"id": range(12), "a": range(12), "s": held})
    release = pc.publish(people, pc.SoftCut(l=2), schema=schema_of(tree, top), **KNOWN)
    assert set(release.recipe["parameters"]["values"]) == {*([top] if there else []), "one", "two"}
    assert release.recipe["parameters"]["together"] is True


def test_values_that_are_all_of_a_node_may_be_named_one_by_one() -> None:
    tree = {"tree": {"*": {"C50": ["C50", "C50.1"], "J": ["J1", "J2", "J3", "J4"]}}}
    people = pl.DataFrame({"id": range(12), "a": range(12), "s": ["C50", "C50.1", "J1", "J2", "J3", "J4"] * 2})
    with pytest.warns(pc.SecretSeedWarning):
        release = pc.publish(people, pc.SoftCut(l=2), schema=schema_of(tree, "C50", "C50.1"), **KNOWN)
    assert "together" not in release.recipe["parameters"]


def test_a_table_of_unknown_make_is_judged_by_the_node_that_the_schema_protects() -> None:
    bare = pl.DataFrame({"a": ["x"] * 4 + ["y"] * 4, "s": ["flu", "tb"] * 2 + ["gout", "none"] * 2})
    schema = schema_of(CHEST, "chest")
    (found,) = pc.verify(bare, [pc.LDiversity(l=2)], schema=schema)
    assert not found.holds
    assert pc.verify(bare, [pc.LDiversity(l=2)], schema=schema_of(CHEST, "flu"))[0].holds
    report = pc.attack_all(bare, schema=schema, model=pc.LDiversity(l=2), classic=False)
    assert report.standing(1 / 2).holds is False


@pytest.mark.filterwarnings("ignore")
def test_a_model_that_names_a_node_is_asked_as_it_says() -> None:
    release = pc.publish(PEOPLE, pc.SoftCut(l=2), schema=schema_of(CHEST, "chest"), **KNOWN)
    asked = [pc.LDiversity(l=2, sensitive=("chest",), together=True)]
    assert pc.verify(release, asked, schema=schema_of(CHEST, "chest"))[0].holds


@pytest.mark.filterwarnings("ignore")
def test_several_models_that_have_the_l_of_a_schema_keep_it() -> None:
    for model in (["l-diversity=2", "k-anonymity=2"], "l-diversity=3"):
        assert pc.publish(PEOPLE, pc.Tailor(model=model), schema=schema_of(CHEST, l=2), **KNOWN)
    with pytest.raises(pc.errors.SchemaError, match="has l = 2"):
        pc.publish(PEOPLE, pc.Tailor(model=["l-diversity=2", "k-anonymity=2"]), schema=schema_of(CHEST, l=4), **KNOWN)
