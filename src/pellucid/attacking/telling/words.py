"""What an attack found, in a sentence or two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from pellucid.attacking.adversary import Distribution, Learned
from pellucid.attacking.classic.finding import counted
from pellucid.attacking.exactness import Exactness
from pellucid.attacking.telling.prior_exposure import before_sentence, most_gained, newly_above
from pellucid.attacking.telling.report import AttackReport, Attempt
from pellucid.schema import Role
from pellucid.text.figures import percent, probability

DISTRIBUTION = "knows the distribution by "


def learned_from(attempt: Attempt) -> str | None:
    """What an attacker who guesses learned from; None for one who reasons from the release alone."""
    prior, evidence = attempt.beliefs.adversary.prior, attempt.beliefs.evidence
    if isinstance(prior, Learned):
        rows, groups = int(evidence.published.sizes.sum()), len(evidence.published)
        whole = f"{counted(rows, 'row')} in {counted(groups, 'group')}"
        if attempt.beliefs.drawn is not None:
            drawn, of_groups = attempt.beliefs.drawn
            lot = f"{counted(drawn, 'person', 'people')} in {counted(of_groups, 'group')}"
            return f"the release itself: {lot}, drawn by lot of {whole}, by naive Bayes"
        return f"the release itself: {whole}, by naive Bayes"
    if isinstance(prior, Distribution) and prior.probabilities is None:
        people, kinds = attempt.beliefs.evidence.people, 1
        for i in people.having(Role.QUASI):
            kinds *= len(people.attributes[i]) if people.attributes[i].name in prior.attributes else 1
        each = max(1, round(len(people) / kinds))
        some = "1 person" if each == 1 else f"{each:,} people"
        return f"the true table, by {' and '.join(prior.attributes)} (about {some} each)"
    if isinstance(prior, Distribution):
        return f"given statistics by {' and '.join(prior.attributes)}"
    return None


def most_frequent(report: AttackReport) -> float:
    """How often somebody is right who always guesses the value that is published most often."""
    return report.by_guessing


def merged(texts: Mapping[str, str]) -> dict[str, str]:
    """Names with the same text as one.

    >>> merged({"a": "x", "b": "y", "c": "x"})
    {'a; c': 'x', 'b': 'y'}
    """
    names_of: dict[str, list[str]] = {}
    for name, text in texts.items():
        names_of.setdefault(text, []).append(name)
    return {"; ".join(sharing): text for text, sharing in names_of.items()}


def verdict(report: AttackReport) -> str:
    """The whole in two or three sentences: who reasons from the release, who guesses, who is missing."""
    reasoning = [attempt for attempt in report.attempts if learned_from(attempt) is None]
    guessing = [attempt for attempt in report.attempts if learned_from(attempt) is not None]
    return " ".join(with_missed(report, [*_of_reasoning(report, reasoning), *_of_guessing(report, guessing)]))


def with_missed(report: AttackReport, sentences: Sequence[str]) -> list[str]:
    """What is known of those who were tried comes first, and what could not be tried after it.

    But where nobody knows what the algorithm tells, that comes first: of the others little follows.
    """
    wrong = [
        f"The release is not what it is said to be: {missed.why}." for missed in report.missed if missed.contradicts
    ][:1]
    if not report.attempts:
        return [*wrong, "Nothing was found out: no attacker could be tried."]
    if not report.missed:
        return [*wrong, *sentences]
    unknown = _of_unknown(report)
    if any(missed.kind == "algorithm" for missed in report.missed):
        return [*wrong, *unknown, *sentences, _of_missed(report)]
    return [*wrong, *sentences, *unknown, _of_missed(report)]


def _of_unknown(report: AttackReport) -> list[str]:
    """Of whom nothing is known though a verdict is about them, or though they know the algorithm."""
    whom = [missed.name for missed in report.missed if report.judges(missed.kind) or missed.kind == "algorithm"]
    return [f"Not shown: what somebody believes who {' or who '.join(short_names(whom))}."] if whom else []


def _of_missed(report: AttackReport) -> str:
    """All who could not be tried."""
    everyone = len(report.missed) + len(report.attempts)
    names = "; ".join(short_names([missed.name for missed in report.missed]))
    lacking = f"{len(report.missed)} of {everyone} attackers could not be tried, which says nothing about safety"
    return f"{lacking}: {names}."


def short_names(names: Sequence[str]) -> list[str]:
    """Names of attackers; those who know distributions by one column each are one.

    >>> short_names(["knows minimality", "knows the distribution by age", "knows the distribution by sex"])
    ['knows minimality', 'knows the distribution by age, sex']
    """
    columns = [name.removeprefix(DISTRIBUTION) for name in names if name.startswith(DISTRIBUTION)]
    others = [name for name in names if not name.startswith(DISTRIBUTION)]
    return [*others, *([DISTRIBUTION + ", ".join(columns)] if columns else [])]


def _not_shown(report: AttackReport, attempts: Sequence[Attempt]) -> str:
    why = "; ".join(dict.fromkeys(attempt.standing.why for attempt in attempts if attempt.standing is not None))
    who = " or ".join(attempt.name for attempt in attempts)
    return f"It is not shown that somebody who {who} stays within {report.limit}: {why}."


def _of_reasoning(report: AttackReport, tried: Sequence[Attempt]) -> list[str]:
    if not tried:
        return []
    worst = max(tried, key=lambda attempt: attempt.max_risk)
    counting = report.evidence.counting
    if report.limit is None:
        return [
            f"The most that is believed of anybody{counting} is {probability(worst.max_risk)}, by one who {worst.name}."
        ]
    if worst.exceeds:
        return [_above_the_limit(report, worst)]
    open_ = [attempt for attempt in tried if attempt.standing is not None and attempt.standing.holds is None]
    if open_:  # their figures are within it, and no figure shows that by itself
        return [_not_shown(report, open_)]
    if len(tried) == 1:
        return [f"Somebody who {worst.name} believes at most {report.limit} of anybody{counting}."]
    return [
        f"None of the {len(tried)} attackers who reason from the release believes more than {report.limit} of "
        f"anybody{counting}."
    ]


def _above_the_limit(report: AttackReport, worst: Attempt) -> str:
    """What somebody believes whose figures are above the limit, or may be where they are sampled."""
    above = above_words(worst, worst.people)
    low, figure, high = worst.interval
    sampled = worst.beliefs.sampled
    if sampled and report.bound is not None and worst.beliefs.max_risk <= report.bound * (1 + 1e-9):
        return (
            f"It is not shown that somebody who {worst.name} stays within {report.limit}: of the person who may be "
            f"known best, sampled worlds give {probability(figure)}, which may be up to {probability(high)}; "
            f"{above}."
        )
    bounded = sampled or most_words(worst).startswith("<=")
    word = "may believe up to" if bounded else "believes"
    also = ""
    if sampled and low < high:
        also = f" (sampled: {probability(figure)}, from {probability(low)} to {probability(high)})"
    return (
        f"Somebody who {worst.name} {word} {probability(high)}{also} of a person{report.evidence.counting}, more than "
        f"{report.limit}; {above}."
    )


def _of_guessing(report: AttackReport, tried: Sequence[Attempt]) -> list[str]:
    before = before_sentence(tried, report.limit)
    known = [before] if before else []
    bold = [attempt for attempt in tried if len(newly_above(attempt)) or report.limit is None]
    if not bold:
        return known
    worst = max(bold, key=lambda attempt: (round(most_gained(attempt), 9), attempt.accuracy or 0.0))
    hits = ""
    if worst.accuracy is not None:
        hits = f", and guesses right for {percent(worst.accuracy)} of people (the most frequent value alone: "
        hits += f"{percent(most_frequent(report))})"
    sure = f"{'about' if worst.beliefs.by_lot else 'up to'} {probability(most_gained(worst))}"
    return [f"One who {worst.name} is {sure} sure of somebody{hits}.", *known]


def above_words(attempt: Attempt, people: int) -> str:
    """How many people are above 1/l; where that is not certain, how many surely are, and how many may be."""
    surely, most = len(attempt.surely_above), len(attempt.above)
    limit = Fraction(attempt.bound or 1).limit_denominator(1_000_000)
    of = f" of {people:,} people" if people else " people"
    if attempt.beliefs.by_lot:
        return f"about {most:,}{of} {'is' if most == 1 else 'are'} above {limit}"
    if surely == most:
        return f"{most:,}{of} {'is' if most == 1 else 'are'} above {limit}"
    return f"{surely:,}{of} surely {'is' if surely == 1 else 'are'} above {limit}, up to {most:,} may be"


def most_words(attempt: Attempt) -> str:
    """The most that is believed of anybody, marked where it is a bound or an estimate."""
    if attempt.beliefs.sampled or attempt.beliefs.by_lot:
        return attempt.written
    bounded = attempt.beliefs.upper is not None and attempt.max_risk > attempt.beliefs.max_risk * (1 + 1e-9)
    bounded = bounded or attempt.beliefs.exactness is Exactness.BOUND
    return ("<= " if bounded else "") + probability(attempt.max_risk)
