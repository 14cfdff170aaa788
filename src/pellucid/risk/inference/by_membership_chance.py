"""Beliefs when it is not certain who is in which group, or when nobody knows the people at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pellucid.anonymize.methods import Grouping, Method
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Attribute, Table
from pellucid.errors import AttackError
from pellucid.messages import Count, Message
from pellucid.posterior.shape import Blurred, Likelihood, Plain, raised
from pellucid.risk.adversary import Adversary
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.views import Evidence
from pellucid.risk.views.membership import Membership
from pellucid.risk.views.membership_advice import way_out_of
from pellucid.text.figures import counted, probability


class NoLaw(AttackError):
    """No exact engine by group applies; worlds may still be tried one by one."""


def by_chances(evidence: Evidence, adversary: Adversary) -> Beliefs:
    """Each person's chance to be in a group times the frequency in it; the group must give nothing else away."""
    who = evidence.membership
    assert who is not None
    if adversary.facts or adversary.prior != "uniform":
        raise AttackError(
            Message("{unclear}, and facts and priors by which people differ need that", unclear=unclear(evidence)),
            way_out_of(evidence),
        )
    if adversary.knows != "nothing":
        require_nothing_given_away(evidence, adversary, unclear(evidence))
    risk = evidence.baseline.copy()
    upper = risk
    lower = np.where(who.exact, risk, 0.0)
    if adversary.knows != "nothing":
        # whoever knows the method may know more about who is in the table, up to certainty
        inside = most_inside(evidence, informed=True)
        risk = raised(risk, largest_ratio(evidence))
        upper, lower = risk.copy(), np.zeros(len(risk))
        np.maximum.at(upper, np.repeat(np.arange(len(risk)), np.diff(who.starts)), inside[who.groups])

    def posterior_of(row: int) -> dict[Any, Any]:
        return {evidence.values[code]: p for code, p in evidence.mixture(row).items()}

    def reason_of(row: int) -> str:
        groups = list(who.of(row))
        if not who.exact[row]:
            largest = "the belief in it" if len(groups) == 1 else "the largest belief of any of them"
            return f"{counted(len(groups), 'group')} may hold the person, and this is {largest}"
        listed = " and ".join(probability(chance) for _, chance in groups)
        return f"the chance to be in the table in such a group is {listed}, times how often the value occurs in it"

    engine = "chances of groups" + ("" if who.exact.all() else " (upper bound)")
    return Beliefs(
        adversary,
        evidence,
        risk,
        engine,
        posterior_of,
        reason_of,
        lower=lower,
        upper=upper,
        notes=(*evidence.notes, *_notes_on_bounds(evidence, who, informed=adversary.knows != "nothing")),
        exactness=Exactness.EXACT if who.exact.all() and upper is risk else Exactness.BOUND,
    )


def _notes_on_bounds(evidence: Evidence, who: Membership, *, informed: bool) -> Iterator[str]:
    """Why figures are bounds: people who fit several groups, and what somebody who knows the method may know more."""
    if not who.exact.all():
        bounded = int((~who.exact).sum())
        yield Message(
            "{people} fit several groups, or one that may hold these, in too many ways to count: their risk is the "
            "largest over the groups that they fit, an upper bound",
            people=Count(bounded, "people", "people"),
        )
    if informed:
        yield (
            "what reads as one group may be several, published alike, and somebody who knows the method may know which "
            "are likelier: the safe figure is the upper bound"
            if evidence.several
            else "every choice of people whom a group covers is taken as equally likely; somebody who knows the method "
            "may exclude some of them, so the safe figure is the upper bound, for people who are certainly in the table"
        )


def most_inside(evidence: Evidence, *, informed: bool) -> NDArray[np.float64]:
    """The most that is believed of anybody in each class, of a method that gives nothing but counts away.

    Where a class may be several groups, somebody who knows the method may know more about who is in which, up to what
    is proved of the method.
    """
    inside = np.asarray(evidence.largest / evidence.published.sizes)
    if not informed:
        return inside
    inside = np.asarray(raised(inside, largest_ratio(evidence)), np.float64)
    if not evidence.several or made_without_values(evidence.method):
        return inside
    proved, own = evidence.proved, evidence.bounds_of_groups
    if own is not None:
        return np.maximum(inside, own)
    return np.maximum(inside, 1.0 if proved is None else float(proved))


def largest_ratio(evidence: Evidence) -> float:
    """How many times likelier than another an arrangement may be that the method seems to make as likely."""
    likelihood = None if evidence.method is None else told_by_sizes(evidence)
    return 1.0 if likelihood is None else float(max((shape.ratio for shape in likelihood.shapes), default=1))


def made_without_values(method: Method | None) -> bool:
    """Whether a method's groups do not depend on sensitive values at all."""
    return method is not None and method.looks_at_no_value


def unclear(evidence: Evidence) -> Message:
    """What is not known about who is where, in words."""
    who = evidence.membership
    assert who is not None
    several = int((np.diff(who.starts) > 1).sum())
    if several:
        fit = Count(several, "person fits", "people fit")
        return Message("it is not known who is in which group ({fit} several)", fit=fit)
    if evidence.several:
        return Message("it is not known who is in which group (several may be published alike)")
    spare = int(who.covered.sum()) - int(evidence.published.sizes.sum())
    more = counted(spare, "more person", "more people")
    return Message("it is not known who is in the table (its groups cover {more} than they have rows)", more=more)


def require_nothing_given_away(evidence: Evidence, adversary: Adversary, why: str) -> None:
    """Raise unless the groups tell nothing but their counts to somebody who knows this much."""
    if adversary.knows == "minimality":
        raise NoLaw(
            why,
            "knowing minimality tells something about people who look alike only if their group is known: {way_out}",
            way_out=way_out_of(evidence),
        )
    if evidence.method is None:
        raise AttackError(
            "an adversary who knows the algorithm needs to know which it is",
            "say how the release was made with {MADE_BY}",
        )
    if not gives_nothing_away(evidence):
        told = "what {method} gives away depends on that: {way_out}"
        raise NoLaw(why, told, method=evidence.method.name, way_out=way_out_of(evidence))


def gives_nothing_away(evidence: Evidence) -> bool:
    """Whether the method tells nothing but counts, or what a ratio bounds, even if everybody looked different."""
    likelihood = told_by_sizes(evidence)
    return likelihood is not None and all(isinstance(shape, Plain | Blurred) for shape in likelihood.shapes)


def told_by_sizes(evidence: Evidence) -> Likelihood | None:
    """What the method tells of groups of these sizes if everybody looked different; None where it has no such law.

    People who differ are those of whom a method can tell most, so they stand for people of whom nothing is known.
    """
    assert evidence.method is not None
    sizes = evidence.published.sizes
    rows = int(sizes.sum())
    line = np.arange(rows, dtype=np.int64)
    differing = Attribute(
        "somebody", Role.QUASI, Kind.NUMBER, pl.Series("somebody", line), False, line, max(rows - 1, 0)
    )
    people = Table((differing,), (line.astype(np.int32),), line.copy())
    grouping = Grouping(line.astype(np.int32), np.append(0, np.cumsum(sizes)).astype(np.int64), rows)
    return evidence.method.likelihood(people, grouping, evidence.published)
