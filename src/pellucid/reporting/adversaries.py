"""What attackers learn, for the file: each adversary with figure, chart, how to read it, and whom it exposes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pellucid.attacking.adversary_kinds import KINDS, REASONING
from pellucid.attacking.classic.finding import Finding
from pellucid.attacking.evidence.published_alike import counted_words
from pellucid.attacking.exactness import Exactness
from pellucid.attacking.suite import attack_all
from pellucid.attacking.telling.chart import worst_groups
from pellucid.attacking.telling.guarantee_coverage import Coverage, coverage
from pellucid.attacking.telling.guessing import guessing_of
from pellucid.attacking.telling.prior_exposure import before_words
from pellucid.attacking.telling.report import WARNING, AttackReport, Attempt
from pellucid.attacking.telling.undetermined import is_unknown, surely_exceeds, unknown_words
from pellucid.attacking.telling.words import merged, with_missed
from pellucid.attacking.telling.worst_groups import tie_words
from pellucid.errors import AttackError, Cancelled
from pellucid.guessing import COVERED_BY_NONE
from pellucid.messages import Message, Speaker
from pellucid.messages.terms import GIVE_TABLE_AND_GROUPS, PATIENCE, TELL_GROUPS
from pellucid.patience import ANY, Effort
from pellucid.release import Release
from pellucid.reporting.charts import beliefs, overview, percent
from pellucid.reporting.opened import Given, protected_by, table_for
from pellucid.reporting.pictures import Picture
from pellucid.reporting.promise_status import figures_count, standing_of
from pellucid.text.figures import probability

MISTAKEN = (
    "The method of this release does make groups coarser than they have to be, so that the assumption is wrong: the "
    "figure says how sure such a person is, not how often they are right, and it does not count against the promise."
)


UNKNOWN = "Nothing was found out"


@dataclass(frozen=True)
class Line:
    """One adversary in the table of figures."""

    name: str
    coverage: Coverage
    most: str
    by_count: str
    multiple: str
    above: str
    before: str
    right: str
    exceeds: bool | None
    how: str
    read: str
    engine: str
    notes: tuple[str, ...]
    worst: str
    picture: Picture | None
    unknown: bool = False


@dataclass(frozen=True)
class AttackedColumn:
    """What all adversaries found about one sensitive column, those whom the promise is about apart from the others."""

    column: str
    said: tuple[str, ...]
    covered: str = ""
    broken: bool = False
    protected: str = ""  # what the promise is about where that is some values and the figures are about every one
    missed: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    overview: Picture | None = None
    not_tried: tuple[tuple[str, str], ...] = ()
    classic: tuple[Mapping[str, Any], ...] = ()
    not_run: tuple[tuple[str, str], ...] = ()
    counted: str = ""
    groups: tuple[Mapping[str, Any], ...] = ()
    groups_by: str = ""
    ties: str = ""
    limit: str = ""
    scored: bool = False
    notes: tuple[str, ...] = ()
    people: int = 0
    guessing: str = ""
    contradicted: bool = False  # the release cannot have been made as it is said to be

    def problem(self, *, compared: bool) -> str:
        """Why nobody should sign this, in a few words; empty where nothing is in the way.

        That nothing was found out is in the way where the original was ``compared``.

        >>> AttackedColumn("disease", (), broken=True).problem(compared=False)
        'the promise about disease is not kept'
        >>> AttackedColumn("disease", ()).problem(compared=True)
        'nothing was found out about disease'
        """
        if self.contradicted:
            return f"the release is not what it is said to be, as {self.column} shows"
        if self.broken:
            return f"the promise about {self.column} is not kept"
        return f"nothing was found out about {self.column}" if compared and not self.lines else ""

    @property
    def verdict(self) -> str:
        """The whole in a few sentences: the same on the page and in the terminal."""
        return " ".join(self.said)


def attack_columns(
    release: Any,
    given: Given,
    original: Any,
    *,
    identifier: str | None,
    groups: Any = None,
    effort: Effort = ANY,
) -> list[AttackReport | tuple[str, str]]:
    """Attack each sensitive column; a column that cannot be attacked comes with the reason why.

    ``groups`` tells who is in which group of a release that was read from files; groups of another release are refused.
    A release in memory tells it itself; it is given with the table that it was made of, its rows in the same order.
    """
    columns = given.audit.sensitive
    how: dict[str, Any] = {"made_by": given.method, "patience": effort.seconds, "progress": effort.progress}
    if isinstance(release, Release) and original is not None:
        table = table_for(given, original, identifier, effort.progress)  # read once for all columns
        how |= {"truth": table, "strict": groups is not None}
        return [_attacked_or_why(column, release, sensitive=column, **how) for column in columns]
    how |= {"truth": original}
    how |= {"schema": given.schema, "identifier": identifier, "groups": groups, "strict": groups is not None}
    return [_attacked_or_why(column, given.source, sensitive=column, **how) for column in columns]


def _attacked_or_why(column: str, release: Any, *, strict: bool, **how: Any) -> AttackReport | tuple[str, str]:
    """What attackers learn of a column; or its name and why nothing is known, unless that is an error."""
    try:
        return attack_all(release, **how)
    except Cancelled:
        raise
    except AttackError as wrong:
        if strict:
            raise
        return column, wrong.message


def attacked(report: AttackReport | tuple[str, str], given: Given, number: int = 0) -> AttackedColumn:
    """The report of one column, as the page shows it."""
    if isinstance(report, tuple):
        column, why = report
        return AttackedColumn(column, (f"{UNKNOWN} about {column}: {in_both(why)}.",))
    return replace(_of_attempts(report, given, number), **_of_missed(report))


def _of_missed(report: AttackReport) -> dict[str, Any]:
    """Who could not be tried, and why; a release that cannot have been made as is said shows here."""
    return {
        "contradicted": any(one.contradicts for one in report.missed),
        "missed": tuple(missed.name for missed in report.missed),
        "not_tried": _reasons({missed.name: missed.why for missed in report.missed}),
    }


def _of_attempts(report: AttackReport, given: Given, number: int) -> AttackedColumn:
    """What those found who could be tried."""
    protected = protected_by(given.method, report.evidence.attribute.name)
    standing = standing_of(report, given.claim, protected)
    known = [attempt for attempt in report.attempts if not is_unknown(attempt)]
    return AttackedColumn(
        column=report.evidence.attribute.name,
        said=tuple(with_missed(report, standing.sentences)),
        covered=standing.covered,
        broken=standing.broken,
        protected="" if figures_count(report) else protected,
        lines=_lines(report, given, number),
        overview=overview(replace(report, attempts=tuple(known)), name=f"a{number}") if known else None,
        classic=tuple(classic(finding) for finding in report.findings if finding.ran),
        not_run=_not_run(report),
        counted=counted_words(report.evidence),
        **_weakest(report, known, given.claim),
        limit="" if report.limit is None else str(report.limit),
        scored=report.scored,
        notes=tuple(map(in_both, (*report.notes, *left_open(report)))),
        people=int(report.evidence.inside.sum()),
        guessing=in_both(guessing_of(report, COVERED_BY_NONE if given.nothing else given.claim).line),
    )


def _not_run(report: AttackReport) -> tuple[tuple[str, str], ...]:
    """Why classic attacks were not made."""
    return _reasons({finding.attack: finding.reason for finding in report.findings if not finding.ran})


def _lines(report: AttackReport, given: Given, number: int) -> tuple[Line, ...]:
    """The attackers as lines of a table, those who are told in full with how to read their figure."""
    in_full = told_in_full(report.attempts)
    return tuple(
        known_only(line(attempt, report, given.claim, f"a{number}b{i}", told=attempt in in_full), attempt)
        for i, attempt in enumerate(report.attempts)
    )


def _weakest_groups(
    report: AttackReport, known: Sequence[Attempt], claim: str
) -> tuple[Attempt | None, list[dict[str, Any]]]:
    """The groups about which most is believed, and by whom.

    Of those who reason about the release itself, and are not wrong about its method: what others know from elsewhere
    says little about the groups, and what somebody mistaken believes says nothing.
    """
    right = [attempt for attempt in known if coverage(claim, attempt.beliefs.adversary) != "mistaken"]
    reasoning = [attempt for attempt in right if attempt.kind in REASONING]
    if not known:
        return None, []
    return worst_groups(replace(report, attempts=tuple(reasoning or right or known)))


def _reasons(why: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What was not tried, with the reason; names with one reason together."""
    return tuple(merged({name: reason(text) for name, text in why.items()}).items())


