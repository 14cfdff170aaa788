"""The worlds that fit published groups are all of them, each once: every way to give every row a person was tried."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any, cast

import numpy as np
import pytest

from pellucid.risk.inference.worlds_that_fit import worlds_that_fit
from pellucid.risk.views import Evidence

Cell = tuple[int, int]  # a group and a value that it has
NOBODY = -1


@dataclass(frozen=True)
class Read:
    """What is read off a release: the groups that everybody may be in, and how many rows of a group have a value."""

    fitting: list[list[int]]
    rows: list[dict[int, int]]

    @classmethod
    def drawn(cls, random: Random) -> Read:
        groups = random.randint(1, 3)
        rows = [
            {v: random.choice([1, 1, 2]) for v in random.sample(range(3), random.randint(1, 2))} for _ in range(groups)
        ]
        people = max(1, sum(sum(one.values()) for one in rows) + random.choice([-1, 0, 0, 1, 1]))
        return cls([random.sample(range(groups), random.randint(0, groups)) for _ in range(min(people, 6))], rows)

    @property
    def people(self) -> list[list[int]]:
        return self.fitting

    @property
    def published(self) -> list[dict[int, int]]:
        return self.rows

    def groups_of(self, person: int) -> list[int]:
        return self.fitting[person]

    def counts(self, group: int) -> Any:
        codes = sorted(self.rows[group])
        return np.array(codes), np.array([self.rows[group][code] for code in codes])


def plainly(read: Read) -> list[tuple[int, ...]]:
    """Everybody in any cell of a group that covers them, or in none; as often as there are rows."""
    wanted = Counter({(group, code): n for group, one in enumerate(read.rows) for code, n in one.items()})
    cells: list[list[Cell | None]] = [[None, *(cell for cell in wanted if cell[0] in of)] for of in read.fitting]
    found = {
        tuple(NOBODY if cell is None else cell[1] for cell in ways)
        for ways in product(*cells)
        if Counter(cell for cell in ways if cell is not None) == wanted
    }
    return sorted(found)


@pytest.mark.parametrize("part", range(4), ids="part {}".format)
def test_they_are_all_that_fit(part: int) -> None:
    random = Random(part)
    reads = [Read.drawn(random) for _ in range(60)]
    expected = [plainly(read) for read in reads]
    assert [worlds_that_fit(cast("Evidence", read), 10_000) for read in reads] == expected
    assert sum(map(bool, expected)) > 5
    assert any(NOBODY in world for worlds in expected for world in worlds)


def test_too_many_are_none() -> None:
    read = Read([[0]] * 6, [{0: 3, 1: 3}])
    assert len(plainly(read)) == 20
    assert len(worlds_that_fit(cast("Evidence", read), 20) or []) == 20
    assert worlds_that_fit(cast("Evidence", read), 19) is None
