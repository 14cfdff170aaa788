"""The charts of a report, and of any page that shows the same: group sizes, beliefs, common values, loss by column.

Each function takes figures and gives a :class:`~pellucid.reports.pictures.Picture`. Colours are those of Okabe and
Ito, which people with any colour vision tell apart; nothing is said by colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.charts.charting import PALETTE
from pellucid.charts.vega_lite import Part, layered, mark, nominal, quantitative, rows
from pellucid.messages import Message, People
from pellucid.messages.speaker import told
from pellucid.metrics.kept import KEPT
from pellucid.reports.pictures import INK, Picture, picture
from pellucid.risk.report.attack_report import AttackReport, Attempt
from pellucid.risk.report.chart import histogram
from pellucid.text.figures import percent as said
from pellucid.text.figures import probability

WIDTH = 600
BLUE, ORANGE, GREY = PALETTE[0], PALETTE[1], PALETTE[6]
MOST_BARS = 24
LONG = 270  # pixels of a label
ALIKE = "Rows of one group look alike in every quasi-identifier."
SPACE = "\N{NO-BREAK SPACE}"
COUNTS = {"tickCount": 4, "tickMinStep": 1, "format": ",d"}  # the axis of a count: whole numbers, written out
ABOVE = {"dy": -6, "fontSize": 10, "color": INK}  # a figure above its bar
FROM_0_TO_1 = {"domain": [0, 1]}


def group_sizes(distinct: NDArray[Any], groups: NDArray[Any], *, name: str = "sizes") -> Picture:
    """How many groups have how many rows: each size that occurs, ascending, and the groups that have it."""
    if len(distinct) <= MOST_BARS:
        bars = [
            {"rows": told(f"{size:,}"), "groups": n, "text": short(n)}
            for size, n in zip(distinct.tolist(), groups.tolist(), strict=True)
        ]
        how = "Each bar counts the groups of exactly that many rows."
    else:
        bars = in_ranges(distinct, groups)
        how = "Each bar counts the groups whose number of rows is in that range; ranges grow by the factor two."
    across = nominal(
        "rows",
        sort=[bar["rows"] for bar in bars],
        title=told("rows of the group"),
        axis={"labelAngle": 0 if len(bars) < 9 else -45},
    )
    up = quantitative("groups", title=told("groups"), axis=COUNTS)
    wide = min(40, int(0.8 * WIDTH / len(bars)))
    return picture(
        layered(
            mark("bar", {"color": BLUE, "size": wide}, x=across, y=up),
            mark("text", ABOVE, x=across, y=up, text=nominal("text")),
            width=WIDTH,
            height=170,
            **rows(bars),
        ),
        title="How large the groups are",
        caption=f"{how} {ALIKE}",
        name=name,
    )


def in_ranges(distinct: NDArray[Any], groups: NDArray[Any]) -> list[dict[str, Any]]:
    """Groups counted by ranges of their size that grow by the factor two.

    >>> [(one["rows"], one["groups"]) for one in in_ranges(np.array([2, 3, 5]), np.array([4, 1, 7]))]
    [('2–3', 5), ('4–7', 7)]
    """
    power = np.floor(np.log2(np.maximum(distinct, 1))).astype(int)
    bars = []
    for exponent in range(int(power.min()), int(power.max()) + 1):
        low, high = 2**exponent, 2 ** (exponent + 1) - 1
        label = f"{low:,}" if low == high else f"{low:,}–{high:,}"
        count = int(groups[power == exponent].sum())
        bars.append({"rows": told(label), "groups": count, "text": short(count)})
    return bars


def beliefs(attempt: Attempt, limit: Fraction | None, *, name: str = "beliefs", vain: bool = False) -> Picture:
    """How much one adversary believes of how many people, against what is promised. For the publisher's eyes.

    Those of whom more is believed than is allowed of them are orange, and grey where such beliefs are ``vain``: right
    no more often than by chance.
    """
    over, bars = GREY if vain else ORANGE, []
    people = histogram(attempt, limit=limit)
    for one in people:
        within = one["people"] - one["above"]
        one |= {"middle": (one["from"] + one["to"]) / 2, "text": short(one["people"])}
        parts = [(0, within, BLUE), (within, one["people"], over)]
        bars += [one | {"base": base, "top": top, "colour": colour} for base, top, colour in parts if top > base]
    across = quantitative(
        "from",
        bin="binned",
        scale=FROM_0_TO_1,
        title=told("largest belief about a person (probability)"),
        axis={"format": ".1f", "values": [i / 10 for i in range(11)]},
    )
    up = {"title": told(Message("{people}", people=People())), "axis": COUNTS}
    top, colour = quantitative("top", **up), nominal("colour", scale=None)
    drawn = mark("bar", {"binSpacing": 1}, x=across, x2={"field": "to"}, y=top, y2={"field": "base"}, color=colour)
    labels = mark("text", ABOVE, x=quantitative("middle"), y=quantitative("people", **up), text=nominal("text"))
    line = bound_line(None if limit == 1 else limit)
    coloured = Message(
        "Grey bars are {people_of_whom} more than {limit} is believed, right no more often than by chance."
        if vain
        else "Orange bars are {people_of_whom} more than {limit} is believed.",
        people_of_whom=People("people of whom"),
        limit=limit if line else Message("their bound"),
    )
    return picture(
        layered(drawn | rows(bars), labels | rows(people), *line, width=WIDTH, height=110),
        title=Message(
            "Somebody who {attacker}: how much is believed of how many {people}",
            attacker=attempt.name,
            people=People(),
        ),
        caption=Message.joined([SURE, coloured], " ") if any(one["above"] for one in people) else SURE,
        name=name,
    )


SURE = Message(
    "Each bar counts the {people} about whose likeliest value this attacker is that sure; the figure above it is their "
    "number.",
    people=People(),
)


def short(number: int) -> str:
    """A count above a bar.

    >>> short(1234), short(45222), short(3_200_000)
    ('1,234', '45.2k', '3.2M')
    """
    if number < 10_000:
        return told(f"{number:,}")
    return told(f"{number / 1000:.3g}k" if number < 1_000_000 else f"{number / 1_000_000:.3g}M")


def overview(report: AttackReport, *, name: str = "overview") -> Picture:
    """The largest belief of every adversary, beside what counting alone gives. For the publisher's eyes."""
    attackers = [
        {
            "who": told(attempt.name),
            "most": attempt.max_risk,
            "count": attempt.baseline,
            "text": told(probability(attempt.max_risk)),
        }
        for attempt in report.attempts
    ]
    title = told("largest belief about anybody (probability)")
    most, counted = (quantitative(column, scale=FROM_0_TO_1) for column in ("most", "count"))
    up = named("who", [told(attempt.name) for attempt in report.attempts])
    bars = mark("bar", {"color": BLUE, "height": 12}, x=most | {"title": title}, y=up)
    dots = mark("point", {"color": ORANGE, "filled": True, "size": 70, "opacity": 1}, x=counted, y=up)
    labels = mark("text", beside(6), x=most, y=up, text=nominal("text"))
    line = bound_line(None if report.line == 1 else report.line)
    dashed = f"The dashed line is {report.line}: while the promise is kept, nobody whom it covers passes it."
    return picture(
        layered(bars, *line, dots, labels, width=WIDTH - 180, height=max(60, 26 * len(attackers)), **rows(attackers)),
        title="How much each attacker believes of the person known best",
        caption=f"{SUREST} {dashed}" if line else SUREST,
        name=name,
    )


