"""MDAV: groups of k rows around those that lie farthest from the average, as microaggregation has it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.k_anonymity_only import counting, hidden_sentence
from pellucid.anonymize.layout.entries import MOST_QUASI, row_order
from pellucid.anonymize.method import Guarantee, RecoderName, single_sensitive
from pellucid.anonymize.methods.incognito import require_monotone
from pellucid.anonymize.requirement import K_MEANING, ModelMethod, smallest_group, uninformed_sentence
from pellucid.core.coins import Coins
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import Infeasible, MethodError
from pellucid.kernels.mdav import Remaining, Space
from pellucid.messages import Message, Term
from pellucid.models import Groups, PrivacyModel
from pellucid.posterior.shape import Likelihood
from pellucid.runtime.progress import SILENT, Progress

STEPS = 1 << 20  # the range of a column, in whole numbers
WIDE = 2**63
MOST_PAIRS = 4 * 10**10  # of rows that are compared: about n * n / k, some minutes
ALONE = 5_000  # a table with fewer rows is done before anybody looks at the progress
POLL_SECONDS = 0.1


class Mdav(ModelMethod):
    """Every group has k to 2 k - 1 rows that look alike; nothing is promised about sensitive values.

    **Definition.** *How far rows are apart*: in a number, a date or an ordered value by the difference of their
    positions, as a share of the column's range in whole steps of 1/1,048,576 of it (rounded, halves upwards); null is
    the whole range from any value. In a category by the extent of the nearest common ancestor in its taxonomy, in such
    steps; without a taxonomy different values are the whole range apart. Each times the column's importance; the
    distance is the sum of the squares. *The average* of rows has the mean of the values that there are, rounded to
    whole steps, null where there are none, and the most frequent category (ties: the first code).

    ``scale="deviation"`` measures a column by its standard deviation instead of its range, as the literature and
    sdcMicro do. The range of the column with the smallest deviation is 1,048,576 steps. Another has as many fewer as
    its deviation is larger (rounded down). The variance is half the mean square of how far two rows drawn at random
    are apart, so that categories and null have one too.

    While there are 3 k rows or more: of the row that is farthest from the average of all that are left, and the k - 1
    closest to it, a group is made; then of the row, among the others, that is farthest from the first one, and the
    k - 1 closest to it. Of 2 k rows or more that are left, one more group is made around the row farthest from their
    average; the rest is the last group. Ties go to the first in row order.

    With ``model`` groups are then put together: group after group, in the order in which they were made, one
    that does not satisfy is joined with the group whose average is closest to its own (the first of equals), and asked
    again, until it does. The models must be such that what satisfies them still does when it is put together.

    **What its decisions look at.** Quasi-identifiers and row order alone, so that groups tell nothing about sensitive
    values but their frequencies, to whoever knows the method, too. These may be anything: all rows of a group may have
    the same value. With a model of sensitive values it looks at these: that groups were put together tells that one of
    them did not satisfy it, which may name somebody's value.

    Every group compares all rows that are left, so that twice as many rows take four times as long: 50,000 rows with
    k = 5 some seconds, and tables beyond about n * n / k = 40,000,000,000 are refused.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Mdav(k=3), **roles)
    >>> release.private.labels.tolist(), sorted(set(release.frame["age_mean"]))
    ([0, 0, 0, 1, 1, 1, 1, 1], [27, 53])

    Reference: J. Domingo-Ferrer, J. M. Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure
    control. TKDE 2002; J. Domingo-Ferrer, V. Torra. Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation. Data Mining and Knowledge Discovery 2005.
    """

    name: ClassVar[str] = "mdav"
    weighs_columns: ClassVar[bool] = True
    summary: ClassVar[str] = "groups of k rows around those farthest from the average (microaggregation)"
    guarantee: ClassVar[Guarantee] = "none"
    explanation: ClassVar[str] = (
        "MDAV takes the row that is farthest from the average and groups it with the k - 1 rows closest to it, then "
        "does the same at the other end, until everybody is in a group of k to 2 k - 1 rows. It is the usual method "
        "of microaggregation, where every number is replaced by the mean of its group, which it publishes unless told "
        "otherwise: groups are small and means close to everybody's value. It looks at quasi-identifiers alone, so it "
        "tells nothing more than its groups do; these may share a sensitive value, against which it does nothing. "
        "Use it where k-anonymity is asked for and means are wanted, on tables of up to some hundred thousand rows."
    )
    reference: ClassVar[str] = (
        "Domingo-Ferrer, Mateo-Sanz, TKDE 2002; Domingo-Ferrer, Torra, DMKD 2005; with a model Soria-Comas, "
        "Domingo-Ferrer, Sánchez, Martínez, TKDE 2015"
    )
    attack: ClassVar[str] = "that groups were put together tells that one of them did not satisfy the model"
    recoder: ClassVar[RecoderName] = "means"
    undivided: ClassVar[str] = "compares every row with all others"

    k: int | None = Field(default=None, ge=1, description=K_MEANING)
    scale: Literal["range", "deviation"] = Field(
        default="range", description="what a column's distances are measured by: its range, or its standard deviation"
    )

    @model_validator(mode="after")
    def _rows_said(self) -> Self:
        if not self.rows:
            raise ValueError(f"groups of k rows are made, and {self.required.label} names no k; give k too")
        return self

    @property
    def rows(self) -> int:
        """The least rows of a group before any are put together: as k and every model of sizes ask."""
        return smallest_group(self.required)

    @property
    def claim(self) -> Guarantee:
        """What it promises of sizes holds for whoever knows the method too; of values it does not."""
        return "algorithm" if self.required.looks_at == "sizes" else "frequency"

    def check(self, table: Table) -> None:
        """Raise when there are fewer than k rows, or too many to compare with each other."""
        n, quasi = len(table), len(table.having(Role.QUASI))
        if n == 0:
            raise MethodError("the table has no rows", "there is nothing to publish")
        if quasi == 0:
            raise MethodError("the table has no quasi-identifier", "name at least one column that an attacker may know")
        if quasi > MOST_QUASI:
            raise MethodError(
                "{quasi} quasi-identifiers",
                "at most {most_quasi} are supported, drop some or carry them",
                quasi=quasi,
                most_quasi=MOST_QUASI,
            )
        if table.having(Role.SENSITIVE):
            single_sensitive(table, self.name)
        squares = sum(table.attributes[i].importance ** 2 for i in table.having(Role.QUASI))
        if squares * STEPS * STEPS >= WIDE:
            raise MethodError(
                "mdav adds up squares in 64 bits, and the importance of the columns makes them wider",
                "use importance with fewer decimals, or smaller numbers",
            )
        k = self.rows
        if n < k:
            raise Infeasible("k = {k} is not feasible: the table has {n:,} rows", "use k = {n} or less", k=k, n=n)
        if n * n // k > MOST_PAIRS:
            raise MethodError(
                "mdav compares every row with all others, and {n:,} rows with k = {k} would take hours",
                "use mondrian with the same k and {means}, or a larger k",
                n=n,
                k=k,
                means=Term("recode", "recode='means'", "means"),
            )
        if self.joins:
            super().check(counting(table, self.required))
            require_monotone(self.required, self.name)

    @property
    def joins(self) -> bool:
        """Whether groups are put together until they satisfy more than their k."""
        return self.model is not None

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table. One thread does all of it."""
        self.check(table)
        n = len(table)
        by_order = np.argsort(row_order(table, coins, threads or 1), kind="stable").astype(np.int32)
        labels = np.empty(n, np.int32)
        remaining = laid_out(table, by_order, labels, self.scale)
        done, stop = np.zeros(1, np.int64), np.zeros(1, np.uint8)
        progress.stage("grouping", n)
        if n < ALONE:
            remaining.group(self.rows, done, stop)
        else:
            _watched(remaining, self.rows, done, stop, progress)
        progress.advance(n)
        of_row = np.empty(n, np.int32)
        of_row[by_order] = labels
        if self.joins:
            of_row = joined(counting(table, self.required), of_row, self.required, self.scale)
        return Grouping.from_labels(of_row)

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood | None:  # noqa: ARG002
        """Nothing but the frequencies; of groups that were put together because of values no law is known."""
        return Likelihood.transparent(grouping.sizes, len(people)) if self.required.looks_at == "sizes" else None

    def sentence(self, table: Table) -> Message:
        """What is promised, and what is not."""
        if self.required.looks_at != "sizes":
            return uninformed_sentence(self.required, table)
        if not table.having(Role.SENSITIVE):
            return hidden_sentence(self.rows)
        name = table.attributes[single_sensitive(table, self.name)].name
        return Message(
            "Every group has at least {k} rows, whatever somebody knows about the method; this says nothing "
            "about how much a group tells of a person's {name}.",
            k=self.rows,
            name=name,
        )


