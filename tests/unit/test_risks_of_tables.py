"""Risks of the table as a whole as requirements: what is promised of them, and who enforces them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.errors import MethodError, PellucidError
from pellucid.models import Groups, parse
from pellucid.models.groups import numbered

AVERAGE, UNIQUE = "average re-identification risk=0.2", "sample uniqueness=0.05"
ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": "ill"}


def people() -> pl.DataFrame:
    return pl.DataFrame({"age": [20, 20, 20, 20, 31, 31, 31, 45] * 5, "ill": ["flu", "gout"] * 20})


@pytest.mark.parametrize("sensitive", ["ill", ()])
@pytest.mark.parametrize("others", [[], ["k-anonymity=3"]])
def test_what_is_asked_of_the_table_is_said_of_the_table(sensitive: str, others: list[str]) -> None:
    method = pc.Incognito(model=[*others, AVERAGE])
    sentence = method.sentence(pc.read(people(), quasi=["age"], sensitive=sensitive))
    assert "The published table as a whole satisfies average re-identification risk with risk = 0.2" in sentence


def test_no_group_is_said_to_satisfy_a_risk_of_the_table() -> None:
    sentence = pc.Incognito(model=["l-diversity=2", "t-closeness=0.5", UNIQUE]).sentence(pc.read(people(), **ROLES))
    of_groups, _, of_table = sentence.partition("The published table as a whole")
    assert "t-closeness" in of_groups
    assert "sample uniqueness" not in of_groups
    assert "sample uniqueness with share = 0.05" in of_table


@pytest.mark.parametrize(("risk", "size"), [(AVERAGE, 5), (UNIQUE, 2)])
def test_other_methods_say_who_enforces_it_and_what_it_follows_from(risk: str, size: int) -> None:
    with pytest.raises(MethodError, match=f"incognito enforces it, and it follows from k-anonymity={size};"):
        pc.publish(people(), pc.Mondrian(model=risk), **ROLES)
    with pytest.raises(MethodError, match=f"incognito enforces it, and it follows from k-anonymity={size}\\)"):
        pc.Tailor(model=risk)
    release = pc.publish(people(), pc.Mondrian(k=size), **ROLES)
    (verdict,) = pc.verify(release, [parse(risk)])
    assert verdict.holds


def test_every_l_that_groups_can_have_is_listed_for_recursive_diversity() -> None:
    def listed(values: int) -> list[int]:
        counts = np.ones((1, values), np.int64)
        groups = Groups.of_counts(counts, counts.sum(axis=0), numbered(values))
        return [model.l for model in pc.RecursiveDiversity.surveyed(groups)]

    assert [listed(values) for values in (1, 2, 6)] == [[2], [2], [2, 3, 4, 5, 6]]
    assert listed(40) == [2, 3, 4, 5, 6, 7, 8, 9, 10, 40]


def test_a_schema_without_a_sensitive_column_measures_sizes_and_publishes_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('[columns.age]\nrole = "quasi"\n')
    told = {level.model: level.level for level in pc.levels(people(), schema=tmp_path / "s.toml")}
    assert told["k-anonymity"] == 5
    (verdict,) = pc.verify(people(), [pc.KAnonymity(k=5)], schema=tmp_path / "s.toml")
    assert verdict.holds
    with pytest.raises(PellucidError, match="nothing_sensitive = true"):
        pc.publish(people(), pc.Mondrian(k=5), schema=tmp_path / "s.toml")


def test_class_size_names_how_arx_counts_where_rows_are_suppressed() -> None:
    release = pc.publish(people(), pc.Incognito(k=6, max_suppressed="20%"), **ROLES)
    (score,) = pc.measure(release, people(), [pc.AverageClassSize()], **ROLES)
    assert score.details["rows_per_class_with_suppressed"] == pytest.approx(40 / 3)
    assert "17.5 rows are published alike" in score.meaning
    assert "13.3 with the suppressed rows as one class more, as ARX counts" in score.meaning
