"""The one place that says whether a bound holds, for every verb, report and page.

*Holds* takes all of these: the figures are exact or bounds from above; nothing that steered the method is missing;
whoever sees the same release otherwise (told who is in which group, or not; sure who is in the table, or not) is
bounded too; and the largest figure is not above the bound. *Fails* takes that somebody certainly believes more.
Everything between is *not shown*, with what to give. Nothing is ever shown by an attack that could not run.

A **sample** never shows that a bound holds. It shows that a bound fails where the whole interval of somebody lies above
it, and not an interval for one person looked at by itself: of a thousand such intervals some miss. It is widened until
all of them contain what is so with confidence ``SURE`` (Bonferroni's correction for the people who were sampled). A
walk that may never reach some of the worlds shows nothing by where it went: only worlds drawn independently do. Who
learned from a lot of the people, and not from everybody, shows nothing either way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from numbers import Real
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import AttackError
from pellucid.messages import Count, Message, NoteKind, Probability, kind_of_note
from pellucid.risk.exactness import SURE, Exactness
from pellucid.risk.inference.beliefs import Beliefs, Floats
from pellucid.runtime.arguments import brief

ROUNDING = 1 + 1e-9  # beliefs are floats: a billionth is rounding, not a breach


class Standing(StrEnum):
    """What is known about a bound."""

    HOLDS = "holds"
    FAILS = "FAILS"
    NOT_SHOWN = "NOT SHOWN"


@dataclass(frozen=True)
class BoundVerdict:
    """How a bound stands and, where it is not shown, why, with what to give."""

    standing: Standing
    why: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "why", Message(self.why))

    @property
    def holds(self) -> bool | None:
        """True, False, or None where it is not shown."""
        return {Standing.HOLDS: True, Standing.FAILS: False}.get(self.standing)


def verdict_of(beliefs: Beliefs, most: float | Fraction | Floats) -> BoundVerdict:
    """Whether nobody is believed to have a value with more than this probability, by one adversary.

    ``most`` is the same for everybody, or an array with what is allowed of each person.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> beliefs = pc.attack(release, truth=pc.datasets.patients(), **roles)
    >>> verdict_of(beliefs, 1 / 2).holds, verdict_of(beliefs, 1 / 3).holds
    (True, False)
    """
    limit = (most if isinstance(most, np.ndarray) else float(most)) * ROUNDING
    if surely_above(beliefs, limit).any():
        return BoundVerdict(Standing.FAILS)
    why = doubts(beliefs, limit)
    return BoundVerdict(Standing.NOT_SHOWN, Message.joined(why)) if why else BoundVerdict(Standing.HOLDS)


def most_allowed(most: Any) -> float:
    """The largest belief that a caller allows, as 1/4 or 0.25.

    >>> most_allowed("1/4")
    Traceback (most recent call last):
    pellucid.errors.AttackError: most = '1/4': must be a number above 0 and at most 1; it is the largest belief that \
