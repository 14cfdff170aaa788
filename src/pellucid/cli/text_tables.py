"""What a person may have to say about a table in a file: its separator, whether line 1 names the columns, ..."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from pellucid.core.schema import TextForm
from pellucid.io import written_as
from pellucid.io.text_form import said_form

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
ENCODING = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="The encoding of a text table that is not UTF-8, such as cp1250."),
]
DECIMAL = Annotated[
    str | None,
    typer.Option(
        "--decimal", metavar="CHAR", help="What decimals follow where a table has them as text: a comma, as in 3,5."
    ),
]
SHEET = Annotated[
    str | None, typer.Option("--sheet", metavar="NAME", help="Which sheet of a spreadsheet the table is.")
]
HEADER_ROW = Annotated[
    int | None,
    typer.Option(
        "--header-row",
        metavar="ROW",
        min=1,
        max=100,
        help="Which row of a spreadsheet names its columns, where it is not the one that is found.",
    ),
]
MAX_UNPACKED = Annotated[
    int | None,
    typer.Option(
        "--max-unpacked",
        metavar="MB",
        min=1,
        max=10_000_000,
        help="How much a packed table may unpack to, instead of what the free memory suggests.",
    ),
]
OPTIONS = {
    "separator": SEPARATOR,
    "header": HEADER,
    "encoding": ENCODING,
    "decimal": DECIMAL,
    "sheet": SHEET,
    "header_row": HEADER_ROW,
    "max_unpacked": MAX_UNPACKED,
}


def with_file_options(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--separator``, ``--no-header`` and the others, which hold for the tables of people that the verb reads."""
    own = inspect.signature(verb, eval_str=True)

    @wraps(verb)
    def extended(**arguments: Any) -> Any:
        options = {name: arguments.pop(name, None) for name in OPTIONS}
        with written_as(TextForm(**options)):
            return verb(**arguments)

    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=option, default=None)
        for name, option in OPTIONS.items()
    ]
    kept = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own.parameters.values()]
    extended.__signature__ = own.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
    extended.__annotations__ = {parameter.name: parameter.annotation for parameter in [*kept, *added]}
    return extended


def file_section() -> str:
    """The section of a schema that says the same, so that every verb that is given the schema reads alike."""
    form = said_form()
    return "" if form == TextForm() else "\n" + form.to_toml()
