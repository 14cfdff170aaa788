"""Deals rows into groups in which everybody may have everybody's value: Injector's grouping.

The plain definition is ``deal`` and ``join`` in tests/plain/injector.py. What a row may not have is a mask of bits, one
for each value that some rule excludes; rows with the same mask share a profile.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.pellucid.kernels.arena import Arena, Room, int32s, int64s

ONE = cython.declare(uint64_t, 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def before(left: cython.pointer(int64_t), a: int32_t, b: int32_t) -> cython.bint:
    """Whether value a is dealt before value b: it has more rows left, or as many and a lower code."""
    return left[a] > left[b] or (left[a] == left[b] and a < b)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def push(heap: cython.pointer(int32_t), size: int64_t, left: cython.pointer(int64_t), value: int32_t) -> cython.void:
    """Put a value into a heap of so many."""
    place: int64_t = size
    parent: int64_t
    while place > 0:
        parent = (place - 1) // 2
        if not before(left, value, heap[parent]):
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def pop(heap: cython.pointer(int32_t), size: int64_t, left: cython.pointer(int64_t)) -> int32_t:
    """Take the first value out of a heap of so many."""
    first: int32_t = heap[0]
    value: int32_t = heap[size - 1]
    place: int64_t = 0
    child: int64_t = 1
    while child < size - 1:
        if child + 1 < size - 1 and before(left, heap[child + 1], heap[child]):
            child += 1
        if not before(left, heap[child], value):
            break
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = value
    return first


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def clash(
    a: cython.pointer(cython.const[uint64_t]), b: cython.pointer(cython.const[uint64_t]), words: int64_t
) -> cython.bint:
    """Whether two masks share a bit."""
    w: int64_t
    for w in range(words):
        if a[w] & b[w]:
            return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def includes(mask: cython.pointer(cython.const[uint64_t]), bit: int32_t) -> cython.bint:
    """Whether a mask has a bit; no mask has bit -1, that of a value which no rule excludes."""
    return bit >= 0 and (mask[bit >> 6] >> cython.cast(uint64_t, bit & 63)) & ONE != 0


def deal(
    line: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    profiles: cython.const[int32_t][::1],
    masks: cython.const[uint64_t][:, ::1],
    bits: cython.const[int32_t][::1],
    l: int64_t,
    labels: int32_t[::1],
) -> int:
    """Label the rows that are dealt and return the number of groups; ``labels`` comes as -1 and keeps it elsewhere.

    ``line`` lists the rows value after value, each value's in the order in which they are dealt.
    """
    values: int64_t = starts.shape[0] - 1
    n: int64_t = line.shape[0]
    words: int64_t = masks.shape[1]
    arena: Arena = Arena()
    room: cython.pointer(Room) = cython.address(arena.room)
    left: cython.pointer(int64_t) = int64s(room, values)
    heap: cython.pointer(int32_t) = int32s(room, values)
    popped: cython.pointer(int32_t) = int32s(room, values)
    head: cython.pointer(int32_t) = int32s(room, values)
    after: cython.pointer(int32_t) = int32s(room, n)
    chosen: cython.pointer(int32_t) = int32s(room, l)
    from_: cython.pointer(int32_t) = int32s(room, l)
    whose: cython.pointer(int32_t) = int32s(room, l)
    union: cython.pointer(uint64_t) = cython.cast(cython.pointer(uint64_t), int64s(room, words))
    held: cython.pointer(uint64_t) = cython.cast(cython.pointer(uint64_t), int64s(room, words))
    size: int64_t = 0
    groups: int64_t = 0
    i: int64_t
    w: int64_t
    members: int64_t
    outs: int64_t
    v: int32_t
    u: int32_t
    place: int32_t
    previous: int32_t
    arena.check()
    with cython.nogil:
        for i in range(values):
            left[i] = starts[i + 1] - starts[i]
            head[i] = cython.cast(int32_t, starts[i]) if left[i] > 0 else -1
            for w in range(starts[i], starts[i + 1]):
                after[w] = cython.cast(int32_t, w + 1) if w + 1 < starts[i + 1] else -1
        for i in range(values):
            if left[i] > 0:
                push(heap, size, left, cython.cast(int32_t, i))
                size += 1
        while size >= l:
            v = pop(heap, size, left)
            size -= 1
            place = head[v]
            head[v] = after[place]
            left[v] -= 1
            chosen[0] = place
            members = 1
            outs = 0
            for w in range(words):
                union[w] = masks[profiles[line[place]], w]
                held[w] = 0
            if bits[v] >= 0:
                held[bits[v] >> 6] |= ONE << cython.cast(uint64_t, bits[v] & 63)
            while members < l and size > 0:
                u = pop(heap, size, left)
                size -= 1
                popped[outs] = u
                outs += 1
                if includes(union, bits[u]):
                    continue
                previous = -1
                place = head[u]
                while place >= 0 and words > 0 and clash(cython.address(masks[profiles[line[place]], 0]), held, words):
                    previous = place
                    place = after[place]
                if place < 0:
                    continue
                if previous < 0:
                    head[u] = after[place]
                else:
                    after[previous] = after[place]
                chosen[members] = place
                from_[members] = previous
                whose[members] = u
                members += 1
                for w in range(words):
                    union[w] |= masks[profiles[line[place]], w]
                if bits[u] >= 0:
                    held[bits[u] >> 6] |= ONE << cython.cast(uint64_t, bits[u] & 63)
            if members == l:
                for i in range(l):
                    labels[line[chosen[i]]] = cython.cast(int32_t, groups)
                for i in range(1, l):
                    left[whose[i]] -= 1
                groups += 1
            else:  # everybody but the first goes back to where they were
                for i in range(1, members):
                    if from_[i] < 0:
                        head[whose[i]] = chosen[i]
                    else:
                        after[from_[i]] = chosen[i]
            for i in range(outs):
                if left[popped[i]] > 0:
                    push(heap, size, left, popped[i])
                    size += 1
            if left[v] > 0:
                push(heap, size, left, v)
                size += 1
    return groups


def join(
    rows: cython.const[int32_t][::1],
    first: cython.const[int64_t][::1],
    values: cython.const[int32_t][::1],
    profiles: cython.const[int32_t][::1],
    masks: cython.const[uint64_t][:, ::1],
    bits: cython.const[int32_t][::1],
    union: uint64_t[:, ::1],
    held: uint64_t[:, ::1],
    last: int32_t[::1],
    before_it: int32_t[::1],
    labels: int32_t[::1],
) -> None:
    """Label each of these rows with the first group at or after ``first`` that it fits into, going round once.

    ``union`` and ``held`` are the masks of every group: what some member may not have, and what some member has.
    ``last[group]`` is one of its rows and ``before_it[row]`` another one, until -1. All of them grow with the group.
    """
    groups: int64_t = last.shape[0]
    words: int64_t = masks.shape[1]
    i: cython.Py_ssize_t
    step: int64_t
    g: int64_t
    w: int64_t
    row: int32_t
    other: int32_t
    bit: int32_t
    with cython.nogil:
        for i in range(rows.shape[0]):
            row = rows[i]
            bit = bits[values[row]]
            for step in range(groups):
                g = (first[i] + step) % groups
                if words > 0:
                    if includes(cython.address(union[g, 0]), bit):
                        continue
                    if clash(cython.address(held[g, 0]), cython.address(masks[profiles[row], 0]), words):
                        continue
                other = last[g]
                while other >= 0 and values[other] != values[row]:
                    other = before_it[other]
                if other >= 0:
                    continue
                labels[row] = cython.cast(int32_t, g)
                before_it[row] = last[g]
                last[g] = row
                for w in range(words):
                    union[g, w] |= masks[profiles[row], w]
                if bit >= 0:
                    held[g, bit >> 6] |= ONE << cython.cast(uint64_t, bit & 63)
                break
