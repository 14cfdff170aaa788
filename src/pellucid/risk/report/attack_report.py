"""What was found out about a release: each attempt with its figures, who could not be tried, the whole report."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.disclosure.one_tells_another import Told
from pellucid.anonymize.methods import Grouping
from pellucid.anonymize.recode.recoder import RowRecoder
from pellucid.charts.charting import Chart
from pellucid.core.schema import Kind, Role
from pellucid.core.table import Table
from pellucid.errors import AttackError
from pellucid.messages import Message
from pellucid.risk.adversary import Adversary, Distribution, Learned
from pellucid.risk.adversary_kinds import KINDS, KindName, kind_of
from pellucid.risk.attacks.finding import Finding
from pellucid.risk.inference.beliefs import Beliefs
from pellucid.risk.inference.scoring import Alone
from pellucid.risk.report.guarantee_coverage import Judged, statistics_covered
from pellucid.risk.report.parted_clusters import PartedClusters
from pellucid.risk.report.rightly import Rightly, Statistic, figures
from pellucid.risk.verdict import ROUNDING, BoundVerdict, most_allowed, verdict_of, verdict_of_all
from pellucid.risk.views import Evidence
from pellucid.risk.views.strata_again import fixed_by_strata
from pellucid.runtime.notebook import line, table, view
from pellucid.text.figures import probability
from pellucid.text.values import label_of

WARNING = Message("{LEARNING_GOES_ON}")
MOST_SCORED = 200_000  # people whose best guess is compared with the truth
SHOWN = 4  # values of a group in words


@dataclass(frozen=True, eq=False)
class Attempt:
    """One adversary's beliefs about everybody, and the figures that a report tells of them.

    ``risk`` is the safe figure of each person: the upper bound where the engine gives bounds. ``bound`` is the 1/l that
    the figures are compared with, None where the model has no l; ``own`` has what is allowed of each person, where the
    promise allows more than 1/l of some. ``accuracy`` is how often the best guess is right, scored after the inference;
    None without the truth.
    """

    beliefs: Beliefs
    bound: float | None
    accuracy: float | None = None
    rows: Evidence | None = None
    own: NDArray[np.float64] | None = None

    @property
    def name(self) -> str:
        """The adversary in a few words."""
        return self.beliefs.adversary.name

    @property
    def kind(self) -> KindName:
        """Which of the kinds it is."""
        return kind_of(self.beliefs.adversary)

    @property
    def who(self) -> Who:
        """The adversary."""
        return Who.of(self.beliefs.adversary)

    @property
    def risk(self) -> NDArray[np.float64]:
        """The safe figure of each person."""
        return self.beliefs.counted if self.beliefs.upper is None else self.beliefs.upper

    @cached_property
    def max_risk(self) -> float:
        """The largest safe figure of anybody."""
        return min(1.0, float(self.risk.max(initial=0.0)))

    @property
    def interval(self) -> tuple[float, float, float]:
        """Lower bound, figure and upper bound of one person: the one with the largest upper bound."""
        beliefs = self.beliefs
        if not len(beliefs.counted):
            return 0.0, 0.0, 0.0
        row = beliefs.most_exposed
        figure = min(1.0, float(beliefs.counted[row]))
        low = figure if beliefs.lower is None else float(beliefs.lower[row])
        return low, figure, self.max_risk

    @property
    def written(self) -> str:
        """The largest figure as a reader should take it: an estimate has a ``~`` and the interval of that person."""
        if not self.estimated:
            return self.beliefs.written(self.max_risk)
        low, figure, high = self.interval
        if high >= 1 and low <= 0:
            return "not shown"
        figures = [probability(value) for value in (low, figure, high)]
        return f"~{figures[1]} ({figures[0]} to {figures[2]})" if self.has_interval else figures[0]

    @property
    def estimated(self) -> bool:
        """Whether the largest figure is an estimate between bounds."""
        return self.beliefs.sampled and self.beliefs.lower is not None and self.beliefs.upper is not None

    @property
    def has_interval(self) -> bool:
        """Whether an estimate is told with the interval of that person, which says more than the figure."""
        low, _, high = self.interval
        bounded = not (high >= 1 and low <= 0)
        return self.estimated and bounded and len({probability(value) for value in self.interval}) > 1

    @property
    def allowed(self) -> float | NDArray[np.float64] | None:
        """What the figures are compared with: 1/l, or what is allowed of each person."""
        return self.bound if self.own is None else self.own

    @property
    def multiple(self) -> float | None:
        """How many times what is allowed that is."""
        if self.bound is None or self.own is None:
            return None if self.bound is None else self.max_risk / self.bound
        return float((self.risk[self.own > 0] / self.own[self.own > 0]).max(initial=0.0))

    @property
    def baseline(self) -> float:
        """The largest belief by frequency alone."""
        return float(self.beliefs.baseline.max(initial=0.0))

    @cached_property
    def above(self) -> NDArray[np.int64]:
        """The people of whom more than 1/l is, or may be, believed; differences below a billionth are rounding."""
        return np.zeros(0, np.int64) if self.allowed is None else self.beliefs.vulnerable(self.allowed)

    @cached_property
    def surely_above(self) -> NDArray[np.int64]:
        """Those of them of whom it is believed by the lower bound too."""
        return np.zeros(0, np.int64) if self.allowed is None else self.beliefs.vulnerable(self.allowed, surely=True)

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
    def standing(self) -> BoundVerdict | None:
        """Whether nobody is above 1/l: this, and no figure, says that it holds; None where there is no l."""
        return None if self.allowed is None else verdict_of(self.beliefs, self.allowed)

    @cached_property
    def rightly(self) -> Rightly | None:
        """What it makes of the true values; None where there is no truth, or it is open who is in which group."""
        beliefs, evidence = self.beliefs, self.beliefs.evidence
        scoring = beliefs.scoring
        if scoring is None or beliefs.guesses is None or evidence.membership is not None:
            return None
        rows = np.flatnonzero((scoring.truth >= 0) & evidence.inside)
        if not len(rows):
            return None
        shares = np.bincount(scoring.truth[rows], minlength=len(evidence.values)) / len(rows)
        alone = _of_rows(scoring.alone, rows)
        allowed = self.allowed[rows] if isinstance(self.allowed, np.ndarray) else self.allowed
        bound = None if allowed is None else (allowed, evidence.protected, evidence.as_one)
        release = (scoring.chance[rows], beliefs.guesses()[rows], self.risk[rows])
        return figures(scoring.truth[rows], shares, release, alone, bound)

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


def _of_rows(alone: Alone | None, rows: NDArray[np.int64]) -> Alone | None:
    return None if alone is None else (alone[0][rows], alone[1][rows], alone[2][rows])


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
class Who:
    """Who attacks: the name, which completes "somebody who ...", and the parts that it is made of."""

    name: str
    kind: KindName | None = None
    columns: tuple[str, ...] = ()  # by which a distribution is known
    facts: bool = False  # whether something is known of single people

    @classmethod
    def of(cls, adversary: Adversary) -> Who:
        """The parts of an adversary's name."""
        columns = adversary.prior.by if isinstance(adversary.prior, Distribution) else ()
        return cls(adversary.name, kind_of(adversary), columns, bool(adversary.facts))

    @property
    def by_column(self) -> bool:
        """Whether it is one of several of its kind, who are named together."""
        return self.kind is not None and KINDS[self.kind].by_column


