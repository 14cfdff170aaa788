"""Every option of the table reaches every surface that has it, and shows in the recipe or the result.

Options come from ``pellucid.core.request.OPTIONS``: one that is added there is tried on Python, the command line, jobs,
the page, project files and Spark without a line here, and looked for in the recipe. Those below show elsewhere, or need
something beside them.
"""

from __future__ import annotations

import inspect
import json
import warnings
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid import publishing
from pellucid.cli.program import main
from pellucid.cli.verbs import publish as verb
from pellucid.core import request
from pellucid.core.request import OPTIONS, Option, Request
from pellucid.core.schema import Column, Schema
from pellucid.core.taxonomy.toml_text import toml_value
from pellucid.job import Job
from pellucid.runtime.progress import SILENT
from pellucid.web.chosen_setting import given_setting
from pellucid.web.method_fields import option_fields
from pellucid.web.option_fields import known_options
from pellucid.web.project_file import project_of
from pellucid.web.session import Session
from pellucid.web.settings import Settings
from pellucid.web.tasks.projects import project
from pellucid.web.tasks.publishing import pack, publish
from pellucid.web.values_by_column import method_of
from pellucid.web.worker_state import BUNDLE_FILE, Desk

pytestmark = pytest.mark.filterwarnings("ignore")
BY_NAME = {option.name: option for option in OPTIONS}
ROLES = {"quasi": ["age", "zip"], "sensitive": ["ill"]}
METHOD = {"name": "hybrid", "l": 2}
CASES = [
    pytest.param(option, surface, id=f"{option.name}-{surface.replace(' ', '-')}")
    for option in OPTIONS
    for surface in ("python", "command line", "job", "page", "project")  # Spark: tests/engines/test_options_on_spark.py
    if option.on(surface)
]


@dataclass
class Made:
    """What came out: the recipe, the folder in which it was called, and what else can be seen."""

    recipe: Mapping[str, Any]
    folder: Path
    required: list[str] = field(default_factory=list)
    said: str = ""  # warnings, and what the command line says
    threads: set[int | None] = field(default_factory=set)
    engine: Any = None

    def role_of(self, column: str) -> str | None:
        return self.told_of(column).get("role")

    def told_of(self, column: str) -> dict[str, Any]:
        return next((one for one in self.recipe["columns"] if one["name"] == column), {})


@dataclass(frozen=True)
class Sample:
    """A value that is not the default, what is given beside it, and how it shows."""

    value: Any
    shows: Callable[[Made], bool]
    beside: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()  # what is not given beside it


SAMPLES: dict[str, Sample] = {
    "source": Sample("more.csv", lambda made: made.recipe["rows"] == 48),
    "out": Sample("elsewhere", lambda made: (made.folder / "elsewhere" / "recipe.json").exists()),
    "schema": Sample("schema.toml", lambda made: made.role_of("zip") is None, without=("quasi", "sensitive")),
    "quasi": Sample(["age"], lambda made: made.role_of("zip") is None),
    "sensitive": Sample(["job"], lambda made: made.role_of("job") == "sensitive"),
    "nothing_sensitive": Sample(
        True,
        lambda made: made.role_of("ill") is None and made.recipe["method"] == "mondrian",
        beside={"method": {"name": "mondrian", "k": 3}},
        without=("sensitive",),
    ),
    "identifier": Sample(["name"], lambda made: made.recipe["row_order"] == "identifier"),
    "carry": Sample(["job"], lambda made: made.role_of("job") == "carry"),
    "cluster": Sample(["house"], lambda made: made.recipe["cluster"] == "house"),
    "weight": Sample(["weight"], lambda made: made.role_of("weight") == "weight"),
    "people": Sample("house=one", lambda made: made.recipe["people"] == "house=one" and made.recipe["rows"] == 12),
    "where": Sample("age >= 24", lambda made: made.recipe["where"] == "age >= 24" and made.recipe["rows"] == 20),
    "applies": Sample(
        "ill=age >= 0",
        lambda made: made.told_of("ill")["applies"] == "age >= 0",
        beside={"method": {"name": "strata", "l": 2, "size": 4}},
    ),
    "kind": Sample(["age=category"], lambda made: made.told_of("age")["kind"] == "category"),
    "accept_known": Sample(["zip"], lambda made: made.recipe["accepted_known"] == ["zip"]),
    "method": Sample({"name": "mondrian", "l": 2}, lambda made: made.recipe["method"] == "mondrian"),
    "recode": Sample("suppression", lambda made: made.recipe["recode"] == "suppression"),
    "split_intervals": Sample(True, lambda made: made.recipe["recode_parameters"]["split"] is True),
    "importance": Sample({"age": 3}, lambda made: made.told_of("age")["importance"] == 3),
    "median": Sample(
        True, lambda made: made.recipe["recode_parameters"]["statistic"] == "median", beside={"recode": "means"}
    ),
    "largest_set": Sample(3, lambda made: made.recipe["recode_parameters"]["largest_set"] == 3),
    "format": Sample("arrow", lambda made: any(made.folder.glob("*/data.arrow"))),
    "keep_groups": Sample("groups.csv", lambda made: (made.folder / "groups.csv").exists()),
    "overwrite": Sample(True, lambda made: not (made.folder / "out" / "data.parquet").exists()),
    "seed": Sample(7, lambda made: "fixes the coins" in made.said),
    "threads": Sample(2, lambda made: 2 in made.threads),
    "engine": Sample("spark", lambda made: made.engine is not None),
    "master": Sample(
        "local[3]",
        lambda made: made.engine.master == "local[3]",
        beside={"engine": "spark"},
    ),
    "rows_per_worker": Sample(77, lambda made: made.engine.rows_per_worker == 77, beside={"engine": "spark"}),
    "spark_option": Sample(
        ["a.b=c"],
        lambda made: made.engine.options == {"a.b": "c"},
        beside={"engine": "spark"},
    ),
    "require": Sample(["k-anonymity=2"], lambda made: made.required == ["k-anonymity"]),
}
USUAL: Mapping[str, Any] = {"text": "for a test", "flag": True, "number": 3, "names": ["zip"], "seed": 7}


