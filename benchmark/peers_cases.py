"""The cases of benchmark/peers.py: tools with their forms of l-diversity, asked by a worker process, and audited."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from math import ceil
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl
from figures import DATA

import pellucid as pc
from pellucid.core.schema import Role
from pellucid.metrics.boxes import shown_by
from pellucid.risk import attack
from pellucid.risk.inference.select_engine import believe
from pellucid.risk.report.attack_report import Attempt
from pellucid.risk.report.with_statistics import statistics_of
from pellucid.risk.views import Evidence, Gathered
from pellucid.risk.views.known_groups import evidence_of_groups

HERE = Path(__file__).resolve().parent
TAXONOMIES = DATA / "adult" / "taxonomies"
QUASI = ("age", "sex", "education", "native-country")
SENSITIVE = ("occupation", "salary-class")
ERROR = pc.QueryError(dimensions=3, selectivity=0.06, queries=400, seed=1)
TINY, TINY_QUASI = 4, ("age", "sex")
OURS = {
    "SoftCut": lambda l: pc.SoftCut(l=l),
    "Strata 50": lambda l: pc.Strata(l=l, size=50),
    "Mondrian": lambda l: pc.Mondrian(l=l),
    "Anatomy": lambda l: pc.Anatomy(l=l),
}
COINS = 3  # of SoftCut, whose error is their mean


@dataclass(frozen=True)
class Case:
    """One tool, asked for one form of l-diversity of one sensitive column."""

    tool: str
    form: str
    l: int
    c: int = 0
    suppression: float = 0.0  # the share of rows that it may suppress
    sensitive: str = "occupation"

    @property
    def key(self) -> str:
        return f"{self.tool}, {self.asked}, {self.sensitive}"

    @property
    def several(self) -> bool:
        """Whether the sensitive column has more than two values."""
        return self.sensitive == "occupation"

    @property
    def asked(self) -> str:
        """The form in a few words."""
        form = f"recursive ({self.c},{self.l})" if self.form == "recursive" else f"{self.form} {self.l}"
        return form + (f", may suppress {self.suppression:.0%}" if self.suppression else "")

    @property
    def model(self) -> pc.PrivacyModel:
        """What the form means, as the paper on l-diversity defines it."""
        if self.form == "distinct":
            return pc.DistinctLDiversity(l=self.l)
        if self.form == "entropy":
            return pc.EntropyLDiversity(l=Fraction(self.l))
        return pc.RecursiveDiversity(c=Fraction(self.c), l=self.l)


def cases() -> Iterator[Case]:
    for tool in ("anonypy", "anonypyx"):
        yield Case(tool, "distinct", 2)
        yield Case(tool, "distinct", 2, sensitive="salary-class")
        yield Case(tool, "distinct", 3)
    forms = (("distinct", 2, 0), ("distinct", 3, 0), ("entropy", 2, 0), ("entropy", 3, 0), ("recursive", 2, 4))
    for tool, suppressions in (("ANJANA", (0.0, 0.05)), ("ARX", (0.0, 0.05))):
        for suppression in suppressions:
            yield from (Case(tool, form, l, c, suppression) for form, l, c in (*forms, ("recursive", 3, 3)))
            for form, l, c in (("distinct", 2, 0), ("recursive", 2, 4)):
                yield Case(tool, form, l, c, suppression, "salary-class")


@cache
def adult() -> pl.DataFrame:
    """The people of Adult without unknown values."""
    frame = pl.read_csv(DATA / "adult" / "adult.csv", infer_schema_length=0)
    known = frame.filter(~pl.any_horizontal(pl.all() == "?"))
    return known.select(*QUASI, *SENSITIVE).with_columns(pl.col("age").cast(pl.Int64))


def schema_of(sensitive: str, *, taxonomies: bool) -> pc.Schema:
    """Age a number, the others categories, with the taxonomies where cells are nodes of them."""
    columns = {}
    for name in QUASI:
        tree = str(TAXONOMIES / f"{name}.csv") if taxonomies else None
        columns[name] = pc.Column(role="quasi", kind="number" if name == "age" else "category", taxonomy=tree)
    return pc.Schema(columns={**columns, sensitive: pc.Column(role="sensitive", kind="category")})


class Worker:
    """A process that runs a tool; ``ask`` gives its answer, ``end`` its peak of memory in megabytes."""

    def __init__(self, command: list[str], *, tabs: bool = False) -> None:
        self.tabs = tabs
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.version = self._line().get("version", "")

    def _line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the tool's process ended without an answer")
        told: dict[str, Any] = json.loads(line)
        return told

    def ask(self, **asked: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        if self.tabs:
            texts = {name: ",".join(value) if isinstance(value, list) else value for name, value in asked.items()}
            line = "\t".join(f"{name}={value}" for name, value in texts.items())
        else:
            line = json.dumps(asked)
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self._line()

    def end(self) -> float:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        # what the system says of an ended process counts also what the process held that started it
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii").splitlines()
        (peak,) = (int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        return peak


@dataclass(frozen=True)
class Tools:
    """Where the tools are: the Python of an environment that has those on PyPI, the class path of ARX."""

    python: str | None = None
    arx: str | None = None
    java: str = "java"
    arx_version: str = ""  # where its jar does not say
    names: dict[str, str] = field(default_factory=lambda: {"ANJANA": "anjana", "pyCANON": "pycanon"})

    def missing(self, tool: str) -> str:
        """Why a tool cannot be run; empty when it can."""
        if tool == "ARX":
            return "" if self.arx else "ARX is not run: give its jar, and those it needs, with --arx"
        if tool == "pellucid":
            return ""
        if self.python is None:
            return f"{tool} is not run: give the Python of an environment that has it with --python"
        name = self.names.get(tool, tool)
        found = subprocess.run([self.python, "-c", f"import {name}"], capture_output=True, check=False)
        return "" if found.returncode == 0 else f"{tool} is not run: {self.python} cannot import {name}"

    def worker(self, tool: str) -> Worker:
        if tool == "ARX":
            return Worker([self.java, "-Xmx2g", "-cp", str(self.arx), str(HERE / "ArxWorker.java")], tabs=True)
        python = sys.executable if tool == "pellucid" else str(self.python)
        return Worker([python, str(HERE / "peers_worker.py"), self.names.get(tool, tool)])


def request(case: Case, table: Path, out: Path, quasi: tuple[str, ...]) -> dict[str, Any]:
    asked = {"form": case.form, "l": case.l, "c": case.c, "suppression": case.suppression, "table": str(table)}
    numbers = [name for name in quasi if name == "age"]
    roles = {"quasi": list(quasi), "numbers": numbers, "sensitive": case.sensitive}
    return {**asked, **roles, "taxonomies": str(TAXONOMIES), "out": str(out)}


def asked_of(case: Case, tools: Tools, folder: Path) -> tuple[dict[str, Any], pl.DataFrame | None]:
    """What a tool took, and what it publishes; or why it publishes nothing."""
    table, out = folder / "table.csv", folder / "out.csv"
    adult().write_csv(table)
    worker = tools.worker(case.tool)
    told = worker.ask(**request(case, table, out, QUASI))
    found: dict[str, Any] = {"version": worker.version or tools.arx_version, "memory": round(worker.end())}
    if "error" in told or "none" in told:
        return {**found, **told}, None
    published = pl.read_csv(out, infer_schema_length=0).select(pl.col(QUASI).fill_null(""))
    return {**found, "seconds": round(told["seconds"], 2)}, published


def measured(case: Case, tools: Tools) -> dict[str, Any]:
    """A case: what it took, what was published, what is found in it and what it is worth."""
    with tempfile.TemporaryDirectory() as folder:
        found, published = asked_of(case, tools, Path(folder))
    if published is None:
        return found
    return {**found, **audited(case, published), "error": errors_of(case, published)}


def audited(case: Case, published: pl.DataFrame) -> dict[str, Any]:
    """What counting finds, and somebody who assumes minimality."""
    there = published[QUASI[0]] != ""
    people, published = adult().select(*QUASI, case.sensitive).filter(there), published.filter(there)
    labels = published.select(pl.struct(QUASI).rank("dense") - 1).to_series().to_numpy()
    table = pc.read(people, schema=schema_of(case.sensitive, taxonomies=False))
    evidence = evidence_of_groups(table, labels.tolist(), model=case.model)
    counted = attack(evidence, pc.Adversary(knows="nothing"))
    began = process_time()
    own = ~starred(published)  # no tool asks anything of the rows that it suppresses
    own = own if own.any() else ~own
    renumbered = np.unique(labels[own.to_numpy()], return_inverse=True)[1]
    asked = evidence_of_groups(pc.read(people.filter(own), schema=table.schema), renumbered.tolist())
    keeps = bool(case.model.check(asked.published))
    found: dict[str, Any] = {
        "groups": len(evidence.grouping),
        "smallest": int(evidence.grouping.sizes.min()),
        "suppressed": int((~there).sum()) + int(starred(published).sum()),
        "keeps": keeps,
        "counted": float(counted.risk.max()),
        "exposed": above(counted.risk, case.l),
    }
    try:
        reasoned = attack(evidence, pc.Adversary(knows="minimality"))
    except pc.PellucidError as wrong:
        return {**found, "not reasoned": str(wrong)}
    sampled = "sampled" in reasoned.engine
    found |= {"minimality": float(reasoned.risk.max()), "reasoned": above(reasoned.risk, case.l), "sampled": sampled}
    return {**found, "audit seconds": round(process_time() - began, 1)}


def learned(case: Case, tools: Tools) -> dict[str, Any]:
    """How often the strongest attacker with statistics is right about a release, and what is left of contrasts."""
    with tempfile.TemporaryDirectory() as folder:
        told, published = asked_of(case, tools, Path(folder))
    if published is None:
        return told
    there = published[QUASI[0]] != ""
    people, published = adult().select(*QUASI, case.sensitive).filter(there), published.filter(there)
    labels = published.select(pl.struct(QUASI).rank("dense") - 1).to_series().to_numpy()
    table = pc.read(people, schema=schema_of(case.sensitive, taxonomies=False))
    found = rightly(evidence_of_groups(table, labels.tolist()), table)
    schema = schema_of(case.sensitive, taxonomies=case.tool in {"ARX", "ANJANA"})
    release = published.with_columns(people[case.sensitive])
    return {**found, "version": told["version"], **contrasts_of(release, adult(), schema=schema)}


def learned_of_ours(name: str, l: int) -> dict[str, Any]:
    """The same of a method of ours."""
    table = pc.read(adult().select(*QUASI, "occupation"), schema=schema_of("occupation", taxonomies=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = pc.publish(table, OURS[name](l), seed=0)
    evidence = evidence_of_groups(table, release.private.labels.tolist())
    told = contrasts_of(release, table)
    return {**rightly(evidence, table), "version": version("pellucid"), **told}


def rightly(evidence: Evidence, table: pc.Table) -> dict[str, Any]:
    """The statistic with which best guesses are right most often, and that without the release and with it."""
    (sensitive,) = table.having(Role.SENSITIVE)
    gathered = Gathered(evidence, table.codes[sensitive])
    tried = [(one.by, one.right) for one in statistics_of(gathered, None, lot=len(table)) if one.right is not None]
    learner = Attempt(believe(gathered, pc.Adversary(prior=pc.Learned())), None).rightly
    assert learner is not None
    by, most = max([*tried, ("learned", learner)], key=lambda one: one[1].right)
    figures = {"right": most.right, "right alone": most.right_alone, "mean": most.mean, "mean alone": most.mean_alone}
    return {"by": by, **{name: None if value is None else round(value, 4) for name, value in figures.items()}}


def contrasts_of(release: Any, people: Any, **more: Any) -> dict[str, Any]:
    """By how much differences between classes of people are off, as a share of all these differences."""
    if isinstance(release, pl.DataFrame) and starred(release.select(QUASI)).all():
        return {}
    (score,) = pc.measure(release, people, [pc.Contrasts()], **more)
    return {"contrasts": round(score.value, 4)}


def starred(published: pl.DataFrame) -> pl.Series:
    """The rows of which every quasi-identifier is a star."""
    return published.select(pl.all_horizontal(pl.all() == "*")).to_series()


def above(risk: Any, l: int) -> int:
    return int((np.asarray(risk) > 1 / l + 1e-9).sum())


def errors_of(case: Case, published: pl.DataFrame) -> float | None:
    """The mean relative error of counts, as ``pellucid measure`` has it; None where nothing but stars is published."""
    if starred(published).all():
        return None
    people = adult().select(*QUASI, case.sensitive)
    release = published.with_columns(people[case.sensitive]).filter(pl.col(QUASI[0]) != "")
    schema = schema_of(case.sensitive, taxonomies=case.tool in {"ARX", "ANJANA"})
    (score,) = pc.measure(release, people, [ERROR], schema=schema)
    return float(f"{score.value:.4g}")


def soft_cut(l: int, sensitive: str) -> dict[str, Any]:
    """SoftCut with this l: the error of its release, mean of some coins; or why there is none."""
    table = pc.read(adult().select(*QUASI, sensitive), schema=schema_of(sensitive, taxonomies=False))
    errors, smallest = [], []
    for coin in range(COINS):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                release = pc.publish(table, pc.SoftCut(l=l), seed=coin)
        except pc.PellucidError as wrong:
            return {"infeasible": str(wrong)}
        score = ERROR.score(shown_by(release, table))
        errors.append(float(score.value))
        smallest.append(int(release.private.grouping.sizes.min()))
    return {"error": float(f"{np.mean(errors):.4g}"), "bound": 1 / l, "smallest": min(smallest)}


def speed_of_soft_cut(l: int, tools: Tools) -> dict[str, Any]:
    case = Case("pellucid", "SoftCut", l)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        adult().write_csv(table)
        worker = tools.worker("pellucid")
        told = worker.ask(**request(case, table, Path(folder) / "out.csv", QUASI))
        return {"version": worker.version, "seconds": round(told["seconds"], 2), "memory": round(worker.end())}


def at_found_risk(found: float) -> int:
    """The l of SoftCut that bounds the risk by no more than was found elsewhere.

    >>> at_found_risk(0.897), at_found_risk(0.3)
    (2, 4)
    """
    return max(2, ceil(1 / found - 1e-9))


def tiny_tables(sensitive: str) -> Iterator[pl.DataFrame]:
    """Tables of seven people of three ages, of which Adult's taxonomy has the first two in one class of five years.

    Three, two and two of them look alike; who has which value is drawn by a public seed.
    """
    names = sorted(adult()[sensitive].unique().to_list())
    for seed in range(TINY):
        random = np.random.default_rng(seed)
        age, sex = 10 * int(random.integers(2, 6)), str(random.choice(["Female", "Male"]))
        ages = np.repeat(random.permutation([age, age + 1, age + 6]), (3, 2, 2))
        some = names if len(names) == 2 else random.choice(names, 3, replace=False).tolist()
        values = np.repeat(some, (4, 3) if len(names) == 2 else (3, 2, 2))
        columns = {"age": ages, "sex": [sex] * len(ages), sensitive: random.permutation(values)}
        yield pl.DataFrame({name: list(map(str, held)) for name, held in columns.items()}).with_columns(
            pl.col("age").cast(pl.Int64)
        )


def black_box(case: Case, tools: Tools) -> dict[str, Any]:
    """Of tiny tables: the largest belief by counting and by somebody who tries every world with the tool."""
    worker, figures = tools.worker(case.tool), []
    with tempfile.TemporaryDirectory() as folder:
        for people in tiny_tables(case.sensitive):
            try:
                figures.append(_of_tiny(case, worker, people, Path(folder)))
            except pc.PellucidError as wrong:
                figures.append({"refused": str(wrong)})
    worker.end()
    return {"tables": figures}


def _of_tiny(case: Case, worker: Worker, people: pl.DataFrame, folder: Path) -> dict[str, Any]:
    def published(world: pl.DataFrame) -> pl.DataFrame:
        table, out = folder / "table.csv", folder / "out.csv"
        world.write_csv(table)
        told = worker.ask(**request(case, table, out, TINY_QUASI))
        if "seconds" not in told or "none" in told:
            raise ValueError(told.get("none") or told.get("error"))
        cells = pl.read_csv(out, infer_schema_length=0).select(TINY_QUASI)
        return cells.with_columns(world[case.sensitive])

    beliefs = pc.attack_anonymizer(published, people, quasi=list(TINY_QUASI), sensitive=case.sensitive)
    truth = published(people)
    counts = truth.group_by(*TINY_QUASI, case.sensitive).len()
    shares = counts.select(pl.col("len") / pl.col("len").sum().over(TINY_QUASI)).to_series()
    return {"counted": float(shares.max()), "informed": float(beliefs.risk.max())}  # type: ignore[arg-type]


Results = Mapping[str, Any]
