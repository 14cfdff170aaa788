"""What benchmark/utility.py writes: the page docs/utility.md and its chart, from the figures of the cells."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import polars as pl
from utility_cells import ATTACKED, BY_SCHOOLING, COINS, LS, MAIN, METHODS, QUERIES, RIGHT, STRATA, TABLES, cells

from pellucid.charting import Axis, Chart, Panels, Series, lines

Results = Mapping[str, Mapping[str, object]]
CHART = "img/utility.png"
SAFE = tuple(name for name, make in METHODS.items() if make(2).claim == "algorithm")
DRAWN = (  # as many lines as can be told apart
    *("SoftCut", "Strata 20", "Strata 50", "Strata 200", "Hybrid"),
    *("Mondrian strict", "Mondrian relaxed", "Incognito"),
)
KEEPING, LEAKING = ", ".join(SAFE), ", ".join(name for name in METHODS if name not in SAFE)
EXPECTED = {"census_occupation": (3, 4), "Adult": (2, 3)}  # where the notes on the methods promise 0.6 times Hybrid
TITLES = {
    "error 3": f"Error of counts on 3 quasi-identifiers and the sensitive value, selectivity 6 % ({QUERIES} queries)",
    "error 2": f"Error of counts on 2 quasi-identifiers and the sensitive value, selectivity 4 % ({QUERIES} queries)",
    "loss": "Loss: mean perimeter of a row's box, from 0 to the number of quasi-identifiers",
    "groups": "Number of groups",
}

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
        "| table | quasi | l | " + " | ".join(m if m in SAFE else f"*{m}*" for m in METHODS) + " |",
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


def _figure(row: Row, method: str, metric: str, best: set[float]) -> str:
    mean, spread = row.mean(method, metric), row.spread(method, metric)
    text = f"{mean:,.0f}" if metric == "groups" else f"{mean:.4f}".lstrip("0")
    if len(row.found[method][metric]) > 1:
        text += f" ± {spread:,.0f}" if metric == "groups" else f" ± {spread:.4f}".replace(" 0.", " .")
    return f"**{text}**" if mean in best else text


def expectations(rows: list[Row]) -> list[str]:
    """What was expected of SoftCut, and whether it is so, row by row where it is not."""
    both = [row for row in rows if {"SoftCut", "Hybrid"} <= set(row.found)]
    told = [
        _verdict(
            f"SoftCut no worse than Hybrid, within the spread, on {len(both)} rows, {words.lower()}",
            [row for row in both if _behind_hybrid(row, metric)],
            partial(_beside_hybrid, metric=metric),
        )
        for metric, words in COMPARED.items()
    ]
    promised = [row for row in both if row.columns == 4 and row.l in EXPECTED.get(row.table, ())]
    above = [row for row in promised if row.mean("SoftCut") > 0.6 * row.mean("Hybrid")]
    where = "census_occupation l = 3, 4 and Adult l = 2, 3, four quasi-identifiers"
    ratios = ", ".join(f"{row.mean('SoftCut') / row.mean('Hybrid'):.2f}" for row in promised)
    told.append(_verdict(f"at most 0.6 times Hybrid's error on {where} (measured: {ratios})", above, _beside_hybrid))
    leaking = [m for m in METHODS if m.startswith("Mondrian")]
    beaten = [row for row in promised if any(m in row.found and row.mean(m) <= row.mean("SoftCut") for m in leaking)]
    told.append(
        _verdict("below both Mondrians on all of those", beaten, lambda row: _all_of(row, ("SoftCut", *leaking)))
    )
    for size in (20, 50, 200):
        name = f"Strata {size}"
        finer = [row for row in rows if {"SoftCut", name} <= set(row.found)]
        above = [row for row in finer if row.mean(name) > row.mean("SoftCut")]
        claim = f"{name} below SoftCut's error on {len(finer)} rows"
        told.append(_verdict(claim, above, lambda row, name=name: _all_of(row, ("SoftCut", name))))  # type: ignore[misc]
    return told


def _verdict(claim: str, against: list[Row], told: Callable[[Row], str]) -> str:
    if not against:
        return f"- {claim}: **yes**."
    return f"- {claim}: **no**: " + "; ".join(f"{row}: {told(row)}" for row in against) + "."


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
    told = []
    for row in rows:
        if "SoftCut" not in row.found:
            continue
        mine = row.mean("SoftCut", metric)
        better = sorted((row.mean(m, metric), m) for m in row.found if row.mean(m, metric) < mine)
        if better:
            others = ", ".join(f"{m} {mean:.4f}{'' if m in SAFE else ' (leaks)'}" for mean, m in better)
            told.append(f"- {row}: SoftCut {mine:.4f} ± {row.spread('SoftCut', metric):.4f}; better: {others}.")
    return told or ["- nowhere."]


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
            f"- {words}: {new} lower on {finer} of the {len(strict)} rows with l >= 3 ({finer / len(strict):.0%}). "
            f"At most {times:.2f} times {old}'s ({most}; all {len(both)} rows)."
        )
    tried = {row: of for row, of in attacked(results).items() if row.l >= 3 and {old, new} <= set(of)}
    for mean, words in ((False, "best guesses right"), (True, "mean probability of the truth")):
        pairs = [(guessed(of[old], mean=mean), guessed(of[new], mean=mean)) for of in tried.values()]
        lower = sum(a is not None and b is not None and b.right < a.right for a, b in pairs)
        told.append(
            f"- The strongest attacker with statistics, {words} with the release: {new} lower on {lower} of "
            f"{len(pairs)} rows ({lower / len(pairs):.0%})."
        )
    return told


def rights(results: Results) -> list[str]:
    """What the strongest attacker gets right about each release, and its error: a table of each."""
    found = attacked(results)
    head = [
        "| table | quasi | l | "
        + " | ".join(m if ATTACKED[m](2).claim == "algorithm" else f"*{m}*" for m in RIGHT)
        + " |"
    ]
    head.append("|---" * (3 + len(RIGHT)) + "|")
    parts: list[str] = []
    for title, mean in (("Best guesses right", False), ("Mean probability of the truth", True)):
        parts += [
            f"{title}, with the release, by the strongest attacker (in brackets: without the release):",
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
    told = ["| table | quasi | l | " + " | ".join(STRATA) + " |", "|---" * (3 + len(STRATA)) + "|"]
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
            f"- **{t.name}**: {t.about}. Sensitive: {t.sensitive}. Four: {', '.join(t.quasi[:4])}; six: also "
            f"{', '.join(t.quasi[4:])}."
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
    parts += ["A difference smaller than the spread may be the coins'.", ""]
    if attacked(results):
        parts += ["## SoftCut and Strata 50 side by side", "", *beside(results), "", SIDES, ""]
        parts += ["## How often attackers with statistics are right", "", STATISTICS, "", *rights(results)]
    parts += ["## People in strata published whole", "", WHOLE, "", *wholes(results), ""]
    if still:
        parts += [f"Not run yet: {len(still)} cells, such as {still[0]}; `python benchmark/utility.py` goes on.", ""]
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
        caption=f"{QUERIES} random counts on three of four quasi-identifiers and the sensitive value (about 6 % of the "
        "rows each), made with the release instead of the table; relative to the true count, or to 0.5 % of the rows "
        f"where that is more. Means of {COINS} coins; lower is better, and the axis is logarithmic. Strata are of at "
        f"least 20, 50 and 200 people; one is published whole where a value is more frequent than 1/l. {LEAKING} "
        "do not withstand somebody who knows them. Where SoftCut and Hybrid coincide, no cut is certain to be safe.",
    )


HEAD = f"""\
# What a release is still good for

