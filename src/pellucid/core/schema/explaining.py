"""Models whose mistakes are one line: the key, the value, the rule and the way out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from pellucid.core.schema.roles import Kind, Role
from pellucid.core.taxonomy.toml_text import dotted
from pellucid.errors import SchemaError, TaxonomyError
from pellucid.messages import Message
from pellucid.messages.terms import place
from pellucid.text.suggestions import meant
from pellucid.text.values import shortened

Checked = TypeVar("Checked")


DATE_ORDERS = ("dmy", "mdy", "ymd")


# Set while an outer model or Schema.load validates: only the outermost explains, for it alone knows the whole key.
nested: ContextVar[bool] = ContextVar("nested", default=False)


class Explained(BaseModel):
    """Frozen, without unknown keys; what is wrong is a SchemaError with the way out."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    @model_validator(mode="wrap")
    @classmethod
    def _explain(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if nested.get():
            return cls._agreeing(handler(cls._prepared(data)))
        outermost = nested.set(True)
        try:
            return cls._agreeing(handler(cls._prepared(data)))
        except ValidationError as error:
            path, sentence = explained(error, cls)
        except PydanticCustomError as error:
            path, sentence = broken_rule(error)
        finally:
            nested.reset(outermost)
        raise SchemaError(
            Message("{place}{sentence}", place=place(path, dotted(path)), sentence=sentence) if path else sentence
        )

    # These two are no validators of their own: pydantic would run them outside the one above, which explains.
    @classmethod
    def _prepared(cls, data: Any) -> Any:
        """The data in the form the fields expect."""
        return data

    @classmethod
    def _agreeing(cls, made: Self) -> Self:
        """What was made, unless its fields contradict each other."""
        return made

    @classmethod
    def keys_beside(cls, path: Sequence[object]) -> list[str]:  # noqa: ARG003
        """The keys that may stand where an unknown one does, which ``path`` leads to from here."""
        return list(cls.model_fields)


def broken(rule: str, /, *key: str, **values: object) -> PydanticCustomError:
    """A broken rule, told as it is; ``key`` leads from the value under validation to the culprit."""
    return PydanticCustomError("broken_rule", "{rule}", {"rule": Message(rule, **values), "key": key})


def passing(check: Callable[[Any], object], value: Checked) -> Checked:
    """The value, if the taxonomy's own check has nothing against it."""
    try:
        check(value)
    except TaxonomyError as problem:
        raise broken(problem.message) from None
    return value


def a_list(value: object, example: object) -> list[Any]:
    """The value, which must be a list; ``example`` shows how to write one."""
    if not isinstance(value, list | tuple):
        raise broken("{value} is not a list; write it as {example}", value=in_brief(value), example=example)
    return list(value)


def in_brief(value: object) -> str:
    """A value as it stands in a message: shortened, and a list in the brackets of TOML."""
    if isinstance(value, list | tuple):
        text = f"[{', '.join(repr(item) if isinstance(item, str) else str(item) for item in value)}]"
    else:
        text = repr(value)
    return shortened(text, 60)


def broken_rule(error: PydanticCustomError) -> tuple[tuple[object, ...], str]:
    """The key and the sentence of a rule that was broken."""
    context = error.context or {}
    return tuple(context["key"]), context["rule"]


def explained(error: ValidationError, model: type[Explained]) -> tuple[tuple[object, ...], str]:
    """The key of the first problem, and one sentence: the value, the rule, the way out, how many more there are."""
    problems = error.errors(include_url=False)
    misspelt = {problem["loc"][:-1] for problem in problems if problem["type"] == "extra_forbidden"}
    # A misspelt key is also a missing one: telling the first is enough.
    problems = [
        candidate for candidate in problems if candidate["type"] != "missing" or candidate["loc"][:-1] not in misspelt
    ]
    path, sentence = _told(problems[0], model)
    if len(problems) == 1:
        return path, sentence
    return path, Message("{sentence} (and {others} more)", sentence=sentence, others=len(problems) - 1)


def _told(problem: ErrorDetails, model: type[Explained]) -> tuple[tuple[object, ...], str]:
    path: tuple[object, ...] = problem["loc"]
    value = problem["input"]
    context = problem.get("ctx", {})
    match problem["type"]:
        case "broken_rule":
            return (*path, *context["key"]), context["rule"]
        case "enum" | "literal_error":
            choices: dict[str, Sequence[str]] = {"role": tuple(Role), "kind": tuple(Kind), "date_order": DATE_ORDERS}
            options = choices.get(str(path[-1]), ("value", "reject"))
            return path, f"{in_brief(value)} is not one of {', '.join(options)}{meant(str(value), options)}"
        case "extra_forbidden":
            keys = model.keys_beside(path)
            return path, f"there is no key {str(path[-1])!r} here, only {', '.join(keys)}{meant(str(path[-1]), keys)}"
        case "missing" if path == ("columns",):
            return (), "there are no columns; describe each in a section [columns.<name>] with its role"
        case "missing":
            return path[:-1], f"the {path[-1]} is missing; add {path[-1]} = one of {', '.join(Role)}"
        case "model_type" | "dict_type":
            return path, f"{in_brief(value)} is not a table of keys; write it as [columns.<name>] and its role"
        case _:
            return path, f"{in_brief(value)} does not fit: {problem['msg']}"
