"""One pass over the bytes of a delimited text file: what a fast reader does not tell.

A reader such as polars fills short rows with nulls and turns the code 01234 into the number 1234. This pass finds
ragged records and the columns with a field that a reader would take for a number although it is not written like one:
with a leading zero, plus sign or blank. It follows the usual quoting: a field that begins
with a quotation mark ends at the next one that is not doubled. ``tests/io/test_delimited_scan.py`` holds the plain
definition.
"""

import cython
from cython.cimports.libc.stdint import int64_t, uint8_t, uint64_t
from cython.cimports.libc.string import memcpy
from cython.cimports.pellucid.kernels.words import equal

QUOTE = cython.declare(uint8_t, 34)
NEWLINE = cython.declare(uint8_t, 10)
MINUS = cython.declare(uint8_t, 45)
PLUS = cython.declare(uint8_t, 43)
BLANK = cython.declare(uint8_t, 32)
TAB = cython.declare(uint8_t, 9)
ZERO = cython.declare(uint8_t, 48)
NINE = cython.declare(uint8_t, 57)

# Eight bytes are looked at together: a 64-bit word with one flag, the highest bit, per byte.
ONES = cython.declare(uint64_t, 0x0101010101010101)
LOW_BITS = cython.declare(uint64_t, 0x7F7F7F7F7F7F7F7F)
FLAGS = cython.declare(uint64_t, 0x8080808080808080)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def eight_bytes(at: cython.pointer(cython.const[uint8_t])) -> uint64_t:
    """The eight bytes from here; the first one is the lowest, as on every machine that we build for."""
    word: uint64_t
    memcpy(cython.address(word), at, 8)
    return word


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def count(flags: uint64_t) -> cython.Py_ssize_t:
    """How many flags are set."""
    return cython.cast(cython.Py_ssize_t, ((flags >> 7) * ONES) >> 56)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def digits(word: uint64_t) -> uint64_t:
    """Flags of the bytes '0' to '9': those whose high half is 3 and whose low half is below 10."""
    return equal(word & (ONES * 0xF0), ONES * 0x30) & ~((word & (ONES * 0x0F)) + ONES * 0x76)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def up_to_zero(word: uint64_t) -> uint64_t:
    """Flags of the bytes that are not above '0': blank, plus, minus and zero are, letters and other digits are not."""
    return ~(((word & LOW_BITS) + ONES * 0x4F) | word) & FLAGS


