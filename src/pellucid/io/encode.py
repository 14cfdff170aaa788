"""A frame and its schema become a :class:`~pellucid.core.table.Table`: codes, codebooks and geometry.

Each column is encoded on its own, several at a time. What a column is (:func:`kind_of`): the schema's kind, else what
its taxonomy or domain implies, else by its type: numbers are numbers, dates and datetimes are dates, text and booleans
are categories.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn, TypeGuard

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.core.schema import Cap, Column, Kind, Role, Schema, place_of, resolve
from pellucid.core.schema.cap import plain_bound
from pellucid.core.schema.rounding import Quantiles, Rounding, of_dates
from pellucid.core.schema.taxonomy_source import KIND_OF_RULE, TaxonomySource
from pellucid.core.table import AsItWas, Attribute, Codes, Table
from pellucid.core.taxonomy import Taxonomy
from pellucid.errors import InputError, SchemaError, TaxonomyError
from pellucid.io.caps import capped
from pellucid.io.codes import Coded, coded, plain
from pellucid.io.columns import asked_by, choose
from pellucid.io.inference import COMMA_NUMBER, convert, has_decimal_commas, narrow, type_of, with_decimal_comma
from pellucid.io.numbered import Columns, Numbered
from pellucid.io.positions import beyond_calendar, on_line
from pellucid.io.rounding import begins_of, rounded
from pellucid.io.row_order import row_order
from pellucid.io.text_form import said_form
from pellucid.io.written_dates import is_a_date_in_some_order, written_dates
from pellucid.messages import Message
from pellucid.messages.terms import key, quoted_key
from pellucid.runtime.parallel import SHORT, results, thread_count, threads_of_job
from pellucid.runtime.progress import SILENT, Progress
from pellucid.runtime.records import record
from pellucid.text.suggestions import meant
from pellucid.text.values import label_of, listed

READABLE = (pl.Boolean, pl.String, pl.Date, pl.Datetime, pl.Null)
LEADING_ZEROS = r"^(-?)0+([0-9])"
LARGEST_WEIGHT = 1e15  # the sum over any table is then far from what a float cannot hold
CODED_ROLES = (Role.QUASI, Role.SENSITIVE, Role.CARRY, Role.WEIGHT)


class UnfitValue(SchemaError):
    """A column has a value that is not of the kind that the schema says; ``value`` is None where it is about all."""

    def __init__(self, message: object = "", way_out: str = "", *, column: str = "", value: str | None = None) -> None:
        super().__init__(message, way_out)
        self.column, self.value = column, value

    def found_at(self, place: str) -> SchemaError:
        """The same with the place of the value in its file."""
        return SchemaError(
            Message("{problem} ({place})", problem=self.message.problem, place=place), self.message.way_out
        )


def encode(
    frame: pl.DataFrame | Columns,
    schema: Schema,
    native: str = "polars",
    *,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> Table:
    """The table of a frame. Columns that the schema drops or does not name are not looked at.

    >>> frame = pl.DataFrame({"age": [30, 21, 30], "disease": ["flu", None, "cold"]})
    >>> table = encode(frame, Schema.of(quasi=["age"], sensitive="disease"))
    >>> [codes.tolist() for codes in table.codes]
    [[1, 0, 1], [2, 0, 1]]
    >>> table.attributes[1].values.to_list()
    [None, 'cold', 'flu']
    """
    names = coded_names(schema)
    identifiers, grouped_by = schema.names(Role.IDENTIFIER), schema.names(Role.CLUSTER)
    with asked_by(schema):
        choose(frame.columns, [*identifiers, *grouped_by, *names], "the table")
    _check_rows(frame.height)
    progress.stage("encoding", frame.height)
    tally = tally_of(frame, schema)
    threads = thread_count(threads, frame.height)
    threads = threads if frame.height >= SHORT else 1
    having = [threads_of_job(place, len(names), threads) for place in range(len(names))]
    jobs: list[Callable[[], Any]] = [
        partial(encode_both, _column(frame, name, own), schema, name, tally)
        for name, own in zip(names, having, strict=True)
    ]
    jobs += [partial(_order_of, frame[name], schema.columns[name], name) for name in identifiers]
    finished = _done(jobs, frame.height, threads, progress)
    order = people = None
    if identifiers:
        order = finished.pop()
        people = readable(frame[identifiers[0]], schema.columns[identifiers[0]], identifiers[0])
    progress.advance(frame.height)
    attributes = tuple(attribute for attribute, _, _ in finished)
    settled = with_caps(schema, {attribute.name: attribute.cap for attribute in attributes})
    settled = with_classes(settled, {attribute.name: attribute.classes for attribute in attributes})
    codes = tuple(codes for _, codes, _ in finished)
    before = {attribute.name: was for attribute, _, was in finished if was is not None}
    return Table(attributes, codes, order, native, people, settled, tally.clusters, before)


def _column(frame: pl.DataFrame | Columns, name: str, threads: int) -> pl.Series | Numbered:
    if isinstance(frame, Columns) and name in frame.numbered:
        return replace(frame.numbered[name], threads=threads)
    return frame[name]


def _done(jobs: Sequence[Callable[[], Any]], rows: int, threads: int, progress: Progress) -> list[Any]:
    """What the jobs give, in their order."""
    finished = []
    jobs = [partial(copy_context().run, job) for job in jobs]  # what is said about the file holds in every thread
    for done, result in enumerate(results(jobs, threads), 1):
        finished.append(result)
        progress.advance(rows * done // len(jobs))
    return finished


def _order_of(series: pl.Series, column: Column, name: str) -> NDArray[np.int64]:
    return row_order(readable(series, column, name))


def _clusters_of(series: pl.Series, column: Column, name: str) -> Codes:
    """The number of every row's cluster; a row that might belong to any is refused, as nothing holds for it."""
    book = coded(readable(series, column, name))
    if book.has_null:
        nulls = int((book.codes == 0).sum())
        raise InputError(
            "cluster {name!r} is {NULL} in {nulls} of {rows} rows; every row belongs to one: fill it (with a number of "
            "its own where a row stands alone), or drop these rows",
            name=name,
            nulls=nulls,
            rows=len(series),
        )
    return book.codes


