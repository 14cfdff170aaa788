"""The loops between values and codes: a table for narrow ranges, a hash for wide ones.

Each loop makes one pass over a column chunk and releases the interpreter lock. The plain definition that the tests
compare with is ``numpy.unique(values, return_inverse=True)``.
"""

import cython
from cython.cimports.libc.stdint import int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t

Integer = cython.fused_type(int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t)


def mark_present(values: cython.const[Integer][::1], low: cython.longlong, present: cython.uchar[::1]) -> None:
    """Set ``present[value - low]`` for every value."""
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(values.shape[0]):
            present[cython.cast(cython.longlong, values[row]) - low] = 1


def look_up(
    values: cython.const[Integer][::1],
    low: cython.longlong,
    code_of: cython.const[cython.int][::1],
    codes: cython.int[::1],
) -> None:
    """Set ``codes[row] = code_of[values[row] - low]``."""
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(values.shape[0]):
            codes[row] = code_of[cython.cast(cython.longlong, values[row]) - low]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def slot_of(key: cython.ulonglong, mask: cython.ulonglong) -> cython.ulonglong:
    """The first slot to look at: the mixer of splitmix64, which spreads keys that differ in any few bits."""
    key = (key ^ (key >> 30)) * cython.cast(cython.ulonglong, 0xBF58476D1CE4E5B9)
    key = (key ^ (key >> 27)) * cython.cast(cython.ulonglong, 0x94D049BB133111EB)
    return (key ^ (key >> 31)) & mask


def fill_hash(
    distinct: cython.const[cython.longlong][::1],
    first_code: cython.int,
    slot_keys: cython.longlong[::1],
    slot_codes: cython.int[::1],
) -> None:
    """Enter the distinct values with the codes first_code, first_code + 1, ... into an open-addressing table.

    The number of slots is a power of two of at least twice the number of values; an empty slot has code -1.
    """
    i: cython.Py_ssize_t
    slot: cython.ulonglong
    mask: cython.ulonglong = slot_codes.shape[0] - 1
    with cython.nogil:
        for i in range(distinct.shape[0]):
            slot = slot_of(cython.cast(cython.ulonglong, distinct[i]), mask)
            while slot_codes[slot] >= 0:
                slot = (slot + 1) & mask
            slot_keys[slot] = distinct[i]
            slot_codes[slot] = first_code + cython.cast(cython.int, i)


def find_in_hash(
    values: cython.const[cython.longlong][::1],
    slot_keys: cython.const[cython.longlong][::1],
    slot_codes: cython.const[cython.int][::1],
    codes: cython.int[::1],
) -> None:
    """Set ``codes[row]`` to the code of ``values[row]``, or to -1 when it is not in the table."""
    row: cython.Py_ssize_t
    slot: cython.ulonglong
    mask: cython.ulonglong = slot_codes.shape[0] - 1
    with cython.nogil:
        for row in range(values.shape[0]):
            slot = slot_of(cython.cast(cython.ulonglong, values[row]), mask)
            while slot_codes[slot] >= 0 and slot_keys[slot] != values[row]:
                slot = (slot + 1) & mask
            codes[row] = slot_codes[slot]
