"""Whether two versions of the code say and publish the same, byte for byte: for whoever moves code about.

    git worktree add ../before COMMIT && cp src/pellucid/kernels/*.so ../before/src/pellucid/kernels/
    PYTHONPATH=../before/src python benchmark/same.py --out before.json
    PYTHONPATH=src           python benchmark/same.py --out after.json
    python benchmark/same.py --compare before.json after.json
    PYTHONPATH=src           python benchmark/same.py --out some.json --only 'report|walk'   # or: --part 1/4
    python benchmark/same.py --compare before.json some.json                                 # what both have

About 40 tables with fixed coins. Every setting of a method meets every recoder; tables, formats, kinds of source,
further options and what is asked of a release are drawn so that every pair of them occurs. Of each call what it prints,
to both streams, and its exit code; of a release its files; reports; and the pages of a walk through the browser app.
What is kept is text where it is text, so that a difference can be read. Times are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import hashlib
import io
import itertools
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

import pellucid as pc
from pellucid.cli.program import main as pellucid

METHODS = {
    "soft-cut": ["--l 2", "--l 4", "--l 3 --k 10", "--l 4 --values v0,v1", "--l 2 --largest-set 3"],
    "hybrid": ["--l 2", "--l 4", "--l 3 --k 10"],
    "ace": ["--l 3", "--l 3 --values v0"],
    "tailor": ["--l 2", "--l 4", "--model t-closeness=0.4"],
    "audited": ["--l 2", "--l 3"],
    "anatomy": ["--l 3", "--l 3 --k 6", "--l 3 --values v0"],
    "mondrian": ["--l 2", "--l 3 --strict", "--k 5", "--model entropy-l-diversity=2 --no-retry"],
    "incognito": ["--l 2", "--k 5", "--k 5 --max-suppressed 0.1"],
    "greedy-grouping": ["--l 2", "--l 3 --order hilbert", "--l 2 --anatomize"],
    "randomized-greedy-grouping": ["--l 2 --p 0.5", "--model k-anonymity=3 --p 0.3"],
    "symmetric-grouping": ["--l 2", "--l 3"],
    "alpha-k": ["--alpha 0.5 --k 3", "--alpha 0.3 --k 4 --values v1"],
    "mask": ["--k 4 --l 2 --values v0"],
    "spurious-records": ["--k 4 --l 2"],
    "injector": ["--l 3"],
    "art": ["--r 3", "--r 3 --values v0,v2 --no-bound"],
    "mdav": ["--k 5"],
}
RECODERS = ("intervals", "intervals --split-intervals", "taxonomy", "anatomy", "suppression", "means", "means --median")
FORMATS = ("csv", "parquet", "arrow")
OPTIONS = ("", "--importance age=3", "--json", "--quiet", "--threads 1", "--largest-set 2", "--accept-known zip")
# An attacker who stops after so many steps says the same on every machine; one who stops after some seconds does not.
PATIENT = "--budget 100000 --patience 3600"
# What is asked of a release: {} is its table as a source, with its schema.
QUESTIONS = (
    "levels out",
    "levels out --json",
    "levels out --require k-anonymity=3",
    "verify out --require l-diversity=2 --require k-anonymity=3",
    "verify out --require l-diversity=2 --require t-closeness=0.5 --json",
    "measure out --original {}",
    "measure out --original {} --json",
    "attack out --truth {table} --groups groups.csv --identifier name PATIENT",
    "attack out --truth {table} --groups groups.csv --identifier name --json PATIENT",
    "attack out --population {table} --identifier name PATIENT",
    "attack out --population {table} --identifier name --details PATIENT",
    "attack out --truth {table} --groups groups.csv --identifier name --max-risk 1/2 PATIENT",
    "attack out --adversary nothing,learned --max-risk 1/4 --json PATIENT",
    "report out --audience public --out report.html --overwrite",
    "report out --original {} --groups groups.csv --out report.html --overwrite",
    "report out --original {} --out report.html --overwrite --json",
)
ASKED = 6  # questions of each release
TABLES = 40
OTHER_CALLS = (
    "methods --json",
    "methods",
    "methods soft-cut",
    "methods mondrian --json",
    "verify people.csv --quasi age,sex --sensitive secret --require l-diversity=2 --json",
    "levels people.csv --quasi zip,sex --sensitive secret",
    f"attack people.csv --quasi age,sex --sensitive secret --made-by mondrian --l 2 --population people.csv {PATIENT}",
    f"attack people.csv --quasi sex --sensitive secret --adversary nothing,learned --max-risk 1/4 {PATIENT}",
    "compare people.csv --schema schema.toml --methods soft-cut,mondrian,anatomy --l 2..3 --workers 1 --json",
    "compare people.csv --quasi age,sex --sensitive secret --methods tailor --l 2 --workers 1",
    "compare 3.csv --schema 3.toml --methods soft-cut,hybrid --l 2 --workers 1",
    "publish people.csv --schema schema.toml --l 400 --out refused",
    "publish people.csv --schema schema.toml --l two --out refused",
    "publish people.csv --schema schema.toml --l 2 --method soft-cat --out refused",
    "publish people.csv --quasi agee --sensitive secret --l 2 --out refused",
    "publish people.csv --quasi age --sensitive age --l 2 --out refused",
    "publish people.csv --quasi age --sensitive secret --l 2 --recode means --split-intervals --out refused",
    "publish people.csv --quasi age --sensitive secret --kind age=colour --l 2 --out refused",
    "publish people.csv --quasi age --sensitive secret --values v77 --l 2 --out refused",
    "publish people.csv --schema absent.toml --l 2 --out refused",
    "publish people.csv --l 2 --out refused",
    "publish absent.csv --quasi age --sensitive secret --l 2 --out refused",
    "publish ragged.csv --quasi age --sensitive secret --l 2 --out refused",
    "publish empty.csv --quasi age --sensitive secret --l 2 --out refused",
    "publish people.csv --quasi age,sex --nothing-sensitive --k 4 --seed 7 --out hidden",
    "levels hidden",
    "attack absent --population people.csv",
    "attack people.csv --quasi age --sensitive secret --population absent.csv",
    "measure people.csv --original absent.csv",
    "verify people.csv --require l-diversity=0",
    "verify people.csv --quasi age --sensitive secret --require l-diversite=2",
    "run job.toml",
    "run job.toml",
    "run job.toml --overwrite --json",
    "run broken.toml",
    "run strict.toml",
    "report absent --out report.html",
    "reproduce --help",
    "init ragged.csv",
    "nonsense",
)
VERBS = (
    *("publish", "attack", "verify", "levels", "measure", "compare", "report"),
    *("init", "methods", "run", "serve", "demo", "reproduce"),
)
ALWAYS = "--seed 7 --out out --keep-groups groups.csv --overwrite"
SOURCES = (
    "people.csv --schema schema.toml",
    "people.parquet --schema schema.toml",
    "people.arrow --schema schema.toml",
    "people-in-parts --schema schema.toml",
    "people.tsv --schema schema.toml",
    "nameless.txt --no-header --separator | --quasi column_2,column_5 --sensitive column_6 --identifier column_1",
    "sqlite:///people.db::people --schema schema.toml",
    "people.csv --quasi age,sex --sensitive secret --carry zip --identifier name",
    "people.csv --quasi age,sex --sensitive secret,zip --identifier name",
    "census:300",
    "patients",
)
SCHEMA = """[columns]
name = {role = "identifier"}
age = {role = "quasi", kind = "number", taxonomy = {ladder = [10, 30]}}
zip = {role = "quasi", kind = "category", taxonomy = {prefix = [3, 1]}}
born = {role = "quasi", kind = "date", taxonomy = {dates = ["year"]}}
sex = {role = "quasi", kind = "category"}
secret = {role = "sensitive"}
"""
JOB = """source = "people.csv"
schema = "schema.toml"
out = "of-a-job"
seed = 7
recode = "taxonomy"
importance = { age = 2 }
require = ["k-anonymity=2"]
keep_groups = "of-a-job.csv"
[method]
name = "hybrid"
l = 3
"""
PAGES = ("/data", "/roles", "/method", "/result", "/result/risk", "/result/utility", "/result/compare", "/release")
DETAILS = ("/roles/1", "/roles/3", "/method?name=mondrian&l=2", "/method?name=hybrid&l=9", "/nowhere")


def drawn(*what: object) -> int:
    """A number that a hash makes, so that no library's random numbers can change it."""
    return int.from_bytes(hashlib.sha256(" ".join(map(str, what)).encode()).digest()[:6])


