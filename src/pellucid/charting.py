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
class ReferenceLine:
    """A line across the chart that a reader compares with, such as the bound 1/l."""

    value: float
    label: str
    axis: str = "y"


@dataclass(frozen=True)
class Chart:
    """A drawn chart; ``drawing`` is the Altair object, for who wants to change it."""

    drawing: Any

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
            write_whole(target, made[kind]())
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
    series: str,
    series_title: str,
    title: str,
    caption: str,
    order: Sequence[str] | None = None,
    panel: str | None = None,
    panel_titles: Mapping[str, tuple[str, str]] | None = None,
    columns: int = 2,
    rules: Sequence[ReferenceLine] = (),
    hover: Mapping[str, str] | None = None,
    points: str | None = None,
    points_below: str | None = None,
    links: str | None = None,
) -> Chart:
    """One line per series, with a point at every measurement.

    ``panel`` names a column whose values get a picture each, side by side; ``panel_titles`` has the titles of both axes
    of each, where they differ. ``hover`` says which columns a page shows
    under the mouse, with their titles. ``points`` names a column with a word for each point, written above it on its
    right, ``points_below`` one with words below, ``links`` one with an address that a click on the point leads to.
    Missing values (null) break a line rather than being drawn as 0.
    """
    alt = altair()
    names = list(order) if order is not None else frame[series].unique(maintain_order=True).to_list()
    if len(names) > len(PALETTE):
        raise OutputError(f"{len(names)} lines in one chart cannot be told apart; draw at most {len(PALETTE)}")
    colour = alt.Color(
        f"{series}:N", title=series_title, sort=names, scale=alt.Scale(domain=names, range=list(PALETTE[: len(names)]))
    )
    shape = alt.Shape(
        f"{series}:N", title=series_title, sort=names, scale=alt.Scale(domain=names, range=list(SHAPES[: len(names)]))
    )
    kind = "O" if x.scale == "ordinal" else "Q"
    across = alt.X(f"{x.column}:{kind}", title=x.title, scale=_scale(alt, x), axis=_axis(alt, x))
    up = alt.Y(f"{y.column}:Q", title=y.title or None, scale=_scale(alt, y), axis=_axis(alt, y))
    shown = hover or {series: series_title, x.column: x.title, y.column: y.title or "value"}
    tooltip = [_tooltip(alt, frame, column, text) for column, text in shown.items()]
    drawn = frame.with_row_index("drawn_in_order")
    base = alt.Chart().encode(x=across, y=up, color=colour)
    line = base.mark_line(strokeWidth=2).encode(order="drawn_in_order:Q", detail=alt.Detail(f"{series}:N"))
    point = base.mark_point(size=70, filled=True, opacity=1).encode(shape=shape, tooltip=tooltip)
    if panel is None:  # a click on a name in the legend of a page shows that line alone
        picked = alt.selection_point(fields=[series], bind="legend")
        line = line.encode(opacity=alt.when(picked).then(alt.value(0.8)).otherwise(alt.value(0.08)))
        point = point.encode(opacity=alt.when(picked).then(alt.value(1)).otherwise(alt.value(0.08)))
        line = line.add_params(picked)
    if links is not None:
        point = point.encode(href=f"{links}:N")
    layers = [line, point]
    for words, down in ((points, -LABEL_UP), (points_below, LABEL_DOWN)):
        if words is not None:
            text = base.mark_text(align="left", dx=LABEL_RIGHT, dy=down, fontSize=10, fontWeight="normal")
            layers.append(text.encode(text=f"{words}:N"))
    for rule in rules:
        layers.extend(_rule(alt, rule))
    width, height = (330, 230) if panel is not None else (LINES_WIDTH, LINES_HEIGHT)
    picture: Any = alt.layer(*layers, data=_data(alt, drawn)).properties(width=width, height=height)
    shown_width = width
    if panel is not None:
        panels = frame[panel].unique(maintain_order=True).to_list()
        count = min(columns, len(panels))
        shown_width = count * (width + 60)
    if panel is not None and panel_titles is not None:
        picture = alt.concat(
            *(
                alt.layer(
                    *(
                        layer.encode(x=across.title(panel_titles[one][0]), y=up.title(panel_titles[one][1]))
                        for layer in layers
                    ),
                    data=_data(alt, drawn.filter(pl.col(panel) == one)),
                ).properties(width=width, height=height, title=one)
                for one in panels
            ),
            columns=count,
        )
    elif panel is not None:
        picture = picture.facet(
            facet=alt.Facet(f"{panel}:N", title=None, sort=panels, header=alt.Header(labelFontSize=13)), columns=count
        ).resolve_scale(y="independent", x="independent")
    return Chart(_dressed(alt, picture, title, caption, shown_width))


def bars(
    frame: pl.DataFrame,
    x: Axis,
    y: Axis,
    *,
    series: str,
    series_title: str,
    title: str,
    caption: str,
    order: Sequence[str] | None = None,
) -> Chart:
    """A bar per series at every place of the x axis; for few places and counts or shares."""
    alt = altair()
    names = list(order) if order is not None else frame[series].unique(maintain_order=True).to_list()
    colour = alt.Color(
        f"{series}:N", title=series_title, sort=names, scale=alt.Scale(domain=names, range=list(PALETTE[: len(names)]))
    )
    picture = (
        alt.Chart(_data(alt, frame))
        .mark_bar()
        .encode(
            x=alt.X(f"{x.column}:O", title=x.title, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset(f"{series}:N", sort=names),
            y=alt.Y(f"{y.column}:Q", title=y.title, scale=_scale(alt, y), axis=_axis(alt, y)),
            color=colour,
            tooltip=[
                _tooltip(alt, frame, column, text)
                for column, text in {series: series_title, x.column: x.title, y.column: y.title}.items()
            ],
        )
        .properties(width=640, height=400)
    )
    return Chart(_dressed(alt, picture, title, caption, 640))


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


def _rule(alt: Any, rule: ReferenceLine) -> list[Any]:
    """A dashed line and its name, at the right end of a horizontal one and the upper end of a vertical one."""
    place = {"y": alt.datum(rule.value)} if rule.axis == "y" else {"x": alt.datum(rule.value)}
    end: dict[str, Any] = {"x": alt.value("width")} if rule.axis == "y" else {"y": alt.value(0)}
    once = alt.Data(values=[{}])  # or the line and its name would be drawn once for each row
    line = alt.Chart(once).mark_rule(strokeDash=[5, 4], color=INK).encode(**place)
    side = {"align": "right", "dy": -6} if rule.axis == "y" else {"align": "left", "dx": 5, "dy": 8}
    name = alt.Chart(once).mark_text(text=rule.label, color=INK, fontSize=11, **side).encode(**place, **end)
    return [line, name]


def _dressed(alt: Any, picture: Any, title: str, caption: str, width: int) -> Any:
    """The title above, under it how to read the chart, in lines as wide as the chart."""
    told = textwrap.wrap(caption, max(60, int((width + 120) / 6.2)))
    return (
        picture.properties(
            title=alt.TitleParams(
                title, subtitle=told, anchor="start", fontSize=17, subtitleFontSize=12, subtitlePadding=6, offset=14
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
