"""Background knowledge: how many facts "this person does not have that" an attacker needs until somebody is known.

**Claim.** The exact smallest number of such facts, about any people of the group and in any combination, that makes
somebody's value certain; for the group where it is smallest the facts themselves, confirmed by inference where it is
small enough.

**Story.** Umeko's row is one of four, with cancer or heart disease. Whoever knows that heart disease is very rare where
she comes from strikes it out, and cancer is left. Every such piece of knowledge strikes out one value of one person.

**Definition.** A fact is :class:`~pellucid.risk.facts.Not`. A group with d different values needs d - 1 of them.
Fewer cannot do: a person is forced to a value directly by d - 1 facts about that person, or because r others are barred
from a set of b values of which too many are left for the rest (Hall); then r >= d - b, and the r b facts are at least
(d - b) b >= d - 1. The figure is the smallest d - 1 of all groups with a value that is protected, so lower is worse,
and exposed is who is in such a group that needs no more. ``after[m]`` is the largest posterior of a protected value
with m facts about one person of the worst group: c / (n - c1 - ... - cm), the others' counts in descending order. All
this is about somebody who does not know how the groups were made.

**Example.**

>>> import pellucid as pc
>>> from pellucid.risk.views.known_groups import evidence_of_groups
>>> import polars as pl
>>> table = pc.read(pl.DataFrame({"q": [1, 1, 1, 1], "s": ["flu", "flu", "cold", "gout"]}), quasi="q", sensitive="s")
>>> found = background(evidence_of_groups(table, [0, 0, 0, 0]))
>>> found.figure, [str(fact) for fact in found.details["facts"]]
(2.0, ["0 does not have 'cold'", "0 does not have 'gout'"])

**Citation.** Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam: l-diversity, ICDE 2006.

**Baseline.** Without the release every value of the table has to be struck out but one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pellucid.anonymize.methods import Grouping
from pellucid.errors import AttackError
from pellucid.messages import Count, Message
from pellucid.risk.adversary import Adversary
from pellucid.risk.attacks.finding import About, ClassicAttack, Finding, number_of_people, people_in, some, who_are
from pellucid.risk.facts import Not
from pellucid.risk.inference.infer import infer
from pellucid.risk.views import Evidence

SMALL = 20_000  # ways to deal out the values of a group that inference is asked about
BACKGROUND = About(
    "background knowledge",
    "A person's group leaves cancer or heart disease. Whoever knows that the person does not have a heart disease "
    "strikes it out, and cancer is left.",
    "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam: l-diversity, privacy beyond k-anonymity. ICDE 2006.",
    "smallest number of values to strike out until somebody's value is certain",
    "somebody without the release, who strikes out the values of the whole table",
    worse="lower",
)


def background(evidence: Evidence) -> Finding:
    """The fewest facts of the form "does not have" that make somebody's value certain."""
    number_of_people(evidence)
    published = evidence.published
    judged = evidence.largest > 0  # groups with a value that the promise is about
    if not judged.any():
        raise AttackError("no published group has a value that is protected, so there is nobody to name")
    fewest = int(published.distinct[judged].min()) - 1
    reached = judged & (published.distinct == fewest + 1)
    # among those the largest frequency: there the facts are also the most telling on the way
    worst = int(np.flatnonzero(reached)[np.argmax((evidence.largest / published.sizes)[reached])])
    _, counts = evidence.counts(worst)
    kept = kept_value(evidence, worst)
    others = np.sort(np.delete(counts, kept))[::-1]
    after = counts[kept] / (counts.sum() - np.append(0, np.cumsum(others)))
    exposed = people_in(evidence, reached)
    facts = facts_for(evidence, worst)
    confirmed = is_certain(evidence, worst, facts)
    before = int(np.count_nonzero(published.shown_counts)) - 1
    whose = evidence.counting or f"'s {evidence.attribute.name}"
    sentence = (
        Message(
            "{facts} of the form 'this person does not have that value' {make} somebody{whose} certain; {people} in "
            "groups that need no more.",
            facts=Count(fewest, "fact"),
            make="makes" if fewest == 1 else "make",
            whose=whose,
            people=who_are(len(exposed)),
        )
        if fewest
        else Message(
            "{people} {need} no fact at all: their groups have one value.",
            people=some(len(exposed)),
            need="needs" if len(exposed) == 1 else "need",
        )
    )
    return BACKGROUND.finding(
        fewest,
        before,
        exposed,
        sentence,
        facts=facts,
        group=worst,
        after=[float(p) for p in after],
        confirmed=confirmed,
    )


def is_certain(evidence: Evidence, group: int, facts: Sequence[Not]) -> bool:
    """Whether inference was asked and is certain as well; it is not asked where it would take long."""
    _, counts = evidence.counts(group)
    few = sum(math.log(n + 1) for n in counts.tolist()) < math.log(SMALL)
    if not facts or not few or evidence.grouping.sizes[group] != evidence.published.sizes[group]:
        return False
    risk = float(infer(only(evidence, group), Adversary(facts=facts)).risk[evidence.person(facts[0].person)])
    if risk < 1 - 1e-9:
        raise AttackError(f"inference gives {risk:.6g} where {len(facts)} facts leave one value", "please report this")
    return True


def kept_value(evidence: Evidence, group: int) -> int:
    """Which of a group's values is made certain: the most frequent one of those that are protected."""
    codes, counts = evidence.counts(group)
    counting = counts if evidence.protected is None else np.where(np.isin(codes, evidence.protected), counts, 0)
    return int(counting.argmax())


def facts_for(evidence: Evidence, group: int) -> list[Not]:
    """What strikes out all values of the first person of a group but the most frequent one that is protected."""
    members = evidence.members(group)
    if len(members) == 0:
        raise AttackError("nobody is known to be in group {group}", "give the people of the table", group=group)
    row = int(members.min())
    codes, _ = evidence.counts(group)
    kept = kept_value(evidence, group)
    person = evidence.names[row] if evidence.names is not None else row
    return [Not(person, evidence.values[code]) for i, code in enumerate(codes.tolist()) if i != kept]


def only(evidence: Evidence, group: int) -> Evidence:
    """The evidence of one group alone; everybody else is in no group."""
    published = evidence.published
    part = slice(int(published.starts[group]), int(published.starts[group + 1]))
    alone = replace(
        published,
        sizes=published.sizes[group : group + 1],
        starts=np.array([0, part.stop - part.start], np.int64),
        codes=published.codes[part],
        counts=published.counts[part],
        population=None,
        presence=None,
    )
    members = evidence.members(group).astype(np.int32)
    grouping = Grouping(members, np.array([0, len(members)], np.int64), len(evidence.people))
    return replace(evidence, grouping=grouping, published=alone)


ATTACKS = (ClassicAttack(60, BACKGROUND, lambda evidence, _: background(evidence)),)
