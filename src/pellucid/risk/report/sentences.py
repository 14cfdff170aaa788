"""Every sentence about what an attack found, as Messages made of its record: the one place that words it.

Three readers are told how a bound stands. :func:`verdict_lines` begins with the verdict, as ``pellucid attack`` does;
:func:`promise_status` is about the promise, as reports and pages are; :func:`reading` is about one attacker. What a
surface adds is layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from pellucid.messages import Belief, Count, Message, Names, Probability, Share
from pellucid.messages.terms import JUDGE_ALL, JUDGE_OTHERS, MAX_RISK, TRUTH
from pellucid.risk.adversary_kinds import KINDS, REASONING
from pellucid.risk.attacks.finding import Finding
from pellucid.risk.report.attack_report import WARNING, Who
from pellucid.risk.report.guarantee_coverage import coverage_of
from pellucid.risk.report.headline import HANDFUL, PER_VALUE
from pellucid.risk.report.results import AttackerResult, AttackResult
from pellucid.risk.report.statistics_words import above_words, in_table
from pellucid.risk.report.worst_groups import Tie

NAMED = 2  # attackers with the same figure, or with the same reason, who are named
COVERED, UNCOVERED = Message("the promise covers"), Message("no promise covers")
NOTHING = Message("Nothing was found out: no attacker could be tried.")
UNSAID = Message.of(
    "nobody says how much may be believed of anybody", Message("say it with {max_risk}", max_risk=MAX_RISK)
)
MISTAKEN = Message(
    "The method of this release does make groups coarser than they have to be, so that the assumption is wrong: the "
    "figure says how sure such a person is, not how often they are right, and it does not count against the promise."
)
Name = TypeVar("Name")


def people(number: int) -> Count:
    """So many people; where several rows belong to one person, a surface counts rows."""
    return Count(number, "person", "people")


def names(whom: Iterable[Who]) -> list[str]:
    """Names of attackers; those who know distributions by one column each are one.

    >>> names([Who("knows minimality", "minimality"), *(Who("", "distribution", (name,)) for name in ("age", "sex"))])
    ['knows minimality', 'knows the distribution by age, sex']
    """
    several = list(whom)
    columns = [" and ".join(one.columns) or "a quasi-identifier" for one in several if one.by_column]
    others = [one.name for one in several if not one.by_column]
    return [*others, *([f"knows the distribution by {', '.join(columns)}"] if columns else [])]


def merged(texts: Mapping[str, Message]) -> dict[str, Message]:
    """Names with the same text as one.

    >>> merged({"a": Message("x"), "b": Message("y"), "c": Message("x")})
    {'a; c': 'x', 'b': 'y'}
    """
    names_of: dict[Message, list[str]] = {}
    for name, text in texts.items():
        names_of.setdefault(text, []).append(name)
    return {"; ".join(sharing): text for text, sharing in names_of.items()}


# the verdict, as the command line begins with it


def verdict_lines(result: AttackResult) -> list[Message]:
    """The verdict, and what those reach who are not judged though they reason from the release."""
    stands = verdict(result)
    if result.standing is not None and result.standing.holds and result.required is None:
        stands = _sentences([stands, covered_too(result), mixed_by_strata(result)])
    return [*contradiction(result), stands, *several_rows(result), *_parted(result), *beside(result)]


def guessing_lines(result: AttackResult) -> list[Message]:
    """How often plain guesses are right, where that is asked: after what is believed above the bound."""
    tried = {one.kind for one in result.attackers} | {one.kind for one in result.missed}
    return [Message(result.guessing.line)] if not result.judged.asked or "learned" in tried else []


def contradiction(result: AttackResult) -> list[Message]:
    """That the release cannot have been made as it is said to be."""
    why = result.contradicted
    return [] if why is None else [Message("The release is not what it is said to be: {why}.", why=Message(why))]


def several_rows(result: AttackResult) -> list[Message]:
    """What the groups of people with several rows have in common, which no verdict about rows is about."""
    return [
        Message("These bounds are of single rows. {found}", found=Message(one.sentence))
        for one in result.findings
        if one.attack == "intersecting" and one.ran
    ]


def _parted(result: AttackResult) -> list[Message]:
    """Whom no verdict is about where clusters were taken as several, and what is certain to them."""
    return [] if result.parted is None else [Message(result.parted.sentence)]


def verdict(result: AttackResult) -> Message:
    """How the bound stands, in one sentence that begins with it; without a bound, the most that is believed."""
    if not result.attackers:
        return (
            NOTHING
            if result.bound is None
            else Message("NOT SHOWN: nothing was found out, no attacker could be tried.")
        )
    if result.bound is None or result.standing is None:
        return _most_believed(result, result.of_judged or result.attackers)
    if result.standing.holds:
        return _holding(result, result.bound)
    return _failing(result, result.bound) if result.standing.holds is False else _not_shown(result, result.bound)


def _or_share(result: AttackResult) -> Message:
    """Behind a limit: that of some people the share in their stratum is allowed; empty where one limit is of all."""
    if result.larger is None:
        return Message("")
    return Message(
        ", or the share of the value in their stratum where that is larger ({people}, up to {share})",
        people=people(result.larger.people),
        share=Share(result.larger.share),
    )


def own_limits(result: AttackResult) -> Message:
    """What the bound of each person is, where people differ in it; empty elsewhere."""
    if result.larger is None or result.limit is None:
        return Message("")
    told = "a person's bound is {limit}{or_share}"
    return Message(told, limit=Probability(result.limit), or_share=_or_share(result))


def covered_too(result: AttackResult) -> Message:
    """Who is covered with the attackers who reason, because what they know changes no figure; empty where nobody is."""
    covered = [one for one in result.of("covered") if one.kind == "algorithm"]
    held = covered and all(one.standing is not None and one.standing.holds for one in covered)
    if not result.knows_too or not held:
        return Message("")
    return Message("The same holds for an attacker who knows {what} besides.", what=result.knows_too)


def mixed_by_strata(result: AttackResult) -> Message:
    """Which columns strata mix, so that statistics by these are not covered; empty where nobody knows such."""
    known = [*(one.who for one in result.of("outside")), *(one.who for one in result.missed)]
    outside = [name for one in known for name in one.columns if name not in result.fixed]
    if not result.fixed or not outside:
        return Message("")
    told = "Strata mix values of {columns}, so that statistics by {them} are not covered."
    return Message(told, columns=Names(list(dict.fromkeys(outside))), them="it" if len(set(outside)) == 1 else "these")


def _of_anybody(result: AttackResult) -> Message:
    """Behind "of anybody": which values count, and of whom more is allowed."""
    return Message.joined([Message(result.counting), _or_share(result)], "")


def _holding(result: AttackResult, bound: Fraction) -> Message:
    """That those who are judged stay within the bound, and who they are."""
    judged, why = result.of_judged, result.judged
    made = result.promise is None and result.method is not None
    so = Message(", if it was made by {method} as is said", method=result.method) if made else ""
    about = {"counting": _of_anybody(result), "so": so}
    if len(judged) == 1:
        alone = "" if why.asked else Message(", {alone},", alone=why.alone)
        return Message(
            "holds: somebody who {name}{alone} {believes} of anybody{counting}{so}.",
            name=called(judged[0]).name,
            alone=alone,
            believes=Belief(bound, "at most"),
            **about,
        )
    return Message(
        "holds: none of the {number} attackers {why}{comma} ({names}) {believes} of anybody{counting}{so}.",
        number=len(judged),
        why="asked for" if why.asked else why.why,
        comma="," if why.beside else "",
        names="; ".join(names(map(called, judged))),
        believes=Belief(bound, "more than"),
        **about,
    )


def called(one: AttackerResult) -> Who:
    """An attacker's name; who counts in groups that are published alike must be told who is in which.

    Who knows the algorithm as well is asked in both views.
    """
    return Who(f"{one.name} and is told who is in which group", one.kind) if one.told_groups else one.who


def _unknown(result: AttackResult) -> Message:
    """Those who count and of whom nothing is known: that is no safety, so that they are named beside any figure."""
    who = " or who ".join(names(result.open))
    return Message("Nothing is known of somebody who {who}, which takes what is said below.", who=who)


def _most_believed(result: AttackResult, tried: Sequence[AttackerResult]) -> Message:
    """The largest belief of those who were tried, where there is no bound to compare it with."""
    worst = max(tried, key=lambda one: one.max_risk)
    told = Message(
        "The most that is believed of anybody{counting} is {most}, by one who {name}.",
        counting=result.counting,
        most=Probability(worst.max_risk, "about" if worst.most.by_lot else ""),
        name=called(worst).name,
    )
    return Message.joined([told, _unknown(result)], " ") if result.open else told


def _failing(result: AttackResult, bound: Fraction) -> Message:
    """Who believes more: rather somebody on whose figures a headline may rest."""
    above = [one for one in result.of_judged if one.asked is not None and one.asked.holds is False]
    worst = max(above or result.of_judged, key=lambda one: (one.carries, one.certain))
    told = Message(
        "FAILS: {believing}, and {bound} is allowed{above}.",
        believing=_believing(worst, result),
        bound=Probability(bound if result.larger is None or worst.allowed is None else worst.allowed),
        above=_above(worst, result, bound),
    )
    if worst.carries:
        return told
    few = Message(" But that rests on fewer than {few} for each value.", few=people(HANDFUL))
    return Message.joined([told, few if worst.few else NO_BETTER], "")


NO_BETTER = Message(" But these beliefs are right no more often than the values are frequent.")


def _believing(one: AttackerResult, result: AttackResult) -> Message:
    """What is certain of an attacker's largest belief, or what bounds it."""
    if one.asked is None or one.asked.holds is not False:
        belief = Belief(one.max_risk, "up to", "may believe")
    else:
        least = "" if one.certain >= one.max_risk * (1 - 1e-9) else "at least"
        belief = Belief(min(1.0, one.certain), least)
    name, counting = called(one).name, result.counting
    return Message("somebody who {name} {belief} of a person{counting}", name=name, belief=belief, counting=counting)


