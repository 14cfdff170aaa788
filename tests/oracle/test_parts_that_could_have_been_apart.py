"""By definition 3 of [W] no part of a group could have been published apart; its formula rules out less.

The formula rules out worlds in which all classes of people who look alike satisfy the model. Of two classes that is the
definition. Of more it is not, and no figure of the formula shows that an attacker stays within a bound.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import polars as pl
import pytest

import pellucid as pc

QUASI = {"quasi": "q", "sensitive": "ill", "identifier": "name"}


Side = tuple[str, ...]


def one_side(looks: str) -> list[Side]:
    """One side of each way to divide the classes in two: that of the first class."""
    first, *others = sorted(set(looks))
    return [(first, *more) for n in range(len(others)) for more in combinations(others, n)]


def by_definition(looks: str, values: str, l: int, apart: list[Side]) -> Fraction:
    """The largest belief about anybody: in no world all classes are diverse, or the two sides of a way in ``apart``."""
    people = range(len(looks))

    def diverse(held: Any, rows: Any) -> bool:
        return max(Counter(held[i] for i in rows).values()) * l <= len(rows)

    classes = sorted(set(looks))
    sides = [(side, [c for c in classes if c not in side]) for side in apart]
    worlds = set()
    for held in set(permutations(values)):
        fine = all(diverse(held, [i for i in people if looks[i] == c]) for c in classes)
        fine |= any(all(diverse(held, [i for i in people if looks[i] in side]) for side in two) for two in sides)
        if not fine:
            worlds.add(held)
    counts = (Counter(world[i] for world in worlds) for i in people)
    return max(Fraction(n, len(worlds)) for count in counts for n in count.values())


def verdict_on(looks: str, values: str) -> Any:
    frame = pl.DataFrame({"name": list("ABCDEFGH"[: len(looks)]), "q": list(looks), "ill": list(values)})
    release = pl.DataFrame({"q": ["*"] * len(looks), "ill": list(values)})
    given = {"truth": frame, "made_by": pc.Incognito(model=pc.LDiversity(l=2)), **QUASI}
    return pc.verify(release, [pc.MConfidentiality(m=2)], **given)[0]


def test_a_group_of_three_classes_tells_more_than_the_formula_counts() -> None:
    looks, values = "112333", "ggbfyd"
    assert by_definition(looks, values, 2, []) <= Fraction(1, 2)
    assert by_definition(looks, values, 2, one_side(looks)) == 1
    found = verdict_on(looks, values)
    assert not found.holds
    assert "more than two looks" in found.not_shown


def test_no_choice_of_parts_bounds_what_the_others_tell() -> None:
    """Which parts could be apart is up to the recoding: some of them alone tell more than all of them, or than none."""
    looks, values = "11234", "aabbc"
    some: list[Side] = [("1", "2"), ("1", "3")]
    told = [by_definition(looks, values, 2, apart) for apart in ([], one_side(looks), some)]
    assert told == [Fraction(2, 5), Fraction(1, 2), Fraction(3, 5)]
    found = verdict_on(looks, values)
    assert not found.holds
    assert found.not_shown


@pytest.mark.parametrize(("looks", "values"), [("1122", "abcd"), ("112222", "aabcde"), ("11112", "abcde")])
def test_of_two_classes_the_formula_is_the_definition(looks: str, values: str) -> None:
    try:
        most = by_definition(looks, values, 2, one_side(looks))
    except ValueError:  # no world needed the merge
        return
    assert most == by_definition(looks, values, 2, [])
    found = verdict_on(looks, values)
    assert found.holds == (most <= Fraction(1, 2))
    assert not found.not_shown


def test_a_table_of_unknown_make_is_not_shown_to_hold() -> None:
    """[X]'s first example: five looks in one group, of which two people have the same value."""
    frame = pl.DataFrame({"name": list("ABCDEF"), "q": list("112333"), "ill": list("ggbfyd")})
    release = frame.drop("name").with_columns(q=pl.lit("*"))
    report = pc.attack_all(
        release, truth=frame, model=pc.LDiversity(l=2), classic=False, adversaries=["minimality"], **QUASI
    )
    assert report.standing(1 / 2).holds is None
