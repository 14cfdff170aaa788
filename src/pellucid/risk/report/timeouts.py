"""What is said of attacks while they run, and of one that was given up because it took too long."""

from __future__ import annotations

from collections.abc import Sequence

from pellucid.messages import Message
from pellucid.risk.adversary import Adversary


def told(number: int, who: Sequence[Adversary]) -> str:
    """One of several attackers, for whoever waits.

    >>> told(0, [Adversary(), Adversary(knows="algorithm")])
    'attacker 1 of 2, who knows only the release'
    """
    return f"attacker {number + 1} of {len(who)}, who {who[number].name}"


def not_done(seconds: float | None) -> Message:
    """What to say of an attack that took too long.

    >>> str(not_done(120.0))
    'not done after 120 seconds; allow more with patience='
    """
    return Message.of(Message("not done after {seconds:g} seconds", seconds=seconds), "allow more with {PATIENCE}")
