"""Look closer at a release once it is made: measure it, then attack it, one kind of attacker after the other.

The cheap ones come first, so that the tab has something to show; the last may take a minute on a large table. All of it
gives way to whatever the steward asks for next.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pellucid.core.schema import Role
from pellucid.risk.adversary_kinds import KINDS
from pellucid.web.expected import MEASURE, attack_seconds, expected
from pellucid.web.jobs import TaskCall
from pellucid.web.session import Session
from pellucid.web.tasks.attack_budget import CHEAP_FIRST, SECONDS

ONLY_LOOKING = (
    "The release is finished and stays as it is. Only measuring and attacking it was cancelled; the tab Risk goes on "
    "with it."
)


def look_closer(session: Session, about: Mapping[str, Any]) -> list[TaskCall]:
    """Measure and attack the release; where one cannot be done, its tab says why."""
    number = session.releases

    def wanted() -> bool:
        return session.releases == number

    def utility(found: dict[str, Any]) -> None:
        session.saw("utility", found, number)

    def risk(column: str, found: dict[str, Any]) -> None:
        session.saw_risk(column, found, number)

    def unattacked(column: str, why: str) -> None:
        seen = session.risks.get(column)
        stopped = {"error": why} if seen is None or "error" in seen else {**seen, "stopped": why}
        session.saw_risk(column, stopped, number)

    attacked = {**about, **session.effort}
    rows, quasi = session.rows, len(session.names(Role.QUASI))
    most = float(session.effort.get("seconds", SECONDS))
    measured = session.utility is not None and "error" not in session.utility
    return [
        TaskCall(
            "measure",
            about,
            utility,
            lambda why: utility({"error": why}),
            yields=True,
            title="Measuring the release",
            part="measuring",
            seconds=expected(MEASURE, rows),
            wanted=lambda: wanted() and not measured,
            kept=lambda: ONLY_LOOKING,
        ),
        *(  # each with those before it: a new worker makes up for what the last one knew
            TaskCall(
                "attack",
                {**attacked, "kinds": CHEAP_FIRST[: n + 1], "column": column},
                partial(risk, column),
                partial(unattacked, column),
                yields=True,
                title="Attacking the release",
                wanted=wanted,
                kept=lambda: ONLY_LOOKING,
                part=KINDS[kind].name,
                seconds=attack_seconds(kind, rows, quasi, most),
            )
            for n, kind in enumerate(CHEAP_FIRST)
            for column in session.names(Role.SENSITIVE)  # where nothing is protected there is no value to learn
        ),
    ]
