"""The first lines of ``pellucid attack``: how a bound stands for those who are judged, and beside it the others.

Which attackers are judged, :mod:`pellucid.attacking.telling.guarantee_coverage` says; how the bound stands,
:mod:`pellucid.attacking.verdict`. Here it is put into words.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from pellucid.app.wording import in_attack_options
from pellucid.attacking.adversary_kinds import REASONING
from pellucid.attacking.evidence.reader_view import told_who
from pellucid.attacking.telling.guarantee_coverage import coverage_of
from pellucid.attacking.telling.guessing import guessing_of
from pellucid.attacking.telling.headline import HANDFUL, carries, few_people
from pellucid.attacking.telling.report import AttackReport, Attempt
from pellucid.attacking.telling.words import short_names
from pellucid.attacking.verdict import ROUNDING, BoundVerdict, certain_of_somebody
from pellucid.guessing import COVERED_BY_NONE
from pellucid.text.figures import probability

ALL = "--adversary all judges everybody"


def bound_for(report: AttackReport, asked: Fraction | None) -> Fraction | None:
    """The bound that the verdict is about: what was asked for, else what the release promises."""
    return report.limit if asked is None else asked


def first_lines(report: AttackReport, most: Fraction | None, promise: str | None) -> list[str]:
    """The verdict, what those reach who are not judged though they reason from the release, and how guesses do."""
    wrong = [
        f"The release is not what it is said to be: {attempt.why}." for attempt in report.missed if attempt.contradicts
    ][:1]
    lines = [*wrong, verdict_line(report, most, promise), *_of_parted(report), *beside(report, most, promise)]
    tried = {attempt.kind for attempt in report.attempts} | {attempt.kind for attempt in report.missed}
    if not report.judged.asked or "learned" in tried:
        lines.append(in_attack_options(guessing_of(report, promise or COVERED_BY_NONE).line))
    return lines


def _of_parted(report: AttackReport) -> list[str]:
    """Whom no verdict is about where clusters were taken as several, and what is certain to them."""
    return [] if report.parted is None else [report.parted.sentence]


def verdict_line(report: AttackReport, most: Fraction | None, promise: str | None = None) -> str:
    """How the bound stands, in one sentence that begins with it; without a bound, the most that is believed."""
    judged = [attempt for attempt in report.attempts if report.judges(attempt.kind)]
    if not report.attempts:
        return "NOT SHOWN: nothing was found out, no attacker could be tried." if most else NOTHING
    if most is None:
        return _most_believed(report, judged or report.attempts)
    stands = report.standing(float(most))
    if stands.holds:
        whom = f"anybody{report.evidence.counting}{_if_made_so(report, promise)}"
        return f"holds: {_everybody(report, judged)} believes {_within(judged)} {most} of {whom}."
    return _failing(report, judged, most) if stands.holds is False else _not_shown(report, judged, most, stands)


def _unknown(report: AttackReport) -> str:
    """Those who count and of whom nothing is known: that is no safety, so that they are named beside any figure."""
    lacking = list(dict.fromkeys(report.open))
    if not lacking:
        return ""
    return f" Nothing is known of somebody who {' or who '.join(short_names(lacking))}, which takes what is said below."


def named(attempt: Attempt) -> str:
    """An attacker's name; who counts in groups that are published alike must be told who is in which.

    Who knows the algorithm as well is asked in both views.
    """
    evidence = attempt.beliefs.evidence
    knows_groups = (
        attempt.kind == "nothing" and told_who(evidence) and len(np.unique(evidence.alike)) < len(evidence.alike)
    )
    return f"{attempt.name} and is told who is in which group" if knows_groups else attempt.name


NOTHING = "Nothing was found out: no attacker could be tried."


def _everybody(report: AttackReport, judged: Sequence[Attempt]) -> str:
    """Those who are judged, and why these: the subject of a sentence about what each believes at most."""
    why = "asked for" if report.judged.asked else report.judged.why
    if len(judged) == 1:
        return f"somebody who {named(judged[0])}" + ("" if report.judged.asked else f", {report.judged.alone},")
    comma = "," * report.judged.beside
    who = "; ".join(short_names([named(attempt) for attempt in judged]))
    return f"none of the {len(judged)} attackers {why}{comma} ({who})"


def _within(judged: Sequence[Attempt]) -> str:
    return "at most" if len(judged) == 1 else "more than"


def _if_made_so(report: AttackReport, promise: str | None) -> str:
    """What a verdict rests on where no recipe says how the release was made, but the caller does."""
    method = report.evidence.method
    return f", if it was made by {method.name} as is said" if promise is None and method is not None else ""


def _most_believed(report: AttackReport, tried: Sequence[Attempt]) -> str:
    """The largest belief of those who were tried, where there is no bound to compare it with."""
    worst = max(tried, key=lambda attempt: attempt.max_risk)
    figure = "about " * worst.beliefs.by_lot + probability(worst.max_risk)
    most_believed = f"The most that is believed of anybody{report.evidence.counting} is {figure}"
    return f"{most_believed}, by one who {named(worst)}.{_unknown(report)}"


def _failing(report: AttackReport, judged: Sequence[Attempt], most: Fraction) -> str:
    """Who believes more: rather somebody on whose figures a headline may rest."""
    limit = float(most) * ROUNDING
    above = [attempt for attempt in judged if certain_of_somebody(attempt.beliefs) > limit]
    worst = max(above, key=lambda attempt: (carries(attempt, report), certain_of_somebody(attempt.beliefs)))
    caveat = ""
    if not carries(worst, report):
        few = f"that rests on fewer than {HANDFUL} people for each value"
        caveat = f" But {few if few_people(worst) else 'its guesses are no better than the most frequent value'}."
    return f"FAILS: {believing(worst, report, most)}, and {most} is allowed; {_above(worst, most)}.{caveat}"


def believing(attempt: Attempt, report: AttackReport, most: Fraction | None) -> str:
    """What is certain of an attacker's largest belief, or what bounds it."""
    certain, counting = certain_of_somebody(attempt.beliefs), report.evidence.counting
    if most is not None and certain <= float(most) * ROUNDING:
        return f"somebody who {named(attempt)} may believe up to {probability(attempt.max_risk)} of a person{counting}"
    least = "" if certain >= attempt.max_risk * (1 - 1e-9) else "at least "
    return f"somebody who {named(attempt)} believes {least}{probability(min(1.0, certain))} of a person{counting}"


