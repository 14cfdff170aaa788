"""What attackers with statistics get right, in words: one sentence, and the lines of a table, for every surface."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.messages import Count, Message, People, Probability, Share
from pellucid.risk.report.results import AttackerResult, AttackResult
from pellucid.risk.report.rightly import Above, Rightly, Statistic
from pellucid.risk.report.with_statistics import SIZE
from pellucid.runtime.records import record

SHOWN = 4  # single columns with a line of their own: those who are right most often
LEARNER = Message("learned from release")
NONE = "–"
Cells = tuple[Message, ...]


@record()
class RightLine:
    """A line of the table: who, what that attacker gets right, and why that is not known where it is not."""

    name: Message
    right: Rightly | None
    why: str = ""


def right_lines(result: AttackResult) -> list[RightLine]:
    """Every attacker with statistics, what is known least first; empty where nobody asked."""
    ranked = sorted(
        (one for one in result.statistics if one.by == "column" and one.right is not None),
        key=lambda one: -(one.right.right if one.right else 0.0),
    )
    shown = [one for one in result.statistics if one.by != "column" or one in ranked[:SHOWN] or one.right is None]
    lines = [RightLine(name_of(one), one.right, one.why) for one in shown]
    return lines + [RightLine(LEARNER, one.rightly) for one in result.attackers if one.learns and one.rightly]


@record()
class RightTable:
    """The table: titles of parts with their heads, rows with a name and cells, who is not known and why, a legend."""

    parts: tuple[tuple[Message, tuple[str, ...]], ...]
    rows: tuple[tuple[Message, tuple[Message, ...]], ...]
    absent: tuple[tuple[Message, str], ...]
    legend: Message


def right_table(result: AttackResult) -> RightTable | None:
    """What each attacker with statistics gets right; of rare values what is believed above the bound comes first."""
    lines = right_lines(result)
    known = [(line.name, line.right) for line in lines if line.right is not None]
    if not known:
        return None
    column, bounded, both = known[0][1], result.limit is not None, ("without", "with")
    parts = [(Message("guess right"), both), (Message("truth"), both)]
    above = [(_above_title(result), (*both, "base"))] if bounded else []
    alone = (_share(column.right_column), _share(None), _share(column.mean_column), _share(None))
    of_column = (Message("of the column alone"), _in_order(result, alone, (_share(None),) * 3))
    rows = [(name, _in_order(result, _guessed(right), _above(right))) for name, right in known]
    return RightTable(
        tuple([*above, *parts] if result.counting else [*parts, *above]),
        (of_column, *rows),
        tuple((line.name, line.why) for line in lines if line.right is None),
        _legend(result, above[0][0] if bounded else None),
    )


def _above_title(result: AttackResult) -> Message:
    drawn = sample(result)
    if drawn is None:
        return Message("above {limit}", limit=limit_of(result))
    return Message("above {limit}, of {drawn:,}", limit=limit_of(result), drawn=drawn)


def _legend(result: AttackResult, above: Message | None) -> Message:
    parts = [
        Message(
            "without, with: without the release and with it; guess right: of how many {people} the best guess is the "
            "truth; truth: its mean probability.",
            people=People(),
        )
    ]
    if above is not None:
        told = "{above}: of how many {people} more is believed, in brackets how many of these beliefs are right; base: "
        parts.append(Message(told + "how many of all {people} have such a value.", above=above, people=People()))
    return Message.joined([*parts, *filter(None, [drawn_by_lot(result)])], " ")


def _in_order(result: AttackResult, guessed: Cells, above: Cells) -> Cells:
    shown = above if result.limit is not None else ()
    return (*shown, *guessed) if result.counting else (*guessed, *shown)


def _guessed(right: Rightly) -> Cells:
    return tuple(map(_share, (right.right_alone, right.right, right.mean_alone, right.mean)))


def _above(right: Rightly) -> Cells:
    alone, with_it = right.above
    base = None if with_it is None else with_it.base
    return _people(alone), _people(with_it), _share(base)


def _share(figure: float | None) -> Message:
    return Message(NONE) if figure is None else Message("{share}", share=Share(figure))


def _people(above: Above | None) -> Message:
    if above is None or above.share is None:
        return Message(NONE if above is None else "0")
    return Message("{people:,} ({share})", people=above.people, share=Share(above.share))


def limit_of(result: AttackResult) -> Message:
    """What the promise allows, in a word or two."""
    if result.limit is None:
        return Message("")
    return Message("{limit}", limit=Probability(result.limit)) if result.larger is None else Message("their bound")


def in_table(one: AttackerResult, result: AttackResult) -> bool:
    """Whether the table has this attacker's figures, or those of the same statistic where it has support."""
    by = {other.columns for other in result.statistics if other.by == "column" and other.right is not None}
    return one.learns or (one.who.columns in by and one.sharing is not None)


