"""What attackers with statistics get right: by these alone, and with the release. No verdict is about them.

**Definition.** A statistic is how often each sensitive value occurs among the people who look alike: by one column, by
the pair of columns that says most of the truth without the release, by all columns (naive Bayes), and by strata of
``SIZE`` or more people, cut by quasi-identifiers as :class:`pellucid.Strata` cuts them. It is measured on the true
table, and it has *support*: of looks that fewer than :func:`~pellucid.risk.report.headline.enough` people have,
nothing is known but the distribution of the whole column. (Strata have the people that they have.) With the release, a
way of handing out a group's values to its people weighs the product of what the statistic says of each person. Groups
of up to 14 people are counted exactly, larger ones by scaling. Of more than ``LOT`` people, about so many are looked
at, in whole groups that are drawn by lot; where a few groups have most of the people, so many more that no few decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.core.table import Codes
from pellucid.errors import PellucidError
from pellucid.messages import Count, Message
from pellucid.risk.inference.best_guess import TIE
from pellucid.risk.inference.cell_posteriors import to_posteriors
from pellucid.risk.inference.cells import Cells, Looks
from pellucid.risk.inference.learning import SEED, Classifier
from pellucid.risk.inference.scoring import mark_truth, most_of
from pellucid.risk.report.headline import enough
from pellucid.risk.report.rightly import By, Rightly, Statistic, Told, figures
from pellucid.risk.views import Evidence, Gathered
from pellucid.runtime.records import record

Floats = NDArray[np.float64]
LOT = 10_000  # about so many people, in whole groups, are looked at
GROUPS = 100  # at least about so many of like size are drawn, whatever the sizes
MOST_CELLS = 100_000_000  # people times values of their groups, to draw more than a lot
SIZE = 50  # the least people of a stratum
COLUMNS = 10  # whose pairs are looked at: those that say most by themselves
SMOOTHING = 0.1  # of naive Bayes, as of the learner
TABULATED = 1 << 24  # looks times values, at most
AT_ONCE = 1 << 21  # people times values


def statistics_of(gathered: Gathered, allowed: float | Floats | None, *, lot: int = LOT) -> tuple[Statistic, ...]:
    """Each statistic in turn; ``allowed`` is what may be believed, of everybody or of each person."""
    evidence, truth = gathered.evidence, gathered.truth
    names = tuple(evidence.people.attributes[i].name for i in evidence.people.having(Role.QUASI))
    why = _absent(evidence, truth, names)
    if truth is None or why:
        return (Statistic("columns", names, why=why),)
    try:
        scorer = _Scorer.of(evidence, truth, allowed, lot)
    except PellucidError as wrong:
        return (Statistic("columns", names, why=wrong.message),)
    looks = [_supported(scorer, (i,)) for i in evidence.people.having(Role.QUASI)]
    found = [scorer.told("column", (name,), [look]) for name, look in zip(names, looks, strict=True)]
    if len(looks) > 1:
        found += [_strongest_pair(scorer, looks, names), scorer.told("columns", names, looks)]
    return (*found, _of_strata(scorer, names))


def _absent(evidence: Evidence, truth: Codes | None, names: Sequence[str]) -> Message | Literal[""]:
    """Why nothing can be measured, if so."""
    if truth is None or evidence.anonymous:
        return Message.of("it is measured on the true table", "give that as {TRUTH}")
    if evidence.membership is not None:
        return Message("it is open who is in which group")
    inside, values = int(((truth >= 0) & evidence.inside).sum()), len(evidence.values)
    if not names or not inside:
        return Message("there is no quasi-identifier") if inside else Message("nobody of the table is in a group")
    if 2 * values > inside:
        told = "{values} of {people} are too many for statistics"
        return Message(told, values=Count(values, "value"), people=Count(inside, "person", "people"))
    return ""


@record(eq=False)
class _Look:
    """What people look like, 0 for looks that too few people have, and how often each value occurs by look."""

    columns: tuple[int, ...]
    keys: Codes
    counts: Floats  # by look and value
    least: int

    @property
    def supported(self) -> int:
        """Of how many people something is known."""
        return int(self.counts[1:].sum())

    def shares(self, table: Floats) -> Floats:
        """The distribution by look: of the rest that of the whole table."""
        shares: Floats = self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        shares[0] = table
        return shares

    def mean(self, table: Floats) -> float:
        """The mean probability of the truth, without the release."""
        return float((self.counts * self.shares(table)).sum() / self.counts.sum())


def _supported(scorer: _Scorer, columns: tuple[int, ...]) -> _Look:
    """What people look like in some columns."""
    people = scorer.evidence.people
    keys, kinds = np.zeros(len(people), np.int64), 1
    for i in columns:
        keys, kinds = keys * len(people.attributes[i]) + people.codes[i], kinds * len(people.attributes[i])
    if kinds > TABULATED:
        distinct, place = np.unique(keys, return_inverse=True)
        keys, kinds = place.ravel(), len(distinct)
    least = enough(scorer.evidence)
    known = np.bincount(keys[scorer.there], minlength=kinds) >= least
    number = np.where(known, np.cumsum(known), 0)
    return scorer.look(columns, number[keys].astype(np.int32), int(known.sum()) + 1, least)


def _strongest_pair(scorer: _Scorer, looks: Sequence[_Look], names: Sequence[str]) -> Statistic:
    """The pair of columns that says most of the truth by itself."""
    order = sorted(range(len(looks)), key=lambda i: -looks[i].mean(scorer.table))[:COLUMNS]
    pairs = {pair: _supported(scorer, looks[pair[0]].columns + looks[pair[1]].columns) for pair in _pairs(order)}
    best = max(pairs, key=lambda pair: pairs[pair].mean(scorer.table))
    return scorer.told("pair", tuple(names[i] for i in best), [pairs[best]])


def _pairs(order: Iterable[int]) -> Iterator[tuple[int, int]]:
    return combinations(sorted(order), 2)


def _of_strata(scorer: _Scorer, names: tuple[str, ...]) -> Statistic:
    """By strata of people who look alike."""
    from pellucid.anonymize.methods.strata import (
        Strata,  # which an attack on other releases does not need to import before
    )

    strata = Strata(l=2, size=SIZE).strata(scorer.evidence.people)
    count = int(strata.max()) + 1
    if count < 2:
        few = Message("fewer than {people} are one stratum", people=Count(2 * SIZE, "person", "people"))
        return Statistic("strata", names, why=few)
    if (count + 1) * len(scorer.table) > TABULATED:
        many = Message("{values} in {strata:,} strata are too many", values=len(scorer.table), strata=count)
        return Statistic("strata", names, why=many)
    return scorer.told("strata", names, [scorer.look((), strata + 1, count + 1, SIZE)])


def _drawn(layout: Cells, lot: int) -> int:
    """How many groups are looked at: about so many people, and more where sizes differ much."""
    people, sizes = len(layout.members), layout.sizes.astype(np.float64)
    if people <= lot:
        return len(layout)
    alike = people**2 / float((sizes**2).sum())  # so many groups of one size would differ as much from lot to lot
    share = min(max(lot / people, GROUPS / alike), max(lot / people, MOST_CELLS / layout.total))
    return min(len(layout), max(1, round(share * len(layout))))


@record(eq=False)
class _Scorer:
    """The people who are looked at, the cells of their groups, and what is true of them."""

    evidence: Evidence
    truth: Codes
    there: NDArray[np.bool_]
    table: Floats  # the share of each value
    part: Cells
    rows: NDArray[np.int64]
    drawn: bool
    allowed: float | Floats | None

    @classmethod
    def of(cls, evidence: Evidence, truth: Codes, allowed: float | Floats | None, lot: int) -> _Scorer:
        layout = Cells.of(evidence)
        there = (truth >= 0) & evidence.inside
        groups = _drawn(layout, lot)
        drawn = groups < len(layout)
        if drawn:
            order = np.random.default_rng(SEED).permutation(len(layout))
            layout = layout.some(np.sort(order[:groups]))
        rows = np.sort(layout.members.astype(np.int64))
        table = np.bincount(truth[there], minlength=len(evidence.values)) / int(there.sum())
        return cls(evidence, truth, there, table, layout, rows[there[rows]], drawn, allowed)

    def look(self, columns: tuple[int, ...], keys: Codes, kinds: int, least: int) -> _Look:
        values = len(self.table)
        pairs = keys[self.there].astype(np.int64) * values + self.truth[self.there]
        counts = np.bincount(pairs, minlength=kinds * values).reshape(kinds, values).astype(np.float64)
        return _Look(columns, np.ascontiguousarray(keys, np.int32), counts, least)

    def told(self, by: By, columns: tuple[str, ...], looks: Sequence[_Look]) -> Statistic:
        """What whoever knows the values by these looks gets right."""
        supported, least = max(look.supported for look in looks), looks[0].least
        if not supported:
            few = Message("fewer than {least} share such values", least=Count(least, "person", "people"))
            return Statistic(by, columns, why=few)
        if not len(self.rows):
            return Statistic(by, columns, why=Message("nobody of the table is in a group that was drawn by lot"))
        tables = [_logs(look) if len(looks) > 1 else look.shares(self.table) for look in looks]
        try:
            right = self._right(looks, tables)
        except PellucidError as wrong:
            return Statistic(by, columns, supported, least, why=wrong.message)
        return Statistic(
            by, columns, supported, least, self.drawn, right, unsupported=int(self.there.sum()) - supported
        )

    def _right(self, looks: Sequence[_Look], tables: Sequence[Floats]) -> Rightly:
        people, values = len(self.truth), len(self.table)
        pairs = tuple(Looks(look.keys, len(look.counts), values, values) for look in looks)
        flat = tuple(np.ascontiguousarray(table).ravel() for table in tables)
        chance, most, guess = np.zeros(people), np.zeros(people), np.full(people, -1, np.int32)
        risk = most if self.evidence.protected is None else np.zeros(people)
        for first, last in self.part.stretches():
            part = self.part.part(first, last)
            if len(pairs) > 1:
                cells = Classifier(flat).weigh(part, pairs)
            else:
                cells = part.zeros()
                pairs[0].add(part, flat[0], cells)
            to_posteriors(part, cells)
            part.mark_likeliest(cells, most, guess)
            mark_truth(part, cells, self.truth, chance)
            for some in () if self.evidence.protected is None else self.evidence.events:
                one = np.zeros(people)
                part.mark_chances(cells, np.isin(part.codes, some).astype(np.int8), one)
                np.maximum(risk, one, out=risk)
        rows = self.rows
        allowed = self.allowed if not isinstance(self.allowed, np.ndarray) else self.allowed[rows]
        return figures(
            self.truth[rows],
            self.table,
            (chance[rows], guess[rows], risk[rows]),
            self._alone(looks, tables),
            None if allowed is None else (allowed, self.evidence.protected, self.evidence.as_one),
        )

    def _alone(self, looks: Sequence[_Look], tables: Sequence[Floats]) -> Told:
        """What is known of the people who are looked at without the release."""
        events = self.evidence.some_events
        truth = self.truth[self.rows]
        if len(looks) == 1:
            keys, table = looks[0].keys[self.rows], tables[0]
            return table[keys, truth], _first_of_likeliest(table)[keys], most_of(table, events)[keys]
        chance, guess, most = np.zeros(len(truth)), np.zeros(len(truth), np.int32), np.zeros(len(truth))
        with np.errstate(divide="ignore"):
            frequent = np.log(self.table)
        step = max(1, AT_ONCE // len(self.table))
        for first in range(0, len(truth), step):
            here = slice(first, first + step)
            shares = np.repeat(frequent[None, :], len(truth[here]), axis=0)
            for look, table in zip(looks, tables, strict=True):
                shares += table[look.keys[self.rows[here]]]
            shares = np.exp(shares - shares.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            chance[here] = shares[np.arange(len(shares)), truth[here]]
            guess[here], most[here] = _first_of_likeliest(shares), most_of(shares, events)
        return chance, guess, most


def _first_of_likeliest(shares: Floats) -> Codes:
    """Of each line the first of the likeliest values."""
    first: Codes = np.argmax(shares >= shares.max(axis=1, keepdims=True) * (1 - TIE), axis=1).astype(np.int32)
    return first


def _logs(look: _Look) -> Floats:
    """How frequent each look is among the people who have a value, as a logarithm; of the rest nothing is known."""
    counts = look.counts + SMOOTHING
    logs: Floats = np.log(counts / counts.sum(axis=0))
    logs[0] = 0.0
    return logs
