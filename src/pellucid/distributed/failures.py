"""What goes wrong inside Spark, told in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pellucid.errors import InputError

LAST = re.compile(r"^(?:\w+\.)*(\w*(?:Error|Exception)): (.+)$", re.MULTILINE)


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Turn what Spark raises into an error that says what failed; the full story is in Spark's own log."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise InputError(
            f"Spark gave up: {cause_in(str(error))}; mend that, or see Spark's log (executors need pellucid installed)"
        ) from error
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
