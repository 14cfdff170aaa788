"""Methods that can protect some values only, and make groups of at least k rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pellucid.anonymize.disclosure.counted_as_one import merged_table
from pellucid.anonymize.grouping import Grouping
from pellucid.anonymize.layout.by_cuts import RowsNeeded
from pellucid.anonymize.layout.entries import Entries, lay_out, shifts_of
from pellucid.anonymize.layout.leaves import Leaves, divide_leaves, label
from pellucid.anonymize.layout.tree import Growth, Subtree
from pellucid.anonymize.method import (
    About,
    DiversityMethod,
    Method,
    check_column,
    diverse_sentence,
    require_columns,
    require_quasi,
    sensitive_counts,
)
from pellucid.anonymize.several import MOST_VECTORS, Vectors
from pellucid.core.coins import Coins
from pellucid.core.schema import Role, Schema
from pellucid.core.table import Attribute, Codes, Table
from pellucid.errors import Infeasible, MethodError, SchemaError
from pellucid.kernels.die import Die
from pellucid.kernels.grow import rows_at
from pellucid.messages import Message
from pellucid.messages.terms import WHERE
from pellucid.models.groups import Counts
from pellucid.models.l_diversity import LDiversity
from pellucid.models.sensitive import ValuesByColumn, code_of
from pellucid.runtime.progress import Progress
from pellucid.text.values import ANY

Longs = NDArray[np.int64]


class ProtectingMethod(DiversityMethod):
    """A method that names nobody's *protected* value with probability above 1/l, in groups of at least k rows.

    **Definition.** Rows whose value is not among ``values`` are *fillers*; without ``values`` there are none. c is the
    largest count of a protected value, and a cut leaves either side at least max(l * c, k) rows. Inside a leaf with p
    protected rows and f fillers, ceil((l * c - p) / c) *pseudo-values* are drawn by lot of c fillers each (the last has
    what is left where fillers run out), and protected and pseudo-values make buckets together. If these have fewer than
    k rows, the next fillers by lot keep them *company* until there are k; if fewer than k fillers are left then, all of
    them do. The others are the leaf's *pool*, cut by quasi-identifiers alone into groups of at least k rows.
    Slice leaves at least ceil(k / columns) rows of each column on either side. Buckets of fewer than k rows, and then
    the company, are put together in their order until they have k rows; the last of them, if too few, join the group of
    the leaf whose perimeter grows least. Anatomy makes one group of ceil(k / l) draws.

    **Why the promise holds.** Given who is in which column of which bucket, in the company and in the pool, but not
    which column is which value, every way to name the columns of a bucket is equally likely: a filler's pseudo-value is
    a lot, heights and sizes follow from counts, and divisions and joins look at who is together, never at who has which
    value. A bucket has at least l columns. Who is in a pool has no protected value: that is said, and no promise.

    **Several sensitive columns** (not for Anatomy) are protected each on its own. A row's *vector* is its value in each
    of them, or nothing where that value is not protected; rows with nothing protected are the fillers, and ``values``
    is the same for all columns or by the name of the column. c is the largest count of a protected value of any column.
    In a leaf, max(0, l * c - p) fillers are drawn by lot, and buckets are made of vectors instead of values: columns
    are added, each time the vector whose most frequent value has the most rows left (ties: the sum over its values, its
    own rows, the order of values), until no value has more than one in l of the rows left over; a value may stand in
    one column of l to 2 l - 1, where that leads nowhere in two of 2 l to 4 l - 1, and so on, and in the end all the
    rest is one bucket. A bucket of 2 l columns or more is taken apart where a piece is found such that neither it nor
    the other columns have a value in more than one in l; both are then handed out as the leaf was. A leaf with more
    than 4,096 different vectors is first parted by lot: evenly into parts of at most 2,048 rows, which are put together
    until each has k rows and no value in more than one row in l; one that has too many vectors even so is one group.
    All of this follows from counts alone. Everything else is as for one column: people trade whole vectors, and in a
    bucket of w columns no value of a sensitive column stands in more than w / l of them. The proof is in
    docs/several.md.

    **Values together.** With ``together`` the named values of a column are a set, and what is bounded is that a person
    has one of them. All decisions are those of a table in which one value stands for the set; published are the true
    values. *Proof.* Call a person's value in that table coarse. Take an assignment of the coarse values that agrees
    with a group's published values, and let c of its g rows be of the set. The true values can be handed out under it
    in (ways to order the c published values of the set) times (ways to order the other g - c) ways. That number is
    the same for every such assignment, the groups depend on coarse values alone, and true assignments are equally
    likely beforehand. So the true values tell nothing more about the coarse ones, and what is proved of a value above
    holds for the set. The same holds inside a stratum, whatever is known of strata as wholes. A single value of the
    set is believed with no more than the set is.
    """

    values: ValuesByColumn = Field(
        default=None, min_length=1, description="the values to protect, all of them when not given"
    )
    k: int | None = Field(default=None, ge=1, description="the least number of rows of a group, 1 when not given")
    together: bool = Field(default=False, description="whether the values to protect count as one value")

    @property
    def as_one(self) -> bool:
        """As its parameter says."""
        return self.together and self.values is not None

    def merging(self, table: Table) -> tuple[Self, Table]:
        """The method and the table that decide: values that count as one are one in both."""
        if not self.together:
            return self, table
        names = [table.attributes[column].name for column in table.having(Role.SENSITIVE)]
        if self.values is None:
            raise MethodError("{TOGETHER} is said of values, and none are given", "name them with {VALUES}")
        self.check_named([table.attributes[column] for column in table.having(Role.SENSITIVE)])
        merged, named = merged_table(table, {name: self.about(name) for name in names})
        values = named if isinstance(self.values, Mapping) or len(names) > 1 else named[names[0]]
        return self.model_copy(update={"values": values, "together": False}), merged

    @property
    def protects(self) -> About:
        """The sensitive values that the promise is about, of all columns or by column; None: about all of them."""
        return self.values

    @property
    def at_most(self) -> Fraction | None:
        """1/l where a group may be put together of several buckets, which somebody may tell apart."""
        alone = self.fewest == 1 or (self.values is None and self.fewest <= self.l)
        return None if alone else Fraction(1, self.l)

    @property
    def fewest(self) -> int:
        """The least number of rows of a group."""
        return self.k if self.k is not None else 1

    @property
    def special(self) -> bool:
        """Whether some values only are protected, or groups need a number of rows."""
        return self.values is not None or self.fewest > 1

    def protected(self, attribute: Attribute) -> NDArray[np.bool_]:
        """Which codes of the sensitive column are protected."""
        return self.protecting(attribute.name).marks(attribute)

    def check(self, table: Table, threads: int = 1) -> int:
        """How many rows the most frequent protected value has; raises when no release keeps the promise."""
        return self.check_counting("rows", table, threads)

    def check_counting(self, things: str, table: Table, threads: int = 1) -> int:
        """As :meth:`check`, where the rows of the table are other things to whoever reads what is wrong: clusters."""
        require_quasi(table)
        if self.together:
            method, merged = self.merging(table)
            return method.check_counting(things, merged, threads)
        counted = sensitive_counts(table, threads)
        self.check_named([attribute for attribute, _ in counted])
        return max(self.check_held(attribute, counts, len(table), things) for attribute, counts in counted)

    def check_named(self, attributes: Sequence[Attribute]) -> None:
        """Raise where values are given of a column that is not sensitive, or of all where not each has them."""
        names = [attribute.name for attribute in attributes]
        if isinstance(self.values, tuple) and len(names) > 1:
            for value, one in product(self.values, attributes):
                if value != ANY and code_of(value, one) is None:
                    raise MethodError(
                        "values = {value!r} is meant in every sensitive column ({names}), and no row has it in {one!r}",
                        "say which values of which column: {VALUES_BY_COLUMN}, or protect in the schema",
                        value=value,
                        names=", ".join(names),
                        one=one.name,
                    )
        for name in self.values if isinstance(self.values, Mapping) else ():
            if name not in names:
                raise MethodError(
                    f"values of {name!r} are said to be protected, which is no sensitive column",
                    f"these are: {', '.join(names)}",
                )

    def check_counts(self, outline: Table, counts: Sequence[Counts]) -> None:
        """Raise when no release of a table with these attributes and sensitive counts keeps the promise."""
        require_columns(outline)
        self.check_apart()
        columns = outline.having(Role.SENSITIVE)
        if len(columns) > 1:
            names = ", ".join(outline.attributes[i].name for i in columns)
            raise MethodError(
                f"with Spark {self.name} protects one sensitive column, and this table has {len(columns)} ({names})",
                "use tailor, which protects each of them, or publish without Spark",
            )
        self.check_held(outline.attributes[columns[0]], counts[0])

    def check_held(self, attribute: Attribute, counts: Longs, rows: int | None = None, things: str = "rows") -> int:
        """The same for the counts of the sensitive column; ``rows`` where they have several values each."""
        rows = int(counts.sum()) if rows is None else rows
        if self.fewest > rows:
            raise Infeasible(
                f"k = {self.k} is not feasible: the table has {rows:,} {things}", f"use k = {rows} or less"
            )
        marks = self.protected(attribute)
        return check_column(attribute, counts, self.l, marks, protectable=True, rows=rows, things=things)

    def rows_needed(self, outline: Table, counts: Sequence[Counts]) -> RowsNeeded:  # noqa: ARG002
        """What says how many rows each side of a cut needs."""
        (column,) = outline.having(Role.SENSITIVE)
        marks = self.protected(outline.attributes[column])

        def needed(_: int, columns: Sequence[tuple[Counts, Counts]]) -> int:
            ((codes, rows),) = columns
            return max(self.fewest, self.l * int(rows[marks[codes]].max(initial=0)))

        return needed

    def check_apart(self) -> None:
        """Raise where values count as one and the rows are not here."""
        if self.together:
            raise MethodError(
                "with Spark {name} protects each value by itself, and these count as one",
                "write the values of the set as one in the table, or publish without Spark",
                name=self.name,
            )

    def check_divisible(self) -> None:
        """Raise where the whole table must be drawn from at once, when several machines are to do it."""
        if self.special:
            raise MethodError(
                "{name} with values or k draws from the whole table at once, so Spark cannot divide it among machines",
                "use hybrid, or a method without them",
                name=self.name,
            )

    def whole_leaf(self, table: Table, coins: Coins, threads: int, progress: Progress) -> Grouping:
        """The groups when the whole table is one leaf."""
        progress.stage("grouping", len(table))
        return self.divided(table, Leaves.whole(table, coins, "assign", threads), threads)

    def labels(self, table: Table, column: int, leaves: Leaves) -> Codes:
        """Of every row of the leaves its value or pseudo-value."""
        protected = self.protecting((attribute := table.attributes[column]).name)
        return label(leaves, table.codes[column][leaves.rows], protected.marks(attribute), protected.l, self.fewest)

    def leaves_of(
        self,
        table: Table,
        coins: Coins,
        threads: int,
        progress: Progress,
        die: Die | None = None,
        begun: tuple[Entries, Sequence[Subtree]] | None = None,
    ) -> Grouping:
        """The groups inside Tailor's leaves, or with a die inside SoftCut's.

        ``begun``: what is to be grown, where it is not the tree of the whole table.
        """
        entries, subtrees = (lay_out(table, coins, threads), None) if begun is None else begun
        attributes = [table.attributes[column] for column in table.having(Role.SENSITIVE)]
        entries, fillers = self.seen(entries, attributes)
        key = coins.subkey("assign")
        limits = {"fewest": self.fewest, "fillers": fillers}
        growth = Growth(entries, self.l, key, threads, die=die, limits=limits)
        growth.grown(subtrees, progress)
        begins = np.flatnonzero(growth.first)
        rows = np.empty(len(table), np.int32)
        rows_at(growth.places, entries.rows, rows)
        starts = np.append(begins, len(table)).astype(np.int64)
        by_lot = (growth.first[begins] == 2).astype(np.uint8)
        leaves = Leaves.of(table, rows, starts, by_lot, coins, "assign", threads)
        return self.divided(table, leaves, threads)

    def divided(self, table: Table, leaves: Leaves, threads: int) -> Grouping:
        """Ace inside leaves."""
        columns = table.having(Role.SENSITIVE)
        attributes = [table.attributes[column] for column in columns]
        if len(columns) == 1 and not attributes[0].absent:
            l = self.protecting(attributes[0].name).l
            labels = self.labels(table, columns[0], leaves)
            return divide_leaves(table, leaves, labels, l, self.fewest, threads)
        protected = [self.protecting(attribute.name) for attribute in attributes]
        marks = [one.marks(attribute) for one, attribute in zip(protected, attributes, strict=True)]
        shifts, l = shifts_of(attributes)[0], max(one.l for one in protected)
        fewer = [l - one.l for one in protected]
        vectors = Vectors.of([table.codes[column] for column in columns], marks, shifts, fewer)
        leaves = vectors.parted(leaves, l, self.fewest)
        labels = vectors.label(leaves, l, self.fewest)
        limits = {"parts": vectors.parts, "fewer": vectors.fewer, "most_vectors": MOST_VECTORS}
        return divide_leaves(table, leaves, labels, l, self.fewest, threads, limits)

    def seen(self, entries: Entries, attributes: Sequence[Attribute]) -> tuple[Entries, int]:
        """The entries with one code for all values that are not protected, and that code; -1 when there are none."""
        if self.values is None and not any(attribute.absent for attribute in attributes):
            return entries, -1
        by_name = {attribute.name: attribute for attribute in attributes}
        protected = np.concatenate([self.protected(attribute) for attribute in by_name.values()])
        becomes: Codes = np.arange(len(protected), dtype=np.int32)
        becomes[~protected] = len(protected)
        return replace(entries, sensitive=becomes[entries.sensitive], values=len(protected) + 1), len(protected)

    def sentence(self, table: Table) -> str:
        """The guarantee in one plain sentence, and what the groups have."""
        promise = diverse_sentence(table, self.l, self.values, together=self.as_one)
        return promise if self.fewest == 1 else f"{promise} Every group has at least {self.fewest} rows."


def in_company(method: Method, table: Table | None) -> Method:
    """The method with groups of at least l rows where only some values are protected and nobody says a k.

    People with other values would stand alone otherwise, with exact quasi-identifiers. Not of clusters, which are
    grouped by their sizes; ``k=1`` asks for rows alone. Inside strata it is the largest l that is promised. With Spark
    there is no table here, and there are no clusters.

    >>> import pellucid as pc
    >>> table = pc.read(pc.datasets.patients(), quasi="age", sensitive="disease")
    >>> some = pc.SoftCut(l=2, values=["flu"]), pc.SoftCut(l=2, values=["flu"], k=1), pc.SoftCut(l=2)
    >>> [in_company(method, table).k for method in (*some, pc.Strata(l=2, values=["flu"]))]
    [2, 1, None, 2]
    """
    if not isinstance(method, ProtectingMethod) or method.values is None or method.k is not None:
        return method
    if method.promises_nothing or (table is not None and table.clusters is not None):
        return method
    return method.model_copy(update={"k": max(getattr(method, "ls", [method.l]))})


def as_schema_says(method: Method, schema: Schema | None) -> Method:
    """The method about the values that a schema says are to be protected, where it says so.

    A method that protects all values does what the schema asks, and more; one that is told other values contradicts it.

    >>> from pellucid.anonymize.methods.ace import Ace
    >>> from pellucid.core.schema import Column
    >>> sick = Schema(columns={"age": Column(role="quasi"), "sick": Column(role="sensitive", protect=["Yes"])})
    >>> as_schema_says(Ace(l=5), sick).values
    ('Yes',)
    >>> both = Schema(columns=sick.columns | {"income": Column(role="sensitive")})
    >>> as_schema_says(Ace(l=5), both).values
    {'sick': ('Yes',)}

    An l of a column is its own where the method keeps one of each and has less for all; the larger one holds, so that a
    schema lowers nothing that was asked for. Elsewhere the method's l is to be as large.
    """
    if schema is None:
        return method
    ls = {name: one.l for name, one in schema.columns.items() if one.l is not None}
    return _with_values(_with_ls(_with_sides(method, schema), ls, schema), schema)


def _with_values(method: Method, schema: Schema) -> Method:
    """The method about the values that a schema says; raise where it is told other ones."""
    columns = {name: tuple(column.protect) for name, column in schema.columns.items() if column.protect is not None}
    takes = next((name for name in ("values", "sensitive") if name in type(method).model_fields), None)
    if not columns or (method.protects is None and takes is None):
        return method
    if takes is not None and getattr(method, takes) is None:
        alone = len(schema.names(Role.SENSITIVE)) == 1
        if alone or takes == "values":  # the others protect one column
            return method.model_copy(update={takes: next(iter(columns.values())) if alone else columns})
        return method
    for name, protect in columns.items():
        _refuse_other_values(method, name, protect)
    return method


def _with_sides(method: Method, schema: Schema) -> Method:
    """The method that mixes nobody to whom a column applies with others; a null is then no value to be protected."""
    said = {name: column for name, column in schema.columns.items() if column.conditions}
    if not said:
        return method
    conditions = [text for column in said.values() for text in column.conditions]
    same = getattr(method, "same", None)
    if same is None:
        raise _mixes(next(iter(said)), conditions[0], method)
    values = _but_null(method.protects, [one for one, column in said.items() if column.applies], schema)
    return method.model_copy(update={"same": tuple(dict.fromkeys([*same, *conditions])), "values": values})


def _mixes(name: str, condition: str, method: Method) -> MethodError:
    return MethodError(
        "the schema says that not everybody may have each value of {name} ({condition}), and {method} would mix these "
        "people: an attacker who strikes the others out may be right more often than it promises",
        "use strata, which keeps both sides apart, or leave the others out with {where}",
        name=name,
        condition=condition,
        method=method.name,
        where=WHERE.such_as(condition),
    )


def _but_null(about: About, applying: Sequence[str], schema: Schema) -> About:
    """What is protected where a null of these columns is no value, unless somebody says which values are."""
    protects = {one: tuple(column.protect) for one, column in schema.columns.items() if column.protect is not None}
    unsaid = {one: (ANY,) for one in applying if one not in protects}
    if not unsaid or isinstance(about, tuple):
        return about
    if len(schema.names(Role.SENSITIVE)) == 1 and about is None:
        return (ANY,)
    return {**protects, **unsaid, **(about or {})}


def _with_ls(method: Method, ls: Mapping[str, int], schema: Schema) -> Method:
    """The method with the l that a schema says of columns; raise where it is told another one, or promises less."""
    if not ls:
        return method
    given = getattr(method, "l", None)
    if method.l_of_each and not isinstance(given, Mapping):
        each = {name: max(ls.get(name, 1), given or 1) for name in schema.names(Role.SENSITIVE)}
        return type(method)(**dict(method) | {"l": next(iter(each.values())) if len(each) == 1 else each})
    for name, l in ls.items():
        if isinstance(given, Mapping):
            kept, fits = given.get(name), given.get(name) == l
        else:
            model = method.satisfied(name)
            parts = () if model is None else model.parts
            kept = max((part.l for part in parts if isinstance(part, LDiversity)), default=None)
            fits = kept is not None and kept >= l
        if not fits:
            raise SchemaError(
                "the schema says l = {l} of {name!r}, and {method} {kept}",
                "change one of the two, or use strata, which keeps an l of each column",
                l=l,
                name=name,
                method=method.name,
                kept=Message("promises no l") if kept is None else Message("has l = {l}", l=kept),
            )
    return method


def _refuse_other_values(method: Method, name: str, protect: tuple[object, ...]) -> None:
    """Raise where a method is told other values of a column than the schema says."""
    about = method.about(name)
    if about is not None and set(map(str, about)) == set(map(str, protect)):
        return
    listed = ", ".join(map(repr, protect))
    given = "all of them" if about is None else ", ".join(map(repr, about))
    raise SchemaError(
        f"the schema says that {listed} of {name!r} is to be protected, and the method is told {given}; "
        "leave the method's values out, or change protect in the schema"
    )
