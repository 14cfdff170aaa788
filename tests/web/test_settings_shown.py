"""What a page shows again is what was done: the setting that was used, wide tables in sight, words that agree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import httpx
import numpy as np
import pytest

from web.serving import Served
from web.stewards import checked, opened, published, text_of
from web.windows import settles

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from pellucid.web.charts import group_sizes
from pellucid.web.steps.result import kept_words

if TYPE_CHECKING:
    from playwright.sync_api import Page

LADDER = {"role": "quasi", "taxonomy": "ladder", "ladder": "5, 10, 20"}
WORDS = ("Married-civ-spouse", "Never-married", "Outlying-US", "Exec-managerial", "Self-emp-not-inc", "Other-service")


def test_an_l_that_cannot_be_is_told_once(server: Served, steward: httpx.Client) -> None:
    checked(server, steward)
    refused = text_of(steward.post("/method", data={"name": "hybrid", "p-l": "9"}))
    assert refused.count("l = 9 is not feasible") == 1
    assert "Nothing was published." in refused


def test_the_address_of_a_setting_that_was_used_shows_all_of_it(server: Served, steward: httpx.Client) -> None:
    published(server, steward, recode="taxonomy")
    for address in ("/method", "/method?name=hybrid", "/method?name=hybrid&l=2"):
        assert '<option value="taxonomy" selected>' in steward.get(address).text
    other = steward.get("/method?name=hybrid&l=3").text  # a setting that was not used
    assert '<option value="taxonomy" selected>' not in other


@pytest.mark.parametrize("address", ["/method", "/method?name=hybrid&l=3"])
def test_back_from_the_result_shows_the_setting_that_was_used(
    page: Page, server: Served, steward: httpx.Client, address: str
) -> None:
    checked(server, steward)
    steward.post("/roles/1", data=LADDER)
    server.wait()
    steward.post("/roles", data={"then": "method"})
    server.wait()
    page.goto(server.origin + address)
    page.get_by_label("Strength, l:").fill("2")
    page.get_by_label("What a group becomes").select_option("taxonomy")
    page.get_by_role("button", name="Publish with this setting").click()
    page.wait_for_url("**/result")
    settles(page)  # a page with work on it turns by itself when that ends
    page.go_back()
    page.wait_for_url("**/method")
    assert page.get_by_label("What a group becomes").input_value() == "taxonomy"
    assert page.get_by_label("Strength, l:").input_value() == "2"
    assert page.locator("#unused").count() == 0


def test_before_and_after_of_a_wide_table_are_both_in_sight(page: Page, server: Served, steward: httpx.Client) -> None:
    names = [f"attribute-{i}" for i in range(7)]
    coins = np.random.default_rng(5)
    rows = [[WORDS[c] for c in coins.integers(0, 6, 7)] for _ in range(60)]
    text = ",".join(["age", *names, "ill"]) + "\n"
    text += "".join(f"{20 + i},{','.join(row)},{'abcdef'[i % 6]}\n" for i, row in enumerate(rows))
    opened(server, steward, text)
    roles = {f"role-{i}": "quasi" for i in range(8)}
    steward.post("/roles", data={**roles, "role-8": "sensitive", "then": "method"})
    server.wait()
    steward.post("/method", data={"name": "hybrid", "p-l": "3"})
    server.wait()
    page.set_viewport_size({"width": 1200, "height": 900})
    page.goto(f"{server.origin}/result")
    table = page.get_by_role("region", name="Rows before and after")
    box = table.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 1200
    assert table.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert table.locator("thead th").all_inner_texts() == ["Row", "Before or after", "ill", "age", *names]


def test_a_comparison_of_which_nothing_is_finished_keeps_nothing(server: Served, steward: httpx.Client) -> None:
    checked(server, steward)
    server.session.comparing = {"names": ["hybrid"], "ls": [2, 3], "recode": ""}
    assert kept_words(server.session) == "None of the 2 settings was finished, so nothing is kept."
    told = text_of(steward.get("/result/compare"))
    assert "0 of 2" not in told
    assert "kept until" not in told


def test_the_title_of_an_axis_stands_clear_of_its_numbers() -> None:
    chart = group_sizes(np.repeat([5, 7], [90_000, 25_000]))["chart"]
    title = re.search(r'class="title" x="([\d.]+)"[^>]*rotate\(-90[^>]*>groups<', chart)
    numbers = re.findall(r'x="([\d.]+)" y="[\d.]+" text-anchor="end">([\d,]+)<', chart)
    assert title is not None
    assert len(numbers) > 3
    # the end of a number, its characters in the widest font, and half a line of the title
    assert all(float(title[1]) + 8 < float(end) - 8 * len(number) for end, number in numbers)
