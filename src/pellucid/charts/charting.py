"""Charts that explain themselves: a title, units on the axes, a caption that says how to read them, a legend.

Colours are those of Okabe and Ito, which people who confuse red and green tell apart, and every series has its own
shape too, so that a chart survives a black-and-white printer. An HTML page carries everything that it needs: it works
on a machine without a network. Drawing needs vl-convert, the extra ``charts``.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.charts.drawing import check_installed, draw, drawing_program
from pellucid.charts.page import chart_page
from pellucid.charts.vega_lite import SCHEMA, Part, layered, mark, nominal, ordinal, quantitative, rows
from pellucid.errors import OutputError
from pellucid.runtime.whole_file import explained, refuse_broken_link, write_whole
from pellucid.text.plain_text import fit_for_pages

# Okabe and Ito: black last, yellow left out because it vanishes on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#000000")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
INK = "#222222"
FAINT = "#DDDDDD"
LINES_WIDTH, LINES_HEIGHT = 640, 400  # pixels of a chart of lines in one picture
PANEL_WIDTH, PANEL_HEIGHT = 330, 230  # of one beside others
LOG_PADDING = 30  # pixels at both ends of a logarithmic axis
LABEL_RIGHT, LABEL_UP, LABEL_DOWN = 7, 9, 11  # pixels from a point to the word beside it, above or below
INNER = ("layer", "width", "height", "data")  # what is of one picture, and not of the whole
FAINTED = 0.08  # opacity of lines while another one is singled out
ALTAIR = "Chart.drawing needs Altair, which is not installed; run: pip install altair, or take Chart.specification"


@dataclass(frozen=True)
class Axis:
    """A column on an axis: what it is called with its unit (empty where the panels say it), and how its scale runs."""

    column: str
    title: str
    scale: str = "linear"  # or log, symlog (which has a place for 0), or ordinal (one place for each value)
    format: str = ""  # of the numbers, as d3 writes it: ".0%"
    domain: tuple[float, float] | None = None


@dataclass(frozen=True)
class Series:
    """A column whose values get a line each, what it is called in the legend, and the order of the lines."""

    column: str
    title: str
    order: Sequence[str] | None = None  # as they come in the rows, where none is given


@dataclass(frozen=True)
class Panels:
    """A column whose values get a picture each, two beside each other; with their axes' titles where these differ."""

    column: str
    titles: Mapping[str, tuple[str, str]] | None = None
    across = 2


@dataclass(frozen=True)
class Points:
    """Columns that say more of a point: words above it on its right, or below, and where a click on it leads.

    ``hollow`` is a column of yes and no: whether a point is drawn hollow, which the caption has to explain.
    """

    above: str | None = None
    below: str | None = None
    links: str | None = None
    hover: Mapping[str, str] | None = None  # columns that a page shows under the mouse, with their titles
    hollow: str | None = None


@dataclass(frozen=True)
class Chart:
    """A chart; ``specification`` is all of it as Vega-Lite, for who wants to change it or to draw it elsewhere.

    What is ``private`` is written so that nobody else can read it.
    """

    specification: Part = field(repr=False)
    private: bool = False

    @property
    def drawing(self) -> Any:
        """The chart as an object of Altair, where that is installed, for who wants to change it there."""
        try:
            import altair
        except ImportError:
            raise OutputError(ALTAIR) from None
        return altair.Chart.from_dict(self.specification)

    def png(self, scale: float = 2) -> bytes:
        """The picture in pixels, twice the size that it is shown at unless told otherwise."""
        return draw(as_text(self.specification), "png", scale)

    def svg(self) -> str:
        """The picture as lines and text."""
        return draw(as_text(self.specification), "svg").decode()

    def html(self, *, title: str = "Chart", above: str = "") -> str:
        """An interactive page that needs no network: the program that draws it is inside.

        ``above``: markup that stands above the chart as it is.
        """
        return chart_page(as_text(self.specification), program=drawing_program(), title=title, above=above)

    def _repr_svg_(self) -> str | None:
        """The picture, for a notebook; nothing, and so the name alone, where it cannot be drawn."""
        try:
            return self.svg()
        except OutputError:
            return None

    def write(self, folder: str | Path, name: str, *, formats: Sequence[str] = ("png", "svg", "html")) -> list[Path]:
        """Write the chart under a name in several formats; a file is there whole or not at all."""
        made: Mapping[str, Callable[[], bytes]] = {
            "png": self.png,
            "svg": lambda: self.svg().encode(),
            "html": lambda: self.html().encode(),
        }
        written = []
        for kind in formats:
            target = Path(folder) / f"{name}.{kind}"
            write_whole(target, made[kind](), private=self.private)
            written.append(target)
        return written


