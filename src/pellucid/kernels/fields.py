"""The texts of a delimited file numbered as they are met: most columns of microdata have few different ones.

One pass over bytes without quotation marks whose records are known to be whole (:mod:`pellucid.kernels.delimited`). A
short text is one machine word, which a small hash table knows; nothing is copied, parsed or compared byte by byte.
``tests/io/test_numbered.py`` holds the plain definition.
"""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint16_t, uint64_t
from cython.cimports.libc.string import memchr, memcmp, memcpy
from cython.cimports.pellucid.kernels.words import equal, first_byte

NEWLINE = cython.declare(uint8_t, 10)
RETURN = cython.declare(uint8_t, 13)
QUOTE = cython.declare(cython.int, 34)
ONES = cython.declare(uint64_t, 0x0101010101010101)
MIXER = cython.declare(uint64_t, 0x9E3779B97F4A7C15)
LAST = cython.declare(uint64_t, 0x8000000000000000)
BLOCK = cython.declare(cython.int, 4096)  # bytes whose fields are found before they are numbered
LONG = cython.declare(uint64_t, 0xFF00000000000000)  # marks the keys of texts that are longer than a word


def has_quotes(data: cython.const[uint8_t][::1], start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether there is a quotation mark among these bytes."""
    found: cython.bint = False
    with cython.nogil:
        if start < end:
            found = memchr(cython.address(data[start]), QUOTE, end - start) != cython.NULL
    return found


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hashed(text: cython.pointer(cython.const[uint8_t]), length: int64_t) -> uint64_t:
    """A key for a text of more than seven bytes; others may have the same."""
    key: uint64_t = length
    word: uint64_t
    i: int64_t
    for i in range(0, length - 7, 8):
        memcpy(cython.address(word), text + i, 8)
        key = (key ^ word) * MIXER
        key ^= key >> 29
    memcpy(cython.address(word), text + length - 8, 8)
    key = (key ^ word) * MIXER
    return (key >> 8) | LONG


def number_fields(
    data: cython.const[uint8_t][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    delimiter: uint8_t,
    places: int32_t[::1],
    bits: cython.int,
    slot_keys: uint64_t[:, ::1],
    slot_numbers: int32_t[:, ::1],
    begins: int64_t[:, ::1],
    lengths: int64_t[:, ::1],
    counts: int32_t[::1],
    numbers: uint16_t[:, ::1],
) -> cython.Py_ssize_t:
    """Number the fields of ``data[start:end]``, as many records as ``numbers`` has columns; gives how many there were.

    ``places[column]`` is where a column of the file goes, -1 for one that is not wanted. Text k of place p begins at
    ``begins[p, k]`` and has ``lengths[p, k]`` bytes, ``counts[p]`` are there, and ``numbers[p, record]`` says which one
    a record has. A place with more texts than ``begins`` has room for is given up: its count becomes -1. The hash
    tables have 2**bits slots each, all zero. A carriage return before the end of a line belongs to it.
    """
    columns: cython.Py_ssize_t = places.shape[0]
    records: cython.Py_ssize_t = numbers.shape[1]
    most: int32_t = begins.shape[1]
    column: cython.Py_ssize_t = 0
    record: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = start
    begin: cython.Py_ssize_t = start
    left: cython.Py_ssize_t
    length: int64_t
    place: int32_t
    number: int32_t
    i: cython.int
    k: cython.int
    n: cython.int
    found: cython.int
    ends: int32_t[
        4104
    ]  # of fields, counted from the start of a block; at most one for each byte, and room for four more
    word: uint64_t
    flags: uint64_t
    key: uint64_t
    slot: uint64_t
    one: uint64_t = 1
    mask: uint64_t = (one << bits) - 1
    all_delimiters: uint64_t = ONES * delimiter
    all_newlines: uint64_t = ONES * NEWLINE
    base: cython.pointer(cython.const[uint8_t]) = cython.address(data[0])
    last_word: cython.Py_ssize_t = data.shape[0] - 8  # the last place at which a whole word can be read
    keys: cython.pointer(uint64_t)
    going: cython.Py_ssize_t = counts.shape[0]  # places that are not given up
    with cython.nogil:
        while record < records and at < end and going > 0:
            # First all ends of fields in a block, four for every eight bytes whether they are there or not: how many
            # there are is what a processor would guess wrong.
            n = 0
            for k in range(0, BLOCK, 8):
                left = end - at - k
                if left <= 0:
                    break
                word = 0
                if at + k <= last_word:
                    memcpy(cython.address(word), base + at + k, 8)
                else:
                    memcpy(cython.address(word), base + at + k, left if left < 8 else 8)
                flags = equal(word, all_delimiters) | equal(word, all_newlines)
                if left < 8:
                    flags &= (one << (8 * left)) - 1
                found = cython.cast(cython.int, ((flags >> 7) * ONES) >> 56)
                for i in range(4):
                    ends[n + i] = k + first_byte(flags | LAST)
                    flags &= flags - 1
                for i in range(4, found):
                    ends[n + i] = k + first_byte(flags)
                    flags &= flags - 1
                n += found
            if at + BLOCK >= end:  # the last field of a file may end with it
                ends[n] = cython.cast(int32_t, end - at)
                n += 1
            for k in range(n):
                if record == records:
                    break
                length = at + ends[k] - begin
                place = places[column]
                if place >= 0:
                    if column == columns - 1 and length > 0 and base[begin + length - 1] == RETURN:
                        length -= 1
                    if length < 8:
                        word = 0
                        if begin <= last_word:
                            memcpy(cython.address(word), base + begin, 8)
                            word &= (one << (8 * length)) - 1
                        else:
                            memcpy(cython.address(word), base + begin, length)
                        key = word | (cython.cast(uint64_t, length + 1) << 56)
                    else:
                        key = hashed(base + begin, length)
                    slot = (key * MIXER) >> (64 - bits)
                    keys = cython.address(slot_keys[place, 0])
                    while keys[slot] != 0:
                        if keys[slot] == key:
                            number = slot_numbers[place, slot]
                            if length < 8 or (
                                lengths[place, number] == length
                                and memcmp(base + begins[place, number], base + begin, length) == 0
                            ):
                                numbers[place, record] = cython.cast(uint16_t, number)
                                break
                        slot = (slot + 1) & mask
                    else:
                        number = counts[place]
                        if number == most:
                            counts[place] = -1
                            places[column] = -1
                            going -= 1
                        else:
                            keys[slot] = key
                            slot_numbers[place, slot] = number
                            begins[place, number] = begin
                            lengths[place, number] = length
                            counts[place] = number + 1
                            numbers[place, record] = cython.cast(uint16_t, number)
                begin = at + ends[k] + 1
                column += 1
                if column == columns:
                    column = 0
                    record += 1
            at += BLOCK
    return record
