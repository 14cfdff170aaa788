"""How often those are right who do not reason but guess: beside every promise, in one plain line.

A promise bounds what somebody believes to whom all ways of handing out the published values seemed equally likely
(:mod:`pellucid.core.sentence`). Somebody who learns from the release which values go with which people is not covered,
and the share of people about whom their best guess is right says what that is worth. Always guessing the most frequent
value is what it is to be compared with: that needs no release of single rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pellucid.messages import Message, People, Share
from pellucid.runtime.records import record
from pellucid.text.figures import percent

COVERED_BY_NONE = "none"


@record()
class Guessing:
    """The share of people about whom a guess is right: of the most frequent value, and by learning from the release.

    ``counted`` is that of who counts values in a group and guesses the most frequent one there; None where not known.
    Where it is open who is in which group, ``told`` is what it is for somebody who is told that, by the counts that are
    published; None where ``counted`` is about somebody who knows it.
    ``learned`` is None where it is not known; ``why`` then says why not. ``claim`` is the guarantee of the release,
    ``"none"`` where nothing is promised. All are about the people whose rows are published: the ``withheld`` rows count
    for nobody, and the most frequent value is that of the rows which are published, as an attacker sees them.

    >>> Guessing("disease", 0.21, 0.34, claim="algorithm").line
    'Who only guesses the most frequent disease is right for 21 % of the people; who learns from the release, whom the \
promise does not cover, for 34 %.'
    >>> Guessing("disease", 0.21, 0.34, claim="algorithm", counted=0.25).line.partition("; ")[0]
    'Who only guesses the most frequent disease is right for 21 % of the people, who counts in the groups for 25 %'
    >>> Guessing("disease", 0.21, None, "it was not tried", counted=0.13, told=0.25).line.partition("; ")[0][76:]
    'who counts in the groups for 13 %, and for at least 25 % by the published counts if told who is in which'
    >>> Guessing("disease", 0.21, 0.18, claim="algorithm").line.partition("; ")[2]
    'who learns from the release, whom the promise does not cover, is right no more often: for 18 %.'
    >>> Guessing("disease", 0.21, 0.253, claim="algorithm", counted=0.25).line.partition("cover, ")[2]
    'is right hardly more often: for 25 %.'
    >>> Guessing("disease", 0.21, 0.34, claim="algorithm", withheld=3).line.partition("; ")[0]
    'Who only guesses the most frequent disease is right for 21 % of the people whose rows are published'
    """

    column: str
    frequent: float
    learned: float | None
    why: str = ""
    claim: str = "algorithm"
    counted: float | None = None
    withheld: int = 0
    told: float | None = None

    @property
    def line(self) -> Message:
        """One line, for whoever reads the promise."""
        return Message.joined([self._guessing, self._learning])

    @property
    def _guessing(self) -> Message:
        """How often who only guesses is right, and who counts in the groups: as it was tried, and if told more."""
        line = Message(
            "Who only guesses the most frequent {column} is right for {frequent} of the {people}{published}",
            column=self.column,
            frequent=Share(self.frequent),
            people=People("people whose rows are" if self.withheld else "people"),
            published=" published" if self.withheld else "",
        )
        if self.counted is None:
            return line
        told = self.told if self.told is not None and self.told >= self.counted else self.counted
        line = Message("{line}, who counts in the groups for {counted}", line=line, counted=Share(self.counted))
        if percent(told) == percent(self.counted):
            return line
        more = "{line}, and for at least {told} by the published counts if told who is in which"
        return Message(more, line=line, told=Share(told))

    @property
    def _learning(self) -> Message:
        """How often who learns from the release is right, or why that is not known."""
        covered = "no promise covers" if self.claim == COVERED_BY_NONE else "the promise does not cover"
        who = Message("who learns from the release, whom {covered},", covered=Message(covered))
        if self.learned is None:
            why = Message(self.why)
            return Message("how often somebody is right {who} is not known: {why}.", who=who, why=why)
        best, learned = max(self.frequent, self.counted or 0.0), Share(self.learned)
        if self.learned > best and percent(self.learned) != percent(best):
            return Message("{who} for {learned}.", who=who, learned=learned)
        if self.learned > best:
            return Message("{who} is right hardly more often: for {learned}.", who=who, learned=learned)
        return Message("{who} is right no more often: for {learned}.", who=who, learned=learned)

    @staticmethod
    def together(guesses: Sequence[Guessing]) -> Message:
        """The lines of several columns; what is not known of any of them is said once.

        >>> how = dict(learned=None, why="'pellucid attack' tells it")
        >>> Guessing.together([Guessing("disease", 0.21, **how), Guessing("income", 0.5, **how)]).partition(";")[0]
        'Who only guesses the most frequent disease is right for 21 % of the people, the most frequent income for 50 %'
        """
        alike = len({(guess.why, guess.claim) for guess in guesses}) == 1
        if (
            len(guesses) < 2
            or not alike
            or any(guess.learned is not None or guess.counted is not None for guess in guesses)
        ):
            return Message.joined((guess.line for guess in guesses), " ")
        other = "the most frequent {column} for {share}"
        others = (Message(other, column=guess.column, share=Share(guess.frequent)) for guess in guesses[1:])
        return Message.joined([Message.joined([guesses[0]._guessing, *others], ", "), guesses[0]._learning])

    def record(self) -> dict[str, Any]:
        """The figures and the line, for a program."""
        return asdict(self) | {"line": self.line}
