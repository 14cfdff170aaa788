"""Each piece of memory that a kernel asks for may be refused: then it raises MemoryError, and keeps nothing."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

import pellucid as pc
from pellucid.coins import Coins
from pellucid.group import Method
from pellucid.kernels import anatomy, hilbert, permanents
from pellucid.kernels.canonical import sorted_within
from pellucid.table import Table

failing = pytest.importorskip("_testcapi")  # of CPython's own tests: allocations that fail at a number
MOST = 4000  # allocations of one call


def table(rows: int) -> Table:
    return pc.read(pc.datasets.census(rows, seed=2), quasi=["age", "education", "birthplace"], sensitive="occupation")


def left_over(call: Callable[[], object]) -> int:
    """The bytes that a call leaves allocated."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    call()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return after - before