def _above(one: AttackerResult, result: AttackResult, bound: Fraction) -> Message:
    """How many people are above the bound; where that is not certain, from how many to how many."""
    if one.asked_above is None:
        return Message("")
    surely, may = one.asked_above
    number = f"{surely:,}" if surely == may else f"{surely:,} to {may:,}"
    of = Message(" of {people}", people=people(one.people)) if one.people else Message(" people")
    verb = "is" if may == 1 else "are"
    limit = Probability(bound) if result.larger is None else Message("what is promised of them")
    return Message("; {number}{of} {verb} above {bound}", number=number, of=of, verb=verb, bound=limit)


def _not_shown(result: AttackResult, bound: Fraction) -> Message:
    """Of whom it is not shown, why, and what to do."""
    open_ = [one for one in result.of_judged if one.asked is not None and one.asked.holds is None]
    sentences = []
    if open_ and result.standing is not None:
        sentences.append(
            Message(
                "whether somebody who {who} stays within {bound}{or_share}: {why}.",
                who=" or who ".join(names(map(called, open_))),
                bound=Probability(bound),
                or_share=_or_share(result),
                why=Message(result.standing.why),
            )
        )
    if result.open:
        nothing = "nothing is known of somebody who {who}, which takes what is said below."
        sentences.append(_unknown(result) if open_ else Message(nothing, who=" or who ".join(names(result.open))))
    if not result.judged.asked:
        others = "Judged are those {why}; {others}."
        sentences.append(Message(others, why=result.judged.why, others=JUDGE_OTHERS))
    return Message("NOT SHOWN: {sentences}", sentences=Message.joined(sentences, " "))


