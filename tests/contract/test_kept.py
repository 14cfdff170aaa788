"""What is kept of a column is one figure, whoever computes it: publishing from groups, measuring from the release."""

from __future__ import annotations

from pathlib import Path
from random import Random

import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import methods
from pellucid.anonymize.recode import RECODERS
from pellucid.core.release import Release
from pellucid.core.schema import Column, Role, Schema
from pellucid.core.table import Table
from pellucid.metrics.kept import information_kept
from pellucid.publishing import release_of
from plain.settings import SETTINGS, TINY

SCHEMA = Schema(
    columns={
        "id": Column(role="identifier"),
        "age": Column(role="quasi"),
        "town": Column(role="quasi", taxonomy={"tree": {"*": {"north": ["a", "b"], "south": ["c", "d"]}}}),
        "ward": Column(role="quasi"),
        "ill": Column(role="sensitive"),
    }
)


def people(rows: int) -> pl.DataFrame:
    random = Random(f"kept {rows}")
    return pl.DataFrame(
        {
            "id": range(rows),
            "age": [random.choice([None, 20, 25, 31, 40, 58]) for _ in range(rows)],
            "town": [random.choice("abcd") for _ in range(rows)],
            "ward": [random.choice(["w", "x", "y", None]) for _ in range(rows)],
            "ill": [random.choice("pqrstuv") for _ in range(rows)],
        }
    )


SHOWN = [
    (name, recode)
    for name in sorted(methods())
    for recode in sorted(RECODERS)
    if (name, recode) != ("spurious-records", "anatomy")  # which would show what is added, and is refused
]


def published(name: str, recode: str) -> tuple[pl.DataFrame, Table, Release]:
    original = people(12 if name in TINY else 60)
    table = pc.read(original, schema=SCHEMA)
    return original, table, release_of(table, SETTINGS[name](3, table), recode=RECODERS[recode](), seed=1)


@pytest.mark.parametrize("name", ["soft-cut", "mondrian"])
def test_beside_the_table_a_mean_says_more_than_a_release_alone_tells(name: str) -> None:
    original, table, release = published(name, "means")
    told = information_kept(table, release.private.grouping, "means")
    assert 0 < told["age"] < 1
    with pytest.raises(pc.MeasureError, match=r"age is published as means of groups.*sse and query-error"):
        pc.measure(release, original, [pc.Kept()], schema=SCHEMA)


@pytest.mark.parametrize(("name", "recode"), [one for one in SHOWN if one[1] != "means"])
def test_publishing_and_measuring_say_the_same_of_every_column(name: str, recode: str, tmp_path: Path) -> None:
    original, table, release = published(name, recode)
    kept = information_kept(table, release.private.grouping, recode)
    assert list(kept) == [table.attributes[i].name for i in table.having(Role.QUASI)]
    release.write(tmp_path / "out")
    for measured in (release, tmp_path / "out"):
        (score,) = pc.measure(measured, original, [pc.Kept()], schema=SCHEMA)
        assert score.details["columns"] == pytest.approx(kept, abs=1e-12)


def test_some_releases_here_add_records_and_some_leave_rows_out() -> None:
    assert published("spurious-records", "intervals")[2].private.added.sum() > 0
    assert published("greedy-grouping", "intervals")[2].private.grouping.suppressed > 0
