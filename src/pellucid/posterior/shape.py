"""What a published group tells somebody who knows how it came about: its parts, and which arrangements fit.

A method that is asked how it behaves (:meth:`pellucid.anonymize.methods.Method.likelihood`) answers with one shape per
group. The rows of a part are exchangeable, so what is believed of a person depends on the part alone. A shape says how
likely the group is for given sensitive counts of its parts (:meth:`Shape.weights`), which is its definition, and what
follows for each part when every arrangement was equally likely before (:meth:`Shape.shares`), by an engine of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.core.table import Attribute
from pellucid.messages import Message
from pellucid.models import PrivacyModel
from pellucid.models.sensitive import DiversityModel
from pellucid.posterior.class_extremes import cannot_satisfy, cannot_violate
from pellucid.posterior.column import SensitiveColumn, by_value
from pellucid.posterior.exclusion import BUDGET, nothing_forced
from pellucid.posterior.greedy_buckets import greedy_buckets
from pellucid.posterior.merged_classes import merged_classes
from pellucid.posterior.refusal.side_limits import SideLimits

Arrangements = NDArray[np.int64]  # arrangement x part x value: how many rows of each part have each value


class Shape(ABC):
    """One group as a method made it. Shapes are values: equal ones tell the same."""

    sizes: tuple[int, ...]  # rows of each part
    ratio: Fraction = Fraction(1)  # how many times likelier than its weight says an arrangement may be than another

    @property
    def symmetric(self) -> bool:
        """Whether it makes no difference which value is which, so that counts alone decide."""
        return False

    def limits(self, column: SensitiveColumn) -> list[list[int]] | None:  # noqa: ARG002
        """By part and value how many rows a part may have, where the group tells that some part has more, and no more.

        Many such groups are counted at once (:mod:`pellucid.posterior.limited_parts`). None for what tells otherwise.
        """
        return None

    @abstractmethod
    def weights(self, arrangements: Arrangements, column: SensitiveColumn) -> list[Any]:
        """How likely the method makes this group of each of these arrangements, up to a common factor."""

    @abstractmethod
    def shares(self, column: SensitiveColumn, *, exact: bool = False, budget: int = BUDGET) -> list[dict[Any, Any]]:
        """For each part what is believed of a person in it, all arrangements being equally likely before."""

    @abstractmethod
    def reason(self, part: int, value: Any, names: Sequence[str]) -> Message:
        """Which arrangements are excluded, and why, in words; ``names`` says who is in which part.

        Whether that makes the value of a person of this part likelier is a matter of the figures, and not said here.
        """


class ModelShape(Shape):
    """A group that tells whether some of its rows satisfied a model."""

    model: PrivacyModel

    @property
    def symmetric(self) -> bool:
        """As the model is."""
        return blind(self.model)


def met_by(
    model: PrivacyModel,
    column: SensitiveColumn,
    table_counts: tuple[tuple[Any, int], ...],
    groups: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Which of these groups (one row of the column's counts each) satisfy a model that looks at the whole table.

    A model may name, or compare with, values that the column does not have: it is asked about all of the table's.
    """
    if blind(model):
        return column.satisfied(model, groups, np.array(column.counts, dtype=np.int64))
    attribute = getattr(table_counts, "attribute", None)
    whole, places = _among_all(tuple(column.values), table_counts, attribute)
    wide = np.zeros((len(groups), len(whole.values)), dtype=np.int64)
    wide[:, places] = groups
    return whole.satisfied(model, wide, np.array(whole.counts, dtype=np.int64))


@lru_cache(maxsize=256)
def _among_all(
    values: tuple[Any, ...], table_counts: tuple[tuple[Any, int], ...], attribute: Attribute | None
) -> tuple[SensitiveColumn, list[int]]:
    """The column of the whole table, and where these values are in it."""
    known = dict(table_counts)
    if attribute is not None and set(values) <= set(known):
        whole = SensitiveColumn(list(known), list(known.values()), attribute)
    else:
        whole = SensitiveColumn.of(dict.fromkeys(values, 0) | known)
    place = {value: code for code, value in enumerate(whole.values)}
    return whole, [place[value] for value in values]


