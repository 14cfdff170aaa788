"""Sensitive columns that the rows of nearly every cluster share, such as the income decile of a household.

Where larger clusters are taken as several (``cluster_rows``), whoever knows that a column is shared compares the groups
of a cluster's rows and may be left with one value. Nothing is promised about that (docs/clusters.md), so whoever
publishes is warned before.

**Definition.** Of the clusters of two or more rows that have a (protected) value of the column, the share in which all
rows have the same one; from ``NEARLY_ALL`` on the column is shared.
"""

from __future__ import annotations

import numpy as np

from pellucid.anonymize.clusters import are_parted
from pellucid.anonymize.method import Method
from pellucid.anonymize.protecting import ProtectingMethod
from pellucid.core.schema import Role
from pellucid.core.table import Table
from pellucid.messages import Message, Share
from pellucid.text.figures import counted

NEARLY_ALL = 0.95


class SharedInClustersWarning(UserWarning):
    """Rows of a cluster share a sensitive value, and larger clusters are taken as several; the message says which."""


def shared_columns(table: Table, method: Method) -> dict[str, float]:
    """The sensitive columns that clusters of two or more rows share, and the share of these that do.

    >>> import pellucid as pc, polars as pl
    >>> homes = {"home": [1, 1, 2, 2, 3], "age": [4, 3, 5, 9, 1], "pay": list("aabbc"), "ill": list("abccd")}
    >>> table = pc.read(pl.DataFrame(homes), quasi="age", sensitive=["pay", "ill"], cluster="home")
    >>> shared_columns(table, pc.SoftCut(l=2))
    {'pay': 1.0}
    """
    if table.clusters is None:
        return {}
    clusters, several = table.clusters, np.bincount(table.clusters) > 1
    found = {}
    for i in table.having(Role.SENSITIVE):
        attribute, codes = table.attributes[i], table.codes[i]
        low, high = np.full(len(several), len(attribute)), np.full(len(several), -1)
        np.minimum.at(low, clusters, codes)
        np.maximum.at(high, clusters, codes)
        looked_at = several
        if isinstance(method, ProtectingMethod):
            looked_at = several & (np.bincount(clusters, method.protected(attribute)[codes], len(several)) > 0)
        of = int(looked_at.sum())
        share = int((low == high)[looked_at].sum()) / of if of else 0.0
        if share >= NEARLY_ALL:
            found[attribute.name] = share
    return found


def shared_though_parted(table: Table, method: Method, cluster_rows: int | None) -> Message | None:
    """What to know before clusters that share a value are taken as several; None where they are not, or share none."""
    if cluster_rows is None or not are_parted(table, cluster_rows):
        return None
    shared = shared_columns(table, method)
    if not shared:
        return None
    name = min(shared, key=lambda one: -shared[one])
    others = [one for one in shared if one != name]
    also = f" (and so {'is' if len(others) == 1 else 'are'} {' and '.join(others)})" if others else ""
    larger = f"those of more than {counted(cluster_rows, 'row')} are taken as several"
    return Message(
        "{name} is the same for all rows of {shared} of the clusters of two or more rows{also}, and "
        "{larger}: who knows that it is shared compares their groups and may be certain of it; take clusters as a "
        "whole (a larger {CLUSTER_ROWS}, or none), or publish {name} for one row of each cluster",
        name=name,
        shared=Share(shared[name]),
        also=also,
        larger=larger,
    )


def left_open_by_parting(table: Table, method: Method) -> Message:
    """The same in a few words, beside the advice to take larger clusters as several; empty where nothing is shared."""
    shared = " and ".join(shared_columns(table, method))
    told = " (nearly all clusters share one {shared}, and who knows that may then be certain of it)"
    return Message(told, shared=shared) if shared else Message("")
