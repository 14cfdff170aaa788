"""What keeps a steward from harm: the pages ask before they publish people or throw work away, and say what is true."""

from __future__ import annotations

import re

import httpx
import pytest

from web.serving import Served, csv_of
from web.stewards import PEOPLE, ROLES, SETTING, checked, opened, published, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

from pellucid.core.schema import Column, Role
from pellucid.web.naming_columns import telling_columns

# Columns that name people


@pytest.mark.parametrize("role", ["quasi", "carry", "sensitive"])
def test_a_column_that_names_people_is_published_only_with_its_own_tick(
    server: Served, steward: httpx.Client, role: str
) -> None:
    opened(server, steward, PEOPLE)
    roles = {"role-0": role, "role-1": "quasi", "role-2": "sensitive", "then": "method"}
    if role == "sensitive":
        roles["role-2"] = "drop"
    live = steward.post("/roles/consider", data=roles).text
    assert '<div id="telling-0"><p class="ask-beside">' in live.replace("\n", "")
    assert 'name="publish"' in live
    refused = steward.post("/roles", data=roles)
    assert refused.status_code == 422
    assert "who: nearly every value belongs to one person" in text_of(refused)
    assert "Every value belongs to one person (24 different values in 24 rows)" in text_of(refused)
    assert f'name="publish" value="0:{role}:category">' in refused.text
    for wrong in ("yes", f"0:{role}", "0:drop:category", f"0:{role}:number", "1:quasi:number"):  # another tick is none
        assert steward.post("/roles", data={**roles, "publish": wrong}).status_code == 422
    assert server.session.checked is None
    assert "press “Next: Method” there first" in text_of(steward.get("/method"))
    assert steward.post("/roles", data={**roles, "publish": f"0:{role}:category"}).status_code == 303
    server.wait()
    assert server.session.checked is not None
    assert f'name="publish" value="0:{role}:category" checked>' in steward.get("/roles").text


def test_roles_from_a_schema_or_from_the_details_of_a_column_need_the_tick_too(
    server: Served, steward: httpx.Client
) -> None:
    opened(server, steward, PEOPLE)
    schema = '[columns.who]\nrole = "carry"\n[columns.age]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n'
    assert steward.post("/roles/load", files=csv_of(schema, "s.toml")).status_code == 303
    assert steward.post("/roles", data={"then": "method"}).status_code == 422
    steward.post("/roles/0", data={"role": "quasi"})
    assert "The values themselves would stand in the published table" in text_of(steward.get("/roles/0"))
    assert steward.post("/roles", data={"then": "method", "publish": "0:carry:category"}).status_code == 422
    steward.post("/roles/0", data={"role": "identifier"})
    assert steward.post("/roles", data={"then": "method"}).status_code == 303


def test_a_tick_for_ranges_of_numbers_is_none_for_the_numbers_themselves(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, "patient_no,age,ill\n" + "".join(f"{700 + i},{20 + i % 5},{i % 4}\n" for i in range(24)))
    roles = {"role-0": "quasi", "role-1": "quasi", "role-2": "sensitive", "then": "method"}
    assert steward.post("/roles", data={**roles, "publish": "0:quasi:number"}).status_code == 303
    server.wait()
    assert 'value="0:quasi:number" checked>' in steward.get("/roles").text
    assert steward.post("/roles/0", data={"role": "quasi", "kind": "category"}).status_code == 303
    page = steward.get("/roles").text
    assert 'name="publish" value="0:quasi:category">' in page  # not ticked
    assert "The values themselves would stand in the published table" in page
    assert steward.post("/roles", data={**roles, "publish": "0:quasi:number"}).status_code == 422
    assert steward.post("/roles", data={**roles, "publish": "0:quasi:category"}).status_code == 303


def test_every_later_step_says_that_names_are_published(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, PEOPLE)
    roles = {"role-0": "carry", "role-1": "quasi", "role-2": "sensitive", "then": "method"}
    steward.post("/roles", data={**roles, "publish": "0:carry:category"})
    server.wait()
    warning = "What is published names people: who."
    assert warning in text_of(steward.get("/method"))
    steward.post("/method", data=SETTING)
    server.wait()
    for page in ("/result", "/result/risk", "/result/utility", "/result/compare", "/release"):
        assert warning in text_of(steward.get(page))
    assert steward.post("/roles", data=roles).status_code == 422  # without the tick, and the release stays
    assert warning in text_of(steward.get("/release"))
    assert warning not in text_of(steward.get("/data"))
    steward.post("/roles", data={**roles, "role-0": "identifier", "discard": "yes"})
    server.wait()
    assert server.session.checked is not None
    for page in ("/method", "/result", "/release"):
        assert warning not in text_of(steward.get(page))


