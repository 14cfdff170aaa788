"""Columns of every kind that a schema can say: caps, orders, dates, marks of missing values, rules, numbers, trees."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any

from pellucid.core.schema import Column, Kind, Role
from pellucid.errors import SchemaError

LEVELS = ("low", "mid", "high")
CODES = ("1301", "1302", "1401", "2401")
TOWNS = {"*": {"north": ["oslo", "riga"], "south": ["rome", "nice"]}}
Drawing = tuple[list[Any], dict[str, Any]]


def _numbers(random: Random, people: int, top: int) -> list[int]:
    return [random.randint(0, top) for _ in range(people)]


def _capped(random: Random, people: int) -> Drawing:
    ends = random.choice([{"high": 3}, {"low": 2}, {"low": 1, "high": 4}, {"high": 2}])
    return _numbers(random, people, random.choice([5, 9])), {"kind": "number", "cap": ends}


def _capped_by_share(random: Random, people: int) -> Drawing:
    share = random.choice([(0, 50), (0, 60), (50, 100), (30, 70), (0, 40)])
    return _numbers(random, people, random.choice([5, 9, 30])), {"kind": "number", "cap": {"percent": share}}


def _ordered(random: Random, people: int) -> Drawing:
    return [random.choice(LEVELS) for _ in range(people)], {"kind": "ordered", "order": LEVELS}


def _days(random: Random, people: int) -> Drawing:
    first = date(2024, 1, 30)
    step = random.choice([1, 1, 20, 200])
    values = [first + timedelta(days=step * random.randint(0, 3)) for _ in range(people)]
    said: dict[str, Any] = {"kind": "date"}
    if random.random() < 0.3:
        said["taxonomy"] = {"dates": ["month", "year"]}
    elif random.random() < 0.3:
        said["domain"] = (date(2024, 1, 1), date(2026, 12, 31))
    elif random.random() < 0.3:
        said["cap"] = {"high": first + timedelta(days=2 * step)}
    return values, said


def _marked(random: Random, people: int) -> Drawing:
    """Numbers among which one stands for a missing value."""
    values = [-9 if random.random() < 0.3 else value for value in _numbers(random, people, 3)]
    return values, {"kind": "number", "missing": ["-9"]}


def _marked_text(random: Random, people: int) -> Drawing:
    return [random.choice(["u", "v", "?"]) for _ in range(people)], {"kind": "category", "missing": ["?"]}


def _steps(random: Random, people: int) -> Drawing:
    return _numbers(random, people, 12), {"taxonomy": {"ladder": random.choice([[5], [5, 10], [2, 4, 8]])}}


def _beginnings(random: Random, people: int) -> Drawing:
    return [random.choice(CODES) for _ in range(people)], {"taxonomy": {"prefix": random.choice([[2], [3, 1]])}}


def _reals(random: Random, people: int) -> Drawing:
    return [random.choice([0.5, 1.25, 2.0, 7.75]) for _ in range(people)], {"kind": "number"}


def _tree_with_nulls(random: Random, people: int) -> Drawing:
    towns = ["oslo", "riga", "rome", "nice", None]
    return [random.choice(towns) for _ in range(people)], {"taxonomy": {"tree": TOWNS}}


def _capped_with_nulls(random: Random, people: int) -> Drawing:
    values = [None if random.random() < 0.25 else value for value in _numbers(random, people, 6)]
    return values, {"kind": "number", "cap": {"high": 3}}


KINDS: dict[str, Callable[[Random, int], Drawing]] = {
    "cap": _capped,
    "cap by share": _capped_by_share,
    "order": _ordered,
    "dates": _days,
    "missing": _marked,
    "missing text": _marked_text,
    "ladder": _steps,
    "prefix": _beginnings,
    "reals": _reals,
    "tree with nulls": _tree_with_nulls,
    "cap with nulls": _capped_with_nulls,
}


def draw_more(random: Random, people: int, role: str = "quasi") -> tuple[str, list[Any], Column]:
    """The name of a kind, values of it, and how they are read."""
    kind = random.choice([*KINDS])
    values, said = KINDS[kind](random, people)
    return kind, values, Column(role=role, **said)


def rounded(random: Random, column: Column) -> Column:
    """The same column, a number or a date that others know read less exactly; others as they are."""
    if column.role not in (Role.QUASI, Role.CARRY) or column.taxonomy is not None or column.domain is not None:
        return column
    if column.kind is Kind.NUMBER:
        how: object = random.choice([2, 2, 3, [0, 2], [-10, 1, 4], [-10, 3]])
    elif column.kind is Kind.DATE:
        how = random.choice(["month", "month", "quarter", "year"])
    else:
        return column
    said = column.model_dump(exclude_none=True) | {"round": how}
    try:
        return Column.model_validate(said)
    except SchemaError:  # a cap inside a class
        return column
