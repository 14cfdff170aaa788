"""How a release was made: as its recipe says, or as the caller does, and never both differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pellucid.anonymize.methods import Method
from pellucid.core.recipe import Recipe
from pellucid.errors import AttackError
from pellucid.messages import Message
from pellucid.models import PrivacyModel


@dataclass(frozen=True)
class Making:
    """How a release is said to be made, and what was noted about it."""

    method: Method | None
    model: PrivacyModel | None
    notes: tuple[str, ...]
    about: tuple[Any, ...] | None = None  # the values that are asked about, where nobody says how it was made


def refuse_contradiction(recipe: Recipe | None, made_by: Method | None, model: PrivacyModel | None) -> None:
    """Raise when a recipe and the caller say different things about how a release was made."""
    if recipe is None or recipe.method is None:
        return
    method = recipe.made_by
    _refuse_larger_promise(recipe, method)
    if made_by is not None:
        _refuse_other_method(made_by, method)
    required = required_by(method)
    if made_by is None and model is not None and required is not None and model != required:
        raise AttackError(
            f"{described(model)} is said to be what its groups satisfy, and the release's recipe says "
            f"{_with_settings(method)}, for {described(required)}",
            "leave it to the recipe",
        )


def _refuse_other_method(made_by: Method, method: Method) -> None:
    """Raise where the caller names another method than the recipe, or other parameters."""
    if type(made_by) is type(method) and _settings(made_by) == _settings(method):
        return
    raise AttackError(
        "{MADE_BY} says {with_settings}, and the release's recipe says {with_settings_2}",
        "drop {MADE_BY}, or, if the recipe is wrong, attack a copy of the data without it",
        with_settings=_with_settings(made_by),
        with_settings_2=_with_settings(method),
    )


def _settings(method: Method) -> dict[str, Any]:
    return method.model_dump(mode="json", exclude_none=True)


def _with_settings(method: Method) -> str:
    return ", ".join([method.name, *(f"{name} = {value}" for name, value in _settings(method).items())])


STRENGTH = ("none", "frequency", "minimality", "algorithm")  # of guarantees, the weakest first


def _refuse_larger_promise(recipe: Recipe, method: Method) -> None:
    """Raise when a recipe promises more than its method does with these parameters: publishing never writes that."""
    guarantee = recipe.guarantee
    if (
        guarantee not in STRENGTH
        or method.claim not in STRENGTH
        or STRENGTH.index(guarantee) <= STRENGTH.index(method.claim)
    ):
        return
    raise AttackError(
        f"the release's recipe says guarantee = {guarantee}, and {method.name} with its parameters promises no more "
        f"than {method.claim}: it was not written by publishing",
        "attack a copy of the data without it, and say how it was made",
    )


def described(model: PrivacyModel) -> Message:
    """A model and its parameters in a few words.

    >>> import pellucid as pc
    >>> described(pc.LDiversity(l=3))
    'l-diversity (l = 3)'
    >>> described(pc.LDiversity(l=3, sensitive=("HIV", None)))
    "l-diversity (l = 3, protecting 'HIV' and null alone)"
    """
    if model.parts != (model,):
        return Message.joined([described(part) for part in model.parts], " and ")
    parameters = model.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    values, joint = parameters.pop("sensitive", None), " or " if parameters.pop("together", False) else " and "
    words = [f"{name} = {value}" for name, value in parameters.items()]
    if values is not None:
        words.append(f"protecting {joint.join('null' if one is None else repr(one) for one in values)} alone")
    return Message("{label} ({words})", label=model.label, words=", ".join(words)) if words else Message(model.label)


def required_by(method: Method | None, column: str = "") -> PrivacyModel | None:
    """The model that a method's groups satisfy, where it says so; of a sensitive column where columns differ in it."""
    return None if method is None else method.satisfied(column)
