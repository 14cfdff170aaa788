"""Random assignments of values to rows, weighted by a product: what each class of rows gets on average.

Rows come in g classes of ``rows[s]`` alike rows, values in m classes of ``values[v]`` alike values, as many rows as
values; ``weights[s, v]`` is what a row of class s having value v counts for, and an assignment weighs the product over
its rows. The sum over all assignments is a permanent. One side is dealt out one by one; the state is how many of each
class of the other side are used up, and the side with fewer states is the one that is kept track of.

Nothing is subtracted, so every result has a relative error of a few units in the last digit per row. Weights are first
scaled to an average of 1 in every row and column, which changes no ratio and keeps the sums within floats.

The plain definition is ``beliefs`` in tests/plain/permanents.py.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libc.string import memset
from cython.cimports.pellucid.kernels.arena import Arena, doubles

ROUNDS = cython.declare(cython.int, 6)  # of scaling


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def states_of(counts: cython.pointer(cython.const[int32_t]), classes: cython.int, budget: int64_t) -> int64_t:
    """How many states there are when this side is kept track of; beyond the budget: budget + 1.

    Asked before it is multiplied: a product that no int64 holds may come out negative, or small.
    """
    k: cython.int
    states: int64_t = 1
    for k in range(classes):
        if states > budget // (counts[k] + 1):
            return budget + 1
        states *= counts[k] + 1
    return states


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def scale(
    u: cython.pointer(cython.double),
    g: cython.int,
    rows: cython.pointer(cython.const[int32_t]),
    m: cython.int,
    values: cython.pointer(cython.const[int32_t]),
    n: int64_t,
) -> cython.bint:
    """Bring rows and columns to an average of about 1; False when some row or value fits nowhere."""
    t: cython.int
    s: cython.int
    v: cython.int
    total: cython.double
    for t in range(ROUNDS):
        for s in range(g):
            total = 0
            for v in range(m):
                total += u[s * m + v] * values[v]
            if not total > 0:
                return False
            for v in range(m):
                u[s * m + v] = u[s * m + v] / total * n
        for v in range(m):
            total = 0
            for s in range(g):
                total += u[s * m + v] * rows[s]
            if not total > 0:
                return False
            for s in range(g):
                u[s * m + v] = u[s * m + v] / total * n
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def assignments(
    weights: cython.pointer(cython.const[cython.double]),
    g: cython.int,
    rows: cython.pointer(cython.const[int32_t]),
    m: cython.int,
    values: cython.pointer(cython.const[int32_t]),
    out: cython.pointer(cython.double),
    room: cython.pointer(cython.double),
) -> cython.double:
    """out[s, v] = how many rows of class s have value v on average; returns the scaled sum, 0 when there is none.

    ``room`` holds 2 * states + 2 * g * m + 4 * (g + m) doubles, states being those of the better side.
    """
    k: cython.int
    c: cython.int
    t: int64_t
    st: int64_t
    level: int64_t
    n: int64_t = 0
    states: int64_t
    other: int64_t
    by_rows: cython.bint
    classes: cython.int
    step: cython.int  # from one class of the state side to the next, in u
    across: cython.int  # from one class of items to the next
    counts: cython.pointer(cython.const[int32_t])
    dealt: cython.pointer(cython.const[int32_t])
    forward: cython.pointer(cython.double)
    backward: cython.pointer(cython.double)
    u: cython.pointer(cython.double)
    found: cython.pointer(cython.double)
    digit: cython.pointer(int64_t)
    stride: cython.pointer(int64_t)
    here: cython.double
    weight: cython.double
    total: cython.double
    limit: int64_t = 1
    limit <<= 60
    states = states_of(rows, g, limit)
    other = states_of(values, m, limit)
    by_rows = states <= other
    states = states if by_rows else other
    classes = g if by_rows else m
    step = m if by_rows else 1
    across = 1 if by_rows else m
    counts = rows if by_rows else values
    dealt = values if by_rows else rows
    for k in range(g):
        n += rows[k]
    forward = room
    backward = room + states
    u = backward + states
    found = u + g * m
    digit = cython.cast(cython.pointer(int64_t), found + g * m)
    stride = digit + classes
    for k in range(g * m):
        u[k] = weights[k]
        found[k] = 0
    if not scale(u, g, rows, m, values, n):
        return 0
    st = 1
    for k in range(classes):
        stride[k] = st
        st *= counts[k] + 1
        digit[k] = 0
    memset(forward, 0, states * cython.sizeof(cython.double))
    forward[0] = 1
    level = 0
    for st in range(states - 1):
        here = forward[st]
        if here > 0:
            # the item at this level
            t = level
            c = 0
            while t >= dealt[c]:
                t -= dealt[c]
                c += 1
            here /= n - level
            for k in range(classes):
                if digit[k] < counts[k]:
                    forward[st + stride[k]] += here * u[k * step + c * across] * (counts[k] - digit[k])
        k = 0
        while digit[k] == counts[k]:
            level -= digit[k]
            digit[k] = 0
            k += 1
        digit[k] += 1
        level += 1
    total = forward[states - 1]
    if not total > 0:
        return 0
    for k in range(classes):
        digit[k] = counts[k]
    level = n
    backward[states - 1] = 1
    for st in range(states - 2, -1, -1):
        k = 0
        while digit[k] == 0:
            digit[k] = counts[k]
            level += counts[k]
            k += 1
        digit[k] -= 1
        level -= 1
        backward[st] = 0
        if forward[st] > 0:
            t = level
            c = 0
            while t >= dealt[c]:
                t -= dealt[c]
                c += 1
            here = forward[st]
            for k in range(classes):
                if digit[k] < counts[k]:
                    weight = backward[st + stride[k]] * u[k * step + c * across] * (counts[k] - digit[k]) / (n - level)
                    backward[st] += weight
                    found[k * step + c * across] += here * weight
    for k in range(g * m):
        out[k] = found[k] / total
    return total


def expected(
    weights: cython.const[cython.double][:, ::1],
    rows: cython.const[int32_t][::1],
    values: cython.const[int32_t][::1],
    out: cython.double[:, ::1],
) -> float:
    """Fill ``out`` as :func:`assignments` does; the caller has bounded the number of states."""
    g: cython.int = weights.shape[0]
    m: cython.int = weights.shape[1]
    limit: int64_t = 1
    states: int64_t
    total: cython.double = 0
    arena: Arena = Arena()
    room: cython.pointer(cython.double)
    limit <<= 60
    states = min(states_of(cython.address(rows[0]), g, limit), states_of(cython.address(values[0]), m, limit))
    room = doubles(cython.address(arena.room), 2 * states + 2 * g * m + 4 * (g + m))
    arena.check()
    with cython.nogil:
        total = assignments(
            cython.address(weights[0, 0]),
            g,
            cython.address(rows[0]),
            m,
            cython.address(values[0]),
            cython.address(out[0, 0]),
            room,
        )
    return total
