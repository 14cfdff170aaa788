"""HIPAA's 18 identifiers in a draft: found by name and by what values look like, each with its evidence."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
import pytest

from pellucid.app.drafting.safe_harbor import RULES, safe_harbor


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
