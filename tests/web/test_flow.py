"""The five steps over HTTP, as forms send them: what a steward relies on, without a browser."""

from __future__ import annotations

import io
import os
import re
import tomllib
import zipfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import httpx
import psutil
import pytest

import pellucid as pc
from pellucid.cli.program import main
from pellucid.core.schema import Schema
from pellucid.datasets import patients
from pellucid.risk.report.results import result_of
from pellucid.risk.report.sentences import promise_status
from pellucid.web.steps.result import your_release
from pellucid.web.tasks.attacking import verdict_on
from web.serving import Served, csv_of, served
from web.stewards import COLUMNS, ROLES, opened, published, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

TOWNS = "town,illness\n" + "".join(f"{town},{illness}\n" for town in ("Rome", "Oslo", "Bern") for illness in "abcd")


def group_of(process: psutil.Process) -> int | None:
    """The process group of a process that runs; None for one that has ended."""
    try:
        return None if process.status() == psutil.STATUS_ZOMBIE else os.getpgid(process.pid)
    except (psutil.NoSuchProcess, ProcessLookupError):
        return None


def test_the_bundle_is_what_the_command_line_writes_for_the_same_key(
    server: Served, steward: httpx.Client, tmp_path: Path
) -> None:
    published(server, steward, name="soft-cut")  # which the command line chooses by itself
    (tmp_path / "patients.csv").write_text(patients().write_csv())
    (tmp_path / "schema.toml").write_bytes(steward.get("/roles/schema.toml").content)
    words = ["publish", str(tmp_path / "patients.csv"), "--schema", str(tmp_path / "schema.toml"), "--l", "2"]
    assert main([*words, "--seed", "7", "--out", str(tmp_path / "out"), "--quiet"]) == 0
    with zipfile.ZipFile(io.BytesIO(steward.get("/release/bundle.zip").content)) as bundle:
        files = {name: bundle.read(name) for name in bundle.namelist()}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}


def test_the_bundle_comes_in_other_formats_and_holds_nothing_private(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    assert steward.post("/release/bundle", data={"format": "parquet"}).status_code == 303
    server.wait()
    with zipfile.ZipFile(io.BytesIO(steward.get("/release/bundle.zip").content)) as bundle:
        assert bundle.namelist() == ["data.parquet", "recipe.json"]
        assert all(b"Hera" not in bundle.read(name) for name in bundle.namelist())


def test_the_schema_that_is_saved_can_be_loaded_again(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, patients().write_csv(), "patients.csv")
    steward.post("/roles", data=COLUMNS)
    steward.post(
        "/roles/1", data={"role": "quasi", "taxonomy": "ladder", "ladder": "5, 10, 20", "low": "0", "high": "120"}
    )
    server.wait()
    saved = steward.get("/roles/schema.toml").text
    assert tomllib.loads(saved)["columns"]["age"] == {
        "role": "quasi",
        "domain": [0, 120],
        "taxonomy": {"ladder": [5, 10, 20]},
    }
    before = server.session.schema
    steward.post("/roles", data={**COLUMNS, "role-1": "carry"})
    assert server.session.schema != before
    assert steward.post("/roles/load", files=csv_of(saved, "s.toml")).status_code == 303
    assert server.session.schema == before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[columns.age]\nrole = 'quasy'\n", "is not one of identifier, quasi"),
        ("[columns.height]\nrole = 'quasi'\n[columns.disease]\nrole = 'sensitive'\n", "which this table does not have"),
        ("not toml at all", "mine.toml"),
    ],
)
def test_a_schema_that_does_not_fit_says_why(server: Served, steward: httpx.Client, text: str, told: str) -> None:
    opened(server, steward, patients().write_csv(), "patients.csv")
    before = dict(server.session.columns)
    answer = steward.post("/roles/load", files=csv_of(text, "mine.toml"))
    assert answer.status_code == 422
    assert told in answer.text
    assert str(server.session.folder) not in answer.text
    assert server.session.columns == before