def beside(result: AttackResult) -> list[Message]:
    """Those who reason from the release, are not judged, and may believe more than the bound."""
    bound, outside = result.bound, Message("Not judged" if result.promise is None else "NOT covered by the promise")
    lines = [] if bound is None else [_of_not_judged(one, result, bound, outside) for one in _exceeding(result)]
    lost = [one for one in result.missed if one.kind == "algorithm" and one.kind not in result.judged.kinds]
    unknown = "{outside}, and not known: what somebody believes who {name}. {judge_all}."
    return [*lines, *(Message(unknown, outside=outside, name=one.name, judge_all=JUDGE_ALL) for one in lost)]


def _exceeding(result: AttackResult) -> list[AttackerResult]:
    """Those who reason from the release, are not judged, and are not shown to stay within the bound."""
    reasoning = [one for one in result.attackers if one.kind in REASONING and not one.judged]
    return [one for one in reasoning if one.asked is None or not one.asked.holds]


def _of_not_judged(one: AttackerResult, result: AttackResult, bound: Fraction, outside: Message) -> Message:
    """What somebody believes who is not judged: a figure to compare with the bound, or a mistake."""
    if coverage_of(result.promise or "", one.kind, more=False) == "mistaken":
        return Message(
            "Not judged: somebody who {name} is mistaken about the method and {believes}, which is no probability of "
            "being right.",
            name=one.name,
            believes=Belief(one.max_risk, "up to"),
        )
    return Message(
        "{outside}: {believing}{above}. {judge_all}.",
        outside=outside,
        believing=_believing(one, result),
        above=_above(one, result, bound),
        judge_all=JUDGE_ALL,
    )


