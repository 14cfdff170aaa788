"""Two tabs of one session: a form that was shown for one table is never taken for another."""

from __future__ import annotations

import re

import httpx
import pytest

from pellucid.datasets import patients
from web.serving import Served, csv_of
from web.stewards import ROLES, SETTING, opened, published, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

OTHER = "ward,salary,nurse,town\n" + "".join(f"w{i % 3},{900 + i},n{i},{'abcd'[i % 4]}\n" for i in range(24))
CHANGED = "The table has changed in another tab"
FORM = re.compile(r'<form method="post" action="([^"]+)"[^>]*>(.*?)</form>', re.DOTALL)
ABOUT_NO_TABLE = ("/job/cancel", "/job/dismiss", "/data/upload", "/data/demo")  # or about another one


def hidden(page: str, action: str) -> dict[str, str]:
    """What the form of a page sends without being asked."""
    form = next(inner for found, inner in FORM.findall(page) if found == action)
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))


def test_roles_of_a_stale_tab_do_not_land_on_the_columns_of_another_table(
    server: Served, steward: httpx.Client
) -> None:
    opened(server, steward, patients().write_csv())
    stale = {**ROLES, **hidden(steward.get("/roles").text, "/roles")}
    assert stale["column-0"] == "name"
    opened(server, steward, OTHER)
    before = dict(server.session.columns)
    for form in (stale, {**stale, "then": "stay"}, {**stale, "then": "2"}):
        refused = steward.post("/roles", data=form)
        assert refused.status_code == 409
        assert f"{CHANGED}; here it is as it is now" in text_of(refused)
        assert "ward" in refused.text  # as it is now
        assert server.session.columns == before
        assert server.session.checked is None
    live = steward.post("/roles/consider", data=stale)
    assert CHANGED in text_of(live)
    now = {**ROLES, **hidden(steward.get("/roles").text, "/roles")}
    assert steward.post("/roles", data={**now, "role-0": "quasi", "role-2": "identifier"}).status_code == 303


def test_the_same_table_opened_again_and_other_names_of_columns_are_stale_too(
    server: Served, steward: httpx.Client
) -> None:
    opened(server, steward, patients().write_csv())
    stale = {**ROLES, **hidden(steward.get("/roles").text, "/roles")}
    opened(server, steward, patients().write_csv())
    assert steward.post("/roles", data=stale).status_code == 409
    current = {**stale, "table": server.session.table_id}
    assert steward.post("/roles", data={**current, "column-1": "salary"}).status_code == 409
    assert steward.post("/roles", data={**current, "column-9": "salary"}).status_code == 409
    assert steward.post("/roles", data={**ROLES, "table": ""}).status_code == 409
    assert steward.post("/roles", data=current).status_code == 303


def test_names_with_odd_blanks_come_back_as_they_are_sent(server: Served, steward: httpx.Client) -> None:
    rows = "".join(f"{20 + i % 5},{'abcd'[i % 4]}\n" for i in range(24))
    opened(server, steward, f'" age\n(years) ",ill\n{rows}')
    form = {"role-0": "quasi", "role-1": "sensitive", "column-0": "age\r\n(years)", "column-1": "ill"}
    assert steward.post("/roles", data=form).status_code == 303


def test_every_form_that_speaks_about_the_table_is_refused_once_another_one_is_open(
    server: Served, steward: httpx.Client
) -> None:
    published(server, steward)
    stale = {"table": server.session.table_id}
    steward.post("/data/demo", data={"name": "patients", "discard": "yes"})
    server.wait()
    steward.post("/roles", data=ROLES)
    server.wait()
    steward.post("/method", data=SETTING)
    server.wait()
    session = server.session
    kept = (session.release, session.columns, session.comparison, set(session.reports), session.jobs.current)
    schema = steward.get("/roles/schema.toml").text
    for refused in (
        steward.post("/roles/1", data={**stale, "role": "drop", "discard": "yes"}),
        steward.post("/roles/9", data={**stale, "role": "drop", "discard": "yes"}),  # the other one had more columns
        steward.post("/roles/1", data={**stale, "discard": "yes"}, files=csv_of("1;*\n", "t.csv")),
        steward.post("/roles/9", data={**stale, "discard": "yes"}, files=csv_of("1;*\n", "t.csv")),
        steward.post("/roles/load", data={**stale, "discard": "yes"}, files=csv_of(schema, "s.toml")),
        steward.post("/method", data={**stale, **SETTING}),
        steward.post("/result/compare", data={**stale, "m-hybrid": "on", "from": "2", "to": "2"}),
        steward.post("/result/look", data={**stale, "seconds": "9"}),
        steward.post("/result/person", data={**stale, "who": "Ann"}),
        steward.post("/release/bundle", data={**stale, "format": "parquet"}),
        steward.post("/release/report", data={**stale, "audience": "public"}),
        steward.post("/data/forget", data={**stale, "sure": "yes"}),
    ):
        assert refused.status_code == 409, refused.request.url
        assert CHANGED in text_of(refused)
        now = (session.release, session.columns, session.comparison, set(session.reports), session.jobs.current)
        assert now == kept
    for live, form in (("/method/check", SETTING), ("/result/person", {"who": "Ann"})):
        told = steward.post(live, data={**stale, **form}, headers={"HX-Request": "true"})
        assert CHANGED in text_of(told)
    assert steward.post("/result/names", data={**stale, "who": "a"}).text.strip() == ""
    assert not [path for path in session.folder.iterdir() if path.name.startswith(("taxonomy-", "schema-"))]


