"""An attack with Spark has the figures of the same attack in memory, and is refused where a count is not all."""

from __future__ import annotations

import json
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from engines.tables import people
from pellucid.cli.program import main
from pellucid.core.recipe import Recipe
from pellucid.models.groups import Groups, numbered
from pellucid.spark.attack import counted_beliefs, require_counts_tell_all

SAME = ("rows", "groups", "people", "people_in_groups", "sensitive", "method", "parameters", "guarantee", "l", "bound")
SAME_TOO = ("most_frequent", "max_risk", "required", "holds", "standing")
OF_EACH = ("name", "knows", "prior", "exactness", "max_risk", "estimate", "baseline", "multiple", "exceeds")
OF_EACH_TOO = ("people_above", "people_surely_above", "share_above", "judged", "confidence")


def written(folder: Path, method: Any, seed: int, rows: int = 300, recode: Any = "intervals") -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = people(rows, seed=seed)
        release = pc.publish(frame, method, quasi=["age", "town"], sensitive="ill", recode=recode, seed=seed)
        return release.write(folder, format="parquet")


def told(capsys: Any, *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = main(["attack", *words, "--json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, document


@pytest.mark.spark
@pytest.mark.parametrize(
    ("method", "recode", "most"),
    [
        (pc.Hybrid(l=3), "intervals", None),
        (pc.Tailor(l=2), "intervals", "1/2"),
        (pc.Ace(l=4), "suppression", "1/5"),
        (pc.Anatomy(l=3), "anatomy", "1/3"),
    ],
)
def test_figures_are_those_in_memory(
    spark: Any, tmp_path: Path, capsys: Any, method: Any, recode: str, most: str | None
) -> None:
    assert spark is not None
    folder = written(tmp_path / "out", method, 5, recode=recode)
    asked = [] if most is None else ["--max-risk", most]
    code, here = told(capsys, str(folder), "--adversary", "nothing,algorithm", *asked)
    with_spark, there = told(capsys, str(folder), "--adversary", "nothing,algorithm", *asked, "--engine", "spark")
    assert code == with_spark
    assert {name: here[name] for name in (*SAME, *SAME_TOO)} == {name: there[name] for name in (*SAME, *SAME_TOO)}
    assert len(here["adversaries"]) == len(there["adversaries"]) == 2
    for one, other in zip(here["adversaries"], there["adversaries"], strict=True):
        assert {name: one[name] for name in (*OF_EACH, *OF_EACH_TOO)} == {
            name: other[name] for name in (*OF_EACH, *OF_EACH_TOO)
        }
        rows = [value["rows"] for value in other["worst"]["values"]]
        assert max(rows) / sum(rows) == other["max_risk"]


@pytest.mark.spark
@pytest.mark.parametrize("seed", range(2))
def test_of_a_release_that_breaks_its_promise(
    spark: Any, tmp_path: Path, capsys: Any, brought: list[int], seed: int
) -> None:
    assert spark is not None
    folder = written(tmp_path / "out", pc.Hybrid(l=3), seed)
    file = folder / "data.parquet"
    frame = pl.read_parquet(file)
    changed = (
        pl.when(pl.int_range(pl.len()) < 40 + 30 * seed)
        .then(pl.lit(frame["ill"].mode().sort().first()))
        .otherwise("ill")
    )
    frame.with_columns(changed.alias("ill")).write_parquet(file)
    words = (str(folder), "--max-risk", "1/3", "--adversary", "nothing")
    code, here = told(capsys, *words)
    with_spark, there = told(capsys, *words, "--engine", "spark")
    assert code == with_spark == 1
    assert there["verdict"].startswith("FAILS")
    assert there["adversaries"][0]["people_above"] > 30
    for name in (*SAME, *SAME_TOO):
        assert here[name] == there[name]
    for name in (*OF_EACH, *OF_EACH_TOO):
        assert here["adversaries"][0][name] == there["adversaries"][0][name]
    assert max(brought) <= 20  # no rows: values with their counts, and a line per partition


@pytest.mark.spark
def test_below_the_promise_nothing_holds_where_groups_may_read_alike(spark: Any, tmp_path: Path, capsys: Any) -> None:
    """Suppression publishes all groups alike: they are one class, in which a value is rarer than in one of them."""
    assert spark is not None
    frame = pl.DataFrame({"age": [20, 30] * 20, "town": ["a", "b"] * 20, "ill": list("aabbccdd") * 5})
    release = pc.publish(frame, pc.Ace(l=2), quasi=["age", "town"], sensitive="ill", recode="suppression")
    folder = release.write(tmp_path / "out", format="parquet")
    for asked, exit_code, holds in (("1/2", 0, True), ("49/100", 1, None), ("1/5", 1, False)):
        words = (str(folder), "--adversary", "nothing,algorithm", "--max-risk", asked)
        code, here = told(capsys, *words)
        with_spark, there = told(capsys, *words, "--engine", "spark")
        assert (code, here["holds"]) == (with_spark, there["holds"]) == (exit_code, holds)
        assert here["standing"]["verdict"] == there["standing"]["verdict"]
        assert all(("alike" in (one["not_shown"] or "")) == (holds is None) for one in (here, there))


def test_counts_are_compared_exactly() -> None:
    near = np.array([[10**9 - 1, 1], [10**9 - 2, 1], [10**9, 1]])  # floats would take them for one
    groups = Groups.of_counts(near, near.sum(axis=0), numbered(2))
    found = counted_beliefs(groups, pl.DataFrame({"a": [1, 2, 3]}), Fraction(10**9 - 1, 10**9))
    assert found.most == Fraction(10**9, 10**9 + 1)
    assert (found.published, found.above, found.groups) == ({"a": 3}, 10**9 + 1, 3)


@pytest.mark.parametrize(
    ("recipe", "why"),
    [
        (None, "no recipe says"),
        ({"method": "soft-cut", "parameters": {"l": 2}, "guarantee": "algorithm"}, "tries cuts"),
        ({"method": "mondrian", "parameters": {"l": 2}, "guarantee": "frequency"}, "promises nothing against"),
        ({"method": "hybrid", "parameters": {"l": 2}, "guarantee": "frequency"}, "promises nothing against"),
        ({"method": "hybrid", "parameters": {"l": 2, "values": ["flu"]}, "guarantee": "algorithm"}, "some values"),
        ({"method": "tailor", "parameters": {"l": 2}, "guarantee": "algorithm", "suppressed": 3}, "withholds"),
        ({"method": "strata", "parameters": {"l": 2}, "guarantee": "algorithm"}, "bounds each person by their own"),
    ],
)
def test_where_groups_may_tell_more_it_is_refused(recipe: dict[str, Any] | None, why: str) -> None:
    told_of = None if recipe is None else Recipe.of({"format": 2, "columns": [], **recipe})
    with pytest.raises(pc.AttackError, match=why) as error:
        require_counts_tell_all(told_of)
    assert "without Spark" in str(error.value)


@pytest.mark.parametrize(
    "words", [["--truth", "x.csv"], ["--population", "x.csv"], ["--made-by", "tailor", "--l", "2"]]
)
def test_what_is_not_looked_at_with_spark_is_refused(tmp_path: Path, capsys: Any, words: list[str]) -> None:
    assert main(["attack", str(tmp_path), *words, "--engine", "spark"]) == 2
    assert f"{words[0]} {words[1]}: with --engine spark" in " ".join(capsys.readouterr().err.split())
