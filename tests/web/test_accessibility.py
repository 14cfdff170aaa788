"""Everybody can use the pages: axe-core finds nothing, they fit a narrow window, Tab and Enter suffice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

from web.accessible import COLOURS, CONTRAST, looks, sideways, skipped_headings, tab_to, violations
from web.holding import halt
from web.serving import Served, csv_of, served
from web.stewards import DETAILS, STEPS
from web.windows import settles, tab_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def untouched() -> Iterator[Served]:
    """A session in which nothing was done."""
    with served() as running:
        yield running


def enter(page: Page, running: Served) -> None:
    """Come in through the start URL; its page goes on by itself."""
    page.goto(running.start)
    page.wait_for_url("**/data")


Examine = Callable[["Page"], None]


@pytest.fixture
def examine(thorough: bool) -> Examine:
    """What every page must be, however one looks at it. Thorough: all of axe-core in other colours too."""

    def examine(page: Page) -> None:
        for look in looks(page):
            rules = CONTRAST if look in COLOURS and not thorough else ()
            if look != "zoomed" or thorough:  # which has the colours of "dark"
                found = [(one["rule"], one["where"]) for one in violations(page, rules) if one["impact"] in SERIOUS]
                assert found == [], (page.url, look)
            assert skipped_headings(page) == [], (page.url, look)
            assert sideways(page) <= 0, (page.url, look)

    return examine


@pytest.mark.parametrize("path", [*STEPS, *DETAILS])
def test_a_page_with_everything_on_it(browser: Browser, finished: Served, examine: Examine, path: str) -> None:
    with tab_in(browser) as page:
        enter(page, finished)
        page.goto(finished.origin + path)
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        examine(page)


def test_pages_before_anything_was_done_and_the_refusal(browser: Browser, untouched: Served, examine: Examine) -> None:
    with tab_in(browser) as page:
        page.goto(f"{untouched.origin}/data")
        assert "needs its key" in page.inner_text("main")
        examine(page)
        enter(page, untouched)
        for path in STEPS:
            page.goto(untouched.origin + path)
            examine(page)


@pytest.mark.parametrize("audience", ["public", "private"])
def test_the_report(browser: Browser, finished: Served, examine: Examine, tmp_path: Path, audience: str) -> None:
    path = tmp_path / "report.html"
    with finished.steward() as steward:
        path.write_bytes(steward.get(f"/release/report/{audience}").content)
    with tab_in(browser) as page:
        page.goto(path.as_uri())
        examine(page)


def test_messages_progress_and_cancelled_work(browser: Browser, examine: Examine) -> None:
    with served(seed=7) as running, running.steward() as steward, tab_in(browser) as page:
        enter(page, running)
        steward.post("/data/upload", files=csv_of("a,b\n1,2\n3,4,5\n", "a file with quite a long name.csv"))
        running.wait()
        page.goto(f"{running.origin}/data")
        assert page.get_by_role("alert").first.is_visible()
        examine(page)

        steward.post("/data/demo", data={"name": "census"})
        running.wait()
        steward.post("/roles", data={"then": "method"})
        running.wait()
        halt(running)  # the work lasts as long as one looks at it
        steward.post("/result/compare", data={"m-hybrid": "on", "m-ace": "on", "from": "2", "to": "20"})
        page.goto(f"{running.origin}/result/compare")
        assert page.get_by_role("progressbar").is_visible()
        examine(page)
        page.goto("about:blank")  # a page that shows a job turns to what follows by itself
        steward.post("/job/cancel")
        page.goto(f"{running.origin}/result/compare")
        assert page.get_by_text("Cancelled: Comparing").is_visible()
        examine(page)


def test_columns_that_name_people_and_a_release_that_was_discarded(browser: Browser, examine: Examine) -> None:
    people = "name,age,ill\n" + "".join(f"person {i},{20 + i % 5},{'abcd'[i % 4]}\n" for i in range(24))
    roles = {"role-0": "carry", "role-1": "quasi", "role-2": "sensitive", "then": "method"}
    with served(seed=7) as running, running.steward() as steward, tab_in(browser) as page:
        enter(page, running)
        steward.post("/data/upload", files=csv_of(people))
        running.wait()
        assert steward.post("/roles", data=roles).status_code == 422
        page.goto(f"{running.origin}/roles")
        assert page.get_by_text("These columns name people").is_visible()
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        examine(page)
        page.goto(f"{running.origin}/roles/0")
        examine(page)
        steward.post("/roles", data={**roles, "publish": "0:carry:category"})
        running.wait()
        steward.post("/method", data={"name": "tailor", "p-model": "l-diversity=1"})
        running.wait()
        for path in ("/result", "/release", "/roles"):
            page.goto(running.origin + path)
            examine(page)
        steward.post("/roles", data={**roles, "role-0": "identifier", "discard": "yes"})
        running.wait()
        page.goto(f"{running.origin}/method")
        assert page.get_by_text("was discarded").is_visible()
        examine(page)


def test_axe_finds_what_is_wrong(browser: Browser, finished: Served) -> None:
    with tab_in(browser) as page:
        enter(page, finished)
        page.goto(f"{finished.origin}/roles")
        page.evaluate("() => document.querySelector('label[for=role-0]').remove()")
        assert {"select-name"} <= {one["rule"] for one in violations(page)}
        page.evaluate("() => document.querySelector('h1').outerHTML = '<h3>no beginning</h3>'")
        assert skipped_headings(page)


def test_the_whole_flow_with_tab_and_enter_alone(page: Page) -> None:
    def go(name: str, arrives: str) -> None:
        tab_to(page, name)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{arrives}")
        settles(page)

    go("Eight patients", "/data")
    page.get_by_role("link", name="Next: Roles").wait_for()
    go("Next: Roles", "/roles")
    go("Next: Method", "/method")
    go("Publish with this setting", "/result")
    go("Next: Risk", "/result/risk")
    tab_to(page, "Name, as in the identifier column")
    page.keyboard.type("Ann")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Ann", exact=True).wait_for()
    go("Next: Utility", "/result/utility")
    go("Next: Compare", "/result/compare")
    go("Compare", "/result/compare")  # the tab of this name; the button comes after it
    tab_to(page, "to")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What was found").wait_for()
    go("anatomy, l = 2", "/method?name=anatomy&l=2")
    go("Release", "/release")
    tab_to(page, "Download the bundle (CSV)")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "release.zip"


def test_the_first_tab_stop_skips_to_the_content(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.locator(":focus").evaluate("one => one.closest('main') !== null")
