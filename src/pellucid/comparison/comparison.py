"""What a comparison found: a table, a chart of risk against utility, sentences that a steward can act on, a page."""

from __future__ import annotations

import html
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.charts.charting import Chart
from pellucid.charts.drawing import NotDrawn
from pellucid.comparison import sentences as words
from pellucid.comparison.cell import Cell, Guesses, size_of
from pellucid.comparison.picture import picture
from pellucid.comparison.weighing import Weighing
from pellucid.messages import Message
from pellucid.runtime.notebook import line, table, view
from pellucid.runtime.whole_file import write_whole
from pellucid.text.figures import figure, percent

FILES = ("compare.csv", "recommendation.txt", "compare.html", "compare.png")


@dataclass(frozen=True)
class Comparison:
    """The cells of the grid, in the order in which the methods were given. For the publisher's eyes: it holds risks."""

    cells: Sequence[Cell]
    metrics: Sequence[dict[str, Any]]  # name, unit, direction of each metric, the first being the one to compare by
    others: int = 0  # cells of other settings or tables that the folder keeps besides

    def __str__(self) -> str:
        """What follows from it, in a sentence or two."""
        return self.sentence

    @property
    def frame(self) -> pl.DataFrame:
        """One row per setting: figures of every metric, what every adversary reaches, and what could not be found."""
        names = list(dict.fromkeys(key for cell in self.cells for key in cell.parameters))
        return pl.DataFrame([self._row(cell, names) for cell in self.cells], infer_schema_length=None)

    def _row(self, cell: Cell, names: Sequence[str]) -> dict[str, Any]:
        """All that is known of one setting, with these parameters."""
        row: dict[str, Any] = {"method": cell.method}
        row |= {name: _listed(cell.parameters.get(name)) for name in names}
        row |= {"groups": None if cell.refused else cell.groups, "suppressed": cell.suppressed}
        row |= {metric["name"]: cell.value(metric["name"]) for metric in self.metrics}
        for risk in cell.risks:
            row[f"largest risk, {risk.adversary}"] = risk.largest
            row[f"rows above 1/l, {risk.adversary}"] = risk.above
        if any(one.right for one in self.cells):
            row |= (cell.right or Guesses()).figures
        if any(one.rest for one in self.cells):
            rest = cell.rest or dict.fromkeys(("column", "certain", "people"))
            row |= {f"rest of a row, {name}": rest[name] for name in ("column", "certain", "people")}
        row["promised"] = "yes" if cell.promised else "no"
        row["quasi-identifiers"] = None if cell.refused else "exact" if cell.exact else "generalised"
        row["safe"] = _safety(cell)
        row["remarks"] = "; ".join(words.remarks(cell))
        return row

    @property
    def main(self) -> dict[str, Any]:
        """The metric that methods are compared by."""
        return self.metrics[0]

    @property
    def sentence(self) -> Message:
        """The recommendation: the best method at the largest l that was asked for and has a safe release.

        Best: what is kept, in accuracy and in detail. No figure chooses the l, or the size of strata: that would leave
        the promise. Safe: every attack that counts ran, and none takes anybody above 1/l. A release that
        says something about the quasi-identifiers goes before one that says nothing, a method that promises the bound
        before one that has nobody above it on this table, and one that generalises before one that publishes exact
        quasi-identifiers, whose accuracy cannot be compared: it hides nobody's presence.
        """
        return words.recommendation(self._weighing)

    @property
    def rule(self) -> str:
        """How the recommendation is made, with its figures; empty where there is none."""
        return self._rule_beside(self.sentence)

    def _rule_beside(self, text: str) -> str:
        """The rule, and what the words mean that are ``text`` beside it."""
        return words.how_chosen(self._weighing) + words.explained(self._weighing, text)

    @property
    def sentences(self) -> list[str]:
        """One sentence for each l with a safe release."""
        best = self._weighing.best_by_bound()
        return [words.told(self._weighing, best[bound]) for bound in sorted(best)]

    @property
    def refusals(self) -> list[str]:
        """Why some settings have no release, where others have one."""
        return words.reasons(self.cells)

    @property
    def _weighing(self) -> Weighing:
        return Weighing(self.cells, self.main)

    @property
    def recommended(self) -> Cell | None:
        """The setting that is recommended, if any."""
        return self._weighing.recommended()

    @property
    def feasible(self) -> bool:
        """Whether there is any release at all."""
        return any(not cell.refused for cell in self.cells)

    def in_short(self) -> pl.DataFrame:
        """One line per setting: the promise, what is kept, the risk. What is not known is said so."""
        measured = [
            name for name in ("kept", "contrasts", "loss") if any(cell.value(name) is not None for cell in self.cells)
        ]
        return pl.DataFrame([self._line(cell, measured) for cell in self.cells], infer_schema_length=None)

    def _line(self, cell: Cell, measured: Sequence[str]) -> dict[str, str | None]:
        """What is said of one setting."""
        main = self.main["name"]
        value = cell.value(main)
        return {
            "method": cell.method,
            "l": None if cell.bound is None else str(cell.bound),
            **({"size": size_of(cell)} if len({size_of(one) for one in self.cells} - {""}) > 1 else {}),
            main: "failed"
            if cell.failed
            else "not feasible"
            if cell.refused
            else ""
            if value is None
            else figure(value),
            **{name: words.value_of(cell, name) for name in measured},
            "groups": "" if cell.refused else f"{cell.groups:,}",
            "largest risk": _largest(cell),
            **({self.guessed: guesses_in_short(cell)} if any(one.right for one in self.cells) else {}),
            **({"certain, knowing the rest": rest_in_short(cell)} if any(one.rest for one in self.cells) else {}),
            "rows above their bound" if any(one.own for one in self.cells) else "rows above 1/l": _above(cell),
        }

    @property
    def guessed(self) -> str:
        """What the column about attackers with statistics counts."""
        some = any(one.right is not None and one.right.some for one in self.cells)
        return "believed above 1/l (without)" if some else "right (without)"

    def chart(self, link: Callable[[Cell], str] | None = None, *, still: bool = False) -> Chart:
        """Largest risk against what the release is good for, one line per method, a point for each setting.

        ``link`` gives the address that a click on a setting's point leads to; a ``still`` picture cannot be clicked.
        """
        return picture(self.cells, self._weighing, link, still=still)

    @property
    def drawable(self) -> bool:
        """Whether there is a point to draw: a release that was measured and attacked."""
        return any(self._weighing.drawable(cell) for cell in self.cells)

    def _repr_html_(self) -> str:
        """The recommendation and the table."""
        return view(line(self.sentence, strong=True), table(self.frame.columns, _in_figures(self.frame)))

    def write(self, out: str | Path) -> list[Path]:
        """Write compare.csv, compare.html, compare.png (where there is a point to draw) and the recommendation."""
        out = Path(out)
        rule = self._rule_beside(" ".join([self.sentence, *self.sentences]))
        written = {
            "compare.csv": self.frame.write_csv().encode(),
            "recommendation.txt": "\n".join([self.sentence, "", rule, "", *self.sentences, ""]).encode(),
            "compare.html": b"",
        }
        texts = (self.sentence, self.rule, self.in_short())
        try:
            written["compare.html"] = page(self.chart() if self.drawable else None, *texts).encode()
            still = self.chart(still=True).png() if self.drawable else None
        except NotDrawn as wrong:
            warnings.warn(str(wrong), UserWarning, stacklevel=2)
            written["compare.html"], still = page(None, *texts).encode(), None
        if still is not None:
            written["compare.png"] = still
        else:
            (out / "compare.png").unlink(missing_ok=True)  # a picture of another comparison
        for name, content in written.items():
            write_whole(out / name, content, private=True)  # it tells risks
        return [out / name for name in written]


