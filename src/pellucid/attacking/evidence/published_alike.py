"""Where an attack is given more than a reader has: the groups that the method made, also those published alike."""

from __future__ import annotations

from pellucid.attacking.evidence import Evidence


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


def counted_words(evidence: Evidence) -> str:
    """Which groups classic attacks count, in a sentence; empty where there is but one way to count."""
    made, read = len(evidence.grouping), told_apart(evidence)
    if read == made:
        return ""
    return (
        f"Counted by the {made:,} groups that the method made, as if they could be told apart. What "
        f"the published table itself satisfies is counted by the {read:,} groups that a reader can tell apart, so "
        "that figures of the same kind differ."
    )


def shared_words(evidence: Evidence, group: int) -> str:
    """That a group is one of several published alike; empty where it is not."""
    several = int((evidence.alike == evidence.alike[group]).sum())
    return f"one of {several:,} groups published alike" if several > 1 else ""