def scan(
    data: cython.const[uint8_t][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    delimiter: uint8_t,
    columns: cython.Py_ssize_t,
    leading_zero: uint8_t[::1],
    found: int64_t[::1],
) -> None:
    """Scan the records in ``data[start:end]``; a record starts at ``start``, and nothing before it is looked at.

    Sets ``leading_zero[column]`` for columns with a field such as 007, -012, +5 or one that begins with a blank, and
    ``found = [records, start of the first ragged record or -1, its number of fields, 1 when the last quoted field has
    no end]``. Stops at the first ragged record.
    """
    at: cython.Py_ssize_t = start
    begin: cython.Py_ssize_t
    look: cython.Py_ssize_t
    fields: cython.Py_ssize_t = 1
    left: cython.Py_ssize_t
    records: cython.longlong = 0
    ragged: cython.longlong = -1
    open_quote: cython.longlong = 0
    byte: uint8_t
    word: uint64_t
    delimiters: uint64_t
    newlines: uint64_t
    first: uint64_t
    zeros: uint64_t
    odd: uint64_t
    before: uint64_t
    ends: uint64_t
    suspects: uint64_t
    ended_before: uint64_t = FLAGS & 0xFF  # a field begins with the first byte
    suspect_before: uint64_t = 0
    all_delimiters: uint64_t = ONES * delimiter
    all_newlines: uint64_t = ONES * NEWLINE
    base: cython.pointer(cython.const[uint8_t]) = cython.address(data[0])
    with cython.nogil:
        # Without quotation marks: eight bytes at a time and no branch that a processor would guess wrong, up to the
        # last few bytes, the first quotation mark or the first word with a ragged record.
        while at + 9 <= end:
            word = eight_bytes(base + at)
            if equal(word, ONES * QUOTE):
                break
            delimiters = equal(word, all_delimiters)
            newlines = equal(word, all_newlines)
            first = newlines & (0 - newlines)
            left = count(delimiters & (first - 1))  # delimiters left of the first newline, or all of them
            if (first != 0) & (fields + left != columns):
                break
            if newlines & (newlines - 1):  # several records end here; short ones, so look at each
                look = at
                begin = fields
                while look < at + 8:
                    if data[look] == delimiter:
                        begin += 1
                    elif data[look] == NEWLINE:
                        if begin != columns:
                            break
                        begin = 1
                    look += 1
                if look < at + 8:
                    break
            # Few fields begin with a byte up to '0'; what follows a minus may be in the next word.
            ends = delimiters | newlines
            suspects = ((ends << 8) | ended_before) & ~ends & up_to_zero(word)
            zeros = 0
            odd = 0
            if suspects | suspect_before:
                # A zero before a digit and after a delimiter, newline or minus.
                before = eight_bytes(base + at - 1) if at > start else (word << 8) | NEWLINE
                zeros = (
                    equal(word, ONES * ZERO)
                    & digits(eight_bytes(base + at + 1))
                    & (equal(before, all_delimiters) | equal(before, all_newlines) | equal(before, ONES * MINUS))
                )
                odd = (equal(word, ONES * PLUS) | equal(word, ONES * BLANK) | equal(word, ONES * TAB)) & (
                    equal(before, all_delimiters) | equal(before, all_newlines)
                )
            ended_before = ends >> 56
            suspect_before = suspects >> 56
            if zeros | odd:
                begin = fields - 1
                for look in range(at, at + 8):
                    byte = data[look]
                    if byte == delimiter:
                        begin += 1
                    elif byte == NEWLINE:
                        begin = 0
                    elif (byte == PLUS or byte == BLANK or byte == TAB) and begin < columns:
                        if look == start or data[look - 1] == delimiter or data[look - 1] == NEWLINE:
                            leading_zero[begin] = 1
                    elif byte == ZERO and ZERO <= data[look + 1] <= NINE and begin < columns:
                        byte = data[look - 1] if look > start else NEWLINE
                        if byte == MINUS:  # but not the exponent of 1e-05
                            byte = data[look - 2] if look - 1 > start else NEWLINE
                        if byte == delimiter or byte == NEWLINE:
                            leading_zero[begin] = 1
            records += count(newlines)
            newlines |= newlines >> 8
            newlines |= newlines >> 16
            newlines |= newlines >> 32  # every byte up to the last newline
            fields = 1 + count(delimiters & ~newlines) if first else fields + left
            at += 8
        # Back to the start of the record, then field by field.
        while at > start and data[at - 1] != NEWLINE:
            at -= 1
        begin = at
        fields = 0
        while at < end:
            byte = data[at]
            look = at
            if byte == QUOTE:
                look += 1
            if look < end and fields < columns:
                if data[look] == PLUS or ((data[look] == BLANK or data[look] == TAB) and data[look] != delimiter):
                    leading_zero[fields] = 1
            if look < end and data[look] == MINUS:
                look += 1
            if look + 1 < end and data[look] == ZERO and ZERO <= data[look + 1] <= NINE and fields < columns:
                leading_zero[fields] = 1
            if byte == QUOTE:
                at += 1
                open_quote = 1
                while at < end:
                    if data[at] == QUOTE:
                        at += 1
                        if at >= end or data[at] != QUOTE:
                            open_quote = 0
                            break
                    at += 1
            while at < end and data[at] != delimiter and data[at] != NEWLINE:
                at += 1
            fields += 1
            if at < end and data[at] == delimiter:
                at += 1
                if at < end:
                    continue
                fields += 1  # the file ends right after a delimiter: one empty field more
            at += 1
            records += 1
            # A line with nothing on it has one field, empty: a null in a table of one column, ragged in any other.
            if fields != columns:
                ragged = begin
                break
            fields = 0
            begin = at
    found[0] = records
    found[1] = ragged
    found[2] = fields
    found[3] = open_quote