def untried(result: AttackResult) -> Message:
    """Who was not tried, where that alone leaves it open."""
    if not result.open:
        return Message("no attacker who is judged was tried")
    who = " or who ".join(dict.fromkeys(one.name for one in result.open))
    return Message("nothing is known of somebody who {who}: see not_tried", who=who)


# the promise, as reports and pages tell it


@dataclass(frozen=True)
class PromiseStatus:
    """How the promise fares: what the attackers reach whom it covers, and what the others reach, in a sentence each.

    ``outside`` rests on figures that may carry a headline, ``aside`` names the others
    (:mod:`pellucid.risk.report.headline`); ``parted`` is who knows that values of parted
    clusters, or of the rows of a person, go together.
    """

    covered: Message
    mistaken: Message
    outside: Message
    aside: Message
    parted: Message

    @property
    def sentences(self) -> list[Message]:
        """Those that say something."""
        return [one for one in (self.covered, self.parted, self.mistaken, self.outside, self.aside) if one]


def promise_status(result: AttackResult) -> PromiseStatus:
    """The attackers whom the promise covers apart from the others.

    >>> import pellucid as pc
    >>> from pellucid.risk.report.results import result_of
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> report = pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["nothing"], **roles)
    >>> promise_status(result_of(report)).covered
    'Somebody who knows only the release, whom the promise covers, believes at most 1/2 of anybody.'
    """
    outside = result.of("outside")
    return PromiseStatus(
        covered=_sentences([_reached(result.of("covered"), result, COVERED), covered_too(result)]),
        mistaken=Message.joined((_of_mistaken(one, result) for one in result.of("mistaken")), " "),
        outside=_sentences(
            [_reached([one for one in outside if one.carries], result, UNCOVERED), mixed_by_strata(result)]
        ),
        aside=_aside([one for one in outside if not one.carries], result),
        parted=Message.joined([*several_rows(result), *_parted(result)], " "),
    )


def with_missed(result: AttackResult, sentences: Iterable[Message]) -> list[Message]:
    """What is known of those who were tried comes first, and what could not be tried after it.

    But where nobody knows what the algorithm tells, that comes first: of the others little follows.
    """
    wrong, told = contradiction(result), list(sentences)
    if not result.attackers:
        return [*wrong, NOTHING]
    if not result.missed:
        return [*wrong, *told]
    unknown = _of_unknown(result)
    if any(one.kind == "algorithm" for one in result.missed):
        return [*wrong, *unknown, *told, _of_missed(result)]
    return [*wrong, *told, *unknown, _of_missed(result)]


def _of_unknown(result: AttackResult) -> list[Message]:
    """Of whom nothing is known though a verdict is about them, or though they know the algorithm."""
    judged = (None, "algorithm", *result.judged.kinds)
    who = " or who ".join(names(one.who for one in result.missed if one.kind in judged))
    return [Message("Not shown: what somebody believes who {who}.", who=who)] if who else []


def _of_missed(result: AttackResult) -> Message:
    """All who could not be tried."""
    return Message(
        "{number} of {everyone} attackers could not be tried, which says nothing about safety: {names}.",
        number=len(result.missed),
        everyone=len(result.missed) + len(result.attackers),
        names="; ".join(names(one.who for one in result.missed)),
    )


