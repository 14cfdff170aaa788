"""Skewness and similarity: a group tells something although its values differ.

**Claim.** Exactly how far any group's frequencies are from the table's, and which groups have values that are different
and yet alike.

**Story.** One person in a hundred has HIV, and in Bob's group it is every second one: nothing is certain, but Bob's
insurer has learnt enough. In Carol's group all values differ: gastric ulcer, gastritis, stomach cancer. Nobody knows
which of them Carol has, and everybody knows that it is her stomach.

**Definition.** *Skewness.* The gain of a value in a group is its share of the group minus its share of the table; a
value that is not protected gains nothing. The figure is the group's share where the gain is largest, the baseline the
table's share of the same value; exposed are people in groups where some gain exceeds ``margin``. *Similarity.* A group
with several values, one of them protected, is alike when their nearest common ancestor in the taxonomy is not the root,
or, for numbers, dates and ordered values, when their range is at most ``narrow`` of the column's. Null is like no other
value. The figure is the share of the people in such groups.

**Example.**

>>> import pellucid as pc
>>> from pellucid.risk.views.known_groups import evidence_of_groups
>>> import polars as pl
>>> values = ["HIV", "flu"] + ["flu"] * 8
>>> table = pc.read(pl.DataFrame({"q": list(range(10)), "s": values}), quasi="q", sensitive="s")
>>> found = skewness(evidence_of_groups(table, [0, 0] + [1] * 8))
>>> found.figure, found.baseline, found.exposed.tolist()
(0.5, 0.1, [0, 1])

**Citation.** Li, Li, Venkatasubramanian: t-closeness, ICDE 2007.

**Baseline.** The share in the whole table; for similarity that everybody's values are alike already in the table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Kind
from pellucid.core.table import Attribute
from pellucid.errors import AttackError
from pellucid.messages import Count, Message, People, Probability
from pellucid.risk.attacks.finding import About, ClassicAttack, Finding, number_of_people, people_in, who_are
from pellucid.risk.views import Evidence

SKEWNESS = About(
    "skewness",
    "One person in a hundred has a disease, and in one group it is every second one. Nothing is certain, but somebody "
    "who finds a person in that group has learnt a lot.",
    "Li, Li, Venkatasubramanian: t-closeness, privacy beyond k-anonymity and l-diversity. ICDE 2007.",
    "share of a value in the group where it rises most above the table's",
    "the share of the same value in the whole table",
)
SIMILARITY = About(
    "similarity",
    "The values of a group differ, and all of them are diseases of the stomach, or salaries between 3,000 and 3,200: "
    "which one a person has hardly matters.",
    "Li, Li, Venkatasubramanian: t-closeness, privacy beyond k-anonymity and l-diversity. ICDE 2007.",
    Message("share of the {people} in groups with different values that are alike", people=People()),
    "whether the values of the whole table are alike",
)


def skewness(evidence: Evidence, *, margin: float = 0.2) -> Finding:
    """The largest gain from the table's share to a group's; exposed is who is in a group that gains over ``margin``."""
    number_of_people(evidence)
    if not 0 <= margin < 1:
        raise AttackError("margin = {margin}: must be at least 0 and below 1", margin=margin)
    published = evidence.published
    shares = published.counts / published.sizes[published.groups_of_entries]
    seen = published.shown_counts  # what is withheld is no part of the table that anybody sees
    before = seen / seen.sum()
    gains = shares - before[published.codes]
    if evidence.protected is not None:  # the others may be told with certainty
        gains = np.where(np.isin(published.codes, evidence.protected), gains, -np.inf)
    worst = int(gains.argmax())
    code, group = int(published.codes[worst]), int(published.groups_of_entries[worst])
    over = np.maximum.reduceat(gains, published.starts[:-1]) > margin + 1e-12
    exposed = people_in(evidence, over)
    value, share = evidence.values[code], float(shares[worst])
    whole = "published rows" if evidence.rows_withheld else "table"
    sentence = Message(
        "{value!r} has {share} of a group of {rows} and {before} of the {whole}, a gain of {gain}. {people} in groups "
        "where some value gains more than {margin}.",
        value=value,
        share=Probability(share),
        rows=Count(int(published.sizes[group]), "row"),
        before=Probability(float(before[code])),
        whole=whole,
        gain=Probability(float(gains[worst])),
        people=who_are(len(exposed)),
        margin=Probability(margin),
    )
    times = float(share / before[code])
    return SKEWNESS.finding(
        share, before[code], exposed, sentence, gain=gains[worst], times=times, value=value, group=group, margin=margin
    )


def similarity(evidence: Evidence, *, narrow: float = 0.1) -> Finding:
    """Groups whose values differ and are alike; exposed is who is in one."""
    people = number_of_people(evidence)
    if not 0 < narrow < 1:
        raise AttackError("narrow = {narrow}: must be above 0 and below 1", narrow=narrow)
    published, attribute = evidence.published, evidence.attribute
    lowest, highest = published.codes[published.starts[:-1]], published.codes[published.starts[1:] - 1]
    alike, common = likeness(attribute, lowest, highest, narrow)
    alike &= (published.distinct > 1) & (evidence.largest > 0)  # with a value that the promise is about
    exposed = people_in(evidence, alike)
    occurring = np.flatnonzero(published.shown_counts)
    whole, _ = likeness(attribute, occurring[:1], occurring[-1:], narrow)
    groups = np.flatnonzero(alike)
    sentence = Message("No group has different values that are all alike.")
    details: dict[str, Any] = {"groups": len(groups), "narrow": narrow}
    if len(groups):
        group = int(groups[np.argmax(published.sizes[groups])])
        what = common(group)
        details["example"] = what
        sentence = Message(
            "{people} in {groups} with different values that are alike; in the largest everybody has {what}.",
            people=who_are(len(exposed)),
            groups=Count(len(groups), "group"),
            what=what,
        )
    return SIMILARITY.finding(len(exposed) / people, float(whole[0]), exposed, sentence, **details)


def likeness(
    attribute: Attribute, lowest: NDArray[Any], highest: NDArray[Any], narrow: float
) -> tuple[NDArray[np.bool_], Any]:
    """Which ranges of codes have values that are alike, and a function that says for one of them what they share."""
    chains, taxonomy = attribute.chains, attribute.taxonomy
    if chains is not None and attribute.leaves is not None:
        # codes follow the order of the leaves, so the ends of a range have the ancestor of all of it
        level = (chains[:, lowest] == chains[:, highest]).argmax(axis=0)
        nodes = chains[level, lowest]

        def node(group: int) -> str:
            number = int(nodes[group])
            return repr(taxonomy.node_label(number)) if taxonomy is not None else f"a value below node {number}"

        return nodes != chains[-1, lowest], node
    if attribute.kind is Kind.CATEGORY:
        raise AttackError(
            f"nothing says which values of {attribute.name!r} are alike", "declare a taxonomy of them in the schema"
        )
    low, high = attribute.positions[lowest], attribute.positions[highest]
    within: NDArray[np.bool_] = ((high - low) <= narrow * attribute.width) & ((low >= 0) | (high < 0))

    def ends(group: int) -> str:
        return f"{attribute.values[int(lowest[group])]} to {attribute.values[int(highest[group])]}"

    return within, ends


ATTACKS = (
    ClassicAttack(70, SKEWNESS, lambda evidence, _: skewness(evidence)),
    ClassicAttack(80, SIMILARITY, lambda evidence, _: similarity(evidence)),
)
