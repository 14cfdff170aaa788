"""Save the whole session, and open it again: in a real browser, and with ``pellucid run``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import polars as pl
import pytest

from pellucid.cli.program import main
from pellucid.datasets import patients
from web.serving import Served
from web.stewards import text_of
from web.test_browser import done, downloaded, press
from web.test_import import open_file
from web.test_nothing_is_lost import publish

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_project_is_saved_run_and_opened_again(page: Page, server: Served, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text(patients().write_csv(separator=";"))
    open_file(page, table)
    page.goto(f"{server.origin}/roles")
    press(page, "Next: Method")
    server.wait()
    publish(page, server, "/method?name=hybrid&l=2")
    page.goto(f"{server.origin}/roles")
    project = downloaded(page, "Save the project", tmp_path / "project.toml")
    said = tomllib.loads(project.read_text())
    assert said["method"] == {"name": "hybrid", "l": 2}
    assert said["project"]["table"] == "people.csv"
    assert len(said["project"]["sha256"]) == 64
    assert said["project"]["releases"][0]["name"] == "hybrid, l = 2"
    values = [str(value) for value in patients()["name"]]
    assert not any(value in project.read_text() for value in values), "no data"
    assert main(["run", str(project), "--quiet"]) == 0
    assert (tmp_path / "release" / "data.csv").exists()

    columns = dict(server.session.columns)
    server.session.clear()
    page.goto(f"{server.origin}/data")
    open_file(page, table)
    page.goto(f"{server.origin}/roles")
    page.get_by_label("Role of age", exact=True).select_option("drop")
    press(page, "Save the roles")
    page.get_by_label("Open a project that was saved here (project.toml)").set_input_files(project)
    press(page, "Open the project")
    done(page)
    assert "The project of people.csv is open: roles, setting" in page.locator("#done").inner_text()
    assert server.session.columns == columns
    assert (server.session.method, server.session.parameters) == ("hybrid", {"l": "2"})
    assert "hybrid, l = 2" in page.locator("section[aria-labelledby=project-title]").inner_text()
    press(page, "Next: Method")
    server.wait()
    page.goto(f"{server.origin}/method")
    assert page.locator("#setting h2").first.inner_text().startswith("hybrid")


def test_a_file_that_is_no_project_or_means_harm_is_refused(server: Served, steward: httpx.Client) -> None:
    steward.post("/data/upload", files={"file": ("p.csv", patients().write_csv().encode())})
    server.wait()
    before = dict(server.session.columns)
    setting = '[method]\nname = "hybrid"\nl = 2\n[project]\nversion = 1\n'
    for text, told in (
        ("not toml", "is no project"),
        ('[columns.age]\nrole = "quasi"\n', "is no project"),
        (setting + '[schema.columns.height]\nrole = "quasi"\n[schema.columns.age]\nrole = "sensitive"\n', "height"),
        (setting + '[schema.columns.age]\nrole = "quasi"\ntaxonomy = "/etc/passwd"\n', "reads no other file"),
        (setting + "x = " + "[" * 500 + "]" * 500 + '\n[schema.columns.age]\nrole = "quasi"\n', "is no project"),
    ):
        answer = steward.post("/project/open", files={"file": ("x.toml", text.encode())})
        assert answer.status_code == 422, text[:60]
        assert told in answer.text
        assert server.session.columns == before


def test_a_project_given_as_a_table_is_kept_until_its_table_is_open(server: Served, steward: httpx.Client) -> None:
    people = {"file": ("people.csv", patients().write_csv().encode())}
    steward.post("/data/upload", files=people)
    server.wait()
    steward.post("/roles", data={"role-1": "drop"})
    columns = dict(server.session.columns)
    project = {"file": ("project.toml", steward.get("/project.toml").content)}
    steward.post("/data/forget", data={"sure": "yes"})
    steward.post("/data/upload", files=project)
    page = text_of(steward.get("/data"))
    assert "project.toml is a project and no table. Open its table, people.csv, first" in page
    assert server.session.data is None
    assert server.session.source is None
    steward.post("/data/upload", files=people)
    server.wait()
    assert server.session.columns != columns
    assert "project.toml is a project of people.csv" in text_of(steward.get("/data"))
    steward.post("/project/open", files={"waiting": (None, "yes")})
    server.wait()
    assert server.session.columns == columns
    assert "waiting-project" not in steward.get("/data").text
    steward.post("/data/upload", files=project)  # the table that is open stays open
    assert server.session.columns == columns
    steward.post("/data/forget", data={"sure": "yes"})
    assert server.session.waiting is None, "everything is deleted"


def test_a_project_that_is_refused_is_offered_no_more_unless_it_is_of_another_table(
    server: Served, steward: httpx.Client
) -> None:
    people = {"file": ("people.csv", patients().write_csv().encode())}
    steward.post("/data/upload", files=people)
    server.wait()
    project = steward.get("/project.toml").content.decode()
    for text, told, stays in (
        (re.sub(r'(?m)^name = "[\w-]+"', 'name = "no-such-method"', project), "no-such-method", False),
        (project.replace("[schema.columns.age]", "[schema.columns.height]"), "height", True),
    ):
        assert text != project
        steward.post("/data/upload", files={"file": ("project.toml", text.encode())})
        assert "waiting-project" in steward.get("/data").text
        answer = steward.post("/project/open", files={"waiting": (None, "yes")})
        server.wait()
        assert answer.status_code == 422
        assert told in text_of(answer)
        assert ("waiting-project" in steward.get("/data").text) is stays, told


def test_a_second_release_of_the_same_people_is_warned_about(server: Served, steward: httpx.Client) -> None:
    people = {"file": ("people.csv", patients().write_csv().encode())}
    steward.post("/data/upload", files=people)
    server.wait()
    steward.post("/roles", data={"then": "method"})
    server.wait()
    steward.post("/method", data={"name": "hybrid", "p-l": "2"})
    server.wait()
    warned = "There already is a release of these people"
    for place in ("/method", "/release"):
        assert warned not in text_of(steward.get(place))
    project = {"file": ("project.toml", steward.get("/project.toml").content)}
    steward.post("/data/forget", data={"sure": "yes"})
    steward.post("/data/upload", files=people)
    server.wait()
    steward.post("/project/open", files=project)
    server.wait()
    roles = text_of(steward.get("/roles"))
    assert "Releases that were made before, as the project lists them" in roles
    assert "hybrid, l = 2" in roles
    assert warned in text_of(steward.get("/release"))
    steward.post("/roles", data={"then": "method"})
    server.wait()
    assert warned in text_of(steward.get("/method"))
    steward.post("/method", data={"name": "hybrid", "p-l": "2"})
    server.wait()
    assert warned in text_of(steward.get("/release"))


def test_releases_of_another_table_are_listed_and_not_said_to_be_of_these_people(
    server: Served, steward: httpx.Client
) -> None:
    def opened_with(people: pl.DataFrame, project: bytes | None = None) -> None:
        steward.post("/data/forget", data={"sure": "yes"})
        steward.post("/data/upload", files={"file": ("people.csv", people.write_csv().encode())})
        server.wait()
        if project is not None:
            steward.post("/project/open", files={"file": ("project.toml", project)})
            server.wait()

    warned = "There already is a release of these people"
    asked = "Are these people of whom there already is a release?"
    opened_with(patients())
    steward.post("/roles", data={"then": "method"})
    server.wait()
    steward.post("/method", data={"name": "hybrid", "p-l": "2"})
    server.wait()
    saved = steward.get("/project.toml").content
    opened_with(patients().reverse(), saved)
    roles = text_of(steward.get("/roles"))
    assert "the table is not the one that it was saved with" in roles
    assert "Releases that were made before, as the project lists them" in roles
    again = steward.get("/project.toml").content  # of the other table, with the release of the first
    for people, project, told in ((patients().reverse(), again, False), (patients(), again, True)):
        assert (warned in text_of(steward.get("/release"))) is False
        opened_with(people, project)
        assert (warned in text_of(steward.get("/release"))) is told
        assert (asked in text_of(steward.get("/release"))) is not told


def test_a_corrected_file_about_the_same_people_is_asked_about(server: Served, steward: httpx.Client) -> None:
    people = patients().write_csv()
    asked = "Are these people of whom there already is a release?"

    def published(text: str, project: bytes = b"") -> None:
        steward.post("/data/forget", data={"sure": "yes"})
        steward.post("/data/upload", files={"file": ("people.csv", text.encode())})
        server.wait()
        if project:
            steward.post("/project/open", files={"file": ("project.toml", project)})
            server.wait()
        steward.post("/roles", data={"then": "method"})
        server.wait()
        steward.post("/method", data={"name": "hybrid", "p-l": "2"})
        server.wait()
        assert server.session.release is not None

    published(people)
    assert all(asked not in text_of(steward.get(place)) for place in ("/method", "/release")), "it is the first"
    project = steward.get("/project.toml").content
    published(people + "\n", project)  # one byte more, and everybody is the same
    for place in ("/method", "/release"):
        said = text_of(steward.get(place))
        assert asked in said
        assert "lists 1 release, made of another file: hybrid, l = 2" in said
        assert "about the same people, or about some of them, two releases can be combined" in said
        assert "There already is a release of these people" not in said, "that is not known"
