"""What many models ask of a side of a cut: a least number of rows, and a largest share of each protected value."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pellucid.model import PrivacyModel
from pellucid.model.alpha_k_anonymity import AlphaKAnonymity
from pellucid.model.k_anonymity import KAnonymity
from pellucid.model.l_diversity import LDiversity
from pellucid.text.values import label_of


@dataclass(frozen=True)
class SideLimits:
    """A side passes when it has ``least`` rows and no protected value, or set of values, a larger ``share`` of them."""

    least: int
    share: Fraction
    protected: tuple[Any, ...] | None
    together: bool

    @classmethod
    def of(cls, model: PrivacyModel | None) -> SideLimits | None:
        """The limits that a model comes down to, or None when it asks for something else."""
        if isinstance(model, KAnonymity):
            return cls(model.k, Fraction(1), (), False)
        if isinstance(model, LDiversity):
            return cls(1, Fraction(1, model.l), model.sensitive, model.together)
        if isinstance(model, AlphaKAnonymity):
            return cls(model.k, model.alpha, model.sensitive, model.together)
        return None

    def sets(self, counts: Mapping[Any, int]) -> list[list[Any]]:
        """The values that are counted as one, and are protected."""
        texts = {label_of(value) for value in self.protected or () if value is not None}
        protected = [value for value, count in counts.items() if count and self._protects(value, texts)]
        return [protected] if self.together and protected else [[value] for value in protected]

    def _protects(self, value: Any, texts: Container[str]) -> bool:
        """Whether a value is protected; ``texts`` are the labels of those that are."""
        if self.protected is None:
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
