"""The worked examples of [W] for global recoding: Incognito publishes the merged table, and the beliefs are exact.

Classes are the values of one quasi-identifier without a taxonomy. Every world with the same values is tried; those in
which Incognito merges the classes are what somebody who sees the merged table, and knows the method, has to consider.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import polars as pl
import pytest

from oracle.worlds import arrangements
from pellucid.coins import Coins
from pellucid.group.incognito import Incognito
from pellucid.io import read
from pellucid.schema import Column, Schema

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
    assert {fact: Fraction(count, possible) for fact, count in having.items()} == {
        fact: Fraction(belief) for fact, belief in expected.items()
    }
