"""The page begins with SoftCut and says in plain words what it does."""

from __future__ import annotations

import re

import httpx
import pytest

from web.serving import Served
from web.stewards import checked, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")


def test_the_page_begins_with_what_it_recommends(server: Served, steward: httpx.Client) -> None:
    checked(server, steward)
    page = steward.get("/method")
    assert '<input type="hidden" name="name" value="soft-cut">' in page.text
    assert "soft-cut recommended" in text_of(page)
    assert "demands a secret random slack (throws of a die), so that a refusal tells almost nothing" in text_of(page)
    assert re.findall(r'href="/method\?name=([a-z-]+)"', page.text)[0] == "soft-cut"
    assert "recommended" not in text_of(steward.get("/method?name=hybrid"))


def test_it_publishes_with_it_and_compares_it_first(server: Served, steward: httpx.Client) -> None:
    checked(server, steward)
    steward.post("/method", data={"p-l": "2"})  # a form that names no method
    server.wait()
    assert server.session.release is not None
    assert server.session.release["method"] == "soft-cut"
    offered = re.findall(r'<input type="checkbox"[^>]*name="m-([a-z-]+)"([^>]*)>', steward.get("/result/compare").text)
    assert offered[0][0] == "soft-cut"
    assert "checked" in offered[0][1]
