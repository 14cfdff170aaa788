"""What a hostile reader of verdicts found: claims that rest on what nobody said, and names that were left out.

Verdicts that a hostile reader found wrong once.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import pellucid as pc
from pellucid.core.schema import Roles
from pellucid.risk.attack_all import attack_gathered
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.require_inputs import NotKnown
from pellucid.risk.report.attack_report import Missed
from pellucid.risk.report.guarantee_coverage import judged_by
from pellucid.risk.report.results import result_of
from pellucid.risk.report.sentences import verdict_lines
from pellucid.risk.verdict import verdict_of
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill", "identifier": "name"}
SCHEMA = pc.Schema(columns={"age": pc.Column(role="quasi"), "ill": pc.Column(role="sensitive")})
PEOPLE = pl.DataFrame({"name": list("aebcd"), "age": [10, 30, 30, 30, 30], "ill": list("vvwuu")})
ALGORITHM = pc.Adversary(knows="algorithm")


def bare(folder: Path, table: pl.DataFrame, method: Any) -> Path:
    path = folder / "bare.csv"
    pc.publish(table, method, **ROLES).frame.write_csv(path)
    return path


def test_nobody_says_what_ordered_the_rows_of_a_bare_file(tmp_path: Path) -> None:
    """Who of those aged 30 is left of the cut depends on the identifier, and coins are only a guess at it."""
    method = pc.Mondrian(l=2, retry=False)
    path = bare(tmp_path, PEOPLE, method)
    known: dict[str, Any] = {"made_by": method, "schema": SCHEMA, "population": PEOPLE.drop("ill")}
    with pytest.raises(NotKnown, match="nobody says what ordered its rows"):
        pc.attack(path, ALGORITHM, **known)
    assert pc.attack(path, ALGORITHM, identifier="name", **known).exactness is Exactness.EXACT


def test_an_order_that_decides_nothing_need_not_be_told(tmp_path: Path) -> None:
    method = pc.Mondrian(l=2, strict=True, retry=False)
    path = bare(tmp_path, PEOPLE, method)
    found = pc.attack(path, ALGORITHM, made_by=method, schema=SCHEMA, population=PEOPLE.drop("ill"))
    assert found.exactness is Exactness.EXACT


ALIKE = pl.DataFrame(
    {
        "name": [f"p{i}" for i in range(10)],
        "age": [20, 20, 30, 20, 20, 10, 20, 20, 20, 30],
        "sex": list("lkkllklklk"),
        "ill": list("uxuvxuxwxw"),
    }
)


@pytest.fixture
def alike(tmp_path: Path) -> tuple[Path, pl.DataFrame]:
    """Groups that read the same, in one of which everybody has the same."""
    roles = ROLES | {"quasi": ["age", "sex"]}
    pc.publish(ALIKE, pc.Mondrian(k=2), recode=pc.Taxonomy(), **roles).write(tmp_path / "alike")
    return tmp_path / "alike", ALIKE


@pytest.mark.parametrize("knows", ["nothing", "algorithm"])
def test_a_population_shows_nothing_of_whoever_is_told_the_groups(alike: tuple[Path, pl.DataFrame], knows: Any) -> None:
    folder, table = alike
    adversary = pc.Adversary(knows=knows)
    told = pc.attack(folder, adversary, truth=table, identifier="name")
    read = pc.attack(folder, adversary, population=table.drop("ill"), identifier="name")
    most = float(max(told.risk))
    assert float(max(read.risk)) < most
    below = (float(max(read.risk)) + most) / 2
    assert verdict_of(told, below).holds is False
    assert verdict_of(read, below).holds is None


def test_who_counts_in_groups_published_alike_is_told_who_is_in_them(alike: tuple[Path, pl.DataFrame]) -> None:
    folder, table = alike
    found = gather(folder, Roles(identifier="name"), KnownPeople(table))
    lines = verdict_lines(result_of(attack_gathered(found, classic=False), most=Fraction(4, 5)))
    assert "told who is in which group" in lines[0]


def test_without_a_bound_whoever_could_not_be_tried_is_named() -> None:
    release = pc.publish(PEOPLE, pc.Mondrian(l=2), **ROLES)
    found = gather(release, Roles(**ROLES), KnownPeople(PEOPLE))
    report = attack_gathered(found, classic=False)
    left = tuple(one for one in report.attempts if one.kind != "algorithm")
    lost = Missed("knows the algorithm", "not done after 1 second", kind="algorithm", unfinished=True)
    report = replace(report, attempts=left, missed=(*report.missed, lost), limit=None)
    assert "Nothing is known of somebody who knows the algorithm" in verdict_lines(result_of(report))[0]


def test_a_recipe_cannot_promise_more_than_its_method(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    pc.publish(PEOPLE, pc.Mondrian(l=2), **ROLES).write(folder)
    recipe = json.loads((folder / "recipe.json").read_text())
    (folder / "recipe.json").write_text(json.dumps(recipe | {"guarantee": "algorithm"}))
    with pytest.raises(pc.AttackError, match="promises no more than frequency"):
        pc.attack(folder, truth=PEOPLE, identifier="name")


def test_a_promise_without_a_method_is_that_of_the_release() -> None:
    assert judged_by("algorithm", "", None, None).why == "whom the promise of the release covers"


def test_what_holds_of_a_bare_file_holds_if_it_was_made_as_is_said(tmp_path: Path) -> None:
    method = pc.Mondrian(l=2, strict=True, retry=False)
    path = bare(tmp_path, PEOPLE, method)
    found = gather(path, Roles(schema=SCHEMA, identifier="name"), KnownPeople(PEOPLE), made_by=method)
    lines = verdict_lines(result_of(attack_gathered(found, classic=False), most=Fraction(1)))
    assert "holds" in lines[0]
    assert "if it was made by mondrian" in lines[0]
    assert not [line for line in lines if "the promise:" in line]


def k_map(release: pl.DataFrame, people: pl.DataFrame, **options: object) -> float:
    quasi = options.pop("quasi", ["q"])
    [verdict] = pc.verify(release, [pc.KMap(k=1)], quasi=quasi, population=people, **options)
    return verdict.level


def test_a_half_open_interval_of_dates_does_not_include_its_end() -> None:
    days = [date(2020, 1, 1), date(2020, 1, 15), date(2020, 2, 1), date(2020, 2, 1), date(2020, 3, 1)]
    people = pl.DataFrame({"q": days})
    assert k_map(pl.DataFrame({"q": ["[2020-01-01, 2020-02-01)"]}), people) == 2
    assert k_map(pl.DataFrame({"q": ["[2020-01-01, 2020-02-01]"]}), people) == 4


@pytest.mark.parametrize("columns", [["q_low", "q_high"], ["q_high", "q_low"]])
def test_the_order_of_split_interval_columns_does_not_matter(columns: list[str]) -> None:
    release = pl.DataFrame({"q_low": [1], "q_high": [3]})
    assert k_map(release, pl.DataFrame({"q": [1, 2, 9]}), quasi=columns) == 2


def test_a_null_that_our_own_release_publishes_is_a_value_and_is_not_exempt() -> None:
    frame = pl.DataFrame(
        {"a": [None, None, 1, 1], "b": [None, None, 1, 1], "s": ["HIV", "HIV", "x", "y"]},
        schema_overrides={"a": pl.Int64, "b": pl.Int64},
    )
    release = pc.publish(frame, pc.Hybrid(l=1), quasi=["a", "b"], sensitive="s")
    for exempt in (False, True):
        answers = pc.verify(release, [pc.LDiversity(l=2)], exempt_suppressed=exempt)
        assert not answers[0].holds
        assert answers.audit.suppressed == 0
    theirs = pl.DataFrame({"a": [None, None, "1", "1"], "s": ["HIV", "HIV", "x", "y"]})
    assert pc.verify(theirs, [pc.LDiversity(l=2)], quasi=["a"], sensitive="s", exempt_suppressed=True)[0].holds


@pytest.mark.parametrize(
    "numbers",
    [
        ([1, 1, 2, 2], [1.0, 1.0, 2.0, 2.0]),
        (["1", "1", "2", "2"], [1.0, 1.0, 2.0, 2.0]),
        (["1", "1.0", "2", "2"], ["1", "1", "2.0", "2"]),
        (["a", "a", "b", "b"], ["a", "a", "b", "b"]),
        ([2**53 + 1] * 2 + [2**53] * 2, [str(2**53 + 1)] * 2 + [f"{2**53}.0"] * 2),
    ],
)
def test_a_group_has_the_same_number_however_the_tables_write_it(numbers: tuple[list[object], list[object]]) -> None:
    tables = {
        "quasi_identifiers": pl.DataFrame({"group": numbers[0], "age": [1, 2, 3, 4]}),
        "sensitive": pl.DataFrame({"group": numbers[1], "s": ["a", "b", "a", "b"]}),
    }
    assert pc.levels(tables)[0].level == 2


def test_groups_of_two_files_that_read_alike_as_floats_stay_apart(tmp_path: Path) -> None:
    one, two = 2**53, 2**53 + 1
    (tmp_path / "quasi_identifiers.csv").write_text(f"group,age\n{one},1\n{two},2\n0.5,3\n")
    (tmp_path / "sensitive.csv").write_text(f"group,s\n{one},a\n{two},b\n0.5,c\n")
    assert pc.levels(tmp_path)[0].level == 1
    (tmp_path / "sensitive.csv").write_text(f"group,s\n{one},a\n{one},b\n0.5,c\n")
    with pytest.raises(pc.InputError, match="do not join"):
        pc.levels(tmp_path)


def test_a_star_is_the_number_of_a_group_in_two_tables_and_exempts_nobody() -> None:
    tables = {
        "quasi_identifiers": pl.DataFrame({"group": ["*", "b", "b"], "age": ["*", "2", "3"]}),
        "sensitive": pl.DataFrame({"group": ["*", "b", "b"], "s": ["a", "a", "b"]}),
    }
    for exempt in (False, True):
        found = pc.levels(tables, exempt_suppressed=exempt)
        assert (found[0].level, found.audit.groups, found.audit.suppressed) == (1, 2, 0)
