"""Arrow files whose buffers do not lie in them are refused; whatever a library writes is read."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pellucid.errors import InputError
from pellucid.io import load
from pellucid.io.arrow_buffers import refuse_loose_buffers

FRAME = pl.DataFrame(
    {
        "age": [34, None, 51, 29] * 50,
        "name": ["Ann", "a text that is longer than twelve bytes", None, ""] * 50,
        "born": [date(1990, 1, 1)] * 200,
        "number": pl.Series([f"n{row % 7}" for row in range(200)], dtype=pl.Categorical),
    }
)
LARGE = (1 << 61).to_bytes(8, "little")


def reasons(path: Path) -> dict[str, list[int]]:
    """Why a file is refused when eight of its bytes, all in turn, become a number that no machine has room for."""
    content = path.read_bytes()
    said: dict[str, list[int]] = {}
    for place in range(8, len(content) - 16, 8):
        path.write_bytes(content[:place] + LARGE + content[place + 8 :])
        try:
            refuse_loose_buffers(path)
        except InputError as wrong:
            said.setdefault(str(wrong), []).append(place)
    return said


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("oldest", [False, True])
def test_what_polars_writes_is_read(tmp_path: Path, stream: bool, compression: str, oldest: bool) -> None:
    path = tmp_path / "x.arrow"
    how: dict[str, Any] = {"compression": compression, "compat_level": pl.CompatLevel.oldest() if oldest else None}
    for frame in (FRAME, FRAME.clear()):
        if stream:
            frame.write_ipc_stream(path, **how)
        else:
            frame.write_ipc(path, **how)
        assert load(path)[0].equals(frame)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_what_pyarrow_writes_is_read(tmp_path: Path, stream: bool, compression: str | None) -> None:
    arrow = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
    path = tmp_path / "x.arrow"
    table = FRAME.to_arrow()
    options = arrow.ipc.IpcWriteOptions(compression=compression)
    opened = arrow.ipc.new_stream if stream else arrow.ipc.new_file
    with opened(str(path), table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=64)
    assert load(path)[0].equals(FRAME)


@pytest.mark.parametrize("stream", [False, True])
def test_a_buffer_longer_than_its_batch_is_refused_wherever_it_is_written(tmp_path: Path, stream: bool) -> None:
    """Such a length made Polars ask for as many bytes and end the process: no place of the file may do that.

    Every eight bytes are replaced in turn by a number that no machine has room for. Only the check is asked here:
    what it lets pass may be data.
    """
    path = tmp_path / "x.arrow"
    frame = FRAME.head(4)
    if stream:
        frame.write_ipc_stream(path)
    else:
        frame.write_ipc(path)
    said = reasons(path)
    for reason in ("a buffer is longer than its batch", "a batch is longer than the file"):
        assert f"x.arrow is damaged or incomplete ({reason}); write it again" in said
    places = said["x.arrow is damaged or incomplete (a buffer is longer than its batch); write it again"]
    assert any(place + 8 in places for place in places)  # where a buffer begins, and how long it is


def test_a_packed_buffer_that_claims_more_than_any_packing_gives_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.arrow"
    FRAME.write_ipc(path, compression="zstd")
    said = reasons(path)
    packed = "a packed buffer cannot have the length that it says"
    assert f"x.arrow is damaged or incomplete ({packed}); write it again" in said


def test_a_file_cut_short_is_refused_and_nothing_is_left_to_others(tmp_path: Path) -> None:
    path = tmp_path / "x.arrow"
    FRAME.write_ipc(path)
    content = path.read_bytes()
    for length in (8, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(InputError, match="is damaged or incomplete"):
            load(path)
    path.write_bytes(b"")
    refuse_loose_buffers(path)
