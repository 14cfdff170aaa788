"""The kernel behind published rows, against numpy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from pellucid.core.table import compact
from pellucid.kernels import canonical


def some_groups(
    generator: np.random.Generator, sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], int]:
    """Members and starts of groups of these sizes, with rows in no order and some rows in no group."""
    rows = int(sizes.sum()) + 5
    members = generator.permutation(rows)[:-5].astype(np.int32)
    return members, np.append(0, np.cumsum(sizes)).astype(np.int64), rows


def rows_of(group: int, members: NDArray[np.int32], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    return members[starts[group] : starts[group + 1]]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("smallest", "largest", "distinct"),
    [
        (1, 10, 7),  # at most 32 rows: by insertion
        (1, 10, 100_000),
        (20, 60, 1),  # more than 32 rows and few keys: by counting
        (20, 60, 80),
        (11, 12, 4 * 33),  # boxes of 33 rows and more, keys up to just four times as many
        (20, 60, 100_000),  # more than 32 rows and many keys: by radix
        (20, 60, 1 << 22),
        (1, 60, 200),  # boxes of all three kinds side by side
    ],
)
def test_the_keys_of_each_box_are_sorted(seed: int, smallest: int, largest: int, distinct: int) -> None:
    generator = np.random.default_rng(seed)
    in_box = 3  # groups per box, but for the last box, which has one
    groups = 3 * 20 + 1
    members, starts, rows = some_groups(generator, generator.integers(smallest, largest + 1, groups))
    keys = generator.integers(0, distinct, rows).astype(np.int32)
    order = generator.permutation(groups).astype(np.int32)
    boxes = np.append(np.arange(0, groups, in_box), groups).astype(np.int64)
    expected = [
        np.sort(np.concatenate([keys[rows_of(g, members, starts)] for g in order[a:b]])) for a, b in pairwise(boxes)
    ]
    out_starts = np.append(0, np.cumsum([len(box) for box in expected])).astype(np.int64)
    out = np.full(out_starts[-1], -7, np.int32)
    first, middle, last = 0, 8, len(boxes) - 1
    canonical.sorted_within(keys, members, starts, order, boxes, first, middle, distinct, out_starts, out)
    assert (out[out_starts[middle] :] == -7).all()  # the boxes behind are somebody else's
    small = compact(keys, distinct)
    canonical.sorted_within(small, members, starts, order, boxes, middle, last, distinct, out_starts, out)
    assert out.tolist() == np.concatenate(expected).tolist()


@pytest.mark.parametrize("n", [31, 32, 33, 34])
@pytest.mark.parametrize("beside", [-1, 0, 1])
def test_the_keys_of_a_box_are_sorted_on_either_side_of_where_the_way_of_sorting_changes(n: int, beside: int) -> None:
    distinct = 4 * n + beside
    keys = np.random.default_rng(n).integers(0, distinct, n).astype(np.int32)
    keys[[0, -1]] = distinct - 1, 0
    starts = np.array([0, 10, n], np.int64)
    out = np.empty(n, np.int32)
    canonical.sorted_within(
        keys,
        np.arange(n, dtype=np.int32),
        starts,
        np.array([1, 0], np.int32),
        np.array([0, 2], np.int64),
        0,
        1,
        distinct,
        np.array([0, n], np.int64),
        out,
    )
    assert out.tolist() == np.sort(keys).tolist()


@pytest.mark.parametrize("dtype", [np.int32, np.uint8])
@pytest.mark.parametrize("null", [-1, 0])
def test_the_range_of_a_group_leaves_nulls_aside_and_says_that_they_are_there(null: int, dtype: type) -> None:
    generator = np.random.default_rng(null + 1)
    members, starts, rows = some_groups(generator, generator.integers(1, 4, 300))
    codes = generator.choice(np.array([0, 0, 0, 1, 5, 200], dtype), rows)
    low, high, nulls = np.empty(300, np.int32), np.empty(300, np.int32), np.empty(300, np.uint8)
    for a, b in [(0, 120), (120, 300)]:  # in two stretches, as two threads do it
        canonical.group_ranges(codes, members, starts[a : b + 1], null, low[a:b], high[a:b], nulls[a:b])
    only_nulls = 0
    for g in range(300):
        values = codes[rows_of(g, members, starts)]
        known = values[values != null]
        only_nulls += not len(known)
        expected = (known.min(), known.max()) if len(known) else (-1, -1)
        assert (low[g], high[g], nulls[g]) == (*expected, (values == null).any())
    assert (only_nulls > 0) == (null == 0)


@pytest.mark.parametrize("distinct", [1, 31, 33, 64])
def test_the_set_of_a_group_has_a_bit_for_each_of_its_codes(distinct: int) -> None:
    generator = np.random.default_rng(distinct)
    members, starts, rows = some_groups(generator, generator.integers(1, 9, 200))
    codes = generator.integers(0, distinct, rows).astype(np.int32)
    codes[members[:2]] = distinct - 1
    sets = np.empty(200, np.uint64)
    for a, b in [(0, 90), (90, 200)]:
        canonical.group_sets(codes, members, starts[a : b + 1], sets[a:b])
    assert sets.tolist() == [
        sum(1 << code for code in set(codes[rows_of(g, members, starts)].tolist())) for g in range(200)
    ]


def prints(*stretches: list[int]) -> list[int]:
    keys = np.array([key for stretch in stretches for key in stretch], np.int32)
    starts = np.append(0, np.cumsum([len(stretch) for stretch in stretches])).astype(np.int64)
    out = np.empty(len(stretches), np.int64)
    distinct, places = np.unique(keys, return_inverse=True)
    canonical.fingerprints(places.astype(np.int32), distinct.astype(np.int64), starts, out)
    return out.tolist()


def test_a_fingerprint_is_the_same_wherever_the_keys_stand() -> None:
    alone = prints([3, 1, 4, 1, 5])[0]
    assert prints([9], [3, 1, 4, 1, 5], [2, 6], [3, 1, 4, 1, 5])[1::2] == [alone, alone]
    assert alone >= 0


def test_a_fingerprint_differs_when_any_key_differs_or_stands_elsewhere_or_is_missing() -> None:
    keys = np.random.default_rng(1).integers(0, 2**31 - 1, 40).tolist()
    others = [[*keys[:i], keys[i] ^ (1 << bit), *keys[i + 1 :]] for i in range(40) for bit in range(31)]
    others += [[*keys[:i], keys[i + 1], keys[i], *keys[i + 2 :]] for i in range(39)]
    others += [[*keys[:i], *keys[i + 1 :]] for i in range(40)]
    others += [keys[::-1], [*keys, 0], [0, *keys]]
    assert len(set(prints(keys, *others))) == 1 + len(others)


def test_fingerprints_of_all_short_stretches_are_different() -> None:
    stretches = [[a] for a in range(40)] + [[a, b] for a in range(40) for b in range(40)]
    stretches += [[0] * length for length in range(3, 30)]
    assert len(set(prints(*stretches))) == len(stretches)


def test_the_word_of_a_vector_differs_when_any_code_differs_or_stands_elsewhere() -> None:
    vectors = np.array([(a, b, c) for a in range(12) for b in range(12) for c in range(12)], np.int32)
    words = np.zeros(len(vectors), np.int64)
    for column in vectors.T:
        canonical.add_to_words(np.ascontiguousarray(column), words)
    assert len(set(words.tolist())) == len(vectors)
    assert (words >= 0).all()
