"""Mask: a k-anonymous grouping, and distorted values where a group would tell too much."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.entries import row_order
from pellucid.anonymize.method import About, DiverseAsPublished, Guarantee, Method, require_quasi, single_sensitive
from pellucid.anonymize.methods.alpha_k import AlphaK
from pellucid.anonymize.methods.incognito import Incognito
from pellucid.anonymize.methods.mdav import Mdav
from pellucid.anonymize.methods.mondrian import Mondrian
from pellucid.anonymize.requirement import K_MEANING, MOST
from pellucid.core.coins import Coins
from pellucid.core.table import Codes, Table
from pellucid.errors import Infeasible, MethodError
from pellucid.messages import Message
from pellucid.messages.terms import switch
from pellucid.models import PrivacyModel
from pellucid.models.l_diversity import LDiversity
from pellucid.models.sensitive import codes_of
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress

CELLS = 4_000_000  # counts of values by group that are laid out at once
EACH = switch("each", on=True)


def as_tuple(given: object) -> object:
    """A list or a set as a tuple; one value alone is a set of one."""
    if given is None:
        return None
    if isinstance(given, set | frozenset):
        return tuple(sorted(given, key=str))
    return tuple(given) if isinstance(given, list | tuple) else (given,)


class Mask(DiverseAsPublished):
    """In every published group at most one row in l has a value of the sensitive set; for that, values are replaced.

    **Definition.** (1) Groups of at least k rows by ``first``: relaxed Mondrian, alpha-k without an alpha, incognito or
    mdav, none of which looks at a sensitive value. (2) A group violates when more than one row in l has a value of the
    set, all its values counted together. The donors are groups that do not violate: with ``donors="highest"`` those
    with the highest share of the set, l - 1 for each group that violates (all when there are fewer; which of equal ones
    does not matter, since nothing but the share is taken), with ``donors="all"`` all of them. (3) Each violating group
    of n rows draws a donor, every one with the same probability, and as many rows keep a value of the set as are the
    donor's share of n, rounded down. (4) Which rows lose their value is drawn, every choice with the same probability.
    Each gets the value of a row that is drawn from all rows of the table whose value is not in the set.

    **Each value by itself** (``each``), as Xiao, Tao and Koudas read it: a group violates when one of the protected
    values, all values unless some are named, is in more than one row in l. Every group that does not violate is a
    donor, and all values of a violating group are made to be as frequent as the donor's: of n rows n times the donor's
    share, rounded down. The rows that are left over get one of the table's values each, drawn among those that stay in
    at most one row in l. As many rows as possible keep their value; which of them, and who gets which of the others,
    is drawn.

    **What its decisions look at.** The groups: quasi-identifiers and sizes. The replacements: how often the set occurs
    in each group, and coins. The method does not choose the smallest change that satisfies the bound, so an argument
    from minimality says nothing. Somebody who knows the method can reckon with all tables that may have been distorted
    to this one: on seven patients that gives 5/8 with l = 2 (7/12 with ``donors="all"``). Attacks count them all for
    small groups, and give no figure where they cannot, or with ``each``.

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
    distorts: ClassVar[bool] = True
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
    sensitive: Annotated[tuple[Any, ...] | None, BeforeValidator(as_tuple)] = Field(
        default=None, min_length=1, description="the set of values to protect, counted together"
    )
    each: bool = Field(default=False, description="whether each value is judged by itself, all unless some are named")
    first: Literal["mondrian", "alpha-k", "incognito", "mdav"] = Field(
        default="mondrian", description="which method makes the groups of k rows"
    )
    donors: Literal["highest", "all"] = Field(
        default="highest", description="which groups a distorted one is made to look like: of the highest share, or all"
    )

    @property
    def looks_at_no_value(self) -> bool:
        """Values are replaced in groups that are made without them."""
        return True

    @property
    def protects(self) -> About:
        """The values that are named."""
        return self.sensitive

    @model_validator(mode="after")
    def _names_a_set(self) -> Mask:
        if self.sensitive is None and not self.each:
            raise MethodError(
                "mask needs the parameter 'sensitive', the set of values to protect",
                "name them with {VALUES}, or judge each value by itself with {each}",
                each=EACH,
            )
        return self

    @property
    def as_one(self) -> bool:
        """They are a set, unless each is judged by itself."""
        return not self.each

    def satisfied(self, column: str = "") -> PrivacyModel:  # noqa: ARG002 - there is one
        """l-diversity of the named values, counted together or each; of the others groups may have any number."""
        if self.sensitive is None:
            return LDiversity(l=self.l)
        return LDiversity(l=self.l, sensitive=self.sensitive, together=not self.each)

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table and the values that are published."""
        require_quasi(table)
        column = single_sensitive(table, "Mask")
        attribute = table.attributes[column]
        protected = np.full(len(attribute), self.sensitive is None)
        if self.sensitive is not None:
            protected[codes_of(self.sensitive, attribute)] = True
        threads = thread_count(threads)
        grouping = self.first_step().group(table, coins, threads=threads, progress=progress)
        order = row_order(table, coins, threads)
        distort = self.resemble if self.each else self.distort
        published = distort(table.codes[column], protected, grouping, order, coins, threads)
        return Grouping(grouping.members, grouping.starts, grouping.rows, sensitive=published)

    def first_step(self) -> Method:
        """What makes the groups of k rows."""
        if self.first == "mdav":
            return Mdav(k=self.k)
        if self.first == "incognito":
            return Incognito(k=self.k)
        return Mondrian(k=self.k) if self.first == "mondrian" else AlphaK(alpha=Fraction(1), k=self.k)

    def resemble(
        self,
        codes: Codes,
        protected: NDArray[np.bool_],
        grouping: Grouping,
        order: NDArray[np.int64],
        coins: Coins,
        threads: int,
    ) -> Codes:
        """The codes to publish where each value is judged: violating groups get the values of a donor."""
        labels, sizes, values = grouping.labels, grouping.sizes, len(protected)
        keys, counts = np.unique(labels.astype(np.int64) * values + codes, return_counts=True)
        above = keys[protected[keys % values] & (counts * self.l > sizes[keys // values])] // values
        violating = np.zeros(len(sizes), np.bool_)
        violating[above] = True
        published = codes.copy()
        if not violating.any():
            return published
        donors = np.flatnonzero(~violating)
        if not len(donors):
            raise self._nobody_to_look_like(len(sizes), int(sizes.max()) // int(counts[protected[keys % values]].max()))
        bad = np.flatnonzero(violating)
        chosen = donors[coins.draws(bad, purpose="mask donors", threads=threads) % len(donors)]
        turn = coins.draws(order, purpose="mask rows", threads=threads)
        hand = coins.draws(order, purpose="mask values", threads=threads)
        for first in range(0, len(bad), step := max(1, CELLS // values)):
            some, like = bad[first : first + step], chosen[first : first + step]
            has, donor = _dense(keys, counts, some, values), _dense(keys, counts, like, values)
            aim = donor * sizes[some][:, None] // sizes[like][:, None]
            self._fill(aim, sizes[some], protected, some, coins)
            rows = grouping.members[np.isin(np.repeat(np.arange(len(sizes)), sizes), some)]
            place = np.searchsorted(some, labels[rows])
            kept = _rank(place * values + codes[rows], turn[rows]) < np.minimum(has, aim)[place, codes[rows]]
            lost, at = rows[~kept], place[~kept]
            missing = np.maximum(aim - has, 0)
            published[lost[np.lexsort((hand[lost], at))]] = np.repeat(
                np.tile(np.arange(values), len(some)), missing.ravel()
            )
        return published

    def _fill(
        self,
        aim: NDArray[np.int64],
        sizes: NDArray[np.int64],
        protected: NDArray[np.bool_],
        groups: NDArray[np.int64],
        coins: Coins,
    ) -> None:
        """Draw values for the rows that are left over, one after the other, among those that have room."""
        most = np.where(protected[None, :], (sizes // self.l)[:, None], sizes[:, None])
        left = sizes - aim.sum(axis=1)
        if (np.maximum(most - aim, 0).sum(axis=1) < left).any():
            raise Infeasible(
                "l = {l} is not feasible: a group of {size:,} rows cannot have each value in at most one row in {l}",
                "use a smaller l, or a larger k",
                l=self.l,
                size=int(sizes[(np.maximum(most - aim, 0).sum(axis=1) < left).argmax()]),
            )
        turn = 0
        while (open_ := np.flatnonzero(left)).size:
            words = (groups[open_].astype(np.int64) << 32) + turn
            value = coins.draws(words, purpose="mask left over") % aim.shape[1]
            fits = aim[open_, value] < most[open_, value]
            aim[open_[fits], value[fits]] += 1
            left[open_[fits]] -= 1
            turn += 1

    def _nobody_to_look_like(self, groups: int, largest: int) -> Infeasible:
        """Every group violates."""
        way_out = f"use l = {largest} or less, a" if largest > 1 else "no l above 1 is; use a"
        what = "a value" if self.each else "a value of the sensitive set"
        return Infeasible(
            "l = {l} is not feasible: in each of the {sizes:,} groups of at least {k} rows more "
            "than one row in {l} has {what}, so there is none to look like",
            "{way_out} larger k, or a smaller set",
            l=self.l,
            sizes=groups,
            k=self.k,
            what=what,
            way_out=way_out,
        )

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
            raise self._nobody_to_look_like(len(sizes), int((sizes // protected_rows).max()))
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
        values = ["null" if value is None else repr(value) for value in self.sensitive or ()]
        listed = values[0] if len(values) == 1 else f"{', '.join(values[:-1])} or {values[-1]}" if values else ""
        listed = listed if not self.each else f"{listed}, each by itself" if listed else "any one value"
        return Message(
            "Some values of {name} may be replaced, so that in every published group at most 1/{l} of the rows "
            "have {listed}. This bounds what somebody learns who does not know the method; somebody who does may "
            "learn more about a person's {name}.",
            name=name,
            l=self.l,
            listed=listed,
        )


def _dense(
    keys: NDArray[np.int64], counts: NDArray[np.int64], groups: NDArray[np.int64], values: int
) -> NDArray[np.int64]:
    """How often each of some groups has each value."""
    distinct, place = np.unique(groups, return_inverse=True)
    rows = np.flatnonzero(np.isin(keys // values, distinct))
    table = np.zeros((len(distinct), values), np.int64)
    table[np.searchsorted(distinct, keys[rows] // values), keys[rows] % values] = counts[rows]
    return table[place]


def _rank(keys: NDArray[np.int64], turn: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of each row how many of the same key have an earlier turn."""
    by = np.lexsort((turn, keys))
    begins = np.flatnonzero(np.append(True, np.diff(keys[by]) != 0))
    ranks = np.empty(len(keys), np.int64)
    ranks[by] = np.arange(len(keys)) - np.repeat(begins, np.diff(np.append(begins, len(keys))))
    return ranks
