"""The data as the algorithms see it: integer codes in each attribute's order, codebooks back to values.

A :class:`Table` is frozen and valid once it exists. Methods read codes, positions and chains; they never see a label.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.schema import Cap, Kind, Role, Schema
from pellucid.core.schema.rounding import Quantiles, Rounding
from pellucid.kernels.counts import tally
from pellucid.runtime.parallel import in_stretches, run, stretches
from pellucid.runtime.records import record

if TYPE_CHECKING:
    from pellucid.core.taxonomy import Taxonomy

Codes = NDArray[np.int32]


@record(eq=False)
class Attribute:
    """One column's codebook and its geometry.

    ``values[code]`` is the value of a code; the codebook holds exactly the values that occur. When the column has
    nulls, code 0 is null. Codes follow the attribute's order: numbers and dates by value, ``ordered`` by the schema's
    order, categories by their taxonomy's leaf order, or by value where there is none.

    ``positions[code]`` is the value's coordinate on an integer line that starts at 0 at the lower end of the domain
    and ends at ``width``; a null has position -1. The extent of a set of codes is
    ``(largest position - smallest position) / width``, or 1 when it mixes null with other values, or 0 when constant.

    A category with a taxonomy has ``chains`` instead: ``chains[h, code]`` is the number of the code's ancestor h levels
    up (row 0: the leaf itself, last row: the root, the same number in every column) and ``leaves[node]`` counts the
    taxonomy's leaves below a node. Its extent is ``(leaves[nearest common ancestor] - 1) / width`` with
    ``width = leaves of the whole taxonomy - 1``; a null that the taxonomy does not name hangs below the root as a leaf.

    ``cap`` has the ends of a capped column in values: the value at an end stands for whatever lies beyond it too.

    ``rounding`` says how the values were rounded before: each stands for all those that become it. ``classes`` says
    the same of classes by quantiles, where they begin. ``marked`` says that texts of the schema were read as
    null, so that null may be several things to whoever knows the texts.

    ``importance`` is how many times the extent counts when a method weighs one quasi-identifier against another.

    Where the rows are clusters (:mod:`pellucid.anonymize.clusters`), sensitive attributes of one name have one
    codebook: each says one of the values that the cluster has, and with ``absent`` the last code says that it has no
    further one.
    """

    name: str
    role: Role
    kind: Kind
    values: pl.Series
    has_null: bool
    positions: NDArray[np.int64]
    width: int
    chains: Codes | None = None
    leaves: NDArray[np.int64] | None = None
    taxonomy: Taxonomy | None = None
    cap: Cap | None = None
    absent: bool = False
    importance: int = 1
    classes: Quantiles | None = None
    rounding: Rounding | None = None
    marked: bool = False

    @property
    def coarser(self) -> bool:
        """Whether values were rounded, capped, or made one when they were read: others may know them better."""
        return self.marked or self.cap is not None or self.rounding is not None or self.classes is not None

    def __len__(self) -> int:
        """The number of codes."""
        return len(self.values) + int(self.absent)


@record(eq=False)
class AsItWas:
    """A column before its values were rounded and capped; of a sensitive column its values alone, without the rows.

    ``becomes[code]`` is the code that each value has afterwards.
    """

    attribute: Attribute
    codes: Codes | None
    becomes: Codes

    def fits(self, afterwards: Attribute, rows: int) -> bool:
        """Whether every value becomes one of this column and every value of it is of some, with so many rows."""
        if len(self.becomes) != len(self.attribute) or (self.codes is not None and len(self.codes) != rows):
            return False
        return bool(np.array_equal(np.unique(self.becomes), np.arange(len(afterwards))))


@record(eq=False)
class Persons:
    """That a column numbers people of whom some have several rows, and what is done about them.

    ``numbers`` has the person of each row of the table. ``answer`` is empty where nobody said what is done. ``people``
    is how many there are, ``rows`` how many rows they have in the source, of which ``gone`` are left out.
    """

    column: str
    numbers: Codes
    people: int
    rows: int
    answer: str = ""
    gone: int = 0

    @property
    def leaves_one(self) -> bool:
        """Whether one row of each is left."""
        return self.answer not in ("", "row")

    @property
    def by(self) -> str:
        """The column that says which row of a person is published; empty where a lot does, or all are."""
        return self.answer.partition(" by ")[2]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows of codes, one int32 column per attribute, and a total order on the rows.

    ``order[row]`` is the rank of the row's identifier (distinct int64). It is None when the table has no identifier:
    the order is then drawn from the coins, never taken from the file, which is often sorted by something that depends
    on the sensitive column. ``names`` are the identifiers themselves, for whoever attacks the table or explains what is
    known of a person; no method and no recoder looks at them. ``schema`` is what the table was read under. ``clusters``
    has a number for each row, the same for rows that belong together; None where every row is a person of its own.
    ``persons`` says that some people have several rows, where a column numbers them and they are no clusters.
    ``kept`` marks which rows of the source it has, where not all of them were asked for.
    ``before`` has the columns that were rounded or capped as they were, for whoever measures what that lost: no method,
    no recoder and no attack looks at them. What their values become are codes of this table, and they have its rows.
    """

    attributes: tuple[Attribute, ...]
    codes: tuple[Codes, ...]
    order: NDArray[np.int64] | None
    native: str = "polars"  # the frame library that the rows came from: polars, pandas, pyarrow, duckdb
    names: pl.Series | None = field(default=None, repr=False)
    schema: Schema | None = field(default=None, repr=False)
    clusters: Codes | None = field(default=None, repr=False)
    before: Mapping[str, AsItWas] = field(default_factory=dict, repr=False)
    persons: Persons | None = field(default=None, repr=False)
    kept: NDArray[np.bool_] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Raise where a column as it was is that of another table."""
        for name, was in self.before.items():
            place = next((i for i, attribute in enumerate(self.attributes) if attribute.name == name), None)
            if place is None or not was.fits(self.attributes[place], len(self)):
                raise ValueError(f"{name!r} as it was before rounding is not of this table: remap it with its codes")

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.codes[0])

    def having(self, role: Role) -> list[int]:
        """Positions of the attributes with this role, in schema order."""
        return [i for i, attribute in enumerate(self.attributes) if attribute.role is role]

    def rows(self, which: NDArray[np.integer]) -> Table:
        """The table of some of its rows, in this order; the codebooks stay those of all.

        A row that is taken twice has no rank of its own any more, so that such a table has no order.

        >>> from pellucid.core.schema import Kind, Role
        >>> age = Attribute("age", Role.QUASI, Kind.NUMBER, pl.Series([20, 30]), False, np.array([0, 10]), 10)
        >>> table = Table((age,), (np.array([0, 1, 1], np.int32),), np.array([2, 0, 1]))
        >>> taken, again = table.rows(np.array([2, 0])), table.rows(np.array([0, 0]))
        >>> taken.codes[0].tolist(), taken.order.tolist(), again.order
        ([1, 0], [1, 2], None)
        """
        once = self.order is not None and len(np.unique(which)) == len(which)
        return replace(
            self,
            codes=tuple(codes[which] for codes in self.codes),
            order=self.order[which] if once and self.order is not None else None,
            names=None if self.names is None else self.names[which],
            clusters=None if self.clusters is None else self.clusters[which],
            kept=None,
            persons=None if self.persons is None else replace(self.persons, numbers=self.persons.numbers[which]),
            before={
                name: was if was.codes is None else replace(was, codes=was.codes[which])
                for name, was in self.before.items()
            },
        )

    def as_it_was(self) -> Table:
        """The table before its quasi-identifiers, and what is carried along, were rounded and capped."""
        known = {name: was for name, was in self.before.items() if was.codes is not None}
        if not known:
            return self
        pairs = [
            (known[of.name].attribute, known[of.name].codes) if of.name in known else (of, codes)
            for of, codes in zip(self.attributes, self.codes, strict=True)
        ]
        attributes, codes = (tuple(part) for part in zip(*pairs, strict=True))
        return replace(self, attributes=attributes, codes=codes, before={})


def fingerprint(table: Table, *, measured: bool = False, threads: int = 1) -> str:
    """A digest of all that a method or a metric sees of a table: its columns, and the rows in the order they have.

    ``measured``: only of quasi-identifiers, sensitive columns and weights, which is what a release is measured by.

    >>> from pellucid.core.schema import Kind, Role
    >>> age = Attribute("age", Role.QUASI, Kind.NUMBER, pl.Series([20, 30]), False, np.array([0, 10]), 10)
    >>> one, other = (Table((age,), (np.array(codes, np.int32),), None) for codes in ([0, 1], [1, 0]))
    >>> fingerprint(one) == fingerprint(one), fingerprint(one) == fingerprint(other)
    (True, False)
    """
    columns = [
        (attribute, codes)
        for attribute, codes in zip(table.attributes, table.codes, strict=True)
        if not measured or attribute.role in (Role.QUASI, Role.SENSITIVE, Role.WEIGHT)
    ]
    parts = [b""] * len(columns)

    def digest(i: int) -> None:
        attribute, codes = columns[i]
        # what is measured is compared within one process only, so its small codes may be hashed as bytes
        parts[i] = _column_digest(attribute, compact(codes, len(attribute)) if measured else codes)

    run([partial(digest, i) for i in range(len(columns))], threads)
    order = b"" if measured or table.order is None else table.order.tobytes()
    return hashlib.blake2b(b"".join(parts) + order + _before(table, measured=measured), digest_size=16).hexdigest()


def _before(table: Table, *, measured: bool) -> bytes:
    """What metrics see besides, where the digest is kept; where it is compared with a table that is read, all else is.

    A release is made of the rounded table, whatever was rounded.
    """
    known = [] if measured else [was for was in table.before.values() if was.codes is not None]
    return b"".join(_column_digest(was.attribute, was.codes) for was in known if was.codes is not None)


def _column_digest(attribute: Attribute, codes: Codes | NDArray[np.uint8]) -> bytes:
    taxonomy = None if attribute.taxonomy is None else attribute.taxonomy.content
    described: list[object] = [attribute.name, attribute.role.value, attribute.kind.value, attribute.width]
    described += [] if attribute.importance == 1 else [attribute.importance]
    digest = hashlib.blake2b(repr([described, attribute.values.to_list(), taxonomy]).encode(), digest_size=16)
    digest.update(np.ascontiguousarray(attribute.positions).data)
    digest.update(np.ascontiguousarray(codes).data)
    return digest.digest()


def frequencies(codes: Codes, values: int, threads: int = 1) -> NDArray[np.int64]:
    """How often each of so many codes occurs.

    ``np.bincount`` would first copy the codes of all rows as 64-bit integers.

    >>> frequencies(np.array([2, 0, 2], np.int32), 4).tolist()
    [1, 0, 2, 0]
    """
    parts = stretches(len(codes), max(1, min(threads, len(codes) // (values + 1))))
    counts = np.zeros((max(1, len(parts)), values), np.int64)
    run([partial(tally, codes[a:b], counts[i]) for i, (a, b) in enumerate(parts)], threads)
    whole: NDArray[np.int64] = counts.sum(axis=0)
    return whole


def compact(codes: Codes, values: int, threads: int = 1) -> Codes | NDArray[np.uint8]:
    """The codes as bytes when they fit: rows looked up in any order then mostly come from the cache.

    >>> compact(np.array([2, 0, 2], np.int32), 3).dtype
    dtype('uint8')
    """
    if values > 256:
        return codes
    small = np.empty(len(codes), np.uint8)

    def convert(a: int, b: int) -> None:
        np.copyto(small[a:b], codes[a:b], casting="unsafe")

    in_stretches(convert, len(codes), threads)
    return small