def name_of(one: Statistic) -> Message:
    """What an attacker knows statistics by; of whom, where values that few people have are left out.

    >>> name_of(Statistic("pair", ("age", "sex"))), name_of(Statistic("strata", ("age", "sex")))
    ('by age and sex', 'of strata of 50 people')
    >>> name_of(Statistic("column", ("age",), supported=90, least=20, unsupported=3))
    'by age, of 20 people or more'
    """
    if one.by == "strata":
        return Message("of strata of {people}", people=Count(SIZE, "person", "people"))
    if one.by == "columns":
        return Message("by every column (naive Bayes)")
    by = Message("by {columns}", columns=" and ".join(one.columns))
    some = Message("{by}, of {least} or more", by=by, least=Count(one.least, "person", "people"))
    return some if one.unsupported else by


def strongest(statistics: Sequence[Statistic], *, some: bool) -> tuple[Message, Rightly] | None:
    """The attacker whose best guesses are right most often with the release, and what they are; None for nobody.

    Where ``some`` values count, which may be rare: of whom most beliefs above the bound are right.
    """
    known = [(name_of(one), one.right) for one in statistics if one.right is not None]
    return max(known, key=lambda one: _strength(one[1], some=some), default=None)


def _strength(right: Rightly, *, some: bool) -> tuple[float, float]:
    return (right.correct or 0) if some else 0, right.right


def right_sentence(result: AttackResult) -> Message:
    """The strongest attacker with statistics: right without the release, and with it; empty where nobody is scored."""
    lines = [(line, line.right) for line in right_lines(result)]
    known = [(line, right) for line, right in lines if right is not None and right.right_alone is not None]
    if not known:
        return _not_known(result)
    line, right = max(known, key=lambda one: _strength(one[1], some=bool(result.counting)))
    name = strongest_name(line)
    if result.counting and right.believed is not None:
        above = above_words(right, result, Message("{name}, an attacker is", name=name))
        return Message.joined([above, _guessed_right(right, Message("The"))], " ")
    some = sum(one.people for one in right.above if one is not None)
    above = above_words(right, result, Message("That attacker is")) if some else Message("")
    guessed = _guessed_right(right, Message("{name}, an attacker's", name=name))
    return Message.joined([one for one in (guessed, above) if one], " ")


def _not_known(result: AttackResult) -> Message:
    why = next((one.why for one in result.statistics if one.why), None)
    told = "How often attackers with statistics are right is not known: {why}."
    return Message(told, why=Message(why)) if why else Message("")


def _guessed_right(right: Rightly, whose: Message) -> Message:
    return Message(
        "{whose} best guess is right for {alone} of the {people} without the release and for {with_it} with it (the "
        "most frequent value alone: {column}).",
        whose=whose,
        alone=Share(right.right_alone or 0.0),
        with_it=Share(right.right),
        column=Share(right.right_column),
        people=People(),
    )


def above_words(right: Rightly, result: AttackResult, who: Message, without: str = "without the release") -> Message:
    """Of how many people more than the bound is believed, without the release and with it, and how often rightly."""
    alone, with_it = right.above
    assert with_it is not None
    base = with_it.base if alone is None or with_it.base is not None else alone.base
    drawn = sample(result)
    told = "{who} above {limit} for {alone}{with_it}{of}{base}."
    return Message(
        told,
        who=who,
        limit="the bound" if result.larger is not None else limit_of(result),
        alone="" if alone is None else Message("{people} {without} and for ", people=_rightly(alone), without=without),
        with_it=Message("{people} with it", people=_rightly(with_it)),
        of="" if drawn != right.people else Message(" (of {drawn:,} drawn by lot)", drawn=drawn),
        base="" if base is None else Message(", where {base} of all have such a value", base=Share(base)),
    )


def _rightly(above: Above) -> Message:
    people = Message("{people}", people=Count(above.people, "person", "people"))
    if above.share is None:
        return people
    return Message("{people} ({share} rightly)", people=people, share=Share(above.share))


def strongest_name(line: RightLine) -> Message:
    """What the strongest attacker knows, at the beginning of a sentence."""
    if line.name == LEARNER:
        return Message("By learning from the release")
    return Message("With statistics {name}", name=line.name)


def sample(result: AttackResult) -> int | None:
    """How many people were drawn by lot, in whose groups statistics are scored; None where they are everybody."""
    return next((one.right.people for one in result.statistics if one.drawn and one.right is not None), None)


def drawn_by_lot(result: AttackResult) -> Message:
    """Whose figures these are, where not everybody's; empty otherwise."""
    drawn = sample(result)
    if drawn is None:
        return Message("")
    told = "Statistics: figures of {people}, in whole groups drawn by lot; learned from release, and attackers below: "
    return Message(told + "of everybody.", people=Count(drawn, "person", "people"))
