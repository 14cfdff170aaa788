"""Classes of a coarser generalisation from those of a finer one: keys in machine words, then a table of hashes."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t


def extend(
    keys: int64_t[::1],
    nodes: cython.const[int32_t][::1],
    codes: cython.const[int32_t][::1],
    examples: cython.const[int32_t][::1],
    size: int64_t,
) -> None:
    """Append to each key the node of its example's code as one more digit; nodes are below ``size``."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(keys.shape[0]):
            keys[i] = keys[i] * size + nodes[codes[examples[i]]]


def number(
    keys: cython.const[int64_t][::1],
    weights: cython.const[int64_t][::1],
    slots: int32_t[::1],
    labels: int32_t[::1],
    firsts: int32_t[::1],
    sizes: int64_t[::1],
) -> int:
    """Number the distinct keys in the order of appearance, and add up their weights; returns how many there are.

    ``slots`` has a power of two of entries, at least twice as many as keys. ``firsts[c]`` is the first place of the key
    with number c.
    """
    i: cython.Py_ssize_t
    place: uint64_t
    found: int32_t
    count: int32_t = 0
    mask: uint64_t = cython.cast(uint64_t, slots.shape[0]) - 1
    with cython.nogil:
        for i in range(slots.shape[0]):
            slots[i] = -1
        for i in range(keys.shape[0]):
            place = cython.cast(uint64_t, keys[i]) * cython.cast(uint64_t, 0x9E3779B97F4A7C15)
            place = (place ^ (place >> 29)) & mask
            found = slots[place]
            while found >= 0 and keys[firsts[found]] != keys[i]:
                place = (place + 1) & mask
                found = slots[place]
            if found < 0:
                found = count
                slots[place] = found
                firsts[found] = cython.cast(int32_t, i)
                sizes[found] = 0
                count += 1
            labels[i] = found
            sizes[found] += weights[i]
    return count
