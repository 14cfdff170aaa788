"""The secret die behind SoftCut's refusals: thrown with exact integer coins, keyed by the node that is tried.

A node is named by the cuts that lead to it: the root is 0, and a side of a cut is SipHash-2-4 of its parent's name with
the side in the lowest bit. Names depend on neither threads nor machines, and two nodes share one with a probability
below nodes * nodes / 2**63. Throw number i at a node is SipHash-2-4, under another key, of the node's name plus i. Its
63 bits are reduced to a face without bias: numbers beyond the largest multiple of the sides are thrown again.
"""

import cython
from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.pellucid.kernels.siphash import siphash

HALF = cython.declare(uint64_t, 0x8000000000000000)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def child_of(die: cython.pointer(cython.const[Throws]), node: uint64_t, side: uint64_t) -> uint64_t:
    """The name of one side of a cut: 0 the left one, 1 the right one."""
    return siphash(die.node0, die.node1, node ^ side) >> 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def shows_one(die: cython.pointer(cython.const[Throws]), node: uint64_t, throws: int64_t) -> cython.bint:
    """Whether one of the first so many throws at a node shows a 1."""
    word: uint64_t = node
    drawn: uint64_t
    fair: uint64_t = HALF - HALF % die.sides
    while throws > 0:
        drawn = siphash(die.die0, die.die1, word) >> 1
        word += 1
        if drawn >= fair:
            continue
        if drawn % die.sides == 0:
            return True
        throws -= 1
    return False


@cython.cclass
class Die:
    """A die of so many sides and its two keys, as :meth:`pellucid.core.coins.Coins.subkey` gives them."""

    def __init__(self, sides: int, node0: int, node1: int, die0: int, die1: int) -> None:
        self.throws.sides = sides
        self.throws.node0 = node0
        self.throws.node1 = node1
        self.throws.die0 = die0
        self.throws.die1 = die1

    def child(self, node: int, side: int) -> int:
        """The name of the left (0) or the right (1) side of a node's cut."""
        return child_of(cython.address(self.throws), node, side)

    def allows(self, node: int, slack: int) -> bool:
        """Whether a cut with this slack is accepted: at most so many throws come before the first 1."""
        return shows_one(cython.address(self.throws), node, slack + 1)
