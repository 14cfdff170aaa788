"""Step 1 in a real browser: how a file is read is guessed, shown, and changes as one chooses; other programs' files."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from web.serving import PATIENCE, Served
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
        ("Decimal sign", ","),
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
    page.get_by_label("Decimal sign", exact=True).select_option(".")
    page.locator("#first-rows", has_text="2,5").wait_for()
    page.get_by_label("Decimal sign", exact=True).select_option(",")
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


def test_a_preview_calls_a_column_what_it_is_called_once_it_is_read(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = (
        f"{1 + n % 2},{20 + n % 60},{1 + n % 28:02d}.{1 + n % 12:02d}.1980,{n / 4},town {n % 7}\n" for n in range(400)
    )
    path.write_text(f"SEX,age,born,pay,town\n{''.join(rows)}", encoding="utf-8")
    open_file(page, path)
    words = """(where) => [...document.querySelectorAll(`${where} thead th`)]
      .map((one) => [one.querySelector(".type").textContent, one.className])"""
    read = page.evaluate(words, "main > .scroll")
    assert read == [["category", ""], ["whole number", "n"], ["date", ""], ["decimal number", "n"], ["text", ""]]
    page.locator("#reading summary").click()
    page.get_by_label("In every column").fill("town 3")
    page.locator("#first-rows .null").first.wait_for()
    assert page.evaluate(words, "#first-rows") == read


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be halted there")
def test_what_is_chosen_is_read_while_its_first_rows_are_still_being_read(
    page: Page, server: Served, tmp_path: Path
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(ROWS.encode("cp1252"))
    open_file(page, path)
    page.locator("#reading summary").click()
    worker = server.session.jobs._worker
    assert worker is not None
    os.killpg(worker._process.pid, signal.SIGSTOP)  # the first rows are never done
    with page.expect_request("**/data/preview"):
        page.get_by_label("Dates", exact=True).select_option("mdy")
    until = time.monotonic() + PATIENCE
    while server.session.jobs.running is None:
        assert time.monotonic() < until, "the first rows are not being read"
        page.wait_for_timeout(20)
    press(page, "Read it like this")
    assert page.get_by_role("alert").count() == 0
    done(page)
    assert server.session.columns["column_3"].date_order == "mdy"


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


def test_the_decimal_comma_in_cells_of_a_workbook_is_guessed_and_can_be_changed(
    page: Page, server: Served, tmp_path: Path
) -> None:
    diseases = ["flu", "cold", "gout", "ulcer"]
    people = [["bmi", "disease"], *([f"{20 + i // 4},{i % 4}", diseases[i % 4]] for i in range(80))]
    book = write_xlsx(tmp_path / "people.xlsx", {"people": people})
    open_file(page, book)
    summary = page.locator("#reading summary")
    assert "decimal comma" in summary.inner_text()
    summary.click()
    sign = page.get_by_label("Decimal sign", exact=True)
    assert sign.input_value() == ","
    assert server.session.data is not None
    assert server.session.data["columns"][0]["type"] == "decimal number"
    sign.select_option(".")
    page.locator("#first-rows", has_text="20,1").wait_for()
    press(page, "Read it like this")
    done(page)
    assert server.session.data["columns"][0]["type"] == "text"
    page.goto(f"{server.origin}/roles")
    told = page.locator("body").text_content() or ""
    assert "choose the comma at “Decimal sign” at step 1" in told
    assert "--decimal" not in told, "that is for a terminal"


def test_texts_with_commas_in_a_survey_file_have_a_decimal_sign_too(page: Page, server: Served, tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    survey = tmp_path / "survey.sav"
    pyreadstat.write_sav(pd.DataFrame({"bmi": ["20,5", "21,25"] * 20, "pay": ["low", "high"] * 20}), survey)
    open_file(page, survey)
    page.locator("#reading summary").click()
    assert page.get_by_label("Decimal sign", exact=True).input_value() == ","
    assert page.get_by_label("First line", exact=True).count() == 0, "the file has names"
    assert server.session.form == {"decimal": ","}
    assert server.session.data is not None
    assert server.session.data["columns"][0]["type"] == "decimal number"
    page.get_by_label("Decimal sign", exact=True).select_option(".")
    press(page, "Read it like this")
    done(page)
    assert server.session.data["columns"][0]["type"] == "text"
    assert page.get_by_label("Decimal sign", exact=True).input_value() == ".", "it can be chosen again"
