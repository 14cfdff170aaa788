"""Step 5, Release, over HTTP: earlier releases, and what the bundle holds that is handed out."""

from __future__ import annotations

import re

import httpx
import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from web.serving import Served
from web.stewards import published, text_of


def bundle(steward: httpx.Client) -> bytes:
    """What is handed out now."""
    return steward.get("/release/bundle.zip").content


# --- earlier releases


def test_step_5_lists_earlier_releases_and_goes_back_without_leaving_it(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    assert 'id="earlier"' not in steward.get("/release").text
    first = bundle(steward)
    steward.post("/method", data={"name": "tailor", "p-l": "2"})
    server.wait()
    assert bundle(steward) != first
    page = steward.get("/release")
    assert "1 earlier release kept" in text_of(page)
    assert "Go back to hybrid, l = 2" in text_of(page)
    assert "Hand out one release at most" in text_of(page)
    form = dict(
        re.findall(
            r'name="(\w+)" value="(\w*)"', page.text.partition('action="/releases/back"')[2].partition("</form>")[0]
        )
    )
    answer = steward.post("/releases/back", data=form)
    server.wait()
    assert answer.headers["location"] == "/release"
    assert "You are back at hybrid, l = 2" in text_of(steward.get("/release"))
    assert bundle(steward) == first
    assert "Go back to tailor, l = 2" in text_of(steward.get("/release"))


def test_going_back_at_step_4_shows_the_result(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    steward.post("/method", data={"name": "tailor", "p-l": "2"})
    server.wait()
    assert 'name="step" value="result"' in steward.get("/result").text
    answer = steward.post("/releases/back", data={"key": server.session.earlier[0].key, "step": "result"})
    assert answer.headers["location"] == "/result"
