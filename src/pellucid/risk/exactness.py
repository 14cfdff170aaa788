"""How far a figure about beliefs can be relied on; a verdict asks this and reads no text."""

from __future__ import annotations

from enum import StrEnum

SURE = 0.999  # the confidence in all intervals at once by which a sample shows that a bound fails


class Exactness(StrEnum):
    """What an engine claims of its figures. Who claims nothing is not relied on."""

    EXACT = "exact"
    """The figure is the posterior, but for rounding of floats."""
    BOUND = "bound"
    """The posterior is never above the figure (the upper one, where there are two)."""
    SAMPLED = "sampled"
    """The posterior lies between two figures with a stated confidence, which is below 1."""
    UNKNOWN = "not known"
    """The figure is what follows from an assumption that may be wrong, or from an approximation."""

    @property
    def sound(self) -> bool:
        """Whether the posterior is certainly not above the figure.

        >>> [kind.value for kind in Exactness if kind.sound]
        ['exact', 'bound']
        """
        return self in (Exactness.EXACT, Exactness.BOUND)
