"""Every page that shows the promise says what it assumes and whom it does not cover, and Risk how guesses fare."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest

from plain.promise_words import says_its_assumption
from web.serving import Served
from web.stewards import SETTING, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")


@pytest.fixture
def finished(kept: Served) -> Iterator[tuple[Served, httpx.Client]]:
    """A session with a release that was attacked; tests leave it as it is."""
    with kept.steward() as steward:
        yield kept, steward


@pytest.mark.parametrize("address", ["/method", "/result", "/result/risk", "/release"])
def test_every_step_with_a_promise_says_its_assumption(finished: tuple[Served, httpx.Client], address: str) -> None:
    _, steward = finished
    page = steward.get(address).text
    (box,) = re.findall(r'<blockquote class="promise.*?</blockquote>', page, re.DOTALL)
    assert says_its_assumption(box)


def test_the_promise_that_follows_the_slider_says_its_assumption(finished: tuple[Served, httpx.Client]) -> None:
    _, steward = finished
    live = steward.post("/method/check", data={**SETTING, "p-l": "3"}).text
    assert "at most 1/3" in text_of_html(live)
    assert says_its_assumption(live)
    sizes = {"name": "mondrian", "p-l": "", "p-model": "k-anonymity=2"}
    assert says_its_assumption(steward.post("/method/check", data=sizes).text)


def test_the_reports_of_the_page_say_the_assumption(finished: tuple[Served, httpx.Client]) -> None:
    server, steward = finished
    for audience in ("public", "private"):
        steward.post("/release/report", data={"audience": audience})
        server.wait()
        assert says_its_assumption(steward.get(f"/release/report/{audience}").text.partition('id="published"')[0])


def test_risk_says_beside_the_promise_how_guesses_fare_in_a_plain_line(finished: tuple[Served, httpx.Client]) -> None:
    server, steward = finished
    page = steward.get("/result/risk").text.replace("\N{NO-BREAK SPACE}", " ")
    (line,) = re.findall(r'<p id="guessing">(.*?)</p>', page, re.DOTALL)
    assert "<" not in line  # no badge
    assert server.session.risk is not None
    learner = next(one for one in server.session.risk["attempts"] if one["name"] == "learns from the release")
    assert line.startswith("Who only guesses the most frequent disease is right for 25 % of the people, who counts")
    assert f"{round(100 * learner['accuracy'])} %." in line
    assert "whom the promise does not cover" in line
    assert page.index('<p id="guessing">') < page.index('<ul class="attackers">')  # beside the promise, and not folded


def test_no_page_says_that_no_method_prevents_learning(finished: tuple[Served, httpx.Client]) -> None:
    _, steward = finished
    said = text_of(steward.get("/result/risk"))
    assert "may believe more" in said or "not covered" in said.lower()
    assert "no method" not in said
    assert "ART is made against those who know such statistics" in said


def text_of_html(text: str) -> str:
    """A piece of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())