def with_caps(schema: Schema, caps: Mapping[str, Cap | None]) -> Schema:
    """The schema with these caps: in values, as the table that was read gave them, so that others are read alike."""
    new = {name: cap for name, cap in caps.items() if cap is not None and schema.columns[name].cap != cap}
    if not new:
        return schema
    columns = {name: c.model_copy(update={"cap": new.get(name, c.cap)}) for name, c in schema.columns.items()}
    return schema.model_copy(update={"columns": columns})


def with_classes(schema: Schema, classes: Mapping[str, Quantiles | None]) -> Schema:
    """The same of classes by quantiles: where they begin in the table that was read."""
    new = {name: begin for name, begin in classes.items() if begin is not None and schema.columns[name].round != begin}
    if not new:
        return schema
    columns = {name: c.model_copy(update={"round": new.get(name, c.round)}) for name, c in schema.columns.items()}
    return schema.model_copy(update={"columns": columns})


def coded_names(schema: Schema) -> list[str]:
    """The columns that become codes."""
    return [name for name, column in schema.columns.items() if column.role in CODED_ROLES]


def _check_rows(rows: int) -> None:
    if rows == 0:
        raise InputError("the table has no rows; a release needs at least one row")
    if rows >= 2**31:
        raise InputError(f"the table has {rows:,} rows, and a table in memory has at most {2**31 - 1:,}; split it")


def kind_of(column: Column, dtype: pl.DataType) -> Kind:
    """The schema's kind, else the one that the taxonomy's rule or the domain implies, else by the type of the data.

    >>> kind_of(Column(role="quasi"), pl.Int64()), kind_of(Column(role="quasi", taxonomy={"prefix": [3]}), pl.Int64())
    (<Kind.NUMBER: 'number'>, <Kind.CATEGORY: 'category'>)
    """
    declared = Kind.NUMBER if column.role is Role.WEIGHT else column.kind
    if declared is not None:
        return declared
    if column.becomes:
        return Kind.CATEGORY
    implied = _kind_of_rule(column.taxonomy)
    if implied is Kind.CATEGORY:
        return Kind.CATEGORY
    if _says_its_kind(column.round):
        return Kind.DATE if of_dates(column.round) else Kind.NUMBER
    ends = _ends_of(column)
    if _ends_are_dates(ends) or column.date_order is not None or implied is Kind.DATE or dtype.is_temporal():
        return Kind.DATE
    if ends or implied is Kind.NUMBER or dtype.is_numeric():
        return Kind.NUMBER
    return Kind.CATEGORY


