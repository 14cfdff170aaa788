"""Every adversary that applies to a release, side by side: how much each believes, who is exposed, and why.

An adversary that cannot run is listed with what it lacks. That never counts as safety.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.adversary import Adversary, Distribution, Learned
from pellucid.attacking.classic import classic_attacks
from pellucid.attacking.classic.finding import Finding
from pellucid.attacking.evidence import Evidence, Gathered
from pellucid.attacking.evidence.gather import gather
from pellucid.attacking.evidence.given_tables import KnownPeople
from pellucid.attacking.evidence.how_made import required_by
from pellucid.attacking.evidence.published_alike import alike_note
from pellucid.attacking.inference.beliefs import Beliefs
from pellucid.attacking.inference.believe import believe
from pellucid.attacking.inference.by_worlds import Contradicted
from pellucid.attacking.telling.guarantee_coverage import KINDS, Judged, Kinds, judged_by, kind_of
from pellucid.attacking.verdict import Verdict, verdict_of, verdict_of_all
from pellucid.errors import AttackError, Cancelled, PellucidError
from pellucid.group import Grouping, Method
from pellucid.model import PrivacyModel
from pellucid.notebook import line, table, view
from pellucid.patience import Patient, TooLong, at_most
from pellucid.posterior.exclusion import BUDGET, Impossible
from pellucid.progress import SILENT, Progress
from pellucid.recode.recoder import RowRecoder
from pellucid.schema import Kind, Role, Roles
from pellucid.table import Table
from pellucid.text.figures import probability
from pellucid.text.values import label_of

WARNING = "Transparency does not stop learning or composition."
NAMES: dict[Kinds, str] = {
    "nothing": "knows only the release",
    "minimality": "knows minimality",
    "algorithm": "knows the algorithm",
    "learned": "learns from the release",
    "distribution": "knows the distribution by a quasi-identifier",
}
MOST_SCORED = 200_000  # people whose best guess is compared with the truth
SHOWN = 4  # values of a group in words


@dataclass(frozen=True, eq=False)
class Attempt:
    """One adversary's beliefs about everybody, and the figures that a report tells of them.

    ``risk`` is the safe figure of each person: the upper bound where the engine gives bounds. ``bound`` is the 1/l that
    the figures are compared with, None where the model has no l. ``accuracy`` is how often the best guess is right,
    scored after the inference; None without the truth.
    """

    beliefs: Beliefs
    bound: float | None
    accuracy: float | None = None
    rows: Evidence | None = None

    @property
    def name(self) -> str:
        """The adversary in a few words."""
        return self.beliefs.adversary.name

    @property
    def kind(self) -> Kinds:
        """Which of the kinds it is."""
        return kind_of(self.beliefs.adversary)

    @property
    def risk(self) -> NDArray[np.float64]:
        """The safe figure of each person."""
        return self.beliefs.risk if self.beliefs.upper is None else self.beliefs.upper

    @cached_property
    def max_risk(self) -> float:
        """The largest safe figure of anybody."""
        return min(1.0, float(self.risk.max(initial=0.0)))

    @property
    def interval(self) -> tuple[float, float, float]:
        """Lower bound, figure and upper bound of one person: the one with the largest upper bound."""
        beliefs = self.beliefs
        if not len(beliefs.risk):
            return 0.0, 0.0, 0.0
        row = beliefs.most_exposed
        figure = min(1.0, float(beliefs.risk[row]))
        low = figure if beliefs.lower is None else float(beliefs.lower[row])
        return low, figure, self.max_risk

    @property
    def written(self) -> str:
        """The largest figure as a reader should take it: an estimate has a ``~`` and the interval of that person."""
        beliefs = self.beliefs
        if not beliefs.sampled or beliefs.lower is None or beliefs.upper is None:
            return probability(self.max_risk)
        low, figure, high = self.interval
        if high >= 1 and low <= 0:
            return "not shown"
        told = [probability(one) for one in (low, figure, high)]
        return told[0] if len(set(told)) == 1 else f"~{told[1]} ({told[0]} to {told[2]})"

    @property
    def multiple(self) -> float | None:
        """How many times 1/l that is."""
        return None if self.bound is None else self.max_risk / self.bound

    @property
    def baseline(self) -> float:
        """The largest belief by frequency alone."""
        return float(self.beliefs.baseline.max(initial=0.0))

    @cached_property
    def above(self) -> NDArray[np.int64]:
        """The people of whom more than 1/l is, or may be, believed; differences below a billionth are rounding."""
        return np.zeros(0, np.int64) if self.bound is None else self.beliefs.vulnerable(self.bound)

    @cached_property
    def surely_above(self) -> NDArray[np.int64]:
        """Those of them of whom it is believed by the lower bound too."""
        return np.zeros(0, np.int64) if self.bound is None else self.beliefs.vulnerable(self.bound, surely=True)

    @property
    def people(self) -> int:
        """How many people are, or may be, in the table: in a group, or suppressed and so taken as exposed."""
        return int((self.beliefs.evidence.inside | (self.risk > 0)).sum())

    @property
    def share_above(self) -> float | None:
        """Their share of the people who are, or may be, in the table."""
        people = self.people
        return None if self.bound is None or not people else len(self.above) / people

    @property
    def average_above(self) -> float | None:
        """The average belief about them."""
        return float(self.risk[self.above].mean()) if len(self.above) else None

    @property
    def exceeds(self) -> bool | None:
        """Whether more than 1/l is, or may be, believed of anybody; None where there is no l."""
        return None if self.bound is None else len(self.above) > 0

    @cached_property
    def standing(self) -> Verdict | None:
        """Whether nobody is above 1/l: this, and no figure, says that it holds; None where there is no l."""
        return None if self.bound is None else verdict_of(self.beliefs, self.bound)

    @property
    def warning(self) -> str | None:
        """What must be read next to the figure."""
        return WARNING if isinstance(self.beliefs.adversary.prior, Learned) else None

    @cached_property
    def worst(self) -> Worst:
        """The person of whom most is believed, and the group."""
        row = self.beliefs.most_exposed
        evidence = self.beliefs.evidence
        groups = evidence.groups_of(row)
        largest = evidence.largest / evidence.published.sizes
        group = max(groups, key=lambda g: float(largest[g])) if groups else None
        return Worst(
            evidence.name_of(row),
            group,
            None if group is None else int(evidence.published.sizes[group]),
            {} if group is None else described(self.rows or evidence, group),
            {} if group is None else evidence.published.of_group(group),
            self.beliefs.explain(evidence.names[row] if evidence.names is not None else row),
        )

    def by_group(self) -> NDArray[np.float64]:
        """The largest figure of anybody in each group."""
        evidence = self.beliefs.evidence
        worst = np.zeros(len(evidence.published))
        if evidence.membership is None:
            kept = evidence.grouping.labels >= 0
            np.maximum.at(worst, evidence.grouping.labels[kept], self.risk[kept])
        else:
            who = evidence.membership
            np.maximum.at(worst, who.groups, np.repeat(self.risk, np.diff(who.starts)))
        return worst

    def worst_told_apart(self, most: int) -> list[int]:
        """The groups with the largest figures, worst first; of those that are published alike one, the worst."""
        order = np.argsort(-self.by_group(), kind="stable")
        _, first = np.unique(self.beliefs.evidence.alike[order], return_index=True)
        return [int(group) for group in order[np.sort(first)][:most]]


@dataclass(frozen=True)
class Worst:
    """Whom an adversary knows best, and why: the group as far as it can be told, and the reasoning in words."""

    person: str
    group: int | None
    size: int | None
    published: dict[str, str]
    values: dict[Any, int]
    reasoning: str


@dataclass(frozen=True)
class Missed:
    """An adversary who could not be tried, and why. It says nothing about safety."""

    name: str
    why: str
    contradicts: bool = False  # the release cannot have been made as it is said to be
    kind: Kinds | None = None
    unfinished: bool = False  # whether there was no more time


@dataclass(frozen=True, eq=False, repr=False)
class AttackReport:
    """What every adversary believes about a release; made by :func:`attack_all`."""

    source: str
    evidence: Evidence
    limit: Fraction | None  # what the promise allows anybody to believe
    attempts: tuple[Attempt, ...]
    missed: tuple[Missed, ...]
    findings: tuple[Finding, ...]
    scored: bool
    notes: tuple[str, ...] = field(default=())
    guessed: float | None = None  # the share of people whose value is the most frequent one, where the truth is known
    judged: Judged = field(default=Judged())  # whom a verdict is about

    @property
    def by_guessing(self) -> float:
        """How often somebody is right who always guesses the most frequent value; without the truth, as published."""
        counts = self.evidence.published.table_counts
        return float(counts.max() / counts.sum()) if self.guessed is None else self.guessed

    @property
    def bound(self) -> float | None:
        """The limit as a number."""
        return None if self.limit is None else float(self.limit)

    @property
    def l(self) -> int | None:  # noqa: E743
        """The l of a limit of 1/l; None where it is another, or none."""
        return self.limit.denominator if self.limit is not None and self.limit.numerator == 1 else None

    @cached_property
    def max_risk(self) -> float:
        """The largest belief of any adversary about anybody."""
        return max((attempt.max_risk for attempt in self.attempts), default=0.0)

    def keeps(self, most: float | None = None) -> bool | None:
        """Whether nobody who is judged believes more than this, the limit unless given, of anybody.

        False where somebody does, None where it is not known. An adversary who is judged and could not be tried leaves
        it unknown, and so does a release that is not what it is said to be.
        """
        return self.standing(most).holds

    def standing(self, most: float | None = None) -> Verdict:
        """The same with the reason, where it is not known."""
        most = self.bound if most is None else most
        if most is None:
            raise AttackError(
                "the release promises no bound on what is believed; say how much may be believed, as in standing(1/4)"
            )
        tried = [verdict_of(one.beliefs, most) for one in self.attempts if self.judges(one.kind)]
        return verdict_of_all(tried, missed=len(self.open))

    def judges(self, kind: Kinds | None) -> bool:
        """Whether a verdict is about adversaries of this kind; of what is not said to be of any, it is."""
        return kind is None or kind in self.judged.kinds

    @property
    def open(self) -> list[str]:
        """Those who are judged and of whom nothing is known: who could not be tried, and who was not."""
        known: list[Kinds | None] = [*(one.kind for one in self.attempts), *(one.kind for one in self.missed)]
        missed = [one.name for one in self.missed if self.judges(one.kind) or one.contradicts]
        return missed + [NAMES[kind] for kind in self.judged.kinds if kind not in known and None not in known]

    def __repr__(self) -> str:
        tried = ", ".join(f"{attempt.name} {probability(attempt.max_risk)}" for attempt in self.attempts)
        return f"AttackReport({self.source}: {tried}; {len(self.missed)} could not be tried)"

    def _repr_html_(self) -> str:
        """The figures of every adversary; nobody is named."""
        heads = [
            "somebody who",
            "most believed",
            "by frequency",
            *([f"people above {self.limit}"] if self.limit else []),
        ]
        rows = [
            [
                one.name,
                probability(one.max_risk),
                probability(one.baseline),
                *([f"{len(one.above):,}"] if self.limit else []),
            ]
            for one in self.attempts
        ]
        missed = [line(f"Not tried, which says nothing about safety: {one.name} ({one.why})") for one in self.missed]
        return view(table(heads, rows), *missed)


def attack_all(
    release: Any,
    *,
    truth: Any = None,
    population: Any = None,
    made_by: Method | None = None,
    schema: Any = None,
    quasi: Sequence[str] | str | None = None,
    sensitive: str | None = None,
    identifier: str | None = None,
    group: str | None = None,
    model: PrivacyModel | None = None,
    groups: Any = None,
    adversaries: Sequence[Kinds] | None = None,
    classic: bool = True,
    budget: int = BUDGET,
    patience: float | None = None,
    progress: Progress = SILENT,
) -> AttackReport:
    """Every adversary that applies to a release; takes what :func:`pellucid.attack` takes.

    Somebody who knows nothing of the method, minimality, the algorithm; who learns from the release; and, where the
    truth is given, who knows how values depend on each single quasi-identifier. Then the classic attacks. Each may
    take ``patience`` seconds. The verdict of the report (:meth:`AttackReport.standing`) is about those whom the
    promise covers (:mod:`pellucid.attacking.telling.guarantee_coverage`), or, where ``adversaries`` names some, about
    these.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Hybrid(l=2), **roles)
    >>> report = attack_all(release, truth=pc.datasets.patients(), adversaries=["nothing", "algorithm"], **roles)
    >>> [(attempt.name, attempt.max_risk, attempt.exceeds) for attempt in report.attempts]
    [('knows only the release', 0.5, False), ('knows the algorithm', 0.5, False)]
    >>> report.standing().standing.value
    'holds'
    """
    for kind in adversaries or ():
        if kind not in KINDS:
            raise AttackError(f"there is no adversary {kind!r}; choose among {', '.join(KINDS)}")
    roles = Roles(schema, quasi, sensitive, identifier, group=group)
    people = KnownPeople(truth, population, groups)
    found = gather(release, roles, people, made_by=made_by, model=model, progress=progress)
    how: dict[str, Any] = {"classic": classic, "budget": budget, "patience": patience, "progress": progress}
    return attack_gathered(found, adversaries=adversaries, **how)


def attack_gathered(
    found: Gathered,
    *,
    adversaries: Sequence[Kinds] | None = None,
    classic: bool = True,
    budget: int = BUDGET,
    patience: float | None = None,
    progress: Progress = SILENT,
) -> AttackReport:
    """The same of what was gathered already."""
    evidence = found.evidence
    judged = judged_of(found, adversaries)
    adversaries = KINDS if adversaries is None else adversaries
    limit = promised(evidence)
    attempts: list[Attempt] = []
    missed: list[Missed] = []
    if "distribution" in adversaries and (found.truth is None or evidence.anonymous):
        lacking = "it is measured on the true table; give that as truth="
        missed.append(Missed(NAMES["distribution"], lacking, kind="distribution"))
    who = applying(found, adversaries)
    for number, adversary in enumerate(who):
        one = _tried(found, adversary, budget, patience, Patient(progress, told(number, who), patience))
        if isinstance(one, Missed):
            missed.append(one)
        else:
            beliefs, right = one
            attempts.append(Attempt(beliefs, None if limit is None else float(limit), right, found.rows))
    findings: list[Finding] = []
    late: tuple[str, ...] = ()
    if classic:
        known = None if found.truth is None or (found.truth < 0).any() or found.rows is not None else found.truth
        try:
            with at_most(patience):
                findings = classic_attacks(found.rows or evidence, truth=known, progress=progress)
        except TooLong:
            late = (f"the classic attacks were {not_done(patience)}",)
    scored = found.truth is not None
    notes = (*evidence.notes, *alike_note(evidence), *late)
    tried, not_tried, ran = tuple(attempts), tuple(missed), tuple(findings)
    guessed = share_of_most_frequent(evidence, found.truth)
    return AttackReport(found.name, evidence, limit, tried, not_tried, ran, scored, notes, guessed, judged)


def judged_of(found: Gathered, asked: Sequence[Kinds] | None) -> Judged:
    """Whom a verdict is about: those asked for, else those whom the promise of the release covers."""
    method = found.evidence.method
    name, claim = ("", None) if method is None else (method.name, method.claim)
    return judged_by(found.promise, name, claim, asked)


def told(number: int, who: Sequence[Adversary]) -> str:
    """One of several attackers, for whoever waits."""
    return f"attacker {number + 1} of {len(who)}, who {who[number].name}"


def _tried(
    found: Gathered, adversary: Adversary, budget: int, patience: float | None, progress: Progress
) -> tuple[Beliefs, float | None] | Missed:
    """What one adversary believes, and how often it is right; or why that is not known."""
    kind = kind_of(adversary)
    try:
        with at_most(patience):
            beliefs = believe(found, adversary, budget=budget, progress=progress)
            return beliefs, accuracy(beliefs, found.truth)
    except TooLong:
        return Missed(adversary.name, not_done(patience), kind=kind, unfinished=True)
    except Cancelled:
        raise
    except PellucidError as wrong:
        return Missed(adversary.name, str(wrong), isinstance(wrong, Contradicted | Impossible), kind)


def not_done(patience: float | None) -> str:
    """What to say of an attack that took too long."""
    return f"not done after {patience:g} seconds; allow more with patience="


def applying(found: Gathered, kinds: Sequence[Kinds]) -> list[Adversary]:
    """The adversaries of these kinds; distributions are measured on the truth, so without it there are none."""
    who: list[Adversary] = []
    for kind in KINDS:
        if kind not in kinds:
            continue
        if kind == "learned":
            who.append(Adversary(prior=Learned()))
        elif kind == "distribution":
            if found.truth is not None and not found.evidence.anonymous:
                people = found.evidence.people
                quasi = [people.attributes[i].name for i in people.having(Role.QUASI)]
                who += [Adversary(prior=Distribution(name)) for name in quasi]
        else:
            who.append(Adversary(knows=kind))
    return who


def promised(evidence: Evidence) -> Fraction | None:
    """The most that may be believed: as the method promises it, or as the model that is named bounds it.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> for asked in ("l-diversity=2", "distinct l-diversity=2"):
    ...     release = pc.publish(pc.datasets.patients(), pc.Tailor(model=asked), **roles)
    ...     print(pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["nothing"], **roles).limit)
    1/2
    None
    """
    method, model = evidence.method, evidence.model
    if method is not None and (model is None or model == required_by(method, evidence.attribute.name)):
        return method.promised
    return None if model is None else model.largest_share


def share_of_most_frequent(evidence: Evidence, truth: NDArray[np.int32] | None) -> float | None:
    """How many of the people in the table have the value that is published most often; None without the truth."""
    if truth is None:
        return None
    scored = truth[(truth >= 0) & evidence.inside]
    return float((scored == evidence.published.table_counts.argmax()).mean()) if len(scored) else None


def accuracy(beliefs: Beliefs, truth: NDArray[np.int32] | None) -> float | None:
    """How often the best guess about somebody in the table is right; scored after the inference."""
    if truth is None:
        return None
    evidence = beliefs.evidence
    scored = np.flatnonzero((truth >= 0) & evidence.inside)
    if not len(scored) or len(scored) > MOST_SCORED:
        return None
    right = 0
    for row in scored.tolist():
        posterior = beliefs.posterior_of(row)
        if posterior:
            guess = max(posterior, key=lambda value: posterior[value])
            right += guess == evidence.values[int(truth[row])]
    return right / len(scored)


def described(evidence: Evidence, group: int) -> dict[str, str]:
    """What is published of a group, column by column; of a release of others, what its people have in common."""
    people, members = evidence.people, evidence.members(group)
    columns = people.having(Role.QUASI) if len(members) else ()
    origin = evidence.origin
    if origin is not None and isinstance(origin.recoder, RowRecoder) and not evidence.anonymous:
        return {people.attributes[i].name: _published(origin.recoder, evidence, i, members) for i in columns}
    return {people.attributes[i].name: _in_common(people, i, members) for i in columns}


def _published(recoder: RowRecoder, evidence: Evidence, column: int, members: NDArray[np.int32]) -> str:
    """The cell of a group: recoded once more, alone, for it depends on nothing else."""
    people, levels = evidence.people, evidence.grouping.levels
    alone = Grouping(members.copy(), np.array([0, len(members)], np.int64), len(people), levels=levels)
    spelled = recoder.spell_column(people, column, alone, 1)
    cells = [part[int(spelled.ranks[0])] for part in spelled.columns]
    texts = ["null" if cell is None else label_of(cell) for cell in cells]
    if len(texts) > 1:  # the ends of an interval are columns of their own
        span = texts[0] if texts[0] == texts[1] else f"[{texts[0]}, {texts[1]}]"
        return f"{span} or null" if "some" in texts[2:] else span
    return texts[0]


def _in_common(people: Table, column: int, members: NDArray[np.int32]) -> str:
    """A value, an interval or a set."""
    attribute = people.attributes[column]
    codes = np.unique(people.codes[column][members])
    values = ["null" if value is None else label_of(value) for value in attribute.values[codes.tolist()].to_list()]
    if len(values) == 1:
        return values[0]
    if attribute.kind is Kind.CATEGORY:
        more = f", and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
        return "{" + ", ".join(values[:SHOWN]) + more + "}"
    return f"[{values[0]}, {values[-1]}]"
