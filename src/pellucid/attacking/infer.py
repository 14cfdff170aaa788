"""From evidence and an adversary to beliefs: the one place where prior, knowledge of the method and facts meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.adversary import Adversary, Distribution, Learned
from pellucid.attacking.beliefs import Beliefs, Floats
from pellucid.attacking.differing import beliefs_by_weights, learn, one_group, weights_of
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.facts import Fact, Has, Implies, Not
from pellucid.attacking.kinds import Event, Kinds, event_codes, event_column, event_model, kinds_of, of_event
from pellucid.attacking.uncertain import NoLaw, by_chances, require_nothing_given_away
from pellucid.errors import AttackError, ModelError
from pellucid.group.entries import sort_rows
from pellucid.posterior.column import SensitiveColumn, TableCounts
from pellucid.posterior.exclusion import BUDGET, Impossible, OverBudget, multinomial
from pellucid.posterior.generalized import Generalized
from pellucid.posterior.loose import Loose
from pellucid.posterior.refused import Refused
from pellucid.posterior.sampling import sampled, web_alone
from pellucid.posterior.shape import Likelihood, Merged, Plain, Shape
from pellucid.posterior.tied import Tied
from pellucid.posterior.unsettled import Unsettled
from pellucid.posterior.walking import CONFIDENCE, Web
from pellucid.posterior.walking_with_facts import Known, walked_with_facts
from pellucid.posterior.weighted import weighted_shares
from pellucid.progress import SILENT, Progress
from pellucid.schema import Role

Longs = NDArray[np.int64]
SHARED_BUDGETS = 4  # what all refused cuts of a release may take together, in budgets
FEWEST_STEPS = 2_000  # that are always tried


def infer(
    evidence: Evidence,
    adversary: Adversary,
    *,
    exact: bool = False,
    budget: int = BUDGET,
    progress: Progress = SILENT,
    statistics: NDArray[np.int32] | None = None,
) -> Beliefs:
    """What the adversary believes. The truth is no argument, so it cannot be used.

    ``statistics`` is for a :class:`Distribution` without probabilities alone, which is measured on these codes.
    """
    if evidence.membership is not None:
        return by_chances(evidence, adversary)
    if evidence.anonymous and adversary.prior != "uniform":
        raise AttackError(
            "people differ by their quasi-identifiers, and nobody's are known; give everybody's with population="
        )
    likelihood = known_likelihood(evidence, adversary)
    if isinstance(adversary.prior, Learned | Distribution):
        return differing(evidence, adversary, likelihood, statistics, budget, progress)
    inference = _Inference(evidence, likelihood, exact, budget)
    by_fact = inference.concerned(adversary.facts)
    risk, lower, upper = inference.risks(progress)
    for group, found in by_fact.items():
        for row, posterior in zip(evidence.members(group).tolist(), found, strict=True):
            risk[row] = float(max(posterior.values()))
            lower[row], upper[row] = inference.bounds.get(row, (risk[row], risk[row]))

    def posterior_of(row: int) -> dict[Any, Any]:
        group = int(evidence.grouping.labels[row])
        if group < 0:
            return {}
        if group in by_fact:
            place: int = evidence.members(group).tolist().index(row)
            return by_fact[group][place]
        return inference.shares(group)[int(likelihood.part[row])]

    def reason_of(row: int) -> str:
        group = int(evidence.grouping.labels[row])
        if group in by_fact:
            named = [str(fact) for fact in adversary.facts if inference.about(fact, group)]
            return f"given that {', and '.join(named)}"
        if adversary.knows == "nothing":
            return "this attacker knows nothing of the method, and the frequency in the group is all there is"
        shape = inference.shape(group)
        posterior = posterior_of(row)
        value = max(posterior, key=lambda v: posterior[v])
        return shape.reason(int(likelihood.part[row]), value, inference.names(group))

    def chance_of(codes: NDArray[np.int64]) -> Floats:
        chances = inference.chances(codes)
        for group, found in by_fact.items():
            for row, posterior in zip(evidence.members(group).tolist(), found, strict=True):
                chances[row] = float(sum(posterior.get(evidence.values[c], 0) for c in codes.tolist()))
        return chances

    notes = evidence.notes
    if adversary.knows == "algorithm" and evidence.method is not None:
        hidden = evidence.grouping.labels < 0
        if evidence.method.suppresses and hidden.any():
            # what a suppressed end tells is not counted: nothing is claimed of these people
            risk[hidden] = upper[hidden] = 1.0
            notes += (
                f"{int(hidden.sum()):,} people are in no group; what their suppression tells is not counted, so they "
                "are taken as exposed",
            )
        quiet = all(isinstance(shape, Plain) for shape in likelihood.shapes)
        if evidence.people.order is None and any(isinstance(shape, Loose) for shape in likelihood.shapes):
            notes += ("without an identifier the order of rows is a secret: orders that fit are sampled too",)
        elif evidence.people.order is None and likelihood.assumes_order and not quiet:
            notes += ("without an identifier the order of rows is a secret, and is taken as known here",)
    kinds = sorted({type(s).__name__.lower() for s in likelihood.shapes if not isinstance(s, Unsettled)})
    engine = f"exact ({', '.join(kinds)}{', weighted' if by_fact else ''})"
    if not inference.sampled:
        return Beliefs(adversary, evidence, risk, engine, posterior_of, reason_of, notes=notes, chance_of=chance_of)
    stuck = (lower <= 0) & (upper >= 1)
    risk[stuck] = 1.0
    open_groups = np.array([isinstance(shape, Unsettled) for shape in likelihood.shapes])[likelihood.of_group]
    kept = evidence.grouping.labels >= 0
    unsettled = np.zeros(len(risk), np.bool_)
    unsettled[kept] = open_groups[evidence.grouping.labels[kept]]
    people = int(((lower < upper) & ~unsettled).sum())
    if people:
        engine += f"; sampled for {people:,} people whose groups have too many arrangements to count"
        notes += (f"the bounds of each sampled risk hold with confidence {CONFIDENCE:g}",)
    if unsettled.any():
        engine = f"{engine}; " if kinds else ""
        engine += f"not known for {int(unsettled.sum()):,} people"
        notes += (
            f"not known for {int(unsettled.sum()):,} people: the rows were ordered by coins and several ways of "
            "cutting may lead to these groups; give the identifier that ordered the rows, or publish with one. They "
            "are taken as exposed",
        )
    still = int((stuck & ~unsettled).sum())
    if still:
        notes += (
            f"the walk through arrangements found none that fits, or did not move, for {still:,} people: nothing is "
            "shown about them, and they are taken as exposed",
        )
    return Beliefs(
        adversary, evidence, risk, engine, posterior_of, reason_of, lower, upper, CONFIDENCE, notes, chance_of
    )


def differing(
    evidence: Evidence,
    adversary: Adversary,
    likelihood: Likelihood,
    statistics: NDArray[np.int32] | None,
    budget: int,
    progress: Progress,
) -> Beliefs:
    """With a prior by which people differ: an arrangement weighs what its people weigh, times how the method made it.

    A learned prior is learned from the release alone; facts then leave the worlds in which they hold.
    """
    prior = adversary.prior
    if isinstance(prior, Learned):
        posterior, weights, exact = learn(evidence, prior, progress)
        how = f"naive Bayes, {prior.iterations} iterations"
    else:
        assert isinstance(prior, Distribution)
        weights = weights_of(evidence, prior, statistics)
        posterior, exact = beliefs_by_weights(evidence, weights, exactly=True, budget=budget)
        how = f"distribution by {', '.join(prior.attributes)}"

    inference = _Inference(evidence, likelihood, False, budget, prior=weights)
    counted: dict[int, list[dict[Any, Any]]] = {}
    simple = [fact for fact in adversary.facts if isinstance(fact, Has | Not)]
    concerned = {int(evidence.grouping.labels[row]) for fact in simple for row in inference.people_of(fact)}
    plain = all(isinstance(likelihood.shapes[likelihood.of_group[group]], Plain) for group in concerned if group >= 0)
    if len(simple) == len(adversary.facts) and plain and -1 not in concerned:
        weights = weights.copy()  # facts about single people are weights of 0
        for fact in simple:
            row, codes = inference.people_of(fact)[0], np.arange(len(evidence.values))
            weights[row, (codes == evidence.code(fact.value)) != isinstance(fact, Has)] = 0.0
        for group in concerned:
            try:
                posterior[evidence.members(group)] = one_group(evidence, weights, group, budget)
            except AttackError as wrong:
                said = "; ".join(str(fact) for fact in simple if inference.about(fact, group))
                raise AttackError(f"given that {said}: {wrong}") from None
    else:
        counted = inference.concerned(adversary.facts)
    for group in range(len(evidence.grouping)):
        if group not in counted and not isinstance(inference.likelihood.shapes[likelihood.of_group[group]], Plain):
            counted |= inference.with_facts([group], [])
    for group, found in counted.items():
        for row, one in zip(evidence.members(group).tolist(), found, strict=True):
            posterior[row] = 0.0
            for value, share in one.items():
                posterior[row, evidence.code(value)] = float(share)

    def posterior_of(row: int) -> dict[Any, Any]:
        if evidence.grouping.labels[row] < 0:
            return {}
        codes, _ = evidence.counts(int(evidence.grouping.labels[row]))
        return {evidence.values[c]: float(posterior[row, c]) for c in codes.tolist()}

    def reason_of(row: int) -> str:
        about = [str(fact) for fact in adversary.facts if inference.about(fact, int(evidence.grouping.labels[row]))]
        return base_reason() + (f", and it is known that {', and '.join(about)}" if about else "")

    def base_reason() -> str:
        if isinstance(prior, Learned):
            return "it learned from all groups of the release which values people who look like this one have"
        return "the distribution says which values people like this one have, and the others of the group"

    def chance_of(codes: Longs) -> Floats:
        return np.asarray(posterior[:, codes].sum(axis=1))

    engine = f"{how}; {'permanents' if exact else 'large groups approximately, by scaling'}"
    risk = np.minimum(posterior.max(axis=1), 1.0)  # sums of floats may be a rounding above it
    return Beliefs(
        adversary, evidence, risk, engine, posterior_of, reason_of, notes=evidence.notes, chance_of=chance_of
    )


def _route(shape: Shape) -> int:
    """How risks are computed: 0 by frequency, 1 by an event, 2 by counts, 3 by counts of named values."""
    if isinstance(shape, Plain):
        return 0
    if event_model(shape) is not None:
        return 1
    return 2 if shape.symmetric else 3


def known_likelihood(evidence: Evidence, adversary: Adversary) -> Likelihood:
    """How likely each group is, as far as this adversary knows."""
    if adversary.knows == "nothing":
        return Likelihood.transparent(evidence.published.sizes, len(evidence.people))
    if evidence.anonymous:
        require_nothing_given_away(evidence, adversary, "nobody's own quasi-identifiers are known")
        return Likelihood.transparent(evidence.published.sizes, len(evidence.people))
    if adversary.knows == "minimality":
        return minimality(evidence)
    if evidence.method is None:
        raise AttackError(
            "an adversary who knows the algorithm needs to know which it is; say how the release was made with made_by="
        )
    told = evidence.method.likelihood(evidence.people, evidence.grouping, evidence.published)
    if told is None:
        raise NoLaw(
            f"{evidence.method.name} has no law by group that an exact engine could use; attack it as a black box "
            "with attack_anonymizer()"
        )
    return told


def minimality(evidence: Evidence) -> Likelihood:
    """Groups that merge classes of people who look alike would be apart if every class satisfied the model."""
    if evidence.model is None:
        raise AttackError("knowing minimality means knowing the model that the groups satisfy; give model=")
    people = evidence.people
    quasi = people.having(Role.QUASI)
    grouping = evidence.grouping
    kept = grouping.members
    columns = [grouping.labels[kept], *(people.codes[i][kept] for i in quasi)]
    sizes = [len(grouping), *(len(people.attributes[i]) for i in quasi)]
    order, starts = sort_rows([np.ascontiguousarray(c) for c in columns], sizes, 1)
    group_of_class = columns[0][order[starts[:-1]]]
    first_class = np.searchsorted(group_of_class, np.arange(len(grouping)))
    part = np.zeros(len(people), np.int32)
    numbers = np.arange(len(starts) - 1) - first_class[group_of_class]
    part[kept[order]] = np.repeat(numbers, np.diff(starts)).astype(np.int32)
    whole = TableCounts.of(evidence.attribute, evidence.published.table_counts.tolist())
    shapes: dict[Shape, int] = {}
    of_group = np.empty(len(grouping), np.int32)
    class_sizes = np.diff(starts)
    ends = np.append(first_class[1:], len(class_sizes))
    kept_apart = _kept_apart(evidence, [c[order[starts[:-1]]] for c in columns[1:]], group_of_class, ends - first_class)
    for group, (a, b) in enumerate(zip(first_class.tolist(), ends.tolist(), strict=True)):
        parts = tuple(class_sizes[a:b].tolist())
        apart = tuple(kept_apart.get(number, ()) for number in range(a, b)) if kept_apart else ()
        shape: Shape
        if len(parts) == 1:
            shape = Plain(parts)
        elif any(apart):
            shape = Generalized(parts, apart, evidence.model, whole)
        else:
            shape = Merged(parts, evidence.model, whole)
        of_group[group] = shapes.setdefault(shape, len(shapes))
    return Likelihood(list(shapes), of_group, part)


def _kept_apart(
    evidence: Evidence, vectors: list[NDArray[np.int32]], group_of_class: NDArray[np.int32], classes: Longs
) -> dict[int, tuple[tuple[Any, int], ...]]:
    """For each class in a group with others: the counts of people like it who are published as they are.

    That is local recoding. A group of one class is published as it is, with the sensitive counts of its people.
    """
    alone = classes[group_of_class] == 1
    if alone.all() or not alone.any():
        return {}
    _, kind = np.unique(np.stack(vectors), axis=1, return_inverse=True)
    kind = kind.ravel()
    found: dict[int, tuple[tuple[Any, int], ...]] = {}
    of_kind: dict[int, dict[Any, int]] = {}
    wanted = np.isin(kind, kind[~alone]) & alone
    for number in np.flatnonzero(wanted).tolist():
        codes, counts = evidence.counts(int(group_of_class[number]))
        own = of_kind.setdefault(int(kind[number]), {})
        for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
            own[evidence.values[code]] = own.get(evidence.values[code], 0) + count
    for number in np.flatnonzero(~alone & np.isin(kind, list(of_kind))).tolist():
        found[number] = tuple(sorted(of_kind[int(kind[number])].items(), key=str))
    return found


@dataclass(frozen=True)
class Told:
    """What a kind of group tells: by part and value the probabilities, and bounds when they were sampled."""

    shape: Shape
    shares: list[list[Any]]
    lower: list[list[float]] | None = None
    upper: list[list[float]] | None = None
    stuck: bool = False


@dataclass
class _Inference:
    """Shares by group, each kind of group computed once."""

    evidence: Evidence
    likelihood: Likelihood
    exact: bool
    budget: int
    memory: dict[Any, Told] = field(default_factory=dict)
    sampled: bool = False
    prior: Floats | None = None  # weights [person, code] by which people differ beforehand
    bounds: dict[int, tuple[float, float]] = field(default_factory=dict)  # of rows whose group was sampled given facts
    having: tuple[Longs, Longs, Floats] | None = None  # an event's codes, rows, and how likely each row has it

    def shape(self, group: int) -> Shape:
        """The group's shape; where nothing can have forced a merge, it was not forced and tells nothing."""
        return self._computed(group)[1].shape

    def _computed(self, group: int) -> tuple[NDArray[np.int32], Told]:
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

    def _told(self, shape: Shape, column: SensitiveColumn) -> Told:
        """By the shape's engine; by drawing arrangements where that would take too long."""
        try:
            told = shape.shares(column, exact=self.exact, budget=self._budget_of(shape))
        except Impossible:
            if not isinstance(shape, Merged | Generalized):
                raise
            shape = Plain(shape.sizes)
            told = shape.shares(column, exact=self.exact)
        except OverBudget:
            found = sampled(shape, column)
            self.sampled = True
            return Told(shape, found.shares.tolist(), found.lower.tolist(), found.upper.tolist(), found.stuck)
        return Told(shape, [[part[value] for value in column.values] for part in told])

    def _budget_of(self, shape: Shape) -> int:
        """Refused cuts are each a case of their own, so the budget of some is shared by all of them."""
        if not isinstance(shape, Refused | Tied):
            return self.budget
        alike = sum(isinstance(one, Refused | Tied) for one in self.likelihood.shapes)
        return min(self.budget, max(FEWEST_STEPS, SHARED_BUDGETS * self.budget // max(1, alike)))

    def shares(self, group: int) -> list[dict[Any, Any]]:
        codes, told = self._computed(group)
        values = [self.evidence.values[c] for c in codes.tolist()]
        return [dict(zip(values, part, strict=True)) for part in told.shares]

    def risks(self, progress: Progress) -> tuple[Floats, Floats, Floats]:
        """The largest probability of each person, and bounds on it (itself, where it was not sampled)."""
        evidence, likelihood = self.evidence, self.likelihood
        published, labels = evidence.published, evidence.grouping.labels
        kept = np.flatnonzero(labels >= 0)
        owner = labels[kept]
        group_risk = published.largest / published.sizes
        bounds = [np.zeros(len(evidence.people)) for _ in range(3)]
        for one in bounds:
            one[kept] = group_risk[owner]
        route = np.array([_route(shape) for shape in likelihood.shapes], np.int8)[likelihood.of_group]
        progress.stage("attacking", int((route > 0).sum()))
        done = 0
        for way in (1, 2, 3):
            groups = np.flatnonzero(route == way).astype(np.int64)
            if not len(groups):
                continue
            rows = kept[route[owner] == way] if len(groups) < len(route) else kept
            if way == 1:
                self._by_event(groups, rows, bounds, progress)
            else:
                kinds = kinds_of(likelihood, published, groups, symmetric=way == 2)
                self._by_kind(groups, kinds, rows, bounds, progress, done)
            done += len(groups)
            progress.advance(done)
        return bounds[0], bounds[1], bounds[2]

    def _by_kind(
        self, groups: Longs, kinds: Kinds, rows: Longs, bounds: list[Floats], progress: Progress, done: int
    ) -> None:
        """People of the same part of the same kind of group have the same risk."""
        largest: list[list[float]] = [[], [], []]
        starts = np.zeros(len(kinds), np.int64)
        for kind, group in enumerate(kinds.example.tolist()):
            told = self._computed(group)[1]
            starts[kind] = len(largest[0])
            for place, figures in enumerate((told.shares, told.lower or told.shares, told.upper or told.shares)):
                largest[place] += [float(max(part)) for part in figures]
            if kind % 512 == 0:
                progress.advance(done + len(groups) * kind // len(kinds))
        of_group = np.zeros(len(self.evidence.grouping), np.int64)
        of_group[groups] = starts[kinds.of_group]
        place_of = of_group[self.evidence.grouping.labels[rows]] + self.likelihood.part[rows]
        for bound, figure in zip(bounds, largest, strict=True):
            bound[rows] = np.array(figure)[place_of]

    def _by_event(self, groups: Longs, rows: Longs, bounds: list[Floats], progress: Progress) -> None:
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
        for kind, group in enumerate(groups[example].tolist()):
            column = event_column(int(counted.positives[group]), int(sizes[group]))
            shape = of_event(likelihood.shapes[int(likelihood.of_group[group])], first)
            starts[kind] = len(figures[0])
            told = self._told(shape, column)
            for place, by_part in enumerate((told.shares, told.lower or told.shares, told.upper or told.shares)):
                figures[place] += [float(part[0]) for part in by_part]
            if kind % 512 == 0:
                progress.advance(len(groups) * kind // len(example))
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
        found = np.zeros(len(evidence.people))
        asked = np.isin(published.codes, codes)
        told_alike = np.array([isinstance(shape, Plain) for shape in self.likelihood.shapes])[self.likelihood.of_group]
        labels = evidence.grouping.labels
        kept = np.flatnonzero(labels >= 0)
        shares = np.add.reduceat(np.where(asked, published.counts, 0), published.starts[:-1]) / published.sizes
        found[kept] = shares[labels[kept]]
        by_event = self.having is not None and np.array_equal(np.sort(self.having[0]), codes)
        if by_event and self.having is not None:
            _, rows, has = self.having
            found[rows] = has
        for group in np.unique(published.groups_of_entries[asked]).tolist():
            number = int(self.likelihood.of_group[group])
            if told_alike[group] or (by_event and event_model(self.likelihood.shapes[number]) is not None):
                continue
            held, told = self._computed(group)
            here = np.flatnonzero(np.isin(held, codes)).tolist()
            of_part = np.array([float(sum(part[i] for i in here)) for part in told.shares])
            members = evidence.members(group)
            found[members] = of_part[self.likelihood.part[members]]
        return found

    def names(self, group: int) -> list[str]:
        """Who is in each part of a group, a few of them by name."""
        members = self.evidence.members(group).tolist()
        named = []
        for part in range(len(self.shape(group).sizes)):
            who = [self.evidence.name_of(row) for row in members if self.likelihood.part[row] == part]
            named.append(", ".join(who[:5]) + (f" and {len(who) - 5} more" if len(who) > 5 else ""))
        return named

    def about(self, fact: Fact, group: int) -> bool:
        return any(int(self.evidence.grouping.labels[row]) == group for row in self.people_of(fact))

    def people_of(self, fact: Fact) -> list[int]:
        parts = (fact.condition, fact.consequence) if isinstance(fact, Implies) else (fact,)
        return [self.evidence.person(part.person) for part in parts]

    def concerned(self, facts: Sequence[Fact]) -> dict[int, list[dict[Any, Any]]]:
        """The posteriors of everybody in the groups that facts are about; implications may tie two groups together."""
        labels = self.evidence.grouping.labels
        tied: dict[int, set[int]] = {}
        for fact in facts:
            groups = {int(labels[row]) for row in self.people_of(fact)} - {-1}
            for row in self.people_of(fact):
                if labels[row] < 0:
                    raise AttackError(f"the fact {fact!s} is about somebody who is in no published group")
            groups = {other for group in groups for other in self.tied_to(group)}
            joined = set().union(*(tied.get(group, {group}) for group in groups))
            for group in joined:
                tied[group] = joined
        found: dict[int, list[dict[Any, Any]]] = {}
        for joined in {id(groups): groups for groups in tied.values()}.values():
            if min(joined) not in found:
                found |= self.with_facts(sorted(joined), [f for f in facts if any(self.about(f, g) for g in joined)])
        return found

    def tied_to(self, group: int) -> list[int]:
        """The groups of which a fact about this one tells something: those of the same refused cuts, and itself."""
        of_group, shapes = self.likelihood.of_group, self.likelihood.shapes
        shape = shapes[int(of_group[group])]
        if not isinstance(shape, Tied):
            return [group]
        alike = [n for n, one in enumerate(shapes) if isinstance(one, Tied) and one.joint == shape.joint]
        return [int(other) for other in np.flatnonzero(np.isin(of_group, alike))]

    def with_facts(self, groups: list[int], facts: Sequence[Fact]) -> dict[int, list[dict[Any, Any]]]:
        """The posteriors of everybody in these groups given facts: counted, and sampled where that is too much."""
        tied = any(isinstance(self.likelihood.shapes[int(self.likelihood.of_group[g])], Tied) for g in groups)
        why = "refused cuts that run through several groups are not counted given a prior or implications"
        if not tied:
            try:
                return self._counted_with_facts(groups, facts)
            except OverBudget as much:
                why = str(much).replace("sample, or raise the budget", "raise budget=")
        simple = [fact for fact in facts if isinstance(fact, Has | Not)]
        if self.prior is not None or len(simple) < len(facts) or self.exact:
            raise AttackError(why)
        try:
            return self._sampled_with_facts(groups, simple)
        except OverBudget as lacking:
            raise AttackError(f"{lacking}, and counting is too much: {why}" if not tied else str(lacking)) from None

    def _sampled_with_facts(self, groups: list[int], facts: Sequence[Has | Not]) -> dict[int, list[dict[Any, Any]]]:
        """By a walk through the arrangements in which the facts hold."""
        found: dict[int, list[dict[Any, Any]]] = {}
        evidence, part_of = self.evidence, self.likelihood.part
        walks: dict[Any, tuple[list[int], dict[int, int], Web]] = {}  # the groups of one web, by their first part
        for group in groups:
            codes, counts = evidence.counts(group)
            shape = self.likelihood.shapes[int(self.likelihood.of_group[group])]
            held = SensitiveColumn([evidence.values[c] for c in codes.tolist()], counts.tolist())
            there = web_alone(shape, held)
            if there is None:
                raise OverBudget(f"{type(shape).__name__.lower()} groups are not sampled given facts")
            key = shape.joint if isinstance(shape, Tied) else group
            walk = walks.setdefault(key, ([], {}, there[0]))
            walk[0].append(group)
            walk[1][group] = there[1]
        for some, first, web in walks.values():
            by_row: dict[int, list[tuple[bool, int]]] = {}
            for fact in facts:
                row = evidence.person(fact.person)
                if int(evidence.grouping.labels[row]) in some:
                    by_row.setdefault(row, []).append((isinstance(fact, Has), self._number(web, fact, row)))
            people = [
                Known(first[int(evidence.grouping.labels[row])] + int(part_of[row]), tuple(sorted(set(told) - _VOID)))
                for row, told in by_row.items()
            ]
            apart = walked_with_facts(web, people)
            self.sampled = True
            own = dict(zip(by_row, apart.own, strict=True))
            for group in some:
                found[group] = []
                values = self._values(group)
                here = [web.values.index(value) for value in values]
                for row in evidence.members(group).tolist():
                    part = own.get(row, apart.rest[first[group] + int(part_of[row])])
                    told_of = apart.estimate.shares[part]
                    found[group].append({v: float(told_of[i]) for v, i in zip(values, here, strict=True)})
                    self.bounds[row] = (
                        float(apart.estimate.lower[part].max()),
                        float(apart.estimate.upper[part].max()),
                    )
        return found

    def _number(self, web: Web, fact: Has | Not, row: int) -> int:
        """The number of a fact's value in a web; -1 for a value that nobody of the person's group has."""
        group = int(self.evidence.grouping.labels[row])
        for value in self._values(group):
            if str(value) == str(fact.value):
                return web.values.index(value)
        if isinstance(fact, Has):
            raise AttackError(f"the fact {fact!s} contradicts the release: that group has no such value")
        return -1

    def _counted_with_facts(self, groups: list[int], facts: Sequence[Fact]) -> dict[int, list[dict[Any, Any]]]:
        """Every way in which the people of implications can have values, weighed; the rest follows by counting."""
        plain = [fact for fact in facts if isinstance(fact, Has | Not)]
        implied = [fact for fact in facts if isinstance(fact, Implies)]
        pinned = sorted({row for fact in implied for row in self.people_of(fact)})
        total: Any = 0
        sums: dict[int, list[dict[Any, Any]]] = {
            g: [dict.fromkeys(self._values(g), 0) for _ in self.evidence.members(g)] for g in groups
        }
        for given in self._assignments(pinned):
            if not all(_holds(fact, given, self.evidence) for fact in implied):
                continue
            try:
                solved = [self._solve(group, plain, given) for group in groups]
            except Impossible:
                continue
            weight: Any = Fraction(1) if self.prior is None else 1.0
            for _, one in solved:
                weight *= one
            total += weight
            for group, (shares, _) in zip(groups, solved, strict=True):
                for row, posterior in enumerate(shares):
                    for value, p in posterior.items():
                        sums[group][row][value] += p * weight
        if not total:
            told = "; ".join(map(str, facts))
            if not facts:
                raise AttackError(
                    "the prior contradicts the release: by it, the people of a group cannot have its values"
                )
            raise AttackError(f"the facts contradict the release: no world is left in which {told}")
        return {
            group: [{v: (p / total if self.exact else float(p / total)) for v, p in row.items()} for row in rows]
            for group, rows in sums.items()
        }

    def _values(self, group: int) -> list[Any]:
        return [self.evidence.values[c] for c in self.evidence.counts(group)[0].tolist()]

    def _assignments(self, pinned: Sequence[int]) -> list[dict[int, Any]]:
        ways: list[dict[int, Any]] = [{}]
        for row in pinned:
            values = self._values(int(self.evidence.grouping.labels[row]))
            ways = [{**way, row: value} for way in ways for value in values]
            if len(ways) > 100_000:
                raise AttackError(f"implications about {len(pinned)} people leave too many cases; state fewer")
        return ways

    def _solve(
        self, group: int, facts: Sequence[Has | Not], given: Mapping[int, Any]
    ) -> tuple[list[dict[Any, Any]], Any]:
        """The posteriors of a group's people given facts and some rows' values, and the weight of all arrangements."""
        evidence = self.evidence
        codes, counts = evidence.counts(group)
        values = [evidence.values[c] for c in codes.tolist()]
        members = evidence.members(group).tolist()
        place = {row: i for i, row in enumerate(members)}
        weights: list[list[Any]] = [[Fraction(1)] * len(values) for _ in members]
        if self.prior is not None:
            weights = self.prior[np.ix_(members, codes)].tolist()
        known = {str(v) for v in values}
        # people of facts are names, those of ``given`` are rows already
        told = [(evidence.person(fact.person), isinstance(fact, Has), fact.value) for fact in facts]
        told += [(row, True, value) for row, value in given.items()]
        for row, has, about in told:
            if row not in place:
                continue
            if has and str(about) not in known:
                fact = Has(evidence.name_of(row), about)
                raise AttackError(f"the fact {fact!s} contradicts the release: that group has no such value")
            for i, value in enumerate(values):
                if (str(value) == str(about)) != has:
                    weights[place[row]][i] *= 0
        parts = self.likelihood.part[evidence.members(group)].tolist()
        shape = self.shape(group)
        # where nothing but counts is told, values that no fact tells apart are counted together
        alike: dict[Any, list[int]] = {}
        for i in range(len(values)):
            alike.setdefault(tuple(row[i] for row in weights) if isinstance(shape, Plain) else i, []).append(i)
        lumps = list(alike.values())
        held = [[int(counts[i]) for i in lump] for lump in lumps]
        column = SensitiveColumn([values[lump[0]] for lump in lumps], [sum(lump) for lump in held])
        of_lump = [[row[lump[0]] for lump in lumps] for row in weights]
        try:
            shares, weight = weighted_shares(shape, column, parts, of_lump, budget=self.budget)
        except (Impossible, OverBudget):
            raise
        except ModelError as wrong:
            raise AttackError(str(wrong)) from None
        found = []
        for of_lumps in shares:
            shared: dict[Any, Any] = {}
            for lump, share, numbers in zip(lumps, of_lumps, held, strict=True):
                whole = Fraction(share) if self.prior is None else share
                shared |= {values[i]: whole * n / sum(numbers) for i, n in zip(lump, numbers, strict=True)}
            found.append(shared)
        return found, (Fraction(weight) if self.prior is None else weight) * prod(
            multinomial(numbers) for numbers in held
        )


_VOID = {(False, -1)}  # that somebody does not have what nobody of the group has


def _holds(fact: Implies, given: Mapping[int, Any], evidence: Evidence) -> bool:
    def true(part: Has | Not) -> bool:
        same = str(given[evidence.person(part.person)]) == str(part.value)
        return same == isinstance(part, Has)

    return true(fact.consequence) if true(fact.condition) else True
