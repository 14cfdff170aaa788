"""The way from what was gathered to beliefs: which engine answers, and which one is tried next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.methods import Method
from pellucid.errors import AttackError
from pellucid.messages import Count, Message, NoteKind, Probability, kind_of_note
from pellucid.messages.terms import GIVE_TABLE_AND_GROUPS
from pellucid.models import PrivacyModel
from pellucid.models.l_diversity import LDiversity
from pellucid.posterior.exclusion import BUDGET
from pellucid.risk.adversary import Adversary
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs, Floats, shown
from pellucid.risk.inference.by_membership_chance import NoLaw, gives_nothing_away, made_without_values, most_inside
from pellucid.risk.inference.hidden_rows import can_be_filled, over_hidden_rows
from pellucid.risk.inference.infer import infer
from pellucid.risk.inference.likelihoods import merges_several
from pellucid.risk.inference.look_alikes import on_average
from pellucid.risk.inference.own_bounds import (
    by_the_promise,
    covered_by_strata,
    require_strata,
    seen_otherwise,
    told_strata,
)
from pellucid.risk.inference.proved_bound import as_proved
from pellucid.risk.inference.replay import require_made_of_truth
from pellucid.risk.inference.require_inputs import NotKnown, require_known
from pellucid.risk.inference.untold_view import without_being_told_too
from pellucid.risk.inference.whole_clusters import require_whole_clusters
from pellucid.risk.inference.world_enumeration import Contradicted, by_worlds
from pellucid.risk.views import Evidence, Gathered
from pellucid.risk.views.membership_advice import way_out_of
from pellucid.risk.views.reader_view import may_be_several, told_who, unsettled
from pellucid.runtime.progress import SILENT, Progress


def believe(
    gathered: Gathered,
    adversary: Adversary,
    *,
    exact: bool = False,
    budget: int = BUDGET,
    progress: Progress = SILENT,
) -> Beliefs:
    """What is believed of the values that count: those asked about, else those that the method protects, else all."""
    found_out = _believe(gathered, adversary, exact=exact, budget=budget, progress=progress)
    return seen_otherwise(without_withheld(with_other_view(as_proved(as_promised(as_divided(found_out))))))


def without_withheld(beliefs: Beliefs) -> Beliefs:
    """The same; whoever was withheld, and of whom nothing is counted, has no risk: NaN, which is not 0."""
    untold = beliefs.evidence.withheld & (beliefs.risk == 0)
    if beliefs.upper is not None:
        untold &= beliefs.upper == 0
    return replace(beliefs, risk=np.where(untold, np.nan, beliefs.risk)) if untold.any() else beliefs


def with_other_view(beliefs: Beliefs) -> Beliefs:
    """The same; a note beside the figures says that who sees the release otherwise may believe more, where so."""
    upper = beliefs.risk if beliefs.upper is None else beliefs.upper
    if beliefs.at_most is None or beliefs.at_most <= float(upper.max(initial=0.0)) or not beliefs.other_view:
        return beliefs
    return replace(beliefs, notes=tuple(dict.fromkeys((*beliefs.notes, beliefs.other_view))))


def as_divided(beliefs: Beliefs) -> Beliefs:
    """Nothing is claimed where knowing of one person tells of people in other groups, which the engines do not count.

    Groups that were divided together have their values by the same relabelling of columns: without further knowledge
    each person's belief is that of the group alone, but what is known of somebody then tells of the others.
    """
    method, adversary = beliefs.evidence.method, beliefs.adversary
    if method is None or not method.divides_together or adversary.knows != "algorithm":
        return beliefs
    if adversary.prior == "uniform" and not adversary.facts:
        return beliefs
    if covered_by_strata(beliefs.evidence, adversary):
        return beliefs  # all arrangements of a stratum are as likely as each other: the theorem holds inside it
    note = (
        f"{method.name} divides several groups together: what is known of somebody may tell of people in other groups, "
        "which is not counted"
    )
    return replace(beliefs, exactness=Exactness.UNKNOWN, notes=(*beliefs.notes, note))


def as_promised(beliefs: Beliefs) -> Beliefs:
    """The risk in protected values alone; and the proved bound where groups tell the informed more than frequencies.

    Figures of other values stay in the posterior, and a note says that they do not count.
    """
    method = beliefs.evidence.method
    if beliefs.evidence.protected is not None:
        beliefs = _of_protected(beliefs, beliefs.evidence.protected)
    if beliefs.adversary.knows == "algorithm" and method is not None and method.at_most is not None:
        beliefs = _as_bounded(beliefs, method)
    return beliefs


def _of_protected(beliefs: Beliefs, codes: NDArray[np.int64]) -> Beliefs:
    """The risk in these values alone."""
    lower, upper, surely = beliefs.lower, beliefs.upper, beliefs.surely
    named = [beliefs.evidence.values[code] for code in codes.tolist()]
    single = np.asarray(reduce(np.maximum, map(beliefs.belief, named)))
    joint = beliefs.evidence.as_one or beliefs.evidence.sets is not None
    risk = beliefs.of_events if joint else single
    if upper is not None:  # of whom nothing is counted, as of suppressed people, is taken as exposed
        untold = (beliefs.belief(*beliefs.evidence.values) <= 0) & (upper > 0)
        single, risk = (np.where(untold, beliefs.risk, one) for one in (single, risk))
    if upper is not None and joint:  # it bounds each of them by itself
        upper = np.where(np.asarray(lower) >= upper, risk, np.minimum(upper * len(named), 1.0))
    return replace(
        beliefs,
        risk=risk,
        lower=None if lower is None else _lower_of_these(beliefs, single, risk, lower),
        upper=upper,
        surely=None if surely is None else _lower_of_these(beliefs, single, risk, surely),
        notes=(*beliefs.notes, others_note(beliefs.evidence, named, risk)),
    )


def _as_bounded(beliefs: Beliefs, method: Method) -> Beliefs:
    """What is proved of a method whose groups tell whoever knows it more than frequencies, and is not computed."""
    assumed = beliefs.adversary.prior == "uniform" or covered_by_strata(beliefs.evidence, beliefs.adversary)
    if not assumed or beliefs.adversary.facts:
        note = "every arrangement inside a group is taken as equally likely, which is not exact for this method"
        return replace(beliefs, notes=(*beliefs.notes, note), exactness=Exactness.UNKNOWN)
    covers, risk = beliefs.evidence.promise_covers, beliefs.risk
    most = risk if beliefs.upper is None else np.maximum(risk, beliefs.upper)
    proved = method.usual_bound(beliefs.evidence.attribute.name) if method.l_of_each else method.at_most
    bound = float(proved or 1) if covers else 1.0
    by = f"bounded by {proved}, not computed" if covers else "not known for these values"
    return replace(
        beliefs,
        lower=np.zeros(len(risk)),  # counts say nothing for sure to somebody who tells apart what was put together
        upper=np.where(most > 0, np.maximum(most, bound), most),
        exactness=Exactness.BOUND if beliefs.exactness.sound else beliefs.exactness,
        notes=(*beliefs.notes, f"{method.not_computed} {by}"),
    )


def _lower_of_these(beliefs: Beliefs, single: Floats, risk: Floats, lower: Floats) -> Floats:
    """The least that is believed of each person in the values that count.

    Where the figure is known, that is the figure. Else the lower end is that of the likeliest value, and says nothing
    of another one. ``single`` is of the likeliest one of those that count.
    """
    upper = beliefs.risk if beliefs.upper is None else beliefs.upper
    likeliest = single >= beliefs.risk * (1 - 1e-12)
    return np.where(lower >= upper, risk, np.where(likeliest, np.minimum(lower, single), 0.0))


def others_note(evidence: Evidence, named: Sequence[Any], risk: NDArray[np.float64]) -> Message:
    """That other values do not count, and of how many people it is certain that they have no protected one."""
    free = int((evidence.inside & (risk <= 0)).sum())
    counting = "counts alone" if len(named) == 1 else "count as one, and alone" if evidence.as_one else "count alone"
    counting = "count in sets, and alone" if evidence.sets is not None else counting
    other = "; {people} are known to have another one, which nothing is promised about"
    return Message(
        "{values} of {column} {counting}{known}",
        values=" and ".join(map(shown, named)),
        column=evidence.attribute.name,
        counting=counting,
        known=Message(other, people=Count(free, "people", "people")) if free else "",
    )


def _check_asked(adversary: Any, budget: Any) -> None:
    if not isinstance(adversary, Adversary):
        raise AttackError(f"adversary = {adversary!r}: must be one, as in pellucid.Adversary(knows='algorithm')")
    if not isinstance(budget, int) or budget < 1:
        raise AttackError("budget = {budget!r}: must be a whole number of steps, at least 1", budget=budget)


def _believe(gathered: Gathered, adversary: Adversary, *, exact: bool, budget: int, progress: Progress) -> Beliefs:
    """By an exact engine where one applies; otherwise by trying worlds, or by walking through them.

    Somebody who is told who is in which group may be surer of a person than somebody who is not, and the other way
    round. Where the groups are told, both are asked, and each person's figure is the larger one.
    """
    evidence = gathered.evidence
    _check_asked(adversary, budget)
    evidence.check(adversary.facts)
    try:
        require_known(evidence, adversary)
    except NotKnown:
        if not can_be_filled(evidence, adversary):
            raise
        require_made_of_truth(gathered)
        filled = over_hidden_rows(evidence, adversary, exact=exact, budget=budget, progress=progress)
        if filled is None:
            raise
        return without_being_told_too(filled, exact=exact, progress=progress)
    if covered_by_strata(evidence, adversary) and not told_strata(evidence):
        return by_the_promise(infer(evidence, Adversary(), exact=exact, budget=budget, progress=progress), adversary)
    if evidence.anonymous or adversary.knows != "algorithm" or adversary.prior != "uniform" or evidence.method is None:
        found_out = infer(evidence, adversary, exact=exact, budget=budget, progress=progress, statistics=gathered.truth)
        return (
            counted_in_groups_too(sure_who_is_there(found_out))
            if adversary.knows == "nothing"
            else partly_divided_too(alike_too(on_average(found_out)))
        )
    require_made_of_truth(gathered)
    require_whole_clusters(gathered)
    require_strata(gathered)
    evidence = _as_it_can_be_read(evidence)
    if evidence.membership is not None:
        alone = _not_told_who(evidence, adversary, exact=exact, budget=budget, progress=progress)
        return told_too(sure_who_is_there(alone))
    try:
        beliefs = infer(evidence, adversary, exact=exact, budget=budget, progress=progress, statistics=gathered.truth)
    except NoLaw:
        beliefs = by_worlds(evidence, adversary, truth=gathered.truth, exact=exact, progress=progress)
    return without_being_told_too(beliefs, exact=exact, progress=progress) if told_who(evidence) else beliefs


def _seen_otherwise(beliefs: Beliefs) -> Beliefs:
    """The same, and what bounds whoever tells groups apart that the figures count as one."""
    if beliefs.adversary.knows == "nothing":
        return counted_in_groups_too(sure_who_is_there(beliefs))
    return alike_too(beliefs)


def _not_told_who(evidence: Evidence, adversary: Adversary, *, exact: bool, budget: int, progress: Progress) -> Beliefs:
    """What is believed where who is in the table is a part of what whoever knows the method infers."""
    try:
        return by_worlds(evidence, adversary, exact=exact, progress=progress)
    except Contradicted:
        raise
    except AttackError:
        return infer(evidence, adversary, exact=exact, budget=budget, progress=progress)


def _as_it_can_be_read(evidence: Evidence) -> Evidence:
    """What is open about groups that were read off a release."""
    if evidence.membership is None and evidence.crowd is not None:
        return left_open(evidence)
    if evidence.membership is not None and may_be_several(evidence):
        return replace(evidence, several=True)
    return evidence


def left_open(evidence: Evidence) -> Evidence:
    """The groups that were read off a release, unless they are those that were made in every world that reads the same.

    People who look alike may be in several, and what is read as one group may be several.
    """
    if may_be_several(evidence):
        return unsettled(evidence)
    if evidence.lookalikes is None:
        return evidence
    notes = tuple(note for note in evidence.notes if kind_of_note(note) is not NoteKind.LOOK_ALIKE)
    return replace(evidence, membership=evidence.lookalikes, lookalikes=None, notes=notes)


def told_too(beliefs: Beliefs) -> Beliefs:
    """The same, and what bounds the beliefs of somebody who is told who is in which group.

    Whoever audits the table wants to know that too. The figures are those of somebody who is not told where the groups
    could not be found, and being told may be worth more.
    """
    evidence = beliefs.evidence
    if evidence.membership is None or beliefs.at_most == 1.0:
        return beliefs
    seen = seen_otherwise(beliefs)
    if seen.otherwise is not None:
        return seen
    proved = None if beliefs.adversary.facts else evidence.proved  # of whoever knows nobody's value
    if gives_nothing_away(evidence) and not evidence.several and not beliefs.adversary.facts:
        most = float(most_inside(evidence, informed=True).max(initial=0.0))
    else:
        most = 1.0 if proved is None else float(proved)
    view = "the figures are those of somebody who is not told who is in which group; who is told"
    return _bounded_by(beliefs, most, view)


ALIKE_AS_ONE = "groups may be published alike, and the figures count them as one; who is told who is in which"


def alike_too(beliefs: Beliefs) -> Beliefs:
    """The same of a release alone, and what bounds the beliefs of somebody who tells groups apart that read alike.

    Its rows stand for people, and rows that read alike count as one group. One of several such groups may have a value
    more often than all of them together: of a, b and a, b, c it is 1/2, together 2/5.
    """
    evidence = beliefs.evidence
    if not evidence.anonymous or not may_be_several(evidence):
        return beliefs
    seen = seen_otherwise(beliefs)
    if seen.otherwise is not None:
        return seen
    covered = evidence.proved is not None and not beliefs.adversary.facts  # of whoever knows nobody's value
    return _bounded_by(beliefs, float(evidence.proved or 1) if covered else 1.0, ALIKE_AS_ONE)


def partly_divided_too(beliefs: Beliefs) -> Beliefs:
    """The same of who assumes minimality, and that whoever rules out every way to divide a group may believe more.

    [W] counts worlds in which all classes of people who look alike satisfy the model, and rules them out. By its own
    definition 3 no part of a group could have been published apart either. Of two classes that is the same. Of more it
    is not: of ages a, a, b, c and two values that nobody else has in a, [X]'s first example is one.
    """
    evidence = beliefs.evidence
    if beliefs.adversary.knows != "minimality" or evidence.proved is not None or made_without_values(evidence.method):
        return beliefs
    if not merges_several(evidence):
        return beliefs
    told = Message(
        "groups merge people of more than two looks, and the figures rule out that all of these could have been "
        "published apart; who rules out each part too may believe more: ask for the attacker who knows the method"
    )
    return replace(beliefs, at_most=1.0, other_view=told)


def counted_in_groups_too(beliefs: Beliefs) -> Beliefs:
    """The same, and what bounds the beliefs of somebody who only counts, in the groups that the method made.

    What is read as one group may be several, in one of which a value may be more frequent, as far as the model that
    groups satisfy allows.
    """
    evidence = beliefs.evidence
    told = evidence.crowd is None and not evidence.anonymous
    if told or beliefs.at_most == 1.0 or not may_be_several(evidence):
        return beliefs
    seen = seen_otherwise(beliefs)
    if seen.otherwise is not None:
        return seen
    most = 1.0 if beliefs.adversary.facts else 1 / _l_of_all_values(evidence.model)
    return _bounded_by(beliefs, most, ALIKE_AS_ONE)


def _l_of_all_values(model: PrivacyModel | None) -> int:
    """The largest l that a model asks of every value; 1 where it asks none."""
    parts = () if model is None else model.parts
    return max((part.l for part in parts if isinstance(part, LDiversity) and part.sensitive is None), default=1)


def _bounded_by(beliefs: Beliefs, most: float, who: str) -> Beliefs:
    """The same, and that somebody else believes up to ``most``, unless as much is said of others already."""
    if beliefs.at_most is not None and beliefs.at_most >= most:
        return beliefs
    way_out = GIVE_TABLE_AND_GROUPS if beliefs.evidence.anonymous else way_out_of(beliefs.evidence)
    more = Message("{who} may believe more: {way_out}", who=who, way_out=way_out)
    bound = Message("{who} believes {most}", who=who, most=Probability(most, "at most"))
    return replace(beliefs, at_most=most, other_view=more if most == 1.0 else bound)


def sure_who_is_there(beliefs: Beliefs) -> Beliefs:
    """The same, and what bounds the beliefs of somebody who is sure who is in the table, where these are not.

    Somebody who is not sure believes less of most people, so that figures of theirs bound nothing for one who is.
    """
    evidence, who = beliefs.evidence, beliefs.evidence.membership
    if who is None or int(who.covered.sum()) <= int(evidence.published.sizes.sum()):
        return beliefs
    view = "the figures are those of somebody who is not sure who is in the table; who is sure"
    quiet = beliefs.adversary.knows == "nothing" or gives_nothing_away(evidence)
    if quiet and not beliefs.adversary.facts:  # nothing is proved of whoever knows somebody's value
        most = float(most_inside(evidence, informed=beliefs.adversary.knows != "nothing").max(initial=0.0))
        bound = Message("{view} believes {most}", view=view, most=Probability(most, "up to"))
        return replace(beliefs, at_most=most, other_view=bound)
    more = Message("{view} may believe more: {way_out}", view=view, way_out=way_out_of(evidence))
    return replace(beliefs, at_most=1.0, other_view=more)