def people(rows: int, seed: str = "", values: int = 9) -> pl.DataFrame:
    def one(row: int, what: str, below: int) -> int:
        return drawn(*filter(None, (seed, what, row))) % below

    return pl.DataFrame(
        {
            "name": [f"p{row:04}" for row in range(rows)],
            "age": [18 + one(row, "age", 60) for row in range(rows)],
            "zip": [f"{13000 + one(row, 'zip', 90):05}" for row in range(rows)],
            "born": [f"{1940 + one(row, 'year', 60)}-{1 + one(row, 'month', 12):02}-11" for row in range(rows)],
            "sex": ["f" if one(row, "sex", 2) else "m" for row in range(rows)],
            "secret": [f"v{min(one(row, 'secret', values), one(row, 'again', values + 3))}" for row in range(rows)],
        }
    )


def write_table(number: int) -> None:
    """A table and its schema, each with traits of its own: nulls, decimals, households, weights, several columns."""
    table, schema = people(60 + drawn("rows", number) % 160, str(number), 4 + number % 6), SCHEMA
    rows = range(table.height)
    if number % 3 == 0:
        table = table.with_columns(
            pl.Series(
                "age",
                [
                    None if drawn(number, "null", row) % 15 == 0 else age
                    for row, age in zip(rows, table["age"], strict=True)
                ],
            )
        )
    if number % 4 == 1:
        table = table.with_columns(height=pl.Series([150 + (drawn(number, "height", row) % 400) / 10 for row in rows]))
        schema += 'height = {role = "quasi", round = 5}\n'
    if number % 5 == 2:
        table = table.with_columns(second=pl.Series([f"w{drawn(number, 'second', row) % 6}" for row in rows]))
        schema += 'second = {role = "sensitive"}\n'
    if number % 7 == 3:
        table = table.with_columns(home=pl.Series([f"h{row // (1 + number % 3)}" for row in rows]))
        schema += 'home = {role = "cluster"}\n'
    if number % 6 == 4:
        table = table.with_columns(stands=pl.Series([1 + drawn(number, "weight", row) % 30 / 10 for row in rows]))
        schema += 'stands = {role = "weight"}\n'
    if number % 8 == 5:
        schema = schema.replace('secret = {role = "sensitive"}', 'secret = {role = "sensitive", protect = ["v0"]}')
    if number % 9 == 6:
        schema = schema.replace('name = {role = "identifier"}', 'name = {role = "drop"}')
    if number % 10 == 7:
        schema = schema.replace("taxonomy = {ladder = [10, 30]}", "cap = {low = 25, high = 70}")
    if number % 4 == 2:
        schema = schema.replace('born = {role = "quasi"', 'born = {role = "carry"')
    table.write_csv(f"{number}.csv")
    Path(f"{number}.toml").write_text(schema)


