"""The type of a column of text: one rule, for the head of a file and for a whole column alike.

A column is, in this order, the first of the following that fits *every* value that is not null:

========  ==========================================================================================
integer   ``-12``; fits 64 bits and has no leading zero: 01234 is a code, and as 1234 it would be another one
real      ``1.5``, ``.5``, ``1e-05``, ``nan``, ``inf``; again without a leading zero
boolean   ``true``, ``false`` in any case
date      ``2024-01-31``, ISO only: 01/02/2024 means January to some and February to others
datetime  ``2024-01-31 12:00:00.5`` or with a T; with ``Z`` or an offset it becomes UTC
text      everything else
========  ==========================================================================================

Empty text counts as null, except in a column that is text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import polars as pl

from pellucid.runtime.records import record
from pellucid.text.figures import counted
from pellucid.text.values import listed

INTEGER = r"^-?(0|[1-9][0-9]*)$"
REAL = r"^-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$|^(?i:-?inf(inity)?|nan)$"
BOOLEAN = r"^(?i:true|false)$"
DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
DATETIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?$"
INSTANT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:?[0-9]{2})$"

UTC = pl.Datetime("us", "UTC")
FORMS: tuple[tuple[str, pl.DataType], ...] = (
    (INTEGER, pl.Int64()),
    (REAL, pl.Float64()),
    (BOOLEAN, pl.Boolean()),
    (DATE, pl.Date()),
    (DATETIME, pl.Datetime("us")),
    (INSTANT, UTC),
)
MISSING_MARKS = frozenset(
    ("?", "na", "n/a", "n.a.", "n. a.", "n.d.", "n/d", "k.a.", "k. a.", "keine angabe", "no answer", "sin dato", "#n/a")
) | frozenset(("<na>", "nan", "null", "(null)", "\\n", "-", "--", ".", "missing"))
SAMPLED_VALUES = 10_000
NEARLY_ALL = 0.9
CODE = r"^-?0[0-9]+$"
THOUSANDS = r"^-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$"
DECIMAL_COMMA = r"^-?([0-9]+|[0-9]{1,3}([. ][0-9]{3})+),[0-9]+$"
COMMA_NUMBER = r"^-?(0|[1-9][0-9]*|[1-9][0-9]{0,2}([. ][0-9]{3})+)(,[0-9]+)?$"
POINT = r"^-?[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?$"  # a number elsewhere, and text where decimals follow a comma
CLOCK = r"([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2})?)?$"
YEAR_LAST = {mark: rf"^([0-9]{{1,2}})[{mark}]([0-9]{{1,2}})[{mark}][0-9]{{4}}{CLOCK}" for mark in "./-"}
YEAR_FIRST = {mark: rf"^[0-9]{{4}}[{mark}][0-9]{{1,2}}[{mark}][0-9]{{1,2}}{CLOCK}" for mark in "./"}


def type_of(text: pl.Series) -> pl.DataType | None:
    """The type that fits every value of a column of text; None when all of them are null.

    >>> type_of(pl.Series(["1", None, "20"])), type_of(pl.Series(["1", "02"])), type_of(pl.Series(["1", "2.5"]))
    (Int64, String, Float64)
    """
    dtype = _looked_like(text)
    return dtype if dtype is None or dtype == pl.String() or _converts(text, dtype) else pl.String()


def _looked_like(text: pl.Series) -> pl.DataType | None:
    """The type whose form every value has: one of them may still be no such number or day."""
    present = text.drop_nulls()
    if present.is_empty():
        return None
    values = present.filter(present != "")
    if values.is_empty():
        return pl.String()
    first = values[0]
    for form, dtype in FORMS:
        # Most columns are told by their first value; the whole column is matched only against forms that it fits.
        if re.search(form.replace("$", r"\Z"), first) and values.str.contains(form).all():
            return dtype
    return pl.String()


def convert(text: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The values of text as that type; raises a polars error when one does not fit."""
    text = text.set(text == "", None)
    if dtype == pl.Boolean():
        return text.str.to_lowercase() == "true"
    if dtype == pl.Date():
        return text.str.to_date("%Y-%m-%d", strict=True)
    if dtype == UTC:
        plain = text.str.replace("T", " ", literal=True).str.replace("Z", "+00:00", literal=True)
        return plain.str.to_datetime("%Y-%m-%d %H:%M:%S%.f%z", time_unit="us", time_zone="UTC", strict=True)
    if isinstance(dtype, pl.Datetime):
        plain = text.str.replace("T", " ", literal=True)
        return plain.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=True)
    return text.cast(dtype, strict=True)


