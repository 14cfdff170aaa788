"""Calls that are fuzzed: command lines, and arguments of Python's functions."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import typer.main
from mutations import VALUES, WORDS
from workplace import Workplace

import pellucid as pc
from pellucid.anonymize.methods import Method
from pellucid.cli import program
from pellucid.core.taxonomy import Taxonomy
from pellucid.metrics import Metric
from pellucid.models import PrivacyModel

DEFECT = 3
FILES = (
    *("people.csv", "everything.csv", "people.toml", "everything.toml", "out", "rich", "soft", "tables", "job.toml"),
    *("groups.csv", "towns.csv", "queries.json", "nothing", ".", "out/data.csv", "out/recipe.json", "x.html", "o"),
)
MEANT = (
    *("age", "disease", "name", "2", "3", "1/2", "0.5", "mondrian", "tailor", "hybrid", "anatomy", "greedy-grouping"),
    *("k-anonymity=2", "l-diversity=2", "t-closeness=0.2", "transparent l-diversity=2", "algorithm", "nothing"),
    *("intervals", "suppression", "taxonomy", "public", "private", "kept", "query-error:queries=3", "marginals"),
    *("csv", "parquet", "arrow", ";", "tab", "born,weight", "flu", "number", "1..3", "learned", "loss"),
)
ROLES = ["--quasi", "--sensitive", "--schema", "--identifier"]
ANYWHERE = ["--json", "-q", "--help", "--version", "--debug", "--nonsense", "--", "--separator", "--no-header"]
METHOD = ["--l", "--k", "--model", "--alpha", "--strict", "--no-retry", "--bucket", "--order", "--p", "--together"]
METHOD += ["--values", "--attributes", "--bound", "--support", "--distributions", "--donors", "--expectation", "--size"]
AUDITED = ["--population", "--kind", "--group", "--values", "--together", "--exempt-suppressed", "--threads"]
OPTIONS = {
    "publish": [
        *("--carry", "--method", "--recode", "--format", "--overwrite", "--seed", "--threads", "--split-intervals"),
        *("--keep-groups", "--master", "--rows-per-worker", "--largest-set", "--accept-known", "--out"),
        *METHOD,
    ],
    "verify": ["--require", "--truth", "--made-by", "--groups", "--harmonised", *AUDITED],
    "attack": [
        *("--truth", "--population", "--made-by", "--max-risk", "--adversary", "--groups", "--group", "--details"),
        *("--budget", *METHOD),
    ],
    "levels": AUDITED,
    "measure": ["--original", "--metric"],
    "report": ["--original", "--audience", "--title", "--groups", "--overwrite"],
    "compare": ["--methods", "--knows", "--patience", "--overwrite", *METHOD],
    "init": ["--overwrite", "--out"],
    "run": ["--overwrite", "--threads"],
    "reproduce": ["--list", "--quick", "--out"],
}
PUBLISH = ["people.csv", "--quasi", "age,zip", "--sensitive", "disease", "--l", "2", "--out", "o", "--overwrite", "-q"]
GOOD = {
    "publish": PUBLISH,
    "verify": ["out", "--require", "k-anonymity=2"],
    "attack": ["out", "--truth", "people.csv", "--identifier", "name", "--budget", "1000"],
    "levels": ["out", "--json"],
    "measure": ["out", "--original", "people.csv", "--metric", "loss"],
    "report": ["out", "--audience", "public", "--out", "x.html", "--overwrite"],
    "compare": ["people.csv", "--schema", "people.toml", "--methods", "tailor", "--l", "2", "--workers", "1", "-q"],
    "init": ["people.csv", "--overwrite", "-q"],
    "run": ["job.toml", "-q"],
    "methods": ["hybrid"],
    "reproduce": ["--list"],
}
# a report draws and a comparison starts a process: a second each, so there are few that are not refused
VERBS = {"publish": 30, "levels": 15, "verify": 15, "attack": 15, "measure": 10, "init": 8, "run": 8, "methods": 4}
VERBS |= {"reproduce": 2, "": 2, "x": 2, "report": 0.3, "compare": 0.1}
REFUSED = {"report": 3.0, "compare": 3.0}  # with a word that leads to no table


def command_of(random: Random, place: Workplace) -> tuple[str, list[str]]:  # noqa: ARG001
    """A call that would work, with options more, and words changed, dropped and doubled."""
    chances = {verb: VERBS[verb] + REFUSED.get(verb, 0) for verb in VERBS}
    verb = random.choices(list(chances), list(chances.values()))[0]
    words = [verb, *GOOD.get(verb, [])]
    if verb in REFUSED and random.random() < REFUSED[verb] / chances[verb]:
        words[1] = random.choice(("nothing", "out/recipe.json", "groups.csv", *WORDS[:20]))
    options = [*ANYWHERE, *ROLES, *OPTIONS.get(verb, []) * 3]
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        option = random.choice(options)
        value = random.choice(random.choice((WORDS, FILES, MEANT, MEANT)))
        words += (
            [option] if random.random() < 0.2 else [option, value] if random.random() < 0.8 else [f"{option}={value}"]
        )
    for _ in range(random.choice((0, 0, 1, 2))):
        at = random.randrange(1, len(words) + 1)
        words[at : at + 1] = random.choice(([], [random.choice(WORDS)], [random.choice(FILES)], words[at : at + 1] * 2))
    return "call", words


@cache
def _ready(verbs: frozenset[str]) -> Callable[..., Any]:
    """The program with these verbs and all their options, made once: making it takes longer than most calls."""
    made = typer.main.get_command(_real(sorted(verbs)))
    return lambda words, **how: made(words, **how)


_real = program.application


def _application(words: Sequence[str], *, called: bool = False) -> Callable[..., Any]:  # noqa: ARG001
    return _ready(frozenset(words) & set(program.VERBS))


def command(made: tuple[str, list[str]], place: Workplace) -> str:  # noqa: ARG001
    """Call the program in this process; whatever it says, it says in its own way."""
    out, err = io.StringIO(), io.StringIO()
    program.application = _application  # type: ignore[assignment]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = program.main(["--debug", *made[1]])
    finally:
        program.application = _real
    told = err.getvalue()
    if code == DEFECT:
        raise AssertionError(told.splitlines()[-1] + "\n" + told)
    if code == 2 and ("error: " not in told or "not enough memory" in told):
        raise AssertionError(f"exit {code} without a line that says why: {told[-500:]!r}")
    return "read" if code in (0, 1) else "refused"


SERIES = (
    *(pl.Series(["age", "zip"]), pl.Series([1, None]), pl.Series([], dtype=pl.Null), pl.DataFrame({"x": [1]})),
    *(pd.Series(["age", "zip"]), pd.Series([1.0, None]), pd.DataFrame({"age": [1, 2]}), pd.Index(["age"]), pd.NA),
    *(np.array(["age", "zip"]), np.array([[1, 2], [3, 4]]), np.array(2), np.int64(2), np.float64("nan"), pd.NaT),
    *(pl.LazyFrame({"age": [1]}), np.array([]), np.array([None], dtype=object), np.datetime64("2020-01-01")),
)
ODD: tuple[Any, ...] = (
    *VALUES,
    *WORDS[:12],
    *(..., object, object(), b"x", Decimal(1), Fraction(1, 2), date(2020, 1, 1), {1, 2}, 1j, print, Random, [[], {}]),
    *(range(3), iter([]), (x for x in "ab"), memoryview(b"x"), type("Odd", (), {"__len__": lambda _: 3})(), KeyError()),
    *SERIES,
    *SERIES,
)
SAID = {"quasi": ["age"], "sensitive": "disease"}
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "publish": (
        pc.publish,
        {"source": "F", "method": "M", **SAID, "identifier": None, "carry": None, "recode": None, "seed": 1}
        | {"threads": 1, "schema": None, "accept_known": (), "engine": None},
    ),
    "read": (
        pc.read,
        {"source": "F", **SAID, "identifier": "name", "carry": ["zip"], "threads": 1, "schema": None}
        | {"separator": None, "header": None},
    ),
    "levels": (
        pc.levels,
        {"source": "F", **SAID, "kinds": None, "population": None, "group": None, "values": None, "together": False}
        | {"views": "both", "exempt_suppressed": False, "spark": None},
    ),
    "verify": (
        pc.verify,
        {"source": "F", "required": [pc.KAnonymity(k=2)], **SAID, "truth": None, "population": None, "made_by": None}
        | {"identifier": None, "attributes": None, "groups": None, "group": None, "values": None},
    ),
    "examine": (pc.examine, {"source": "F", **SAID, "kinds": None, "population": None, "group": None}),
    "attack": (
        pc.attack,
        {"release": "R", "adversary": None, "truth": "T", "population": None, "made_by": None, "identifier": None}
        | {"model": None, "groups": None, "budget": 1000, "schema": None, "exact": False},
    ),
    "measure": (pc.measure, {"release": "R", "original": "T", "metrics": [pc.Loss()], "identifier": None}),
    "adversary": (pc.Adversary, {"prior": "uniform", "knows": "nothing", "facts": ()}),
    "distribution": (pc.Distribution, {"attributes": ["age"], "probabilities": None}),
    "learned": (pc.Learned, {"iterations": 3, "smoothing": 0.1}),
    "has": (pc.Has, {"person": "Ann", "value": "flu"}),
    "not": (pc.Not, {"person": "Ann", "value": "flu"}),
    "implies": (pc.Implies, {"condition": pc.Has("Ann", "flu"), "consequence": pc.Not("Bob", "flu")}),
    "schema": (pc.Schema.of, {**SAID, "identifier": "name", "carry": (), "kinds": None}),
    "taxonomy tree": (Taxonomy.from_tree, {"tree": {"*": ["a", "b"]}}),
    "workload": (pc.Workload.of, {"table": "T", "dimensions": 1, "selectivity": 0.1, "queries": 3, "seed": 1}),
    "refused cut": (
        pc.posterior.refused_cut,
        {"sides": (2, 4), "counts": {"a": 2, "b": 4}, "model": pc.LDiversity(l=2), "exact": False},
    ),
    "merged classes": (
        pc.posterior.merged_classes,
        {"class_sizes": [2, 2], "counts": {"a": 2, "b": 2}, "model": pc.LDiversity(l=2), "sensitive": None}
        | {"budget": 1000},
    ),
    "greedy buckets": (
        pc.posterior.greedy_buckets,
        {"l": 2, "buckets": 2, "counts": {"a": 2, "b": 2}, "p": 0.0, "sensitive": None, "budget": 1000},
    ),
    "census": (pc.datasets.census, {"n": 5}),
    **{
        name: (kind, dict.fromkeys(kind.model_fields, 2))
        for name, kind in ((name, getattr(pc, name)) for name in pc.__all__)
        if isinstance(kind, type) and issubclass(kind, Method | PrivacyModel | Metric) and kind.model_fields
    },
    **{
        kind.__name__: (kind, {key: field.get_default() for key, field in kind.model_fields.items()} | said)
        for kind, said in ((pc.Column, {"role": "quasi"}), (pc.Intervals, {}), (pc.Taxonomy, {}))
    },
}


def python_of(random: Random, place: Workplace) -> tuple[str, dict[str, Any]]:  # noqa: ARG001
    """A call that would work, with one or two arguments of any type."""
    name = random.choice(list(CALLS))
    arguments = dict(CALLS[name][1])
    for _ in range(random.choice((1, 1, 2))):
        if arguments:
            arguments[random.choice(list(arguments))] = random.choice(ODD)
    return name, arguments


def python(made: tuple[str, dict[str, Any]], place: Workplace) -> str:
    """Call it; single letters stand for what is there: a table, a release, a frame, a method."""
    name, arguments = made
    stand_for = {"T": place.table, "R": place.release, "F": place.frame("people.csv"), "M": pc.Tailor(l=2)}
    CALLS[name][0](
        **{key: stand_for.get(value, value) if isinstance(value, str) else value for key, value in arguments.items()}
    )
    return "read"


_PAIR, _NULLS = np.array(["a", "b"]), pl.Series([], dtype=pl.Null)
# what ended with a traceback once: an array is neither true nor false, and a frame cannot be compared with a word
FOUND: tuple[tuple[str, dict[str, Any]], ...] = tuple(
    (name, CALLS[name][1] | changed)
    for name, changed in (
        *(("adversary", {key: odd}) for key in ("knows", "prior") for odd in (_PAIR, _NULLS, pd.NA, pl.LazyFrame())),
        *(("examine", {"kinds": odd}) for odd in (_PAIR, pl.DataFrame({"x": [1]}))),
        *(("levels", {key: _PAIR}) for key in ("together", "views", "exempt_suppressed")),
        *(("schema", {"identifier": odd}) for odd in (_PAIR, _NULLS, pl.LazyFrame({"x": [1]}))),
        *(("schema", {"quasi": odd}) for odd in (np.array(2), pd.NA)),
        *(("Column", {"role": odd}) for odd in (pl.LazyFrame({"x": [1]}), pd.NA)),
        *(("read", {key: odd}) for key in ("carry", "separator") for odd in (_NULLS, pd.NA)),
        *(("publish", {key: odd}) for key in ("accept_known", "engine") for odd in (_PAIR, 1.5, [1])),
        *(("refused cut", {key: odd}) for key in ("sides", "counts", "exact") for odd in (_PAIR, 1.5, {"a": [1]})),
        *(("merged classes", {"class_sizes": odd}) for odd in ("no", 1.5)),
        *(("merged classes", {key: 3.5}) for key in ("model", "sensitive", "counts", "budget")),
        *(("greedy buckets", {key: _PAIR}) for key in ("l", "buckets", "budget", "sensitive")),
        ("levels", {"values": np.array([[1, 2], [3, 4]])}),
        ("workload", {"table": "T", "queries": 2**63}),
        ("census", {"n": 2**63}),
        ("census", {"n": _PAIR}),
    )
)
