"""Charts of an attack: how much is believed of how many people, against 1/l, and the worst groups.

Drawing needs the extra ``charts`` (vl-convert, which needs no browser and no network).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.charts.charting import Chart
from pellucid.charts.drawing import NotDrawn, check_installed
from pellucid.charts.vega_lite import SCHEMA, Part, layered, mark, nominal, quantitative, rows
from pellucid.errors import OutputError
from pellucid.risk.report.attack_report import AttackReport, Attempt, described
from pellucid.risk.report.sentences import published_alike
from pellucid.runtime.whole_file import write_whole
from pellucid.text.figures import counted

FORMATS = (".png", ".svg", ".html", ".json")
BINS = 20
WORST = 10
SHORT, WHOLE = 60, 2_000  # characters of a group: beside a bar, and where there is room
WIDTH, HEIGHT = 420, 200
# Okabe and Ito's colours, which people with any colour vision can tell apart
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
LINE = "#D00000"
FROM_0_TO_1 = {"domain": [0, 1]}


def check_chart(path: Path) -> None:
    """Raise what :func:`write_chart` would raise about the file and the extra, before any work is done."""
    if path.suffix.lower() not in FORMATS:
        raise OutputError(f"{path}: a chart is written as {', '.join(FORMATS)}; choose one of these endings")
    if not path.parent.is_dir():
        raise OutputError("{path}: there is no folder {parent}; make it first", path=path, parent=path.parent)
    if path.suffix.lower() != ".json":
        check_installed()


def write_chart(report: AttackReport, path: Path) -> None:
    """Write the chart; the ending of the file says how: .png, .svg, .html, or .json for the Vega-Lite specification."""
    check_chart(path)
    write_panels([drawn(report)], path)


def write_panels(panels: Sequence[Part | None], path: Path) -> None:
    """Write what was drawn of each sensitive column, side by side; a column of which nothing was is left out."""
    check_chart(path)
    present = [panel for panel in panels if panel is not None]
    if not present:
        raise nothing_to_draw()
    try:
        content = _written(Chart(side_by_side(present)), path.suffix.lower())
    except NotDrawn as wrong:
        raise OutputError("{path}: {wrong}; attack without --chart", path=path, wrong=wrong) from None
    write_whole(path, content, private=True)  # it tells what attackers learn


def side_by_side(panels: Sequence[Part]) -> Part:
    """Several charts as one, which alone says what language it is in."""
    if len(panels) == 1:
        return panels[0]
    inner = [{word: part for word, part in panel.items() if word != "$schema"} for panel in panels]
    return {"$schema": SCHEMA, "hconcat": inner, "spacing": 60}


def _written(chart: Chart, ending: str) -> bytes:
    if ending == ".json":
        return (json.dumps(chart.specification, indent=1) + "\n").encode()
    if ending == ".html":
        return chart.html(title="What attackers learn").encode()
    return chart.png() if ending == ".png" else chart.svg().encode()


def nothing_to_draw() -> OutputError:
    """What to say of a report without a single attempt."""
    return OutputError("no adversary could be tried, so there is nothing to draw; give what they lack")


def drawn(report: AttackReport) -> Part | None:
    """Three charts of a sensitive column below each other, as Vega-Lite; None where nobody could be tried."""
    if not report.attempts:
        return None
    column = report.evidence.attribute.name
    return {
        "$schema": SCHEMA,
        "vconcat": [_histogram(report), _by_threshold(report), _worst_groups(report)],
        "title": _title(f"What attackers learn from {report.source} about {column}", fontSize=16),
        "spacing": 28,
        "resolve": {"scale": {"color": "independent"}},
    }


def _title(text: str, **looks: Any) -> Part:
    return {"text": text, "anchor": "start", **looks}


def histogram(
    attempt: Attempt, *, limit: Fraction | None = None, without: NDArray[np.bool_] | None = None
) -> list[dict[str, Any]]:
    """How many people are in each part of belief: above its lower end, up to its upper end.

    The parts are about a twentieth wide. A ``limit`` is the end of one, so that no bar has people of both sides of it.
    ``above`` counts those of whom more is believed than is allowed of them.
    """
    inside = attempt.beliefs.evidence.inside
    some = inside if without is None else inside & ~without
    risk, above = attempt.risk[some], np.isin(np.flatnonzero(some), attempt.above)
    edges = edges_at(limit)
    places = np.clip(np.searchsorted(edges * (1 + 1e-9), risk, side="left") - 1, 0, BINS - 1)
    ends = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    counts = (np.bincount(of, minlength=BINS).tolist() for of in (places, places[above]))
    return [
        {"adversary": attempt.name, "from": low, "to": high, "people": people, "above": beyond}
        for (low, high), people, beyond in zip(ends, *counts, strict=True)
        if people
    ]


def edges_at(limit: Fraction | None) -> NDArray[np.float64]:
    """The ends of the parts of belief: all as wide, or all below a limit and all above it.

    >>> edges_at(Fraction(1, 3))[[0, 6, 7, 8, 20]].round(3).tolist()
    [0.0, 0.286, 0.333, 0.385, 1.0]
    """
    if limit is None or not 0 < limit < 1:
        return np.arange(BINS + 1) / BINS
    below = min(max(round(BINS * limit), 1), BINS - 1)
    ends = float(limit) * np.arange(below + 1) / below
    return np.concatenate([ends, float(limit) + float(1 - limit) * np.arange(1, BINS - below + 1) / (BINS - below)])


def titled(attempt: Attempt) -> str:
    """The attacker, and what the figures are where they are not beliefs that follow from the release."""
    beliefs = attempt.beliefs
    if beliefs.confidence < 1:
        return f"{attempt.name} (sampled: upper bounds with confidence {beliefs.confidence:g})"
    if beliefs.upper is not None and (beliefs.upper > beliefs.counted * (1 + 1e-9)).any():
        return f"{attempt.name} (upper bounds)"
    if beliefs.by_lot:
        return f"{attempt.name} (an estimate, learned from a lot: how sure this attacker is, not how often right)"
    if beliefs.adversary.prior != "uniform":
        return f"{attempt.name} (how sure this attacker is, not how often right)"
    return attempt.name


def by_threshold(attempt: Attempt) -> list[dict[str, Any]]:
    """The share of people of whom more than each threshold is believed: a step at every belief that occurs."""
    risk = np.sort(attempt.risk[attempt.beliefs.evidence.inside])
    if not len(risk):
        return []
    steps = np.linspace(0, 1, 201)
    above = len(risk) - np.searchsorted(risk, steps * (1 + 1e-9), side="right")
    return [
        {"adversary": attempt.name, "threshold": float(t), "share": float(n / len(risk))}
        for t, n in zip(steps, above, strict=True)
    ]


def _line(report: AttackReport) -> list[Part]:
    """The 1/l line and what it is."""
    if report.line is None:
        return []
    here = rows([{"x": float(report.line), "label": f"{report.line}"}])
    looks = {"color": LINE, "align": "left", "dx": 4, "dy": -4, "baseline": "bottom", "fontWeight": "bold"}
    rule = mark("rule", {"color": LINE, "strokeDash": [5, 3], "strokeWidth": 1.5}, x=quantitative("x"))
    label = mark("text", looks, x=quantitative("x"), y={"value": 0}, text=nominal("label"))
    return [here | rule, here | label]


def _histogram(report: AttackReport) -> Part:
    """One small histogram for each adversary, below each other, so that none hides another."""
    bars = [histogram(attempt, limit=report.line) for attempt in report.attempts]
    most = max(bar["people"] for of_one in bars for bar in of_one)
    count = {"tickCount": 3, "tickMinStep": 1, "format": ",d"}
    up = quantitative("people", title="people", scale={"domain": [0, most]}, axis=count)
    tooltip = [nominal("adversary"), *map(quantitative, ("from", "to", "people"))]
    small = []
    for number, (attempt, of_one) in enumerate(zip(report.attempts, bars, strict=True)):
        last = number == len(report.attempts) - 1
        axis = {"title": "largest belief about a person" if last else None, "labels": last, "format": ".1f"}
        across = quantitative("from", bin="binned", scale=FROM_0_TO_1, axis=axis)
        looks = {"color": COLOURS[number % len(COLOURS)], "binSpacing": 1}
        bar = rows(of_one) | mark("bar", looks, x=across, x2={"field": "to"}, y=up, tooltip=tooltip)
        title = _title(titled(attempt), fontSize=11, fontWeight="normal", offset=14)
        small.append(layered(bar, *_line(report), width=WIDTH, height=64, title=title))
    what = f", against {report.line}" if report.line is not None else ""
    return {"vconcat": small, "spacing": 6, "title": _title(f"How much is believed of how many people{what}")}


def _by_threshold(report: AttackReport) -> Part:
    names = [attempt.name for attempt in report.attempts]
    colours = {"domain": names, "range": [COLOURS[i % len(COLOURS)] for i in range(len(names))]}
    legend = {"title": None, "orient": "right", "labelLimit": 280}
    lines = mark(
        "line",
        {"interpolate": "step-after", "strokeWidth": 2, "opacity": 0.85},
        x=quantitative("threshold", title="threshold", scale=FROM_0_TO_1),
        y=quantitative("share", title="people above it", axis={"format": "%"}, scale=FROM_0_TO_1),
        color=nominal("adversary", sort=names, scale=colours, legend=legend),
        strokeDash=nominal("adversary", legend=None),
    )
    values = rows([point for attempt in report.attempts for point in by_threshold(attempt)])
    title = _title("Share of people of whom more than a threshold is believed", offset=14)
    return layered(values | lines, *_line(report), width=WIDTH, height=HEIGHT, title=title)


def worst_groups(report: AttackReport) -> tuple[Attempt, list[dict[str, Any]]]:
    """The groups in which the strongest adversary believes most, worst first, in short for a chart, and whole.

    Those that are published alike are told once.
    """
    attempt = max(report.attempts, key=lambda tried: tried.max_risk)
    risks = attempt.by_group()
    evidence = attempt.beliefs.evidence
    bars = []
    for rank, group in enumerate(attempt.worst_told_apart(WORST), 1):
        cells = described(attempt.rows or evidence, group)
        label = ", ".join(f"{name} {value}" for name, value in cells.items()) or f"group {group}"
        size = int(evidence.published.sizes[group])
        frequency = float(evidence.largest[group] / size)
        shared = published_alike(int((evidence.alike == evidence.alike[group]).sum()))
        rows = f"{counted(size, 'row')}{'; ' if shared else ''}{shared}"
        short, looks = (f"{rank}. {_cut(label, most)}" for most in (SHORT, WHOLE))
        bar = {"group": f"{short} ({rows})", "looks": looks, "rows": rows}  # the last two where it is told in full
        bars.append({**bar, "rank": rank, "belief": float(risks[group]), "frequency": frequency})
    return attempt, bars


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}..."


def _worst_groups(report: AttackReport) -> Part:
    attempt, values = worst_groups(report)
    drawn = [{name: value for name, value in bar.items() if name not in ("looks", "rows")} for bar in values]
    across = "largest belief (bar) and by frequency alone (tick)"
    up = nominal("group", sort=[bar["group"] for bar in values], title=None, axis={"labelLimit": 420})
    bars = mark(
        "bar",
        {"color": COLOURS[0]},
        x=quantitative("belief", title=across, scale=FROM_0_TO_1),
        y=up,
        tooltip=[nominal("group"), quantitative("belief"), quantitative("frequency")],
    )
    ticks = mark("tick", {"color": "#000000", "thickness": 2}, x=quantitative("frequency"), y=up)
    title = _title(f"Worst groups, for somebody who {titled(attempt)}", offset=14)
    height = max(60, 22 * len(values))
    return layered(rows(drawn) | bars, rows(drawn) | ticks, *_line(report), width=WIDTH, height=height, title=title)
