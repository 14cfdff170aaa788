"""Everything that can be asked of publishing: one value, and one table of its options.

Python's :func:`pellucid.publish`, ``pellucid publish``, job files, the pages of ``pellucid serve`` and their project
files, and Spark all hand a :class:`Request` to :func:`pellucid.publishing.carry_out`. :data:`OPTIONS` says of each
option what it is, in which words, whether the recipe tells it, and which surface does without it and why. The command
line, job files, the form of the page, project files and the recipe are made of that table; Python's signature and
``docs/schemas`` are compared with it (``tests/contract/test_options.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal
from unicodedata import category

from pellucid.anonymize.method import DEFAULT, STRATUM, STRICT, RecoderName
from pellucid.anonymize.methods import Method
from pellucid.anonymize.methods.anatomy import Anatomy
from pellucid.anonymize.recode import RECODERS, Recoder
from pellucid.anonymize.recode.sets import LARGEST_SET
from pellucid.core.release import Format
from pellucid.core.schema import Roles, Schema, as_roles
from pellucid.errors import InputError, MethodError
from pellucid.messages import Message
from pellucid.models import PrivacyModel
from pellucid.runtime.arguments import brief
from pellucid.runtime.records import record
from pellucid.spark.settings import Spark
from pellucid.text.values import joined_by_and

LONGEST_TEXT = 1000
Surface = Literal["python", "command line", "job", "page", "project", "spark", "recipe"]
Form = Literal["text", "flag", "number", "choice", "names", "times", "file", "models", "seed", "own"]
"""What a value is: ``times`` are numbers by column, ``own`` is read in a way that only this option has."""


@record()
class Request:
    """What is asked: which table, what its columns are, which method, what becomes of groups, and where it goes."""

    source: Any
    method: Method
    out: Path | None = None
    schema: Schema | str | Path | None = None
    accept_known: str | Sequence[str] = ()
    importance: Mapping[str, float] = field(default_factory=dict)
    recode: Recoder | Anatomy | RecoderName | None = None  # Anatomy() is a recoder, whatever type checkers see
    format: Format | None = None  # csv, and with Spark parquet, unless given
    overwrite: bool = False
    threads: int | None = None
    seed: int | str | None = None
    require: Sequence[PrivacyModel] = ()
    keep_groups: Path | None = None  # where the group of each row is written, which stays with the steward
    roles: Roles | None = None
    engine: Spark | None = None
    people: str | None = None
    where: str | None = None
    applies: str | None = None
    spreadsheet_safe: bool = False
    unnamed: bool = False  # whether nobody named the method, so that one is meant that the table has room for
    file: Path | None = None  # the job file that asks: nothing that is written may take its place


def columns_asked(request: Request) -> Roles:
    """What the columns are, however that was said."""
    return as_roles(
        request.roles, schema=request.schema, people=request.people, where=request.where, applies=request.applies
    )


def told_publicly(request: Request) -> dict[str, Any]:
    """What the recipe tells of the options that have no place of their own in it, where they were given."""
    asked = {one.recipe: getattr(request, one.name) for one in OPTIONS if one.recipe and "recipe" not in one.own}
    given = {key: value for key, value in asked.items() if value not in (None, False, "", (), [])}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}


def shown_publicly(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a recipe tells of these options, for people: what each is, and what was asked."""
    told = {one.recipe: one.told() for one in OPTIONS if one.recipe in document and "recipe" not in one.own}
    return [(words, joined_by_and([str(value) for value in _as_list(document[key])])) for key, words in told.items()]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def check_given(request: Request) -> None:
    """Raise where a text or a flag is something else, or a text that is not one line."""
    for one in OPTIONS:
        value = None if one.makes else getattr(request, one.name)
        if value is None or one.form not in ("text", "flag"):
            continue
        if not isinstance(value, bool if one.form == "flag" else str):
            raise InputError("{name} = {value}: must be a {form}", name=one.name, value=brief(value), form=one.form)
        if one.form == "text" and (wrong := _no_line(str(value))):
            raise InputError(
                "{name} = {value} {wrong}", "write one line", name=one.name, value=brief(value), wrong=wrong
            )


