"""The worked examples of [W] for global recoding: Incognito publishes the merged table, and the beliefs are exact.

Two cases by hand have what the examples lack: odds that are reached, and distances near t.

Classes are the values of one quasi-identifier without a taxonomy. Every world with the same values is tried; those in
which Incognito merges the classes are what somebody who sees the merged table, and knows the method, has to consider.
What merged_classes and the attacker who knows minimality say is the same.

Two cases that [W] found on Adult (section 7.1): one row of a class is generalised with one other. People who look like
the other one are published as they are, so their class did not violate 2-diversity: the first person's did, by having a
low education. And what is published of the tables in the papers that attack Mask and spurious records.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from oracle.worlds import arrangements
from pellucid.anonymize.methods.incognito import Incognito
from pellucid.core.coins import Coins
from pellucid.core.schema import Column, Schema
from pellucid.io import read
from pellucid.models import parse
from pellucid.risk import infer
from pellucid.risk.views.known_groups import evidence_of_groups

DISEASES = {"HIV": 2, "Diabetes": 1, "Lung Cancer": 1, "Ulcer": 1, "Alzheimer": 1, "Gallstones": 1}
TWO_OF_HIV: dict[str, Any] = {"name": "l-diversity", "l": 2, "sensitive": ["HIV"]}

# source: class sizes, values, model, beliefs by class and value
EXAMPLES: dict[str, tuple[list[int], dict[str, int], Any, dict[tuple[int, str], str]]] = {
    "table 1(c)": ([2, 5], {"HIV": 2, "other": 5}, TWO_OF_HIV, {(0, "HIV"): "1", (1, "HIV"): "0"}),
    "table 6": (
        [2, 2, 10],
        {"HIV": 5, "other": 9},
        TWO_OF_HIV,
        {(0, "HIV"): "53/86", (1, "HIV"): "53/86", (2, "HIV"): "109/430"},
    ),
    "section 4.3": ([4, 2], {"HIV": 3, "other": 3}, TWO_OF_HIV, {(0, "HIV"): "1/2", (1, "HIV"): "1/2"}),
    "table 3(c)": ([2, 5], DISEASES, "l-diversity=2", {(0, "HIV"): "1", (1, "HIV"): "0"}),
    "table 9(c)": (
        [3, 4],
        DISEASES,
        "recursive (c,l)-diversity=3,3",
        {(0, "HIV"): "2/3", (0, "Diabetes"): "1/15"},
    ),
    "table 10(c), corrected": ([2, 4], {"HIV": 3, "other": 3}, "t-closeness=0.2", {(0, "HIV"): "1/2"}),
    # by hand: 26 of 56 ways to place HIV violate, of which 10 by odds of exactly 3, which are not below 3
    "odds that are reached": (
        [5, 3],
        DISEASES | {"HIV": 3},
        "recursive (c,l)-diversity=3,3",
        {(0, "HIV"): "9/26", (1, "HIV"): "11/26"},
    ),
    # by hand: with 0, 1 or 2 HIV the first class is 1/3, 1/6 or 2/3 away, the second half as far: 7 of 15 ways violate
    "distances near t": (
        [2, 4],
        {"HIV": 2, "other": 4},
        "t-closeness=0.2",
        {(0, "HIV"): "1/7", (1, "HIV"): "3/7"},
    ),
    "table 11(c)": ([2, 3], {"30": 2, "20": 1, "10": 1, "40": 1}, "(k,e)-anonymity=2,5", {(0, "30"): "1"}),
}


@pytest.mark.parametrize("source", EXAMPLES)
def test_beliefs_after_incognito_are_those_of_the_worked_example(source: str) -> None:
    sizes, values, model, expected = EXAMPLES[source]
    numeric = "(k,e)" in str(model)
    names = sorted(values)
    schema = Schema(
        columns={
            "class": Column(role="quasi", kind="category"),
            "value": Column(role="sensitive", kind="number" if numeric else "category"),
        }
    )
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]

    @cache
    def merged(classes: tuple[tuple[int, ...], ...]) -> bool:
        """Whether Incognito generalises the quasi-identifier; the order of rows in a class is all the same to it."""
        frame = pl.DataFrame(
            {
                "class": [f"q{i}" for i, size in enumerate(sizes) for _ in range(size)],
                "value": [int(names[v]) if numeric else names[v] for held in classes for v in held],
            }
        )
        return Incognito(model=model).group(read(frame, schema=schema), Coins.from_seed(0)).levels == (1,)

    multiset = [code for code, name in enumerate(names) for _ in range(values[name])]
    possible = 0
    having: dict[tuple[int, str], int] = dict.fromkeys(expected, 0)
    for world in arrangements(multiset):
        classes = [world[end - size : end] for end, size in zip(ends, sizes, strict=True)]
        if merged(tuple(tuple(sorted(held)) for held in classes)):
            possible += 1
            for number, name in expected:
                having[number, name] += names[classes[number][0]] == name
    assert possible > 0
    beliefs = {fact: Fraction(belief) for fact, belief in expected.items()}
    assert {fact: Fraction(count, possible) for fact, count in having.items()} == beliefs
    asked = Incognito(model=model).required
    counts = {int(name) if numeric else name: count for name, count in values.items()}
    found = pc.posterior.merged_classes(sizes, counts, asked, exact=True)
    assert {(n, name): found[n][int(name) if numeric else name] for n, name in expected} == beliefs
    people = pl.DataFrame(
        {
            "class": [f"q{i}" for i, size in enumerate(sizes) for _ in range(size)],
            "value": [value for value, count in counts.items() for _ in range(count)],
        }
    )
    evidence = evidence_of_groups(read(people, schema=schema), [0] * sum(sizes), model=asked)
    told = infer(evidence, pc.Adversary(knows="minimality"), exact=True)
    assert {(n, name): told.posterior(ends[n] - 1, int(name) if numeric else name) for n, name in expected} == beliefs


# source: class sizes, values kept by class, rows generalised by class, their values, model, beliefs of the first class
LOCAL: dict[str, tuple[Any, ...]] = {
    "table 9(d)": (
        [3, 4],
        [{}, {"u": 1, "a": 1, "g": 1}],
        [3, 1],
        {"d": 1, "HIV": 2, "c": 1},
        "recursive (c,l)-diversity=3,3",
        {"HIV": "2/3", "d": "1/6", "c": "1/6"},
    ),
    "table 10(d)": ([2, 4], [{}, {"ns": 2, "HIV": 1}], [2, 1], {"HIV": 2, "ns": 1}, "t-closeness=0.2", {"HIV": "1"}),
    "table 11(d)": ([2, 3], [{}, {10: 1, 40: 1}], [2, 1], {30: 2, 20: 1}, "(k,e)-anonymity=2,5", {30: "1"}),
}


@pytest.mark.parametrize("source", LOCAL)
def test_beliefs_after_local_recoding_are_those_of_the_worked_example(source: str) -> None:
    """[W] section 5: the class that was generalised whole has the two values that are alike."""
    sizes, kept, moved, counts, model, expected = LOCAL[source]
    found = pc.posterior.local_classes(sizes, kept, moved, counts, parse(model), exact=True)
    assert {value: belief for value, belief in found[0].items() if belief} == {
        value: Fraction(belief) for value, belief in expected.items()
    }


def test_sensitive_tuples_are_those_of_table_6() -> None:
    found = pc.posterior.sensitive_tuples([2, 2, 10], {"HIV": 5, "other": 9}, pc.LDiversity(l=2), ["HIV"])
    assert found == [((0, 2, 3), 120), ((1, 2, 2), 90), ((2, 0, 3), 120), ((2, 1, 2), 90), ((2, 2, 1), 10)]


@pytest.mark.parametrize("others", [2, 17])
def test_the_one_who_stands_alone_is_disclosed(others: int) -> None:
    frame = pl.DataFrame(
        {
            "age": [80] * (others + 1),
            "workclass": ["self-emp-not-inc", *["private"] * others],
            "education": ["7th-8th", *["HS-grad"] * others],
        }
    )
    table = pc.read(frame, quasi=["age", "workclass"], sensitive="education")
    labels = [0, 0, *[1] * (others - 1)]  # the first two are generalised together, the rest stay as they are
    model = pc.LDiversity(l=2, sensitive=("7th-8th",))
    beliefs = infer(evidence_of_groups(table, labels, model=model), pc.Adversary(knows="minimality"), exact=True)
    assert beliefs.posterior(0, "7th-8th") == 1
    assert beliefs.belief("7th-8th").tolist() == [1.0, *[0.0] * others]
    assert "as they are" in beliefs.explain(0)


def test_without_anybody_kept_either_may_be_the_one() -> None:
    frame = pl.DataFrame({"workclass": ["self-emp", "private"], "education": ["7th-8th", "HS-grad"]})
    table = pc.read(frame, quasi=["workclass"], sensitive="education")
    model = pc.LDiversity(l=2, sensitive=("7th-8th",))
    beliefs = infer(evidence_of_groups(table, [0, 0], model=model), pc.Adversary(knows="minimality"))
    assert beliefs.belief("7th-8th").tolist() == [0.5, 0.5]


pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")

NAMES = ["Ann", "Bob", "Cate", "Don", "Ed", "Fred", "Gill"]
PATIENTS = pl.DataFrame(
    {"name": NAMES, "age": [21, 27, 32, 32, 54, 60, 60], "disease": ["dyspepsia"] * 3 + ["flu"] * 4}
)

# Hemantha, tables 4.6 and 4.7: two classes, and one of them has nothing but HIV
CLASSES = pl.DataFrame({"qid": [1] * 2 + [2] * 5, "disease": ["HIV"] * 3 + ["other"] * 4})


def test_mask_publishes_the_table_of_the_appendix() -> None:
    """Xiao, Tao, Koudas, appendix: with the paper's own donors it is the only outcome, with all it is one of two."""
    expected = [
        ("32", "dyspepsia"),
        ("32", "flu"),
        ("[21, 27]", "dyspepsia"),
        ("[21, 27]", "flu"),
        ("[54, 60]", "flu"),
        ("[54, 60]", "flu"),
        ("[54, 60]", "flu"),
    ]
    undone = sorted([*expected[:2], ("[21, 27]", "flu"), *expected[3:]])
    seen = Counter()  # type: ignore[var-annotated]
    for _ in range(64):  # two outcomes of probability 1/2: one of them is missed with probability 2**-63
        for donors in ("highest", "all"):
            method = pc.Mask(k=2, l=2, sensitive="dyspepsia", donors=donors)
            release = pc.publish(PATIENTS, method, quasi="age", sensitive="disease", identifier="name")
            seen[donors, tuple(sorted(release.frame.rows()))] += 1
    assert set(seen) == {("highest", tuple(expected)), ("all", tuple(expected)), ("all", tuple(undone))}


