"""The byte scanner equals its plain definition on random files."""

import csv
import re
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pellucid.core.schema import TextForm
from pellucid.io import load, written_as
from pellucid.kernels.delimited import scan

LEADING_ZERO = re.compile(r"-?0[0-9]|[+ \t]")


def plain_scan(text: Any, delimiter: str, columns: Any) -> Any:
    """Records until the first ragged one, what it is, and which columns have leading zeros up to there."""
    zero = [0] * columns
    records = 0
    for record in csv.reader(StringIO(text, newline=""), delimiter=delimiter):
        fields = record or [""]  # a blank line is one empty field
        for column, field in enumerate(fields[:columns]):
            zero[column] |= bool(LEADING_ZERO.match(field))
        records += 1
        if len(fields) != columns:
            return records, len(fields), zero
    return records, 0, zero


def kernel_scan(text: Any, delimiter: str, columns: Any, before: str = "\n") -> Any:
    data = np.frombuffer((before + text).encode(), dtype=np.uint8)
    zero, found = np.zeros(columns, dtype=np.uint8), np.zeros(4, dtype=np.int64)
    scan(data, len(before), len(data), ord(delimiter), columns, zero, found)
    return int(found[0]), int(found[2]) if found[1] >= 0 else 0, zero.tolist()


def random_text(random: Any, columns: Any, fields: Any, *, ragged: Any) -> Any:
    lines = []
    for _ in range(random.integers(0, 40)):
        width = columns if random.random() > ragged else int(random.integers(1, columns + 3))
        lines.append(";".join(random.choice(fields, width)))
    return "\n".join(lines) + ("\n" if lines and random.random() < 0.7 else "")


UNQUOTED = [
    "",
    "0",
    "00",
    "-0",
    "-01",
    "7",
    "012",
    "1e-05",
    "1-02",
    "abc",
    "a longer text",
    "0x",
    "é",
    "-",
    "90",
    "+5",
    " x",
    "a b+c",
]
QUOTED = [*UNQUOTED, '"x;y"', '"two\nlines"', '"say ""0123"" now"', '"0123"', '""', '"-07"']


@pytest.mark.parametrize("fields", [UNQUOTED, QUOTED, [*30 * UNQUOTED, '"x;y"']])
@pytest.mark.parametrize("ragged", [0, 0.03])
def test_the_scanner_equals_its_definition(fields: Any, ragged: Any) -> None:
    random = np.random.default_rng(7)
    seen = set()
    for _ in range(400):
        columns = int(random.integers(1, 7))
        text = random_text(random, columns, fields, ragged=ragged)
        expected = plain_scan(text, ";", columns)
        for before in ("\n", "", "7x", "-", 'x"'):  # a file without a header begins with its first record
            assert kernel_scan(text, ";", columns, before) == expected, repr((before, text))
        seen.add(expected[1] > 0)
    assert seen == ({False} if ragged == 0 else {False, True})


def test_an_open_quote_is_reported() -> None:
    data = np.frombuffer(b'\n1;"never closed\n2;3\n', dtype=np.uint8)
    zero, found = np.zeros(2, dtype=np.uint8), np.zeros(4, dtype=np.int64)
    scan(data, 1, len(data), ord(";"), 2, zero, found)
    assert found[3] == 1


def test_the_first_record_of_a_file_without_a_header_is_read_like_the_others(tmp_path: Path) -> None:
    """The scanner looked before the first byte: a code at the very front became a number, or the process ended."""
    codes = tmp_path / "codes.csv"
    codes.write_text("00123456,a\n" + "71234567,b\n" * 5)
    with written_as(TextForm(header=False)):
        frame, _ = load(codes)
    assert frame["column_1"].to_list()[:2] == ["00123456", "71234567"]
    minus = tmp_path / "minus.csv"
    minus.write_text("-0123456,a\n" + "-1234567,b\n" * 5)
    with written_as(TextForm(header=False)):
        assert load(minus)[0]["column_1"].to_list()[0] == "-0123456"
    text = tmp_path / "text.csv"
    text.write_text('a long text with a "mark"\n' * 3)
    with written_as(TextForm(header=False)):
        assert load(text)[0].height == 3
