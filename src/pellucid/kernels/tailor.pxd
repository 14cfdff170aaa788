from libc.stdint cimport int32_t, int64_t
from pellucid.kernels.arena cimport Room
from pellucid.kernels.penalty cimport Space

# The best cut so far: on `attribute`, `k` rows to the left. Codes below `code` go left and codes above go right;
# of the rows with that code the first k - before in row order go left.
cdef struct Best:
    bint found
    double score
    int attribute
    int32_t code
    int64_t k
    int64_t before
    int32_t* left
    int32_t* right

# A stretch of values whose inner cuts may still beat the best.
cdef struct Pending:
    int attribute
    int32_t first
    int32_t last
    int64_t before
    int64_t rows

cdef struct Search:
    const Space* space
    int blocks
    int stride              # int32 words of a record: the codes, then where its rows start, then how many
    const int64_t* orders   # row order by position
    const int32_t* records  # of the node at hand
    int64_t entries
    int64_t rows
    int64_t low             # the smallest and the largest k that leave both sides large enough
    int64_t high
    bint by_value           # whether rows of one code stay together
    Best best
    Room* memory
    # room to work in
    int32_t* counts         # per bin
    int32_t* boxes          # per bin
    int32_t* suffix         # per bin, of everything from it on
    int64_t bins
    Pending* pending
    int32_t* pending_boxes
    int64_t pendings
    int64_t pending_room
    int32_t* members        # entries under examination
    int32_t* spare_members
    int64_t* keys
    int64_t* spare_keys
    int64_t room
    int64_t* event_keys
    int32_t* event_boxes
    int64_t event_room

cdef void open_search(Search* s, const Space* space, const int64_t* orders, Room* memory) noexcept nogil
cdef bint find_cut(Search* s, const int32_t* records, int64_t entries, int64_t rows, int64_t side,
                   bint by_value) noexcept nogil
cdef int64_t split(Search* s, int32_t* records, int64_t entries, int32_t* left, int64_t* lefts) noexcept nogil
