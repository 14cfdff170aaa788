"""What a text column seems to be, told to the person who drafts a schema."""

from typing import Any

import polars as pl
import pytest

from pellucid.io.inference import looks_like, missing_marks


@pytest.mark.parametrize(
    ("values", "phrase"),
    [
        (["31.12.1980", "1.2.1990", None, ""], "dates written day.month.year"),
        (["1.2.1990"], "dates written day.month.year"),
        (["31.12.1980 12:30"], "dates written day.month.year"),
        (["12/31/1980", "1/2/1990"], "dates written month/day/year"),
        (["31/12/1980", "1/2/1990"], "dates written day/month/year"),
        (["1/2/1990"], "dates written day/month/year or month/day/year"),
        (["31-12-1980"], "dates written day-month-year"),
        (["1980/12/31"], "dates written year/month/day"),
        (["13/13/1980"], None),
        (["40.12.1980"], None),
        (["10,05", "7", "-0,5"], "numbers with a decimal comma"),
        (["1.234,50"], "numbers with a decimal comma"),
        (["50,000", "1,250,000.5", "7"], "numbers with a comma between thousands"),
        (["Smith, Ann", "10,05"], None),
        (["30", "41", "52", "63", "abc"], "numbers, except for 'abc'"),
        (["30", "abc"], None),
        (["01234", "13053", "13068", "14850", "14853"], None),
        (["30", "41"], "numbers written as text"),
        (["2024-01-31"], "dates written as text"),
        ([" 30", " 41"], "numbers with blanks around them"),
        (["30", "?", "41", "?"], "numbers, and '?' stands for a missing value in 2 rows"),
        (["Private", "NA", "?"], "'NA' and '?' stand for missing values in 2 rows"),
        (["Private"] + ["?"] * 1836, "'?' stands for a missing value in 1,836 rows"),
        (["red", "green", "unknown", "none"], None),
        (["", None], None),
        ([], None),
    ],
)
def test_what_a_column_looks_like(values: Any, phrase: Any) -> None:
    assert looks_like(pl.Series(values, dtype=pl.String)) == phrase


def test_only_text_looks_like_something() -> None:
    assert looks_like(pl.Series([1, 2])) is None
    assert looks_like(pl.Series(["1,5"], dtype=pl.Categorical)) == "numbers with a decimal comma"


def test_the_first_ten_thousand_distinct_values_decide() -> None:
    numbers = [f"{i}" for i in range(10_000)]
    assert looks_like(pl.Series(["0"] * 2_000_000 + numbers + ["late"])) == "numbers written as text"


def test_missing_marks_are_listed_as_they_are_written() -> None:
    assert missing_marks(pl.Series(["a", " ?", "n/a", "?", "a"])) == [" ?", "n/a", "?"]
