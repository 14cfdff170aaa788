"""Each condition of a verdict by itself: what holds without one of them must not hold."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest

from pellucid.attacking.adversary import Adversary
from pellucid.attacking.evidence import Evidence
from pellucid.attacking.exactness import Exactness
from pellucid.attacking.inference.beliefs import Beliefs
from pellucid.attacking.verdict import Standing, Verdict, verdict_of, verdict_of_all

HALF = Fraction(1, 2)


def beliefs(*risk: float, **more: Any) -> Beliefs:
    """Beliefs with these figures, exact unless said otherwise."""
    told: dict[str, Any] = {"exactness": Exactness.EXACT} | more
    for end in ("lower", "upper"):
        if end in told:
            told[end] = np.array(told[end], np.float64)
    nobody = cast(Evidence, None)
    return Beliefs(Adversary(knows="algorithm"), nobody, np.array(risk), "some engine", dict, str, **told)


def test_exact_figures_within_the_bound_hold() -> None:
    assert verdict_of(beliefs(0.25, 0.5), HALF) == Verdict(Standing.HOLDS)
    assert verdict_of(beliefs(0.25, 0.5), HALF).holds is True
    assert verdict_of(beliefs(0.5 * (1 + 1e-12)), HALF).holds is True  # rounding


def test_a_bound_from_above_is_enough() -> None:
    assert verdict_of(beliefs(0.2, exactness=Exactness.BOUND, lower=[0.1], upper=[0.5]), HALF).holds is True


def test_somebody_above_it_fails() -> None:
    assert verdict_of(beliefs(0.25, 0.51), HALF).standing is Standing.FAILS


def test_an_engine_that_claims_nothing_is_not_relied_on() -> None:
    made = Beliefs(Adversary(), cast(Evidence, None), np.array([0.1]), "exact (it says)", dict, str)
    assert verdict_of(made, HALF).standing is Standing.NOT_SHOWN
    assert verdict_of(made, HALF).why


def test_a_figure_that_nothing_is_claimed_of_does_not_fail_either() -> None:
    assert verdict_of(beliefs(0.9, exactness=Exactness.UNKNOWN), HALF).standing is Standing.NOT_SHOWN


def test_samples_show_no_holding_and_may_show_failing() -> None:
    within = beliefs(0.2, exactness=Exactness.SAMPLED, lower=[0.1], upper=[0.3], confidence=0.95)
    assert verdict_of(within, HALF).standing is Standing.NOT_SHOWN
    assert "confidence 0.95" in verdict_of(within, HALF).why
    above = beliefs(0.7, exactness=Exactness.SAMPLED, lower=[0.6], upper=[0.8], confidence=0.95)
    assert verdict_of(above, HALF).standing is Standing.FAILS


def test_what_is_lacking_is_said_and_leaves_it_open() -> None:
    found = verdict_of(beliefs(0.1, lacking=("give the schema",)), HALF)
    assert (found.standing, found.why) == (Standing.NOT_SHOWN, "give the schema")


def test_an_upper_figure_above_the_bound_leaves_it_open() -> None:
    found = verdict_of(beliefs(0.2, exactness=Exactness.BOUND, lower=[0.0], upper=[0.6]), HALF)
    assert found.standing is Standing.NOT_SHOWN
    assert "0.6" in found.why


@pytest.mark.parametrize(("at_most", "holds"), [(None, True), (0.5, True), (0.6, None), (1.0, None)])
def test_whoever_sees_the_release_otherwise_counts_too(at_most: float | None, holds: bool | None) -> None:
    found = verdict_of(beliefs(0.25, at_most=at_most, other_view="who is told the groups"), HALF)
    assert found.holds is holds
    assert found.why == ("" if holds else "who is told the groups")


def test_somebody_is_certain_by_the_lower_figure_alone() -> None:
    low = beliefs(0.9, exactness=Exactness.BOUND, lower=[0.4], upper=[0.9])
    assert verdict_of(low, HALF).standing is Standing.NOT_SHOWN
    assert verdict_of(replace(low, lower=np.array([0.7])), HALF).standing is Standing.FAILS


def test_all_must_hold_and_everybody_must_have_been_tried() -> None:
    holds, fails, open_ = Verdict(Standing.HOLDS), Verdict(Standing.FAILS), Verdict(Standing.NOT_SHOWN, "why")
    assert verdict_of_all([holds, holds]).holds is True
    assert verdict_of_all([holds, fails, open_], missed=1).holds is False
    assert verdict_of_all([holds, open_]) == open_
    assert verdict_of_all([holds], missed=1).holds is None
    assert verdict_of_all([]).holds is None


def test_only_what_is_exact_or_a_bound_is_relied_on() -> None:
    assert [kind for kind in Exactness if kind.sound] == [Exactness.EXACT, Exactness.BOUND]
