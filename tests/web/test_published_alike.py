"""The pages where groups are published alike: what a reader sees, and what attackers are given besides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape

import httpx
import pytest

from pellucid.text.figures import percent
from pellucid.web.steps.result import shown_rows
from report.clinic import clinic, schema
from web.serving import Served, csv_of, served
from web.stewards import opened, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")


@pytest.fixture(scope="module")
def told() -> Iterator[tuple[Served, httpx.Client]]:
    """The clinic published with broader names, attacked and reported for the file."""
    with served(seed=7) as server, server.steward() as steward:
        opened(server, steward, clinic().write_csv(), "clinic.csv")
        steward.post("/roles/load", files=csv_of(schema().to_toml(), "s.toml"))
        steward.post("/roles", data={"then": "method", "publish": "3:quasi"})
        server.wait()
        steward.post("/method", data={"name": "hybrid", "p-l": "3", "recode": "taxonomy"})
        server.wait()
        for audience in ("private", "public"):
            steward.post("/release/report", data={"audience": audience})
            server.wait()
        yield server, steward


def test_the_result_counts_groups_as_a_reader_can_tell_them_apart(told: tuple[Served, httpx.Client]) -> None:
    server, steward = told
    release = server.session.release
    assert release is not None
    page, report = text_of(steward.get("/result")), text_of(steward.get("/release/report/private"))
    made, read = release["account"]["groups"], release["read"]["groups"]
    assert made > read
    words = f"The method made {made} groups; those that are published alike count as one here."
    assert words in page
    assert words in report
    assert f"in {read} groups of {release['read']['min']} to" in report
    assert f"Groups, as a reader can tell them apart {read}" in page
    assert f"Smallest group {release['read']['min']}" in page
    average = f"{release['account']['published_rows'] / read:.1f}"
    assert f"Rows per group, on average {average}" in page
    drawn = sum(bar["groups"] for bar in release["sizes"]["rows"])
    assert drawn == read


def test_rows_before_and_after_show_all_that_is_published_alike(told: tuple[Served, httpx.Client]) -> None:
    server, steward = told
    release = server.session.release
    assert release is not None
    page = unescape(steward.get("/result").text)
    shown = shown_rows(server.session, 1)["rows"]
    counted = Counter(pair["after"]["disease"].count(",") for pair in shown)
    assert max(counted) >= 3  # a made group has three or four values, those published alike together more
    for pair in shown:
        assert re.search(rf'<td><span class="v( long)?">{re.escape(pair["after"]["disease"])}</span></td>', page)


def test_the_risk_tab_says_that_attackers_are_given_the_groups_that_were_made(
    told: tuple[Served, httpx.Client],
) -> None:
    server, steward = told
    release = server.session.release
    assert release is not None
    page = text_of(steward.get("/result/risk"))
    made, read = release["account"]["groups"], release["read"]["groups"]
    before, _, after = page.partition("Classic attacks")
    assert f"who is in which of the {made} groups that the method made; a reader can tell {read}" in before
    assert f"Counted by the {made} groups that the method made" in after


def test_the_risk_tab_lists_worst_groups_published_alike_once(told: tuple[Served, httpx.Client]) -> None:
    server, steward = told
    risk = server.session.risk
    assert risk is not None
    shared = []
    for attempt in risk["attempts"]:
        described = [tuple(group["published"].items()) for group in attempt["worst"]]
        assert len(set(described)) == len(described)
        shared += [group["shared"] for group in attempt["worst"] if group["shared"]]
    assert shared
    page = text_of(steward.get("/result/risk"))
    assert all(f"({words}):" in page for words in shared)


def test_the_risk_tab_says_who_was_above_before(told: tuple[Served, httpx.Client]) -> None:
    server, steward = told
    page = unescape(steward.get("/result/risk").text)
    tile = page.partition("<h3>Knows the distribution by born</h3>")[2].partition("<details>")[0]
    assert "all of them already before seeing the release" in tile
    risk = server.session.risk
    assert risk is not None
    told_of = risk["verdict"][-1]["text"].partition("Already before seeing the release,")
    assert "by born" not in told_of[0]
    assert "knows the distribution by born" in told_of[2]


def test_what_is_not_covered_is_said_beside_the_chip_of_one_person(told: tuple[Served, httpx.Client]) -> None:
    server, steward = told
    answer = steward.post("/result/person", data={"who": "Person 007"}, headers={"HX-Request": "true"})
    server.wait()
    page = answer.text if answer.text else steward.get("/result/risk").text
    for one in page.split('<div class="told">')[1:]:
        chip = one.partition("</p>")[0]
        if "knows the distribution by born" in chip:
            assert '<span class="badge warn">above 1/3</span>' in chip
            assert "not covered by the promise; already before seeing the release" in chip
        if "knows only the release<" in chip or "knows the algorithm<" in chip:
            assert "not covered" not in chip
    assert "knows the distribution by born" in page


def test_every_tab_tells_what_is_kept_of_the_same_columns(told: tuple[Served, httpx.Client]) -> None:
    server, steward = told
    release = server.session.release
    assert release is not None
    kept = release["account"]["information_kept"]
    assert "sex" in kept
    for path in ("/result", "/result/utility"):
        page = unescape(steward.get(path).text).replace("\N{NO-BREAK SPACE}", " ")
        assert all(f'aria-label="{name}: {percent(share)}"' in page for name, share in kept.items())


def test_one_more_value_is_one_value(server: Served, steward: httpx.Client) -> None:
    rows = [f"{20 + i},{'abcdefghi'[i % 9]}" for i in range(27)]
    opened(server, steward, "age,ill\n" + "\n".join(rows) + "\n")
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "then": "method", "publish": "0:quasi"})
    server.wait()
    assert "and 1 more value<" in steward.get("/method").text


def test_each_report_is_announced_by_what_it_holds(told: tuple[Served, httpx.Client]) -> None:
    _, steward = told
    page = text_of(steward.get("/release"))
    public = page.partition("Public :")[2].partition("For your records :")[0]
    assert "nothing that attacks found" in public
    assert "what every attacker learns" in page.partition("For your records :")[2]
    assert "What attacks on this release find is not told here" in steward.get("/release/report/public").text
