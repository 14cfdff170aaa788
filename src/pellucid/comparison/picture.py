"""The chart of a comparison: largest risk against what a release is good for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, log
from typing import Any

import polars as pl

from pellucid.charts.charting import (
    LABEL_DOWN,
    LABEL_RIGHT,
    LABEL_UP,
    LINES_HEIGHT,
    LINES_WIDTH,
    LOG_PADDING,
    PALETTE,
    Axis,
    Chart,
    Points,
    Series,
    lines,
    stacked,
)
from pellucid.comparison.cell import Cell
from pellucid.comparison.sentences import guesses, remarks
from pellucid.comparison.weighing import Weighing
from pellucid.messages import Message
from pellucid.risk.report.guarantee_coverage import RISK

APART = 0.02  # of the height of the chart: lines of the same risk are drawn less than this apart
POINT = 5.0  # pixels from the middle of a point to its rim
LETTER = 6.0  # pixels: how wide a letter of a label is, and half as high
Box = tuple[float, float, float, float]  # left, upper, right, lower
Spot = tuple[dict[str, Any], str]  # a row of the chart, and what its label says
LOWER = (
    " Below: how often the best guess of the strongest attacker with statistics is right. Lower is safer. Nothing is "
    "learned where it is as often without the release."
)
LOWER_OF_SOME = (
    " Below: of how many people the strongest attacker with statistics rightly believes more than 1/l. "
    "Of one l, lower is safer: with a larger l more beliefs are above 1/l."
)
# beside the l of a point whose risk is not exactly what is drawn
MARKS = {"": "", "at least": "?", "more than": "?", "at most": "*"}


def picture(
    cells: Sequence[Cell], weighing: Weighing, link: Callable[[Cell], str] | None = None, *, still: bool = False
) -> Chart:
    """One line per method, a point for each setting; what was not measured, or not attacked, is named below it."""
    main = weighing.main
    measured = [_row(cell, weighing, link) for cell in cells if weighing.drawable(cell)]
    series = list(dict.fromkeys(row["method"] for row in measured))
    drawn, left_out = series[: len(PALETTE)], series[len(PALETTE) :]
    rows = [row for row in measured if row["method"] in drawn]
    wide = _is_wide([row["utility"] for row in rows])
    _spread(rows, drawn)
    _label(rows, drawn, wide=wide)
    hollow = "hollow" if any(row["hollow"] for row in rows) else None
    legend = "method" if still or link is not None else "method (click to single out)"
    guessed = _guessed(rows, drawn, wide=wide)
    points = Points("label", "label_below", None if link is None else "link", _hover(main), hollow)
    across, by = _utility_axis(weighing, wide=wide), Series("method", legend)
    risks = lines(
        pl.DataFrame(rows, infer_schema_length=None),
        across,
        Axis("place", "risk: largest belief of an informed attacker"),
        series=by,
        title="What each release costs, and what it lets an attacker learn",
        caption=_caption(rows, main, left_out) + _of_no_known_risk(cells, weighing) + _lower(cells, guessed),
        points=points,
    )
    if not guessed:
        return risks
    frame = pl.DataFrame(guessed, infer_schema_length=None)
    return stacked(risks, lines(frame, across, _learned(cells), series=by, title="", caption="", points=points))


def _learned(cells: Sequence[Cell]) -> Axis:
    """What the second picture counts: people rightly believed to have some value, or best guesses that are right."""
    if any(cell.right is not None and cell.right.some for cell in cells):
        return Axis("place", "people rightly believed above 1/l, by statistics", format=".1%")
    return Axis("place", "best guesses right, of an attacker with statistics", format=".0%")


def _lower(cells: Sequence[Cell], guessed: Sequence[dict[str, Any]]) -> str:
    """What the second picture shows, where there is one."""
    some = any(cell.right is not None and cell.right.some for cell in cells)
    return (LOWER_OF_SOME if some else LOWER) if guessed else ""


def _guessed(rows: Sequence[dict[str, Any]], series: Sequence[str], *, wide: bool) -> list[dict[str, Any]]:
    """The same releases, by how often an attacker with statistics guesses right with them."""
    known = [{**row, "risk": row["right"], "hollow": False} for row in rows if row["right"] is not None]
    if known:
        _spread(known, series)
        _label(known, series, wide=wide)
    return known


def _is_wide(figures: Sequence[float]) -> bool:
    """Whether figures are so far apart that a logarithmic axis shows them better."""
    return bool(figures) and 0 < 20 * min(figures) < max(figures)


def _hover(main: dict[str, Any]) -> dict[str, str]:
    """What a page shows under the mouse."""
    return {
        "method": "method",
        "setting": "l",
        "utility": main["name"],
        "risk": "largest risk",
        "above": "rows above 1/l",
        "guesses": "best guesses right",
        "groups": "groups",
        "remarks": "remarks",
    }


def _row(cell: Cell, weighing: Weighing, link: Callable[[Cell], str] | None) -> dict[str, Any]:
    above = "no bound promised" if cell.above is None else f"{cell.above:,}"
    certainty, risk = cell.told_risk
    return {
        "method": _series(cell),
        "setting": f"{cell.bound if cell.bound is not None else _short(cell)}{MARKS[certainty]}",
        "utility": cell.value(weighing.main["name"]),
        "risk": risk,
        "hollow": bool(MARKS[certainty]),
        "right": None if cell.right is None else cell.right.drawn,
        "guesses": "" if cell.right is None else guesses(cell.right),
        "above": above if cell.known else f"at least {above}",
        "groups": cell.groups,
        "remarks": "; ".join(remarks(cell))[:160] or "every attack ran",
        "link": "" if link is None else link(cell),
    }


def _caption(rows: Sequence[dict[str, Any]], main: dict[str, Any], left_out: Sequence[str]) -> str:
    better = "left" if main["direction"] == "lower" else "right"
    caption = (
        f"Each point is one release, with its l where there is room for it. Further "
        f"{better} the data is better ({main['name']}), further down people are safer. The risk is the "
        f"{RISK} (probability)."
    )
    if any(row["setting"].endswith("?") for row in rows):
        caption += " Hollow with a question mark: some attack could not run or left people open, so that the risk is "
        caption += "at least what is drawn."
    if any(row["setting"].endswith("*") for row in rows):
        caption += " Hollow with an asterisk: risks were sampled, and the largest is at most what is drawn."
    if any(row["place"] != row["risk"] for row in rows):
        caption += " Lines of the same risk are drawn a little apart."
    if left_out:
        caption += f" Not drawn, since more lines cannot be told apart: {', '.join(left_out)}."
    return caption


def _of_no_known_risk(cells: Sequence[Cell], weighing: Weighing) -> Message:
    """Which releases have no place in the chart because nothing is known of their risk; empty where all have one."""
    settings: dict[str, list[str]] = {}
    for cell in cells:
        if not cell.refused and not weighing.drawable(cell) and isfinite(weighing.value(cell)):
            settings.setdefault(_series(cell), []).append(str(_short(cell) if cell.bound is None else cell.bound))
    names = "; ".join(f"{series} ({', '.join(of)})" for series, of in settings.items())
    return Message(" Not drawn, since their risk is not known: {names}.", names=names) if names else Message("")


def _spread(rows: Sequence[dict[str, Any]], series: Sequence[str]) -> None:
    """Points of several methods with one risk, which would hide each other, get places a little above each other."""
    top = max((row["risk"] for row in rows), default=1.0)
    methods: dict[float, list[str]] = {}
    for row in rows:
        there = methods.setdefault(round(row["risk"], 6), [])
        if row["method"] not in there:
            there.append(row["method"])
    for row in rows:
        there = sorted(methods[round(row["risk"], 6)], key=series.index)
        # around the true risk, in the order of the legend
        row["place"] = row["risk"] + 0.4 * APART * top * (there.index(row["method"]) - (len(there) - 1) / 2)


def _utility_axis(weighing: Weighing, *, wide: bool) -> Axis:
    """What a release is good for: shares in percent, and logarithmic where values are far apart."""
    main = weighing.main
    share = weighing.shares or "relative" in main["unit"]
    title = f"{main['name']} ({main['unit']}{', logarithmic' if wide else ''})"
    return Axis("utility", title, scale="log" if wide else "linear", format="~%" if share else "~g")


def _ends_first(spots: Sequence[Spot], series: Sequence[str]) -> list[Spot]:
    """The ends of every line, and then what lies between them."""
    ends = [end for name in series for end in _ends([spot for spot in spots if spot[0]["method"] == name])]
    return [*ends, *(spot for spot in spots if not any(spot is end for end in ends))]


def _label(rows: Sequence[dict[str, Any]], series: Sequence[str], *, wide: bool) -> None:
    """Labels above or below their points where they cover nothing, ends of lines first.

    Releases on one point share one. Places are those of the drawing, nearly: letters are not measured here.
    """
    spots = _spots(rows)
    at = _positions([row for row, _ in spots], wide=wide)
    points = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in at]
    taken: list[Box] = []
    for row, text in _ends_first(spots, series):
        mine = next(i for i, (other, _) in enumerate(spots) if other is row)
        free = _free_place(at[mine], text, [*taken, *points[:mine], *points[mine + 1 :]])
        if free is not None:
            where, box = free
            taken.append(box)
            row[where] = text


def _spots(rows: Sequence[dict[str, Any]]) -> list[Spot]:
    """A row for each point, without a label yet, and what its label says."""
    places: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        row["label"] = row["label_below"] = ""
        places.setdefault((row["method"], row["utility"], row["place"]), []).append(row)
    return [(same[-1], ", ".join(row["setting"] for row in same)) for same in places.values()]


def _free_place(point: tuple[float, float], text: str, others: Sequence[Box]) -> tuple[str, Box] | None:
    """Above or below a point, where a label covers nothing; None where there is no room."""
    x, y = point
    for where, middle in (("label", y - LABEL_UP), ("label_below", y + LABEL_DOWN)):
        box = (x + LABEL_RIGHT, middle - LETTER, x + LABEL_RIGHT + LETTER * len(text), middle + LETTER)
        if not any(_touch(box, other) for other in others):
            return where, box
    return None


def _positions(rows: Sequence[dict[str, Any]], *, wide: bool) -> list[tuple[float, float]]:
    """Where points are in the drawing, in pixels from the upper left; axes begin at 0 unless one is logarithmic."""
    across, up = [row["utility"] for row in rows], [row["place"] for row in rows]
    low, high = (log(min(across)), log(max(across))) if wide else (min(0.0, *across, 0.0), max(0.0, *across, 0.0))
    top = max([*up, 0.0]) or 1.0
    edge = LOG_PADDING if wide else 0
    width = (LINES_WIDTH - 2 * edge) / ((high - low) or 1.0)
    xs = [edge + width * ((log(value) if wide else value) - low) for value in across]
    return [(x, LINES_HEIGHT * (1 - y / top)) for x, y in zip(xs, up, strict=True)]


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _ends(spots: Sequence[Spot]) -> Sequence[Spot]:
    return spots if len(spots) < 3 else (spots[0], spots[-1])


def _series(cell: Cell) -> str:
    """The line that a cell is on: the method, and parameters other than the one that the line runs along."""
    others = [f"{k}={_listed(v)}" for k, v in cell.parameters.items() if k not in ("l", "r", "k", "alpha")]
    return " ".join([cell.method, *others, *(["(exact quasi-identifiers)"] if cell.exact else [])])


def _short(cell: Cell) -> str:
    return ", ".join(f"{key}={_listed(value)}" for key, value in cell.parameters.items() if key in ("k", "alpha"))


def _listed(value: Any) -> Any:
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else value
