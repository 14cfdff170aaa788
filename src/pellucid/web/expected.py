"""Seconds that pieces of work take on an ordinary machine: a first guess, corrected by what they took here before.

Measured on a million rows with four quasi-identifiers. Only how they compare with each other matters much: the schedule
corrects the rest as it goes (:mod:`pellucid.web.schedule`).
"""

from __future__ import annotations

from pellucid.risk.adversary_kinds import KINDS, KindName

MILLION = 1_000_000
PUBLISH, MEASURE = (1.0, 15.0), (1.0, 20.0)  # seconds to begin with, and for a million rows
PUBLIC_REPORT, PRIVATE_REPORT = (1.0, 20.0), (1.5, 60.0)
ATTACKS: dict[KindName, tuple[float, float]] = {
    "nothing": (0.5, 16.0),  # with gathering who is in which group
    "algorithm": (0.5, 8.0),
    "distribution": (0.5, 5.0),  # for each quasi-identifier
    "minimality": (1.0, 60.0),
    "learned": (1.0, 80.0),
}
NOT_MEASURED = max(ATTACKS.values())  # a kind without figures


def expected(of: tuple[float, float], rows: int) -> float:
    """Seconds for so many rows.

    >>> expected(PUBLISH, 100_000)
    2.5
    """
    base, each = of
    return base + each * rows / MILLION


def attack_seconds(kind: KindName, rows: int, quasi: int, most: float) -> float:
    """Seconds that a kind of attacker takes, which is given ``most``.

    >>> attack_seconds("distribution", 100_000, 3, 120), attack_seconds("learned", 1_000_000, 3, 60)
    (2.0, 60)
    """
    base, each = ATTACKS.get(kind, NOT_MEASURED)
    return min(expected((base, each * (quasi if KINDS[kind].by_column else 1)), rows), most)
