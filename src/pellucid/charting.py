"""Charts that explain themselves: a title, units on the axes, a caption that says how to read them, a legend.

Colours are those of Okabe and Ito, which people who confuse red and green tell apart, and every series has its own
shape too, so that a chart survives a black-and-white printer. An HTML page carries everything that it needs: it works
on a machine without a network. Drawing needs Altair and vl-convert, the extra ``charts``.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.drawing import address_space_is_limited, draw
from pellucid.errors import OutputError
from pellucid.text.plain_text import fit_for_pages
from pellucid.whole_file import explained, write_whole

# Okabe and Ito: black last, yellow left out because it vanishes on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#000000")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
INK = "#222222"
FAINT = "#DDDDDD"
LINES_WIDTH, LINES_HEIGHT = 640, 400  # pixels of a chart of lines in one picture
PANEL_WIDTH, PANEL_HEIGHT = 330, 230  # of one beside others
LOG_PADDING = 30  # pixels at both ends of a logarithmic axis
LABEL_RIGHT, LABEL_UP, LABEL_DOWN = 7, 9, 11  # pixels from a point to the word beside it, above or below
INSTALL = "charts need Altair and vl-convert, which are not installed; run: pip install 'pellucid[charts]'"


def altair() -> Any:
    """Altair, imported when a chart is drawn and not before; a clear error when it is not installed."""
    try:
        import altair as alt
        import vl_convert  # noqa: F401  (Altair needs it for pictures and offline pages)
    except ImportError:
        raise OutputError(INSTALL) from None
    return alt


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
    """Columns that say more of a point: words above it on its right, or below, and where a click on it leads."""

    above: str | None = None
    below: str | None = None
    links: str | None = None
    hover: Mapping[str, str] | None = None  # columns that a page shows under the mouse, with their titles


@dataclass(frozen=True)
class Chart:
    """A drawn chart; ``drawing`` is the Altair object, for who wants to change it.

    What is ``private`` is written so that nobody else can read it.
    """

    drawing: Any
    private: bool = False

    def png(self, scale: float = 2) -> bytes:
        """The picture in pixels, twice the size that it is shown at unless told otherwise."""
        return draw(specification(self.drawing), "png", scale)

    def svg(self) -> str:
        """The picture as lines and text."""
        return draw(specification(self.drawing), "svg").decode()

    def html(self) -> str:
        """An interactive page that needs no network: the program that draws it is inside."""
        if address_space_is_limited():
            return draw(specification(self.drawing), "html").decode()
        return str(self.drawing.to_html(inline=True))

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


def specification(drawing: Any) -> str:
    """An Altair chart as the text that vl-convert draws; a character that no picture may hold ends that program."""
    return json.dumps(fit_for_pages(drawing.to_dict()))


def ready_to_write(folder: str | Path) -> None:
    """Raise now, and not after the work, when charts cannot be drawn or the folder cannot be made."""
    altair()
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
    alt = altair()
    names = list(series.order) if series.order is not None else _distinct(frame, series.column)
    if len(names) > len(PALETTE):
        raise OutputError(f"{len(names)} lines in one chart cannot be told apart; draw at most {len(PALETTE)}")
    across = _across(alt, x)
    up = alt.Y(f"{y.column}:Q", title=y.title or None, scale=_scale(alt, y), axis=_axis(alt, y))
    hover = points.hover or {series.column: series.title, x.column: x.title, y.column: y.title or "value"}
    tooltip = [_tooltip(alt, frame, column, text) for column, text in hover.items()]
    base = alt.Chart().encode(x=across, y=up, color=_told_apart(alt, alt.Color, series, names, PALETTE))
    line = base.mark_line(strokeWidth=2).encode(order="drawn_in_order:Q", detail=alt.Detail(f"{series.column}:N"))
    shape = _told_apart(alt, alt.Shape, series, names, SHAPES)
    point = base.mark_point(size=70, filled=True, opacity=1).encode(shape=shape, tooltip=tooltip)
    if panels is None:
        line, point = _singled_out(alt, line, point, series)
    if points.links is not None:
        point = point.encode(href=f"{points.links}:N")
    layers = [line, point, *_words(base, points)]
    drawn = frame.with_row_index("drawn_in_order")
    if panels is None:
        picture = alt.layer(*layers, data=_data(alt, drawn)).properties(width=LINES_WIDTH, height=LINES_HEIGHT)
        return Chart(_dressed(alt, picture, title, caption, LINES_WIDTH))
    picture = _side_by_side(alt, layers, drawn, panels, across, up)
    width = min(panels.across, len(_distinct(frame, panels.column))) * (PANEL_WIDTH + 60)
    return Chart(_dressed(alt, picture, title, caption, width))


def _distinct(frame: pl.DataFrame, column: str) -> list[Any]:
    return frame[column].unique(maintain_order=True).to_list()


def _singled_out(alt: Any, line: Any, point: Any, series: Series) -> tuple[Any, Any]:
    """The layers of which a click on a name in the legend of a page shows that line alone."""
    picked = alt.selection_point(fields=[series.column], bind="legend")
    line = line.encode(opacity=alt.when(picked).then(alt.value(0.8)).otherwise(alt.value(0.08)))
    point = point.encode(opacity=alt.when(picked).then(alt.value(1)).otherwise(alt.value(0.08)))
    return line.add_params(picked), point


def _across(alt: Any, axis: Axis) -> Any:
    kind = "O" if axis.scale == "ordinal" else "Q"
    return alt.X(f"{axis.column}:{kind}", title=axis.title, scale=_scale(alt, axis), axis=_axis(alt, axis))


def _told_apart(alt: Any, by: Any, series: Series, names: list[Any], looks: Sequence[str]) -> Any:
    """The colour or the shape of each series."""
    scale = alt.Scale(domain=names, range=list(looks[: len(names)]))
    return by(f"{series.column}:N", title=series.title, sort=names, scale=scale)


def _words(base: Any, points: Points) -> list[Any]:
    """The words beside points, as layers of their own."""
    return [
        base.mark_text(align="left", dx=LABEL_RIGHT, dy=down, fontSize=10, fontWeight="normal").encode(
            text=f"{words}:N"
        )
        for words, down in ((points.above, -LABEL_UP), (points.below, LABEL_DOWN))
        if words is not None
    ]


def _side_by_side(alt: Any, layers: Sequence[Any], drawn: pl.DataFrame, panels: Panels, across: Any, up: Any) -> Any:
    """The layers once for each panel."""
    names = _distinct(drawn, panels.column)
    count = min(panels.across, len(names))
    if panels.titles is None:
        picture = alt.layer(*layers, data=_data(alt, drawn)).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT)
        header = alt.Header(labelFontSize=13)
        return picture.facet(
            facet=alt.Facet(f"{panels.column}:N", title=None, sort=names, header=header), columns=count
        ).resolve_scale(y="independent", x="independent")
    pictures = []
    for name in names:
        below, beside = panels.titles[name]
        of_panel = [layer.encode(x=across.title(below), y=up.title(beside)) for layer in layers]
        data = _data(alt, drawn.filter(pl.col(panels.column) == name))
        pictures.append(alt.layer(*of_panel, data=data).properties(width=PANEL_WIDTH, height=PANEL_HEIGHT, title=name))
    return alt.concat(*pictures, columns=count)


def _tooltip(alt: Any, frame: pl.DataFrame, column: str, text: str) -> Any:
    kind = frame.schema[column]
    if kind.is_float():
        return alt.Tooltip(f"{column}:Q", title=text, format=",.4~g")
    return alt.Tooltip(f"{column}:{'Q' if kind.is_numeric() else 'N'}", title=text)


def _data(alt: Any, frame: pl.DataFrame) -> Any:
    """The rows, written into the chart itself."""
    return alt.Data(values=frame.to_dicts())


def _scale(alt: Any, axis: Axis) -> Any:
    if axis.scale == "ordinal":
        return alt.Undefined
    given: dict[str, Any] = {} if axis.domain is None else {"domain": list(axis.domain)}
    if axis.scale == "symlog":
        given["constant"] = 1
    if axis.scale == "log" and axis.domain is None:  # a whole power of ten at both ends would be mostly empty
        given |= {"nice": False, "padding": LOG_PADDING}
    return alt.Scale(type=axis.scale, zero=axis.scale == "linear" and axis.domain is None, **given)


def _axis(alt: Any, axis: Axis) -> Any:
    options: dict[str, Any] = {"format": axis.format} if axis.format else {}
    if axis.scale == "ordinal":
        options["labelAngle"] = 0
    return alt.Axis(**options)


def _dressed(alt: Any, picture: Any, title: str, caption: str, width: int) -> Any:
    """The title above, under it how to read the chart, in lines as wide as the chart."""
    wrapped = textwrap.wrap(caption, max(60, int((width + 120) / 6.2)))
    return (
        picture.properties(
            title=alt.TitleParams(
                title, subtitle=wrapped, anchor="start", fontSize=17, subtitleFontSize=12, subtitlePadding=6, offset=14
            ),
            padding=14,
            background="white",
        )
        .configure(font="Helvetica, Arial, DejaVu Sans, sans-serif")
        .configure_axis(
            labelFontSize=12,
            titleFontSize=13,
            gridColor=FAINT,
            labelColor=INK,
            titleColor=INK,
            titleFontWeight="normal",
        )
        .configure_legend(labelFontSize=12, titleFontSize=13, symbolSize=110, labelLimit=260, titleFontWeight="normal")
        .configure_title(subtitleColor="#555555", color=INK)
        .configure_view(stroke=FAINT)
    )
