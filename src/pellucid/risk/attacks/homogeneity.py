"""Homogeneity: a group in which everybody has the same value hides nobody's.

**Claim.** Exactly the people whose value follows from the release alone, without any further knowledge.

**Story.** Ann's neighbour knows her age and postcode, finds four rows that fit, and all four say cancer. Which of them
is Ann's does not matter any more. Large groups do not help when the values in them are the same.

**Definition.** A person is exposed when all rows of the person's group have one value. The figure is the share of the
people in groups who are.

**Example.**

>>> import pellucid as pc
>>> from pellucid.risk.views.known_groups import evidence_of_groups
>>> import polars as pl
>>> table = pc.read(pl.DataFrame({"q": [1, 1, 2, 2], "s": ["flu", "flu", "flu", "gout"]}), quasi="q", sensitive="s")
>>> found = homogeneity(evidence_of_groups(table, [0, 0, 1, 1]))
>>> found.figure, found.exposed.tolist()
(0.5, [0, 1])

**Citation.** Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam: l-diversity, ICDE 2006.

**Baseline.** Who knows only how often each value occurs in the table is certain of nobody, unless all have the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.messages import Count, Message, People
from pellucid.risk.attacks.finding import (
    About,
    ClassicAttack,
    Finding,
    number_of_people,
    people_in,
    share_right,
    who_are,
)
from pellucid.risk.views import Evidence

HOMOGENEITY = About(
    "homogeneity",
    "A neighbour knows a person's age and postcode, finds the rows that fit, and all of them have the same sensitive "
    "value. Which row is the person's does not matter any more.",
    "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam: l-diversity, privacy beyond k-anonymity. ICDE 2006.",
    Message("share of the {people} whose value is certain", people=People()),
    "somebody who knows how often each value occurs in the table",
)


def homogeneity(evidence: Evidence, *, truth: NDArray[np.int32] | None = None) -> Finding:
    """Who is in a group with one value; ``truth`` counts how often that value is right (values may be masked)."""
    people = number_of_people(evidence)
    published = evidence.published
    alike = (published.distinct == 1) & (evidence.largest > 0)  # of values that the promise is about
    exposed = people_in(evidence, alike)
    guesses = published.codes[published.starts[:-1]][evidence.grouping.labels[exposed]]
    groups = int(np.count_nonzero(alike))
    sentence = (
        Message(
            "{people} in {groups} where everybody has the same {column}, so their value is certain.",
            people=who_are(len(exposed)),
            groups=Count(groups, "group"),
            column=evidence.attribute.name,
        )
        if groups
        else f"Every group has at least {int(published.distinct.min())} different values, so nobody's is certain."
        if evidence.protected is None
        else "In no group has everybody the same protected value."
    )
    certain_before = float(np.count_nonzero(published.shown_counts) == 1)
    scored = share_right(evidence, exposed, guesses, truth)
    return HOMOGENEITY.finding(len(exposed) / people, certain_before, exposed, sentence, groups=groups, **scored)


ATTACKS = (ClassicAttack(50, HOMOGENEITY, lambda evidence, truth: homogeneity(evidence, truth=truth)),)
