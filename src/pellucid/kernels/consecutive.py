"""Groups of consecutive rows: buckets until a group is diverse, halves while both are, and counts of prefixes.

Codes are the sensitive codes by position in the line; -1 is a value that nobody protects and that is not counted.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.pellucid.kernels.siphash import siphash


def greedy(
    codes: cython.const[int32_t][::1],
    orders: cython.const[int64_t][::1],
    l: int64_t,
    bucket: int64_t,
    key0: uint64_t,
    key1: uint64_t,
    goes_on: uint64_t,
    counts: int64_t[::1],
    ends: int64_t[::1],
) -> int:
    """Close a group at the first bucket where no value has more than one row in l; returns how many groups there are.

    ``ends[g]`` is one past the last row of group g. A group that could be closed goes on when the coin of its last
    row, a number below 2**63, is below ``goes_on``; at the last bucket there is nothing to go on with. ``counts`` has
    one zero per code.
    """
    groups: int64_t = 0
    first: int64_t = 0  # of the group
    end: int64_t = 0  # of the bucket
    rows: int64_t = codes.shape[0] // bucket * bucket
    most: int64_t = 0
    p: int64_t
    with cython.nogil:
        while end < rows:
            for p in range(end, end + bucket):
                if codes[p] >= 0:
                    counts[codes[p]] += 1
                    most = max(most, counts[codes[p]])
            end += bucket
            if most * l > end - first:
                continue
            if end < rows and siphash(key0, key1, cython.cast(uint64_t, orders[end - 1])) >> 1 < goes_on:
                continue
            for p in range(first, end):
                if codes[p] >= 0:
                    counts[codes[p]] = 0
            ends[groups] = end
            groups += 1
            first = end
            most = 0
        for p in range(first, rows):
            if codes[p] >= 0:
                counts[codes[p]] = 0
    return groups


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def diverse(
    codes: cython.const[int32_t][::1], first: int64_t, end: int64_t, l: int64_t, counts: int64_t[::1]
) -> cython.bint:
    """Whether no value has more than one row in l of first..end - 1; stops as soon as one has."""
    p: int64_t
    most: int64_t = (end - first) // l
    stop: int64_t = end
    exceeded: cython.bint = False
    for p in range(first, end):
        if codes[p] >= 0:
            counts[codes[p]] += 1
            if counts[codes[p]] > most:
                stop = p + 1
                exceeded = True
                break
    for p in range(first, stop):
        if codes[p] >= 0:
            counts[codes[p]] = 0
    return not exceeded


def halves(codes: cython.const[int32_t][::1], l: int64_t, counts: int64_t[::1], ends: int64_t[::1]) -> int:
    """Halve while both halves are diverse, the larger half left; returns how many groups there are.

    ``ends[g]`` is one past the last row of group g; ``counts`` has one zero per code.
    """
    first_of: int64_t[130]  # what is still to do: at each of at most 64 depths one right half, and the current one
    end_of: int64_t[130]
    waiting: cython.int = 0
    groups: int64_t = 0
    first: int64_t
    end: int64_t
    middle: int64_t
    with cython.nogil:
        if codes.shape[0] > 0:
            first_of[0] = 0
            end_of[0] = codes.shape[0]
            waiting = 1
        while waiting > 0:
            waiting -= 1
            first = first_of[waiting]
            end = end_of[waiting]
            middle = first + (end - first + 1) // 2
            if middle < end and diverse(codes, first, middle, l, counts) and diverse(codes, middle, end, l, counts):
                first_of[waiting] = middle
                end_of[waiting] = end
                first_of[waiting + 1] = first
                end_of[waiting + 1] = middle
                waiting += 2
            else:
                ends[groups] = end
                groups += 1
    return groups


def prefixes(
    codes: cython.const[int32_t][::1],
    firsts: cython.const[int64_t][::1],
    bucket: int64_t,
    fewest: int64_t,
    most: int64_t,
    counts: int64_t[::1],
    present: int32_t[::1],
    sizes: int64_t[::1],
    starts: int64_t[::1],
    codes_out: int32_t[::1],
    counts_out: int64_t[::1],
) -> int:
    """The counts of the first fewest..most buckets from each of ``firsts``, as sparse rows with ascending codes.

    Window w has ``sizes[w]`` rows, and its values are ``codes_out[starts[w]:starts[w + 1]]``; returns how many entries
    there are. ``counts`` has one zero per code, ``present`` room for every code.
    """
    i: cython.Py_ssize_t
    window: int64_t = 0
    entries: int64_t = 0
    found: int64_t
    number: int64_t
    p: int64_t
    j: int64_t
    code: int32_t
    with cython.nogil:
        starts[0] = 0
        for i in range(firsts.shape[0]):
            found = 0
            for number in range(1, most + 1):
                for p in range(firsts[i] + (number - 1) * bucket, firsts[i] + number * bucket):
                    code = codes[p]
                    counts[code] += 1
                    if counts[code] == 1:  # the codes present stay in ascending order
                        j = found
                        while j > 0 and present[j - 1] > code:
                            present[j] = present[j - 1]
                            j -= 1
                        present[j] = code
                        found += 1
                if number < fewest:
                    continue
                for j in range(found):
                    codes_out[entries] = present[j]
                    counts_out[entries] = counts[present[j]]
                    entries += 1
                sizes[window] = number * bucket
                window += 1
                starts[window] = entries
            for j in range(found):
                counts[present[j]] = 0
    return entries
