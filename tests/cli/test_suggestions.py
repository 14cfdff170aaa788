"""The parts behind ``pellucid init``: hints in names, counts, uniqueness."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pellucid.core.hints import hinted_role
from pellucid.core.schema import Role
from pellucid.drafting import uniqueness as unique
from pellucid.drafting.choice import suggest
from pellucid.drafting.draft import alone, facts_of
from pellucid.drafting.schema_file import details_of, things_to_check
from pellucid.drafting.uniqueness import Uniques


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("DateOfBirth", Role.QUASI),
        ("Geburtsdatum", Role.QUASI),
        ("code_postal", Role.QUASI),
        ("sexo", Role.QUASI),
        ("PLZ", Role.QUASI),
        ("native-country", Role.QUASI),
        ("patient_id", Role.IDENTIFIER),
        ("e-mail", Role.IDENTIFIER),
        ("Nachname", Role.IDENTIFIER),
        ("primary_diagnosis", Role.SENSITIVE),
        ("Einkommen", Role.SENSITIVE),
        ("maladie", Role.SENSITIVE),
        ("annual_income_eur", Role.SENSITIVE),
        ("birthcontrol", Role.SENSITIVE),
        ("birth control", Role.SENSITIVE),
        ("birth_date", Role.QUASI),
        ("contraception", Role.SENSITIVE),
        ("pregnancies", Role.SENSITIVE),
        ("abortions", Role.SENSITIVE),
        ("nervousbreak", Role.SENSITIVE),
        ("nervous_breakdown", Role.SENSITIVE),
    ],
)
def test_names_are_understood_in_several_languages(name: str, role: Role) -> None:
    hint = hinted_role(name)
    assert hint is not None
    assert hint[0] is role


@pytest.mark.parametrize("name", ["x", "v17", "wage9rs", "stagecoach", "flag"])
def test_a_hint_is_a_whole_word_not_a_part_of_one(name: str) -> None:
    hint = hinted_role(name)
    assert hint is None or hint[1] in name.lower()
    assert name == "wage9rs" or hint is None


def roles(**columns: Sequence[object]) -> dict[str, Role]:
    frame = pl.DataFrame(columns)
    return {
        suggestion.name: suggestion.role for suggestion in suggest([facts_of(frame, name) for name in frame.columns])
    }


def test_only_one_column_is_the_identifier() -> None:
    found = roles(key=[1, 2, 3], name=["a", "b", "c"], disease=["x", "y", "x"])
    assert list(found.values()).count(Role.IDENTIFIER) == 1
    assert found["key"] is Role.IDENTIFIER
    assert found["name"] is Role.DROP


def test_a_name_that_repeats_is_dropped() -> None:
    assert roles(name=["Ann", "Ann", "Bob"], disease=["x", "y", "x"])["name"] is Role.DROP


def test_the_sensitive_column_is_one_that_can_be_protected() -> None:
    found = roles(hiv=["no", "no", "no", "yes"], disease=["a", "b", "c", "d"], income=[1, 2, 1, 2])
    assert found == {"hiv": Role.SENSITIVE, "disease": Role.DROP, "income": Role.DROP}  # yes alone is protected
    found = roles(diagnosis=["a", "a", "a", "b"], disease=["a", "b", "c", "d"], income=[1, 2, 1, 2])
    assert found == {"diagnosis": Role.DROP, "disease": Role.DROP, "income": Role.SENSITIVE}


def test_a_column_of_nulls_is_dropped_and_a_null_is_no_value() -> None:
    assert roles(age=[None, None, None])["age"] is Role.DROP
    assert roles(age=[None, 5, 5])["age"] is Role.QUASI
    frame = pl.DataFrame({"age": [None, 5, 5]})
    assert (facts_of(frame, "age").distinct, facts_of(frame, "age").nulls) == (1, 1)


def test_a_diagnosis_of_many_values_goes_before_a_count_and_before_what_cannot_be_protected() -> None:
    found = roles(
        num_medications=[1, 2, 3, 1, 2, 3, 1, 2],
        readmission_result=["no"] * 7 + ["yes"],
        income=[1, 2, 3, 4, 1, 2, 3, 4],
        diag_1=["a", "b", "c", "d", "e", "f", "f", "a"],
    )
    assert found["diag_1"] is Role.SENSITIVE
    assert list(found.values()).count(Role.SENSITIVE) == 1
    assert roles(num_medications=[1, 2, 1, 2], income=[1, 2, 1, 2])["income"] is Role.SENSITIVE
    assert roles(diagnosis=["a", "a", "a", "b"], num_medications=[1, 2, 1, 2])["num_medications"] is Role.SENSITIVE


@pytest.mark.parametrize(
    "values",
    [
        [date(2024, 1, day) for day in (1, 2, 3)],
        [datetime(2024, 1, 1, hour) for hour in (1, 2, 3)],
        ["31.12.1980", "1.2.1990", "2.2.1990"],
        ["01/02/2024 10:00", "01/02/2024 11:00", "01/03/2024 10:00"],
        ["10,05", "7,5", "8,25"],
    ],
)
@pytest.mark.parametrize("name", ["x", "born", "id"])
def test_dates_and_decimals_are_never_the_identifier(values: list[object], name: str) -> None:
    columns: dict[str, list[object]] = {name: values, "disease": ["x", "y", "x"]}
    found = roles(**columns)
    assert found[name] is not Role.IDENTIFIER


def test_text_in_another_notation_is_to_be_checked_by_hand() -> None:
    frame = pl.DataFrame(
        {
            "born": ["31.12.1980", "1.2.1990", "1.2.1990", None],
            "work": ["state", "?", "private", "?"],
            "city": ["Rome", "Oslo", "Rome", "Oslo"],
        }
    )
    checks = things_to_check(suggest([facts_of(frame, name) for name in frame.columns]))
    told = 'born: looks like dates written day.month.year; the draft has kind = "date" and date_order = "dmy"'
    assert any(check.startswith(told) for check in checks)
    assert any(check.startswith("work: '?' stands for a missing value; the draft has missing = ") for check in checks)
    assert not any("city" in check and "looks" in check for check in checks)


def test_the_largest_feasible_l_is_stated() -> None:
    frame = pl.DataFrame({"disease": ["a", "a", "b", "c", "d", "e", "f"]})
    assert facts_of(frame, "disease").largest_l == 3


small_tables = st.lists(st.tuples(*[st.sampled_from([None, 0, 1, 2])] * 4), min_size=1, max_size=30)


@given(small_tables, st.sampled_from([2, 3]))
def test_the_most_identifying_columns_are_those_of_a_full_search(rows: list[tuple[int | None, ...]], size: int) -> None:
    names = ["a", "b", "rows", "column 0"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Int64), orient="row")
    by_hand = {
        chosen: frame.group_by(chosen).len("n").filter(pl.col("n") == 1).height for chosen in combinations(names, size)
    }
    found = Uniques(frame, names).most_identifying(size)
    assert found.unique == max(by_hand.values()) == by_hand[found.columns]


def test_a_large_search_is_greedy_and_its_count_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unique, "MANY", 0)
    coins = np.random.default_rng(0)
    frame = pl.DataFrame(
        {name: coins.integers(0, values, 500) for name, values in zip("abcde", (2, 40, 3, 90, 7), strict=True)}
    )
    found = Uniques(frame, frame.columns).most_identifying(3)
    assert set(found.columns) == {"b", "d", "e"}
    assert found.unique == frame.group_by("b", "d", "e").len().filter(pl.col("len") == 1).height


def said_of(values: Sequence[object], name: str = "x") -> dict[str, object]:
    """What a draft says of one column by itself."""
    frame = pl.DataFrame({name: values})
    return details_of(alone(facts_of(frame, name)))


def test_minus_one_is_missing_however_frequent_it_is_and_whatever_slipped_below_zero() -> None:
    rents = [*range(400, 2400, 4), -83, *[-1] * 499]
    assert said_of(rents, "rent_monthly")["missing"] == ["-1"]
    changes = [*np.random.default_rng(5).normal(0, 3, 1000).round().astype(int).tolist()]
    assert "missing" not in said_of(changes, "change")


def test_codes_among_texts_are_missing() -> None:
    assert said_of(["Y", "N", "-9"] * 50, "flag")["missing"] == ["-9"]
    assert said_of(["single", "married", "widowed", "N"] * 50, "civil_status")["missing"] == ["N"]
    assert "missing" not in said_of(["N", "S", "E", "W"] * 50, "region")
    assert "missing" not in said_of(["Y", "N"] * 50, "smoker")
    assert "missing" not in said_of(["250", "V45", "401", "E11"] * 50, "code")


def test_bands_are_drafted_in_their_order() -> None:
    bands = [f"[{low}-{low + 10})" for low in range(0, 120, 10)]
    said = said_of([*bands[::-1], *bands] * 5, "age")
    assert said["kind"] == "ordered"
    assert said["order"] == bands
    assert "kind" not in said_of(["red", "green", "blue"] * 5, "age_color")


def test_a_number_that_repeats_may_be_a_person_with_several_rows() -> None:
    frame = pl.DataFrame({"id": [i // 2 for i in range(200)], "age": range(200)})
    checks = things_to_check(suggest([facts_of(frame, name) for name in frame.columns]))
    assert any(check.startswith("id: if it numbers people, a person has several rows") for check in checks)


SURVEY_WEIGHTS = """
    weight, hhweight, w, dweight, pweight, wgt, wt, hhwgt, pspwght, anweight, weight_hh, household_weight, finwt,
    PERWT, poids, poids_menage, Gewicht, Gewichtung, peso_famiglia, pop_weight, fnlwgt, DB090, popWeight
