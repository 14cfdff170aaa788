"""Random walks over arrangements, and over orders that nobody knows, agree with trying them all one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import prod
from random import Random

import numpy as np
import pytest

import pellucid as pc
from pellucid.attacking import infer
from pellucid.attacking.gather import evidence_of_groups
from pellucid.coins import Coins
from pellucid.model.l_diversity import LDiversity
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import multinomial
from pellucid.posterior.loose import Loose
from pellucid.posterior.refused import Refused
from pellucid.posterior.refused_cut import Limits
from pellucid.posterior.sampling import sampled, web_of
from pellucid.posterior.tied import Joint, SharedCut, _matrices, joint_shares
from pellucid.posterior.walking import walked
from pellucid.posterior.walking_with_facts import Known, walked_with_facts
from pellucid.posterior.worlds import arrangements
from pellucid.table import Table
from plain.arrangements import shares
from plain.tables import line, secret, table_of

COINS = Coins.from_seed(1)
WHOLE = (("a", 9), ("b", 9), ("c", 9))


def held(truth: np.ndarray, found: object) -> bool:  # type: ignore[type-arg]
    return bool(((found.lower <= truth + 1e-12) & (truth <= found.upper + 1e-12)).all())  # type: ignore[attr-defined]


def test_a_walk_through_refusals_agrees_with_all_arrangements() -> None:
    """In at least 95 of 100 groups every value of every part lies in its interval, and the intervals say something."""
    inside, widths = [], []
    for seed in range(400):
        random = Random(f"walked {seed}")
        column = SensitiveColumn(["a", "b", "c"], [random.randint(1, 4) for _ in range(3)])
        sizes = [1, 1, 1]
        for _ in range(column.total - 3):
            sizes[random.randrange(3)] += 1
        shape = Refused(tuple(sizes), ((True, False, True), (True, True, False)), LDiversity(l=2), WHOLE)
        truth = shares(shape, column)
        if truth is None or len(inside) == 100:
            continue
        found = sampled(shape, column, seed=seed)
        if found.stuck:  # a single arrangement has nowhere to go
            assert found.upper.min() == 1
            continue
        exact = np.array(truth, dtype=np.float64)
        inside.append(held(exact, found))
        widths.append(float((found.upper - found.lower).max()))
    assert len(inside) == 100
    assert sum(inside) >= 95
    assert np.median(widths) < 0.2


def test_a_walk_through_groups_that_tell_together_agrees_with_all_arrangements() -> None:
    inside = []
    for seed in range(60):
        random = Random(f"joint {seed}")
        counts = tuple(tuple(random.randint(0, 2) for _ in range(3)) for _ in range(2))
        counts = tuple((c[0] + 1, c[1] + 1, c[2]) for c in counts)
        sizes = tuple((random.randint(1, sum(c) - 1),) for c in counts)
        sizes = tuple((s[0], sum(c) - s[0]) for s, c in zip(sizes, counts, strict=True))
        other = tuple(random.randint(0, 1) for _ in range(3))
        cuts = (SharedCut((1, 0, 1, 0), other, (0, 0, 0)), SharedCut((1, 0, -1, -1), (0, 0, 0), (0, 0, 0)))
        joint = Joint(sizes, counts, cuts, LDiversity(l=2), WHOLE)
        try:
            truth = joint_shares(joint)
        except pc.PellucidError:
            continue
        limits = Limits.of(joint.model)
        assert limits is not None
        found = walked(web_of(joint, limits), seed=seed)
        if not found.stuck:
            inside.append(held(np.array([part for group in truth for part in group], dtype=np.float64), found))
    assert len(inside) > 30
    assert np.mean(inside) >= 0.95


def by_all_orders(table: Table, method: pc.Mondrian, labels: tuple[int, ...]) -> list[dict[int, Fraction]] | None:
    """What is believed of each row when every world and every order of the rows is tried."""
    column = len(table.codes) - 1
    values = table.codes[column]
    groups = [np.flatnonzero(np.array(labels) == group) for group in sorted(set(labels))]
    inside = [list(arrangements(Counter(values[group].tolist()))) for group in groups]
    having: list[Counter[int]] = [Counter() for _ in labels]
    total = 0
    for order in permutations(range(len(labels))):
        for first in inside[0]:
            for second in inside[1] if len(inside) > 1 else [()]:
                codes = values.copy()
                codes[groups[0]] = first
                if len(groups) > 1:
                    codes[groups[1]] = second
                world = replace(table, codes=(*table.codes[:column], codes), order=np.array(order, dtype=np.int64))
                if canonical(method.group(world, COINS, threads=1).labels) == canonical(np.array(labels)):
                    total += 1
                    for row, code in enumerate(codes.tolist()):
                        having[row][code] += 1
    return [{code: Fraction(n, total) for code, n in one.items()} for one in having] if total else None


def canonical(labels: np.ndarray) -> frozenset[frozenset[int]]:  # type: ignore[type-arg]
    return frozenset(frozenset(np.flatnonzero(labels == group).tolist()) for group in set(labels.tolist()))


@pytest.mark.parametrize("retry", [True, False])
def test_an_order_that_nobody_knows_is_summed_over(retry: bool) -> None:
    """Relaxed Mondrian divides equal rows by an order that is drawn from coins where there is no identifier."""
    method = pc.Mondrian(l=2, retry=retry)
    inside, seed = [], 0
    while len(inside) < 15:
        seed += 1
        random = Random(f"loose {seed}")
        rows = random.choice([4, 4, 4, 4, 5])
        values = [0, 0, 1, 1, 2][:rows] if random.random() < 0.5 else [0, 1, 0, 2, 1][:rows]
        random.shuffle(values)
        columns = [line(f"q{i}", [random.randrange(random.choice([2, 2, 3])) for _ in values]) for i in range(2)]
        table = table_of([*columns, secret("s", values)], list(range(rows)))
        table = replace(table, order=None)
        try:
            labels = tuple(method.group(table, Coins.from_seed(seed), threads=1).labels.tolist())
        except pc.PellucidError:
            continue
        if len(set(labels)) > 2:
            continue
        evidence = evidence_of_groups(table, list(labels), method=method)
        told = method.likelihood(evidence.people, evidence.grouping, evidence.published)
        assert told is not None
        if not any(isinstance(shape, Loose) for shape in told.shapes):
            continue
        truth = by_all_orders(table, method, labels)
        assert truth is not None
        beliefs = infer(evidence, pc.Adversary(knows="algorithm"))
        lower = beliefs.risk if beliefs.lower is None else beliefs.lower
        upper = beliefs.risk if beliefs.upper is None else beliefs.upper
        largest = np.array([float(max(one.values())) for one in truth])
        inside.append(bool(((lower <= largest + 1e-9) & (largest <= upper + 1e-9)).all()))
    assert np.mean(inside) >= 0.95


@pytest.mark.parametrize("has", [True, False])
def test_a_walk_that_keeps_to_facts_agrees_with_all_arrangements(has: bool) -> None:
    """Somebody of the first part of the first group has "a", or has it not; nothing else changes."""
    inside, widths = [], []
    for seed in range(40):
        random = Random(f"facts {seed}")
        counts = tuple((random.randint(1, 3), random.randint(1, 3), random.randint(0, 2)) for _ in range(2))
        sizes = tuple((cut := random.randint(1, sum(c) - 1), sum(c) - cut) for c in counts)
        cuts = ((1, 0, 1, 0), (0, 1, -1, -1))
        nothing = (0, 0, 0)
        told = tuple(SharedCut(side, nothing, nothing) for side in cuts)
        joint = Joint(sizes, counts, told, LDiversity(l=2), WHOLE)
        left = sizes[0][0] - 1  # with the person as a part of their own
        parted = ((1, *([left] if left else []), sizes[0][1]), sizes[1])
        apart = tuple(SharedCut((side[0], *([side[0]] if left else []), *side[1:]), nothing, nothing) for side in cuts)
        truth = with_fact(Joint(parted, counts, apart, LDiversity(l=2), WHOLE), has)
        limits = Limits.of(joint.model)
        assert limits is not None
        if truth is None:
            continue
        found = walked_with_facts(web_of(joint, limits), [Known(0, ((has, 0),))], seed=seed)
        assert found.own == [0]
        assert found.rest[0] == (1 if left else -1)
        if found.estimate.stuck:
            continue
        assert found.estimate.shares[0, 0] == (1 if has else 0)
        inside.append(held(truth, found.estimate))
        widths.append(float((found.estimate.upper[1:] - found.estimate.lower[1:]).max()))
    assert len(inside) >= 15
    assert sum(inside) >= 0.9 * len(inside)
    assert np.median(widths) < 0.3


def with_fact(joint: Joint, has: bool) -> np.ndarray | None:  # type: ignore[type-arg]
    """The shares of all arrangements in which the first part has, or has not, the first value."""
    total, rows = 0, np.zeros((sum(map(len, joint.sizes)), 3))
    lists = [list(_matrices(sizes, counts)) for sizes, counts in zip(joint.sizes, joint.counts, strict=True)]
    for first in lists[0]:
        for second in lists[1]:
            both = np.array([*first, *second], dtype=np.int64)
            if bool(both[0, 0]) == has and joint.refused(both[None])[0]:
                ways = prod(multinomial(part) for part in both.tolist())
                total += ways
                rows += ways * both
    sizes = np.array([size for group in joint.sizes for size in group])[:, None]
    return None if not total else rows / (total * sizes)
