"""What risks of the table as a whole share."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pellucid.errors import ModelError
from pellucid.model.groups import Counts, Groups
from pellucid.model.model import PrivacyModel, WorstGroup
from pellucid.table import Attribute


class TableRisk(PrivacyModel):
    """A risk of the table as a whole: one number for all groups, with the smallest group as evidence."""

    by_group: ClassVar[bool] = False

    def evidence(self, groups: Groups, parameter: str, group: int) -> WorstGroup | None:
        """The smallest group."""
        return super().evidence(groups, parameter, int(groups.sizes.argmin()))

    def check_counts(
        self, counts: Counts, table_counts: Counts, *, attribute: Attribute | None = None
    ) -> NDArray[np.bool_]:
        """None: one group alone neither satisfies nor breaks it."""
        raise ModelError(f"{self.label} is about a table, not about one group", "use k-anonymity for groups")
