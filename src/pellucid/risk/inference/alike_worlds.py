"""Worlds by the rows that they have: exchanges of values among people who look alike make no other world."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise, product

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping
from pellucid.core.table import Codes
from pellucid.posterior.worlds import number_of_worlds
from pellucid.runtime.records import record

Counts = tuple[int, ...]
Dealt = dict[int, int]


@record(eq=False)
class AlikeWorlds:
    """Of each group the parts of people who look alike, and how often it has each value.

    Iterating gives a world of every kind, what each part has in it, and how many worlds are of that kind.

    >>> looks, truth = np.array([0, 0, 1]), np.array([0, 1, 1], np.int32)
    >>> kinds = AlikeWorlds.of(Grouping.from_labels(np.zeros(3, np.int32)), looks, truth)
    >>> kinds.number_up_to(9), kinds.worlds, [(world.tolist(), ways) for world, _, ways in kinds]
    (2, 3, [([1, 1, 0], 1), ([0, 1, 1], 2)])
    """

    parts: Sequence[NDArray[np.int64]]
    parts_of: Sequence[Sequence[int]]  # of each group
    values: Sequence[Mapping[int, int]]  # of each group

    @classmethod
    def of(cls, grouping: Grouping, looks: NDArray[np.int64] | Codes, truth: Codes) -> AlikeWorlds:
        """Those of one true table."""
        parts: list[NDArray[np.int64]] = []
        parts_of, values = [], []
        for a, b in pairwise(grouping.starts):
            members = np.sort(grouping.members[a:b]).astype(np.int64)
            mine = [members[looks[members] == look] for look in dict.fromkeys(looks[members].tolist())]
            parts_of.append(range(len(parts), len(parts) + len(mine)))
            parts += mine
            values.append(dict(Counter(truth[members].tolist())))
        return cls(parts, parts_of, values)

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return len(self.values)

    @property
    def worlds(self) -> int:
        """How many worlds there are."""
        return math.prod(number_of_worlds(sum(held.values()), held) for held in self.values)

    @property
    def nobody(self) -> bool:
        """Whether nobody looks like anybody else."""
        return all(len(members) == 1 for members in self.parts)

    def number_up_to(self, most: int) -> int:
        """How many kinds of worlds there are, where these are no more than so many; else more than that."""
        number = 1
        for group in range(self.groups):
            number *= sum(1 for _ in islice(self._of_group(group), most + 1))
            if number > most:
                break
        return number

    def __iter__(self) -> Iterator[tuple[Codes, list[Dealt], int]]:
        world = np.zeros(sum(map(len, self.parts)), np.int32)
        ways_of = [list(self._of_group(group)) for group in range(self.groups)]
        for chosen in product(*ways_of):
            held = [of_part for of_group, _ in chosen for of_part in of_group]
            for members, some in zip(self.parts, held, strict=True):
                world[members] = np.repeat(list(some), list(some.values()))
            yield world.copy(), held, math.prod(ways for _, ways in chosen)

    def _of_group(self, group: int) -> Iterator[tuple[list[Dealt], int]]:
        """What the parts of a group have, and in how many ways that is handed out to their people."""
        codes, sizes = list(self.values[group]), [len(self.parts[part]) for part in self.parts_of[group]]

        def deal(part: int, left: Counts) -> Iterator[list[Counts]]:
            if part == len(sizes):
                yield []
                return
            for taken, rest in dealt(sizes[part], left):
                for others in deal(part + 1, rest):
                    yield [taken, *others]

        for taken in deal(0, tuple(self.values[group].values())):
            ways = math.prod(number_of_worlds(size, dict(enumerate(of))) for size, of in zip(sizes, taken, strict=True))
            yield [{code: n for code, n in zip(codes, of, strict=True) if n} for of in taken], ways

    def exchanged(self, world: Codes, random: np.random.Generator) -> Codes:
        """The world with the values of those who look alike in a new order."""
        other = world.copy()
        for members in self.parts:
            other[members] = random.permutation(world[members])
        return other


def dealt(size: int, left: Counts) -> Iterator[tuple[Counts, Counts]]:
    """Every choice of so many of what is left, and what is left then.

    >>> list(dealt(1, (1, 2)))
    [((0, 1), (1, 1)), ((1, 0), (0, 2))]
    """
    if not left:
        if size == 0:
            yield (), ()
        return
    for first in range(max(0, size - sum(left[1:])), min(size, left[0]) + 1):
        for taken, rest in dealt(size - first, left[1:]):
            yield (first, *taken), (left[0] - first, *rest)
