"""What groups tell about their people to somebody who knows facts about some, or by whose prior they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.advice import SAMPLE_OR_MORE_BUDGET, THE_BUDGET, Term
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.facts import Fact, Has, Implies, Not
from pellucid.attacking.inference.beliefs import Floats
from pellucid.attacking.inference.group_shares import GroupShares
from pellucid.errors import AttackError, ModelError
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import Impossible, OverBudget, multinomial
from pellucid.posterior.sampling import web_alone
from pellucid.posterior.shape import Blurred, Plain, raised
from pellucid.posterior.shared_cuts import Tied
from pellucid.posterior.walking import Web
from pellucid.posterior.walking_with_facts import PersonFacts, walked_with_facts
from pellucid.posterior.weighted import weighted_shares

Longs = NDArray[np.int64]


@dataclass
class Inference(GroupShares):
    """Shares by group, with and without facts."""

    prior: Floats | None = None  # weights [person, code] by which people differ beforehand
    bounds: dict[int, tuple[float, float]] = field(default_factory=dict)  # of rows whose group was sampled given facts

    def about(self, fact: Fact, group: int) -> bool:
        """Whether a fact is about somebody of this group."""
        return any(int(self.evidence.grouping.labels[row]) == group for row in self.people_of(fact))

    def people_of(self, fact: Fact) -> list[int]:
        """The rows of the people whom a fact is about."""
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
                return self._raised(groups, self._counted_with_facts(groups, facts))
            except OverBudget as much:
                why = much.advice.reworded(_counted_or_not).marked
        simple = [fact for fact in facts if isinstance(fact, Has | Not)]
        if self.prior is not None or len(simple) < len(facts) or self.exact:
            raise AttackError(why)
        try:
            return self._sampled_with_facts(groups, simple)
        except OverBudget as lacking:
            said = lacking.advice.marked
            raise AttackError(f"{said}, and counting is too much: {why}" if not tied else said) from None

    def _raised(self, groups: list[int], found: dict[int, list[dict[Any, Any]]]) -> dict[int, list[dict[Any, Any]]]:
        """The most that can be believed where arrangements that seem equally likely are not quite, in each group."""
        ratio: Any = prod(self.shape(group).ratio for group in groups)
        if ratio == 1:
            return found
        ratio = ratio if self.exact else float(ratio)
        return {
            group: [{value: raised(share, ratio) for value, share in row.items()} for row in rows]
            for group, rows in found.items()
        }

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
                PersonFacts(
                    first[int(evidence.grouping.labels[row])] + int(part_of[row]), tuple(sorted(set(told) - _VOID))
                )
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
                raise AttackError(f"implications about {len(pinned)} people leave too many cases", "state fewer")
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
            alike.setdefault(tuple(row[i] for row in weights) if isinstance(shape, Plain | Blurred) else i, []).append(
                i
            )
        lumps = list(alike.values())
        held = [[int(counts[i]) for i in lump] for lump in lumps]
        column = SensitiveColumn([values[lump[0]] for lump in lumps], [sum(lump) for lump in held])
        of_lump = [[row[lump[0]] for lump in lumps] for row in weights]
        try:
            shares, weight = weighted_shares(shape, column, parts, of_lump, budget=self.budget)
        except (Impossible, OverBudget):
            raise
        except ModelError as wrong:
            raise AttackError(wrong.advice) from None
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


def _counted_or_not(term: Term) -> str:
    """With facts, whether to sample is decided here: more budget is what is left to the caller."""
    return f"raise {THE_BUDGET}" if term.name == SAMPLE_OR_MORE_BUDGET.name else f"{term}"
