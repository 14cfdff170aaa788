"""What is finished stays, in a real browser: earlier releases, a cancelled one, a second tab with another table."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from web.serving import Served
from web.test_browser import done, follow, press

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Page


def publish(page: Page, server: Served, address: str) -> None:
    page.goto(f"{server.origin}{address}")
    press(page, "Publish with this setting")
    server.wait()
    page.goto(f"{server.origin}/result")
    done(page)


def to_method(page: Page, server: Served) -> None:
    press(page, "Eight patients")
    server.wait()
    page.goto(f"{server.origin}/data")
    follow(page, "Next: Roles")
    press(page, "Next: Method")
    server.wait()


def bundle(server: Served) -> bytes:
    return (server.session.folder / "bundle.zip").read_bytes()


def test_publishing_again_keeps_the_last_release_and_one_can_go_back(page: Page, server: Served) -> None:
    to_method(page, server)
    publish(page, server, "/method?name=hybrid&l=2")
    first, risk = bundle(server), server.session.risk
    assert page.locator("#earlier").count() == 0
    publish(page, server, "/method?name=tailor&l=2")
    second = bundle(server)
    assert second != first
    page.locator("#earlier summary").click()
    assert "hybrid, l = 2" in page.locator("#earlier").inner_text()
    press(page, "Go back to hybrid, l = 2")
    done(page)
    assert "You are back at hybrid, l = 2" in page.locator("#done").inner_text()
    assert bundle(server) == first
    assert server.session.risk == risk
    assert server.session.method == "hybrid"
    assert [one.name for one in server.session.earlier] == ["tailor, l = 2"]
    page.goto(f"{server.origin}/release")
    with page.expect_download() as waiting:
        page.locator("a[href^='/release/bundle']").first.click()
    assert waiting.value.path().read_bytes() == first, "what is handed out is what the page shows"
    page.goto(f"{server.origin}/result")
    page.locator("#earlier summary").click()
    press(page, "Go back to tailor, l = 2")
    done(page)
    assert bundle(server) == second
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{server.origin}/release")
    page.locator("#earlier summary").click()
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    back = page.get_by_role("button", name="Go back to hybrid, l = 2").bounding_box()
    assert back is not None
    assert back["x"] + back["width"] < wide <= 390, "what the list is for is in sight on a phone too"


def test_cancel_and_a_failure_bring_the_last_release_back(page: Page, server: Served, monkeypatch: Any) -> None:
    to_method(page, server)
    publish(page, server, "/method?name=hybrid&l=2")
    kept = bundle(server)
    worker = server.session.jobs._worker
    begun = threading.Event()

    def never(*_asked: Any) -> Any:
        begun.set()
        threading.Event().wait(0.5)
        while server.session.jobs.running is not None:
            threading.Event().wait(0.02)
        raise OSError

    monkeypatch.setattr(worker, "call", never)
    page.goto(f"{server.origin}/method?name=tailor&l=2")
    page.get_by_role("button", name="Publish with this setting").click()
    assert begun.wait(600)
    page.goto(f"{server.origin}/method")
    press(page, "Cancel")
    assert server.session.release is not None
    assert server.session.release_name == "hybrid, l = 2"
    assert server.session.method == "hybrid"
    assert bundle(server) == kept
    assert server.session.earlier == []


def test_a_second_tab_asks_before_it_opens_another_table(page: Page, server: Served) -> None:
    other = page.context.new_page()
    other.goto(f"{server.origin}/data")  # before the first tab opened anything
    press(page, "Eight patients")
    server.wait()
    page.goto(f"{server.origin}/roles")
    press(other, "Census of 50,000")
    assert "Eight patients was opened in another tab and is worked on there" in other.locator("#error").inner_text()
    assert server.session.source is not None
    assert server.session.source["name"] == "Eight patients"
    press(other, "Census of 50,000")
    server.wait()
    assert server.session.source["name"] == "Census of 50,000"
    press(page, "Save the roles")
    told = page.locator("#error").inner_text()
    assert "The table has changed in another tab" in told
    assert "the table that is open now is Census of 50,000" in told
