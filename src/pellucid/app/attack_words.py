"""What ``pellucid attack`` tells a person: a verdict, a table with a legend, who is known best and why, details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pellucid.app.show import labelled, sentence
from pellucid.app.wording import in_attack_options, in_options
from pellucid.attacking.adversary import Distribution
from pellucid.attacking.adversary_kinds import KINDS
from pellucid.attacking.classic.finding import Finding, counted
from pellucid.attacking.evidence.how_made import described
from pellucid.attacking.telling.headline import HANDFUL, worth_nothing
from pellucid.attacking.telling.report import WARNING, AttackReport, Attempt, Missed
from pellucid.attacking.telling.undetermined import unknown_people
from pellucid.attacking.telling.words import DISTRIBUTION, learned_from, merged, most_frequent, most_words, short_names
from pellucid.messages import Message, NoteKind, kind_of_note
from pellucid.schema import Role
from pellucid.text.figures import percent, probability

# What the library says of an attack that lacks something names its functions; here a person has options.
LACKING = {
    "combinatorial refinement": "needs the rounds in which the release was recoded, which no option takes",
    "negative rules": "needs rules of what never occurs together, which no option takes",
    "composition": "needs another release of the same people; this command looks at one release at a time",
    "downcoding": "is about minimal releases for k-anonymity; name that with --model k-anonymity=K",
}
WIDEST = 30  # letters of an attacker's name before the figures
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
        lines["note"] = " ".join(_as_sentence(note) for note in report.notes)
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


def _heads(report: AttackReport) -> list[str]:
    """What stands above the columns: who, the most believed, and what can be said besides."""
    heads = ["somebody who", "most", "by count"]
    heads += [f"above {report.limit}"] if report.limit else []
    return heads + (["right"] if report.scored else [])


def table_words(report: AttackReport) -> str:
    """One line for each attacker, a caveat below those who guess, and what the columns mean."""
    if not report.attempts:
        return "No attacker could be tried."
    heads = _heads(report)
    rows = {id(attempt): _cells(attempt, report) for attempt in report.attempts}
    wide = [max(len(line[i]) for line in [heads, *rows.values()]) for i in range(len(heads))]
    wide[0] = min(wide[0], WIDEST)
    lines = [_line(heads, wide)]
    for title, attempts in parts_of(report):
        lines += [sentence(title)] if title else []
        lines += _lines_of(attempts, [rows[id(attempt)] for attempt in attempts], wide, report)
        lines += [sentence(text, first="    ") for text in measured_words(attempts, report)]
    return "\n".join([*lines, sentence(legend(report), first="  ")])


def _lines_of(
    attempts: Sequence[Attempt], rows: Sequence[Sequence[str]], wide: Sequence[int], report: AttackReport
) -> list[str]:
    """A line for each of some attackers, with what is to be known of it; what several share is said once."""
    lines: list[str] = []
    notes: dict[str, None] = {}
    columns = 0
    for attempt, (who, *figures) in zip(attempts, rows, strict=True):
        columns += who.startswith(DISTRIBUTION)
        named = who.replace(DISTRIBUTION, "  by ") if columns > 1 else who
        lines.append(_line([named, *figures], wide))
        own = [sampled_words(attempt), caveat(attempt, report), *_own_notes(attempt, report)]
        lines += [sentence(note, first="    ") for note in own if note and note not in notes]
        notes |= dict.fromkeys(filter(None, own))
    return lines


def parts_of(report: AttackReport) -> list[tuple[str, list[Attempt]]]:
    """Those who are judged apart from the others, each part with its title; without one where all are judged."""
    judged = [attempt for attempt in report.attempts if report.judges(attempt.kind)]
    others = [attempt for attempt in report.attempts if attempt not in judged]
    if not others:
        return [("", judged)]
    rest = "-- not judged: nothing is promised about these, or they are mistaken --"
    return [part for part in ((f"-- judged: {report.judged.brief} --", judged), (rest, others)) if part[1]]


def measured_words(attempts: Sequence[Attempt], report: AttackReport) -> list[str]:
    """What must be read next to the figures of those who know a distribution that was measured on the true table."""
    measured = [attempt for attempt in attempts if sharing(attempt) is not None]
    if not measured:
        return []
    each = ", ".join(f"{sharing(attempt):,} by {attempt.name.partition(' by ')[2]}" for attempt in measured)
    vain = [attempt.name.partition(" by ")[2] for attempt in measured if worth_nothing(attempt, report)]
    no_better = f" By {', '.join(vain)} that is not better: these beliefs are worth nothing here." * bool(vain)
    scored = f" The most frequent value alone is right for {percent(most_frequent(report))}.{no_better}"
    few = f" Of values that fewer than {HANDFUL} people have, it is nearly their secret itself."
    return [f"Learned from the true table; people for each value, about: {each}.{few}{scored * report.scored}"]


def sharing(attempt: Attempt) -> int | None:
    """About how many people have each value of the columns of a distribution; None where it was not measured."""
    prior = attempt.beliefs.adversary.prior
    if not isinstance(prior, Distribution) or prior.probabilities is not None:
        return None
    people, kinds = attempt.beliefs.evidence.people, 1
    for i in people.having(Role.QUASI):
        kinds *= len(people.attributes[i]) if people.attributes[i].name in prior.attributes else 1
    return max(1, round(len(people) / kinds))


def legend(report: AttackReport) -> str:
    """What the columns of the table mean."""
    bounded = any(most_words(attempt).startswith("<=") for attempt in report.attempts)
    sampled = any(attempt.beliefs.sampled for attempt in report.attempts)
    about = report.evidence.counting or f"'s {report.evidence.attribute.name}"
    parts = [f"most: the largest belief about anybody{about}"]
    marks = ["<=: not more than this"] * bounded + ["~: sampled, with the interval below"] * sampled
    if any(attempt.beliefs.by_lot for attempt in report.attempts):
        marks.append("~ of one who learned from a lot: an estimate, of which nothing is claimed")
    parts[0] += f" ({'; '.join(marks)})" if marks else ""
    parts.append("by count: the same for somebody who only counts values in the groups")
    if any(attempt.kind == "minimality" for attempt in report.attempts):
        parts.append("minimality: that nothing was made coarser than it had to be")
    if report.limit:
        parts.append(f"above {report.limit}: people of whom more than that is believed")
    if any(learned_from(attempt) for attempt in report.attempts):
        parts.append("of one who learned, most is how sure that attacker is, not how often right")
    if report.scored:
        parts.append("right: how many people the best guess is right about")
    return "; ".join(parts) + "."


def _cells(attempt: Attempt, report: AttackReport) -> list[str]:
    cells = [attempt.name, _most(attempt), probability(attempt.baseline)]
    if report.limit:
        cells.append(_above(attempt))
    if report.scored:
        cells.append("" if attempt.accuracy is None else percent(attempt.accuracy))
    return cells


def _most(attempt: Attempt) -> str:
    """The figure alone; the interval of a sampled one is told below it."""
    if not attempt.has_interval:
        return most_words(attempt)
    return f"~{probability(attempt.interval[1])}"


def _above(attempt: Attempt) -> str:
    surely, most = len(attempt.surely_above), len(attempt.above)
    people = f"{most:,}" if surely == most else f"{surely:,} to {most:,}"
    people = f"~{most:,}" if attempt.beliefs.by_lot else people
    return f"{people} ({percent(attempt.share_above or 0.0)})"


def _line(cells: Sequence[str], wide: Sequence[int]) -> str:
    first, *rest = cells
    numbers = "  ".join(cell.rjust(width) for cell, width in zip(rest, wide[1:], strict=True))
    if len(first) > wide[0]:
        return f"{first}\n{'':<{wide[0]}}  {numbers}"
    return f"{first:<{wide[0]}}  {numbers}".rstrip()


def sampled_words(attempt: Attempt) -> str | None:
    """The estimate beside the bound, for an attacker whose worlds were sampled."""
    beliefs = attempt.beliefs
    if not beliefs.sampled or beliefs.lower is None or beliefs.upper is None:
        return None
    if not ((beliefs.lower < beliefs.upper) & ~unknown_people(attempt)).any():
        return None  # nothing was: of some people nothing is known, which a note says
    low, _, high = attempt.interval
    between = f"from {probability(low)} to {probability(high)}" if low < high else "the interval of a person"
    return (
        f"Sampled: {between}, with confidence {beliefs.confidence:g}; people "
        "counted above by the lower end surely are, by the upper end may be."
    )


def _own_notes(attempt: Attempt, report: AttackReport) -> list[str]:
    notes = [note for note in attempt.beliefs.notes if note not in report.notes]
    return [_as_sentence(note) for note in notes if kind_of_note(note) is not NoteKind.CONFIDENCE]


def _as_sentence(note: str) -> str:
    text = in_options(note)
    return f"{text[0].upper()}{text[1:]}."


def caveat(attempt: Attempt, report: AttackReport) -> str | None:
    """What must be read next to the figures of an attacker who guesses: the source, and how often it is right."""
    source = learned_from(attempt)
    if source is None or sharing(attempt) is not None:  # those who measured are told together
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
    judged = [attempt for attempt in report.attempts if report.judges(attempt.kind)]
    reasoning = [attempt for attempt in report.attempts if learned_from(attempt) is None]
    worst = max(judged or reasoning or report.attempts, key=lambda attempt: attempt.max_risk)
    rows = " Rows are counted from 0." if report.evidence.names is None and not report.evidence.anonymous else ""
    return [sentence(f"Best known to one who {worst.name}: {worst.worst.reasoning}{rows}")]


def _not_tried(report: AttackReport) -> list[str]:
    if not report.missed:
        return []
    by_why: dict[str, list[Missed]] = {}
    for missed in report.missed:
        why = Message(missed.why)
        by_column = missed.kind is not None and KINDS[missed.kind].by_column
        alike = why.way_out or why if by_column else why  # but for the numbers
        by_why.setdefault(alike, []).append(missed)
    reasons = {
        "; ".join(short_names([one.name for one in some])): in_attack_options(some[0].why) for some in by_why.values()
    }
    return ["Not tried, which says nothing about safety:\n" + indented(reasons)]


def _classic_in_short(report: AttackReport) -> list[str]:
    ran = [finding for finding in report.findings if finding.ran]
    alarming = {one.attack: one.sentence for one in ran if one.attack in ALARMING and len(one.exposed)}
    if not report.findings:
        return []
    summary = f"{len(ran)} classic attacks (linkage, skewness, ...) were tried: --details tells them"
    lacking = [finding.attack for finding in report.findings if not finding.ran]
    if lacking:
        which = ", ".join(lacking[:2]) + ", ..." * (len(lacking) > 2)
        need = "other needs" if len(lacking) == 1 else "others need"
        summary += f", and what {len(lacking)} {need} that was not given ({which})"
    return [*([indented(alarming, first="")] if alarming else []), sentence(f"{summary}.")]


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
    more = f"{finding.attack.replace(' ', '_')}(evidence, budget=...) in Python takes more"
    reason = in_options(finding.reason, {"more_budget_of_attack": more})
    return LACKING.get(finding.attack, reason) + (f". {WARNING}" if "composition" in finding.attack else "")


def _classic(finding: Finding) -> str:
    baseline = "" if finding.baseline is None else f" ({finding.against}: {probability(finding.baseline)})"
    return finding.sentence + baseline + (f" {WARNING}" if "composition" in finding.attack else "")


def indented(texts: Mapping[str, str], first: str = "  ") -> str:
    """A name, a colon and a text, wrapped."""
    return "\n".join(sentence(f"{name}: {text}", first=first) for name, text in texts.items())
