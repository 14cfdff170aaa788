"""[H] Hemantha. On minimality attack in privacy preserving data publishing. Thesis, 2017, chapter 5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from pellucid.anonymize.methods import Method
from pellucid.anonymize.methods.incognito import Incognito
from pellucid.anonymize.methods.mondrian import Mondrian
from pellucid.anonymize.methods.spurious_records import SpuriousRecords
from pellucid.charts.charting import Axis, Chart, Panels, Series, lines
from pellucid.metrics import metric_named
from pellucid.metrics.boxes import shown_by
from pellucid.metrics.query_error import QueryError
from pellucid.models.distinct_l_diversity import DistinctLDiversity
from pellucid.publishing import release_of
from pellucid.runtime.progress import Progress
from research.data import adult
from research.experiment import Experiment, ReportedShape, named, shown, trend

PAPER = "[H] Hemantha: On minimality attack in privacy preserving data publishing, thesis, 2017"
QI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
METRICS = ("loss", "class-size", "discernibility", "entropy")
PANELS = {
    "risk in %": "re-identification risk (%)",
    "loss": "loss (share of the domain)",
    "smallest class": "smallest class (rows)",
    "class-size": "average class (rows)",
    "discernibility": "discernibility (sum of squared class sizes)",
    "entropy": "non-uniform entropy (share of information lost)",
}
SCHEMES: dict[str, Method] = {
    "spurious records": SpuriousRecords(k=3, l=3),
    "k-anonymity": Mondrian(k=3),
    "l-diversity": Mondrian(l=3),
}
# Re-identification risk in percent and loss, by k or l, as table 5.1 gives them.
REPORTED = {
    ("k-anonymity", 2): (50, 0.211),
    ("k-anonymity", 4): (25, 0.271),
    ("k-anonymity", 6): (7.69, 0.297),
    ("k-anonymity", 8): (7.69, 0.315),
    ("k-anonymity", 10): (7.69, 0.339),
    ("l-diversity", 2): (50, 0.167),
    ("l-diversity", 4): (25, 0.235),
    ("l-diversity", 6): (10, 0.288),
    ("l-diversity", 8): (0.9009, 0.318),
    ("l-diversity", 10): (0.6993, 0.388),
}


def table_5_1(quick: bool, progress: Progress) -> pl.DataFrame:
    """Re-identification risk and what is lost, by k and by l."""
    rows = []
    settings = [(model, value) for model in ("k-anonymity", "l-diversity") for value in (2, 4, 6, 8, 10)]
    table = adult(QI, "occupation", taxonomies=True, rows=12_000 if quick else None)
    progress.stage("publishing", len(settings))
    for done, (model, value) in enumerate(settings):
        progress.advance(done)
        method = Incognito(k=value) if model == "k-anonymity" else Incognito(model=DistinctLDiversity(l=value))
        release = release_of(table, method, seed=1)
        seen = shown_by(release, table)
        risk, loss = REPORTED[model, value]
        rows.append(
            {
                "model": model,
                "parameter": value,
                "smallest class": int(release.private.grouping.sizes.min()),
                "risk in %": 100 / int(release.private.grouping.sizes.min()),
                "risk in %, paper": float(risk),
                **{name: float(metric_named(name)().score(seen).value or 0) for name in METRICS},
                "loss, paper": loss,
            }
        )
    return pl.DataFrame(rows)


def check(frame: pl.DataFrame) -> Sequence[ReportedShape]:
    """The shapes of table 5.1 and the graphs around it."""
    shapes = []
    for model in ("k-anonymity", "l-diversity"):
        mine = frame.filter(model=model).sort("parameter")
        risk, loss, size, spread, dispersed = (mine[name].to_list() for name in ("risk in %", *METRICS))
        smallest = mine["smallest class"].to_list()
        shapes += [
            ReportedShape(
                f"the risk falls with the parameter ({model})", risk == sorted(risk, reverse=True), shown(risk)
            ),
            ReportedShape(f"the loss rises with the parameter ({model})", loss == sorted(loss), shown(loss)),
            ReportedShape(
                f"the smallest class grows with the parameter ({model})", smallest == sorted(smallest), shown(smallest)
            ),
            trend(f"the average class grows with the parameter ({model})", size),
            trend(f"discernibility grows with the parameter ({model})", spread),
            trend(f"the entropy lost grows with the parameter ({model})", dispersed),
        ]
    strict = frame.filter(parameter=10)
    risks = dict(zip(strict["model"], strict["risk in %"], strict=True))
    shapes.append(
        ReportedShape(
            "at 10, l-diversity leaves a far smaller risk than k-anonymity",
            risks["l-diversity"] < risks["k-anonymity"] / 3,
            shown(risks.values()),
        )
    )
    return shapes


def draw(frame: pl.DataFrame) -> Chart:
    """Risk and loss, ours and the thesis's, and the measures of its graphs."""
    long = []
    for measure, panel in PANELS.items():
        for row in frame.iter_rows(named=True):
            at = {"panel": panel, "parameter": row["parameter"]}
            long.append({**at, "y": float(row[measure]), "series": f"{row['model']}, ours"})
            if f"{measure}, paper" in row:
                long.append({**at, "y": float(row[f"{measure}, paper"]), "series": f"{row['model']}, thesis"})
    return lines(
        pl.DataFrame(long),
        Axis("parameter", "k or l", scale="ordinal"),
        Axis("y", ""),
        series=Series(
            "series", "model", ["k-anonymity, ours", "l-diversity, ours", "k-anonymity, thesis", "l-diversity, thesis"]
        ),
        panels=Panels("panel"),
        title="Risk falls and loss rises with k and l, Adult, global recoding",
        caption="The risk is one over the smallest class: what somebody who looks for one person reaches at most. The "
        "loss is the share of its domain that a cell was generalised to. The thesis's graphs of the other measures are "
        "lost. Lower is better, except for the smallest class.",
    )


