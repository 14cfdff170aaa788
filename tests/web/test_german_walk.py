"""All pages in German, over HTTP, of a table with large and odd numbers: what is ours is written as Germans do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from random import Random

import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from translation.english import english_decimals, english_thousands, english_words
from web.serving import Served, csv_of, served
from web.stewards import STEPS

GERMAN = {"Accept-Language": "de"}
ENGLISH = {"Accept-Language": "en"}
ROWS = 1_200
TOWNS, ILLS = ("Kiel", "Ulm", "Graz"), ("grippe", "gicht", "husten", "angina", "asthma", "migräne")
VALUES = tuple(f"{n}.0625" for n in range(40, 90))  # of the table: these stay as they are


def people() -> str:
    """Some more than a thousand, so that counts have thousands, and shares decimals."""
    random = Random(1)
    lines = (
        f"P{n},{18 + random.randrange(70)},{random.choice(VALUES)},{random.choice(TOWNS)},{random.choice(ILLS)}"
        for n in range(ROWS)
    )
    return "pid,age,kg,ort,ill\n" + "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def walked() -> Iterator[Served]:
    """Everything once, with a method that attackers break. Tests leave it as it is."""
    with served(seed=7) as running, running.steward() as steward:
        steward.post("/data/upload", files=csv_of(people(), "leute.csv"))
        running.wait()
        roles = {"role-0": "identifier", "role-1": "quasi", "role-2": "quasi", "role-3": "quasi", "role-4": "sensitive"}
        for address, form in (
            ("/roles", {**roles, "then": "method"}),
            ("/result/compare", {"m-hybrid": "on", "m-mondrian": "on", "from": "2", "to": "3"}),
            ("/method", {"name": "mondrian", "p-l": "2"}),
            ("/method", {"name": "soft-cut", "p-l": "3"}),
            ("/result/person", {"who": "P7"}),
            ("/release/report", {"audience": "public"}),
        ):
            steward.post(address, data=form)
            running.wait()
        assert None not in (running.session.risk, running.session.comparison, running.session.person)
        yield running


def said(page: str) -> list[str]:
    """What a page says, piece by piece: texts, charts, tooltips and names of controls; code and file names apart."""
    page = re.sub(r"<(script|style|code|pre|textarea)\b.*?</\1>|<bdi\b.*?</bdi>", "\n", page, flags=re.DOTALL)
    named = re.findall(r'(?:aria-label|placeholder|data-label|title|alt)="([^"]*)"', page)
    texts = unescape("\n".join([re.sub(r"<[^>]+>", "\n", page), *named]))
    return [text for line in texts.splitlines() if (text := " ".join(line.split()))]


def without_values(text: str) -> str:
    """The text without values of the table, which stay as they are, and how a file may write one."""
    return re.sub("|".join(map(re.escape, (*VALUES, "Punkt: 3.5"))), "", text)


PAGES = [
    *STEPS,
    *(f"/roles/{n}" for n in range(5)),
    *("/data/forget", "/nowhere", "/method?name=hybrid&l=900", "/method?name=tailor&l=2", "/method?name=mondrian&k=5"),
]


@pytest.mark.parametrize("path", PAGES)
def test_no_sentence_and_no_number_of_a_german_page_is_english(walked: Served, path: str) -> None:
    with walked.steward() as steward:
        german, english = (said(steward.get(path, headers=how).text) for how in (GERMAN, ENGLISH))
    texts = [without_values(text) for text in german]
    found = [text for text in texts if english_words(text) or english_decimals(text)]
    thousands = {number for text in english for number in english_thousands(text)}
    found += [text for text in texts if thousands.intersection(english_thousands(text))]
    assert "\n".join(found) == ""
