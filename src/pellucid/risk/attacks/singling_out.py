"""Predicate singling out: a description that fits exactly one row, found from the release alone.

**Claim.** A lower bound on how likely somebody who sees nothing but the release finds a predicate that exactly one row
of the true table satisfies, with the weight that such a predicate would need to succeed by luck.

**Story.** A release says that exactly five people are women between 30 and 34 from one district. A stranger adds a
condition that has nothing to do with anything and holds for every fifth person, say something about the digits of their
phone numbers. With probability 0.41 exactly one of the five fits. Nobody was named, but somebody is singled out.

**Definition.** The release is supposed to show the tightest box of each group: the range of its values, or the lowest
node of a taxonomy above them. A box is *closed* when no other group's box meets it; its n rows are then all that stand
in it. The predicate is "in the box, and a hash of the row is 0 modulo n"; with a random hash, independent for different
rows, it isolates one row with probability (1 - 1/n) ** (n - 1), which is 1 for n = 1 and at least 1/e for any n. Rows
that are equal in everything share their hash, so distinct rows are supposed. The weight w of the predicate is the share
of the box in the whole domain (the product over attributes of the share of its leaves, or of its positions) divided by
n: the data distribution is not known, and the uniform one stands in for it. The figure is the success for the closed
box with the largest lead over the baseline.

**Example.** One closed box of two people:

>>> import pellucid as pc
>>> from pellucid.risk.views.known_groups import evidence_of_groups
>>> import polars as pl
>>> table = pc.read(pl.DataFrame({"age": [20, 21, 60, 69], "s": list("abab")}), quasi="age", sensitive="s")
>>> found = singling_out(evidence_of_groups(table, [0, 0, 1, 1]))
>>> found.figure, round(found.baseline, 3), found.details["rows"]
(0.5, 0.075, 2)

**Citation.** Cohen, Nissim: Towards formalizing the GDPR's notion of singling out, PNAS 2020; Cohen: Attacks on
deidentification's defenses, USENIX Security 2022.

**Baseline.** A predicate of the same weight chosen without the release: N w (1 - w) ** (N - 1) with N rows in all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.core.schema import Role
from pellucid.core.table import Attribute
from pellucid.errors import AttackError
from pellucid.messages import Count, Message, Probability
from pellucid.risk.attacks.finding import About, ClassicAttack, Finding, number_of_people, require_people
from pellucid.risk.views import Evidence

TRIED = 200  # boxes that are compared with all others, and fewer where there are many
COMPARED = 20_000_000
SINGLING_OUT = About(
    "predicate singling out",
    "A release says that exactly five people fit a description. A stranger adds a condition that every fifth person "
    "fulfils, whatever it is: with probability 0.41 exactly one of the five does, and is singled out.",
    "Cohen, Nissim: Towards formalizing the GDPR's notion of singling out. PNAS 2020.",
    "probability to describe exactly one row of the table",
    "a description of the same weight without the release",
)


def singling_out(evidence: Evidence) -> Finding:
    """How well a stranger singles out somebody; exposed is who is in the box that is described."""
    require_people(evidence)
    people = number_of_people(evidence)
    if (evidence.published.sizes != evidence.grouping.sizes).any():
        raise AttackError(
            "groups have more or fewer rows than people, so how many rows a box has is not known",
            "give the people of the table",
        )
    low, high = tightest(evidence)
    table = evidence.people
    attributes = [table.attributes[i] for i in table.having(Role.QUASI)]
    shares = np.ones(len(low))
    for number, attribute in enumerate(attributes):
        shares *= share_of_domain(attribute, low[:, number], high[:, number])
    sizes = evidence.grouping.sizes
    success = (1 - 1 / sizes) ** (sizes - 1)
    weights = shares / sizes
    luck = people * weights * (1 - weights) ** (people - 1)
    lead = success - luck
    tried = min(TRIED, max(20, COMPARED // len(lead)))
    order = np.argsort(-lead, kind="stable")[:tried]
    chosen = next((int(g) for g in order if is_closed(int(g), low, high)), None)
    if chosen is None:
        raise AttackError(
            "each of the {boxes} that were tried overlaps another, so it is not certain how many rows stand in it",
            boxes=Count(len(order), "box", "boxes"),
        )
    exposed = evidence.members(chosen)
    sentence = Message(
        "{rows} all that a published box holds. A description of one of them that needs nothing but the release fits "
        "exactly one row with probability {success}, and one of the same weight ({weight}) without the release with "
        "{luck}.",
        rows=Count(int(sizes[chosen]), "row is", "rows are"),
        success=Probability(float(success[chosen])),
        weight=f"{weights[chosen]:.2g}",
        luck=Probability(float(luck[chosen])),
    )
    return SINGLING_OUT.finding(
        success[chosen],
        luck[chosen],
        exposed,
        sentence,
        rows=int(sizes[chosen]),
        weight=float(weights[chosen]),
        group=chosen,
    )


def tightest(evidence: Evidence) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The smallest and the largest code in each group's box, as one row per group and a column per attribute."""
    people, grouping = evidence.people, evidence.grouping
    starts, members = grouping.starts[:-1], grouping.members
    low, high = [], []
    for i in people.having(Role.QUASI):
        codes = people.codes[i][members].astype(np.int64)
        first, last = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
        chains = people.attributes[i].chains
        if chains is not None:  # codes follow the order of the leaves: a node is a range of codes
            level = (chains[:, first] == chains[:, last]).argmax(axis=0)
            for h in np.unique(level).tolist():
                here = level == h
                ends = np.flatnonzero(np.diff(chains[h])) + 1
                run = np.searchsorted(ends, first[here], side="right")
                first[here] = np.append(0, ends)[run]
                last[here] = np.append(ends, chains.shape[1])[run] - 1
        low.append(first)
        high.append(last)
    return np.stack(low, axis=1), np.stack(high, axis=1)


def share_of_domain(attribute: Attribute, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share of an attribute's domain in ranges of codes."""
    if attribute.chains is not None and attribute.leaves is not None:
        level = (attribute.chains[:, low] == attribute.chains[:, high]).argmax(axis=0)
        return np.asarray(attribute.leaves[attribute.chains[level, low]] / (attribute.width + 1))
    first, last = attribute.positions[low], attribute.positions[high]
    mixed = (first < 0) & (last >= 0)  # null and other values: the whole domain
    return np.asarray(np.where(mixed, 1.0, (last - first + 1) / (attribute.width + 1)))


def is_closed(group: int, low: NDArray[np.int64], high: NDArray[np.int64]) -> bool:
    """Whether no other box shares a vector with this one."""
    meets = np.arange(len(low))
    for i in range(low.shape[1]):  # few are left after the first attributes
        meets = meets[(low[meets, i] <= high[group, i]) & (high[meets, i] >= low[group, i])]
    return len(meets) == 1


ATTACKS = (ClassicAttack(110, SINGLING_OUT, lambda evidence, _: singling_out(evidence)),)
