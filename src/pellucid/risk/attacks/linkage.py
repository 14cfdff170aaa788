"""Linkage: finding a person's row in the release by what is known about the person.

**Claim.** Four figures of how well people can be found again, exact for the groups of the release.

**Story.** A prosecutor knows that one person is in the table and looks for their row. A journalist looks for anybody at
all, with a register of the population in hand, and does not know who of it is in the table. A marketer links everybody
and is content when many links are right. And somebody who is alone in a group is found without any luck.

**Definition.** Group g has f(g) of the n published rows, and F(g) people of the population share its values.
Prosecutor: max 1 / f(g). Journalist: max 1 / F(g). Marketer: (1 / n) sum over groups of f(g) / F(g), which without a
population is the number of groups over n. Uniqueness: the share of rows with f(g) = 1. The population is
``published.population`` where it was counted; otherwise the people of the evidence, when they are more than the rows.

**Example.** Two groups of two and three people:

>>> import pellucid as pc
>>> from pellucid.risk.views.known_groups import evidence_of_groups
>>> import polars as pl
>>> table = pc.read(pl.DataFrame({"q": [1, 1, 2, 2, 2], "s": list("aabbc")}), quasi="q", sensitive="s")
>>> evidence = evidence_of_groups(table, [0, 0, 1, 1, 1])
>>> prosecutor(evidence).figure, marketer(evidence).figure, uniqueness(evidence).figure
(0.5, 0.4, 0.0)

**Citation.** Sweeney: k-anonymity, 2002; El Emam, Dankar 2008; Dankar, El Emam 2010.

**Baseline.** Somebody without the release who picks one of the n rows blindly: 1 / n. For uniqueness: how many people
are alone with their exact quasi-identifiers, which is what publishing them as they are would give.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.layout.entries import sort_rows
from pellucid.core.schema import Role
from pellucid.errors import AttackError
from pellucid.messages import Count, Message, People, Probability
from pellucid.risk.attacks.finding import About, ClassicAttack, Finding, number_of_people, people_in, some, who_are
from pellucid.risk.views import Evidence

BLIND = "somebody who picks a row blindly"
PROSECUTOR = About(
    "prosecutor linkage",
    "A prosecutor knows that a person is in the table, knows the person's quasi-identifiers, and looks for their row "
    "among those that fit.",
    "Sweeney: k-anonymity, a model for protecting privacy. IJUFKS 2002.",
    "largest probability that a person's row is picked",
    BLIND,
)
JOURNALIST = About(
    "journalist linkage",
    "A journalist wants to show that somebody, anybody, can be found again. A register of the population says who fits "
    "a row; who of them is in the table is not known.",
    "El Emam, Dankar: Protecting privacy using k-anonymity. JAMIA 2008.",
    "largest probability that a row is given to the right person of the population",
    "somebody who names a person of the population blindly",
)
MARKETER = About(
    "marketer linkage",
    "A marketer links every row to a person who fits and does not mind mistakes, as long as many links are right.",
    "Dankar, El Emam: A method for evaluating marketer re-identification risk. PAIS 2010.",
    "expected share of rows that are linked to the right person",
    BLIND,
)
UNIQUENESS = About(
    "uniqueness",
    "Somebody who is alone in a group is found by whoever knows their quasi-identifiers.",
    "Sweeney: Simple demographics often identify people uniquely. Carnegie Mellon 2000.",
    Message("share of the {people} are alone in their group", people=People("people who")),
    "the exact quasi-identifiers, published as they are",
)


def prosecutor(evidence: Evidence) -> Finding:
    """The worst case for somebody who is known to be in the table; exposed is who is found for certain."""
    people = number_of_people(evidence)
    sizes = evidence.published.sizes
    smallest = int(sizes.min())
    exposed = people_in(evidence, sizes == 1)
    fewest = int(np.count_nonzero(sizes == smallest))
    sentence = Message(
        "The smallest of the {groups} has {rows}, so whoever knows that a person is in it picks the right row with "
        "probability {chance}.",
        groups=Count(len(sizes), "group"),
        rows=Count(smallest, "row"),
        chance=Probability(1 / smallest),
    )
    return PROSECUTOR.finding(1 / smallest, 1 / people, exposed, sentence, smallest_group=smallest, groups=fewest)


def journalist(evidence: Evidence) -> Finding:
    """The worst case when only a register of the population is known; exposed is who is the only one to fit."""
    number_of_people(evidence)
    covered = covered_by(evidence)
    if covered is None and (evidence.crowd or 0) > int(evidence.published.sizes.sum()):
        raise AttackError(
            "means of groups cover nobody in particular, so that nobody can count whom of the population a group fits",
            "publish with recode = intervals to ask that",
        )
    if covered is None:
        raise AttackError(
            "a journalist needs a population larger than the table", "give everyone who might be in it as population"
        )
    fewest = int(covered.min())
    exposed = people_in(evidence, covered == 1)
    everybody = evidence.crowd  # people who fit several groups are counted by each of them
    if everybody is None:
        everybody = int(covered.sum()) + evidence.published.absent
    sentence = Message(
        "Some group fits only {people} of the population, so a row of it is given to the right person with probability "
        "{chance}.",
        people=some(fewest),
        chance=Probability(1 / fewest),
    )
    return JOURNALIST.finding(1 / fewest, 1 / everybody, exposed, sentence, fewest_people=fewest)


def marketer(evidence: Evidence) -> Finding:
    """How many links are right on average; exposed is who is linked for certain."""
    people = number_of_people(evidence)
    sizes = evidence.published.sizes
    covered = covered_by(evidence)
    among = sizes if covered is None else covered
    rows = int(sizes.sum())
    right = float((sizes / among).sum())
    about = f"{right:,.1f}".removesuffix(".0")
    sentence = Message(
        "Whoever links all {rows} to people who fit is right about {about} of them on average, a share of {share}.",
        rows=Count(rows, "row"),
        about=about,
        share=Probability(right / rows),
    )
    exposed = people_in(evidence, among == 1)
    return MARKETER.finding(right / rows, 1 / people, exposed, sentence, expected_right=right)


def uniqueness(evidence: Evidence) -> Finding:
    """How many people are alone in their group."""
    number_of_people(evidence)
    alone = people_in(evidence, evidence.published.sizes == 1)
    people = int((evidence.inside | evidence.withheld).sum())  # whoever is withheld was in the table
    if evidence.anonymous:  # nobody's exact quasi-identifiers are known
        sentence = Message("{people} alone in a group.", people=who_are(len(alone)))
        return UNIQUENESS.finding(len(alone) / people, None, alone, sentence)
    before = unique_people(evidence)
    sentence = Message(
        "{alone} alone in a group. By their exact quasi-identifiers {before} of {everybody} would be{withheld}.",
        alone=who_are(len(alone)),
        before=some(before),
        everybody=f"{people:,}",
        withheld=_with_withheld(evidence),
    )
    return UNIQUENESS.finding(len(alone) / people, before / people, alone, sentence, unique_before=before)


def _with_withheld(evidence: Evidence) -> str:
    """That people were counted who are not published, where some were."""
    withheld = int(evidence.withheld.sum())
    return f", {withheld:,} withheld among these {len(evidence.grouping.members) + withheld:,}" if withheld else ""


def covered_by(evidence: Evidence) -> NDArray[np.int64] | None:
    """How many people of the population each group covers; None where nothing but the table's own people is known."""
    sizes, people = evidence.published.sizes, evidence.grouping.sizes
    covered = evidence.published.population
    if covered is None:
        if not (people > sizes).any():
            return None
        covered = people
    if (covered < sizes).any():
        group = int(np.flatnonzero(covered < sizes)[0])
        raise AttackError(
            f"group {group} has {sizes[group]:,} rows and covers {covered[group]:,} people of the population, which "
            "therefore is not the one that the table was drawn from",
            "give everyone who might be in the table",
        )
    return covered


def unique_people(evidence: Evidence) -> int:
    """How many people of the table, withheld ones as well, nobody else of it equals in all quasi-identifiers."""
    people = evidence.people
    quasi = people.having(Role.QUASI)
    kept = np.flatnonzero((evidence.grouping.labels >= 0) | evidence.withheld)
    columns = [np.ascontiguousarray(people.codes[i][kept]) for i in quasi]
    _, starts = sort_rows(columns, [len(people.attributes[i]) for i in quasi], 1)
    return int(np.count_nonzero(np.diff(starts) == 1))


ATTACKS = (
    ClassicAttack(10, PROSECUTOR, lambda evidence, _: prosecutor(evidence)),
    ClassicAttack(20, JOURNALIST, lambda evidence, _: journalist(evidence)),
    ClassicAttack(30, MARKETER, lambda evidence, _: marketer(evidence)),
    ClassicAttack(40, UNIQUENESS, lambda evidence, _: uniqueness(evidence)),
)
