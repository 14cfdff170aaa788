from libc.stdint cimport int32_t, int64_t
from pellucid.kernels.arena cimport Room

# Vectors that wait to be handed out: where they stand in the list and how many there are, how many rows a column has
# that is counted once, and how many columns a piece of a bucket may have, in multiples of l.
cdef struct Waiting:
    int32_t start
    int32_t distinct
    int32_t height
    int32_t largest

# Buckets of a leaf where several sensitive columns are protected. A vector has one value number per sensitive column
# (numbers of different columns differ), -1 where it is not protected.
cdef struct Together:
    const int32_t* parts    # vector after vector; NULL: one sensitive column, nothing of this is used
    int64_t columns
    const int64_t* fewer    # by value number: how much smaller than l the l of its column is
    int64_t most            # a leaf with more different vectors is one bucket
    int32_t* vectors        # all that is waiting, one behind the other
    int64_t* counts
    Waiting* waiting        # the last one is next
    int64_t waits           # and how many
    int64_t remaining       # rows of the last one that are left, if it is begun, else -1
    int64_t* held           # rows that are left, by value number; all zero between leaves
    int32_t* standing       # columns of the bucket, or the piece, at hand, by value number; all zero between calls
    int32_t* picked         # columns of the bucket at hand, by place in the list of vectors
    int32_t* chosen         # the bucket: vectors, or while it is made their places
    int64_t width           # and how many
    int64_t* more           # what one column more, or fewer, would add to what is above its share, by value number
    int64_t* less
    int32_t* bucket_vectors # the bucket again, each vector once; piece, added and taken have the same places
    int64_t* bucket_counts
    int64_t bucket_distinct
    int64_t* piece          # how many columns of a vector the piece at hand has
    int64_t copies          # and how often the bucket has the piece
    int32_t* added          # the step at which a column of it was last added
    int32_t* taken          # or taken back

cdef void open_together(Together* t, const int32_t* parts, int64_t columns, const int64_t* fewer, int64_t values,
                        int64_t rows, int64_t most, Room* memory) noexcept nogil
cdef void begin_together(Together* t, int32_t* vectors, int64_t* counts, int64_t distinct) noexcept nogil
cdef int64_t next_together(Together* t, int64_t l) noexcept nogil
