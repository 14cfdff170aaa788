"""How exactly a column is read: rounded to multiples, to where its class begins, or to a part of the date."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Any

from pellucid.core.schema.cap import Bound, plain_bound
from pellucid.core.schema.explaining import broken, in_brief
from pellucid.runtime.records import record

DATE_PARTS = ("month", "quarter", "year")
WAYS = 'round = 5, round = [0, 18, 30, 65], round = {quantiles = 5} or, of dates, round = "month"'
MOST_QUANTILES = 1000


@record()
class Quantiles:
    """Classes of about equally many rows: so many are asked for, and where they begin once the table was read.

    Where they begin depends on who is in the table, as the ends of a cap in percent do; the recipe tells it.
    """

    parts: int
    begin: tuple[Bound, ...] | None = None

    def public(self) -> dict[str, Any]:
        """As TOML and JSON have it: what is asked for, or what came of it."""
        if self.begin is None:
            return {"quantiles": self.parts}
        return {"begin": public_rounding(self.begin), "measured": self.parts}


Rounding = int | float | str | tuple[Bound, ...] | Quantiles


def checked_rounding(given: object) -> Rounding | None:
    """What a schema or a recipe says after ``round =``, if it says one of the ways.

    >>> checked_rounding(5), checked_rounding([0, 18, 65]), checked_rounding("year")
    (5, (0, 18, 65), 'year')
    """
    given = plain_bound(given)
    if isinstance(given, Quantiles):
        return given
    if isinstance(given, Mapping):
        return _quantiles(given)
    if given is None or (isinstance(given, str) and given in DATE_PARTS):
        return given
    if _is_number(given) and given > 0:  # type: ignore[operator]
        return given  # type: ignore[return-value]
    if isinstance(given, list | tuple) and len(given) > 1:
        return _breaks([plain_bound(begin) for begin in given])
    raise broken("{in_brief} is no way to round; write {ways}", "round", in_brief=in_brief(given), ways=WAYS)


def _quantiles(given: Mapping[str, Any]) -> Quantiles:
    """``{quantiles = 5}``, or what a recipe tells of it: ``{begin = [17, 31, 48], measured = 5}``.

    >>> _quantiles({"quantiles": 5}), _quantiles({"begin": [17, 31], "measured": 5})
    (Quantiles(parts=5, begin=None), Quantiles(parts=5, begin=(17, 31)))
    """
    parts = given.get("quantiles", given.get("measured"))
    whole = isinstance(parts, int) and not isinstance(parts, bool) and 2 <= parts <= MOST_QUANTILES
    if not whole or set(given) not in ({"quantiles"}, {"begin", "measured"}):
        raise broken(f"{in_brief(dict(given))} names no classes; write round = {{quantiles = 5}}", "round")
    begin = given.get("begin")
    if begin is None:
        return Quantiles(parts)
    if not isinstance(begin, list | tuple) or len(begin) < 2:
        raise broken(f"{in_brief(begin)} does not say where classes begin; write two or more", "round")
    return Quantiles(parts, _breaks([plain_bound(value) for value in begin]))


def _breaks(given: list[Any]) -> tuple[Bound, ...]:
    """Where classes begin, upward: all numbers, or all days, which a recipe has as text."""
    try:
        days = [date.fromisoformat(begin) if isinstance(begin, str) else begin for begin in given]
    except ValueError:
        days = given
    alike = all(map(_is_number, days)) or all(type(begin) is date for begin in days)
    if not alike or any(a >= b for a, b in pairwise(days)):
        not_ascending = f"{in_brief(given)} does not go up from one number, or one day, to the next"
        raise broken("{not_ascending}; write {ways}", "round", not_ascending=not_ascending, ways=WAYS)
    return tuple(days)


def _is_number(one: object) -> bool:
    return isinstance(one, int | float) and not isinstance(one, bool) and isfinite(one)


def begins_a_class(end: Bound, rounding: Rounding) -> bool:
    """Whether a value is one of those that rounding gives.

    >>> begins_a_class(150, 5), begins_a_class(0.3, 0.1), begins_a_class(2, (0, 18, 65))
    (True, True, False)
    >>> begins_a_class(date(2024, 4, 1), "quarter"), begins_a_class(date(2024, 4, 1), "year")
    (True, False)
    """
    if isinstance(rounding, Quantiles):  # where its classes begin is not known before the table is
        return rounding.begin is not None and end in rounding.begin
    if isinstance(rounding, tuple):
        return end in rounding
    if isinstance(end, date):
        months = {"month": 1, "quarter": 3, "year": 12}.get(str(rounding), 1)
        return end.day == 1 and (end.month - 1) % months == 0
    return isinstance(rounding, str) or Fraction(str(end)) % Fraction(str(rounding)) == 0


def of_dates(rounding: Rounding) -> bool:
    """Whether it is a way to round dates; of quantiles that nobody counted yet, which may be of either, it is not.

    >>> of_dates("year"), of_dates(5)
    (True, False)
    """
    if isinstance(rounding, Quantiles):
        return rounding.begin is not None and of_dates(rounding.begin)
    return isinstance(rounding, str) or (isinstance(rounding, tuple) and isinstance(rounding[0], date))


def public_rounding(rounding: Rounding | None) -> Any:
    """As JSON has it, for a recipe."""
    if isinstance(rounding, Quantiles):
        return rounding.public()
    if isinstance(rounding, tuple):
        return [begin.isoformat() if isinstance(begin, date) else begin for begin in rounding]
    return rounding


def in_words(rounding: Rounding) -> str:
    """What it does, in a few words.

    >>> in_words(5), in_words("year"), in_words((0, 18, 65))
    ('rounded to multiples of 5', 'by year', 'in classes that begin at 0, 18, 65')
    """
    if isinstance(rounding, Quantiles):
        return f"in {rounding.parts} classes by quantiles" if rounding.begin is None else in_words(rounding.begin)
    if isinstance(rounding, tuple):
        return f"in classes that begin at {', '.join(map(str, rounding))}"
    return f"by {rounding}" if isinstance(rounding, str) else f"rounded to multiples of {rounding}"
