"""AlphaK: from the roots of the taxonomies down, group by group, as long as (alpha,k)-anonymity holds."""

from __future__ import annotations

import threading
from fractions import Fraction
from math import ceil, floor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.anonymize.disclosure.counted_as_one import merged_table
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.entries import row_order
from pellucid.anonymize.layout.hierarchies import Hierarchy, hierarchies
from pellucid.anonymize.method import Guarantee, Method, RecoderName, require_quasi, shown_value, single_sensitive
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import Infeasible, MethodError
from pellucid.kernels import alpha_k as kernel
from pellucid.messages import Message, Share
from pellucid.models.alpha_k_anonymity import AlphaKAnonymity
from pellucid.models.exact import Rational, plain
from pellucid.models.sensitive import SomeValues, codes_of
from pellucid.runtime.progress import SILENT, Progress

ALONE = 50_000  # a table with fewer rows is done before anybody looks at the progress
POLL_SECONDS = 0.1


class AlphaK(Method):
    """Every group has at least k rows, and at most a share alpha of them carries one protected value.

    **Definition.** Every group stands at one node of each quasi-identifier's taxonomy; an attribute without one has
    two levels, the value and ``*``. Start with all rows at the roots. To specialise a group P on an attribute, deal its
    rows to the nodes one level lower, its children. Children that are not (alpha,k)-anonymous hand all their rows back
    to P. If P then has rows and these are not (alpha,k)-anonymous, it takes rows back from the other children: with w
    the largest count of a protected value among P's rows, it needs max(k, ceil(w / alpha)) rows. Largest children first
    (ties: the one with the first code), in each by row order, a row is taken when its child is (alpha,k)-anonymous
    without it and its value, if protected, does not come to more than alpha times the rows needed; until there are
    enough. If there are not enough, none is taken, and whole children are instead, the smallest first (ties: the first
    code), until P is (alpha,k)-anonymous. The gain is the sum, over the rows that stay in children, of the share of the
    attribute's leaves that is no longer open, as in Tailor's extent. Of the attributes on which a row stays in a child,
    P is specialised on the one with the largest gain, which is the least loss (ties: the lowest attribute). What P
    keeps is a group, and each child is specialised in turn; a group without such an attribute is done. Groups are
    numbered depth first: what a parent keeps, then its children in the order of their first codes.

    **What its decisions look at.** Everything: quasi-identifiers, row order, and at every step the sensitive values of
    the children. A row that is published coarser than its neighbours tells that its child failed, or was robbed of it.

    >>> import pellucid as pc
    >>> from pellucid.core.coins import Coins
    >>> schema = pc.Schema(columns={
    ...     "name": pc.Column(role="identifier"),
    ...     "age": pc.Column(role="quasi", taxonomy={"ladder": [20, 40]}),
    ...     "disease": pc.Column(role="sensitive"),
    ... })
    >>> table = pc.read(pc.datasets.patients().select("name", "age", "disease"), schema=schema)
    >>> pc.AlphaK(alpha=0.5, k=2).group(table, Coins.from_seed(1)).labels.tolist()
    [0, 0, 0, 0, 1, 1, 2, 2]

    Reference: R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang. (alpha,k)-anonymity: an enhanced k-anonymity model for
    privacy preserving data publishing. KDD 2006; used by R. C.-W. Wong et al., VLDB 2007, sections 2 and 7.
    """

    name: ClassVar[str] = "alpha-k"
    summary: ClassVar[str] = "specialises groups down their taxonomies as long as (alpha,k)-anonymity holds"
    guarantee: ClassVar[Guarantee] = "frequency"
    explanation: ClassVar[str] = (
        "AlphaK starts with everybody at the top of every taxonomy and makes groups finer one level at a time, as long "
        "as each has at least k people of whom at most a share alpha carries the same sensitive value. People whose "
        "finer group would break that stay with the coarser one, which takes some others back so that it holds itself. "
        "Values are generalised locally, so rare places become coarse and crowded ones stay fine. Who stays coarse "
        "depends on sensitive values, and somebody who knows the method can read that: use soft-cut where it matters."
    )
    reference: ClassVar[str] = "Wong, Li, Fu, Wang: (alpha,k)-anonymity, KDD 2006; Wong et al., VLDB 2007"
    recoder: ClassVar[RecoderName] = "taxonomy"
    attack: ClassVar[str] = (
        "the minimality attack: people who are published coarser than others like them would have broken "
        "(alpha,k)-anonymity, so the frequent value is probably theirs"
    )

    alpha: Rational = Field(gt=0, le=1, description="the largest share of a group that carries one sensitive value")
    k: int = Field(ge=1, description="the least number of rows of a group")
    sensitive: SomeValues = Field(
        default=None, min_length=1, description="the values to protect, all of them when not given, each by itself"
    )
    together: bool = Field(default=False, description="whether the values to protect count as one value")

    @property
    def required(self) -> AlphaKAnonymity:
        """The model that every group satisfies."""
        return AlphaKAnonymity(alpha=self.alpha, k=self.k, sensitive=self.sensitive, together=self.together)

    @property
    def looks_at_no_value(self) -> bool:
        """Alpha = 1 allows any values."""
        return self.alpha == 1

    @property
    def counted(self) -> Fraction | None:
        """Alpha."""
        return self.required.largest_share

    def check(self, table: Table) -> None:
        """Raise when not even all rows together are (alpha,k)-anonymous."""
        require_quasi(table)
        column = single_sensitive(table, self.name)
        if self.together:
            method, merged = self._merging(table, column)
            method.check(merged)
            return
        attribute = table.attributes[column]
        rows = len(table)
        counts = np.bincount(table.codes[column], minlength=len(attribute))
        counts[~protected(attribute, self.sensitive)] = 0
        worst = int(counts.argmax())
        if int(counts[worst]) > self.alpha * rows:
            raise Infeasible(self._too_frequent(attribute, worst, int(counts[worst]), rows))
        if rows < self.k:
            has = "1 row" if rows == 1 else f"{rows:,} rows"
            raise Infeasible(f"k = {self.k} is not feasible: the table has {has}", f"use k = {rows} or less")

    def _merging(self, table: Table, column: int) -> tuple[AlphaK, Table]:
        """The method and the table in which one value stands for all that are protected."""
        if self.sensitive is None:
            raise MethodError("{TOGETHER} is said of values, and none are given", "name them with {VALUES}")
        name = table.attributes[column].name
        merged, named = merged_table(table, {name: self.sensitive})
        return self.model_copy(update={"sensitive": named[name], "together": False}), merged

    def _too_frequent(self, attribute: Attribute, code: int, count: int, rows: int) -> Message:
        """Which value is too frequent for this alpha, and the way out."""
        return Message(
            "alpha = {alpha} is not feasible: {value} is the {name!r} of {count:,} of {rows:,} rows ({share}), and no "
            "group can do better than all of them together; use alpha = {least} or more, such as 1/{parts}, or split "
            "{value} into finer values",
            alpha=plain(self.alpha),
            value=shown_value(attribute.values[code]),
            name=attribute.name,
            count=count,
            rows=rows,
            share=Share(count / rows, 1),
            least=Fraction(count, rows),
            parts=rows // count,
        )

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table. One thread does all of it."""
        self.check(table)
        column = single_sensitive(table, self.name)
        if self.together:
            method, merged = self._merging(table, column)
            return method.group(merged, coins, threads=threads, progress=progress)
        by_order = np.argsort(row_order(table, coins, threads or 1), kind="stable").astype(np.int32)
        attribute = table.attributes[column]
        values = np.where(protected(attribute, self.sensitive), np.arange(len(attribute)), -1).astype(np.int32)
        most, least = self._limits(len(table))
        codes = np.array([table.codes[i][by_order] for i in table.having(Role.QUASI)])
        rows, first = grow(
            codes,
            values[table.codes[column][by_order]],
            len(attribute),
            hierarchies(table),
            self.k,
            most,
            least,
            progress,
        )
        return Grouping(by_order[rows], np.append(np.flatnonzero(first), len(rows)).astype(np.int64), len(rows))

    def _limits(self, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For every size the largest count of one value, and for every count the smallest size (n + 1: none)."""
        above, below = self.alpha.numerator, self.alpha.denominator
        line = np.arange(n + 1, dtype=np.int64)
        if max(above, below) < 2**62 // (n + 1):
            return line * above // below, np.minimum(-(-line * below // above), n + 1)
        most = [floor(self.alpha * size) for size in range(n + 1)]
        least = [min(ceil(count / self.alpha), n + 1) for count in range(n + 1)]
        return np.array(most, np.int64), np.array(least, np.int64)

    def sentence(self, table: Table) -> Message:
        """What is promised and what is not."""
        name = table.attributes[table.having(Role.SENSITIVE)[0]].name
        if self.sensitive is None:
            what = f"no {name} has a share above {self.alpha}"
        else:
            listed = ", ".join("null" if value is None else repr(value) for value in self.sensitive)
            which = f"the values {listed} of {name} have no share above {self.alpha} together"
            what = which if self.together else f"none of the values {listed} of {name} has a share above {self.alpha}"
        return Message(
            "Every group has at least {k} rows, in which {what}; this bounds what somebody learns who does not "
            "know the method. Somebody who does may learn more about a person's {name}.",
            k=self.k,
            what=what,
            name=name,
        )