def not_tried(result: AttackResult) -> list[Message]:
    """Each who could not be tried, with the reason."""
    told = "Not tried, which says nothing about safety: {name} ({why})"
    return [Message(told, name=one.name, why=Message(one.why)) for one in result.missed]


def _of_mistaken(one: AttackerResult, result: AttackResult) -> Message:
    """What somebody believes who is wrong about the method."""
    if one.unknown:
        return nothing_known(one)
    if one.may_exceed is False and one.exceeds is None:
        return _is_not_shown([one], result)
    if one.may_exceed is False and result.limit is not None:
        return Message(
            "Somebody who wrongly assumes that nothing was generalised without need {believes} of anybody{counting} "
            "either.",
            believes=Belief(result.limit, "more than", "does not believe"),
            counting=_of_anybody(result),
        )
    return Message(
        "Somebody who wrongly assumes that nothing was generalised without need {believes} of somebody, which is no "
        "probability of being right.",
        believes=Belief(one.max_risk, "up to"),
    )


def _reached(some: Sequence[AttackerResult], result: AttackResult, whom: Message) -> Message:
    """What these attackers reach, in a sentence; empty when there are none."""
    if not some:
        return Message("")
    unknown, known = _apart(some, lambda one: bool(one.unknown))
    if unknown:
        return _sentences([_reached(known, result, whom), *map(nothing_known, unknown)])
    open_, known = _apart(some, lambda one: one.exceeds is None)
    if open_ and result.limit is not None and result.limit != 1:
        return _sentences([_reached(known, result, whom), _is_not_shown(open_, result)])
    if result.limit is None or result.limit == 1:
        who = "one attacker whom {whom}" if len(some) == 1 else "the {number} attackers whom {whom}"
        told = Message(who, whom=whom, **({} if len(some) == 1 else {"number": len(some)}))
        return Message("Of {who}: {surest}.", who=told, surest=surest(some, result))
    if len(some) == 1:
        return _of_one(some[0], result, result.limit, whom)
    return _of_several(some, result, result.limit, whom)


def _sentences(parts: Iterable[Message]) -> Message:
    """Those that say something, after each other."""
    return Message.joined([part for part in parts if part], " ")


def _apart(some: Sequence[Name], test: Callable[[Name], bool]) -> tuple[list[Name], list[Name]]:
    """Those who pass a test, and those who do not."""
    return [one for one in some if test(one)], [one for one in some if not test(one)]


def _of_one(one: AttackerResult, result: AttackResult, limit: Fraction, whom: Message) -> Message:
    """What one attacker believes, beside the limit; named, because others whom it covers may not have been tried."""
    before = _known_before([one], limit)
    if before:
        return before
    about = {"name": one.name, "whom": whom, "counting": result.counting}
    if not one.telling:
        told = "Somebody who {name}, whom {whom}, {believes} of anybody{counting}."
        return Message(told, believes=Belief(limit, "at most"), **(about | {"counting": _of_anybody(result)}))
    told = "Somebody who {name}, whom {whom}, {believes} of somebody{counting}: {most}."
    return Message(told, believes=Belief(limit, "more than"), most=Probability(one.headline), **about)


def _of_several(some: Sequence[AttackerResult], result: AttackResult, limit: Fraction, whom: Message) -> Message:
    """How many of several attackers believe more than the limit."""
    above = [one for one in some if one.telling]
    before = _known_before(some, limit)
    about = {"number": len(some), "whom": whom, "counting": result.counting}
    if not above:
        told = Message(
            "None of the {number} attackers whom {whom} {believes} of anybody{counting}{new}.",
            believes=Belief(limit, "more than"),
            new=NOT_BEFORE if before else "",
            **(about | {"counting": _of_anybody(result)}),
        )
        return _sentences([told, before])
    everybody = len(above) == len(some)
    told = Message(
        "All {number} attackers whom {whom} {believe} of somebody{counting}{new}; {surest}."
        if everybody
        else "Of the {number} attackers whom {whom}, {above} {believe} of somebody{counting}{new}; {surest}.",
        believe=Belief(limit, "more than", "believes" if len(above) == 1 and not everybody else "believe"),
        new=NOT_BEFORE if any(one.before for one in some) else "",
        surest=surest(above, result),
        **about,
        **({} if everybody else {"above": len(above)}),
    )
    return _sentences([told, before])


