"""What ``pellucid attack`` tells a person: a verdict, a table with a legend, who is known best and why, details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from pellucid.app.show import labelled, sentence
from pellucid.app.wording import in_options
from pellucid.attacking.finding import Finding, counted
from pellucid.attacking.making import described
from pellucid.attacking.suite import WARNING, AttackReport, Attempt
from pellucid.attacking.verdict import Verdict
from pellucid.attacking.wording import learned_from, merged, most_frequent, most_words
from pellucid.wording import percent, probability

# What the library says of an attack that lacks something names its functions; here a person has options.
LACKING = {
    "combinatorial refinement": "needs the rounds in which the release was recoded, which no option takes",
    "negative rules": "needs rules of what never occurs together, which no option takes",
    "composition": "needs another release of the same people; this command looks at one release at a time",
    "downcoding": "is about minimal releases for k-anonymity; name that with --model k-anonymity=K",
}
ALARMING = ("homogeneity", "uniqueness")  # classic attacks that are told without --details when they expose somebody


def in_words(report: AttackReport, *, details: bool = False) -> str:
    """The report for a person, without the verdict."""
    parts = [labelled(_about(report)), table_words(report), *_worst(report)]
    parts += _not_tried(report)
    parts += _classic_details(report) if details else _classic_in_short(report)
    return "\n\n".join(parts)


def _about(report: AttackReport) -> dict[str, str]:
    evidence = report.evidence
    made = "nobody says how" if evidence.method is None else evidence.method.name
    lines = {
        "release": f"{report.source}: {counted(int(evidence.published.sizes.sum()), 'row')} in "
        f"{counted(len(evidence.published), 'group')}, {evidence.attribute.name} is sensitive",
        "made by": made + ("" if evidence.model is None else f", for {described(evidence.model)}"),
        "people": people_words(report),
    }
    if report.notes:
        lines["note"] = " ".join(in_options(note[0].upper() + note[1:]) + "." for note in report.notes)
    return lines


def people_words(report: AttackReport) -> str:
    """How many people there are, and how many of them the release may be about."""
    evidence = report.evidence
    everyone, inside = len(evidence.people), int(evidence.inside.sum())
    if evidence.anonymous:
        return f"not known: each of the {everyone:,} rows stands for somebody (--population names people)"
    rows = int(evidence.published.sizes.sum())
    if inside == everyone == rows:
        return f"{everyone:,}, all of them in the table"
    return f"{everyone:,}, of whom {inside:,} {'are' if inside <= rows else 'may be'} in the table"


def table_words(report: AttackReport) -> str:
    """One line for each attacker, a caveat below those who guess, and what the columns mean."""
    if not report.attempts:
        return "No attacker could be tried."
    heads = ["somebody who", "most", "by count", *([f"x 1/{report.l}", f"above 1/{report.l}"] if report.l else [])]
    heads += ["right"] if report.scored else []
    rows = [_cells(attempt, report) for attempt in report.attempts]
    wide = [max(len(line[i]) for line in [heads, *rows]) for i in range(len(heads))]
    wide[0] = min(wide[0], 34)
    lines = [_line(heads, wide)]
    for attempt, row in zip(report.attempts, rows, strict=True):
        lines.append(_line(row, wide))
        told = [sampled_words(attempt), caveat(attempt, report), *_own_notes(attempt, report)]
        lines += [sentence(one, first="    ") for one in told if one]
    return "\n".join([*lines, sentence(legend(report), first="  ")])


def legend(report: AttackReport) -> str:
    """What the columns of the table mean."""
    bounded = any(most_words(attempt).startswith("<=") for attempt in report.attempts)
    sampled = any(attempt.beliefs.sampled for attempt in report.attempts)
    parts = [f"most: the largest belief about anybody's {report.evidence.attribute.name}"]
    marks = ["<=: not more than this"] * bounded + ["~: sampled, with the interval in which it lies"] * sampled
    parts[0] += f" ({'; '.join(marks)})" if marks else ""
    parts.append("by count: the same for somebody who only counts values in the groups")
    if report.l:
        parts.append(f"x 1/{report.l}: most, in multiples of 1/{report.l}")
        parts.append(f"above 1/{report.l}: people of whom more than that is believed")
    if any(learned_from(attempt) for attempt in report.attempts):
        parts.append("of one who learned, most is how sure that attacker is, not how often right")
    if report.scored:
        parts.append("right: how many people the best guess is right about")
    return "; ".join(parts) + "."


def _cells(attempt: Attempt, report: AttackReport) -> list[str]:
    cells = [attempt.name, most_words(attempt), probability(attempt.baseline)]
    if report.l:
        cells += [f"{attempt.multiple:.3g}", _above(attempt)]
    if report.scored:
        cells.append("" if attempt.accuracy is None else percent(attempt.accuracy))
    return cells


def _above(attempt: Attempt) -> str:
    surely, most = len(attempt.surely_above), len(attempt.above)
    told = f"{most:,}" if surely == most else f"{surely:,} to {most:,}"
    return f"{told} ({percent(attempt.share_above or 0.0)})"


def _line(cells: Sequence[str], wide: Sequence[int]) -> str:
    first, *rest = cells
    numbers = "  ".join(cell.rjust(width) for cell, width in zip(rest, wide[1:], strict=True))
    if len(first) > wide[0]:
        return f"{first}\n{'':<{wide[0]}}  {numbers}"
    return f"{first:<{wide[0]}}  {numbers}".rstrip()


def sampled_words(attempt: Attempt) -> str | None:
    """The estimate beside the bound, for an attacker whose worlds were sampled."""
    beliefs = attempt.beliefs
    if not beliefs.sampled:
        return None
    return (
        f"Sampled: the interval of a person holds with confidence {beliefs.confidence:g}; people "
        "counted above by its lower end surely are, by its upper end may be."
    )


def _own_notes(attempt: Attempt, report: AttackReport) -> list[str]:
    told = [note for note in attempt.beliefs.notes if note not in report.notes and "with confidence" not in note]
    return [in_options(note[0].upper() + note[1:]) + "." for note in told]


def caveat(attempt: Attempt, report: AttackReport) -> str | None:
    """What must be read next to the figures of an attacker who guesses: the source, and how often it is right."""
    source = learned_from(attempt)
    if source is None:
        return None
    if attempt.accuracy is None:
        hits = "How often it is right is not known without the true table (--truth)."
    else:
        hits = (
            f"Guesses right for {percent(attempt.accuracy)} of people; the most frequent value alone: "
            f"{percent(most_frequent(report))}."
        )
        if attempt.accuracy <= most_frequent(report):
            hits += " That is not better: these beliefs are worth nothing here."
    warning = f" {attempt.warning}" if attempt.warning else ""
    return f"Learned from {source}. {hits}{warning}"


def _worst(report: AttackReport) -> list[str]:
    if not report.attempts:
        return []
    reasoning = [attempt for attempt in report.attempts if learned_from(attempt) is None] or list(report.attempts)
    worst = max(reasoning, key=lambda attempt: attempt.max_risk)
    return [sentence(f"Best known to one who {worst.name}: {worst.worst.reasoning}")]


def _not_tried(report: AttackReport) -> list[str]:
    if not report.missed:
        return []
    told = merged({missed.name: in_attack_options(missed.why) for missed in report.missed})
    return ["Not tried, which says nothing about safety:\n" + indented(told)]


def in_attack_options(message: str) -> str:
    """As :func:`in_options`; this command has a budget.

    >>> in_attack_options("it takes more than 1e+06 steps; sample, or raise the budget")
    'it takes more than 1e+06 steps; raise it with --budget'
    """
    message = message.replace("sample, or raise the budget", "raise it with --budget")
    return in_options(message.replace("raise the budget", "raise it with --budget"))


def _classic_in_short(report: AttackReport) -> list[str]:
    ran = [finding for finding in report.findings if finding.ran]
    alarming = {one.attack: one.sentence for one in ran if one.attack in ALARMING and len(one.exposed)}
    if not report.findings:
        return []
    lacking = len(report.findings) - len(ran)
    told = f"{len(ran)} classic attacks (linkage, skewness, ...) were tried" + (
        f", {lacking} lack something" * bool(lacking)
    )
    return [*([indented(alarming, first="")] if alarming else []), sentence(f"{told}: --details tells them.")]


def _classic_details(report: AttackReport) -> list[str]:
    parts = []
    ran = [finding for finding in report.findings if finding.ran]
    if ran:
        parts.append("Classic attacks:\n" + indented({one.attack: _classic(one) for one in ran}))
    lacking = merged({one.attack: lacking_words(one) for one in report.findings if not one.ran})
    if lacking:
        parts.append("Classic attacks that lack something, which says nothing about safety:\n" + indented(lacking))
    return parts


def lacking_words(finding: Finding) -> str:
    """Why a classic attack did not run, in options."""
    said = finding.reason.replace(
        "raise budget", f"{finding.attack.replace(' ', '_')}(evidence, budget=...) in Python takes more"
    )
    return LACKING.get(finding.attack, in_options(said)) + (f". {WARNING}" if "composition" in finding.attack else "")


def _classic(finding: Finding) -> str:
    baseline = "" if finding.baseline is None else f" ({finding.against}: {probability(finding.baseline)})"
    return finding.sentence + baseline + (f" {WARNING}" if "composition" in finding.attack else "")


def indented(told: Mapping[str, str], first: str = "  ") -> str:
    """A name, a colon and a text, wrapped."""
    return "\n".join(sentence(f"{name}: {text}", first=first) for name, text in told.items())


def kept_words(report: AttackReport, most: Fraction, stands: Verdict, asked: Sequence[str]) -> str:
    """Whether the bound that was asked for is kept, and by whom."""
    counting = report.evidence.counting
    if stands.holds:
        return (
            f"holds: none of the attackers asked ({', '.join(asked)}) believes more than {most} of anybody{counting}."
        )
    if stands.holds is False:
        worst = max(report.attempts, key=lambda attempt: attempt.max_risk)
        believed = probability(worst.max_risk)
        return f"FAILS: one who {worst.name} believes up to {believed} of somebody{counting}, and {most} is allowed."
    said = [f"{in_attack_options(stands.why)}."] if stands.why else []
    if report.missed or not report.attempts:
        lacking = "; ".join(f"who {one.name}" for one in report.missed) or "all"
        said.append(
            f"these attackers could not be tried: {lacking}. Give what they lack, or name those that count with "
            "--adversary."
        )
    return "NOT SHOWN: " + " ".join(said)
