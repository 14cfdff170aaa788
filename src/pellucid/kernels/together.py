"""Assign where several sensitive columns are protected at once: which vectors of values make the next bucket.

In a bucket of w columns no value of a sensitive column stands in more than w / l of them, and what is left over has
none in more than one row in l. The plain definition is ``next_bucket`` in tests/plain/several.py.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libc.stdlib import calloc, free, malloc
from cython.cimports.libc.string import memset


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def open_together(
    t: cython.pointer(Together),
    parts: cython.pointer(cython.const[int32_t]),
    columns: int64_t,
    values: int64_t,
    rows: int64_t,
    most: int64_t,
) -> cython.bint:
    """Room for leaves of so many rows; False when there is not enough memory."""
    t.parts = parts
    t.columns = columns
    t.most = most
    t.held = cython.cast(cython.pointer(int64_t), calloc(values + 1, cython.sizeof(int64_t)))
    t.standing = cython.cast(cython.pointer(int32_t), calloc(values + 1, cython.sizeof(int32_t)))
    t.picked = cython.cast(cython.pointer(int32_t), malloc((rows + 1) * cython.sizeof(int32_t)))
    t.chosen = cython.cast(cython.pointer(int32_t), malloc((rows + 1) * cython.sizeof(int32_t)))
    return t.held != cython.NULL and t.standing != cython.NULL and t.picked != cython.NULL and t.chosen != cython.NULL


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def close_together(t: cython.pointer(Together)) -> cython.void:
    free(t.held)
    free(t.standing)
    free(t.picked)
    free(t.chosen)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hold(t: cython.pointer(Together), vector: int32_t, rows: int64_t) -> cython.void:
    """So many more rows of a vector are left; fewer when negative."""
    i: int64_t
    part: cython.pointer(cython.const[int32_t]) = t.parts + vector * t.columns
    for i in range(t.columns):
        if part[i] >= 0:
            t.held[part[i]] += rows


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def stand(t: cython.pointer(Together), vector: int32_t, columns: int32_t) -> cython.void:
    """A vector takes so many more columns of the bucket."""
    i: int64_t
    part: cython.pointer(cython.const[int32_t]) = t.parts + vector * t.columns
    for i in range(t.columns):
        if part[i] >= 0:
            t.standing[part[i]] += columns


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def most_urgent(
    t: cython.pointer(Together),
    vectors: cython.pointer(cython.const[int32_t]),
    counts: cython.pointer(cython.const[int64_t]),
    distinct: int64_t,
    times: int64_t,
) -> int64_t:
    """The place of the vector that fits and has the most frequent value; ties: the sum over its values, its rows.

    -1 when none fits.
    """
    i: int64_t
    j: int64_t
    best: int64_t = -1
    most: int64_t
    total: int64_t
    best_most: int64_t = 0
    best_total: int64_t = 0
    fits: cython.bint
    part: cython.pointer(cython.const[int32_t])
    for j in range(distinct):
        if counts[j] <= t.picked[j]:
            continue
        part = t.parts + vectors[j] * t.columns
        most = 0
        total = 0
        fits = True
        for i in range(t.columns):
            if part[i] < 0:
                continue
            if t.standing[part[i]] >= times:
                fits = False
                break
            most = max(most, t.held[part[i]])
            total += t.held[part[i]]
        if not fits:
            continue
        if best >= 0:
            if most != best_most:
                if most < best_most:
                    continue
            elif total != best_total:
                if total < best_total:
                    continue
            elif counts[j] < counts[best] or (counts[j] == counts[best] and vectors[j] > vectors[best]):
                continue
        best = j
        best_most = most
        best_total = total
    return best


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def tallest(
    t: cython.pointer(Together),
    vectors: cython.pointer(cython.const[int32_t]),
    counts: cython.pointer(cython.const[int64_t]),
    distinct: int64_t,
    remaining: int64_t,
    l: int64_t,
) -> int64_t:
    """How many rows each column of the bucket at hand may have so that what is left over is diverse; 0: none."""
    i: int64_t
    j: int64_t
    value: int64_t
    spare: int64_t
    alpha: int64_t = remaining
    part: cython.pointer(cython.const[int32_t])
    for j in range(distinct):
        if t.picked[j] > 0:
            alpha = min(alpha, counts[j] // t.picked[j])
        part = t.parts + vectors[j] * t.columns
        for i in range(t.columns):
            if part[i] < 0:
                continue
            value = part[i]
            spare = t.width - l * t.standing[value]
            if spare > 0:
                alpha = min(alpha, (remaining - l * t.held[value]) // spare)
    return alpha


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def fill_bucket(
    t: cython.pointer(Together),
    vectors: cython.pointer(cython.const[int32_t]),
    counts: cython.pointer(cython.const[int64_t]),
    distinct: int64_t,
    remaining: int64_t,
    l: int64_t,
    times: int64_t,
) -> int64_t:
    """Add columns, no value in more than so many of them, until what is left over is diverse; 0 when it never is."""
    j: int64_t
    alpha: int64_t = 0
    best: int64_t
    t.width = 0
    memset(t.picked, 0, distinct * cython.sizeof(int32_t))
    while alpha == 0 and t.width < min(2 * times * l - 1, remaining):
        best = most_urgent(t, vectors, counts, distinct, times)
        if best < 0:
            break
        t.chosen[t.width] = cython.cast(int32_t, best)
        t.width += 1
        t.picked[best] += 1
        stand(t, vectors[best], 1)
        if t.width >= times * l:
            alpha = tallest(t, vectors, counts, distinct, remaining, l)
    for j in range(t.width):
        stand(t, vectors[t.chosen[j]], -1)
    return alpha


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def next_together(
    t: cython.pointer(Together),
    vectors: cython.pointer(cython.const[int32_t]),
    counts: cython.pointer(cython.const[int64_t]),
    distinct: int64_t,
    remaining: int64_t,
    l: int64_t,
) -> int64_t:
    """The next bucket of these vectors, into ``chosen``; returns how many rows each of its columns has."""
    i: int64_t
    j: int64_t
    alpha: int64_t
    times: int64_t = 1
    while distinct <= t.most and times * l < remaining:
        alpha = fill_bucket(t, vectors, counts, distinct, remaining, l, times)
        if alpha > 0:
            return alpha
        times *= 2
    t.width = 0
    for j in range(distinct):  # all the rest, each row a column
        for i in range(counts[j]):
            t.chosen[t.width] = cython.cast(int32_t, j)
            t.width += 1
    return 1