def reason(why: str) -> str:
    """What is lacking, without what to type: whoever reads a report cannot.

    >>> reason(Message.of("needs another release of the same people", "give both to composition([first, second])"))
    'needs another release of the same people'
    """
    return in_both(Message(why).problem)


def in_both(text: str) -> str:
    """Advice for whoever makes the report, in Python or on the command line.

    >>> in_both(Message.of("who is in which group stays open", "{TELL_GROUPS}"))
    'who is in which group stays open; report again with the groups that were kept: --groups FILE, groups= in Python'
    >>> in_both(Message.of("not done after 120 seconds", "allow more with {PATIENCE}"))
    'not done after 120 seconds; allow more with --patience, patience= in Python'
    """
    again = "report again with the groups that were kept: --groups FILE, groups= in Python"
    words = {
        TELL_GROUPS.name: again,
        GIVE_TABLE_AND_GROUPS.name: again,
        PATIENCE.name: "--patience, patience= in Python",
    }
    return Speaker(lambda term: words.get(term.name, term.python)).tell(text)


def left_open(report: AttackReport) -> list[str]:
    """What best guesses are worth where it is not known who is in which group."""
    if not report.scored or report.evidence.membership is None:
        return []
    return [
        "best guesses are scored for somebody who does not know who is in which group; whoever knows it, as a report "
        "with the groups assumes, may be right more often"
    ]