def facts(name: str, kind: str, type_: str, distinct: int, nulls: int = 0) -> dict[str, object]:
    return {"name": name, "kind": kind, "type": type_, "distinct": distinct, "nulls": nulls}


@pytest.mark.parametrize(
    ("column", "role", "told"),
    [
        (facts("remark", "category", "text", 96), "quasi", "tick"),
        (facts("remark", "category", "text", 94), "quasi", ""),
        (facts("remark", "category", "text", 10, nulls=90), "quasi", "tick"),  # of those that are filled in
        (facts("name", "category", "text", 60), "quasi", "tick"),  # some people share a name
        (facts("name", "category", "text", 40), "quasi", ""),
        (facts("name", "category", "text", 100), "identifier", ""),
        (facts("name", "category", "text", 100), "drop", ""),
        (facts("birth date", "date", "date", 100), "quasi", "remark"),
        (facts("birth date", "date", "date", 100), "carry", "tick"),
        (facts("birth date", "category", "text", 100), "quasi", "tick"),  # text is published as it is
        (facts("income", "number", "whole number", 100), "quasi", "remark"),
        (facts("income", "number", "whole number", 100), "sensitive", "tick"),
        (facts("weight", "number", "decimal number", 99), "quasi", "remark"),
        (facts("record", "number", "whole number", 100), "quasi", "tick"),
        (facts("x17", "number", "whole number", 100), "quasi", "tick"),
        (facts("x17", "number", "decimal number", 100), "quasi", "remark"),
        (facts("id", "number", "whole number", 90), "quasi", ""),
    ],
)
def test_which_columns_need_a_tick_and_which_a_remark(column: dict[str, object], role: str, told: str) -> None:
    found = telling_columns({"rows": 100, "columns": [column]}, {str(column["name"]): Column(role=Role(role))})
    assert ["tick" if one.needs_tick else "remark" for one in found] == ([told] if told else [])


def test_two_tables_of_what_is_nearly_unique_are_warned_of(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, "birth,ill\n" + "".join(f"19{50 + i}-01-02,{'abcd'[i % 4]}\n" for i in range(40)))
    page = steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "then": "method"})
    assert page.status_code == 303  # a remark, no tick
    server.wait()
    assert "published as ranges" in text_of(steward.get("/roles"))
    warned = "nearly every value of birth belongs to one person"
    assert warned in steward.post("/method/check", data={**SETTING, "recode": "anatomy"}).text
    assert warned not in steward.post("/method/check", data={**SETTING, "recode": "intervals"}).text


# The promise


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("0", "l = 0 is too small; type a whole number from 2 to 4"),
        ("1", "l = 1 promises nothing: somebody may learn a protected value with certainty; type a whole number"),
        ("2.5", "l = 2.5 is not a whole number; type a whole number from 2 to 4"),
        ("-3", "l = -3 is too small; type a whole number from 2 to 4"),
        ("-" + "3" * 5000, "is too small; type a whole number from 2 to 4"),
        ("3" * 5000, "is too large; type a whole number from 2 to 4"),
        ("abc", "l = abc is not a whole number"),
        ("", "l is empty or not a number; type a whole number from 2 to 4"),
        ("9", "l = 9 is not feasible"),
    ],
)
def test_an_l_that_cannot_be_takes_the_place_of_the_promise_and_publishes_nothing(
    kept: Served, typed: str, told: str
) -> None:
    with kept.steward() as steward:
        live = steward.post("/method/check", data={"name": "hybrid", "p-l": typed})
        refused = steward.post("/method", data={"name": "hybrid", "p-l": typed})
    assert told.lower() in text_of(live).lower()
    assert "<blockquote" not in live.text
    assert "Possible here:" in live.text
    assert refused.status_code == 422
    assert "Nothing was published" in refused.text
    assert "<blockquote" not in refused.text
    assert kept.session.release is not None  # the one that is there stays
    assert kept.session.parameters["l"] == "2"


def test_sliders_begin_at_two_and_the_form_is_sent_as_it_is_typed(kept: Served) -> None:
    with kept.steward() as steward:
        page = steward.get("/method").text
    assert re.search(r'type="range" data-for="p-l"[^>]* min="2"', page)
    assert re.search(r'<form [^>]*id="setting" novalidate>', page)  # else the browser keeps back what is wrong


