"""What goes wrong on the machines of a cluster, as one line on ours."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from pellucid import errors
from pellucid.distributed.failures import without_values
from pellucid.engine.session import first_line
from pellucid.errors import EngineError, PellucidError

OURS = re.compile(r"pellucid\.errors\.(\w+): (.+)")
FULL = re.compile(r"No space left on device|Disk quota exceeded|File too large|os error (?:28|122|27)\b")
ABSENT = re.compile(r"No module named '?(pellucid|polars|numpy|pyarrow)")
CHANGED = re.compile(r"SparkOutOfMemoryError|OutOfMemoryError|Cannot allocate memory|MemoryError")
LOST = "Spark's Java process ended while it worked ({}); nothing was published: see its log, and publish again"


@contextmanager
def explained() -> Iterator[None]:
    """Errors of Spark and of its workers as ours; anything else passes."""
    try:
        with warnings.catch_warnings():
            # true of pandas, which is not used here
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
            yield
    except (PellucidError, KeyboardInterrupt):
        raise
    except (ConnectionError, EOFError) as error:
        if interrupted(error):
            raise KeyboardInterrupt from None
        raise EngineError(LOST.format(first_line(error))) from None
    except Exception as error:
        if interrupted(error):
            raise KeyboardInterrupt from None
        if not type(error).__module__.startswith(("pyspark", "py4j")):
            raise
        raise _translated(error) from None


def interrupted(error: BaseException) -> bool:
    """Whether an error came of Ctrl-C: pyspark cancels its jobs first, and what they say then hides the interrupt."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _translated(error: Exception) -> PellucidError:
    text = str(error)
    ours = OURS.findall(text)
    if ours:
        name, message = ours[-1]
        return getattr(errors, name, EngineError)(message.strip())
    if FULL.search(text):
        return EngineError(
            "the disk of a machine that works for Spark is full; nothing was published: free some space, or choose "
            "another folder for Spark (spark.local.dir) or for the work (work=)"
        )
    absent = ABSENT.search(text)
    if absent:
        return EngineError(
            f"a machine that works for Spark lacks {absent[1]}; install pellucid[spark] there, in the Python that "
            "PYSPARK_PYTHON names"
        )
    if CHANGED.search(text):
        return EngineError(
            "a machine that works for Spark has not enough memory; use a smaller rows_per_worker, or give the "
            "executors more (spark.executor.memory, spark.executor.memoryOverhead)"
        )
    return EngineError(f"Spark gave up ({without_values(_cause(text) or first_line(error))}); nothing was published")


def _cause(text: str) -> str:
    """The innermost cause that Spark tells, without its stack."""
    causes = re.findall(r"(?:Caused by: |^)((?:[\w.$]+(?:Error|Exception)): [^\n]+)", text, re.MULTILINE)
    return causes[-1].strip()[:300] if causes else ""
