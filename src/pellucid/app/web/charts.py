"""Charts as SVG inside the page: drawn here, without scripts and without styles of their own.

Colours are taken over by the page's style sheet (class names), so that a chart follows light and dark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.telling.chart import histogram
from pellucid.attacking.telling.report import Attempt
from pellucid.attacking.telling.undetermined import unknown_people
from pellucid.charting import FAINT, INK, PALETTE, Chart, altair

WIDTH, HEIGHT = 520, 150
MANY_SIZES = 12
DIGIT = 10  # pixels: more than any page needs for a digit of this size
BOUND = "#C00000"
HERE = "http://here.invalid"  # the drawing program puts a site of its own before addresses that name none


def inline(chart: Chart, *, label: str, links: Mapping[str, str] | None = None) -> str:
    """The SVG of a chart, ready to stand in a page: it scales with the page, and says what it is.

    ``links`` has the addresses that its points lead to (each after ``HERE``) and what each is called.
    """
    svg = chart.svg()
    match = re.match(r"<svg[^>]*viewBox=\"([^\"]*)\"[^>]*>", svg)
    assert match is not None
    text = escape(label, quote=True)
    opening = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" class="chart" '
        f'viewBox="{match[1]}" role="img" aria-label="{text}">'
    )
    if links:  # with links inside it is no image but a group of links
        opening = opening.replace('role="img"', 'role="group"')
    body = svg[match.end() :]
    # What an image consists of is no business of a screen reader; a page says it in words beside it.
    body = re.sub(r' (?:role|aria-roledescription|aria-label|aria-hidden)="[^"]*"', "", body)
    for address, name in (links or {}).items():
        old = f'<a xlink:href="{escape(HERE + address, quote=True)}"'
        body = body.replace(old, f'<a href="{escape(address, quote=True)}" aria-label="{escape(name, quote=True)}"')
    return opening + body


def belief_histogram(attempt: Attempt, limit: Fraction | None) -> str:
    """How much is believed of how many people, against what is promised; without those of whom it is not known."""
    alt = altair()
    rows = histogram(attempt, without=unknown_people(attempt))
    bars = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(color=PALETTE[0], binSpacing=1)
        .encode(
            x=alt.X("from:Q", bin="binned", title="largest belief about a person", scale=alt.Scale(domain=[0, 1])),
            x2="to:Q",
            y=alt.Y("people:Q", title="people", axis=_counts(alt, max((row["people"] for row in rows), default=0))),
        )
    )
    layers = [bars]
    if limit is not None:
        once = alt.Data(values=[{"x": float(limit), "label": str(limit)}])
        rule = alt.Chart(once).mark_rule(color=BOUND, strokeDash=[5, 3], strokeWidth=2).encode(x="x:Q")
        text = alt.Chart(once).mark_text(
            color=BOUND, align="left", dx=5, baseline="bottom", dy=-3, fontWeight="bold", fontSize=13
        )
        layers += [rule, text.encode(x="x:Q", y=alt.value(0), text="label:N")]
    drawn = _plain(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT))
    told = f"How much somebody who {attempt.name} believes of how many people"
    return inline(Chart(drawn), label=told)


def group_sizes(sizes: NDArray[np.int64]) -> dict[str, Any]:
    """How many groups have how many rows: a chart and the same as numbers."""
    alt = altair()
    values, counts = np.unique(sizes, return_counts=True)
    if len(values) <= MANY_SIZES:
        rows = [{"size": str(v), "groups": int(n)} for v, n in zip(values, counts, strict=True)]
    else:
        edges = np.unique(np.round(np.geomspace(values[0], values[-1] + 1, MANY_SIZES + 1)).astype(np.int64))
        rows = []
        for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            inside = int(counts[(values >= low) & (values < high)].sum())
            rows.append({"size": f"{low:,}" if high == low + 1 else f"{low:,}–{high - 1:,}", "groups": inside})
    order = [row["size"] for row in rows]
    bars = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar(color=PALETTE[0], size=min(40, round(0.7 * WIDTH / len(rows))))
        .encode(
            x=alt.X("size:N", sort=order, title="rows in a group", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("groups:Q", title="groups", axis=_counts(alt, len(sizes))),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    return {"chart": inline(Chart(_plain(bars)), label="How many groups have how many rows"), "rows": rows}


def _counts(alt: Any, most: int) -> Any:
    """An axis of counts with room for its numbers: the page's letters are wider than those that are measured here."""
    room = DIGIT * (len(f"{most:,}") + 1)
    return alt.Axis(tickCount=4, tickMinStep=1, format=",d", minExtent=room, titlePadding=10)


def _plain(picture: Any) -> Any:
    return (
        picture.properties(background="transparent", padding=6)
        .configure(font="system-ui, sans-serif")
        .configure_axis(
            labelFontSize=13,
            titleFontSize=13,
            gridColor=FAINT,
            labelColor=INK,
            titleColor=INK,
            titleFontWeight="normal",
        )
        .configure_view(stroke=None)
    )
