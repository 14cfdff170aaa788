"""Where a column ends: top- and bottom-coding."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any, Self

from pydantic import field_validator

from pellucid.core.schema.explaining import Explained, a_list, broken, in_brief
from pellucid.core.taxonomy.toml_text import toml_value

Bound = int | float | datetime | date


_CAPS = "cap = {percent = [1, 99]} or cap = {low = 40, high = 150}"


class Cap(Explained):
    """Where a column ends: what lies beyond an end is published as "that or less" or "that or more".

    Either in values, ``{low = 40, high = 150}`` (one of them may be left out), or in percent of the rows,
    ``{percent = [1, 99]}``: the ends are then the values that 1 % and 99 % of the rows lie below, where 0 and 100 leave
    an end open. See :mod:`pellucid.io.caps`. ``measured`` is written by us beside ends in values that came from shares
    of the rows: of other people, they would be others.

    >>> Cap(high=150).high, Cap(percent=[1, 99]).percent
    (150, (1, 99))
    >>> Cap(percent=[99, 1])
    Traceback (most recent call last):
    pellucid.errors.SchemaError: percent: [99, 1] does not go up between 0 and 100; write it as percent = [1, 99]
    """

    low: Bound | None = None
    high: Bound | None = None
    percent: tuple[int | float, int | float] | None = None
    measured: tuple[int | float, int | float] | None = None

    @classmethod
    def _prepared(cls, data: Any) -> Any:
        if isinstance(data, cls):
            return data
        if not isinstance(data, Mapping):
            raise broken("{in_brief} may be percent or values; write {caps}", in_brief=in_brief(data), caps=_CAPS)
        return {key: _bound(value) if key in ("low", "high") else value for key, value in data.items()}

    @field_validator("percent", "measured", mode="before")
    @classmethod
    def _shares(cls, percent: object) -> object:
        if percent is None:
            return None
        ends = a_list(percent, "percent = [1, 99]")
        numbers = len(ends) == 2 and all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends)
        if not numbers or not 0 <= ends[0] < ends[1] <= 100:
            raise broken(
                "{in_brief} does not go up between 0 and 100; write it as percent = [1, 99]", in_brief=in_brief(percent)
            )
        return ends

    @classmethod
    def _agreeing(cls, made: Self) -> Self:
        by_value = made.low is not None or made.high is not None
        if by_value == (made.percent is not None) or (made.measured is not None and not by_value):
            raise broken("a cap is in percent or in values; write {caps}", caps=_CAPS)
        if made.low is not None and made.high is not None:
            if isinstance(made.low, date) != isinstance(made.high, date):
                raise broken("one end is a number and the other a date; write both alike")
            if not made.low < made.high:  # type: ignore[operator]  # both are numbers, or both are dates
                raise broken(f"low = {made.low} is not below high = {made.high}; write the lower end first")
        return made

    def public(self) -> dict[str, Any]:
        """The ends in values, and the shares of the rows that they came from if they did, for a recipe."""
        ends = {"low": self.low, "high": self.high}
        fields: dict[str, Any] = {
            k: str(end) if isinstance(end, date) else end for k, end in ends.items() if end is not None
        }
        return fields if self.measured is None else fields | {"measured": list(self.measured)}

    @property
    def by_share(self) -> bool:
        """Whether the ends depend on who is in the table."""
        return self.percent is not None or self.measured is not None

    def to_toml(self) -> str:
        """The value after ``cap =``."""
        return toml_value({key: value for key, value in self.model_dump().items() if value is not None})


def plain_bound(bound: object) -> object:
    """Decimals as the numbers TOML has."""
    if not isinstance(bound, Decimal):
        return bound
    return int(bound) if bound.is_finite() and bound == int(bound) else float(bound)


def _bound(end: object) -> object:
    """An end of a cap as TOML or a recipe has it: a number, or a date, which JSON has in quotes."""
    if isinstance(end, str):
        try:
            return datetime.fromisoformat(end) if len(end) > len("2024-12-31") else date.fromisoformat(end)
        except ValueError:
            raise broken(f"{in_brief(end)} is no end of a cap; write a number or a date, unquoted") from None
    end = plain_bound(end)
    if (
        isinstance(end, bool)
        or not isinstance(end, int | float | date)
        or (isinstance(end, float) and not isfinite(end))
    ):
        raise broken("{in_brief} is no end of a cap; write a number or a date, unquoted", in_brief=in_brief(end))
    return end
