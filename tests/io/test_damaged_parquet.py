"""A Parquet file whose pages contradict its footer is refused before a library believes it."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest

from pellucid.errors import InputError
from pellucid.io import load
from pellucid.io.parquet_pages import refuse_contradiction

FRAME = pl.DataFrame(
    {
        "age": [21, 27, None, 35] * 500,
        "town": ["Rome", "Oslo", None, "Rome"] * 500,
        "ill": [True, None, False, True] * 500,
        "paid": [1.5, 2.5, None, 0.0] * 500,
        "none": [None] * 2000,
    }
)


def written(path: Path, **how: object) -> Path:
    FRAME.write_parquet(path, **how)  # type: ignore[arg-type]
    return path


@pytest.mark.parametrize("compression", ["zstd", "snappy", "lz4", "gzip", "uncompressed"])
@pytest.mark.parametrize("pages", [{}, {"data_page_size": 100}, {"row_group_size": 700}, {"statistics": False}])
def test_what_polars_writes_is_read(tmp_path: Path, compression: str, pages: dict[str, object]) -> None:
    path = written(tmp_path / "x.parquet", compression=compression, **pages)
    assert load(path)[0].equals(FRAME)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_what_arrow_writes_is_read(tmp_path: Path, version: str, dictionary: bool) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="PyArrow is not installed")
    path = tmp_path / "x.parquet"
    parquet.write_table(
        FRAME.to_arrow(), path, data_page_version=version, use_dictionary=dictionary, data_page_size=200
    )
    assert load(path)[0].equals(FRAME.with_columns(pl.col("none").cast(load(path)[0]["none"].dtype)))


def test_empty_and_nested_tables_are_left_to_others(tmp_path: Path) -> None:
    empty = tmp_path / "empty.parquet"
    FRAME.clear().write_parquet(empty)
    assert load(empty)[0].height == 0
    nested = tmp_path / "nested.parquet"
    pl.DataFrame({"a": [[1, 2], [], None, [3]], "b": [{"x": 1}] * 4}).write_parquet(nested)
    refuse_contradiction(nested, ["a", "b"])
    (tmp_path / "nothing.parquet").write_bytes(b"")
    refuse_contradiction(tmp_path / "nothing.parquet", ["a"])


def test_a_page_that_claims_more_values_than_its_column_is_refused(tmp_path: Path) -> None:
    """Such a page made Polars ask for 2**61 bytes and end the process."""
    out = io.BytesIO()
    pl.DataFrame({"age": [1, 2, 3, 4]}).write_parquet(out, compression="uncompressed", statistics=False)
    content = out.getvalue()
    said = []
    path = tmp_path / "x.parquet"
    for place in range(4, 40):
        path.write_bytes(content[:place] + b"\x7e" + content[place + 1 :])
        try:
            refuse_contradiction(path, ["age"])
        except InputError as wrong:
            said.append(str(wrong))
    assert "x.parquet is damaged or incomplete (a page has more values than its column); write it again" in said
    path.write_bytes(content[:-9] + b"\xff" + content[-8:])
    with pytest.raises(InputError, match="is damaged or incomplete"):
        load(path)
    path.write_bytes(content[:-8] + b"\xff\xff\xff\x7f" + content[-4:])
    with pytest.raises(InputError, match="is damaged or incomplete"):
        load(path)


def test_only_the_columns_that_are_read_are_looked_at(tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", compression="uncompressed")
    content = path.read_bytes()
    first = content.index(b"\x15", 4)  # the header of the first page, of the column age
    path.write_bytes(content[:first] + b"\xff" * 8 + content[first + 8 :])
    with pytest.raises(InputError):
        load(path)
    assert load(path, columns=["town"])[0]["town"].to_list() == FRAME["town"].to_list()


def test_lists_nested_without_end_are_refused_in_one_line(tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", compression="uncompressed")
    content = bytearray(path.read_bytes())
    content[4:3004] = b"\x19" * 3000  # a list of one list of one list ...
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"damaged or incomplete .*nested too deeply.*; write it again") as no:
        load(path)
    assert "\n" not in str(no.value)
