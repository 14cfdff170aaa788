"""A release: a public half to hand out and a private half that stays. They cannot be confused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.errors import MethodError
from pellucid.group import Grouping
from pellucid.io import to_native, write_bundle

Format = Literal["csv", "parquet", "arrow"]


@dataclass(frozen=True, slots=True, eq=False)
class Public:
    """What may be handed out: the frames, and the recipe, which says how they were made."""

    frames: dict[str, pl.DataFrame]
    recipe: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Private:
    """What must stay: which input row is in which group. It is never written."""

    grouping: Grouping

    @property
    def labels(self) -> NDArray[np.int32]:
        """One group label per input row, in input order; -1 for a suppressed row."""
        return self.grouping.labels

    def __repr__(self) -> str:
        return f"Private({len(self.grouping.labels):,} rows in {len(self.grouping):,} groups)"


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """The result of :func:`pellucid.publish`."""

    public: Public
    private: Private
    native: str = "polars"

    @property
    def frames(self) -> dict[str, Any]:
        """The published frames by name, in the dataframe library that came in."""
        return {name: self._native(frame) for name, frame in self.public.frames.items()}

    @property
    def frame(self) -> Any:
        """The published frame, in the dataframe library that came in; an anatomy release has two and no single one."""
        if "data" not in self.public.frames:
            names = " and ".join(f"release.frames[{name!r}]" for name in self.public.frames)
            raise MethodError(f"this release has {len(self.public.frames)} tables and not one; use {names}")
        return self._native(self.public.frames["data"])

    def _native(self, frame: pl.DataFrame) -> Any:
        # recoders make frames that hold nothing but their rows, so a polars frame goes out as it is
        return frame.clone() if self.native == "polars" else to_native(frame, self.native)

    @property
    def recipe(self) -> dict[str, Any]:
        """How the release was made: method, parameters, guarantee, columns, version. Public."""
        return self.public.recipe

    def write(self, target: str | Path, *, format: Format = "csv", overwrite: bool = False) -> Path:  # noqa: A002
        """Write the public half as a folder: the data files and recipe.json, all of it or nothing."""
        target = Path(target)
        write_bundle(self.public.frames, self.public.recipe, target, format=format, overwrite=overwrite)
        return target
