"""Step 2 with three hundred columns, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pellucid.core.schema import Role
from web.serving import Served
from web.test_browser import press
from web.test_import import open_file

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Page

COUNT_SWAPS = """() => {
  window.swapped = 0;
  for (const name of ["htmx:afterSwap", "htmx:oobAfterSwap"]) document.addEventListener(name, () => { swapped += 1; });
}"""


def test_three_hundred_columns_are_found_sorted_and_given_roles_at_once(
    page: Page, server: Served, tmp_path: Path
) -> None:
    names = [f"{'answer' if at % 2 else 'measure'}_{at}" for at in range(300)]
    rows = [[str((row * (at + 1)) % (2 + at)) for at in range(300)] for row in range(40)]
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")
    open_file(page, path)
    page.goto(f"{server.origin}/roles")
    page.locator("#many").wait_for()
    shown = page.locator("table.roles tbody tr:visible")
    assert shown.count() == 50
    assert page.evaluate("document.documentElement.scrollHeight") < 15_000
    page.get_by_label("Order", exact=True).select_option("risk")
    distinct = [int(one or 0) for one in shown.evaluate_all("rows => rows.map(row => row.dataset.distinct)")]
    assert distinct == sorted(distinct, reverse=True)
    page.get_by_label("Find a column", exact=True).fill("answer")
    chosen = page.get_by_label("Role of answer_1", exact=True)
    before = chosen.input_value()
    page.evaluate(COUNT_SWAPS)
    page.get_by_label("Role for the ticked columns").select_option("weight")
    page.get_by_role("button", name="Give this role").click()
    page.get_by_text("now: 150.").wait_for()
    assert chosen.input_value() == "weight"
    page.get_by_role("button", name="Undo").click()
    assert chosen.input_value() == before != "weight"
    page.get_by_label("Role for the ticked columns").select_option("drop")
    page.get_by_role("button", name="Give this role").click()
    page.get_by_text("Columns that have the role “Left out” now: 150.").wait_for()
    published = page.locator("#published-1")
    page.wait_for_function("() => document.getElementById('published-1').innerText.includes('not published')")
    assert "not published" in published.text_content()
    assert 0 < page.evaluate("swapped") < 30  # one piece for all columns; a piece for each was 180,000
    page.get_by_label("Find a column", exact=True).fill("nobody's")
    assert shown.count() == 0
    assert page.get_by_role("status").filter(has_text="No column is called nobody's.").is_visible()
    page.get_by_label("Find a column", exact=True).fill("measure_10")
    assert page.get_by_text("No column is called").count() == 0
    page.get_by_text("measure_10", exact=True).click()  # the name of a column ticks it
    assert page.get_by_label("Choose measure_10", exact=True).is_checked()
    assert page.get_by_text("Ticked: 1").is_visible()
    page.get_by_label("Role for the ticked columns").select_option("sensitive")
    page.get_by_role("button", name="Give this role").click()
    press(page, "Save the roles")
    assert {name for name in server.session.names(Role.DROP) if name.startswith("answer")} == set(names[1::2])
    assert "measure_10" in server.session.names(Role.SENSITIVE)