def _in_figures(frame: pl.DataFrame) -> Iterator[list[object]]:
    return ([f"{value:.4g}" if isinstance(value, float) else value for value in row] for row in frame.iter_rows())


def guesses_in_short(cell: Cell) -> str:
    """How often the strongest attacker with statistics guesses right, and how often without the release."""
    right = cell.right
    if cell.refused or right is None:
        return ""
    if right.right is None:
        return "not known"
    if not right.some or right.above is None:
        return f"{percent(right.right)} ({percent(right.alone or 0.0)})"
    alone, rightly_alone, people, rightly = right.above
    each = [f"{n:,}, {percent(r / n)} right" if n else "0" for n, r in ((people, rightly), (alone, rightly_alone))]
    return f"{each[0]} ({each[1]})"


def rest_in_short(cell: Cell) -> str:
    """Of how many people who knows the rest of a row is certain, in the column of which of most."""
    return "" if cell.rest is None else "{column}: {certain:,} of {people:,}".format(**cell.rest)


def _safety(cell: Cell) -> Message:
    """Whether nobody is above the promise, as far as that is known."""
    return Message("yes") if cell.safe else Message("no") if cell.above else Message("not known")


def _largest(cell: Cell) -> str:
    """The largest risk, as far as that is known; "or more" needs somebody above, or it would look like a bound."""
    told, figure = cell.told_risk
    if cell.refused or not cell.counted or figure is None:
        return "" if cell.refused or not cell.counted else "not known"
    if told == "at least":
        return f"{figure:.3g} or more" if cell.above else "not known"
    return f"{told} {figure:.3g}".strip()


def _above(cell: Cell) -> str:
    """How many rows are above the promise; more may be where some attack is missing, and nothing is known without one.

    It is empty where there is nothing to know: without a release, or without an attacker.
    """
    figure = "" if cell.above is None else f"{cell.above:,}"
    if cell.refused or not cell.counted:
        return figure
    if cell.known:
        return figure or "not known"
    return f"{figure} or more" if cell.above else "not known"


def _listed(value: Any) -> Any:
    if isinstance(value, Mapping):  # values by column
        return "; ".join(f"{name}={_listed(several)}" for name, several in value.items())
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else value


TITLE = "Which method, which l"
STYLE = (
    "body{font-family:Helvetica,Arial,sans-serif;color:#222;margin:1.5em;max-width:60em}"
    "table{border-collapse:collapse;margin:1em 0}th,td{padding:.2em .9em .2em 0;border-bottom:1px solid #ddd}"
)


def page(chart: Chart | None, sentence: str, rule: str, settings: pl.DataFrame) -> str:
    """The page, everything escaped; it needs no network.

    >>> "a &lt;b&gt;" in page(None, "a <b>", "", pl.DataFrame({"method": ["hybrid"]}))
    True
    """
    rows = [["" if value is None else value for value in row] for row in settings.iter_rows()]
    body = view(
        f"<style>{STYLE}</style>",
        f"<h1>{html.escape(TITLE)}</h1>",
        line(sentence, strong=True),
        *([line(rule)] if rule else []),
        table(settings.columns, rows),
    )
    if chart is None:
        head = f'<meta charset="UTF-8"><title>{TITLE}</title>'
        return f'<!DOCTYPE html><html lang="en"><head>{head}</head><body>{body}</body></html>'
    return chart.html(title=TITLE, above=body)
