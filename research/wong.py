"""[W] Wong, Fu, Wang, Pei. Minimality attack in privacy preserving data publishing. VLDB 2007, section 7.

Credibility as [W] defines it is the belief of somebody who knows that nothing is generalised without need.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.methods.alpha_k import AlphaK
from pellucid.charts.charting import Axis, Chart, Panels, Series, lines
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.posterior.exclusion import Impossible
from pellucid.posterior.merged_classes import credibilities
from pellucid.publishing import release_of
from pellucid.runtime.progress import Progress
from research.data import ADULT_QI, LOW, adult
from research.experiment import Experiment, ReportedShape, falls, shown, trend

PAPER = "[W] Wong, Fu, Wang, Pei: Minimality attack in privacy preserving data publishing, VLDB 2007"


def figure_2(quick: bool, progress: Progress) -> pl.DataFrame:
    """Problematic tuples and their credibility, by m and by the number of quasi-identifiers."""
    settings = [("m", 5 if quick else 8, m) for m in ((2, 3, 4) if quick else (2, 3, 4, 6, 8, 10))]
    settings += [("QI size", size, 2) for size in ((2, 3, 5) if quick else range(2, 9))]
    rows = []
    progress.stage("attacking", len(settings))
    for done, (varied, size, m) in enumerate(settings):
        progress.advance(done)
        table = adult(ADULT_QI[:size], "schooling", taxonomies=True)
        (column,) = table.having(Role.SENSITIVE)
        low = table.codes[column] == table.attributes[column].values.to_list().index(LOW)
        release = release_of(table, AlphaK(alpha=Fraction(1, m), k=1, sensitive=(LOW,)), seed=1)
        began = time.process_time()
        belief = credibility(table, release.private.grouping, low, m)
        seconds = time.process_time() - began
        merged, several = classes_merged(table, release.private.grouping)
        problematic = belief > (1 + 1e-9) / m
        rows.append(
            {
                "varied": varied,
                "m": m,
                "QI size": size,
                "sensitive rows": int(low.sum()),
                "problematic rows": int(problematic.sum()),
                "problematic share": float(problematic.sum() / low.sum()),
                "uncovered share": float((problematic & low).sum() / low.sum()),
                "average credibility": float(belief[problematic].mean()) if problematic.any() else None,
                "classes in mixed groups": merged,
                "in several of them": several,
                "seconds": seconds,
            }
        )
    return pl.DataFrame(rows)


def check_2(frame: pl.DataFrame) -> Sequence[ReportedShape]:
    """The shapes of figure 2."""
    by_m = frame.filter(varied="m").sort("m")
    by_size = frame.filter(varied="QI size").sort("QI size")
    some = by_size.drop_nulls("average credibility")
    at_two = some["average credibility"].to_list()
    pooled = float(np.average(at_two, weights=some["problematic rows"].to_numpy()))
    shares, credible = by_m["problematic share"].to_list(), by_m["average credibility"].to_list()
    uncovered = by_m["uncovered share"].to_list()
    sensitive = frame["sensitive rows"].unique().sort().to_list()
    taken = [by_m["seconds"][0], by_m["seconds"][-1]]
    return [
        ReportedShape(
            "all credibilities are computed within the paper's 173 s (m = 2) and 239 s (m = 10)",
            taken[0] <= 173 and taken[1] <= 239,
            f"{taken[0]:.1f} s at m = {by_m['m'][0]}, {taken[1]:.1f} s at m = {by_m['m'][-1]}",
        ),
        ReportedShape("Adult has 1,566 sensitive rows", sensitive == [1566], ", ".join(map(str, sensitive))),
        ReportedShape(
            "the attack uncovers people at every m", all(n > 0 for n in by_m["problematic rows"]), shown(shares)
        ),
        ReportedShape("the average credibility falls with m", falls(credible), shown(credible)),
        ReportedShape(
            "the average credibility at m = 2 is about 0.9, and nearly the same for every QI size",
            0.8 <= pooled <= 1 and min(at_two) > 0.6,
            f"{pooled:.2f} over all; {shown(at_two)}",
        ),
        trend("more quasi-identifiers, more problematic rows", by_size["problematic share"]),
        trend("the problematic rows tend to become more with m", shares),
        ReportedShape(
            "most of them do not have the value when m is large",
            uncovered[-1] < 0.5 * shares[-1],
            f"{shown(uncovered)} of the sensitive rows are problematic",
        ),
    ]


def draw_2(frame: pl.DataFrame) -> Chart:
    """Both measures by both variables."""
    long = []
    titles: dict[str, tuple[str, str]] = {}
    for row in frame.iter_rows(named=True):
        x = row["m"] if row["varied"] == "m" else row["QI size"]
        along = "m (QI size fixed)" if row["varied"] == "m" else "QI size (m = 2)"
        across = "m" if row["varied"] == "m" else "number of quasi-identifiers"
        for measure, unit in (("problematic share", "by 1,566"), ("average credibility", "probability")):
            panel = f"{measure} by {along}"
            titles[panel] = (across, f"{measure} ({unit})")
            long.append({"panel": panel, "x": x, "y": row[measure], "series": measure})
    return lines(
        pl.DataFrame(long, infer_schema_length=None),
        Axis("x", "", scale="ordinal"),
        Axis("y", ""),
        series=Series("series", "measure"),
        panels=Panels("panel", titles),
        title="Minimality attack on (α,k)-anonymity, Adult, education below secondary",
        caption="Problematic: rows, whatever they have, of which the attacker believes with more than 1/m that they "
        "are of little schooling; as a multiple of the 1,566 that are. Credibility: that belief, on average over "
        "these rows; at m = 2 it should not exceed 0.5.",
    )


FIGURE_2 = Experiment(
    name="wong-fig2",
    paper=PAPER,
    title="How many rows the minimality attack uncovers, and how surely",
    reports="On Adult with (α,k)-anonymity (α = 1/m, k = 1) the number of problematic rows, by the 1,566 sensitive "
    "ones, tends to rise with m and with the number of quasi-identifiers; their average credibility falls with m, and "
    "at m = 2 it is about 0.9 whatever the number of quasi-identifiers, where 0.5 was promised.",
    remark="Each merged group is counted by itself (engine E1 with kept rows, erratum 11), and a class as a whole, "
    "since [W]'s attacker does not know which of its rows went where. What other merged groups tell of a class is not "
    "counted, so that the credibility of a class in several of them is an approximation: 869 of 8,309 classes at "
    "m = 10, 55 of 1,738 at m = 2. The attacker of pc.attack is told who is in which group. At m = 10 that one "
    "uncovers 184 rows, these 165 among them; at m = 2 both uncover 88. The (α,k) algorithm is the one of methods.md. "
    "The paper calls the rows of an uncovered class problematic and gives their proportion among the sensitive ones. "
    "We divide all such rows by 1,566, which rises with m; counting only the sensitive ones among them, which the "
    "words allow as well, the share falls (the last finding, which is ours and not the paper's): at m = 10 a "
    "credibility of 0.13 is a breach, and most such rows are not sensitive. With eight quasi-identifiers the number "
    "falls again after m = 8; larger groups of more classes tell less about each. With two quasi-identifiers alone, "
    "where only a handful of rows is problematic, the credibility at m = 2 is 0.75.",
    data="adult/adult.csv",
    run=figure_2,
    check=check_2,
    draw=draw_2,
    minutes=0.2,
)

EXPERIMENTS = (FIGURE_2,)


def classes_merged(table: Table, grouping: Grouping) -> tuple[int, int]:
    """How many classes have rows in a group with other classes, and how many of these in several such groups."""
    parts = _parts(table, grouping).group_by("group", "class").agg(pl.len())
    mixed = parts.filter(pl.len().over("group") > 1).group_by("class").agg(pl.len().alias("groups"))
    return mixed.height, mixed.filter(pl.col("groups") > 1).height


def _parts(table: Table, grouping: Grouping) -> pl.DataFrame:
    """The group, the class and the number of every row in a group."""
    quasi = [table.codes[i] for i in table.having(Role.QUASI)]
    rows = pl.DataFrame({f"q{i}": codes for i, codes in enumerate(quasi)}).with_columns(
        pl.Series("group", grouping.labels), pl.int_range(pl.len()).alias("row")
    )
    return rows.filter(pl.col("group") >= 0).with_columns(
        pl.struct([f"q{i}" for i in range(len(quasi))]).rank("dense").alias("class")
    )


def credibility(table: Table, grouping: Grouping, inside: NDArray[np.bool_], m: int) -> NDArray[np.float64]:
    """For each row the belief that it has a value of the set, which ``inside`` tells for every row.

    A class is all rows with the same quasi-identifiers. A group with rows of several classes was formed because one of
    them, as a whole, had more than one row in m inside the set; rows that are published in a group of their own class
    are known. Rows of a class that went to another mixed group say nothing about this one.
    """
    rows = _parts(table, grouping)
    rows = rows.with_columns(pl.Series("inside", inside)[rows["row"]])
    parts = rows.group_by("group", "class").agg(pl.len().alias("n"), pl.col("inside").sum().alias("s"), pl.col("row"))
    mixed = pl.len().over("group") > 1
    own = parts.filter(~mixed).group_by("class").agg(pl.col("n").sum().alias("kept"), pl.col("s").sum().alias("kept_s"))
    parts = parts.with_columns(mixed.alias("mixed")).join(own, on="class", how="left").fill_null(0)
    belief = np.zeros(len(table))
    for (_, is_mixed), part in parts.sort("group", "class").group_by("group", "mixed", maintain_order=True):
        members = part["row"].to_list()
        believed = _of_group(part, m) if is_mixed else (part["s"] / part["n"]).to_list()
        for mine, probability in zip(members, believed, strict=True):
            # a class that is published both ways is believed the same throughout; the mixed group says it
            belief[mine] = np.maximum(belief[mine], probability)
    return belief


def _of_group(part: pl.DataFrame, m: int) -> list[float]:
    """What is believed of each class of a mixed group: of generalised rows by the engine, of the others by sight."""
    n, s = int(part["n"].sum()), int(part["s"].sum())
    moved, kept, kept_s = (part[name].to_list() for name in ("n", "kept", "kept_s"))
    sizes = [own + away for own, away in zip(kept, moved, strict=True)]
    shares = [s / n] * len(moved)
    # a class as a whole satisfies the model with at most so many of its generalised rows inside the set
    most = [size // m - known for size, known in zip(sizes, kept_s, strict=True)]
    if s > 0:
        with suppress(Impossible):  # no class can have violated the model: something else was in the way
            shares = credibilities(moved, s, most)
    return [
        (away * share + known) / size for away, share, known, size in zip(moved, shares, kept_s, sizes, strict=True)
    ]
