"""Line 4 of the page as a product: k-anonymity without a protected column is offered, with what it does not promise."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import httpx
import polars as pl
import pytest

from web.accessible import sideways, violations
from web.serving import Served
from web.stewards import opened, text_of
from web.test_browser import done, follow, press

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Page

TABLE = "town,age\n" + "".join(f"{('Rome', 'Oslo', 'Pisa')[i % 3]},{20 + i}\n" for i in range(24))
ROLES = {"role-0": "quasi", "role-1": "quasi", "then": "method"}


def test_line_4_k_anonymity_without_a_protected_column_from_roles_to_the_bundle(page: Page, server: Served) -> None:
    with server.steward() as steward:
        opened(server, steward, TABLE)
    page.goto(f"{server.origin}/roles")
    for name in ("town", "age"):
        page.get_by_label(f"Role of {name}", exact=True).select_option("quasi")
    tick = page.get_by_label("Hide people among others, and protect no value")
    tick.wait_for()
    assert "nothing is promised about what the values of a group tell" in page.locator("#considered").inner_text()
    press(page, "Next: Method")  # not without the tick
    assert page.url.endswith("/roles")
    assert violations(page) == []
    press(page, "Protect no column: hide people among others only (k-anonymity)")
    done(page)
    page.wait_for_url("**/method")
    assert page.get_by_label("k:").input_value() == "5"
    assert page.get_by_label("l:").count() == 0
    assert "every row looks exactly like at least 4 others" in page.locator("#promise").inner_text()
    page.get_by_label("k:").fill("1")
    page.locator("#promise").get_by_text("hides nobody").wait_for()
    page.get_by_label("k:").fill("6")
    page.get_by_text("at least 5 others").wait_for()
    assert violations(page) == []
    press(page, "Publish with this setting")
    done(page)
    page.wait_for_url("**/result")
    for name in ("Risk", "Utility", "Compare", "Release"):
        follow(page, name)
        done(page)
        assert page.get_by_role("alert").count() == 0, name
        assert violations(page) == [], name
        page.set_viewport_size({"width": 390, "height": 844})
        assert sideways(page) == 0, name
        page.set_viewport_size({"width": 1280, "height": 900})
        if name == "Risk":
            told = page.locator("#hidden").inner_text()
            assert "No column is protected, so there is no value that an attacker could be tried on." in told
    assert "No value is protected" in page.locator("main").inner_text()
    for make, download in (
        ("Make the public report", "Download the public report"),
        ("Make the report for your records", "Download the report for your records"),
    ):
        press(page, make)
        done(page)
        page.get_by_role("link", name=download).wait_for()

    # what is handed out keeps it, and so does the project
    with server.steward() as steward:
        packed = zipfile.ZipFile(io.BytesIO(steward.get("/release/bundle.zip").content))
        frame = pl.read_csv(packed.read("data.csv"))
        assert frame.group_by(frame.columns).len()["len"].to_numpy().min() >= 6
        for audience in ("public", "private"):
            report = text_of(steward.get(f"/release/report/{audience}"))
            assert "The promise is kept: counted in the release, everybody looks like at least 6 rows" in report
            assert "Released by" in report
        assert "[schema]\nnothing_sensitive = true" in steward.get("/project.toml").text
        assert steward.get("/roles/schema.toml").text.startswith("nothing_sensitive = true")

    # without the tick it is no longer so, and what was made is not lost in silence
    page.goto(f"{server.origin}/roles")
    assert tick.is_checked()
    tick.uncheck()
    press(page, "Save the roles")
    assert "This change discards the finished release" in page.locator("#error").inner_text()
    assert server.session.release is not None


def test_without_the_tick_nothing_goes_on_and_no_file_ticks_it(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    refused = steward.post("/roles", data=ROLES)
    assert refused.status_code == 422
    assert "No column has the role" in text_of(refused)
    assert server.session.checked is None
    assert steward.post("/roles", data={**ROLES, "hide": "yes"}).status_code == 303
    server.wait()
    assert server.session.checked is not None
    for given in (
        {"name": "soft-cut", "p-l": "2"},
        {"name": "mondrian", "p-l": "2"},
        {"name": "mondrian", "p-k": "99"},
    ):
        assert steward.post("/method", data=given).status_code == 422
        assert server.session.release is None
    project = steward.get("/project.toml").text
    assert steward.post("/roles", data={**ROLES, "role-0": "sensitive", "then": "stay"}).status_code == 303
    assert not server.session.hiding
    assert "nothing_sensitive" not in steward.get("/roles/schema.toml").text
    assert steward.post("/project/open", files={"file": ("p.toml", project)}).status_code == 303
    server.wait()
    assert not server.session.hiding  # whoever publishes, ticks
    assert server.session.checked is None
