"""``pc.verify``: models of groups by the audit, and models about an adversary by attacking.

**m-confidentiality**: the largest belief of somebody who knows minimality is at most 1/m. **r-robustness**: so is that
of somebody who knows the distribution by any single quasi-identifier, or by any of the sets given as ``attributes``, at
most 1/r. **transparent l-diversity**: that of somebody who knows the algorithm is at most 1/l. **promised**: what the
release promises is kept against every attacker whom it covers. Where an engine gives
bounds, the upper bound counts. Whether that is enough to hold, :mod:`pellucid.risk.verdict` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np

from pellucid.anonymize.methods import Method
from pellucid.audit import Answers, Asking, AuditedVerdict, PublishedGroup, examine_as, look_at
from pellucid.audit.answers import Views
from pellucid.audit.protected import Values, by_column
from pellucid.core.release import Release
from pellucid.core.schema import Kind, Names, Role, Roles, Schema, as_roles, column_names
from pellucid.core.table import Attribute
from pellucid.errors import AttackError, ModelError
from pellucid.models import PROMISED, PrivacyModel
from pellucid.models.adversary import AdversaryModel, Promised
from pellucid.risk.adversary import Adversary, Distribution
from pellucid.risk.attack_all import attack_gathered
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.by_membership_chance import NoLaw
from pellucid.risk.inference.prior_in_fractions import in_fractions
from pellucid.risk.inference.require_inputs import NotKnown
from pellucid.risk.inference.select_engine import believe
from pellucid.risk.report.attack_report import described
from pellucid.risk.report.results import require_promise, result_of
from pellucid.risk.report.sentences import untried
from pellucid.risk.report.sentences import verdict as verdict_in_words
from pellucid.risk.report.timeouts import not_done, told
from pellucid.risk.verdict import verdict_of, verdict_of_all
from pellucid.risk.views import Evidence, Gathered
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople
from pellucid.runtime.arguments import several, whole_number
from pellucid.runtime.patience import ANY, Effort, Patient, TooLong, at_most
from pellucid.text.figures import probability

NEAR = 1e-9
CLOSE = 1e-6  # to a whole number: a level that may hang on rounding


def verify(  # noqa: PLR0913  (a public verb)
    source: Any,
    required: Iterable[PrivacyModel],
    *,
    roles: Roles | None = None,
    schema: Schema | str | PathLike[str] | None = None,
    quasi: Names | None = None,
    sensitive: Names | None = None,
    weight: str | None = None,
    kinds: Mapping[str, Kind | str] | None = None,
    population: Any = None,
    group: str | None = None,
    values: Values | None = None,
    together: bool = False,
    views: Views = "separate",
    exempt_suppressed: bool = False,
    threads: int | None = None,
    spark: Any = None,
    truth: Any = None,
    made_by: Method | None = None,
    identifier: str | None = None,
    attributes: int | Sequence[str | Sequence[str]] | None = None,
    support: int = 1,
    groups: Any = None,
    patience: float | None = None,
) -> Answers[AuditedVerdict]:
    """Whether a release satisfies each of the required models, with the weakest group as evidence.

    Takes what :func:`pellucid.levels` takes. With several sensitive columns there is a verdict for each; ``views`` adds
    the harmonised ones, which are much stricter. Models about an adversary (m-confidentiality, r-robustness,
    transparent l-diversity) need the people besides: ``truth`` or ``population``, ``made_by``, ``identifier`` and
    ``groups``, as :func:`pellucid.attack` takes them; they judge beliefs in ``values``, whatever the method protects,
    and without these in the values that its recipe protects. ``attributes`` are the sets of quasi-identifiers that
    r-robustness looks at, or how many at once, each single one when not given; ``support`` is how many people must look
    alike for a distribution to be known of them. ``pc.Promised()`` asks whether what the release promises of
    each person is kept. Each attacker may take ``patience`` seconds; who is not done
    shows nothing.

    >>> import pellucid as pc
    >>> frame = {"age": ["[20, 29]"] * 3 + ["[30, 39]"] * 2, "disease": ["flu", "cold", "flu", "flu", "flu"]}
    >>> import polars as pl
    >>> verdict, = pc.verify(pl.DataFrame(frame), [pc.KAnonymity(k=3)], quasi="age", sensitive="disease")
    >>> verdict.holds, verdict.level, verdict.worst.published, verdict.worst.rows.tolist()
    (False, 2, {'age': '[30, 39]'}, [3, 4])
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Hybrid(l=2), **roles)
    >>> verdict, = pc.verify(release, [pc.TransparentLDiversity(l=2)], truth=pc.datasets.patients(), **roles)
    >>> verdict.holds, verdict.level
    (True, 2)
    """
    effort = Effort(patience)  # which refuses what is no time, whether somebody attacks or not
    rule = "a list of models, as in [pc.KAnonymity(k=5)]"
    single = isinstance(required, PrivacyModel)
    asked: list[Any] = [required] if single else several(required, "required", rule, ModelError)
    known = truth is not None or population is not None or isinstance(source, Evidence)
    named = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "weight": weight}
    columns = as_roles(roles, schema=schema, kinds=kinds, group=group, **named)
    look: dict[str, Any] = {
        "population": population,
        "exempt_suppressed": exempt_suppressed,
        "threads": threads,
    }
    if not about_attackers(asked, known=known):
        return look_at(source, columns, **look, spark=spark).verify(
            asked, values=values, together=together, views=views
        )
    audit = None if isinstance(source, Evidence) else examine_as(source, columns, **look)
    people = KnownPeople(truth, population, groups)
    question = AskedValues(values, together=together, views=views)
    how = HowAttacked(made_by, attributes, effort, support)
    return verify_audit(audit, source, asked, columns, people, question, how)


def about_attackers(asked: Iterable[PrivacyModel], *, known: bool) -> list[AdversaryModel]:
    """For which models somebody has to attack: about attackers where people are ``known``, about the promise always."""
    return [one for one in asked if isinstance(one, AdversaryModel) and (known or isinstance(one, Promised))]


@dataclass(frozen=True, slots=True)
class AskedValues:
    """Of which values models are asked, each or together, and in which views of several sensitive columns."""

    values: Values | None = None
    together: bool = False
    views: Views = "separate"


@dataclass(frozen=True, slots=True)
class HowAttacked:
    """How the release was made, which sets of quasi-identifiers somebody may know, and how long an attack may take."""

    made_by: Method | None = None
    attributes: int | Sequence[str | Sequence[str]] | None = None
    effort: Effort = ANY
    support: int = 1


def verify_audit(
    audit: Asking | None,
    source: Any,
    asked: Sequence[PrivacyModel],
    roles: Roles,
    people: KnownPeople,
    question: AskedValues,
    how: HowAttacked,
) -> Answers[AuditedVerdict]:
    """The same of a release that was looked at already."""
    known = people.truth is not None or people.population is not None or isinstance(source, Evidence)
    about_adversaries = about_attackers(asked, known=known)
    verdicts: dict[int, list[AuditedVerdict]] = {}
    if question.values is not None and any(isinstance(model, Promised) for model in asked):
        raise ModelError(
            "promised is asked of the values that the release protects, and {VALUES} names others to ask about",
            "leave {VALUES} out, or require a model of them, such as transparent l-diversity=2",
        )
    for model in asked:
        if model not in about_adversaries:
            verdicts[id(model)] = _about_groups(audit, model, question)
    quasi = None if roles.quasi is None else column_names(roles.quasi)
    for column in _columns_asked(audit, source, roles) if about_adversaries else ():
        gathered = gather(source, replace(roles, quasi=quasi, sensitive=column), people, made_by=how.made_by)
        asking = _asked_about(gathered, question, audit)
        for model in about_adversaries:
            found = _kept(gathered, how) if isinstance(model, Promised) else _verdict(model, asking, how)
            verdicts.setdefault(id(model), []).append(found)
    return Answers([verdict for model in asked for verdict in verdicts[id(model)]], audit)


def _about_groups(audit: Asking | None, model: PrivacyModel, question: AskedValues) -> list[AuditedVerdict]:
    """The verdicts on a model that looks at groups alone."""
    if audit is None:
        raise ModelError("{model!r} is about a release, and evidence is given", "give the release itself", model=model)
    return list(audit.verify([model], values=question.values, together=question.together, views=question.views))


def _columns_asked(audit: Asking | None, source: Any, roles: Roles) -> list[str | None]:
    """The sensitive columns to attack: those that are named, or each; None for the only one that there is."""
    named = [] if roles.sensitive is None else column_names(roles.sensitive)
    known = () if audit is None else audit.sensitive
    if isinstance(source, Release) and not known:  # quasi-identifiers were named, and these are read as they are said
        known = tuple(source.public.recipe.names(Role.SENSITIVE))
    return [*named] or ([*known] if len(known) > 1 else [None])


def _asked_about(gathered: Gathered, question: AskedValues, audit: Asking | None) -> Gathered:
    """The same, and beliefs are judged in the values asked about; in all of a column of which none is named."""
    if question.values is None:
        if question.together:
            raise ModelError("{TOGETHER} is said of values, and none are given; name them with {VALUES}")
        return gathered
    columns: Sequence[Attribute] = () if audit is None else audit.columns
    evidence, rows = gathered.evidence, gathered.rows
    name = evidence.attribute.name
    named = by_column(question.values, columns or [evidence.attribute], together=question.together)
    asked = tuple(named.get(name, evidence.values))
    as_one = question.together and name in named
    rows = None if rows is None else replace(rows, asked=asked, asked_as_one=as_one)
    return replace(gathered, evidence=replace(evidence, asked=asked, asked_as_one=as_one), rows=rows)


def adversaries_of(
    model: AdversaryModel,
    evidence: Evidence,
    attributes: int | Sequence[str | Sequence[str]] | None = None,
    support: int = 1,
) -> list[Adversary]:
    """Whom the model is about."""
    if model.knows == "minimality" and evidence.model is None:
        about = f"{model.label} is about an attacker who knows the method, and nothing says which it is"
        raise AttackError(about, "name it with {MADE_BY}")
    if model.knows is not None:
        return [Adversary(knows=model.knows)]
    people = evidence.people
    quasi = [people.attributes[i].name for i in people.having(Role.QUASI)]
    sets: Sequence[str | Sequence[str]]
    if isinstance(attributes, int):
        most = whole_number(attributes, "attributes", ModelError, least=1)
        sets = [names for size in range(1, most + 1) for names in combinations(quasi, size)]
    else:
        sets = attributes or quasi
    return [Adversary(prior=Distribution(names, support=support)) for names in sets]


def _kept(gathered: Gathered, how: HowAttacked) -> AuditedVerdict:
    """Whether what the release promises is kept, against all whom it covers."""
    report = attack_gathered(gathered, classic=False, patience=how.effort.seconds, progress=how.effort.progress)
    result = result_of(report)
    require_promise(result, PROMISED)
    stands = report.standing()
    return AuditedVerdict(
        model=PROMISED,
        holds=stands.holds is True,
        level=None,
        required=str(result.limit),
        worst=None,
        meaning=verdict_in_words(result),
        sensitive=result.column,
        not_shown="" if stands.holds is not None else stands.why or untried(result),
    )


def _verdict(model: AdversaryModel, gathered: Gathered, how: HowAttacked) -> AuditedVerdict:
    """The verdict of the worst of the model's adversaries; where one cannot be tried, nothing is shown."""
    main = next(iter(model.directions))
    asked = int(getattr(model, main))
    try:
        tried = list(
            _tried(adversaries_of(model, gathered.evidence, how.attributes, how.support), gathered, how.effort)
        )
        worst = max(tried, key=lambda beliefs: _safe(beliefs)[0])
        most, row = _safe(worst)
        with at_most(how.effort.seconds):
            exact = _exactly(worst, gathered, most)
    except TooLong:
        return _not_shown(model, gathered, main, not_done(how.effort.seconds))
    except (NotKnown, NoLaw) as lacking:
        return _not_shown(model, gathered, main, lacking.message)
    stands = verdict_of_all([verdict_of(beliefs, Fraction(1, asked)) for beliefs in tried])
    belief = exact if exact is not None else Fraction(most)
    level = _level_of(belief, asked, rounded=exact is None)
    reached = level if stands.holds is not None else _shown_level(tried)
    evidence = worst.evidence
    return AuditedVerdict(
        model=model.label,
        holds=stands.holds is True and asked <= level,
        level=reached,
        required=asked,
        worst=_worst_group(worst, row, gathered),
        meaning=(
            f"somebody who {worst.adversary.name} believes up to {probability(float(belief))} of "
            f"anybody{_whose(evidence)}"
        ),
        exact=1 / exact if exact else None,
        parameters={main: asked},
        reached={} if reached is None else {main: reached},
        sensitive=evidence.attribute.name,
        not_shown=stands.why if stands.holds is None else "",
    )


