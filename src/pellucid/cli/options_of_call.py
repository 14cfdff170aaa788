"""The options that a call names: typer builds something for each option of a verb, and most calls name few.

What is left out is what typer would hand over as it stands in the signature: None or False. Where a word looks like an
option and is none that the verb has, nothing is left out: whoever says what is wrong has to know all of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from typer.models import OptionInfo


def with_options_of(verb: Callable[..., Any], words: Sequence[str]) -> Callable[..., Any]:
    """The verb with its arguments and the options that ``words`` name; the others keep their defaults."""
    own = inspect.signature(verb, eval_str=True)
    spelled = {name: spellings(parameter) for name, parameter in own.parameters.items()}
    typed = {word.partition("=")[0] for word in words if word.startswith("-")}
    if not typed <= set().union(*spelled.values()):
        return verb
    left_out = {
        name: parameter.default
        for name, parameter in own.parameters.items()
        if not typed & spelled[name] and _says_nothing(parameter)
    }

    @wraps(verb)
    def called(**arguments: Any) -> Any:
        return verb(**arguments, **left_out)

    kept = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in own.parameters.items()
        if name not in left_out
    ]
    called.__signature__ = own.replace(parameters=kept)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in kept}
    return called


def spellings(parameter: inspect.Parameter) -> set[str]:
    """How an option may be typed; nothing for an argument, which has no name.

    >>> def verb(json: bool = False): ...
    >>> sorted(spellings(inspect.signature(verb).parameters["json"]))
    ['--json', '--no-json']
    """
    told: Sequence[Any] = getattr(parameter.annotation, "__metadata__", ())
    if told and not isinstance(told[0], OptionInfo):
        return set()
    # inside Annotated, typer has the first spelling where a default would stand
    given = [one for option in told for one in (option.default, *(option.param_decls or ())) if type(one) is str]
    name = parameter.name.replace("_", "-")
    usual = [f"--{name}"] if parameter.default not in (True, False) else [f"--{name}", f"--no-{name}"]
    return {one.strip() for way in given or usual for one in way.split("/")}


def _says_nothing(parameter: inspect.Parameter) -> bool:
    """Whether an option that is not named is None or False, whatever else there is."""
    told: Sequence[Any] = getattr(parameter.annotation, "__metadata__", ())
    if len(told) != 1 or not isinstance(told[0], OptionInfo):
        return False
    option = told[0]
    plain = option.callback is None and option.envvar is None and option.default_factory is None
    return plain and (parameter.default is None or parameter.default is False)
