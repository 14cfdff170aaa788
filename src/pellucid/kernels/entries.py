"""From rows to entries: one record per distinct quasi-identifier vector, its rows contiguous and in row order.

A cut of Tailor is by value, or by (value, row order) inside a run of equal values, so an entry always stays one range
of positions. Ten million census rows make 130,000 entries.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.libc.string import memcpy
from cython.cimports.pellucid.kernels.arena import Arena, int32s, int64s
from cython.cimports.pellucid.kernels.siphash import siphash
from cython.cimports.pellucid.kernels.sorting import sort_pairs

Key = cython.fused_type(uint32_t, uint64_t)
Code = cython.fused_type(uint8_t, int32_t)


def extend_keys(keys: Key[::1], codes: cython.const[int32_t][::1], base: uint64_t) -> None:
    """keys[i] = keys[i] * base + codes[i]."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(keys.shape[0]):
            keys[i] = keys[i] * base + cython.cast(uint64_t, codes[i])


def count_digits(keys: Key[::1], shift: cython.int, counts: int32_t[::1]) -> None:
    """Count each value of the digit (keys >> shift) modulo the number of counts (a power of two, or above all keys)."""
    i: cython.Py_ssize_t
    mask: uint64_t = cython.cast(uint64_t, counts.shape[0] - 1)
    with cython.nogil:
        for i in range(keys.shape[0]):
            counts[(keys[i] >> shift) & mask] += 1


def scatter(
    keys: Key[::1],
    rows: cython.const[int32_t][::1],
    shift: cython.int,
    places: int32_t[::1],
    keys_out: Key[::1],
    rows_out: int32_t[::1],
) -> None:
    """One pass of a radix sort: put each key and row at its digit's next place."""
    i: cython.Py_ssize_t
    place: int32_t
    digit: uint64_t
    mask: uint64_t = cython.cast(uint64_t, places.shape[0] - 1)
    with cython.nogil:
        for i in range(keys.shape[0]):
            digit = (keys[i] >> shift) & mask
            place = places[digit]
            places[digit] = place + 1
            keys_out[place] = keys[i]
            rows_out[place] = rows[i]


def scatter_rows(keys: Key[::1], first: int32_t, places: int32_t[::1], rows_out: int32_t[::1]) -> None:
    """A whole counting sort in one pass, for keys smaller than the number of places; rows count from ``first``."""
    i: cython.Py_ssize_t
    place: int32_t
    with cython.nogil:
        for i in range(keys.shape[0]):
            place = places[keys[i]]
            places[keys[i]] = place + 1
            rows_out[place] = cython.cast(int32_t, first + i)


