"""Hostile and clumsy use over HTTP: everything at once, everything cancelled, files that mean harm or make no sense."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from web.holding import halted_workers
from web.serving import PATIENCE, Served, csv_of
from web.stewards import ROLES, SETTING, checked, opened, published

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

EVIL = "<img src=x onerror=alert(1)>"


def group_lives(group: int) -> bool:
    """Whether a process of a group still runs."""
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                return True
        except (psutil.NoSuchProcess, ProcessLookupError):
            pass
    return False


# Everything at once


def test_of_uploads_at_the_same_time_one_is_there_whole(server: Served) -> None:
    def send(number: int) -> int:
        rows = "".join(f"{number},{row}\n" for row in range(3000 + number))
        with server.steward() as own:
            return own.post("/data/upload", files=csv_of(f"of,row\n{rows}", f"table {number}.csv")).status_code

    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(send, range(8)))
    server.wait()
    assert set(codes) <= {303, 422}  # one that another came before is asked whether it means it
    assert 303 in codes
    data = server.session.data
    assert data is not None
    number = int(data["name"].removeprefix("table ").removesuffix(".csv"))
    assert data["rows"] == 3000 + number
    assert {row[0] for row in data["preview"]} == {str(number)}
    assert len([path for path in server.session.folder.iterdir() if path.suffix == ".csv"]) == 1


@pytest.mark.parametrize("meant", [False, True])
def test_a_slow_upload_does_not_close_what_another_tab_opened_unless_it_is_meant(
    server: Served, steward: httpx.Client, meant: bool
) -> None:
    def slowly() -> Iterator[bytes]:
        if meant:
            yield b'--x\r\nContent-Disposition: form-data; name="discard"\r\n\r\nyes\r\n'
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="slow.csv"\r\n\r\na,b\n1,2\n'
        assert steward.post("/data/demo", data={"name": "patients"}).status_code == 303
        server.wait()
        assert server.session.data is not None
        yield b"3,4\n\r\n--x--\r\n"

    with server.steward() as own:
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        assert own.post("/data/upload", content=slowly(), headers=kind).status_code == (303 if meant else 422)
    server.wait()
    assert server.session.data is not None
    opened = server.session.data["name"], server.session.data["rows"]
    assert opened == (("slow.csv", 2) if meant else ("Eight patients", 8))


def test_run_pressed_twice_runs_once(server: Served, steward: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    checked(server, steward)
    before = server.session.jobs._number
    answered = threading.Event()
    worker = type(server.session.jobs._worker)
    begin = worker.call

    def when_both_are_answered(self: Any, *task: Any) -> Any:
        assert answered.wait(PATIENCE)
        return begin(self, *task)

    monkeypatch.setattr(worker, "call", when_both_are_answered)

    def press(_: int) -> httpx.Response:
        with server.steward() as own:
            return own.post("/method", data=SETTING)

    with ThreadPoolExecutor(2) as pool:
        first, second = sorted(pool.map(press, range(2)), key=lambda answer: answer.status_code)
    answered.set()
    server.wait()
    assert (first.status_code, second.status_code) == (303, 422)
    assert "Still busy with: Publishing with hybrid" in second.text
    assert server.session.jobs._number == before + 1
    assert server.session.release is not None


# Cancel

KINDS: dict[str, tuple[Callable[[Served, httpx.Client], None], str, dict[str, str]]] = {
    "open": (checked, "/data/demo", {"name": "patients"}),
    "check": (checked, "/roles", {**ROLES, "role-2": "carry"}),
    "tree": (checked, "/roles/1", {"role": "quasi", "taxonomy": "ladder", "ladder": "5, 10"}),
    "publish": (checked, "/method", SETTING),
    "attack": (published, "/result/look", {}),
    "person": (published, "/result/person", {"who": "Ann"}),
    "compare": (published, "/result/compare", {"m-hybrid": "on", "from": "2", "to": "3"}),
    "bundle": (published, "/release/bundle", {"format": "parquet"}),
    "report": (published, "/release/report", {"audience": "private"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_cancel_ends_every_kind_of_work_and_it_can_be_done_again(
    server: Served, steward: httpx.Client, kind: str
) -> None:
    prepare, address, form = KINDS[kind]
    prepare(server, steward)
    jobs = server.session.jobs
    with halted_workers(server), ThreadPoolExecutor(1) as pool, server.steward() as own:
        sent = pool.submit(own.post, address, data=form)
        until = time.monotonic() + PATIENCE
        while jobs.running is None or jobs._worker is None:
            assert time.monotonic() < until
            time.sleep(0.001)
        job, group = jobs.current, jobs._worker._process.pid
        assert steward.post("/job/cancel").status_code == 303
        assert sent.result().status_code in (200, 204, 303)
    assert job is not None
    assert job.state == "cancelled"
    assert not group_lives(group)
    assert f"Cancelled: {job.title}" in unescape(steward.get(f"/{job.steps[0]}").text)
    for page in ("/data", "/roles", "/method", "/result", "/result/risk", "/result/compare", "/release"):
        assert steward.get(page).status_code == 200
    if kind == "tree":
        form = {**form, "ladder": "10, 20"}
    steward.post(address, data=form)
    server.wait()
    assert jobs.current is not None
    assert jobs.current is not job
    assert jobs.current.state == "done", jobs.current.message


# Files that mean harm or make no sense


@pytest.mark.parametrize("role", ["quasi", "drop"])
@pytest.mark.parametrize("form", ['"{path}"', '{{file = "{path}"}}'])
def test_a_schema_cannot_make_the_page_read_a_file_of_the_machine(
    server: Served, steward: httpx.Client, tmp_path: Path, form: str, role: str
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("Rome;zaphod-4711;*\n")
    opened(server, steward, "town,ill\nRome,a\nRome,b\n")
    before = dict(server.session.columns)
    for path in (secret, tmp_path / "absent.csv", os.path.relpath(secret, server.session.folder)):
        taxonomy = form.format(path=path)
        schema = f'[columns.town]\nrole = "{role}"\ntaxonomy = {taxonomy}\n[columns.ill]\nrole = "sensitive"\n'
        answer = steward.post("/roles/load", files=csv_of(schema, "schema.toml"))
        assert answer.status_code == 422
        assert "reads no other file of the machine" in answer.text  # the same, whether the file exists or not
        assert "zaphod" not in answer.text
        assert server.session.columns == before


def test_five_hundred_columns_are_opened_and_published(server: Served, steward: httpx.Client) -> None:
    header = ",".join(f"c{i}" for i in range(500))
    rows = "".join(",".join(str((i * row + row // 7) % 7) for i in range(500)) + "\n" for row in range(40))
    page = opened(server, steward, f"{header}\n{rows}")
    assert "500 columns" in page
    roles = {f"role-{i}": "drop" for i in range(500)} | {"role-1": "quasi", "role-3": "sensitive"}
    steward.post("/roles", data={**roles, "then": "method"})
    server.wait()
    steward.post("/method", data=SETTING)
    server.wait()
    assert server.session.release is not None


def test_a_cell_of_a_megabyte_does_not_swell_the_page(server: Served, steward: httpx.Client) -> None:
    page = opened(server, steward, f"note,ill\n{'x' * 1_000_000},a\ny,b\nz,a\ny,b\n")
    assert "4 rows" in page
    assert len(page) < 50_000
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "then": "method"})
    server.wait()
    steward.post("/method", data=SETTING)
    server.wait()
    for address in ("/roles", "/roles/0", "/method", "/result", "/result/risk", "/result/utility", "/release"):
        answer = steward.get(address)
        assert answer.status_code == 200
        assert len(answer.text) < 500_000, address


def test_columns_without_a_name_are_left_out_and_the_page_says_so(server: Served, steward: httpx.Client) -> None:
    page = opened(server, steward, ",,b\n1,2,3\n4,5,6\n", "mine.csv")
    assert "mine.csv: 2 columns have no name and are left out" in page
    assert list(server.session.columns) == ["b"]


@pytest.mark.parametrize("letter", ["n", "ü"])
def test_a_long_file_name_is_shortened_in_the_middle(server: Served, steward: httpx.Client, letter: str) -> None:
    page = opened(server, steward, "a,b\n1,2\n", f"{letter * 1500}.csv")
    assert f">{letter * 89}…{letter * 6}.csv<" in page
    assert server.session.source is not None
    assert server.session.source["place"].endswith(".csv")


@pytest.mark.parametrize("length", [5_000, 100_000])
def test_a_file_name_of_thousands_of_letters_is_refused_for_its_length(
    server: Served, steward: httpx.Client, length: int
) -> None:
    answer = steward.post("/data/upload", files=csv_of("a,b\n1,2\n", "n" * length + ".csv"))
    assert answer.status_code == 422
    assert "file's name is longer than 4,096 bytes; rename the file" in unescape(answer.text)
    assert len(answer.text) < 20_000
    assert list(server.session.folder.iterdir()) == []


def test_a_form_with_a_boundary_of_its_own_taste_is_refused(steward: httpx.Client) -> None:
    kind = {"Content-Type": f"multipart/form-data; boundary={'b' * 5000}"}
    answer = steward.post("/data/upload", content=b"--b", headers=kind)
    assert answer.status_code == 422
    assert "send the file once more" in answer.text


def test_html_in_files_names_trees_and_reports_is_text(server: Served, steward: httpx.Client) -> None:
    table = "town,ill\n" + "".join(f"{EVIL}{row % 3},{'ab'[row % 2]}{EVIL}\n" for row in range(24))
    steward.post("/data/upload", files=csv_of(table, f"{EVIL}.csv"))
    server.wait()
    tree = "".join(f"{EVIL}{town};{EVIL};*\n" for town in range(3))
    assert steward.post("/roles/0", files=csv_of(tree, f"{EVIL}.csv")).status_code == 303
    refused = steward.post("/roles/load", files=csv_of("no toml", f"{EVIL}.toml"))
    steward.post("/roles", data={"role-0": "quasi", "role-1": "sensitive", "then": "method"})
    server.wait()
    steward.post("/method", data=SETTING)
    server.wait()
    assert server.session.release is not None
    texts = [refused.text, steward.get("/roles/0").text, steward.get("/result/risk").text]
    for audience in ("public", "private"):
        steward.post("/release/report", data={"audience": audience})
        server.wait()
        texts.append(steward.get(f"/release/report/{audience}").text)
    for text in texts:
        assert "<img src=x" not in text
        assert "&lt;img src=x" in text
