"""What a comparison found: a table, a chart of risk against utility, and sentences that a steward can act on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from pellucid.charting import Axis, Chart, lines, write_whole
from pellucid.comparing.cell import Cell
from pellucid.notebook import line, table, view

WHO = ", so that it tells who is in the table"
KEEP = 0.9  # of the best accuracy: a stricter promise is recommended as long as it costs no more than the rest


@dataclass(frozen=True)
class Comparison:
    """The cells of the grid, in the order in which the methods were given. For the publisher's eyes: it holds risks."""

    cells: Sequence[Cell]
    metrics: Sequence[dict[str, Any]]  # name, unit, direction of each metric, the first being the one to compare by

    def __str__(self) -> str:
        """What follows from it, in a sentence or two."""
        return self.sentence

    @property
    def frame(self) -> pl.DataFrame:
        """One row per setting: figures of every metric, what every adversary reaches, and what could not be found."""
        rows = []
        names = list(dict.fromkeys(key for cell in self.cells for key in cell.parameters))
        for cell in self.cells:
            row: dict[str, Any] = {"method": cell.method}
            row |= {name: _shown(cell.parameters.get(name)) for name in names}
            row |= {"groups": None if cell.refused else cell.groups, "suppressed": cell.suppressed}
            row |= {metric["name"]: cell.value(metric["name"]) for metric in self.metrics}
            for risk in cell.risks:
                row[f"largest risk, {risk.adversary}"] = risk.largest
                row[f"rows above 1/l, {risk.adversary}"] = risk.above
            row |= {"promised": "yes" if cell.promised else "no"}
            row |= {"quasi-identifiers": None if cell.refused else "exact" if cell.exact else "generalised"}
            row["safe"] = "yes" if cell.safe else "no" if (cell.above or 0) > 0 else "not known"
            row["remarks"] = "; ".join(self._remarks(cell))
            rows.append(row)
        return pl.DataFrame(rows, infer_schema_length=None)

    @staticmethod
    def _remarks(cell: Cell) -> list[str]:
        if cell.refused:
            return [f"no release: {cell.refused}"]
        return [
            *(f"not attacked by somebody who {risk.adversary}: {risk.how}" for risk in cell.counted if not risk.ran),
            *(
                f"somebody who {risk.adversary} may take {risk.unsure:,} more people above 1/l: their risk was sampled"
                for risk in cell.counted
                if risk.unsure
            ),
            *cell.asides,
            *(f"no {score['metric']}: {score['meaning']}" for score in cell.scores if score["value"] is None),
        ]

    @property
    def main(self) -> dict[str, Any]:
        """The metric that methods are compared by."""
        return self.metrics[0]

    @property
    def sentence(self) -> str:
        """The recommendation: the strictest promise that keeps nearly all of the utility, and by which method.

        Strictest: the largest l whose best safe release keeps at least 90 % of what the best safe release of all keeps.
        Safe: every attack that counts ran, and none takes anybody above 1/l. A method that promises the bound goes
        before one that has nobody above it on this table, and one that generalises before one that publishes exact
        quasi-identifiers, whose accuracy cannot be compared: it hides nobody's presence.
        """
        best = self._best_by_bound()
        if not best:
            return "No release was found to be safe: " + self._why_none()
        kind = max(map(_trust, best.values()))
        comparable = {bound: cell for bound, cell in best.items() if _trust(cell) == kind}
        least = self._least(list(comparable.values()))
        return self._sentence(max(bound for bound, cell in comparable.items() if self._rank(cell) >= least))

    @property
    def sentences(self) -> list[str]:
        """One sentence for each l with a safe release."""
        return [self._sentence(bound) for bound in sorted(self._best_by_bound())]

    def _best_by_bound(self) -> dict[int, Cell]:
        best: dict[int, Cell] = {}
        for cell in self.cells:
            if cell.safe and cell.bound is not None and cell.value(self.main["name"]) is not None:
                so_far = best.get(cell.bound)
                if so_far is None or (_trust(cell), self._rank(cell)) > (_trust(so_far), self._rank(so_far)):
                    best[cell.bound] = cell
        return best

    def _rank(self, cell: Cell) -> float:
        """More is better."""
        value = cell.value(self.main["name"])
        if value is None:
            return float("-inf")
        return float(value) if self.main["direction"] == "higher" else -float(value)

    def _least(self, cells: Sequence[Cell]) -> float:
        """The rank of a release that keeps just enough of the best one's utility."""
        top = max(map(self._rank, cells))
        if self._errors(cells):
            return KEEP * (1 + top) - 1  # of an error, what is left of 1 is what is kept
        return KEEP * top if top >= 0 else top / KEEP

    def _errors(self, cells: Sequence[Cell]) -> bool:
        """Whether the metric is an error or a loss that leaves something of 1 in all these releases."""
        found = [cell.value(self.main["name"]) for cell in cells]
        return self.main["direction"] == "lower" and all(v is not None and 0 <= v < 1 for v in found)

    def _sentence(self, bound: int) -> str:
        mine = self._best_by_bound()[bound]
        others = [
            cell
            for cell in self.cells
            if cell.bound == bound and cell is not mine and not cell.refused and self._rank(cell) > float("-inf")
        ]
        said = self._against_rivals(mine, [cell for cell in others if cell.exact <= mine.exact])
        if not mine.promised:
            said += f" {_title(mine)} does not promise it: on another table somebody may be above."
        if mine.exact:
            return f"{said} It publishes everybody's exact quasi-identifiers{WHO}."
        exact = [cell for cell in others if cell.exact and cell.safe and self._rank(cell) > self._rank(mine)]
        if exact:
            other = max(exact, key=self._rank)
            said += (
                f" {_title(other)} is more accurate ({self.main['name']} {self._figure(other)} against "
                f"{self._figure(mine)}) and as safe, but publishes everybody's exact quasi-identifiers{WHO}."
            )
        return said

    def _against_rivals(self, mine: Cell, others: Sequence[Cell]) -> str:
        """What is kept of the best release that does not promise as much, and what is known against that one."""
        said, promise = f"{_title(mine)} at l={mine.bound}", f"has no row above 1/{mine.bound}"
        rivals = [cell for cell in others if cell.method != mine.method and not (cell.safe and cell.promised)]
        if not rivals:
            count = len({cell.method for cell in others} - {mine.method})
            rank = f" and is the most accurate of {count + 1} safe methods" if count else ""
            return f"{said} {promise}{rank} ({self.main['name']} {self._figure(mine)})."
        rival = max(rivals, key=self._rank)
        if self._rank(mine) >= self._rank(rival):
            kept = f"is at least as accurate as {_title(rival)}"
        elif self._errors([mine, rival]):
            share = (1 + self._rank(mine)) / (1 + self._rank(rival))
            kept = f"keeps {100 * share:.0f} % of the {self._accuracy} of {_title(rival)}"
        else:
            kept = f"has a {self.main['name']} of {self._figure(mine)} against {self._figure(rival)} of {_title(rival)}"
        return f"{said} {kept} and {promise}; {_risk_of(rival)}."

    def _figure(self, cell: Cell) -> str:
        return _number(cell.value(self.main["name"]))

    @property
    def _accuracy(self) -> str:
        return "query accuracy" if "query" in self.main["name"] else f"information ({self.main['name']})"

    def _why_none(self) -> str:
        unknown = sum(not cell.known and not cell.refused for cell in self.cells)
        refused = sum(bool(cell.refused) for cell in self.cells)
        above = sum((cell.above or 0) > 0 for cell in self.cells)
        return (
            f"of {len(self.cells)} settings {above} have rows above 1/l, {refused} are not feasible, and of {unknown} "
            "some attack could not run; the remarks in the table say which."
        )

    def chart(self, link: Callable[[Cell], str] | None = None) -> Chart:
        """Largest risk against what the release is good for, one line per method, a point for each setting.

        ``link`` gives the address that a click on a setting's point leads to.
        """
        main = self.main
        rows: list[dict[str, Any]] = []
        for cell in self.cells:
            value = cell.value(main["name"])
            if cell.refused or value is None or cell.largest is None:
                continue
            unsure = "" if cell.known else "?"
            above = "no bound promised" if cell.above is None else f"{cell.above:,}"
            rows.append(
                {
                    "method": _series(cell),
                    "setting": f"{cell.bound if cell.bound is not None else _short(cell)}{unsure}",
                    "utility": value,
                    "risk": cell.largest,
                    "above": above if cell.known else f"at least {above}",
                    "groups": cell.groups,
                    "remarks": "; ".join(self._remarks(cell))[:160] or "every attack ran",
                    "link": "" if link is None else link(cell),
                }
            )
        places: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in rows:
            places.setdefault((row["method"], row["utility"], row["risk"]), []).append(row)
        for same in places.values():  # releases that fall on one point share one label
            for row in same:
                row["label"] = "" if row is not same[-1] else ", ".join(one["setting"] for one in same)
        better = "left" if main["direction"] == "lower" else "right"
        question = any(row["setting"].endswith("?") for row in rows)
        caption = (
            f"Each point is one release, with its l beside it; further {better} the data is better ({main['name']}), "
            "further down people are safer: the risk is the largest probability with which any of the attackers names "
            "anybody's value."
            + (" A question mark: an attack could not run, so the risk is at least what is drawn." if question else "")
        )
        share = "relative" in main["unit"] or self._errors([cell for cell in self.cells if not cell.refused])
        found = [row["utility"] for row in rows]
        wide = bool(found) and 0 < 20 * min(found) < max(found)
        return lines(
            pl.DataFrame(rows, infer_schema_length=None),
            Axis(
                "utility",
                f"{main['name']} ({main['unit']}{', logarithmic' if wide else ''})",
                scale="log" if wide else "linear",
                format="~%" if share else "~g",
            ),
            Axis("risk", "largest risk of anybody (probability)"),
            series="method",
            series_title="method (click to single out)" if link is None else "method",
            title="What each release costs, and what it lets an attacker learn",
            caption=caption,
            points="label",
            links=None if link is None else "link",
            hover={
                "method": "method",
                "setting": "l",
                "utility": main["name"],
                "risk": "largest risk",
                "above": "rows above 1/l",
                "groups": "groups",
                "remarks": "remarks",
            },
        )

    def _repr_html_(self) -> str:
        """The recommendation and the table."""
        frame = self.frame
        shown = ([f"{one:.4g}" if isinstance(one, float) else one for one in row] for row in frame.iter_rows())
        return view(line(self.sentence, strong=True), table(frame.columns, shown))

    def write(self, out: str | Path) -> list[Path]:
        """Write compare.csv, compare.html, compare.png and the recommendation into a folder."""
        out = Path(out)
        table = out / "compare.csv"
        write_whole(table, self.frame.write_csv().encode())
        words = out / "recommendation.txt"
        write_whole(words, "\n".join([self.sentence, "", *self.sentences, ""]).encode())
        return [table, words, *self.chart().write(out, "compare", formats=("png", "html"))]