is allowed, as in standing(1/4)
    """
    number = isinstance(most, Real) and not isinstance(most, bool | np.bool_)
    if not number or not 0 < most <= 1:
        meaning = "it is the largest belief that is allowed, as in standing(1/4)"
        raise AttackError(f"most = {brief(most)}: must be a number above 0 and at most 1; {meaning}")
    return float(most)


def surely_above(beliefs: Beliefs, limit: float | Floats) -> NDArray[np.bool_]:
    """For everybody whether more than a limit is certainly believed; of nobody where nothing is claimed."""
    if beliefs.exactness is Exactness.UNKNOWN:
        return np.zeros(len(beliefs.counted), np.bool_)
    return np.asarray(lower_ends(beliefs) > limit)


def certain_of_somebody(beliefs: Beliefs) -> float:
    """The largest belief about anybody that is certainly held; 0 where nothing is claimed."""
    if beliefs.exactness is Exactness.UNKNOWN:
        return 0.0
    return float(lower_ends(beliefs).max(initial=0.0))


def lower_ends(beliefs: Beliefs) -> Floats:
    """What is believed of each person at least; where sampled, by intervals that hold for everybody at once."""
    if beliefs.by_lot:
        return np.zeros(len(beliefs.counted))
    lower = beliefs.counted if beliefs.lower is None else beliefs.lower
    if beliefs.exactness is not Exactness.SAMPLED:
        return lower
    if beliefs.surely is not None:
        return beliefs.surely
    return np.asarray(np.maximum(0.0, beliefs.counted - wider(beliefs) * (beliefs.counted - lower)))


def wider(beliefs: Beliefs) -> float:
    """How many times further the ends of sampled intervals lie that hold for everybody at once, with enough confidence.

    By the normal distribution an end moves with its quantile, by Wilson's interval of a share near 1 with the square of
    it; Student's, of a few walks, lies between. The square is the safe side of all of them.
    """
    if beliefs.lower is None or beliefs.upper is None or not 0 < beliefs.confidence < 1:
        return 1.0
    people = max(1, int((beliefs.lower < beliefs.upper).sum()))
    quantile = NormalDist().inv_cdf
    own = quantile((1 + beliefs.confidence) / 2)
    return (quantile(1 - (1 - max(SURE, beliefs.confidence)) / (2 * people)) / own) ** 2


def doubts(beliefs: Beliefs, limit: float | Floats) -> list[str]:
    """Why it is not shown that nobody is above a limit; nothing where it is."""
    reasons = [*beliefs.lacking]
    if beliefs.exactness is Exactness.SAMPLED:
        sure = f"with confidence {beliefs.confidence:g} each"
        how = Message(
            "worlds were sampled, and that is no proof ({sure}); {MORE_BUDGET} where counting is possible", sure=sure
        )
        reasons += [] if reasons and _nothing_sampled(beliefs) else [how]
    elif beliefs.drawn is not None:
        lot = "it is an estimate by somebody who learned from a lot of {people}, which bounds nothing; give {EXACT}"
        return [*reasons, Message(lot, people=Count(beliefs.drawn[0], "person", "people"))]
    elif not beliefs.exactness.sound and not reasons:
        reasons.append("the figures rest on an approximation, which bounds nothing")
    return list(dict.fromkeys([*reasons, *_may_be_above(beliefs, limit)]))


def _may_be_above(beliefs: Beliefs, limit: float | Floats) -> Iterator[str]:
    """Who may believe more than a limit: somebody who sees the release otherwise, or whoever the figures are of."""
    otherwise = (one for one in (beliefs.at_most, beliefs.otherwise) if one is not None)
    if any(bool(np.any(one > limit)) for one in otherwise):
        yield beliefs.other_view or "somebody who sees the same release otherwise may believe more"
    upper = beliefs.counted if beliefs.upper is None else beliefs.upper
    above = float(upper[upper > limit].max(initial=0.0))
    if above > 0:
        yield Message("of somebody {most} may be believed", most=Probability(min(1.0, above), "up to"))


def _nothing_sampled(beliefs: Beliefs) -> bool:
    """Whether what is open is so because nothing is known of some people, and not because worlds were sampled."""
    kinds = {kind_of_note(note) for note in beliefs.notes}
    return NoteKind.NOT_KNOWN in kinds and NoteKind.CONFIDENCE not in kinds


def verdict_of_all(tried: Iterable[BoundVerdict], missed: int = 0) -> BoundVerdict:
    """The verdict on several adversaries, of whom some could not be tried: that is no safety.

    >>> verdict_of_all([BoundVerdict(Standing.HOLDS)], missed=1).standing.value
    'NOT SHOWN'
    """
    verdicts = list(tried)
    if any(verdict.standing is Standing.FAILS for verdict in verdicts):
        return BoundVerdict(Standing.FAILS)
    why = [verdict.why for verdict in verdicts if verdict.standing is Standing.NOT_SHOWN]
    if why or missed or not verdicts:
        return BoundVerdict(Standing.NOT_SHOWN, Message.joined(dict.fromkeys(why)))
    return BoundVerdict(Standing.HOLDS)
