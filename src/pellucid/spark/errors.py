"""What goes wrong inside Spark and on its machines, as one line on ours: the one place that translates its errors.

``told_in_one_line`` is for whoever asks a frame, ``explained`` for whoever publishes one.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from pellucid import errors
from pellucid.errors import EngineError, InputError, PellucidError

OURS = re.compile(r"pellucid\.errors\.(\w+): (.+)")
FULL = re.compile(r"No space left on device|Disk quota exceeded|File too large|os error (?:28|122|27)\b")
ABSENT = re.compile(r"No module named '?(pellucid|polars|numpy|pyarrow)")
CHANGED = re.compile(r"SparkOutOfMemoryError|OutOfMemoryError|Cannot allocate memory|MemoryError")
OF_SPARK = re.compile(r"\[[A-Z][A-Z0-9_.]+\] ")  # what Spark calls an error, as in [CAST_INVALID_INPUT]
STATE = re.compile(r" ?SQLSTATE: \w+")
QUOTED = re.compile(r"""(?<!\w)'(?:.*'(?!\w)|.*)|(?<!\w)"(?:.*"(?!\w)|.*)""")
NUMBER = re.compile(r"(?<![\w.])[-+]?\.?\d[\w.+-]*")
LAST = re.compile(r"^(?:\w+\.)*(\w*(?:Error|Exception)): (.+)$", re.MULTILINE)
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


def _translated(error: Exception) -> Exception:
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


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Turn what Spark raises into an error that says what failed; the full story is in Spark's own log."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        cause = without_values(cause_in(str(error)))
        raise InputError(
            "Spark gave up: {cause}; mend that, or see Spark's log (executors need pellucid installed)", cause=cause
        ) from None  # what Spark says may hold values of the table
    except ConnectionError as error:
        raise InputError("Spark's Java process ended while it worked ({error}); start it again", error=error) from error


def cause_in(story: str) -> str:
    r"""The last error that a story tells: a worker's traceback ends with it.

    >>> cause_in("Traceback\n  File ...\nModuleNotFoundError: No module named 'pellucid'\n\tat java ...")
    "No module named 'pellucid'"
    >>> cause_in("[PATH_NOT_FOUND] no such path\nmore")
    '[PATH_NOT_FOUND] no such path'
    """
    causes: list[tuple[str, str]] = LAST.findall(story)
    return causes[-1][1].strip() if causes else story.strip().partition("\n")[0]


def without_values(message: str) -> str:
    r"""A message of Spark or of a worker without what it may repeat of the table: literals in quotes, and numbers.

    What Spark calls the error stays, and so do its words, names of columns (in backticks) and modules that are absent.
    From the first quote to the last is one literal, since a value may hold quotes too.

    >>> without_values("[CAST_INVALID_INPUT] The value 'HIV' of the type \"STRING\" cannot be cast. SQLSTATE: 22018")
    '[CAST_INVALID_INPUT] The value ... of the type ... cannot be cast.'
    >>> without_values("ValueError: could not convert string to float: 'HIV")
    'ValueError: could not convert string to float: ...'
    >>> without_values("[CAST_OVERFLOW] The value 4711L of column `cost` is too large")
    '[CAST_OVERFLOW] The value ... of column `cost` is too large'
    >>> without_values("No module named 'pellucid'")
    "No module named 'pellucid'"
    """
    if "No module named" in message:
        return message
    blank = QUOTED.sub("...", STATE.sub("", message))
    match = OF_SPARK.search(blank)
    if match is None:
        return blank
    return blank[: match.end()] + NUMBER.sub("...", blank[match.end() :])


def first_line(error: BaseException) -> str:
    """What went wrong, in one short line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:200] if lines else type(error).__name__