def _tried(who: Sequence[Adversary], gathered: Gathered, effort: Effort) -> Iterator[Beliefs]:
    """What each of them believes, one after the other; raises where one takes too long."""
    for number, adversary in enumerate(who):
        patient = Patient(effort.progress, told(number, who), effort.seconds)
        with at_most(effort.seconds):
            beliefs = believe(gathered, adversary, progress=patient)
        yield beliefs


def _level_of(belief: Fraction, asked: int, *, rounded: bool) -> int:
    """The largest number that such a belief is not above one in; as many as asked where nothing is believed."""
    if not belief:
        return asked
    level = int(1 / belief)
    # a float that is 1/(level + 1) but for rounding
    return level + 1 if rounded and (level + 1) * float(belief) <= 1 + NEAR else level


def _worst_group(beliefs: Beliefs, row: int, gathered: Gathered) -> PublishedGroup | None:
    """The group of the person about whom most is believed, as it is published; None where that is not known."""
    groups, published = beliefs.evidence.groups_of(row), beliefs.evidence.published
    if not groups:
        return None
    label = groups[0]
    read = gathered.rows or gathered.evidence  # a belief may leave open who is in which group
    return PublishedGroup(label, int(published.sizes[label]), published.of_group(label), None, described(read, label))


def _shown_level(tried: Sequence[Beliefs]) -> int | None:
    """The level up to which it is shown, whoever sees the release how; None where the figures bound nothing."""
    if any(beliefs.lacking or not beliefs.exactness.sound for beliefs in tried):
        return None
    most = max(max(_safe(beliefs)[0], beliefs.at_most or 0.0) for beliefs in tried)
    return int((1 + NEAR) / most) if most else None


