"""Charts say what they show, can be told apart without colour, and need no network."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

from pellucid.charting import PALETTE, SHAPES, Axis, Series, lines, write_whole
from pellucid.errors import OutputError

FRAME = pl.DataFrame({"method": ["a", "a", "b", "b"], "l": [2, 3, 2, 3], "error": [0.1, 0.2, None, 0.3]})


def drawn(frame: pl.DataFrame = FRAME) -> dict[str, object]:
    chart = lines(
        frame,
        Axis("l", "l (people)", scale="ordinal"),
        Axis("error", "error (share)", format="~%"),
        series=Series("method", "which method"),
        title="A title",
        caption="How to read it.",
    )
    return chart.drawing.to_dict()  # type: ignore[no-any-return]


def test_a_chart_has_title_units_caption_and_legend() -> None:
    text = str(drawn())
    for part in ("A title", "How to read it.", "l (people)", "error (share)", "which method"):
        assert part in text


def test_series_differ_in_colour_and_in_shape() -> None:
    assert len(set(PALETTE)) == len(PALETTE) == len(set(SHAPES))
    text = str(drawn())
    assert all(part in text for part in (*PALETTE[:2], *SHAPES[:2]))


def test_more_lines_than_can_be_told_apart_are_refused() -> None:
    many = pl.DataFrame({"method": [f"m{i}" for i in range(9)], "l": [2] * 9, "error": [0.1] * 9})
    with pytest.raises(OutputError, match="9 lines"):
        drawn(many)


def test_a_chart_is_written_in_three_formats_that_need_no_network(tmp_path: Path) -> None:
    chart = lines(FRAME, Axis("l", "l"), Axis("error", "error"), series=Series("method", "m"), title="t", caption="c")
    written = chart.write(tmp_path, "figure")
    assert [path.name for path in written] == ["figure.png", "figure.svg", "figure.html"]
    assert written[0].read_bytes().startswith(b"\x89PNG")
    assert "<svg" in written[1].read_text()
    page = written[2].read_text()
    assert 'src="http' not in page
    assert len(page) > 300_000  # the program that draws it is inside


def test_without_altair_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(OutputError, match=r"pip install 'pellucid\[charts\]'"):
        drawn()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="choose another folder"):
        write_whole(tmp_path / "file" / "x.csv", b"1")


@pytest.mark.parametrize("private", [False, True])
def test_whatever_stops_the_writing_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, private: bool
) -> None:
    def interrupted(_path: Path, _target: Path) -> None:
        raise KeyboardInterrupt

    (tmp_path / "x.csv").write_text("before")
    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "x.csv", b"1", private=private)
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]
    assert (tmp_path / "x.csv").read_text() == "before"
