from libc.stdint cimport int32_t, int64_t, uint64_t
from pellucid.kernels.arena cimport Room
from pellucid.kernels.penalty cimport Space

# One part of a bucket: its columns lie one after the other from `offset` on, `height` rows each.
cdef struct Part:
    int64_t offset
    int64_t height
    uint64_t active         # lists of attributes that are not constant here
    int ordered             # the list in plain row order, or -1 while no attribute is constant
    int ordered_attribute   # the lowest constant attribute: it stands for all constant ones

# Room to slice in. Rows are local numbers 0.. in row order; `codes` holds 4 * blocks codes per row.
cdef struct Slicer:
    const Space* space
    int blocks
    Room* memory
    int64_t least           # rows of each column that either side of a division keeps
    const int32_t* codes
    int64_t rows
    # list number i holds every row as (code << 32 | row), column after column, each column sorted; the last is by row alone
    int listed
    int attribute[64]
    int64_t* lists
    int64_t lists_room
    int64_t* spare          # as long as a list
    int32_t* sorted_rows
    int64_t* next_place     # per column
    int64_t rows_room
    unsigned char* left     # marks rows: the left side of a division, or already peeled off
    double* prefix_cost
    int32_t* prefix_boxes
    int64_t* heads
    int64_t* tails
    int64_t heads_room
    int64_t* tally          # per code, while sorting by counting
    int64_t tally_room
    Part* stack
    int64_t stack_size
    int64_t stack_room
    # what the part at hand costs, attribute by attribute
    int priced
    bint plain              # only lines without nulls: a cost is a difference of two table entries
    int priced_attribute[64]
    int lane[64]
    const double* weighted[64]
    # the best division so far
    bint found
    double score
    int best
    int best_attribute
    int64_t k
    int32_t best_left[128]
    int32_t best_right[128]
    # where groups go, one local row number per row, and a mark where a group begins
    int32_t* out
    unsigned char* first

cdef void open_slicer(Slicer* s, const Space* space, Room* memory) noexcept nogil
cdef bint fill_lists(Slicer* s, const int32_t* codes, int64_t rows, const int32_t* column, const int64_t* column_start,
                     int64_t columns) noexcept nogil
cdef void slice_bucket(Slicer* s, int64_t offset, int64_t columns, int64_t height) noexcept nogil
cdef int64_t next_bucket(int64_t* counts, int64_t distinct, int64_t remaining, int64_t l, int64_t* alpha) noexcept nogil
cdef int64_t rerank(int64_t* counts, int32_t* values, int64_t distinct, int64_t beta, int64_t alpha,
                    int64_t* spare_counts, int32_t* spare_values) noexcept nogil
