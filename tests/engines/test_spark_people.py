"""People with several rows with Spark: asked about as in memory, and what one machine alone does is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from engines.tables import in_parts
from pellucid.errors import PellucidError

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]
ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill"}
METHOD = pc.Tailor(l=2)


def stays(rows: int = 120) -> pl.DataFrame:
    """Of 48 patients, of whom most came several times; a number of the stay that nobody shares, one of a ward."""
    patients = [n * 7 % 48 for n in range(rows)]
    return pl.DataFrame(
        {
            "patient_nbr": [None if n == 5 else n for n in patients],
            "person_id": [f"P{n % 24}" for n in patients],
            "stay_id": range(rows),
            "patient_weight": [50.5 + n % 9 for n in range(rows)],
            "age": [20 + n * 13 % 50 for n in range(rows)],
            "ill": [("flu", "cold", "gout", "acne")[n % 4] for n in range(rows)],
        }
    )


def refusal(source: Any, method: Any = METHOD, **given: Any) -> str:
    with pytest.raises(PellucidError) as wrong:
        pc.publish(source, method, engine=pc.Spark(rows_per_worker=50), seed=1, **{**ROLES, **given})
    return str(wrong.value)


@pytest.mark.parametrize("as_files", [True, False])
def test_repeated_people_are_asked_about_as_in_memory(spark: Any, tmp_path: Path, *, as_files: bool) -> None:
    frame = stays().drop("person_id")
    given = spark.createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))
    source = in_parts(frame, tmp_path / "stays", 3) if as_files else given
    with pytest.raises(pc.SchemaError) as in_memory:
        pc.publish(frame, METHOD, **ROLES)
    seen, _, rule = str(in_memory.value).partition(";")[0].partition(": ")
    told = refusal(source)
    assert told.startswith(f"{seen}: {rule}")
    assert "patient_nbr seems to number people, and 47 have 118 rows" in told
    assert "people='patient_nbr=row'" in told
    release = pc.publish(source, METHOD, engine=pc.Spark(rows_per_worker=50), seed=1, people="patient_nbr=row", **ROLES)
    same = pc.publish(frame, METHOD, seed=1, people="patient_nbr=row", **ROLES)
    assert release.recipe["people"] == same.recipe["people"] == "patient_nbr=row"
    assert release.recipe == same.recipe


def test_an_answer_settles_finer_numbers_and_no_coarser_ones(spark: Any) -> None:
    """Whoever is asked about as persons has several numbers of patients: these are settled, and not the other way."""
    whole = stays().with_columns(patient_nbr=pl.col("patient_nbr").fill_null(5))
    source = spark.createDataFrame(whole.to_arrow(compat_level=pl.CompatLevel.oldest()))
    release = pc.publish(source, METHOD, engine=pc.Spark(rows_per_worker=50), seed=1, people="person_id=row", **ROLES)
    assert release.recipe["people"] == "person_id=row"
    assert "person_id seems to number people" in refusal(source, people="patient_nbr=row")


def test_what_one_machine_alone_does_is_refused(spark: Any) -> None:
    """None of these may be passed over: the release would have other people than was said."""
    source = spark.createDataFrame(stays().to_arrow(compat_level=pl.CompatLevel.oldest()))
    assert "Spark draws no row of a person" in refusal(source, people="patient_nbr=one")
    assert "which rows belong together" in refusal(source, people="patient_nbr=person")
    assert "Spark publishes every row" in refusal(source, people="patient_nbr=row", where="age >= 30")
    sides = {"people": "patient_nbr=row", "applies": "ill=age >= 30"}
    assert "does not apply to everybody" in refusal(source, pc.Strata(l=2), **sides)
    assert "no such column" in refusal(source, people="patient=row")
    once = pc.Schema(columns={"age": pc.Column(role="quasi"), "ill": pc.Column(role="sensitive")}, unique="patient_nbr")
    with pytest.raises(PellucidError, match="Spark draws no row of a person"):
        pc.publish(source, METHOD, schema=once, engine=pc.Spark(), seed=1)
