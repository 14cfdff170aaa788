"""Tailor with a model: its parameters, what it refuses and why, what it promises, and its edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.cli.remarks import remarks_on
from pellucid.core.coins import Coins
from pellucid.models.entropy_l_diversity import EntropyLDiversity
from pellucid.models.l_diversity import LDiversity
from plain.tables import line, secret, table_of

MODELS = ["k-anonymity=3", "l-diversity=2", "entropy l-diversity=2", "t-closeness=0.6", "recursive (c,l)-diversity=2,2"]
QUASI = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}


def labels(model: object, table: pc.Table, threads: int = 1) -> list[int]:
    return pc.Tailor(model=model).group(table, Coins.from_seed(1), threads=threads).labels.tolist()


def test_something_is_asked_and_what_is_given_is_asked_together() -> None:
    with pytest.raises(pc.MethodError, match="give one of l, model"):
        pc.Tailor()
    assert pc.Tailor(l=2, model="l-diversity=2").required == pc.Tailor(l=2).required
    assert pc.Tailor(l=2, model=["k-anonymity=3", "t-closeness=0.5"]).required.label == (
        "l-diversity and k-anonymity and t-closeness"
    )


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: pc.Audited(l=2, model="k-anonymity=3"), "audited for one bound"),
        (lambda: pc.SymmetricGrouping(model=["k-anonymity=3", "l-diversity=2"]), "use tailor, mondrian or incognito"),
        (lambda: pc.SoftCut(l=2, model="k-anonymity=3"), "soft-cut has no .*model.*tailor takes one or several"),
        (lambda: pc.Strata(l=2, size=50, model="k-anonymity=3"), "its proof is about l-diversity alone"),
        (lambda: pc.Tailor(model=["l-diversity=2", {"name": "l-diversity", "l": 2, "sensitive": ["x"]}]), "different"),
        (lambda: pc.Mondrian(model=["k-anonymity=3", "m-confidentiality=2"]), "models of groups and tables"),
        (lambda: pc.Mondrian(model=["k-anonymity=3", 7]), "7 is not a privacy model"),
    ],
)
def test_what_cannot_be_asked_together_is_refused_with_the_reason(build: Any, says: str) -> None:
    with pytest.raises(pc.MethodError, match=says):
        build()


def test_a_requirement_that_the_table_cannot_meet_is_the_one_that_is_named() -> None:
    with pytest.raises(pc.Infeasible, match="k = 9 is not feasible for k-anonymity: the table has 8 rows"):
        pc.publish(pc.datasets.patients(), pc.Tailor(model=["l-diversity=2", "k-anonymity=9"]), **QUASI)
    with pytest.raises(pc.MethodError, match=r"mondrian cannot enforce sample uniqueness.*incognito enforces it"):
        pc.publish(pc.datasets.patients(), pc.Mondrian(k=2, model="sample uniqueness=0.1"), **QUASI)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("delta-presence=0,0.5", "people who are not in the table"),
        ("k-map=3", "people who are not in the table"),
        ("hierarchical t-closeness=0.3", "hierarchical t-closeness has no number of rows"),
        (EntropyLDiversity(l=2, sensitive=("HIV",)), "when some values only are protected"),
    ],
)
def test_a_model_without_sure_sizes_is_refused_and_those_with_are_named(model: object, says: str) -> None:
    with pytest.raises(pc.MethodError) as refusal:
        pc.Tailor(model=model)
    message = str(refusal.value)
    assert says in message
    assert "\n" not in message
    can = message.split("models that have one: ")[1].split(", ")
    assert {"l-diversity", "t-closeness", "(k,e)-anonymity", "entropy l-diversity"} <= set(can)
    assert not {"delta-presence", "k-map", "hierarchical t-closeness"} & set(can)


def test_l_and_the_model_of_l_give_the_same_release() -> None:
    patients = pc.datasets.patients()
    by_l = pc.publish(patients, pc.Tailor(l=2), **QUASI)
    by_model = pc.publish(patients, pc.Tailor(model="l-diversity=2"), **QUASI)
    assert by_l.private.labels.tolist() == by_model.private.labels.tolist()
    assert by_l.recipe["sentence"] == by_model.recipe["sentence"]
    assert by_l.recipe["parameters"] == {"l": 2}
    assert by_model.recipe["parameters"] == {"model": "l-diversity=2"}
    assert by_model.recipe["guarantee"] == "algorithm"


def test_the_sentence_promises_frequencies_and_the_model_and_nothing_else() -> None:
    told = pc.publish(pc.datasets.patients(), pc.Tailor(model="entropy l-diversity=1.8"), **QUASI).recipe["sentence"]
    assert "no more than its frequencies in the person's group" in told
    assert "entropy l-diversity with l = 1.8" in told
    assert "probability" not in told


def test_a_set_of_values_is_named_in_the_sentence() -> None:
    model = LDiversity(l=2, sensitive=("flu", "diabetes"), together=True)
    told = pc.publish(pc.datasets.patients(), pc.Tailor(model=model), **QUASI).recipe["sentence"]
    assert "only 'flu', 'diabetes' are protected, counted as one value" in told
    assert "names any one" not in told  # 1/l is not promised for the other values


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("k-anonymity=9", ["k = 9 is not feasible", "k = 8"]),
        ("distinct l-diversity=6", ["l = 6 is not feasible", "l = 5"]),
        ("(alpha,k)-anonymity=0.2,3", ["alpha = 0.2 is not feasible", "alpha = 0.25"]),
        ("(alpha,k)-anonymity=0.5,9", ["k = 9 is not feasible", "k = 8"]),
        ("entropy l-diversity=5", ["l = 5 is not feasible", "l = 4.7"]),
    ],
)
def test_what_the_whole_table_does_not_satisfy_is_infeasible_and_says_what_it_reaches(
    model: str, says: list[str]
) -> None:
    with pytest.raises(pc.Infeasible) as refusal:
        pc.publish(pc.datasets.patients(), pc.Tailor(model=model), **QUASI)
    for words in says:
        assert words in str(refusal.value)


def test_every_one_of_several_columns_satisfies_the_model() -> None:
    frame = pl.DataFrame({"age": range(40), "s": [i % 4 for i in range(40)], "t": [i // 10 for i in range(40)]})
    release = pc.publish(
        frame, pc.Tailor(model="distinct l-diversity=2"), quasi="age", sensitive=["s", "t"], accept_known="age"
    )
    found = release.private.labels
    assert found.max() > 0
    for column in ("s", "t"):
        for group in range(found.max() + 1):
            assert frame[column].filter(pl.Series(found == group)).n_unique() >= 2
    assert "each single one of these columns" in release.recipe["sentence"]
    alone = pc.publish(frame, pc.Tailor(model="distinct l-diversity=2"), quasi="age", sensitive=["s"], carry=[])
    assert alone.private.labels.max() > found.max()  # the other column held cuts back


def test_a_column_that_the_model_says_nothing_about_is_refused() -> None:
    with pytest.raises(pc.PellucidError, match="no number"):
        pc.publish(pc.datasets.patients(), pc.Tailor(model="(k,e)-anonymity=2,5"), **QUASI)
    with pytest.raises(pc.PellucidError, match="no row has 'plague'"):
        pc.publish(pc.datasets.patients(), pc.Tailor(model=LDiversity(l=2, sensitive=("plague",))), **QUASI)


@pytest.mark.parametrize("model", MODELS)
def test_no_rows_and_equal_values(model: str) -> None:
    empty = table_of([line("age", []), secret("s", [])], [])
    with pytest.raises(pc.MethodError, match="no rows"):
        labels(model, empty)
    alike = table_of([line("age", range(6)), secret("s", [3] * 6)], range(6))
    if model.startswith(("k-", "t-")):
        assert len(set(labels(model, alike))) > 1  # nothing is learnt from a group when all are alike
    else:
        with pytest.raises(pc.Infeasible):
            labels(model, alike)


@pytest.mark.parametrize("model", MODELS)
def test_twelve_attributes_and_a_hundred_thousand_values(model: str) -> None:
    generator = np.random.default_rng(3)
    many = [line(f"q{i}", generator.integers(0, 9, 2000).tolist()) for i in range(12)]
    hidden = secret("s", generator.integers(0, 40, 2000).tolist())
    table = table_of([*many, hidden], generator.permutation(2000))
    before = [codes.copy() for codes in table.codes]
    for array in (*table.codes, table.order):
        assert array is not None
        array.flags.writeable = False
    assert len(set(labels(model, table))) > 1
    assert all(np.array_equal(now, then) for now, then in zip(table.codes, before, strict=True))
    n = 100_000
    unique = [line("zip", generator.permutation(n).tolist()), secret("s", generator.integers(0, 40, n).tolist())]
    wide = table_of(unique, generator.permutation(n))
    assert labels(model, wide, threads=2) == labels(model, wide, threads=1)


def test_with_an_identifier_the_order_of_the_input_rows_does_not_matter() -> None:
    frame = pc.datasets.census(3000).with_row_index("id")
    mixed = frame.sample(fraction=1, shuffle=True, seed=1)
    columns = {"quasi": ["age", "gender", "education"], "sensitive": "occupation", "identifier": "id"}
    for model in MODELS:
        one = pc.publish(frame, pc.Tailor(model=model), **columns).private.labels
        other = pc.publish(mixed, pc.Tailor(model=model), **columns).private.labels
        assert np.array_equal(one[mixed["id"].to_numpy()], other)


def test_a_release_in_one_group_is_remarked_without_an_l() -> None:
    method = pc.Tailor(model="t-closeness=0.1")
    release = pc.publish(pc.datasets.patients(), method, **QUASI)
    assert set(release.private.labels.tolist()) == {0}
    table = table_of([line("age", range(8)), secret("s", [0, 1] * 4)], range(8))
    (remark,) = remarks_on(table, method, {"groups": 1, "rows": 8}, "intervals")
    assert "all rows are in one group; use a weaker requirement" in remark.text
