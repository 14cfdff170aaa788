"""The engines of ``posterior`` equal enumeration of all arrangements, as fractions; their floats to a billionth.

``qi_distribution`` is compared with all worlds in test_qi_distribution.py, what methods tell in tests/oracle.

Arrangements are counted exactly, in machine words and beyond: each engine against one that counts otherwise.

Groups that tell that a part has more of a value than it may are counted by a kernel, many at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from math import isclose
from random import Random
from typing import Any

import numpy as np
import pytest

from pellucid.errors import ModelError
from pellucid.models import PrivacyModel, parse
from pellucid.models.l_diversity import LDiversity
from pellucid.posterior.column import SensitiveColumn
from pellucid.posterior.exclusion import BUDGET, Impossible, OverBudget, posterior_by_limits, posterior_of_parts
from pellucid.posterior.generalized import Generalized
from pellucid.posterior.limited_parts import MOST_DIFFERENT, LimitedGroups
from pellucid.posterior.merged_classes import credibilities, local_classes
from pellucid.posterior.refusal.one_cut import refused_cut
from pellucid.posterior.refusal.several_cuts import refused_cuts
from pellucid.posterior.refusal.shape import Refused
from pellucid.posterior.refusal.side_limits import SideLimits
from pellucid.posterior.shape import Buckets, Merged, Plain, Shape
from pellucid.posterior.shared_cuts import JointGroups, SharedCut, joint_shares
from pellucid.posterior.weighted import weighted_shares
from pellucid.posterior.worlds import ABSENT, refuse_too_many, worlds
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


def limited(random: Random) -> tuple[list[int], list[int], list[list[int]]]:
    """Parts, values and limits as they come: parts without rows, values without rows, limits that nothing can meet."""
    sizes = [random.randint(0, 3) for _ in range(random.randint(1, 4))]
    sizes[0] += sum(sizes) == 0
    drawn = [random.randrange(5) for _ in range(sum(sizes))]
    least = -1 if random.random() < 0.1 else 0
    counts = [drawn.count(value) for value in range(5)]
    return sizes, counts, [[random.randint(least, 4) for _ in counts] for _ in sizes]


def every_arrangement(sizes: list[int], counts: list[int], limits: list[list[int]]) -> list[list[Fraction]] | None:
    """The shares among all arrangements in which some part has more of a value than it may."""
    total, rows = 0, np.zeros((len(sizes), len(counts)), dtype=object)
    for matrix in spreads(sizes, counts):
        if (np.array(matrix) > np.array(limits)).any():
            total += ways(matrix)
            rows += ways(matrix) * np.array(matrix, dtype=object)
    if not total:
        return None
    return [[Fraction(int(n), total * max(size, 1)) for n in row] for row, size in zip(rows, sizes, strict=True)]


def test_parts_beyond_their_limits_are_counted_like_every_arrangement(cases: int) -> None:
    """By the kernel, group by group as fractions, and all of them side by side as floats that were rounded once."""
    groups = [limited(Random(f"limits {seed}")) for seed in range(cases)]
    together = LimitedGroups.of(groups)
    assert together.countable(BUDGET).all()
    floats = together.shares(np.arange(cases))
    impossible = 0
    for group, (first, last) in zip(groups, pairwise(together.cell_starts.tolist()), strict=True):
        sizes, counts, _ = group
        expected = every_arrangement(*group)
        if expected is None:
            impossible += 1
            with pytest.raises(Impossible):
                posterior_by_limits(*group)
            expected = [[Fraction(count, sum(counts)) for count in counts] for _ in sizes]
        else:
            assert posterior_by_limits(*group) == expected, group
        assert floats[first:last].tolist() == [float(share) for part in expected for share in part], group
    assert 0 < impossible < cases / 2


def test_large_parts_in_which_one_value_has_nearly_all_rows_are_counted_exactly() -> None:
    """Ways to choose half of a part are too many for any machine number, and nobody needs them."""
    random, seen = Random("nearly all"), 0
    for _ in range(300):
        sizes = [random.randint(60, 300), *(random.randint(1, 8) for _ in range(random.randint(1, 3)))]
        rare = [random.randint(1, 3) for _ in range(random.randint(1, 2))]
        counts = [*rare, sum(sizes) - sum(rare)]
        limits = [[sizes[0]] * len(counts), *([random.randint(0, size) for _ in counts] for size in sizes[1:])]
        most = np.array(limits)
        if not LimitedGroups.of([(sizes, counts, limits)]).countable(BUDGET)[0]:
            continue
        try:
            expected = posterior_of_parts(sizes, counts, lambda part, has: (has > most[part]).any(axis=1))  # noqa: B023
        except (Impossible, OverBudget):
            continue
        seen += 1
        assert posterior_by_limits(sizes, counts, limits) == expected, (sizes, counts, limits)
    assert seen > 30


@pytest.mark.parametrize("seed", range(4))
def test_what_the_kernel_leaves_is_counted_otherwise_and_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where numbers are too large for it, or the budget too small; the latter raises."""
    random = Random(f"left {seed}")
    groups = [limited(random) for _ in range(200)]
    found = [every_arrangement(*group) for group in groups]
    monkeypatch.setattr("pellucid.posterior.limited_parts.LARGEST_NUMBER", 0)
    for group, expected in zip(groups, found, strict=True):
        if expected is not None:
            assert posterior_by_limits(*group) == expected, group
    with pytest.raises(OverBudget):
        posterior_by_limits([2, 2], [2, 2], [[1, 1], [1, 1]], budget=1)


