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
from difflib import get_close_matches
from functools import cache

from pellucid.errors import ModelError
from pellucid.model.groups import Groups
from pellucid.model.model import Level, PrivacyModel, Verdict, WorstGroup


@cache
def models() -> dict[str, type[PrivacyModel]]:
    """Every model by the name that users write, found by looking through this folder.

    >>> models()["ordered t-closeness"].__name__
    'TCloseness'
    """
    found: dict[str, type[PrivacyModel]] = {}
    for module in pkgutil.iter_modules(__path__):
        for member in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if inspect.isclass(member) and issubclass(member, PrivacyModel) and "name" in vars(member):
                found.update(dict.fromkeys([member.name, *member.variants], member))
    return dict(sorted(found.items()))


def parse(requirement: str) -> PrivacyModel:
    """The model of a requirement such as ``k-anonymity=5``; several parameters are separated by commas.

    >>> parse("k-anonymity=5"), parse("t-closeness=0.2")
    (KAnonymity(k=5), TCloseness(t=0.2, distance='equal'))
    >>> parse("recursive (c,l)-diversity=3,2")
    RecursiveDiversity(c=3, l=2)
    >>> parse("k-anonimity=5")
    Traceback (most recent call last):
    pellucid.errors.ModelError: there is no privacy model 'k-anonimity'; did you mean 'k-anonymity'?
    """
    name, _, text = requirement.rpartition("=")
    name = name.strip() or text.strip()
    known = {key.casefold(): key for key in models()}
    if name.casefold() not in known:
        near = get_close_matches(name.casefold(), known, n=1, cutoff=0.5)
        way_out = f"did you mean {known[near[0]]!r}?" if near else f"there are: {', '.join(models())}"
        raise ModelError(f"there is no privacy model {name!r}; {way_out}")
    name = known[name.casefold()]
    model = models()[name]
    preset = dict(model.variants.get(name, {}))
    fields = [key for key, field in model.model_fields.items() if field.is_required() and key not in preset]
    values = [value.strip() for value in text.split(",")] if "=" in requirement else []
    if len(values) != len(fields):
        example = f"{name}={','.join(model.examples[key] for key in fields)}"
        needs = " and ".join(fields) or "no parameter"
        raise ModelError(f"{requirement!r}: {name} needs {needs}; write it as {example!r}")
    given = {key: _number(value) for key, value in zip(fields, values, strict=True)}
    return model(**given, **preset)


def _number(text: str) -> int | str:
    """An int where it is one; fractions and decimals stay text, which the models take exactly."""
    try:
        return int(text)
    except ValueError:
        return text


__all__ = ["Groups", "Level", "PrivacyModel", "Verdict", "WorstGroup", "models", "parse"]
