"""What is found of a column of a grouping, kept for a while: a release and its summary ask the same."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np

from pellucid.group import Grouping
from pellucid.table import Codes

Found = TypeVar("Found", bound=tuple[np.ndarray[Any, Any], ...])


class _Kept:
    """What was found, while somebody wants it kept."""

    def __init__(self) -> None:
        self.wanted = 0
        self.lock = threading.Lock()
        self.found: WeakKeyDictionary[Grouping, dict[Any, tuple[Callable[[], Codes | None], Any]]] = WeakKeyDictionary()


_kept = _Kept()


@contextmanager
def finding_once() -> Iterator[None]:
    """While it lasts, what is found of groups is kept; it is some bytes for each group and column."""
    with _kept.lock:
        _kept.wanted += 1
    try:
        yield
    finally:
        with _kept.lock:
            _kept.wanted -= 1
            if not _kept.wanted:
                _kept.found.clear()


def found_once(grouping: Grouping, codes: Codes, what: tuple[object, ...], find: Callable[[], Found]) -> Found:
    """What ``find`` finds, or has found for the same question about the same codes and groups; not to be changed.

    Neither a table nor a grouping is changed once it is made, so that the answer stays true.

    >>> groups, codes = Grouping.from_labels(np.array([0, 0], np.int32)), np.array([1, 2], np.int32)
    >>> with finding_once():
    ...     asked = [found_once(groups, codes, ("least",), lambda: (np.array([1]),)) for _ in range(2)]
    >>> asked[0] is asked[1], found_once(groups, codes, ("least",), lambda: (np.array([1]),)) is asked[0]
    (True, False)
    """
    if not _kept.wanted:
        return _fixed(find())
    with _kept.lock:
        known = _kept.found.setdefault(grouping, {})
        place = (id(codes), *what)
        before = known.get(place)
    if before is not None and before[0]() is codes:  # another array may have got the place of one that is gone
        return cast("Found", before[1])
    answer = _fixed(find())
    known[place] = (weakref.ref(codes), answer)
    return answer


def _fixed(answer: Found) -> Found:
    """The same, which nobody can change: also where it is not kept, so that whoever tries is found."""
    for array in answer:
        array.flags.writeable = False
    return answer