def as_text(specification: Part) -> str:
    """A chart as the text that vl-convert draws; a character that no picture may hold ends that program."""
    return json.dumps(fit_for_pages(specification))


def ready_to_write(folder: str | Path) -> None:
    """Raise now, and not after the work, when charts cannot be drawn or the folder cannot be made."""
    check_installed()
    refuse_broken_link(Path(folder))
    with explained(f"{folder}:"):
        Path(folder).mkdir(parents=True, exist_ok=True)


def lines(
    frame: pl.DataFrame,
    x: Axis,
    y: Axis,
    *,
    series: Series,
    title: str,
    caption: str,
    panels: Panels | None = None,
    points: Points = Points(),  # noqa: B008  (it is frozen)
) -> Chart:
    """One line per series, with a point at every measurement.

    Missing values (null) break a line rather than being drawn as 0.
    """
    names = list(series.order) if series.order is not None else _distinct(frame, series.column)
    if len(names) > len(PALETTE):
        raise OutputError(f"{len(names)} lines in one chart cannot be told apart; draw at most {len(PALETTE)}")
    layers = _layers(frame, x, y, series, names, points)
    drawn = frame.with_row_index("drawn_in_order")
    if panels is None:
        picture = layered(*layers, width=LINES_WIDTH, height=LINES_HEIGHT, **_rows(drawn))
        return Chart(dressed(_singled_out(picture, series), title, caption, LINES_WIDTH))
    width = min(panels.across, len(_distinct(frame, panels.column))) * (PANEL_WIDTH + 60)
    return Chart(dressed(_side_by_side(layers, drawn, panels), title, caption, width))


def stacked(upper: Chart, lower: Chart) -> Chart:
    """Two charts of the same lines, one below the other, with one title and one legend, whose clicks concern both."""
    above, below = (
        {key: one.specification[key] for key in INNER if key in one.specification} for one in (upper, lower)
    )
    below["layer"] = [{key: part for key, part in layer.items() if key != "name"} for layer in below["layer"]]
    outer = {key: part for key, part in upper.specification.items() if key not in INNER}
    return Chart({**outer, "vconcat": [above, below]}, upper.private)


def _distinct(frame: pl.DataFrame, column: str) -> list[Any]:
    return frame[column].unique(maintain_order=True).to_list()


def _layers(frame: pl.DataFrame, x: Axis, y: Axis, series: Series, names: list[Any], points: Points) -> list[Part]:
    """The lines, the points over them, and the words beside these."""
    across = (ordinal if x.scale == "ordinal" else quantitative)(x.column, title=x.title, **_scaled(x))
    up = quantitative(y.column, title=y.title or None, **_scaled(y))
    base = {"x": across, "y": up, "color": _told_apart(series, names, PALETTE)}
    hover = points.hover or {series.column: series.title, x.column: x.title, y.column: y.title or "value"}
    tooltip = [_tooltip(frame, column, text) for column, text in hover.items()]
    href = {} if points.links is None else {"href": nominal(points.links)}
    shape = _told_apart(series, names, SHAPES)
    color = base["color"] if points.hollow is None else _hollow_where(points.hollow, base["color"])
    rim = {} if points.hollow is None else {"stroke": base["color"]}
    ordered = {"order": quantitative("drawn_in_order"), "detail": nominal(series.column)}
    beside = {"align": "left", "dx": LABEL_RIGHT, "fontSize": 10, "fontWeight": "normal"}
    return [
        mark("line", {"strokeWidth": 2}, **base, **ordered),
        mark(
            "point",
            {"size": 70, "filled": True, "opacity": 1},
            **{**base, "color": color},
            **rim,
            shape=shape,
            tooltip=tooltip,
            **href,
        ),
        *(
            mark("text", {**beside, "dy": down}, **base, text=nominal(words))
            for words, down in ((points.above, -LABEL_UP), (points.below, LABEL_DOWN))
            if words is not None
        ),
    ]


def _hollow_where(column: str, color: Part) -> Part:
    """The same colour, and white where the column says so: the rim alone is then seen."""
    return {"condition": {"test": f"datum[{json.dumps(column)}]", "value": "white"}, **color}


