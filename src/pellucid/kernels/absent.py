"""Draws values that a group lacks: what SpuriousRecords adds. The plain definition is in tests/plain/disguise.py."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint64_t
from cython.cimports.pellucid.kernels.siphash import siphash


def draw_absent(
    k0: uint64_t,
    k1: uint64_t,
    groups: cython.const[int64_t][::1],
    needs: cython.const[int64_t][::1],
    members: cython.const[int32_t][::1],
    starts: cython.const[int64_t][::1],
    codes: cython.const[int32_t][::1],
    seen: int64_t[::1],
    out: int32_t[::1],
) -> None:
    """For each of these groups so many different values that it lacks, one group after the other.

    Any value is drawn, and again when the group has it or was given it. ``seen`` has room for every value and comes as
    -1. A group must lack as many values as it needs.
    """
    values: uint64_t = seen.shape[0]
    i: cython.Py_ssize_t
    place: int64_t
    got: int64_t
    at: int64_t = 0
    turn: uint64_t
    value: int64_t
    with cython.nogil:
        for i in range(groups.shape[0]):
            for place in range(starts[groups[i]], starts[groups[i] + 1]):
                seen[codes[members[place]]] = i
            got = 0
            turn = cython.cast(uint64_t, groups[i]) << 32
            while got < needs[i]:
                value = cython.cast(int64_t, (siphash(k0, k1, turn) >> 1) % values)
                turn += 1
                if seen[value] != i:
                    seen[value] = i
                    out[at] = cython.cast(int32_t, value)
                    at += 1
                    got += 1
