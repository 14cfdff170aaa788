"""The refused cut of figure 6(b) in Cormode, Srivastava, Li, Li: Minimizing minimality (VLDB 2010)."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest

import pellucid as pc
from pellucid.model.l_diversity import LDiversity
from pellucid.posterior import refused_cut

POSITIVE = LDiversity(l=2, sensitive=("positive",))
PLACES = ["a", "b", "c", "c", "c", "d"]


def test_the_posterior_of_each_side() -> None:
    found = refused_cut((2, 4), {"positive": 2, "negative": 4}, POSITIVE, exact=True)
    assert [side["positive"] for side in found] == [Fraction(1), Fraction(0)]


@pytest.mark.filterwarnings("ignore::pellucid.InformedAttackerWarning")
def test_strict_mondrian_refuses_that_cut_when_both_positives_are_on_the_smaller_side_and_makes_it_otherwise() -> None:
    groups = {}
    for first in range(6):
        for second in range(first):
            values = ["positive" if row in (first, second) else "negative" for row in range(6)]
            frame = pl.DataFrame({"place": PLACES, "test": values, "name": list("uvwxyz")})
            method = pc.Mondrian(model=POSITIVE, strict=True, retry=False)
            release = pc.publish(frame, method, quasi="place", sensitive="test", identifier="name")
            groups[second, first] = release.private.labels.tolist()
    uncut = [pair for pair, labels in groups.items() if set(labels) == {0}]
    assert uncut == [(0, 1)]
    assert all(labels[:2] != labels[2:4] for pair, labels in groups.items() if pair != (0, 1))
