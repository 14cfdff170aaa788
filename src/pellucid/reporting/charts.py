"""The charts of a report, and of any page that shows the same: group sizes, beliefs, common values, loss by column.

Each function takes figures and gives a :class:`~pellucid.reporting.pictures.Picture`. Colours are those of Okabe and
Ito, which people with any colour vision tell apart; nothing is said by colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.chart import histogram
from pellucid.attacking.suite import AttackReport, Attempt
from pellucid.charting import PALETTE, altair
from pellucid.reporting.pictures import INK, Picture, picture

WIDTH = 600
BLUE, ORANGE = PALETTE[0], PALETTE[1]
MOST_BARS = 24
LONG = 230  # pixels of a label
SPACE = "\N{NO-BREAK SPACE}"


def group_sizes(sizes: NDArray[Any], *, name: str = "sizes") -> Picture:
    """How many groups have how many rows."""
    alt = altair()
    distinct, groups = np.unique(np.asarray(sizes), return_counts=True)
    if len(distinct) <= MOST_BARS:
        bars = [
            {"rows": f"{size:,}", "groups": int(n)} for size, n in zip(distinct.tolist(), groups.tolist(), strict=True)
        ]
        how = "Each bar counts the groups of exactly that many rows."
    else:
        bars = in_ranges(distinct, groups)
        how = "Each bar counts the groups whose number of rows is in that range; ranges grow by the factor two."
    order = [bar["rows"] for bar in bars]
    base = alt.Chart(alt.Data(values=bars)).encode(
        x=alt.X("rows:N", sort=order, title="rows of the group", axis=alt.Axis(labelAngle=0 if len(bars) < 9 else -45)),
        y=alt.Y("groups:Q", title="groups"),
    )
    return picture(
        (base.mark_bar(color=BLUE) + counted(base, "groups")).properties(width=WIDTH, height=170),
        title="How large the groups are",
        caption=f"{how} Rows of one group look alike in every quasi-identifier.",
        name=name,
    )


def in_ranges(distinct: NDArray[Any], groups: NDArray[Any]) -> list[dict[str, Any]]:
    """Groups counted by ranges of their size that grow by the factor two.

    >>> in_ranges(np.array([2, 3, 5]), np.array([4, 1, 7]))
    [{'rows': '2–3', 'groups': 5}, {'rows': '4–7', 'groups': 7}]
    """
    power = np.floor(np.log2(np.maximum(distinct, 1))).astype(int)
    found = []
    for exponent in range(int(power.min()), int(power.max()) + 1):
        low, high = 2**exponent, 2 ** (exponent + 1) - 1
        label = f"{low:,}" if low == high else f"{low:,}–{high:,}"
        found.append({"rows": label, "groups": int(groups[power == exponent].sum())})
    return found


def beliefs(attempt: Attempt, l: int | None, *, name: str = "beliefs") -> Picture:
    """How much one adversary believes of how many people, against 1/l. For the publisher's eyes."""
    alt = altair()
    base = alt.Chart(alt.Data(values=histogram(attempt))).encode(
        x=alt.X(
            "from:Q",
            bin="binned",
            scale=alt.Scale(domain=[0, 1]),
            title="largest belief about a person (probability)",
            axis=alt.Axis(format=".1f", values=[i / 10 for i in range(11)]),
        ),
        y=alt.Y("people:Q", title="people", axis=alt.Axis(tickCount=4)),
    )
    bars = base.mark_bar(color=BLUE, binSpacing=1).encode(x2="to:Q")
    labels = (
        alt.Chart(alt.Data(values=[row | {"middle": (row["from"] + row["to"]) / 2} for row in histogram(attempt)]))
        .mark_text(dy=-6, fontSize=10, color=INK)
        .encode(x="middle:Q", y="people:Q", text=alt.Text("people:Q", format=",.3~s"))
    )
    against = "" if l is None else f" Everybody should stand at or left of the dashed line, 1/{l}."
    return picture(
        alt.layer(bars, labels, *bound_line(alt, l)).properties(width=WIDTH, height=110),
        title=f"Somebody who {attempt.name}: how much is believed of how many people",
        caption=(
            "Each bar counts the people about whose likeliest value this attacker is that sure; the figure above it "
            f"is their number.{against}"
        ),
        name=name,
    )


