"""What attackers with statistics get right, in words: one sentence, and the lines of a table, for every surface."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.attacking.telling.results import AttackResult
from pellucid.attacking.telling.rightly import Rightly, Statistic
from pellucid.attacking.telling.with_statistics import SIZE
from pellucid.messages import Count, Message, People, Probability, Share
from pellucid.records import record

SHOWN = 4  # single columns with a line of their own: those who are right most often
LEARNER = Message("learned from the release")


@record()
class RightLine:
    """A line of the table: who, what that attacker gets right, and why that is not known where it is not."""

    name: Message
    right: Rightly | None
    why: str = ""

    @property
    def share(self) -> float | None:
        """How many of the beliefs above the bound are right; None without any."""
        right = self.right
        return right.correct / right.believed if right and right.believed and right.correct is not None else None


def right_lines(result: AttackResult) -> list[RightLine]:
    """Every attacker with statistics, what is known least first; empty where nobody asked."""
    ranked = sorted(
        (one for one in result.statistics if one.by == "column" and one.right is not None),
        key=lambda one: -(one.right.right if one.right else 0.0),
    )
    shown = [one for one in result.statistics if one.by != "column" or one in ranked[:SHOWN] or one.right is None]
    lines = [RightLine(name_of(one), one.right, one.why) for one in shown]
    return lines + [RightLine(LEARNER, one.rightly) for one in result.attackers if one.learns and one.rightly]


def name_of(one: Statistic) -> Message:
    """What an attacker knows statistics by.

    >>> name_of(Statistic("pair", ("age", "sex"))), name_of(Statistic("strata", ("age", "sex")))
    ('by age and sex', 'of strata of 50 people')
    """
    if one.by == "strata":
        return Message("of strata of {people}", people=Count(SIZE, "person", "people"))
    if one.by == "columns":
        return Message("by every column (naive Bayes)")
    return Message("by {columns}", columns=" and ".join(one.columns))


def strongest(statistics: Sequence[Statistic]) -> tuple[Message, Rightly] | None:
    """The attacker whose best guesses are right most often with the release, and what they are; None for nobody."""
    known = [(name_of(one), one.right) for one in statistics if one.right is not None]
    return max(known, key=lambda one: one[1].right, default=None)


def right_sentence(result: AttackResult) -> Message:
    """The strongest attacker with statistics: right without the release, and with it; empty where nobody is scored."""
    known = [line for line in right_lines(result) if line.right is not None and line.right.right_alone is not None]
    if not known:
        why = next((one.why for one in result.statistics if one.why), None)
        told = "How often attackers with statistics are right is not known: {why}."
        return Message(told, why=Message(why)) if why and result.scored else Message("")
    line = max(known, key=lambda line: line.right.right if line.right else 0.0)
    right = line.right
    assert right is not None
    strongest = Message(
        "{name}, an attacker's best guess is right for {alone} of the {people} without the release and for {with_it} "
        "with it (the most frequent value alone: {column}).",
        name=strongest_name(line),
        alone=Share(right.right_alone or 0.0),
        with_it=Share(right.right),
        column=Share(right.right_column),
        people=People(),
    )
    if not right.believed or line.share is None:
        return strongest
    above = Message(
        "Of {believed} believed above {limit}, {share} are believed rightly.",
        believed=Count(right.believed, "person", "people"),
        limit=limit_in_words(result),
        share=Share(line.share),
    )
    return Message.joined([strongest, above], " ")


def strongest_name(line: RightLine) -> Message:
    """What the strongest attacker knows, at the beginning of a sentence."""
    if line.name == LEARNER:
        return Message("By learning from the release")
    return Message("With statistics {name}", name=line.name)


def limit_in_words(result: AttackResult) -> Probability | Message:
    """What the people believed above a bound are counted against."""
    return Probability(result.limit or 1) if result.larger is None else Message("what is promised of them")


def drawn_by_lot(result: AttackResult) -> Message:
    """Whose figures these are, where not everybody's; empty otherwise."""
    some = next((one.right for one in result.statistics if one.drawn and one.right is not None), None)
    if some is None:
        return Message("")
    told = "Statistics: figures of {people}, in whole groups drawn by lot."
    return Message(told, people=Count(some.people, "person", "people"))
