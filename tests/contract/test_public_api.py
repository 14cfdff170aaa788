"""The public interface is what docs/versions.md says it is: names, parameters, verbs, options and fields, as recorded.

``python tests/contract/test_public_api.py`` records it anew, and writes the names of recoders, of kinds of
adversaries, of priors and what else documents enumerate into docs/schemas; the difference belongs into the changelog.
"""

from __future__ import annotations

import difflib
import inspect
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
import typer.main
from pydantic import BaseModel

import pellucid as pc
from pellucid.anonymize.method import RecoderName
from pellucid.anonymize.methods import Method
from pellucid.cli.program import VERBS, application
from pellucid.core.request import OPTIONS, Option
from pellucid.core.schema import Column, Schema
from pellucid.job import KEYS
from pellucid.risk.adversary import Knowledge, prior_names
from pellucid.risk.adversary_kinds import KINDS
from pellucid.risk.exactness import Exactness

NOTHING = inspect.Parameter.empty
PLUG_INS = (Method, pc.PrivacyModel, pc.Metric)
RECORD = Path(__file__).parents[1] / "data" / "public_api.txt"
DOCUMENTS = Path(__file__).parents[2] / "docs" / "schemas"

ENUMERATED = {  # what documents enumerate, and the code says
    ("attack", "kind"): tuple(KINDS),
    ("attack", "prior"): prior_names(),
    ("attack", "knows"): get_args(Knowledge),
    ("attack", "exactness"): tuple(Exactness),
    ("job", "recode"): get_args(RecoderName),
    ("recipe", "recode"): get_args(RecoderName),
}


def with_names(path: Path, name: str, known: Sequence[str]) -> str:
    """A document in which the values of a field are those that there are."""
    before = path.read_text(encoding="utf-8")
    after, times = re.subn(rf'("{name}": {{"enum": )\[[^\]]*\]', lambda found: found[1] + json.dumps(known), before)
    assert times == 1, f"{path.name} enumerates {name} {times} times"
    return after


JSON: dict[str, dict[str, Any]] = {
    "text": {"type": "string"},
    "flag": {"type": "boolean"},
    "number": {"type": "integer"},
    "names": {"type": "array", "items": {"type": "string"}},
    "choice": {},
    "file": {"type": "string"},
}


def with_options(path: Path, keys: dict[str, Option], before: str) -> str:
    """A document that describes every option of the table in its words; what is missing stands before a field."""
    text = path.read_text(encoding="utf-8")
    there = json.loads(text)["properties"]
    lines = ""
    for key, option in keys.items():
        if key in there and path.name.partition(".")[0] in option.own:
            continue
        about = there.get(key) or (
            JSON[option.form]
            | ({"enum": list(option.choices)} if option.choices else {})
            | ({} if option.least is None else {"minimum": option.least})
        )
        line = f'    "{key}": {json.dumps(about | {"description": option.told()}, ensure_ascii=False)}'
        if key in there:
            text = re.sub(rf'^    "{key}": {{.*}}(?=,?$)', lambda _, new=line: new, text, count=1, flags=re.MULTILINE)
        else:
            lines += f"{line},\n"
    return text.replace(f'    "{before}": ', f'{lines}    "{before}": ', 1)


OF_OPTIONS: dict[str, tuple[dict[str, Option], str]] = {
    "job": ({option.name: option for option in OPTIONS if option.on("job")}, "project"),
    "recipe": ({option.recipe: option for option in OPTIONS if option.recipe}, "columns"),
}


def parameters(thing: object) -> str:
    """The parameters by name, kind and whether they may be left out; annotations may become more exact at any time."""
    try:
        signature = inspect.signature(thing)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    bare = [
        parameter.replace(annotation=NOTHING, default=NOTHING if parameter.default is NOTHING else ...)
        for parameter in signature.parameters.values()
    ]
    return str(signature.replace(parameters=bare, return_annotation=NOTHING)).replace("Ellipsis", "...")


def members(kind: type) -> list[str]:
    """What objects of a class offer beyond what Python and pydantic give; plug-ins offer what their base class does."""
    if issubclass(kind, PLUG_INS) and kind not in PLUG_INS:
        return []
    given = {name for base in (BaseModel, Exception, tuple) for name in dir(base)}
    fields = getattr(kind, "__dataclass_fields__", ())
    return sorted(name for name in {*dir(kind), *fields} if not name.startswith("_") and name not in given)