def _says_its_kind(rounding: Rounding | None) -> TypeGuard[Rounding]:
    """Whether a way to round tells numbers from dates; classes of equally many rows do not before they are made."""
    return rounding is not None and not (isinstance(rounding, Quantiles) and rounding.begin is None)


def _ends_are_dates(ends: Sequence[Any]) -> bool:
    return bool(ends) and not isinstance(ends[0], int | float)


def _kind_of_rule(rule: TaxonomySource | None) -> Kind | None:
    """What values a rule of a taxonomy is about; None where there is no rule."""
    if rule is None:
        return None
    return next((kind for name, kind in KIND_OF_RULE.items() if getattr(rule, name) is not None), None)


def _ends_of(column: Column) -> list[Any]:
    """The ends that a schema says of a column: of its domain, and those of its caps."""
    domain = [] if column.domain is None else [*column.domain]
    caps = [] if column.cap is None else [column.cap.low, column.cap.high]
    return domain + [end for end in caps if end is not None]


def _nulls_and_rows(book: Coded, times: NDArray[np.int64] | None) -> tuple[int, int]:
    """In how many rows a column is null, and how many rows it has, of which each code may stand for several."""
    rows = len(book.codes) if times is None else int(times.sum())
    if not book.has_null:
        return 0, rows
    null = book.codes == 0
    return int(null.sum() if times is None else times[null].sum()), rows


@record(eq=False)
class Tally:
    """What shares of a column count: its rows, of which each value may stand for several; or clusters of rows.

    A person with several rows is one, and a household is one: else three rows of one of them could make a class, or
    the end of a column, that tells of them alone. A cluster counts once, at its lowest value, or at its highest where
    it is counted from above: so many counted ones are so many different ones.
    """

    times: NDArray[np.int64] | None = None
    clusters: Codes | None = None

    def of_codes(self, book: Coded, *, from_above: bool = False) -> NDArray[np.int64]:
        """How many there are of each code, null among them."""
        size = len(book.values) + int(book.has_null)
        if self.clusters is None:
            weights = None if self.times is None else self.times.astype(np.float64)
            return np.bincount(book.codes, weights, size).astype(np.int64)
        known = book.codes >= int(book.has_null)
        ends = np.full(int(self.clusters.max(initial=-1)) + 1, -1 if from_above else size, np.int64)
        (np.maximum if from_above else np.minimum).at(ends, self.clusters[known], book.codes[known])
        return np.bincount(ends[(ends >= 0) & (ends < size)], minlength=size).astype(np.int64)


ROWS = Tally()


def tally_of(frame: pl.DataFrame | Columns, schema: Schema) -> Tally:
    """What shares of a table's columns count: clusters where one of the columns says which rows belong together."""
    for name in schema.names(Role.CLUSTER):
        if name in frame.columns:
            return Tally(clusters=_clusters_of(frame[name], schema.columns[name], name))
    return ROWS


def encode_column(series: pl.Series, schema: Schema, name: str, tally: Tally = ROWS) -> tuple[Attribute, Codes]:
    """The codebook of a column and the code of each of its values."""
    attribute, codes, _ = encode_both(series, schema, name, tally)
    return attribute, codes