def blind(model: PrivacyModel) -> bool:
    """Whether a model treats all values alike and compares with no table."""
    return all(isinstance(part, DiversityModel) and part.sensitive is None for part in model.parts)


@dataclass(frozen=True, eq=False)
class Likelihood:
    """How a method made every group of a release: which shape each group has, and which part each person is in.

    ``of_group[g]`` numbers the shape of group g among ``shapes``; ``part[row]`` is the part of the row's group that the
    row is in (0 for rows in no group).
    """

    shapes: Sequence[Shape]
    of_group: NDArray[np.int32]
    part: NDArray[np.int32]
    assumes_order: bool = True  # whether, without an identifier, the order that the method has its rows in was used

    @classmethod
    def transparent(cls, sizes: NDArray[np.int64], rows: int) -> Likelihood:
        """Of a method that gives nothing away: every group is plain."""
        distinct, of_group = np.unique(sizes, return_inverse=True)
        shapes = [Plain((int(size),)) for size in distinct]
        return cls(shapes, of_group.astype(np.int32), np.zeros(rows, np.int32))


@dataclass(frozen=True)
class Plain(Shape):
    """The group tells nothing but its counts: every arrangement would have led to it."""

    sizes: tuple[int, ...]

    @property
    def symmetric(self) -> bool:
        """Counts alone decide."""
        return True

    def weights(self, arrangements: Arrangements, column: SensitiveColumn) -> list[Any]:  # noqa: ARG002
        """All alike."""
        return [1] * len(arrangements)

    def shares(self, column: SensitiveColumn, *, exact: bool = False, budget: int = BUDGET) -> list[dict[Any, Any]]:  # noqa: ARG002
        """The frequency in the group."""
        frequencies = column.named([Fraction(c, column.total) for c in column.counts], exact=exact)
        return [frequencies] * len(self.sizes)

    def reason(self, part: int, value: Any, names: Sequence[str]) -> Message:  # noqa: ARG002
        """The frequency."""
        return Message("the method gives nothing away beyond how often each value occurs in the group")


@dataclass(frozen=True)
class Blurred(Shape):
    """Every arrangement would have led to the group, none more than ``ratio`` times as likely as another.

    Which one is likelier is not known, so a belief is known by bounds only (:func:`raised` and :func:`lowered`), and
    what this shape's engine gives is what somebody believes to whom all were equally likely.
    """

    sizes: tuple[int, ...]
    ratio: Fraction = field()  # without a default: that of other shapes is no ratio for this one

    @property
    def symmetric(self) -> bool:
        """Counts alone decide."""
        return True

    def weights(self, arrangements: Arrangements, column: SensitiveColumn) -> list[Any]:
        """All alike, but for the ratio."""
        return Plain(self.sizes).weights(arrangements, column)

    def shares(self, column: SensitiveColumn, *, exact: bool = False, budget: int = BUDGET) -> list[dict[Any, Any]]:
        """The frequency in the group, but for the ratio."""
        return Plain(self.sizes).shares(column, exact=exact, budget=budget)

    def reason(self, part: int, value: Any, names: Sequence[str]) -> Message:  # noqa: ARG002
        """The die."""
        return Message(
            "a cut through the people of this group may have been refused, which is likelier for some arrangements of "
            "their values than for others, but at most {ratio:g} times as likely: a secret die decided "
            "over it. The figure is the most that can be believed",
            ratio=float(self.ratio),
        )


def raised(share: Any, ratio: Any) -> Any:
    """The most that can be believed of a share when the arrangements that have it are up to so many times likelier.

    >>> raised(Fraction(1, 3), Fraction(2))
    Fraction(1, 2)
    """
    return ratio * share / (ratio * share + 1 - share)


def lowered(share: Any, ratio: Any) -> Any:
    """The least that can be believed.

    >>> lowered(Fraction(1, 3), Fraction(2))
    Fraction(1, 5)
    """
    return share / (share + ratio * (1 - share))