def write_sources() -> None:
    table = people(240)
    table.write_csv("people.csv")
    table.write_parquet("people.parquet")
    table.write_ipc("people.arrow")
    table.write_csv("people.tsv", separator="\t")
    table.write_csv("nameless.txt", separator="|", include_header=False)
    Path("people-in-parts").mkdir()
    for part in range(3):
        table[80 * part : 80 * part + 80].write_parquet(f"people-in-parts/part-{part}.parquet")
    with contextlib.closing(sqlite3.connect("people.db")) as database, database:
        database.execute(f"create table people ({', '.join(table.columns)})")
        database.executemany(f"insert into people values ({', '.join('?' * table.width)})", table.rows())
    Path("schema.toml").write_text(SCHEMA)
    Path("ragged.csv").write_text("age,secret\n1,a\n2,b,c\n3\n")
    Path("empty.csv").write_text("")
    Path("job.toml").write_text(JOB)
    Path("broken.toml").write_text(JOB.replace("hybrid", "hibryd"))
    Path("strict.toml").write_text(JOB.replace("k-anonymity=2", "k-anonymity=200").replace("of-a-job", "strict"))
    for number in range(TABLES):
        write_table(number)


def run(*words: str) -> str:
    """What a call of the program prints, to which stream, and its exit code."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code: object = pellucid(list(words))
        except BaseException:
            code = traceback.format_exc(limit=-1)
    return f"exit {code}\n{out.getvalue()}--- stderr\n{err.getvalue()}"


def without_times(text: str) -> str:
    return re.sub(
        r"\d+(\.\d+)?(e-\d+)? ?(s|ms|seconds?|minutes?)\b|\"seconds\": [\d.e-]+|\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*"
        r"|\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d|\b[0-9a-f]{16}\b|127\.0\.0\.1:\d+|\?v=\w+",
        "<time>",
        text,
    )


class Pairs:
    """Which pairs of choices have not met yet: whoever chooses takes what makes most of them meet."""

    def __init__(self) -> None:
        self.met: set[tuple[object, object]] = set()

    def best(self, given: Sequence[object], choices: Sequence[object], turn: object) -> object:
        def new(choice: object) -> int:
            return sum((one, choice) not in self.met for one in given)

        chosen = max(choices, key=lambda choice: (new(choice), drawn(turn, choice)))
        self.met.update((one, chosen) for one in given)
        return chosen


def cases() -> Iterator[tuple[str, str, str, list[str]]]:
    """What is published: the call without its constant part, the original for `measure`, its file, what is asked."""
    pairs = Pairs()

    def asked(given: Sequence[object]) -> list[str]:
        left, some = list(QUESTIONS), []
        for turn in range(ASKED):
            question = str(pairs.best(given, left, (turn, *given)))
            left.remove(question)
            some.append(question)
        return some

    settings = [f"--method {name} {variant}" for name, variants in METHODS.items() for variant in variants]
    for method, recoder in itertools.product(settings, RECODERS):
        table = pairs.best([method, recoder], range(TABLES), (method, recoder))
        form = pairs.best([method, recoder, table], FORMATS, (method, recoder))
        more = pairs.best([method, recoder, table, form], OPTIONS, (method, recoder))
        source = f"{table}.csv --schema {table}.toml"
        setting = f"{source} {method} --recode {recoder} --format {form} {more}".strip()
        yield setting, source, f"{table}.csv", asked([method, recoder, table, form, more])
    for source in SOURCES:
        original = re.sub(r" --(carry|identifier) \w+", "", source)
        for method in ("--l 2", "--method tailor --l 2 --recode taxonomy", "--method anatomy --l 2 --recode anatomy"):
            yield f"{source} {method}", original, "people.csv", asked([source, method])


def release(case: str, setting: str, original: str, table: str, asked: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What publishing says, the files of the release, and what is said about it."""
    yield f"{case}: publish", run(*f"publish {setting} {ALWAYS}".split())
    if not Path("out").is_dir():
        return
    for path in sorted(Path("out").rglob("*")):
        data = path.read_bytes()
        text = data.decode() if path.suffix in (".csv", ".json") else hashlib.sha256(data).hexdigest()
        yield f"{case}: {path.name}", text
    for question in asked:
        call = question.replace("PATIENT", PATIENT).replace("{table}", table).replace("{}", original)
        yield f"{case}: {question}", run(*call.split())
        if Path("report.html").is_file():
            yield f"{case}: {question}: page", Path("report.html").read_text()
            Path("report.html").unlink()
    shutil.rmtree("out")
    Path("groups.csv").unlink(missing_ok=True)


