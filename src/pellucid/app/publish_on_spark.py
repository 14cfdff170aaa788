"""``pellucid publish --engine spark``: Parquet of any size in, the same release out."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pellucid.app.columns import split_columns
from pellucid.app.output import Output
from pellucid.app.progress import Bar
from pellucid.app.remarks import Remark, remarks_on
from pellucid.app.show import labelled
from pellucid.app.spark_options import USUAL, spark_options
from pellucid.app.summary import in_words, tell, written
from pellucid.app.wording import as_typed
from pellucid.coins import Coins
from pellucid.errors import MethodError, OutputError
from pellucid.group import Method
from pellucid.guessing import COVERED_BY_NONE
from pellucid.importance import weighed_schema
from pellucid.io import schema_for
from pellucid.io.bundle import scratch_beside
from pellucid.measuring.as_it_was import left_out
from pellucid.measuring.kept import information_lost
from pellucid.publishing import SECRET_SEED, InformedAttackerWarning, SecretSeedWarning
from pellucid.recipe import Recipe
from pellucid.recode import RECODERS, Recoder
from pellucid.schema import Role, Roles, Schema
from pellucid.sentence import promises_nothing
from pellucid.spark.settings import ROWS_PER_WORKER, Spark


@dataclass(frozen=True, slots=True)
class SparkCall:
    """What the options say about Spark."""

    master: str
    rows_per_worker: int
    options: Mapping[str, str]

    @classmethod
    def of(
        cls, engine: str, master: str | None, rows_per_worker: int | None, options: Sequence[str] | None
    ) -> SparkCall:
        """As the options say; an error when they do not ask for Spark."""
        if engine != "spark":
            given = {"--master": master, "--rows-per-worker": rows_per_worker, "--spark-option": options}
            for name, value in given.items():
                if value is not None:
                    raise MethodError(f"{name} goes with --engine spark")
        return cls(master or USUAL, rows_per_worker or ROWS_PER_WORKER, spark_options(options))


@dataclass(frozen=True, slots=True)
class SparkJob:
    """What is to be published."""

    source: str
    schema: Schema | Path | None
    roles: Mapping[str, Sequence[str]]
    method: Method
    recoder: Recoder
    seed: int | None
    out: Path
    file_format: str | None
    overwrite: bool
    accepted: Sequence[str] = ()
    importance: Mapping[str, int] = field(default_factory=dict)


def divisible(method: Method) -> bool:
    """Whether Spark can divide a method among machines."""
    from pellucid.spark.engine.publish import check_possible

    try:
        check_possible(method, RECODERS[method.recoder]())
    except MethodError:
        return False
    return True


def publish_by_spark(job: SparkJob, call: SparkCall, output: Output, began: float, *, shown: bool) -> None:
    """Publish with a session of our own, beside the release's folder, and tell what came out."""
    from pellucid.spark.engine.parquet_files import files_named, require_table
    from pellucid.spark.engine.publish import Particulars, check_possible, publish_with_spark
    from pellucid.spark.engine.reading import read_by_workers
    from pellucid.spark.engine.session import require_spark, session

    if job.file_format not in (None, "parquet"):
        raise OutputError(f"--format {job.file_format}: with --engine spark a release is written as parquet")
    check_possible(job.method, job.recoder)
    require_spark()
    named = files_named(job.source)
    schema = schema_for(job.source, Roles(schema=job.schema, **split_columns(job.roles)))
    schema = weighed_schema(schema, job.importance)
    require_table(named, schema)
    lost = partial(information_lost, recode=job.recoder)
    with output.warnings() as warned, Bar(shown=shown) as bar, ExitStack() as stack:
        _warn(job)
        bar.stage("starting Spark", 0)
        with as_typed(job.out):
            work = stack.enter_context(scratch_beside(job.out))
        settings = Spark(master=call.master, rows_per_worker=call.rows_per_worker, work=work, options=call.options)
        stack.enter_context(session(settings, tasks_alone=read_by_workers(named, schema)))
        coins = Coins.fresh() if job.seed is None else Coins.from_seed(job.seed)
        how = Particulars(accepted=job.accepted, lost=lost)
        release = publish_with_spark(named, schema, job.method, job.recoder, coins, settings, how, progress=bar)
        with as_typed(job.out):
            release.write(job.out, overwrite=job.overwrite)
        assert release.figures is not None
        account, remarks = account_of(release.figures, release.public.recipe, job.method)
        written(account, job.out)
    tell(account, remarks, warned, release.recipe, began)
    output.say(labelled(in_words(account)))
    output.document(account)


def account_of(figures: Mapping[str, Any], recipe: Recipe, method: Method) -> tuple[dict[str, Any], list[Remark]]:
    """What there is to tell about the release, as for one made in memory, and the remarks on it."""
    outline, sizes = figures["outline"], figures["sizes"]
    table = outline.without_rows()
    columns = [a.name for a in table.attributes if a.role in (Role.QUASI, Role.CARRY)]
    kept = {name: 1 - lost / outline.rows for name, lost in zip(columns, figures["lost"], strict=True)}
    first = [table.attributes[i].name for i in (*table.having(Role.QUASI), *table.having(Role.CARRY))]
    account = {
        "rows": outline.rows,
        "suppressed_rows": 0,
        "added_rows": 0,
        "published_rows": outline.rows,
        "replaced_rows": 0,
        "changes": [],
        "groups": sum(sizes.values()),
        "group_sizes": {"min": min(sizes), "median": median(sizes), "max": max(sizes)},
        "information_kept": {name: kept[name] for name in first},
        "most_frequent": {
            table.attributes[i].name: float(outline.counts[i].max() / outline.rows)
            for i in outline.having(Role.SENSITIVE)
        },
        "guarantee": recipe.sentence,
        "claim": COVERED_BY_NONE if promises_nothing(method) else recipe.guarantee,
        "out": None,
        "files": [],
    }
    counts = {i: outline.counts[i] for i in outline.having(Role.SENSITIVE)}
    remarks = remarks_on(table, method, account, recipe.recoder.name, counts, alone=sizes.get(1, 0))
    rounded = [left_out(of, outline.before[of.name]) for of in table.attributes if of.name in outline.before]
    return account, [*remarks, *(Remark("note", text) for text in (*rounded, *figures["remarks"]))]


def median(sizes: Mapping[int, int]) -> float:
    """The median of sizes of which each occurs so many times.

    >>> median({2: 3, 5: 1, 9: 2})
    3.5
    """
    ends = np.cumsum([sizes[size] for size in sorted(sizes)])
    total, ordered = int(ends[-1]), sorted(sizes)
    middle = [ordered[int(np.searchsorted(ends, place, side="right"))] for place in ((total - 1) // 2, total // 2)]
    return sum(middle) / 2


def _warn(job: SparkJob) -> None:
    """The warnings that publishing in memory gives."""
    if job.seed is not None:
        warnings.warn(
            SECRET_SEED,
            SecretSeedWarning,
            stacklevel=2,
        )
    if job.method.warning is not None:
        warnings.warn(job.method.warning, InformedAttackerWarning, stacklevel=2)