@dataclass(frozen=True)
class Merged(ModelShape):
    """Classes that were merged because at least one of them violated the model (knowledge of minimality)."""

    sizes: tuple[int, ...]
    model: PrivacyModel
    table_counts: tuple[tuple[Any, int], ...]

    def limits(self, column: SensitiveColumn) -> list[list[int]] | None:
        """What the model allows of each class, if that is a bound on every value."""
        return column.limits(self.model, self.sizes)

    def weights(self, arrangements: Arrangements, column: SensitiveColumn) -> list[Any]:
        """1 where some class violates."""
        fine = np.ones(len(arrangements), dtype=bool)
        for part in range(len(self.sizes)):
            fine &= met_by(self.model, column, self.table_counts, arrangements[:, part])
        return [int(not row) for row in fine.tolist()]

    def shares(self, column: SensitiveColumn, *, exact: bool = False, budget: int = BUDGET) -> list[dict[Any, Any]]:
        """Engine E1; where a class cannot satisfy the model however the values lie, the merge tells nothing."""
        limits = SideLimits.of(self.model)
        of_group = dict(zip(column.values, column.counts, strict=True))
        if limits is None:
            hopeless = cannot_satisfy(self.model, self.sizes, column)
        else:
            hopeless = any(limits.cannot_pass(size, of_group) for size in self.sizes)
        if hopeless:
            return Plain(self.sizes).shares(column, exact=exact)
        if limits is None and cannot_violate(self.model, self.sizes, column):
            raise nothing_forced()
        return merged_classes(
            self.sizes,
            dict(zip(column.values, column.counts, strict=True)),
            self.model,
            table_counts=by_value(self.table_counts),
            exact=exact,
            budget=budget,
        )

    def reason(self, part: int, value: Any, names: Sequence[str]) -> Message:  # noqa: ARG002
        """The minimality attack."""
        return Message(
            "the group has {sizes} kinds of people, each with quasi-identifiers of its own, and one kind is "
            "{names}. This attacker reasons: if every kind by itself satisfied {label}, the kinds "
            "would have been published apart. They were not, so at least one does not, and any other case is excluded",
            sizes=len(self.sizes),
            names=names[part],
            label=self.model.label,
        )


@dataclass(frozen=True)
class Buckets(ModelShape):
    """A group of greedy grouping: it took another bucket because the rows so far did not satisfy the model."""

    sizes: tuple[int, ...]
    model: PrivacyModel
    p: Fraction
    table_counts: tuple[tuple[Any, int], ...]

    def weights(self, arrangements: Arrangements, column: SensitiveColumn) -> list[Any]:
        """P for every bucket before the last after which the rows so far satisfy the model."""
        so_far = arrangements.cumsum(axis=1)
        weights: list[Any] = [Fraction(1)] * len(arrangements)
        for bucket in range(len(self.sizes)):
            met = met_by(self.model, column, self.table_counts, so_far[:, bucket]).tolist()
            last = bucket == len(self.sizes) - 1
            weights = [w * (int(ok) if last else self.p if ok else 1) for w, ok in zip(weights, met, strict=True)]
        return weights

    def shares(self, column: SensitiveColumn, *, exact: bool = False, budget: int = BUDGET) -> list[dict[Any, Any]]:
        """Engine E3."""
        return greedy_buckets(
            self.sizes[0],
            len(self.sizes),
            dict(zip(column.values, column.counts, strict=True)),
            self.p,
            model=self.model,
            table_counts=by_value(self.table_counts),
            exact=exact,
            budget=budget,
        )

    def reason(self, part: int, value: Any, names: Sequence[str]) -> Message:  # noqa: ARG002
        """The early buckets did not satisfy."""
        if len(self.sizes) == 1:
            return Message(
                "the group is one bucket, {names}, which satisfied {label} at once",
                names=names[part],
                label=self.model.label,
            )
        ruled_out = "is less likely" if self.p else "is excluded"
        return Message(
            "the group took {sizes} buckets, of which {names} are number {part}; it would have ended "
            "earlier had the rows so far satisfied {label}, so whatever would make them satisfy it "
            "before the last bucket {ruled_out}",
            sizes=len(self.sizes),
            names=names[part],
            part=part + 1,
            label=self.model.label,
            ruled_out=ruled_out,
        )