def count_changes(keys: Key[::1], first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> int64_t:
    """How many new keys begin in first..last-1."""
    i: cython.Py_ssize_t
    found: int64_t = 0
    with cython.nogil:
        for i in range(first, last):
            found += i == 0 or keys[i] != keys[i - 1]
    return found


def list_changes(keys: Key[::1], first: cython.Py_ssize_t, last: cython.Py_ssize_t, starts: int64_t[::1]) -> None:
    """Where they begin."""
    i: cython.Py_ssize_t
    found: int64_t = 0
    with cython.nogil:
        for i in range(first, last):
            if i == 0 or keys[i] != keys[i - 1]:
                starts[found] = i
                found += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def longest_range(starts: cython.const[int64_t][::1], first: int64_t, last: int64_t) -> int64_t:
    e: int64_t
    longest: int64_t = 1
    for e in range(first, last):
        longest = max(longest, starts[e + 1] - starts[e])
    return longest


def order_within(
    starts: cython.const[int64_t][::1],
    first: int64_t,
    last: int64_t,
    rows: int32_t[::1],
    order: cython.const[int64_t][::1],
    orders_out: int64_t[::1],
) -> None:
    """Sort the rows of each range starts[e]..starts[e + 1] - 1, first <= e < last, by row order; gather the orders."""
    if order.shape[0] > 0:
        sort_ranges(starts, first, last, rows, cython.address(order[0]), 0, 0, orders_out)


def drawn_within(
    starts: cython.const[int64_t][::1],
    first: int64_t,
    last: int64_t,
    rows: int32_t[::1],
    key0: uint64_t,
    key1: uint64_t,
    orders_out: int64_t[::1],
) -> None:
    """The same where the row order is drawn: the keyed hash of a row's number (:mod:`.keyed`), not kept."""
    sort_ranges(starts, first, last, rows, cython.NULL, key0, key1, orders_out)


@cython.cfunc
def sort_ranges(
    starts: cython.const[int64_t][::1],
    first: int64_t,
    last: int64_t,
    rows: int32_t[::1],
    order: cython.pointer(cython.const[int64_t]),
    key0: uint64_t,
    key1: uint64_t,
    orders_out: int64_t[::1],
) -> cython.void:
    e: int64_t
    p: int64_t
    a: int64_t
    n: int64_t
    longest: int64_t
    arena: Arena = Arena()
    spare_keys: cython.pointer(int64_t)
    spare_values: cython.pointer(int32_t)
    with cython.nogil:
        longest = longest_range(starts, first, last)
    spare_keys = int64s(cython.address(arena.room), longest)
    spare_values = int32s(cython.address(arena.room), longest)
    arena.check()
    with cython.nogil:
        for e in range(first, last):
            a = starts[e]
            n = starts[e + 1] - a
            if order == cython.NULL:
                for p in range(a, a + n):
                    orders_out[p] = cython.cast(int64_t, siphash(key0, key1, cython.cast(uint64_t, rows[p])) >> 1)
            else:
                for p in range(a, a + n):
                    orders_out[p] = order[rows[p]]
            if n > 1:
                sort_pairs(cython.address(orders_out[a]), cython.address(rows[a]), n, spare_keys, spare_values)


def gather(codes: cython.const[Code][::1], rows: cython.const[int32_t][::1], shift: int32_t, out: int32_t[::1]) -> None:
    """out[p] = codes[rows[p]] + shift."""
    p: cython.Py_ssize_t
    with cython.nogil:
        for p in range(rows.shape[0]):
            out[p] = codes[rows[p]] + shift


def take_records(
    records: cython.const[int32_t][:, ::1],
    by_order: cython.const[int32_t][::1],
    numbers: cython.const[int32_t][::1],
    out: int32_t[:, ::1],
) -> None:
    """out[p] = records[by_order[numbers[p]]]."""
    p: cython.Py_ssize_t
    width: cython.Py_ssize_t = records.shape[1] * cython.sizeof(int32_t)
    with cython.nogil:
        for p in range(numbers.shape[0]):
            memcpy(cython.address(out[p, 0]), cython.address(records[by_order[numbers[p]], 0]), width)


def fill_codes(
    records: int32_t[:, ::1],
    column: cython.int,
    codes: cython.const[int32_t][::1],
    rows: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
) -> None:
    """Write one attribute's code of every entry into the entries' records; there is one start more than records."""
    e: cython.Py_ssize_t
    with cython.nogil:
        for e in range(records.shape[0]):
            records[e, column] = codes[rows[starts[e]]]


def fill_ranges(records: int32_t[:, ::1], attributes: cython.int, starts: cython.const[int64_t][::1]) -> None:
    """Write every entry's first position and number of rows, and zeros where attributes are missing in a block."""
    e: cython.Py_ssize_t
    i: cython.Py_ssize_t
    width: cython.Py_ssize_t = records.shape[1]
    with cython.nogil:
        for e in range(records.shape[0]):
            for i in range(attributes, width - 2):
                records[e, i] = 0
            records[e, width - 2] = cython.cast(int32_t, starts[e])
            records[e, width - 1] = cython.cast(int32_t, starts[e + 1] - starts[e])
