"""What attackers learn, for the file: each adversary with figure, chart, how to read it, and whom it exposes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pellucid.core.release import Release
from pellucid.errors import AttackError, Cancelled
from pellucid.messages import Message, Probability
from pellucid.messages.terms import GIVE_TABLE_AND_GROUPS, PATIENCE, TELL_GROUPS
from pellucid.reports.charts import beliefs, overview, percent
from pellucid.reports.contrast_pictures import right_picture
from pellucid.reports.opened import Given, protected_by, table_for
from pellucid.reports.pictures import Picture
from pellucid.risk.adversary_kinds import KINDS, REASONING
from pellucid.risk.attack_all import attack_all
from pellucid.risk.report.attack_report import WARNING, AttackReport, Attempt
from pellucid.risk.report.chart import worst_groups
from pellucid.risk.report.results import AttackerResult, AttackResult, result_of
from pellucid.risk.report.sentences import (
    already_before,
    groups_counted,
    merged,
    own_limits,
    problem,
    promise_status,
    reading,
    tied,
    who_is_it,
    with_missed,
)
from pellucid.risk.report.statistics_words import RightTable, limit_of, right_sentence, right_table
from pellucid.risk.report.worst_groups import tie_of
from pellucid.runtime.patience import ANY, Effort

NOT_KNOWN = Message("not known")
SCORED_WITHOUT_GROUPS = Message(
    "best guesses are scored for somebody who does not know who is in which group; whoever knows it, as a report with "
    "the groups assumes, may be right more often"
)


@dataclass(frozen=True)
class Line:
    """One attacker in the table of figures: its record, and what the page shows of it."""

    result: AttackerResult
    most: Message
    above: Message
    right: str
    read: Message
    notes: tuple[Message, ...]
    picture: Picture | None

    @property
    def before(self) -> Message:
        """What must be read beside the number of people above the bound."""
        return already_before(self.result)

    @property
    def warning(self) -> Message:
        """What must be read next to the figure."""
        return Message(WARNING) if self.result.learns else Message("")

    @property
    def how(self) -> Message:
        """What such a person does."""
        return who_is_it(self.result)


@dataclass(frozen=True)
class AttackedColumn:
    """What all adversaries found about one sensitive column, as the page shows it; its record where there is one."""

    column: str
    said: tuple[Message, ...]
    result: AttackResult | None = None
    lines: tuple[Line, ...] = ()
    overview: Picture | None = None
    not_tried: tuple[tuple[str, Message], ...] = ()
    not_run: tuple[tuple[str, Message], ...] = ()
    groups: tuple[Mapping[str, Any], ...] = ()
    groups_by: str = ""
    ties: str = ""
    notes: tuple[Message, ...] = ()
    guessing: str = ""
    right: Message = Message("")  # noqa: RUF009  (never changed)
    rights: Picture | None = None

    def problem(self, *, compared: bool) -> Message:
        """Why nobody should sign this, in a few words; empty where nothing is in the way.

        That nothing was found out is in the way where the original was ``compared``.

        >>> AttackedColumn("disease", ()).problem(compared=True)
        'nothing was found out about disease'
        """
        found = "" if self.result is None else problem(self.result)
        if found or self.lines or not compared:
            return Message(found)
        return Message("nothing was found out about {column}", column=self.column)

    @property
    def limit(self) -> Message:
        """What the promise allows, in a word or two."""
        return Message("") if self.result is None else limit_of(self.result)

    @property
    def own_limits(self) -> Message:
        """What each person's bound is, where people differ in it."""
        return Message("") if self.result is None else own_limits(self.result)

    @property
    def verdict(self) -> Message:
        """The whole in a few sentences: the same on the page and in the terminal."""
        return Message.joined(self.said, " ")

    @property
    def broken(self) -> bool:
        """Whether somebody whom the promise covers certainly believes more than it allows."""
        return self.result is not None and self.result.broken

    @property
    def protected(self) -> str:
        """What the promise is about where that is some values and the figures are about every one."""
        return self.result.protected if self.result is not None and self.result.about_all else ""

    @property
    def missed(self) -> tuple[str, ...]:
        """Those who could not be tried."""
        return () if self.result is None else tuple(one.name for one in self.result.missed)

    @property
    def right_table(self) -> RightTable | None:
        """What attackers with statistics get right."""
        return None if self.result is None else right_table(self.result)

    @property
    def counted(self) -> Message:
        """Which groups classic attacks count."""
        return Message("") if self.result is None else groups_counted(self.result)