def narrow(text: pl.Series) -> pl.Series:
    """The column in the type that fits every value; a column of nulls stays text.

    >>> narrow(pl.Series("born", ["1990-05-01", None])).dtype
    Date
    """
    dtype = _looked_like(text)
    if dtype is None or dtype == pl.String():
        return text
    try:
        return convert(text, dtype)
    except pl.exceptions.PolarsError:
        return text


def with_decimal_comma(text: pl.Series) -> pl.Series:
    """The same where decimals follow a comma, and a dot or blank may stand between thousands: 1.234,5 and 7.

    >>> with_decimal_comma(pl.Series(["3,5", "1.234", None, "-7"])).to_list()
    [3.5, 1234.0, None, -7.0]
    >>> with_decimal_comma(pl.Series(["1.5", "2,5"])).to_list(), with_decimal_comma(pl.Series(["7"])).to_list()
    (['1.5', '2,5'], [7])
    """
    present = text.filter(text.is_not_null() & (text != ""))
    if not present.is_empty() and present.str.contains(COMMA_NUMBER).all():
        return narrow(text.str.replace_all(r"[. ]", "").str.replace(",", ".", literal=True))
    return text if present.str.contains(POINT).any() else narrow(text)


def numbers_in_texts(values: pl.Series, missing: Sequence[str] = ()) -> pl.Series:
    """A column of a file that has types, where decimals follow a comma: texts with a comma among them are numbers.

    Anything else stays what the file says it is, also text without a comma: 12345 may be a code.

    >>> numbers_in_texts(pl.Series(["3,5", "7", "?"]), ["?"]).to_list(), numbers_in_texts(pl.Series(["7"])).to_list()
    ([3.5, 7.0, None], ['7'])
    """
    if not (values.dtype == pl.String or isinstance(values.dtype, pl.Categorical | pl.Enum)):
        return values
    texts = values.cast(pl.String)
    texts = texts.set(texts.is_in(list(missing)), None) if missing else texts
    if not texts.str.contains(",", literal=True).any():
        return values
    numbers = with_decimal_comma(texts)
    return numbers if numbers.dtype.is_numeric() else values


def has_decimal_commas(values: pl.Series) -> bool:
    """Whether a column of text looks like numbers with a decimal comma."""
    nature = looks_of(values).nature
    return nature is not None and nature.how == "decimal comma"


def _converts(values: pl.Series, dtype: pl.DataType) -> bool:
    """Whether the values that look right are right: 2024-02-31 and 99999999999999999999 are not."""
    try:
        convert(values, dtype)
    except pl.exceptions.PolarsError:
        return False
    return True


def missing_marks(values: pl.Series) -> list[str]:
    """The texts of a column that usually stand for a missing value, as its schema's ``missing`` would list them.

    >>> missing_marks(pl.Series(["Private", "?", "State-gov", "N/A"]))
    ['?', 'N/A']
    """
    return [value for value in _sample(values) if value.strip().casefold() in MISSING_MARKS]


@record()
class Nature:
    """What texts seem to be, as data and in words; ``orders`` are those in which dates may be written."""

    of: Literal["numbers", "dates"]
    how: Literal["plain", "blanks", "other notation", "decimal comma", "thousands", "exceptions"]
    words: str
    orders: tuple[Literal["dmy", "mdy", "ymd"], ...] = ()


@record()
class Looks:
    """What the values of a text column seem to be besides text; ``missing`` says which stand for a missing value."""

    nature: Nature | None = None
    missing: str = ""

    @property
    def phrase(self) -> str:
        """All of it for a person; empty where it is nothing."""
        if self.nature is None:
            return self.missing
        words = (
            self.nature.words if self.missing or self.nature.how != "plain" else f"{self.nature.words} written as text"
        )
        return ", and ".join(filter(None, (words, self.missing)))


def looks_of(values: pl.Series) -> Looks:
    """What the values of a text column seem to be besides text.

    It looks at the first 10,000 distinct values and changes nothing: whether a column is what it looks like is for its
    owner to say.

    >>> looks_of(pl.Series(["31/12/1980", "1/2/1990"])).nature
    Nature(of='dates', how='other notation', words='dates written day/month/year', orders=('dmy',))
    """
    marks = missing_marks(values)
    present = _sample(values)
    present = present.filter(
        (present.str.strip_chars() != "") & ~present.is_in(pl.Series(marks, dtype=pl.String).implode())
    )
    nature = _nature(present) if len(present) else None
    if not marks:
        return Looks(nature)
    rows = int(values.cast(pl.String).is_in(pl.Series(marks).implode()).sum())
    stand = "stands for a missing value" if len(marks) == 1 else "stand for missing values"
    return Looks(nature, f"{' and '.join(map(repr, marks[:3]))} {stand} in {counted(rows, 'row')}")


