"""What a release changes besides generalising: rows left out, records added, sensitive values replaced."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from pellucid.core.schema import Role
from pellucid.core.table import Attribute, Codes
from pellucid.errors import MeasureError
from pellucid.metrics.boxes import Shown
from pellucid.metrics.margins import Margins
from pellucid.metrics.metric import Direction, MarginMetric, Score
from pellucid.text.values import label_of


class SuppressedRows(MarginMetric):
    """The share of the original's rows that the release leaves out, or shows with nothing but ``*``."""

    name: ClassVar[str] = "suppressed-rows"
    summary: ClassVar[str] = "the share of the rows that is left out"
    unit: ClassVar[str] = "share of the original's rows"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Samarati, Sweeney. Protecting privacy when disclosing information. 1998"

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        rows, left_out = shown.original_rows, shown.suppressed
        return self.found(left_out / rows, f"{left_out:,} of {rows:,} rows are left out", rows=left_out)


class AddedRows(MarginMetric):
    """How many records nobody is behind, by the original's rows."""

    name: ClassVar[str] = "added-rows"
    summary: ClassVar[str] = "how many records nobody is behind"
    unit: ClassVar[str] = "share of the original's rows"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Hemantha. On minimality attack in privacy preserving data publishing. 2017"

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        rows, added = shown.original_rows, shown.added
        return self.found(added / rows, f"{added:,} records are added to {rows:,} rows", rows=added)


class SensitiveDistortion(MarginMetric):
    """How far published sensitive values are from the true ones: the loss of the nearest name above both, per row.

    A row whose value is published as it is counts 0. A row with another value counts the leaves below the nearest
    common ancestor of the two, less one, by all leaves less one; without a taxonomy 1. Which values were replaced is
    private: a release that may have replaced some is measured in memory, before it is written.
    """

    name: ClassVar[str] = "sensitive-distortion"
    summary: ClassVar[str] = "how far published sensitive values are from the true ones"
    unit: ClassVar[str] = "mean share of the taxonomy, 0 to 1"
    direction: ClassVar[Direction] = "lower"
    reference: ClassVar[str] = "Wong, Fu, Wang, Pei. Minimality attack in privacy preserving data publishing. VLDB 2007"

    def score(self, shown: Margins) -> Score:
        """The score of what is shown."""
        if not shown.replaces:
            return self.found(0.0, "no sensitive value is replaced", changed=0)
        if shown.truth is None or shown.published is None:
            raise MeasureError(
                "some sensitive values may be replaced, and which ones is in no file; "
                "measure the release in memory, as publish gives it"
            )
        assert isinstance(shown, Shown)  # rows with their true values are in memory
        attribute = shown.table.attributes[shown.table.having(Role.SENSITIVE)[0]]
        apart = distances(attribute, shown.truth, shown.published)
        value, changed = float(apart.mean()), int((shown.truth != shown.published).sum())
        return self.found(
            value, f"{changed:,} of {len(apart):,} rows have another {attribute.name} than their own", changed=changed
        )


def distances(
    attribute: Attribute, truth: Codes, published: Codes
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """For each row the loss of the nearest name above its two values."""
    size = len(attribute)
    pairs, which = np.unique(truth.astype(np.int64) * size + published, return_inverse=True)
    return np.array([_apart(attribute, int(pair) // size, int(pair) % size) for pair in pairs], np.float64)[which]


def _apart(attribute: Attribute, first: int, other: int) -> float:
    taxonomy = attribute.taxonomy
    if first == other:
        return 0.0
    if taxonomy is None or (attribute.has_null and 0 in (first, other)):
        return 1.0
    labels = [label_of(attribute.values[code]) for code in (first, other)]
    leaves = len(taxonomy.below(taxonomy.common_ancestor(labels)))
    return (leaves - 1) / (len(taxonomy.leaves) + int(attribute.has_null) - 1)
