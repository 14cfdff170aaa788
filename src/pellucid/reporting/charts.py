"""The charts of a report, and of any page that shows the same: group sizes, beliefs, common values, loss by column.

Each function takes figures and gives a :class:`~pellucid.reporting.pictures.Picture`. Colours are those of Okabe and
Ito, which people with any colour vision tell apart; nothing is said by colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.telling.report import AttackReport, Attempt
from pellucid.attacking.verdict import ROUNDING
from pellucid.charting import PALETTE, altair
from pellucid.measuring.kept import KEPT
from pellucid.reporting.language import told, told_axis
from pellucid.reporting.pictures import INK, Picture, picture
from pellucid.speaking import say
from pellucid.text.figures import percent as said
from pellucid.text.figures import probability

WIDTH = 600
BLUE, ORANGE = PALETTE[0], PALETTE[1]
MOST_BARS = 24
STRETCHES = 20  # of belief, from 0 to 1
LONG = 270  # pixels of a label
ALIKE = say("Rows of one group look alike in every quasi-identifier.")
SPACE = "\N{NO-BREAK SPACE}"


def group_sizes(distinct: NDArray[Any], groups: NDArray[Any], *, name: str = "sizes") -> Picture:
    """How many groups have how many rows: each size that occurs, ascending, and the groups that have it."""
    alt = altair()
    if len(distinct) <= MOST_BARS:
        bars = [
            {"rows": told(f"{size:,}"), "groups": n, "text": short(n)}
            for size, n in zip(distinct.tolist(), groups.tolist(), strict=True)
        ]
        how = say("Each bar counts the groups of exactly that many rows.")
    else:
        bars = in_ranges(distinct, groups)
        how = say("Each bar counts the groups whose number of rows is in that range; ranges grow by the factor two.")
    order = [bar["rows"] for bar in bars]
    base = alt.Chart(alt.Data(values=bars)).encode(
        x=alt.X(
            "rows:N",
            sort=order,
            title=told(say("rows of the group")),
            axis=alt.Axis(labelAngle=0 if len(bars) < 9 else -45),
        ),
        y=alt.Y("groups:Q", title=told(say("groups")), axis=counts(alt)),
    )
    return picture(
        (
            base.mark_bar(color=BLUE, size=min(40, int(0.8 * WIDTH / len(bars))))
            + base.mark_text(dy=-6, fontSize=10, color=INK).encode(text=alt.Text("text:N"))
        ).properties(width=WIDTH, height=170),
        title=say("How large the groups are"),
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


def beliefs(attempt: Attempt, limit: Fraction | None, *, name: str = "beliefs") -> Picture:
    """How much one adversary believes of how many people, against what is promised. For the publisher's eyes."""
    alt = altair()
    rows = stretches(attempt.risk[attempt.beliefs.evidence.inside], None if limit == 1 else limit)
    base = alt.Chart(alt.Data(values=rows))
    across = alt.X(
        "from:Q",
        bin="binned",
        scale=alt.Scale(domain=[0, 1]),
        title=told(say("largest belief about a person (probability)")),
        axis=alt.Axis(format=".1f", values=[i / 10 for i in range(11)]),
    )
    up = alt.Y("people:Q", title=told_axis(), axis=counts(alt))
    bars = base.mark_bar(binSpacing=1).encode(
        x=across, x2=alt.X2("to:Q"), y=up, color=alt.Color("colour:N", scale=None)
    )
    labels = base.mark_text(dy=-6, fontSize=10, color=INK).encode(x=alt.X("middle:Q"), y=up, text=alt.Text("text:N"))
    line = bound_line(alt, None if limit == 1 else limit)
    attacker = attempt.name
    orange = say(f"Orange bars, right of the dashed line, are people of whom more than {limit} is believed.")
    return picture(
        alt.layer(bars, labels, *line).properties(width=WIDTH, height=110),
        title=say(f"Somebody who {attacker}: how much is believed of how many people"),
        caption=f"{SURE} {orange}" if line else SURE,
        name=name,
    )


SURE = say(
    "Each bar counts the people about whose likeliest value this attacker is that sure; the figure above it is their "
    "number."
)


def counts(alt: Any) -> Any:
    """The axis of a count: whole numbers, written out."""
    return alt.Axis(tickCount=4, tickMinStep=1, format=",d")


