"""What attackers learn, for the file: each adversary with figure, chart, how to read it, and whom it exposes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pellucid.attacking.adversary import Distribution, Learned
from pellucid.attacking.before import before_sentence, before_words, most_gained, newly_above
from pellucid.attacking.chart import worst_groups
from pellucid.attacking.covering import Coverage, coverage
from pellucid.attacking.finding import Finding
from pellucid.attacking.settling import KEPT
from pellucid.attacking.suite import WARNING, AttackReport, Attempt, attack_all
from pellucid.attacking.told_apart import counted_words
from pellucid.attacking.unknown import is_unknown, surely_exceeds, unknown_words
from pellucid.attacking.wording import merged, with_missed
from pellucid.attacking.worst import tie_words
from pellucid.errors import AttackError, Cancelled
from pellucid.progress import SILENT, Progress
from pellucid.release import Release
from pellucid.reporting.charts import beliefs, overview, percent
from pellucid.reporting.given import Given, schema_for
from pellucid.reporting.pictures import Picture
from pellucid.table import Table
from pellucid.wording import probability

WHO = {
    "nothing": (
        "This attacker knows everybody's quasi-identifiers, finds a person's group and counts how often each value "
        "occurs in it. Every privacy model of tables stops this one."
    ),
    "minimality": (
        "This attacker assumes that nothing was made coarser than it had to be, and asks of each group why these "
        "people were put together: perhaps because publishing them apart would have exposed somebody."
    ),
    "algorithm": (
        "This attacker runs the method in their head for every possible assignment of values and keeps those that "
        "lead to exactly this release. Only the values and the coins are unknown to them. This is the strongest "
        "attacker whom a promise can cover."
    ),
    "learned": (
        "This attacker learns from the release itself who tends to have which value, and uses that about single "
        "people. No method that publishes useful data stops it. The figure is how sure this attacker is, not how "
        "often they are right: compare how many best guesses are right with counting alone."
    ),
    "distribution": (
        "This attacker knows from elsewhere, such as a register, how values depend on one quasi-identifier. The worst "
        "case: what they know is exactly what the table says."
    ),
}

NAMED = 2  # attackers with the same figure who are named
MISTAKEN = (
    "The method of this release does make groups coarser than they have to be, so that the assumption is wrong: the "
    "figure says how sure such a person is, not how often they are right, and it does not count against the promise."
)


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
class Attacked:
    """What all adversaries found about one sensitive column, those whom the promise is about apart from the others."""

    column: str
    said: tuple[str, ...]
    covered: str = ""
    broken: bool = False
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
    l: int | None = None
    scored: bool = False
    notes: tuple[str, ...] = ()
    people: int = 0

    @property
    def verdict(self) -> str:
        """The whole in a few sentences: the same on the page and in the terminal."""
        return " ".join(self.said)


@dataclass(frozen=True)
class Standing:
    """How the promise fares: what the attackers reach whom it covers, and what the others reach, in a sentence each.

    It is ``broken`` when one of those whom it covers believes more than it allows. Who is covered and who is mistaken:
    :mod:`pellucid.attacking.covering`.
    """

    covered: str
    mistaken: str
    outside: str
    broken: bool

    @property
    def sentences(self) -> list[str]:
        """Those that say something."""
        return [one for one in (self.covered, self.mistaken, self.outside) if one]


def standing_of(report: AttackReport, claim: str, protected: str = "") -> Standing:
    """The attackers whom a promise covers apart from the others; ``protected`` names values if it is about some only.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> report = pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["nothing"], **roles)
    >>> standing_of(report, "algorithm").covered
    'The one attacker whom the promise covers believes at most 1/2 of anybody.'
    """
    by: dict[Coverage, list[Attempt]] = {"covered": [], "mistaken": [], "outside": []}
    for attempt in report.attempts:
        by[coverage(claim, attempt.beliefs.adversary)].append(attempt)
    return Standing(
        covered=told_of(by["covered"], report, "the promise covers"),
        mistaken=" ".join(told_of_mistaken(attempt, report) for attempt in by["mistaken"]),
        outside=told_of(by["outside"], report, "no promise covers"),
        broken=bool(not protected and any(surely_exceeds(attempt) for attempt in by["covered"])),
    )


def told_of_mistaken(attempt: Attempt, report: AttackReport) -> str:
    """What somebody believes who is wrong about the method."""
    who = "Somebody who wrongly assumes that nothing was generalised without need"
    if is_unknown(attempt):
        return unknown_words(attempt)
    if attempt.exceeds is False:
        return f"{who} does not believe more than 1/{report.l} of anybody either."
    return f"{who} believes up to {probability(attempt.max_risk)} of somebody, which is no probability of being right."


def attack_columns(
    release: Any,
    given: Given,
    original: Any,
    *,
    identifier: str | None,
    groups: Any = None,
    progress: Progress = SILENT,
) -> list[AttackReport | tuple[str, str]]:
    """Attack each sensitive column; a column that cannot be attacked comes with the reason why.

    ``groups`` tells who is in which group of a release that was read from files; groups of another release are refused.
    """
    columns = given.audit.sensitive
    ours = isinstance(release, Release) and len(columns) == 1 and original is not None
    roles: dict[str, Any] = {"made_by": given.method}
    if not ours:
        roles |= {"schema": given.schema if not given.recipe or needs_schema(given) else None, "identifier": identifier}
        roles["groups"] = groups
    elif not isinstance(original, Table):
        roles["schema"] = schema_for(given, original, identifier)
    found: list[AttackReport | tuple[str, str]] = []
    for column in columns:
        named: dict[str, Any] = {} if ours else {"sensitive": column}
        try:
            found.append(
                attack_all(release if ours else given.source, truth=original, progress=progress, **roles, **named)
            )
        except Cancelled:
            raise
        except AttackError as wrong:
            if groups is not None:
                raise
            found.append((column, str(wrong)))
    return found


def needs_schema(given: Given) -> bool:
    """Whether the recipe leaves something open that the schema tells: the order of values, a taxonomy."""
    known = given.schema
    return known is not None and any(c.taxonomy is not None or c.order is not None for c in known.columns.values())


def attacked(report: AttackReport | tuple[str, str], given: Given, number: int = 0) -> Attacked:
    """The report of one column, as the page shows it."""
    if isinstance(report, tuple):
        column, why = report
        return Attacked(column, (f"Nothing was found out about {column}: {in_both(why)}.",))
    told = told_in_full(report.attempts)
    lines = tuple(
        known_only(line(attempt, report, given.claim, f"a{number}b{i}", told=attempt in told), attempt)
        for i, attempt in enumerate(report.attempts)
    )
    standing = standing_of(report, given.claim, given.protected)
    # of those who reason about the release itself: what others know from elsewhere says little about the groups
    about = [one for one in report.attempts if kind_of(one) in ("nothing", "minimality", "algorithm")]
    shown = replace(report, attempts=tuple(one for one in report.attempts if not is_unknown(one)))
    looked = replace(report, attempts=tuple(one for one in about if not is_unknown(one)) or shown.attempts)
    strongest, groups = worst_groups(looked) if looked.attempts else (None, [])
    return Attacked(
        column=report.evidence.attribute.name,
        said=tuple(with_missed(report, standing.sentences)),
        covered=standing.covered,
        broken=standing.broken,
        missed=tuple(one.name for one in report.missed),
        lines=lines,
        overview=overview(shown, name=f"a{number}") if shown.attempts else None,
        not_tried=tuple(merged({one.name: reason(one.why) for one in report.missed}).items()),
        classic=tuple(classic(finding) for finding in report.findings if finding.ran),
        not_run=tuple(merged({one.attack: reason(one.reason) for one in report.findings if not one.ran}).items()),
        counted=counted_words(report.evidence),
        groups=tuple(groups),
        groups_by="" if strongest is None else strongest.name,
        ties="" if strongest is None else tie_words(strongest, len(groups)),
        l=report.l,
        scored=report.scored,
        notes=tuple(map(in_both, (*report.notes, *left_open(report)))),
        people=int(report.evidence.inside.sum()),
    )


def reason(why: str) -> str:
    """What is lacking, without what to type: whoever reads a report cannot.

    >>> reason("needs another release of the same people; give both to composition([first, second])")
    'needs another release of the same people'
    """
    return in_both(why.partition(";")[0])


def in_both(text: str) -> str:
    """Advice for whoever makes the report, in Python or on the command line.

    >>> in_both("who is in which group stays open; tell who is in which group with groups= (publishing keeps it)")
    'who is in which group stays open; report again with the groups that were kept: --groups FILE, groups= in Python'
    """
    return text.replace(KEPT, "report again with the groups that were kept: --groups FILE, groups= in Python")


def left_open(report: AttackReport) -> list[str]:
    """What best guesses are worth where it is not known who is in which group."""
    if not report.scored or report.evidence.membership is None:
        return []
    return [
        "best guesses are scored for somebody who does not know who is in which group; whoever knows it, as a report "
        "with the groups assumes, may be right more often"
    ]


def told_in_full(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Those with a chart of their own: of the many that know a distribution, by one column each, the strongest."""
    by_column = [attempt for attempt in attempts if kind_of(attempt) == "distribution"]
    strongest = max(by_column, key=lambda attempt: attempt.max_risk, default=None)
    return [attempt for attempt in attempts if attempt not in by_column or attempt is strongest]


