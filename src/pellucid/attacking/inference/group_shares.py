"""What the groups of a release tell about their people, each kind of group computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.evidence import Evidence
from pellucid.attacking.inference.beliefs import Floats
from pellucid.attacking.inference.group_kinds import (
    Event,
    Kinds,
    event_codes,
    event_column,
    event_model,
    kinds_of,
    of_event,
)
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import Impossible, OverBudget
from pellucid.posterior.generalized import Generalized
from pellucid.posterior.refusal.shape import Refused
from pellucid.posterior.sampling import sampled
from pellucid.posterior.shape import Blurred, Likelihood, Merged, Plain, Shape, lowered, raised
from pellucid.posterior.shared_cuts import Tied
from pellucid.posterior.walking import FEWEST_MOVES
from pellucid.progress import Progress

Longs = NDArray[np.int64]
SHARED_BUDGETS = 4  # what all refused cuts of a release may take together, in budgets
FEWEST_STEPS = 2_000  # that are always tried
SHARED_MOVES = 2_000_000  # of one walk through the arrangements of each such group, together
SHORTEST_WALK = 5_000  # moves


@dataclass(frozen=True)
class KindShares:
    """What a kind of group tells: by part and value the probabilities, and bounds when they were sampled."""

    shape: Shape
    shares: list[list[Any]]
    lower: list[list[float]] | None = None
    upper: list[list[float]] | None = None
    stuck: bool = False


@dataclass
class GroupShares:
    """Shares by group, each kind of group computed once."""

    evidence: Evidence
    likelihood: Likelihood
    exact: bool
    budget: int
    memory: dict[Any, KindShares] = field(default_factory=dict)
    sampled: bool = False
    having: tuple[Longs, Longs, Floats] | None = None  # an event's codes, rows, and how likely each row has it

    def shape(self, group: int) -> Shape:
        """The group's shape; where nothing can have forced a merge, it was not forced and tells nothing."""
        return self.computed(group)[1].shape

    def computed(self, group: int) -> tuple[NDArray[np.int32], KindShares]:
        """The group's codes and, in the same order, what it tells."""
        codes, counts = self.evidence.counts(group)
        number = int(self.likelihood.of_group[group])
        shape = self.likelihood.shapes[number]
        order = np.argsort(-counts, kind="stable") if shape.symmetric else np.arange(len(codes))
        key = (number, counts[order].tobytes(), None if shape.symmetric else codes.tobytes())
        if key not in self.memory:
            values = list(range(len(codes))) if shape.symmetric else [self.evidence.values[c] for c in codes.tolist()]
            self.memory[key] = self._told(shape, SensitiveColumn(values, counts[order].tolist()))
        return codes[order], self.memory[key]

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
        return any(shape.ratio > 1 for shape in self.likelihood.shapes)

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
        evidence, likelihood = self.evidence, self.likelihood
        published, labels = evidence.published, evidence.grouping.labels
        kept = np.flatnonzero(labels >= 0)
        owner = labels[kept]
        by_count = published.largest / published.sizes
        most = np.where(self.ratios > 1, raised(by_count, self.ratios), by_count)
        least = np.where(self.ratios > 1, lowered(by_count, self.ratios), by_count)
        bounds = [np.zeros(len(evidence.people)) for _ in range(3)]
        for bound, group_risk in zip(bounds, (most, least, most), strict=True):
            bound[kept] = group_risk[owner]
        ways = np.array([route(shape) for shape in likelihood.shapes], np.int8)[likelihood.of_group]
        progress.stage("attacking", int(published.sizes[ways > 0].sum()))
        done = 0
        for way in (1, 2, 3):
            groups = np.flatnonzero(ways == way).astype(np.int64)
            if not len(groups):
                continue
            rows = kept[ways[owner] == way] if len(groups) < len(ways) else kept
            if way == 1:
                self._by_event(groups, rows, bounds, progress, done)
            else:
                kinds = kinds_of(likelihood, published, groups, symmetric=way == 2)
                self._by_kind(groups, kinds, rows, bounds, progress, done)
            done += int(published.sizes[groups].sum())
            progress.advance(done)
        return bounds[0], bounds[1], bounds[2]

    def _by_kind(
        self, groups: Longs, kinds: Kinds, rows: Longs, bounds: list[Floats], progress: Progress, done: int
    ) -> None:
        """People of the same part of the same kind of group have the same risk."""
        largest: list[list[float]] = [[], [], []]
        rows_of_kind = np.bincount(kinds.of_group, self.evidence.published.sizes[groups], len(kinds))
        starts = np.zeros(len(kinds), np.int64)
        for kind, group in enumerate(kinds.example.tolist()):
            of_kind = self.computed(group)[1]
            starts[kind] = len(largest[0])
            for place, figures in enumerate(
                (of_kind.shares, of_kind.lower or of_kind.shares, of_kind.upper or of_kind.shares)
            ):
                largest[place] += [float(max(part)) for part in figures]
            done += int(rows_of_kind[kind])
            progress.advance(done)
        of_group = np.zeros(len(self.evidence.grouping), np.int64)
        of_group[groups] = starts[kinds.of_group]
        place_of = of_group[self.evidence.grouping.labels[rows]] + self.likelihood.part[rows]
        for bound, figure in zip(bounds, largest, strict=True):
            bound[rows] = np.array(figure)[place_of]

    def _by_event(self, groups: Longs, rows: Longs, bounds: list[Floats], progress: Progress, done: int) -> None:
        """Only how many rows of a group have the event matters; inside and outside of it, counts alone do."""
        evidence, likelihood = self.evidence, self.likelihood
        first = event_model(likelihood.shapes[int(likelihood.of_group[groups[0]])])
        assert first is not None  # a method has one model, so all shapes have
        counted = Event.of(event_codes(first, evidence), evidence.published)
        sizes = evidence.published.sizes
        keys = likelihood.of_group[groups].astype(np.int64) * (int(sizes.max()) + 1) + counted.positives[groups]
        _, example, kind_of = np.unique(keys, return_index=True, return_inverse=True)
        figures: list[list[float]] = [[], [], []]
        starts = np.zeros(len(example), np.int64)
        rows_of_kind = np.bincount(kind_of, sizes[groups], len(example))
        for kind, group in enumerate(groups[example].tolist()):
            column = event_column(int(counted.positives[group]), int(sizes[group]))
            shape = of_event(likelihood.shapes[int(likelihood.of_group[group])], first)
            starts[kind] = len(figures[0])
            of_kind = self._told(shape, column)
            for place, by_part in enumerate(
                (of_kind.shares, of_kind.lower or of_kind.shares, of_kind.upper or of_kind.shares)
            ):
                figures[place] += [float(part[0]) for part in by_part]
            done += int(rows_of_kind[kind])
            progress.advance(done)
        with np.errstate(invalid="ignore", divide="ignore"):
            inside = np.nan_to_num(counted.largest / counted.positives)
            outside = np.nan_to_num(counted.largest_other / (sizes - counted.positives))
        of_group = np.zeros(len(evidence.grouping), np.int64)
        of_group[groups] = starts[kind_of]
        owner = evidence.grouping.labels[rows]
        place_of = of_group[owner] + likelihood.part[rows]
        has, fewest, most = (np.array(figure)[place_of] for figure in figures)
        self.having = counted.codes, rows, has
        for bound, event, lacking in zip(bounds, (has, fewest, most), (has, most, fewest), strict=True):
            bound[rows] = np.maximum(event * inside[owner], (1 - lacking) * outside[owner])

    def chances(self, codes: Longs) -> Floats:
        """How likely each person has one of these values."""
        evidence, published = self.evidence, self.evidence.published
        beliefs = np.zeros(len(evidence.people))
        asked = np.isin(published.codes, codes)
        alike = [isinstance(shape, Plain | Blurred) for shape in self.likelihood.shapes]
        told_alike = np.array(alike)[self.likelihood.of_group]
        labels = evidence.grouping.labels
        kept = np.flatnonzero(labels >= 0)
        shares = np.add.reduceat(np.where(asked, published.counts, 0), published.starts[:-1]) / published.sizes
        beliefs[kept] = np.where(self.ratios > 1, raised(shares, self.ratios), shares)[labels[kept]]
        by_event = self.having is not None and np.array_equal(np.sort(self.having[0]), codes)
        if by_event and self.having is not None:
            _, rows, has = self.having
            beliefs[rows] = has
        for group in np.unique(published.groups_of_entries[asked]).tolist():
            number = int(self.likelihood.of_group[group])
            if told_alike[group] or (by_event and event_model(self.likelihood.shapes[number]) is not None):
                continue
            in_group, of_kind = self.computed(group)
            here = np.flatnonzero(np.isin(in_group, codes)).tolist()
            of_part = _summed(of_kind.shares, here)
            members = evidence.members(group)
            beliefs[members] = of_part[self.likelihood.part[members]]
        return beliefs

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


def _summed(shares: Sequence[Sequence[Any]], values: Sequence[int]) -> Floats:
    """The share of these values together, in each part."""
    return np.array([float(sum(part[i] for i in values)) for part in shares])
