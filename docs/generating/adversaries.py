"""Every adversary: the kinds that ``--adversary`` takes, and who each is in Python."""

from __future__ import annotations

from generating.markdown import paragraphs, table
from pellucid.attacking.adversary_kinds import KINDS

IN_PYTHON = {
    "nothing": 'pc.Adversary(knows="nothing")',
    "minimality": 'pc.Adversary(knows="minimality")',
    "algorithm": 'pc.Adversary(knows="algorithm")',
    "learned": "pc.Adversary(prior=pc.Learned())",
    "distribution": 'pc.Adversary(prior=pc.Distribution("age"))',
}


def text() -> str:
    """One line for each."""
    rows = (
        (f"`{kind}`", f"Somebody who {record.name}. {record.who}", f"`{IN_PYTHON[kind]}`")
        for kind, record in KINDS.items()
    )
    return paragraphs(table(("`--adversary`", "who it is", "in Python"), rows))