def stretches(risk: NDArray[np.float64], limit: Fraction | None) -> list[dict[str, Any]]:
    """How many people are in each stretch of belief, above its lower end and up to its upper end; the limit is an end.

    >>> [(one["to"], one["people"]) for one in stretches(np.array([0.25, 0.25, 0.26, 1.0]), 4)]
    [(0.25, 2), (0.3, 1), (1.0, 1)]
    """
    bound = 1.0 if limit is None else float(limit)
    below = np.linspace(0, bound, max(1, round(bound * STRETCHES)) + 1)
    above = np.linspace(bound, 1, max(1, round((1 - bound) * STRETCHES)) + 1)[1:]
    ends = below if limit is None else np.concatenate([below, above])
    # what is the limit but for rounding is not above it
    place = np.clip(np.searchsorted(ends * ROUNDING, risk, side="left") - 1, 0, len(ends) - 2)
    counts = np.bincount(place, minlength=len(ends) - 1).tolist()
    return [
        {
            "from": float(ends[i]),
            "to": round(float(ends[i + 1]), 12),
            "middle": float(ends[i] + ends[i + 1]) / 2,
            "people": n,
            "text": short(n),
            "colour": BLUE if ends[i + 1] <= bound * ROUNDING else ORANGE,
        }
        for i, n in enumerate(counts)
        if n
    ]


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
    alt = altair()
    rows = [
        {
            "who": told(attempt.name),
            "most": attempt.max_risk,
            "count": attempt.baseline,
            "text": told(probability(attempt.max_risk)),
        }
        for attempt in report.attempts
    ]
    order = [row["who"] for row in rows]
    across = alt.Scale(domain=[0, 1])
    y = alt.Y("who:N", sort=order, title=None, axis=alt.Axis(labelLimit=LONG))
    base = alt.Chart(alt.Data(values=rows))
    bars = base.mark_bar(color=BLUE, height=12).encode(
        x=alt.X("most:Q", scale=across, title=told(say("largest belief about anybody (probability)"))), y=y
    )
    dots = base.mark_point(color=ORANGE, filled=True, size=70, opacity=1).encode(x=alt.X("count:Q", scale=across), y=y)
    labels = base.mark_text(align="left", dx=6, fontSize=11, color=INK).encode(
        x=alt.X("most:Q", scale=across), y=y, text=alt.Text("text:N")
    )
    line = bound_line(alt, None if report.limit == 1 else report.limit)
    dashed = say(f"The dashed line is {report.limit}: while the promise is kept, nobody whom it covers passes it.")
    return picture(
        alt.layer(bars, *line, dots, labels).properties(width=WIDTH - 180, height=max(60, 26 * len(rows))),
        title=say("How much each attacker believes of the person known best"),
        caption=f"{SUREST} {dashed}" if line else SUREST,
        name=name,
    )


SUREST = say(
    "The bar is the probability of the likeliest value of the person about whom this attacker is surest; the orange "
    "dot is what counting values in a group alone gives."
)


def bound_line(alt: Any, limit: Fraction | None) -> list[Any]:
    """The dashed line at the limit and its name; nothing where there is none."""
    if limit is None:
        return []
    data = alt.Data(values=[{"at": float(limit), "label": str(limit)}])
    line = alt.Chart(data).mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.5).encode(x=alt.X("at:Q"))
    label = alt.Chart(data).mark_text(color=INK, align="left", dx=4, dy=-3, baseline="bottom", fontWeight="bold")
    return [line, label.encode(x=alt.X("at:Q"), y=alt.YValue(0), text=alt.Text("label:N"))]


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
    rows = [{"name": key, "share": value, "text": told(percent(value))} for key, value in of.items()]
    longest = max([1e-9, *of.values(), *([line[0]] if line else [])])
    scale = alt.Scale(domain=[0, 1 if whole else min(1.0, longest * 1.15)])
    y = alt.Y("name:N", sort=list(of), title=None, axis=alt.Axis(labelLimit=LONG))
    base = alt.Chart(alt.Data(values=rows))
    layers = [
        base.mark_bar(color=BLUE, height=12).encode(
            x=alt.X("share:Q", scale=scale, title=told(axis), axis=alt.Axis(format=".0%", tickCount=6)), y=y
        ),
        base.mark_text(align="left", dx=5, fontSize=11, color=INK).encode(
            x=alt.X("share:Q", scale=scale), y=y, text=alt.Text("text:N")
        ),
    ]
    if line is not None:
        data = alt.Data(values=[{"at": line[0], "label": line[1]}])
        rule = alt.Chart(data).mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.5).encode(x=alt.X("at:Q"))
        text = alt.Chart(data).mark_text(color=INK, align="left", dx=4, dy=-3, baseline="bottom", fontWeight="bold")
        layers += [rule, text.encode(x=alt.X("at:Q"), y=alt.YValue(0), text=alt.Text("label:N"))]
    drawing = alt.layer(*layers).properties(width=WIDTH - 130, height=max(50, 24 * len(rows)))
    return picture(drawing, title=title, caption=caption, name=name)


def percent(share: float) -> str:
    """A share for a page, where no line breaks before the sign; never 100 % when it is less, never 0 % when it is more.

    >>> [percent(share).replace(SPACE, " ") for share in (0.874, 0.9999, 0.0001, 0)]
    ['87 %', 'over 99 %', 'under 1 %', '0 %']
    """
    return said(share).replace(" %", f"{SPACE}%")


def by_column(
    columns: Mapping[str, float] | Sequence[tuple[str, float]], *, left_out: Sequence[str] = (), name: str = "columns"
) -> Picture:
    """How much of each column is kept, as :class:`~pellucid.measuring.kept.Kept` defines it; names the ``left_out``."""
    names = ", ".join(left_out)
    lacking = say(f"Not drawn, because the release alone does not tell it: {names}.")
    return shares(
        dict(columns),
        title=say("How much of each column is kept"),
        caption=f"{KEPT} {lacking}" if left_out else KEPT,
        axis=say("kept of the column"),
        name=name,
    )
