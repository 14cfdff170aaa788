"""``init`` drafts what an expert would, on tables like a census excerpt and a health survey; a test for each line."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import polars as pl
import pytest

from journeys.census import census_table
from journeys.health import health_table
from journeys.survey import WHOLE, panel_table
from pellucid.core.schema import Kind, Role, Schema
from pellucid.drafting.choice import MOST_QUASI, suggest
from pellucid.drafting.draft import Suggestion, facts_of
from pellucid.drafting.schema_file import draft_text
from pellucid.io import read

Draft = dict[str, Suggestion]


def drafted(table: str) -> Draft:
    frame = pl.read_csv(StringIO(table), infer_schema_length=None)
    return {one.name: one for one in suggest([facts_of(frame, name) for name in frame.columns], frame)}


@pytest.fixture(scope="module")
def census() -> Draft:
    return drafted(census_table())


@pytest.fixture(scope="module")
def health() -> Draft:
    return drafted(health_table())


def test_the_tables_look_like_the_real_ones() -> None:
    for table, columns in ((census_table(), 24), (health_table(), 76)):
        lines = table.splitlines()
        assert len(lines) == 3_001
        assert {line.count(",") for line in lines} == {columns - 1}


def test_not_all_columns_become_quasi_identifiers(census: Draft, health: Draft) -> None:
    for draft in (census, health):
        assert 5 <= sum(one.role is Role.QUASI for one in draft.values()) <= MOST_QUASI
        assert sum(one.role is Role.SENSITIVE for one in draft.values()) == 1
        known = [one.reason for one in draft.values() if one.role is Role.QUASI]
        assert all(reason.startswith("other people know it") for reason in known)  # and none for want of a reason


def test_an_id_column_is_seen_as_the_identifier(health: Draft) -> None:
    assert [name for name, one in health.items() if one.role is Role.IDENTIFIER] == ["ID"]


def test_codes_of_sex_race_and_origin_are_no_numbers(census: Draft) -> None:
    for name in ("SEX", "RAC1P", "HISP", "MSP", "EDU", "INDP", "OWN_RENT", "PINCP_DECILE"):
        assert census[name].kind is Kind.CATEGORY, name
    for name in ("AGEP", "NOC", "PINCP", "POVPIP"):
        assert census[name].kind is Kind.NUMBER, name


def test_a_weight_is_dropped_with_its_reason(census: Draft) -> None:
    for name in ("PWGTP", "WGTP", "PWGTP1", "PWGTP2"):
        assert census[name].role is Role.DROP
        assert "a weight of the survey" in census[name].reason
        assert "weights single people out" in census[name].check


def test_a_bodys_weight_is_none_of_the_survey(health: Draft) -> None:
    assert "survey" not in health["Weight"].reason
    assert "sensitive too" in health["Weight"].reason


def test_the_number_of_partners_is_not_known_to_others(health: Draft) -> None:
    for name in ("SexNumPartnLife", "SexNumPartYear", "SexEver", "SexAge", "SameSex", "SexOrientation"):
        assert health[name].role is Role.DROP
        assert "sensitive too" in health[name].reason


def test_diabetes_depression_and_marijuana_are_sensitive(health: Draft) -> None:
    for name in ("Diabetes", "Depressed", "Marijuana", "AgeFirstMarij", "HealthGen", "PregnantNow", "HHIncome"):
        assert "sensitive" in health[name].reason, name
        assert health[name].role is Role.DROP, name
    assert health["HardDrugs"].role is Role.SENSITIVE
    assert 'with protect = ["Yes"] l can be up to 11' in health["Diabetes"].reach  # nine in ten say No
    assert 'with protect = ["Yes"] l can be up to 3' in health["Marijuana"].reach  # most of those asked say Yes
    assert 'protect = ["Bisexual", "Homosexual"]' in health["SexOrientation"].reach


@pytest.mark.parametrize("table", WHOLE)
def test_a_whole_table_is_drafted_as_an_expert_would(table: str) -> None:
    made, expert = WHOLE[table]
    draft = drafted(made())
    known = [name for name, one in draft.items() if one.role is Role.QUASI]
    sets = [name.split("/") for name in expert.known]
    assert set(known) <= {*expert.may_be_known, *(name for names in sets for name in names)}
    assert all(sum(name in names for name in known) <= 1 for names in sets), "columns that say the same are one"
    missing = [names for names in sets if not set(names) & set(known)]
    assert missing == ([["INDP"]] if table == "census" else []), "eleven columns are known there"
    assert {name for name, one in draft.items() if one.role is Role.SENSITIVE} <= set(expert.protected)


def test_reasons_are_short(health: Draft) -> None:
    long = [one.reason for one in health.values() if len(re.sub(r"\(.*\)", "", one.reason).split()) > 8]
    assert long == []


def test_what_is_protected_in_a_few_values_only_is_drafted_so(tmp_path: Path) -> None:
    (tmp_path / "panel.csv").write_text(panel_table())
    (tmp_path / "panel.toml").write_text(draft_text("panel.csv", 1_500, [*drafted(panel_table()).values()], []))
    protected = Schema.load(tmp_path / "panel.toml").columns["sexual_orientation"]
    assert protected.protect == ("bisexual", "homosexual", "other")


def test_the_age_in_years_is_kept_wherever_it_stands() -> None:
    ages = [20 + i % 50 for i in range(400)]
    for order in (["age", "age_months"], ["age_months", "age"]):
        frame = pl.DataFrame({"age": ages, "age_months": [12 * age + i % 12 for i, age in enumerate(ages)]}).select(
            order
        )
        found = {one.name: one.role for one in suggest([facts_of(frame, name) for name in frame.columns], frame)}
        assert found == {"age": Role.QUASI, "age_months": Role.DROP}


def test_minus_1_999_and_n_are_codes_for_missing_values(census: Draft, health: Draft) -> None:
    for draft, code, names in (
        (health, "-1", ("Weight", "AgeFirstMarij", "AgeRegMarij", "SexNumPartYear")),
        (health, "999", ("AgeMonths", "AlcoholYear", "SmokeAge", "SexNumPartnLife")),
        (census, "N", ("MSP", "NOC", "INDP", "EDU", "PINCP", "PINCP_DECILE", "POVPIP", "DREM", "DPHY")),
    ):
        found = [name for name, one in draft.items() if one.facts.missing == (code,)]
        assert set(found) >= set(names)
    assert not any(census[name].facts.missing for name in ("PUMA", "AGEP", "SEX", "HISP", "RAC1P", "PWGTP"))


def test_the_advice_about_n_works(census: Draft, tmp_path: Path) -> None:
    (tmp_path / "census.csv").write_text(census_table())
    (tmp_path / "census.toml").write_text(draft_text("census.csv", 3_000, [*census.values()], []))
    table = read(tmp_path / "census.csv", schema=tmp_path / "census.toml")
    kinds = {one.name: (one.kind, one.has_null) for one in table.attributes}
    assert kinds["NOC"] == (Kind.NUMBER, True)
    assert kinds["EDU"] == (Kind.CATEGORY, True)


def test_a_role_is_all_that_has_to_be_changed(census: Draft, tmp_path: Path) -> None:
    """What a dropped column is and what is missing in it stands in the draft too, dates with their order."""
    (tmp_path / "census.csv").write_text(census_table())
    (tmp_path / "census.toml").write_text(draft_text("census.csv", 3_000, [*census.values()], []))
    schema = Schema.load(tmp_path / "census.toml")
    wanted = {name: column.model_copy(update={"role": Role.QUASI}) for name, column in schema.columns.items()}
    wanted["PINCP_DECILE"] = schema.columns["PINCP_DECILE"]
    table = read(tmp_path / "census.csv", schema=Schema(columns=wanted))
    for one in table.attributes:
        assert one.kind is census[one.name].kind, one.name
    assert table.attributes[[one.name for one in table.attributes].index("INTERVIEWED")].kind is Kind.DATE


def test_of_two_ages_one_is_kept(health: Draft) -> None:
    assert health["Age"].role is Role.QUASI
    assert health["AgeMonths"].reason == "repeats Age, finer"
    assert health["AgeDecade"].reason == "repeats Age, coarser"


def test_an_income_and_its_decile_are_not_both_published(census: Draft) -> None:
    assert (census["PINCP_DECILE"].role, census["PINCP"].role) == (Role.SENSITIVE, Role.DROP)
    says = census["PINCP"].says
    assert says is not None
    assert says.determines


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("Hauptdiagnose", ["I21 Herzinfarkt", "C50 Brustkrebs", "F32 Depression", "N39 Harnwegsinfekt"]),
        ("Nebendiagnosen", ["I21", "C50", "F32", "N39"]),
        ("diagnosis", ["I21", "C50", "F32", "N39"]),
        ("ICD", ["I21", "C50", "F32", "N39"]),
        ("Aufnahmegrund", ["I21.9 Herzinfarkt", "C50.1", "F32.1G", "N39"]),  # only the values say so
    ],
)
def test_a_diagnosis_is_protected_before_what_is_measured(name: str, codes: list[str]) -> None:
    rows = "".join(f"{20 + i % 50},{codes[i % len(codes)]},{18 + i % 17}\n" for i in range(400))
    draft = drafted(f"age,{name},BMI\n{rows}")
    assert draft[name].role is Role.SENSITIVE
    assert draft["BMI"].role is Role.DROP


def test_seats_and_rooms_are_no_diagnoses() -> None:
    rows = "".join(f"{20 + i % 50},{'ABCD'[i % 4]}{10 + i % 7}\n" for i in range(400))
    assert drafted(f"age,seat\n{rows}")["seat"].role is Role.DROP


def test_nobody_is_told_to_write_postcodes_as_numbers() -> None:
    ages = [20 + i % 50 for i in range(400)]
    codes = {"PLZ": 10_000, "Kundencode": 10_000, "zip": 900, "Zahl": 7}
    columns = {name: [f"{first + 97 * (i % 80)}" for i in range(400)] for name, first in codes.items()}
    frame = pl.DataFrame({"age": ages, **columns})
    checks = {name: facts_of(frame, name).looks for name in codes}
    assert "write them as plain numbers" in checks.pop("Zahl")
    assert not any(checks.values()), "a code loses its zeros, and near codes are not alike"