def test_numbers_beyond_those_that_floats_hold_are_left() -> None:
    """Thirty rows of one value and thirty of another in two parts: fractions are exact, and the kernel is not asked."""
    group = ([30, 30], [30, 30], [[15, 15], [30, 30]])
    assert not LimitedGroups.of([group]).countable(10**9)[0]
    found = posterior_by_limits(*group)
    assert found[0] == [Fraction(1, 2), Fraction(1, 2)]  # as likely the one as the other


def test_different_values_are_counted_whatever_the_budget() -> None:
    """One row may have anything but the first value, so it has it in every arrangement that is left."""
    rows = MOST_DIFFERENT
    limits = [[int(column > 0) for column in range(rows)]] + [[1] * rows] * (rows - 1)
    found = posterior_by_limits([1] * rows, [1] * rows, limits, budget=1)
    assert found[0] == [Fraction(1), *[Fraction(0)] * (rows - 1)]
    assert found[1] == [Fraction(0), *[Fraction(1, rows - 1)] * (rows - 1)]


def test_a_class_that_has_too_many_already_forces_the_group_whatever_its_rows_have() -> None:
    """Three of five people of the first class have x, and are published as they are; nobody of the group has it."""
    kept = ((("x", 3),), ())
    shape = Generalized((2, 2), kept, LDiversity(l=2), (("x", 3), ("y", 1), ("z", 3)))
    frequency = {"y": Fraction(1, 4), "z": Fraction(3, 4)}
    assert shape.shares(SensitiveColumn(["y", "z"], [1, 3]), exact=True) == [frequency, frequency]


def test_a_count_that_no_float_holds_is_refused_as_any_other() -> None:
    """101,766 hospital stays with some hundred diagnoses: the steps have thousands of digits."""
    counts = [1_000] * 400
    with pytest.raises(OverBudget, match=r"2 classes of 400 values take about 1e\+\d{4} steps, more than the budget"):
        posterior_of_parts([200_000, 200_000], counts, lambda _, vectors: vectors[:, 0] > 1)
    with pytest.raises(OverBudget, match=r"1e\+\d{4,} worlds"):
        refuse_too_many({"a": 5_000, "b": 5_000}, 20_000, 10**6)