def walk(name: str, forms: Sequence[tuple[str, dict[str, str]]]) -> Iterator[tuple[str, str]]:
    """The pages of the browser app after these forms, over HTTP; of the tree whose package this is."""
    tests = str(Path(str(pc.__file__)).parents[2] / "tests")
    sys.path.insert(0, tests)
    from web.serving import served

    with served(seed=7) as running, running.steward() as steward:
        for address, form in forms:
            steward.post(address, data=form)
            running.wait()
        for page in (*PAGES, *DETAILS):
            yield f"walk {name}: {page}", re.sub(r">\s*<", ">\n<", steward.get(page).text)
    sys.path.remove(tests)


PATIENTS = (
    ("/data/demo", {"name": "patients"}),
    ("/roles/1", {"role": "quasi", "taxonomy": "ladder", "ladder": "5, 10, 20"}),
    ("/roles", {"then": "method"}),
)
WALKS = {
    "broken": (
        *PATIENTS,
        ("/result/compare", {"m-hybrid": "on", "m-mondrian": "on", "from": "2", "to": "3"}),
        ("/method", {"name": "mondrian", "p-l": "2"}),
        ("/result/person", {"who": "Ann"}),
        ("/release/report", {"audience": "private"}),
    ),
    "kept": (*PATIENTS, ("/method", {"name": "soft-cut", "p-l": "2"}), ("/result/person", {"who": "Ann"})),
    "refused": (*PATIENTS, ("/method", {"name": "soft-cut", "p-l": "40"})),
    "census": (
        ("/data/demo", {"name": "census"}),
        ("/roles", {"then": "method"}),
        ("/method", {"name": "soft-cut", "p-l": "3"}),
    ),
}


