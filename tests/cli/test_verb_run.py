"""``pellucid run``: a job file makes the release that it describes, or says in one line why not."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import pellucid as pc
from cli.program import Program, everything_in

JOB = """
source = "patients.csv"
out = "release/"

[schema.columns]
name = {{role = "identifier"}}
age = {{role = "quasi", kind = "number"}}
zipcode = {{role = "quasi", kind = "number"}}
disease = {{role = "sensitive", kind = "category"}}
{more}
[method]
name = "{method}"
{parameters}
"""


HEAD = 'source = "patients"\nout = "o"\n'


def write_job(folder: Path, *, method: str = "tailor", parameters: str = "l = 2", before: str = "") -> Path:
    job = folder / "job.toml"
    job.write_text(before + JOB.format(more="", method=method, parameters=parameters))
    return job


def test_a_job_makes_the_release_that_publish_makes(folder: Path, call: Program) -> None:
    done = call("run", write_job(folder))
    assert (done.code, done.err) == (0, "")
    words = ["--quasi", "age,zipcode", "--sensitive", "disease", "--identifier", "name", "--l", "2"]
    assert call("publish", "patients.csv", *words, "--method", "tailor", "--out", "other").code == 0
    assert (folder / "release/data.csv").read_bytes() == (folder / "other/data.csv").read_bytes()


def test_paths_are_relative_to_the_job_file(folder: Path, call: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    job = write_job(folder)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert call("run", job).code == 0
    assert (folder / "release/recipe.json").exists()
    assert everything_in(elsewhere) == {}


def test_the_document_tells_what_was_required_and_reached(folder: Path, call: Program) -> None:
    job = write_job(
        folder, before='require = ["l-diversity=2", "k-anonymity=2"]\nrecode = "anatomy"\nformat = "parquet"\n'
    )
    document = call("run", job, "--json").document
    assert [verdict["holds"] for verdict in document["required"]] == [True, True]
    assert document["recipe"]["recode"] == "anatomy"
    assert pl.read_parquet(folder / "release/sensitive.parquet").height == 8


def test_a_requirement_that_fails_ends_with_1_and_writes_nothing(folder: Path, call: Program) -> None:
    job = write_job(folder, before='require = ["k-anonymity=5"]\n')
    before = everything_in(folder)
    done = call("run", job)
    assert done.code == 1
    assert "k-anonymity = 5 is required and not met; nothing is written" in done.err
    assert "promise" not in done.out  # of nothing
    assert "pellucid attack" not in done.out
    assert everything_in(folder) == before
    with pytest.raises(pc.RequirementNotMet, match="k-anonymity = 5"):
        pc.run(job)
    assert everything_in(folder) == before


def test_an_existing_release_is_replaced_only_when_said(folder: Path, call: Program) -> None:
    job = write_job(folder)
    assert call("run", job).code == 0
    way_out = "set overwrite = true in the job (or add --overwrite) to replace"
    assert way_out in call("run", job).error
    with pytest.raises(pc.OutputError, match="or set overwrite = true in the job to replace the release in it"):
        pc.run(job)
    assert call("run", job, "--overwrite").code == 0
    job.write_text("overwrite = true\n" + job.read_text())
    assert call("run", job).code == 0


def test_kept_groups_are_replaced_only_when_said(folder: Path, call: Program) -> None:
    job = write_job(folder)
    job.write_text('keep_groups = "groups.csv"\n' + job.read_text())
    (folder / "groups.csv").write_text("group\n0\n")
    assert "keep_groups" in (error := call("run", job).error)
    assert "exists; choose another name, or set overwrite = true in the job (or add --overwrite) to replace it" in error
    with pytest.raises(pc.OutputError, match="or set overwrite = true in the job to replace it"):
        pc.run(job)
    job.write_text("overwrite = true\n" + job.read_text())
    assert call("run", job).code == 0


@pytest.mark.parametrize(
    ("job", "says"),
    [
        ('source = "patients.csv"\nout = "o"\n', "the key 'method' is missing"),
        ('source = "patients.csv"\n[method]\nname = "hybrid"\nl = 2\n', "the key 'out' is missing"),
        ('source = "patients"\nouts = "o"\n', "line 2, outs: a job has no key 'outs'; did you mean 'out'?"),
        (
            HEAD + 'method = "hybrid"\n',
            "line 3, method: 'hybrid': must be a table with a name",
        ),
        (HEAD + '[method]\nname = "hybird"\n', "did you mean 'hybrid'?"),
        (HEAD + '[method]\nname = "hybrid"\nl = 0\n', "line 5, method.l: hybrid: l = 0"),
        (
            HEAD + '[method]\nname = "hybrid"\nm = 2\n',
            "line 5, method.m: hybrid has no parameter 'm'",
        ),
        (HEAD + 'format = "xls"\n[method]\nname = "hybrid"\nl = 2\n', "line 3, format: 'xls'"),
        (
            HEAD + 'recode = "boxes"\n[method]\nname = "hybrid"\nl = 2\n',
            "line 3, recode: 'boxes'",
        ),
        ('source = "patients"\nout = 3\n[method]\nname = "hybrid"\nl = 2\n', "line 2, out: 3: must be text"),
        (
            HEAD + 'threads = "two"\n[method]\nname = "hybrid"\nl = 2\n',
            "must be a whole number",
        ),
        (
            HEAD + 'require = ["k-anonimity=2"]\n[method]\nname = "hybrid"\nl = 2\n',
            "k-anonymity",
        ),
        (HEAD + 'require = [5]\n[method]\nname = "hybrid"\nl = 2\n', "line 3, require: 5"),
        ("source = \n", "line 1: this is not TOML"),
        ('source = "absent.csv"\nout = "o"\n[method]\nname = "hybrid"\nl = 2\n', "the key 'schema' is missing"),
        ('source = "no.csv"\nout = "o"\nschema = "s.toml"\n[method]\nname = "hybrid"\nl = 2\n', "s.toml"),
    ],
)
def test_a_wrong_job_is_one_line_that_names_the_place(job: str, says: str, folder: Path, call: Program) -> None:
    (folder / "job.toml").write_text(job)
    before = everything_in(folder)
    error = call("run", "job.toml").error
    assert says in error, error
    assert everything_in(folder) == before


def test_a_job_that_is_not_there_is_named(folder: Path, call: Program) -> None:
    assert "nowhere.toml: there is no such file" in call("run", "nowhere.toml").error
    assert json.loads(call("run", folder / "nowhere.toml", "--json").out)["error"]
