"""Combinatorial refinement: the bounds are those over all tables that the rounds publish alike."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, product
from random import Random

import polars as pl
import pytest

from pellucid.core.schema import Column, Schema
from pellucid.errors import AttackError
from pellucid.io import read
from pellucid.models.k_anonymity import KAnonymity
from pellucid.risk.attacks.generalisation_nodes import Box, NodeTree
from pellucid.risk.attacks.refinement import cell_of, recode_in_rounds, refine, refinement
from pellucid.risk.views.known_groups import evidence_of_groups

DEEP = NodeTree.of({"*": {"l": ["l1", "l2"], "r": ["r1", "r2"]}})
WIDE = NodeTree.of({"*": {"l": ["l1", "l2", "l3"], "r": ["r1"]}})
FLAT = NodeTree.of({"*": ["x", "y"]})
SETTINGS = [
    ([DEEP], [(0,), (1,), (2,)]),
    ([WIDE], [(0,), (1,), (2,)]),
    ([DEEP, FLAT], [(0, 0), (1, 0), (0, 1), (2, 1)]),  # rounds that are not nested: classes share cells
    ([FLAT, FLAT], [(0, 0), (1, 0), (0, 1), (1, 1)]),
]


def leaves(tree: NodeTree) -> list[str]:
    return [node for node, below in tree.children.items() if not below]


def shown(trees: list[NodeTree], rounds: list[tuple[int, ...]], table: tuple[Box, ...], k: int) -> Counter[object]:
    return Counter(recode_in_rounds(trees, rounds, table, k))


@pytest.mark.parametrize("seed", range(80))
def test_bounds_equal_the_enumeration_of_tables(seed: int) -> None:
    random = Random(seed)
    trees, rounds = SETTINGS[seed % len(SETTINGS)]
    k = random.choice([2, 3])
    vectors = list(product(*map(leaves, trees)))
    while True:
        table = tuple(random.choice(vectors) for _ in range(random.randint(k, 6)))
        release = shown(trees, rounds, table, k)
        if None not in release and len({box for _, box in release}) == len(release):
            break
    boxes = [box for _, box in release]
    told = refine(trees, rounds, boxes, list(release.values()), k=k)
    alike = [
        other
        for other in combinations_with_replacement(vectors, len(table))
        if shown(trees, rounds, other, k) == release
    ]
    assert alike
    for (number, box), one in zip(release, told, strict=True):
        assert one.exact
        numbers: dict[Box, list[int]] = {}
        for earlier in rounds[:number]:
            for cell in {cell_of(trees, leaf, earlier) for leaf in vectors}:
                counts = []
                for other in alike:
                    places = recode_in_rounds(trees, rounds, other, k)
                    counts.append(
                        sum(
                            place == (number, box) and cell_of(trees, leaf, earlier) == cell
                            for leaf, place in zip(other, places, strict=True)
                        )
                    )
                numbers[cell] = counts
        assert one.at_least == {cell: min(n) for cell, n in numbers.items() if min(n)}
        assert {cell: n for cell, n in one.at_most.items() if n} == {
            cell: max(n) for cell, n in numbers.items() if max(n)
        }


def test_six_rows_in_three_cells_of_at_most_two_are_two_in_each() -> None:
    told = refine([WIDE], [(0,), (1,)], [("l",)], [6], k=3)[0]
    assert told.at_least == {("l1",): 2, ("l2",): 2, ("l3",): 2}
    assert told.certain([WIDE]) == 6


def test_a_search_that_is_cut_short_is_sound_and_says_so() -> None:
    trees, rounds = SETTINGS[2]
    exact = refine(trees, rounds, [("l", "x"), ("*", "*")], [3, 4], k=3)
    rough = refine(trees, rounds, [("l", "x"), ("*", "*")], [3, 4], k=3, budget=0)
    assert not any(one.exact for one in rough)
    for tight, wide in zip(exact, rough, strict=True):
        assert all(wide.at_least.get(c, 0) <= n for c, n in tight.at_least.items())
        assert all(wide.at_most[c] >= n for c, n in tight.at_most.items())


def test_counts_that_no_table_has_raise() -> None:
    with pytest.raises(AttackError, match="not made in these rounds"):
        refine([WIDE], [(0,), (1,)], [("l",)], [7], k=3)  # three cells of at most two rows
    with pytest.raises(AttackError, match="no round publishes"):
        refine([WIDE], [(0,)], [("l",)], [3], k=3)


TREE = {"*": {"thirties": ["30", "31", "32"], "forties": ["40", "41"]}}
SCHEMA = Schema(
    columns={
        "age": Column(role="quasi", kind="category", taxonomy={"tree": TREE}),
        "s": Column(role="sensitive"),
    }
)
AGES = ["30", "30", "31", "31", "32", "32", "40", "40", "40"]


def test_a_clinics_release_is_refined() -> None:
    table = read(pl.DataFrame({"age": AGES, "s": ["x"] * 9}), schema=SCHEMA)
    evidence = evidence_of_groups(table, [0] * 6 + [1] * 3, model=KAnonymity(k=3))
    found = refinement(evidence, rounds=[(0,), (1,)])
    # the six thirties are two of each age; the three of forty were published as they are
    assert (found.figure, found.baseline) == (pytest.approx(6 / 9), 0.0)
    assert found.exposed.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_release_that_was_made_otherwise_raises() -> None:
    table = read(pl.DataFrame({"age": AGES, "s": ["x"] * 9}), schema=SCHEMA)
    with pytest.raises(AttackError, match="nothing to stand on"):
        refinement(evidence_of_groups(table, [0] * 5 + [1] * 4), rounds=[(0,), (1,)], k=3)
    with pytest.raises(AttackError, match="give it as k="):
        refinement(evidence_of_groups(table, [0] * 6 + [1] * 3), rounds=[(0,), (1,)])
    with pytest.raises(AttackError, match="give a level"):
        refinement(evidence_of_groups(table, [0] * 6 + [1] * 3), rounds=[(0, 1)], k=3)
