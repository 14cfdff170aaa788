"""Negative rules: who cannot have a value leaves it to the others of the group.

**Claim.** The exact posterior of everybody for somebody who knows rules of the form "people like this never have that".

**Story.** A group of two men and two women shares ovarian cancer, flu, flu and gout. Men do not have ovarian cancer, so
it is one of the two women; a probability of one in four has become one in two. Nobody's row was found for that.

**Definition.** A rule has values of some quasi-identifiers and a sensitive value that never occurs with them. A world
gives the people of a group its values; worlds that break a rule are impossible, all others are equally likely. That is
a prior with weights 0 and 1, and the posterior a ratio of permanents (:func:`pellucid.posterior.qi_distribution`).
Groups without a person and a value that some rule keeps apart stay as they are. The figure is the largest posterior,
exposed is whose largest posterior exceeds the largest frequency in the group, and ``value`` the one of which the belief
about somebody rises most. :func:`mine_rules` finds the rules that a table shows: nobody has both, and
at least ``expectation`` rows would if they had nothing to do with each other. The table has to be another one that the
attacker knows, or the true one as the most that can be known: what a release itself proves never to occur together
never stands in one group, and such a rule tells nothing new.

**Example.**

>>> import pellucid as pc
>>> from pellucid.risk.views.known_groups import evidence_of_groups
>>> import polars as pl
>>> people = pl.DataFrame({"sex": ["m", "m", "f", "f"], "s": ["flu", "gout", "ovarian cancer", "flu"]})
>>> evidence = evidence_of_groups(pc.read(people, quasi="sex", sensitive="s"), [0, 0, 0, 0])
>>> found = negative_rules(evidence, [Rule({"sex": "m"}, "ovarian cancer")])
>>> found.details["value"], found.details["posterior"], found.details["frequency"]
('ovarian cancer', 0.5, 0.25)

**Citation.** Li, Li: Injector, mining background knowledge for data anonymization, ICDE 2008.

**Baseline.** The frequency of the values in the group, for somebody without rules.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.anonymize.methods.injector import missing_pairs
from pellucid.core.schema import Role
from pellucid.errors import AttackError, ModelError
from pellucid.messages import Count, Message, Probability
from pellucid.messages.terms import in_python
from pellucid.posterior.qi_distribution import qi_distribution
from pellucid.risk.attacks.finding import About, ClassicAttack, Finding, number_of_people, share_right, some
from pellucid.risk.inference.best_guess import best_guess
from pellucid.risk.views import Evidence

BUDGET = 1 << 18  # states per group
NEGATIVE_RULES = About(
    "negative rules",
    "A group of two men and two women shares a case of ovarian cancer. Men do not have it, so it is one of the women: "
    "one in four has become one in two.",
    "Li, Li: Injector, mining background knowledge for data anonymization. ICDE 2008.",
    "largest posterior of anybody's value for somebody who knows the rules",
    "somebody without rules, by the frequency in the group",
)


@dataclass(frozen=True)
class Rule:
    """People with these values of quasi-identifiers never have this sensitive value.

    >>> str(Rule({"sex": "m", "age": 30}, "ovarian cancer"))
    "age = 30 and sex = 'm' never occur with 'ovarian cancer'"
    """

    given: tuple[tuple[str, Any], ...]
    never: Any

    def __init__(self, given: Mapping[str, Any], never: Any) -> None:
        object.__setattr__(self, "given", tuple(sorted(given.items(), key=lambda item: item[0])))
        object.__setattr__(self, "never", never)

    def __str__(self) -> str:
        conditions = " and ".join(f"{name} = {value!r}" for name, value in self.given)
        return f"{conditions} never {'occurs' if len(self.given) == 1 else 'occur'} with {self.never!r}"


def mine_rules(
    evidence: Evidence, statistics: NDArray[np.int32], *, expectation: float = 0.9, size: int = 2
) -> list[Rule]:
    """The rules over at most ``size`` quasi-identifiers that people with these sensitive codes show."""
    people = evidence.people
    if len(statistics) != len(people):
        raise AttackError(f"{len(statistics):,} sensitive values and {len(people):,} people", "give everybody one")
    if not expectation > 0 or size < 1:
        raise AttackError(f"expectation = {expectation}, size = {size}: must be above 0 and at least 1")
    counts = np.bincount(statistics, minlength=len(evidence.values))
    need = math.ceil(Fraction(repr(float(expectation))) * len(people))
    quasi = people.having(Role.QUASI)
    rules = []
    for chosen in range(1, min(size, len(quasi)) + 1):
        for columns in combinations(quasi, chosen):
            codes, sizes = [people.codes[i] for i in columns], [len(people.attributes[i]) for i in columns]
            rows, starts = sort_rows(codes, sizes, 1)
            keys = np.empty(len(people), np.int64)
            keys[rows] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            ruled, excluded = missing_pairs(keys, np.diff(starts), statistics, counts, need)
            for key, code in zip(ruled.tolist(), excluded.tolist(), strict=True):
                example = int(rows[starts[key]])
                given = {
                    people.attributes[i].name: people.attributes[i].values[int(people.codes[i][example])]
                    for i in columns
                }
                rules.append(Rule(given, evidence.values[code]))
    return rules


def negative_rules(
    evidence: Evidence,
    rules: Sequence[Rule],
    *,
    truth: NDArray[np.int32] | None = None,
    budget: int = BUDGET,
) -> Finding:
    """What somebody believes who knows the rules; exposed is of whom they tell more than the frequency does."""
    number_of_people(evidence)
    _check_rules_can_tell(evidence, rules)
    by_group = _barred_by_group(evidence, rules)
    risk, guesses = evidence.baseline.copy(), np.full(len(evidence.people), -1, np.int64)
    rise = (0.0, -1, -1, 0.0)  # the largest gain over a frequency, of whom, in which value, and to which belief
    skipped = 0
    solved: dict[Any, list[dict[int, float]] | None] = {}
    for group, barred in by_group.items():
        members = evidence.members(group).tolist()
        codes, counts = (array.tolist() for array in evidence.counts(group))
        profile = [frozenset(barred.get(row, ())) for row in members]
        key = (tuple(profile), tuple(codes), tuple(counts))
        if key not in solved:
            solved[key] = _solve(profile, codes, counts, budget, group)
        posteriors = solved[key]
        if posteriors is None:
            skipped += 1
            continue
        for row, posterior in zip(members, posteriors, strict=True):
            guesses[row], risk[row] = best_guess(posterior), max(posterior.values())
            for code, n in zip(codes, counts, strict=True):
                rise = max(rise, (posterior[code] - n / len(members), row, code, posterior[code]))
    exposed = np.flatnonzero(risk > evidence.baseline + 1e-9).astype(np.int64)
    details: dict[str, Any] = {"rules": len(rules), "groups": len(by_group), "skipped": skipped}
    nothing = "{rules} told nothing about anybody beyond the frequency in the group."
    sentence = Message(nothing, rules=Count(len(rules), "rule"))
    if rise[0] > 1e-9:
        gain, row, code, belief = rise
        value = evidence.values[code]
        details |= {"value": value, "posterior": belief, "frequency": belief - gain}
        sentence = Message(
            "By {rules}, {person} has {value!r} with probability {belief} instead of {before}. The best guess became "
            "better for {people}.",
            rules=Count(len(rules), "rule"),
            person=evidence.name_of(row),
            value=value,
            belief=Probability(float(belief)),
            before=Probability(float(belief - gain)),
            people=some(len(exposed)),
        )
    if skipped:
        left = Message("{groups} too large to count.", groups=Count(skipped, "group was", "groups were"))
        sentence = Message.joined([sentence, left], " ")
    scored = share_right(evidence, exposed, guesses[exposed], truth)
    return NEGATIVE_RULES.finding(risk.max(), evidence.baseline.max(), exposed, sentence, **details, **scored)


def _check_rules_can_tell(evidence: Evidence, rules: Sequence[Rule]) -> None:
    if not rules:
        raise AttackError("no rule is given", "give what is known never to occur, or mine it with mine_rules()")
    if (evidence.published.sizes != evidence.grouping.sizes).any():
        raise AttackError(
            "groups have more or fewer rows than people, so who shares which values is not known",
            "give the people of the table",
        )


def _barred_by_group(evidence: Evidence, rules: Sequence[Rule]) -> dict[int, dict[int, set[int]]]:
    """Of each group that rules tell something about: the people, and the codes that each of them does not have."""
    rows, codes = ruled_out(evidence, rules)
    labels = evidence.grouping.labels
    by_group: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for row, code in zip(rows.tolist(), codes.tolist(), strict=True):
        by_group[int(labels[row])][row].add(code)
    return by_group


def ruled_out(evidence: Evidence, rules: Sequence[Rule]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The people and the codes of values in their group that some rule says they do not have, each pair once."""
    values, published = len(evidence.values), evidence.published
    published_pairs = published.groups_of_entries * values + published.codes
    pairs = [np.zeros(0, np.int64)]
    for columns, excluding in _by_columns(evidence, rules).items():
        rows, codes = _excluded(evidence, columns, excluding)
        wanted_pairs = evidence.grouping.labels[rows].astype(np.int64) * values + codes
        where = np.minimum(np.searchsorted(published_pairs, wanted_pairs), len(published_pairs) - 1)
        pairs.append((rows * values + codes)[published_pairs[where] == wanted_pairs])
    distinct = np.unique(np.concatenate(pairs))
    return distinct // values, distinct % values


