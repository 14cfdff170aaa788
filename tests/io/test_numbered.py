"""Columns that are read by their distinct texts are the columns that polars reads, whatever a file holds."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.core.table import Table
from pellucid.io import delimited, numbered
from pellucid.io.numbered import numbered_texts
from pellucid.io.text_form import written_as

ENDS = ["\n", "\r\n"]
COLUMNS: list[list[str]] = [
    ["1", "2", "30", "-4", "0"],
    ["1", "2.5", "1e-05", ".5", "nan", "-0", "0", "-0.0", "123456789.123456789"],
    ["01", "1", "7"],
    ["+5", "5"],
    [" 5", "5", "5 "],
    ["true", "False", "TRUE"],
    ["2024-01-31", "1999-12-01"],
    ["2024-01-31", "2024-02-31"],
    ["2024-01-31 10:00:00", "2024-01-31T10:00:00.5"],
    ["2024-01-31T10:00:00Z", "2024-01-31T10:00:00+02:00"],
    ["a", "b", "ä", "日本語のテキスト", "x y"],
    ["eight by", "eight bytes", "eight bytes and more", "eight bytes and mord", "seven b"],
    ["?", "1", "2"],
    ["?", "a", "NA"],
    ["1", "99999999999999999999"],
    ["1", "2", "abc"],
    ["1", "2", "2.5"],
    ["\x00", "\x00\x00", "a\x00"],
    [",", "a"],
    ["a\rb", "c"],
    ['say "x"', "y"],
    ["1,5", "2,25", "1.234,5"],
    ["inf", "1"],
    ["x", "x\x01y", "\x1f\x8b", "(\xb5/\xfd"],
    [""],
]


def a_file(rng: random.Random) -> tuple[str, int, str]:
    """A delimited text, how many columns it has, and the delimiter."""
    delimiter, columns, rows = rng.choice(",;\t|\x01"), rng.randint(2, 6), rng.choice([1, 2, 5, 40, 200])
    texts = [rng.choice(COLUMNS) + ([""] if rng.random() < 0.3 else []) for _ in range(columns)]
    end = rng.choice(ENDS)
    # what is rare comes late, as in a file whose head is of another type than its whole
    late = [rng.random() < 0.2 for _ in range(columns)]
    lines = [delimiter.join(f"c{i}" for i in range(columns))]
    for row in range(rows):
        fields = [of[0] if late[i] and row < rows - 1 else rng.choice(of) for i, of in enumerate(texts)]
        quoted = [f'"{field}"' if delimiter in field and rng.random() < 0.9 else field for field in fields]
        lines.append(delimiter.join(quoted))
    if rng.random() < 0.1:  # a header that was put before a file
        lines[1] = "\ufeff" + lines[1]
    return end.join(lines) + rng.choice(["", end, end, 2 * end, "\r", "\r" + end]), columns, delimiter


def outcome(path: Path, schema: pc.Schema) -> Any:
    """The table as values that can be compared, or what is said against it."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            table = pc.read(path, schema=schema)
        except pc.PellucidError as error:
            return type(error), str(error)
    return [str(warning.message) for warning in warned], *as_values(table)


def as_values(table: Table) -> list[Any]:
    return [
        (
            a.name,
            a.kind,
            a.values.dtype,
            [repr(v) for v in a.values.to_list()],
            a.has_null,
            a.positions.tolist(),
            a.width,
        )
        for a in table.attributes
    ] + [codes.tolist() for codes in table.codes]


def by_polars(path: Path, schema: pc.Schema, patch: pytest.MonkeyPatch) -> Any:
    """The definition: no column is numbered."""
    with patch.context() as inner:
        inner.setattr(delimited, "numbered_texts", lambda *_: {})
        return outcome(path, schema)


def a_schema(rng: random.Random, columns: int) -> pc.Schema:
    roles = ["quasi", "carry", "sensitive", "drop", "identifier"]
    chosen: dict[str, pc.Column] = {}
    for place, i in enumerate(rng.sample(range(columns), columns)):
        role = ["quasi", "sensitive"][place] if place < 2 else rng.choice(roles)
        if role == "identifier":
            roles.remove(role)
        marks = {"missing": ["?", "NA", "1"]} if rng.random() < 0.2 else {}
        chosen[f"c{i}"] = pc.Column.model_validate({"role": role, **(marks if role != "drop" else {})})
    return pc.Schema(columns=chosen)


def test_a_table_is_the_same_whether_its_columns_are_numbered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, tables = tmp_path / "people.csv", 0
    for seed in range(700):
        rng = random.Random(seed)
        monkeypatch.setattr(delimited, "SAMPLED_ROWS", rng.choice([3, 10_000]))
        monkeypatch.setattr(numbered, "MOST", rng.choice([1, 3, 1 << 14]))
        text, columns, delimiter = a_file(rng)
        encoding = rng.choice(["utf-8", "utf-8", "utf-8", "utf-8-sig", "cp1252", "utf-16"])
        path.write_bytes(text.encode(encoding, errors="replace"))
        schema = a_schema(rng, columns)
        form = {"separator": delimiter, "header": True, "decimal": rng.choice([None, None, None, ","])}
        schema = schema.model_copy(update={"file": pc.core.schema.TextForm.model_validate(form)})
        found = outcome(path, schema)
        assert found == by_polars(path, schema, monkeypatch), seed
        tables += isinstance(found[0], list)
    assert tables > 200


