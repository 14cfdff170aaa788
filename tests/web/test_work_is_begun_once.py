"""What is asked for is made once: pages that answer a form never send it again, and reports wait for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest

from web.holding import Held
from web.serving import Served
from web.stewards import published, text_of
from web.test_browser import done, press
from web.test_nothing_is_lost import publish, to_method

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Page


def asked_for(page: Page) -> list[str]:
    """The forms that the browser sends from now on."""
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.url) if one.method == "POST" else None)
    return sent


def test_both_reports_can_be_asked_for_at_once_and_each_is_written_once(
    page: Page, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_method(page, server)
    publish(page, server, "/method?name=hybrid&l=2")
    held, sent = Held(monkeypatch, "report"), asked_for(page)
    page.goto(f"{server.origin}/release")
    press(page, "Make the public report")
    assert held.began_one.wait(900)
    assert "It is being written." in page.locator("main").inner_text()
    press(page, "Make the report for your records")
    page.get_by_text("It is written next.").wait_for()
    assert page.locator("#error").count() == 0
    parts = page.locator(".parts li")
    assert [one.split(" ", 1)[0] for one in parts.all_inner_texts()] == ["▸Writing", "·Writing"]
    held.may_end.set()
    for name in ("Download the public report", "Download the report for your records"):
        page.get_by_role("link", name=name).wait_for()
    done(page)
    page.reload()
    done(page)
    server.wait()
    assert [arguments["audience"] for arguments in held.times("report")] == ["public", "private"]
    assert sent == [f"{server.origin}/release/report"] * 2
    assert set(server.session.reports) == {"public", "private"}


def test_a_report_that_is_refused_is_not_asked_for_again_when_the_other_work_ends(
    page: Page, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_method(page, server)
    publish(page, server, "/method?name=hybrid&l=2")
    held, sent = Held(monkeypatch, "pack"), asked_for(page)
    page.goto(f"{server.origin}/release")
    page.get_by_label("Another format").select_option("parquet")
    press(page, "Write it")
    assert held.began_one.wait(900)
    waiting = page.get_by_role("button", name="Make the public report")
    assert waiting.get_attribute("aria-disabled") == "true"
    reason = page.locator(f"#{waiting.get_attribute('aria-describedby')}").inner_text()
    assert reason == "First this must be over: Writing the bundle as Parquet."
    with page.expect_navigation():
        waiting.click(force=True)
    assert page.url == f"{server.origin}/release"  # the page itself, which can be loaded again
    told = page.locator("#error").inner_text()
    assert told.startswith("Nothing was begun: still busy with: Writing the bundle as Parquet")
    held.may_end.set()
    done(page)
    page.get_by_role("link", name="Download the bundle (Parquet)").wait_for()
    assert page.locator("#error").count() == 0  # it is told once
    server.wait()
    assert [task for task, _ in held.began] == ["pack"]
    assert sent == [f"{server.origin}/release/bundle", f"{server.origin}/release/report"]


def test_a_setting_that_is_refused_is_not_sent_again_when_the_other_work_ends(
    page: Page, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_method(page, server)
    publish(page, server, "/method?name=hybrid&l=2")
    held, sent = Held(monkeypatch, "report"), asked_for(page)
    page.goto(f"{server.origin}/release")
    press(page, "Make the public report")
    assert held.began_one.wait(900)
    page.goto(f"{server.origin}/method?name=tailor&l=3")
    press(page, "Publish with this setting")
    assert "Still busy with: Writing the public report" in page.locator("#error").inner_text()
    held.may_end.set()
    page.get_by_role("link", name="Show the new figures").wait_for()
    assert page.locator("section.job").count() == 0
    assert page.get_by_label("Strength, l:").input_value() == "3"  # what was typed is still there
    server.wait()
    assert server.session.release_name == "hybrid, l = 2"
    assert held.times("publish") == []
    assert sent[:2] == [f"{server.origin}/release/report", f"{server.origin}/method"]
    assert not [url for url in sent[2:] if not url.endswith("/method/check")]
    page.get_by_role("link", name="Show the new figures").click()
    page.wait_for_load_state()
    assert page.locator("#error").count() == 0
    press(page, "Publish with this setting")
    done(page)
    assert len(held.times("publish")) == 1


def test_an_answer_to_a_form_leads_away_instead_of_loading_itself_again(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    server.session.clear()
    for path, page in (("/method/check", "/method"), ("/data/preview", "/data"), ("/roles/consider", "/roles")):
        assert steward.post(path).headers.get("HX-Refresh") == "true"
        answer = steward.post(path, headers={"posted": "anything"})
        assert (answer.headers.get("HX-Redirect"), answer.headers.get("HX-Refresh")) == (page, None)


def test_cancel_says_what_is_finished(server: Served, steward: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch, "measure")
    held.may_end.set()
    published(server, steward)
    held.may_end.clear()
    held.began_one.clear()
    steward.post("/method", data={"name": "tailor", "p-l": "2"})
    assert held.began_one.wait(900)
    steward.post("/job/cancel")
    held.may_end.set()
    told = text_of(steward.get("/result"))
    assert "The release is finished and stays as it is. Only measuring and attacking it was cancelled" in told
    assert "nothing half-made" not in told
    assert server.session.release is not None
    assert server.session.release_name == "tailor, l = 2"

    held = Held(monkeypatch, "report")
    steward.post("/release/report", data={"audience": "public"})
    assert held.began_one.wait(900)
    steward.post("/job/cancel")
    held.may_end.set()
    told = text_of(steward.get("/release"))
    assert "The release is finished and stays as it is; no report was finished." in told
