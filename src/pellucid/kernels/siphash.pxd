# SipHash-2-4 (Aumasson and Bernstein, 2012) of one 64-bit word under a 128-bit key.
from libc.stdint cimport uint64_t

cdef inline uint64_t rotl(uint64_t x, int b) noexcept nogil:
    return (x << b) | (x >> (64 - b))

cdef inline uint64_t siphash(uint64_t k0, uint64_t k1, uint64_t word) noexcept nogil:
    cdef uint64_t v0 = k0 ^ <uint64_t>0x736F6D6570736575
    cdef uint64_t v1 = k1 ^ <uint64_t>0x646F72616E646F6D
    cdef uint64_t v2 = k0 ^ <uint64_t>0x6C7967656E657261
    cdef uint64_t v3 = k1 ^ <uint64_t>0x7465646279746573
    cdef uint64_t tail = <uint64_t>8 << 56
    cdef int i
    v3 ^= word
    for i in range(2):
        v0 += v1; v1 = rotl(v1, 13); v1 ^= v0; v0 = rotl(v0, 32)
        v2 += v3; v3 = rotl(v3, 16); v3 ^= v2
        v0 += v3; v3 = rotl(v3, 21); v3 ^= v0
        v2 += v1; v1 = rotl(v1, 17); v1 ^= v2; v2 = rotl(v2, 32)
    v0 ^= word
    v3 ^= tail
    for i in range(2):
        v0 += v1; v1 = rotl(v1, 13); v1 ^= v0; v0 = rotl(v0, 32)
        v2 += v3; v3 = rotl(v3, 16); v3 ^= v2
        v0 += v3; v3 = rotl(v3, 21); v3 ^= v0
        v2 += v1; v1 = rotl(v1, 17); v1 ^= v2; v2 = rotl(v2, 32)
    v0 ^= tail
    v2 ^= 0xFF
    for i in range(4):
        v0 += v1; v1 = rotl(v1, 13); v1 ^= v0; v0 = rotl(v0, 32)
        v2 += v3; v3 = rotl(v3, 16); v3 ^= v2
        v0 += v3; v3 = rotl(v3, 21); v3 ^= v0
        v2 += v1; v1 = rotl(v1, 17); v1 ^= v2; v2 = rotl(v2, 32)
    return v0 ^ v1 ^ v2 ^ v3
