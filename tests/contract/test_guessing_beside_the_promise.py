"""Beside the promise stands how well somebody does who guesses; no headline rests on a figure that tells nothing."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.risk.attack_all import attack_all
from pellucid.risk.report.attack_report import AttackReport
from pellucid.risk.report.baseline_risk import newly_above
from pellucid.risk.report.guessing import guessing_of
from pellucid.risk.report.headline import enough, supported, telling, told_most, worth_nothing
from pellucid.risk.report.results import attacker_of, result_of
from pellucid.risk.report.sentences import promise_status

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # a fixed seed, methods that leak, a column that tells
ROLES = {"quasi": ["age", "town", "code"], "sensitive": "disease", "identifier": "name"}


def people(n: int = 240, seed: int = 3) -> pl.DataFrame:
    """Diseases that follow the town; a code that six people share."""
    rng = np.random.default_rng(seed)
    town = rng.integers(0, 4, n)
    disease = np.where(rng.random(n) < 0.7, town, rng.integers(0, 6, n))
    return pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": np.where(rng.random(n) < 0.8, rng.integers(20, 25, n), rng.integers(25, 60, n)),
            "town": [f"town {i}" for i in town],
            "code": rng.permutation(n) // 6,
            "disease": [f"disease {i}" for i in disease],
        }
    )


@pytest.fixture(scope="module")
def attacked() -> tuple[pl.DataFrame, AttackReport]:
    table = people()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = pc.publish(table, pc.Anatomy(l=3), seed=5, **ROLES)
    return table, attack_all(release, truth=table, adversaries=["algorithm", "learned", "distribution"], **ROLES)


def test_the_line_tells_how_often_a_guess_is_right_and_how_often_the_learner_is(
    attacked: tuple[pl.DataFrame, AttackReport],
) -> None:
    table, report = attacked
    learner = next(one for one in report.attempts if one.name == "learns from the release")
    right = 0
    for row, value in enumerate(table["disease"]):
        posterior = learner.beliefs.posterior_of(row)
        right += max(posterior, key=lambda one: posterior[one]) == value
    guessing = guessing_of(report, "algorithm")
    assert guessing.frequent == table["disease"].value_counts()["count"].max() / len(table)
    assert guessing.learned == right / len(table)
    assert guessing.learned > guessing.frequent + 0.1  # or the table is no test
    assert guessing.line == (
        f"Who only guesses the most frequent disease is right for {round(100 * guessing.frequent)} % of the people; "
        f"who learns from the release, whom the promise does not cover, for {round(100 * guessing.learned)} %."
    )
    assert guessing.record()["line"] == guessing.line


def test_a_guess_is_scored_with_the_truth_where_values_were_replaced() -> None:
    table = people()
    release = pc.publish(table, pc.Mask(l=4, k=4, sensitive=["disease 1", "disease 2"]), seed=5, **ROLES)
    assert release.private.changed.any()
    report = attack_all(release, truth=table, adversaries=["nothing"], **ROLES)
    published = release.public.frames["data"]["disease"].value_counts(sort=True)["disease"][0]
    assert report.by_guessing == (table["disease"] == published).mean()


@pytest.mark.parametrize(
    ("given", "kinds", "told"),
    [
        ({}, ["learned"], "only the true table tells"),
        ({"truth": people()}, ["nothing"], "it was not tried"),
    ],
)
def test_what_is_not_known_about_the_learner_is_said(
    given: dict[str, pl.DataFrame], kinds: list[str], told: str
) -> None:
    release = pc.publish(people(), pc.Anatomy(l=3), seed=5, **ROLES)
    frames = {"truth": people()} | given if given else {"population": people().drop("disease")}
    report = attack_all(release, adversaries=kinds, **frames, **ROLES)  # type: ignore[arg-type]
    guessing = guessing_of(report, "algorithm")
    assert guessing.learned is None
    assert f"is not known: {told}." in guessing.line
    assert "no promise covers" in guessing_of(report, "none").line


def test_no_headline_rests_on_a_figure_learned_from_a_handful_of_people(
    attacked: tuple[pl.DataFrame, AttackReport],
) -> None:
    _, report = attacked
    by = {one.name.rpartition(" ")[2]: one for one in report.attempts}
    code, town = by["code"], by["town"]
    assert len(newly_above(code))
    assert not supported(code).any()
    assert not attacker_of(code, report).carries
    assert not len(telling(code))
    assert told_most(code) == code.max_risk  # which nothing but a table shows
    standing = promise_status(result_of(replace(report, attempts=(code,)), "algorithm"))
    assert "knows the distribution by code, whose figures rest on fewer than 30 people" in standing.aside
    assert enough(report.evidence) == 30  # five for each of six diseases
    assert supported(town).all()
    assert attacker_of(town, report).carries
    age = by["age"]  # some ages are a handful's and some are not
    ages = age.beliefs.evidence.people.codes[0]
    some = supported(age)
    assert some.any()
    assert not some.all()
    assert set(telling(age).tolist()) == {row for row in newly_above(age).tolist() if some[row]}
    own = np.bincount(ages)[ages] >= enough(report.evidence)
    labels = age.beliefs.evidence.grouping.labels
    assert (some == [own[labels == label].all() for label in labels.tolist()]).all()
    assert (own & ~some).any()  # whose own age many have, and not the others' of the group
    standing = promise_status(result_of(report, "algorithm"))
    assert "(5 for each value of disease, and at least 20, make a statistic)" in standing.aside
    headline = standing.outside
    assert "by code" not in headline
    assert "by code" in standing.aside
    assert "by town" in headline or "learns from the release" in headline


def test_no_headline_rests_on_a_figure_below_guessing(attacked: tuple[pl.DataFrame, AttackReport]) -> None:
    _, report = attacked
    learner = next(one for one in report.attempts if one.name == "learns from the release")
    assert learner.exceeds
    assert not worth_nothing(learner, report)
    scoring = learner.beliefs.scoring
    assert scoring is not None
    wrong = replace(scoring, chance=np.zeros(len(scoring.truth)))  # as if none of these beliefs were right
    another = (scoring.truth + 1) % len(report.evidence.values)
    beliefs = replace(learner.beliefs, scoring=wrong, guesses=lambda: another)
    learner = replace(learner, beliefs=beliefs, accuracy=0.25)
    frequent = replace(report, attempts=(learner,), guessed=0.25)
    assert worth_nothing(learner, frequent)
    standing = promise_status(result_of(frequent, "algorithm"))
    assert standing.outside == ""
    assert standing.aside == (
        "Not counted in this: somebody who learns from the release, right no more often than the values are frequent."
    )
    assert "is right no more often" in guessing_of(frequent, "algorithm").line
