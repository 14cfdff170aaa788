"""Step 1 in a real browser: how a file is read is guessed, shown, and changes as one chooses; other programs' files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from web.serving import Served
from web.test_browser import done, press
from workbooks import write_xlsx

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROWS = "39;2,5;03.04.1980;M\xfcnchen\n50;-9;05.06.1990;K\xf6ln\n38;7,25;07.08.1970;K\xf6ln\n41;1;09.10.1970;Bonn\n"


def open_file(page: Page, path: Path) -> None:
    if page.get_by_text("Open another table").count():  # folded while a table is open
        page.get_by_text("Open another table").click()
    page.get_by_label("A table, one row per person").set_input_files(path)
    press(page, "Open")
    done(page)


def first_rows(page: Page) -> str:
    return page.locator("#first-rows table").inner_text()


def test_each_guess_is_shown_and_the_preview_follows_each_choice(page: Page, server: Served, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(ROWS.encode("cp1252"))
    open_file(page, path)
    assert "no header" in page.locator("#reading summary").inner_text()
    page.locator("#reading summary").click()
    for label, value in (
        ("Between the fields", ";"),
        ("Decimals", ","),
        ("Encoding of letters", "cp1252"),
        ("First line", "no"),
        ("Dates", "dmy"),
    ):
        assert page.get_by_label(label, exact=True).input_value() == value, label
    page.get_by_label("First line", exact=True).select_option("yes")
    page.locator("#first-rows table th", has_text="39").wait_for()
    page.get_by_label("First line", exact=True).select_option("no")
    page.locator("#first-rows table th", has_text="column_2").wait_for()
    page.get_by_label("In every column").fill("-9, Bonn")
    page.locator("#first-rows .null").nth(1).wait_for()
    assert "decimal number" in first_rows(page)
    page.get_by_label("Decimals", exact=True).select_option(".")
    page.locator("#first-rows", has_text="2,5").wait_for()
    page.get_by_label("Decimals", exact=True).select_option(",")
    page.get_by_label("Dates", exact=True).select_option("mdy")
    assert server.session.form == {"header": False, "decimal": ","}, "nothing changes before the button is pressed"
    press(page, "Read it like this")
    done(page)
    columns = server.session.columns
    assert columns["column_2"].missing == ("-9",)
    assert columns["column_4"].missing == ("Bonn",)
    assert columns["column_3"].date_order == "mdy"
    assert server.session.data is not None
    assert [one["type"] for one in server.session.data["columns"]][:2] == ["whole number", "decimal number"]
    assert page.get_by_label("In every column").input_value() == "-9, Bonn"
    assert "[file]" in server.session.toml
    assert 'decimal = ","' in server.session.toml


def test_a_workbook_and_a_survey_with_labels_are_opened(page: Page, server: Served, tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    diseases = ["flu", "cold", "gout", "ulcer"]
    people = [["age", "disease"], *([20 + i // 4, diseases[i % 4]] for i in range(80))]
    book = write_xlsx(tmp_path / "people.xlsx", {"notes": [["what", "when"], ["made", "May"]], "people": people})
    open_file(page, book)
    page.locator("#reading summary").click()
    page.get_by_label("Sheet", exact=True).select_option("people")
    page.locator("#first-rows table", has_text="disease").wait_for()
    press(page, "Read it like this")
    done(page)
    assert "80 rows" in page.locator("p.facts").inner_text()
    assert server.session.form["sheet"] == "people"
    frame = pd.DataFrame({"age": [20 + i // 4 for i in range(80)], "pay": [1 + i % 4 for i in range(80)]})
    survey = tmp_path / "survey.sav"
    pyreadstat.write_sav(frame, survey, variable_value_labels={"pay": {1: "low", 2: "mid", 3: "high", 4: "top"}})
    open_file(page, survey)
    assert page.locator("#reading").count() == 0, "the file says it all itself"
    assert "low" in page.get_by_role("region", name="First rows of the table").inner_text()
