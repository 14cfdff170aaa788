"""The cells of benchmark/utility.py: real tables, methods, and what one release of a table is worth.

A cell is one table, one choice of quasi-identifiers, one l and one method. Real tables are found by PELLUCID_DATA or
../shared/data (see figures.py). Every quasi-identifier becomes the dense rank of its value, numbers by size, texts by
code point, so that all methods see the same lines; Incognito gets intervals of 2, 4, 8, ... ranks as the levels of its
taxonomies. What depends on the coding shows in two more tables, in which schooling goes from the least to the most.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import polars as pl
from figures import DATA

import pellucid as pc
from pellucid.core.coins import Coins
from pellucid.core.schema import Roles
from pellucid.metrics.boxes import shown_by
from pellucid.publishing import release_of
from pellucid.risk.report.attack_report import Attempt
from pellucid.risk.report.rightly import Rightly
from pellucid.risk.report.with_statistics import statistics_of
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople

COINS = 5
QUERIES = 400
PEOPLE = 20_000  # about whom attackers with statistics guess
LS = (2, 3, 4, 6, 8)
METRICS = {
    "error 3": pc.QueryError(dimensions=3, selectivity=0.06, queries=QUERIES, seed=1),
    "error 2": pc.QueryError(dimensions=2, selectivity=0.04, queries=QUERIES, seed=1),
    "loss": pc.Perimeter(),
}
RIGHT = ("SoftCut", "Strata 50", "Mondrian relaxed", "Anatomy")  # of which it is told how often attackers are right
METHODS: dict[str, Callable[[int], pc.Method]] = {
    "SoftCut": lambda l: pc.SoftCut(l=l),
    "Strata 20": lambda l: pc.Strata(l=l, size=20),
    "Strata 50": lambda l: pc.Strata(l=l, size=50),
    "Strata 200": lambda l: pc.Strata(l=l, size=200),
    "Strata 50 by lot": lambda l: pc.Strata(l=l, size=50, inside="lot"),
    "Strata 50 whole": lambda l: pc.Strata(l=l, size=50, inside="none"),
    "Hybrid": lambda l: pc.Hybrid(l=l),
    "Tailor": lambda l: pc.Tailor(l=l),
    "Ace": lambda l: pc.Ace(l=l),
    "Audited": lambda l: pc.Audited(l=l),
    "Mondrian strict": lambda l: pc.Mondrian(l=l, strict=True),
    "Mondrian relaxed": lambda l: pc.Mondrian(l=l),
    "Incognito": lambda l: pc.Incognito(l=l),
}
STRATA = ("Strata 20", "Strata 50", "Strata 200")  # of which it is told how many people are in strata published whole
ATTACKED = METHODS | {"Anatomy": lambda l: pc.Anatomy(l=l)}
SCHOOLING = (
    "Less than 1st grade",
    "1st 2nd 3rd or 4th grade",
    "5th or 6th grade",
    "7th and 8th grade",
    "9th grade",
    "10th grade",
    "11th grade",
    "12th grade no diploma",
    "High school graduate",
    "Some college but no degree",
    "Associates degree-occup /vocational",
    "Associates degree-academic program",
    "Bachelors degree(BA AB BS)",
    "Masters degree(MA MS MEng MEd MSW MBA)",
    "Prof school degree (MD DDS DVM LLB JD)",
    "Doctorate degree(PhD EdD)",
)


@dataclass(frozen=True)
class RealTable:
    """A table of ../shared/data: the first four quasi-identifiers are used alone, and then all six."""

    name: str
    file: str
    quasi: tuple[str, ...]
    sensitive: str
    about: str
    # texts in order, or the column of their order
    orders: dict[str, Sequence[str] | str] = field(default_factory=dict, compare=False)
    unknown: str | None = None  # rows with this text are left out
    columns: tuple[int, ...] = (4, 6)

    @property
    def path(self) -> Path:
        return DATA / self.file


MAIN = (
    RealTable(
        "census_occupation",
        "census_occupation.csv.gz",
        ("age", "sex", "education", "country_of_birth_self", "race", "marital_status"),
        "occupation_code",
        "145,487 people of the Current Population Survey 1994/95 (UCI Census-Income). The most frequent of 46 "
        "occupations has 8.8% of the rows",
    ),
    RealTable(
        "Adult",
        "adult/adult.csv",
        ("age", "sex", "education", "native-country", "marital-status", "race"),
        "occupation",
        "45,222 people of UCI Adult without unknown values. The most frequent of 14 occupations has 13.3%",
        unknown="?",
    ),
    RealTable(
        "diabetes130",
        "diabetes130.csv.gz",
        ("race", "gender", "age", "payer_code", "admission_type_id", "time_in_hospital"),
        "diag_1",
        "101,766 stays in hospital (UCI Diabetes 130). The most frequent of 717 main diagnoses has 6.7%",
    ),
    RealTable(
        "fars",
        "fars.csv.gz",
        ("CASE_STATE", "AGE", "SEX", "PERSON_TYPE", "SEATING_POSITION", "RESTRAINT_SYSTEM-USE"),
        "INJURY_SEVERITY",
        "100,968 people in fatal road accidents (NHTSA FARS). The most frequent of 8 injuries, a fatal one, has 41.7%",
    ),
)


BY_SCHOOLING = (
    replace(MAIN[0], name="census, schooling in order", orders={"education": SCHOOLING}, columns=(4,)),
    replace(MAIN[1], name="Adult, schooling in order", orders={"education": "education-num"}, columns=(4,)),
)
TABLES = MAIN + BY_SCHOOLING


@dataclass(frozen=True)
class Cell:
    """One figure to find; ``key`` names it in the file of results."""

    table: RealTable
    columns: int
    l: int
    method: str

    @property
    def key(self) -> str:
        return f"{self.table.name}, {self.columns} quasi-identifiers, l = {self.l}, {self.method}"


def cells() -> Iterator[Cell]:
    """All cells, those with four quasi-identifiers first."""
    for columns in (4, 6):
        for table in TABLES:
            for l in LS if columns in table.columns else ():
                for method in METHODS:
                    yield Cell(table, columns, l, method)


@cache
def load(table: RealTable, columns: int) -> pc.Table:
    """The table with its quasi-identifiers as ranks."""
    frame = pl.read_csv(table.path, infer_schema_length=None)
    if table.unknown is not None:
        texts = [name for name, kind in frame.schema.items() if kind == pl.String]
        frame = frame.filter(~pl.any_horizontal(pl.col(name) == table.unknown for name in texts))
    quasi = table.quasi[:columns]
    ranks = [_ranks(frame, name, table.orders.get(name)) for name in quasi]
    frame = pl.DataFrame([*ranks, frame[table.sensitive].cast(pl.String)])
    described = {name: _described(frame[name]) for name in quasi}
    described[table.sensitive] = pc.Column(role="sensitive", kind="category")
    return pc.read(frame, schema=pc.Schema(columns=described))


def _ranks(frame: pl.DataFrame, name: str, order: Sequence[str] | str | None) -> pl.Series:
    values = frame[name]
    if isinstance(order, str):
        values = frame[order]
    elif order is not None:
        values = values.replace_strict(list(order), list(range(len(order))))
    return values.rank("dense").cast(pl.Int32).alias(name)


def _described(ranks: pl.Series) -> pc.Column:
    widths, top = [], int(ranks.max())  # type: ignore[arg-type]
    while 2 ** (len(widths) + 1) < top:
        widths.append(2 ** (len(widths) + 1))
    return pc.Column(role="quasi", kind="number", taxonomy={"ladder": widths} if widths else None)


def right(cell: Cell) -> dict[str, object]:
    """How often attackers with statistics are right about one release, by attacker, and its error; or why not.

    A figure is the mean probability of the truth and how often the best guess is right, without the release and with.
    """
    table = load(cell.table, cell.columns)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pc.SecretSeedWarning)
            release = release_of(table, ATTACKED[cell.method](cell.l), seed=0)
    except pc.PellucidError as wrong:
        return {"infeasible": str(wrong)}
    statistics = statistics_of(gather(release, Roles(), KnownPeople(truth=table)), None, lot=PEOPLE)
    told = {f"{one.by} {'+'.join(one.columns)}": one.right for one in statistics}
    learner = pc.attack(release, pc.Adversary(prior=pc.Learned()), truth=table)
    told["learned"] = Attempt(learner, None).rightly
    found: dict[str, object] = {name: _figures(one) for name, one in told.items() if one is not None}
    return found | {"error 3": float(f"{METRICS['error 3'].score(shown_by(release, table)).value:.6g}")}


def _figures(one: Rightly) -> list[float | None]:
    figures = (one.mean_alone, one.right_alone, one.mean, one.right)
    return [None if figure is None else float(f"{figure:.5g}") for figure in figures]


def whole(cell: Cell) -> dict[str, float]:
    """How many people are in strata published whole, because a value is too frequent, and its largest share.

    Strata and their counts follow from the table alone, so any coins give the same.
    """
    table, method = load(cell.table, cell.columns), METHODS[cell.method](cell.l)
    assert isinstance(method, pc.Strata)
    grouping = method.group(table, Coins.from_seed(0))
    (above,) = method.beyond(table, grouping).values()
    return {"people": int(grouping.sizes[above > 0].sum()), "of": len(table), "largest": float(above.max(initial=0))}


def measured(cell: Cell) -> dict[str, object]:
    """What the releases of a cell are worth, one figure per coin, or why there is none."""
    table = load(cell.table, cell.columns)
    method = METHODS[cell.method](cell.l)
    found: dict[str, list[float]] = {name: [] for name in (*METRICS, "groups", "seconds")}
    for coin in range(COINS if method.draws else 1):
        began = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", pc.SecretSeedWarning)
                release = release_of(table, method, seed=coin)
        except pc.PellucidError as wrong:
            return {"infeasible": str(wrong)}
        found["seconds"].append(round(time.process_time() - began, 3))
        found["groups"].append(len(release.private.grouping))
        shown = shown_by(release, table)
        for name, metric in METRICS.items():
            found[name].append(float(f"{metric.score(shown).value:.6g}"))
    return dict(found)
