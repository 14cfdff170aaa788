"""Verdicts that a hostile reader found wrong once."""

from __future__ import annotations

from datetime import date
from pathlib import Path

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


@pytest.mark.parametrize(
    "numbers",
    [
        ([1, 1, 2, 2], [1.0, 1.0, 2.0, 2.0]),
        (["1", "1", "2", "2"], [1.0, 1.0, 2.0, 2.0]),
        (["1", "1.0", "2", "2"], ["1", "1", "2.0", "2"]),
        (["a", "a", "b", "b"], ["a", "a", "b", "b"]),
        ([2**53 + 1] * 2 + [2**53] * 2, [str(2**53 + 1)] * 2 + [f"{2**53}.0"] * 2),
    ],
)
def test_a_group_has_the_same_number_however_the_tables_write_it(numbers: tuple[list[object], list[object]]) -> None:
    tables = {
        "quasi_identifiers": pl.DataFrame({"group": numbers[0], "age": [1, 2, 3, 4]}),
        "sensitive": pl.DataFrame({"group": numbers[1], "s": ["a", "b", "a", "b"]}),
    }
    assert pc.levels(tables)[0].level == 2


def test_groups_of_two_files_that_read_alike_as_floats_stay_apart(tmp_path: Path) -> None:
    one, two = 2**53, 2**53 + 1
    (tmp_path / "quasi_identifiers.csv").write_text(f"group,age\n{one},1\n{two},2\n0.5,3\n")
    (tmp_path / "sensitive.csv").write_text(f"group,s\n{one},a\n{two},b\n0.5,c\n")
    assert pc.levels(tmp_path)[0].level == 1
    (tmp_path / "sensitive.csv").write_text(f"group,s\n{one},a\n{one},b\n0.5,c\n")
    with pytest.raises(pc.InputError, match="do not join"):
        pc.levels(tmp_path)


def test_a_star_is_the_number_of_a_group_in_two_tables_and_exempts_nobody() -> None:
    tables = {
        "quasi_identifiers": pl.DataFrame({"group": ["*", "b", "b"], "age": ["*", "2", "3"]}),
        "sensitive": pl.DataFrame({"group": ["*", "b", "b"], "s": ["a", "a", "b"]}),
    }
    for exempt in (False, True):
        found = pc.levels(tables, exempt_suppressed=exempt)
        assert (found[0].level, found.audit.groups, found.audit.suppressed) == (1, 2, 0)
