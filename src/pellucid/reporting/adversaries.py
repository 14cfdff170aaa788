"""What attackers learn, for the file: each adversary with figure, chart, how to read it, and whom it exposes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pellucid.attacking.adversary import Distribution, Learned
from pellucid.attacking.chart import worst_groups
from pellucid.attacking.finding import Finding
from pellucid.attacking.suite import WARNING, AttackReport, Attempt, attack_all
from pellucid.attacking.wording import merged, verdict
from pellucid.errors import AttackError, Cancelled
from pellucid.progress import SILENT, Progress
from pellucid.release import Release
from pellucid.reporting.charts import beliefs, overview, percent
from pellucid.reporting.given import Given, schema_for
from pellucid.reporting.pictures import Picture
from pellucid.table import Table

WHO = {
    "nothing": (
        "This attacker knows everybody's quasi-identifiers, finds a person's group and counts how often each value "
        "occurs in it. Every privacy model of tables stops this one."
    ),
    "minimality": (
        "This attacker knows besides that nothing was generalised without need, and asks why these people were put "
        "together: perhaps because they could not be told apart safely."
    ),
    "algorithm": (
        "This attacker runs the method in their head for every possible assignment of values and keeps those that "
        "lead to exactly this release. Only the values and the coins are unknown to them. This is the attacker whom "
        "the guarantee is about."
    ),
    "learned": (
        "This attacker learns from the release itself who tends to have which value, and uses that about single "
        "people. No method that publishes useful data stops it; a high figure says that the sensitive column can be "
        "predicted from the quasi-identifiers."
    ),
    "distribution": (
        "This attacker knows from elsewhere, such as a register, how values depend on one quasi-identifier. The worst "
        "case: what they know is exactly what the table says."
    ),
}


@dataclass(frozen=True)
class Line:
    """One adversary in the table of figures."""

    name: str
    most: str
    by_count: str
    multiple: str
    above: str
    right: str
    exceeds: bool | None
    how: str
    read: str
    engine: str
    notes: tuple[str, ...]
    worst: str
    picture: Picture


@dataclass(frozen=True)
class Attacked:
    """What all adversaries found about one sensitive column; ``why`` says why nobody could be tried."""

    column: str
    verdict: str
    lines: tuple[Line, ...] = ()
    overview: Picture | None = None
    not_tried: tuple[tuple[str, str], ...] = ()
    classic: tuple[Mapping[str, Any], ...] = ()
    not_run: tuple[tuple[str, str], ...] = ()
    groups: tuple[Mapping[str, Any], ...] = ()
    groups_by: str = ""
    l: int | None = None
    scored: bool = False
    notes: tuple[str, ...] = ()
    people: int = 0


def attack_columns(
    release: Any, given: Given, original: Any, *, identifier: str | None, progress: Progress = SILENT
) -> list[AttackReport | tuple[str, str]]:
    """Attack each sensitive column; a column that cannot be attacked comes with the reason why."""
    columns = given.audit.sensitive
    ours = isinstance(release, Release) and len(columns) == 1 and original is not None
    roles: dict[str, Any] = {"made_by": given.method}
    if not ours:
        roles |= {"schema": given.schema if not given.recipe or needs_schema(given) else None, "identifier": identifier}
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
            found.append((column, str(wrong)))
    return found


def needs_schema(given: Given) -> bool:
    """Whether the recipe leaves something open that the schema tells: the order of values, a taxonomy."""
    known = given.schema
    return known is not None and any(c.taxonomy is not None or c.order is not None for c in known.columns.values())


def attacked(report: AttackReport | tuple[str, str], number: int = 0) -> Attacked:
    """The report of one column, as the page shows it."""
    if isinstance(report, tuple):
        column, why = report
        return Attacked(column, f"Nothing was found out about {column}: {why}.")
    lines = tuple(line(attempt, report, f"a{number}b{i}") for i, attempt in enumerate(report.attempts))
    strongest, groups = worst_groups(report) if report.attempts else (None, [])
    return Attacked(
        column=report.evidence.attribute.name,
        verdict=verdict(report),
        lines=lines,
        overview=overview(report, name=f"a{number}") if report.attempts else None,
        not_tried=tuple(merged({one.name: one.why for one in report.missed}).items()),
        classic=tuple(classic(finding) for finding in report.findings if finding.ran),
        not_run=tuple(merged({one.attack: one.reason for one in report.findings if not one.ran}).items()),
        groups=tuple(groups),
        groups_by="" if strongest is None else strongest.name,
        l=report.l,
        scored=report.scored,
        notes=report.notes,
        people=int(report.evidence.inside.sum()),
    )


def line(attempt: Attempt, report: AttackReport, name: str) -> Line:
    """One adversary."""
    kind = kind_of(attempt)
    bounded = attempt.beliefs.upper is not None and attempt.max_risk > attempt.beliefs.max_risk * (1 + 1e-9)
    at_most = "at most " if bounded or "bound" in attempt.beliefs.engine else ""
    return Line(
        name=attempt.name,
        most=f"{at_most}{attempt.max_risk:.4g}",
        by_count=f"{attempt.baseline:.4g}",
        multiple="" if attempt.multiple is None else f"{attempt.multiple:.3g}",
        above="" if attempt.bound is None else f"{len(attempt.above):,} ({percent(attempt.share_above or 0.0)})",
        right="" if attempt.accuracy is None else percent(attempt.accuracy),
        exceeds=attempt.exceeds,
        how=WHO[kind],
        read=reading(attempt, report),
        engine=attempt.beliefs.engine,
        notes=tuple(note for note in attempt.beliefs.notes if note not in report.notes)
        + ((WARNING,) if attempt.warning else ()),
        worst=attempt.worst.reasoning,
        picture=beliefs(attempt, report.l, name=name),
    )


def kind_of(attempt: Attempt) -> str:
    """Which of the kinds an adversary is."""
    prior = attempt.beliefs.adversary.prior
    if isinstance(prior, Learned):
        return "learned"
    return "distribution" if isinstance(prior, Distribution) else attempt.beliefs.adversary.knows


def reading(attempt: Attempt, report: AttackReport) -> str:
    """How to read the figure of this adversary in one sentence."""
    sure = f"They are surest of one person's {report.evidence.attribute.name} with probability {attempt.max_risk:.4g}"
    if attempt.bound is None:
        return f"{sure}; counting alone gives {attempt.baseline:.4g}."
    if not attempt.exceeds:
        return f"{sure}, which is not more than 1/{report.l}: nobody is above the bound."
    many = len(attempt.above)
    who = "1 person is" if many == 1 else f"{many:,} people are"
    return f"{sure}, {attempt.multiple:.3g} times 1/{report.l}: {who} above the bound."


def classic(finding: Finding) -> dict[str, Any]:
    """A classic attack that ran."""
    return {
        "name": finding.attack,
        "story": finding.story,
        "figure": f"{finding.figure:.4g}",
        "measure": finding.measure,
        "baseline": "" if finding.baseline is None else f"{finding.baseline:.4g}",
        "against": finding.against,
        "sentence": finding.sentence,
        "worse": finding.worse,
    }