SUREST = (
    "The bar is the probability of the likeliest value of the person about whom this attacker is surest; the orange "
    "dot is what counting values in a group alone gives."
)


def named(column: str, order: Sequence[str]) -> Part:
    """The names of bars that lie below each other, in this order."""
    return nominal(column, sort=list(order), title=None, axis={"labelLimit": LONG})


def beside(right: int) -> Part:
    """The looks of a figure so many pixels right of its bar."""
    return {"align": "left", "dx": right, "fontSize": 11, "color": INK}


def bound_line(limit: Fraction | None) -> list[Part]:
    """The dashed line at the limit and its name; nothing where there is none."""
    return [] if limit is None else dashed_line(float(limit), str(limit))


def dashed_line(at: float, label: str) -> list[Part]:
    """A dashed line from top to bottom, with its name at its upper end."""
    here = rows([{"at": at, "label": label}])
    looks = {"color": INK, "align": "left", "dx": 4, "dy": -3, "baseline": "bottom", "fontWeight": "bold"}
    line = mark("rule", {"color": INK, "strokeDash": [5, 3], "strokeWidth": 1.5}, x=quantitative("at"))
    name = mark("text", looks, x=quantitative("at"), y={"value": 0}, text=nominal("label"))
    return [here | line, here | name]


def shares(
    of: Mapping[str, float],
    *,
    title: str,
    caption: str,
    axis: str,
    name: str,
    line: tuple[float, str] | None = None,
    whole: bool = True,
) -> Picture:
    """A horizontal bar with its figure for each name; shares from 0 to 1, the axis as long as all when ``whole``."""
    bars = [{"name": key, "share": value, "text": told(percent(value))} for key, value in of.items()]
    longest = max([1e-9, *of.values(), *([line[0]] if line else [])])
    across = quantitative("share", scale={"domain": [0, 1 if whole else min(1.0, longest * 1.15)]})
    lowest = across | {"title": told(axis), "axis": {"format": ".0%", "tickCount": 6}}
    up = named("name", list(of))
    chart = layered(
        mark("bar", {"color": BLUE, "height": 12}, x=lowest, y=up),
        mark("text", beside(5), x=across, y=up, text=nominal("text")),
        *(dashed_line(*line) if line is not None else ()),
        width=WIDTH - 130,
        height=max(50, 24 * len(bars)),
        **rows(bars),
    )
    return picture(chart, title=title, caption=caption, name=name)


def percent(share: float) -> str:
    """A share for a page, where no line breaks before the sign; never 100 % when it is less, never 0 % when it is more.

    >>> [percent(share).replace(SPACE, " ") for share in (0.874, 0.9999, 0.0001, 0)]
    ['87 %', 'over 99 %', 'under 1 %', '0 %']
    """
    return said(share).replace(" %", f"{SPACE}%")


def by_column(
    columns: Mapping[str, float] | Sequence[tuple[str, float]], *, left_out: Sequence[str] = (), name: str = "columns"
) -> Picture:
    """How much of each column is kept, as :class:`~pellucid.metrics.kept.Kept` defines it; names the ``left_out``."""
    names = ", ".join(left_out)
    lacking = f"Not drawn, because the release alone does not tell it: {names}."
    return shares(
        dict(columns),
        title="How much of each column is kept",
        caption=f"{KEPT} {lacking}" if left_out else KEPT,
        axis="kept of the column",
        name=name,
    )
