"""What each group spans of a column: from which code to which, and whether it has nulls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.grouping import Grouping
from pellucid.core.table import Attribute, Codes, compact
from pellucid.kernels import canonical as kernel
from pellucid.runtime.parallel import in_stretches
from pellucid.runtime.records import record


@record(eq=False)
class Ranges:
    """What each group's codes span, leaving nulls aside: low and high are -1 where a group has nothing but nulls."""

    low: Codes
    high: Codes
    nulls: NDArray[np.bool_]

    @property
    def constant(self) -> NDArray[np.bool_]:
        """In which groups all have the same code, or all are null."""
        return np.asarray((self.low == self.high) & ~(self.nulls & (self.high >= 0)))


def ranges_of(attribute: Attribute, codes: Codes, grouping: Grouping, threads: int) -> Ranges:
    """The span of every group on one attribute."""
    return code_ranges(codes, len(attribute), 0 if attribute.has_null else -1, grouping, threads)


def code_ranges(codes: Codes, values: int, null: int, grouping: Grouping, threads: int) -> Ranges:
    """The span of every group in codes below ``values``; ``null`` is the code that counts as none, if not -1."""
    groups = len(grouping)
    low, high = np.empty(groups, np.int32), np.empty(groups, np.int32)
    nulls = np.empty(groups, np.uint8)
    small = compact(codes, values, threads)
    in_stretches(
        lambda a, b: kernel.group_ranges(
            small, grouping.members, grouping.starts[a : b + 1], null, low[a:b], high[a:b], nulls[a:b]
        ),
        groups,
        threads,
    )
    return Ranges(low, high, nulls.view(np.bool_))
