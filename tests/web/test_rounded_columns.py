"""Once a column is rounded, everything that the pages say of it is about the rounded values."""

from __future__ import annotations

import httpx
import pytest

from web.serving import Served
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

ROWS = 120
TABLE = "who,age,income\n" + "".join(f"person {i},{20 + i % 9},{1000 + 17 * i + i / 100:.2f}\n" for i in range(ROWS))
ROLES = {"role-0": "identifier", "role-1": "quasi", "role-2": "sensitive"}
GO_ON = {**ROLES, "then": "method"}
ROUNDED = {"role": "sensitive", "rounding": "multiples", "rounded": "500"}
TOLD = "belongs to one person"


def test_after_rounding_no_page_speaks_of_the_values_of_the_file(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data=ROLES)
    before = text_of(steward.get("/roles"))
    assert TOLD in before
    assert "120 different values" in before
    refused = steward.post("/roles", data=GO_ON)
    assert refused.status_code == 422  # not without a tick

    steward.post("/roles/2", data=ROUNDED)
    server.wait()
    page = text_of(steward.get("/roles"))
    assert "5 different values (rounded)" in page
    assert TOLD not in page
    assert "Publish these columns though" not in page
    assert "nearly every value is different" not in page
    assert "published, rounded as you said" in page
    assert "published as it is" not in page
    assert "l can be up to 4" in page  # 30 of 120 rows are 1500, 2000 or 2500 each at most
    assert TOLD not in text_of(steward.get("/roles/2"))
    live = text_of(steward.post("/roles/consider", data=ROLES))
    assert TOLD not in live
    assert steward.post("/roles", data=GO_ON).headers["location"] == "/method"
    server.wait()
    assert server.session.checked is not None
    assert server.session.checked["feasible"]["largest"] == 4
    steward.post("/method", data={"name": "soft-cut", "p-l": "2"})
    server.wait()
    for step in ("/method", "/result", "/result/risk", "/release"):
        assert "What is published names people" not in text_of(steward.get(step)), step
    for audience in ("public", "private"):
        steward.post("/release/report", data={"audience": audience})
        server.wait()
        report = text_of(steward.get(f"/release/report/{audience}"))
        assert "as it is, rounded" in report
        assert "nearly every value" not in report.lower()


def test_without_the_rounding_the_tick_is_needed_again(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data=ROLES)
    steward.post("/roles/2", data=ROUNDED)
    server.wait()
    steward.post("/roles/2", data={"role": "sensitive", "rounding": "", "rounded": ""})
    server.wait()
    assert "120 different values" in text_of(steward.get("/roles"))
    assert steward.post("/roles", data=GO_ON).status_code == 422
    steward.post("/roles/2", data={**ROUNDED, "rounded": "0.5"})  # which leaves nearly all of them
    server.wait()
    assert "120 different values (rounded)" in text_of(steward.get("/roles"))
    assert steward.post("/roles", data=GO_ON).status_code == 422


def test_a_schema_that_rounds_is_counted_too(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data=ROLES)
    steward.post("/roles/2", data=ROUNDED)
    server.wait()
    schema = steward.get("/roles/schema.toml").text
    assert "round = 500" in schema
    opened(server, steward, TABLE)
    loaded = steward.post("/roles/load", files={"file": ("schema.toml", schema.encode())})
    assert loaded.status_code == 303, text_of(loaded)
    server.wait()
    page = text_of(steward.get("/roles"))
    assert "5 different values (rounded)" in page
    assert TOLD not in page


def test_who_is_unique_is_counted_on_rounded_columns(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    roles = {**ROLES, "role-1": "sensitive", "role-2": "quasi"}
    steward.post("/roles", data=roles)
    assert "100 % of rows are unique on income" in text_of(steward.post("/roles/unique", data=roles))
    steward.post("/roles/2", data={**ROUNDED, "role": "quasi"})
    server.wait()
    steward.post("/roles/unique", data=roles)
    server.wait()
    assert "100 % of rows" not in text_of(steward.post("/roles/unique", data=roles))


def test_what_is_said_of_one_column_is_not_counted_for_another(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TABLE)
    steward.post("/roles", data=ROLES)
    steward.post("/roles/1", data={"role": "quasi", "low": "0", "high": "120"})  # a detail, and no rounding
    server.wait()
    page = text_of(steward.get("/roles"))
    assert "120 different values" in page
    assert "9 different values" in page
    assert "(rounded)" not in page
    assert steward.post("/roles", data=GO_ON).status_code == 422  # the income still needs its tick
