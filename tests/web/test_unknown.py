"""What is not known is said to be not known: it is no figure, no bar and no badge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import httpx
import pytest

from pellucid.datasets import census
from web.serving import Served, csv_of, served

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

WHO = "knows the algorithm"
NOTHING = f"nothing is shown about what somebody who {WHO} believes of 3,000 people"


@pytest.fixture(scope="module")
def told() -> Iterator[tuple[Served, httpx.Client]]:
    """People without names, cut by Mondrian: several ways of cutting may lead to the groups, so nothing is shown."""
    people = census(3_000, seed=1).select("age", "gender", "education", "occupation")
    with served(seed=7) as server, server.steward() as steward:
        steward.post("/data/upload", files=csv_of(people.write_csv()))
        server.wait()
        roles = {f"role-{number}": "quasi" for number in range(3)}
        steward.post("/roles", data={**roles, "role-3": "sensitive", "then": "method"})
        server.wait()
        server.session.effort = {"seconds": 600.0}
        steward.post("/method", data={"name": "mondrian", "p-l": "5", "p-retry": "on"})
        server.wait()
        yield server, steward


def line_of(page: str, who: str) -> str:
    """The line of a table that begins with this, as somebody reads it."""
    lines = re.findall(r"<tr[^>]*>.*?</tr>", page, re.DOTALL)
    (line,) = [one for one in lines if re.search(f">{who} *<", one)]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", line)).split())


def tile_of(page: str, who: str) -> str:
    """The tile of an attacker."""
    (tile,) = [one for one in page.split('<li class="attacker')[1:] if f"<h3>{who[0].upper()}{who[1:]}</h3>" in one]
    return tile.partition("</details>")[0]


def test_the_tab_says_that_it_is_not_known(told: tuple[Served, httpx.Client]) -> None:
    page = told[1].get("/result/risk").text
    tile = tile_of(page, WHO)
    shown = " ".join(unescape(re.sub(r"<[^>]*>", " ", tile.partition("<details>")[0])).split())
    assert "Sure at most not known People above 1/5 not known Guesses right not known" in shown
    assert "within" not in shown
    assert "within 1/5" in tile_of(page, "knows only the release")
    assert NOTHING in tile
    assert "Do not rely on it" in tile
    assert "<svg" not in tile
    assert "100 %" not in shown
    assert "100\N{NO-BREAK SPACE}%" not in tile
    assert "more than 1/5 of somebody: 1." not in page
    assert "The promise is not kept" not in page


def test_nothing_is_believed_of_a_person_of_whom_nothing_is_known(told: tuple[Served, httpx.Client]) -> None:
    page = told[1].post("/result/person", data={"who": "5"}, headers={"HX-Request": "true"}).text
    (known,) = [one for one in page.split('<div class="told">') if "knows only the release" in one]
    (unknown,) = [one for one in page.split('<div class="told">') if f"who {WHO}</strong>" in one]
    assert 'class="beliefs"' in known
    assert 'class="beliefs"' not in unknown
    assert "above 1/5" not in unknown
    assert '<span class="badge">not known</span>' in unknown
    assert "Nothing is shown about row 5" in unknown


def test_the_private_report_says_the_same(told: tuple[Served, httpx.Client]) -> None:
    server, steward = told
    steward.post("/release/report", data={"audience": "private"})
    server.wait()
    page = unescape(steward.get("/release/report/private").text)
    assert re.fullmatch(rf"{WHO} not covered not known 0\.\d+ not known not known", line_of(page, WHO))
    (article,) = [one for one in page.split("<article>") if f"<h3>Somebody who {WHO}</h3>" in one]
    assert NOTHING in article
    assert "<svg" not in article.partition("</article>")[0]


@pytest.mark.parametrize(
    ("found", "risk", "above"),
    [
        ({"told": "more than", "risk": 0.2, "above": 28, "known": False}, "more than 1/5", "at least 28"),
        ({"told": "at least", "risk": 0.93, "above": 0, "known": False}, "at least 93 %", "not known"),
        ({"told": "at most", "risk": 0.93, "above": 0, "known": False}, "at most 93 %", "not known"),
        ({"told": "not known", "risk": None, "above": 0, "known": False}, "not known", "not known"),
        ({"told": "", "risk": 0.25, "above": 3, "known": True}, "1/4", "3"),
    ],
)
def test_compare_tells_the_risk_as_it_is_drawn(
    told: tuple[Served, httpx.Client], found: dict[str, object], risk: str, above: str
) -> None:
    server, steward = told
    cell = {"method": "mondrian", "l": 5, "link": "/method?name=mondrian&l=5", "utility": 0.1, "kept": 0.5, "loss": 0.5}
    cell |= {
        "groups": 9,
        "safe": False,
        "refused": "",
        "held": "not known",
        "remarks": [],
        "right": "24 % (3 %)",
        **found,
    }
    about = {
        "names": ["mondrian"],
        "ls": [5],
        "all": True,
        "asked": 1,
        "sentence": "",
        "guessed": "guess right (without)",
        "rule": "",
        "chart": "",
        "recode": "",
    }
    server.session.comparison = {**about, "main": {"title": "Count error", "share": True}, "cells": [cell]}
    page = steward.get("/result/compare").text.replace("\N{NO-BREAK SPACE}", " ")
    assert f'<td class="n">{risk}</td><td class="n">{above}</td>' in re.sub(r'">\s+', '">', page)
    yours = next(one for one in re.findall(r"<tr[^>]*>.*?</tr>", page, re.DOTALL) if "Your release" in one)
    assert yours.count("not known") == 2