def _not_shown(model: AdversaryModel, gathered: Gathered, main: str, why: str) -> AuditedVerdict:
    """The verdict where an adversary could not be tried, which says nothing about safety."""
    evidence, asked = gathered.evidence, int(getattr(model, main))
    sensitive = evidence.attribute.name
    whose = _whose(evidence)
    who = adversaries_of(model, gathered.evidence)[0].name
    return AuditedVerdict(
        model=model.label,
        holds=False,
        level=None,
        required=asked,
        worst=None,
        meaning=f"what somebody who {who} believes of anybody{whose} is not known",
        parameters={main: asked},
        sensitive=sensitive,
        not_shown=why,
    )


def _whose(evidence: Evidence) -> str:
    return evidence.counting or f"'s {evidence.attribute.name}"


def _safe(beliefs: Beliefs) -> tuple[float, int]:
    """The largest risk, by its upper bound, and whose it is."""
    risk = beliefs.counted if beliefs.upper is None else beliefs.upper
    row = int(np.argmax(risk))
    return float(risk[row]), row


def _exactly(beliefs: Beliefs, gathered: Gathered, most: float) -> Fraction | None:
    """The largest risk as a fraction, where the engine has one and no bound stands in for it."""
    if beliefs.exactness is not Exactness.EXACT or beliefs.upper is not None or not most:
        return None
    again = believe(gathered, beliefs.adversary, exact=True)
    rows = np.flatnonzero(again.counted >= most * (1 - NEAR))
    near: Any = [again.posterior_of(int(row)) for row in rows]
    if not all(near):  # somebody of whom nothing is counted is taken as exposed
        return Fraction(most)
    if _in_floats(near):
        near = in_fractions(again, gathered, rows) if abs(1 / most - round(1 / most)) <= CLOSE else None
    if near is None:  # the level is that of the float, whose rounding is stated
        return None
    return max((share for posterior in near if (share := _largest(again.evidence, posterior))), default=Fraction(most))


def _in_floats(posteriors: Iterable[Mapping[Any, Any]]) -> bool:
    return any(isinstance(share, float) for posterior in posteriors for share in posterior.values())


def _largest(evidence: Evidence, posterior: Mapping[Any, Any]) -> Fraction:
    """The most that is believed in a value that counts, or in those that count as one."""
    shares = {code: Fraction(posterior[value]) for code, value in enumerate(evidence.values) if value in posterior}
    return Fraction(evidence.most_of(shares))
