"""What groups tell about their people to somebody who knows facts about some, or by whose prior they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import AttackError, ModelError
from pellucid.messages import Message, Term
from pellucid.messages.terms import SAMPLE_OR_MORE_BUDGET, THE_BUDGET
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import Impossible, OverBudget, multinomial
from pellucid.posterior.mcmc import PersonFacts, Web, walked_with_facts
from pellucid.posterior.sampling import web_alone
from pellucid.posterior.shape import Blurred, Plain, Shape, raised
from pellucid.posterior.shared_cuts import Tied
from pellucid.posterior.weighted import weighted_shares
from pellucid.risk.facts import Fact, Has, Implies, Not, about_single_people
from pellucid.risk.inference.beliefs import Floats
from pellucid.risk.inference.group_shares import GroupShares
from pellucid.risk.views import Evidence

Longs = NDArray[np.int64]
Posteriors = dict[int, list[dict[Any, Any]]]  # of each group, one for each of its people


@dataclass
class Inference(GroupShares):
    """Shares by group, with and without facts."""

    prior: Callable[[int], Floats] | None = None  # of a group: weights [person, value] by which its people differ
    bounds: dict[int, tuple[float, float]] = field(default_factory=dict)  # of rows whose group was sampled given facts

    def about(self, fact: Fact, group: int) -> bool:
        """Whether a fact is about somebody of this group."""
        return any(int(self.evidence.grouping.labels[row]) == group for row in self.people_of(fact))

    def people_of(self, fact: Fact) -> list[int]:
        """The rows of the people whom a fact is about."""
        parts = (fact.condition, fact.consequence) if isinstance(fact, Implies) else (fact,)
        return [self.evidence.person(part.person) for part in parts]

    def concerned(self, facts: Sequence[Fact]) -> Posteriors:
        """The posteriors of everybody in the groups that facts are about; implications may tie two groups together."""
        posteriors: Posteriors = {}
        for joined in self._tied_by(facts):
            about = [fact for fact in facts if any(self.about(fact, group) for group in joined)]
            posteriors |= self.with_facts(sorted(joined), about)
        return posteriors

    def _tied_by(self, facts: Sequence[Fact]) -> list[set[int]]:
        """The groups that facts are about, those together of which a fact about one tells something of the others."""
        tied: dict[int, set[int]] = {}
        for fact in facts:
            groups = {other for group in self._groups_of(fact) for other in self.tied_to(group)}
            joined = set().union(*(tied.get(group, {group}) for group in groups))
            tied |= dict.fromkeys(joined, joined)
        return list({id(groups): groups for groups in tied.values()}.values())

    def _groups_of(self, fact: Fact) -> set[int]:
        """The groups of the people whom a fact is about; they must be in one."""
        groups = {int(self.evidence.grouping.labels[row]) for row in self.people_of(fact)}
        if min(groups) < 0:
            raise AttackError("the fact {fact!s} is about somebody who is in no published group", fact=fact)
        return groups

    def tied_to(self, group: int) -> list[int]:
        """The groups of which a fact about this one tells something: those of the same refused cuts, and itself."""
        of_group, shapes = self.likelihood.of_group, self.likelihood.shapes
        shape = shapes[int(of_group[group])]
        if not isinstance(shape, Tied):
            return [group]
        alike = [n for n, other in enumerate(shapes) if isinstance(other, Tied) and other.joint == shape.joint]
        return [int(other) for other in np.flatnonzero(np.isin(of_group, alike))]

    def with_facts(self, groups: list[int], facts: Sequence[Fact]) -> Posteriors:
        """The posteriors of everybody in these groups given facts: counted, and sampled where that is too much."""
        tied = self._any_tied(groups)
        why = Message("refused cuts that run through several groups are not counted given a prior or implications")
        if not tied:
            try:
                return self._raised(groups, self._counted_with_facts(groups, facts))
            except OverBudget as much:
                why = much.message.with_terms(_counted_or_not)
        simple = about_single_people(facts)
        if self.prior is not None or len(simple) < len(facts) or self.exact:
            raise AttackError(why)
        try:
            return self._sampled_with_facts(groups, simple)
        except OverBudget as lacking:
            if tied:
                raise AttackError(lacking.message) from None
            told = "{unsampled}, and counting is too much: {why}"
            raise AttackError(told, unsampled=lacking.message, why=why) from None

    def _any_tied(self, groups: Sequence[int]) -> bool:
        """Whether refused cuts run through one of these groups and others."""
        return any(isinstance(self.likelihood.shapes[int(self.likelihood.of_group[g])], Tied) for g in groups)

    def _raised(self, groups: list[int], counted: Posteriors) -> Posteriors:
        """The most that can be believed where arrangements that seem equally likely are not quite, in each group."""
        ratio: Any = prod(self.shape(group).ratio for group in groups)
        if ratio == 1:
            return counted
        ratio = ratio if self.exact else float(ratio)
        return {
            group: [{value: raised(share, ratio) for value, share in row.items()} for row in rows]
            for group, rows in counted.items()
        }

    def _sampled_with_facts(self, groups: list[int], facts: Sequence[Has | Not]) -> Posteriors:
        """By a walk through the arrangements in which the facts hold."""
        posteriors: Posteriors = {}
        for walk in self._webs_of(groups):
            posteriors |= self._walked(walk, facts)
        return posteriors

    def _webs_of(self, groups: list[int]) -> list[_WebGroups]:
        """The groups by the web of refused cuts that they are in."""
        evidence = self.evidence
        webs: dict[Any, _WebGroups] = {}
        for group in groups:
            codes, counts = evidence.counts(group)
            shape = self.likelihood.shapes[int(self.likelihood.of_group[group])]
            column = SensitiveColumn([evidence.values[c] for c in codes.tolist()], counts.tolist())
            web_and_part = web_alone(shape, column)
            if web_and_part is None:
                raise OverBudget("{lower} groups are not sampled given facts", lower=type(shape).__name__.lower())
            web, first_part = web_and_part
            webs.setdefault(shape.joint if isinstance(shape, Tied) else group, _WebGroups(web)).first[group] = (
                first_part
            )
        return list(webs.values())

    def _walked(self, walk: _WebGroups, facts: Sequence[Has | Not]) -> Posteriors:
        """The posteriors in the groups of one web."""
        evidence, part_of = self.evidence, self.likelihood.part
        labels, web, first = evidence.grouping.labels, walk.web, walk.first
        by_row: dict[int, set[tuple[bool, int]]] = {}
        for fact in facts:
            row = evidence.person(fact.person)
            if int(labels[row]) in first:
                by_row.setdefault(row, set()).add((isinstance(fact, Has), self._number(web, fact, row)))
        people = [
            PersonFacts(first[int(labels[row])] + int(part_of[row]), tuple(sorted(known - _VOID)))
            for row, known in by_row.items()
        ]
        apart = walked_with_facts(web, people)
        self.sampled = True
        own = dict(zip(by_row, apart.own, strict=True))
        posteriors: Posteriors = {}
        for group in first:
            posteriors[group] = []
            values = self._values(group)
            places = [web.values.index(value) for value in values]
            for row in evidence.members(group).tolist():
                part = own.get(row, apart.rest[first[group] + int(part_of[row])])
                shares = apart.estimate.shares[part]
                posteriors[group].append({v: float(shares[i]) for v, i in zip(values, places, strict=True)})
                self.bounds[row] = (
                    float(apart.estimate.lower[part].max()),
                    float(apart.estimate.upper[part].max()),
                )
        return posteriors

    def _number(self, web: Web, fact: Has | Not, row: int) -> int:
        """The number of a fact's value in a web; -1 for a value that nobody of the person's group has."""
        group = int(self.evidence.grouping.labels[row])
        for value in self._values(group):
            if str(value) == str(fact.value):
                return web.values.index(value)
        if isinstance(fact, Has):
            raise AttackError("the fact {fact!s} contradicts the release: that group has no such value", fact=fact)
        return -1

    def _counted_with_facts(self, groups: list[int], facts: Sequence[Fact]) -> Posteriors:
        """Every way in which the people of implications can have values, weighed; the rest follows by counting."""
        simple = about_single_people(facts)
        total: Any = 0
        sums: Posteriors = {group: self._nothing_yet(group) for group in groups}
        for given in self._cases(facts):
            try:
                solved = [self._solve(group, simple, given) for group in groups]
            except Impossible:
                continue
            weight = prod((of_group for _, of_group in solved), start=self._one)
            total += weight
            for group, (posteriors, _) in zip(groups, solved, strict=True):
                _add(sums[group], posteriors, weight)
        if not total:
            raise _contradicted(facts)
        return {group: [self._divided(row, total) for row in rows] for group, rows in sums.items()}

    def _divided(self, weights: Mapping[Any, Any], total: Any) -> dict[Any, Any]:
        return {value: (p / total if self.exact else float(p / total)) for value, p in weights.items()}

    @property
    def _one(self) -> Any:
        """The weight of what is certain: exact, unless a prior in floats weighs people."""
        return Fraction(1) if self.prior is None else 1.0

    def _values(self, group: int) -> list[Any]:
        return [self.evidence.values[c] for c in self.evidence.counts(group)[0].tolist()]

    def _cases(self, facts: Sequence[Fact]) -> Iterator[dict[int, Any]]:
        """The values that the people of implications can have while these hold."""
        implied = [fact for fact in facts if isinstance(fact, Implies)]
        rows = sorted({row for fact in implied for row in self.people_of(fact)})
        for given in self._assignments(rows):
            if all(_holds(fact, given, self.evidence) for fact in implied):
                yield given

    def _assignments(self, pinned: Sequence[int]) -> list[dict[int, Any]]:
        ways: list[dict[int, Any]] = [{}]
        for row in pinned:
            values = self._values(int(self.evidence.grouping.labels[row]))
            ways = [{**way, row: value} for way in ways for value in values]
            if len(ways) > 100_000:
                raise AttackError(f"implications about {len(pinned)} people leave too many cases", "state fewer")
        return ways

    def _nothing_yet(self, group: int) -> list[dict[Any, Any]]:
        """A sum of 0 for each person of a group and each of its values."""
        return [dict.fromkeys(self._values(group), 0) for _ in self.evidence.members(group)]

    def _solve(
        self, group: int, facts: Sequence[Has | Not], given: Mapping[int, Any]
    ) -> tuple[list[dict[Any, Any]], Any]:
        """The posteriors of a group's people given facts and some rows' values, and the weight of all arrangements."""
        values = self._values(group)
        weights = self._weights(group, values, facts, given)
        shape = self.shape(group)
        lumps = _lumps(weights, len(values), by_counts_alone=isinstance(shape, Plain | Blurred))
        counts = self.evidence.counts(group)[1]
        rows_of_lumps = [[int(counts[i]) for i in lump] for lump in lumps]
        column = SensitiveColumn([values[lump[0]] for lump in lumps], [sum(rows) for rows in rows_of_lumps])
        parts = self.likelihood.part[self.evidence.members(group)].tolist()
        of_lump = [[of_row[lump[0]] for lump in lumps] for of_row in weights]
        shares, weight = _weighted_shares(shape, column, parts, of_lump, self.budget)
        posteriors = [self._by_value(values, lumps, rows_of_lumps, of_lumps) for of_lumps in shares]
        arrangements = prod(multinomial(rows) for rows in rows_of_lumps)
        return posteriors, (Fraction(weight) if self.prior is None else weight) * arrangements

    def _by_value(
        self,
        values: Sequence[Any],
        lumps: Sequence[Sequence[int]],
        rows_of_lumps: Sequence[Sequence[int]],
        shares: Sequence[Any],
    ) -> dict[Any, Any]:
        """The share of a lump is that of its values by their numbers of rows."""
        posterior: dict[Any, Any] = {}
        for lump, share, rows in zip(lumps, shares, rows_of_lumps, strict=True):
            whole = Fraction(share) if self.prior is None else share
            posterior |= {values[i]: whole * n / sum(rows) for i, n in zip(lump, rows, strict=True)}
        return posterior

    def _known_values(self, facts: Sequence[Has | Not], given: Mapping[int, Any]) -> list[tuple[int, bool, Any]]:
        """Whose row, whether that person has it, and which value; people of facts are names, those given are rows."""
        known = [(self.evidence.person(fact.person), isinstance(fact, Has), fact.value) for fact in facts]
        return known + [(row, True, value) for row, value in given.items()]

    def _weights(
        self, group: int, values: Sequence[Any], facts: Sequence[Has | Not], given: Mapping[int, Any]
    ) -> list[list[Any]]:
        """By person and value of a group: the prior's weight, and 0 for what facts or given values exclude."""
        evidence = self.evidence
        members = evidence.members(group).tolist()
        weights: list[list[Any]] = [[Fraction(1)] * len(values) for _ in members]
        if self.prior is not None:
            weights = self.prior(group).tolist()
        place = {row: i for i, row in enumerate(members)}
        texts = [str(value) for value in values]
        for row, has, about in self._known_values(facts, given):
            if row not in place:
                continue
            if has and str(about) not in texts:
                fact = Has(evidence.name_of(row), about)
                raise AttackError("the fact {fact!s} contradicts the release: that group has no such value", fact=fact)
            _exclude(weights[place[row]], texts, has, str(about))
        return weights


