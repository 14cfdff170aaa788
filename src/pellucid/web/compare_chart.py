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
from itertools import pairwise

from pellucid.web.charts import line, text, ticks_to

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
UNKNOWN = "risk not known"
RING = 11  # its radius
LETTER = 7.5  # the width of one in a label
BESIDE = (8, 13, 19)  # how far from its point a label may be
AROUND = (15, 22, 32, 46, 64, 90)  # the same of the ring; from the third on with a line to it
COVERED, MISREAD, CROSSED, FARTHER = 10.0, 5.0, 1.0, 0.6  # how bad a place is: something is covered by the words or by
# the line to them, another point is nearer, a line of a method is crossed, and for each step away
Place = tuple[float, float]
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
        left = self.x - self.width * {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor]
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
    body = _axes(frame, title, share=share)
    if open_:
        body += f'<rect class="band" x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{BAND}"/>'
        where = _unknown_label()  # above the band: inside of it a point may be anywhere
        body += text(where.x, where.y, UNKNOWN, anchor=where.anchor, role="faint")
    methods = list(dict.fromkeys(point.method for point in points))
    places = _places(points, frame)
    room = Room.around(points, places, band=open_)
    if yours is not None:
        x, y = frame.x(yours.cost), frame.y(yours.risk)
        room.taken.append((x - RING, y - RING, x + RING, y + RING))
    labels = [room.label(place, f"{point.label}{point.mark}") for point, place in zip(points, places, strict=True)]
    body += "".join(_line(way, methods.index(method)) for method, way in room.ways.items())
    for number, method in enumerate(methods):
        every = zip(points, places, labels, strict=True)
        body += _series([one for one in every if one[0].method == method], number % len(PATHS))
    if yours is not None:
        body += _yours((x, y), room)
    told = (
        "Risk against utility: the settings of the table below, and your release" if yours else "Risk against utility"
    )
    return (
        f'<svg class="chart wide-chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{escape(told)}">'
        f"{body}</svg>"
    )


def _yours(place: Place, room: Room) -> str:
    """The ring with its label, and a line between them where they are apart."""
    x, y = place
    where = room.label(place, YOURS, AROUND)
    body = f'<circle class="yours" cx="{x:.1f}" cy="{y:.1f}" r="{RING}"/>'
    end = _nearest(place, where.box)
    away = math.dist(place, end)
    if away > AROUND[1]:
        part = RING / away
        body += line("axis", (x + part * (end[0] - x), y + part * (end[1] - y)), end)
    return body + text(where.x, where.y, YOURS, anchor=where.anchor, role="yours-label")


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
    return body + text(16, (frame.upper + HEIGHT - BOTTOM) / 2, "Risk", role="title", turned=90)


def _unknown_label() -> Label:
    return Label(LEFT, TOP - 6, "start", LETTER * len(UNKNOWN))


def _places(points: Sequence[Point], frame: Frame) -> list[Place]:
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


@dataclass(frozen=True)
class Room:
    """What is drawn already, so that words are put where they cover nothing and nothing covers them."""

    points: Sequence[Place]
    taken: list[Box]  # by points, words, and the ring
    ways: dict[str, list[Place]]  # the lines, by method

    @classmethod
    def around(cls, points: Sequence[Point], places: Sequence[Place], *, band: bool) -> Room:
        """The room that points at these places leave."""
        ways: dict[str, list[Place]] = {}
        for point, place in zip(points, places, strict=True):
            if point.risk is not None:
                ways.setdefault(point.method, []).append(place)
        taken = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in places]
        return cls(places, [*taken, *([_unknown_label().box] if band else [])], ways)

    def label(self, place: Place, said: str, distances: Sequence[int] = BESIDE) -> Label:
        """The best place for words beside a point, near and free if there is one; it is taken from then on."""
        width = LETTER * len(said)
        offers = [
            (step, Label(place[0] + dx, place[1] + dy, anchor, width))
            for step, distance in enumerate(distances)
            for dx, dy, anchor in _sides(distance)
        ]
        inside = [
            (step, one)
            for step, one in offers
            if one.box[0] >= LEFT and one.box[2] <= WIDTH and 0 <= one.box[1] < HEIGHT - BOTTOM - 12
        ] or offers
        _, chosen = min(inside, key=lambda offer: FARTHER * offer[0] + self._trouble(place, offer[1].box))
        self.taken.append(chosen.box)
        return chosen

    def _trouble(self, place: Place, box: Box) -> float:
        covered = sum(_overlap(box, other) for other in self.taken)
        pieces = (piece for way in self.ways.values() for piece in pairwise(way))
        return (
            COVERED * covered
            + CROSSED * sum(_crosses(piece, box) for piece in pieces)
            + (self._misread(place, box) if covered == 0 else 0.0)
        )

    def _misread(self, place: Place, box: Box) -> float:
        """How many points are nearer to the words than their own; of words with a line to it, what that covers."""
        end = _nearest(place, box)
        away = math.dist(place, end)
        if away <= AROUND[1]:
            return MISREAD * sum(math.dist(one, _nearest(one, box)) < away - 1 for one in self.points)
        own = (place[0] - RING, place[1] - RING, place[0] + RING, place[1] + RING)
        return COVERED * sum(_crosses((place, end), other) for other in self.taken if not _overlap(other, own))


def _nearest(place: Place, box: Box) -> Place:
    """The place in a box that is nearest to another place."""
    return min(max(place[0], box[0]), box[2]), min(max(place[1], box[1]), box[3])


def _sides(distance: float) -> tuple[tuple[float, float, str], ...]:
    """Where words may be at a distance from a point: at its corners first."""
    above, below = 1 - distance, distance + 7
    corners = ((distance, above, "start"), (-distance, above, "end"), (distance, below, "start"))
    beside = ((distance, 4, "start"), (-distance, 4, "end"), (0, above - 2, "middle"), (0, below + 3, "middle"))
    return (*corners, (-distance, below, "end"), *beside)


def _crosses(piece: tuple[Place, Place], box: Box) -> bool:
    """Whether a piece of a line goes through a box.

    >>> _crosses(((0, 0), (10, 10)), (4, 4, 6, 6)), _crosses(((0, 0), (10, 10)), (6, 0, 9, 3))
    (True, False)
    """
    (x, y), (to_x, to_y) = piece
    first, last = 0.0, 1.0  # the shares of the way between which it is inside
    for start, move, low, high in ((x, to_x - x, box[0], box[2]), (y, to_y - y, box[1], box[3])):
        if move == 0:
            if not low < start < high:
                return False
            continue
        enter, leave = sorted(((low - start) / move, (high - start) / move))
        first, last = max(first, enter), min(last, leave)
    return first < last


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _line(way: Sequence[Place], number: int) -> str:
    """The line of a method; all lines are drawn before any point or word, so that none is covered by one."""
    if len(way) < 2:
        return ""
    return f'<polyline class="line s{number % len(PATHS)}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in way)}"/>'


def _series(points: Sequence[tuple[Point, Place, Label]], number: int) -> str:
    body = ""
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
