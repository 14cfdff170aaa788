# Eight bytes of text looked at together: a 64-bit word, and words with one flag, the highest bit, per byte.
from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define first_byte(flags) (__builtin_ctzll(flags) >> 3)
    #else
    static int first_byte(unsigned long long flags) {
        int place = 0;
        while (!(flags & 0x80)) { flags >>= 8; place++; }
        return place;
    }
    #endif
    """
    int first_byte(unsigned long long flags) nogil  # the place of the first byte with a flag; there is one

cdef inline uint64_t equal(uint64_t word, uint64_t repeated) noexcept nogil:
    """Flags of the bytes that equal those of the other word."""
    cdef uint64_t difference = word ^ repeated, low_bits = <uint64_t>0x7F7F7F7F7F7F7F7F
    return ~(((difference & low_bits) + low_bits) | difference) & ~low_bits
