"""How exactly a column is read, as two fields of its form: a way to round, and what that way needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.core.schema import Column, Role
from pellucid.core.schema.rounding import DATE_PARTS, Quantiles, Rounding
from pellucid.errors import SchemaError
from pellucid.text.values import label_of
from pellucid.web.typed_values import date_in, number_in, parts_in

EXACTLY, MULTIPLES, CLASSES, QUANTILES = "", "multiples", "classes", "quantiles"
WAY, NEEDS = "rounding", "rounded"  # the fields
CALLED = "How exactly it is read"
WAYS = {
    EXACTLY: "as it is written",
    MULTIPLES: "as the nearest multiple of a number, such as 5",
    CLASSES: "in classes that begin at numbers or dates, such as 0, 18, 65",
    QUANTILES: "in so many classes with about as many people each (quantiles), such as 5",
    "month": "by month",
    "quarter": "by quarter",
    "year": "by year",
}
ROUNDED_ROLES = (Role.QUASI, Role.CARRY, Role.SENSITIVE)


def ways_of(role: str, kind: str) -> dict[str, str]:
    """The ways that make sense for a column: where classes by quantiles begin is public, and dates have parts.

    >>> [*ways_of("sensitive", "number")], [*ways_of("quasi", "date")]
    (['', 'multiples', 'classes'], ['', 'classes', 'quantiles', 'month', 'quarter', 'year'])
    """
    others = {QUANTILES} if role == Role.SENSITIVE else set()
    others |= {MULTIPLES} if kind == "date" else set(DATE_PARTS)
    return {way: about for way, about in WAYS.items() if way not in others}


def as_fields(rounding: Rounding | None) -> tuple[str, str]:
    """What the two fields show of what is stored.

    >>> as_fields(5), as_fields((0, 18)), as_fields(Quantiles(4)), as_fields("year"), as_fields(None)
    (('multiples', '5'), ('classes', '0, 18'), ('quantiles', '4'), ('year', ''), ('', ''))
    """
    if rounding is None:
        return EXACTLY, ""
    if isinstance(rounding, Quantiles):
        return QUANTILES, str(rounding.parts)
    if isinstance(rounding, tuple):
        return CLASSES, ", ".join(map(label_of, rounding))
    return (rounding, "") if isinstance(rounding, str) else (MULTIPLES, label_of(rounding))


def rounding_in(form: Mapping[str, str], stored: Rounding | None) -> Any:
    """What the two fields say, as a schema has it; raise where they do not fit together.

    >>> rounding_in({"rounding": "quantiles", "rounded": "5"}, None)
    {'quantiles': 5}
    """
    way, typed = form[WAY], form.get(NEEDS, "").strip()
    called = WAYS.get(way, "")
    if (way, typed) == as_fields(stored):
        return stored
    if way in (EXACTLY, *DATE_PARTS):
        if typed and typed != as_fields(stored)[1]:
            raise SchemaError(f"“{typed}” is written, and “{called}” needs nothing; choose a way, or empty the box")
        return way or None
    if way not in WAYS:
        raise SchemaError("choose one of the ways")
    if not typed:
        raise SchemaError(f"“{called}” is chosen, and the box beside it is empty; fill it in, or choose another way")
    if way == MULTIPLES:
        return number_in(typed)
    if way == QUANTILES:
        return {"quantiles": number_in(typed)}
    parts = parts_in(typed)
    return [date_in(part) if "-" in part.lstrip("-") else number_in(part) for part in parts]


def take_rounding(said: dict[str, Any], form: Mapping[str, str], column: Column) -> None:
    """Add what the form says of rounding to what is said of a column; of roles that have none, that there is none."""
    role = said.get("role", column.role)
    if role not in ROUNDED_ROLES:
        if column.round is not None:
            said["round"] = None
        return
    if WAY not in form:
        return
    rounding = rounding_in(form, column.round)
    if rounding != column.round:
        made = Column(role=role, round=rounding)  # what is wrong with it is told beside its field
        said["round"] = made.round
