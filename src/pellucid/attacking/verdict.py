"""The one place that says whether a bound holds, for every verb, report and page.

*Holds* takes all of these: the figures are exact or bounds from above; nothing that steered the method is missing;
whoever sees the same release otherwise (told who is in which group, or not; sure who is in the table, or not) is
bounded too; and the largest figure is not above the bound. *Fails* takes that somebody certainly believes more.
Everything between is *not shown*, with what to give. Nothing is ever shown by an attack that could not run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from pellucid.attacking.exactness import Exactness
from pellucid.attacking.inference.beliefs import Beliefs
from pellucid.text.figures import probability

ROUNDING = 1 + 1e-9  # beliefs are floats: a billionth is rounding, not a breach


class Standing(StrEnum):
    """What is known about a bound."""

    HOLDS = "holds"
    FAILS = "FAILS"
    NOT_SHOWN = "NOT SHOWN"


@dataclass(frozen=True)
class Verdict:
    """How a bound stands and, where it is not shown, why, with what to give."""

    standing: Standing
    why: str = ""

    @property
    def holds(self) -> bool | None:
        """True, False, or None where it is not shown."""
        return {Standing.HOLDS: True, Standing.FAILS: False}.get(self.standing)


def verdict_of(beliefs: Beliefs, most: float | Fraction) -> Verdict:
    """Whether nobody is believed to have a value with more than this probability, by one adversary.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> beliefs = pc.attack(release, truth=pc.datasets.patients(), **roles)
    >>> verdict_of(beliefs, 1 / 2).holds, verdict_of(beliefs, 1 / 3).holds
    (True, False)
    """
    limit = float(most) * ROUNDING
    if certain_of_somebody(beliefs) > limit:
        return Verdict(Standing.FAILS)
    why = doubts(beliefs, limit)
    return Verdict(Standing.NOT_SHOWN, "; ".join(why)) if why else Verdict(Standing.HOLDS)


def certain_of_somebody(beliefs: Beliefs) -> float:
    """The largest belief about anybody that is certainly held: by the lower figure, 0 where nothing is claimed."""
    if beliefs.exactness is Exactness.UNKNOWN:
        return 0.0
    lower = beliefs.risk if beliefs.lower is None else beliefs.lower
    return float(lower.max(initial=0.0))


def doubts(beliefs: Beliefs, limit: float) -> list[str]:
    """Why it is not shown that nobody is above a limit; nothing where it is."""
    found = [*beliefs.lacking]
    if beliefs.exactness is Exactness.SAMPLED:
        sure = f"with confidence {beliefs.confidence:g} each"
        found.append(f"worlds were sampled, and that is no proof ({sure}); raise the budget where counting is possible")
    elif not beliefs.exactness.sound and not found:
        found.append("the figures rest on an approximation, which bounds nothing")
    if beliefs.at_most is not None and beliefs.at_most > limit:
        found.append(beliefs.other_view or "somebody who sees the same release otherwise may believe more")
    upper = float((beliefs.risk if beliefs.upper is None else beliefs.upper).max(initial=0.0))
    if upper > limit:
        found.append(f"of somebody up to {probability(min(1.0, upper))} may be believed")
    return list(dict.fromkeys(found))


def verdict_of_all(tried: Iterable[Verdict], missed: int = 0) -> Verdict:
    """The verdict on several adversaries, of whom some could not be tried: that is no safety.

    >>> verdict_of_all([Verdict(Standing.HOLDS)], missed=1).standing.value
    'NOT SHOWN'
    """
    found = list(tried)
    if any(one.standing is Standing.FAILS for one in found):
        return Verdict(Standing.FAILS)
    why = [one.why for one in found if one.standing is Standing.NOT_SHOWN]
    if why or missed or not found:
        return Verdict(Standing.NOT_SHOWN, "; ".join(dict.fromkeys(why)))
    return Verdict(Standing.HOLDS)
