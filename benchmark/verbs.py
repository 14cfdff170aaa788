"""Every verb as a whole process on large and on strange tables: CPU seconds, peak memory, and how they grow.

    python benchmark/attack.py --only verbs [--sizes 1e6,1e7] [--shape-rows 1e5] [--longest 300]

CPU seconds (user and system) and the largest memory are those that the system counted for the process.
"""

from __future__ import annotations

import compileall
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np
import polars as pl
from figures import MACHINE, Figure, as_table, say

import pellucid as pc
from pellucid.risk.inference.learning import LARGEST_LOT

QUASI, SENSITIVE = ("age", "gender", "education", "birthplace"), "occupation"
LONGEST = 300  # seconds that a verb may take, unless told otherwise; beyond, it is told as not done
STARTED = 30_000  # rows: so few that nearly all is the start
STARTS = 5  # of which the quickest counts
HEADING = "## Every verb"
PATIENCE = 600  # seconds for one attacker: who is stopped by the clock takes more of the processor on a quiet machine
VERBS = ("init", "publish", "levels", "verify", "measure", "attack", "report", "public report", "compare")
HOUSEHOLDS_L = 4
HOUSEHOLDS = (100_000, 1_000_000)  # rows
SLOWEST = {"levels": 5.0, "verify": 5.0, "attack": 60.0, "report": 80.0}  # CPU seconds for a million rows
STEEPEST = 1.1


@dataclass(frozen=True)
class Run:
    """What one process took."""

    seconds: float
    cpu: float
    megabytes: float
    code: int | None  # None: stopped


@dataclass(frozen=True)
class Subject:
    """A table in a file, and what its columns are."""

    table: Path
    quasi: Sequence[str]
    sensitive: str
    rows: int
    l: int = 8
    roles: Path | None = None  # a schema, instead of names
    further: Sequence[str] = ()  # what publishing is told besides

    @property
    def out(self) -> Path:
        return self.table.with_suffix("")

    @property
    def groups(self) -> Path:
        return self.table.with_suffix(".groups.csv")

    @property
    def schema(self) -> Path:
        return self.table.with_suffix(".toml")

    def command(self, verb: str) -> list[str]:
        """The words of a verb."""
        roles = ["--quasi", ",".join(self.quasi), "--sensitive", self.sensitive]
        if self.roles is not None:
            roles = ["--schema", str(self.roles), "--recode", "taxonomy"]
        roles += self.further
        trees = [] if self.roles is None else ["--schema", str(self.roles)]  # measuring does not read them in a recipe
        out, table, groups = str(self.out), str(self.table), ["--groups", str(self.groups)]
        page = str(self.table.with_suffix(".html"))
        patient = ["--patience", str(PATIENCE)]
        asked, kept = ["--l", str(self.l)], ["--keep-groups", str(self.groups)]
        return {
            "init": ["init", table, "--out", str(self.schema), "--overwrite"],
            "publish": ["publish", table, *roles, *asked, "--out", out, *kept, "--overwrite"],
            "levels": ["levels", out],
            "verify": ["verify", out, "--require", f"l-diversity={self.l}"],
            "measure": ["measure", out, "--original", table, *trees],
            "attack": ["attack", out, "--truth", table, *groups, *patient],
            "report": ["report", out, "--original", table, *groups, *patient, "--out", page, "--overwrite"],
            "public report": ["report", out, "--audience", "public", "--out", page, "--overwrite"],
            "compare": ["compare", table, *roles, "--methods", "soft-cut,hybrid", *asked, *patient],
        }[verb]


def run(words: Sequence[str], longest: float = LONGEST, begin: Sequence[str] = ("-m", "pellucid")) -> Run:
    """Run the program and wait for it."""
    launcher = [sys.executable, "-S", str(Path(__file__).with_name("launched.py")), str(longest)]
    told = subprocess.run([*launcher, sys.executable, *begin, *words], stdout=subprocess.PIPE, check=True).stdout
    return Run(**json.loads(told))


def ended(measured: Run, verb: str, longest: float) -> str:
    """How it ended, where that is not as it should."""
    if measured.code is None:
        return f", not done after {longest:g} s"
    return "" if measured.code == 0 else f", {verb} ended with {measured.code}"


