from libc.stdint cimport int32_t, int64_t

# What stands before each piece of memory: it is in a ring with the others and the room's own.
cdef struct Block:
    Block* before
    Block* after

# All memory of one call. Once there is not enough, `failed` stays so, and what was asked for is NULL.
cdef struct Room:
    Block ring
    bint failed

cdef class Arena:
    cdef Room room
    cdef int check(self) except -1

cdef void* claimed(Room* room, int64_t size) noexcept nogil
cdef void* zeroed(Room* room, int64_t size) noexcept nogil
cdef void* grown(Room* room, void* old, int64_t size) noexcept nogil
cdef void dropped(void* old) noexcept nogil

# arrays of so many numbers, of anything at first
cdef inline int64_t* int64s(Room* room, int64_t count) noexcept nogil:
    return <int64_t*> claimed(room, count * sizeof(int64_t))

cdef inline int32_t* int32s(Room* room, int64_t count) noexcept nogil:
    return <int32_t*> claimed(room, count * sizeof(int32_t))

cdef inline double* doubles(Room* room, int64_t count) noexcept nogil:
    return <double*> claimed(room, count * sizeof(double))

# the same in place of a piece that is given up
cdef inline int64_t* int64s_again(Room* room, int64_t* old, int64_t count) noexcept nogil:
    dropped(old)
    return int64s(room, count)

cdef inline int32_t* int32s_again(Room* room, int32_t* old, int64_t count) noexcept nogil:
    dropped(old)
    return int32s(room, count)

# of zeros
cdef inline int32_t* zeros(Room* room, int64_t count) noexcept nogil:
    return <int32_t*> zeroed(room, count * sizeof(int32_t))