@dataclass(frozen=True)
class Missed:
    """An adversary who could not be tried, and why. It says nothing about safety."""

    name: str
    why: str
    contradicts: bool = False  # the release cannot have been made as it is said to be
    kind: KindName | None = None
    unfinished: bool = False  # whether there was no more time
    columns: tuple[str, ...] = ()
    facts: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "why", Message(self.why))

    @property
    def who(self) -> Who:
        """The adversary."""
        return Who(self.name, self.kind, self.columns, self.facts)


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
    promise: str | None = None  # the guarantee that the release itself claims
    parted: PartedClusters | None = None  # clusters that were taken as several, where there may be some
    own: NDArray[np.float64] | None = None  # what the promise allows of each person, where more than the limit of some
    statistics: tuple[Statistic, ...] = ()  # what attackers with statistics get right
    rest: Told | None = None  # what the other sensitive columns of a row tell; None without any

    @property
    def by_guessing(self) -> float:
        """How often somebody is right about those published who always guesses the value that is published most often.

        Without the truth, as published. Withheld rows have no part in it: an attacker sees none of them.
        """
        counts = self.evidence.published.shown_counts
        return float(counts.max() / counts.sum()) if self.guessed is None else self.guessed

    @property
    def bound(self) -> float | None:
        """The limit as a number."""
        return None if self.limit is None else float(self.limit)

    @property
    def line(self) -> Fraction | None:
        """The limit where it is that of everybody, as a chart can draw it."""
        more = self.own is not None and bool((self.own > float(self.limit or 1) * ROUNDING).any())
        return None if more else self.limit

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

    def standing(self, most: float | Fraction | None = None) -> BoundVerdict:
        """The same with the reason, where it is not known; without ``most`` against what is promised of each person."""
        allowed = self.allowed(most)
        if allowed is None:
            raise AttackError(
                "the release promises no bound on what is believed; say how much may be believed, as in standing(1/4)"
            )
        tried = [verdict_of(attempt.beliefs, allowed) for attempt in self.attempts if self.judges(attempt.who)]
        return verdict_of_all(tried, missed=len(self.open))

    def allowed(self, most: float | Fraction | None = None) -> float | NDArray[np.float64] | None:
        """What may be believed: as asked, else of each person what is promised, else the limit."""
        if most is not None:
            return most_allowed(most)
        return self.bound if self.own is None else self.own

    @cached_property
    def fixed(self) -> frozenset[str]:
        """What strata fix, so that a promise covers statistics by it."""
        return fixed_by_strata(self.evidence)

    def judges(self, who: Who) -> bool:
        """Whether a verdict is about this adversary; of one that is not said to be of any kind, it is.

        No promise covers whoever knows facts about people, so a verdict is about them only where they are asked for.
        """
        if who.facts and not self.judged.asked:
            return False
        if who.kind is None or who.kind in self.judged.kinds:
            return True
        return not self.judged.asked and statistics_covered(self.promise, who.columns, self.fixed)

    @property
    def open(self) -> list[str]:
        """Those who are judged and of whom nothing is known: who could not be tried, and who was not."""
        return [who.name for who in self.lacking]

    @property
    def lacking(self) -> list[Who]:
        """The same with the parts of their names."""
        known: list[KindName | None] = [
            *(attempt.kind for attempt in self.attempts),
            *(attempt.kind for attempt in self.missed),
        ]
        missed = [attempt.who for attempt in self.missed if self.judges(attempt.who) or attempt.contradicts]
        untried = [kind for kind in self.judged.kinds if kind not in known and None not in known]
        return missed + [Who(KINDS[kind].name, kind) for kind in untried]

    def document(self, most: float | Fraction | None = None) -> dict[str, Any]:
        """The report for a program, as values that JSON has: all that ``pellucid attack --json`` prints but its words.

        ``standing`` in it says how the bound stands: ``most``, else the promise's, else nothing is judged. It names
        people, as the report does. docs/schemas/attack.schema.json describes the keys.

        >>> import pellucid as pc
        >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
        >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
        >>> report = pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["nothing", "algorithm"])
        >>> report.document()["standing"]["verdict"], report.document(1 / 4)["standing"]["verdict"]
        ('holds', 'fails')
        """
        from pellucid.risk.report.document import document
        from pellucid.risk.report.results import result_of

        asked = None if most is None else Fraction(most).limit_denominator()
        return document(result_of(self, most=asked, persons=True))

    def chart(self) -> Chart:
        """How much is believed of how many people, against the bound, and the worst groups; needs ``pellucid[charts]``.

        It is as private as the report: ``chart().write(folder, "attack")`` writes PNG, SVG and HTML that only you read.
        """
        from pellucid.risk.report.chart import drawn, nothing_to_draw

        chart = drawn(self)
        if chart is None:
            raise nothing_to_draw()
        return Chart(chart, private=True)

    def __repr__(self) -> str:
        tried = ", ".join(f"{attempt.name} {probability(attempt.max_risk)}" for attempt in self.attempts)
        return f"AttackReport({self.source}: {tried}; {len(self.missed)} could not be tried)"

    def _repr_html_(self) -> str:
        """The figures of every adversary; nobody is named."""
        from pellucid.risk.report.results import result_of
        from pellucid.risk.report.sentences import not_tried

        found = result_of(self)
        heads = ["somebody who", "most believed", "by frequency"]
        rows = [[one.name, probability(one.max_risk), probability(one.by_count)] for one in found.attackers]
        if found.limit is not None:
            heads.append(f"people above {found.limit}")
            rows = [[*row, f"{one.above:,}"] for row, one in zip(rows, found.attackers, strict=True)]
        return view(table(heads, rows), *map(line, not_tried(found)))


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