def joined(table: Table, labels: Codes, model: PrivacyModel, scale: str) -> Codes:
    """The groups put together until each satisfies a model: where each row is then, numbered without gaps."""
    (column,) = table.having(Role.SENSITIVE)
    attribute, codes = table.attributes[column], table.codes[column]
    whole = np.bincount(codes, minlength=len(attribute))
    members = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
    lines = _Lines.of(table, scale)
    averages = np.stack([lines.average(rows) for rows in members])
    there = np.ones(len(members), np.bool_)
    for place in range(len(members)):
        while there[place]:
            counts = np.bincount(codes[members[place]], minlength=len(attribute))
            if model.check_counts(counts, whole, attribute=attribute):
                break
            away = lines.apart(averages[place], averages)
            away[~there] = away[place] = np.iinfo(np.int64).max
            other = int(away.argmin())
            there[other] = False
            members[place] = np.append(members[place], members[other])
            averages[place] = lines.average(members[place])
    left = np.empty(len(labels), np.int32)
    for number, place in enumerate(np.flatnonzero(there).tolist()):
        left[members[place]] = number
    return left


@dataclass(frozen=True, eq=False)
class _Lines:
    """The quasi-identifiers as MDAV measures them: numbers on lines, then codes of categories with their ancestors."""

    values: list[Codes]
    trees: list[tuple[Codes, NDArray[np.int64]] | None]  # of a category its ancestors, and how far they are apart
    far: list[int]  # null is so far from any number

    @classmethod
    def of(cls, table: Table, scale: str) -> _Lines:
        quasi = [(table.attributes[i], table.codes[i]) for i in table.having(Role.QUASI)]
        quasi.sort(key=lambda one: one[0].kind is Kind.CATEGORY)
        steps = steps_by_deviation(quasi) if scale == "deviation" else [STEPS] * len(quasi)
        values: list[Codes] = []
        trees: list[tuple[Codes, NDArray[np.int64]] | None] = []
        for (attribute, codes), of_range in zip(quasi, steps, strict=True):
            on_line = attribute.kind is not Kind.CATEGORY
            values.append(places_on_line(attribute, of_range)[codes] if on_line else codes)
            trees.append(None if on_line else apart_in_tree(attribute, of_range))
        return cls(values, trees, [n * one.importance for n, (one, _) in zip(steps, quasi, strict=True)])

    def average(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """Of each column the mean of what there is, -1 where there is nothing, or the most frequent code."""
        found = np.empty(len(self.values), np.int64)
        for i, (values, tree) in enumerate(zip(self.values, self.trees, strict=True)):
            held = values[rows].astype(np.int64)
            if tree is not None:
                found[i] = np.bincount(held).argmax()
                continue
            known = held[held >= 0]
            found[i] = (2 * int(known.sum()) + len(known)) // (2 * len(known)) if len(known) else -1
        return found

    def apart(self, one: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
        """The squared distance of an average from others."""
        total = np.zeros(len(others), np.int64)
        for i, tree in enumerate(self.trees):
            mine, theirs = int(one[i]), others[:, i]
            if tree is None:
                away = np.where((theirs < 0) != (mine < 0), self.far[i], np.abs(theirs - mine))
            else:
                chains, steps = tree
                away = np.zeros(len(others), np.int64)
                open_ = theirs != mine
                for level in chains:
                    meet = open_ & (level[theirs] == level[mine])
                    away[meet] = steps[level[mine]]
                    open_ &= ~meet
            total += away * away
        return total


def _watched(
    remaining: Remaining, k: int, done: NDArray[np.int64], stop: NDArray[np.uint8], progress: Progress
) -> None:
    """Group in a thread of its own, and tell how far it is."""
    worker = threading.Thread(target=remaining.group, args=(k, done, stop), daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(POLL_SECONDS)
            progress.advance(int(done[0]))
    finally:  # what interrupts the calling thread stops the other one before it goes on
        stop[0] = 1
        worker.join()


def laid_out(table: Table, by_order: Codes, labels: Codes, scale: str = "range") -> Remaining:
    """The rows in their order, with lines before categories."""
    lines = _Lines.of(table, scale)
    trees = [tree for tree in lines.trees if tree is not None]
    nothing = [0] * (len(lines.trees) - len(trees))
    codes = np.array([*nothing, *(chains.shape[1] for chains, _ in trees)], np.int64)
    space = Space(
        len(nothing),
        np.array(lines.far, np.int64),
        np.concatenate([np.zeros(1, np.int32), *(chains.ravel() for chains, _ in trees)]),
        _begins([1, *nothing, *(chains.size for chains, _ in trees)]),
        codes,
        np.concatenate([np.zeros(1, np.int64), *(apart for _, apart in trees)]),
        _begins([1, *nothing, *(len(apart) for _, apart in trees)]),
    )
    n, attributes = len(table), len(lines.values)
    scratch = {
        "rows": np.empty(n, np.int32),
        "away": np.empty(n, np.int64),
        "spare": np.empty(n, np.int64),
        "gone": np.empty(n, np.uint8),
        "sums": np.zeros(attributes, np.int64),
        "present": np.zeros(attributes, np.int64),
        "centre": np.zeros(attributes, np.int32),
        "counts": np.zeros(max(1, int(codes.sum())), np.int64),
        "squares": np.zeros(max(1, int(codes.sum())), np.int64),
    }
    places = np.ascontiguousarray(np.stack([values[by_order] for values in lines.values]), np.int32)
    return Remaining(space, places, labels, scratch, _begins([0, *codes.tolist()]))


def _begins(sizes: list[int]) -> NDArray[np.int64]:
    """Where each of several parts begins, the first one left out."""
    return np.cumsum(sizes)[:-1].astype(np.int64)


def steps_by_deviation(quasi: list[tuple[Attribute, Codes]]) -> list[int]:
    """In how many steps the range of each column is divided, where all are measured by their standard deviation.

    A column in which everybody has the same is far from nothing, however many steps it has.
    """
    squares = [_squares_apart(replace(attribute, importance=1), codes) for attribute, codes in quasi]
    least = min((one for one in squares if one), default=1)
    return [isqrt(int(STEPS * STEPS * Fraction(least, one))) if one else STEPS for one in squares]


def _squares_apart(attribute: Attribute, codes: Codes) -> int:
    """The sum of squares of how far all pairs of rows are apart, in steps of the range."""
    held = np.bincount(codes, minlength=len(attribute)).astype(np.int64)
    if attribute.kind is not Kind.CATEGORY:
        places = places_on_line(attribute)
        place, at = np.unique(places, return_inverse=True)
        rows = np.bincount(at, held).astype(np.int64).astype(object)
        known = place >= 0
        n, nulls = int(rows[known].sum()), int(rows[~known].sum())
        sums, squares = (int((rows * place.astype(object) ** power)[known].sum()) for power in (1, 2))
        return n * squares - sums * sums + n * nulls * STEPS * STEPS
    chains, apart = apart_in_tree(attribute)
    total, nearer = 0, np.arange(len(attribute))
    for level in chains[1:]:  # of the pairs below a node, those that no node below it joined already
        for nodes, sign in ((level, 1), (nearer, -1)):
            _, first, at = np.unique(nodes, return_index=True, return_inverse=True)
            rows = np.bincount(at, held).astype(np.int64)
            total += sign * sum(
                int(n) * int(n) * int(step) ** 2 for n, step in zip(rows, apart[level[first]], strict=True)
            )
        nearer = level
    return total // 2


def places_on_line(attribute: Attribute, of_range: int = STEPS) -> Codes:
    """Where each code is on its line, in steps of the range times the importance; -1 for null."""
    width = max(int(attribute.width), 1)
    steps = (2 * attribute.positions.astype(np.int64) * of_range + width) // (2 * width) * attribute.importance
    return np.where(attribute.positions < 0, -1, steps).astype(np.int32)


def apart_in_tree(attribute: Attribute, of_range: int = STEPS) -> tuple[Codes, NDArray[np.int64]]:
    """The ancestors of each code, level by level, and how far codes are apart that have a node as their nearest one."""
    if attribute.chains is not None and attribute.leaves is not None:
        width = max(int(attribute.width), 1)
        steps = (2 * (attribute.leaves - 1) * of_range + width) // (2 * width)
        return np.ascontiguousarray(attribute.chains), (steps * attribute.importance).astype(np.int64)
    size = len(attribute)
    chains = np.stack([np.arange(size), np.full(size, size)]).astype(np.int32)
    return chains, np.append(np.zeros(size, np.int64), of_range * attribute.importance)
