"""A bundle holds the rows and the recipe, and nothing else; it is there as a whole or not at all."""

import datetime as dt
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid.errors import OutputError
from pellucid.io import check_target, load, write_bundle
from pellucid.io.bundle import Format
from pellucid.runtime import whole_file as swap_module

FRAME = pl.DataFrame(
    {
        "age": ["[21, 27]", "30", None],
        "note": ["", None, 'say "a, b"\nagain'],
        "low": [21, None, 30],
        "share": [0.1, 1e-9, None],
        "day": [dt.date(2024, 1, 31), None, dt.date(1999, 1, 1)],
    }
)
RECIPE = {"pellucid": "0.1", "method": "hybrid", "parameters": {"l": 8}, "größe": 3}
FORMATS = ["csv", "parquet", "arrow"]


def names(folder: Any) -> Any:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("kind", FORMATS)
def test_a_bundle_is_its_tables_and_the_recipe(tmp_path: Path, kind: Format) -> None:
    frames = {"quasi_identifiers": FRAME, "sensitive": FRAME.select("note")}
    write_bundle(frames, RECIPE, tmp_path / "out", format=kind)
    assert names(tmp_path) == ["out"]
    assert names(tmp_path / "out") == [f"quasi_identifiers.{kind}", "recipe.json", f"sensitive.{kind}"]
    assert load(tmp_path / "out" / f"quasi_identifiers.{kind}")[0].equals(FRAME)
    assert load(tmp_path / "out" / f"sensitive.{kind}")[0].equals(FRAME.select("note"))


def test_null_and_empty_text_differ_in_csv_also_in_a_single_column(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": [None, "", "a", None]})
    write_bundle({"data": frame}, {}, tmp_path / "out")
    assert (tmp_path / "out/data.csv").read_text() == 'x\n\n""\na\n\n'
    assert load(tmp_path / "out/data.csv")[0].equals(frame)


def test_the_recipe_is_readable_sorted_json(tmp_path: Path) -> None:
    write_bundle({"data": FRAME}, RECIPE, tmp_path / "out")
    text = (tmp_path / "out/recipe.json").read_text(encoding="utf-8")
    assert json.loads(text) == RECIPE
    assert text.endswith("}\n")
    assert list(json.loads(text)) == sorted(RECIPE)
    assert "größe" in text


@pytest.mark.parametrize("kind", FORMATS)
def test_the_same_rows_are_the_same_bytes_however_the_frame_was_made(tmp_path: Path, kind: Format) -> None:
    rows = pl.DataFrame({"x": [f"a long text with number {i % 7}" for i in range(5000)], "y": range(5000)})
    rows = rows.with_columns(pl.when(pl.col("y") % 5 > 0).then("y").alias("z"))
    shuffled = rows.sample(fraction=1, shuffle=True, seed=1)
    parts = [shuffled.slice(start, 700) for start in range(0, 5000, 700)]
    pieces = pl.concat(parts, rechunk=False).sort("y")
    chunked = pl.concat([pieces.slice(0, 1234), pieces.slice(1234)], rechunk=False)
    write_bundle({"data": rows}, RECIPE, tmp_path / "one", format=kind)
    write_bundle({"data": chunked}, RECIPE, tmp_path / "two", format=kind)
    assert (tmp_path / f"one/data.{kind}").read_bytes() == (tmp_path / f"two/data.{kind}").read_bytes()


SECRET = "a name that nobody may see, and long"


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"x": ["a", SECRET, "b"]}).filter(pl.col("x") != SECRET),
        pl.DataFrame({"x": ["a", SECRET, "b"]}).select(pl.when(pl.col("x") != SECRET).then("x").alias("x")),
        pl.DataFrame({"x": pl.Series(["a", "b"], dtype=pl.Enum(["a", "b", SECRET]))}),
        pl.DataFrame({"x": pl.Series(["a", SECRET], dtype=pl.Categorical)}).head(1),
    ],
    ids=["filtered", "below null", "enum", "categorical"],
)
def test_no_file_contains_what_no_row_contains(tmp_path: Path, kind: Format, frame: pl.DataFrame) -> None:
    write_bundle({"data": frame}, RECIPE, tmp_path / "out", format=kind)
    assert SECRET.encode() not in (tmp_path / f"out/data.{kind}").read_bytes()


def test_parquet_has_no_statistics_and_no_metadata_of_its_own(tmp_path: Path) -> None:
    write_bundle({"data": FRAME}, RECIPE, tmp_path / "out", format="parquet")
    metadata = pq.read_metadata(tmp_path / "out/data.parquet")
    assert set(metadata.metadata) == {b"ARROW:schema"}
    columns = [metadata.row_group(0).column(i) for i in range(metadata.num_columns)]
    assert not any(column.is_stats_set for column in columns)
    schema = pq.read_schema(tmp_path / "out/data.parquet")
    assert not schema.metadata
    assert all(not set(field.metadata or {}) - {b"PARQUET:field_id"} for field in schema)


