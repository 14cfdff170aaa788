"""Charts as SVG inside the page: lines, bars and text, without scripts and without styles of their own.

Every colour and every letter is the style sheet's (class names), so that a chart follows light and dark, has the page's
font, and prints. What a chart shows is said in words too: in its label, or in the table beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.messages.speaker import people
from pellucid.risk.report.attack_report import Attempt
from pellucid.risk.report.chart import histogram
from pellucid.risk.report.undecided import unknown_people

WIDTH, HEIGHT = 560, 210  # of a chart, in its own units: a letter is about 7 of them wide
TOP, BOTTOM, RIGHT = 24, 44, 24  # around the bars
LETTER = 8.0  # more than any page needs for a digit
STRIP = (220, 40)  # of the small one in an attacker's tile
NO_ROOM, EDGE = 0.18, 0.06  # of its width: nearer to each other labels have no room; nearer to the edge one is cut off
SEEN = 2.0  # how high a bar is at least: a few people among many must not vanish
MANY_SIZES = 12
SLANTED = 40  # degrees of labels that have no room side by side
SLOPE = 0.6  # of their length that they need downward


def belief_histogram(attempt: Attempt, limit: Fraction | None, *, vain: bool = False) -> str:
    """How much is believed of how many people, against what is promised; without those of whom it is not known."""
    rows = histogram(attempt, limit=limit, without=unknown_people(attempt))
    most = max((row["people"] for row in rows), default=0)
    ticks = ticks_to(most)
    left = _left(ticks[-1])
    across = WIDTH - left - RIGHT
    bars = [
        _bar(left + across * row["from"], left + across * row["to"], n / (ticks[-1] or 1), kind)
        for row in rows
        for n, kind in _parts(row, vain=vain)
    ]
    places = [(left + across * n / 10, f"{10 * n} %") for n in range(0, 11, 2)]
    limited = _limit_line(left + across * float(limit), str(limit)) if limit is not None else ""
    body = (
        _grid(left, ticks, people("people"))
        + "".join(bars)
        + _below(left, places, "how sure the attacker is of a person")
        + limited
    )
    return _svg(f"How much somebody who {attempt.name} believes of how many {people('people')}", body)


def belief_strip(attempt: Attempt, limit: Fraction | None, *, vain: bool = False) -> str:
    """The same as bars without words, for a tile that says the figures beside it."""
    rows = histogram(attempt, limit=limit, without=unknown_people(attempt))
    most = max((row["people"] for row in rows), default=0) or 1
    wide, high = STRIP
    body = line("axis", (0, high), (wide, high))
    for row in rows:
        x, width = wide * row["from"], wide * (row["to"] - row["from"])
        for n, kind in _parts(row, vain=vain):
            height = max(SEEN, (high - 2) * n / most)
            body += _rect(x + 0.5, high - height, width - 1, height, kind)
    if limit is not None:
        x = wide * float(limit)
        body += line("limit", (x, 0), (x, high))
    told = f"Bars: {people('people')}"
    if limit:
        told += f" by how sure this attacker is, from 0 % to 100 %; the line is {limit}"
    size = f'viewBox="0 0 {wide} {high}" preserveAspectRatio="none"'
    return f'<svg class="strip" {size} role="img" aria-label="{told}">{body}</svg>{_scale_of(limit)}'


def _scale_of(limit: Fraction | None) -> str:
    """What stands below the bars of a tile: where they begin and end, and the limit; not stretched with them."""
    places = [("0", "start", "0 %"), ("100%", "end", "100 %")]
    if limit is not None and limit < 1:
        places = [place for place in places if abs(float(place[2] == "100 %") - limit) > NO_ROOM]
        places.append((f"{100 * float(limit):.1f}%", "start" if limit < EDGE else "middle", str(limit)))
    said = "".join(f'<text x="{x}" y="10" text-anchor="{anchor}">{text}</text>' for x, anchor, text in places)
    return f'<svg class="scale" width="100%" height="12" aria-hidden="true">{said}</svg>'


def group_sizes(sizes: NDArray[np.int64]) -> dict[str, Any]:
    """How many groups have how many rows: a chart and the same as numbers."""
    rows = _sizes(sizes)
    most = max((row["groups"] for row in rows), default=0)
    ticks = ticks_to(most)
    left = _left(ticks[-1])
    step = (WIDTH - left - RIGHT) / max(len(rows), 1)
    wide = min(40.0, 0.7 * step)
    middles = [left + step * (n + 0.5) for n in range(len(rows))]
    bars = [
        _bar(x - wide / 2, x + wide / 2, row["groups"] / (ticks[-1] or 1), "inside")
        for x, row in zip(middles, rows, strict=True)
    ]
    longest = max((len(row["size"]) for row in rows), default=1) * LETTER
    more = SLOPE * longest if longest + 6 > step else 0.0  # where labels have no room side by side they are slanted
    places = [(x, row["size"]) for x, row in zip(middles, rows, strict=True)]
    body = _grid(left, ticks, "groups") + "".join(bars) + _below(left, places, "rows in a group", more)
    return {"chart": _svg("How many groups have how many rows", body, HEIGHT + round(more)), "rows": rows}


def _sizes(sizes: NDArray[np.int64]) -> list[dict[str, Any]]:
    """One line for each size, or for each range of sizes where there are many."""
    values, counts = np.unique(sizes, return_counts=True)
    if len(values) <= MANY_SIZES:
        return [{"size": f"{v:,}", "groups": int(n)} for v, n in zip(values.tolist(), counts, strict=True)]
    edges = np.unique(np.round(np.geomspace(values[0], values[-1] + 1, MANY_SIZES + 1)).astype(np.int64))
    return [
        {
            "size": f"{low:,}" if high == low + 1 else f"{low:,}–{high - 1:,}",
            "groups": int(counts[(values >= low) & (values < high)].sum()),
        }
        for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]


def ticks_to(most: float, about: int = 4, *, whole: bool = True) -> list[float]:
    """Round numbers from 0 to at least ``most``.

    >>> ticks_to(48_838), ticks_to(3), ticks_to(0), ticks_to(0.37, whole=False)
    ([0, 20000, 40000, 60000], [0, 1, 2, 3], [0, 1], [0.0, 0.1, 0.2, 0.3, 0.4])
    """
    if most <= 0:
        return [0, 1]
    rough = most / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * one for one in (1, 2, 2.5, 5, 10) if power * one >= rough * (1 - 1e-9))
    if whole:
        step = max(1, math.ceil(step))
    count = math.ceil(most / step - 1e-9)
    return [round(step * n, 12) for n in range(count + 1)]


def text(x: float, y: float, said: str, *, anchor: str = "middle", role: str = "", turned: float = 0) -> str:
    """Words in a chart, turned by some degrees."""
    turn = f' transform="rotate({-turned} {x:.1f} {y:.1f})"' if turned else ""
    kind = f' class="{role}"' if role else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turn}>{escape(said)}</text>'


def line(kind: str, start: tuple[float, float], end: tuple[float, float]) -> str:
    """A straight line."""
    (x1, y1), (x2, y2) = start, end
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _left(most: float) -> float:
    """Room on the left for the numbers of an axis and its title."""
    return 32 + LETTER * len(f"{most:,}")


def _grid(left: float, ticks: Sequence[float], title: str) -> str:
    body = text(12, (TOP + HEIGHT - BOTTOM) / 2, title, role="title", turned=90)
    for tick in ticks:
        y = _up(tick / ticks[-1])
        body += line("grid" if tick else "axis", (left, y), (WIDTH - RIGHT, y))
        body += text(left - 6, y + 4, f"{tick:,}", anchor="end")
    return body


def _below(left: float, places: Sequence[tuple[float, str]], title: str, more: float = 0.0) -> str:
    """What stands below the bars; slanted where it has ``more`` room downward."""
    y = HEIGHT - BOTTOM + 17
    if more:
        body = "".join(text(x + 5, y - 3, said, anchor="end", turned=SLANTED) for x, said in places)
    else:
        body = "".join(text(x, y, said) for x, said in places)
    return body + text((left + WIDTH - RIGHT) / 2, HEIGHT - 8 + more, title, role="title")


def _bar(x: float, to: float, share: float, kind: str) -> str:
    height = max(SEEN, (HEIGHT - TOP - BOTTOM) * share) if share > 0 else 0
    return _rect(x + 0.5, HEIGHT - BOTTOM - height, to - x - 1, height, kind)


def _rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:.2f}" y="{y:.2f}" width="{max(width, 0.5):.2f}" height="{height:.2f}"/>'


def _parts(row: dict[str, Any], *, vain: bool) -> list[tuple[int, str]]:
    """What is drawn over each other: everybody, and those who are within what is allowed of them."""
    over = [(row["people"], "vain" if vain else "over")] if row["above"] else []
    return over + [(n, "inside") for n in [row["people"] - row["above"]] if n]


def _limit_line(x: float, label: str) -> str:
    drawn = line("limit", (x, TOP - 4), (x, HEIGHT - BOTTOM))
    near = x > WIDTH - 60
    return drawn + text(x - 5 if near else x + 5, TOP - 8, label, anchor="end" if near else "start", role="limit-label")


def _up(share: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def _svg(label: str, body: str, height: int = HEIGHT) -> str:
    told = escape(label, quote=True)
    return f'<svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{told}">{body}</svg>'
