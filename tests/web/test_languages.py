"""The page in German: every step, every message, numbers as Germans write them; and the switch between languages."""

from __future__ import annotations

import io
import re
import zipfile
from functools import cache
from html import unescape
from typing import TYPE_CHECKING

import httpx
import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from pellucid.app.web.reading_language import COOKIE
from pellucid.speaking.reader import reader_of
from translation.extracting import texts
from web.accessible import sideways, skipped_headings, violations
from web.serving import Served
from web.stewards import DETAILS, STEPS, opened, text_of
from web.windows import tab_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser

GERMAN = {"Accept-Language": "de-CH,de;q=0.9,en;q=0.8"}


@cache
def english() -> list[str]:
    """Texts of templates and messages that are something else in German; single words may be names of models."""
    german = reader_of("de")
    plain = (text for text in texts() if not re.search(r"[{%<\x04]", text))
    return [text.strip() for text in plain if " " in text.strip() and german.gettext(text) != text]


def words_of(page: str) -> str:
    """What a page says and what its controls are called, without what is marked as English."""
    page = re.sub(r'<span lang="en">.*?</span>|<button[^>]* lang="en".*?</button>', " ", page, flags=re.DOTALL)
    named = " ".join(re.findall(r'(?:aria-label|placeholder|data-label)="([^"]*)"', page))
    said = re.sub(r"<[^>]+>", "\n", re.sub(r"<(script|style|svg).*?</\1>", " ", page, flags=re.DOTALL))
    return "\n".join(" ".join(line.split()) for line in unescape(f"{said}\n{named}").splitlines())


@pytest.mark.parametrize("path", [*STEPS, *DETAILS])
def test_a_page_in_german_says_nothing_in_english(finished: Served, path: str) -> None:
    with finished.steward() as steward:
        page = steward.get(path, headers=GERMAN).text
    assert '<html lang="de">' in page
    said = words_of(page)
    there = [text for text in english() if text in said]
    found = [text for text in there if re.search(rf"(?<![\w-]){re.escape(text)}(?![\w-])", said)]
    assert found == []


@pytest.mark.parametrize("path", [*STEPS, *DETAILS])
def test_what_has_no_translation_is_marked_as_english_and_there_is_little_of_it(finished: Served, path: str) -> None:
    with finished.steward() as steward:
        page = steward.get(path, headers=GERMAN).text
    marked = re.findall(r'<span lang="en">(.*?)</span>', page, re.DOTALL)
    assert sum(map(len, marked)) <= len(words_of(page)) / 10, marked


def test_numbers_are_written_as_germans_do(server: Served, steward: httpx.Client) -> None:
    steward.post("/data/demo", data={"name": "census"})
    server.wait()
    assert "50.000 Zeilen" in text_of(steward.get("/data", headers=GERMAN))
    assert "50,000 rows" in text_of(steward.get("/data"))


@pytest.mark.parametrize("recode", ["intervals", "means"])
def test_rows_before_and_after_are_written_as_germans_do_and_files_are_not(
    server: Served, steward: httpx.Client, recode: str
) -> None:
    rows = [f"{1950 + i}-12-{1 + i:02d},{60 + i}.5,v1.{i % 3},{'abc'[i % 3]}" for i in range(12)]
    opened(server, steward, "\n".join(["born,weight,form,ill", *rows]) + "\n")
    steward.post("/roles", data={**{f"role-{n}": "quasi" for n in range(3)}, "role-3": "sensitive", "then": "method"})
    server.wait()
    steward.post("/method", data={"name": "hybrid", "p-l": "2", "recode": recode})
    server.wait()
    page, english = text_of(steward.get("/result", headers=GERMAN)), text_of(steward.get("/result"))
    assert " 03.12.1952 62,5 v1.2 " in page, "a text stays what it is"
    assert " 1952-12-03 62.5 v1.2 " in english
    assert "-12-" not in page.replace("1980-12-31", ""), "nor is one of them left in the form of the file"
    if recode == "intervals":
        assert re.search(r"\[\d\d\.12\.19\d\d, \d\d\.12\.19\d\d\] \[6\d,5; [67]\d,5\]", page)
    data = steward.get("/release/bundle.zip").content
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        published = archive.read("data.csv").decode()
    assert "-12-" in published
    assert ";" not in published


def test_the_switch_goes_back_to_the_page_and_stays(server: Served, steward: httpx.Client) -> None:
    assert '<html lang="en">' in steward.get("/method?name=tailor").text
    chosen = steward.post("/language", data={"language": "de", "here": "/method?name=tailor"})
    assert (chosen.status_code, chosen.headers["location"]) == (303, "/method?name=tailor")
    assert COOKIE in chosen.headers["set-cookie"]
    assert '<html lang="de">' in steward.get("/method").text
    steward.post("/language", data={"language": "en", "here": "/data"})
    assert '<html lang="en">' in steward.get("/method", headers=GERMAN).text
    del server


@pytest.mark.parametrize("here", ["//elsewhere.example", "https://elsewhere.example", "", "/\\elsewhere.example"])
def test_the_switch_leads_to_no_other_site_and_knows_no_other_language(steward: httpx.Client, here: str) -> None:
    answer = steward.post("/language", data={"language": "xx", "here": here})
    assert answer.headers["location"] == "/data"
    assert "set-cookie" not in answer.headers


def test_a_message_is_told_in_the_language_of_whoever_reads_it(server: Served, steward: httpx.Client) -> None:
    steward.post("/data/demo", data={"name": "patients"})
    server.wait()
    steward.post("/roles", data={"then": "stay"})  # an English tab saves, a German one is told
    assert "Die Rollen sind gespeichert." in text_of(steward.get("/roles", headers=GERMAN))
    wrong = steward.post("/data/demo", data={"name": "nothing"}, headers=GERMAN)
    assert "Es gibt keine Beispieltabelle 'nothing'; wählen Sie eine von denen unten." in text_of(wrong)


def test_the_refusal_is_told_in_german(server: Served) -> None:
    answer = httpx.get(f"{server.origin}/data", headers=GERMAN)
    assert answer.status_code == 403
    assert "Diese Seite braucht ihren Schlüssel" in answer.text


@pytest.mark.parametrize("path", [*STEPS, *DETAILS])
def test_axe_finds_nothing_in_german(browser: Browser, finished: Served, path: str) -> None:
    with tab_in(browser) as page:
        page.set_extra_http_headers(GERMAN)
        page.goto(finished.start)
        page.wait_for_url("**/data")
        page.goto(finished.origin + path)
        page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("() => document.documentElement.lang") == "de"
        found = [(one["rule"], one["where"]) for one in violations(page) if one["impact"] in ("serious", "critical")]
        assert found == []
        assert skipped_headings(page) == []
        page.set_viewport_size({"width": 320, "height": 640})  # German words are long
        assert sideways(page) <= 0