def encode_both(
    series: pl.Series | Numbered, schema: Schema, name: str, tally: Tally = ROWS
) -> tuple[Attribute, Codes, AsItWas | None]:
    """The same, and the column as it was before it was rounded and capped, where it was."""
    column = schema.columns[name]
    read, kind = as_read(series, schema, name)
    book, cap, classes = _coarsened(read, kind, schema, name, tally)
    before = None if book is read else _as_it_was(read, book, kind, column)
    _check_nulls(*_nulls_and_rows(book, tally.times), column, name)
    if column.role is Role.WEIGHT:
        check_weights(book.values, name)
    values = book.values.to_list() if column.taxonomy is not None or column.order is not None else []
    labels = [label_of(value) for value in values]
    taxonomy = _taxonomy(schema, name, labels, values)
    chains = leaves = None
    positions = np.arange(len(book.values), dtype=np.int64)
    width = max(0, len(positions) - 1)
    if kind in (Kind.NUMBER, Kind.DATE):
        positions, width = on_line(book.values, column.domain)
    elif column.order is not None:
        book, positions = _reordered(book, _ranks(labels, column.order, schema, name))
        width = len(column.order) - 1
    elif taxonomy is not None:
        ranks = taxonomy.rank(labels)
        book, _ = _reordered(book, ranks)
        chains, leaves, width = taxonomy.chains([labels[i] for i in np.argsort(ranks)], book.has_null)
    null = np.full(int(book.has_null), -1, dtype=np.int64)
    return (
        Attribute(
            name=name,
            role=column.role,
            kind=kind,
            values=_with_null(book),
            has_null=book.has_null,
            positions=np.concatenate((null, positions)),
            width=width,
            chains=chains,
            leaves=leaves,
            taxonomy=taxonomy,
            cap=cap,
            importance=schema.whole_importance(name),
            classes=classes,
            rounding=column.round if classes is None else classes,
            marked=(book.has_null and bool(column.missing)) or bool(column.merge),
        ),
        book.codes,
        before,
    )


def _as_it_was(book: Coded, afterwards: Coded, kind: Kind, column: Column) -> AsItWas:
    """A column of numbers or dates as it is read; its line reaches as far as the schema's, or as its values."""
    positions, width = on_line(book.values, None if column.domain is None else _around(column.domain, book.values))
    null = np.full(int(book.has_null), -1, dtype=np.int64)
    attribute = Attribute(
        name=book.values.name,
        role=column.role,
        kind=kind,
        values=_with_null(book),
        has_null=book.has_null,
        positions=np.concatenate((null, positions)),
        width=width,
    )
    becomes = np.zeros(len(attribute), np.int32)
    becomes[book.codes] = afterwards.codes
    return AsItWas(attribute, None if column.role is Role.SENSITIVE else book.codes, becomes)


def _around(domain: tuple[Any, Any], values: pl.Series) -> tuple[Any, Any] | None:
    """The domain where all values lie in it, which a cap sees to afterwards; else there is none."""
    try:
        on_line(values, domain)
    except InputError:
        return None
    return domain


def understood(
    series: pl.Series, schema: Schema, name: str, tally: Tally = ROWS
) -> tuple[Coded, Kind, Cap | None, Quantiles | None]:
    """The values of a column as its schema means them: missing ones null, of its kind, rounded, within its cap.

    The cap is in values, and of classes by quantiles it is told where they begin.

    Whatever reads people's own values reads them here, or two verbs would see two tables.
    """
    read, kind = as_read(series, schema, name)
    book, cap, classes = _coarsened(read, kind, schema, name, tally)
    return book, kind, cap, classes


def as_read(series: pl.Series | Numbered, schema: Schema, name: str) -> tuple[Coded, Kind]:
    """The values of a column, missing ones null and of its kind, before they are rounded and capped."""
    values = series.values if isinstance(series, Numbered) else series
    values = readable(values, schema.columns[name], name, categories=True)
    kind = kind_of(schema.columns[name], values.dtype)
    book = series.coded(values) if isinstance(series, Numbered) else coded(values)
    if becomes := schema.columns[name].becomes:
        book = _becoming(book, becomes, schema, name)
    return _as_kind(book, kind, schema, name), kind


