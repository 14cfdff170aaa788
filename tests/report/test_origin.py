"""A report names what it is about: the source, the files with their checksums, what was withheld, how many groups."""

from __future__ import annotations

from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.comparison.cell import Cell, Risk
from pellucid.reports import Origin
from pellucid.risk.report.guarantee_coverage import coverage
from pellucid.risk.report.results import result_of
from pellucid.risk.report.sentences import promise_status
from report.marked import ROLES, Marked


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def on_disk(hybrid: Marked, tmp_path: Path) -> tuple[Path, Path]:
    """The release and the original as files; the original has columns more than the release."""
    source = tmp_path / "secret-project" / "clinic 2024.csv"
    source.parent.mkdir()
    hybrid.table.with_columns(doctor=pl.lit("Dr. X"), room=pl.lit("7")).write_csv(source)
    schema = tmp_path / "schema.toml"
    roles = {
        "who": "identifier",
        "age": "quasi",
        "town": "quasi",
        "mother": "quasi",
        "ill": "sensitive",
        "room": "drop",
    }
    schema.write_text("".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in roles.items()))
    folder = pc.publish(source, pc.Hybrid(l=3), schema=schema).write(tmp_path / "out")
    return folder, source


def page(folder: Path, source: Path, audience: Any) -> str:
    schema = source.parents[1] / "schema.toml"
    return unescape(pc.report(folder, source, audience=audience, schema=schema).html)


def test_the_private_report_names_its_source_and_what_was_withheld(on_disk: tuple[Path, Path]) -> None:
    folder, source = on_disk
    told = page(folder, source, "private")
    assert "<h1>Report on a release of clinic 2024.csv: 150 rows with ill, made by hybrid with l = 3</h1>" in told
    assert digest(source) in told
    assert "secret-project" not in told  # a base name and no path
    for file in folder.iterdir():
        assert digest(file) in told
    assert '<th scope="row">who</th><td>identifier: names the person' in told
    assert '<th scope="row">room</th><td>dropped</td>' in told
    assert '<th scope="row">doctor</th><td>not named in the schema, so never read</td>' in told


def test_the_public_report_has_the_checksums_of_what_is_public_and_nothing_else(on_disk: tuple[Path, Path]) -> None:
    folder, source = on_disk
    told = page(folder, source, "public")
    for file in folder.iterdir():
        assert digest(file) in told
    for hidden in (digest(source), "clinic", "secret-project", "doctor", "room", "who</th>"):
        assert hidden not in told, hidden
    assert "<h1>Report on a release: 150 rows with ill, made by hybrid with l = 3</h1>" in told


def test_a_report_beside_the_data_is_no_published_file(on_disk: tuple[Path, Path]) -> None:
    folder, source = on_disk
    beside = ("report.html", "data.original.csv", "data.csv.bak", "sensitive.csv", "recipe.json.old")
    for name in beside:  # whose checksums would help to guess what they hold
        (folder / name).write_text("not a part of the release")
    told = page(folder, source, "public")
    assert [name for name in beside if name in told] == []
    assert set(pc.report(folder, audience="public").summary["files"]) == {"data.csv", "recipe.json"}
    assert digest(source) not in page(folder, source, "public")


def test_parts_of_a_table_and_a_table_alone_are_named_with_the_recipe_that_was_used(
    on_disk: tuple[Path, Path], tmp_path: Path
) -> None:
    folder, _ = on_disk
    alone = pc.report(folder / "data.csv", audience="public").summary["files"]
    assert alone == {name: digest(folder / name) for name in ("data.csv", "recipe.json")}
    parts = tmp_path / "out" / "data.parquet"
    parts.mkdir(parents=True)
    frame = pl.read_csv(folder / "data.csv")
    for number, part in enumerate((frame.head(70), frame.tail(80))):
        part.write_parquet(parts / f"part-{number}.parquet")
    (parts / "_SUCCESS").touch()
    (tmp_path / "out" / "recipe.json").write_bytes((folder / "recipe.json").read_bytes())
    names = ["data.parquet/part-0.parquet", "data.parquet/part-1.parquet", "recipe.json"]
    assert list(pc.report(tmp_path / "out", audience="public").summary["files"]) == names
    inside = pc.report(parts, audience="public").summary["files"]
    assert list(inside) == ["part-0.parquet", "part-1.parquet", "recipe.json"]


