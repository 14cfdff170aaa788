"""How a release was made: as its recipe says, or as the caller does, and never both differently."""

from __future__ import annotations

from pellucid.advice import MADE_BY
from pellucid.errors import AttackError
from pellucid.group import Method
from pellucid.model import PrivacyModel
from pellucid.recipe import Recipe


def refuse_contradiction(recipe: Recipe | None, made_by: Method | None, model: PrivacyModel | None) -> None:
    """Raise when a recipe and the caller say different things about how a release was made."""
    if recipe is None or recipe.method is None:
        return
    told = recipe.made_by
    _refuse_larger_promise(recipe, told)
    settings = told.model_dump(mode="json", exclude_none=True)
    said = ", ".join([told.name, *(f"{name} = {value}" for name, value in settings.items())])
    if made_by is not None and (
        type(made_by) is not type(told) or made_by.model_dump(mode="json", exclude_none=True) != settings
    ):
        other = made_by.model_dump(mode="json", exclude_none=True)
        given = ", ".join([made_by.name, *(f"{name} = {value}" for name, value in other.items())])
        raise AttackError(
            f"{MADE_BY} says {given}, and the release's recipe says {said}",
            f"drop {MADE_BY}, or, if the recipe is wrong, attack a copy of the data without it",
        )
    required = required_by(told)
    if made_by is None and model is not None and required is not None and model != required:
        raise AttackError(
            f"{described(model)} is said to be what its groups satisfy, and the release's recipe says {said}, for "
            f"{described(required)}",
            "leave it to the recipe",
        )


STRENGTH = ("none", "frequency", "minimality", "algorithm")  # of guarantees, the weakest first


def _refuse_larger_promise(recipe: Recipe, told: Method) -> None:
    """Raise when a recipe promises more than its method does with these parameters: publishing never writes that."""
    said = recipe.guarantee
    if said not in STRENGTH or told.claim not in STRENGTH or STRENGTH.index(said) <= STRENGTH.index(told.claim):
        return
    raise AttackError(
        f"the release's recipe says guarantee = {said}, and {told.name} with its parameters promises no more than "
        f"{told.claim}: it was not written by publishing",
        "attack a copy of the data without it, and say how it was made",
    )


def described(model: PrivacyModel) -> str:
    """A model and its parameters in a few words.

    >>> import pellucid as pc
    >>> described(pc.LDiversity(l=3))
    'l-diversity (l = 3)'
    >>> described(pc.LDiversity(l=3, sensitive=("HIV", None)))
    "l-diversity (l = 3, protecting 'HIV' and null alone)"
    """
    told = model.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    values = told.pop("sensitive", None)
    said = [f"{name} = {value}" for name, value in told.items()]
    if values is not None:
        said.append(f"protecting {' and '.join('null' if one is None else repr(one) for one in values)} alone")
    return f"{model.label} ({', '.join(said)})" if said else model.label


def required_by(method: Method | None, column: str = "") -> PrivacyModel | None:
    """The model that a method's groups satisfy, where it says so; of a sensitive column where columns differ in it."""
    return None if method is None else method.satisfied(column)
