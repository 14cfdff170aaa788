"""How often those are right who do not reason but guess: beside every promise, in one plain line.

A promise bounds what somebody believes to whom all ways of handing out the published values seemed equally likely.
Somebody who learns from the release which values go with which people (:class:`pellucid.Learned`, deFinetti's attack)
is not covered, and the share of people about whom their best guess is right says what that is worth. Always guessing
the most frequent value is what it is to be compared with: that needs no release of single rows.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pellucid.attacking.adversary import Adversary, Learned
from pellucid.attacking.suite import MOST_SCORED, AttackReport
from pellucid.attacking.unknown import is_unknown
from pellucid.wording import percent

LEARNER = Adversary(prior=Learned()).name
COVERED_BY_NONE = "none"


@dataclass(frozen=True)
class Guessing:
    """The share of people about whom a guess is right: of the most frequent value, and by learning from the release.

    ``learned`` is None where it is not known; ``why`` then says why not. ``claim`` is the guarantee of the release,
    ``"none"`` where nothing is promised.

    >>> Guessing("disease", 0.21, 0.34, claim="algorithm").line
    'Who only guesses the most frequent disease is right for 21 % of the people; who learns from the release, whom the \
promise does not cover, for 34 %.'
    >>> Guessing("disease", 0.21, 0.18, claim="algorithm").line.partition("; ")[2]
    'who learns from the release, whom the promise does not cover, is right no more often: for 18 %.'
    """

    column: str
    frequent: float
    learned: float | None
    why: str = ""
    claim: str = "algorithm"

    @property
    def line(self) -> str:
        """One line, for whoever reads the promise."""
        covered = "no promise covers" if self.claim == COVERED_BY_NONE else "the promise does not cover"
        said = f"Who only guesses the most frequent {self.column} is right for {percent(self.frequent)} of the people; "
        who = f"who learns from the release, whom {covered}, "
        if self.learned is None:
            return f"{said}how often somebody is right {who}is not known: {self.why}."
        if self.learned > self.frequent:
            return f"{said}{who}for {percent(self.learned)}."
        return f"{said}{who}is right no more often: for {percent(self.learned)}."

    def record(self) -> dict[str, Any]:
        """The figures and the line, for a program."""
        return asdict(self) | {"line": self.line}


def guessing_of(report: AttackReport, claim: str) -> Guessing:
    """What an attack found out about those who guess; ``claim`` is the guarantee of the release.

    >>> import pellucid as pc
    >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
    >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
    >>> guessing_of(pc.attack_all(release, truth=pc.datasets.patients(), adversaries=["learned"]), "algorithm").frequent
    0.25
    """
    learner = next((one for one in report.attempts if one.name == LEARNER), None)
    known = learner is not None and not is_unknown(learner)
    learned = learner.accuracy if known and learner is not None else None
    column = report.evidence.attribute.name
    return Guessing(column, report.by_guessing, learned, "" if learned is not None else _why_not(report), claim)


def _why_not(report: AttackReport) -> str:
    """Why it is not known how often the learner is right."""
    missed = next((one.why for one in report.missed if one.name == LEARNER), None)
    if missed is not None:
        return f"it could not be tried ({missed})"
    if not any(one.name == LEARNER for one in report.attempts):
        return "it was not tried"
    if not report.scored:
        return "only the true table tells"
    if len(report.evidence.people) > MOST_SCORED:
        return f"guesses are scored for up to {MOST_SCORED:,} people"
    return "nothing is shown about them"
