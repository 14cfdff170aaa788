"""Groups on their way to two tables: one line per group with all its content, sorted and numbered, then rows again.

Group numbers follow the same order as in memory (:mod:`pellucid.anonymize.recode.anatomy`): by the smallest vector of
the group, then by fingerprints of its content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.anatomy import group_column, prints_of, sorted_keys, tuple_keys
from pellucid.anonymize.recode.published import own_copy
from pellucid.anonymize.recode.recoder import sensitive_keys
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.spark.engine.group_lines import Written, above_of, as_bytes, codes_in, put
from pellucid.spark.engine.operations import Outline
from pellucid.spark.engine.ordered_lines import Ordered
from pellucid.spark.engine.shared_files import read, small

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = ("quasi_identifiers", "sensitive")


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """How groups become two tables: the columns of the first, in schema order."""

    outline: Outline
    columns: tuple[int, ...]

    @classmethod
    def of(cls, outline: Outline) -> Pairs:
        """Quasi-identifiers and carried columns, as they are."""
        exact = [i for i, a in enumerate(outline.attributes) if a.role in (Role.QUASI, Role.CARRY)]
        return cls(outline, tuple(exact))

    @property
    def keys(self) -> list[str]:
        """What groups are sorted by: the codes of the smallest vector, then the fingerprints."""
        return [*(f"key{j}" for j in range(len(self.columns))), "vectors_print", "secrets_print"]

    def lines(self, table: Table, grouping: Grouping) -> dict[str, Any]:
        """The lines of some groups: vectors and sensitive values are sorted, each by themselves."""
        columns: dict[str, Any] = {}
        contents: dict[str, Any] = {}
        groups = np.arange(len(grouping), dtype=np.int32)
        for name, (keys, codes) in {
            "vectors": tuple_keys(table, list(self.columns), 1),
            "secrets": sensitive_keys(table, 1),
        }.items():
            keys_in_order = sorted_keys(keys, len(codes[0]), grouping, groups, 1)
            if name == "vectors":
                smallest = keys_in_order[grouping.starts[:-1]]
                columns |= {f"key{j}": column[smallest] for j, column in enumerate(codes)}
            columns[f"{name}_print"] = prints_of(keys_in_order, codes, grouping.starts)
            contents[name] = as_bytes(np.stack([column[keys_in_order] for column in codes], axis=1), grouping.starts)
        return columns | {"rows": grouping.sizes} | contents

    def frames(self, lines: pa.Table, first: int, groups: int) -> dict[str, pl.DataFrame]:
        """The two tables of sorted lines, numbered from ``first`` on; all files together have so many ``groups``.

        Numbers have the type that holds all of them, so that all files have the same.
        """
        attributes = self.outline.attributes
        sizes = lines["rows"].to_numpy()
        numbers = np.repeat(np.arange(first, first + len(sizes)), sizes)
        kind = np.int32 if groups < 2**31 else np.int64
        number = pl.Series(group_column(attributes), numbers.astype(kind))
        tables = {}
        for table, name, chosen in zip(
            TABLES, ("vectors", "secrets"), (self.columns, self.outline.having(Role.SENSITIVE)), strict=True
        ):
            codes = codes_in(lines[name], len(chosen)).astype(np.uint32)
            values = [
                own_copy(attributes[i].values).gather(codes[:, j]).alias(attributes[i].name)
                for j, i in enumerate(chosen)
            ]
            tables[table] = pl.DataFrame([number, *values])
        return tables


def writing_two_tables(
    asked: Path, folders: Mapping[str, Path], groups: int
) -> Callable[[Iterator[int]], Iterator[Written]]:
    """Writes the two tables of stretches of the sorted lines; tells how many rows they have."""

    def run(numbers: Iterator[int]) -> Iterator[Written]:
        told: Ordered = read(asked)
        pairs = told.lines
        assert isinstance(pairs, Pairs)
        for number in numbers:
            lines, before = told.stretch(number)
            if len(lines):
                frames = pairs.frames(lines, before + 1, groups)
                for name, frame in frames.items():
                    put(frame.to_arrow(compat_level=pl.CompatLevel.oldest()), folders[name], number)
                yield Written(frames[TABLES[0]].height, above_of(lines, pairs.keys))

    return small(run)
