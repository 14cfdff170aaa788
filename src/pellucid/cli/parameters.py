"""The parameters of the methods as options: every field of a method's class is an option of the command line.

A method that is added tomorrow brings its own fields, so nothing here names one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from pellucid.anonymize.method import DEFAULT
from pellucid.anonymize.methods import Method, method_in_its_file, methods
from pellucid.cli.options_of_call import spellings
from pellucid.errors import MethodError
from pellucid.messages import Message, Term
from pellucid.models import AND, PrivacyModel
from pellucid.text.suggestions import meant

Given = dict[str, str | bool]
SEVERAL = (list, tuple, set, frozenset)


SPELLED = {"sensitive": "values"}  # --sensitive names a column already; `verify` calls a set of values --values too


def option_name(field: str) -> str:
    """How the command line spells a field.

    >>> option_name("split_at"), option_name("sensitive")
    ('--split-at', '--values')
    """
    return "--" + SPELLED.get(field, field).replace("_", "-")


def bare(annotation: Any) -> Any:
    """The type of a field without the None that stands for "not given", and without tables, which nobody types.

    >>> bare(int | None), bare(bool), bare(tuple[int, ...] | dict[str, int] | None)
    (<class 'int'>, <class 'bool'>, tuple[int, ...])
    >>> bare(int | dict[str, int])
    <class 'int'>
    """
    parts = [part for part in get_args(annotation) if part is not NoneType and get_origin(part) is not dict]
    return parts[0] if len(parts) == 1 and len(parts) < len(get_args(annotation)) else annotation


Fields = Mapping[str, Mapping[str, FieldInfo]]  # option -> method -> how that method declares the field


def with_method_options(verb: Callable[..., Any], words: Sequence[str] | None = None) -> Callable[..., Any]:
    """Add an option for every parameter of every method; the verb gets those that were given as ``parameters``.

    With the ``words`` of a call, for those alone that it may have: importing all methods takes longer than most calls.
    """
    own = inspect.signature(verb, eval_str=True)
    declared = _fields() if words is None else _needed(words, own)
    options = {option: _option(option, declared[option]) for option in declared}
    twice = sorted(set(options) & set(own.parameters))
    assert not twice, f"parameters of a method and of the verb are both called {twice}"

    @wraps(verb)
    def extended(**arguments: Any) -> Any:
        given = {option: once(option, arguments.pop(option), declared[option]) for option in options}
        return verb(**arguments, parameters={field: value for field, value in given.items() if value is not None})

    kept = [parameter for name, parameter in own.parameters.items() if name != "parameters"]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=option, default=None)
        for name, option in options.items()
    ]
    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in kept] + added
    extended.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    extended.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return extended


def _needed(words: Sequence[str], own: inspect.Signature) -> Fields:
    """The fields that a call may name: none, those of the method that it names, or of all where it asks for more."""
    typed = {word.partition("=")[0] for word in words if word.startswith("-")}
    others = typed - _options_of(own)
    if not others:
        return {}
    named = _behind(words, "--method") or _behind(words, "--made-by") or DEFAULT
    kind = method_in_its_file(named)
    if kind is None:
        return _fields()
    fields = _fields({named: kind})
    known = {spelling for field in fields for spelling in (option_name(field), f"--no-{option_name(field)[2:]}")}
    return fields if others <= known else _fields()


def _options_of(own: inspect.Signature) -> set[str]:
    """How the options of a verb may be typed."""
    return {spelling for parameter in own.parameters.values() for spelling in spellings(parameter)}


def _behind(words: Sequence[str], option: str) -> str | None:
    """What is typed behind an option."""
    for word, after in zip(words, [*words[1:], None], strict=True):
        if word == option:
            return after
        if word.startswith(f"{option}="):
            return word.removeprefix(f"{option}=")
    return None


def _fields(known: Mapping[str, type[Method]] | None = None) -> dict[str, dict[str, FieldInfo]]:
    """Option -> method -> how that method declares the field; several fields may be spelled alike."""
    fields: dict[str, dict[str, FieldInfo]] = {}
    for name, method in (methods() if known is None else known).items():
        for field, declared in method.model_fields.items():
            fields.setdefault(SPELLED.get(field, field), {})[name] = declared
    return fields


def as_declared(kind: type[Method], option: str) -> str:
    """The field of a method that an option means."""
    return next((field for field in kind.model_fields if SPELLED.get(field) == option), option)


def option_of_method(field: str) -> Term:
    """The same in a message, which a page tells without dashes."""
    return Term("option", option_name(field), option_name(field).removeprefix("--"))


def known_parameters() -> str:
    """Every parameter of any method.

    >>> "--l" in known_parameters().split(", ")
    True
    """
    return ", ".join(map(option_name, _fields()))


def _option(field: str, declared: Mapping[str, FieldInfo]) -> Any:
    """The type that tells typer about the option: text (pydantic reads it later), or a switch for a yes-or-no field."""
    first = next(iter(declared.values()))
    meanings = apart([parameter.description or "a parameter of the method" for parameter in declared.values()])
    named = "; of several sensitive columns COLUMN=A,B, once for each" if field == "values" else ""
    named = "; strata also takes COLUMN=L, once for each sensitive column" if field == "l" else named
    about = f"{'; or '.join(meanings[:2])}{named} ({', '.join(declared)})."
    if first.annotation is bool:
        negative = "--no-" + option_name(field).removeprefix("--")
        return Annotated[bool | None, typer.Option(f"{option_name(field)}/{negative}", help=about, show_default=False)]
    return Annotated[
        list[str] | None,
        typer.Option(option_name(field), metavar=metavar(first.annotation), help=about, show_default=False),
    ]


def apart(meanings: Sequence[str]) -> list[str]:
    """Different meanings, each once; one that another goes on from is left to that.

    >>> apart(["the least number of rows, 1 when not given", "the least number of rows", "a share"])
    ['the least number of rows, 1 when not given', 'a share']
    """
    distinct = list(dict.fromkeys(meanings))
    return [meaning for meaning in distinct if not any(other.startswith(f"{meaning},") for other in distinct)]


def once(option: str, given: Any, declared: Mapping[str, FieldInfo]) -> Any:
    """What was typed behind an option; several values of a list are joined, anything else is given once."""
    if not isinstance(given, list):
        return given
    if not given:
        return None
    several = any(get_origin(bare(parameter.annotation)) in SEVERAL for parameter in declared.values())
    joined = {"model": AND, "workload": "; "}.get(option)
    if joined is not None:
        return joined.join(given)  # each of them is asked for
    if len(given) > 1 and not several and not (option == "l" and all("=" in one for one in given)):
        raise MethodError(f"--{option.replace('_', '-')} is given {len(given)} times; give it once")
    return ",".join(given)


def metavar(annotation: Any) -> str:
    """What stands for a value of this type in the help.

    >>> metavar(int | None), metavar(Literal["all", "highest"]), metavar(tuple[str, ...])
    ('INT', 'all|highest', 'A,B')
    """
    kind = bare(annotation)
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    if get_origin(kind) in SEVERAL:
        return "A,B"
    return {int: "INT", float: "FLOAT", Fraction: "NUMBER", PrivacyModel: "MODEL"}.get(kind, "VALUE")


def method_class(name: str) -> type[Method]:
    """The method of this name, upper or lower case."""
    found = method_in_its_file(name)
    if found is not None:
        return found
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
    given = {as_declared(kind, field): text for field, text in given.items()}
    _check_parameters(name, kind, given)
    return kind(**{field: _value(kind, field, text) for field, text in given.items()})


def _check_parameters(name: str, kind: type[Method], given: Mapping[str, str | bool]) -> None:
    """Raise for a parameter that the method does not have, and for one that it needs and was not given."""
    takes = Message.joined(map(option_of_method, kind.model_fields), ", ") or "none"
    for field in given:
        if why := kind.why_without(field, option_of_method(field)):
            raise MethodError(why)
        if field not in kind.model_fields:
            told = "{name} has no parameter {option}; its parameters: {takes}"
            raise MethodError(told, name=name, option=option_of_method(field), takes=takes)
    for field, declared in kind.model_fields.items():
        if declared.is_required() and field not in given:
            what = declared.description or "a parameter without a default"
            told = "{name} needs {option} ({what}); its parameters: {takes}"
            raise MethodError(told, name=name, option=option_of_method(field), what=what, takes=takes)


def words_of_method(text: str) -> tuple[str, Given]:
    """The name of a method and the parameters behind it, as ``--made-by`` takes both.

    >>> words_of_method("mondrian l=2 strict")
    ('mondrian', {'l': '2', 'strict': True})
    """
    name, *settings = text.replace(",", " ").split() or [""]
    parameters: Given = {}
    for setting in settings:
        field, equals, value = setting.lstrip("-").partition("=")
        parameters[field.replace("-", "_")] = value if equals else True
    return name, parameters


def _by_column(text: str) -> dict[str, Any]:
    """Numbers by the column before them.

    >>> _by_column("income=4, drugs=2")
    {'income': 4, 'drugs': 2}
    """
    parts = [part.rpartition("=") for part in text.split(",")]
    named = [name.strip() for name, _, _ in parts]
    if twice := [name for name in named if named.count(name) > 1]:
        raise MethodError("--l {column}: given {times} times", "give each column once", column=twice[0], times=2)
    return {name.strip(): int(number) if number.strip().isdecimal() else number for name, _, number in parts}


def _value(kind: type[Method], field: str, text: str | bool) -> Any:
    """The value that a text stands for, by the type of the field and the range that it declares."""
    declared = kind.model_fields[field]
    if isinstance(text, bool):
        return text
    if field == "l" and "=" in text:
        return _by_column(text)  # which the method refuses itself, where it has one l for all
    if field == "l" and kind.l_of_each and text.strip().isdecimal():
        return int(text)
    several = get_origin(bare(declared.annotation)) in SEVERAL
    given = [part.strip() for part in text.split(",")] if several else text
    with_range: Any = Annotated[declared.annotation, declared]
    reader: TypeAdapter[Any] = TypeAdapter(with_range)
    try:
        return reader.validate_python(given)
    except ValidationError as wrong:
        problem = wrong.errors()[0]
        message = problem["msg"].removeprefix("Value error, ")
        rule = _rule(declared) or (message if problem["type"] == "value_error" else message.lower())
        meaning = f" ({field} is {declared.description})" if declared.description else ""
        raise MethodError(f"{field} = {text}: {rule}{meaning}") from None


_NUMBERS: dict[Any, str] = {int: "a whole number", float: "a number"}
_BOUNDS = {"ge": "of at least", "gt": "above", "le": "of at most", "lt": "below"}


def _rule(declared: FieldInfo) -> str:
    """What a number must be, in words; empty for other fields."""
    kind = bare(declared.annotation)
    if kind not in _NUMBERS:
        return ""
    bounds = [
        f"{words} {getattr(bound, mark)}"
        for bound in declared.metadata
        for mark, words in _BOUNDS.items()
        if hasattr(bound, mark)
    ]
    return " ".join(["must be", _NUMBERS[kind], " and ".join(bounds)]).rstrip()
