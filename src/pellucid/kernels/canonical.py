"""From groups to published rows: what a group's codes span, and its sensitive values in sorted order."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.libc.string import memset
from cython.cimports.pellucid.kernels.arena import Arena, Room, int32s, int64s
from cython.cimports.pellucid.kernels.siphash import siphash
from cython.cimports.pellucid.kernels.sorting import sort_pairs

Code = cython.fused_type(uint8_t, int32_t)


def group_ranges(
    codes: cython.const[Code][::1],
    members: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    null: int32_t,
    low: int32_t[::1],
    high: int32_t[::1],
    nulls: cython.uchar[::1],
) -> None:
    """Per group the smallest and largest code but ``null`` (-1, -1 when there is none), and whether it has nulls.

    ``starts`` may be a stretch of the whole table's; the outputs are as long as the stretch has groups.
    """
    g: cython.Py_ssize_t
    p: int64_t
    code: int32_t
    smallest: int32_t
    largest: int32_t
    some_null: cython.uchar
    with cython.nogil:
        for g in range(starts.shape[0] - 1):
            smallest = 0x7FFFFFFF
            largest = -1
            some_null = 0
            for p in range(starts[g], starts[g + 1]):
                code = codes[members[p]]
                if code == null:
                    some_null = 1
                else:
                    if code < smallest:
                        smallest = code
                    if code > largest:
                        largest = code
            low[g] = smallest if largest >= 0 else -1
            high[g] = largest
            nulls[g] = some_null


def group_sets(
    codes: cython.const[Code][::1],
    members: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    sets: uint64_t[::1],
) -> None:
    """Per group the set of its codes as bits; codes are below 64."""
    g: cython.Py_ssize_t
    p: int64_t
    one: uint64_t = 1
    bits: uint64_t
    with cython.nogil:
        for g in range(starts.shape[0] - 1):
            bits = 0
            for p in range(starts[g], starts[g + 1]):
                bits |= one << codes[members[p]]
            sets[g] = bits


def sorted_within(
    keys: cython.const[Code][::1],
    members: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    groups: cython.const[int32_t][::1],
    boxes: cython.const[int64_t][::1],
    first: int64_t,
    last: int64_t,
    distinct: int64_t,
    out_starts: cython.const[int64_t][::1],
    out: int32_t[::1],
) -> None:
    """The keys of the rows of each box in ascending order, box after box, for the boxes first..last-1.

    Box b is made of the groups groups[boxes[b]:boxes[b + 1]] and its keys go to out[out_starts[b]:out_starts[b + 1]].
    """
    b: int64_t
    g: int64_t
    p: int64_t
    j: int64_t
    at: int64_t
    n: int64_t
    longest: int64_t = 1
    key: int32_t
    count: int64_t
    arena: Arena = Arena()
    room: cython.pointer(Room) = cython.address(arena.room)
    wide: cython.pointer(int64_t)
    spare: cython.pointer(int64_t)
    dummy: cython.pointer(int32_t)
    spare_dummy: cython.pointer(int32_t)
    tally: cython.pointer(int64_t)
    with cython.nogil:
        for b in range(first, last):
            n = out_starts[b + 1] - out_starts[b]
            if distinct > 4 * n and n > longest:
                longest = n
    wide, spare = int64s(room, longest), int64s(room, longest)
    dummy, spare_dummy = int32s(room, longest), int32s(room, longest)
    tally = int64s(room, distinct)
    arena.check()
    with cython.nogil:
        for b in range(first, last):
            at = out_starts[b]
            for g in range(boxes[b], boxes[b + 1]):
                for p in range(starts[groups[g]], starts[groups[g] + 1]):
                    out[at] = keys[members[p]]
                    at += 1
            at = out_starts[b]
            n = out_starts[b + 1] - at
            if n <= 32:
                for p in range(at + 1, at + n):
                    key = out[p]
                    j = p - 1
                    while j >= at and out[j] > key:
                        out[j + 1] = out[j]
                        j -= 1
                    out[j + 1] = key
            elif distinct <= 4 * n:
                memset(tally, 0, distinct * cython.sizeof(int64_t))
                for p in range(at, at + n):
                    tally[out[p]] += 1
                for j in range(distinct):
                    count = tally[j]
                    for p in range(count):
                        out[at] = cython.cast(int32_t, j)
                        at += 1
            else:
                for p in range(n):
                    wide[p] = out[at + p]
                sort_pairs(wide, dummy, n, spare, spare_dummy)
                for p in range(n):
                    out[at + p] = cython.cast(int32_t, wide[p])


def fingerprints(
    keys: cython.const[int32_t][::1],
    words: cython.const[int64_t][::1],
    starts: cython.const[int64_t][::1],
    out: int64_t[::1],
) -> None:
    """A number for each stretch of keys that depends on nothing but the words of these keys in this order.

    ``words[key]`` stands for a key; no secret is in it.
    """
    g: cython.Py_ssize_t
    p: int64_t
    state: uint64_t
    with cython.nogil:
        for g in range(starts.shape[0] - 1):
            state = 0
            for p in range(starts[g], starts[g + 1]):
                state = siphash(1, 2, state ^ cython.cast(uint64_t, words[keys[p]]))
            out[g] = cython.cast(int64_t, state >> 1)


def add_to_words(codes: cython.const[int32_t][::1], words: int64_t[::1]) -> None:
    """Let each word depend on one more code, and on how many there were before."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(codes.shape[0]):
            words[i] = cython.cast(
                int64_t,
                siphash(3, 4, cython.cast(uint64_t, words[i]) ^ cython.cast(uint64_t, codes[i])) >> 1,
            )
