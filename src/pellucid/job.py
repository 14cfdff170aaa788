"""A job file: everything that publishing a table needs, in one TOML file that a pipeline runs again and again.

    source = "patients.csv"
    schema = "patients.toml"
    out = "release/"
    overwrite = true
    require = ["promised"]

    [method]
    name = "strata"
    l = 8

Paths are relative to the job file. ``require`` lists privacy models that the release must satisfy; when one does not
hold, nothing is written. ``keep_groups = "groups.csv"`` also writes who is in which group, for an audit; that file is
private. ``overwrite = true`` lets a run replace the release, and the groups, of the run before; without it a second run
is refused. A project that was saved in the page is a job, too: its table ``[project]`` is the page's own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, get_args

from pellucid.anonymize.method import RecoderName
from pellucid.anonymize.methods import Method, method_named
from pellucid.anonymize.recode import Recoder
from pellucid.audit import look_at
from pellucid.core.release import Release
from pellucid.core.request import OPTIONS, Option, Request, UnfitRecoding, recoder_with
from pellucid.core.schema import Roles, Schema
from pellucid.core.taxonomy.toml_text import dotted, line_of_key, toml_problem
from pellucid.datasets import schema_of
from pellucid.errors import MethodError, ModelError, PellucidError, RequirementNotMet, SchemaError
from pellucid.messages import Message
from pellucid.models import PrivacyModel, Verdict, of
from pellucid.models.adversary import AdversaryModel
from pellucid.models.parameters import PARAMETER
from pellucid.publishing import Result, carry_out
from pellucid.runtime.progress import SILENT, Progress
from pellucid.runtime.records import record
from pellucid.text.suggestions import meant

PROJECT = "project"  # what the page keeps of a session; a run needs none of it
KEYS = (*(option.name for option in OPTIONS if option.on("job")), PROJECT)


@record()
class Job(Request):
    """What to publish, how, and where to; :meth:`load` reads it from a file."""

    @classmethod
    def load(cls, path: str | Path) -> Job:
        """Read a job file; every mistake is one line that names the file, the line, the key and the way out."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise SchemaError("{path}: there is no such file; give the path of a job file", path=path) from None
        except (OSError, ValueError) as wrong:  # also a null character in the name, and bytes that are not UTF-8
            raise SchemaError(f"{path}: cannot be read as UTF-8 text ({wrong}); save it as UTF-8 TOML") from None
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise SchemaError(toml_problem(text, str(path), problem)) from None
        except RecursionError:
            raise SchemaError(f"{path}: it is nested too deeply to be read; keep what describes a job") from None
        return _Reader(path, text, content).job()

    def run(
        self, *, progress: Progress = SILENT, look: Callable[[Result], None] | None = None
    ) -> tuple[Release, Sequence[Verdict]]:
        """Publish, check what is required, and write the release unless a requirement fails.

        ``look`` sees what was published before it is written.
        """
        made = carry_out(self, progress=progress, verify=_verified, look=look, calls=2)
        return made.release, made.verdicts


def _verified(made: Result) -> Sequence[Verdict]:
    required = list(made.request.require)
    audit = look_at(made.release)
    if made.table is None or not any(isinstance(model, AdversaryModel) for model in required):
        return audit.verify(required)
    from pellucid.risk.verify import AskedValues, HowAttacked, verify_audit
    from pellucid.risk.views.given_tables import KnownPeople  # here: few jobs ask about attackers

    people = KnownPeople(truth=made.table)
    return verify_audit(audit, made.release, required, Roles(), people, AskedValues(), HowAttacked())


