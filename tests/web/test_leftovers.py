"""Files that nobody needs: none stays in the private folder, whichever way a form is answered or work ends."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import httpx
import pytest

from pellucid.datasets import patients
from web.serving import PATIENCE, Served, csv_of, served
from web.stewards import opened, published, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

CLOSED = "The table was closed"
TREE = "1;*\n"
BOUNDARY = "xyz"


def left_in(server: Served) -> list[str]:
    return sorted(path.name for path in server.session.folder.iterdir())


def until(enough: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not enough():
        assert time.monotonic() < end
        time.sleep(0.01)


def deleted(server: Served, steward: httpx.Client) -> None:
    """What “Delete everything” does, in another tab."""
    assert steward.post("/data/forget", data={"sure": "yes"}).status_code == 303
    assert left_in(server) == []


def test_a_tree_for_a_table_that_was_deleted_is_refused_and_leaves_nothing(
    server: Served, steward: httpx.Client
) -> None:
    opened(server, steward, patients().write_csv())
    stale = {"table": server.session.table_id}
    deleted(server, steward)
    refused = steward.post("/roles/0", data=stale, files=csv_of(TREE, "t.csv"))
    assert refused.status_code == 409
    assert CLOSED in text_of(refused)
    assert left_in(server) == []
    assert steward.post("/roles/0", files=csv_of(TREE, "t.csv")).status_code == 404  # says of no table
    assert left_in(server) == []


def test_a_tree_for_a_column_that_is_not_there_leaves_nothing(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, patients().write_csv())
    before = left_in(server)
    assert steward.post("/roles/99", files=csv_of(TREE, "t.csv")).status_code == 404
    assert left_in(server) == before


def test_every_form_of_a_table_that_was_deleted_is_refused(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, patients().write_csv())
    stale = {"table": server.session.table_id}
    deleted(server, steward)
    for path in ("/roles/0", "/method", "/result/compare", "/result/look", "/result/person", "/release/bundle"):
        refused = steward.post(path, data=stale)
        assert refused.status_code == 409, path
        assert CLOSED in text_of(refused)
    live = steward.post("/result/person", data={**stale, "who": "Ann"}, headers={"HX-Request": "true"})
    assert f"{CLOSED}, in another tab or because nobody was here for long, so this page is out of date" in text_of(live)
    again = steward.post("/data/forget", data={**stale, "sure": "yes"})  # there is nothing to delete any more
    assert (again.status_code, again.headers["location"]) == (303, "/data")


@pytest.mark.parametrize("says", ["which table", "nothing"])
def test_a_schema_that_arrives_after_everything_was_deleted_leaves_nothing(
    says: str, server: Served, steward: httpx.Client
) -> None:
    opened(server, steward, patients().write_csv())
    schema = steward.get("/roles/schema.toml").text
    table = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="table"\r\n\r\n{server.session.table_id}\r\n'
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="s.toml"\r\n\r\n'

    def slowly() -> Iterator[bytes]:
        yield f"{table if says == 'which table' else ''}{head}{schema}".encode()
        until(lambda: any("schema-" in name for name in left_in(server)))
        server.session.clear()
        yield f"\r\n--{BOUNDARY}--\r\n".encode()

    headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    answer = steward.post("/roles/load", content=slowly(), headers=headers)
    assert answer.status_code == (409 if says == "which table" else 303)
    server.wait()
    assert left_in(server) == []


def test_a_tree_that_nobody_took_before_cancel_goes_with_the_work(
    server: Served, steward: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pellucid.web.steps.drafting.PATIENCE", 0.1)
    opened(server, steward, patients().write_csv())
    before = left_in(server)
    worker = server.session.jobs._worker
    assert worker is not None
    os.kill(worker._process.pid, signal.SIGSTOP)  # a machine that is too busy
    assert steward.post("/roles/1", data={"role": "quasi"}, files=csv_of(TREE, "t.csv")).status_code == 303
    assert any("taxonomy-" in name for name in left_in(server))
    assert server.session.jobs.running is not None
    steward.post("/job/cancel")
    until(lambda: left_in(server) == before)


def test_cancelling_another_format_hands_out_the_bundle_that_the_page_describes(
    server: Served, steward: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(server, steward)
    jobs, release = server.session.jobs, server.session.release
    assert release is not None
    before = left_in(server)
    bundle = steward.get("/release/bundle.zip").content
    worker = jobs._worker
    assert worker is not None
    really = worker.call

    def cancelled_at_the_last_moment(*asked: Any) -> Any:
        found = really(*asked)
        jobs.cancel()
        return found

    monkeypatch.setattr(worker, "call", cancelled_at_the_last_moment)
    steward.post("/release/bundle", data={"format": "parquet"})
    server.wait()
    until(lambda: left_in(server) == before)
    assert "Download the bundle (CSV)" in steward.get("/release").text
    handed_out = steward.get("/release/bundle.zip").content
    assert handed_out == bundle
    with ZipFile(BytesIO(handed_out)) as files:
        found = {name: sha256(files.read(name)).hexdigest() for name in files.namelist()}
    assert found == {file["name"]: file["sha256"] for file in release["packed"]["files"]}
    steward.post("/release/bundle", data={"format": "parquet"})
    server.wait()
    assert "Download the bundle (Parquet)" in steward.get("/release").text
    with ZipFile(BytesIO(steward.get("/release/bundle.zip").content)) as files:
        found = {name: sha256(files.read(name)).hexdigest() for name in files.namelist()}
    assert found == {file["name"]: file["sha256"] for file in release["packed"]["files"]}
    assert left_in(server) == before


def test_an_idle_hour_empties_the_folder_when_no_table_is_open() -> None:
    with served(idle_seconds=0.4) as running:
        (running.session.folder / "taxonomy-1234.csv").write_text(TREE)
        until(lambda: left_in(running) == [])
        assert not running.session.expired  # no table was deleted, so no page says so
