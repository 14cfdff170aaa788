from libc.stdint cimport int32_t, int64_t

# Buckets of a leaf where several sensitive columns are protected. A vector has one value number per sensitive column
# (numbers of different columns differ), -1 where it is not protected.
cdef struct Together:
    const int32_t* parts    # vector after vector; NULL: one sensitive column, nothing of this is used
    int64_t columns
    int64_t most            # a leaf with more different vectors is one bucket
    int64_t* held           # rows that are left, by value number; all zero between leaves
    int32_t* standing       # columns of the bucket at hand, by value number; all zero between calls
    int32_t* picked         # columns of the bucket at hand, by place in the list of vectors
    int32_t* chosen         # the bucket: places in the list of vectors
    int64_t width           # and how many

cdef bint open_together(Together* t, const int32_t* parts, int64_t columns, int64_t values, int64_t rows,
                        int64_t most) noexcept nogil
cdef void close_together(Together* t) noexcept nogil
cdef void hold(Together* t, int32_t vector, int64_t rows) noexcept nogil
cdef int64_t next_together(Together* t, const int32_t* vectors, const int64_t* counts, int64_t distinct,
                           int64_t remaining, int64_t l) noexcept nogil
