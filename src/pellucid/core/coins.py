"""The secret randomness of a release.

A randomised method's guarantee holds because nobody knows its coins. They are a 128-bit key from the operating system
and a keyed function of cryptographic strength, SipHash-2-4, evaluated per row: the same key gives the same release for
any number of threads or machines, and without the key the values look random.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pellucid.kernels import keyed
from pellucid.runtime.parallel import in_stretches


@dataclass(frozen=True, slots=True, repr=False)
class Coins:
    """A key, and what methods draw with it. It is neither kept, logged nor written; its repr does not show it.

    >>> Coins.fresh()
    Coins(secret)
    >>> (Coins.from_seed(7).order(4) == Coins.from_seed(7).order(4)).all()
    np.True_
    """

    key: bytes = field(repr=False)

    @classmethod
    def fresh(cls) -> Coins:
        """A new key from the operating system: what a release for the world uses."""
        return cls(os.urandom(16))

    @classmethod
    def from_seed(cls, seed: int | str) -> Coins:
        """A key that can be made again. The guarantee then rests on the seed staying secret."""
        return cls(hashlib.blake2b(f"{type(seed).__name__}:{seed}".encode(), digest_size=16, person=b"seed").digest())

    def subkey(self, purpose: str) -> tuple[int, int]:
        """Two 64-bit words for one purpose, independent of every other purpose's."""
        digest = hashlib.blake2b(purpose.encode(), key=self.key, digest_size=16, person=b"subkey").digest()
        return int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")

    def part(self, purpose: str) -> Coins:
        """Coins of a part of the work, independent of every other part's and of these.

        >>> Coins.from_seed(7).part("a") == Coins.from_seed(7).part("a"), Coins.from_seed(7).part("a").key == b""
        (True, False)
        """
        return Coins(hashlib.blake2b(purpose.encode(), key=self.key, digest_size=16, person=b"part").digest())

    def order(self, rows: int, *, first: int = 0, threads: int = 1) -> NDArray[np.int64]:
        """A random total order for rows without an identifier: one value per row, to be compared and nothing else.

        ``first`` is the place of the first of these rows in the whole table. Two of n values are equal with probability
        below n * n / 2**64.
        """
        key0, key1 = self.subkey("order")
        order = np.empty(rows, np.int64)
        in_stretches(lambda a, b: keyed.hash_range(key0, key1, first + a, order[a:b]), rows, threads)
        return order

    def draws(self, order: NDArray[np.int64], *, purpose: str = "assign", threads: int = 1) -> NDArray[np.int64]:
        """One value from 0 to 2**63 - 1 per row, by its place in the row order; other purposes get other values."""
        key0, key1 = self.subkey(purpose)
        draws = np.empty(len(order), np.int64)
        in_stretches(lambda a, b: keyed.hash_words(key0, key1, order[a:b], draws[a:b]), len(order), threads)
        return draws

    def __repr__(self) -> str:
        return "Coins(secret)"
