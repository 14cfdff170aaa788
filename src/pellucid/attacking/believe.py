"""The way from what was gathered to beliefs: which engine answers, and which one is tried next."""

from __future__ import annotations

from dataclasses import replace

from pellucid.attacking.adversary import Adversary
from pellucid.attacking.beliefs import Beliefs
from pellucid.attacking.by_worlds import Contradicted, by_worlds
from pellucid.attacking.evidence import Evidence, Gathered
from pellucid.attacking.infer import infer
from pellucid.attacking.membership import APART
from pellucid.attacking.reading import may_be_several, told_who, unsettled
from pellucid.attacking.steering import require_known
from pellucid.attacking.uncertain import NoLaw, gives_nothing_away, most_inside, way_out_of
from pellucid.attacking.views import without_being_told_too
from pellucid.errors import AttackError
from pellucid.posterior.exclusion import BUDGET
from pellucid.progress import SILENT, Progress
from pellucid.wording import probability


def believe(
    found: Gathered,
    adversary: Adversary,
    *,
    exact: bool = False,
    budget: int = BUDGET,
    progress: Progress = SILENT,
) -> Beliefs:
    """By an exact engine where one applies; otherwise by trying worlds, or by walking through them.

    Somebody who is told who is in which group may be surer of a person than somebody who is not, and the other way
    round. Where the groups are told, both are asked, and each person's figure is the larger one.
    """
    evidence = found.evidence
    evidence.check(adversary.facts)
    require_known(evidence, adversary)
    if evidence.anonymous or adversary.knows != "algorithm" or adversary.prior != "uniform" or evidence.method is None:
        found_out = infer(evidence, adversary, exact=exact, budget=budget, progress=progress, statistics=found.truth)
        return sure_who_is_there(found_out) if adversary.knows == "nothing" else found_out
    if evidence.membership is None and evidence.crowd is not None:
        evidence = left_open(evidence)
    if evidence.membership is not None:
        try:  # who is in the table is a part of what whoever knows the method infers
            return sure_who_is_there(by_worlds(evidence, adversary, exact=exact, progress=progress))
        except Contradicted:
            raise
        except AttackError:
            return sure_who_is_there(infer(evidence, adversary, exact=exact, budget=budget, progress=progress))
    try:
        told = infer(evidence, adversary, exact=exact, budget=budget, progress=progress, statistics=found.truth)
    except NoLaw:
        told = by_worlds(evidence, adversary, truth=found.truth, exact=exact, progress=progress)
    return without_being_told_too(told, exact=exact, progress=progress) if told_who(evidence) else told


def left_open(evidence: Evidence) -> Evidence:
    """The groups that were read off a release, unless they are those that were made in every world that reads the same.

    People who look alike may be in several, and what is read as one group may be several.
    """
    if may_be_several(evidence):
        return unsettled(evidence)
    if evidence.lookalikes is None:
        return evidence
    notes = tuple(note for note in evidence.notes if note != APART)
    return replace(evidence, membership=evidence.lookalikes, lookalikes=None, notes=notes)


def sure_who_is_there(beliefs: Beliefs) -> Beliefs:
    """The same, and what bounds the beliefs of somebody who is sure who is in the table, where these are not.

    Somebody who is not sure believes less of most people, so that figures of theirs bound nothing for one who is.
    """
    evidence, who = beliefs.evidence, beliefs.evidence.membership
    if who is None or int(who.covered.sum()) <= int(evidence.published.sizes.sum()):
        return beliefs
    said = "the figures are those of somebody who is not sure who is in the table; who is sure"
    quiet = beliefs.adversary.knows == "nothing" or gives_nothing_away(evidence)
    if quiet and not beliefs.adversary.facts:  # nothing is proved of whoever knows somebody's value
        most = float(most_inside(evidence, informed=beliefs.adversary.knows != "nothing").max(initial=0.0))
        return replace(beliefs, at_most=most, other_view=f"{said} believes up to {probability(most)}")
    return replace(beliefs, at_most=1.0, other_view=f"{said} may believe more: {way_out_of(evidence)}")
