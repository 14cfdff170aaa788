"""The page begins with Strata, with SoftCut where a table has none, and says in plain words what it does."""

from __future__ import annotations

import re

import httpx
import pytest

from web.serving import Served
from web.stewards import checked, opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

OTHERS = ["flu", "gout", "cold", "acne", "ulcer", "cough"]
ILL = [*["flu"] * 50, *["gout"] * 30, *["flu"] * 20, *(OTHERS[i % 6] for i in range(400))]
PEOPLE = "house,ill\n" + "".join(f"{i // 50 * 1000 + i % 10},{ill}\n" for i, ill in enumerate(ILL))


def test_the_page_begins_with_what_it_recommends(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, PEOPLE)
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "then": "method"})
    server.wait()
    page = steward.get("/method")
    assert '<input type="hidden" name="name" value="strata">' in page.text
    assert "strata recommended" in text_of(page)
    assert "first cuts the table into strata of people who look alike" in text_of(page)
    assert "soft-cut : the bound is 1/l for everybody." in text_of(page).replace("soft-cut:", "soft-cut :")
    assert re.findall(r'href="/method\?name=([a-z-]+)"', page.text)[0] == "strata"
    assert "Possible here: l up to 50, the least number of people of a stratum" in text_of(page)
    assert "recommended" not in text_of(steward.get("/method?name=hybrid"))


def test_a_table_without_strata_begins_with_the_strict_form(server: Served, steward: httpx.Client) -> None:
    checked(server, steward)
    page = steward.get("/method")
    assert '<input type="hidden" name="name" value="soft-cut">' in page.text
    assert "soft-cut recommended" in text_of(page)
    assert "demands a secret random slack (throws of a die), so that a refusal tells almost nothing" in text_of(page)


def test_the_result_says_first_whose_bound_is_another(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, PEOPLE)
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "then": "method"})
    server.wait()
    steward.post("/method", data={"p-l": "3"})
    server.wait()
    said = text_of(steward.get("/result"))
    first = re.search(r"The bound is 1/3 for (\d+) of 500 people \(\d+ %\), and for (\d+) people in 2 strata", said)
    assert first is not None
    assert int(first[1]) + int(first[2]) == 500
    assert first.start() < said.index("For each person, an attacker infers")
    assert re.search(r"Warning\. Of \d+ people .*the release tells (one value of )?ill ", said)


def test_it_publishes_with_it_and_compares_it_first(server: Served, steward: httpx.Client) -> None:
    checked(server, steward)
    steward.post("/method", data={"p-l": "2"})  # a form that names no method
    server.wait()
    assert server.session.release is not None
    assert server.session.release["method"] == "soft-cut"
    offered = re.findall(r'<input type="checkbox"[^>]*name="m-([a-z-]+)"([^>]*)>', steward.get("/result/compare").text)
    assert [name for name, _ in offered[:2]] == ["strata", "soft-cut"]
    assert "checked" in offered[0][1]