Columns = tuple[int, ...]  # of the table
Excluding = tuple[tuple[int, ...], int]  # codes of such columns, and the sensitive code that never occurs with them


def _by_columns(evidence: Evidence, rules: Sequence[Rule]) -> dict[Columns, list[Excluding]]:
    """The rules in codes, by the columns that they look at; without those of values that nobody has."""
    named = {evidence.people.attributes[i].name: i for i in evidence.people.having(Role.QUASI)}
    by_columns: dict[Columns, list[Excluding]] = defaultdict(list)
    for rule in rules:
        columns, wanted = [], []
        for name, value in rule.given:
            if name not in named:
                raise AttackError(f"no quasi-identifier is called {name!r}", f"there are: {', '.join(named)}")
            book = evidence.people.attributes[named[name]].values.cast(str).to_list()
            text = None if value is None else str(value)
            columns.append(named[name])
            wanted.append(book.index(text) if text in book else -1)  # a value that nobody has rules out nothing
        if min(wanted, default=0) >= 0:
            by_columns[tuple(columns)].append((tuple(wanted), evidence.code(rule.never)))
    return by_columns


def _excluded(
    evidence: Evidence, columns: Columns, excluding: Sequence[Excluding]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The people of groups whom rules on these columns are about, and the code that each such rule excludes."""
    people, labels = evidence.people, evidence.grouping.labels
    keys = np.zeros(len(people), np.int64)
    radix = [len(people.attributes[i]) for i in columns]
    for i, size in zip(columns, radix, strict=True):
        keys = keys * size + people.codes[i]
    ruled = np.array([int(np.ravel_multi_index(codes, radix)) for codes, _ in excluding], np.int64)
    excluded = np.array([code for _, code in excluding], np.int64)
    order = np.argsort(ruled, kind="stable")
    ruled, excluded = ruled[order], excluded[order]
    first, last = np.searchsorted(ruled, keys, "left"), np.searchsorted(ruled, keys, "right")
    number = np.where(labels >= 0, last - first, 0)
    rows = np.repeat(np.arange(len(people)), number)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(number) - number, number)
    return rows, excluded[first[rows] + place]


def _fewest_states(profile: Sequence[frozenset[int]], counts: Sequence[int]) -> int:
    """How many states counting takes: of the people alike, or of the values, whichever are fewer."""
    classes = [sum(barred == own for own in profile) for barred in set(profile)]
    return min(math.prod(n + 1 for n in classes), math.prod(n + 1 for n in counts))


def _solve(
    profile: Sequence[frozenset[int]], codes: Sequence[int], counts: Sequence[int], budget: int, group: int
) -> list[dict[int, float]] | None:
    """Each member's posterior by code; None when there is too much to count."""
    if len(codes) > 2 and _fewest_states(profile, counts) > budget:
        return None
    weights = [{code: 0 if code in barred else 1 for code in codes} for barred in profile]
    values = [code for code, n in zip(codes, counts, strict=True) for _ in range(n)]
    try:
        return qi_distribution(weights, values, budget=budget)
    except ModelError:
        raise AttackError(
            f"the rules contradict the release: by them the people of group {group} cannot have its values",
            "check them",
        ) from None


ATTACKS = (
    ClassicAttack(
        130,
        NEGATIVE_RULES,
        lacking=Message.of(
            "needs rules of what never occurs together",
            Message("{way}", way=in_python("give them to negative_rules(), or mine them in a table")),
        ),
    ),
)