def _becoming(book: Coded, becomes: Mapping[str, str], schema: Schema, name: str) -> Coded:
    """The book in which values are others, of which several may be one; raise where it has neither: that is a slip.

    A release has the others already, and a population need not have all.
    """
    labels = [label_of(value) for value in book.values.to_list()]
    if labels and not {*becomes, *becomes.values()} & {*labels}:
        value = next(iter(becomes))
        raise SchemaError(
            "{place_of}no row has {value!r}{meant}; take it out",
            place_of=place_of(schema, name, "merge" if schema.columns[name].merge else "labels"),
            value=value,
            meant=meant(value, labels),
        )
    return _recoded(book, pl.Series(book.values.name, [becomes.get(one, one) for one in labels], dtype=pl.String))


def _coarsened(
    book: Coded, kind: Kind, schema: Schema, name: str, tally: Tally
) -> tuple[Coded, Cap | None, Quantiles | None]:
    """The same rounded and within the cap; the very same where the schema says neither."""
    book, classes = _rounded(book, kind, schema, name, tally)
    if schema.columns[name].cap is None:
        return book, None, classes
    if kind not in (Kind.NUMBER, Kind.DATE):
        what = f"the column has texts such as {label_of(book.values.first())!r}"
        raise SchemaError(
            "{place_of}{what}, and a cap is for numbers and dates; take it out",
            place_of=place_of(schema, name, "cap"),
            what=what,
        )
    counts = tally.of_codes(book), tally.of_codes(book, from_above=True)
    book, cap = capped(book, counts, schema, name)
    return book, cap, classes


def _rounded(book: Coded, kind: Kind, schema: Schema, name: str, tally: Tally) -> tuple[Coded, Quantiles | None]:
    """The column as exactly as its schema reads it, and where its classes begin if shares of the rows say that."""
    rounding = schema.columns[name].round
    if rounding is None or book.values.is_empty():
        return book, None
    if isinstance(rounding, Quantiles):
        rounding = _counted(rounding, book, kind, schema, name, tally)
        return _recoded(book, rounded(book.values, rounding)), rounding
    if kind is not (Kind.DATE if of_dates(rounding) else Kind.NUMBER):
        what = f"the column has values such as {label_of(book.values.first())!r}"
        raise SchemaError(
            "{place_of}{what}, which cannot be rounded so; take it out",
            place_of=place_of(schema, name, "round"),
            what=what,
        )
    return _recoded(book, rounded(book.values, rounding)), None


def _counted(classes: Quantiles, book: Coded, kind: Kind, schema: Schema, name: str, tally: Tally) -> Quantiles:
    """Classes by quantiles with where they begin: as is told, or in this table."""
    place = place_of(schema, name, "round")
    if kind not in (Kind.NUMBER, Kind.DATE):
        what = f"the column has texts such as {label_of(book.values.first())!r}"
        raise SchemaError("{place}{what}, and quantiles are for numbers and dates; take it out", place=place, what=what)
    if classes.begin is not None:
        return classes
    if isinstance(book.values.dtype, pl.Datetime):
        book = _recoded(book, book.values.dt.date())
    begin = begins_of(book.values, tally.of_codes(book)[int(book.has_null) :], classes.parts)
    if len(begin) < 2:
        raise SchemaError(
            "{place}quantiles = {parts} of this column leaves no two classes of three people or more; use "
            "fewer, or classes of your own as in round = [0, 18, 65]",
            place=place,
            parts=classes.parts,
        )
    plain: list[Any] = [plain_bound(bound) for bound in begin]
    return Quantiles(classes.parts, tuple(plain))


def _taxonomy(schema: Schema, name: str, labels: list[str], values: list[object]) -> Taxonomy | None:
    """The column's taxonomy; what is wrong with it is told with the place in the schema."""
    try:
        return resolve(schema.columns[name], labels, values, schema.folder)
    except TaxonomyError as problem:
        raise TaxonomyError(
            "{place_of}{problem}", place_of=place_of(schema, name, "taxonomy"), problem=problem
        ) from None


def readable(series: pl.Series, column: Column, name: str, *, categories: bool = False) -> pl.Series:
    """Numbers, text, booleans, dates and datetimes, NaN and missing values as null; an error for anything else.

    A categorical becomes its text, or stays one with ``categories`` where no text has to be made null.
    """
    dtype = series.dtype
    categorical = isinstance(dtype, pl.Categorical | pl.Enum)
    if not (dtype.is_numeric() or dtype in READABLE or categorical):
        raise InputError(
            f"column {name!r} has type {dtype}; it must hold numbers, text, booleans or dates: cast it to one of these"
        )
    if categories and not column.missing and categorical:
        return series
    series = without_marks(plain(series), column.missing)
    _refuse_unbounded(series, dtype, name)
    return series


