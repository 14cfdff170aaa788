"""The kinds of inputs that are fuzzed: how one is made, and what is done with it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tomllib
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
from mutations import (
    VALUES,
    WORDS,
    as_json,
    as_toml,
    changed_bytes,
    changed_table,
    changed_value,
    odd_frame,
)

import pellucid as pc
from pellucid.app.cli import main
from pellucid.audit.source import opened
from pellucid.io import load
from pellucid.taxonomy import Taxonomy

CORPUS = Path(__file__).parents[1] / "tests" / "data" / "fuzz"
ROLES: dict[str, Any] = {"quasi": ["age", "zip"], "sensitive": "disease", "identifier": "name"}
DEFECT = 3


@dataclass(frozen=True)
class Workplace:
    """A folder with good files to put a bad one beside, and what a table and a release are in memory."""

    folder: Path
    table: pc.Table
    release: pc.Release
    corpus: Mapping[str, list[bytes]]

    @classmethod
    def made(cls, folder: Path) -> Workplace:
        """The folder is the current one from now on: words of a command line are names in it."""
        warnings.simplefilter("ignore")
        os.chdir(folder)
        for name in ("csv/people.csv", "schema/people.toml", "job/job.toml", "groups/groups.csv", "taxonomy/towns.csv"):
            (folder / Path(name).name).write_bytes((CORPUS / name).read_bytes())
        table = pc.read("people.csv", **ROLES)
        release = pc.publish(table, pc.Mondrian(l=2, strict=True), seed=1)
        release.write("out")
        corpus = {kind.name: [p.read_bytes() for p in sorted(kind.iterdir())] for kind in CORPUS.iterdir()}
        return cls(folder, table, release, corpus)


Made = tuple[str, Any]  # what is to be done with it, and the input


@dataclass(frozen=True)
class Kind:
    """A kind of inputs; ``weight`` says how often its turn comes."""

    name: str
    make: Callable[[Random, Workplace], Made]
    work: Callable[[Made, Workplace], str]
    weight: int = 1

    @staticmethod
    def size(made: Made) -> int:
        """The bytes of an input."""
        return len(made[1]) if isinstance(made[1], bytes) else 1000


def _pick(kind: str, random: Random, place: Workplace) -> bytes:
    return random.choice(place.corpus[kind])


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _csv(random: Random, place: Workplace) -> Made:
    content = _pick("csv", random, place)
    if random.random() < 0.7:
        content = changed_table(_text(content), random).encode("utf-8", "surrogatepass")
    if random.random() < 0.5:
        content = changed_bytes(content, random, _pick("csv", random, place))
    if random.random() < 0.05:
        content = _text(content).encode(random.choice(("utf-16", "cp1252", "utf-8-sig")), "replace")
    return random.choice(("load", "load", "read", "levels")), content


def _frame_of(content: bytes) -> pl.DataFrame:
    return pl.read_csv(content)


def _binary(ending: str) -> Callable[[Random, Workplace], Made]:
    def make(random: Random, place: Workplace) -> Made:
        frame = odd_frame(_frame_of(place.corpus["csv"][1 if ending == "arrow" else 2]), random)
        out = io.BytesIO()
        try:
            frame.write_parquet(out) if ending == "parquet" else frame.write_ipc(out)
        except BaseException:  # polars itself cannot write it; its panics are no Exception
            return "load", b"PAR1" if ending == "parquet" else b"ARROW1\0\0"
        content = out.getvalue()
        if random.random() < 0.5:
            content = changed_bytes(content, random, place.corpus["csv"][0])
        return random.choice(("load", "read", "levels")), content

    return make


def _read(name: str) -> Callable[[Made, Workplace], str]:
    def work(made: Made, place: Workplace) -> str:
        todo, content = made
        path = place.folder / name
        path.write_bytes(content)
        if todo == "load":
            load(path)
        elif todo == "read":
            pc.read(path, quasi=["age", "zip"], sensitive="disease", threads=1)
        else:
            pc.levels(path, quasi=["age"], sensitive="disease", threads=1)
        return "read"

    return work


def _toml(kind: str) -> Callable[[Random, Workplace], Made]:
    def make(random: Random, place: Workplace) -> Made:
        content = _pick(kind, random, place)
        if random.random() < 0.6:
            said = tomllib.loads(_text(content))
            for _ in range(random.choice((1, 1, 2, 3))):
                said = changed_value(said, random)
                said = said if isinstance(said, dict) else {"columns": said}
            content = as_toml(said).encode("utf-8", "surrogatepass")
        else:
            content = changed_bytes(content, random, _pick("recipe", random, place))
        return ("also" if random.random() < 0.1 else "load"), content

    return make


def _schema(made: Made, place: Workplace) -> str:
    path = place.folder / "fuzzed.toml"
    path.write_bytes(made[1])
    schema = pc.Schema.load(path)
    if made[0] == "also":
        pc.read(place.folder / "people.csv", schema=schema, threads=1)
    return "read"


def _job(made: Made, place: Workplace) -> str:
    path = place.folder / "fuzzed.toml"
    path.write_bytes(made[1])
    job = pc.Job.load(path)
    ours = Path(job.source).name == "people.csv" and Path(job.out).absolute().parent == place.folder
    if made[0] == "also" and ours:
        job.run()
    return "read"


def _taxonomy_of(random: Random, place: Workplace) -> Made:
    ending = random.choice((".csv", ".json", ".toml"))
    content = place.corpus["taxonomy"][(".csv", ".json", ".toml").index(ending)]
    if ending == ".json" and random.random() < 0.6:
        content = as_json(changed_value(json.loads(content), random))
    elif ending == ".csv" and random.random() < 0.6:
        content = changed_table(_text(content), random).encode("utf-8", "surrogatepass")
    else:
        content = changed_bytes(content, random, _pick("taxonomy", random, place))
    return ending, content


def _taxonomy(made: Made, place: Workplace) -> str:
    path = place.folder / f"fuzzed-tree{made[0]}"
    path.write_bytes(made[1])
    tree = Taxonomy.load(path)
    for leaf in list(tree.leaves)[:3]:
        tree.path(leaf)
    return "read"


def _recipe_of(random: Random, place: Workplace) -> Made:
    content = place.corpus["recipe"][-1] if random.random() < 0.8 else _pick("recipe", random, place)
    said = json.loads(content)
    if random.random() < 0.8:
        for _ in range(random.choice((1, 1, 2, 3))):
            said = changed_value(said, random)
        content = as_json(said)
    else:
        content = changed_bytes(content, random, _pick("recipe", random, place))
    todo = random.choices(("open", "levels", "attack", "measure"), (90, 5, 4, 1))[0]
    return todo, content


def _recipe(made: Made, place: Workplace) -> str:
    folder = place.folder / "recipes"
    folder.mkdir(exist_ok=True)
    if not (folder / "data.csv").exists():
        (folder / "data.csv").write_bytes((place.folder / "out" / "data.csv").read_bytes())
    (folder / "recipe.json").write_bytes(made[1])
    if made[0] == "open":
        opened(folder)
    elif made[0] == "levels":
        pc.levels(folder, threads=1)
    elif made[0] == "attack":
        pc.attack_all(folder, truth=place.folder / "people.csv", identifier="name", classic=False)
    else:
        pc.measure(folder, place.folder / "people.csv", [pc.Loss()])
    return "read"


def _groups_of(random: Random, place: Workplace) -> Made:
    content = place.corpus["groups"][0]
    content = changed_table(_text(content), random).encode("utf-8", "surrogatepass")
    if random.random() < 0.5:
        content = changed_bytes(content, random)
    return "attack", content


def _groups(made: Made, place: Workplace) -> str:
    path = place.folder / "fuzzed-groups.csv"
    path.write_bytes(made[1])
    pc.attack(place.folder / "out", truth=place.folder / "people.csv", identifier="name", groups=path)
    return "read"


def _workload_of(random: Random, place: Workplace) -> Made:
    content = place.corpus["workload"][0]
    if random.random() < 0.7:
        content = as_json(changed_value(json.loads(content), random))
    else:
        content = changed_bytes(content, random)
    return ("also" if random.random() < 0.03 else "load"), content


def _workload(made: Made, place: Workplace) -> str:
    path = place.folder / "fuzzed-queries.json"
    path.write_bytes(made[1])
    queries = pc.Workload.load(path)
    if made[0] == "also":
        pc.measure(place.release, place.table, [pc.QueryError(workload=queries)])
    return "read"


FILES = (
    "people.csv",
    "people.toml",
    "out",
    "job.toml",
    "groups.csv",
    "towns.csv",
    "nothing",
    ".",
    "out/data.csv",
    "x.html",
)
VERBS = ("publish", "publish", "levels", "verify", "attack", "measure", "report", "init", "run", "methods", "", "x")
OPTIONS = {
    "": ["--quasi", "--sensitive", "--schema", "--json", "-q", "--help", "--version", "--debug", "--nonsense", "--"],
    "publish": [
        "--identifier",
        "--carry",
        "--method",
        "--l",
        "--k",
        "--recode",
        "--format",
        "--overwrite",
        "--seed",
        "--threads",
        "--split-intervals",
        "--keep-groups",
        "--model",
        "--alpha",
        "--strict",
        "--values",
        "--master",
    ],
    "verify": ["--require", "--truth", "--population", "--identifier", "--made-by", "--kind", "--group", "--together"],
    "attack": ["--truth", "--population", "--identifier", "--made-by", "--l", "--max-risk", "--adversary", "--groups"],
    "levels": ["--population", "--kind", "--group", "--values", "--together", "--exempt-suppressed"],
    "measure": ["--original", "--metric", "--identifier"],
    "report": ["--original", "--audience", "--title", "--identifier", "--groups", "--overwrite"],
    "init": ["--overwrite"],
}
GOOD = {
    "publish": [
        "people.csv",
        "--quasi",
        "age,zip",
        "--sensitive",
        "disease",
        "--l",
        "2",
        "--out",
        "o",
        "--overwrite",
        "-q",
    ],
    "verify": ["out", "--require", "k-anonymity=2"],
    "attack": ["out", "--truth", "people.csv", "--identifier", "name"],
    "levels": ["out", "--json"],
    "measure": ["out", "--original", "people.csv", "--metric", "loss"],
    "report": ["out", "--audience", "public", "--out", "x.html", "--overwrite"],
    "init": ["people.csv", "--overwrite", "-q"],
    "run": ["job.toml", "-q"],
    "methods": ["hybrid"],
}
MEANT = ("age", "disease", "name", "2", "1/2", "0.5", "mondrian", "tailor", "hybrid", "k-anonymity=2", "l-diversity=2")
MEANT += (
    "t-closeness=0.2",
    "algorithm",
    "nothing",
    "anatomy",
    "intervals",
    "public",
    "private",
    "kept",
    "query-error:x=1",
)


def _command_of(random: Random, place: Workplace) -> Made:  # noqa: ARG001
    verb = random.choice(VERBS)
    words = [verb, *GOOD.get(verb, [])]
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        option = random.choice(OPTIONS[""] + OPTIONS.get(verb, []))
        value = random.choice(random.choice((WORDS, FILES, MEANT)))
        words += (
            [option] if random.random() < 0.2 else [option, value] if random.random() < 0.8 else [f"{option}={value}"]
        )
    for _ in range(random.choice((0, 0, 1, 2))):
        at = random.randrange(len(words) + 1)
        words[at : at + 1] = random.choice(([], [random.choice(WORDS)], [random.choice(FILES)], words[at : at + 1] * 2))
    return "call", [word for word in words if word != "--engine"]


def _command(made: Made, place: Workplace) -> str:  # noqa: ARG001
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["--debug", *made[1]])
    if code == DEFECT:
        trace = err.getvalue()
        raise AssertionError(trace.splitlines()[-1] + "\n" + trace)
    if code == 2 and "error: " not in err.getvalue():
        raise AssertionError(f"exit {code} without a line that says why: {err.getvalue()[-500:]!r}")
    return "read" if code in (0, 1) else "refused"


ODD: tuple[Any, ...] = (
    *VALUES,
    *WORDS[:12],
    ...,
    object,
    object(),
    b"x",
    Decimal(1),
    date(2020, 1, 1),
    {1, 2},
    1j,
    print,
)
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "publish": (
        pc.publish,
        {"source": "T", "method": "M", "quasi": ["age"], "sensitive": "disease", "identifier": None}
        | {"carry": None, "recode": None, "seed": 1, "threads": 1, "schema": None},
    ),
    "read": (
        pc.read,
        {"source": "F", "quasi": ["age"], "sensitive": "disease", "identifier": "name", "carry": ["zip"]}
        | {"threads": 1, "schema": None},
    ),
    "levels": (
        pc.levels,
        {"source": "F", "quasi": ["age"], "sensitive": "disease", "kinds": None, "population": None}
        | {"group": None, "values": None, "together": False, "views": "both", "exempt_suppressed": False},
    ),
    "verify": (
        pc.verify,
        {"source": "F", "required": [pc.KAnonymity(k=2)], "quasi": ["age"], "sensitive": "disease"}
        | {"truth": None, "population": None, "made_by": None, "identifier": None, "attributes": None},
    ),
    "attack": (
        pc.attack,
        {"release": "R", "adversary": None, "truth": "T", "population": None, "made_by": None}
        | {"identifier": None, "model": None, "groups": None, "budget": 1000},
    ),
    "measure": (pc.measure, {"release": "R", "original": "T", "metrics": [pc.Loss()], "identifier": None}),
    "adversary": (pc.Adversary, {"prior": "uniform", "knows": "nothing", "facts": ()}),
    "distribution": (pc.Distribution, {"attributes": ["age"], "probabilities": None}),
    "learned": (pc.Learned, {"iterations": 3, "smoothing": 0.1}),
    "facts": (pc.Has, {"person": "Ann", "value": "flu"}),
    "schema": (
        pc.Schema.of,
        {"quasi": ["age"], "sensitive": "disease", "identifier": "name", "carry": (), "kinds": None},
    ),
    "column": (
        pc.Column,
        {"role": "quasi", "kind": "number", "domain": None, "order": None, "taxonomy": None}
        | {"nulls": "value", "missing": ()},
    ),
    "intervals": (pc.Intervals, {"split": False}),
    "workload": (pc.Workload.of, {"table": "T", "dimensions": 1, "selectivity": 0.1, "queries": 3, "seed": 1}),
    "query error": (pc.QueryError, {"dimensions": 1, "selectivity": 0.1, "queries": 3, "seed": 1}),
    **{
        kind.__name__: (kind, dict.fromkeys(kind.model_fields, 2))
        for kind in (
            pc.Hybrid,
            pc.Tailor,
            pc.Mondrian,
            pc.Incognito,
            pc.AlphaK,
            pc.GreedyGrouping,
            pc.Mask,
            pc.OptGen,
            pc.KAnonymity,
            pc.LDiversity,
            pc.TCloseness,
            pc.RecursiveDiversity,
            pc.KEAnonymity,
            pc.DeltaPresence,
        )
    },
}


def _python_of(random: Random, place: Workplace) -> Made:
    name = random.choice(list(CALLS))
    arguments = dict(CALLS[name][1])
    for _ in range(random.choice((1, 1, 2))):
        key = random.choice(list(arguments))
        arguments[key] = random.choice(ODD)
    stand_for = {"T": place.table, "R": place.release, "F": _frame_of(place.corpus["csv"][1]), "M": pc.Tailor(l=2)}
    if name == "publish":  # a table has its roles already
        stand_for["T"] = stand_for["F"]
    return name, {
        key: stand_for.get(value, value) if isinstance(value, str) else value for key, value in arguments.items()
    }


def _python(made: Made, place: Workplace) -> str:  # noqa: ARG001
    name, arguments = made
    CALLS[name][0](**arguments)
    return "read"


KINDS = {
    kind.name: kind
    for kind in (
        Kind("csv", _csv, _read("fuzzed.csv"), 10),
        Kind("parquet", _binary("parquet"), _read("fuzzed.parquet"), 4),
        Kind("arrow", _binary("arrow"), _read("fuzzed.arrow"), 4),
        Kind("schema", _toml("schema"), _schema, 60),
        Kind("job", _toml("job"), _job, 40),
        Kind("taxonomy", _taxonomy_of, _taxonomy, 80),
        Kind("recipe", _recipe_of, _recipe, 30),
        Kind("groups", _groups_of, _groups, 1),
        Kind("workload", _workload_of, _workload, 80),
        Kind("command", _command_of, _command, 1),
        Kind("python", _python_of, _python, 20),
    )
}
