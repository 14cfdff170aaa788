"""What many models ask of a side of a cut: a least number of rows, and a largest share of each protected value."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pellucid.models import PrivacyModel
from pellucid.models.alpha_k_anonymity import AlphaKAnonymity
from pellucid.models.k_anonymity import KAnonymity
from pellucid.models.l_diversity import LDiversity
from pellucid.text.values import ANY, label_of


@dataclass(frozen=True)
class SideLimits:
    """A side passes when it has ``least`` rows and no protected value, or set of values, a larger ``share`` of them."""

    least: int
    share: Fraction
    protected: tuple[Any, ...] | None
    together: bool

    @classmethod
    def of(cls, model: PrivacyModel | None) -> SideLimits | None:
        """The limits that a model comes down to, or None when it asks for something else.

        >>> from pellucid.models import of
        >>> SideLimits.of(of("k-anonymity=5 and l-diversity=3"))
        SideLimits(least=5, share=Fraction(1, 3), protected=None, together=False)
        """
        if model is not None and model.parts != (model,):
            return cls._joined([cls.of(part) for part in model.parts])
        if isinstance(model, KAnonymity):
            return cls(model.k, Fraction(1), (), False)
        if isinstance(model, LDiversity):
            return cls(1, Fraction(1, model.l), model.sensitive, model.together)
        if isinstance(model, AlphaKAnonymity):
            return cls(model.k, model.alpha, model.sensitive, model.together)
        return None

    @classmethod
    def _joined(cls, parts: Sequence[SideLimits | None]) -> SideLimits | None:
        """The limits of all of these; None where one is missing, or they count different values."""
        known = [part for part in parts if part is not None]
        counting = {(part.protected, part.together) for part in known if part.protected != ()}
        if len(known) < len(parts) or len(counting) > 1:
            return None
        protected, together = next(iter(counting), ((), False))
        return cls(max(part.least for part in known), min(part.share for part in known), protected, together)

    def sets(self, counts: Mapping[Any, int]) -> list[list[Any]]:
        """The values that are counted as one, and are protected."""
        texts = {label_of(value) for value in self.protected or () if value is not None}
        protected = [value for value, count in counts.items() if count and self._protects(value, texts)]
        return [protected] if self.together and protected else [[value] for value in protected]

    def _protects(self, value: Any, texts: Container[str]) -> bool:
        """Whether a value is protected; ``texts`` are the labels of those that are."""
        if self.protected is None:
            return True
        if ANY in self.protected and value is not None:
            return True
        return None in self.protected if value is None else label_of(value) in texts

    def rows_of_sets(self, counts: Mapping[Any, int]) -> list[tuple[list[Any], int]]:
        """The same with the number of their rows."""
        return [(values, sum(counts[value] for value in values)) for values in self.sets(counts)]

    def cannot_pass(self, size: int, counts: Mapping[Any, int]) -> bool:
        """Whether no choice of so many rows from these counts passes, so that a failure of the side tells nothing.

        >>> SideLimits.of(LDiversity(l=4)).cannot_pass(3, {"a": 5, "b": 5, "c": 5})  # three rows, each a third of them
        True
        """
        most = self.share.numerator * size // self.share.denominator
        together = [n for _, n in self.rows_of_sets(counts)]
        others = sum(counts.values()) - sum(together)
        return 0 < size < self.least or others + sum(min(count, most) for count in together) < size
