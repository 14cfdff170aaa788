"""k-anonymity without a sensitive column: what is published, what is promised, and what it is refused for."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.anonymize.k_anonymity_only import counting
from pellucid.cli.program import main
from pellucid.core.coins import Coins
from pellucid.core.schema import Role
from pellucid.errors import PellucidError

SETTINGS = [{"strict": strict, "retry": retry} for strict in (False, True) for retry in (False, True)]
RECODERS = ("intervals", "taxonomy", "suppression")


def smallest(frame: pl.DataFrame) -> int:
    """How many rows at least are published alike, in all that is published."""
    return int(frame.group_by(frame.columns).len()["len"].min())  # type: ignore[arg-type]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_every_published_row_looks_like_k_in_every_small_table(
    setting: dict[str, bool], some: Callable[[int], int]
) -> None:
    """Tables of five rows over two columns, with nulls, thorough all: groups depend on these columns and on k alone."""
    cells = [(a, b) for a in (0, 1, None) for b in ("x", "y")]
    tables = list(itertools.combinations_with_replacement(cells, 5))
    for rows in random.sample(tables, some(len(tables))):
        frame = pl.DataFrame(rows, schema={"a": pl.Int64, "b": pl.String}, orient="row")
        for k in (2, 3, 5):
            release = pc.publish(frame, pc.Mondrian(k=k, **setting), quasi=["a", "b"], sensitive=())
            assert release.frame.columns == ["a", "b"]
            assert release.frame.height == 5
            assert smallest(release.frame) >= k, (rows, k)


def test_the_groups_are_those_of_any_sensitive_column() -> None:
    """Nobody's value can have steered them: with every assignment of values the groups are the same."""
    ages, zips = [21, 23, 23, 30, 41, 45], [1, 2, 2, 2, 1, 3]
    method, coins = pc.Mondrian(k=2), Coins.from_seed(5)
    alone = pc.read(pl.DataFrame({"age": ages, "zip": zips, "who": list("abcdef")}), **_roles(()))
    expected = method.group(alone, coins).labels.tolist()
    for values in itertools.product("uv", repeat=6):
        beside = pl.DataFrame({"age": ages, "zip": zips, "who": list("abcdef"), "ill": values})
        assert method.group(pc.read(beside, **_roles("ill")), coins).labels.tolist() == expected


def _roles(sensitive: object) -> dict[str, object]:
    return {"quasi": ["age", "zip"], "sensitive": sensitive, "identifier": "who"}


@pytest.mark.parametrize("recode", RECODERS)
def test_what_goes_along_is_published_alike_too(recode: str) -> None:
    census = pc.datasets.census(400)
    quasi, carry = census.columns[:3], census.columns[3:5]
    release = pc.publish(census, pc.Mondrian(k=7), quasi=quasi, sensitive=(), carry=carry, recode=recode)  # type: ignore[arg-type]
    assert smallest(release.frame) >= 7
    assert set(release.frame.columns) == {*quasi, *carry}
    assert "at least 6 others" in release.promise
    assert "Nothing is promised about what a group's values tell" in release.promise
    assert "equally likely" not in release.promise  # rows of a group are alike: there is nothing to hand out


def test_full_domain_recoding_hides_people_too() -> None:
    """The same levels as beside any sensitive column, with and without rows that are withheld."""
    patients, schema = pc.datasets.patients(), {"quasi": ["age", "zipcode"]}
    for budget in (None, "40%"):
        method = pc.Incognito(k=2, max_suppressed=budget)
        alone = pc.publish(patients, method, **schema, sensitive=())
        beside = pc.publish(patients, method, **schema, sensitive="disease")
        assert alone.private.grouping.levels == beside.private.grouping.levels
        assert smallest(alone.frame) >= 2
        assert alone.frame.columns == ["age", "zipcode"]
        assert "at least 1 others" in alone.promise
        assert ("40 % of the rows may be withheld" in alone.promise) == bool(budget)


