"""Tables in which nothing is sensitive: what is said of a release is what counting its rows says.

Columns of every kind are drawn (numbers, dates, categories, trees, missing values, caps in values and in percent,
rounded ones), a method that asks for k rows alike, and a population of more people. Every bound that ``verify`` is
asked about, in Python and as a command, is compared with what counting by hand says, and people with what fits them.
"""

from __future__ import annotations

from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from random import Random

import polars as pl
import pytest

import pellucid as pc
from oracle import more_columns
from oracle.configurations import draw_column
from pellucid.cli.program import main
from pellucid.core.schema import Column, Schema
from pellucid.errors import PellucidError

QUICK, THOROUGH = 60, 3_000

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")


def drawn(seed: str) -> tuple[pl.DataFrame, Schema, int]:
    """A table, how it is read, and k."""
    random = Random(seed)
    people = random.randint(4, 14)
    data, columns = {}, {}
    for number in range(random.choice([1, 2, 3])):
        name, role = f"q{number}", "carry" if number and random.random() < 0.2 else "quasi"
        if random.random() < 0.6:
            _, data[name], columns[name] = more_columns.draw_more(random, people, role)
        else:
            data[name], columns[name] = draw_column(random, people, tree=False)
        if random.random() < 0.4:
            columns[name] = more_columns.rounded(random, columns[name])
    frame = pl.DataFrame({name: pl.Series(name, values, strict=False) for name, values in data.items()})
    return frame, Schema(columns=columns, nothing_sensitive=True), random.choice([2, 2, 3])


@pytest.mark.parametrize("part", range(4), ids="part {}".format)
def test_as_many_rows_are_alike_as_is_said(part: int, thorough: bool, tmp_path: Path) -> None:
    published = 0
    for number in range((THOROUGH if thorough else QUICK) // 4):
        seed = f"nothing sensitive, part {part}, table {number}"
        frame, schema, k = drawn(seed)
        try:
            release = pc.publish(frame, pc.Mondrian(k=k), schema=schema)
        except PellucidError:
            continue  # too few rows, or a column of which a cap leaves one value
        published += 1
        alike = Counter(release.frame.rows())
        fewest = min(alike.values())
        assert fewest >= k, seed
        assert len(release.frame) == len(frame), seed
        folder = tmp_path / f"{part} {number}"
        release.write(folder)
        for asked in (k, fewest, fewest + 1):
            (verdict,) = pc.verify(release, [pc.KAnonymity(k=asked)])
            assert bool(verdict.holds) == (asked <= fewest), (seed, asked)
            assert exit_code("verify", folder, "--require", f"k-anonymity={asked}") == int(asked > fewest), (
                seed,
                asked,
            )
    assert published > QUICK / 16


def exit_code(*words: object) -> int:
    """How a command ends."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        return main([str(word) for word in words])


@pytest.mark.parametrize("part", range(2), ids="part {}".format)
def test_everybody_fits_their_own_row_however_columns_are_read(part: int, thorough: bool, tmp_path: Path) -> None:
    """A population that is read as the table was: k-map of the table's own people is at least k."""
    compared = 0
    for number in range((THOROUGH if thorough else QUICK) // 6):
        seed = f"population, part {part}, table {number}"
        frame, schema, k = drawn(seed)
        try:
            release = pc.publish(frame, pc.Mondrian(k=k), schema=schema)
        except PellucidError:
            continue
        folder, people = tmp_path / f"{part} {number}", tmp_path / f"{part} {number}.csv"
        release.write(folder)
        frame.write_csv(people)
        words = ("verify", folder, "--population", people, "--require", f"k-map={k}")
        assert exit_code(*words) == 0, seed
        compared += 1
    assert compared > 2


def test_a_table_that_is_drawn_has_columns_of_every_new_kind() -> None:
    columns: list[Column] = [c for number in range(60) for c in drawn(f"kinds {number}")[1].columns.values()]
    assert any(column.round is not None for column in columns)
    assert any(column.cap is not None and column.cap.percent is not None for column in columns)
    assert {str(column.role) for column in columns} == {"quasi", "carry"}
