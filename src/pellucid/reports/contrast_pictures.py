"""Pictures of what becomes of differences between people: contrasts as lines, shares by class as paired bars.

Both tell what :class:`~pellucid.metrics.contrasts.Contrasts` measured. For the publisher's eyes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pellucid.charts.vega_lite import layered, mark, nominal, quantitative, rows
from pellucid.messages.speaker import told
from pellucid.metrics import Score
from pellucid.metrics.contrasts import ESTIMATE
from pellucid.reports.charts import BLUE, GREY, ORANGE, beside, dashed_line, named
from pellucid.reports.pictures import INK, Picture, picture
from pellucid.risk.report.results import AttackResult
from pellucid.risk.report.rightly import Rightly
from pellucid.risk.report.statistics_words import limit_of, right_lines

STRONGEST = 8  # contrasts that are drawn
PAIRS = 3  # of columns whose shares are drawn
MOST_CLASSES = 12
APART = 0.055  # of the height: so far are labels from each other
ACROSS, HIGH = 250, 300  # pixels between original and release, and of the height
BELIEVED = 320  # pixels of the bars of beliefs
LEFT = "original"
RIGHT = "release"


def contrast_pictures(score: Score) -> list[Picture]:
    """The strongest contrasts as lines, and the shares that the strongest are made of as paired bars."""
    strongest = [upright(one) for one in score.details["contrasts"] if one["true"]][:STRONGEST]
    drawn = list(dict.fromkeys((one["quasi"], one["sensitive"], one["value"]) for one in strongest))[:PAIRS]
    pairs = {(pair["quasi"], pair["sensitive"]): pair for pair in score.details["pairs"]}
    bars = [
        paired_bars(pairs[quasi, sensitive], value, name=f"shares{n}")
        for n, (quasi, sensitive, value) in enumerate(drawn)
    ]
    return [contrast_lines(strongest), *bars]


def upright(one: Mapping[str, Any]) -> dict[str, Any]:
    """A contrast the way round that the original has it above zero.

    >>> upright({"high": "5", "low": "1", "true": -0.25, "published": 0.125})
    {'high': '1', 'low': '5', 'true': 0.25, 'published': -0.125}
    """
    if one["true"] >= 0:
        return dict(one)
    return {**one, "high": one["low"], "low": one["high"], "true": -one["true"], "published": -one["published"]}


def contrast_lines(strongest: Sequence[Mapping[str, Any]], *, name: str = "contrasts") -> Picture:
    """A line for each contrast, from what it is in the original to what it is in the release."""
    ends = [one[key] for one in strongest for key in ("true", "published")]
    top, bottom = max(ends), min(0.0, *ends)
    gap = APART * (top - bottom)
    lines = []
    for n, one in enumerate(strongest):
        lost = one["published"] < one["true"] / 2
        for side, key in ((LEFT, "true"), (RIGHT, "published")):
            lines.append({"n": n, "side": side, "share": one[key], "colour": ORANGE if lost else BLUE, "lost": lost})
    labels = []
    for side, key in ((LEFT, "true"), (RIGHT, "published")):
        places = spaced([one[key] for one in strongest], gap)
        for one, place in zip(strongest, places, strict=True):
            points = f"{100 * one[key]:+.1f}"
            text = f"{one['sensitive']} {one['value']}, {one['quasi']} {one['high']} less {one['low']}  {points}"
            labels.append({"side": side, "share": place, "text": text if side == LEFT else points})
    low = min([bottom, *(label["share"] for label in labels)])
    high = max([top, *(label["share"] for label in labels)])
    across = nominal(
        "side",
        sort=[LEFT, RIGHT],
        title=None,
        axis={"labelAngle": 0, "orient": "top", "domain": False, "ticks": False},
        scale={"padding": 0},
    )
    up = quantitative("share", title=None, axis=None, scale={"domain": [low, high], "zero": False, "nice": False})
    parts = [
        mark("rule", {"color": INK, "opacity": 0.4}, y=up, x={"value": 0}, x2={"value": ACROSS}) | rows([{"share": 0}]),
        mark("line", {"strokeWidth": 2}, x=across, y=up, color=nominal("colour", scale=None), detail=nominal("n"))
        | rows(lines),
        mark("point", {"filled": True, "size": 45, "opacity": 1}, x=across, y=up, color=nominal("colour", scale=None))
        | rows(lines),
    ]
    for side, align, dx in ((LEFT, "right", -8), (RIGHT, "left", 8)):
        looks = {"align": align, "dx": dx, "fontSize": 11, "color": INK, "baseline": "middle"}
        mine = rows([label for label in labels if label["side"] == side])
        parts.append(mark("text", looks, x=across, y=up, text=nominal("text")) | mine)
    return picture(
        layered(*parts, width=ACROSS, height=HIGH),
        title="What becomes of the strongest differences between people, in points",
        caption=(
            "Each line is the share of a value in one class less that in another. A level line came out as it is, a "
            "line that falls to zero is lost. Orange: less than half is left, or the sign is wrong. " + ESTIMATE
        ),
        name=name,
    )


def spaced(values: Sequence[float], gap: float) -> list[float]:
    """Places for labels as near to their values as they can stand with so much between them, in the same order.

    >>> spaced([0.5, 0.5, 0.0], 0.25), spaced([3.0, 1.0], 0.5)
    ([0.625, 0.375, 0.0], [3.0, 1.0])
    """
    order = sorted(range(len(values)), key=lambda i: (values[i], -i))
    blocks: list[tuple[float, list[int]]] = []  # the middle of some labels, and which
    for i in order:
        middle, members = values[i], [i]
        while blocks and blocks[-1][0] + gap * len(blocks[-1][1]) / 2 > middle - gap * len(members) / 2:
            below, others = blocks.pop()
            members = others + members
            middle = (below * len(others) + middle * (len(members) - len(others))) / len(members)
        blocks.append((middle, members))
    places = [0.0] * len(values)
    for middle, members in blocks:
        for n, i in enumerate(members):
            places[i] = middle + gap * (n - (len(members) - 1) / 2)
    return places


def paired_bars(pair: Mapping[str, Any], value: str, *, name: str) -> Picture:
    """The share of one value in each class: in the original, and below it by the release."""
    at = pair["values"].index(value)
    classes = sorted(pair["classes"], key=lambda one: -one["people"])[:MOST_CLASSES]
    classes = [one for one in pair["classes"] if one in classes]
    more = len(pair["classes"]) - len(classes)
    left = f" The {more} smaller classes are not drawn." if more else ""
    return two_bars_each(
        {one["name"]: (one["true"][at], one["published"][at]) for one in classes},
        (LEFT, RIGHT),
        title=f"How many have {value} of {pair['sensitive']}, by {pair['quasi']}",
        caption=f"Upper bars: the original. Lower bars: the release. {ESTIMATE}{left}",
        name=name,
    )


def two_bars_each(
    shares: Mapping[str, tuple[float, float]],
    ends: tuple[str, str],
    *,
    title: str,
    caption: str,
    name: str,
    whole: bool = False,
) -> Picture:
    """Two bars for each name, one below the other: what they are shares of, ``ends`` say.

    ``whole``: the axis ends at 100 %, so that pictures of two releases can be laid side by side.
    """
    bars: list[dict[str, Any]] = [
        {"class": one, "of": of, "share": share, "text": f"{100 * share:.1f} %"}
        for one, both in shares.items()
        for of, share in zip(ends, both, strict=True)
    ]
    longest = 1 if whole else 1.15 * max(bar["share"] for bar in bars) or 1
    across = quantitative("share", title=None, axis={"format": ".0%", "tickCount": 5}, scale={"domain": [0, longest]})
    up = named("class", list(shares))
    offset = {"field": "of", "type": "nominal", "sort": list(ends)}
    legend = {"title": None, "orient": "top", "labelColor": INK}
    colour = nominal("of", scale={"domain": list(ends), "range": [BLUE, ORANGE]}, legend=legend)
    chart = layered(
        mark("bar", {}, x=across, y=up, yOffset=offset, color=colour),
        mark("text", {**beside(5), "baseline": "middle"}, x=across, y=up, yOffset=offset, text=nominal("text")),
        width=ACROSS + 170,
        height=max(60, 36 * len(shares)),
        **rows(bars),
    )
    return picture(chart, title=title, caption=caption, name=name)


def right_picture(result: AttackResult, *, name: str = "right") -> Picture | None:
    """What attackers with statistics get right; None where that is not known.

    Best guesses. Where the promise is about some values, which may be rare, the people believed to have one, for who
    always guesses the frequent value is right of nearly everybody, with the release and without.
    """
    known = {told(line.name): line.right for line in right_lines(result) if line.right is not None}
    known = {who: right for who, right in known.items() if right.right_alone is not None}
    if not known:
        return None
    if result.counting and result.limit is not None:
        return believed_picture(result, known, name=name)
    return two_bars_each(
        {who: (right.right_alone or 0.0, right.right) for who, right in known.items()},
        ("without the release", "with the release"),
        title=f"How often attackers with statistics guess {result.column} right",
        caption="Upper bars: by the statistics alone. Lower bars: with the release. The learner without the release "
        "has learned from everybody but the person's own group.",
        name=name,
        whole=True,
    )


def believed_picture(result: AttackResult, known: Mapping[str, Rightly], *, name: str) -> Picture:
    """How many people are believed to have a value that may be rare, of how many rightly, and how many have it.

    The axis ends at twice those who have it unless more are believed, so that two releases can be laid side by side.
    """
    bars: list[dict[str, Any]] = []
    texts, base = [], 0.0
    for who, right in known.items():
        for of, above in zip(("without", "with"), right.above, strict=True):
            if above is None:
                continue
            middle, end = (n / right.people for n in (above.correct, above.people))
            bars += [
                {"class": who, "of": of, "from": start, "to": to, "colour": colour}
                for start, to, colour in ((0.0, middle, ORANGE), (middle, end, GREY))
            ]
            rightly = "" if above.share is None else f", {100 * above.share:.0f} % rightly"
            texts.append({"class": who, "of": of, "text": f"{of}: {above.people:,}{rightly}"})
            base = max(base, above.base or 0.0)
    most = max(min(1.0, 2 * base), *(bar["to"] for bar in bars))
    across = quantitative("from", title=None, axis={"format": ".0%", "tickCount": 5}, scale={"domain": [0, most]})
    place = {
        "y": named("class", list(known)),
        "yOffset": {"field": "of", "type": "nominal", "sort": ["without", "with"]},
    }
    chart = layered(
        mark("bar", {}, x=across, x2={"field": "to"}, color=nominal("colour", scale=None), **place) | rows(bars),
        mark("text", {**beside(8), "baseline": "middle"}, x={"value": BELIEVED}, text=nominal("text"), **place)
        | rows(texts),
        *dashed_line(base, f"{100 * base:.0f} % have it"),
        width=BELIEVED,
        height=max(60, 36 * len(known)),
    )
    return picture(
        chart,
        title=f"People believed above {told(limit_of(result))} by attackers with statistics, and how often rightly",
        caption=f"Upper bars: {result.column} by the statistics alone. Lower bars: with the release. Orange: the "
        "belief is right. Grey: it is wrong. The dashed line is how many people have such a value. Orange that reaches "
        "it has found them all. The learner without the release learns from everybody but the person's own group.",
        name=name,
    )
