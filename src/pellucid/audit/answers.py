"""What an audit answers: levels and verdicts, each about one sensitive column in one view, with the group behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import numpy as np

from pellucid.core.table import Codes
from pellucid.messages import Message
from pellucid.models.model import Level, Verdict, WorstGroup
from pellucid.runtime.notebook import line, table, view

if TYPE_CHECKING:
    from pellucid.audit.auditable import Asking
    from pellucid.models.groups import Groups

View = Literal["separate", "harmonised"]
Views = Literal["separate", "harmonised", "both"]


class Seen(Protocol):
    """Groups, and the way back from a group's number to what is published and to rows."""

    @property
    def groups(self) -> Groups:
        """The groups, or those that answers rest on."""

    def published(self, number: int) -> dict[str, Any]:
        """What the release says about a group: the values that its rows share."""

    def rows_of(self, number: int) -> Codes:
        """The rows of a group, in the order of the release, where rows have an order."""


@dataclass(frozen=True, eq=False)
class PublishedGroup(WorstGroup):
    """A group with the values that its rows share and the numbers of the rows, counted from 0, in the release.

    The rows of a Spark DataFrame have no numbers: ``rows`` is empty there, and ``published`` finds them.
    """

    published: Mapping[str, Any] = field(default_factory=dict)
    rows: Codes = field(default_factory=lambda: np.zeros(0, np.int32), repr=False)

    @classmethod
    def of(cls, worst: WorstGroup | None, seen: Seen) -> PublishedGroup | None:
        """The same group as the release shows it."""
        if worst is None:
            return None
        if worst.group < 0:  # people of a population who are like no row
            return cls(**_fields(worst))
        published, rows = seen.published(worst.group), seen.rows_of(worst.group)
        return cls(**_fields(worst), published=published, rows=rows)


@dataclass(frozen=True, eq=False)
class AuditedLevel(Level):
    """A level, and whose: of which sensitive column (None when the model looks at none), in which view."""

    worst: PublishedGroup | None
    sensitive: str | None = None
    view: View = "separate"


@dataclass(frozen=True, eq=False)
class AuditedVerdict(Verdict):
    """A verdict, and about what: which sensitive column (None when the model looks at none), in which view.

    Of what is ``not_shown`` it is not known whether it holds, so it does not count as holding; the text says why.
    """

    worst: PublishedGroup | None
    sensitive: str | None = None
    view: View = "separate"
    not_shown: str = ""

    @property
    def word(self) -> str:
        """How it stands, in a word or two."""
        return "holds" if self.holds else "NOT SHOWN" if self.not_shown else "FAILS"


def about_level(level: Level, seen: Seen, sensitive: str | None, view: View) -> AuditedLevel:
    """The level with its evidence from the release."""
    own = _fields(level) | {"worst": PublishedGroup.of(level.worst, seen)}
    return AuditedLevel(**own, sensitive=sensitive, view=view)


def about_verdict(verdict: Verdict, seen: Seen, sensitive: str | None, view: View) -> AuditedVerdict:
    """The verdict with its evidence from the release."""
    own = _fields(verdict) | {"worst": PublishedGroup.of(verdict.worst, seen)}
    return AuditedVerdict(**own, sensitive=sensitive, view=view)


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


Answer = TypeVar("Answer", bound=Level | Verdict)


class Answers(list[Answer]):
    """A list of levels or verdicts; ``audit`` says what was looked at: rows, nulls, suppressed rows, findings.

    ``unanswered`` names the models that say nothing about this release, and why.
    """

    def __init__(
        self, answers: Iterable[Answer], audit: Asking | None, unanswered: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(answers)
        # None only when nothing but an attack's evidence was looked at
        self.audit: Asking = audit  # type: ignore[assignment]
        self.unanswered = {name: Message(why) for name, why in (unanswered or {}).items()}

    def _repr_html_(self) -> str:
        """Each model with its level, whether it holds where that was asked, and what it means; no group is shown."""
        from pellucid.audit.wording import level_words  # not at the top: only a notebook needs it

        rows = []
        for answer in self:
            whose = ", ".join(filter(None, (getattr(answer, "sensitive", None), getattr(answer, "view", None))))
            holds = "" if not isinstance(answer, Verdict) else "yes" if answer.holds else "no"
            holds = "not shown" if getattr(answer, "not_shown", "") else holds
            rows.append([answer.model, whose, level_words(answer), holds, answer.meaning])
        reasons = [line(f"{model}: {why}") for model, why in self.unanswered.items()]
        return view(table(["model", "of", "level", "holds", "meaning"], rows), *reasons)
