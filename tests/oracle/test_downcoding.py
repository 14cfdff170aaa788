"""Downcoding never excludes a table that leads to the release, and for one box excludes everything else."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import polars as pl
import pytest

from pellucid.core.schema import Column, Schema
from pellucid.errors import AttackError
from pellucid.io import read
from pellucid.models.k_anonymity import KAnonymity
from pellucid.risk.attacks.downcoding import downcode, downcoding
from pellucid.risk.attacks.generalisation_nodes import Box, NodeTree, narrower, within
from pellucid.risk.views.known_groups import evidence_of_groups

REGION = NodeTree.of({"*": ["north", "south"]})
THREE = NodeTree.of({"*": ["a", "b", "c"]})
DEEP = NodeTree.of({"*": {"l": ["l1", "l2"], "r": ["r1", "r2"]}})


def below(tree: NodeTree, node: str) -> list[str]:
    """All leaves of a node."""
    return [node] if not tree.children[node] else [leaf for child in tree.children[node] for leaf in below(tree, child)]


def minimal(trees: list[NodeTree], world: tuple[Box, ...], shown: list[Box], k: int) -> bool:
    """By trying every way to narrow the boxes of any rows."""
    ways = []
    for leaf, box in zip(world, shown, strict=True):
        paths = [
            tree.path(value)[: tree.path(value).index(node) + 1]
            for tree, value, node in zip(trees, leaf, box, strict=True)
        ]
        ways.append(list(product(*paths)))
    finer = (choice for choice in product(*ways) if list(choice) != shown)
    return not any(min(Counter(choice).values()) >= k for choice in finer)


def enumerated(trees: list[NodeTree], boxes: list[Box], rows: list[int], k: int) -> list[list[list[Box]]]:
    """The rows of each box in every table for which the release is minimal."""
    shown = [box for box, n in zip(boxes, rows, strict=True) for _ in range(n)]
    leaves = [list(product(*(below(t, node) for t, node in zip(trees, box, strict=True)))) for box in shown]
    found = []
    for world in product(*leaves):
        parts, start = [], 0
        for n in rows:
            parts.append(list(world[start : start + n]))
            start += n
        if all(part == sorted(part) for part in parts) and minimal(trees, world, shown, k):
            found.append(parts)
    return found


def bounds(
    trees: list[NodeTree], tables: list[list[list[Box]]], number: int, targets: list[Box]
) -> tuple[dict[Box, int], dict[Box, int]]:
    held = {t: [sum(within(trees, leaf, t) for leaf in table[number]) for table in tables] for t in targets}
    return {t: min(n) for t, n in held.items() if min(n)}, {t: max(n) for t, n in held.items()}


@pytest.mark.parametrize(
    ("trees", "box"),
    [
        ([REGION], ("*",)),
        ([THREE], ("*",)),
        ([DEEP], ("*",)),
        ([REGION, REGION], ("*", "*")),
        ([REGION, THREE], ("north", "*")),
    ],
)
@pytest.mark.parametrize(("k", "n"), [(2, 2), (2, 3), (3, 3), (3, 4), (2, 4), (4, 4)])
def test_one_box_is_downcoded_as_far_as_possible(trees: list[NodeTree], box: Box, k: int, n: int) -> None:
    tables = enumerated(trees, [box], [n], k)
    if not tables:
        with pytest.raises(AttackError, match="not minimal"):
            downcode(trees, [box], [n], k=k)
        return
    told = downcode(trees, [box], [n], k=k)[0]
    least, most = bounds(trees, tables, 0, narrower(trees, box))
    assert told.at_least == least
    assert told.at_most == most


@pytest.mark.parametrize("seed", range(60))
def test_several_boxes_never_exclude_a_table_that_is_possible(seed: int) -> None:
    random = Random(seed)
    trees = random.choice([[REGION], [THREE], [DEEP], [REGION, REGION]])
    possible = list(product(*(tree.children for tree in trees)))
    k, tables = 2, []
    while not tables:
        boxes = random.sample(possible, 2)
        rows = [random.randint(2, 3) for _ in boxes]
        tables = enumerated(trees, boxes, rows, k)
    for number, told in enumerate(downcode(trees, boxes, rows, k=k)):
        least, most = bounds(trees, tables, number, list(told.at_most))
        assert all(least.get(t, 0) >= n for t, n in told.at_least.items())
        assert all(most[t] <= n for t, n in told.at_most.items())


def test_a_row_is_not_in_a_published_narrower_box() -> None:
    # three rows of * and two published as north: a third northern row would have gone there, and * kept two
    told = downcode([THREE], [("*",), ("a",)], [3, 2], k=2)
    assert told[0].at_most[("a",)] == 0
    assert told[0].at_least == {("b",): 1, ("c",): 1}


def test_what_one_class_surely_has_narrows_another() -> None:
    # the first class surely has a northern row to spare; one more from the second would have made a class of two
    trees, boxes, rows = [REGION, THREE], [("*", "a"), ("north", "*")], [3, 3]
    told = downcode(trees, boxes, rows, k=2)
    assert told[1].at_most[("north", "a")] == 0
    assert told[1].at_least == {("north", "b"): 1, ("north", "c"): 1}
    assert downcode(trees, boxes[1:], rows[1:], k=2)[0].at_least == {}
    tables = enumerated(trees, boxes, rows, 2)
    assert bounds(trees, tables, 1, list(told[1].at_most)) == (told[1].at_least, told[1].at_most)


@pytest.mark.parametrize(
    ("trees", "boxes", "rows", "certain"),
    [
        # a and b are published, so one row of each could have left together
        ([THREE], [("*",), ("a",), ("b",)], [2, 2, 2], {("c",): 1}),
        # b is published and the other class can add a row to a, so one row of each could have left together
        ([REGION, THREE], [("north", "*"), ("*", "a"), ("north", "b")], [2, 3, 2], {("north", "c"): 1}),
    ],
)
def test_rows_that_could_all_have_left_did_not_have_to_stay(
    trees: list[NodeTree], boxes: list[Box], rows: list[int], certain: dict[Box, int]
) -> None:
    told = downcode(trees, boxes, rows, k=2)[0]
    assert told.at_least == certain
    assert bounds(trees, enumerated(trees, boxes, rows, 2), 0, list(told.at_most)) == (told.at_least, told.at_most)


def table(regions: list[str]) -> pl.DataFrame:
    return pl.DataFrame({"region": regions, "s": ["x"] * len(regions)})


SCHEMA = Schema(
    columns={
        "region": Column(role="quasi", taxonomy={"tree": {"*": {"north": ["n1", "n2"], "south": ["s1", "s2"]}}}),
        "s": Column(role="sensitive"),
    }
)


def test_the_evidence_of_a_minimal_release_is_downcoded() -> None:
    evidence = evidence_of_groups(
        read(table(["n1", "n2", "s1", "s1"]), schema=SCHEMA), [0, 0, 1, 1], model=KAnonymity(k=2)
    )
    found = downcoding(evidence)
    # one row is n1 and one is n2, for certain; s1 is published as it is
    assert (found.figure, found.baseline, found.exposed.tolist()) == (0.5, 0.0, [0, 1])


def test_a_release_that_could_be_refined_raises_and_is_not_called_safe() -> None:
    evidence = evidence_of_groups(read(table(["n1", "n1", "s1", "s1"]), schema=SCHEMA), [0, 0, 0, 0])
    with pytest.raises(AttackError, match="not minimal"):
        downcoding(evidence, k=2)
    with pytest.raises(AttackError, match="give the k"):
        downcoding(evidence)


def test_classes_that_are_too_large_are_not_said_to_be_safe() -> None:
    evidence = evidence_of_groups(read(table(["n1", "n2", "s1"]), schema=SCHEMA), [0, 0, 0])
    with pytest.raises(AttackError, match="raise budget"):
        downcoding(evidence, k=3, budget=1)
