"""The privacy models: one file each. Adding a file with a :class:`PrivacyModel` adds the model everywhere.

``groups`` is what a model sees of a table, ``model`` what every model answers, ``figures`` one exact number per group,
``exact`` the arithmetic. A model says for each parameter the best value that a group satisfies; the level of a table is
that of its worst group, a verdict compares it with the parameter asked for, and the worst group is the evidence.

Verdicts are exact. A parameter such as 0.2 is two tenths. Floats only propose which groups could be worst; integers and
fractions decide among them. Where a level is not rational, equality is decided first: products of integers by their
prime factors (entropy), powers of e never (delta-disclosure, enhanced beta-likeness); then enough digits show the sign.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from pellucid.errors import ModelError
from pellucid.models.groups import Groups
from pellucid.models.model import Level, PrivacyModel, Verdict, WorstGroup


@cache
def models() -> dict[str, type[PrivacyModel]]:
    """Every model by the name that users write, found by looking through this folder.

    >>> models()["ordered t-closeness"].__name__
    'TCloseness'
    """
    found: dict[str, type[PrivacyModel]] = {}
    for module in pkgutil.iter_modules(__path__):
        for member in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            kind = inspect.isclass(member) and issubclass(member, PrivacyModel) and "name" in vars(member)
            if kind and member.listed:
                found.update(dict.fromkeys([member.name, *member.variants], member))
    return dict(sorted(found.items()))


def place_of(label: str) -> tuple[int, int]:
    """Where a person reads about a model, and about a variant of it.

    >>> place_of("k-anonymity") < place_of("t-closeness") < place_of("ordered t-closeness") < place_of("r-robustness")
    True
    """
    kind = models()[label]
    return kind.place, [kind.name, *kind.variants].index(label)


AND = " and "  # between models that are asked for together
PROMISED = "promised"  # asks for what a release promises, and has no parameter
BY_PARAMETER = {"k": "k-anonymity", "l": "l-diversity", "t": "t-closeness"}  # what is meant by k=5


def parse(requirement: str) -> PrivacyModel:
    """The model of a requirement such as ``k-anonymity=5``; several parameters are separated by commas.

    >>> parse("k-anonymity=5"), parse("t-closeness=0.2")
    (KAnonymity(k=5), TCloseness(t=0.2, distance='equal'))
    >>> parse("recursive (c,l)-diversity=3,2"), spell(parse("promised"))
    (RecursiveDiversity(c=3, l=2), 'promised')
    >>> parse("k-anonimity=5")
    Traceback (most recent call last):
    pellucid.errors.ModelError: there is no privacy model 'k-anonimity'; did you mean 'k-anonymity'?
    """
    if requirement.strip() == PROMISED:
        from pellucid.models.adversary import Promised  # here: few ask

        return Promised()
    name, _, text = requirement.rpartition("=")
    if name.strip() == PROMISED:
        raise ModelError("{asked!r}: promised has no parameter", "write promised alone", asked=requirement)
    name = _known_name(name.strip() or text.strip(), requirement)
    model = models()[name]
    preset = dict(model.variants.get(name, {}))
    fields = [key for key, field in model.model_fields.items() if field.is_required() and key not in preset]
    values = [value.strip() for value in text.split(",")] if "=" in requirement else []
    if len(values) != len(fields):
        raise _other_parameters(requirement, name, {key: model.examples[key] for key in fields})
    given = {key: _number(value) for key, value in zip(fields, values, strict=True)}
    return model(**given, **preset)


def _known_name(name: str, requirement: str) -> str:
    """The name of a model as we write it; raise for one that there is not, naming what may be meant."""
    if "=" in name:
        raise ModelError(
            f"{requirement!r}: one model at a time", "(alpha,k)-anonymity asks for rows and a largest share at once"
        )
    known = {key.casefold(): key for key in models()}
    if name.casefold() not in known:
        near = BY_PARAMETER.get(name) or next(iter(get_close_matches(name.casefold(), known, n=1, cutoff=0.5)), "")
        way_out = f"did you mean {known[near]!r}?" if near else f"there are: {', '.join(models())}"
        raise ModelError("there is no privacy model {name!r}", "{way_out}", name=name, way_out=way_out)
    return known[name.casefold()]


def spell(model: PrivacyModel) -> str | dict[str, Any] | list[str | dict[str, Any]]:
    """A model as text that :func:`parse` reads, or as a mapping for :func:`of` when it has more than text can say.

    Of several together a list, of one each.

    >>> spell(parse("t-closeness=0.2")), spell(parse("l-diversity=3"))
    ('t-closeness=0.2', 'l-diversity=3')
    """
    if model.parts != (model,):
        return [spell(part) for part in model.parts]  # type: ignore[misc]  # parts have no parts
    given = _set_fields(model)
    preset = model.variants.get(model.label, {})
    fields = [key for key, field in type(model).model_fields.items() if field.is_required()]
    if set(given) <= {*fields, *preset}:
        return "=".join([model.label, *([",".join(str(given[key]) for key in fields)] if fields else [])])
    return {"name": model.label} | {key: value for key, value in given.items() if key not in preset}


def _set_fields(model: PrivacyModel) -> dict[str, Any]:
    """The parameters that were given when the model was made."""
    return {key: value for key, value in model.model_dump(mode="json").items() if key in model.model_fields_set}


def of(given: object) -> object:
    """A model from its text (``t-closeness=0.2``) or from a mapping (``{"name": "l-diversity", "l": 3}``).

    Several of them, in a list or with ``and`` between their texts, are one that asks for all.

    >>> of({"name": "l-diversity", "l": 3, "sensitive": ["HIV"]})
    LDiversity(sensitive=('HIV',), l=3)
    >>> of(["k-anonymity=5", "t-closeness=0.2"]) == of("k-anonymity=5 and t-closeness=0.2")
    True
    """
    if isinstance(given, str) and AND in given:
        given = given.split(AND)
    if isinstance(given, list | tuple) and given:
        from pellucid.models.all_of import together  # here: few ask for several

        each = [of(one) for one in given]
        if wrong := [one for one in each if not isinstance(one, PrivacyModel)]:
            raise ModelError(f"{wrong[0]!r} is not a privacy model; write for example 'k-anonymity=5'")
        return together(each)  # type: ignore[arg-type]  # just checked
    if isinstance(given, str):
        return parse(given)
    if not isinstance(given, Mapping):
        return given
    name = str(given.get("name", ""))
    if given == {"name": PROMISED}:
        return parse(name)
    if name not in models():
        raise ModelError(f"there is no privacy model {name!r}", f"there are: {', '.join(models())}")
    parameters = {str(key): value for key, value in given.items() if key != "name"}
    return models()[name](**{**models()[name].variants.get(name, {}), **parameters})


def _of(given: object) -> object:
    try:
        return of(given)
    except ModelError as wrong:
        raise ValueError(str(wrong)) from None


ModelField = Annotated[
    PrivacyModel,
    BeforeValidator(_of),
    PlainSerializer(spell, return_type=str | dict[str, Any] | list[str | dict[str, Any]]),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "array"}]}),
]
"""A model as a parameter of a method, in a job file and on the command line."""


def _other_parameters(requirement: str, name: str, examples: Mapping[str, str]) -> ModelError:
    needs = " and ".join(examples) or "no parameter"
    example = f"{name}={','.join(examples.values())}"
    return ModelError(f"{requirement!r}: {name} needs {needs}", f"write it as {example!r}")


def _number(text: str) -> int | str:
    """An int where it is one; fractions and decimals stay text, which the models take exactly."""
    try:
        return int(text)
    except ValueError:
        return text


__all__ = [
    "Groups",
    "Level",
    "ModelField",
    "PrivacyModel",
    "Verdict",
    "WorstGroup",
    "models",
    "of",
    "parse",
    "place_of",
    "spell",
]