def test_where_no_l_is_possible_the_page_says_what_to_do(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, "age,ill\n" + "".join(f"{20 + i},{'aaab'[i % 4]}\n" for i in range(8)))
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "then": "method"})
    server.wait()
    for typed in ("1", "2"):
        told = text_of(steward.post("/method/check", data={"name": "hybrid", "p-l": typed}))
        assert "protect another column, or split" in told
        assert steward.post("/method", data={"name": "hybrid", "p-l": typed}).status_code == 422


def test_a_setting_that_promises_nothing_looks_like_none_on_every_page(server: Served, steward: httpx.Client) -> None:
    checked(server, steward)
    nothing = {"name": "tailor", "p-model": "l-diversity=1"}
    pages = [steward.post("/method/check", data=nothing).text]
    assert '<blockquote class="promise">' in steward.post("/method/check", data=SETTING).text
    steward.post("/method", data=nothing)
    server.wait()
    assert server.session.release is not None
    pages += [steward.get("/result").text, steward.get("/release").text]
    for page in pages:
        assert '<blockquote class="promise weak"><p><strong>This is no promise.</strong>' in page
        assert '<blockquote class="promise">' not in page
    assert "This holds for every person" not in pages[-1]
    assert "Nobody is protected by this release" in pages[-1]


# Errors belong to their page


def test_an_error_is_told_on_its_page_only_and_ends_with_the_next_action(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, "town,ill\n" + "".join(f"{town},{ill}\n" for town in ("Rome", "Bern") for ill in "abcd"))
    schema = '[columns.town]\nrole = "quasi"\nkind = "number"\n[columns.ill]\nrole = "sensitive"\n'
    steward.post("/roles/load", files=csv_of(schema, "s.toml"))
    steward.post("/roles", data={"then": "method"})
    server.wait()
    waiting = steward.get("/method")  # whoever waited there is led to where it belongs
    assert (waiting.status_code, waiting.headers["location"]) == (303, "/roles")
    assert "did not work" in steward.get("/roles").text
    for page in ("/data", "/method", "/result", "/release"):
        answer = steward.get(page)
        assert answer.status_code == 200
        assert "did not work" not in answer.text
        assert "is not a number" not in answer.text
    assert "did not work" in steward.get("/roles").text
    steward.post("/roles", data={"then": "stay"})
    assert "did not work" not in steward.get("/roles").text


def test_a_person_who_is_not_found_is_told_once(kept: Served) -> None:
    with kept.steward() as steward:
        assert steward.post("/result/person", data={"who": "Nemo"}).status_code == 303
        kept.wait()
        assert "Nobody in the table is called Nemo" in steward.get("/result/risk").text
        assert "Nemo" not in steward.get("/result/risk").text
        steward.post("/result/person", data={"who": "Nemo"}, headers={"HX-Request": "true"})
        kept.wait()
        assert "Nemo" not in steward.get("/result/risk").text


# Nothing goes without a question


def test_everything_is_deleted_only_after_a_question(server: Served, steward: httpx.Client) -> None:
    checked(server, steward)
    assert 'href="/data/forget"' in steward.get("/data").text
    for question in (steward.get("/data/forget"), steward.post("/data/forget")):
        assert question.status_code == 200
        assert "cannot be brought back" in question.text
        assert len(re.findall("<button", question.text.partition("<main")[2])) == 2
    assert server.session.checked is not None
    assert list(server.session.folder.iterdir()) != []
    assert steward.post("/data/forget", data={"sure": "yes"}).status_code == 303
    assert server.session.source is None
    assert list(server.session.folder.iterdir()) == []
    assert steward.get("/data/forget").headers["location"] == "/data"


