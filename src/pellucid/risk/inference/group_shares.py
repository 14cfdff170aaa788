"""What the groups of a release tell about their people, each kind of group computed once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import Impossible, OverBudget
from pellucid.posterior.generalized import Generalized
from pellucid.posterior.mcmc import FEWEST_MOVES
from pellucid.posterior.refusal.shape import Refused
from pellucid.posterior.sampling import sampled
from pellucid.posterior.shape import Blurred, Likelihood, Merged, Plain, Shape, lowered, raised
from pellucid.posterior.shared_cuts import Tied
from pellucid.risk.inference.beliefs import Floats
from pellucid.risk.inference.cells import numbers_from
from pellucid.risk.inference.event_shares import EventShares
from pellucid.risk.inference.group_signatures import (
    Event,
    Kinds,
    event_codes,
    event_column,
    event_model,
    frequent_first,
    kinds_of,
    of_event,
)
from pellucid.risk.inference.kind_tables import KindShares, KindTable, Look, lines_of
from pellucid.risk.views import Evidence
from pellucid.runtime.progress import SILENT, Progress

Longs = NDArray[np.int64]
SHARED_BUDGETS = 4  # what all refused cuts of a release may take together, in budgets
FEWEST_STEPS = 2_000  # that are always tried
SHARED_MOVES = 2_000_000  # of one walk through the arrangements of each such group, together
SHORTEST_WALK = 5_000  # moves
KINDS_AT_ONCE = 1 << 12  # kinds of groups that are counted before anybody can stop it


@dataclass
class GroupShares:
    """Shares by group, each kind of group computed once."""

    evidence: Evidence
    likelihood: Likelihood
    exact: bool
    budget: int
    memory: dict[Any, KindShares] = field(default_factory=dict)
    sampled: bool = False
    tables: dict[int, KindTable] = field(default_factory=dict)  # of the groups of each route
    by_event: EventShares | None = None  # of the groups that look at one event

    def shape(self, group: int) -> Shape:
        """The group's shape; where nothing can have forced a merge, it was not forced and tells nothing."""
        return self.computed(group)[1].shape

    def computed(self, group: int) -> tuple[NDArray[np.int32], KindShares]:
        """The group's codes and, in the same order, what it tells."""
        codes, shape, column = self._look(group)
        values = None if shape.symmetric else codes.tobytes()
        key = (int(self.likelihood.of_group[group]), tuple(column.counts), values)
        if key not in self.memory:
            self.memory[key] = self._told(shape, column)
        return codes, self.memory[key]

    def _look(self, group: int) -> tuple[NDArray[np.int32], Shape, SensitiveColumn]:
        """The group's codes, shape and counts; where counts alone decide, the largest come first and have numbers."""
        shape = self.likelihood.shapes[int(self.likelihood.of_group[group])]
        codes, counts = self.evidence.counts(group)
        if not shape.symmetric:
            return codes, shape, SensitiveColumn([self.evidence.values[c] for c in codes.tolist()], counts.tolist())
        order = np.argsort(-counts, kind="stable")
        return codes[order], shape, SensitiveColumn(list(range(len(codes))), counts[order].tolist())

    def _told(self, shape: Shape, column: SensitiveColumn) -> KindShares:
        """By the shape's engine; by drawing arrangements where that would take too long."""
        try:
            by_part = shape.shares(column, exact=self.exact, budget=self._budget_of(shape))
        except Impossible:
            if not isinstance(shape, Merged | Generalized):
                raise
            shape = Plain(shape.sizes)
            by_part = shape.shares(column, exact=self.exact)
        except OverBudget:
            walked = sampled(shape, column, fewest=self._fewest_moves)
            self.sampled = True
            return KindShares(shape, walked.shares.tolist(), walked.lower.tolist(), walked.upper.tolist(), walked.stuck)
        shares = [[part[value] for value in column.values] for part in by_part]
        if shape.ratio == 1:
            return KindShares(shape, shares)
        return _bounded(shape, shares, shape.ratio if self.exact else float(shape.ratio))

    @cached_property
    def ratios(self) -> Floats:
        """For each group how many times likelier than another an arrangement may be that seems as likely."""
        return np.array([float(shape.ratio) for shape in self.likelihood.shapes])[self.likelihood.of_group]

    @property
    def bounded(self) -> bool:
        """Whether some figures are the most that can be believed, and not what is."""
        return bool((self.ratios > 1).any())

    def _budget_of(self, shape: Shape) -> int:
        """Refused cuts are each a case of their own, so the budget of some is shared by all of them."""
        if not isinstance(shape, Refused | Tied):
            return self.budget
        return min(self.budget, max(FEWEST_STEPS, SHARED_BUDGETS * self.budget // max(1, self._refusals)))

    @cached_property
    def _fewest_moves(self) -> int:
        """Of each walk through the arrangements of a group: many groups share what some may take."""
        return min(FEWEST_MOVES, max(SHORTEST_WALK, SHARED_MOVES // max(1, self._refusals)))

    @cached_property
    def _refusals(self) -> int:
        """How many kinds of groups tell that cuts were refused."""
        return sum(isinstance(shape, Refused | Tied) for shape in self.likelihood.shapes)

    def shares(self, group: int) -> list[dict[Any, Any]]:
        """The probability of each value, for each part of a group."""
        codes, of_kind = self.computed(group)
        values = [self.evidence.values[c] for c in codes.tolist()]
        return [dict(zip(values, part, strict=True)) for part in of_kind.shares]

    def share(self, group: int, part: int) -> dict[Any, Any]:
        """The same for one part: a group may have as many as people."""
        codes, of_kind = self.computed(group)
        values = [self.evidence.values[c] for c in codes.tolist()]
        return dict(zip(values, of_kind.shares[part], strict=True))

    def risks(self, progress: Progress) -> tuple[Floats, Floats, Floats]:
        """The largest probability of each person, and bounds on it (itself, where it was not sampled)."""
        evidence = self.evidence
        published, labels = evidence.published, evidence.grouping.labels
        kept = np.flatnonzero(labels >= 0)
        owner = labels[kept]
        by_count = published.largest / published.sizes
        most = np.where(self.ratios > 1, raised(by_count, self.ratios), by_count)
        least = np.where(self.ratios > 1, lowered(by_count, self.ratios), by_count)
        bounds = [np.zeros(len(evidence.people)) for _ in range(3)]
        for bound, group_risk in zip(bounds, (most, least, most), strict=True):
            bound[kept] = group_risk[owner]
        ways = self.ways
        progress.stage("attacking", int(published.sizes[ways > 0].sum()))
        done = 0
        for way in np.unique(ways[ways > 0]).tolist():
            rows = kept[ways[owner] == way]
            if way == 1:
                figures = self.event(progress).largest()
                places = np.arange(len(rows))
            else:
                figures = self.table(way, progress, done).largest()
                places = self.lines_of(way, rows)
            for bound, figure in zip(bounds, figures, strict=True):
                bound[rows] = figure[places]
            done += int(published.sizes[ways == way].sum())
            progress.advance(done)
        return bounds[0], bounds[1], bounds[2]

    @cached_property
    def ways(self) -> NDArray[np.int8]:
        """For each group how its risks are computed (:func:`route`)."""
        return np.array([route(shape) for shape in self.likelihood.shapes], np.int8)[self.likelihood.of_group]

    def lines_of(self, way: int, rows: Longs) -> Longs:
        """The lines in which the table of a route by kinds says what people of its groups have."""
        first = np.zeros(len(self.ways), np.int64)
        first[self.ways == way] = self.table(way).first_line
        return np.asarray(first[self.evidence.grouping.labels[rows]] + self.likelihood.part[rows])

    def table(self, way: int, progress: Progress = SILENT, done: int = 0) -> KindTable:
        """What the groups of a route by kinds tell; people of the same part of the same kind have the same shares."""
        if way not in self.tables:
            groups = np.flatnonzero(self.ways == way)
            kinds = kinds_of(self.likelihood, self.evidence.published, groups, symmetric=way == 2)
            told = lambda group: self.computed(group)[1]  # noqa: E731
            self.tables[way] = self._table(kinds, groups, lambda group: self._look(group)[1:], told, progress, done)
        return self.tables[way]

    def event(self, progress: Progress = SILENT) -> EventShares:
        """What the groups tell that look at one event alone: only how many of their rows have it matters."""
        if self.by_event is not None:
            return self.by_event
        groups, of_group, published = np.flatnonzero(self.ways == 1), self.likelihood.of_group, self.evidence.published
        model = event_model(self.likelihood.shapes[int(of_group[groups[0]])])
        assert model is not None  # a method has one model, so all shapes have
        event = Event.of(event_codes(model, self.evidence), published)
        keys = of_group[groups].astype(np.int64) * (int(published.sizes.max()) + 1) + event.positives[groups]
        _, example, kind = np.unique(keys, return_index=True, return_inverse=True)

        def look(group: int) -> Look:
            column = event_column(int(event.positives[group]), int(published.sizes[group]))
            return of_event(self.likelihood.shapes[int(of_group[group])], model), column

        told = lambda group: self._told(*look(group))  # noqa: E731
        self.tables[1] = self._table(Kinds(kind, groups[example]), groups, look, told, progress, 0)
        labels = self.evidence.grouping.labels
        rows = np.flatnonzero((labels >= 0) & (self.ways == 1)[labels])
        having = self.tables[1].starts[self.lines_of(1, rows)]  # the event comes first in each line
        figures = (self.tables[1].shares[having], self.tables[1].lower[having], self.tables[1].upper[having])
        self.by_event = EventShares(event, published, rows, labels[rows], *figures)
        return self.by_event

    def _table(
        self,
        kinds: Kinds,
        groups: Longs,
        look: Callable[[int], Look],
        told: Callable[[int], KindShares],
        progress: Progress,
        done: int,
    ) -> KindTable:
        """What kinds tell that ``look`` at an example of them shows; ``told`` says it of one, where it must."""
        rows_of_kind = np.bincount(kinds.of_group, self.evidence.published.sizes[groups], len(kinds))
        lines = []
        for first in range(0, len(kinds), KINDS_AT_ONCE):
            examples = kinds.example[first : first + KINDS_AT_ONCE].tolist()
            lines.append(lines_of([look(group) for group in examples], examples, self.budget, told))
            progress.advance(done + int(rows_of_kind[: first + KINDS_AT_ONCE].sum()))
        return KindTable.of(kinds, lines)

    def chances(self, codes: Longs) -> Floats:
        """How likely each person has one of these values."""
        evidence, published = self.evidence, self.evidence.published
        beliefs = np.zeros(len(evidence.people))
        labels = evidence.grouping.labels
        kept = np.flatnonzero(labels >= 0)
        asked = np.isin(published.codes, codes)
        shares = np.add.reduceat(np.where(asked, published.counts, 0), published.starts[:-1]) / published.sizes
        beliefs[kept] = np.where(self.ratios > 1, raised(shares, self.ratios), shares)[labels[kept]]
        if (self.ways == 1).any():
            beliefs[self.event().rows] = self.event().chances(codes)
        for way in np.unique(self.ways[self.ways > 1]).tolist():
            self._chances_by_kind(way, asked if way == 3 else asked[frequent_first(published)], beliefs)
        return beliefs

    def _chances_by_kind(self, way: int, asked: NDArray[np.bool_], beliefs: Floats) -> None:
        """Bring the people of the groups of a route by kinds up to date; ``asked`` is in the order of their kinds."""
        published, grouping, groups = self.evidence.published, self.evidence.grouping, np.flatnonzero(self.ways == way)
        for some, first, chances in self.table(way).chances(asked, published.starts[groups]):
            sizes = grouping.sizes[groups[some]]
            members = grouping.members[numbers_from(grouping.starts[groups[some]], sizes)]
            beliefs[members] = chances[np.repeat(first, sizes) + self.likelihood.part[members]]

    def names(self, group: int) -> list[str]:
        """Who is in each part of a group, a few of them by name."""
        members = self.evidence.members(group).tolist()
        named = []
        for part in range(len(self.shape(group).sizes)):
            who = [self.evidence.name_of(row) for row in members if self.likelihood.part[row] == part]
            named.append(", ".join(who[:5]) + (f" and {len(who) - 5} more" if len(who) > 5 else ""))
        return named


def route(shape: Shape) -> int:
    """How risks are computed: 0 by frequency, 1 by an event, 2 by counts, 3 by counts of named values."""
    if isinstance(shape, Plain | Blurred):
        return 0
    if event_model(shape) is not None:
        return 1
    return 2 if shape.symmetric else 3


def _bounded(shape: Shape, shares: list[list[Any]], ratio: Any) -> KindShares:
    """The least and the most that is believed where arrangements may differ in likelihood by a ratio."""
    most = [[raised(share, ratio) for share in part] for part in shares]
    return KindShares(shape, most, [[lowered(share, ratio) for share in part] for part in shares], most)
