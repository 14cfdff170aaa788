"""Injector: groups in which everybody may have everybody's value, whatever rules the table itself shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.buckets import sort_within
from pellucid.anonymize.layout.entries import row_order, sort_rows
from pellucid.anonymize.method import DiversityMethod, Guarantee, RecoderName, single_sensitive
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.errors import Infeasible
from pellucid.kernels import deal as kernel
from pellucid.messages import Message
from pellucid.runtime.parallel import SHORT, thread_count
from pellucid.runtime.progress import SILENT, Progress


class Injector(DiversityMethod):
    """At least l values, all different, in every group, and no rule of the table excludes any of them for any member.

    **Definition.** *Rules.* Of n rows let n(a) have the values a on a set of at most ``size`` quasi-identifiers, and
    n(v) the sensitive value v. If nobody has both, and n(a) * n(v) / n, the number of rows that would have both if they
    had nothing to do with each other, is at least ``expectation``, then a excludes v (confidence 1). Two rows fit
    together when their values differ and neither row's quasi-identifiers exclude the other's value. *Deal.* While at
    least l values have rows left: take the next row of the value that has most left (ties: the lower code), in an order
    drawn at random for each value; then go through the other values, those with most rows left first, and from each
    take the next row that fits to all taken so far, until there are l. They make a group; if there are fewer, the first
    row is set aside and the others go back to their places. *Join.* Each row that is left, in the random order, joins
    the first group at or after a random one in which it fits to everybody; rows that fit nowhere are suppressed.

    **What its decisions look at.** Sensitive values, the rules, and coins. Somebody who knows the rules cannot exclude
    any value of a group for any of its members, so by frequency each has probability one over the size of the group,
    at most 1/l. But which rows were dealt together, joined and suppressed depends on the rules, which come from the
    true values: that is not proof against somebody who knows the method.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> table = pc.read(patients, quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> Injector(l=2).group(table, Coins.from_seed(1)).sizes.tolist()
    [2, 2, 2, 2]

    Reference: T. Li, N. Li. Injector: mining background knowledge for data anonymization. ICDE 2008. The original has
    other groups (nearest rows first) and rules over generalised values; its condition, at least l values per row that
    no rule excludes, is kept in the stronger form that no rule excludes any.
    """

    name: ClassVar[str] = "injector"
    draws: ClassVar[bool] = True
    summary: ClassVar[str] = "mixes people whom no rule found in the table tells apart"
    guarantee: ClassVar[Guarantee] = "frequency"
    recoder: ClassVar[RecoderName] = "anatomy"
    suppresses: ClassVar[bool] = True
    reckons_with: ClassVar[str] = "these rules"
    explanation: ClassVar[str] = (
        "Some combinations do not exist, such as men with ovarian cancer, and a group that mixes men and women hides "
        "less than it seems. Injector looks for such rules in the table: combinations that would be expected but never "
        "occur. It then mixes people of different sensitive values by lot, but only those who could have each other's "
        "value. People who fit to nobody are left out, and counted. It protects against readers who know such rules; "
        "it makes no promise against somebody who works out how the groups came about."
    )
    reference: ClassVar[str] = "Li, Li: Injector, ICDE 2008; Wong et al.: worst-case background knowledge, 2009"
    attack: ClassVar[str] = (
        "its rules are found in the true values, so who is mixed with whom and who is left out tells about those values"
    )

    expectation: float = Field(
        default=0.9, gt=0, allow_inf_nan=False, description="how many rows a rule must be missing, at least"
    )
    size: int = Field(default=2, ge=1, description="the largest number of quasi-identifiers in a rule")

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""
        column = single_sensitive(table, "Injector")
        self.check(table)
        threads = thread_count(threads) if len(table) >= SHORT else 1
        progress.stage("grouping", len(table))
        rules = Rules.of(table, column, self.expectation, self.size, threads)
        order = row_order(table, coins, threads)
        draws = coins.draws(order, purpose="injector", threads=threads)
        values = table.codes[column]
        line, starts = sort_rows([values], [len(table.attributes[column])], threads)
        sort_within(starts, line, draws, np.empty_like(draws), threads)
        labels = np.full(len(table), -1, np.int32)
        groups = rules.deal(line, starts, self.l, labels)
        if groups == 0:
            raise Infeasible(self._no_group(rules, line, starts))
        rest = np.flatnonzero(labels < 0).astype(np.int32)
        rest = rest[np.argsort(draws[rest], kind="stable")]
        first = coins.draws(order[rest], purpose="injector joining", threads=threads) % groups
        rules.join(rest, first, values, groups, self.l, labels)
        progress.advance(len(table))
        return Grouping.from_labels(labels)

    def _no_group(self, rules: Rules, line: Codes, starts: NDArray[np.int64]) -> Message:
        """Nobody fits together; the largest l at which somebody does, with these coins."""
        scratch = np.empty(len(line), np.int32)
        largest = next(l for l in range(self.l - 1, 0, -1) if rules.deal(line, starts, l, fresh(scratch)) > 0)
        return Message(
            "l = {l} is not feasible: {count:,} rules of the table leave no {l} rows that may have "
            "each other's values; use l = {largest} or less, or a higher expectation, which makes fewer rules",
            l=self.l,
            count=rules.count,
            largest=largest,
        )

    def sentence(self, table: Table) -> Message:
        """What is promised, and what is not."""
        name = table.attributes[single_sensitive(table, "Injector")].name
        if self.l == 1:
            return Message("l = 1 promises nothing: somebody may learn a person's {name} with certainty.", name=name)
        return Message(
            "Somebody who knows everybody's quasi-identifiers and the rules of the table (which values of at most "
            "{size} of them never occur with which {name}), but not the method, names anyone's {name} with "
            "probability at most 1/{l}. Somebody who knows the method may learn more.",
            size=self.size,
            name=name,
            l=self.l,
        )


def fresh(labels: Codes) -> Codes:
    """The same memory with no row in a group."""
    labels.fill(-1)
    return labels


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """What no row of a profile may have: ``masks[profile]``, with bit ``bits[value]`` for each value of some rule."""

    profiles: Codes  # by row
    masks: NDArray[np.uint64]
    bits: Codes  # by value; -1 where no rule excludes it
    count: int

    @classmethod
    def of(cls, table: Table, column: int, expectation: float, size: int, threads: int) -> Rules:
        """Find the rules over every set of at most so many quasi-identifiers."""
        values, distinct = table.codes[column], len(table.attributes[column])
        counts = np.bincount(values, minlength=distinct)
        need = math.ceil(Fraction(repr(expectation)) * len(table))  # what n(a) * n(v) must reach, exactly
        quasi = table.having(Role.QUASI)
        rules = []
        for chosen in range(1, min(size, len(quasi)) + 1):
            for columns in combinations(quasi, chosen):
                codes, sizes = [table.codes[i] for i in columns], [len(table.attributes[i]) for i in columns]
                rows, starts = sort_rows(codes, sizes, threads)
                keys = np.empty(len(table), np.int64)
                keys[rows] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
                ruled, excluded = missing_pairs(keys, np.diff(starts), values, counts, need)
                if len(ruled):
                    rules.append((keys, ruled, excluded))
        bits = np.full(distinct, -1, np.int32)
        if rules:
            used = np.unique(np.concatenate([excluded for _, _, excluded in rules]))
            bits[used] = np.arange(len(used), dtype=np.int32)
        profiles, masks = profiles_of(rules, bits, len(table))
        return cls(profiles, masks, bits, sum(len(ruled) for _, ruled, _ in rules))

    def deal(self, line: Codes, starts: NDArray[np.int64], l: int, labels: Codes) -> int:
        """Label the rows that can be dealt; the number of groups."""
        return kernel.deal(line, starts, self.profiles, self.masks, self.bits, l, labels)

    def join(self, rest: Codes, first: NDArray[np.int64], values: Codes, groups: int, l: int, labels: Codes) -> None:
        """Label the rows among the rest that fit into a group."""
        dealt = np.argsort(labels, kind="stable")[len(rest) :].astype(np.int32).reshape(groups, l)
        union = np.bitwise_or.reduce(self.masks[self.profiles[dealt]], axis=1)
        having = np.zeros_like(union)
        for member in range(l):
            bits = self.bits[values[dealt[:, member]]]
            ruled = np.flatnonzero(bits >= 0)
            having[ruled, bits[ruled] >> 6] |= np.uint64(1) << (bits[ruled] & 63).astype(np.uint64)
        before = np.full(len(labels), -1, np.int32)
        before[dealt[:, 1:]] = dealt[:, :-1]
        last = dealt[:, -1].copy()
        kernel.join(rest, first, values, self.profiles, self.masks, self.bits, union, having, last, before, labels)


def profiles_of(
    rules: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]], bits: Codes, n: int
) -> tuple[Codes, NDArray[np.uint64]]:
    """Each row's profile and each profile's mask, from the keys of the rows and the values excluded for keys."""
    words = -(-(int(bits.max(initial=-1)) + 1) // 64)
    profiles, masks = np.zeros(n, np.int64), np.zeros((1, words), np.uint64)
    for keys, ruled, excluded in rules:
        distinct, place = np.unique(ruled, return_inverse=True)
        of_key = np.zeros((len(distinct) + 1, words), np.uint64)
        bit = bits[excluded]
        np.bitwise_or.at(of_key, (place + 1, bit >> 6), np.uint64(1) << (bit & 63).astype(np.uint64))
        number = np.zeros(int(keys.max()) + 1, np.int64)
        number[distinct] = np.arange(1, len(distinct) + 1)
        pairs, profiles = np.unique(profiles * len(of_key) + number[keys], return_inverse=True)
        masks = masks[pairs // len(of_key)] | of_key[pairs % len(of_key)]
    return profiles.astype(np.int32), np.ascontiguousarray(masks)


def missing_pairs(
    keys: NDArray[np.int64], sizes: NDArray[np.int64], values: Codes, counts: NDArray[np.int64], need: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every key and value that never occur together although the product of their counts is at least ``need``.

    There are at most n * n / need such pairs, since the counts of keys and of values both add up to n.
    """
    ranking = np.argsort(-counts, kind="stable")
    enough = np.searchsorted(-counts[ranking], -need // sizes, side="right")  # so many values are frequent enough
    candidates = np.flatnonzero(enough)
    ruled = np.repeat(candidates, enough[candidates])
    place = np.arange(len(ruled)) - np.repeat(np.cumsum(enough[candidates]) - enough[candidates], enough[candidates])
    excluded = ranking[place]
    occurring = np.unique((keys * len(counts) + values)[enough[keys] > 0])
    missing = ~np.isin(ruled * len(counts) + excluded, occurring, assume_unique=True)
    return ruled[missing], excluded[missing]