def _weakest(report: AttackReport, known: Sequence[Attempt], claim: str) -> dict[str, Any]:
    """The weakest groups, by whom they are, and how many others are as weak."""
    strongest, groups = _weakest_groups(report, known, claim)
    if strongest is None:
        return {"groups": tuple(groups), "groups_by": "", "ties": ""}
    return {"groups": tuple(groups), "groups_by": strongest.name, "ties": tie_words(strongest, len(groups))}


def told_in_full(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Those with a chart of their own: of the many that know something by one column each, the strongest."""
    strongest: dict[str, Attempt] = {}
    for attempt in attempts:
        if attempt.kind not in strongest or attempt.max_risk > strongest[attempt.kind].max_risk:
            strongest[attempt.kind] = attempt
    return [one for one in attempts if not KINDS[one.kind].by_column or one is strongest[one.kind]]


def _is_bounded(attempt: Attempt) -> bool:
    """Whether the figure bounds what is believed, and may be more than that."""
    beliefs_of = attempt.beliefs
    bounded = beliefs_of.upper is not None and attempt.max_risk > beliefs_of.max_risk * (1 + 1e-9)
    return bounded or beliefs_of.exactness is Exactness.BOUND


def _own_notes(attempt: Attempt, report: AttackReport) -> tuple[str, ...]:
    """What is noted about one adversary and not about all."""
    own = tuple(in_both(note) for note in attempt.beliefs.notes if note not in report.notes)
    return (*own, WARNING) if attempt.warning else own


def line(attempt: Attempt, report: AttackReport, claim: str, name: str, *, told: bool) -> Line:
    """One adversary, with a chart when it is ``told`` and not only listed."""
    who = KINDS[attempt.kind].who
    stands = coverage(claim, attempt.beliefs.adversary)
    about = "about " * attempt.beliefs.by_lot
    return Line(
        name=attempt.name,
        coverage=stands,
        most=f"{about}{'at most ' if _is_bounded(attempt) else ''}{probability(attempt.max_risk)}",
        by_count=probability(attempt.baseline),
        multiple="" if attempt.multiple is None else f"{attempt.multiple:.3g}",
        above="" if attempt.bound is None else f"{about}{len(attempt.above):,} ({percent(attempt.share_above or 0.0)})",
        before=before_words(attempt),
        right="" if attempt.accuracy is None else percent(attempt.accuracy),
        exceeds=surely_exceeds(attempt),
        how=f"{who} {MISTAKEN}" if stands == "mistaken" else who,
        read=reading(attempt, report),
        engine=attempt.beliefs.engine,
        notes=_own_notes(attempt, report),
        worst=attempt.worst.reasoning,
        picture=beliefs(attempt, report.limit, name=name) if told else None,
    )


def known_only(one_line: Line, attempt: Attempt) -> Line:
    """The same line without figures that nobody knows."""
    if not is_unknown(attempt):
        return one_line
    surely = len(attempt.surely_above)
    return replace(
        one_line,
        most="not known",
        multiple="",
        above="" if attempt.bound is None else f"at least {surely:,}" if surely else "not known",
        right="" if attempt.accuracy is None else "not known",
        exceeds=surely_exceeds(attempt),
        read=unknown_words(attempt),
        picture=None,
        unknown=True,
    )


def reading(attempt: Attempt, report: AttackReport) -> str:
    """How to read the figure of this adversary in one sentence."""
    name, most = report.evidence.attribute.name, "about " * attempt.beliefs.by_lot + probability(attempt.max_risk)
    sure = f"They are surest of one person's {name} with probability {most}"
    if attempt.bound is None:
        return f"{sure}; counting alone gives {probability(attempt.baseline)}."
    if surely_exceeds(attempt) is None and attempt.standing is not None:
        return f"{sure}; that nobody is above {report.limit} is not shown: {in_both(attempt.standing.why)}."
    if not attempt.exceeds:
        return f"{sure}, which is not more than {report.limit}: nobody is above {report.limit}."
    many = len(attempt.above)
    who = "1 person is" if many == 1 else f"{many:,} people are"
    before = before_words(attempt)
    also = f", {before}" if before else ""
    return f"{sure}, {attempt.multiple:.3g} times {report.limit}: {who} above {report.limit}{also}."


def classic(finding: Finding) -> dict[str, Any]:
    """A classic attack that ran."""
    return {
        "name": finding.attack,
        "story": finding.story,
        "figure": "" if finding.figure is None else probability(finding.figure),
        "measure": finding.measure,
        "baseline": "" if finding.baseline is None else probability(finding.baseline),
        "against": finding.against,
        "sentence": finding.sentence,
        "worse": finding.worse,
    }
