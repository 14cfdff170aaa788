"""What a person may have to say about a text table: its separator, and whether its first line names the columns."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from pellucid.io import written_as
from pellucid.io.text_form import said_form
from pellucid.schema import TextForm

SEPARATOR = Annotated[
    str | None,
    typer.Option(
        "--separator", metavar="CHAR", help="What separates the fields of a text table, where it cannot be seen."
    ),
]
HEADER = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        show_default=False,
        help="Whether line 1 of a text table names its columns; without a header they are column_1, column_2, ...",
    ),
]


def with_file_options(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--separator`` and ``--no-header``, which hold for the tables of people that the verb reads."""
    own = inspect.signature(verb, eval_str=True)

    @wraps(verb)
    def extended(*, separator: str | None = None, header: bool | None = None, **arguments: Any) -> Any:
        with written_as(TextForm(separator=separator, header=header)):
            return verb(**arguments)

    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=option, default=None)
        for name, option in (("separator", SEPARATOR), ("header", HEADER))
    ]
    kept = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own.parameters.values()]
    extended.__signature__ = own.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
    extended.__annotations__ = {parameter.name: parameter.annotation for parameter in [*kept, *added]}
    return extended


def file_section() -> str:
    """The section of a schema that says the same, so that every verb that is given the schema reads alike."""
    said = said_form()
    return "" if said == TextForm() else said.to_toml() + "\n"
