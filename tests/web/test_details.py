"""Details of a column: nothing that a steward types is lost, and what cannot be is told when Save is pressed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import httpx
import pytest

from web.serving import Served, csv_of
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from pellucid.core.schema import Column, Kind
from pellucid.web.details import details_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

TABLE = "age,town,born,zip,ill\n" + "".join(
    f"{20 + i},{('Rome', 'Oslo', '?')[i % 3]},19{50 + i}-02-03,130{i % 10}{i % 7},{'abcd'[i % 4]}\n" for i in range(24)
)
TREE = "Rome;warm;*\nOslo;cold;*\n"
AGE, TOWN, BORN, ZIP, ILL = range(5)
EMPTY = {"taxonomy": "none", "ladder": "", "dates": "", "prefix": "", "order": "", "kind": "", "missing": ""}
FORM = {"role": "quasi", **EMPTY, "nulls": "value"}


def form_at(steward: httpx.Client, number: int) -> dict[str, str]:
    """What the page of a column would send as it stands."""
    page = steward.get(f"/roles/{number}").text
    sent = dict(re.findall(r'<input type="(?:text|hidden)"[^>]* name="([^"]+)"[^>]*? value="([^"]*)"', page))
    for name, inner in re.findall(r'<select id="\w+" name="(\w+)">(.*?)</select>', page, re.DOTALL):
        sent[name] = re.findall(r'<option value="(\w*)" selected', inner)[0]
    return sent | dict(re.findall(r'type="radio" name="(taxonomy)" id="[^"]+" value="(\w+)" checked', page))


@pytest.mark.parametrize(
    ("number", "box", "text", "stored"),
    [
        (AGE, "ladder", "5, 10, 20", {"ladder": (5, 10, 20)}),
        (BORN, "dates", "month, year", {"dates": ("month", "year")}),
        (ZIP, "prefix", "4, 3", {"prefix": (4, 3)}),
    ],
)
def test_a_box_that_was_filled_in_counts_though_its_choice_was_not_made(
    server: Served, steward: httpx.Client, number: int, box: str, text: str, stored: dict[str, object]
) -> None:
    opened(server, steward, TABLE)
    assert steward.post(f"/roles/{number}", data={**FORM, box: text}).status_code == 303
    server.wait()
    source = list(server.session.columns.values())[number].taxonomy
    assert source is not None
    assert source.model_dump(exclude_none=True) == stored
    told = text_of(steward.get(f"/roles/{number}"))
    assert "is saved. Because its" in told
    assert "is now chosen." in told


def test_values_upward_make_the_kind_ordered(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    assert steward.post(f"/roles/{TOWN}", data={**FORM, "order": "Rome, Oslo, ?"}).status_code == 303
    server.wait()
    assert server.session.columns["town"].kind is Kind.ORDERED
    assert server.session.columns["town"].order == ("Rome", "Oslo", "?")
    assert "the kind is now “ordered”" in text_of(steward.get(f"/roles/{TOWN}"))


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (
            {"ladder": "5", "prefix": "3"},
            "is chosen and “An interval ladder” and “The first characters” are filled in",
        ),
        ({"taxonomy": "ladder", "ladder": "5", "prefix": "3"}, "“The first characters” is filled in too; empty one"),
        ({"taxonomy": "ladder"}, "An interval ladder: it is chosen and its widths are not written"),
        ({"taxonomy": "file"}, "“A tree of broader names from a file” is chosen and no file"),
        ({"kind": "number", "order": "1, 2"}, "Values upward: values are written, and the kind chosen is “number”"),
        ({"kind": "ordered"}, "the kind “ordered” is chosen, and the values are not written"),
        ({"low": "3", "high": ""}, "Lowest and highest possible number: only one of the two is written"),
    ],
)
def test_where_a_box_can_be_meant_in_two_ways_the_page_asks_and_keeps_what_was_typed(
    server: Served, steward: httpx.Client, typed: dict[str, str], told: str
) -> None:
    opened(server, steward, TABLE)
    before = dict(server.session.columns)
    refused = steward.post(f"/roles/{AGE}", data={**FORM, "missing": "-9", "nulls": "reject", **typed})
    assert refused.status_code == 422
    assert told in text_of(refused)
    assert server.session.columns == before
    for text in ("-9", *(value for name, value in typed.items() if value and name not in ("taxonomy", "kind"))):
        assert f'value="{text}"' in refused.text
    assert '<option value="reject" selected' in refused.text


def test_what_is_stored_is_not_taken_for_something_typed(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post(f"/roles/{AGE}", data={**FORM, "taxonomy": "ladder", "ladder": "5, 10"})
    server.wait()
    sent = form_at(steward, AGE)
    assert (sent["taxonomy"], sent["ladder"]) == ("ladder", "5, 10")
    assert steward.post(f"/roles/{AGE}", data={**sent, "taxonomy": "none"}).status_code == 303
    server.wait()
    assert server.session.columns["age"].taxonomy is None
    assert "“An interval ladder” is no longer used" in text_of(steward.get(f"/roles/{AGE}"))
    column = Column(role="quasi", kind="ordered", order=["a", "b"])
    found = details_of({"kind": "category", "order": "a, b"}, column, "category")
    assert (found.said["order"], found.wrong) == (None, [])
    assert found.understood != []


def test_a_tree_is_taken_together_with_everything_else_on_the_page(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    form = {**FORM, "role": "carry", "missing": "?"}
    assert steward.post(f"/roles/{TOWN}", data=form, files=csv_of(TREE, "towns.csv")).status_code == 303
    server.wait()
    column = server.session.columns["town"]
    assert (column.role, column.missing) == ("carry", ("?",))
    assert column.taxonomy is not None
    assert column.taxonomy.tree is not None
    page = steward.get(f"/roles/{TOWN}").text
    assert page.partition("<main")[2].count("<form ") == 1  # a second form would leave the first one behind
    assert "The tree towns.csv is taken for the column town." in page


def test_what_was_typed_beside_a_tree_that_does_not_fit_is_still_there(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    form = {**FORM, "missing": "n/a, ?", "nulls": "reject"}
    refused = steward.post(f"/roles/{TOWN}", data=form, files=csv_of("Rome;warm;*\n", "towns.csv"))
    assert refused.status_code == 422
    assert 'value="n/a, ?"' in refused.text
    assert '<option value="reject" selected' in refused.text
    assert "Choose the file once more" in refused.text
    refused = steward.post(f"/roles/{TOWN}", data={**form, "ladder": "5"}, files=csv_of(TREE, "towns.csv"))
    assert "are filled in too" in text_of(refused)
    assert server.session.columns["town"].taxonomy is None


def test_all_that_does_not_fit_is_told_at_once_and_in_words_of_the_page(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    before = dict(server.session.columns)
    form = {**FORM, "kind": "number", "missing": "Oslo", "nulls": "reject"}
    refused = steward.post(f"/roles/{TOWN}", data=form)
    assert refused.status_code == 422
    told = text_of(refused)
    assert "Empty values: they are an error here, and 8 of 24 rows are empty" in told
    assert "Kind of values: ?, Rome are no numbers; choose another kind, or write them into “Texts that stand" in told
    both = text_of(steward.post(f"/roles/{AGE}", data={**FORM, "ladder": "5, 7", "low": "25", "high": "90"}))
    assert "7 in [5, 7] is not a multiple of 5" in both
    assert "20, 21, 22 and 2 more lie outside 25 to 90" in both
    assert not re.search(r"\b(kind|missing|nulls|domain) = ", told)
    assert server.session.columns == before


@pytest.mark.parametrize(
    ("number", "typed", "told"),
    [
        (AGE, {"low": "25", "high": "40"}, "20, 21, 22 and 5 more lie outside 25 to 40"),
        (AGE, {"ladder": "5, 7"}, "An interval ladder: 7 in [5, 7] is not a multiple of 5"),
        (
            AGE,
            {"dates": "month"},
            "20, 21, 22 and 21 more are no dates; this is for dates: take it away",
        ),
        (AGE, {"kind": "category", "ladder": "5"}, "this is for the kind “number”, and the kind chosen is “category”"),
        (TOWN, {"ladder": "5"}, "An interval ladder: ?, Oslo, Rome are no numbers"),
        (TOWN, {"low": "0", "high": "9"}, "Lowest and highest possible number: ?, Oslo, Rome are no numbers"),
        (TOWN, {"order": "Rome, Oslo"}, "Values upward: the column also has ?; write every value"),
        (BORN, {"dates": "year, month"}, "Parts of dates: "),
        (
            BORN,
            {"low": "1960-01-01", "high": "1990-01-01"},
            "1951-02-03, 1952-02-03 and 7 more lie outside",
        ),
        (BORN, {"low": "1960", "high": "1990-01-01"}, "'1960' is not a date; write dates as 2024-01-31"),
    ],
)
def test_what_the_values_are_not_is_told_when_it_is_saved(
    server: Served, steward: httpx.Client, number: int, typed: dict[str, str], told: str
) -> None:
    opened(server, steward, TABLE)
    before = dict(server.session.columns)
    refused = steward.post(f"/roles/{number}", data={**FORM, **typed})
    assert refused.status_code == 422
    assert told in text_of(refused)
    assert server.session.columns == before


def test_ends_of_dates_are_dates(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    ends = {"low": "1900-01-01", "high": "2000-12-31"}
    assert steward.post(f"/roles/{BORN}", data={**FORM, **ends}).status_code == 303
    server.wait()
    assert "domain = [1900-01-01, 2000-12-31]" in steward.get("/roles/schema.toml").text
    assert form_at(steward, BORN)["low"] == "1900-01-01"
    steward.post("/roles", data={"role-4": "sensitive", "role-3": "drop", "then": "method"})
    server.wait()
    assert server.session.checked is not None


def test_a_page_of_details_offers_what_the_column_can_have(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data={"role-0": "quasi", "role-1": "quasi", "role-2": "quasi", "role-4": "sensitive"})
    age, town, born, ill = (text_of(steward.get(f"/roles/{number}")) for number in (AGE, TOWN, BORN, ILL))
    assert "An interval ladder" not in ill
    assert "A protected value is published as it is" in ill
    assert "Lowest and highest possible number" in age
    assert "Lowest and highest possible" not in town
    assert "Lowest and highest possible date" in born
    assert "[21, 27]" in age
    assert "[21, 27]" not in born + town
    assert "ranges such as [2021-03-01, 2021-05-31]" in born


def test_typing_widths_makes_the_choice_and_no_role_is_cut(page: Page, server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    page.goto(f"{server.origin}/roles/{AGE}")
    page.get_by_label("Widths of the ladder").fill("5, 10")
    assert page.locator("#t-ladder").is_checked()
    needed = """() => { const select = document.getElementById("role"), probe = document.createElement("span");
      probe.style.cssText = "position: absolute; white-space: nowrap; font: " + getComputedStyle(select).font;
      document.body.append(probe);
      const widths = [...select.options].map((one) => { probe.textContent = one.text; return probe.offsetWidth; });
      probe.remove();
      return Math.max(...widths) - select.clientWidth; }"""
    assert page.evaluate(needed) < 0
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("heading", name="The taxonomy").wait_for()


def test_what_is_for_one_kind_of_values_is_shown_while_they_are_of_it(
    page: Page, server: Served, steward: httpx.Client
) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data={"role-0": "quasi", "role-1": "quasi", "role-2": "quasi", "role-4": "sensitive"})
    choices = {"number": "#t-ladder", "date": "#t-dates", "category": "#t-prefix", "ordered": "#order"}
    seen = {AGE: {"number", "category"}, TOWN: {"category"}, BORN: {"date"}}  # a zip code may be a number
    for column, kinds in seen.items():
        page.goto(f"{server.origin}/roles/{column}")
        assert {kind for kind, place in choices.items() if page.locator(place).is_visible()} == kinds
        assert page.locator("#t-lines").is_visible()
    page.get_by_label("Kind of values").select_option("ordered")
    assert page.locator("#order").is_visible()
    assert not page.locator("#t-dates").is_visible()
    page.get_by_label("Kind of values").select_option("number")
    page.get_by_label("Widths of the ladder").fill("5, 10")
    page.get_by_label("Kind of values").select_option("date")
    assert page.locator("#t-ladder").is_visible()  # it is what was chosen


WRITTEN = "age,born,ill\n" + "".join(f"{20 + i},0{1 + i % 9}/0{1 + i % 7}/1980,{'abcd'[i % 4]}\n" for i in range(24))


def test_a_steward_says_how_dates_are_written(server: Served, steward: httpx.Client) -> None:
    """Dates that can be read in two ways: the kind alone is refused with what to choose, and then it can be chosen."""
    opened(server, steward, WRITTEN)
    assert "How dates are written" not in text_of(steward.get("/roles/0"))
    asked = steward.post("/roles/1", data={**FORM, "kind": "date"})
    assert asked.status_code == 422
    assert "How dates are written: the day and the month of" in text_of(asked)
    assert "choose which is first" in text_of(asked)
    assert '<select id="date_order"' in asked.text
    assert steward.post("/roles/1", data={**FORM, "kind": "date", "date_order": "mdy"}).status_code == 303
    server.wait()
    assert (server.session.columns["born"].kind, server.session.columns["born"].date_order) == (Kind.DATE, "mdy")
    assert form_at(steward, 1)["date_order"] == "mdy"
    assert steward.post("/roles/1", data=form_at(steward, 1)).status_code == 303
    server.wait()
    assert server.session.columns["born"].date_order == "mdy"


def test_an_order_of_dates_goes_with_dates() -> None:
    dated = Column(role="quasi", date_order="dmy")
    assert "date_order" not in details_of({"kind": "", "date_order": "dmy"}, dated, "date").said
    assert details_of({"kind": "number"}, dated, "date").said["date_order"] is None
    wrong = details_of({"kind": "number", "date_order": "mdy"}, dated, "date").wrong
    assert wrong == [
        "How dates are written: this is for the kind “date”, and the kind chosen is “number”; change one of the two"
    ]