def test_what_is_in_memory_says_that_it_has_no_file(hybrid: Marked) -> None:
    told = hybrid.page("private").html
    assert "no file, so no checksum" in told
    assert "reported before it was written to files, so no checksum" in told
    named = pc.report(hybrid.release, hybrid.table, origin=Origin("a <b>.csv", "00ff"), files={"x": "11ee"}, **ROLES)
    assert "a &lt;b&gt;.csv" in named.html
    assert "<code>00ff</code>" in named.html
    assert "<code>11ee</code>" in named.html


def alike() -> tuple[pl.DataFrame, pc.Release]:
    """Everybody has the same quasi-identifiers, so that all groups are published alike."""
    frame = pl.DataFrame({"age": [30] * 8, "ill": list("abcdabcd")})
    return frame, pc.publish(frame, pc.Anatomy(l=2), recode=pc.Intervals(), quasi=["age"], sensitive="ill")


def test_groups_that_are_published_alike_are_told_both_ways() -> None:
    frame, release = alike()
    assert len(release.private.grouping) > 1
    told = pc.report(release, frame, quasi=["age"], sensitive="ill").html
    assert "8 rows, in one group" in told
    assert (
        f"The method made {len(release.private.grouping)} groups; those that are published alike count as one" in told
    )
    public = pc.report(release, frame, audience="public", quasi=["age"], sensitive="ill").html
    assert "The method made" not in public


def test_groups_that_tie_are_counted() -> None:
    roles: dict[str, Any] = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    told = pc.report(release, pc.datasets.patients(), **roles).html
    assert "The largest belief, 0.5, is the same in 3 of 3 groups; all are shown, none is worse than another." in told


@pytest.mark.parametrize("claim", ["algorithm", "none"])
def test_a_page_and_a_comparison_agree_on_who_counts(claim: str) -> None:
    """Whoever is mistaken about the method decides nothing in a comparison."""
    promised = claim == "algorithm"
    for knows in ("nothing", "minimality", "algorithm"):
        adversary = pc.Adversary(knows=knows)  # type: ignore[arg-type]
        cell = Cell("x", {}, 3, risks=[Risk(adversary.name, True, 0.9, 5, knows=knows)], promised=promised)
        assert (coverage(claim, adversary) == "mistaken") == (not cell.counted)


def test_whoever_is_mistaken_about_the_method_breaks_no_promise() -> None:
    leaky = pl.DataFrame({"age": [1, 1, 2, 2, 2, 2, 2], "ill": ["HIV", "HIV", "b", "c", "d", "e", "f"]})
    report = pc.attack_all(
        leaky.with_columns(age=pl.lit("[1, 2]")),
        population=leaky.select("age"),
        quasi=["age"],
        sensitive="ill",
        model=pc.LDiversity(l=2, sensitive=("HIV",)),
        adversaries=["nothing", "minimality"],
    )
    by = {attempt.beliefs.adversary.knows: attempt for attempt in report.attempts}
    assert by["minimality"].exceeds
    assert not by["nothing"].exceeds
    assert not result_of(report, "algorithm").broken
    standing = promise_status(result_of(report, "algorithm"))
    assert standing.covered == (
        "Somebody who knows only the release, whom the promise covers, believes at most 1/2 of anybody's ill being "
        "'HIV'."
    )
    assert "believes up to 1 of somebody, which is no probability of being right" in standing.mistaken
    assert result_of(report, "minimality").broken
