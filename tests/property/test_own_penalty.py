"""A penalty of one's own: the perimeter gives Tailor's groups, a trade inside groups changes none, others are told."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.own_penalty import PenaltyTailor
from pellucid.core.coins import Coins


class Perimeters(PenaltyTailor):
    name: ClassVar[str] = "perimeters"

    def penalty(self, rows: Any, extents: Any) -> Any:
        return rows * extents.sum(axis=0)


class Squares(PenaltyTailor):
    name: ClassVar[str] = "squares"

    def penalty(self, rows: Any, extents: Any) -> Any:
        return rows * (extents**2).sum(axis=0)


class Shrinking(PenaltyTailor):
    name: ClassVar[str] = "shrinking"

    def penalty(self, rows: Any, extents: Any) -> Any:  # noqa: ARG002
        return np.ones(len(rows))


TREE = {"*": {"north": ["oslo", "riga"], "south": {"west": ["rome"], "east": ["sofia", "izmir"]}}}


def drawn(random: Random, rows: int) -> pc.Table:
    frame = pl.DataFrame(
        {
            "name": random.sample(range(1000), rows),
            "age": [random.choice([None, *range(20, 50)]) for _ in range(rows)],
            "town": random.choices(["oslo", "riga", "rome", "sofia", "izmir"], k=rows),
            "job": random.choices("uvwx", k=rows),
            "ill": random.choices("abcdefgh", k=rows),
        }
    )
    columns = {"name": pc.Column(role="identifier"), "ill": pc.Column(role="sensitive")}
    columns |= {"age": pc.Column(role="quasi"), "job": pc.Column(role="quasi")}
    columns["town"] = pc.Column(role="quasi", taxonomy={"tree": TREE})
    return pc.read(frame, schema=pc.Schema(columns=columns))


def parts(grouping: Any) -> set[tuple[int, ...]]:
    return {tuple(sorted(grouping.members[a:b].tolist())) for a, b in pairwise(grouping.starts)}


@pytest.mark.parametrize("seed", range(40))
def test_the_perimeter_gives_the_groups_of_tailor(seed: int) -> None:
    random = Random(seed)
    table = drawn(random, random.choice([12, 30, 80]))
    for given in ({"l": 2}, {"model": "entropy l-diversity=2"}):
        try:
            expected = pc.Tailor(**given).group(table, Coins.from_seed(seed))
        except pc.PellucidError:
            continue
        assert parts(Perimeters(**given).group(table, Coins.from_seed(seed))) == parts(expected)


@pytest.mark.parametrize("seed", range(20))
def test_who_of_a_group_has_which_value_decides_nothing(seed: int) -> None:
    random = Random(f"trade {seed}")
    table = drawn(random, 40)
    (column,) = [i for i, attribute in enumerate(table.attributes) if attribute.name == "ill"]
    made = Squares(l=2).group(table, Coins.from_seed(1))
    codes = table.codes[column].copy()
    for part in parts(made):
        rows = list(part)
        codes[rows] = codes[random.sample(rows, len(rows))]
    traded = [codes if i == column else one for i, one in enumerate(table.codes)]
    assert parts(
        Squares(l=2).group(pc.Table(table.attributes, tuple(traded), order=table.order), Coins.from_seed(1))
    ) == parts(made)


def test_a_penalty_that_a_cut_raises_is_refused() -> None:
    with pytest.raises(pc.MethodError, match=r"rises from 1 to 2 where .* rows are cut: it is not superadditive"):
        Shrinking(l=2).group(drawn(Random(1), 60), Coins.from_seed(1))
