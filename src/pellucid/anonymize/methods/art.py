"""ART: merge rows until knowing how values depend on quasi-identifiers does not help."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer

from pellucid.anonymize.distributions import Distributions, given, measured, named
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.entries import row_order
from pellucid.anonymize.method import About, Guarantee, Method, RecoderName, require_quasi, single_sensitive
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.core.table import Codes, Table
from pellucid.errors import Infeasible
from pellucid.kernels.merge import Merger
from pellucid.messages import Message, Share
from pellucid.models.sensitive import _values, codes_of
from pellucid.posterior import qi_distribution
from pellucid.runtime.parallel import thread_count
from pellucid.runtime.progress import SILENT, Progress

MOST_ROWS = 32  # of a group, times r


def _file_name(path: str | None) -> str | None:
    """What a recipe says of a file: its name, not where it lies on somebody's machine."""
    return None if path is None else Path(path).name


class ART(Method):
    """Belief at most 1/r for somebody who knows how values depend on quasi-identifiers, but not the method.

    **Definition.** *Distributions*: for every set of at most ``attributes`` quasi-identifiers, the share of each
    sensitive value among the rows that agree on the set, where at least ``support`` rows do, and elsewhere its share
    in the whole table. Or those of a file (``distributions``; its format is in
    :mod:`pellucid.anonymize.distributions`).

    *Order*: rows are numbered by quasi-identifiers, the one that tells most about the sensitive column first (the sum
    over its values with enough support of how far their shares are from the whole table's, in rows; ties by schema
    order), then by row order.

    *Merging*: the next group begins with a row of the most frequent value that is left (ties by codebook order), the
    one whose own value is least probable by the distribution in which it is most probable, ties by number: the
    hardest rows come last, since they need the most company. The closest row whose value is not in the group joins
    it, until the group has r rows or more, its beliefs hold, and no value outside the group is carried by more than
    one in r of the rows left; a value that would be so once the group has r rows joins while there is room. With
    ``bound``, the group also grows to the expected size of the paper: until its deviation for every set and value is
    at most (N - r) f / (f (r - 1) / (1 - f) + N - 1), N being its rows and f the largest probability, where some size
    can reach that (no row has probability 0, none 1). Deviation: the largest minus the least probability in the group.

    *Closest*: the least growth of the deviations, summed over sets and values of the group; among the two nearest rows
    by number on either side of the first one, of each of the 2 r (at least 16) most frequent values; ties go to the
    more frequent value, then to the nearest row ahead, then behind.

    *Beliefs hold*: for every set, no row has a value with probability above 1/r, neither by the exact posterior over
    all values at once (:func:`pellucid.posterior.qi_distribution`) nor by that value against all others. A group for
    which that needs more than 65,536 states and which no bound decides does not hold.

    *Remainder*: when no row may join, or the group has 32 r rows, its first row is set aside, and so is every row that
    would begin a group later with the same value and distributions; the other rows are free again. In the end each
    row that was set aside joins one of the groups near it whose beliefs still hold (the eight nearest on either side
    that lack its value, least growth of the deviations first); a row for which there is none is suppressed.

    With ``sensitive``, only these values are protected (each, or with ``together`` as one); all others count as one
    value that may occur any number of times, and rows with it that no group needed are published alone.

    **What its decisions look at.** Everything: which rows are merged, how many, and which are suppressed depends on
    their sensitive values. The bound is for somebody who does not reason about that.

    >>> import pellucid as pc
    >>> import warnings
    >>> warnings.simplefilter("ignore", pc.InformedAttackerWarning)
    >>> patients = pc.datasets.patients()
    >>> release = pc.publish(patients, pc.ART(r=2), quasi=["age", "zipcode"], sensitive="disease", identifier="name")
    >>> release.private.grouping.sizes.tolist()
    [2, 2, 2, 2]

    Reference: R. C.-W. Wong, A. W.-C. Fu, K. Wang, Y. Xu, J. Pei, P. S. Yu. Worst-case background knowledge by QI-based
    distributions. 2009, section 4. Its theorems hold for one value against all others only; hence the exact check.
    """

    name: ClassVar[str] = "art"
    summary: ClassVar[str] = "merges rows until knowing how values depend on quasi-identifiers does not help"
    guarantee: ClassVar[Guarantee] = "frequency"
    explanation: ClassVar[str] = (
        "ART defends against somebody who knows statistics: how often each sensitive value occurs among people of an "
        "age, a place, an occupation. It puts people together for whom such statistics say nearly the same, with "
        "different sensitive values, and checks for each group that nobody's value can be guessed with more than the "
        "probability you ask for. People whose statistics give them away in any company are left out, and counted. It "
        "does not defend against somebody who knows that ART was used and reasons about why it formed these groups."
    )
    reference: ClassVar[str] = "Wong et al.: Worst-case background knowledge by QI-based distributions, 2009, section 4"
    recoder: ClassVar[RecoderName] = "anatomy"
    suppresses: ClassVar[bool] = True
    reckons_with: ClassVar[str] = "these statistics"
    attack: ClassVar[str] = (
        "which rows it puts together, how many it needs and which it leaves out depends on their sensitive values, "
        "and trying which values would have led to the same groups narrows them down"
    )

    r: int = Field(ge=1, description="the promise: at most 1/r; its sentence says for whom that holds")
    sensitive: Annotated[tuple[Any, ...] | None, BeforeValidator(_values)] = Field(
        default=None, min_length=1, description="the values to protect, all of them when not given"
    )
    together: bool = Field(default=False, description="whether the values to protect count as one value")
    attributes: int = Field(
        default=2, ge=1, description="how many quasi-identifiers at once the attacker has statistics about"
    )
    support: int = Field(default=1000, ge=1, description="how many rows it takes to measure a distribution")
    distributions: Annotated[str | None, PlainSerializer(_file_name, when_used="json")] = Field(
        default=None, description="a CSV file with the attacker's statistics, instead of measuring them"
    )
    bound: bool = Field(default=False, description="whether groups also grow to the expected size of the paper")

    @property
    def protects(self) -> About:
        """The values that are named."""
        return self.sensitive

    @property
    def as_one(self) -> bool:
        """As its parameter says."""
        return self.together

    @property
    def promises_nothing(self) -> bool:
        """With r = 1 any belief is allowed."""
        return self.r == 1

    @property
    def promised_with_statistics(self) -> Fraction | None:
        """1/r of whoever has these statistics and does not know the method."""
        return Fraction(1, self.r)

    def group(self, table: Table, coins: Coins, *, threads: int | None = None, progress: Progress = SILENT) -> Grouping:
        """Decide the groups of a table."""
        require_quasi(table)
        column = single_sensitive(table, "ART")
        protected, class_of = self._classes(table, column)
        classes = class_of[table.codes[column]]
        self._check(table, column, classes, protected, class_of)
        if self.distributions is not None:
            known = given(self.distributions, table, column, classes, class_of, len(protected))
        else:
            known = measured(table, classes, len(protected), self.attributes, self.support)
        order = row_order(table, coins, thread_count(threads))
        rows = _numbered(table, classes, len(protected), self.support, order)
        merging = _Merging.of(self, known, classes[rows], rows, protected)
        labels = merging.run(progress)
        if (labels < 0).all():
            raise Infeasible(self._hopeless(table, column, known, classes, class_of))
        return Grouping.from_labels(_in_row_order(labels, rows))

    def _classes(self, table: Table, column: int) -> tuple[np.ndarray[Any, np.dtype[np.uint8]], Codes]:
        """Which classes are protected, and the class of each code."""
        attribute = table.attributes[column]
        if self.sensitive is None:
            return np.ones(len(attribute), np.uint8), np.arange(len(attribute), dtype=np.int32)
        codes = np.sort(codes_of(self.sensitive, attribute))
        count = 1 if self.together else len(codes)
        class_of = np.full(len(attribute), count, np.int32)
        class_of[codes] = 0 if self.together else np.arange(count)
        protected = np.ones(int(class_of.max()) + 1, np.uint8)
        protected[count:] = 0
        return protected, class_of

    def _check(self, table: Table, column: int, classes: Codes, protected: Any, class_of: Codes) -> None:
        """Raise when a protected value is too frequent for any group to hide it."""
        counts = np.bincount(classes, minlength=len(protected)) * protected
        worst = int(counts.argmax())
        count, rows = int(counts[worst]), len(table)
        if count * self.r <= rows:
            return
        attribute = table.attributes[column]
        values = _either(table, column, np.flatnonzero(class_of == worst))
        largest = rows // count
        way_out = (
            f"use r = {largest} or less, or split {values} into finer values"
            if largest > 1
            else f"no r above 1 is; protect another column, or split {values} into finer values"
        )
        raise Infeasible(
            "r = {r} is not feasible: {values} is the {attribute!r} of {count:,} of {rows:,} rows "
            "({share}), and a belief of at most 1/{r} needs at most one in {r}",
            "{way_out}",
            r=self.r,
            values=values,
            attribute=attribute.name,
            count=count,
            rows=rows,
            share=Share(count / rows, 1),
            way_out=way_out,
        )

    def _hopeless(self, table: Table, column: int, known: Distributions, classes: Codes, class_of: Codes) -> Message:
        """What stands in the way of every group."""
        own = known.weights[known.signatures, classes[:, None]]
        if not own.size:
            return Message("r = {r} is not feasible: no group of rows hides their values; use a smaller r", r=self.r)
        row, chosen = np.unravel_index(int(own.argmax()), own.shape)
        p = float(own[row, chosen])
        who = named(table, known.people[int(known.signatures[row, chosen])])
        values = _either(table, column, np.flatnonzero(class_of == classes[row]))
        largest = min(self.r - 1, int(1 / p)) if p > 0 else self.r - 1
        return Message(
            "r = {r} is not feasible: no row can be hidden from somebody who knows the statistics; for people "
            "with {who} they give {values} the probability {p:.3g} before anything is published; "
            "try r = {less}, or less knowledge: fewer attributes, a larger support",
            r=self.r,
            who=who,
            values=values,
            p=p,
            less=max(1, largest),
        )

    def sentence(self, table: Table) -> Message:
        """What is promised, and what is not."""
        column = table.attributes[table.having(Role.SENSITIVE)[0]].name
        if self.r == 1:
            return Message("r = 1 promises nothing: somebody may learn a person's {name} with certainty.", name=column)
        knows = (
            "the statistics of the given file"
            if self.distributions is not None
            else f"how often each {column} occurs among people who agree on up to {self.attributes} quasi-identifiers "
            f"(where at least {self.support:,} do)"
        )
        none = (
            ""
            if self.distributions is not None or len(table) >= self.support
            else (
                f" The table has {len(table):,} rows, so there is no such statistic and none is reckoned with; "
                "use a smaller support."
            )
        )
        what = f"any one person's {column}"
        if self.sensitive is not None:
            values = [repr(value) if value is not None else "null" for value in self.sensitive]
            joined = values[0] if len(values) == 1 else f"{', '.join(values[:-1])} or {values[-1]}"
            what = f"that any one person's {column} is {joined}"
            knows = knows.replace(f"each {column}", "each of these values" if not self.together else "one of these")
        return Message(
            "Somebody who knows {knows} and everyone's quasi-identifiers, but does not reason about how the groups "
            "were made, believes {what} with probability at most 1/{r}. Somebody who knows the method may "
            "learn more.{none}",
            knows=knows,
            what=what,
            r=self.r,
            none=none,
        )