def test_arrow_has_no_metadata_and_plain_types(tmp_path: Path) -> None:
    write_bundle({"data": FRAME}, RECIPE, tmp_path / "out", format="arrow")
    with pa.ipc.open_file(tmp_path / "out/data.arrow") as reader:
        assert not reader.schema.metadata
        assert all(not field.metadata for field in reader.schema)
        assert reader.schema.field("age").type == pa.large_string()


def test_an_existing_target_needs_overwrite_and_stays_as_it_is(tmp_path: Path) -> None:
    write_bundle({"data": FRAME}, {"v": 1}, tmp_path / "out")
    with pytest.raises(OutputError, match=r"out exists; choose another folder, or say overwrite"):
        write_bundle({"data": FRAME}, {"v": 2}, tmp_path / "out")
    assert json.loads((tmp_path / "out/recipe.json").read_text()) == {"v": 1}
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("exchange", [True, False], ids=["exchange", "two renames"])
def test_overwrite_replaces_the_whole_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchange: bool) -> None:
    if not exchange:
        monkeypatch.setattr("pellucid.io.bundle.exchange", lambda *_: False)
    target = tmp_path / "out"
    write_bundle({"quasi_identifiers": FRAME, "sensitive": FRAME}, {"v": 1}, target, format="parquet")
    target.chmod(0o750)
    write_bundle({"data": FRAME}, {"v": 2}, target, overwrite=True)
    assert names(target) == ["data.csv", "recipe.json"]
    assert json.loads((target / "recipe.json").read_text()) == {"v": 2}
    assert stat.S_IMODE(target.stat().st_mode) == 0o750
    assert names(tmp_path) == ["out"]


def test_the_exchange_of_two_folders_works_here(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a/from_a").touch()
    assert swap_module.exchange(tmp_path / "a", tmp_path / "b") is sys.platform.startswith("linux")
    assert names(tmp_path / "b") == (["from_a"] if sys.platform.startswith("linux") else [])


def test_overwrite_fills_an_empty_folder_and_creates_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for target in (tmp_path / "empty", tmp_path / "new/deep/out"):
        write_bundle({"data": FRAME}, RECIPE, target, overwrite=True)
        assert names(target) == ["data.csv", "recipe.json"]


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    write_bundle({"data": FRAME}, {"v": 1}, tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_bundle({"data": FRAME}, {"v": 2}, tmp_path / "link", overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert json.loads((tmp_path / "real/recipe.json").read_text()) == {"v": 2}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["thesis.txt"], r"contains 'thesis.txt', so it is not just a release and is not replaced"),
        (["recipe.json", "data.csv", "thesis.txt"], r"contains 'thesis.txt'"),
        (["data.csv"], r"has no recipe.json, so it is not just a release"),
    ],
)
def test_a_folder_with_anything_else_is_never_replaced(tmp_path: Path, files: Any, message: str) -> None:
    target = tmp_path / "out"
    target.mkdir()
    for file in files:
        (target / file).write_text("precious")
    with pytest.raises(OutputError, match=message):
        check_target(target, overwrite=True)
    with pytest.raises(OutputError, match=message):
        write_bundle({"data": FRAME}, RECIPE, target, overwrite=True)
    assert all((target / file).read_text() == "precious" for file in files)
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("file", "file is a file; a release is a folder: choose another name"),
        ("file/out", "cannot be written: a part of the path is a file; choose another folder"),
        ("x" * 300, "cannot be written: its name is too long; choose a shorter one"),
    ],
)
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_target_that_cannot_be_a_folder_is_one_line(
    tmp_path: Path, target: str, message: str, overwrite: bool
) -> None:
    (tmp_path / "file").write_text("precious")
    with pytest.raises(OutputError, match=message) as error:
        write_bundle({"data": FRAME}, RECIPE, tmp_path / target, overwrite=overwrite)
    assert "\n" not in str(error.value)
    assert (tmp_path / "file").read_text() == "precious"
    assert names(tmp_path) == ["file"]


def test_the_root_and_an_unknown_format_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="/ cannot be a release; name a folder below it"):
        write_bundle({"data": FRAME}, RECIPE, "/")
    with pytest.raises(OutputError, match="format = 'xlsx' is not one of csv, parquet, arrow"):
        write_bundle({"data": FRAME}, RECIPE, tmp_path / "out", format="xlsx")  # type: ignore[arg-type]
    assert names(tmp_path) == []


