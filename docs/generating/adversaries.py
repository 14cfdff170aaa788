"""Every adversary: the kinds that ``--adversary`` takes, and who each is in Python."""

from __future__ import annotations

from generating.markdown import paragraphs, table
from pellucid.risk.adversary_kinds import KINDS


def text() -> str:
    """One line for each."""
    rows = (
        (f"`{kind}`", f"An attacker who {record.name}. {record.who}", f"`{record.in_python}`")
        for kind, record in KINDS.items()
    )
    return paragraphs(table(("`--adversary`", "who it is", "in Python"), rows))
