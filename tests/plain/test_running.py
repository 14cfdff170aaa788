"""The fast exact version of the definitions is the definitions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from random import Random

import pytest

from plain import laws, transparent
from plain.random_tables import FAMILIES, random_table
from plain.running import Running


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("chunk", range(4))
def test_running_boxes_give_the_groups_of_the_definitions(family: str, chunk: int) -> None:
    cut = False
    for seed in range(30):
        random = Random(f"{family} {chunk} {seed}")
        table, l = random_table(random, largest=22, attributes=4, family=family)
        t = transparent.inputs_of(table)
        arguments = t.codes, t.order, t.sensitive, l, t.geometry
        draw = [random.getrandbits(64) for _ in range(len(table))]
        tailor = transparent.tailor(*arguments)
        cut |= len(tailor) > 1
        running = Running(t)
        assert running.tailor(l) == tailor
        assert running.ace(l, draw) == transparent.ace(*arguments, draw)
        assert running.hybrid(l, draw) == transparent.hybrid(*arguments, draw)
    assert cut  # otherwise Tailor would not have been compared


def test_assign_finds_a_bucket_for_every_eligible_multiset_and_every_bucket_is_diverse() -> None:
    multisets = [m for parts in range(1, 7) for m in combinations_with_replacement(range(1, 7), parts)]
    for counts in multisets:
        for l in range(1, min(len(counts), sum(counts) // max(counts)) + 1):
            steps = transparent.assign_steps(dict(enumerate(counts)), l)
            assert sum(alpha * beta for alpha, beta, _ in steps) == sum(counts)
            assert all(alpha >= 1 and beta >= l and len(set(s)) == beta for alpha, beta, s in steps)


def test_draws_in_random_order_follow_the_law_that_counts_subsets() -> None:
    """All orders of the draws, counted, give the law that counts the subsets directly."""
    random = Random(3)
    for _ in range(3):
        table, _ = random_table(random, largest=6, attributes=2, family="ties")
        t = transparent.inputs_of(table)
        l = len(t.codes) // transparent.most_frequent(range(len(t.codes)), t.sensitive)
        arguments = t.codes, t.order, t.sensitive, l, t.geometry
        outcomes = Counter(
            transparent.as_grouping(transparent.ace(*arguments, draw)) for draw in permutations(range(len(t.codes)))
        )
        law = {grouping: Fraction(count, outcomes.total()) for grouping, count in outcomes.items()}
        assert law == laws.ace_law(*arguments)