def _refuse_unbounded(series: pl.Series, dtype: pl.DataType, name: str) -> None:
    """Raise for infinite numbers, and for dates that no calendar has."""
    if dtype.is_float() and series.is_infinite().any():
        raise InputError("column {name!r} has an infinite value; replace it by a number or by {NULL}", name=name)
    if dtype in (pl.Date, pl.Datetime) and beyond_calendar(series):
        raise InputError(
            "column {name!r} has a date that is not within the years 1 to 9999; replace it, or use {NULL}", name=name
        )


def without_marks(series: pl.Series, missing: Sequence[str]) -> pl.Series:
    """The column with these texts as null; numbers and dates are compared by value.

    >>> without_marks(pl.Series([1.5, -1.0]), ["-1", "?"]).to_list()
    [1.5, None]
    """
    if not missing:
        return series
    dtype = series.dtype
    marks = pl.Series(missing)
    if dtype != pl.String:
        same = [_in_type(narrow(marks.slice(at, 1)), dtype) for at in range(len(marks))]
        marks = pl.concat([pl.Series([], dtype=dtype), *(mark for mark in same if mark is not None)])
    return series.set(series.is_in(marks.implode()), None) if len(marks) else series


def _in_type(mark: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    """A mark in the type of the column, if the column can hold it."""
    if mark.dtype.is_numeric() != dtype.is_numeric() or mark.dtype.is_temporal() != dtype.is_temporal():
        return None
    try:
        same = mark.cast(dtype)
        kept = mark.cast(pl.Float64) == same.cast(pl.Float64) if dtype.is_numeric() else mark == same.cast(mark.dtype)
    except pl.exceptions.PolarsError:
        return None
    # a float in single precision is never equal to its text, and yet it is what the text stands for
    return same if dtype == pl.Float32 or kept.all() else None


def _check_nulls(nulls: int, rows: int, column: Column, name: str) -> None:
    if nulls and column.role is Role.WEIGHT:
        raise InputError(
            "weight {name!r} is {NULL} in {nulls} of {rows} rows; every row stands for somebody: fill these values, "
            "drop the rows, or give the column {role}",
            name=name,
            nulls=nulls,
            rows=rows,
            role=quoted_key("role", "drop"),
        )
    if nulls and column.nulls == "reject":
        raise InputError(
            "column {name!r} is {NULL} in {nulls} of {rows} rows and {NULLS_REJECTED}",
            "fill these values, drop the rows, or {ALLOW_NULLS}",
            name=name,
            nulls=nulls,
            rows=rows,
        )
    if nulls == rows and column.role is Role.SENSITIVE:
        raise InputError(
            "sensitive column {name!r} is {NULL} in all {nulls} rows; there is nothing to protect: check the file, or "
            "choose another sensitive column",
            name=name,
            nulls=nulls,
        )


def check_weights(values: pl.Series, name: str) -> None:
    """Raise unless all weights are positive, and small enough to be added up."""
    if not values.dtype.is_numeric():
        what = "dates" if values.dtype.is_temporal() else "no numbers"
        raise InputError(f"weight {name!r} has {what}; a weight says for how many people a row stands: give numbers")
    if values.is_empty():
        return
    low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]  # numbers, as seen above
    if low <= 0:
        raise InputError(
            "weight {name!r} has {low:g}, and a weight is above 0: a row stands for somebody; drop these rows, or "
            "give the column {role}",
            name=name,
            low=low,
            role=quoted_key("role", "drop"),
        )
    if high > LARGEST_WEIGHT:
        raise InputError(
            f"weight {name!r} has {high:g}, and a weight is at most 1e15; divide all of them by the same number"
        )


