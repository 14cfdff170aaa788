"""What all workers need and is no secret: codebooks, cuts, places of files; it lies in a file of the work folder.

pyspark writes a function whose pickled form is large into files of ``spark.local.dir``, where it stays for as long as
the session. So the functions that go to the workers are small, always: the name of a file with everything large, and
the coins, which are in no file.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from pellucid.errors import EngineError

MOST_BYTES = 1 << 16  # of a function that goes to the workers; pyspark writes those above a megabyte to disk
Function = TypeVar("Function", bound=Callable[..., Any])


@contextmanager
def shared(work: Path, name: str, value: Any) -> Iterator[Path]:
    """The value as a file that workers :func:`read`, while it lasts. The name is new in its work folder."""
    from pyspark import cloudpickle

    path = work / name
    unfinished = work / f".{name}"
    try:
        unfinished.touch(mode=0o600)
        unfinished.write_bytes(cloudpickle.dumps(value))  # type: ignore[no-untyped-call]
        unfinished.rename(path)
        yield path
    finally:
        unfinished.unlink(missing_ok=True)
        path.unlink(missing_ok=True)


@lru_cache(maxsize=2)  # a worker does many tasks of one step
def read(path: Path) -> Any:
    """The value, on whatever machine this is."""
    try:
        return pickle.loads(path.read_bytes())
    except FileNotFoundError:
        raise unseen() from None


def unseen(file: str | None = None) -> EngineError:
    """The error of a worker that has no such folder, or not this file of the table."""
    if file is not None:
        return EngineError(
            f"a machine that works for Spark does not see {file}; put it on storage that all machines share, under the "
            "same name"
        )
    return EngineError(
        "a machine that works for Spark does not see the work folder; choose one on storage that all machines share, "
        "under the same name (work=)"
    )


def small(function: Function) -> Function:
    """The same function, after checking that it goes to the workers without touching a disk."""
    from pyspark import cloudpickle

    size = len(cloudpickle.dumps(function))  # type: ignore[no-untyped-call]
    if size > MOST_BYTES:
        raise EngineError(
            f"a function for the workers has {size:,} bytes, more than {MOST_BYTES:,}, and Spark might write it to "
            "disk with the coins in it; nothing was published: tell the authors of pellucid"
        )
    return function
