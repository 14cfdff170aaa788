"""Our levels beside those that pyCANON reports: equal where both mean the same, and why where they do not.

The figures in ``tests/data/pycanon_facts.json`` were computed once by ``tests/data/pycanon_facts.py`` with pyCANON
itself. Adult is not part of the package; without it these tests are skipped.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import pellucid as pc

HERE = Path(__file__).parent
FACTS: dict[str, Any] = json.loads((HERE.parent / "data" / "pycanon_facts.json").read_text())
CASES = [name for name, fact in FACTS.items() if isinstance(fact, dict)]


@cache
def adult() -> pl.DataFrame:
    folder = Path(os.environ.get("PELLUCID_DATA", HERE.parents[2] / "shared" / "data"))
    path = folder / "adult" / "adult.csv"
    if not path.exists():
        pytest.skip(f"Adult is not at {path}; say where with PELLUCID_DATA")
    return pl.read_csv(path).with_columns(decade=pl.col("age") // 10 * 10)


@cache
def answers(case: str) -> Any:
    fact = FACTS[case]
    return pc.levels(adult(), quasi=fact["quasi"], sensitive=fact["sensitive"])


def theirs(case: str, model: str) -> Any:
    return FACTS[case]["levels"][model]


def ours(case: str, model: str) -> list[Any]:
    """The level of every sensitive column, in the view of the case; pyCANON reports the worst of them."""
    view = "harmonised" if FACTS[case]["harmonised"] else "separate"
    return [level for level in answers(case) if level.model == model and level.view == view]


def distributions(case: str) -> list[tuple[list[Counter[Any]], Counter[Any]]]:
    """For every sensitive column the groups' counts and the whole table's, counted by hand."""
    fact = FACTS[case]
    found = []
    for name in fact["sensitive"]:
        others = [other for other in fact["sensitive"] if other != name] if fact["harmonised"] else []
        groups: dict[Any, Counter[Any]] = {}
        for *key, value in adult().select(*fact["quasi"], *others, name).iter_rows():
            groups.setdefault(tuple(key), Counter())[value] += 1
        found.append((list(groups.values()), Counter(adult()[name].to_list())))
    return found


# --- equal


@pytest.mark.parametrize("case", CASES)
def test_k(case: str) -> None:
    assert pc.levels(adult(), quasi=FACTS[case]["quasi"])[0].level == theirs(case, "k-anonymity")


@pytest.mark.parametrize("case", CASES)
def test_alpha(case: str) -> None:
    alpha, _ = theirs(case, "(alpha,k)-anonymity")
    assert max(level.level for level in ours(case, "(alpha,k)-anonymity")) == pytest.approx(alpha, abs=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_distinct_l(case: str) -> None:
    """What pyCANON calls l-diversity."""
    assert min(level.level for level in ours(case, "distinct l-diversity")) == theirs(case, "distinct l-diversity")


@pytest.mark.parametrize("case", CASES)
def test_beta(case: str) -> None:
    assert max(level.level for level in ours(case, "beta-likeness")) == pytest.approx(theirs(case, "beta-likeness"))


@pytest.mark.parametrize("case", CASES)
def test_t(case: str) -> None:
    """pyCANON takes the ordered distance for numbers and the equal distance for text."""
    model = "ordered t-closeness" if case == "numbers" else "t-closeness"
    found = max(level.level for level in ours(case, model))
    assert found == pytest.approx(theirs(case, "t-closeness"), abs=1e-9)


# --- different, and why


@pytest.mark.parametrize("case", CASES)
def test_entropy_l_is_not_truncated(case: str) -> None:
    """pyCANON cuts the decimals off; ours is the number, and its integer part is theirs."""
    found = min(level.level for level in ours(case, "entropy l-diversity"))
    assert math.floor(found) == theirs(case, "entropy l-diversity")


def test_entropy_l_of_equally_frequent_values_is_their_number() -> None:
    """pyCANON's truncation makes 2, 3, 4, 6, 7 and more of them one less."""
    recorded = FACTS["entropy l of m equally frequent values, m = 1..50"]
    for m in range(1, 51):
        frame = pl.DataFrame({"q": [1] * m, "s": [f"v{i}" for i in range(m)]})
        (level,) = [one for one in pc.levels(frame, quasi="q", sensitive="s") if one.model == "entropy l-diversity"]
        assert level.level == level.exact == m
        assert recorded[m - 1] in (m, m - 1)
    assert [m for m in range(1, 8) if recorded[m - 1] != m] == [2, 3, 4, 6, 7]