def utility(quick: bool, progress: Progress) -> pl.DataFrame:
    """The relative error of counts with k = l = 3: the thesis's scheme, k-anonymity and l-diversity."""
    table = adult(QI, "occupation", rows=12_000 if quick else None)
    rows: list[dict[str, Any]] = []
    queries = 1000 if quick else 10_000
    dimensions = (1, 2, 3)
    progress.stage("asking", len(SCHEMES) * len(dimensions))
    for name, method in SCHEMES.items():
        release = release_of(table, method, seed=1)
        seen = shown_by(release, table)
        for qd in dimensions:
            progress.advance(len(rows))
            asked = QueryError(dimensions=qd, selectivity=0.1, queries=queries, seed=1, form="values", delta=0.0)
            error = float(asked.score(seen).value or 0.0)
            made_up = 0 if release.private.grouping.added is None else len(release.private.grouping.added[0])
            rows.append({"method": name, "dimensions": qd, "error": error, "made-up records": made_up})
    return pl.DataFrame(rows)


def check_utility(frame: pl.DataFrame) -> Sequence[ReportedShape]:
    """Its own scheme beside the others."""
    means = {name: float(frame.filter(method=name)["error"].to_numpy().mean()) for name in SCHEMES}
    own, plain, diverse = (means[name] for name in SCHEMES)
    added = int(frame["made-up records"].max())  # type: ignore[arg-type]
    return [
        ReportedShape(
            "the scheme errs about as much as k-anonymity",
            own <= 1.5 * plain,
            named(["ours", "k-anonymity"], [own, plain]),
        ),
        ReportedShape(
            "the scheme errs about as much as l-diversity",
            own <= 1.5 * diverse,
            named(["ours", "l-diversity"], [own, diverse]),
        ),
        ReportedShape("records are made up", added > 0, f"{added:,}"),
    ]


def draw_utility(frame: pl.DataFrame) -> Chart:
    """Error by dimension."""
    return lines(
        frame,
        Axis("dimensions", "number of quasi-identifiers in a query", scale="ordinal"),
        Axis("error", "error of counts (mean, relative)", format="~%"),
        series=Series("method", "method"),
        title="Counts from the thesis's scheme beside k-anonymity and l-diversity, k = l = 3",
        caption="Random counts on quasi-identifiers and occupation, made with the release; the error is relative to "
        "the true count, and queries that nobody satisfies are left out. Lower is better.",
    )


EXPERIMENTS = (
    Experiment(
        name="hemantha-table5-1",
        paper=PAPER,
        title="Re-identification risk against loss, k-anonymity and l-diversity",
        reports="With ARX on Adult, the risk falls from 50 % at 2 to 7.69 % at 10 with k-anonymity and to 0.7 % with "
        "l-diversity, while the loss rises from 0.211 to 0.339 and from 0.167 to 0.388; class sizes grow likewise.",
        remark="The thesis does not name its quasi-identifiers, its l-diversity or whether rows were suppressed. We "
        "use Incognito with seven quasi-identifiers, distinct l-diversity of occupation and no suppression; our "
        "losses are higher and less steep. The average class and discernibility do not grow at every step: the least "
        "loss may be that of levels that are coarser in one column and finer in another. The smallest class does, and "
        "with l-diversity it leaps to very large classes, as in the thesis.",
        data="adult/adult.csv",
        run=table_5_1,
        check=check,
        draw=draw,
        minutes=0.1,
    ),
    Experiment(
        name="hemantha-utility",
        paper=PAPER,
        title="Accuracy of the scheme with made-up records",
        reports="With k = l = 3 the average relative error of counts that look at the sensitive column is comparable "
        "for the scheme with spurious records and for the existing ones, mainly k-anonymity.",
        remark="Not so for us: made-up records count as people, a reader cannot tell them apart, and for l-diversity "
        "of occupation many groups of three need some (18,813 for 45,222 rows). The thesis gives neither its queries "
        "nor its figures; ours take 10 % of the value combinations of one to three quasi-identifiers and occupation, "
        "and both of its comparisons are Mondrian's.",
        data="adult/adult.csv",
        run=utility,
        check=check_utility,
        draw=draw_utility,
        minutes=0.2,
    ),
)
