"""Each piece of memory that a kernel asks for may be refused: then it raises MemoryError, and keeps nothing."""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from functools import partial
from typing import Any

import numpy as np
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Method
from pellucid.core.coins import Coins
from pellucid.kernels import anatomy, deal, entries, grow, hilbert, leaves, median
from pellucid.kernels import slice as slicer

refusing = pytest.importorskip("_testcapi")  # CPython's own: allocations that fail from one number to another
LEAST = 2_000  # bytes: less than the pieces that a kernel which keeps one would keep in all of these calls
KERNELS: list[tuple[Any, str, Method]] = [
    (grow, "grow", pc.Tailor(l=2)),
    (grow, "grow", pc.SoftCut(l=2)),
    (grow, "grow", pc.Strata(l=2, size=20)),
    (grow, "grow", pc.Hybrid(l=2)),
    (grow, "grow", pc.Tailor(model=["l-diversity=2", "k-anonymity=5"])),
    (leaves, "divide_leaves", pc.Hybrid(l=2, k=4)),
    (leaves, "cut_pools", pc.Hybrid(l=2, k=4, values=[34, 15])),
    (slicer, "slice_rows", pc.Ace(l=2)),
    (slicer, "assign_steps", pc.Ace(l=2)),
    (anatomy, "divide", pc.Anatomy(l=2)),
    (deal, "deal", pc.Injector(l=2)),
    (entries, "drawn_within", pc.Tailor(l=2)),
    (hilbert, "places", pc.SymmetricGrouping(l=2, order="hilbert")),
    (median, "grow", pc.Mondrian(l=2)),
]


def test_memory_that_is_refused_is_an_error_and_nothing_is_kept() -> None:
    """In a process of its own, all in turn: refusals reach every thread, also of servers that other tests started."""
    done = subprocess.run([sys.executable, "-W", "error", __file__], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [f"{name} for {method.name}" for _, name, method in KERNELS]


def refuse(module: Any, name: str, method: Method) -> None:
    """Refuse each piece of memory of a kernel's call."""
    roles: dict[str, Any] = {"quasi": ["age", "education", "birthplace"], "sensitive": "occupation"}
    table = pc.read(pc.datasets.census(300, seed=2), **roles)
    kernel, calls = getattr(module, name), []

    def noted(*given: Any, **named: Any) -> Any:
        calls.append(partial(kernel, *map(copied, given), **named))
        return kernel(*given, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, noted)
        expected = method.group(table, Coins.from_seed(1), threads=1).labels
        refused = kept = 0
        for _ in range(
            6
        ):  # the first time also what Python keeps for the next; what a kernel keeps, it keeps each time
            tracemalloc.start()
            before = tracemalloc.get_traced_memory()[0]
            refused = refusals(calls[0])
            gc.collect()
            kept = tracemalloc.get_traced_memory()[0] - before
            tracemalloc.stop()
            if kept < LEAST:
                break
        again = method.group(table, Coins.from_seed(1), threads=1).labels
    assert refused > 1, (name, method)
    assert kept < LEAST, (name, method, kept)
    assert np.array_equal(again, expected), (name, method)


def copied(given: Any) -> Any:
    return given.copy() if isinstance(given, np.ndarray) else given


def refusals(call: partial[Any]) -> int:
    """In how many ways one allocation can be refused, one after the other, until nothing more is asked for."""
    number = 0
    while True:
        mine = partial(call.func, *map(copied, call.args), **call.keywords)
        refusing.set_nomemory(number + 1, number + 2)
        try:
            mine()
        except MemoryError:
            number += 1
        else:
            return number
        finally:
            refusing.remove_mem_hooks()


if __name__ == "__main__":
    for case in KERNELS:
        refuse(*case)
        print(f"{case[1]} for {case[2].name}")
