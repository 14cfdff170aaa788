"""Project files and packed tables that were written to do harm, or by somebody else: nothing is believed of them."""

from __future__ import annotations

import io
import tomllib
import zipfile
from pathlib import Path

import httpx
import polars as pl
import pytest

from pellucid.datasets import patients
from pellucid.io.statistics_files import shape_of
from web.serving import Served, served
from web.stewards import opened, published, text_of

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

METHOD = '[method]\nname = "hybrid"\nl = 2\n'
COLUMNS = '[schema.columns.age]\nrole = "quasi"\n[schema.columns.disease]\nrole = "sensitive"\n'
LONG = "9" * 5000


def project(
    about: str = "", head: str = "", method: str = METHOD, columns: str = COLUMNS
) -> dict[str, tuple[str, bytes]]:
    return {"file": ("x.toml", f"{head}{method}[project]\nversion = 1\n{about}{columns}".encode())}


@pytest.mark.parametrize(
    "files",
    [
        project(f"x = {LONG}\n"),
        project(columns=COLUMNS + f"[schema.columns.name]\nrole = 0x{'f' * 5000}\n"),
        project(method=f'[method]\nname = "hybrid"\nl = 0x{"f" * 5000}\n'),
    ],
)
def test_a_number_of_thousands_of_digits_is_refused_with_a_message(
    server: Served, steward: httpx.Client, files: dict[str, tuple[str, bytes]]
) -> None:
    opened(server, steward, patients().write_csv())
    answer = steward.post("/project/open", files=files)
    assert answer.status_code == 422
    assert "is no project" in answer.text
    schema = {"file": ("s.toml", f'[columns.age]\nrole = "quasi"\nx = {LONG}\n'.encode())}
    answer = steward.post("/roles/load", files=schema)
    assert answer.status_code == 422
    assert "bug" not in answer.text


@pytest.mark.parametrize(
    ("about", "head"),
    [
        ("releases = [{}]\n", ""),
        ('releases = [{name = "a"}, {name = 1, finished = 2}, 5]\n', ""),
        ('releases = [{name = "a", finished = "b", groups = true}]\n', ""),
        ('releases = [{name = "a", finished = "b", groups = -1}]\n', ""),
        (f'releases = [{{name = "a", finished = "b", groups = 0x{"f" * 5000}}}]\n', ""),
        ("table = 1979-05-27\nsha256 = [1]\n", "recode = []\n"),
    ],
)
def test_what_can_be_no_release_is_left_out_and_the_pages_go_on(
    server: Served, steward: httpx.Client, about: str, head: str
) -> None:
    opened(server, steward, patients().write_csv())
    assert steward.post("/project/open", files=project(about, head)).status_code == 303
    assert server.session.past == []
    assert server.session.recode == ""
    for page in ("/data", "/roles", "/method", "/project.toml"):
        assert steward.get(page, follow_redirects=True).status_code == 200


def test_no_tick_is_taken_from_a_file(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, patients().write_csv())
    ticks = project('confirmed = ["age", "disease", "name"]\n', 'accept_known = ["age"]\n')
    assert steward.post("/project/open", files=ticks).status_code == 303
    assert (server.session.accept_known, server.session.confirmed) == ((), frozenset())
    assert server.session.names(role=server.session.columns["age"].role) == ["age"]
    server.session.confirmed = frozenset({"name"})
    assert "confirmed" not in tomllib.loads(steward.get("/project.toml").text)["project"]


def test_a_project_leaves_the_setting_of_a_finished_release(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    session = server.session
    saved = steward.get("/project.toml").text
    assert saved.count('name = "hybrid"') == 1
    other = saved.replace('name = "hybrid"', 'name = "tailor"').encode()
    assert steward.post("/project/open", files={"file": ("x.toml", other)}).status_code == 303
    assert (session.release_name, session.method) == ("hybrid, l = 2", "hybrid")
    assert "The setting stays that of the finished release" in text_of(steward.get("/roles"))


def test_a_project_names_no_password(server: Served, steward: httpx.Client) -> None:
    opened(server, steward, patients().write_csv())
    assert server.session.source is not None
    server.session.source = {**server.session.source, "name": "postgresql://me:secret@host/people"}
    assert "secret" not in steward.get("/project.toml").text


def test_a_part_that_cannot_be_unpacked_does_not_hide_a_huge_one() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("broken.xml", b"some text to be damaged " * 9, zipfile.ZIP_STORED)
        archive.writestr("xl/worksheets/sheet1.xml", bytes(20_000_000))
    packed = file.getvalue().replace(b"some text", b"s0me text", 1)
    with served(max_upload=1_000_000, seed=1) as server, server.steward() as steward:
        steward.post("/data/upload", files={"file": ("t.xlsx", io.BytesIO(packed))})
        server.wait()
        assert "t.xlsx is a zip archive; unpack it" in text_of(steward.get("/data"))
        assert server.session.data is None


def test_a_packed_file_of_a_statistics_program_is_refused_for_its_rows_before_they_are_read(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat", reason="the extra 'statistics' is not installed")
    path = tmp_path / "b.zsav"
    rows = 200_000
    pyreadstat.write_sav(pl.DataFrame({f"c{n}": [1.0] * rows for n in range(25)}), path, compress=True)
    assert shape_of(path, "SPSS", 10) == (rows, 25)
    assert path.stat().st_size < 1_000_000
    with served(max_upload=1_000_000, seed=1) as server, server.steward() as steward:
        steward.post("/data/upload", files={"file": ("b.zsav", io.BytesIO(path.read_bytes()))})
        server.wait()
        assert "b.zsav claims 200,000 rows of 25 columns" in text_of(steward.get("/data"))
        assert server.session.data is None


def test_rows_that_a_file_does_not_tell_are_counted_as_far_as_needed(tmp_path: Path) -> None:
    pyreadstat = pytest.importorskip("pyreadstat", reason="the extra 'statistics' is not installed")
    path = tmp_path / "b.xpt"
    pyreadstat.write_xport(pl.DataFrame({"a": [1.0] * 100, "b": [2.0] * 100}), path)
    assert shape_of(path, "SAS transport", 1000) == (100, 2)
    rows, columns = shape_of(path, "SAS transport", 50)
    assert rows * columns > 50
