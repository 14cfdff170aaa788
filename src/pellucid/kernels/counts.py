"""Counting the sensitive values of groups: every pass is linear, and no row is compared with another."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t


def by_code(
    labels: cython.const[int32_t][::1],
    codes: cython.const[int32_t][::1],
    ends: int64_t[::1],
    out: int32_t[::1],
) -> None:
    """The labels of the rows in ascending order of their codes; ``ends[code]`` begins as the code's first place.

    Rows with a negative label are left out. Afterwards ``ends[code]`` is one past the code's last place.
    """
    row: cython.Py_ssize_t
    label: int32_t
    with cython.nogil:
        for row in range(labels.shape[0]):
            label = labels[row]
            if label >= 0:
                out[ends[codes[row]]] = label
                ends[codes[row]] += 1


def distinct(
    labels: cython.const[int32_t][::1], ends: cython.const[int64_t][::1], last: int32_t[::1], found: int64_t[::1]
) -> None:
    """How many codes each label meets; ``last`` begins as -1 for every label."""
    code: cython.Py_ssize_t
    place: int64_t = 0
    with cython.nogil:
        for code in range(ends.shape[0]):
            while place < ends[code]:
                if last[labels[place]] != code:
                    last[labels[place]] = cython.cast(int32_t, code)
                    found[labels[place]] += 1
                place += 1


def fill(
    labels: cython.const[int32_t][::1],
    ends: cython.const[int64_t][::1],
    last: int32_t[::1],
    places: int64_t[::1],
    out_codes: int32_t[::1],
    out_counts: int64_t[::1],
) -> None:
    """Each label's codes, ascending, and their counts; ``last`` begins as -1, ``places[label]`` as its first place."""
    code: cython.Py_ssize_t
    place: int64_t = 0
    label: int32_t
    with cython.nogil:
        for code in range(ends.shape[0]):
            while place < ends[code]:
                label = labels[place]
                if last[label] != code:
                    last[label] = cython.cast(int32_t, code)
                    out_codes[places[label]] = cython.cast(int32_t, code)
                    out_counts[places[label]] = 0
                    places[label] += 1
                out_counts[places[label] - 1] += 1
                place += 1