def test_what_protects_a_column_is_refused() -> None:
    patients = pc.datasets.patients()
    roles = {"quasi": ["age", "zipcode"], "sensitive": ()}
    for method in (
        pc.SoftCut(l=2),
        pc.Tailor(l=2),
        pc.Tailor(model="k-anonymity=2"),
        pc.Anatomy(l=2),
    ):
        with pytest.raises(PellucidError, match="the table has no sensitive column"):
            pc.publish(patients, method, **roles)
    for method in (pc.Mondrian(l=2), pc.Incognito(l=2)):
        with pytest.raises(PellucidError, match="the table has no sensitive column"), pytest.warns():
            pc.publish(patients, method, **roles)
    with pytest.raises(PellucidError, match="it would hide nobody"):
        pc.publish(patients, pc.Mondrian(k=2), recode="anatomy", **roles)
    with pytest.raises(PellucidError, match="k = 9 is not feasible"):
        pc.publish(patients, pc.Mondrian(k=9), **roles)
    release = pc.publish(patients, pc.Mondrian(k=2), **roles)
    for ask in (pc.attack, pc.attack_all):
        with pytest.raises(PellucidError, match="nothing is sensitive here, so there is no value to learn"):
            ask(release)
    table = pc.read(patients, **roles)
    assert counting(table, pc.LDiversity(l=2)) is table
    assert not table.having(Role.SENSITIVE)


def test_a_schema_says_it_on_purpose(tmp_path: Path) -> None:
    columns = '[columns.age]\nrole = "quasi"\n'
    path = tmp_path / "schema.toml"
    path.write_text(columns)
    with pytest.raises(PellucidError, match="no column has role"):
        pc.Schema.load(path)
    path.write_text("nothing_sensitive = true\n" + columns)
    schema = pc.Schema.load(path)
    path.write_text(schema.to_toml())
    assert pc.Schema.load(path) == schema
    assert schema.nothing_sensitive
    path.write_text("nothing_sensitive = true\n" + columns + '[columns.ill]\nrole = "sensitive"\n')
    with pytest.raises(PellucidError, match="nothing is sensitive, and 'ill' has role"):
        pc.Schema.load(path)


def test_the_command_line_publishes_and_verifies_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "people.csv", tmp_path / "out"
    pc.datasets.patients().write_csv(source)
    words = ["publish", str(source), "--quasi", "age,zipcode", "--nothing-sensitive", "--k", "4", "--out", str(out)]
    assert main(words) == 0
    assert "every row looks exactly like at least 3 others" in " ".join(capsys.readouterr().out.split())
    recipe = json.loads((out / "recipe.json").read_text())
    assert recipe["method"] == "mondrian"
    assert [column["role"] for column in recipe["columns"]] == ["quasi", "quasi"]
    assert main(["verify", str(out), "--require", "k-anonymity=4"]) == 0
    assert main(["verify", str(out), "--require", "k-anonymity=5"]) == 1
    assert main(["measure", str(out), "--original", str(source), "--metric", "kept"]) == 0
    capsys.readouterr()
    told = ["report", str(out), "--original", str(source)]
    assert main([*told, "--out", str(tmp_path / "file.html")]) == 0
    assert "The promise is kept: counted in the release" in " ".join(capsys.readouterr().out.split())
    assert main([*told, "--audience", "public", "--out", str(tmp_path / "all.html")]) == 0
    assert "dyspepsia" not in (tmp_path / "file.html").read_text() + (tmp_path / "all.html").read_text()
    capsys.readouterr()
    assert main(["attack", str(out)]) != 0
    assert "nothing is sensitive here" in " ".join(capsys.readouterr().err.split())
    assert main([*words, "--sensitive", "disease", "--overwrite"]) != 0
    assert "contradict each other" in " ".join(capsys.readouterr().err.split())


HIDDEN = pl.DataFrame(
    {"who": [f"p{i}" for i in range(61)], "age": [20 + i * 7 % 50 for i in range(61)], "zip": ["ab"] * 61}
)
NOBODY = {"quasi": ["age", "zip"], "sensitive": (), "identifier": "who"}


