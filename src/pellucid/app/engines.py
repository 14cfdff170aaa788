"""Where a release is looked at: on this machine, or by Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

import typer

from pellucid.engine.session import session
from pellucid.engine.settings import Spark
from pellucid.errors import InputError

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
USUAL = "local[*]"


@contextmanager
def session_of(engine: Engine, master: str | None) -> Iterator[Any]:
    """The Spark session that is asked for, stopped in the end; None when this program does it."""
    if engine == "local":
        if master is not None:
            raise InputError(f"--master {master} is for Spark; add --engine spark")
        yield None
        return
    with session(Spark(master=master or USUAL)) as started:
        yield started