NOT_BEFORE = Message(" of whom they did not before")


def _is_not_shown(some: Sequence[AttackerResult], result: AttackResult) -> Message:
    """Those whose figures are within 1/l, of whom no more is known: figures show nothing by themselves."""
    why = dict.fromkeys(one.standing.why for one in some if one.standing is not None)
    return Message(
        "It is not shown that somebody who {who} stays within {limit}{or_share}: {why}.",
        who=" or ".join(one.name for one in some),
        or_share=_or_share(result),
        limit="" if result.limit is None else Probability(result.limit),
        why=Message.joined(why),
    )


def surest(some: Sequence[AttackerResult], result: AttackResult) -> Message:
    """The most that is believed, and by whom: all who believe it, or how many of these they are."""
    most = max(one.headline for one in some)
    few = any(one.gained > most * (1 + 1e-9) for one in some)
    by = [one.name for one in some if one.headline >= most * (1 - 1e-9)]
    if len(by) <= NAMED:
        who = Message.joined((Message("somebody who {name}", name=name) for name in by), " and by ")
    else:
        who = Message("{number} of them", number=len(by)) if len(by) < len(some) else Message("each of them")
    but = Message(" (values that fewer than {people} have are not counted)", people=people(result.enough))
    told = "the most, {most}, is believed by {who}{but}"
    return Message(told, most=Probability(most), who=who, but=but if few else "")


def _known_before(some: Iterable[AttackerResult], limit: Fraction) -> Message:
    """Those who believe more than 1/l only of people of whom they did before; empty without any."""
    who = "; who ".join(one.name for one in some if one.may_exceed and not one.newly)
    if not who:
        return Message("")
    return Message(
        "Already before seeing the release, somebody who {who} believed more than {limit} of each of those of whom "
        "they do now. They may be surer of them now.",
        who=who,
        limit=Probability(limit),
    )


def already_before(one: AttackerResult) -> Message:
    """What must be read beside the number of people above 1/l; empty where nobody was above it before."""
    if not one.before:
        return Message("")
    if one.before == one.above:
        return Message("all of them already before seeing the release")
    return Message("{number} of them already before seeing the release", number=f"{one.before:,}")


def nothing_known(one: AttackerResult) -> Message:
    """What to say in place of a figure; empty where all is known."""
    if not one.unknown:
        return Message("")
    return Message(
        "Not known: nothing is shown about what somebody who {name} believes of {people}. It may be anything up to "
        "certainty. Do not rely on it: treat them as exposed.",
        name=one.name,
        people=people(one.unknown),
    )


def few_people_share(result: AttackResult) -> Message:
    """How few people share a value, and how many there must be for a statistic."""
    return Message(
        "fewer than {people} who share a value ({each} for each value of {column}, and at least {least}, make a "
        "statistic)",
        people=people(result.enough),
        each=PER_VALUE,
        column=result.column,
        least=HANDFUL,
    )


def why_aside(one: AttackerResult, result: AttackResult) -> Message:
    """Why no headline counts an attacker, as an end of a sentence about them; empty where it does."""
    if one.few:
        return Message("these figures rest on {few}", few=few_people_share(result))
    return Message("such beliefs are right no more often than the values are frequent" if one.vain else "")


def _aside(some: Sequence[AttackerResult], result: AttackResult) -> Message:
    """Those on whom a headline does not rest, with the reason; empty without any."""
    few, vain = _apart(some, lambda one: one.few)
    reasons = []
    if few:
        rest = "{who}, whose figures rest on {few}"
        reasons.append(Message(rest, who=_named(few), few=few_people_share(result)))
    if vain:
        reasons.append(Message("{who}, right no more often than the values are frequent", who=_named(vain)))
    if not reasons:
        return Message("")
    return Message("Not counted in this: {reasons}.", reasons=Message.joined(reasons, "; and "))


def _named(some: Sequence[AttackerResult]) -> Message:
    """Attackers beside those whom a sentence counts."""
    if len(some) > NAMED:
        return Message("{number} others", number=len(some))
    return Message.joined((Message("somebody who {name}", name=one.name) for one in some), " and ")