def _singled_out(picture: Part, series: Series) -> Part:
    """The picture, where a click on a name in the legend of a page shows that line alone."""
    select = {"type": "point", "fields": [series.column]}
    picked = {"name": "picked", "select": select, "bind": "legend", "views": ["lines"]}
    line, point, *words = picture["layer"]
    layers = [{"name": "lines", **_fading(line, 0.8)}, _fading(point, 1), *words]
    return {**picture, "layer": layers, "params": [picked]}


def _fading(layer: Part, opacity: float) -> Part:
    """A layer with this opacity, of which only what is picked keeps it."""
    shown = {"condition": {"param": "picked", "value": opacity}, "value": FAINTED}
    return {**layer, "encoding": {**layer["encoding"], "opacity": shown}}


def _told_apart(series: Series, names: list[Any], looks: Sequence[str]) -> Part:
    """The colour or the shape of each series."""
    scale = {"domain": names, "range": list(looks[: len(names)])}
    return nominal(series.column, title=series.title, sort=names, scale=scale)


def _side_by_side(layers: Sequence[Part], drawn: pl.DataFrame, panels: Panels) -> Part:
    """The layers once for each panel."""
    names = _distinct(drawn, panels.column)
    columns = min(panels.across, len(names))
    if panels.titles is None:
        facet = nominal(panels.column, title=None, sort=names, header={"labelFontSize": 13})
        picture = layered(*layers, width=PANEL_WIDTH, height=PANEL_HEIGHT)
        own = {"scale": {"x": "independent", "y": "independent"}}
        return {**_rows(drawn), "facet": facet, "spec": picture, "columns": columns, "resolve": own}
    pictures = []
    for name in names:
        of_panel = [_titled(layer, *panels.titles[name]) for layer in layers]
        data = _rows(drawn.filter(pl.col(panels.column) == name))
        pictures.append(layered(*of_panel, width=PANEL_WIDTH, height=PANEL_HEIGHT, title=name, **data))
    return {"concat": pictures, "columns": columns}


def _titled(layer: Part, below: str, beside: str) -> Part:
    """A layer whose axes have these titles."""
    places = layer["encoding"]
    return {**layer, "encoding": places | {"x": places["x"] | {"title": below}, "y": places["y"] | {"title": beside}}}


def _tooltip(frame: pl.DataFrame, column: str, text: str) -> Part:
    kind = frame.schema[column]
    if kind.is_float():
        return quantitative(column, title=text, format=",.4~g")
    return (quantitative if kind.is_numeric() else nominal)(column, title=text)


def _rows(frame: pl.DataFrame) -> Part:
    return rows(frame.to_dicts())


def _scaled(axis: Axis) -> Part:
    """How an axis runs, and how what stands at it is written."""
    form = {"format": axis.format} if axis.format else {}
    if axis.scale == "ordinal":
        return {"axis": {**form, "labelAngle": 0}}
    scale: Part = {"type": axis.scale, "zero": axis.scale == "linear" and axis.domain is None}
    if axis.domain is not None:
        scale["domain"] = list(axis.domain)
    if axis.scale == "symlog":
        scale["constant"] = 1
    if axis.scale == "log" and axis.domain is None:  # a whole power of ten at both ends would be mostly empty
        scale |= {"nice": False, "padding": LOG_PADDING}
    return {"scale": scale, "axis": form}


def dressed(picture: Part, title: str, caption: str, width: int) -> Part:
    """The title above, under it how to read the chart, in lines as wide as the chart."""
    wrapped = textwrap.wrap(caption, max(60, int((width + 120) / 6.2)))
    heading = {"text": title, "subtitle": wrapped, "anchor": "start", "offset": 14}
    sizes = {"fontSize": 17, "subtitleFontSize": 12, "subtitlePadding": 6}
    look = {"padding": 14, "background": "white", "config": LOOKS}
    return {"$schema": SCHEMA, **picture, "title": heading | sizes, **look}


LOOKS = {
    "font": "Helvetica, Arial, DejaVu Sans, sans-serif",
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 13,
        "gridColor": FAINT,
        "labelColor": INK,
        "titleColor": INK,
        "titleFontWeight": "normal",
    },
    "legend": {
        "labelFontSize": 12,
        "titleFontSize": 13,
        "symbolSize": 110,
        "labelLimit": 260,
        "titleFontWeight": "normal",
    },
    "title": {"subtitleColor": "#555555", "color": INK},
    "view": {"stroke": FAINT},
}
