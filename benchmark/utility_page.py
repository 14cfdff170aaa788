"""What benchmark/utility.py writes: the page docs/utility.md and its chart, from the figures of the cells."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import polars as pl
from utility_cells import ATTACKED, BY_SCHOOLING, COINS, LS, MAIN, METHODS, QUERIES, RIGHT, STRATA, TABLES, cells

from pellucid.charts.charting import Axis, Chart, Panels, Series, lines

Results = Mapping[str, Mapping[str, object]]
CHART = "img/utility.png"
SAFE = tuple(name for name, make in METHODS.items() if make(2).claim == "algorithm")
DRAWN = (  # as many lines as can be told apart
    *("SoftCut", "Strata 20", "Strata 50", "Strata 200", "Hybrid"),
    *("Mondrian strict", "Mondrian relaxed", "Incognito"),
)
KEEPING, LEAKING = ", ".join(SAFE), ", ".join(name for name in METHODS if name not in SAFE)
ONCE = ", ".join(name for name, make in METHODS.items() if not make(2).draws)
EXPECTED = {"census_occupation": (3, 4), "Adult": (2, 3)}  # where the notes on the methods promise 0.6 times Hybrid
TITLES = {
    "error 3": f"Error of counts on 3 quasi-identifiers and the sensitive value, selectivity 6% ({QUERIES} queries)",
    "error 2": f"Error of counts on 2 quasi-identifiers and the sensitive value, selectivity 4% ({QUERIES} queries)",
    "loss": "Loss: mean sum of the extents of a row's ranges, from 0 to the number of quasi-identifiers",
    "groups": "Number of groups",
}

HEADING = "| table | quasi-identifiers | l | "
COMPARED = {
    "error 3": "Error of counts on 3 quasi-identifiers",
    "error 2": "Error of counts on 2 quasi-identifiers",
    "loss": "Loss",
}


@dataclass(frozen=True, eq=False)
class Row:
    """One table, number of quasi-identifiers and l: the figures of each method that could be run."""

    table: str
    columns: int
    l: int
    found: dict[str, dict[str, list[float]]]

    def __str__(self) -> str:
        return f"{self.table}, {self.columns} quasi-identifiers, l = {self.l}"

    def mean(self, method: str, metric: str = "error 3") -> float:
        return statistics.mean(self.found[method][metric])

    def spread(self, method: str, metric: str = "error 3") -> float:
        """Half of what lies between the best and the worst coin."""
        values = self.found[method][metric]
        return (max(values) - min(values)) / 2


def rows_of(results: Results) -> Iterator[Row]:
    """The rows for which some method could be run."""
    for columns in (4, 6):
        for table in TABLES:
            for l in LS:
                keys = {m: f"{table.name}, {columns} quasi-identifiers, l = {l}, {m}" for m in METHODS}
                found = {m: dict(results[key]) for m, key in keys.items() if "error 3" in results.get(key, {})}
                if found:
                    yield Row(table.name, columns, l, found)  # type: ignore[arg-type]  # lists of figures


def missing(results: Results) -> list[str]:
    """Cells that were not run, though their row may be feasible."""
    return [cell.key for cell in cells() if cell.key not in results]


def table_of(rows: list[Row], metric: str) -> list[str]:
    """One line per row, one column per method; the best is bold, and also the best safe one."""
    lines_ = [
        HEADING + " | ".join(map(_named, METHODS)) + " |",
        "|---" * (3 + len(METHODS)) + "|",
    ]
    for row in rows:
        pick = max if metric == "groups" else min
        best = {
            pick(row.mean(m, metric) for m in of if m in row.found)
            for of in (METHODS, SAFE)
            if set(of) & set(row.found)
        }
        told = [_figure(row, m, metric, best) if m in row.found else "–" for m in METHODS]
        lines_.append(f"| {row.table} | {row.columns} | {row.l} | " + " | ".join(told) + " |")
    return lines_


def _named(method: str) -> str:
    """In italics where it does not withstand an attacker who knows it."""
    return method if ATTACKED[method](2).claim == "algorithm" else f"*{method}*"


def _figure(row: Row, method: str, metric: str, best: set[float]) -> str:
    mean, spread = row.mean(method, metric), row.spread(method, metric)
    text = f"{mean:,.0f}" if metric == "groups" else f"{mean:.4f}".lstrip("0")
    if len(row.found[method][metric]) > 1:
        text += f" ± {spread:,.0f}" if metric == "groups" else f" ± {spread:.4f}".replace(" 0.", " .")
    return f"**{text}**" if mean in best else text


def expectations(rows: list[Row]) -> list[str]:
    """What was expected of SoftCut, and whether it is so, row by row where it is not."""
    both = [row for row in rows if {"SoftCut", "Hybrid"} <= set(row.found)]
    told: list[str] = []
    for metric, words in COMPARED.items():
        claim = f"{words}: SoftCut is no worse than Hybrid, within the spread, on {len(both)} rows"
        told += _verdict(
            claim, [row for row in both if _behind_hybrid(row, metric)], partial(_beside_hybrid, metric=metric)
        )
    promised = [row for row in both if row.columns == 4 and row.l in EXPECTED.get(row.table, ())]
    above = [row for row in promised if row.mean("SoftCut") > 0.6 * row.mean("Hybrid")]
    ratios = ", ".join(f"{row.mean('SoftCut') / row.mean('Hybrid'):.2f}" for row in promised)
    where = "census_occupation l = 3, 4 and Adult l = 2, 3, with four quasi-identifiers"
    told += _verdict(
        f"SoftCut has at most 0.6 times Hybrid's error on {where} (measured: {ratios})", above, _beside_hybrid
    )
    leaking = [m for m in METHODS if m.startswith("Mondrian")]
    beaten = [row for row in promised if any(m in row.found and row.mean(m) <= row.mean("SoftCut") for m in leaking)]
    told += _verdict(
        "SoftCut's error is below both Mondrians' on all of those",
        beaten,
        partial(_all_of, methods=("SoftCut", *leaking)),
    )
    for size in (20, 50, 200):
        name = f"Strata {size}"
        finer = [row for row in rows if {"SoftCut", name} <= set(row.found)]
        above = [row for row in finer if row.mean(name) > row.mean("SoftCut")]
        claim = f"{name} has a smaller error than SoftCut on {len(finer)} rows"
        told += _verdict(claim, above, partial(_all_of, methods=("SoftCut", name)))
    return told


def _verdict(claim: str, against: list[Row], told: Callable[[Row], str]) -> list[str]:
    if not against:
        return [f"- **Yes.** {claim}."]
    return [f"- **No.** {claim}. Exceptions:", *(f"  - {row}: {told(row)}." for row in against)]


def _behind_hybrid(row: Row, metric: str) -> bool:
    spread = row.spread("SoftCut", metric) + row.spread("Hybrid", metric)
    return row.mean("SoftCut", metric) > row.mean("Hybrid", metric) + spread


def _beside_hybrid(row: Row, metric: str = "error 3") -> str:
    soft, hybrid = (f"{row.mean(m, metric):.4f} ± {row.spread(m, metric):.4f}" for m in ("SoftCut", "Hybrid"))
    return f"{soft} against {hybrid}"


def _all_of(row: Row, methods: tuple[str, ...]) -> str:
    return ", ".join(f"{m} {row.mean(m):.4f}" for m in methods if m in row.found)


def not_the_best(rows: list[Row], metric: str) -> list[str]:
    """The rows on which another method does better than SoftCut."""
    told = [f"{HEADING}SoftCut | better |", "|---" * 5 + "|"]
    for row in rows:
        if "SoftCut" not in row.found:
            continue
        mine = row.mean("SoftCut", metric)
        better = sorted((row.mean(m, metric), m) for m in row.found if row.mean(m, metric) < mine)
        if better:
            others = ", ".join(f"{_named(m)} {mean:.4f}" for mean, m in better)
            spread = row.spread("SoftCut", metric)
            told.append(f"| {row.table} | {row.columns} | {row.l} | {mine:.4f} ± {spread:.4f} | {others} |")
    return told if len(told) > 2 else ["On no row."]


@dataclass(frozen=True)
class Guessed:
    """What the strongest attacker with statistics gets right, by one figure: without the release and with it."""

    who: str
    alone: float
    right: float


def guessed(found: Mapping[str, object], *, mean: bool) -> Guessed | None:
    """The strongest attacker about one release, by the mean probability of the truth, or by best guesses."""
    some = [
        Guessed(who, figures[0 if mean else 1], figures[2 if mean else 3])
        for who, figures in found.items()
        if isinstance(figures, list) and figures[0] is not None
    ]
    return max(some, key=lambda one: one.right, default=None)


def attacked(results: Results) -> dict[Row, dict[str, Mapping[str, object]]]:
    """The rows on which attackers were tried, and what was found by method; releases there are none of are left out."""
    found = {}
    for row in rows_of(results):
        of = {m: results.get(f"{row}, {m}, right", {}) for m in RIGHT}
        of = {m: one for m, one in of.items() if "error 3" in one}
        if of:
            found[row] = of
    return found


def beside(results: Results) -> list[str]:
    """Strata 50 beside SoftCut in the two figures that a default is decided by, on the rows with l of at least 3."""
    old, new = RIGHT[:2]
    both = [row for row in rows_of(results) if {old, new} <= set(row.found)]
    strict = [row for row in both if row.l >= 3]
    told = []
    for metric, words in COMPARED.items():
        finer = sum(row.mean(new, metric) < row.mean(old, metric) for row in strict)
        most = max(both, key=lambda row: row.mean(new, metric) / row.mean(old, metric))
        times = most.mean(new, metric) / most.mean(old, metric)
        told.append(
            f"- **{words}.** {new} is lower on {finer} of the {len(strict)} rows with l of at least 3 "
            f"({finer / len(strict):.0%}). On all {len(both)} rows it is at most {times:.2f} times {old}'s ({most})."
        )
    tried = {row: of for row, of in attacked(results).items() if row.l >= 3 and {old, new} <= set(of)}
    for mean, words in ((False, "Correct best guesses"), (True, "Mean probability of the true value")):
        pairs = [(guessed(of[old], mean=mean), guessed(of[new], mean=mean)) for of in tried.values()]
        lower = sum(a is not None and b is not None and b.right < a.right for a, b in pairs)
        told.append(
            f"- **{words}** of the strongest attacker with statistics, who has the release. {new} is lower on {lower} "
            f"of {len(pairs)} rows ({lower / len(pairs):.0%})."
        )
    return told


def rights(results: Results) -> list[str]:
    """What the strongest attacker gets right about each release, and its error: a table of each."""
    found = attacked(results)
    head = [HEADING + " | ".join(map(_named, RIGHT)) + " |", "|---" * (3 + len(RIGHT)) + "|"]
    parts: list[str] = []
    for title, mean in (("Correct best guesses", False), ("Mean probability of the true value", True)):
        parts += [
            f"{title} of the strongest attacker with the release, and in brackets without it:",
            "",
            *head,
        ]
        for row, of in found.items():
            cells_ = [_right(guessed(of[m], mean=mean)) if m in of else "–" for m in RIGHT]
            parts.append(f"| {row.table} | {row.columns} | {row.l} | " + " | ".join(cells_) + " |")
        parts.append("")
    parts += ["Error of counts on 3 quasi-identifiers, of the same releases:", "", *head]
    for row, of in found.items():
        errors = [f"{of[m]['error 3']:.4f}".lstrip("0") if m in of else "–" for m in RIGHT]
        parts.append(f"| {row.table} | {row.columns} | {row.l} | " + " | ".join(errors) + " |")
    return [*parts, ""]


def wholes(results: Results) -> list[str]:
    """People in strata that are published whole, and the largest share of a value there: a line per row."""
    told = [HEADING + " | ".join(STRATA) + " |", "|---" * (3 + len(STRATA)) + "|"]
    for row in rows_of(results):
        of = [results.get(f"{row}, {m}, whole") for m in STRATA]
        if any(of):
            told.append(f"| {row.table} | {row.columns} | {row.l} | " + " | ".join(map(_whole, of)) + " |")
    return told


def _whole(found: Mapping[str, object] | None) -> str:
    if not found:
        return "–"
    people, of, largest = (float(str(found[name])) for name in ("people", "of", "largest"))
    few = 0 < people < 0.005 * of
    return f"{'<1%' if few else f'{people / of:.0%}'}, {largest:.2f}" if people else "0%"


def _right(one: Guessed | None) -> str:
    return "–" if one is None else f"{one.right:.0%} ({one.alone:.0%})"


def page(results: Results) -> str:
    rows = list(rows_of(results))
    still = missing(results)
    parts = [
        HEAD,
        *(
            f"- **{t.name}**: {t.about}. Sensitive: {t.sensitive}. Four quasi-identifiers: {', '.join(t.quasi[:4])}. "
            f"Six: also {', '.join(t.quasi[4:])}."
            for t in MAIN
        ),
        "",
        SCHOOLED,
        "",
        FEASIBLE,
        "",
    ]
    parts += [f"![Error of count queries by l, one picture per table]({CHART})", "", "## What was expected", ""]
    parts += [*expectations(rows), "", "## Where SoftCut is not the best", ""]
    for metric, words in COMPARED.items():
        parts += [f"{words}:", "", *not_the_best(rows, metric), ""]
    parts += ["A difference smaller than the spread may be chance.", ""]
    if attacked(results):
        parts += ["## SoftCut and Strata 50 side by side", "", *beside(results), "", SIDES, ""]
        parts += ["## How often attackers with statistics are right", "", STATISTICS, "", *rights(results)]
    parts += ["## People in strata published whole", "", WHOLE, "", *wholes(results), ""]
    if still:
        parts += [f"Not run yet: {len(still)} cells, such as {still[0]}. `python benchmark/utility.py` runs them.", ""]
    for metric, title in TITLES.items():
        parts += [f"## {title}", "", *table_of(rows, metric), ""]
    return "\n".join(parts)


def chart(results: Results) -> Chart:
    """The error by l with four quasi-identifiers, one picture per table."""
    drawn = [
        {"table": row.table, "l": row.l, "method": m, "error": row.mean(m)}
        for row in rows_of(results)
        if row.columns == 4 and row.table in {table.name for table in MAIN}
        for m in DRAWN
        if m in row.found
    ]
    return lines(
        pl.DataFrame(drawn),
        Axis("l", "l", scale="ordinal"),
        Axis("error", "mean relative error of a count", scale="log", format="~%"),
        series=Series("method", "method", list(DRAWN)),
        panels=Panels("table"),
        title="What a release is still good for: error of count queries by l",
        caption=f"{QUERIES} random counts on three of four quasi-identifiers and the sensitive value (about 6% of the "
        "rows each), made with the release instead of the table. Relative to the true count, or to 0.5% of the rows "
        f"where that is more. Means of {COINS} runs. Lower is better, and the axis is logarithmic. Strata have at "
        f"least 20, 50 or 200 people. One is published whole where a value is more frequent than 1/l. {LEAKING} "
        "do not withstand an attacker who knows them. Where SoftCut and Hybrid coincide, no cut is certain to be safe.",
    )


HEAD = f"""\
# What a release is still good for

