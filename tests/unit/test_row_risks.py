"""Risks of rows and households: against definitions that are written out row by row."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.errors import SchemaError

PEOPLE = 400
QUASI = ["age", "town"]


def survey(seed: int = 1) -> pl.DataFrame:
    coins = random.Random(seed)
    rows = [
        {
            "home": coins.randrange(150),
            "age": coins.randrange(20, 60),
            "town": coins.choice("abcd"),
            "w": round(coins.uniform(1.5, 90), 3),
            "ill": coins.choice(["flu", "gout", "cold"]),
        }
        for _ in range(PEOPLE)
    ]
    return pl.DataFrame(rows)


def expectation_of_one_over(rows: int, people: float) -> float:
    """The mean of 1/F where F is negative binomial: f successes, each with probability f / people; term by term."""
    p = rows / people
    total, chance = 0.0, p**rows
    for extra in range(40_000):
        total += chance / (rows + extra)
        chance *= (rows + extra) / (extra + 1) * (1 - p)
    return total


def expected(frame: pl.DataFrame) -> tuple[list[int], list[float], list[float]]:
    keys = list(zip(frame["age"], frame["town"], strict=True))
    alike, people = Counter(keys), defaultdict(float)
    for key, weight in zip(keys, frame["w"], strict=True):
        people[key] += weight
    by_key = {key: expectation_of_one_over(alike[key], people[key]) for key in alike}
    risk = [by_key[key] for key in keys]
    missed: dict[int, float] = defaultdict(lambda: 1.0)
    for home, one in zip(frame["home"], risk, strict=True):
        missed[home] *= 1 - one
    return [alike[key] for key in keys], risk, [1 - missed[home] for home in frame["home"]]


def test_risks_of_rows_and_households_are_those_of_their_definition() -> None:
    frame = survey()
    audit = pc.examine(frame, quasi=QUASI, sensitive="ill", weight="w", cluster="home")
    risks = audit.row_risks()
    alike, risk, household = expected(frame)
    assert risks.rows_alike.tolist() == alike
    assert risks.estimated
    assert risks.risk is not None
    assert risks.household_risk is not None
    assert risks.risk == pytest.approx(risk, rel=1e-6)
    assert risks.household_risk == pytest.approx(household, rel=1e-6)
    assert audit.population_uniqueness().highest_risk == pytest.approx(max(risk), rel=1e-6)
    found = audit.household_risk()
    assert found is not None
    assert (found.column, found.households, found.estimated) == ("home", frame["home"].n_unique(), True)
    assert (found.highest, found.mean) == pytest.approx((max(household), sum(household) / PEOPLE), rel=1e-6)
    assert [audit.rows_below(k) for k in (2, 3, 5)] == [sum(one < k for one in alike) for k in (2, 3, 5)]
    shown = risks.frame
    assert shown.columns == ["row", "rows_alike", "risk_in_table", "people_alike", "risk", "household_risk"]
    assert shown["risk_in_table"].to_list() == [1 / one for one in alike]


def test_a_population_is_counted_and_not_estimated() -> None:
    frame = survey()
    population = pl.concat([frame, survey(2), survey(3)]).drop("ill", "w", "home")
    like = Counter(zip(population["age"], population["town"], strict=True))
    audit = pc.examine(frame, quasi=QUASI, sensitive="ill", cluster="home", population=population)
    risks = audit.row_risks()
    assert not risks.estimated
    assert risks.risk is not None
    assert risks.risk.tolist() == [1 / like[key] for key in zip(frame["age"], frame["town"], strict=True)]
    found = audit.household_risk()
    assert found is not None
    assert not found.estimated


def test_without_a_population_rows_are_counted_alone_and_without_households_there_is_no_risk_of_one() -> None:
    frame = survey()
    plain = pc.examine(frame, quasi=QUASI, sensitive="ill")
    assert plain.row_risks().frame.columns == ["row", "rows_alike", "risk_in_table"]
    assert plain.household_risk(10_000) is None
    assert pc.examine(frame, quasi=QUASI, sensitive="ill", cluster="home").household_risk() is None
    assert plain.row_risks(10_000).frame.columns == ["row", "rows_alike", "risk_in_table", "people_alike", "risk"]


def test_who_has_no_household_lives_alone() -> None:
    frame = survey().with_columns(home=pl.when(pl.col("home") < 40).then(pl.col("home")))
    audit = pc.examine(frame, quasi=QUASI, sensitive="ill", weight="w", cluster="home")
    risks = audit.row_risks()
    assert risks.risk is not None
    assert risks.household_risk is not None
    unknown = frame["home"].is_null().to_numpy()
    assert unknown.sum() > 100
    assert risks.household_risk[unknown] == pytest.approx(risks.risk[unknown])
    assert audit.households is not None
    assert len(np.unique(audit.households)) == frame["home"].drop_nulls().n_unique() + unknown.sum()


def test_suppressed_rows_that_are_exempt_are_in_no_group() -> None:
    frame = survey().with_columns(pl.col("age").cast(pl.String)).with_row_index()
    hidden = pl.col("index") < 7
    frame = frame.with_columns(*(pl.when(hidden).then(pl.lit("*")).otherwise(name).alias(name) for name in QUASI))
    audit = pc.examine(frame, quasi=QUASI, sensitive="ill", weight="w", cluster="home", exempt_suppressed=True)
    risks = audit.row_risks()
    assert risks.rows_alike[:7].tolist() == [0] * 7
    assert risks.risk is not None
    assert np.isnan(risks.risk[:7]).all()
    assert not np.isnan(risks.risk[7:]).any()
    assert risks.frame["risk"].null_count() == 7


def test_a_read_table_and_a_schema_know_their_households(tmp_path: Path) -> None:
    frame = survey()
    named = pc.examine(frame, quasi=QUASI, sensitive="ill", weight="w", cluster="home").household_risk()
    table = pc.read(frame, quasi=QUASI, sensitive="ill", weight="w", cluster="home")
    assert pc.examine(table).household_risk() == named
    schema = tmp_path / "s.toml"
    roles = {"age": "quasi", "town": "quasi", "ill": "sensitive", "w": "weight", "home": "cluster"}
    schema.write_text("".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in roles.items()))
    assert pc.examine(frame, schema=schema).household_risk() == named
    assert pc.examine(frame.drop("home"), schema=schema).household_risk() is None  # as a release has none
    with pytest.raises(SchemaError, match="'town' is named as quasi and as cluster"):
        pc.examine(frame, quasi=QUASI, sensitive="ill", cluster="town")


def test_certain_people_make_a_certain_household() -> None:
    frame = pl.DataFrame({"age": [1, 2, 2], "home": [1, 1, 2], "w": [1.0, 5.0, 9.0], "ill": ["a", "b", "c"]})
    risks = pc.examine(frame, quasi="age", sensitive="ill", weight="w", cluster="home").row_risks()
    assert risks.household_risk is not None
    assert risks.household_risk[:2].tolist() == [1.0, 1.0]
    assert math.isclose(risks.household_risk[2], risks.risk[2])  # type: ignore[index]
