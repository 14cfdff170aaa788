"""Which of several safe releases to recommend: what each keeps, at an l and a size that no figure chooses.

Figures look at values. Which method keeps most may be asked of them. An l, or a size of strata, that was chosen because
of them tells about values (docs/strata.md), so the largest l that was asked for counts, and of several sizes one.

Counts alone do not decide. A release that puts everybody into one group says nothing about the quasi-identifiers, and
may still answer counts well whose predicates are wide. So what a release keeps is the mean of two shares: the
*accuracy*, 1 less the error of counts, and the *detail*, 1 less the loss.

What is recommended is never worse than another of its kind in everything that is weighed: figure, loss, largest belief
and promise. It may be so in the figure and the belief alone, which are all that a chart shows: then the other tells
less (:meth:`Weighing.ahead`), and that is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from pellucid.anonymize.method import STRATUM
from pellucid.comparison.cell import Cell

QUERIES, LOSS = "query-error", "loss"
DRAWN = ("", "at least", "at most", "more than")  # what a chart can say of a risk

Rank = tuple[float, float, float, int]


@dataclass(frozen=True)
class Weighing:
    """Cells set against each other by the metric ``main`` and, where it was measured, the loss.

    >>> scores = [{"metric": "query-error", "value": 0.1}, {"metric": "loss", "value": 0.5}]
    >>> cell = Cell("hybrid", {"l": 4}, 4, scores=scores, groups=9)
    >>> Weighing([cell], {"name": "query-error", "direction": "lower"}).kept(cell)
    0.7
    """

    cells: Sequence[Cell]
    main: dict[str, Any]

    @property
    def shares(self) -> bool:
        """Whether the metric is an error or a loss of at most 1, so that 1 less its value is what is kept."""
        if self.main["name"] == QUERIES:
            return True
        values = [cell.value(self.main["name"]) for cell in self.cells if not cell.refused]
        return self.main["direction"] == "lower" and all(v is None or 0 <= v <= 1 for v in values)

    @property
    def with_detail(self) -> bool:
        """Whether the detail is weighed too."""
        measured = (cell.value(LOSS) is not None for cell in self.cells if not cell.refused)
        return self.shares and self.main["name"] != LOSS and all(measured)

    def value(self, cell: Cell) -> float:
        """The metric's figure, turned so that more is better; the least of all where there is none."""
        value = cell.value(self.main["name"])
        if value is None:
            return float("-inf")
        return float(value) if self.main["direction"] == "higher" else -float(value)

    def drawable(self, cell: Cell) -> bool:
        """Whether a chart can show the release: it was attacked, and its figure is finite."""
        return not cell.refused and cell.told_risk[0] in DRAWN and isfinite(self.value(cell))

    def accuracy(self, cell: Cell) -> float:
        """1 less the error, and 0 where the error is larger than 1; the figure itself of a metric that is no share."""
        return max(0.0, 1 + self.value(cell)) if self.shares else self.value(cell)

    def kept(self, cell: Cell) -> float:
        """What a release keeps: the mean of accuracy and detail, or the accuracy alone."""
        if not self.with_detail:
            return self.accuracy(cell)
        return (self.accuracy(cell) + 1 - float(cell.value(LOSS) or 0.0)) / 2

    def rank(self, cell: Cell) -> Rank:
        """More is better: what is kept, then the metric itself, then a lower belief, then the number of groups."""
        return self.kept(cell), self.value(cell), -believed(cell), cell.groups

    def best_by_bound(self) -> dict[int | Fraction, Cell]:
        """For each promise the safe release to prefer."""
        best: dict[int | Fraction, Cell] = {}
        for cell in self._of_one_size():
            if cell.safe and cell.bound is not None and self.value(cell) > float("-inf"):
                so_far = best.get(cell.bound)
                if so_far is None or (trust(cell), self.rank(cell)) > (trust(so_far), self.rank(so_far)):
                    best[cell.bound] = cell
        return best

    def _of_one_size(self) -> list[Cell]:
        """All cells, but of strata those of the usual size where it is among them, else of the least."""
        sizes = {cell.parameters.get("size", STRATUM) for cell in self.cells if cell.strata}
        size = STRATUM if STRATUM in sizes else min(sizes, default=STRATUM)
        return [cell for cell in self.cells if not cell.strata or cell.parameters.get("size", STRATUM) == size]

    def recommended(self) -> Cell | None:
        """The best at the largest l that was asked for and has a safe release: no figure chooses an l."""
        best = list(self.best_by_bound().values())
        kind = max(map(trust, best), default=())
        return max((cell for cell in best if trust(cell) == kind), key=lambda cell: cell.bound or 0, default=None)

    def set_aside(self) -> list[Cell]:
        """The safe releases that :meth:`recommended` never weighs, because another one goes before their kind."""
        recommended = self.recommended()
        safe = (cell for cell in self.cells if cell.safe and cell.bound is not None)
        return [] if recommended is None else [cell for cell in safe if trust(cell) != trust(recommended)]

    def ahead(self, chosen: Cell) -> Cell | None:
        """The safe release of the same kind that is no worse in figure, largest belief and promise, and better in one.

        A chart shows it ahead of the chosen one, which has the lower loss. Of several the one that is to be preferred.

        >>> from pellucid.comparison.cell import Risk
        >>> def cell(l, error, loss):
        ...     scores = [{"metric": "query-error", "value": error}, {"metric": "loss", "value": loss}]
        ...     return Cell("hybrid", {"l": l}, l, scores=scores, risks=[Risk("", True, 1 / l, 0)], groups=9)
        >>> main = {"name": "query-error", "direction": "lower"}
        >>> weighing = Weighing([cell(2, 0.21, 0.35), cell(3, 0.19, 0.63)], main)
        >>> weighing.recommended().bound, weighing.ahead(weighing.cells[0]).bound
        (3, 3)
        """
        mine = (self.value(chosen), -believed(chosen))
        others = [
            cell
            for cell in self.cells
            if cell.safe and (cell.bound or 0) >= (chosen.bound or 0) and trust(cell) == trust(chosen)
        ]
        figures = [(cell, (self.value(cell), -believed(cell))) for cell in others]
        better = [cell for cell, own in figures if own != mine and own[0] >= mine[0] and own[1] >= mine[1]]
        return max(better, key=self.rank, default=None)


def believed(cell: Cell) -> float:
    """The largest belief, and certainty where none is shown."""
    return 1.0 if cell.largest is None else cell.largest


def trust(cell: Cell) -> tuple[bool, ...]:
    """What goes before utility: to say something, a promise, no exact quasi-identifiers."""
    return not cell.says_nothing, cell.promised, not cell.exact