def problem(result: AttackResult) -> Message:
    """Why nobody should sign this, in a few words; empty where nothing is in the way."""
    if result.contradicted is not None:
        return Message("the release is not what it is said to be, as {column} shows", column=result.column)
    return Message("the promise about {column} is not kept", column=result.column) if result.broken else Message("")


# one attacker


def reading(one: AttackerResult, result: AttackResult) -> Message:
    """How to read the figures of this attacker: how sure, and of one with statistics first how often right."""
    return _sentences([part for part in (rightly_words(one, result), _sureness(one, result)) if part])


def rightly_words(one: AttackerResult, result: AttackResult) -> Message:
    """How often an attacker with statistics is right; empty where that is not known, or a line of the table says it."""
    found = one.rightly
    if found is None or in_table(one, result):
        return Message("")
    column = Message("the most frequent value alone {right}", right=Share(found.right_column, 1))
    without: Message | str = ""
    if found.right_alone is not None and found.mean_alone is not None:
        without = Message(
            "from all groups but the person's own {right} ({mean}), "
            if one.learns
            else "without the release {right} ({mean}), ",
            right=Share(found.right_alone, 1),
            mean=Share(found.mean_alone, 1),
        )
    parts = [
        Message(
            "Best guesses{by} are right for {right} of {people} (mean probability of the truth {mean}), "
            "{without}{column}.",
            by=Message(" by {columns}", columns=" and ".join(one.who.columns)) if one.who.columns else "",
            right=Share(found.right, 1),
            people=people(found.people),
            mean=Share(found.mean, 1),
            without=without,
            column=column,
        )
    ]
    if any(above.people for above in filter(None, found.above)):
        without = "from all groups but the person's own" if one.learns else "without the release"
        parts.append(above_words(found, result, Message("That attacker is"), without))
    return _sentences(parts)


def _sureness(one: AttackerResult, result: AttackResult) -> Message:
    """How to read the largest figure of this attacker in one sentence."""
    if one.unknown:
        return nothing_known(one)
    about = {"column": result.column, "most": Probability(one.max_risk, "about" if one.most.by_lot else "")}
    sure = Message("They are surest of one person's {column} with probability {most}", **about)
    if result.limit is None:
        return Message("{sure}; counting alone gives {count}.", sure=sure, count=Probability(one.by_count))
    limit: Probability | Message = Probability(result.limit)
    if result.larger is not None:
        limit = Message("what is promised of them ({limit}{or_share})", limit=limit, or_share=_or_share(result))
    if one.exceeds is None and one.standing is not None:
        told = "{sure}; that nobody is above {limit} is not shown: {why}."
        return Message(told, sure=sure, limit=limit, why=Message(one.standing.why))
    if not one.may_exceed and result.larger is not None:
        return Message("{sure}; nobody is above {limit}.", sure=sure, limit=limit)
    if not one.may_exceed:
        return Message("{sure}, which is not more than {limit}: nobody is above {limit}.", sure=sure, limit=limit)
    times = Message(", {times} times {limit}:", times=f"{one.multiple:.3g}", limit=limit)
    return Message(
        "{sure}{times} {people} {are} above {limit}{before}.",
        sure=sure,
        times=times if result.larger is None else ";",
        limit=limit,
        people=people(one.above),
        are="is" if one.above == 1 else "are",
        before=Message(", {before}", before=already_before(one)) if one.before else "",
    )


def learned_from(one: AttackerResult, result: AttackResult) -> Message | None:
    """What an attacker who guesses learned from; None for one who reasons from the release alone."""
    whole = Message("{rows} in {groups}", rows=Count(result.rows, "row"), groups=Count(result.groups, "group"))
    if one.drawn is not None:
        drawn, groups = people(one.drawn[0]), Count(one.drawn[1], "group")
        lot = "the release itself: {drawn} in {groups}, drawn by lot of {whole}, by naive Bayes"
        return Message(lot, drawn=drawn, groups=groups, whole=whole)
    if one.learns:
        return Message("the release itself: {whole}, by naive Bayes", whole=whole)
    columns = " and ".join(one.who.columns)
    if one.sharing is not None:
        each = people(one.sharing)
        return Message("the true table, by {columns} (about {each} each)", columns=columns, each=each)
    return Message("given statistics by {columns}", columns=columns) if one.guesses else None


