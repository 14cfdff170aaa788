"""What an attack found, as data: one record for each attacker, and one for the whole, which every surface renders.

**Why.** The command line, JSON, the private report, the page, ``compare`` and notebooks tell the same facts. So the
facts are worked out here, once, from an :class:`~pellucid.risk.report.attack_report.AttackReport`, which holds the
beliefs about everybody. A record has no rows of the table: it is frozen, small, and can be pickled.

**What is in it.** An :class:`AttackerResult` has who attacks (kind, columns, whether the promise covers them, whether a
verdict is about them); the :class:`Largest` belief with how exact it is; counting alone; people above the promise's
bound, surely and perhaps, and of how many that was so before; how often guesses are right; how bounds stand, with the
reason; whether a headline may rest on it; engine, notes, warnings. Where they are asked for: the person known best, the
worst groups and the bars of a histogram. An :class:`AttackResult` has the attackers, who could not be tried, classic
findings, parted clusters, how often guesses are right, and the bounds: the promise's (``limit``) and, where somebody
asked for one, that (``bound``).

**What is not in it.** Sentences: they are Messages with typed values, all made in
:mod:`pellucid.risk.report.sentences`. And no public page gets a record: :class:`Worst` names people.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.disclosure.one_tells_another import Told
from pellucid.core.guessing import COVERED_BY_NONE, Guessing
from pellucid.errors import AttackError
from pellucid.risk.adversary import Learned, prior_name
from pellucid.risk.adversary_kinds import KindName
from pellucid.risk.attacks.finding import Finding
from pellucid.risk.exactness import Exactness
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.report.attack_report import AttackReport, Attempt, Missed, Who, Worst
from pellucid.risk.report.baseline_risk import most_gained, newly_above
from pellucid.risk.report.guarantee_coverage import Coverage, Judged, coverage, kinds_covered, statistics_covered
from pellucid.risk.report.guessing import guessing_of
from pellucid.risk.report.headline import enough, few_people, sharing, supported, telling, told_most, worth_nothing
from pellucid.risk.report.parted_clusters import PartedClusters
from pellucid.risk.report.rightly import Rightly, Statistic
from pellucid.risk.report.undecided import surely_exceeds, unknown_people
from pellucid.risk.report.worst_groups import Tie, WorstGroup, tie_of, worst_groups
from pellucid.risk.verdict import ROUNDING, BoundVerdict, certain_of_somebody, lower_ends, surely_above, verdict_of
from pellucid.risk.views.equivalence_classes import told_apart
from pellucid.risk.views.how_made import described
from pellucid.risk.views.reader_view import told_who
from pellucid.risk.views.strata_again import fixed_by_strata

State = Literal["kept", "weak", "open", "broken"]  # of the promise
Bound = Literal["", "at most", "about"]


@dataclass(frozen=True)
class Largest:
    """The most that is believed of anybody, and how exact that is.

    ``value`` is the safe figure: nobody is above it unless it is an estimate (``by_lot``). Where worlds were
    ``sampled``, ``low`` and ``figure`` are those of the person with the largest upper bound, ``value``.
    """

    value: float
    figure: float
    low: float
    bounded: bool = False
    sampled: bool = False
    by_lot: bool = False
    estimated: bool = False  # between bounds
    interval: bool = False  # whether the interval of that person says more than the figure
    nothing: bool = False  # of that person anything between 0 and 1 may be believed
    confidence: float = 1.0

    @classmethod
    def of(cls, attempt: Attempt) -> Largest:
        """The largest figure of an attempt."""
        beliefs, (low, figure, value) = attempt.beliefs, attempt.interval
        above = beliefs.upper is not None and attempt.max_risk > beliefs.max_risk * (1 + 1e-9)
        return cls(
            value=value if len(beliefs.counted) else attempt.max_risk,
            figure=figure,
            low=low,
            bounded=above or beliefs.exactness is Exactness.BOUND,
            sampled=beliefs.sampled,
            by_lot=beliefs.by_lot,
            estimated=attempt.estimated,
            interval=attempt.has_interval,
            nothing=attempt.estimated and value >= 1 and low <= 0,
            confidence=beliefs.confidence,
        )

    @property
    def kind(self) -> Bound:
        """How the value is to be read."""
        return "about" if self.by_lot else "at most" if self.bounded else ""


@dataclass(frozen=True)
class Larger:
    """Of how many people the promise allows more than its limit, the share in their stratum, and the largest such."""

    people: int
    share: float


@dataclass(frozen=True)
class AttackerResult:
    """What one attacker found; people are counted against ``bound``, what the promise allows.

    - ``above`` may be above it, ``surely`` certainly are, ``before`` were already before the release;
    - ``telling`` are those whom a headline counts, ``headline`` is the largest belief that it may tell, ``gained`` the
      largest about anybody who was not above it before (:mod:`pellucid.risk.report.headline`);
    - ``few`` and ``vain`` say why no headline rests on it: figures of few people, right no more often than by chance;
    - ``exceeds`` is None where it is not known; ``may_exceed`` is by the safe figure;
    - ``unknown`` is the number of people of whom nothing is shown;
    - ``asked`` says how the bound stands that a verdict is about, ``asked_above`` how many people surely are above it,
      and how many may be; None where nobody counted them. ``certain`` is what is certainly believed of one of those
      surely above it, else of anybody, and ``allowed`` what may be believed of that person.
    """

    who: Who
    knows: str
    prior: str
    coverage: Coverage
    judged: bool
    most: Largest
    estimate: float
    certain: float
    by_count: float
    bound: float | None
    people: int
    engine: str
    exactness: Exactness
    above: int = 0
    surely: int = 0
    before: int = 0
    share_above: float | None = None
    average_above: float | None = None
    standing: BoundVerdict | None = None
    asked: BoundVerdict | None = None
    asked_above: tuple[int, int] | None = None
    allowed: float | None = None
    exceeds: bool | None = None
    accuracy: float | None = None
    rightly: Rightly | None = None
    multiple: float | None = None  # how many times what is allowed of the person
    telling: int = 0
    headline: float = 0.0
    gained: float = 0.0
    few: bool = False
    vain: bool = False
    unknown: int = 0
    unknown_all: bool = False
    sampled_some: bool = False
    told_groups: bool = False
    lacking: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    learns: bool = False
    sharing: int | None = None
    drawn: tuple[int, int] | None = None
    worst: Worst | None = None
    groups: tuple[WorstGroup, ...] = ()
    tie: Tie | None = None

    @property
    def name(self) -> str:
        """What completes "somebody who ..."."""
        return self.who.name

    @property
    def kind(self) -> KindName:
        """Which kind of attacker it is."""
        assert self.who.kind is not None  # who was tried is of one
        return self.who.kind

    @property
    def max_risk(self) -> float:
        """The largest safe figure of anybody."""
        return self.most.value

    @property
    def may_exceed(self) -> bool | None:
        """Whether more than the promise allows is, or may be, believed of anybody; None without a bound."""
        return None if self.bound is None else self.above > 0

    @property
    def newly(self) -> int:
        """How many people are, or may be, above the bound who were not before."""
        return self.above - self.before

    @property
    def carries(self) -> bool:
        """Whether a headline may rest on the figures."""
        return not self.few and not self.vain

    @property
    def guesses(self) -> bool:
        """Whether it learned what is typical, from the release or elsewhere, and does not only reason."""
        return self.prior != "uniform"


@dataclass(frozen=True)
class AttackResult:
    """What all attackers found about one sensitive column.

    ``claim`` is the guarantee that says who is covered, ``promise`` the one that comes with the release, None where
    nobody promises anything. ``bound`` is what the verdict is about: what was asked for (``required``), else ``limit``,
    what the promise allows; ``standing`` says how it stands. ``protected`` names values where the promise is about some
    and the figures are about all.
    """

    source: str
    column: str
    rows: int
    groups: int
    made: int  # groups, as the method made them
    told_apart: int  # groups, as a reader can tell them apart
    everyone: int
    inside: int
    anonymous: bool
    named: bool
    uncertain: bool  # who is in which group is not known
    counting: str  # which values count where not all do: "'s ill being 'hiv'"
    method: str | None
    parameters: Mapping[str, Any] | None
    guarantee: str | None
    model: str | None
    limit: Fraction | None
    required: Fraction | None
    standing: BoundVerdict | None
    claim: str
    promise: str | None
    judged: Judged
    attackers: tuple[AttackerResult, ...]
    missed: tuple[Missed, ...]
    open: tuple[Who, ...]  # who is judged, and nothing is known of
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    parted: PartedClusters | None
    guessing: Guessing
    guessed: float
    scored: bool
    enough: int
    protected: str
    about_all: bool  # the figures are about every value, and the promise about some
    knows_too: str = ""  # what the promise allows the attackers whom it covers to know besides
    fixed: frozenset[str] = frozenset()  # what strata fix: statistics by it are covered
    larger: Larger | None = None  # where the verdict allows more than the limit of some people
    statistics: tuple[Statistic, ...] = ()
    rest: Told | None = None  # what the other sensitive columns of a row tell of this one

    @property
    def bound(self) -> Fraction | None:
        """What the verdict is about."""
        return self.limit if self.required is None else self.required

    @property
    def line(self) -> Fraction | None:
        """The limit where it is that of everybody, as a chart can draw it."""
        return None if self.larger else self.limit

    @property
    def max_risk(self) -> float | None:
        """The largest belief of any attacker; None where nobody was tried."""
        return max((one.max_risk for one in self.attackers), default=None)

    @property
    def of_judged(self) -> tuple[AttackerResult, ...]:
        """Those whom the verdict is about."""
        return tuple(one for one in self.attackers if one.judged)

    def of(self, covered: Coverage) -> tuple[AttackerResult, ...]:
        """Those who are covered, mistaken, or outside."""
        return tuple(one for one in self.attackers if one.coverage == covered)

    @property
    def contradicted(self) -> str | None:
        """Why the release cannot have been made as it is said to be; None where nothing says so."""
        return next((one.why for one in self.missed if one.contradicts), None)

    @property
    def broken(self) -> bool:
        """Whether somebody whom the promise covers certainly believes more than it allows.

        Neither a bound from above nor an approximation says so.
        """
        fails = (one.standing is not None and one.standing.holds is False for one in self.of("covered"))
        return not self.about_all and any(fails)

    def _lacks(self, missed: Missed) -> bool:
        """Whether statistics that the promise covers could not be tried; all of them where none is named."""
        if not missed.columns:
            return missed.unfinished
        return statistics_covered(self.claim, missed.columns, self.fixed)

    def state(self, waiting: Collection[KindName] = ()) -> State:
        """Whether the promise is kept: ``kept`` only where all whom it covers were tried and shown to stay within it.

        Nobody was tried, somebody is still ``waiting``, or a figure shows nothing by itself: ``open``. ``weak`` is a
        promise that does not cover whoever knows the method.
        """
        if self.broken:
            return "broken"
        covered = kinds_covered(self.claim, self.fixed)
        missed = [one for one in self.missed if one.kind != "distribution" or self._lacks(one)]
        left = {*waiting, *(one.kind for one in missed)}
        tried = self.of("covered")
        shown = tried and not covered & left and self.limit is not None and self.limit < 1
        if not shown or any(one.exceeds is not False for one in tried):
            return "open"
        return "kept" if self.claim == "algorithm" else "weak"


def require_promise(result: AttackResult, asked: object) -> None:
    """Raise where it is ``asked`` whether a promise is kept, and nobody made one."""
    if result.standing is None or (result.limit is not None and result.limit >= 1):
        told = "{asked}: the release of {method} promises no bound on what is believed of {column}; name one, as in 1/4"
        raise AttackError(told, asked=asked, method=result.method or "it", column=result.column)


def result_of(
    report: AttackReport,
    claim: str | None = None,
    protected: str = "",
    *,
    most: Fraction | None = None,
    nothing: bool = False,
    persons: bool = False,
) -> AttackResult:
    """The record of a report.

    ``claim`` is the guarantee that says who is covered, the release's own unless given; it may promise ``nothing`` all
    the same. ``protected`` names values where the promise is about some only. ``most``: a bound that was asked for.
    ``persons``: with the person whom each attacker knows best.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> found = result_of(pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["nothing"], **roles))
    >>> found.attackers[0].name, found.attackers[0].most.value, found.attackers[0].coverage, found.broken
    ('knows only the release', 0.5, 'covered', False)
    """
    evidence, method = report.evidence, report.evidence.method
    claim = (report.promise or "") if claim is None else claim
    allowed = report.allowed(most)
    return AttackResult(
        source=report.source,
        column=evidence.attribute.name,
        rows=int(evidence.published.sizes.sum()),
        groups=len(evidence.published),
        made=len(evidence.grouping),
        told_apart=told_apart(evidence),
        everyone=len(evidence.people),
        inside=int(evidence.inside.sum()),
        anonymous=evidence.anonymous,
        named=evidence.names is not None,
        uncertain=evidence.membership is not None,
        counting=evidence.counting,
        method=None if method is None else method.name,
        parameters=None if method is None else method.model_dump(mode="json", exclude_none=True),
        guarantee=None if method is None else method.claim,
        model=None if evidence.model is None else described(evidence.model),
        limit=report.limit,
        required=most,
        standing=None if allowed is None else report.standing(most),
        claim=claim,
        promise=report.promise,
        judged=report.judged,
        attackers=tuple(attacker_of(one, report, claim, allowed, person=persons) for one in report.attempts),
        missed=report.missed,
        open=tuple(dict.fromkeys(report.lacking)),
        findings=report.findings,
        notes=report.notes,
        parted=report.parted,
        guessing=guessing_of(report, COVERED_BY_NONE if nothing or not claim else claim),
        guessed=report.by_guessing,
        scored=report.scored,
        enough=enough(evidence),
        protected=protected,
        about_all=bool(protected) and evidence.protected is None,
        knows_too=method.knows_too if method is not None and report.promise == "algorithm" else "",
        fixed=report.fixed,
        larger=_larger(report.limit, allowed),
        statistics=report.statistics,
        rest=report.rest,
    )


def _larger(limit: Fraction | None, allowed: float | NDArray[np.float64] | None) -> Larger | None:
    if limit is None or not isinstance(allowed, np.ndarray):
        return None
    more = allowed[allowed > float(limit) * ROUNDING]
    return Larger(len(more), float(more.max())) if len(more) else None


def attacker_of(
    attempt: Attempt,
    report: AttackReport | None = None,
    claim: str = "",
    allowed: float | NDArray[np.float64] | None = None,
    *,
    person: bool = False,
    groups: int = 0,
) -> AttackerResult:
    """The record of one attacker, beside a report where there is one; ``groups``: with so many of the worst groups.

    ``allowed``: what the verdict allows to believe, of everybody or of each person.
    """
    beliefs, evidence = attempt.beliefs, attempt.beliefs.evidence
    unknown, adversary = unknown_people(attempt), attempt.beliefs.adversary
    known = supported(attempt)
    certain, of_them = _certain(beliefs, allowed)
    between = beliefs.lower is not None and beliefs.upper is not None and beliefs.sampled
    return AttackerResult(
        who=Who.of(adversary),
        knows=adversary.knows,
        prior=prior_name(adversary.prior),
        coverage=coverage(claim, adversary, fixed_by_strata(evidence)),
        judged=report is None or report.judges(attempt.who),
        most=Largest.of(attempt),
        estimate=beliefs.max_risk,
        certain=certain,
        by_count=attempt.baseline,
        bound=attempt.bound,
        people=attempt.people,
        above=len(attempt.above),
        surely=len(attempt.surely_above),
        before=len(attempt.above) - len(newly_above(attempt)),
        share_above=attempt.share_above,
        average_above=attempt.average_above,
        standing=attempt.standing,
        asked=None if allowed is None else verdict_of(beliefs, allowed),
        asked_above=_above(attempt, allowed),
        allowed=of_them,
        exceeds=surely_exceeds(attempt),
        accuracy=attempt.accuracy,
        rightly=attempt.rightly,
        multiple=attempt.multiple,
        telling=len(telling(attempt, known)),
        headline=told_most(attempt, known),
        gained=most_gained(attempt),
        few=few_people(attempt, known),
        vain=report is not None and worth_nothing(attempt, report),
        unknown=int(unknown.sum()),
        unknown_all=bool(unknown.any()) and bool(unknown[evidence.inside].all()),
        sampled_some=between and bool(((beliefs.lower < beliefs.upper) & ~unknown).any()),  # type: ignore[operator]
        told_groups=attempt.kind == "nothing"
        and told_who(evidence)
        and len(np.unique(evidence.alike)) < len(evidence.alike),
        engine=beliefs.engine,
        exactness=beliefs.exactness,
        lacking=beliefs.lacking,
        notes=beliefs.notes,
        learns=isinstance(adversary.prior, Learned),
        sharing=sharing(attempt),
        drawn=beliefs.drawn,
        worst=attempt.worst if person else None,
        groups=tuple(worst_groups(attempt, groups)) if groups else (),
        tie=tie_of(attempt) if groups else None,
    )


def _certain(beliefs: Beliefs, allowed: float | NDArray[np.float64] | None) -> tuple[float, float | None]:
    """What is certainly believed of somebody who is surely above what is allowed, else of anybody; what that is."""
    if not isinstance(allowed, np.ndarray):
        return certain_of_somebody(beliefs), allowed
    above = np.flatnonzero(surely_above(beliefs, allowed * ROUNDING))
    if not len(above):
        return certain_of_somebody(beliefs), float(allowed.max(initial=0.0))
    most = above[lower_ends(beliefs)[above].argmax()]
    return float(lower_ends(beliefs)[most]), float(allowed[most])


def _above(attempt: Attempt, allowed: float | NDArray[np.float64] | None) -> tuple[int, int] | None:
    if allowed is None:
        return None
    surely, may = (len(attempt.beliefs.vulnerable(allowed, surely=yes)) for yes in (True, False))
    return surely, may
