from libc.stdint cimport int32_t, int64_t
from pellucid.kernels.arena cimport Room

# What a model asks of the two sides of a cut, as Python states it.
cdef class Rule:
    cdef int64_t rows, above, add, below, rivals
    cdef const unsigned char[::1] protected
    cdef const int64_t[::1] ends

# The same for one thread, with room to work in. A side needs `rows` rows, and where a protected value has c rows
# (c * above + add) / below rows and those of its `rivals` most frequent rivals; or what `ask` answers.
cdef struct Least:
    int64_t rows
    int64_t above
    int64_t add
    int64_t below
    int64_t rivals
    const unsigned char* protected_ # by value; NULL: all
    const int64_t* ends             # where each column's values end
    void* ask                       # a Python function, or NULL
    int64_t* codes                  # what it reads: the values of one column, ascending, and their counts
    int64_t* counts
    Room* memory
    const int32_t* sensitive
    int64_t columns
    int64_t positions
    int64_t values
    int64_t stride
    int32_t* histogram              # all zero between calls
    int64_t* top                    # the largest counts, largest first
    int64_t* spare_codes
    int32_t* held
    int32_t* spare_held
    # while equal rows are peeled off: the values that occur, column after column
    int64_t* present
    int64_t* presents
    # and for each column how many values have each count, all values and then protected ones
    int32_t* per_count
    int64_t* count_at               # where the column's numbers begin
    int64_t* most                   # the largest count at first
    int64_t* largest                # and now
    int64_t* largest_protected

cdef void open_least(Least* r, Rule rule, object ask, int64_t* codes, int64_t* counts, Room* memory)
cdef void make_room(Least* r, const int32_t* sensitive, int64_t columns, int64_t positions, int64_t values,
                    int64_t stride, int32_t* histogram) noexcept nogil
cdef int64_t least_rows(Least* r, const int32_t* records, int64_t entries, int64_t rows) noexcept nogil
cdef bint begin_peeling(Least* r, int64_t start, int64_t rows) noexcept nogil
cdef int64_t least_left(Least* r, int64_t rows) noexcept nogil
cdef void peel(Least* r, int64_t start, int64_t rows) noexcept nogil
cdef void end_peeling(Least* r, int64_t start, int64_t rows) noexcept nogil
