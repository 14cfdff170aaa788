"""Inputs about tables as they come: conditions, rows that name columns, values that become others."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import polars as pl
from workplace import Workplace

import pellucid as pc
from pellucid.core.schema.condition import EXAMPLE, Condition
from pellucid.io.sheet_layout import find_header, names_of, without_sums

WORDS = (
    *("age", "zip", "town", "`age`", "`home town`", "pay", "and", "or", "not", "in", "is", "null", "AND"),
    *("(", ")", "[", "]", ",", "=", "==", "!=", "<", "<=", ">", ">=", "15", "-3", "1.5", "1e9", "0x1", "'f'", '"m"'),
    *('"2024-12-31"', '"', "'", "`", "\\", "\x00", "é", "𝟙", "__import__('os')", "lambda", ";", "%", "9" * 40, " "),
)
CELLS = (
    *("", "", "age", "town", "Total", "Summe", "Survey 2024", "2019", "30", "1.5", "3,5", "n/a", ".", "31.12.2024"),
    *("=1+1", "@x", "Mean", "ok", "x" * 300, "\n", "é", "𝟙", "Note: not all answered", "income", "Average of all"),
)
VALUES = ("a", "b", "B", "b ", "", "1", "2", "null", "true", "é", "x" * 50, " ")
ROLES = ("quasi", "sensitive", "carry", "drop", "identifier", "weight")
TABLE = pl.DataFrame(
    {
        "age": [*range(10, 34)],
        "town": ["a", "b", "B", "b "] * 6,
        "code": [1, 2, 3, None] * 6,
        "ill": ["flu", "cold", None, "gout", "flu", "ache"] * 4,
    }
)
Made = tuple[str, Any]


def expression_of(random: Random, place: Workplace) -> Made:  # noqa: ARG001
    """Words of conditions in any order, or a true one with some letters changed."""
    if random.random() < 0.5:
        text = " ".join(random.choice(WORDS) for _ in range(random.randint(0, 14)))
    else:
        text = EXAMPLE.replace("sex", "town")
        for _ in range(random.randint(0, 4)):
            at = random.randint(0, len(text))
            text = text[:at] + random.choice(WORDS) + text[at + random.randint(0, 3) :]
    if random.random() < 0.02:
        text = random.choice(("(", "not ", "age = 1 and ")) * random.choice((30, 50, 5000)) + text
    return random.choice(("read", "where", "applies", "same")), text


def expression(made: Made, place: Workplace) -> str:  # noqa: ARG001
    """Read it, and where it reads leave rows out, or divide a table by it."""
    what, text = made
    roles: dict[str, Any] = {"quasi": ["age", "town", "code"], "sensitive": "ill"}
    if what == "read":
        assert Condition.of(text).columns is not None
    elif what == "where":
        pc.read(TABLE, where=text or "age > 0", **roles)
    elif what == "applies":
        pc.read(TABLE, applies=f"ill={text}", **roles)
    else:
        pc.Strata(l=2, size=3, same=[text]).strata(pc.read(TABLE, threads=1, **roles))
    return "read"


def header_of(random: Random, place: Workplace) -> Made:  # noqa: ARG001
    """A sheet of cells, with any of its rows said to name the columns."""
    width, height = random.randint(1, 7), random.randint(1, 15)
    rows = [[random.choice(CELLS) for _ in range(width)] for _ in range(height)]
    for at in range(random.randint(0, height), height):
        rows[at] = [str(random.randint(0, 99)) for _ in range(width)]
    return "rows", (rows, random.choice((None, None, random.randint(1, 20))))


def header(made: Made, place: Workplace) -> str:  # noqa: ARG001
    """Find the names, and leave sums out."""
    rows, said = made[1]
    table = find_header(rows, said)
    assert 0 <= table.first <= table.last < len(rows)
    names = names_of(rows, table)
    assert len(names) == len(rows[table.last])
    kept, left_out = without_sums(rows, lambda end: pl.DataFrame(rows[:end], orient="row"))
    assert 0 <= kept <= len(rows)
    assert kept + len(left_out) <= len(rows)
    return "read"


def merge_of(random: Random, place: Workplace) -> Made:  # noqa: ARG001
    """What a schema says of the values of a column, some of it nonsense."""

    def some() -> Any:
        odd = [None, 3, [], {}, ["b", "b"], [["a"]], {"a": {"b": "c"}}, [None], [1.5, True], "b"]
        return random.choice(odd) if random.random() < 0.2 else random.sample(VALUES, random.randint(0, 4))

    said: dict[str, Any] = {"role": random.choice(ROLES)}
    if random.random() < 0.8:
        said["merge"] = {random.choice(VALUES): some() for _ in range(random.randint(0, 3))}
    if random.random() < 0.5:
        said["labels"] = {random.choice(VALUES): random.choice([*VALUES, 1, None, []]) for _ in range(3)}
    if random.random() < 0.2:
        said["kind"] = random.choice(("number", "category", "ordered", "date"))
    if random.random() < 0.2:
        said["ruled_out"] = {random.choice(VALUES): " ".join(random.choice(WORDS) for _ in range(3))}
    return random.choice(("town", "code", "ill")), said


def merge(made: Made, place: Workplace) -> str:  # noqa: ARG001
    """Read a table in which it is said, write the schema, and publish some of them."""
    name, said = made
    roles: dict[str, Any] = {"age": {"role": "quasi"}, "town": {"role": "quasi"}, "ill": {"role": "sensitive"}}
    schema = pc.Schema(columns={**roles, name: said})
    schema.to_toml()
    table = pc.read(TABLE, schema=schema, threads=1)
    if len(str(said)) % 16 == 0:
        pc.publish(TABLE, pc.Strata(l=2, size=4), schema=schema, threads=1)
    return "read" if len(table) else "refused"


KINDS: dict[str, tuple[Callable[[Random, Workplace], Made], Callable[[Made, Workplace], str], int]] = {
    "expression": (expression_of, expression, 60),
    "header": (header_of, header, 60),
    "merge": (merge_of, merge, 60),
}