def test_a_recipe_that_is_not_json_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_bundle({"data": FRAME}, {"share": float("nan")}, tmp_path / "deep/out")
    assert names(tmp_path) == []


def run_in_child(script: Any, *arguments: Any) -> Any:
    """The script's one line of output; the child must end well."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


NOT_WRITABLE = """
import os, sys
import polars as pl
from pellucid.errors import OutputError
from pellucid.io import check_target, write_bundle
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    check_target(sys.argv[1])
except OutputError as error:
    print(error)
try:
    write_bundle({"data": pl.DataFrame({"x": [1]})}, {}, sys.argv[1])
except OutputError as error:
    print(error)
"""


@pytest.mark.parametrize("target", ["out", "deep/out"])
def test_a_folder_that_is_not_writable_is_one_line(target: str) -> None:
    with TemporaryDirectory() as folder:  # not pytest's own, which another user may not even enter
        locked = Path(folder)
        locked.chmod(0o555)
        lines = run_in_child(NOT_WRITABLE, locked / target).splitlines()
        assert len(lines) == 2
        assert all("cannot be written: you may not write there; choose another folder" in line for line in lines)
        assert names(locked) == []
        locked.chmod(0o755)


LIMITED = """
import random, resource, sys
import polars as pl
from pellucid.errors import OutputError
from pellucid.io import write_bundle
frame = pl.DataFrame({"x": [random.random() for _ in range(50_000)]})
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_bundle({"data": frame}, {}, sys.argv[1], format=sys.argv[2], overwrite=True)
except OutputError as error:
    print(error)
"""


@pytest.mark.parametrize("kind", FORMATS)
def test_a_write_that_the_system_cuts_off_leaves_the_old_bundle(tmp_path: Path, kind: Format) -> None:
    target = tmp_path / "out"
    write_bundle({"data": FRAME}, {"v": 1}, target)
    assert "a file would exceed the largest size that is allowed here" in run_in_child(LIMITED, target, kind)
    assert json.loads((target / "recipe.json").read_text()) == {"v": 1}
    assert names(tmp_path) == ["out"]
    run_in_child(LIMITED, tmp_path / "deep/new", kind)
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("kind", FORMATS)
def test_a_full_disk_leaves_the_old_bundle(tmp_path: Path, kind: Format) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root may mount a small disk; a limit of file size is tested everywhere")
    try:
        write_bundle({"data": FRAME}, {"v": 1}, disk / "out")
        large = pl.DataFrame({"x": np.random.default_rng(0).random(200_000)})
        with pytest.raises(OutputError, match="the disk is full; free some space, or choose another folder"):
            write_bundle({"data": large}, {"v": 2}, disk / "out", format=kind, overwrite=True)
        assert json.loads((disk / "out/recipe.json").read_text()) == {"v": 1}
        assert names(disk) == ["out"]
    finally:
        subprocess.run(["umount", disk], check=True)


def test_what_a_killed_process_left_is_cleared_and_what_a_living_one_writes_is_not(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    dead, living = tmp_path / ".out.pellucid-new-0123", tmp_path / ".out.pellucid-new-4567"
    other = tmp_path / ".other.pellucid-new-0123"
    for folder in (dead, living, other):
        folder.mkdir()
        (folder / "data.csv").write_text("half")
    descriptor = os.open(living, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        write_bundle({"data": FRAME}, RECIPE, tmp_path / "out")
        assert names(tmp_path) == [other.name, living.name, "out"]
    finally:
        os.close(descriptor)
    write_bundle({"data": FRAME}, RECIPE, tmp_path / "out", overwrite=True)
    assert names(tmp_path) == [other.name, "out"]


def test_a_bundle_that_was_moved_aside_by_a_killed_process_is_put_back(tmp_path: Path) -> None:
    write_bundle({"data": FRAME}, {"v": 1}, tmp_path / "out")
    (tmp_path / "out").rename(tmp_path / ".out.pellucid-old-0123")
    with pytest.raises(OutputError, match="out exists"):
        write_bundle({"data": FRAME}, {"v": 2}, tmp_path / "out")
    assert json.loads((tmp_path / "out/recipe.json").read_text()) == {"v": 1}
    assert names(tmp_path) == ["out"]


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(*[st.none() | st.just("") | st.text('x,;"\n\r\t |é0', max_size=6).map("x{}".format)] * 2), min_size=1
    )
)
def test_any_text_survives_csv(rows: Any) -> None:
    frame = pl.DataFrame(rows, schema={"first": pl.String, "second, with comma": pl.String}, orient="row")
    with TemporaryDirectory() as folder:
        write_bundle({"data": frame}, {}, f"{folder}/out")
        assert load(f"{folder}/out/data.csv")[0].equals(frame)
