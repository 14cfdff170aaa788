"""A release: a public half to hand out and a private half that stays. They cannot be confused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.disclosure.beyond_the_bound import beyond_the_bound
from pellucid.anonymize.layout.by_cuts import Above
from pellucid.anonymize.methods import Grouping
from pellucid.core.recipe import Recipe
from pellucid.core.schema import Schema
from pellucid.errors import MethodError
from pellucid.io import to_native, write_bundle
from pellucid.messages import Message
from pellucid.runtime.notebook import facts, line, table, view
from pellucid.runtime.records import record
from pellucid.text.figures import counted

Format = Literal["csv", "parquet", "arrow"]
HEAD = 5  # rows of each frame in a notebook


@record(eq=False)
class Public:
    """What may be handed out: the frames, and the recipe, which says how they were made."""

    frames: Mapping[str, pl.DataFrame]
    recipe: Recipe


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Private:
    """What must stay: which input row is in which group, and what is published of it that is not true. Never written.

    ``truth`` holds the true codes of the sensitive column where the method may replace some. ``schema`` says how the
    table was read, so that an attack on the release needs not be told again. ``made_of`` is the fingerprint of that
    table (:func:`pellucid.core.table.fingerprint`, measured): the rows of any other are not the rows of ``grouping``.
    ``above``: where each stratum has a bound of its own, by sensitive column those with more than 1/l.
    """

    grouping: Grouping
    truth: NDArray[np.int32] | None = None
    schema: Schema | None = None
    made_of: str | None = None
    above: Mapping[str, Above] = field(default_factory=dict)

    @property
    def labels(self) -> NDArray[np.int32]:
        """One group label per input row, in input order; -1 for a suppressed row."""
        return self.grouping.labels

    @property
    def changed(self) -> NDArray[np.bool_]:
        """For each input row, in input order, whether a value that is not its own is published for it.

        >>> truth, published = np.array([3, 1], np.int32), np.array([3, 2], np.int32)
        >>> group = Grouping(np.array([0, 1], np.int32), np.array([0, 2]), 2, sensitive=published)
        >>> Private(group, truth).changed.tolist()
        [False, True]
        """
        if self.grouping.sensitive is None or self.truth is None:
            return np.zeros(self.grouping.rows, np.bool_)
        return np.not_equal(self.grouping.sensitive, self.truth)

    @property
    def added(self) -> NDArray[np.int64]:
        """For each group how many records were added to it that nobody is behind.

        >>> added = np.array([1, 1], np.int32), np.array([4, 5], np.int32)
        >>> Private(Grouping(np.array([0, 1], np.int32), np.array([0, 1, 2]), 2, added=added)).added.tolist()
        [0, 2]
        """
        groups = np.zeros(0, np.int32) if self.grouping.added is None else self.grouping.added[0]
        return np.bincount(groups, minlength=len(self.grouping))

    def __repr__(self) -> str:
        return f"Private({counted(len(self.grouping.labels), 'row')} in {counted(len(self.grouping), 'group')})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Release:
    """The result of :func:`pellucid.publish`.

    >>> import pellucid as pc
    >>> pc.publish(pc.datasets.patients(), pc.SoftCut(l=2), quasi=["age", "zipcode"], sensitive="disease")
    Release(soft-cut(l=2): 8 rows, guarantee 'algorithm'; its .promise says what it assumes and whom it does not cover)
    """

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
    def promise(self) -> str:
        """What is promised, what that assumes and whom it does not cover: the sentence to sign, as in the recipe."""
        return self.public.recipe.sentence

    @property
    def bound(self) -> str:
        """For how many people the bound is 1/l, and for how many their stratum's share; empty where it is one for all.

        >>> import pellucid as pc
        >>> release = pc.publish(pc.datasets.census(200), pc.Strata(l=3), quasi="age", sensitive="occupation")
        >>> release.bound
        'the bound is 1/3 for everybody: no protected value has more of a stratum'
        """
        if not self.private.above:
            return ""
        method, rows = self.public.recipe.made_by, int(self.private.grouping.sizes.sum())
        return Message.joined(beyond_the_bound(method, self.private.above, rows))

    @property
    def recipe(self) -> dict[str, Any]:
        """How the release was made: method, parameters, guarantee, columns, version. Public.

        The document that ``recipe.json`` has, a copy: what a release says about itself does not change.
        """
        return self.public.recipe.document

    def write(
        self,
        target: str | Path,
        *,
        format: Format = "csv",  # noqa: A002
        overwrite: bool = False,
        then: Callable[[], None] | None = None,
    ) -> Path:
        """Write the public half as a folder: the data files and recipe.json, all of it or nothing.

        ``then`` is called in the moment in which it is in its place, such as to put a file of its groups elsewhere;
        when that fails, all is as it was before.
        """
        target = Path(target)
        write_bundle(self.public.frames, self.recipe, target, format=format, overwrite=overwrite, then=then)
        return target

    def __repr__(self) -> str:
        recipe = self.public.recipe
        given = ", ".join(f"{name}={value!r}" for name, value in recipe.parameters.items())
        tables = "" if len(self.public.frames) == 1 else f" in {len(self.public.frames)} tables"
        rows = f"{recipe.rows:,} rows{tables}"
        text = f"{type(self).__name__}({recipe.method}({given}): {rows}, guarantee {recipe.guarantee!r}"
        text += f"; {bound}" if (bound := self.bound) else ""
        return f"{text}; its .promise says what it assumes and whom it does not cover)"

    def _repr_html_(self) -> str:
        """The promise, how it was made, and the first published rows; nothing of the private half."""
        recipe = self.public.recipe
        made = {"method": recipe.method, "parameters": recipe.parameters, "guarantee": recipe.guarantee}
        first = [line(bound)] if (bound := self.bound) else []
        return view(*first, line(self.promise, strong=True), facts(made), *self._heads())

    def _heads(self) -> list[str]:
        """The first rows of each table."""
        return [
            table(
                frame.columns,
                frame.head(HEAD).iter_rows(),
                f"{name}: {min(HEAD, frame.height)} of {frame.height:,} rows",
            )
            for name, frame in self.public.frames.items()
        ]