def as_figures(
    subject: Subject, where: str, before: dict[str, Run], longest: float, verbs: Sequence[str] = VERBS
) -> list[Figure]:
    """Every verb on one table; ``before`` has what it took for a tenth of the rows, and is brought up to date."""
    figures = []
    for verb in verbs:
        measured = run(subject.command(verb), longest)
        note = f"{measured.megabytes:,.0f} MB, {measured.megabytes * 2**20 / subject.rows:,.0f} bytes per row"
        slowest = SLOWEST.get(verb)
        judged = slowest is not None and subject.rows >= 1e6 and measured.code == 0  # what did not end met nothing
        limit = slowest * subject.rows / 1e6 if judged and slowest is not None else None
        figures.append(Figure(f"`{verb}`, {where}", measured.cpu, "s", limit, note + ended(measured, verb, longest)))
        say(str(figures[-1]))
        if verb in before and measured.code == 0 and before[verb].code == 0:
            steep = log(measured.cpu / before[verb].cpu, 10)
            told = f"{before[verb].cpu:.2f} s to {measured.cpu:.2f} s"
            figures.append(Figure(f"`{verb}`, growth from a tenth of the rows, exponent", steep, "", STEEPEST, told))
        before[verb] = measured
    return figures


def as_installed() -> None:
    """Compile the package once, as an installation does; Python may be told here never to write what it compiled."""
    compileall.compile_dir(str(Path(str(pc.__file__)).parent), quiet=2)


def of_census(folder: Path, rows: int) -> Subject:
    path = folder / f"census{rows}.csv"
    pc.datasets.census(rows, seed=1).select(*QUASI, SENSITIVE).write_csv(path)
    return Subject(path, QUASI, SENSITIVE, rows)


def of_households(folder: Path, rows: int) -> Subject:
    """Such people in households of one to five rows, which are promised about as a whole; five values are protected."""
    sizes = np.random.default_rng(5).choice([1, 2, 3, 4, 5], rows, p=[0.35, 0.3, 0.15, 0.13, 0.07])
    path = folder / f"households{rows}.csv"
    home = pl.Series("home", np.repeat(np.arange(rows), sizes)[:rows])
    pc.datasets.census(rows, seed=1).select(*QUASI, SENSITIVE).with_columns(home).write_csv(path)
    return Subject(path, QUASI, SENSITIVE, rows, HOUSEHOLDS_L, further=("--cluster", "home", "--values", "1,2,3,4,5"))


def starting() -> list[Figure]:
    """How long the program takes to start, CSV to CSV, beside what importing polars alone takes in the same run."""
    as_installed()
    folder = Path(tempfile.mkdtemp(prefix="pellucid-benchmark-"))
    try:
        words = of_census(folder, STARTED).command("publish")
        published = min(run(words).cpu for _ in range(STARTS))
    finally:
        shutil.rmtree(folder)
    bare = min(run([], begin=["-c", "import polars, numpy"]).cpu for _ in range(STARTS))
    what = f"`publish`, {STARTED:,} rows: the start of the program"
    return [
        Figure(what, published, "s", None, f"the quickest of {STARTS}"),
        Figure(f"{what}, by `import polars, numpy`", published / bare, "times", None, f"that takes {bare:.2f} s"),
    ]


def large(
    sizes: Sequence[int],
    longest: float = LONGEST,
    *,
    of: Callable[[Path, int], Subject] = of_census,
    rows_of: str = "rows",
    verbs: Sequence[str] = VERBS,
) -> list[Figure]:
    """Verbs on tables of these sizes, ascending; exponents where one has ten times the rows of the last."""
    as_installed()
    figures: list[Figure] = []
    before: dict[str, Run] = {}
    last = 0
    for rows in sizes:
        folder = Path(tempfile.mkdtemp(prefix="pellucid-benchmark-"))
        try:
            if rows != 10 * last:
                before = {}
            figures += as_figures(of(folder, rows), f"{rows:,} {rows_of}", before, longest, verbs)
        finally:
            shutil.rmtree(folder)
        last = rows
    return figures


def clustered(longest: float = LONGEST) -> list[Figure]:
    """Publishing households, and the verbs that attack them."""
    verbs = ("publish", "attack", "report")
    return large(HOUSEHOLDS, longest, of=of_households, rows_of="rows in households", verbs=verbs)


Columns = dict[str, np.ndarray | list[str]]


def _whole(random: np.random.Generator, rows: int, values: int, columns: int) -> Columns:
    return {f"q{i}": random.integers(0, values, rows) for i in range(columns)}