@pytest.mark.parametrize("case", CASES)
def test_recursive_diversity_starts_from_the_most_frequent_value(case: str) -> None:
    """pyCANON sorts counts upward and takes the rarest for r1, so its c is far too small: it does not hold."""
    levels = ours(case, "recursive (c,l)-diversity")
    by_hand = []
    for groups, _ in distributions(case):
        ranked = [sorted(group.values(), reverse=True) for group in groups]
        by_hand.append([Fraction(counts[0], sum(counts[1:])) if len(counts) > 1 else math.inf for counts in ranked])
    assert [level.exact for level in levels if level.parameters["l"] == 2] == [max(needed) for needed in by_hand]
    their_c = theirs(case, "recursive (c,l)-diversity")
    if case in ("numbers", "coarse"):
        c, l = their_c
        (verdict,) = pc.verify(
            adult(), [pc.RecursiveDiversity(c=c, l=l)], quasi=FACTS[case]["quasi"], sensitive=FACTS[case]["sensitive"]
        )
        assert not verdict.holds


def test_recursive_diversity_of_a_skewed_group() -> None:
    assert FACTS["recursive (c,l) of counts 98, 1, 1"] == [1, 3]
    frame = pl.DataFrame({"q": [1] * 100, "s": ["a"] * 98 + ["b", "c"]})
    for l, needed in ((2, 49), (3, 98)):
        for c, holds in ((needed, False), (Fraction(1000 * needed + 1, 1000), True)):
            (verdict,) = pc.verify(frame, [pc.RecursiveDiversity(c=c, l=l)], quasi="q", sensitive="s")
            assert verdict.holds is holds


@pytest.mark.parametrize("case", CASES)
def test_delta_disclosure_counts_absent_values(case: str) -> None:
    """A value that is absent from a group is infinitely less likely there; pyCANON leaves it out."""
    absent = any(len(group) < len(whole) for groups, whole in distributions(case) for group in groups)
    found = max(level.level for level in ours(case, "delta-disclosure"))
    if absent:
        assert found == math.inf
        assert theirs(case, "delta-disclosure") < math.inf
    else:
        assert found == pytest.approx(theirs(case, "delta-disclosure"))


def test_some_cases_have_absent_values_and_some_have_none() -> None:
    levels = [max(level.level for level in ours(case, "delta-disclosure")) for case in CASES]
    assert math.inf in levels
    assert any(level < math.inf for level in levels)


@pytest.mark.parametrize("case", CASES)
def test_enhanced_beta_is_a_parameter_that_holds(case: str) -> None:
    """The definition: the relative gain of a value of share p is at most min(beta, -ln p). Where a value gains more
    than -ln p, no beta holds; pyCANON reports the largest min(beta, -ln p) all the same."""
    for level, (groups, whole) in zip(ours(case, "enhanced beta-likeness"), distributions(case), strict=True):
        rows = sum(whole.values())
        gains = [
            (Fraction(count, sum(group.values())) / Fraction(whole[value], rows) - 1, -math.log(whole[value] / rows))
            for group in groups
            for value, count in group.items()
        ]
        if any(gain > bound for gain, bound in gains if gain > 0):
            assert level.level is None
        else:
            assert level.level == pytest.approx(max(gain for gain, _ in gains))
            assert level.level == pytest.approx(theirs(case, "enhanced beta-likeness"))


def test_a_null_quasi_identifier_is_not_dropped() -> None:
    """pandas' groupby leaves rows with a null out, so pyCANON reports k = 2 with a unique row in the table."""
    assert FACTS["eight rows, the zip code of the last one is null"] == 2
    eight = pd.DataFrame({"zip": ["a", "a", "b", "b", "c", "c", "c", None], "disease": list("xyxyxyxy")})
    assert pc.levels(eight, quasi="zip", sensitive="disease")[0].level == 1


def test_row_labels_are_no_positions() -> None:
    """pyCANON takes labels of the pandas index for positions: other figures when shuffled, an error when filtered."""
    assert FACTS["filtered index"] == "IndexError"
    assert FACTS["string index"] == "ValueError"
    assert FACTS["shuffled index"] != pytest.approx(FACTS["plain index"], rel=0.5)
    old = adult().filter(pl.col("age") >= 80).select("sex", "marital-status").to_dict(as_series=False)
    frame = pd.DataFrame(old)
    shuffled = frame.sample(frac=1, random_state=1)
    for one in (frame, frame.set_axis(range(5000, 5000 + len(frame))), shuffled, frame.set_axis(map(str, frame.index))):
        (level,) = [
            level for level in pc.levels(one, quasi="sex", sensitive="marital-status") if level.model == "t-closeness"
        ]
        assert level.level == pytest.approx(FACTS["plain index"])
