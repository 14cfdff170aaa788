"""What newcomers stumbled on, in a real browser: what follows a change, what is said in words, what leads on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from web.serving import Served
from web.test_browser import done, follow, press
from web.test_import import open_file

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = {"V01": "Age in years", "V02": "Sex", "V03": "Highest degree obtained", "V04": "Illness at present"}


def survey(folder: Path, rows: int = 120) -> Path:
    """A file of SPSS whose names say nothing, and whose labels do; some rows have no illness."""
    pyreadstat = pytest.importorskip("pyreadstat", reason="the extra 'statistics' is not installed")
    illness = [float(1 + row % 4) if row % 10 else None for row in range(rows)]
    frame = pd.DataFrame(
        {
            "V01": [20.0 + row % 50 for row in range(rows)],
            "V02": [1.0 + row % 2 for row in range(rows)],
            "V03": [1.0 + row // 7 % 3 for row in range(rows)],
            "V04": illness,
        }
    )
    labels = {
        "V02": {1.0: "male", 2.0: "female"},
        "V03": {1.0: "school", 2.0: "college", 3.0: "doctorate"},
        "V04": {1.0: "none", 2.0: "asthma", 3.0: "diabetes", 4.0: "HIV"},
    }
    path = folder / "survey.sav"
    pyreadstat.write_sav(frame, path, column_labels=list(NAMES.values()), variable_value_labels=labels)
    return path


def test_labels_of_columns_are_shown_and_say_what_the_columns_are(page: Page, tmp_path: Path) -> None:
    open_file(page, survey(tmp_path))
    head = page.locator("table.rows thead").inner_text()
    assert all(label in head for label in NAMES.values())
    follow(page, "Next: Roles")
    roles = {name: page.get_by_label(f"Role of {name}").input_value() for name in NAMES}
    assert roles == {"V01": "quasi", "V02": "quasi", "V03": "quasi", "V04": "sensitive"}
    row = page.locator("table.roles tbody tr", has_text="V02")
    assert "Sex" in row.inner_text()
    assert "its label says so" in row.inner_text()


def test_what_is_unique_and_how_it_is_published_follow_each_choice(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = [f"{20 + row % 40},{1000 + row % 7},{row % 2},{'abcd'[row % 4]}" for row in range(80)]
    path.write_text("\n".join(["age,zip,sex,disease", *rows]) + "\n")
    open_file(page, path)
    follow(page, "Next: Roles")
    uniques = page.locator("#uniques")
    for name, role in (("age", "quasi"), ("zip", "drop"), ("sex", "drop"), ("disease", "sensitive")):
        page.get_by_label(f"Role of {name}").select_option(role)
    page.locator("#uniques", has_text="0 % of rows are unique on age (0 of 80)").wait_for()
    page.locator("#published-1", has_text="not published").wait_for()
    assert "zip" not in uniques.inner_text()
    page.get_by_label("Role of zip").select_option("quasi")
    page.locator("#uniques", has_text="100 % of rows are unique on age + zip (80 of 80)").wait_for()
    page.get_by_label("Role of age").select_option("drop")
    page.get_by_label("Role of zip").select_option("drop")
    page.locator("#uniques", has_text="No column has the role").wait_for()
    press(page, "Save the roles")
    assert "No column has the role" in uniques.inner_text()  # and not what the suggestions would single out


def test_every_column_at_once_is_given_a_role_by_nobody(page: Page, server: Served, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"{'a_very_long_name_of_a_column_' * 3}{at}" for at in range(9)]
    path.write_text(
        "\n".join([",".join(names), *(",".join(str(row * at % 5) for at in range(9)) for row in range(30))])
    )
    open_file(page, path)
    page.goto(f"{server.origin}/roles")
    before = [one.input_value() for one in page.locator("table.roles select").all()]
    page.get_by_role("button", name="Give this role").click()
    page.get_by_text("Tick some columns first").wait_for()
    assert [one.input_value() for one in page.locator("table.roles select").all()] == before
    # and long names leave room for everything else
    right = page.locator("table.roles thead th").last.evaluate("cell => cell.getBoundingClientRect().right")
    assert right <= 1280


def test_the_promise_stands_beside_the_slider_and_rare_settings_are_folded(
    page: Page, server: Served, tmp_path: Path
) -> None:
    open_file(page, survey(tmp_path))
    follow(page, "Next: Roles")
    press(page, "Next: Method")
    done(page)
    page.wait_for_url("**/method")
    bottom = page.locator(".promise").evaluate("box => box.getBoundingClientRect().bottom")
    assert bottom <= 900  # without scrolling, the window being 900 high
    assert not page.locator("#p-k").is_visible()
    assert page.locator("#p-cluster_rows").count() == 0  # no column is a cluster
    page.get_by_text("More settings").click()
    page.locator("#p-k").fill("7")
    page.get_by_label("asthma").check()  # though some rows are empty
    page.get_by_text("may be told with certainty").wait_for()
    assert "Empty values (12 rows) cannot be ticked" in page.locator("#setting").inner_text()
    press(page, "Publish with this setting")
    done(page)
    page.goto(f"{server.origin}/method")
    assert page.locator("#p-k").input_value() == "7"
    assert page.locator("#p-k").is_visible()  # what was chosen shows


def test_compare_leads_on_and_says_which_methods_leak(page: Page, server: Served) -> None:
    press(page, "Eight patients")
    done(page)
    follow(page, "Next: Roles")
    press(page, "Next: Method")
    done(page)
    press(page, "Publish with this setting")
    done(page)
    page.goto(f"{server.origin}/result/compare")
    ticks = {" ".join(one.inner_text().split()) for one in page.locator(".ticks .choice").all()}
    assert "soft-cut" in ticks
    assert "mondrian (leaks)" in ticks
    follow(page, "Next: Release")
    assert page.get_by_role("heading", level=1).inner_text() == "Hand it out"
