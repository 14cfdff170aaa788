"""``pellucid publish --engine spark``: a Spark session of our own, beside the release's folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from pellucid.anonymize.methods import Method
from pellucid.anonymize.recode import RECODERS, Recoder
from pellucid.cli.progress import Bar
from pellucid.cli.spark_options import USUAL, spark_options
from pellucid.core.importance import weighed_schema
from pellucid.core.request import Request, columns_asked
from pellucid.errors import MethodError, OutputError
from pellucid.io import schema_for
from pellucid.io.bundle import scratch_beside
from pellucid.messages.terms import KEEP_GROUPS
from pellucid.metrics.kept import information_lost
from pellucid.models import Verdict
from pellucid.publishing import Result, carry_out
from pellucid.spark.settings import ROWS_PER_WORKER, Spark


def divisible(method: Method) -> bool:
    """Whether Spark can divide a method among machines."""
    from pellucid.spark.engine.publish import check_possible

    try:
        check_possible(method, RECODERS[method.recoder]())
    except MethodError:
        return False
    return True


def settings_given(master: str | None, rows_per_worker: int | None, spark_option: Sequence[str] | None) -> Spark:
    """What the options say about Spark."""
    options = spark_options(spark_option)
    return Spark(master=master or USUAL, rows_per_worker=rows_per_worker or ROWS_PER_WORKER, options=options)


def publish_on_spark(
    request: Request, out: Path, recoder: Recoder, settings: Spark, bar: Bar, look: Callable[[Result], None]
) -> Sequence[Verdict]:
    """Publish with a session of our own; what is lost is added up by the workers."""
    with own_session(request, out, recoder, settings, bar) as on_spark:
        lost = partial(information_lost, recode=recoder)
        return carry_out(on_spark, progress=bar, look=look, lost=lost, keeping=KEEP_GROUPS).verdicts


@contextmanager
def own_session(request: Request, out: Path, recoder: Recoder, settings: Spark, bar: Bar) -> Iterator[Request]:
    """The request for a session that ends with this; it starts once it is known that Spark can do what is asked."""
    from pellucid.spark.engine.parquet_files import files_named, require_table
    from pellucid.spark.engine.publish import check_possible
    from pellucid.spark.engine.reading import read_by_workers
    from pellucid.spark.engine.session import require_spark, session

    if request.keep_groups is not None:
        raise OutputError(
            f"--keep-groups {request.keep_groups}: the groups of a table with Spark stay with Spark; leave it out"
        )
    if request.format not in (None, "parquet"):
        raise OutputError(f"--format {request.format}: with --engine spark a release is written as parquet")
    check_possible(request.method, recoder)
    require_spark()
    named = files_named(request.source)
    schema = weighed_schema(schema_for(request.source, columns_asked(request)), request.importance)
    require_table(named, schema)
    bar.stage("starting Spark", 0)
    with scratch_beside(out) as work:
        settings = settings.model_copy(update={"work": work})
        with session(settings, tasks_alone=read_by_workers(named, schema)):
            yield replace(request, source=named, engine=settings)