def _either(table: Table, column: int, codes: Any) -> str:
    values = [table.attributes[column].values[int(code)] for code in codes]
    return " or ".join("null" if value is None else repr(value) for value in values)


def _numbered(
    table: Table, classes: Codes, width: int, support: int, order: Any
) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The rows in the order of their numbers."""
    n = len(table)
    overall = np.bincount(classes, minlength=width)
    telling = []
    for place, i in enumerate(table.having(Role.QUASI)):
        codes = table.codes[i]
        sizes = np.bincount(codes, minlength=len(table.attributes[i]))
        numbers = np.where(sizes >= support, np.cumsum(sizes >= support) - 1, -1)[codes]
        speaks = numbers >= 0
        count = int(numbers.max()) + 1
        counts = np.bincount(numbers[speaks] * width + classes[speaks], minlength=count * width).reshape(count, width)
        apart = np.abs(counts * n - counts.sum(axis=1, keepdims=True) * overall).sum()
        telling.append((-int(apart), place, i))
    keys = [table.codes[i] for _, _, i in sorted(telling)]
    return np.lexsort([order, *reversed(keys)])


def _in_row_order(labels: Codes, rows: Any) -> Codes:
    """Groups numbered by their first row, which says nothing about the order in which they were made."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    numbers = rank[inverse]
    if (labels < 0).any():
        gone = int(rank[0])
        numbers = np.where(labels < 0, -1, numbers - (numbers > gone))
    in_order = np.empty(len(labels), np.int32)
    in_order[rows] = numbers
    return in_order