_VOID = {(False, -1)}  # that somebody does not have what nobody of the group has


@dataclass(frozen=True)
class _WebGroups:
    """The groups of one web of cuts, each with the number of its first part there."""

    web: Web
    first: dict[int, int] = field(default_factory=dict)


def _lumps(weights: Sequence[Sequence[Any]], values: int, *, by_counts_alone: bool) -> list[list[int]]:
    """Where nothing but counts is told, values that no fact tells apart are counted together."""
    alike: dict[Any, list[int]] = {}
    for i in range(values):
        alike.setdefault(tuple(of_row[i] for of_row in weights) if by_counts_alone else i, []).append(i)
    return list(alike.values())


def _add(sums: list[dict[Any, Any]], posteriors: list[dict[Any, Any]], weight: Any) -> None:
    for sum_of_row, posterior in zip(sums, posteriors, strict=True):
        for value, p in posterior.items():
            sum_of_row[value] += p * weight


def _contradicted(facts: Sequence[Fact]) -> AttackError:
    if not facts:
        return AttackError("the prior contradicts the release: by it, the people of a group cannot have its values")
    return AttackError(f"the facts contradict the release: no world is left in which {'; '.join(map(str, facts))}")


def _holds(fact: Implies, given: Mapping[int, Any], evidence: Evidence) -> bool:
    def true(part: Has | Not) -> bool:
        same = str(given[evidence.person(part.person)]) == str(part.value)
        return same == isinstance(part, Has)

    return true(fact.consequence) if true(fact.condition) else True


def _counted_or_not(term: Term) -> Term | Message:
    """With facts, whether to sample is decided here: more budget is what is left to the caller."""
    return Message("raise {budget}", budget=THE_BUDGET) if term.name == SAMPLE_OR_MORE_BUDGET.name else term


def _exclude(weights: list[Any], texts: Sequence[str], has: bool, about: str) -> None:
    """Weigh 0 what a person who has a value, or does not have it, cannot have."""
    for i, text in enumerate(texts):
        if (text == about) != has:
            weights[i] *= 0


def _weighted_shares(
    shape: Shape, column: SensitiveColumn, parts: Sequence[int], weights: Sequence[Sequence[Any]], budget: int
) -> tuple[list[list[Any]], Any]:
    """By the shape's engine; what it does not take is an error of the attack."""
    try:
        return weighted_shares(shape, column, parts, weights, budget=budget)
    except (Impossible, OverBudget):
        raise
    except ModelError as wrong:
        raise AttackError(wrong.message) from None
