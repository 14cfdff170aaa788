"""Tables, schemas and trees that were written to do harm: a message, and a page that goes on answering."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx
import numpy as np
import polars as pl
import pytest

from pellucid.errors import InputError
from pellucid.io.parquet_pages import refuse_contradiction
from web.holding import halted_workers
from web.serving import Served, csv_of, served
from web.stewards import ROLES

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

TOWNS = ["t0", "t1", "t2"]
TABLE = "name,town,age,ill\n" + "".join(f"n{i},t{i % 3},{20 + i % 5},d{i % 4}\n" for i in range(24))


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    """One server for all of them, which therefore must survive each."""
    with served(max_upload=2_000_000, seed=1) as running:
        yield running


@pytest.fixture
def steward(server: Served) -> Iterator[httpx.Client]:
    """Somebody who has opened a table of people in three towns."""
    with server.steward() as client:
        client.post("/data/upload", data={"discard": "yes"}, files=csv_of(TABLE))
        server.wait()
        yield client


def told(answer: httpx.Response) -> str:
    """What the page says, as a person reads it."""
    text = unescape(answer.text)
    assert "bug" not in text
    return text


def publish_with_reports(server: Served, steward: httpx.Client) -> None:
    steps = (("/roles", ROLES), ("/method", {"name": "hybrid", "p-l": "2"}))
    reports = (("/release/report", {"audience": audience}) for audience in ("public", "private"))
    for step, data in (*steps, *reports):
        steward.post(step, data=data)
        server.wait()


def parquet(frame: pl.DataFrame) -> dict[str, tuple[str, io.BytesIO]]:
    file = io.BytesIO()
    frame.write_parquet(file, compression="zstd")
    return {"file": ("t.parquet", io.BytesIO(file.getvalue()))}


# Tables


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (pl.Series("odd", [[1, 2], [3]]), "lists or structures"),
        (pl.Series("odd", [[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)), "lists or structures"),
        (pl.Series("odd", [{"a": 1}, {"a": 2}]), "lists or structures"),
        (pl.Series("odd", [b"ab", b"c"]), "bytes"),
    ],
)
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_column_that_has_no_single_values_is_refused_before_it_is_read(
    server: Served, steward: httpx.Client, column: pl.Series, what: str, ending: str
) -> None:
    file = io.BytesIO()
    frame = pl.DataFrame({"a": [1, 2]}).with_columns(column)
    (frame.write_parquet if ending == "parquet" else frame.write_ipc)(file)
    steward.post("/data/upload", files={"file": (f"t.{ending}", io.BytesIO(file.getvalue()))})
    server.wait()
    assert f"column 'odd' of t.{ending} has {what} in its cells" in told(steward.get("/data"))
    assert server.session.data is None or server.session.data["name"] != f"t.{ending}"  # what was open stays


def test_what_a_parquet_file_unpacks_to_is_what_another_reader_says(tmp_path: Path) -> None:
    import pyarrow.parquet

    draw = np.random.default_rng(1)
    frame = pl.DataFrame({"a": draw.integers(0, 9, 5000), "b": draw.random(5000), "c": ["x" * i for i in range(5000)]})
    for number, options in enumerate([{}, {"row_group_size": 700}, {"compression": "uncompressed"}]):
        path = tmp_path / f"{number}.parquet"
        frame.write_parquet(path, **options)  # type: ignore[arg-type]
        footer = pyarrow.parquet.read_metadata(path)
        pieces = [footer.row_group(i).column(j) for i in range(footer.num_row_groups) for j in range(3)]
        found, said = refuse_contradiction(path), sum(one.total_uncompressed_size for one in pieces)
        assert found.values == 15_000
        assert found.size <= said <= found.size + 100 * len(pieces) + 200 * 40  # the footer counts headers of pages too


def test_a_footer_that_makes_no_sense_is_no_answer(tmp_path: Path) -> None:
    path, broken = tmp_path / "t.parquet", tmp_path / "broken.parquet"
    pl.DataFrame({"a": [1, 2]}).write_parquet(path)
    whole = path.read_bytes()
    draw = np.random.default_rng(2)
    for _ in range(300):
        bad = bytearray(whole)
        bad[int(draw.integers(4, len(bad) - 8))] = int(draw.integers(0, 256))
        broken.write_bytes(bad)
        with contextlib.suppress(InputError):
            assert refuse_contradiction(broken).size >= 0
    for content in (b"", b"PAR1", b"PAR1" + b"\x1c" * 4000 + (4000).to_bytes(4, "little") + b"PAR1"):
        broken.write_bytes(content)
        with contextlib.suppress(InputError):
            assert refuse_contradiction(broken).size == 0


def test_a_parquet_file_that_unpacks_to_too_much_is_refused(server: Served, steward: httpx.Client) -> None:
    wide = pl.DataFrame({"a": [f"{i}" + "x" * 1_000_000 for i in range(20)]})
    sent = parquet(wide)
    assert len(sent["file"][1].getvalue()) < 100_000
    steward.post("/data/upload", files=sent)
    server.wait()
    assert "t.parquet unpacks to more than 8 MB, which may not fit into memory" in told(steward.get("/data"))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_thousands_of_columns_are_refused(server: Served, steward: httpx.Client, ending: str) -> None:
    names = [f"c{i}" for i in range(3_000)]
    text = ",".join(names) + "\n" + ",".join("1" for _ in names) + "\n"
    files = csv_of(text, "t.csv") if ending == "csv" else parquet(pl.DataFrame({name: [1] for name in names}))
    steward.post("/data/upload", files=files)
    server.wait()
    assert f"t.{ending} has 3,000 columns, more than the 2,000 that the page can show" in told(steward.get("/data"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux holds a process to such a limit")
@pytest.mark.usefixtures("steward")
def test_the_process_that_reads_files_has_a_limit_of_memory(server: Served) -> None:
    import resource

    worker = server.session.jobs._worker
    assert worker is not None
    soft, _ = resource.prlimit(worker._process.pid, resource.RLIMIT_DATA)
    assert 0 < soft < os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    beyond = "from pellucid.cli.memory import limit_memory; limit_memory(300_000_000); bytearray(400_000_000)"
    within = beyond.replace("bytearray(400_000_000)", "bytearray(1_000_000)")
    assert subprocess.run([sys.executable, "-c", within], check=False).returncode == 0
    ended = subprocess.run([sys.executable, "-c", beyond], check=False, capture_output=True, text=True)
    assert "MemoryError" in ended.stderr


def test_control_characters_in_a_table_reach_the_reports_by_name(server: Served, steward: httpx.Client) -> None:
    odd = "\x01\x0b\x1b\ufffe"
    text = TABLE.replace("ill\n", f"ill{odd}\n", 1).replace(",d", f",{odd}d").replace(",t", f",{odd}t")
    steward.post("/data/upload", files=csv_of(text))
    server.wait()
    publish_with_reports(server, steward)
    for audience in ("public", "private"):
        page = steward.get(f"/release/report/{audience}")
        assert page.status_code == 200, told(steward.get("/release"))
        assert "ill[U+0001][U+000B][U+001B][U+FFFE]" in page.text
    report = server.session.folder / "report-private.html"
    assert report.stat().st_mode & 0o777 == 0o600
    for page in ("/data", "/roles", "/result", "/result/risk", "/result/utility"):
        assert "\x01" not in told(steward.get(page))


# Schemas and trees

SCHEMAS = {
    "brackets": "a=" + "[" * 50_000,
    "tables": "[columns.town]\nrole='quasi'\ntaxonomy=" + "{tree=" * 3000,
    "dotted": "a" + ".a" * 3000 + "=1",
    "dotted in a tree": "[columns.town.taxonomy.tree]\na" + ".a" * 2000 + "=1",
    "dotted, and else a schema": (
        "[columns.town]\nrole='quasi'\n[columns.ill]\nrole='sensitive'\n[columns.town.taxonomy.tree]\n"
        + ".".join(f"a{i}" for i in range(150))
        + f" = {json.dumps(TOWNS)}"
    ),
    "no text": '[columns."\x00"]',
}


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_hostile_schema_is_one_message_and_changes_nothing(server: Served, steward: httpx.Client, kind: str) -> None:
    before = steward.get("/roles/schema.toml").text
    answer = steward.post("/roles/load", files=csv_of(SCHEMAS[kind], "s.toml"))
    server.wait()
    assert answer.status_code == 422
    assert "s.toml" in told(answer)
    assert steward.get("/roles/schema.toml").text == before
    assert not [path for path in server.session.folder.iterdir() if path.name.startswith(("schema-", ".schema-"))]


DEEP = '{"*":' + "".join(f'{{"a{i}":' for i in range(900)) + json.dumps(TOWNS) + "}" * 901
TREES = {
    "deep.json": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "open.json": "[" * 100_000,
    "levels.json": DEEP,
    "half.json": json.dumps({"*": {"\ud800": TOWNS}}),
    "levels.csv": "\n".join(";".join([town, *(f"l{i}" for i in range(3000)), "*"]) for town in TOWNS),
    "long.csv": "\n".join(f"v{i};*" for i in range(150_000)),
    "dotted.toml": "a" + ".a" * 3000 + "=1",
    "other.csv": "elsewhere;*",
}


@pytest.mark.parametrize("name", TREES)
def test_a_hostile_tree_is_one_message_and_is_not_kept(server: Served, steward: httpx.Client, name: str) -> None:
    before = steward.get("/roles/schema.toml").text
    answer = steward.post("/roles/1", files=csv_of(TREES[name], name))
    server.wait()
    assert answer.status_code == 422
    text = told(answer)
    assert name in text or name == "other.csv"
    assert "The taxonomy</h2>" not in told(steward.get("/roles/1"))
    assert steward.get("/roles/schema.toml").text == before
    assert not [path for path in server.session.folder.iterdir() if "taxonomy-" in path.name]


def test_a_tree_that_fits_is_kept_shown_and_saved(server: Served, steward: httpx.Client) -> None:
    steward.post("/roles", data={**ROLES, "then": "stay"})
    many = "".join(f"v{i};g{i % 10};*\n" for i in range(2000)) + "".join(f"{town};near;*\n" for town in TOWNS)
    assert steward.post("/roles/1", files=csv_of(many, "t.csv")).status_code == 303
    server.wait()
    assert "2,003 values, 2 levels above them" in told(steward.get("/roles/1"))
    schema = steward.get("/roles/schema.toml").text
    assert "near = {t0 = {}" in schema
    assert server.session.columns["town"].role == "quasi"
    steward.post("/data/upload", files=csv_of(TABLE))
    server.wait()
    assert steward.post("/roles/load", files=csv_of(schema, "s.toml")).status_code == 303
    server.wait()
    assert steward.get("/roles/schema.toml").text == schema


def test_a_cancelled_tree_is_not_kept(server: Served, steward: httpx.Client) -> None:
    tree = "".join(f"{town};near;*\n" for town in TOWNS)
    before = steward.get("/roles/schema.toml").text
    sending = threading.Thread(target=steward.post, args=("/roles/1",), kwargs={"files": csv_of(tree, "t.csv")})
    with halted_workers(server), server.steward() as other:
        sending.start()
        while server.session.jobs.running is None:
            assert sending.is_alive()
            assert other.get("/static/style.css").status_code == 200
        assert other.get("/roles").status_code == 200  # while the tree is being read
        other.post("/job/cancel")
        sending.join()
        assert other.get("/roles/schema.toml").text == before
        assert "The taxonomy</h2>" not in told(other.get("/roles/1"))


# What is not there any more


def test_without_a_release_nobody_is_attacked_and_nothing_of_it_is_left(server: Served, steward: httpx.Client) -> None:
    alone = {"HX-Request": "true"}
    assert "no release" in told(steward.post("/result/person", data={"who": "n1"}, headers=alone))
    publish_with_reports(server, steward)
    made = {"release.pickle", "bundle.zip", "report-public.html", "report-private.html"}
    assert made <= {path.name for path in server.session.folder.iterdir()}
    assert "d1" in told(steward.post("/result/person", data={"who": "n1"}, headers=alone))
    steward.post("/roles", data={"role-1": "drop", "then": "stay", "discard": "on"})
    assert server.session.release is None
    assert not made & {path.name for path in server.session.folder.iterdir()}
    assert "no release" in told(steward.post("/result/person", data={"who": "n1"}, headers=alone))
    refused = steward.post("/result/person", data={"who": "n1"})
    assert refused.status_code == 422
    assert "no release" in told(refused)


def test_without_a_table_nobody_is_attacked() -> None:
    with served() as running, running.steward() as client:
        for headers in ({}, {"HX-Request": "true"}):
            assert "no release" in told(client.post("/result/person", data={"who": "1"}, headers=headers))
