"""Where an attack is given more than a reader has: the groups that the method made, also those published alike."""

from __future__ import annotations

from pellucid.risk.views import Evidence


def told_apart(evidence: Evidence) -> int:
    """How many groups a reader of the release can tell apart."""
    return int(evidence.alike.max(initial=-1)) + 1


def alike_note(evidence: Evidence) -> tuple[str, ...]:
    """What the figures of attackers let them know besides the release; nothing where all groups can be told apart."""
    made, read = len(evidence.grouping), told_apart(evidence)
    if read == made:
        return ()
    return (
        f"several groups are published alike: these figures let the attackers know who is in which of the {made:,} "
        f"groups that the method made; a reader can tell {read:,} apart",
    )
