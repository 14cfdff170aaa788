"""The kinds of inputs that are fuzzed: how one is made, and what is done with it. Files are here, calls beside it."""

from __future__ import annotations

import io
import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import fuzzed_calls
import fuzzed_tables
from mutations import as_json, as_toml, changed_bytes, changed_table, changed_value, odd_frame
from workplace import BUNDLES, FOUND, Workplace

import pellucid as pc
from pellucid.audit.recipe_file import read_recipe
from pellucid.audit.source import opened
from pellucid.core.taxonomy import Taxonomy
from pellucid.io import load
from pellucid.risk.views.regrouping import kept_groups, told_groups

Made = tuple[str, Any]  # what is to be done with it, and the input


@dataclass(frozen=True)
class Kind:
    """A kind of inputs; ``weight`` says how many of a thousand it has."""

    name: str
    make: Callable[[Random, Workplace], Made]
    work: Callable[[Made, Workplace], str]
    weight: int = 1

    @staticmethod
    def size(made: Made) -> int:
        """The bytes of an input."""
        return len(made[1]) if isinstance(made[1], bytes) else 1000


def _pick(kind: str, random: Random, place: Workplace) -> bytes:
    return random.choice(list(place.corpus[kind].values()))


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


def _binary(ending: str) -> Callable[[Random, Workplace], Made]:
    def make(random: Random, place: Workplace) -> Made:
        frame = odd_frame(place.frame("release.csv" if ending == "parquet" else "people.csv"), random)
        out = io.BytesIO()
        try:
            frame.write_parquet(out) if ending == "parquet" else frame.write_ipc(out)
        except BaseException:  # polars itself cannot write it; its panics are no Exception
            return "load", b"PAR1" if ending == "parquet" else b"ARROW1\0\0"
        content = out.getvalue()
        if random.random() < 0.5:
            content = changed_bytes(content, random, place.corpus["csv"]["dates.csv"])
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
    """A changed file of a kind; what is done with it further names the file, for it fits one table alone."""

    def make(random: Random, place: Workplace) -> Made:
        name = random.choice(list(place.corpus[kind]))
        content = place.corpus[kind][name]
        if random.random() < 0.6:
            said = tomllib.loads(_text(content))
            for _ in range(random.choice((1, 1, 2, 3))):
                said = changed_value(said, random)
                said = said if isinstance(said, dict) else {"columns": said}
            content = as_toml(said).encode("utf-8", "surrogatepass")
        else:
            content = changed_bytes(content, random, _pick("recipe", random, place))
        return (Path(name).stem if random.random() < 0.12 else "load"), content

    return make


def _schema(made: Made, place: Workplace) -> str:
    path = place.folder / "fuzzed.toml"
    path.write_bytes(made[1])
    schema = pc.Schema.load(path)
    schema.to_toml()
    if made[0] != "load":
        table = {"everything": "everything", "towns": "towns-people"}.get(made[0], "people")
        pc.publish(pc.read(place.folder / f"{table}.csv", schema=schema, threads=1), pc.Tailor(l=2), threads=1)
    return "read"


def _job(made: Made, place: Workplace) -> str:
    path = place.folder / "fuzzed.toml"
    path.write_bytes(made[1])
    job = pc.Job.load(path)
    few = Path(job.source).name in ("people.csv", "everything.csv")
    if made[0] != "load" and few and Path(job.out).absolute().parent == place.folder:
        job.run()
    return "read"


def _taxonomy_of(random: Random, place: Workplace) -> Made:
    ending = random.choice((".csv", ".json", ".toml"))
    content = place.corpus["taxonomy"][f"towns{ending}"]
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
    """A changed recipe; it is put beside the data of the release that it comes from."""
    bundle = random.choice(BUNDLES)
    content = place.recipes[bundle] if random.random() < 0.9 else _pick("recipe", random, place)
    if random.random() < 0.8:
        said = json.loads(content)
        for _ in range(random.choice((1, 1, 2, 3))):
            said = changed_value(said, random)
        content = as_json(said)
    else:
        content = changed_bytes(content, random, _pick("recipe", random, place))
    todo = random.choices(("tell", "open", "levels", "verify", "attack", "measure"), (70, 12, 6, 5, 4, 3))[0]
    return f"{todo} {bundle}", content


