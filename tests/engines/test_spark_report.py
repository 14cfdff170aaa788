"""The public report of a release that is with Spark is the page that is made of the same release in memory."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from engines.spark_frames import to_spark
from engines.tables import in_parts, people, schema_of
from pellucid.cli.program import main
from pellucid.reports import origin

ON_SPARK = pytest.mark.spark
FILES = re.compile(r'<h3 id="files">.*?</table>', re.DOTALL)
SPLIT = pc.Intervals(split=True)
CASES: list[tuple[Any, Any, str, tuple[str, ...]]] = [
    (pc.SoftCut(l=2), "intervals", "six", ("ill",)),
    (pc.SoftCut(l=3), "taxonomy", "taxonomies", ("ill",)),
    (pc.Hybrid(l=2), SPLIT, "many values", ("ill", "cost")),
    (pc.Tailor(l=2), "taxonomy", "taxonomies", ("cost",)),
    (pc.Tailor(l=2), "intervals", "ties", ("ill",)),
    (pc.Anatomy(l=3), "anatomy", "six", ("ill",)),
    (pc.Anatomy(l=2), "anatomy", "ties", ("ill",)),
    (pc.Ace(l=3), "suppression", "ties", ("ill",)),
    (pc.Ace(l=2), "intervals", "many values", ("ill",)),
    (pc.SoftCut(l=2, values=["flu"]), "intervals", "ties", ("ill",)),
    (pc.Tailor(l=2), "means", "ties", ("ill",)),  # made here, read there
]


def published(method: Any, recode: Any, kind: str, sensitive: tuple[str, ...], rows: int = 400) -> pc.Release:
    """Ages and illnesses are null here and there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SecretSeedWarning)
        return pc.publish(people(rows), method, schema=schema_of(kind, sensitive=sensitive), recode=recode, seed=4)


def in_part_files(release: pc.Release, folder: Path) -> Path:
    """The release with a folder of part files for each table, as Spark writes it."""
    release.write(folder)
    for name, frame in release.public.frames.items():
        (folder / f"{name}.csv").unlink()
        in_parts(frame, folder / f"{name}.parquet", 3)
    return folder


def without_files(page: pc.Report) -> str:
    """The page but for the names and checksums of the files."""
    left, found = FILES.subn("", page.html)
    assert found == 1
    return left


@ON_SPARK
@pytest.mark.parametrize(("method", "recode", "kind", "sensitive"), CASES)
def test_the_page_is_the_one_made_in_memory(
    spark: Any, tmp_path: Path, method: Any, recode: Any, kind: str, sensitive: tuple[str, ...]
) -> None:
    release = published(method, recode, kind, sensitive)
    written = release.write(tmp_path / "csv")
    for folder in (release.write(tmp_path / "file", format="parquet"), in_part_files(release, tmp_path / "parts")):
        here = pc.report(folder, audience="public")
        there = pc.report(folder, audience="public", spark=spark)
        assert there.html == here.html
        assert there.summary == here.summary
        assert len(there.summary["files"]) >= 2
        assert without_files(pc.report(written, audience="public")) == without_files(there)


@ON_SPARK
@pytest.mark.parametrize(("method", "recode"), [(pc.SoftCut(l=2), "taxonomy"), (pc.Anatomy(l=2), "anatomy")])
def test_what_spark_published_is_reported_before_and_after_it_is_written(
    spark: Any, tmp_path: Path, method: Any, recode: str
) -> None:
    schema = schema_of("taxonomies")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SecretSeedWarning)
        how: dict[str, Any] = {"schema": schema, "recode": recode, "seed": 4}
        release = pc.publish(to_spark(spark, people(300)), method, engine=pc.Spark(work=tmp_path), **how)
        here = pc.report(pc.publish(people(300), method, **how), audience="public")
    there = pc.report(release, audience="public")
    assert there.html == here.html
    assert there.summary == here.summary
    folder = release.write(tmp_path / "out")
    after = pc.report(folder, audience="public", spark=spark)
    assert after.html == pc.report(folder, audience="public").html
    assert without_files(after) == without_files(there)
    for source in (release, folder, release.frames):
        with pytest.raises(pc.InputError, match=r"private report.*Spark.*; make .* audience='public', or write it"):
            pc.report(source, people(300), spark=spark)