def test_fields_are_numbered_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(300):
        rng = random.Random(seed)
        columns, rows, most = rng.randint(1, 4), rng.randint(1, 60), rng.choice([2, 5, 1 << 14])
        monkeypatch.setattr(numbered, "MOST", most)
        texts = ["", "a", "bb", "seven b", "eight by", "nine byte", "nine bytf", "a text of more than two words", "é"]
        fields = [[rng.choice(texts).encode() for _ in range(columns)] for _ in range(rows)]
        end = rng.choice(ENDS).encode()
        data = b"header\n" + end.join(b";".join(line) for line in fields)
        cut = rng.randint(0, rows - 1)
        middle = len(b"header\n") + sum(len(b";".join(line)) + len(end) for line in fields[:cut])
        parts = [(7, middle, cut), (middle, len(data), rows - cut)]
        if rng.random() < 0.5:
            data += end
        wanted = rng.sample(range(columns), rng.randint(1, columns))
        found = numbered_texts(np.frombuffer(data, np.uint8), [part for part in parts if part[2]], ";", columns, wanted)
        for at in wanted:
            column = [line[at] for line in fields]
            assert (at in found) == (len(set(column)) <= most), seed
            if at in found:
                numbers = [k for part in found[at].stretches for k in part.text_of[part.numbers].tolist()]
                assert [found[at].texts[k] for k in numbers] == column, seed
                assert set(found[at].of_first(3)) == set(column[:3]), seed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"a\x01b\nx\x017\nx\x018\n", {"a": ["x", "x"], "b": [7, 8]}),
        (b"a,b\n\xef\xbb\xbf1,2\n1,3\n", {"a": [1, 1], "b": [2, 3]}),
        (b"a,b\r\n1,2\r\n1,x\r\r\n", {"a": [1, 1], "b": ["2", "x\r"]}),
    ],
    ids=["begins as what zlib compressed", "a mark of UTF-8 behind the header", "two returns at the end"],
)
def test_what_polars_makes_of_the_ends_of_a_file_once_was_wrong(
    text: bytes, expected: dict[str, list[Any]], tmp_path: Path
) -> None:
    (tmp_path / "people.csv").write_bytes(text)
    delimiter = "\x01" if b"\x01" in text else ","
    with written_as(pc.core.schema.TextForm.model_validate({"separator": delimiter, "header": True})):
        read = delimited.read_columns(tmp_path / "people.csv", numbering=["a", "b"])
    assert {name: read[name].to_list() for name in "ab"} == expected


@pytest.mark.parametrize("end", [4096, 4095, 4097, 8192, 100])
def test_a_file_with_fewer_records_than_were_counted_is_left_to_polars(end: int) -> None:
    """As when somebody writes to it meanwhile: nothing is read beyond its end, and no row gets another one's text."""
    lines = (end + 1) // 8
    data = b"a" * ((end + 1) % 8) + b"aaa;bbb\n" * lines
    whole = numbered_texts(np.frombuffer(data, np.uint8), [(0, end, lines)], ";", 2, [0, 1])
    assert sorted(whole) == [0, 1]
    spoilt = np.frombuffer(data.replace(b"\n", b"x", 1), np.uint8)
    assert numbered_texts(spoilt, [(0, end, lines)], ";", 2, [0, 1]) == {}


def test_a_census_is_numbered_and_an_identifier_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = pc.datasets.census(40_000, seed=2).with_row_index("person")
    people.write_csv(tmp_path / "people.csv")
    seen: list[Any] = []
    original = delimited.read_columns
    monkeypatch.setattr("pellucid.io.files.read_columns", lambda *a, **k: seen.append(original(*a, **k)) or seen[-1])
    roles: dict[str, Any] = {"quasi": ["age", "gender"], "sensitive": "occupation", "identifier": "person"}
    table = pc.read(tmp_path / "people.csv", **roles)
    assert sorted(seen[0].numbered) == ["age", "gender", "occupation"]
    assert list(seen[0].series) == ["person"]
    assert as_values(table) == as_values(pc.read(people.cast({"age": pl.Int64, "occupation": pl.Int64}), **roles))
    assert table.order is not None
    assert table.order.tolist() == list(range(40_000))
    for name, column in seen[0].numbered.items():
        assert column.series().equals(people[name].cast(column.values.dtype))


def test_a_column_of_many_texts_is_read_by_polars(tmp_path: Path) -> None:
    rows = numbered.MOST + 1
    frame = pl.DataFrame({"zip": [f"z{i}" for i in range(rows)], "few": ["a", *["b"] * (rows - 1)]})
    frame.write_csv(tmp_path / "zips.csv")
    read = delimited.read_columns(tmp_path / "zips.csv", numbering=["zip", "few"])
    assert (list(read.series), list(read.numbered), read.height) == (["zip"], ["few"], rows)
    assert read["few"].equals(frame["few"])
    assert read["zip"].equals(frame["zip"])
