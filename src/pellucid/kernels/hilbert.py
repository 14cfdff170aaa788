"""Places on a Hilbert curve through the quasi-identifiers, for any number of them."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.pellucid.kernels.arena import Arena, int64s

DIGITS = cython.declare(cython.int, 30)  # of a word; two words fit in one key of the sort


def places(
    codes: cython.const[int32_t][:, ::1], sizes: cython.const[int64_t][::1], bits: cython.int, words: int32_t[:, ::1]
) -> None:
    """``words[w, e]``: the w-th 30 bits of the place of entry e, most significant first.

    ``codes[i, e]`` is entry e's code on attribute i, below ``sizes[i]`` and spread evenly over ``bits`` bits first, so
    that an attribute with two values divides the cube in halves as one with many does. The place is found by the
    rotations and reflections of J. Skilling, Programming the Hilbert curve (2004).
    """
    axes: cython.int = cython.cast(cython.int, codes.shape[0])
    e: cython.Py_ssize_t
    i: cython.int
    bit: cython.int
    word: cython.int
    digits: cython.int
    value: int32_t
    mask: int64_t
    flip: int64_t
    arena: Arena = Arena()
    x: cython.pointer(int64_t) = int64s(cython.address(arena.room), axes)
    arena.check()
    with cython.nogil:
        for e in range(codes.shape[1]):
            for i in range(axes):
                x[i] = (cython.cast(int64_t, codes[i, e]) << bits) // sizes[i]
            mask = cython.cast(int64_t, 1) << (bits - 1) if bits > 0 else 0
            while mask > 1:
                for i in range(axes):
                    if x[i] & mask:
                        x[0] ^= mask - 1
                    else:
                        flip = (x[0] ^ x[i]) & (mask - 1)
                        x[0] ^= flip
                        x[i] ^= flip
                mask >>= 1
            for i in range(1, axes):
                x[i] ^= x[i - 1]
            flip = 0
            mask = cython.cast(int64_t, 1) << (bits - 1) if bits > 0 else 0
            while mask > 1:
                if x[axes - 1] & mask:
                    flip ^= mask - 1
                mask >>= 1
            for i in range(axes):
                x[i] ^= flip
            # the bits of all axes in turn, the highest first
            word = 0
            digits = 0
            value = 0
            for bit in range(bits - 1, -1, -1):
                for i in range(axes):
                    value = (value << 1) | cython.cast(int32_t, (x[i] >> bit) & 1)
                    digits += 1
                    if digits == DIGITS:
                        words[word, e] = value
                        word += 1
                        digits = 0
                        value = 0
            if digits > 0:
                words[word, e] = value
