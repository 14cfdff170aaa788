from libc.stdint cimport int32_t, int64_t

cdef extern from "lanes.h" nogil:
    void absorb_row(int32_t* box, const int32_t* codes, int blocks) noexcept
    int grows(const int32_t* box, const int32_t* codes, int blocks) noexcept
    void absorb_box(int32_t* box, const int32_t* other, int blocks) noexcept
    void absorb_code(int32_t* box, int attribute, int32_t code) noexcept
    void clear_box(int32_t* box, int blocks) noexcept
    int32_t box_low(const int32_t* box, int attribute) noexcept
    int32_t box_high(const int32_t* box, int attribute) noexcept
    void absorb_keys(int32_t* box, const int32_t* codes, const int64_t* keys, int64_t step, int64_t count, int blocks) noexcept