`benchmark/utility.py` writes this page. It publishes real tables with two kinds of methods:

- **Their promise covers an attacker who knows the method:** {KEEPING}.
- ***It does not*, but people use them:** *{LEAKING}*. They are in italics below.

`pellucid measure` computes the figures:

- **Error** (`query-error`): random counts are made with the release instead of the table. The figure is their mean
  error, relative to the true count or to 0.5% of the rows where that is more.
- **Loss** (`perimeter`): the mean sum of the extents of what is published for a row.

Lower is better, except for the number of groups. Bold is the best of a line, and the best of its first kind.

Each method that uses randomness has {COINS} runs. The figure is their mean, ± half the distance of the best and the
worst. Other methods use randomness for the order of equal rows at most, and have one run: {ONCE}.

"Strata 20" has strata of at least 20 people. "By lot" is `inside=lot` and "whole" is `inside=none`
([what that means](strata.md#definition)). All methods see the same codes: quasi-identifiers become dense ranks, of
numbers by size and of texts by code point. Incognito needs taxonomies and gets intervals of 2, 4, 8, ... ranks.
"""

STATISTICS = """\
An attacker with statistics knows how the sensitive value depends on the other columns. These attackers are tried:

- by one column, or by the pair of columns that says most,
- by all columns (naive Bayes),
- by strata of 50 people,
- learning from the release.

All but the last have statistics of the original table. They know nothing about combinations that too few people share.
The best guess about a person is the likeliest value. Figures are for about 20,000 people of one release, in groups
drawn at random. Each cell has the highest figure of these attackers.

ARX has no column. It was not installed for this run, and `docs/peers.json` has figures of its releases but no rows."""

WHOLE = """\
A stratum in which a value is more frequent than 1/l is published whole. For its people the bound is the largest share
of a value there. For everyone else it is 1/l. Each cell has the share of people in such strata, then the largest such
bound."""

SIDES = """\
**SoftCut's bound.** For each person, an attacker infers the value with probability at most 1/l. *Assumption:* before
the release, all ways of assigning the published values to people are equally likely.

**Strata's bound.** At most 1/l, or the share of the value in the person's stratum where that is larger. A stratum has
at least 50 people. *Assumption:* the same within each stratum, whatever the attacker knows of strata as wholes.

SoftCut's bound is the same for everyone, but covers no statistics. Strata's differs from person to person, and covers
statistics of strata. [Both promises in full](limits.md) say what they do not cover."""

SCHOOLED = (
    f"*{BY_SCHOOLING[0].name}* and *{BY_SCHOOLING[1].name}* have the same four quasi-identifiers. Education is coded "
    "from the least to the most there, not by code point."
)

FEASIBLE = (
    "l is 2, 3, 4, 6 or 8 where feasible: the most frequent value may have at most 1/l of the rows. fars has room for "
    "l = 2 only, and Adult for l up to 7. Strata can do with less room, as it may publish a stratum whole. Where the "
    "most frequent value has more than 1/(2l), Tailor cannot cut the table at all. Hybrid is then Ace, and so is "
    "SoftCut where its first cut is rejected."
)
