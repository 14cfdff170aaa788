"""What ``pellucid attack`` tells a person: a verdict, a table with a legend, who is known best and why, details.

It lays out the record of an attack (:mod:`pellucid.risk.report.results`); sentences come with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pellucid.cli.show import labelled, sentence
from pellucid.cli.wording import ATTACK, Terminal
from pellucid.messages import Message, NoteKind, People, kind_of_note
from pellucid.risk.attacks.finding import Finding
from pellucid.risk.report.attack_report import Missed
from pellucid.risk.report.results import AttackerResult, AttackResult, Largest
from pellucid.risk.report.sentences import (
    guessing_lines,
    how_right,
    measured_on_the_truth,
    merged,
    names,
    own_limits,
    sampled,
    verdict_lines,
    warning_of,
)
from pellucid.risk.report.statistics_words import limit_of, right_sentence, right_table
from pellucid.text.figures import counted, percent, probability
from pellucid.text.values import begun

# What the library says of an attack that lacks something names its functions; here a person has options.
LACKING = {
    "combinatorial refinement": "needs the rounds in which the release was recoded, which no option takes",
    "negative rules": "needs rules of what never occurs together, which no option takes",
    "composition": "needs another release of the same people: name it with --also",
    "downcoding": "is about minimal releases for k-anonymity; name that with --model k-anonymity=K",
}
WIDEST = 30  # letters of an attacker's name before the figures
NARROW = 22  # the same where there are many figures
ALARMING = ("homogeneity", "uniqueness")  # classic attacks that are told without --details when they expose somebody


NOTES = Terminal()


def first_lines(result: AttackResult) -> list[str]:
    """The verdict, in options."""
    rest = [] if result.rest is None else [result.rest.sentence]
    lines = [*verdict_lines(result), right_sentence(result), *guessing_lines(result), *rest]
    return [ATTACK.tell(line) for line in lines if line]


def in_words(result: AttackResult, *, details: bool = False) -> str:
    """The record for a person, without the verdict."""
    parts = [*right_words(result), labelled(_about(result)), table_words(result), *_worst(result)]
    parts += _not_tried(result)
    parts += _classic_details(result) if details else _classic_in_short(result)
    return "\n\n".join(parts)


def _about(result: AttackResult) -> dict[str, str]:
    made = "nobody says how" if result.method is None else result.method
    lines = {
        "release": f"{result.source}: {counted(result.rows, 'row')} in {counted(result.groups, 'group')}, "
        f"{result.column} is sensitive",
        "made by": made + ("" if result.model is None else f", for {result.model}"),
        "people": people_words(result),
    }
    if result.notes:
        lines["note"] = " ".join(f"{begun(NOTES.tell(note))}." for note in result.notes)
    return lines


def people_words(result: AttackResult) -> str:
    """How many people there are, and how many of them the release may be about."""
    everyone, inside = result.everyone, result.inside
    if result.anonymous:
        return f"not known: each of the {everyone:,} rows stands for somebody (--population names people)"
    if inside == everyone == result.rows:
        return f"{everyone:,}, all of them in the table"
    return f"{everyone:,}, of whom {inside:,} {'are' if inside <= result.rows else 'may be'} in the table"


def table_words(result: AttackResult) -> str:
    """One line for each attacker, a caveat below those who guess, and what the columns mean."""
    if not result.attackers:
        return "No attacker could be tried."
    heads = ["somebody who", "most", "by count"]
    heads += [f"above {limit_of(result)}"] * (result.limit is not None) + ["right"] * result.scored
    rows = {id(one): _cells(one, result) for one in result.attackers}
    wide = [max(len(line[i]) for line in [heads, *rows.values()]) for i in range(len(heads))]
    wide[0] = min(wide[0], WIDEST)
    lines = [_line(heads, wide)]
    for title, some in parts_of(result):
        lines += [sentence(title)] if title else []
        lines += _lines_of(some, [rows[id(one)] for one in some], wide, result)
        measured = measured_on_the_truth(some)
        lines += [sentence(measured, first="    ")] if measured else []
    return "\n".join([*lines, sentence(legend(result), first="  ")])


def right_words(result: AttackResult) -> list[str]:
    """What attackers with statistics get right, without the release and with it, beside the most frequent value."""
    found = right_table(result)
    if found is None:
        return []
    rows = [[ATTACK.tell(name), *map(ATTACK.tell, cells)] for name, cells in found.rows]
    heads = ["statistics", *(head for _, of_part in found.parts for head in of_part)]
    wide = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    wide[0] = min(wide[0], NARROW)
    titles, column = [f"{'':{wide[0]}}"], 1
    for title, of_part in found.parts:
        last = column + len(of_part)
        titles.append(f"{ATTACK.tell(title):^{sum(wide[column:last]) + 2 * len(of_part) - 2}}")
        column = last
    table = ["  ".join(titles).rstrip(), *(_line(row, wide) for row in [heads, *rows])]
    open_ = merged({ATTACK.tell(name): Message(why) for name, why in found.absent})
    table += [sentence(f"not known {name}: {ATTACK.tell(why)}.", first="  ") for name, why in open_.items()]
    return ["\n".join([*table, sentence(ATTACK.tell(found.legend), first="  ")])]


def _lines_of(
    some: Sequence[AttackerResult], rows: Sequence[Sequence[str]], wide: Sequence[int], result: AttackResult
) -> list[str]:
    """A line for each of some attackers, with what is to be known of it; what several share is said once."""
    lines: list[str] = []
    notes: dict[str, None] = {}
    columns = 0
    for one, (who, *figures) in zip(some, rows, strict=True):
        columns += one.who.by_column
        named = f"  by {' and '.join(one.who.columns)}" if one.who.by_column and columns > 1 else who
        lines.append(_line([named, *figures], wide))
        own = [sampled(one), ATTACK.tell(how_right(one, result)), *_own_notes(one, result)]
        lines += [sentence(note, first="    ") for note in own if note and note not in notes]
        notes |= dict.fromkeys(filter(None, own))
    return lines


def parts_of(result: AttackResult) -> list[tuple[str, list[AttackerResult]]]:
    """Those who are judged apart from the others, each part with its title; without one where all are judged."""
    judged, others = ([one for one in result.attackers if one.judged is yes] for yes in (True, False))
    if not others:
        return [("", judged)]
    rest = "-- not judged: nothing is promised about these, or they are mistaken --"
    return [part for part in ((f"-- judged: {result.judged.brief} --", judged), (rest, others)) if part[1]]


def legend(result: AttackResult) -> str:
    """What the columns of the table mean."""
    largest = [one.most for one in result.attackers]
    about = result.counting or f"'s {result.column}"
    parts = [f"most: the largest belief about anybody{about}"]
    marks = ["<=: not more than this"] * any(map(_is_bound, largest))
    marks += ["~: sampled, with the interval below"] * any(most.sampled for most in largest)
    if any(most.by_lot for most in largest):
        marks.append("~ of one who learned from a lot: an estimate, of which nothing is claimed")
    parts[0] += f" ({'; '.join(marks)})" if marks else ""
    parts.append("by count: the same for somebody who only counts values in the groups")
    if any(one.kind == "minimality" for one in result.attackers):
        parts.append("minimality: that nothing was made coarser than it had to be")
    if result.limit:
        above = Message(
            "above {limit}: {people} more than that is believed",
            limit=limit_of(result),
            people=People("people of whom"),
        )
        parts += [above, *filter(None, [own_limits(result)])]
    if any(one.guesses for one in result.attackers):
        parts.append("of one who learned, most is how sure that attacker is, not how often right")
    if result.scored:
        parts.append(Message("right: how many {people} the best guess is right about", people=People("people")))
    return ATTACK.tell(Message("{all}.", all=Message.joined(parts)))


def _cells(one: AttackerResult, result: AttackResult) -> list[str]:
    cells = [one.name, _most(one.most), probability(one.by_count)]
    if result.limit is not None:
        cells.append(_above(one))
    if result.scored:
        cells.append("" if one.accuracy is None else percent(one.accuracy))
    return cells


def _is_bound(most: Largest) -> bool:
    """Whether the figure is marked as a bound, and not as an estimate."""
    return most.bounded and not most.sampled and not most.by_lot


def _most(most: Largest) -> str:
    """The figure alone, marked where it is a bound or an estimate; an interval is told below it."""
    if most.interval:
        return f"~{probability(most.figure)}"
    if most.nothing:
        return "not shown"
    if most.estimated:
        return probability(most.low)
    mark = "~" if most.sampled or most.by_lot else "<= " if most.bounded else ""
    return f"{mark}{probability(most.value)}"


def _above(one: AttackerResult) -> str:
    number = f"{one.above:,}" if one.surely == one.above else f"{one.surely:,} to {one.above:,}"
    number = f"~{one.above:,}" if one.most.by_lot else number
    return f"{number} ({percent(one.share_above or 0.0)})"


def _line(cells: Sequence[str], wide: Sequence[int]) -> str:
    first, *rest = cells
    numbers = "  ".join(cell.rjust(width) for cell, width in zip(rest, wide[1:], strict=True))
    if len(first) > wide[0]:
        return f"{first}\n{'':<{wide[0]}}  {numbers}"
    return f"{first:<{wide[0]}}  {numbers}".rstrip()


def _own_notes(one: AttackerResult, result: AttackResult) -> list[str]:
    notes = [note for note in one.notes if note not in result.notes]
    return [f"{begun(NOTES.tell(note))}." for note in notes if kind_of_note(note) is not NoteKind.CONFIDENCE]


def _worst(result: AttackResult) -> list[str]:
    if not result.attackers:
        return []
    reasoning = [one for one in result.attackers if not one.guesses]
    one = max(result.of_judged or reasoning or result.attackers, key=lambda one: one.max_risk)
    rows = "" if result.named or result.anonymous else " Rows are counted from 0."
    return [] if one.worst is None else [sentence(f"Best known to one who {one.name}: {one.worst.reasoning}{rows}")]


def _not_tried(result: AttackResult) -> list[str]:
    if not result.missed:
        return []
    by_why: dict[str, list[Missed]] = {}
    for missed in result.missed:
        why = Message(missed.why)
        alike = why.way_out or why if missed.who.by_column else why  # but for the numbers
        by_why.setdefault(alike, []).append(missed)
    reasons = {"; ".join(names(one.who for one in some)): ATTACK.tell(some[0].why) for some in by_why.values()}
    return ["Not tried, which says nothing about safety:\n" + indented(reasons)]


def _at_once(result: AttackResult) -> dict[str, str]:
    """The alarming findings, and what came of the attacks that were given what only they take."""
    exposing = (one for one in result.findings if one.ran and len(one.exposed))
    alarming = {one.attack: one.sentence for one in exposing if one.attack in ALARMING}
    return alarming | {
        one.attack: one.sentence if one.ran else lacking_words(one) for one in result.findings if one.asked
    }


def _classic_in_short(result: AttackResult) -> list[str]:
    ran = [finding for finding in result.findings if finding.ran]
    alarming = _at_once(result)
    if not result.findings:
        return []
    summary = f"{len(ran)} classic attacks (linkage, skewness, ...) were tried: --details tells them"
    lacking = [finding.attack for finding in result.findings if not finding.ran]
    if lacking:
        which = ", ".join(lacking[:2]) + ", ..." * (len(lacking) > 2)
        need = "other needs" if len(lacking) == 1 else "others need"
        summary += f", and what {len(lacking)} {need} that was not given ({which})"
    return [*([indented(alarming, first="")] if alarming else []), sentence(f"{summary}.")]


def _classic_details(result: AttackResult) -> list[str]:
    parts = []
    ran = [finding for finding in result.findings if finding.ran]
    if ran:
        told = {}
        for one in ran:
            baseline = "" if one.baseline is None else f" ({one.against}: {probability(one.baseline)})"
            told[one.attack] = " ".join(filter(None, (one.sentence + baseline, warning_of(one))))
        parts.append("Classic attacks:\n" + indented(told))
    lacking = merged({one.attack: Message(lacking_words(one)) for one in result.findings if not one.ran})
    if lacking:
        parts.append("Classic attacks that lack something, which says nothing about safety:\n" + indented(lacking))
    return parts


def lacking_words(finding: Finding) -> str:
    """Why a classic attack did not run, in options."""
    more = f"{finding.attack.replace(' ', '_')}(evidence, budget=...) in Python takes more"
    reason = "" if finding.asked else LACKING.get(finding.attack, "")
    reason = reason or Terminal({"more_budget_of_attack": more}).tell(finding.reason)
    warning = warning_of(finding)
    return reason if warning is None else f"{reason}. {warning}"


def indented(texts: Mapping[str, str], first: str = "  ") -> str:
    """A name, a colon and a text, wrapped."""
    return "\n".join(sentence(f"{name}: {text}", first=first) for name, text in texts.items())