@ON_SPARK
@pytest.mark.parametrize("seed", range(2))
def test_what_others_published(spark: Any, seed: int) -> None:
    """No recipe: sets, intervals, masks, stars, nulls, NaN and ends in columns of their own; one table or two."""
    rows = people(240, seed)
    shown = pl.int_range(pl.len()) % 5
    frame = rows.select(
        pl.when(shown == 0).then(pl.lit("*")).otherwise("zip").alias("zip"),
        pl.when(shown < 3).then(pl.lit("{Athens, Bergen}")).otherwise("town").alias("town"),
        pl.when(shown == 1).then(float("nan")).when(shown == 2).then(None).otherwise("age").alias("age"),
        (pl.col("wage") // 100).alias("wage_low"),
        (pl.col("wage") // 100 + 1).alias("wage_high"),
        "ill",
    )
    roles: Any = {"quasi": ["zip", "town", "age", "wage"], "sensitive": "ill", "audience": "public"}
    here = pc.report(frame, **roles)
    there = pc.report(to_spark(spark, frame, 3), **roles)
    assert there.html == here.html
    assert "Nobody says how this release was made" in there.html
    numbered = rows.with_columns(number=pl.int_range(pl.len()) // 6)
    two = {"quasi_identifiers": numbered.select("number", "age", "town"), "sensitive": numbered.select("number", "ill")}
    with_spark = {name: to_spark(spark, table) for name, table in two.items()}
    assert pc.report(with_spark, audience="public").html == pc.report(two, audience="public").html


@ON_SPARK
def test_by_the_command_line(spark: Any, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody here reads the files, and nobody at all the original."""
    assert spark is not None
    folder = in_part_files(published(pc.SoftCut(l=2), "intervals", "ties", ("ill",)), tmp_path / "out")
    words = ["report", str(folder), "--audience", "public", "--json"]
    assert main([*words, "--out", str(tmp_path / "here.html")]) == 0
    here = json.loads(capsys.readouterr().out)

    def refused(_: Path) -> str:
        raise AssertionError("the driver reads a file of the release")

    monkeypatch.setattr(origin, "checksum", refused)
    more = ["--original", "absent.parquet", "--engine", "spark", "--out", str(tmp_path / "there.html")]
    assert main([*words, *more]) == 0
    there = json.loads(capsys.readouterr().out)
    assert (tmp_path / "there.html").read_bytes() == (tmp_path / "here.html").read_bytes()
    assert there | {"out": "", "original": None} == here | {"out": ""}


@ON_SPARK
def test_a_file_that_only_looks_like_parquet_is_told_in_one_line(spark: Any, tmp_path: Path, capsys: Any) -> None:
    assert spark is not None
    folder = in_part_files(published(pc.Hybrid(l=2), "intervals", "ties", ("ill",)), tmp_path / "out")
    (folder / "data.parquet" / "part-00001.parquet").write_bytes(b"PAR1 and no more PAR1")
    assert main(["report", str(folder), "--audience", "public", "--engine", "spark", "--out", "x.html"]) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith("error: ")
    assert "Traceback" not in said
    assert not Path("x.html").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--engine", "spark"], "make the one for everybody with --audience public, or leave --engine spark out"),
        (["--audience", "private", "--engine", "spark"], "a private report names people and groups"),
        (["--audience", "public", "--engine", "spark"], "data.csv is not Parquet"),
        (["--audience", "public", "--master", "local[2]"], "--master local[2] is for Spark; add --engine spark"),
    ],
)
def test_what_cannot_be_is_said_in_one_line_before_java_starts(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str
) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("Java is started")

    monkeypatch.setattr("pellucid.cli.spark_options.session", refused)
    folder = published(pc.Hybrid(l=2), "intervals", "ties", ("ill",), 60).write(tmp_path / "out")
    page = tmp_path / "page.html"
    assert main(["report", str(folder), "--out", str(page), *words]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert told in said[0]
    assert not page.exists()