def _shown(value: Any) -> Any:
    return "+".join(map(str, value)) if isinstance(value, list | tuple) else value


def _series(cell: Cell) -> str:
    """The line that a cell is on: the method, and parameters other than the one that the line runs along."""
    others = [f"{k}={_shown(v)}" for k, v in cell.parameters.items() if k not in ("l", "r", "k", "alpha")]
    return " ".join([cell.method, *others, *(["(exact quasi-identifiers)"] if cell.exact else [])])


def _short(cell: Cell) -> str:
    return ", ".join(f"{key}={_shown(value)}" for key, value in cell.parameters.items() if key in ("k", "alpha"))


def _title(cell: Cell) -> str:
    return cell.method.replace("-", " ").capitalize()


def _trust(cell: Cell) -> tuple[bool, bool]:
    """What goes before accuracy: a promise, and quasi-identifiers that are not published as they are."""
    return cell.promised, not cell.exact


def _risk_of(cell: Cell) -> str:
    """What is known against a rival."""
    failed = [risk for risk in cell.counted if not risk.ran]
    above = cell.above or 0
    name = _title(cell)
    if cell.safe:
        return f"{name} has none on this table either, but does not promise it"
    if cell.known:
        return f"{name} has {above:,}"
    if not failed:
        return f"{name} has at least {above:,}" if above else f"{name} may have some (their risk was sampled)"
    why = failed[-1].how.partition(";")[0]  # what can be done about it is in the remarks
    missing = f"somebody who {failed[-1].adversary} could not be tried on it: {why}"
    return f"{name} has at least {above:,} ({missing})" if above else f"{name} is not known to be safe ({missing})"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3g}"
