"""[C] Cormode et al. Minimizing minimality and maximizing utility. VLDB 2010, section 5.3: aggregate queries."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.methods.anatomy import dealt
from pellucid.anonymize.methods.randomized_greedy_grouping import RandomizedGreedyGrouping
from pellucid.anonymize.methods.symmetric_grouping import SymmetricGrouping
from pellucid.charts.charting import Axis, Chart, Panels, Series, lines
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.metrics.answering import estimated_answers, true_answers
from pellucid.metrics.workload import Workload
from pellucid.runtime.progress import Progress
from research.cormode import PAPER, QI
from research.data import adult
from research.experiment import Experiment, ReportedShape, named, trend
from research.two_tables import two_tables

POSITIVE, L, P = "Craft-repair", 6, 0.65
METHODS = ("RGG", "SG", "Base", "RGG(Ana)", "SG(Ana)", "Base(Ana)")
MOST_CORRELATED = 100
ALL, ABOVE, BELOW = "all queries", "positively correlated", "negatively correlated"


def anatomized(table: Table, grouping: Grouping, positive: NDArray[np.bool_], coins: Coins) -> Grouping:
    """Divide each group by lot into groups of L rows or a few more, with at most one positive row each."""
    members = grouping.members
    rows, starts = dealt(positive[members], grouping.starts, members.astype(np.int64), L, coins)
    return Grouping(members[rows], starts, len(table))


def groupings(table: Table) -> dict[str, Grouping]:
    """The groups of each method; only one occupation is protected, as in the figures on risks."""
    coins = Coins.from_seed(1)
    (column,) = table.having(Role.SENSITIVE)
    positive = table.codes[column] == table.attributes[column].values.to_list().index(POSITIVE)
    whole = {
        "RGG": RandomizedGreedyGrouping(l=L, p=P, binary=(POSITIVE,)).group(table, coins),
        "SG": SymmetricGrouping(l=L, binary=(POSITIVE,)).group(table, coins),
        "Base": Grouping.from_labels(np.zeros(len(table), np.int32)),  # two tables that are not connected
    }
    divided = {f"{name}(Ana)": anatomized(table, grouping, positive, coins) for name, grouping in whole.items()}
    return {**whole, **divided}


def figure_5(quick: bool, progress: Progress) -> pl.DataFrame:
    """The error of counts on value sets by query dimension and selectivity, of all queries and of correlated ones."""
    table = adult(QI, "occupation", rows=12_000 if quick else None)
    made = groupings(table)
    seen = {name: two_tables(table, grouping) for name, grouping in made.items()}
    asked = [("query dimension", qd, 0.5) for qd in ((2, 4) if quick else (1, 2, 3, 4, 5, 6))]
    asked += [("selectivity", 3, sel) for sel in ((0.3, 0.7) if quick else (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8))]
    rows: list[dict[str, Any]] = []
    progress.stage("asking", len(asked))
    for done, (varied, qd, sel) in enumerate(asked):
        progress.advance(done)
        workload = Workload.of(table, dimensions=qd, selectivity=sel, queries=1000, seed=1, form="sets")
        true = true_answers(workload, table)
        chosen = by_correlation(true, estimated_answers(workload, seen["Base"]))
        for name in METHODS:
            estimated = estimated_answers(workload, seen[name])
            for which, queries in chosen.items():
                error = float(np.mean(np.abs(true - estimated)[queries] / true[queries]))
                row = {"varied": varied, "qd": qd, "selectivity": sel, "method": name, "queries": which}
                rows.append({**row, "error": error, "average group": float(made[name].sizes.mean())})
    return pl.DataFrame(rows)


def by_correlation(true: NDArray[np.int64], if_unrelated: NDArray[np.float64]) -> dict[str, NDArray[np.int64]]:
    """Queries that somebody satisfies; those whose count is most above, and most below, what it would be by chance."""
    some = np.flatnonzero(true > 0)
    ratio = true[some] / if_unrelated[some]
    in_line = some[np.argsort(ratio, kind="stable")]
    return {ALL: some, ABOVE: in_line[-MOST_CORRELATED:], BELOW: in_line[:MOST_CORRELATED]}


def check_5(frame: pl.DataFrame) -> Sequence[ReportedShape]:
    """Who errs less, and how the error goes."""
    shapes = []

    def mean(which: str, name: str) -> float:
        return float(frame.filter(queries=which, method=name)["error"].to_numpy().mean())

    for better, worse in (("RGG", "SG"), ("RGG", "Base"), ("RGG(Ana)", "SG(Ana)"), ("RGG(Ana)", "Base(Ana)")):
        pair = [mean(ALL, better), mean(ALL, worse)]
        shapes.append(
            ReportedShape(f"{better} errs less than {worse}", pair[0] < pair[1], named([better, worse], pair))
        )
    for name in ("RGG", "SG", "Base"):
        pair = [mean(ALL, f"{name}(Ana)"), mean(ALL, name)]
        shapes.append(
            ReportedShape(
                f"anatomizing lowers the error of {name}", pair[0] < pair[1], named(["anatomized", "not"], pair)
            )
        )
    for which in (ABOVE, BELOW):
        pair = [mean(which, "RGG(Ana)"), mean(which, "Base(Ana)")]
        shapes.append(
            ReportedShape(
                f"RGG(Ana) errs less than Base(Ana), {which} queries",
                pair[0] < pair[1],
                named(["RGG(Ana)", "Base(Ana)"], pair),
            )
        )
        pair = [mean(which, "RGG"), mean(which, "Base")]
        half = f"RGG has about half the error of the baseline, at most 0.6 of it, {which} queries"
        shapes.append(ReportedShape(half, pair[0] <= 0.6 * pair[1], named(["RGG", "Base"], pair)))
    shapes += _check_sizes(frame)
    for which, (along, column) in product(
        (ALL, ABOVE, BELOW), (("query dimension", "qd"), ("selectivity", "selectivity"))
    ):
        errors = frame.filter(method="RGG", queries=which, varied=along).sort(column)["error"].to_list()
        shapes.append(trend(f"the error falls with the {along}, {which} (RGG)", errors, up=False))
    return shapes


def _check_sizes(frame: pl.DataFrame) -> list[ReportedShape]:
    """What the paper says of group sizes."""
    of = {name: float(frame.filter(method=name)["average group"][0]) for name in METHODS}
    figures = ", ".join(f"{name} {size:.3g}" for name, size in of.items())
    near = all(of[name] < 1.1 * L for name in ("RGG(Ana)", "Base(Ana)"))
    return [
        ReportedShape("SG has a larger average group than RGG before anatomizing", of["SG"] > of["RGG"], figures),
        ReportedShape("anatomized, RGG and Base have groups of about l rows, at most 1.1 times l", near, figures),
        ReportedShape("anatomized, SG has groups below 2l", of["SG(Ana)"] < 2 * L, figures),
    ]


def draw_5(frame: pl.DataFrame) -> Chart:
    """Error by dimension and by selectivity, of all queries and of the most correlated ones."""
    long = [
        {
            "panel": f"{which}, by {varied}",
            "x": float(row["qd" if varied == "query dimension" else "selectivity"]),
            "y": row["error"],
            "series": row["method"],
        }
        for which in (ALL, ABOVE, BELOW)
        for varied in ("query dimension", "selectivity")
        for row in frame.filter(queries=which, varied=varied).iter_rows(named=True)
    ]
    return lines(
        pl.DataFrame(long),
        Axis("x", "number of quasi-identifiers, or share of their values", scale="ordinal"),
        Axis("y", "error (mean, relative)", format="~%"),
        series=Series("series", "method", METHODS),
        panels=Panels("panel"),
        title="Error of count queries on value sets, Adult, l = 6",
        caption="1,000 random counts; each predicate is a random set of at most that share of a column's values. The "
        "error is relative to the true count, and queries that nobody satisfies are left out. Correlated: the 100 "
        "queries whose count is most above, or below, what it would be by chance. Lower is better.",
    )


FIGURE_5 = Experiment(
    name="cormode-fig5",
    paper=PAPER,
    title="Accuracy of aggregate queries",
    reports="RGG errs less than SG and than the baseline of two unconnected tables, with and without anatomizing; "
    "anatomizing lowers the error of every method; errors fall with more query dimensions and with higher "
    "selectivity. Of the 100 queries with the most positive, and the most negative, correlation both errors "
    "fall likewise, and RGG often has half the error of the baseline. SG has somewhat larger groups than RGG; "
    "anatomized, RGG and Base have about l rows a group and SG less than 2l.",
    remark="All methods publish two tables (permutation in the paper) and run with l = 6 and p = 0.65, though exact "
    "posteriors show that this does not bring RGG's risk to 1/l (erratum 8), and that anatomizing symmetric "
    "groups breaks their promise (erratum 7): this is about accuracy alone. The paper does not say which "
    "values it protects here, and the order of RGG and SG depends on it. We tried three settings and show "
    "Craft-repair, the only one near the paper: there the two are within a percent, with SG ahead where "
    "groups are anatomized, and on the quick data. SG has the smaller groups, since it cuts down whatever "
    "has no Craft-repair. With Tech-support SG errs far less than RGG (0.09 against 0.31 with three "
    "dimensions), for it cuts down to 1.3 rows; with every occupation SG never cuts and RGG suppresses "
    "17,706 rows and errs about as much as the baseline. RGG has four fifths of the baseline's error rather "
    "than half. Correlation is measured against the unconnected tables. With more dimensions our error "
    "rises, since fewer rows match and it is relative to the true count; queries that nobody satisfies are "
    "left out, of which the paper does not speak. [W] reports a rise too, for that reason.",
    data="adult/adult.csv",
    run=figure_5,
    check=check_5,
    draw=draw_5,
    minutes=0.1,
)

EXPERIMENTS = (FIGURE_5,)
