"""Every privacy model that is a public name."""

from __future__ import annotations

import inspect

import pellucid as pc
from generating.markdown import paragraphs, sentence, table


def known() -> dict[str, type[pc.PrivacyModel]]:
    """The models by the name that users write."""
    return dict(sorted((name, kind) for kind in public() for name in {kind.name, *kind.variants}))


def public() -> list[type[pc.PrivacyModel]]:
    """The classes among the public names."""
    return [one for one in (getattr(pc, name) for name in pc.__all__) if is_model(one)]


def is_model(one: object) -> bool:
    """Whether a public name is a model, and not the base of all."""
    return inspect.isclass(one) and issubclass(one, pc.PrivacyModel) and one is not pc.PrivacyModel


def text() -> str:
    """One line for each model."""
    rows = (
        (
            f"`{'='.join(filter(None, [name, ','.join(kind.examples.values())]))}`",
            python(name, kind),
            sentence(kind.summary),
            kind.reference,
        )
        for name, kind in known().items()
    )
    return paragraphs(table(("as `--require` takes it", "in Python", "what it asks", "reference"), rows))


def asked(name: str, kind: type[pc.PrivacyModel]) -> str:
    """The model with usual parameters, where it has some, as a requirement."""
    return "=".join([name, *([",".join(kind.examples.values())] if kind.examples else [])])


def python(name: str, kind: type[pc.PrivacyModel]) -> str:
    """The model as Python makes it."""
    given = [f"{key}={value}" for key, value in kind.examples.items()]
    preset = kind.variants.get(name, {}) if name != kind.name else {}
    return f"`pc.{kind.__name__}({', '.join([*given, *(f'{key}={value!r}' for key, value in preset.items())])})`"
