"""A table that is too large for the machine: one line instead of a traceback, or of a machine that stands still."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from pellucid.charts.drawing import address_space_is_limited
from pellucid.errors import InputError

CENSUS_BYTES = 26  # a row of a census needs at least so many: one byte per column, and four per column for the codes
SIGNS = ("can't start new thread", "could not spawn threads", "Cannot allocate memory", "failed to map segment")
WAY_OUT = "use fewer rows or columns, or a machine with more memory"


@contextmanager
def enough_memory(source: str) -> Iterator[None]:
    """Refuse a census that cannot fit, and turn a lack of memory into one line."""
    _check_census(source)
    try:
        yield
    except (MemoryError, RuntimeError, ImportError) as wrong:
        if not is_lack_of_memory(wrong):
            raise
        from pellucid.io.database import without_password  # here: `pellucid --help` reads no tables

        raise InputError(f"not enough memory for {without_password(source)}; {WAY_OUT}") from None


def is_lack_of_memory(wrong: BaseException) -> bool:
    """Whether an error of a library is a lack of memory by another name: threads and modules need some too.

    >>> is_lack_of_memory(RuntimeError("can't start new thread")), is_lack_of_memory(RuntimeError("odd"))
    (True, False)
    """
    if isinstance(wrong, SyntaxError):  # Python could not hold what it compiles: a module that is installed has none
        return address_space_is_limited()
    return isinstance(wrong, MemoryError) or any(sign in str(wrong) for sign in SIGNS)


def _check_census(source: str) -> None:
    """Systems promise more memory than they have and end a program that takes it at its word: so count before."""
    asked = re.fullmatch(r"census:([\d_]+)(?::\d*)?", source, re.ASCII)
    rows = int(asked[1].replace("_", "") or 0) if asked else 0
    needed, there = rows * CENSUS_BYTES, machine_memory()
    if there is not None and needed > there:
        raise InputError(
            f"not enough memory for {source}: {rows:,} rows need at least {needed / 2**30:,.0f} GiB and this machine "
            f"has {there / 2**30:,.1f}; use fewer rows, for example census:{_round(there // CENSUS_BYTES // 4)}"
        )


def _round(rows: int) -> int:
    """A round number of that size.

    >>> _round(123_456)
    100000
    """
    return int("1" + "0" * (len(str(max(rows, 1))) - 1))


def machine_memory() -> int | None:
    """The bytes of memory that the machine has, where the system tells."""
    try:
        page, pages = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    return page * pages


def limit_memory(most: int | None = None) -> int | None:
    """Let this process, and each that it starts, take at most so many bytes; most of the machine's memory unless given.

    What a file claims may be false, and a machine without memory stands still before it ends anything. Past the limit
    Python raises :class:`MemoryError`, and compiled code ends the process. Gives the limit; None where the system has
    none.
    """
    try:
        import resource
    except ImportError:
        return None
    there = machine_memory()
    asked = most if most is not None else None if there is None else there * 4 // 5
    if asked is None:
        return None
    # what is written to, not what is set aside: programs that draw charts set aside far more than they use
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limits = [limit for limit in (asked, soft, hard) if limit != resource.RLIM_INFINITY]
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))
    except (ValueError, OSError):
        return None
    return min(limits)
