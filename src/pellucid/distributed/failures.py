"""What goes wrong inside Spark, told in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pellucid.errors import InputError

OF_SPARK = re.compile(r"\[[A-Z][A-Z0-9_.]+\] ")  # what Spark calls an error, as in [CAST_INVALID_INPUT]
STATE = re.compile(r" ?SQLSTATE: \w+")
QUOTED = re.compile(r"""(?<!\w)'(?:.*'(?!\w)|.*)|(?<!\w)"(?:.*"(?!\w)|.*)""")
NUMBER = re.compile(r"(?<![\w.])[-+]?\.?\d[\w.+-]*")
LAST = re.compile(r"^(?:\w+\.)*(\w*(?:Error|Exception)): (.+)$", re.MULTILINE)


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
            f"Spark gave up: {cause}; mend that, or see Spark's log (executors need pellucid installed)"
        ) from None  # what Spark says may hold values of the table
    except ConnectionError as error:
        raise InputError(f"Spark's Java process ended while it worked ({error}); start it again") from error


def cause_in(story: str) -> str:
    r"""The last error that a story tells: a worker's traceback ends with it.

    >>> cause_in("Traceback\n  File ...\nModuleNotFoundError: No module named 'pellucid'\n\tat java ...")
    "No module named 'pellucid'"
    >>> cause_in("[PATH_NOT_FOUND] no such path\nmore")
    '[PATH_NOT_FOUND] no such path'
    """
    found: list[tuple[str, str]] = LAST.findall(story)
    return found[-1][1].strip() if found else story.strip().partition("\n")[0]


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
    found = OF_SPARK.search(blank)
    if found is None:
        return blank
    return blank[: found.end()] + NUMBER.sub("...", blank[found.end() :])