def everything(only: re.Pattern[str], part: int, parts: int) -> dict[str, str]:
    write_sources()
    told: dict[str, str] = {}
    for number, (setting, *how) in enumerate(cases()):
        case = f"{number:03} {setting}"
        if number % parts == part and only.search(f"{case} {how}"):
            told.update(release(case, setting, *how))
            print(f"\r{number + 1} releases", end="", file=sys.stderr, flush=True)
    for verb in VERBS:
        if only.search(f"{verb} --help"):
            told[f"{verb} --help"] = run(verb, "--help")
    for number, call in enumerate(OTHER_CALLS):
        if only.search(f"other {call}"):
            told[f"other {number}: {call}"] = run(*call.split())
    if only.search("init"):
        told["init"] = run("init", "people.csv", "--out", "drafted.toml") + Path("drafted.toml").read_text()
    for name, forms in WALKS.items():
        if only.search(f"walk {name}"):
            told.update(walk(name, forms))
    return {name: without_times(text) for name, text in told.items()}


def compare(before: dict[str, str], after: dict[str, str]) -> int:
    both = before.keys() & after.keys()
    differing = sorted(name for name in both if before[name] != after[name])
    for name in differing:
        print(f"--- {name}")
        old, new = before[name].splitlines(), after[name].splitlines()
        for line in list(difflib.unified_diff(old, new, "before", "after", n=0, lineterm=""))[2:12]:
            print(f"    {line[:200]}")
    for which, missing in (("before", after.keys() - both), ("after", before.keys() - both)):
        if missing:
            print(f"{len(missing)} texts are not in the record of {which}, such as {min(missing)}")
    releases = sum(name.endswith(": recipe.json") for name in both)
    print(f"{len(both)} texts of {releases} releases compared, {len(differing)} differ")
    return int(bool(differing))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="record what this version says and publishes")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX", help="cases that match")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="the K-th of N parts of the releases")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"))
    given = parser.parse_args()
    if given.compare:
        return compare(*(json.loads(path.read_text()) for path in given.compare))
    target = given.out.resolve()
    part, parts = map(int, given.part.split("/"))
    print(f"pellucid of {Path(str(pc.__file__)).parent}", file=sys.stderr)
    folder = tempfile.mkdtemp(prefix="pellucid-same-")
    try:
        os.chdir(folder)
        os.environ["COLUMNS"] = "100"
        target.write_text(json.dumps(everything(given.only, part - 1, parts), indent=0))
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