def _no_line(text: str) -> Message | None:
    """Why a text is not one line that every file and page can hold."""
    if not text.strip():
        return Message("is empty")
    if len(text) > LONGEST_TEXT:
        return Message(
            "has {letters:,} letters, and at most {most:,} are allowed", letters=len(text), most=LONGEST_TEXT
        )
    unfit = next((letter for letter in text if category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")), None)
    if unfit is None:
        return None
    return Message("has the letter {unfit}, which is not for a line of text", unfit=f"U+{ord(unfit):04X}")


@record()
class Option:
    """One option: ``words`` say it in a line, with ``{other}`` where they name another option.

    ``makes`` is the field of a request that it is a part of, where it is none itself. ``recipe``: the key under which
    the recipe tells it, where it is public. ``without``: which surface does not have it, and why. ``own``: which has a
    place of its own for it, that nothing here makes.
    """

    name: str
    form: Form
    words: str
    default: Any = None  # of a flag False
    makes: str = ""
    spelled: tuple[str, ...] = ()  # on the command line, where otherwise than by its name
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    least: int | None = None
    recipe: str = ""
    without: Mapping[Surface, str] = field(default_factory=dict)
    own: tuple[Surface, ...] = ()

    @property
    def field(self) -> str:
        """The field of a request that it is, or is a part of."""
        return self.makes or self.name

    def on(self, surface: Surface) -> bool:
        """Whether a surface has it."""
        return surface not in self.without

    def told(self, called: Callable[[str], str] = str) -> str:
        """The words, where a surface calls the other options like this."""
        return self.words.format_map(_Called(called))


class _Called(dict[str, str]):
    """Options by name, in the words of a surface."""

    def __init__(self, called: Callable[[str], str]) -> None:
        super().__init__()
        self._called = called

    def __missing__(self, name: str) -> str:
        return self._called(name)


_WRITTEN: Mapping[Surface, str] = {
    "python": "a release is written by its own call: release.write(...)",
    "page": "the browser saves what is downloaded",
    "project": 'the page has no place for it, and every project is written with out = "release"',
}
_COLUMNS: Mapping[Surface, str] = {"job": "a schema says it", "project": "the schema in it says it"}
_RECODING: Mapping[Surface, str] = {"python": "a recoder has it itself, as in pellucid.Intervals(split=True)"}
_SPARK: Mapping[Surface, str] = {
    "python": "pellucid.Spark(...) has it",
    "job": "a job runs in one process",
    "page": "pages show tables that one machine holds",
    "project": "pages show tables that one machine holds",
}
_ALONE: Mapping[Surface, str] = {"spark": "rows of a cluster, and weights, are refused with Spark"}


def _role(
    name: str,
    metavar: str,
    words: str,
    *,
    recipe: str = "columns",
    without: Mapping[Surface, str] = MappingProxyType({}),
) -> Option:
    """Columns of a role."""
    lacking = {**_COLUMNS, **without}
    having: tuple[Surface, ...] = ("python", "command line", "page", "spark", "recipe")
    own = tuple(surface for surface in having if surface not in lacking)
    return Option(name, "names", words, makes="roles", metavar=metavar, recipe=recipe, without=lacking, own=own)


OPTIONS: tuple[Option, ...] = (
    Option(
        "source",
        "own",
        "A CSV, Parquet or Arrow file, a folder of Parquet files, sqlite:///x.db::table, census:50000, or patients.",
        metavar="SOURCE",
        own=("python", "command line", "job", "page", "project", "spark"),
    ),
    Option("out", "file", "The folder of the release.", spelled=("--out", "-o"), metavar="DIR", without=_WRITTEN),
    Option(
        "schema",
        "own",
        "What each column is (pellucid init drafts one).",
        metavar="FILE",
        recipe="columns",
        own=("python", "command line", "job", "page", "project", "spark", "recipe"),
    ),
    _role("quasi", "A,B", "Columns that an attacker may know, instead of a schema; may be given several times."),
    _role("sensitive", "X,Y", "The column to protect, or several, each on its own."),
    Option(
        "nothing_sensitive",
        "flag",
        "Instead of {sensitive}: people are hidden among {k} rows, and no value is protected (mondrian).",
        makes="roles",
        recipe="columns",
        without={**_COLUMNS, "python": "sensitive=[] says it"},
        own=("page", "spark", "recipe"),
    ),
    _role("identifier", "I", "A column that names the person; never published.", recipe="row_order"),
    _role("carry", "C", "Columns to publish that do not steer the groups."),
    _role(
        "cluster",
        "H",
        "A column that says which rows belong together, such as a household.",
        recipe="cluster",
        without=_ALONE,
    ),
    _role("weight", "W", "A column with the weights of a survey; each group shows its mean.", without=_ALONE),
    Option(
        "people",
        "text",
        "Where people have several rows: id=one publishes one of each by lot, id=first by DATE or id=last by DATE "
        "another, id=person protects whole people, id=row each row; id is the column that numbers them.",
        metavar="COLUMN=ANSWER",
        recipe="people",
        without={
            "project": "the schema in it says it",
            "spark": "id=row alone is possible",
        },
        own=("page", "recipe"),
    ),
    Option(
        "where",
        "text",
        "Publish only the rows for which a condition on quasi-identifiers holds, such as 'age >= 15'.",
        metavar="CONDITION",
        recipe="where",
        without={"project": "the schema in it says it", "spark": "filter the DataFrame"},
        own=("page",),
    ),
    Option(
        "applies",
        "text",
        "To whom a sensitive column applies, such as 'income=age >= 15': no group has people of both sides (strata).",
        metavar="COLUMN=CONDITION",
        recipe="columns",
        without={
            "project": "the schema in it says it",
            "spark": "strata with Spark keeps columns apart, no conditions",
        },
        own=("page", "recipe"),
    ),
    Option(
        "kind",
        "names",
        "What a column is: number, category or date, as in icd=category.",
        makes="roles",
        spelled=("--kind",),
        metavar="X=KIND",
        recipe="columns",
        without={**_COLUMNS, "python": "pellucid.Roles(kinds=...) says it"},
        own=("command line", "page", "spark", "recipe"),
    ),
    Option(
        "accept_known",
        "names",
        "Columns to publish though they give the sensitive one away; the recipe says so.",
        metavar="A,B",
        recipe="accepted_known",
        own=("page",),
    ),
    Option(
        "method",
        "own",
        f"How rows are grouped (pellucid methods); {DEFAULT}, unless given "
        f"({STRICT} for clusters and below {2 * STRATUM} rows).",
        metavar="NAME",
        recipe="method",
        own=("python", "command line", "job", "page", "project", "spark", "recipe"),
    ),
    Option(
        "recode",
        "choice",
        "What a group becomes; intervals, unless the method usually does otherwise.",
        choices=tuple(RECODERS),
        recipe="recode",
        own=("command line", "job", "page", "project", "recipe"),
    ),
    Option(
        "split_intervals",
        "flag",
        "Two columns, low and high, for each interval.",
        makes="recode",
        recipe="recode_parameters",
        without=_RECODING,
        own=("recipe",),
    ),
    Option(
        "importance",
        "times",
        "How many times the extent of a quasi-identifier counts; 1 unless given.",
        metavar="A=3,B=1",
        recipe="columns",
        without={"project": "the schema in it says it"},
        own=("page", "recipe"),
    ),
    Option(
        "median",
        "flag",
        "With {recode} means: the median of a group instead of the mean.",
        makes="recode",
        recipe="recode_parameters",
        without={**_RECODING, "spark": "means are not made with Spark"},
        own=("recipe",),
    ),
    Option(
        "largest_set",
        "number",
        f"The most values that are listed as a set; a larger one is * ({LARGEST_SET}; with strata it may be more).",
        makes="recode",
        metavar="N",
        least=1,
        recipe="recode_parameters",
        without=_RECODING,
        own=("recipe",),
    ),
    Option(
        "format",
        "choice",
        "Format of the files; csv, and with Spark parquet.",
        spelled=("--format",),
        choices=("csv", "parquet", "arrow"),
        without={
            "python": _WRITTEN["python"],
            "project": "which files are downloaded is chosen when they are",
            "spark": "Spark writes parquet",
        },
        own=("page",),
    ),
    Option(
        "spreadsheet_safe",
        "flag",
        "In CSV files, put ' before cells and names that a spreadsheet would run, such as =1+1; reading takes it off.",
        recipe="spreadsheet_safe",
    ),
    Option(
        "keep_groups",
        "file",
        "Also write the group of each row, for attack --groups; it stays with you.",
        metavar="FILE",
        without={**_WRITTEN, "spark": "the groups of a table with Spark stay with Spark"},
    ),
    Option("overwrite", "flag", "Replace the folder if it exists.", without=_WRITTEN),
    Option(
        "seed",
        "seed",
        "Fix the coins, for tests only: the promise needs them secret.",
        metavar="N",
        without={"project": "nobody should publish with the coins of a file"},
        own=("page",),
    ),
    Option(
        "threads",
        "number",
        "How many threads to use.",
        metavar="N",
        least=1,
        without={
            "page": "the worker takes all cores",
            "project": "it is about a machine, not about a table",
            "spark": "Spark has its own settings for that",
        },
    ),
    Option(
        "engine",
        "choice",
        "Who does the work: this process, or Spark for Parquet of any size.",
        default="local",
        choices=("local", "spark"),
        without={key: why for key, why in _SPARK.items() if key != "python"},
        own=("python", "command line"),
    ),
    Option(
        "master",
        "text",
        "With Spark: where it runs, such as spark://host:7077; local[*], this machine, unless given.",
        makes="engine",
        metavar="URL",
        without=_SPARK,
        own=("command line",),
    ),
    Option(
        "rows_per_worker",
        "number",
        "With Spark: how many rows one worker groups at a time.",
        makes="engine",
        metavar="N",
        least=1,
        without=_SPARK,
        own=("command line",),
    ),
    Option(
        "spark_option",
        "names",
        "With Spark: one of its own settings.",
        makes="engine",
        metavar="KEY=VALUE",
        without=_SPARK,
        own=("command line",),
    ),
    Option(
        "require",
        "models",
        "Privacy models that must hold, such as k-anonymity=5; otherwise nothing is written.",
        without={
            "python": "a release says what it satisfies: pellucid.verify(release, ...)",
            "command line": "pellucid verify and pellucid run ask for it",
            "page": "the step Result shows what the release satisfies",
            "project": "the page has no place for it",
            "spark": "pellucid verify asks for it",
        },
    ),
)


OF_RECODING: Mapping[str, tuple[str, Any]] = {  # which parameter of a recoder an option is; True stands for the value
    "median": ("statistic", "median"),
    "split_intervals": ("split", True),
    "largest_set": ("largest_set", None),
}


class UnfitRecoding(MethodError):
    """A setting of another recoding than the one that is asked for: what it goes with, in fields."""

    def __init__(self, option: str, recode: str) -> None:
        parameter = OF_RECODING[option][0]
        self.option, self.recode = option, recode
        self.fit = [name for name, kind in RECODERS.items() if parameter in kind.model_fields]
        super().__init__(f"{option} goes with recode {' or '.join(self.fit)}, not with {recode}")


def recoder_with(name: str, given: Mapping[str, Any]) -> Recoder:
    """The recoder of this name with the settings that options give; what is None or False is not given.

    >>> recoder_with("intervals", {"split_intervals": True, "largest_set": None})
    Intervals(largest_set=12, split=True)
    """
    settings = {}
    for option, (parameter, meant) in OF_RECODING.items():
        value = given.get(option)
        if value is None or value is False:
            continue
        if parameter not in RECODERS[name].model_fields:
            raise UnfitRecoding(option, name)
        settings[parameter] = value if meant is None else meant
    return RECODERS[name](**settings)
