"""What an adversary holds: the published groups, everybody's quasi-identifiers, and who is in which group."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.disclosure.one_tells_another import Told
from pellucid.anonymize.methods import Grouping, Method
from pellucid.anonymize.recode import Recoder
from pellucid.anonymize.recode.alike import published_alike
from pellucid.core.schema import Kind, Schema
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import AttackError
from pellucid.messages import Message
from pellucid.models import Groups, PrivacyModel
from pellucid.models.sensitive import EACH, EACH_SET, code_of, each_named
from pellucid.risk.facts import Fact, Implies
from pellucid.risk.views.membership import Membership
from pellucid.text.rows import called
from pellucid.text.suggestions import meant
from pellucid.text.values import label_of, listed


@dataclass(frozen=True, eq=False)
class PublishedFrom:
    """What it takes to see what a method would have published of another world.

    ``recoder`` and ``fingerprint`` say how groups were published and what came out, where the release is one of ours.
    ``frame`` and ``schema`` are the people before they became codes: of fewer people, a table has other codes.
    ``changes`` says that published values may not be true, so that worlds cannot be read off the groups, and
    ``suppressed`` how many rows are not published at all (None: nobody says whether any are not). ``by_share`` says
    that a column ends where shares of the rows did, which are elsewhere when others are in the table. ``assumed`` says
    that nobody told how groups were recoded, so that the method's usual way is tried.
    """

    frame: pl.DataFrame | None = None
    schema: Schema | None = None
    recoder: Recoder | None = None
    fingerprint: bytes | None = None
    changes: bool = False
    suppressed: int | None = 0
    assumed: bool = False
    by_share: bool = False
    kinds: tuple[Kind, ...] = ()  # of the quasi-identifiers as the recipe tells them; none where nobody does


@dataclass(frozen=True, eq=False)
class Evidence:
    """The public side of an attack. Nothing in it depends on who has which sensitive value.

    ``people`` has the quasi-identifiers and the row order of the population and no sensitive column. ``grouping`` says
    who is in which group, as far as that is known; a person in no group was suppressed, or is not in the table.
    ``published`` has the sensitive counts of each group. ``method`` is how the release was made, where that is known,
    ``model`` what its groups satisfy. ``names`` are the people's names, for facts and for reading.

    ``membership`` is given when it is not certain who is in which group; ``grouping`` then has those who certainly are.
    When ``anonymous``, no population is known and the people are the rows of the release, with its published values
    for quasi-identifiers. ``origin`` is what running the method again needs, ``way_out`` what would tell who is in
    which group. With a ``crowd``, people are known even where the rows stand for them.

    A population may have people who were not in the table. A method saw neither their values nor their names, so what
    it tells is found from ``table``, the people ``in_table``; both are None where everybody of ``people`` was in it.
    With ``lookalikes``, ``grouping`` puts people who look exactly alike into their groups by row order, which need not
    be what the method did. ``beside`` names the other sensitive columns, which the method saw too.
    """

    people: Table
    grouping: Grouping
    published: Groups
    method: Method | None = None
    model: PrivacyModel | None = None
    names: Sequence[Any] | None = None
    notes: tuple[str, ...] = field(default=())
    membership: Membership | None = None
    anonymous: bool = False
    origin: PublishedFrom | None = None
    way_out: str = ""  # how who is in which group could be settled, where that is known
    crowd: int | None = None  # how many people the population has, where one is given
    several: bool = False  # whether what is read as one group may be several that are published alike
    in_table: NDArray[np.int64] | None = None  # the rows of the people who were in the table, where not all were
    table: Table | None = None  # these people, encoded by themselves: outsiders have no part in ranges and orders
    lookalikes: Membership | None = None  # where people who look alike are in several groups: who may be in which
    asked: tuple[Any, ...] | None = None  # the values that beliefs are judged in, where others than those promised
    asked_as_one: bool = False  # whether that is having one or another of them, and not each by itself
    unsettled: bool = False  # whether the table is known, and yet not who of it is in which group
    lacking: tuple[str, ...] = ()  # what steered the method and is not known, each with what to give
    beside: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", tuple(map(Message, self.notes)))
        object.__setattr__(self, "lacking", tuple(map(Message, self.lacking)))
        object.__setattr__(self, "way_out", Message(self.way_out))
        if self.grouping.rows != len(self.people):
            raise AttackError(
                f"the release is about {self.grouping.rows:,} rows and the population has {len(self.people):,}",
                "give the table that the release was made of, or the people in it, in the same order",
            )
        if len(self.grouping) != len(self.published):
            raise AttackError(
                f"{len(self.grouping):,} groups of people and {len(self.published):,} groups of values do not match"
            )

    @property
    def attribute(self) -> Attribute:
        """The sensitive column's codebook."""
        return self.published.attribute

    @cached_property
    def values(self) -> list[Any]:
        """The sensitive values by code."""
        return list(self.attribute.values.to_list())

    def person(self, who: Any) -> int:
        """The row of a person, by name or, when there are no names, by number."""
        if self.names is not None:
            if not isinstance(who, Hashable) or who not in self._place:
                near = meant(str(who), map(str, self._place)) or "; names are those of the identifier"
                raise AttackError("nobody in the population is called {who!r}{near}", who=who, near=near)
            return self._place[who]
        if isinstance(who, bool) or not isinstance(who, int | np.integer) or not 0 <= who < len(self.people):
            raise AttackError(
                "{who!r}: people have no names here",
                "give a row number from 0 to {people}, or the column with their names as {IDENTIFIER}",
                who=who,
                people=len(self.people) - 1,
            )
        return int(who)

    @cached_property
    def _place(self) -> dict[Any, int]:
        return {name: row for row, name in enumerate(self.names or [])}

    def name_of(self, row: int) -> str:
        """What to call a person."""
        return str(self.names[row]) if self.names is not None else called(row)

    def code(self, value: Any) -> int:
        """The code of a sensitive value, also when it is given as text."""
        known = {str(v): code for code, v in enumerate(self.values)}
        if str(value) not in known:
            near = meant(str(value), known) or f"; its values are {listed(map(str, self.values))}"
            raise AttackError(f"no published row has {value!r} in {self.attribute.name!r}{near}")
        return known[str(value)]

    def check(self, facts: Iterable[Fact]) -> None:
        """Raise when a fact is about nobody, or about a value that no published row has: such a fact would be lost."""
        for fact in facts:
            for part in (fact.condition, fact.consequence) if isinstance(fact, Implies) else (fact,):
                self.person(part.person)
                self.code(part.value)

    def members(self, group: int) -> NDArray[np.int32]:
        """The rows of a group."""
        return self.grouping.members[self.grouping.starts[group] : self.grouping.starts[group + 1]]

    def counts(self, group: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The codes that a group holds, and how often."""
        part = slice(int(self.published.starts[group]), int(self.published.starts[group + 1]))
        return self.published.codes[part], self.published.counts[part]

    @cached_property
    def alike(self) -> NDArray[np.int64]:
        """For each group the number of what a reader takes for one group; those published alike have the same.

        Groups that were read from files are those that a reader told apart; so is each where nobody says how groups
        were published, or where it is not certain who is in them.
        """
        certain = self.membership is None and bool((self.grouping.sizes > 0).all())
        if not certain or self.anonymous or self.origin is None or self.origin.recoder is None:
            return np.arange(len(self.grouping), dtype=np.int64)
        return published_alike(self.people, self.grouping, self.origin.recoder)

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """Who is in a published group, or may be."""
        return self.grouping.labels >= 0 if self.membership is None else self.membership.covered

    @property
    def distorted(self) -> bool:
        """Whether published values may not be true: the release says so, or the method may replace them."""
        told = self.origin is not None and self.origin.changes
        return told or (self.method is not None and self.method.distorts)

    @cached_property
    def withheld(self) -> NDArray[np.bool_]:
        """Who was left out by a method that may do so: in no group, and not known to be outside the table."""
        if self.method is None or not self.method.may_suppress or self.in_table is not None or self.membership:
            return np.zeros(len(self.people), np.bool_)
        return self.grouping.labels < 0

    @property
    def rows_withheld(self) -> int:
        """How many rows of the table are not published, as far as that is known."""
        told = 0 if self.origin is None else self.origin.suppressed or 0
        return max(told, int(self.withheld.sum()))

    def counts_as_risk(self, code: int) -> bool:
        """Whether the promise is about a value."""
        return self.protected is None or code in self.protected

    def groups_of(self, row: int) -> list[int]:
        """The groups that may hold a person."""
        if self.membership is not None:
            return [group for group, _ in self.membership.of(row)]
        label = int(self.grouping.labels[row])
        return [] if label < 0 else [label]

    def mixture(self, row: int) -> dict[int, float]:
        """What the frequencies in the groups that may hold a person give together: the probability of each code.

        Where it is not known how likely each of several groups is, the largest of their frequencies, a bound.
        """
        assert self.membership is not None
        groups = tuple(self.membership.of(row))
        exact = bool(self.membership.exact[row])
        if (groups, exact) not in self._mixtures:
            shares: dict[int, float] = {}
            for group, chance in groups:
                codes, counts = self.counts(group)
                for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
                    share = chance * count / int(self.published.sizes[group])
                    shares[code] = shares.get(code, 0.0) + share if exact else max(shares.get(code, 0.0), share)
            self._mixtures[groups, exact] = shares
        return self._mixtures[groups, exact]

    @cached_property
    def _mixtures(self) -> dict[Any, dict[int, float]]:
        return {}

    @cached_property
    def protected(self) -> NDArray[np.int64] | None:
        """The codes of the values that were asked about, else of those that the promise is about; None: of all.

        Raises where no published row has such a value: nobody would be believed to have it, and any bound would hold.
        """
        return self._codes(self.asked) if self.asked is not None else self._promised

    @cached_property
    def _promised(self) -> NDArray[np.int64] | None:
        if self.method is not None:
            about = self.method.about(self.attribute.name)
        else:
            about = None if self.model is None else self.model.protects
        return None if about is None else self._codes(about)

    @property
    def _promised_as_one(self) -> bool:
        if self.method is not None:
            return self.method.as_one
        return self.model is not None and self.model.as_one

    def _codes(self, values: Iterable[Any]) -> NDArray[np.int64]:
        codes = set()
        for value in each_named(values, self.attribute):
            code = code_of(value, self.attribute)
            if code is None:
                raise AttackError(self._nobody_has(value))
            codes.add(code)
        return np.array(sorted(codes), dtype=np.int64)

    def _nobody_has(self, value: Any) -> str:
        texts = ["null" if other is None else label_of(other) for other in self.values]
        named = "null" if value is None else repr(value)
        return (
            f"no published row has {named} in {self.attribute.name!r}, which is said to be protected; "
            f"its values are {listed(texts)}: name one of them"
        )

    @cached_property
    def sets(self) -> list[NDArray[np.int64]] | None:
        """The codes of each set of values that count as one, where the promise is about several such sets."""
        model = self.model if self.method is None else self.method.required
        named = None if self.asked is not None or model is None else model.sets
        return None if named is None else [self._codes(some) for some in named]

    @property
    def events(self) -> list[NDArray[np.int64]]:
        """The codes of what counts: of each set, of those that count as one, or of each value by itself."""
        if self.sets is not None:
            return self.sets
        if self.protected is None:
            return list(np.arange(len(self.values))[:, None])
        return [self.protected] if self.as_one else list(self.protected[:, None])

    @property
    def some_events(self) -> list[NDArray[np.int64]] | None:
        """The same where not every value counts."""
        return None if self.protected is None else self.events

    @property
    def proved(self) -> Fraction | None:
        """What is proved of the method for the values that count; None where it promises nothing about one of them."""
        return None if self.method is None or not self.promise_covers else self.method.proved

    @property
    def bounds_of_groups(self) -> NDArray[np.float64] | None:
        """What the promise allows to believe of the people of each group, where that differs by group."""
        if self.method is None or not self.promise_covers:
            return None
        return self.method.bounds_of(self.attribute.name, self.published.sizes, self.largest)

    @property
    def promise_covers(self) -> bool:
        """Whether the method promises something about each of the values that count, or about these as one."""
        if self.as_one and not self._promised_as_one:
            model = None if self.method is None else self.method.required
            sets = (None if model is None else model.sets) or ()
            return any(set(self.asked or ()) <= set(some) for some in sets)
        if self._promised is None:
            return True
        return self.protected is not None and bool(np.isin(self.protected, self._promised).all())

    @property
    def as_one(self) -> bool:
        """Whether several values count as one: whether somebody has one or another of them."""
        together = self.asked_as_one if self.asked is not None else self._promised_as_one
        return together and self.protected is not None and len(self.protected) > 1

    @property
    def counting(self) -> str:
        """The values that count where not all do, as in ``'s ill being 'hiv'``; empty where all do.

        Beliefs are about one value at a time, unless several count as one: that somebody has one or another of them
        may be certain.
        """
        if self.protected is None or (len(self.protected) == len(self.values) and self.sets is None):
            return ""
        text = ["null" if value is None else repr(value) for value in self.values]
        told = [" or ".join(text[code] for code in some.tolist()) for some in self.events]
        joint, each = (" or ", EACH) if self.sets is None else ("; or ", EACH_SET)
        return f"'s {self.attribute.name} being {joint.join(told)}{each if len(told) > 1 else ''}"

    @cached_property
    def largest(self) -> NDArray[np.int64]:
        """How often the most frequent value that counts occurs in each group; those that count as one together."""
        if self.protected is None:
            return np.asarray(self.published.largest)
        if self.sets is not None:
            return np.asarray(reduce(np.maximum, map(self._counted, self.sets)))
        counts = np.where(np.isin(self.published.codes, self.protected), self.published.counts, 0)
        return (np.add if self.as_one else np.maximum).reduceat(counts, self.published.starts[:-1])

    def _counted(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many rows of each group have one of these codes."""
        counts = np.where(np.isin(self.published.codes, codes), self.published.counts, 0)
        return np.asarray(np.add.reduceat(counts, self.published.starts[:-1]))

    def most_of(self, shares: Mapping[int, Any]) -> Any:
        """The largest share that counts, of these by code: of a value, or of a set together."""
        if self.protected is None:
            return max(shares.values(), default=0)
        return max((sum(shares.get(code, 0) for code in some.tolist()) for some in self.events), default=0)

    @cached_property
    def baseline(self) -> NDArray[np.float64]:
        """What the frequency alone gives: each person's largest share of a value in the group; 0 for nobody's rows."""
        largest = self.largest / self.published.sizes
        risk = np.zeros(len(self.people))
        if self.membership is not None:
            who = self.membership
            several = np.diff(who.starts) > 1
            person = np.repeat(np.arange(len(risk)), np.diff(who.starts))
            np.maximum.at(risk, person, largest[who.groups] * who.chance)
            for row in np.flatnonzero(several & who.exact).tolist():
                risk[row] = self.most_of(self.mixture(row))
            return risk
        kept = self.grouping.labels >= 0
        risk[kept] = largest[self.grouping.labels[kept]]
        return risk


@dataclass(frozen=True, eq=False)
class Gathered:
    """The evidence of an attack and, apart from it, the truth: for scoring, and what an auditor may measure on it.

    ``truth`` has everybody's sensitive code in the order of the people, -1 for people who are not in the table; None
    when it is not known. ``rest`` counts what the other sensitive columns of a row tell of this one; None without any.
    """

    evidence: Evidence
    truth: Codes | None = None
    name: str = "the release"
    rows: Evidence | None = None  # the rows of the release as people, where it is not certain who is behind them
    promise: str | None = None  # the guarantee that comes with the release; None where nobody promises anything
    parted: bool | None = None  # whether the release says that larger clusters were taken as several
    rest: Callable[[], Told | None] = lambda: None

    def __post_init__(self) -> None:
        _ = self.evidence.protected  # raises before any attack where no published row has a protected value
