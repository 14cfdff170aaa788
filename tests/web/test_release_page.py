"""Step 5, Release, over HTTP: earlier releases, and what the bundle holds that is handed out."""

from __future__ import annotations

import io
import random
import re
import zipfile
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

import pellucid as pc
from pellucid.cli.program import main
from pellucid.datasets import patients
from pellucid.web.published_labels import published_labels
from web.serving import Served
from web.stewards import published, text_of


def bundle(steward: httpx.Client) -> bytes:
    """What is handed out now."""
    return steward.get("/release/bundle.zip").content


def files_in(zipped: bytes) -> dict[str, bytes]:
    """The files of a zip by name."""
    with zipfile.ZipFile(io.BytesIO(zipped)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def report(server: Served, steward: httpx.Client, audience: str) -> bytes:
    """Have a report made, and download it."""
    steward.post("/release/report", data={"audience": audience})
    server.wait()
    return steward.get(f"/release/report/{audience}").content


# --- earlier releases


def test_step_5_lists_earlier_releases_and_goes_back_without_leaving_it(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    assert 'id="earlier"' not in steward.get("/release").text
    first = bundle(steward)
    steward.post("/method", data={"name": "tailor", "p-l": "2"})
    server.wait()
    assert bundle(steward) != first
    page = steward.get("/release")
    assert "1 earlier release kept" in text_of(page)
    assert "Go back to hybrid, l = 2" in text_of(page)
    assert "Hand out one release at most" in text_of(page)
    form = dict(
        re.findall(
            r'name="(\w+)" value="(\w*)"', page.text.partition('action="/releases/back"')[2].partition("</form>")[0]
        )
    )
    answer = steward.post("/releases/back", data=form)
    server.wait()
    assert answer.headers["location"] == "/release"
    assert "You are back at hybrid, l = 2" in text_of(steward.get("/release"))
    assert bundle(steward) == first
    assert "Go back to tailor, l = 2" in text_of(steward.get("/release"))


def test_going_back_at_step_4_shows_the_result(server: Served, steward: httpx.Client) -> None:
    published(server, steward)
    steward.post("/method", data={"name": "tailor", "p-l": "2"})
    server.wait()
    assert 'name="step" value="result"' in steward.get("/result").text
    answer = steward.post("/releases/back", data={"key": server.session.earlier[0].key, "step": "result"})
    assert answer.headers["location"] == "/result"


# --- the public report in the bundle


def test_the_public_report_comes_into_the_bundle_once_it_is_made_and_no_other_does(
    server: Served, steward: httpx.Client
) -> None:
    published(server, steward)
    before = files_in(bundle(steward))
    assert set(before) == {"data.csv", "recipe.json"}
    assert "comes into it once you make it" in text_of(steward.get("/release"))
    report(server, steward, "private")
    assert files_in(bundle(steward)) == before, "what is for the records stays out"
    public = report(server, steward, "public")
    now = files_in(bundle(steward))
    assert now == {**before, "report-public-en.html": public}
    page = text_of(steward.get("/release"))
    assert "data.csv , recipe.json , report-public-en.html" in page
    assert "The public report is inside; the report for your records is not." in page
    assert [path.name for path in server.session.folder.iterdir() if path.name.startswith("packing")] == []
    steward.post("/release/bundle", data={"format": "parquet"})
    server.wait()
    assert set(files_in(bundle(steward))) == {"data.parquet", "recipe.json"}, "a report has checksums of its files"
    assert "comes into it once you make it" in text_of(steward.get("/release"))


def test_an_unzipped_bundle_with_its_report_is_audited_as_any_other(
    server: Served, steward: httpx.Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published(server, steward)
    report(server, steward, "public")
    folder, people = tmp_path / "release", tmp_path / "people.csv"
    with zipfile.ZipFile(io.BytesIO(bundle(steward))) as archive:
        archive.extractall(folder)
    assert (folder / "report-public-en.html").is_file()
    patients().write_csv(people)
    assert main(["levels", str(folder)]) == 0
    assert main(["attack", str(folder), "--truth", str(people)]) == 0
    assert main(["verify", str(folder), "--require", "l-diversity=2"]) == 0
    assert "report-public" not in capsys.readouterr().err


def test_two_reports_that_wait_for_each_other_leave_one_bundle_with_the_public_one(
    server: Served, steward: httpx.Client
) -> None:
    published(server, steward)
    for audience in ("private", "public"):  # the second waits behind the first, or is made after it
        steward.post("/release/report", data={"audience": audience})
    server.wait()
    assert set(files_in(bundle(steward))) == {"data.csv", "recipe.json", "report-public-en.html"}
    assert [path.name for path in server.session.folder.iterdir() if path.name.startswith("packing")] == []


# --- labels of a file of SPSS or Stata


COLUMN_LABELS = {"age": "Age in years", "mood": "Mood this week", "town": "Where the person lives", "ward": "Ward"}
MOODS = {1: "low", 2: "middling", 3: "high", 97: "would not say", 98: "manic"}  # of 4 nothing is said


def survey(path: Path) -> Path:
    """A file of SPSS: moods that nobody has are labelled, and a column that is withheld."""
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pl.DataFrame(
        {
            "age": [20 + i // 4 for i in range(24)],
            "mood": [1 + i % 4 for i in range(24)],
            "town": [1 + i % 2 for i in range(24)],
            "ward": [i % 3 for i in range(24)],
        }
    )
    labels = {"mood": MOODS, "ward": {0: "the closed one", 9: "maternity"}, "town": {1: "Bonn", 2: "Jena", 3: "Trier"}}
    pyreadstat.write_sav(
        frame.to_pandas(), path, column_labels=list(COLUMN_LABELS.values()), variable_value_labels=labels
    )
    return path


def test_labels_of_what_is_published_are_handed_out_and_no_others(
    server: Served, steward: httpx.Client, tmp_path: Path
) -> None:
    path = survey(tmp_path / "survey.sav")
    steward.post("/data/upload", files={"file": (path.name, io.BytesIO(path.read_bytes()))})
    server.wait()
    roles = {"role-0": "quasi", "role-1": "sensitive", "role-2": "quasi", "role-3": "drop", "then": "method"}
    steward.post("/roles", data=roles)
    server.wait()
    steward.post("/method", data={"name": "hybrid", "p-l": "2"})
    server.wait()
    found = files_in(bundle(steward))
    assert set(found) == {"data.csv", "labels.csv", "recipe.json"}
    assert pl.read_csv(found["labels.csv"], infer_schema=False).rows() == [
        ("age", None, "Age in years"),
        ("mood", None, "Mood this week"),
        ("mood", "1", "low"),
        ("mood", "2", "middling"),
        ("mood", "3", "high"),
        ("town", None, "Where the person lives"),
    ]
    everything = b"".join(found.values()).decode()
    for word in ("manic", "would not say", "Trier", "closed", "maternity", "ward", "Ward"):
        assert word not in everything, word
    page = text_of(steward.get("/release"))
    assert "Labels from your file that are handed out: 6" in page
    assert "mood: 2 middling" in page
    assert "labels.csv" in report(server, steward, "public").decode(), "its checksum stands there"
    steward.post("/release/bundle", data={"format": "arrow"})
    server.wait()
    assert files_in(bundle(steward))["labels.csv"] == found["labels.csv"]


@pytest.mark.parametrize("recode", ["intervals", "means", "suppression", "taxonomy", "anatomy"])
def test_whatever_is_published_no_label_tells_of_a_value_that_no_cell_shows(recode: str) -> None:
    draw = random.Random(recode)
    for _ in range(20):
        rows = draw.randrange(8, 30)
        frame = pl.DataFrame(
            {
                "age": [draw.randrange(6) for _ in range(rows)],
                "score": [draw.randrange(12) for _ in range(rows)],
                "mood": [i % 4 for i in range(rows)],
            }
        )
        dictionary = {
            name: {str(value): f"{name} is {value}" for value in range(20) if draw.random() < 0.7}
            for name in ("age", "score", "mood", "home")
        }
        made = pc.publish(frame, pc.Hybrid(l=2), quasi=["age", "score"], sensitive="mood", recode=recode)
        found = published_labels(made.public, {"age": "Age", "home": "Home"}, dictionary)
        cells = {
            name: set(made.public.frames[table][name].cast(pl.String))
            for table in made.public.frames
            for name in made.public.frames[table].columns
        }
        called = "age_mean" if recode == "means" else "age"
        assert found.filter(pl.col("value").is_null()).rows() == [(called, None, "Age")]
        assert set(found["column"]) <= set(cells), "whoever reads labels.csv looks for these columns"
        told = {name: set(found.filter(pl.col("column") == name)["value"].drop_nulls()) for name in dictionary}
        assert told["home"] == set()
        assert told["mood"] == cells["mood"] & set(dictionary["mood"])
        for name in ("age", "score"):
            assert told[name] <= cells.get(name, set()) & set(dictionary[name]), name
            assert not told[name] or recode in ("intervals", "suppression", "anatomy"), "a mean is nobody's value"


@pytest.mark.parametrize(
    ("recode", "called"),
    [
        (pc.Intervals(), ["age"]),
        (pc.Intervals(split=True), ["age_low", "age_high"]),
        (pc.Means(), ["age_mean"]),
        (pc.Means(statistic="median"), ["age_median"]),
    ],
    ids=str,
)
def test_a_label_names_the_columns_that_the_release_has(recode: Any, called: list[str]) -> None:
    ages = [21, 21, 34, 34, None, 40]
    frame = pl.DataFrame({"age": ages, "mood": [1, 2, 1, 3, 2, 3]})
    made = pc.publish(frame, pc.Hybrid(l=2), quasi="age", sensitive="mood", recode=recode)
    told = published_labels(made.public, {"age": "Age in years"}, {})
    assert told.rows() == [(name, None, "Age in years") for name in called]
    assert {*called} <= {*made.public.frames["data"].columns}


@pytest.mark.parametrize(
    ("changed", "recode", "shown"),
    [
        ({"round": 10}, "intervals", "10"),
        ({"cap": {"low": 12, "high": 21}}, "anatomy", "12"),
        ({"cap": {"high": 21}}, "anatomy", "21"),
        ({"role": "weight"}, "intervals", "12"),
        ({"role": "weight", "digits": 1}, "intervals", "10"),
    ],
    ids=str,
)
def test_a_column_that_is_published_with_other_values_has_no_labels_of_them(
    changed: dict[str, Any], recode: str, shown: str
) -> None:
    frame = pl.DataFrame({"age": [10, 12, 14, 20, 21, 29], "home": [1, 1, 1, 2, 2, 2], "mood": [1, 2, 3, 1, 2, 3]})
    columns = {
        "age": pc.Column(**{"role": "quasi", **changed}),
        "home": pc.Column(role="quasi"),
        "mood": pc.Column(role="sensitive", kind="number"),
    }
    made = pc.publish(frame, pc.Hybrid(l=3), schema=pc.Schema(columns=columns), recode=recode)
    cells = {
        str(cell).removesuffix(".0")
        for one in made.public.frames.values()
        if "age" in one.columns
        for cell in one["age"]
    }
    assert shown in cells, "it is there, and is not what its label is about"
    told = published_labels(made.public, {}, {"age": {shown: "as old as that"}, "mood": {"1": "low"}})
    assert told.rows() == [("mood", "1", "low")]
