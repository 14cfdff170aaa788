"""A release whose rows are with Spark."""

from __future__ import annotations

import shutil
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pellucid.errors import MethodError, OutputError
from pellucid.io.bundle import write_parts
from pellucid.notebook import table
from pellucid.recipe import Recipe
from pellucid.release import Format, Private, Public, Release
from pellucid.spark.frames import pattern

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
        frames: dict[str, Any] = {name: spark.read.parquet(pattern(folder)) for name, folder in parts.items()}
        folder = Folder(work) if work is not None else None
        return cls(Public(frames, recipe), NotKept(), "spark", dict(parts), figures, folder)

    def _native(self, frame: Any) -> Any:
        if self.folder is not None:
            self.folder.stay_with(frame.sparkSession)
        return frame

    def _heads(self) -> list[str]:
        """The tables without rows: a look at a release starts no job."""
        return [
            table(frame.columns, [], f"{name}: with Spark; release.frames[{name!r}].show() shows rows")
            for name, frame in self.public.frames.items()
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
            raise OutputError(f"format = {format!r}: a release made with Spark is written as parquet")
        assert self.parts is not None
        write_parts(self.parts, self.recipe, target, overwrite=overwrite, then=then)
        return Path(target)
