"""What a report is made of: the release as it was handed out, how it was made, and what its columns are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from pellucid import datasets
from pellucid.attacking.evidence.how_made import method_of, required_by
from pellucid.audit import Audit, examine
from pellucid.audit.meaning import meant_by
from pellucid.audit.source import Source, opened
from pellucid.errors import InputError, MeasureError, SchemaError
from pellucid.group import Method
from pellucid.io import read
from pellucid.model import PrivacyModel
from pellucid.progress import SILENT, Progress
from pellucid.recipe import told_columns
from pellucid.schema import Column, Kind, Role, Schema
from pellucid.sentence import promises_nothing
from pellucid.table import Table


@dataclass(frozen=True, eq=False)
class Given:
    """A release that was opened. ``source`` and ``audit`` hold its public half and nothing else.

    ``schema`` is what the caller said about the columns; ``method`` how the release was made, where anybody says so.
    """

    source: Source
    audit: Audit
    schema: Schema | None
    method: Method | None

    @property
    def recipe(self) -> Mapping[str, Any]:
        """The recipe; empty where there is none."""
        return self.source.recipe or {}

    @property
    def claim(self) -> str:
        """Against whom the release is promised to hold: as its recipe says, else as the method that made it."""
        if self.recipe:
            return str(self.recipe.get("guarantee", "none"))
        return "none" if self.method is None else self.method.claim

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """The sensitive columns and the quasi-identifiers, as the recipe names them."""
        columns = self.recipe.get("columns", ())
        by = [[one["name"] for one in columns if one["role"] == role] for role in (Role.SENSITIVE, Role.QUASI)]
        return by[0], by[1]

    @property
    def model(self) -> PrivacyModel | None:
        """What the method's groups satisfy."""
        return required_by(self.method)

    @property
    def limit(self) -> Fraction | None:
        """What the promise allows anybody whom it covers to believe; None where it is not about beliefs."""
        return None if self.method is None else self.method.promised

    @property
    def nothing(self) -> bool:
        """Whether the parameters promise nothing, as l = 1 does."""
        return self.method is not None and promises_nothing(self.method)

    @property
    def protected(self) -> str:
        """The values that the promise is about where it is not about all of them, in words."""
        return protected_by(self.method)


def protected_by(method: Method | None) -> str:
    """The values that a method's promise is about where it is not about all of them, in words.

    >>> protected_by(None)
    ''
    """
    chosen = [getattr(method, "sensitive", None), getattr(method, "binary", None), getattr(method, "values", None)]
    chosen.append(getattr(required_by(method), "sensitive", None))
    values = next((one for one in chosen if one is not None), ())
    if isinstance(values, Mapping):
        return ", ".join(f"{' and '.join(map(str, some))} of {name}" for name, some in values.items())
    return ", ".join(map(str, values if isinstance(values, Sequence) and not isinstance(values, str) else [values]))


def given_of(
    release: Any,
    *,
    schema: Schema | str | PathLike[str] | None = None,
    quasi: Sequence[str] | str | None = None,
    sensitive: Sequence[str] | str | None = None,
    identifier: str | None = None,
    made_by: Method | None = None,
    progress: Progress = SILENT,
) -> Given:
    """Open a release: ours, its folder, or anybody's with ``quasi`` and ``sensitive`` or ``schema``."""
    source = opened(release)
    if source.distributed:
        raise InputError(
            "the release is with Spark, and a report reads it without; write it (release.write(folder)) and report on "
            "the folder"
        )
    if schema is not None and (quasi is not None or sensitive is not None):
        raise SchemaError("schema and quasi= or sensitive= both say what the columns are; give one of the two")
    known: Schema | None
    if schema is not None:
        known = schema if isinstance(schema, Schema) else Schema.load(Path(schema))
    elif quasi is not None and sensitive is not None:
        known = Schema.of(quasi=quasi, sensitive=sensitive, identifier=identifier)
    else:
        known = None
    # a recipe tells what is published better than the schema of the original does, which has no age_low and age_high
    audit = examine(source, schema=None if source.recipe is not None else known, progress=progress)
    if not audit.sensitive:
        raise SchemaError("a report says what is protected, and no sensitive column is named; name it with sensitive=")
    method = made_by
    if method is None and "method" in (source.recipe or {}):
        method = method_of(source.recipe)
    return Given(source, audit, known, method)


def schema_for(given: Given, original: Any, identifier: str | None = None) -> Schema:
    """What the original's columns are: as the caller says, as an embedded table says, or as the recipe says."""
    if given.schema is not None:
        return meant_by(given.recipe, given.schema, own=True)
    if isinstance(original, str) and not Path(original).is_file():
        embedded = datasets.schema_of(original)
        if embedded is not None:
            return embedded
    if not given.recipe:
        raise SchemaError("nothing says what the columns are; give quasi= and sensitive=, or schema=")
    columns = {} if identifier is None else {identifier: Column(role=Role.IDENTIFIER)}
    told = told_columns(given.recipe)
    for column in given.recipe["columns"]:
        if column["kind"] == Kind.ORDERED and told[column["name"]].order is None:
            raise MeasureError(
                f"{column['name']!r} is ordered, and the recipe does not say how; give the schema that it was made with"
            )
    return Schema(columns=columns | told)


def table_for(given: Given, original: Any, identifier: str | None, progress: Progress) -> Table:
    """The original as a table."""
    if isinstance(original, Table):
        return original
    return read(original, schema=schema_for(given, original, identifier), progress=progress)