Written by `benchmark/utility.py`. Releases of real tables by methods that keep their promise to somebody who knows
them ({KEEPING}) and, in *italics*, by methods that do not (they are what people use).
The figures are the library's own (`pellucid measure`): the mean error of random counts made with the release instead of
the table (`query-error`), relative to the true count or to 0.5 % of the rows where that is more, and the mean perimeter
of a row's box (`perimeter`). Lower is better, but for the number of groups. Bold is the best of a line, and the best of
its safe methods. Where a method draws by lot, the figure is the mean of {COINS} coins, ± half of what lies between the
best and the worst; Tailor, Audited and the Mondrians draw nothing but the order of equal rows, and have one coin.

All quasi-identifiers are coded by dense rank (numbers by size, texts by code point), the same for all methods.
Incognito, which needs taxonomies, gets intervals of 2, 4, 8, ... ranks.
"""

STATISTICS = """\
An attacker with statistics knows how values depend on what people look like: by one column, by the pair of columns that
says most, by all columns (naive Bayes), or by strata of 50 people, or learns that from the release. Statistics are
measured on the true table, and of looks that too few people share nothing is known. The best guess about a person is
the likeliest value. Figures are those of about 20,000 people of one release, in groups drawn by lot, and the attacker
shown is the one who is right most often. In *italics*: methods that do not withstand an attacker who knows them.
ARX has no column: it was not installed where this ran, and docs/peers.json keeps figures of its releases, not rows."""

WHOLE = """\
A stratum in which a value is more frequent than 1/l is published whole. The people in it are bounded by the largest
share of a value there, not by 1/l. Each cell has the share of the people of whom that is so, and the largest such
share. The rest of the people have the bound 1/l."""

SIDES = """\
**SoftCut promises:** an attacker names a person's value with probability at most 1/l, for every person, if before the
release all ways of assigning the published values to the people are equally likely. **Strata promises:** at most 1/l,
or the share of the value in the person's stratum of at least 50 people where that is larger, whatever the attacker
knows of strata as wholes. The first bound is the same for everybody, and rests on an attacker without statistics. The
second differs from person to person, and covers statistics of strata."""

SCHOOLED = (
    f"The lines of *{BY_SCHOOLING[0].name}* and *{BY_SCHOOLING[1].name}* have the same four quasi-identifiers, with "
    "education coded from the least to the most instead of by code point."
)

FEASIBLE = (
    "l = 2, 3, 4, 6, 8 where feasible: the most frequent value must have at most 1/l of the rows. fars has room for "
    "l = 2 only, and Adult for l up to 7. Where it has more than 1/(2l), Tailor cannot cut the table at all: "
    "Hybrid is Ace, and so is SoftCut where its first cut is refused."
)