def _as_kind(book: Coded, kind: Kind, schema: Schema, name: str) -> Coded:
    """The codebook in a type that the kind allows: text is parsed, anything else must fit."""
    dtype = book.values.dtype
    if kind is Kind.NUMBER and dtype == pl.String:
        return _recoded(book, _numbers(book.values, schema, name))
    if kind is Kind.DATE and dtype == pl.String:
        return _recoded(book, _dates(book.values, schema, name))
    if kind is Kind.NUMBER and dtype.is_temporal():
        what = f"the column has dates such as {label_of(book.values.first())}, not numbers"
        _raise_unfit(schema, name, kind, what, Message("set {kind}", kind=quoted_key("kind", "date")))
    if kind is Kind.DATE and not dtype.is_temporal():
        what = f"the column has values such as {label_of(book.values.first())}, not dates"
        _raise_unfit(
            schema,
            name,
            kind,
            what,
            Message("set {kind}, or write dates as 2024-01-31", kind=quoted_key("kind", "number")),
        )
    return book


def _raise_unfit(
    schema: Schema, name: str, kind: Kind, what: str, way_out: str, *, one_value: bool = False, value: str | None = None
) -> NoReturn:
    """The values are not of the kind; a taxonomy or a domain that asks for the kind is named before the kind itself.

    ``value`` is the text that is not, for whoever knows the file and can tell its line.
    """
    column = schema.columns[name]
    rule = next((rule for rule in ("ladder", "dates") if getattr(column.taxonomy, rule, None) is not None), None)
    at = "kind"
    if rule is not None or column.domain is not None:
        at, cause = ("domain", "domain") if rule is None else ("taxonomy", rule)
        what = Message("{what}, and {cause} is for {kind}s", what=what, cause=key(cause, "[...]"), kind=kind)
        mend = Message(", or correct the value or list it in {missing}", missing=key("missing", "[...]"))
        way_out = Message(
            "take the {cause}{kind} away{other}{mend}",
            cause=cause,
            kind="" if column.kind is None else Message(" and {kind}", kind=quoted_key("kind", column.kind)),
            other="" if rule is None else " or use prefix, tree or file",
            mend=mend if one_value else "",
        )
    raise UnfitValue(
        Message("{place_of}{what}", place_of=place_of(schema, name, at), what=what), way_out, column=name, value=value
    )


def _numbers(texts: pl.Series, schema: Schema, name: str) -> pl.Series:
    """Text as integers or else as floats; here the schema asks for it, so that 007 is 7, and 2,5 two and a half.

    A recipe says what is a number, not how the file of somebody's original writes it; 1,234 may be either.
    """
    comma = _has_decimal_comma(schema)
    if comma and (with_comma := _with_comma(texts)) is not None:
        return with_comma
    for dtype in (pl.Int64, pl.Float64):
        numbers = texts.cast(dtype, strict=False)
        if not numbers.null_count() and not (numbers.dtype.is_float() and not numbers.is_finite().all()):
            return numbers
    if has_decimal_commas(texts) and (with_comma := _with_comma(texts)) is not None:
        return with_comma
    wrong, what = _no_number(texts, numbers, comma=comma)
    missing, other = key("missing", "[...]"), quoted_key("kind", "category")
    ways = 'correct the value, list it in {missing} to make it {NULL}, or set {other} or "ordered"'
    way_out = Message(ways, missing=missing, other=other)
    if schema.columns[name].role is Role.WEIGHT:
        way_out = Message("correct the value, or give the column {role}", role=quoted_key("role", "drop"))
    _raise_unfit(schema, name, Kind.NUMBER, f"{wrong!r} is not {what}", way_out, one_value=True, value=wrong)


def _has_decimal_comma(schema: Schema) -> bool:
    """Whether somebody said that decimals follow a comma: who reads the file, else its schema."""
    in_schema = None if schema.file is None else schema.file.decimal
    return (said_form().decimal or in_schema) == ","


def _with_comma(texts: pl.Series) -> pl.Series | None:
    """The texts as numbers whose decimals follow a comma, zeros before them or not; None where one is no such number.

    >>> _with_comma(pl.Series(["007", "1.234,5"])).to_list(), _with_comma(pl.Series(["3,5", "3x"]))
    ([7.0, 1234.5], None)
    """
    numbers = with_decimal_comma(texts.str.replace(LEADING_ZEROS, "${1}${2}"))
    return numbers if numbers.dtype.is_numeric() else None


