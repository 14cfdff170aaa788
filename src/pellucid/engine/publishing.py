"""Publish with Spark: the same release, row for row, as in memory with the same coins."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pellucid.coins import Coins
from pellucid.distributed import is_distributed, with_this_python
from pellucid.engine.boxes import Lost, Spelling
from pellucid.engine.files import rows_of_files
from pellucid.engine.release import SparkRelease
from pellucid.engine.session import require_spark, running_or_new
from pellucid.engine.settings import Spark
from pellucid.engine.spark import SparkEngine
from pellucid.engine.top import BINS, grow_top
from pellucid.engine.trouble import explained
from pellucid.errors import EngineError, InputError, MethodError
from pellucid.group import Method, methods
from pellucid.group.in_parts import InParts
from pellucid.progress import SILENT, Progress
from pellucid.recipe import recipe
from pellucid.recode import RECODERS, Recoder
from pellucid.recode.recoder import RowRecoder
from pellucid.schema import Role, Schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def publish_with_spark(
    source: Any,
    schema: Schema,
    method: Method,
    recoder: Recoder,
    coins: Coins,
    settings: Spark,
    *,
    lost: Lost | None = None,
    bins: int = BINS,
    progress: Progress = SILENT,
) -> SparkRelease:
    """Publish a Spark DataFrame, or Parquet files by their path.

    A path needs a session: the one that runs, or a new one, which is left running because the release's frame needs it.
    ``lost``: see :class:`pellucid.engine.boxes.Lost`.
    """
    require_spark()
    check_possible(method, recoder)
    if is_distributed(source):
        with_this_python(source.sparkSession)
        with explained():
            return _publish(source, schema, method, recoder, coins, settings, lost, bins, progress, from_files=False)
    if not isinstance(source, str | Path):
        raise InputError(f"{type(source).__name__}: Spark reads Parquet files and Spark DataFrames; give one of these")
    spark = running_or_new(settings)
    with explained():
        frame, files = rows_of_files(spark, source)
        made_by = method, recoder, coins, settings
        return _publish(frame, schema, *made_by, lost, bins, progress, from_files=True, files=files)


def check_possible(method: Method, recoder: Recoder) -> None:
    """Refuse what cannot be divided among machines, naming what can."""
    if not isinstance(method, InParts):
        able = ", ".join(name for name, kind in methods().items() if issubclass(kind, InParts))
        raise MethodError(
            f"{method.name} looks at the whole table at once, so Spark cannot divide it; methods that it can: {able}"
        )
    if not isinstance(recoder, RowRecoder):
        able = ", ".join(name for name, way in RECODERS.items() if issubclass(way, RowRecoder))
        raise MethodError(f"recode {recoder.name} is not possible with Spark; use one of {able}")


def _publish(
    frame: DataFrame,
    schema: Schema,
    method: Method,
    recoder: Recoder,
    coins: Coins,
    settings: Spark,
    lost: Lost | None,
    bins: int,
    progress: Progress,
    *,
    from_files: bool,
    files: Sequence[Path] = (),
) -> SparkRelease:
    assert isinstance(method, InParts)
    assert isinstance(recoder, RowRecoder)
    work = _work_folder(frame, settings)
    try:
        engine = SparkEngine.of(frame, schema, work, coins, progress, from_files=from_files, files=files)
        outline = engine.outline
        empty = outline.without_rows()
        counts: Sequence[Any] = [outline.counts[i] for i in outline.having(Role.SENSITIVE)]
        method.check_counts(empty, counts)
        spelling = Spelling.of(outline, recoder)
        top = grow_top(
            engine, method.rows_needed(empty, counts), settings.rows_per_worker, bins=bins, progress=progress
        )
        progress.stage("grouping", outline.rows)
        figures = engine.finish(top.cuts, spelling, method, counts, coins, lost)
        progress.stage("writing", outline.rows)
        folder = engine.write(spelling)
        told = recipe(empty, method, recoder, outline.rows, suppressed=0)
        figures |= {"remarks": top.remarks, "parts": len(top.cuts.ends), "passes": top.passes, "outline": outline}
        return SparkRelease.of(frame.sparkSession, {"data": folder}, told, figures, work)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def _work_folder(frame: DataFrame, settings: Spark) -> Path:
    """A new private folder, in the place that the settings name or where this machine has its temporary files."""
    master = frame.sparkSession.conf.get("spark.master", "") or ""
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
