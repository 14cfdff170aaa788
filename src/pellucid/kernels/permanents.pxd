from libc.stdint cimport int32_t, int64_t

cdef int64_t states_of(const int32_t* counts, int classes, int64_t budget) noexcept nogil
cdef double assignments(const double* weights, int g, const int32_t* rows, int m, const int32_t* values,
                        double* out, double* room) noexcept nogil
