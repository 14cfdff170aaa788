"""Sorting and selecting 64-bit keys: what the other kernels need, in guaranteed n log n time."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libc.string import memcpy

RUN = cython.declare(int64_t, 24)  # shorter stretches are sorted by insertion
BUCKETS = cython.declare(int64_t, 1024)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def insertion(keys: cython.pointer(int64_t), values: cython.pointer(int32_t), n: int64_t) -> cython.void:
    i: int64_t
    j: int64_t
    key: int64_t
    value: int32_t
    for i in range(1, n):
        key = keys[i]
        value = values[i]
        j = i - 1
        while j >= 0 and keys[j] > key:
            keys[j + 1] = keys[j]
            values[j + 1] = values[j]
            j -= 1
        keys[j + 1] = key
        values[j + 1] = value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def merge_sort(
    keys: cython.pointer(int64_t),
    values: cython.pointer(int32_t),
    n: int64_t,
    spare_keys: cython.pointer(int64_t),
    spare_values: cython.pointer(int32_t),
) -> cython.void:
    """A stable bottom-up merge sort."""
    width: int64_t = RUN
    start: int64_t
    middle: int64_t
    end: int64_t
    a: int64_t
    b: int64_t
    out: int64_t
    start = 0
    while start < n:
        insertion(keys + start, values + start, min(RUN, n - start))
        start += RUN
    while width < n:
        start = 0
        while start < n:
            middle = min(start + width, n)
            end = min(middle + width, n)
            if middle < end and keys[middle - 1] > keys[middle]:
                memcpy(spare_keys, keys + start, (middle - start) * cython.sizeof(int64_t))
                memcpy(spare_values, values + start, (middle - start) * cython.sizeof(int32_t))
                a = 0
                b = middle
                out = start
                while a < middle - start:
                    if b < end and keys[b] < spare_keys[a]:
                        keys[out] = keys[b]
                        values[out] = values[b]
                        b += 1
                    else:
                        keys[out] = spare_keys[a]
                        values[out] = spare_values[a]
                        a += 1
                    out += 1
            start = end
        width *= 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_pairs(
    keys: cython.pointer(int64_t),
    values: cython.pointer(int32_t),
    n: int64_t,
    spare_keys: cython.pointer(int64_t),
    spare_values: cython.pointer(int32_t),
) -> cython.void:
    """Sort keys ascending and carry values along, stable, with room for n pairs to spare.

    Keys are mostly keyed hashes or ranks, so they are first dealt into evenly spaced buckets; where that fails (uneven
    keys make long buckets) merging still sorts in n log n.
    """
    counts: int32_t[1026]
    buckets: int64_t
    i: int64_t
    b: int64_t
    start: int64_t
    length: int64_t
    low: int64_t
    high: int64_t
    scale: cython.double
    if n <= RUN:
        insertion(keys, values, n)
        return
    sorted_already: cython.bint = True
    low = keys[0]
    high = keys[0]
    for i in range(1, n):
        if keys[i - 1] > keys[i]:
            sorted_already = False
        low = min(low, keys[i])
        high = max(high, keys[i])
    if sorted_already:
        return
    if cython.cast(cython.double, low) == cython.cast(cython.double, high):
        merge_sort(keys, values, n, spare_keys, spare_values)
        return
    buckets = min(n >> 2, BUCKETS)
    scale = (buckets - 0.5) / (cython.cast(cython.double, high) - cython.cast(cython.double, low))
    for b in range(buckets + 2):
        counts[b] = 0
    for i in range(n):
        b = cython.cast(int64_t, (cython.cast(cython.double, keys[i]) - low) * scale)
        counts[b + 1] += 1
    for b in range(buckets):
        counts[b + 1] += counts[b]
    for i in range(n):
        b = cython.cast(int64_t, (cython.cast(cython.double, keys[i]) - low) * scale)
        spare_keys[counts[b]] = keys[i]
        spare_values[counts[b]] = values[i]
        counts[b] += 1
    memcpy(keys, spare_keys, n * cython.sizeof(int64_t))
    memcpy(values, spare_values, n * cython.sizeof(int32_t))
    start = 0
    for b in range(buckets):
        length = counts[b] - start
        if length > RUN:
            merge_sort(keys + start, values + start, length, spare_keys, spare_values)
        elif length > 1:
            insertion(keys + start, values + start, length)
        start = counts[b]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def select(keys: cython.pointer(int64_t), n: int64_t, k: int64_t) -> int64_t:
    """The k-th smallest of n keys, k from 0 (the keys are rearranged)."""
    low: int64_t = 0
    high: int64_t = n - 1
    i: int64_t
    j: int64_t
    pivot: int64_t
    swap: int64_t
    seed: int64_t = 20101104
    while low < high:
        # a pivot at a scrambled place: no arrangement of real data makes this quadratic
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        pivot = keys[low + seed % (high - low + 1)]
        i = low
        j = high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                swap = keys[i]
                keys[i] = keys[j]
                keys[j] = swap
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            return keys[k]
    return keys[low]
