"""Which privacy models the published table satisfies, and how far: told from the table alone, without its groups."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from pellucid.audit import Audit
from pellucid.model import models

# The best known ones, whose level is a promise about every group alike.
PUBLIC = ("k-anonymity", "l-diversity", "distinct l-diversity", "t-closeness")


@dataclass(frozen=True)
class Reached:
    """A model, how far it holds, and what that means."""

    model: str
    level: str
    meaning: str


def levels_of(audit: Audit, *, everything: bool) -> tuple[Reached, ...]:
    """The levels of the release; of the best known models only unless ``everything`` is asked for."""
    several = len(audit.sensitive) > 1
    found = []
    for level in audit.levels(views="separate"):
        if level.model not in PUBLIC and not everything:
            continue
        whose = f" of {level.sensitive}" if several and level.sensitive else ""
        directions = models()[level.model].directions
        rounded = safe(level.level, next(iter(directions.values())))
        meaning = level.meaning if everything else ""
        found.append(Reached(f"{level.model}{whose}", rounded, meaning))
    return tuple(found)


def safe(value: int | float | Fraction | str | None, direction: str) -> str:
    """Three digits, rounded to the side on which the model still holds.

    >>> safe(0.30502, "smallest"), safe(3.99999, "largest"), safe(17, "largest"), safe(float("inf"), "smallest")
    ('0.306', '3.99', '17', 'none')
    """
    if value is None or value == float("inf"):
        return "none"
    if isinstance(value, int | str):
        return str(value)
    rounding = ROUND_FLOOR if direction == "largest" else ROUND_CEILING
    exact = Fraction(value)
    rounded = Context(prec=3, rounding=rounding).divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return f"{rounded.normalize():f}" if rounded else "0"
