"""The memory that a kernel works in: pieces taken one by one, freed all at once when the call that owns them ends.

A function that Python calls makes an :class:`Arena` and hands its ``room`` down; whoever is below takes pieces and
frees none. The arena is freed when the function returns or raises, as every object is. A room is for one thread::

    arena = Arena()
    room = cython.address(arena.room)
    counts, rows = int64s(room, values), int32s(room, n)
    arena.check()  # raises MemoryError unless everything was there

Without the interpreter ``room.failed`` says it. A piece that became too small is ``grown``, which keeps what is in it,
or ``dropped`` for another one.
"""

import cython
from cython.cimports.cpython.mem import PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from cython.cimports.libc.stdint import int64_t


@cython.cclass
class Arena:
    """Owns a room."""

    def __cinit__(self) -> None:
        self.room.ring.before = self.room.ring.after = cython.address(self.room.ring)

    def __dealloc__(self) -> None:
        ring: cython.pointer(Block) = cython.address(self.room.ring)
        while ring.after != ring:
            dropped(ring.after + 1)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def check(self) -> cython.int:
        """Raise where there was not enough memory."""
        if self.room.failed:
            raise MemoryError
        return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def linked(room: cython.pointer(Room), block: cython.pointer(Block)) -> cython.p_void:
    """Put a new block into the ring; the memory behind it."""
    if block == cython.NULL:
        room.failed = True
        return cython.NULL
    block.before = cython.address(room.ring)
    block.after = room.ring.after
    block.after.before = block
    room.ring.after = block
    return block + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def claimed(room: cython.pointer(Room), size: int64_t) -> cython.p_void:
    """So many bytes of anything."""
    return linked(
        room,
        cython.cast(cython.pointer(Block), PyMem_RawMalloc(cython.sizeof(Block) + cython.cast(cython.size_t, size))),
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def zeroed(room: cython.pointer(Room), size: int64_t) -> cython.p_void:
    """So many bytes of zeros."""
    return linked(
        room,
        cython.cast(cython.pointer(Block), PyMem_RawCalloc(1, cython.sizeof(Block) + cython.cast(cython.size_t, size))),
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def grown(room: cython.pointer(Room), old: cython.p_void, size: int64_t) -> cython.p_void:
    """A piece, or NULL, with so many bytes, the first as they were; the old one where there is not enough memory."""
    block: cython.pointer(Block)
    if old == cython.NULL:
        return claimed(room, size)
    block = cython.cast(
        cython.pointer(Block),
        PyMem_RawRealloc(
            cython.cast(cython.pointer(Block), old) - 1, cython.sizeof(Block) + cython.cast(cython.size_t, size)
        ),
    )
    if block == cython.NULL:
        room.failed = True
        return old
    block.before.after = block.after.before = block
    return block + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def dropped(old: cython.p_void) -> cython.void:
    """Free a piece, or NULL, before the others."""
    if old == cython.NULL:
        return
    block: cython.pointer(Block) = cython.cast(cython.pointer(Block), old) - 1
    block.before.after = block.after
    block.after.before = block.before
    PyMem_RawFree(block)
