"""What GreedyGrouping, RandomizedGreedyGrouping and SymmetricGrouping share: groups of consecutive rows of a line."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.sequence import Order
from pellucid.anonymize.method import Deciding
from pellucid.anonymize.requirement import L_MEANING, ModelMethod
from pellucid.core.table import Attribute, Codes
from pellucid.kernels import consecutive as kernel
from pellucid.kernels import keyed
from pellucid.messages import Message
from pellucid.models import Groups, PrivacyModel
from pellucid.models.l_diversity import LDiversity
from pellucid.models.sensitive import DiversityModel, SomeValues, codes_of

Longs = NDArray[np.int64]
Holds = Callable[[Groups], NDArray[np.bool_]]

ENTRIES = 1 << 20  # counts that are looked at together
AHEAD = 8  # groups of at most so many buckets are looked for from many places at once


class ConsecutiveMethod(ModelMethod):
    """A method that sorts the rows by quasi-identifiers and makes groups of consecutive ones."""

    one_only: ClassVar[str] = "whoever takes buckets until a model holds takes them for one"

    l: int | None = Field(default=None, ge=1, description=L_MEANING)
    binary: SomeValues = Field(
        default=None, min_length=1, description="the sensitive values that count, together as one; all when not given"
    )
    order: Order = Field(
        default="lexicographic",
        description="how the rows are sorted: lexicographic, by column after column, or hilbert, along a Hilbert curve",
    )

    @property
    def order_decides(self) -> Deciding:
        """The line is sorted by vectors, and then by row order."""
        return "rows that look alike"

    @model_validator(mode="after")
    def _binary_fits(self) -> Self:
        if self.binary is None or self.model is None:
            return self
        if not isinstance(self.model, DiversityModel):
            raise ValueError(f"binary goes with l or a model of diversity; {self.model.label} looks at every value")
        if self.model.sensitive is not None:
            raise ValueError("binary and the model both name the values that count; name them once")
        return self

    @property
    def required(self) -> PrivacyModel:
        """The model that every group satisfies; ``binary`` makes it count one event."""
        model = super().required
        if self.binary is None:
            return model
        given = {name: getattr(model, name) for name in model.model_fields_set}
        return type(model)(**given | {"sensitive": self.binary, "together": True})

    @property
    def plain_l(self) -> int | None:
        """The l of simple l-diversity of every value; None where another model or only some values are asked for."""
        model = self.required
        return model.l if isinstance(model, LDiversity) and model.sensitive is None else None


def frequency_sentence(model: LDiversity, name: str) -> Message:
    """What l-diversity bounds for somebody who does not know the method."""
    event = f"names any one person's {name}"
    if model.sensitive is not None:
        joint = "or" if model.together else "and"
        values = ["null" if value is None else repr(value) for value in model.sensitive]
        listed = values[0] if len(values) == 1 else f"{', '.join(values[:-1])} {joint} {values[-1]}"
        single = "" if model.together or len(values) == 1 else "each single one of "
        event = f"believes any one person's {name} to be {single}{listed}"
    return Message(
        "Somebody who does not know the method {event} with probability at most 1/{l}.", event=event, l=model.l
    )


def bucket_of(model: PrivacyModel) -> int:
    """How many rows a model takes at a time: its l or its k, where it has one, else 2."""
    for name in ("l", "k"):
        number = getattr(model, name, None)
        if number is not None:
            rows: int = ceil(number)
            return rows
    return 2


def counted(model: LDiversity, codes: Codes, attribute: Attribute) -> tuple[Codes, int]:
    """The codes as l-diversity counts them: -1 where nobody protects the value; and how many there are."""
    if model.sensitive is None:
        return codes, len(attribute)
    protected = codes_of(model.sensitive, attribute)
    becomes = np.full(len(attribute), -1, np.int32)
    becomes[protected] = 0 if model.together else np.arange(len(protected))
    return becomes[codes], 1 if model.together else len(protected)


def greedy_ends(
    model: PrivacyModel,
    bucket: int,
    codes: Codes,
    attribute: Attribute,
    orders: Longs,
    *,
    p: float,
    key: tuple[int, int],
) -> Longs:
    """Where the groups end: each at the first bucket at which the model holds and the coin does not say to go on."""
    below = int(p * 2**63)
    if isinstance(model, LDiversity):
        seen, distinct = counted(model, codes, attribute)
        ends = np.empty(len(codes) // bucket, np.int64)
        count = kernel.greedy(seen, orders, model.l, bucket, *key, below, np.zeros(distinct, np.int64), ends)
        return ends[:count]
    last = np.ascontiguousarray(orders[bucket - 1 :: bucket])
    coins = np.empty(len(last), np.int64)
    keyed.hash_words(*key, last, coins)
    closes = coins >= below if below < 2**63 else np.zeros(len(last), bool)
    closes[-1:] = True  # nothing follows
    return Prefixes(model.met, codes, attribute, bucket).ends(closes)


class Prefixes:
    """Asks any model about the first so many buckets of a group, many at a time."""

    def __init__(self, holds: Holds, codes: Codes, attribute: Attribute, bucket: int) -> None:
        self.holds, self.codes, self.attribute, self.bucket = holds, np.ascontiguousarray(codes), attribute, bucket
        self.table_counts = np.bincount(codes, minlength=len(attribute)).astype(np.int64)
        self.counts = np.zeros(len(attribute), np.int64)
        self.present = np.empty(len(attribute), np.int32)

    def which(self, firsts: Longs, fewest: int, most: int) -> NDArray[np.bool_]:
        """Whether the model holds for the first fewest..most buckets from each of these; one line per first."""
        windows = len(firsts) * (most - fewest + 1)
        room = len(firsts) * self.room(fewest, most)
        sizes, starts = np.empty(windows, np.int64), np.empty(windows + 1, np.int64)
        codes, counts = np.empty(room, np.int32), np.empty(room, np.int64)
        places = np.ascontiguousarray(firsts) * self.bucket
        entries = kernel.prefixes(
            self.codes, places, self.bucket, fewest, most, self.counts, self.present, sizes, starts, codes, counts
        )
        groups = Groups(sizes, starts, codes[:entries], counts[:entries], self.table_counts, self.attribute)
        return self.holds(groups).reshape(len(firsts), -1)

    def room(self, fewest: int, most: int) -> int:
        """The most counts that prefixes of fewest..most buckets have."""
        return int(np.minimum(np.arange(fewest, most + 1) * self.bucket, len(self.attribute)).sum())

    def length(self, first: int, closes: NDArray[np.bool_], guess: int) -> int:
        """How many buckets the group that begins here takes; 0 when none is enough."""
        fewest, left = 1, len(closes) - first
        while fewest <= left:
            most = min(left, fewest + guess - 1)
            while most > fewest and self.room(fewest, most) > ENTRIES:
                most = (fewest + most) // 2
            fits = self.which(np.array([first]), fewest, most)[0] & closes[first + fewest - 1 : first + most]
            if fits.any():
                return fewest + int(fits.argmax())
            fewest, guess = most + 1, 2 * guess
        return 0

    def lengths(self, first: int, closes: NDArray[np.bool_]) -> list[int]:
        """The same for many places from here on, where it is at most AHEAD; 0 elsewhere."""
        stretch = max(1, ENTRIES // 8 // self.room(1, AHEAD))
        firsts = np.arange(first, min(first + stretch, len(closes) - AHEAD + 1))
        fits = self.which(firsts, 1, AHEAD) & closes[firsts[:, None] + np.arange(AHEAD)]
        return [int(length) for length in np.where(fits.any(axis=1), fits.argmax(axis=1) + 1, 0)]

    def ends(self, closes: NDArray[np.bool_]) -> Longs:
        """Where the groups end, given at which buckets one may close."""
        ends: list[int] = []
        at, typical = 0, 1.0
        ahead: list[int] = []
        base = 0
        while at < len(closes):
            if at - base >= len(ahead) and typical <= AHEAD / 2 and at + AHEAD <= len(closes):
                base, ahead = at, self.lengths(at, closes)
            length = ahead[at - base] if at - base < len(ahead) else 0
            length = length or self.length(at, closes, ceil(typical))
            if length == 0:
                break
            at += length
            typical += (length - typical) / 8
            ends.append(at * self.bucket)
        return np.array(ends, np.int64)


def symmetric_ends(model: PrivacyModel, codes: Codes, attribute: Attribute) -> Longs:
    """Where the groups end: halves of halves, while the model holds for both."""
    if isinstance(model, LDiversity):
        seen, distinct = counted(model, codes, attribute)
        ends = np.empty(len(codes), np.int64)
        return ends[: kernel.halves(seen, model.l, np.zeros(distinct, np.int64), ends)]
    done: list[Longs] = []
    firsts, lasts = np.array([0]), np.array([len(codes)])
    while len(firsts):
        whole = lasts - firsts < 2
        done.append(lasts[whole])
        firsts, lasts = firsts[~whole], lasts[~whole]
        if not len(firsts):
            break
        middles = firsts + (lasts - firsts + 1) // 2
        labels = np.full(len(codes), -1, np.int32)
        halves = np.column_stack([firsts, middles, lasts])
        for half in (0, 1):
            sizes = halves[:, half + 1] - halves[:, half]
            before = np.append(0, np.cumsum(sizes)[:-1])
            places = np.repeat(halves[:, half] - before, sizes) + np.arange(sizes.sum())
            labels[places] = np.repeat(np.arange(half, 2 * len(firsts), 2, dtype=np.int32), sizes)
        both = model.met(Groups.of(labels, codes, attribute)).reshape(-1, 2).all(axis=1)
        done.append(lasts[~both])
        firsts, lasts = (
            np.column_stack([firsts[both], middles[both]]).ravel(),
            np.column_stack([middles[both], lasts[both]]).ravel(),
        )
    return np.sort(np.concatenate(done)).astype(np.int64)


def as_grouping(rows: Codes, ends: Longs) -> Grouping:
    """The groups of a line that end here, at least one; the rows after the last are suppressed."""
    return Grouping(rows[: ends[-1]].copy(), np.append(0, ends).astype(np.int64), len(rows))
