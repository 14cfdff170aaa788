from libc.stdint cimport int32_t, int64_t, uint64_t

cdef void sort_pairs(int64_t* keys, int32_t* values, int64_t n, int64_t* spare_keys, int32_t* spare_values) noexcept nogil
cdef int64_t select(int64_t* keys, int64_t n, int64_t k) noexcept nogil
