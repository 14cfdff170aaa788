"""An original that a release was not made of is refused; the same rows in another order are measured alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.errors import MeasureError

ROLES: dict[str, Any] = {"quasi": ["age", "gender", "education"], "sensitive": "occupation"}
AS_QUASI = [(name, "quasi") for name in reversed(ROLES["quasi"])]
METRICS = [pc.Loss(), pc.Discernibility(), pc.KLDivergence()]


def people(rows: int = 600, seed: int = 1) -> pl.DataFrame:
    return pc.datasets.census(rows, seed=seed).select([*ROLES["quasi"], ROLES["sensitive"]])


def with_shuffled(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    return frame.with_columns(frame[column].shuffle(seed=3).alias(column))


METHODS = [pc.Hybrid(l=4), pc.Anatomy(l=4), pc.Mondrian(l=4, retry=False)]


@pytest.fixture(params=METHODS, ids=lambda method: method.name)
def release(request: pytest.FixtureRequest) -> pc.Release:
    with pytest.warns(UserWarning, match="seed= fixes"):
        return pc.publish(people(), request.param, **ROLES, seed=1)


@pytest.mark.parametrize("column", ["age", "occupation"])
def test_a_shuffled_column_is_another_table(release: pc.Release, column: str, tmp_path: Path) -> None:
    other = with_shuffled(people(), column)
    for given in (release, release.write(tmp_path / "out")):
        with pytest.raises(MeasureError, match="give the table that the release was made of"):
            pc.measure(given, other, METRICS, **ROLES)


def test_other_people_are_another_table(release: pc.Release) -> None:
    with pytest.raises(MeasureError, match="give the table that the release was made of"):
        pc.measure(release, people(seed=2), METRICS, **ROLES)


def test_the_order_of_rows_makes_no_difference(release: pc.Release) -> None:
    there = [score.value for score in pc.measure(release, people(), METRICS, **ROLES)]
    shuffled = people().sample(fraction=1.0, shuffle=True, seed=5)
    assert [score.value for score in pc.measure(release, shuffled, METRICS, **ROLES)] == pytest.approx(there)


def test_replaced_values_are_no_sign_of_another_table() -> None:
    frame = people()
    with pytest.warns(UserWarning, match="mask does not withstand"):
        release = pc.publish(frame, pc.Mask(k=4, l=4, sensitive=[frame["occupation"][0]]), **ROLES)
    assert pc.measure(release, frame.reverse(), [pc.Loss()], **ROLES)[0].value > 0
    with pytest.raises(MeasureError):
        pc.measure(release, with_shuffled(frame, "age"), [pc.Loss()], **ROLES)


def test_suppressed_rows_may_lie_nowhere() -> None:
    frame = pc.datasets.patients()
    roles: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease"}
    published = frame.select("age", "zipcode", "disease").head(6)
    assert pc.measure(published, frame, [pc.SuppressedRows()], **roles)[0].value == 0.25


def test_columns_may_be_named_in_another_order_than_the_schema_has() -> None:
    first = pc.Schema(columns={name: pc.Column(role=role) for name, role in [("occupation", "sensitive"), *AS_QUASI]})
    release = pc.publish(people(), pc.Hybrid(l=4), schema=first)
    by_schema = pc.measure(release, people(), METRICS, schema=first)
    assert [score.value for score in pc.measure(release, people(), METRICS, **ROLES)] == [s.value for s in by_schema]