def _recipe(made: Made, place: Workplace) -> str:
    todo, bundle = made[0].split(" ")
    folder = place.beside_data_of(bundle)
    (folder / "recipe.json").write_bytes(made[1])
    truth = place.folder / ("people.csv" if bundle == "out" else "everything.csv")
    if todo == "tell":
        told = read_recipe(folder / "recipe.json")
        told.schema  # noqa: B018 - reading it is what is tried
        if told.method is not None:
            told.made_by  # noqa: B018
    elif todo == "open":
        opened(folder)
    elif todo == "levels":
        pc.levels(folder, threads=1)
    elif todo == "verify":
        pc.verify(folder, [pc.KAnonymity(k=2)], threads=1)
    elif todo == "attack":
        pc.attack_all(folder, truth=truth, classic=False, budget=10_000)
    else:
        pc.measure(folder, truth, [pc.Loss()])
    return "read"


def _groups_of(random: Random, place: Workplace) -> Made:
    content = _pick("groups", random, place)
    if random.random() < 0.7:
        content = changed_table(_text(content), random).encode("utf-8", "surrogatepass")
    if random.random() < 0.4:
        content = changed_bytes(content, random, _pick("csv", random, place))
    if random.random() < 0.3:  # a number that means something: a group more, rows exchanged, a row withheld
        lines = [b"group", *(str(random.choice((0, 0, 1, 1, 2, -1, 5))).encode() for _ in range(6))]
        content = b"\n".join(lines) + b"\n"
    return random.choices(("told", "opened", "folder"), (85, 10, 5))[0], content


def _groups(made: Made, place: Workplace) -> str:
    path = place.folder / "fuzzed-groups.csv"
    path.write_bytes(made[1])
    if made[0] == "told":
        told_groups(place.table, place.origin, kept_groups(path))
    elif made[0] == "opened":
        pc.attack(opened(place.folder / "out"), truth=place.table, groups=path)
    else:
        pc.attack(place.folder / "out", truth=place.folder / "people.csv", identifier="name", groups=path)
    return "read"


def _workload_of(random: Random, place: Workplace) -> Made:
    content = _pick("workload", random, place)
    if random.random() < 0.7:
        content = as_json(changed_value(json.loads(content), random))
    else:
        content = changed_bytes(content, random)
    return ("also" if random.random() < 0.05 else "load"), content


def _workload(made: Made, place: Workplace) -> str:
    path = place.folder / "fuzzed-queries.json"
    path.write_bytes(made[1])
    queries = pc.Workload.load(path)
    if made[0] == "also":
        pc.measure(place.release, place.table, [pc.QueryError(workload=queries)])
    return "read"


KINDS = {
    kind.name: kind
    for kind in (
        Kind("csv", _csv, _read("fuzzed.csv"), 60),
        Kind("parquet", _binary("parquet"), _read("fuzzed.parquet"), 25),
        Kind("arrow", _binary("arrow"), _read("fuzzed.arrow"), 25),
        Kind("schema", _toml("schema"), _schema, 180),
        Kind("job", _toml("job"), _job, 120),
        Kind("taxonomy", _taxonomy_of, _taxonomy, 140),
        Kind("recipe", _recipe_of, _recipe, 180),
        Kind("groups", _groups_of, _groups, 20),
        Kind("workload", _workload_of, _workload, 130),
        Kind("command", fuzzed_calls.command_of, fuzzed_calls.command, 30),
        Kind("python", fuzzed_calls.python_of, fuzzed_calls.python, 90),
        *(Kind(name, *of) for name, of in fuzzed_tables.KINDS.items()),
    )
}


def turns(names: list[str]) -> list[str]:
    """Whose turn it is, a thousand times or less: every kind as often as it weighs, spread evenly."""
    places = [((turn + 0.5) / KINDS[name].weight, name) for name in names for turn in range(KINDS[name].weight)]
    return [name for _, name in sorted(places)]


def kept_findings() -> list[tuple[str, Made]]:
    """What was found and mended: files named ``kind--todo--number``, and command lines and calls in JSON."""
    files = [path for path in sorted(FOUND.iterdir()) if "--" in path.name]
    parts = [(path.name.split("--"), path.read_bytes()) for path in files]
    found: list[tuple[str, Made]] = [(name[0], (name[1].replace("+", " "), content)) for name, content in parts]
    found += [("command", ("call", words)) for words in json.loads((FOUND / "command.json").read_text())]
    return found + [("python", made) for made in fuzzed_calls.FOUND]
