"""A privacy model as fields of a form: which one, and a number for each of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import get_args

from pydantic.fields import FieldInfo

from pellucid.cli.parameters import build_method
from pellucid.errors import PellucidError
from pellucid.models import PrivacyModel, models, place_of

KIND = "kind"  # p-model~kind says which model; p-model~k~3 is the third model's k


@dataclass(frozen=True, slots=True)
class Number:
    """One parameter of a model."""

    name: str
    about: str
    value: str


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """One model that can be chosen."""

    label: str
    about: str
    on: bool
    numbers: tuple[Number, ...]


def is_model(declared: FieldInfo) -> bool:
    """Whether a parameter is a privacy model."""
    parts = (declared.annotation, *get_args(declared.annotation))
    return any(PrivacyModel in (part, *get_args(part)) for part in parts)


def required_of(label: str, kind: type[PrivacyModel]) -> list[str]:
    """The parameters that a model needs under this name."""
    preset = kind.variants.get(label, {})
    return [key for key, field in kind.model_fields.items() if field.is_required() and key not in preset]


@cache
def usable(method: str, field: str) -> tuple[str, ...]:
    """The models that a method takes, those that a person reads about first in front.

    >>> usable("audited", "model")
    ('l-diversity', '(alpha,k)-anonymity')
    """
    able = []
    for label, kind in models().items():
        with suppress(PellucidError):
            build_method(method, {field: f"{label}={','.join(kind.examples[key] for key in required_of(label, kind))}"})
            able.append(label)
    return tuple(sorted(able, key=place_of))


def choices_of(method: str, field: str, given: str) -> tuple[ModelChoice, ...]:
    """The models to choose from; the one that was given has its numbers."""
    name, _, text = given.rpartition("=")
    values = [value.strip() for value in text.split(",")]
    found = []
    for label in usable(method, field):
        kind, on = models()[label], label.casefold() == name.strip().casefold()
        numbers = tuple(
            Number(key, kind.model_fields[key].description or "", values[at] if on and at < len(values) else "")
            for at, key in enumerate(required_of(label, kind))
        )
        shown = tuple(n if n.value else Number(n.name, n.about, kind.examples[n.name]) for n in numbers)
        found.append(ModelChoice(label, getattr(kind, "summary", ""), on, shown))
    return tuple(found)


def given_in(form: Mapping[str, str], method: str, field: str) -> str:
    """The model that a form chooses, as text; empty where it chooses none."""
    label = form.get(f"p-{field}~{KIND}", "")
    if label not in usable(method, field):
        return ""
    at = usable(method, field).index(label)
    values = [form.get(f"p-{field}~{key}~{at}", "").strip() for key in required_of(label, models()[label])]
    return f"{label}={','.join(value or '?' for value in values)}"