def test_an_uploaded_tree_is_drawn_and_becomes_part_of_the_schema(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, TOWNS)
    tree = "Rome;warm;*\nOslo;cold;*\nBern;cold;*\n"
    assert steward.post("/roles/0", files=csv_of(tree, "towns.csv")).status_code == 303
    page = steward.get("/roles/0").text
    assert "<summary>warm</summary>" in page
    assert "3 values, 2 levels" in page
    schema = Schema.model_validate(tomllib.loads(steward.get("/roles/schema.toml").text))
    assert schema.columns["town"].taxonomy is not None


@pytest.mark.parametrize(
    ("tree", "told"),
    [("Rome;warm;*\n", "misses 2 values"), ("Rome;warm;*\nOslo;cold;all\n", "two roots"), ("", "no value")],
)
def test_a_tree_that_does_not_fit_says_why_and_is_not_taken(
    server: Served, steward: httpx.Client, tree: str, told: str
) -> None:
    opened(server, steward, TOWNS)
    answer = steward.post("/roles/0", files=csv_of(tree, "towns.csv"))
    assert answer.status_code == 422
    assert told in answer.text
    assert server.session.columns["town"].taxonomy is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("name,age,disease\n", "no rows"),
        ("a,b\n1,2\n1,2,3\n", "line 3"),
        ("a,a\n1,2\n", "a"),
        ("\x00\x01\x02", "not text"),
    ],
)
def test_a_broken_table_is_explained_with_its_own_name(
    server: Served, steward: httpx.Client, text: str, told: str
) -> None:
    page = opened(server, steward, text, "my patients.csv")
    assert 'role="alert"' in page
    assert told in page
    assert "my patients.csv" in page
    assert str(server.session.folder) not in page
    assert server.session.data is None


def test_roles_that_make_no_schema_say_what_is_missing(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, patients().write_csv(), "patients.csv")
    nothing_sensitive = steward.post("/roles", data={**ROLES, "role-3": "quasi"})
    assert nothing_sensitive.status_code == 422
    assert "No column has the role “To be protected (sensitive)”" in nothing_sensitive.text
    two_identifiers = steward.post("/roles", data={**ROLES, "role-1": "identifier"})
    assert "is an identifier besides" in two_identifiers.text


def test_a_kind_that_the_values_do_not_have_is_told_at_the_step_in_words_of_the_page(
    server: Served, steward: httpx.Client
) -> None:
    opened(server, steward, TOWNS)
    schema = '[columns.town]\nrole = "quasi"\nkind = "number"\n[columns.illness]\nrole = "sensitive"\n'
    steward.post("/roles/load", files=csv_of(schema, "s.toml"))  # only the page compares with the values when it saves
    steward.post("/roles", data={"then": "method"})
    server.wait()
    told = text_of(steward.get("/roles"))
    assert "town: 'Bern' is not a number" in told
    assert "“Texts that stand for an empty value”" in told
    assert "kind =" not in told
    assert "missing =" not in told
    assert server.session.checked is None


def test_an_infeasible_l_names_the_value_and_the_way_out(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, patients().write_csv(), "patients.csv")
    steward.post("/roles", data=ROLES)
    server.wait()
    live = steward.post("/method/check", data={"name": "hybrid", "p-l": "9"}).text
    assert "l = 9 is not feasible" in live
    assert "l up to 4" in live
    refused = steward.post("/method", data={"name": "hybrid", "p-l": "9"})
    assert refused.status_code == 422
    assert "use l = 4 or less" in refused.text
    assert server.session.release is None


def test_the_promise_follows_the_setting_and_a_weak_method_is_warned_of(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, patients().write_csv(), "patients.csv")
    steward.post("/roles", data=ROLES)
    server.wait()
    assert "at most 1/3" in steward.post("/method/check", data={"name": "hybrid", "p-l": "3"}).text
    weak = steward.post("/method/check", data={"name": "incognito", "p-l": "2"}).text
    assert "Warning" in weak
    assert "does not withstand somebody who knows how it works" in weak


