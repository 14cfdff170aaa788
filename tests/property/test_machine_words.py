"""Arrangements are counted exactly, in machine words and beyond: each engine against one that counts otherwise."""

from __future__ import annotations

from random import Random

import pytest

from pellucid.model.l_diversity import LDiversity
from pellucid.posterior.exclusion import Impossible, posterior_by_limits
from pellucid.posterior.merged_classes import credibilities
from pellucid.posterior.refusal.one_cut import refused_cut
from pellucid.posterior.refusal.several_cuts import refused_cuts
from pellucid.posterior.refusal.side_limits import SideLimits
from pellucid.posterior.shared_cuts import JointGroups, SharedCut, joint_shares


@pytest.mark.parametrize("largest", [4, 30])  # 30 rows a class: more arrangements than a machine word holds
def test_merged_classes_of_one_value_are_those_of_the_polynomials(largest: int) -> None:
    possible = 0
    for seed in range(60):
        random = Random(f"words {largest} {seed}")
        sizes = [random.randint(0, largest) for _ in range(random.randint(1, 5))]
        positives = random.randint(0, sum(sizes))
        most = [random.randint(0, size) for size in sizes]
        counts = [positives, sum(sizes) - positives]
        limits = [[m, size] for m, size in zip(most, sizes, strict=True)]
        try:
            expected = credibilities(sizes, positives, most, exact=True)
        except Impossible:
            with pytest.raises(Impossible):
                posterior_by_limits(sizes, counts, limits)
            continue
        assert [share[0] for share in posterior_by_limits(sizes, counts, limits)] == expected
        possible += 1
    assert possible > 20


@pytest.mark.parametrize("half", [4, 29, 31, 40])  # from 30 on in more than machine words
def test_a_refused_cut_is_counted_alike_by_all_three(half: int) -> None:
    model, counts = LDiversity(l=2), {"a": half + 1, "b": half - 1}
    expected = refused_cut((half, half), counts, model, exact=True)
    limits = SideLimits.of(model)
    assert limits is not None
    assert refused_cuts([half, half], [[True, False]], counts, limits) == expected
    whole = (half + 1, half - 1)
    alone = JointGroups(((half, half),), (whole,), (SharedCut((1, 0), (0, 0), (0, 0)),), model, tuple(counts.items()))
    assert joint_shares(alone) == [[[side["a"], side["b"]] for side in expected]]
