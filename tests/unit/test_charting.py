"""Charts say what they show, can be told apart without colour, and need no network."""

from __future__ import annotations

import json
import sys
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from pellucid.charts.charting import PALETTE, SHAPES, Axis, Chart, Series, lines, ready_to_write, write_whole
from pellucid.errors import OutputError

FRAME = pl.DataFrame({"method": ["a", "a", "b", "b"], "l": [2, 3, 2, 3], "error": [0.1, 0.2, None, 0.3]})


def drawn(frame: pl.DataFrame = FRAME) -> Chart:
    return lines(
        frame,
        Axis("l", "l (people)", scale="ordinal"),
        Axis("error", "error (share)", format="~%"),
        series=Series("method", "which method"),
        title="A title",
        caption="How to read it.",
    )


def test_a_chart_has_title_units_caption_and_legend() -> None:
    text = str(drawn().specification)
    for part in ("A title", "How to read it.", "l (people)", "error (share)", "which method"):
        assert part in text


def test_series_differ_in_colour_and_in_shape() -> None:
    assert len(set(PALETTE)) == len(PALETTE) == len(set(SHAPES))
    text = str(drawn().specification)
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


def test_without_the_extra_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chart = drawn()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    for asked in (chart.svg, chart.png, chart.html, partial(ready_to_write, tmp_path)):
        with pytest.raises(OutputError, match=r"pip install 'pellucid\[charts\]'"):
            asked()


def test_who_works_with_altair_gets_the_same_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("altair", reason="it is needed for nothing else")
    chart = drawn()
    assert Chart(chart.drawing.to_dict()).png() == chart.png()
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(OutputError, match=r"take Chart\.specification"):
        chart.drawing  # noqa: B018


def test_a_notebook_shows_the_picture_and_not_its_figures() -> None:
    chart = drawn()
    assert chart._repr_svg_() == chart.svg()
    assert repr(chart) == "Chart(private=False)"


@pytest.mark.parametrize("evil", ["</script><script>alert(1)</script>", "<!--<script>", "</SCRIPT >"])
def test_no_value_leaves_the_script_of_a_page(evil: str) -> None:
    """The page has the two scripts that are ours, and the chart in it says what the table says."""
    frame = FRAME.with_columns(method=pl.col("method") + evil)
    chart = lines(frame, Axis("l", evil), Axis("error", evil), series=Series("method", evil), title=evil, caption=evil)
    scripts = Scripts()
    scripts.feed(chart.html(title=evil))
    _program, call = scripts.found
    written = call.split('vegaEmbed("#chart", ', 1)[1]
    assert json.JSONDecoder().raw_decode(written)[0] == chart.specification


class Scripts(HTMLParser):
    """What is run of a page, as a parser that is not ours says."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self._inside = tag == "script"
        if self._inside:
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[-1] += data


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
