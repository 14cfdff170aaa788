"""Files that Spark reads: exactly those that are named, however they are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from pellucid.errors import InputError, first_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEME = "file://"
SPECIAL = re.compile(r"([\[\]{}*?\\])")


def address(path: Path) -> str:
    """Where Spark is to write, on a file system that all machines see, whatever it takes a bare name for.

    >>> address(Path("/tmp/people[12].parquet"))
    'file:///tmp/people[12].parquet'
    """
    absolute = path.absolute()
    return f"{SCHEME}{absolute.resolve() if '..' in absolute.parts else absolute}"


def pattern(path: Path) -> str:
    r"""What Spark is to read: it takes names for patterns, and this one fits nothing but the path.

    >>> print(pattern(Path("/tmp/people[12].parquet")))
    file:///tmp/people\[12\].parquet
    """
    return SPECIAL.sub(r"\\\1", address(path))


def read_parquet(session: SparkSession, files: Sequence[Path]) -> Any:
    """The Spark DataFrame of these Parquet files, and of no others."""
    from pyspark.errors import PySparkException

    try:
        frame = session.read.parquet(*map(pattern, files))
    except PySparkException as error:
        reason = first_line(error)
        raise InputError(
            "{files} cannot be read by Spark ({reason}); write it again", files=files[0].name, reason=reason
        ) from None
    read = {Path(unquote(file.partition(":")[2])).resolve() for file in frame.inputFiles()}
    wanted = {file.resolve() for file in files}
    if read != wanted:
        other = sorted(read ^ wanted)[0]
        does = "reads" if other in read else "does not read"
        raise InputError(
            f"Spark {does} {other.name}; give files names that begin with a letter or digit, in a folder with nothing "
            "else"
        )
    return frame
