"""The keyed function behind the coins: SipHash-2-4 of a row's number, one 64-bit value per row."""

import cython
from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.pellucid.kernels.siphash import siphash


def hash_words(k0: uint64_t, k1: uint64_t, words: cython.const[int64_t][::1], out: int64_t[::1]) -> None:
    """out[i] = SipHash-2-4 of words[i] under the key (k0, k1), without its lowest bit so that it fits a signed word."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(words.shape[0]):
            out[i] = cython.cast(int64_t, siphash(k0, k1, cython.cast(uint64_t, words[i])) >> 1)


def hash_range(k0: uint64_t, k1: uint64_t, first: int64_t, out: int64_t[::1]) -> None:
    """The same for the words first, first + 1, and so on."""
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(out.shape[0]):
            out[i] = cython.cast(int64_t, siphash(k0, k1, cython.cast(uint64_t, first + i)) >> 1)
