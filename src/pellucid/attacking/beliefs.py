"""What an adversary believes about everybody, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.attacking.adversary import Adversary
from pellucid.attacking.evidence import Evidence
from pellucid.notebook import line, table, view

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Beliefs:
    """The posterior of every person, in population order.

    ``risk`` is the largest posterior over the sensitive values, one per person (0 for people who are in no group);
    ``baseline`` is what the frequency in the group alone would give. When the engine samples, ``lower`` and ``upper``
    bound the risk with the stated ``confidence``; otherwise they equal it.
    """

    adversary: Adversary
    evidence: Evidence
    risk: Floats
    engine: str
    posterior_of: Callable[[int], Mapping[Any, Any]]
    reason_of: Callable[[int], str]
    lower: Floats | None = None
    upper: Floats | None = None
    confidence: float = 1.0
    notes: tuple[str, ...] = field(default=())
    chance_of: Callable[[NDArray[np.int64]], Floats] | None = None  # of sensitive codes, for everybody at once

    @property
    def baseline(self) -> Floats:
        """The risk by frequency alone."""
        return self.evidence.baseline

    @cached_property
    def max_risk(self) -> float:
        """The largest risk of anybody."""
        return float(self.risk.max(initial=0.0))

    def posterior(self, person: Any, value: Any) -> Any:
        """How likely a person, by name or row number, has a value."""
        found = self.posterior_of(self.evidence.person(person))
        return found.get(self.evidence.values[self.evidence.code(value)], 0.0)

    def belief(self, *values: Any) -> Floats:
        """How likely each person, in population order, has one of these values; for whoever protects some values only.

        >>> import pellucid as pc
        >>> roles = {"quasi": ["age", "zipcode"], "sensitive": "disease", "identifier": "name"}
        >>> release = pc.publish(pc.datasets.patients(), pc.Tailor(l=2), **roles)
        >>> beliefs = pc.attack(release, truth=pc.datasets.patients(), **roles)
        >>> float(beliefs.belief("gastritis").max()) <= beliefs.max_risk
        True
        """
        codes = np.unique([self.evidence.code(value) for value in values]).astype(np.int64)
        if self.chance_of is not None:
            return self.chance_of(codes)
        named = [self.evidence.values[code] for code in codes.tolist()]
        told = (self.posterior_of(row) for row in range(len(self.risk)))
        return np.array([float(sum(one.get(value, 0.0) for value in named)) for one in told])

    def vulnerable(self, threshold: float) -> NDArray[np.int64]:
        """The rows of people whose risk exceeds the threshold; differences below a billionth are rounding."""
        return np.flatnonzero(self.risk > threshold * (1 + 1e-9)).astype(np.int64)

    def share_above(self, threshold: float) -> float:
        """The share of the people in groups whose risk exceeds the threshold."""
        people = int(self.evidence.inside.sum())
        return len(self.vulnerable(threshold)) / people if people else 0.0

    def explain(self, person: Any) -> str:
        """The reasoning about one person, in words."""
        row = self.evidence.person(person)
        name = self.evidence.name_of(row)
        posterior = self.posterior_of(row)
        if not self.evidence.inside[row] or not posterior:
            return f"{name} is in no published group, so the release says nothing about {name}."
        group = int(self.evidence.grouping.labels[row])
        if group < 0:
            value, belief = max(posterior.items(), key=lambda item: item[1])
            return (
                f"{name} may be in {len(list(self.evidence.groups_of(row)))} of the published groups. Somebody who "
                f"{self.adversary.name} believes {value!r} with {float(belief):.4g}: {self.reason_of(row)}."
            )
        value, belief = max(posterior.items(), key=lambda item: item[1])
        codes, counts = self.evidence.counts(group)
        size = int(self.evidence.published.sizes[group])
        frequency = next((int(n) for c, n in zip(codes, counts, strict=True) if self.evidence.values[c] == value), 0)
        said = (
            f"{name} is in a group of {size} rows, {frequency} of them with {value!r}: by frequency alone the "
            f"probability is {frequency}/{size}."
        )
        if abs(float(belief) - frequency / size) <= 1e-9:
            return f"{said} Somebody who {self.adversary.name} believes the same: {self.reason_of(row)}."
        return f"{said} Somebody who {self.adversary.name} believes {float(belief):.4g}: {self.reason_of(row)}."

    def __repr__(self) -> str:
        return (
            f"Beliefs({self.adversary.name}: {len(self.risk):,} people, largest risk {self.max_risk:.4g}, "
            f"by frequency {float(self.baseline.max(initial=0)):.4g}, engine {self.engine})"
        )

    def _repr_html_(self) -> str:
        """How much is believed of the person known best, and of how many people more than what; nobody is named."""
        inside = self.risk[self.evidence.inside]
        most = "largest risk of anybody" if self.upper is None else "largest risk of anybody, estimated"
        figures: list[tuple[str, str]] = [
            (most, f"{self.max_risk:.4g}"),
            ("by frequency alone", f"{float(self.baseline.max(initial=0)):.4g}"),
            ("people in groups", f"{len(inside):,}"),
            ("mean risk", f"{float(inside.mean()) if len(inside) else 0.0:.4g}"),
            ("computed", self.engine),
        ]
        if self.upper is not None:
            bound = f"{float(self.upper.max(initial=0.0)):.4g}, with confidence {self.confidence:.4g}"
            figures.insert(1, ("at most", bound))
        told = [line(note) for note in self.notes]
        return view(line(f"Somebody who {self.adversary.name}", strong=True), table(["", ""], figures), *told)
