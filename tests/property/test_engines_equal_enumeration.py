"""The engines of ``posterior`` equal enumeration of all arrangements, as fractions; their floats to a billionth.

``qi_distribution`` is compared with all worlds in test_qi_distribution.py, what methods tell in tests/oracle.

Arrangements are counted exactly, in machine words and beyond: each engine against one that counts otherwise.

Groups whose rows all have different values: counting sets of values equals counting arrangements by limits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import isclose
from random import Random
from typing import Any

import numpy as np
import pytest

from pellucid.errors import ModelError
from pellucid.model import PrivacyModel, parse
from pellucid.model.l_diversity import LDiversity
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import Impossible, posterior_by_limits
from pellucid.posterior.generalized import LARGEST, Generalized, given_too_much
from pellucid.posterior.merged_classes import credibilities, local_classes
from pellucid.posterior.refusal.one_cut import refused_cut
from pellucid.posterior.refusal.several_cuts import refused_cuts
from pellucid.posterior.refusal.shape import Refused
from pellucid.posterior.refusal.side_limits import SideLimits
from pellucid.posterior.shape import Buckets, Merged, Plain, Shape
from pellucid.posterior.shared_cuts import JointGroups, SharedCut, joint_shares
from pellucid.posterior.weighted import weighted_shares
from pellucid.posterior.worlds import ABSENT, worlds
from plain.arrangements import shares, spreads, ways

VALUES = [10, 20, 30, 40]
TABLE = (("a", 9), ("b", 9), ("c", 9), ("d", 9), ("e", 9), ("f", 9))


@pytest.fixture
def cases(some: Callable[[int], int]) -> int:
    return some(2_000)


def random_model(random: Random, values: list[int]) -> PrivacyModel:
    chosen = random.choice(
        [
            "l-diversity=2",
            "l-diversity=2",
            "l-diversity=3",
            "distinct l-diversity=2",
            "entropy l-diversity=1.5",
            "recursive (c,l)-diversity=2,2",
            "t-closeness=0.3",
            "ordered t-closeness=0.2",
            "(k,e)-anonymity=2,10",
            "beta-likeness=1",
        ]
    )
    model = parse(chosen)
    if "sensitive" in type(model).model_fields and random.random() < 0.5:
        some = tuple(random.sample(values, random.randint(1, len(values))))
        model = type(model)(**{name: getattr(model, name) for name in model.model_fields_set}, sensitive=some)
    return model


def random_column(random: Random, rows: int) -> SensitiveColumn:
    drawn = [random.choice(VALUES[: random.randint(2, 4)]) for _ in range(rows)]
    return SensitiveColumn.of({value: drawn.count(value) for value in set(drawn)})


def merged(random: Random) -> tuple[Shape, SensitiveColumn]:
    sizes = tuple(random.randint(1, 4) for _ in range(random.randint(1, 3)))
    column = random_column(random, sum(sizes))
    whole = tuple(
        (value, count + random.randint(0, 2)) for value, count in zip(column.values, column.counts, strict=True)
    )
    return Merged(sizes, random_model(random, column.values), whole), column


def buckets(random: Random) -> tuple[Shape, SensitiveColumn]:
    l, number = random.choice([(2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 2), (3, 3)])
    column = random_column(random, l * number)
    whole = tuple(zip(column.values, column.counts, strict=True))
    p = random.choice([Fraction(0), Fraction(0), Fraction(1, 3), Fraction(13, 20), Fraction(1)])
    return Buckets((l,) * number, random_model(random, column.values), p, whole), column


def plain(random: Random) -> tuple[Shape, SensitiveColumn]:
    sizes = tuple(random.randint(1, 3) for _ in range(random.randint(1, 3)))
    return Plain(sizes), random_column(random, sum(sizes))


def generalized(random: Random) -> tuple[Shape, SensitiveColumn]:
    """Classes of which some rows are published as they are; values of those need not be in the group."""
    sizes = tuple(random.randint(1, 3) for _ in range(random.randint(1, 3)))
    column = random_column(random, sum(sizes))
    kept = [Counter(random.choices(VALUES, k=random.randint(0, 3))) for _ in sizes]
    elsewhere = Counter(random.choices(VALUES, k=random.randint(0, 4)))
    whole = sum(kept, elsewhere + Counter(dict(zip(column.values, column.counts, strict=True))))
    model = random_model(random, sorted(whole))
    return Generalized(sizes, tuple(tuple(one.items()) for one in kept), model, tuple(whole.items())), column


def refused_once(random: Random) -> tuple[Shape, SensitiveColumn]:
    """One cut; some values of the table are not in the group."""
    sizes = (random.randint(1, 5), random.randint(1, 5))
    column = random_column(random, sum(sizes))
    whole = tuple(
        (value, column.counts[column.values.index(value)] + 1 if value in column.values else 2) for value in VALUES
    )
    return Refused(sizes, ((True, False),), random_model(random, VALUES), whole), column


def refused_often(random: Random) -> tuple[Shape, SensitiveColumn]:
    """Two or three cuts and the cells between them."""
    cuts = random.randint(2, 3)
    cells = sorted({tuple(random.random() < 0.5 for _ in range(cuts)) for _ in range(random.randint(2, 4))})
    sizes = tuple(random.randint(1, 3) for _ in cells)
    column = random_column(random, sum(sizes))
    whole = tuple(zip(column.values, column.counts, strict=True))
    left = tuple(tuple(cell[cut] for cell in cells) for cut in range(cuts))
    left = tuple(cut for cut in left if len(set(cut)) == 2) or (tuple(i == 0 for i in range(len(cells))),)
    if len(cells) == 1:
        return Plain(sizes), column
    return Refused(sizes, left, random_model(random, column.values), whole), column


@pytest.mark.parametrize("make", [merged, buckets, plain, generalized, refused_once, refused_often])
def test_an_engine_equals_enumeration(make, cases: int) -> None:  # type: ignore[no-untyped-def]
    told = refused = 0
    for seed in range(cases):
        shape, column = make(Random(f"{make.__name__} {seed}"))
        expected = shares(shape, column)
        if expected is None:
            refused += 1
            with pytest.raises(ModelError):
                shape.shares(column, exact=True)
            continue
        told += 1
        found = shape.shares(column, exact=True)
        assert [[part[value] for value in column.values] for part in found] == expected, (seed, shape)
        floats = shape.shares(column)
        for part, of_part in zip(floats, expected, strict=True):
            for value, share in zip(column.values, of_part, strict=True):
                assert isclose(part[value], share, rel_tol=1e-9, abs_tol=1e-12), (seed, shape)
    assert told > cases / 4
    assert refused > 0 or make is plain


def close(found: Sequence[Mapping[Any, float]], expected: Sequence[Mapping[Any, Fraction]]) -> bool:
    return all(
        isclose(one[value], p, rel_tol=1e-9, abs_tol=1e-15)
        for one, truth in zip(found, expected, strict=True)
        for value, p in truth.items()
    )


def locally(
    moved: Sequence[int], kept: Sequence[dict[int, int]], counts: dict[int, int], model: PrivacyModel
) -> list[dict[int, Fraction]] | None:
    """Every way to spread the generalised group over the classes, kept where some class as a whole violates."""
    values = sorted({*counts, *(value for one in kept for value in one)})
    column = SensitiveColumn.of(dict.fromkeys(values, 0))
    own = np.array([[one.get(value, 0) for value in values] for one in kept])
    table = own.sum(axis=0) + np.array([counts.get(value, 0) for value in values])
    matrices = list(spreads(moved, [counts.get(value, 0) for value in values]))
    whole = np.array(matrices) + own
    fine = np.stack([column.satisfied(model, whole[:, i], table) for i in range(len(moved))]).all(axis=0)
    total, rows = 0, np.zeros(own.shape, dtype=object)
    for matrix, filled, good in zip(matrices, whole, fine.tolist(), strict=True):
        if not good:
            total += ways(matrix)
            rows += ways(matrix) * filled.astype(object)
    if total == 0:
        return None
    sizes = whole[0].sum(axis=1).tolist()
    return [
        {v: Fraction(int(n), total * size) if size else Fraction(0) for v, n in zip(values, row, strict=True)}
        for row, size in zip(rows, sizes, strict=True)
    ]


def test_local_recoding_equals_enumeration(cases: int) -> None:
    told = refused = 0
    for seed in range(cases):
        random = Random(f"local {seed}")
        moved = [random.randint(0, 3) for _ in range(random.randint(1, 3))]
        moved[0] += sum(moved) == 0
        group = random_column(random, sum(moved))
        counts = dict(zip(group.values, group.counts, strict=True))
        kept = [dict(Counter(random.choices(VALUES[:3], k=random.randint(0, 4)))) for _ in moved]
        model = random_model(random, sorted({*counts, *(value for one in kept for value in one)}))
        sizes = [n + sum(one.values()) for n, one in zip(moved, kept, strict=True)]
        expected = locally(moved, kept, counts, model)
        if expected is None:
            refused += 1
            with pytest.raises(Impossible):
                local_classes(sizes, kept, moved, counts, model, exact=True)
            continue
        told += 1
        assert local_classes(sizes, kept, moved, counts, model, exact=True) == expected, seed
        assert close(local_classes(sizes, kept, moved, counts, model), expected), seed
    assert told > cases / 4
    assert refused > 0


def test_people_with_weights_equal_enumeration(cases: int) -> None:
    """Every shape, every person with weights of their own: all orders of the values are tried."""
    told = refused = 0
    for seed in range(cases):
        random = Random(f"weighted {seed}")
        while True:
            make = random.choice([merged, buckets, plain, refused_once, refused_often])
            shape, column = make(random)
            if column.total <= 6:
                break
        parts = [part for part, size in enumerate(shape.sizes) for _ in range(size)]
        kinds = [[Fraction(random.choice([0, 1, 1, 2, 5]), 5) for _ in column.values] for _ in range(2)]
        weights = [random.choice(kinds) for _ in parts]
        expected = by_orders(shape, column, parts, weights)
        if expected is None:
            refused += 1
            with pytest.raises(Impossible):
                weighted_shares(shape, column, parts, weights)
            continue
        told += 1
        found, _ = weighted_shares(shape, column, parts, weights)
        assert found == expected, (seed, shape)
        floats, _ = weighted_shares(shape, column, parts, [[float(w) for w in one] for one in weights])
        for row, truth in zip(floats, expected, strict=True):
            assert all(isclose(x, p, rel_tol=1e-9, abs_tol=1e-15) for x, p in zip(row, truth, strict=True))
    assert told > cases / 4
    assert refused > 0


def by_orders(
    shape: Shape, column: SensitiveColumn, parts: Sequence[int], weights: Sequence[Sequence[Fraction]]
) -> list[list[Fraction]] | None:
    """What each person has on average over all orders of the values, each weighed by the people and by the shape."""
    codes = [code for code, count in enumerate(column.counts) for _ in range(count)]
    orders = list(set(permutations(codes)))
    counted = np.zeros((len(orders), len(shape.sizes), len(column.counts)), dtype=np.int64)
    for place, part in enumerate(parts):
        counted[np.arange(len(orders)), part, [order[place] for order in orders]] += 1
    total, rows = Fraction(0), [[Fraction(0)] * len(column.counts) for _ in parts]
    for order, weight in zip(orders, shape.weights(counted, column), strict=True):
        mass = Fraction(weight)
        for own, code in zip(weights, order, strict=True):
            mass *= own[code]
        total += mass
        if mass:
            for place, code in enumerate(order):
                rows[place][code] += mass
    return [[mass / total for mass in row] for row in rows] if total else None


def test_worlds_are_all_worlds(cases: int) -> None:
    """A method whose law is drawn at random; some of the population are not in the table."""
    told = 0
    for seed in range(cases):
        random = Random(f"worlds {seed}")
        values = [random.choice("xyz") for _ in range(random.randint(1, 4))]
        people = list(range(len(values) + random.randint(0, 1)))
        salt = random.getrandbits(32)

        def law(world: tuple[Any, ...], salt: int = salt) -> dict[str, Fraction]:
            p = Fraction(Random(f"{salt} {world}").choice([0, 1, 1, 2, 3]), 3)
            return {"this": p, "that": 1 - p}

        padded = [*values, *[ABSENT] * (len(people) - len(values))]
        every = {order: law(order)["this"] for order in set(permutations(padded))}
        total = sum(every.values())
        if total == 0:
            with pytest.raises(Impossible):
                worlds(law, "this", people, values)
            continue
        told += 1
        expected = [
            {v: sum((p for w, p in every.items() if w[person] == v), Fraction(0)) / total for v in set(values)}
            for person in people
        ]
        found = worlds(law, "this", people, values, exact=True)
        for one, truth in zip(found, expected, strict=True):
            assert one == truth or (one == {} and not any(truth.values()))
        if all(found):
            assert close(worlds(law, "this", people, values), expected)
    assert told > cases / 2


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


def some_group(random: np.random.Generator) -> tuple[Generalized, SensitiveColumn]:
    """A few classes in a group, some of them with rows that are published as they are, now and then too many."""
    rows = int(random.integers(2, 7))
    ends = np.sort(random.choice(np.arange(1, rows), int(random.integers(1, rows)), replace=False))
    sizes = tuple(int(n) for n in np.diff([0, *ends, rows]))
    values = [value for value, _ in TABLE]
    kept = tuple(tuple((value, int(random.integers(1, 4))) for value in values if random.random() < 0.5) for _ in sizes)
    held = [str(value) for value in random.permutation(values)[:rows]]
    return Generalized(sizes, kept, LDiversity(l=int(random.integers(2, 5))), TABLE), SensitiveColumn(held, [1] * rows)


def told(shape: Generalized, column: SensitiveColumn) -> Any:
    try:
        return shape.shares(column, exact=True, budget=10**9)
    except Impossible:
        return None


def test_sets_of_values_are_counted_as_arrangements_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two thousand groups, in fractions."""
    differing = impossible = 0
    for seed in range(2_000):
        shape, column = some_group(np.random.default_rng(seed))
        fast = told(shape, column)
        with monkeypatch.context() as patched:
            patched.setattr("pellucid.posterior.generalized.LARGEST", 0)
            slow = told(shape, column)
        assert fast == slow, (seed, shape, column)
        impossible += fast is None
        differing += fast is not None and len({share for part in fast for share in part.values()}) > 1
    assert differing > 200
    assert impossible > 20


def test_large_groups_are_counted_exactly() -> None:
    """One row may have anything but the first value, so it has it in every arrangement that is left."""
    rows = LARGEST
    allowed = [[column > 0 for column in range(rows)]] + [[True] * rows] * (rows - 1)
    found = given_too_much([1] * rows, allowed)
    assert found[0] == [Fraction(1), *[Fraction(0)] * (rows - 1)]
    assert found[1] == [Fraction(0), *[Fraction(1, rows - 1)] * (rows - 1)]
