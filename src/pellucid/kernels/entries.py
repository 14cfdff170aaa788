"""From rows to entries: one record per distinct quasi-identifier vector, its rows contiguous and in row order.

A cut of Tailor is by value, or by (value, row order) inside a run of equal values, so an entry always stays one range
of positions. Ten million census rows make 130,000 entries.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.pellucid.kernels.sorting import sort_pairs


def extend_keys(keys: uint64_t[::1], codes: cython.const[int32_t][::1], base: uint64_t) -> None:
    """keys[i] = keys[i] * base + codes[i]."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(keys.shape[0]):
            keys[i] = keys[i] * base + cython.cast(uint64_t, codes[i])


def count_digits(keys: cython.const[uint64_t][::1], shift: cython.int, counts: int64_t[::1]) -> None:
    """Count each value of the digit (keys >> shift) modulo the number of counts (a power of two, or above all keys)."""
    i: cython.Py_ssize_t
    mask: uint64_t = cython.cast(uint64_t, counts.shape[0] - 1)
    with cython.nogil:
        for i in range(keys.shape[0]):
            counts[(keys[i] >> shift) & mask] += 1


def scatter(
    keys: cython.const[uint64_t][::1],
    rows: cython.const[int32_t][::1],
    shift: cython.int,
    places: int64_t[::1],
    keys_out: uint64_t[::1],
    rows_out: int32_t[::1],
) -> None:
    """One pass of a radix sort: put each key and row at its digit's next place."""
    i: cython.Py_ssize_t
    place: int64_t
    digit: uint64_t
    mask: uint64_t = cython.cast(uint64_t, places.shape[0] - 1)
    with cython.nogil:
        for i in range(keys.shape[0]):
            digit = (keys[i] >> shift) & mask
            place = places[digit]
            places[digit] = place + 1
            keys_out[place] = keys[i]
            rows_out[place] = rows[i]


def scatter_rows(
    keys: cython.const[uint64_t][::1], first: int32_t, places: int64_t[::1], rows_out: int32_t[::1]
) -> None:
    """A whole counting sort in one pass, for keys smaller than the number of places; rows count from ``first``."""
    i: cython.Py_ssize_t
    place: int64_t
    with cython.nogil:
        for i in range(keys.shape[0]):
            place = places[keys[i]]
            places[keys[i]] = place + 1
            rows_out[place] = cython.cast(int32_t, first + i)


def mark_changes(keys: cython.const[uint64_t][::1], changes: cython.uchar[::1]) -> None:
    """changes[i] = 1 where a new key begins."""
    i: cython.Py_ssize_t
    with cython.nogil:
        if keys.shape[0] > 0:
            changes[0] = 1
        for i in range(1, keys.shape[0]):
            changes[i] = keys[i] != keys[i - 1]


def order_within(
    starts: cython.const[int64_t][::1],
    first: int64_t,
    last: int64_t,
    rows: int32_t[::1],
    order: cython.const[int64_t][::1],
    orders_out: int64_t[::1],
) -> None:
    """Sort the rows of each range starts[e]..starts[e + 1] - 1, first <= e < last, by row order; gather the orders."""
    e: int64_t
    p: int64_t
    a: int64_t
    n: int64_t
    longest: int64_t = 1
    spare_keys: cython.pointer(int64_t)
    spare_values: cython.pointer(int32_t)
    with cython.nogil:
        for e in range(first, last):
            if starts[e + 1] - starts[e] > longest:
                longest = starts[e + 1] - starts[e]
        spare_keys = cython.cast(cython.pointer(int64_t), malloc(longest * cython.sizeof(int64_t)))
        spare_values = cython.cast(cython.pointer(int32_t), malloc(longest * cython.sizeof(int32_t)))
        if spare_keys != cython.NULL and spare_values != cython.NULL:
            for e in range(first, last):
                a = starts[e]
                n = starts[e + 1] - a
                for p in range(a, a + n):
                    orders_out[p] = order[rows[p]]
                if n > 1:
                    sort_pairs(cython.address(orders_out[a]), cython.address(rows[a]), n, spare_keys, spare_values)
    failed: cython.bint = spare_keys == cython.NULL or spare_values == cython.NULL
    free(spare_keys)
    free(spare_values)
    if failed:
        raise MemoryError


def gather(
    codes: cython.const[int32_t][::1], rows: cython.const[int32_t][::1], shift: int32_t, out: int32_t[::1]
) -> None:
    """out[p] = codes[rows[p]] + shift."""
    p: cython.Py_ssize_t
    with cython.nogil:
        for p in range(rows.shape[0]):
            out[p] = codes[rows[p]] + shift


def fill_records(
    records: int32_t[:, ::1],
    column: cython.int,
    codes: cython.const[int32_t][::1],
    rows: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
) -> None:
    """Write one attribute's code of every entry into the entries' records."""
    e: cython.Py_ssize_t
    with cython.nogil:
        for e in range(records.shape[0]):
            records[e, column] = codes[rows[starts[e]]]