def measured_on_the_truth(some: Iterable[AttackerResult]) -> Message:
    """What must be read next to the figures of those who know a distribution that was measured on the true table."""
    measured = [one for one in some if one.sharing is not None]
    if not measured:
        return Message("")
    return Message(
        "Learned from the true table; people for each value, about: {each}. Of values that fewer than {few} have, it "
        "is nearly their secret itself.",
        each=", ".join(f"{one.sharing:,} by {' and '.join(one.who.columns)}" for one in measured),
        few=people(HANDFUL),
    )


def how_right(one: AttackerResult, result: AttackResult) -> Message:
    """What must be read next to the figures of an attacker who guesses: the source, and how often it is right."""
    source, right = learned_from(one, result), rightly_words(one, result)
    if source is None or one.sharing is not None:  # what those who measured learned from is told together
        return right
    parts = [Message("Learned from {source}.", source=source)]
    if right:
        parts.append(right)
    elif one.accuracy is None:
        parts.append(Message("How often it is right is not known without the true table ({truth}).", truth=TRUTH))
    elif one.rightly is None:
        hits = "Guesses right for {share} of people; the most frequent value alone: {guessed}."
        parts.append(Message(hits, share=Share(one.accuracy), guessed=Share(result.guessed)))
    return _sentences([*parts, *([Message(WARNING)] if one.learns else [])])


def sampled(one: AttackerResult) -> Message:
    """The estimate beside the bound, for an attacker whose worlds were sampled; empty where none were."""
    if not one.sampled_some:
        return Message("")  # of some people nothing is known, which a note says
    low, high = Probability(one.most.low), Probability(one.most.value)
    known = one.most.low < one.most.value
    between = Message("from {low} to {high}", low=low, high=high) if known else Message("the interval of a person")
    return Message(
        "Sampled: {between}, with confidence {confidence}; people counted above by the lower end surely are, by the "
        "upper end may be.",
        between=between,
        confidence=f"{one.most.confidence:g}",
    )


def tied(tie: Tie | None, shown: int) -> Message:
    """How many groups share the largest belief where they are more than one; empty otherwise, or where it is unknown.

    >>> tied(Tie(0.5, 3, 3, 3), 2)
    'The largest belief, 0.5, is the same in 3 of 3 groups; 2 of them are shown, none is worse than another.'
    """
    if tie is None:
        return Message("")
    some = Message("{shown} of them are shown", shown=f"{shown:,}")
    apart = "groups" if tie.told_apart == tie.groups else "groups that a reader can tell apart"
    return Message(
        "The largest belief, {most}, is the same in {tied} of {told_apart} {groups}; {those}, none is worse than "
        "another.",
        most=Probability(tie.belief),
        tied=f"{tie.tied:,}",
        told_apart=f"{tie.told_apart:,}",
        groups=apart,
        those=Message("all are shown") if tie.tied <= shown else some,
    )


def published_alike(several: int) -> Message:
    """That a group is one of several published alike; empty where it is not."""
    return Message("one of {several} groups published alike", several=f"{several:,}") if several > 1 else Message("")


def groups_counted(result: AttackResult) -> Message:
    """Which groups classic attacks count, in a sentence; empty where there is but one way to count."""
    if result.made == result.told_apart:
        return Message("")
    return Message(
        "Counted by the {made} groups that the method made, as if they could be told apart. What the published table "
        "itself satisfies is counted by the {read} groups that a reader can tell apart, so that figures of the same "
        "kind differ.",
        made=f"{result.made:,}",
        read=f"{result.told_apart:,}",
    )


def warning_of(finding: Finding) -> str | None:
    """What must be read next to a classic attack on several releases, of which no promise speaks."""
    return WARNING if finding.attack == "composition" else None


def who_is_it(one: AttackerResult) -> Message:
    """What such a person does, and how their figure is to be read."""
    who = Message(KINDS[one.kind].who)
    return Message.joined([who, MISTAKEN], " ") if one.coverage == "mistaken" else who
