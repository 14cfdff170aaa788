"""What one attack found, in the same form for all of them, so that a report can show them side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import AttackError, ModelError
from pellucid.messages import Count, Message
from pellucid.risk.views import Evidence
from pellucid.text.figures import counted as counted

Rows = NDArray[np.int64]
Truth = NDArray[np.int32] | None  # the sensitive codes of the people, where they are known


@dataclass(frozen=True, eq=False)
class Finding:
    """A figure with its baseline, who is exposed, and a sentence; or the reason why the attack did not run.

    ``figure`` is what ``measure`` says, ``baseline`` the same without the release (``against`` says how), and ``worse``
    which way is worse for the people. ``exposed`` are the rows of the people whom the attack reaches, ascending. An
    attack that did not run has no figure and says nothing about safety: ``reason`` tells what it lacked.

    >>> about = About("guessing", "Somebody guesses.", "nobody", "probability to be right", "a coin")
    >>> about.finding(0.5, 0.5, np.array([2, 0]), "It is a coin.").record()["exposed"]
    2
    >>> about.missed("there is no coin; bring one").ran
    False
    """

    attack: str
    story: str
    reference: str
    measure: str
    against: str
    figure: float | None
    baseline: float | None
    exposed: Rows
    sentence: str
    details: Mapping[str, Any] = field(default_factory=dict)
    worse: Literal["higher", "lower"] = "higher"
    reason: str = ""
    asked: bool = False  # whether somebody gave what only this attack takes, and so wants to know what came of it

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", Message(self.reason))
        if (self.figure is None) != bool(self.reason):
            raise ValueError(f"{self.attack}: a finding has either a figure or a reason why there is none")
        if self.figure is not None and not np.isfinite(self.figure):
            raise ValueError(f"{self.attack}: {self.figure} is no figure")
        rows = np.array(self.exposed, dtype=np.int64)
        if (np.diff(rows) <= 0).any():  # mostly ascending already, and sorting millions takes seconds
            rows = np.unique(rows)
        rows.flags.writeable = False
        object.__setattr__(self, "exposed", rows)

    @property
    def name(self) -> str:
        """The attack's name."""
        return self.attack

    @property
    def ran(self) -> bool:
        """Whether the attack could run."""
        return self.figure is not None

    def record(self) -> dict[str, Any]:
        """The finding for a report: everything but who is exposed, who are counted."""
        described = {key: getattr(self, key) for key in ("attack", "story", "reference", "measure", "against")}
        if not self.ran:
            return {**described, "ran": False, "reason": self.reason}
        return {
            **described,
            "ran": True,
            "figure": self.figure,
            "baseline": self.baseline,
            "worse": self.worse,
            "exposed": len(self.exposed),
            "sentence": self.sentence,
            "details": {key: _plain(value) for key, value in self.details.items()},
        }


@dataclass(frozen=True)
class About:
    """What does not depend on the release: the attack's name, story and source, and what its figure means."""

    attack: str
    story: str
    reference: str
    measure: str
    against: str
    worse: Literal["higher", "lower"] = "higher"

    def finding(self, figure: float, baseline: float | None, exposed: Any, sentence: str, **details: Any) -> Finding:
        """What the attack found."""
        before = None if baseline is None else float(baseline)
        return self._told(
            figure=float(figure),
            baseline=before,
            exposed=np.asarray(exposed, dtype=np.int64),
            sentence=sentence,
            details=details,
        )

    def missed(self, reason: str) -> Finding:
        """The attack did not run."""
        none = np.zeros(0, np.int64)
        return self._told(figure=None, baseline=None, exposed=none, sentence="", reason=reason)

    def _told(self, **figures: Any) -> Finding:
        return Finding(**{one.name: getattr(self, one.name) for one in fields(self)}, **figures)


@dataclass(frozen=True)
class ClassicAttack:
    """An attack that is tried on every release: what it is about, how it runs, and its ``place`` in a report.

    A file of this folder lists its own as ``ATTACKS``; they are found there. Where ``run`` is None one release does not
    allow it, and ``lacking`` says what it takes.
    """

    place: int
    about: About
    run: Callable[[Evidence, Truth], Finding] | None = None
    lacking: str = ""
    concerns: Callable[[Evidence], bool] = lambda _: True  # whether there is anything that it is about

    def on(self, evidence: Evidence, truth: Truth) -> Finding:
        """What it finds, or why it did not run; ``truth`` is for scoring only."""
        if self.run is None:
            return self.about.missed(self.lacking)
        try:
            return self.run(evidence, truth)
        except (AttackError, ModelError) as lacking:
            return self.about.missed(lacking.message)


def some(people: int) -> Count:
    """So many people; where several rows belong to one person, a surface counts rows."""
    return Count(people, "person", "people")


def who_are(people: int) -> Message:
    """So many people, as the subject of a sentence.

    >>> who_are(1), who_are(2)
    ('1 person is', '2 people are')
    """
    return Message("{people} {are}", people=some(people), are="is" if people == 1 else "are")


def people_in(evidence: Evidence, groups: NDArray[np.bool_]) -> Rows:
    """The rows of the people in the groups that are marked."""
    labels = evidence.grouping.labels
    return np.flatnonzero((labels >= 0) & groups[labels]).astype(np.int64)


def require_people(evidence: Evidence) -> None:
    """Raise when nothing but published values is known of anybody: an attack by people's own values cannot run."""
    if evidence.anonymous and evidence.crowd is not None:
        raise AttackError(
            "needs to know who is in which group, which is not certain: {way_out}", way_out=evidence.way_out
        )
    if evidence.anonymous:
        raise AttackError(
            "needs people's own quasi-identifiers, and nobody's are known", "give the people of the table"
        )


def number_of_people(evidence: Evidence) -> int:
    """How many people are in groups; an attack on nobody cannot run."""
    people = len(evidence.grouping.members)
    if people == 0:
        raise AttackError("nobody is in a published group, so there is nobody to attack", "publish something first")
    return people


def share_right(
    evidence: Evidence, rows: Rows, guesses: NDArray[Any], truth: NDArray[np.int32] | None
) -> dict[str, float]:
    """How many of the guesses about these people are true, where the truth is known; nothing else looks at it."""
    if truth is None or len(rows) == 0:
        return {}
    if len(truth) != len(evidence.people):
        raise AttackError(f"the truth has {len(truth):,} rows and the population {len(evidence.people):,}")
    return {"right": float((truth[rows] == guesses).mean())}


def _plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
