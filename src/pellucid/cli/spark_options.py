"""Where a release is looked at: on this machine, or by Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Literal

import typer

from pellucid.errors import InputError, MethodError
from pellucid.spark.engine.session import require_spark, session
from pellucid.spark.settings import Spark

Engine = Literal["local", "spark"]
EngineOption = Annotated[Engine, typer.Option("--engine", help="Who looks: this program, or Spark (Parquet only).")]
MasterOption = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="Spark's master, such as spark://host:7077; local[*], this machine, unless given.",
    ),
]
SparkOption = Annotated[
    list[str] | None, typer.Option("--spark-option", metavar="KEY=VALUE", help="With Spark: one of its own settings.")
]
USUAL = "local[*]"


@contextmanager
def session_of(
    engine: Engine, master: str | None, options: Sequence[str] | None, sources: Sequence[str]
) -> Iterator[Any]:
    """The Spark session that is asked for, stopped in the end; None when this program does it.

    It starts once it is known that Spark can read all these sources.
    """
    if engine == "local":
        for name, value in {"--master": master, "--spark-option": options and options[0]}.items():
            if value:
                raise InputError("{name} {value} is for Spark; add --engine spark", name=name, value=value)
        yield None
        return
    from pellucid.audit.source import require_parquet

    settings = Spark(master=master or USUAL, options=spark_options(options))
    require_spark()
    for source in sources:
        require_parquet(source)
    with session(settings) as started:
        yield started


def spark_options(words: Sequence[str] | None) -> Mapping[str, str]:
    """What ``--spark-option`` says, by name.

    >>> spark_options(["spark.executor.memory=4g"])
    {'spark.executor.memory': '4g'}
    """
    pairs = {}
    for word in words or ():
        key, equals, value = word.partition("=")
        if not equals:
            raise MethodError("--spark-option {word}: write KEY=VALUE, such as spark.executor.memory=4g", word=word)
        pairs[key] = value
    return pairs
