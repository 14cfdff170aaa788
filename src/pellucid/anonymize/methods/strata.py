"""Strata: groups of people who look alike, and of whom only what is typical of many may be learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.k_anonymity_only import NOBODYS
from pellucid.anonymize.layout.by_cuts import Above, RowsNeeded, larger, sensitive_of
from pellucid.anonymize.layout.entries import Entries, lay_out
from pellucid.anonymize.layout.leaves import Leaves, Part, together
from pellucid.anonymize.layout.tree import Growth, Subtree, collect
from pellucid.anonymize.method import (
    STRATUM,
    Guarantee,
    Longs,
    named_values,
    require_columns,
    require_quasi,
    sensitive_counts,
)
from pellucid.anonymize.protected import LByColumn, Protected
from pellucid.anonymize.protecting import ProtectingMethod
from pellucid.anonymize.same import Apart, Same, Side, apart_of, parts_of
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import Infeasible, MethodError
from pellucid.kernels.grow import rows_at
from pellucid.messages import Count, Names, Share
from pellucid.models import Groups, PrivacyModel
from pellucid.models.exact import Rational
from pellucid.models.groups import Counts
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress
from pellucid.text.suggestions import meant
from pellucid.text.values import joined_by_and

if TYPE_CHECKING:
    from pellucid.posterior.shape import Likelihood

Inside = Literal["hybrid", "lot", "none"]
KERNEL = {"none": 0, "lot": 1, "hybrid": 2}  # what the kernel calls it
WHOLE, BEGUN = 3, 4  # how the kernel marks where a leaf begins that is a stratum, and where a stratum begins


class Strata(ProtectingMethod):
    """Posterior at most 1/l, or the share of the value among the ``size`` or more people who look alike.

    Each sensitive column may have an l of its own: ``l={"income": 4, "drugs": 2}``.

    **Definition.** *Strata*: the table is cut by the canonical cut between different codes that leaves both sides at
    least ``size`` rows, again and again, until there is none; before that, into the rows that agree in the columns of
    ``same``. A stratum is *eligible* when no protected value has more
    than one of its rows in l, the l of its column. One that is not, because of any column, is published whole, as one
    group. In an eligible one, a table of its own, ``inside`` decides: Hybrid(l); or *lot*: the buckets of Assign(l),
    each divided at random into groups with one row of each value; or *none*: it is one group as well. ``values`` and
    several sensitive columns and ``k``: see :class:`pellucid.anonymize.protecting.ProtectingMethod`. *lot* makes no
    groups of more than l rows: what it promises beyond 1/l would be less of groups that are put together.

    **What its decisions look at.** Strata: quasi-identifiers and numbers of rows alone, so they are public.
    Eligibility: the counts of the stratum. Inside: what Hybrid's decisions look at, with coins of rows of the stratum
    alone. Take any prior in which trading the values of two people of one stratum changes nothing, whatever else it
    knows of strata as wholes. Every arrangement of a stratum's values is equally likely before, so the theorem of
    Hybrid applies to the stratum by itself. An attacker who knows the statistics of every stratum, and all values
    outside of one, is covered. The proof is in docs/strata.md.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> Strata(l=2, size=4).group(table, Coins.from_seed(1)).sizes.tolist()
    [2, 2, 2, 2]
    >>> Strata(l=4, size=4).group(table, Coins.from_seed(1)).sizes.tolist()
    [4, 4]

    Reference: this project, docs/strata.md; inside it builds on X. Xiao, Y. Tao, N. Koudas. Transparent anonymization:
    thwarting adversaries who know the algorithm. ACM TODS 35(2), 2010.
    """

    name: ClassVar[str] = "strata"
    draws: ClassVar[bool] = True
    several: ClassVar[bool] = True
    l_of_each: ClassVar[bool] = True
    divides_together: ClassVar[bool] = True
    weighs_columns: ClassVar[bool] = True
    summary: ClassVar[str] = (
        "the default: small groups inside strata of people who look alike; withstands statistics of strata"
    )
    guarantee: ClassVar[Guarantee] = "algorithm"
    assumption: ClassVar[tuple[str, str] | None] = (
        "This holds whatever the attacker knows of strata as wholes, if all ways of assigning the values of a stratum "
        "to its people are equally likely before.",
        "It does not cover what sets a person apart inside the stratum, ties between people, knowing a value of the "
        "stratum, other releases about these people, settings that were chosen by looking at the values, or, where two "
        "strata are published alike, attackers who see only the release: such attackers may be right more often.",
    )
    knows_too: ClassVar[str] = "the share of each value in every stratum and every value outside the person's stratum"
    explanation: ClassVar[str] = (
        "Strata first cuts the table into strata of people who look alike, by quasi-identifiers alone. Inside each it "
        "makes small groups, as Hybrid does. Where a value is more frequent than 1/l in a stratum, the stratum is "
        "published whole: what is typical of so many people is a statistic, and mixing in other people would only "
        "pretend to hide it. The promise covers attackers who know the statistics of strata."
    )
    reference: ClassVar[str] = "ours (docs/strata.md), after Xiao, Tao, Koudas: Transparent anonymization, TODS 2010"

    l: LByColumn = Field(  # type: ignore[assignment]  # where columns differ, nobody may read one number
        description="the promise: at most 1/l, or the share in a person's stratum; of several sensitive columns each"
        " may have its own"
    )
    size: int = Field(
        default=STRATUM, ge=2, description="the least number of people of a stratum; chosen before looking"
    )
    same: Same = Field(
        default=(),
        description="quasi-identifiers whose values no stratum mixes; region:1 is a level of a taxonomy, age >= 15 a"
        " condition of which no stratum mixes both sides",
    )
    inside: Inside = Field(default="hybrid", description="what makes the groups of a stratum; none: it is one group")

    most: Rational | None = Field(
        default=None,
        gt=0,
        le=1,
        description="the largest share that a protected value may have in a stratum published whole",
    )

    @model_validator(mode="after")
    def _sizes_fit(self) -> Strata:
        largest = max(self.ls)
        if self.size < max(largest, self.fewest):
            raise MethodError(
                "size = {size} is below {parameter} = {number}: a stratum of so few people has no group",
                "use a size of at least {number}; 50 is usual",
                size=self.size,
                parameter="l" if largest >= self.fewest else "k",
                number=max(largest, self.fewest),
            )
        if self.inside == "lot" and self.joins:
            raise MethodError(
                f"k = {self.k} would put groups that are drawn by lot together, and what is promised of these is less",
                "leave k out, or use inside = hybrid",
            )
        if self.most is not None and self.most * largest < 1:
            raise MethodError(
                "most = {most} is below 1/{l}, which a value may have in every group",
                "use at least 1/{l}",
                most=self.most,
                l=largest,
            )
        if self.inside == "lot" and self.values is not None:
            raise MethodError("inside = lot is for all values", "leave values out, or use inside = hybrid")
        return self

    @property
    def ls(self) -> list[int]:
        """Every l that is promised."""
        return list(self.l.values()) if isinstance(self.l, Mapping) else [self.l]

    def protecting(self, column: str) -> Protected:
        """What is protected of a sensitive column, with its own l."""
        if isinstance(self.l, Mapping) and column not in self.l:
            self._check_ls([column])
        l = self.l[column] if isinstance(self.l, Mapping) else self.l
        return Protected(column, self.about(column), l, self.as_one)

    @property
    def promises_nothing(self) -> bool:
        """With l = 1 a group may have a single value, of every column."""
        return max(self.ls) == 1

    def satisfied(self, column: str = "") -> PrivacyModel | None:  # noqa: ARG002
        """None that holds of every group: a stratum that is published whole may have any counts."""
        return None

    @property
    def whole_from(self) -> int | None:
        """A stratum may be one group."""
        return self.size

    def satisfied_below(self, column: str) -> PrivacyModel | None:
        """l-diversity."""
        return self.protecting(column).model

    @property
    def proved(self) -> Fraction | None:
        """None for everybody: it is 1/l, or the share of a person's stratum."""
        return None

    @property
    def counted(self) -> Fraction | None:
        """None for everybody, likewise."""
        return None

    @property
    def joins(self) -> bool:
        """Whether groups inside strata may be put together of several buckets, which somebody may tell apart."""
        alone = self.fewest == 1 or (self.values is None and self.fewest <= min(self.ls))
        return self.inside != "none" and not alone

    @property
    def at_most(self) -> Fraction | None:
        """1/l where groups may be put together, of the smallest l; a stratum that is whole has its own bound."""
        return Fraction(1, min(self.ls)) if self.joins else None

    def check(self, table: Table, threads: int = 1) -> int:
        """How many rows the most frequent protected value has; raises where no strata can be made."""
        require_quasi(table)
        if self.together:
            method, merged = self.merging(table)
            return method.check(merged, threads)
        held = sensitive_counts(table, threads)
        self._check_rows([attribute for attribute, _ in held], len(table))
        return max(int(counts[self.protected(attribute)].max(initial=0)) for attribute, counts in held)

    def _check_rows(self, sensitive: Sequence[Attribute], rows: int) -> None:
        self.check_named(sensitive)
        self._check_ls([attribute.name for attribute in sensitive])
        for attribute in sensitive:
            self.protected(attribute)  # raises where nobody has a value that is said to be protected
        if self.size > rows:
            problem = "size = {size} is not feasible: the table has {rows:,} rows"
            raise Infeasible(problem, "use a size of at most {rows}", size=self.size, rows=rows)
        if self.inside == "lot" and len(sensitive) > 1:
            raise MethodError("inside = lot is for one sensitive column", "use inside = hybrid, or none")

    def _check_ls(self, columns: Sequence[str]) -> None:
        """Raise where l is said of a column that is not sensitive, or not of each that is."""
        if not isinstance(self.l, Mapping) or set(self.l) == set(columns):
            return
        given = {"missing": Names([one for one in columns if one not in self.l]), "columns": Names(columns)}
        if other := [one for one in self.l if one not in columns]:
            raise MethodError(
                "l of {other!r}: no sensitive column is called so{meant}",
                "these are: {columns}",
                other=other[0],
                meant=meant(other[0], columns),
                **given,
            )
        raise MethodError(
            "l is said of some sensitive columns, and not of {missing}", "say one l for each of {columns}", **given
        )

    def check_counts(self, outline: Table, counts: Sequence[Counts]) -> None:
        """Raise where no strata can be made of a table with these attributes and sensitive counts."""
        require_columns(outline)
        self.check_apart()
        self._check_rows(sensitive_of(outline), int(counts[0].sum()))

    def rows_needed(self, outline: Table, counts: Sequence[Counts]) -> RowsNeeded:  # noqa: ARG002
        """What says how many rows each side of a cut needs: as many as a stratum has."""
        return lambda _, __: self.size

    def group_part(self, table: Table, counts: Sequence[Counts], coins: Coins) -> Grouping:  # noqa: ARG002
        """The groups of one part of a cut table; how large a share may be is asked of all parts together."""
        return self.model_copy(update={"most": None}).group(table, coins, threads=1)

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""
        threads = thread_count(threads)
        if self.together:
            method, merged = self.merging(table)
            return method.group(merged, coins, threads=threads, progress=progress)
        self.check(table, threads)
        columns = table.having(Role.SENSITIVE)
        plain = self.values is None and len(columns) == 1 and not table.attributes[columns[0]].absent and not self.joins
        attributes = [table.attributes[column] for column in columns]
        entries, fillers = self.seen(lay_out(table, coins, threads), attributes)
        begun = self._parted(table, entries)
        limits: dict[str, Any] = {"fillers": fillers, "strata": self.size, "inside": KERNEL[self.inside]}
        limits["fewest"] = self.fewest if self.joins else 1
        ls = [self.protecting(attribute.name).l for attribute in attributes]
        if len(set(ls)) > 1:
            weights = np.repeat(np.array(ls, np.int64), [len(attribute) for attribute in attributes])
            limits["weights"] = np.append(weights, 0)  # of the fillers, which count for nothing
        l = ls[0] if len(set(ls)) == 1 else 1
        growth = Growth(entries, l, coins.subkey("assign"), threads, ace=plain, limits=limits)
        growth.grown(begun, progress)
        strata = np.flatnonzero(growth.first & BEGUN)
        if plain or self.inside == "none":
            grouping = collect(growth.places, growth.first, entries.rows, threads)
        else:
            grouping = self._divided(table, growth, coins, threads)
        grouping.strata = np.searchsorted(strata, grouping.starts[:-1], "right") - 1
        if self.most is not None:
            self.require_most(self.above_most(table, grouping))
        return grouping

    def above_most(self, table: Table, grouping: Grouping) -> Above:
        """Of which strata a protected value has a larger share than ``most``, and than every group may have."""
        shares = np.zeros(len(grouping))
        for column, of_column in self.bounds(table, grouping).items():
            allowed = max(float(self.most or 1), 1 / self.protecting(column).l)
            shares = np.maximum(shares, larger(of_column, allowed))
        return Above.of(shares, grouping.sizes)

    def require_most(self, above: Above) -> None:
        """Raise where a stratum that is published whole says more than ``most`` allows."""
        if above.groups:
            raise Infeasible(
                "most = {most} is not feasible: in {strata} of {people:,} people a "
                "value has a larger share, up to {max}",
                "choose most, size, same and quasi-identifiers before you look at the values: a size that was chosen "
                "because of them tells about them",
                most=self.most,
                strata=Count(above.groups, "stratum", "strata"),
                people=above.rows,
                max=Share(above.most),
            )

    def bounds(self, table: Table, grouping: Grouping) -> dict[str, NDArray[np.float64]]:
        """Of each column and group the most that may be believed."""
        if self.together:
            method, merged = self.merging(table)
            return method.bounds(merged, grouping)
        found = {}
        whole = grouping.whole(self.size)
        kept = np.repeat(whole, grouping.sizes)
        group_of = np.repeat(np.flatnonzero(whole), grouping.sizes[whole])
        for column in table.having(Role.SENSITIVE):
            attribute = table.attributes[column]
            codes = table.codes[column][grouping.members[kept]]
            marks = self.protected(attribute)[codes]
            keys, counts = np.unique(group_of[marks] * len(attribute) + codes[marks], return_counts=True)
            largest = np.zeros(len(grouping), np.int64)
            np.maximum.at(largest, keys // len(attribute), counts)
            found[attribute.name] = self.bounds_of(attribute.name, grouping.sizes, largest)
        return found

    def beyond(self, table: Table, grouping: Grouping) -> dict[str, NDArray[np.float64]]:
        """Of each column and group the same where it is more than 1/l, else 0."""
        bounds = self.bounds(table, grouping)
        return {column: larger(found, 1 / self.protecting(column).l) for column, found in bounds.items()}

    def bounds_of(self, column: str, sizes: Longs, largest: Longs) -> NDArray[np.float64]:
        """The largest share of a protected value, where that bounds a person's risk; else 1/l.

        A group of at least ``size`` rows with a value in more than one in l is a stratum that is published whole.
        """
        usual = 1 / self.protecting(column).l
        return np.where(sizes >= self.size, np.maximum(usual, largest / sizes), usual)

    def could_make(self, column: str, sizes: Longs, shares: NDArray[np.float64], groups: Longs) -> bool:
        """Whether groups of these sizes, so many in each stratum, fit the largest share of a value that each has."""
        usual = 1 / self.protecting(column).l
        whole = larger(shares, usual) > 0 if self.inside != "none" else np.ones(len(shares), np.bool_)
        few = self.most is None or not larger(shares, max(float(self.most), usual)).any()
        return few and not (whole & (groups > 1)).any() and not (sizes < self.fewest).any()

    def usual_bound(self, column: str = "") -> Fraction:
        """1/l, of the smallest l where no column is named."""
        return Fraction(1, self.protecting(column).l if column else min(self.ls))

    def strata(self, people: Table, threads: int = 1) -> Codes:
        """For each person the number of the stratum: cut without a sensitive column, and without coins."""
        nobodys = np.zeros(len(people), np.int32)
        table = replace(people, attributes=(*people.attributes, NOBODYS), codes=(*people.codes, nobodys))
        entries = lay_out(table, Coins.from_seed("strata"), threads)  # an order of rows that decides nothing
        limits = {"fillers": -1, "strata": self.size, "inside": KERNEL["none"]}
        growth = Growth(entries, 1, (0, 0), threads, limits=limits)
        growth.grown(self._parted(table, entries), SILENT)
        return collect(growth.places, growth.first, entries.rows, threads).labels

    def _parted(self, table: Table, entries: Entries) -> list[Subtree] | None:
        """The rows that agree in the columns of ``same``, from left to right; None where all are one."""
        return parts_of(apart_of(self.same, table), entries.records, self.size) if self.same else None

    def apart(self, outline: Table) -> list[Apart]:
        """The columns of ``same``."""
        kept = [one for one in apart_of(self.same, outline) if isinstance(one, Apart)]
        if len(kept) < len(self.same):
            raise MethodError(
                "with Spark strata keeps columns apart, and not both sides of a condition",
                "keep a column apart that has the two sides as its values, or publish without Spark",
            )
        return kept

    def _divided(self, table: Table, growth: Growth, coins: Coins, threads: int) -> Grouping:
        """The groups of the leaves inside strata, beside the strata that are whole."""
        begins = np.flatnonzero(growth.first)
        rows = np.empty(len(table), np.int32)
        rows_at(growth.places, growth.entries.rows, rows)
        sizes = np.diff(np.append(begins, len(table)))
        whole = growth.first[begins] & WHOLE == WHOLE
        marks, firsts = np.repeat(whole, sizes), (growth.first != 0).astype(np.uint8)
        leaf_of = np.repeat(np.arange(len(begins)), sizes)
        kept = Part(rows[marks], firsts[marks], leaf_of[marks])
        if whole.all():
            return together([kept], len(table))
        starts = np.append(0, np.cumsum(sizes[~whole])).astype(np.int64)
        by_lot = np.zeros(len(starts) - 1, np.uint8)
        leaves = Leaves.of(table, rows[~marks], starts, by_lot, coins, "assign", threads)
        divided = self.divided(table, leaves, threads)
        first = np.zeros(len(divided.members), np.uint8)
        first[divided.starts[:-1]] = 1
        where = np.empty(len(table), np.int64)
        where[rows] = leaf_of
        return together([Part(divided.members, first, where[divided.members]), kept], len(table))

    def likelihood(self, people: Table, grouping: Grouping, published: Groups) -> Likelihood:  # noqa: ARG002
        """Nothing but the frequencies: every arrangement inside a group has the same probability."""
        from pellucid.posterior.shape import Likelihood  # here: publishing asks for none

        return Likelihood.transparent(grouping.sizes, len(people))

    def sentence(self, table: Table) -> str:
        """The guarantee in plain sentences: the bound, the attacker, and what is not covered."""
        names = [table.attributes[i].name for i in table.having(Role.SENSITIVE)]
        if self.promises_nothing:
            return f"l = 1 promises nothing: an attacker may learn a person's {joined_by_and(names)} with certainty."
        of = self._bound_in_words([self.protecting(name) for name in names])
        others = "all other columns of everyone"
        if len(names) > 1:
            others = f"all columns of everyone but {joined_by_and(names)}"
        kept, sides = self._kept_apart(table)
        apart = f" No stratum mixes values of {joined_by_and(kept)}." if kept else ""
        apart += f" No stratum has people on both sides of {joined_by_and(sides)}." if sides else ""
        apart += f" Every group has at least {self.fewest} rows." if self.fewest > 1 else ""
        return (
            f"For each person, an attacker infers {of}, or the share of the value "
            f"among the at least {self.size} people of the person's stratum, where that is larger. The "
            f"attacker knows the method, its parameters, {others}, the share of "
            f"each value in every stratum and every value outside the person's stratum.{apart}"
        )

    def _kept_apart(self, table: Table) -> tuple[list[str], list[str]]:
        """The columns whose values no stratum mixes, and the conditions of which none has both sides."""
        given = apart_of(self.same, table)
        kept = [one.in_words for one in given if isinstance(one, Apart)]
        return kept, [one.in_words for one in given if isinstance(one, Side)]

    @staticmethod
    def _bound_in_words(columns: Sequence[Protected]) -> str:
        """What is inferred of each column with which probability, up to the share in the stratum."""
        ls = {one.l for one in columns}
        named = [f"{named_values(one.values, together=one.together)}the value of {one.column}" for one in columns]
        if len(ls) > 1:
            each = [f"{words} with probability at most 1/{one.l}" for words, one in zip(named, columns, strict=True)]
            return joined_by_and(each)
        return f"{joined_by_and(named)} with probability at most 1/{min(ls)}"
