/* A box of codes as minima only: for every four attributes eight lanes, the codes and the negated codes.
   One vector minimum then maintains both ends of four intervals. Plain loops cost three times as much here, because
   a C compiler cannot prove that box and codes do not overlap. */
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
typedef int32_t lanes4 __attribute__((vector_size(16), aligned(4), may_alias));

static inline lanes4 lanes_min(lanes4 a, lanes4 b) {
#if defined(__SSE4_1__)
    typedef int32_t register4 __attribute__((vector_size(16)));
    return (lanes4)__builtin_ia32_pminsd128((register4)a, (register4)b);
#else
    lanes4 smaller = a < b;
    return (a & smaller) | (b & ~smaller);
#endif
}

static inline void absorb_row(int32_t *box, const int32_t *codes, int blocks) {
    for (int b = 0; b < blocks; b++) {
        lanes4 code = *(const lanes4 *)(codes + 4 * b);
        lanes4 *low = (lanes4 *)(box + 8 * b), *high = (lanes4 *)(box + 8 * b + 4);
        *low = lanes_min(code, *low);
        *high = lanes_min(-code, *high);
    }
}

static inline void absorb_box(int32_t *box, const int32_t *other, int blocks) {
    for (int b = 0; b < 2 * blocks; b++) {
        lanes4 *mine = (lanes4 *)(box + 4 * b);
        *mine = lanes_min(*(const lanes4 *)(other + 4 * b), *mine);
    }
}

static inline int grows(const int32_t *box, const int32_t *codes, int blocks) {
    lanes4 beyond = {0, 0, 0, 0};
    for (int b = 0; b < blocks; b++) {
        lanes4 code = *(const lanes4 *)(codes + 4 * b);
        beyond |= (code < *(const lanes4 *)(box + 8 * b)) | (-code < *(const lanes4 *)(box + 8 * b + 4));
    }
    return beyond[0] | beyond[1] | beyond[2] | beyond[3];
}
#else
static inline void absorb_row(int32_t *box, const int32_t *codes, int blocks) {
    for (int b = 0; b < blocks; b++)
        for (int j = 0; j < 4; j++) {
            int32_t code = codes[4 * b + j];
            if (code < box[8 * b + j]) box[8 * b + j] = code;
            if (-code < box[8 * b + 4 + j]) box[8 * b + 4 + j] = -code;
        }
}

static inline void absorb_box(int32_t *box, const int32_t *other, int blocks) {
    for (int j = 0; j < 8 * blocks; j++)
        if (other[j] < box[j]) box[j] = other[j];
}

static inline int grows(const int32_t *box, const int32_t *codes, int blocks) {
    for (int b = 0; b < blocks; b++)
        for (int j = 0; j < 4; j++)
            if (codes[4 * b + j] < box[8 * b + j] || -codes[4 * b + j] < box[8 * b + 4 + j]) return 1;
    return 0;
}
#endif

static inline void clear_box(int32_t *box, int blocks) {
    for (int j = 0; j < 8 * blocks; j++) box[j] = INT32_MAX;
}

static inline int32_t box_low(const int32_t *box, int attribute) {
    return box[8 * (attribute / 4) + attribute % 4];
}

static inline int32_t box_high(const int32_t *box, int attribute) {
    return -box[8 * (attribute / 4) + 4 + attribute % 4];
}

static inline void absorb_code(int32_t *box, int attribute, int32_t code) {
    int32_t *low = box + 8 * (attribute / 4) + attribute % 4;
    if (code < low[0]) low[0] = code;
    if (-code < low[4]) low[4] = -code;
}

/* Absorb the rows keys[0], keys[step], ... of a table of codes; the low 31 bits of a key are the row. */
static inline void absorb_keys(int32_t *box, const int32_t *codes, const int64_t *keys, int64_t step, int64_t count,
                               int blocks) {
#if defined(__GNUC__) || defined(__clang__)
    for (int b = 0; b < blocks; b++) {
        lanes4 low = *(lanes4 *)(box + 8 * b), high = *(lanes4 *)(box + 8 * b + 4);
        for (int64_t j = 0; j < count; j++) {
            lanes4 code = *(const lanes4 *)(codes + (keys[j * step] & 0x7FFFFFFF) * 4 * blocks + 4 * b);
            low = lanes_min(code, low);
            high = lanes_min(-code, high);
        }
        *(lanes4 *)(box + 8 * b) = low;
        *(lanes4 *)(box + 8 * b + 4) = high;
    }
#else
    for (int64_t j = 0; j < count; j++)
        absorb_row(box, codes + (keys[j * step] & 0x7FFFFFFF) * 4 * blocks, blocks);
#endif
}