def sample_of(option: Option) -> Sample:
    """The one above, or one by its form, to be found in the recipe."""
    if option.name in SAMPLES:
        return SAMPLES[option.name]
    value = option.choices[-1] if option.choices else USUAL[option.form]
    assert option.recipe, f"{option.name} is not in the recipe: say in SAMPLES how it shows"
    return Sample(value, lambda made: made.recipe.get(option.recipe) == value)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tables and a schema."""
    monkeypatch.chdir(tmp_path)
    for name, rows in (("people", 24), ("more", 48)):
        number = range(rows)
        pl.DataFrame(
            {
                "age": [20 + one % 40 for one in number],
                "zip": [f"z{one % 7}" for one in number],
                "job": [("a", "b", "c", "d")[one % 4] for one in number],
                "ill": [("flu", "gout", "cold", "none", "cough")[one % 5] for one in number],
                "name": [f"n{one}" for one in number],
                "house": [one // 2 for one in number],
                "weight": [1.5 + one % 3 for one in number],
            }
        ).write_csv(f"{name}.csv")
    (tmp_path / "schema.toml").write_text('[columns.age]\nrole = "quasi"\n[columns.ill]\nrole = "sensitive"\n')
    return tmp_path


def asked(option: Option) -> dict[str, Any]:
    """Everything that a call says, as a job says it."""
    sample = sample_of(option)
    said = {"source": "people.csv", "out": "out", "method": METHOD, **ROLES, **sample.beside}
    return {name: value for name, value in {**said, option.name: sample.value}.items() if name not in sample.without}


def method_in(said: Mapping[str, Any]) -> pc.Method:
    return method_of(said["method"]["name"], {k: str(v) for k, v in said["method"].items() if k != "name"}, ["ill"])


def by_python(said: dict[str, Any], folder: Path) -> Made:
    given = {name: value for name, value in said.items() if name not in ("source", "out", "method")}
    given |= {name: given[name][0] for name in ("identifier", "cluster", "weight") if name in given}
    given |= {"engine": pc.Spark(master="local[2]")} if "engine" in given else {}
    return Made(pc.publish(said["source"], method_in(said), **given).recipe, folder)


def by_command_line(said: dict[str, Any], folder: Path) -> Made:
    words = ["publish", said["source"]]
    for name, value in said.items():
        if name == "method":
            words += ["--method", *(str(v) if k == "name" else f"--{k}={v}" for k, v in value.items())]
        elif name != "source":
            words += [f"--{name.replace('_', '-')}", *_typed(value)]
    assert main([*words, "--quiet"]) == 0
    written = folder / said["out"] / "recipe.json"
    return Made(json.loads(written.read_text()) if written.exists() else {}, folder)


def _typed(value: Any) -> list[str]:
    if value is True:
        return []
    if isinstance(value, dict):
        return [",".join(f"{name}={number}" for name, number in value.items())]
    return [",".join(value) if isinstance(value, list) else str(value)]


def columns_in(said: Mapping[str, Any]) -> dict[str, Column]:
    """What each column is, as a schema says it."""
    if "schema" in said:
        return dict(Schema.load(Path(said["schema"])).columns)
    roles = ("quasi", "sensitive", "identifier", "carry", "cluster", "weight")
    named = {name: Column(role=role) for role in roles for name in said.get(role, ())}
    kinds = dict(one.split("=") for one in said.get("kind", ()))
    more = {name: {"kind": kind} for name, kind in kinds.items()}
    if "people" in said:
        column, _, answer = said["people"].partition("=")
        named[column] = Column(role="drop", people=answer)
    if "applies" in said:
        column, _, condition = said["applies"].partition("=")
        named[column] = Column(role="sensitive", applies=condition)
    more |= {name: {"importance": times} for name, times in said.get("importance", {}).items()}
    return {name: column.model_copy(update=more.get(name, {})) for name, column in named.items()}


def by_job(said: dict[str, Any], folder: Path) -> Made:
    head = {name: value for name, value in said.items() if name not in ROLES}
    columns = {name: {"role": role} for role, names in ROLES.items() for name in names}
    said = head | ({} if "schema" in said else {"schema": {"columns": columns}})
    (folder / "job.toml").write_text("".join(f"{name} = {toml_value(value)}\n" for name, value in said.items()))
    release, verdicts = Job.load(folder / "job.toml").run()
    return Made(release.recipe, folder, [verdict.model for verdict in verdicts])


def by_page(said: dict[str, Any], folder: Path) -> Made:
    """As the forms send it, by the work that the worker does; which steps show the forms, tests/web tries."""
    form = {"recode": said.get("recode", ""), **{f"p-{k}": str(v) for k, v in said["method"].items() if k != "name"}}
    of_form = [one.name for one in OPTIONS if one.on("page") and "page" not in one.own and one.name in said]
    form |= {f"p-{name}": "on" if said[name] is True else str(said[name]) for name in of_form}
    name, parameters, options = given_setting({"name": said["method"]["name"], **form})
    shown = {one.name: one.value for one in option_fields(options)}
    assert {one: shown[one] for one in of_form} == {one: str(said[one]) for one in of_form}
    hiding = "nothing_sensitive = true\n" if said.get("nothing_sensitive") else ""
    where = f"where = {toml_value(said['where'])}\n" if "where" in said else ""
    schema = hiding + where + "".join(column.to_toml(name) for name, column in columns_in(said).items())
    source = {"place": said["source"], "name": said["source"]}
    setting: Any = {"method": name, "parameters": parameters, "options": options, "seed": said.get("seed")}
    desk, accepted = Desk(folder), said.get("accept_known", [])
    made = publish(
        desk,
        source=source,
        schema=schema,
        setting=setting,
        place=str(folder / "p"),
        accept_known=accepted,
        progress=SILENT,
    )
    kind = said.get("format", "csv")
    pack(desk, source=source, kind=kind, place=str(folder / "packed"), progress=SILENT)
    with zipfile.ZipFile(folder / "packed" / BUNDLE_FILE) as archive:
        archive.extractall(folder / "unpacked")
    return Made(made["recipe"], folder)


def by_project(said: dict[str, Any], folder: Path) -> Made:
    """Saved, opened again, and run as a job."""
    session = Session(Settings())
    session.source, session.data = {"name": said["source"], "place": said["source"]}, {"rows": 24}
    session.columns = columns_in(said)
    session.method, session.parameters = said["method"]["name"], {"l": "2"}
    session.accept_known = tuple(said.get("accept_known", ()))
    session.options = known_options(said)
    text = project_of(session)
    session.close()
    (folder / "project.toml").write_text(text)
    release, _ = Job.load(folder / "project.toml").run()
    about = {"path": str(folder / "project.toml"), "name": "p", "columns": list(session.columns)}
    opened = project(Desk(folder), **about, progress=SILENT)
    assert opened["options"] == session.options
    return Made(release.recipe, folder)


DONE: Mapping[str, Callable[[dict[str, Any], Path], Made]] = {
    "python": by_python,
    "command line": by_command_line,
    "job": by_job,
    "page": by_page,
    "project": by_project,
}


class Reached(Exception):
    """Spark would begin."""


@dataclass
class Seen:
    """What was handed to places that leave no trace in a release."""

    threads: set[int | None] = field(default_factory=set)
    engine: pc.Spark | None = None


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    seen, count, tell = Seen(), publishing.thread_count, verb.publish_and_tell

    def threads(given: int | None, rows: int) -> int:
        seen.threads.add(given)
        return count(given, rows)

    def by_python(request: Request, *_: object) -> None:
        seen.engine = request.engine
        raise Reached("Spark would begin")

    def by_verb(request: Request, out: Path, do: Any, *rest: Any, **named: Any) -> object:
        if not isinstance(do, partial):
            return tell(request, out, do, *rest, **named)
        seen.engine = next(one for one in do.args if isinstance(one, pc.Spark))
        return ()

    monkeypatch.setattr(publishing, "thread_count", threads)
    monkeypatch.setattr(publishing, "_made_with_spark", by_python)
    monkeypatch.setattr(verb, "publish_and_tell", by_verb)
    return seen


@pytest.mark.parametrize(("option", "surface"), CASES)
def test_every_option_reaches_every_surface_that_has_it(
    option: Option, surface: str, folder: Path, seen: Seen, capsys: pytest.CaptureFixture[str]
) -> None:
    if option.name == "overwrite":
        pc.publish("people.csv", pc.Hybrid(l=2), **ROLES).write("out", format="parquet")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = DONE[surface](asked(option), folder)
        except Reached:
            made = Made({}, folder)
    made.threads, made.engine = seen.threads, seen.engine
    made.said = capsys.readouterr().err + "".join(str(one.message) for one in caught)
    assert sample_of(option).shows(made), f"{surface} does not hand {option.name} over"


def test_options_and_fields_of_a_request_are_the_same() -> None:
    made = {option.makes or option.name for option in OPTIONS}
    own = {"file", "unnamed"}  # which are no choices: where a job was read from, and that nobody named a method
    assert made == {one.name for one in fields(Request)} - own
    assert len(BY_NAME) == len(OPTIONS)


def test_python_has_the_options_of_the_table() -> None:
    signature = inspect.signature(pc.publish)
    of_table = {option.name for option in OPTIONS if option.on("python")}
    assert {*signature.parameters} - {"roles", "progress"} == of_table  # roles: several of them as one value
    assert all(f"``{name}``" in (pc.publish.__doc__ or "") for name in of_table - {"method"}), (
        "the docstring names each"
    )


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_who_does_without_an_option_says_why(option: Option) -> None:
    assert all(len(why.split()) > 2 for why in option.without.values())
    assert not {*option.own} & {*option.without}
    assert option.words.endswith("."), "one sentence for the help"
    assert option.told(lambda name: f"--{name}").count("{") == 0


FORGETFUL = {  # where each surface hands over what is asked
    "python": "pellucid.publishing.carry_out",
    "command line": "pellucid.cli.verbs.publish.carry_out",
    "job": "pellucid.job.carry_out",
    "page": "pellucid.web.tasks.publishing.carry_out",
    "project": "pellucid.job.carry_out",
}


@pytest.mark.parametrize("surface", FORGETFUL)
def test_a_surface_that_forgets_an_option_is_found(
    surface: str, folder: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = publishing.carry_out
    monkeypatch.setattr(FORGETFUL[surface], lambda asked, **rest: whole(replace(asked, accept_known=()), **rest))
    option = BY_NAME["accept_known"]
    with pytest.raises(KeyError, match="accepted_known"):
        test_every_option_reaches_every_surface_that_has_it(option, surface, folder, seen, capsys)


def test_a_flag_is_a_flag_in_python_too() -> None:
    asked = Request("people.csv", pc.Hybrid(l=2), overwrite="no")  # type: ignore[arg-type]
    with pytest.raises(pc.errors.InputError, match="overwrite = 'no': must be a flag"):
        publishing.carry_out(asked)


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        (b"x", "must be a text"),
        ("half \ud83d", r"U\+D83D"),
        ("", "is empty"),
        (" ", "is empty"),
        ("a\nb", r"U\+000A"),
        ("a\u202eb", r"U\+202E"),
        ("a" * 1001, "1,001 letters"),
    ],
)
def test_a_text_is_one_line(monkeypatch: pytest.MonkeyPatch, value: object, wrong: str) -> None:
    monkeypatch.setattr(request, "OPTIONS", (Option("seed", "text", "Some text."),))
    request.check_given(Request("people.csv", pc.Hybrid(l=2), seed="größe, +43 1"))
    with pytest.raises(pc.errors.InputError, match=wrong):
        request.check_given(Request("people.csv", pc.Hybrid(l=2), seed=value))  # type: ignore[arg-type]


@pytest.mark.parametrize("audience", ["public", "private"])
@pytest.mark.parametrize("name", [one.name for one in OPTIONS if one.recipe and "recipe" not in one.own])
def test_the_report_tells_public_options_in_words(name: str, audience: str, folder: Path) -> None:
    option, value = BY_NAME[name], sample_of(BY_NAME[name]).value
    release = pc.publish(folder / "people.csv", pc.Hybrid(l=2), **{name: value}, **ROLES)
    told = pc.report(release, folder / "people.csv" if audience == "private" else None, audience=audience).html
    told = unescape(told)
    assert f"<dt>{option.told()}</dt><dd>{', '.join(value) if isinstance(value, list) else value}</dd>" in told, (
        f"the {audience} report does not tell {name}"
    )
