"""A setting of a method: as a form says it, as it is shown again, and the usual one to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pellucid.anonymize.k_anonymity_only import HIDING
from pellucid.anonymize.method import DEFAULT, About
from pellucid.anonymize.methods import Method, methods
from pellucid.anonymize.methods.strata import Strata
from pellucid.anonymize.protecting import ProtectingMethod
from pellucid.cli.named_values import by_column
from pellucid.cli.parameters import bare
from pellucid.core.table import Table
from pellucid.web.model_fields import KIND, given_in, is_model
from pellucid.web.option_fields import options_in
from pellucid.web.session import Session
from pellucid.web.values_by_column import sensitive_in

USUAL_L = 8
USUAL_K = 5


def given_setting(form: Mapping[str, str], usual: str = DEFAULT) -> tuple[str, dict[str, str | bool], dict[str, str]]:
    """The setting that a form says, of the ``usual`` method where it names none; an empty field is not given."""
    name = form.get("name", usual)
    kind = methods().get(name)
    parameters: dict[str, str | bool] = {}
    for field, declared in ({} if kind is None else kind.model_fields).items():
        if field == "l" and "model" in parameters:
            continue
        if bare(declared.annotation) is bool:
            parameters[field] = f"p-{field}" in form
        elif is_model(declared) and f"p-{field}~{KIND}" in form:  # else it is a value that is called so
            if chosen := given_in(form, name, field):
                parameters[field] = chosen
                parameters.pop("l", None)  # the model takes its place
        elif form.get(f"p-{field}", "").strip():
            parameters[field] = form[f"p-{field}"].strip()
        elif ticked := [key.removeprefix(f"p-{field}~") for key in form if key.startswith(f"p-{field}~")]:
            parameters[field] = ",".join(ticked)
    return name, parameters, options_in(form)


def usual(session: Session, kind: type[Method]) -> dict[str, str]:
    """The parameters to begin with: an l that leaves room to cut, where the method has one."""
    if session.hiding:
        return {"k": str(min(USUAL_K, session.rows))}
    if "l" not in kind.model_fields or session.checked is None:
        return {}
    if kind is Strata:  # nothing is in the way, and an l that is chosen by the values would tell about them
        return {"l": str(USUAL_L)}
    return {"l": str(min(USUAL_L, max(2, session.checked["feasible"]["largest"] // 2)))}


def shown_setting(session: Session, name: str, given: Mapping[str, str] | None) -> tuple[type[Method], dict[str, str]]:
    """The method of the page and its parameters: those of another method are not for this one."""
    known = name if name in methods() else session.method
    kind = methods()[HIDING if session.hiding else known]
    other = kind.name != known
    return kind, usual(session, kind) if given is None or other else dict(given)


def typed_setting(kind: type[Method], values: Mapping[str, str]) -> dict[str, str | bool]:
    """The parameters that fields say, as a form would send them."""
    typed: dict[str, str | bool] = {}
    for field, declared in kind.model_fields.items():
        if bare(declared.annotation) is bool:
            typed[field] = values.get(field, str(declared.default)) == "True"
        elif values.get(field):
            typed[field] = values[field]
    return typed


def protected_values(outline: Table, name: str, parameters: Mapping[str, Any]) -> About:
    """The values that are to be protected where not all are: as the form says, or, by column, as the schema does."""
    if not issubclass(methods().get(name, Method), ProtectingMethod):
        return None
    typed = tuple(part.strip() for part in str(parameters.get("values", "")).split(",") if part.strip())
    said = outline.schema.columns.items() if outline.schema is not None else ()
    sensitive = sensitive_in(outline.schema)
    named = by_column(typed, sensitive) if len(sensitive) > 1 else {}
    return named or typed or {name: tuple(column.protect) for name, column in said if column.protect} or None
