"""Try adversaries one kind at a time, each for so long; who is not done is not known yet, which is never safety.

On 50,000 people the cheap ones take less than a second, somebody who assumes minimality up to half a minute, and
somebody who learns from the release up to a minute, where groups are large.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pellucid.core.schema import Role, Roles
from pellucid.posterior.exclusion import BUDGET
from pellucid.risk.adversary import Learned
from pellucid.risk.adversary_kinds import KINDS, KindName
from pellucid.risk.attack_all import attack_gathered, judged_of
from pellucid.risk.inference.learning import LARGEST_LOT
from pellucid.risk.report.attack_report import AttackReport, Missed
from pellucid.risk.views.gather import gather
from pellucid.risk.views.given_tables import KnownPeople
from pellucid.runtime.patience import TooLong, at_most
from pellucid.runtime.progress import Progress
from pellucid.web.pages import duration
from pellucid.web.worker_state import Attacked, Desk

SECONDS = 120.0  # for one kind of attacker, unless the steward says otherwise
CHEAP_FIRST: tuple[KindName, ...] = tuple(sorted(KINDS, key=lambda kind: KINDS[kind].cost))


@dataclass(frozen=True)
class Effort:
    """How long one kind of attacker may take, and how much may be counted exactly for one group, as in ``--budget``."""

    seconds: float = SECONDS
    budget: int = BUDGET

    def exceeds(self, other: Effort) -> bool:
        """Whether it is worth another try."""
        return self.seconds > other.seconds or self.budget != other.budget


@dataclass(frozen=True)
class GivenUp:
    """A kind of attacker of whom nothing is known yet: what it was given, why that was not enough, what would be."""

    effort: Effort
    why: str
    needs: float = 0.0  # seconds that it takes, as far as that can be told

    @property
    def suggested(self) -> int:
        """Seconds to give it next time."""
        return math.ceil(1.5 * self.needs if self.needs > self.effort.seconds else 4 * self.effort.seconds)


def reported(
    desk: Desk,
    source: dict[str, Any],
    schema: str,
    kinds: Sequence[KindName],
    progress: Progress,
    effort: Effort | None = None,
    column: str = "",
) -> AttackReport:
    """What these kinds of adversaries believe, and those that were tried before; who was not done in time is missed.

    It is about one protected ``column``, or the only one.
    """
    effort = effort or Effort()
    about = attacked_so_far(desk, source, schema, progress, column)
    for kind in kinds:
        before = about.unfinished.get(kind)
        if kind not in about.tried or (before is not None and effort.exceeds(before.effort)):
            _try(about, kind, effort, progress)
    tried = [about.tried[kind] for kind in KINDS if kind in about.tried]
    return replace(
        about.report,
        attempts=tuple(attempt for of_kind in tried for attempt in of_kind.attempts),
        missed=tuple(missed for of_kind in tried for missed in of_kind.missed),
        judged=judged_of(about.gathered, None),
        statistics=about.tried["distribution"].statistics if "distribution" in about.tried else (),
    )


def attacked_so_far(desk: Desk, source: dict[str, Any], schema: str, progress: Progress, column: str = "") -> Attacked:
    """What is known of attacks on a protected column, or the only one: before anybody is tried, what needs nobody."""
    table = desk.table(source, schema, progress)
    protected = [table.attributes[i].name for i in table.having(Role.SENSITIVE)]
    column = protected[0] if not column and len(protected) == 1 else column
    if column not in desk.attacked:
        gathered = gather(desk.release, Roles(sensitive=column or None), KnownPeople(truth=table), progress=progress)
        desk.attacked[column] = Attacked(gathered, attack_gathered(gathered, adversaries=(), progress=progress))
    return desk.attacked[column]


def _try(about: Attacked, kind: KindName, effort: Effort, progress: Progress) -> None:
    needs = foreseen(about, kind)
    if needs > effort.seconds:  # said before it begins, and not after the time is over
        given = duration(effort.seconds)
        why = f"not begun: it would take about {duration(needs)}, and one attacker is given {given}"
        _give_up(about, kind, GivenUp(effort, why, needs))
        return
    began = time.process_time()  # of ours alone: how busy the machine is says nothing about what is needed
    attacker = KINDS[kind].name
    progress.stage(f"attacking as somebody who {attacker}", 0)
    try:
        with at_most(effort.seconds):
            about.tried[kind] = attack_gathered(
                about.gathered, adversaries=[kind], classic=False, budget=effort.budget, progress=progress
            )
        about.unfinished.pop(kind, None)
        about.seconds[kind] = time.process_time() - began
    except TooLong:
        about.seconds[kind] = time.process_time() - began
        _give_up(about, kind, GivenUp(effort, f"not done after {duration(effort.seconds)}"))


def foreseen(about: Attacked, kind: KindName) -> float:
    """Seconds that a kind of attacker takes at least, as far as that can be told before it begins; 0 where it cannot.

    Whoever learns from the release works out what everybody of every group may have, once in each of its turns. Whoever
    knows a distribution does the same once for each quasi-identifier, and was tried before.
    """
    if kind != "learned" or "distribution" not in about.seconds:
        return 0.0
    people = about.report.evidence.people
    each = about.seconds["distribution"] / max(1, len(people.having(Role.QUASI)))
    turns = Learned().iterations
    if len(people) > LARGEST_LOT:  # learned from a lot, then asked about everybody
        return each * (turns * LARGEST_LOT / len(people) + 1)
    return each * turns


def _give_up(about: Attacked, kind: KindName, given_up: GivenUp) -> None:
    why = f"{given_up.why}, so it is not known yet what they believe"
    missed = Missed(KINDS[kind].name, why, kind=kind, unfinished=True)
    about.tried[kind] = replace(about.report, attempts=(), missed=(missed,))
    about.unfinished[kind] = given_up
