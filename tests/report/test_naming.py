"""The report for the file says which published column names people; ranges, broader names and rounded values do not."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.core.schema import Roles
from pellucid.reports.opened import given_of
from pellucid.reports.published import published_of

ROWS = 40
TREE = pc.Schema(
    columns={
        "card": pc.Column(role="quasi", taxonomy={"tree": {"*": [f"v{i}" for i in range(10)]}}),  # type: ignore[arg-type]
        "ill": pc.Column(role="sensitive"),
    }
)
NUMBERS = [10_000 + 7 * i for i in range(ROWS)]


def people(**more: list[Any]) -> pl.DataFrame:
    """People with a column that may name them."""
    return pl.DataFrame({"age": [20 + i % 5 for i in range(ROWS)], **more, "ill": ["abcd"[i % 4] for i in range(ROWS)]})


def warned(frame: pl.DataFrame, audience: str = "private", **how: Any) -> list[str]:
    """The columns that the report warns of."""
    known = [name for name in [*how.get("quasi", ()), *how.get("carry", ())] if name != "age"]
    asked = {"accept_known": known, **how}  # without a word from the steward names are refused
    release = pc.publish(frame, pc.Hybrid(l=2), **asked)
    page = pc.report(release, frame, audience=audience, metrics=[], attacks=None).html  # type: ignore[arg-type]
    before, _, after = unescape(page).partition('<section id="signature">')
    first, again = (
        re.findall(r'<p class="warning"><strong>(\S+) names people\.</strong>', half) for half in (before, after)
    )
    assert first == again  # named before it is signed, and explained in the details
    return again


@pytest.mark.parametrize("role", ["quasi", "carry", "sensitive"])
def test_a_text_that_is_everybodys_own_is_told(role: str) -> None:
    roles: dict[str, list[str]] = {"quasi": ["age"], "sensitive": ["ill"], "carry": []}
    frame = people(card=[f"c{number}" for number in NUMBERS])
    if role == "sensitive":
        roles |= {"sensitive": ["card"], "carry": ["ill"]}
    else:
        roles[role] = [*roles[role], "card"]
    assert warned(frame, quasi=roles["quasi"], carry=roles["carry"], sensitive=roles["sensitive"][0]) == ["card"]


def test_everybody_reads_nothing_of_it() -> None:
    frame = people(card=[f"c{number}" for number in NUMBERS])
    assert warned(frame, "public", quasi=["age"], carry=["card"], sensitive="ill") == []


@pytest.mark.parametrize(("different", "told"), [(38, ["card"]), (37, [])])
def test_nearly_is_95_of_100(different: int, told: list[str]) -> None:
    frame = people(card=[f"c{min(i, different - 1)}" for i in range(ROWS)])
    assert warned(frame, quasi=["age", "card"], sensitive="ill") == told


def test_nulls_are_nobodys_own() -> None:
    frame = people(card=[None if i % 2 else f"c{i}" for i in range(ROWS)])
    assert warned(frame, quasi=["age", "card"], sensitive="ill") == ["card"]


def test_ranges_of_numbers_name_nobody_and_numbers_themselves_do() -> None:
    frame = people(income=NUMBERS)
    assert warned(frame, quasi=["age", "income"], sensitive="ill") == []
    assert warned(frame, quasi=["age", "income"], sensitive="ill", recode=pc.Anatomy()) == ["income"]


def test_ranges_of_record_numbers_are_told_as_the_pages_tell_them() -> None:
    for name in ("patient_no", "xyz"):
        frame = people(**{name: NUMBERS})
        assert warned(frame, quasi=["age", name], sensitive="ill", accept_known=[name]) == [name]
    fractions = people(xyz=[number / 8 for number in NUMBERS])
    assert warned(fractions, quasi=["age", "xyz"], sensitive="ill") == []


def test_where_the_name_says_that_it_names_people_half_of_them_is_enough() -> None:
    for name, told in (("surname", ["surname"]), ("town", [])):
        frame = people(**{name: [f"v{min(i, 23)}" for i in range(ROWS)]})
        assert warned(frame, quasi=["age", name], sensitive="ill", accept_known=[name]) == told


def test_one_value_that_one_person_has_tells_nobody_apart() -> None:
    frame = people(card=["c1", *([None] * (ROWS - 1))])
    assert warned(frame, quasi=["age", "card"], sensitive="ill") == []


@pytest.mark.parametrize(("values", "told"), [(4, False), (5, True)])
def test_a_column_has_values_where_half_of_its_cells_are_some(values: int, told: bool) -> None:
    cells = [*(f"v{i}" for i in range(values)), *(["*"] * (10 - values))]
    frame = pl.DataFrame({"card": cells, "ill": list("abcdeabcde")})
    (card, ill) = published_of(given_of(frame, Roles(quasi=["card"], sensitive="ill")), TREE).columns
    assert (card.has_values, ill.has_values) == (told, True)


def test_broader_names_name_nobody() -> None:
    columns = {
        "age": pc.Column(role="quasi"),
        "card": pc.Column(role="quasi", kind="category", taxonomy={"prefix": [3, 1]}),  # type: ignore[arg-type]
        "ill": pc.Column(role="sensitive"),
    }
    frame = people(card=[f"c{number}" for number in NUMBERS])
    assert warned(frame, schema=pc.Schema(columns=columns), recode=pc.Taxonomy()) == []