@pytest.mark.parametrize("method", [pc.Mondrian(k=5), pc.Mdav(k=5)], ids=lambda one: one.name)
def test_both_reports_say_k_and_that_no_value_is_protected(method: pc.Method) -> None:
    pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")
    release = pc.publish(HIDDEN, method, **NOBODY)  # type: ignore[arg-type]
    least = smallest(release.frame)
    pages = {
        "public": pc.report(release, audience="public"),
        "private": pc.report(release, HIDDEN, identifier="who"),
    }
    for page in pages.values():
        assert page.summary["hidden"].startswith(
            f"The promise is kept: counted in the release, everybody looks like at least {least} "
        )
        assert page.summary["problems"] == []
        assert page.html.count("<td>at least 5 rows</td>") == 2
        assert "No value is protected." in page.html
        assert '<section id="signature">' in page.html
        assert "names one person" not in page.html  # nothing is said of a value
        assert "equally likely" not in page.html
        assert "What the values of a group tell" in page.html
    assert "picks the right row" in pages["private"].html
    assert "picks the right row" not in pages["public"].html


def test_the_public_report_of_hidden_people_does_not_look_at_the_original() -> None:
    pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")
    release = pc.publish(HIDDEN, pc.Mondrian(k=5), **NOBODY)  # type: ignore[arg-type]
    alone = pc.report(release, audience="public").html
    for other in (HIDDEN, HIDDEN.with_columns(age=pl.col("age") * 3), HIDDEN.head(9)):
        assert pc.report(release, other, audience="public").html == alone


def test_a_release_that_hides_fewer_than_promised_is_not_to_be_signed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")
    HIDDEN.write_csv(tmp_path / "people.csv")
    release = pc.publish(HIDDEN, pc.Mdav(k=5), **NOBODY)  # type: ignore[arg-type]
    release.write(tmp_path / "out")
    data = tmp_path / "out" / "data.csv"
    lines = data.read_text().splitlines(keepends=True)
    alike = next(line for line in lines[1:] if lines.count(line) == 5)
    lines.remove(alike)
    data.write_text("".join(lines))
    page = pc.report(tmp_path / "out", audience="public")
    assert page.summary["hidden"].startswith("The promise is not kept: ")
    assert page.summary["problems"] == ["k = 5 is not kept"]
    assert main(["report", str(tmp_path / "out"), "--audience", "public", "--out", str(tmp_path / "p.html")]) == 1
    assert "do not sign it" in " ".join(capsys.readouterr().err.split())


def test_no_sensitive_column_by_mistake_is_still_refused() -> None:
    release = pc.publish(HIDDEN, pc.Mondrian(k=5), **NOBODY)  # type: ignore[arg-type]
    with pytest.raises(PellucidError, match="nothing says what the columns are"):
        pc.report(release.frame, audience="public", quasi=["age", "zip"])


@pytest.mark.parametrize(
    ("asked", "least"),
    [
        ({"model": ["k-anonymity=2", "k-anonymity=3"]}, 3),
        ({"k": 2, "model": "maximum re-identification risk=0.3"}, 4),
        ({"k": 1, "model": ["k-anonymity=2", "k-anonymity=3"]}, 3),
        ({"k": 2, "model": "k-anonymity=5"}, 5),
        ({"model": "maximum re-identification risk=0.5"}, 2),
    ],
)
@pytest.mark.parametrize("method", [pc.Mondrian, pc.Mdav, pc.Incognito])
def test_whatever_asks_for_sizes_is_kept_and_said(
    method: type[pc.Mondrian | pc.Mdav | pc.Incognito], asked: dict[str, Any], least: int
) -> None:
    ages = [*range(20, 32), *range(60, 72)]
    people = pl.DataFrame({"age": ages, "sex": ["f", "m"] * 12})
    release = pc.publish(people, method(**asked), quasi=["age", "sex"], sensitive=())
    sizes = np.unique(release.private.labels, return_counts=True)[1]
    assert sizes.min() >= least
    assert f"which of at least {least} rows is a given person's" in release.promise
