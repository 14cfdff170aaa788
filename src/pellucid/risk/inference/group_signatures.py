"""Groups of the same kind tell the same, so each kind is computed once: a whole table at a time, without a loop.

The kind of a group is its shape and its sensitive counts. Where the shape treats all values alike, only how large the
counts are matters; where it looks at one event, only how many rows have it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.models import Groups
from pellucid.models.l_diversity import LDiversity
from pellucid.models.sensitive import codes_of
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.generalized import Generalized
from pellucid.posterior.shape import Likelihood, Shape
from pellucid.risk.views import Evidence

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
EVENT, OTHERS = "the event", "anything else"


@dataclass(frozen=True, eq=False)
class Kinds:
    """``of_group[g]`` numbers the kind of group g; ``example[kind]`` is a group of it."""

    of_group: Longs
    example: Longs

    def __len__(self) -> int:
        """How many kinds there are."""
        return len(self.example)


def kinds_of(likelihood: Likelihood, published: Groups, groups: Longs, *, symmetric: bool) -> Kinds:
    """The kinds of some groups: by shape and counts, and by which value has which count unless ``symmetric``."""
    sizes = published.distinct[groups]
    starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    entries = np.repeat(published.starts[groups] - starts[:-1], sizes) + np.arange(starts[-1])
    counts = published.counts[entries]
    most = int(counts.max(initial=0)) + 1
    if symmetric:
        owner = np.repeat(np.arange(len(groups), dtype=np.int64), sizes)
        words = np.sort(owner * most + (most - 1 - counts)) - owner * most
    else:
        words = published.codes[entries].astype(np.int64) * most + counts
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
    hashed = np.add.reduceat(_mixed(_mixed(words) + place.astype(np.uint64)), starts[:-1])
    hashed = _mixed(hashed ^ _mixed(likelihood.of_group[groups].astype(np.int64)))
    _, first, of_group = np.unique(hashed, return_index=True, return_inverse=True)
    same = _same(words, starts, sizes, likelihood.of_group[groups], first[of_group])
    strangers = np.flatnonzero(~same)  # two kinds with one hash: whoever is not like its example is a kind of its own
    of_group[strangers] = len(first) + np.arange(len(strangers))
    return Kinds(of_group.astype(np.int64), groups[np.append(first, strangers)])


def _mixed(words: NDArray[Any]) -> NDArray[np.uint64]:
    """Numbers scattered over 64 bits (splitmix64)."""
    x = words.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


def _same(words: Longs, starts: Longs, sizes: Longs, shapes: NDArray[np.int32], example: Longs) -> NDArray[np.bool_]:
    """Whether each group is exactly like its example."""
    like = (sizes == sizes[example]) & (shapes == shapes[example])
    fit = np.where(like, example, np.arange(len(sizes)))
    theirs = np.repeat(starts[:-1][fit] - starts[:-1], sizes) + np.arange(starts[-1])
    return np.asarray(like & np.logical_and.reduceat(words == words[theirs], starts[:-1]))


@dataclass(frozen=True, eq=False)
class Event:
    """How often an event occurs in each group, and how often the most frequent value inside and outside of it does."""

    has: NDArray[np.bool_]  # by value of the groups: whether it is one of the event
    positives: Longs
    largest: Longs
    largest_other: Longs

    @classmethod
    def of(cls, codes: Longs, published: Groups) -> Event:
        """Count it."""
        inside = np.zeros(len(published.table_counts), dtype=bool)
        inside[codes] = True
        has = inside[published.codes]
        firsts = published.starts[:-1]
        having, others = np.where(has, published.counts, 0), np.where(has, 0, published.counts)
        return cls(
            has,
            np.add.reduceat(having, firsts),
            np.maximum.reduceat(having, firsts),
            np.maximum.reduceat(others, firsts),
        )

    def rows(self, counts: Longs, published: Groups) -> tuple[Longs, Longs]:
        """Of these counts, by value of the groups, the sum inside the event and outside of it."""
        firsts = published.starts[:-1]
        inside, outside = np.where(self.has, counts, 0), np.where(self.has, 0, counts)
        return np.add.reduceat(inside, firsts), np.add.reduceat(outside, firsts)

    def most_frequent(self, published: Groups) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Each group's most frequent code inside the event and outside of it, the first of several.

        Where a group has none inside, or none outside, it is any of its codes.
        """
        most = np.repeat(self.largest, published.distinct), np.repeat(self.largest_other, published.distinct)
        return (
            first_code(published, self.has & (published.counts == most[0])),
            first_code(published, ~self.has & (published.counts == most[1])),
        )


def first_code(published: Groups, chosen: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Each group's first code that is chosen; its last one where none is."""
    place = np.where(chosen, np.arange(len(chosen)), np.repeat(published.starts[1:] - 1, published.distinct))
    return published.codes[np.minimum.reduceat(place, published.starts[:-1])]


def frequent_first(published: Groups) -> Longs:
    """The values of all groups, those of each the most frequent ones first, and of equally frequent ones the first."""
    return np.lexsort((-published.counts, published.groups_of_entries))  # which keeps codes in ascending order


def event_model(shape: Shape) -> LDiversity | None:
    """The model of a shape that looks at one event alone; None for others."""
    model = getattr(shape, "model", None)
    if isinstance(model, LDiversity) and model.sensitive is not None:
        return model if model.together or len(set(model.sensitive)) == 1 else None
    return None


def event_codes(model: LDiversity, evidence: Evidence) -> Longs:
    """The sensitive codes of the event."""
    assert model.sensitive is not None
    return np.asarray(codes_of(model.sensitive, evidence.attribute))


def of_event(shape: Shape, model: LDiversity) -> Shape:
    """The same shape for a column that says nothing but whether the event is there."""
    table = ((EVENT, 1), (OTHERS, 1))
    if isinstance(shape, Generalized):
        texts = {str(value) for value in model.sensitive or ()}
        has = [sum(n for value, n in own if str(value) in texts) for own in shape.kept]
        totals = [sum(n for _, n in own) for own in shape.kept]
        kept = tuple(((EVENT, h), (OTHERS, total - h)) for h, total in zip(has, totals, strict=True))
        shape = replace(shape, kept=kept)
    return replace(shape, model=LDiversity(l=model.l, sensitive=(EVENT,)), table_counts=table)  # type: ignore[type-var,unused-ignore]


def event_column(positives: int, size: int) -> SensitiveColumn:
    """So many rows with the event."""
    return SensitiveColumn([EVENT, OTHERS], [positives, size - positives])
