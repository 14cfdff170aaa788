"""Does a sample follow a law? A test whose false alarms and misses are bounded for every sample size, not in the limit.

For n independent draws from a law p on K outcomes, the frequencies f satisfy

    P( sum |f - p| >= e )  <=  2**K * exp(-n * e**2 / 2)

(Weissman and others, Inequalities for the L1 deviation of the empirical distribution, 2003). A sample is rejected when
its frequencies are at least ``tolerance`` away from the law in this sense, so a right method fails a test with
probability at most ``FALSE_ALARM``. A wrong method whose law is twice the tolerance away is accepted with probability
at most ``FALSE_ALARM`` too: its frequencies would have to be a tolerance away from its own law.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from math import log, sqrt

FALSE_ALARM = 1e-9
SAMPLES = 2500


def tolerance(outcomes: int, samples: int = SAMPLES) -> float:
    """How far frequencies of so many outcomes may be from their law.

    >>> round(tolerance(outcomes=8), 3)
    0.145
    """
    return sqrt(2 * (outcomes * log(2) - log(FALSE_ALARM)) / samples)


def distance(one: Mapping[Hashable, Fraction], other: Mapping[Hashable, Fraction]) -> float:
    """The sum of the differences of two laws over all outcomes: 0 when equal, 2 when nothing is common."""
    return float(sum(abs(one.get(key, Fraction(0)) - other.get(key, Fraction(0))) for key in {*one, *other}))


def frequencies(sample: Iterable[Hashable]) -> dict[Hashable, Fraction]:
    """How often each outcome occurred."""
    counts = Counter(sample)
    return {key: Fraction(count, counts.total()) for key, count in counts.items()}


def follows(sample: Iterable[Hashable], law: Mapping[Hashable, Fraction]) -> bool:
    """Whether the sample is accepted as coming from the law."""
    drawn = list(sample)
    return distance(frequencies(drawn), law) < tolerance(len(law), len(drawn))


def is_far_enough(wrong: Mapping[Hashable, Fraction], law: Mapping[Hashable, Fraction]) -> bool:
    """Whether SAMPLES draws from the wrong law are certain to be rejected, but for FALSE_ALARM."""
    return distance(wrong, law) > 2 * tolerance(len({*law, *wrong}))
