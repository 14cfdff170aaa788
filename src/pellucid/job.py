"""A job file: everything that publishing a table needs, in one TOML file that a pipeline runs again and again.

    source = "patients.csv"
    schema = "patients.toml"
    out = "release/"
    overwrite = true
    require = ["k-anonymity=5"]

    [method]
    name = "soft-cut"
    l = 8

Paths are relative to the job file. ``require`` lists privacy models that the release must satisfy; when one does not
hold, nothing is written. ``keep_groups = "groups.csv"`` also writes who is in which group, for an audit; that file is
private. ``overwrite = true`` lets a run replace the release, and the groups, of the run before; without it a second run
is refused. A project that was saved in the page is a job, too: its table ``[project]`` is the page's own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from pellucid.audit import look_at
from pellucid.datasets import schema_of
from pellucid.errors import MethodError, ModelError, PellucidError, RequirementNotMet, SchemaError
from pellucid.group import Method, method_named
from pellucid.group.method import RecoderName
from pellucid.io import check_target
from pellucid.io.groups_file import check_groups_file, kept_groups
from pellucid.messages.marks import marked
from pellucid.messages.terms import OVERWRITE_IN_JOB
from pellucid.model import PrivacyModel, Verdict, of
from pellucid.model.parameters import PARAMETER
from pellucid.progress import SILENT, Progress
from pellucid.publishing import publish
from pellucid.recode import RECODERS, Intervals, Means, Recoder
from pellucid.release import Format, Release
from pellucid.schema import Schema
from pellucid.taxonomy.toml_text import dotted, line_of_key, toml_problem
from pellucid.text.suggestions import meant

KEEP_GROUPS = "keep_groups"
PROJECT = "project"  # what the page keeps of a session; a run needs none of it
KEYS = (
    "source",
    "schema",
    "out",
    "method",
    "accept_known",
    "importance",
    "recode",
    "split_intervals",
    "median",
    "largest_set",
    "format",
    "overwrite",
    "threads",
    "seed",
    "require",
    KEEP_GROUPS,
    PROJECT,
)


@dataclass(frozen=True, slots=True)
class Job:
    """What to publish, how, and where to; :meth:`load` reads it from a file."""

    source: str
    method: Method
    out: Path
    schema: Schema | Path | None = None
    accept_known: tuple[str, ...] = ()
    importance: Mapping[str, int] = field(default_factory=dict)
    recode: Recoder | None = None
    format: Format = "csv"
    overwrite: bool = False
    threads: int | None = None
    seed: int | str | None = None
    require: tuple[PrivacyModel, ...] = ()
    keep_groups: Path | None = None  # where the group of each row is written, which stays with the steward

    @classmethod
    def load(cls, path: str | Path) -> Job:
        """Read a job file; every mistake is one line that names the file, the line, the key and the way out."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise SchemaError(f"{path}: there is no such file; give the path of a job file") from None
        except (OSError, ValueError) as wrong:  # also a null character in the name, and bytes that are not UTF-8
            raise SchemaError(f"{path}: cannot be read as UTF-8 text ({wrong}); save it as UTF-8 TOML") from None
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise SchemaError(toml_problem(text, str(path), problem)) from None
        except RecursionError:
            raise SchemaError(f"{path}: it is nested too deeply to be read; keep what describes a job") from None
        return _Reader(path, text, content).job()

    def run(self, *, progress: Progress = SILENT) -> tuple[Release, Sequence[Verdict]]:
        """Publish, check what is required, and write the release unless a requirement fails."""
        check_target(self.out, overwrite=self.overwrite, replacing=OVERWRITE_IN_JOB)
        inputs = [Path(self.source), *([self.schema] if isinstance(self.schema, Path) else [])]
        check_groups_file(self.keep_groups, self.out, inputs, overwrite=self.overwrite, called=KEEP_GROUPS)
        release = publish(
            self.source,
            self.method,
            schema=self.schema,
            importance=self.importance,
            accept_known=self.accept_known,
            recode=self.recode,
            seed=self.seed,
            threads=self.threads,
            progress=progress,
        )
        verdicts = look_at(release).verify(list(self.require)) if self.require else []
        if all(verdicts):
            with kept_groups(self.keep_groups, lambda: release.private.labels, called=KEEP_GROUPS) as put_groups:
                release.write(self.out, format=self.format, overwrite=self.overwrite, then=put_groups)
        return release, verdicts


@dataclass(frozen=True, slots=True)
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
        return Job(
            source=self.source(),
            method=self.method(),
            out=self.beside("out"),
            schema=None if schema is None else self.schema(),
            accept_known=self.names("accept_known"),
            importance=self.of_type("importance", dict, {}),
            recode=self.recode(),
            format=self.choice("format", get_args(Format), "csv"),
            overwrite=self.of_type("overwrite", bool, False),
            threads=self.of_type("threads", int, None),
            seed=self.of_type("seed", (int, str), None),
            require=self.required(),
            keep_groups=self.beside("keep_groups") if "keep_groups" in self.content else None,
        )

    def wrong(self, key: list[object], rule: str) -> SchemaError:
        line = line_of_key(self.text, key)
        place = ", ".join([str(self.path), *([] if line is None else [f"line {line}"]), dotted(key)])
        return SchemaError(f"{place}: {marked(rule)}")

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
        name = self.choice("recode", get_args(RecoderName), None)
        if self.of_type("split_intervals", bool, False):
            if name not in (None, "intervals"):
                raise self.wrong(["split_intervals"], f'goes with recode = "intervals", not with {name!r}')
            return Intervals(split=True, **self.largest_set())
        if self.of_type("median", bool, False):
            if name != "means":
                raise self.wrong(["median"], f'goes with recode = "means", not with {name!r}')
            return Means(statistic="median", **self.largest_set())
        if not self.largest_set():
            return None if name is None else RECODERS[name]()
        kind = RECODERS[name or self.method().recoder]
        if "largest_set" not in kind.model_fields:
            sets = 'recode = "intervals", "taxonomy" or "means"'
            raise self.wrong(["largest_set"], f"goes with {sets}, not with {kind.name!r}")
        return kind(**self.largest_set())

    def largest_set(self) -> dict[str, int]:
        given = self.of_type("largest_set", int, None)
        if given is not None and given < 1:
            raise self.wrong(["largest_set"], f"{given} is not at least 1; leave it out for the usual size")
        return {} if given is None else {"largest_set": given}

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


_EXAMPLES = {
    "source": 'say what to publish: source = "patients.csv"',
    "schema": "say what the columns are: schema = \"patients.toml\" ('pellucid init' drafts one), or [schema.columns]",
    "out": 'say where to: out = "release/"',
    "method": 'say how: [method], then name = "soft-cut" and its parameters, such as l = 8',
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
        raise RequirementNotMet(
            f"{failed[0].model} = {failed[0].required} is required and the release reaches {failed[0].level}; "
            "nothing is written"
        )
    return release
