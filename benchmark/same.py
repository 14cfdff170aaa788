"""Whether two versions of the code say and publish the same, byte for byte: for whoever moves code about.

    git worktree add ../before COMMIT && cp src/pellucid/kernels/*.so ../before/src/pellucid/kernels/
    PYTHONPATH=../before/src python benchmark/same.py --out before.json
    PYTHONPATH=src           python benchmark/same.py --out after.json
    python benchmark/same.py --compare before.json after.json

Every method, recoder and kind of source with fixed coins; of each release its files, and what every verb says about it.
What is kept is text where it is text, so that a difference can be read. Times are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import hashlib
import io
import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

import pellucid as pc
from pellucid.app.cli import main as pellucid

METHODS = {
    "soft-cut": ["--l 2", "--l 4", "--l 3 --k 10", "--l 4 --values v0,v1", "--l 2 --largest-set 3"],
    "hybrid": ["--l 2", "--l 4", "--l 3 --k 10"],
    "ace": ["--l 3", "--l 3 --values v0"],
    "tailor": ["--l 2", "--l 4", "--model t-closeness=0.4"],
    "audited": ["--l 2", "--l 3"],
    "anatomy": ["--l 3", "--l 3 --k 6", "--l 3 --values v0"],
    "mondrian": ["--l 2", "--l 3 --strict", "--k 5", "--model entropy-l-diversity=2 --no-retry"],
    "incognito": ["--l 2", "--k 5"],
    "greedy-grouping": ["--l 2", "--l 3 --order hilbert", "--l 2 --anatomize"],
    "randomized-greedy-grouping": ["--l 2 --p 0.5", "--model k-anonymity=3 --p 0.3"],
    "symmetric-grouping": ["--l 2", "--l 3"],
    "alpha-k": ["--alpha 0.5 --k 3", "--alpha 0.3 --k 4 --values v1"],
    "mask": ["--k 4 --l 2 --values v0"],
    "spurious-records": ["--k 4 --l 2"],
    "injector": ["--l 3"],
    "art": ["--r 3", "--r 3 --values v0,v2 --no-bound"],
}
RECODERS = ("intervals", "intervals --split-intervals", "taxonomy", "anatomy", "suppression")
# An attacker who stops after so many steps says the same on every machine; one who stops after some seconds does not.
PATIENT = "--budget 100000 --patience 3600"
OTHER_CALLS = (
    "methods --json",
    "methods",
    "verify people.csv --quasi age,sex --sensitive secret --require l-diversity=2 --json",
    "levels people.csv --quasi zip,sex --sensitive secret",
    "attack people.csv --quasi age,sex --sensitive secret --made-by mondrian --l 2 --population people.csv --json "
    + PATIENT,
    "attack people.csv --quasi sex --sensitive secret --adversary nothing,learned --max-risk 1/4 " + PATIENT,
    "compare people.csv --schema schema.toml --methods soft-cut,mondrian,anatomy --l 2..3 --workers 1 --json",
    "compare people.csv --quasi age,sex --sensitive secret --methods tailor --l 2 --workers 1",
    "publish people.csv --schema schema.toml --l 400 --out refused",
    "publish people.csv --quasi agee --sensitive secret --l 2 --out refused",
    "publish absent.csv --quasi age --sensitive secret --l 2 --out refused",
    "attack absent --population people.csv",
    "measure people.csv --original absent.csv",
    "verify people.csv --require l-diversity=0",
)
ALWAYS = "--seed 7 --out out --keep-groups groups.csv --overwrite"
FORMATS = ("csv", "parquet", "arrow")
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


def people(rows: int) -> pl.DataFrame:
    """People whom a hash of their number makes, so that no library's random numbers can change them."""

    def drawn(row: int, what: str, below: int) -> int:
        return int.from_bytes(hashlib.sha256(f"{what} {row}".encode()).digest()[:4]) % below

    return pl.DataFrame(
        {
            "name": [f"p{row:04}" for row in range(rows)],
            "age": [18 + drawn(row, "age", 60) for row in range(rows)],
            "zip": [f"{13000 + drawn(row, 'zip', 90):05}" for row in range(rows)],
            "born": [f"{1940 + drawn(row, 'year', 60)}-{1 + drawn(row, 'month', 12):02}-11" for row in range(rows)],
            "sex": ["f" if drawn(row, "sex", 2) else "m" for row in range(rows)],
            "secret": [f"v{drawn(row, 'secret', 9)}" for row in range(rows)],
        }
    )


