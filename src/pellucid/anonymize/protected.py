"""What is protected of a sensitive column: which values, and how frequent each may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from pellucid.core.table import Attribute
from pellucid.models.l_diversity import LDiversity
from pellucid.models.sensitive import codes_of
from pellucid.runtime.records import record


@record()
class Protected:
    """Of ``column`` each of ``values`` (None: of all values) has at most one row in ``l`` of a group.

    ``together``: all of them in one have.

    >>> Protected("income", None, 4).model, Protected("drugs", ("yes",), 2).model
    (LDiversity(l=4), LDiversity(sensitive=('yes',), l=2))
    """

    column: str
    values: tuple[Any, ...] | None
    l: int
    together: bool = False

    @property
    def model(self) -> LDiversity:
        """The privacy model of its groups."""
        if self.values is None:
            return LDiversity(l=self.l)
        how = {"together": True} if self.together else {}
        return LDiversity(l=self.l, sensitive=self.values, **how)

    def marks(self, attribute: Attribute) -> NDArray[np.bool_]:
        """Which codes of the column are protected; that a cluster has too few rows is no value."""
        marks = np.full(len(attribute), self.values is None)
        if self.values is not None:
            marks[codes_of(self.values, attribute)] = True
        if attribute.absent:
            marks[-1] = False
        return marks


def _whole(number: object) -> bool:
    return type(number) is int and number >= 1


def _numbers(given: object) -> object:
    """One l, or one for each sensitive column."""
    if isinstance(given, Mapping) and given and all(_whole(l) and l > 1 for l in given.values()):
        return {str(column): l for column, l in given.items()}
    if _whole(given):
        return given
    raise ValueError("must be a whole number of at least 1, or one of at least 2 for each sensitive column")


LByColumn = Annotated[int | dict[str, int], BeforeValidator(_numbers)]
"""One l for all sensitive columns, or each by its name, as in {"income": 4, "drugs": 2}."""