def overview(report: AttackReport, *, name: str = "overview") -> Picture:
    """The largest belief of every adversary, beside what counting alone gives. For the publisher's eyes."""
    alt = altair()
    rows = [
        {"who": attempt.name, "most": attempt.max_risk, "count": attempt.baseline, "text": f"{attempt.max_risk:.3g}"}
        for attempt in report.attempts
    ]
    order = [row["who"] for row in rows]
    across = alt.Scale(domain=[0, 1])
    y = alt.Y("who:N", sort=order, title=None, axis=alt.Axis(labelLimit=LONG))
    base = alt.Chart(alt.Data(values=rows))
    bars = base.mark_bar(color=BLUE, height=12).encode(
        x=alt.X("most:Q", scale=across, title="largest belief about anybody (probability)"), y=y
    )
    ticks = base.mark_tick(color=ORANGE, thickness=3, height=18).encode(x=alt.X("count:Q", scale=across), y=y)
    told = base.mark_text(align="left", dx=6, fontSize=11, color=INK).encode(
        x=alt.X("most:Q", scale=across), y=y, text="text:N"
    )
    against = "" if report.l is None else f" The dashed line is 1/{report.l}, which no bar should pass."
    return picture(
        alt.layer(bars, ticks, told, *bound_line(alt, report.l)).properties(
            width=WIDTH - 180, height=max(60, 26 * len(rows))
        ),
        title="How much each attacker believes of the person known best",
        caption=(
            "The bar is the probability of the likeliest value of the person about whom this attacker is surest; the "
            f"orange tick is what counting values in a group alone gives.{against}"
        ),
        name=name,
    )


def bound_line(alt: Any, l: int | None) -> list[Any]:
    """The dashed line at 1/l and its name; nothing where there is no l."""
    if l is None:
        return []
    data = alt.Data(values=[{"at": 1 / l, "label": f"1/{l}"}])
    line = alt.Chart(data).mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.5).encode(x="at:Q")
    label = alt.Chart(data).mark_text(color=INK, align="left", dx=4, dy=-3, baseline="bottom", fontWeight="bold")
    return [line, label.encode(x="at:Q", y=alt.value(0), text="label:N")]


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
    alt = altair()
    rows = [{"name": key, "share": value, "text": percent(value)} for key, value in of.items()]
    longest = max([1e-9, *of.values(), *([line[0]] if line else [])])
    scale = alt.Scale(domain=[0, 1 if whole else min(1.0, longest * 1.15)])
    y = alt.Y("name:N", sort=list(of), title=None, axis=alt.Axis(labelLimit=LONG))
    base = alt.Chart(alt.Data(values=rows))
    layers = [
        base.mark_bar(color=BLUE, height=12).encode(
            x=alt.X("share:Q", scale=scale, title=axis, axis=alt.Axis(format=".0%", tickCount=6)), y=y
        ),
        base.mark_text(align="left", dx=5, fontSize=11, color=INK).encode(
            x=alt.X("share:Q", scale=scale), y=y, text="text:N"
        ),
    ]
    if line is not None:
        data = alt.Data(values=[{"at": line[0], "label": line[1]}])
        rule = alt.Chart(data).mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.5).encode(x="at:Q")
        text = alt.Chart(data).mark_text(color=INK, align="left", dx=4, dy=-3, baseline="bottom", fontWeight="bold")
        layers += [rule, text.encode(x="at:Q", y=alt.value(0), text="label:N")]
    drawing = alt.layer(*layers).properties(width=WIDTH - 130, height=max(50, 24 * len(rows)))
    return picture(drawing, title=title, caption=caption, name=name)


def counted(base: Any, column: str) -> Any:
    """The number above each bar, so that a small one beside a large one is seen."""
    alt = altair()
    return base.mark_text(dy=-6, fontSize=10, color=INK).encode(text=alt.Text(f"{column}:Q", format=",.4~s"))


def percent(share: float) -> str:
    """A share for a page, where no line breaks before the sign; never 100 % when it is less, never 0 % when it is more.

    >>> [percent(share).replace(SPACE, " ") for share in (0.874, 0.9999, 0.0001, 0)]
    ['87 %', 'over 99 %', 'under 1 %', '0 %']
    """
    if 0.995 <= share < 1:
        return f"over 99{SPACE}%"
    if 0 < share < 0.005:
        return f"under 1{SPACE}%"
    return f"{share:.0%}".replace("%", f"{SPACE}%")


def by_column(columns: Mapping[str, float] | Sequence[tuple[str, float]], *, name: str = "columns") -> Picture:
    """How much of each column's range a published value leaves open."""
    return shares(
        dict(columns),
        title="How much of each column is left open",
        caption=(
            "The bar is the share of the column's range, or of its values, that a published cell spans on average: 0 % "
            "where every value is published as it is, 100 % where nothing is told."
        ),
        axis="share of the column that a cell leaves open",
        name=name,
    )
