"""What a designer stumbled on, in a real browser: what is kept, what is in sight, what a colour says."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from web.accessible import sideways
from web.serving import Served
from web.stewards import opened, published, text_of
from web.test_browser import done, press
from web.windows import tab_in

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

NARROW = {"width": 390, "height": 844}
FOCUSED = "() => document.activeElement.id || document.activeElement.tagName"


@contextmanager
def under_way(server: Served, steward: httpx.Client) -> Iterator[None]:
    """Work on the release that lasts as long as one looks at it, and then ends."""
    worker = server.session.jobs._worker
    assert worker is not None
    os.killpg(worker._process.pid, signal.SIGSTOP)
    try:
        steward.post("/release/report", data={"audience": "public"})
        assert server.session.jobs.running is not None
        yield
    finally:
        os.killpg(worker._process.pid, signal.SIGCONT)


def colour(found: Locator) -> str:
    return str(found.evaluate("one => getComputedStyle(one).backgroundColor"))


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be halted there")
def test_work_that_ends_takes_nothing_that_is_being_typed(page: Page, server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    with under_way(server, steward):
        page.goto(f"{server.origin}/result")
        page.get_by_role("progressbar").wait_for()
        page.locator("#find").press_sequentially("An")
    page.get_by_text("Finished. Show the new figures").wait_for()
    page.locator("#find").press_sequentially("n")
    assert page.locator("#find").input_value() == "Ann"
    assert page.evaluate(FOCUSED) == "find"
    assert page.locator("section.job").count() == 0
    page.get_by_role("link", name="Show the new figures").click()
    done(page)
    assert page.locator("#find").input_value() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be halted there")
def test_a_page_that_loads_itself_again_is_as_it_was(page: Page, server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    with under_way(server, steward):
        page.goto(f"{server.origin}/result/risk")
        page.get_by_role("progressbar").wait_for()
        unfolded = page.locator("#adversary-2 details")
        unfolded.locator("summary").click()
        page.evaluate("() => { document.activeElement.blur(); window.before = true; }")
    page.wait_for_function("() => window.before === undefined", polling=50)
    done(page)
    assert unfolded.evaluate("one => one.open")
    assert not page.locator("#adversary-1 details").evaluate("one => one.open")
    assert page.evaluate(FOCUSED) == "H1"  # work that was asked for is over: here its page begins


def test_after_a_form_the_focus_is_where_its_page_begins(page: Page) -> None:
    press(page, "Eight patients")
    done(page)
    assert page.evaluate(FOCUSED) == "H1"
    page.goto(page.url)
    assert page.evaluate(FOCUSED) == "BODY"


def test_a_kept_promise_says_beside_it_who_learns_more(browser: Browser, kept: Served) -> None:
    assert kept.session.risk is not None
    assert kept.session.risk["state"] == "kept"
    with tab_in(browser) as page:
        page.goto(kept.start)
        page.wait_for_url("**/data")
        page.goto(f"{kept.origin}/result/risk")
        verdict, beyond = page.locator("#verdict"), page.locator("#verdict .beyond")
        assert "The promise is kept." in verdict.inner_text()
        assert beyond.count() == 1
        assert "whom no promise covers" in beyond.inner_text()
        green, amber, plain = colour(verdict), colour(beyond), colour(page.locator(".promise"))
        assert len({green, amber, plain}) == 3
        assert plain == colour(page.locator(".attacker").first)  # neither safe nor unsafe
        assert page.locator("#meaning").text_content().count("whom no promise covers") == 0  # it is said once


def test_narrow_compare_shows_the_verdict_beside_the_setting(browser: Browser, finished: Served) -> None:
    with tab_in(browser) as page:
        page.goto(finished.start)
        page.wait_for_url("**/data")
        page.set_viewport_size(NARROW)
        page.goto(f"{finished.origin}/result/compare")
        heads = page.locator("table.settings thead th")
        assert heads.all_inner_texts()[:3] == ["Setting", "1/l", "Risk"]
        row = page.locator("table.settings tbody tr", has=page.locator(".badge")).first
        for cell in row.locator("th, td").all()[:3]:
            right = cell.evaluate("one => one.getBoundingClientRect().right")
            assert right <= NARROW["width"], cell.inner_text()
        setting = row.locator("th")
        before = setting.bounding_box()
        page.get_by_role("region", name="Settings compared").evaluate("one => { one.scrollLeft = 200; }")
        after = setting.bounding_box()
        assert before is not None
        assert after is not None
        assert abs(after["x"] - before["x"]) <= 20  # it stays while the others go by
        page.set_viewport_size({"width": 1280, "height": 900})


def test_a_wide_table_keeps_the_protected_column_and_the_row_in_sight(
    page: Page, server: Served, steward: httpx.Client
) -> None:
    names = [*(f"known_{n}" for n in range(14)), "ill"]
    rows = "".join(f"{','.join(f'{row % 2} and so on' for _ in names[:-1])},{'abcd'[row % 4]}\n" for row in range(24))
    opened(server, steward, ",".join(names) + "\n" + rows)
    roles = {f"role-{n}": "quasi" if n < 3 else "carry" for n in range(14)}
    steward.post("/roles", data={**roles, "role-14": "sensitive", "then": "method"})
    server.wait()
    steward.post("/method", data={"name": "hybrid", "p-l": "2"})
    server.wait()
    page.set_viewport_size(NARROW)
    page.goto(f"{server.origin}/result")
    table = page.locator("table.pairs")
    protected = table.locator("thead th", has_text="ill")
    assert table.locator("thead th").nth(2).inner_text() == "ill"
    assert protected.evaluate("one => one.getBoundingClientRect().right") <= NARROW["width"]
    region = page.get_by_role("region", name="Rows before and after")
    region.evaluate("one => { one.scrollLeft = 600; }")
    left = region.bounding_box()
    row = table.locator("tr.before th").first.bounding_box()
    assert left is not None
    assert row is not None
    assert left["x"] - 1 <= row["x"] <= left["x"] + 2
    for which in (table.locator("tr.before .which").first, table.locator("tr.after .which").first):
        box = which.bounding_box()
        assert box is not None
        assert row["x"] + row["width"] - 2 <= box["x"] <= left["x"] + 90  # beside it, not over it
    page.set_viewport_size({"width": 1280, "height": 900})


def test_without_l_the_usual_one_is_offered_and_nothing_is_published(
    page: Page, server: Served, steward: httpx.Client
) -> None:
    opened(server, steward, "age,ill\n" + "".join(f"{20 + row % 7},{'abcdefghijkl'[row % 12]}\n" for row in range(60)))
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "then": "method"})
    server.wait()
    assert server.session.checked is not None
    assert server.session.checked["feasible"]["largest"] == 12
    page.goto(f"{server.origin}/method")
    publish = page.get_by_role("button", name="Publish with this setting")
    assert publish.get_attribute("aria-disabled") != "true"
    page.get_by_label("Strength, l:").fill("")
    page.locator("#promise-wrong").wait_for()
    assert page.get_by_role("link", name="Use l = 8", exact=True).is_visible()  # and not the most that is possible
    assert publish.get_attribute("aria-disabled") == "true"
    publish.focus()
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED) == "promise-wrong"  # why it is not
    assert server.session.jobs.running is None
    page.get_by_label("Strength, l:").fill("2")
    page.get_by_text("with probability at most 1/2").wait_for()
    assert publish.get_attribute("aria-disabled") == "false"


def test_the_sentence_counts_the_cards_that_are_not_marked(page: Page, server: Served, steward: httpx.Client) -> None:
    drawn = random.Random(0)
    ill = ["abcdef"[row % 4] if drawn.random() < 0.6 else drawn.choice("abcdef") for row in range(400)]
    rows = "".join(f"{20 + row % 4},{row // 5},{value}\n" for row, value in enumerate(ill))
    opened(server, steward, f"age,place,ill\n{rows}")  # five people have each place
    steward.post("/roles", data={"role-0": "quasi", "role-1": "quasi", "role-2": "sensitive", "then": "method"})
    server.wait()
    steward.post("/method", data={"name": "soft-cut", "p-l": "2"})
    server.wait()
    page.goto(f"{server.origin}/result/risk")
    covers = page.locator(".attacker.outside .cover").all_inner_texts()
    said = page.locator("#verdict .beyond").inner_text()
    marked = [one for one in covers if "not counted here" in one]
    assert marked
    assert f"{len(covers) - len(marked)} attackers whom no promise covers" in said
    assert f"Not counted: {len(marked)} more (figures of fewer than 30 people)." in said  # and not in a fold
    card = page.locator(".attacker.outside", has_text="not counted here").first
    card.locator("summary").click()
    assert "Not counted in the sentence above the cards: these figures rest on fewer than" in card.inner_text()


def test_a_card_that_is_surer_than_the_sentence_says_what_the_sentence_counts(
    server: Served, steward: httpx.Client
) -> None:
    drawn = random.Random(1)
    ages = [20 + row % 5 if row % 20 else 60 + row for row in range(600)]  # every twentieth is alone with an age
    ill = ["abcdef"[age % 5] if drawn.random() < 0.5 else drawn.choice("abcdef") for age in ages]
    rows = "".join(f"{age},{drawn.choice('NSEW')},{value}\n" for age, value in zip(ages, ill, strict=True))
    opened(server, steward, f"age,side,ill\n{rows}")
    steward.post("/roles", data={"role-0": "quasi", "role-1": "quasi", "role-2": "sensitive", "then": "method"})
    server.wait()
    steward.post("/method", data={"name": "soft-cut", "p-l": "3"})
    server.wait()
    assert server.session.risk is not None
    counted = [one for one in server.session.risk["attempts"] if one["coverage"] == "outside" and not one["uncounted"]]
    most = max(one["max_risk"] if one["counted"] is None else one["counted"] for one in counted)
    (less,) = [one for one in counted if one["counted"] is not None]
    assert less["counted"] < less["max_risk"] == 1
    page = text_of(steward.get("/result/risk")).replace("\N{NO-BREAK SPACE}", " ")
    assert f"the most, {100 * most:.2f} %, is believed by" in page
    assert f"The sentence above counts {round(100 * less['counted'])} %: without people of whom it was" in page


def test_a_long_list_of_values_is_four_lines_high_until_it_is_unfolded(
    page: Page, server: Served, steward: httpx.Client
) -> None:
    town = "a town with a very long name that people shorten and number"
    rows = "".join(f"{town} {row // 2},{'abcd'[row % 4]}\n" for row in range(48))
    opened(server, steward, f"town,ill\n{rows}")
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "then": "method"})
    server.wait()
    steward.post("/method", data={"name": "soft-cut", "p-l": "4"})
    server.wait()
    page.set_viewport_size(NARROW)
    page.goto(f"{server.origin}/result")
    assert page.locator(".pairs .after summary").count()
    value = page.locator(".pairs .after summary").first
    height = "one => one.querySelector('.v').getBoundingClientRect().height"
    line = float(value.evaluate("one => parseFloat(getComputedStyle(one).lineHeight)"))
    assert value.evaluate(height) <= 4.5 * line
    value.focus()
    page.keyboard.press("Enter")
    assert value.evaluate(height) > 5 * line
    page.set_viewport_size({"width": 1280, "height": 900})


def test_the_red_box_of_step_3_is_one_text_and_long_settings_break(
    page: Page, server: Served, steward: httpx.Client
) -> None:
    values = [f"Wert_ohne_Umbruch_Nummer_{i}" for i in range(4)]
    rows = "".join(f"person {i},{20 + i % 9},{values[i % 4]},{'yn'[i // 4 % 2]}\n" for i in range(64))
    opened(server, steward, f"who,age,krankheit,sick\n{rows}")
    steward.post(
        "/roles",
        data={
            "role-0": "identifier",
            "role-1": "quasi",
            "role-2": "sensitive",
            "role-3": "sensitive",
            "then": "method",
        },
    )
    server.wait()
    page.goto(f"{server.origin}/method?name=soft-cut&l=9")
    wrong = page.locator("#promise-wrong")
    assert wrong.evaluate("one => getComputedStyle(one).display") == "block", "its sentences are no columns"
    ticked = {f"p-values~krankheit={value}": "on" for value in values[:3]}
    steward.post("/method", data={"name": "soft-cut", "p-l": "2", **ticked})
    server.wait()
    assert server.session.release is not None
    page.set_viewport_size(NARROW)
    for place in ("result", "result/risk", "result/utility", "method", "release", "roles"):
        page.goto(f"{server.origin}/{place}")
        assert sideways(page) <= 0, place
