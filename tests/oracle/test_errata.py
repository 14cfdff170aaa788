"""The page of errata (docs/explanation/errata.md), number by number: what is printed, and what counting gives.

Here are the numbers that no other test has: 3, 4, 9, 13, and 14 on the thesis' own table. The others stand where their
methods are enumerated: 2 and 18 in test_disguised_breaches.py, 5, 6, 7, 8, 15 and 17 in test_consecutive.py, 16 in
test_refusals.py, 1 in tests/golden/test_minimality_attack.py, and in tests/property 10 and 12 (test_qi_distribution.py)
11 (test_engines_equal_enumeration.py), and 19 in test_parts_that_could_have_been_apart.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, product

import polars as pl
import pytest

import pellucid as pc
from oracle.test_consecutive import first_bucket
from plain import disguise, models
from plain.opt_gen import partitions
from plain.transparent import first_feasible

# Xiao, Tao, Koudas, table I: who has the same age and zip code must stay together under global recoding
ALIKE = [["Ann"], ["Bob"], ["Cate", "Don"], ["Ed"], ["Fred", "Gill", "Hera"]]
PLACE = [(21, 10), (27, 18), (32, 35), (54, 60), (60, 63)]
ILL = {"Ann": "dyspepsia", "Bob": "flu", "Cate": "gastritis", "Don": "bronchitis"}
ILL |= {"Ed": "gastritis", "Fred": "flu", "Gill": "dyspepsia", "Hera": "diabetes"}


def test_3_a_partition_costs_22_where_24_is_called_least() -> None:
    of_cost: dict[bool, dict[int, list[list[list[str]]]]] = {False: {}, True: {}}
    for numbers in partitions(len(ALIKE)):
        kinds = [[kind for kind, number in enumerate(numbers) if number == g] for g in range(max(numbers) + 1)]
        groups = [[name for kind in group for name in ALIKE[kind]] for group in kinds]
        if not all(models.simple(list(Counter(ILL[name] for name in group).values()), 2) for group in groups):
            continue
        cost = sum(len(group) ** 2 for group in groups)
        for apart in {False, boxes_are_apart(kinds)}:
            of_cost[apart].setdefault(cost, []).append(groups)
    assert (min(of_cost[False]), min(of_cost[True])) == (22, 24)
    assert [["Ann", "Ed"], ["Bob", "Cate", "Don"], ["Fred", "Gill", "Hera"]] in of_cost[False][22]
    table_three = [["Ann", "Bob"], ["Cate", "Don"], ["Ed", "Fred", "Gill", "Hera"]]
    assert of_cost[True][24] == [table_three]


def boxes_are_apart(groups: Sequence[Sequence[int]]) -> bool:
    """Whether no two groups' intervals meet in both columns."""
    boxes = [[(min(column), max(column)) for column in zip(*(PLACE[kind] for kind in g), strict=True)] for g in groups]
    return not any(
        all(low <= high2 and low2 <= high for (low, high), (low2, high2) in zip(one, other, strict=True))
        for one, other in combinations(boxes, 2)
    )


def test_4_beginning_again_with_the_first_beta_never_ends() -> None:
    """Three values once each at l = 2: with beta = l no alpha exists, and line 7 sets beta = l."""
    counts, l = [1, 1, 1], 2

    def alpha_exists(beta: int) -> bool:
        following = counts[beta] if beta < len(counts) else 0
        return any(
            l * max(counts[0] - alpha, following) <= sum(counts) - alpha * beta
            for alpha in range(1, counts[beta - 1] + 1)
        )

    assert not alpha_exists(l)  # so line 9 goes to line 7, which sets beta = l
    assert alpha_exists(l + 1)  # the next beta is what is meant
    assert first_feasible(counts, l) == (1, l + 1)


def test_9_the_first_bucket_may_be_believed_less_than_one_in_l() -> None:
    chances = [Fraction(1, 100), Fraction(1, 2), Fraction(65, 100), Fraction(1)]
    for l, buckets, p in product((2, 3, 6), (2, 3, 4), chances):
        assert first_bucket(l, buckets, 1, p) == Fraction(1, l * buckets)
        full = first_bucket(l, buckets, buckets, p)
        assert full > Fraction(1, l) if p < 1 else full == Fraction(1, l)
    # fewer positives than buckets alone do not decide it: the coin does
    assert first_bucket(2, 3, 2, Fraction(1, 2)) == Fraction(3, 8)
    assert first_bucket(2, 3, 2, Fraction(1, 100)) == Fraction(52, 57)


def merged_worlds(first: int, second: int, positives: int, l: int) -> Iterable[tuple[int, ...]]:
    """Who is positive, where one of two classes violates, so that global recoding makes them one."""
    for chosen in combinations(range(first + second), positives):
        held = sum(person < first for person in chosen)
        if held * l > first or (positives - held) * l > second:
            yield chosen


def test_13_the_thesis_tables() -> None:
    # table 2.14: two people and five, three of them with flu (the text speaks of two)
    three, two = list(merged_worlds(2, 5, 3, 2)), list(merged_worlds(2, 5, 2, 2))
    assert Fraction(sum(0 in world for world in three), len(three)) == Fraction(1, 3)
    assert Fraction(sum(0 in world for world in two), len(two)) == 1
    # table 3.1 is called good for (3,3)-diversity: its first class has two values
    assert not models.recursive([1, 1], Fraction(3), 3)
    assert models.recursive([1] * 5, Fraction(3), 3)
    good = pl.DataFrame({"class": ["Q1"] * 2 + ["Q2"] * 5, "disease": [*"ab", *"cbdef"]})
    (verdict,) = pc.verify(good, [pc.RecursiveDiversity(c=3, l=3)], quasi="class", sensitive="disease")
    assert not verdict.holds
    # table 4.5 is called 3-diverse; by the rule of the algorithm that made it, each value has less than one row in l
    assert [not models.simple(list(Counter(held).values()), 3) for held in DEFENDED] == [True, True, False, True]
    assert Counter(DEFENDED[1])["HIV"] * 2 == len(DEFENDED[1])


# Hemantha, tables 4.4 and 4.5
CLASSES = [
    ["HIV", "HIV", "BloodCancer"],
    ["HIV", "HIV"],
    ["Asthma", "Heart Disease", "CAD", "Bronchitis"],
    ["HIV", "Heart Disease", "HIV", "BloodCancer"],
]
DEFENDED = [
    [*CLASSES[0], "Heart Disease"],
    [*CLASSES[1], "Heart Disease", "CAD"],
    CLASSES[2],
    CLASSES[3],
]


@pytest.mark.parametrize(("number", "belief"), [(0, Fraction(2, 3)), (1, Fraction(1))])
def test_14_added_records_leave_what_repeats_real(number: int, belief: Fraction) -> None:
    """The thesis' own table: the others' values known, those of one class any; its law is that of l = 2."""
    names = sorted({value for held in CLASSES for value in held})
    rows = [[names.index(value) for value in held] for held in CLASSES]
    groups, begin = [], 0
    for held in rows:
        groups.append(range(begin, begin + len(held)))
        begin += len(held)
    release = tuple(tuple(sorted(names.index(value) for value in held)) for held in DEFENDED)
    weight = with_hiv = Fraction(0)
    for ours in product(range(len(names)), repeat=len(rows[number])):
        world = [value for g, held in enumerate(rows) for value in (ours if g == number else held)]
        chance = disguise.spurious_law(groups, world, 2).get(release, Fraction(0))
        weight += chance
        with_hiv += chance * (names[ours[0]] == "HIV")
    assert weight > 0
    assert with_hiv / weight == belief
