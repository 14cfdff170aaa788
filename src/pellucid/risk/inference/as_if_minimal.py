"""What would be believed if a table of unknown make had been made no coarser than the l that it has asks for.

It is an assumption of ours, so nobody is judged by it; naming the model makes it one of the caller's.
"""

from __future__ import annotations

from dataclasses import replace

from pellucid.errors import Cancelled, PellucidError
from pellucid.messages import Count, Message, Probability
from pellucid.models.l_diversity import LDiversity
from pellucid.risk.adversary import Adversary
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.select_engine import believe
from pellucid.risk.views import Gathered
from pellucid.runtime.progress import SILENT, Progress


def as_if_minimal(gathered: Gathered, *, budget: int, progress: Progress = SILENT) -> Message | None:
    """The most that somebody believes who assumes so, of l = 2 and the largest l that the groups have; None: no more.

    >>> import pellucid as pc, polars as pl
    >>> from pellucid.risk.views.gather import gather
    >>> from pellucid.risk.views.given_tables import KnownPeople
    >>> from pellucid.core.schema import Roles
    >>> merged = pl.DataFrame({"town": ["*"] * 6, "ill": ["flu", "flu", "cold", "gout", "mumps", "tb"]})
    >>> people = pl.DataFrame({"name": range(6), "town": ["Oslo"] * 2 + ["Rome"] * 4})
    >>> roles = Roles(quasi="town", sensitive="ill", identifier="name")
    >>> print(str(as_if_minimal(gather(merged, roles, KnownPeople(population=people)), budget=1000)).partition(",")[0])
    as an assumption: if groups were to have 2-diversity
    """
    evidence = gathered.evidence
    largest = evidence.largest
    if not (largest > 0).any():
        return None
    reached = int((evidence.published.sizes[largest > 0] // largest[largest > 0]).min())
    tried = {l: _as_if(gathered, l, budget, progress) for l in sorted({2, reached} if reached >= 2 else ())}
    sound = [(l, one) for l, one in tried.items() if one is not None and one.exactness.sound]
    worst = max(sound, key=lambda pair: (pair[1].max_risk, -pair[0]), default=None)
    if worst is None or worst[1].max_risk <= float(evidence.baseline.max(initial=0.0)) * (1 + 1e-9):
        return None
    l, beliefs = worst
    above = len(beliefs.vulnerable(1 / l))
    return Message(
        "as an assumption: if groups were to have {l}-diversity, which they have, and nothing is coarser than that "
        "needs, the probability is {belief} for a person{whose}, and above 1/{l} for {people}",
        l=l,
        belief=Probability(beliefs.max_risk),
        whose=evidence.counting,
        people=Count(above, "person", "people"),
    )


def _as_if(gathered: Gathered, l: int, budget: int, progress: Progress) -> Beliefs | None:
    """What somebody believes who assumes so of this l; None where that is not known."""
    assumed = replace(gathered.evidence, model=LDiversity(l=l, sensitive=gathered.evidence.asked))
    who = Adversary(knows="minimality")
    try:
        return believe(replace(gathered, evidence=assumed), who, budget=budget, progress=progress)
    except Cancelled:
        raise
    except PellucidError:
        return None
