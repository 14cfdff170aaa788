"""What is said of settings that are worse than they look."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from cli.program import Program


@pytest.fixture
def sick(tmp_path: Path) -> Path:
    """Three hundred people in a hundred kinds, a few with what is protected."""
    rows = range(300)
    people = {"age": [20 + i // 3 for i in rows], "sex": ["fm"[i % 2] for i in rows]}
    illness = ["HIV" if i % 50 == 7 else ["flu", "cold", "gout", "none"][i % 4] for i in rows]
    path = tmp_path / "sick.csv"
    pl.DataFrame({**people, "ill": illness}).write_csv(path)
    (tmp_path / "protect.toml").write_text(
        '[columns.age]\nrole = "quasi"\n[columns.sex]\nrole = "quasi"\n'
        '[columns.ill]\nrole = "sensitive"\nprotect = ["HIV"]\n',
        encoding="utf-8",
    )
    return path


def test_a_recommended_table_that_is_nearly_the_original_is_said_to_be(sick: Path, call: Program) -> None:
    schema = str(sick.with_name("protect.toml"))
    how = ["--methods", "soft-cut", "--l", "3", "--k", "1", "--knows", "nothing"]
    told = " ".join(call("compare", str(sick), "--schema", schema, *how).out.split())
    assert "are each a group of their own and published as they are, because nothing but 'HIV' is protected" in told
    assert "of all people have it, and up to 1/3 of a group, 17 times as many" in told
    document = call("compare", str(sick), "--schema", schema, *how, "--json").document
    assert any("published as they are" in note for note in document["notes"])


def test_a_k_above_l_is_said_to_cost_more_than_it_gives(sick: Path, tmp_path: Path, call: Program) -> None:
    roles = ["--quasi", "age,sex", "--sensitive", "ill", "--method", "soft-cut"]
    told = call("publish", str(sick), *roles, "--l", "3", "--k", "4", "--out", str(tmp_path / "a"))
    assert "k = 4 is above l = 3. Groups have at least 4 rows with l = 4 too" in " ".join(told.err.split())
    told = call("publish", str(sick), *roles, "--l", "4", "--k", "4", "--out", str(tmp_path / "b"))
    assert "is above l" not in told.err