def many_quasi(random: np.random.Generator, rows: int) -> tuple[Columns, list[str]]:
    return _whole(random, rows, 12, 30), [f"q{i}" for i in range(30)]


def unique_values(random: np.random.Generator, rows: int) -> tuple[Columns, list[str]]:
    return {f"q{i}": random.permutation(rows) for i in range(3)}, ["q0", "q1", "q2"]


def many_sensitive(random: np.random.Generator, rows: int) -> tuple[Columns, list[str]]:
    return {**_whole(random, rows, 50, 4), "s": random.integers(0, 100_000, rows)}, [f"q{i}" for i in range(4)]


def many_columns(random: np.random.Generator, rows: int) -> tuple[Columns, list[str]]:
    return _whole(random, rows, 20, 200), [f"q{i}" for i in range(4)]


def long_texts(random: np.random.Generator, rows: int) -> tuple[Columns, list[str]]:
    texts = [f"{number} " + "word " * 400 for number in range(60)]
    return {"q0": [texts[i] for i in random.integers(0, 60, rows)], **_whole(random, rows, 30, 2)}, ["q0", "q1"]


SHAPES: dict[str, Callable[[np.random.Generator, int], tuple[Columns, list[str]]]] = {
    "30 quasi-identifiers": many_quasi,
    "unique values": unique_values,
    "100,000 sensitive values": many_sensitive,
    "200 columns": many_columns,
    "long texts": long_texts,
}


DEEP = "a taxonomy of twelve levels"


def of_shape(folder: Path, name: str, rows: int) -> Subject:
    random = np.random.default_rng(7)
    columns, quasi = SHAPES[name](random, rows)
    columns.setdefault("s", random.integers(0, 40, rows))
    path = folder / f"{list(SHAPES).index(name)}.csv"
    pl.DataFrame(columns).write_csv(path)
    return Subject(path, quasi, "s", rows)


def deep_taxonomy(folder: Path, rows: int) -> Subject:
    """A column whose values are leaves of a tree with twelve levels, given by a schema."""
    random, depth = np.random.default_rng(8), 12
    paths = [[f"v{number:0{depth}b}"[: 1 + end] for end in range(depth, 0, -1)] + ["*"] for number in range(2**depth)]
    pl.DataFrame(paths, orient="row").write_csv(folder / "tree.csv", include_header=False, separator=";")
    q0 = [paths[number][0] for number in random.integers(0, 2**depth, rows)]
    path = folder / "deep.csv"
    frame = pl.DataFrame({"q0": q0, "q1": random.integers(0, 30, rows), "s": random.integers(0, 40, rows)})
    frame.write_csv(path)
    schema = folder / "roles.toml"
    schema.write_text(
        "[columns]\n"
        'q0 = { role = "quasi", kind = "category", taxonomy = { file = "tree.csv" } }\n'
        'q1 = { role = "quasi", kind = "number" }\n'
        's = { role = "sensitive", kind = "category" }\n'
    )
    return Subject(path, ["q0", "q1"], "s", rows, roles=schema)


def strange(rows: int, longest: float = LONGEST) -> list[Figure]:
    """Publishing and auditing of shapes that are hard in one way each."""
    figures: list[Figure] = []
    for name in (*SHAPES, DEEP):
        folder = Path(tempfile.mkdtemp(prefix="pellucid-benchmark-"))
        try:
            subject = deep_taxonomy(folder, rows) if name == DEEP else of_shape(folder, name, rows)
            audited = [verb for verb in VERBS if verb != "compare"]
            figures += as_figures(subject, f"{rows:,} rows, {name}", {}, longest, audited)
        finally:
            shutil.rmtree(folder)
    return figures


def page(figures: list[Figure]) -> str:
    return "\n".join(
        [
            HEADING,
            "",
            "Made by `benchmark/attack.py --only verbs`: whole processes, CPU seconds and the largest memory. "
            f"{MACHINE} The tables are `pellucid.datasets.census` with four quasi-identifiers, SoftCut, l = 8, CSV. "
            "`attack` and `report` try every attacker, told who is in which group. From more than "
            f"{LARGEST_LOT:,} people the learning attacker learns from a random sample (`--exact` takes "
            "everybody). Households have one to five rows and are promised about as a whole (`--cluster`), with l = "
            f"{HOUSEHOLDS_L} and five of the 50 values protected.",
            "",
            as_table(figures),
        ]
    )