def test_another_role_takes_back_what_followed_from_the_old_ones(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    steward.post("/roles", data={**COLUMNS, "role-2": "drop", "discard": "yes"})
    assert server.session.release is None
    assert steward.get("/release/bundle.zip").status_code == 404
    assert "There is no release yet" in steward.get("/result").text


def test_risk_utility_and_one_person_are_told(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    risk = steward.get("/result/risk").text
    assert "knows the algorithm" in risk
    assert "Worst groups, in words" in risk
    assert risk.count("<svg") >= 4
    lead = " ".join(risk.partition('<div class="verdict kept" id="verdict">')[2].split())
    kept = "<strong>The promise is kept.</strong> None of the 2 attackers whom the promise covers is more than"
    assert lead.startswith(f"<p>{kept} 1/2 sure of anybody")
    assert "The promise is not kept" not in risk
    covered, _, others = lead.partition('<li class="attacker outside"')
    assert ">above 1/2<" not in covered
    assert "Learns from the release" in others
    told = steward.post("/result/person", data={"who": "Ann"}, headers={"HX-Request": "true"}).text
    assert "Ann is in a group of 2 rows" in told
    unknown = steward.post("/result/person", data={"who": "Nobody"}, headers={"HX-Request": "true"}).text
    assert "Nobody in the table is called Nobody" in unknown
    utility = steward.get("/result/utility").text
    assert "query-error" in utility
    assert "What is kept of each column" in utility


def test_a_promise_that_is_not_kept_is_an_alarm_and_a_method_without_one_says_so(
    server: Served, steward: httpx.Client
) -> None:
    published(server, steward)
    seen = server.session.risk
    assert seen is not None
    people = pc.datasets.patients()
    release = pc.publish(people, pc.Hybrid(l=2), quasi=["age", "zipcode"], sensitive="disease")
    report = pc.attack_all(release, truth=people, adversaries=["nothing", "algorithm"], classic=False)
    above = tuple(replace(one, bound=1 / 3) for one in report.attempts)  # as if 1/3 had been promised
    for claim, said in (("algorithm", "The promise is not kept."), ("none", "The method promises nothing.")):
        found = result_of(replace(report, limit=Fraction(1, 3), attempts=above), claim)
        told = verdict_on(found, promise_status(found), found.state(), [], beyond=False)
        server.session.risk = {**seen, "state": found.state(), "verdict": told}
        page = steward.get("/result/risk").text
        assert f"<strong>{said}</strong>" in page
        assert ('<p role="alert">' in page) is found.broken is (claim == "algorithm")


def test_a_person_is_found_after_the_worker_was_lost(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    server.session.jobs.stop()
    told = steward.post("/result/person", data={"who": "Ann"}, headers={"HX-Request": "true"}).text
    server.wait()
    assert "Ann is in a group of 2 rows" in told or "Ann is in a group" in steward.get("/result/risk").text


def test_compare_links_each_point_to_its_setting(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    steward.post("/result/compare", data={"m-hybrid": "on", "m-anatomy": "on", "from": "2", "to": "3"})
    server.wait()
    page = steward.get("/result/compare").text
    assert '<a href="/method?name=hybrid&amp;l=3" aria-label="hybrid, l = 3"' in page
    assert "http://" not in page.replace("http://www.w3.org/", "")
    loaded = steward.get("/method?name=anatomy&l=3").text
    assert 'name="name" value="anatomy"' in loaded
    assert 'value="3" min="2"' in loaded
    nothing = steward.post("/result/compare", data={"from": "2", "to": "3"})
    assert nothing.status_code == 422
    assert "no method is ticked" in nothing.text.lower()


@pytest.mark.usefixtures("real_workers")
def test_both_reports_can_be_downloaded(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    for audience in ("public", "private"):
        assert steward.get(f"/release/report/{audience}").status_code == 404
        steward.post("/release/report", data={"audience": audience})
        server.wait()
        report = steward.get(f"/release/report/{audience}")
        assert report.headers["content-disposition"].startswith("attachment")
        assert report.text.lstrip().lower().startswith("<!doctype html>")
        assert 'role="img"' in report.text  # a chart, drawn by the worker
        assert ("Ann is in a group" in report.text) == (audience == "private")


def test_cancel_ends_the_work_and_every_process_of_it(server: Served, steward: httpx.Client) -> None:
    steward.post("/data/demo", data={"name": "census"})
    server.wait()
    steward.post("/roles", data={"then": "method"})
    server.wait()
    methods = {f"m-{name}": "on" for name in ("hybrid", "tailor", "ace", "mondrian", "audited")}
    steward.post("/result/compare", data={**methods, "from": "2", "to": "12"})
    running = server.session.jobs.running
    assert running is not None
    worker = server.session.jobs._worker
    assert worker is not None
    busy = steward.post("/result/compare", data={"m-hybrid": "on", "from": "2", "to": "2"})
    assert busy.status_code == 422
    assert "still busy with" in busy.text.lower()
    assert "<progress" in steward.get("/result/compare").text  # a reload finds it again
    assert steward.post("/job/cancel").status_code == 303
    assert running.state == "cancelled"
    assert not [one for one in psutil.process_iter() if group_of(one) == worker._process.pid]
    page = steward.get("/result/compare").text
    assert "Cancelled: Comparing" in page
    steward.post("/method", data={"name": "hybrid", "p-l": "8"})  # and the next piece of work begins anew
    server.wait(lambda: server.session.release is not None)  # not for all attackers on 50,000 people
    assert server.session.release is not None


def test_steps_that_are_not_ready_say_what_to_do_first(steward: httpx.Client) -> None:
    for page in ("/roles", "/method", "/result", "/result/risk", "/result/utility", "/result/compare", "/release"):
        answer = steward.get(page)
        assert answer.status_code == 200
        assert "first" in answer.text.lower()


def test_a_file_given_at_the_start_is_there_at_once(tmp_path: Path) -> None:
    path = tmp_path / "patients.csv"
    path.write_text(patients().write_csv())
    with served(file=path) as running, running.steward() as steward:
        running.wait()
        assert "patients.csv" in steward.get("/data").text
        steward.post("/data/forget", data={"sure": "yes"})
        assert running.session.data is None
    assert path.exists()


def test_several_sensitive_columns_can_be_published_and_reported(server: Served, steward: httpx.Client) -> None:
    rows = "".join(f"{20 + i},{'abcd'[i % 4]},{'wxyz'[i // 4 % 4]}\n" for i in range(32))
    opened(server, steward, f"age,illness,income\n{rows}")
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "role-2": "sensitive", "then": "method"})
    server.wait()
    live = steward.post("/method/check", data={"name": "anatomy", "p-l": "2"}).text
    assert "use soft-cut" in live  # before Run is pressed
    assert "at most 1/2" not in live
    for able in ("tailor", "soft-cut"):
        assert "at most 1/2" in steward.post("/method/check", data={"name": able, "p-l": "2"}).text
    refused = steward.post("/method", data={"name": "anatomy", "p-l": "2"})
    assert "use soft-cut" in refused.text
    steward.post("/method", data={"name": "soft-cut", "p-l": "2"})
    server.wait()
    assert server.session.release is not None
    assert set(server.session.risks) == {"illness", "income"}
    for number, column in enumerate(("illness", "income"), 1):  # the tab tries attackers on each, one is shown
        found = steward.get(f"/result/risk?column={number}")
        said = text_of(found)
        assert "The promise is kept about every protected column. illness : kept income : kept" in said
        assert f'<a href="/result/risk?column={number}" aria-current="true">{column}</a>' in found.text
        assert f"with which an attacker names anybody's {column}" in said
        assert found.text.count('<li class="attacker ') == 5
        steward.post("/result/person", data={"who": "3"})
        server.wait()
        assert f"How surely each attacker names the {column}:" in text_of(steward.get("/result/risk"))
    assert server.session.risk is server.session.risks["income"]  # the choice stays
    assert '<input type="hidden" name="column" value="2"' in steward.get("/result/risk").text
    for headers in ({"HX-Request": "true"}, {}):  # a tab that shows illness still, while another chose income
        steward.get("/result/risk?column=2")
        told = text_of(steward.post("/result/person", data={"who": "3", "column": "1"}, headers=headers))
        server.wait()
        shown = told if headers else text_of(steward.get("/result/risk"))
        assert "How surely each attacker names the illness:" in shown
        assert "names anybody's illness" in text_of(steward.get("/result/risk")), "figures and answer are about one"
    server.session.shown_column = "income"  # chosen while that person was attacked
    assert "How surely each attacker names the" not in text_of(steward.get("/result/risk"))
    kept = server.session.risks["illness"]
    server.session.risks = {"illness": {**kept, "broken": True, "state": "broken"}}
    said = text_of(steward.get("/result/risk"))  # which shows the other column
    assert "The promise is not kept about every protected column." in said
    server.session.risks = {"illness": None}
    assert "It is not known of every protected column whether the promise is kept" in text_of(
        steward.get("/result/risk")
    )
    server.session.risks = {"illness": kept}
    steward.post("/release/report", data={"audience": "private"})
    server.wait()
    report = steward.get("/release/report/private")
    assert report.status_code == 200
    assert "could not be tried" not in text_of(report)  # the page tells its own report who is in which group
    assert "is not shown" not in text_of(report)
    counts = [
        rf"An attacker who knows {other} of a person and sees only the release is certain of {one} for [0-9]+ of 32 "
        r"people[^.]*\."
        for one, other in (("illness", "income"), ("income", "illness"))
    ]
    found = re.search(" ".join(counts), text_of(report))
    assert found is not None
    limits = text_of(steward.get("/release")).partition("What is not promised")[2]
    assert limits.startswith(f" Another sensitive column illness and income are protected each by itself. {found[0]} ")


def test_one_sensitive_column_has_no_other_one(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    assert "Another sensitive column" not in text_of(steward.get("/release"))


def test_the_groups_are_a_private_download_of_their_own(server: Served, steward: httpx.Client, tmp_path: Path) -> None:
    """For an audit on the command line; never in the bundle, and gone with the release."""
    published(server, steward, name="soft-cut")
    page = text_of(steward.get("/release"))
    assert "Download the groups (private)" in page
    assert "never hand it out" in page
    kept = steward.get("/release/groups.csv")
    assert kept.headers["content-disposition"].startswith("attachment")
    (tmp_path / "groups.csv").write_bytes(kept.content)
    (tmp_path / "patients.csv").write_text(patients().write_csv())
    with zipfile.ZipFile(io.BytesIO(steward.get("/release/bundle.zip").content)) as bundle:
        assert not any("group" in name for name in bundle.namelist())
        bundle.extractall(tmp_path / "out")
    people = ["--truth", str(tmp_path / "patients.csv"), "--identifier", "name"]
    words = ["attack", str(tmp_path / "out"), *people, "--groups", str(tmp_path / "groups.csv"), "--max-risk", "1/2"]
    assert main(words) == 0
    assert steward.get("/release/groups.csv?release=0").status_code == 409
    (server.session.folder / "groups.csv").unlink()
    assert steward.get("/release/groups.csv").status_code == 404


def test_compare_says_which_l_is_possible_for_the_values_that_the_release_protects(
    server: Served, steward: httpx.Client
) -> None:
    rows = "".join(f"{20 + i},{'abc'[i // 10] if i % 10 == 3 else 'none'},{'wxyz'[i % 4]}\n" for i in range(30))
    opened(server, steward, f"age,illness,income\n{rows}")
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "role-2": "sensitive", "then": "method"})
    server.wait()
    before = steward.get("/result/compare")
    assert 'name="to" min="2" value="2"' in before.text
    values = "illness=a,illness=b,illness=c"
    assert steward.post("/method", data={"name": "soft-cut", "p-l": "3", "p-values": values}).status_code == 303
    server.wait()
    assert server.session.release is not None
    page = steward.get("/result/compare")
    assert 'name="to" min="2" value="3"' in page.text  # what income allows
    said = text_of(page)
    assert "Possible here: l up to 3" in said
    assert "For methods that protect every value: l up to 1" in said
    assert "Seconds for one attacker" in said  # which remarks name
    steward.post("/result/compare", data={"m-soft-cut": "on", "from": "3", "to": "3", "seconds": "77"})
    server.wait()
    found = server.session.comparison
    assert found is not None
    assert found["seconds"] == 77
    assert 'name="seconds" min="1" value="77"' in steward.get("/result/compare").text
    (cell,) = found["cells"]
    yours = your_release(server.session)
    assert yours is not None
    assert cell["safe"]  # and the same setting is known of the release itself, about both columns
    assert (yours["risk"], yours["above"]) == (pytest.approx(cell["risk"]), 0)
    wrong = steward.post("/result/compare", data={"m-soft-cut": "on", "from": "3", "to": "3", "seconds": "0"})
    assert wrong.status_code == 422