def test_mask_of_each_value_publishes_the_table_of_the_appendix_as_one_of_two() -> None:
    """[X] figure 1 takes any group that does not violate for a donor: {Cate, Don}, or {Ed, Fred, Gill} of flu alone.

    With every value judged by itself the last group violates as well, and {Cate, Don} is the only donor.
    """
    seen = Counter()  # type: ignore[var-annotated]
    for _ in range(32):
        method = pc.Mask(k=2, l=2, sensitive="dyspepsia", each=True)
        release = pc.publish(PATIENTS, method, quasi="age", sensitive="disease", identifier="name")
        seen[tuple(sorted(release.frame.filter(pl.col("age") == "[21, 27]")["disease"]))] += 1
    assert set(seen) == {("dyspepsia", "flu"), ("flu", "flu")}
    with pytest.raises(pc.Infeasible, match="a group of 3 rows cannot have each value"):
        pc.publish(PATIENTS, pc.Mask(k=2, l=2, each=True), quasi="age", sensitive="disease", identifier="name")


def test_added_records_never_repeat_a_value() -> None:
    """The thesis' own table 4.7 adds the same value twice; with two values in the table, only one can be added."""
    with pytest.raises(
        pc.Infeasible,
        match="'HIV' is the 'disease' of 2 of 2 rows of a group, and only 1 of 2 values can be added to it, each once",
    ):
        pc.publish(CLASSES, pc.SpuriousRecords(k=2, l=2), quasi="qid", sensitive="disease")
