"""The same release for somebody who is not told who is in which group: more knowledge is not always more certainty.

Somebody who is told may learn of a person that the largest belief about them was too large. So a figure for those who
are told bounds nothing for those who are not, where the release leaves open who is in which group: where boxes overlap,
or groups are published alike.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import AttackError, Cancelled
from pellucid.messages import Belief, Message, Probability
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs, Floats
from pellucid.risk.inference.by_membership_chance import made_without_values
from pellucid.risk.inference.guesses import most_frequent
from pellucid.risk.inference.own_bounds import seen_otherwise
from pellucid.risk.inference.world_enumeration import Contradicted, by_worlds
from pellucid.risk.views import Evidence
from pellucid.risk.views.reader_view import MOST_PEOPLE, without_being_told
from pellucid.runtime.progress import SILENT, Progress

LARGER = "the larger of both"
MOST_WORLDS = 1_000  # that are tried for a view that is asked beside another


def without_being_told_too(told: Beliefs, *, exact: bool = False, progress: Progress = SILENT) -> Beliefs:
    """What is believed by whoever is told who is in which group or by whoever is not, the larger for each person."""
    evidence = told.evidence
    method = evidence.method
    assert method is not None
    read = without_being_told(evidence)
    if read.membership is None:  # the release tells who is in which group
        return told
    if _made_in_public(evidence) and not told.adversary.facts:
        return larger(told, _by_class(told, read, exact=exact))
    if len(evidence.people) > MOST_PEOPLE:
        return _at_most(told)
    try:
        alone = by_worlds(read, told.adversary, exact=exact, progress=progress, most=MOST_WORLDS)
    except (Contradicted, Cancelled):
        raise
    except AttackError:
        return _at_most(told)
    return larger(told, alone)


def _made_in_public(evidence: Evidence) -> bool:
    """Whether everybody can run the method for themselves: it looks at no sensitive value and draws nothing."""
    method = evidence.method
    drawn = method is None or method.draws_coins or evidence.people.order is None
    return not drawn and made_without_values(method)


def _by_class(told: Beliefs, read: Evidence, *, exact: bool) -> Beliefs:
    """Where groups are known to all, how often each value occurs in what is published alike."""
    labels = read.grouping.labels
    shares = []
    for group in range(len(read.published)):
        codes, counts = read.counts(group)
        size = int(counts.sum())
        of_code = {read.values[c]: Fraction(int(n), size) for c, n in zip(codes.tolist(), counts.tolist(), strict=True)}
        shares.append(of_code if exact else {value: float(share) for value, share in of_code.items()})
    risk = np.array([float(max(shares[g].values())) if g >= 0 else 0.0 for g in labels.tolist()])

    def posterior_of(row: int) -> dict[Any, Any]:
        return dict(shares[int(labels[row])]) if labels[row] >= 0 else {}

    def guesses() -> NDArray[np.int32]:
        return np.where(labels >= 0, most_frequent(read.published)[labels], -1).astype(np.int32)

    beliefs = replace(told, risk=risk, posterior_of=posterior_of, chance_of=None, lower=None, upper=None)
    return replace(beliefs, guesses=guesses)


def larger(told: Beliefs, alone: Beliefs) -> Beliefs:
    """Each person's beliefs in the view in which more is believed of them."""
    mine, theirs = _in_what_counts(told), _in_what_counts(alone)
    more = theirs > mine * (1 + 1e-12)
    most = float(theirs.max(initial=0.0))
    untold = Message("not told who is in which group, somebody {believes}", believes=Belief(most, "up to"))
    if not more.any():
        note = Message("{untold}, and of nobody more than somebody who is told", untold=untold)
        return replace(told, notes=(*told.notes, note))

    def posterior_of(row: int) -> Any:
        return (alone if more[row] else told).posterior_of(row)

    def reason_of(row: int) -> str:
        if more[row]:
            return f"that is not being told who is in which group, only what is published; {alone.reason_of(row)}"
        return told.reason_of(row)

    def chance_of(codes: NDArray[np.int64]) -> Floats:
        values = [told.evidence.values[code] for code in codes.tolist()]
        both = [view.belief(*values) for view in (told, alone)]
        return np.asarray(np.maximum(*both))

    def guesses() -> NDArray[np.int32]:
        assert told.guesses is not None
        assert alone.guesses is not None
        return np.where(more, alone.guesses(), told.guesses())

    kinds = list(Exactness)
    weaker = kinds[max(kinds.index(told.exactness), kinds.index(alone.exactness))]
    note = Message(
        "{untold}; told, {most}: each person's figure is {larger}",
        untold=untold,
        most=Probability(min(1.0, float(mine.max(initial=0.0))), "up to"),
        larger=LARGER,
    )
    return replace(
        told,
        risk=np.where(more, alone.risk, told.risk),
        lower=None if told.lower is None else np.where(more, alone.risk, told.lower),
        surely=None if told.surely is None else np.where(more, alone.risk, told.surely),
        upper=None if told.upper is None else np.where(more, np.maximum(alone.risk, told.upper), told.upper),
        engine=f"{told.engine}; not told who is in which group: {alone.engine}",
        posterior_of=posterior_of,
        reason_of=reason_of,
        chance_of=chance_of,
        guesses=guesses if told.guesses is not None and alone.guesses is not None else None,
        notes=(*told.notes, note),
        exactness=weaker,
    )


def _in_what_counts(beliefs: Beliefs) -> Floats:
    """The most that is believed of each person, by the upper bound; of some values alone where only these count."""
    evidence = beliefs.evidence
    if evidence.protected is None:
        return beliefs.risk if beliefs.upper is None else beliefs.upper
    return beliefs.of_events


def _at_most(told: Beliefs) -> Beliefs:
    """Where the other view is out of reach: what is proved of the method bounds it, or nothing does."""
    assert told.evidence.method is not None
    seen = seen_otherwise(told)
    if seen.otherwise is not None:
        return seen
    proved = None if told.adversary.facts else told.evidence.proved  # of whoever knows nobody's value
    who = "the figures are those of somebody who is told who is in which group"
    if proved is not None:
        bound: str = Message(
            "{who}; who is not told {believes}, which is proved of {method}",
            who=who,
            believes=Belief(proved, "at most"),
            method=told.evidence.method.name,
        )
    else:
        withstands = told.evidence.method.claim == "algorithm"
        other = "" if withstands else "publish with a method that withstands whoever knows it, such as soft-cut, or "
        bound = (
            f"{who}; what somebody believes who is not told is not known, because the release leaves open who is in "
            f"which group and has too many worlds to try: {other}recode so that groups can be told apart"
        )
    return replace(told, at_most=1.0 if proved is None else float(proved), other_view=bound, notes=(*told.notes, bound))
