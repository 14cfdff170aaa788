"""Beliefs under probabilities per row, compared with a list of all worlds."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from math import prod
from random import Random
from typing import Any

import pytest

import pellucid as pc
from pellucid.posterior import qi_distribution
from plain.permanents import beliefs

GROUPS = 250  # times 10 chunks
HALF, TENTHS = Fraction(1, 2), [Fraction(i, 10) for i in range(11)]


def random_group(random: Random) -> tuple[list[dict[Any, Fraction]], list[str]]:
    """Up to seven rows of one to five signatures, with zeros, scaled copies and values that nobody can have."""
    n = random.randint(1, 7)
    domain = "uvwxyz"[: random.randint(1, 6)]
    signatures = []
    for _ in range(random.randint(1, 5)):
        parts = [random.choice([0, 1, 1, 2, 3, 7, 10**6]) if random.random() < 0.9 else 0 for _ in domain]
        total = sum(parts) or 1
        signatures.append({value: Fraction(part, total) for value, part in zip(domain, parts, strict=True)})
    if random.random() < 0.3:
        signatures.append({value: p / 3 for value, p in signatures[0].items()})
    return [random.choice(signatures) for _ in range(n)], [random.choice(domain) for _ in range(n)]


@pytest.mark.parametrize("chunk", range(10))
def test_beliefs_are_shares_of_the_worlds(chunk: int) -> None:
    impossible = 0
    for number in range(GROUPS):
        rows, values = random_group(Random(f"worlds {chunk} {number}"))
        expected = beliefs(rows, values)
        if expected is None:
            impossible += 1
            for exact in (True, False):
                with pytest.raises(pc.ModelError, match="no world is possible"):
                    qi_distribution(rows, values, exact=exact)  # type: ignore[call-overload]
            continue
        assert qi_distribution(rows, values, exact=True) == expected
        assert_close(qi_distribution(rows, values), expected)
    assert 0 < impossible < GROUPS / 2


def assert_close(found: Sequence[dict[Any, float]], expected: Sequence[dict[Any, Fraction]]) -> None:
    for row, truth in zip(found, expected, strict=True):
        assert set(row) == set(truth)
        for value, p in truth.items():
            assert isinstance(row[value], float)
            assert abs(Fraction(row[value]) - p) <= p * Fraction(1, 10**9)


def test_example_4_of_the_paper_with_its_erratum() -> None:
    s1, s2 = {"x": 0.5, "y": 0.5}, {"x": 0.2, "y": 0.8}
    found = qi_distribution([s1, s1, s2, s2], ["x", "x", "y", "y"], exact=True)
    assert [row["x"] for row in found] == [Fraction(8, 11)] * 2 + [Fraction(3, 11)] * 2


def test_the_bound_of_the_paper_does_not_hold_with_three_values() -> None:
    """Erratum 12: every deviation is within the bound for r = 2, and the belief is above 1/2 all the same."""
    s1, s2 = {"x": ".40", "y": ".15", "z": ".45"}, {"x": ".25", "y": ".25", "z": ".50"}
    found = qi_distribution([s1, s2, s2], ["x", "y", "z"], exact=True)
    assert found[0]["x"] == Fraction(16, 31)
    # and lemmas 2 and 3 of its proof: the row of the largest probability of x is not the likeliest to have it
    s1, s2 = {"x": ".4", "y": ".6", "z": "0"}, {"x": ".3", "y": "0", "z": ".7"}
    assert [row["x"] for row in qi_distribution([s1, s2], ["x", "y"], exact=True)] == [0, 1]


@pytest.mark.parametrize("third", [Fraction(1, 3), "1/3"])
def test_a_probability_is_the_number_a_person_reads(third: object) -> None:
    rows: list[dict[str, object]] = [{"x": third, "y": Decimal("0.1")}, {"x": 0.1, "y": "0.1"}]
    assert qi_distribution(rows, ["x", "y"], exact=True)[0]["x"] == Fraction(10, 13)


@pytest.mark.parametrize("wrong", [-0.1, 1.5, float("nan"), "many", None, True])
def test_what_is_no_probability_is_named(wrong: object) -> None:
    with pytest.raises(pc.ModelError, match="row 1: the probability of 'x'"):
        qi_distribution([{"x": 0.5}, {"x": wrong}], ["x", "x"])


def test_rows_and_values_must_be_as_many() -> None:
    with pytest.raises(pc.ModelError, match="2 rows and 1 values"):
        qi_distribution([{"x": 1}, {"x": 1}], ["x"])
    assert qi_distribution([], []) == []


def test_beyond_the_budget_it_refuses_instead_of_running_for_ever() -> None:
    random = Random(1)
    rows = [{v: random.random() for v in range(30)} for _ in range(30)]
    with pytest.raises(pc.ModelError, match=r"1\.07e\+09 states.*budget is 4,194,304"):
        qi_distribution(rows, range(30))
    assert len(qi_distribution(rows[:3], range(3), budget=8)) == 3
    with pytest.raises(pc.ModelError, match="raise budget="):
        qi_distribution(rows[:3], range(3), budget=7)


def test_two_values_in_large_groups_agree_with_symmetric_polynomials_and_do_not_overflow() -> None:
    random = Random("large")
    rows = [{"x": (p := Fraction(random.randrange(1, 1000), 1000)), "y": 1 - p} for _ in range(12)]
    odds = [row["x"] / row["y"] for row in rows]

    def e(k: int, of: list[Fraction]) -> Fraction:
        return sum((prod(chosen) for chosen in combinations(of, k)), Fraction(0))

    for c in range(1, 12):
        expected = [odds[j] * e(c - 1, odds[:j] + odds[j + 1 :]) / e(c, odds) for j in range(12)]
        values = ["x"] * c + ["y"] * (12 - c)
        assert [row["x"] for row in qi_distribution(rows, values, exact=True)] == expected
        assert_close(qi_distribution(rows, values), [{"x": p, "y": 1 - p} for p in expected])
    many = [{"x": random.choice([1e-12, 1e-3, 0.2, 0.9])} for _ in range(2000)]
    for row in many:
        row["y"] = 1 - row["x"]
    found = qi_distribution(many, ["x"] * 700 + ["y"] * 1300)
    assert sum(row["x"] for row in found) == pytest.approx(700, rel=1e-9)


def test_many_rows_of_few_signatures_with_tiny_probabilities_are_exact_enough() -> None:
    rows = [{"x": 1e-9, "y": 1e-30, "z": 0.5}] * 40 + [{"x": 0.3, "y": 1e-25, "z": 1e-7}] * 30
    values = ["x"] * 20 + ["y"] * 10 + ["z"] * 40
    assert_close(qi_distribution(rows, values), qi_distribution(rows, values, exact=True))


# states by values, as an int64 would have them: 9.9e18 comes out negative, 2**64 and 2**67 as nothing
MANY_STATES = [[61, 59, 21, 23, 9, 27, 22, 58, 6, 33, 9, 28, 15, 11], [15] * 16, [1] * 3 + [255] * 8]


@pytest.mark.parametrize("counts", MANY_STATES)
def test_more_states_than_an_integer_holds_on_one_side_leave_the_other_side(counts: list[int]) -> None:
    values = [value for value, count in enumerate(counts) for _ in range(count)]
    alike = {value: 1 / len(counts) for value in range(len(counts))}
    other = alike | {0: 0.9 / len(counts)}
    rows = [alike] * (len(values) // 2) + [other] * (len(values) - len(values) // 2)
    found = qi_distribution(rows, values)
    for value, count in enumerate(counts):
        assert sum(row[value] for row in found) == pytest.approx(count, rel=1e-9)
    assert found[0][0] > found[-1][0] > 0


def test_the_order_of_rows_and_values_does_not_matter() -> None:
    random = Random("order")
    rows = [{v: TENTHS[random.randrange(1, 10)] for v in "abcd"} for _ in range(6)]
    values = list("aabccd")
    found = qi_distribution(rows, values, exact=True)
    order = random.sample(range(6), 6)
    shuffled = qi_distribution([rows[i] for i in order], random.sample(values, 6), exact=True)
    assert shuffled == [found[i] for i in order]
    assert all(sum(row.values()) == 1 for row in found)


class ByLooks(Sequence[dict[str, float]]):
    """Distributions that are made when they are asked for, and forgotten at once."""

    def __init__(self, looks: str) -> None:
        self.looks = looks

    def __len__(self) -> int:
        return len(self.looks)

    def __getitem__(self, at: Any) -> Any:
        share = {"m": 0.9, "f": 0.1, "d": 0.5}[self.looks[at]]
        return {"flu": share, "gout": 1 - share}


def test_distributions_that_are_made_when_asked_for_are_those_of_a_list() -> None:
    lazy, values = ByLooks("mfdfmf"), ["flu"] * 3 + ["gout"] * 3
    assert qi_distribution(lazy, values) == qi_distribution(list(lazy), values)
