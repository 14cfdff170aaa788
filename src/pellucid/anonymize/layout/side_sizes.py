"""How many rows each side of a cut needs to satisfy a model whichever of the node's rows it gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.layout.entries import Entries
from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Table
from pellucid.kernels.least import Rule
from pellucid.models import PrivacyModel
from pellucid.models.groups import Counts
from pellucid.models.model import Sizes
from pellucid.models.threshold import Threshold


class Sides:
    """A model as a rule for the sides of cuts, asked of every sensitive column: a side needs the largest number.

    Where the model has a :class:`~pellucid.models.threshold.Threshold`, the kernel computes it; otherwise the kernel
    asks the model's own ``worst_case_sizes``, which sees a node's sensitive values and their counts only.
    """

    def __init__(
        self, attributes: Sequence[Attribute], counts: Callable[[], Sequence[Counts]], model: PrivacyModel
    ) -> None:
        """The sensitive columns, how often each of their values occurs in the whole table, and the model."""
        starts = np.cumsum([0] + [len(attribute) for attribute in attributes])
        self.values = int(starts[-1])
        self.sizes: list[Sizes] | None = None
        self.becomes: np.ndarray[tuple[int], np.dtype[np.int32]] | None = None  # for sets that count as one value
        thresholds = [model.threshold(attribute) for attribute in attributes]
        fitting = [threshold for threshold in thresholds if threshold is not None and threshold.fits]
        if len(fitting) < len(thresholds):
            self.sizes = [model.worst_case_sizes(c, a) for c, a in zip(counts(), attributes, strict=True)]
            self.rule = Rule(1, 0, 0, 1, 0, None, starts[1:])
            return
        protected = self._mark_protected(fitting, starts)
        fit = fitting[0]
        rivals = min(fit.rivals, self.values)
        marks = None if protected.all() else protected
        self.rule = Rule(fit.rows, fit.above, fit.add, fit.below, rivals, marks, starts[1:])

    def _mark_protected(self, thresholds: Sequence[Threshold], starts: NDArray[np.int64]) -> NDArray[np.uint8]:
        """1 for every value that counts; values that count as one become the first of them."""
        protected = np.zeros(self.values, np.uint8)
        for threshold, start, end in zip(thresholds, starts[:-1], starts[1:], strict=True):
            if threshold.codes is None:
                protected[start:end] = 1
                continue
            protected[start + threshold.codes] = 1
            if threshold.together:
                self._count_as_one(start + threshold.codes)
        return protected

    def _count_as_one(self, codes: NDArray[np.int64]) -> None:
        if self.becomes is None:
            self.becomes = np.arange(self.values, dtype=np.int32)
        self.becomes[codes] = codes[0]

    @classmethod
    def of(cls, table: Table, model: PrivacyModel) -> Sides:
        """The rule for a whole table."""
        columns = table.having(Role.SENSITIVE)
        attributes = [table.attributes[i] for i in columns]
        return cls(
            attributes,
            lambda: [np.bincount(table.codes[i], minlength=len(table.attributes[i])) for i in columns],
            model,
        )

    def seen(self, entries: Entries) -> Entries:
        """The entries with every set that counts as one value as one value."""
        return entries if self.becomes is None else replace(entries, sensitive=self.becomes[entries.sensitive])

    def obeyed(self, call: Callable[..., Any]) -> Any:
        """Call a kernel that takes the rule, whom to ask, and where it finds what is asked about."""
        if self.sizes is None:
            return call(self.rule)
        question = KernelQuestion(self.sizes, self.values)
        try:
            return call(self.rule, question, question.asked)
        except MemoryError:
            if question.failure is not None:
                raise question.failure from None
            raise


class KernelQuestion:
    """What the kernel asks: it writes a node's values and counts to ``asked`` and calls. One thread's own."""

    def __init__(self, sizes: list[Sizes], values: int) -> None:
        self.sizes = sizes
        self.asked = np.empty((2, values), np.int64)
        self.failure: BaseException | None = None

    def __call__(self, column: int, present: int, rows: int) -> int:
        """The rows that each side of the node needs, or more than half of them; -1 and the ``failure`` if it fails."""
        try:
            codes, counts = self.asked[0, :present], self.asked[1, :present]
            return min(self.sizes[column](codes, counts, max(1, rows // 2)), rows)
        except BaseException as failure:  # a kernel without the interpreter's lock cannot pass it on
            self.failure = failure
            return -1
