"""What is proved of a method bounds what its release tells, in every view; a promise that is broken stays broken."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.proved_bound import as_proved

pytestmark = pytest.mark.filterwarnings("ignore::pellucid.SecretSeedWarning")
ROLES: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": "ill", "identifier": "name"}


def people(rows: int, seed: int = 1) -> pl.DataFrame:
    """People who look much alike, so that groups overlap."""
    random = Random(seed)
    drawn = [(f"p{i:04}", random.randint(0, 9), random.choice("abc"), random.choice("uvwxyz")) for i in range(rows)]
    return pl.DataFrame(drawn, schema=["name", "age", "town", "ill"], orient="row")


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return people(600)


@pytest.fixture(scope="module")
def release(table: pl.DataFrame) -> Any:
    return pc.publish(table, pc.SoftCut(l=4), **ROLES, seed=1)


@pytest.fixture(scope="module")
def told_less(table: pl.DataFrame, release: Any) -> Beliefs:
    """Beliefs by the engine alone, of which a bound is above 1/4."""
    return pc.attack(release.frame, truth=table, made_by=pc.SoftCut(l=4), **ROLES)


def bounded(beliefs: Beliefs, upper: float, lower: float = 0.0) -> Beliefs:
    people = len(beliefs.risk)
    ends: dict[str, Any] = {"lower": np.full(people, lower), "upper": np.full(people, upper)}
    return replace(beliefs, risk=np.full(people, upper), exactness=Exactness.BOUND, notes=(), **ends)


def test_more_to_know_that_is_true_takes_no_verdict_away(told_less: Beliefs) -> None:
    assert told_less.exactness is Exactness.BOUND
    assert told_less.standing(1 / 4).holds is True
    assert told_less.standing(1 / 5).holds is not True
    assert any("proved of soft-cut, if the release was made as its recipe says" in note for note in told_less.notes)


def test_nor_do_people_who_are_not_in_the_table(table: pl.DataFrame, release: Any) -> None:
    others = people(40, seed=2).with_columns(pl.col("name").str.replace("p", "q"))
    more = pl.concat([table, others]).drop("ill")
    beliefs = pc.attack(release.frame, population=more, made_by=pc.SoftCut(l=4), **ROLES)
    assert beliefs.standing(1 / 4).holds is True


def test_a_bound_is_lowered_and_stays_a_bound(told_less: Beliefs) -> None:
    found = as_proved(bounded(told_less, 0.6))
    assert found.exactness is Exactness.BOUND
    assert found.upper is not None
    assert found.upper.max() == found.risk.max() == 0.25


def test_the_other_view_is_bounded_too(told_less: Beliefs) -> None:
    found = as_proved(replace(bounded(told_less, 0.2), at_most=1.0, other_view="may believe more"))
    assert found.at_most == 0.25
    assert "proved of soft-cut" in found.other_view


@pytest.mark.parametrize("exactness", [Exactness.EXACT, Exactness.SAMPLED, Exactness.UNKNOWN])
def test_what_is_no_bound_is_left_alone(told_less: Beliefs, exactness: Exactness) -> None:
    found = replace(bounded(told_less, 0.6), exactness=exactness, lower=None, upper=None, at_most=1.0)
    assert as_proved(found) is found
    assert found.standing(1 / 4).holds is not True


def test_a_belief_that_is_certain_breaks_the_promise(told_less: Beliefs) -> None:
    found = as_proved(bounded(told_less, 0.6, lower=0.5))
    assert found.upper is not None
    assert found.upper.max() == 0.6
    assert found.standing(1 / 4).holds is False


def test_nothing_is_proved_of_who_knows_more_or_other_things(told_less: Beliefs) -> None:
    first = told_less.evidence.name_of(0)
    for adversary in (
        pc.Adversary(knows="algorithm", facts=[pc.Has(first, "u")]),
        pc.Adversary(knows="algorithm", prior=pc.Learned()),
        pc.Adversary(knows="minimality"),
    ):
        found = replace(bounded(told_less, 0.6), adversary=adversary)
        assert as_proved(found) is found


def test_nothing_is_proved_of_values_that_are_not_protected(table: pl.DataFrame) -> None:
    method = pc.SoftCut(l=4, values=["u"])
    release = pc.publish(table, method, **ROLES, seed=1)
    beliefs = bounded(pc.attack(release.frame, truth=table, made_by=method, **ROLES), 0.6)
    assert as_proved(beliefs).risk.max() == 0.25
    other = replace(beliefs, evidence=replace(beliefs.evidence, asked=("v",)))
    assert as_proved(other) is other


def test_a_release_that_was_not_made_so_is_not_covered(table: pl.DataFrame) -> None:
    """Groups with a value in half of their rows, of which it is said that SoftCut made them with l = 4."""
    release = pc.publish(table, pc.SoftCut(l=2), **ROLES, seed=1)
    beliefs = pc.attack(release.frame, truth=table, made_by=pc.SoftCut(l=4), **ROLES)
    assert beliefs.standing(1 / 4).holds is not True


def leaking(tmp: Any) -> tuple[str, str]:
    """A release of Mondrian's that names two people to whoever knows its people, and its people with one more."""
    table = pl.DataFrame(
        {
            "name": ["Ann", "Bob", "Cyd", "Dan", "Eve", "Fay"],
            "age": [20, 20, 40, 40, 40, 40],
            "town": ["a"] * 6,
            "ill": ["HIV", "HIV", "flu", "cold", "ulcer", "gout"],
        }
    )
    pc.publish(table, pc.Mondrian(l=2, strict=True), **ROLES).write(tmp / "leaks")
    people = pl.concat([table.drop("ill"), pl.DataFrame({"name": ["Max"], "age": [30], "town": ["a"]})])
    people.write_csv(tmp / "people.csv")
    return str(tmp / "leaks"), str(tmp / "people.csv")


@pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
def test_beside_a_figure_stands_who_may_believe_more(tmp_path: Any) -> None:
    folder, more = leaking(tmp_path)
    beliefs = pc.attack(folder, population=more, identifier="name", adversary=pc.Adversary(knows="algorithm"))
    assert beliefs.max_risk < 1 / 2
    assert beliefs.standing(1 / 2).holds is None
    assert any("who is sure may believe more" in note for note in beliefs.notes)


@pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
def test_no_level_is_reached_that_is_not_shown(tmp_path: Any) -> None:
    folder, more = leaking(tmp_path)
    (verdict,) = pc.verify(folder, [pc.TransparentLDiversity(l=2)], population=more, identifier="name")
    assert verdict.not_shown
    assert (verdict.level, dict(verdict.reached)) == (1, {"l": 1})