def _above(attempt: Attempt, most: Fraction) -> str:
    surely, may = (len(attempt.beliefs.vulnerable(float(most), surely=yes)) for yes in (True, False))
    people = f"{surely:,}" if surely == may else f"{surely:,} to {may:,}"
    of = f" of {attempt.people:,} people" if attempt.people else " people"
    return f"{people}{of} {'is' if may == 1 else 'are'} above {most}"


def _not_shown(report: AttackReport, judged: Sequence[Attempt], most: Fraction, stands: BoundVerdict) -> str:
    """Of whom it is not shown, why, and what to do."""
    limit = float(most)
    open_ = [attempt for attempt in judged if attempt.beliefs.standing(limit).holds is None]
    sentences = []
    if open_:
        who = " or who ".join(short_names([named(attempt) for attempt in open_]))
        sentences.append(f"whether somebody who {who} stays within {most}: {in_attack_options(stands.why)}.")
    lacking = list(dict.fromkeys(report.open))
    if lacking:
        lead = "nothing is known of somebody" if not open_ else "Nothing is known of somebody"
        sentences.append(f"{lead} who {' or who '.join(short_names(lacking))}, which takes what is said below.")
    others = "" if report.judged.asked else f" Judged are those {report.judged.why}; --adversary names others."
    return "NOT SHOWN: " + " ".join(sentences) + others


def beside(report: AttackReport, most: Fraction | None, promise: str | None) -> list[str]:
    """Those who reason from the release, are not judged, and may believe more than the bound."""
    outside = "Not judged" if promise is None else "NOT covered by the promise"
    judged = (
        []
        if most is None
        else [_of_not_judged(attempt, report, most, promise, outside) for attempt in _exceeding(report, most)]
    )
    lost = [
        attempt.name for attempt in report.missed if attempt.kind == "algorithm" and not report.judges(attempt.kind)
    ]
    unknown = f"{outside}, and not known: what somebody believes who"
    return [*judged, *(f"{unknown} {name}. {ALL}." for name in lost)]


def _exceeding(report: AttackReport, most: Fraction) -> list[Attempt]:
    """Those who reason from the release, are not judged, and are not shown to stay within the bound."""
    reasoning = [
        attempt for attempt in report.attempts if attempt.kind in REASONING and not report.judges(attempt.kind)
    ]
    return [attempt for attempt in reasoning if not _stays_within(attempt, most)]


def _stays_within(attempt: Attempt, most: Fraction) -> bool:
    """Whether an attacker is shown to believe no more than the bound."""
    return attempt.max_risk <= float(most) * ROUNDING and bool(attempt.beliefs.standing(float(most)).holds)


def _of_not_judged(attempt: Attempt, report: AttackReport, most: Fraction, promise: str | None, outside: str) -> str:
    """What somebody believes who is not judged: a figure to compare with the bound, or a mistake."""
    if coverage_of(promise or "", attempt.kind, more=False) == "mistaken":
        firm = f"believes up to {probability(attempt.max_risk)}, which is no probability of being right"
        return f"Not judged: somebody who {attempt.name} is mistaken about the method and {firm}."
    return f"{outside}: {believing(attempt, report, most)}; {_above(attempt, most)}. {ALL}."
