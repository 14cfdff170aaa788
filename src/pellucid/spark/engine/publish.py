"""Publish with Spark: the same release, row for row, as in memory with the same coins."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pellucid.anonymize.layout.by_cuts import Above, CutBetweenCodes, InParts, TriedInParts
from pellucid.anonymize.layout.by_draws import ByLot, Shares
from pellucid.anonymize.layout.tentative_cuts import Place
from pellucid.anonymize.methods import Method, methods
from pellucid.anonymize.recode import RECODERS, Recoder, TwoTables, recoder_for
from pellucid.anonymize.recode.recoder import RowRecoder
from pellucid.anonymize.self_check import Countable
from pellucid.core.attribute_disclosure import TellingColumnWarning, check_accepted, refuse_determined, warning
from pellucid.core.coins import Coins
from pellucid.core.recipe import ReadAs, recipe
from pellucid.core.schema import Role, Schema
from pellucid.core.schema.people import Several
from pellucid.core.table import Persons, Table
from pellucid.errors import EngineError, MethodError
from pellucid.messages.terms import quoted_key
from pellucid.runtime.progress import SILENT, Progress
from pellucid.spark.engine.by_draws import MOST_MARKS, Lot, drawing
from pellucid.spark.engine.group_lines import Lost, Parting, Spelling
from pellucid.spark.engine.job_progress import watching
from pellucid.spark.engine.on_cluster import ROWS_PER_FILE, Route, SparkEngine
from pellucid.spark.engine.operations import Longs
from pellucid.spark.engine.parquet_files import files_named, require_table
from pellucid.spark.engine.people import answered, refuse_conditions
from pellucid.spark.engine.reading import SparkSource, TableReader
from pellucid.spark.engine.release import SparkRelease
from pellucid.spark.engine.session import require_spark, running_or_new
from pellucid.spark.engine.shipments import routing
from pellucid.spark.engine.top_tree import BINS, Borders, about_large_parts, grow_top
from pellucid.spark.engine.two_tables import Pairs
from pellucid.spark.engine.workers import Asked, Pass
from pellucid.spark.errors import explained
from pellucid.spark.frames import is_distributed, with_this_python
from pellucid.spark.settings import Spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Particulars:
    """What is seldom said: columns that are accepted though they tell much, how to work, and who adds up what is lost.

    ``several``: what is done about people with several rows. ``lost``: see
    :class:`pellucid.spark.engine.group_lines.Lost`.
    """

    accept_known: str | Sequence[str] = ()
    several: Several | None = None
    lost: Lost | None = None
    bins: int = BINS
    rows_per_file: int = ROWS_PER_FILE
    asked: Mapping[str, Any] = field(default_factory=dict)  # what the recipe tells of the request


def publish_with_spark(
    source: Any,
    schema: Schema,
    method: Method,
    recoder: Recoder,
    coins: Coins,
    settings: Spark,
    how: Particulars = Particulars(),  # noqa: B008  (it is frozen)
    *,
    progress: Progress = SILENT,
) -> SparkRelease:
    """Publish a Spark DataFrame, or Parquet files by their path or as :func:`files_named` found them.

    A path needs a session: the one that runs, or a new one, which is left running because the release's frame needs it.
    """
    require_spark()
    _refuse_clusters(schema)
    _refuse_weights(schema)
    refuse_conditions(schema, how.several)
    check_possible(method, recoder)
    known = check_accepted(how.accept_known, [*schema.names(Role.QUASI), *schema.names(Role.CARRY)])
    how = replace(how, accept_known=known)
    making = _Making(method, recoder, coins, settings, how)
    if is_distributed(source):
        with_this_python(source.sparkSession)
        with explained(), watching(source.sparkSession, progress) as watched:
            return making.published(SparkSource(source.sparkSession, given=source), schema, watched)
    named = files_named(source)
    require_table(named, schema)
    spark = running_or_new(settings)
    with explained(), watching(spark, progress) as watched:
        return making.published(SparkSource(spark, named=named), schema, watched)


def _refuse_clusters(schema: Schema) -> None:
    """Raise where rows belong together: nobody has them side by side."""
    clusters = schema.names(Role.CLUSTER)
    if clusters:
        raise MethodError(
            f"{clusters[0]!r} says which rows belong together, which Spark does not lay side by side",
            "publish without Spark, or drop the column: what is promised is then about single rows",
        )


def _refuse_weights(schema: Schema) -> None:
    """Raise where rows are weighed: machines count rows, and do not add numbers up to the last digit."""
    weights = schema.names(Role.WEIGHT)
    if weights:
        raise MethodError(
            "{weights!r} is a weight, and the mean weight of a group is not made with Spark",
            "publish without Spark, or give the column {role}",
            weights=weights[0],
            role=quoted_key("role", "drop"),
        )


def check_possible(method: Method, recoder: Recoder) -> None:
    """Refuse what is not divided among machines, naming what is."""
    if not isinstance(method, InParts | ByLot):
        able = ", ".join(name for name, kind in methods().items() if issubclass(kind, InParts | ByLot))
        raise MethodError(
            f"{method.name} {method.undivided}, so Spark cannot divide it among machines; methods that it can: {able}"
        )
    if not isinstance(recoder, RowRecoder | TwoTables):
        able = ", ".join(name for name, way in RECODERS.items() if issubclass(way, RowRecoder | TwoTables))
        raise MethodError(f"recode {recoder.name} is not possible with Spark; use one of {able}")


@dataclass(frozen=True)
class _Making:
    """How a release is made: by which method, recoder and coins."""

    method: Method
    recoder: Recoder
    coins: Coins
    settings: Spark
    how: Particulars

    def published(self, source: SparkSource, schema: Schema, progress: Progress) -> SparkRelease:
        """The release of a table; what was written is gone on errors."""
        work = _work_folder(source.spark, self.settings)
        try:
            reader = TableReader.of(source, schema, work, self.coins, progress)
            persons = answered(source, schema, self.how.several)
            bins = self.how.bins if isinstance(self.method, InParts) else None
            engine = reader.read(bins, self.settings.rows_per_worker)
            return self._released(engine, source, schema, work, progress, persons)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise

    def _released(
        self,
        engine: SparkEngine,
        source: SparkSource,
        schema: Schema,
        work: Path,
        progress: Progress,
        persons: Persons | None,
    ) -> SparkRelease:
        outline, method, known = engine.outline, self.method, self.how.accept_known
        recoder = recoder_for(method, self.recoder, outline.attributes)
        assert isinstance(method, InParts | ByLot)
        assert isinstance(recoder, RowRecoder | TwoTables)
        empty = replace(outline.without_rows(), persons=persons)
        counts: Sequence[Any] = [outline.counts[i] for i in outline.having(Role.SENSITIVE)]
        method.check_counts(empty, counts)
        progress.stage("measuring what columns say about the sensitive one", 0)
        if telling := refuse_determined(engine.said(), known):
            warnings.warn(warning(telling), TellingColumnWarning, stacklevel=2)
        spelling = Pairs.of(outline) if isinstance(recoder, TwoTables) else Spelling.of(outline, recoder)
        if isinstance(method, InParts):
            grouped = _by_cuts(engine, method, counts, self.coins, self.settings, self.how.bins, progress)
        else:
            grouped = _by_shares(engine, method, counts[0], self.coins, self.settings, progress)
        progress.stage("grouping", outline.rows)
        promised = Countable.of(method, [outline.attributes[i].name for i in outline.having(Role.SENSITIVE)])
        parting = Parting(spelling, grouped.method, counts, self.how.lost, grouped.places, promised)
        figures = engine.finish(grouped.asked, grouped.route, parting, self.coins)
        if isinstance(method, CutBetweenCodes):
            method.require_most(Above.together(figures["above"]))
        progress.stage("writing", outline.rows)
        if isinstance(spelling, Pairs):
            folders = engine.write_two_tables(spelling, self.how.rows_per_file)
        else:
            folders = engine.write(spelling, self.how.rows_per_file)
        figures |= {"remarks": grouped.remarks, "parts": grouped.parts, "passes": grouped.passes, "outline": outline}
        figures["above"] = engine.above
        read = ReadAs(schema, _ordered_as(source, schema))
        told = {"people": f"{persons.column}={persons.answer}"} if persons is not None else {}
        asked = {**self.how.asked, **told, **({"accepted_known": list(known)} if known else {})}
        asked |= {"strata": figures["strata"]} if "strata" in figures else {}
        account = recipe(empty, method, recoder, outline.rows, suppressed=0, read=read, asked=asked)
        return SparkRelease.of(source.spark, folders, account, figures, work)


def _ordered_as(source: SparkSource, schema: Schema) -> str | None:
    """How the identifiers of a Spark DataFrame are ordered, as :func:`pellucid.core.recipe.ordered_as` says it."""
    from pyspark.sql.types import DateType, NumericType, TimestampNTZType, TimestampType

    identifiers = schema.names(Role.IDENTIFIER)
    if not identifiers:
        return None
    kind = source.frame.schema[identifiers[0]].dataType
    if isinstance(kind, NumericType):
        return "numbers"
    return "dates" if isinstance(kind, DateType | TimestampType | TimestampNTZType) else "text"


@dataclass(frozen=True, slots=True, eq=False)
class Divided:
    """How a table is divided among workers: what they are told, how rows find their part, who groups a part."""

    asked: Asked
    route: Route
    method: InParts | Shares
    parts: int
    passes: int
    remarks: list[str]
    places: Mapping[int, Place] = field(default_factory=dict)  # of subtrees, by part


def _by_cuts(
    engine: SparkEngine,
    method: InParts,
    counts: Sequence[Any],
    coins: Coins,
    settings: Spark,
    bins: int,
    progress: Progress,
) -> Divided:
    """Parts are subtrees of Tailor's tree, or of SoftCut's."""
    empty = engine.outline.without_rows()
    needed = method.rows_needed(empty, counts)
    trying = method.trying(empty, coins) if isinstance(method, TriedInParts) else None
    borders = borders_of(method, empty)
    how: dict[str, Any] = {"bins": bins, "progress": progress, "trying": trying, "borders": borders}
    top = grow_top(engine, needed, settings.rows_per_worker, **how)
    asked = Pass(engine.outline, engine.work, engine.blocks, top.cuts)
    route = partial(routing, coins=engine.coins)
    return Divided(asked, route, method, len(top.cuts.ends), top.passes, top.remarks, top.places)


def borders_of(method: InParts, outline: Table) -> Borders | None:
    """What is kept apart by a method whose cuts are all between different codes."""
    if not isinstance(method, CutBetweenCodes):
        return None
    return Borders(method.apart(outline), method.size)


def _by_shares(
    engine: SparkEngine, method: ByLot, counts: Longs, coins: Coins, settings: Spark, progress: Progress
) -> Divided:
    """Parts take rows by the numbers that they draw."""
    progress.stage("drawing", engine.outline.rows)
    shares = method.shares(counts, settings.rows_per_worker, max(1, MOST_MARKS // len(counts)))
    sieve = engine.sift(shares, coins, progress)
    sizes = np.diff(shares.taken.sum(axis=1))
    large = sizes[sizes > settings.rows_per_worker]
    asked = Lot(engine.outline, engine.work, engine.blocks, shares, sieve)
    route = partial(drawing, ordering=engine.coins, coins=coins)
    remarks = about_large_parts(len(large), int(large.max(initial=0)))
    return Divided(asked, route, shares, len(sizes), sieve.passes, remarks)


def _work_folder(spark: SparkSession, settings: Spark) -> Path:
    """A new private folder, in the place that the settings name or where this machine has its temporary files."""
    context = getattr(spark, "_sc", None)
    master = context.master if context is not None else spark.conf.get("spark.master", "") or ""
    if settings.work is None and not master.startswith("local"):
        raise EngineError(
            f"Spark works on other machines ({master}), which see no temporary folder of this one; name a folder that "
            "all of them see: engine=pellucid.Spark(work=...)"
        )
    try:
        return Path(tempfile.mkdtemp(prefix="pellucid-", dir=settings.work))
    except OSError as error:
        raise EngineError(
            f"no work folder can be made in {settings.work} ({(error.strerror or str(error)).lower()}); "
            "choose another (work=)"
        ) from None
