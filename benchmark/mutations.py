"""Changes to inputs that a reader of files has to survive: of bytes, of texts, of nested values, of frames."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any

import polars as pl

WORDS = (
    *(
        "",
        " ",
        "*",
        "?",
        "NA",
        "null",
        "nan",
        "inf",
        "-inf",
        "0",
        "-0",
        "1",
        "-1",
        "1.5",
        "1e308",
        "1e309",
        "-1e-400",
        "9" * 40,
    ),
    *(
        "0x10",
        "1_000",
        "1,5",
        "٣",
        "true",
        "[1, 2]",
        "[2, 1]",
        "[1, 2[",
        "{a, b}",
        "{",
        "]",
        ">=30",
        "130**",
        "1 or null",
    ),
    *(
        "2024-02-30",
        "0000-00-00",
        "9999-12-31",
        "2024-03-09",
        "12:00",
        "\x00",
        "\ufeff",
        "\u202e",
        "\ud7ff",
        "e\u0301",
        "💥",
    ),
    *(
        "a" * 300,
        '"',
        '""',
        "'",
        ";",
        "\t",
        "\n",
        "\r\n",
        "\\",
        "=cmd()",
        "__class__",
        "../x",
        "/dev/null",
        "age",
        "disease",
    ),
    *("quasi", "sensitive", "carry", "drop", "number", "ordered", "date", "category", "dmy", "ymd", "reject", "month"),
    *("columns", "role", "kind", "domain", "order", "taxonomy", "nulls", "missing", "protect", "date_order", "cap"),
    *("low", "high", "percent", "file", "separator", "header", "draft", "accept_known", "accepted_known", "format"),
    *("ladder", "dates", "prefix", "tree", "nodes", "mondrian", "soft-cut", "anatomy", "identifier", "coins", "text"),
)
VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        10**30,
        -(10**30),
        2**31,
        2**63,
        0.0,
        -0.0,
        0.5,
        1.5,
        1e308,
        float("inf"),
        float("nan"),
    ),
    *("", "x", "age", "1/2", "*", [], [[]], {}, [1], ["x"], {"x": 1}, {"": {}}, [None], [[1, 2], [3]], {"name": "age"}),
    *([0, 120], [120, 0], [1, 99], ["a", "a"], {"percent": [1, 99]}, {"low": 40}, {"ladder": [5, 10]}, {"prefix": [2]}),
    *(
        date(1980, 1, 5),
        datetime(2020, 1, 1, 12, tzinfo=UTC),
        datetime(2020, 1, 1),
        [date(1, 1, 1), date(9999, 12, 31)],
    ),
    *({"low": date(1980, 1, 5), "high": 3}, {"tree": {"*": {"x": ["Rome"]}}}, {"nodes": []}, ["x"] * 20),
)


def changed_bytes(content: bytes, random: Random, other: bytes = b"") -> bytes:
    """A few bytes flipped, cut, doubled, put in, or taken from another file."""
    data = bytearray(content)
    for _ in range(random.choice((1, 1, 1, 2, 4, 16))):
        at = random.randrange(len(data) + 1)
        length = random.choice((1, 1, 2, 4, 16, 64))
        match random.randrange(6):
            case 0 if data:
                data[at % len(data)] = random.randrange(256)
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[at : at + length] * random.choice((1, 2, 50))
            case 3:
                data[at:at] = random.choice(WORDS).encode("utf-8", "surrogatepass")
            case 4:
                start = random.randrange(len(other) + 1)
                data[at : at + length] = other[start : start + length]
            case _:
                data = data[:at] if random.random() < 0.3 else data
    return bytes(data)


def changed_table(text: str, random: Random) -> str:
    """A text table with cells, lines, columns, separators or the header changed."""
    lines = text.split("\n")
    separator = max(",;\t|", key=lines[0].count)
    rows = [line.split(separator) for line in lines if line]
    for _ in range(random.choice((1, 1, 2, 5))):
        row = random.choice(rows) if rows else [""]
        match random.randrange(8):
            case 0 | 1 | 2 if row:
                row[random.randrange(len(row))] = random.choice(WORDS)
            case 3:
                row.append(random.choice(WORDS))
            case 4 if row:
                row.pop(random.randrange(len(row)))
            case 5 if rows:
                rows.insert(random.randrange(len(rows) + 1), list(row))
            case 6 if rows:
                rows.pop(random.randrange(len(rows)))
            case _:
                column = random.randrange(4)
                word = random.choice(WORDS)
                rows = [[*one[:column], word, *one[column + 1 :]] for one in rows]
    separator = random.choice(",;\t|^ ") if random.random() < 0.1 else separator
    return random.choice(("\n", "\n", "\n", "\r\n", "\r")).join(separator.join(row) for row in rows) + "\n"


def changed_value(value: Any, random: Random) -> Any:
    """A nested value with one place of it replaced, dropped, doubled, wrapped or renamed."""
    if isinstance(value, dict) and value and random.random() < 0.85:
        made = dict(value)
        key = random.choice(list(made))
        match random.randrange(6):
            case 0:
                del made[key]
            case 1:
                made[random.choice(WORDS)] = made.pop(key)
            case 2:
                made[random.choice(WORDS)] = random.choice(VALUES)
            case _:
                made[key] = changed_value(made[key], random)
        return made
    if isinstance(value, list) and value and random.random() < 0.8:
        made_list = list(value)
        at = random.randrange(len(made_list))
        match random.randrange(4):
            case 0:
                del made_list[at]
            case 1:
                made_list.insert(at, made_list[at])
            case _:
                made_list[at] = changed_value(made_list[at], random)
        return made_list
    if random.random() < 0.1:
        return [value] if random.random() < 0.5 else {"x": value}
    if isinstance(value, str) and random.random() < 0.5:
        return random.choice(WORDS)
    return random.choice(VALUES)


def as_json(value: Any) -> bytes:
    """JSON as Python writes it: NaN and Infinity are in it."""
    return json.dumps(value, default=str).encode()


def as_toml(value: dict[str, Any]) -> str:
    """A nested value as one TOML document of inline values; what TOML cannot say is left out."""
    return "".join(f"{_key(name)} = {_inline(one)}\n" for name, one in value.items() if one is not None)


def _key(name: object) -> str:
    return json.dumps(str(name), ensure_ascii=False).replace("\x7f", "")


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in value.items() if v is not None) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_inline(one) for one in value if one is not None) + "]"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, date):
        return value.isoformat()
    return json.dumps(str(value), ensure_ascii=False)


def odd_column(random: Random, rows: int) -> pl.Series:
    """A column of any type that a binary file may have."""
    numbers = [random.choice((0, 1, -1, 7, 100, 2**31, None)) for _ in range(rows)]
    makers: tuple[Callable[[], pl.Series], ...] = (
        lambda: pl.Series(numbers, dtype=pl.Int64),
        lambda: pl.Series([None if n is None else n / 3 for n in numbers], dtype=pl.Float64),
        lambda: pl.Series(
            [random.choice((float("nan"), float("inf"), 1.0, None)) for _ in range(rows)], dtype=pl.Float32
        ),
        lambda: pl.Series([random.choice(WORDS) for _ in range(rows)]),
        lambda: pl.Series([random.choice(("a", "b", None)) for _ in range(rows)], dtype=pl.Categorical),
        lambda: pl.Series([random.choice(("a", "b")) for _ in range(rows)], dtype=pl.Enum(["b", "a", "unused"])),
        lambda: pl.Series([date(1, 1, 1) + timedelta(days=random.randrange(3_000_000)) for _ in range(rows)]),
        lambda: pl.Series(numbers, dtype=pl.Int64).cast(pl.Datetime("us")),
        lambda: pl.Series(numbers, dtype=pl.Int64).cast(pl.Duration("ns")),
        lambda: pl.Series([n is None or n > 0 for n in numbers]),
        lambda: pl.Series([[1, 2]] * rows),
        lambda: pl.Series([{"a": 1}] * rows),
        lambda: pl.Series([b"\x00\xff"] * rows),
        lambda: pl.Series([None] * rows),
        lambda: pl.Series(numbers, dtype=pl.Int64).cast(pl.Decimal(20, 2)),
        lambda: pl.Series([random.randrange(256) for _ in range(rows)], dtype=pl.UInt8),
    )
    return random.choice(makers)()


def odd_frame(frame: pl.DataFrame, random: Random) -> pl.DataFrame:
    """A frame with some columns of other types, other names, more or fewer rows."""
    for _ in range(random.choice((1, 1, 2, 3))):
        name = random.choice(frame.columns) if random.random() < 0.9 else random.choice(WORDS)
        frame = frame.with_columns(odd_column(random, frame.height).alias(name))
    if random.random() < 0.1:
        frame = frame.head(random.randrange(3))
    if random.random() < 0.1 and frame.width > 1:
        frame = frame.drop(random.choice(frame.columns))
    return frame