def attack_columns(
    release: Any, given: Given, original: Any, *, identifier: str | None, groups: Any = None, effort: Effort = ANY
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
        nothing = "Nothing was found out about {column}: {why}."
        return AttackedColumn(column, (Message(nothing, column=column, why=in_both(why)),))
    protected = protected_by(given.method, report.evidence.attribute.name)
    result = result_of(report, given.claim, protected, nothing=given.nothing, persons=True)
    pairs = list(zip(report.attempts, result.attackers, strict=True))
    known = [attempt for attempt, one in pairs if not one.unknown]
    in_full = told_in_full(result.attackers)
    open_ = [SCORED_WITHOUT_GROUPS] if result.scored and result.uncertain else []
    return AttackedColumn(
        column=result.column,
        said=tuple(map(in_both, with_missed(result, promise_status(result).sentences))),
        result=result,
        lines=tuple(
            line(one, result, _picture(attempt, report, f"a{number}b{i}", vain=one.vain) if one in in_full else None)
            for i, (attempt, one) in enumerate(pairs)
        ),
        overview=overview(replace(report, attempts=tuple(known)), name=f"a{number}") if known else None,
        not_tried=_reasons((missed.name, missed.why) for missed in result.missed),
        not_run=_reasons((finding.attack, finding.reason) for finding in result.findings if not finding.ran),
        **_weakest(report, [pair for pair in pairs if not pair[1].unknown]),
        notes=tuple(map(in_both, (*result.notes, *open_))),
        guessing=in_both(result.guessing.line),
        right=in_both(right_sentence(result)),
        rights=right_picture(result, name=f"a{number}right"),
    )


def _weakest(report: AttackReport, known: Sequence[tuple[Attempt, AttackerResult]]) -> dict[str, Any]:
    """The groups about which most is believed, by whom, and how many others are as weak.

    Of those who reason about the release itself, and are not wrong about its method: what others know from elsewhere
    says little about the groups, and what somebody mistaken believes says nothing.
    """
    if not known:
        return {}
    right = [pair for pair in known if pair[1].coverage != "mistaken"]
    reasoning = [pair for pair in right if pair[1].kind in REASONING]
    some = tuple(attempt for attempt, _ in reasoning or right or known)
    strongest, groups = worst_groups(replace(report, attempts=some))
    return {
        "groups": tuple(groups),
        "groups_by": strongest.name,
        "ties": tied(tie_of(strongest), len(groups)),
    }


def _reasons(why: Iterable[tuple[str, str]]) -> tuple[tuple[str, Message], ...]:
    """What was not tried, with the reason but without what to type, for whoever reads a report cannot."""
    return tuple(merged({name: in_both(Message(text).problem) for name, text in why}).items())


def in_both(text: str) -> Message:
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
    return Message(text).with_terms(lambda term: words.get(term.name, term.python))


def told_in_full(some: Sequence[AttackerResult]) -> list[AttackerResult]:
    """Those with a chart of their own: of the many that know something by one column each, the strongest."""
    strongest: dict[str, AttackerResult] = {}
    for one in some:
        if one.kind not in strongest or one.max_risk > strongest[one.kind].max_risk:
            strongest[one.kind] = one
    return [one for one in some if not KINDS[one.kind].by_column or one is strongest[one.kind]]


def _picture(attempt: Attempt, report: AttackReport, name: str, *, vain: bool) -> Picture:
    return beliefs(attempt, report.line, name=name, vain=vain)


def line(one: AttackerResult, result: AttackResult, picture: Picture | None) -> Line:
    """One attacker, without figures that nobody knows, and with a chart where it is told and not only listed."""
    own = tuple(in_both(note) for note in one.notes if note not in result.notes)
    bound = "at most" if one.most.bounded else ""
    most = Probability(one.max_risk, " ".join(filter(None, ("about" * one.most.by_lot, bound))))
    return Line(
        result=one,
        most=NOT_KNOWN if one.unknown else Message("{most}", most=most),
        above=Message("") if one.bound is None else _above(one),
        right="" if one.accuracy is None else NOT_KNOWN if one.unknown else percent(one.accuracy),
        read=in_both(reading(one, result)),
        notes=own,
        picture=None if one.unknown else picture,
    )


def _above(one: AttackerResult) -> Message:
    """How many people are above the bound, as far as that is known."""
    if one.unknown:
        return Message("at least {number}", number=f"{one.surely:,}") if one.surely else NOT_KNOWN
    told = "{about}{number} ({share})"
    share = percent(one.share_above or 0.0)
    return Message(told, about="about " * one.most.by_lot, number=f"{one.above:,}", share=share)