def run(*words: str) -> str:
    """What a call of the program prints, and its exit code."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = pellucid(list(words))
    return f"exit {code}\n{said.getvalue()}"


def without_times(text: str) -> str:
    return re.sub(
        r"\d+(\.\d+)?(e-\d+)? ?(s|ms|seconds?|minutes?)\b|\"seconds\": [\d.e-]+|\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*",
        "<time>",
        text,
    )


def settings() -> Iterator[tuple[str, str, str]]:
    """Method with parameters, recoder, format: every recoder with every method, formats in turn."""
    for name, variants in METHODS.items():
        for variant in variants:
            for place, recoder in enumerate(RECODERS):
                yield f"--method {name} {variant}", recoder, FORMATS[place % len(FORMATS)]


def write_sources(table: pl.DataFrame) -> None:
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


def cases() -> Iterator[tuple[str, str]]:
    """What is published: the call without its constant part, and the original for `measure`."""
    for number, (method, recoder, form) in enumerate(settings()):
        source = SOURCES[number % 2]
        yield f"{source} {method} --recode {recoder} --format {form}", "people.csv --schema schema.toml"
    for source in SOURCES:
        original = re.sub(r" --(carry|identifier) \w+", "", source)
        for method in ("--l 2", "--method tailor --l 2 --recode taxonomy", "--method anatomy --l 2 --recode anatomy"):
            yield f"{source} {method}", original


def everything() -> dict[str, str]:
    write_sources(people(240))
    told: dict[str, str] = {}
    for number, (setting, original) in enumerate(cases()):
        case = f"{number:03} {setting}"
        told[f"{case}: publish"] = run(*f"publish {setting} {ALWAYS}".split())
        if not Path("out").is_dir():
            continue
        for path in sorted(Path("out").rglob("*")):
            data = path.read_bytes()
            told[f"{case}: {path.name}"] = (
                data.decode() if path.suffix in (".csv", ".json") else hashlib.sha256(data).hexdigest()
            )
        for verb in (
            "levels out --json",
            "verify out --require l-diversity=2 --require k-anonymity=3 --json",
            f"measure out --original {original} --json",
            *(
                (
                    f"attack out --truth people.csv --groups groups.csv --identifier name --json {PATIENT}",
                    f"attack out --population people.csv --identifier name {PATIENT}",
                    f"attack out --population people.csv --identifier name --details --json {PATIENT}",
                )
                if number % 5 == 0
                else ()
            ),
            *(
                (
                    "report out --audience public --out report.html --overwrite",
                    f"report out --original {original} --out report.html --overwrite",
                )
                if number % 10 == 0
                else ()
            ),
        ):
            told[f"{case}: {verb}"] = run(*verb.split())
            if verb.startswith("report") and Path("report.html").is_file():
                told[f"{case}: {verb}: page"] = Path("report.html").read_text()
                Path("report.html").unlink()
        shutil.rmtree("out")
        Path("groups.csv").unlink(missing_ok=True)
        print(f"\r{number + 1} releases", end="", file=sys.stderr, flush=True)
    for verb in (
        *(
            "publish",
            "attack",
            "verify",
            "levels",
            "measure",
            "compare",
            "report",
            "init",
            "methods",
            "run",
            "serve",
            "demo",
            "reproduce",
        ),
    ):
        told[f"{verb} --help"] = run(verb, "--help")
    for number, verb in enumerate(OTHER_CALLS):
        told[f"other {number}: {verb}"] = run(*verb.split())
    told["init"] = run("init", "people.csv", "--out", "drafted.toml") + Path("drafted.toml").read_text()
    return {name: without_times(text) for name, text in told.items()}


def compare(before: dict[str, str], after: dict[str, str]) -> int:
    differing = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    for name in differing:
        print(f"--- {name}")
        old, new = (which.get(name, "").splitlines() for which in (before, after))
        for line in list(difflib.unified_diff(old, new, "before", "after", n=0, lineterm=""))[2:12]:
            print(f"    {line[:200]}")
    releases = sum(name.endswith(": recipe.json") for name in after)
    print(f"{len(after)} texts of {releases} releases compared, {len(differing)} differ")
    return int(bool(differing))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"))
    given = parser.parse_args()
    if given.compare:
        return compare(*(json.loads(path.read_text()) for path in given.compare))
    target = given.out.resolve()
    print(f"pellucid of {Path(str(pc.__file__)).parent}", file=sys.stderr)
    folder = tempfile.mkdtemp(prefix="pellucid-same-")
    try:
        os.chdir(folder)
        os.environ["COLUMNS"] = "100"
        target.write_text(json.dumps(everything(), indent=0))
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
