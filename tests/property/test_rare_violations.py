"""Where hardly any arrangement violates a model, those that do are drawn as often as they should be."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb
from random import Random

import numpy as np
import pytest

import pellucid as pc
from pellucid.posterior import rare_violations
from pellucid.posterior.class_extremes import cannot_satisfy, cannot_violate, most_even
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import Impossible, vectors_of
from pellucid.posterior.merged_classes import merged_classes
from pellucid.posterior.sampling import sampled
from pellucid.posterior.shape import Merged

MODELS: list[pc.PrivacyModel] = [
    pc.DistinctLDiversity(l=2),
    pc.DistinctLDiversity(l=3),
    pc.EntropyLDiversity(l=Fraction("1.5")),
    pc.EntropyLDiversity(l=Fraction("2")),
    pc.EntropyLDiversity(l=Fraction("3")),
    pc.RecursiveDiversity(c=Fraction("0.5"), l=2),
    pc.RecursiveDiversity(c=Fraction("1.5"), l=2),
    pc.RecursiveDiversity(c=Fraction("3"), l=3),
    pc.LDiversity(l=2),
    pc.LDiversity(l=3),
]


def some_merge(random: Random, smallest: int = 1) -> tuple[tuple[int, ...], SensitiveColumn, pc.PrivacyModel]:
    """Two or three small classes with two to four values."""
    sizes = tuple(random.randint(smallest, 4) for _ in range(random.randint(2, 3)))
    kinds = min(random.randint(2, 4), sum(sizes))
    cuts = sorted(random.sample(range(1, sum(sizes)), kinds - 1))
    counts = [b - a for a, b in zip([0, *cuts], [*cuts, sum(sizes)], strict=True)]
    return sizes, SensitiveColumn(list(range(kinds)), counts), random.choice(MODELS)


def merged(sizes: tuple[int, ...], column: SensitiveColumn, model: pc.PrivacyModel) -> Merged:
    return Merged(sizes, model, tuple(zip(column.values, column.counts, strict=True)))


def test_a_class_that_can_only_fail_tells_nothing_and_the_rest_is_counted_as_before(some: Callable[[int], int]) -> None:
    random = Random("extremes")
    hopeless = impossible = 0
    for _ in range(some(8_000)):
        sizes, column, model = some_merge(random)
        try:
            counted = merged_classes(sizes, dict(zip(column.values, column.counts, strict=True)), model, exact=True)
        except Impossible:
            assert not cannot_satisfy(model, sizes, column)
            assert cannot_violate(model, sizes, column)
            impossible += 1
            continue
        assert not cannot_violate(model, sizes, column)
        assert merged(sizes, column, model).shares(column, exact=True) == counted
        hopeless += cannot_satisfy(model, sizes, column)
    assert hopeless > 100
    assert impossible > 3


def test_where_nothing_can_have_forced_a_merge_it_tells_nothing_however_large_it_is() -> None:
    """Of thirty values, three rows each, no class of forty has one alone; the arrangements are too many to count."""
    column = SensitiveColumn(list(range(30)), [3] * 30)
    shape = merged((40, 50), column, pc.DistinctLDiversity(l=2))
    with pytest.raises(Impossible):
        shape.shares(column)


def test_whether_a_class_can_only_fail_is_what_trying_everything_says(some: Callable[[int], int]) -> None:
    random = Random("trying")
    found = []
    for _ in range(some(2_000)):
        sizes, column, model = some_merge(random)
        vectors = np.array(list(vectors_of(sizes[0], column.counts)), dtype=np.int64)
        fails = ~column.satisfied(model, vectors, np.array(column.counts, dtype=np.int64))
        assert cannot_satisfy(model, sizes[:1], column) == bool(fails.all()), (sizes[0], column.counts, model)
        found.append(bool(fails.all()))
    assert set(found) == {True, False}


def test_the_most_even_class_has_the_right_number_of_rows() -> None:
    assert most_even([9, 1, 4], 8) == [4, 1, 3]
    assert most_even([3, 3, 3], 9) == [3, 3, 3]
    assert sorted(most_even([5, 0, 5], 1)) == [0, 0, 1]
    assert most_even([1000, 2, 2000], 1002) == [500, 2, 500]


def test_drawn_violations_agree_with_counting(some: Callable[[int], int], monkeypatch: pytest.MonkeyPatch) -> None:
    """However likely a violation is: drawn by events, the intervals have the exact shares."""
    monkeypatch.setattr(rare_violations, "RARE", 100.0)
    random = Random("drawn")
    tried = held = 0
    far = 0.0
    for seed in range(some(400)):
        sizes, column, model = some_merge(random, smallest=2)
        events = rare_violations.Violations.of(model, sizes, column)
        if (events or rare_violations.RareEntropies.of(model, sizes, column)) is None:
            continue
        try:
            exact = merged_classes(sizes, dict(zip(column.values, column.counts, strict=True)), model)
        except Impossible:
            continue
        found = sampled(merged(sizes, column, model), column, wanted=2_000, seed=seed)
        shares = np.array([[part[value] for value in column.values] for part in exact])
        tried += 1
        held += bool(((found.lower - 1e-12 <= shares) & (shares <= found.upper + 1e-12)).all())
        far = max(far, float(np.abs(found.shares - shares).max()))
    assert tried >= 20
    assert held >= 0.95 * tried
    assert far < 0.08


@pytest.mark.parametrize(
    "model",
    [pc.DistinctLDiversity(l=2), pc.EntropyLDiversity(l=Fraction("1.4")), pc.RecursiveDiversity(c=Fraction("7"), l=2)],
)
def test_what_no_draw_would_meet_is_drawn(model: pc.PrivacyModel) -> None:
    """Of 20 rows with two values, about 19 in 20 would have to agree: one draw in a hundred thousand, or fewer."""
    sizes, counts = (20, 40), {"a": 30, "b": 30}
    column = SensitiveColumn(list(counts), list(counts.values()))
    found = sampled(merged(sizes, column, model), column)
    exact = merged_classes(sizes, counts, model)
    assert found.kept >= 5_000
    for part in range(2):
        for place, value in enumerate(counts):
            assert found.lower[part, place] <= exact[part][value] <= found.upper[part, place]
            assert found.upper[part, place] - found.lower[part, place] < 0.05


def test_events_are_as_likely_as_they_are_said_to_be() -> None:
    sizes, column = (4, 8), SensitiveColumn(["a", "b", "c"], [5, 4, 3])
    for model in MODELS[:8]:
        vectors = np.array(list(vectors_of(4, column.counts)), dtype=np.int64)
        ways = np.array([np.prod([comb(c, k) for c, k in zip(column.counts, v, strict=True)]) for v in vectors])
        fails = ~column.satisfied(model, vectors, np.array(column.counts, dtype=np.int64))
        chance = float(ways[fails].sum() / ways.sum())
        events = rare_violations.Violations.of(model, sizes, column)
        if events is not None:
            assert float(events.chance[0].sum()) >= chance - 1e-12
            if isinstance(model, pc.DistinctLDiversity) and model.l == 2:
                assert float(events.chance[0].sum()) == pytest.approx(chance)
        else:
            entropies = rare_violations.RareEntropies.of(model, sizes, column)
            assert entropies is not None
            assert chance - 1e-12 <= float(entropies.chances[0]) <= chance + 0.3
