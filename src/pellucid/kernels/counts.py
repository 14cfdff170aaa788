"""Counting the sensitive values of groups: every pass is linear, and no row is compared with another."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t


def tally(codes: cython.const[int32_t][::1], counts: int64_t[::1]) -> None:
    """Add to ``counts[code]`` how often each code occurs."""
    row: cython.Py_ssize_t
    with cython.nogil:
        for row in range(codes.shape[0]):
            counts[codes[row]] += 1


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
    labels: cython.const[int32_t][::1],
    ends: cython.const[int64_t][::1],
    last: int32_t[::1],
    found: int64_t[::1],
    sizes: int64_t[::1],
) -> None:
    """How many codes each label meets, and how often it occurs; ``last`` begins as -1 for every label."""
    code: cython.Py_ssize_t
    place: int64_t = 0
    with cython.nogil:
        for code in range(ends.shape[0]):
            while place < ends[code]:
                if last[labels[place]] != code:
                    last[labels[place]] = cython.cast(int32_t, code)
                    found[labels[place]] += 1
                sizes[labels[place]] += 1
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


def largest_sums(
    counts: cython.const[int64_t][::1],
    starts: cython.const[int64_t][::1],
    values: int64_t,
    largest: int64_t[::1],
    sums: int64_t[::1],
) -> None:
    """Per group the sum of its so many largest counts; ``largest`` has room for that many numbers."""
    group: cython.Py_ssize_t
    place: int64_t
    i: int64_t
    kept: int64_t
    count: int64_t
    total: int64_t
    with cython.nogil:
        for group in range(sums.shape[0]):
            kept = 0
            total = 0
            for place in range(starts[group], starts[group + 1]):
                count = counts[place]
                if kept == values:
                    if values == 0 or count <= largest[kept - 1]:
                        continue
                    total -= largest[kept - 1]
                    kept -= 1
                i = kept  # insertion: the numbers kept so far stand largest first
                while i > 0 and largest[i - 1] < count:
                    largest[i] = largest[i - 1]
                    i -= 1
                largest[i] = count
                kept += 1
                total += count
            sums[group] = total
