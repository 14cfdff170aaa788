"""Every metric that is a public name."""

from __future__ import annotations

import inspect

import pellucid as pc
from generating.markdown import paragraphs, sentence, table


def public() -> dict[str, type[pc.Metric]]:
    """The metrics by name."""
    classes = (getattr(pc, name) for name in pc.__all__)
    return dict(sorted((one.name, one) for one in classes if is_metric(one)))


def is_metric(one: object) -> bool:
    """Whether a public name is a metric, and not the base of all."""
    return inspect.isclass(one) and issubclass(one, pc.Metric) and one is not pc.Metric


def text() -> str:
    """A table of all, then the parameters of those that have some."""
    found = public()
    rows = (
        (f"`{name}`", f"`pc.{kind.__name__}()`", sentence(kind.summary), kind.unit, kind.direction)
        for name, kind in found.items()
    )
    head = ("metric", "in Python", "what it says", "unit", "better")
    return paragraphs(table(head, rows), *(parameters(name, kind) for name, kind in found.items() if kind.model_fields))


def parameters(name: str, kind: type[pc.Metric]) -> str:
    """What a metric takes, behind a colon: ``query-error:dimensions=2``."""
    rows = (
        (f"`{key}`", sentence(field.description or ""), "" if field.default is None else f"`{field.default}`")
        for key, field in kind.model_fields.items()
    )
    return paragraphs(f"**Parameters of `{name}`**", table(("parameter", "meaning", "default"), rows))
