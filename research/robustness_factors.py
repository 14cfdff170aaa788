"""[R] Wong et al. 2009, section 5: the factors that the paper varies and prints no figure of: r, qd and s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from pellucid.charts.charting import Axis, Chart, Panels, Series, lines
from pellucid.publishing import release_of
from pellucid.runtime.progress import Progress
from research.experiment import Experiment, ReportedShape, shown, trend
from research.robustness import OTHERS, PAPER, attacked, compared, seen_as, table_of
from research.two_tables import SELECTIVITY, relative_error

SIZE = 5  # the paper's quasi-identifiers
METHODS = ("ART", "Anatomy", "Mask")  # t-closeness has no r
PANELS = {
    "problematic share": "problematic rows by r (share of published sensitive rows)",
    "relative error": "error of counts by r (mean, relative)",
}


def by_factors(quick: bool, progress: Progress) -> pl.DataFrame:
    """By r: who is uncovered and the error; at r = 10 the error by query dimension and by selectivity."""
    rows, support = (5_000, 150) if quick else (None, 1000)
    rs, r, size = ((2, 5), 5, 3) if quick else ((2, 5, 10, 15, 20), 10, SIZE)
    found: list[dict[str, Any]] = []
    progress.stage("attacking", len(rs) * len(METHODS))
    for at in rs:
        for name in METHODS:
            progress.advance(len(found))
            told = attacked(compared(at, support)[name], size, at, support, quick=quick)
            kept = {measure: told[measure] for measure in (*PANELS, "refused")}
            found.append({"varied": "r", "x": float(at), "method": name, **kept})
    return pl.DataFrame([*found, *_by_query(r, support, size, rows)], infer_schema_length=None)


def _by_query(r: int, support: int, size: int, rows: int | None) -> list[dict[str, Any]]:
    """The error by query dimension and by selectivity; ``rows`` of a sample, with --quick."""
    quick = rows is not None
    found: list[dict[str, Any]] = []
    asked = [("qd", float(qd), qd, SELECTIVITY) for qd in range(1, size + 1)]
    asked += [("s", s, size, s) for s in ((0.02, 0.1) if quick else (0.02, 0.04, 0.06, 0.08, 0.1))]
    for name in METHODS:
        method = compared(r, support)[name]
        grouping = release_of(table_of(size, rows, OTHERS, climbing=False), method, seed=1).private.grouping
        seen = seen_as(method, grouping, size, rows)
        for varied, x, qd, s in asked:
            error = relative_error(seen, dimensions=qd, selectivity=s, quick=quick)
            found.append({"varied": varied, "x": x, "method": name, "relative error": error})
    return found


def check(frame: pl.DataFrame) -> Sequence[ReportedShape]:
    """What follows from the theorem, and how the error goes as elsewhere."""
    art = frame.filter(varied="r", method="ART")["problematic share"].to_list()
    safe = all(share == 0 for share in art)
    shapes = [ReportedShape("ours, not the paper's: ART has no violation at any r", safe, shown(art))]
    for varied, claim, up in (
        ("r", "the error of counts grows with r", True),
        ("s", "the error of counts falls with the selectivity", False),
    ):
        for name in METHODS:
            wrong = frame.filter(varied=varied, method=name).sort("x")["relative error"].to_list()
            shapes.append(trend(f"ours, not the paper's: {claim} ({name})", wrong, up=up))
    return shapes


def draw(frame: pl.DataFrame) -> Chart:
    """By r, by query dimension and by selectivity."""
    long = [
        {"panel": title, "x": row["x"], "y": row[measure], "series": row["method"]}
        for measure, title in PANELS.items()
        for row in frame.filter(varied="r").drop_nulls(measure).iter_rows(named=True)
    ]
    long += [
        {"panel": f"error of counts by {title}", "x": row["x"], "y": row["relative error"], "series": row["method"]}
        for varied, title in (("qd", "query dimension, r = 10"), ("s", "expected selectivity, r = 10"))
        for row in frame.filter(varied=varied).iter_rows(named=True)
    ]
    return lines(
        pl.DataFrame(long),
        Axis("x", "r, number of quasi-identifiers in a query, or expected selectivity", scale="ordinal"),
        Axis("y", ""),
        series=Series("series", "method", list(METHODS)),
        panels=Panels("panel"),
        title="ART beside Anatomy and Mask by r, query dimension and selectivity",
        caption="Problematic: of the people with little schooling, those whom somebody believes to be so with more "
        "than 1/r who knows its frequency by every one and every two quasi-identifiers. Error: of random counts made "
        "with two tables, relative to the true count. Lower is better.",
    )


EXPERIMENTS = (
    Experiment(
        name="robustness-factors",
        paper=PAPER,
        title="The factors beside the QI size: r, query dimension and selectivity",
        reports="The paper says that it varied r, the query dimension and the selectivity too, and prints neither "
        "figures nor findings of these.",
        remark="So no claim here is the paper's. Settings are those of figure 1 with five quasi-identifiers. Only "
        "methods with an r of their own are shown: t-closeness has none, and Injector is in figure 1.",
        data="adult/adult.csv",
        run=by_factors,
        check=check,
        draw=draw,
        minutes=1.5,
    ),
)
