from libc.stdint cimport int64_t, uint64_t

# SoftCut's die as Python states it, and the same for a kernel.
cdef struct Throws:
    uint64_t sides
    uint64_t node0          # the key that names nodes
    uint64_t node1
    uint64_t die0           # the key of the throws
    uint64_t die1

cdef class Die:
    cdef Throws throws

cdef uint64_t child_of(const Throws* die, uint64_t node, uint64_t side) noexcept nogil
cdef bint shows_one(const Throws* die, uint64_t node, int64_t throws) noexcept nogil
