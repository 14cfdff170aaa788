"""Verdicts that a hostile reader found wrong once."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

import pellucid as pc


def k_map(release: pl.DataFrame, people: pl.DataFrame, **options: object) -> float:
    quasi = options.pop("quasi", ["q"])
    [verdict] = pc.verify(release, [pc.KMap(k=1)], quasi=quasi, population=people, **options)
    return verdict.level


def test_a_half_open_interval_of_dates_does_not_include_its_end() -> None:
    days = [date(2020, 1, 1), date(2020, 1, 15), date(2020, 2, 1), date(2020, 2, 1), date(2020, 3, 1)]
    people = pl.DataFrame({"q": days})
    assert k_map(pl.DataFrame({"q": ["[2020-01-01, 2020-02-01)"]}), people) == 2
    assert k_map(pl.DataFrame({"q": ["[2020-01-01, 2020-02-01]"]}), people) == 4


@pytest.mark.parametrize("columns", [["q_low", "q_high"], ["q_high", "q_low"]])
def test_the_order_of_split_interval_columns_does_not_matter(columns: list[str]) -> None:
    release = pl.DataFrame({"q_low": [1], "q_high": [3]})
    assert k_map(release, pl.DataFrame({"q": [1, 2, 9]}), quasi=columns) == 2


def test_a_null_that_our_own_release_publishes_is_a_value_and_is_not_exempt() -> None:
    frame = pl.DataFrame(
        {"a": [None, None, 1, 1], "b": [None, None, 1, 1], "s": ["HIV", "HIV", "x", "y"]},
        schema_overrides={"a": pl.Int64, "b": pl.Int64},
    )
    release = pc.publish(frame, pc.Hybrid(l=1), quasi=["a", "b"], sensitive="s")
    for exempt in (False, True):
        answers = pc.verify(release, [pc.LDiversity(l=2)], exempt_suppressed=exempt)
        assert not answers[0].holds
        assert answers.audit.suppressed == 0
    theirs = pl.DataFrame({"a": [None, None, "1", "1"], "s": ["HIV", "HIV", "x", "y"]})
    assert pc.verify(theirs, [pc.LDiversity(l=2)], quasi=["a"], sensitive="s", exempt_suppressed=True)[0].holds