def told_of(attempts: Sequence[Attempt], report: AttackReport, whom: str) -> str:
    """What these attackers reach, in a sentence; empty when there are none."""
    if not attempts:
        return ""
    unknown = [attempt for attempt in attempts if is_unknown(attempt)]
    if unknown:
        known = [attempt for attempt in attempts if not is_unknown(attempt)]
        return " ".join([told_of(known, report, whom), *map(unknown_words, unknown)]).lstrip()
    one = len(attempts) == 1
    who = f"the one attacker whom {whom}" if one else f"the {len(attempts)} attackers whom {whom}"
    if report.l is None or report.l == 1:
        return f"Of {who}: {surest(attempts)}."
    above = [attempt for attempt in attempts if len(newly_above(attempt))]
    before = before_sentence(attempts)
    if one:
        if before:
            return before
        return f"{who.capitalize()} believes {'more than' if above else 'at most'} 1/{report.l} of " + (
            f"somebody: {probability(attempts[0].max_risk)}." if above else "anybody."
        )
    if not above:
        of = "anybody of whom they were less sure before" if before else "anybody"
        return f"None of {who} believes more than 1/{report.l} of {of}. {before}".rstrip()
    believe = "1 believes" if len(above) == 1 else f"{len(above)} believe"
    sure_before = any(before_words(attempt) for attempt in attempts)
    somebody = "somebody of whom they were less sure before" if sure_before else "somebody"
    return f"Of {who}, {believe} more than 1/{report.l} of {somebody}; {surest(above)}. {before}".rstrip()


