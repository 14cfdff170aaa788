"""The last row of a table is taken for its sums where it has them, and for a person where it has not."""

from __future__ import annotations

from pathlib import Path
from random import Random

import polars as pl
import pytest

from pellucid.io import load
from pellucid.io.sheet_layout import TableFound
from workbooks import write_xlsx

KINDS = (
    lambda coins: coins.randrange(2),
    lambda coins: int(coins.random() < 0.1),
    lambda coins: coins.randrange(18, 90),
    lambda coins: int(coins.paretovariate(0.7)),
    lambda coins: round(coins.gauss(30, 9), coins.randrange(3)),
    lambda coins: coins.choice(["", "", 1, 2]),
    lambda coins: coins.choice("abc"),
    lambda coins: coins.lognormvariate(8, 2),
    lambda coins: coins.choice([0, 0, 0, 0, 3]),
)


def drawn(coins: Random) -> list[list[object]]:
    kinds = [coins.choice(KINDS) for _ in range(coins.randrange(2, 9))]
    return [[kind(coins) for kind in kinds] for _ in range(coins.randrange(2, 40))]


def read_rows(path: Path, rows: list[list[object]], mark: str = ";") -> int:
    header = [f"name{at}" for at in range(len(rows[0]))]
    text = "\n".join(mark.join(map(str, row)) for row in [header, *rows])
    path.write_text(text.replace(".", ",") if mark == ";" else text)
    return load(path)[0].height


@pytest.mark.filterwarnings("error::pellucid.io.sheet_layout.TableFound")
def test_people_are_no_sums(tmp_path: Path) -> None:
    """Sparse counts, heavy tails, columns twice: also where each row has little in it."""
    for seed in range(500):
        coins = Random(seed)
        rows = drawn(coins)
        if seed % 3 == 0:
            rows = [[*row, *row] for row in rows]
        if seed % 5 == 0:
            rows = [[cell if coins.random() < 0.3 else "" for cell in row] for row in rows]
            rows = [[coins.randrange(1000, 9999), *row] for row in rows]
        assert read_rows(tmp_path / "t.csv", rows, ",") == len(rows), seed


@pytest.mark.parametrize("how", ["sums", "means", "alone", "codes"])
def test_sums_and_means_are_left_out_by_name(how: str, tmp_path: Path) -> None:
    for seed in range(60):
        coins = Random(seed)
        rows = [
            [coins.choice("mf"), coins.randrange(18, 90), coins.randrange(1, 5), round(coins.uniform(0, 40), 1)]
            for _ in range(coins.randrange(11, 200))
        ]
        columns = list(zip(*rows, strict=True))[1:]
        last = [sum(column) for column in columns]
        if how == "means":
            last = [total / len(rows) for total in last]
        last = [f"{total:.{4 if how == 'means' else 1}f}" for total in last]
        if how == "codes":
            rows[0][1] = 99  # a code that whoever added up left out
        if how == "alone":
            last = ["", "", last[2]]
        with pytest.warns(
            TableFound, match=rf"1 row at the end, which begins with .* \({how.replace('codes', 'sums')}\)"
        ):
            assert read_rows(tmp_path / "t.csv", [*rows, ["", *last]]) == len(rows), seed


def test_a_workbook_is_read_like_a_text(tmp_path: Path) -> None:
    rows = [[n % 70, "ab"[n % 2], n % 7 / 4] for n in range(90)]
    sums = [sum(row[0] for row in rows), None, sum(row[2] for row in rows)]
    path = write_xlsx(tmp_path / "t.xlsx", {"people": [["age", "sex", "cost"], *rows, sums]})
    with pytest.warns(TableFound, match=r"begins with '[\d.]+ \(sums\)', is no people and left out"):
        assert load(path)[0]["age"].to_list() == [row[0] for row in rows]
    assert pl.Series([row[0] for row in rows]).sum() == sums[0]
