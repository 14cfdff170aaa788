"""Which privacy models the published table satisfies, and how far: told from the table alone, without its groups."""

from __future__ import annotations

from dataclasses import dataclass

from pellucid.audit import Asking
from pellucid.audit.wording import level_words

# The best known ones, whose level is a promise about every group alike.
PUBLIC = ("k-anonymity", "l-diversity", "distinct l-diversity", "t-closeness")


@dataclass(frozen=True)
class Reached:
    """A model, how far it holds, and what that means; of several sensitive columns, of which."""

    model: str
    column: str
    level: str
    meaning: str


def levels_of(audit: Asking, *, everything: bool) -> tuple[Reached, ...]:
    """The levels of the release; of the best known models only unless ``everything`` is asked for."""
    several = len(audit.sensitive) > 1
    reached = []
    for level in audit.levels(views="separate"):
        if level.model in PUBLIC or everything:
            whose = (level.sensitive or "") if several else ""
            reached.append(Reached(level.model, whose, level_words(level), level.meaning))
    return tuple(reached)