def _no_number(texts: pl.Series, numbers: pl.Series, *, comma: bool) -> tuple[str, str]:
    """A text for which a column is not one of numbers, and what it is not; ``numbers`` are the texts read with a point.

    Decimals follow a comma where somebody said so, and where more texts are numbers so than with a point.
    """
    is_number = numbers.is_not_null() & numbers.is_finite()
    with_comma = texts.str.replace(LEADING_ZEROS, "${1}${2}").str.contains(COMMA_NUMBER)
    comma = comma or int(with_comma.sum()) > int(is_number.sum())
    none = texts.filter(~(is_number | with_comma)) if comma else texts.filter(~is_number)
    if len(none):
        return str(none.first()), "a number"
    return str(texts.filter(~with_comma).first()), "a number where decimals follow a comma"


def _dates(texts: pl.Series, schema: Schema, name: str) -> pl.Series:
    """Text as dates, or else as datetimes."""
    dtype = type_of(texts)
    if dtype is None or dtype.is_temporal():
        return texts.cast(pl.Date) if dtype is None else convert(texts, dtype)
    dates, wrong = written_dates(texts, schema.columns[name].date_order)
    if dates is not None:
        return dates
    assert wrong is not None
    if wrong.kind == "ambiguous":  # it names its own way out
        raise SchemaError("{place}{wrong}", place=place_of(schema, name, "kind"), wrong=wrong.message)
    way_out = _ways_to_dates(schema, name, wrong.value)
    _raise_unfit(schema, name, Kind.DATE, wrong.message, way_out, one_value=True, value=wrong.value)


def _ways_to_dates(schema: Schema, name: str, value: str) -> Message:
    """What helps where a value is no date; that an order can be said only if none was, and the value has one."""
    said = schema.columns[name].date_order
    missing, other = key("missing", "[...]"), quoted_key("kind", "category")
    if said in (None, "ymd") and is_a_date_in_some_order(value):
        return Message('write dates as 2024-01-31 or say date_order = "dmy" or "mdy", or set {other}', other=other)
    return Message(
        "correct the value (any date may be written as 2024-01-31), list it in {missing} to make it {NULL}, or set "
        "{other}",
        missing=missing,
        other=other,
    )


def _ranks(labels: list[str], order: tuple[str, ...], schema: Schema, name: str) -> NDArray[np.int64]:
    """The place of each label in the schema's order."""
    place = {label: rank for rank, label in enumerate(order)}
    missing = [label for label in labels if label not in place]
    if missing:
        raise SchemaError(
            "{place_of}the column also has {missing}; add it to the order",
            place_of=place_of(schema, name, "order"),
            missing=listed(missing),
        )
    return np.array([place[label] for label in labels], dtype=np.int64)


def _recoded(book: Coded, values: pl.Series) -> Coded:
    """The book with each value replaced by another; different texts may be the same number."""
    values, codes, _ = coded(values)
    return Coded(values.alias(book.values.name), _mapped(book, codes), book.has_null)


def _reordered(book: Coded, ranks: NDArray[np.int64]) -> tuple[Coded, NDArray[np.int64]]:
    """The book with its codes in the order of the ranks, and the ranks in that order."""
    order = np.argsort(ranks)
    codes = np.empty(len(order), dtype=np.int32)
    codes[order] = np.arange(len(order), dtype=np.int32)
    return Coded(book.values.gather(order), _mapped(book, codes), book.has_null), ranks[order]


def _mapped(book: Coded, codes: Codes) -> Codes:
    """The rows' codes after value i has received ``codes[i]``."""
    if book.has_null:
        codes = np.concatenate((np.zeros(1, dtype=np.int32), codes + np.int32(1)))
    return codes[book.codes]


def _with_null(book: Coded) -> pl.Series:
    """The values by code: null first when there is one, in memory of their own."""
    null = pl.Series(book.values.name, [None], dtype=book.values.dtype)
    return pl.concat([null, book.values], rechunk=True) if book.has_null else book.values.rechunk()
