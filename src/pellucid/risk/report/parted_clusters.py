"""What is certain to somebody who knows that rows of one cluster have the same value, where clusters are several units.

A promise about clusters of at most N rows takes larger ones as several that have nothing to do with each other
(docs/clusters.md). Whoever knows better is not covered: of a household that shares an income decile every member's
group shows a few deciles, and what all of these groups have in common may be one. Nothing bounds that, so it is counted
where it is known who is in which group.

**Definition.** A cluster is *parted* when it has more rows than a unit may have. A parted cluster whose rows truly have
one (protected) value is *certain* when no other value is published in the groups of all of its rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pellucid.anonymize.cluster_method import ClusterMethod
from pellucid.anonymize.clusters import are_parted
from pellucid.core.table import Codes
from pellucid.models import Groups
from pellucid.risk.views import Gathered
from pellucid.text.figures import counted

AT_ONCE = 1 << 22  # values of groups that are looked at together


@dataclass(frozen=True, slots=True)
class PartedClusters:
    """Clusters of more than ``rows`` rows, which were taken as several; counts are None where they are not known.

    ``parted``: how many there are. ``certain``: of how many the value is certain to whoever knows that all rows of a
    cluster have the same, and ``people``: how many rows these have.
    """

    column: str
    rows: int
    parted: int | None = None
    certain: int | None = None
    people: int | None = None

    @property
    def sentence(self) -> str:
        """Whom no promise covers, and what is certain to them.

        >>> PartedClusters("decile", 1, 423, 305, 1028).sentence
        'NOT covered by the promise: somebody who knows that all rows of a cluster have the same decile is certain of \
it for 305 of the 423 clusters of more than 1 row, which were taken as several (1,028 rows).'
        """
        larger = f"of more than {counted(self.rows, 'row')}"
        knowing = f"somebody who knows that all rows of a cluster have the same {self.column}"
        if self.certain is None:
            return (
                f"NOT covered by the promise: {knowing}. Clusters {larger} were taken as several, and what such "
                "somebody believes of these is not bounded."
            )
        return (
            f"NOT covered by the promise: {knowing} is certain of it for {self.certain:,} of the "
            f"{counted(self.parted or 0, 'cluster')} {larger}, which were taken as several "
            f"({counted(self.people or 0, 'row')})."
        )


def parted_clusters(gathered: Gathered) -> PartedClusters | None:
    """What parted clusters leave open in a release; None where there are none, or nothing is promised of clusters."""
    evidence = gathered.evidence
    method, clusters = evidence.method, evidence.people.clusters
    if not isinstance(method, ClusterMethod) or method.cluster_rows is None or method.l == 1:
        return None
    found = PartedClusters(evidence.attribute.name, method.cluster_rows)
    if clusters is None or evidence.crowd is not None:
        return None if gathered.parted is False else found
    if not are_parted(evidence.people, method.cluster_rows):
        return None
    if gathered.truth is None or evidence.membership is not None or len(gathered.truth) != len(clusters):
        return found
    marks = None if evidence.protected is None else np.isin(np.arange(len(evidence.values)), evidence.protected)
    labels = evidence.grouping.labels
    parted, certain, people = count_certain(
        clusters, gathered.truth, labels, evidence.published, method.cluster_rows, marks
    )
    return PartedClusters(found.column, found.rows, parted, certain, people)


def count_certain(
    clusters: Codes,
    values: Codes,
    labels: Codes,
    published: Groups,
    cluster_rows: int,
    marks: NDArray[np.bool_] | None = None,
) -> tuple[int, int, int]:
    """How many clusters are parted, how many of these are certain, and the rows of those.

    ``marks`` says which values count; without it all do.

    >>> import polars as pl
    >>> from pellucid.core.schema import Kind, Role
    >>> from pellucid.core.table import Attribute
    >>> ill = Attribute("ill", Role.SENSITIVE, Kind.CATEGORY, pl.Series(["a", "b", "c"]), False, np.arange(3.0), 1)
    >>> homes, has = np.array([0, 0, 1, 2], np.int32), np.array([0, 0, 1, 2], np.int32)
    >>> groups = np.array([0, 1, 0, 1], np.int32)
    >>> count_certain(homes, has, groups, Groups.of(groups, has, ill), 1)
    (1, 1, 2)
    """
    sizes = np.bincount(clusters)
    low, high = np.full(len(sizes), np.iinfo(np.int32).max), np.full(len(sizes), -1)
    np.minimum.at(low, clusters, values)
    np.maximum.at(high, clusters, values)
    grouped = np.bincount(clusters, labels >= 0, len(sizes)) == sizes
    parted = sizes > cluster_rows
    looked_at = parted & grouped & (low == high) & (high >= 0)
    if marks is not None:
        looked_at[looked_at] = marks[high[looked_at]]
    order = np.argsort(clusters, kind="stable")
    rows = order[looked_at[clusters[order]]]
    wide = np.cumsum(published.distinct[labels[rows]])
    certain = np.zeros(len(sizes), np.bool_)
    begin = 0
    ends = np.cumsum(sizes[looked_at])  # of the rows of each cluster that is looked at
    while begin < len(rows):
        before = wide[begin - 1] if begin else 0
        fits = ends[(ends > begin) & (wide[ends - 1] <= before + AT_ONCE)]
        end = int(fits[-1]) if len(fits) else int(ends[ends > begin][0])
        some = rows[begin:end]
        certain[_only_one_left(clusters[some], labels[some], published)] = True
        begin = end
    return int(parted.sum()), int(certain.sum()), int(sizes[certain].sum())


def _only_one_left(clusters: Codes, labels: Codes, published: Groups) -> NDArray[np.int64]:
    """The clusters of these rows in whose groups one value alone is everywhere."""
    widths = published.distinct[labels]
    begins = published.starts[labels]
    places = np.repeat(begins - (np.cumsum(widths) - widths), widths) + np.arange(int(widths.sum()))
    values = max(1, len(published.table_counts))
    pairs, rows = np.unique(
        np.repeat(clusters.astype(np.int64), widths) * values + published.codes[places], return_counts=True
    )
    of = pairs // values
    everywhere = rows == np.bincount(clusters)[of]
    left = np.bincount(of[everywhere])
    found: NDArray[np.int64] = np.flatnonzero(left == 1)
    return found
