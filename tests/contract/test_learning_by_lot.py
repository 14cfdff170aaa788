"""Who learns from a large release learns from a lot: that is said, has an interval, and shows nothing to hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pellucid as pc
from pellucid.app.attack_words import in_words
from pellucid.attacking.exactness import Exactness
from pellucid.attacking.inference import by_prior
from pellucid.attacking.telling.guessing import guessing_of
from pellucid.attacking.verdict import Standing, verdict_of

ROLES = {"quasi": ["age", "gender"], "sensitive": "occupation"}
LEARNER = pc.Adversary(prior=pc.Learned(iterations=3))


@pytest.fixture
def small_lots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_prior, "LARGEST_LOT", 300)


def some_beliefs(*, exact: bool = False) -> pc.Beliefs:
    people = pc.datasets.census(800, seed=3)
    release = pc.publish(people, pc.Hybrid(l=2), **ROLES, seed=1)
    return pc.attack(release, LEARNER, truth=people, exact=exact, **ROLES)


@pytest.mark.usefixtures("small_lots")
@pytest.mark.filterwarnings("ignore:seed")
def test_a_lot_never_shows_that_a_bound_holds_and_everybody_may() -> None:
    drawn, whole = some_beliefs(), some_beliefs(exact=True)
    assert (drawn.exactness, whole.exactness) == (Exactness.SAMPLED, Exactness.EXACT)
    assert verdict_of(whole, 1).standing is Standing.HOLDS
    shown = verdict_of(drawn, 1)
    assert shown.standing is Standing.NOT_SHOWN
    assert "it learned from " in shown.why
    assert "people drawn by lot, and that is no proof (with confidence 0.95 each); give exact=True" in shown.why


@pytest.mark.usefixtures("small_lots")
@pytest.mark.filterwarnings("ignore:seed")
def test_what_is_sure_of_everybody_is_wider_than_what_is_of_one() -> None:
    drawn = some_beliefs()
    assert drawn.lower is not None
    assert drawn.upper is not None
    assert drawn.surely is not None
    assert drawn.drawn is not None
    assert 200 < drawn.drawn[0] <= 300
    assert (drawn.lower <= drawn.risk).all()
    assert (drawn.risk <= drawn.upper).all()
    width, surely = drawn.risk - drawn.lower, drawn.risk - drawn.surely
    uncut = (drawn.surely > 0) & (width > 0)
    assert (surely[uncut] > 10 * width[uncut]).all()
    assert drawn.lower.max() > 1 / 2
    assert verdict_of(drawn, drawn.lower.max() - 1e-3).standing is Standing.NOT_SHOWN  # one of many intervals


@pytest.mark.usefixtures("small_lots")
@pytest.mark.filterwarnings("ignore:seed")
def test_most_intervals_hold_what_one_who_learns_from_everybody_believes() -> None:
    drawn, whole = some_beliefs(), some_beliefs(exact=True)
    assert drawn.guesses is not None
    assert drawn.lower is not None
    assert drawn.upper is not None
    guesses = drawn.guesses()
    theirs = np.array([
        whole.posterior_of(row).get(drawn.evidence.values[code], 0.0) for row, code in enumerate(guesses.tolist())
    ])  # fmt: skip
    assert ((drawn.lower <= theirs + 1e-9) & (theirs <= drawn.upper + 1e-9)).mean() > 0.8


@pytest.mark.usefixtures("small_lots")
@pytest.mark.filterwarnings("ignore:seed")
def test_a_reader_is_told_of_the_lot() -> None:
    people = pc.datasets.census(800, seed=3)
    release = pc.publish(people, pc.Hybrid(l=2), **ROLES, seed=1)
    report = pc.attack_all(release, truth=people, adversaries=["learned"], classic=False, **ROLES)
    said = " ".join(in_words(report).split())
    assert "groups, drawn by lot of 800 rows in" in said
    assert "with confidence 0.95" in said
    unsure = replace(report.attempts[0].beliefs, lower=np.zeros(800), upper=np.ones(800))
    unsure_report = replace(report, attempts=(replace(report.attempts[0], beliefs=unsure),))
    assert guessing_of(unsure_report, "algorithm").learned == report.attempts[0].accuracy
    whole = pc.attack_all(release, truth=people, adversaries=["learned"], classic=False, exact=True, **ROLES)
    assert "drawn by lot" not in in_words(whole)
    with pytest.raises(pc.AttackError, match="exact"):
        pc.attack_all(release, truth=people, exact="yes", **ROLES)  # type: ignore[arg-type]