"""
HOUSEHOLD_NUMBERS = """
    household, hh_id, household_id, hhid, ori_hid, HID, IDHH, HouseholdNumber, hh_no, family_id, famid, dwelling_id,
    Haushaltsnummer, haushalt_id, Haushalt, id_menage, numero_menage, id_hogar, id_famiglia, a_hidp, DB030, SERIALNO
"""


@pytest.mark.parametrize("name", [name.strip() for name in SURVEY_WEIGHTS.split(",")])
@pytest.mark.parametrize("centre", [0.02, 1.0, 50.0, 900.0])
@pytest.mark.parametrize("spread", [0.1, 0.8])
def test_weights_of_a_survey_are_dropped_and_the_role_that_keeps_one_is_named(
    name: str, centre: float, spread: float
) -> None:
    drawn = centre * np.random.default_rng(3).lognormal(0, spread, 400)
    told = alone(facts_of(pl.DataFrame({name: drawn.round(5)}), name))
    assert told.role is Role.DROP
    assert "a weight of the survey" in told.reason
    assert "give it the role weight" in told.check


@pytest.mark.parametrize("values", [[71.2, 80.5, 63.0, 55.1, 90.4, 102.3], [71, 80, 63, 55, 90, 102]])
@pytest.mark.parametrize("name", ["weight", "Gewicht", "Poids"])
def test_the_weight_of_bodies_is_protected_and_the_other_role_is_named(name: str, values: list[float]) -> None:
    told = alone(facts_of(pl.DataFrame({name: values * 3}), name))
    assert told.role is Role.SENSITIVE
    assert "give it the role weight" in told.check


def test_numbers_of_which_nothing_is_known_may_be_weights() -> None:
    may, may_not = ({"x": [12.345, 8.125, 9.875] * 2}, {"x": ["a", "b", "b"]})
    assert '"weight" if it says for how many people a row stands' in alone(facts_of(pl.DataFrame(may), "x")).check
    assert "weight" not in alone(facts_of(pl.DataFrame(may_not), "x")).check


@pytest.mark.parametrize("name", [name.strip() for name in HOUSEHOLD_NUMBERS.split(",")])
@pytest.mark.parametrize("text", [False, True])
def test_numbers_of_households_are_dropped_and_the_role_cluster_is_named(name: str, *, text: bool) -> None:
    numbers = 10_000 + np.cumsum(np.random.default_rng(3).random(300) < 0.4)
    values = [f"H{number}" for number in numbers] if text else numbers.tolist()
    told = alone(facts_of(pl.DataFrame({name: values}), name))
    assert told.role is Role.DROP
    assert 'role = "cluster"' in told.check


def test_one_row_for_each_household_has_its_number_as_identifier_and_its_size_is_known() -> None:
    own = pl.DataFrame({"household": range(100), "hid": range(100)})
    assert [alone(facts_of(own, name)).role for name in own.columns] == [Role.IDENTIFIER, Role.IDENTIFIER]
    sizes = pl.DataFrame({"household": [1, 2, 2, 3, 4] * 30, "household_type": [1, 2, 2, 3, 3] * 30})
    assert [alone(facts_of(sizes, name)).role for name in sizes.columns] == [Role.QUASI, Role.QUASI]