def test_a_change_of_roles_discards_a_release_only_if_that_is_confirmed(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    page = steward.get("/roles").text
    assert "There is a finished release (hybrid, l = 2)" in page
    changed = {**ROLES, "role-2": "drop", "then": "stay"}
    live = steward.post("/roles/consider", data=changed).text
    assert "A role was changed." in live
    ladder = {"role": "quasi", "taxonomy": "ladder", "ladder": "5, 10"}
    schema = steward.get("/roles/schema.toml").text.replace('"quasi"', '"carry"', 1)
    tree = "1;low;*\n"
    for refused in (
        steward.post("/roles", data=changed),
        steward.post("/roles", data={**changed, "then": "1"}),
        steward.post("/roles/1", data=ladder),
        steward.post("/roles/load", files=csv_of(schema, "s.toml")),
        steward.post("/roles/1", files=csv_of(tree, "t.csv")),
    ):
        assert refused.status_code == 422
        assert "discards the finished release (hybrid, l = 2)" in refused.text
        assert server.session.release is not None
    kept = steward.post("/roles", data=changed).text  # what was chosen need not be chosen again
    chosen = re.search(r'name="role-2">.*?<option value="(\w+)" selected', kept, re.DOTALL)
    assert chosen is not None
    assert chosen[1] == "drop"
    assert steward.get("/release/bundle.zip").status_code == 200
    assert steward.post("/roles", data={**ROLES, "then": "stay"}).status_code == 303  # no change, no question
    assert server.session.release is not None
    assert steward.post("/roles", data={**changed, "discard": "yes"}).status_code == 303
    assert server.session.release is None
    for page in ("/roles", "/method", "/result", "/release"):
        assert "The release made with hybrid, l = 2 was discarded" in steward.get(page).text
    steward.post("/roles", data={**changed, "then": "method"})
    server.wait()
    steward.post("/method", data=SETTING)
    server.wait()
    assert "was discarded" not in steward.get("/release").text


def test_another_table_replaces_a_release_only_if_that_is_confirmed(server: Served, steward: httpx.Client) -> None:
    checked(server, steward)
    for page in ("/data", "/method"):
        assert "There is a finished release" not in steward.get(page).text
    assert 'name="discard"' not in steward.get("/data").text
    steward.post("/method", data=SETTING)
    server.wait()
    page = steward.get("/data").text
    assert page.count('name="discard" value="yes" required') == 5  # file, two demo tables, database, how it is read
    assert "There is a finished release (hybrid, l = 2) of patients.csv" in page
    method = text_of(steward.get("/method"))
    assert "There is a finished release (hybrid, l = 2). Publishing again keeps it" in method
    kept = sorted(path.name for path in server.session.folder.iterdir())
    for refused in (
        steward.post("/data/upload", files=csv_of(PEOPLE, "other.csv")),
        steward.post("/data/demo", data={"name": "census"}),
        steward.post("/data/database", data={"address": "sqlite:///other.db", "query": "patients"}),
    ):
        assert refused.status_code == 422
        assert "Opening another table discards the finished release (hybrid, l = 2)" in text_of(refused)
        assert server.session.release is not None
        assert sorted(path.name for path in server.session.folder.iterdir()) == kept
    assert steward.get("/release/bundle.zip").status_code == 200
    sent = steward.post("/data/upload", data={"discard": "yes"}, files=csv_of(PEOPLE, "other.csv"))
    assert sent.status_code == 303
    server.wait()
    assert server.session.release is None
    assert server.session.data is not None
    assert server.session.data["name"] == "other.csv"


# One person


@pytest.mark.parametrize("typed", ["ann", " ANN ", "Ann"])
def test_a_person_is_found_whatever_the_case(kept: Served, typed: str) -> None:
    with kept.steward() as steward:
        told = steward.post("/result/person", data={"who": typed}, headers={"HX-Request": "true"}).text
        kept.wait()
        assert "<h4>Ann</h4>" in told or "<h4>Ann</h4>" in steward.get("/result/risk").text


def test_names_are_offered_while_somebody_types_and_none_without_a_release(kept: Served) -> None:
    with kept.steward() as steward:

        def offered(typed: str) -> list[str]:
            return re.findall(r'<option value="([^"]*)">', steward.post("/result/names", data={"who": typed}).text)

        assert offered("a")[0] == "Ann"  # those that begin so come first
        assert "Hera" in offered("a")
        assert offered("HER") == ["Hera"]
        assert offered("") == []
        assert offered("(") == []
        assert steward.get("/result/names").status_code == 405
        release, kept.session.release = kept.session.release, None
        try:
            assert offered("a") == []
        finally:
            kept.session.release = release


def test_without_names_a_row_number_is_explained(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, "age,ill\n" + "".join(f"{20 + i % 5},{'abcd'[i % 4]}\n" for i in range(60)))
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "then": "method"})
    server.wait()
    steward.post("/method", data=SETTING)
    server.wait()
    assert "the first row below the header is 1" in steward.get("/result/risk").text
    assert steward.post("/result/names", data={"who": "2"}).text.strip() == ""
    for typed, told in (
        ("Ann", "from 1 (the first row below the header) to 60"),
        ("0", "to 60"),
        ("61", "to 60"),
        ("60", "Row 60"),
        ("row 17", "Row 17"),
    ):
        steward.post("/result/person", data={"who": typed})
        server.wait()
        assert told in steward.get("/result/risk").text