def protected(attribute: Attribute, values: tuple[Any, ...] | None) -> NDArray[np.bool_]:
    """Which codes count."""
    counted = np.full(len(attribute), values is None)
    if values is not None:
        counted[codes_of(values, attribute)] = True
    return counted


def grow(
    codes: Codes,
    sensitive: Codes,
    values: int,
    levels: list[Hierarchy],
    k: int,
    most: NDArray[np.int64],
    least: NDArray[np.int64],
    progress: Progress,
) -> tuple[Codes, NDArray[np.uint8]]:
    """The rows, numbered in row order, group after group, and marks where groups begin."""
    n = codes.shape[1]
    sizes = [of_column.nodes.size for of_column in levels]
    heights = np.empty((n, len(levels)), np.int16)
    heights[0] = [of_column.top for of_column in levels]
    rows, first = np.arange(n, dtype=np.int32), np.zeros(n, np.uint8)
    longs = np.empty((7, n + 1), np.int64)
    longs[5] = 0
    done, stop = np.zeros(1, np.int64), np.zeros(1, np.uint8)
    arguments = (
        codes,
        sensitive,
        np.concatenate([of_column.nodes.ravel() for of_column in levels]),
        np.concatenate([of_column.open.ravel() for of_column in levels]),
        np.append(0, np.cumsum(sizes)[:-1]).astype(np.int64),
        np.array([of_column.nodes.shape[1] for of_column in levels], np.int64),
        np.array([of_column.width for of_column in levels], np.int64),
        k,
        most,
        least,
        longs,
        np.empty((3, n + 1), np.int32),
        np.empty((2, n + 1), np.uint8),
        np.zeros((2, values), np.int64),
        heights,
        rows,
        first,
        done,
        stop,
    )
    progress.stage("grouping", n)
    if n < ALONE:
        kernel.grow(*arguments)
        return rows, first
    worker = threading.Thread(target=kernel.grow, args=arguments, daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(POLL_SECONDS)
            progress.advance(int(done[0]))
    finally:  # what interrupts the calling thread stops the other one before it goes on
        stop[0] = 1
        worker.join()
    return rows, first
