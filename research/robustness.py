"""[R] Wong et al. Worst-case background knowledge by QI-based distributions (r-robustness). 2009, section 5."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.distributions import Distributions, measured
from pellucid.anonymize.methods import Grouping, Method
from pellucid.anonymize.methods.anatomy import Anatomy
from pellucid.anonymize.methods.art import ART
from pellucid.anonymize.methods.incognito import Incognito
from pellucid.anonymize.methods.injector import Injector
from pellucid.anonymize.methods.mask import Mask
from pellucid.anonymize.recode.anatomy import TwoTables
from pellucid.charts.charting import Axis, Chart, Panels, Series, lines
from pellucid.core.schema import Column, Role, Schema
from pellucid.core.table import Table
from pellucid.errors import PellucidError
from pellucid.io import read
from pellucid.metrics.boxes import Shown, shown_by, shown_groups
from pellucid.models.t_closeness import TCloseness
from pellucid.posterior.qi_distribution import qi_distribution
from pellucid.publishing import release_of
from pellucid.runtime.progress import Progress
from research.data import ADULT_QI, BELOW_SECONDARY, LOW, adult, adult_frame, data_file, sample
from research.experiment import Experiment, ReportedShape, named, shown, trend
from research.two_tables import SELECTIVITY, relative_error, two_tables

PAPER = "[R] Wong et al.: Worst-case background knowledge by QI-based distributions, 2009"
MEASURES = {
    "seconds": "time (processor seconds)",
    "relative error": "error of counts (mean, relative)",
    "problematic share": "problematic rows (share of published sensitive rows)",
    "average Δ": "average Δ (difference of probabilities)",
}
OTHERS = 40  # values that everybody outside the sensitive set is dealt


def worst_belief(known: Distributions, grouping: Grouping, inside: NDArray[np.bool_]) -> NDArray[np.float64]:
    """For each row the largest belief that it is in the set, over the distributions by every set of attributes.

    ``inside`` is what is published: which rows of the group have a value of the set.
    """
    belief = np.zeros(len(inside))

    @cache
    def of_group(odds: tuple[tuple[float, int], ...], having: int) -> dict[float, float]:
        """The belief of a row by its probability, in a group with so many rows of each probability."""
        people = [p for p, n in odds for _ in range(n)]
        beliefs = qi_distribution([{1: p, 0: 1 - p} for p in people], [1] * having + [0] * (len(people) - having))
        return {p: belief_of.get(1, 0.0) for p, belief_of in zip(people, beliefs, strict=True)}

    for group in range(len(grouping)):
        members = grouping.members[grouping.starts[group] : grouping.starts[group + 1]]
        having = int(inside[members].sum())
        if having == 0:
            continue
        for at in range(len(known.sets)):
            chances = known.weights[known.signatures[members, at], 1]
            values, counts = np.unique(chances, return_counts=True)
            beliefs = of_group(tuple(zip(values.tolist(), counts.tolist(), strict=True)), having)
            belief[members] = np.maximum(belief[members], [beliefs[p] for p in chances.tolist()])
    return belief


def spread(known: Distributions, grouping: Grouping, inside: NDArray[np.bool_], r: int) -> tuple[float, float]:
    """How far apart the probabilities of a group's rows are, and how far the paper's theorem allows; means.

    Over all sets of attributes, and over the groups that hold a row of the set: of the others nothing is asked.
    """
    first, members = grouping.starts[:-1], grouping.members
    holding = np.maximum.reduceat(inside[members], first)
    sizes = grouping.sizes[holding]
    apart, allowed = [], []
    for at in range(len(known.sets)):
        chances = known.weights[known.signatures[members, at], 1]
        top = np.maximum.reduceat(chances, first)[holding]
        apart.append(float((top - np.minimum.reduceat(chances, first)[holding]).mean()))
        bound = (sizes - r) * top / (top * (r - 1) / (1 - top) + sizes - 1)
        allowed.append(float(np.maximum(bound, 0).mean()))
    return float(np.mean(apart)), float(np.mean(allowed))


def error_of_counts(method: Method, grouping: Grouping, size: int, rows: int | None) -> float:
    """The relative error of counts that look at education."""
    seen = seen_as(method, grouping, size, rows)
    return relative_error(seen, dimensions=size, selectivity=SELECTIVITY, quick=rows is not None)


def seen_as(method: Method, grouping: Grouping, size: int, rows: int | None) -> Shown:
    """What is published with education: t-closeness generalises, the others publish two tables."""
    table = adult(ADULT_QI[:size], "education", rows=rows, taxonomies=isinstance(method, Incognito))
    if isinstance(method, Mask):
        of_values = method.model_copy(update={"sensitive": BELOW_SECONDARY})
        return shown_by(release_of(table, of_values, seed=1, recode=TwoTables()), table)
    if isinstance(method, Incognito):
        boxes = shown_groups(table, grouping, "taxonomy", table)
        return Shown(table, *boxes[:4], grouping.suppressed, 0, anatomy=False)
    return two_tables(table, grouping)


def table_of(size: int, rows: int | None, others: int, *, climbing: bool) -> Table:
    """Adult with the first quasi-identifiers; the sensitive set is one value, everybody else is dealt another.

    Only the set is sensitive in the paper; the methods that look at single values need several outside it.
    """
    frame = sample(adult_frame(), rows)
    dealt = np.random.default_rng(1).integers(0, others, frame.height)
    guarded = pl.when(pl.col("schooling") == LOW).then(pl.lit(LOW)).otherwise(pl.format("other {}", pl.Series(dealt)))
    frame = frame.with_columns(guarded.alias("guarded")).with_row_index("row")
    columns = {"row": Column(role="identifier"), **{name: _quasi(name, climbing=climbing) for name in ADULT_QI[:size]}}
    columns["guarded"] = Column(role="sensitive")
    return read(frame.select(list(columns)), schema=Schema(columns=columns))


def _quasi(name: str, *, climbing: bool) -> Column:
    """A quasi-identifier, with the hierarchy that comes with it where global recoding climbs."""
    tree = f"{data_file('adult/taxonomies')}/{name}.csv" if climbing else None
    return Column(role="quasi", taxonomy=tree) if tree else Column(role="quasi")


def figure_1(quick: bool, progress: Progress) -> pl.DataFrame:
    """Problematic rows by QI size for ART and for what it is compared with; r = 10, with --quick r = 5."""
    r = 5 if quick else 10
    support = 150 if quick else 1000
    methods = compared(r, support)
    sizes = (2, 4) if quick else (2, 3, 4, 5)
    rows: list[dict[str, Any]] = []
    progress.stage("attacking", len(sizes) * len(methods))
    for size in sizes:
        for name, method in methods.items():
            progress.advance(len(rows))
            rows.append({"QI size": size, "method": name, "r": r, **attacked(method, size, r, support, quick=quick)})
    return pl.DataFrame(rows, infer_schema_length=None)


def compared(r: int, support: int) -> dict[str, Method]:
    """ART and what it is compared with."""
    return {
        "ART": ART(r=r, sensitive=(LOW,), together=True, support=support),
        "Anatomy": Anatomy(l=r),
        "Mask": Mask(k=r, l=r, sensitive=(LOW,)),
        "Injector": Injector(l=r),
        "t-closeness": Incognito(model=TCloseness(t=Fraction(1, 5))),
    }


def attacked(method: Method, size: int, r: int, support: int, *, quick: bool) -> dict[str, Any]:
    """Publish with one method, and measure all four panels."""
    sampled = 5_000 if quick else None
    # close to the whole table in the set and outside it, which is what the paper asks about
    climbing = isinstance(method, Incognito)
    table = table_of(size, sampled, 1 if climbing else OTHERS, climbing=climbing)
    (column,) = table.having(Role.SENSITIVE)
    low = table.attributes[column].values.to_list().index(LOW)
    began = time.process_time()
    try:
        grouping = release_of(table, method, seed=1).private.grouping
    except PellucidError as refused:
        return {**dict.fromkeys(MEASURES), "bound": None, "refused": str(refused)}
    seconds = time.process_time() - began
    mine = table.codes[column] == low
    inside = mine if grouping.sensitive is None else grouping.sensitive == low
    known = measured(table, mine.astype(np.int32), 2, 2, support)
    belief = worst_belief(known, grouping, inside)
    apart, allowed = spread(known, grouping, inside, r)
    there = mine & (grouping.labels >= 0)
    return {
        "problematic share": float((belief[there] > (1 + 1e-9) / r).mean()),
        "suppressed sensitive rows": int(mine.sum() - there.sum()),
        "seconds": seconds,
        "relative error": error_of_counts(method, grouping, size, sampled),
        "average Δ": apart,
        "bound": allowed if isinstance(method, ART) else None,
        "refused": "",
    }


def check(frame: pl.DataFrame) -> Sequence[ReportedShape]:
    """The shapes of figure 1."""
    done = frame.drop_nulls("problematic share")
    art = done.filter(method="ART")["problematic share"].to_list()
    shapes = [ReportedShape("ART has no violation", bool(art) and max(art) == 0, shown(art))]
    for name in done["method"].unique(maintain_order=True).to_list():
        if name != "ART":
            shares = done.filter(method=name).sort("QI size")["problematic share"].to_list()
            shapes.append(ReportedShape(f"{name} has violations", max(shares) > 0, shown(shares)))
            shapes.append(trend(f"more with more quasi-identifiers ({name})", shares))
    largest = done.filter(pl.col("QI size") == done["QI size"].max())
    by_name = dict(zip(largest["method"], largest["problematic share"], strict=True))
    for other in ("Anatomy", "Injector", "t-closeness"):
        if {"Mask", other} <= set(by_name):
            pair = [by_name["Mask"], by_name[other]]
            claim = f"Mask has fewer violations than {other}"
            shapes.append(ReportedShape(claim, pair[0] < pair[1], named(["Mask", other], pair)))
    seconds = [_by_size(done, name, "seconds")[-1] for name in ("ART", "Anatomy", "Mask", "t-closeness")]
    slowest = ReportedShape(
        "ART is slower than Anatomy, Mask and t-closeness", max(seconds) == seconds[0], shown(seconds)
    )
    names = done["method"].unique(maintain_order=True).to_list()
    times = [trend(f"the time grows with the QI size ({name})", _by_size(done, name, "seconds")) for name in names]
    return [*shapes, slowest, *times, *_check_error(done), *_check_spread(done)]


def _by_size(frame: pl.DataFrame, name: str, measure: str) -> list[float]:
    return [float(value) for value in frame.filter(method=name).sort("QI size")[measure].to_list()]


def _check_error(done: pl.DataFrame) -> list[ReportedShape]:
    """The shapes of panel (b)."""
    shapes = []
    for name in done["method"].unique(maintain_order=True).to_list():
        wrong = _by_size(done, name, "relative error")
        shapes.append(trend(f"the error of counts grows with the QI size ({name})", wrong))
    means = {name: float(np.mean(_by_size(done, name, "relative error"))) for name in done["method"].unique()}
    shapes.append(
        ReportedShape(
            "t-closeness has the largest error",
            max(means, key=lambda name: means[name]) == "t-closeness",
            ", ".join(f"{name} {value:.3g}" for name, value in sorted(means.items())),
        )
    )
    return shapes


def _check_spread(done: pl.DataFrame) -> list[ReportedShape]:
    """The shapes of panel (d)."""
    shapes = []
    for name in done["method"].unique(maintain_order=True).to_list():
        apart = _by_size(done, name, "average Δ")
        shapes.append(trend(f"the average Δ grows with the QI size ({name})", apart))
    bound = _by_size(done, "ART", "bound")
    for name, below in (("ART", True), ("Anatomy", False), ("Injector", False), ("Mask", True), ("t-closeness", True)):
        if name in set(done["method"]):
            apart = _by_size(done, name, "average Δ")
            holds = all((d <= b) == below for d, b in zip(apart, bound, strict=True))
            figures = f"{shown(apart)}; bound {shown(bound)}"
            shapes.append(
                ReportedShape(f"the average Δ of {name} is {'below' if below else 'above'} the bound", holds, figures)
            )
    return [*shapes, _check_order_of_spread(done)]


def _check_order_of_spread(done: pl.DataFrame) -> ReportedShape:
    """Whose groups differ most."""
    means = {name: float(np.mean(_by_size(done, name, "average Δ"))) for name in done["method"].unique()}
    wide, narrow = (
        [means[name] for name in some if name in means] for some in (("Anatomy", "Injector"), ("Mask", "t-closeness"))
    )
    holds = bool(wide and narrow) and min(wide) > max(narrow)
    figures = ", ".join(f"{name} {value:.3g}" for name, value in sorted(means.items()))
    claim = "the average Δ is largest for Anatomy and Injector, then for Mask and t-closeness"
    return ReportedShape(claim, holds, figures)


def draw(frame: pl.DataFrame) -> Chart:
    """Four panels by QI size."""
    done = frame.drop_nulls("problematic share")
    long = [
        {"panel": title, "QI size": row["QI size"], "y": row[measure], "series": row["method"]}
        for measure, title in MEASURES.items()
        for row in done.iter_rows(named=True)
    ]
    long += [
        {"panel": MEASURES["average Δ"], "QI size": row["QI size"], "y": row["bound"], "series": "bound"}
        for row in done.filter(method="ART").iter_rows(named=True)
    ]
    return lines(
        pl.DataFrame(long),
        Axis("QI size", "number of quasi-identifiers", scale="ordinal"),
        Axis("y", ""),
        series=Series("series", "method"),
        panels=Panels("panel"),
        title=f"Who is uncovered by knowing how schooling depends on the rest, r = {frame['r'][0]}",
        caption="Problematic: of the people with little schooling, those whom somebody believes to be so with more "
        "than 1/r who knows its frequency by every one and every two quasi-identifiers. Δ: how far apart these "
        "frequencies are within a group that holds such a person; the bound is what the paper's theorem allows ART. "
        "Lower is better.",
    )


EXPERIMENTS = (
    Experiment(
        name="robustness-fig1",
        paper=PAPER,
        title="Problematic rows under the worst QI-based distribution",
        reports="With r = 10 ART has no violation, and Anatomy, Mask, Injector and t-closeness (t = 0.2) have; "
        "the share of problematic rows grows with the number of quasi-identifiers, and Mask has fewer "
        "than the others, since its groups hold people who look alike. ART is slower than Anatomy, Mask "
        "and t-closeness. All take longer with more of them. The error of counts grows with the quasi- "
        "identifiers and is largest for t-closeness. The average Δ grows too, is above the bound of the "
        "theorem for Anatomy and Injector, and below it for ART, Mask and t-closeness.",
        remark="Exact posteriors over {in the set, not in it}; statistics by one and two quasi-identifiers with "
        "at least 1,000 rows. Only the set is sensitive, so everybody else is dealt one of 40 values for "
        "the methods that look at single values. Injector and ART suppress rows that fit into no group, of "
        "the 1,566 sensitive ones 607 and 103 with four quasi-identifiers, 722 and 192 with five; shares "
        "are of those that are published. T-closeness is Incognito's at t = 0.2, global recoding, with the "
        "hierarchies of the table. The others publish two tables, and their errors are of Anatomy's "
        "queries (s = 0.05, all quasi-identifiers and education). Δ and its bound are over the groups that "
        "hold somebody of the set, for the theorem asks nothing of the others; Mask's is a little above "
        "it, and so is that of t-closeness. T-closeness uncovers fewer than Mask here: with one value and "
        "the rest, its least node is coarse. The times of Anatomy are milliseconds. The quick run takes r "
        "= 5, a ninth of the rows and statistics from 150 rows on.",
        data="adult/adult.csv",
        run=figure_1,
        check=check,
        draw=draw,
        minutes=0.9,
    ),
)
