"""How Spark is to be used: what a caller may say about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pellucid.errors import EngineError

ROWS_PER_WORKER = 2_000_000


class Spark(BaseModel):
    """Publish with Spark: ``pellucid.publish("big.parquet", method, engine=pellucid.Spark(master="local[*]"), ...)``.

    A Spark DataFrame brings its session; then ``master`` and ``options`` are not needed.

    >>> Spark(master="local[2]").rows_per_worker
    2000000
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")

    master: str | None = Field(default=None, description="where Spark runs: local[*], spark://host:7077, yarn, ...")
    rows_per_worker: int = Field(
        default=ROWS_PER_WORKER,
        ge=1,
        strict=True,
        description="parts of at most so many rows are grouped by one worker each",
    )
    work: Path | None = Field(
        default=None, description="a folder that all machines see under this name, for encoded rows while it works"
    )
    options: Mapping[str, str] = Field(default_factory=dict, description="Spark's own settings")

    def __init__(self, **settings: Any) -> None:
        try:
            super().__init__(**settings)
        except ValidationError as error:
            (problem, *_) = error.errors()
            name, told = ".".join(map(str, problem["loc"])), problem["msg"].replace("Input should", "must")
            field = type(self).model_fields.get(name.partition(".")[0])
            known = f"its settings are {', '.join(type(self).model_fields)}"
            meaning = known if field is None else f"{name} is {field.description}"
            raise EngineError(
                "Spark: {name} = {problem!r}: {told}; {meaning}",
                name=name,
                problem=problem["input"],
                told=told,
                meaning=meaning,
            ) from None
