"""The options of ``pellucid publish``, made of the table of options (:data:`pellucid.core.request.OPTIONS`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pellucid.cli.columns import names_in
from pellucid.cli.parameters import complete_method
from pellucid.core.request import OPTIONS, Option
from pellucid.core.schema import Column, Role
from pellucid.errors import SchemaError

_TYPES: Mapping[str, Any] = {
    "text": str | None,
    "flag": bool,
    "number": int | None,
    "seed": int | None,
    "names": list[str] | None,
    "times": list[str] | None,
    "file": Path | None,
}
_OF_ITS_OWN: Mapping[str, Any] = {"out": Path, "schema": Path | None, "method": str | None, "engine": None}


def with_request_options(verb: Callable[..., Any]) -> Callable[..., Any]:
    """The verb with every option of the table that the command line has; it gets them by name, as ``given``."""
    here = [option for option in OPTIONS if option.on("command line")]
    own = inspect.signature(verb, eval_str=True)

    @wraps(verb)
    def extended(**arguments: Any) -> Any:
        given = {option.name: arguments.pop(option.name) for option in here}
        return verb(given, **arguments)

    kept = [parameter for name, parameter in own.parameters.items() if name != "given"]
    parameters = [*map(parameter_of, here), *kept]
    extended.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    )
    return extended


def parameter_of(option: Option) -> inspect.Parameter:
    """The option as typer reads it from a signature."""
    words = option.told(spelling)
    if option.name == "source":
        told: Any = typer.Argument(metavar=option.metavar, show_default=False, help=words)
        kind: Any = str
    else:
        spelled = option.spelled or ((spelling(option.name),) if option.form == "flag" else ())
        completed = complete_method if option.name == "method" else None
        told = typer.Option(*spelled, metavar=option.metavar, min=option.least, help=words, autocompletion=completed)
        kind = _type_of(option)
    default = (
        inspect.Parameter.empty
        if option.name in ("source", "out")
        else False
        if option.form == "flag"
        else option.default
    )
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[kind, told], default=default
    )


def _type_of(option: Option) -> Any:
    if option.choices:
        chosen: Any = Literal[option.choices]
        return chosen if option.default is not None else chosen | None
    return _OF_ITS_OWN.get(option.name) or _TYPES[option.form]


def spelling(name: str) -> str:
    """How an option is typed.

    >>> spelling("accept_known")
    '--accept-known'
    """
    return f"--{name.replace('_', '-')}"


def plainly_given(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are fields of a request, as it has them; those with a way of their own are the verb's."""
    found: dict[str, Any] = {}
    for option in OPTIONS:
        if not option.on("command line") or option.makes or "command line" in option.own:
            continue
        value = given[option.name]
        if option.form == "names":
            value = tuple(names_in(value or ()))
        elif option.form == "times":
            value = importance_in(value or ())
        found[option.name] = value
    return found


def importance_in(words: Sequence[str]) -> dict[str, int | float]:
    """What ``--importance age=3,zip=1`` says.

    >>> importance_in(["age=3,zip=1", "sex=2.5"])
    {'age': 3, 'zip': 1, 'sex': 2.5}
    """
    found: dict[str, int | float] = {}
    for word in (part.strip() for given in words for part in given.split(",")):
        name, _, times = word.rpartition("=")
        if not name:
            raise SchemaError(f"--importance {word}: write a column and a number, as in --importance age=3,zip=0.5")
        try:
            found[name.strip()] = Column(role=Role.QUASI, importance=times.strip()).importance
        except SchemaError as wrong:
            raise SchemaError("--{wrong}", wrong=wrong.message) from None
    return found
