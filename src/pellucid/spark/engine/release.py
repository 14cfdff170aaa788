"""A release whose rows are with Spark."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from pellucid.anonymize.disclosure.beyond_the_bound import beyond_the_bound
from pellucid.core.recipe import Recipe
from pellucid.core.release import Format, Private, Public, Release
from pellucid.errors import MethodError, OutputError
from pellucid.io.bundle import write_parts
from pellucid.messages import Message
from pellucid.runtime.notebook import table
from pellucid.spark.frames import pattern
from pellucid.spark.frames.session import require_running

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class NotKept(Private):
    """The private half of a release made by Spark: which row is in which group is not kept."""

    def __init__(self) -> None:
        pass

    def __getattribute__(self, name: str) -> Any:
        """Say so, whatever is asked."""
        if name.startswith("_"):
            return object.__getattribute__(self, name)
        raise MethodError(
            f"private.{name}: a release made with Spark keeps no link to its input; publish without Spark where the "
            "groups of rows are needed"
        )

    def __repr__(self) -> str:
        return "NotKept()"


class WhenAsked(Mapping[str, Any]):
    """Frames by name, which Spark reads when somebody asks for one: whoever only writes the files does without."""

    def __init__(self, spark: SparkSession, parts: Mapping[str, Path]) -> None:
        self._spark, self._parts = spark, dict(parts)
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            require_running(self._spark)
            self._read[name] = self._spark.read.parquet(pattern(self._parts[name]))
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


class Folder:
    """A folder that is removed when nobody has this object any more, at the latest when Python ends."""

    def __init__(self, path: Path) -> None:
        self._stays = False
        weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)

    def stay_with(self, owner: object) -> None:
        """Keep the folder for as long as there is the owner."""
        if not self._stays:
            weakref.finalize(owner, _let_go, self)
        self._stays = True


def _columns_in(folder: Path) -> list[str]:
    """The columns of the Parquet files of a folder, which all have the same."""
    return list(pl.read_parquet_schema(min(folder.glob("*.parquet"))))


def _let_go(_: Folder) -> None:
    """Nothing to do: whoever calls this held the folder until now."""


@dataclass(frozen=True, eq=False, repr=False)
class SparkRelease(Release):
    """What :func:`pellucid.publish` gives for a Spark DataFrame; its ``frame`` is one too.

    The published rows are Parquet files in a private folder, which goes with the release. Once somebody took a frame it
    stays as long as the session's object, in practice until Python ends, since frames that are made of this one read
    the files too. ``figures`` has the sizes of the groups and remarks for the steward.
    """

    parts: Mapping[str, Path] | None = None
    figures: Mapping[str, Any] | None = None
    folder: Folder | None = None

    @classmethod
    def of(
        cls,
        spark: SparkSession,
        parts: Mapping[str, Path],
        recipe: Recipe,
        figures: Mapping[str, Any],
        work: Path | None,
    ) -> SparkRelease:
        """The release that lies in these folders, which are removed with ``work``."""
        frames: Any = WhenAsked(spark, parts)
        folder = Folder(work) if work is not None else None
        return cls(Public(frames, recipe), NotKept(), "spark", dict(parts), figures, folder)

    def _native(self, frame: Any) -> Any:
        if self.folder is not None:
            self.folder.stay_with(frame.sparkSession)
        return frame

    @property
    def bound(self) -> str:
        """For how many people the bound is 1/l, as Spark's workers counted; empty where it is one for all."""
        above, recipe = (self.figures or {}).get("above"), self.public.recipe
        return Message.joined(beyond_the_bound(recipe.made_by, above, recipe.rows or 0)) if above else ""

    def _heads(self) -> list[str]:
        """The tables without rows, as their files name the columns: a look at a release starts no job."""
        return [
            table(_columns_in(folder), [], f"{name}: with Spark; release.frames[{name!r}].show() shows rows")
            for name, folder in (self.parts or {}).items()
        ]

    def write(
        self,
        target: str | Path,
        *,
        format: Format = "parquet",  # noqa: A002
        overwrite: bool = False,
        then: Callable[[], None] | None = None,
    ) -> Path:
        """Write the public half as a folder: files in ``data.parquet`` and recipe.json, all of it or nothing."""
        if format != "parquet":
            raise OutputError("format = {format!r}: a release made with Spark is written as parquet", format=format)
        assert self.parts is not None
        write_parts(self.parts, self.recipe, target, overwrite=overwrite, then=then)
        return Path(target)
