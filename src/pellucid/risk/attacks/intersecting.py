"""Intersecting: a person has several rows, and the value is what all their groups have in common.

**Claim.** Exactly which values are left for a person whose value is the same in all rows, and how probable each is.

**Story.** Bob was in hospital twice. One of his groups has diabetes, flu and gout, the other diabetes, measles and a
broken leg. Each stay by itself is one of three; what Bob has is diabetes.

**Definition.** The attacker knows which rows are of one person and in which groups they are. The person has one value
in all rows. A value that c of the n rows of a group have is that of m given rows with probability
``c (c - 1) ... / n (n - 1) ...`` of m factors each; these are multiplied over the groups and divided by their sum. The
figure is the largest result, exposed are the rows of people of whom a single value is left.

**Example.**

>>> import pellucid as pc
>>> from pellucid.risk.views.known_groups import evidence_of_groups
>>> import polars as pl
>>> stays = {"patient_id": [1, 2, 3, 1, 4, 5], "age": [1, 2, 3, 4, 5, 6], "ill": ["a", "b", "c", "a", "d", "e"]}
>>> table = pc.read(pl.DataFrame(stays), quasi="age", sensitive="ill", people="patient_id=row")
>>> evidence = evidence_of_groups(table, [0, 0, 0, 1, 1, 1])
>>> found = intersecting(evidence, truth=table.codes[1])
>>> found.figure, found.baseline, found.exposed.tolist()
(1.0, 0.3333333333333333, [0, 3])

**Citation.** Ganta, Kasiviswanathan, Smith: Composition attacks and auxiliary information, KDD 2008, inside a release.

**Baseline.** The most probable value of one of these rows by itself.
"""

from __future__ import annotations

import numpy as np

from pellucid.anonymize.disclosure.intersecting import intersected
from pellucid.messages import Message, Probability
from pellucid.risk.attacks.finding import About, ClassicAttack, Finding, Truth, number_of_people
from pellucid.risk.views import Evidence

INTERSECTING = About(
    "intersecting",
    "Bob was in hospital twice, and his two groups have one disease in common. Each stay by itself is one of several; "
    "what Bob has is certain.",
    "Ganta, Kasiviswanathan, Smith: Composition attacks and auxiliary information. KDD 2008.",
    "largest posterior of a value that is the same in all rows of a person",
    "the most probable value of one row of the same person",
)


def intersecting(evidence: Evidence, *, truth: Truth = None) -> Finding:
    """What the groups of each person's rows have in common."""
    number_of_people(evidence)
    persons = evidence.people.persons
    if persons is None or truth is None:
        return INTERSECTING.missed("needs the table, with a column that numbers people")
    if evidence.membership is not None or evidence.grouping.changes:
        return INTERSECTING.missed("who is in which group is not certain")
    found = intersected(persons.numbers, evidence.grouping.labels, truth)
    if not len(found.persons):
        return INTERSECTING.missed("nobody has several rows in the release")
    worst, certain = int(found.most.argmax()), found.persons[found.certain]
    sentence = Message(
        "{people:,} people have several rows, which {column} numbers. {told}. The highest posterior is {most}.",
        people=len(found.persons),
        column=persons.column,
        told=found.told(evidence.attribute.name),
        most=Probability(float(found.most[worst])),
    )
    exposed = np.flatnonzero(np.isin(persons.numbers, certain) & (evidence.grouping.labels >= 0))
    right = int((found.certain & found.right).sum())
    return INTERSECTING.finding(
        found.most[worst],
        found.single[worst],
        exposed,
        sentence,
        people=len(found.persons),
        certain=len(certain),
        right=right,
    )


def _concerns(evidence: Evidence) -> bool:
    persons = evidence.people.persons
    return persons is not None and len(np.unique(persons.numbers)) < len(persons.numbers)


ATTACKS = (
    ClassicAttack(75, INTERSECTING, lambda evidence, truth: intersecting(evidence, truth=truth), concerns=_concerns),
)
