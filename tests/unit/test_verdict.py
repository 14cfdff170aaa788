"""Each condition of a verdict by itself: what holds without one of them must not hold.

With Spark, whoever is asked about and cannot be tried there is refused, and counts for nothing.
"""

from __future__ import annotations

import importlib.util
import sys
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from pellucid.cli.attack_on_spark import attack_by_spark
from pellucid.core.schema import Roles
from pellucid.errors import AttackError
from pellucid.messages import Note, NoteKind
from pellucid.risk.adversary import Adversary
from pellucid.risk.adversary_kinds import KINDS, KindName
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.verdict import BoundVerdict, Standing, lower_ends, verdict_of, verdict_of_all, wider
from pellucid.risk.views import Evidence

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
    assert verdict_of(beliefs(0.25, 0.5), HALF) == BoundVerdict(Standing.HOLDS)
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


def sampled(*risk: float, **more: Any) -> Beliefs:
    """Each person's figure with an interval of 0.1 to either side, which holds with confidence 0.95 by itself."""
    ends = {"lower": [one - 0.1 for one in risk], "upper": [one + 0.1 for one in risk], "confidence": 0.95}
    return beliefs(*risk, exactness=Exactness.SAMPLED, **(ends | more))


def test_samples_show_no_holding_and_may_show_failing() -> None:
    within = sampled(0.2)
    assert verdict_of(within, HALF).standing is Standing.NOT_SHOWN
    assert "confidence 0.95" in verdict_of(within, HALF).why
    assert verdict_of(sampled(0.8), HALF).standing is Standing.FAILS


def test_one_interval_above_the_bound_is_not_enough_where_many_were_looked_at() -> None:
    """By the normal distribution 0.999 of one interval is 1.68 times as wide as 0.95 of it, of 10,000 2.72 times."""
    alone = sampled(0.7)
    assert alone.lower is not None
    assert alone.lower.max() > HALF * Fraction(11, 10)
    assert wider(alone) == pytest.approx(1.679**2, rel=1e-3)
    assert wider(sampled(*[0.7] * 10_000)) == pytest.approx(2.718**2, rel=1e-3)
    assert verdict_of(alone, Fraction(2, 5)).standing is Standing.FAILS
    assert verdict_of(alone, HALF).standing is Standing.NOT_SHOWN
    assert verdict_of(sampled(0.8, *[0.2] * 9_999), HALF).standing is Standing.NOT_SHOWN


def test_only_people_who_were_sampled_make_intervals_wider_and_exact_ones_stay() -> None:
    exactly = sampled(0.8, 0.6, lower=[0.7, 0.6], upper=[0.9, 0.6])
    assert wider(exactly) == wider(sampled(0.8))
    assert verdict_of(exactly, 0.59).standing is Standing.FAILS
    assert lower_ends(exactly)[1] == 0.6


def test_a_walk_is_judged_by_its_independent_draws() -> None:
    walk = sampled(0.99, lower=[0.98], upper=[1.0])
    assert verdict_of(walk, HALF).standing is Standing.FAILS
    assert verdict_of(replace(walk, surely=np.array([0.4])), HALF).standing is Standing.NOT_SHOWN
    assert verdict_of(replace(walk, surely=np.array([0.6])), HALF).standing is Standing.FAILS
    assert replace(walk, surely=np.array([0.4])).vulnerable(0.5, surely=True).tolist() == []
    assert walk.vulnerable(0.5, surely=True).tolist() == [0]


def test_what_is_lacking_is_said_and_leaves_it_open() -> None:
    found = verdict_of(beliefs(0.1, lacking=("give the schema",)), HALF)
    assert (found.standing, found.why) == (Standing.NOT_SHOWN, "give the schema")


def test_a_verdict_says_that_worlds_were_sampled_only_where_they_were() -> None:
    """Of a release of Mondrian without an identifier nothing may be known, though nothing was sampled either."""
    unknown = Note("not known for 1 person", NoteKind.NOT_KNOWN)
    nothing = {"lower": [0.0], "upper": [1.0], "lacking": ("give the identifier",), "notes": (unknown,)}
    found = verdict_of(sampled(1.0, **nothing), HALF)
    assert found.standing is Standing.NOT_SHOWN
    assert found.why == "give the identifier; of somebody up to 1 may be believed"
    drawn = Note("with confidence 0.95", NoteKind.CONFIDENCE)
    for also in ({"notes": (unknown, drawn)}, {"notes": ()}, {"lacking": ()}):
        assert "worlds were sampled" in verdict_of(sampled(1.0, **(nothing | also)), HALF).why


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
    holds, fails, open_ = (
        BoundVerdict(Standing.HOLDS),
        BoundVerdict(Standing.FAILS),
        BoundVerdict(Standing.NOT_SHOWN, "why"),
    )
    assert verdict_of_all([holds, holds]).holds is True
    assert verdict_of_all([holds, fails, open_], missed=1).holds is False
    assert verdict_of_all([holds, open_]) == open_
    assert verdict_of_all([holds], missed=1).holds is None
    assert verdict_of_all([]).holds is None


def test_only_what_is_exact_or_a_bound_is_relied_on() -> None:
    assert [kind for kind in Exactness if kind.sound] == [Exactness.EXACT, Exactness.BOUND]


def test_every_mutant_of_the_conditions_can_be_made() -> None:
    """benchmark/mutants.py removes each condition in turn; a text that is gone would leave one untried."""
    path = Path(__file__).parents[2] / "benchmark" / "mutants.py"
    spec = importlib.util.spec_from_file_location("mutants", path)
    assert spec is not None
    assert spec.loader is not None
    mutants = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = mutants  # where its dataclass looks for its own names
    try:
        spec.loader.exec_module(mutants)
    finally:
        del sys.modules["mutants"]
    for mutant in mutants.MUTANTS:
        source = mutant.path.read_text()
        assert source.count(mutant.old) == 1, mutant.name


@pytest.mark.parametrize("asked", [("algorithm", "learned"), ("learned",), tuple(KINDS)])
def test_an_attacker_who_cannot_be_tried_with_spark_is_refused(asked: tuple[KindName, ...]) -> None:
    with pytest.raises(AttackError, match=r"learned.*attack without --engine spark"):
        attack_by_spark("nowhere", Roles(), nullcontext(), adversaries=asked, most=None, as_json=False)


def test_each_person_is_compared_with_what_is_allowed_of_them() -> None:
    own = np.array([0.5, 0.75])
    assert verdict_of(beliefs(0.5, 0.75), own).holds is True
    assert verdict_of(beliefs(0.5 * (1 + 1e-12), 0.75), own).holds is True  # rounding
    assert verdict_of(beliefs(0.6, 0.7), own).holds is False
    assert (
        verdict_of(beliefs(0.4, 0.7, lower=[0.4, 0.4], upper=[0.6, 0.7], exactness=Exactness.BOUND), own).holds is None
    )
    assert verdict_of(beliefs(0.6, 0.7, exactness=Exactness.UNKNOWN, lacking=("more",)), own).holds is None


def test_another_view_of_one_person_leaves_it_open() -> None:
    own = np.array([0.5, 0.75])
    assert verdict_of(beliefs(0.5, 0.75, otherwise=own), own).holds is True
    seen = verdict_of(beliefs(0.5, 0.75, otherwise=np.array([1.0, 0.75]), other_view="who is not told"), own)
    assert (seen.holds, str(seen.why)) == (None, "who is not told")
