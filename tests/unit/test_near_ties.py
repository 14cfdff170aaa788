"""Groups that floats put into the wrong order: integers decide which is worst."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pellucid.model import Groups
from pellucid.model.delta_disclosure import DeltaDisclosure, Logarithms
from pellucid.model.figures import Ratios
from pellucid.model.groups import numbered


def test_the_worst_of_two_quotients_is_told_exactly() -> None:
    # the first is smaller, but its float is larger
    above = np.array([2490418991633626472, 2490418991633626350])
    below = np.array([2836659595355448467, 2836659595355448307])
    assert Fraction(int(above[0]), int(below[0])) < Fraction(int(above[1]), int(below[1]))
    figures = Ratios(above, below)
    assert figures.floats[0] > figures.floats[1]
    assert figures.worst("largest") == 0
    assert figures.worst("smallest") == 1
    assert Logarithms(figures).worst("smallest") == 1


def test_the_larger_of_two_factors_is_told_exactly() -> None:
    # One value becomes more probable by almost the factor by which the other becomes less so, and the float of the
    # smaller factor is the larger float.
    counts, table = np.array([22070611, 17000867]), np.array([240728836, 312515385])
    rows, size = int(table.sum()), int(counts.sum())
    more, less = Fraction(22070611 * rows, 240728836 * size), Fraction(312515385 * size, 17000867 * rows)
    assert more < less
    figures = DeltaDisclosure(delta=1).figures(Groups.of_counts(counts, table, numbered(2)))["delta"]
    assert isinstance(figures, Logarithms)
    assert figures.ratios.exact(0) == less