def test_a_tab_whose_table_was_replaced_is_told_what_became_of_its_release(
    server: Served, steward: httpx.Client
) -> None:
    published(server, steward)
    steward.post("/data/upload", data={"discard": "yes"}, files=csv_of(OTHER, "wards.csv"))  # in another tab
    server.wait()
    for page in ("/result", "/result/risk", "/release", "/method", "/roles"):
        told = text_of(steward.get(page))
        assert re.search(r"wards.csv was opened at \d\d:\d\d in place of patients.csv, whose release was disc", told)
    opened(server, steward, patients().write_csv(), "again.csv")
    assert "discarded" not in text_of(steward.get("/result"))  # there was none


def test_a_setting_that_was_chosen_for_other_roles_publishes_nothing(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    method = hidden(steward.get("/method").text, "/method")
    assert steward.post("/method", data={**method, **SETTING}).status_code == 303
    server.wait()
    steward.post("/roles", data={**ROLES, "role-2": "carry", "discard": "yes"})  # in another tab
    server.wait()
    assert server.session.checked is not None
    told = "hat is said about the columns has changed in another tab"
    for stale in (
        steward.post("/method", data={**method, **SETTING}),
        steward.post("/result/compare", data={**method, "m-hybrid": "on", "from": "2", "to": "2"}),
    ):
        assert stale.status_code == 409
        assert told in text_of(stale)
        assert server.session.release is None
        assert server.session.comparison is None
    assert told in text_of(steward.post("/method/check", data={**method, **SETTING}))
    now = hidden(steward.get("/method").text, "/method")
    assert steward.post("/method", data={**now, **SETTING}).status_code == 303
    server.wait()
    assert server.session.release is not None


def test_a_link_of_a_stale_tab_downloads_no_other_release(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    steward.post("/release/report", data={"audience": "public"})
    server.wait()
    links = re.findall(r'href="(/release/(?:bundle|report)[^"]+)"', steward.get("/release").text)
    assert len(links) == 2
    assert [steward.get(link).status_code for link in links] == [200, 200]
    steward.post("/method", data={"name": "hybrid", "p-l": "3"})
    server.wait()
    steward.post("/release/report", data={"audience": "public"})
    server.wait()
    for link in links:
        refused = steward.get(link)
        assert refused.status_code == 409
        assert "The release has changed in another tab" in text_of(refused)
        assert "content-disposition" not in refused.headers


def test_what_is_asked_about_a_release_is_not_answered_about_another(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    session = server.session
    person = {**hidden(steward.get("/result/risk").text, "/result/person"), "who": "Ann"}
    release = steward.get("/release").text
    stale = {**hidden(release, "/release/bundle"), "format": "parquet"}
    session.risk = None
    look = hidden(steward.get("/result/risk").text, "/result/look")
    steward.post("/method", data={"name": "hybrid", "p-l": "3"})  # in another tab
    server.wait()
    kept = (session.release, session.risk, session.person, set(session.reports), session.jobs.current)
    assert session.risk is not None
    told = "The release has changed in another tab"
    for refused in (
        steward.post("/result/look", data=look),
        steward.post("/result/person", data=person),
        steward.post("/release/bundle", data=stale),
        steward.post("/release/report", data={**hidden(release, "/release/report"), "audience": "private"}),
    ):
        assert refused.status_code == 409, refused.request.url
        assert f"{told}; here it is as it is now, and nothing was done" in text_of(refused)
        assert kept == (session.release, session.risk, session.person, set(session.reports), session.jobs.current)
    live = steward.post("/result/person", data=person, headers={"HX-Request": "true"})
    assert f"{told}, so this page is out of date" in text_of(live)
    now = {**hidden(steward.get("/result/risk").text, "/result/person"), "who": "Ann"}
    assert steward.post("/result/person", data=now).status_code == 303


def test_every_form_of_every_page_says_which_table_it_is_about(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    pages = ["/data", "/data/forget", "/roles", "/roles/1", "/method", "/result", "/result/risk", "/result/utility"]
    found = {}
    for page in [*pages, "/result/compare", "/release"]:
        found |= {action: hidden(text, action) for text in [steward.get(page).text] for action, _ in FORM.findall(text)}
    server.session.risk = server.session.utility = None
    for page in ("/result/risk", "/result/utility"):
        text = steward.get(page).text
        assert hidden(text, "/result/look")["table"] == server.session.table_id
        assert hidden(text, "/result/look")["release"] == str(server.session.releases)
    asked = {action: sent for action, sent in found.items() if action not in ABOUT_NO_TABLE}
    assert {"/roles", "/roles/1", "/roles/load", "/method", "/release/report"} <= set(asked)
    assert {action for action, sent in asked.items() if sent.get("table") != server.session.table_id} == set()
    about_a_release = {"/result/person", "/result/rows", "/release/bundle", "/release/report"}
    assert {action for action, sent in asked.items() if "release" in sent} == about_a_release
