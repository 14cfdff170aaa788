"""Mask: a k-anonymous grouping, and distorted values where a group would tell too much."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from pellucid.coins import Coins
from pellucid.errors import Infeasible
from pellucid.group.entries import row_order
from pellucid.group.grouping import Grouping
from pellucid.group.method import About, DiverseAsPublished, Guarantee, require_quasi, single_sensitive
from pellucid.group.mondrian import Mondrian
from pellucid.group.requirement import K_MEANING, MOST
from pellucid.messages import Message
from pellucid.model import PrivacyModel
from pellucid.model.l_diversity import LDiversity
from pellucid.model.sensitive import codes_of
from pellucid.parallel import thread_count
from pellucid.progress import SILENT, Progress
from pellucid.table import Codes, Table


def as_tuple(given: object) -> object:
    """A list or a set as a tuple; one value alone is a set of one."""
    if isinstance(given, set | frozenset):
        return tuple(sorted(given, key=str))
    return tuple(given) if isinstance(given, list | tuple) else (given,)


class Mask(DiverseAsPublished):
    """In every published group at most one row in l has a value of the sensitive set; for that, values are replaced.

    **Definition.** (1) Relaxed Mondrian at k. (2) A group violates when more than one row in l has a value of the set,
    all its values counted together. The donors are groups that do not violate: with ``donors="highest"`` those with the
    highest share of the set, l - 1 for each group that violates (all of them when there are fewer; which of equal ones
    does not matter, since nothing but the share is taken), with ``donors="all"`` all of them. (3) Each violating group
    of n rows draws a donor, every one with the same probability, and as many rows keep a value of the set as are the
    donor's share of n, rounded down. (4) Which rows lose their value is drawn, every choice with the same probability.
    Each gets the value of a row that is drawn from all rows of the table whose value is not in the set.

    **What its decisions look at.** The groups: quasi-identifiers and sizes. The replacements: how often the set occurs
    in each group, and coins. The method does not choose the smallest change that satisfies the bound, so an argument
    from minimality says nothing. Somebody who knows the method can reckon with all tables that may have been distorted
    to this one: on seven patients that gives 5/8 with l = 2 (7/12 with ``donors="all"``).

    The truth is in ``release.private``: ``changed`` tells which rows were given another value.

    >>> import pellucid as pc
    >>> patients = pc.datasets.patients()
    >>> table = pc.read(patients, quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> grouping = Mask(k=2, l=2, sensitive="gastritis").group(table, Coins.from_seed(1))
    >>> grouping.labels.tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    >>> [table.attributes[2].values[code] for code in grouping.sensitive[[2, 3]].tolist()]
    ['dyspepsia', 'dyspepsia']

    Reference: R. C.-W. Wong, A. W.-C. Fu, K. Wang, J. Pei. Minimality attack in privacy preserving data publishing.
    VLDB 2007, section 6. ``donors="all"``: X. Xiao, Y. Tao, N. Koudas. Transparent anonymization. TODS 2010, appendix.
    """

    name: ClassVar[str] = "mask"
    draws: ClassVar[bool] = True
    summary: ClassVar[str] = "groups k rows that look alike and replaces values where a sensitive set is too frequent"
    guarantee: ClassVar[Guarantee] = "minimality"
    explanation: ClassVar[str] = (
        "Mask puts people who look alike into groups of at least k, without looking at sensitive values. Where a set "
        "of values that you name, such as HIV, is too frequent in a group, it replaces some of them by others, so "
        "that the group looks like another one that is not conspicuous. The published table is then partly untrue, and "
        "says so, but not where. It withstands a reader who knows that publishers avoid needless changes, not one who "
        "knows exactly how Mask works."
    )
    reference: ClassVar[str] = "Wong, Fu, Wang, Pei: Minimality attack, VLDB 2007, section 6"
    attack: ClassVar[str] = (
        "a group whose share of the sensitive set is like another's may have been distorted to look like it, and "
        "reckoning with every such table names a person's value with probability above 1/l"
    )

    k: int = Field(ge=1, le=MOST, description=K_MEANING)
    l: int = Field(
        ge=1, le=MOST, description="how rare the sensitive set is in a published group: at most one row in l"
    )
    sensitive: Annotated[tuple[Any, ...], BeforeValidator(as_tuple)] = Field(
        min_length=1, description="the set of values to protect, counted together"
    )
    donors: Literal["highest", "all"] = Field(
        default="highest", description="which groups a distorted one is made to look like: of the highest share, or all"
    )

    @property
    def protects(self) -> About:
        """The values that are named."""
        return self.sensitive

    @property
    def as_one(self) -> bool:
        """They are a set."""
        return True

    def satisfied(self, column: str = "") -> PrivacyModel:  # noqa: ARG002 - there is one
        """l-diversity of the named values, counted together; of the others groups may have any number."""
        return LDiversity(l=self.l, sensitive=self.sensitive, together=True)

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table and the values that are published."""
        require_quasi(table)
        column = single_sensitive(table, "Mask")
        attribute = table.attributes[column]
        protected = np.zeros(len(attribute), np.bool_)
        protected[codes_of(self.sensitive, attribute)] = True
        threads = thread_count(threads)
        grouping = Mondrian(k=self.k).group(table, coins, threads=threads, progress=progress)
        order = row_order(table, coins, threads)
        published = self.distort(table.codes[column], protected, grouping, order, coins, threads)
        return Grouping(grouping.members, grouping.starts, grouping.rows, sensitive=published)

    def distort(
        self,
        codes: Codes,
        protected: NDArray[np.bool_],
        grouping: Grouping,
        order: NDArray[np.int64],
        coins: Coins,
        threads: int,
    ) -> Codes:
        """The codes to publish: the true ones but for some of the protected ones in groups with too many of them."""
        labels, sizes, ours = grouping.labels, grouping.sizes, protected[codes]
        protected_rows = np.bincount(labels[ours], minlength=len(sizes))
        violating = protected_rows * self.l > sizes
        published = codes.copy()
        if not violating.any():
            return published
        donors = self._donors(protected_rows, sizes, violating)
        bad = np.flatnonzero(violating)
        chosen = donors[coins.draws(bad, purpose="mask donors", threads=threads) % len(donors)]
        surplus = np.zeros(len(sizes), np.int64)
        surplus[bad] = protected_rows[bad] - sizes[bad] * protected_rows[chosen] // sizes[chosen]
        rows = np.flatnonzero(ours & violating[labels])
        draws = coins.draws(order[rows], purpose="mask rows", threads=threads)
        rows = rows[np.lexsort((draws, labels[rows]))]
        starts = np.cumsum(protected_rows[bad]) - protected_rows[bad]
        rank = np.arange(len(rows)) - np.repeat(starts, protected_rows[bad])
        changed = rows[rank < surplus[labels[rows]]]
        # values outside the set, as often as the table has them
        counts = np.where(protected, 0, np.bincount(codes, minlength=len(protected)))
        drawn = coins.draws(order[changed], purpose="mask values", threads=threads) % counts.sum()
        published[changed] = np.searchsorted(np.cumsum(counts), drawn, side="right")
        return published

    def _donors(
        self, protected_rows: NDArray[np.int64], sizes: NDArray[np.int64], violating: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """The groups whose share may be taken on."""
        others = np.flatnonzero(~violating)
        if len(others) == 0:
            largest = int((sizes // protected_rows).max())
            way_out = f"use l = {largest} or less, a" if largest > 1 else "no l above 1 is; use a"
            raise Infeasible(
                "l = {l} is not feasible: in each of the {sizes:,} groups of at least {k} rows more "
                "than one row in {l} has a value of the sensitive set, so there is none to look like",
                "{way_out} larger k, or a smaller set",
                l=self.l,
                sizes=len(sizes),
                k=self.k,
                way_out=way_out,
            )
        if self.donors == "all":
            return others
        share = protected_rows[others] / sizes[others]  # exact enough: fractions of sizes below 2**26 differ as floats
        highest = others[np.argsort(-share, kind="stable")]
        return highest[: (self.l - 1) * int(violating.sum())]

    def sentence(self, table: Table) -> Message:
        """What is promised, and what is not."""
        name = table.attributes[single_sensitive(table, "Mask")].name
        if self.l == 1:
            return Message("l = 1 promises nothing: somebody may learn a person's {name} with certainty.", name=name)
        values = ["null" if value is None else repr(value) for value in self.sensitive]
        listed = values[0] if len(values) == 1 else f"{', '.join(values[:-1])} or {values[-1]}"
        return Message(
            "Some values of {name} may be replaced, so that in every published group at most 1/{l} of the rows "
            "have {listed}. This bounds what somebody learns who does not know the method; somebody who does may "
            "learn more about a person's {name}.",
            name=name,
            l=self.l,
            listed=listed,
        )