@dataclass(frozen=True, eq=False)
class _Merging:
    """One run: the kernel searches and checks, this decides what to do next."""

    method: ART
    known: Distributions
    signatures: Codes
    classes: Codes
    protected: Any
    alike: Codes  # rows with the same value and distributions have the same number
    kernel: Merger

    @classmethod
    def of(cls, method: ART, known: Distributions, classes: Codes, rows: Any, protected: Any) -> _Merging:
        signatures = np.ascontiguousarray(known.signatures[rows])
        n = len(classes)
        own = known.weights[signatures, classes[:, None]]
        hardness: Any = own.max(axis=1) if own.shape[1] else np.zeros(n)
        numbers: Any = np.arange(n)
        kernel = Merger(
            np.ascontiguousarray(known.weights),
            signatures,
            np.ascontiguousarray(classes, np.int32),
            protected,
            np.append(0, np.cumsum(np.bincount(classes, minlength=len(protected)))).astype(np.int64),
            np.lexsort([numbers, classes]).astype(np.int32),
            np.lexsort([numbers, hardness, classes]).astype(np.int32),
            method.r,
            max(16, 2 * method.r),
            min(MOST_ROWS * method.r, n),
        )
        _, alike = np.unique(np.column_stack([signatures, classes]), axis=0, return_inverse=True)
        return cls(method, known, signatures, classes, protected, alike.ravel().astype(np.int32), kernel)

    def run(self, progress: Progress) -> Codes:
        """The group of each row by number, -1 where it has none."""
        merger, done = self.kernel, 0
        progress.stage("grouping", len(self.classes))
        aside = []
        hopeless = set()
        while (seed := merger.seed()) >= 0:
            if self.alike[seed] not in hopeless and self.grow(seed):
                done += merger.size_of()
                merger.finish()
            else:
                done += 1
                merger.set_aside(seed)
                aside.append(seed)
                hopeless.add(self.alike[seed])
            progress.advance(done)
        for position in aside:
            self.join(position)
        labels = np.asarray(merger.labels(), np.int32)
        alone = np.asarray(merger.free())
        labels[alone] = labels.max(initial=-1) + 1 + np.arange(len(alone), dtype=np.int32)
        return labels

    def grow(self, seed: int) -> bool:
        """Let a group grow from one row; whether it holds in the end."""
        merger, r = self.kernel, self.method.r
        merger.begin(seed)
        while not self._is_complete():
            closest = merger.closest() if merger.size_of() < MOST_ROWS * r else -1
            if closest < 0:
                return self.method.bound and merger.size_of() >= r and self.holds()
            merger.add(closest)
        return True

    def _is_complete(self) -> bool:
        """Whether the group has its rows, nothing presses it to grow, it is within the bound if any, and it holds."""
        merger = self.kernel
        full = merger.size_of() >= self.method.r and not merger.pressing()
        return full and (not self.method.bound or merger.within_bound()) and self.holds()

    def join(self, position: int) -> None:
        """Let a row that was set aside join a group that still holds with it."""
        merger = self.kernel
        costs = []
        for place, group in enumerate(merger.near_groups(position)):
            if merger.load(group):
                costs.append((merger.cost_of(position), place, group))
        for _, _, group in sorted(costs):
            merger.load(group)
            merger.add(position)
            if self.holds():
                merger.keep(group)
                break
        merger.clear()

    def holds(self) -> bool:
        """Whether no belief about the group at hand exceeds 1/r."""
        verdict: int = self.kernel.check()
        while verdict < 0:
            chosen = self.kernel.open_set()
            if not self.holds_exactly(chosen):
                return False
            self.kernel.accept(chosen)
            verdict = self.kernel.check()
        return verdict == 1

    def holds_exactly(self, chosen: int) -> bool:
        """The same by fractions, for one attribute set."""
        members = self.kernel.members_of()
        values = [int(self.classes[p]) for p in members]
        rows = [
            {value: self.known.probability(int(self.signatures[p, chosen]), value) for value in set(values)}
            for p in members
        ]
        beliefs = qi_distribution(rows, values, exact=True)
        return all(p * self.method.r <= 1 for belief in beliefs for value, p in belief.items() if self.protected[value])
