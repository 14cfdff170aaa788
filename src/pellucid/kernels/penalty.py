"""The perimeter of a cut, exactly.

The extent of a box on attribute i is an integer e_i out of full_i, and counts importance_i times. The perimeter of a
cut into k and m rows is the sum over the attributes of importance_i * (k * e_i(left) + m * e_i(right)) / full_i.
Multiplied by the least common multiple L of the full_i it is an integer; as long as that stays below 2**53 a float
holds it exactly, and comparing floats is comparing integers. Otherwise a float decides where the difference is larger
than its error, and :func:`exact_sign` decides the rest in digits of 24 bits.
"""

import math

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.pellucid.kernels.lanes import box_high, box_low

DIGIT = 24
MOST_LIMBS = 128  # 60 attributes of 2**31 steps each need 78


@cython.cclass
class Geometry:
    """The attributes' line positions or taxonomy chains, laid out for the kernels.

    Each attribute is a dict with positions, width, nullable, chains, leaves and importance as in
    :class:`pellucid.core.table.Attribute`.
    ``rows`` bounds the number of rows of any group.
    """

    def __init__(self, attributes: list, rows: int) -> None:
        d = len(attributes)
        full = [max(int(a["width"]), 1) for a in attributes]
        common = math.lcm(*full)
        importance = [int(a["importance"]) for a in attributes]
        exact = common * sum(importance) * max(rows, 1) < 2**53
        weights = [n * (common // f) for n, f in zip(importance, full, strict=True)]
        limbs = max(1, -(-max(weights).bit_length() // DIGIT))
        if limbs > MOST_LIMBS:
            raise ValueError(f"the attributes' ranges need {limbs} digits, and there is room for {MOST_LIMBS}")
        digits = np.array([[(w >> (DIGIT * j)) & ((1 << DIGIT) - 1) for j in range(limbs)] for w in weights], np.int64)
        rounded = [n / f for n, f in zip(importance, full, strict=True)]
        weight = np.array([float(w) for w in weights] if exact else rounded)
        positions = [np.ascontiguousarray(a["positions"], np.int64) for a in attributes]
        chains = [a["chains"] for a in attributes]
        leaves = [np.ascontiguousarray(a["leaves"], np.int64) for a in attributes if a["chains"] is not None]
        arrays = {
            "codes": np.array([len(p) for p in positions], np.int32),
            "nullable": np.array([a["nullable"] for a in attributes], np.int32),
            "levels": np.array([0 if c is None else c.shape[0] for c in chains], np.int32),
            "full": np.array(full, np.int64),
            "importance": np.array(importance, np.int64),
            "weight": weight,
            "at": starts([len(p) for p in positions]),
            "positions": np.concatenate(positions),
            "weighted": np.concatenate([p * w for p, w in zip(positions, weight, strict=True)]),
            "chain_at": starts([0 if c is None else c.size for c in chains]),
            "chains": np.concatenate([c.ravel() for c in chains if c is not None] + [np.zeros(1, np.int32)]),
            "leaf_at": starts([0 if a["chains"] is None else len(a["leaves"]) for a in attributes]),
            "leaves": np.concatenate([*leaves, np.zeros(1, np.int64)]),
            "limb": np.ascontiguousarray(digits),
        }
        self.arrays = arrays
        self.space.d = d
        self.space.blocks = -(-d // 4)
        self.space.exact = exact
        self.space.limbs = limbs
        self.space.codes = ints(arrays["codes"])
        self.space.nullable = ints(arrays["nullable"])
        self.space.levels = ints(arrays["levels"])
        self.space.chains = ints(arrays["chains"])
        self.space.full = longs(arrays["full"])
        self.space.importance = longs(arrays["importance"])
        self.space.at = longs(arrays["at"])
        self.space.positions = longs(arrays["positions"])
        self.space.chain_at = longs(arrays["chain_at"])
        self.space.leaf_at = longs(arrays["leaf_at"])
        self.space.leaves = longs(arrays["leaves"])
        self.space.limb = longs(arrays["limb"])
        self.space.weight = floats(arrays["weight"])
        self.space.weighted = floats(arrays["weighted"])

    @property
    def exact(self) -> bool:
        """Whether floats alone are exact here."""
        return self.space.exact


def starts(lengths: list) -> np.ndarray:
    """Where each part begins in a concatenation."""
    return (np.cumsum(lengths) - np.array(lengths)).astype(np.int64)


@cython.cfunc
def ints(array: object) -> cython.pointer(int32_t):
    view: int32_t[::1] = array.reshape(-1)
    return cython.address(view[0])


@cython.cfunc
def longs(array: object) -> cython.pointer(int64_t):
    view: int64_t[::1] = array.reshape(-1)
    return cython.address(view[0])


@cython.cfunc
def floats(array: object) -> cython.pointer(cython.double):
    view: cython.double[::1] = array.reshape(-1)
    return cython.address(view[0])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def span(space: cython.pointer(cython.const[Space]), i: cython.int, low: int32_t, high: int32_t) -> int64_t:
    """The extent of the codes low..high on attribute i, in its integer unit."""
    h: cython.int
    chain: cython.pointer(int32_t)
    positions: cython.pointer(int64_t)
    if low >= high:  # constant, or an empty box
        return 0
    if space.levels[i] > 0:
        chain = space.chains + space.chain_at[i]
        for h in range(space.levels[i]):
            if chain[low] == chain[high]:
                return space.leaves[space.leaf_at[i] + chain[low]] - 1
            chain += space.codes[i]
        return space.full[i]
    if low == 0 and space.nullable[i]:
        return space.full[i]
    positions = space.positions + space.at[i]
    return positions[high] - positions[low]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def extent(space: cython.pointer(cython.const[Space]), box: cython.pointer(cython.const[int32_t])) -> cython.double:
    """What one row in this box costs: the weighted sum of its extents, with a relative error below 1e-14."""
    i: cython.int
    low: int32_t
    high: int32_t
    total: cython.double = 0.0
    weighted: cython.pointer(cython.double)
    for i in range(space.d):
        low = box_low(box, i)
        high = box_high(box, i)
        if low >= high:  # constant, or an empty box
            continue
        if space.exact and space.levels[i] == 0 and not (low == 0 and space.nullable[i]):
            weighted = space.weighted + space.at[i]
            total += weighted[high] - weighted[low]
        else:
            total += cython.cast(cython.double, span(space, i, low, high)) * space.weight[i]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def exact_sign(
    space: cython.pointer(cython.const[Space]),
    left: cython.pointer(cython.const[int32_t]),
    k: int64_t,
    right: cython.pointer(cython.const[int32_t]),
    m: int64_t,
    left2: cython.pointer(cython.const[int32_t]),
    k2: int64_t,
    right2: cython.pointer(cython.const[int32_t]),
    m2: int64_t,
) -> cython.int:
    """The sign of perimeter(left, k, right, m) - perimeter(left2, k2, right2, m2), in integers."""
    digits: int64_t[132]
    i: cython.int
    j: cython.int
    p: cython.int
    rest: int64_t
    piece: int64_t
    difference: int64_t
    carry: int64_t = 0
    nonzero: cython.int = 0
    for j in range(space.limbs + 4):
        digits[j] = 0
    for i in range(space.d):
        difference = (
            k * span(space, i, box_low(left, i), box_high(left, i))
            + m * span(space, i, box_low(right, i), box_high(right, i))
            - k2 * span(space, i, box_low(left2, i), box_high(left2, i))
            - m2 * span(space, i, box_low(right2, i), box_high(right2, i))
        )
        rest = difference
        for p in range(3):
            if p < 2:
                piece = rest & 0xFFFFFF  # the low 24 bits, not negative
                rest = (rest - piece) // 16777216
            else:
                piece = rest
            for j in range(space.limbs):
                digits[j + p] += piece * space.limb[i * space.limbs + j]
    for j in range(space.limbs + 4):
        digits[j] += carry
        piece = digits[j] & 0xFFFFFF
        carry = (digits[j] - piece) // 16777216
        if piece != 0:
            nonzero = 1
    if carry < 0:
        return -1
    return 1 if (carry > 0 or nonzero) else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sign_of(
    space: cython.pointer(cython.const[Space]),
    score: cython.double,
    left: cython.pointer(cython.const[int32_t]),
    k: int64_t,
    right: cython.pointer(cython.const[int32_t]),
    m: int64_t,
    score2: cython.double,
    left2: cython.pointer(cython.const[int32_t]),
    k2: int64_t,
    right2: cython.pointer(cython.const[int32_t]),
    m2: int64_t,
) -> cython.int:
    """The sign of the difference of two perimeters, whose floats are at hand; the boxes decide where floats cannot."""
    if space.exact:
        return (score > score2) - (score < score2)
    if score > score2 * (1.0 + 1e-12):
        return 1
    if score < score2 * (1.0 - 1e-12):
        return -1
    return exact_sign(space, left, k, right, m, left2, k2, right2, m2)
