from libc.stdint cimport int32_t, int64_t

# What a kernel knows of the attributes: enough to price a box of codes, and nothing of the sensitive column.
cdef struct Space:
    int d                   # attributes
    int blocks              # of four attributes each
    bint exact              # every perimeter is an integer below 2**53: floats are exact
    int32_t* codes          # number of codes per attribute
    int32_t* nullable       # code 0 is null
    int32_t* levels         # chain levels, 0 for a line
    int64_t* full           # the extent of the whole domain, in the attribute's integer unit
    int64_t* importance     # how many times its extent counts
    double* weight          # what one unit costs
    int64_t* at             # where the attribute's positions begin
    int64_t* positions
    double* weighted        # positions * weight
    int64_t* chain_at
    int32_t* chains
    int64_t* leaf_at
    int64_t* leaves
    int limbs
    int64_t* limb           # d rows of `limbs` 24-bit digits: the exact integer weights

cdef class Geometry:
    cdef Space space
    cdef object arrays

cdef int64_t span(const Space* space, int i, int32_t low, int32_t high) noexcept nogil
cdef double extent(const Space* space, const int32_t* box) noexcept nogil
cdef int sign_of(const Space* space, double score, const int32_t* left, int64_t k, const int32_t* right, int64_t m,
                 double score2, const int32_t* left2, int64_t k2, const int32_t* right2, int64_t m2) noexcept nogil
