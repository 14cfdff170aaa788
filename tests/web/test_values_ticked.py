"""Which values of a yes/no column are protected is ticked on the page, beside how many people have them."""

from __future__ import annotations

import re

import httpx
import pytest

from web.serving import Served
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

SICK = "who,age,sick\n" + "".join(f"person {i},{20 + i % 9},{'Yes' if i % 10 == 0 else 'No'}\n" for i in range(60))
ROLES = {"role-0": "identifier", "role-1": "quasi", "role-2": "sensitive", "then": "method"}
TICKED = {"name": "soft-cut", "p-l": "5", "p-k": "6", "p-values~Yes": "on"}


def checked(server: Served, steward: httpx.Client, table: str) -> str:
    opened(server, steward, table)
    steward.post("/roles", data=ROLES)
    server.wait()
    return steward.get("/method").text


def ticks(page: str) -> dict[str, bool]:
    found = re.findall(r'<input type="checkbox"[^>]*name="p-values~([^"]*)"([^>]*)>', page)
    return {label: "checked" in rest for label, rest in found}


def test_values_are_ticked(server: Served, steward: httpx.Client) -> None:
    page = checked(server, steward, SICK)
    assert ticks(page) == {"No": False, "Yes": False}
    assert "Yes 6 rows, 10 %" in text_of(steward.get("/method"))
    said = steward.post("/method/check", data=TICKED).text
    assert "may be told with certainty" in said
    steward.post("/method", data=TICKED)
    server.wait()
    assert server.session.release is not None
    assert server.session.parameters["values"] == "Yes"
    assert ticks(steward.get("/method").text) == {"No": False, "Yes": True}  # as it was published


def test_empty_values_are_counted_beside_the_ticks(server: Served, steward: httpx.Client) -> None:
    page = checked(server, steward, SICK.replace("person 5,25,No", "person 5,25,"))
    assert ticks(page) == {"No": False, "Yes": False}
    assert "Empty values (1 row) cannot be ticked" in text_of(steward.get("/method"))


def test_values_that_no_list_can_name_are_written(server: Served, steward: httpx.Client) -> None:
    page = checked(server, steward, SICK.replace("Yes", '"Yes, ill"'))
    assert ticks(page) == {}
    assert re.search(r'<input type="text"[^>]*name="p-values"', page)
