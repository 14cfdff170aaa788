"""The parameters of the methods as options: every field of a method's class is an option of the command line.

A method that is added tomorrow brings its own fields, so nothing here names one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any, get_origin

import typer
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from pellucid.errors import MethodError
from pellucid.group import Method, methods
from pellucid.taxonomy.wording import meant

Given = dict[str, str | bool]


def option_name(field: str) -> str:
    """How the command line spells a field.

    >>> option_name("split_at")
    '--split-at'
    """
    return "--" + field.replace("_", "-")


def with_method_options(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for every parameter of every method; the verb gets those that were given as ``parameters``."""
    own = inspect.signature(verb, eval_str=True)
    options = {field: _option(field) for field in _fields() if field not in own.parameters}

    @wraps(verb)
    def extended(**arguments: Any) -> Any:
        given = {field: arguments.pop(field) for field in options}
        return verb(**arguments, parameters={field: value for field, value in given.items() if value is not None})

    kept = [parameter for name, parameter in own.parameters.items() if name != "parameters"]
    added = [
        inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, annotation=option, default=None)
        for field, option in options.items()
    ]
    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in kept] + added
    extended.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    extended.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return extended


def _fields() -> dict[str, dict[str, FieldInfo]]:
    """Field -> method -> how that method declares it."""
    fields: dict[str, dict[str, FieldInfo]] = {}
    for name, method in methods().items():
        for field, declared in method.model_fields.items():
            fields.setdefault(field, {})[name] = declared
    return fields


def known_parameters() -> str:
    """Every parameter with the methods that take it.

    >>> known_parameters()
    '--l (ace, hybrid, tailor)'
    """
    return ", ".join(f"{option_name(field)} ({', '.join(declared)})" for field, declared in _fields().items())


def _option(field: str) -> Any:
    """The type that tells typer about the option: text (pydantic reads it later), or a switch for a yes-or-no field."""
    declared = _fields()[field]
    first = next(iter(declared.values()))
    about = f"{first.description or 'A parameter of the method'} ({', '.join(declared)})."
    if first.annotation is bool:
        negative = option_name("no_" + field)
        return Annotated[bool | None, typer.Option(f"{option_name(field)}/{negative}", help=about, show_default=False)]
    kind = getattr(first.annotation, "__name__", "value").upper()
    return Annotated[str | None, typer.Option(option_name(field), metavar=kind, help=about, show_default=False)]


def method_class(name: str) -> type[Method]:
    """The method of this name, upper or lower case."""
    known = methods()
    if name.lower() in known:
        return known[name.lower()]
    raise MethodError(f"no method is called {name!r}; the methods are {', '.join(known)}{meant(name, known)}")


def complete_method(incomplete: str) -> list[str]:
    """The methods whose names begin so, for the shell.

    >>> complete_method("h")
    ['hybrid']
    """
    return [name for name in methods() if name.startswith(incomplete.lower())]


def build_method(name: str, given: Mapping[str, str | bool]) -> Method:
    """The method with the parameters that were given on the command line.

    >>> build_method("hybrid", {"l": "8"}).l
    8
    >>> build_method("hybrid", {"l": "1.5"})
    Traceback (most recent call last):
    ...
    pellucid.errors.MethodError: l = 1.5: must be a whole number of at least 1 (l is the promise: ...)
    """
    kind = method_class(name)
    takes = ", ".join(map(option_name, kind.model_fields)) or "none"
    for field in given:
        if field not in kind.model_fields:
            raise MethodError(f"{name} has no parameter {option_name(field)}; its parameters: {takes}")
    for field, declared in kind.model_fields.items():
        if declared.is_required() and field not in given:
            raise MethodError(
                f"{name} needs {option_name(field)} ({declared.description or 'a parameter without a default'}); "
                f"its parameters: {takes}"
            )
    return kind(**{field: _value(kind, field, text) for field, text in given.items()})


def _value(kind: type[Method], field: str, text: str | bool) -> Any:
    """The value that a text stands for, by the type of the field and the range that it declares."""
    declared = kind.model_fields[field]
    if isinstance(text, bool):
        return text
    several = get_origin(declared.annotation) in (list, tuple, set, frozenset)
    given = [part.strip() for part in text.split(",")] if several else text
    with_range: Any = Annotated[declared.annotation, declared]
    reader: TypeAdapter[Any] = TypeAdapter(with_range)
    try:
        return reader.validate_python(given)
    except ValidationError as wrong:
        rule = _rule(declared) or wrong.errors()[0]["msg"].lower()
        meaning = f" ({field} is {declared.description})" if declared.description else ""
        raise MethodError(f"{field} = {text}: {rule}{meaning}") from None


_NUMBERS = {int: "a whole number", float: "a number"}
_BOUNDS = {"ge": "of at least", "gt": "above", "le": "of at most", "lt": "below"}


def _rule(declared: FieldInfo) -> str:
    """What a number must be, in words; empty for other fields."""
    if declared.annotation not in _NUMBERS:
        return ""
    bounds = [
        f"{words} {getattr(bound, mark)}"
        for bound in declared.metadata
        for mark, words in _BOUNDS.items()
        if hasattr(bound, mark)
    ]
    return " ".join(["must be", _NUMBERS[declared.annotation], " and ".join(bounds)]).rstrip()
