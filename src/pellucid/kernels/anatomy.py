"""Anatomy inside each of many groups: one row of each of the l most frequent values, again and again.

Which values a group takes follows from the counts alone: :func:`mark` finds it out without any row, and :func:`resume`
hands out the rows of some groups in the middle of the sequence.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.pellucid.kernels.arena import Arena, int64s
from cython.cimports.pellucid.kernels.siphash import siphash

LOW = cython.declare(int64_t, 0xFFFFFFFF)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sink(heap: cython.pointer(int64_t), n: int64_t, place: int64_t) -> cython.void:
    """Let the key at this place sink until no child is larger."""
    key: int64_t = heap[place]
    child: int64_t = 2 * place + 1
    while child < n:
        if child + 1 < n and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= key:
            break
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = key


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def rise(heap: cython.pointer(int64_t), place: int64_t) -> cython.void:
    """Let the key at this place rise until its parent is not smaller."""
    key: int64_t = heap[place]
    while place > 0 and heap[(place - 1) // 2] < key:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = key


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def order_heap(heap: cython.pointer(int64_t), n: int64_t) -> cython.void:
    """Make a heap of keys in any order."""
    i: int64_t
    for i in range(n // 2 - 1, -1, -1):
        sink(heap, n, i)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def take(heap: cython.pointer(int64_t), n: int64_t, l: int64_t, taken: cython.pointer(int64_t)) -> int64_t:
    """Take the l largest keys out of the heap; returns how many stay."""
    t: int64_t
    for t in range(l):
        taken[t] = heap[0]
        n -= 1
        heap[0] = heap[n]
        if n > 0:
            sink(heap, n, 0)
    return n


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def put_back(heap: cython.pointer(int64_t), n: int64_t, l: int64_t, taken: cython.pointer(int64_t)) -> int64_t:
    """Put keys back with a row less each, where one is left; returns how many there are now."""
    t: int64_t
    for t in range(l):
        if taken[t] >> 32 > 1:
            heap[n] = taken[t] - (cython.cast(int64_t, 1) << 32)
            rise(heap, n)
            n += 1
    return n


def divide(
    runs: cython.const[int64_t][::1],
    groups: cython.const[int64_t][::1],
    first: int64_t,
    last: int64_t,
    firsts: cython.const[int64_t][::1],
    l: int64_t,
    orders: cython.const[int64_t][::1],
    key0: uint64_t,
    key1: uint64_t,
    labels: int32_t[::1],
) -> int:
    """Divide the groups first..last - 1; returns how many rows had no group to join (0 where all are l-diverse).

    A run is the rows of one value of one group, in the order in which they are taken: positions runs[r]..runs[r + 1]-1.
    The runs of group g are groups[g]..groups[g + 1] - 1, in ascending code. Its parts are numbered from ``firsts[g]``
    in the order in which they are made, and ``labels[position]`` is the part of each row. A row that is left joins
    the part that the keyed function of its order picks among those that lack its value.
    """
    g: int64_t
    r: int64_t
    i: int64_t
    n: int64_t
    t: int64_t
    p: int64_t
    parts: int64_t
    pick: int64_t
    lacking: int64_t
    lost: int64_t = 0
    widest: int64_t = 1
    for g in range(first, last):
        widest = max(widest, groups[g + 1] - groups[g])
    # a key: how many rows of the run are left, then the run, the first above the others
    arena: Arena = Arena()
    heap: cython.pointer(int64_t) = int64s(cython.address(arena.room), widest)
    taken: cython.pointer(int64_t) = int64s(cython.address(arena.room), min(l, widest))
    arena.check()
    with cython.nogil:
        for g in range(first, last):
            n = groups[g + 1] - groups[g]
            for i in range(n):
                r = groups[g] + i
                heap[i] = ((runs[r + 1] - runs[r]) << 32) | (LOW - i)
            order_heap(heap, n)
            parts = 0
            while n >= l:
                n = take(heap, n, l, taken)
                for t in range(l):
                    r = groups[g] + LOW - (taken[t] & LOW)
                    labels[runs[r + 1] - (taken[t] >> 32)] = cython.cast(int32_t, firsts[g] + parts)
                n = put_back(heap, n, l, taken)
                parts += 1
            for i in range(n):
                r = groups[g] + LOW - (heap[i] & LOW)
                p = runs[r + 1] - (heap[i] >> 32)
                lacking = parts - (p - runs[r])
                lost += (heap[i] >> 32) - 1
                if lacking <= 0:
                    lost += 1
                    continue
                pick = cython.cast(
                    int64_t,
                    (siphash(key0, key1, cython.cast(uint64_t, orders[p])) >> 1) % cython.cast(uint64_t, lacking),
                )
                # the run's parts ascend: step over those up to the pick
                for t in range(runs[r], p):
                    if labels[t] - firsts[g] > pick:
                        break
                    pick += 1
                labels[p] = cython.cast(int32_t, firsts[g] + pick)
    return lost


@cython.cfunc
def walk(
    left: int64_t[::1],
    l: int64_t,
    parts: int64_t,
    places: cython.pointer(int64_t),
    labels: cython.pointer(int32_t),
) -> int64_t:
    """Make up to so many parts of values of which so many rows are ``left``, which is kept; returns how many.

    Unless they are NULL, ``labels[places[value]]`` is the part of the value's next row, and the place moves on.
    """
    i: int64_t
    t: int64_t
    n: int64_t = 0
    made: int64_t = 0
    arena: Arena = Arena()
    heap: cython.pointer(int64_t) = int64s(cython.address(arena.room), max(left.shape[0], l))
    taken: cython.pointer(int64_t) = int64s(cython.address(arena.room), max(left.shape[0], l))
    arena.check()
    with cython.nogil:
        for i in range(left.shape[0]):
            if left[i] > 0:
                heap[n] = (left[i] << 32) | (LOW - i)
                n += 1
        order_heap(heap, n)
        while n >= l and made < parts:
            n = take(heap, n, l, taken)
            for t in range(l):
                i = LOW - (taken[t] & LOW)
                left[i] -= 1
                if labels != cython.NULL:
                    labels[places[i]] = cython.cast(int32_t, made)
                    places[i] += 1
            n = put_back(heap, n, l, taken)
            made += 1
    return made


def mark(counts: cython.const[int64_t][::1], l: int64_t, every: int64_t, taken: int64_t[:, ::1]) -> int:
    """Run the sequence on the counts of the values, which are below 2**31; returns the number of parts.

    ``taken[k]`` is how many rows of each value the parts before number k * every take, the last line how many all do.
    """
    left: int64_t[::1] = counts.copy()
    k: cython.Py_ssize_t
    v: cython.Py_ssize_t
    parts: int64_t = 0
    for k in range(taken.shape[0]):
        if k > 0:
            parts += walk(left, l, every, cython.NULL, cython.NULL)
        for v in range(left.shape[0]):
            taken[k, v] = counts[v] - left[v]
    return parts


def resume(
    left: cython.const[int64_t][::1],
    l: int64_t,
    parts: int64_t,
    starts: cython.const[int64_t][::1],
    labels: int32_t[::1],
) -> int:
    """Make the next so many parts, numbered from 0, when so many rows of each value are left; returns how many.

    The rows of value v that they take are at places ``starts[v]`` and so on, in the order in which they are taken;
    ``labels`` gets the part of each.
    """
    places: int64_t[::1] = starts.copy()
    return walk(left.copy(), l, parts, cython.address(places[0]), cython.address(labels[0]))
