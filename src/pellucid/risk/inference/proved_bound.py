"""What is proved of a method bounds every view of its release: the one place where figures are held against it.

**Claim.** For a method with ``proved`` = 1/l, somebody who knows the algorithm, thinks every assignment of the values
equally likely beforehand and knows nobody's value believes at most 1/l of anybody's value that is promised about: told
who is in which group or not, sure who is in the table or not.

**Why.** The theorem (docs/softcut.md, docs/several.md) conditions on the transcript T of the run: who was in the table,
in which order, and who is in which group, and on the values that each group has. What somebody sees who is told less is
a function of these, so that their belief is an average of beliefs given T, each at most 1/l; about somebody who is not
in the table it is 0. An average is at most the largest of what it is taken over.

**When it does not speak.** With facts or another prior (the theorem's is uniform); about values that the method does
not protect, and for methods and parameters of which nothing is proved (both: :attr:`Evidence.proved` is None); about
people whom a method suppressed; and of a release that was not made so. Where a group has a value too often, or a belief
above 1/l is certain, the promise is broken, whatever is proved: such figures are left as they are, and fail. Figures
that are sampled or unknown are no bounds, and stay what they are. So an exact figure is never changed.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from pellucid.messages import Belief, Message
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs

ROUNDING = 1 + 1e-9
OTHERWISE = "who sees the same release otherwise (told who is in which group, or sure who is in the table)"


def proved_for(beliefs: Beliefs) -> Fraction | None:
    """What is proved of these beliefs, if the release was made as its recipe says; None where nothing is."""
    adversary, evidence = beliefs.adversary, beliefs.evidence
    if adversary.knows != "algorithm" or adversary.prior != "uniform" or adversary.facts:
        return None
    if evidence.method is None or evidence.method.may_suppress:
        return None
    return evidence.proved


def as_proved(beliefs: Beliefs) -> Beliefs:
    """The same; bounds that are above what is proved of the method are lowered to it, and a note says so."""
    proved = proved_for(beliefs)
    if proved is None or not beliefs.exactness.sound or _broken(beliefs, proved):
        return beliefs
    most, proof = float(proved), f"proved of {beliefs.evidence.method.name}, if the release was made as its recipe says"  # type: ignore[union-attr]
    if beliefs.at_most is not None and beliefs.at_most > most:
        beliefs = replace(beliefs, at_most=most, other_view=_otherwise(proved, proof))
    upper = beliefs.risk if beliefs.upper is None else beliefs.upper
    if beliefs.exactness is not Exactness.BOUND or float(upper.max(initial=0.0)) <= most * ROUNDING:
        return beliefs
    note = Message(
        "nobody who knows the algorithm {believes}, told who is in which group or not: that is {proof}",
        believes=Belief(proved, "more than"),
        proof=proof,
    )
    lower = np.zeros(len(upper)) if beliefs.lower is None else beliefs.lower
    risk, upper = np.minimum(beliefs.risk, most), np.minimum(upper, most)
    return replace(beliefs, risk=risk, lower=np.minimum(lower, risk), upper=upper, notes=(*beliefs.notes, note))


def _broken(beliefs: Beliefs, proved: Fraction) -> bool:
    """Whether the release cannot have been made so: by what its groups have, or by what is certainly believed."""
    from pellucid.risk.verdict import certain_of_somebody  # which looks at beliefs

    evidence = beliefs.evidence
    too_often = evidence.largest * proved.denominator > evidence.published.sizes * proved.numerator
    return bool(too_often.any()) or certain_of_somebody(beliefs) > float(proved) * ROUNDING


def _otherwise(proved: Fraction, proof: str) -> Message:
    told = "{otherwise} {believes}: that is {proof}"
    return Message(told, otherwise=OTHERWISE, believes=Belief(proved, "at most"), proof=proof)
