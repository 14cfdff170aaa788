"""The chart of a comparison on the page: what a release costs across, how sure an attacker can be upward.

A line for each method, a point for each setting, each a link; "your release" is a ring of its own. Settings that could
not be attacked, or of which nothing is shown, stand in a band above the others that says so: they are never drawn at a
risk that nobody computed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from pellucid.app.web.charts import line, text, ticks_to
from pellucid.speaking import say

WIDTH, HEIGHT = 860, 430
LEFT, RIGHT, BOTTOM, TOP = 64, 24, 52, 24
BAND = 34  # height of the band of what is not known
POINT = 5.5
APART = 7.0  # points of one risk are drawn so far from each other
PATHS = (  # one for each method, so that no colour is needed to tell them apart
    "M-5,0A5,5,0,1,0,5,0A5,5,0,1,0,-5,0Z",
    "M-4.5,-4.5H4.5V4.5H-4.5Z",
    "M0,-6L5.5,4.5H-5.5Z",
    "M0,-6.5L6.5,0L0,6.5L-6.5,0Z",
    "M-6,-2H-2V-6H2V-2H6V2H2V6H-2V2H-6Z",
    "M0,6L5.5,-4.5H-5.5Z",
    "M6,0L-4.5,5.5V-5.5Z",
    "M-6,0L4.5,5.5V-5.5Z",
)


YOURS = "your release"
RING = 11  # its radius
LETTER = 7.5  # the width of one in a label
BESIDE = ((8, -7, "start"), (-8, -7, "end"), (8, 15, "start"), (-8, 15, "end"))  # where the label of a point may be
AROUND = ((15, 4, "start"), (-15, 4, "end"), (15, -10, "start"), (-15, -10, "end"), (15, 20, "start"), (-15, 20, "end"))
FARTHER = ((44, -26, "start"), (-44, -26, "end"), (44, 34, "start"), (-44, 34, "end"))  # with a line to the point
Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Label:
    """Where words stand, and what they cover."""

    x: float
    y: float
    anchor: str
    width: float

    @property
    def box(self) -> Box:
        """What they cover."""
        left = self.x if self.anchor == "start" else self.x - self.width
        return left, self.y - 11, left + self.width, self.y + 2


@dataclass(frozen=True)
class Point:
    """A release in the chart; ``risk`` is None where it is not known, ``mark`` says what the figure is if not exact."""

    method: str
    label: str
    name: str
    cost: float
    risk: float | None
    link: str = ""
    mark: str = ""


def drawn(points: Sequence[Point], yours: Point | None, title: str, *, share: bool) -> str:
    """The chart as SVG; empty where there is nothing to draw."""
    everything = [*points, *([yours] if yours is not None else [])]
    if not everything:
        return ""
    open_ = any(point.risk is None for point in everything)
    frame = Frame.around(everything, band=open_)
    body = _axes(frame, title, share=share) + (_band() if open_ else "")
    methods = list(dict.fromkeys(point.method for point in points))
    places = _places(points, frame)
    taken = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in places]
    labels = [
        _label(place, f"{point.label}{point.mark}", BESIDE, taken) for point, place in zip(points, places, strict=True)
    ]
    for number, method in enumerate(methods):
        every = zip(points, places, labels, strict=True)
        body += _series([one for one in every if one[0].method == method], number % len(PATHS))
    if yours is not None:
        x, y = frame.x(yours.cost), frame.y(yours.risk)
        body += f'<circle class="yours" cx="{x:.1f}" cy="{y:.1f}" r="{RING}"/>'
        where = _label((x, y), YOURS, (*AROUND, *FARTHER), taken)
        if abs(where.x - x) > RING + 4:
            across, down = where.x - x, where.y - 4 - y
            part = RING / math.hypot(across, down)
            body += line("axis", (x + part * across, y + part * down), (where.x, where.y - 4))
        body += text(where.x, where.y, YOURS, anchor=where.anchor, role="yours-label")
    told = (
        "Risk against utility: the settings of the table below, and your release" if yours else "Risk against utility"
    )
    return (
        f'<svg class="chart wide-chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{escape(told)}">'
        f"{body}</svg>"
    )


def legend(points: Sequence[Point]) -> list[dict[str, str]]:
    """The methods with their shapes, for a list beside the chart."""
    methods = list(dict.fromkeys(point.method for point in points))
    return [
        {
            "name": method,
            "sign": (
                '<svg class="sign" viewBox="-8 -8 16 16" aria-hidden="true">'
                f'<path class="series s{n % len(PATHS)}" d="{PATHS[n % len(PATHS)]}"/></svg>'
            ),
        }
        for n, method in enumerate(methods)
    ]


@dataclass(frozen=True)
class Frame:
    """Where figures are in the drawing."""

    low: float
    high: float
    top: float
    logarithmic: bool
    upper: float  # where the largest risk is drawn

    @classmethod
    def around(cls, points: Sequence[Point], *, band: bool) -> Frame:
        """A frame with room for these."""
        costs = [point.cost for point in points]
        risks = [point.risk for point in points if point.risk is not None]
        logarithmic = 0 < 20 * min(costs) < max(costs)
        low, high = (min(costs) / 1.2, max(costs) * 1.2) if logarithmic else (0.0, max(costs) or 1.0)
        steps = ticks_to(high, 5, whole=False)
        return cls(
            low,
            high if logarithmic else steps[-1],
            ticks_to(max(risks, default=1.0), 5, whole=False)[-1],
            logarithmic,
            TOP + (BAND + 8 if band else 0),
        )

    def x(self, cost: float) -> float:
        """Across."""
        if self.logarithmic:
            share = (math.log(cost) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        else:
            share = (cost - self.low) / ((self.high - self.low) or 1.0)
        return LEFT + (WIDTH - LEFT - RIGHT) * share

    def y(self, risk: float | None) -> float:
        """Upward; in the band where it is not known."""
        if risk is None:
            return TOP + BAND / 2
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - self.upper) * risk / self.top

    @property
    def across(self) -> list[float]:
        """Round figures along the lower edge."""
        if not self.logarithmic:
            return ticks_to(self.high, 5, whole=False)
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        every = [one * 10.0**power for power in powers for one in (1, 2, 5)]
        return [one for one in every if self.low <= one <= self.high]


def _axes(frame: Frame, title: str, *, share: bool) -> str:
    body = ""
    for tick in ticks_to(frame.top, 5, whole=False):
        y = frame.y(tick)
        body += line("grid" if tick else "axis", (LEFT, y), (WIDTH - RIGHT, y))
        body += text(LEFT - 8, y + 4, f"{100 * tick:g} %", anchor="end")
    for tick in frame.across:
        x = frame.x(tick)
        body += line("grid", (x, frame.upper), (x, HEIGHT - BOTTOM))
        body += text(x, HEIGHT - BOTTOM + 18, f"{100 * tick:g} %" if share else f"{tick:g}")
    body += text(
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, title + (", logarithmic" if frame.logarithmic else ""), role="title"
    )
    return body + text(16, (frame.upper + HEIGHT - BOTTOM) / 2, say("Risk"), role="title", turned=90)


def _band() -> str:
    box = f'<rect class="band" x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{BAND}"/>'
    return box + text(LEFT + 8, TOP + BAND / 2 + 4, "risk not known", anchor="start", role="faint")


def _places(points: Sequence[Point], frame: Frame) -> list[tuple[float, float]]:
    """Where points are drawn; those on top of each other are moved a little apart, upward and downward in turn."""
    taken: list[tuple[float, float]] = []
    for point in points:
        x, y = frame.x(point.cost), frame.y(point.risk)
        for step in (0.0, *(sign * APART * n for n in range(1, len(points) + 1) for sign in (-1, 1))):
            if all(math.hypot(x - a, y + step - b) >= APART for a, b in taken):
                y += step
                break
        taken.append((x, y))
    return taken


def _label(
    place: tuple[float, float], said: str, offers: Sequence[tuple[float, float, str]], taken: list[Box]
) -> Label:
    """Beside a point where nothing else is, if there is such a place; what it covers is taken from then on."""
    found = [Label(place[0] + dx, place[1] + dy, anchor, LETTER * len(said)) for dx, dy, anchor in offers]
    inside = [
        one for one in found if one.box[0] >= LEFT and one.box[2] <= WIDTH and 0 <= one.box[1] < HEIGHT - BOTTOM - 12
    ] or found
    chosen = next((one for one in inside if not any(_overlap(one.box, other) for other in taken)), inside[0])
    taken.append(chosen.box)
    return chosen


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _series(points: Sequence[tuple[Point, tuple[float, float], Label]], number: int) -> str:
    known = [place for point, place, _ in points if point.risk is not None]
    body = ""
    if len(known) > 1:
        body += f'<polyline class="line s{number}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in known)}"/>'
    for point, (x, y), label in points:
        hollow = " hollow" if point.risk is None or point.mark else ""
        sign = f'<path class="series s{number}{hollow}" d="{PATHS[number]}" transform="translate({x:.1f},{y:.1f})"/>'
        words = text(label.x, label.y, f"{point.label}{point.mark}", anchor=label.anchor, role="small")
        left, top = min(x - 9, label.box[0]), min(y - 9, label.box[1])  # all can be clicked, also between the two
        wide, high = max(x + 9, label.box[2]) - left, max(y + 9, label.box[3]) - top
        hit = f'<rect class="hit" x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{high:.1f}"/>'
        name = escape(point.name, quote=True)
        link = f'<a href="{escape(point.link, quote=True)}" aria-label="{name}"><title>{name}</title>'
        body += f"{link}{hit}{sign}{words}</a>"
    return body
