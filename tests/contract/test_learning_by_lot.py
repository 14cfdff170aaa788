"""Who learns from a lot of a very large release gives an estimate: that is said, and it shows nothing either way."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import pellucid as pc
from pellucid.cli.attack_words import in_words
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference import by_prior
from pellucid.risk.report.attack_report import AttackReport
from pellucid.risk.report.chart import titled
from pellucid.risk.report.guessing import guessing_of
from pellucid.risk.report.results import result_of
from pellucid.risk.report.sentences import verdict
from pellucid.risk.report.undecided import surely_exceeds
from pellucid.risk.verdict import Standing, verdict_of

ROLES = {"quasi": ["age", "gender"], "sensitive": "occupation"}
LEARNER = pc.Adversary(prior=pc.Learned(iterations=3))
PEOPLE = 800

pytestmark = pytest.mark.filterwarnings("ignore:seed")


@pytest.fixture
def small_lots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_prior, "LARGEST_LOT", 300)


def some_release() -> tuple[pc.Table, pc.Release]:
    people = pc.datasets.census(PEOPLE, seed=3)
    return people, pc.publish(people, pc.Hybrid(l=2), **ROLES, seed=1)


def some_beliefs(*, exact: bool = False) -> pc.Beliefs:
    people, release = some_release()
    return pc.attack(release, LEARNER, truth=people, exact=exact, **ROLES)


def some_report(*, exact: bool = False) -> AttackReport:
    people, release = some_release()
    return pc.attack_all(release, truth=people, adversaries=["learned"], classic=False, exact=exact, **ROLES)


@pytest.mark.usefixtures("small_lots")
@pytest.mark.parametrize("most", [1, 0.999, 1 / 2, 1 / 10, 1e-6])
def test_a_lot_shows_neither_that_a_bound_holds_nor_that_it_fails(most: float) -> None:
    shown = verdict_of(some_beliefs(), most)
    assert shown.standing is Standing.NOT_SHOWN
    assert "it is an estimate by somebody who learned from a lot of " in shown.why
    assert shown.why.endswith("give exact=True")


@pytest.mark.usefixtures("small_lots")
def test_nothing_is_claimed_of_a_lot() -> None:
    drawn = some_beliefs()
    assert drawn.exactness is Exactness.UNKNOWN
    assert (drawn.lower, drawn.upper, drawn.surely) == (None, None, None)
    assert drawn.drawn is not None
    assert 200 < drawn.drawn[0] <= 300
    assert len(drawn.vulnerable(1 / 2))
    assert not len(drawn.vulnerable(1 / 2, surely=True))
    assert "believes about 0." in drawn.explain(drawn.most_exposed)
    assert "largest risk ~" in repr(drawn)
    assert "largest risk of anybody, estimated" in drawn._repr_html_()


@pytest.mark.usefixtures("small_lots")
def test_exact_takes_everybody() -> None:
    whole = some_beliefs(exact=True)
    assert (whole.exactness, whole.drawn) == (Exactness.EXACT, None)
    assert verdict_of(whole, 1).standing is Standing.HOLDS
    assert verdict_of(whole, 1e-6).standing is Standing.FAILS


def test_exact_is_what_everybody_tells_where_no_lot_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    unasked = some_beliefs()
    monkeypatch.setattr(by_prior, "LARGEST_LOT", 300)
    whole, drawn = some_beliefs(exact=True), some_beliefs()
    np.testing.assert_array_equal(whole.risk, unasked.risk)
    assert (drawn.risk != whole.risk).any()


@pytest.mark.parametrize("lot", [3, 4])
def test_a_lot_that_is_everybody_is_no_lot(monkeypatch: pytest.MonkeyPatch, lot: int) -> None:
    monkeypatch.setattr(by_prior, "LARGEST_LOT", lot)
    people = pl.DataFrame({"age": [20, 30, 40, 50], "ill": list("abcd")})
    release = pc.publish(people, pc.Hybrid(l=4), quasi=["age"], sensitive="ill")
    beliefs = pc.attack(release, LEARNER, truth=people, quasi=["age"], sensitive="ill")
    assert len(beliefs.evidence.published) == 1
    assert (beliefs.exactness, beliefs.drawn) == (Exactness.EXACT, None)


@pytest.mark.usefixtures("small_lots")
def test_a_reader_is_told_that_it_is_an_estimate() -> None:
    report = some_report()
    attempt = report.attempts[0]
    said = " ".join(in_words(result_of(report, persons=True)).split())
    assert "groups, drawn by lot of 800 rows in" in said
    assert "An estimate by somebody who learned from a lot of " in said
    assert "people; --exact takes everybody." in said
    assert "an estimate, of which nothing is claimed" in said
    assert f"~{len(attempt.above):,} (" in said
    for word in ("confidence", "interval", "surely", "Sampled"):
        assert word not in said
    assert verdict(result_of(report, most=Fraction(1, 1000))).startswith("NOT SHOWN")
    assert "an estimate" in titled(attempt)
    most = verdict(replace(result_of(report), limit=None))
    assert most.startswith("The most that is believed of anybody is about 0.")
    assert attempt.exceeds is True
    assert surely_exceeds(attempt) is None
    assert not len(attempt.surely_above)
    assert guessing_of(report, "algorithm").learned == attempt.accuracy is not None


@pytest.mark.usefixtures("small_lots")
def test_who_takes_everybody_says_nothing_of_a_lot() -> None:
    assert " lot" not in in_words(result_of(some_report(exact=True)))


def test_exact_is_true_or_false() -> None:
    people, release = some_release()
    with pytest.raises(pc.AttackError, match="exact"):
        pc.attack_all(release, truth=people, exact="yes", **ROLES)  # type: ignore[arg-type]