def of_python() -> Iterator[str]:
    for name in sorted(pc.__all__):
        thing = getattr(pc, name)
        if inspect.ismodule(thing):
            public = sorted(getattr(thing, "__all__", [one for one in vars(thing) if not one.startswith("_")]))
            yield f"module {name}: {', '.join(public)}"
        elif inspect.isclass(thing):
            yield f"class {name}{parameters(thing)}"
            yield from (f"class {name}.{member}" for member in members(thing))
        else:
            yield f"function {name}{parameters(thing)}"


def of_command_line() -> Iterator[str]:
    program = typer.main.get_command(application(list(VERBS)))
    for verb, command in sorted(program.commands.items()):  # type: ignore[attr-defined]
        for parameter in sorted(command.params, key=lambda one: one.name):
            yield f"verb {verb} {' '.join(sorted([*parameter.opts, *parameter.secondary_opts]))}"


def of_files() -> Iterator[str]:
    for model in (Schema, Column):
        yield from (f"{model.__name__.lower()} {name}" for name in sorted(model.model_fields))
    yield from (f"job {name}" for name in sorted(KEYS))
    release = pc.publish(pc.datasets.patients(), pc.SoftCut(l=2), quasi=["age"], sensitive="disease", identifier="name")
    yield from (f"recipe {name}" for name in sorted(release.recipe))


def fields(described: Any, place: str = "") -> Iterator[str]:
    """Every field that a JSON schema describes, by its place; ``?`` where it may be absent."""
    for name, inner in described.get("properties", {}).items():
        optional = "" if name in described.get("required", ()) else "?"
        yield f"{place}.{name}{optional}"
        yield from fields(inner, f"{place}.{name}")
    for step in ("items", "additionalProperties"):
        if isinstance(described.get(step), dict):
            yield from fields(described[step], f"{place}[]")
    for step in ("oneOf", "anyOf", "allOf"):
        for alternative in described.get(step, ()):
            yield from fields(alternative, place)
    for name, inner in described.get("$defs", {}).items():
        yield from fields(inner, f"{place}#{name}")


def of_documents() -> Iterator[str]:
    """What files and answers look like, with the version: a field that goes or changes its place raises it."""
    for path in sorted(DOCUMENTS.glob("*.schema.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        name = f"document {path.name.removesuffix('.schema.json')} {document['version']}"
        yield name
        yield from (f"{name} {field}" for field in sorted(set(fields(document))))


def interface() -> list[str]:
    return [*of_python(), *of_command_line(), *of_files(), *of_documents()]


def test_the_public_interface_is_the_recorded_one() -> None:
    difference = list(difflib.unified_diff(RECORD.read_text().splitlines(), interface(), "recorded", "now", n=0))
    if difference:
        pytest.fail(
            "the public interface has changed; if that is meant, run `python tests/contract/test_public_api.py`, and "
            "say it in CHANGELOG.md:\n" + "\n".join(difference)
        )


@pytest.mark.parametrize(("document", "name"), ENUMERATED)
def test_documents_name_what_there_is(document: str, name: str) -> None:
    path = DOCUMENTS / f"{document}.schema.json"
    assert path.read_text(encoding="utf-8") == with_names(path, name, ENUMERATED[document, name])


@pytest.mark.parametrize("document", OF_OPTIONS)
def test_documents_describe_every_option(document: str) -> None:
    path = DOCUMENTS / f"{document}.schema.json"
    assert path.read_text(encoding="utf-8") == with_options(path, *OF_OPTIONS[document])
    if document == "job":
        assert {*json.loads(path.read_text(encoding="utf-8"))["properties"]} == {*KEYS}


if __name__ == "__main__":
    for document, about in OF_OPTIONS.items():
        path = DOCUMENTS / f"{document}.schema.json"
        path.write_text(with_options(path, *about), encoding="utf-8")
    for (document, name), known in ENUMERATED.items():
        path = DOCUMENTS / f"{document}.schema.json"
        path.write_text(with_names(path, name, known), encoding="utf-8")
    RECORD.write_text("\n".join(interface()) + "\n")
    print(f"recorded {len(interface())} lines in {RECORD}")
