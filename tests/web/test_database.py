"""Line 6 of the page as a product: a table of a database, and a password that appears nowhere."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from web.accessible import looks, sideways, violations
from web.serving import Served, served
from web.stewards import opened, text_of
from web.test_browser import done, follow, press

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
pytest.importorskip("sqlalchemy", reason="the extra 'database' is not installed")

if TYPE_CHECKING:
    from playwright.sync_api import Page

SECRET = "pa55/w@rd"
WRITTEN = ("pa55/w@rd", "pa55%2Fw%40rd", "pa55")


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    path = tmp_path / "clinic.db"
    with sqlite3.connect(path) as database:
        database.execute("create table patients (age integer, town text, ill text)")
        rows = [(20 + i, ("Rome", "Oslo")[i % 2], "abcd"[i % 4]) for i in range(24)]
        database.executemany("insert into patients values (?, ?, ?)", rows)
    database.close()
    return path


def test_line_6_a_table_of_a_database_is_read_once_and_published(page: Page, server: Served, clinic: Path) -> None:
    page.get_by_text("Or a table of a database").click()
    for look in looks(page):
        assert violations(page) == [], look
        assert sideways(page) == 0, look
    page.get_by_label("Address").fill(f"sqlite:///{clinic}")
    page.get_by_label("Table, or a query").fill("nobody")
    press(page, "Read the table")
    done(page)
    assert "The database has no table 'nobody'; it has 'patients'" in page.get_by_role("alert").first.inner_text()
    assert page.get_by_label("Address").input_value() == f"sqlite:///{clinic}"  # to be mended
    page.get_by_label("Table, or a query").fill("select age, ill from patients where age > 21")
    press(page, "Read the table")
    done(page)
    assert "22 rows" in page.locator("main").inner_text()
    clinic.unlink()  # everything after this reads the copy
    follow(page, "Next: Roles")
    page.get_by_label("Role of ill", exact=True).select_option("sensitive")
    press(page, "Next: Method")
    done(page)
    page.wait_for_url("**/method")
    assert server.session.checked is not None


@pytest.mark.parametrize(
    ("address", "password"),
    [("postgresql://ann@127.0.0.1:9/clinic", SECRET), (f"postgresql://ann:{SECRET}@127.0.0.1:9/clinic", "")],
)
def test_a_password_is_on_no_page_in_no_file_and_in_no_message(
    server: Served, steward: httpx.Client, capfd: pytest.CaptureFixture[str], address: str, password: str
) -> None:
    """Nobody answers at that port, and on most machines there is no driver either; both are told without it."""
    opened(server, steward, "age,ill\n20,a\n21,b\n")
    steward.post("/data/database", data={"address": address, "password": password, "query": "patients"})
    server.wait()
    pages = [steward.get(path) for path in ("/data", "/roles", "/project.toml", "/roles/schema.toml")]
    assert "127.0.0.1:9/clinic" in text_of(pages[0])
    said = "".join(page.text for page in pages) + "".join(capfd.readouterr())
    said += repr(server.session.source) + repr(server.session.jobs.current and server.session.jobs.current.message)
    for path in server.session.folder.rglob("*"):
        said += path.read_bytes().decode("latin-1") if path.is_file() else ""
    for secret in WRITTEN:
        assert secret not in said
    refused = steward.post("/data/database", data={"address": address, "password": password, "query": ""})
    assert refused.status_code == 422
    assert "No table is named" in text_of(refused)
    assert all(secret not in refused.text for secret in WRITTEN)


def test_what_is_read_has_the_address_in_its_project_and_no_password(
    server: Served, steward: httpx.Client, clinic: Path
) -> None:
    form = {"address": f"sqlite:///{clinic}", "query": "patients"}
    assert steward.post("/data/database", data=form).status_code == 303
    server.wait()
    assert server.session.data is not None
    assert server.session.data["rows"] == 24
    assert f'source = "sqlite:///{clinic}::patients"' in steward.get("/project.toml").text
    kept = [path for path in server.session.folder.iterdir() if path.suffix == ".arrow"]
    assert len(kept) == 1
    assert kept[0].stat().st_mode & 0o077 == 0


def test_no_other_page_and_nobody_from_elsewhere_asks_a_database(server: Served, clinic: Path) -> None:
    form = {"address": f"sqlite:///{clinic}", "query": "patients"}
    with server.steward() as steward:
        foreign = steward.post("/data/database", data=form, headers={"Origin": "https://elsewhere.example"})
        assert foreign.status_code == 403
        steward.cookies.clear()
        assert steward.post("/data/database", data=form).status_code == 403
    assert server.session.source is None
    with served(seed=7) as exposed, exposed.steward() as steward:
        object.__setattr__(exposed.session.settings, "host", "192.0.2.1")
        host = f"192.0.2.1:{exposed.session.settings.port}"
        refused = steward.post("/data/database", data=form, headers={"Host": host, "Origin": f"http://{host}"})
        assert refused.status_code == 422
        assert "This server can be reached from other computers" in text_of(refused)
        assert 'id="database"' not in refused.text
        assert exposed.session.source is None