@record()
class _Reader:
    """A job file while it is read: where it is, its text (to find lines), and what it says."""

    path: Path
    text: str
    content: Mapping[str, Any]

    def job(self) -> Job:
        for key in self.content:
            if key not in KEYS:
                raise self.wrong([key], f"a job has no key {key!r}{meant(key, KEYS)}; its keys: {', '.join(KEYS)}")
        for key in ("source", "out", "method"):
            if key not in self.content:
                raise SchemaError(f"{self.path}: the key {key!r} is missing; {_EXAMPLES[key]}")
        schema = self.content.get("schema")
        if schema is None and schema_of(self.source()) is None:
            raise SchemaError(f"{self.path}: the key 'schema' is missing; {_EXAMPLES['schema']}")
        made = {option.name: self.given(option) for option in OPTIONS if _as_it_stands(option)}
        return Job(
            source=self.source(),
            method=self.method(),
            schema=None if schema is None else self.schema(),
            recode=self.recode(),
            file=self.path,
            **{name: value for name, value in made.items() if value is not None},
        )

    def given(self, option: Option) -> Any:
        """What the job says of an option, as a request has it; None where it says nothing."""
        key = option.name
        if key not in self.content:
            return None
        match option.form:
            case "file":
                return self.beside(key)
            case "names":
                return self.names(key)
            case "models":
                return self.required()
            case "choice":
                return self.choice(key, option.choices, None)
            case _:
                value = self.of_type(key, _TYPES[option.form], None)
        if option.least is not None and value < option.least:
            raise self.wrong([key], f"{value} is not at least {option.least}; leave it out for what is usual")
        return value

    def wrong(self, key: list[object], rule: str) -> SchemaError:
        line = line_of_key(self.text, key)
        place = ", ".join([str(self.path), *([] if line is None else [f"line {line}"]), dotted(key)])
        return SchemaError("{place}: {rule}", place=place, rule=rule)

    def of_type(self, key: str, kind: Any, default: Any) -> Any:
        value = self.content.get(key, default)
        if key in self.content and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            names = {bool: "true or false", int: "a whole number", str: "text", list: "a list"}
            raise self.wrong([key], f"{value!r}: must be {names.get(kind, 'a whole number or text')}")
        return value

    def names(self, key: str) -> tuple[str, ...]:
        given = self.of_type(key, list, [])
        if not all(isinstance(name, str) for name in given):
            raise self.wrong([key], f'{given!r}: must be a list of columns, as in {key} = ["income"]')
        return tuple(given)

    def choice(self, key: str, choices: tuple[str, ...], default: Any) -> Any:
        value = self.content.get(key, default)
        if value != default and value not in choices:
            raise self.wrong([key], f"{value!r}: must be one of {', '.join(choices)}{meant(str(value), choices)}")
        return value

    def beside(self, key: str) -> Path:
        return self.path.parent / str(self.of_type(key, str, None))

    def source(self) -> str:
        """A file beside the job, or something that is no file: a database URL, ``census:50000``, ``patients``."""
        given = str(self.of_type("source", str, None))
        beside = self.path.parent / given
        try:
            there = beside.exists()
        except OSError:  # a name that no file can have; reading it says so
            there = False
        return str(beside) if there or ("://" not in given and Path(given).suffix) else given

    def schema(self) -> Schema | Path:
        given = self.content["schema"]
        if isinstance(given, str):
            return self.path.parent / given
        try:
            return Schema.model_validate(given if isinstance(given, Mapping) else {"columns": given})
        except PellucidError as problem:
            raise self.wrong(["schema"], problem.message) from None

    def method(self) -> Method:
        given = self.content["method"]
        if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
            raise self.wrong(["method"], f"{given!r}: must be a table with a name; {_EXAMPLES['method']}")
        parameters = self.parameters(given)
        try:
            return method_named(given["name"])(**parameters)
        except MethodError as problem:
            blamed = {term.value for term in problem.message.terms if term.name == PARAMETER}
            named = [key for key in parameters if key in blamed]
            raise self.wrong(["method", *named[:1]], problem.message) from None

    def parameters(self, method: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of the method: lists cannot change, and a file, as ART has it, is beside the job."""
        given = {key: tuple(v) if isinstance(v, list) else v for key, v in method.items() if key != "name"}
        file = given.get("distributions")
        return given | ({"distributions": str(self.path.parent / file)} if isinstance(file, str) else {})

    def recode(self) -> Recoder | None:
        settings = {option.name: self.given(option) for option in OPTIONS if option.makes == "recode"}
        given = {name: value for name, value in settings.items() if value is not None and value is not False}
        name = self.choice("recode", get_args(RecoderName), None)
        if name is None and not given:
            return None
        try:
            return recoder_with(name or ("intervals" if "split_intervals" in given else self.method().recoder), given)
        except UnfitRecoding as unfit:
            named = [f'"{one}"' for one in unfit.fit]
            fit = " or ".join([*([", ".join(named[:-1])] if named[:-1] else []), named[-1]])
            raise self.wrong([unfit.option], f"goes with recode = {fit}, not with {unfit.recode!r}") from None

    def required(self) -> tuple[PrivacyModel, ...]:
        given = self.of_type("require", list, [])
        models: list[PrivacyModel] = []
        for requirement in given:
            try:
                model = of(requirement)
            except ModelError as problem:
                raise self.wrong(["require"], problem.message) from None
            if not isinstance(model, PrivacyModel):
                raise self.wrong(["require"], f'{requirement!r}: must be text such as "k-anonymity=5"')
            models.append(model)
        return tuple(models)


def _as_it_stands(option: Option) -> bool:
    """Whether an option of a job is a field of a request, that nothing but its form tells how to read."""
    return option.on("job") and not option.makes and "job" not in option.own


_TYPES: Mapping[str, Any] = {"flag": bool, "number": int, "text": str, "times": dict, "seed": (int, str)}
_EXAMPLES = {
    "source": 'say what to publish: source = "patients.csv"',
    "schema": "say what the columns are: schema = \"patients.toml\" ('pellucid init' drafts one), or [schema.columns]",
    "out": 'say where to: out = "release/"',
    "method": 'say how: [method], then name = "strata" and its parameters, such as l = 8',
}


def run(path: str | Path, *, progress: Progress = SILENT) -> Release:
    r"""Run a job file and give its release; raise when a requirement of the job does not hold.

    >>> import pellucid as pc, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> job = folder / "job.toml"
    >>> _ = job.write_text('source = "patients"\nout = "release"\n[method]\nname = "soft-cut"\nl = 2\n')
    >>> pc.run(job).recipe["method"], sorted(path.name for path in (folder / "release").iterdir())
    ('soft-cut', ['data.csv', 'recipe.json'])
    """
    job = Job.load(path)
    release, verdicts = job.run(progress=progress)
    failed = [verdict for verdict in verdicts if not verdict]
    if failed:
        raise RequirementNotMet(unmet(failed[0]))
    return release


def unmet(verdict: Verdict) -> Message:
    """Which model a release does not satisfy; that it keeps its promise has no level."""
    if verdict.level is None:
        not_shown = getattr(verdict, "not_shown", "")
        why = Message("not shown ({why})", why=not_shown) if not_shown else Message("not met")
        return Message("{model} is required and {why}; nothing is written", model=verdict.model, why=why)
    return Message(
        "{model} = {required} is required and the release reaches {level}; nothing is written",
        model=verdict.model,
        required=str(verdict.required),
        level=str(verdict.level),
    )


def _signature() -> Signature:
    """What users give by name: of the fields of a request those that a job has."""
    here = {option.name for option in OPTIONS if option.on("job") and not option.makes}
    given = [one for one in fields(Job) if one.name in here]
    usual = {one.name: {} if one.default is MISSING else one.default for one in given}
    usual |= dict.fromkeys(("source", "method", "out"), Parameter.empty)
    kind = Parameter.POSITIONAL_OR_KEYWORD
    return Signature([Parameter(one.name, kind, default=usual[one.name], annotation=one.type) for one in given])


Job.__signature__ = _signature()  # type: ignore[attr-defined]
