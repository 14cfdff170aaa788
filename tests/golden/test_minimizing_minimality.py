"""The worked examples of the paper on method-based attacks, answered by the package on every arrangement of values.

The refused cut of figure 6(b) in Cormode, Srivastava, Li, Li: Minimizing minimality (VLDB 2010).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.core.coins import Coins
from pellucid.models.l_diversity import LDiversity
from pellucid.posterior import greedy_buckets, refused_cut
from plain import consecutive as plain
from plain.tables import line, secret, table_of

EXAMPLES: list[dict[str, Any]] = [
    {"source": "figure 6(a)", "l": 2, "buckets": 2, "positives": 2, "per bucket": ["1", "0"]},
    {"source": "closed form, first bucket", "l": 6, "buckets": 2, "positives": 2, "per bucket": ["1/3", "0"]},
    {"source": "equal frequencies leave nothing to find", "l": 2, "buckets": 1, "positives": 1, "per bucket": ["1/2"]},
]
POSITIVE = "disease 1"
PROTECTED = LDiversity(l=2, sensitive=("positive",))
PLACES = ["a", "b", "c", "c", "c", "d"]


def arranged(example: dict[str, Any]) -> list[list[int]]:
    n = example["l"] * example["buckets"]
    return [[int(row in chosen) for row in range(n)] for chosen in combinations(range(n), example["positives"])]


def one_group(values: list[int], l: int) -> bool:
    """Whether the package makes one group of these people, who stand in a row."""
    n = len(values)
    table = table_of([line("age", range(n)), secret("disease", values)], range(n))
    grouping = pc.GreedyGrouping(l=l, binary=POSITIVE).group(table, Coins.from_seed(0))
    return grouping.sizes.tolist() == [n]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["source"])
def test_what_a_group_of_so_many_buckets_gives_away(example: dict[str, Any]) -> None:
    l = example["l"]
    possible = [values for values in arranged(example) if one_group(values, l)]
    for bucket, expected in enumerate(example["per bucket"]):
        held = [Fraction(sum(values[bucket * l : (bucket + 1) * l]), l) for values in possible]
        assert sum(held) / len(held) == Fraction(expected)


def test_a_coin_of_0_65_does_not_bring_the_belief_down_to_one_in_l() -> None:
    """Erratum 8: two buckets with two positives at l = 6."""
    l, p = 6, Fraction(65, 100)
    weight = held = Fraction(0)
    for values in arranged({"l": l, "buckets": 2, "positives": 2}):
        law = plain.greedy_law(range(2 * l), values, plain.diverse(l, (1,)), l, p)
        chance = law.get((tuple(range(2 * l)),), Fraction(0))
        weight += chance
        held += chance * Fraction(sum(values[:l]), l)
    assert round(float(l * held / weight), 3) == 1.109
    (first, _) = greedy_buckets(l, 2, {"yes": 2, "no": 10}, p, ["yes"], exact=True)
    assert first["yes"] == held / weight


def test_the_posterior_of_each_side() -> None:
    found = refused_cut((2, 4), {"positive": 2, "negative": 4}, PROTECTED, exact=True)
    assert [side["positive"] for side in found] == [Fraction(1), Fraction(0)]


@pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
def test_strict_mondrian_refuses_that_cut_when_both_positives_are_on_the_smaller_side_and_makes_it_otherwise() -> None:
    groups = {}
    for first in range(6):
        for second in range(first):
            values = ["positive" if row in (first, second) else "negative" for row in range(6)]
            frame = pl.DataFrame({"place": PLACES, "test": values, "name": list("uvwxyz")})
            method = pc.Mondrian(model=PROTECTED, strict=True, retry=False)
            release = pc.publish(frame, method, quasi="place", sensitive="test", identifier="name")
            groups[second, first] = release.private.labels.tolist()
    uncut = [pair for pair, labels in groups.items() if set(labels) == {0}]
    assert uncut == [(0, 1)]
    assert all(labels[:2] != labels[2:4] for pair, labels in groups.items() if pair != (0, 1))
