"""``pellucid methods``: what can be done to a table, and what each way promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from pellucid.anonymize.method import DEFAULT
from pellucid.anonymize.methods import Method
from pellucid.anonymize.methods import methods as known_methods
from pellucid.cli.output import JsonOption, Output
from pellucid.cli.parameters import complete_method, method_class, option_name
from pellucid.cli.show import labelled, sentence
from pellucid.core.sentence import ALL_WAYS, LEARNER

EXAMPLES = (
    "pellucid methods",
    "pellucid methods strata",
    "pellucid methods --json",
)


def command() -> Callable[..., None]:
    """The verb."""
    return methods


def methods(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Explain this method.", show_default=False, autocompletion=complete_method),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the methods, or explain one: what it does, what it promises, its parameters."""
    output = Output(as_json=as_json)
    if name is None:
        output.say("Each method puts rows into groups; what a group becomes is up to --recode.\n")
        output.say(labelled({key: f"{kind.summary} ({_options(kind)})" for key, kind in known_methods().items()}))
        output.say("\nWhat they promise:\n")
        output.say(labelled(_by_promise()))
        output.say("\nMore about one of them: pellucid methods strata")
        output.document([_description(key, kind) for key, kind in known_methods().items()])
    else:
        kind = method_class(name)
        output.say(sentence(f"{kind.name}: {kind.summary}") + "\n")
        output.say(sentence(kind.explanation) + "\n")
        facts = {"promise": _promise(kind), "attack": kind.attack, "usual recoding": kind.recoder}
        if kind.name in SIDE_BY_SIDE:
            (other,) = SIDE_BY_SIDE - {kind.name}
            facts[f"or {other}"] = f"{BOUNDS[other]} {_promise(method_class(other))}"
            facts["promise"] = f"{BOUNDS[kind.name]} {facts['promise']}"
        facts["reference"] = kind.reference
        output.say(labelled(_parameter_lines(kind) | {label: text for label, text in facts.items() if text}))
        output.document(_description(kind.name, kind))


BOUNDS = {
    "soft-cut": "The bound is 1/l for everybody.",
    "strata": "The bound is 1/l, or the share of the value in the person's stratum where that is larger.",
}
SIDE_BY_SIDE = frozenset(BOUNDS)  # the two that whoever chooses should read together
PROMISES = {
    "algorithm": "Holds against an attacker who knows everything but the sensitive values and the coins",
    "minimality": "Holds against an attacker who knows only that the release is minimal",
    "frequency": "Holds against an attacker who does not know the method",
}


def _either(kind: type[Method]) -> list[str]:
    """The parameters of which one is needed, whichever it is; none where there is no choice."""
    fields = kind.model_fields
    ways = ("k", "l", "model") if "model" in fields else ()
    return [name for name in ways if name in fields and not fields[name].is_required()]


def _options(kind: type[Method]) -> str:
    """The parameters, those that are needed first; of k, l and model exactly one is."""
    fields, either = kind.model_fields, _either(kind)
    needed = [option_name(name) for name, declared in fields.items() if declared.is_required()]
    if either:
        needed.append(" or ".join(map(option_name, either)))
    rest = [option_name(name) for name in fields if option_name(name) not in needed and name not in either]
    return ", ".join(needed) + (f"; also {', '.join(rest)}" if rest else "")


def _promise(kind: type[Method]) -> str:
    """Against whom a method holds, what that assumes, and whom it does not cover."""
    says = PROMISES.get(kind.guarantee)
    if says is None:
        return "Promises nothing about sensitive values."
    if kind.assumption is not None:
        return f"{says}. {' '.join(kind.assumption)}"
    if kind.reckons_with:
        known = kind.reckons_with.replace("these", "the") + " that it reckons with"
        return (
            f"{says} and, but for {known}, thinks {ALL_WAYS}. It does not cover somebody who learns from the release, "
            "or knows from elsewhere, more than these."
        )
    return f"{says} and thinks {ALL_WAYS}. It does not cover somebody {LEARNER}."


def _by_promise() -> dict[str, str]:
    """The methods that share a promise on one line with it."""
    names: dict[str, list[str]] = {}
    for name, kind in known_methods().items():
        names.setdefault(_promise(kind), []).append(name)
    return {", ".join(sharing): promise for promise, sharing in names.items()}


def _parameter_lines(kind: type[Method]) -> dict[str, str]:
    lines = {}
    for field, declared in kind.model_fields.items():
        remark = ", ".join(word for word in ("needed" if declared.is_required() else "", _said(kind, field)) if word)
        name = option_name(field)
        if declared.annotation is bool:
            name += f", --no-{name.removeprefix('--')}"
        lines[name] = f"{declared.description or 'a parameter'}{f' ({remark})' if remark else ''}"
    return lines


def _said(kind: type[Method], field: str) -> str:
    """The range and the default of a parameter, in words."""
    schema = _parameters(kind)[field]
    words = [
        f"{text} {schema[mark]:g}"
        for mark, text in (
            ("minimum", "at least"),
            ("exclusiveMinimum", "above"),
            ("maximum", "at most"),
            ("exclusiveMaximum", "below"),
        )
        if mark in schema
    ]
    if "enum" in schema:
        words.append(" or ".join(map(str, schema["enum"])))
    if schema.get("default") is not None:
        default = schema["default"]
        words.append(f"default {str(default).lower() if isinstance(default, bool) else default}")
    return ", ".join(words)


def _parameters(kind: type[Method]) -> dict[str, dict[str, Any]]:
    """Each parameter with its type, range, default and meaning, as JSON schema says it; null only means "not given"."""
    described = {}
    for field, schema in kind.model_json_schema()["properties"].items():
        choices = [choice for choice in schema.get("anyOf", []) if choice.get("type") != "null"]
        if "anyOf" in schema:
            rest = {key: value for key, value in schema.items() if key != "anyOf"}
            schema = choices[0] | rest if len(choices) == 1 else {"anyOf": choices} | rest
        described[field] = {key: value for key, value in schema.items() if key != "title"} | {
            "option": option_name(field),
            "required": kind.model_fields[field].is_required(),
        }
    return described


def _description(name: str, kind: type[Method]) -> dict[str, Any]:
    return {
        "name": name,
        "default": name == DEFAULT,
        "summary": kind.summary,
        "explanation": kind.explanation,
        "guarantee": kind.guarantee,
        "promise": _promise(kind),
        "attack": kind.attack,
        "recode": kind.recoder,
        "reference": kind.reference,
        "parameters": _parameters(kind),
    }
