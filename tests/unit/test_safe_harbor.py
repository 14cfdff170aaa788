"""HIPAA's 18 identifiers in a draft: found by name and by what values look like, each with its evidence."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any

import polars as pl
import pytest

from pellucid.core.schema import Role
from pellucid.drafting.draft import alone, facts_of
from pellucid.drafting.safe_harbor import RULES, safe_harbor


def found(name: str, values: list[Any]) -> list[tuple[str, str]]:
    return [(one.letter, one.evidence) for one in safe_harbor(pl.DataFrame({name: values}))]


def test_there_are_eighteen() -> None:
    assert [rule.letter for rule in RULES] == list("ABCDEFGHIJKLMNOPQR")


@pytest.mark.parametrize(
    ("values", "letter"),
    [
        (["+1 617 555 0100", "(617) 555-0199", "617.555.0111"], "D"),
        (["a@b.org", "c@d.com"], "F"),
        (["123-45-6789", "987-65-4321"], "G"),
        (["DE89370400440532013000", "GB29NWBK60161331926819"], "J"),
        (["1HGCM82633A004352", "1M8GDM9AXKP042788"], "L"),
        (["490154203237518", "356938035643809"], "M"),
        (["https://a.example", "www.b.example"], "N"),
        (["10.0.0.1", "2001:db8::1"], "O"),
        (["a.jpg", "b.PNG"], "Q"),
    ],
)
def test_what_values_look_like_is_evidence_whatever_the_column_is_called(values: list[str], letter: str) -> None:
    told = dict(found("x", values * 3))
    assert told[letter] == "100 % of its values look like it"


@pytest.mark.parametrize(
    ("name", "letter"),
    [
        ("last_name", "A"),
        ("zipCode", "B"),
        ("DOB", "C"),
        ("fax", "E"),
        ("medical_record_no", "H"),
        ("beneficiary", "I"),
        ("driver license", "K"),
        ("fingerprint", "P"),
    ],
)
def test_a_name_is_evidence(name: str, letter: str) -> None:
    assert letter in dict(found(name, ["x", "x"]))


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("municipality", "municipality"),
        ("gemeinde", "gemeinde"),
        ("Gemeinde_Nr", "gemeinde"),
        ("municipio_residencia", "municipio"),
        ("commune", "commune"),
        ("district", "district"),
        ("census_tract", "tract"),
        ("PUMA", "puma"),
    ],
)
def test_parts_of_a_state_are_known_by_the_words_of_a_draft(name: str, word: str) -> None:
    assert found(name, ["x", "y", "x"]) == [("B", f"its name says so ({word})")]


@pytest.mark.parametrize("name", ["state", "country", "Bundesland", "canton", "rural", "distance_km", "income"])
def test_a_state_and_what_is_larger_or_no_place_is_not_listed(name: str) -> None:
    assert found(name, ["x", "y", "x"]) == []


@pytest.mark.parametrize("name", ["hh_no", "household_id", "hhid", "Haushaltsnummer", "DB030"])
def test_a_number_of_households_is_a_number_that_names_people(name: str) -> None:
    ((letter, evidence),) = found(name, [1, 1, 2])
    assert letter == "R"
    assert evidence.startswith("it numbers households (")


def test_a_household_is_numbered_if_there_are_many_and_else_it_may_be_its_size() -> None:
    assert found("household", [1, 2, 3, 3]) == []
    assert found("household", [*range(40), *range(40)]) == [("R", "it numbers households (household)")]
    assert found("household_size", [*range(40), *range(40)]) == []
    assert found("hh_income", [100.5, 200.5, 200.5]) == []


def test_days_and_high_ages_are_identifiers_and_years_are_not() -> None:
    assert found("visit", [date(2020, 1, 1), date(2020, 1, 1)]) == [("C", "it has days, not only years")]
    assert found("visit", ["01/02/2020", "01/02/2020"]) == [("C", "100 % of its values look like days")]
    assert found("age", [40, 90, 90]) == [("C", "1 of 2 ages is above 89")]
    assert found("age", [40, 89, 89]) == []
    assert found("year", [1980, 1981, 1981]) == []


def test_what_is_neither_is_not_listed_and_what_names_each_row_is() -> None:
    assert found("disease", ["flu", "cold", "flu"]) == []
    assert found("thing", ["u1", "u2", "u3"]) == [("R", "every row has a value of its own")]
    assert found("weight", [50.1, 60.2]) == []  # measured


DRAWN = 200
NO_DAYS = {  # the range of each number, the mark between them, and the letter of what they are
    "social security": ([(100, 900), (10, 13), (1000, 9999)], "-", "G"),
    "internet": ([(1, 29)] * 4, ".", "O"),
    "wide internet": ([(0, 256)] * 4, ".", "O"),
    "telephone": ([(100, 999), (100, 999), (1000, 9999)], "-", "D"),
    "short telephone": ([(555, 556), (10, 13), (10, 29)], "-", ""),
    "tax number": ([(10, 31), (10**6, 10**7)], "-", ""),
    "version": ([(1, 9)] * 3, ".", ""),
    "outline": ([(1, 12)] * 5, ".", ""),
    "pension": ([(756, 757), (1000, 9999), (1000, 9999), (10, 99)], ".", ""),
}


def numbers(what: str) -> list[str]:
    ranges, mark, _ = NO_DAYS[what]
    coins = random.Random(what)
    return [mark.join(str(coins.randrange(*ends)) for ends in ranges) for _ in range(DRAWN)]


@pytest.mark.parametrize("what", NO_DAYS)
def test_numbers_with_marks_between_them_are_no_days(what: str) -> None:
    told, (_, _, letter) = dict(found("x", numbers(what))), NO_DAYS[what]
    assert "C" not in told
    assert not letter or letter in told
    # nor does the draft take them for something that a clock has measured
    assert not facts_of(pl.DataFrame({"x": numbers(what)}), "x").measured


@pytest.mark.parametrize("mark", ["-", "/", "."])
@pytest.mark.parametrize("written", ["%Y{}%m{}%d", "%d{}%m{}%Y", "%m{}%d{}%Y", "%d{}%m{}%y", "%y{}%m{}%d"])
@pytest.mark.parametrize("clock", ["", " 08:30", "T08:30:00", "T08:30:00Z"])
def test_days_are_known_however_they_are_written(written: str, mark: str, clock: str) -> None:
    coins = random.Random(f"{written}{mark}")
    days = [date(1930, 1, 1) + timedelta(days=coins.randrange(36_000)) for _ in range(DRAWN)]
    texts = [f"{day.strftime(written.format(mark, mark))}{clock}" for day in days]
    assert found("x", [*texts, *texts]) == [("C", "100 % of its values look like days")]
    if "Y" in written:  # 3.9.2024
        short = [text.replace(f"{mark}0", mark).removeprefix("0") for text in texts]
        assert dict(found("x", short))["C"] == "100 % of its values look like days"


PLANS = """
    health_plan_no, healthPlanNumber, Health Plan ID, plan_id, INSURANCE_NO, insurance_id, policy_nr, policyNumber,
    member_id, Member No., subscriberId, medicare_number, medicaid_id, beneficiary, hicn, Versichertennummer,
    versicherten_nr, Krankenversichertennummer, Krankenversicherungsnr, krankenkassennummer, KVNR, Policennummer,
    numero_assure, n_adherent, N° adhérent, numéro d'assuré, numero_mutuelle, carte_vitale, numero_afiliado,
    número de póliza, tarjeta_sanitaria, numero_de_asegurado, numero_utente, cartao_sus, número da apólice,
    codice_assistito, tessera sanitaria, numero_polizza, polisnummer, verzekerdennummer
"""
NO_PLANS = """
    plan, health_plan, insurance, diet_plan, plan_type, policy, health, member, versicherung, mutuelle, assurance,
    krankenkasse, health_status, insurance_type, planned, kranken
"""


@pytest.mark.parametrize("name", [name.strip() for name in PLANS.split(",")])
def test_a_health_plans_number_is_known_by_its_name(name: str) -> None:
    assert "I" in dict(found(name, ["x", "x"]))
    assert "R" not in dict(found(name, ["x", "y"]))


@pytest.mark.parametrize("name", [name.strip() for name in NO_PLANS.split(",")])
def test_the_plan_itself_is_none(name: str) -> None:
    assert "I" not in dict(found(name, ["x", "x"]))


@pytest.mark.parametrize("name", ["health_plan_no", "health insurance number", "insurance_id", "medicare_no"])
def test_the_number_of_an_insurance_is_drafted_as_neither_known_nor_sensitive(name: str) -> None:
    repeated = alone(facts_of(pl.DataFrame({name: ["H1", "H2", "H2", "H3"]}), name))
    own = alone(facts_of(pl.DataFrame({name: ["H1", "H2", "H3", "H4"]}), name))
    assert (repeated.role, own.role) == (Role.DROP, Role.IDENTIFIER)