def surest(attempts: Sequence[Attempt]) -> str:
    """The most that is believed, and by whom: all who believe it, or how many of these they are."""
    gained = {attempt.name: most_gained(attempt) for attempt in attempts}
    most = max(gained.values())
    names = [name for name, figure in gained.items() if figure >= most * (1 - 1e-9)]
    by = " and by ".join(f"somebody who {name}" for name in names) if len(names) <= NAMED else f"{len(names)} of them"
    return f"the most, {probability(most)}, is believed by {by}"


def line(attempt: Attempt, report: AttackReport, claim: str, name: str, *, told: bool) -> Line:
    """One adversary, with a chart when it is ``told`` and not only listed."""
    kind = kind_of(attempt)
    stands = coverage(claim, attempt.beliefs.adversary)
    bounded = attempt.beliefs.upper is not None and attempt.max_risk > attempt.beliefs.max_risk * (1 + 1e-9)
    at_most = "at most " if bounded or "bound" in attempt.beliefs.engine else ""
    return Line(
        name=attempt.name,
        coverage=stands,
        most=f"{at_most}{probability(attempt.max_risk)}",
        by_count=probability(attempt.baseline),
        multiple="" if attempt.multiple is None else f"{attempt.multiple:.3g}",
        above="" if attempt.bound is None else f"{len(attempt.above):,} ({percent(attempt.share_above or 0.0)})",
        before=before_words(attempt),
        right="" if attempt.accuracy is None else percent(attempt.accuracy),
        exceeds=attempt.exceeds,
        how=f"{WHO[kind]} {MISTAKEN}" if stands == "mistaken" else WHO[kind],
        read=reading(attempt, report),
        engine=attempt.beliefs.engine,
        notes=tuple(note for note in attempt.beliefs.notes if note not in report.notes)
        + ((WARNING,) if attempt.warning else ()),
        worst=attempt.worst.reasoning,
        picture=beliefs(attempt, report.l, name=name) if told else None,
    )


def known_only(told: Line, attempt: Attempt) -> Line:
    """The same line without figures that nobody knows."""
    if not is_unknown(attempt):
        return told
    surely = len(attempt.surely_above)
    return replace(
        told,
        most="not known",
        multiple="",
        above="" if attempt.bound is None else f"at least {surely:,}" if surely else "not known",
        right="" if attempt.accuracy is None else "not known",
        exceeds=surely_exceeds(attempt),
        read=unknown_words(attempt),
        picture=None,
        unknown=True,
    )


def kind_of(attempt: Attempt) -> str:
    """Which of the kinds an adversary is."""
    prior = attempt.beliefs.adversary.prior
    if isinstance(prior, Learned):
        return "learned"
    return "distribution" if isinstance(prior, Distribution) else attempt.beliefs.adversary.knows


def reading(attempt: Attempt, report: AttackReport) -> str:
    """How to read the figure of this adversary in one sentence."""
    name, most = report.evidence.attribute.name, probability(attempt.max_risk)
    sure = f"They are surest of one person's {name} with probability {most}"
    if attempt.bound is None:
        return f"{sure}; counting alone gives {probability(attempt.baseline)}."
    if not attempt.exceeds:
        return f"{sure}, which is not more than 1/{report.l}: nobody is above 1/{report.l}."
    many = len(attempt.above)
    who = "1 person is" if many == 1 else f"{many:,} people are"
    before = before_words(attempt)
    also = f", {before}" if before else ""
    return f"{sure}, {attempt.multiple:.3g} times 1/{report.l}: {who} above 1/{report.l}{also}."


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
