"""Where groups are published alike, a page says what a reader sees, and says so where an attacker is given more.

How large groups are is told in one way everywhere, or with the reason why figures differ.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from html import unescape
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode import Taxonomic, TwoTables
from pellucid.anonymize.recode.alike import as_read, published_alike
from pellucid.anonymize.recode.before_after import beside
from pellucid.anonymize.recode.recoder import RowRecoder, alike_as_one
from pellucid.cli.program import main
from pellucid.metrics.kept import information_kept
from pellucid.reports.origin import published_files
from pellucid.text.figures import percent
from plain.promise_words import plainly
from report.clinic import clinic, released, schema, written


@pytest.fixture(scope="module")
def private() -> str:
    return unescape(pc.report(released(), clinic(), schema=schema()).html)


def boxes() -> Counter[tuple[str, ...]]:
    """How many rows a reader finds with each description."""
    return Counter(released().public.frames["data"].drop("disease").iter_rows())


def test_groups_published_alike_are_those_with_one_description() -> None:
    table, grouping = pc.read(clinic(), schema=schema()), released().private.grouping
    read = as_read(grouping, published_alike(table, grouping, Taxonomic()))
    assert len(grouping) > len(read)
    assert sorted(read.sizes.tolist()) == sorted(boxes().values())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("recoder", [pc.Intervals(), pc.Intervals(split=True), pc.Suppression(), pc.Means()], ids=repr)
def test_classes_are_numbered_in_the_order_of_the_descriptions(recoder: RowRecoder, threads: int) -> None:
    """Beside the plain definition: all descriptions in a list, sorted column by column."""
    draws = np.random.default_rng(4)
    words = ["x", "y", "*", "{x, y}", "[1, 2]", None, "y or null"]
    for rows in (1, 7, 60, 400):
        towns = [words[place] for place in draws.integers(0, len(words), rows)]
        people = {"age": draws.integers(0, 9, rows), "town": towns, "s": draws.integers(0, 5, rows)}
        table = pc.read(pl.DataFrame(people), quasi=["age", "town"], sensitive="s")
        groups = np.unique(draws.integers(0, 1 + rows // 3, rows), return_inverse=True)[1]
        grouping = Grouping.from_labels(np.where(groups == 1, -1, np.maximum(groups - 1, 0)).astype(np.int32))
        columns = [alike_as_one(recoder.spell_column(table, i, grouping, 1), table.attributes[i]) for i in (0, 1)]
        seen = list(zip(*(column.ranks.tolist() for column in columns), strict=True))
        number = {description: place for place, description in enumerate(sorted(set(seen)))}
        assert published_alike(table, grouping, recoder, threads).tolist() == [number[one] for one in seen]


def test_groups_of_two_tables_have_numbers_and_are_all_told_apart() -> None:
    table = pc.read(pl.DataFrame({"age": [30] * 8, "ill": list("abcdabcd")}), quasi="age", sensitive="ill")
    release = pc.publish(table, pc.Anatomy(l=2), recode=TwoTables())
    grouping = release.private.grouping
    assert published_alike(table, grouping, TwoTables()).tolist() == list(range(len(grouping)))


def test_before_and_after_shows_every_value_that_a_reader_finds_with_the_description() -> None:
    table = pc.read(clinic(), schema=schema())
    frame = released().public.frames["data"]
    for _, after in beside(table, released().private.grouping, Taxonomic(), range(len(table))):
        shown = [pl.col(name) == value for name, value in after.items() if name != "disease"]
        found = sorted(frame.filter(shown)["disease"].unique().to_list())
        said = after["disease"]
        assert said is not None
        named = re.split(r", | or ", said)
        if named[-1].endswith(" more"):
            assert len(named) - 1 + int(named[-1].split()[0]) == len(found)
            assert set(named[:-1]) < set(found)
        else:
            assert sorted(named) == found


def test_a_sample_in_the_report_has_as_many_rows_as_a_reader_finds(private: str) -> None:
    _, _, sample = private.partition('<section id="sample">')
    told = [int(rows) for rows in re.findall(r"<h3>A group of (\d+) rows", sample)]
    middle = np.median(list(boxes().values()))
    assert told
    assert all(abs(rows - middle) <= 1 for rows in told)
    assert set(told) <= set(boxes().values())


def test_a_sample_from_files_with_kept_groups_shows_the_same_people_on_both_sides(tmp_path: Path) -> None:
    table, roles = written(tmp_path)
    release = released()
    folder = release.write(tmp_path / "out")
    told = pc.report(folder, table, schema=roles, groups=release.private.grouping.labels.tolist()).html
    _, _, sample = told.partition('<section id="sample">')
    groups = sample.partition("</section>")[0].split("<h3>A group of ")[1:]
    assert groups
    for one in groups:
        size = int(re.findall(r"^\d+", one)[0])
        published = one.partition("<caption>After</caption>")[2]
        rows = [re.findall(r"<td[^>]*>([^<]*)</td>", line) for line in re.findall(r"<tr>(<td.*?)</tr>", published)]
        after = {tuple(row[:4]) for row in rows}
        assert len(after) == 1
        assert boxes()[next(iter(after))] == size


def test_the_report_says_that_attackers_are_given_the_groups_that_were_made(private: str) -> None:
    made, read = len(released().private.grouping), len(boxes())
    assert made > read
    attackers = private.partition('<section id="attackers">')[2].partition("<table>")[0]
    assert (
        f"Several groups are published alike: these figures let the attackers know who is in which of the {made} "
        f"groups that the method made; a reader can tell {read} apart." in attackers
    )
    classic = private.partition("<h3>Classic attacks</h3>")[2].partition("<table>")[0]
    assert f"Counted by the {made} groups that the method made, as if they could be told apart" in classic
    assert f"is counted by the {read} groups that a reader can tell apart" in classic


def test_nothing_is_said_of_it_where_all_groups_can_be_told_apart() -> None:
    roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)  # type: ignore[arg-type]
    told = pc.report(release, pc.datasets.patients(), **roles).html  # type: ignore[arg-type]
    assert "groups are published alike" not in told
    assert "groups published alike" not in told
    assert "as if they could be told apart" not in told


def test_worst_groups_published_alike_are_listed_once(private: str) -> None:
    listed = private.partition("<h3>The worst groups</h3>")[2].partition("</table>")[0]
    told = re.findall(r"<tr><td>\d+\. (.*?) \((\d+) rows(?:; one of (\d+) groups published alike)?\)</td>", listed)
    assert len(told) > 3
    assert len({description for description, _, _ in told}) == len(told)
    assert any(several for _, _, several in told)
    assert f" of {len(boxes())} groups that a reader can tell apart;" in listed


def test_what_is_carried_along_stands_beside_what_is_measured(private: str) -> None:
    plain = private.replace("\N{NO-BREAK SPACE}", " ")
    picture = plain.partition("How much of each column is kept</p>")[2].partition("</figure>")[0]
    table, release = pc.read(clinic(), schema=schema()), released()
    kept = information_kept(table, release.private.grouping, "taxonomy")
    assert {"age", "zip", "born", "sex"} == set(kept)
    for name, share in kept.items():
        assert f">{name}<" in picture
        assert f">{percent(share)}<" in picture
    assert "the quasi-identifiers keep" in plain
    assert f"Of what is carried along, sex keeps {percent(kept['sex'])}." in plain


def test_a_report_on_files_says_that_what_is_carried_along_was_not_measured(tmp_path: Path) -> None:
    table, roles = written(tmp_path)
    told = pc.report(released().write(tmp_path / "out"), table, schema=roles).html
    assert "Of what is carried along, sex was not measured." in told


def test_the_public_report_on_files_is_that_on_the_release_when_the_schema_is_given(tmp_path: Path) -> None:
    _, roles = written(tmp_path)
    folder = released().write(tmp_path / "out")
    files = published_files(folder)
    ours = pc.report(released(), audience="public", schema=schema(), files=files).html
    assert pc.report(folder, audience="public", schema=roles).html == ours
    assert "was not given to this report" not in ours
    recipe = unescape(ours.partition("<pre>")[2].partition("</pre>")[0])
    assert recipe == (folder / "recipe.json").read_text().rstrip()


def test_a_public_report_needs_no_schema_where_the_recipe_tells_what_was_declared(tmp_path: Path) -> None:
    _, roles = written(tmp_path)
    folder = released().write(tmp_path / "out")
    assert pc.report(folder, audience="public").html == pc.report(folder, audience="public", schema=roles).html


def test_a_public_report_without_the_schema_says_what_it_does_not_know(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, roles = written(tmp_path)
    folder = released().write(tmp_path / "out")
    recipe = json.loads((folder / "recipe.json").read_text())  # of a version that did not tell what was declared
    (folder / "recipe.json").write_text(json.dumps({key: value for key, value in recipe.items() if key != "format"}))
    words = "The schema that the release was made with was not given to this report"
    for number, given in enumerate(([], ["--schema", str(roles)])):
        out = tmp_path / f"{number}.html"
        assert main(["report", str(folder), "--audience", "public", "--out", str(out), *given]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert (words in out.read_text()) == (not given)
        assert (f"{words}:" in said) == (not given)
        assert ("Give it with --schema." in said) == (not given)


def test_a_rung_of_a_ladder_is_not_called_the_interval_of_the_group(private: str) -> None:
    assert "a broader interval that covers its values" in private
    assert "the interval that spans its values" not in private


def test_numbers_shown_at_different_places_agree_or_say_why_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table, roles = written(tmp_path)
    words = ["publish", str(table), "--schema", str(roles), "--method", "hybrid", "--l", "3", "--recode", "taxonomy"]
    assert main([*words, "--seed", "7", "--out", "out"]) == 0
    told = plainly(capsys.readouterr().out)
    data = pc.read("out/data.csv", quasi=["age", "zip", "born", "sex"], sensitive="disease")
    sizes = np.unique(np.stack(data.codes[:-1]), axis=1, return_counts=True)[1]  # as a reader counts them
    median, mean = f"{np.median(sizes):g}", f"{sizes.mean():.1f}"
    assert f"{len(sizes)} that a reader can tell apart, of {sizes.min()} to {sizes.max()} rows" in told
    assert f"(median {median}, {mean} on average); the other groups are published alike" in told
    (score,) = pc.measure(tmp_path / "out", table, [pc.AverageClassSize()], schema=roles)
    assert score.meaning == f"{mean} rows are published alike on average, {median} in the median class"
    page = plainly(pc.report(tmp_path / "out", audience="public", schema=roles).html)
    assert f"in {len(sizes)} groups of {sizes.min()} to {sizes.max()} rows" in page
    assert f"{median} in the middle and {mean} on average, as a reader can tell them apart" in page
