"""Anatomy inside each of many groups: one row of each of the l most frequent values, again and again."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.libc.stdlib import free, malloc
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
    heap: cython.pointer(int64_t) = cython.cast(cython.pointer(int64_t), malloc(widest * cython.sizeof(int64_t)))
    taken: cython.pointer(int64_t) = cython.cast(
        cython.pointer(int64_t), malloc(min(l, widest) * cython.sizeof(int64_t))
    )
    if heap == cython.NULL or taken == cython.NULL:
        free(heap)
        free(taken)
        raise MemoryError
    with cython.nogil:
        for g in range(first, last):
            n = groups[g + 1] - groups[g]
            for i in range(n):
                r = groups[g] + i
                heap[i] = ((runs[r + 1] - runs[r]) << 32) | (LOW - i)
            for i in range(n // 2 - 1, -1, -1):
                sink(heap, n, i)
            parts = 0
            while n >= l:
                for t in range(l):
                    taken[t] = heap[0]
                    n -= 1
                    heap[0] = heap[n]
                    if n > 0:
                        sink(heap, n, 0)
                for t in range(l):
                    r = groups[g] + LOW - (taken[t] & LOW)
                    labels[runs[r + 1] - (taken[t] >> 32)] = cython.cast(int32_t, firsts[g] + parts)
                    if taken[t] >> 32 > 1:
                        heap[n] = taken[t] - (cython.cast(int64_t, 1) << 32)
                        rise(heap, n)
                        n += 1
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
    free(heap)
    free(taken)
    return lost
