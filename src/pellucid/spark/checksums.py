"""The checksums of a release's files, read by the machines that read its rows: none passes the driver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pellucid.io.checksum import checksum
from pellucid.spark.engine.tasks import answers
from pellucid.spark.errors import told_in_one_line
from pellucid.spark.frames import with_this_python

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class FileDigests:
    """Reads the files of these numbers, and gives each number with the checksum."""

    files: tuple[Path, ...]

    def __call__(self, numbers: Iterator[int]) -> Iterator[tuple[int, str]]:
        """One checksum after the other."""
        for number in numbers:
            yield number, checksum(self.files[number])


def checksums_by_spark(spark: SparkSession, files: Sequence[Path]) -> list[str]:
    """The checksum of each file, which all machines see under the same name."""
    work = FileDigests(tuple(file.absolute() for file in files))
    with_this_python(spark)
    with told_in_one_line():
        return [digest for _, digest in sorted(answers(spark, work, len(files)))]