def looks_like(values: pl.Series) -> str | None:
    """The same as a short phrase for a person; None if nothing.

    >>> looks_like(pl.Series(["31.12.1980", "1.2.1990"]))
    'dates written day.month.year'
    >>> looks_like(pl.Series(["10,05", "7,5"]))
    'numbers with a decimal comma'
    >>> looks_like(pl.Series(["Private", "?", "State-gov", "?"]))
    "'?' stands for a missing value in 2 rows"
    >>> looks_like(pl.Series(["red", "green"])) is None
    True
    """
    return looks_of(values).phrase or None


def _sample(values: pl.Series) -> pl.Series:
    """The first distinct values of a column of text; none of any other column."""
    if not (values.dtype == pl.String or isinstance(values.dtype, pl.Categorical | pl.Enum)):
        return pl.Series([], dtype=pl.String)
    for rows in (100 * SAMPLED_VALUES, len(values)):  # the whole column only if its head has few distinct values
        distinct = values.head(rows).cast(pl.String).drop_nulls().unique(maintain_order=True)
        if len(distinct) >= SAMPLED_VALUES:
            break
    return distinct.head(SAMPLED_VALUES)


def _nature(values: pl.Series) -> Nature | None:
    """What distinct values that are neither empty nor missing seem to be."""
    trimmed = values.str.strip_chars()
    dtype = type_of(trimmed)
    if dtype is not None and (dtype.is_numeric() or dtype.is_temporal()):
        of: Literal["numbers", "dates"] = "numbers" if dtype.is_numeric() else "dates"
        blanks = bool((trimmed != values).any())
        return Nature(of, "blanks", f"{of} with blanks around them") if blanks else Nature(of, "plain", of)
    for nature in (_dates, _commas, _numbers):
        looks = nature(trimmed)
        if looks is not None:
            return looks
    return None


def _largest(numbers: pl.Series) -> int:
    return int(numbers.cast(pl.Int64).max())  # type: ignore[arg-type]  # there are values


def _dates_with_the_year_last(mark: str, one: int, two: int) -> Nature | None:
    """How they are written, by the largest first and the largest second number; None where these are no dates."""
    if min(one, two) > 12 or max(one, two) > 31:
        return None
    day_first, month_first = f"day{mark}month{mark}year", f"month{mark}day{mark}year"
    if two > 12:
        return Nature("dates", "other notation", f"dates written {month_first}", ("mdy",))
    if one > 12 or mark == ".":
        return Nature("dates", "other notation", f"dates written {day_first}", ("dmy",))
    return Nature("dates", "other notation", f"dates written {day_first} or {month_first}", ("dmy", "mdy"))


def _dates(values: pl.Series) -> Nature | None:
    """Dates in another notation than ISO; which number is the day is told by one above 12."""
    for mark, form in YEAR_FIRST.items():
        if values.str.contains(form).all():
            return Nature("dates", "other notation", f"dates written year{mark}month{mark}day", ("ymd",))
    for mark, form in YEAR_LAST.items():
        if not values.str.contains(form).all():
            continue
        return _dates_with_the_year_last(mark, *(_largest(values.str.extract(form, group)) for group in (1, 2)))
    return None


def _commas(values: pl.Series) -> Nature | None:
    """Numbers with commas: before three digits each they separate thousands, elsewhere decimals."""
    with_comma = values.filter(values.str.contains(",", literal=True))
    plain_numbers = values.filter(~values.str.contains(",", literal=True))
    if with_comma.is_empty():
        return None
    if with_comma.str.contains(THOUSANDS).all() and plain_numbers.str.contains(REAL).all():
        return Nature("numbers", "thousands", "numbers with a comma between thousands")
    if with_comma.str.contains(DECIMAL_COMMA).all() and plain_numbers.str.contains(r"^-?[0-9]+$").all():
        return Nature("numbers", "decimal comma", "numbers with a decimal comma")
    return None


def _numbers(values: pl.Series) -> Nature | None:
    """Numbers with few exceptions; a number with a leading zero is no exception but a sign that all are codes."""
    fits = values.str.contains(REAL)
    others = values.filter(~fits)
    if others.str.contains(CODE).any() or len(others) > max(1, (1 - NEARLY_ALL) * len(values)) or fits.sum() < 4:
        return None
    return Nature("numbers", "exceptions", f"numbers, except for {listed(others)}")
